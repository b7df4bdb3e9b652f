//! What disagrees with changed rules: pinned interpretations and printed examples that hold, and do not hold any more with what is tried.

use crate::house::effect::is_over_kept;
use crate::house::trial::{ProgramSource, RulesTrial};
use crate::testing::check::{Check, CheckKind};
use crate::testing::suite::{PINS, collect, run_check};
use crate::testing::trials::compile_program;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A check that a change breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenCheck {
    /// The sentence or the statement that names it.
    pub name: String,
    /// The case or table that it is about, with its title; empty for a ruling.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// What the example is called, or the question that is asked; empty for a ruling.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub example: String,
    /// How the case or table is cited; empty for a ruling.
    #[serde(skip)]
    pub cite: String,
    /// What comes out otherwise.
    pub why: String,
    /// Its file.
    pub path: String,
    /// The readings that it goes by, each with the way: `1.1.wagons`, `help`.
    #[serde(skip)]
    pub readings: Vec<(String, String)>,
}

impl BrokenCheck {
    fn new(check: &Check, ruleset: &Ruleset, why: String) -> BrokenCheck {
        let (cite, about) = subject_of(check, ruleset).unwrap_or_default();
        let outcome = &check.initial_outcome;
        let example = match &check.kind {
            CheckKind::Example(..) => outcome
                .name
                .trim_start_matches("example_")
                .replace('_', " "),
            CheckKind::Question(..) => outcome.name.clone(),
            _ => String::new(),
        };
        BrokenCheck {
            name: outcome.id.clone(),
            about,
            example,
            cite,
            why,
            path: outcome.path.clone(),
            readings: check.spec.readings.clone(),
        }
    }

    /// Returns what it is, in words: the example or the question, and the statement that it is from.
    pub fn in_words(&self) -> String {
        match &*self.example {
            "" => self.name.clone(),
            example if *self.name == *example || self.name.starts_with("example_") => {
                format!("“{example}”")
            }
            example => format!("“{example}” ({})", self.name),
        }
    }
}

/// Returns how the case or table of a check is cited, and what it is called.
fn subject_of(check: &Check, ruleset: &Ruleset) -> Option<(String, String)> {
    let named = |number: &str, title: &str| match number.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("{number} {title}"),
        false => title.into(),
    };
    match &check.kind {
        CheckKind::Example(case, _) => {
            Some((case.number.clone(), named(&case.number, &case.title)))
        }
        CheckKind::Question(question) => {
            let layers = ruleset.layers.iter();
            let mut files = layers.flat_map(|layer| &layer.tables);
            let (id, _) = files.find(|(_, files)| {
                let mut paths = files.iter().map(|file| &file.path);
                paths.any(|path| *path == question.file.path)
            })?;
            let table = ruleset.table(id).ok()??;
            Some((format!("table {id}"), named(id, &table.title)))
        }
        _ => None,
    }
}

/// Returns the pinned interpretations that what is tried breaks: tests of rulings in files `pins.yaml`.
pub fn broken_pins(
    library: &Arc<Library>,
    trial: &RulesTrial,
    program: ProgramSource,
) -> Result<Vec<BrokenCheck>, Error> {
    match library.files.by_key.keys().any(|key| key.ends_with(PINS)) {
        true => broken_checks(library, trial, program, PINS, |kind| {
            matches!(kind, CheckKind::RulingTest(..))
        }),
        false => Ok(Vec::new()),
    }
}

/// Returns the examples of the sources that what is tried contradicts: those beside the tables and cases that are changed.
pub fn contradicted_examples(
    library: &Arc<Library>,
    trial: &RulesTrial,
    below: &Ruleset,
    program: ProgramSource,
) -> Result<Vec<BrokenCheck>, Error> {
    let parts = trial.parts(library, below);
    let mut tables: BTreeSet<String> = parts.cells.into_iter().map(|(table, _)| table).collect();
    let mut cases = parts.cases;
    if library.variants.contains_key(&trial.variant) {
        let layer = library.layer(
            &below.game,
            Some(&trial.variant),
            &mut Complaints::default(),
        );
        tables.extend(layer.tables.keys().cloned());
        cases.extend(layer.cases.iter().map(|case| case.number.clone()));
    }
    let table_paths = tables
        .iter()
        .filter_map(|id| Some(below.table(id).ok()??.file.path.clone()));
    let case_paths = below
        .cases
        .iter()
        .filter(|case| cases.contains(&case.number))
        .map(|case| case.file.path.clone());
    let mut broken = Vec::new();
    for path in table_paths.chain(case_paths).collect::<BTreeSet<String>>() {
        broken.extend(broken_checks(library, trial, program, &path, |kind| {
            matches!(kind, CheckKind::Example(..) | CheckKind::Question(..))
        })?);
    }
    Ok(broken)
}

/// Returns the checks of a kind, in files whose path contains a text, that hold without what is tried and do not hold with it.
fn broken_checks(
    library: &Arc<Library>,
    trial: &RulesTrial,
    program: ProgramSource,
    filter: &str,
    is_wanted: fn(&CheckKind) -> bool,
) -> Result<Vec<BrokenCheck>, Error> {
    let mut broken = Vec::new();
    for check in collect(library, &trial.game, filter)?
        .into_iter()
        .filter(|check| is_wanted(&check.kind) && check.added_variant.is_none())
    {
        let spec_before = RulesetSpec {
            game: trial.game.clone(),
            ..check.spec.clone()
        };
        let Ok(tried) = trial.over(library, &spec_before, program) else {
            continue;
        };
        let holds = |program: Result<Arc<Program>, Error>| {
            let Ok(program) = program else {
                return Some(String::new());
            };
            run_check(&check, &mut Ok(Machine::new(program)), None)
                .complaint
                .map(|complaint| complaint.message)
        };
        // A test may be of the own variant: then it holds with what is kept. What is kept contradicts nothing anew.
        let is_over_kept = is_over_kept(&tried.from, &trial.variant);
        let before = if is_over_kept {
            &tried.from
        } else {
            &spec_before
        };
        let Ok(before) = program(before) else {
            continue;
        };
        if holds(Ok(before.clone())).is_some() {
            continue;
        }
        let after = compile_program(&tried.library, &tried.to);
        broken.extend(holds(after).map(|why| BrokenCheck::new(&check, &before.ruleset, why)));
    }
    Ok(broken)
}
