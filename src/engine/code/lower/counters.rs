//! Counters: registers whose numbers are only added to and reported, as a count of rounds is that no rule reads. What a function does does
//! not depend on them, and what it reports of one grows with it: so a count of odds need not tell their numbers apart.

use super::flow_graph::{add_bit, has_bit};
use super::liveness::remove_written;
use crate::code::bytecode::{
    BinaryOperator, CompiledFunction, Operand, Operation, OperationFact, Register,
};
use crate::code::verbs::{self, Role};

/// How the value of a register after an operation matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Nothing,
    /// Its number is added to and reported.
    Counted,
    /// It is read otherwise.
    Read,
}

/// What an operation needs of its operands, given what is needed after it: two sets of bits, of what is needed at all and of what is read.
struct Needs<'a> {
    live: &'a mut [u64],
    words: usize,
}

impl Needs<'_> {
    fn of(&self, register: Register) -> Need {
        let is_in = |set: usize| has_bit(&self.live[set * self.words..], register.into());
        match (is_in(0), is_in(1)) {
            (_, true) => Need::Read,
            (true, _) => Need::Counted,
            _ => Need::Nothing,
        }
    }

    fn add(&mut self, operand: Operand, need: Need) {
        let Some(register) = operand.register() else {
            return;
        };
        for set in 0..usize::from(need > Need::Nothing) + usize::from(need > Need::Counted) {
            add_bit(&mut self.live[set * self.words..], register.into());
        }
    }

    /// Steps backward over an operation.
    fn step_over(&mut self, function: &CompiledFunction, index: usize, collects: bool) {
        let op = function.ops[index];
        let need = match op {
            Operation::AddAssign { dst, .. }
            | Operation::Copy { dst, .. }
            | Operation::Move { dst, .. }
            | Operation::Binary { dst, .. } => self.of(dst),
            _ => Need::Read,
        };
        let (needed, read) = self.live.split_at_mut(self.words);
        remove_written(function, index, needed);
        remove_written(function, index, read);
        match op {
            // A sum or a copy that is not needed needs nothing itself.
            Operation::AddAssign { .. } | Operation::Copy { .. } | Operation::Move { .. }
                if need == Need::Nothing => {}
            Operation::AddAssign { dst, src } => {
                self.add(Operand(dst), need);
                self.add(src, Need::Read);
            }
            Operation::Copy { src, .. } => self.add(src, need),
            Operation::Move { src, .. } => self.add(Operand(src), need),
            Operation::Binary {
                op: BinaryOperator::Add | BinaryOperator::Sub,
                ..
            } if need == Need::Nothing => {}
            Operation::Binary {
                op: op @ (BinaryOperator::Add | BinaryOperator::Sub),
                dst,
                a,
                b,
            } => {
                let is_second = op == BinaryOperator::Add
                    && (a.register().is_none() || b.register() == Some(dst));
                let (counter, added) = if is_second { (b, a) } else { (a, b) };
                self.add(counter, need);
                self.add(added, Need::Read);
            }
            op => {
                let reported = reported_operand(function, op).filter(|_| !collects);
                let mut is_reported = false;
                function.operation_facts(op, &mut |fact| {
                    if let OperationFact::Reads(operand) = fact {
                        // An operand that is also the name is read.
                        let counts =
                            reported == Some(operand) && !std::mem::replace(&mut is_reported, true);
                        self.add(operand, if counts { Need::Counted } else { Need::Read });
                    }
                });
            }
        }
    }
}

/// Returns the operand of an operation that names an outcome by its value.
fn reported_operand(function: &CompiledFunction, op: Operation) -> Option<Operand> {
    let Operation::CallVerb { verb, args, .. } = op else {
        return None;
    };
    let name = verbs::all()[verb as usize].index_of(Role::Outcome)?;
    function.args(args).get(name + 1).copied()
}

/// Returns the step back over an operation in sets of what is needed, and of what is read.
pub(super) fn step_over_needs(
    function: &CompiledFunction,
    words: usize,
) -> impl FnMut(usize, &mut [u64]) {
    // What a function collects of its outcomes it reads.
    let is_collecting = |op: &Operation| matches!(op, Operation::MarkOutcomes { .. });
    let collects = function.ops.iter().any(is_collecting);
    move |index, live| Needs { live, words }.step_over(function, index, collects)
}

/// Returns the registers that are counters, by sets of what is needed, and of what is read.
pub(super) fn counted_registers(function: &CompiledFunction, live: &mut [u64]) -> Vec<Register> {
    let words = live.len() / 2;
    let needs = Needs { live, words };
    (0..function.registers as Register)
        .filter(|register| needs.of(*register) == Need::Counted)
        .collect()
}
