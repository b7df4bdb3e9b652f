//! The positions before each answer of a session; the oldest go when all of them take too much memory.

use super::{Session, WaitingFor};
use crate::code::state::State;
use crate::platform::task;
use std::collections::VecDeque;

/// The memory for positions in bytes unless the user sets a budget, and the part of a budget that they get: several games may be open.
const UNDO_MEMORY: u64 = 64 << 20;
const SHARE: u64 = 8;

/// Positions by the number of answers before them, each with its size in bytes.
pub struct History<T> {
    positions: VecDeque<(T, u64)>,
    /// The number of the oldest positions that are gone.
    dropped: usize,
    bytes: u64,
}

impl<T> Default for History<T> {
    fn default() -> History<T> {
        History {
            positions: VecDeque::new(),
            dropped: 0,
            bytes: 0,
        }
    }
}

impl<T> History<T> {
    /// Adds the position before the next answer. The last one always stays.
    pub fn push(&mut self, position: T, bytes: u64) {
        self.positions.push_back((position, bytes));
        self.bytes += bytes;
        let limit = task::memory().map_or(UNDO_MEMORY, |memory| memory / SHARE);
        while self.bytes > limit && self.positions.len() > 1 {
            self.bytes -= self.positions.remove(0).map_or(0, |(_, bytes)| bytes);
            self.dropped += 1;
        }
    }

    /// Removes the position before the last answer.
    pub fn pop(&mut self) -> Option<T> {
        let (position, bytes) = self.positions.pop_back()?;
        self.bytes -= bytes;
        Some(position)
    }

    /// Returns the position after a number of answers, if a later answer was given and it is still there.
    pub fn get(&self, answers: usize) -> Option<&T> {
        self.positions
            .get(answers.checked_sub(self.dropped)?)
            .map(|(position, _)| position)
    }

    /// Returns the position before the last answer.
    pub fn last(&self) -> Option<&T> {
        self.positions.back().map(|(position, _)| position)
    }

    /// Returns the number of positions that are gone.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Iterates over the positions that are still there.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.positions.iter().map(|(position, _)| position)
    }
}

impl<T: Clone> History<T> {
    /// Returns the history up to a number of answers.
    pub fn up_to(&self, answers: usize) -> History<T> {
        let positions: VecDeque<(T, u64)> = self
            .positions
            .iter()
            .take(answers.saturating_sub(self.dropped))
            .cloned()
            .collect();
        let bytes = positions.iter().map(|(_, bytes)| bytes).sum();
        History {
            positions,
            dropped: self.dropped,
            bytes,
        }
    }
}

/// A position that was answered.
pub struct AnsweredPosition<'a> {
    /// The number of answers before it.
    pub answers: usize,
    pub state: &'a State,
    /// The request.
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
        self.history
            .iter()
            .zip(self.history.dropped()..)
            .map(move |(position, answers)| AnsweredPosition {
                answers,
                state: &position.state,
                asked: &position.waiting_for,
                procedure: position.procedure_starts.len(),
                phase: position
                    .turn_sequence
                    .as_ref()
                    .map(|turn_sequence| turn_sequence.current(game)),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::task::Task;

    #[test]
    fn the_oldest_positions_go_first() {
        Task::new(None, Some(8 * 100)).enter(|| {
            let mut history = History::default();
            (0..10).for_each(|number| history.push(number, 30));
            assert_eq!(
                (
                    history.dropped(),
                    history.iter().copied().collect::<Vec<_>>()
                ),
                (7, vec![7, 8, 9])
            );
            assert_eq!(
                (history.get(6), history.get(7), history.get(10)),
                (None, Some(&7), None)
            );
            assert_eq!(history.up_to(8).iter().copied().collect::<Vec<_>>(), [7]);
            history.push(10, 1_000);
            assert_eq!(
                (history.pop(), history.pop()),
                (Some(10), None),
                "the last one stays"
            );
        });
    }
}
