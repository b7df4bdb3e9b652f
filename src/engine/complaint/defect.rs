//! What is wrong with a name, a value or a file, before its place is known.

use crate::complaint::{Complaint, DiagnosticCode, Message, Place};
use std::fmt;

/// A complaint without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    pub code: DiagnosticCode,
    /// What is wrong.
    pub message: Message,
    /// The remedy.
    pub help: String,
}

impl Defect {
    pub fn new(
        code: DiagnosticCode,
        message: impl Into<Message>,
        help: impl Into<String>,
    ) -> Defect {
        Defect {
            code,
            message: message.into(),
            help: help.into(),
        }
    }

    /// Creates the defect of a name that is not declared.
    pub fn unknown_name(message: impl Into<Message>, help: impl Into<String>) -> Defect {
        Defect::new(DiagnosticCode::UnknownName, message, help)
    }

    /// Returns a complaint that says the same of a place.
    pub fn at(self, place: Place) -> Complaint {
        Complaint::new(self.code, place, self.message).with_help(self.help)
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.help)
    }
}
