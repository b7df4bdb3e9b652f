//! The answers to throws that were requested before, shared by all states that wait for them.

use crate::odds::answer::{WeightedAnswers, answer_bytes};
use crate::odds::state_table::StateTable;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The number of throws whose answers are kept though no state waits for them. What can be drawn is another throw after each draw.
const MAX_UNUSED: usize = 64;

/// The share of the memory limit that the answers may take before those that no state waits for are dropped.
const MEMORY_SHARE: u64 = 8;

/// Answers to throws, by the fingerprint of what is thrown and read.
#[derive(Default)]
pub struct AnswerTable {
    by_fingerprint: FxHashMap<u64, WeightedAnswers>,
    bytes: u64,
    /// The number of throws that states waited for when the others were last dropped.
    used: usize,
}

impl AnswerTable {
    /// Returns the answers to a throw, if they are known.
    pub fn get(&self, key: u64) -> Option<WeightedAnswers> {
        self.by_fingerprint.get(&key).cloned()
    }

    /// Stores the answers to a throw.
    pub fn insert(&mut self, key: u64, answers: WeightedAnswers, table: &StateTable) {
        let bytes = answer_bytes(&answers);
        let are_many = self.by_fingerprint.len() >= 2 * self.used + MAX_UNUSED;
        if are_many || self.bytes + bytes > table.budget.room() / MEMORY_SHARE {
            self.drop_unused(table);
        }
        table.take(bytes);
        self.bytes += bytes;
        self.by_fingerprint.insert(key, answers);
    }

    /// Drops the answers that no state waits for.
    pub fn drop_unused(&mut self, table: &StateTable) {
        let mut freed = 0;
        self.by_fingerprint.retain(|_, answers| {
            let is_used = Arc::strong_count(answers) > 1;
            freed += if is_used { 0 } else { answer_bytes(answers) };
            is_used
        });
        table.free(freed);
        self.bytes -= freed;
        self.used = self.by_fingerprint.len();
    }
}
