//! What happened on the way to a ruling: which case answered in which layer, which cell was read, which die fell, which choice was made.
//!
//! Events are small and cheap; their text is made when somebody reads them.

use crate::complaint::{nearest_names, suggestion_text};
use crate::data::case::Status;
use crate::data::table::Table;
use crate::ruleset::compose::{LayerAnswer, Ruleset, Slot};
use crate::situation::board::Board;
use crate::situation::dice::Throw;
use crate::situation::meter::written;
use crate::situation::policy::question_key;
use crate::situation::value::{HashedText, List, PieceId, Value};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::sync::{Arc, OnceLock};

/// How a choice was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// By somebody: the situation file, the command line, a person, a policy.
    Explicit,
    /// By nobody: the first option.
    FirstOption,
}

/// A change of the situation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardChange {
    /// A figure of a piece is set.
    Set(PieceId, HashedText, Value),
    /// A piece goes to a place.
    Move(PieceId, HashedText),
    /// A piece goes on a carrier.
    PutOn(PieceId, HashedText),
    /// A piece leaves the board, and why.
    Remove(PieceId, HashedText),
    /// A piece comes into play, as described.
    Create(PieceId, Value),
    /// A feature of a place, or of the side between two, is set.
    Place(Value, HashedText, Value),
    /// A track stands elsewhere.
    Track(HashedText, Value),
}

/// What a value or a line came from.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// A case that has a part in it, as an index among those in force.
    Case(usize),
    /// A cell that was read.
    Cell(Arc<Table>, usize),
}

/// The first number of a case.
pub const CASE_ID: usize = 0;

impl ValueSource {
    /// Two numbers that tell it from others, as long as its ruleset lives.
    pub fn id(&self) -> (usize, usize) {
        match self {
            ValueSource::Case(case) => (CASE_ID, *case),
            ValueSource::Cell(table, index) => (Arc::as_ptr(table) as usize, *index),
        }
    }
}

impl PartialEq for ValueSource {
    fn eq(&self, other: &ValueSource) -> bool {
        self.id() == other.id()
    }
}

/// A function that was asked: its slot, and which answer of the chain, 0 being the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionCall {
    slot: u32,
    depth: u32,
}

impl FunctionCall {
    /// The answer at a depth of a slot's chain.
    pub fn new(slot: usize, depth: usize) -> FunctionCall {
        FunctionCall { slot: slot as u32, depth: depth as u32 }
    }

    /// The function.
    pub fn slot(self, ruleset: &Ruleset) -> &Slot {
        &ruleset.slots[self.slot as usize]
    }

    /// Who answered.
    pub fn answer(self, ruleset: &Ruleset) -> LayerAnswer {
        self.slot(ruleset).answers[self.depth as usize]
    }
}

/// Dice that fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrownDice {
    /// The dice as written.
    pub dice: HashedText,
    /// What for.
    pub purpose: HashedText,
    /// What they showed.
    pub throw: Throw,
}

/// A choice that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeChoice {
    /// Whose.
    pub side: HashedText,
    /// Of what.
    pub question: HashedText,
    /// The options.
    pub options: List,
    /// Which was taken.
    pub chosen_index: usize,
    /// Who said so.
    pub answered_by: AnswerSource,
}

/// A line of a ruling.
#[derive(Clone, Debug)]
pub struct SpokenLine {
    /// Its template.
    pub template: HashedText,
    /// What it speaks of.
    pub values: List,
    /// What both and the way to it came from, in the order of asking.
    pub sources: Vec<ValueSource>,
}

/// A reconstructed figure of a piece.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReconstructedFigure {
    /// The file it comes from.
    pub path: String,
    /// What it is called.
    pub name: String,
    /// The piece.
    pub piece: String,
}

/// One thing that happened. A long game is more than a million of them, nearly all of them cases that ask each other: so none is larger
/// than those, and what happened on the way to a remembered answer is one.
#[derive(Clone, Debug)]
pub enum Event {
    /// A case was asked.
    Call(FunctionCall),
    /// The case asked last has answered.
    Return,
    /// A cell was read.
    Cell(Arc<Table>, u32),
    /// Dice fell.
    Throw(Box<ThrownDice>),
    /// A choice was made.
    Choice(Box<MadeChoice>),
    /// A part of the ruling begins.
    Step(HashedText),
    /// A line of the ruling.
    Line(Box<SpokenLine>),
    /// Places are drawn on the map: under which title, and a list of them or what a search found.
    MapDrawing(Box<(HashedText, Value)>),
    /// What is said beside an option of the next choice: the option, and the line.
    Described(Box<(Value, HashedText, List)>),
    /// A named outcome.
    Outcome(Box<(HashedText, Value)>),
    /// The situation changed.
    Change(Box<BoardChange>),
    /// A reconstructed figure of a piece was read.
    ReconstructedFigure(Arc<ReconstructedFigure>),
    /// All that happened on the way to an answer that was known already.
    Cached(Arc<CachedEvents>),
}

const _: () = assert!(size_of::<Event>() == 16);

/// What happened on the way to an answer that is remembered: who was asked and what was read, no more.
#[derive(Debug)]
pub struct CachedEvents {
    /// In the order in which it happened.
    pub events: Vec<Event>,
    /// What of it whoever asks hears of, by the numbers of sources; found where it is read.
    pub sources: OnceLock<Box<[(usize, usize)]>>,
}

/// Events one after the other, with those of remembered answers.
pub struct TraceIter<'a> {
    stack: Vec<std::slice::Iter<'a, Event>>,
    /// The answers that were gone through, where nobody wants to see them again.
    seen: Option<FxHashSet<*const CachedEvents>>,
}

/// All events, those of remembered answers each time they were given.
pub fn all_events(events: &[Event]) -> TraceIter<'_> {
    TraceIter { stack: vec![events.iter()], seen: None }
}

/// The same, those of a remembered answer once, however often it was given: for whoever asks what had a part at all.
pub fn distinct_events(events: &[Event]) -> TraceIter<'_> {
    TraceIter { stack: vec![events.iter()], seen: Some(FxHashSet::default()) }
}

impl<'a> Iterator for TraceIter<'a> {
    type Item = &'a Event;

    fn next(&mut self) -> Option<&'a Event> {
        loop {
            match self.stack.last_mut()?.next() {
                Some(Event::Cached(known)) => {
                    if self.seen.as_mut().is_none_or(|seen| seen.insert(Arc::as_ptr(known))) {
                        self.stack.push(known.events.iter());
                    }
                }
                Some(event) => return Some(event),
                None => drop(self.stack.pop()),
            }
        }
    }
}

/// A reconstructed figure that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReconstructedRead {
    /// A cell of a table.
    Cell {
        /// The table.
        table: String,
        /// What the cell is called.
        label: String,
        /// Its number.
        index: usize,
    },
    /// A figure of a piece.
    Figure(Arc<ReconstructedFigure>),
}

impl ReconstructedRead {
    /// A cell of a table.
    pub fn cell(table: &Table, index: usize) -> ReconstructedRead {
        ReconstructedRead::Cell { table: table.id.clone(), label: table.label(index), index }
    }
}

impl Event {
    /// What happened on the way to an answer, to be told again as one.
    pub fn cached(events: Vec<Event>) -> Event {
        Event::Cached(Arc::new(CachedEvents { events, sources: OnceLock::new() }))
    }

    /// The reconstructed figure that was read here.
    pub fn reconstructed_read(&self) -> Option<ReconstructedRead> {
        match self {
            Event::Cell(table, index) if table.cells[*index as usize].status == Status::Reconstructed => {
                Some(ReconstructedRead::cell(table, *index as usize))
            }
            Event::ReconstructedFigure(figure) => Some(ReconstructedRead::Figure(figure.clone())),
            _ => None,
        }
    }

    /// Bytes of it and of its text.
    pub fn bytes(&self) -> u64 {
        let text = |text: &HashedText| 200 + 4 * text.len() as u64;
        let own = match self {
            Event::Call(_) | Event::Return | Event::Cell(..) | Event::ReconstructedFigure(_) | Event::Cached(_) => 0,
            Event::Throw(thrown) => text(&thrown.purpose) + 16 * thrown.throw.faces.len() as u64,
            Event::Choice(chosen) => {
                let options = chosen.options.size();
                text(&chosen.question) + 4 * u64::from(options.bytes) + 48 * u64::from(options.values)
            }
            Event::Step(title) => text(title),
            Event::Line(said) => text(&said.template) + said.values.iter().map(written).sum::<u64>(),
            Event::MapDrawing(drawn) => text(&drawn.0) + 2 * written(&drawn.1),
            Event::Described(described) => text(&described.1) + written(&described.0) + described.2.iter().map(written).sum::<u64>(),
            Event::Outcome(result) => text(&result.0) + written(&result.1),
            Event::Change(change) => match &**change {
                BoardChange::Set(_, _, value)
                | BoardChange::Create(_, value)
                | BoardChange::Place(_, _, value)
                | BoardChange::Track(_, value) => written(value),
                BoardChange::Move(_, text) | BoardChange::PutOn(_, text) | BoardChange::Remove(_, text) => 100 + text.len() as u64,
            },
        };
        size_of::<Event>() as u64 + own
    }

    /// Whether it tells no more than who was asked and what was read.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Event::Call(_) | Event::Return | Event::Cell(..) | Event::ReconstructedFigure(_) | Event::Cached(_))
    }

    /// Calls pieces by name that a refusal takes back, being made since: those made after may come to have their numbers.
    pub fn name_removed_pieces(&mut self, before: usize, board: &Board) {
        let named = |value: &Value| with_piece_names(value, before, board);
        match self {
            Event::Line(said) => said.values = said.values.iter().map(named).collect(),
            Event::Choice(chosen) => chosen.options = chosen.options.iter().map(named).collect(),
            Event::Outcome(result) => result.1 = named(&result.1),
            Event::MapDrawing(drawn) => drawn.1 = named(&drawn.1),
            Event::Described(described) => {
                let (option, _, values) = &mut **described;
                *option = named(option);
                *values = values.iter().map(named).collect();
            }
            _ => {}
        }
    }

    /// Whether something is done: a figure changed, dice thrown, an outcome named.
    pub fn does_something(&self) -> bool {
        matches!(self, Event::Change(_) | Event::Throw(_) | Event::Outcome(_))
    }

    /// A line, before anybody has found out what it came from.
    pub fn line(line: HashedText, values: List) -> Event {
        Event::Line(Box::new(SpokenLine { template: line, values, sources: Vec::new() }))
    }
}

/// A value with the names of the pieces from a number on in their place.
fn with_piece_names(value: &Value, from: usize, board: &Board) -> Value {
    match value {
        Value::Piece(piece) if piece.0 >= from => board.name(*piece).clone().into(),
        Value::List(list) => list.iter().map(|item| with_piece_names(item, from, board)).collect(),
        Value::Map(map) => Value::Map(map.entries().iter().map(|(key, item)| (key.clone(), with_piece_names(item, from, board))).collect()),
        other => other.clone(),
    }
}

/// Answers given by hand to questions that did not come up, and those that did.
pub fn unused_answers(events: &[Event], given: &[(String, String)]) -> Vec<UnusedAnswer> {
    let mut asked: Vec<(String, &str)> = Vec::new();
    for event in events {
        if let Event::Choice(chosen) = event {
            let full = question_key(&chosen.side, &chosen.question);
            if !asked.iter().any(|(known, _)| *known == full) {
                asked.push((full, &chosen.question));
            }
        }
    }
    unused_among(asked, given)
}

/// An answer given by hand to what nobody asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UnusedAnswer {
    /// The question it is given to.
    pub answer: String,
    /// The questions that may have been meant.
    pub near: Vec<String>,
    /// All that were asked.
    pub asked: Vec<String>,
}

impl UnusedAnswer {
    /// Several as a person reads them: each, and then what was asked.
    pub fn describe_all(list: &[UnusedAnswer]) -> Vec<String> {
        let mut lines: Vec<String> = list.iter().map(UnusedAnswer::to_string).collect();
        lines.extend(list.first().filter(|one| !one.asked.is_empty()).map(|one| format!("(asked: {})", one.asked.join("; "))));
        lines
    }
}

impl std::fmt::Display for UnusedAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.answer, suggestion_text(&self.near))
    }
}

/// Answers given by hand to questions that are not among those asked: in full, and without whom they are put to.
pub fn unused_among(asked: Vec<(String, &str)>, given: &[(String, String)]) -> Vec<UnusedAnswer> {
    let idle = given.iter().filter(|(name, _)| !asked.iter().any(|(full, what)| name == full || name == what));
    let all: Vec<String> = asked.iter().map(|(full, _)| full.clone()).collect();
    let one = |name: &String| UnusedAnswer {
        answer: name.clone(),
        near: nearest_names(name, all.iter().map(String::as_str)),
        asked: all.clone(),
    };
    idle.map(|(name, _)| one(name)).collect()
}
