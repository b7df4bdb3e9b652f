//! Where values come from, while somebody reads the ruling: every register and every figure carries the cases and cells that decided it.
//!
//! A set of sources is a number, and two are joined once: most values come from where others came from.

use crate::situation::figures::{Figure, Noted};
use crate::situation::trace::Source;
use rustc_hash::FxHashMap;

/// A set of sources; 0 is the empty one.
pub type Set = u32;

/// Nobody decided this.
pub const NOBODY: Set = 0;

/// All sources met so far, and the sets of them.
#[derive(Clone, Debug)]
pub struct Sources {
    /// In the order in which they were first asked.
    all: Vec<Source>,
    numbers: FxHashMap<(usize, usize), u32>,
    sets: Vec<Box<[u32]>>,
    known: FxHashMap<Box<[u32]>, Set>,
    joined: FxHashMap<(Set, Set), Set>,
}

impl Default for Sources {
    fn default() -> Sources {
        let none: Box<[u32]> = Box::default();
        let known = [(none.clone(), NOBODY)].into_iter().collect();
        Sources { all: Vec::new(), numbers: FxHashMap::default(), sets: vec![none], known, joined: FxHashMap::default() }
    }
}

impl Sources {
    /// The set of one source.
    pub fn one(&mut self, source: Source) -> Set {
        let all = &mut self.all;
        let number = *self.numbers.entry(source.number()).or_insert_with(|| {
            all.push(source);
            all.len() as u32 - 1
        });
        self.set([number].into())
    }

    fn set(&mut self, numbers: Box<[u32]>) -> Set {
        if let Some(set) = self.known.get(&numbers) {
            return *set;
        }
        let set = self.sets.len() as Set;
        self.sets.push(numbers.clone());
        self.known.insert(numbers, set);
        set
    }

    /// The sources of two sets.
    pub fn join(&mut self, a: Set, b: Set) -> Set {
        if a == b || b == NOBODY {
            return a;
        }
        if a == NOBODY {
            return b;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(set) = self.joined.get(&pair) {
            return *set;
        }
        let mut numbers: Vec<u32> = self.sets[a as usize].iter().chain(&self.sets[b as usize]).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let set = self.set(numbers.into());
        self.joined.insert(pair, set);
        set
    }

    /// The sources of a set, in the order in which they were first asked.
    pub fn list(&self, set: Set) -> Vec<Source> {
        self.sets[set as usize].iter().map(|number| self.all[*number as usize].clone()).collect()
    }
}

/// What an operation gives, while it is carried out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pending {
    /// What it was given came from here; what it reads is added.
    pub set: Set,
    /// The registers that it sets, among those of all functions.
    pub to: [Option<usize>; 2],
}

/// A function under way.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Where its registers begin.
    pub base: usize,
    /// What led into it, the case it stands in among it.
    pub into: Set,
    /// Where ways parted that have not met again, where they will, and what decided there.
    pub parted: Vec<(u32, u32, Set)>,
    /// What led to where it stands.
    pub here: Set,
    /// The operation before.
    pub pending: Pending,
    /// Where ways have parted just now.
    pub parts: Option<(u32, Set)>,
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
    /// By figure, where one was written.
    figures: FxHashMap<Figure, Set>,
    /// By column, for all figures of it that were written.
    written: FxHashMap<usize, Set>,
    /// By column, where some figure of it might have been written.
    columns: FxHashMap<usize, Set>,
    /// What was required so far, and held.
    pub required: Set,
    /// The outcomes named so far.
    pub outcomes: Set,
    /// How many events were looked at.
    pub seen: usize,
}

impl Followed {
    /// Adds to a set.
    pub fn add(&mut self, set: &mut Set, more: Set) {
        *set = self.sources.join(*set, more);
    }

    /// Writes down where the value of a register came from.
    pub fn put(&mut self, register: usize, set: Set) {
        if self.registers.len() <= register {
            self.registers.resize(register + 1, NOBODY);
        }
        self.registers[register] = set;
    }

    /// Where the value of a register came from.
    pub fn get(&self, register: usize) -> Set {
        self.registers.get(register).copied().unwrap_or(NOBODY)
    }

    /// What figures were read adds to a set; those written then have it.
    pub fn noted(&mut self, noted: &[Noted], set: &mut Set) {
        for note in noted {
            match note {
                Noted::Read(figure) => {
                    let more = self.figures.get(figure).copied().unwrap_or(NOBODY);
                    self.add(set, more);
                    self.add(set, self.columns.get(&figure.slot()).copied().unwrap_or(NOBODY));
                }
                Noted::Column(first) => {
                    self.add(set, self.columns.get(&first.slot()).copied().unwrap_or(NOBODY));
                    self.add(set, self.written.get(&first.slot()).copied().unwrap_or(NOBODY));
                }
                Noted::Wrote(_) => {}
            }
        }
        for note in noted {
            if let Noted::Wrote(figure) = note {
                self.figures.insert(*figure, *set);
                let all = self.written.entry(figure.slot()).or_insert(NOBODY);
                *all = self.sources.join(*all, *set);
            }
        }
    }

    /// Some columns might have been written, had something come out otherwise.
    pub fn spared(&mut self, columns: &[usize], set: Set) {
        for slot in columns {
            let known = self.columns.entry(*slot).or_insert(NOBODY);
            *known = self.sources.join(*known, set);
        }
    }

    /// Ways part at an operation: what follows depends on this, until they meet again at another.
    pub fn part(&mut self, place: u32, at: u32, set: Set) {
        let Some(way) = self.ways.last_mut() else { return };
        match way.parted.iter_mut().find(|(known, ..)| *known == place) {
            Some((.., known)) => *known = self.sources.join(*known, set),
            None => way.parted.push((place, at, set)),
        }
        way.here = self.sources.join(way.here, set);
        way.parts = Some((place, set));
    }

    /// What led to where the innermost function stands.
    pub fn here(&self) -> Set {
        self.ways.last().map_or(NOBODY, |way| way.here)
    }
}
