//! Memory accounting of a run: one budget for registers, board, trace, outcomes and texts.
//!
//! Allocated bytes are only added, so the sum is a cheap upper bound. When it passes a mark, the machine measures the live data and
//! continues from that value.

use crate::platform::task;
use crate::situation::value::{HashedText, Value};
use rustc_hash::FxHashSet;

/// Memory limit of a run in bytes unless the user sets another, and the least that can be set.
const RUN_MEMORY: (u64, u64) = (512 << 20, 32 << 20);

/// Overhead of a board cell, in bytes.
pub const CELL_BYTES: u64 = 64;

/// Overhead of a value in the text of a ruling, in bytes.
const VALUE_BYTES: u64 = 100;

/// Minimum allocation between two measurements, in bytes.
const MIN_STEP: u64 = 8 << 20;

/// Bytes used by a run.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Upper bound of the live bytes.
    used: u64,
    /// Part of `used` that lives to the end of the run: events and their text.
    written: u64,
    /// Value of `used` at which to measure again.
    mark: u64,
    /// Value of `used` at the last stop.
    stop: u64,
    /// Memory limit of the run.
    limit: u64,
}

impl Default for Meter {
    fn default() -> Meter {
        let (usual, minimum) = RUN_MEMORY;
        let limit = task::memory().map_or(usual, |memory| memory.max(minimum));
        Meter {
            used: 0,
            written: 0,
            mark: limit / 2,
            stop: 0,
            limit,
        }
    }
}

impl Meter {
    /// Returns the memory limit of the run in bytes.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Adds the bytes of a temporary value.
    #[inline]
    pub fn add_value(&mut self, bytes: u64) {
        self.used += bytes;
    }

    /// Adds bytes that live to the end of the run.
    #[inline]
    pub fn add_written(&mut self, bytes: u64) {
        self.used += bytes;
        self.written += bytes;
    }

    /// Continues after an earlier run of the same game, whose lines are kept.
    pub fn continue_from(&mut self, earlier: &Meter) {
        self.add_written(earlier.written);
    }

    /// Marks a stop of the run.
    pub fn mark_stop(&mut self) {
        self.stop = self.used;
    }

    /// Returns an upper bound of the bytes allocated since the last stop.
    pub fn since_stop(&self) -> u64 {
        self.used - self.stop
    }

    /// Returns whether to measure now.
    #[inline]
    pub fn is_past_mark(&self) -> bool {
        self.used > self.mark
    }

    /// Resets the estimate to the measured `values` bytes; returns whether it is within the limit.
    pub fn set_measured(&mut self, values: u64) -> bool {
        self.used = self.written + values;
        self.stop = 0;
        self.mark = self.used + (self.limit.saturating_sub(self.used) / 2).max(MIN_STEP);
        self.used <= self.limit
    }
}

/// Measures values; shared parts are counted once.
#[derive(Default)]
pub struct Scale {
    /// Bytes so far.
    pub bytes: u64,
    seen: FxHashSet<usize>,
}

impl Scale {
    /// Adds a value with its contents.
    pub fn add(&mut self, value: &Value) {
        self.bytes += size_of::<Value>() as u64;
        match value {
            Value::Text(text) | Value::Place(text) => self.text(text),
            Value::List(list) => {
                if self.is_new(list.address()) {
                    list.iter().for_each(|item| self.add(item));
                }
            }
            Value::Map(map) => {
                if self.is_new(map.address()) {
                    for (name, item) in map.entries() {
                        self.text(name);
                        self.add(item);
                    }
                }
            }
            other => self.bytes += other.allocated(),
        }
    }

    /// Adds a text.
    pub fn text(&mut self, text: &HashedText) {
        if self.is_new(text.address()) {
            self.bytes += text.len() as u64;
        }
    }

    fn is_new(&mut self, address: usize) -> bool {
        let new = self.seen.insert(address);
        // Header of the shared allocation, plus its entry in `seen`.
        self.bytes += if new { 64 } else { 0 };
        new
    }
}

/// Returns the bytes of a value with its text in a ruling, a page or a document.
pub fn written_bytes(value: &Value) -> u64 {
    let size = value.size();
    u64::from(size.values) * VALUE_BYTES + u64::from(size.bytes) * 4
}
