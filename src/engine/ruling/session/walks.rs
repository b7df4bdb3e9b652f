//! Ways to places over several answers to one repeated question, such as the next step of a march.

use super::series::asking_site;
use super::{Session, WaitingFor};
use crate::code::state::{ChoiceRequest, State, Stop};
use crate::data::manifest::Game;
use crate::platform::clock::Instant;
use crate::ruling::menu::is_place;
use crate::situation::board::Board;
use crate::situation::trace::Event;
use crate::situation::value::{HashedText, Value};
use crate::situation::value_text::{fill_template, value_text};
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum number of states looked at.
const MAX_STATES: usize = 1_500;
/// Maximum number of states looked at in one place: a longer way may be the cheaper one.
const STATES_PER_PLACE: usize = 3;

/// A state of the search: the state, what it asks, the answers so far, the places on the way, and what the way has cost.
#[derive(Clone)]
struct SearchNode {
    state: State,
    request: ChoiceRequest,
    answers: Vec<usize>,
    path: Vec<String>,
    /// What the rules said before the question, its options among it.
    events: Vec<Event>,
    /// None if a step on the way says no cost.
    cost: Option<StepCost>,
}

/// What the rules say of an option in a line that begins with "{} of {}": what it costs, and of how much.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StepCost {
    line: HashedText,
    cost: i64,
    of: i64,
    /// The values of the line after these two.
    rest: Vec<Value>,
}

impl StepCost {
    /// Returns the cost that was described for an option of the next choice.
    fn described(events: &[Event], option: &Value) -> Option<Self> {
        let is_next = |event: &&Event| !matches!(event, Event::Choice(_));
        events.iter().rev().take_while(is_next).find_map(|event| {
            let Event::Described(described) = event else {
                return None;
            };
            let (subject, line, values) = &**described;
            let mut values = values.iter();
            match (values.next(), values.next()) {
                (Some(Value::Number(cost)), Some(Value::Number(of)))
                    if subject == option && line.as_str().starts_with("{} of {}") =>
                {
                    Some(Self {
                        line: line.clone(),
                        cost: *cost,
                        of: *of,
                        rest: values.cloned().collect(),
                    })
                }
                _ => None,
            }
        })
    }

    /// Returns the cost of this way and one step more; None if they are not counted in the same words.
    fn and_then(self, step: Self) -> Option<Self> {
        (self.line == step.line && self.rest == step.rest).then(|| Self {
            cost: self.cost + step.cost,
            ..self
        })
    }

    fn to_text(&self, board: &Board) -> String {
        let values = [Value::Number(self.cost), Value::Number(self.of)];
        let values: Vec<Value> = values.into_iter().chain(self.rest.clone()).collect();
        fill_template(self.line.as_str(), &values, board)
    }
}

/// A way to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The place.
    pub to: String,
    /// The option taken at each step.
    pub answers: Vec<usize>,
    /// The places on the way.
    pub path: Vec<String>,
    /// What the whole way costs, and what follows there if it isn't the same question.
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
        // A way back to where it begins is none.
        let start = self.notes(&request).subject;
        let start = start.map(|piece| self.board().place_of(piece).to_string());
        let mut queue = Vec::from([SearchNode {
            state: self.current.state.clone(),
            request,
            answers: Vec::new(),
            path: Vec::from_iter(start.clone()),
            events: self.events().to_vec(),
            cost: None,
        }]);
        let (mut count, mut index) = (0, 0);
        'search: loop {
            // Shorter ways come before longer ones.
            if index == queue.len() {
                break;
            }
            let node = queue[index].clone();
            index += 1;
            for (option, destination) in place_options(&node.request, &node.state.board, &game) {
                if count >= MAX_STATES || Instant::now() > until {
                    break 'search;
                }
                if node.path.contains(&destination) {
                    continue;
                }
                let visit_count = visits.entry(destination.clone()).or_default();
                if *visit_count >= STATES_PER_PLACE {
                    continue;
                }
                *visit_count += 1;
                count += 1;
                let step = StepCost::described(&node.events, &node.request.options[option]);
                let cost = if node.answers.is_empty() {
                    step
                } else {
                    step.and_then(|step| node.cost.clone()?.and_then(step))
                };
                let mut copy = node.state.clone();
                let (stop, events) = self.answer_copy(&mut copy, &node.request, option, until);
                let (next_choice, then) = match &stop {
                    Stop::Choice(following)
                        if following.side == node.request.side && asking_site(&copy) == site =>
                    {
                        (Some(following.clone()), None)
                    }
                    Stop::Choice(following) => (None, Some(format!("then {}", following.question))),
                    Stop::Throw(throwing) => (
                        None,
                        Some(format!(
                            "then {} for {}",
                            throwing.notation, throwing.purpose
                        )),
                    ),
                    Stop::Done(_) => (None, Some("the end".into())),
                    _ => continue,
                };
                let costs = cost.as_ref().map(|cost| cost.to_text(&copy.board));
                let note: Vec<String> = costs.into_iter().chain(then).collect();
                let (mut answers, mut path) = (node.answers.clone(), node.path.clone());
                answers.push(option);
                path.push(destination.clone());
                walks.entry(destination.clone()).or_insert_with(|| Walk {
                    to: destination,
                    answers: answers.clone(),
                    path: path[usize::from(start.is_some())..].to_vec(),
                    note: note.join("; "),
                });
                queue.extend(next_choice.map(|request| SearchNode {
                    state: copy,
                    request,
                    answers,
                    path,
                    events,
                    cost,
                }));
            }
        }
        walks.into_values().collect()
    }
}
