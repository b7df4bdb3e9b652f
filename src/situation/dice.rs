//! Streams of dice: seeded, typed in, exhaustive. A rule throws dice and does not know which.

use crate::notation::Dice;
use crate::situation::policy::Decision;
use rand::Rng;
use rand_pcg::Pcg32;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// One throw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throw {
    /// Dice added up, with their shift.
    pub total: i64,
    /// What each die showed; empty where only the total was drawn.
    pub faces: Vec<u32>,
}

/// Why a stream has no throw to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoThrow {
    /// The typed dice are used up.
    TooFew {
        /// How many were typed.
        typed: usize,
    },
    /// A typed face that the die does not have.
    NoFace {
        /// The face typed.
        face: u32,
        /// The sides of the die.
        sides: u32,
        /// Which of the typed dice, from 1.
        nth: usize,
    },
    /// More ways than can be counted exactly.
    TooMany,
}

/// Where dice come from.
pub trait Stream {
    /// Throws dice for a purpose.
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Throw, NoThrow>;

    /// Throws dice and counts those that show a face or better. The total of the throw is the count.
    fn count(&mut self, dice: &Dice, at_least: u32, purpose: &str) -> Result<Throw, NoThrow> {
        let throw = self.throw(&Dice { shift: 0, ..dice.clone() }, purpose)?;
        Ok(Throw { total: throw.faces.iter().filter(|f| **f >= at_least).count() as i64, faces: throw.faces })
    }

    /// Which option to take, where all are to be led through; none where this stream leads through nothing.
    fn decide(&mut self, _decision: &dyn Fn() -> Arc<Decision>) -> Option<usize> {
        None
    }

    /// Typed dice that nobody asked for.
    fn left_over(&self) -> usize {
        0
    }
}

/// Dice from a seed. Every purpose has a stream of its own, so that one throw more for one does not shift the luck of the rest.
/// The generator is PCG-XSH-RR 64/32; a face is drawn by rejection: the same seed gives the same dice on every machine, for ever.
#[derive(Clone, Debug)]
pub struct Seeded {
    seed: u64,
    streams: HashMap<String, Pcg32>,
}

impl Seeded {
    /// Dice from a seed.
    pub fn new(seed: u64) -> Seeded {
        Seeded { seed, streams: HashMap::new() }
    }
}

/// FNV-1a: a hash that is the same everywhere.
fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// SplitMix64's finisher: spreads seed and name over the whole state, as streams of one state would resemble each other.
fn spread(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A face from 1 to `sides`, each equally likely: numbers from the uneven end are drawn again.
fn face(generator: &mut Pcg32, sides: u32) -> u32 {
    let even = u32::MAX - u32::MAX % sides;
    loop {
        let number = generator.next_u32();
        if number < even {
            return number % sides + 1;
        }
    }
}

impl Stream for Seeded {
    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Throw, NoThrow> {
        if !self.streams.contains_key(purpose) {
            let name = name_hash(purpose);
            self.streams.insert(purpose.into(), Pcg32::new(spread(self.seed ^ spread(name)), name));
        }
        let faces: Vec<u32> = match self.streams.get_mut(purpose) {
            Some(generator) => (0..dice.count).map(|_| face(generator, dice.sides)).collect(),
            None => Vec::new(),
        };
        Ok(Throw { total: faces.iter().map(|f| i64::from(*f)).sum::<i64>() + dice.shift, faces })
    }
}

/// Dice typed in, each die singly, in the order they are thrown.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    faces: Vec<u32>,
    next: usize,
}

impl Typed {
    /// These faces.
    pub fn new(faces: Vec<u32>) -> Typed {
        Typed { faces, next: 0 }
    }
}

impl Stream for Typed {
    fn throw(&mut self, dice: &Dice, _purpose: &str) -> Result<Throw, NoThrow> {
        let end = self.next + dice.count as usize;
        let Some(faces) = self.faces.get(self.next..end) else { return Err(NoThrow::TooFew { typed: self.faces.len() }) };
        if let Some(i) = faces.iter().position(|f| *f < 1 || *f > dice.sides) {
            return Err(NoThrow::NoFace { face: faces[i], sides: dice.sides, nth: self.next + i + 1 });
        }
        self.next = end;
        Ok(Throw { total: faces.iter().map(|f| i64::from(*f)).sum::<i64>() + dice.shift, faces: faces.to_vec() })
    }

    fn left_over(&self) -> usize {
        self.faces.len() - self.next
    }
}

/// Every throw in turn, with its weight: re-run what throws until [`Exhaustive::advance`] says that all have been seen.
#[derive(Clone, Debug, Default)]
pub struct Exhaustive {
    /// The branch taken at each throw, and the ways of each branch.
    path: Vec<Fork>,
    /// How many throws of the run have been met.
    met: usize,
    /// Throws at the start whose branch is fixed: another looks after their other branches.
    fixed: Vec<usize>,
}

/// A throw or a choice: the branch taken, and how many ways lead to each.
#[derive(Clone, Debug)]
struct Fork {
    taken: usize,
    ways: Vec<(i64, u128)>,
    /// What is decided, where it is no throw: its options have no weight against each other.
    decision: Option<Arc<Decision>>,
}

/// A branch taken on a path, and the choice it was, if it was one.
pub type Turn = (usize, Option<Arc<Decision>>);

impl Exhaustive {
    /// All paths that begin with these branches.
    pub fn under(fixed: Vec<usize>) -> Exhaustive {
        Exhaustive { fixed, ..Exhaustive::default() }
    }

    /// Whether the run met no throw.
    pub fn idle(&self) -> bool {
        self.met == 0
    }

    /// How many branches the throw at a depth of the run just made has; none where it met fewer throws.
    pub fn branches(&self, depth: usize) -> Option<usize> {
        self.path[..self.met].get(depth).map(|fork| fork.ways.len())
    }

    /// The weight of the path just run: so many ways out of so many. None where they are too many to count exactly.
    pub fn weight(&self) -> Option<(u128, u128)> {
        self.path[..self.met].iter().try_fold((1u128, 1u128), |(ways, all), fork| {
            if fork.decision.is_some() {
                return Some((ways, all));
            }
            let sum = fork.ways.iter().map(|(_, w)| w).sum::<u128>();
            Some((ways.checked_mul(fork.ways[fork.taken].1)?, all.checked_mul(sum)?))
        })
    }

    /// Whether the path just run holds a choice.
    pub fn decided(&self) -> bool {
        self.path[..self.met].iter().any(|fork| fork.decision.is_some())
    }

    /// The path just run up to its last choice; empty where nothing was chosen.
    pub fn turns(&self) -> Vec<Turn> {
        let met = &self.path[..self.met];
        let last = met.iter().rposition(|fork| fork.decision.is_some()).map_or(0, |last| last + 1);
        met[..last].iter().map(|fork| (fork.taken, fork.decision.clone())).collect()
    }

    /// Turns to the next path; false when there is none.
    pub fn advance(&mut self) -> bool {
        self.path.truncate(self.met);
        self.met = 0;
        while self.path.len() > self.fixed.len() {
            let Some(fork) = self.path.last_mut() else { break };
            if fork.taken + 1 < fork.ways.len() {
                fork.taken += 1;
                return true;
            }
            self.path.pop();
        }
        false
    }

    /// The branch this run takes; the ways are counted when the throw is met for the first time.
    pub fn branch(&mut self, ways: impl FnOnce() -> Option<Vec<(i64, u128)>>) -> Result<i64, NoThrow> {
        if self.met == self.path.len() {
            let taken = self.fixed.get(self.met).copied().unwrap_or(0);
            self.path.push(Fork { taken, ways: ways().ok_or(NoThrow::TooMany)?, decision: None });
        }
        let fork = &self.path[self.met];
        self.met += 1;
        fork.ways.get(fork.taken).map(|(value, _)| *value).ok_or(NoThrow::TooMany)
    }
}

impl Stream for Exhaustive {
    fn decide(&mut self, decision: &dyn Fn() -> Arc<Decision>) -> Option<usize> {
        if self.met == self.path.len() {
            let (taken, decision) = (self.fixed.get(self.met).copied().unwrap_or(0), decision());
            let ways = (0..).zip(&decision.options).map(|(i, _)| (i, 1)).collect();
            self.path.push(Fork { taken, ways, decision: Some(decision) });
        }
        self.met += 1;
        self.path.get(self.met - 1).map(|fork| fork.taken)
    }

    fn throw(&mut self, dice: &Dice, _purpose: &str) -> Result<Throw, NoThrow> {
        Ok(Throw { total: self.branch(|| dice.totals())?, faces: Vec::new() })
    }

    fn count(&mut self, dice: &Dice, at_least: u32, _purpose: &str) -> Result<Throw, NoThrow> {
        Ok(Throw { total: self.branch(|| dice.counts(at_least))?, faces: Vec::new() })
    }
}

/// A stream held by two: by the run that throws, and by whoever leads it through all paths.
#[derive(Clone, Debug, Default)]
pub struct Shared(pub Rc<RefCell<Exhaustive>>);

impl Stream for Shared {
    fn decide(&mut self, decision: &dyn Fn() -> Arc<Decision>) -> Option<usize> {
        self.0.borrow_mut().decide(decision)
    }

    fn throw(&mut self, dice: &Dice, purpose: &str) -> Result<Throw, NoThrow> {
        self.0.borrow_mut().throw(dice, purpose)
    }

    fn count(&mut self, dice: &Dice, at_least: u32, purpose: &str) -> Result<Throw, NoThrow> {
        self.0.borrow_mut().count(dice, at_least, purpose)
    }
}
