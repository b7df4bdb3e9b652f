//! Built-in functions for texts, numbers and all values, with the semantics of Rhai's standard library.

use super::language::number_or_zero;
use super::types::*;
use crate::code::context::{VerbContext, VerbResult, fault, too_large, within_numbers};
use crate::complaint::DiagnosticCode;
use crate::situation::value::{HashedText as Word, MAX_TEXT_BYTES as LONGEST, Value};
use crate::situation::value_text::named;
use crate::situation::value_text::text_within;

/// The verb that tells the types of values apart. The compiler calls it, too.
pub const TYPE_OF: &str = "type_of";

verbs! {
    allowed_in: Anywhere, from_language: true;

    starts_with(text: TEXT, part: TEXT) -> FLAG = Function(|_, args| Ok(text_or_empty(args[0]).starts_with(text_or_empty(args[1])).into())),
        "Whether a text begins with another.", "\"C2515\".starts_with(\"C\")";
    ends_with(text: TEXT, part: TEXT) -> FLAG = Function(|_, args| Ok(text_or_empty(args[0]).ends_with(text_or_empty(args[1])).into())),
        "Whether a text ends with another.", "\"C2515\".ends_with(\"15\")";
    sub_string(text: TEXT, from: NUMBER)[count: NUMBER] -> TEXT, "A part of a text.", "\"C2515\".sub_string(1, 2) == \"25\"";
    split(text: TEXT)[by: TEXT | NUMBER] -> LIST,
        "The parts of a text between a separator; or the two on either side of a place.", "\"a/b\".split(\"/\") == [\"a\", \"b\"]";
    trim(text: TEXT) = Mutate(trim), "Takes the blanks off both ends of a text.", "let text = \" a \"; text.trim(); text == \"a\"";
    to_upper(text: TEXT) -> TEXT = Function(|_, args| Ok(text_or_empty(args[0]).to_uppercase().into())), "A text in capitals.", "\"a\".to_upper() == \"A\"";
    to_lower(text: TEXT) -> TEXT = Function(|_, args| Ok(text_or_empty(args[0]).to_lowercase().into())),
        "A text in small letters.", "\"A\".to_lower() == \"a\"";
    replace(text: TEXT, part: TEXT, with: TEXT) = Mutate(replace),
        "Puts one text in the place of another within a text.", "let text = \"a-b\"; text.replace(\"-\", \"+\"); text == \"a+b\"";
    chars(text: TEXT) -> LIST = Function(|_, args| Ok(text_or_empty(args[0]).chars().map(|letter| Value::from(letter.to_string())).collect())),
        "The letters of a text.", "\"ab\".chars() == [\"a\", \"b\"]";
    parse_int(text: TEXT) -> NUMBER, "The number a text writes.", "\"12\".parse_int() == 12";
    to_string(value: ANY) -> TEXT, "A value as text.", "12.to_string() == \"12\"";
    abs(n: NUMBER) -> NUMBER, "A number without its sign.", "abs(-3) == 3";
    sign(n: NUMBER) -> NUMBER = Function(|_, args| Ok(number_or_zero(args[0]).signum().into())),
        "-1, 0 or 1, as a number is below, at or above 0.", "sign(-3) == -1";
    is_odd(n: NUMBER) -> FLAG = Function(|_, args| Ok((number_or_zero(args[0]) % 2 != 0).into())), "Whether a number is odd.", "3.is_odd()";
    is_even(n: NUMBER) -> FLAG = Function(|_, args| Ok((number_or_zero(args[0]) % 2 == 0).into())), "Whether a number is even.", "4.is_even()";
    is_zero(n: NUMBER) -> FLAG = Function(|_, args| Ok((number_or_zero(args[0]) == 0).into())), "Whether a number is 0.", "0.is_zero()";
    range(from: NUMBER, to: NUMBER) = Function(|_, args| Ok(Value::Range(std::sync::Arc::new((number_or_zero(args[0]), number_or_zero(args[1])))))),
        "Whole numbers from one up to, not including, another.", "3 in range(1, 5)";
    type_of(value: ANY) -> TEXT = Function(|_, args| Ok(args[0].type_name().into())),
        "What the language calls a value's type: \"i64\", \"string\", \"array\", \"map\", \"piece\", \"()\".", "type_of(1) == \"i64\"";
}

fn text_or_empty(value: &Value) -> &str {
    value.as_text().map(Word::as_str).unwrap_or_default()
}

fn sub_string(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let letters: Vec<char> = text_or_empty(args[0]).chars().collect();
    let from = number_or_zero(args[1]);
    let from = if from < 0 {
        (letters.len() as i64 + from).max(0)
    } else {
        from.min(letters.len() as i64)
    } as usize;
    let count = args
        .get(2)
        .map_or(i64::MAX, |count| number_or_zero(count))
        .max(0);
    Ok(letters[from..]
        .iter()
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .collect::<String>()
        .into())
}

fn split(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let game = ctx.game();
    let part = |part: &str| named(part.into(), game);
    match (args[0], args.get(1)) {
        (Value::Text(text), Some(Value::Number(at))) => {
            let (first, tail): (String, String) = {
                let letters: Vec<char> = text.chars().collect();
                let at = if *at < 0 {
                    (letters.len() as i64 + at).max(0)
                } else {
                    (*at).min(letters.len() as i64)
                } as usize;
                (
                    letters[..at].iter().collect(),
                    letters[at..].iter().collect(),
                )
            };
            Ok(vec![first.into(), tail.into()].into())
        }
        (text, None) => Ok(text_or_empty(text).split_whitespace().map(part).collect()),
        (text, Some(by)) => Ok(text_or_empty(text)
            .split(text_or_empty(by))
            .map(part)
            .collect()),
    }
}

fn trim(_: &mut VerbContext, this: &mut Value, _: &[&Value]) -> VerbResult {
    *this = text_or_empty(this).trim().into();
    Ok(Value::Nothing)
}

fn replace(_: &mut VerbContext, this: &mut Value, args: &[&Value]) -> VerbResult {
    let (text, pattern, replacement) = (
        text_or_empty(this),
        text_or_empty(args[0]),
        text_or_empty(args[1]),
    );
    // The limit is checked before the text is allocated.
    let length = text.len().saturating_add(
        text.matches(pattern)
            .count()
            .saturating_mul(replacement.len()),
    );
    if replacement.len() > pattern.len()
        && length - text.matches(pattern).count() * pattern.len() > LONGEST
    {
        return too_large("a text");
    }
    *this = text.replace(pattern, replacement).into();
    Ok(Value::Nothing)
}

fn parse_int(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    match text_or_empty(args[0]).trim().parse::<i64>() {
        Ok(number) => Ok(number.into()),
        Err(_) => fault(
            DiagnosticCode::Running,
            format!("`{}` is not a whole number", text_or_empty(args[0])),
            "parse_int reads a text that writes a number",
        ),
    }
}

fn to_string(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    // `()` becomes the empty text, as in interpolation.
    Ok(if args[0].is_nothing() {
        "".into()
    } else {
        text_within(args[0], ctx.board, LONGEST).into()
    })
}

fn abs(_: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let n = number_or_zero(args[0]);
    within_numbers(n.checked_abs(), || format!("abs({n})")).map(Value::Number)
}
