//! Where values come from, while somebody reads the ruling: every register and every figure carries the cases and cells that decided it.
//!
//! A set of sources is a number, and equal sets have one: most values come from where others came from.

use crate::code::unit::Operand;
use crate::data::table::Table;
use crate::situation::bytes::mixed;
use crate::situation::columns::bits;
use crate::situation::figures::{Figure, Noted};
use crate::situation::trace::Source;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A set of sources; 0 is the empty one.
pub type Set = u32;

/// Nobody decided this.
pub const NOBODY: Set = 0;

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
        Sources { all, cases, cells: FxHashMap::default(), words, ends, known: FxHashMap::default(), joined }
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

    fn one(&mut self, source: Source) -> Set {
        let bit = self.all.len();
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
        bits(&self.words[self.place(set)]).map(|number| self.all[number].clone()).collect()
    }
}

/// No register.
pub const NOWHERE: usize = usize::MAX;

/// What an operation gives, while it is carried out.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// What it was given came from here; what it reads is added.
    pub set: Set,
    /// The registers that it sets, among those of all functions.
    pub to: [usize; 2],
}

impl Default for Pending {
    fn default() -> Pending {
        Pending { set: NOBODY, to: [NOWHERE; 2] }
    }
}

/// A function under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    /// What led into it, the case it stands in among it.
    pub into: Set,
    /// What led to where it stands.
    pub here: Set,
    /// Its first register, among those of all functions.
    pub base: usize,
    /// How many partings were open when it began.
    pub parted: usize,
    /// The operation before.
    pub pending: Pending,
}

/// Ways have parted, and have not met again.
#[derive(Clone, Copy, Debug)]
pub struct Parted {
    /// Which join of the function it is.
    pub join: usize,
    /// The operation where they meet.
    pub at: u32,
    /// What decided.
    pub set: Set,
}

/// What everything came from.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Sources and sets.
    pub sources: Sources,
    /// By register, among those of all functions.
    pub registers: Vec<Set>,
    /// By function under way, the innermost last.
    pub ways: Vec<Way>,
    /// Where ways have parted, function by function.
    pub parted: Vec<Parted>,
    /// Where they have parted just now: the join, and what decided.
    pub parts: Option<(usize, Set)>,
    /// Whether the operation before has left something to be settled, even where nothing was read since.
    pub waits: bool,
    /// By figure, where one was written.
    figures: FxHashMap<Figure, Set>,
    /// By column, for all figures of it that were written.
    written: Vec<Set>,
    /// By column, where some figure of it might have been written.
    columns: Vec<Set>,
    /// What was required so far, and held.
    pub required: Set,
    /// The outcomes named so far.
    pub outcomes: Set,
    /// How many events were looked at.
    pub seen: usize,
}

/// The set at a place; nobody where none was ever put there.
#[inline]
fn at(sets: &[Set], place: usize) -> Set {
    sets.get(place).copied().unwrap_or(NOBODY)
}

/// The same, to be set.
#[inline]
fn at_mut(sets: &mut Vec<Set>, place: usize) -> &mut Set {
    if sets.len() <= place {
        sets.resize(place + 1, NOBODY);
    }
    &mut sets[place]
}

impl Followed {
    /// Adds to a set.
    #[inline]
    pub fn add(&mut self, set: &mut Set, more: Set) {
        *set = self.sources.join(*set, more);
    }

    /// Writes down where the value of a register came from.
    #[inline]
    pub fn put(&mut self, register: usize, set: Set) {
        *at_mut(&mut self.registers, register) = set;
    }

    /// Where the value of a register came from.
    #[inline]
    pub fn get(&self, register: usize) -> Set {
        at(&self.registers, register)
    }

    /// Adds where the value of an operand came from to a set, in a function whose registers begin at `base`.
    #[inline]
    pub fn with(&mut self, set: Set, base: usize, operand: Operand) -> Set {
        match operand.register() {
            Some(register) => self.sources.join(set, self.get(base + register as usize)),
            None => set,
        }
    }

    /// The operation before has been carried out: what it gives comes from what it was given, and from this.
    pub fn give(&mut self, more: Set) {
        self.waits = false;
        let Some(way) = self.ways.last_mut() else { return };
        let Pending { mut set, to } = std::mem::take(&mut way.pending);
        self.add(&mut set, more);
        for register in to {
            if register != NOWHERE {
                self.put(register, set);
            }
        }
    }

    /// What figures were read adds to a set; those written then have it.
    pub fn noted(&mut self, noted: &[Noted], set: &mut Set) {
        let mut wrote = false;
        for note in noted {
            let (figure, alone) = match note {
                Noted::Read(figure) => (figure, true),
                Noted::Column(first) => (first, false),
                Noted::Wrote(_) => {
                    wrote = true;
                    continue;
                }
            };
            let slot = figure.slot();
            self.add(set, at(&self.columns, slot));
            // Most columns are never written in a ruling.
            let written = at(&self.written, slot);
            if written != NOBODY {
                let more = if alone { self.figures.get(figure).copied().unwrap_or(NOBODY) } else { written };
                self.add(set, more);
            }
        }
        if !wrote {
            return;
        }
        for note in noted {
            if let Noted::Wrote(figure) = note {
                self.figures.insert(*figure, *set);
                let all = at_mut(&mut self.written, figure.slot());
                *all = self.sources.join(*all, *set);
            }
        }
    }

    /// Some columns might have been written, had something come out otherwise.
    pub fn spared(&mut self, columns: &[usize], set: Set) {
        for slot in columns {
            let known = at_mut(&mut self.columns, *slot);
            *known = self.sources.join(*known, set);
        }
    }

    /// Ways part: what follows depends on this, until they meet again at an operation.
    pub fn part(&mut self, join: usize, at: u32, set: Set) {
        let Some(way) = self.ways.last_mut() else { return };
        match self.parted[way.parted..].iter_mut().find(|known| known.join == join) {
            Some(known) => known.set = self.sources.join(known.set, set),
            None => self.parted.push(Parted { join, at, set }),
        }
        way.here = self.sources.join(way.here, set);
        self.parts = Some((join, set));
    }

    /// A function begins, whose registers begin at `base`, and what led into it.
    pub fn enter(&mut self, base: usize, into: Set) {
        self.ways.push(Way { into, here: into, base, parted: self.parted.len(), pending: Pending::default() });
    }

    /// Functions end, until so many are under way.
    pub fn leave(&mut self, frames: usize) {
        if let Some(way) = self.ways.get(frames) {
            // Whoever has its registers next is not to find in them what they came from before.
            self.registers.truncate(way.base);
            self.parted.truncate(way.parted);
            self.ways.truncate(frames);
        }
    }

    /// What led to where the innermost function stands.
    pub fn here(&self) -> Set {
        self.ways.last().map_or(NOBODY, |way| way.here)
    }
}
