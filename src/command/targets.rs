//! Resolves names on the command line to a game, situation and ruleset.

use crate::command::ruleset_args::{RulesetArgs, note_unasked_readings};
use casebook_analysis::usecase::rulesets::spec_of_situation;
use casebook_engine::complaint::{Complaints, Error, nearest_names};
use casebook_engine::data::library::Library;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::yaml::YamlReader;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_engine::ruling::journal::{Journal, ParsedJournal};
use casebook_engine::situation::overrides::Overrides;
use casebook_engine::situation::value_text::join_words;
use std::path::Path;
use std::sync::Arc;

/// Returns the named game; without a name the only one of the folder, otherwise the main one.
pub fn resolve_game(library: &Library, name: &str) -> Result<String, Error> {
    if !name.is_empty() {
        return library.game(name).map(|game| game.name.clone());
    }
    let own_games: Vec<&String> = library
        .games
        .keys()
        .filter(|game| library.files.has_own_game(game))
        .collect();
    let games: Vec<&String> = library.games.keys().collect();
    match (&own_games[..], &games[..]) {
        ([only], _) | ([], [only]) => Ok(only.to_string()),
        _ if has_no_game(library) => Err(unreadable_game(&library.complaints)),
        ([], _) => match library.games.values().find(|game| game.is_default) {
            Some(game) => Ok(game.name.clone()),
            None => Err(ambiguous_game(&games)),
        },
        // Where the folder holds the main game beside others, that is meant here, too.
        _ => match own_games
            .iter()
            .find(|game| library.games[**game].is_default)
        {
            Some(game) => Ok(game.to_string()),
            None => Err(ambiguous_game(&own_games)),
        },
    }
}

/// Returns the named game; without one the only game that passes the first of `tests` that any game passes, else that of [`resolve_game`].
pub fn resolve_game_of(
    library: &Library,
    game: &str,
    (kind, name): (&str, &str),
    tests: &[&dyn Fn(&Game) -> bool],
) -> Result<String, Error> {
    // Where the folder has a game of its own, a name of another game is a coincidence.
    let has_own_game = library
        .games
        .keys()
        .any(|game| library.files.has_own_game(game));
    let is_candidate = |game: &&Arc<Game>| !has_own_game || library.files.has_own_game(&game.name);
    for test in tests.iter().filter(|_| game.is_empty()) {
        let candidates = library.games.values().filter(is_candidate);
        let games: Vec<&String> = candidates
            .filter(|game| test(game))
            .map(|game| &game.name)
            .collect();
        if let Some(game) = only_game(library, &games, (kind, name))? {
            return Ok(game.clone());
        }
    }
    resolve_game(library, game)
}

/// Of the games that have a name, returns the only one; of several, that of the folder.
fn only_game<'a>(
    library: &Library,
    games: &[&'a String],
    (kind, name): (&str, &str),
) -> Result<Option<&'a String>, Error> {
    let own_games: Vec<&String> = games
        .iter()
        .copied()
        .filter(|game| library.files.has_own_game(game))
        .collect();
    match (&own_games[..], games) {
        ([one], _) | ([], [one]) => Ok(Some(one)),
        (_, []) => Ok(None),
        _ => {
            let games = join_words(games.iter().map(|game| game.to_string()).collect());
            Err(Error::Usage(format!(
                "several games have a {kind} `{name}`; name one with --game: {games}"
            )))
        }
    }
}

fn ambiguous_game(names: &[&String]) -> Error {
    let names = join_words(names.iter().map(|name| name.to_string()).collect());
    Error::Usage(format!(
        "there are several games; name one with --game: {names}"
    ))
}

/// Returns whether there is no game, or the manifest of a game in the folder can't be read.
fn has_no_game(library: &Library) -> bool {
    library.games.is_empty()
        || library
            .files
            .own_games()
            .any(|game| !library.games.contains_key(game))
}

/// Returns the named game, or all games, those of the folder first.
pub fn resolve_games<'a>(library: &'a Library, name: &str) -> Result<Vec<&'a String>, Error> {
    if !name.is_empty() {
        library.game(name)?;
    }
    let mut games: Vec<&String> = library
        .games
        .keys()
        .filter(|game| name.is_empty() || *game == name)
        .collect();
    games.sort_by_key(|game| !library.files.has_own_game(game));
    Ok(games)
}

/// Restricts the arguments to one game: variants of other games and their options are dropped. Returns `None` if none of the variants is of
/// this game. Fails on a variant that no game has.
pub fn args_for_game(
    library: &Library,
    game: &str,
    args: &RulesetArgs,
) -> Result<Option<RulesetArgs>, Error> {
    let mut adjusted = RulesetArgs {
        game: game.into(),
        ..args.sorted()
    };
    let Some(variants) = adjusted.with.clone().filter(|_| args.game.is_empty()) else {
        return Ok(Some(adjusted));
    };
    if let Some(name) = variants
        .iter()
        .find(|name| !name.is_empty() && !library.variants.contains_key(*name))
    {
        let suggestions = nearest_names(name, library.variants.keys().map(String::as_str));
        return Err(Error::Unknown {
            kind: "variant",
            name: name.clone(),
            suggestions,
        });
    }
    let has = |name: &str| {
        library
            .variants
            .get(name)
            .is_some_and(|variant| variant.game == game)
    };
    let kept_variants: Vec<String> = variants.iter().filter(|name| has(name)).cloned().collect();
    let is_any_named = variants.iter().any(|name| !name.is_empty());
    if kept_variants.is_empty() && is_any_named {
        return Ok(None);
    }
    adjusted
        .option
        .retain(|(name, _)| name.split('.').next().is_some_and(has));
    adjusted.with = Some(kept_variants);
    Ok(Some(adjusted))
}

/// Makes the error for a missing game: unreadable data, or none at all.
pub fn unreadable_game(complaints: &Complaints) -> Error {
    if complaints.has_errors() {
        Error::Data(complaints.clone())
    } else {
        Error::Usage("there is no game in this folder: rules/<game>/game.yaml".into())
    }
}

/// Returns the title of a situation as its file has it; `None` if it has none.
fn title_of(library: &Library, situation: &NamedSituation) -> Option<String> {
    let NamedSituation {
        game,
        name,
        variant,
    } = situation;
    let key = match variant {
        None => format!("scenarios/{game}/{name}.yaml"),
        Some(variant) => format!("variants/{variant}/scenarios/{name}.yaml"),
    };
    let root = YamlReader::for_file(library.files.by_key.get(&key)?).parse_file()?;
    Some(root.text_of("title").to_string()).filter(|title| !title.is_empty())
}

/// A situation that an argument names.
#[derive(Clone)]
pub struct NamedSituation {
    pub game: String,
    pub name: String,
    /// The variant that contains it.
    pub variant: Option<String>,
}

/// The number of situations that are listed where several are meant.
const MAX_LISTED: usize = 20;

/// Finds the only situation whose title is or contains a text; capital letters count for nothing.
fn find_by_title<'s>(
    library: &Library,
    target: &str,
    situations: &'s [NamedSituation],
) -> Result<Option<&'s NamedSituation>, Error> {
    let wanted = target.trim().to_lowercase();
    if wanted.is_empty() {
        return Ok(None);
    }
    let titles = situations.iter().filter_map(|one| {
        let title = title_of(library, one)?;
        title
            .to_lowercase()
            .contains(&wanted)
            .then_some((title, one))
    });
    let mut fitting: Vec<(String, &NamedSituation)> = titles.collect();
    // A whole title is meant before a part of one, and what begins a word before what stands inside one.
    let is_whole = |title: &str| title.to_lowercase() == wanted;
    let begins = |title: &str| {
        let title = title.to_lowercase();
        let mut places = title.match_indices(&wanted);
        places.any(|(at, _)| !title[..at].ends_with(char::is_alphanumeric))
    };
    for is_nearer in [&is_whole as &dyn Fn(&str) -> bool, &begins] {
        if fitting.iter().any(|(title, _)| is_nearer(title)) {
            fitting.retain(|(title, _)| is_nearer(title));
        }
    }
    match &fitting[..] {
        [] => Ok(None),
        [(_, one)] => Ok(Some(one)),
        several => {
            let listed = several.iter().take(MAX_LISTED);
            let names: Vec<String> = listed
                .map(|(title, one)| format!("{} ({title})", one.name))
                .collect();
            let more = match several.len().saturating_sub(MAX_LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Err(Error::Usage(format!(
                "`{target}` is a part of several titles: {}{more}",
                names.join(", ")
            )))
        }
    }
}

/// Finds the only situation that matches a name or a title, or a part of it.
pub fn resolve_situation(
    library: &Library,
    target: &str,
    in_game: &str,
) -> Result<NamedSituation, Error> {
    let situations: Vec<NamedSituation> = resolve_games(library, in_game)?
        .into_iter()
        .flat_map(|g| {
            library
                .scenarios(g)
                .into_iter()
                .map(|(name, variant)| NamedSituation {
                    game: g.clone(),
                    name,
                    variant,
                })
        })
        .collect();
    let exact: Vec<_> = situations.iter().filter(|one| one.name == target).collect();
    let games: Vec<&String> = exact.iter().map(|one| &one.game).collect();
    let game = only_game(library, &games, ("situation", target))?;
    if let Some(found) = exact.into_iter().find(|one| game == Some(&one.game)) {
        return Ok(found.clone());
    }
    let mut partial: Vec<_> = situations
        .iter()
        .filter(|one| !target.is_empty() && one.name.contains(target))
        .collect();
    // Matches at the start of a word take precedence over matches inside one.
    let begins = |name: &str| name.starts_with(target) || name.contains(&format!("-{target}"));
    if partial.iter().any(|one| begins(&one.name)) {
        partial.retain(|one| begins(&one.name));
    }
    match partial[..] {
        [one] => Ok(one.clone()),
        [] if has_no_game(library) => Err(unreadable_game(&library.complaints)),
        [] => match find_by_title(library, target, &situations)? {
            Some(one) => Ok(one.clone()),
            None => Err(Error::Unknown {
                kind: "situation",
                name: target.into(),
                suggestions: nearest_names(target, situations.iter().map(|one| one.name.as_str())),
            }),
        },
        _ => Err(Error::Usage(format!(
            "`{target}` is a part of several names: {}",
            partial
                .iter()
                .map(|one| one.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ))),
    }
}

/// Resolves a name to a situation, and builds the ruleset spec.
pub fn resolve_target(
    library: &Library,
    target: &str,
    args: &RulesetArgs,
) -> Result<(String, RulesetSpec), Error> {
    let NamedSituation {
        game,
        name,
        variant,
    } = resolve_situation(library, target, &args.game)?;
    let spec = spec_of_situation(library, &args.choices(), &game, &name, variant.as_deref());
    note_unasked_readings(library, &spec);
    Ok((name, spec))
}

/// Returns whether an argument is the path of a saved journal.
pub fn is_journal(target: &str) -> bool {
    let path = Path::new(target);
    path.extension()
        .is_some_and(|end| end == "yaml" || end == "yml")
        && path.is_file()
}

/// Reads a saved journal. Fails on arguments that would change its ruleset or situation.
pub fn read_journal(
    path: &str,
    args: &RulesetArgs,
    overrides: &Overrides,
) -> Result<ParsedJournal, Error> {
    if !overrides.is_empty() {
        return Err(Error::Usage("--set changes a situation before anything has happened: give the situation, not a journal".into()));
    }
    if args.with.is_some()
        || !args.option.is_empty()
        || !args.reading.is_empty()
        || !args.game.is_empty()
    {
        let message = "a journal goes on under the rules it was begun with; `casebook replay` plays it under others";
        return Err(Error::Usage(message.into()));
    }
    Journal::read(Path::new(path))
}
