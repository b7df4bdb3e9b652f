//! How values flow through a function, for provenance: what each operation reads and writes, and where branches join. A join point is the
//! immediate post-dominator of a branch; only the code between the two depends on the condition.

use crate::code::bytecode::{CompiledFunction, OperationEffects, OperationFact, Register};
use crate::code::flow::{BranchPath, DataFlow, JoinPoint, OperationFlow, SkippedCondition};
use crate::code::lower::flow_graph::{ControlFlowGraph, Meet, add_bit, has_bit};

/// The operations of a function that have effects beyond registers, in ascending order.
pub type EffectfulOperations = Vec<(usize, OperationEffects)>;

/// Computes the data flow of a function, given its effectful operations.
pub fn find_data_flow(function: &CompiledFunction, effectful: &EffectfulOperations) -> DataFlow {
    let end = function.ops.len();
    let graph = ControlFlowGraph::new(function);
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
    // The post-dominators of each operation: what is on all paths from it to the end.
    let mut only_end = vec![0; end / 64 + 1];
    add_bit(&mut only_end, end);
    let post_dominators = graph.flow_back(&only_end, Meet::Intersection, |index, set| {
        add_bit(set, index)
    });
    for branch in branches {
        // The immediate post-dominator is the one with the most post-dominators of its own.
        let common = |candidate: &usize| {
            *candidate != branch && has_bit(post_dominators.before(branch), *candidate)
        };
        let count = |candidate: &usize| -> u32 {
            let set = post_dominators.before(*candidate).iter();
            set.map(|word| word.count_ones()).sum()
        };
        let join_op = (0..=end).filter(common).max_by_key(count).unwrap_or(end);
        // Of nested conditions the innermost is noted first.
        let is_in = |condition: &&SkippedCondition| condition.ops.contains(&(branch as u32));
        let mut join = JoinPoint {
            join_op: join_op as u32,
            condition: function.skipped_conditions.iter().find(is_in).cloned(),
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
