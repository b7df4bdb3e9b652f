//! What a YAML parser says of a text, one thing after the other; of the files that ship it is packed when the binary is built.
//!
//! To tell YAML's tokens apart is most of what reading a card costs, and what ships is known beforehand: a file that says the same, letter
//! by letter, is read from what was packed. The tree is built in one place wherever the events came from. The build compiles this file by
//! itself, so it knows nothing of the crate.

use serde_yaml::granit_parser::{Event as Parsed, Parser, ScalarStyle};
use std::borrow::Cow;

/// Where something stands: line and column from 1, and its length; 1 for what goes over the end of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YamlMark {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The length.
    pub length: usize,
}

/// One thing a parser says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum YamlEvent {
    /// A document begins.
    DocumentStart,
    /// A scalar, and whether it stands without quotes.
    Scalar(Cow<'static, str>, bool),
    /// A list begins.
    ListStart,
    /// A map begins.
    MapStart,
    /// A list or map ends.
    End,
    /// Another name for what has an anchor.
    Alias,
}

/// An event with what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEvent {
    /// The event.
    pub event: YamlEvent,
    /// Where it stands.
    pub mark: YamlMark,
    /// Whether it has an anchor.
    pub has_anchor: bool,
    /// Whether it has a tag.
    pub has_tag: bool,
}

/// Why a text is no YAML, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError(pub String, pub YamlMark);

/// What the parser says of a text.
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

/// The YAML of a file: all of a file of data; of a script its card, the `//!` lines it begins with, without their slashes.
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

/// The kinds of events as they are packed.
static PACKED_KINDS: [YamlEvent; 5] =
    [YamlEvent::DocumentStart, YamlEvent::ListStart, YamlEvent::MapStart, YamlEvent::End, YamlEvent::Alias];
const PLAIN_SCALAR: usize = 5;
#[allow(dead_code)] // for the build script
const QUOTED_SCALAR: usize = 6;

/// The events of a text as a text; none where it has faults, anchors or tags, of which complaints are made.
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

/// A number, six bits to a letter; those with a seventh go on.
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

/// The events that were packed.
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
