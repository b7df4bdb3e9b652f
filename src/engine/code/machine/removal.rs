//! What an amendment decided: whether a function that has returned would have answered the same without it.
//!
//! Where citations are wanted, a function whose answer depends on an amendment is asked once more, with the same arguments and on the same
//! board, by a machine that leaves the amendment out. If it answers the same, the amendment was merely asked.

use super::execute::operand_value;
use super::{MAX_STEPS, Machine};
use crate::code::bytecode::{CompiledFunction, Operand};
use crate::code::program::FunctionSource;
use crate::code::source_sets::EMPTY_SET;
use crate::code::state::{State, Stop};
use crate::situation::board::Board;
use crate::situation::column_set::ColumnSet;
use crate::situation::trace::ValueSource;
use crate::situation::value::Value;
use std::rc::Rc;

/// Steps after which a function that is asked without an amendment is given up, and the amendment stays a cause.
const MAX_STEPS_WITHOUT: u64 = 2_000;

impl Machine {
    /// Makes amendments merely asked without which the function would answer the same. It is about to return the operand.
    pub(super) fn drop_undecided(
        &mut self,
        state: &mut State,
        (code, base): (&CompiledFunction, usize),
        src: Operand,
    ) {
        let (Some(frame), Some(answered)) = (state.frames.last().copied(), code.answer_slot) else {
            return;
        };
        if frame.has_stopped {
            return;
        }
        let Some(mut provenance) = state.provenance.take() else {
            return;
        };
        if let Some(mut tracked) = provenance.frames.pop() {
            let mut value_set = provenance.add_operand(EMPTY_SET, base, src);
            let set = provenance.sources.union(tracked.control_set, value_set);
            let inputs = provenance
                .sources
                .union(tracked.input_set, tracked.figure_set);
            let amendments = provenance.sources.decided(set, inputs, true);
            let is_pure = !amendments.is_empty() && self.is_pure(frame.function);
            for source in amendments.into_iter().filter(|_| is_pure) {
                let args = &provenance.args[tracked.first_arg..];
                if let ValueSource::Case(case) = source
                    && self
                        .answer_without(case, answered, args, &mut state.board)
                        .is_some_and(|without| {
                            without == *operand_value(&state.registers, &code.constants, base, src)
                        })
                {
                    tracked.control_set = provenance.sources.asked(tracked.control_set, Some(case));
                    value_set = provenance.sources.asked(value_set, Some(case));
                }
            }
            if let Some(register) = src.register() {
                provenance.set_register_sources(base + register as usize, value_set);
            }
            provenance.frames.push(tracked);
        }
        state.provenance = Some(provenance);
    }

    /// Returns what a function would answer if an amendment weren't there; `None` if that can't be said.
    fn answer_without(
        &mut self,
        case: usize,
        (slot, depth): (usize, usize),
        args: &[Value],
        board: &mut Board,
    ) -> Option<Value> {
        // What an entry of a list of changes does to other functions is compiled into them.
        if self.program.ruleset.cases[case].is_list() {
            return None;
        }
        let mut machine = self.without_case.remove(&case).unwrap_or_else(|| {
            let mut machine = Machine::new(self.program.clone());
            machine.left_out = Some(case);
            Box::new(machine)
        });
        machine.end = self.deadline;
        let source = FunctionSource::Answer(slot, depth);
        let mut answer = None;
        if machine.is_pure(self.program.function_number(source.clone())) {
            // The board itself, as what is known of its columns is lost with a copy.
            let (recorder, meter) = (board.recorder.take(), board.meter.clone());
            let mut alone = State {
                board: std::mem::take(board),
                ..State::default()
            };
            if machine.begin(&mut alone, source, args.to_vec()).is_ok() {
                alone.steps = MAX_STEPS - MAX_STEPS_WITHOUT;
                if let Stop::Done(value) = machine.run(&mut alone) {
                    answer = Some(value);
                }
            }
            *board = alone.board;
            (board.recorder, board.meter) = (recorder, meter);
        }
        self.without_case.insert(case, machine);
        answer
    }

    /// Whether a function changes nothing, so that it may be asked once more.
    fn is_pure(&mut self, function: u32) -> bool {
        self.function_effects(function, 0).0.written_columns == ColumnSet::default()
    }

    /// Returns the function that is called in place of one of the case that is left out.
    pub(super) fn replacement(&mut self, code: &CompiledFunction) -> Option<Rc<CompiledFunction>> {
        let (left_out, (slot, depth)) = (self.left_out?, code.answer_slot?);
        let answers = &self.program.ruleset.slots[slot].answers;
        let is_kept = |depth: &usize| answers[*depth].cited_case() != left_out;
        let older = (depth..answers.len())
            .find(is_kept)
            .filter(|older| *older != depth)?;
        let number = self
            .program
            .function_number(FunctionSource::Answer(slot, older));
        self.load(number).ok()
    }
}
