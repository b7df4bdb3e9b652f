//! How values flow through a function, for provenance: what each operation reads and writes, and where branches join. A join point is the
//! immediate post-dominator of a branch; only the code between the two depends on the condition.

use crate::code::bytecode::{CompiledFunction, OperationEffects, OperationFact, Register};
use crate::code::flow::{BranchPath, DataFlow, JoinPoint, OperationFlow};

/// The operations of a function that have effects beyond registers, in ascending order.
pub type EffectfulOperations = Vec<(usize, OperationEffects)>;

/// Computes the data flow of a function, given its effectful operations.
pub fn find_data_flow(function: &CompiledFunction, effectful: &EffectfulOperations) -> DataFlow {
    let end = function.ops.len();
    let graph = ControlFlowGraph::build(function);
    let mut flow = DataFlow {
        ops: (0..end)
            .map(|index| operation_flow(function, index))
            .collect(),
        joins: Vec::new(),
    };
    let branches: Vec<usize> = (0..end)
        .filter(|index| graph.successors(*index).len() > 1)
        .collect();
    if branches.is_empty() {
        return flow;
    }
    let post_dominators = PostDominators::compute(&graph);
    for branch in branches {
        // The immediate post-dominator is the one with the most post-dominators of its own.
        let common = |candidate: &usize| {
            *candidate != branch && post_dominators.contains(branch, *candidate)
        };
        let join_op = (0..=end)
            .filter(common)
            .max_by_key(|candidate| post_dominators.count(*candidate))
            .unwrap_or(end);
        // Of nested conditions the innermost is noted first.
        let is_in = |(first, end, _): &&(u32, u32, u32)| (*first..*end).contains(&(branch as u32));
        let mut join = JoinPoint {
            join_op: join_op as u32,
            condition: function.skipped_conditions.iter().find(is_in).copied(),
            ..JoinPoint::default()
        };
        for successor in graph.successors(branch) {
            if !join
                .branches
                .iter()
                .any(|path| path.first_op as usize == *successor)
            {
                let effects = effects_between(
                    function,
                    effectful,
                    &graph,
                    (*successor, join_op),
                    &mut join.written_registers,
                );
                join.branches.push(BranchPath {
                    first_op: *successor as u32,
                    written_columns: effects.written_columns.iter().collect(),
                    may_refuse: effects.may_refuse,
                });
            }
        }
        join.written_registers.sort_unstable();
        join.written_registers.dedup();
        // A branch without a condition, such as an installed refusal handler, decides nothing.
        flow.ops[branch].branch =
            (!flow.ops[branch].reads.is_empty()).then_some(flow.joins.len() as u32);
        if let Some(op) = flow.ops.get_mut(join_op) {
            op.is_join = true;
        }
        flow.joins.push(join);
    }
    flow
}

fn operation_flow(function: &CompiledFunction, index: usize) -> OperationFlow {
    let (mut reads, mut writes) = (Vec::new(), [None; 2]);
    function.operation_facts(function.ops[index], &mut |fact| match fact {
        OperationFact::Reads(operand) => reads.extend(operand.register()),
        OperationFact::Writes(register) | OperationFact::Updates(register) => {
            writes = [Some(register), writes[0]]
        }
        _ => {}
    });
    OperationFlow {
        reads: reads.into(),
        writes,
        branch: None,
        is_join: false,
    }
}

/// Returns the effects of all paths from one operation to another, and adds the registers they write to `written`.
fn effects_between(
    function: &CompiledFunction,
    effectful: &EffectfulOperations,
    graph: &ControlFlowGraph,
    (from, to): (usize, usize),
    written: &mut Vec<Register>,
) -> OperationEffects {
    let mut visited = vec![false; function.ops.len()];
    let mut todo = vec![from];
    while let Some(index) = todo.pop() {
        if index == to || index >= visited.len() || std::mem::replace(&mut visited[index], true) {
            continue;
        }
        function.operation_facts(function.ops[index], &mut |fact| {
            if let OperationFact::Writes(register) | OperationFact::Updates(register) = fact {
                written.push(register);
            }
        });
        todo.extend(graph.successors(index));
    }
    let mut merged = OperationEffects::default();
    effectful
        .iter()
        .filter(|(index, _)| visited[*index])
        .for_each(|(_, effects)| merged.union_with(effects));
    merged
}

/// The control flow graph: the successors of each operation.
struct ControlFlowGraph {
    /// Start of each operation's successors in `targets`.
    starts: Vec<usize>,
    targets: Vec<usize>,
}

impl ControlFlowGraph {
    fn build(function: &CompiledFunction) -> ControlFlowGraph {
        let mut graph = ControlFlowGraph {
            starts: vec![0],
            targets: Vec::with_capacity(function.ops.len()),
        };
        for index in 0..function.ops.len() {
            function.for_each_successor(index, &mut |after| graph.targets.push(after));
            graph.starts.push(graph.targets.len());
        }
        graph
    }

    fn successors(&self, index: usize) -> &[usize] {
        &self.targets[self.starts[index]..self.starts[index + 1]]
    }
}

/// The post-dominators of each operation, as bits. Refusals and faults are not paths to the end, so they are ignored.
struct PostDominators {
    words: usize,
    bits: Vec<u64>,
}

impl PostDominators {
    fn compute(graph: &ControlFlowGraph) -> PostDominators {
        let end = graph.starts.len() - 1;
        let words = end / 64 + 1;
        let mut post_dominators = PostDominators {
            words,
            bits: vec![u64::MAX; words * (end + 1)],
        };
        post_dominators.bits[words * end..].fill(0);
        post_dominators.bits[words * end + end / 64] |= 1 << (end % 64);
        let mut common = vec![0; words];
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..end).rev() {
                common.fill(u64::MAX);
                for successor in graph.successors(index) {
                    common
                        .iter_mut()
                        .zip(post_dominators.row(*successor))
                        .for_each(|(word, successor_word)| *word &= successor_word);
                }
                common[index / 64] |= 1 << (index % 64);
                if common != post_dominators.row(index) {
                    post_dominators.bits[words * index..][..words].copy_from_slice(&common);
                    changed = true;
                }
            }
        }
        post_dominators
    }

    fn row(&self, index: usize) -> &[u64] {
        &self.bits[self.words * index..][..self.words]
    }

    fn contains(&self, index: usize, dominator: usize) -> bool {
        self.row(index)[dominator / 64] & (1 << (dominator % 64)) != 0
    }

    fn count(&self, index: usize) -> u32 {
        self.row(index).iter().map(|word| word.count_ones()).sum()
    }
}
