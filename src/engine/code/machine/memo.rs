//! Memoization: reuses the answer of a function called with the same arguments while the columns it read are unchanged.
//!
//! Only pure functions are memoized: they don't throw, request choices, record outcomes or change the board. The columns that a function
//! reads are recorded while it runs, so authors declare nothing. Functions that are cheap or rarely hit are excluded. An answer that
//! depends only on the map is valid on every board with the same map. Runs that record calls and reads are not memoized.
//!
//! It pays where a count or a game asks the map again and again: a count of a whole attack takes 1.8 times as long without it, whole games
//! 1.5 to 1.7 times, odds of one fight 1.25 times, a ruling and all examples the same.

use crate::code::state::State;
use crate::situation::board::Board;
use crate::situation::cell_key::{ColumnBits, EntityKind, ReadSet, kind_of_column};
use crate::situation::column_set::ColumnSet;
use crate::situation::fingerprint::mix;
use crate::situation::initial_board::InitialBoard;
use crate::situation::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Maximum weight of all entries; beyond it the table is cleared. A quarter or twelve times as many run all examples in the same time, but
/// more of them use up the memory.
const MAX_ENTRIES: usize = 8_000;
/// Bytes of arguments and value that weigh as much as an entry.
const BYTES: u64 = 4_096;
/// Maximum number of entries for the same call on different boards. The oldest is evicted.
const MAX_PER_KEY: usize = 8;
/// Number of recordings after which a function's cost is judged.
const TRIAL_RECORDINGS: u32 = 16;
/// Number of lookups after which a function's hit rate is judged.
const REVIEW_INTERVAL: u32 = 256;
/// Minimum average number of steps per call for a function to be memoized.
const MIN_STEPS_PER_CALL: u32 = 2;

/// A memoized answer.
pub struct MemoEntry {
    args: Box<[Value]>,
    /// The columns read, with their fingerprints.
    column_fingerprints: Box<[(u16, u64)]>,
    /// Whether all columns read were as on the initial board.
    at_start: bool,
    read_columns: ColumnSet,
    /// The figures read, if an access recorder was active.
    read_set: Option<ReadSet>,
    /// The answer.
    pub value: Value,
    /// Number of steps of the call. A hit counts as many, so that limits do not depend on the memo.
    steps: u64,
}

impl MemoEntry {
    /// Whether the columns read are unchanged.
    fn matches_board(&self, board: &mut Board) -> bool {
        let is_untouched = self.at_start && self.read_columns.is_disjoint(&board.written_columns);
        is_untouched
            || self
                .column_fingerprints
                .iter()
                .all(|(column, fingerprint)| {
                    board.column_fingerprint(*column as usize) == *fingerprint
                })
    }
}

/// Call statistics of a function, which decide whether memoization pays off.
#[derive(Clone, Copy, Default)]
struct CallStats {
    lookups: u32,
    hits: u32,
    /// Number of steps in all recordings.
    total_steps: u32,
    recordings: u32,
    /// Whether any answer depends only on the map.
    depends_on_map_only: bool,
    disabled: bool,
}

/// A memo frame: a call in progress whose answer will be stored.
struct Recording {
    function: u32,
    key: u64,
    args: Box<[Value]>,
    /// Number of frames below the call.
    depth: usize,
    outer_reads: ColumnSet,
    outer_scope: Option<(ColumnBits, ColumnBits)>,
    write_count: u64,
    allocation_counts: (usize, usize),
    outcome_count: usize,
    steps: u64,
}

/// Entries by hash of function and arguments.
#[derive(Default)]
struct MemoTable {
    entries: FxHashMap<u64, Vec<Rc<MemoEntry>>>,
    count: usize,
}

impl MemoTable {
    fn find(&self, key: u64, mut fits: impl FnMut(&MemoEntry) -> bool) -> Option<Rc<MemoEntry>> {
        self.entries
            .get(&key)?
            .iter()
            .rev()
            .find(|entry| fits(entry))
            .cloned()
    }

    fn insert(&mut self, key: u64, entry: MemoEntry) {
        if self.count >= MAX_ENTRIES {
            self.clear();
        }
        let list = self.entries.entry(key).or_default();
        if list.len() >= MAX_PER_KEY {
            list.remove(0);
        } else {
            self.count += 1;
        }
        let bytes: u64 = entry
            .args
            .iter()
            .chain([&entry.value])
            .map(|value| u64::from(value.size().bytes) + 24 * u64::from(value.size().values))
            .sum();
        self.count += (bytes / BYTES) as usize;
        list.push(Rc::new(entry));
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.count = 0;
    }
}

/// The memo of a machine.
#[derive(Default)]
pub struct Memo {
    /// Entries that are valid for the current initial board.
    board_entries: MemoTable,
    /// Entries that are valid for every board with the same map.
    map_entries: MemoTable,
    /// Call statistics by function.
    call_stats: Vec<CallStats>,
    recordings: Vec<Recording>,
    start: Option<Arc<InitialBoard>>,
}

impl Memo {
    /// Prepares for a run. Entries of another initial board are dropped.
    pub fn begin(&mut self, state: &State) {
        self.recordings.clear();
        let start = &state.board.start;
        let before = self.start.as_ref();
        if before.is_some_and(|before| Arc::ptr_eq(before, start)) {
            return;
        }
        if before
            .is_none_or(|before| before.geography.fingerprint() != start.geography.fingerprint())
        {
            self.map_entries.clear();
        }
        self.board_entries.clear();
        self.start = Some(start.clone());
    }

    /// Looks up the answer of a call whose arguments are in these registers. On a miss, starts a recording.
    pub fn lookup(
        &mut self,
        state: &mut State,
        function: u32,
        args: Range<usize>,
    ) -> Option<Rc<MemoEntry>> {
        let index = function as usize;
        if self.call_stats.len() <= index {
            self.call_stats.resize(index + 1, CallStats::default());
        }
        let stats = &mut self.call_stats[index];
        if stats.disabled {
            return None;
        }
        stats.lookups += 1;
        // Judge the hit rate. Map queries rarely repeat at first, so they get more lookups.
        let interval = if stats.depends_on_map_only {
            REVIEW_INTERVAL * 16
        } else {
            REVIEW_INTERVAL
        };
        if stats.lookups.is_multiple_of(interval) {
            stats.disabled = stats.hits < interval / 8;
            stats.hits = 0;
        }
        let args = &state.registers[args];
        let key = args.iter().fold(u64::from(function), |key, value| {
            mix(key, value.fingerprint())
        });
        let is_recording = state
            .board
            .recorder
            .as_ref()
            .is_some_and(|recorder| recorder.log.is_none());
        let board = &mut state.board;
        let mut fits = |entry: &MemoEntry| {
            let has_reads = !is_recording || entry.read_set.is_some();
            has_reads && *entry.args == *args && entry.matches_board(board)
        };
        let entry = if stats.depends_on_map_only {
            self.map_entries.find(key, &mut fits)
        } else {
            None
        };
        let entry = entry.or_else(|| self.board_entries.find(key, &mut fits));
        if let Some(entry) = entry {
            stats.hits += 1;
            state.board.read_columns.union_with(&entry.read_columns);
            if let (Some(recorder), Some(read_set)) = (&mut state.board.recorder, &entry.read_set) {
                recorder.add_reads(read_set);
            }
            state.steps += entry.steps;
            return Some(entry);
        }
        self.recordings.push(Recording {
            function,
            key,
            args: args.into(),
            depth: state.frames.len(),
            outer_reads: std::mem::take(&mut state.board.read_columns),
            outer_scope: state
                .board
                .recorder
                .as_mut()
                .filter(|_| is_recording)
                .map(|recorder| recorder.push_scope()),
            write_count: state.board.write_count,
            allocation_counts: state.board.allocation_counts(),
            outcome_count: state.outcomes.len(),
            steps: state.steps,
        });
        state.board.record_name_reads(args);
        None
    }

    /// Ends the recording of the function that has just returned, if there is one, and stores its answer if the call was pure.
    pub fn finish_recording(&mut self, state: &mut State, value: &Value) {
        if self
            .recordings
            .last()
            .is_none_or(|recording| recording.depth != state.frames.len())
        {
            return;
        }
        let Some(recording) = self.recordings.pop() else {
            return;
        };
        let unchanged = state.board.write_count == recording.write_count
            && state.board.allocation_counts() == recording.allocation_counts;
        let pure = unchanged && state.outcomes.len() == recording.outcome_count;
        let steps = state.steps - recording.steps;
        let (function, key, args) = (
            recording.function as usize,
            recording.key,
            recording.args.clone(),
        );
        let (columns, read_set) = Memo::close_scope(state, recording);
        let stats = &mut self.call_stats[function];
        stats.recordings += 1;
        stats.total_steps = stats.total_steps.saturating_add(steps as u32);
        stats.disabled |= !pure
            || stats.recordings == TRIAL_RECORDINGS
                && stats.total_steps < TRIAL_RECORDINGS * MIN_STEPS_PER_CALL;
        if !pure || stats.disabled {
            return;
        }
        let fingerprints: Box<[_]> = columns
            .iter()
            .map(|column| (column as u16, state.board.column_fingerprint(column)))
            .collect();
        let at_start = fingerprints
            .iter()
            .all(|(_, fingerprint)| *fingerprint == 0);
        let entry = MemoEntry {
            args,
            column_fingerprints: fingerprints,
            at_start,
            read_columns: columns,
            read_set,
            value: value.clone(),
            steps,
        };
        let is_portable = !entry.args.iter().chain([&entry.value]).any(is_board_bound);
        let is_map_only =
            is_portable && entry.read_set.is_none() && entry.read_columns.iter().all(is_map_column);
        self.call_stats[function].depends_on_map_only |= is_map_only;
        if is_map_only {
            self.map_entries.insert(key, entry)
        } else {
            self.board_entries.insert(key, entry)
        }
    }

    /// Aborts the recordings above `frames` frames, because the machine stops or unwinds before they return.
    pub fn abort_recordings(&mut self, state: &mut State, frames: usize) {
        while let Some(recording) = self
            .recordings
            .pop_if(|recording| recording.depth >= frames)
        {
            self.call_stats[recording.function as usize].disabled = true;
            Memo::close_scope(state, recording);
        }
    }

    /// Returns the columns and figures read during a recording, and adds them to those of the outer recording.
    fn close_scope(state: &mut State, recording: Recording) -> (ColumnSet, Option<ReadSet>) {
        let mut columns = recording.outer_reads;
        std::mem::swap(&mut columns, &mut state.board.read_columns);
        state.board.read_columns.union_with(&columns);
        let read_set = match (&mut state.board.recorder, recording.outer_scope) {
            (Some(recorder), Some(before)) => Some(recorder.pop_scope(before)),
            _ => None,
        };
        (columns, read_set)
    }
}

/// Whether a column belongs to places or to the sides between them.
fn is_map_column(slot: usize) -> bool {
    matches!(kind_of_column(slot), EntityKind::Place | EntityKind::Side)
}

/// Whether a value is valid on one board only.
fn is_board_bound(value: &Value) -> bool {
    match value {
        Value::Piece(_) | Value::Record(_) | Value::Closure(_) => true,
        Value::List(list) => list.iter().any(is_board_bound),
        Value::Map(map) => map.entries().iter().any(|(_, value)| is_board_bound(value)),
        _ => false,
    }
}
