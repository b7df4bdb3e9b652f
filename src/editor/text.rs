//! Positions in a text as LSP counts them, and the word at a position.
//!
//! LSP counts lines from 0 and characters in UTF-16 code units; complaints count both from 1, in characters.

use casebook_engine::complaint::Span;
use lsp_types::{Position, Range};

/// The start of a file, which stands for the file as a whole.
pub const FILE_START: Span = Span {
    line: 1,
    column: 1,
    length: 1,
};

/// Returns the line with this number, from 0.
fn line_at(text: &str, number: u32) -> &str {
    text.lines().nth(number as usize).unwrap_or_default()
}

/// Returns the number of characters before a position on its line.
pub fn column_of(text: &str, at: Position) -> usize {
    let mut units = 0;
    line_at(text, at.line)
        .chars()
        .take_while(|c| {
            units += c.len_utf16() as u32;
            units <= at.character
        })
        .count()
}

/// Returns the number of UTF-16 code units in the first `characters` characters of a line.
fn utf16_len(line: &str, characters: usize) -> u32 {
    line.chars()
        .take(characters)
        .map(|c| c.len_utf16() as u32)
        .sum()
}

/// Converts a span to an LSP range.
pub fn range(text: &str, span: Span) -> Range {
    let number = span.line.saturating_sub(1) as u32;
    let line = line_at(text, number);
    let from = span.column.saturating_sub(1);
    let position = |characters: usize| Position {
        line: number,
        character: utf16_len(line, characters),
    };
    Range {
        start: position(from),
        end: position(from + span.length.max(1)),
    }
}

/// Word at a position, or the quoted string around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordAt {
    /// Text of the word.
    pub text: String,
    /// Span of the word.
    pub span: Span,
    /// Whether the word is a whole quoted string.
    pub quoted: bool,
    /// Whether an opening bracket follows, so that the word is called.
    pub is_call: bool,
}

fn is_word_char(c: &char) -> bool {
    c.is_alphanumeric() || *c == '_'
}

pub fn word_at(text: &str, at: Position) -> Option<WordAt> {
    let letters: Vec<char> = line_at(text, at.line).chars().collect();
    let cursor = column_of(text, at).min(letters.len());
    if let Some((from, to)) = quoted_range(&letters, cursor) {
        let span = Span {
            line: at.line as usize + 1,
            column: from + 1,
            length: (to - from).max(1),
        };
        return Some(WordAt {
            text: letters[from..to].iter().collect(),
            span,
            quoted: true,
            is_call: false,
        });
    }
    let from = cursor
        - letters[..cursor]
            .iter()
            .rev()
            .take_while(|c| is_word_char(c))
            .count();
    let to = cursor
        + letters[cursor..]
            .iter()
            .take_while(|c| is_word_char(c))
            .count();
    let span = Span {
        line: at.line as usize + 1,
        column: from + 1,
        length: to - from,
    };
    let is_call = letters.get(to) == Some(&'(');
    (to > from).then(|| WordAt {
        text: letters[from..to].iter().collect(),
        span,
        quoted: false,
        is_call,
    })
}

/// Returns the plain scalar at a position of a YAML value.
pub fn yaml_value_at(text: &str, at: Position) -> Option<WordAt> {
    let letters: Vec<char> = line_at(text, at.line).chars().collect();
    let cursor = column_of(text, at).min(letters.len());
    let ends = |c: &char| ",[]{}:#\"".contains(*c);
    let mut from = cursor
        - letters[..cursor]
            .iter()
            .rev()
            .take_while(|c| !ends(c))
            .count();
    let mut to = cursor + letters[cursor..].iter().take_while(|c| !ends(c)).count();
    while from < to && (letters[from] == ' ' || letters[from] == '-') {
        from += 1;
    }
    while to > from && letters[to - 1] == ' ' {
        to -= 1;
    }
    let span = Span {
        line: at.line as usize + 1,
        column: from + 1,
        length: to - from,
    };
    (to > from).then(|| WordAt {
        text: letters[from..to].iter().collect(),
        span,
        quoted: false,
        is_call: false,
    })
}

/// Returns the start and end of the quoted string around a character of a line.
fn quoted_range(letters: &[char], cursor: usize) -> Option<(usize, usize)> {
    let mut open_quote: Option<(usize, char)> = None;
    for (index, c) in letters.iter().enumerate() {
        match open_quote {
            None if matches!(c, '"' | '\'') => open_quote = Some((index + 1, *c)),
            Some((from, quote)) if *c == quote => {
                if (from..=index).contains(&cursor) {
                    return Some((from, index));
                }
                open_quote = None;
            }
            _ => {}
        }
    }
    None
}

/// Returns the text before a position on its line.
pub fn text_before(text: &str, at: Position) -> String {
    line_at(text, at.line)
        .chars()
        .take(column_of(text, at))
        .collect()
}

/// Returns the occurrences of a whole word outside `//` comments, except cards (`//!`), and whether each is called.
pub fn find_word<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (Span, bool)> + 'a {
    text.lines().enumerate().flat_map(move |(number, line)| {
        let code = line
            .find("//")
            .filter(|_| !line.starts_with("//!"))
            .map_or(line, |end| &line[..end]);
        code.match_indices(word).filter_map(move |(at, _)| {
            let (head, tail) = (&code[..at], &code[at + word.len()..]);
            let is_whole_word = !head.chars().next_back().is_some_and(|c| is_word_char(&c))
                && !tail.chars().next().is_some_and(|c| is_word_char(&c));
            let span = Span {
                line: number + 1,
                column: head.chars().count() + 1,
                length: word.chars().count(),
            };
            is_whole_word.then(|| (span, tail.starts_with('(')))
        })
    })
}

/// Returns the YAML keys above a position, outermost first, and the key whose value contains it, if any.
pub fn yaml_path(text: &str, at: Position) -> (Vec<String>, Option<String>) {
    let mut stack: Vec<(usize, String)> = Vec::new();
    for line in text.lines().take(at.line as usize) {
        if let Some((indent, key)) = line_key(line) {
            stack.retain(|(outer, _)| *outer < indent);
            stack.push((indent, key));
        }
    }
    let head = text_before(text, at);
    let (indent, content) = indent(&head);
    stack.retain(|(outer, _)| *outer < indent);
    let mut path: Vec<String> = stack.into_iter().map(|(_, key)| key).collect();
    let (mut word, mut value, mut quote) = (String::new(), None, None);
    for c in content.chars() {
        match c {
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => word.push(c),
            ':' => value = Some(std::mem::take(&mut word).trim().to_string()),
            '{' => {
                path.push(value.take().unwrap_or_default());
                word.clear();
            }
            '}' => {
                path.pop();
                value = None;
                word.clear();
            }
            ',' if !content.contains('{') && value.is_some() => word.clear(),
            ',' => {
                // Within a flow sequence the key does not change.
                let listed = value.is_some() && content.rfind('[') > content.rfind(']');
                value = value.filter(|_| listed);
                word.clear();
            }
            '[' => word.clear(),
            c => word.push(c),
        }
    }
    // Flow mappings in a sequence have no key.
    path.retain(|key| !key.is_empty());
    (path, value)
}

/// Returns the indentation of a line, including list dashes, and the rest of the line.
fn indent(line: &str) -> (usize, &str) {
    let content = line.trim_start_matches([' ', '-']);
    (line.len() - content.len(), content)
}

/// Returns the key at the start of a line, with its indentation.
fn line_key(line: &str) -> Option<(usize, String)> {
    let (indent, content) = indent(line);
    let (key, _) = content.split_once(':')?;
    let plain = !content.starts_with(['#', '{', '[']) && !key.contains(['{', '[']);
    plain.then(|| (indent, key.trim_matches(['"', '\'']).to_string()))
}
