//! Throws and choices as they were made, each with what was asked.

use crate::situation::board::Board;
use crate::situation::trace::{Event, MadeChoice, ThrownDice};
use crate::situation::value_text::value_text;
use serde::Serialize;
use std::fmt;

/// A throw or a choice that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum JournalMove {
    /// Dice fell.
    Throw {
        /// The dice as the rule writes them: "2d6".
        #[serde(rename = "throw")]
        dice: String,
        /// What for.
        #[serde(rename = "for")]
        purpose: String,
        /// What each die showed.
        faces: Vec<u32>,
    },
    /// A choice was made.
    Choice {
        /// Of what.
        #[serde(rename = "choice")]
        what: String,
        /// Whose; empty for nobody's in particular.
        side: String,
        /// What was open.
        options: Vec<String>,
        /// What was taken.
        taken: String,
    },
}

impl fmt::Display for JournalMove {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            JournalMove::Throw { dice, purpose, faces } => {
                let faces: Vec<String> = faces.iter().map(u32::to_string).collect();
                write!(f, "{dice} for {purpose} ({})", faces.join(" "))
            }
            JournalMove::Choice { what, side, taken, .. } if side.is_empty() => write!(f, "{what} = {taken}"),
            JournalMove::Choice { what, side, taken, .. } => write!(f, "{side}: {what} = {taken}"),
        }
    }
}

/// The throws and choices among what happened.
pub fn moves(events: &[Event], board: &Board) -> Vec<JournalMove> {
    let made = |event: &Event| match event {
        Event::Throw(thrown) => {
            let ThrownDice { dice, purpose, throw } = &**thrown;
            Some(JournalMove::Throw { dice: dice.to_string(), purpose: purpose.to_string(), faces: throw.faces.clone() })
        }
        // Where one thing alone is open nobody chooses.
        Event::Choice(chosen) if chosen.options.len() > 1 => {
            let MadeChoice { side, question: what, options, chosen_index: picked, .. } = &**chosen;
            let options: Vec<String> = options.iter().map(|option| value_text(option, board)).collect();
            Some(JournalMove::Choice { what: what.to_string(), side: side.to_string(), taken: options[*picked].clone(), options })
        }
        _ => None,
    };
    events.iter().filter_map(made).collect()
}
