//! Changes that are lost. A function has copies of the lists and maps that it is handed, so what it changes in one of them has no effect unless it
//! reads the copy again or gives it back. Of a sheet, which all who hold it share, the change stays; only the run knows which of them it is.

use super::{Machine, live_registers};
use crate::code::bytecode::{CompiledFunction, Register};
use crate::complaint::{Complaint, DiagnosticCode};
use crate::syntax::parse::word_span;
use std::collections::BTreeMap;

/// By case, line and column: the changes of variables that are not read again, and whether one of them changed a sheet or a figure of the board.
pub type UnreadChanges = BTreeMap<(usize, (u32, u32)), bool>;

/// By file, line and column: a complaint of each change that was lost whenever it was made; `None` for one that was not.
pub type LostUpdates = BTreeMap<(String, (u32, u32)), Option<Complaint>>;

impl Machine {
    /// Records a change, if nothing from the operation `next` on reads the registers of what changed and of what the change gave back.
    pub(super) fn record_change(
        &mut self,
        code: &CompiledFunction,
        next: usize,
        registers: [Register; 2],
        is_shared: bool,
    ) {
        let Some(changes) = &mut self.unread_changes else {
            return;
        };
        let live = live_registers(code);
        if registers
            .iter()
            .all(|register| !live.is_live_before(next, *register as usize))
            && let (Some(case), Some(position)) = (code.case, code.positions.get(next - 1))
        {
            *changes.entry((case, *position)).or_default() |= is_shared;
        }
    }

    /// Adds the changes recorded so far to those of other runs.
    pub fn add_lost_updates(&mut self, all: &mut LostUpdates) {
        for ((case, position), is_shared) in self
            .unread_changes
            .take()
            .into_iter()
            .flat_map(|changes| *changes)
        {
            let case = &self.program.ruleset.cases[case];
            let lost = all.entry((case.file.path.clone(), position)).or_insert_with(|| {
                let message = "this changes a copy that the function neither reads again nor gives back";
                let complaint = case.complaint(DiagnosticCode::LostUpdate, word_span(position, case), message);
                Some(complaint.with_help("give the new value back, as in `side = after_hit(side)`, or hand on a sheet, `record(#{ ... })`"))
            });
            if is_shared {
                *lost = None;
            }
        }
    }
}
