//! The changes that a variant keeps, read from its files: what was changed in an editor counts like what was changed on a page.

use crate::author::blanks::blanks;
use crate::author::wording::summary_of;
use crate::house::change::{CellsChange, RuleChange};
use crate::house::table_changes::{describe, file_changes, without_change};
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::data::file::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::value_text::join_words;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A change that a variant keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    /// Its file below the folder of the variant, and of a table what it changes there: `tables/losses.yaml#odds 1:1, die 6 = 0/9`.
    pub id: String,
    /// What it does, as a sentence.
    pub sentence: String,
    /// What it changes.
    pub subject: ChangedSubject,
}

/// What a kept change changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedSubject {
    /// Cells of a table.
    Table(String, Vec<usize>),
    Case(String),
    /// A situation or a list of pieces.
    Scenario(String),
}

/// The texts of files by key; `None` for a file that goes.
pub type ChangedTexts = BTreeMap<String, Option<String>>;

/// Returns the changes of a variant in the order of its files; `below` are the rules that it is laid over.
pub fn kept_changes(library: &Arc<Library>, below: &Ruleset, variant: &str) -> Vec<KeptChange> {
    if !library.variants.contains_key(variant) {
        return Vec::new();
    }
    let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
    let folder = format!("variants/{variant}/");
    let id = |file: &DataFile| file.key.trim_start_matches(&folder).to_string();
    let mut kept = Vec::new();
    for case in &layer.cases {
        let sentence = format!(
            "{} {}: {}",
            case.number,
            case.title,
            describe_case(case, below)
        );
        kept.push(KeptChange {
            id: id(&case.file),
            sentence,
            subject: ChangedSubject::Case(case.number.clone()),
        });
    }
    for (name, files) in &layer.tables {
        let table = below.table(name).ok().flatten();
        for file in files {
            let changes = table.iter().flat_map(|table| {
                file_changes(file, table)
                    .into_iter()
                    .map(move |change| (table, change))
            });
            let before = kept.len();
            kept.extend(changes.map(|(table, change)| KeptChange {
                id: format!("{}#{}", id(file), change.name(table)),
                sentence: describe(table, &change.cells, &change.now, &change.note),
                subject: ChangedSubject::Table(name.clone(), change.cells),
            }));
            if kept.len() == before {
                let title = table
                    .as_ref()
                    .map_or(name.as_str(), |table| table.title.as_str());
                let sentence = format!("{title}: a table of its own");
                kept.push(KeptChange {
                    id: id(file),
                    sentence,
                    subject: ChangedSubject::Table(name.clone(), Vec::new()),
                });
            }
        }
    }
    for (name, file) in &layer.scenarios {
        let sentence = format!("{}: pieces and places", name.replace('-', " "));
        kept.push(KeptChange {
            id: id(file),
            sentence,
            subject: ChangedSubject::Scenario(name.clone()),
        });
    }
    kept
}

/// Says what a case of a variant changes: its own words, or else what its functions answer.
fn describe_case(case: &Case, below: &Ruleset) -> String {
    let mut parts = Vec::new();
    if let Some(layer) = &case.reinstates {
        parts.push(format!("off, as {layer} has it"));
    }
    let text = case.text.trim();
    if !text.is_empty() {
        parts.push(text.trim_end_matches('.').to_string());
        return parts.join("; ");
    }
    let older = |name: &str| {
        let reading = below
            .cases
            .iter()
            .rev()
            .filter(|other| other.number == case.number)
            .flat_map(|other| &other.readings);
        reading
            .into_iter()
            .find(|reading| reading.name == name)
            .and_then(|reading| reading.ways.first())
    };
    for reading in case
        .readings
        .iter()
        .filter(|reading| older(&reading.name) != reading.ways.first())
    {
        parts.extend(
            reading
                .ways
                .first()
                .map(|way| format!("“{}” is read as {way}", reading.name.replace('-', " "))),
        );
    }
    for function in case
        .functions
        .iter()
        .filter(|function| !function.is_example() && !function.in_tests())
    {
        parts.extend(describe_function(
            function,
            older_source(below, case, function).as_deref(),
        ));
    }
    if parts.is_empty() {
        "a case of its own".into()
    } else {
        parts.join("; ")
    }
}

/// Returns the source of the newest older function of a name.
fn older_source(below: &Ruleset, case: &Case, function: &CaseFunction) -> Option<String> {
    let same_case = below
        .cases
        .iter()
        .rev()
        .filter(|other| other.number == case.number);
    let mut functions = same_case.flat_map(|other| &other.functions);
    functions
        .find(|other| other.name == function.name && other.arity() == function.arity())
        .map(|other| other.body.to_string())
}

/// Says what a function answers now; `None` if it answers as before.
fn describe_function(function: &CaseFunction, older: Option<&str>) -> Option<String> {
    let (source, name) = (&*function.body, summary_of(function));
    let inside = source
        .split_once('{')
        .map_or("", |(_, body)| body.trim().trim_end_matches('}').trim());
    let answer = match inside {
        "true" => Some("always yes".to_string()),
        "false" => Some("always no".into()),
        "[]" => Some("never any".into()),
        "!prior()" => Some("the opposite".into()),
        inside => match (
            inside.parse::<i64>(),
            inside
                .strip_prefix("prior() ")
                .map(|rest| rest.replace(' ', "")),
        ) {
            (Ok(number), _) => Some(format!("always {number}")),
            (_, Some(more)) => more.parse::<i64>().ok().map(|more| format!("{more:+}")),
            (Err(_), None) => None,
        },
    };
    if let Some(answer) = answer {
        return Some(format!("{name}: {answer}"));
    }
    let Some(older) = older else {
        return (!function.private).then(|| format!("{name}: new"));
    };
    let values = |source: &str| {
        blanks(source)
            .into_iter()
            .map(|blank| source[blank.range].to_string())
            .collect::<Vec<_>>()
    };
    let (old, new) = (values(older), values(source));
    if old == new && older.trim() == source.trim() {
        return None;
    }
    let changed: Vec<String> = old
        .iter()
        .zip(&new)
        .filter(|(old, new)| old != new && old.len() < 20)
        .map(|(old, new)| format!("{new} instead of {old}"))
        .collect();
    let is_alike = old.len() == new.len() && !changed.is_empty();
    if is_alike {
        Some(format!("{name}: {}", join_words(changed)))
    } else {
        (!function.private).then(|| format!("{name}: answered anew"))
    }
}

/// Returns the files of a variant that change if kept changes are taken out; an id that is not there is left.
pub fn texts_without(
    library: &Library,
    below: &Ruleset,
    variant: &str,
    ids: &[String],
) -> Result<ChangedTexts, Error> {
    let mut texts = ChangedTexts::new();
    let mut split: BTreeSet<(&str, &str)> = BTreeSet::new();
    for id in ids {
        match id.split_once('#') {
            Some((file, name)) => drop(split.insert((file, name))),
            None if library
                .files
                .by_key
                .contains_key(&format!("variants/{variant}/{id}")) =>
            {
                texts.insert(format!("variants/{variant}/{id}"), None);
            }
            None => {}
        }
    }
    for (file, name) in split {
        let key = format!("variants/{variant}/{file}");
        let Some(saved) = library.files.by_key.get(&key) else {
            continue;
        };
        let table = table_of(below, saved)?;
        let present = match texts.get(&key) {
            Some(Some(text)) => DataFile {
                text: text.as_str().into(),
                ..saved.clone()
            },
            Some(None) => continue,
            None => saved.clone(),
        };
        let changes = file_changes(&present, &table);
        if let Some(index) = changes
            .iter()
            .position(|change| change.name(&table) == name)
        {
            texts.insert(key, without_change(&present, &table, index));
        }
    }
    Ok(texts)
}

/// Fails if a kept change is not there any more: its file was changed since it was looked at.
pub fn check_kept(kept: &[KeptChange], variant: &str, ids: &[String]) -> Result<(), Error> {
    match ids.iter().find(|id| kept.iter().all(|one| one.id != **id)) {
        Some(gone) => Err(Error::Usage(format!(
            "`{variant}` has no such change any more ({gone}): its file was changed meanwhile. Look at your rules again, and take back what they show"
        ))),
        None => Ok(()),
    }
}

/// Returns the table below that a file of a variant changes.
pub fn table_of(below: &Ruleset, file: &DataFile) -> Result<Arc<Table>, Error> {
    let id = casebook_engine::data::case::number_from_stem(file.stem());
    below
        .table(&id)
        .map_err(Error::Data)?
        .ok_or_else(|| Error::unknown("table", &id, below.table_names()))
}

/// Returns the change of a variant that was made last: the last one of the file that was written last. `root` is the folder of the data.
pub fn last_change<'k>(
    kept: &'k [KeptChange],
    variant: &str,
    root: &Path,
) -> Option<&'k KeptChange> {
    let file = |change: &KeptChange| change.id.split('#').next().unwrap_or_default().to_string();
    let written = |change: &KeptChange| {
        let path = root.join("variants").join(variant).join(file(change));
        std::fs::metadata(path)
            .and_then(|about| about.modified())
            .ok()
    };
    kept.iter()
        .enumerate()
        .max_by_key(|(index, change)| (written(change), *index))
        .map(|(_, change)| change)
}

/// Returns the kept changes of a variant as changes that can be typed, without those that are off: so that a link shows them to somebody who
/// has not the files. New cases, situations and whole tables can't be said so, and are left out.
pub fn as_changes(
    library: &Arc<Library>,
    below: &Ruleset,
    variant: &str,
    off: &[String],
) -> Vec<RuleChange> {
    let mut changes = Vec::new();
    let is_on = |kept: &KeptChange| !off.contains(&kept.id);
    for kept in kept_changes(library, below, variant)
        .into_iter()
        .filter(is_on)
    {
        match kept.subject {
            ChangedSubject::Table(id, cells) => {
                let Some(table) = below.table(&id).ok().flatten() else {
                    continue;
                };
                let file = kept.id.split('#').next().unwrap_or_default();
                let Some(file) = library
                    .files
                    .by_key
                    .get(&format!("variants/{variant}/{file}"))
                else {
                    continue;
                };
                let Some(change) = file_changes(file, &table)
                    .into_iter()
                    .find(|change| change.cells == cells)
                else {
                    continue;
                };
                let cells = change.cells.iter().zip(&change.now);
                changes.extend(cells.map(|(index, now)| {
                    RuleChange::Cells(CellsChange::of_cell(&table, *index, now))
                }));
            }
            ChangedSubject::Case(number)
                if below.cases.iter().any(|case| case.number == number) =>
            {
                let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
                for case in layer.cases.iter().filter(|case| case.number == number) {
                    changes.extend(fields_of(case).into_iter().map(|(field, value)| {
                        RuleChange::Field {
                            case: number.clone(),
                            field,
                            value,
                        }
                    }));
                }
            }
            _ => {}
        }
    }
    changes
}

/// Returns the fields of its form that make a case of a variant.
fn fields_of(case: &Case) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for function in case
        .functions
        .iter()
        .filter(|function| !function.private && !function.is_example() && !function.in_tests())
    {
        let body = function
            .body
            .split_once('{')
            .and_then(|(_, body)| body.rsplit_once('}'))
            .map_or("", |(body, _)| body.trim_matches('\n'));
        let indent = body
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start().len())
            .min()
            .unwrap_or(0);
        let lines: Vec<&str> = body
            .lines()
            .map(|line| line.get(indent..).unwrap_or_default())
            .collect();
        fields.push((
            format!("body:{}.{}", function.name, function.arity()),
            lines.join("\n"),
        ));
    }
    fields.extend(
        case.reinstates
            .iter()
            .map(|layer| ("back".to_string(), layer.clone())),
    );
    fields.extend(case.readings.iter().filter_map(|reading| {
        Some((
            format!("reading:{}", reading.name),
            reading.ways.first()?.clone(),
        ))
    }));
    if !case.text.trim().is_empty() {
        fields.push(("text".into(), case.text.trim().into()));
    }
    fields
}
