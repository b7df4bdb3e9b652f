//! Drawing styles of a map: how it shows attributes of places, sides and pieces.

use crate::complaint::{DiagnosticCode, did_you_mean};
use crate::data::format::game::DRAW_STYLES;
use crate::data::yaml::{YamlNode, YamlReader};
use std::collections::BTreeMap;

/// How a map shows an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawStyle {
    /// Fills the place.
    Fill,
    /// Draws a mark in the place.
    Mark,
    /// Labels the place.
    Name,
    /// Draws a line along the side between two places.
    SideLine,
    /// Draws a line from one place to the next.
    Line,
    /// Horizontal position of a place, or horizontal offset of a piece from the centre of its place.
    OffsetX,
    /// Vertical position of a place, or vertical offset of a piece from its own side begins.
    OffsetY,
    /// Depth of a strip-shaped place, or of the area that a piece stands for.
    Depth,
    /// Width of a strip-shaped place, or of the area that a piece stands for.
    Width,
    /// A number on the counter of a piece.
    Number,
    /// The direction of a piece in a strip, in degrees to the right of straight ahead.
    Direction,
}

/// Reads `drawn:`, a map from attribute to style; `attributes` lists the valid attributes.
pub fn read_draw_styles(node: &YamlNode, attributes: &[&str], reader: &mut YamlReader) -> BTreeMap<String, DrawStyle> {
    use DrawStyle::{Depth, Direction, Fill, Line, Mark, Name, Number, OffsetX, OffsetY, SideLine, Width};
    let words: Vec<(&str, DrawStyle)> =
        DRAW_STYLES.iter().copied().zip([Fill, Mark, Name, SideLine, Line, OffsetX, OffsetY, Depth, Width, Number, Direction]).collect();
    let mut styles = BTreeMap::new();
    for (key, value) in node.entries_of("drawn") {
        let name = key.text_or_empty();
        if !attributes.contains(&name) {
            let what = did_you_mean(format!("no place, side or piece has `{name}`"), name, attributes.iter().copied());
            reader.complain(DiagnosticCode::UnknownName, key.span, what, "`drawn:` says how attributes are drawn on a map");
        }
        styles.extend(reader.keyword(value, DiagnosticCode::UnknownName, "way to draw", &words).map(|style| (name.to_string(), style)));
    }
    styles
}
