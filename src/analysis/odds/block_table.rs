//! The blocks that were counted, by the place of their first throw, and when counting one is worthwhile.
//!
//! A block begins at a throw and ends after one of the statements that follow, in the same block of the source or in one around it. Nobody
//! knows before which of them are entered again with equal reads, so each is tried as far as it pays: what was used on counting it stays
//! below what it has saved and its share of the work done at its place.

use crate::odds::answer::BlockChances;
use crate::odds::state_table::{BoardBits, StateTable};
use casebook_engine::code::bytecode::{CompiledFunction, OperationFact};
use casebook_engine::code::machine::entry_tracking::EntryReads;
use casebook_engine::code::state::State;
use casebook_engine::situation::cell_key::ColumnBits;
use casebook_engine::situation::fingerprint::Digest;
use casebook_engine::situation::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// When blocks are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockMode {
    /// Where that has saved work so far.
    #[default]
    Worthwhile,
    /// Never; the odds must be the same.
    Never,
    /// Always, for tests.
    Always,
}

/// The maximum number of blocks that begin at one place.
const MAX_BLOCKS: usize = 24;
/// The least number of runs to which a count of a block is limited.
const LEAST_RUNS: u64 = 64;
/// The number of runs to which it is limited where blocks are always counted.
const TEST_RUNS: u64 = 1_000;
/// The number of lookups after which the hits of a block are judged, the share that it takes, and how many are left out if it has fewer.
const REVIEW: (u32, u32, u32) = (128, 16, 1_024);
/// The number of counts without a hit after which a block is left out for a while.
const MAX_MISSES: u32 = 64;
/// The maximum number of different sets of reads of a block, and of entries that differ in ranges alone.
const MAX_READS: usize = 16;
const MAX_ENTRIES: usize = 64;
/// The share of the memory limit that entries may take.
const MEMORY_SHARE: u64 = 8;

/// The blocks that begin at one place.
#[derive(Default)]
pub struct BlockPlace {
    /// The number of branches explored from there.
    pub work: u64,
    /// The blocks, the smallest first.
    pub blocks: Vec<Block>,
}

/// A block, and what is known of it.
pub struct Block {
    /// Its operations.
    pub ops: Range<usize>,
    /// The entries by what they read.
    groups: Vec<EntryGroup>,
    /// The number of runs used on counting it, and of those that were saved.
    used: u64,
    saved: u64,
    /// The number of runs that a count needs to be tried again.
    needed: u64,
    lookups: u32,
    hits: u32,
    /// The number of counts since the last hit.
    misses: u32,
    /// The number of throws for which the block is left out.
    pause: u32,
}

/// Entries that read the same registers and columns.
struct EntryGroup {
    values: BTreeSet<usize>,
    reads: ColumnBits,
    by_fingerprint: FxHashMap<u128, Vec<Arc<BlockChances>>>,
}

/// The blocks of all places: a function and an operation.
#[derive(Default)]
pub struct BlockTable {
    places: FxHashMap<(u32, u32), BlockPlace>,
    bytes: u64,
    /// The number of runs of all counts, also of those within others.
    runs: u64,
    /// The number of runs at which the innermost open count gives up; `None` if none is open.
    last_run: Option<u64>,
}

/// A count that is open: the runs before it, and those at which the count around it gives up.
pub struct OpenCount {
    runs_before: u64,
    outer_last_run: Option<u64>,
}

impl BlockTable {
    /// Returns the blocks that begin at a place, the smallest first.
    pub fn place(&mut self, key: (u32, u32), function: &CompiledFunction) -> &mut BlockPlace {
        self.places.entry(key).or_insert_with(|| {
            let op = key.1 as usize;
            let mut ranges: Vec<Range<usize>> = Vec::new();
            // The outermost block ends where the function does.
            let body_end = function
                .blocks
                .last()
                .and_then(|starts| starts.last())
                .map_or(0, |end| *end as usize);
            for starts in &function.blocks {
                let Some(statement) = starts
                    .windows(2)
                    .position(|pair| (pair[0] as usize..pair[1] as usize).contains(&op))
                else {
                    continue;
                };
                for end in statement + 1..starts.len() {
                    let range = starts[statement] as usize..starts[end] as usize;
                    // The value of a function or block is made by its last statement.
                    let is_end = end + 2 >= starts.len();
                    let is_useful = is_end
                        || may_stop(function, starts, end - 1)
                        || may_stop(function, starts, end);
                    if is_useful && range.end < body_end && ranges.last() != Some(&range) {
                        ranges.push(range);
                    }
                }
            }
            ranges.truncate(MAX_BLOCKS);
            BlockPlace {
                work: 0,
                blocks: ranges.into_iter().map(Block::new).collect(),
            }
        })
    }

    /// Opens a count that may take so many runs, with those of the counts within it; none takes more than is left to the one around it.
    pub fn open_count(&mut self, allowance: u64) -> OpenCount {
        let open = OpenCount {
            runs_before: self.runs,
            outer_last_run: self.last_run,
        };
        let own = self.runs.saturating_add(allowance);
        self.last_run = Some(self.last_run.map_or(own, |outer| outer.min(own)));
        open
    }

    /// Closes a count; returns the number of runs that it took.
    pub fn close_count(&mut self, open: OpenCount) -> u64 {
        self.last_run = open.outer_last_run;
        self.runs - open.runs_before
    }

    /// Adds a run to the open counts; returns whether that was one too many.
    pub fn add_run(&mut self) -> bool {
        self.runs += 1;
        self.last_run.is_some_and(|last| self.runs > last)
    }

    /// Whether a count is open.
    pub fn is_counting(&self) -> bool {
        self.last_run.is_some()
    }

    /// Counts branches that are explored from a place.
    pub fn add_work(&mut self, key: (u32, u32), branches: usize) {
        if let Some(place) = self.places.get_mut(&key) {
            place.work += branches as u64;
        }
    }

    /// Counts the bytes of entries; returns whether all were dropped because they are too many.
    pub fn take(&mut self, bytes: u64, table: &StateTable) -> bool {
        self.bytes += bytes;
        table.take(bytes);
        let too_many = self.bytes > table.budget.room() / MEMORY_SHARE;
        if too_many {
            table.free(std::mem::take(&mut self.bytes));
            self.places
                .values_mut()
                .flat_map(|place| &mut place.blocks)
                .for_each(|block| block.groups.clear());
        }
        too_many
    }
}

/// Returns whether the machine may stop in a statement. Where neither the last statement of a block nor the one after it may stop, the
/// next block reads as little.
fn may_stop(function: &CompiledFunction, starts: &[u32], statement: usize) -> bool {
    let mut may_stop = false;
    for op in &function.ops[starts[statement] as usize..starts[statement + 1] as usize] {
        function.operation_facts(*op, &mut |fact| {
            may_stop |= matches!(fact, OperationFact::MayStop)
        });
    }
    may_stop
}

impl BlockPlace {
    /// Returns whether one of the first `count` blocks may be known, or may be counted now.
    pub fn is_promising(&mut self, count: usize, mode: BlockMode) -> bool {
        self.blocks[..count]
            .iter_mut()
            .for_each(|block| block.pause = block.pause.saturating_sub(1));
        let is_awake = |index: &usize| !self.blocks[*index].is_paused();
        let is_promising = |index: usize| {
            !self.blocks[index].groups.is_empty() || self.allowance(index, mode).is_some()
        };
        mode == BlockMode::Always || (0..count).filter(is_awake).any(is_promising)
    }

    /// Returns the number of runs that a count of a block may take; `None` if it does not pay now.
    pub fn allowance(&self, index: usize, mode: BlockMode) -> Option<u64> {
        let block = &self.blocks[index];
        if mode == BlockMode::Always {
            return Some(TEST_RUNS).filter(|runs| block.needed <= *runs);
        }
        let share = self.work / self.blocks.len().max(1) as u64;
        (block.saved + share)
            .checked_sub(block.used)
            .filter(|left| *left >= block.needed)
    }
}

impl Block {
    fn new(ops: Range<usize>) -> Block {
        Block {
            ops,
            groups: Vec::new(),
            used: 0,
            saved: 0,
            needed: LEAST_RUNS,
            lookups: 0,
            hits: 0,
            misses: 0,
            pause: 0,
        }
    }

    /// Looks up how the block ends for a state whose frame `base` begins at this register. `fingerprint` is the fingerprint of what is read always.
    pub fn lookup(
        &mut self,
        fingerprint: u128,
        state: &State,
        base: usize,
        board: &BoardBits,
        table: &StateTable,
    ) -> Option<Arc<BlockChances>> {
        if self.groups.is_empty() {
            return None;
        }
        self.lookups += 1;
        let (interval, share, pause) = REVIEW;
        if self.lookups == interval {
            if self.hits * share < interval {
                self.pause = pause;
            }
            (self.lookups, self.hits) = (0, 0);
        }
        let registers = &state.registers[base..];
        let found = self.groups.iter().find_map(|group| {
            let entries = group.by_fingerprint.get(&group.fingerprint(
                fingerprint,
                registers,
                board,
                table,
            ))?;
            entries
                .iter()
                .find(|chances| chances.entry_reads.fits(registers))
                .cloned()
        })?;
        self.hits += 1;
        self.misses = 0;
        self.saved += found.runs as u64;
        Some(found)
    }

    /// Whether lookups are left out now.
    pub fn is_paused(&self) -> bool {
        self.pause > 0
    }

    /// Stores how the block ends.
    pub fn insert(
        &mut self,
        fingerprint: u128,
        state: &State,
        base: usize,
        board: &BoardBits,
        table: &StateTable,
        chances: Arc<BlockChances>,
    ) {
        let (values, reads) = (&chances.entry_reads.values, &chances.reads);
        let index = self
            .groups
            .iter()
            .position(|group| group.values == *values && group.reads == *reads)
            .unwrap_or_else(|| {
                if self.groups.len() == MAX_READS {
                    self.groups.remove(0);
                }
                self.groups.push(EntryGroup {
                    values: values.clone(),
                    reads: reads.clone(),
                    by_fingerprint: FxHashMap::default(),
                });
                self.groups.len() - 1
            });
        let group = &mut self.groups[index];
        let fingerprint = group.fingerprint(fingerprint, &state.registers[base..], board, table);
        let entries = group.by_fingerprint.entry(fingerprint).or_default();
        if entries.len() == MAX_ENTRIES {
            entries.remove(0);
        }
        entries.push(chances);
    }

    /// Leaves the block out for a while: it is a throw whose every result goes on by itself.
    pub fn leave_out(&mut self) {
        self.pause = 4 * REVIEW.2;
    }

    /// Records a count that took some runs, and whether it was given up because it would have taken more.
    pub fn note_count(&mut self, runs: u64, is_given_up: bool) {
        self.used += runs;
        if is_given_up {
            self.needed = self.needed.max(runs).saturating_mul(2);
        }
        self.misses += 1;
        if self.misses > MAX_MISSES {
            self.misses = 0;
            self.pause = REVIEW.2;
        }
    }
}

impl EntryGroup {
    fn fingerprint(
        &self,
        fingerprint: u128,
        registers: &[Value],
        board: &BoardBits,
        table: &StateTable,
    ) -> u128 {
        let mut digest = Digest::default();
        [(fingerprint >> 64) as u64, fingerprint as u64]
            .into_iter()
            .for_each(|half| digest.add(half));
        EntryReads::add_values(self.values.iter(), registers, &mut digest);
        digest
            .finish()
            .wrapping_add(table.fingerprint(board, &self.reads))
    }
}
