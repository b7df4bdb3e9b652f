//! Finishes states of a depth-first search: stores their futures, solves the loops that they close, and builds the graph of what was explored
//! when a limit is reached.

use crate::odds::answer::{OpenAnswers, WeightedAnswers};
use crate::odds::bounds::Cap;
use crate::odds::component::Component;
use crate::odds::explore::Explorer;
use crate::odds::graph::{GraphEdge, GraphNode, LoopId, Recurrence, Strategy};
use crate::odds::loop_exits::{LoopFault, exits};
use crate::odds::open_states::{NEVER_BACK, OpenState};
use crate::odds::search_frame::{NodeKind, SearchFrame};
use crate::odds::state_table::KnownFuture;
use casebook_engine::code::state::State;
use casebook_engine::complaint::{Complaints, DiagnosticCode};
use casebook_engine::notation::Weight;
use casebook_engine::platform::clock::Instant;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A state that can come again, whose loop is being closed.
struct LoopStart {
    id: LoopId,
    state: Box<State>,
    answers: WeightedAnswers,
}

/// The time for solving the loops of a graph that a limit has cut.
const LOOP_GRACE: Duration = Duration::from_millis(200);

impl Explorer<'_> {
    /// Finishes a state whose branches are all explored: stores its future in the table, or keeps it until its component is finished. Also
    /// returns the lowest visit to which the future comes back.
    pub(super) fn finish_frame(
        &mut self,
        frame: SearchFrame,
    ) -> Result<(KnownFuture, usize), Complaints> {
        let table = self.context.state_table;
        let SearchFrame {
            state,
            key,
            fingerprint,
            board_bits,
            answers,
            edges,
            visit,
            lowest,
            kind,
            mut reads,
            bytes,
            ..
        } = frame;
        let own = self.open_states.leave(fingerprint);
        let start = LoopStart::new(own.as_ref(), &answers, || state);
        let mut node = kind.into_node(edges, &answers);
        let node = match (start, own) {
            (start, Some(own)) if lowest < visit.number => {
                if let Some(LoopStart { id, .. }) = start {
                    node = loop_node(id, false, node);
                }
                let future = (Arc::new(reads.trim_zeros()), node);
                table.take(future.1.bytes());
                table.end_state(key, fingerprint);
                table.free(bytes);
                self.open_states.wait(fingerprint, own, future.clone());
                return Ok((future, lowest));
            }
            (Some(start), _) => {
                let members = self.open_states.close(visit);
                // What is read from another loop of the component on may also be read from here, whatever is written on the way.
                let futures = || {
                    members
                        .iter()
                        .filter_map(|member| Some((member, member.future.as_ref()?)))
                };
                futures()
                    .filter(|(member, _)| member.loop_id.is_some())
                    .for_each(|(_, (read, _))| reads.union_with(read));
                table.free(futures().map(|(_, (_, node))| node.bytes()).sum());
                match close_loop(start.id, node, &members, &|| self.is_over()) {
                    Ok(node) => node,
                    Err(fault) => {
                        // It is not stored, so that what is counted from here on can still be followed forward.
                        table.end_state(key, fingerprint);
                        table.free(bytes);
                        let cap = match fault {
                            LoopFault::Endless => return Err(self.never_ends(&start.state)),
                            LoopFault::TooLarge => Cap::Loops,
                            LoopFault::Late => Cap::Time,
                        };
                        self.end(cap, None);
                        return Ok((
                            (Arc::new(reads.trim_zeros()), start.into_unexplored()),
                            NEVER_BACK,
                        ));
                    }
                }
            }
            (None, _) => node,
        };
        let reads = table.insert(
            (key, fingerprint),
            &board_bits,
            reads.trim_zeros(),
            node.clone(),
        );
        table.free(bytes);
        Ok(((reads, node), NEVER_BACK))
    }

    /// Whether the search has ended, or its time is up.
    fn is_over(&self) -> bool {
        self.context.finished.load(Ordering::Relaxed)
            || Instant::now() > self.context.limits.deadline
    }

    /// Builds the complaint about a loop that nothing leads out of.
    fn never_ends(&self, state: &State) -> Complaints {
        let (message, help) = (
            "this comes again and again without end",
            "let something that is thrown or chosen in the loop end it",
        );
        self.machine
            .complaint_at_stop(state, DiagnosticCode::Limit, message, help)
    }

    /// Builds the graph of what was explored when a limit is reached; the rest is [`GraphNode::Unexplored`].
    #[allow(clippy::vec_box)] // A frame is large, so moving its box is cheaper.
    pub(super) fn partial_graph(&mut self, stack: Vec<Box<SearchFrame>>) -> Arc<GraphNode> {
        // If another explorer has finished, this graph is not read.
        let grace = if self.context.ended.get().is_some() {
            LOOP_GRACE
        } else {
            Duration::ZERO
        };
        let end = Instant::now() + grace;
        let mut above: Option<(Arc<GraphNode>, usize)> = None;
        for frame in stack.into_iter().rev() {
            let (visit, fingerprint) = (frame.visit, frame.fingerprint);
            let lowest = above
                .as_ref()
                .map_or(frame.lowest, |(_, lowest)| frame.lowest.min(*lowest));
            let own = self.open_states.leave(fingerprint);
            let start = LoopStart::new(own.as_ref(), &frame.answers, || frame.state.clone());
            let mut node = self.partial_node(*frame, above.map(|(node, _)| node));
            above = Some(match (start, own) {
                (start, Some(own)) if lowest < visit.number => {
                    node = start.map_or_else(
                        || node.clone(),
                        |start| loop_node(start.id, false, node.clone()),
                    );
                    self.open_states
                        .wait(fingerprint, own, (Arc::default(), node.clone()));
                    (node, lowest)
                }
                (Some(start), _) => {
                    let members = self.open_states.close(visit);
                    let closed = close_loop(start.id, node, &members, &|| Instant::now() > end);
                    (
                        closed.unwrap_or_else(|_| start.into_unexplored()),
                        NEVER_BACK,
                    )
                }
                (None, _) => (node, NEVER_BACK),
            });
        }
        above.map_or_else(|| Arc::new(GraphNode::Done), |(node, _)| node)
    }

    /// Builds the node of a partly explored state, with `above` as the target of its current branch.
    pub(super) fn partial_node(
        &mut self,
        mut frame: SearchFrame,
        above: Option<Arc<GraphNode>>,
    ) -> Arc<GraphNode> {
        let table = self.context.state_table;
        if let Some((edge, target)) = frame.current.take().zip(above) {
            frame.set_edge(
                edge.index,
                GraphEdge {
                    outcomes: edge.outcomes,
                    target,
                },
                table,
            );
        }
        for (edge, next) in std::mem::take(&mut frame.deferred) {
            let target = self.partial_node(*next, None);
            frame.set_edge(
                edge.index,
                GraphEdge {
                    outcomes: edge.outcomes,
                    target,
                },
                table,
            );
        }
        table.free(frame.bytes);
        let SearchFrame {
            state,
            answers,
            edges,
            kind,
            ..
        } = frame;
        let state = Arc::<State>::from(state);
        // The options of a choice are distinguished by their positions.
        if let NodeKind::Choice(..) = kind {
            let mut edges = edges;
            for (option, (_, answer)) in answers.iter().enumerate() {
                if edges.get(option).is_none() {
                    let answer = [(Weight::ONE, answer.clone())].into();
                    edges.set(option, GraphEdge::unexplored(state.clone(), answer));
                }
            }
            return kind.into_node(edges, &answers);
        }
        let explored: Box<[u32]> = (0..answers.len())
            .filter(|branch| edges.get(*branch).is_some())
            .map(|branch| branch as u32)
            .collect();
        let all_explored = explored.len() == answers.len();
        let mut branches = edges.weighted(&answers);
        if !all_explored {
            let open = OpenAnswers { answers, explored };
            branches.push((
                open.weight(),
                GraphEdge::unnamed(Arc::new(GraphNode::Unexplored(state, open))),
            ));
        }
        kind.into_throw(branches)
    }
}

impl LoopStart {
    fn new(
        own: Option<&OpenState>,
        answers: &WeightedAnswers,
        state: impl FnOnce() -> Box<State>,
    ) -> Option<LoopStart> {
        let id = own?.loop_id?;
        Some(LoopStart {
            id,
            state: state(),
            answers: answers.clone(),
        })
    }

    /// Builds the node of the state without exploring any branch.
    fn into_unexplored(self) -> Arc<GraphNode> {
        GraphEdge::unexplored(Arc::from(self.state), self.answers).target
    }
}

pub(super) fn loop_node(id: LoopId, outermost: bool, body: Arc<GraphNode>) -> Arc<GraphNode> {
    Arc::new(GraphNode::Loop(
        Recurrence { id, outermost },
        GraphEdge::unnamed(body),
    ))
}

/// Closes the outermost loop of a component. A loop without choices and counters is replaced by its exits.
pub(super) fn close_loop(
    id: LoopId,
    node: Arc<GraphNode>,
    members: &[OpenState],
    is_late: &dyn Fn() -> bool,
) -> Result<Arc<GraphNode>, LoopFault> {
    let futures = members.iter().filter_map(|member| member.future.as_ref());
    let open: FxHashSet<*const GraphNode> = futures.map(|(_, node)| Arc::as_ptr(node)).collect();
    let body = GraphEdge::unnamed(node);
    let component = Component::new(id, &body, |node| open.contains(&node));
    match component.has_exit() {
        false => Err(LoopFault::Endless),
        true if component.has_choices() || component.has_counters() => {
            Ok(loop_node(id, true, body.target))
        }
        true => exits(&component, &Strategy::default(), is_late).map(GraphNode::thrown),
    }
}
