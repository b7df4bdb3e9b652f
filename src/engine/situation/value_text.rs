//! Formats values as text for ruling lines, outcomes and JSON, and converts file values.

use crate::data::deck::CardZone;
use crate::data::manifest::Game;
use crate::data::scenario::Scenario;
use crate::data::yaml::{YamlNode, YamlValue as Tree};
use crate::situation::board::Board;
use crate::situation::trace::BoardChange;
use crate::situation::value::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

/// Length in bytes after which the text of a value is cut; a list can contain pieces with long names.
const LONGEST: usize = 16 << 20;

/// Formats a value as lines of a ruling show it.
pub fn value_text(value: &Value, board: &Board) -> String {
    text_within(value, board, LONGEST)
}

/// Formats a value; stops soon after `longest` bytes.
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
            for (index, item) in list.iter().enumerate() {
                if out.len() > longest {
                    return;
                }
                out.push_str(if index == 0 {
                    ""
                } else if index + 1 == list.len() {
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
                for (index, (key, value)) in map.entries().iter().enumerate() {
                    if out.len() > longest {
                        return;
                    }
                    out.push_str(if index == 0 { "" } else { ", " });
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

/// Formats an outcome; flags become yes and no.
pub fn outcome_text(value: &Value, board: &Board) -> String {
    match value {
        Value::True => "yes".into(),
        Value::False => "no".into(),
        Value::Number(number) => number.to_string(),
        other => value_text(other, board),
    }
}

/// Returns the different ones of some items, in the order in which they first occur.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for item in items {
        if !unique.contains(&item) {
            unique.push(item);
        }
    }
    unique
}

/// Joins words as "a, b and c"; "none" if empty.
pub fn join_words(words: Vec<String>) -> String {
    match &words[..] {
        [] => "none".into(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// A part of a template: what stands between its `{}`, or the value in the place of one.
pub enum TemplatePart<'t> {
    Text(&'t str),
    /// The value with this number.
    Value(usize),
}

/// Passes the parts of a template to `visit`, its `{}` in order; `{is|are}` agrees with the preceding value, or with the next one if none
/// precedes.
pub fn visit_template<'t>(
    template: &'t str,
    args: &[Value],
    visit: &mut dyn FnMut(TemplatePart<'t>),
) {
    let (mut remaining, mut next_arg) = (template, 0);
    while let Some(start) = remaining.find('{') {
        let inside_on = &remaining[start + 1..];
        let Some((inside, tail)) = inside_on.split_once('}') else {
            break;
        };
        visit(TemplatePart::Text(&remaining[..start]));
        match inside.split_once('|') {
            None if inside.is_empty() && next_arg < args.len() => {
                visit(TemplatePart::Value(next_arg));
                next_arg += 1;
            }
            Some((singular, plural)) => {
                let agrees_with = args.get(next_arg.saturating_sub(1));
                let is_one = agrees_with.is_none_or(is_singular);
                visit(TemplatePart::Text(if is_one { singular } else { plural }));
            }
            None => visit(TemplatePart::Text(
                &remaining[start..start + inside.len() + 2],
            )),
        }
        remaining = tail;
    }
    visit(TemplatePart::Text(remaining));
}

/// Fills the `{}` of a template in order.
pub fn fill_template(template: &str, args: &[Value], board: &Board) -> String {
    let mut out = String::with_capacity(template.len() + 16 * args.len());
    visit_template(template, args, &mut |part| match part {
        TemplatePart::Text(text) => out.push_str(text),
        TemplatePart::Value(index) => write_value(&args[index], board, &mut out, LONGEST),
    });
    out
}

/// Like [`fill_template`], with an initial capital letter.
pub fn fill_sentence(template: &str, args: &[Value], board: &Board) -> String {
    capitalised(&fill_template(template, args, board))
}

/// Returns a text with an initial capital letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Returns whether a value takes a singular verb: the number 1, a list of one item, or any other non-number and non-list.
fn is_singular(value: &Value) -> bool {
    match value {
        Value::Number(n) => *n == 1,
        Value::List(list) => list.len() == 1,
        _ => true,
    }
}

/// Formats a board change.
pub fn change_text(change: &BoardChange, board: &Board) -> String {
    let say = |template: &str, args: &[Value]| fill_template(template, args, board);
    match change {
        BoardChange::Set(piece, figure, value) => say(
            "{}: {} is now {}",
            &[(*piece).into(), figure.clone().into(), value.clone()],
        ),
        BoardChange::Move(piece, place) => {
            say("{} goes to {}", &[(*piece).into(), place.clone().into()])
        }
        BoardChange::PutOn(piece, carrier) => {
            say("{} goes on {}", &[(*piece).into(), carrier.clone().into()])
        }
        BoardChange::Remove(piece, reason) => say(
            "{} leaves the board: {}",
            &[(*piece).into(), reason.clone().into()],
        ),
        BoardChange::Create(piece, map) => {
            let name = board.name(*piece).clone();
            let full = |(key, value): &(_, Value)| format!("{key}: {}", value_text(value, board));
            let fields = map
                .as_map()
                .map(|map| {
                    map.entries()
                        .iter()
                        .map(full)
                        .collect::<Vec<_>>()
                        .join(", ")
                })
                .unwrap_or_default();
            format!("{name} comes into play: {{{fields}}}")
        }
        BoardChange::Place(place, figure, value) => say(
            "{}: {} is now {}",
            &[place.clone(), figure.clone().into(), value.clone()],
        ),
        BoardChange::Cards(moved) => {
            let cards = Value::List(moved.cards.clone());
            say(
                "{}: {} {goes|go} from {} to {}",
                &[
                    moved.stock.clone().into(),
                    cards,
                    describe_zone(moved.from).into(),
                    describe_zone(moved.to).into(),
                ],
            )
        }
        BoardChange::Track(name, value) => {
            say("{} is at {}", &[name.clone().into(), value.clone()])
        }
    }
}

/// Returns what a place of cards is called.
fn describe_zone(zone: CardZone) -> &'static str {
    match zone {
        CardZone::Stock => "the stock",
        CardZone::Top => "the top of the stock",
        CardZone::Bottom => "the bottom of the stock",
        CardZone::Discards => "the discards",
        CardZone::Out => "those laid out",
        CardZone::Hand(_) => "a hand",
    }
}

/// Converts a value to JSON.
pub fn to_json(value: &Value, board: &Board) -> serde_json::Value {
    match value {
        Value::Nothing => serde_json::Value::Null,
        Value::True => true.into(),
        Value::False => false.into(),
        Value::Number(n) => (*n).into(),
        Value::List(list) => list.iter().map(|item| to_json(item, board)).collect(),
        Value::Map(map) => map
            .entries()
            .iter()
            .map(|(key, value)| (key.to_string(), to_json(value, board)))
            .collect(),
        other => value_text(other, board).into(),
    }
}

/// Returns a value; a text that is a label of a place is replaced by the name of the place.
pub fn named(value: Value, game: &Game) -> Value {
    let name = value.as_text().map(|text| game.places.name_of(text));
    match name {
        Some(Cow::Owned(name)) => name.into(),
        _ => value,
    }
}

/// Converts a YAML node to a script value.
pub fn value_from_yaml(node: &YamlNode) -> Value {
    match &node.value {
        Tree::Scalar(text, plain) => match (&**text, plain) {
            ("true", true) => Value::True,
            ("false", true) => Value::False,
            // 0101 is a hex.
            (text, true) => match text.parse::<i64>() {
                Ok(number) if number.to_string() == text => Value::Number(number),
                _ => text.into(),
            },
            (text, false) => text.into(),
        },
        Tree::List(items) => items.iter().map(value_from_yaml).collect(),
        Tree::Map(entries) => Value::Map(
            entries
                .iter()
                .map(|(k, v)| (k.as_text().unwrap_or_default().into(), value_from_yaml(v)))
                .collect(),
        ),
    }
}

/// Returns the answers to choices in a situation.
pub fn situation_answers(scenario: &Scenario) -> HashMap<String, Value> {
    let entries = scenario.root.entries_of("choices");
    entries
        .iter()
        .map(|(k, v)| {
            (
                k.as_text().unwrap_or_default().to_string(),
                value_from_yaml(v),
            )
        })
        .collect()
}

/// Returns the input of a situation's procedure.
pub fn situation_given(scenario: &Scenario) -> Value {
    scenario
        .root
        .get("given")
        .map_or_else(|| Value::Map(Map::default()), value_from_yaml)
}

/// Describes how a value differs from the expected one; values with equal text are distinguished by their type.
pub fn describe_mismatch(actual: &Value, expected: &Value, board: &Board) -> String {
    let (wanted_text, got_text) = (value_text(expected, board), value_text(actual, board));
    if wanted_text == got_text {
        return format!(
            "expected {wanted_text} ({}), got {got_text} ({})",
            expected.describe_type(),
            actual.describe_type()
        );
    }
    format!("expected {wanted_text}, got {got_text}")
}

/// Returns whether a value matches the expected one. A map is compared on the keys of a non-empty expected map; a piece matches its name.
pub fn matches_expected(actual: &Value, expected: &Value, board: &Board) -> bool {
    match (actual, expected) {
        (Value::Map(actual), Value::Map(expected)) if expected.entries().is_empty() => {
            actual.entries().is_empty()
        }
        (Value::Map(actual), Value::Map(expected)) => {
            expected.entries().iter().all(|(key, value)| {
                actual
                    .get_by_text(key)
                    .is_some_and(|got| matches_expected(got, value, board))
            })
        }
        (Value::List(actual), Value::List(expected)) => {
            actual.len() == expected.len()
                && actual
                    .iter()
                    .zip(expected.iter())
                    .all(|(got, wanted)| matches_expected(got, wanted, board))
        }
        (Value::Number(actual), Value::Number(expected)) => actual == expected,
        (Value::True | Value::False, Value::True | Value::False) => actual == expected,
        (
            Value::Text(actual) | Value::Place(actual),
            Value::Text(expected) | Value::Place(expected),
        ) => actual == expected,
        (Value::Piece(actual), Value::Piece(expected)) => actual == expected,
        (Value::Number(_), _)
        | (_, Value::Number(_))
        | (Value::Nothing, _)
        | (_, Value::Nothing) => {
            matches!((actual, expected), (Value::Nothing, Value::Nothing))
        }
        _ => value_text(actual, board) == value_text(expected, board),
    }
}
