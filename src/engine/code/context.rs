//! The context of a verb: ruleset, board, caches of the thread, and the trace.

use crate::code::bytecode::StaticFault;
use crate::code::vocabulary::Vocabulary;
use crate::complaint::{Complaints, DiagnosticCode, Message, Remedy, did_you_mean};
use crate::data::axis::AxisKey;
use crate::data::case::Case;
use crate::data::deck::Deck;
use crate::data::manifest::Game;
use crate::data::status::{MAP, ReconstructedFigure, Status};
use crate::data::table::Table;
use crate::notation::face::NamedDice;
use crate::notation::{Dice, Hex, NotationError};
use crate::ruleset::compose::Ruleset;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::dice::TypedDice;
use crate::situation::geography::Atlas;
use crate::situation::geography::UncertainMap;
use crate::situation::initial_board::{FIRST_ATTRIBUTE, InitialBoard};
use crate::situation::trace::Event;
use crate::situation::value::{Closure, HashedText, MAX_NESTING, Map, PieceId, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The advice on a `()` whose origin is not known.
pub const NOTHING_ADVICE: &str = "check the value here: a figure that was not given reads as ()";

/// Why a script failed.
#[derive(Clone, Debug)]
pub enum Fault {
    /// An error in the script, found at run time.
    Script(StaticFault),
    /// An error in the data the script used.
    Data(Complaints),
}

pub type VerbResult<T = Value> = Result<T, Box<Fault>>;

/// Returns a script fault.
pub fn fault<T>(
    code: DiagnosticCode,
    message: impl Into<Message>,
    help: impl Into<String>,
) -> VerbResult<T> {
    fault_with_remedy(code, message, help, None)
}

/// Returns a script fault with a remedy.
pub fn fault_with_remedy<T>(
    code: DiagnosticCode,
    message: impl Into<Message>,
    help: impl Into<String>,
    remedy: Option<Remedy>,
) -> VerbResult<T> {
    Err(Box::new(Fault::Script(StaticFault {
        diagnostic_code: code,
        message: message.into(),
        help: help.into(),
        remedy,
    })))
}

/// The advice on a number that comes out too large, or from nothing.
pub const BOUNDS_HELP: &str =
    "check where these figures come from; `clamp` and `max` keep one within bounds";

/// Returns the result of a calculation, or its fault: no number is cut off or turned over in silence.
pub fn within_numbers(
    result: Option<i64>,
    calculation: impl FnOnce() -> String,
) -> VerbResult<i64> {
    result.map_or_else(
        || {
            fault(
                DiagnosticCode::Running,
                format!("{} is too large for a number", calculation()),
                BOUNDS_HELP,
            )
        },
        Ok,
    )
}

/// Returns the fault for a value that exceeds a size limit.
pub fn too_large<T>(kind: &str) -> VerbResult<T> {
    let help =
        format!("put what is large into tables and pieces; nest lists at most {MAX_NESTING} deep");
    fault(DiagnosticCode::Limit, format!("{kind} is too large"), help)
}

/// Calls closures on behalf of a verb.
pub trait ClosureCaller {
    /// Calls a closure. Fails if the closure throws dice or requests a choice.
    fn call(&mut self, closure: &Closure, args: Vec<Value>) -> VerbResult;
}

/// A table with its cells converted to script values.
#[derive(Debug)]
pub struct ScriptTable {
    pub table: Arc<Table>,
    /// Cell values, converted on first read; `None` for a missing cell.
    values: Vec<OnceLock<Option<Value>>>,
    /// Whether each reconstructed cell was read.
    pub reconstructed_reads: Vec<AtomicBool>,
}

impl ScriptTable {
    /// Returns the value of a cell, or `None` if the cell is missing.
    pub fn value(&self, index: usize) -> Option<&Value> {
        self.values[index]
            .get_or_init(|| cell_value(&self.table, index))
            .as_ref()
    }

    /// Returns whether the value of a cell was read.
    pub fn was_read(&self, index: usize) -> bool {
        self.values[index].get().is_some()
    }
}

/// A parsed hex with cached neighbours.
#[derive(Debug)]
pub struct HexInfo {
    pub hex: Hex,
    /// Names of the adjacent hexes.
    pub neighbours: Vec<HashedText>,
}

/// How dice are written.
pub const DICE_HELP: &str = "write dice as 1d6, 2d6+1, 4d6kh3, 3d6r1, 3d6!2 or {1d8, 1d6}kh1; dice with faces of their own are declared under `dice:` in the game's manifest";

/// Describes an error in dice, with similar names of declared dice.
pub fn describe_wrong_dice(text: &str, error: &NotationError, declared: &NamedDice) -> Message {
    match Dice::die_name(text) {
        Some(die) => did_you_mean(error.to_string(), die, declared.keys().map(String::as_str)),
        None => error.to_string().into(),
    }
}

/// Capacities of the dice and hex caches; a full cache is cleared.
const DICE: usize = 1_000;
const SPOTS: usize = 20_000;

/// Parsed and converted data, cached per thread.
#[derive(Debug, Default)]
pub struct ThreadCaches {
    /// Dice by notation.
    pub dice: FxHashMap<HashedText, Arc<Dice>>,
    /// Where dice without bound are cut off, in words.
    pub truncations: BTreeSet<String>,
    /// Hexes by name.
    pub hexes: FxHashMap<HashedText, Arc<HexInfo>>,
    /// Tables by id.
    pub tables: FxHashMap<HashedText, Arc<ScriptTable>>,
    /// Initial boards by situation name, as set up by examples.
    pub initial_boards: FxHashMap<HashedText, Arc<InitialBoard>>,
    /// Reconstructed figures of pieces that were read, by piece and column.
    pub reconstructed_figures: FxHashMap<(PieceId, usize), Arc<ReconstructedFigure>>,
    /// Decks whose contents are reconstructed and were read, by stock.
    pub reconstructed_decks: FxHashMap<HashedText, Arc<ReconstructedFigure>>,
    /// Reconstructed maps that were read, by address.
    pub reconstructed_maps: FxHashMap<usize, Arc<ReconstructedFigure>>,
    /// Index in the trace of the last read of a reconstructed figure since the last answer, by the figure's address.
    pub recorded_reads: FxHashMap<usize, usize>,
}

/// What is known of a deck, or not.
const CARD_NUMBERS: &str = "number of each card";

/// What a traced run records; each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceDetail {
    /// Throws, choices, outcomes and changes. As calls are not recorded, they may be memoized.
    Results,
    /// The cases called, the figures read and the lines.
    Calls,
    /// The sources of the lines.
    #[default]
    Citations,
}

/// The options of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunMode {
    /// Whether a read of a reconstructed figure fails.
    pub strict: bool,
    /// Whether the run is an example, which may set up boards and dice.
    pub is_example: bool,
    /// What a traced run records.
    pub trace_detail: TraceDetail,
    /// Number of new events from which on a traced run merges calls and reads ([`merge_reads`](crate::situation::trace::merge_reads)); 0 for
    /// never.
    pub merges_reads_from: usize,
    /// Whether memoization is off; results must be the same either way.
    pub without_memo: bool,
    /// Whether each step of the ruling begins by checking the laws of the board.
    pub checks_board: bool,
    /// Whether to stop before a return that follows a throw or choice, so that equal states can merge.
    pub stop_on_return: bool,
}

/// Dice, answers and checks of an example.
#[derive(Clone, Debug, Default)]
pub struct ExampleFixture {
    /// Predetermined dice.
    pub dice: TypedDice,
    /// Predetermined answers by question.
    pub answers: HashMap<String, Value>,
    /// Questions for which the example itself sets an answer.
    pub own_questions: BTreeSet<String>,
    /// Number of predetermined dice that were discarded without use.
    pub unused_dice: usize,
    /// Number of checked expectations.
    pub expectation_count: u32,
    /// Probabilities and means the example requested, as fractions in lowest terms.
    pub chances: BTreeSet<String>,
}

/// Everything a verb may access.
pub struct VerbContext<'a> {
    pub ruleset: &'a Arc<Ruleset>,
    /// The maps of situations.
    pub atlas: &'a Atlas,
    /// The vocabulary of the game.
    pub vocabulary: &'a Vocabulary,
    pub board: &'a mut Board,
    /// What the example has set up.
    pub fixture: &'a mut ExampleFixture,
    /// The outcomes recorded so far.
    pub outcomes: &'a mut Vec<(HashedText, Value)>,
    /// The events recorded so far; `None` if the run is not traced.
    pub trace: &'a mut Option<Vec<Event>>,
    pub caches: &'a mut ThreadCaches,
    /// The options of the run.
    pub run_mode: RunMode,
    /// Index of the running case among the cases in force.
    pub case: Option<usize>,
    /// Whether the run is inside an answer rather than directly in an example.
    pub is_answer: bool,
}

impl VerbContext<'_> {
    pub fn game(&self) -> &Game {
        &self.ruleset.game
    }

    pub fn running_case(&self) -> Option<&Case> {
        self.case.map(|case| &*self.ruleset.cases[case])
    }

    /// Records an event if the run is traced.
    pub fn record_event(&mut self, event: impl FnOnce() -> Event) {
        if let Some(trace) = self.trace {
            let event = event();
            self.board.meter.add_written(event.bytes());
            trace.push(event);
        }
    }

    /// Whether calls, reads and lines are recorded.
    pub fn records_calls(&self) -> bool {
        self.trace.is_some() && self.run_mode.trace_detail >= TraceDetail::Calls
    }

    /// Records a call, read or line if the trace is to hold them.
    pub fn record_call(&mut self, event: impl FnOnce() -> Event) {
        if self.records_calls() {
            self.record_event(event);
        }
    }

    /// Records the read of a reconstructed figure, once between two answers: a search reads the same map again and again.
    fn record_reconstructed(&mut self, figure: Arc<ReconstructedFigure>) {
        let Some(trace) = self
            .trace
            .as_ref()
            .filter(|_| self.run_mode.trace_detail >= TraceDetail::Calls)
        else {
            return;
        };
        let address = Arc::as_ptr(&figure) as usize;
        let is_same = |event: &Event| matches!(event, Event::ReconstructedFigure(other) if Arc::ptr_eq(other, &figure));
        let last = self
            .caches
            .recorded_reads
            .get(&address)
            .and_then(|index| trace.get(*index));
        if !last.is_some_and(is_same) {
            self.caches.recorded_reads.insert(address, trace.len());
            self.record_event(|| Event::ReconstructedFigure(figure));
        }
    }

    /// Reads a figure of a piece by column. Fails if the figure is missing, and records the read if it is reconstructed.
    pub fn read_figure(&mut self, piece: PieceId, column: usize) -> VerbResult {
        let figure = CellKey::new(EntityKind::Piece, column, piece.0);
        let value = self.board.get(figure);
        if column >= FIRST_ATTRIBUTE
            && (value.is_none() || self.board.start.has_uncertainty(figure))
            && let Some((status, path)) = self.board.uncertainty(figure)
        {
            let path = path
                .cloned()
                .unwrap_or_else(|| "the list it was taken from".into());
            self.note_uncertain(piece, column - FIRST_ATTRIBUTE, status, &path)?;
        }
        Ok(value.unwrap_or_default())
    }

    /// Whether a figure of a piece is known with the required certainty.
    pub fn is_known(&mut self, piece: PieceId, column: usize) -> bool {
        let figure = CellKey::new(EntityKind::Piece, column, piece.0);
        let value = self.board.get(figure);
        let refused = |(status, _)| status == Status::Missing || self.run_mode.strict;
        value.is_some_and(|value| !value.is_nothing())
            && !self.board.uncertainty(figure).is_some_and(refused)
    }

    fn note_uncertain(
        &mut self,
        piece: PieceId,
        attribute: usize,
        status: Status,
        path: &Arc<str>,
    ) -> VerbResult<()> {
        let name = &self.ruleset.game.attributes[attribute].0;
        if status == Status::Missing || self.run_mode.strict {
            let message = format!(
                "{}: the figure `{name}` {}",
                self.board.name(piece),
                status.refusal()
            );
            return fault(
                DiagnosticCode::Figure,
                message,
                format!("give it in a situation of your own, or in {path}"),
            );
        }
        // Another board may use the same number for another piece.
        let is_same_figure = |figure: &&Arc<ReconstructedFigure>| {
            *figure.piece == **self.board.name(piece) && *figure.path == **path
        };
        let recorded = self
            .caches
            .reconstructed_figures
            .get(&(piece, attribute))
            .filter(is_same_figure)
            .cloned();
        let figure = recorded.unwrap_or_else(|| {
            let piece = self.board.name(piece).to_string();
            Arc::new(ReconstructedFigure {
                path: path.to_string(),
                name: name.clone(),
                piece,
            })
        });
        self.caches
            .reconstructed_figures
            .insert((piece, attribute), figure.clone());
        self.record_reconstructed(figure);
        Ok(())
    }

    /// Notes that the contents of a deck are read. Fails if they are missing, or reconstructed in a strict run.
    pub fn note_deck(&mut self, stock: &HashedText, deck: &Deck) -> VerbResult<()> {
        if !deck.is_uncertain() {
            return Ok(());
        }
        if deck.status == Status::Missing || self.run_mode.strict {
            let message = format!("{stock}: the {CARD_NUMBERS} {}", deck.status.refusal());
            return fault(
                DiagnosticCode::Figure,
                message,
                format!(
                    "count the cards, and write them under `decks:` in {}",
                    deck.path
                ),
            );
        }
        let figure = || ReconstructedFigure {
            path: deck.path.to_string(),
            name: CARD_NUMBERS.into(),
            piece: stock.to_string(),
        };
        let figure = self
            .caches
            .reconstructed_decks
            .entry(stock.clone())
            .or_insert_with(|| Arc::new(figure()))
            .clone();
        self.record_reconstructed(figure);
        Ok(())
    }

    /// Reads a feature of a place or side. Fails if it is missing, or reconstructed in a strict run; `name` is the feature with its owner.
    pub fn read_feature(
        &mut self,
        feature: CellKey,
        name: impl FnOnce() -> String,
    ) -> VerbResult<Option<Value>> {
        if let Some(map) = self.board.uncertain_map(feature) {
            if map.status == Status::Missing || self.run_mode.strict {
                let message = format!("{} {}", name(), map.status.refusal());
                return fault(
                    DiagnosticCode::Figure,
                    message,
                    format!(
                        "give it in a situation of your own, or in {}",
                        map.figure.path
                    ),
                );
            }
            let figure = map.figure.clone();
            self.caches
                .reconstructed_maps
                .entry(Arc::as_ptr(&figure) as usize)
                .or_insert_with(|| figure.clone());
            self.record_reconstructed(figure);
        }
        Ok(self.board.get(feature))
    }

    /// Notes what maps say of places by naming them, and of sides: which places there are, and which touch.
    pub fn note_maps(&mut self, maps: Vec<UncertainMap>) -> VerbResult<()> {
        // A place that is named exists, even if nothing more is known of it.
        for UncertainMap { status, figure } in maps
            .into_iter()
            .filter(|map| map.status == Status::Reconstructed)
        {
            if self.run_mode.strict {
                let message = format!("{MAP}: the {} {}", figure.name, status.refusal());
                return fault(
                    DiagnosticCode::Figure,
                    message,
                    format!("give it in a situation of your own, or in {}", figure.path),
                );
            }
            self.caches
                .reconstructed_maps
                .insert(Arc::as_ptr(&figure) as usize, figure.clone());
            self.record_reconstructed(figure);
        }
        Ok(())
    }

    /// Returns a table from the cache or the ruleset; `None` if there is no such table.
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
        let chart = Arc::new(ScriptTable {
            table,
            values,
            reconstructed_reads: doubted,
        });
        self.caches.tables.insert(id.clone(), chart.clone());
        Ok(Some(chart))
    }

    /// Returns the number of a sheet field, or a fault if there are too many fields.
    pub fn field_number(&self, name: &HashedText) -> VerbResult<usize> {
        let help = "a sheet's fields are words of the rules, not worked out";
        self.vocabulary.field_number(name).map_or_else(
            || {
                fault(
                    DiagnosticCode::Limit,
                    "the sheets of these rules have too many fields",
                    help,
                )
            },
            Ok,
        )
    }

    /// Parses dice notation, with a cache.
    pub fn parse_dice(&mut self, text: &HashedText) -> VerbResult<Arc<Dice>> {
        if let Some(dice) = self.caches.dice.get(text) {
            return Ok(dice.clone());
        }
        if self.caches.dice.len() >= DICE {
            self.caches.dice.clear();
        }
        let dice = Dice::parse_with(text, &self.game().dice).or_else(|error| {
            fault(
                DiagnosticCode::Notation,
                describe_wrong_dice(text, &error, &self.game().dice),
                DICE_HELP,
            )
        })?;
        self.caches.truncations.extend(dice.truncation_text());
        Ok(self
            .caches
            .dice
            .entry(text.clone())
            .or_insert(Arc::new(dice))
            .clone())
    }

    /// Parses the name of a hex, with a cache.
    pub fn hex_info(&mut self, place: &HashedText) -> VerbResult<Arc<HexInfo>> {
        if let Some(info) = self.caches.hexes.get(place) {
            return Ok(info.clone());
        }
        if self.caches.hexes.len() >= SPOTS {
            self.caches.hexes.clear();
        }
        let places = &self.game().places;
        let Some(hex) = places.hex(place) else {
            return fault(
                DiagnosticCode::Notation,
                format!("`{place}` is not a hex of the map"),
                format!("name a hex: {}", places.describe_hex()),
            );
        };
        let neighbours = places
            .neighbours(&hex)
            .iter()
            .map(|n| HashedText::from(n.to_string()))
            .collect();
        let info = Arc::new(HexInfo { hex, neighbours });
        Ok(self
            .caches
            .hexes
            .entry(place.clone())
            .or_insert(info)
            .clone())
    }

    /// Replaces the sheets in a value by maps, for comparison and display.
    pub fn expand_records(&mut self, value: &Value) -> Value {
        self.expand_records_to_depth(value, 8)
    }

    fn expand_records_to_depth(&mut self, value: &Value, deep: usize) -> Value {
        match value {
            Value::Record(record) if deep > 0 => {
                let fields = self.board.record_fields(*record);
                let expand = |(field, value): (usize, Value)| {
                    Some((
                        self.vocabulary.field_name(field)?,
                        self.expand_records_to_depth(&value, deep - 1),
                    ))
                };
                let mut entries = Vec::new();
                fields
                    .into_iter()
                    .map(expand)
                    .for_each(|entry| entries.extend(entry));
                Value::Map(entries.into_iter().collect())
            }
            Value::List(list)
                if deep > 0
                    && list.iter().any(|v| {
                        matches!(v, Value::Record(_) | Value::List(_) | Value::Map(_))
                    }) =>
            {
                list.iter()
                    .map(|value| self.expand_records_to_depth(value, deep - 1))
                    .collect()
            }
            Value::Map(map) if deep > 0 => {
                let entries: Vec<_> = map
                    .entries()
                    .iter()
                    .map(|(name, value)| {
                        (name.clone(), self.expand_records_to_depth(value, deep - 1))
                    })
                    .collect();
                Value::Map(if map.is_cell() {
                    Map::from_cell(entries)
                } else {
                    entries.into_iter().collect()
                })
            }
            other => other.clone(),
        }
    }
}

/// Converts a value to a table key.
pub fn axis_key(value: &Value) -> AxisKey<'_> {
    match value {
        Value::Text(text) => AxisKey::Text(text),
        Value::List(numbers) if let [attacker, defender] = &numbers[..] => {
            match (attacker.as_number(), defender.as_number()) {
                (Some(attacker), Some(defender)) => AxisKey::Odds(attacker, defender),
                _ => AxisKey::Number(i64::MIN),
            }
        }
        other => AxisKey::Number(other.as_number().unwrap_or(i64::MIN)),
    }
}

/// Converts a cell to a script value: a number, a word, or a map.
fn cell_value(table: &Table, index: usize) -> Option<Value> {
    let cell = &table.cells[index];
    if cell.is_missing() {
        return None;
    }
    let plain = |text: &str| {
        text.parse::<i64>()
            .map_or_else(|_| text.into(), Value::Number)
    };
    if table.fields.is_empty() && table.marks.is_empty() {
        return Some(plain(&cell.text));
    }
    let (parts, marks) = table.split_cell(&cell.text);
    let fields = table
        .fields
        .iter()
        .zip(parts)
        .map(|(field, part)| (field.as_str().into(), plain(part)));
    let marks = table
        .marks
        .iter()
        .zip(marks)
        .map(|((_, field), set)| (field.as_str().into(), set.into()));
    Some(Value::Map(Map::from_cell(fields.chain(marks))))
}
