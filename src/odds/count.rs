//! Counts everything a situation can lead to, on several threads.

use crate::code::machine::{Consulted, Machine};
use crate::code::state::State;
use crate::complaint::{Complaints, Error};
use crate::odds::bounds::{Cap, SearchLimits};
use crate::odds::explore::{Explorer, KeptApart};
use crate::odds::graph::{GraphEdge, GraphNode, OutcomeNames};
use crate::odds::state_table::StateTable;
use crate::platform::parallel;
use crate::ruling::choice_source::ChoiceSource;
use crate::ruling::situation::Situation;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

/// The result of a count.
pub struct CountResult {
    /// The root of the outcome graph.
    pub root: GraphEdge,
    /// The interned names of outcomes and their values.
    pub names: OutcomeNames,
    /// Whether the whole graph was explored.
    pub complete: bool,
    /// The limit that ended the count, if it is incomplete.
    pub ended: Option<Cap>,
    /// The number of states explored.
    pub states: u64,
    /// The rules and figures that were consulted.
    pub consulted: Consulted,
}

/// A count to be run.
pub struct CountJob<'a> {
    /// The situation.
    pub situation: &'a Situation,
    /// The source of answers to choices.
    pub choice_source: &'a ChoiceSource,
    /// The values that distinguish states beside the state itself.
    pub kept_apart: &'a KeptApart,
    /// The number of threads.
    pub threads: usize,
    /// The limits of the search.
    pub limits: &'a SearchLimits<'a>,
}

impl CountJob<'_> {
    /// Runs the count.
    pub fn run(&self) -> Result<CountResult, Error> {
        let (names, memory, over) =
            (OutcomeNames::new(), StateTable::new(self.situation.initial_board.layout(), self.limits.memory), AtomicBool::new(false));
        let ended = OnceLock::new();
        let consulted = Mutex::new(Consulted::default());
        let one = |turn: usize| -> Result<GraphEdge, Complaints> {
            let situation = self.situation.deep_clone();
            let mut machine = Machine::new(situation.program.clone());
            let state = match situation.begin(&mut machine) {
                Ok(state) => state,
                Err(Error::Data(complaints)) => return Err(complaints),
                Err(_) => return Ok(GraphEdge { outcomes: Box::default(), target: std::sync::Arc::new(GraphNode::Done) }),
            };
            let (decider, wanted, bounds) = (self.choice_source, self.kept_apart, self.limits);
            let mut explorer = Explorer {
                machine: &mut machine,
                choice_source: decider,
                names: &names,
                state_table: &memory,
                limits: bounds,
                finished: &over,
                ended: &ended,
                kept_apart: wanted,
                worker_offset: turn,
            };
            let found = explorer.explore(state);
            if let Ok(mut consulted) = consulted.lock() {
                consulted.merge(machine.consulted(&situation.initial_board));
            }
            found
        };
        let found: Vec<Result<GraphEdge, Complaints>> = parallel::on_threads(self.threads, one);
        let mut best: Option<GraphEdge> = None;
        for branch in found {
            let branch = branch.map_err(Error::Data)?;
            // A worker that finished has explored the whole graph, so its result wins.
            if best.as_ref().is_none_or(|best| !is_complete(best)) {
                best = Some(branch);
            }
        }
        let Some(root) = best else { return Err(Error::Usage("no thread could be started to count on".into())) };
        let complete = is_complete(&root);
        let states = memory.state_count.load(Ordering::Relaxed);
        let consulted = consulted.into_inner().unwrap_or_default();
        let ended = ended.into_inner().filter(|_| !complete);
        Ok(CountResult { root, names, complete, ended, states, consulted })
    }
}

/// Whether a graph has no unexplored node.
pub fn is_complete(root: &GraphEdge) -> bool {
    crate::odds::graph::postorder(&root.target).into_iter().all(|node| !matches!(**node, GraphNode::Unexplored(..)))
}

/// Counts from a state on the current thread, as examples do.
pub fn count_from_state(
    machine: &mut Machine,
    state: State,
    decider: &ChoiceSource,
    bounds: &SearchLimits,
) -> Result<(GraphEdge, OutcomeNames), Complaints> {
    let (names, memory, over) = (OutcomeNames::new(), StateTable::new(state.board.start.layout(), bounds.memory), AtomicBool::new(false));
    let ended = OnceLock::new();
    let wanted = KeptApart { answer: true, ..KeptApart::default() };
    let mut explorer = Explorer {
        machine,
        choice_source: decider,
        names: &names,
        state_table: &memory,
        limits: bounds,
        finished: &over,
        ended: &ended,
        kept_apart: &wanted,
        worker_offset: 0,
    };
    let root = explorer.explore(state)?;
    Ok((root, names))
}
