//! The name of a figure as it is typed and shown: `Red guard: size`.

use std::fmt;

/// A figure of something. Only the last colon parts the two: names of pieces may hold others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureName<'a> {
    /// Piece, place or side between two places; `track` for a track, `given` for an input of the procedure.
    pub target: &'a str,
    /// Attribute, track or input name.
    pub key: &'a str,
}

impl FigureName<'_> {
    /// Parses `Red guard: size`; `None` where one of the two is missing.
    pub fn parse(text: &str) -> Option<FigureName<'_>> {
        let (target, key) = text.rsplit_once(':')?;
        let (target, key) = (target.trim(), key.trim());
        (!target.is_empty() && !key.is_empty()).then_some(FigureName { target, key })
    }

    /// Returns whether a text names a figure of `target`.
    pub fn is_of(text: &str, target: &str) -> bool {
        FigureName::parse(text).is_some_and(|name| name.target == target)
    }
}

impl fmt::Display for FigureName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.target, self.key)
    }
}
