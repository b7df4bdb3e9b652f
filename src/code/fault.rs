//! What went wrong in a script, as its author reads it: the file, the line, the case, the remedy.

use crate::complaint::{Complaint, Complaints, Place, Span};
use crate::data::case::Case;
use crate::situation::session::Fault;
use rhai::{EvalAltResult, Position};

/// Rhai operations that one run may take, over all the cases it asks.
pub const OPERATIONS: u64 = 5_000_000;
/// Seconds that one run may take.
pub const SECONDS: u64 = 20;

/// The error at the bottom of a chain of calls, and the last place known.
pub fn innermost(error: &EvalAltResult) -> (&EvalAltResult, Position) {
    let mut error = error;
    let mut position = error.position();
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
        error = inner;
        if !error.position().is_none() {
            position = error.position();
        }
    }
    (error, position)
}

/// What the compiler says of a case.
pub fn syntax(case: &Case, message: &str, position: Position) -> Complaint {
    let at = span(position);
    if let Some(fraction) = fraction(&case.file.text, at) {
        let what = format!("there are no fractions here: {fraction}");
        return case.complaint("number", at, what).help("figures are whole numbers: 15 percent of n is `n * 15 / 100`");
    }
    case.complaint("script", at, format!("this is not Rhai: {message}"))
        .help("see https://rhai.rs/book for the language; a case holds functions only")
}

/// The number with a point in it of which a place is a part: Rhai without fractions reads 0.15 as a property of 0.
fn fraction(text: &str, at: Span) -> Option<String> {
    let line: Vec<char> = text.lines().nth(at.line.checked_sub(1)?)?.chars().collect();
    let number = |c: &char| c.is_ascii_digit() || *c == '.';
    let start = at.column.checked_sub(1).filter(|start| *start < line.len())?;
    let before = line[..start].iter().rev().take_while(|c| number(c)).count();
    let found: String = line[start - before..].iter().take_while(|c| number(c)).collect();
    let (whole, rest) = found.split_once('.')?;
    (!whole.is_empty() && rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('.')).then_some(found)
}

fn span(position: Position) -> Span {
    Span { line: position.line().unwrap_or(1), column: position.position().unwrap_or(1), length: 1 }
}

/// What went wrong in a script, as its author reads it.
pub fn complain(error: &EvalAltResult, case: Option<&Case>, position: Position) -> Complaints {
    let at = |law: &'static str, what: String| match case {
        Some(case) => case.complaint(law, span(position), what),
        None => Complaint::new(law, Place::file("(expression)"), what),
    };
    let complaint = match error {
        EvalAltResult::ErrorRuntime(value, _) => {
            if let Some(complaints) = value.clone().try_cast::<Complaints>() {
                return complaints;
            }
            match value.clone().try_cast::<Fault>() {
                Some(fault) => at(fault.law, fault.what).help(fault.help),
                None => at("running", format!("the script threw: {value}")).help("a rule says no with `refuse`, which cites it"),
            }
        }
        EvalAltResult::ErrorTerminated(late, _) => {
            let what = if late.as_bool() == Ok(true) {
                format!("this ran longer than {SECONDS} seconds")
            } else {
                format!("this took more than {OPERATIONS} steps")
            };
            at("limit", what).help("a loop that never ends? look at what it waits for")
        }
        EvalAltResult::ErrorStackOverflow(_) => {
            at("limit", "this calls itself without end".into()).help("look at what should stop the calls")
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            at("limit", format!("{what} is too large")).help("scripts work on small values; tables and pieces hold the rest")
        }
        EvalAltResult::ErrorFunctionNotFound(signature, _) => {
            let name = signature.split(" (").next().unwrap_or(signature).trim();
            let help = format!(
                "`{name}` is neither a verb nor a function of a case in force that takes these arguments; `casebook check` says more"
            );
            at("unknown-function", format!("there is no `{signature}`")).help(help)
        }
        EvalAltResult::ErrorDataRace(..) => {
            let help = "a closure that uses a variable shares it; take what you work on into a variable of its own first: `let list = battle.defenders;`";
            at("running", "a value is used here while a closure holds it".into()).help(help)
        }
        other => {
            let mut text = other.to_string();
            if let Some(cut) = text.rfind(" (line ") {
                text.truncate(cut);
            }
            let help = match other {
                EvalAltResult::ErrorArrayBounds(..) | EvalAltResult::ErrorStringBounds(..) | EvalAltResult::ErrorIndexNotFound(..) => {
                    "look first what is there: `list.len()`, `key in map`"
                }
                EvalAltResult::ErrorArithmetic(..) => "look where these figures come from; `clamp` and `max` keep one within bounds",
                EvalAltResult::ErrorVariableNotFound(..) => "a variable begins with `let`",
                EvalAltResult::ErrorMismatchDataType(..) | EvalAltResult::ErrorMismatchOutputType(..) => {
                    "look what stands here: a figure that nobody gave reads as ()"
                }
                _ => "`--trace` shows what was asked and read on the way; see https://rhai.rs/book for the language",
            };
            at("running", text).help(help)
        }
    };
    complaint.into()
}
