//! Data flow rules of provenance, applied before each operation of a tracked run.
//!
//! The sources of a value are those of the operation's inputs, of the figures it reads, of the running case, and of every open branch. At a
//! join point, whatever a path may have written also gets the sources of the branch condition.

use super::Machine;
use super::memo::MemoEntry;
use crate::code::bytecode::{ArgumentList, CompiledFunction, JoinPoint, JoinPoints, Operand, Operation, OperationEffects};
use crate::code::lower::{effects, join_points};
use crate::code::provenance::{NO_REGISTER, PendingOperation, Provenance, ProvenanceFrame, ProvenanceInterner};
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
        let State { provenance: Some(followed), frames, registers, board, .. } = state else { return };
        let events = self.trace.as_deref_mut().unwrap_or_default();
        let noted = board.recorder.as_mut().and_then(|recorder| recorder.log.as_mut());
        let read = noted.as_ref().is_some_and(|noted| !noted.is_empty());
        if read || followed.events_seen != events.len() || followed.frames.len() != frames.len() {
            let recorded_arity = self.memo.recorded_arity(frames.len());
            finish_previous_op(followed, code, (frames.len(), base, recorded_arity), events, noted);
        } else if followed.has_pending {
            followed.complete_pending(EMPTY_SET);
        }
        if followed.in_memo_frame() && has_side_effects(followed, joins, code, pc) {
            followed.abandon_recording();
        }
        if let Some((join, set)) = followed.pending_branch.take() {
            note_taken_branch(followed, &joins.points[join], pc, set);
        }
        if joins.is_join[pc] {
            join_branches(followed, joins, (pc, base));
        }
        propagate((registers, frames), followed, (code, joins), (pc, base), floor);
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

/// Applies the provenance of a memoized answer. `from` is the first argument register and `to` the result register.
pub fn apply_cached(state: &mut State, known: &MemoEntry, archive: &ProvenanceInterner, (from, to): (usize, usize), noted: Option<usize>) {
    if let (Some(followed), Some(origin)) = (&mut state.provenance, &known.provenance) {
        let set = followed.apply_cached(origin, archive, from);
        followed.set_register_sources(to, set);
        followed.events_seen = noted.unwrap_or(0);
    }
}

/// Whether the operation at `pc`, or an untaken path of the pending branch, has side effects that end memoization.
fn has_side_effects(followed: &Provenance, joins: &JoinPoints, code: &CompiledFunction, pc: usize) -> bool {
    let writes = |(way, writes, _): &(u32, Vec<usize>, bool)| *way as usize != pc && !writes.is_empty();
    followed.pending_branch.is_some_and(|(join, _)| joins.points[join].branches.iter().any(writes))
        || matches!(code.ops[pc], Operation::Refuse { .. } | Operation::OutcomesSince { .. })
}

/// Completes the previous operation with its reads, cells, lines and calls. `begun` is the number of arguments if the current frame is
/// being memoized.
fn finish_previous_op(
    followed: &mut Provenance,
    code: &CompiledFunction,
    (frames, base, recorded_arity): (usize, usize, Option<usize>),
    events: &mut [Event],
    noted: Option<&mut Vec<Access>>,
) {
    followed.unwind_to(frames);
    if followed.in_memo_frame() {
        let wrote = noted.as_ref().is_some_and(|noted| noted.iter().any(|note| matches!(note, Access::Write(_))));
        let is_output = |event: &Event| matches!(event, Event::Line(_) | Event::Outcome(_));
        if wrote || events.get(followed.events_seen..).unwrap_or_default().iter().any(is_output) {
            followed.abandon_recording();
        }
    }
    let mut set = followed.frames.last().map_or(EMPTY_SET, |way| way.pending.set);
    if let Some(noted) = noted {
        followed.apply_accesses(noted, &mut set);
        noted.clear();
    }
    for event in events.get_mut(followed.events_seen..).unwrap_or_default() {
        match event {
            Event::Cell(table, index) => {
                let cell = followed.cite_cell(table, *index as usize);
                followed.extend_set(&mut set, cell);
            }
            Event::Line(said) => {
                let all = followed.sources.union(set, followed.guard_set);
                said.sources = followed.sources.members(all);
            }
            Event::Outcome(..) => followed.outcome_set = followed.sources.union(followed.outcome_set, set),
            _ => {}
        }
    }
    followed.events_seen = events.len();
    if followed.frames.len() == frames {
        followed.complete_pending(set);
    } else {
        // The sources of the call operation also decided that this function runs.
        let mut into = followed.sources.union(followed.control_set(), set);
        if let Some(args) = recorded_arity {
            followed.begin_memo((base, args), into);
            into = EMPTY_SET;
        }
        if let Some(case) = code.cited_case.or(code.case) {
            let own = followed.cite_case(case);
            followed.extend_set(&mut into, own);
        }
        followed.enter_function(base, into);
    }
}

/// Records what the untaken paths of a branch may do: their writes and refusals depend on the condition.
fn note_taken_branch(followed: &mut Provenance, join: &JoinPoint, pc: usize, set: SourceSetId) {
    for (_, writes, refuses) in join.branches.iter().filter(|(way, ..)| *way as usize != pc) {
        followed.mark_may_write(writes, set);
        if *refuses {
            followed.guard_set = followed.sources.union(followed.guard_set, set);
        }
    }
}

/// Closes the branches that join at `pc`: registers written on their paths get the sources of the condition.
fn join_branches(followed: &mut Provenance, joins: &JoinPoints, (pc, base): (usize, usize)) {
    let Some(ProvenanceFrame { entry_set: mut here, first_branch: from, .. }) = followed.frames.last().copied() else { return };
    let mut open = from;
    for place in from..followed.open_branches.len() {
        let branch = followed.open_branches[place];
        if branch.join_op as usize == pc {
            for register in &joins.points[branch.join_index].written_registers {
                let register = base + *register as usize;
                let all = followed.sources.union(followed.register_sources(register), branch.set);
                followed.set_register_sources(register, all);
            }
        } else {
            followed.extend_set(&mut here, branch.set);
            followed.open_branches[open] = branch;
            open += 1;
        }
    }
    if open < followed.open_branches.len() {
        followed.open_branches.truncate(open);
        followed.frames.iter_mut().last().into_iter().for_each(|way| way.control_set = here);
    }
}

/// Propagates sources from the inputs of an operation to its results.
fn propagate(
    (registers, frames): (&[Value], &[Frame]),
    followed: &mut Provenance,
    (code, joins): (&CompiledFunction, &JoinPoints),
    (pc, base): (usize, usize),
    floor: usize,
) {
    let here = followed.control_set();
    let register = |register: u16| base + register as usize;
    let more = |followed: &mut Provenance, set: SourceSetId, operand: Operand| followed.add_operand(set, base, operand);
    let given = |followed: &mut Provenance, operand: Operand| more(followed, here, operand);
    let all = |followed: &mut Provenance, mut set: SourceSetId, args: ArgumentList| {
        for operand in code.args(args) {
            set = more(followed, set, *operand);
        }
        set
    };
    // The sources of reads are known only after the operation has run.
    let waits = |followed: &mut Provenance, set: SourceSetId, to: [usize; 2]| {
        if let Some(way) = followed.frames.last_mut() {
            way.pending = PendingOperation { set, targets: to };
        }
        followed.has_pending = true;
    };
    let parts = |followed: &mut Provenance, set: SourceSetId| {
        // A switch with a single target has no join point.
        if let Some(join) = joins.point_of_branch[pc] {
            followed.enter_branch(join as usize, joins.points[join as usize].join_op, set);
        }
    };
    match code.ops[pc] {
        Operation::Copy { dst, src } | Operation::Not { dst, src } | Operation::Neg { dst, src } => {
            let set = given(followed, src);
            followed.set_register_sources(register(dst), set);
        }
        Operation::Move { dst, src } => {
            let set = given(followed, Operand(src));
            followed.set_register_sources(register(dst), set);
        }
        Operation::Binary { dst, a, b, .. } => {
            let set = given(followed, a);
            let set = more(followed, set, b);
            followed.set_register_sources(register(dst), set);
        }
        Operation::AddAssign { dst, src } | Operation::Push { list: dst, src } => {
            let set = given(followed, Operand(dst));
            let set = more(followed, set, src);
            followed.set_register_sources(register(dst), set);
        }
        Operation::List { dst, args }
        | Operation::Map { dst, args, .. }
        | Operation::Interpolate { dst, args }
        | Operation::Closure { dst, args, .. }
        | Operation::Choose { dst, args }
        | Operation::CountOutcomes { dst, args } => {
            let set = all(followed, here, args);
            followed.set_register_sources(register(dst), set);
        }
        Operation::JumpIf { flag, .. } => {
            let set = given(followed, flag);
            parts(followed, set);
        }
        Operation::Compare { a, b, .. } => {
            let set = given(followed, a);
            let set = more(followed, set, b);
            parts(followed, set);
        }
        Operation::JumpIfSome { src, .. } | Operation::Switch { src, .. } => {
            let set = given(followed, src);
            parts(followed, set);
        }
        Operation::Next { dst, iterable: of, count, .. } => {
            let set = given(followed, of);
            let set = more(followed, set, Operand(count));
            followed.set_register_sources(register(dst), set);
            followed.set_register_sources(register(count), set);
            parts(followed, set);
        }
        Operation::Get { dst, object: of, .. } => {
            let set = given(followed, of);
            waits(followed, set, [register(dst), NO_REGISTER]);
        }
        Operation::Index { dst, object: of, key } => {
            let set = given(followed, of);
            let set = more(followed, set, key);
            waits(followed, set, [register(dst), NO_REGISTER]);
        }
        Operation::LoadShared { dst, shared } => {
            let set = given(followed, Operand(shared));
            waits(followed, set, [register(dst), NO_REGISTER]);
        }
        // A draw of cards reads the board.
        Operation::Roll { dst, args, .. } | Operation::CallVerb { dst, args, .. } | Operation::ReadTable { dst, args } => {
            let set = all(followed, here, args);
            waits(followed, set, [register(dst), NO_REGISTER]);
        }
        Operation::TakeDrawn { dst, args, .. } => {
            let set = all(followed, here, args);
            let set = more(followed, set, Operand(dst));
            waits(followed, set, [register(dst), NO_REGISTER]);
        }
        Operation::NewShared { dst, src } => {
            let set = given(followed, src);
            followed.set_register_sources(register(dst), here);
            waits(followed, set, [NO_REGISTER; 2]);
        }
        Operation::StoreShared { src, .. } => {
            let set = given(followed, src);
            waits(followed, set, [NO_REGISTER; 2]);
        }
        Operation::StorePath { root, args, .. } => {
            let set = given(followed, Operand(root));
            let set = all(followed, set, args);
            let sheet = matches!(registers[register(root)], Value::Record(_));
            waits(followed, set, [if sheet { NO_REGISTER } else { register(root) }, NO_REGISTER]);
        }
        Operation::CallMutatingVerb { verb, dst, target, args } => {
            let set = given(followed, Operand(target));
            let set = all(followed, set, args);
            let key = code.args(args).first().map(|key| super::execute::operand_value(registers, &code.constants, base, *key));
            let own = match (&registers[register(target)], key) {
                (Value::List(_), Some(Value::Text(_))) => verbs::all()[verb as usize].allowed_in != AllowedIn::Procedures,
                (Value::List(_) | Value::Map(_), _) => true,
                _ => false,
            };
            waits(followed, set, [register(dst), if own { register(target) } else { NO_REGISTER }]);
        }
        Operation::CallClosure { closure, base: window, count, .. } => {
            let set = given(followed, closure);
            waits(followed, set, [NO_REGISTER; 2]);
            // The captured variables are inserted before the arguments.
            let from = register(window);
            let shared = match super::execute::operand_value(registers, &code.constants, base, closure) {
                Value::Closure(closure) => closure.captures.len(),
                _ => 0,
            };
            let args: Vec<SourceSetId> = (from..from + count as usize).map(|place| followed.register_sources(place)).collect();
            (from..from + shared).for_each(|place| followed.set_register_sources(place, set));
            args.into_iter().zip(from + shared..).for_each(|(set, place)| followed.set_register_sources(place, set));
            followed.register_sources.truncate(from + shared + count as usize);
        }
        // The callee must not inherit the sources of other registers in its frame.
        Operation::Call { base: window, count, .. } => followed.register_sources.truncate(register(window) + count as usize),
        Operation::Return { src } => {
            let set = given(followed, src);
            followed.unwind_to(frames.len() - 1);
            let set = followed.end_memo(frames.len() - 1, set);
            followed.has_pending = true;
            let caller = frames.len().checked_sub(2).filter(|above| *above + 1 > floor);
            match caller.map(|caller| frames[caller].base as usize + frames[caller + 1].dst as usize) {
                Some(place) => followed.set_register_sources(place, set),
                None => {
                    if let Some(way) = followed.frames.last_mut() {
                        way.pending.set = followed.sources.union(way.pending.set, set);
                    }
                }
            }
        }
        Operation::Refuse { args, .. } => {
            let set = all(followed, here, args);
            followed.guard_set = followed.sources.union(followed.guard_set, set);
        }
        Operation::MarkOutcomes { dst } | Operation::Try { dst, .. } => followed.set_register_sources(register(dst), here),
        Operation::OutcomesSince { dst, .. } => {
            let set = followed.sources.union(here, followed.outcome_set);
            followed.set_register_sources(register(dst), set);
        }
        Operation::Jump { .. } | Operation::JumpIfUntraced { .. } | Operation::EndTry | Operation::Fault { .. } => {}
    }
}
