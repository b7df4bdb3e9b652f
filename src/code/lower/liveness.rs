//! Register liveness at possible stops. Dead registers are cleared, so that states that differ only in them become equal.

use crate::code::bytecode::{CompiledFunction, LiveRegisters, OperationFact};

/// Computes the live registers after each operation at which the machine may stop.
pub fn find_live_registers(unit: &CompiledFunction) -> LiveRegisters {
    let mut found = LiveRegisters::default();
    let words = unit.registers.div_ceil(64).max(1);
    let mut before = LiveBefore { words, bits: vec![0; words * (unit.ops.len() + 1)] };
    let caught = handler_targets(unit);
    // Backward data flow, repeated until a fixed point because of loops.
    let (mut changed, mut live) = (true, vec![0; words]);
    while changed {
        changed = false;
        for place in (0..unit.ops.len()).rev() {
            before.live_after(unit, place, &caught, &mut live);
            remove_written(unit, place, &mut live);
            unit.operation_facts(unit.ops[place], &mut |fact| {
                if let OperationFact::Reads(operand) = fact
                    && let Some(register) = operand.register()
                {
                    live[register as usize / 64] |= 1 << (register % 64);
                }
            });
            changed |= before.update(place, &live);
        }
    }
    for place in 0..unit.ops.len() {
        let mut may_stop = false;
        unit.operation_facts(unit.ops[place], &mut |fact| may_stop |= matches!(fact, OperationFact::MayStop));
        if may_stop {
            before.live_after(unit, place, &caught, &mut live);
            remove_written(unit, place, &mut live);
            found.insert(place as u32, live.clone());
        }
    }
    found
}

/// Removes the registers that an operation writes.
fn remove_written(unit: &CompiledFunction, place: usize, live: &mut [u64]) {
    unit.operation_facts(unit.ops[place], &mut |fact| {
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
    fn live_after(&self, unit: &CompiledFunction, place: usize, caught: &[Vec<u32>], live: &mut [u64]) {
        live.fill(0);
        let mut add = |next: usize| {
            let needed = &self.bits[self.words * next..];
            live.iter_mut().zip(needed).for_each(|(word, more)| *word |= more);
        };
        unit.for_each_successor(place, &mut add);
        caught[place].iter().for_each(|to| add(*to as usize));
    }

    /// Stores the registers live before an operation, and returns whether they changed.
    fn update(&mut self, place: usize, live: &[u64]) -> bool {
        let known = &mut self.bits[self.words * place..][..self.words];
        let more = known != live;
        known.copy_from_slice(live);
        more
    }
}

/// Returns the refusal handlers that are active at each operation.
fn handler_targets(unit: &CompiledFunction) -> Vec<Vec<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let mut all = Vec::with_capacity(unit.ops.len());
    for op in &unit.ops {
        unit.operation_facts(*op, &mut |fact| match fact {
            OperationFact::Catches(to) => open.push(to),
            OperationFact::EndsCatching => drop(open.pop()),
            _ => {}
        });
        all.push(open.clone());
    }
    all
}
