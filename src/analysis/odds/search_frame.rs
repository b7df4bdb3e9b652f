//! A state whose branches are being explored.

use crate::odds::answer::WeightedAnswers;
use crate::odds::graph::{
    GraphEdge, GraphNode, MAX_SCANNED, NameId, NamedOutcomes, NodeIdentity, ValueId, WeightedEdges,
};
use crate::odds::open_states::Visit;
use crate::odds::state_table::{BoardBits, KnownFuture, StateTable};
use casebook_engine::code::machine::live_state::CounterId;
use casebook_engine::code::state::State;
use casebook_engine::notation::Weight;
use casebook_engine::situation::cell_key::{AccessRecorder, ColumnBits};
use casebook_engine::situation::policy::Decision;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A branch whose target is not known yet: its index, the outcomes named along it, and its recorded accesses.
pub(super) struct OpenEdge {
    pub(super) index: usize,
    pub(super) outcomes: NamedOutcomes,
    pub(super) recorder: Option<Box<AccessRecorder>>,
}

/// The reason why a state has branches.
pub(super) enum NodeKind {
    /// The state throws dice.
    Throw,
    /// A side chooses, with the outcomes named before.
    Choice(Arc<Decision>, Vec<(NameId, ValueId)>),
    /// A function returns after randomness: equal results merge here, so the continuation is explored once.
    Returned,
}

impl NodeKind {
    /// Builds the node of a state whose branches are all known.
    pub(super) fn into_node(self, edges: BranchEdges, answers: &WeightedAnswers) -> Arc<GraphNode> {
        match self {
            NodeKind::Choice(decision, before) => {
                let options = (0..answers.len()).filter_map(|option| edges.get(option).cloned());
                Arc::new(GraphNode::Choice(decision, before, options.collect()))
            }
            _ => self.into_throw(edges.weighted(answers)),
        }
    }

    /// Builds the node of a state without a choice.
    pub(super) fn into_throw(self, mut edges: WeightedEdges) -> Arc<GraphNode> {
        match self {
            NodeKind::Returned
                if edges
                    .first()
                    .is_some_and(|(_, edge)| edge.outcomes.is_empty()) =>
            {
                edges.swap_remove(0).1.target
            }
            _ => GraphNode::thrown(edges),
        }
    }
}

/// The edges of the branches of a state, as far as their targets are known. Equal ones are stored once: of millions of hands most go on alike.
#[derive(Default)]
pub(super) struct BranchEdges {
    /// By branch the index of its edge, or [`UNKNOWN`].
    edge_of: Vec<u32>,
    edges: Vec<GraphEdge>,
    /// The indices of the edges, once they are many.
    index_of: FxHashMap<(NamedOutcomes, NodeIdentity), u32>,
}

/// The index of an edge that is not known.
const UNKNOWN: u32 = u32::MAX;

impl BranchEdges {
    /// Stores an edge unless an equal one is known.
    pub(super) fn set(&mut self, branch: usize, edge: GraphEdge) {
        let identity = edge.target.identity();
        let existing = if self.edges.len() <= MAX_SCANNED {
            let is_equal = |other: &GraphEdge| {
                other.outcomes == edge.outcomes && other.target.identity() == identity
            };
            self.edges
                .iter()
                .position(is_equal)
                .map(|index| index as u32)
        } else {
            self.index_of
                .get(&(edge.outcomes.clone(), identity))
                .copied()
        };
        if self.edge_of.len() <= branch {
            self.edge_of.resize(branch + 1, UNKNOWN);
        }
        self.edge_of[branch] = existing.unwrap_or(self.edges.len() as u32);
        if existing.is_none() {
            self.edges.push(edge);
            let unindexed = self.index_of.len()..self.edges.len();
            for index in unindexed.filter(|_| self.edges.len() > MAX_SCANNED) {
                let edge = &self.edges[index];
                let key = (edge.outcomes.clone(), edge.target.identity());
                self.index_of.insert(key, index as u32);
            }
        }
    }

    /// Returns the edge of a branch, if its target is known.
    pub(super) fn get(&self, branch: usize) -> Option<&GraphEdge> {
        self.edges.get(*self.edge_of.get(branch)? as usize)
    }

    /// Returns the estimated size in bytes.
    fn bytes(&self) -> u64 {
        let keys = 2 * self.index_of.capacity() * size_of::<((NamedOutcomes, NodeIdentity), u32)>();
        (self.edge_of.capacity() * size_of::<u32>()
            + self.edges.capacity() * size_of::<GraphEdge>()
            + keys) as u64
    }

    /// Returns the edges with the weights of the branches that have them, those of the first branches first.
    pub(super) fn weighted(self, answers: &WeightedAnswers) -> WeightedEdges {
        let mut places = vec![UNKNOWN; self.edges.len()];
        let mut weighted = WeightedEdges::new();
        for ((weight, _), index) in answers.iter().zip(self.edge_of) {
            let Some(place) = places.get_mut(index as usize) else {
                continue;
            };
            match weighted.get_mut(*place as usize) {
                Some((sum, _)) => *sum += weight,
                None => {
                    *place = weighted.len() as u32;
                    weighted.push((weight.clone(), self.edges[index as usize].clone()));
                }
            }
        }
        weighted
    }
}

/// A state whose branches are being explored.
pub(super) struct SearchFrame {
    pub(super) state: Box<State>,
    pub(super) key: u128,
    /// The fingerprint of everything in the state.
    pub(super) fingerprint: u128,
    pub(super) board_bits: BoardBits,
    /// The answers to its request: one for each branch.
    pub(super) answers: WeightedAnswers,
    /// The edges of the branches in the graph, as far as their targets are known.
    pub(super) edges: BranchEdges,
    /// The sum of the branch weights.
    pub(super) total: Weight,
    /// The number of branches that were taken.
    pub(super) taken: usize,
    /// Its place on the stack.
    pub(super) visit: Visit,
    /// The lowest visit to which its future comes back.
    pub(super) lowest: usize,
    /// The branch that the frame above explores.
    pub(super) current: Option<OpenEdge>,
    /// Branches whose target another explorer is working on: it may be in the table when all other branches are done.
    pub(super) deferred: Vec<(OpenEdge, Box<SearchFrame>)>,
    pub(super) kind: NodeKind,
    pub(super) counters: Vec<CounterId>,
    /// The columns that the future is known to read so far.
    pub(super) reads: ColumnBits,
    /// The probability of reaching this state.
    pub(super) chance: f64,
    /// The estimated size in bytes.
    pub(super) bytes: u64,
}

impl SearchFrame {
    /// Takes the next branch, of which each explorer begins with another; `None` if all were taken.
    pub(super) fn take_branch(&mut self, worker_offset: usize) -> Option<usize> {
        let count = self.answers.len();
        let taken = Some(self.taken).filter(|taken| *taken < count)?;
        self.taken += 1;
        Some((taken + worker_offset) % count)
    }

    pub(super) fn is_taken(&self) -> bool {
        self.taken == self.answers.len()
    }

    /// Sets the edge of a branch.
    pub(super) fn set_edge(&mut self, index: usize, edge: GraphEdge, table: &StateTable) {
        let before = self.edges.bytes();
        self.edges.set(index, edge);
        let grown = self.edges.bytes() - before;
        if grown > 0 {
            table.take(grown);
            self.bytes += grown;
        }
    }

    /// Closes a branch with a known future as its target, and the lowest visit to which that comes back.
    pub(super) fn finish_edge(
        &mut self,
        edge: OpenEdge,
        (reads, target): KnownFuture,
        lowest: usize,
        table: &StateTable,
    ) {
        self.lowest = self.lowest.min(lowest);
        if let Some(recorder) = edge.recorder {
            self.reads.union_with(&recorder.reads);
            self.reads.union_except(&reads, &recorder.writes);
        }
        self.set_edge(
            edge.index,
            GraphEdge {
                outcomes: edge.outcomes,
                target,
            },
            table,
        );
    }
}
