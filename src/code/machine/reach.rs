//! What operations reach beyond the registers: verbs, tables, what a path leads to.

use super::meter::{extent, fitting, given_fits};
use super::{Caller, Machine};
use crate::code::context::{Answer, Context, fault};
use crate::code::fields;
use crate::code::state::State;
use crate::code::unit::{Args, CONSTANT, Operand, Step, Unit};
use crate::code::verbs::language;
use crate::code::verbs::{self, Run, Verb};
use crate::situation::figures::{Figure, Of};
use crate::situation::value::Value;
use std::rc::Rc;

const NOTHING: &Value = &Value::Nothing;

/// The value of an operand that nobody needs any more where it stands.
pub fn take(registers: &mut [Value], constants: &[Value], base: usize, operand: Operand) -> Value {
    match operand.register() {
        Some(register) => std::mem::take(&mut registers[base + register as usize]),
        None => pick(registers, constants, base, operand).clone(),
    }
}

#[inline]
pub fn pick<'a>(registers: &'a [Value], constants: &'a [Value], base: usize, operand: Operand) -> &'a Value {
    if operand.0 & CONSTANT == 0 { &registers[base + operand.0 as usize] } else { &constants[(operand.0 & !CONSTANT) as usize] }
}

/// The values of some arguments.
pub fn values(state: &State, code: &Unit, base: usize, args: Args) -> Vec<Value> {
    code.args(args).iter().map(|o| pick(&state.registers, &code.constants, base, *o).clone()).collect()
}

/// A verb that was taken for another sort of it.
fn other<T>(verb: &Verb) -> Answer<T> {
    fault("running", format!("`{}` can't be called so", verb.name), verb.does)
}

impl Machine {
    /// Reaches what verbs reach, with the arguments where they stand.
    fn with<T>(
        &mut self,
        state: &mut State,
        code: &Unit,
        base: usize,
        args: Args,
        reach: impl FnOnce(&mut Context, &[&Value]) -> Answer<T>,
    ) -> Answer<T> {
        let operands = code.args(args);
        self.reaching(state, code, |ctx, registers| {
            let mut list = [NOTHING; 10];
            operands.iter().zip(&mut list).for_each(|(o, slot)| *slot = pick(registers, &code.constants, base, *o));
            reach(ctx, &list[..operands.len().min(list.len())])
        })
    }

    /// Carries out a verb that answers.
    pub(super) fn verb(&mut self, state: &mut State, code: &Rc<Unit>, (pc, base): (usize, usize), verb: u16, args: Args) -> Answer {
        let verb = verbs::all()[verb as usize];
        let mut work = 0;
        let found = match verb.run {
            Run::Answer(run) => self.with(state, code, base, args, |ctx, args| {
                work = args.iter().map(|arg| extent(arg)).sum();
                verbs::check(verb, args).and_then(|()| run(ctx, args))
            }),
            Run::Call(run) => {
                let args = values(state, code, base, args);
                verbs::check(verb, &args.iter().collect::<Vec<_>>())?;
                if let Some(frame) = state.frames.last_mut() {
                    frame.next = pc as u32;
                }
                run(&mut Caller { machine: self, state, code: code.clone() }, &args)
            }
            _ => other(verb),
        }?;
        debug_assert!(found.is_nothing() || verb.gives.takes(&found), "`{}` gives {}", verb.name, found.kind());
        given_fits(&found, &mut state.board.meter)?;
        self.works(state, work)?;
        Ok(found)
    }

    /// Carries out a verb that changes the value it is called on.
    pub(super) fn change(&mut self, state: &mut State, code: &Unit, base: usize, (verb, target, args): (u16, u16, Args)) -> Answer {
        let verb = verbs::all()[verb as usize];
        // Taken out while it is changed: what nobody else holds is not copied.
        let mut own = std::mem::take(&mut state.registers[base + target as usize]);
        let changed = self.with(state, code, base, args, |ctx, args| {
            let all: Vec<&Value> = [&own].into_iter().chain(args.iter().copied()).collect();
            verbs::check(verb, &all)?;
            match verb.run {
                Run::Change(run) => run(ctx, &mut own, args),
                _ => other(verb),
            }
        });
        let fits = fitting(&own, &mut state.board.meter);
        state.registers[base + target as usize] = own;
        let found = changed.and_then(|found| fits.map(|()| found))?;
        self.works(state, extent(&state.registers[base + target as usize]))?;
        Ok(found)
    }

    /// Reads a cell.
    pub(super) fn table(&mut self, state: &mut State, code: &Unit, base: usize, args: Args) -> Answer {
        self.with(state, code, base, args, verbs::tables::read)
    }

    /// Reaches what verbs reach.
    pub(super) fn reaching<T>(&mut self, state: &mut State, code: &Unit, reach: impl FnOnce(&mut Context, &[Value]) -> T) -> T {
        let answering = state.frames.last().is_some_and(|frame| frame.answering);
        let mut ctx = Context {
            ruleset: &self.program.ruleset,
            atlas: &self.program.atlas,
            words: &self.program.words,
            board: &mut state.board,
            hand: &mut state.hand,
            outcomes: &mut state.outcomes,
            trace: &mut self.trace,
            caches: &mut self.caches,
            manner: self.manner,
            case: code.case,
            answering,
        };
        reach(&mut ctx, &state.registers)
    }

    /// Sets what a path leads to.
    pub(super) fn put(&mut self, state: &mut State, code: &Rc<Unit>, base: usize, (root, path, args): (u16, u16, Args)) -> Answer<()> {
        let operands = code.args(args);
        let value = pick(&state.registers, &code.constants, base, operands[0]).clone();
        let key = |step: &Step| match step {
            Step::Field(field) => Value::Text(code.fields[*field as usize].name.clone()),
            Step::Key(number) => pick(&state.registers, &code.constants, base, operands[1 + *number as usize]).clone(),
        };
        let keys: Vec<Value> = code.paths[path as usize].iter().map(key).collect();
        let mut own = std::mem::take(&mut state.registers[base + root as usize]);
        let done = self.reaching(state, code, |ctx, _| put_in(ctx, &mut own, &keys, value));
        let fits = fitting(&own, &mut state.board.meter);
        state.registers[base + root as usize] = own;
        done.and(fits).and_then(|()| self.works(state, 1))
    }
}

/// Sets what keys lead to, within a value.
fn put_in(ctx: &mut Context, own: &mut Value, keys: &[Value], value: Value) -> Answer<()> {
    let Some((key, rest)) = keys.split_first() else {
        *own = value;
        return Ok(());
    };
    if let (Value::Record(record), Value::Text(name)) = (&*own, key) {
        let figure = Figure::new(Of::Record, ctx.field(name)?, *record);
        let mut inner = if rest.is_empty() { Value::Nothing } else { ctx.board.get(figure).unwrap_or_default() };
        put_in(ctx, &mut inner, rest, value)?;
        ctx.board.set(figure, inner);
        return Ok(());
    }
    if rest.is_empty() {
        return match own {
            Value::Piece(_) | Value::Place(_) | Value::Side(_) => fault(
                "running",
                "figures of the situation are not written like this",
                "a procedure sets them: set(piece, \"figure\", value)",
            ),
            own => language::put(own, key, value),
        };
    }
    let mut inner = fields::by_key(ctx, own, key)?;
    put_in(ctx, &mut inner, rest, value)?;
    // What holds the sheet or the copy stays as it was, where the inner one is held by reference.
    if matches!(inner, Value::Record(_)) { Ok(()) } else { language::put(own, key, inner) }
}

/// Where a switch goes on with a value.
pub(super) fn arm(switch: &crate::code::unit::Switch, value: &Value) -> u32 {
    if let Some((_, to)) = switch.arms.iter().find(|(arm, _)| arm == value) {
        return *to;
    }
    let number = value.number();
    let range = number.and_then(|n| switch.ranges.iter().find(|(from, to, _)| (*from..*to).contains(&n)));
    range.map_or(switch.rest, |(.., to)| *to)
}

/// The item of a number of whatever can be gone through.
pub(super) fn item(of: &Value, number: i64) -> Answer<Option<Value>> {
    Ok(match of {
        Value::List(list) => list.get(number as usize).cloned(),
        Value::Range(ends) => ends.0.checked_add(number).filter(|n| *n < ends.1).map(Value::Number),
        Value::Text(text) => text.chars().nth(number as usize).map(|letter| letter.to_string().into()),
        other => {
            let what = format!("a list, a range or a text can be gone through; this is {}", other.kind());
            let help = match other {
                Value::Map(_) => "go through its names or its values: `map.keys()`, `map.values()`",
                _ => "look what stands here: a figure that nobody gave reads as ()",
            };
            return fault("running", what, help);
        }
    })
}

/// Puts a value into a register. Most of what stands there is plain, and need not be let go.
#[inline(always)]
pub(super) fn put(register: &mut Value, value: Value) {
    let old = std::mem::replace(register, value);
    if old.is_plain() {
        std::mem::forget(old);
    }
}
