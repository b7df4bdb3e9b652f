//! The trace of a run: which case answered in which layer, cells read, dice thrown, choices made.
//!
//! Events are small; their text is formatted on demand.

use crate::complaint::{nearest_names, suggestion_text};
use crate::data::deck::CardZone;
use crate::data::status::{ReconstructedFigure, Status};
use crate::data::table::Table;
use crate::notation::Face;
use crate::ruleset::compose::{LayerAnswer, Ruleset, Slot};
use crate::situation::board::Board;
use crate::situation::meter::written_bytes;
use crate::situation::policy::question_key;
use crate::situation::value::{HashedText, List, PieceId, Value};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::sync::Arc;

/// Origin of the answer to a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// An explicit answer: the situation file, the command line, a person, a policy.
    Explicit,
    /// No answer: the first option.
    FirstOption,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardChange {
    /// Sets an attribute of a piece.
    Set(PieceId, HashedText, Value),
    /// Moves a piece to a place.
    Move(PieceId, HashedText),
    /// Puts a piece on a carrier.
    PutOn(PieceId, HashedText),
    /// Removes a piece from the board, with the reason.
    Remove(PieceId, HashedText),
    /// Creates a piece from a description.
    Create(PieceId, Value),
    /// Sets a feature of a place or side.
    Place(Value, HashedText, Value),
    /// Moves a track.
    Track(HashedText, Value),
    /// Moves cards of a stock.
    Cards(Box<MovedCards>),
}

/// Cards of a stock that went from one place to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedCards {
    pub stock: HashedText,
    pub cards: List,
    /// The zone before the move.
    pub from: CardZone,
    /// The zone after it.
    pub to: CardZone,
    /// The side that alone may see them; `None` if all may.
    pub seen_by: Option<HashedText>,
}

/// A source of a value or a line.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// A contributing case, as an index into the cases in force.
    Case(usize),
    /// A table cell that was read.
    Cell(Arc<Table>, usize),
}

/// First component of the id of a case.
pub const CASE_ID: usize = 0;

impl ValueSource {
    /// Returns an id that is unique within the lifetime of the ruleset.
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

/// A function call: its slot, and the depth of the answer in the chain (0 is the newest).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionCall {
    slot: u32,
    depth: u32,
}

impl FunctionCall {
    /// Creates a call of the answer at a depth of a slot's chain.
    pub fn new(slot: usize, depth: usize) -> FunctionCall {
        FunctionCall {
            slot: slot as u32,
            depth: depth as u32,
        }
    }

    pub fn slot(self, ruleset: &Ruleset) -> &Slot {
        &ruleset.slots[self.slot as usize]
    }

    /// Returns the layer answer that was called.
    pub fn answer(self, ruleset: &Ruleset) -> LayerAnswer {
        self.slot(ruleset).answers[self.depth as usize]
    }
}

/// A throw of dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrownDice {
    /// Dice notation.
    pub dice: HashedText,
    /// Purpose of the throw.
    pub purpose: HashedText,
    /// The value that the rule got: a total, a number of hits, or faces.
    pub value: Value,
    /// Face of each die.
    pub faces: Vec<Face>,
    /// The side that alone may see them; `None` if all may.
    pub seen_by: Option<HashedText>,
}

/// A choice that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeChoice {
    /// Side that chose.
    pub side: HashedText,
    pub question: HashedText,
    pub options: List,
    /// Index of the chosen option.
    pub chosen_index: usize,
    /// Origin of the answer.
    pub answered_by: AnswerSource,
}

/// A line of a ruling.
#[derive(Clone, Debug)]
pub struct SpokenLine {
    /// Template with `{}` placeholders.
    pub template: HashedText,
    /// Values for the placeholders.
    pub values: List,
    /// Sources of template and values and of the path to the line, in call order.
    pub sources: Vec<ValueSource>,
    /// Those of the sources without which it would be another line.
    pub deciding: Vec<ValueSource>,
    /// The amendments that decided its values, and not that it is said.
    pub value_amendments: Vec<ValueSource>,
    /// The cases by which a rule refused, if the line tells of that; they are cited first.
    pub refused_by: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct NamedOutcome {
    pub name: HashedText,
    pub value: Value,
    /// What decided the value and the path to it, in call order.
    pub sources: Vec<ValueSource>,
    /// Those that decided the value, or else the innermost condition.
    pub nearest: Vec<ValueSource>,
}

/// A trace event. A long game has more than a million events, nearly all of them calls, so the enum is no larger than a call.
#[derive(Clone, Debug)]
pub enum Event {
    /// A case was called.
    Call(FunctionCall),
    /// The last called case returned.
    Return,
    /// A table cell was read.
    Cell(Arc<Table>, u32),
    /// Dice were thrown.
    Throw(Box<ThrownDice>),
    /// A choice was made.
    Choice(Box<MadeChoice>),
    /// A section of the ruling begins.
    Step(HashedText),
    /// A line of the ruling.
    Line(Box<SpokenLine>),
    /// Places to draw on the map: title, and a list of places or a search result.
    MapDrawing(Box<(HashedText, Value)>),
    /// A description for an option of the next choice: the option and the line. Without an option it is of the question.
    Described(Box<(Value, HashedText, List)>),
    Outcome(Box<NamedOutcome>),
    Change(Box<BoardChange>),
    /// A reconstructed figure of a piece or deck, or a feature of a reconstructed map, was read.
    ReconstructedFigure(Arc<ReconstructedFigure>),
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Event>() == 16);

/// Merges the events of each call, begun and finished from event `first_event` on, that did nothing but call and read: every case and every figure
/// stays once, in the order in which it was first left or read. Citations, and lists of what a run used, are the same as before; a long run
/// takes a fraction of the memory.
pub fn merge_reads(events: &mut Vec<Event>, first_event: usize) {
    // By open call, where it begins, and whether it has only called and read; and where the outermost that did begin and end.
    let (mut open, mut merged) = (Vec::new(), Vec::new());
    for (index, event) in events.iter().enumerate().skip(first_event) {
        let returned = if let Event::Return = event {
            open.pop()
        } else {
            None
        };
        let only_reads = event.is_read() && returned.is_none_or(|(_, only_reads)| only_reads);
        if let Some((_, outer)) = open.last_mut() {
            *outer &= only_reads;
        }
        if let Event::Call(_) = event {
            open.push((index, true));
        }
        if let Some((start, true)) = returned {
            while merged.pop_if(|(inner, _)| *inner > start).is_some() {}
            // One call or read within it repeats nothing.
            merged.extend((index - start >= 4).then_some((start, index)));
        }
    }
    let (mut merged, mut called) = (merged.into_iter().peekable(), Vec::new());
    // Where the call begins in which each case or figure was last read.
    let mut last_seen = FxHashMap::default();
    for (index, event) in (first_event..).zip(events.split_off(first_event)) {
        while merged.next_if(|(_, end)| *end <= index).is_some() {}
        let Some((call, _)) = merged.peek().filter(|(start, _)| *start < index) else {
            events.push(event);
            continue;
        };
        let mut is_new = |source| last_seen.insert(source, *call) != Some(*call);
        match event {
            Event::Call(call) => called.push(call),
            Event::Return => {
                let left = called
                    .pop()
                    .filter(|call| is_new((CASE_ID, call.slot as usize, call.depth as usize)));
                left.into_iter()
                    .for_each(|call| events.extend([Event::Call(call), Event::Return]));
            }
            Event::Cell(ref table, index)
                if !is_new((Arc::as_ptr(table) as usize, index as usize, 0)) => {}
            Event::ReconstructedFigure(ref figure)
                if !is_new((Arc::as_ptr(figure) as usize, 0, 1)) => {}
            event => events.push(event),
        }
    }
}

/// A reconstructed figure that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReconstructedRead {
    /// A cell of a table.
    Cell {
        table: String,
        /// Label of the cell.
        label: String,
        /// Index of the cell.
        index: usize,
    },
    /// A figure of a piece or deck, or the features of a map.
    Figure(Arc<ReconstructedFigure>),
}

impl ReconstructedRead {
    /// Creates the read of a table cell.
    pub fn cell(table: &Table, index: usize) -> ReconstructedRead {
        ReconstructedRead::Cell {
            table: table.id.clone(),
            label: table.label(index),
            index,
        }
    }
}

impl Event {
    /// Returns the reconstructed figure that this event read.
    pub fn reconstructed_read(&self) -> Option<ReconstructedRead> {
        match self {
            Event::Cell(table, index)
                if table.cells[*index as usize].status == Status::Reconstructed =>
            {
                Some(ReconstructedRead::cell(table, *index as usize))
            }
            Event::ReconstructedFigure(figure) => Some(ReconstructedRead::Figure(figure.clone())),
            _ => None,
        }
    }

    /// Returns the size of the event and its text in bytes.
    pub fn bytes(&self) -> u64 {
        let text = |text: &HashedText| 200 + 4 * text.len() as u64;
        let content_bytes = match self {
            Event::Call(_) | Event::Return | Event::Cell(..) | Event::ReconstructedFigure(_) => 0,
            Event::Throw(thrown) => text(&thrown.purpose) + 24 * thrown.faces.len() as u64,
            Event::Choice(chosen) => {
                let options = chosen.options.size();
                text(&chosen.question)
                    + 4 * u64::from(options.bytes)
                    + 48 * u64::from(options.values)
            }
            Event::Step(title) => text(title),
            Event::Line(line) => {
                text(&line.template) + line.values.iter().map(written_bytes).sum::<u64>()
            }
            Event::MapDrawing(drawing) => text(&drawing.0) + 2 * written_bytes(&drawing.1),
            Event::Described(described) => {
                text(&described.1)
                    + written_bytes(&described.0)
                    + described.2.iter().map(written_bytes).sum::<u64>()
            }
            Event::Outcome(outcome) => text(&outcome.name) + written_bytes(&outcome.value),
            Event::Change(change) => match &**change {
                BoardChange::Set(_, _, value)
                | BoardChange::Create(_, value)
                | BoardChange::Place(_, _, value)
                | BoardChange::Track(_, value) => written_bytes(value),
                BoardChange::Cards(moved) => 100 + written_bytes(&Value::List(moved.cards.clone())),
                BoardChange::Move(_, text)
                | BoardChange::PutOn(_, text)
                | BoardChange::Remove(_, text) => 100 + text.len() as u64,
            },
        };
        size_of::<Event>() as u64 + content_bytes
    }

    /// Returns whether the event only records a call or a read.
    fn is_read(&self) -> bool {
        matches!(
            self,
            Event::Call(_) | Event::Return | Event::Cell(..) | Event::ReconstructedFigure(_)
        )
    }

    /// Replaces created pieces numbered from `first_created` on by their names, because a refusal rolls them back and later pieces may reuse their
    /// numbers.
    pub fn name_removed_pieces(&mut self, first_created: usize, board: &Board) {
        let named = |value: &Value| with_piece_names(value, first_created, board);
        match self {
            Event::Line(line) => line.values = line.values.iter().map(named).collect(),
            Event::Choice(chosen) => chosen.options = chosen.options.iter().map(named).collect(),
            Event::Outcome(outcome) => outcome.value = named(&outcome.value),
            Event::MapDrawing(drawing) => drawing.1 = named(&drawing.1),
            Event::Described(described) => {
                let (option, _, values) = &mut **described;
                *option = named(option);
                *values = values.iter().map(named).collect();
            }
            _ => {}
        }
    }

    /// Returns whether the event has an effect: a changed cell, a throw, an outcome.
    pub fn does_something(&self) -> bool {
        matches!(self, Event::Change(_) | Event::Throw(_) | Event::Outcome(_))
    }

    /// Creates a line whose sources are not yet computed.
    pub fn line(line: HashedText, values: List) -> Event {
        Event::Line(Box::new(SpokenLine {
            template: line,
            values,
            sources: Vec::new(),
            deciding: Vec::new(),
            value_amendments: Vec::new(),
            refused_by: Vec::new(),
        }))
    }
}

/// Returns a value in which pieces numbered from `first_created` on are replaced by their names.
fn with_piece_names(value: &Value, first_created: usize, board: &Board) -> Value {
    match value {
        Value::Piece(piece) if piece.0 >= first_created => board.name(*piece).clone().into(),
        Value::List(list) => list
            .iter()
            .map(|item| with_piece_names(item, first_created, board))
            .collect(),
        Value::Map(map) => Value::Map(
            map.entries()
                .iter()
                .map(|(key, item)| (key.clone(), with_piece_names(item, first_created, board)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Returns the explicit answers whose question was never asked, with the questions that were.
pub fn unused_answers(events: &[Event], answers: &[(String, String)]) -> Vec<UnusedAnswer> {
    let mut questions: Vec<(String, &str)> = Vec::new();
    for event in events {
        if let Event::Choice(chosen) = event {
            let full = question_key(&chosen.side, &chosen.question);
            if !questions.iter().any(|(key, _)| *key == full) {
                questions.push((full, &chosen.question));
            }
        }
    }
    unused_among(questions, answers)
}

/// An explicit answer to a question that was never asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnusedAnswer {
    /// Question of the answer.
    pub answer: String,
    /// Likely intended questions.
    pub near: Vec<String>,
    /// All questions asked.
    pub asked: Vec<String>,
}

impl UnusedAnswer {
    /// Formats unused answers: one text for each, then the questions asked.
    pub fn describe_all(answers: &[UnusedAnswer]) -> Vec<String> {
        let mut lines: Vec<String> = answers.iter().map(UnusedAnswer::to_string).collect();
        lines.extend(
            answers
                .first()
                .filter(|one| !one.asked.is_empty())
                .map(|one| format!("(asked: {})", one.asked.join("; "))),
        );
        lines
    }
}

impl std::fmt::Display for UnusedAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.answer, suggestion_text(&self.near))
    }
}

/// Returns the explicit answers whose question is not in `questions`, which lists each question in full and without its side.
pub fn unused_among(
    questions: Vec<(String, &str)>,
    answers: &[(String, String)],
) -> Vec<UnusedAnswer> {
    let unused = answers.iter().filter(|(name, _)| {
        !questions
            .iter()
            .any(|(full, short)| name == full || name == short)
    });
    let keys: Vec<String> = questions.iter().map(|(full, _)| full.clone()).collect();
    let unused_answer = |name: &String| UnusedAnswer {
        answer: name.clone(),
        near: nearest_names(name, keys.iter().map(String::as_str)),
        asked: keys.clone(),
    };
    unused.map(|(name, _)| unused_answer(name)).collect()
}
