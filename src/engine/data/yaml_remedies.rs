//! What beginners mistake in a YAML file, said in plain words, with the line as it should be.

use crate::complaint::Span;

pub struct YamlMistake {
    pub span: Span,
    pub message: &'static str,
    /// Its line as it should be.
    pub mended: String,
}

/// Returns a mistake of which more is known than what the parser says.
pub fn yaml_mistake(text: &str, span: Span, fault: &str) -> Option<YamlMistake> {
    let line = text.lines().nth(span.line.checked_sub(1)?)?;
    if fault.contains("tabs disallowed") && line.contains('\t') {
        return Some(YamlMistake {
            span,
            message: "this is a tab, and YAML takes spaces only",
            mended: line.replace('\t', "  "),
        });
    }
    if fault.contains("simple key expected ':'") {
        let named = line.trim_start().split_once(':');
        let is_key = |key: &str| key.chars().all(|c| c.is_alphanumeric() || c == '_');
        if let Some((key, value)) = named.filter(|(key, value)| is_key(key) && !value.is_empty()) {
            let indent = &line[..line.len() - line.trim_start().len()];
            return Some(YamlMistake {
                span,
                message: "the colon behind this key has no space after it",
                mended: format!("{indent}{key}: {value}"),
            });
        }
        let key = line.trim_end_matches(|c: char| !c.is_alphanumeric());
        return Some(YamlMistake {
            span,
            message: "this key has no colon after it",
            mended: format!("{key}:"),
        });
    }
    let in_brackets = [
        "unclosed bracket",
        "while parsing a flow",
        "illegal placement of ':'",
    ];
    if in_brackets.iter().any(|part| fault.contains(part))
        || fault.contains("while parsing a flow")
        || fault.contains("multiline quoted scalar")
    {
        return last_open(text, span.line);
    }
    None
}

/// Finds the last line, down to the one that the parser names, that opens a bracket or a quotation mark and does not close it.
fn last_open(text: &str, last_line: usize) -> Option<YamlMistake> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).take(last_line).collect();
    // A bracket that is opened and closed in the line of the fault is what the fault is in.
    let is_closed =
        |(_, line): &&(usize, &str)| line.contains(['{', '[']) && open_in(line).is_none();
    if lines.last().is_some_and(|line| is_closed(&line)) {
        return None;
    }
    lines.iter().rev().find_map(|&(number, line)| {
        let (column, sign) = open_in(line)?;
        let (message, close) = match sign {
            '{' => ("the `{` here is not closed", " }"),
            '[' => ("the `[` here is not closed", "]"),
            '"' => ("this quotation mark is not closed", "\""),
            _ => ("this quotation mark is not closed", "'"),
        };
        Some(YamlMistake {
            span: Span {
                line: number,
                column,
                length: 1,
            },
            message,
            mended: format!("{}{close}", line.trim_end()),
        })
    })
}

/// Returns the first bracket or quotation mark that a line leaves open, and its column. A quotation mark within a word is an apostrophe.
fn open_in(line: &str) -> Option<(usize, char)> {
    let (mut open, mut before): (Vec<(usize, char)>, char) = (Vec::new(), ' ');
    for (column, c) in (1..).zip(line.chars()) {
        match (open.last().map(|(_, sign)| *sign), c) {
            (Some(quote @ ('"' | '\'')), c) if c != quote || before == '\\' => {}
            (Some('"' | '\''), _) => drop(open.pop()),
            (_, '"' | '\'') if " {[,:".contains(before) => open.push((column, c)),
            (_, '{' | '[') if open.last().is_some() || " {[".contains(before) => {
                open.push((column, c))
            }
            (Some('{'), '}') | (Some('['), ']') => drop(open.pop()),
            (_, '#') if before == ' ' => break,
            _ => {}
        }
        before = c;
    }
    open.first().copied()
}
