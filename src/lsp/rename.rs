//! Things called otherwise, wherever they stand: functions of cases, helpers, readings, pieces.

use crate::code::verbs;
use crate::complaint::{Complaints, Span};
use crate::data::files::File;
use crate::data::manifest::function_of;
use crate::data::scenario::Scenario;
use crate::lsp::project::Project;
use crate::lsp::symbols::{standing, word};
use crate::lsp::text::{self, Word};
use crate::ruleset::compose::Ruleset;
use lsp_types::{Position, Range, TextEdit, Uri, WorkspaceEdit};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What a name is the name of.
enum Thing {
    /// A function of cases, or a helper of a file.
    Function,
    /// A reading, of this case.
    Reading(String),
    /// A piece, where it is meant.
    Piece(Scope),
}

/// Where a piece is meant: in the lists that bring it and in those that use them. Another situation may have one of the same name.
struct Scope {
    /// The lists, by name.
    lists: BTreeSet<String>,
    /// Whether another list has a piece of the name.
    another: bool,
}

impl Scope {
    /// Where the piece that a file names is meant.
    fn of(ruleset: &Ruleset, file: &File, piece: &str) -> Scope {
        let all = lists(ruleset);
        let brings = |name: &str| all.get(name).is_some_and(|list| list.pieces.iter().any(|one| one.name == piece));
        let uses = |name: &str| {
            let mut used = vec![name.to_string()];
            let mut next = 0;
            while let Some(list) = used.get(next) {
                let more: Vec<String> =
                    all.get(list).into_iter().flat_map(|list| &list.uses).filter(|name| !used.contains(name)).cloned().collect();
                used.extend(more);
                next += 1;
            }
            used
        };
        // A list names its own pieces and those of the lists it uses; a script or a test those of the lists it names.
        let near: Vec<String> = match all.contains_key(file.stem()) && file.is_scenario() {
            true => uses(file.stem()),
            false => all.keys().filter(|name| names(file, name)).flat_map(|name| uses(name)).collect(),
        };
        let mut from: BTreeSet<&String> = near.iter().filter(|name| brings(name)).collect();
        if from.is_empty() {
            from = all.keys().filter(|name| brings(name)).collect();
        }
        let lists: BTreeSet<String> = all.keys().filter(|name| uses(name).iter().any(|used| from.contains(used))).cloned().collect();
        let another = all.keys().any(|name| brings(name) && !lists.contains(name));
        Scope { lists, another }
    }

    /// Whether the piece may be meant in a file.
    fn has(&self, file: &File) -> bool {
        match file.is_scenario() {
            true => self.lists.contains(file.stem()),
            false => !self.another || self.lists.iter().any(|list| names(file, list)),
        }
    }
}

/// Whether a file names a list, as a word by itself.
fn names(file: &File, list: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    file.text.match_indices(list).any(|(at, _)| !file.text[..at].ends_with(part) && !file.text[at + list.len()..].starts_with(part))
}

/// What a word names that can be called otherwise.
fn thing(ruleset: &Ruleset, file: &File, word: &Word) -> Result<Thing, String> {
    let key = file.key.as_str();
    let own = ruleset.cases.iter().find(|case| case.has_file(key));
    let helper = || own.is_some_and(|case| case.functions.iter().any(|f| f.name == word.text));
    if !word.quoted && key.ends_with(".rhai") && (ruleset.slots.iter().any(|slot| slot.name == word.text) || helper()) {
        return match ruleset.game.procedures.iter().find(|(name, _)| function_of(name) == word.text) {
            Some((name, _)) => Err(format!("`{}` carries out the procedure `{name}`, which the manifest names", word.text)),
            None => Ok(Thing::Function),
        };
    }
    if let Some(case) = own.filter(|case| readings(ruleset, &case.number).contains(&word.text)) {
        return Ok(Thing::Reading(case.number.clone()));
    }
    let full = ruleset.cases.iter().find(|case| {
        let name = word.text.strip_prefix(&case.number).and_then(|rest| rest.strip_prefix('.'));
        name.is_some_and(|name| case.readings.iter().any(|reading| reading.name == name))
    });
    match full {
        Some(case) => Ok(Thing::Reading(case.number.clone())),
        None if lists(ruleset).values().any(|list| list.pieces.iter().any(|piece| piece.name == word.text)) => {
            Ok(Thing::Piece(Scope::of(ruleset, file, &word.text)))
        }
        None => Err(format!("`{}` is no function of a case, no reading and no piece", word.text)),
    }
}

/// The readings of a case, by name.
fn readings(ruleset: &Ruleset, number: &str) -> BTreeSet<String> {
    ruleset.cases.iter().filter(|case| case.number == number).flat_map(|case| &case.readings).map(|reading| reading.name.clone()).collect()
}

/// Every list of pieces of the game, by name.
fn lists(ruleset: &Ruleset) -> BTreeMap<String, Arc<Scenario>> {
    let mut ignored = Complaints::default();
    ruleset.scenario_names().into_iter().filter_map(|name| Some((name.to_string(), ruleset.stack_scenario(name, &mut ignored)?))).collect()
}

impl Thing {
    /// Every place where its name stands.
    fn places(&self, project: &mut Project, ruleset: &Ruleset, key: &str, word: &Word) -> Vec<(File, Span)> {
        match self {
            Thing::Function => standing(project, key, word).into_iter().map(|(file, span, _)| (file, span)).collect(),
            Thing::Piece(scope) => {
                named(project, key, &word.text, |file, head, tail| scope.has(file) && (quoted(head, tail) || by_itself(file, head, tail)))
            }
            Thing::Reading(number) => {
                let name = short(&word.text, number).to_string();
                let of_case = |file: &File| ruleset.cases.iter().any(|case| case.has_file(&file.key) && case.number == *number);
                named(project, key, &name, |file, head, tail| {
                    // "8.16.remainder" wherever it is chosen; by its own name in the case.
                    let chosen = head.strip_suffix('.').is_some_and(|head| head.ends_with(number.as_str()));
                    let declared = head.starts_with("//!") && tail.starts_with(':');
                    chosen || of_case(file) && (declared || head.trim_end_matches(['"', '\'']).ends_with("reading("))
                })
            }
        }
    }

    /// Why it can't be called so.
    fn taken(&self, ruleset: &Ruleset, name: &str) -> Option<String> {
        let letters =
            name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match self {
            Thing::Function if !letters => Some(format!("`{name}`: a function is named in letters, digits and underscores")),
            Thing::Function if verbs::knows(name) || ruleset.slots.iter().any(|slot| slot.name == name) => {
                Some(format!("there is a function or verb `{name}` already"))
            }
            Thing::Reading(number) if readings(ruleset, number).contains(name) => Some(format!("{number} has a reading `{name}` already")),
            Thing::Piece(scope)
                if lists(ruleset)
                    .iter()
                    .any(|(list, all)| scope.lists.contains(list) && all.pieces.iter().any(|piece| piece.name == name)) =>
            {
                Some(format!("a piece is called `{name}` already"))
            }
            Thing::Reading(_) | Thing::Piece(_)
                if name.is_empty() || name.contains(['"', '\'', ':', '#', ',', '[', ']', '{', '}', '\n']) =>
            {
                Some(format!("`{name}`: a name has no quotes, brackets, commas or colons in it"))
            }
            _ => None,
        }
    }
}

/// The name of a reading without its case.
fn short<'w>(text: &'w str, number: &str) -> &'w str {
    text.strip_prefix(number).and_then(|rest| rest.strip_prefix('.')).unwrap_or(text)
}

/// Where a name stands in the files of a game, told by what stands before and behind it.
fn named(project: &mut Project, key: &str, name: &str, meant: impl Fn(&File, &str, &str) -> bool) -> Vec<(File, Span)> {
    let mut found = Vec::new();
    for file in project.beside(key) {
        for (number, line) in file.text.lines().enumerate() {
            for (at, _) in line.match_indices(name) {
                if meant(&file, &line[..at], &line[at + name.len()..]) {
                    let span = Span { line: number + 1, column: line[..at].chars().count() + 1, length: name.chars().count() };
                    found.push((file.clone(), span));
                }
            }
        }
    }
    found
}

/// Whether a name is the whole of a text in quotes.
fn quoted(head: &str, tail: &str) -> bool {
    ['"', '\''].iter().any(|quote| head.ends_with(*quote) && tail.starts_with(*quote))
}

/// Whether a name stands by itself in YAML, as a value or as a key.
fn by_itself(file: &File, head: &str, tail: &str) -> bool {
    let (before, behind) = (head.trim_end(), tail.trim_start());
    let opens = before.is_empty() || before.ends_with(['{', '[', ',', '-']) || head.ends_with(": ");
    file.key.ends_with(".yaml") && opens && (behind.is_empty() || behind.starts_with([',', ']', '}', '#', ':']))
}

/// What can be called otherwise at a place, and where its name stands there. Says why not, where it can't be.
pub fn renamable(project: &mut Project, key: &str, at: Position) -> Result<(Range, String), String> {
    let (file, span, name, _) = found(project, key, at)?;
    Ok((text::range(&file.text, span), name))
}

/// The file and the place of a name, the name, and every place where it stands.
type Found = (File, Span, String, (Thing, Vec<(File, Span)>));

fn found(project: &mut Project, key: &str, at: Position) -> Result<Found, String> {
    let Some((word, file)) = word(project, key, at) else { return Err("there is no name here".into()) };
    let ruleset = project.ruleset(key).ok_or("this file belongs to no game")?;
    let thing = thing(&ruleset, &file, &word)?;
    let places = thing.places(project, &ruleset, key, &word);
    if let Some((bound, _)) = places.iter().find(|(file, _)| project.there(&file.key).is_none()) {
        return Err(format!("`{}` stands in {} too, which is bound into casebook", word.text, bound.key));
    }
    let name = if let Thing::Reading(number) = &thing { short(&word.text, number) } else { &word.text }.to_string();
    let behind = word.text.chars().count() - name.chars().count();
    let span = Span { column: word.span.column + behind, length: name.chars().count(), ..word.span };
    Ok((file, span, name, (thing, places)))
}

/// Calls something otherwise, wherever it stands; what is saved is read anew first, as not every editor tells of files
/// that something else wrote, and a place left out would break the game.
// Addresses are the keys of this map in the protocol itself.
#[allow(clippy::mutable_key_type)]
pub fn rename(project: &mut Project, key: &str, at: Position, name: &str) -> Result<WorkspaceEdit, String> {
    project.reload();
    let (_, _, _, (thing, places)) = found(project, key, at)?;
    let ruleset = project.ruleset(key).ok_or("this file belongs to no game")?;
    if let Some(why) = thing.taken(&ruleset, name) {
        return Err(why);
    }
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for (file, span) in places {
        if let Some(uri) = project.there(&file.key) {
            changes.entry(uri).or_default().push(TextEdit { range: text::range(&file.text, span), new_text: name.into() });
        }
    }
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}
