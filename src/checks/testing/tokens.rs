//! The tokens of a script.

use casebook_engine::syntax::normalize::quoted_length;
use std::ops::Range;

/// A token of a script.
pub struct Token<'t> {
    pub text: &'t str,
    /// Its byte offset in the script.
    pub offset: usize,
}

impl Token<'_> {
    /// Returns the byte range of the token in the script.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }
}

const OPERATORS: &[&str] = &[
    "..=", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "#{", "..",
];

/// Tokenizes a script; comments are skipped, and a string is one token.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found_tokens = Vec::new();
    let mut offset = 0;
    while let Some(c) = text[offset..].chars().next() {
        let remaining = &text[offset..];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match c {
            _ if remaining.starts_with("//") => remaining.find('\n').unwrap_or(remaining.len()),
            _ if remaining.starts_with("/*") => {
                remaining.find("*/").map_or(remaining.len(), |end| end + 2)
            }
            '"' | '`' | '\'' => quoted_length(remaining, c),
            _ if word(c) => remaining.find(|c| !word(c)).unwrap_or(remaining.len()),
            _ => OPERATORS
                .iter()
                .find(|sign| remaining.starts_with(**sign))
                .map_or(c.len_utf8(), |sign| sign.len()),
        };
        if !c.is_whitespace() && !remaining.starts_with("//") && !remaining.starts_with("/*") {
            found_tokens.push(Token {
                text: &remaining[..length],
                offset,
            });
        }
        offset += length;
    }
    found_tokens
}

/// Returns the byte range from the first to the last of some tokens.
pub fn range_of(tokens: &[Token]) -> Range<usize> {
    tokens.first().map_or(0, |first| first.offset)..tokens.last().map_or(0, |last| last.range().end)
}
