//! Simultaneous questions: what a side may not know before all have answered, and the positions that are possible for it.

use super::{Session, WaitingFor};
use crate::code::state::{ChoiceRequest, State, Stop};
use crate::complaint::Error;
use crate::platform::clock::Instant;
use crate::situation::trace::{Event, MadeChoice};
use crate::situation::value::Value;
use crate::situation::value_text::{join_words, value_text};
use std::time::Duration;

/// Maximum number of positions, and the time limit to find them.
const MAX_POSITIONS: usize = 24;
const TIME: Duration = Duration::from_secs(1);

/// The state of a position that may be the one at hand, as far as a side knows, with the answers in it that are not known, such as "Blue answers
/// 6"; an empty text if everything is known.
pub type PossiblePosition = (String, State);

impl Session {
    /// Returns whether the answer to the pending choice is secret until all have answered.
    pub fn asks_in_secret(&self) -> bool {
        matches!(self.waiting_for(), WaitingFor::Choice(asked) if self.is_secret(asked))
    }

    fn is_secret(&self, asked: &ChoiceRequest) -> bool {
        self.situation.ruleset().is_secret(&asked.question)
    }

    /// Returns the last choices as far as they are secret, with the indices of their events, the newest first: all answers to one secret
    /// question stay hidden until another request comes.
    pub fn secret_choices(&self) -> Vec<(usize, &MadeChoice)> {
        let request = match self.waiting_for() {
            WaitingFor::Choice(request) if self.is_secret(request) => request,
            _ => return Vec::new(),
        };
        let ruleset = self.situation.ruleset();
        let events = self.events().iter().enumerate().rev();
        events
            .take_while(|(_, event)| !matches!(event, Event::Throw(_)))
            .filter_map(|(index, event)| match event {
                Event::Choice(chosen) if chosen.options.len() > 1 => Some((index, &**chosen)),
                _ => None,
            })
            .take_while(|(_, chosen)| {
                ruleset.is_secret(&chosen.question) && chosen.side != request.side
            })
            .collect()
    }

    /// Returns the positions after an option of the pending choice: after a simultaneous question one for each answer that a side may not know,
    /// those of `hidden` sides and those that are still to be given. Without an option its own answer to such a question is the first one, and
    /// another request has one position, that at hand. None are returned if they are too many, or if it is too long ago that it came up.
    pub fn possible_positions(
        &mut self,
        option: Option<usize>,
        hidden: &[String],
    ) -> Result<Vec<PossiblePosition>, Error> {
        let pending = match self.waiting_for().clone() {
            WaitingFor::Choice(pending) if option.is_some() || self.is_secret(&pending) => pending,
            _ => return Ok(vec![(String::new(), self.state().clone())]),
        };
        let is_hidden = |side: &str| hidden.iter().any(|name| name == side);
        let given = self.secret_choices().into_iter().rev();
        let given = given.map(|(_, chosen)| {
            (!is_hidden(&chosen.side)).then(|| chosen.options[chosen.chosen_index].clone())
        });
        let mut given_answers: Vec<Option<Value>> = given.collect();
        let answered: Vec<_> = self.answered_positions().collect();
        let Some(first) = answered.len().checked_sub(given_answers.len()) else {
            return Ok(Vec::new());
        };
        let at_hand = (self.state(), self.waiting_for());
        let start = answered
            .get(first)
            .map_or(at_hand, |position| (position.state, position.asked));
        let (state, WaitingFor::Choice(request)) = (start.0.clone(), start.1.clone()) else {
            return Ok(Vec::new());
        };
        given_answers.push(option.map(|option| pending.options[option].clone()));
        let (is_secret, until) = (self.asks_in_secret(), Instant::now() + TIME);
        let mut open = vec![(Vec::new(), Vec::new(), state, request)];
        let mut positions = Vec::new();
        while !open.is_empty() {
            let (sides, assumed, state, request) = open.remove(0);
            let value = given_answers.get(sides.len()).and_then(Option::as_ref);
            let is_own = request.side == pending.side && !is_hidden(&request.side);
            let sides = [&sides[..], std::slice::from_ref(&request.side)].concat();
            for (index, option) in request.options.iter().enumerate() {
                let is_meant = value.map_or(!is_own || index == 0, |value| value == option);
                if !is_meant {
                    continue;
                }
                if open.len() + positions.len() == MAX_POSITIONS {
                    return Ok(Vec::new());
                }
                let mut assumed: Vec<String> = assumed.clone();
                if value.is_none() {
                    let text = value_text(option, &state.board);
                    let words = self.words_of(&request.question);
                    let label = words.map_or(text.clone(), |(_, words)| words.label(&text));
                    assumed.push(format!("{} answers {label}", request.side));
                }
                let mut next = state.clone();
                match self.answer_copy(&mut next, &request, index, until).0 {
                    Stop::Failed(complaints) => return Err(Error::Data(complaints)),
                    Stop::Choice(asked)
                        if is_secret
                            && self.is_secret(&asked)
                            && (sides.len() < given_answers.len()
                                || !sides.contains(&asked.side)) =>
                    {
                        open.push((sides.clone(), assumed, next, asked));
                    }
                    _ => positions.push((join_words(assumed), next)),
                }
            }
        }
        Ok(positions)
    }
}
