//! The operations, one after the other.

use super::ask::{choosing, refusal, throwing};
use super::follow::heard;
use super::meter::{bounded, fitting, growth, push};
use super::reach::{arm, item, pick, put, take, values};
use super::{Machine, last_step};
use crate::code::context::{Fault, fault};
use crate::code::fields;
use crate::code::operators;
use crate::code::state::{Counting, Frame, State, Stop, Try};
use crate::code::unit::Op;
use crate::code::verbs::language::{out_of_bounds, place};
use crate::situation::figures::{Figure, Of};
use crate::situation::trace::Event;
use crate::situation::value::{Closure, Map, TEXT, Value};
use crate::situation::words::{filled, text_within};
use std::sync::Arc;

impl Machine {
    /// Runs until it must ask, or the frame above `floor` has answered.
    pub(super) fn go_on(&mut self, state: &mut State, floor: usize) -> Stop {
        if floor == 0 {
            self.memo.begin(state, self.trace.as_ref().map(|_| self.manner.detail));
            self.still_followed(state);
        }
        let stop = if state.followed.is_some() { self.go::<true>(state, floor) } else { self.go::<false>(state, floor) };
        if !matches!(stop, Stop::Done(_)) {
            self.memo.break_off(state, 0);
        }
        stop
    }

    /// The same; whoever counts does not follow what values come from, and pays nothing for it.
    fn go<const FOLLOWED: bool>(&mut self, state: &mut State, floor: usize) -> Stop {
        // An example may set up another board in the midst of things.
        let remembers = !self.manner.example && !self.manner.anew;
        let Some(frame) = state.frames.last().copied() else { return Stop::Done(Value::Nothing) };
        let mut code = match self.load(frame.unit) {
            Ok(code) => code,
            Err(complaints) => return Stop::Broken(complaints),
        };
        let (mut pc, mut base) = (frame.next as usize, frame.base as usize);
        macro_rules! value {
            ($operand:expr) => {
                pick(&state.registers, &code.constants, base, $operand)
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                put(&mut state.registers[base + $dst as usize], value);
            }};
        }
        macro_rules! attempt {
            ($answer:expr) => {
                match $answer {
                    Ok(value) => value,
                    Err(fault) => return self.broken(&code, pc - 1, *fault),
                }
            };
        }
        // Something is to come between this operation and the next.
        macro_rules! waits {
            () => {
                if let Some(frame) = state.frames.last_mut() {
                    frame.next = pc as u32;
                }
            };
        }
        let end = last_step(state);
        // Whatever runs for ever calls, or goes round: the way back of any loop is a jump backwards.
        macro_rules! step {
            () => {
                attempt!(self.step(state, end))
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
            if FOLLOWED {
                self.follow(state, &code, (pc, base), floor);
            }
            pc += 1;
            match op {
                Op::Copy { dst, src } => set!(dst, value!(src).clone()),
                Op::Move { dst, src } => set!(dst, std::mem::take(&mut state.registers[base + src as usize])),
                Op::Not { dst, src } => set!(dst, attempt!(operators::not(value!(src)))),
                Op::Neg { dst, src } => set!(dst, attempt!(operators::negative(value!(src)))),
                Op::AddTo { dst, src } => {
                    // In place: a list that nobody else holds is not copied.
                    let place = base + dst as usize;
                    let mut sum = std::mem::take(&mut state.registers[place]);
                    let more = if src.0 == dst { sum.clone() } else { value!(src).clone() };
                    state.board.meter.made(growth(&sum, &more));
                    let added = operators::add_to(&mut sum, &more);
                    state.registers[place] = sum;
                    attempt!(added);
                    attempt!(bounded(&state.registers[place]));
                }
                Op::Binary { op, dst, a, b } => {
                    let found = attempt!(operators::binary(op, value!(a), value!(b)));
                    attempt!(fitting(&found, &mut state.board.meter));
                    set!(dst, found);
                }
                Op::Jump { to } => jump!(to),
                Op::JumpIf { flag, so, to } => {
                    if attempt!(operators::condition(value!(flag))) == so {
                        jump!(to);
                    }
                }
                Op::Compare { op, so, a, b, to } => {
                    if attempt!(operators::compare(op, value!(a), value!(b))) == so {
                        jump!(to);
                    }
                }
                Op::JumpIfSome { src, to } => {
                    if !value!(src).is_nothing() {
                        jump!(to);
                    }
                }
                Op::Switch { src, table } => pc = arm(&code.switches[table as usize], value!(src)) as usize,
                Op::List { dst, args } => {
                    let list: Value = code.args(args).iter().map(|o| value!(*o).clone()).collect();
                    attempt!(fitting(&list, &mut state.board.meter));
                    set!(dst, list);
                }
                Op::Map { dst, shape, args } => {
                    let names = code.shapes[shape as usize].iter().cloned();
                    let map = Value::Map(Map::in_order(names.zip(code.args(args).iter().map(|o| value!(*o).clone()))));
                    attempt!(fitting(&map, &mut state.board.meter));
                    set!(dst, map);
                }
                Op::Words { dst, args } => {
                    let mut words = String::new();
                    for operand in code.args(args) {
                        match value!(*operand) {
                            Value::Text(text) => words.push_str(text),
                            Value::Nothing => {}
                            other => words.push_str(&text_within(other, &state.board, TEXT)),
                        }
                    }
                    let words = Value::from(words);
                    attempt!(fitting(&words, &mut state.board.meter));
                    set!(dst, words);
                }
                Op::Get { dst, of, field } => {
                    let found = match (value!(of), &code.fields[field as usize]) {
                        (Value::Map(map), field) if !map.is_cell() => map.find(&field.name).cloned().unwrap_or_default(),
                        (other, field) => {
                            let other = other.clone();
                            attempt!(self.reaching(state, &code, |ctx, _| fields::of(ctx, &other, field)))
                        }
                    };
                    set!(dst, found);
                }
                Op::Index { dst, of, key } => {
                    let found = match (value!(of), value!(key)) {
                        (Value::List(list), Value::Number(index)) => match place(*index, list.len()) {
                            Some(place) => list[place].clone(),
                            None => attempt!(out_of_bounds(*index, list.len())),
                        },
                        (Value::Map(map), Value::Text(name)) if !map.is_cell() => map.find(name).cloned().unwrap_or_default(),
                        (of, key) => {
                            let (of, key) = (of.clone(), key.clone());
                            attempt!(self.reaching(state, &code, |ctx, _| fields::by_key(ctx, &of, &key)))
                        }
                    };
                    set!(dst, found);
                }
                Op::Put { root, path, args } => attempt!(self.put(state, &code, base, (root, path, args))),
                Op::Next { dst, of, count, to } => {
                    let place = base + count as usize;
                    let number = state.registers[place].number().unwrap_or(0);
                    match attempt!(item(value!(of), number)) {
                        Some(value) => {
                            state.registers[place] = Value::Number(number + 1);
                            set!(dst, value);
                        }
                        None => pc = to as usize,
                    }
                }
                Op::Push { list, src } => {
                    let value = value!(src).clone();
                    attempt!(push(&mut state.registers[base + list as usize], value, &mut state.board.meter));
                }
                Op::Call { unit, base: window, count, dst } => {
                    step!();
                    let number = code.units[unit as usize];
                    if remembers {
                        let from = base + window as usize;
                        if let Some(known) = self.memo.ask(state, number, from..from + count as usize, self.noted()) {
                            if let Some(trace) = &mut self.trace {
                                state.board.meter.wrote(size_of::<Event>() as u64);
                                trace.extend(known.told.clone());
                            }
                            if FOLLOWED {
                                heard(state, &known, &self.memo.archive, (from, base + dst as usize), self.noted());
                            }
                            set!(dst, known.value.clone());
                            continue;
                        }
                    }
                    let called = match self.load(number) {
                        Ok(called) => called,
                        Err(complaints) => return Stop::Broken(complaints),
                    };
                    let Some(frame) = state.frames.last_mut() else { return Stop::Done(Value::Nothing) };
                    frame.next = pc as u32;
                    let (mut depth, mut answering) = (frame.depth, frame.answering);
                    if called.answers.is_some() {
                        depth += 1;
                        answering = true;
                    }
                    attempt!(self.deeper(state, depth));
                    base += window as usize;
                    let end = base + called.registers;
                    if state.registers.len() < end {
                        state.registers.resize(end, Value::Nothing);
                    }
                    state.frames.push(Frame { unit: number, next: 0, base: base as u32, dst, depth, answering, stopped: false });
                    self.asked(state, &called);
                    (code, pc) = (called, 0);
                }
                Op::CallClosure { closure, base: window, count, dst } => {
                    step!();
                    let Value::Closure(closure) = value!(closure).clone() else {
                        let what = format!("`call` is for closures; this is {}", value!(closure).kind());
                        attempt!(fault("running", what, "write a closure: |n| n + 1"));
                        continue;
                    };
                    let from = base + window as usize;
                    let args = state.registers[from..from + count as usize].to_vec();
                    waits!();
                    attempt!(self.enter(state, &closure, args, from));
                    if let Some(frame) = state.frames.last_mut() {
                        frame.dst = dst;
                    }
                    code = match self.load(closure.unit) {
                        Ok(code) => code,
                        Err(complaints) => return Stop::Broken(complaints),
                    };
                    (pc, base) = (0, from);
                }
                Op::Closure { dst, unit, args } => {
                    let shared = code.args(args).iter().map(|o| value!(*o).number().unwrap_or(0) as u32).collect();
                    let number = code.units[unit as usize];
                    let arity = match self.load(number) {
                        Ok(made) => made.arity,
                        Err(complaints) => return Stop::Broken(complaints),
                    };
                    set!(dst, Value::Closure(Arc::new(Closure { unit: number, arity, shared })));
                }
                Op::Share { dst, src } => {
                    let value = value!(src).clone();
                    let number = state.board.share(value);
                    set!(dst, Value::Number(number as i64));
                }
                Op::Load { dst, shared } => {
                    let number = state.registers[base + shared as usize].number().unwrap_or(0);
                    set!(dst, state.board.get(Figure::new(Of::Shared, 0, number as usize)).unwrap_or_default());
                }
                Op::Store { shared, src } => {
                    let number = state.registers[base + shared as usize].number().unwrap_or(0);
                    let value = value!(src).clone();
                    state.board.set(Figure::new(Of::Shared, 0, number as usize), value);
                }
                Op::Verb { verb, dst, args } => {
                    let found = attempt!(self.verb(state, &code, (pc, base), verb, args));
                    set!(dst, found);
                }
                Op::Change { verb, dst, target, args } => {
                    let found = attempt!(self.change(state, &code, base, (verb, target, args)));
                    set!(dst, found);
                }
                Op::Roll { dst: _, args, counts } => {
                    waits!();
                    let args = values(state, &code, base, args);
                    return Stop::Throw(attempt!(self.reaching(state, &code, |ctx, _| throwing(ctx, &args, counts))));
                }
                Op::Choose { dst: _, args } => {
                    waits!();
                    let args = values(state, &code, base, args);
                    return Stop::Choice(attempt!(choosing(state, &args)));
                }
                Op::Table { dst, args } => {
                    let found = attempt!(self.table(state, &code, base, args));
                    set!(dst, found);
                }
                Op::Quiet { to } => {
                    if self.trace.is_none() {
                        pc = to as usize;
                    }
                }
                Op::Return { src } => {
                    if self.manner.meets && state.passes(pc - 1) {
                        return Stop::Passed;
                    }
                    let value = take(&mut state.registers, &code.constants, base, src);
                    let Some(frame) = state.frames.pop() else { return Stop::Done(value) };
                    if code.answers.is_some() {
                        state.answered = code.cited;
                        if let Some(trace) = self.asking() {
                            trace.push(Event::Done);
                        }
                    }
                    if remembers {
                        self.memo.answered(state, &value, &mut self.trace);
                    }
                    if state.frames.len() <= floor {
                        return Stop::Done(value);
                    }
                    let Some(caller) = state.frames.last() else { return Stop::Done(value) };
                    code = match self.load(caller.unit) {
                        Ok(code) => code,
                        Err(complaints) => return Stop::Broken(complaints),
                    };
                    (pc, base) = (caller.next as usize, caller.base as usize);
                    // Where registers were let go, there are fewer than the caller may use.
                    if state.registers.len() < base + code.registers {
                        state.registers.resize(base + code.registers, Value::Nothing);
                    }
                    set!(frame.dst, value);
                }
                Op::Refuse { args, answered } => {
                    let args = values(state, &code, base, args);
                    let by = state.answered.filter(|_| answered);
                    let refusal = attempt!(self.reaching(state, &code, |ctx, _| refusal(ctx, &args, by)));
                    let Some(found) = state.tries.last().copied().filter(|found| found.frames > floor) else {
                        waits!();
                        return Stop::Refused(refusal);
                    };
                    state.tries.pop();
                    self.memo.break_off(state, found.frames);
                    self.unwind(state, found);
                    let Some(frame) = state.frames.last() else { return Stop::Refused(refusal) };
                    code = match self.load(frame.unit) {
                        Ok(code) => code,
                        Err(complaints) => return Stop::Broken(complaints),
                    };
                    (pc, base) = (found.to as usize, frame.base as usize);
                    if state.registers.len() < base + code.registers {
                        state.registers.resize(base + code.registers, Value::Nothing);
                    }
                    let cases = &self.program.ruleset.cases;
                    let why = Value::from(filled(&refusal.template, &refusal.args, &state.board));
                    let by = refusal.cases.iter().map(|case| Value::from(cases[*case].number.as_str()));
                    set!(found.dst, [why].into_iter().chain(by).collect());
                }
                Op::Mark { dst } => {
                    state.marks += 1;
                    set!(dst, Value::Number(state.outcomes.len() as i64));
                }
                Op::Since { dst, mark } => {
                    state.marks = state.marks.saturating_sub(1);
                    let from = state.registers[base + mark as usize].number().unwrap_or(0) as usize;
                    let named = state.outcomes.get(from..).unwrap_or_default().iter().cloned();
                    set!(dst, Value::Map(named.collect()));
                }
                Op::Try { dst, to } => {
                    let frames = state.frames.len();
                    set!(dst, Value::Nothing);
                    state.tries.push(Try { frames, dst, to });
                }
                Op::EndTry => drop(state.tries.pop()),
                Op::Count { dst: _, args } => {
                    waits!();
                    let operands = code.args(args);
                    let Value::Closure(closure) = value!(operands[0]).clone() else {
                        attempt!(fault("running", "a chance is that of a closure", "write it: chance(|| roll(\"1d6\", \"try\"), 6)"));
                        continue;
                    };
                    let value = operands.get(1).map(|o| value!(*o).clone());
                    if !self.manner.example {
                        attempt!(fault(
                            "procedure",
                            "`chance` and `mean` are for examples",
                            "rules take boards, dice and answers as they come"
                        ))
                    }
                    return Stop::Count(Counting { closure, value });
                }
                Op::Fault { fault } => {
                    let found = code.faults[fault as usize].clone();
                    return self.broken(&code, pc - 1, Fault::Wrong(found));
                }
            }
        }
    }
}
