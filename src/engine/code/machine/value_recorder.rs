//! Records what the values of a ruling are made of: a node for each operation of one run, on request.
//!
//! Citations follow sets of sources, which say what a line may rest on. A page where a rule is changed needs what a number is made of: the
//! throw, the cell, the figure, the variable, the answer and the number of the script. A value that a branch picked leads to its condition.

use super::Machine;
use super::execute::operand_value;
use crate::code::bytecode::{
    ArgumentList, CompiledFunction, Operand, Operation, PathStep, Register,
};
use crate::code::flow::DataFlow;
use crate::code::lower::liveness::find_shared_registers;
use crate::code::state::State;
use crate::data::table::Table;
use crate::situation::cell_key::{Access, CellKey, EntityKind};
use crate::situation::trace::Event;
use crate::situation::value::{HashedText, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The index of a node in [`ValueRecorder::nodes`].
pub type NodeId = u32;

/// The node of values that nothing made.
pub const NO_NODE: NodeId = 0;

/// The number of nodes after which a run is recorded no further: a battle takes a tenth, and a long game is no page.
const MAX_NODES: usize = 150_000;
/// A longer list is no longer told apart by its items, and a value that more conditions picked says the first.
const MAX_PARTS: usize = 100;
const MAX_CONDITIONS: usize = 12;

/// What made a value.
#[derive(Clone, Debug, Default)]
pub enum ValueOrigin {
    #[default]
    Operation,
    /// A number written in the script.
    Number(i64),
    /// The first value of a variable.
    Variable(String),
    /// A throw, by its purpose.
    Throw(HashedText),
    /// A choice, by its question.
    Choice(HashedText),
    Cell(Arc<Table>, u32),
    /// A figure of the situation that no rule has written.
    Figure(CellKey),
    /// What a function answered.
    Answer,
    /// A part of what a function answered, by its name.
    Part(HashedText),
}

/// A value of a run.
#[derive(Clone, Debug, Default)]
pub struct ValueNode {
    pub origin: ValueOrigin,
    /// The function that made it; of an answer the function that answered.
    pub code: Option<Rc<CompiledFunction>>,
    pub value: Value,
    /// What it is made of.
    pub inputs: Vec<NodeId>,
    /// The items of a list or the entries of a map, by number or name.
    pub parts: Vec<(Value, NodeId)>,
    /// The conditions of the branches that picked it.
    pub conditions: Vec<NodeId>,
    /// The variables in scope, with their values there; of an answer its arguments. Kept only if the recorder is asked to.
    pub scope: Vec<(String, Value)>,
}

/// An operation whose value and reads are known when the next one begins.
#[derive(Clone, Debug, Default)]
struct Pending {
    /// Absolute indices of the registers that it writes.
    targets: Vec<usize>,
    node: ValueNode,
    /// The parts of the list or map that a verb is given: the values of a line, or the fields of a sheet.
    given: Vec<(Value, NodeId)>,
}

#[derive(Clone, Debug, Default)]
struct RecordedFrame {
    base: usize,
    first_branch: usize,
    args: Vec<Value>,
    pending: Option<Pending>,
}

/// A line of a ruling.
#[derive(Clone, Debug, Default)]
pub struct RecordedLine {
    /// What its values are made of, in their order.
    pub values: Vec<NodeId>,
    /// The conditions of its function under which it is said.
    pub conditions: Vec<NodeId>,
}

/// The nodes of one run.
#[derive(Clone, Debug, Default)]
pub struct ValueRecorder {
    keeps_scope: bool,
    /// The first is [`NO_NODE`].
    pub nodes: Vec<ValueNode>,
    pub lines: Vec<RecordedLine>,
    /// What a rule refuses with, if it does.
    pub refusal: RecordedLine,
    /// Nodes that decided something: conditions, keys of tables, dice, outcomes, figures that were written.
    pub used: Vec<NodeId>,
    /// For each figure that was written its values, each with the number of nodes before it.
    written: FxHashMap<CellKey, Vec<(NodeId, Value)>>,
    registers: Vec<NodeId>,
    cells: FxHashMap<CellKey, NodeId>,
    frames: Vec<RecordedFrame>,
    /// The open branches of all frames: the index of the join point, and the condition.
    branches: Vec<(usize, NodeId)>,
    events_seen: usize,
}

/// Whether a value hands on what chose it, and not what it is made of.
pub fn is_reference(value: &Value) -> bool {
    match value {
        Value::Piece(_) | Value::Place(_) | Value::Side(_) | Value::Record(_) => true,
        Value::Closure(_) => true,
        Value::List(list) => list.first().is_some_and(is_reference),
        _ => false,
    }
}

/// The operation that is about to run.
struct Step<'a> {
    state: &'a State,
    code: &'a Rc<CompiledFunction>,
    flow: &'a DataFlow,
    pc: usize,
    /// Absolute index of the first register of its function.
    base: usize,
}

impl Step<'_> {
    fn register(&self, register: Register) -> usize {
        self.base + register as usize
    }

    fn value(&self, operand: Operand) -> &Value {
        operand_value(
            &self.state.registers,
            &self.code.constants,
            self.base,
            operand,
        )
    }

    fn node(&self) -> ValueNode {
        ValueNode {
            code: Some(self.code.clone()),
            ..ValueNode::default()
        }
    }

    /// Returns the cell of a variable that closures share, whose register holds its number.
    fn shared_cell(&self, register: Register) -> Option<CellKey> {
        let shared = &self.code.shared_registers;
        let shared = shared.get_or_init(|| find_shared_registers(self.code));
        let number = self.state.registers[self.register(register)].as_number();
        let number = number.filter(|_| shared.contains(&register))?;
        Some(CellKey::new(EntityKind::Shared, 0, number as usize))
    }

    /// Returns the value of a variable, of one that closures share from the board.
    fn variable(&self, register: Register) -> Value {
        match self.shared_cell(register) {
            Some(key) => self.state.board.peek(key).cloned().unwrap_or_default(),
            None => self.state.registers[self.register(register)].clone(),
        }
    }

    /// Returns the variables in scope, with their values.
    fn scope(&self) -> Vec<(String, Value)> {
        let mut scope: Vec<(String, Value)> = Vec::new();
        for variable in self.code.variables.iter().rev() {
            let is_known = scope.iter().any(|(name, _)| *name == variable.name);
            if variable.ops.contains(&(self.pc as u32)) && !is_known {
                scope.push((variable.name.clone(), self.variable(variable.register)));
            }
        }
        scope.reverse();
        scope
    }
}

impl Machine {
    /// Records the operation at `pc`, before it runs. The first `floor` frames belong to the caller of a closure.
    pub(super) fn record_values(
        &mut self,
        state: &State,
        code: &Rc<CompiledFunction>,
        (pc, base): (usize, usize),
        floor: usize,
    ) {
        let flow = match code.data_flow.get() {
            Some(flow) => flow,
            None => self.compute_data_flow(code),
        };
        let Some(recorder) = &mut self.value_recorder else {
            return;
        };
        let step = Step {
            state,
            code,
            flow,
            pc,
            base,
        };
        recorder.finish(&step, self.trace.as_deref().unwrap_or_default());
        if recorder.nodes.len() < MAX_NODES {
            recorder.begin(&step, floor);
        }
    }
}

impl ValueRecorder {
    /// Creates a recorder. Nodes keep the variables in scope only if they are wanted, as that takes most of its memory.
    pub fn new(keeps_scope: bool) -> ValueRecorder {
        ValueRecorder {
            keeps_scope,
            nodes: vec![ValueNode::default()],
            ..ValueRecorder::default()
        }
    }

    fn add(&mut self, node: ValueNode) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId - 1
    }

    fn set(&mut self, register: usize, node: NodeId) {
        if self.registers.len() <= register {
            self.registers.resize(register + 1, NO_NODE);
        }
        self.registers[register] = node;
    }

    fn register(&self, register: usize) -> NodeId {
        self.registers.get(register).copied().unwrap_or(NO_NODE)
    }

    fn node(&self, id: NodeId) -> Option<&ValueNode> {
        self.nodes.get(id as usize).filter(|_| id != NO_NODE)
    }

    fn parts(&self, id: NodeId) -> Vec<(Value, NodeId)> {
        self.node(id)
            .map_or_else(Vec::new, |node| node.parts.clone())
    }

    /// Returns what a rule had written into a figure when a node was made.
    pub fn written_before(&self, key: CellKey, id: NodeId) -> Option<&Value> {
        let mut values = self.written.get(&key)?.iter().rev();
        let found = values.find(|(count, _)| *count <= id);
        found.map(|(_, value)| value)
    }

    /// Returns the part of a value by its number or name.
    fn part(&self, id: NodeId, key: &Value) -> Option<NodeId> {
        let mut parts = self.node(id)?.parts.iter();
        parts
            .find(|(part_key, _)| part_key == key)
            .map(|(_, part)| *part)
    }

    fn scope(&self, step: &Step) -> Vec<(String, Value)> {
        match self.keeps_scope {
            true => step.scope(),
            false => Vec::new(),
        }
    }

    /// Returns the node of an operand; a number of the script gets one of its own.
    fn operand(&mut self, step: &Step, operand: Operand) -> NodeId {
        match (operand.register(), step.value(operand)) {
            (Some(register), _) => self.register(step.register(register)),
            (None, Value::Number(number)) => self.add(ValueNode {
                origin: ValueOrigin::Number(*number),
                value: Value::Number(*number),
                scope: self.scope(step),
                ..step.node()
            }),
            (None, _) => NO_NODE,
        }
    }

    fn operands(&mut self, step: &Step, args: ArgumentList) -> Vec<NodeId> {
        let operands = step.code.args(args).iter();
        operands
            .map(|operand| self.operand(step, *operand))
            .collect()
    }

    /// Completes the last operation with what it read, threw and said, and enters the function that it called.
    fn finish(&mut self, step: &Step, events: &[Event]) {
        let depth = step.state.frames.len();
        if self.frames.is_empty() {
            self.events_seen = events.len();
        }
        self.unwind_to(depth);
        // A verb that calls closures goes on when they have returned.
        let is_back = self.frames.len() == depth;
        let frame = self.frames.last_mut().filter(|_| is_back);
        let pending = frame.and_then(|frame| frame.pending.take());
        if let Some(pending) = pending {
            let new = events.get(self.events_seen..).unwrap_or_default();
            self.complete(pending, step.state, new);
        }
        self.events_seen = events.len();
        if self.frames.len() < depth {
            let registers = &step.state.registers;
            let args = registers.get(step.base..step.base + step.code.arity);
            self.frames.push(RecordedFrame {
                base: step.base,
                first_branch: self.branches.len(),
                args: args.unwrap_or_default().to_vec(),
                pending: None,
            });
        }
    }

    fn unwind_to(&mut self, frames: usize) {
        if let Some(frame) = self.frames.get(frames) {
            self.registers.truncate(frame.base);
            self.branches.truncate(frame.first_branch);
            self.frames.truncate(frames);
        }
    }

    fn complete(&mut self, pending: Pending, state: &State, events: &[Event]) {
        let Pending {
            targets,
            mut node,
            given,
        } = pending;
        let recorder = state.board.recorder.as_ref();
        let accesses = recorder.and_then(|recorder| recorder.log.as_deref());
        let accesses = accesses.unwrap_or_default();
        for access in accesses {
            if let Access::Read(key) = access {
                let read = self.read(*key, &node, state);
                node.inputs.extend(read);
            }
        }
        for event in events {
            match event {
                Event::Throw(thrown) => node.origin = ValueOrigin::Throw(thrown.purpose.clone()),
                Event::Choice(made) => {
                    node.origin = ValueOrigin::Choice(made.question.clone());
                    // The option that was taken is a part of the list of all.
                    let taken = Value::Number(made.chosen_index as i64);
                    let options = node.inputs.last().copied().unwrap_or(NO_NODE);
                    node.inputs = self.part(options, &taken).into_iter().collect();
                }
                Event::Cell(table, index) => node.origin = ValueOrigin::Cell(table.clone(), *index),
                Event::Line(_) => {
                    let conditions = self.open_conditions();
                    let values = given.iter().map(|(_, part)| *part).collect();
                    self.lines.push(RecordedLine { values, conditions });
                }
                Event::Outcome(_) => self.used.extend(node.inputs.last()),
                _ => {}
            }
        }
        let written_value = targets
            .first()
            .and_then(|index| state.registers.get(*index));
        node.value = written_value.cloned().unwrap_or_default();
        // A value that was read as it stands is no value of its own.
        let id = match (&node.origin, &node.inputs[..], &node.parts[..]) {
            (ValueOrigin::Operation, [one], [])
                if self.node(*one).is_some_and(|made| made.value == node.value) =>
            {
                *one
            }
            _ => self.add(node),
        };
        let is_write = |access: &&Access| matches!(access, Access::Write(_));
        let has_fields = accesses.iter().filter(is_write).count() == given.len();
        let mut fields = given.iter();
        for access in accesses {
            let Access::Write(key) = *access else {
                continue;
            };
            let field = fields.next().filter(|_| has_fields);
            let node = field.map_or(id, |(_, node)| *node);
            self.cells.insert(key, node);
            let value = state.board.peek(key).cloned().unwrap_or_default();
            let count = self.nodes.len() as NodeId;
            self.written.entry(key).or_default().push((count, value));
            if !matches!(key.kind(), EntityKind::Record | EntityKind::Shared) {
                self.used.push(node);
            }
        }
        for register in targets {
            self.set(register, id);
        }
    }

    /// Returns the node of a figure that was read; none of a field or variable that nothing has written.
    fn read(&mut self, key: CellKey, by: &ValueNode, state: &State) -> Option<NodeId> {
        let is_own = matches!(key.kind(), EntityKind::Record | EntityKind::Shared);
        match self.cells.get(&key) {
            Some(written) => Some(*written),
            None if is_own => None,
            None => Some(self.add(ValueNode {
                origin: ValueOrigin::Figure(key),
                code: by.code.clone(),
                value: state.board.peek(key).cloned().unwrap_or_default(),
                ..ValueNode::default()
            })),
        }
    }

    /// Begins an operation: what it passes on is passed on, what it makes is pending until the next one.
    fn begin(&mut self, step: &Step, floor: usize) {
        self.join_branches(step);
        self.name_variables(step);
        let pending = self.pending(step, floor);
        if let (Some(frame), Some(pending)) = (self.frames.last_mut(), pending) {
            frame.pending = Some(pending);
        }
    }

    /// Returns what an operation makes; `None` if it makes nothing, or has handed on a node already.
    fn pending(&mut self, step: &Step, floor: usize) -> Option<Pending> {
        let mut pending = Pending {
            node: step.node(),
            ..Pending::default()
        };
        let (node, targets) = (&mut pending.node, &mut pending.targets);
        match step.code.ops[step.pc] {
            Operation::Copy { dst, src } => {
                let copied = self.operand(step, src);
                self.set(step.register(dst), copied);
                return None;
            }
            Operation::Move { dst, src } => {
                let moved = self.register(step.register(src));
                self.set(step.register(dst), moved);
                return None;
            }
            Operation::List { dst, args } => {
                let parts = self.operands(step, args).into_iter().enumerate();
                let parts = parts.map(|(index, part)| (Value::Number(index as i64), part));
                node.parts = parts.collect();
                targets.push(step.register(dst));
            }
            Operation::Map { dst, shape, args } => {
                let names = step.code.map_shapes[shape as usize].iter().cloned();
                node.parts = names
                    .map(Value::Text)
                    .zip(self.operands(step, args))
                    .collect();
                targets.push(step.register(dst));
            }
            Operation::Get { dst, object, field } => {
                let name = step.code.fields[field as usize].name.clone();
                return self.part_of(step, (dst, object), &Value::Text(name), pending);
            }
            Operation::Index { dst, object, key } => {
                return self.part_of(step, (dst, object), step.value(key), pending);
            }
            Operation::Next {
                dst,
                iterable,
                count,
                ..
            } => {
                let list = self.operand(step, iterable);
                let item = self.part(list, &step.state.registers[step.register(count)]);
                self.set(step.register(dst), item.unwrap_or(list));
                return None;
            }
            Operation::StorePath { root, path, args } => {
                let stored = self.operands(step, args)[0];
                let root = step.register(root);
                node.inputs = vec![stored];
                if !matches!(step.state.registers[root], Value::Record(_)) {
                    let key = match step.code.paths[path as usize].first()? {
                        PathStep::Field(field) => {
                            Value::Text(step.code.fields[*field as usize].name.clone())
                        }
                        PathStep::Key(number) => {
                            let keys = step.code.args(args);
                            step.value(*keys.get(1 + *number as usize)?).clone()
                        }
                    };
                    self.add_part(root, (key, stored), node);
                    targets.push(root);
                }
            }
            Operation::Push { list, src } => return self.pushed(step, (list, src), pending),
            Operation::AddAssign { dst, src } => {
                let is_list = |operand: Operand| matches!(step.value(operand), Value::List(_));
                if is_list(Operand(dst)) && !is_list(src) {
                    return self.pushed(step, (dst, src), pending);
                }
                let dst = step.register(dst);
                node.inputs = vec![self.register(dst), self.operand(step, src)];
                targets.push(dst);
            }
            Operation::Call { base, count, .. } => {
                self.registers
                    .truncate(step.register(base) + count as usize);
                return None;
            }
            Operation::CallClosure {
                closure,
                base,
                count,
                ..
            } => {
                // The captured variables are inserted before the arguments.
                let captured = match step.value(closure) {
                    Value::Closure(closure) => closure.captures.len(),
                    _ => 0,
                };
                let first = step.register(base);
                let args = (first..first + count as usize).map(|index| self.register(index));
                let args: Vec<NodeId> = args.collect();
                self.registers.truncate(first);
                for (index, node) in args.into_iter().enumerate() {
                    self.set(first + captured + index, node);
                }
                return None;
            }
            Operation::Return { src } => {
                self.return_value(step, src, floor);
                return None;
            }
            Operation::JumpIf { flag: src, .. }
            | Operation::JumpIfSome { src, .. }
            | Operation::Switch { src, .. } => {
                let condition = self.operand(step, src);
                self.open_branch(step, &[condition]);
                return None;
            }
            Operation::Compare { a, b, .. } => {
                let conditions = [a, b].map(|operand| self.operand(step, operand));
                self.open_branch(step, &conditions);
                return None;
            }
            Operation::Roll { dst, args, .. } | Operation::ReadTable { dst, args } => {
                let keys = self.operands(step, args);
                self.used.extend(keys);
                node.scope = self.scope(step);
                targets.push(step.register(dst));
            }
            Operation::Choose { dst, args } => {
                node.inputs = self.operands(step, args);
                node.scope = self.scope(step);
                targets.push(step.register(dst));
            }
            Operation::Refuse { args, .. } => {
                let operands = self.operands(step, args);
                let list = operands.get(1).copied().unwrap_or(NO_NODE);
                self.refusal = RecordedLine {
                    values: self.parts(list).into_iter().map(|(_, part)| part).collect(),
                    conditions: self.open_conditions(),
                };
                return None;
            }
            // Its register holds the number of the variable; the value is read from the board.
            Operation::LoadShared { dst, .. } => targets.push(step.register(dst)),
            Operation::CallVerb { dst, args, .. } => {
                let operands = self.operands(step, args);
                for (operand, made) in step.code.args(args).iter().zip(operands) {
                    let value = step.value(*operand);
                    if matches!(value, Value::List(_) | Value::Map(_)) {
                        pending.given = self.parts(made);
                    }
                    if !is_reference(value) {
                        node.inputs.push(made);
                    }
                }
                targets.push(step.register(dst));
            }
            Operation::CallMutatingVerb {
                dst, target, args, ..
            } => {
                node.inputs = self.operands(step, args);
                node.inputs.push(self.register(step.register(target)));
                targets.extend([step.register(target), step.register(dst)]);
            }
            op => {
                let mut reads = Vec::new();
                step.code.operation_facts(op, &mut |fact| {
                    use crate::code::bytecode::OperationFact::{Reads, Updates, Writes};
                    match fact {
                        Reads(operand) => reads.push(operand),
                        Writes(dst) | Updates(dst) => targets.push(step.register(dst)),
                        _ => {}
                    }
                });
                reads.retain(|operand| !is_reference(step.value(*operand)));
                for operand in reads {
                    node.inputs.push(self.operand(step, operand));
                }
            }
        }
        Some(pending)
    }

    /// Hands on the part of a value that is read, or returns the read of what has no parts.
    fn part_of(
        &mut self,
        step: &Step,
        (dst, object): (Register, Operand),
        key: &Value,
        mut pending: Pending,
    ) -> Option<Pending> {
        let whole = self.operand(step, object);
        if let Some(part) = self.part(whole, key) {
            self.set(step.register(dst), part);
            return None;
        }
        if !is_reference(step.value(object)) {
            pending.node.inputs = vec![whole];
        }
        pending.targets = vec![step.register(dst)];
        Some(pending)
    }

    /// Returns a list with an item more.
    fn pushed(
        &mut self,
        step: &Step,
        (list, src): (Register, Operand),
        mut pending: Pending,
    ) -> Option<Pending> {
        let count = step
            .value(Operand(list))
            .as_list()
            .map_or(0, |list| list.len());
        let added = self.operand(step, src);
        let list = step.register(list);
        let part = (Value::Number(count as i64), added);
        self.add_part(list, part, &mut pending.node);
        pending.targets = vec![list];
        Some(pending)
    }

    /// Makes a node of the value of a register with a part that is new or replaced; of one with many parts the whole is made of both.
    fn add_part(&self, register: usize, (key, part): (Value, NodeId), node: &mut ValueNode) {
        let old = self.register(register);
        let mut parts = self.parts(old);
        parts.retain(|(existing_key, _)| *existing_key != key);
        if parts.len() < MAX_PARTS {
            parts.push((key, part));
            node.inputs = self
                .node(old)
                .map_or_else(Vec::new, |old| old.inputs.clone());
            node.parts = parts;
        } else {
            node.inputs = vec![old, part];
        }
    }

    /// Hands a result to the caller, as the answer of the function.
    fn return_value(&mut self, step: &Step, src: Operand, floor: usize) {
        let (state, code) = (step.state, step.code);
        let result = self.operand(step, src);
        let returned = step.value(src);
        let depth = state.frames.len();
        let mut answer = ValueNode {
            origin: match code.answer_slot {
                Some(_) => ValueOrigin::Answer,
                None => ValueOrigin::Operation,
            },
            value: returned.clone(),
            inputs: vec![result],
            conditions: self.open_conditions(),
            ..step.node()
        };
        if let (Some(frame), true) = (self.frames.last(), self.keeps_scope) {
            let names = code.variables.iter().map(|scope| scope.name.clone());
            answer.scope = names.zip(frame.args.iter().cloned()).collect();
        }
        answer.parts = match (returned, code.answer_slot) {
            (Value::Map(map), Some(_)) if !map.is_cell() => {
                let parts = map.entries().iter().take(MAX_PARTS).map(|(name, value)| {
                    let name_value = Value::Text(name.clone());
                    let made = self.part(result, &name_value).unwrap_or(result);
                    let part = self.add(ValueNode {
                        origin: ValueOrigin::Part(name.clone()),
                        value: value.clone(),
                        inputs: vec![made],
                        ..answer.clone()
                    });
                    (name_value, part)
                });
                parts.collect()
            }
            _ => self.parts(result),
        };
        let answer = self.add(answer);
        self.unwind_to(depth - 1);
        match depth.checked_sub(2).filter(|caller| *caller + 1 > floor) {
            Some(caller) => {
                let dst =
                    state.frames[caller].base as usize + state.frames[caller + 1].dst as usize;
                self.set(dst, answer);
            }
            // The result of a closure goes to the verb that called it.
            None => {
                let outer = self.frames.last_mut();
                let outer = outer.and_then(|frame| frame.pending.as_mut());
                outer
                    .into_iter()
                    .for_each(|outer| outer.node.inputs.push(answer));
            }
        }
    }

    /// Returns the conditions of the open branches of the innermost function, the innermost first.
    fn open_conditions(&self) -> Vec<NodeId> {
        let first = self.frames.last().map_or(0, |frame| frame.first_branch);
        let open = self.branches[first..].iter().rev().take(MAX_CONDITIONS);
        open.map(|(_, condition)| *condition).collect()
    }

    fn open_branch(&mut self, step: &Step, conditions: &[NodeId]) {
        self.used.extend(conditions);
        if let Some(join) = step.flow.ops[step.pc].branch {
            let condition_nodes = conditions.iter().filter(|node| **node != NO_NODE);
            self.branches
                .extend(condition_nodes.map(|node| (join as usize, *node)));
        }
    }

    /// Closes the branches that join here: what was written on one of their paths was picked by the condition.
    fn join_branches(&mut self, step: &Step) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        if !step.flow.ops[step.pc].is_join {
            return;
        }
        let joins_here =
            |(join, _): &mut (usize, NodeId)| step.flow.joins[*join].join_op as usize == step.pc;
        let joined: Vec<_> = self
            .branches
            .extract_if(frame.first_branch.., joins_here)
            .collect();
        for (join, condition) in joined {
            for register in &step.flow.joins[join].written_registers {
                let picked = self.register(step.register(*register));
                let conditions = self.node(picked).map_or(&[][..], |node| &node.conditions);
                if conditions.len() >= MAX_CONDITIONS || conditions.contains(&condition) {
                    continue;
                }
                let mut node = self.node(picked).cloned().unwrap_or_default();
                node.conditions.push(condition);
                let node = self.add(node);
                self.set(step.register(*register), node);
            }
        }
    }

    /// Names the variables that a `let` has just declared.
    fn name_variables(&mut self, step: &Step) {
        let is_here = |start: u32| start as usize == step.pc;
        let variables = step.code.variables.iter();
        for variable in variables.filter(|variable| variable.is_let && is_here(variable.ops.start))
        {
            let register = step.register(variable.register);
            let cell = step.shared_cell(variable.register);
            let made = match cell {
                Some(key) => self.cells.get(&key).copied().unwrap_or(NO_NODE),
                None => self.register(register),
            };
            let named = self.add(ValueNode {
                origin: ValueOrigin::Variable(variable.name.clone()),
                value: step.variable(variable.register),
                inputs: vec![made],
                parts: self.parts(made),
                scope: self.scope(step),
                ..step.node()
            });
            match cell {
                Some(key) => drop(self.cells.insert(key, named)),
                None => self.set(register, named),
            }
        }
    }
}
