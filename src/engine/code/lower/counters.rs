//! Counters: registers whose numbers are only added to and reported, as a count of rounds is that no rule reads. What a function does does
//! not depend on them, and what it reports of one grows with it: so a count of odds need not tell their numbers apart.

use super::liveness::{LiveBefore, handler_targets, may_stop, remove_written};
use crate::code::bytecode::{
    BinaryOperator, CompiledFunction, Operand, Operation, OperationFact, Register,
};
use crate::code::flow::CounterRegisters;
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
        let is_in = |set: usize| {
            self.live[set * self.words + register as usize / 64] & 1 << (register % 64) != 0
        };
        if is_in(1) {
            Need::Read
        } else {
            if is_in(0) {
                Need::Counted
            } else {
                Need::Nothing
            }
        }
    }

    fn add(&mut self, operand: Operand, need: Need) {
        let Some(register) = operand.register() else {
            return;
        };
        for set in 0..usize::from(need > Need::Nothing) + usize::from(need > Need::Counted) {
            self.live[set * self.words + register as usize / 64] |= 1 << (register % 64);
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
            // A sum or a copy that nobody needs needs nothing.
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

/// Finds the registers that are counters after each operation at which the machine may stop.
pub fn find_counters(function: &CompiledFunction) -> CounterRegisters {
    // What a function collects of its outcomes it reads.
    let collects = function
        .ops
        .iter()
        .any(|op| matches!(op, Operation::MarkOutcomes { .. }));
    let words = function.registers.div_ceil(64).max(1);
    let caught = handler_targets(function);
    let mut before = LiveBefore::new(2 * words, function.ops.len());
    let mut live = vec![0; 2 * words];
    let mut changed = true;
    while changed {
        changed = false;
        for index in (0..function.ops.len()).rev() {
            before.live_after(function, index, &caught, &mut live);
            Needs {
                live: &mut live,
                words,
            }
            .step_over(function, index, collects);
            changed |= before.update(index, &live);
        }
    }
    let mut counters = CounterRegisters::default();
    for index in (0..function.ops.len()).filter(|index| may_stop(function, *index)) {
        before.live_after(function, index, &caught, &mut live);
        live.chunks_mut(words)
            .for_each(|live| remove_written(function, index, live));
        let needs = Needs {
            live: &mut live,
            words,
        };
        let registers: Vec<Register> = (0..function.registers as Register)
            .filter(|register| needs.of(*register) == Need::Counted)
            .collect();
        if !registers.is_empty() {
            counters.insert(index as u32, registers);
        }
    }
    counters
}
