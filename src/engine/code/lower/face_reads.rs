//! What a function reads of the faces that it throws: their total, the classes in which they fall, single ones. Hands that agree in it go
//! on alike, so a count need not tell them apart.
//!
//! The list of a throw is followed forward through the registers. Each operation that takes it or one of its items must be known here to
//! read no more of it than is recorded; at any other, all is read. So what is not recognised costs time, and is never wrong.

use crate::code::bytecode::{
    BinaryOperator, CONSTANT_BIT, CompiledFunction, Operand, Operation, OperationFact, Register,
};
use crate::code::flow::LiveRegisters;
use crate::code::throw_verb::ThrowVerb;
use crate::code::verbs::{self, ListPart};
use crate::situation::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a function reads of the faces of a throw.
#[derive(Clone, Debug, Default)]
pub struct FaceReads {
    /// The tests of single faces.
    pub tests: Vec<FaceTest>,
    /// The places in the list whose faces are read, from the end if negative.
    pub places: BTreeSet<i64>,
    /// Whether the total is read.
    pub total: bool,
    /// Whether the total of those that pass certain tests is read.
    pub class_totals: bool,
    /// Whether only numbers can be read so.
    pub needs_numbers: bool,
    /// The least length of the list for which this holds.
    pub least_length: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FaceTest {
    /// A comparison with an operand that has the same value as at the throw.
    Compared {
        op: BinaryOperator,
        /// What the face is compared with.
        other: Operand,
        /// Whether the face stands first.
        face_first: bool,
    },
    Equals(Value),
    /// Whether it lies in a range of which the end is excluded.
    Within(i64, i64),
    /// Whether it is in a list or range that is the same as at the throw.
    In(Operand),
}

/// The most visits of operations, after which a function is too long to be followed.
const MAX_VISITS: usize = 20_000;

/// The most dice of a throw.
const MAX_PLACES: i64 = 200;

/// Returns what is read of each throw of faces of which not all is read, by its operation.
pub fn find_face_reads(
    function: &CompiledFunction,
    live: &LiveRegisters,
) -> FxHashMap<u32, FaceReads> {
    let is_throw = |index: &usize| {
        matches!(
            function.ops[*index],
            Operation::Roll {
                verb: ThrowVerb::Faces,
                ..
            }
        )
    };
    let throws = (0..function.ops.len()).filter(is_throw);
    throws
        .filter_map(|throw| Some((throw as u32, FaceFlow::new(function, live, throw).find()?)))
        .collect()
}

/// What a register may hold of the throw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Held {
    /// Nothing that is not known from what is read.
    #[default]
    Nothing,
    Face,
    /// A list of some of the faces, in their order.
    Selection,
    /// The list of all.
    Hand,
}

/// What is known of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    held: Held,
    /// Whether it surely holds a number.
    is_number: bool,
    /// Whether it may have been written since the throw.
    is_changed: bool,
}

type Registers = Vec<Known>;

/// Follows the faces of one throw.
struct FaceFlow<'a> {
    function: &'a CompiledFunction,
    live: &'a LiveRegisters,
    throw: usize,
    reads: FaceReads,
    /// The loops through the faces.
    loops: BTreeSet<usize>,
    /// Whether a single face is still needed behind such a loop.
    is_face_kept: bool,
}

impl FaceFlow<'_> {
    fn new<'a>(
        function: &'a CompiledFunction,
        live: &'a LiveRegisters,
        throw: usize,
    ) -> FaceFlow<'a> {
        FaceFlow {
            function,
            live,
            throw,
            reads: FaceReads::default(),
            loops: BTreeSet::new(),
            is_face_kept: false,
        }
    }

    /// Follows the faces from operation to operation until nothing changes; `None` if all of them is read.
    fn find(mut self) -> Option<FaceReads> {
        // Where a refusal is handled, any operation may go on at the handler.
        if self
            .function
            .ops
            .iter()
            .any(|op| matches!(op, Operation::Try { .. }))
        {
            return None;
        }
        let mut before: Vec<Option<Registers>> = vec![None; self.function.ops.len()];
        before[0] = Some(vec![Known::default(); self.function.registers]);
        let (mut todo, mut visits) = (vec![0], 0);
        while let Some(index) = todo.pop() {
            let Some(registers) = before[index].clone() else {
                continue;
            };
            visits += 1;
            if visits > MAX_VISITS {
                return None;
            }
            for (next, after) in self.follow(index, registers)? {
                let Some(known) = before.get_mut(next) else {
                    continue;
                };
                let joined = match known {
                    None => after,
                    Some(known) => join(known, &after)?,
                };
                if known.as_ref() != Some(&joined) {
                    *known = Some(joined);
                    todo.push(next);
                }
            }
        }
        self.reads.needs_numbers |= self.reads.class_totals;
        let has_whole_sums = !self.reads.class_totals
            || !self.is_face_kept
                && self
                    .loops
                    .iter()
                    .all(|next| self.takes_whole_classes(*next));
        has_whole_sums.then_some(self.reads)
    }

    fn constant(&self, operand: Operand) -> Option<&Value> {
        if operand.register().is_some() {
            None
        } else {
            self.function
                .constants
                .get(usize::from(operand.0 & !CONSTANT_BIT))
        }
    }

    fn number(&self, operand: Operand) -> Option<i64> {
        self.constant(operand).and_then(Value::as_number)
    }

    /// Returns what is known behind an operation, by the next one; `None` if it reads all faces.
    fn follow(
        &mut self,
        index: usize,
        mut registers: Registers,
    ) -> Option<Vec<(usize, Registers)>> {
        for (register, known) in registers.iter_mut().enumerate() {
            if !self.live.is_live_before(index, register) {
                known.held = Held::Nothing;
            }
        }
        let op = self.function.ops[index];
        let held = |operand: Operand| {
            operand
                .register()
                .map_or(Held::Nothing, |register| registers[register as usize].held)
        };
        let (mut takes_faces, mut result) = (
            false,
            Known {
                is_changed: true,
                ..Known::default()
            },
        );
        self.function.operation_facts(op, &mut |fact| {
            if let OperationFact::Reads(operand) = fact {
                takes_faces |= held(operand) != Held::Nothing;
            }
        });
        match op {
            Operation::Roll { .. } if index == self.throw => {
                // What an earlier turn of a loop threw was compared with what may have changed.
                if takes_faces || registers.iter().any(|known| known.held != Held::Nothing) {
                    return None;
                }
                registers
                    .iter_mut()
                    .for_each(|known| known.is_changed = false);
                result.held = Held::Hand;
            }
            Operation::Copy { src, .. } => {
                result.held = held(src);
                result.is_number = self.number(src).is_some()
                    || src
                        .register()
                        .is_some_and(|src| registers[src as usize].is_number);
            }
            Operation::Move { src, .. } => {
                (result.held, result.is_number) =
                    (held(Operand(src)), registers[src as usize].is_number)
            }
            Operation::AddAssign { dst, src } => {
                let (sum, added) = (registers[dst as usize], held(src));
                // A list takes a face as its next item.
                if sum.held != Held::Nothing
                    || added != Held::Nothing && !(added == Held::Face && sum.is_number)
                {
                    return None;
                }
                self.reads.class_totals |= added == Held::Face;
                let is_number = self.number(src).is_some()
                    || src
                        .register()
                        .is_some_and(|src| registers[src as usize].is_number);
                result.is_number = sum.is_number && (added == Held::Face || is_number);
            }
            Operation::JumpIfUntraced { to } => return Some(vec![(to as usize, registers)]),
            Operation::Next {
                dst,
                iterable,
                count,
                to,
            } => {
                let item = match held(iterable) {
                    Held::Hand | Held::Selection => Held::Face,
                    Held::Nothing if !takes_faces => Held::Nothing,
                    _ => return None,
                };
                registers[count as usize] = result;
                // The item is written only if the loop goes on.
                let mut within = registers.clone();
                within[dst as usize] = Known {
                    held: item,
                    ..result
                };
                if item == Held::Face {
                    self.loops.insert(index);
                    let is_kept = |(register, known): (usize, &Known)| {
                        known.held == Held::Face && self.live.is_live_before(to as usize, register)
                    };
                    self.is_face_kept |= registers.iter().enumerate().any(is_kept);
                }
                return Some(vec![(index + 1, within), (to as usize, registers)]);
            }
            _ if takes_faces => self.take_faces(index, &mut registers, &mut result)?,
            _ => {}
        }
        let mut next = Vec::new();
        let end = self.function.ops.len();
        self.function.operation_facts(op, &mut |fact| match fact {
            OperationFact::Writes(register) | OperationFact::Updates(register) => {
                let is_list = matches!(
                    op,
                    Operation::Push { .. } | Operation::CallMutatingVerb { .. }
                ) && matches!(fact, OperationFact::Updates(_));
                // A list that takes an item stays what it is.
                let held = if is_list {
                    registers[register as usize].held
                } else {
                    result.held
                };
                registers[register as usize] = Known { held, ..result };
            }
            OperationFact::Target(to) => next.push(to as usize),
            OperationFact::Continues => next.push(index + 1),
            OperationFact::Returns => next.push(end),
            _ => {}
        });
        Some(
            next.into_iter()
                .map(|next| (next, registers.clone()))
                .collect(),
        )
    }

    /// Records what an operation reads of the faces that it takes; `None` if that is all.
    fn take_faces(
        &mut self,
        index: usize,
        registers: &mut Registers,
        result: &mut Known,
    ) -> Option<()> {
        let op = self.function.ops[index];
        let known = |operand: Operand| {
            operand
                .register()
                .map_or(Known::default(), |register| registers[register as usize])
        };
        let held = |operand: Operand| known(operand).held;
        // Whether an operand is the same as at the throw.
        let is_fixed =
            |operand: Operand| held(operand) == Held::Nothing && !known(operand).is_changed;
        match op {
            Operation::Compare { op, a, b, .. } | Operation::Binary { op, a, b, .. }
                if is_comparison(op) =>
            {
                let (other, face_first) = match (held(a), held(b)) {
                    (Held::Face, Held::Nothing) => (b, true),
                    (Held::Nothing, Held::Face) => (a, false),
                    _ => return None,
                };
                self.add_test(is_fixed(other).then_some(FaceTest::Compared {
                    op,
                    other,
                    face_first,
                })?);
            }
            Operation::Binary {
                op: BinaryOperator::In,
                a: list,
                b: value,
                ..
            } => match (held(list), held(value)) {
                (Held::Hand | Held::Selection, Held::Nothing) if is_fixed(value) => {
                    self.test_equality(value)
                }
                (Held::Nothing, Held::Face) if is_fixed(list) => self.add_test(FaceTest::In(list)),
                (Held::Nothing, Held::Face) => {
                    let (low, high) = self.range_before(index, list)?;
                    self.add_test(FaceTest::Within(low, high));
                }
                _ => return None,
            },
            Operation::Switch { src, table } if held(src) == Held::Face => {
                let switch = &self.function.switches[table as usize];
                switch
                    .arms
                    .iter()
                    .for_each(|(arm, _)| self.add_test(FaceTest::Equals(arm.clone())));
                switch
                    .ranges
                    .iter()
                    .for_each(|range| self.add_test(FaceTest::Within(range.start, range.end)));
            }
            Operation::Index { object, key, .. } if held(object) == Held::Hand => {
                self.reads.places.insert(self.number(key)?);
            }
            Operation::Push { list, src } => self.take_item(registers, list, src)?,
            Operation::CallMutatingVerb {
                verb, target, args, ..
            } if part_of(verb) == Some(ListPart::End) => {
                self.take_item(registers, target, *self.function.args(args).first()?)?;
            }
            Operation::CallVerb { verb, args, .. } => {
                let args: Vec<Operand> = self.function.args(args).to_vec();
                let (list, others) = args.split_first()?;
                if others.iter().any(|other| held(*other) != Held::Nothing) {
                    return None;
                }
                self.take_by_verb(index, held(*list), others, &|operand| is_fixed(operand))?;
                result.is_number =
                    matches!(part_of(verb), Some(ListPart::Length | ListPart::Total));
            }
            _ => return None,
        }
        Some(())
    }

    /// Records that a list takes an item, which may be a face.
    fn take_item(
        &mut self,
        registers: &mut Registers,
        list: Register,
        item: Operand,
    ) -> Option<()> {
        let item = item
            .register()
            .map_or(Held::Nothing, |register| registers[register as usize].held);
        let list = &mut registers[list as usize];
        if list.held == Held::Hand || !matches!(item, Held::Face | Held::Nothing) {
            return None;
        }
        if item == Held::Face {
            list.held = Held::Selection;
        }
        Some(())
    }

    fn add_test(&mut self, test: FaceTest) {
        if !self.reads.tests.contains(&test) {
            self.reads.tests.push(test);
        }
    }

    fn test_equality(&mut self, value: Operand) {
        self.add_test(FaceTest::Compared {
            op: BinaryOperator::Eq,
            other: value,
            face_first: true,
        });
    }

    /// Records what a verb reads of a list of faces; `None` if that is all.
    fn take_by_verb(
        &mut self,
        index: usize,
        held: Held,
        others: &[Operand],
        is_fixed: &dyn Fn(Operand) -> bool,
    ) -> Option<()> {
        let Operation::CallVerb { verb, .. } = self.function.ops[index] else {
            return None;
        };
        let part = part_of(verb)?;
        match (part, held, others) {
            (ListPart::Length, Held::Hand | Held::Selection, []) => {}
            (ListPart::Total, Held::Hand, []) => self.reads.total = true,
            (ListPart::Total, Held::Selection, []) => self.reads.class_totals = true,
            (ListPart::First | ListPart::Highest, Held::Hand, []) => {
                self.reads.places.insert(0);
            }
            (ListPart::Lowest, Held::Hand, []) => {
                self.reads.places.insert(-1);
            }
            (ListPart::Item, Held::Hand, [place]) => {
                self.reads.places.insert(self.number(*place)?);
            }
            (ListPart::Membership, Held::Hand | Held::Selection, [value]) if is_fixed(*value) => {
                self.test_equality(*value)
            }
            (ListPart::Slice, Held::Hand, [part, count @ ..]) => {
                let (from, end) = match (self.number(*part), count) {
                    (Some(from), [count]) => {
                        (from, from.saturating_add(self.number(*count)?.max(0)))
                    }
                    (Some(from @ ..0), []) => (from, 0),
                    (None, []) => self.range_before(index, *part)?,
                    _ => return None,
                };
                // A part that begins before the list begins with it.
                self.reads.least_length = self.reads.least_length.max(from.saturating_neg());
                let end = if from < 0 {
                    end.min(0)
                } else {
                    end.min(MAX_PLACES)
                };
                self.reads.places.extend(from.max(-MAX_PLACES)..end);
            }
            _ => return None,
        }
        // Words have no total, and are not higher than others.
        self.reads.needs_numbers |=
            matches!(part, ListPart::Total | ListPart::Highest | ListPart::Lowest);
        Some(())
    }

    /// Returns the ends of a range of constants that the operation before made.
    fn range_before(&self, index: usize, range: Operand) -> Option<(i64, i64)> {
        let is_target = |op: &Operation| {
            let mut found = false;
            self.function.operation_facts(*op, &mut |fact| {
                found |= matches!(fact, OperationFact::Target(to) if to as usize == index)
            });
            found
        };
        match self.function.ops[index.checked_sub(1)?] {
            Operation::Binary { op, dst, a, b }
                if range.register() == Some(dst) && !self.function.ops.iter().any(is_target) =>
            {
                let (low, high) = (self.number(a)?, self.number(b)?);
                match op {
                    BinaryOperator::Range => Some((low, high)),
                    BinaryOperator::RangeInclusive => Some((low, high.checked_add(1)?)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a loop through faces treats all of a class alike, and does not look at its sums before its end: it goes through all faces,
    /// and branches by what is tested of the face alone.
    fn takes_whole_classes(&self, next: usize) -> bool {
        let function = self.function;
        let Operation::Next { dst: item, .. } = function.ops[next] else {
            return false;
        };
        let (mut body, mut todo) = (Vec::new(), vec![next + 1]);
        while let Some(index) = todo.pop() {
            if index != next && !body.contains(&index) {
                body.push(index);
                let mut is_straight = index < function.ops.len();
                if is_straight {
                    function.for_each_successor(index, &mut |to| {
                        // Other loops go back elsewhere.
                        is_straight &= to > index || to == next;
                        todo.push(to);
                    });
                }
                if !is_straight {
                    return false;
                }
            }
        }
        body.sort_unstable();
        let mut by_face = vec![true; function.registers];
        for index in &body {
            for_each_written(function, *index, &mut |register| {
                by_face[register as usize] = false
            });
        }
        by_face[item as usize] = true;
        // By operation: the registers that hold what the face alone decides.
        let mut before: FxHashMap<usize, Vec<bool>> = FxHashMap::from_iter([(next + 1, by_face)]);
        let mut sums: Vec<Register> = Vec::new();
        for index in &body {
            let Some(mut by_face) = before.get(index).cloned() else {
                return false;
            };
            let is_by_face_before = by_face.clone();
            let (mut reads_by_face, mut successors) = (true, Vec::new());
            function.operation_facts(function.ops[*index], &mut |fact| {
                if let OperationFact::Reads(operand) = fact {
                    reads_by_face &= operand
                        .register()
                        .is_none_or(|register| by_face[register as usize]);
                }
            });
            function.for_each_successor(*index, &mut |to| successors.push(to));
            if successors.len() > 1 && !reads_by_face {
                return false;
            }
            let is_plain = matches!(
                function.ops[*index],
                Operation::Copy { .. }
                    | Operation::Move { .. }
                    | Operation::Not { .. }
                    | Operation::Neg { .. }
                    | Operation::Binary { .. }
            );
            for_each_written(function, *index, &mut |register| {
                by_face[register as usize] = is_plain && reads_by_face
            });
            if let Some((sum, added)) = summed(function, function.ops[*index]) {
                // What is added is that of the face at hand, and no sum itself.
                if !added
                    .iter()
                    .filter_map(|operand| operand.register())
                    .all(|register| is_by_face_before[register as usize])
                {
                    return false;
                }
                sums.push(sum);
            }
            for to in successors {
                let known = before.entry(to).or_insert_with(|| by_face.clone());
                known
                    .iter_mut()
                    .zip(&by_face)
                    .for_each(|(known, now)| *known &= now);
            }
        }
        let touches_sum = |index: &usize| {
            let op = function.ops[*index];
            let mut touched = Vec::new();
            function.operation_facts(op, &mut |fact| match fact {
                OperationFact::Reads(operand) => touched.extend(operand.register()),
                OperationFact::Writes(register) | OperationFact::Updates(register) => {
                    touched.push(register)
                }
                _ => {}
            });
            touched.into_iter().any(|register| {
                sums.contains(&register)
                    && summed(function, op).map(|(sum, _)| sum) != Some(register)
            })
        };
        !body.iter().any(touches_sum)
    }
}

/// Returns the register to which an operation adds items or numbers, and what it adds.
fn summed(function: &CompiledFunction, op: Operation) -> Option<(Register, Vec<Operand>)> {
    match op {
        Operation::AddAssign { dst, src } => Some((dst, vec![src])),
        Operation::Push { list, src } => Some((list, vec![src])),
        Operation::CallMutatingVerb { target, args, .. } => {
            Some((target, function.args(args).to_vec()))
        }
        _ => None,
    }
}

fn for_each_written(function: &CompiledFunction, index: usize, visit: &mut impl FnMut(Register)) {
    function.operation_facts(function.ops[index], &mut |fact| {
        if let OperationFact::Writes(register) | OperationFact::Updates(register) = fact {
            visit(register);
        }
    });
}

fn is_comparison(op: BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// Joins what is known on two ways to an operation; `None` if a register may hold different kinds of faces.
fn join(a: &Registers, b: &Registers) -> Option<Registers> {
    let joined = |(a, b): (&Known, &Known)| {
        let held = match (a.held, b.held) {
            (Held::Nothing, held) | (held, Held::Nothing) => held,
            (a, b) if a == b => a,
            _ => return None,
        };
        Some(Known {
            held,
            is_number: a.is_number && b.is_number,
            is_changed: a.is_changed || b.is_changed,
        })
    };
    a.iter().zip(b).map(joined).collect()
}

/// Returns what a verb takes of a list.
fn part_of(verb: u16) -> Option<ListPart> {
    verbs::all()[verb as usize].list_part
}
