//! Explores from the root on, the likeliest states first, when a depth-first count was cut: what was finished there is known, and what is
//! still missing lies where it is least likely.
//!
//! Equal states after the same number of stops are merged. Each keeps the probability that has reached it and was
//! not passed on yet; the states of about the same probability take turns by their number of stops, so that a state has received what equal
//! paths bring before it is explored.

use crate::odds::bounds::{Cap, MAX_DEPTH};
use crate::odds::explore::{Explorer, StepResult, StepRun};
use crate::odds::graph::{GraphEdge, GraphNode, NamedOutcomes};
use crate::odds::search_frame::SearchFrame;
use crate::odds::state_table::StateTable;
use casebook_engine::code::machine::Overrun;
use casebook_engine::code::state::State;
use casebook_engine::complaint::Complaints;
use casebook_engine::platform::clock::Instant;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

/// The probability that is not worth exploring.
const NEGLIGIBLE: f64 = 1e-12;

/// The least time of a search.
const LEAST_TRIAL: Duration = Duration::from_secs(1);

/// The part of its time after which a search that has explored less than a share of all probability ends: it would end so anyway, and the time
/// serves a sample better.
const LEAST_PROGRESS: (u32, f64) = (8, 0.01);

/// The number of halvings of a probability within which states take turns.
const MAGNITUDE: f64 = 8.0;

enum BranchTarget {
    /// A state of this search.
    Own(usize),
    /// A known future.
    Finished(Arc<GraphNode>),
}

/// A state, the probability that it has yet to pass on, and where its branches lead once it is explored.
struct Waiting {
    frame: Box<SearchFrame>,
    stops: usize,
    mass: f64,
    targets: Vec<Option<(NamedOutcomes, BranchTarget)>>,
}

/// The estimated size of a waiting state in bytes, with its places in the queue and in the index.
const WAITING_BYTES: u64 = 192;

impl Waiting {
    /// Adds the target of the next branch.
    fn add_target(&mut self, target: Option<(NamedOutcomes, BranchTarget)>, table: &StateTable) {
        let room = self.targets.capacity();
        self.targets.push(target);
        let grown = ((self.targets.capacity() - room)
            * size_of::<Option<(NamedOutcomes, BranchTarget)>>()) as u64;
        self.frame.bytes += grown;
        table.take(grown);
    }
}

#[derive(Default)]
struct Frontier {
    states: Vec<Waiting>,
    /// The states by their number of stops and their fingerprint.
    index_of_state: FxHashMap<(usize, u128), usize>,
    /// The states with probability to pass on: by its magnitude, then by their number of stops.
    queue: BinaryHeap<(i32, Reverse<usize>, usize)>,
    /// The probability of all unexplored states.
    open: f64,
}

impl Frontier {
    /// Adds probability to a state.
    fn add(&mut self, index: usize, mass: f64) {
        let state = &mut self.states[index];
        let before = magnitude(state.mass);
        state.mass += mass;
        if magnitude(state.mass) != before {
            self.queue
                .push((magnitude(state.mass), Reverse(state.stops), index));
        }
    }
}

fn magnitude(mass: f64) -> i32 {
    if mass > 0.0 {
        (mass.log2() / MAGNITUDE) as i32
    } else {
        i32::MIN
    }
}

impl Explorer<'_> {
    /// Explores forward until everything is known or a limit is reached.
    pub fn explore_forward(&mut self, state: State) -> Result<GraphEdge, Complaints> {
        self.within_limits(|explorer| explorer.search_forward(state))
    }

    fn search_forward(&mut self, state: State) -> Result<GraphEdge, Complaints> {
        let start = Arc::new(state.clone());
        let mut frontier = Frontier {
            open: 1.0,
            ..Frontier::default()
        };
        let Some(run) = self.run_or_end(Box::new(state), 1.0)? else {
            return Ok(GraphEdge::unexplored(start, Arc::default()));
        };
        let (outcomes, root) = self.find_or_add(&mut frontier, run, 0);
        if let BranchTarget::Own(index) = root {
            frontier.add(index, 1.0);
        }
        let mut too_deep = false;
        let begun = Instant::now();
        let time = self
            .context
            .limits
            .deadline
            .saturating_duration_since(begun);
        let look_at = begun.checked_add((time / LEAST_PROGRESS.0).max(LEAST_TRIAL));
        while let Some((_, _, index)) = frontier.queue.pop() {
            let mass = std::mem::take(&mut frontier.states[index].mass);
            if mass == 0.0 {
                continue;
            }
            if frontier.states[index].targets.is_empty() {
                if frontier.open < NEGLIGIBLE {
                    break;
                }
                self.explored = 1.0 - frontier.open;
                if let Some(cap) = self.cap(0) {
                    self.end(cap, None);
                    break;
                }
                let is_slow = self.explored < LEAST_PROGRESS.1;
                if is_slow && look_at.is_some_and(|end| Instant::now() > end) {
                    break;
                }
                if frontier.states[index].stops >= MAX_DEPTH {
                    too_deep = true;
                    continue;
                }
                if !self.expand(&mut frontier, index, mass)? {
                    break;
                }
            }
            self.pass_on(&mut frontier, index, mass);
        }
        // Another limit is the reason if it ended the search before nothing but the depth was left.
        if too_deep {
            self.context.ended.get_or_init(|| (Cap::Depth, None));
        }
        Ok(GraphEdge {
            outcomes,
            target: self.forward_graph(frontier, root),
        })
    }

    /// Explores the branches of a state; returns false if a limit was reached.
    fn expand(
        &mut self,
        frontier: &mut Frontier,
        state_index: usize,
        mass: f64,
    ) -> Result<bool, Complaints> {
        let table = self.context.state_table;
        let (count, stops) = (
            frontier.states[state_index].frame.answers.len(),
            frontier.states[state_index].stops,
        );
        for index in 0..count {
            let frame = &frontier.states[state_index].frame;
            let share = mass * frame.answers[index].0.share_of(&frame.total);
            let state = self.answered(frame, index);
            // A state may have so many branches that those of each would fill all memory.
            if let Some(cap) = self.cap(0) {
                self.end(cap, None);
                return Ok(false);
            }
            let run = self.run_or_end(state, share)?;
            let target = run.map(|run| self.find_or_add(frontier, run, stops + 1));
            // A throw of too many outcomes bars its own branch only.
            let cut = target.is_none() && self.machine.overrun != Some(Overrun::Outcomes);
            frontier.states[state_index].add_target(target, table);
            if cut {
                return Ok(false);
            }
        }
        let state = &mut frontier.states[state_index];
        // Nothing is resumed from here any more, unless a branch is barred: it is sampled.
        if state.targets.iter().all(Option::is_some) {
            let freed = state
                .frame
                .state
                .bytes()
                .saturating_sub(size_of::<State>() as u64);
            *state.frame.state = State::default();
            state.frame.bytes = state.frame.bytes.saturating_sub(freed);
            table.free(freed);
        }
        frontier.open -= mass;
        Ok(true)
    }

    /// Finds or adds the state that a run stopped in.
    fn find_or_add(
        &self,
        frontier: &mut Frontier,
        run: StepRun,
        stops: usize,
    ) -> (NamedOutcomes, BranchTarget) {
        let outcomes = run.outcomes;
        let mut frame = match run.result {
            StepResult::Finished((_, node)) | StepResult::Unfinished(_, (_, node)) => {
                return (outcomes, BranchTarget::Finished(node));
            }
            StepResult::New(frame) | StepResult::InProgress(frame) => frame,
        };
        let fingerprint = frame
            .key
            .wrapping_add(frame.state.board.total_fingerprint());
        let Frontier {
            states,
            index_of_state,
            ..
        } = frontier;
        let index = *index_of_state
            .entry((stops, fingerprint))
            .or_insert(states.len());
        match states.get(index) {
            Some(_) => self.context.state_table.free(frame.bytes),
            None => {
                self.context.state_table.take(WAITING_BYTES);
                frame.bytes += WAITING_BYTES;
                states.push(Waiting {
                    frame,
                    stops,
                    mass: 0.0,
                    targets: Vec::new(),
                });
            }
        }
        (outcomes, BranchTarget::Own(index))
    }

    /// Passes the probability of an explored state on.
    fn pass_on(&self, frontier: &mut Frontier, index: usize, mass: f64) {
        let Waiting { frame, targets, .. } = &frontier.states[index];
        let shares: Vec<(usize, f64)> = targets
            .iter()
            .zip(frame.answers.iter())
            .filter_map(|(target, (weight, _))| match target {
                Some((_, BranchTarget::Own(next))) => {
                    Some((*next, mass * weight.share_of(&frame.total)))
                }
                _ => None,
            })
            .collect();
        for (next, share) in shares {
            if frontier.states[next].targets.is_empty() {
                frontier.open += share;
            }
            frontier.add(next, share);
        }
    }

    /// Builds the graph of what was explored.
    fn forward_graph(&mut self, frontier: Frontier, root: BranchTarget) -> Arc<GraphNode> {
        let mut order: Vec<usize> = (0..frontier.states.len()).collect();
        order.sort_by_key(|place| Reverse(frontier.states[*place].stops));
        let mut states: Vec<Option<Waiting>> = frontier.states.into_iter().map(Some).collect();
        let mut built: Vec<Option<Arc<GraphNode>>> = vec![None; states.len()];
        for index in order {
            let Some(Waiting {
                mut frame, targets, ..
            }) = states[index].take()
            else {
                continue;
            };
            for (index, target) in targets.into_iter().enumerate() {
                let Some((outcomes, target)) = target else {
                    continue;
                };
                // A branch leads to a state with one more stop, which was built before.
                if let Some(target) = find(target, &built) {
                    frame.set_edge(
                        index,
                        GraphEdge { outcomes, target },
                        self.context.state_table,
                    );
                }
            }
            built[index] = Some(self.partial_node(*frame, None));
        }
        find(root, &built).unwrap_or_else(|| Arc::new(GraphNode::Done))
    }
}

/// Returns the node of a target that was built.
fn find(target: BranchTarget, built: &[Option<Arc<GraphNode>>]) -> Option<Arc<GraphNode>> {
    match target {
        BranchTarget::Finished(node) => Some(node),
        BranchTarget::Own(index) => built[index].clone(),
    }
}
