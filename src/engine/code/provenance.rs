//! Provenance tracker: records the cases and cells that decided each register and figure. Runs only when citations are wanted.

use crate::code::bytecode::Operand;
use crate::code::source_sets::{
    EMPTY_SET, SourceSetId, SourceSets, get_mut_or_grow, get_or_default,
};
use crate::situation::cell_key::{Access, CellKey};
use crate::situation::trace::ValueSource;
use crate::situation::value::Value;
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
    /// Sources of the arguments and of the decision to call the function, without its case.
    pub input_set: SourceSetId,
    /// Sources of the figures read since the call.
    pub figure_set: SourceSetId,
    /// Where its arguments begin in the list of all.
    pub first_arg: usize,
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
    /// The arguments of all frames.
    pub args: Vec<Value>,
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
    /// Returns what decided every requirement checked so far, which are the sources of a refusal.
    pub fn guard_sources(&self) -> Vec<ValueSource> {
        self.sources.decided(self.guard_set, EMPTY_SET, false)
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
        let (mut wrote, mut read_set) = (false, EMPTY_SET);
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
            self.extend_set(
                &mut read_set,
                get_or_default(&self.implicit_sources, column),
            );
            // Fast path: most columns are never written.
            let written = get_or_default(&self.column_sources, column);
            if written != EMPTY_SET {
                let figure_set = if is_cell {
                    self.cell_sources.get(figure).copied().unwrap_or(EMPTY_SET)
                } else {
                    written
                };
                self.extend_set(&mut read_set, figure_set);
            }
        }
        self.extend_set(set, read_set);
        self.note_figures(read_set);
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

    /// Adds the sources of figures that the innermost function has read.
    pub fn note_figures(&mut self, read_set: SourceSetId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.figure_set = self.sources.union(frame.figure_set, read_set);
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

    /// Pushes a frame for a function whose arguments are in registers from `base` on; `call_set` decided to call it, and it is in a case.
    pub fn enter_function(
        &mut self,
        (base, args): (usize, &[Value]),
        call_set: SourceSetId,
        case_set: SourceSetId,
    ) {
        let input_set = (base..base + args.len()).fold(call_set, |set, register| {
            self.sources.union(set, self.register_sources(register))
        });
        let entry_set = self.sources.union(call_set, case_set);
        self.frames.push(ProvenanceFrame {
            entry_set,
            control_set: entry_set,
            input_set,
            figure_set: EMPTY_SET,
            first_arg: self.args.len(),
            base,
            first_branch: self.open_branches.len(),
            pending: PendingOperation::default(),
        });
        self.args.extend_from_slice(args);
    }

    /// Notes that the open branches of a condition came out as if it weren't there: but for amendments, their sources were merely asked.
    pub fn skip_branches(&mut self, is_of_condition: impl Fn(usize) -> bool) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.control_set = frame.entry_set;
        for branch in &mut self.open_branches[frame.first_branch..] {
            if is_of_condition(branch.join_index) {
                branch.set = self.sources.asked(branch.set, None);
            }
            frame.control_set = self.sources.union(frame.control_set, branch.set);
        }
    }

    /// Pops frames until `frames` remain.
    pub fn unwind_to(&mut self, frames: usize) {
        if let Some(frame) = self.frames.get(frames) {
            // The next function must not inherit the sources of old registers.
            self.register_sources.truncate(frame.base);
            self.open_branches.truncate(frame.first_branch);
            self.args.truncate(frame.first_arg);
            let figure_set = self.frames[frames..].iter().fold(EMPTY_SET, |set, frame| {
                self.sources.union(set, frame.figure_set)
            });
            self.frames.truncate(frames);
            self.note_figures(figure_set);
        }
    }

    /// Returns what decided the innermost condition that a value depends on, if nothing else decided the value.
    pub fn nearest_sources(&self, value_set: SourceSetId) -> Vec<ValueSource> {
        let is_fixed = self
            .sources
            .decided(value_set, self.control_set(), false)
            .is_empty();
        let mut end = self.open_branches.len();
        for frame in self.frames.iter().rev().filter(|_| is_fixed) {
            for index in (frame.first_branch..end).rev() {
                let outer = if index > frame.first_branch {
                    self.open_branches[index - 1].set
                } else {
                    frame.entry_set
                };
                let sources = self
                    .sources
                    .decided(self.open_branches[index].set, outer, false);
                if !sources.is_empty() {
                    return sources;
                }
            }
            end = frame.first_branch;
        }
        Vec::new()
    }

    /// Returns the control-flow sources of the innermost frame.
    pub fn control_set(&self) -> SourceSetId {
        self.frames
            .last()
            .map_or(EMPTY_SET, |frame| frame.control_set)
    }
}
