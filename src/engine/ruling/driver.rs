//! Drives a procedure to its end, with dice from a stream and choices from a source.

use crate::code::machine::Machine;
use crate::code::state::{ChoiceRequest, Refusal, State, Stop, ThrowReading, ThrowRequest};
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Place, Remedy};
use crate::notation::Dice;
use crate::ruling::choice_source::{ChoiceResult, ChoiceSource};
use crate::situation::cards::card_value;
use crate::situation::dice::{DiceStream, NoThrow};
use crate::situation::policy::PolicyKind;
use crate::situation::trace::AnswerSource;
use crate::situation::value::Value;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The reason why a procedure ended.
#[derive(Clone, Debug, PartialEq)]
pub enum EndReason {
    /// The procedure returned this value.
    Done(Value),
    /// A rule refused.
    Refused(Refusal),
}

/// A request that dice answer.
pub enum DiceRequest {
    Throw(ThrowRequest),
    /// A choice that a policy resolves uniformly at random.
    RandomOption(ChoiceRequest),
}

impl DiceRequest {
    /// Returns a fingerprint of the request, without the purpose of a throw.
    pub fn fingerprint(&self) -> u64 {
        match self {
            DiceRequest::Throw(request) => request.fingerprint(),
            DiceRequest::RandomOption(request) => request.fingerprint(),
        }
    }

    /// Draws the answer from a stream.
    pub fn draw(
        &self,
        machine: &Machine,
        state: &State,
        stream: &mut dyn DiceStream,
    ) -> Result<Value, Complaints> {
        match self {
            DiceRequest::Throw(request) => {
                Ok(request.read(&throw(machine, state, stream, request)?))
            }
            DiceRequest::RandomOption(request) => {
                Ok(request.options[random_option(machine, state, stream, request)?].clone())
            }
        }
    }
}

/// Runs a state to its next request that dice answer, or to its end. All other choices are answered from the source.
pub fn run_to_dice(
    machine: &mut Machine,
    state: &mut State,
    choice_source: &ChoiceSource,
) -> Result<ControlFlow<EndReason, DiceRequest>, Complaints> {
    loop {
        match machine.run(state) {
            Stop::Throw(request) => return Ok(ControlFlow::Continue(DiceRequest::Throw(request))),
            Stop::Choice(request) => match choice_source.decide(machine, state, &request)? {
                ChoiceResult::Taken(picked, source) => {
                    machine.answer_choice(state, &request, picked, source)
                }
                ChoiceResult::Undecided(PolicyKind::Random) => {
                    return Ok(ControlFlow::Continue(DiceRequest::RandomOption(request)));
                }
                ChoiceResult::Undecided(_) => return Err(needs_count(machine, state, &request)),
            },
            Stop::Count(_) => {
                return Err(machine.complaint_at_stop(
                    state,
                    DiagnosticCode::Procedure,
                    "`chance` and `mean` are for examples",
                    "",
                ));
            }
            Stop::Returned => {}
            Stop::Done(value) => return Ok(ControlFlow::Break(EndReason::Done(value))),
            Stop::Refused(refusal) => return Ok(ControlFlow::Break(EndReason::Refused(refusal))),
            Stop::Failed(complaints) => return Err(complaints),
        }
    }
}

/// Drives a state to its end.
pub fn drive(
    machine: &mut Machine,
    state: &mut State,
    stream: &mut dyn DiceStream,
    choice_source: &ChoiceSource,
) -> Result<EndReason, Complaints> {
    loop {
        match run_to_dice(machine, state, choice_source)? {
            ControlFlow::Break(end) => return Ok(end),
            ControlFlow::Continue(DiceRequest::Throw(request)) => {
                let faces = throw(machine, state, stream, &request)?;
                machine.answer_throw(state, &request, &faces);
            }
            ControlFlow::Continue(DiceRequest::RandomOption(request)) => {
                let picked = random_option(machine, state, stream, &request)?;
                machine.answer_choice(state, &request, picked, AnswerSource::Explicit);
            }
        }
    }
}

/// Returns the index of an option drawn uniformly from the stream.
pub fn random_option(
    machine: &Machine,
    state: &State,
    stream: &mut dyn DiceStream,
    choosing: &ChoiceRequest,
) -> Result<usize, Complaints> {
    let dice = Arc::new(Dice::new(1, choosing.options.len() as u32, 0));
    let purpose = format!("{}: {}", choosing.side, choosing.question).into();
    let throwing = ThrowRequest {
        notation: dice.to_string().into(),
        dice,
        purpose,
        reading: ThrowReading::Total,
        drawn: None,
    };
    let faces = throw(machine, state, stream, &throwing)?;
    Ok((faces[0] as usize).clamp(1, choosing.options.len()) - 1)
}

/// Builds the error for a choice whose policy needs a count of all outcomes.
fn needs_count(machine: &Machine, state: &State, choosing: &ChoiceRequest) -> Complaints {
    let ChoiceRequest { side, question, .. } = choosing;
    let message =
        format!("{side}: {question}: best, worst and all are found by going through every chance");
    let help = "they are for `casebook odds` where all can be counted; choose first, last, highest, lowest or an option by name";
    machine.complaint_at_stop(state, DiagnosticCode::Choice, message, help)
}

/// Throws the requested dice from a stream; returns the side that each die shows.
pub fn throw(
    machine: &Machine,
    state: &State,
    stream: &mut dyn DiceStream,
    throwing: &ThrowRequest,
) -> Result<Vec<u32>, Complaints> {
    let ThrowRequest {
        dice,
        notation: text,
        purpose,
        ..
    } = throwing;
    stream.throw(dice, purpose).map_err(|error| {
        let message = match error {
            NoThrow::TooFew { typed: 0 } => format!("no dice are given for {text}, {purpose}"),
            NoThrow::TooFew { .. } => {
                let unused = match stream.unused_dice() {
                    0 => "none is".into(),
                    1 => "1 is".into(),
                    n => format!("{n} are"),
                };
                let dice_count = dice.dice_count();
                let count = if dice_count == 1 { "one".into() } else { dice_count.to_string() };
                let noun = dice.noun(dice_count.into());
                format!("{text} for {purpose} takes {count} {noun}; {unused} left of those typed in")
            }
            NoThrow::TooFewAgain { missing } => {
                let (are, faces) = if missing == 1 { ("is", "its face is") } else { ("are", "their faces are") };
                format!("{missing} of the dice {are} thrown again, and {faces} not typed after the others ({text} for {purpose})")
            }
            NoThrow::Miscounted { given, wanted } => {
                format!("{text} for {purpose} takes the faces of {wanted} {}; the program gave {given}", dice.noun(wanted as u64))
            }
            NoThrow::InvalidFace { face, position: nth, .. } if throwing.is_draw() => {
                let sides = dice.describe_faces();
                let is_kind = throwing.drawn.as_ref().is_some_and(|drawn| drawn.kinds.contains(&card_value(&face)));
                let is_gone = is_kind || dice.side(&face, &[]).is_some();
                let no = if is_gone { format!("no more {face} is left") } else { format!("there is no {face}") };
                format!("card {nth} of those typed in is {face}, and {no}: {sides} can be drawn ({text} for {purpose})")
            }
            NoThrow::InvalidFace { face, position: nth, sides } => {
                let (die, shown) = (dice.die_title(sides), Dice { sides, ..Dice::clone(dice) }.describe_faces());
                format!("die {nth} of those typed in shows {face}; a {die} shows {shown} ({text} for {purpose})")
            }
        };
        machine.complaint_at_stop(state, DiagnosticCode::Dice, message, "type every die singly, in the order thrown: 2d6 takes two")
    })
}

/// Builds the error for typed dice that no throw used.
pub fn unused_dice(count: usize) -> Complaint {
    let message = format!("the procedure did not throw {count} of the dice typed in");
    Complaint::new(DiagnosticCode::Dice, Place::whole_file("(dice)"), message)
        .with_help("leave them out")
        .with_remedy(Remedy::ShowTrace)
}
