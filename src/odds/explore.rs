//! Explores the graph of everything a state can lead to; equal states are merged and explored once.
//!
//! Two states are merged if everything their future reads is equal. The explorer records what a future reads while it explores it. A
//! state's key is therefore the position of its functions, the live registers, and only those board columns that were read from the same
//! position before. A die that is never read again keeps no two states apart.

use crate::code::machine::Machine;
use crate::code::state::{State, Stop};
use crate::complaint::{Complaints, DiagnosticCode};
use crate::odds::answer::{Answer, WeightedAnswers};
use crate::odds::bounds::{Cap, MAX_DEPTH, SearchLimits};
use crate::odds::graph::{GraphEdge, GraphNode, NameId, OutcomeNames, ValueId};
use crate::odds::state_table::{BoardBits, KnownFuture, StateTable};
use crate::platform::clock::Instant;
use crate::ruling::choice_source::{ChoiceResult, ChoiceSource};
use crate::ruling::resolve::cite_case;
use crate::situation::cell_key::{AccessRecorder, CellKey, ColumnBits, EntityKind};
use crate::situation::policy::{Decision, PolicyKind};
use crate::situation::value::Value;
use crate::situation::value_text::{outcome_text, value_text};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The values that distinguish states beside the state itself.
#[derive(Clone, Debug, Default)]
pub struct KeptApart {
    /// Outcomes that choices read: a policy that measures them must know their values so far.
    pub measured_outcomes: Vec<String>,
    /// Whether choices read all outcomes.
    pub all_outcomes: bool,
    /// Whether the return value of the procedure is wanted.
    pub answer: bool,
}

/// Explores everything a state can lead to, depth first.
pub struct Explorer<'a> {
    /// The virtual machine that executes the procedure.
    pub machine: &'a mut Machine,
    /// The source of answers to choices.
    pub choice_source: &'a ChoiceSource,
    /// The interned names of outcomes and their values.
    pub names: &'a OutcomeNames,
    /// The table of explored states, shared between threads.
    pub state_table: &'a StateTable,
    /// The limits of the search.
    pub limits: &'a SearchLimits<'a>,
    /// The flag that stops all explorers: one of them has finished, or a limit was reached.
    pub finished: &'a AtomicBool,
    /// The first limit that was reached, if any, and the complaint of the run that reached it.
    pub ended: &'a OnceLock<(Cap, Option<Complaints>)>,
    /// The values that distinguish states beside the state itself.
    pub kept_apart: &'a KeptApart,
    /// The index of this explorer: each index starts with a different branch.
    pub worker_offset: usize,
    /// The functions that can't be counted apart from their callers.
    pub uncountable: FxHashSet<u32>,
    /// The share of all probability that this explorer has explored.
    pub explored: f64,
    /// When progress is reported next.
    pub next_report: Instant,
    /// The answers to throws that were requested before, by fingerprint.
    pub distributions: FxHashMap<u64, WeightedAnswers>,
    /// The future of a state that has ended.
    pub done: KnownFuture,
}

/// The time between two reports of progress.
const REPORT_PAUSE: Duration = Duration::from_millis(100);

/// A branch of a state: its weight, its answer, and its target once that is known.
pub(super) struct Edge {
    pub(super) weight: u128,
    answer: Answer,
    pub(super) edge: Option<GraphEdge>,
}

/// The outcomes named along a branch, in order.
pub(super) type NamedOutcomes = Box<[(NameId, ValueId)]>;

/// A branch index, the outcomes named along it, its recorded accesses, and the frame it leads to.
type DeferredEdge = (usize, NamedOutcomes, Option<Box<AccessRecorder>>, Box<SearchFrame>);

/// The reason why a state has branches.
pub(super) enum NodeKind {
    /// The state throws dice.
    Throw,
    /// A side chooses, with the outcomes named before.
    Choice(Arc<Decision>, Vec<(NameId, ValueId)>),
    /// A function returns after randomness: equal results merge here, so the continuation is explored once.
    Returned,
}

/// A state whose branches are being explored.
pub(super) struct SearchFrame {
    pub(super) state: Box<State>,
    pub(super) key: u128,
    board_bits: BoardBits,
    pub(super) edges: Vec<Edge>,
    /// The sum of the branch weights.
    pub(super) weight: f64,
    /// The branches still to be explored, and the current one.
    pending: Vec<usize>,
    current: usize,
    /// Branches whose target another explorer is working on: it may be in the table when all other branches are done.
    deferred: Vec<DeferredEdge>,
    pub(super) kind: NodeKind,
    /// The columns that the future is known to read so far.
    reads: ColumnBits,
    /// The outcomes named along the current branch, and its recorded accesses.
    outcomes: NamedOutcomes,
    recorder: Option<Box<AccessRecorder>>,
    /// The probability of reaching this state.
    chance: f64,
    /// The estimated size in bytes.
    pub(super) bytes: u64,
}

impl SearchFrame {
    /// Closes the current branch with a known future as its target.
    fn finish_edge(&mut self, (looked, to): KnownFuture) {
        if let Some(watch) = self.recorder.take() {
            self.reads.union_with(&watch.reads);
            self.reads.union_except(&looked, &watch.writes);
        }
        self.edges[self.current].edge = Some(GraphEdge { outcomes: std::mem::take(&mut self.outcomes), target: to });
    }

    fn make_node(at: NodeKind, mut ways: Vec<(u128, GraphEdge)>) -> Arc<GraphNode> {
        match at {
            NodeKind::Choice(decision, before) => {
                Arc::new(GraphNode::Choice(decision, before, ways.into_iter().map(|(_, branch)| branch).collect()))
            }
            NodeKind::Returned if ways.first().is_some_and(|(_, branch)| branch.outcomes.is_empty()) => ways.swap_remove(0).1.target,
            NodeKind::Throw | NodeKind::Returned => GraphNode::thrown(ways),
        }
    }
}

/// The result of a run to the next stop.
pub(super) enum StepResult {
    Known(KnownFuture),
    New(Box<SearchFrame>),
    /// Another explorer is already working on this state.
    InProgress(Box<SearchFrame>),
}

/// A run to the next stop: the outcomes named, the recorded accesses, and the result.
pub(super) type StepRun = (NamedOutcomes, Option<Box<AccessRecorder>>, StepResult);

impl Explorer<'_> {
    /// Explores everything. States not explored when a limit is reached become [`GraphNode::Unexplored`].
    pub fn explore(&mut self, state: State) -> Result<GraphEdge, Complaints> {
        self.within_limits(|explorer| explorer.search(state))
    }

    /// Explores with a machine that ends at the deadline of the search: nobody checks the clock between two stops but the machine.
    pub(super) fn within_limits(&mut self, work: impl FnOnce(&mut Self) -> Result<GraphEdge, Complaints>) -> Result<GraphEdge, Complaints> {
        self.machine.run_mode.stop_on_return = true;
        self.machine.end = Some(self.limits.deadline);
        self.machine.renew_deadline();
        let branch = work(self);
        self.machine.end = None;
        self.machine.run_mode.stop_on_return = false;
        branch
    }

    fn search(&mut self, state: State) -> Result<GraphEdge, Complaints> {
        let start = Arc::new(state.clone());
        let mut state = Box::new(state);
        state.board.recorder = Some(Box::new(AccessRecorder::new(self.state_table.layout().clone())));
        let Some((named, _, came)) = self.run_or_end(state, 1.0)? else {
            return Ok(GraphEdge { outcomes: NamedOutcomes::default(), target: Arc::new(GraphNode::Unexplored(start, None)) });
        };
        let mut open = match came {
            StepResult::Known((_, to)) => return Ok(GraphEdge { outcomes: named, target: to }),
            StepResult::New(open) | StepResult::InProgress(open) => vec![open],
        };
        while let Some(top) = open.last_mut() {
            if top.pending.is_empty() && top.deferred.is_empty() {
                let Some(top) = open.pop() else { break };
                let known = self.finish_frame(*top);
                match open.last_mut() {
                    Some(below) => below.finish_edge(known),
                    None => {
                        self.finished.store(true, Ordering::Relaxed);
                        return Ok(GraphEdge { outcomes: named, target: known.1 });
                    }
                }
                continue;
            }
            if self.finished.load(Ordering::Relaxed) {
                break;
            }
            if let Some(cap) = self.cap(open.len()) {
                self.end(cap, None);
                break;
            }
            let Some(top) = open.last_mut() else { break };
            let Some(way) = top.pending.pop() else {
                if let Some((way, named, watch, next)) = top.deferred.pop() {
                    (top.current, top.outcomes, top.recorder) = (way, named, watch);
                    match self.state_table.lookup(next.key, &next.board_bits) {
                        Some(known) => {
                            self.state_table.free(next.bytes);
                            self.explored += next.chance;
                            top.finish_edge(known);
                        }
                        None => open.push(next),
                    }
                }
                continue;
            };
            let share = top.chance * top.edges[way].weight as f64 / top.weight;
            let mut state = self.answered(top, way);
            state.board.recorder = Some(Box::new(AccessRecorder::new(self.state_table.layout().clone())));
            let Some((named, watch, came)) = self.run_or_end(state, share)? else { break };
            match came {
                StepResult::InProgress(next) if !top.pending.is_empty() => top.deferred.push((way, named, watch, next)),
                StepResult::Known(known) => {
                    (top.current, top.outcomes, top.recorder) = (way, named, watch);
                    self.explored += share;
                    top.finish_edge(known);
                }
                StepResult::New(next) | StepResult::InProgress(next) => {
                    (top.current, top.outcomes, top.recorder) = (way, named, watch);
                    open.push(next);
                }
            }
        }
        Ok(GraphEdge { outcomes: named, target: self.partial_graph(open) })
    }

    /// Returns a copy of a state with the answer of one of its branches.
    pub(super) fn answered(&mut self, frame: &SearchFrame, way: usize) -> Box<State> {
        let mut state = frame.state.clone();
        self.go_on(&mut state, &frame.edges[way].answer);
        state
    }

    /// Ends the search of all explorers.
    pub(super) fn end(&self, cap: Cap, complaints: Option<Complaints>) {
        self.ended.get_or_init(|| (cap, complaints));
        self.finished.store(true, Ordering::Relaxed);
    }

    /// Runs a state to its next stop. A run that outlasts the time or the memory of the search ends it and returns `None`.
    pub(super) fn run_or_end(&mut self, state: Box<State>, share: f64) -> Result<Option<StepRun>, Complaints> {
        self.machine.overrun = None;
        let complaints = match self.run_to_next_stop(state, share) {
            Ok(run) => return Ok(Some(run)),
            Err(complaints) => complaints,
        };
        let Some(overrun) = self.machine.overrun else { return Err(complaints) };
        self.end(if self.limits.stop.load(Ordering::Relaxed) { Cap::Stopped } else { overrun.into() }, Some(complaints));
        Ok(None)
    }

    /// Returns the limit that is reached now, if any, and reports progress now and then. The next run has its own time from now on.
    pub(super) fn cap(&mut self, depth: usize) -> Option<Cap> {
        let now = self.machine.renew_deadline();
        if now >= self.next_report {
            self.next_report = now + REPORT_PAUSE;
            (self.limits.progress)(self.explored, self.state_table.state_count.load(Ordering::Relaxed));
        }
        match () {
            () if self.limits.stop.load(Ordering::Relaxed) => Some(Cap::Stopped),
            () if self.state_table.full() && !self.state_table.sweep() => Some(Cap::Memory(self.limits.memory)),
            () if depth > MAX_DEPTH => Some(Cap::Depth),
            () if now > self.limits.deadline => Some(Cap::Time),
            () => None,
        }
    }

    /// Runs a state to its next stop.
    fn run_to_next_stop(&mut self, mut state: Box<State>, share: f64) -> Result<StepRun, Complaints> {
        let (stop, choice) = loop {
            let stop = self.machine.run(&mut state);
            let Stop::Choice(choosing) = &stop else { break (stop, None) };
            match self.choice_source.decide(self.machine, &mut state, choosing)? {
                ChoiceResult::Taken(picked, by) => self.machine.answer_choice(&mut state, choosing, picked, by),
                ChoiceResult::Undecided(kind) => break (stop, Some(kind)),
            }
        };
        let named = self.take_outcomes(&mut state);
        let watch = state.board.recorder.take();
        if matches!(stop, Stop::Done(_) | Stop::Refused(_)) {
            self.state_table.set_baseline(&mut state.board);
        }
        let end = |node: GraphNode| StepResult::Known((self.done.0.clone(), Arc::new(node)));
        let result = match stop {
            Stop::Done(_) if !self.kept_apart.answer => StepResult::Known(self.done.clone()),
            Stop::Done(value) => end(GraphNode::DoneWith(self.names.intern_value(&value_text(&value, &state.board)))),
            Stop::Refused(refusal) => {
                let by = refusal.cases.first().map(|case| cite_case(&self.machine.program.ruleset, *case)).unwrap_or_default();
                end(GraphNode::Refused(self.names.intern_value(&by)))
            }
            Stop::Failed(complaints) => return Err(complaints),
            Stop::Count(_) => {
                let what = "a chance within a chance can't be counted";
                return Err(self.machine.complaint_at_stop(
                    &state,
                    DiagnosticCode::Procedure,
                    what,
                    "count the inner one first, and hand its value on",
                ));
            }
            Stop::Returned => {
                self.merge_or_open(state, share, NodeKind::Returned, None, |_, _| Ok((vec![(1, Answer::Nothing)], ColumnBits::default())))?
            }
            Stop::Throw(throwing) => {
                let asked = Some(throwing.fingerprint());
                self.merge_or_open(state, share, NodeKind::Throw, asked, |explorer, state| explorer.throw_answers(state, &throwing))?
            }
            Stop::Choice(choosing) => {
                let asked = Some(choosing.fingerprint());
                let options = choosing.options.iter().map(|option| value_text(option, &state.board)).collect();
                let (side, what) = (choosing.side.to_string(), choosing.question.to_string());
                let decision = Decision { side, question: what, options, kind: choice.unwrap_or(PolicyKind::First) };
                let ways = choosing.options.iter().map(|option| (1, Answer::Stop(option.clone()))).collect();
                let (at, looked) = if decision.kind == PolicyKind::Random {
                    (NodeKind::Throw, ColumnBits::default())
                } else {
                    let (before, looked) = self.measured_so_far(&mut state);
                    (NodeKind::Choice(Arc::new(decision), before), looked)
                };
                self.merge_or_open(state, share, at, asked, |_, _| Ok((ways, looked)))?
            }
        };
        Ok((named, watch, result))
    }

    /// Looks up a stop in the table, or opens a frame for it. `answers` returns how the state may go on, and the columns read to know that.
    fn merge_or_open(
        &mut self,
        mut state: Box<State>,
        share: f64,
        at: NodeKind,
        asked: Option<u64>,
        answers: impl FnOnce(&mut Self, &mut State) -> Result<(WeightedAnswers, ColumnBits), Complaints>,
    ) -> Result<StepResult, Complaints> {
        let passed = asked.is_none();
        self.machine.clear_dead_registers(&mut state, passed);
        let key = state.fingerprint(asked);
        let prints = self.state_table.board_bits(&mut state.board);
        if let Some(known) = self.state_table.lookup(key, &prints) {
            return Ok(StepResult::Known(known));
        }
        let (ways, looked) = answers(self, &mut state)?;
        let ways: Vec<Edge> = ways.into_iter().map(|(weight, answer)| Edge { weight, answer, edge: None }).collect();
        let bytes = (size_of::<SearchFrame>() + ways.len() * (size_of::<Edge>() + 16)) as u64 + state.bytes() + prints.bytes();
        self.state_table.take(bytes);
        self.state_table.state_count.fetch_add(u64::from(!passed), Ordering::Relaxed);
        let named = NamedOutcomes::default();
        let weight = ways.iter().map(|way| way.weight as f64).sum();
        // `pop` takes from the end, so the order is reversed.
        let mut left: Vec<usize> = (0..ways.len()).rev().collect();
        left.rotate_right(self.worker_offset % ways.len().max(1));
        let busy = self.state_table.begin_state(key, &prints);
        let (way, put_off) = (0, Vec::new());
        let open = Box::new(SearchFrame {
            state,
            key,
            board_bits: prints,
            edges: ways,
            weight,
            pending: left,
            current: way,
            deferred: put_off,
            kind: at,
            reads: looked,
            outcomes: named,
            recorder: None,
            chance: share,
            bytes,
        });
        Ok(if busy { StepResult::InProgress(open) } else { StepResult::New(open) })
    }

    /// Takes the outcomes named since the last stop; the state keeps those that choices read.
    fn take_outcomes(&self, state: &mut State) -> NamedOutcomes {
        if state.open_marks > 0 {
            return NamedOutcomes::default();
        }
        let mut named = Vec::with_capacity(state.outcomes.len());
        for (name, value) in std::mem::take(&mut state.outcomes) {
            let text = outcome_text(&value, &state.board);
            let (number, value) = self.names.intern_outcome(&name, &text);
            named.push((number, value));
            if self.kept_apart.all_outcomes || self.kept_apart.measured_outcomes.iter().any(|measured| *measured == *name) {
                state.board.set(CellKey::new(EntityKind::Outcome, 0, number as usize), text.into());
            }
        }
        named.into()
    }

    /// Returns the current values of the outcomes that a choice reads, and the columns read to find them.
    fn measured_so_far(&self, state: &mut State) -> (Vec<(NameId, ValueId)>, ColumnBits) {
        let mut watch = AccessRecorder::new(self.state_table.layout().clone());
        let names: Vec<NameId> = match self.kept_apart.all_outcomes {
            true => (0..128).collect(),
            false => self.kept_apart.measured_outcomes.iter().map(|name| self.names.intern_name(name)).collect(),
        };
        let mut before = Vec::new();
        for name in names {
            let figure = CellKey::new(EntityKind::Outcome, 0, name as usize);
            watch.record_read(figure);
            if let Some(Value::Text(text)) = state.board.peek(figure) {
                before.push((name, self.names.intern_value(text)));
            }
        }
        (before, watch.reads)
    }

    /// Stores the future of a fully explored state in the table.
    fn finish_frame(&mut self, top: SearchFrame) -> KnownFuture {
        let ways = top.edges.into_iter().filter_map(|way| Some((way.weight, way.edge?))).collect();
        let node = SearchFrame::make_node(top.kind, ways);
        let looked = self.state_table.insert(top.key, &top.board_bits, top.reads.trim_zeros(), node.clone());
        self.state_table.free(top.bytes);
        (looked, node)
    }

    /// Builds the graph of what was explored when a limit is reached; the rest is [`GraphNode::Unexplored`].
    #[allow(clippy::vec_box)] // A frame is large, so moving its box is cheaper.
    fn partial_graph(&mut self, open: Vec<Box<SearchFrame>>) -> Arc<GraphNode> {
        let above = open.into_iter().rev().fold(None, |above, top| Some(self.partial_node(*top, above)));
        above.unwrap_or_else(|| Arc::new(GraphNode::Done))
    }

    /// Builds the node of a partly explored state, with `above` as the target of its current branch.
    pub(super) fn partial_node(&mut self, mut top: SearchFrame, above: Option<Arc<GraphNode>>) -> Arc<GraphNode> {
        if let Some(to) = above {
            top.edges[top.current].edge = Some(GraphEdge { outcomes: std::mem::take(&mut top.outcomes), target: to });
        }
        for (way, named, _, next) in std::mem::take(&mut top.deferred) {
            top.edges[way].edge = Some(GraphEdge { outcomes: named, target: self.partial_node(*next, None) });
        }
        self.state_table.free(top.bytes);
        let state = Arc::<State>::from(top.state);
        let mut ways = Vec::with_capacity(top.edges.len());
        for Edge { weight, answer, edge } in top.edges {
            let unseen =
                |state, answer| GraphEdge { outcomes: NamedOutcomes::default(), target: Arc::new(GraphNode::Unexplored(state, answer)) };
            let edge = edge.unwrap_or_else(|| match answer {
                Answer::Nothing => unseen(state.clone(), None),
                Answer::Stop(value) => unseen(state.clone(), Some(value)),
                Answer::Return(..) => {
                    let mut state = State::clone(&state);
                    self.go_on(&mut state, &answer);
                    unseen(Arc::new(state), None)
                }
            });
            ways.push((weight, edge));
        }
        SearchFrame::make_node(top.kind, ways)
    }
}
