//! Operations that need more than registers: verbs, tables, assignment paths.

use super::limits::{check_argument, check_size, work_units};
use super::{Machine, MachineCaller};
use crate::code::bytecode::{ArgumentList, CONSTANT_BIT, CompiledFunction, Operand, PathStep};
use crate::code::context::{NOTHING_ADVICE, VerbContext, VerbResult, fault};
use crate::code::fields;
use crate::code::state::State;
use crate::code::verbs::language;
use crate::code::verbs::types::NOTHING;
use crate::code::verbs::{self, Verb, VerbImplementation};
use crate::complaint::DiagnosticCode;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::value::Value;
use crate::situation::value_text::named;
use std::rc::Rc;

const UNIT_VALUE: &Value = &Value::Nothing;

/// Takes the value of an operand whose register is not read again.
pub fn take_operand(
    registers: &mut [Value],
    constants: &[Value],
    base: usize,
    operand: Operand,
) -> Value {
    match operand.register() {
        Some(register) => std::mem::take(&mut registers[base + register as usize]),
        None => operand_value(registers, constants, base, operand).clone(),
    }
}

#[inline]
pub fn operand_value<'a>(
    registers: &'a [Value],
    constants: &'a [Value],
    base: usize,
    operand: Operand,
) -> &'a Value {
    if operand.0 & CONSTANT_BIT == 0 {
        &registers[base + operand.0 as usize]
    } else {
        &constants[(operand.0 & !CONSTANT_BIT) as usize]
    }
}

/// Returns copies of the arguments' values.
pub fn operand_values(
    state: &State,
    code: &CompiledFunction,
    base: usize,
    args: ArgumentList,
) -> Vec<Value> {
    code.args(args)
        .iter()
        .map(|o| operand_value(&state.registers, &code.constants, base, *o).clone())
        .collect()
}

/// The verb was called with the wrong convention.
fn wrong_convention<T>(verb: &Verb) -> VerbResult<T> {
    fault(
        DiagnosticCode::Running,
        format!("`{}` can't be called like this", verb.name),
        verb.description,
    )
}

impl Machine {
    /// Runs a closure with a verb context and references to the arguments' values.
    fn with_args<T>(
        &mut self,
        state: &mut State,
        code: &CompiledFunction,
        base: usize,
        args: ArgumentList,
        reach: impl FnOnce(&mut VerbContext, &[&Value]) -> VerbResult<T>,
    ) -> VerbResult<T> {
        let operands = code.args(args);
        self.with_context(state, code, |ctx, registers| {
            let mut list = [UNIT_VALUE; 10];
            operands
                .iter()
                .zip(&mut list)
                .for_each(|(o, slot)| *slot = operand_value(registers, &code.constants, base, *o));
            reach(ctx, &list[..operands.len().min(list.len())])
        })
    }

    /// Calls a verb that does not mutate its receiver.
    pub(super) fn run_verb(
        &mut self,
        state: &mut State,
        code: &Rc<CompiledFunction>,
        (pc, base): (usize, usize),
        verb: u16,
        args: ArgumentList,
    ) -> VerbResult {
        let verb = verbs::all()[verb as usize];
        let mut work = 0;
        let result = match verb.implementation {
            VerbImplementation::Function(run) | VerbImplementation::OfRefusal(run) => self
                .with_args(state, code, base, args, |ctx, args| {
                    work = args.iter().map(|arg| work_units(arg)).sum();
                    verbs::check_args(verb, args).and_then(|()| run(ctx, args))
                }),
            VerbImplementation::WithClosures(run)
            | VerbImplementation::ReplaceWithClosures(run) => {
                let args = operand_values(state, code, base, args);
                verbs::check_args(verb, &args.iter().collect::<Vec<_>>())?;
                if let Some(frame) = state.frames.last_mut() {
                    frame.pc = pc as u32;
                }
                run(
                    &mut MachineCaller {
                        machine: self,
                        state,
                        code: code.clone(),
                    },
                    &args,
                )
            }
            VerbImplementation::Mutate(_) | VerbImplementation::Operation(_) => {
                wrong_convention(verb)
            }
        }?;
        debug_assert!(
            result.is_nothing() || verb.returns & verbs::types::type_of_value(&result) != 0,
            "`{}` gives {}",
            verb.name,
            result.describe_type()
        );
        check_argument(&result, &mut state.board.meter)?;
        self.count_work(state, work)?;
        Ok(self.named(result))
    }

    /// Returns a value that a script makes: the label of a place by the name of the place.
    pub(super) fn named(&self, value: Value) -> Value {
        named(value, &self.program.ruleset.game)
    }

    /// Calls a verb that mutates its receiver.
    pub(super) fn run_mutating_verb(
        &mut self,
        state: &mut State,
        code: &CompiledFunction,
        (pc, base): (usize, usize),
        (verb, dst, target, args): (u16, u16, u16, ArgumentList),
    ) -> VerbResult {
        let verb = verbs::all()[verb as usize];
        // The value is moved out while it changes, so that an unshared value is not copied.
        let mut receiver = std::mem::take(&mut state.registers[base + target as usize]);
        let changed = self.with_args(state, code, base, args, |ctx, args| {
            let args_with_receiver: Vec<&Value> = [&receiver]
                .into_iter()
                .chain(args.iter().copied())
                .collect();
            verbs::check_args(verb, &args_with_receiver)?;
            match verb.implementation {
                VerbImplementation::Mutate(run) => run(ctx, &mut receiver, args),
                _ => wrong_convention(verb),
            }
        });
        let fits = check_size(&receiver, &mut state.board.meter);
        state.registers[base + target as usize] = self.named(receiver);
        let result = changed.and_then(|result| fits.map(|()| result))?;
        let is_shared = match &state.registers[base + target as usize] {
            Value::Map(_) => false,
            // `set` and `remove` change an item of a list by its number, else the pieces in it.
            Value::List(_) if !verb.from_language => {
                let key = code
                    .args(args)
                    .first()
                    .map(|key| operand_value(&state.registers, &code.constants, base, *key));
                !matches!(key, Some(Value::Number(_)))
            }
            Value::List(_) => false,
            _ => true,
        };
        // What the verb gives back, as `pop` does, may be all that it is called for.
        self.record_change(
            code,
            pc,
            [target, if verb.returns == NOTHING { target } else { dst }],
            is_shared,
        );
        self.count_work(state, work_units(&state.registers[base + target as usize]))?;
        Ok(result)
    }

    /// Reads a table cell.
    pub(super) fn read_table(
        &mut self,
        state: &mut State,
        code: &CompiledFunction,
        base: usize,
        args: ArgumentList,
    ) -> VerbResult {
        self.with_args(state, code, base, args, verbs::tables::read)
    }

    /// Runs a closure with a verb context and the registers.
    pub(super) fn with_context<T>(
        &mut self,
        state: &mut State,
        code: &CompiledFunction,
        reach: impl FnOnce(&mut VerbContext, &[Value]) -> T,
    ) -> T {
        let answering = state.frames.last().is_some_and(|frame| frame.is_answer);
        let mut ctx = VerbContext {
            ruleset: &self.program.ruleset,
            atlas: &self.program.atlas,
            vocabulary: &self.program.vocabulary,
            board: &mut state.board,
            fixture: &mut state.fixture,
            outcomes: &mut state.outcomes,
            trace: &mut self.trace,
            caches: &mut self.caches,
            run_mode: self.run_mode,
            case: code.case,
            is_answer: answering,
        };
        reach(&mut ctx, &state.registers)
    }

    /// Assigns to the end of a path.
    pub(super) fn store_path(
        &mut self,
        state: &mut State,
        code: &Rc<CompiledFunction>,
        (pc, base): (usize, usize),
        (root, path, args): (u16, u16, ArgumentList),
    ) -> VerbResult<()> {
        let operands = code.args(args);
        let value = operand_value(&state.registers, &code.constants, base, operands[0]).clone();
        let key = |step: &PathStep| match step {
            PathStep::Field(field) => Value::Text(code.fields[*field as usize].name.clone()),
            PathStep::Key(number) => operand_value(
                &state.registers,
                &code.constants,
                base,
                operands[1 + *number as usize],
            )
            .clone(),
        };
        let keys: Vec<Value> = code.paths[path as usize].iter().map(key).collect();
        let mut container = std::mem::take(&mut state.registers[base + root as usize]);
        let stored = self.with_context(state, code, |ctx, _| {
            store_at_keys(ctx, &mut container, &keys, value)
        });
        let fits = check_size(&container, &mut state.board.meter);
        state.registers[base + root as usize] = container;
        let is_shared = stored.and_then(|is_shared| fits.map(|()| is_shared))?;
        self.record_change(code, pc, [root; 2], is_shared);
        self.count_work(state, 1)
    }
}

/// Assigns to the end of a list of keys inside a value. Returns whether that is a sheet, or in one.
fn store_at_keys(
    ctx: &mut VerbContext,
    container: &mut Value,
    keys: &[Value],
    value: Value,
) -> VerbResult<bool> {
    let Some((key, inner_keys)) = keys.split_first() else {
        *container = value;
        return Ok(false);
    };
    if let (Value::Record(record), Value::Text(name)) = (&*container, key) {
        let figure = CellKey::new(EntityKind::Record, ctx.field_number(name)?, *record);
        let mut inner = if inner_keys.is_empty() {
            Value::Nothing
        } else {
            ctx.board.get(figure).unwrap_or_default()
        };
        store_at_keys(ctx, &mut inner, inner_keys, value)?;
        ctx.board.set(figure, inner);
        return Ok(true);
    }
    if inner_keys.is_empty() {
        return match container {
            Value::Piece(_) | Value::Place(_) | Value::Side(_) => fault(
                DiagnosticCode::Running,
                "figures of the situation are not written like this",
                "a procedure sets them: set(piece, \"figure\", value)",
            ),
            container => language::set_item(container, key, value).map(|()| false),
        };
    }
    let mut inner = fields::read_key(ctx, container, key)?;
    let is_shared = store_at_keys(ctx, &mut inner, inner_keys, value)?;
    // A sheet is held by reference, so its owner needs no update.
    if matches!(inner, Value::Record(_)) {
        Ok(true)
    } else {
        language::set_item(container, key, inner).map(|()| is_shared)
    }
}

pub(super) fn switch_target(switch: &crate::code::bytecode::SwitchTable, value: &Value) -> u32 {
    if let Some((_, to)) = switch.arms.iter().find(|(arm, _)| arm == value) {
        return *to;
    }
    let number = value.as_number();
    let range = number.and_then(|n| {
        switch
            .ranges
            .iter()
            .find(|range| (range.start..range.end).contains(&n))
    });
    range.map_or(switch.default_target, |range| range.target)
}

/// Returns an item of an iterable by index; `None` beyond the end. Fails if the value is not iterable.
pub(super) fn nth_item(iterable: &Value, number: i64) -> VerbResult<Option<Value>> {
    Ok(match iterable {
        Value::List(list) => list.get(number as usize).cloned(),
        Value::Range(ends) => ends
            .0
            .checked_add(number)
            .filter(|n| *n < ends.1)
            .map(Value::Number),
        Value::Text(text) => text
            .chars()
            .nth(number as usize)
            .map(|letter| letter.to_string().into()),
        other => {
            let message = format!(
                "a loop goes through a list, a range or a text; this is {}",
                other.describe_type()
            );
            let help = match other {
                Value::Map(_) => "go through its names or its values: `map.keys()`, `map.values()`",
                _ => NOTHING_ADVICE,
            };
            return fault(DiagnosticCode::Running, message, help);
        }
    })
}

/// Overwrites a register. Skips the drop of trivial values, which are the most common.
#[inline(always)]
pub(super) fn set_register(register: &mut Value, value: Value) {
    let old = std::mem::replace(register, value);
    if old.is_trivial() {
        std::mem::forget(old);
    }
}
