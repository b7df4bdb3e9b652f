//! `casebook show` and `casebook list`: a thing with its chain of amendments, and all there is.

use crate::author::show;
use crate::code::verbs;
use crate::command::args::{Format, RulesetArgs};
use crate::command::explain::explain;
use crate::command::meant::{for_game, games, whole};
use crate::command::out::colour;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::{InForce, Library};
use crate::ruleset::compose::Ruleset;
use crate::ruleset::laws;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;

/// Shows a name in the game named, else in every game that knows it.
pub fn shown(library: &Arc<Library>, name: &str, args: &RulesetArgs, format: Format) -> Result<ExitCode, Error> {
    let mut found = Vec::new();
    let mut missed = None;
    for ruleset in rulesets(library, args)? {
        match show::find(&ruleset, name) {
            Ok(shown) => found.push(shown),
            Err(error @ Error::Unknown { .. }) => missed = missed.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    if found.is_empty() && verbs::knows(name) {
        return explain(Some(name), format);
    }
    if found.is_empty() {
        return Err(missed.unwrap_or_else(|| whole(&library.complaints)));
    }
    match format {
        Format::Json => print_json(&json!({ "found": found.into_iter().map(|shown| shown.json).collect::<Vec<_>>() })),
        Format::Text => print!("{}", found.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists games, variants, options, situations, readings, tables; and complains of those that can't be read.
pub fn list(library: &Arc<Library>, args: &RulesetArgs, format: Format) -> Result<ExitCode, Error> {
    let found: Vec<_> = rulesets(library, args)?.iter().map(|ruleset| show::contents(library, ruleset)).collect();
    let complaints = library.complaints.clone().sorted();
    match format {
        Format::Json => {
            let games: Vec<_> = found.into_iter().map(|game| game.json).collect();
            print_json(&json!({ "games": games, "complaints": complaints.0 }));
        }
        Format::Text => {
            print!("{}", found.iter().map(|g| g.text.as_str()).collect::<Vec<_>>().join("\n"));
            if !complaints.0.is_empty() {
                eprint!("{}", complaints.render(colour(&std::io::stderr())));
            }
        }
    }
    Ok(ExitCode::from(u8::from(complaints.any_error())))
}

/// What is in force in the game named, else in each that has what was typed.
fn rulesets(library: &Arc<Library>, args: &RulesetArgs) -> Result<Vec<Ruleset>, Error> {
    let mut all = Vec::new();
    for game in games(library, &args.game)? {
        let Some(args) = for_game(library, game, args)? else { continue };
        let variants = library.together(game);
        all.push(laws::enact(library, &args.wish(game, InForce { with: variants, ..InForce::default() }))?.0);
    }
    Ok(all)
}
