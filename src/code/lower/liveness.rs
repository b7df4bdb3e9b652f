//! Register liveness at possible stops. Dead registers are cleared, so that states that differ only in them become equal.

use crate::code::bytecode::{CompiledFunction, LiveRegisters, Operand, Operation};

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
            let op = unit.ops[place];
            before.live_after(unit, place, &caught, &mut live);
            for_each_definition(op, &mut |register| live[register as usize / 64] &= !(1 << (register % 64)));
            for_each_use(unit, op, &mut |register| live[register as usize / 64] |= 1 << (register % 64));
            changed |= before.update(place, &live);
        }
    }
    for place in 0..unit.ops.len() {
        if matches!(
            unit.ops[place],
            Operation::Call { .. }
                | Operation::CallClosure { .. }
                | Operation::Roll { .. }
                | Operation::Choose { .. }
                | Operation::CountOutcomes { .. }
        ) {
            before.live_after(unit, place, &caught, &mut live);
            for_each_definition(unit.ops[place], &mut |register| live[register as usize / 64] &= !(1 << (register % 64)));
            found.insert(place as u32, live.clone());
        }
    }
    found
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
        for_each_successor(unit, place, &mut add);
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
        match op {
            Operation::Try { to, .. } => open.push(*to),
            Operation::EndTry => drop(open.pop()),
            _ => {}
        }
        all.push(open.clone());
    }
    all
}

/// Passes each successor of an operation to `told`. A return leads to the number of operations; a refusal or fault has no successor.
pub fn for_each_successor(unit: &CompiledFunction, place: usize, told: &mut impl FnMut(usize)) {
    match unit.ops[place] {
        Operation::Jump { to } => told(to as usize),
        Operation::JumpIf { to, .. }
        | Operation::Compare { to, .. }
        | Operation::JumpIfSome { to, .. }
        | Operation::Next { to, .. }
        | Operation::JumpIfUntraced { to }
        | Operation::Try { to, .. } => [to as usize, place + 1].into_iter().for_each(told),
        Operation::Switch { table, .. } => {
            let switch = &unit.switches[table as usize];
            let all = switch.arms.iter().map(|(_, to)| *to).chain(switch.ranges.iter().map(|(.., to)| *to));
            all.chain([switch.default_target]).for_each(|to| told(to as usize));
        }
        Operation::Return { .. } => told(unit.ops.len()),
        Operation::Refuse { .. } | Operation::Fault { .. } => {}
        _ => told(place + 1),
    }
}

/// Passes the register that an operation always writes to `told`.
pub fn for_each_definition(op: Operation, told: &mut impl FnMut(u16)) {
    match op {
        Operation::Copy { dst, .. }
        | Operation::Move { dst, .. }
        | Operation::Not { dst, .. }
        | Operation::Neg { dst, .. }
        | Operation::Binary { dst, .. }
        | Operation::List { dst, .. }
        | Operation::Map { dst, .. }
        | Operation::Interpolate { dst, .. }
        | Operation::Get { dst, .. }
        | Operation::Index { dst, .. }
        | Operation::Call { dst, .. }
        | Operation::CallClosure { dst, .. }
        | Operation::Closure { dst, .. }
        | Operation::NewShared { dst, .. }
        | Operation::LoadShared { dst, .. }
        | Operation::CallVerb { dst, .. }
        | Operation::CallMutatingVerb { dst, .. }
        | Operation::Roll { dst, .. }
        | Operation::Choose { dst, .. }
        | Operation::ReadTable { dst, .. }
        | Operation::MarkOutcomes { dst }
        | Operation::OutcomesSince { dst, .. }
        | Operation::Try { dst, .. }
        | Operation::CountOutcomes { dst, .. } => told(dst),
        // `Next` writes the item only if the loop continues.
        _ => {}
    }
}

fn for_each_use(unit: &CompiledFunction, op: Operation, told: &mut impl FnMut(u16)) {
    let mut operand = |operand: Operand| {
        if let Some(register) = operand.register() {
            told(register);
        }
    };
    match op {
        Operation::Copy { src, .. }
        | Operation::Not { src, .. }
        | Operation::Neg { src, .. }
        | Operation::Switch { src, .. }
        | Operation::JumpIfSome { src, .. } => operand(src),
        Operation::Return { src } | Operation::NewShared { src, .. } => operand(src),
        Operation::Move { src, .. } => operand(Operand(src)),
        Operation::Binary { a, b, .. } | Operation::Compare { a, b, .. } => {
            operand(a);
            operand(b);
        }
        Operation::JumpIf { flag, .. } => operand(flag),
        Operation::List { args, .. }
        | Operation::Map { args, .. }
        | Operation::Interpolate { args, .. }
        | Operation::CallVerb { args, .. }
        | Operation::ReadTable { args, .. } => {
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Operation::Roll { args, .. }
        | Operation::Choose { args, .. }
        | Operation::Refuse { args, .. }
        | Operation::CountOutcomes { args, .. }
        | Operation::Closure { args, .. } => {
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Operation::Get { object: of, .. } => operand(of),
        Operation::Index { object: of, key, .. } => {
            operand(of);
            operand(key);
        }
        Operation::StorePath { root, args, .. } => {
            operand(Operand(root));
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Operation::Next { iterable: of, count, .. } => {
            operand(of);
            operand(Operand(count));
        }
        Operation::AddAssign { dst, src } => {
            operand(Operand(dst));
            operand(src);
        }
        Operation::Push { list, src } => {
            operand(Operand(list));
            operand(src);
        }
        Operation::Call { base, count, .. } => (base..base + u16::from(count)).for_each(|register| operand(Operand(register))),
        Operation::CallClosure { closure, base, count, .. } => {
            operand(closure);
            (base..base + u16::from(count)).for_each(|register| operand(Operand(register)));
        }
        Operation::LoadShared { shared, .. } => operand(Operand(shared)),
        Operation::StoreShared { shared, src } => {
            operand(Operand(shared));
            operand(src);
        }
        Operation::CallMutatingVerb { target, args, .. } => {
            operand(Operand(target));
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Operation::OutcomesSince { mark, .. } => operand(Operand(mark)),
        _ => {}
    }
}
