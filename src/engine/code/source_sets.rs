//! Interned sets of sources. A source is a case or table cell that a value depends on: it decided the value, or was merely asked.
//!
//! Equal sets have the same id, which keeps copies cheap. A source has two bits in a set: the lower one says that it decided, the upper one
//! that it was asked.

use crate::data::table::Table;
use crate::situation::column_set::iter_bits;
use crate::situation::fingerprint::mix;
use crate::situation::trace::ValueSource;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The id of an interned source set.
pub type SourceSetId = u32;

pub const EMPTY_SET: SourceSetId = 0;

/// Number of entries in the cache of recent results.
const RECENT_SIZE: usize = 1 << 10;

/// The bits of sources that decided.
const DECIDED: u64 = 0x5555_5555_5555_5555;

/// A result for two operands.
#[derive(Clone, Copy, Debug, Default)]
struct CachedResult {
    operands: [SourceSetId; 2],
    set: SourceSetId,
}

/// The interner of sources and source sets.
#[derive(Clone, Debug)]
pub struct SourceSets {
    /// Sources in order of registration.
    sources: Vec<ValueSource>,
    /// The lower bits of the sources that are amendments.
    amendments: Vec<u64>,
    /// Singleton sets: of cases by case number, of cells by table address and cell index.
    case_sets: Vec<SourceSetId>,
    cell_sets: FxHashMap<(usize, usize), SourceSetId>,
    /// Bit words of all sets, concatenated, and the end of each set. The last word of a set is never 0.
    words: Vec<u64>,
    ends: Vec<usize>,
    /// Set ids by hash of the bits. Collisions use linear probing.
    interned: FxHashMap<u64, SourceSetId>,
    /// Direct-mapped cache of unions and of what was merely asked.
    recent: Box<[CachedResult]>,
}

impl Default for SourceSets {
    fn default() -> SourceSets {
        SourceSets {
            sources: Vec::new(),
            amendments: Vec::new(),
            case_sets: Vec::new(),
            cell_sets: FxHashMap::default(),
            words: Vec::new(),
            ends: vec![0],
            interned: FxHashMap::default(),
            recent: vec![CachedResult::default(); RECENT_SIZE].into(),
        }
    }
}

impl SourceSets {
    /// Returns the singleton set of a case that decided.
    pub fn case_set(&mut self, case: usize, is_amendment: impl FnOnce() -> bool) -> SourceSetId {
        let set = get_or_default(&self.case_sets, case);
        if set != EMPTY_SET {
            return set;
        }
        let is_amendment = is_amendment();
        let set = self.add_singleton(ValueSource::Case(case), is_amendment);
        *get_mut_or_grow(&mut self.case_sets, case) = set;
        set
    }

    /// Returns the singleton set of a table cell.
    pub fn cell_set(&mut self, table: &Arc<Table>, index: usize) -> SourceSetId {
        let number = (Arc::as_ptr(table) as usize, index);
        if let Some(set) = self.cell_sets.get(&number) {
            return *set;
        }
        let set = self.add_singleton(ValueSource::Cell(table.clone(), index), false);
        self.cell_sets.insert(number, set);
        set
    }

    fn add_singleton(&mut self, source: ValueSource, is_amendment: bool) -> SourceSetId {
        let bit = 2 * self.sources.len();
        self.sources.push(source);
        *get_mut_or_grow(&mut self.amendments, bit / 64) |= u64::from(is_amendment) << (bit % 64);
        self.words.resize(self.words.len() + bit / 64, 0);
        self.words.push(1 << (bit % 64));
        self.intern_tail()
    }

    /// Returns the range of a set in `words`.
    fn word_range(&self, set: SourceSetId) -> Range<usize> {
        let set = set as usize;
        if set == 0 {
            0..0
        } else {
            self.ends[set - 1]..self.ends[set]
        }
    }

    /// Interns the words after the last set. Drops them if an equal set exists.
    fn intern_tail(&mut self) -> SourceSetId {
        let from = self.ends[self.ends.len() - 1];
        let mut hash = self.words[from..]
            .iter()
            .fold(0, |hash, word| mix(hash, *word));
        while let Some(set) = self.interned.get(&hash).copied() {
            if self.words[self.word_range(set)] == self.words[from..] {
                self.words.truncate(from);
                return set;
            }
            hash = hash.wrapping_add(1);
        }
        let set = self.ends.len() as SourceSetId;
        self.ends.push(self.words.len());
        self.interned.insert(hash, set);
        set
    }

    /// Returns the union of two sets.
    #[inline]
    pub fn union(&mut self, a: SourceSetId, b: SourceSetId) -> SourceSetId {
        if a == b || b == EMPTY_SET {
            return a;
        }
        if a == EMPTY_SET {
            return b;
        }
        self.cached(a.min(b), a.max(b), |sets, a, b| sets.compute_union(a, b))
    }

    /// Returns the result for two operands from the cache, or computes it.
    #[inline]
    fn cached(
        &mut self,
        a: u32,
        b: u32,
        compute: impl FnOnce(&mut SourceSets, u32, u32) -> SourceSetId,
    ) -> SourceSetId {
        let index = (a.wrapping_mul(0x9E37_79B1) ^ b) as usize % RECENT_SIZE;
        if self.recent[index].operands != [a, b] {
            let set = compute(self, a, b);
            self.recent[index] = CachedResult {
                operands: [a, b],
                set,
            };
        }
        self.recent[index].set
    }

    fn compute_union(&mut self, a: SourceSetId, b: SourceSetId) -> SourceSetId {
        let (a, b) = (self.word_range(a), self.word_range(b));
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        let from = self.words.len();
        self.words.extend_from_within(long);
        short
            .zip(from..)
            .for_each(|(word, index)| self.words[index] |= self.words[word]);
        self.intern_tail()
    }

    /// Returns the set in which a case was merely asked, or without a case all sources but amendments.
    pub fn asked(&mut self, set: SourceSetId, case: Option<usize>) -> SourceSetId {
        if set == EMPTY_SET {
            return EMPTY_SET;
        }
        // As the second operand, a number that no set has.
        let which = u32::MAX - case.map_or(0, |case| case as u32 + 1);
        self.cached(set, which, |sets, set, _| sets.compute_asked(set, case))
    }

    fn compute_asked(&mut self, set: SourceSetId, case: Option<usize>) -> SourceSetId {
        let own = case.map(|case| self.word_range(get_or_default(&self.case_sets, case)));
        let own = own.map(|own| {
            (
                own.len(),
                self.words[..own.end].last().copied().unwrap_or(0),
            )
        });
        let from = self.words.len();
        self.words.extend_from_within(self.word_range(set));
        for (index, word) in self.words[from..].iter_mut().enumerate() {
            let asked = *word
                & DECIDED
                & match own {
                    Some((length, bit)) => {
                        if index + 1 == length {
                            bit
                        } else {
                            0
                        }
                    }
                    None => !get_or_default(&self.amendments, index),
                };
            *word = *word & !asked | asked << 1;
        }
        self.intern_tail()
    }

    /// Returns all sources of a set in order of registration.
    pub fn members(&self, set: SourceSetId) -> Vec<ValueSource> {
        self.select(set, |_, word| (word | word >> 1) & DECIDED)
    }

    /// Returns the sources that decided in one set, and not in another: all, or amendments only.
    pub fn decided(
        &self,
        set: SourceSetId,
        before: SourceSetId,
        amendments: bool,
    ) -> Vec<ValueSource> {
        let before = &self.words[self.word_range(before)];
        self.select(set, |index, word| {
            let which = if amendments {
                get_or_default(&self.amendments, index)
            } else {
                DECIDED
            };
            word & which & !get_or_default(before, index)
        })
    }

    /// Returns the sources of the bits that are selected, by word.
    fn select(&self, set: SourceSetId, bits: impl Fn(usize, u64) -> u64) -> Vec<ValueSource> {
        let words = self.words[self.word_range(set)].iter().enumerate();
        let mut selected = Vec::new();
        for (index, word) in words {
            let bits = [bits(index, *word)];
            let sources = iter_bits(&bits).map(|bit| (64 * index + bit) / 2);
            selected.extend(sources.filter_map(|source| self.sources.get(source).cloned()));
        }
        selected
    }
}

/// Returns the item at an index, or the default beyond the end.
#[inline]
pub fn get_or_default<T: Copy + Default>(list: &[T], index: usize) -> T {
    list.get(index).copied().unwrap_or_default()
}

/// Returns a mutable reference to the item at an index. Grows the list if needed.
#[inline]
pub fn get_mut_or_grow<T: Copy + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}
