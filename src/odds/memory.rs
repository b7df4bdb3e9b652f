//! Futures that are known: what comes of a state, found again by what it looks at.
//!
//! A place is known by where its functions stand and the registers they still need; from there, futures by the figures that they look at.

use crate::data::once::held;
use crate::odds::graph::Node;
use crate::situation::board::Board;
use crate::situation::changed;
use crate::situation::figures::{Bits, Layout};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};

/// A future that is known: what it looks at, and what it is.
pub type Known = (Arc<Bits>, Arc<Node>);

/// Futures from one place: for each set of figures that is looked at, by the fingerprint of what has changed of them.
type Futures = Vec<(Arc<Bits>, FxHashMap<u128, Arc<Node>>)>;

/// What has changed on a board: bits, with the squares of fingerprints. Most of it has changed on every board: what is as it was where a
/// run came to its end first is left out, as soon as one has.
pub struct Prints {
    squares: Vec<(usize, u128)>,
    whole: bool,
}

/// The futures known so far, shared by threads. Dealt out to several locks, so that they seldom wait for each other.
pub struct Memory {
    parts: Vec<Mutex<Part>>,
    layout: Layout,
    /// What had changed where a run came to its end first, and the squares of that.
    first: OnceLock<(changed::Prints, Prints)>,
    /// States gone through.
    pub states: AtomicU64,
    /// How many states may be gone through.
    pub most: u64,
}

/// A part of what is known.
#[derive(Default)]
struct Part {
    futures: FxHashMap<u128, Futures>,
    /// The states that somebody is going through, by the fingerprint of all of each.
    under_way: FxHashSet<u128>,
}

const PARTS: usize = 64;

impl Memory {
    /// Nothing known yet.
    pub fn new(layout: Layout, most: u64) -> Memory {
        let parts = (0..PARTS).map(|_| Mutex::default()).collect();
        Memory { parts, layout, first: OnceLock::new(), states: AtomicU64::new(0), most }
    }

    /// How figures are numbered.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn part(&self, key: u128) -> &Mutex<Part> {
        &self.parts[(key >> 64) as usize % PARTS]
    }

    /// A run has come to its end with this board.
    pub fn ended(&self, board: &mut Board) {
        self.first.get_or_init(|| (board.prints(), self.apart(&changed::Prints::default(), true, board)));
    }

    /// What has changed on a board.
    pub fn prints(&self, board: &mut Board) -> Prints {
        match self.first.get() {
            Some((first, _)) => self.apart(first, false, board),
            None => self.apart(&changed::Prints::default(), true, board),
        }
    }

    fn apart(&self, there: &changed::Prints, whole: bool, board: &mut Board) -> Prints {
        let square = |print: Option<u64>| print.map_or(0, |print| u128::from(print) * u128::from(print));
        let mut squares = Vec::new();
        board.apart(there, |figure, was, is| squares.push((self.layout.bit(figure).0, square(is).wrapping_sub(square(was)))));
        Prints { squares, whole }
    }

    /// A fingerprint of all that is looked at. Which figures they are is mixed into each print already, so that a sum tells them apart: one
    /// of squares, which is twice as long, for two that were taken for each other would make the odds false.
    fn together(&self, prints: &Prints, looked: &Bits) -> u128 {
        let sum = |squares: &[(usize, u128)]| {
            squares.iter().filter(|(bit, _)| looked.has(*bit)).fold(0, |sum: u128, (_, square)| sum.wrapping_add(*square))
        };
        let first = self.first.get().filter(|_| prints.whole).map_or(0, |(_, first)| sum(&first.squares));
        sum(&prints.squares).wrapping_sub(first)
    }

    /// What is known to come of a state at a place.
    pub fn find(&self, key: u128, prints: &Prints) -> Option<Known> {
        let part = held(self.part(key));
        let mut futures = part.futures.get(&key)?.iter();
        futures.find_map(|(looked, futures)| Some((looked.clone(), futures.get(&self.together(prints, looked))?.clone())))
    }

    /// Somebody begins to go through a state: whether another has begun already, and is not done.
    pub fn begin(&self, key: u128, prints: &Prints) -> bool {
        !held(self.part(key)).under_way.insert(whole(key, prints))
    }

    /// Keeps what comes of a state, and what that looks at.
    pub fn keep(&self, key: u128, prints: &Prints, looked: Bits, node: Arc<Node>) -> Arc<Bits> {
        let print = self.together(prints, &looked);
        let mut part = held(self.part(key));
        part.under_way.remove(&whole(key, prints));
        let futures = part.futures.entry(key).or_default();
        let place = futures.iter().position(|(known, _)| **known == looked).unwrap_or_else(|| {
            futures.push((Arc::new(looked), FxHashMap::default()));
            futures.len() - 1
        });
        futures[place].1.insert(print, node);
        futures[place].0.clone()
    }
}

/// A fingerprint of a state with all that has changed on its board.
fn whole(key: u128, prints: &Prints) -> u128 {
    prints.squares.iter().fold(key, |sum, (_, square)| sum.wrapping_add(*square))
}
