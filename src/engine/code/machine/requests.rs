//! Builds the requests for the driver, and unwinds refusals.

use super::Machine;
use super::draws::{card_request, lot_request};
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::code::state::{
    ChoiceRequest, Refusal, RefusalHandler, State, ThrowReading, ThrowRequest,
};
use crate::code::throw_verb::ThrowVerb;
use crate::complaint::DiagnosticCode;
use crate::notation::sums::greatest_divisor;
use crate::notation::{Band, Dice};
use crate::situation::trace::Event;
use crate::situation::value::{HashedText, List, MAX_TEXT_BYTES, Value};
use crate::situation::value_text::text_within;
use std::sync::Arc;

impl Machine {
    /// Unwinds the stack to a refusal handler.
    pub(super) fn unwind(&mut self, state: &mut State, handler: RefusalHandler) {
        while state.frames.len() > handler.frames {
            let Some(frame) = state.frames.pop() else {
                return;
            };
            let answers = self
                .functions
                .get(frame.function as usize)
                .and_then(|code| code.as_ref())
                .is_some_and(|code| code.answer_slot.is_some());
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
pub fn random_request(
    ctx: &mut VerbContext,
    args: &[Value],
    verb: ThrowVerb,
) -> VerbResult<RandomRequest> {
    match verb {
        ThrowVerb::Roll | ThrowVerb::Hits | ThrowVerb::Faces | ThrowVerb::Symbols => {
            throw_request(ctx, args, verb)
        }
        ThrowVerb::Chance => chance_request(ctx, args),
        ThrowVerb::DrawLot => lot_request(ctx, args),
        ThrowVerb::DrawCard | ThrowVerb::DrawCards | ThrowVerb::Peek => {
            card_request(ctx, args, verb)
        }
    }
}

/// Returns a purpose with the one for whom the dice are thrown, if that is given.
fn purpose_of(ctx: &mut VerbContext, purpose: &HashedText, owner: Option<&Value>) -> HashedText {
    match owner {
        Some(owner) => HashedText::from(format!(
            "{purpose}: {}",
            text_within(owner, ctx.board, MAX_TEXT_BYTES)
        )),
        None => purpose.clone(),
    }
}

/// Builds a throw request: dice, for `hits` what counts, purpose, and an optional owner.
fn throw_request(
    ctx: &mut VerbContext,
    args: &[Value],
    verb: ThrowVerb,
) -> VerbResult<RandomRequest> {
    let (dice, remaining) = (&args[0], &args[1..]);
    let (counted, remaining) = match (verb, remaining) {
        (ThrowVerb::Hits, [face, remaining @ ..]) => (Some(face), remaining),
        (_, remaining) => (None, remaining),
    };
    let (Value::Text(text), Some(Value::Text(purpose))) = (dice, remaining.first()) else {
        let kinds: Vec<&str> = args.iter().map(Value::describe_type).collect();
        return fault(
            DiagnosticCode::Running,
            format!(
                "dice and their purpose are texts; these are {}",
                kinds.join(", ")
            ),
            "write roll(\"2d6\", \"what for\")",
        );
    };
    let purpose = purpose_of(ctx, purpose, remaining.get(1));
    let dice = ctx.parse_dice(text)?;
    let reading = match (verb, counted) {
        (_, Some(counted)) => hit_reading(&dice, text, counted)?,
        (ThrowVerb::Faces, _) => ThrowReading::Faces,
        (ThrowVerb::Symbols, _) if dice.shows_words() => ThrowReading::Symbols,
        (ThrowVerb::Symbols, _) => {
            let message = format!(
                "{text} shows {}, which are not symbols",
                dice.describe_faces()
            );
            return fault(
                DiagnosticCode::Notation,
                message,
                "write hits(...) to count a number, or faces(...) for a list of them",
            );
        }
        _ if dice.shows_words() => {
            let message = format!(
                "{text} shows {}, which have no total",
                dice.describe_faces()
            );
            return fault(
                DiagnosticCode::Notation,
                message,
                "write faces(...) for a list of them, or hits(...) to count one of them",
            );
        }
        _ => ThrowReading::Total,
    };
    if reading == ThrowReading::Faces && dice.modifier != 0 {
        let message = format!(
            "`faces` lists the dice of {text}, and there is no total to which {:+} is added",
            dice.modifier
        );
        return fault(
            DiagnosticCode::Notation,
            message,
            "leave it out, and add it to the faces that it changes",
        );
    }
    let request = ThrowRequest {
        dice,
        notation: text.clone(),
        purpose,
        reading,
        drawn: None,
    };
    Ok(match request.dice.dice_count() {
        0 => RandomRequest::Certain(request.read(&[])),
        _ => RandomRequest::Throw(request),
    })
}

/// Returns what `hits` counts: a number or more, a band, or a word of the dice.
fn hit_reading(dice: &Dice, text: &str, counted: &Value) -> VerbResult<ThrowReading> {
    if dice.shows_words() {
        let word = counted.as_text().map_or_else(
            || counted.as_number().unwrap_or(0).to_string(),
            |word| word.to_string(),
        );
        if let Some(index) = dice.symbols().iter().position(|symbol| *symbol == word) {
            return Ok(ThrowReading::Symbol(index as u32));
        }
        let message = format!(
            "{text} never shows `{word}`: it shows {}",
            dice.describe_faces()
        );
        return fault(
            DiagnosticCode::Notation,
            message,
            "write hits(\"3d6\", 5, \"what for\") from a number on, or the word that counts",
        );
    }
    const HELP: &str = "write hits(\"3d6\", 5, \"what for\") for 5 or more, \"..2\" for 2 or less, \"3..4\" for 3 and 4, \"6\" for 6 alone";
    let band = match counted {
        Value::Text(band) => match Band::parse(band) {
            Ok(band) => band,
            Err(_) => {
                return fault(
                    DiagnosticCode::Notation,
                    format!(
                        "{text} never shows `{band}`: it shows {}",
                        dice.describe_faces()
                    ),
                    HELP,
                );
            }
        },
        number => Band {
            low: number.as_number().unwrap_or(0),
            high: i64::MAX,
        },
    };
    // Who means `2 or less` may write it as -2, which every die would reach.
    if band.low < 0 && band.low != i64::MIN && band.low < dice.min_worth() {
        return fault(
            DiagnosticCode::Notation,
            format!(
                "no die of {text} shows {}: it shows {}",
                band.low,
                dice.describe_faces()
            ),
            HELP,
        );
    }
    Ok(ThrowReading::Hits(band))
}

/// Builds the request for something of a given chance: the ways in which it happens, all ways, a purpose, and an optional owner. One die is
/// thrown of as many sides as there are ways.
fn chance_request(ctx: &mut VerbContext, args: &[Value]) -> VerbResult<RandomRequest> {
    let (Some(ways), Some(total)) = (args[0].as_number(), args.get(1).and_then(Value::as_number))
    else {
        let kinds: Vec<&str> = args.iter().map(Value::describe_type).collect();
        let message = format!(
            "a chance is made of two whole numbers; these are {}",
            kinds.join(", ")
        );
        return fault(
            DiagnosticCode::Running,
            message,
            "write chance_of(3, 17, \"what for\") for 3 of 17",
        );
    };
    if total < 1 || !(0..=total).contains(&ways) {
        return fault(
            DiagnosticCode::Dice,
            format!("{ways} of {total} is not a chance"),
            "write chance_of(3, 17): from none to all of at least one",
        );
    }
    if let Some(purpose) = args.get(2).filter(|purpose| purpose.as_text().is_none()) {
        let message = format!(
            "the purpose of a throw is a text; this is {}",
            purpose.describe_type()
        );
        return fault(
            DiagnosticCode::Running,
            message,
            "write chance_of(3, 17, \"what for\")",
        );
    }
    if ways == 0 || ways == total {
        return Ok(RandomRequest::Certain((ways > 0).into()));
    }
    // A die shows what fits in 32 bits.
    let divisor = if u32::try_from(total).is_ok() {
        1
    } else {
        greatest_divisor(total.unsigned_abs(), ways.unsigned_abs()) as i64
    };
    let (Ok(most), Ok(sides)) = (
        u32::try_from(ways / divisor),
        u32::try_from(total / divisor),
    ) else {
        let message = format!("{ways} of {total} is finer than any die");
        return fault(
            DiagnosticCode::Dice,
            message,
            format!(
                "write a chance whose second number is at most {} in lowest terms",
                u32::MAX
            ),
        );
    };
    let purpose = match args.get(2) {
        Some(Value::Text(purpose)) => purpose.clone(),
        _ => HashedText::from(format!("{ways} of {total}")),
    };
    let purpose = purpose_of(ctx, &purpose, args.get(3));
    let (notation, dice) = (
        HashedText::from(format!("1d{sides}")),
        Arc::new(Dice::new(1, sides, 0)),
    );
    Ok(RandomRequest::Throw(ThrowRequest {
        dice,
        notation,
        purpose,
        reading: ThrowReading::AtMost(most),
        drawn: None,
    }))
}

/// Builds a refusal by the running case and the cases that the requirement consulted. Fails if the template has more placeholders than
/// arguments.
pub fn refusal(
    ctx: &mut VerbContext,
    args: &[Value],
    consulted: Vec<usize>,
) -> VerbResult<Refusal> {
    let mut cases = consulted;
    cases.extend(ctx.case.filter(|case| !cases.contains(case)));
    let template = args
        .first()
        .and_then(Value::as_text)
        .cloned()
        .unwrap_or_default();
    let plain = args
        .get(1)
        .map(|args| ctx.expand_records(args))
        .unwrap_or_default();
    let args = plain.as_list().cloned().unwrap_or_default();
    let blank_count = template.matches("{}").count();
    if blank_count > args.len() {
        let (count, are) = (
            args.len(),
            if args.len() == 1 {
                "value is"
            } else {
                "values are"
            },
        );
        return fault(
            DiagnosticCode::Line,
            format!("this line has {blank_count} `{{}}`, and {count} {are} given"),
            "write a value for each, in their order",
        );
    }
    Ok(Refusal {
        template,
        args,
        cases,
    })
}

/// Builds a choice request: side, question, options.
pub fn choice_request(state: &State, args: &[Value]) -> VerbResult<ChoiceRequest> {
    let side = if args[0].is_nothing() {
        HashedText::default()
    } else {
        text_within(&args[0], &state.board, MAX_TEXT_BYTES).into()
    };
    let (Value::Text(question), Value::List(options)) = (&args[1], &args[2]) else {
        let message = format!(
            "`choose` takes a side, a question and a list of options; it was given {} and {}",
            args[1].describe_type(),
            args[2].describe_type()
        );
        return fault(
            DiagnosticCode::Running,
            message,
            "write choose(side, \"question\", [\"one\", \"other\"])",
        );
    };
    if options.is_empty() {
        return fault(
            DiagnosticCode::Choice,
            format!("{side}: {question}: this choice has no options"),
            "offer at least one option",
        );
    }
    Ok(ChoiceRequest {
        side,
        question: question.clone(),
        options: List::clone(options),
    })
}
