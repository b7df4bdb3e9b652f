//! The text of a case file: keys of its card, and functions put in.

use casebook_engine::data::case::CaseFunction;
use casebook_engine::data::function_headers::{FunctionHeader, function_headers};

/// Wraps a text for a card.
pub fn folded(text: &str) -> String {
    let mut lines = vec![String::from("//!  ")];
    for word in text.split_whitespace() {
        if lines
            .last()
            .is_some_and(|line| line.chars().count() + word.chars().count() > 120)
        {
            lines.push("//!  ".into());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// Sets a key on the card of a case; an old value is replaced.
pub fn set_card(text: &mut String, key: &str, value: &str) {
    let mut lines: Vec<&str> = text.lines().collect();
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
    let position = lines[..card].iter().position(is_key);
    let start = position.unwrap_or(card);
    if position.is_some() {
        let continuation_lines = lines[start + 1..card]
            .iter()
            .take_while(|line| line.starts_with("//!  ") || line.trim() == "//!")
            .count();
        lines.drain(start..=start + continuation_lines);
    }
    let line = format!("//! {key}: {value}");
    lines.insert(start, &line);
    *text = lines.join("\n") + "\n";
}

/// Puts the source of a function into a file: in place of the function of its name, or behind the last answer.
pub fn put_function(text: &mut String, function: &CaseFunction, source: &str, replaces: bool) {
    let heads = function_headers(text);
    let is_same_function = |head: &&FunctionHeader| {
        head.name == function.name && head.param_names().count() == function.arity()
    };
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
