//! Runs a procedure with the dice of a seed.

use crate::odds::outcome_key::{outcome_key, plain};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::State;
use casebook_engine::complaint::Error;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::citations::cite_refusal;
use casebook_engine::ruling::driver::{EndReason, drive};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::SeededDice;

/// The outcomes of one run with the keys of their last values, in the order they were first named.
pub type RunOutcomes = Vec<(String, String)>;

/// Sets an outcome, overwriting its earlier value.
pub fn set_outcome(outcomes: &mut RunOutcomes, name: &str, value: &str) {
    match outcomes.iter_mut().find(|(outcome, _)| outcome == name) {
        Some((_, last)) => *last = value.into(),
        None => outcomes.push((name.into(), value.into())),
    }
}

/// Returns outcomes by which runs of different rulesets are compared: without the quotes of their keys.
pub fn plain_outcomes(outcomes: RunOutcomes) -> RunOutcomes {
    outcomes
        .into_iter()
        .map(|(name, key)| (name, plain(&key).to_string()))
        .collect()
}

/// Returns the outcomes of a refused run, which has none of those named before.
pub fn refused_outcomes(refusal: &str) -> RunOutcomes {
    vec![("refused".into(), refusal.into())]
}

/// Runs a situation with the dice of a seed.
pub fn run_seed(
    machine: &mut Machine,
    situation: &Situation,
    choice_source: &ChoiceSource,
    seed: u64,
) -> Result<RunOutcomes, Error> {
    machine.renew_deadline();
    let state = situation.begin(machine)?;
    run_from(machine, state, choice_source, seed, RunOutcomes::new())
}

/// Resumes a state with the dice of a seed; new outcomes are added to those named before.
pub fn run_from(
    machine: &mut Machine,
    mut state: State,
    choice_source: &ChoiceSource,
    seed: u64,
    mut outcomes: RunOutcomes,
) -> Result<RunOutcomes, Error> {
    machine.renew_deadline();
    let mut dice = SeededDice::new(seed);
    match drive(machine, &mut state, &mut dice, choice_source).map_err(Error::Data)? {
        EndReason::Done(_) => {
            for (name, value) in &state.outcomes {
                set_outcome(&mut outcomes, name, &outcome_key(value, &state.board));
            }
            Ok(outcomes)
        }
        EndReason::Refused(refusal) => Ok(refused_outcomes(&cite_refusal(
            &machine.program.ruleset,
            &refusal,
        ))),
    }
}
