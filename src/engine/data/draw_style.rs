//! Drawing styles of a map: how it shows attributes of places, sides and pieces.

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

impl DrawStyle {
    /// Styles by their keyword.
    pub const NAMES: [(&str, DrawStyle); 11] = [
        ("fill", DrawStyle::Fill),
        ("mark", DrawStyle::Mark),
        ("name", DrawStyle::Name),
        ("along", DrawStyle::SideLine),
        ("line", DrawStyle::Line),
        ("across", DrawStyle::OffsetX),
        ("up", DrawStyle::OffsetY),
        ("deep", DrawStyle::Depth),
        ("wide", DrawStyle::Width),
        ("number", DrawStyle::Number),
        ("direction", DrawStyle::Direction),
    ];
}
