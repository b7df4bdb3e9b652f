//! What of a situation can change, and what of it is looked at on the way.

use crate::situation::bytes::mixed;
use crate::situation::value::Value;
use std::num::NonZero;

/// A figure: something of the situation that can change. A column of pieces, places or sides and a number within it; a track; a field of
/// a sheet; a variable that a closure shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Figure(u32);

const KIND: u32 = 29;
const COLUMN: u32 = 20;
/// Columns of a kind, and numbers within a column.
pub const MOST: (usize, usize) = (1 << (KIND - COLUMN), 1 << COLUMN);

/// What a figure belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
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

const KINDS: [Of; 8] = [Of::Piece, Of::Place, Of::Side, Of::Track, Of::Record, Of::Shared, Of::Count, Of::Outcome];

impl Figure {
    /// A figure.
    pub fn new(of: Of, column: usize, number: usize) -> Figure {
        Figure((of as u32) << KIND | (column as u32) << COLUMN | number as u32)
    }

    /// What it belongs to.
    pub fn of(self) -> Of {
        KINDS[(self.0 >> KIND) as usize]
    }

    /// The column.
    pub fn column(self) -> usize {
        (self.0 >> COLUMN) as usize & (MOST.0 - 1)
    }

    /// A fingerprint of the figure with a value.
    pub fn print(self, value: &Value) -> NonZero<u64> {
        NonZero::new(mixed(u64::from(self.0) + 1, value.fingerprint())).unwrap_or(NonZero::<u64>::MAX)
    }

    /// The number within the column.
    pub fn number(self) -> usize {
        self.0 as usize & (MOST.1 - 1)
    }

    /// The place of its column among all columns; a track is a column of its own. What goes beyond shares the last place of its sort.
    pub fn slot(self) -> usize {
        let sort = (self.0 >> KIND) as usize;
        let [from, room] = SLOTS[sort];
        let within = if sort == Of::Track as usize { self.number() } else { self.column() };
        from + within.min(room - 1)
    }

    /// The first figure whose column has a place among all, this one or a later one.
    pub fn first_of(slot: usize) -> Figure {
        let row = row(slot);
        let (of, within) = (KINDS[row], slot - SLOTS[row][0]);
        match of {
            _ if within >= SLOTS[row][1] => Figure(u32::MAX),
            Of::Track => Figure::new(of, 0, within),
            _ => Figure::new(of, within, 0),
        }
    }
}

/// What the columns of a place among all belong to.
pub fn sort_of(slot: usize) -> Of {
    KINDS[row(slot)]
}

fn row(slot: usize) -> usize {
    SLOTS.iter().rposition(|[from, _]| *from <= slot).unwrap_or(0)
}

/// Where the columns of each sort begin, and how many have a place.
const SLOTS: [[usize; 2]; 8] = [[0, 256], [256, 64], [320, 64], [384, 64], [448, 512], [960, 1], [961, 1], [962, 1]];

/// How the figures of a situation are numbered, each by a bit.
///
/// Where there are too many for a bit each, the rest share one: what is read then counts as more than it is, and what is written is not
/// noted, so that nothing that matters is ever let go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pieces: usize,
    places: usize,
    /// Where the bits of each kind begin, and how many they are.
    regions: [(usize, usize); 8],
}

/// Bits of pieces and of places, at most; of records (so many, with so many fields), tracks, shared variables, sides, outcomes.
const BITS: (usize, usize) = (16_384, 8_192);
const RECORDS: (usize, usize) = (16, 64);
const OTHERS: [usize; 4] = [64, 64, 256, 128];

impl Layout {
    /// For so many pieces and places with so many columns; room is left for pieces that are made on the way.
    pub fn new((pieces, columns): (usize, usize), (places, place_columns): (usize, usize)) -> Layout {
        let (pieces, places) = ((pieces + 16).next_multiple_of(16), places + 4);
        let [tracks, shared, sides, outcomes] = OTHERS;
        let (own, map) = ((pieces * columns).min(BITS.0), (places * place_columns).clamp(1, BITS.1));
        let mut start = 0;
        let regions = [own, map, sides, tracks, RECORDS.0 * RECORDS.1, shared, 1, outcomes].map(|size| {
            // The last bit of a region stands for all that find no bit of their own.
            start += size + 1;
            (start - size - 1, size)
        });
        Layout { pieces, places, regions }
    }

    /// How many bits there are.
    pub fn bits(&self) -> usize {
        let (start, size) = self.regions[7];
        start + size + 1
    }

    /// The bit of a figure, and whether it is the figure's alone.
    pub fn bit(&self, figure: Figure) -> (usize, bool) {
        let (column, number) = (figure.column(), figure.number());
        let (start, size) = self.regions[figure.of() as usize];
        let within = match figure.of() {
            Of::Piece if number < self.pieces => column * self.pieces + number,
            Of::Place if number < self.places => column * self.places + number,
            Of::Record if column < RECORDS.1 => number * RECORDS.1 + column,
            Of::Side => return (start + (column * 31 + number) % size, false),
            Of::Track | Of::Shared | Of::Count | Of::Outcome => number,
            _ => size,
        };
        if within < size { (start + within, true) } else { (start + size, false) }
    }
}

/// Figures, as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, bit: usize) {
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
    pub fn has(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0)
    }

    /// All ones where a bit is set, else none.
    pub fn mask(&self, bit: usize) -> u64 {
        let word = self.0.get(bit / 64).copied().unwrap_or(0);
        (word >> (bit % 64) & 1).wrapping_neg()
    }

    /// Adds what another has.
    pub fn add(&mut self, other: &Bits) {
        self.add_but(other, &Bits::default());
    }

    /// Adds what another has and a third has not.
    pub fn add_but(&mut self, other: &Bits, but: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (i, (word, more)) in self.0.iter_mut().zip(&other.0).enumerate() {
            *word |= more & !but.0.get(i).copied().unwrap_or(0);
        }
    }

    /// Takes off the zeros at the end, so that equal sets are equal values.
    pub fn trimmed(mut self) -> Bits {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

/// A few figures that were looked at: words of bits, with their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen(Box<[(usize, u64)]>);

/// What is looked at and what is written between two stops. What is looked at after it was written came from here, and not from before.
#[derive(Clone, Debug)]
pub struct Watch {
    layout: Layout,
    /// What was looked at.
    pub read: Bits,
    /// What was written.
    pub wrote: Bits,
    /// One after the other, where that is wanted instead.
    pub noted: Option<Vec<Noted>>,
}

/// What was done to figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// One was looked at.
    Read(Figure),
    /// A whole column was looked at, this figure being its first.
    Column(Figure),
    /// One was written.
    Wrote(Figure),
}

impl Watch {
    /// Begins to watch.
    pub fn new(layout: Layout) -> Watch {
        let words = layout.bits().div_ceil(64);
        Watch { layout, read: Bits(vec![0; words]), wrote: Bits(vec![0; words]), noted: None }
    }

    /// Notes one thing after the other.
    pub fn noting() -> Watch {
        Watch { noted: Some(Vec::new()), ..Watch::new(Layout::new((0, 0), (0, 0))) }
    }

    /// A figure is looked at.
    pub fn read(&mut self, figure: Figure) {
        if let Some(noted) = &mut self.noted {
            return noted.push(Noted::Read(figure));
        }
        let (bit, _) = self.layout.bit(figure);
        if !self.wrote.has(bit) {
            self.read.set(bit);
        }
    }

    /// A whole column of pieces is looked at.
    pub fn read_column(&mut self, of: Of, column: usize, count: usize) {
        if let Some(noted) = &mut self.noted {
            return noted.push(Noted::Column(Figure::new(of, column, 0)));
        }
        (0..count).for_each(|number| self.read(Figure::new(of, column, number)));
    }

    /// A figure is written.
    pub fn wrote(&mut self, figure: Figure) {
        if let Some(noted) = &mut self.noted {
            return noted.push(Noted::Wrote(figure));
        }
        let (bit, alone) = self.layout.bit(figure);
        if alone {
            self.wrote.set(bit);
        }
    }

    /// Begins to watch anew, and returns what was looked at and written so far.
    pub fn aside(&mut self) -> (Bits, Bits) {
        let fresh = || Bits(vec![0; self.layout.bits().div_ceil(64)]);
        let fresh = (fresh(), fresh());
        (std::mem::replace(&mut self.read, fresh.0), std::mem::replace(&mut self.wrote, fresh.1))
    }

    /// Goes on with what was put aside; returns what was looked at meanwhile.
    pub fn back(&mut self, (read, wrote): (Bits, Bits)) -> Seen {
        let (own, written) = (std::mem::replace(&mut self.read, read), std::mem::replace(&mut self.wrote, wrote));
        self.read.add_but(&own, &self.wrote);
        self.wrote.add(&written);
        Seen((0..).zip(own.0).filter(|(_, bits)| *bits != 0).collect())
    }

    /// Some figures are looked at.
    pub fn saw(&mut self, figures: &Seen) {
        for (word, bits) in &figures.0 {
            if self.read.0.len() <= *word {
                self.read.0.resize(word + 1, 0);
            }
            self.read.0[*word] |= bits & !self.wrote.0.get(*word).copied().unwrap_or(0);
        }
    }
}
