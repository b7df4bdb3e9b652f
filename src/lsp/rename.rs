//! Things called otherwise, wherever they stand: functions of cases, helpers, readings, pieces.

use crate::code::verbs;
use crate::complaint::{Complaints, Span};
use crate::data::files::DataFile;
use crate::data::manifest::function_name;
use crate::data::scenario::Scenario;
use crate::lsp::project::Project;
use crate::lsp::symbols::{occurrences, symbol_at};
use crate::lsp::text::{self, WordAt};
use crate::ruleset::compose::Ruleset;
use lsp_types::{Position, Range, TextEdit, Uri, WorkspaceEdit};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What a name is the name of.
enum SymbolKind {
    /// A function of cases, or a helper of a file.
    Function,
    /// A reading, of this case.
    Reading(String),
    /// A piece, where it is meant.
    Piece(RenameScope),
}

/// Where a piece is meant: in the lists that bring it and in those that use them. Another situation may have one of the same name.
struct RenameScope {
    /// The lists, by name.
    lists: BTreeSet<String>,
    /// Whether another list has a piece of the name.
    ambiguous: bool,
}

impl RenameScope {
    /// Where the piece that a file names is meant.
    fn new(ruleset: &Ruleset, file: &DataFile, piece: &str) -> RenameScope {
        let all = lists(ruleset);
        let brings = |name: &str| all.get(name).is_some_and(|list| list.pieces.iter().any(|one| one.name == piece));
        let uses = |name: &str| {
            let mut used = vec![name.to_string()];
            let mut next = 0;
            while let Some(list) = used.get(next) {
                let more: Vec<String> =
                    all.get(list).into_iter().flat_map(|list| &list.used_lists).filter(|name| !used.contains(name)).cloned().collect();
                used.extend(more);
                next += 1;
            }
            used
        };
        // A list names its own pieces and those of the lists it uses; a script or a test those of the lists it names.
        let near: Vec<String> = match all.contains_key(file.stem()) && file.is_scenario() {
            true => uses(file.stem()),
            false => all.keys().filter(|name| mentions(file, name)).flat_map(|name| uses(name)).collect(),
        };
        let mut from: BTreeSet<&String> = near.iter().filter(|name| brings(name)).collect();
        if from.is_empty() {
            from = all.keys().filter(|name| brings(name)).collect();
        }
        let lists: BTreeSet<String> = all.keys().filter(|name| uses(name).iter().any(|used| from.contains(used))).cloned().collect();
        let another = all.keys().any(|name| brings(name) && !lists.contains(name));
        RenameScope { lists, ambiguous: another }
    }

    /// Whether the piece may be meant in a file.
    fn contains(&self, file: &DataFile) -> bool {
        match file.is_scenario() {
            true => self.lists.contains(file.stem()),
            false => !self.ambiguous || self.lists.iter().any(|list| mentions(file, list)),
        }
    }
}

/// Whether a file names a list, as a word by itself.
fn mentions(file: &DataFile, list: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    file.text.match_indices(list).any(|(at, _)| !file.text[..at].ends_with(part) && !file.text[at + list.len()..].starts_with(part))
}

/// What a word names that can be called otherwise.
fn symbol_kind(ruleset: &Ruleset, file: &DataFile, word: &WordAt) -> Result<SymbolKind, String> {
    let key = file.key.as_str();
    let own = ruleset.cases.iter().find(|case| case.has_file(key));
    let helper = || own.is_some_and(|case| case.functions.iter().any(|f| f.name == word.text));
    if !word.quoted && key.ends_with(".rhai") && (ruleset.slots.iter().any(|slot| slot.name == word.text) || helper()) {
        return match ruleset.game.procedures.iter().find(|(name, _)| function_name(name) == word.text) {
            Some((name, _)) => Err(format!("`{}` carries out the procedure `{name}`, which the manifest names", word.text)),
            None => Ok(SymbolKind::Function),
        };
    }
    if let Some(case) = own.filter(|case| readings(ruleset, &case.number).contains(&word.text)) {
        return Ok(SymbolKind::Reading(case.number.clone()));
    }
    let full = ruleset.cases.iter().find(|case| {
        let name = word.text.strip_prefix(&case.number).and_then(|rest| rest.strip_prefix('.'));
        name.is_some_and(|name| case.readings.iter().any(|reading| reading.name == name))
    });
    match full {
        Some(case) => Ok(SymbolKind::Reading(case.number.clone())),
        None if lists(ruleset).values().any(|list| list.pieces.iter().any(|piece| piece.name == word.text)) => {
            Ok(SymbolKind::Piece(RenameScope::new(ruleset, file, &word.text)))
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

impl SymbolKind {
    /// Every place where its name stands.
    fn occurrences(&self, project: &mut Project, ruleset: &Ruleset, key: &str, word: &WordAt) -> Vec<(DataFile, Span)> {
        match self {
            SymbolKind::Function => occurrences(project, key, word).into_iter().map(|(file, span, _)| (file, span)).collect(),
            SymbolKind::Piece(scope) => find_occurrences(project, key, &word.text, |file, head, tail| {
                scope.contains(file) && (is_quoted(head, tail) || is_plain_scalar(file, head, tail))
            }),
            SymbolKind::Reading(number) => {
                let name = reading_name(&word.text, number).to_string();
                let of_case = |file: &DataFile| ruleset.cases.iter().any(|case| case.has_file(&file.key) && case.number == *number);
                find_occurrences(project, key, &name, |file, head, tail| {
                    // "8.16.remainder" wherever it is chosen; by its own name in the case.
                    let chosen = head.strip_suffix('.').is_some_and(|head| head.ends_with(number.as_str()));
                    let declared = head.starts_with("//!") && tail.starts_with(':');
                    chosen || of_case(file) && (declared || head.trim_end_matches(['"', '\'']).ends_with("reading("))
                })
            }
        }
    }

    /// Why it can't be called so.
    fn name_conflict(&self, ruleset: &Ruleset, name: &str) -> Option<String> {
        let letters =
            name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match self {
            SymbolKind::Function if !letters => Some(format!("`{name}`: a function is named in letters, digits and underscores")),
            SymbolKind::Function if verbs::is_verb(name) || ruleset.slots.iter().any(|slot| slot.name == name) => {
                Some(format!("there is a function or verb `{name}` already"))
            }
            SymbolKind::Reading(number) if readings(ruleset, number).contains(name) => {
                Some(format!("{number} has a reading `{name}` already"))
            }
            SymbolKind::Piece(scope)
                if lists(ruleset)
                    .iter()
                    .any(|(list, all)| scope.lists.contains(list) && all.pieces.iter().any(|piece| piece.name == name)) =>
            {
                Some(format!("a piece is called `{name}` already"))
            }
            SymbolKind::Reading(_) | SymbolKind::Piece(_)
                if name.is_empty() || name.contains(['"', '\'', ':', '#', ',', '[', ']', '{', '}', '\n']) =>
            {
                Some(format!("`{name}`: a name has no quotes, brackets, commas or colons in it"))
            }
            _ => None,
        }
    }
}

/// The name of a reading without its case.
fn reading_name<'w>(text: &'w str, number: &str) -> &'w str {
    text.strip_prefix(number).and_then(|rest| rest.strip_prefix('.')).unwrap_or(text)
}

/// Where a name stands in the files of a game, told by what stands before and behind it.
fn find_occurrences(project: &mut Project, key: &str, name: &str, meant: impl Fn(&DataFile, &str, &str) -> bool) -> Vec<(DataFile, Span)> {
    let mut found = Vec::new();
    for file in project.game_files(key) {
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
fn is_quoted(head: &str, tail: &str) -> bool {
    ['"', '\''].iter().any(|quote| head.ends_with(*quote) && tail.starts_with(*quote))
}

/// Whether a name stands by itself in YAML, as a value or as a key.
fn is_plain_scalar(file: &DataFile, head: &str, tail: &str) -> bool {
    let (before, behind) = (head.trim_end(), tail.trim_start());
    let opens = before.is_empty() || before.ends_with(['{', '[', ',', '-']) || head.ends_with(": ");
    file.key.ends_with(".yaml") && opens && (behind.is_empty() || behind.starts_with([',', ']', '}', '#', ':']))
}

/// What can be called otherwise at a place, and where its name stands there. Says why not, where it can't be.
pub fn prepare_rename(project: &mut Project, key: &str, at: Position) -> Result<(Range, String), String> {
    let (file, span, name, _) = find_symbol(project, key, at)?;
    Ok((text::range(&file.text, span), name))
}

/// The file and the place of a name, the name, and every place where it stands.
type SymbolUses = (DataFile, Span, String, (SymbolKind, Vec<(DataFile, Span)>));

fn find_symbol(project: &mut Project, key: &str, at: Position) -> Result<SymbolUses, String> {
    let Some((word, file)) = symbol_at(project, key, at) else { return Err("there is no name here".into()) };
    let ruleset = project.ruleset(key).ok_or("this file belongs to no game")?;
    let thing = symbol_kind(&ruleset, &file, &word)?;
    let places = thing.occurrences(project, &ruleset, key, &word);
    if let Some((bound, _)) = places.iter().find(|(file, _)| project.editable_uri(&file.key).is_none()) {
        return Err(format!("`{}` stands in {} too, which is bound into casebook", word.text, bound.key));
    }
    let name = if let SymbolKind::Reading(number) = &thing { reading_name(&word.text, number) } else { &word.text }.to_string();
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
    let (_, _, _, (thing, places)) = find_symbol(project, key, at)?;
    let ruleset = project.ruleset(key).ok_or("this file belongs to no game")?;
    if let Some(why) = thing.name_conflict(&ruleset, name) {
        return Err(why);
    }
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for (file, span) in places {
        if let Some(uri) = project.editable_uri(&file.key) {
            changes.entry(uri).or_default().push(TextEdit { range: text::range(&file.text, span), new_text: name.into() });
        }
    }
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}
