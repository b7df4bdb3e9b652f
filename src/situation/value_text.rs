//! Values as text: in the lines of a ruling, as outcomes, for a program. And values as files write them.

use crate::data::scenario::Scenario;
use crate::data::yaml::{YamlNode, YamlValue as Tree};
use crate::situation::board::Board;
use crate::situation::trace::BoardChange;
use crate::situation::value::{Map, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// Where the text of a value ends at the latest, in bytes: a list can hold pieces with long names.
const LONGEST: usize = 16 << 20;

/// A value as text, as lines of a ruling show it.
pub fn value_text(value: &Value, board: &Board) -> String {
    text_within(value, board, LONGEST)
}

/// The same, as far as it keeps to a length in bytes; what is longer ends soon after.
pub fn text_within(value: &Value, board: &Board, longest: usize) -> String {
    let mut out = String::new();
    write_value(value, board, &mut out, longest);
    out
}

fn write_value(value: &Value, board: &Board, out: &mut String, longest: usize) {
    if out.len() > longest {
        return;
    }
    match value {
        Value::Nothing => out.push_str("none"),
        Value::True => out.push_str("true"),
        Value::False => out.push_str("false"),
        Value::Number(n) => drop(write!(out, "{n}")),
        Value::Text(text) | Value::Place(text) => out.push_str(text),
        Value::Piece(piece) => out.push_str(board.name(*piece)),
        Value::Side(pair) => drop(write!(out, "{}/{}", pair.0, pair.1)),
        Value::Range(ends) => drop(write!(out, "{}..{}", ends.0, ends.1)),
        Value::List(list) if list.is_empty() => out.push_str("none"),
        Value::List(list) => {
            for (place, item) in list.iter().enumerate() {
                if out.len() > longest {
                    return;
                }
                out.push_str(if place == 0 {
                    ""
                } else if place + 1 == list.len() {
                    " and "
                } else {
                    ", "
                });
                write_value(item, board, out, longest);
            }
        }
        Value::Map(map) => match map.get("name") {
            Some(name) => write_value(name, board, out, longest),
            None => {
                out.push('{');
                for (place, (key, value)) in map.entries().iter().enumerate() {
                    if out.len() > longest {
                        return;
                    }
                    out.push_str(if place == 0 { "" } else { ", " });
                    out.push_str(key);
                    out.push_str(": ");
                    write_value(value, board, out, longest);
                }
                out.push('}');
            }
        },
        Value::Record(_) => out.push_str("a sheet"),
        Value::Closure(_) => out.push_str("a closure"),
    }
}

/// An outcome as text: yes and no for flags.
pub fn outcome_text(value: &Value, board: &Board) -> String {
    match value {
        Value::True => "yes".into(),
        Value::False => "no".into(),
        other => value_text(other, board),
    }
}

/// "a, b and c"; "none" for nothing.
pub fn join_words(words: Vec<String>) -> String {
    match &words[..] {
        [] => "none".into(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// Fills the `{}` of a template in order; `{is|are}` agrees with the value before it, or with the next where none is before.
pub fn fill_template(template: &str, args: &[Value], board: &Board) -> String {
    let mut out = String::with_capacity(template.len() + 16 * args.len());
    let (mut rest, mut next) = (template, 0);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((inside, after)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match inside.split_once('|') {
            None if inside.is_empty() && next < args.len() => {
                write_value(&args[next], board, &mut out, LONGEST);
                next += 1;
            }
            Some((one, many)) => out.push_str(if args.get(next.saturating_sub(1)).is_none_or(is_singular) { one } else { many }),
            None => {
                out.push('{');
                out.push_str(inside);
                out.push('}');
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The same as a line of a ruling, which begins with a capital letter whatever it begins with.
pub fn fill_sentence(template: &str, args: &[Value], board: &Board) -> String {
    let text = fill_template(template, args, board);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a value speaks of a single thing: the number 1, a list of one, anything that is neither.
fn is_singular(value: &Value) -> bool {
    match value {
        Value::Number(n) => *n == 1,
        Value::List(list) => list.len() == 1,
        _ => true,
    }
}

/// A change as text.
pub fn change_text(change: &BoardChange, board: &Board) -> String {
    let say = |template: &str, args: &[Value]| fill_template(template, args, board);
    match change {
        BoardChange::Set(piece, figure, value) => say("{}: {} is now {}", &[(*piece).into(), figure.clone().into(), value.clone()]),
        BoardChange::Move(piece, place) => say("{} goes to {}", &[(*piece).into(), place.clone().into()]),
        BoardChange::PutOn(piece, carrier) => say("{} goes on {}", &[(*piece).into(), carrier.clone().into()]),
        BoardChange::Remove(piece, why) => say("{} leaves the board: {}", &[(*piece).into(), why.clone().into()]),
        BoardChange::Create(piece, map) => {
            let name = board.name(*piece).clone();
            let full = |(key, value): &(_, Value)| format!("{key}: {}", value_text(value, board));
            let parts = map.as_map().map(|map| map.entries().iter().map(full).collect::<Vec<_>>().join(", ")).unwrap_or_default();
            format!("{name} comes into play: {{{parts}}}")
        }
        BoardChange::Place(place, figure, value) => say("{}: {} is now {}", &[place.clone(), figure.clone().into(), value.clone()]),
        BoardChange::Track(name, value) => say("{} stands at {}", &[name.clone().into(), value.clone()]),
    }
}

/// A value for a program.
pub fn to_json(value: &Value, board: &Board) -> serde_json::Value {
    match value {
        Value::Nothing => serde_json::Value::Null,
        Value::True => true.into(),
        Value::False => false.into(),
        Value::Number(n) => (*n).into(),
        Value::List(list) => list.iter().map(|item| to_json(item, board)).collect(),
        Value::Map(map) => map.entries().iter().map(|(key, value)| (key.to_string(), to_json(value, board))).collect(),
        other => value_text(other, board).into(),
    }
}

/// A tree of YAML as scripts see it.
pub fn value_from_yaml(node: &YamlNode) -> Value {
    match &node.value {
        Tree::Scalar(text, plain) => match (&**text, plain) {
            ("true", true) => Value::True,
            ("false", true) => Value::False,
            (text, true) => text.parse::<i64>().map_or_else(|_| text.into(), Value::Number),
            (text, false) => text.into(),
        },
        Tree::List(items) => items.iter().map(value_from_yaml).collect(),
        Tree::Map(entries) => {
            Value::Map(entries.iter().map(|(k, v)| (k.as_text().unwrap_or_default().into(), value_from_yaml(v))).collect())
        }
    }
}

/// The answers a situation gives to choices.
pub fn situation_answers(scenario: &Scenario) -> HashMap<String, Value> {
    let entries = scenario.root.get("choices").map(YamlNode::entries).unwrap_or_default();
    entries.iter().map(|(k, v)| (k.as_text().unwrap_or_default().to_string(), value_from_yaml(v))).collect()
}

/// What is handed to the procedure of a situation.
pub fn situation_given(scenario: &Scenario) -> Value {
    scenario.root.get("given").map_or_else(|| Value::Map(Map::default()), value_from_yaml)
}

/// How a value differs from what was expected; what reads alike is told apart by its kind.
pub fn describe_mismatch(got: &Value, wanted: &Value, board: &Board) -> String {
    let (wanted_text, got_text) = (value_text(wanted, board), value_text(got, board));
    if wanted_text == got_text {
        return format!("expected {wanted_text} ({}), got {got_text} ({})", wanted.describe_type(), got.describe_type());
    }
    format!("expected {wanted_text}, got {got_text}")
}

/// Whether a value is what was expected: of a map, the keys that the expectation names, or none where it names none; a piece is its name.
pub fn matches_expected(got: &Value, wanted: &Value, board: &Board) -> bool {
    match (got, wanted) {
        (Value::Map(got), Value::Map(wanted)) if wanted.entries().is_empty() => got.entries().is_empty(),
        (Value::Map(got), Value::Map(wanted)) => {
            wanted.entries().iter().all(|(key, value)| got.get_by_text(key).is_some_and(|got| matches_expected(got, value, board)))
        }
        (Value::List(got), Value::List(wanted)) => {
            got.len() == wanted.len() && got.iter().zip(wanted.iter()).all(|(got, wanted)| matches_expected(got, wanted, board))
        }
        (Value::Number(got), Value::Number(wanted)) => got == wanted,
        (Value::True | Value::False, Value::True | Value::False) => got == wanted,
        (Value::Text(got) | Value::Place(got), Value::Text(wanted) | Value::Place(wanted)) => got == wanted,
        (Value::Piece(got), Value::Piece(wanted)) => got == wanted,
        (Value::Number(_), _) | (_, Value::Number(_)) | (Value::Nothing, _) | (_, Value::Nothing) => {
            matches!((got, wanted), (Value::Nothing, Value::Nothing))
        }
        _ => value_text(got, board) == value_text(wanted, board),
    }
}
