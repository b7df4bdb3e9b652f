//! What happened on the way to a ruling: which case answered in which layer, which cell was read, which die fell, which choice was made.
//!
//! Events are small and cheap; their text is made when somebody reads them.

use crate::complaint::{hint, near};
use crate::data::case::Status;
use crate::data::table::Table;
use crate::ruleset::compose::{Answer, Ruleset, Slot};
use crate::situation::board::Board;
use crate::situation::dice::Throw;
use crate::situation::meter::written;
use crate::situation::policy::question;
use crate::situation::value::{List, PieceId, Text, Value};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::sync::{Arc, OnceLock};

/// How a choice was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// By somebody: the situation file, the command line, a person, a policy.
    Said,
    /// By nobody: the first option.
    First,
}

/// A change of the situation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A figure of a piece is set.
    Set(PieceId, Text, Value),
    /// A piece goes to a place.
    Move(PieceId, Text),
    /// A piece goes on a carrier.
    Ride(PieceId, Text),
    /// A piece leaves the board, and why.
    Remove(PieceId, Text),
    /// A piece comes into play, as described.
    Create(PieceId, Value),
    /// A feature of a place, or of the side between two, is set.
    Place(Value, Text, Value),
    /// A track stands elsewhere.
    Track(Text, Value),
}

/// What a value or a line came from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A case that has a part in it, as an index among those in force.
    Case(usize),
    /// A cell that was read.
    Cell(Arc<Table>, usize),
}

/// The first number of a case.
pub const CASE: usize = 0;

impl Source {
    /// Two numbers that tell it from others, as long as its ruleset lives.
    pub fn number(&self) -> (usize, usize) {
        match self {
            Source::Case(case) => (CASE, *case),
            Source::Cell(table, index) => (Arc::as_ptr(table) as usize, *index),
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.number() == other.number()
    }
}

/// A function that was asked: its slot, and which answer of the chain, 0 being the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Asking {
    slot: u32,
    depth: u32,
}

impl Asking {
    /// The answer at a depth of a slot's chain.
    pub fn new(slot: usize, depth: usize) -> Asking {
        Asking { slot: slot as u32, depth: depth as u32 }
    }

    /// The function.
    pub fn slot(self, ruleset: &Ruleset) -> &Slot {
        &ruleset.slots[self.slot as usize]
    }

    /// Who answered.
    pub fn answer(self, ruleset: &Ruleset) -> Answer {
        self.slot(ruleset).chain[self.depth as usize]
    }
}

/// Dice that fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// The dice as written.
    pub dice: Text,
    /// What for.
    pub purpose: Text,
    /// What they showed.
    pub throw: Throw,
}

/// A choice that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Whose.
    pub side: Text,
    /// Of what.
    pub what: Text,
    /// The options.
    pub options: List,
    /// Which was taken.
    pub picked: usize,
    /// Who said so.
    pub by: Answered,
}

/// A line of a ruling.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// Its template.
    pub line: Text,
    /// What it speaks of.
    pub values: List,
    /// What both and the way to it came from, in the order of asking.
    pub from: Vec<Source>,
}

/// A reconstructed figure of a piece.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MadeUp {
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
    Ask(Asking),
    /// The case asked last has answered.
    Done,
    /// A cell was read.
    Cell(Arc<Table>, u32),
    /// Dice fell.
    Die(Box<Thrown>),
    /// A choice was made.
    Choice(Box<Chosen>),
    /// A part of the ruling begins.
    Step(Text),
    /// A line of the ruling.
    Say(Box<Spoken>),
    /// Places are drawn on the map: under which title, and a list of them or what a search found.
    Drawn(Box<(Text, Value)>),
    /// What is said beside an option of the next choice: the option, and the line.
    Described(Box<(Value, Text, List)>),
    /// A named outcome.
    Result(Box<(Text, Value)>),
    /// The situation changed.
    Change(Box<Change>),
    /// A reconstructed figure of a piece was read.
    Figure(Arc<MadeUp>),
    /// All that happened on the way to an answer that was known already.
    Remembered(Arc<Remembered>),
}

const _: () = assert!(size_of::<Event>() == 16);

/// What happened on the way to an answer that is remembered: who was asked and what was read, no more.
#[derive(Debug)]
pub struct Remembered {
    /// In the order in which it happened.
    pub events: Vec<Event>,
    /// What of it whoever asks hears of, by the numbers of sources; found where it is read.
    pub heard: OnceLock<Box<[(usize, usize)]>>,
}

/// Events one after the other, with those of remembered answers.
pub struct All<'a> {
    open: Vec<std::slice::Iter<'a, Event>>,
    /// The answers that were gone through, where nobody wants to see them again.
    seen: Option<FxHashSet<*const Remembered>>,
}

/// All events, those of remembered answers each time they were given.
pub fn all(events: &[Event]) -> All<'_> {
    All { open: vec![events.iter()], seen: None }
}

/// The same, those of a remembered answer once, however often it was given: for whoever asks what had a part at all.
pub fn once(events: &[Event]) -> All<'_> {
    All { open: vec![events.iter()], seen: Some(FxHashSet::default()) }
}

impl<'a> Iterator for All<'a> {
    type Item = &'a Event;

    fn next(&mut self) -> Option<&'a Event> {
        loop {
            match self.open.last_mut()?.next() {
                Some(Event::Remembered(known)) => {
                    if self.seen.as_mut().is_none_or(|seen| seen.insert(Arc::as_ptr(known))) {
                        self.open.push(known.events.iter());
                    }
                }
                Some(event) => return Some(event),
                None => drop(self.open.pop()),
            }
        }
    }
}

/// A reconstructed figure that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
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
    Figure(Arc<MadeUp>),
}

impl Doubt {
    /// A cell of a table.
    pub fn cell(table: &Table, index: usize) -> Doubt {
        Doubt::Cell { table: table.id.clone(), label: table.label(index), index }
    }
}

impl Event {
    /// What happened on the way to an answer, to be told again as one.
    pub fn remembered(events: Vec<Event>) -> Event {
        Event::Remembered(Arc::new(Remembered { events, heard: OnceLock::new() }))
    }

    /// The reconstructed figure that was read here.
    pub fn doubt(&self) -> Option<Doubt> {
        match self {
            Event::Cell(table, index) if table.cells[*index as usize].status == Status::Reconstructed => {
                Some(Doubt::cell(table, *index as usize))
            }
            Event::Figure(figure) => Some(Doubt::Figure(figure.clone())),
            _ => None,
        }
    }

    /// Bytes of it and of its text.
    pub fn bytes(&self) -> u64 {
        let text = |text: &Text| 200 + 4 * text.len() as u64;
        let own = match self {
            Event::Ask(_) | Event::Done | Event::Cell(..) | Event::Figure(_) | Event::Remembered(_) => 0,
            Event::Die(thrown) => text(&thrown.purpose) + 16 * thrown.throw.faces.len() as u64,
            Event::Choice(chosen) => {
                let options = chosen.options.size();
                text(&chosen.what) + 4 * u64::from(options.bytes) + 48 * u64::from(options.values)
            }
            Event::Step(title) => text(title),
            Event::Say(said) => text(&said.line) + said.values.iter().map(written).sum::<u64>(),
            Event::Drawn(drawn) => text(&drawn.0) + 2 * written(&drawn.1),
            Event::Described(described) => text(&described.1) + written(&described.0) + described.2.iter().map(written).sum::<u64>(),
            Event::Result(result) => text(&result.0) + written(&result.1),
            Event::Change(change) => match &**change {
                Change::Set(_, _, value) | Change::Create(_, value) | Change::Place(_, _, value) | Change::Track(_, value) => {
                    written(value)
                }
                Change::Move(_, text) | Change::Ride(_, text) | Change::Remove(_, text) => 100 + text.len() as u64,
            },
        };
        size_of::<Event>() as u64 + own
    }

    /// Whether it tells no more than who was asked and what was read.
    pub fn is_of_asking(&self) -> bool {
        matches!(self, Event::Ask(_) | Event::Done | Event::Cell(..) | Event::Figure(_) | Event::Remembered(_))
    }

    /// Calls pieces by name that a refusal takes back, being made since: those made after may come to have their numbers.
    pub fn taken_back(&mut self, before: usize, board: &Board) {
        let named = |value: &Value| named(value, before, board);
        match self {
            Event::Say(said) => said.values = said.values.iter().map(named).collect(),
            Event::Choice(chosen) => chosen.options = chosen.options.iter().map(named).collect(),
            Event::Result(result) => result.1 = named(&result.1),
            Event::Drawn(drawn) => drawn.1 = named(&drawn.1),
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
        matches!(self, Event::Change(_) | Event::Die(_) | Event::Result(_))
    }

    /// A line, before anybody has found out what it came from.
    pub fn say(line: Text, values: List) -> Event {
        Event::Say(Box::new(Spoken { line, values, from: Vec::new() }))
    }
}

/// A value with the names of the pieces from a number on in their place.
fn named(value: &Value, from: usize, board: &Board) -> Value {
    match value {
        Value::Piece(piece) if piece.0 >= from => board.name(*piece).clone().into(),
        Value::List(list) => list.iter().map(|item| named(item, from, board)).collect(),
        Value::Map(map) => Value::Map(map.entries().iter().map(|(key, item)| (key.clone(), named(item, from, board))).collect()),
        other => other.clone(),
    }
}

/// Answers given by hand to questions that did not come up, and those that did.
pub fn unheard(events: &[Event], given: &[(String, String)]) -> Vec<Unheard> {
    let mut asked: Vec<(String, &str)> = Vec::new();
    for event in events {
        if let Event::Choice(chosen) = event {
            let full = question(&chosen.side, &chosen.what);
            if !asked.iter().any(|(known, _)| *known == full) {
                asked.push((full, &chosen.what));
            }
        }
    }
    unasked(asked, given)
}

/// An answer given by hand to what nobody asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unheard {
    /// The question it is given to.
    pub answer: String,
    /// The questions that may have been meant.
    pub near: Vec<String>,
    /// All that were asked.
    pub asked: Vec<String>,
}

impl Unheard {
    /// Several as a person reads them: each, and then what was asked.
    pub fn told(list: &[Unheard]) -> Vec<String> {
        let mut lines: Vec<String> = list.iter().map(Unheard::to_string).collect();
        lines.extend(list.first().filter(|one| !one.asked.is_empty()).map(|one| format!("(asked: {})", one.asked.join("; "))));
        lines
    }
}

impl std::fmt::Display for Unheard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.answer, hint(&self.near))
    }
}

/// Answers given by hand to questions that are not among those asked: in full, and without whom they are put to.
pub fn unasked(asked: Vec<(String, &str)>, given: &[(String, String)]) -> Vec<Unheard> {
    let idle = given.iter().filter(|(name, _)| !asked.iter().any(|(full, what)| name == full || name == what));
    let all: Vec<String> = asked.iter().map(|(full, _)| full.clone()).collect();
    let one = |name: &String| Unheard { answer: name.clone(), near: near(name, all.iter().map(String::as_str)), asked: all.clone() };
    idle.map(|(name, _)| one(name)).collect()
}
