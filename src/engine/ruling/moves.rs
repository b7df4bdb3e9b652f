//! Throws and choices in the order they were made, each with its request.

use crate::notation::Face;
use crate::situation::board::Board;
use crate::situation::trace::{Event, MadeChoice, ThrownDice};
use crate::situation::value_text::value_text;
use serde::Serialize;
use std::fmt;

/// A throw or a choice that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum JournalMove {
    /// A throw of dice.
    Throw {
        /// The dice in the notation of the rule, such as "2d6".
        #[serde(rename = "throw")]
        dice: String,
        /// The purpose of the throw.
        #[serde(rename = "for")]
        purpose: String,
        /// The face of each die.
        faces: Vec<Face>,
    },
    /// A choice.
    Choice {
        /// The question.
        #[serde(rename = "choice")]
        question: String,
        /// The side that chose; empty if the choice belongs to no side.
        side: String,
        /// The options that were offered.
        options: Vec<String>,
        /// The option that was taken.
        taken: String,
    },
}

impl fmt::Display for JournalMove {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            JournalMove::Throw {
                dice,
                purpose,
                faces,
            } => {
                write!(f, "{dice} for {purpose} ({})", Face::join(faces, " "))
            }
            JournalMove::Choice {
                question,
                side,
                taken,
                ..
            } if side.is_empty() => write!(f, "{question} = {taken}"),
            JournalMove::Choice {
                question,
                side,
                taken,
                ..
            } => write!(f, "{side}: {question} = {taken}"),
        }
    }
}

/// Extracts the throws and choices from events.
pub fn moves(events: &[Event], board: &Board) -> Vec<JournalMove> {
    let journal_move = |event: &Event| match event {
        Event::Throw(thrown) => {
            let ThrownDice {
                dice,
                purpose,
                faces,
                ..
            } = &**thrown;
            Some(JournalMove::Throw {
                dice: dice.to_string(),
                purpose: purpose.to_string(),
                faces: faces.clone(),
            })
        }
        // A choice with a single option is made automatically.
        Event::Choice(chosen) if chosen.options.len() > 1 => {
            let MadeChoice {
                side,
                question,
                options,
                chosen_index: picked,
                ..
            } = &**chosen;
            let options: Vec<String> = options
                .iter()
                .map(|option| value_text(option, board))
                .collect();
            Some(JournalMove::Choice {
                question: question.to_string(),
                side: side.to_string(),
                taken: options[*picked].clone(),
                options,
            })
        }
        _ => None,
    };
    events.iter().filter_map(journal_move).collect()
}
