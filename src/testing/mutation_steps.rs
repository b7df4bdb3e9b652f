//! Generates the mutations of a rule or table: a comparison, number, condition, flag or part of a cell.

use crate::data::case::{Case, CaseFunction};
use crate::data::table::Table;
use serde::Serialize;

/// A replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextStep {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The original text.
    pub was: String,
    /// The replacement.
    pub now: String,
    /// Byte offset in the function's text, or index of the part of a cell.
    #[serde(skip)]
    pub offset: usize,
}

/// A token of a script.
struct Token<'t> {
    text: &'t str,
    offset: usize,
}

impl Token<'_> {
    fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Returns whether a binary operator can follow the token.
    fn ends_value(&self) -> bool {
        let last = self.text.chars().last().unwrap_or(' ');
        (last.is_alphanumeric() || ")]}\"`'_".contains(last)) && !["return", "if", "while", "until", "in", "else"].contains(&self.text)
    }
}

const OPERATORS: &[&str] = &["..=", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "#{", ".."];

/// Tokenizes a script; comments are skipped, and a string is one token.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match c {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '`' | '\'' => quoted_len(rest, c),
            _ if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ => OPERATORS.iter().find(|sign| rest.starts_with(**sign)).map_or(c.len_utf8(), |sign| sign.len()),
        };
        if !c.is_whitespace() && !rest.starts_with("//") && !rest.starts_with("/*") {
            list.push(Token { text: &rest[..length], offset: at });
        }
        at += length;
    }
    list
}

/// Returns the length of a quoted string, in bytes.
fn quoted_len(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// Returns the indices of the functions that are rules: those that answer, and their helpers. Helpers of examples alone are excluded.
pub fn rule_functions(case: &Case) -> Vec<usize> {
    let functions = &case.functions;
    let mut rules: Vec<usize> = (0..functions.len()).filter(|i| !functions[*i].private && !functions[*i].is_example()).collect();
    let mut next = 0;
    while let Some(rule) = rules.get(next).copied() {
        let asks = |f: &CaseFunction| f.private && functions[rule].body.contains(&format!("{}(", f.name));
        let more: Vec<usize> = (0..functions.len()).filter(|i| !rules.contains(i) && asks(&functions[*i])).collect();
        rules.extend(more);
        next += 1;
    }
    rules.sort();
    rules
}

/// Returns the mutations of a function.
pub fn function_steps(function: &CaseFunction) -> Vec<TextStep> {
    let body = &function.body;
    let tokens = tokens(body);
    let mut steps = Vec::new();
    let mut add = |from: usize, was: &str, now: String| {
        let before = &body[..from];
        let line = function.name_span.line + before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        steps.push(TextStep { line, column, was: was.into(), now, offset: from });
    };
    let begin = tokens.iter().position(|t| t.text == "{").unwrap_or(tokens.len());
    for (place, token) in tokens.iter().enumerate().skip(begin) {
        let after_value = tokens[..place].last().is_some_and(Token::ends_value);
        let now = match token.text {
            "<" => "<=",
            "<=" => "<",
            ">" => ">=",
            ">=" => ">",
            "==" => "!=",
            "!=" => "==",
            "&&" => "||",
            "||" if after_value => "&&",
            "!" => "",
            "true" => "false",
            "false" => "true",
            "if" | "while" => {
                let end = condition_block(&tokens, place);
                let Some((first, last)) = end.map(|end| (&tokens[place + 1], &tokens[end - 1])) else { continue };
                let inside = &tokens[place + 1..end.unwrap_or(place + 1)];
                let both = inside.iter().any(|t| ["&&", "||"].contains(&t.text));
                // A single comparison, or a single `!`, already has a mutation that negates it.
                if both || !inside.iter().any(|t| ["==", "!=", "!"].contains(&t.text)) {
                    let was = &body[first.offset..last.offset + last.text.len()];
                    add(first.offset, was, format!("!({was})"));
                }
                continue;
            }
            text if token.is_number() => {
                if let Ok(number) = text.parse::<i64>() {
                    add(token.offset, text, (number + 1).to_string());
                }
                continue;
            }
            _ => continue,
        };
        add(token.offset, token.text, now.into());
    }
    steps
}

/// Returns the index of the token that opens the block of a condition.
fn condition_block(tokens: &[Token], place: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (i, token) in tokens.iter().enumerate().skip(place + 1) {
        match token.text {
            "{" if depth == 0 => return (i > place + 1).then_some(i),
            "(" | "[" | "{" | "#{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the case with a mutation applied to one of its functions.
pub fn apply_step(case: &Case, function: usize, step: &TextStep) -> Case {
    let mut case = case.clone();
    let body = &mut case.functions[function].body;
    let mut text = body.to_string();
    text.replace_range(step.offset..step.offset + step.was.len(), &step.now);
    *body = text.into();
    case
}

/// Returns the mutations of a cell: each numeric part plus one, each word replaced by another of its field, each mark removed.
pub fn cell_steps(table: &Table, index: usize) -> Vec<TextStep> {
    let cell = &table.cells[index];
    let (parts, marks) = table.split_cell(&cell.text);
    let tail: String = table.marks.iter().zip(&marks).filter(|(_, set)| **set).map(|((mark, _), _)| *mark).collect();
    let step =
        |from: usize, now: String| TextStep { line: cell.span.line, column: cell.span.column, was: cell.text.clone(), now, offset: from };
    let mut steps = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let other = match part.parse::<i64>() {
            Ok(number) => Some((number + 1).to_string()),
            Err(_) if *part == "?" => None,
            Err(_) => {
                let words = table
                    .cells
                    .iter()
                    .filter(|c| !c.is_missing())
                    .filter_map(|c| table.split_cell(&c.text).0.get(place).map(|w| w.to_string()));
                Some(words.into_iter().find(|word| word != part).unwrap_or_else(|| format!("{part} or not")))
            }
        };
        if let Some(other) = other {
            let parts: Vec<&str> = parts.iter().enumerate().map(|(i, p)| if i == place { other.as_str() } else { p }).collect();
            steps.push(step(place, format!("{}{tail}", parts.join("/"))));
        }
    }
    for mark in tail.chars() {
        let marks: String = tail.chars().filter(|m| *m != mark).collect();
        steps.push(step(parts.len(), format!("{}{marks}", parts.join("/"))));
    }
    steps
}
