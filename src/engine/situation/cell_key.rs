//! Keys of the mutable cells of a situation, and recording of reads and writes.

use crate::situation::fingerprint::mix;
use crate::situation::value::Value;
use std::num::NonZero;

/// Key of a mutable cell: a column of pieces, places or sides with a row; a track; a field of a sheet; or a variable shared by closures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellKey(u32);

const KIND_SHIFT: u32 = 29;
const COLUMN_SHIFT: u32 = 20;
/// Exclusive limits of column and row numbers.
pub const LIMITS: (usize, usize) = (1 << (KIND_SHIFT - COLUMN_SHIFT), 1 << COLUMN_SHIFT);

/// Kind of entity that a cell belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityKind {
    Piece,
    Place,
    /// The side between two places.
    Side,
    /// A track, or the cards of a zone; its column is 0.
    Track,
    /// A sheet; the column is the field.
    Record,
    /// A variable shared by closures; its column is 0.
    Shared,
    /// The number of pieces.
    Count,
    /// A named outcome that is read before the end.
    Outcome,
}

const ENTITY_KINDS: [EntityKind; 8] = [
    EntityKind::Piece,
    EntityKind::Place,
    EntityKind::Side,
    EntityKind::Track,
    EntityKind::Record,
    EntityKind::Shared,
    EntityKind::Count,
    EntityKind::Outcome,
];

impl CellKey {
    /// Creates a key; `number` is the row.
    pub fn new(kind: EntityKind, column: usize, number: usize) -> CellKey {
        CellKey((kind as u32) << KIND_SHIFT | (column as u32) << COLUMN_SHIFT | number as u32)
    }

    pub fn kind(self) -> EntityKind {
        ENTITY_KINDS[(self.0 >> KIND_SHIFT) as usize]
    }

    pub fn column(self) -> usize {
        (self.0 >> COLUMN_SHIFT) as usize & (LIMITS.0 - 1)
    }

    /// Returns a fingerprint of the cell with a value.
    pub fn fingerprint(self, value: &Value) -> NonZero<u64> {
        NonZero::new(mix(u64::from(self.0) + 1, value.fingerprint())).unwrap_or(NonZero::<u64>::MAX)
    }

    pub fn row(self) -> usize {
        self.0 as usize & (LIMITS.1 - 1)
    }

    /// Returns the index of the column among all columns; each track has its own. Overflow columns share the last index of their kind.
    pub fn column_index(self) -> usize {
        let kind_index = (self.0 >> KIND_SHIFT) as usize;
        let [first_index, room] = COLUMN_RANGES[kind_index];
        let offset = if kind_index == EntityKind::Track as usize {
            self.row()
        } else {
            self.column()
        };
        first_index + offset.min(room - 1)
    }

    /// Returns the smallest key whose column has an index of at least `slot`.
    pub fn first_in_column(slot: usize) -> CellKey {
        let row = range_index(slot);
        let (kind, offset) = (ENTITY_KINDS[row], slot - COLUMN_RANGES[row][0]);
        match kind {
            _ if offset >= COLUMN_RANGES[row][1] => CellKey(u32::MAX),
            EntityKind::Track => CellKey::new(kind, 0, offset),
            _ => CellKey::new(kind, offset, 0),
        }
    }
}

/// Returns the kind of entity of a column index.
pub fn kind_of_column(slot: usize) -> EntityKind {
    ENTITY_KINDS[range_index(slot)]
}

fn range_index(slot: usize) -> usize {
    COLUMN_RANGES
        .iter()
        .rposition(|[from, _]| *from <= slot)
        .unwrap_or(0)
}

/// First column index and number of indices for each kind.
const COLUMN_RANGES: [[usize; 2]; 8] = [
    [0, 256],
    [256, 64],
    [320, 64],
    [384, 124],
    [508, 512],
    [1020, 1],
    [1021, 1],
    [1022, 1],
];

/// Assigns each cell of a situation a bit.
///
/// Cells beyond the capacity share an overflow bit. A read of it is recorded, which overestimates the reads; a write to it is not recorded,
/// which underestimates the writes. Both are conservative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnLayout {
    pieces: usize,
    places: usize,
    /// First bit and number of bits for each kind.
    regions: [(usize, usize); 8],
}

/// Maximum number of bits of pieces and of places.
const MAX_BITS: (usize, usize) = (16_384, 8_192);
const MAX_RECORDS: (usize, usize) = (16, 64);
const OTHER_BITS: [usize; 4] = [124, 64, 256, 128];

impl ColumnLayout {
    /// Creates a layout for the given numbers of (pieces, columns) and (places, columns), with spare bits for created pieces.
    pub fn new(
        (pieces, columns): (usize, usize),
        (places, place_columns): (usize, usize),
    ) -> ColumnLayout {
        let (pieces, places) = ((pieces + 16).next_multiple_of(16), places + 4);
        let [tracks, shared, sides, outcomes] = OTHER_BITS;
        let (piece_bits, place_bits) = (
            (pieces * columns).min(MAX_BITS.0),
            (places * place_columns).clamp(1, MAX_BITS.1),
        );
        let mut start = 0;
        let regions = [
            piece_bits,
            place_bits,
            sides,
            tracks,
            MAX_RECORDS.0 * MAX_RECORDS.1,
            shared,
            1,
            outcomes,
        ]
        .map(|size| {
            // The last bit of a region is its overflow bit.
            start += size + 1;
            (start - size - 1, size)
        });
        ColumnLayout {
            pieces,
            places,
            regions,
        }
    }

    /// Returns the bit of a cell, and whether the cell has it exclusively.
    pub fn bit_of(&self, figure: CellKey) -> (usize, bool) {
        let (column, number) = (figure.column(), figure.row());
        let (start, size) = self.regions[figure.kind() as usize];
        let offset = match figure.kind() {
            EntityKind::Piece if number < self.pieces => column * self.pieces + number,
            EntityKind::Place if number < self.places => column * self.places + number,
            EntityKind::Record if column < MAX_RECORDS.1 => number * MAX_RECORDS.1 + column,
            EntityKind::Side => return (start + (column * 31 + number) % size, false),
            EntityKind::Track | EntityKind::Shared | EntityKind::Count | EntityKind::Outcome => {
                number
            }
            _ => size,
        };
        if offset < size {
            (start + offset, true)
        } else {
            (start + size, false)
        }
    }
}

/// A set of cells as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ColumnBits(Vec<u64>);

impl ColumnBits {
    fn insert(&mut self, bit: usize) {
        let word = bit / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (bit % 64);
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        (self.0.len() * 8) as u64
    }

    /// Returns whether no bit is set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Returns whether a bit is set.
    pub fn contains(&self, bit: usize) -> bool {
        self.0
            .get(bit / 64)
            .is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }

    /// Returns all ones if a bit is set, else 0.
    pub fn mask(&self, bit: usize) -> u64 {
        let word = self.0.get(bit / 64).copied().unwrap_or(0);
        (word >> (bit % 64) & 1).wrapping_neg()
    }

    /// Adds all bits of another set.
    pub fn union_with(&mut self, other: &ColumnBits) {
        self.union_except(other, &ColumnBits::default());
    }

    /// Adds the bits of `other` that are not in `but`.
    pub fn union_except(&mut self, other: &ColumnBits, but: &ColumnBits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (i, (word, added)) in self.0.iter_mut().zip(&other.0).enumerate() {
            *word |= added & !but.0.get(i).copied().unwrap_or(0);
        }
    }

    /// Removes trailing zero words, so that equal sets compare equal.
    pub fn trim_zeros(mut self) -> ColumnBits {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

/// A sparse set of cells that were read: nonzero words of bits with their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadSet(Box<[(usize, u64)]>);

/// Records the cells read and written between two stops. A read after a write is not recorded, because it does not depend on the prior
/// state.
#[derive(Clone, Debug)]
pub struct AccessRecorder {
    layout: ColumnLayout,
    /// Cells read before any write to them.
    pub reads: ColumnBits,
    /// Cells written.
    pub writes: ColumnBits,
    /// Chronological log, recorded instead of the sets if present.
    pub log: Option<Vec<Access>>,
}

/// An access to a cell or column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read(CellKey),
    /// Read of a whole column, given by its first cell.
    ReadColumn(CellKey),
    Write(CellKey),
}

impl AccessRecorder {
    /// Creates a recorder of sets.
    pub fn new(layout: ColumnLayout) -> AccessRecorder {
        AccessRecorder {
            layout,
            reads: ColumnBits::default(),
            writes: ColumnBits::default(),
            log: None,
        }
    }

    /// Creates a recorder of a chronological log.
    pub fn logging() -> AccessRecorder {
        AccessRecorder {
            log: Some(Vec::new()),
            ..AccessRecorder::new(ColumnLayout::new((0, 0), (0, 0)))
        }
    }

    pub fn record_read(&mut self, figure: CellKey) {
        if let Some(log) = &mut self.log {
            return log.push(Access::Read(figure));
        }
        let (bit, _) = self.layout.bit_of(figure);
        if !self.writes.contains(bit) {
            self.reads.insert(bit);
        }
    }

    /// Records a read of a whole column with `count` rows.
    pub fn record_column_read(&mut self, kind: EntityKind, column: usize, count: usize) {
        if let Some(log) = &mut self.log {
            return log.push(Access::ReadColumn(CellKey::new(kind, column, 0)));
        }
        (0..count).for_each(|number| self.record_read(CellKey::new(kind, column, number)));
    }

    pub fn record_write(&mut self, figure: CellKey) {
        if let Some(log) = &mut self.log {
            return log.push(Access::Write(figure));
        }
        let (bit, alone) = self.layout.bit_of(figure);
        if alone {
            self.writes.insert(bit);
        }
    }

    /// Starts an empty scope and returns the reads and writes of the enclosing one.
    pub fn push_scope(&mut self) -> (ColumnBits, ColumnBits) {
        (
            std::mem::take(&mut self.reads),
            std::mem::take(&mut self.writes),
        )
    }

    /// Restores the enclosing scope, merges the inner one into it, and returns the reads of the inner scope.
    pub fn pop_scope(&mut self, (read, wrote): (ColumnBits, ColumnBits)) -> ReadSet {
        let (read_inside, written_inside) = (
            std::mem::replace(&mut self.reads, read),
            std::mem::replace(&mut self.writes, wrote),
        );
        self.reads.union_except(&read_inside, &self.writes);
        self.writes.union_with(&written_inside);
        ReadSet(
            (0..)
                .zip(read_inside.0)
                .filter(|(_, bits)| *bits != 0)
                .collect(),
        )
    }

    /// Records reads of several cells.
    pub fn add_reads(&mut self, figures: &ReadSet) {
        for (word, bits) in &figures.0 {
            if self.reads.0.len() <= *word {
                self.reads.0.resize(word + 1, 0);
            }
            self.reads.0[*word] |= bits & !self.writes.0.get(*word).copied().unwrap_or(0);
        }
    }
}
