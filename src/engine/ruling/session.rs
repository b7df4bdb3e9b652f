//! A ruling executed step by step: it suspends at each throw and choice until it is answered, and every answer can be undone.

use crate::code::machine::Machine;
use crate::code::state::{ChoiceRequest, Refusal, State, Stop, ThrowRequest};
use crate::complaint::{
    Complaint, Complaints, Defect, DiagnosticCode, Error, Place, nearest_names, suggestion_text,
};
use crate::notation::Face;
use crate::ruling::choice_source::{ChoiceResult, ChoiceSource};
use crate::ruling::driver::{random_option, throw};
use crate::ruling::menu::{ChoiceNotes, choice_notes};
use crate::ruling::moves::{JournalMove, moves};
use crate::ruling::resolve::{ResolvedRuling, Ruling, build_ruling};
use crate::ruling::situation::Situation;
use crate::ruling::turn_sequence::{AutoAnswers, TurnSequence};
use crate::situation::board::Board;
use crate::situation::dice::{DiceStream, SeededDice, TypedDice};
use crate::situation::policy::PolicyKind;
use crate::situation::trace::{AnswerSource, Event, SpokenLine};
use crate::situation::value::Value;
use crate::situation::value_text::value_text;
use history::History;

/// The request that a session waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum WaitingFor {
    /// A throw of dice.
    Throw(ThrowRequest),
    Choice(ChoiceRequest),
    /// No request: the procedure has ended, or a rule has refused.
    Finished(Option<Refusal>),
}

/// A ruling in progress.
pub struct Session {
    pub situation: Situation,
    machine: Machine,
    current: SessionPosition,
    history: History<SessionPosition>,
}

/// A suspended session, which can be resumed on another thread.
pub struct SuspendedSession {
    situation: Situation,
    events: Vec<Event>,
    strict: bool,
    current: SessionPosition,
    history: History<SessionPosition>,
}

impl SuspendedSession {
    /// Returns the session as it was after `answers` answers; `None` if that position is gone.
    pub fn at_answer(&self, answers: usize) -> Option<SuspendedSession> {
        let position = match answers < self.history.dropped() {
            true => return None,
            false => self.history.get(answers).unwrap_or(&self.current).clone(),
        };
        Some(SuspendedSession {
            situation: self.situation.deep_clone(),
            events: self.events[..position.event_count.min(self.events.len())].to_vec(),
            strict: self.strict,
            current: position,
            history: self.history.up_to(answers),
        })
    }

    pub fn resume(self) -> Result<Session, Error> {
        let mut machine = self.situation.machine();
        machine.run_mode.strict = self.strict;
        machine.trace = Some(self.events);
        for position in self.history.iter().chain([&self.current]) {
            machine.resume(&position.state).map_err(Error::Data)?;
        }
        Ok(Session {
            situation: self.situation,
            machine,
            current: self.current,
            history: self.history,
        })
    }
}

/// A snapshot of a session.
#[derive(Clone)]
struct SessionPosition {
    state: State,
    waiting_for: WaitingFor,
    dice: SeededDice,
    event_count: usize,
    /// The position in the sequence of play, if the situation is a game.
    turn_sequence: Option<TurnSequence>,
    /// The index of the first event of each procedure.
    procedure_starts: Vec<usize>,
}

impl SessionPosition {
    /// Returns the estimated size in bytes.
    fn bytes(&self) -> u64 {
        let options = if let WaitingFor::Choice(request) = &self.waiting_for {
            request.options.len() * size_of::<Value>()
        } else {
            0
        };
        let turn_sequence = self
            .turn_sequence
            .as_ref()
            .map_or(0, |turn_sequence| turn_sequence.start_board.bytes());
        self.state.bytes()
            + turn_sequence
            + (size_of::<SessionPosition>() + options + 8 * self.procedure_starts.len()) as u64
    }
}

impl Session {
    /// Begins a session. Dice that are not typed are drawn from the seed.
    pub fn begin(situation: Situation, seed: u64, strict: bool) -> Result<Session, Error> {
        let mut machine = situation.machine();
        machine.run_mode.strict = strict;
        machine.trace = Some(Vec::new());
        let state = situation.begin(&mut machine)?;
        let turn_sequence = TurnSequence::new(&situation, &state.board).map_err(Error::Data)?;
        let position = SessionPosition {
            state,
            waiting_for: WaitingFor::Finished(None),
            dice: SeededDice::new(seed),
            event_count: 0,
            turn_sequence,
            procedure_starts: vec![0],
        };
        let mut session = Session {
            situation,
            machine,
            current: position,
            history: History::default(),
        };
        session.run_to_next_stop().map_err(Error::Data)?;
        Ok(session)
    }

    pub fn suspend(self) -> SuspendedSession {
        let events = self.machine.trace.unwrap_or_default();
        SuspendedSession {
            situation: self.situation,
            events,
            strict: self.machine.run_mode.strict,
            current: self.current,
            history: self.history,
        }
    }

    /// Runs to the next stop, across procedures in a game.
    fn run_to_next_stop(&mut self) -> Result<(), Complaints> {
        let mut auto_answers = AutoAnswers::start();
        self.current.waiting_for = loop {
            let refusal = match self.machine.run(&mut self.current.state) {
                Stop::Throw(throwing) => break WaitingFor::Throw(throwing),
                // A choice with a single option is made automatically.
                Stop::Choice(choosing) if choosing.options.len() == 1 => {
                    self.machine.answer_choice(
                        &mut self.current.state,
                        &choosing,
                        0,
                        AnswerSource::FirstOption,
                    );
                    continue;
                }
                Stop::Choice(choosing) => break WaitingFor::Choice(choosing),
                Stop::Returned => continue,
                Stop::Done(_) => None,
                Stop::Refused(refusal) => Some(refusal),
                Stop::Failed(complaints) => return Err(complaints),
                Stop::Count(_) => {
                    return Err(self.machine.complaint_at_stop(
                        &self.current.state,
                        DiagnosticCode::Procedure,
                        "`chance` and `mean` are for examples",
                        "",
                    ));
                }
            };
            let ended_at = self.events().len();
            let next_state = match &mut self.current.turn_sequence {
                Some(turn_sequence) => turn_sequence.begin_next(
                    &self.situation,
                    &mut self.machine,
                    &self.current.state,
                    refusal.is_some(),
                )?,
                None => None,
            };
            let Some(state) = next_state else {
                break WaitingFor::Finished(refusal);
            };
            auto_answers.one_more().map_err(|defect| {
                let Defect {
                    code,
                    message,
                    help,
                } = defect;
                self.machine
                    .complaint_at_stop(&self.current.state, code, message, &help)
            })?;
            let (procedure_start, refused, piece_count) = (
                self.current.procedure_starts.last().copied().unwrap_or(0),
                refusal.is_some(),
                state.board.piece_count(),
            );
            self.end_procedure(refusal, ended_at);
            if refused {
                let procedure_events = self
                    .machine
                    .trace
                    .iter_mut()
                    .flat_map(|trace| trace.iter_mut().skip(procedure_start));
                procedure_events.for_each(|event| {
                    event.name_removed_pieces(piece_count, &self.current.state.board)
                });
            }
            let previous = std::mem::replace(&mut self.current.state, state);
            self.current
                .state
                .board
                .meter
                .continue_from(&previous.board.meter);
        };
        self.current.event_count = self.events().len();
        Ok(())
    }

    /// Closes the current procedure in the events of a game, whose last event is before `ended_at`, and opens the next one.
    fn end_procedure(&mut self, refusal: Option<Refusal>, ended_at: usize) {
        let begun = self
            .machine
            .trace
            .as_mut()
            .map(|trace| trace.split_off(ended_at))
            .unwrap_or_default();
        // A refusal leaves calls without a return.
        let open = self.call_stack().len();
        let game = &self.situation.ruleset().game;
        let title = self
            .current
            .turn_sequence
            .as_ref()
            .map(|turn_sequence| turn_sequence.current(game))
            // A phase of one procedure is often called as the procedure is.
            .map(|(phase, procedure)| {
                if phase.eq_ignore_ascii_case(procedure) {
                    phase.to_string()
                } else {
                    format!("{phase}: {procedure}")
                }
            });
        let procedure_start = self.current.procedure_starts.last().copied().unwrap_or(0);
        let sources = self
            .current
            .state
            .provenance
            .as_ref()
            .map(|provenance| provenance.guard_sources())
            .unwrap_or_default();
        let Some(trace) = &mut self.machine.trace else {
            return;
        };
        let did_something = trace[procedure_start.min(trace.len())..]
            .iter()
            .any(Event::does_something);
        trace.extend(refusal.map(|refusal| {
            let back = if did_something {
                " The lines about it above are taken back."
            } else {
                ""
            };
            let line = format!("Nothing is done: {}.{back}", refusal.template).into();
            Event::Line(Box::new(SpokenLine {
                template: line,
                values: refusal.args,
                deciding: sources.clone(),
                value_amendments: Vec::new(),
                sources,
                refused_by: refusal.cases,
            }))
        }));
        trace.extend((0..open).map(|_| Event::Return));
        self.current.procedure_starts.push(trace.len());
        trace.extend(title.map(|title| Event::Step(title.into())));
        trace.extend(begun);
    }

    /// Returns the request that the session waits for.
    pub fn waiting_for(&self) -> &WaitingFor {
        &self.current.waiting_for
    }

    /// Whether the session has ended.
    pub fn is_over(&self) -> bool {
        matches!(self.current.waiting_for, WaitingFor::Finished(_))
    }

    /// Returns the current board.
    pub fn board(&self) -> &Board {
        &self.current.state.board
    }

    /// Returns all events so far.
    pub fn events(&self) -> &[Event] {
        self.machine.trace.as_deref().unwrap_or_default()
    }

    /// Returns the throws and choices so far; a choice with a single option is made automatically.
    pub fn answers(&self) -> impl Iterator<Item = &Event> {
        self.events().iter().filter(|event| match event {
            Event::Choice(chosen) => chosen.options.len() > 1,
            event => matches!(event, Event::Throw(_)),
        })
    }

    /// Returns the events since the last answer.
    pub fn events_since_answer(&self) -> &[Event] {
        &self.events()[self
            .history
            .last()
            .map_or(0, |position| position.event_count)
            .min(self.events().len())..]
    }

    /// Returns all throws and choices so far.
    pub fn moves(&self) -> Vec<JournalMove> {
        moves(self.events(), self.board())
    }

    /// Returns the text that accompanies a choice: its piece and place, and the costs of its options.
    pub fn notes(&self, request: &ChoiceRequest) -> ChoiceNotes {
        choice_notes(
            self.events_since_answer(),
            request,
            self.board(),
            &self.situation.ruleset().game,
        )
    }

    /// Returns the call stack of cases as indices among those in force, innermost last.
    pub fn call_stack(&self) -> Vec<usize> {
        let mut open = Vec::new();
        for event in self.events() {
            match event {
                Event::Call(call) => open.push(call.answer(self.situation.ruleset()).case),
                Event::Return => drop(open.pop()),
                _ => {}
            }
        }
        open
    }

    /// Returns the board before the current procedure of a game.
    pub fn board_before_procedure(&self) -> Option<&Board> {
        Some(&self.current.turn_sequence.as_ref()?.start_board)
    }

    /// Returns the rest of the session as a situation, to compute its odds.
    pub fn remaining(&self) -> Situation {
        self.situation.with_state(self.current.state.clone())
    }

    /// Returns the ruling so far.
    pub fn ruling(&self) -> Ruling {
        self.resolved().ruling
    }

    /// Returns the current phase and procedure; `None` if the situation is no game.
    pub fn current_phase(&self) -> Option<(&str, &str)> {
        self.current
            .turn_sequence
            .as_ref()
            .map(|turn_sequence| turn_sequence.current(&self.situation.ruleset().game))
    }

    /// Returns the index of the first event of each procedure of a game; other rulings have one.
    pub fn procedure_starts(&self) -> &[usize] {
        &self.current.procedure_starts
    }

    /// Returns the ruling of the events `start..end`.
    pub fn ruling_between(&self, start: usize, end: usize) -> Ruling {
        let end = end.min(self.events().len());
        self.build_part(start.min(end), end, State::new(self.board().clone()), None)
            .ruling
    }

    /// Builds the ruling of a part. What a line cites depends on earlier lines of its procedure, so the events since that began count, too.
    fn build_part(
        &self,
        start: usize,
        end: usize,
        state: State,
        refusal: Option<&Refusal>,
    ) -> ResolvedRuling {
        let starts = &self.current.procedure_starts;
        let from = starts
            .iter()
            .rev()
            .copied()
            .find(|begin| *begin <= start)
            .unwrap_or(0);
        let later: Vec<usize> = starts
            .iter()
            .filter(|begin| **begin > from)
            .map(|begin| begin - from)
            .collect();
        build_ruling(
            &self.situation,
            self.events()[from..end].to_vec(),
            &later,
            start - from,
            state,
            refusal,
        )
    }

    /// Returns the ruling so far, with the run it was built from.
    pub fn resolved(&self) -> ResolvedRuling {
        self.resolved_since(0)
    }

    /// Returns the part of the ruling that followed an answer, counted from 1; 0 means all of it.
    pub fn resolved_since(&self, answer: usize) -> ResolvedRuling {
        let refusal = match &self.current.waiting_for {
            WaitingFor::Finished(refusal) => refusal.as_ref(),
            _ => None,
        };
        let index = answer
            .checked_sub(1)
            .filter(|index| *index >= self.history.dropped());
        let position_before = index.map(|place| self.history.get(place).unwrap_or(&self.current));
        let first_event = position_before.map_or(0, |position| position.event_count);
        self.build_part(
            first_event,
            self.events().len(),
            self.current.state.clone(),
            refusal,
        )
    }

    /// Runs to the next stop after an answer; restores the snapshot if that fails.
    fn continue_or_restore(&mut self, previous: SessionPosition) -> Result<(), Error> {
        self.machine.renew_deadline();
        match self.run_to_next_stop() {
            Ok(()) => {
                let bytes = previous.bytes();
                self.history.push(previous, bytes);
                Ok(())
            }
            Err(complaints) => {
                self.restore(previous);
                Err(Error::Data(complaints))
            }
        }
    }

    fn restore(&mut self, position: SessionPosition) {
        if let Some(trace) = &mut self.machine.trace {
            trace.truncate(position.event_count);
        }
        self.current = position;
    }

    /// Answers a throw with the face of each die.
    pub fn enter_faces(&mut self, faces: &[Face]) -> Result<(), Error> {
        let mut typed = TypedDice::new(faces.to_vec());
        self.roll_from(&mut typed)
    }

    /// Throws the dice of the current request. After an undo, the same throw for the same purpose repeats its result.
    pub fn roll(&mut self) -> Result<(), Error> {
        let mut dice = self.current.dice.clone();
        self.roll_from(&mut dice)?;
        self.current.dice = dice;
        Ok(())
    }

    /// Answers a throw from a stream.
    pub fn roll_from(&mut self, stream: &mut dyn DiceStream) -> Result<(), Error> {
        let WaitingFor::Throw(throwing) = self.current.waiting_for.clone() else {
            return Err(self.unexpected_answer("no dice are thrown now"));
        };
        let previous = self.current.clone();
        let faces =
            throw(&self.machine, &self.current.state, stream, &throwing).map_err(Error::Data)?;
        if let unused @ 1.. = stream.unused_dice() {
            let (count, typed) = (faces.len() as u64, faces.len() + unused);
            let ThrowRequest {
                notation,
                purpose,
                dice,
                ..
            } = &throwing;
            return Err(Error::Usage(format!(
                "{notation} for {purpose} takes {count} {}; {typed} are given",
                dice.noun(count)
            )));
        }
        self.machine
            .answer_throw(&mut self.current.state, &throwing, &faces);
        self.continue_or_restore(previous)
    }

    /// Answers a choice with the index of an option, from 0.
    pub fn choose(&mut self, option: usize) -> Result<(), Error> {
        self.answer_choice(option, AnswerSource::Explicit)
    }

    fn answer_choice(&mut self, option: usize, source: AnswerSource) -> Result<(), Error> {
        let WaitingFor::Choice(choosing) = self.current.waiting_for.clone() else {
            return Err(self.unexpected_answer("nothing is to be chosen now"));
        };
        if option >= choosing.options.len() {
            return Err(Error::Usage(format!(
                "there are {} options, not {}",
                choosing.options.len(),
                option + 1
            )));
        }
        let previous = self.current.clone();
        self.machine
            .answer_choice(&mut self.current.state, &choosing, option, source);
        self.continue_or_restore(previous)
    }

    /// Returns the index of the option that a text names.
    pub fn find_option(&self, text: &str) -> Result<usize, Error> {
        let WaitingFor::Choice(choosing) = &self.current.waiting_for else {
            return Err(self.unexpected_answer("nothing is to be chosen now"));
        };
        let texts: Vec<String> = choosing
            .options
            .iter()
            .map(|option| value_text(option, self.board()))
            .collect();
        texts
            .iter()
            .position(|option| option == text)
            .ok_or_else(|| {
                let suggestion =
                    suggestion_text(&nearest_names(text, texts.iter().map(String::as_str)));
                Error::Usage(format!(
                    "`{text}` is not open{suggestion}; open are {}",
                    texts.join(", ")
                ))
            })
    }

    /// Returns the answer of a source to the current choice; `None` if the source leaves it to the user.
    pub fn decide(&mut self, choice_source: &ChoiceSource) -> Result<Option<usize>, Error> {
        let WaitingFor::Choice(choosing) = self.current.waiting_for.clone() else {
            return Ok(None);
        };
        let current = &mut self.current;
        let source = choice_source.at(current.turn_sequence.as_ref());
        let decided = source
            .decide(&mut self.machine, &mut current.state, &choosing)
            .map_err(Error::Data)?;
        match decided {
            ChoiceResult::Taken(option, AnswerSource::Explicit) => Ok(Some(option)),
            ChoiceResult::Undecided(PolicyKind::Random) => random_option(
                &self.machine,
                &self.current.state,
                &mut self.current.dice,
                &choosing,
            )
            .map(Some)
            .map_err(Error::Data),
            _ => Ok(None),
        }
    }

    /// Returns the state that the session waits in.
    pub fn state(&self) -> &State {
        &self.current.state
    }

    /// Returns the position in the sequence of play; `None` if the situation is no game.
    pub fn turn_sequence(&self) -> Option<&TurnSequence> {
        self.current.turn_sequence.as_ref()
    }

    /// Replays a move; reports an error if it doesn't match the request.
    pub fn replay_move(&mut self, journal_move: &JournalMove) -> Result<(), Error> {
        let mismatch = |asked: String| {
            Error::Usage(format!(
                "the journal has {journal_move}; the rules ask for {asked}"
            ))
        };
        match (self.current.waiting_for.clone(), journal_move) {
            (
                WaitingFor::Throw(request),
                JournalMove::Throw {
                    dice,
                    purpose,
                    faces,
                },
            ) if *request.notation == **dice && *request.purpose == **purpose => {
                self.enter_faces(faces)
            }
            (
                WaitingFor::Choice(request),
                JournalMove::Choice {
                    side,
                    question,
                    options,
                    taken,
                },
            ) if *request.side == **side && *request.question == **question => {
                let open: Vec<String> = request
                    .options
                    .iter()
                    .map(|option| value_text(option, self.board()))
                    .collect();
                match open.iter().position(|option| option == taken) {
                    Some(option) if open == *options => self.choose(option),
                    _ => Err(mismatch(format!(
                        "{}, open being {}",
                        question_text(&request),
                        open.join(", ")
                    ))),
                }
            }
            (WaitingFor::Throw(request), _) => Err(mismatch(format!(
                "{} for {}",
                request.notation, request.purpose
            ))),
            (WaitingFor::Choice(request), _) => Err(mismatch(question_text(&request))),
            (WaitingFor::Finished(_), _) => Err(mismatch("nothing more".into())),
        }
    }

    /// Undoes the last answer; false if there was none.
    pub fn undo(&mut self) -> bool {
        let Some(position) = self.history.pop() else {
            return false;
        };
        self.restore(position);
        true
    }

    /// Whether answers were given that can't be taken back any more, as their positions took too much memory.
    pub fn has_forgotten(&self) -> bool {
        self.history.dropped() > 0
    }

    fn unexpected_answer(&self, problem: &str) -> Error {
        let pending = match &self.current.waiting_for {
            WaitingFor::Throw(request) => {
                format!("{} for {} is waited for", request.notation, request.purpose)
            }
            WaitingFor::Choice(request) => format!("{} is waited for", question_text(request)),
            WaitingFor::Finished(_) => "it has come to its end".into(),
        };
        Complaint::new(
            DiagnosticCode::Choice,
            Place::whole_file("(play)"),
            format!("{problem}: {pending}"),
        )
        .into()
    }
}

/// Formats the question of a choice, such as "Red: bid".
pub fn question_text(request: &ChoiceRequest) -> String {
    if request.side.is_empty() {
        request.question.to_string()
    } else {
        format!("{}: {}", request.side, request.question)
    }
}

pub mod hidden;
pub mod history;
pub mod routine;
pub mod series;
#[cfg(test)]
mod tests;
pub mod walks;
pub mod why_not;
