//! `casebook show` and `casebook list`: an item with its chain of amendments, and the list of all items.

use crate::command::explain::explain as explained;
use crate::command::out::{OutputFormat, Printer, exit_code, print_json, stderr_page};
use crate::command::ruleset_args::RulesetArgs;
use crate::command::targets::{args_for_game, resolve_games, resolve_target, unreadable_game};
use casebook_checks::author::piece_rows::write_pieces;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::{InForce, Library};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::diagnostics;
use casebook_view::block::{AnswerPage, FoundPages, ScriptExcerpt};
use casebook_view::text::{page_text, pages_text};
use casebook_view::things::{self, ListReport};
use casebook_view::{explain, pins, show};
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
    let (mut pages, mut in_force) = (Vec::new(), Vec::new());
    for ruleset in rulesets(library, args)?.into_iter().map(Arc::new) {
        pages.extend(show::find(&ruleset, name)?);
        in_force.push(ruleset);
    }
    if pages.is_empty() && explain::names().any(|word| word == name) {
        return explained(Some(name), out);
    }
    if pages.is_empty() && in_force.is_empty() {
        return Err(unreadable_game(&library.complaints));
    }
    if pages.is_empty() {
        let answers = in_force.iter();
        pages.extend(answers.filter_map(|ruleset| show::search_page(ruleset, name)));
    }
    if pages.is_empty() {
        let mut names: Vec<String> = in_force
            .iter()
            .flat_map(|ruleset| things::names(ruleset))
            .collect();
        names.extend(explain::names().map(String::from));
        return Err(show::unknown_name(name, names.iter().map(String::as_str)));
    }
    if out.format == OutputFormat::Csv {
        // Of a situation those of its own rules; a roster is in what is named.
        let own = resolve_target(library, &pages[0].name, args);
        let own = own.and_then(|(_, spec)| Ok(Arc::new(Ruleset::compose(library, &spec)?.0)));
        let scenario = own.iter().chain(&in_force).find_map(|ruleset| {
            let scenario = ruleset.scenario(&pages[0].name).ok()?;
            Some(write_pieces(&scenario.pieces, &ruleset.game))
        });
        let none = || {
            Error::Usage(format!(
                "`{name}` has no pieces to write as CSV: name a situation or a roster"
            ))
        };
        print!("{}", scenario.ok_or_else(none)?);
        return Ok(());
    }
    if out.is_json() {
        let unasked = in_force
            .iter()
            .flat_map(|ruleset| ruleset.unasked_readings());
        print_json(&FoundPages {
            unasked_readings: unasked.map(String::from).collect(),
            ..FoundPages::new(pages, script)
        });
        return Ok(());
    }
    print!("{}", disambiguation(name, &pages, script));
    let text = |page: &AnswerPage| match script {
        true => page
            .script
            .iter()
            .map(ScriptExcerpt::render)
            .collect::<Vec<_>>()
            .join("\n"),
        false => page_text(page, out.page),
    };
    let pages: Vec<String> = pages
        .iter()
        .map(text)
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
fn disambiguation(name: &str, pages: &[AnswerPage], script: bool) -> String {
    let (mut queries, mut listed): (Vec<(String, String)>, Vec<_>) = Default::default();
    let games = pages.iter().any(|shown| shown.game != pages[0].game);
    for shown in pages {
        let game = &shown.game;
        let key = (game, shown.kind, &shown.name);
        if listed.contains(&key) {
            continue;
        }
        listed.push(key);
        let argument = match shown.kind {
            "list" | "field" => shown.name.clone(),
            kind => format!("{kind} {}", shown.name),
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
    let contents = if tables {
        things::assumptions
    } else {
        things::contents
    };
    let pages = rulesets.iter().map(contents).collect();
    Ok(print_games(library, pages, out))
}

/// Lists the pinned rulings of games as questions and answers.
pub fn list_pins(
    library: &Arc<Library>,
    args: &RulesetArgs,
    out: Printer,
) -> Result<ExitCode, Error> {
    let rulesets = rulesets(library, args)?;
    let pages: Result<Vec<AnswerPage>, Error> = rulesets
        .iter()
        .map(|ruleset| pins::page(library, &ruleset.game.name))
        .collect();
    Ok(print_games(library, pages?, out))
}

/// Prints a page for each game, and what can't be read of the data.
pub fn print_games(library: &Library, games: Vec<AnswerPage>, out: Printer) -> ExitCode {
    let complaints = library.complaints.clone().into_sorted();
    let answer = ListReport {
        games,
        complaints: complaints.0.clone(),
    };
    out.print(|| &answer, || pages_text(&answer.games, out.page));
    if !out.is_json() && !complaints.0.is_empty() {
        eprint!("{}", stderr_page().complaints(&complaints));
    }
    exit_code(complaints.has_errors())
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
