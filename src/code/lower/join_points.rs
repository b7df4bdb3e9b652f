//! Join points of branches (immediate post-dominators). Only the code between branch and join depends on the condition.

use crate::code::bytecode::{CompiledFunction, JoinPoint, JoinPoints, OperationEffects, OperationFact, Register};

/// The operations of a function that have effects beyond registers, in ascending order.
pub type EffectfulOperations = Vec<(usize, OperationEffects)>;

/// Computes the join point of every branch of a function, given its effectful operations.
pub fn find_join_points(unit: &CompiledFunction, effectful: &EffectfulOperations) -> JoinPoints {
    let end = unit.ops.len();
    let graph = ControlFlowGraph::build(unit);
    let mut joins = JoinPoints { points: Vec::new(), point_of_branch: vec![None; end], is_join: vec![false; end + 1] };
    if (0..end).all(|place| graph.successors(place).len() < 2) {
        return joins;
    }
    let post_dominators = PostDominators::compute(&graph);
    for place in (0..end).filter(|place| graph.successors(*place).len() > 1) {
        // The immediate post-dominator is the one with the most post-dominators of its own.
        let common = |other: &usize| *other != place && post_dominators.contains(place, *other);
        let at = (0..=end).filter(common).max_by_key(|other| post_dominators.count(*other)).unwrap_or(end);
        let mut join = JoinPoint { join_op: at as u32, ..JoinPoint::default() };
        for successor in graph.successors(place) {
            if !join.branches.iter().any(|(known, ..)| *known as usize == *successor) {
                let effects = effects_between(unit, effectful, &graph, (*successor, at), &mut join.written_registers);
                join.branches.push((*successor as u32, effects.written_columns.iter().collect(), effects.may_refuse));
            }
        }
        join.written_registers.sort_unstable();
        join.written_registers.dedup();
        joins.point_of_branch[place] = Some(joins.points.len() as u32);
        joins.is_join[at] = true;
        joins.points.push(join);
    }
    joins
}

/// Returns the effects of all paths from one operation to another, and adds the registers they write to `sets`.
fn effects_between(
    unit: &CompiledFunction,
    effectful: &EffectfulOperations,
    graph: &ControlFlowGraph,
    (from, to): (usize, usize),
    sets: &mut Vec<Register>,
) -> OperationEffects {
    let mut seen = vec![false; unit.ops.len()];
    let mut todo = vec![from];
    while let Some(place) = todo.pop() {
        if place == to || place >= seen.len() || std::mem::replace(&mut seen[place], true) {
            continue;
        }
        unit.operation_facts(unit.ops[place], &mut |fact| {
            if let OperationFact::Writes(register) | OperationFact::Updates(register) = fact {
                sets.push(register);
            }
        });
        todo.extend(graph.successors(place));
    }
    let mut all = OperationEffects::default();
    effectful.iter().filter(|(place, _)| seen[*place]).for_each(|(_, effects)| all.union_with(effects));
    all
}

/// The control flow graph: the successors of each operation.
struct ControlFlowGraph {
    /// Start of each operation's successors in `targets`.
    starts: Vec<usize>,
    targets: Vec<usize>,
}

impl ControlFlowGraph {
    fn build(unit: &CompiledFunction) -> ControlFlowGraph {
        let mut graph = ControlFlowGraph { starts: vec![0], targets: Vec::with_capacity(unit.ops.len()) };
        for place in 0..unit.ops.len() {
            unit.for_each_successor(place, &mut |after| graph.targets.push(after));
            graph.starts.push(graph.targets.len());
        }
        graph
    }

    fn successors(&self, place: usize) -> &[usize] {
        &self.targets[self.starts[place]..self.starts[place + 1]]
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
        let mut post_dominators = PostDominators { words, bits: vec![u64::MAX; words * (end + 1)] };
        post_dominators.bits[words * end..].fill(0);
        post_dominators.bits[words * end + end / 64] |= 1 << (end % 64);
        let mut common = vec![0; words];
        let mut changed = true;
        while changed {
            changed = false;
            for place in (0..end).rev() {
                common.fill(u64::MAX);
                for successor in graph.successors(place) {
                    common.iter_mut().zip(post_dominators.row(*successor)).for_each(|(word, other)| *word &= other);
                }
                common[place / 64] |= 1 << (place % 64);
                if common != post_dominators.row(place) {
                    post_dominators.bits[words * place..][..words].copy_from_slice(&common);
                    changed = true;
                }
            }
        }
        post_dominators
    }

    fn row(&self, place: usize) -> &[u64] {
        &self.bits[self.words * place..][..self.words]
    }

    fn contains(&self, place: usize, other: usize) -> bool {
        self.row(place)[other / 64] & (1 << (other % 64)) != 0
    }

    fn count(&self, place: usize) -> u32 {
        self.row(place).iter().map(|word| word.count_ones()).sum()
    }
}
