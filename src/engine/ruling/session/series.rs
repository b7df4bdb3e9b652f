//! Questions that come one after the other from one place of a script, such as the tasks of each unit: they can be answered in one table.

use super::{Session, WaitingFor};
use crate::code::state::{ChoiceRequest, State, Stop};
use crate::complaint::Error;
use crate::platform::clock::Instant;
use crate::ruling::menu::choice_notes;
use crate::situation::trace::{AnswerSource, Event};
use crate::situation::value::Value;
use crate::situation::value_text::value_text;
use std::time::Duration;

/// Maximum number of questions in a table.
const MAX_ROWS: usize = 60;

/// A question of a series, as it comes when those before it get their first option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesQuestion {
    pub question: String,
    pub options: Vec<String>,
    /// What the rules say of the options; empty if nothing.
    pub notes: Vec<String>,
}

/// Returns where in a script a state is suspended.
pub fn asking_site(state: &State) -> Option<(u32, u32)> {
    state.frames.last().map(|frame| (frame.function, frame.pc))
}

impl Session {
    /// Returns the pending choice and those that follow from the same place of the script for the same side, each with another question.
    pub fn series(&mut self, time: Duration) -> Vec<SeriesQuestion> {
        let WaitingFor::Choice(mut request) = self.current.waiting_for.clone() else {
            return Vec::new();
        };
        let game = self.situation.ruleset().game.clone();
        let mut notes = self.notes(&request).options;
        let until = Instant::now() + time;
        let (side, site) = (request.side.clone(), asking_site(&self.current.state));
        let mut state = self.current.state.clone();
        let mut rows: Vec<SeriesQuestion> = Vec::new();
        while rows.len() < MAX_ROWS && Instant::now() < until {
            let options = request
                .options
                .iter()
                .map(|option| value_text(option, &state.board))
                .collect();
            rows.push(SeriesQuestion {
                question: request.question.to_string(),
                options,
                notes: std::mem::take(&mut notes),
            });
            let (stop, events) = self.answer_copy(&mut state, &request, 0, until);
            match stop {
                Stop::Choice(next)
                    if next.side == side
                        && asking_site(&state) == site
                        && !rows.iter().any(|row| *row.question == *next.question) =>
                {
                    notes = choice_notes(&events, &next, &state.board, &game).options;
                    request = next;
                }
                _ => break,
            }
        }
        rows
    }

    /// Answers a choice in a copy of the state, and runs the copy on to the next throw or choice; a choice of one option is taken. Returns
    /// the stop and the events up to it.
    pub(super) fn answer_copy(
        &mut self,
        copy: &mut State,
        request: &ChoiceRequest,
        option: usize,
        until: Instant,
    ) -> (Stop, Vec<Event>) {
        let trace = self.machine.trace.replace(Vec::new());
        let deadline = self.machine.deadline.replace(until);
        self.machine
            .answer_choice(copy, request, option, AnswerSource::Explicit);
        let stop = loop {
            match self.machine.run(copy) {
                Stop::Returned => {}
                Stop::Choice(choosing) if choosing.options.len() == 1 => {
                    self.machine
                        .answer_choice(copy, &choosing, 0, AnswerSource::FirstOption);
                }
                stop => break stop,
            }
        };
        let events = std::mem::replace(&mut self.machine.trace, trace).unwrap_or_default();
        self.machine.deadline = deadline;
        (stop, events)
    }

    /// Returns whether the pending choice can be answered with several options: after one of them the same is asked again with more words.
    pub fn takes_several(&mut self, time: Duration) -> bool {
        let WaitingFor::Choice(request) = self.current.waiting_for.clone() else {
            return false;
        };
        let is_piece = |option: &Value| {
            !matches!(option, Value::Text(_))
                || self
                    .board()
                    .names()
                    .any(|name| Some(name) == option.as_text())
        };
        let Some(option) = request
            .options
            .iter()
            .skip(1)
            .position(is_piece)
            .filter(|_| request.options.len() > 2)
        else {
            return false;
        };
        let mut state = self.current.state.clone();
        let (stop, _) = self.answer_copy(&mut state, &request, option + 1, Instant::now() + time);
        matches!(stop, Stop::Choice(next) if next.side == request.side && *next.question != *request.question && next.question.starts_with(request.question.as_str()))
    }

    /// Answers a choice with several options, one after the other; the first option of the question that is then left ends it. Nothing is
    /// answered if one of them is not open. Returns the options taken.
    pub fn choose_several(&mut self, names: &[&str]) -> Result<Vec<usize>, Error> {
        let WaitingFor::Choice(request) = self.current.waiting_for.clone() else {
            return Err(self.unexpected_answer("nothing is to be chosen now"));
        };
        let mut options_taken = Vec::new();
        for name in names {
            let answered = self
                .find_option(name)
                .and_then(|option| self.choose(option).map(|()| option));
            match answered {
                Ok(option) => options_taken.push(option),
                Err(error) => {
                    for _ in &options_taken {
                        self.undo();
                    }
                    return Err(error);
                }
            }
        }
        let is_open = matches!(self.waiting_for(), WaitingFor::Choice(next) if next.side == request.side && next.question.starts_with(request.question.as_str()));
        if is_open {
            self.choose(0)?;
            options_taken.push(0);
        }
        Ok(options_taken)
    }
}
