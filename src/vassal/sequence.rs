//! Texts joined by a delimiter, as VASSAL's `SequenceEncoder` writes them: a backslash escapes a delimiter, quotes protect the ends.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Separates one command from the next.
pub const COMMAND: char = '\u{1b}';

/// Splits a text at the delimiters that no backslash escapes.
pub struct SequenceReader<'a> {
    rest: Option<&'a str>,
    delimiter: char,
}

impl<'a> SequenceReader<'a> {
    /// Starts at the beginning of a text. The delimiter is an ASCII character.
    pub fn new(text: &'a str, delimiter: char) -> SequenceReader<'a> {
        SequenceReader {
            rest: Some(text),
            delimiter,
        }
    }

    /// Returns the text that is not split yet; `None` after the last part.
    pub fn rest(&self) -> Option<&'a str> {
        self.rest
    }

    /// Returns the next part, empty if there is none.
    pub fn text(&mut self) -> Cow<'a, str> {
        self.next().unwrap_or_default()
    }

    /// Returns the next part as a whole number; `None` if it is none.
    pub fn number(&mut self) -> Option<i32> {
        self.next().and_then(|part| part.parse().ok())
    }
}

impl<'a> Iterator for SequenceReader<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Cow<'a, str>> {
        let text = self.rest?;
        let (mut joined, mut start) = (String::new(), 0);
        let mut part_end = None;
        for (index, _) in text.match_indices(self.delimiter) {
            if index > 0 && text.as_bytes()[index - 1] == b'\\' {
                // The delimiter itself begins the next piece of the part.
                joined.push_str(&text[start..index - 1]);
                start = index;
            } else {
                part_end = Some(index);
                break;
            }
        }
        let end = part_end.unwrap_or(text.len());
        self.rest = part_end.map(|at| &text[at + 1..]);
        let joined_part = if joined.is_empty() {
            Cow::Borrowed(&text[start..end])
        } else {
            Cow::Owned(joined + &text[start..end])
        };
        Some(unquoted(joined_part))
    }
}

/// Removes the single quotes around a part.
fn unquoted(part: Cow<str>) -> Cow<str> {
    if part.len() < 2 || !part.starts_with('\'') || !part.ends_with('\'') {
        return part;
    }
    match part {
        Cow::Borrowed(text) => Cow::Borrowed(&text[1..text.len() - 1]),
        Cow::Owned(text) => Cow::Owned(text[1..text.len() - 1].into()),
    }
}

/// Joins texts so that [`SequenceReader`] and VASSAL split them again.
pub fn join<T: AsRef<str>>(parts: &[T], delimiter: char) -> String {
    let escaped = |part: &T| {
        let part = part.as_ref();
        let text = part.replace(delimiter, &format!("\\{delimiter}"));
        let quoted = part.starts_with('\\') || part.starts_with('\'') && part.ends_with('\'');
        if quoted { format!("'{text}'") } else { text }
    };
    parts
        .iter()
        .map(escaped)
        .collect::<Vec<_>>()
        .join(&delimiter.to_string())
}

/// Adds to the new state of a stack what lies in it and stands neither in the new state nor in the old one: each above what it lies on, or at
/// the bottom.
pub fn merge_contents(members: &[String], new: &str, old: &str) -> String {
    let split = |state: &str| {
        SequenceReader::new(state, ';')
            .map(|part| part.into_owned())
            .collect::<Vec<_>>()
    };
    let (mut new_fields, old) = (split(new), split(old));
    let contents = new_fields.split_off(new_fields.len().min(3));
    let mut placed: HashSet<&str> = contents.iter().map(String::as_str).collect();
    let gone: HashSet<&str> = old
        .iter()
        .skip(3)
        .map(String::as_str)
        .filter(|id| !placed.contains(id))
        .collect();
    let (mut above, mut bottom): (HashMap<&str, &str>, Vec<&str>) = (HashMap::new(), Vec::new());
    for (index, member) in members
        .iter()
        .enumerate()
        .filter(|(_, member)| !gone.contains(member.as_str()))
    {
        let below = index
            .checked_sub(1)
            .map(|below| members[below].as_str())
            .filter(|below| placed.contains(below));
        match below {
            _ if !placed.insert(member) => {}
            Some(below) => drop(above.insert(below, member)),
            None => bottom.push(member),
        }
    }
    for id in bottom
        .into_iter()
        .rev()
        .chain(contents.iter().map(String::as_str))
    {
        let mut at = Some(id);
        while let Some(id) = at {
            new_fields.push(id.into());
            at = above.remove(id);
        }
    }
    join(&new_fields, ';')
}
