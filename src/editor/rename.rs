//! Renames functions of cases, helpers, readings and pieces in all files of a game.

use crate::project::Project;
use crate::symbols::{occurrences, symbol_at};
use crate::text::{self, WordAt};
use casebook_engine::code::verbs;
use casebook_engine::complaint::{Complaints, Span};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::manifest::function_name;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::ruleset::compose::Ruleset;
use lsp_types::{Position, Range, TextEdit, Uri, WorkspaceEdit};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Kind of symbol that a name refers to.
enum SymbolKind {
    /// Function of a case, or helper of a file.
    Function,
    /// Reading of the case with this number.
    Reading(String),
    /// Piece, with the files in which its name refers to it.
    Piece(RenameScope),
}

/// Files in which a name refers to one piece; unrelated situations may have another piece of the same name.
struct RenameScope {
    /// Names of the lists that contain or use the piece.
    lists: BTreeSet<String>,
    /// Whether an unrelated list has a piece of the same name.
    ambiguous: bool,
}

impl RenameScope {
    /// Returns the scope of the piece that a file names.
    fn new(ruleset: &Ruleset, file: &DataFile, piece: &str) -> RenameScope {
        let all_lists = lists(ruleset);
        let has_piece = |name: &str| {
            all_lists
                .get(name)
                .is_some_and(|list| list.pieces.iter().any(|entry| entry.name == piece))
        };
        let uses = |name: &str| {
            let mut used = vec![name.to_string()];
            let mut next = 0;
            while let Some(list) = used.get(next) {
                let nested_lists: Vec<String> = all_lists
                    .get(list)
                    .into_iter()
                    .flat_map(|list| &list.used_lists)
                    .filter(|name| !used.contains(name))
                    .cloned()
                    .collect();
                used.extend(nested_lists);
                next += 1;
            }
            used
        };
        // A list refers to its own pieces and those of the lists it uses; a script or a test refers to the lists it mentions.
        let referred: Vec<String> = match all_lists.contains_key(file.stem()) && file.is_scenario()
        {
            true => uses(file.stem()),
            false => all_lists
                .keys()
                .filter(|name| mentions(file, name))
                .flat_map(|name| uses(name))
                .collect(),
        };
        let mut owners: BTreeSet<&String> =
            referred.iter().filter(|name| has_piece(name)).collect();
        if owners.is_empty() {
            owners = all_lists.keys().filter(|name| has_piece(name)).collect();
        }
        let lists: BTreeSet<String> = all_lists
            .keys()
            .filter(|name| uses(name).iter().any(|used| owners.contains(used)))
            .cloned()
            .collect();
        let is_ambiguous = all_lists
            .keys()
            .any(|name| has_piece(name) && !lists.contains(name));
        RenameScope {
            lists,
            ambiguous: is_ambiguous,
        }
    }

    /// Returns whether a list of the scope has a piece of this name.
    fn has_piece(&self, ruleset: &Ruleset, name: &str) -> bool {
        let lists = lists(ruleset);
        lists.iter().any(|(list, scenario)| {
            self.lists.contains(list) && scenario.pieces.iter().any(|piece| piece.name == name)
        })
    }

    /// Returns whether the name may refer to the piece in a file.
    fn contains(&self, file: &DataFile) -> bool {
        match file.is_scenario() {
            true => self.lists.contains(file.stem()),
            false => !self.ambiguous || self.lists.iter().any(|list| mentions(file, list)),
        }
    }
}

/// Returns whether a file contains the name of a list as a whole word.
fn mentions(file: &DataFile, list: &str) -> bool {
    let is_name_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    file.text.match_indices(list).any(|(at, _)| {
        !file.text[..at].ends_with(is_name_part)
            && !file.text[at + list.len()..].starts_with(is_name_part)
    })
}

/// Returns the kind of symbol a word refers to, or the reason why it cannot be renamed.
fn symbol_kind(ruleset: &Ruleset, file: &DataFile, word: &WordAt) -> Result<SymbolKind, String> {
    let key = file.key.as_str();
    let file_case = ruleset.cases.iter().find(|case| case.has_file(key));
    let helper =
        || file_case.is_some_and(|case| case.functions.iter().any(|f| f.name == word.text));
    if !word.quoted
        && key.ends_with(".rhai")
        && (ruleset.slots.iter().any(|slot| slot.name == word.text) || helper())
    {
        return match ruleset
            .game
            .procedures
            .iter()
            .find(|(name, _)| function_name(name) == word.text)
        {
            Some((name, _)) => Err(format!(
                "`{}` carries out the procedure `{name}`, which the manifest names",
                word.text
            )),
            None => Ok(SymbolKind::Function),
        };
    }
    if let Some(case) =
        file_case.filter(|case| readings(ruleset, &case.number).contains(&word.text))
    {
        return Ok(SymbolKind::Reading(case.number.clone()));
    }
    let full = ruleset.cases.iter().find(|case| {
        let name = word
            .text
            .strip_prefix(&case.number)
            .and_then(|rest| rest.strip_prefix('.'));
        name.is_some_and(|name| case.readings.iter().any(|reading| reading.name == name))
    });
    match full {
        Some(case) => Ok(SymbolKind::Reading(case.number.clone())),
        None if lists(ruleset)
            .values()
            .any(|list| list.pieces.iter().any(|piece| piece.name == word.text)) =>
        {
            Ok(SymbolKind::Piece(RenameScope::new(
                ruleset, file, &word.text,
            )))
        }
        None => Err(format!(
            "`{}` is not a function of a case, a reading or a piece",
            word.text
        )),
    }
}

/// Returns the names of the readings of a case, in all layers.
fn readings(ruleset: &Ruleset, number: &str) -> BTreeSet<String> {
    ruleset
        .cases
        .iter()
        .filter(|case| case.number == number)
        .flat_map(|case| &case.readings)
        .map(|reading| reading.name.clone())
        .collect()
}

/// Returns every list of pieces of the game, by name.
fn lists(ruleset: &Ruleset) -> BTreeMap<String, Arc<Scenario>> {
    let mut ignored = Complaints::default();
    ruleset
        .scenario_names()
        .into_iter()
        .filter_map(|name| {
            Some((
                name.to_string(),
                ruleset.stack_scenario(name, &mut ignored)?,
            ))
        })
        .collect()
}

impl SymbolKind {
    /// Returns every occurrence of the name.
    fn occurrences(
        &self,
        project: &mut Project,
        ruleset: &Ruleset,
        key: &str,
        word: &WordAt,
    ) -> Vec<(DataFile, Span)> {
        match self {
            SymbolKind::Function => occurrences(project, key, word)
                .into_iter()
                .map(|found| (found.file, found.span))
                .collect(),
            SymbolKind::Piece(scope) => {
                find_occurrences(project, key, &word.text, |file, head, tail| {
                    scope.contains(file)
                        && (is_quoted(head, tail) || is_plain_scalar(file, head, tail))
                })
            }
            SymbolKind::Reading(number) => {
                let name = reading_name(&word.text, number).to_string();
                let of_case = |file: &DataFile| {
                    ruleset
                        .cases
                        .iter()
                        .any(|case| case.has_file(&file.key) && case.number == *number)
                };
                find_occurrences(project, key, &name, |file, head, tail| {
                    // A reading is named "8.16.remainder" where it is chosen, and `remainder` within its own case.
                    let chosen = head
                        .strip_suffix('.')
                        .is_some_and(|head| head.ends_with(number.as_str()));
                    let declared = head.starts_with("//!") && tail.starts_with(':');
                    chosen
                        || of_case(file)
                            && (declared
                                || head.trim_end_matches(['"', '\'']).ends_with("reading("))
                })
            }
        }
    }

    /// Returns the reason why the symbol cannot take this name, or `None` if it can.
    fn name_conflict(&self, ruleset: &Ruleset, name: &str) -> Option<String> {
        let letters = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match self {
            SymbolKind::Function if !letters => Some(format!(
                "`{name}`: a function is named in letters, digits and underscores"
            )),
            SymbolKind::Function
                if verbs::is_verb(name) || ruleset.slots.iter().any(|slot| slot.name == name) =>
            {
                Some(format!("there is a function or verb `{name}` already"))
            }
            SymbolKind::Reading(number) if readings(ruleset, number).contains(name) => {
                Some(format!("{number} has a reading `{name}` already"))
            }
            SymbolKind::Piece(scope) if scope.has_piece(ruleset, name) => {
                Some(format!("a piece named `{name}` already exists"))
            }
            SymbolKind::Reading(_) | SymbolKind::Piece(_)
                if name.is_empty()
                    || name.contains(['"', '\'', ':', '#', ',', '[', ']', '{', '}', '\n']) =>
            {
                Some(format!(
                    "`{name}`: a name has no quotes, brackets, commas or colons in it"
                ))
            }
            _ => None,
        }
    }
}

/// Returns the name of a reading without the number of its case.
fn reading_name<'w>(text: &'w str, number: &str) -> &'w str {
    text.strip_prefix(number)
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(text)
}

/// Returns the occurrences of a name in the files of a game for which `refers` accepts the text before and after them.
fn find_occurrences(
    project: &mut Project,
    key: &str,
    name: &str,
    refers: impl Fn(&DataFile, &str, &str) -> bool,
) -> Vec<(DataFile, Span)> {
    let mut occurrences = Vec::new();
    for file in project.game_files(key) {
        for (number, line) in file.text.lines().enumerate() {
            for (at, _) in line.match_indices(name) {
                if refers(&file, &line[..at], &line[at + name.len()..]) {
                    let span = Span {
                        line: number + 1,
                        column: line[..at].chars().count() + 1,
                        length: name.chars().count(),
                    };
                    occurrences.push((file.clone(), span));
                }
            }
        }
    }
    occurrences
}

/// Returns whether a name fills a quoted string.
fn is_quoted(head: &str, tail: &str) -> bool {
    ['"', '\'']
        .iter()
        .any(|quote| head.ends_with(*quote) && tail.starts_with(*quote))
}

/// Returns whether a name is a whole plain scalar in YAML, as a value or a key.
fn is_plain_scalar(file: &DataFile, head: &str, tail: &str) -> bool {
    let (before, behind) = (head.trim_end(), tail.trim_start());
    let opens = before.is_empty() || before.ends_with(['{', '[', ',', '-']) || head.ends_with(": ");
    file.key.ends_with(".yaml")
        && opens
        && (behind.is_empty() || behind.starts_with([',', ']', '}', '#', ':']))
}

/// A name at a position, with everything that it names.
struct RenameTarget {
    file: DataFile,
    span: Span,
    name: String,
    symbol: SymbolKind,
    /// All occurrences of the name.
    places: Vec<(DataFile, Span)>,
}

/// Returns the range and the text of the name at a position, or the reason why it cannot be renamed.
pub fn prepare_rename(
    project: &mut Project,
    key: &str,
    at: Position,
) -> Result<(Range, String), String> {
    let target = find_target(project, key, at)?;
    Ok((text::range(&target.file.text, target.span), target.name))
}

fn find_target(project: &mut Project, key: &str, at: Position) -> Result<RenameTarget, String> {
    let Some((word, file)) = symbol_at(project, key, at) else {
        return Err("there is no name here".into());
    };
    let ruleset = project.ruleset(key).ok_or("this file belongs to no game")?;
    let symbol = symbol_kind(&ruleset, &file, &word)?;
    let places = symbol.occurrences(project, &ruleset, key, &word);
    if let Some((embedded_file, _)) = places
        .iter()
        .find(|(file, _)| project.editable_uri(&file.key).is_none())
    {
        return Err(format!(
            "`{}` is also in {}, which is built into casebook",
            word.text, embedded_file.key
        ));
    }
    let name = if let SymbolKind::Reading(number) = &symbol {
        reading_name(&word.text, number)
    } else {
        &word.text
    }
    .to_string();
    let behind = word.text.chars().count() - name.chars().count();
    let span = Span {
        column: word.span.column + behind,
        length: name.chars().count(),
        ..word.span
    };
    Ok(RenameTarget {
        file,
        span,
        name,
        symbol,
        places,
    })
}

/// Renames the symbol at a position everywhere. Reloads the saved files first, because not every editor reports external
/// changes and a missed occurrence would break the game.
// The protocol uses URIs as map keys.
#[allow(clippy::mutable_key_type)]
pub fn rename(
    project: &mut Project,
    key: &str,
    at: Position,
    name: &str,
) -> Result<WorkspaceEdit, String> {
    project.reload();
    let RenameTarget { symbol, places, .. } = find_target(project, key, at)?;
    let ruleset = project.ruleset(key).ok_or("this file belongs to no game")?;
    if let Some(conflict) = symbol.name_conflict(&ruleset, name) {
        return Err(conflict);
    }
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for (file, span) in places {
        if let Some(uri) = project.editable_uri(&file.key) {
            changes.entry(uri).or_default().push(TextEdit {
                range: text::range(&file.text, span),
                new_text: name.into(),
            });
        }
    }
    Ok(WorkspaceEdit {
        changes: Some(changes),
        ..WorkspaceEdit::default()
    })
}
