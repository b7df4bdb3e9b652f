//! What everything came from, while somebody reads the ruling: every register and every figure carries the cases and cells that decided it.

mod origin;

pub use origin::{Archive, Origin};

use crate::code::sources::{NOBODY, Set, Sources, at, at_mut};
use crate::code::unit::Operand;
use crate::data::table::Table;
use crate::situation::bytes::mixed;
use crate::situation::columns::Columns;
use crate::situation::figures::{Figure, Noted};
use origin::{Asked, Copies};
use rustc_hash::FxHashMap;
use std::sync::Arc;

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
    /// Functions under way whose answers will be remembered, the innermost last.
    asked: Vec<Asked>,
    /// The sources met since the first of them began, each alone.
    met: Vec<Set>,
    /// By set, the number of the origin in which it was met last.
    last_met: Vec<u64>,
    /// Of the one that is just answering: what its answer came from, what was required, and how many sources were met before.
    answer: Option<(Set, Set, usize)>,
    /// Which sets of an archive have the sources of which of these.
    copies: Copies,
    /// By column, the fingerprints of all its figures with their sets, added up.
    stamps: Vec<u64>,
    /// The columns of which figures were or might have been written.
    marked: Columns,
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
                let slot = figure.slot();
                let before = self.figures.insert(*figure, *set);
                let mut stamp = |set: Set| mixed(figure.number() as u64, self.sources.print(set));
                let (new, old) = (stamp(*set), before.map_or(0, &mut stamp));
                let sum = at_mut(&mut self.stamps, slot);
                *sum = sum.wrapping_add(new).wrapping_sub(old);
                let all = at_mut(&mut self.written, slot);
                *all = self.sources.join(*all, *set);
                self.marked.add(slot);
            }
        }
    }

    /// Some columns might have been written, had something come out otherwise.
    pub fn spared(&mut self, columns: &[usize], set: Set) {
        for slot in columns {
            let known = at_mut(&mut self.columns, *slot);
            *known = self.sources.join(*known, set);
            self.marked.add(*slot);
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

    /// The set of a case that has a part in what comes.
    pub fn case(&mut self, case: usize) -> Set {
        let set = self.sources.case(case);
        self.meets(set)
    }

    /// The set of a cell that was read.
    pub fn cell(&mut self, table: &Arc<Table>, index: usize) -> Set {
        let set = self.sources.cell(table, index);
        self.meets(set)
    }

    fn meets(&mut self, source: Set) -> Set {
        if !self.asked.is_empty() {
            self.met.push(source);
        }
        source
    }
}
