//! The interpreter loop.

use super::draws::take_drawn;
use super::execute::{
    nth_item, operand_value, operand_values, set_register, switch_target, take_operand,
};
use super::limits::{added_bytes, check_size, check_text_size, push_item};
use super::requests::{RandomRequest, choice_request, random_request, refusal};
use super::{Machine, step_limit};
use crate::code::bytecode::{Operand, Operation};
use crate::code::context::{Fault, fault};
use crate::code::fields;
use crate::code::lower::case_indices;
use crate::code::operators;
use crate::code::state::{CountRequest, Frame, RefusalHandler, State, Stop};
use crate::code::verbs::language::{out_of_bounds, resolve_index};
use crate::complaint::DiagnosticCode;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::trace::Event;
use crate::situation::value::{Closure, MAX_TEXT_BYTES, Map, Value};
use crate::situation::value_text::{fill_template, text_within};
use std::sync::Arc;

impl Machine {
    /// Runs until the next stop, or until the frame above `floor` returns.
    pub(super) fn run_to_next_stop(&mut self, state: &mut State, floor: usize) -> Stop {
        if floor == 0 {
            self.memo.begin(state);
            self.drop_unused_provenance(state);
        }
        let is_tracked = state.provenance.is_some() || self.entry_tracker.is_some();
        let stop = if is_tracked {
            self.run_ops::<true>(state, floor)
        } else {
            self.run_ops::<false>(state, floor)
        };
        if !matches!(stop, Stop::Done(_)) {
            self.memo.abort_recordings(state, 0);
        }
        stop
    }

    /// The interpreter loop. It is specialised by provenance tracking, so that untracked runs have no overhead.
    fn run_ops<const TRACKED: bool>(&mut self, state: &mut State, floor: usize) -> Stop {
        // A memoized answer records no calls and no reads of its arguments, and an example may replace the board during the run, which
        // invalidates memoized answers.
        let is_plain =
            !self.records_calls() && !self.run_mode.is_example && self.entry_tracker.is_none();
        let memoizes = is_plain && !self.run_mode.without_memo;
        let Some(frame) = state.frames.last().copied() else {
            return Stop::Done(Value::Nothing);
        };
        let mut code = match self.load(frame.function) {
            Ok(code) => code,
            Err(complaints) => return Stop::Failed(complaints),
        };
        let (mut pc, mut base) = (frame.pc as usize, frame.base as usize);
        macro_rules! value {
            ($operand:expr) => {
                operand_value(&state.registers, &code.constants, base, $operand)
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                set_register(&mut state.registers[base + $dst as usize], value);
            }};
        }
        macro_rules! attempt {
            ($answer:expr) => {
                match $answer {
                    Ok(value) => value,
                    Err(fault) => return self.stop_failed(state, &code, pc - 1, *fault),
                }
            };
        }
        // Saves the program counter before control leaves the current function.
        macro_rules! save_pc {
            () => {
                if let Some(frame) = state.frames.last_mut() {
                    frame.pc = pc as u32;
                }
            };
        }
        let end = step_limit(state);
        // Every endless run calls functions or jumps backwards, so only these count as steps.
        macro_rules! step {
            () => {
                attempt!(self.count_step(state, end))
            };
        }
        macro_rules! jump {
            ($to:expr) => {{
                if ($to as usize) < pc {
                    step!();
                }
                pc = $to as usize;
            }};
        }
        loop {
            let op = code.ops[pc];
            if TRACKED && self.entry_tracker.is_some() {
                if self.track_entry(state, &code, (pc, base), floor) {
                    save_pc!();
                    return Stop::Returned;
                }
            } else if TRACKED {
                if self.value_recorder.is_some() {
                    self.record_values(state, &code, (pc, base), floor);
                }
                self.track_op(state, &code, (pc, base), floor);
            }
            pc += 1;
            match op {
                Operation::Copy { dst, src } => set!(dst, value!(src).clone()),
                Operation::Move { dst, src } => set!(
                    dst,
                    std::mem::take(&mut state.registers[base + src as usize])
                ),
                Operation::Not { dst, src } => set!(dst, attempt!(operators::not(value!(src)))),
                Operation::Neg { dst, src } => set!(dst, attempt!(operators::negate(value!(src)))),
                Operation::AddAssign { dst, src } => {
                    // The value is moved out, so that an unshared list is appended to without a copy.
                    let register = base + dst as usize;
                    let mut sum = std::mem::take(&mut state.registers[register]);
                    let added = if src.0 == dst {
                        sum.clone()
                    } else {
                        value!(src).clone()
                    };
                    state.board.meter.add_value(added_bytes(&sum, &added));
                    let outcome = operators::add_assign(&mut sum, &added);
                    state.registers[register] = self.named(sum);
                    attempt!(outcome);
                    attempt!(check_text_size(&state.registers[register]));
                }
                Operation::Binary { op, dst, a, b } => {
                    let result = attempt!(operators::apply_binary(op, value!(a), value!(b)));
                    attempt!(check_size(&result, &mut state.board.meter));
                    set!(dst, self.named(result));
                }
                Operation::Jump { to } => jump!(to),
                Operation::JumpIf { flag, expected, to } => {
                    if attempt!(operators::condition(value!(flag))) == expected {
                        jump!(to);
                    }
                }
                Operation::Compare {
                    op,
                    expected,
                    a,
                    b,
                    to,
                } => {
                    if attempt!(operators::compare(op, value!(a), value!(b))) == expected {
                        jump!(to);
                    }
                }
                Operation::JumpIfSome { src, to } => {
                    if !value!(src).is_nothing() {
                        jump!(to);
                    }
                }
                Operation::Switch { src, table } => {
                    pc = switch_target(&code.switches[table as usize], value!(src)) as usize
                }
                Operation::List { dst, args } => {
                    let list: Value = code.args(args).iter().map(|o| value!(*o).clone()).collect();
                    attempt!(check_size(&list, &mut state.board.meter));
                    set!(dst, list);
                }
                Operation::Map { dst, shape, args } => {
                    let names = code.map_shapes[shape as usize].iter().cloned();
                    let map = Value::Map(Map::from_sorted(
                        names.zip(code.args(args).iter().map(|o| value!(*o).clone())),
                    ));
                    attempt!(check_size(&map, &mut state.board.meter));
                    set!(dst, map);
                }
                Operation::Interpolate { dst, args } => {
                    let mut interpolated = String::new();
                    for operand in code.args(args) {
                        match value!(*operand) {
                            Value::Text(text) => interpolated.push_str(text),
                            Value::Nothing => {}
                            value => interpolated.push_str(&text_within(
                                value,
                                &state.board,
                                MAX_TEXT_BYTES,
                            )),
                        }
                    }
                    let interpolated = self.named(interpolated.into());
                    attempt!(check_size(&interpolated, &mut state.board.meter));
                    set!(dst, interpolated);
                }
                Operation::Get { dst, object, field } => {
                    let result = match (value!(object), &code.fields[field as usize]) {
                        (Value::Map(map), field) if !map.is_cell() => {
                            map.get_by_text(&field.name).cloned().unwrap_or_default()
                        }
                        (other, field) => {
                            let other = other.clone();
                            attempt!(self.with_context(state, &code, |ctx, _| fields::read_field(
                                ctx, &other, field
                            )))
                        }
                    };
                    set!(dst, result);
                }
                Operation::Index { dst, object, key } => {
                    let result = match (value!(object), value!(key)) {
                        (Value::List(list), Value::Number(index)) => {
                            match resolve_index(*index, list.len()) {
                                Some(position) => list[position].clone(),
                                None => attempt!(out_of_bounds(*index, list.len())),
                            }
                        }
                        (Value::Map(map), Value::Text(name)) if !map.is_cell() => {
                            map.get_by_text(name).cloned().unwrap_or_default()
                        }
                        (object, key) => {
                            let (object, key) = (object.clone(), key.clone());
                            attempt!(self.with_context(state, &code, |ctx, _| fields::read_key(
                                ctx, &object, &key
                            )))
                        }
                    };
                    set!(dst, result);
                }
                Operation::StorePath { root, path, args } => {
                    attempt!(self.store_path(state, &code, (pc, base), (root, path, args)))
                }
                Operation::Next {
                    dst,
                    iterable,
                    count,
                    to,
                } => {
                    let register = base + count as usize;
                    let number = state.registers[register].as_number().unwrap_or(0);
                    match attempt!(nth_item(value!(iterable), number)) {
                        Some(value) => {
                            state.registers[register] = Value::Number(number + 1);
                            set!(dst, value);
                        }
                        None => pc = to as usize,
                    }
                }
                Operation::Push { list, src } => {
                    let value = value!(src).clone();
                    attempt!(push_item(
                        &mut state.registers[base + list as usize],
                        value,
                        &mut state.board.meter
                    ));
                }
                Operation::Call {
                    callee,
                    base: window,
                    count,
                    dst,
                } => {
                    step!();
                    let number = code.callees[callee as usize];
                    if memoizes {
                        let from = base + window as usize;
                        if let Some(entry) =
                            self.memo.lookup(state, number, from..from + count as usize)
                        {
                            set!(dst, entry.value.clone());
                            continue;
                        }
                    }
                    let callee = match self.load(number) {
                        Ok(callee) => callee,
                        Err(complaints) => return Stop::Failed(complaints),
                    };
                    let Some(frame) = state.frames.last_mut() else {
                        return Stop::Done(Value::Nothing);
                    };
                    frame.pc = pc as u32;
                    let (mut depth, mut answering) = (frame.depth, frame.is_answer);
                    if callee.answer_slot.is_some() {
                        depth += 1;
                        answering = true;
                    }
                    attempt!(self.check_depth(state, depth));
                    base += window as usize;
                    let end = base + callee.registers;
                    if state.registers.len() < end {
                        state.registers.resize(end, Value::Nothing);
                    }
                    state.frames.push(Frame {
                        function: number,
                        pc: 0,
                        base: base as u32,
                        dst,
                        depth,
                        is_answer: answering,
                        has_stopped: false,
                    });
                    self.trace_call(state, &callee);
                    (code, pc) = (callee, 0);
                }
                Operation::CallClosure {
                    closure,
                    base: window,
                    count,
                    dst,
                } => {
                    step!();
                    let Value::Closure(closure) = value!(closure).clone() else {
                        let message = format!(
                            "`call` is for closures; this is {}",
                            value!(closure).describe_type()
                        );
                        attempt!(fault(
                            DiagnosticCode::Running,
                            message,
                            "write a closure: |n| n + 1"
                        ));
                        continue;
                    };
                    let from = base + window as usize;
                    let args = state.registers[from..from + count as usize].to_vec();
                    save_pc!();
                    attempt!(self.enter_closure(state, &closure, args, from));
                    if let Some(frame) = state.frames.last_mut() {
                        frame.dst = dst;
                    }
                    code = match self.load(closure.function) {
                        Ok(code) => code,
                        Err(complaints) => return Stop::Failed(complaints),
                    };
                    (pc, base) = (0, from);
                }
                Operation::Closure {
                    dst,
                    function,
                    args,
                } => {
                    let shared = code
                        .args(args)
                        .iter()
                        .map(|o| value!(*o).as_number().unwrap_or(0) as u32)
                        .collect();
                    let number = code.callees[function as usize];
                    let arity = match self.load(number) {
                        Ok(closure) => closure.arity,
                        Err(complaints) => return Stop::Failed(complaints),
                    };
                    set!(
                        dst,
                        Value::Closure(Arc::new(Closure {
                            function: number,
                            arity,
                            captures: shared
                        }))
                    );
                }
                Operation::NewShared { dst, src } => {
                    let value = value!(src).clone();
                    let number = state.board.new_shared(value);
                    set!(dst, Value::Number(number as i64));
                }
                Operation::LoadShared { dst, shared } => {
                    let number = state.registers[base + shared as usize]
                        .as_number()
                        .unwrap_or(0);
                    set!(
                        dst,
                        state
                            .board
                            .get(CellKey::new(EntityKind::Shared, 0, number as usize))
                            .unwrap_or_default()
                    );
                }
                Operation::StoreShared { shared, src } => {
                    let number = state.registers[base + shared as usize]
                        .as_number()
                        .unwrap_or(0);
                    let value = value!(src).clone();
                    state
                        .board
                        .set(CellKey::new(EntityKind::Shared, 0, number as usize), value);
                }
                Operation::CallVerb { verb, dst, args } => {
                    let result = attempt!(self.run_verb(state, &code, (pc, base), verb, args));
                    set!(dst, result);
                }
                Operation::CallMutatingVerb {
                    verb,
                    dst,
                    target,
                    args,
                } => {
                    let result = attempt!(self.run_mutating_verb(
                        state,
                        &code,
                        (pc, base),
                        (verb, dst, target, args)
                    ));
                    set!(dst, result);
                }
                Operation::Roll { dst, args, verb } => {
                    save_pc!();
                    let args = operand_values(state, &code, base, args);
                    match attempt!(
                        self.with_context(state, &code, |ctx, _| random_request(ctx, &args, verb))
                    ) {
                        RandomRequest::Throw(throwing) => return Stop::Throw(throwing),
                        RandomRequest::Certain(cards) => set!(dst, cards),
                    }
                }
                Operation::TakeDrawn { dst, args, verb } => {
                    let args = operand_values(state, &code, base, args);
                    let cards = value!(Operand(dst)).clone();
                    attempt!(
                        self.with_context(state, &code, |ctx, _| take_drawn(
                            ctx, &args, verb, &cards
                        ))
                    );
                }
                Operation::Choose { dst: _, args } => {
                    save_pc!();
                    let args = operand_values(state, &code, base, args);
                    return Stop::Choice(attempt!(choice_request(state, &args)));
                }
                Operation::ReadTable { dst, args } => {
                    let result = attempt!(self.read_table(state, &code, base, args));
                    set!(dst, result);
                }
                Operation::JumpIfUntraced { to } => {
                    if !self.records_calls() {
                        pc = to as usize;
                    }
                }
                Operation::Return { src } => {
                    if self.run_mode.stop_on_return && state.stop_before_return(pc - 1) {
                        return Stop::Returned;
                    }
                    let value = take_operand(&mut state.registers, &code.constants, base, src);
                    let Some(frame) = state.frames.pop() else {
                        return Stop::Done(value);
                    };
                    if code.answer_slot.is_some()
                        && let Some(trace) = self.call_trace()
                    {
                        trace.push(Event::Return);
                    }
                    if memoizes {
                        self.memo.finish_recording(state, &value);
                    }
                    if state.frames.len() <= floor {
                        return Stop::Done(value);
                    }
                    let Some(caller) = state.frames.last() else {
                        return Stop::Done(value);
                    };
                    code = match self.load(caller.function) {
                        Ok(code) => code,
                        Err(complaints) => return Stop::Failed(complaints),
                    };
                    (pc, base) = (caller.pc as usize, caller.base as usize);
                    // Clearing dead registers may have truncated the caller's frame.
                    if state.registers.len() < base + code.registers {
                        state
                            .registers
                            .resize(base + code.registers, Value::Nothing);
                    }
                    set!(frame.dst, value);
                }
                Operation::Refuse { args, cases } => {
                    let args = operand_values(state, &code, base, args);
                    let consulted = case_indices(value!(cases));
                    let refusal = attempt!(
                        self.with_context(state, &code, |ctx, _| refusal(ctx, &args, consulted))
                    );
                    let Some(handler) = state
                        .handlers
                        .last()
                        .copied()
                        .filter(|handler| handler.frames > floor)
                    else {
                        save_pc!();
                        return Stop::Refused(refusal);
                    };
                    state.handlers.pop();
                    self.memo.abort_recordings(state, handler.frames);
                    self.unwind(state, handler);
                    let Some(frame) = state.frames.last() else {
                        return Stop::Refused(refusal);
                    };
                    code = match self.load(frame.function) {
                        Ok(code) => code,
                        Err(complaints) => return Stop::Failed(complaints),
                    };
                    (pc, base) = (handler.target as usize, frame.base as usize);
                    if state.registers.len() < base + code.registers {
                        state
                            .registers
                            .resize(base + code.registers, Value::Nothing);
                    }
                    let cases = &self.program.ruleset.cases;
                    let message = Value::from(fill_template(
                        &refusal.template,
                        &refusal.args,
                        &state.board,
                    ));
                    let by = refusal
                        .cases
                        .iter()
                        .map(|case| Value::from(cases[*case].number.as_str()));
                    set!(handler.dst, [message].into_iter().chain(by).collect());
                }
                Operation::MarkOutcomes { dst } => {
                    state.open_marks += 1;
                    set!(dst, Value::Number(state.outcomes.len() as i64));
                }
                Operation::OutcomesSince { dst, mark } => {
                    self.has_read_outcomes = true;
                    state.open_marks = state.open_marks.saturating_sub(1);
                    let from = state.registers[base + mark as usize]
                        .as_number()
                        .unwrap_or(0) as usize;
                    let outcomes = state
                        .outcomes
                        .get(from..)
                        .unwrap_or_default()
                        .iter()
                        .cloned();
                    set!(dst, Value::Map(outcomes.collect()));
                }
                Operation::Try { dst, to } => {
                    let frames = state.frames.len();
                    set!(dst, Value::Nothing);
                    state.handlers.push(RefusalHandler {
                        frames,
                        dst,
                        target: to,
                    });
                }
                Operation::EndTry => drop(state.handlers.pop()),
                Operation::CountOutcomes { dst: _, args } => {
                    save_pc!();
                    let operands = code.args(args);
                    let Value::Closure(closure) = value!(operands[0]).clone() else {
                        attempt!(fault(
                            DiagnosticCode::Running,
                            "a chance is that of a closure",
                            "write it: chance(|| roll(\"1d6\", \"try\"), 6)"
                        ));
                        continue;
                    };
                    let value = operands.get(1).map(|o| value!(*o).clone());
                    if !self.run_mode.is_example {
                        attempt!(fault(
                            DiagnosticCode::Procedure,
                            "`chance` and `mean` are for examples",
                            "take it out; only examples set up boards, dice and answers"
                        ))
                    }
                    return Stop::Count(CountRequest { closure, value });
                }
                Operation::Fault { fault } => {
                    let static_fault = code.faults[fault as usize].clone();
                    return self.stop_failed(state, &code, pc - 1, Fault::Script(static_fault));
                }
            }
        }
    }
}
