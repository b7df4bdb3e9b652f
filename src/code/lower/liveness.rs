//! Register liveness at possible stops. Dead registers are cleared, so that states that differ only in them become equal.

use crate::code::bytecode::{CompiledFunction, LiveRegisters, OperationFact};

/// Computes the live registers after each operation at which the machine may stop.
pub fn find_live_registers(function: &CompiledFunction) -> LiveRegisters {
    let mut live_registers = LiveRegisters::default();
    let words = function.registers.div_ceil(64).max(1);
    let mut before = LiveBefore { words, bits: vec![0; words * (function.ops.len() + 1)] };
    let caught = handler_targets(function);
    // Backward data flow, repeated until a fixed point because of loops.
    let (mut changed, mut live) = (true, vec![0; words]);
    while changed {
        changed = false;
        for index in (0..function.ops.len()).rev() {
            before.live_after(function, index, &caught, &mut live);
            remove_written(function, index, &mut live);
            function.operation_facts(function.ops[index], &mut |fact| {
                if let OperationFact::Reads(operand) = fact
                    && let Some(register) = operand.register()
                {
                    live[register as usize / 64] |= 1 << (register % 64);
                }
            });
            changed |= before.update(index, &live);
        }
    }
    for index in 0..function.ops.len() {
        let mut may_stop = false;
        function.operation_facts(function.ops[index], &mut |fact| may_stop |= matches!(fact, OperationFact::MayStop));
        if may_stop {
            before.live_after(function, index, &caught, &mut live);
            remove_written(function, index, &mut live);
            live_registers.insert(index as u32, live.clone());
        }
    }
    live_registers
}

/// Removes the registers that an operation writes.
fn remove_written(function: &CompiledFunction, index: usize, live: &mut [u64]) {
    function.operation_facts(function.ops[index], &mut |fact| {
        if let OperationFact::Writes(register) = fact {
            live[register as usize / 64] &= !(1 << (register % 64));
        }
    });
}

/// Live registers before each operation, as bits.
struct LiveBefore {
    words: usize,
    bits: Vec<u64>,
}

impl LiveBefore {
    /// Computes the registers live after an operation: those live before any successor or refusal handler.
    fn live_after(&self, function: &CompiledFunction, index: usize, caught: &[Vec<u32>], live: &mut [u64]) {
        live.fill(0);
        let mut add = |next: usize| {
            let needed = &self.bits[self.words * next..];
            live.iter_mut().zip(needed).for_each(|(word, needed_word)| *word |= needed_word);
        };
        function.for_each_successor(index, &mut add);
        caught[index].iter().for_each(|to| add(*to as usize));
    }

    /// Stores the registers live before an operation, and returns whether they changed.
    fn update(&mut self, index: usize, live: &[u64]) -> bool {
        let row = &mut self.bits[self.words * index..][..self.words];
        let has_grown = row != live;
        row.copy_from_slice(live);
        has_grown
    }
}

/// Returns the refusal handlers that are active at each operation.
fn handler_targets(function: &CompiledFunction) -> Vec<Vec<u32>> {
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
