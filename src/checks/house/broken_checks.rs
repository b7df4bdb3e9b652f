//! What disagrees with changed rules: pinned interpretations and printed examples that hold, and do not hold any more with what is tried.

use crate::house::trial::{ProgramSource, RulesTrial};
use crate::testing::check::CheckKind;
use crate::testing::suite::{collect, run_check};
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
    /// What comes out otherwise.
    pub why: String,
    /// Its file.
    pub path: String,
    /// The readings that it goes by, each with the way: `1.1.wagons`, `help`.
    #[serde(skip)]
    pub readings: Vec<(String, String)>,
}

/// The end of the path of a file of pinned interpretations.
pub const PINS: &str = "/pins.yaml";

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
        .filter(|check| is_wanted(&check.kind))
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
                .0
                .complaint
                .map(|complaint| complaint.what)
        };
        // A test may be of the own variant: then it holds with what is kept.
        if holds(program(&spec_before)).is_some() {
            continue;
        }
        let after = compile_program(&tried.library, &tried.to);
        broken.extend(holds(after).map(|why| BrokenCheck {
            name: check.initial_outcome.id.clone(),
            why,
            path: check.initial_outcome.path.clone(),
            readings: check.spec.readings.clone(),
        }));
    }
    Ok(broken)
}
