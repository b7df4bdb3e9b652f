//! What verbs reach: the rules, the board, the caches of a thread, and whoever writes down what happens.

use crate::code::unit::Found;
use crate::code::vocabulary::Vocabulary;
use crate::complaint::Complaints;
use crate::data::axis::Key;
use crate::data::case::{Case, Status};
use crate::data::manifest::Game;
use crate::data::table::Table;
use crate::notation::{Dice, Hex};
use crate::ruleset::compose::Ruleset;
use crate::situation::board::Board;
use crate::situation::dice::Typed;
use crate::situation::figures::{Figure, Of};
use crate::situation::geography::Atlas;
use crate::situation::start::{FIRST, Start};
use crate::situation::trace::{Event, MadeUp};
use crate::situation::value::{Closure, Map, NESTED, PieceId, Text, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// Why a script can't go on.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Something that may not be done, found where the script runs.
    Wrong(Found),
    /// The data it met is at fault.
    Data(Complaints),
}

/// What a verb gives.
pub type Answer<T = Value> = Result<T, Box<Fault>>;

/// Ends the script with a fault.
pub fn fault<T>(law: &'static str, what: impl Into<String>, help: impl Into<String>) -> Answer<T> {
    Err(Box::new(Fault::Wrong(Found { law, what: what.into(), help: help.into() })))
}

/// Ends the script with a value that is past the limits.
pub fn too_large<T>(kind: &str) -> Answer<T> {
    let help = format!("scripts work on small values; tables and pieces hold the rest; lists stand at most {NESTED} deep in each other");
    fault("limit", format!("{kind} is too large"), help)
}

/// Whoever calls closures for a verb.
pub trait Calls {
    /// Calls a closure, which may neither throw dice nor let anybody choose.
    fn call(&mut self, closure: &Closure, args: Vec<Value>) -> Answer;
}

/// A table with its cells as scripts see them.
#[derive(Debug)]
pub struct Chart {
    /// The table.
    pub table: Arc<Table>,
    /// The value of each cell that was read; none where it is missing.
    values: Vec<OnceLock<Option<Value>>>,
    /// The cells that were read of those that are reconstructed.
    pub doubted: Vec<AtomicBool>,
}

impl Chart {
    /// The value of a cell; none where it is missing.
    pub fn value(&self, index: usize) -> Option<&Value> {
        self.values[index].get_or_init(|| cell(&self.table, index)).as_ref()
    }
}

/// A hex with what is often asked of it.
#[derive(Debug)]
pub struct Spot {
    /// The hex.
    pub hex: Hex,
    /// The hexes around it.
    pub neighbours: Vec<Text>,
}

/// Dice, and hexes, that a thread keeps at most; then it reads them again.
const DICE: usize = 1_000;
const SPOTS: usize = 20_000;

/// What a thread has read once.
#[derive(Debug, Default)]
pub struct Caches {
    /// Dice by their notation.
    pub dice: FxHashMap<Text, Arc<Dice>>,
    /// Hexes by name.
    pub spots: FxHashMap<Text, Arc<Spot>>,
    /// Tables by number or name.
    pub charts: FxHashMap<Text, Arc<Chart>>,
    /// Situations by name, as examples set them up.
    pub starts: FxHashMap<Text, Arc<Start>>,
    /// Reconstructed figures of pieces that were read.
    pub doubted: FxHashMap<(PieceId, usize), Arc<MadeUp>>,
}

/// How much of a run is noted, where anything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// All of it, with what every line comes from.
    #[default]
    Whole,
    /// All but what lines come from: nobody reads what they cite.
    Uncited,
    /// What is told: lines, throws, choices, outcomes, changes. Nobody reads who was asked.
    Told,
}

/// How a run is carried out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Whether this is an example, which may set up boards and dice.
    pub example: bool,
    /// How much is noted.
    pub detail: Detail,
    /// Whether everything is worked out anew, and no answer remembered: the one may be held against the other.
    pub anew: bool,
    /// Stop also where a function that threw or asked has answered: ways may meet there.
    pub meets: bool,
}

/// What an example has set up.
#[derive(Clone, Debug, Default)]
pub struct Hand {
    /// Dice typed in.
    pub dice: Typed,
    /// Answers to choices.
    pub answers: HashMap<String, Value>,
    /// The questions the example itself has set up answers to.
    pub given: BTreeSet<String>,
    /// Dice that were set up and put away without having fallen.
    pub unthrown: usize,
    /// How often something was expected.
    pub expected: u32,
    /// The chances and means it has asked for, in lowest terms.
    pub chances: BTreeSet<String>,
}

/// What a verb reaches.
pub struct Context<'a> {
    /// The ruleset.
    pub ruleset: &'a Arc<Ruleset>,
    /// The maps of situations.
    pub atlas: &'a Atlas,
    /// The words of the game.
    pub words: &'a Vocabulary,
    /// The board.
    pub board: &'a mut Board,
    /// What an example has set up.
    pub hand: &'a mut Hand,
    /// The outcomes named so far.
    pub outcomes: &'a mut Vec<(Text, Value)>,
    /// What has happened, where somebody reads it.
    pub trace: &'a mut Option<Vec<Event>>,
    /// What the thread has read once.
    pub caches: &'a mut Caches,
    /// How the run is carried out.
    pub manner: Manner,
    /// The case that runs, as an index among those in force.
    pub case: Option<usize>,
    /// Whether a question is being answered; an example speaks for itself.
    pub answering: bool,
}

impl Context<'_> {
    /// The game.
    pub fn game(&self) -> &Game {
        &self.ruleset.game
    }

    /// The case that runs.
    pub fn running(&self) -> Option<&Case> {
        self.case.map(|case| &*self.ruleset.cases[case])
    }

    /// Notes an event where somebody reads it.
    pub fn note(&mut self, event: impl FnOnce() -> Event) {
        if let Some(trace) = self.trace {
            let event = event();
            self.board.meter.wrote(event.bytes());
            trace.push(event);
        }
    }

    /// Notes what was read where somebody wants to know.
    pub fn note_reading(&mut self, event: impl FnOnce() -> Event) {
        if self.manner.detail != Detail::Told {
            self.note(event);
        }
    }

    /// A figure of a piece by its column; what is missing refuses, what is reconstructed is noted.
    pub fn figure(&mut self, piece: PieceId, column: usize) -> Answer {
        let figure = Figure::new(Of::Piece, column, piece.0);
        let value = self.board.get(figure);
        if column >= FIRST
            && (value.is_none() || self.board.start.doubts(figure))
            && let Some((status, path)) = self.board.doubt(figure)
        {
            let path = path.cloned().unwrap_or_else(|| "the list it was taken from".into());
            self.doubtful(piece, column - FIRST, status, &path)?;
        }
        Ok(value.unwrap_or_default())
    }

    /// Whether a figure of a piece can be read: somebody knows it, and as well as is asked for.
    pub fn is_known(&mut self, piece: PieceId, column: usize) -> bool {
        let figure = Figure::new(Of::Piece, column, piece.0);
        let value = self.board.get(figure);
        let refused = |(status, _)| status == Status::Missing || self.manner.strict;
        value.is_some_and(|value| !value.is_nothing()) && !self.board.doubt(figure).is_some_and(refused)
    }

    fn doubtful(&mut self, piece: PieceId, attribute: usize, status: Status, path: &Arc<str>) -> Answer<()> {
        let name = &self.ruleset.game.attributes[attribute].0;
        if status == Status::Missing || self.manner.strict {
            let known = if status == Status::Missing { "is not known" } else { "is reconstructed, and --strict does not use such figures" };
            let what = format!("{}: the {name} {known}", self.board.name(piece));
            return fault("figure", what, format!("give it in a situation of your own, or in {path}"));
        }
        // On another board another piece may have this number.
        let same = |known: &&Arc<MadeUp>| *known.piece == **self.board.name(piece) && *known.path == **path;
        let known = self.caches.doubted.get(&(piece, attribute)).filter(same).cloned();
        let figure = known.unwrap_or_else(|| {
            let piece = self.board.name(piece).to_string();
            Arc::new(MadeUp { path: path.to_string(), name: name.clone(), piece })
        });
        self.caches.doubted.insert((piece, attribute), figure.clone());
        self.note_reading(|| Event::Figure(figure));
        Ok(())
    }

    /// A table with its values, read once; none where there is no such table.
    pub fn chart(&mut self, id: &Text) -> Answer<Option<Arc<Chart>>> {
        if let Some(chart) = self.caches.charts.get(id) {
            return Ok(Some(chart.clone()));
        }
        let table = match self.ruleset.table(id) {
            Ok(Some(table)) => table,
            Ok(None) => return Ok(None),
            Err(complaints) => return Err(Box::new(Fault::Data(complaints))),
        };
        let values = table.cells.iter().map(|_| OnceLock::new()).collect();
        let doubted = table.cells.iter().map(|_| AtomicBool::default()).collect();
        let chart = Arc::new(Chart { table, values, doubted });
        self.caches.charts.insert(id.clone(), chart.clone());
        Ok(Some(chart))
    }

    /// The number of a field of sheets.
    pub fn field(&self, name: &Text) -> Answer<usize> {
        let help = "a sheet's fields are words of the rules, not worked out";
        self.words.field(name).map_or_else(|| fault("limit", "the sheets of these rules have too many fields", help), Ok)
    }

    /// Dice by their notation, read once.
    pub fn dice(&mut self, text: &Text) -> Answer<Arc<Dice>> {
        if let Some(dice) = self.caches.dice.get(text) {
            return Ok(dice.clone());
        }
        if self.caches.dice.len() >= DICE {
            self.caches.dice.clear();
        }
        let dice = Dice::read(text).or_else(|error| fault("notation", error.to_string(), "write dice as 1d6 or 2d6"))?;
        Ok(self.caches.dice.entry(text.clone()).or_insert(Arc::new(dice)).clone())
    }

    /// A hex by its name, read once.
    pub fn spot(&mut self, place: &Text) -> Answer<Arc<Spot>> {
        if let Some(spot) = self.caches.spots.get(place) {
            return Ok(spot.clone());
        }
        if self.caches.spots.len() >= SPOTS {
            self.caches.spots.clear();
        }
        let hex = Hex::read(place).or_else(|error| fault("notation", error.to_string(), "a hex is the sheet and four digits"))?;
        let neighbours = self.game().places.neighbours(&hex).iter().map(|n| Text::from(n.to_string())).collect();
        let spot = Arc::new(Spot { hex, neighbours });
        Ok(self.caches.spots.entry(place.clone()).or_insert(spot).clone())
    }

    /// A value with the sheets in it laid open as maps: for comparing and showing.
    pub fn plain(&mut self, value: &Value) -> Value {
        self.opened(value, 8)
    }

    fn opened(&mut self, value: &Value, deep: usize) -> Value {
        match value {
            Value::Record(record) if deep > 0 => {
                let fields = self.board.fields(*record);
                let open = |(field, value): (usize, Value)| Some((self.words.field_name(field)?, self.opened(&value, deep - 1)));
                let mut entries = Vec::new();
                fields.into_iter().map(open).for_each(|entry| entries.extend(entry));
                Value::Map(entries.into_iter().collect())
            }
            Value::List(list) if deep > 0 && list.iter().any(|v| matches!(v, Value::Record(_) | Value::List(_) | Value::Map(_))) => {
                list.iter().map(|value| self.opened(value, deep - 1)).collect()
            }
            Value::Map(map) if deep > 0 => {
                let entries: Vec<_> = map.entries().iter().map(|(name, value)| (name.clone(), self.opened(value, deep - 1))).collect();
                Value::Map(if map.is_cell() { Map::cell(entries) } else { entries.into_iter().collect() })
            }
            other => other.clone(),
        }
    }
}

/// A key of a chart.
pub fn key(value: &Value) -> Key<'_> {
    match value {
        Value::Text(text) => Key::Text(text),
        other => Key::Number(other.number().unwrap_or(i64::MIN)),
    }
}

/// A cell as scripts see it: a number, a word, or fields.
fn cell(table: &Table, index: usize) -> Option<Value> {
    let cell = &table.cells[index];
    if cell.missing() {
        return None;
    }
    let plain = |text: &str| text.parse::<i64>().map_or_else(|_| text.into(), Value::Number);
    if table.fields.is_empty() && table.marks.is_empty() {
        return Some(plain(&cell.text));
    }
    let (parts, marks) = table.split(&cell.text);
    let fields = table.fields.iter().zip(parts).map(|(field, part)| (field.as_str().into(), plain(part)));
    let marks = table.marks.iter().zip(marks).map(|((_, field), set)| (field.as_str().into(), set.into()));
    Some(Value::Map(Map::cell(fields.chain(marks))))
}
