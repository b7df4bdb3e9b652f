//! What everything came from, while somebody reads the ruling: every register and every figure carries the cases and cells that decided it.

mod cached_provenance;

pub use cached_provenance::{CachedProvenance, ProvenanceInterner};

use crate::code::bytecode::Operand;
use crate::code::source_sets::{EMPTY_SET, SourceSetId, SourceSets, get_mut_or_grow, get_or_default};
use crate::data::table::Table;
use crate::situation::cell_key::{Access, CellKey};
use crate::situation::column_set::ColumnSet;
use crate::situation::fingerprint::mix;
use cached_provenance::{IdRemap, MemoFrame};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// No register.
pub const NO_REGISTER: usize = usize::MAX;

/// What an operation gives, while it is carried out.
#[derive(Clone, Copy, Debug)]
pub struct PendingOperation {
    /// What it was given came from here; what it reads is added.
    pub set: SourceSetId,
    /// The registers that it sets, among those of all functions.
    pub targets: [usize; 2],
}

impl Default for PendingOperation {
    fn default() -> PendingOperation {
        PendingOperation { set: EMPTY_SET, targets: [NO_REGISTER; 2] }
    }
}

/// A function under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProvenanceFrame {
    /// What led into it, the case it stands in among it.
    pub entry_set: SourceSetId,
    /// What led to where it stands.
    pub control_set: SourceSetId,
    /// Its first register, among those of all functions.
    pub base: usize,
    /// How many partings were open when it began.
    pub first_branch: usize,
    /// The operation before.
    pub pending: PendingOperation,
}

/// Ways have parted, and have not met again.
#[derive(Clone, Copy, Debug)]
pub struct OpenBranch {
    /// Which join of the function it is.
    pub join_index: usize,
    /// The operation where they meet.
    pub join_op: u32,
    /// What decided.
    pub set: SourceSetId,
}

/// What everything came from.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    /// Sources and sets.
    pub sources: SourceSets,
    /// By register, among those of all functions.
    pub register_sources: Vec<SourceSetId>,
    /// By function under way, the innermost last.
    pub frames: Vec<ProvenanceFrame>,
    /// Where ways have parted, function by function.
    pub open_branches: Vec<OpenBranch>,
    /// Where they have parted just now: the join, and what decided.
    pub pending_branch: Option<(usize, SourceSetId)>,
    /// Whether the operation before has left something to be settled, even where nothing was read since.
    pub has_pending: bool,
    /// By figure, where one was written.
    cell_sources: FxHashMap<CellKey, SourceSetId>,
    /// By column, for all figures of it that were written.
    column_sources: Vec<SourceSetId>,
    /// By column, where some figure of it might have been written.
    implicit_sources: Vec<SourceSetId>,
    /// What was required so far, and held.
    pub guard_set: SourceSetId,
    /// The outcomes named so far.
    pub outcome_set: SourceSetId,
    /// How many events were looked at.
    pub events_seen: usize,
    /// Functions under way whose answers will be remembered, the innermost last.
    memo_frames: Vec<MemoFrame>,
    /// The sources met since the first of them began, each alone.
    seen_sources: Vec<SourceSetId>,
    /// By set, the number of the origin in which it was met last.
    last_seen_in: Vec<u64>,
    /// Of the one that is just answering: what its answer came from, what was required, and how many sources were met before.
    last_answer: Option<(SourceSetId, SourceSetId, usize)>,
    /// Which sets of an archive have the sources of which of these.
    id_remap: IdRemap,
    /// By column, the fingerprints of all its figures with their sets, added up.
    column_sums: Vec<u64>,
    /// The columns of which figures were or might have been written.
    tracked_columns: ColumnSet,
}

impl Provenance {
    /// Adds to a set.
    #[inline]
    pub fn extend_set(&mut self, set: &mut SourceSetId, more: SourceSetId) {
        *set = self.sources.union(*set, more);
    }

    /// Writes down where the value of a register came from.
    #[inline]
    pub fn set_register_sources(&mut self, register: usize, set: SourceSetId) {
        *get_mut_or_grow(&mut self.register_sources, register) = set;
    }

    /// Where the value of a register came from.
    #[inline]
    pub fn register_sources(&self, register: usize) -> SourceSetId {
        get_or_default(&self.register_sources, register)
    }

    /// Adds where the value of an operand came from to a set, in a function whose registers begin at `base`.
    #[inline]
    pub fn add_operand(&mut self, set: SourceSetId, base: usize, operand: Operand) -> SourceSetId {
        match operand.register() {
            Some(register) => self.sources.union(set, self.register_sources(base + register as usize)),
            None => set,
        }
    }

    /// The operation before has been carried out: what it gives comes from what it was given, and from this.
    pub fn complete_pending(&mut self, more: SourceSetId) {
        self.has_pending = false;
        let Some(way) = self.frames.last_mut() else { return };
        let PendingOperation { mut set, targets: to } = std::mem::take(&mut way.pending);
        self.extend_set(&mut set, more);
        for register in to {
            if register != NO_REGISTER {
                self.set_register_sources(register, set);
            }
        }
    }

    /// What figures were read adds to a set; those written then have it.
    pub fn apply_accesses(&mut self, noted: &[Access], set: &mut SourceSetId) {
        let mut wrote = false;
        for note in noted {
            let (figure, alone) = match note {
                Access::Read(figure) => (figure, true),
                Access::ReadColumn(first) => (first, false),
                Access::Write(_) => {
                    wrote = true;
                    continue;
                }
            };
            let slot = figure.column_index();
            self.extend_set(set, get_or_default(&self.implicit_sources, slot));
            // Most columns are never written in a ruling.
            let written = get_or_default(&self.column_sources, slot);
            if written != EMPTY_SET {
                let more = if alone { self.cell_sources.get(figure).copied().unwrap_or(EMPTY_SET) } else { written };
                self.extend_set(set, more);
            }
        }
        if !wrote {
            return;
        }
        for note in noted {
            if let Access::Write(figure) = note {
                let slot = figure.column_index();
                let before = self.cell_sources.insert(*figure, *set);
                let mut stamp = |set: SourceSetId| mix(figure.row() as u64, self.sources.fingerprint(set));
                let (new, old) = (stamp(*set), before.map_or(0, &mut stamp));
                let sum = get_mut_or_grow(&mut self.column_sums, slot);
                *sum = sum.wrapping_add(new).wrapping_sub(old);
                let all = get_mut_or_grow(&mut self.column_sources, slot);
                *all = self.sources.union(*all, *set);
                self.tracked_columns.insert(slot);
            }
        }
    }

    /// Some columns might have been written, had something come out otherwise.
    pub fn mark_may_write(&mut self, columns: &[usize], set: SourceSetId) {
        for slot in columns {
            let known = get_mut_or_grow(&mut self.implicit_sources, *slot);
            *known = self.sources.union(*known, set);
            self.tracked_columns.insert(*slot);
        }
    }

    /// Ways part: what follows depends on this, until they meet again at an operation.
    pub fn enter_branch(&mut self, join: usize, at: u32, set: SourceSetId) {
        let Some(way) = self.frames.last_mut() else { return };
        match self.open_branches[way.first_branch..].iter_mut().find(|known| known.join_index == join) {
            Some(known) => known.set = self.sources.union(known.set, set),
            None => self.open_branches.push(OpenBranch { join_index: join, join_op: at, set }),
        }
        way.control_set = self.sources.union(way.control_set, set);
        self.pending_branch = Some((join, set));
    }

    /// A function begins, whose registers begin at `base`, and what led into it.
    pub fn enter_function(&mut self, base: usize, into: SourceSetId) {
        self.frames.push(ProvenanceFrame {
            entry_set: into,
            control_set: into,
            base,
            first_branch: self.open_branches.len(),
            pending: PendingOperation::default(),
        });
    }

    /// Functions end, until so many are under way.
    pub fn unwind_to(&mut self, frames: usize) {
        if let Some(way) = self.frames.get(frames) {
            // Whoever has its registers next is not to find in them what they came from before.
            self.register_sources.truncate(way.base);
            self.open_branches.truncate(way.first_branch);
            self.frames.truncate(frames);
        }
    }

    /// What led to where the innermost function stands.
    pub fn control_set(&self) -> SourceSetId {
        self.frames.last().map_or(EMPTY_SET, |way| way.control_set)
    }

    /// The set of a case that has a part in what comes.
    pub fn cite_case(&mut self, case: usize) -> SourceSetId {
        let set = self.sources.case_set(case);
        self.record_source(set)
    }

    /// The set of a cell that was read.
    pub fn cite_cell(&mut self, table: &Arc<Table>, index: usize) -> SourceSetId {
        let set = self.sources.cell_set(table, index);
        self.record_source(set)
    }

    fn record_source(&mut self, source: SourceSetId) -> SourceSetId {
        if !self.memo_frames.is_empty() {
            self.seen_sources.push(source);
        }
        source
    }
}
