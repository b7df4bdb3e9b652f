//! The changes that a variant keeps, read from its files: what was changed in an editor counts like what was changed on a page.

use crate::author::blanks::{BlankKind, blanks};
use crate::author::case_text::function_key;
use crate::author::made_recipes::{MadeFunction, answer_recipe};
use crate::author::shares::share_in;
use crate::house::case_parts::{CasePart, are_apart, case_parts, older_function, without_part};
use crate::house::change::{CellsChange, RuleChange};
use crate::house::table_changes::{
    cells_in_force, covered_in_words, describe, file_changes, without_change,
};
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::case::{Case, CaseFunction, CaseKind};
use casebook_engine::data::file::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::Ruleset;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A change that a variant keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    /// Its file below the folder of the variant, and where the file holds more than one what it changes: `tables/losses.yaml#odds 1:1, die 6 = 0/9`.
    pub id: String,
    /// What it does, as a sentence.
    pub sentence: String,
    /// What it changes.
    pub subject: ChangedSubject,
    /// The change that makes it by a recipe, if one made it.
    pub recipe: Option<RuleChange>,
    /// What that recipe said before it was edited, the oldest first.
    pub earlier: Vec<String>,
    /// Whether something was written for it in a script, which is nowhere else.
    pub is_written: bool,
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
        let parts = case_parts(case, below);
        let as_change = |(field, value): (String, String)| RuleChange::Field {
            case: case.number.clone(),
            field,
            value,
        };
        let earlier = |recipe: &Option<(String, String)>| {
            let known = |(field, _): &(String, String)| {
                let mut all = case.earlier.iter();
                all.find(|(other, _)| other == field)
            };
            let found = recipe.as_ref().and_then(known);
            found.map_or_else(Vec::new, |(_, values)| values.clone())
        };
        let keep = |id: String, what: String| KeptChange {
            id,
            sentence: format!("{} {}: {what}", case.number, case.title),
            subject: ChangedSubject::Case(case.number.clone()),
            recipe: None,
            earlier: Vec::new(),
            is_written: false,
        };
        if are_apart(case, &parts) {
            kept.extend(parts.into_iter().map(|part| {
                let said = case.text.trim().trim_end_matches('.');
                let what = match said {
                    "" => part.sentence,
                    _ => format!("{said} ({})", part.sentence),
                };
                KeptChange {
                    earlier: earlier(&part.recipe),
                    recipe: part.recipe.map(as_change),
                    is_written: part.is_written,
                    ..keep(format!("{}#{}", id(&case.file), part.name), what)
                }
            }));
            continue;
        }
        let recipe = match &parts[..] {
            [one] => one.recipe.clone(),
            _ => None,
        };
        let mut functions = case.functions.iter();
        let is_written = case.kind == CaseKind::NewCase
            || parts.iter().any(|part| part.is_written)
            || functions.any(|function| function.is_example() || function.in_tests());
        kept.push(KeptChange {
            earlier: earlier(&recipe),
            recipe: recipe.map(as_change),
            is_written,
            ..keep(id(&case.file), describe_case(case, parts))
        });
    }
    for (name, files) in &layer.tables {
        let table = below.table(name).ok().flatten();
        for file in files {
            let before = kept.len();
            if let Some(table) = &table {
                let changes = file_changes(file, table);
                kept.extend(changes.iter().enumerate().map(|(index, change)| {
                    let what = describe(table, &change.cells, &change.now, &change.note);
                    let covered = covered_in_words(&changes, index, table);
                    let covered = covered.map_or(String::new(), |words| format!(" ({words})"));
                    KeptChange {
                        id: format!("{}#{}", id(file), change.name(table)),
                        sentence: what + covered.as_str(),
                        subject: ChangedSubject::Table(name.clone(), change.cells.clone()),
                        recipe: None,
                        earlier: Vec::new(),
                        is_written: false,
                    }
                }));
            }
            if kept.len() == before {
                let title = table
                    .as_ref()
                    .map_or(name.as_str(), |table| table.title.as_str());
                let sentence = format!("{title}: a table of its own");
                kept.push(KeptChange {
                    id: id(file),
                    sentence,
                    subject: ChangedSubject::Table(name.clone(), Vec::new()),
                    recipe: None,
                    earlier: Vec::new(),
                    is_written: false,
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
            recipe: None,
            earlier: Vec::new(),
            is_written: false,
        });
    }
    kept
}

/// Says what a case of a variant changes as a whole: its own words, or else what its parts do.
fn describe_case(case: &Case, parts: Vec<CasePart>) -> String {
    let text = case.text.trim().trim_end_matches('.');
    let older = case.reinstates.as_ref();
    if !text.is_empty() {
        let older = older.map(|layer| format!("as {layer} has it; "));
        return format!("{}{text}", older.unwrap_or_default());
    }
    if parts.is_empty() {
        return "a case of its own".into();
    }
    let sentences: Vec<String> = parts.into_iter().map(|part| part.sentence).collect();
    sentences.join("; ")
}

/// Returns the files of a variant that change if kept changes are taken out; an id that is not there is left.
pub fn texts_without(
    library: &Arc<Library>,
    below: &Ruleset,
    variant: &str,
    ids: &[String],
) -> Result<ChangedTexts, Error> {
    let mut texts = ChangedTexts::new();
    for id in ids {
        let (file, name) = match id.split_once('#') {
            Some((file, name)) => (file, Some(name)),
            None => (id.as_str(), None),
        };
        let key = format!("variants/{variant}/{file}");
        let Some(saved) = library.files.by_key.get(&key) else {
            continue;
        };
        let present = match texts.get(&key) {
            Some(Some(text)) => DataFile {
                text: text.as_str().into(),
                ..saved.clone()
            },
            Some(None) => continue,
            None => saved.clone(),
        };
        let left = match name {
            None => Some(None),
            Some(name) if file.ends_with(".rhai") => {
                let library = Arc::new(library.with_variant_files(variant, &texts));
                let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
                let case = layer.cases.iter().find(|case| case.file.key == key);
                case.and_then(|case| {
                    let parts = case_parts(case, below);
                    let part = parts.iter().find(|part| part.name == name)?;
                    Some(without_part(case, below, part))
                })
            }
            Some(name) => {
                let table = table_of(below, &present)?;
                let mut changes = file_changes(&present, &table).into_iter();
                let index = changes.position(|change| change.name(&table) == name);
                index.map(|index| without_change(&present, &table, index))
            }
        };
        if let Some(left) = left {
            texts.insert(key, left);
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
    let Ok(without) = texts_without(library, below, variant, off) else {
        return Vec::new();
    };
    let library = &Arc::new(library.with_variant_files(variant, &without));
    let (mut changes, mut cases) = (Vec::new(), BTreeSet::new());
    for kept in kept_changes(library, below, variant) {
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
                let all = file_changes(file, &table);
                let Some(index) = all.iter().position(|change| change.cells == cells) else {
                    continue;
                };
                let in_force = cells_in_force(&all, index);
                let cells = all[index].cells.iter().zip(&all[index].now);
                let cells = cells.filter(|(index, _)| in_force.contains(index));
                changes.extend(cells.map(|(index, now)| {
                    RuleChange::Cells(CellsChange::of_cell(&table, *index, now))
                }));
            }
            ChangedSubject::Case(number)
                if below.cases.iter().any(|case| case.number == number)
                    && cases.insert(number.clone()) =>
            {
                let layer = library.layer(&below.game, Some(variant), &mut Complaints::default());
                for case in layer.cases.iter().filter(|case| case.number == number) {
                    changes.extend(fields_of(case, below).into_iter().map(|(field, value)| {
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

/// Returns the fields of its form that make a case of a variant: figures and recipes where it is made of them, else what it answers.
fn fields_of(case: &Case, below: &Ruleset) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for function in case
        .functions
        .iter()
        .filter(|function| !function.private && !function.is_example() && !function.in_tests())
    {
        let key = function_key(function);
        let made = made_fields(&key, function, older_function(below, case, &key));
        if let Some(made) = made {
            fields.extend(made);
            continue;
        }
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
        fields.push((format!("body:{key}"), lines.join("\n")));
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

/// Returns the fields of figures and recipes that make a function; `None` if more was done to it, or two recipes have the same field.
fn made_fields(
    key: &str,
    function: &CaseFunction,
    older: Option<&CaseFunction>,
) -> Option<BTreeMap<String, String>> {
    if let Some(recipe) = answer_recipe(function) {
        return Some([(recipe.field(key), recipe.value())].into());
    }
    let made = MadeFunction::read(key, &function.body, older?)?;
    let places = blanks(&made.older.body);
    let figures = made.told_figures().into_iter().map(|(index, was, now)| {
        let value = match (places[index].kind, now) {
            (BlankKind::Condition, "true") => "always",
            (BlankKind::Condition, "false") => "never",
            (BlankKind::Condition, now) if now == format!("!({was})") => "opposite",
            // A condition that was written anew is said by the script alone.
            (BlankKind::Condition, _) => return None,
            (BlankKind::Share, now) => return Some((format!("in:{key}:{index}"), share_in(now)?)),
            _ => now,
        };
        Some((format!("in:{key}:{index}"), value.to_string()))
    });
    let figures: Vec<(String, String)> = figures.collect::<Option<_>>()?;
    let recipes = made.recipes.iter();
    let recipes = recipes.map(|recipe| (recipe.field(key), recipe.value()));
    let all: Vec<(String, String)> = figures.into_iter().chain(recipes).collect();
    let count = all.len();
    let fields: BTreeMap<String, String> = all.into_iter().collect();
    (count > 0 && fields.len() == count).then_some(fields)
}
