//! Data flow rules of provenance, applied before each operation of a tracked run.
//!
//! The sources of a value are those of the operation's inputs, of the figures it reads, of the running case, and of every open branch. At a
//! join point, whatever a path may have written also gets the sources of the branch condition.

use super::Machine;
use crate::code::bytecode::{ArgumentList, CompiledFunction, JoinPoint, JoinPoints, Operand, Operation, OperationEffects};
use crate::code::lower::{effects, join_points};
use crate::code::provenance::{NO_REGISTER, PendingOperation, Provenance, ProvenanceFrame};
use crate::code::source_sets::{EMPTY_SET, SourceSetId};
use crate::code::state::{Frame, State};
use crate::code::verbs::{self, AllowedIn};
use crate::situation::cell_key::Access;
use crate::situation::trace::Event;
use crate::situation::value::Value;

impl Machine {
    /// Drops the provenance of a state that continues without a trace, such as in a nested exploration.
    pub(super) fn drop_unused_provenance(&self, state: &mut State) {
        if self.trace.is_none() && state.provenance.take().is_some() {
            state.board.recorder = state.board.recorder.take().filter(|recorder| recorder.log.is_none());
        }
    }

    /// Updates the provenance for the operation at `pc`. The first `floor` frames belong to the caller of a closure.
    pub(super) fn track_op(&mut self, state: &mut State, code: &CompiledFunction, (pc, base): (usize, usize), floor: usize) {
        let joins = match code.join_points.get() {
            Some(joins) => joins,
            None => self.compute_join_points(code),
        };
        let State { provenance: Some(provenance), frames, registers, board, .. } = state else { return };
        let events = self.trace.as_deref_mut().unwrap_or_default();
        let noted = board.recorder.as_mut().and_then(|recorder| recorder.log.as_mut());
        let read = noted.as_ref().is_some_and(|noted| !noted.is_empty());
        if read || provenance.events_seen != events.len() || provenance.frames.len() != frames.len() {
            finish_previous_op(provenance, code, (frames.len(), base), events, noted);
        } else if provenance.has_pending {
            provenance.complete_pending(EMPTY_SET);
        }
        if let Some((join, set)) = provenance.pending_branch.take() {
            note_taken_branch(provenance, &joins.points[join], pc, set);
        }
        if joins.is_join[pc] {
            join_branches(provenance, joins, (pc, base));
        }
        propagate((registers, frames), provenance, (code, joins), (pc, base), floor);
    }

    #[cold]
    fn compute_join_points<'a>(&mut self, code: &'a CompiledFunction) -> &'a JoinPoints {
        let done = self.compute_effects(code);
        code.join_points.get_or_init(|| join_points::find_join_points(code, &done))
    }

    /// Returns the operations of a function that have effects beyond registers.
    fn compute_effects(&mut self, code: &CompiledFunction) -> join_points::EffectfulOperations {
        let program = self.program.clone();
        let game = (&*program.ruleset.game, &*program.vocabulary);
        let each =
            (0..code.ops.len()).map(|place| (place, effects::effects_of(code, place, game, |number| self.function_effects(number, 0).0)));
        each.filter(|(_, effects)| *effects != OperationEffects::default()).collect()
    }

    /// Returns the effects of a function and its callees, and the lowest stack index that it depends on. Mutually recursive functions share
    /// one result, which is complete when the first of them on `effects_stack` is done.
    fn function_effects(&mut self, number: u32, from: usize) -> (OperationEffects, usize) {
        let Ok(code) = self.load(number) else { return (OperationEffects::default(), from) };
        if let Some(effects) = code.effects.get() {
            return (*effects, from);
        }
        if let Some(place) = self.effects_stack.iter().position(|known| *known == number) {
            return (OperationEffects::default(), place.min(from));
        }
        let place = self.effects_stack.len();
        self.effects_stack.push(number);
        let program = self.program.clone();
        let game = (&*program.ruleset.game, &*program.vocabulary);
        let (mut all, mut first) = (OperationEffects::default(), place);
        for place in 0..code.ops.len() {
            let of = |called: u32| {
                let (effects, head) = self.function_effects(called, first);
                first = head;
                effects
            };
            all.union_with(&effects::effects_of(&code, place, game, of));
        }
        if first == place {
            for known in self.effects_stack.split_off(place) {
                if let Ok(code) = self.load(known) {
                    code.effects.get_or_init(|| all);
                }
            }
        }
        (all, first.min(from))
    }
}

/// Completes the previous operation with its reads, cells, lines and calls.
fn finish_previous_op(
    provenance: &mut Provenance,
    code: &CompiledFunction,
    (frames, base): (usize, usize),
    events: &mut [Event],
    noted: Option<&mut Vec<Access>>,
) {
    provenance.unwind_to(frames);
    let mut set = provenance.frames.last().map_or(EMPTY_SET, |way| way.pending.set);
    if let Some(noted) = noted {
        provenance.apply_accesses(noted, &mut set);
        noted.clear();
    }
    for event in events.get_mut(provenance.events_seen..).unwrap_or_default() {
        match event {
            Event::Cell(table, index) => {
                let cell = provenance.sources.cell_set(table, *index as usize);
                provenance.extend_set(&mut set, cell);
            }
            Event::Line(said) => {
                let all = provenance.sources.union(set, provenance.guard_set);
                said.sources = provenance.sources.members(all);
            }
            Event::Outcome(..) => provenance.outcome_set = provenance.sources.union(provenance.outcome_set, set),
            _ => {}
        }
    }
    provenance.events_seen = events.len();
    if provenance.frames.len() == frames {
        provenance.complete_pending(set);
    } else {
        // The sources of the call operation also decided that this function runs.
        let mut into = provenance.sources.union(provenance.control_set(), set);
        if let Some(case) = code.cited_case.or(code.case) {
            let own = provenance.sources.case_set(case);
            provenance.extend_set(&mut into, own);
        }
        provenance.enter_function(base, into);
    }
}

/// Records what the untaken paths of a branch may do: their writes and refusals depend on the condition.
fn note_taken_branch(provenance: &mut Provenance, join: &JoinPoint, pc: usize, set: SourceSetId) {
    for (_, writes, refuses) in join.branches.iter().filter(|(way, ..)| *way as usize != pc) {
        provenance.mark_may_write(writes, set);
        if *refuses {
            provenance.guard_set = provenance.sources.union(provenance.guard_set, set);
        }
    }
}

/// Closes the branches that join at `pc`: registers written on their paths get the sources of the condition.
fn join_branches(provenance: &mut Provenance, joins: &JoinPoints, (pc, base): (usize, usize)) {
    let Some(ProvenanceFrame { entry_set: mut here, first_branch: from, .. }) = provenance.frames.last().copied() else { return };
    let mut open = from;
    for place in from..provenance.open_branches.len() {
        let branch = provenance.open_branches[place];
        if branch.join_op as usize == pc {
            for register in &joins.points[branch.join_index].written_registers {
                let register = base + *register as usize;
                let all = provenance.sources.union(provenance.register_sources(register), branch.set);
                provenance.set_register_sources(register, all);
            }
        } else {
            provenance.extend_set(&mut here, branch.set);
            provenance.open_branches[open] = branch;
            open += 1;
        }
    }
    if open < provenance.open_branches.len() {
        provenance.open_branches.truncate(open);
        provenance.frames.iter_mut().last().into_iter().for_each(|way| way.control_set = here);
    }
}

/// Propagates sources from the inputs of an operation to its results.
fn propagate(
    (registers, frames): (&[Value], &[Frame]),
    provenance: &mut Provenance,
    (code, joins): (&CompiledFunction, &JoinPoints),
    (pc, base): (usize, usize),
    floor: usize,
) {
    let here = provenance.control_set();
    let register = |register: u16| base + register as usize;
    let more = |provenance: &mut Provenance, set: SourceSetId, operand: Operand| provenance.add_operand(set, base, operand);
    let given = |provenance: &mut Provenance, operand: Operand| more(provenance, here, operand);
    let all = |provenance: &mut Provenance, mut set: SourceSetId, args: ArgumentList| {
        for operand in code.args(args) {
            set = more(provenance, set, *operand);
        }
        set
    };
    // The sources of reads are known only after the operation has run.
    let waits = |provenance: &mut Provenance, set: SourceSetId, to: [usize; 2]| {
        if let Some(way) = provenance.frames.last_mut() {
            way.pending = PendingOperation { set, targets: to };
        }
        provenance.has_pending = true;
    };
    let parts = |provenance: &mut Provenance, set: SourceSetId| {
        // A switch with a single target has no join point.
        if let Some(join) = joins.point_of_branch[pc] {
            provenance.enter_branch(join as usize, joins.points[join as usize].join_op, set);
        }
    };
    match code.ops[pc] {
        Operation::Copy { dst, src } | Operation::Not { dst, src } | Operation::Neg { dst, src } => {
            let set = given(provenance, src);
            provenance.set_register_sources(register(dst), set);
        }
        Operation::Move { dst, src } => {
            let set = given(provenance, Operand(src));
            provenance.set_register_sources(register(dst), set);
        }
        Operation::Binary { dst, a, b, .. } => {
            let set = given(provenance, a);
            let set = more(provenance, set, b);
            provenance.set_register_sources(register(dst), set);
        }
        Operation::AddAssign { dst, src } | Operation::Push { list: dst, src } => {
            let set = given(provenance, Operand(dst));
            let set = more(provenance, set, src);
            provenance.set_register_sources(register(dst), set);
        }
        Operation::List { dst, args }
        | Operation::Map { dst, args, .. }
        | Operation::Interpolate { dst, args }
        | Operation::Closure { dst, args, .. }
        | Operation::Choose { dst, args }
        | Operation::CountOutcomes { dst, args } => {
            let set = all(provenance, here, args);
            provenance.set_register_sources(register(dst), set);
        }
        Operation::JumpIf { flag, .. } => {
            let set = given(provenance, flag);
            parts(provenance, set);
        }
        Operation::Compare { a, b, .. } => {
            let set = given(provenance, a);
            let set = more(provenance, set, b);
            parts(provenance, set);
        }
        Operation::JumpIfSome { src, .. } | Operation::Switch { src, .. } => {
            let set = given(provenance, src);
            parts(provenance, set);
        }
        Operation::Next { dst, iterable: of, count, .. } => {
            let set = given(provenance, of);
            let set = more(provenance, set, Operand(count));
            provenance.set_register_sources(register(dst), set);
            provenance.set_register_sources(register(count), set);
            parts(provenance, set);
        }
        Operation::Get { dst, object: of, .. } => {
            let set = given(provenance, of);
            waits(provenance, set, [register(dst), NO_REGISTER]);
        }
        Operation::Index { dst, object: of, key } => {
            let set = given(provenance, of);
            let set = more(provenance, set, key);
            waits(provenance, set, [register(dst), NO_REGISTER]);
        }
        Operation::LoadShared { dst, shared } => {
            let set = given(provenance, Operand(shared));
            waits(provenance, set, [register(dst), NO_REGISTER]);
        }
        // A draw of cards reads the board.
        Operation::Roll { dst, args, .. } | Operation::CallVerb { dst, args, .. } | Operation::ReadTable { dst, args } => {
            let set = all(provenance, here, args);
            waits(provenance, set, [register(dst), NO_REGISTER]);
        }
        Operation::TakeDrawn { dst, args, .. } => {
            let set = all(provenance, here, args);
            let set = more(provenance, set, Operand(dst));
            waits(provenance, set, [register(dst), NO_REGISTER]);
        }
        Operation::NewShared { dst, src } => {
            let set = given(provenance, src);
            provenance.set_register_sources(register(dst), here);
            waits(provenance, set, [NO_REGISTER; 2]);
        }
        Operation::StoreShared { src, .. } => {
            let set = given(provenance, src);
            waits(provenance, set, [NO_REGISTER; 2]);
        }
        Operation::StorePath { root, args, .. } => {
            let set = given(provenance, Operand(root));
            let set = all(provenance, set, args);
            let sheet = matches!(registers[register(root)], Value::Record(_));
            waits(provenance, set, [if sheet { NO_REGISTER } else { register(root) }, NO_REGISTER]);
        }
        Operation::CallMutatingVerb { verb, dst, target, args } => {
            let set = given(provenance, Operand(target));
            let set = all(provenance, set, args);
            let key = code.args(args).first().map(|key| super::execute::operand_value(registers, &code.constants, base, *key));
            let own = match (&registers[register(target)], key) {
                (Value::List(_), Some(Value::Text(_))) => verbs::all()[verb as usize].allowed_in != AllowedIn::Procedures,
                (Value::List(_) | Value::Map(_), _) => true,
                _ => false,
            };
            waits(provenance, set, [register(dst), if own { register(target) } else { NO_REGISTER }]);
        }
        Operation::CallClosure { closure, base: window, count, .. } => {
            let set = given(provenance, closure);
            waits(provenance, set, [NO_REGISTER; 2]);
            // The captured variables are inserted before the arguments.
            let from = register(window);
            let shared = match super::execute::operand_value(registers, &code.constants, base, closure) {
                Value::Closure(closure) => closure.captures.len(),
                _ => 0,
            };
            let args: Vec<SourceSetId> = (from..from + count as usize).map(|place| provenance.register_sources(place)).collect();
            (from..from + shared).for_each(|place| provenance.set_register_sources(place, set));
            args.into_iter().zip(from + shared..).for_each(|(set, place)| provenance.set_register_sources(place, set));
            provenance.register_sources.truncate(from + shared + count as usize);
        }
        // The callee must not inherit the sources of other registers in its frame.
        Operation::Call { base: window, count, .. } => provenance.register_sources.truncate(register(window) + count as usize),
        Operation::Return { src } => {
            let set = given(provenance, src);
            provenance.unwind_to(frames.len() - 1);
            provenance.has_pending = true;
            let caller = frames.len().checked_sub(2).filter(|above| *above + 1 > floor);
            match caller.map(|caller| frames[caller].base as usize + frames[caller + 1].dst as usize) {
                Some(place) => provenance.set_register_sources(place, set),
                None => {
                    if let Some(way) = provenance.frames.last_mut() {
                        way.pending.set = provenance.sources.union(way.pending.set, set);
                    }
                }
            }
        }
        Operation::Refuse { args, .. } => {
            let set = all(provenance, here, args);
            provenance.guard_set = provenance.sources.union(provenance.guard_set, set);
        }
        Operation::MarkOutcomes { dst } | Operation::Try { dst, .. } => provenance.set_register_sources(register(dst), here),
        Operation::OutcomesSince { dst, .. } => {
            let set = provenance.sources.union(here, provenance.outcome_set);
            provenance.set_register_sources(register(dst), set);
        }
        Operation::Jump { .. } | Operation::JumpIfUntraced { .. } | Operation::EndTry | Operation::Fault { .. } => {}
    }
}
