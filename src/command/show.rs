//! `casebook show` and `casebook list`: an item with its chain of amendments, and the list of all items.

use crate::command::explain::explain as explained;
use crate::command::out::{Printer, exit_code, print_json, use_colour};
use crate::command::ruleset_args::RulesetArgs;
use crate::command::targets::{args_for_game, resolve_games, unreadable_game};
use casebook_checks::author::lists::ListReport;
use casebook_checks::author::rule_search::search_page;
use casebook_checks::author::show_page::{FoundThings, ShowPage};
use casebook_checks::author::{explain, lists, show};
use casebook_engine::complaint::Error;
use casebook_engine::data::library::{InForce, Library};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::diagnostics;
use std::process::ExitCode;
use std::sync::Arc;

/// Shows a name in the given game, otherwise in every game that has it; with `script` also its source.
pub fn show_name(
    library: &Arc<Library>,
    name: &str,
    script: bool,
    args: &RulesetArgs,
    out: Printer,
) -> Result<(), Error> {
    let (mut by_game, mut in_force) = (Vec::new(), Vec::new());
    for ruleset in rulesets(library, args)?.into_iter().map(Arc::new) {
        let game = ruleset.game.name.clone();
        by_game.extend(
            show::find(&ruleset, name)?
                .into_iter()
                .map(|shown| (game.clone(), shown)),
        );
        in_force.push(ruleset);
    }
    if by_game.is_empty() && explain::names().any(|word| word == name) {
        return explained(Some(name), out);
    }
    if by_game.is_empty() && in_force.is_empty() {
        return Err(unreadable_game(&library.complaints));
    }
    if by_game.is_empty() {
        let answers = in_force
            .iter()
            .filter_map(|ruleset| Some((ruleset.game.name.clone(), search_page(ruleset, name)?)));
        by_game.extend(answers);
    }
    if by_game.is_empty() {
        let mut names: Vec<String> = in_force
            .iter()
            .flat_map(|ruleset| show::names(ruleset))
            .collect();
        names.extend(explain::names().map(String::from));
        return Err(show::unknown_name(name, names.iter().map(String::as_str)));
    }
    if out.is_json() {
        let things = by_game
            .into_iter()
            .map(|(_, shown)| shown.into_thing(script));
        let unasked = in_force
            .iter()
            .flat_map(|ruleset| ruleset.unasked_readings());
        print_json(&FoundThings {
            found: things.collect(),
            unasked_readings: unasked.map(String::from).collect(),
        });
        return Ok(());
    }
    print!("{}", disambiguation(name, &by_game, script));
    let page = |shown: &ShowPage| match script {
        true => shown
            .excerpts
            .iter()
            .map(|excerpt| excerpt.render())
            .collect::<Vec<_>>()
            .join("\n"),
        false => shown.text.clone(),
    };
    let pages: Vec<String> = by_game
        .iter()
        .map(|(_, shown)| page(shown))
        .filter(|page| !page.is_empty())
        .collect();
    match pages.is_empty() {
        true => println!(
            "there is no file of it: all that is known of it is in `casebook show '{name}'`"
        ),
        false => print!("{}", pages.join("\n")),
    }
    Ok(())
}

/// Lists how to select each meaning of an ambiguous name; empty if there is only one.
fn disambiguation(name: &str, by_game: &[(String, ShowPage)], script: bool) -> String {
    let (mut queries, mut listed): (Vec<(String, String)>, Vec<_>) = Default::default();
    let games = by_game.iter().any(|(game, _)| *game != by_game[0].0);
    for (game, shown) in by_game {
        let key = (game, shown.kind, &shown.name);
        if listed.contains(&key) {
            continue;
        }
        listed.push(key);
        let argument = match shown.kind {
            "list" | "field" => shown.name.clone(),
            sort => format!("{sort} {}", shown.name),
        };
        let game_flag = if games {
            format!(" --game {game}")
        } else {
            String::new()
        };
        queries.push((
            format!("{} {} of {game}", shown.kind, shown.name),
            format!("casebook show '{argument}'{game_flag}"),
        ));
    }
    if queries.len() < 2 {
        return String::new();
    }
    let sign = if script { "# " } else { "" };
    let width = queries
        .iter()
        .map(|(description, _)| description.chars().count())
        .max()
        .unwrap_or(0);
    let lines: String = queries
        .iter()
        .map(|(description, command)| format!("{sign}  {description:<width$}  {command}\n"))
        .collect();
    format!(
        "{sign}`{name}` names {} things; each of these shows one:\n{lines}\n",
        queries.len()
    )
}

/// Lists games, variants, options, situations, readings and tables, or only the tables with their assumptions. It also reports data that
/// can't be read.
pub fn list(
    library: &Arc<Library>,
    args: &RulesetArgs,
    tables: bool,
    out: Printer,
) -> Result<ExitCode, Error> {
    let rulesets = rulesets(library, args)?;
    let complaints = library.complaints.clone().into_sorted();
    let print = |text: Vec<String>| text.join("\n");
    if tables {
        let (text, games) = rulesets.iter().map(lists::assumptions).unzip();
        out.print(
            || ListReport {
                games,
                complaints: complaints.0.clone(),
            },
            || print(text),
        );
    } else {
        let contents = |ruleset| lists::contents(library, ruleset);
        let (text, games) = rulesets.iter().map(contents).unzip();
        out.print(
            || ListReport {
                games,
                complaints: complaints.0.clone(),
            },
            || print(text),
        );
    }
    if !out.is_json() && !complaints.0.is_empty() {
        eprint!("{}", complaints.render(use_colour(&std::io::stderr())));
    }
    Ok(exit_code(complaints.has_errors()))
}

/// Builds the ruleset of the given game, otherwise of each game that has the given variants.
fn rulesets(library: &Arc<Library>, args: &RulesetArgs) -> Result<Vec<Ruleset>, Error> {
    let mut rulesets = Vec::new();
    for game in resolve_games(library, &args.game)? {
        let Some(args) = args_for_game(library, game, args)? else {
            continue;
        };
        let variants = library.compatible_variants(game);
        rulesets.push(
            diagnostics::build_ruleset(
                library,
                &args.spec(
                    library,
                    game,
                    InForce {
                        variants,
                        ..InForce::default()
                    },
                ),
            )?
            .0,
        );
    }
    Ok(rulesets)
}
