//! The table of explored states, keyed by what their future reads.
//!
//! The first key is the position of a state's functions and its live registers; the second is the value of the board columns that a
//! future from there reads.

use crate::data::cache::lock_unpoisoned;
use crate::odds::answer::ReturnChances;
use crate::odds::graph::GraphNode;
use crate::situation::board::Board;
use crate::situation::cell_key::{ColumnBits, ColumnLayout};
use crate::situation::delta;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// A known future: the columns it reads, and its graph.
pub type KnownFuture = (Arc<ColumnBits>, Arc<GraphNode>);

/// The futures from one position, by the columns they read and the fingerprint of the changes to these columns. Most positions have one
/// set of columns.
enum Futures {
    One(Arc<ColumnBits>, u128, Future),
    Many(Vec<(Arc<ColumnBits>, FxHashMap<u128, Future>)>),
}

/// A stored future.
struct Future {
    node: Arc<GraphNode>,
    /// Whether it was hit since the last sweep.
    met: bool,
}

impl Future {
    fn new(node: Arc<GraphNode>) -> Future {
        Future { node, met: false }
    }

    /// Marks the future as hit and returns its graph.
    fn met(&mut self) -> Arc<GraphNode> {
        self.met = true;
        self.node.clone()
    }

    /// Whether a sweep keeps the future; the graph of one that is dropped is moved to `gone`.
    fn stays(&mut self, gone: &mut Vec<Arc<GraphNode>>) -> bool {
        if !self.met {
            gone.push(self.node.clone());
        }
        std::mem::take(&mut self.met)
    }
}

/// The changes of a board as bits, with the squares of the fingerprints. Most changes are common to all boards, so those equal to the
/// baseline are left out once it is known.
pub struct BoardBits {
    squared_fingerprints: Vec<(usize, u128)>,
    absolute: bool,
}

/// The futures known so far, shared by all threads and split over several locks to reduce contention.
pub struct StateTable {
    shards: Vec<Mutex<StateShard>>,
    layout: ColumnLayout,
    /// The changes at the end of the first finished run, and the squares of their fingerprints.
    baseline: OnceLock<(delta::DeltaFingerprints, BoardBits)>,
    /// The number of states explored.
    pub state_count: AtomicU64,
    /// The estimated bytes in use, including the states being explored.
    bytes: AtomicU64,
    /// The memory limit in bytes.
    max_states: u64,
    /// The lock that is held during a sweep.
    sweeping: Mutex<()>,
}

/// A shard of the table, behind its own lock.
#[derive(Default)]
struct StateShard {
    futures: FxHashMap<u128, Futures>,
    /// The interned column sets.
    sets: FxHashSet<Arc<ColumnBits>>,
    /// The fingerprints of the states that a worker is exploring.
    in_progress: FxHashSet<u128>,
    /// What calls may return, with the fingerprint of the columns that they read.
    returns: FxHashMap<u128, Vec<(u128, Arc<ReturnChances>)>>,
}

const SHARDS: usize = 64;

/// The estimated bytes of a map entry including spare capacity, and of a map itself.
const ENTRY: u64 = 128;
const MAP: u64 = 256;

impl StateTable {
    /// Creates an empty table with a limit of `most` bytes.
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

    /// Returns the layout of the board columns.
    pub fn layout(&self) -> &ColumnLayout {
        &self.layout
    }

    fn shard(&self, key: u128) -> &Mutex<StateShard> {
        &self.shards[(key >> 64) as usize % SHARDS]
    }

    /// Sets the baseline to a finished board, unless it is already set.
    pub fn set_baseline(&self, board: &mut Board) {
        self.baseline.get_or_init(|| (board.delta_fingerprints(), self.diff(&delta::DeltaFingerprints::default(), true, board)));
    }

    /// Returns the changes of a board.
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

    /// Returns a fingerprint of all columns that are read. Each fingerprint already mixes in its column, so a sum is enough; 128-bit
    /// squares are summed, because a collision would make the odds wrong.
    fn fingerprint(&self, prints: &BoardBits, looked: &ColumnBits) -> u128 {
        let sum = |squares: &[(usize, u128)]| {
            squares.iter().filter(|(bit, _)| looked.contains(*bit)).fold(0, |sum: u128, (_, square)| sum.wrapping_add(*square))
        };
        let first = self.baseline.get().filter(|_| prints.absolute).map_or(0, |(_, first)| sum(&first.squared_fingerprints));
        sum(&prints.squared_fingerprints).wrapping_sub(first)
    }

    /// Whether the memory limit is reached.
    pub fn full(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > self.max_states
    }

    /// Adds to the bytes in use.
    pub fn take(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts from the bytes in use.
    pub fn free(&self, bytes: u64) {
        let less = |known: u64| Some(known.saturating_sub(bytes));
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Looks up the future of a state at a position.
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

    /// Looks up what a call may return.
    pub fn lookup_returns(&self, key: u128, prints: &BoardBits) -> Option<Arc<ReturnChances>> {
        let part = lock_unpoisoned(self.shard(key));
        let mut list = part.returns.get(&key)?.iter();
        list.find(|(print, known)| self.fingerprint(prints, &known.reads) == *print).map(|(_, known)| known.clone())
    }

    /// Stores what a call may return.
    pub fn insert_returns(&self, key: u128, prints: &BoardBits, chances: ReturnChances) -> Arc<ReturnChances> {
        self.take(ENTRY + chances.bytes());
        let (print, chances) = (self.fingerprint(prints, &chances.reads), Arc::new(chances));
        lock_unpoisoned(self.shard(key)).returns.entry(key).or_default().push((print, chances.clone()));
        chances
    }

    /// Marks a state as being explored; returns whether another worker is already exploring it.
    pub fn begin_state(&self, key: u128, prints: &BoardBits) -> bool {
        !lock_unpoisoned(self.shard(key)).in_progress.insert(full_fingerprint(key, prints))
    }

    /// Stores the future of a state and the columns it reads.
    pub fn insert(&self, key: u128, prints: &BoardBits, looked: ColumnBits, node: Arc<GraphNode>) -> Arc<ColumnBits> {
        let print = self.fingerprint(prints, &looked);
        // A function that passes on the result of another shares its node, which is counted already.
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
    /// Drops all futures that were not hit since the last sweep, and returns whether that made room. Most of them belong to finished
    /// parts of a throw; one dropped by mistake is explored again.
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
            self.drop_nodes(gone);
        }
        self.bytes.load(Ordering::Relaxed) < self.max_states / 4 * 3
    }

    /// Frees unreferenced nodes iteratively, because the graph is too deep for recursive drops.
    fn drop_nodes(&self, mut nodes: Vec<Arc<GraphNode>>) {
        while let Some(node) = nodes.pop() {
            if let Some(node) = Arc::into_inner(node) {
                self.free(node.bytes());
                nodes.extend(node.into_next());
            }
        }
    }
}

impl BoardBits {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        std::mem::size_of_val(&*self.squared_fingerprints) as u64
    }
}

/// Returns a fingerprint of a state with all changes of its board.
pub fn full_fingerprint(key: u128, prints: &BoardBits) -> u128 {
    prints.squared_fingerprints.iter().fold(key, |sum, (_, square)| sum.wrapping_add(*square))
}
