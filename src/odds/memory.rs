//! Futures that are known: what comes of a state, found again by what it looks at.
//!
//! A place is known by where its functions stand and the registers they still need; from there, futures by the figures that they look at.

use crate::code::state::State;
use crate::odds::graph::Node;
use crate::situation::figures::{Bits, Figure, Layout};
use crate::situation::value::Value;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

/// A future that is known: what it looks at, and what it is.
pub type Known = (Arc<Bits>, Arc<Node>);

/// Futures from one place: for each set of figures that is looked at, by the fingerprint of what has changed of them.
type Futures = Vec<(Arc<Bits>, FxHashMap<u64, Future>)>;

/// What has changed of the figures that are looked at, and what came of it.
struct Future {
    changes: Box<[(Figure, Value)]>,
    node: Arc<Node>,
}

/// What has changed on a board: the bit of each figure, and a fingerprint of it with its value.
pub type Prints = Vec<(usize, u64)>;

/// The bits and fingerprints of all that has changed on the board of a state.
pub fn prints(state: &State, layout: &Layout) -> Prints {
    state.board.changes().map(|change| layout.print(change)).collect()
}

/// Which figures they are is mixed into each print already, so that a sum tells them apart.
fn print(prints: &Prints, looked: &Bits) -> u64 {
    prints.iter().fold(0, |sum: u64, (bit, print)| sum.wrapping_add(print & looked.mask(*bit)))
}

/// The futures known so far, shared by threads. Dealt out to several locks, so that they seldom wait for each other.
pub struct Memory {
    parts: Vec<Mutex<FxHashMap<Box<[u8]>, Futures>>>,
    /// States gone through.
    pub states: AtomicU64,
    /// How many states may be gone through.
    pub most: u64,
}

const PARTS: usize = 64;

impl Memory {
    /// Nothing known yet.
    pub fn new(most: u64) -> Memory {
        Memory { parts: (0..PARTS).map(|_| Mutex::default()).collect(), states: AtomicU64::new(0), most }
    }

    fn part(&self, key: &[u8]) -> &Mutex<FxHashMap<Box<[u8]>, Futures>> {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        &self.parts[(hasher.finish() >> 58) as usize % PARTS]
    }

    /// What is known to come of a state at a place.
    pub fn find(&self, key: &[u8], state: &State, prints: &Prints) -> Option<Known> {
        let part = self.part(key).lock().unwrap_or_else(PoisonError::into_inner);
        part.get(key)?.iter().find_map(|(looked, futures)| {
            let future = futures.get(&print(prints, looked))?;
            // A fingerprint alone proves nothing.
            let changes = state.board.changes().zip(prints).filter(|(_, (bit, _))| looked.has(*bit)).map(|(change, _)| change);
            let same = changes.eq(future.changes.iter().map(|(figure, value)| (*figure, value)));
            same.then(|| (looked.clone(), future.node.clone()))
        })
    }

    /// Keeps what comes of a state, and what that looks at.
    pub fn keep(&self, key: Box<[u8]>, state: &State, prints: &Prints, looked: Bits, node: Arc<Node>) -> Arc<Bits> {
        let changes = state.board.changes().zip(prints).filter(|(_, (bit, _))| looked.has(*bit));
        let changes = changes.map(|((figure, value), _)| (figure, value.clone())).collect();
        let print = print(prints, &looked);
        let mut part = self.part(&key).lock().unwrap_or_else(PoisonError::into_inner);
        let futures = part.entry(key).or_default();
        let place = futures.iter().position(|(known, _)| **known == looked).unwrap_or_else(|| {
            futures.push((Arc::new(looked), FxHashMap::default()));
            futures.len() - 1
        });
        futures[place].1.insert(print, Future { changes, node });
        futures[place].0.clone()
    }
}
