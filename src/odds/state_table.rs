//! Futures that are known: what comes of a state, found again by what it looks at.
//!
//! A place is known by where its functions stand and the registers they still need; from there, futures by the figures that they look at.

use crate::data::cache::lock_unpoisoned;
use crate::odds::graph::GraphNode;
use crate::situation::board::Board;
use crate::situation::cell_key::{ColumnBits, ColumnLayout};
use crate::situation::delta;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// A future that is known: what it looks at, and what it is.
pub type KnownFuture = (Arc<ColumnBits>, Arc<GraphNode>);

/// Futures from one place, by the figures that they look at and the fingerprint of what has changed of these. Most places have one.
enum Futures {
    One(Arc<ColumnBits>, u128, Future),
    Many(Vec<(Arc<ColumnBits>, FxHashMap<u128, Future>)>),
}

/// What comes of a state.
struct Future {
    node: Arc<GraphNode>,
    /// Whether another way has come to it since the table was swept last.
    met: bool,
}

impl Future {
    fn new(node: Arc<GraphNode>) -> Future {
        Future { node, met: false }
    }

    /// Another way has come to it.
    fn met(&mut self) -> Arc<GraphNode> {
        self.met = true;
        self.node.clone()
    }

    /// Whether it is kept in a sweep; one that is not goes to those that are let go.
    fn stays(&mut self, gone: &mut Vec<Arc<GraphNode>>) -> bool {
        if !self.met {
            gone.push(self.node.clone());
        }
        std::mem::take(&mut self.met)
    }
}

/// What has changed on a board: bits, with the squares of fingerprints. Most of it has changed on every board: what is as it was where a
/// run came to its end first is left out, as soon as one has.
pub struct BoardBits {
    squared_fingerprints: Vec<(usize, u128)>,
    absolute: bool,
}

/// The futures known so far, shared by threads. Dealt out to several locks, so that they seldom wait for each other.
pub struct StateTable {
    shards: Vec<Mutex<StateShard>>,
    layout: ColumnLayout,
    /// What had changed where a run came to its end first, and the squares of that.
    baseline: OnceLock<(delta::DeltaFingerprints, BoardBits)>,
    /// States gone through.
    pub state_count: AtomicU64,
    /// Bytes in use, as near as can be reckoned: what is known, and the states under way.
    bytes: AtomicU64,
    /// How many bytes may be used.
    max_states: u64,
    /// Held while the table is swept.
    sweeping: Mutex<()>,
}

/// A part of what is known.
#[derive(Default)]
struct StateShard {
    futures: FxHashMap<u128, Futures>,
    /// Equal sets of figures are one.
    sets: FxHashSet<Arc<ColumnBits>>,
    /// The states that somebody is going through, by the fingerprint of all of each.
    in_progress: FxHashSet<u128>,
}

const SHARDS: usize = 64;

/// Bytes of an entry of a map, with the room that the map keeps free; and of a map of its own.
const ENTRY: u64 = 128;
const MAP: u64 = 256;

impl StateTable {
    /// Nothing known yet; `most` bytes may be used.
    pub fn new(layout: ColumnLayout, most: u64) -> StateTable {
        let parts = (0..SHARDS).map(|_| Mutex::default()).collect();
        StateTable {
            shards: parts,
            layout,
            baseline: OnceLock::new(),
            state_count: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            max_states: most,
            sweeping: Mutex::default(),
        }
    }

    /// How figures are numbered.
    pub fn layout(&self) -> &ColumnLayout {
        &self.layout
    }

    fn shard(&self, key: u128) -> &Mutex<StateShard> {
        &self.shards[(key >> 64) as usize % SHARDS]
    }

    /// A run has come to its end with this board.
    pub fn set_baseline(&self, board: &mut Board) {
        self.baseline.get_or_init(|| (board.delta_fingerprints(), self.diff(&delta::DeltaFingerprints::default(), true, board)));
    }

    /// What has changed on a board.
    pub fn board_bits(&self, board: &mut Board) -> BoardBits {
        match self.baseline.get() {
            Some((first, _)) => self.diff(first, false, board),
            None => self.diff(&delta::DeltaFingerprints::default(), true, board),
        }
    }

    fn diff(&self, there: &delta::DeltaFingerprints, whole: bool, board: &mut Board) -> BoardBits {
        let square = |print: Option<u64>| print.map_or(0, |print| u128::from(print) * u128::from(print));
        let mut squares = Vec::new();
        board.diff(there, |figure, was, is| squares.push((self.layout.bit_of(figure).0, square(is).wrapping_sub(square(was)))));
        BoardBits { squared_fingerprints: squares, absolute: whole }
    }

    /// A fingerprint of all that is looked at. Which figures they are is mixed into each print already, so that a sum tells them apart: one
    /// of squares, which is twice as long, for two that were taken for each other would make the odds false.
    fn fingerprint(&self, prints: &BoardBits, looked: &ColumnBits) -> u128 {
        let sum = |squares: &[(usize, u128)]| {
            squares.iter().filter(|(bit, _)| looked.contains(*bit)).fold(0, |sum: u128, (_, square)| sum.wrapping_add(*square))
        };
        let first = self.baseline.get().filter(|_| prints.absolute).map_or(0, |(_, first)| sum(&first.squared_fingerprints));
        sum(&prints.squared_fingerprints).wrapping_sub(first)
    }

    /// Whether as many bytes are in use as may be.
    pub fn full(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > self.max_states
    }

    /// So many more bytes are in use.
    pub fn take(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes are in use no more.
    pub fn free(&self, bytes: u64) {
        let less = |known: u64| Some(known.saturating_sub(bytes));
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// What is known to come of a state at a place.
    pub fn lookup(&self, key: u128, prints: &BoardBits) -> Option<KnownFuture> {
        let mut part = lock_unpoisoned(self.shard(key));
        match part.futures.get_mut(&key)? {
            Futures::One(looked, print, future) => (self.fingerprint(prints, looked) == *print).then(|| (looked.clone(), future.met())),
            Futures::Many(list) => {
                let mut list = list.iter_mut();
                list.find_map(|(looked, futures)| Some((looked.clone(), futures.get_mut(&self.fingerprint(prints, looked))?.met())))
            }
        }
    }

    /// Somebody begins to go through a state: whether another has begun already, and is not done.
    pub fn begin_state(&self, key: u128, prints: &BoardBits) -> bool {
        !lock_unpoisoned(self.shard(key)).in_progress.insert(full_fingerprint(key, prints))
    }

    /// Keeps what comes of a state, and what that looks at.
    pub fn insert(&self, key: u128, prints: &BoardBits, looked: ColumnBits, node: Arc<GraphNode>) -> Arc<ColumnBits> {
        let print = self.fingerprint(prints, &looked);
        // Where a function passes on what another came to, the node is known already.
        let mut taken = ENTRY + if Arc::strong_count(&node) > 2 { 0 } else { node.bytes() };
        let mut part = lock_unpoisoned(self.shard(key));
        let part = &mut *part;
        part.in_progress.remove(&full_fingerprint(key, prints));
        let looked = match part.sets.get(&looked) {
            Some(known) => known.clone(),
            None => {
                let looked = Arc::new(looked);
                taken += ENTRY + looked.bytes();
                part.sets.insert(looked.clone());
                looked
            }
        };
        match part.futures.entry(key) {
            Entry::Vacant(entry) => drop(entry.insert(Futures::One(looked.clone(), print, Future::new(node)))),
            Entry::Occupied(mut entry) => {
                if let Futures::One(looked, print, future) = entry.get() {
                    let one = FxHashMap::from_iter([(*print, Future { node: future.node.clone(), met: future.met })]);
                    taken += MAP;
                    *entry.get_mut() = Futures::Many(vec![(looked.clone(), one)]);
                }
                if let Futures::Many(list) = entry.get_mut() {
                    let place = list.iter().position(|(known, _)| *known == looked).unwrap_or_else(|| {
                        taken += MAP;
                        list.push((looked.clone(), FxHashMap::default()));
                        list.len() - 1
                    });
                    list[place].1.insert(print, Future::new(node));
                }
            }
        }
        self.take(taken);
        looked
    }
}

impl StateTable {
    /// Makes room where the memory is full: forgets the futures that no other way has come to since the last time. Most belong to parts of
    /// a throw that are over; what is forgotten in error is explored once more. Whether there is room now.
    pub fn sweep(&self) -> bool {
        let _one = lock_unpoisoned(&self.sweeping);
        if !self.full() {
            return true;
        }
        for part in &self.shards {
            let mut gone = Vec::new();
            lock_unpoisoned(part).futures.retain(|_, futures| match futures {
                Futures::One(_, _, future) => future.stays(&mut gone),
                Futures::Many(list) => {
                    list.iter_mut().for_each(|(_, futures)| futures.retain(|_, future| future.stays(&mut gone)));
                    list.retain(|(_, futures)| !futures.is_empty());
                    !list.is_empty()
                }
            });
            self.free(gone.len() as u64 * ENTRY);
            self.let_go(gone);
        }
        self.bytes.load(Ordering::Relaxed) < self.max_states / 4 * 3
    }

    /// Frees the nodes that nothing leads to any more, one after the other: a graph is deep.
    fn let_go(&self, mut nodes: Vec<Arc<GraphNode>>) {
        while let Some(node) = nodes.pop() {
            if let Some(node) = Arc::into_inner(node) {
                self.free(node.bytes());
                nodes.extend(node.into_next());
            }
        }
    }
}

impl BoardBits {
    /// How many bytes it takes.
    pub fn bytes(&self) -> u64 {
        std::mem::size_of_val(&*self.squared_fingerprints) as u64
    }
}

/// A fingerprint of a state with all that has changed on its board.
pub fn full_fingerprint(key: u128, prints: &BoardBits) -> u128 {
    prints.squared_fingerprints.iter().fold(key, |sum, (_, square)| sum.wrapping_add(*square))
}
