//! Names the value that was `()` at a fault. It looks at the function after the fault, so that runs without faults pay nothing.

use super::Machine;
use crate::code::bytecode::{CompiledFunction, Operation, OperationFact, Register};
use crate::code::state::State;
use crate::code::verbs;
use crate::data::manifest::function_name;
use crate::situation::value::Value;

impl Machine {
    /// Returns what was `()` at a fault: a variable, or what the function has just read; `None` if that has no name.
    pub(super) fn name_of_nothing(
        &self,
        state: &State,
        code: &CompiledFunction,
        pc: usize,
    ) -> Option<String> {
        let base = state.frames.last()?.base as usize;
        let mut register = None;
        code.operation_facts(*code.ops.get(pc)?, &mut |fact| {
            if let OperationFact::Reads(operand) = fact {
                let is_nothing = |read: &Register| {
                    state.registers.get(base + *read as usize) == Some(&Value::Nothing)
                };
                register = register.or(operand.register().filter(is_nothing));
            }
        });
        if let Some(name) = code.variable_at(pc as u32, register?) {
            return Some(format!("`{name}` is () here"));
        }
        let name = match *code.ops.get(definition(code, pc, register?)?)? {
            Operation::Get { object, field, .. } => {
                let name = code.fields[field as usize].name.to_string();
                if let Some(procedure) = self.procedure_given(state, code)
                    && object.register() == Some(0)
                {
                    return Some(format!(
                        "`{name}` is nothing: this situation doesn't give it; `{procedure}` takes it under `given:`"
                    ));
                }
                name
            }
            Operation::Call { callee, .. } => {
                let number = *code.callees.get(callee as usize)?;
                format!(
                    "{}(...)",
                    self.functions.get(number as usize)?.as_ref()?.name.as_str()
                )
            }
            Operation::CallVerb { verb, .. } | Operation::CallMutatingVerb { verb, .. } => {
                format!("{}(...)", verbs::all().get(verb as usize)?.name)
            }
            Operation::ReadTable { .. } => "table(...)".into(),
            _ => return None,
        };
        Some(format!("`{name}` is () here"))
    }

    /// Returns the procedure that runs, if its function is the innermost one and has nothing but its `given`.
    fn procedure_given(&self, state: &State, code: &CompiledFunction) -> Option<&str> {
        let is_procedure = state.frames.len() == 1
            && !self.run_mode.is_example
            && code.answer_slot.is_some()
            && code.arity == 1;
        let mut procedures = self.program.ruleset.game.procedures.iter();
        procedures
            .find(|(name, _)| is_procedure && function_name(name) == code.name)
            .map(|(name, _)| name.as_str())
    }
}

/// Returns the operation that has written a register on the straight way to `pc`; `None` where ways join between them.
fn definition(code: &CompiledFunction, pc: usize, register: Register) -> Option<usize> {
    let mut targets = vec![false; code.ops.len() + 1];
    for op in &code.ops {
        code.operation_facts(*op, &mut |fact| {
            if let OperationFact::Target(to) | OperationFact::Catches(to) = fact {
                targets[to as usize] = true;
            }
        });
    }
    // A loop comes back to where it takes its next item, and changes no list that it goes through.
    targets[pc] &= !matches!(code.ops[pc], Operation::Next { .. });
    (0..pc).rev().take_while(|at| !targets[at + 1]).find(|at| {
        let mut writes = false;
        code.operation_facts(code.ops[*at], &mut |fact| {
            writes |= matches!(fact, OperationFact::Writes(to) | OperationFact::Updates(to) if to == register);
        });
        writes
    })
}
