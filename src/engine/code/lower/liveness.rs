//! Register liveness at possible stops and before each operation. Dead registers are cleared, so that states that differ only in them become
//! equal.

use crate::code::bytecode::{BinaryOperator, CompiledFunction, Operation, OperationFact, Register};
use crate::code::flow::LiveRegisters;
use rustc_hash::FxHashMap;

/// Computes the live registers after each operation at which the machine may stop. A number is live without mattering if it is only added
/// to, as a count of rounds is that no rule reads: the sum needs a number, and any will do.
pub fn find_live_registers(function: &CompiledFunction) -> LiveRegisters {
    let caught = handler_targets(function);
    let words = function.registers.div_ceil(64).max(1);
    let [live, mattering] = [false, true].map(|matters| {
        let mut before = LiveBefore::new(words, function.ops.len());
        before.compute(function, &caught, matters);
        before
    });
    let mut at_stop: FxHashMap<u32, [Vec<u64>; 2]> = FxHashMap::default();
    for index in 0..function.ops.len() {
        if may_stop(function, index) {
            let after = |before: &LiveBefore| {
                let mut live = vec![0; words];
                before.live_after(function, index, &caught, &mut live);
                remove_written(function, index, &mut live);
                live
            };
            at_stop.insert(index as u32, [after(&live), after(&mattering)]);
        }
    }
    LiveRegisters {
        at_stop,
        words,
        before: live.bits,
    }
}

/// Whether the machine may stop at an operation.
pub(super) fn may_stop(function: &CompiledFunction, index: usize) -> bool {
    let mut may_stop = false;
    function.operation_facts(function.ops[index], &mut |fact| {
        may_stop |= matches!(fact, OperationFact::MayStop)
    });
    may_stop
}

/// Whether an operation only makes a sum or a copy that no operation after it reads.
fn makes_nothing(op: Operation, live_after: &[u64]) -> bool {
    let dst = match op {
        Operation::AddAssign { dst, .. }
        | Operation::Copy { dst, .. }
        | Operation::Move { dst, .. } => dst,
        Operation::Binary {
            op: BinaryOperator::Add | BinaryOperator::Sub,
            dst,
            ..
        } => dst,
        _ => return false,
    };
    live_after[dst as usize / 64] & 1 << (dst % 64) == 0
}

/// Returns the registers that hold the numbers of shared variables.
pub fn find_shared_registers(function: &CompiledFunction) -> Vec<Register> {
    let mut registers = Vec::new();
    for op in &function.ops {
        match *op {
            Operation::NewShared { dst, .. } => registers.push(dst),
            Operation::LoadShared { shared, .. } | Operation::StoreShared { shared, .. } => {
                registers.push(shared)
            }
            Operation::Closure { args, .. } => registers.extend(
                function
                    .args(args)
                    .iter()
                    .filter_map(|operand| operand.register()),
            ),
            _ => {}
        }
    }
    registers.sort_unstable();
    registers.dedup();
    registers
}

/// Removes the registers that an operation writes.
pub(super) fn remove_written(function: &CompiledFunction, index: usize, live: &mut [u64]) {
    function.operation_facts(function.ops[index], &mut |fact| {
        if let OperationFact::Writes(register) = fact {
            live[register as usize / 64] &= !(1 << (register % 64));
        }
    });
}

/// Live registers before each operation, as bits.
pub(super) struct LiveBefore {
    words: usize,
    bits: Vec<u64>,
}

impl LiveBefore {
    /// Creates sets of so many words in which nothing is live.
    pub(super) fn new(words: usize, ops: usize) -> LiveBefore {
        LiveBefore {
            words,
            bits: vec![0; words * (ops + 1)],
        }
    }

    /// Flows backward until a fixed point, because of loops. With `matters`, what is added to a sum that nobody reads is not live.
    fn compute(&mut self, function: &CompiledFunction, caught: &[Vec<u32>], matters: bool) {
        let (mut changed, mut live) = (true, vec![0; self.words]);
        while changed {
            changed = false;
            for index in (0..function.ops.len()).rev() {
                self.live_after(function, index, caught, &mut live);
                if !(matters && makes_nothing(function.ops[index], &live)) {
                    remove_written(function, index, &mut live);
                    function.operation_facts(function.ops[index], &mut |fact| {
                        if let OperationFact::Reads(operand) = fact
                            && let Some(register) = operand.register()
                        {
                            live[register as usize / 64] |= 1 << (register % 64);
                        }
                    });
                }
                changed |= self.update(index, &live);
            }
        }
    }

    /// Computes the registers live after an operation: those live before any successor or refusal handler.
    pub(super) fn live_after(
        &self,
        function: &CompiledFunction,
        index: usize,
        caught: &[Vec<u32>],
        live: &mut [u64],
    ) {
        live.fill(0);
        let mut add = |next: usize| {
            let needed = &self.bits[self.words * next..];
            live.iter_mut()
                .zip(needed)
                .for_each(|(word, needed_word)| *word |= needed_word);
        };
        match function.ops[index] {
            Operation::JumpIfUntraced { to } => add(to as usize),
            _ => function.for_each_successor(index, &mut add),
        }
        caught[index].iter().for_each(|to| add(*to as usize));
    }

    /// Stores the registers live before an operation, and returns whether they changed.
    pub(super) fn update(&mut self, index: usize, live: &[u64]) -> bool {
        let row = &mut self.bits[self.words * index..][..self.words];
        let has_grown = row != live;
        row.copy_from_slice(live);
        has_grown
    }
}

/// Returns the refusal handlers that are active at each operation.
pub(super) fn handler_targets(function: &CompiledFunction) -> Vec<Vec<u32>> {
    let mut handlers: Vec<u32> = Vec::new();
    let mut targets = Vec::with_capacity(function.ops.len());
    for op in &function.ops {
        function.operation_facts(*op, &mut |fact| match fact {
            OperationFact::Catches(to) => handlers.push(to),
            OperationFact::EndsCatching => drop(handlers.pop()),
            _ => {}
        });
        targets.push(handlers.clone());
    }
    targets
}
