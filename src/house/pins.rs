//! Pinned interpretations: tests of rulings in files `pins.yaml`, which hold, and do not hold any more with what is tried.

use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::house::trial::{ProgramSource, RulesTrial};
use crate::ruleset::compose::RulesetSpec;
use crate::ruleset::diagnostics::build_ruleset;
use crate::testing::check::CheckKind;
use crate::testing::suite::{collect, run_check};
use std::sync::Arc;

/// A pinned interpretation that a change breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenPin {
    /// The sentence that names it.
    pub name: String,
    /// What comes out otherwise.
    pub why: String,
    /// Its file.
    pub path: String,
}

/// The end of the path of a file of pinned interpretations.
pub const PINS: &str = "/pins.yaml";

/// Returns the pinned interpretations that what is tried breaks.
pub fn broken_pins(library: &Arc<Library>, trial: &RulesTrial, program: ProgramSource) -> Result<Vec<BrokenPin>, Error> {
    if !library.files.by_key.keys().any(|key| key.ends_with(PINS)) {
        return Ok(Vec::new());
    }
    let mut broken = Vec::new();
    for check in collect(library, &trial.game, PINS)?.into_iter().filter(|check| matches!(check.kind, CheckKind::RulingTest(..))) {
        let spec_before = RulesetSpec { game: trial.game.clone(), ..check.spec.clone() };
        let Ok(tried) = trial.over(library, &spec_before, program) else { continue };
        let holds = |program: Result<Arc<Program>, Error>| {
            let Ok(program) = program else { return Some(String::new()) };
            run_check(&check, &mut Ok(Machine::new(program)), &mut None).0.complaint.map(|complaint| complaint.what)
        };
        // The test may be of the own variant: then it holds with what is kept.
        if holds(program(&check.spec)).is_some() {
            continue;
        }
        let after = build_ruleset(&tried.library, &tried.to).map(|(ruleset, _)| Arc::new(Program::new(Arc::new(ruleset))));
        broken.extend(holds(after).map(|why| BrokenPin {
            name: check.initial_outcome.id.clone(),
            why,
            path: check.initial_outcome.path.clone(),
        }));
    }
    Ok(broken)
}
