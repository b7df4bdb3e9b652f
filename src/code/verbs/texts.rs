//! What the language itself brings for texts, numbers and any value. Here it means what Rhai's own library means.

use super::language::{n, no, own};
use super::{Kind::*, Parameter, Run, Verb};
use crate::code::context::{Answer, Context, fault, too_large};
use crate::situation::value::{TEXT as LONGEST, Text as Word, Value};
use crate::situation::words::text_within;

const VALUE: &[Parameter] = &[("value", Any)];
const NUMBER: &[Parameter] = &[("n", Number)];
const TEXT: &[Parameter] = &[("text", Text)];
const TEXTS: &[Parameter] = &[("text", Text), ("part", Any)];

/// The functions.
pub const VERBS: &[Verb] = &[
    own("starts_with", TEXTS, Run::Answer(starts_with), "Whether a text begins with another.", "\"C2515\".starts_with(\"C\")").gives(Flag),
    own("ends_with", TEXTS, Run::Answer(ends_with), "Whether a text ends with another.", "\"C2515\".ends_with(\"15\")").gives(Flag),
    Verb {
        optional: 1,
        ..own(
            "sub_string",
            &[("text", Text), ("from", Number), ("count", Number)],
            Run::Answer(sub_string),
            "A part of a text.",
            "\"C2515\".sub_string(1, 2) == \"25\"",
        )
        .gives(Text)
    },
    Verb {
        optional: 1,
        ..own(
            "split",
            &[("text", Text), ("by", Any)],
            Run::Answer(split),
            "The parts of a text between a separator; or the two on either side of a place.",
            "\"a/b\".split(\"/\") == [\"a\", \"b\"]",
        )
        .gives(List)
    },
    own("trim", TEXT, Run::Change(trim), "Takes the blanks off both ends of a text.", "let text = \" a \"; text.trim(); text == \"a\""),
    own("to_upper", TEXT, Run::Answer(to_upper), "A text in capitals.", "\"a\".to_upper() == \"A\"").gives(Text),
    own("to_lower", TEXT, Run::Answer(to_lower), "A text in small letters.", "\"A\".to_lower() == \"a\"").gives(Text),
    own(
        "replace",
        &[("text", Text), ("part", Any), ("with", Any)],
        Run::Change(replace),
        "Puts one text in the place of another within a text.",
        "let text = \"a-b\"; text.replace(\"-\", \"+\"); text == \"a+b\"",
    ),
    own("chars", TEXT, Run::Answer(chars), "The letters of a text.", "\"ab\".chars() == [\"a\", \"b\"]").gives(List),
    own("parse_int", TEXT, Run::Answer(parse_int), "The number a text writes.", "\"12\".parse_int() == 12").gives(Number),
    own("to_string", VALUE, Run::Answer(to_string), "A value as text.", "12.to_string() == \"12\"").gives(Text),
    own("abs", NUMBER, Run::Answer(abs), "A number without its sign.", "abs(-3) == 3").gives(Number),
    own("sign", NUMBER, Run::Answer(sign), "-1, 0 or 1, as a number is below, at or above 0.", "sign(-3) == -1").gives(Number),
    own("is_odd", NUMBER, Run::Answer(is_odd), "Whether a number is odd.", "3.is_odd()").gives(Flag),
    own("is_even", NUMBER, Run::Answer(is_even), "Whether a number is even.", "4.is_even()").gives(Flag),
    own("is_zero", NUMBER, Run::Answer(is_zero), "Whether a number is 0.", "0.is_zero()").gives(Flag),
    own(
        "range",
        &[("from", Number), ("to", Number)],
        Run::Answer(range),
        "Whole numbers from one up to, not including, another.",
        "3 in range(1, 5)",
    ),
    own(
        "type_of",
        VALUE,
        Run::Answer(type_of),
        "What the language calls a value's type: \"i64\", \"string\", \"array\", \"map\", \"piece\", \"()\".",
        "type_of(1) == \"i64\"",
    )
    .gives(Text),
];

fn text(value: &Value) -> &str {
    value.text().map(Word::as_str).unwrap_or_default()
}

fn starts_with(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(text(args[0]).starts_with(text(args[1])).into())
}

fn ends_with(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(text(args[0]).ends_with(text(args[1])).into())
}

fn sub_string(_: &mut Context, args: &[&Value]) -> Answer {
    let letters: Vec<char> = text(args[0]).chars().collect();
    let from = n(args[1]);
    let from = if from < 0 { (letters.len() as i64 + from).max(0) } else { from.min(letters.len() as i64) } as usize;
    let count = args.get(2).map_or(i64::MAX, |count| n(count)).max(0);
    Ok(letters[from..].iter().take(usize::try_from(count).unwrap_or(usize::MAX)).collect::<String>().into())
}

fn split(_: &mut Context, args: &[&Value]) -> Answer {
    match (args[0], args.get(1)) {
        (Value::Text(text), Some(Value::Number(at))) => {
            let (first, rest): (String, String) = {
                let letters: Vec<char> = text.chars().collect();
                let at = if *at < 0 { (letters.len() as i64 + at).max(0) } else { (*at).min(letters.len() as i64) } as usize;
                (letters[..at].iter().collect(), letters[at..].iter().collect())
            };
            Ok(vec![first.into(), rest.into()].into())
        }
        (Value::Text(whole), Some(by)) => Ok(whole.split(text(by)).map(Value::from).collect()),
        (Value::Text(text), None) => Ok(text.split_whitespace().map(Value::from).collect()),
        (other, _) => no("split", other),
    }
}

fn trim(_: &mut Context, this: &mut Value, _: &[&Value]) -> Answer {
    *this = text(this).trim().into();
    Ok(Value::Nothing)
}

fn replace(_: &mut Context, this: &mut Value, args: &[&Value]) -> Answer {
    let (whole, part, with) = (text(this), text(args[0]), text(args[1]));
    // How long it will be is known before it is made.
    let length = whole.len().saturating_add(whole.matches(part).count().saturating_mul(with.len()));
    if with.len() > part.len() && length - whole.matches(part).count() * part.len() > LONGEST {
        return too_large("a text");
    }
    *this = whole.replace(part, with).into();
    Ok(Value::Nothing)
}

fn to_upper(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(text(args[0]).to_uppercase().into())
}

fn to_lower(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(text(args[0]).to_lowercase().into())
}

fn chars(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(text(args[0]).chars().map(|letter| Value::from(letter.to_string())).collect())
}

fn parse_int(_: &mut Context, args: &[&Value]) -> Answer {
    match text(args[0]).trim().parse::<i64>() {
        Ok(number) => Ok(number.into()),
        Err(_) => fault("running", format!("`{}` is no whole number", text(args[0])), "parse_int reads a text that writes a number"),
    }
}

fn to_string(ctx: &mut Context, args: &[&Value]) -> Answer {
    // Nothing is no letters, as where it is put into a text.
    Ok(if args[0].is_nothing() { "".into() } else { text_within(args[0], ctx.board, LONGEST).into() })
}

fn abs(_: &mut Context, args: &[&Value]) -> Answer {
    match n(args[0]).checked_abs() {
        Some(n) => Ok(n.into()),
        None => fault("running", "this number is too large", "look where these figures come from"),
    }
}

fn sign(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(n(args[0]).signum().into())
}

fn is_odd(_: &mut Context, args: &[&Value]) -> Answer {
    Ok((n(args[0]) % 2 != 0).into())
}

fn is_even(_: &mut Context, args: &[&Value]) -> Answer {
    Ok((n(args[0]) % 2 == 0).into())
}

fn is_zero(_: &mut Context, args: &[&Value]) -> Answer {
    Ok((n(args[0]) == 0).into())
}

fn range(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(Value::Range(std::sync::Arc::new((n(args[0]), n(args[1])))))
}

fn type_of(_: &mut Context, args: &[&Value]) -> Answer {
    Ok(args[0].type_name().into())
}
