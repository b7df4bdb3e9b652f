//! Register liveness at possible stops and before each operation. Dead registers are cleared, so that states that differ only in them become
//! equal.

use crate::code::bytecode::{CompiledFunction, Operation, OperationFact, Register};
use crate::code::flow::LiveRegisters;
use crate::code::lower::counters::{counted_registers, step_over_needs};
use crate::code::lower::flow_graph::{ControlFlowGraph, Meet, add_bit};

/// Computes the live registers before each operation and after each at which the machine may stop. A number is live without mattering if it
/// is only added to, as a count of rounds is that no rule reads: the sum needs a number, and any will do.
pub fn find_live_registers(function: &CompiledFunction) -> LiveRegisters {
    let graph = ControlFlowGraph::with_handlers(function);
    let words = function.registers.div_ceil(64).max(1);
    let live = graph.flow_back(&vec![0; words], Meet::Union, |index, live| {
        remove_written(function, index, live);
        function.operation_facts(function.ops[index], &mut |fact| {
            if let OperationFact::Reads(operand) = fact
                && let Some(register) = operand.register()
            {
                add_bit(live, register.into());
            }
        });
    });
    let needs = graph.flow_back(
        &vec![0; 2 * words],
        Meet::Union,
        step_over_needs(function, words),
    );
    let mut found = LiveRegisters {
        words,
        ..LiveRegisters::default()
    };
    for index in (0..function.ops.len()).filter(|index| may_stop(function, *index)) {
        let (mut live, mut needs) = (live.after(&graph, index), needs.after(&graph, index));
        for set in [&mut live[..]].into_iter().chain(needs.chunks_mut(words)) {
            remove_written(function, index, set);
        }
        let counters = counted_registers(function, &mut needs);
        if !counters.is_empty() {
            found.counters.insert(index as u32, counters);
        }
        needs.truncate(words);
        found.at_stop.insert(index as u32, [live, needs]);
    }
    found.before = live.bits;
    found
}

/// Whether the machine may stop at an operation.
fn may_stop(function: &CompiledFunction, index: usize) -> bool {
    let mut may_stop = false;
    function.operation_facts(function.ops[index], &mut |fact| {
        may_stop |= matches!(fact, OperationFact::MayStop)
    });
    may_stop
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
