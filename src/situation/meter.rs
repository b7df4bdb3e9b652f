//! How much memory a run has taken: one budget for registers, board, trace, outcomes and texts.
//!
//! Bytes are added where values are made and where something is written down, and are never taken off: the sum is an upper estimate, which
//! costs an addition. Where it passes a mark, the machine measures what is really alive, and goes on from there.

use crate::situation::value::{HashedText, Value};
use rustc_hash::FxHashSet;

/// Bytes that one run may take.
pub const MEMORY: u64 = 512 << 20;

/// Bytes that a figure of the board takes beside its value.
pub const FIGURE: u64 = 64;

/// Bytes that a value takes beside its letters, once it is written out in a ruling.
const WRITTEN: u64 = 100;

/// The least that is made from one measurement to the next.
const STEP: u64 = 8 << 20;

/// Bytes that a run has taken.
#[derive(Clone, Debug)]
pub struct Meter {
    /// An upper estimate of all that is alive.
    used: u64,
    /// Of it, what was written down: events, and what their text will take. It stays to the end.
    written: u64,
    /// Where to measure next.
    mark: u64,
    /// How much it was when the run stopped last.
    stop: u64,
}

impl Default for Meter {
    fn default() -> Meter {
        Meter { used: 0, written: 0, mark: MEMORY / 2, stop: 0 }
    }
}

impl Meter {
    /// Adds the bytes of a value that was made.
    #[inline]
    pub fn made(&mut self, bytes: u64) {
        self.used += bytes;
    }

    /// Adds the bytes of something that stays to the end of the run.
    #[inline]
    pub fn wrote(&mut self, bytes: u64) {
        self.used += bytes;
        self.written += bytes;
    }

    /// Goes on after another run of the same game, whose lines are kept.
    pub fn follows(&mut self, before: &Meter) {
        self.wrote(before.written);
    }

    /// The run has stopped, and goes on from here.
    pub fn stopped(&mut self) {
        self.stop = self.used;
    }

    /// An upper estimate of what was made since the run stopped last.
    pub fn since_stop(&self) -> u64 {
        self.used - self.stop
    }

    /// Whether it is time to measure.
    #[inline]
    pub fn is_past_mark(&self) -> bool {
        self.used > self.mark
    }

    /// Goes on from what is alive. Whether that is within the budget.
    pub fn measured(&mut self, values: u64) -> bool {
        self.used = self.written + values;
        self.stop = 0;
        self.mark = self.used + (MEMORY.saturating_sub(self.used) / 2).max(STEP);
        self.used <= MEMORY
    }
}

/// Measures values; what several of them share is counted once.
#[derive(Default)]
pub struct Scale {
    /// The bytes so far.
    pub bytes: u64,
    seen: FxHashSet<usize>,
}

impl Scale {
    /// Adds a value with all that is inside it.
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
        // The head of what is shared, and its place among those seen.
        self.bytes += if new { 64 } else { 0 };
        new
    }
}

/// Bytes of a value and of its text, once it is written out in a ruling, a page or a document.
pub fn written(value: &Value) -> u64 {
    let size = value.size();
    u64::from(size.values) * WRITTEN + u64::from(size.bytes) * 4
}
