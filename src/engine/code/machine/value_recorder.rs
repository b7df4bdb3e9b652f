//! Records what the values of a ruling are made of: a node for each operation of one run, on request.
//!
//! Citations follow sets of sources, which say what a line may rest on. A page where a rule is changed needs what a number is made of: the
//! throw, the cell, the figure, the variable, the answer and the number of the script. A value that a branch picked leads to its condition.

use super::Machine;
use super::execute::operand_value;
use crate::code::bytecode::{ArgumentList, CompiledFunction, Operand, Operation, PathStep};
use crate::code::flow::DataFlow;
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

/// The number of nodes after which a run is recorded no further: a long game is no page.
const MAX_NODES: usize = 300_000;

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
    /// Index of the operation in it.
    pub op: usize,
    pub value: Value,
    /// What it is made of.
    pub inputs: Vec<NodeId>,
    /// The items of a list or the entries of a map, by number or name.
    pub parts: Vec<(Value, NodeId)>,
    /// The conditions of the branches that picked it.
    pub conditions: Vec<NodeId>,
    /// The variables in scope, with their values there; of an answer its arguments.
    pub scope: Vec<(String, Value)>,
}

/// An operation whose value and reads are known when the next one begins.
#[derive(Clone, Debug, Default)]
struct Pending {
    targets: Vec<usize>,
    node: ValueNode,
    /// The parts of the map that a sheet is filled from.
    fields: Vec<(Value, NodeId)>,
    /// The nodes of the values of a line.
    line: Vec<NodeId>,
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
    pub nodes: Vec<ValueNode>,
    pub lines: Vec<RecordedLine>,
    /// What a rule refuses with, if it does.
    pub refusal: RecordedLine,
    /// The nodes of the outcomes, by name.
    pub outcomes: Vec<(HashedText, NodeId)>,
    /// Nodes that decided something: conditions, keys of tables, dice, figures that were written.
    pub used: Vec<NodeId>,
    /// For each figure that was written its values, each with the number of nodes before it.
    written: FxHashMap<CellKey, Vec<(NodeId, Value)>>,
    registers: Vec<NodeId>,
    cells: FxHashMap<CellKey, NodeId>,
    frames: Vec<RecordedFrame>,
    /// The open branches of all frames: the operation at which each joins, its index, and the condition.
    branches: Vec<(u32, usize, NodeId)>,
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
        let events = self.trace.as_deref().unwrap_or_default();
        recorder.finish(state, code, base, events);
        if recorder.nodes.len() < MAX_NODES {
            recorder.begin(state, (code, flow), (pc, base), floor);
        }
    }
}

impl ValueRecorder {
    fn add(&mut self, node: ValueNode) -> NodeId {
        if self.nodes.is_empty() {
            self.nodes.push(ValueNode::default());
        }
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

    /// Returns what a rule had written into a figure when a node was made.
    pub fn written_before(&self, key: CellKey, id: NodeId) -> Option<&Value> {
        let mut values = self.written.get(&key)?.iter().rev();
        let found = values.find(|(count, _)| *count <= id);
        found.map(|(_, value)| value)
    }

    /// Returns the part of a value by its number or name.
    fn part(&self, id: NodeId, key: &Value) -> Option<NodeId> {
        let parts = &self.node(id)?.parts;
        parts
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, part)| *part)
    }

    /// Returns the node of an operand; a number of the script gets one of its own.
    fn operand(
        &mut self,
        (state, code): (&State, &Rc<CompiledFunction>),
        (pc, base): (usize, usize),
        operand: Operand,
    ) -> NodeId {
        match operand.register() {
            Some(register) => self.register(base + register as usize),
            None => match operand_value(&state.registers, &code.constants, base, operand) {
                Value::Number(number) => self.add(ValueNode {
                    origin: ValueOrigin::Number(*number),
                    value: Value::Number(*number),
                    scope: scope_at(state, code, (pc, base)),
                    ..node_at(code, pc)
                }),
                _ => NO_NODE,
            },
        }
    }

    /// Completes the last operation with what it read, threw and said, and enters the function that it called.
    fn finish(
        &mut self,
        state: &State,
        code: &Rc<CompiledFunction>,
        base: usize,
        events: &[Event],
    ) {
        let depth = state.frames.len();
        if self.frames.is_empty() {
            self.events_seen = events.len();
        }
        self.unwind_to(depth);
        let accesses = state.board.recorder.as_ref();
        let accesses = accesses.and_then(|recorder| recorder.log.as_deref());
        let pending = self
            .frames
            .last_mut()
            .and_then(|frame| frame.pending.take());
        if let Some(pending) = pending {
            let new = events.get(self.events_seen..).unwrap_or_default();
            self.complete(pending, state, accesses.unwrap_or_default(), new);
        }
        self.events_seen = events.len();
        if self.frames.len() < depth {
            let args = state.registers.get(base..base + code.arity);
            self.frames.push(RecordedFrame {
                base,
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

    fn complete(&mut self, pending: Pending, state: &State, accesses: &[Access], events: &[Event]) {
        let Pending {
            targets,
            mut node,
            fields,
            line,
        } = pending;
        for access in accesses {
            if let Access::Read(key) = access {
                let read = match self.cells.get(key) {
                    Some(written) => *written,
                    None if matches!(key.kind(), EntityKind::Record | EntityKind::Shared) => {
                        continue;
                    }
                    None => self.add(ValueNode {
                        origin: ValueOrigin::Figure(*key),
                        op: node.op,
                        code: node.code.clone(),
                        value: state.board.peek(*key).cloned().unwrap_or_default(),
                        ..ValueNode::default()
                    }),
                };
                node.inputs.push(read);
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
                    let taken = self.part(options, &taken);
                    node.inputs = taken.into_iter().collect();
                }
                Event::Cell(table, index) => node.origin = ValueOrigin::Cell(table.clone(), *index),
                Event::Line(said) => {
                    let count = said.values.len();
                    let line = RecordedLine {
                        values: line.iter().copied().take(count).collect(),
                        conditions: self.open_conditions(),
                    };
                    self.lines.push(line);
                }
                Event::Outcome(outcome) => {
                    let value = node.inputs.last().copied().unwrap_or(NO_NODE);
                    self.outcomes.push((outcome.name.clone(), value));
                    self.used.push(value);
                }
                _ => {}
            }
        }
        node.value = match targets
            .first()
            .and_then(|index| state.registers.get(*index))
        {
            Some(value) => value.clone(),
            None => Value::Nothing,
        };
        // A value that was read as it stands is no value of its own.
        let id = match (&node.origin, &node.inputs[..], &node.parts[..]) {
            (ValueOrigin::Operation, [one], [])
                if self.node(*one).is_some_and(|made| made.value == node.value) =>
            {
                *one
            }
            _ => self.add(node),
        };
        let written: Vec<CellKey> = accesses
            .iter()
            .filter_map(|access| match access {
                Access::Write(key) => Some(*key),
                _ => None,
            })
            .collect();
        let has_fields = written.len() == fields.len();
        for (number, key) in written.into_iter().enumerate() {
            let node = if has_fields { fields[number].1 } else { id };
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

    /// Begins an operation: what it passes on is passed on, what it makes is pending until the next one.
    fn begin(
        &mut self,
        state: &State,
        (code, flow): (&Rc<CompiledFunction>, &DataFlow),
        (pc, base): (usize, usize),
        floor: usize,
    ) {
        let at = (pc, base);
        self.join_branches(flow, at);
        self.name_variables(state, code, at);
        let register = |register: u16| base + register as usize;
        let value =
            |operand: Operand| operand_value(&state.registers, &code.constants, base, operand);
        let args_of = |recorder: &mut ValueRecorder, args: ArgumentList| -> Vec<NodeId> {
            let operands = code.args(args).iter();
            operands
                .map(|operand| recorder.operand((state, code), at, *operand))
                .collect()
        };
        let mut pending = Pending {
            node: node_at(code, pc),
            ..Pending::default()
        };
        match code.ops[pc] {
            Operation::Copy { dst, src } => {
                let node = self.operand((state, code), at, src);
                return self.set(register(dst), node);
            }
            Operation::Move { dst, src } => {
                let node = self.register(register(src));
                return self.set(register(dst), node);
            }
            Operation::List { dst, args } => {
                let parts = args_of(self, args).into_iter().enumerate();
                pending.node.parts = parts
                    .map(|(index, node)| (Value::Number(index as i64), node))
                    .collect();
                pending.targets = vec![register(dst)];
            }
            Operation::Map { dst, shape, args } => {
                let names = code.map_shapes[shape as usize]
                    .iter()
                    .cloned()
                    .map(Value::Text);
                pending.node.parts = names.zip(args_of(self, args)).collect();
                pending.targets = vec![register(dst)];
            }
            Operation::Get { dst, object, field } => {
                let key = Value::Text(code.fields[field as usize].name.clone());
                let node = self.operand((state, code), at, object);
                if let Some(part) = self.part(node, &key) {
                    return self.set(register(dst), part);
                }
                if !is_reference(value(object)) {
                    pending.node.inputs = vec![node];
                }
                pending.targets = vec![register(dst)];
            }
            Operation::Index { dst, object, key } => {
                let node = self.operand((state, code), at, object);
                if let Some(part) = self.part(node, value(key)) {
                    return self.set(register(dst), part);
                }
                if !is_reference(value(object)) {
                    pending.node.inputs = vec![node];
                }
                pending.targets = vec![register(dst)];
            }
            Operation::Next {
                dst,
                iterable,
                count,
                ..
            } => {
                let node = self.operand((state, code), at, iterable);
                let part = self.part(node, &state.registers[register(count)]);
                return self.set(register(dst), part.unwrap_or(node));
            }
            Operation::StorePath { root, path, args } => {
                let nodes = args_of(self, args);
                let root = register(root);
                if let Value::Record(_) = state.registers[root] {
                    pending.node.inputs = vec![nodes[0]];
                } else {
                    let key = match code.paths[path as usize].first() {
                        Some(PathStep::Field(field)) => {
                            Some(Value::Text(code.fields[*field as usize].name.clone()))
                        }
                        Some(PathStep::Key(number)) => code
                            .args(args)
                            .get(1 + *number as usize)
                            .map(|key| value(*key).clone()),
                        None => None,
                    };
                    let old = self.node(self.register(root)).cloned().unwrap_or_default();
                    pending.node.inputs = old.inputs;
                    pending.node.parts = old.parts;
                    let key = key.unwrap_or_default();
                    pending.node.parts.retain(|(known, _)| *known != key);
                    pending.node.parts.push((key, nodes[0]));
                    pending.targets = vec![root];
                }
            }
            Operation::Push { list, src } => {
                self.extend_list(state, code, at, (list, src), &mut pending)
            }
            Operation::AddAssign { dst, src } => match &state.registers[register(dst)] {
                Value::List(_) if !matches!(value(src), Value::List(_)) => {
                    self.extend_list(state, code, at, (dst, src), &mut pending);
                }
                _ => {
                    let old = self.register(register(dst));
                    let added = self.operand((state, code), at, src);
                    pending.node.inputs = vec![old, added];
                    pending.targets = vec![register(dst)];
                }
            },
            Operation::Call {
                base: window,
                count,
                ..
            } => {
                return self.registers.truncate(register(window) + count as usize);
            }
            Operation::CallClosure {
                closure,
                base: window,
                count,
                ..
            } => {
                let captured = match value(closure) {
                    Value::Closure(closure) => closure.captures.len(),
                    _ => 0,
                };
                let first = register(window);
                let args: Vec<NodeId> = (first..first + count as usize)
                    .map(|index| self.register(index))
                    .collect();
                self.registers.truncate(first);
                for (index, node) in args.into_iter().enumerate() {
                    self.set(first + captured + index, node);
                }
                return;
            }
            Operation::Return { src } => return self.return_value(state, (code, at), src, floor),
            Operation::JumpIf { flag, .. } => {
                let node = self.operand((state, code), at, flag);
                return self.open_branch(flow, pc, &[node]);
            }
            Operation::Compare { a, b, .. } => {
                let nodes = [a, b].map(|operand| self.operand((state, code), at, operand));
                return self.open_branch(flow, pc, &nodes);
            }
            Operation::JumpIfSome { src, .. } | Operation::Switch { src, .. } => {
                let node = self.operand((state, code), at, src);
                return self.open_branch(flow, pc, &[node]);
            }
            Operation::Roll { dst, args, .. } | Operation::ReadTable { dst, args } => {
                let nodes = args_of(self, args);
                self.used.extend(nodes);
                pending.node.scope = scope_at(state, code, at);
                pending.targets = vec![register(dst)];
            }
            Operation::Choose { dst, args } => {
                pending.node.inputs = args_of(self, args);
                pending.node.scope = scope_at(state, code, at);
                pending.targets = vec![register(dst)];
            }
            Operation::Refuse { args, .. } => {
                let operands = args_of(self, args);
                let list = operands.get(1).and_then(|list| self.node(*list));
                let parts = list.map(|list| list.parts.iter().map(|(_, node)| *node));
                self.refusal = RecordedLine {
                    values: parts.map_or_else(Vec::new, Iterator::collect),
                    conditions: self.open_conditions(),
                };
                return;
            }
            Operation::CallVerb { dst, args, .. } => {
                let nodes = args_of(self, args);
                let operands = code.args(args);
                for (operand, node) in operands.iter().zip(&nodes) {
                    let parts = self.node(*node).map(|node| node.parts.clone());
                    match value(*operand) {
                        Value::List(_) => {
                            pending.line = parts
                                .unwrap_or_default()
                                .into_iter()
                                .map(|(_, node)| node)
                                .collect()
                        }
                        Value::Map(_) => pending.fields = parts.unwrap_or_default(),
                        _ => {}
                    }
                    if !is_reference(value(*operand)) {
                        pending.node.inputs.push(*node);
                    }
                }
                pending.targets = vec![register(dst)];
            }
            Operation::CallMutatingVerb {
                dst, target, args, ..
            } => {
                let mut inputs = args_of(self, args);
                inputs.push(self.register(register(target)));
                pending.node.inputs = inputs;
                pending.targets = vec![register(dst), register(target)];
            }
            op => {
                let mut reads = Vec::new();
                code.operation_facts(op, &mut |fact| {
                    use crate::code::bytecode::OperationFact::{Reads, Updates, Writes};
                    match fact {
                        Reads(operand) => reads.push(operand),
                        Writes(dst) | Updates(dst) => pending.targets.push(register(dst)),
                        _ => {}
                    }
                });
                for operand in reads {
                    if !is_reference(value(operand)) {
                        let node = self.operand((state, code), at, operand);
                        pending.node.inputs.push(node);
                    }
                }
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.pending = Some(pending);
        }
    }

    fn extend_list(
        &mut self,
        state: &State,
        code: &Rc<CompiledFunction>,
        (pc, base): (usize, usize),
        (list, src): (u16, Operand),
        pending: &mut Pending,
    ) {
        let list = base + list as usize;
        let added = self.operand((state, code), (pc, base), src);
        let old = self.node(self.register(list)).cloned().unwrap_or_default();
        (pending.node.inputs, pending.node.parts) = (old.inputs, old.parts);
        let count = state.registers[list].as_list().map_or(0, |list| list.len());
        let index = Value::Number(count as i64);
        pending.node.parts.push((index, added));
        pending.targets = vec![list];
    }

    /// Hands a result to the caller, as the answer of the function.
    fn return_value(
        &mut self,
        state: &State,
        (code, (pc, base)): (&Rc<CompiledFunction>, (usize, usize)),
        src: Operand,
        floor: usize,
    ) {
        let result = self.operand((state, code), (pc, base), src);
        let returned = operand_value(&state.registers, &code.constants, base, src);
        let depth = state.frames.len();
        let conditions = self.open_conditions();
        let inner = self.node(result).cloned().unwrap_or_default();
        let names = code.variables.iter().map(|scope| scope.name.clone());
        let args = self
            .frames
            .last()
            .map_or_else(Vec::new, |frame| frame.args.clone());
        let mut answer = ValueNode {
            origin: match code.answer_slot {
                Some(_) => ValueOrigin::Answer,
                None => ValueOrigin::Operation,
            },
            value: returned.clone(),
            inputs: vec![result],
            conditions,
            scope: names.zip(args).collect(),
            ..node_at(code, pc)
        };
        answer.parts = match (returned, code.answer_slot) {
            (Value::Map(map), Some(_)) if !map.is_cell() => {
                let parts = map.entries().iter().map(|(name, value)| {
                    let part = self.part(result, &Value::Text(name.clone()));
                    let part = self.add(ValueNode {
                        origin: ValueOrigin::Part(name.clone()),
                        value: value.clone(),
                        inputs: vec![part.unwrap_or(result)],
                        ..answer.clone()
                    });
                    (Value::Text(name.clone()), part)
                });
                parts.collect()
            }
            _ => inner.parts,
        };
        let answer = self.add(answer);
        self.unwind_to(depth - 1);
        match depth.checked_sub(2).filter(|caller| *caller + 1 > floor) {
            Some(caller) => {
                let dst =
                    state.frames[caller].base as usize + state.frames[caller + 1].dst as usize;
                self.set(dst, answer);
            }
            None => {
                let outer = self
                    .frames
                    .last_mut()
                    .and_then(|frame| frame.pending.as_mut());
                if let Some(outer) = outer {
                    outer.node.inputs.push(answer);
                }
            }
        }
    }

    /// Returns the conditions of the open branches of the innermost function, the innermost first.
    fn open_conditions(&self) -> Vec<NodeId> {
        let first = self.frames.last().map_or(0, |frame| frame.first_branch);
        let open = self.branches[first..].iter().rev();
        open.map(|(_, _, condition)| *condition).collect()
    }

    fn open_branch(&mut self, flow: &DataFlow, pc: usize, nodes: &[NodeId]) {
        self.used.extend(nodes);
        if let Some(join) = flow.ops[pc].branch {
            let join_op = flow.joins[join as usize].join_op;
            for node in nodes.iter().filter(|node| **node != NO_NODE) {
                self.branches.push((join_op, join as usize, *node));
            }
        }
    }

    /// Closes the branches that join here: what was written on one of their paths was picked by the condition.
    fn join_branches(&mut self, flow: &DataFlow, (pc, base): (usize, usize)) {
        let Some(first) = self.frames.last().map(|frame| frame.first_branch) else {
            return;
        };
        if !flow.ops[pc].is_join {
            return;
        }
        let joined: Vec<_> = self.branches[first..]
            .iter()
            .filter(|(op, ..)| *op as usize == pc)
            .copied()
            .collect();
        if joined.is_empty() {
            return;
        }
        let mut index = 0;
        self.branches.retain(|(op, ..)| {
            index += 1;
            index <= first || *op as usize != pc
        });
        for (_, join, condition) in joined {
            for register in &flow.joins[join].written_registers {
                let register = base + *register as usize;
                let picked = self.register(register);
                let mut node = self.node(picked).cloned().unwrap_or_default();
                if node.conditions.contains(&condition) {
                    continue;
                }
                node.conditions.push(condition);
                let node = self.add(node);
                self.set(register, node);
            }
        }
    }

    /// Names the variables whose scope begins here.
    fn name_variables(
        &mut self,
        state: &State,
        code: &Rc<CompiledFunction>,
        (pc, base): (usize, usize),
    ) {
        for variable in code.variables.iter().skip(code.arity) {
            if variable.ops.start as usize != pc {
                continue;
            }
            let register = base + variable.register as usize;
            let (made, value) = (self.register(register), state.registers[register].clone());
            let parts = self.node(made).map(|node| node.parts.clone());
            let node = self.add(ValueNode {
                origin: ValueOrigin::Variable(variable.name.clone()),
                value,
                inputs: vec![made],
                parts: parts.unwrap_or_default(),
                scope: scope_at(state, code, (pc, base)),
                ..node_at(code, pc)
            });
            self.set(register, node);
        }
    }
}

fn node_at(code: &Rc<CompiledFunction>, pc: usize) -> ValueNode {
    ValueNode {
        code: Some(code.clone()),
        op: pc,
        ..ValueNode::default()
    }
}

/// Returns the variables in scope at an operation, with their values.
fn scope_at(
    state: &State,
    code: &CompiledFunction,
    (pc, base): (usize, usize),
) -> Vec<(String, Value)> {
    let mut scope: Vec<(String, Value)> = Vec::new();
    for variable in code.variables.iter().rev() {
        let is_known = scope.iter().any(|(name, _)| *name == variable.name);
        if variable.ops.contains(&(pc as u32)) && !is_known {
            let value = &state.registers[base + variable.register as usize];
            scope.push((variable.name.clone(), value.clone()));
        }
    }
    scope.reverse();
    scope
}
