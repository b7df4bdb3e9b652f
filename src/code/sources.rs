//! The cases and cells that values come from, while somebody reads the ruling.
//!
//! A set of sources is a number, and equal sets have one: most values come from where others came from. Within a function whose answer
//! will be remembered, an argument stands for whatever the argument comes from.

use crate::data::table::Table;
use crate::situation::bytes::mixed;
use crate::situation::columns::bits;
use crate::situation::trace::Source;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A set of sources; 0 is the empty one.
pub type Set = u32;

/// Nobody decided this.
pub const NOBODY: Set = 0;

/// Arguments that can stand for what they come from, at most: each has a bit before those of all sources.
pub const ARGS: usize = 8;

/// How many of the last joins are known; the same are asked again and again.
const JOINED: usize = 1 << 10;

/// All sources met so far, and the sets of them.
#[derive(Clone, Debug)]
pub struct Sources {
    /// In the order in which they were first asked.
    all: Vec<Source>,
    /// The set of each alone: of cases by their numbers, of cells by what tells them apart.
    cases: Vec<Set>,
    cells: FxHashMap<(usize, usize), Set>,
    /// The set of each argument alone.
    args: [Set; ARGS],
    /// By set, a fingerprint of its sources, as far as they were asked for; 0 where it was not.
    prints: Vec<u64>,
    /// The sets as bits, one after the other, and where each ends; the last word of a set is not empty.
    words: Vec<u64>,
    ends: Vec<usize>,
    /// By a fingerprint of the bits, or where that is taken the next that is not.
    known: FxHashMap<u64, Set>,
    /// Two sets and that of the sources of both, by a fingerprint of the two.
    joined: Box<[(Set, Set, Set)]>,
}

impl Default for Sources {
    fn default() -> Sources {
        let (all, cases, words, ends) = (Vec::new(), Vec::new(), Vec::new(), vec![0]);
        let joined = vec![(NOBODY, NOBODY, NOBODY); JOINED].into();
        let (cells, known) = (FxHashMap::default(), FxHashMap::default());
        Sources { all, cases, cells, args: [NOBODY; ARGS], prints: Vec::new(), words, ends, known, joined }
    }
}

impl Sources {
    /// The set of a case alone.
    pub fn case(&mut self, case: usize) -> Set {
        let known = at(&self.cases, case);
        if known != NOBODY {
            return known;
        }
        let set = self.one(Source::Case(case));
        *at_mut(&mut self.cases, case) = set;
        set
    }

    /// The set of a cell alone.
    pub fn cell(&mut self, table: &Arc<Table>, index: usize) -> Set {
        let number = (Arc::as_ptr(table) as usize, index);
        if let Some(set) = self.cells.get(&number) {
            return *set;
        }
        let set = self.one(Source::Cell(table.clone(), index));
        self.cells.insert(number, set);
        set
    }

    /// The set of a source alone.
    pub fn of(&mut self, source: &Source) -> Set {
        match source {
            Source::Case(case) => self.case(*case),
            Source::Cell(table, index) => self.cell(table, *index),
        }
    }

    /// The set of an argument alone, by its number.
    pub fn arg(&mut self, number: usize) -> Set {
        if self.args[number] == NOBODY {
            self.words.push(1 << number);
            self.args[number] = self.set();
        }
        self.args[number]
    }

    /// The set that has the sources of a set of others. Which bits here are whose there is known from then on, if it was not.
    pub fn copy(&mut self, others: &Sources, set: Set, known: &mut Vec<u32>) -> Set {
        let theirs = || bits(&others.words[others.place(set)]).filter_map(|bit| bit.checked_sub(ARGS));
        for source in theirs() {
            if at(known, source) == 0 {
                let own = self.of(&others.all[source]);
                *at_mut(known, source) = bits(&self.words[self.place(own)]).next().unwrap_or(0) as u32;
            }
        }
        let from = self.words.len();
        self.words.resize(from + (ARGS + self.all.len()).div_ceil(64), 0);
        for source in theirs() {
            let bit = known[source] as usize;
            self.words[from + bit / 64] |= 1 << (bit % 64);
        }
        self.trimmed(from)
    }

    /// How many sets there are.
    pub fn count(&self) -> usize {
        self.ends.len() - 1
    }

    fn one(&mut self, source: Source) -> Set {
        let bit = ARGS + self.all.len();
        self.all.push(source);
        self.words.resize(self.words.len() + bit / 64, 0);
        self.words.push(1 << (bit % 64));
        self.set()
    }

    /// The words of a set.
    fn place(&self, set: Set) -> Range<usize> {
        let set = set as usize;
        if set == 0 { 0..0 } else { self.ends[set - 1]..self.ends[set] }
    }

    /// The set whose words stand at the end, beyond those of all others; where it is known they are let go.
    fn set(&mut self) -> Set {
        let from = self.ends[self.ends.len() - 1];
        let mut print = self.words[from..].iter().fold(0, |print, word| mixed(print, *word));
        while let Some(set) = self.known.get(&print).copied() {
            if self.words[self.place(set)] == self.words[from..] {
                self.words.truncate(from);
                return set;
            }
            print = print.wrapping_add(1);
        }
        let set = self.ends.len() as Set;
        self.ends.push(self.words.len());
        self.known.insert(print, set);
        set
    }

    /// The sources of two sets.
    #[inline]
    pub fn join(&mut self, a: Set, b: Set) -> Set {
        if a == b || b == NOBODY {
            return a;
        }
        if a == NOBODY {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        let place = (a.wrapping_mul(0x9E37_79B1) ^ b) as usize % JOINED;
        match self.joined[place] {
            (known, other, set) if (known, other) == (a, b) => set,
            _ => {
                let set = self.united(a, b);
                self.joined[place] = (a, b, set);
                set
            }
        }
    }

    fn united(&mut self, a: Set, b: Set) -> Set {
        let (a, b) = (self.place(a), self.place(b));
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        let from = self.words.len();
        self.words.extend_from_within(long);
        short.zip(from..).for_each(|(word, place)| self.words[place] |= self.words[word]);
        self.set()
    }

    /// The sources of a set, in the order in which they were first asked.
    pub fn list(&self, set: Set) -> Vec<Source> {
        let count: u32 = self.words[self.place(set)].iter().map(|word| word.count_ones()).sum();
        let mut list = Vec::with_capacity(count as usize);
        list.extend(self.sources(set).cloned());
        list
    }

    fn sources(&self, set: Set) -> impl Iterator<Item = &Source> {
        bits(&self.words[self.place(set)]).filter_map(|bit| self.all.get(bit.checked_sub(ARGS)?))
    }

    /// The arguments in a set, as bits.
    pub fn args(&self, set: Set) -> u64 {
        let first = self.words[self.place(set)].first().copied().unwrap_or(0);
        first & ((1 << ARGS) - 1)
    }

    /// A set without its arguments.
    pub fn without_args(&mut self, set: Set) -> Set {
        if self.args(set) == 0 {
            return set;
        }
        let from = self.words.len();
        self.words.extend_from_within(self.place(set));
        self.words[from] &= !((1 << ARGS) - 1);
        self.trimmed(from)
    }

    /// The set whose words stand from a place on, without the empty ones at the end.
    fn trimmed(&mut self, from: usize) -> Set {
        while self.words.len() > from && self.words.last() == Some(&0) {
            self.words.pop();
        }
        if self.words.len() == from { NOBODY } else { self.set() }
    }

    /// A fingerprint of the sources of a set, the same in every ruling.
    pub fn print(&mut self, set: Set) -> u64 {
        let known = at(&self.prints, set as usize);
        if known != 0 || set == NOBODY {
            return known;
        }
        let one = |source: &Source| mixed(source.number().0 as u64, source.number().1 as u64);
        let print = self.sources(set).fold(0u64, |sum, source| sum.wrapping_add(one(source))).max(1);
        *at_mut(&mut self.prints, set as usize) = print;
        print
    }
}

/// What stands at a place; nothing where it was never set.
#[inline]
pub fn at<T: Copy + Default>(list: &[T], place: usize) -> T {
    list.get(place).copied().unwrap_or_default()
}

/// The same, to be set.
#[inline]
pub fn at_mut<T: Copy + Default>(list: &mut Vec<T>, place: usize) -> &mut T {
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}
