//! Counters in a graph: numbers that no rule reads, which are added to along its branches and reported. A graph that tells their numbers not
//! apart is finite where rounds are counted that have no end.
//!
//! A node has counters in a certain order. Along a branch an outcome may be named by one of them, and at its end a step says what becomes
//! of them. Both stand among the outcomes of the branch, in the order in which they happen.

use crate::odds::graph::{NameId, OutcomeNames, ValueId};
use casebook_engine::code::machine::live_state::{CounterId, CounterSum};
use casebook_engine::data::cache::lock_unpoisoned;
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The reserved name of a step of the counters.
pub const COUNTER_STEP: NameId = NameId::MAX - 3;

/// A counter of the node to which a branch leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SteppedCounter {
    pub id: CounterId,
    /// What it is of the counters of the node from which the branch comes.
    pub sum: CounterSum,
    /// Which of these it is.
    pub from: Option<CounterId>,
}

/// What a branch names an outcome by: a counter of the node from which it comes, with something added.
#[derive(Clone, Copy, Debug)]
pub struct ReportedCounter {
    pub id: CounterId,
    pub index: usize,
    /// What is added.
    pub added: i64,
}

/// How numbers pass through the counters of a graph.
pub struct CounterFlow {
    pub steps: Vec<Box<[SteppedCounter]>>,
    pub reports: FxHashMap<ValueId, ReportedCounter>,
}

/// The steps and reports of the counters of a graph, while it is made.
#[derive(Default)]
pub struct CounterTable {
    entries: Mutex<CounterEntries>,
    has_failed: AtomicBool,
}

#[derive(Default)]
struct CounterEntries {
    steps: Vec<Box<[SteppedCounter]>>,
    index_of_step: FxHashMap<Box<[SteppedCounter]>, ValueId>,
    reports: FxHashMap<ValueId, ReportedCounter>,
}

impl CounterTable {
    /// Gives up: a number was used otherwise than by adding to it and reporting it.
    pub fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
    }

    /// Whether the graph says nothing.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Returns the index of a step.
    pub fn intern_step(&self, step: Box<[SteppedCounter]>) -> ValueId {
        let mut entries = lock_unpoisoned(&self.entries);
        if let Some(index) = entries.index_of_step.get(&step) {
            return *index;
        }
        let index = entries.steps.len() as ValueId;
        entries.steps.push(step.clone());
        entries.index_of_step.insert(step, index);
        index
    }

    /// Returns the index of the value of a report.
    pub fn intern_report(&self, names: &OutcomeNames, report: ReportedCounter) -> ValueId {
        let ReportedCounter { id, index, added } = report;
        // No outcome has such a text.
        let value = names.intern_value(&format!(
            "\0{} {} {index} {added}",
            id.function, id.register
        ));
        lock_unpoisoned(&self.entries).reports.insert(value, report);
        value
    }

    /// Returns all steps and reports.
    pub fn into_flow(self) -> CounterFlow {
        let CounterEntries { steps, reports, .. } = self.entries.into_inner().unwrap_or_default();
        CounterFlow { steps, reports }
    }
}
