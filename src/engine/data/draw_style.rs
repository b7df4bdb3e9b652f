//! Drawing styles of a map: how it shows attributes of places, sides and pieces, and what its words look like.

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
    /// The places meet along a border, which is drawn if the map knows where they lie.
    Border,
    /// Horizontal position of a place, or horizontal offset of a piece from the centre of its place.
    OffsetX,
    /// Vertical position of a place, or vertical offset of a piece from its own side begins.
    OffsetY,
    /// Depth of a strip-shaped place, or of the area that a piece represents.
    Depth,
    /// Width of a strip-shaped place, or of the area that a piece represents.
    Width,
    /// A number on the counter of a piece; the first one is what a stack adds up.
    Number,
    /// A number on the counter of a piece that a stack does not add up.
    Figure,
    /// A letter on the counter of a piece for which this is set.
    Badge,
    /// The direction of a piece in a strip, in degrees to the right of straight ahead.
    Direction,
}

impl DrawStyle {
    /// Styles by their keyword.
    pub const NAMES: [(&str, DrawStyle); 14] = [
        ("fill", DrawStyle::Fill),
        ("mark", DrawStyle::Mark),
        ("name", DrawStyle::Name),
        ("along", DrawStyle::SideLine),
        ("line", DrawStyle::Line),
        ("border", DrawStyle::Border),
        ("across", DrawStyle::OffsetX),
        ("up", DrawStyle::OffsetY),
        ("deep", DrawStyle::Depth),
        ("wide", DrawStyle::Width),
        ("number", DrawStyle::Number),
        ("figure", DrawStyle::Figure),
        ("badge", DrawStyle::Badge),
        ("direction", DrawStyle::Direction),
    ];
}

/// Looks of land and lines: what a map is drawn with, so that a game can say which of its words looks how.
pub const LOOKS: [&str; 9] = [
    "trees",
    "hills",
    "waves",
    "houses",
    "narrow blue",
    "blue",
    "wide blue",
    "brown",
    "railway",
];

/// Directions to which north may lie on a map, in degrees to the right of up.
pub const NORTH: [(&str, i64); 4] = [("up", 0), ("right", 90), ("down", 180), ("left", 270)];

/// A known length on a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapScale {
    /// The length: in hexes, or in units of the positions of places.
    pub length: i64,
    /// What it is in the world.
    pub title: String,
}
