//! A state whose branches are being explored.

use crate::odds::answer::WeightedAnswers;
use crate::odds::graph::{GraphEdge, GraphNode, NameId, NamedOutcomes, ValueId, WeightedEdges};
use crate::odds::open_states::Visit;
use crate::odds::state_table::{BoardBits, KnownFuture, StateTable};
use casebook_engine::code::machine::live_state::CounterId;
use casebook_engine::code::state::State;
use casebook_engine::notation::Weight;
use casebook_engine::situation::cell_key::{AccessRecorder, ColumnBits};
use casebook_engine::situation::policy::Decision;
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
    pub(super) fn into_node(self, mut edges: WeightedEdges) -> Arc<GraphNode> {
        match self {
            NodeKind::Choice(decision, before) => Arc::new(GraphNode::Choice(
                decision,
                before,
                edges.into_iter().map(|(_, edge)| edge).collect(),
            )),
            NodeKind::Returned
                if edges
                    .first()
                    .is_some_and(|(_, edge)| edge.outcomes.is_empty()) =>
            {
                edges.swap_remove(0).1.target
            }
            NodeKind::Throw | NodeKind::Returned => GraphNode::thrown(edges),
        }
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
    pub(super) edges: Vec<Option<GraphEdge>>,
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

/// The number of branches up to which a state gets room for the edges of all at once.
const FEW_BRANCHES: usize = 64;

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
        let room = self.edges.capacity();
        if room == 0 {
            self.edges = Vec::with_capacity(self.answers.len().min(FEW_BRANCHES));
        }
        if self.edges.len() <= index {
            self.edges.resize_with(index + 1, || None);
        }
        let grown = ((self.edges.capacity() - room) * size_of::<Option<GraphEdge>>()) as u64;
        if grown > 0 {
            table.take(grown);
            self.bytes += grown;
        }
        self.edges[index] = Some(edge);
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
