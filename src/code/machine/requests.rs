//! Builds the requests for the driver, and unwinds refusals.

use super::Machine;
use super::draws::{card_request, lot_request};
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::code::state::{ChoiceRequest, Refusal, RefusalHandler, State, ThrowReading, ThrowRequest};
use crate::code::throw_verb::ThrowVerb;
use crate::complaint::DiagnosticCode;
use crate::notation::Face;
use crate::situation::trace::Event;
use crate::situation::value::{HashedText, List, MAX_TEXT_BYTES, Value};
use crate::situation::value_text::text_within;

impl Machine {
    /// Unwinds the stack to a refusal handler.
    pub(super) fn unwind(&mut self, state: &mut State, handler: RefusalHandler) {
        while state.frames.len() > handler.frames {
            let Some(frame) = state.frames.pop() else { return };
            let answers =
                self.functions.get(frame.function as usize).and_then(|code| code.as_ref()).is_some_and(|code| code.answer_slot.is_some());
            if let (Some(trace), true) = (self.call_trace(), answers) {
                trace.push(Event::Return);
            }
        }
    }
}

/// What a rule gets from chance.
pub enum RandomRequest {
    /// The driver throws or draws.
    Throw(ThrowRequest),
    /// Only this value is possible, so nothing is thrown or drawn.
    Certain(Value),
}

/// Builds the request of a verb that throws dice, or draws cards or lots.
pub fn random_request(ctx: &mut VerbContext, args: &[Value], verb: ThrowVerb) -> VerbResult<RandomRequest> {
    match verb {
        ThrowVerb::Roll | ThrowVerb::Hits | ThrowVerb::Faces => throw_request(ctx, args, verb).map(RandomRequest::Throw),
        ThrowVerb::DrawLot => lot_request(ctx, args),
        ThrowVerb::DrawCard | ThrowVerb::DrawCards | ThrowVerb::Peek => card_request(ctx, args, verb),
    }
}

/// Builds a throw request: dice, for `hits` the lowest number or the word that counts, purpose, and an optional owner.
fn throw_request(ctx: &mut VerbContext, args: &[Value], verb: ThrowVerb) -> VerbResult<ThrowRequest> {
    let (dice, remaining) = (&args[0], &args[1..]);
    let (at_least, remaining) = match (verb, remaining) {
        (ThrowVerb::Hits, [face, remaining @ ..]) => (Some(face), remaining),
        (_, remaining) => (None, remaining),
    };
    let (Value::Text(text), Some(Value::Text(purpose))) = (dice, remaining.first()) else {
        let kinds: Vec<&str> = args.iter().map(Value::describe_type).collect();
        return fault(
            DiagnosticCode::Running,
            format!("dice and their purpose are texts; these are {}", kinds.join(", ")),
            "write roll(\"2d6\", \"what for\")",
        );
    };
    let purpose = match remaining.get(1) {
        Some(owner) => HashedText::from(format!("{purpose}: {}", text_within(owner, ctx.board, MAX_TEXT_BYTES))),
        None => purpose.clone(),
    };
    let dice = ctx.parse_dice(text)?;
    let reading = match at_least {
        None if verb == ThrowVerb::Faces => ThrowReading::Faces,
        None if dice.shows_words() => {
            let what = format!("{text} shows {}, which have no total", dice.describe_faces());
            return fault(DiagnosticCode::Notation, what, "write faces(...) for a list of them, or hits(...) to count one of them");
        }
        None => ThrowReading::Total,
        Some(face) => {
            let face = face.as_text().map_or_else(|| Face::Number(face.as_number().unwrap_or(0)), |word| Face::from(word.as_str()));
            let Some(band) = dice.hit_band(&face) else {
                let what = format!("{text} never shows `{face}`: it shows {}", dice.describe_faces());
                return fault(
                    DiagnosticCode::Notation,
                    what,
                    "write hits(\"3d6\", 5, \"what for\") from a number on, or the word that counts",
                );
            };
            ThrowReading::Hits(band)
        }
    };
    if reading == ThrowReading::Faces && dice.modifier != 0 {
        let what = format!("`faces` lists the dice of {text}, and there is no total to which {:+} is added", dice.modifier);
        return fault(DiagnosticCode::Notation, what, "leave it out, and add it to the faces that it changes");
    }
    Ok(ThrowRequest { dice, notation: text.clone(), purpose, reading, drawn: None })
}

/// Builds a refusal by the running case and the cases that the requirement consulted. Fails if the template has more placeholders than
/// arguments.
pub fn refusal(ctx: &mut VerbContext, args: &[Value], consulted: Vec<usize>) -> VerbResult<Refusal> {
    let mut cases = consulted;
    cases.extend(ctx.case.filter(|case| !cases.contains(case)));
    let template = args.first().and_then(Value::as_text).cloned().unwrap_or_default();
    let plain = args.get(1).map(|args| ctx.expand_records(args)).unwrap_or_default();
    let args = plain.as_list().cloned().unwrap_or_default();
    let blank_count = template.matches("{}").count();
    if blank_count > args.len() {
        let (count, are) = (args.len(), if args.len() == 1 { "value is" } else { "values are" });
        return fault(
            DiagnosticCode::Line,
            format!("this line has {blank_count} `{{}}`, and {count} {are} given"),
            "write a value for each, in their order",
        );
    }
    Ok(Refusal { template, args, cases })
}

/// Builds a choice request: side, question, options.
pub fn choice_request(state: &State, args: &[Value]) -> VerbResult<ChoiceRequest> {
    let side = if args[0].is_nothing() { HashedText::default() } else { text_within(&args[0], &state.board, MAX_TEXT_BYTES).into() };
    let (Value::Text(what), Value::List(options)) = (&args[1], &args[2]) else {
        let what = format!(
            "`choose` takes a side, a question and a list of options; it was given {} and {}",
            args[1].describe_type(),
            args[2].describe_type()
        );
        return fault(DiagnosticCode::Running, what, "write choose(side, \"question\", [\"one\", \"other\"])");
    };
    if options.is_empty() {
        return fault(DiagnosticCode::Choice, format!("{side}: {what}: this choice has no options"), "offer at least one option");
    }
    Ok(ChoiceRequest { side, question: what.clone(), options: List::clone(options) })
}
