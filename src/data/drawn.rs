//! How a map is drawn, as the manifest says: which attributes of places, sides and pieces are drawn, and how.

use crate::complaint::did_you_mean;
use crate::data::format::game::DRAWN;
use crate::data::yaml::{Node, Reader};
use std::collections::BTreeMap;

/// How an attribute is drawn on a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// What fills a place.
    Fill,
    /// A mark in a place.
    Mark,
    /// The name a place goes by.
    Name,
    /// A line along the side between two places.
    Along,
    /// A line from one place to the next.
    Line,
    /// How far to the right a place lies, or a piece from the centre of its place.
    Across,
    /// How far up a place lies, or how far a piece stands from where its own side begins.
    Up,
    /// How deep a place is that is a strip.
    Deep,
    /// How wide it is.
    Wide,
}

/// How attributes of places, sides and pieces are drawn, as `drawn:` says; these are known.
pub fn drawn(node: &Node, known: &[&str], reader: &mut Reader) -> BTreeMap<String, Drawn> {
    use Drawn::{Across, Along, Deep, Fill, Line, Mark, Name, Up, Wide};
    let words: Vec<(&str, Drawn)> = DRAWN.iter().copied().zip([Fill, Mark, Name, Along, Line, Across, Up, Deep, Wide]).collect();
    let mut found = BTreeMap::new();
    for (key, value) in node.get("drawn").map(Node::entries).unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        if !known.contains(&name) {
            let what = format!("no place, side or piece has `{name}`{}", did_you_mean(name, known.iter().copied()));
            reader.complain("unknown-name", key.span, what, "`drawn:` says how attributes are drawn on a map");
        }
        found.extend(reader.word(value, "unknown-name", "way to draw", &words).map(|way| (name.to_string(), way)));
    }
    found
}
