//! What happened on the way to a ruling: which case answered in which layer, which cell was read, which die fell, which choice was made.
//!
//! Events are small and cheap; their text is made when somebody reads them.

use crate::complaint::did_you_mean;
use crate::data::case::Status;
use crate::data::table::Table;
use crate::situation::dice::Throw;
use rhai::{Array, Dynamic, ImmutableString};
use std::sync::Arc;

/// How a choice was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// By the situation file or the command line.
    Policy,
    /// By nobody: the first option.
    First,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A case was asked: slot, and which answer of its chain.
    Ask {
        /// The function.
        slot: usize,
        /// Which answer, 0 being the newest.
        depth: usize,
        /// Whether the answer was known from before.
        again: bool,
    },
    /// The case asked last has answered.
    Done,
    /// A cell was read.
    Cell(Arc<Table>, usize),
    /// Dice fell.
    Die {
        /// The dice as written.
        dice: ImmutableString,
        /// What for.
        purpose: ImmutableString,
        /// What they showed.
        throw: Throw,
    },
    /// A choice was made.
    Choice {
        /// Whose.
        side: ImmutableString,
        /// Of what.
        what: ImmutableString,
        /// The options.
        options: Array,
        /// Which was taken.
        picked: usize,
        /// Who said so.
        by: Answered,
    },
    /// A part of the ruling begins.
    Step(ImmutableString),
    /// A line of the ruling.
    Say(ImmutableString, Array),
    /// A named outcome.
    Result(ImmutableString, Dynamic),
    /// The situation changed.
    Change(ImmutableString, Array),
    /// A doubtful figure of a piece was read: piece, figure, status.
    Figure(ImmutableString, ImmutableString, Status, Arc<str>),
}

/// Answers given by hand to questions that did not come up, and those that did.
pub fn unheard(events: &[Event], given: &[(String, String)]) -> Vec<String> {
    let mut asked: Vec<(String, &str)> = Vec::new();
    for event in events {
        if let Event::Choice { side, what, .. } = event {
            let full = if side.is_empty() { what.to_string() } else { format!("{side}: {what}") };
            if !asked.iter().any(|(known, _)| *known == full) {
                asked.push((full, what));
            }
        }
    }
    let idle = given.iter().filter(|(name, _)| !asked.iter().any(|(full, what)| name == full || name == what));
    let near = |name: &str| did_you_mean(name, asked.iter().map(|(full, _)| full.as_str()));
    let mut list: Vec<String> = idle.map(|(name, _)| format!("{name}{}", near(name))).collect();
    if !list.is_empty() && !asked.is_empty() {
        list.push(format!("(asked: {})", asked.into_iter().map(|(full, _)| full).collect::<Vec<_>>().join("; ")));
    }
    list
}
