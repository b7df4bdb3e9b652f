//! Says where a `()` came from that a rule could not use. It inspects the function after a fault, so that runs without faults pay nothing.

use super::Machine;
use crate::code::bytecode::{
    CONSTANT_BIT, CompiledFunction, Operand, Operation, OperationFact, Register,
};
use crate::code::state::State;
use crate::code::verbs;
use crate::data::manifest::function_name;
use crate::situation::value::Value;
use crate::situation::value_text::text_within;

/// The maximum number of callers to inspect.
const MAX_CALLERS: usize = 8;

/// The maximum length of a value in a message.
const MAX_VALUE_TEXT: usize = 40;

/// A function on the call stack, with the operation at which it stands.
#[derive(Clone, Copy)]
struct StackPosition<'a> {
    code: &'a CompiledFunction,
    frame: usize,
    pc: usize,
}

/// What may have written a register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Definition {
    /// An operation, by its index.
    Operation(usize),
    /// The caller, because the register is a parameter.
    Argument,
}

impl Machine {
    /// Returns which value was `()` at a fault and where it came from; `None` if that is not certain.
    pub(super) fn origin_of_nothing(
        &self,
        state: &State,
        code: &CompiledFunction,
        pc: usize,
    ) -> Option<String> {
        let frame = state.frames.len().checked_sub(1)?;
        let at = StackPosition { code, frame, pc };
        let mut registers = Vec::new();
        code.operation_facts(*code.ops.get(pc)?, &mut |fact| {
            let OperationFact::Reads(operand) = fact else {
                return;
            };
            let Some(register) = operand.register() else {
                return;
            };
            if self
                .register(state, at, register)
                .is_some_and(Value::is_nothing)
                && !registers.contains(&register)
            {
                registers.push(register);
            }
        });
        // If several values are `()`, the first is named.
        registers
            .first()
            .and_then(|register| self.origin(state, at, *register, 0))
    }

    fn register<'s>(
        &self,
        state: &'s State,
        at: StackPosition,
        register: Register,
    ) -> Option<&'s Value> {
        state
            .registers
            .get(state.frames.get(at.frame)?.base as usize + register as usize)
    }

    /// Describes where the `()` came from that an operation reads from a register.
    fn origin(
        &self,
        state: &State,
        at: StackPosition,
        register: Register,
        callers: usize,
    ) -> Option<String> {
        let pc = match find_definition(at.code, at.pc, register)? {
            Definition::Argument => return self.origin_in_caller(state, at, register, callers),
            Definition::Operation(pc) => pc,
        };
        let position = self.place_text(at.code, pc);
        let at = StackPosition { pc, ..at };
        let text = |operand: Operand| self.operand_text(state, at, operand);
        let arguments = |args| {
            at.code
                .args(args)
                .iter()
                .map(|operand| text(*operand))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match at.code.ops[pc] {
            Operation::Copy { src, .. } => match src.register() {
                Some(source) => self.origin(state, at, source, callers),
                None => Some(format!("it was set to (){position}")),
            },
            Operation::Move { src, .. } => self.origin(state, at, src, callers),
            Operation::Get { object, field, .. } => {
                let name = &at.code.fields[field as usize].name;
                Some(
                    match (
                        self.procedure_of_given(at, object),
                        self.operand(state, at, object),
                    ) {
                        (Some(procedure), _) => {
                            format!(
                                "`{name}` is nothing: this situation doesn't give it; `{procedure}` takes it under `given:`"
                            )
                        }
                        (_, Some(Value::Piece(_) | Value::Place(_) | Value::Side(_))) => {
                            format!(
                                "`{name}` is nothing: {} has no such figure set, read{position}",
                                text(object)
                            )
                        }
                        _ => format!(
                            "`{name}` is nothing: there was no `{name}` where it was read{position}"
                        ),
                    },
                )
            }
            Operation::Index { key, .. }
                if matches!(self.operand(state, at, key), Some(Value::Number(_))) =>
            {
                Some(format!(
                    "item {} of the list is nothing, read{position}",
                    text(key)
                ))
            }
            Operation::Index { key, .. } => Some(format!(
                "`{}` is nothing: there was no such key or entry where it was read{position}",
                text(key)
            )),
            Operation::Call { callee, .. } => {
                let number = *at.code.callees.get(callee as usize)?;
                let callee = self.functions.get(number as usize)?.as_ref()?;
                let name = callee.name.as_str();
                (!name.is_empty()).then(|| {
                    format!(
                        "`{name}` returned nothing: it was called{position}, and is defined{}",
                        self.place_text(callee, usize::MAX)
                    )
                })
            }
            Operation::CallClosure { .. } => Some(format!(
                "a closure returned nothing: it was called{position}"
            )),
            Operation::CallVerb { verb, args, .. } => Some(format!(
                "`{}({})` is nothing: it was asked{position}",
                verbs::all().get(verb as usize)?.name,
                arguments(args)
            )),
            Operation::CallMutatingVerb {
                verb, target, args, ..
            } => {
                let (name, receiver) =
                    (verbs::all().get(verb as usize)?.name, text(Operand(target)));
                Some(format!(
                    "`{receiver}.{name}({})` is nothing: it was asked{position}",
                    arguments(args)
                ))
            }
            Operation::ReadTable { args, .. } => Some(format!(
                "`table({})` is nothing: that cell is empty, read{position}",
                arguments(args)
            )),
            Operation::Next { .. } => Some(format!(
                "an item of the list is nothing: the loop is{position}"
            )),
            Operation::LoadShared { .. } => Some(format!(
                "a variable that a closure shares is nothing{position}"
            )),
            _ => None,
        }
    }

    /// Describes where an argument came from.
    fn origin_in_caller(
        &self,
        state: &State,
        at: StackPosition,
        register: Register,
        callers: usize,
    ) -> Option<String> {
        let case = &self.program.ruleset.cases[at.code.case?];
        let function = case
            .functions
            .iter()
            .find(|function| function.name_span == at.code.span)?;
        let parameter = function.params.get(register as usize)?;
        let caller = at.frame.checked_sub(1).filter(|_| callers < MAX_CALLERS)?;
        let (below, base) = (state.frames[caller], state.frames[at.frame].base);
        let code = self.functions.get(below.function as usize)?.as_ref()?;
        let pc = (below.pc as usize).checked_sub(1)?;
        let passed_nothing = format!(
            "`{parameter}` of `{}` was given as (){}",
            function.name,
            self.place_text(code, pc)
        );
        // Between the two may stand a verb that calls a closure.
        let Operation::Call { base: window, .. } = code.ops[pc] else {
            return Some(passed_nothing);
        };
        if below.base + u32::from(window) != base {
            return Some(passed_nothing);
        }
        let origin = self.origin(
            state,
            StackPosition {
                code,
                frame: caller,
                pc,
            },
            window + register,
            callers + 1,
        );
        Some(origin.map_or(passed_nothing.clone(), |origin| {
            format!("{passed_nothing}; {origin}")
        }))
    }

    /// Returns the procedure whose `given` entries an operand holds.
    fn procedure_of_given(&self, at: StackPosition, operand: Operand) -> Option<&str> {
        if at.frame > 0
            || self.run_mode.is_example
            || at.code.answer_slot.is_none()
            || at.code.arity != 1
        {
            return None;
        }
        let (mut register, mut pc) = (operand.register()?, at.pc);
        while let Definition::Operation(definition) = find_definition(at.code, pc, register)? {
            (register, pc) = match at.code.ops[definition] {
                Operation::Copy { src, .. } => (src.register()?, definition),
                Operation::Move { src, .. } => (src, definition),
                _ => return None,
            };
        }
        let procedures = &self.program.ruleset.game.procedures;
        procedures
            .iter()
            .map(|(name, _)| name.as_str())
            .find(|name| function_name(name) == at.code.name)
    }

    fn operand<'s>(
        &self,
        state: &'s State,
        at: StackPosition<'s>,
        operand: Operand,
    ) -> Option<&'s Value> {
        match operand.register() {
            Some(register) => self.register(state, at, register),
            None => Some(constant(at.code, operand)),
        }
    }

    fn operand_text(&self, state: &State, at: StackPosition, operand: Operand) -> String {
        match self.operand(state, at, operand) {
            Some(Value::Nothing) | None => "()".into(),
            Some(value) => text_within(value, &state.board, MAX_VALUE_TEXT),
        }
    }

    /// Formats the case and line of an operation, or of a function if it has no such operation.
    fn place_text(&self, code: &CompiledFunction, pc: usize) -> String {
        let Some(case) = code.case else {
            return String::new();
        };
        let case = &self.program.ruleset.cases[case];
        let line = code
            .positions
            .get(pc)
            .map(|position| position.0 as usize)
            .filter(|line| *line > 0)
            .unwrap_or(code.span.line);
        let (file, before) = case.file_of(line);
        format!(" in {}:{}", file.path, line - before)
    }
}

fn constant(code: &CompiledFunction, operand: Operand) -> &Value {
    &code.constants[(operand.0 & !CONSTANT_BIT) as usize]
}

/// Whether an operation may write `()` to the register that it defines.
fn may_give_nothing(code: &CompiledFunction, pc: usize) -> bool {
    match code.ops[pc] {
        Operation::Copy { src, .. } if src.register().is_none() => constant(code, src).is_nothing(),
        Operation::Not { .. }
        | Operation::Neg { .. }
        | Operation::Binary { .. }
        | Operation::List { .. }
        | Operation::Map { .. }
        | Operation::Interpolate { .. }
        | Operation::Closure { .. }
        | Operation::Roll { .. } => false,
        _ => true,
    }
}

/// Finds what wrote the `()` that an operation reads from a register; `None` if several operations may have.
fn find_definition(code: &CompiledFunction, pc: usize, register: Register) -> Option<Definition> {
    let mut predecessors = vec![Vec::new(); code.ops.len() + 1];
    for from in 0..code.ops.len() {
        code.for_each_successor(from, &mut |to| predecessors[to].push(from));
    }
    let (mut visited, mut todo, mut definitions) =
        (vec![false; code.ops.len()], vec![pc], Vec::new());
    let mut add = |definition: Definition| {
        if !definitions.contains(&definition) {
            definitions.push(definition);
        }
    };
    while let Some(at) = todo.pop() {
        if at == 0 && (register as usize) < code.arity {
            add(Definition::Argument);
        }
        for from in &predecessors[at] {
            let op = code.ops[*from];
            let mut is_definition = matches!(op, Operation::Next { dst, to, .. } if dst == register && to as usize != at);
            code.operation_facts(op, &mut |fact| {
                is_definition |=
                    matches!(fact, OperationFact::Writes(written) if written == register)
            });
            // These change a value in place, which is then not `()`.
            let is_change = match op {
                Operation::StorePath { root, .. } => root == register,
                Operation::AddAssign { dst, .. } => dst == register,
                Operation::Push { list, .. } => list == register,
                _ => false,
            };
            if is_definition && may_give_nothing(code, *from) {
                add(Definition::Operation(*from));
            }
            if !is_definition && !is_change && !std::mem::replace(&mut visited[*from], true) {
                todo.push(*from);
            }
        }
    }
    match definitions[..] {
        [only] => Some(only),
        _ => None,
    }
}
