//! Drives a procedure to its end: dice from a stream, choices from whoever answers them.

use crate::code::machine::Machine;
use crate::code::state::{Choosing, Refusal, State, Stop, Throwing};
use crate::complaint::{Complaint, Complaints, Place};
use crate::notation::Dice;
use crate::ruling::decide::{Decided, Decider};
use crate::situation::dice::{NoThrow, Stream, Throw};
use crate::situation::policy::Kind;
use crate::situation::trace::Answered;
use crate::situation::value::Value;
use std::sync::Arc;

/// How a procedure ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It came to its end, with this answer.
    Done(Value),
    /// A rule refused.
    Refused(Refusal),
}

/// Drives a state to its end.
pub fn drive(machine: &mut Machine, state: &mut State, stream: &mut dyn Stream, decider: &Decider) -> Result<Ended, Complaints> {
    loop {
        match machine.run(state) {
            Stop::Throw(throwing) => {
                let throw = throw(machine, state, stream, &throwing)?;
                machine.thrown(state, &throwing, throw);
            }
            Stop::Choice(choosing) => match decider.decide(machine, state, &choosing)? {
                Decided::Taken(picked, by) => machine.chosen(state, &choosing, picked, by),
                Decided::Open(Kind::Random) => {
                    let picked = any_option(machine, state, stream, &choosing)?;
                    machine.chosen(state, &choosing, picked, Answered::Said);
                }
                Decided::Open(_) => return Err(unseen(machine, state, &choosing)),
            },
            Stop::Count(_) => return Err(machine.complain(state, "procedure", "`chance` and `mean` are for examples", "")),
            Stop::Passed => {}
            Stop::Done(value) => return Ok(Ended::Done(value)),
            Stop::Refused(refusal) => return Ok(Ended::Refused(refusal)),
            Stop::Broken(complaints) => return Err(complaints),
        }
    }
}

/// An option of a choice, each as likely as the next.
pub fn any_option(machine: &Machine, state: &State, stream: &mut dyn Stream, choosing: &Choosing) -> Result<usize, Complaints> {
    let dice = Arc::new(Dice { count: 1, sides: choosing.options.len() as u32, shift: 0 });
    let purpose = format!("{}: {}", choosing.side, choosing.what).into();
    let thrown = throw(machine, state, stream, &Throwing { text: dice.to_string().into(), dice, purpose, at_least: None })?;
    Ok(thrown.total.clamp(1, choosing.options.len() as i64) as usize - 1)
}

/// A choice that only a count can make.
pub fn unseen(machine: &Machine, state: &State, choosing: &Choosing) -> Complaints {
    let Choosing { side, what, .. } = choosing;
    let what = format!("{side}: {what}: best, worst and all are found by going through every chance");
    let help = "they are for `casebook odds` where all can be counted; choose first, last, highest, lowest or an option by name";
    machine.complain(state, "choice", what, help)
}

/// Throws dice from a stream.
pub fn throw(machine: &Machine, state: &State, stream: &mut dyn Stream, throwing: &Throwing) -> Result<Throw, Complaints> {
    let Throwing { dice, text, purpose, at_least } = throwing;
    let thrown = match at_least {
        None => stream.throw(dice, purpose),
        Some(face) => stream.count(dice, *face, purpose),
    };
    thrown.map_err(|error| {
        let what = match error {
            NoThrow::TooFew { typed: 0 } => format!("no dice are given for {text}, {purpose}"),
            NoThrow::TooFew { .. } => {
                let left = match stream.left_over() {
                    0 => "none is".into(),
                    1 => "1 is".into(),
                    n => format!("{n} are"),
                };
                let takes = if dice.count == 1 { "one die".into() } else { format!("{} dice", dice.count) };
                format!("{text} for {purpose} takes {takes}; {left} left of those typed in")
            }
            NoThrow::NoFace { face, sides, nth } => {
                format!("die {nth} of those typed in shows {face}; a d{sides} shows 1 to {sides} ({text} for {purpose})")
            }
        };
        machine.complain(state, "dice", what, "type every die singly, in the order thrown: 2d6 takes two")
    })
}

/// Dice that were typed in and not thrown.
pub fn left_over(count: usize) -> Complaint {
    let what = format!("{count} of the dice typed in were not thrown");
    Complaint::new("dice", Place::file("--dice"), what).help("leave them out; `--trace` shows which dice fall")
}
