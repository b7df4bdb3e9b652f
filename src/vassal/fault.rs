//! Complaints about a file of VASSAL.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Place};

/// Makes a complaint about a file, or about a part of it: `game.vsav: savedGame`.
pub fn fault(place: &str, what: impl Into<String>, help: &str) -> Complaints {
    Complaint::new(DiagnosticCode::Vassal, Place::whole_file(place), what.into()).with_help(help).into()
}

/// The remedy for a file that is damaged.
pub const DAMAGED: &str = "save the game again in VASSAL, or ask for the file once more";

/// The remedy for a file beyond the limits.
pub const TOO_LARGE: &str = "no game needs that much: get the file from a source you trust";
