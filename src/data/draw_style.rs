//! How a map is drawn, as the manifest says: which attributes of places, sides and pieces are drawn, and how.

use crate::complaint::did_you_mean;
use crate::data::format::game::DRAW_STYLES;
use crate::data::yaml::{YamlNode, YamlReader};
use std::collections::BTreeMap;

/// How an attribute is drawn on a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawStyle {
    /// What fills a place.
    Fill,
    /// A mark in a place.
    Mark,
    /// The name a place goes by.
    Name,
    /// A line along the side between two places.
    SideLine,
    /// A line from one place to the next.
    Line,
    /// How far to the right a place lies, or a piece from the centre of its place.
    OffsetX,
    /// How far up a place lies, or how far a piece stands from where its own side begins.
    OffsetY,
    /// How deep a place is that is a strip.
    Depth,
    /// How wide it is.
    Width,
}

/// How attributes of places, sides and pieces are drawn, as `drawn:` says; these are known.
pub fn read_draw_styles(node: &YamlNode, known: &[&str], reader: &mut YamlReader) -> BTreeMap<String, DrawStyle> {
    use DrawStyle::{Depth, Fill, Line, Mark, Name, OffsetX, OffsetY, SideLine, Width};
    let words: Vec<(&str, DrawStyle)> =
        DRAW_STYLES.iter().copied().zip([Fill, Mark, Name, SideLine, Line, OffsetX, OffsetY, Depth, Width]).collect();
    let mut found = BTreeMap::new();
    for (key, value) in node.get("drawn").map(YamlNode::entries).unwrap_or_default() {
        let name = key.as_text().unwrap_or_default();
        if !known.contains(&name) {
            let what = format!("no place, side or piece has `{name}`{}", did_you_mean(name, known.iter().copied()));
            reader.complain("unknown-name", key.span, what, "`drawn:` says how attributes are drawn on a map");
        }
        found.extend(reader.keyword(value, "unknown-name", "way to draw", &words).map(|way| (name.to_string(), way)));
    }
    found
}
