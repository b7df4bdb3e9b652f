//! Flat YAML parser events.

use serde_yaml::granit_parser::{Event as Parsed, Parser, ScalarStyle};
use std::borrow::Cow;
use std::ops::Range;

/// Source position: line and column from 1, and length; a token that spans lines has length 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YamlMark {
    pub line: usize,
    pub column: usize,
    pub length: usize,
}

/// A parser event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum YamlEvent {
    /// A document begins.
    DocumentStart,
    /// A scalar, and whether it is unquoted.
    Scalar(String, bool),
    /// A list begins.
    ListStart,
    /// A map begins.
    MapStart,
    /// A list or map ends.
    End,
    /// A reference to an anchor.
    Alias,
}

/// An event with its position and properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEvent {
    pub event: YamlEvent,
    /// Source position.
    pub mark: YamlMark,
    /// Range of bytes in the text; empty where nothing is written, as at the start of a block list.
    pub bytes: Range<usize>,
    /// Whether the node has an anchor.
    pub has_anchor: bool,
    /// Whether the node has a tag.
    pub has_tag: bool,
}

/// A YAML syntax error and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError(pub String, pub YamlMark);

/// Parses a text to events.
pub fn parse_events(yaml: &str) -> impl Iterator<Item = Result<PlacedEvent, YamlError>> {
    Parser::new_from_str(yaml).filter_map(|event| {
        let (event, span) = match event {
            Ok(parsed) => parsed,
            Err(error) => {
                let at = YamlMark {
                    line: error.marker().line(),
                    column: error.marker().col() + 1,
                    length: 1,
                };
                return Some(Err(YamlError(error.info().to_string(), at)));
            }
        };
        let one_line = span.start.line() == span.end.line();
        let length = if one_line {
            span.end.col().saturating_sub(span.start.col()).max(1)
        } else {
            1
        };
        let at = YamlMark {
            line: span.start.line(),
            column: span.start.col() + 1,
            length,
        };
        let (anchor, tag) = match &event {
            Parsed::Scalar(_, _, anchor, tag)
            | Parsed::SequenceStart(_, anchor, tag)
            | Parsed::MappingStart(_, anchor, tag) => (*anchor != 0, tag.is_some()),
            _ => (false, false),
        };
        let event = match event {
            Parsed::DocumentStart(..) => YamlEvent::DocumentStart,
            Parsed::Scalar(text, style, ..) => {
                YamlEvent::Scalar(text.into_owned(), style == ScalarStyle::Plain)
            }
            Parsed::SequenceStart(..) => YamlEvent::ListStart,
            Parsed::MappingStart(..) => YamlEvent::MapStart,
            Parsed::SequenceEnd | Parsed::MappingEnd => YamlEvent::End,
            Parsed::Alias(_) => YamlEvent::Alias,
            _ => return None,
        };
        Some(Ok(PlacedEvent {
            event,
            mark: at,
            bytes: span.byte_range().unwrap_or_default(),
            has_anchor: anchor,
            has_tag: tag,
        }))
    })
}

/// Returns the YAML of a file: the whole text of a data file, or a script's card (its leading `//!` lines) without the slashes.
pub fn extract_yaml<'a>(key: &str, text: &'a str) -> Cow<'a, str> {
    if !key.ends_with(".rhai") {
        return Cow::Borrowed(text);
    }
    let mut card = String::new();
    for line in text.lines() {
        let Some(line) = line.strip_prefix("//!") else {
            break;
        };
        card.push_str(line.strip_prefix(' ').unwrap_or(line));
        card.push('\n');
    }
    Cow::Owned(card)
}
