//! `casebook show` and `casebook list`: a thing with its chain of amendments, and all there is.

use crate::author::show;
use crate::code::verbs;
use crate::command::args::{Format, RulesetArgs};
use crate::command::explain::explain;
use crate::command::meant::{games, whole};
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::ruleset::laws;
use std::process::ExitCode;
use std::sync::Arc;

/// Shows a name in the game named, else in every game that knows it.
pub fn shown(library: &Arc<Library>, name: &str, args: &RulesetArgs, format: Format) -> Result<ExitCode, Error> {
    let mut found = Vec::new();
    let mut missed = None;
    for game in games(library, &args.game)? {
        let all: Vec<String> = library.variants_of(game).into_iter().map(String::from).collect();
        let (ruleset, _) = laws::enact(library, &args.wish(game, Some(&all)))?;
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
        Format::Json if found.len() == 1 => print_json(&found[0].json),
        Format::Json => print_json(&found.into_iter().map(|s| s.json).collect()),
        Format::Text => print!("{}", found.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists games, variants, options, situations, readings, tables.
pub fn list(library: &Arc<Library>, args: &RulesetArgs, format: Format) -> Result<ExitCode, Error> {
    let mut found = Vec::new();
    for name in games(library, &args.game)? {
        let all: Vec<String> = library.variants_of(name).into_iter().map(String::from).collect();
        let (ruleset, _) = laws::enact(library, &args.wish(name, Some(&all)))?;
        found.push(show::contents(library, &ruleset));
    }
    match format {
        Format::Json => print_json(&found.iter().map(|g| g.json.clone()).collect()),
        Format::Text => print!("{}", found.iter().map(|g| g.text.as_str()).collect::<Vec<_>>().join("\n")),
    }
    Ok(ExitCode::SUCCESS)
}
