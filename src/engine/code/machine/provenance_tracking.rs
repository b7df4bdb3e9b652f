//! Data flow rules of provenance, applied before each operation of a tracked run.
//!
//! The sources of a value are those of the operation's inputs, of the figures it reads, of the running case, and of every open branch. At a
//! join point, whatever a path may have written also gets the sources of the branch condition.

use super::Machine;
use crate::code::bytecode::{CompiledFunction, Operand, Operation, OperationEffects, Register};
use crate::code::flow::{BranchPath, DataFlow, OperationFlow, SkippedCondition};
use crate::code::lower::{data_flow, effects};
use crate::code::provenance::{NO_REGISTER, PendingOperation, Provenance, ProvenanceFrame};
use crate::code::source_sets::{EMPTY_SET, SourceSetId};
use crate::code::state::{Frame, State};
use crate::code::verbs::{self, AllowedIn};
use crate::ruleset::compose::Ruleset;
use crate::situation::cell_key::Access;
use crate::situation::trace::{Event, ValueSource};
use crate::situation::value::Value;

impl Machine {
    /// Drops the provenance of a state that continues without a trace, such as in a nested exploration.
    pub(super) fn drop_unused_provenance(&self, state: &mut State) {
        if self.trace.is_none() && state.provenance.take().is_some() {
            state.board.recorder = state
                .board
                .recorder
                .take()
                .filter(|recorder| recorder.log.is_none());
        }
    }

    /// Updates the provenance for the operation at `pc`. The first `floor` frames belong to the caller of a closure.
    pub(super) fn track_op(
        &mut self,
        state: &mut State,
        code: &CompiledFunction,
        (pc, base): (usize, usize),
        floor: usize,
    ) {
        let flow = match code.data_flow.get() {
            Some(flow) => flow,
            None => self.compute_data_flow(code),
        };
        let State {
            provenance: Some(provenance),
            frames,
            registers,
            board,
            ..
        } = state
        else {
            return;
        };
        let ruleset = &self.program.ruleset;
        let events = self.trace.as_deref_mut().unwrap_or_default();
        let accesses = board
            .recorder
            .as_mut()
            .and_then(|recorder| recorder.log.as_mut());
        let has_read = accesses
            .as_ref()
            .is_some_and(|accesses| !accesses.is_empty())
            || provenance.events_seen != events.len();
        if has_read || provenance.frames.len() != frames.len() {
            let args = registers.get(base..base + code.arity).unwrap_or_default();
            let call = (frames.len(), base, args);
            finish_previous_op(provenance, (code, ruleset), call, events, accesses);
        } else {
            provenance.complete_pending(EMPTY_SET);
        }
        if let Some((join, set)) = provenance.pending_branch.take() {
            let case = code.cited_case.or(code.case);
            note_taken_branch(provenance, (flow, case), (join, pc), set);
        }
        if flow.ops[pc].is_join {
            join_branches(provenance, flow, (pc, base));
        }
        if let Operation::Return { src } = code.ops[pc] {
            self.drop_undecided(state, (code, base), src);
        }
        let State {
            provenance: Some(provenance),
            frames,
            registers,
            ..
        } = state
        else {
            return;
        };
        propagate(
            (registers, frames),
            provenance,
            (code, flow),
            (pc, base),
            floor,
        );
    }

    #[cold]
    pub(super) fn compute_data_flow<'a>(&mut self, code: &'a CompiledFunction) -> &'a DataFlow {
        let effects = self.compute_effects(code);
        code.data_flow
            .get_or_init(|| data_flow::find_data_flow(code, &effects))
    }

    /// Returns the operations of a function that have effects beyond registers.
    fn compute_effects(&mut self, code: &CompiledFunction) -> data_flow::EffectfulOperations {
        let program = self.program.clone();
        let game = (&*program.ruleset.game, &*program.vocabulary);
        let by_operation = (0..code.ops.len()).map(|index| {
            (
                index,
                effects::effects_of(code, index, game, |number| {
                    self.function_effects(number, 0).0
                }),
            )
        });
        by_operation
            .filter(|(_, effects)| *effects != OperationEffects::default())
            .collect()
    }

    /// Returns the effects of a function and its callees, and the lowest stack index that it depends on. Mutually recursive functions share
    /// one result, which is complete when the first of them on `effects_stack` is done.
    pub(super) fn function_effects(
        &mut self,
        number: u32,
        from: usize,
    ) -> (OperationEffects, usize) {
        let Ok(code) = self.load(number) else {
            return (OperationEffects::default(), from);
        };
        if let Some(effects) = code.effects.get() {
            return (*effects, from);
        }
        if let Some(index) = self
            .effects_stack
            .iter()
            .position(|callee| *callee == number)
        {
            return (OperationEffects::default(), index.min(from));
        }
        let index = self.effects_stack.len();
        self.effects_stack.push(number);
        let program = self.program.clone();
        let game = (&*program.ruleset.game, &*program.vocabulary);
        let (mut effects, mut first) = (OperationEffects::default(), index);
        for index in 0..code.ops.len() {
            let callee_effects = |called_number: u32| {
                let (effects, head) = self.function_effects(called_number, first);
                first = head;
                effects
            };
            effects.union_with(&effects::effects_of(&code, index, game, callee_effects));
        }
        if first == index {
            for callee in self.effects_stack.split_off(index) {
                if let Ok(code) = self.load(callee) {
                    code.effects.get_or_init(|| effects);
                }
            }
        }
        (effects, first.min(from))
    }
}

/// Completes the previous operation with its reads, cells, lines and calls.
fn finish_previous_op(
    provenance: &mut Provenance,
    (code, ruleset): (&CompiledFunction, &Ruleset),
    (frames, base, args): (usize, usize, &[Value]),
    events: &mut [Event],
    accesses: Option<&mut Vec<Access>>,
) {
    // What stands in the trace before a procedure begins is of procedures before it: their lines and reads are not its own.
    if provenance.frames.is_empty() {
        provenance.events_seen = events.len();
    }
    provenance.unwind_to(frames);
    let mut set = provenance
        .frames
        .last()
        .map_or(EMPTY_SET, |frame| frame.pending.set);
    if let Some(accesses) = accesses {
        provenance.apply_accesses(accesses, &mut set);
        accesses.clear();
    }
    for event in events.get_mut(provenance.events_seen..).unwrap_or_default() {
        match event {
            Event::Cell(table, index) => {
                let cell = provenance.sources.cell_set(table, *index as usize);
                provenance.extend_set(&mut set, cell);
            }
            Event::Line(line) => {
                let line_set = provenance.sources.union(set, provenance.guard_set);
                line.sources = provenance.sources.members(line_set);
                line.deciding = provenance.sources.decided(line_set, EMPTY_SET, false);
                let control = provenance.control_set();
                line.value_amendments = provenance.sources.decided(set, control, true);
            }
            Event::Outcome(outcome) => {
                let outcome_set = provenance.sources.union(set, provenance.guard_set);
                outcome.sources = provenance.sources.decided(outcome_set, EMPTY_SET, false);
                outcome.nearest = provenance.nearest_sources(set);
                provenance.outcome_set = provenance.sources.union(provenance.outcome_set, set);
            }
            _ => {}
        }
    }
    provenance.events_seen = events.len();
    if provenance.frames.len() == frames {
        provenance.complete_pending(set);
    } else {
        // The sources of the call operation also decided that this function runs.
        let mut call_set = provenance.sources.union(provenance.control_set(), set);
        // An amendment that asks the older answer as it was asked itself doesn't decide that this is asked.
        if let (Some(caller), Some((slot, depth @ 1..))) =
            (provenance.frames.last().copied(), code.answer_slot)
            && provenance.args[caller.first_arg..] == *args
        {
            let case = ruleset.slots[slot].answers[depth - 1].cited_case();
            let case_set = provenance
                .sources
                .case_set(case, || ruleset.is_amendment(case));
            if !provenance
                .sources
                .decided(case_set, caller.input_set, true)
                .is_empty()
            {
                call_set = provenance.sources.asked(call_set, Some(case));
                for register in base..base + args.len() {
                    let set = provenance.register_sources(register);
                    let asked = provenance.sources.asked(set, Some(case));
                    provenance.set_register_sources(register, asked);
                }
            }
        }
        let case = code.cited_case.or(code.case);
        let case_set = case.map_or(EMPTY_SET, |case| {
            provenance
                .sources
                .case_set(case, || ruleset.is_amendment(case))
        });
        provenance.enter_function((base, args), call_set, case_set);
    }
}

/// Records what the untaken paths of a branch may do: their writes and refusals depend on the condition.
fn note_taken_branch(
    provenance: &mut Provenance,
    (flow, case): (&DataFlow, Option<usize>),
    (join, pc): (usize, usize),
    set: SourceSetId,
) {
    let join = &flow.joins[join];
    if let Some(SkippedCondition { after, .. }) = &join.condition
        && *after as usize == pc
    {
        provenance.skip_branches(|open| flow.joins[open].condition == join.condition);
    }
    let is_untaken = |path: &&BranchPath| {
        path.first_op as usize != pc && (path.may_refuse || !path.written_columns.is_empty())
    };
    let mut untaken = join.branches.iter().filter(is_untaken).peekable();
    if untaken.peek().is_none() {
        return;
    }
    // What was not done is nothing that one reads of: what its condition consulted was merely asked, and so was the case, without which
    // it wouldn't be done either.
    let asked = provenance.sources.asked(set, None);
    let set = provenance.sources.asked(asked, case);
    for path in untaken {
        provenance.mark_may_write(&path.written_columns, set);
        if path.may_refuse {
            provenance.guard_set = provenance.sources.union(provenance.guard_set, set);
        }
    }
}

/// Closes the branches that join at `pc`: registers written on their paths get the sources of the condition.
fn join_branches(provenance: &mut Provenance, flow: &DataFlow, (pc, base): (usize, usize)) {
    let Some(ProvenanceFrame {
        entry_set: mut control_set,
        first_branch,
        ..
    }) = provenance.frames.last().copied()
    else {
        return;
    };
    let mut open_count = first_branch;
    for index in first_branch..provenance.open_branches.len() {
        let branch = provenance.open_branches[index];
        if branch.join_op as usize == pc {
            for register in &flow.joins[branch.join_index].written_registers {
                let register = base + *register as usize;
                let merged_set = provenance
                    .sources
                    .union(provenance.register_sources(register), branch.set);
                provenance.set_register_sources(register, merged_set);
            }
        } else {
            provenance.extend_set(&mut control_set, branch.set);
            provenance.open_branches[open_count] = branch;
            open_count += 1;
        }
    }
    if open_count < provenance.open_branches.len() {
        provenance.open_branches.truncate(open_count);
        provenance
            .frames
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|frame| frame.control_set = control_set);
    }
}

/// Propagates sources: what an operation writes depends on what it reads and on the open branches. Figures of the board are added once it
/// has run, by [`finish_previous_op`].
fn propagate(
    (registers, frames): (&[Value], &[Frame]),
    provenance: &mut Provenance,
    (code, flow): (&CompiledFunction, &DataFlow),
    (pc, base): (usize, usize),
    floor: usize,
) {
    let control = provenance.control_set();
    let register = |register: Register| base + register as usize;
    let OperationFlow {
        reads,
        writes,
        branch,
        ..
    } = &flow.ops[pc];
    let mut set = control;
    for read in reads {
        set = provenance
            .sources
            .union(set, provenance.register_sources(register(*read)));
    }
    let target = |written: Option<Register>| written.map_or(NO_REGISTER, register);
    let mut targets = [target(writes[0]), target(writes[1])];
    let value =
        |operand: Operand| super::execute::operand_value(registers, &code.constants, base, operand);
    match code.ops[pc] {
        // The arguments become registers of the callee, which must not inherit the sources of other registers in its frame.
        Operation::Call {
            base: window,
            count,
            ..
        } => {
            return provenance
                .register_sources
                .truncate(register(window) + count as usize);
        }
        // The captured variables are inserted before the arguments.
        Operation::CallClosure {
            closure,
            base: window,
            count,
            ..
        } => {
            let captured = if let Value::Closure(closure) = value(closure) {
                closure.captures.len()
            } else {
                0
            };
            let (first, count) = (register(window), count as usize);
            set = provenance.add_operand(control, base, closure);
            let args: Vec<SourceSetId> = (first..first + count)
                .map(|index| provenance.register_sources(index))
                .collect();
            let sources = std::iter::repeat_n(set, captured).chain(args);
            sources
                .zip(first..)
                .for_each(|(sources, index)| provenance.set_register_sources(index, sources));
            provenance
                .register_sources
                .truncate(first + captured + count);
            targets = [NO_REGISTER; 2];
        }
        Operation::Return { .. } => {
            provenance.unwind_to(frames.len() - 1);
            let caller = frames
                .len()
                .checked_sub(2)
                .filter(|caller| *caller + 1 > floor);
            if let Some(caller) = caller {
                let target = frames[caller].base as usize + frames[caller + 1].dst as usize;
                provenance.set_register_sources(target, set);
            } else if let Some(frame) = provenance.frames.last_mut() {
                frame.pending.set = provenance.sources.union(frame.pending.set, set);
            }
            return;
        }
        Operation::Refuse { args, .. } => {
            let reason = code.args(args).iter().fold(control, |set, operand| {
                provenance.add_operand(set, base, *operand)
            });
            provenance.guard_set = provenance.sources.union(provenance.guard_set, reason);
            return;
        }
        // The register holds the id of the variable; its value is on the board.
        Operation::NewShared { dst, .. } => {
            provenance.set_register_sources(register(dst), control);
            targets = [NO_REGISTER; 2];
        }
        // The fields of a sheet are on the board.
        Operation::StorePath { root, .. }
            if matches!(registers[register(root)], Value::Record(_)) =>
        {
            targets = [NO_REGISTER; 2]
        }
        Operation::CallMutatingVerb {
            verb,
            dst,
            target,
            args,
        } => {
            let changes_target = match (
                &registers[register(target)],
                code.args(args).first().map(|key| value(*key)),
            ) {
                (Value::List(_), Some(Value::Text(_))) => {
                    verbs::all()[verb as usize].allowed_in != AllowedIn::Procedures
                }
                (Value::List(_) | Value::Map(_), _) => true,
                _ => false,
            };
            if !changes_target {
                targets = [register(dst), NO_REGISTER];
            }
        }
        // Who may choose decides; how the options came about was merely asked.
        Operation::Choose { args, .. } => {
            let is_open =
                |arg: &Operand| matches!(value(*arg), Value::List(list) if list.len() > 1);
            if code.args(args).iter().any(is_open) {
                let options = provenance.sources.asked(set, None);
                set = provenance.sources.union(control, options);
                for source in provenance.sources.decided(options, control, true) {
                    if let ValueSource::Case(case) = source {
                        set = provenance.sources.asked(set, Some(case));
                    }
                }
            }
        }
        Operation::OutcomesSince { .. } => {
            set = provenance.sources.union(set, provenance.outcome_set)
        }
        _ => {}
    }
    if let Some(join) = *branch {
        provenance.enter_branch(join as usize, flow.joins[join as usize].join_op, set);
    }
    if let Some(frame) = provenance.frames.last_mut() {
        frame.pending = PendingOperation { set, targets };
    }
}
