//! What verbs reach: the rules, the board, the caches of a thread, and whoever writes down what happens.

use crate::code::bytecode::StaticFault;
use crate::code::vocabulary::Vocabulary;
use crate::complaint::Complaints;
use crate::data::axis::AxisKey;
use crate::data::case::{Case, Status};
use crate::data::manifest::Game;
use crate::data::table::Table;
use crate::notation::{Dice, Hex};
use crate::ruleset::compose::Ruleset;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::dice::TypedDice;
use crate::situation::geography::Atlas;
use crate::situation::initial_board::{FIRST_ATTRIBUTE, InitialBoard};
use crate::situation::trace::{Event, ReconstructedFigure};
use crate::situation::value::{Closure, HashedText, MAX_NESTING, Map, PieceId, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// Why a script can't go on.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Something that may not be done, found where the script runs.
    Script(StaticFault),
    /// The data it met is at fault.
    Data(Complaints),
}

/// What a verb gives.
pub type VerbResult<T = Value> = Result<T, Box<Fault>>;

/// Ends the script with a fault.
pub fn fault<T>(law: &'static str, what: impl Into<String>, help: impl Into<String>) -> VerbResult<T> {
    Err(Box::new(Fault::Script(StaticFault { diagnostic_code: law, message: what.into(), help: help.into() })))
}

/// Ends the script with a value that is past the limits.
pub fn too_large<T>(kind: &str) -> VerbResult<T> {
    let help =
        format!("scripts work on small values; tables and pieces hold the rest; lists stand at most {MAX_NESTING} deep in each other");
    fault("limit", format!("{kind} is too large"), help)
}

/// Whoever calls closures for a verb.
pub trait ClosureCaller {
    /// Calls a closure, which may neither throw dice nor let anybody choose.
    fn call(&mut self, closure: &Closure, args: Vec<Value>) -> VerbResult;
}

/// A table with its cells as scripts see them.
#[derive(Debug)]
pub struct ScriptTable {
    /// The table.
    pub table: Arc<Table>,
    /// The value of each cell that was read; none where it is missing.
    values: Vec<OnceLock<Option<Value>>>,
    /// The cells that were read of those that are reconstructed.
    pub reconstructed_reads: Vec<AtomicBool>,
}

impl ScriptTable {
    /// The value of a cell; none where it is missing.
    pub fn value(&self, index: usize) -> Option<&Value> {
        self.values[index].get_or_init(|| cell_value(&self.table, index)).as_ref()
    }
}

/// A hex with what is often asked of it.
#[derive(Debug)]
pub struct HexInfo {
    /// The hex.
    pub hex: Hex,
    /// The hexes around it.
    pub neighbours: Vec<HashedText>,
}

/// Dice, and hexes, that a thread keeps at most; then it reads them again.
const DICE: usize = 1_000;
const SPOTS: usize = 20_000;

/// What a thread has read once.
#[derive(Debug, Default)]
pub struct ThreadCaches {
    /// Dice by their notation.
    pub dice: FxHashMap<HashedText, Arc<Dice>>,
    /// Hexes by name.
    pub hexes: FxHashMap<HashedText, Arc<HexInfo>>,
    /// Tables by number or name.
    pub tables: FxHashMap<HashedText, Arc<ScriptTable>>,
    /// Situations by name, as examples set them up.
    pub initial_boards: FxHashMap<HashedText, Arc<InitialBoard>>,
    /// Reconstructed figures of pieces that were read.
    pub reconstructed_figures: FxHashMap<(PieceId, usize), Arc<ReconstructedFigure>>,
}

/// How much of a run is noted, where anything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceLevel {
    /// All of it, with what every line comes from.
    #[default]
    Full,
    /// All but what lines come from: nobody reads what they cite.
    NoCitations,
    /// What is told: lines, throws, choices, outcomes, changes. Nobody reads who was asked.
    Output,
}

/// How a run is carried out.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunMode {
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Whether this is an example, which may set up boards and dice.
    pub is_example: bool,
    /// How much is noted.
    pub trace_level: TraceLevel,
    /// Whether everything is worked out anew, and no answer remembered: the one may be held against the other.
    pub without_memo: bool,
    /// Stop also where a function that threw or asked has answered: ways may meet there.
    pub stop_on_return: bool,
}

/// What an example has set up.
#[derive(Clone, Debug, Default)]
pub struct ExampleFixture {
    /// Dice typed in.
    pub dice: TypedDice,
    /// Answers to choices.
    pub answers: HashMap<String, Value>,
    /// The questions the example itself has set up answers to.
    pub own_questions: BTreeSet<String>,
    /// Dice that were set up and put away without having fallen.
    pub unused_dice: usize,
    /// How often something was expected.
    pub expectation_count: u32,
    /// The chances and means it has asked for, in lowest terms.
    pub chances: BTreeSet<String>,
}

/// What a verb reaches.
pub struct VerbContext<'a> {
    /// The ruleset.
    pub ruleset: &'a Arc<Ruleset>,
    /// The maps of situations.
    pub atlas: &'a Atlas,
    /// The words of the game.
    pub vocabulary: &'a Vocabulary,
    /// The board.
    pub board: &'a mut Board,
    /// What an example has set up.
    pub fixture: &'a mut ExampleFixture,
    /// The outcomes named so far.
    pub outcomes: &'a mut Vec<(HashedText, Value)>,
    /// What has happened, where somebody reads it.
    pub trace: &'a mut Option<Vec<Event>>,
    /// What the thread has read once.
    pub caches: &'a mut ThreadCaches,
    /// How the run is carried out.
    pub run_mode: RunMode,
    /// The case that runs, as an index among those in force.
    pub case: Option<usize>,
    /// Whether a question is being answered; an example speaks for itself.
    pub is_answer: bool,
}

impl VerbContext<'_> {
    /// The game.
    pub fn game(&self) -> &Game {
        &self.ruleset.game
    }

    /// The case that runs.
    pub fn running_case(&self) -> Option<&Case> {
        self.case.map(|case| &*self.ruleset.cases[case])
    }

    /// Notes an event where somebody reads it.
    pub fn record_event(&mut self, event: impl FnOnce() -> Event) {
        if let Some(trace) = self.trace {
            let event = event();
            self.board.meter.wrote(event.bytes());
            trace.push(event);
        }
    }

    /// Notes what was read where somebody wants to know.
    pub fn record_read_event(&mut self, event: impl FnOnce() -> Event) {
        if self.run_mode.trace_level != TraceLevel::Output {
            self.record_event(event);
        }
    }

    /// A figure of a piece by its column; what is missing refuses, what is reconstructed is noted.
    pub fn read_figure(&mut self, piece: PieceId, column: usize) -> VerbResult {
        let figure = CellKey::new(EntityKind::Piece, column, piece.0);
        let value = self.board.get(figure);
        if column >= FIRST_ATTRIBUTE
            && (value.is_none() || self.board.start.has_uncertainty(figure))
            && let Some((status, path)) = self.board.uncertainty(figure)
        {
            let path = path.cloned().unwrap_or_else(|| "the list it was taken from".into());
            self.note_uncertain(piece, column - FIRST_ATTRIBUTE, status, &path)?;
        }
        Ok(value.unwrap_or_default())
    }

    /// Whether a figure of a piece can be read: somebody knows it, and as well as is asked for.
    pub fn is_known(&mut self, piece: PieceId, column: usize) -> bool {
        let figure = CellKey::new(EntityKind::Piece, column, piece.0);
        let value = self.board.get(figure);
        let refused = |(status, _)| status == Status::Missing || self.run_mode.strict;
        value.is_some_and(|value| !value.is_nothing()) && !self.board.uncertainty(figure).is_some_and(refused)
    }

    fn note_uncertain(&mut self, piece: PieceId, attribute: usize, status: Status, path: &Arc<str>) -> VerbResult<()> {
        let name = &self.ruleset.game.attributes[attribute].0;
        if status == Status::Missing || self.run_mode.strict {
            let known = if status == Status::Missing { "is not known" } else { "is reconstructed, and --strict does not use such figures" };
            let what = format!("{}: the {name} {known}", self.board.name(piece));
            return fault("figure", what, format!("give it in a situation of your own, or in {path}"));
        }
        // On another board another piece may have this number.
        let same = |known: &&Arc<ReconstructedFigure>| *known.piece == **self.board.name(piece) && *known.path == **path;
        let known = self.caches.reconstructed_figures.get(&(piece, attribute)).filter(same).cloned();
        let figure = known.unwrap_or_else(|| {
            let piece = self.board.name(piece).to_string();
            Arc::new(ReconstructedFigure { path: path.to_string(), name: name.clone(), piece })
        });
        self.caches.reconstructed_figures.insert((piece, attribute), figure.clone());
        self.record_read_event(|| Event::ReconstructedFigure(figure));
        Ok(())
    }

    /// A table with its values, read once; none where there is no such table.
    pub fn table(&mut self, id: &HashedText) -> VerbResult<Option<Arc<ScriptTable>>> {
        if let Some(chart) = self.caches.tables.get(id) {
            return Ok(Some(chart.clone()));
        }
        let table = match self.ruleset.table(id) {
            Ok(Some(table)) => table,
            Ok(None) => return Ok(None),
            Err(complaints) => return Err(Box::new(Fault::Data(complaints))),
        };
        let values = table.cells.iter().map(|_| OnceLock::new()).collect();
        let doubted = table.cells.iter().map(|_| AtomicBool::default()).collect();
        let chart = Arc::new(ScriptTable { table, values, reconstructed_reads: doubted });
        self.caches.tables.insert(id.clone(), chart.clone());
        Ok(Some(chart))
    }

    /// The number of a field of sheets.
    pub fn field_number(&self, name: &HashedText) -> VerbResult<usize> {
        let help = "a sheet's fields are words of the rules, not worked out";
        self.vocabulary.field_number(name).map_or_else(|| fault("limit", "the sheets of these rules have too many fields", help), Ok)
    }

    /// Dice by their notation, read once.
    pub fn parse_dice(&mut self, text: &HashedText) -> VerbResult<Arc<Dice>> {
        if let Some(dice) = self.caches.dice.get(text) {
            return Ok(dice.clone());
        }
        if self.caches.dice.len() >= DICE {
            self.caches.dice.clear();
        }
        let dice = Dice::parse(text).or_else(|error| fault("notation", error.to_string(), "write dice as 1d6 or 2d6"))?;
        Ok(self.caches.dice.entry(text.clone()).or_insert(Arc::new(dice)).clone())
    }

    /// A hex by its name, read once.
    pub fn hex_info(&mut self, place: &HashedText) -> VerbResult<Arc<HexInfo>> {
        if let Some(spot) = self.caches.hexes.get(place) {
            return Ok(spot.clone());
        }
        if self.caches.hexes.len() >= SPOTS {
            self.caches.hexes.clear();
        }
        let hex = Hex::parse(place).or_else(|error| fault("notation", error.to_string(), "a hex is the sheet and four digits"))?;
        let neighbours = self.game().places.neighbours(&hex).iter().map(|n| HashedText::from(n.to_string())).collect();
        let spot = Arc::new(HexInfo { hex, neighbours });
        Ok(self.caches.hexes.entry(place.clone()).or_insert(spot).clone())
    }

    /// A value with the sheets in it laid open as maps: for comparing and showing.
    pub fn expand_records(&mut self, value: &Value) -> Value {
        self.expand_records_to_depth(value, 8)
    }

    fn expand_records_to_depth(&mut self, value: &Value, deep: usize) -> Value {
        match value {
            Value::Record(record) if deep > 0 => {
                let fields = self.board.record_fields(*record);
                let open = |(field, value): (usize, Value)| {
                    Some((self.vocabulary.field_name(field)?, self.expand_records_to_depth(&value, deep - 1)))
                };
                let mut entries = Vec::new();
                fields.into_iter().map(open).for_each(|entry| entries.extend(entry));
                Value::Map(entries.into_iter().collect())
            }
            Value::List(list) if deep > 0 && list.iter().any(|v| matches!(v, Value::Record(_) | Value::List(_) | Value::Map(_))) => {
                list.iter().map(|value| self.expand_records_to_depth(value, deep - 1)).collect()
            }
            Value::Map(map) if deep > 0 => {
                let entries: Vec<_> =
                    map.entries().iter().map(|(name, value)| (name.clone(), self.expand_records_to_depth(value, deep - 1))).collect();
                Value::Map(if map.is_cell() { Map::from_cell(entries) } else { entries.into_iter().collect() })
            }
            other => other.clone(),
        }
    }
}

/// A key of a chart.
pub fn axis_key(value: &Value) -> AxisKey<'_> {
    match value {
        Value::Text(text) => AxisKey::Text(text),
        other => AxisKey::Number(other.as_number().unwrap_or(i64::MIN)),
    }
}

/// A cell as scripts see it: a number, a word, or fields.
fn cell_value(table: &Table, index: usize) -> Option<Value> {
    let cell = &table.cells[index];
    if cell.is_missing() {
        return None;
    }
    let plain = |text: &str| text.parse::<i64>().map_or_else(|_| text.into(), Value::Number);
    if table.fields.is_empty() && table.marks.is_empty() {
        return Some(plain(&cell.text));
    }
    let (parts, marks) = table.split_cell(&cell.text);
    let fields = table.fields.iter().zip(parts).map(|(field, part)| (field.as_str().into(), plain(part)));
    let marks = table.marks.iter().zip(marks).map(|((_, field), set)| (field.as_str().into(), set.into()));
    Some(Value::Map(Map::from_cell(fields.chain(marks))))
}
