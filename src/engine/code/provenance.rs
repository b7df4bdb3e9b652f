//! Provenance tracker: records the cases and cells that decided each register and figure. Runs only when citations are wanted.

use crate::code::bytecode::Operand;
use crate::code::source_sets::{
    EMPTY_SET, SourceSetId, SourceSets, get_mut_or_grow, get_or_default,
};
use crate::situation::cell_key::{Access, CellKey};
use crate::situation::trace::ValueSource;
use rustc_hash::FxHashMap;

/// A placeholder for no register.
pub const NO_REGISTER: usize = usize::MAX;

/// An operation whose reads are not known yet.
#[derive(Clone, Copy, Debug)]
pub struct PendingOperation {
    /// Sources of the operation's inputs; reads are added after it runs.
    pub set: SourceSetId,
    /// Absolute indices of the registers it writes, or [`NO_REGISTER`].
    pub targets: [usize; 2],
}

impl Default for PendingOperation {
    fn default() -> PendingOperation {
        PendingOperation {
            set: EMPTY_SET,
            targets: [NO_REGISTER; 2],
        }
    }
}

/// The provenance of a call frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProvenanceFrame {
    /// Sources of the decision to call the function, including its case.
    pub entry_set: SourceSetId,
    /// Sources of the control flow at the current operation.
    pub control_set: SourceSetId,
    /// Absolute index of its first register.
    pub base: usize,
    /// Number of open branches at the call.
    pub first_branch: usize,
    /// The previous operation, until its reads are known.
    pub pending: PendingOperation,
}

/// A branch whose join point is not reached yet.
#[derive(Clone, Copy, Debug)]
pub struct OpenBranch {
    /// Index of the join point in its function.
    pub join_index: usize,
    /// The join operation.
    pub join_op: u32,
    /// Sources of the branch condition.
    pub set: SourceSetId,
}

/// The provenance of a running state.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    /// The interner of source sets.
    pub sources: SourceSets,
    /// Sources by absolute register.
    pub register_sources: Vec<SourceSetId>,
    /// Call frames, the innermost last.
    pub frames: Vec<ProvenanceFrame>,
    /// Open branches of all frames.
    pub open_branches: Vec<OpenBranch>,
    /// The branch just evaluated, until its successor is known: join index and sources of the condition.
    pub pending_branch: Option<(usize, SourceSetId)>,
    /// Sources of each written figure.
    cell_sources: FxHashMap<CellKey, SourceSetId>,
    /// Sources of all writes, by column.
    column_sources: Vec<SourceSetId>,
    /// Sources of the branches whose untaken paths may write, by column.
    implicit_sources: Vec<SourceSetId>,
    /// Sources of every requirement checked so far.
    pub guard_set: SourceSetId,
    /// Sources of the outcomes recorded so far.
    pub outcome_set: SourceSetId,
    /// Number of trace events already processed.
    pub events_seen: usize,
}

impl Provenance {
    /// Returns the sources of every requirement checked so far, which are those of a refusal.
    pub fn guard_sources(&self) -> Vec<ValueSource> {
        self.sources.members(self.guard_set)
    }

    /// Adds the sources of `added` to a set.
    #[inline]
    pub fn extend_set(&mut self, set: &mut SourceSetId, added: SourceSetId) {
        *set = self.sources.union(*set, added);
    }

    #[inline]
    pub fn set_register_sources(&mut self, register: usize, set: SourceSetId) {
        *get_mut_or_grow(&mut self.register_sources, register) = set;
    }

    #[inline]
    pub fn register_sources(&self, register: usize) -> SourceSetId {
        get_or_default(&self.register_sources, register)
    }

    /// Adds the sources of an operand to a set. `base` is the first register of the function.
    #[inline]
    pub fn add_operand(&mut self, set: SourceSetId, base: usize, operand: Operand) -> SourceSetId {
        match operand.register() {
            Some(register) => self
                .sources
                .union(set, self.register_sources(base + register as usize)),
            None => set,
        }
    }

    /// Completes the previous operation: its targets get the sources of its inputs and `added`.
    pub fn complete_pending(&mut self, added: SourceSetId) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let PendingOperation { mut set, targets } = std::mem::take(&mut frame.pending);
        self.extend_set(&mut set, added);
        for register in targets {
            if register != NO_REGISTER {
                self.set_register_sources(register, set);
            }
        }
    }

    /// Adds the sources of the figures read to a set, then assigns that set to the figures written.
    pub fn apply_accesses(&mut self, accesses: &[Access], set: &mut SourceSetId) {
        let mut wrote = false;
        for access in accesses {
            let (figure, is_cell) = match access {
                Access::Read(figure) => (figure, true),
                Access::ReadColumn(first) => (first, false),
                Access::Write(_) => {
                    wrote = true;
                    continue;
                }
            };
            let column = figure.column_index();
            self.extend_set(set, get_or_default(&self.implicit_sources, column));
            // Fast path: most columns are never written.
            let written = get_or_default(&self.column_sources, column);
            if written != EMPTY_SET {
                let figure_set = if is_cell {
                    self.cell_sources.get(figure).copied().unwrap_or(EMPTY_SET)
                } else {
                    written
                };
                self.extend_set(set, figure_set);
            }
        }
        if !wrote {
            return;
        }
        for access in accesses {
            if let Access::Write(figure) = access {
                let column = figure.column_index();
                self.cell_sources.insert(*figure, *set);
                let of_column = get_mut_or_grow(&mut self.column_sources, column);
                *of_column = self.sources.union(*of_column, *set);
            }
        }
    }

    /// Records that an untaken branch may write these columns.
    pub fn mark_may_write(&mut self, columns: &[usize], set: SourceSetId) {
        for column in columns {
            let implicit = get_mut_or_grow(&mut self.implicit_sources, *column);
            *implicit = self.sources.union(*implicit, set);
        }
    }

    /// Opens a branch: operations up to the join depend on the sources in `set`.
    pub fn enter_branch(&mut self, join_index: usize, join_op: u32, set: SourceSetId) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        match self.open_branches[frame.first_branch..]
            .iter_mut()
            .find(|branch| branch.join_index == join_index)
        {
            Some(branch) => branch.set = self.sources.union(branch.set, set),
            None => self.open_branches.push(OpenBranch {
                join_index,
                join_op,
                set,
            }),
        }
        frame.control_set = self.sources.union(frame.control_set, set);
        self.pending_branch = Some((join_index, set));
    }

    /// Pushes a frame whose registers begin at `base`.
    pub fn enter_function(&mut self, base: usize, entry_set: SourceSetId) {
        self.frames.push(ProvenanceFrame {
            entry_set,
            control_set: entry_set,
            base,
            first_branch: self.open_branches.len(),
            pending: PendingOperation::default(),
        });
    }

    /// Pops frames until `frames` remain.
    pub fn unwind_to(&mut self, frames: usize) {
        if let Some(frame) = self.frames.get(frames) {
            // The next function must not inherit the sources of old registers.
            self.register_sources.truncate(frame.base);
            self.open_branches.truncate(frame.first_branch);
            self.frames.truncate(frames);
        }
    }

    /// Returns the control-flow sources of the innermost frame.
    pub fn control_set(&self) -> SourceSetId {
        self.frames
            .last()
            .map_or(EMPTY_SET, |frame| frame.control_set)
    }
}
