//! The positions before each answer, as far as they are kept.

use super::{Session, WaitingFor};
use crate::code::state::State;

/// A position that was answered.
pub struct AnsweredPosition<'a> {
    /// The number of answers before it.
    pub answers: usize,
    /// The state.
    pub state: &'a State,
    /// What was asked.
    pub asked: &'a WaitingFor,
    /// The number of its procedure, from 1.
    pub procedure: usize,
    /// The phase and the name of a game's procedure.
    pub phase: Option<(&'a str, &'a str)>,
}

impl Session {
    /// Iterates over the positions that were answered; the oldest are gone where they took too much memory.
    pub fn answered_positions(&self) -> impl Iterator<Item = AnsweredPosition<'_>> {
        let game = &self.situation.ruleset().game;
        self.history.iter().zip(self.history.dropped()..).map(move |(position, answers)| AnsweredPosition {
            answers,
            state: &position.state,
            asked: &position.waiting_for,
            procedure: position.procedure_starts.len(),
            phase: position.turn_sequence.as_ref().map(|turn_sequence| turn_sequence.current(game)),
        })
    }
}
