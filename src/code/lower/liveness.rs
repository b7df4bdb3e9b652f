//! Which registers are still needed where the machine may stop: the rest is let go, so that states that differ in nothing that matters
//! are equal.

use crate::code::unit::{Live, Op, Operand, Unit};

/// Registers, as bits.
type Set = Vec<u64>;

/// Finds what is still needed after each operation at which the machine may stop.
pub fn find(unit: &Unit) -> Live {
    let mut found = Live::default();
    let words = unit.registers.div_ceil(64).max(1);
    let mut before: Vec<Set> = vec![vec![0; words]; unit.ops.len() + 1];
    let caught = caught(unit);
    // Loops lead back: until nothing is added any more.
    let mut changed = true;
    while changed {
        changed = false;
        for place in (0..unit.ops.len()).rev() {
            let mut live = after(unit, place, &before, &caught, words);
            let op = unit.ops[place];
            defines(op, &mut |register| live[register as usize / 64] &= !(1 << (register % 64)));
            uses(unit, op, &mut |register| live[register as usize / 64] |= 1 << (register % 64));
            if live != before[place] {
                before[place] = live;
                changed = true;
            }
        }
    }
    for place in 0..unit.ops.len() {
        if matches!(unit.ops[place], Op::Call { .. } | Op::CallClosure { .. } | Op::Roll { .. } | Op::Choose { .. } | Op::Count { .. }) {
            let mut live = after(unit, place, &before, &caught, words);
            defines(unit.ops[place], &mut |register| live[register as usize / 64] &= !(1 << (register % 64)));
            found.insert(place as u32, live);
        }
    }
    found
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

/// What is needed after an operation: by whatever may come next.
fn after(unit: &Unit, place: usize, before: &[Set], caught: &[Vec<u32>], words: usize) -> Set {
    let mut live = vec![0; words];
    let mut add = |next: usize| live.iter_mut().zip(&before[next]).for_each(|(word, more)| *word |= more);
    next(unit, place).into_iter().for_each(&mut add);
    caught[place].iter().for_each(|to| add(*to as usize));
    live
}

/// The operations that may come after one; one past the last where the function ends, none where the ruling does.
pub fn next(unit: &Unit, place: usize) -> Vec<usize> {
    match unit.ops[place] {
        Op::Jump { to } => vec![to as usize],
        Op::JumpIf { to, .. }
        | Op::Compare { to, .. }
        | Op::JumpIfSome { to, .. }
        | Op::Next { to, .. }
        | Op::Quiet { to }
        | Op::Try { to, .. } => vec![to as usize, place + 1],
        Op::Switch { table, .. } => {
            let switch = &unit.switches[table as usize];
            let all = switch.arms.iter().map(|(_, to)| *to).chain(switch.ranges.iter().map(|(.., to)| *to));
            all.chain([switch.rest]).map(|to| to as usize).collect()
        }
        Op::Return { .. } => vec![unit.ops.len()],
        Op::Refuse { .. } | Op::Fault { .. } => Vec::new(),
        _ => vec![place + 1],
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
