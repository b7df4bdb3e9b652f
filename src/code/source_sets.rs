//! The cases and cells that values come from, while somebody reads the ruling.
//!
//! A set of sources is a number, and equal sets have one: most values come from where others came from. Within a function whose answer
//! will be remembered, an argument stands for whatever the argument comes from.

use crate::data::table::Table;
use crate::situation::column_set::iter_bits;
use crate::situation::fingerprint::mix;
use crate::situation::trace::ValueSource;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A set of sources; 0 is the empty one.
pub type SourceSetId = u32;

/// Nobody decided this.
pub const EMPTY_SET: SourceSetId = 0;

/// Arguments that can stand for what they come from, at most: each has a bit before those of all sources.
pub const MAX_ARGS: usize = 8;

/// How many of the last joins are known; the same are asked again and again.
const UNION_CACHE_SIZE: usize = 1 << 10;

/// All sources met so far, and the sets of them.
#[derive(Clone, Debug)]
pub struct SourceSets {
    /// In the order in which they were first asked.
    sources: Vec<ValueSource>,
    /// The set of each alone: of cases by their numbers, of cells by what tells them apart.
    case_sets: Vec<SourceSetId>,
    cell_sets: FxHashMap<(usize, usize), SourceSetId>,
    /// The set of each argument alone.
    arg_sets: [SourceSetId; MAX_ARGS],
    /// By set, a fingerprint of its sources, as far as they were asked for; 0 where it was not.
    fingerprints: Vec<u64>,
    /// The sets as bits, one after the other, and where each ends; the last word of a set is not empty.
    words: Vec<u64>,
    ends: Vec<usize>,
    /// By a fingerprint of the bits, or where that is taken the next that is not.
    interned: FxHashMap<u64, SourceSetId>,
    /// Two sets and that of the sources of both, by a fingerprint of the two.
    union_cache: Box<[(SourceSetId, SourceSetId, SourceSetId)]>,
}

impl Default for SourceSets {
    fn default() -> SourceSets {
        let (all, cases, words, ends) = (Vec::new(), Vec::new(), Vec::new(), vec![0]);
        let joined = vec![(EMPTY_SET, EMPTY_SET, EMPTY_SET); UNION_CACHE_SIZE].into();
        let (cells, known) = (FxHashMap::default(), FxHashMap::default());
        SourceSets {
            sources: all,
            case_sets: cases,
            cell_sets: cells,
            arg_sets: [EMPTY_SET; MAX_ARGS],
            fingerprints: Vec::new(),
            words,
            ends,
            interned: known,
            union_cache: joined,
        }
    }
}

impl SourceSets {
    /// The set of a case alone.
    pub fn case_set(&mut self, case: usize) -> SourceSetId {
        let known = get_or_default(&self.case_sets, case);
        if known != EMPTY_SET {
            return known;
        }
        let set = self.add_singleton(ValueSource::Case(case));
        *get_mut_or_grow(&mut self.case_sets, case) = set;
        set
    }

    /// The set of a cell alone.
    pub fn cell_set(&mut self, table: &Arc<Table>, index: usize) -> SourceSetId {
        let number = (Arc::as_ptr(table) as usize, index);
        if let Some(set) = self.cell_sets.get(&number) {
            return *set;
        }
        let set = self.add_singleton(ValueSource::Cell(table.clone(), index));
        self.cell_sets.insert(number, set);
        set
    }

    /// The set of a source alone.
    pub fn source_set(&mut self, source: &ValueSource) -> SourceSetId {
        match source {
            ValueSource::Case(case) => self.case_set(*case),
            ValueSource::Cell(table, index) => self.cell_set(table, *index),
        }
    }

    /// The set of an argument alone, by its number.
    pub fn arg_set(&mut self, number: usize) -> SourceSetId {
        if self.arg_sets[number] == EMPTY_SET {
            self.words.push(1 << number);
            self.arg_sets[number] = self.intern_tail();
        }
        self.arg_sets[number]
    }

    /// The set that has the sources of a set of others. Which bits here are whose there is known from then on, if it was not.
    pub fn import(&mut self, others: &SourceSets, set: SourceSetId, known: &mut Vec<u32>) -> SourceSetId {
        let theirs = || iter_bits(&others.words[others.word_range(set)]).filter_map(|bit| bit.checked_sub(MAX_ARGS));
        for source in theirs() {
            if get_or_default(known, source) == 0 {
                let own = self.source_set(&others.sources[source]);
                *get_mut_or_grow(known, source) = iter_bits(&self.words[self.word_range(own)]).next().unwrap_or(0) as u32;
            }
        }
        let from = self.words.len();
        self.words.resize(from + (MAX_ARGS + self.sources.len()).div_ceil(64), 0);
        for source in theirs() {
            let bit = known[source] as usize;
            self.words[from + bit / 64] |= 1 << (bit % 64);
        }
        self.intern_trimmed(from)
    }

    /// How many sets there are.
    pub fn set_count(&self) -> usize {
        self.ends.len() - 1
    }

    fn add_singleton(&mut self, source: ValueSource) -> SourceSetId {
        let bit = MAX_ARGS + self.sources.len();
        self.sources.push(source);
        self.words.resize(self.words.len() + bit / 64, 0);
        self.words.push(1 << (bit % 64));
        self.intern_tail()
    }

    /// The words of a set.
    fn word_range(&self, set: SourceSetId) -> Range<usize> {
        let set = set as usize;
        if set == 0 { 0..0 } else { self.ends[set - 1]..self.ends[set] }
    }

    /// The set whose words stand at the end, beyond those of all others; where it is known they are let go.
    fn intern_tail(&mut self) -> SourceSetId {
        let from = self.ends[self.ends.len() - 1];
        let mut print = self.words[from..].iter().fold(0, |print, word| mix(print, *word));
        while let Some(set) = self.interned.get(&print).copied() {
            if self.words[self.word_range(set)] == self.words[from..] {
                self.words.truncate(from);
                return set;
            }
            print = print.wrapping_add(1);
        }
        let set = self.ends.len() as SourceSetId;
        self.ends.push(self.words.len());
        self.interned.insert(print, set);
        set
    }

    /// The sources of two sets.
    #[inline]
    pub fn union(&mut self, a: SourceSetId, b: SourceSetId) -> SourceSetId {
        if a == b || b == EMPTY_SET {
            return a;
        }
        if a == EMPTY_SET {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        let place = (a.wrapping_mul(0x9E37_79B1) ^ b) as usize % UNION_CACHE_SIZE;
        match self.union_cache[place] {
            (known, other, set) if (known, other) == (a, b) => set,
            _ => {
                let set = self.compute_union(a, b);
                self.union_cache[place] = (a, b, set);
                set
            }
        }
    }

    fn compute_union(&mut self, a: SourceSetId, b: SourceSetId) -> SourceSetId {
        let (a, b) = (self.word_range(a), self.word_range(b));
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        let from = self.words.len();
        self.words.extend_from_within(long);
        short.zip(from..).for_each(|(word, place)| self.words[place] |= self.words[word]);
        self.intern_tail()
    }

    /// The sources of a set, in the order in which they were first asked.
    pub fn members(&self, set: SourceSetId) -> Vec<ValueSource> {
        let count: u32 = self.words[self.word_range(set)].iter().map(|word| word.count_ones()).sum();
        let mut list = Vec::with_capacity(count as usize);
        list.extend(self.iter_members(set).cloned());
        list
    }

    fn iter_members(&self, set: SourceSetId) -> impl Iterator<Item = &ValueSource> {
        iter_bits(&self.words[self.word_range(set)]).filter_map(|bit| self.sources.get(bit.checked_sub(MAX_ARGS)?))
    }

    /// The arguments in a set, as bits.
    pub fn arg_bits(&self, set: SourceSetId) -> u64 {
        let first = self.words[self.word_range(set)].first().copied().unwrap_or(0);
        first & ((1 << MAX_ARGS) - 1)
    }

    /// A set without its arguments.
    pub fn without_args(&mut self, set: SourceSetId) -> SourceSetId {
        if self.arg_bits(set) == 0 {
            return set;
        }
        let from = self.words.len();
        self.words.extend_from_within(self.word_range(set));
        self.words[from] &= !((1 << MAX_ARGS) - 1);
        self.intern_trimmed(from)
    }

    /// The set whose words stand from a place on, without the empty ones at the end.
    fn intern_trimmed(&mut self, from: usize) -> SourceSetId {
        while self.words.len() > from && self.words.last() == Some(&0) {
            self.words.pop();
        }
        if self.words.len() == from { EMPTY_SET } else { self.intern_tail() }
    }

    /// A fingerprint of the sources of a set, the same in every ruling.
    pub fn fingerprint(&mut self, set: SourceSetId) -> u64 {
        let known = get_or_default(&self.fingerprints, set as usize);
        if known != 0 || set == EMPTY_SET {
            return known;
        }
        let one = |source: &ValueSource| mix(source.id().0 as u64, source.id().1 as u64);
        let print = self.iter_members(set).fold(0u64, |sum, source| sum.wrapping_add(one(source))).max(1);
        *get_mut_or_grow(&mut self.fingerprints, set as usize) = print;
        print
    }
}

/// What stands at a place; nothing where it was never set.
#[inline]
pub fn get_or_default<T: Copy + Default>(list: &[T], place: usize) -> T {
    list.get(place).copied().unwrap_or_default()
}

/// The same, to be set.
#[inline]
pub fn get_mut_or_grow<T: Copy + Default>(list: &mut Vec<T>, place: usize) -> &mut T {
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}
