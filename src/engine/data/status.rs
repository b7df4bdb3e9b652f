//! How reliable a figure is.

use serde::Serialize;

/// How reliable a figure is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Status {
    /// Seen in the named source.
    #[default]
    Printed,
    /// Computed from printed figures by arithmetic or logic.
    Derived,
    /// Set by a house rule: certain where the rule is in force, although no print states it.
    House,
    /// Authored here, by the method that the file states.
    Reconstructed,
    /// Unknown; a lookup refuses.
    Missing,
}

impl Status {
    /// Returns whether a figure is certain, from print or by a house rule.
    pub fn is_certain(self) -> bool {
        matches!(self, Status::Printed | Status::Derived | Status::House)
    }

    /// Says why a figure of this status can't be used: "the figure is not known".
    pub fn refusal(self) -> &'static str {
        if self == Status::Missing {
            "is not known"
        } else {
            "is reconstructed, and a strict ruling does not use such figures"
        }
    }

    /// Statuses by their keyword.
    pub const NAMES: [(&str, Status); 5] = [
        ("printed", Status::Printed),
        ("derived", Status::Derived),
        ("house", Status::House),
        ("reconstructed", Status::Reconstructed),
        ("missing", Status::Missing),
    ];

    /// Returns the mark before a figure, which shows its status without colour.
    pub fn mark(self) -> &'static str {
        match self {
            Status::Printed => "",
            Status::Derived => "=",
            Status::House => "+",
            Status::Reconstructed => "~",
            Status::Missing => "?",
        }
    }

    /// Returns the keyword.
    pub fn as_str(self) -> &'static str {
        Status::NAMES
            .iter()
            .find(|(_, status)| *status == self)
            .map_or("", |(word, _)| word)
    }
}

/// A reconstructed figure of a piece or deck, or the features of a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReconstructedFigure {
    /// Path of the source file.
    pub path: String,
    /// Name of the figure.
    pub name: String,
    /// Name of the piece or deck; for a map, "the map".
    pub piece: String,
}

impl ReconstructedFigure {
    /// Creates the figure that represents all features of the map of a file.
    pub fn map(path: &str) -> ReconstructedFigure {
        ReconstructedFigure {
            path: path.into(),
            name: "content".into(),
            piece: MAP.into(),
        }
    }
}

/// The name of a map among reconstructed figures.
pub const MAP: &str = "the map";
