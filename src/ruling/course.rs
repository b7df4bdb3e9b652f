//! The sequence of play: which procedure comes after which, until an outcome says that the game is over.
//!
//! It is the manifest's, phase by phase and round again. The engine knows nothing of turns: a phase that comes but once a cycle names the
//! track that brings it round.

use crate::data::manifest::{Game, function_of};
use crate::ruleset::compose::Ruleset;
use crate::situation::board::Board;
use crate::situation::value::{Text, Value};
use crate::situation::words::text_of;

/// Where a game stands in its sequence of play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    phase: usize,
    procedure: usize,
    /// Where the track that brings each phase round stood when the phase was last played.
    played: Vec<Option<Value>>,
    /// How often the sequence has begun anew.
    pub rounds: u64,
}

/// What is carried out next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// The phase.
    pub phase: String,
    /// The procedure.
    pub procedure: String,
}

impl Course {
    /// The course of a game that begins with a procedure, on this board; none where no phase has it. What stands before it counts as played.
    pub fn from(game: &Game, procedure: &str, board: &mut Board) -> Option<Course> {
        let place = |names: &Vec<String>| names.iter().position(|name| name == procedure);
        let (phase, procedure) = game.sequence.iter().enumerate().find_map(|(phase, at)| Some((phase, place(&at.procedures)?)))?;
        let played = game.sequence.iter().enumerate();
        let played = played.map(|(number, at)| stands(at.once_a.as_ref(), board).filter(|_| number <= phase)).collect();
        Some(Course { phase, procedure, played, rounds: 1 })
    }

    /// Whether the last word on some outcome ends the game.
    pub fn is_over(game: &Game, outcomes: &[(Text, Value)], board: &Board) -> bool {
        game.ends_when.iter().any(|(name, value)| {
            let last = outcomes.iter().rev().find(|(known, _)| known.as_str() == name);
            last.is_some_and(|(_, came)| text_of(came, board) == *value)
        })
    }

    /// What is carried out now; none where a whole round has nothing that a case in force answers.
    pub fn now(&self, game: &Game) -> Option<Next> {
        let phase = game.sequence.get(self.phase)?;
        Some(Next { phase: phase.name.clone(), procedure: phase.procedures.get(self.procedure)?.clone() })
    }

    /// Goes on to what comes next on the board as it stands; false where a whole round has nothing that a case in force carries out.
    pub fn go_on(&mut self, ruleset: &Ruleset, board: &mut Board) -> bool {
        let sequence = &ruleset.game.sequence;
        let last = self.rounds + 2;
        while self.rounds < last {
            self.procedure += 1;
            if self.procedure >= sequence[self.phase].procedures.len() {
                self.enter_a_phase(&ruleset.game, board);
            }
            let named = sequence[self.phase].procedures.get(self.procedure);
            if named.is_some_and(|name| ruleset.slot(&function_of(name), 1).is_some()) {
                return true;
            }
        }
        false
    }

    /// The next phase whose time it is.
    fn enter_a_phase(&mut self, game: &Game, board: &mut Board) {
        self.procedure = 0;
        for _ in 0..game.sequence.len() {
            self.phase += 1;
            if self.phase == game.sequence.len() {
                self.phase = 0;
                self.rounds += 1;
            }
            let track = game.sequence[self.phase].once_a.as_ref();
            let now = stands(track, board);
            if track.is_none() || now != self.played[self.phase] {
                self.played[self.phase] = now;
                return;
            }
        }
    }
}

/// Where a track stands.
fn stands(track: Option<&String>, board: &mut Board) -> Option<Value> {
    let number = board.start.track_number(&Text::from(track?.as_str()))?;
    board.track(number)
}
