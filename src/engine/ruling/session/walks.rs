//! Ways to places over several answers to one repeated question, such as the next step of a march.

use super::series::asking_site;
use super::{Session, WaitingFor};
use crate::code::state::{ChoiceRequest, State, Stop};
use crate::data::manifest::Game;
use crate::platform::clock::Instant;
use crate::ruling::menu::is_place;
use crate::situation::board::Board;
use crate::situation::trace::Event;
use crate::situation::value::Value;
use crate::situation::value_text::{fill_template, value_text};
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum number of states looked at.
const MAX_STATES: usize = 1_500;
/// Maximum number of states looked at in one place: a longer way may be the cheaper one.
const STATES_PER_PLACE: usize = 3;

/// A state of the search: the state, what it asks, the answers so far, and the places on the way.
type SearchNode = (State, ChoiceRequest, Vec<usize>, Vec<String>);

/// A way to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The place.
    pub to: String,
    /// The option taken at each step.
    pub answers: Vec<usize>,
    /// The places on the way.
    pub path: Vec<String>,
    /// The note of the rules on the state there, or the question that follows.
    pub note: String,
}

/// Returns the options of a choice that are places, with their indices.
fn place_options(request: &ChoiceRequest, board: &Board, game: &Game) -> Vec<(usize, String)> {
    let named = |(place, option): (usize, &Value)| {
        Some((place, value_text(option, board))).filter(|(_, text)| is_place(text, board, game))
    };
    request
        .options
        .iter()
        .enumerate()
        .filter_map(named)
        .collect()
}

impl Session {
    /// Returns the places that the pending question comes to when it is asked again and again, each with the way there. One step more is
    /// tried only while the same question comes; whatever else is asked or thrown ends a way.
    pub fn walks(&mut self, time: Duration) -> Vec<Walk> {
        let WaitingFor::Choice(request) = self.current.waiting_for.clone() else {
            return Vec::new();
        };
        let game = self.situation.ruleset().game.clone();
        if place_options(&request, self.board(), &game).is_empty() {
            return Vec::new();
        }
        let until = Instant::now() + time;
        let site = asking_site(&self.current.state);
        let mut walks: BTreeMap<String, Walk> = BTreeMap::new();
        let mut visits: BTreeMap<String, usize> = BTreeMap::new();
        let mut queue: Vec<SearchNode> = Vec::from([(
            self.current.state.clone(),
            request.clone(),
            Vec::new(),
            Vec::new(),
        )]);
        let (mut count, mut index) = (0, 0);
        'search: loop {
            // Shorter ways come before longer ones.
            if index == queue.len() {
                break;
            }
            let (state, request, answers, path) = queue[index].clone();
            index += 1;
            for (option, destination) in place_options(&request, &state.board, &game) {
                if count >= MAX_STATES || Instant::now() > until {
                    break 'search;
                }
                if path.contains(&destination) {
                    continue;
                }
                let visit_count = visits.entry(destination.clone()).or_default();
                if *visit_count >= STATES_PER_PLACE {
                    continue;
                }
                *visit_count += 1;
                count += 1;
                let mut copy = state.clone();
                let (stop, events) = self.answer_copy(&mut copy, &request, option, until);
                let (next_choice, note) = match &stop {
                    Stop::Choice(following)
                        if following.side == request.side && asking_site(&copy) == site =>
                    {
                        (
                            Some(following.clone()),
                            described(&events, &copy.board, &game),
                        )
                    }
                    Stop::Choice(following) => (None, format!("then {}", following.question)),
                    Stop::Throw(throwing) => (
                        None,
                        format!("then {} for {}", throwing.notation, throwing.purpose),
                    ),
                    Stop::Done(_) => (None, "the end".into()),
                    _ => continue,
                };
                let mut answers = answers.clone();
                answers.push(option);
                let mut path = path.clone();
                path.push(destination.clone());
                walks.entry(destination.clone()).or_insert_with(|| Walk {
                    to: destination,
                    answers: answers.clone(),
                    path: path.clone(),
                    note,
                });
                queue.extend(next_choice.map(|next_choice| (copy, next_choice, answers, path)));
            }
        }
        walks.into_values().collect()
    }
}

/// Returns what the rules say of the options that are no places, such as where to halt.
fn described(events: &[Event], board: &Board, game: &Game) -> String {
    let description = events.iter().rev().find_map(|event| match event {
        Event::Described(described) => {
            let (option, line, values) = &**described;
            (!option.is_nothing() && !is_place(&value_text(option, board), board, game))
                .then(|| fill_template(line, values, board))
        }
        _ => None,
    });
    description.unwrap_or_default()
}
