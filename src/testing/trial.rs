//! Examples are driven here: by the dice and answers they set up themselves, and with exact chances where they ask for them.

use crate::code::machine::Machine;
use crate::code::program::Source;
use crate::code::state::{Counting, Refusal, State, Stop};
use crate::complaint::Complaints;
use crate::odds::bounds::Bounds;
use crate::odds::count::of_state;
use crate::odds::distribution::answers;
use crate::ruling::decide::{Decided, Decider};
use crate::ruling::drive::throw;
use crate::ruling::resolve::cite;
use crate::situation::board::Board;
use crate::situation::dice::Stream;
use crate::situation::policy::Policies;
use crate::situation::value::Value;
use crate::situation::words::{filled, text_of};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Bytes that what an example counts may take.
const COUNTED: u64 = 256 << 20;

/// How an example ended, if not well.
#[derive(Clone, Debug)]
pub enum Failed {
    /// A rule refused: why, and which cases.
    Refused(String),
    /// Something is at fault.
    Broken(Complaints),
}

/// An example that came to its end.
pub struct Tried {
    /// Its value.
    pub value: Value,
    /// All that it was at its end.
    pub state: State,
    /// Dice it set up that did not fall.
    pub left_over: usize,
    /// Answers it set up that nobody asked for.
    pub unheard: Vec<String>,
}

/// Runs a function or an expression as an example, from a board and with answers to choices.
pub fn run(machine: &mut Machine, source: Source, board: Board, answers: HashMap<String, Value>) -> Result<Tried, Failed> {
    machine.manner.example = true;
    let mut state = State::new(board);
    state.hand.answers = answers;
    let policies = Arc::new(Policies::default());
    let ended = machine.begin(&mut state, source, Vec::new()).map_err(Failed::Broken).and_then(|()| go(machine, &mut state, &policies));
    machine.manner.example = false;
    let value = ended?;
    let asked = policies.asked();
    let heard =
        |given: &str| asked.iter().any(|(what, sides)| given == what || sides.iter().any(|side| given == format!("{side}: {what}")));
    let mut unheard: Vec<String> = state.hand.given.iter().filter(|given| !heard(given)).cloned().collect();
    unheard.sort();
    Ok(Tried { value, left_over: state.hand.unthrown + state.hand.dice.left_over(), unheard, state })
}

fn go(machine: &mut Machine, state: &mut State, policies: &Arc<Policies>) -> Result<Value, Failed> {
    loop {
        match machine.run(state) {
            Stop::Throw(throwing) => {
                let mut dice = std::mem::take(&mut state.hand.dice);
                let thrown = throw(machine, state, &mut dice, &throwing).map_err(Failed::Broken);
                state.hand.dice = dice;
                machine.thrown(state, &throwing, thrown?);
            }
            Stop::Choice(choosing) => {
                let decider = Decider { answers: state.hand.answers.clone(), policies: policies.clone(), ..Decider::default() };
                match decider.decide(machine, state, &choosing).map_err(Failed::Broken)? {
                    Decided::Taken(picked, by) => machine.chosen(state, &choosing, picked, by),
                    Decided::Open(_) => {
                        let what = "best, worst and all are found by going through every chance";
                        return Err(Failed::Broken(machine.complain(state, "choice", what, "choose an option by name")));
                    }
                }
            }
            Stop::Count(counting) => {
                let value = counted(machine, state, &counting, policies).map_err(Failed::Broken)?;
                state.hand.chances.extend(value.text().map(ToString::to_string));
                machine.answer(state, value);
            }
            Stop::Passed => {}
            Stop::Done(value) => return Ok(value),
            Stop::Refused(refusal) => return Err(Failed::Refused(said(&refusal, state, machine))),
            Stop::Broken(complaints) => return Err(Failed::Broken(complaints)),
        }
    }
}

/// A refusal as a person reads it.
fn said(refusal: &Refusal, state: &State, machine: &Machine) -> String {
    let cases: Vec<String> = refusal.cases.iter().map(|case| cite(&machine.program.ruleset, *case)).collect();
    format!("{} [{}]", filled(&refusal.template, &refusal.args, &state.board), cases.join("; "))
}

/// What a closure can come to: the chance of a value, or the mean.
fn counted(machine: &mut Machine, state: &State, counting: &Counting, policies: &Arc<Policies>) -> Result<Value, Complaints> {
    let begun = machine.begin_closure(state, &counting.closure)?;
    let decider = Decider { answers: state.hand.answers.clone(), policies: policies.clone(), ..Decider::default() };
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    // All that an example counts has the time of one run.
    let end = machine.deadline.unwrap_or_else(|| Instant::now() + machine.patience);
    let trace = machine.trace.take();
    let found = of_state(machine, begun, &decider, &Bounds { end, memory: COUNTED, stop: &never, progress: &quiet });
    machine.trace = trace;
    machine.deadline = Some(end);
    let (root, names) = found?;
    if !crate::odds::count::whole(&root) {
        return Err(machine.complain(
            state,
            "limit",
            format!("this could not be counted in {} seconds and {} MB", machine.patience.as_secs(), COUNTED >> 20),
            "ask a smaller question",
        ));
    }
    let distribution = answers(&root, &names);
    match &counting.value {
        Some(value) => Ok(distribution.chance(&text_of(value, &state.board)).to_string().into()),
        None => match distribution.mean() {
            Some(mean) => Ok(mean.to_string().into()),
            None => Err(machine.complain(state, "running", "a mean is of whole numbers", "let the closure return a number")),
        },
    }
}
