//! The control flow of a function, and sets of bits that flow backward through it.

use crate::code::bytecode::{CompiledFunction, Operation, OperationFact};

/// The successors of each operation. A return leads to the number of operations; refusals and faults lead nowhere.
pub(super) struct ControlFlowGraph {
    /// Start of each operation's successors in `targets`.
    starts: Vec<usize>,
    targets: Vec<usize>,
}

/// What flows to an operation from its successors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meet {
    /// What any of them has.
    Union,
    /// What all of them have.
    Intersection,
}

/// A set of bits before each operation and at the end, one after the other.
pub(super) struct FlowSets {
    words: usize,
    meet: Meet,
    pub bits: Vec<u64>,
}

impl ControlFlowGraph {
    pub fn new(function: &CompiledFunction) -> ControlFlowGraph {
        let ops = 0..function.ops.len();
        ControlFlowGraph::of_successors(ops.map(|index| {
            let mut successors = Vec::new();
            function.for_each_successor(index, &mut |after| successors.push(after));
            successors
        }))
    }

    /// Creates the graph of a run without a trace, in which each operation may also lead to the handlers of refusals that
    /// are active at it.
    pub fn with_handlers(function: &CompiledFunction) -> ControlFlowGraph {
        let mut handlers: Vec<usize> = Vec::new();
        ControlFlowGraph::of_successors(function.ops.iter().enumerate().map(|(index, op)| {
            let mut successors = Vec::new();
            match op {
                Operation::JumpIfUntraced { to } => successors.push(*to as usize),
                _ => function.for_each_successor(index, &mut |after| successors.push(after)),
            }
            function.operation_facts(*op, &mut |fact| match fact {
                OperationFact::Catches(to) => handlers.push(to as usize),
                OperationFact::EndsCatching => drop(handlers.pop()),
                _ => {}
            });
            successors.extend(&handlers);
            successors
        }))
    }

    fn of_successors(successors: impl Iterator<Item = Vec<usize>>) -> ControlFlowGraph {
        let (mut starts, mut targets) = (vec![0], Vec::new());
        for of_one in successors {
            targets.extend(of_one);
            starts.push(targets.len());
        }
        ControlFlowGraph { starts, targets }
    }

    pub fn successors(&self, index: usize) -> &[usize] {
        &self.targets[self.starts[index]..self.starts[index + 1]]
    }

    /// Flows backward from the set `end` until a fixed point, because of loops; `step` goes back over an operation.
    pub fn flow_back(
        &self,
        end: &[u64],
        meet: Meet,
        mut step: impl FnMut(usize, &mut [u64]),
    ) -> FlowSets {
        let (words, ops) = (end.len(), self.starts.len() - 1);
        let mut bits = vec![meet.start(); words * ops];
        bits.extend(end);
        let mut sets = FlowSets { words, meet, bits };
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..ops).rev() {
                let mut set = sets.after(self, index);
                step(index, &mut set);
                let row = &mut sets.bits[words * index..][..words];
                changed |= row != set;
                row.copy_from_slice(&set);
            }
        }
        sets
    }
}

impl Meet {
    fn start(self) -> u64 {
        match self {
            Meet::Union => 0,
            Meet::Intersection => u64::MAX,
        }
    }
}

impl FlowSets {
    /// Returns the set before an operation.
    pub fn before(&self, index: usize) -> &[u64] {
        &self.bits[self.words * index..][..self.words]
    }

    /// Returns the set after an operation.
    pub fn after(&self, graph: &ControlFlowGraph, index: usize) -> Vec<u64> {
        let mut set = vec![self.meet.start(); self.words];
        for successor in graph.successors(index) {
            for (word, of_successor) in set.iter_mut().zip(self.before(*successor)) {
                *word = match self.meet {
                    Meet::Union => *word | of_successor,
                    Meet::Intersection => *word & of_successor,
                };
            }
        }
        set
    }
}

pub(super) fn has_bit(set: &[u64], bit: usize) -> bool {
    set[bit / 64] & 1 << (bit % 64) != 0
}

pub(super) fn add_bit(set: &mut [u64], bit: usize) {
    set[bit / 64] |= 1 << (bit % 64);
}
