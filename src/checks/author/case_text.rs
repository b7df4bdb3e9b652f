//! The text of a case file: keys of its card, and functions put in.

use casebook_engine::data::case::{CaseFunction, Reading};
use casebook_engine::data::function_headers::{FunctionHeader, function_headers};
use casebook_engine::data::yaml_writer::{write_inline, write_scalar};
use serde_json::json;
use std::ops::Range;

/// The width of a line of a text or a comment.
const WIDTH: usize = 120;

/// Wraps a text for a card.
pub fn folded(text: &str) -> String {
    wrapped(text, "//!  ")
}

/// Wraps a text to lines with the same beginning.
fn wrapped(text: &str, beginning: &str) -> String {
    let mut lines = vec![String::from(beginning)];
    for word in text.split_whitespace() {
        if lines
            .last()
            .is_some_and(|line| line.chars().count() + word.chars().count() > WIDTH)
        {
            lines.push(beginning.into());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// Returns where the card of a case ends and where a key of it stands, with the lines that continue it.
fn card_lines(lines: &[&str], key: &str) -> (usize, Option<Range<usize>>) {
    let is_key = |line: &&str| {
        line.strip_prefix("//! ").is_some_and(|rest| {
            rest.strip_prefix(key)
                .is_some_and(|rest| rest.starts_with(':'))
        })
    };
    let card = lines
        .iter()
        .take_while(|line| line.starts_with("//!"))
        .count();
    let range = lines[..card].iter().position(is_key).map(|start| {
        let continuation_lines = lines[start + 1..card]
            .iter()
            .take_while(|line| line.starts_with("//!  ") || line.trim() == "//!")
            .count();
        start..start + 1 + continuation_lines
    });
    (card, range)
}

/// Sets a key on the card of a case; an old value is replaced.
pub fn set_card(text: &mut String, key: &str, value: &str) {
    let mut lines: Vec<&str> = text.lines().collect();
    let (card, range) = card_lines(&lines, key);
    let line = format!("//! {key}: {value}");
    lines.splice(range.unwrap_or(card..card), [line.as_str()]);
    *text = lines.join("\n") + "\n";
}

/// Removes a key from the card of a case.
pub fn remove_card(text: &mut String, key: &str) {
    let mut lines: Vec<&str> = text.lines().collect();
    if let (_, Some(range)) = card_lines(&lines, key) {
        lines.drain(range);
        *text = lines.join("\n") + "\n";
    }
}

/// Returns a reading as an entry of a card's readings.
pub fn reading_entry(reading: &Reading) -> String {
    let (name, ways) = (write_scalar(&reading.name), json!(reading.ways));
    format!("{name}: {}", write_inline(&ways))
}

/// Writes on the card of a case what its recipes said before, by the field of the form; fields without anything are left out.
pub fn set_earlier(text: &mut String, earlier: &[(String, Vec<String>)]) {
    let entry = |(field, values): &(String, Vec<String>)| {
        format!("{}: {}", write_scalar(field), write_inline(&json!(values)))
    };
    let said = earlier.iter().filter(|(_, values)| !values.is_empty());
    let entries: Vec<String> = said.map(entry).collect();
    match entries.is_empty() {
        true => remove_card(text, EARLIER),
        false => set_card(text, EARLIER, &format!("{{ {} }}", entries.join(", "))),
    }
}

/// The key of the card under which stands what recipes said before.
const EARLIER: &str = "earlier";

/// Returns the name by which forms and kept changes know a function: with its number of parameters, `loss_shares.2`.
pub fn function_key(function: &CaseFunction) -> String {
    format!("{}.{}", function.name, function.arity())
}

/// Returns the same name of a function found in a text.
pub fn header_key(head: &FunctionHeader) -> String {
    format!("{}.{}", head.name, head.param_names().count())
}

/// Returns the comment with which a function begins, as one text; empty if there is none.
pub fn comment_of(source: &str) -> String {
    let body = source.split_once('{').map_or("", |(_, body)| body);
    let comment = body
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .map_while(|line| line.strip_prefix("//"));
    comment.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Returns the source of a function that begins with a comment.
pub fn with_comment(source: &str, text: &str) -> String {
    let comment = wrapped(text, "    //");
    match source.split_once('{') {
        Some((head, body)) if body.starts_with('\n') => format!("{head}{{\n{comment}{body}"),
        Some((head, body)) => format!("{head}{{\n{comment}\n    {}", body.trim_start()),
        None => source.into(),
    }
}

pub fn calls_function(source: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(name).any(|(at, _)| {
        !source[..at].ends_with(is_word) && source[at + name.len()..].trim_start().starts_with('(')
    })
}

/// Puts the source of a function into a file: in place of the function of its name, or behind the last answer.
pub fn put_function(text: &mut String, function: &CaseFunction, source: &str, replaces: bool) {
    let heads = function_headers(text);
    let is_same_function = |head: &&FunctionHeader| header_key(head) == function_key(function);
    let range = heads
        .iter()
        .find(is_same_function)
        .map(|head| head.text_range.clone());
    let first_example = heads
        .iter()
        .find(|head| head.name.starts_with("example_"))
        .map(|head| head.doc_range.start);
    let private = if function.private && !source.starts_with("private ") {
        "private "
    } else {
        ""
    };
    match range.filter(|_| replaces) {
        Some(range) => text.replace_range(range, &format!("{}\n\n", source.trim_end())),
        None => {
            let doc: String = function
                .doc_lines()
                .iter()
                .map(|line| format!("/// {line}\n"))
                .collect();
            let new = format!("\n{doc}{private}{}\n", source.trim_end());
            let position = first_example.unwrap_or(text.len());
            text.insert_str(
                position,
                &if position < text.len() {
                    format!("{}\n", new.trim_start())
                } else {
                    new
                },
            );
        }
    }
    *text = text.trim_end().to_string() + "\n";
}
