//! Plays one game to its end: procedure after procedure, with dice from a stream and choices from a source.

use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::{Refusal, State};
use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place};
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::citations::cite_refusal;
use casebook_engine::ruling::driver::{EndReason, drive};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::turn_sequence::TurnSequence;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::dice::DiceStream;
use std::sync::atomic::{AtomicBool, Ordering};

/// The round at which a game that does not end is abandoned.
pub const MAX_ROUNDS: u64 = 10_000;

/// The limits of play.
#[derive(Clone, Copy)]
pub struct RunUntil<'a> {
    /// The deadline, if there is one.
    pub end: Option<Instant>,
    /// A flag that stops play when the user interrupts it.
    pub stop: &'a AtomicBool,
}

impl RunUntil<'_> {
    /// Whether it is time to stop.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() > end)
    }
}

/// Watches a game.
pub trait GameRecorder {
    /// Takes the board on which a procedure begins, its phase and name, and the number of events traced before it.
    fn procedure_begins(&mut self, _: &Board, _: (&str, &str), _: usize) {}
    /// Takes the state in which a procedure ended, with its phase and name, and the refusal if a rule refused it, so that its board does not
    /// count. A complaint ends the game.
    fn procedure_ended(
        &mut self,
        state: &mut State,
        at: (&str, &str),
        refusal: Option<&Refusal>,
    ) -> Result<(), Complaints>;
    /// Takes the number of a round that has ended, from 1.
    fn round_ended(&mut self, round: u64);
}

/// How a game ended.
pub enum GameEnd {
    /// It came to its end, in this state.
    Over(Box<State>),
    /// A rule refused the last procedure; the case that did.
    Refused(String),
    /// It was time to stop before that.
    Stopped,
}

/// Why a game could not be played on.
#[derive(Clone, Debug)]
pub struct GameFault {
    /// Round, phase and procedure, as the head of a sentence; empty before the first procedure and where there is one only.
    pub during: String,
    /// What is wrong.
    pub complaints: Complaints,
}

impl GameFault {
    fn new(during: &str, complaints: Complaints) -> GameFault {
        GameFault {
            during: during.into(),
            complaints,
        }
    }

    /// Describes the fault in one line, with its place.
    pub fn line(&self) -> String {
        let Some(complaint) = self.complaints.0.first() else {
            return self.during.clone();
        };
        let line = complaint
            .place
            .span
            .map(|span| format!(":{}", span.line))
            .unwrap_or_default();
        format!(
            "{}{} ({}{line})",
            self.during, complaint.message, complaint.place.path
        )
    }
}

/// What a game is played with.
pub struct GameRun<'a> {
    /// The situation that it begins with.
    pub situation: &'a Situation,
    /// Where in the sequence of play it begins, if that is in the midst of a game.
    pub from: Option<&'a TurnSequence>,
    pub choice_source: &'a ChoiceSource,
    /// The limits of time.
    pub until: RunUntil<'a>,
    /// The number of rounds after which it counts as endless.
    pub max_rounds: u64,
}

impl GameRun<'_> {
    /// Plays the game. A situation that is no game is a short one, of a single procedure.
    pub fn play(
        &self,
        machine: &mut Machine,
        dice: &mut dyn DiceStream,
        recorder: &mut dyn GameRecorder,
    ) -> Result<GameEnd, GameFault> {
        let situation = self.situation;
        let game = &situation.ruleset().game;
        let mut state = situation.begin(machine).map_err(|error| match error {
            Error::Data(complaints) => GameFault::new("", complaints),
            other => GameFault::new(
                "",
                Complaint::new(
                    DiagnosticCode::Procedure,
                    scenario_place(situation),
                    other.to_string(),
                )
                .into(),
            ),
        })?;
        let mut sequence = match self.from {
            Some(sequence) => Some(sequence.clone()),
            None => TurnSequence::new(situation, &state.board)
                .map_err(|found| GameFault::new("", found))?,
        };
        loop {
            let (round, during) = sequence.as_ref().map_or((1, String::new()), |sequence| {
                let (phase, procedure) = sequence.current(game);
                (
                    sequence.rounds,
                    format!("round {}, {phase}, {procedure}: ", sequence.rounds),
                )
            });
            let fault = |found: Complaints| GameFault::new(&during, found);
            let phase_procedure = sequence
                .as_ref()
                .map_or(("", situation.procedure.as_str()), |sequence| {
                    sequence.current(game)
                });
            recorder.procedure_begins(
                &state.board,
                phase_procedure,
                machine.trace.as_ref().map_or(0, Vec::len),
            );
            let source = self.choice_source.at(sequence.as_ref());
            let ended = drive(machine, &mut state, dice, &source).map_err(fault)?;
            let refusal = if let EndReason::Refused(refusal) = &ended {
                Some(refusal)
            } else {
                None
            };
            recorder
                .procedure_ended(&mut state, phase_procedure, refusal)
                .map_err(fault)?;
            let next = match &mut sequence {
                Some(sequence) => sequence
                    .begin_next(situation, machine, &state, refusal.is_some())
                    .map_err(fault)?,
                None => None,
            };
            if next.is_none()
                || sequence
                    .as_ref()
                    .is_some_and(|sequence| sequence.rounds > round)
            {
                recorder.round_ended(round);
            }
            match next {
                Some(_) if round > self.max_rounds => {
                    let help = "check under `ends_when:` in the manifest which outcome ends a game, and whether it can still come";
                    let complaint = Complaint::new(
                        DiagnosticCode::Limit,
                        scenario_place(situation),
                        "it does not end",
                    )
                    .with_help(help);
                    return Err(fault(complaint.into()));
                }
                Some(_) if self.until.is_over() => return Ok(GameEnd::Stopped),
                Some(next) => state = next,
                None => {
                    // As in the odds, a refusal discards the outcomes named before it.
                    let Some(refusal) = refusal else {
                        return Ok(GameEnd::Over(Box::new(state)));
                    };
                    return Ok(GameEnd::Refused(cite_refusal(situation.ruleset(), refusal)));
                }
            }
        }
    }
}

fn scenario_place(situation: &Situation) -> Place {
    Place::whole_file(&situation.scenario.file.path)
}
