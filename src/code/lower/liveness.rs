//! Which registers are still needed where the machine may stop: the rest is let go, so that states that differ in nothing that matters
//! are equal.

use crate::code::unit::{Live, Op, Operand, Unit};

/// Finds what is still needed after each operation at which the machine may stop.
pub fn find(unit: &Unit) -> Live {
    let mut found = Live::default();
    let words = unit.registers.div_ceil(64).max(1);
    let mut before = Before { words, bits: vec![0; words * (unit.ops.len() + 1)] };
    let caught = caught(unit);
    // Loops lead back: until nothing is added any more.
    let (mut changed, mut live) = (true, vec![0; words]);
    while changed {
        changed = false;
        for place in (0..unit.ops.len()).rev() {
            let op = unit.ops[place];
            before.after(unit, place, &caught, &mut live);
            defines(op, &mut |register| live[register as usize / 64] &= !(1 << (register % 64)));
            uses(unit, op, &mut |register| live[register as usize / 64] |= 1 << (register % 64));
            changed |= before.put(place, &live);
        }
    }
    for place in 0..unit.ops.len() {
        if matches!(unit.ops[place], Op::Call { .. } | Op::CallClosure { .. } | Op::Roll { .. } | Op::Choose { .. } | Op::Count { .. }) {
            before.after(unit, place, &caught, &mut live);
            defines(unit.ops[place], &mut |register| live[register as usize / 64] &= !(1 << (register % 64)));
            found.insert(place as u32, live.clone());
        }
    }
    found
}

/// What is needed before each operation, as bits.
struct Before {
    words: usize,
    bits: Vec<u64>,
}

impl Before {
    /// What is needed after an operation: by whatever may come next.
    fn after(&self, unit: &Unit, place: usize, caught: &[Vec<u32>], live: &mut [u64]) {
        live.fill(0);
        let mut add = |next: usize| {
            let needed = &self.bits[self.words * next..];
            live.iter_mut().zip(needed).for_each(|(word, more)| *word |= more);
        };
        next(unit, place, &mut add);
        caught[place].iter().for_each(|to| add(*to as usize));
    }

    /// Notes what is needed before an operation; whether that is more than was known.
    fn put(&mut self, place: usize, live: &[u64]) -> bool {
        let known = &mut self.bits[self.words * place..][..self.words];
        let more = known != live;
        known.copy_from_slice(live);
        more
    }
}

/// For each operation, where a refusal within it may go on.
fn caught(unit: &Unit) -> Vec<Vec<u32>> {
    let mut open: Vec<u32> = Vec::new();
    let mut all = Vec::with_capacity(unit.ops.len());
    for op in &unit.ops {
        match op {
            Op::Try { to, .. } => open.push(*to),
            Op::EndTry => drop(open.pop()),
            _ => {}
        }
        all.push(open.clone());
    }
    all
}

/// Tells the operations that may come after one: one past the last where the function ends, none where the ruling does.
pub fn next(unit: &Unit, place: usize, told: &mut impl FnMut(usize)) {
    match unit.ops[place] {
        Op::Jump { to } => told(to as usize),
        Op::JumpIf { to, .. }
        | Op::Compare { to, .. }
        | Op::JumpIfSome { to, .. }
        | Op::Next { to, .. }
        | Op::Quiet { to }
        | Op::Try { to, .. } => [to as usize, place + 1].into_iter().for_each(told),
        Op::Switch { table, .. } => {
            let switch = &unit.switches[table as usize];
            let all = switch.arms.iter().map(|(_, to)| *to).chain(switch.ranges.iter().map(|(.., to)| *to));
            all.chain([switch.rest]).for_each(|to| told(to as usize));
        }
        Op::Return { .. } => told(unit.ops.len()),
        Op::Refuse { .. } | Op::Fault { .. } => {}
        _ => told(place + 1),
    }
}

/// The register that an operation sets.
pub fn defines(op: Op, told: &mut impl FnMut(u16)) {
    match op {
        Op::Copy { dst, .. }
        | Op::Move { dst, .. }
        | Op::Not { dst, .. }
        | Op::Neg { dst, .. }
        | Op::Binary { dst, .. }
        | Op::List { dst, .. }
        | Op::Map { dst, .. }
        | Op::Words { dst, .. }
        | Op::Get { dst, .. }
        | Op::Index { dst, .. }
        | Op::Call { dst, .. }
        | Op::CallClosure { dst, .. }
        | Op::Closure { dst, .. }
        | Op::Share { dst, .. }
        | Op::Load { dst, .. }
        | Op::Verb { dst, .. }
        | Op::Change { dst, .. }
        | Op::Roll { dst, .. }
        | Op::Choose { dst, .. }
        | Op::Table { dst, .. }
        | Op::Mark { dst }
        | Op::Since { dst, .. }
        | Op::Try { dst, .. }
        | Op::Count { dst, .. } => told(dst),
        // The item is there only where the loop goes on.
        _ => {}
    }
}

fn uses(unit: &Unit, op: Op, told: &mut impl FnMut(u16)) {
    let mut operand = |operand: Operand| {
        if let Some(register) = operand.register() {
            told(register);
        }
    };
    match op {
        Op::Copy { src, .. } | Op::Not { src, .. } | Op::Neg { src, .. } | Op::Switch { src, .. } | Op::JumpIfSome { src, .. } => {
            operand(src)
        }
        Op::Return { src } | Op::Share { src, .. } => operand(src),
        Op::Move { src, .. } => operand(Operand(src)),
        Op::Binary { a, b, .. } | Op::Compare { a, b, .. } => {
            operand(a);
            operand(b);
        }
        Op::JumpIf { flag, .. } => operand(flag),
        Op::List { args, .. } | Op::Map { args, .. } | Op::Words { args, .. } | Op::Verb { args, .. } | Op::Table { args, .. } => {
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Op::Roll { args, .. } | Op::Choose { args, .. } | Op::Refuse { args, .. } | Op::Count { args, .. } | Op::Closure { args, .. } => {
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Op::Get { of, .. } => operand(of),
        Op::Index { of, key, .. } => {
            operand(of);
            operand(key);
        }
        Op::Put { root, args, .. } => {
            operand(Operand(root));
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Op::Next { of, count, .. } => {
            operand(of);
            operand(Operand(count));
        }
        Op::AddTo { dst, src } => {
            operand(Operand(dst));
            operand(src);
        }
        Op::Push { list, src } => {
            operand(Operand(list));
            operand(src);
        }
        Op::Call { base, count, .. } => (base..base + u16::from(count)).for_each(|register| operand(Operand(register))),
        Op::CallClosure { closure, base, count, .. } => {
            operand(closure);
            (base..base + u16::from(count)).for_each(|register| operand(Operand(register)));
        }
        Op::Load { shared, .. } => operand(Operand(shared)),
        Op::Store { shared, src } => {
            operand(Operand(shared));
            operand(src);
        }
        Op::Change { target, args, .. } => {
            operand(Operand(target));
            unit.args(args).iter().for_each(|o| operand(*o));
        }
        Op::Since { mark, .. } => operand(Operand(mark)),
        _ => {}
    }
}
