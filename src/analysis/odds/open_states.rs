//! The states of a depth-first search that are not finished yet: those on its stack, and those from which it can come back to one of them.
//!
//! States that can reach each other are a strongly connected component of the graph. They are found as by Tarjan: each state has the number
//! of its visit, and knows the lowest number that its future comes back to. A state that comes back to no lower number than its own is the
//! first of its component, which is finished with it. What a future reads is known only then, so an unfinished state is the same as another
//! one only if both are equal in everything.

use crate::odds::graph::{GraphNode, LoopId};
use crate::odds::state_table::{KnownFuture, StateTable};
use casebook_engine::situation::cell_key::ColumnBits;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The number of a visit that no state has: a future that comes back to no unfinished state.
pub const NEVER_BACK: usize = usize::MAX;

/// An unfinished state.
pub struct OpenState {
    number: usize,
    /// The number of its loop, if something leads back to it while it is on the stack.
    pub loop_id: Option<LoopId>,
    /// Its future, once all its branches are explored.
    pub future: Option<KnownFuture>,
}

/// The place of a state on the stack: the number of its visit, and the number of states that were waiting before it.
#[derive(Clone, Copy, Default)]
pub struct Visit {
    /// The number of the visit.
    pub number: usize,
    waiting_before: usize,
}

/// The unfinished states of a search.
#[derive(Default)]
pub struct OpenStates {
    by_fingerprint: FxHashMap<u128, OpenState>,
    /// Those that are off the stack, in the order in which they left it.
    waiting: Vec<u128>,
    visits: usize,
}

impl OpenStates {
    /// Puts a state on the stack.
    pub fn enter(&mut self, fingerprint: u128) -> Visit {
        self.visits += 1;
        self.by_fingerprint.insert(
            fingerprint,
            OpenState {
                number: self.visits,
                loop_id: None,
                future: None,
            },
        );
        Visit {
            number: self.visits,
            waiting_before: self.waiting.len(),
        }
    }

    /// Finds an unfinished state: the number that its future comes back to, and what is known of that future.
    pub fn find(&mut self, fingerprint: u128, table: &StateTable) -> Option<(usize, KnownFuture)> {
        let state = self.by_fingerprint.get_mut(&fingerprint)?;
        let future = state.future.clone().unwrap_or_else(|| {
            let id = *state.loop_id.get_or_insert_with(|| table.new_loop());
            (Arc::<ColumnBits>::default(), Arc::new(GraphNode::Again(id)))
        });
        Some((state.number, future))
    }

    /// Takes a state whose branches are all explored off the stack.
    pub fn leave(&mut self, fingerprint: u128) -> Option<OpenState> {
        self.by_fingerprint.remove(&fingerprint)
    }

    /// Keeps a state that left the stack until its component is finished.
    pub fn wait(&mut self, fingerprint: u128, state: OpenState, future: KnownFuture) {
        self.by_fingerprint.insert(
            fingerprint,
            OpenState {
                future: Some(future),
                ..state
            },
        );
        self.waiting.push(fingerprint);
    }

    /// Finishes the component whose first state has this visit; returns the other states of it.
    pub fn close(&mut self, visit: Visit) -> Vec<OpenState> {
        let members = self.waiting.split_off(visit.waiting_before);
        members
            .into_iter()
            .filter_map(|fingerprint| self.by_fingerprint.remove(&fingerprint))
            .collect()
    }
}
