//! Tracks what a block reads of the registers at its entry, and what it leaves in them.
//!
//! A block is a run of statements of a function. It acts in the same way for all entries that agree in what it reads, so it is counted once
//! for them. Most blocks read little: a register that is only copied, or that something is added to, still holds its value at the entry up to
//! a constant, and was not read. A comparison reads only on which side of a number the value lies. Every other operation reads the value.

use super::Machine;
use super::execute::operand_value;
use crate::code::bytecode::{BinaryOperator, CompiledFunction, Operand, Operation, OperationFact};
use crate::code::state::State;
use crate::code::verbs::{self, ResultRule};
use crate::situation::fingerprint::{Digest, mix};
use crate::situation::value::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The greatest size of a number that is tracked: sums of those that a run adds up stay far from overflow.
const MAX_NUMBER: i64 = 1 << 40;

/// What a block reads of the registers at its entry. Registers are counted from the frame of its function on.
#[derive(Clone, Debug, Default)]
pub struct EntryReads {
    /// The registers whose values are read.
    pub values: BTreeSet<usize>,
    /// The ranges in which numbers, or their differences, have to lie.
    pub ranges: Vec<EntryRange>,
}

/// A range in which a number at the entry has to lie, or its difference to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryRange {
    /// The register of the number.
    pub register: usize,
    /// The register of the number that is subtracted from it.
    pub less: Option<usize>,
    /// The least number.
    pub low: i64,
    /// The greatest number.
    pub high: i64,
}

impl EntryReads {
    /// Returns whether all numbers of an entry lie in their ranges.
    pub fn fits(&self, registers: &[Value]) -> bool {
        let number = |register: usize| registers.get(register).and_then(Value::as_number);
        self.ranges.iter().all(|range| {
            let less = range.less.map_or(Some(0), number);
            let difference = number(range.register)
                .zip(less)
                .and_then(|(number, less)| number.checked_sub(less));
            difference.is_some_and(|difference| (range.low..=range.high).contains(&difference))
        })
    }

    /// Adds the values that are read of an entry to a digest.
    pub fn add_values<'a>(
        read: impl Iterator<Item = &'a usize>,
        registers: &[Value],
        digest: &mut Digest,
    ) {
        for register in read {
            digest.add(mix(
                *register as u64,
                registers.get(*register).map_or(0, Value::fingerprint),
            ));
        }
    }

    fn narrow(&mut self, range: EntryRange) {
        // A difference is kept in one direction.
        let range = match range.less {
            Some(less) if less < range.register => EntryRange {
                register: less,
                less: Some(range.register),
                low: -range.high,
                high: -range.low,
            },
            _ => range,
        };
        match self
            .ranges
            .iter_mut()
            .find(|existing| (existing.register, existing.less) == (range.register, range.less))
        {
            Some(existing) => {
                (existing.low, existing.high) =
                    (existing.low.max(range.low), existing.high.min(range.high))
            }
            None => self.ranges.push(range),
        }
    }
}

/// How a block ends: where its function goes on, and what it leaves in the registers.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockExit {
    /// The index of the next operation.
    pub op: u32,
    /// The registers that are changed and still needed.
    pub writes: Vec<(usize, LeftValue)>,
}

impl BlockExit {
    /// Returns a fingerprint: equal ends have equal ones.
    pub fn fingerprint(&self) -> u128 {
        let mut digest = Digest::default();
        digest.add(self.op.into());
        for (register, left) in &self.writes {
            let (tag, value, added) = match left {
                LeftValue::Value(value) => (0, value.fingerprint(), 0),
                LeftValue::Entry(from, added) => (1, *from as u64, *added as u64),
            };
            [(*register as u64) << 1 | tag, value, added]
                .into_iter()
                .for_each(|part| digest.add(part));
        }
        digest.finish()
    }
}

/// What a block leaves in a register.
#[derive(Clone, Debug, PartialEq)]
pub enum LeftValue {
    Value(Value),
    /// The value of a register at the entry, and what is added to it.
    Entry(usize, i64),
}

/// The tracker of a block: the registers at its entry, and which registers still hold one of these, up to a constant.
#[derive(Debug)]
pub struct EntryTracker {
    /// The registers at the entry.
    entry: Arc<[Value]>,
    /// The operations of the block, in the function of the outermost frame.
    ops: Range<usize>,
    /// By register: the one whose value at the entry it holds up to a constant.
    pub origins: Vec<Option<usize>>,
    /// What was read so far.
    pub reads: EntryReads,
}

impl EntryTracker {
    /// Creates the tracker of a block at its entry.
    pub fn new(registers: &[Value], ops: Range<usize>) -> EntryTracker {
        EntryTracker {
            entry: registers.into(),
            ops,
            origins: (0..registers.len()).map(Some).collect(),
            reads: EntryReads::default(),
        }
    }

    fn origin(&self, register: usize) -> Option<usize> {
        self.origins.get(register).copied().flatten()
    }

    fn set_origin(&mut self, register: usize, origin: Option<usize>) {
        if register >= self.origins.len() {
            if origin.is_none() {
                return;
            }
            self.origins.resize(register + 1, None);
        }
        self.origins[register] = origin;
    }

    /// Records that the value of a register is read.
    pub fn read(&mut self, register: usize) {
        self.reads.values.extend(self.origin(register));
    }

    /// Records the reads of a block within this one, whose frame begins at a register.
    pub fn read_of_block(&mut self, inner: &EntryReads, base: usize, registers: &[Value]) {
        inner
            .values
            .iter()
            .for_each(|register| self.read(base + register));
        for range in &inner.ranges {
            let number = |register: usize| {
                registers
                    .get(base + register)
                    .and_then(Value::as_number)
                    .unwrap_or(0)
            };
            let origin = |register: usize| self.origin(base + register);
            let now = number(range.register) - range.less.map_or(0, number);
            let (first, less) = (origin(range.register), range.less.and_then(origin));
            self.read_difference((first, less), now, (range.low, range.high));
        }
    }

    /// Records that `first - less`, now a known number, has to lie in a range.
    fn read_difference(
        &mut self,
        (first, less): (Option<usize>, Option<usize>),
        now: i64,
        (low, high): (i64, i64),
    ) {
        for origin in [first, less].into_iter().flatten() {
            if !self.read_type(origin) {
                return self
                    .reads
                    .values
                    .extend([first, less].into_iter().flatten());
            }
        }
        if first == less {
            return;
        }
        let entry = |origin: usize| self.entry[origin].as_number().unwrap_or(0);
        let moved = |from: i64, bound: i64| {
            (from as i128 + bound as i128 - now as i128)
                .clamp(-2 * MAX_NUMBER as i128, 2 * MAX_NUMBER as i128) as i64
        };
        let range = match (first, less) {
            (Some(register), less) => {
                let from = entry(register) - less.map_or(0, entry);
                EntryRange {
                    register,
                    less,
                    low: moved(from, low),
                    high: moved(from, high),
                }
            }
            (None, Some(register)) => {
                // The difference falls as the number grows.
                let from = -entry(register);
                EntryRange {
                    register,
                    less: None,
                    low: -moved(from, high),
                    high: -moved(from, low),
                }
            }
            (None, None) => return,
        };
        self.reads.narrow(range);
    }

    /// Records that a value at the entry is a number of moderate size; returns whether it is, else it is read.
    fn read_type(&mut self, origin: usize) -> bool {
        let fits = self.entry[origin]
            .as_number()
            .is_some_and(|number| number.abs() <= MAX_NUMBER);
        if fits {
            self.reads.narrow(EntryRange {
                register: origin,
                less: None,
                low: -MAX_NUMBER,
                high: MAX_NUMBER,
            });
        } else {
            self.reads.values.insert(origin);
        }
        fits
    }

    /// Records a sum or difference of two values with their origins; returns that of the result.
    fn add(
        &mut self,
        sign: BinaryOperator,
        origins: [Option<usize>; 2],
        are_numbers: bool,
    ) -> Option<usize> {
        let operand_origins: Vec<usize> = origins.into_iter().flatten().collect();
        // Each is recorded as read, also behind one that does not fit.
        if are_numbers
            && operand_origins
                .iter()
                .filter(|origin| !self.read_type(**origin))
                .count()
                == 0
        {
            match (sign, origins) {
                (_, [kept, None]) | (BinaryOperator::Add, [None, kept]) => return kept,
                (BinaryOperator::Sub, [Some(a), Some(b)]) if a == b => return None,
                // Of two values one has to be read: losses are added up from 0, and taken from what varies more.
                (_, [Some(kept), Some(read)]) if kept != read => {
                    self.reads.values.insert(read);
                    return Some(kept);
                }
                _ => {}
            }
        }
        self.reads.values.extend(operand_origins);
        None
    }

    /// Records a comparison of two numbers, each with its origin.
    fn compare(
        &mut self,
        op: BinaryOperator,
        (a, b): (Option<usize>, Option<usize>),
        difference: i64,
    ) {
        use BinaryOperator::*;
        let side = match (op, difference) {
            (Lt | Ge, ..0) | (Eq | Ne, ..0) => (i64::MIN, -1),
            (Lt | Ge, _) => (0, i64::MAX),
            (Le | Gt, ..=0) => (i64::MIN, 0),
            (Eq | Ne, 0) => (0, 0),
            _ => (1, i64::MAX),
        };
        self.read_difference((a, b), difference, side);
    }

    /// Forgets the origins of registers that were cleared since.
    pub fn forget_cleared(&mut self, registers: &[Value]) {
        self.origins.truncate(registers.len());
        for (origin, value) in self.origins.iter_mut().zip(registers) {
            if value.is_nothing() && origin.is_some_and(|origin| !self.entry[origin].is_nothing()) {
                *origin = None;
            }
        }
    }

    /// Returns a fingerprint of all origins.
    pub fn fingerprint(&self) -> u64 {
        let entries = self
            .origins
            .iter()
            .enumerate()
            .filter_map(|(register, origin)| Some((register, (*origin)?)));
        entries.fold(0, |sum, (register, origin)| {
            mix(sum, mix(register as u64, origin as u64))
        })
    }
}

/// Returns whether an operation compares numbers.
fn is_comparison(op: BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

impl Machine {
    /// Forgets the origins of registers that are about to be set, if a block is tracked.
    pub(super) fn forget_origins(&mut self, registers: Range<usize>) {
        if let Some(tracker) = &mut self.entry_tracker {
            let end = registers.end.min(tracker.origins.len());
            tracker.origins[registers.start.min(end)..end].fill(None);
        }
    }

    /// Tracks the operation at `pc`. Returns whether it is behind the block, so that the run stops before it. The first `floor` frames
    /// belong to the caller of a closure.
    pub(super) fn track_entry(
        &mut self,
        state: &State,
        code: &CompiledFunction,
        (pc, base): (usize, usize),
        floor: usize,
    ) -> bool {
        let Some(tracker) = &mut self.entry_tracker else {
            return false;
        };
        let op = code.ops[pc];
        if state.frames.len() == 1
            && (!tracker.ops.contains(&pc) || matches!(op, Operation::Return { .. }))
        {
            return true;
        }
        let at = |register: u16| base + register as usize;
        let origin = |tracker: &EntryTracker, operand: Operand| {
            operand
                .register()
                .and_then(|register| tracker.origin(at(register)))
        };
        let number = |operand: Operand| {
            operand_value(&state.registers, &code.constants, base, operand).as_number()
        };
        let read = |tracker: &mut EntryTracker, operand: Operand| {
            operand
                .register()
                .into_iter()
                .for_each(|register| tracker.read(at(register)))
        };
        let numbers = |a: Operand, b: Operand| {
            number(a)
                .zip(number(b))
                .filter(|(a, b)| a.abs().max(b.abs()) <= MAX_NUMBER)
        };
        match op {
            Operation::Copy { dst, src } => {
                let origin = origin(tracker, src);
                tracker.set_origin(at(dst), origin);
            }
            Operation::Move { dst, src } => {
                let origin = tracker.origin(at(src));
                tracker.set_origin(at(src), None);
                tracker.set_origin(at(dst), origin);
            }
            Operation::Binary {
                op: sign @ (BinaryOperator::Add | BinaryOperator::Sub),
                dst,
                a,
                b,
            } => {
                let origin = tracker.add(
                    sign,
                    [a, b].map(|operand| origin(tracker, operand)),
                    numbers(a, b).is_some(),
                );
                tracker.set_origin(at(dst), origin);
            }
            Operation::AddAssign { dst, src } => {
                let a = Operand(dst);
                let origin = tracker.add(
                    BinaryOperator::Add,
                    [a, src].map(|operand| origin(tracker, operand)),
                    numbers(a, src).is_some(),
                );
                tracker.set_origin(at(dst), origin);
            }
            Operation::Compare { op, a, b, .. } | Operation::Binary { op, a, b, .. }
                if is_comparison(op) =>
            {
                match numbers(a, b) {
                    Some((x, y)) => {
                        tracker.compare(op, (origin(tracker, a), origin(tracker, b)), x - y)
                    }
                    None => [a, b]
                        .into_iter()
                        .for_each(|operand| read(tracker, operand)),
                }
                if let Operation::Binary { dst, .. } = code.ops[pc] {
                    tracker.set_origin(at(dst), None);
                }
            }
            Operation::CallVerb { verb, dst, args } if picks_number(verb) => {
                let [a, b] = [0, 1].map(|index| code.args(args)[index]);
                let origins = (origin(tracker, a), origin(tracker, b));
                let kept = match numbers(a, b) {
                    Some((x, y)) => {
                        tracker.compare(BinaryOperator::Le, origins, x - y);
                        let takes_first =
                            (x <= y) == (verbs::all()[verb as usize].result == ResultRule::Lesser);
                        if takes_first { origins.0 } else { origins.1 }
                    }
                    None => {
                        [a, b]
                            .into_iter()
                            .for_each(|operand| read(tracker, operand));
                        None
                    }
                };
                tracker.set_origin(at(dst), kept);
            }
            // The arguments stand in what become the first registers of the function.
            Operation::Call { .. } => {}
            Operation::Return { src } => match &state.frames[..] {
                [.., caller, frame] if state.frames.len() > floor + 1 => {
                    let origin = origin(tracker, src);
                    tracker.set_origin(caller.base as usize + frame.dst as usize, origin);
                }
                // A verb reads what its closure returns.
                _ => read(tracker, src),
            },
            op => {
                let mut written = Vec::new();
                code.operation_facts(op, &mut |fact| match fact {
                    OperationFact::Reads(operand) => read(tracker, operand),
                    OperationFact::Updates(register) => {
                        tracker.read(at(register));
                        written.push(register);
                    }
                    OperationFact::Writes(register) => written.push(register),
                    _ => {}
                });
                written
                    .into_iter()
                    .for_each(|register| tracker.set_origin(at(register), None));
            }
        }
        false
    }

    /// Returns how a block ended, from a state that stopped behind it. Of the registers at its entry, those from `kept` on belong to
    /// functions that it called.
    pub fn block_exit(
        &mut self,
        state: &mut State,
        tracker: &mut EntryTracker,
        kept: usize,
    ) -> Option<BlockExit> {
        let frame = state.frames.last()?;
        let code = self.load(frame.function).ok()?;
        let live = super::live_registers(&code);
        let mut exit = BlockExit {
            op: frame.pc,
            writes: Vec::new(),
        };
        state.registers.resize(code.registers, Value::Nothing);
        for (register, value) in state.registers.iter().enumerate() {
            if !live.is_live_before(frame.pc as usize, register) {
                continue;
            }
            let left = match tracker
                .origin(register)
                .map(|origin| (origin, &tracker.entry[origin]))
            {
                Some((origin, entry)) if origin < kept => match (entry, value) {
                    (Value::Number(entry), Value::Number(now)) => {
                        Some(LeftValue::Entry(origin, now - entry))
                    }
                    _ if entry == value => Some(LeftValue::Entry(origin, 0)),
                    _ => None,
                },
                _ => None,
            };
            if left == Some(LeftValue::Entry(register, 0)) {
                continue;
            }
            if left.is_none() {
                tracker.read(register);
            }
            exit.writes.push((
                register,
                left.unwrap_or_else(|| LeftValue::Value(value.clone())),
            ));
        }
        Some(exit)
    }

    /// Continues a state behind a block. Its innermost function is that of the block.
    pub fn leave_block(&mut self, state: &mut State, exit: &BlockExit) {
        self.note_answer(state);
        let Some(frame) = state.frames.last_mut() else {
            return;
        };
        (frame.has_stopped, frame.pc) = (true, exit.op);
        let (base, function) = (frame.base as usize, frame.function);
        let registers = self.load(function).map_or(0, |code| code.registers);
        state
            .registers
            .resize(state.registers.len().max(base + registers), Value::Nothing);
        let value = |left: &LeftValue| match left {
            LeftValue::Value(value) => (value.clone(), None),
            LeftValue::Entry(from, added) => match &state.registers[base + from] {
                Value::Number(number) => (Value::Number(number + added), Some(base + from)),
                value => (value.clone(), Some(base + from)),
            },
        };
        let values: Vec<(Value, Option<usize>)> =
            exit.writes.iter().map(|(_, left)| value(left)).collect();
        let origins: Vec<Option<usize>> = match &self.entry_tracker {
            Some(tracker) => values
                .iter()
                .map(|(_, from)| tracker.origin((*from)?))
                .collect(),
            None => Vec::new(),
        };
        for ((register, _), (value, _)) in exit.writes.iter().zip(values) {
            state.registers[base + register] = value;
        }
        if let Some(tracker) = &mut self.entry_tracker {
            exit.writes
                .iter()
                .zip(origins)
                .for_each(|((register, _), origin)| tracker.set_origin(base + register, origin));
        }
    }
}

/// Whether the result of a verb is one of its two numbers.
fn picks_number(verb: u16) -> bool {
    matches!(
        verbs::all()[verb as usize].result,
        ResultRule::Lesser | ResultRule::Greater
    )
}
