//! The table of explored states, keyed by what their future reads.
//!
//! The first key is the position of a state's functions and its live registers; the second is the value of the board columns that a
//! future from there reads.

use crate::odds::answer::ReturnChances;
use crate::odds::bounds::{CountPhase, MemoryBudget};
use crate::odds::graph::{GraphNode, LoopId};
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::cell_key::{ColumnBits, ColumnLayout};
use casebook_engine::situation::delta::DeltaFingerprints;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

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
    /// Whether it was looked up since the last sweep.
    used: bool,
}

impl Future {
    fn new(node: Arc<GraphNode>) -> Future {
        Future { node, used: false }
    }

    /// Returns the graph and marks it as used.
    fn take_up(&mut self) -> Arc<GraphNode> {
        self.used = true;
        self.node.clone()
    }

    /// Whether a sweep keeps the future; the graph of one that is dropped is moved to `dropped`.
    fn survives(&mut self, dropped: &mut Vec<Arc<GraphNode>>) -> bool {
        if !self.used {
            dropped.push(self.node.clone());
        }
        std::mem::take(&mut self.used)
    }
}

/// The columns in which a board differs from its start or, once it is known, from the baseline: most changes are common to all boards.
pub struct BoardBits {
    /// For each changed column its bit, and the square of its value's fingerprint less that of the value it differs from.
    squares: Vec<(usize, u128)>,
    /// Whether the board is compared with its start.
    from_start: bool,
}

/// A board that others are compared with: its changes, these as bits, and the sum of the squares of these.
struct BaselineBoard {
    changes: DeltaFingerprints,
    bits: BoardBits,
    sum: u128,
}

/// The futures known so far, shared by all threads and split over several locks to reduce contention.
pub struct StateTable {
    shards: Vec<Mutex<StateShard>>,
    layout: ColumnLayout,
    /// The board at the end of the first finished run.
    baseline: OnceLock<BaselineBoard>,
    /// The number of states explored.
    pub state_count: AtomicU64,
    /// The number of states that can come again.
    loop_count: AtomicU64,
    /// The estimated bytes in use, including the states being explored.
    bytes: AtomicU64,
    /// The memory that the count may take.
    pub budget: MemoryBudget,
    /// The lock that is held during a sweep.
    sweeping: Mutex<()>,
}

/// What a part of a count holds for a while; it is free again when this is dropped.
pub struct HeldBytes<'a> {
    table: &'a StateTable,
    bytes: u64,
}

/// The share of the memory limit that a part of a count may hold.
const PART_SHARE: u64 = 8;

impl<'a> HeldBytes<'a> {
    /// Begins a part that holds nothing.
    pub fn new(table: &'a StateTable) -> HeldBytes<'a> {
        HeldBytes { table, bytes: 0 }
    }

    /// Adds to the memory in use; returns whether there is room for it.
    pub fn take(&mut self, bytes: u64) -> bool {
        self.table.take(bytes);
        self.bytes += bytes;
        self.bytes <= self.table.budget.room() / PART_SHARE && !self.table.full()
    }

    /// Returns the memory in use.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Subtracts from the memory in use.
    pub fn free(&mut self, bytes: u64) {
        self.table.free(bytes);
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

impl Drop for HeldBytes<'_> {
    fn drop(&mut self) {
        self.table.free(self.bytes);
    }
}

/// A shard of the table, with its own lock.
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
    /// Creates an empty table of a count in a process that may hold so many bytes.
    pub fn new(layout: ColumnLayout, memory: u64) -> StateTable {
        StateTable {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            layout,
            baseline: OnceLock::new(),
            state_count: AtomicU64::new(0),
            loop_count: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            budget: MemoryBudget::new(memory),
            sweeping: Mutex::default(),
        }
    }

    /// Returns the layout of the board columns.
    pub fn layout(&self) -> &ColumnLayout {
        &self.layout
    }

    fn shard(&self, key: u128) -> MutexGuard<'_, StateShard> {
        lock_unpoisoned(&self.shards[(key >> 64) as usize % SHARDS])
    }

    /// Sets the baseline to a finished board, unless it is already set.
    pub fn set_baseline(&self, board: &mut Board) {
        self.baseline.get_or_init(|| {
            let bits = self.diff(None, board);
            BaselineBoard {
                changes: board.delta_fingerprints(),
                sum: bits.sum(),
                bits,
            }
        });
    }

    /// Returns the changes of a board.
    pub fn board_bits(&self, board: &mut Board) -> BoardBits {
        self.diff(self.baseline.get().map(|baseline| &baseline.changes), board)
    }

    fn diff(&self, baseline: Option<&DeltaFingerprints>, board: &mut Board) -> BoardBits {
        let square = |fingerprint: Option<u64>| {
            fingerprint.map_or(0, |fingerprint| {
                u128::from(fingerprint) * u128::from(fingerprint)
            })
        };
        let mut squares = Vec::new();
        let unchanged = DeltaFingerprints::default();
        board.diff(baseline.unwrap_or(&unchanged), |cell, was, is| {
            squares.push((
                self.layout.bit_of(cell).0,
                square(is).wrapping_sub(square(was)),
            ));
        });
        BoardBits {
            squares,
            from_start: baseline.is_none(),
        }
    }

    /// Returns a fingerprint of all columns that are read. Each fingerprint already mixes in its column, so a sum is enough; 128-bit
    /// squares are summed, because a collision would make the odds wrong.
    pub fn fingerprint(&self, board: &BoardBits, reads: &ColumnBits) -> u128 {
        let sum = |bits: &BoardBits| {
            let read = bits.squares.iter().filter(|(bit, _)| reads.contains(*bit));
            read.fold(0, |sum: u128, (_, square)| sum.wrapping_add(*square))
        };
        let baseline = self
            .baseline
            .get()
            .filter(|_| board.from_start)
            .map_or(0, |baseline| sum(&baseline.bits));
        sum(board).wrapping_sub(baseline)
    }

    /// Begins the forward phase of the count, perhaps after a run that was cut short because it took too much memory.
    pub fn begin_forward_phase(&self, was_run_cut: bool) {
        self.budget.begin_phase(CountPhase::Forward);
        if was_run_cut {
            self.budget.reuse(self.bytes.load(Ordering::Relaxed));
        }
    }

    /// Whether the memory limit is reached.
    pub fn full(&self) -> bool {
        self.budget.is_full(self.bytes.load(Ordering::Relaxed))
    }

    /// Returns the bytes that are free.
    pub fn room(&self) -> u64 {
        self.budget.free_bytes(self.bytes.load(Ordering::Relaxed))
    }

    /// Adds to the bytes in use.
    pub fn take(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts from the bytes in use.
    pub fn free(&self, bytes: u64) {
        let remaining = |used: u64| Some(used.saturating_sub(bytes));
        let _ = self
            .bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, remaining);
    }

    /// Looks up the future of a state at a position.
    pub fn lookup(&self, key: u128, board: &BoardBits) -> Option<KnownFuture> {
        match self.shard(key).futures.get_mut(&key)? {
            Futures::One(reads, fingerprint, future) => (self.fingerprint(board, reads)
                == *fingerprint)
                .then(|| (reads.clone(), future.take_up())),
            Futures::Many(list) => list.iter_mut().find_map(|(reads, futures)| {
                Some((
                    reads.clone(),
                    futures.get_mut(&self.fingerprint(board, reads))?.take_up(),
                ))
            }),
        }
    }

    /// Looks up what a call may return.
    pub fn lookup_returns(&self, key: u128, board: &BoardBits) -> Option<Arc<ReturnChances>> {
        let shard = self.shard(key);
        let mut entries = shard.returns.get(&key)?.iter();
        entries
            .find(|(fingerprint, returns)| self.fingerprint(board, &returns.reads) == *fingerprint)
            .map(|(_, returns)| returns.clone())
    }

    /// Stores what a call may return.
    pub fn insert_returns(
        &self,
        key: u128,
        board: &BoardBits,
        chances: ReturnChances,
    ) -> Arc<ReturnChances> {
        self.take(ENTRY + chances.bytes());
        let (fingerprint, chances) = (self.fingerprint(board, &chances.reads), Arc::new(chances));
        self.shard(key)
            .returns
            .entry(key)
            .or_default()
            .push((fingerprint, chances.clone()));
        chances
    }

    /// Returns a fingerprint of a state at a position, with all changes of its board.
    pub fn full_fingerprint(&self, key: u128, board: &BoardBits) -> u128 {
        let baseline = self
            .baseline
            .get()
            .filter(|_| !board.from_start)
            .map_or(0, |baseline| baseline.sum);
        key.wrapping_add(board.sum()).wrapping_add(baseline)
    }

    /// Marks a state as being explored, by its full fingerprint; returns whether another worker is already exploring it.
    pub fn begin_state(&self, key: u128, fingerprint: u128) -> bool {
        !self.shard(key).in_progress.insert(fingerprint)
    }

    /// Marks a state as no longer being explored.
    pub fn end_state(&self, key: u128, fingerprint: u128) {
        self.shard(key).in_progress.remove(&fingerprint);
    }

    /// Returns a number for a state that can come again.
    pub fn new_loop(&self) -> LoopId {
        self.loop_count.fetch_add(1, Ordering::Relaxed)
    }

    /// Stores the future of a state and the columns it reads; the state with this full fingerprint is no longer being explored.
    pub fn insert(
        &self,
        (key, fingerprint): (u128, u128),
        board: &BoardBits,
        reads: ColumnBits,
        node: Arc<GraphNode>,
    ) -> Arc<ColumnBits> {
        let read_fingerprint = self.fingerprint(board, &reads);
        // A function that passes on the result of another shares its node, which is counted already.
        let mut bytes = ENTRY
            + if Arc::strong_count(&node) > 2 {
                0
            } else {
                node.bytes()
            };
        let mut shard = self.shard(key);
        let shard = &mut *shard;
        shard.in_progress.remove(&fingerprint);
        let reads = match shard.sets.get(&reads) {
            Some(shared) => shared.clone(),
            None => {
                let reads = Arc::new(reads);
                bytes += ENTRY + reads.bytes();
                shard.sets.insert(reads.clone());
                reads
            }
        };
        match shard.futures.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(Futures::One(
                    reads.clone(),
                    read_fingerprint,
                    Future::new(node),
                ));
            }
            Entry::Occupied(mut entry) => {
                if let Futures::One(reads, fingerprint, future) = entry.get() {
                    let futures_by_print = FxHashMap::from_iter([(
                        *fingerprint,
                        Future {
                            node: future.node.clone(),
                            used: future.used,
                        },
                    )]);
                    bytes += MAP;
                    *entry.get_mut() = Futures::Many(vec![(reads.clone(), futures_by_print)]);
                }
                if let Futures::Many(entries) = entry.get_mut() {
                    let index = entries
                        .iter()
                        .position(|(other, _)| *other == reads)
                        .unwrap_or_else(|| {
                            bytes += MAP;
                            entries.push((reads.clone(), FxHashMap::default()));
                            entries.len() - 1
                        });
                    entries[index].1.insert(read_fingerprint, Future::new(node));
                }
            }
        }
        self.take(bytes);
        reads
    }

    /// Drops all futures that were not looked up since the last sweep, and returns whether that made room. Most of them belong to finished
    /// parts of a throw; one dropped by mistake is explored again.
    pub fn sweep(&self) -> bool {
        let _sweeping = lock_unpoisoned(&self.sweeping);
        if !self.full() {
            return true;
        }
        for shard in &self.shards {
            let mut dropped = Vec::new();
            lock_unpoisoned(shard)
                .futures
                .retain(|_, futures| match futures {
                    Futures::One(_, _, future) => future.survives(&mut dropped),
                    Futures::Many(entries) => {
                        entries.iter_mut().for_each(|(_, futures)| {
                            futures.retain(|_, future| future.survives(&mut dropped))
                        });
                        entries.retain(|(_, futures)| !futures.is_empty());
                        !entries.is_empty()
                    }
                });
            self.free(dropped.len() as u64 * ENTRY);
            self.drop_nodes(dropped);
        }
        self.budget.has_room(self.bytes.load(Ordering::Relaxed))
    }

    /// Frees unreferenced nodes iteratively, because the graph is too deep for recursive drops.
    fn drop_nodes(&self, mut nodes: Vec<Arc<GraphNode>>) {
        while let Some(node) = nodes.pop() {
            if let Some(node) = Arc::into_inner(node) {
                self.free(node.bytes());
                nodes.extend(node.into_targets());
            }
        }
    }
}

impl BoardBits {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.squares) as u64
    }

    fn sum(&self) -> u128 {
        self.squares
            .iter()
            .fold(0, |sum: u128, (_, square)| sum.wrapping_add(*square))
    }
}
