//! Counts everything a situation can lead to, on several threads.

use crate::odds::block_table::BlockMode;
use crate::odds::bounds::{Cap, NEGLIGIBLE, SearchLimits};
use crate::odds::counter_means::CounterGraph;
use crate::odds::counters::CounterTable;
use crate::odds::explore::{Explorer, SearchContext, StateKeyParts};
use crate::odds::fraction::Fraction;
use crate::odds::graph::{
    GraphEdge, GraphNode, NameId, OutcomeNames, explored_share, is_complete, unexplored_share,
};
use crate::odds::profile::StateProfile;
use crate::odds::state_table::StateTable;
use crate::odds::unroll::{UnrolledGraph, unroll};
use casebook_engine::code::machine::{Consulted, Machine};
use casebook_engine::code::state::State;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::parallel;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::headline::UnnamedOutcomes;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::policy::PolicyKind;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

pub struct CountResult {
    /// The root of the outcome graph.
    pub root: GraphEdge,
    /// The interned names of outcomes and their values.
    pub names: Arc<OutcomeNames>,
    /// What it means that one of them is not named.
    pub unnamed: UnnamedOutcomes,
    /// Whether the whole graph was explored.
    pub complete: bool,
    /// The limit that ended the count, if it is incomplete.
    pub ended: Option<Cap>,
    /// The complaint of the run that was cut short by that limit, if one was.
    pub cut_run: Option<Complaints>,
    /// The time that folding the graph may take.
    pub fold_time: Duration,
    /// What the outcomes whose numbers go on without end are expected to add up to, if that is known.
    pub expected_sums: ExpectedSums,
    /// The graph from which these are known.
    pub counter_graph: Option<CounterGraph>,
    /// The number of states explored.
    pub states: u64,
    /// The rules and figures that were consulted.
    pub consulted: Consulted,
    /// Where the states arise.
    pub profile: StateProfile,
    /// The time that the count took.
    pub time: Duration,
}

/// The expected sums of outcomes of which some values are counted together; `None` of those for which it is not known.
pub type ExpectedSums = FxHashMap<NameId, Option<Fraction>>;

/// The tables of a count. Counts from other positions of the same procedure reuse what is explored.
pub struct CountTables {
    /// The interned names of outcomes and their values.
    pub names: Arc<OutcomeNames>,
    /// When blocks are counted.
    pub blocks: BlockMode,
    states: StateTable,
}

impl CountTables {
    /// Creates empty tables for a situation, with a memory limit in bytes.
    pub fn new(situation: &Situation, memory: u64) -> CountTables {
        let states = StateTable::new(situation.initial_board.layout(), memory);
        CountTables {
            names: Arc::new(OutcomeNames::new()),
            blocks: BlockMode::default(),
            states,
        }
    }

    /// Counts from a state on the current thread; also returns the limit that ended the count, if one did.
    pub fn explore(
        &self,
        machine: &mut Machine,
        state: State,
        source: &ChoiceSource,
        key_parts: &StateKeyParts,
        limits: &SearchLimits,
    ) -> Result<(GraphEdge, Option<Cap>), Complaints> {
        let context = self.context(source, key_parts, limits);
        let root = Explorer::new(machine, &context, 0).explore(state)?;
        Ok((root, context.ended.into_inner().map(|(cap, _)| cap)))
    }

    fn context<'a>(
        &'a self,
        choice_source: &'a ChoiceSource,
        key_parts: &'a StateKeyParts,
        limits: &'a SearchLimits,
    ) -> SearchContext<'a> {
        let (finished, ended) = (AtomicBool::new(false), OnceLock::new());
        let (names, state_table, blocks) = (&self.names, &self.states, self.blocks);
        let (counters, has_counters) = (None, AtomicBool::new(false));
        SearchContext {
            throws: Mutex::default(),
            choice_source,
            names,
            state_table,
            blocks,
            limits,
            key_parts,
            counters,
            has_counters,
            finished,
            ended,
        }
    }
}

/// A count to be run.
pub struct CountJob<'a> {
    pub situation: &'a Situation,
    /// The source of answers to choices.
    pub choice_source: &'a ChoiceSource,
    /// The values that distinguish states in addition to the state itself.
    pub key_parts: &'a StateKeyParts,
    /// The number of threads.
    pub threads: usize,
    pub limits: &'a SearchLimits<'a>,
}

/// The share of a count's time for its first part, which explores depth first; the rest is for exploring forward what it leaves.
const DEPTH_FIRST: (u32, u32) = (2, 3);

/// The least time for folding the graph of a count.
const LEAST_FOLD_TIME: Duration = Duration::from_secs(1);

impl CountJob<'_> {
    /// Runs the count: depth first on all threads, and if a limit ends that, forward with what is left of the time.
    pub fn run(&self) -> Result<CountResult, Error> {
        self.run_on(&CountTables::new(self.situation, self.limits.memory))
    }

    /// Runs the count on tables that other counts of the same procedure share.
    pub fn run_on(&self, tables: &CountTables) -> Result<CountResult, Error> {
        let start = Instant::now();
        // Best play needs everything, so there is no use in a part that comes sooner.
        let needs_all = self.choice_source.policies.any(PolicyKind::is_explored);
        let time = self.limits.deadline.saturating_duration_since(start);
        let time = if needs_all {
            time
        } else {
            time * DEPTH_FIRST.0 / DEPTH_FIRST.1
        };
        let deadline = start
            .checked_add(time)
            .map_or(self.limits.deadline, |end| end.min(self.limits.deadline));
        let limits = SearchLimits {
            deadline,
            ..*self.limits
        };
        let depth_first = tables.context(self.choice_source, self.key_parts, &limits);
        let (consulted, profile) = (
            Mutex::new(Consulted::default()),
            Mutex::new(StateProfile::default()),
        );
        let explore = |context: &SearchContext, worker_offset: usize, forward: bool| {
            let situation = self.situation.deep_clone();
            let mut machine = Machine::new(situation.program.clone());
            let state = match situation.begin(&mut machine) {
                Ok(state) => state,
                Err(Error::Data(complaints)) => return Err(complaints),
                Err(_) => return Ok(GraphEdge::unnamed(Arc::new(GraphNode::Done))),
            };
            let mut explorer = Explorer::new(&mut machine, context, worker_offset);
            let root = if forward {
                explorer.explore_forward(state)
            } else {
                explorer.explore(state)
            };
            if explorer.machine.has_read_outcomes {
                context.counters.iter().for_each(|counters| counters.fail());
            }
            lock_unpoisoned(&profile).merge(std::mem::take(&mut explorer.profile));
            lock_unpoisoned(&consulted).merge(machine.consulted(&situation.initial_board));
            root
        };
        let roots: Vec<Result<GraphEdge, Complaints>> =
            parallel::on_threads(self.threads, |worker| explore(&depth_first, worker, false));
        let mut best: Option<GraphEdge> = None;
        for root in roots {
            let root = root.map_err(Error::Data)?;
            // A worker that finished has explored the whole graph, so its result wins.
            if best.as_ref().is_none_or(|best| !is_complete(best)) {
                best = Some(root);
            }
        }
        let Some(mut root) = best else {
            return Err(Error::Usage(
                "no thread could be started to count on".into(),
            ));
        };
        let has_counters = self.key_parts.gathers_counters && depth_first.has_counters.into_inner();
        let mut ended = depth_first.ended.into_inner();
        let (mut expected_sums, mut states) = (ExpectedSums::default(), None);
        let mut counter_graph = None;
        if has_counters && matches!(ended, Some((Cap::Depth, _))) {
            let states_apart = std::mem::take(&mut *lock_unpoisoned(&profile));
            match self.count_counters(tables, &limits, |context, worker| {
                explore(context, worker, false)
            }) {
                Some((unrolled, count)) => {
                    (root, expected_sums, states) = (unrolled.root, unrolled.expected, Some(count));
                    counter_graph = Some(unrolled.counted);
                    ended = None;
                }
                None => *lock_unpoisoned(&profile) = states_apart,
            }
        }
        let stopped = matches!(ended, Some((Cap::Stopped, _)));
        if !needs_all && !stopped && !is_complete(&root) && unexplored_share(&root) >= NEGLIGIBLE {
            tables
                .states
                .begin_forward_phase(matches!(ended, Some((Cap::Memory(_), Some(_)))));
            let context = tables.context(self.choice_source, self.key_parts, self.limits);
            let forward = explore(&context, 0, true).map_err(Error::Data)?;
            if explored_share(&forward) > explored_share(&root) {
                root = forward;
            }
            // What ended the last part is what keeps the count from going on; a run that was cut short may be of either part.
            let cut_run = ended.as_mut().and_then(|(_, cut_run)| cut_run.take());
            ended = context
                .ended
                .into_inner()
                .map(|(cap, later)| (cap, later.or(cut_run.clone())))
                .or(ended.map(|(cap, _)| (cap, cut_run)));
        }
        let complete = is_complete(&root);
        let states = states.unwrap_or_else(|| tables.states.state_count.load(Ordering::Relaxed));
        let (ended, cut_run) = ended.filter(|_| !complete).unzip();
        let consulted = consulted.into_inner().unwrap_or_default();
        let (time, profile) = (start.elapsed(), profile.into_inner().unwrap_or_default());
        // What is counted whole may be folded as long as there is time; else the sample needs some.
        let left = if complete {
            self.limits
                .deadline
                .saturating_duration_since(Instant::now())
        } else {
            Duration::ZERO
        };
        let fold_time = (time / 4).max(LEAST_FOLD_TIME).max(left);
        let (names, cut_run) = (tables.names.clone(), cut_run.flatten());
        Ok(CountResult {
            root,
            names,
            unnamed: UnnamedOutcomes::new(self.situation),
            complete,
            ended,
            cut_run,
            fold_time,
            expected_sums,
            counter_graph,
            states,
            consulted,
            profile,
            time,
        })
    }

    /// Counts with counters whose numbers are merged, and unrolls them; also returns the number of states. `None` if that is not
    /// possible, or takes too long.
    fn count_counters(
        &self,
        tables: &CountTables,
        limits: &SearchLimits,
        explore: impl Fn(&SearchContext, usize) -> Result<GraphEdge, Complaints> + Sync,
    ) -> Option<(UnrolledGraph, u64)> {
        // States without counters are not shared with other counts either: what follows them may have counters.
        let (states, counters) = (
            StateTable::new(self.situation.initial_board.layout(), self.limits.memory),
            CounterTable::default(),
        );
        let context = SearchContext {
            state_table: &states,
            counters: Some(&counters),
            ..tables.context(self.choice_source, self.key_parts, limits)
        };
        let roots = parallel::on_threads(self.threads, |worker| explore(&context, worker));
        let root = roots.into_iter().filter_map(Result::ok).find(is_complete)?;
        if counters.has_failed() {
            return None;
        }
        let is_late = || limits.is_over();
        let unrolled = unroll(&root, &tables.names, &states, counters, &is_late)?;
        Some((unrolled, states.state_count.load(Ordering::Relaxed)))
    }
}

impl CountResult {
    /// Replaces the graph by one in which nothing is explored.
    pub fn forget_graph(&mut self) {
        self.root = GraphEdge::unexplored(Arc::default(), Arc::default());
        self.complete = false;
    }

    /// Fails with the complaint of the run that ended the count, unless something else is known.
    pub fn check_known(&self, other_result_known: bool) -> Result<(), Error> {
        let Some(mut complaints) = self.cut_run.clone().filter(|_| !other_result_known) else {
            return Ok(());
        };
        for complaint in &mut complaints.0 {
            complaint.remedy = self.ended.and_then(Cap::remedy);
        }
        Err(Error::Data(complaints))
    }
}

/// Counts from a state on the current thread, as examples do.
pub fn count_from_state(
    machine: &mut Machine,
    state: State,
    choice_source: &ChoiceSource,
    limits: &SearchLimits,
) -> Result<(GraphEdge, Arc<OutcomeNames>), Complaints> {
    let states = StateTable::new(state.board.start.layout(), limits.memory);
    let tables = CountTables {
        names: Arc::new(OutcomeNames::new()),
        blocks: BlockMode::default(),
        states,
    };
    let key_parts = StateKeyParts {
        answer: true,
        ..StateKeyParts::default()
    };
    let (root, _) = tables.explore(machine, state, choice_source, &key_parts, limits)?;
    Ok((root, tables.names))
}
