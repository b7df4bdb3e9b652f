//! What is known of the registers of a function: which are live, where values flow, and which variables stand in them.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// The index of a register in its function's frame.
pub type Register = u16;

/// The join point of a branch and what may happen before it.
#[derive(Clone, Debug, Default)]
pub struct JoinPoint {
    /// Index of the join operation; the number of operations if the paths only meet at the return.
    pub join_op: u32,
    /// Registers that some path between branch and join writes.
    pub written_registers: Vec<Register>,
    /// The successors of the branch.
    pub branches: Vec<BranchPath>,
    /// The condition that it is a part of, if nothing is done where that doesn't hold.
    pub condition: Option<SkippedCondition>,
}

/// A condition of something that is done, or else nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedCondition {
    /// The operations of the condition.
    pub ops: Range<u32>,
    /// The operation after what is done.
    pub after: u32,
}

/// What may happen on a path from a branch to its join point.
#[derive(Clone, Debug, Default)]
pub struct BranchPath {
    /// Index of its first operation.
    pub first_op: u32,
    /// The columns that it may write.
    pub written_columns: Vec<usize>,
    pub may_refuse: bool,
}

/// The registers that an operation reads and writes, and its place in the control flow.
#[derive(Clone, Debug, Default)]
pub struct OperationFlow {
    pub reads: Box<[Register]>,
    /// The registers it writes, at most two.
    pub writes: [Option<Register>; 2],
    /// Index of the join point, if it is a branch whose condition it reads.
    pub branch: Option<u32>,
    /// Whether branches join at it.
    pub is_join: bool,
}

/// How values flow through a function.
#[derive(Clone, Debug, Default)]
pub struct DataFlow {
    pub ops: Vec<OperationFlow>,
    /// The join points of its branches.
    pub joins: Vec<JoinPoint>,
}

/// Live registers as bit sets.
#[derive(Clone, Debug, Default)]
pub struct LiveRegisters {
    /// By operation that may stop the machine: those that are live after it, without its result; and those of them whose value matters.
    pub at_stop: FxHashMap<u32, [Vec<u64>; 2]>,
    /// By operation that may stop the machine: the registers that are only added to and reported after it.
    pub counters: FxHashMap<u32, Vec<Register>>,
    /// The number of words of a set.
    pub words: usize,
    /// Those that are live before each operation, one set after the other.
    pub before: Vec<u64>,
}

impl LiveRegisters {
    /// Returns whether a register is live before an operation.
    pub fn is_live_before(&self, op: usize, register: usize) -> bool {
        register / 64 < self.words
            && self
                .before
                .get(op * self.words + register / 64)
                .is_some_and(|word| word >> (register % 64) & 1 == 1)
    }
}

/// A variable: its register, and the operations in which it is in scope.
#[derive(Clone, Debug)]
pub struct VariableScope {
    pub name: String,
    /// The register of its value.
    pub register: Register,
    /// The operations.
    pub ops: Range<u32>,
    /// Whether it is declared by a `let`; else it is a parameter, or the variable of a loop.
    pub is_let: bool,
}
