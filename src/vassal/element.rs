//! XML as a tree within bounds. Entities of the document itself are not expanded: a few lines of them could grow to gigabytes.

use crate::fault::{VassalFault, VassalFaultKind};
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;

/// Maximum number of elements; large modules have some 50,000.
const MAX_ELEMENTS: usize = 1_000_000;

/// Maximum depth.
const MAX_DEPTH: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub children: Vec<Element>,
    pub text: String,
}

impl Element {
    /// Parses a document.
    pub fn parse(text: &str, place: &str) -> Result<Element, VassalFault> {
        let line = |at: u64| {
            text.as_bytes()
                .iter()
                .take(at as usize)
                .filter(|byte| **byte == b'\n')
                .count()
                + 1
        };
        let bad = |at: u64, error: String| {
            VassalFaultKind::Xml {
                line: line(at),
                error,
            }
            .at(place)
        };
        let mut reader = Reader::from_str(text);
        let mut open: Vec<Element> = vec![Element::default()];
        let mut count = 0;
        loop {
            let at = reader.buffer_position();
            let event = reader
                .read_event()
                .map_err(|error| bad(at, error.to_string()))?;
            let is_empty = matches!(event, Event::Empty(_));
            match event {
                Event::Start(start) | Event::Empty(start) => {
                    count += 1;
                    if count > MAX_ELEMENTS || open.len() > MAX_DEPTH {
                        return Err(VassalFaultKind::TooManyElements {
                            elements: MAX_ELEMENTS,
                            depth: MAX_DEPTH,
                        }
                        .at(place));
                    }
                    open.push(Element::start(&start).map_err(|reason| bad(at, reason))?);
                    if is_empty {
                        close(&mut open);
                    }
                }
                // The reader has checked that the names match.
                Event::End(_) => close(&mut open),
                Event::Text(part) => add_text(&mut open, &part),
                Event::CData(part) => add_text(&mut open, &part),
                Event::DocType(_) => {
                    return Err(VassalFaultKind::DocumentType { line: line(at) }.at(place));
                }
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                // A reference to an entity; only those of XML itself are known.
                reference => {
                    let name: &str = &reference;
                    let unknown = |_| {
                        VassalFaultKind::UnknownEntity {
                            line: line(at),
                            name: name.into(),
                        }
                        .at(place)
                    };
                    add_text(&mut open, &unescape(&format!("&{name};")).map_err(unknown)?);
                }
            }
        }
        let [root] = &mut open[..] else {
            return Err(VassalFaultKind::TruncatedXml {
                line: line(text.len() as u64),
            }
            .at(place));
        };
        match &mut root.children[..] {
            [only] => Ok(std::mem::take(only)),
            tops => Err(bad(
                0,
                format!("it has {} elements at its top instead of one", tops.len()),
            )),
        }
    }

    fn start(start: &BytesStart) -> Result<Element, String> {
        let mut element = Element {
            name: start.name().as_ref().into(),
            ..Element::default()
        };
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let value = unescape(&attribute.value)
                .map_err(|error| error.to_string())?
                .into_owned();
            element
                .attributes
                .insert(attribute.key.as_ref().into(), value);
        }
        Ok(element)
    }

    /// Returns an attribute; empty if there is none.
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes
            .get(name)
            .map(String::as_str)
            .unwrap_or_default()
    }

    /// Returns a whole number.
    pub fn number(&self, name: &str) -> Option<i32> {
        self.attribute(name).trim().parse().ok()
    }

    /// Returns a number.
    pub fn decimal(&self, name: &str) -> Option<f64> {
        self.attribute(name)
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    }

    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.attributes
            .get(name)
            .map_or(default, |value| value.eq_ignore_ascii_case("true"))
    }

    /// Returns whether the class that it names ends so: `.Board`.
    pub fn is(&self, class: &str) -> bool {
        self.name.ends_with(class)
    }

    /// Returns all elements of a class in it, at any depth, in order.
    pub fn all<'a>(&'a self, class: &'a str) -> Vec<&'a Element> {
        let mut matching = Vec::new();
        self.collect(&|element| element.is(class), &mut matching);
        matching
    }

    /// Adds the elements that match, at any depth.
    pub fn collect<'a>(
        &'a self,
        matches: &dyn Fn(&Element) -> bool,
        matching: &mut Vec<&'a Element>,
    ) {
        for child in &self.children {
            if matches(child) {
                matching.push(child);
            }
            child.collect(matches, matching);
        }
    }
}

/// Adds text to the innermost element.
fn add_text(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// Closes the innermost element.
fn close(open: &mut Vec<Element>) {
    if let (Some(closed), Some(parent)) = (open.pop(), open.last_mut()) {
        parent.children.push(closed);
    }
}

/// Escapes a text for XML.
pub fn escape(text: &str) -> String {
    let is_allowed = |c: &char| *c >= ' ' || matches!(c, '\n' | '\t' | '\r');
    let mut out = String::new();
    for c in text.chars().filter(is_allowed) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // In attributes, readers turn these into spaces.
            '\n' | '\t' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
