//! What of a situation can change, and what of it is looked at on the way.

use crate::situation::fingerprint::mix;
use crate::situation::value::Value;
use std::num::NonZero;

/// A figure: something of the situation that can change. A column of pieces, places or sides and a number within it; a track; a field of
/// a sheet; a variable that a closure shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellKey(u32);

const KIND_SHIFT: u32 = 29;
const COLUMN_SHIFT: u32 = 20;
/// Columns of a kind, and numbers within a column.
pub const LIMITS: (usize, usize) = (1 << (KIND_SHIFT - COLUMN_SHIFT), 1 << COLUMN_SHIFT);

/// What a figure belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityKind {
    /// A piece.
    Piece,
    /// A place.
    Place,
    /// The side between two places.
    Side,
    /// A track; its column is 0.
    Track,
    /// A sheet, the column being the field.
    Record,
    /// A variable that closures share; its column is 0.
    Shared,
    /// How many pieces there are.
    Count,
    /// A named outcome, where it is looked at before the end.
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
    /// A figure.
    pub fn new(of: EntityKind, column: usize, number: usize) -> CellKey {
        CellKey((of as u32) << KIND_SHIFT | (column as u32) << COLUMN_SHIFT | number as u32)
    }

    /// What it belongs to.
    pub fn kind(self) -> EntityKind {
        ENTITY_KINDS[(self.0 >> KIND_SHIFT) as usize]
    }

    /// The column.
    pub fn column(self) -> usize {
        (self.0 >> COLUMN_SHIFT) as usize & (LIMITS.0 - 1)
    }

    /// A fingerprint of the figure with a value.
    pub fn fingerprint(self, value: &Value) -> NonZero<u64> {
        NonZero::new(mix(u64::from(self.0) + 1, value.fingerprint())).unwrap_or(NonZero::<u64>::MAX)
    }

    /// The number within the column.
    pub fn row(self) -> usize {
        self.0 as usize & (LIMITS.1 - 1)
    }

    /// The place of its column among all columns; a track is a column of its own. What goes beyond shares the last place of its sort.
    pub fn column_index(self) -> usize {
        let sort = (self.0 >> KIND_SHIFT) as usize;
        let [from, room] = COLUMN_RANGES[sort];
        let within = if sort == EntityKind::Track as usize { self.row() } else { self.column() };
        from + within.min(room - 1)
    }

    /// The first figure whose column has a place among all, this one or a later one.
    pub fn first_in_column(slot: usize) -> CellKey {
        let row = range_index(slot);
        let (of, within) = (ENTITY_KINDS[row], slot - COLUMN_RANGES[row][0]);
        match of {
            _ if within >= COLUMN_RANGES[row][1] => CellKey(u32::MAX),
            EntityKind::Track => CellKey::new(of, 0, within),
            _ => CellKey::new(of, within, 0),
        }
    }
}

/// What the columns of a place among all belong to.
pub fn kind_of_column(slot: usize) -> EntityKind {
    ENTITY_KINDS[range_index(slot)]
}

fn range_index(slot: usize) -> usize {
    COLUMN_RANGES.iter().rposition(|[from, _]| *from <= slot).unwrap_or(0)
}

/// Where the columns of each sort begin, and how many have a place.
const COLUMN_RANGES: [[usize; 2]; 8] = [[0, 256], [256, 64], [320, 64], [384, 64], [448, 512], [960, 1], [961, 1], [962, 1]];

/// How the figures of a situation are numbered, each by a bit.
///
/// Where there are too many for a bit each, the rest share one: what is read then counts as more than it is, and what is written is not
/// noted, so that nothing that matters is ever let go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnLayout {
    pieces: usize,
    places: usize,
    /// Where the bits of each kind begin, and how many they are.
    regions: [(usize, usize); 8],
}

/// Bits of pieces and of places, at most; of records (so many, with so many fields), tracks, shared variables, sides, outcomes.
const MAX_BITS: (usize, usize) = (16_384, 8_192);
const MAX_RECORDS: (usize, usize) = (16, 64);
const OTHER_BITS: [usize; 4] = [64, 64, 256, 128];

impl ColumnLayout {
    /// For so many pieces and places with so many columns; room is left for pieces that are made on the way.
    pub fn new((pieces, columns): (usize, usize), (places, place_columns): (usize, usize)) -> ColumnLayout {
        let (pieces, places) = ((pieces + 16).next_multiple_of(16), places + 4);
        let [tracks, shared, sides, outcomes] = OTHER_BITS;
        let (own, map) = ((pieces * columns).min(MAX_BITS.0), (places * place_columns).clamp(1, MAX_BITS.1));
        let mut start = 0;
        let regions = [own, map, sides, tracks, MAX_RECORDS.0 * MAX_RECORDS.1, shared, 1, outcomes].map(|size| {
            // The last bit of a region stands for all that find no bit of their own.
            start += size + 1;
            (start - size - 1, size)
        });
        ColumnLayout { pieces, places, regions }
    }

    /// How many bits there are.
    pub fn bit_count(&self) -> usize {
        let (start, size) = self.regions[7];
        start + size + 1
    }

    /// The bit of a figure, and whether it is the figure's alone.
    pub fn bit_of(&self, figure: CellKey) -> (usize, bool) {
        let (column, number) = (figure.column(), figure.row());
        let (start, size) = self.regions[figure.kind() as usize];
        let within = match figure.kind() {
            EntityKind::Piece if number < self.pieces => column * self.pieces + number,
            EntityKind::Place if number < self.places => column * self.places + number,
            EntityKind::Record if column < MAX_RECORDS.1 => number * MAX_RECORDS.1 + column,
            EntityKind::Side => return (start + (column * 31 + number) % size, false),
            EntityKind::Track | EntityKind::Shared | EntityKind::Count | EntityKind::Outcome => number,
            _ => size,
        };
        if within < size { (start + within, true) } else { (start + size, false) }
    }
}

/// Figures, as bits.
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

    /// How many bytes it takes.
    pub fn bytes(&self) -> u64 {
        (self.0.len() * 8) as u64
    }

    /// Whether a bit is set.
    pub fn contains(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }

    /// All ones where a bit is set, else none.
    pub fn mask(&self, bit: usize) -> u64 {
        let word = self.0.get(bit / 64).copied().unwrap_or(0);
        (word >> (bit % 64) & 1).wrapping_neg()
    }

    /// Adds what another has.
    pub fn union_with(&mut self, other: &ColumnBits) {
        self.union_except(other, &ColumnBits::default());
    }

    /// Adds what another has and a third has not.
    pub fn union_except(&mut self, other: &ColumnBits, but: &ColumnBits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (i, (word, more)) in self.0.iter_mut().zip(&other.0).enumerate() {
            *word |= more & !but.0.get(i).copied().unwrap_or(0);
        }
    }

    /// Takes off the zeros at the end, so that equal sets are equal values.
    pub fn trim_zeros(mut self) -> ColumnBits {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

/// A few figures that were looked at: words of bits, with their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadSet(Box<[(usize, u64)]>);

/// What is looked at and what is written between two stops. What is looked at after it was written came from here, and not from before.
#[derive(Clone, Debug)]
pub struct AccessRecorder {
    layout: ColumnLayout,
    /// What was looked at.
    pub reads: ColumnBits,
    /// What was written.
    pub writes: ColumnBits,
    /// One after the other, where that is wanted instead.
    pub log: Option<Vec<Access>>,
}

/// What was done to figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// One was looked at.
    Read(CellKey),
    /// A whole column was looked at, this figure being its first.
    ReadColumn(CellKey),
    /// One was written.
    Write(CellKey),
}

impl AccessRecorder {
    /// Begins to watch.
    pub fn new(layout: ColumnLayout) -> AccessRecorder {
        let words = layout.bit_count().div_ceil(64);
        AccessRecorder { layout, reads: ColumnBits(vec![0; words]), writes: ColumnBits(vec![0; words]), log: None }
    }

    /// Notes one thing after the other.
    pub fn logging() -> AccessRecorder {
        AccessRecorder { log: Some(Vec::new()), ..AccessRecorder::new(ColumnLayout::new((0, 0), (0, 0))) }
    }

    /// A figure is looked at.
    pub fn record_read(&mut self, figure: CellKey) {
        if let Some(noted) = &mut self.log {
            return noted.push(Access::Read(figure));
        }
        let (bit, _) = self.layout.bit_of(figure);
        if !self.writes.contains(bit) {
            self.reads.insert(bit);
        }
    }

    /// A whole column of pieces is looked at.
    pub fn record_column_read(&mut self, of: EntityKind, column: usize, count: usize) {
        if let Some(noted) = &mut self.log {
            return noted.push(Access::ReadColumn(CellKey::new(of, column, 0)));
        }
        (0..count).for_each(|number| self.record_read(CellKey::new(of, column, number)));
    }

    /// A figure is written.
    pub fn record_write(&mut self, figure: CellKey) {
        if let Some(noted) = &mut self.log {
            return noted.push(Access::Write(figure));
        }
        let (bit, alone) = self.layout.bit_of(figure);
        if alone {
            self.writes.insert(bit);
        }
    }

    /// Begins to watch anew, and returns what was looked at and written so far.
    pub fn push_scope(&mut self) -> (ColumnBits, ColumnBits) {
        let fresh = || ColumnBits(vec![0; self.layout.bit_count().div_ceil(64)]);
        let fresh = (fresh(), fresh());
        (std::mem::replace(&mut self.reads, fresh.0), std::mem::replace(&mut self.writes, fresh.1))
    }

    /// Goes on with what was put aside; returns what was looked at meanwhile.
    pub fn pop_scope(&mut self, (read, wrote): (ColumnBits, ColumnBits)) -> ReadSet {
        let (own, written) = (std::mem::replace(&mut self.reads, read), std::mem::replace(&mut self.writes, wrote));
        self.reads.union_except(&own, &self.writes);
        self.writes.union_with(&written);
        ReadSet((0..).zip(own.0).filter(|(_, bits)| *bits != 0).collect())
    }

    /// Some figures are looked at.
    pub fn add_reads(&mut self, figures: &ReadSet) {
        for (word, bits) in &figures.0 {
            if self.reads.0.len() <= *word {
                self.reads.0.resize(word + 1, 0);
            }
            self.reads.0[*word] |= bits & !self.writes.0.get(*word).copied().unwrap_or(0);
        }
    }
}
