//! Flat YAML parser events; those of embedded files are packed at build time.
//!
//! Tokenising YAML dominates the cost of reading a card, so a file whose text equals the embedded one is read from packed events. Parsed
//! and packed events feed the same tree builder. The build script includes this file, so it must not use the rest of the crate.

use serde_yaml::granit_parser::{Event as Parsed, Parser, ScalarStyle};
use std::borrow::Cow;

/// Source position: line and column from 1, and length; a token that spans lines has length 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YamlMark {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The length.
    pub length: usize,
}

/// A parser event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum YamlEvent {
    /// A document begins.
    DocumentStart,
    /// A scalar, and whether it is unquoted.
    Scalar(Cow<'static, str>, bool),
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
    /// The event.
    pub event: YamlEvent,
    /// Source position.
    pub mark: YamlMark,
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
            Ok(told) => told,
            Err(error) => {
                let at = YamlMark { line: error.marker().line(), column: error.marker().col() + 1, length: 1 };
                return Some(Err(YamlError(error.info().to_string(), at)));
            }
        };
        let one_line = span.start.line() == span.end.line();
        let length = if one_line { span.end.col().saturating_sub(span.start.col()).max(1) } else { 1 };
        let at = YamlMark { line: span.start.line(), column: span.start.col() + 1, length };
        let (anchor, tag) = match &event {
            Parsed::Scalar(_, _, anchor, tag) | Parsed::SequenceStart(_, anchor, tag) | Parsed::MappingStart(_, anchor, tag) => {
                (*anchor != 0, tag.is_some())
            }
            _ => (false, false),
        };
        let event = match event {
            Parsed::DocumentStart(..) => YamlEvent::DocumentStart,
            Parsed::Scalar(text, style, ..) => YamlEvent::Scalar(Cow::Owned(text.into_owned()), style == ScalarStyle::Plain),
            Parsed::SequenceStart(..) => YamlEvent::ListStart,
            Parsed::MappingStart(..) => YamlEvent::MapStart,
            Parsed::SequenceEnd | Parsed::MappingEnd => YamlEvent::End,
            Parsed::Alias(_) => YamlEvent::Alias,
            _ => return None,
        };
        Some(Ok(PlacedEvent { event, mark: at, has_anchor: anchor, has_tag: tag }))
    })
}

/// Returns the YAML of a file: the whole text of a data file, or a script's card (its leading `//!` lines) without the slashes.
pub fn extract_yaml<'a>(key: &str, text: &'a str) -> Cow<'a, str> {
    if !key.ends_with(".rhai") {
        return Cow::Borrowed(text);
    }
    let mut card = String::new();
    for line in text.lines() {
        let Some(line) = line.strip_prefix("//!") else { break };
        card.push_str(line.strip_prefix(' ').unwrap_or(line));
        card.push('\n');
    }
    Cow::Owned(card)
}

/// Event kinds by their packed code.
static PACKED_KINDS: [YamlEvent; 5] =
    [YamlEvent::DocumentStart, YamlEvent::ListStart, YamlEvent::MapStart, YamlEvent::End, YamlEvent::Alias];
const PLAIN_SCALAR: usize = 5;
#[allow(dead_code)] // for the build script
const QUOTED_SCALAR: usize = 6;

/// Packs the events of a text; `None` if it has errors, anchors or tags, which need complaints.
#[allow(dead_code)] // for the build script
pub fn pack(yaml: &str) -> Option<String> {
    let mut packed = String::new();
    for told in parse_events(yaml) {
        let PlacedEvent { event, mark: at, has_anchor: false, has_tag: false } = told.ok()? else { return None };
        let kind = match &event {
            YamlEvent::Scalar(_, true) => PLAIN_SCALAR,
            YamlEvent::Scalar(_, false) => QUOTED_SCALAR,
            other => PACKED_KINDS.iter().position(|kind| kind == other)?,
        };
        [kind, at.line, at.column, at.length].into_iter().for_each(|number| write_number(&mut packed, number));
        if let YamlEvent::Scalar(text, _) = &event {
            write_number(&mut packed, text.len());
            packed.push_str(text);
        }
    }
    Some(packed)
}

/// Writes a number in base 64, low digits first; a seventh bit marks continuation.
#[allow(dead_code)] // for the build script
fn write_number(packed: &mut String, mut number: usize) {
    while number >= 64 {
        packed.push(char::from(number as u8 & 63 | 64));
        number >>= 6;
    }
    packed.push(char::from(number as u8));
}

fn read_number(packed: &str, at: &mut usize) -> Option<usize> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let letter = *packed.as_bytes().get(*at)?;
        number |= usize::from(letter & 63) << shift;
        shift += 6;
        *at += 1;
        if letter < 64 {
            return Some(number);
        }
    }
}

/// Iterates over packed events.
pub fn unpack(packed: &'static str) -> impl Iterator<Item = PlacedEvent> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let mut number = || read_number(packed, &mut next);
        let kind = number()?;
        let at = YamlMark { line: number()?, column: number()?, length: number()? };
        let event = match PACKED_KINDS.get(kind) {
            Some(event) => event.clone(),
            None => {
                let length = number()?;
                let text = packed.get(next..next + length)?;
                next += length;
                YamlEvent::Scalar(Cow::Borrowed(text), kind == PLAIN_SCALAR)
            }
        };
        Some(PlacedEvent { event, mark: at, has_anchor: false, has_tag: false })
    })
}
