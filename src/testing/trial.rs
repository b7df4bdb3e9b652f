//! Examples are driven here: by the dice and answers they set up themselves, and with exact chances where they ask for them.

use crate::code::machine::Machine;
use crate::code::program::Source;
use crate::code::state::{Counting, Refusal, State, Stop};
use crate::complaint::Complaints;
use crate::odds::count::of_state;
use crate::odds::distribution::answers;
use crate::odds::explore::Bounds;
use crate::ruling::decide::{Decided, Decider};
use crate::ruling::drive::throw;
use crate::situation::board::Board;
use crate::situation::value::Value;
use crate::situation::words::text_of;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Seconds that one chance may take to be counted.
const SECONDS: u64 = 20;

/// How an example ended, if not well.
#[derive(Clone, Debug)]
pub enum Failed {
    /// A rule refused.
    Refused(Refusal),
    /// Something is at fault.
    Broken(Complaints),
}

/// Runs a function or an expression as an example, from a board and with answers to choices.
pub fn run(machine: &mut Machine, source: Source, board: Board, answers: HashMap<String, Value>) -> Result<(Value, State), Failed> {
    machine.manner.example = true;
    let mut state = State::new(board);
    state.hand.answers = answers;
    machine.begin(&mut state, source, Vec::new()).map_err(Failed::Broken)?;
    let ended = go(machine, &mut state);
    machine.manner.example = false;
    ended.map(|value| (value, state))
}

fn go(machine: &mut Machine, state: &mut State) -> Result<Value, Failed> {
    loop {
        match machine.run(state) {
            Stop::Throw(throwing) => {
                let mut dice = std::mem::take(&mut state.hand.dice);
                let thrown = throw(machine, state, &mut dice, &throwing).map_err(Failed::Broken);
                state.hand.dice = dice;
                machine.thrown(state, &throwing, thrown?);
            }
            Stop::Choice(choosing) => {
                let decider = Decider { answers: state.hand.answers.clone(), policies: Arc::default() };
                match decider.decide(machine, state, &choosing).map_err(Failed::Broken)? {
                    Decided::Taken(picked, by) => machine.chosen(state, &choosing, picked, by),
                    Decided::Open(_) => {
                        let what = "best, worst and all are found by going through every chance";
                        return Err(Failed::Broken(machine.complain(state, "choice", what, "choose an option by name")));
                    }
                }
            }
            Stop::Count(counting) => {
                let value = counted(machine, state, &counting).map_err(Failed::Broken)?;
                machine.answer(state, value);
            }
            Stop::Done(value) => return Ok(value),
            Stop::Refused(refusal) => return Err(Failed::Refused(refusal)),
            Stop::Broken(complaints) => return Err(Failed::Broken(complaints)),
        }
    }
}

/// What a closure can come to: the chance of a value, or the mean.
fn counted(machine: &mut Machine, state: &State, counting: &Counting) -> Result<Value, Complaints> {
    let begun = machine.begin_closure(state, &counting.closure)?;
    let decider = Decider { answers: state.hand.answers.clone(), policies: Arc::default() };
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    let end = Instant::now() + Duration::from_secs(SECONDS);
    let trace = machine.trace.take();
    let found = of_state(machine, begun, &decider, &Bounds { end, stop: &never, progress: &quiet });
    machine.trace = trace;
    machine.deadline = Some(end);
    let (root, names) = found?;
    if !crate::odds::count::whole(&root) {
        return Err(machine.complain(state, "limit", format!("this could not be counted in {SECONDS} seconds"), "ask a smaller question"));
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
