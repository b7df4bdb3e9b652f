//! The current board: the initial board, the changes since, and the sheets that procedures fill in.

use crate::data::deck::CardZone;
use crate::data::declared_names::PIECE_FIGURES;
use crate::data::manifest::Game;
use crate::data::piece::PieceEntry;
use crate::data::status::Status;
use crate::situation::cards::{card_key, zone_numbers, zone_value};
use crate::situation::cell_key::{AccessRecorder, CellKey, EntityKind, LIMITS, kind_of_column};
use crate::situation::column_set::{ColumnSet, MAX_COLUMNS};
use crate::situation::delta::{BoardDelta, DeltaFingerprints};
use crate::situation::fingerprint::{Digest, mix};
use crate::situation::geography::{NumberedSide, UncertainMap};
use crate::situation::initial_board::{
    CARRIER_COLUMN, FIRST_ATTRIBUTE, GONE_COLUMN, InitialBoard, PLACE_COLUMN, PieceStanding,
};
use crate::situation::meter::{CELL_BYTES, Meter, Scale};
use crate::situation::value::{HashedText, PieceId, Value};
use std::sync::{Arc, LazyLock};

/// Places, and sides between two places.
type PlaceSides = (Vec<HashedText>, Vec<(HashedText, HashedText)>);

/// The board: an initial board and a delta.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// Initial board of the situation.
    pub start: Arc<InitialBoard>,
    delta: BoardDelta,
    /// Pieces created since the start.
    created: Arc<Vec<Arc<CreatedPiece>>>,
    /// Places and sides absent from the initial board, in the order in which they were added.
    added_places: Arc<PlaceSides>,
    record_count: usize,
    shared_count: usize,
    /// Pieces by place when last computed; `None` for the initial board's.
    occupants: Option<Arc<PieceStanding>>,
    /// Pieces moved since `occupants` was computed.
    moved_pieces: Vec<MovedPiece>,
    /// Whether `occupants` must be recomputed.
    occupants_stale: bool,
    /// Pieces put on a carrier since the start, with the carrier's name.
    riders: Vec<(HashedText, PieceId)>,
    /// Whether any cell may refer to a created piece.
    mentions_created: bool,
    /// Columns that were read.
    pub read_columns: ColumnSet,
    /// Number of writes.
    pub write_count: u64,
    /// Cached fingerprints of columns.
    column_fingerprints: Vec<u64>,
    /// For each column, the 1-based index of its cached fingerprint; 0 if it has none.
    fingerprint_index: Arc<[u16]>,
    /// Columns whose cached fingerprint is outdated.
    stale_columns: ColumnSet,
    /// Columns ever written; all others equal the initial board.
    pub written_columns: ColumnSet,
    /// Records reads and writes, if enabled.
    pub recorder: Option<Box<AccessRecorder>>,
    /// Memory used by the run on this board.
    pub meter: Meter,
}

/// A moved piece and its place, which is computed lazily; `Some(None)` if the piece is nowhere.
#[derive(Clone, Debug)]
struct MovedPiece {
    piece: PieceId,
    place: Option<Option<HashedText>>,
}

/// Name returned for an unknown piece.
static NO_NAME: LazyLock<HashedText> = LazyLock::new(HashedText::default);

/// Returns whether a value of the carrier column names a carrier.
fn is_carrier(carrier_value: &Value) -> bool {
    carrier_value
        .as_text()
        .is_some_and(|carrier| !carrier.is_empty())
}

pub mod allocations;
mod created;
mod places;
mod queries;

use created::CreatedPiece;

impl Board {
    /// Creates a board without changes.
    pub fn new(start: Arc<InitialBoard>) -> Board {
        Board {
            start,
            ..Board::default()
        }
    }

    /// Switches to another initial board and drops all changes except sheets and shared variables.
    pub fn reset_to(&mut self, start: Arc<InitialBoard>) {
        let (records, shared, watch, meter) = (
            self.record_count,
            self.shared_count,
            self.recorder.take(),
            self.meter.clone(),
        );
        let mut emptied = Board {
            start,
            record_count: records,
            shared_count: shared,
            recorder: watch,
            meter,
            ..Board::default()
        };
        emptied.copy_changes(self, |figure| {
            matches!(figure.kind(), EntityKind::Record | EntityKind::Shared)
        });
        emptied.mentions_created = self.mentions_created;
        *self = emptied;
    }

    /// Returns this board over another initial board with equal content.
    pub fn with_start(&self, start: Arc<InitialBoard>) -> Board {
        Board {
            start,
            ..self.clone()
        }
    }

    /// Returns a copy without sheets and shared variables, which belong to the procedure that created them.
    pub fn without_records(&self) -> Board {
        let mut board = Board {
            created: self.created.clone(),
            added_places: self.added_places.clone(),
            occupants: self.occupants.clone(),
            moved_pieces: self.moved_pieces.clone(),
            occupants_stale: self.occupants_stale,
            riders: self.riders.clone(),
            mentions_created: self.mentions_created,
            ..Board::new(self.start.clone())
        };
        board.copy_changes(self, |figure| {
            !matches!(
                figure.kind(),
                EntityKind::Record | EntityKind::Shared | EntityKind::Outcome
            )
        });
        if !self.created.is_empty() {
            board.written_columns.union_with(&self.start.piece_columns);
        }
        board
    }

    /// Copies the changes of the cells that pass `is_copied`.
    fn copy_changes(&mut self, source: &Board, is_copied: impl Fn(CellKey) -> bool) {
        for (figure, value) in source.delta.iter().filter(|(figure, _)| is_copied(*figure)) {
            self.written_columns.insert(figure.column_index());
            self.delta.set(figure, value.clone());
        }
    }

    /// Returns the size of the board's own data in bytes.
    pub fn bytes(&self) -> u64 {
        self.delta.bytes()
            + (size_of_val(&*self.moved_pieces)
                + size_of_val(&*self.riders)
                + size_of_val(&*self.column_fingerprints)) as u64
    }

    /// Returns the number of pieces, including those that have left the board.
    pub fn piece_count(&self) -> usize {
        self.start.names.len() + self.created.len()
    }

    /// Returns the name of a piece; empty for an unknown piece.
    pub fn name(&self, piece: PieceId) -> &HashedText {
        let number = piece.0;
        let created_name = || Some(&self.created_piece(number)?.name);
        // A piece created on another board is unknown here.
        self.start
            .names
            .get(number)
            .or_else(created_name)
            .unwrap_or(&NO_NAME)
    }

    /// Returns the names of all pieces.
    pub fn names(&self) -> impl Iterator<Item = &HashedText> {
        self.start
            .names
            .iter()
            .chain(self.created.iter().map(|piece| &piece.name))
    }

    /// Returns the known places with their numbers.
    pub fn places(&self) -> impl Iterator<Item = (&HashedText, usize)> {
        self.start
            .geography
            .places
            .iter()
            .chain(&self.added_places.0)
            .zip(0..)
    }

    /// Returns the known sides between two places.
    pub fn sides(&self) -> impl Iterator<Item = NumberedSide<'_>> {
        self.start
            .geography
            .sides()
            .chain(
                self.added_places
                    .1
                    .iter()
                    .zip(LIMITS.1 / 2..)
                    .map(|((a, b), number)| NumberedSide {
                        places: [a, b],
                        number,
                    }),
            )
    }

    /// Returns the fingerprint of a column; 0 if the column was never written.
    pub fn column_fingerprint(&mut self, slot: usize) -> u64 {
        if !self.written_columns.contains(slot) {
            return 0;
        }
        let fresh = !self.stale_columns.remove(slot);
        let position = match self
            .fingerprint_index
            .get(slot)
            .map_or(0, |position| usize::from(*position))
        {
            0 => {
                if self.fingerprint_index.is_empty() {
                    self.fingerprint_index = [0; MAX_COLUMNS].into();
                }
                self.column_fingerprints.push(0);
                Arc::make_mut(&mut self.fingerprint_index)[slot] =
                    self.column_fingerprints.len() as u16;
                self.column_fingerprints.len()
            }
            position if fresh => return self.column_fingerprints[position - 1],
            position => position,
        };
        self.column_fingerprints[position - 1] = self.compute_column_fingerprint(slot);
        self.column_fingerprints[position - 1]
    }

    /// Added places and sides are numbered in the order of addition, so their names are part of the fingerprint.
    fn compute_column_fingerprint(&mut self, slot: usize) -> u64 {
        let fingerprints = self
            .created
            .iter()
            .map(|fingerprints| fingerprints.column_fingerprint(slot))
            .fold(0, u64::wrapping_add);
        let fingerprint = self
            .delta
            .column_fingerprint(slot)
            .wrapping_add(fingerprints);
        let names = || {
            self.added_places
                .0
                .iter()
                .chain(self.added_places.1.iter().flat_map(|(a, b)| [a, b]))
        };
        if matches!(kind_of_column(slot), EntityKind::Place | EntityKind::Side) {
            names().fold(fingerprint, |sum, name| mix(sum, name.fingerprint()))
        } else {
            fingerprint
        }
    }

    /// Returns the number of sheets and of shared variables.
    pub fn allocation_counts(&self) -> (usize, usize) {
        (self.record_count, self.shared_count)
    }

    fn record_read(&mut self, figure: CellKey) {
        self.record_read_in(figure.column_index(), figure);
    }

    fn record_read_in(&mut self, slot: usize, figure: CellKey) {
        self.read_columns.insert(slot);
        if let Some(watch) = &mut self.recorder {
            watch.record_read(figure);
        }
    }

    fn record_column_read(&mut self, column: usize) {
        let count = self.piece_count();
        self.read_columns
            .insert(CellKey::new(EntityKind::Piece, column, 0).column_index());
        if let Some(watch) = &mut self.recorder {
            watch.record_column_read(EntityKind::Piece, column, count);
        }
    }

    /// Returns a cell without recording the read, for display.
    pub fn peek(&self, figure: CellKey) -> Option<&Value> {
        self.peek_column(figure.column_index(), figure)
    }

    /// Like [`Board::peek`], for a cell with a known column index.
    fn peek_column(&self, slot: usize, figure: CellKey) -> Option<&Value> {
        let changed = if self.written_columns.contains(slot) {
            self.delta.get(figure)
        } else {
            None
        };
        changed.or_else(|| self.initial_value(figure))
    }

    /// Returns the initial value of a cell, or the value with which its piece was created.
    fn initial_value(&self, figure: CellKey) -> Option<&Value> {
        match figure.kind() {
            EntityKind::Piece
                if !self.created.is_empty() && figure.row() >= self.start.names.len() =>
            {
                self.created_piece(figure.row())?.get(figure.column())
            }
            _ => self.start.get(figure),
        }
    }

    fn created_piece(&self, number: usize) -> Option<&CreatedPiece> {
        self.created
            .get(number.checked_sub(self.start.names.len())?)
            .map(Arc::as_ref)
    }

    /// Returns a cell and records the read; `None` if the cell has no value.
    pub fn get(&mut self, figure: CellKey) -> Option<Value> {
        let slot = figure.column_index();
        self.record_read_in(slot, figure);
        self.peek_column(slot, figure).cloned()
    }

    pub fn set(&mut self, figure: CellKey, value: Value) {
        self.record_write(figure);
        self.meter.add_value(CELL_BYTES);
        if figure.kind() == EntityKind::Piece && figure.column() == CARRIER_COLUMN {
            self.note_rider(PieceId(figure.row()), &value);
        }
        self.mentions_created |= self.mentions_created_piece(&value);
        // Resetting a cell to its initial value removes it from the delta, so that equal boards compare equal. A set cell is no longer
        // uncertain.
        if self.initial_value(figure) == Some(&value) && self.start.uncertainty(figure).is_none() {
            self.delta.remove(figure);
        } else {
            self.delta.set(figure, value);
        }
    }

    /// Returns a cell of a piece.
    pub fn piece_value(&mut self, piece: PieceId, column: usize) -> Value {
        self.get(CellKey::new(EntityKind::Piece, column, piece.0))
            .unwrap_or_default()
    }

    /// Returns a text cell of a piece.
    pub fn piece_text(&mut self, piece: PieceId, column: usize) -> Option<&HashedText> {
        let figure = CellKey::new(EntityKind::Piece, column, piece.0);
        let slot = figure.column_index();
        self.record_read_in(slot, figure);
        self.peek_column(slot, figure).and_then(Value::as_text)
    }

    /// Returns the file that makes a feature of a place or side uncertain, unless it was changed.
    pub fn uncertain_map(&self, feature: CellKey) -> Option<&UncertainMap> {
        self.start
            .geography
            .uncertainty(feature)
            .filter(|_| self.delta.get(feature).is_none())
    }

    /// Returns the status that makes a cell of a piece uncertain, with the source file if known. A cell of a created piece is uncertain
    /// only if it has no value.
    pub fn uncertainty(&self, figure: CellKey) -> Option<(Status, Option<&Arc<str>>)> {
        if self.delta.get(figure).is_some() {
            return None;
        }
        match self
            .created_piece(figure.row())
            .filter(|_| figure.kind() == EntityKind::Piece)
        {
            Some(made) => made
                .get(figure.column())
                .is_none()
                .then_some((Status::Missing, None)),
            None => self
                .start
                .uncertainty(figure)
                .map(|(status, path)| (status, Some(path))),
        }
    }

    /// Returns the position of a track; `None` if the situation does not set it.
    pub fn track_value(&mut self, number: u32) -> Option<Value> {
        self.get(CellKey::new(EntityKind::Track, 0, number as usize))
    }

    /// Allocates a sheet with the given fields and returns its number.
    pub fn new_record(&mut self, fields: impl IntoIterator<Item = (usize, Value)>) -> usize {
        let number = self.record_count;
        self.record_count += 1;
        fields.into_iter().for_each(|(field, value)| {
            self.set(CellKey::new(EntityKind::Record, field, number), value)
        });
        number
    }

    /// Allocates a variable shared by closures and returns its number.
    pub fn new_shared(&mut self, value: Value) -> usize {
        let number = self.shared_count;
        self.shared_count += 1;
        self.set(CellKey::new(EntityKind::Shared, 0, number), value);
        number
    }

    /// Returns the fields of a sheet that are set; records a read of all fields, because unset ones also affect the result.
    pub fn record_fields(&mut self, record: usize) -> Vec<(usize, Value)> {
        (0..LIMITS.0)
            .for_each(|field| self.record_read(CellKey::new(EntityKind::Record, field, record)));
        let field = |(figure, value): (CellKey, &Value)| {
            (figure.kind() == EntityKind::Record && figure.row() == record)
                .then(|| (figure.column(), value.clone()))
        };
        self.delta.iter().filter_map(field).collect()
    }

    /// Adds a piece to the board.
    pub fn create_piece(&mut self, entry: &PieceEntry, game: &Game) -> PieceId {
        let number = self.piece_count();
        let count = CellKey::new(EntityKind::Count, 0, 0);
        self.record_read(count);
        let created = CreatedPiece::new(entry, game, number, &self.start.blank_piece);
        self.meter.add_value(created.bytes());
        if let Some(carrier) = created.get(CARRIER_COLUMN).cloned() {
            self.note_rider(PieceId(number), &carrier);
        }
        Arc::make_mut(&mut self.created).push(Arc::new(created));
        self.stale_columns.union_with(&self.start.piece_columns);
        self.written_columns.union_with(&self.start.piece_columns);
        if let Some(watch) = &mut self.recorder {
            (0..self.start.blank_piece.len()).for_each(|column| {
                watch.record_write(CellKey::new(EntityKind::Piece, column, number))
            });
        }
        self.note_moved(PieceId(number));
        let names = self
            .created
            .iter()
            .map(|created| Value::Text(created.name.clone()))
            .collect();
        self.set(count, names);
        PieceId(number)
    }

    /// Records a write to a cell and invalidates what depends on it.
    fn record_write(&mut self, figure: CellKey) {
        let slot = figure.column_index();
        self.write_count += 1;
        self.stale_columns.insert(slot);
        self.written_columns.insert(slot);
        if let Some(watch) = &mut self.recorder {
            watch.record_write(figure);
        }
        if figure.kind() == EntityKind::Piece
            && matches!(figure.column(), PLACE_COLUMN | CARRIER_COLUMN | GONE_COLUMN)
        {
            self.note_moved(PieceId(figure.row()));
        }
    }

    /// Returns the column of a piece attribute.
    pub fn column_of_attribute(game: &Game, name: &str) -> Option<usize> {
        let attribute = || Some(FIRST_ATTRIBUTE + game.index_of_attribute(name)?);
        let plain = PIECE_FIGURES.iter().position(|figure| *figure == name);
        plain.or_else(attribute)
    }

    /// Returns whether two boards with the same initial board differ.
    pub fn differs_from(&self, other: &Board) -> bool {
        self.created != other.created || !self.delta.iter().eq(other.delta.iter())
    }

    /// Returns the fingerprints of all changes, for [`Board::diff`].
    pub fn delta_fingerprints(&mut self) -> DeltaFingerprints {
        self.delta.fingerprints()
    }

    /// Returns the fingerprint of all changes since the start.
    pub fn total_fingerprint(&mut self) -> u128 {
        self.delta.total_fingerprint()
    }

    /// Reports the cells that differ from another board; see [`BoardDelta::diff`].
    pub fn diff(
        &mut self,
        earlier: &DeltaFingerprints,
        tell: impl FnMut(CellKey, Option<u64>, Option<u64>),
    ) {
        self.delta.diff(earlier, tell);
    }

    /// Adds everything outside the delta to a digest: created pieces, added places, and the number of sheets and shared variables.
    pub fn add_to_digest(&self, digest: &mut Digest) {
        [
            self.record_count,
            self.shared_count,
            self.created.len(),
            self.added_places.0.len(),
        ]
        .into_iter()
        .for_each(|count| digest.add(count as u64));
        self.created
            .iter()
            .flat_map(|piece| [piece.name.fingerprint(), piece.fingerprint()])
            .for_each(|fingerprint| digest.add(fingerprint));
        let added = self
            .added_places
            .0
            .iter()
            .chain(self.added_places.1.iter().flat_map(|(a, b)| [a, b]));
        added.for_each(|name| digest.add(name.fingerprint()));
    }

    /// Returns the approximate cost of a cell access: the number of changed entries in thousands.
    pub fn work_units(&self) -> u32 {
        ((self.delta.changed_cells()
            + 16 * self.created.len()
            + 8 * (self.added_places.0.len() + self.added_places.1.len()))
            / 1024) as u32
    }

    /// Adds the size of all changes since the start to a scale.
    pub fn add_to(&self, scale: &mut Scale) {
        self.delta.iter().for_each(|(_, value)| scale.add(value));
        let added = self
            .added_places
            .0
            .iter()
            .chain(self.added_places.1.iter().flat_map(|(a, b)| [a, b]));
        added.for_each(|name| scale.text(name));
        let figures = self.delta.changed_cells()
            + self.added_places.0.len()
            + self.added_places.1.len()
            + self.riders.len()
            + self.moved_pieces.len();
        scale.bytes += CELL_BYTES * figures as u64
            + self.created.iter().map(|piece| piece.bytes()).sum::<u64>();
    }

    /// Returns the numbers of the cards in a zone, by kind; of the top of a stock its kinds, the first on top.
    pub fn cards(&mut self, game: &Game, stock: usize, zone: CardZone) -> Vec<u32> {
        self.get(card_key(game, stock, zone))
            .map(|value| zone_numbers(&value))
            .unwrap_or_default()
    }

    /// Like [`Board::cards`], for display.
    pub fn peek_cards(&self, game: &Game, stock: usize, zone: CardZone) -> Vec<u32> {
        self.peek(card_key(game, stock, zone))
            .map(zone_numbers)
            .unwrap_or_default()
    }

    pub fn set_cards(&mut self, game: &Game, stock: usize, zone: CardZone, cards: Vec<u32>) {
        self.set(card_key(game, stock, zone), zone_value(cards));
    }
}
