//! Tracks: turns of a calendar, named boxes, whole numbers.

use crate::complaint::DiagnosticCode;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::Turn;

/// A track: turns of a calendar, or whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Track {
    /// Turns from the first to the last.
    Turns {
        first: Turn,
        last: Turn,
        turns_per_year: i64,
    },
    /// Named boxes in order.
    Names(Vec<String>),
    /// Numbers from the lowest to the highest.
    Numbers {
        /// The lowest.
        from: i64,
        /// The highest.
        to: i64,
    },
}

impl Track {
    /// Returns whether a text is a position of the track.
    pub fn contains(&self, text: &str) -> bool {
        match self {
            Track::Turns {
                first,
                last,
                turns_per_year: a_year,
            } => Turn::parse(text).is_ok_and(|turn| {
                (*first..=*last).contains(&turn) && (1..=*a_year).contains(&turn.number)
            }),
            Track::Names(names) => names.iter().any(|name| name == text),
            Track::Numbers { from, to } => {
                text.parse().is_ok_and(|n: i64| (*from..=*to).contains(&n))
            }
        }
    }

    /// Returns the turns or boxes in order; empty for a numeric track.
    pub fn boxes(&self) -> Vec<String> {
        match self {
            Track::Turns {
                first,
                last,
                turns_per_year: a_year,
            } => {
                let turns = (first.year..=last.year)
                    .flat_map(|year| (1..=*a_year).map(move |number| Turn { number, year }));
                turns
                    .filter(|turn| (*first..=*last).contains(turn))
                    .map(|turn| turn.to_string())
                    .collect()
            }
            Track::Names(names) => names.clone(),
            Track::Numbers { .. } => Vec::new(),
        }
    }

    /// Describes the valid positions in words.
    pub fn describe(&self) -> String {
        match self {
            Track::Turns {
                first,
                last,
                turns_per_year: a_year,
            } => format!("its turns go from {first} to {last}, {a_year} a year"),
            Track::Names(names) => format!("its boxes are {}", names.join(", ")),
            Track::Numbers { from, to: i64::MAX } => format!("it goes from {from}"),
            Track::Numbers { from, to } => format!("it goes from {from} to {to}"),
        }
    }

    /// Returns what to do about a position that is not on the track.
    pub fn remedy(&self) -> String {
        format!("stay on the track: {}", self.describe())
    }

    /// Parses a track.
    pub fn read(node: &YamlNode, reader: &mut YamlReader) -> Option<Track> {
        if let Some(names) = node.get("names") {
            return Some(Track::Names(names.texts()));
        }
        if let Some(turns) = node.get("turns") {
            let text = turns.as_text()?;
            let ends: Vec<_> = text.split("..").map(Turn::parse).collect();
            let a_year = node.number_of("a_year").unwrap_or(1);
            if let [Ok(first), Ok(last)] = ends[..]
                && a_year > 0
            {
                return Some(Track::Turns {
                    first,
                    last,
                    turns_per_year: a_year,
                });
            }
            reader.complain(
                DiagnosticCode::Notation,
                turns.span,
                format!("`{text}` is not a stretch of turns"),
                "write the first and the last: \"7/61..4/65\", and `a_year:`",
            );
            return None;
        }
        Some(Track::Numbers {
            from: node.number_of("from").unwrap_or(0),
            to: node.number_of("to").unwrap_or(i64::MAX),
        })
    }
}
