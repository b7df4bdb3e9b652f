//! The sequence of play: the order of procedures until an outcome ends the game.
//!
//! The manifest defines the phases, which repeat in rounds. The engine has no notion of turns: a phase that is not played in every round
//! names a track, and is entered when that track has changed. A procedure that refuses has nothing to do, so its board is reset and the
//! next procedure begins.

use crate::code::machine::Machine;
use crate::code::state::State;
use crate::complaint::{Complaint, Complaints, Defect, DiagnosticCode};
use crate::data::manifest::{Game, Phase, function_name};
use crate::platform::clock::Instant;
use crate::ruling::situation::Situation;
use crate::situation::board::Board;
use crate::situation::fingerprint::Digest;
use crate::situation::value::{HashedText, Value};
use crate::situation::value_text::value_text;
use std::time::Duration;

/// A position of a game: its round, and the indices of phase and procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SequencePlace {
    pub round: u64,
    pub phase: usize,
    pub procedure: usize,
}

/// The position of a game in its sequence of play.
#[derive(Clone, Debug)]
pub struct TurnSequence {
    phase: usize,
    procedure: usize,
    /// For each phase, the value of its track when the phase was last played.
    last_track_values: Vec<Option<Value>>,
    /// The board before the current procedure.
    pub start_board: Board,
    /// The number of the current round, from 1.
    pub rounds: u64,
}

impl TurnSequence {
    /// Creates the sequence of a game that starts on `board`; `None` if the situation is no game. Phases before its procedure count as
    /// played.
    pub fn new(situation: &Situation, board: &Board) -> Result<Option<TurnSequence>, Complaints> {
        if !situation.scenario.is_game {
            return Ok(None);
        }
        let (game, scenario) = (&situation.ruleset().game, &situation.scenario);
        let is_start_phase = |(_, at): &(usize, &Phase)| {
            scenario
                .phase
                .as_ref()
                .is_none_or(|phase| *phase == at.name)
        };
        let in_phase =
            |names: &Vec<String>| names.iter().position(|name| *name == situation.procedure);
        let start = game
            .sequence
            .iter()
            .enumerate()
            .filter(is_start_phase)
            .find_map(|(phase, at)| Some((phase, in_phase(&at.procedures)?)));
        let (Some((phase, procedure)), false) = (start, game.end_conditions.is_empty()) else {
            let place = scenario.file.place(scenario.root.span_of("goes_on", ""));
            let phase = scenario
                .phase
                .as_ref()
                .map_or("no phase of the sequence of play".into(), |phase| {
                    format!("no phase called `{phase}`")
                });
            let message = format!(
                "{phase} begins with `{}` and leads to an end",
                situation.procedure
            );
            let help = "name a phase that the manifest lists under `sequence:`; let `ends_when:` say which outcome ends a game";
            return Err(Complaint::new(DiagnosticCode::UnknownName, place, message)
                .with_help(help)
                .into());
        };
        let mut start_board = board.without_records();
        let track_values = game.sequence.iter().enumerate().map(|(number, at)| {
            track_value(at.once_per_track.as_ref(), &mut start_board).filter(|_| number <= phase)
        });
        let played = track_values.collect();
        Ok(Some(TurnSequence {
            phase,
            procedure,
            last_track_values: played,
            start_board,
            rounds: 1,
        }))
    }

    /// Returns the current phase and procedure.
    pub fn current<'g>(&self, game: &'g Game) -> (&'g str, &'g str) {
        let phase = game.sequence.get(self.phase);
        let procedure = phase.and_then(|phase| phase.procedures.get(self.procedure));
        (
            phase.map(|phase| phase.name.as_str()).unwrap_or_default(),
            procedure.map(String::as_str).unwrap_or_default(),
        )
    }

    /// Returns the position.
    pub fn place(&self) -> SequencePlace {
        SequencePlace {
            round: self.rounds,
            phase: self.phase,
            procedure: self.procedure,
        }
    }

    /// Returns a fingerprint of the board before the current procedure.
    pub fn fingerprint(&mut self) -> u128 {
        let mut digest = Digest::default();
        self.start_board.add_to_digest(&mut digest);
        digest
            .finish()
            .wrapping_add(self.start_board.total_fingerprint())
    }

    /// Returns the track values of the phases as text.
    pub fn track_texts(&self) -> String {
        let text = |value: &Option<Value>| {
            value
                .as_ref()
                .map_or_else(|| "-".into(), |value| value_text(value, &self.start_board))
        };
        self.last_track_values
            .iter()
            .map(text)
            .collect::<Vec<_>>()
            .join(";")
    }

    /// Returns the initial state of the next procedure, after one that ended or refused; `None` if the game is over.
    pub fn begin_next(
        &mut self,
        situation: &Situation,
        machine: &mut Machine,
        state: &State,
        refused: bool,
    ) -> Result<Option<State>, Complaints> {
        let game = &situation.ruleset().game;
        if !refused {
            if is_over(game, &state.outcomes, &state.board) {
                return Ok(None);
            }
            self.start_board = state.board.without_records();
        }
        if !self.step_to_next(situation) {
            return Ok(None);
        }
        situation
            .begin_procedure(machine, self.current(game).1, self.start_board.clone())
            .map(Some)
    }

    /// Moves on to the next procedure that a case in force implements; false if a whole round has none.
    fn step_to_next(&mut self, situation: &Situation) -> bool {
        let ruleset = situation.ruleset();
        let sequence = &ruleset.game.sequence;
        let last_round = self.rounds + 2;
        while self.rounds < last_round {
            self.procedure += 1;
            if self.procedure >= sequence[self.phase].procedures.len() {
                self.enter_next_phase(&ruleset.game);
            }
            let named = sequence[self.phase].procedures.get(self.procedure);
            if named.is_some_and(|name| ruleset.slot(&function_name(name), 1).is_some()) {
                return true;
            }
        }
        false
    }

    /// Enters the next phase that has no track or whose track has changed.
    fn enter_next_phase(&mut self, game: &Game) {
        self.procedure = 0;
        for _ in 0..game.sequence.len() {
            self.phase += 1;
            if self.phase == game.sequence.len() {
                self.phase = 0;
                self.rounds += 1;
            }
            let track = game.sequence[self.phase].once_per_track.as_ref();
            let track_value = track_value(track, &mut self.start_board);
            if track.is_none() || track_value != self.last_track_values[self.phase] {
                self.last_track_values[self.phase] = track_value;
                return;
            }
        }
    }
}

/// The maximum number of consecutive procedures without a request, and their time limit: a game that can't end would run forever.
const PROCEDURES: u32 = 2_000;
const LONGEST: Duration = Duration::from_secs(60);

/// Counts the procedures since the last request.
pub struct AutoAnswers {
    began: Instant,
    procedures: u32,
}

impl AutoAnswers {
    /// Creates a counter at zero.
    pub fn start() -> AutoAnswers {
        AutoAnswers {
            began: Instant::now(),
            procedures: 0,
        }
    }

    /// Counts another procedure; returns the problem and a hint if there were too many.
    pub fn one_more(&mut self) -> Result<(), Defect> {
        self.procedures += 1;
        if self.procedures <= PROCEDURES && self.began.elapsed() <= LONGEST {
            return Ok(());
        }
        let message = format!(
            "the game does not end: {} procedures were carried out without a question",
            self.procedures - 1
        );
        Err(Defect::new(
            DiagnosticCode::Limit,
            message,
            "check under `ends_when:` in the manifest which outcome ends a game, and whether it can still come",
        ))
    }
}

/// Whether the last value of an outcome ends the game.
fn is_over(game: &Game, outcomes: &[(HashedText, Value)], board: &Board) -> bool {
    game.end_conditions.iter().any(|(name, value)| {
        let latest = outcomes
            .iter()
            .rev()
            .find(|(other, _)| other.as_str() == name);
        latest.is_some_and(|(_, reached)| value_text(reached, board) == *value)
    })
}

fn track_value(track: Option<&String>, board: &mut Board) -> Option<Value> {
    let number = board
        .start
        .track_number(&HashedText::from(track?.as_str()))?;
    board.track_value(number)
}
