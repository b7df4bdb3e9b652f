//! Explores the graph of everything a state can lead to; equal states are merged and explored once.
//!
//! Two states are merged if everything their future reads is equal. The explorer records what a future reads while it explores it. A
//! state's key is therefore the position of its functions, the live registers, and only those board columns that were read from the same
//! position before. A die that is never read again keeps no two states apart.

use crate::odds::answer::{Answer, WeightedAnswers, unshared_bytes};
use crate::odds::answer_table::AnswerTable;
use crate::odds::block_table::{BlockMode, BlockTable};
use crate::odds::bounds::{Cap, MAX_DEPTH, SearchLimits};
use crate::odds::counters::{COUNTER_STEP, CounterTable};
use crate::odds::graph::{GraphEdge, GraphNode, NamedOutcomes, OutcomeNames, ValueId};
use crate::odds::open_states::{NEVER_BACK, OpenStates, Visit};
use crate::odds::profile::StateProfile;
use crate::odds::search_frame::{BranchEdges, NodeKind, OpenEdge, SearchFrame};
use crate::odds::state_table::{BoardBits, KnownFuture, StateTable};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::machine::live_state::CounterId;
use casebook_engine::code::state::{ChoiceRequest, State, Stop};
use casebook_engine::complaint::{Complaints, DiagnosticCode};
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::notation::Weight;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::choice_source::{ChoiceResult, ChoiceSource};
use casebook_engine::ruling::citations::cite_refusal;
use casebook_engine::situation::cell_key::{AccessRecorder, ColumnBits};
use casebook_engine::situation::policy::{Decision, PolicyKind};
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::value_text;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The parts of a key of a state besides the state itself: values that keep states apart.
#[derive(Clone, Debug, Default)]
pub struct StateKeyParts {
    /// Outcomes that choices read: a policy that measures them must know their values so far.
    pub measured_outcomes: Vec<String>,
    /// Whether choices read all outcomes.
    pub all_outcomes: bool,
    /// Whether the return value of the procedure is wanted.
    pub answer: bool,
    /// Whether the numbers of counters that go on without end may be gathered.
    pub gathers_counters: bool,
}

/// What the explorers of one search share.
pub struct SearchContext<'a> {
    /// The source of answers to choices.
    pub choice_source: &'a ChoiceSource,
    /// The interned names of outcomes and their values.
    pub names: &'a OutcomeNames,
    /// The table of explored states.
    pub state_table: &'a StateTable,
    /// When blocks are counted.
    pub blocks: BlockMode,
    pub limits: &'a SearchLimits<'a>,
    /// The answers to throws that were requested before.
    pub throws: Mutex<AnswerTable>,
    /// The values that distinguish states in addition to the state itself.
    pub key_parts: &'a StateKeyParts,
    /// What becomes of counters whose values are merged; `None` if they are not.
    pub counters: Option<&'a CounterTable>,
    /// Whether states that came too deep have counters.
    pub has_counters: AtomicBool,
    /// Whether all explorers have to stop: one of them has finished, or a limit was reached.
    pub finished: AtomicBool,
    /// The first limit that was reached, if any, and the complaint of the run that reached it.
    pub ended: OnceLock<(Cap, Option<Complaints>)>,
}

/// Explores everything a state can lead to, depth first.
pub struct Explorer<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) context: &'a SearchContext<'a>,
    /// The index of this explorer: each index starts with a different branch.
    worker_offset: usize,
    /// The functions that can't be counted apart from their callers.
    pub(super) uncountable: FxHashSet<u32>,
    /// The blocks that were counted.
    pub(super) blocks: BlockTable,
    /// Where its states arise.
    pub profile: StateProfile,
    /// The share of all probability that this explorer has explored.
    pub(super) explored: f64,
    next_report: Instant,
    /// The future of a state that has ended.
    done: KnownFuture,
    /// The states of the depth-first search that are not finished yet.
    pub(super) open_states: OpenStates,
    /// The counters of the state from which the run under way began, and the step that it made.
    pub(super) counters: Vec<CounterId>,
    pub(super) counter_step: Option<ValueId>,
}

/// The time between two reports of progress.
const REPORT_PAUSE: Duration = Duration::from_millis(100);

/// The result of a run to the next stop.
pub(super) enum StepResult {
    Finished(KnownFuture),
    /// An unfinished state of this search: the visit to which its future comes back, and what is known of that future.
    Unfinished(usize, KnownFuture),
    New(Box<SearchFrame>),
    /// Another explorer is already working on this state.
    InProgress(Box<SearchFrame>),
}

/// A run to the next stop.
pub(super) struct StepRun {
    pub outcomes: NamedOutcomes,
    pub recorder: Option<Box<AccessRecorder>>,
    pub result: StepResult,
}

impl<'a> Explorer<'a> {
    /// Creates an explorer. `worker_offset` is the index of its thread.
    pub fn new(
        machine: &'a mut Machine,
        context: &'a SearchContext<'a>,
        worker_offset: usize,
    ) -> Explorer<'a> {
        Explorer {
            machine,
            context,
            worker_offset,
            uncountable: FxHashSet::default(),
            blocks: BlockTable::default(),
            profile: StateProfile::default(),
            explored: 0.0,
            next_report: Instant::now(),
            done: (Arc::default(), Arc::new(GraphNode::Done)),
            open_states: OpenStates::default(),
            counters: Vec::new(),
            counter_step: None,
        }
    }
}

impl Explorer<'_> {
    /// Explores everything. States not explored when a limit is reached become [`GraphNode::Unexplored`].
    pub fn explore(&mut self, state: State) -> Result<GraphEdge, Complaints> {
        self.within_limits(|explorer| explorer.search(state))
    }

    /// Explores with a machine that ends at the deadline of the search: between two stops only the machine checks the clock.
    pub(super) fn within_limits(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<GraphEdge, Complaints>,
    ) -> Result<GraphEdge, Complaints> {
        self.machine.run_mode.stop_on_return = true;
        self.machine.end = Some(self.context.limits.deadline);
        self.machine.renew_deadline();
        let root = work(self);
        lock_unpoisoned(&self.context.throws).drop_unused(self.context.state_table);
        self.machine.end = None;
        self.machine.run_mode.stop_on_return = false;
        root
    }

    pub(super) fn new_recorder(&self) -> AccessRecorder {
        AccessRecorder::new(self.context.state_table.layout().clone())
    }

    fn search(&mut self, state: State) -> Result<GraphEdge, Complaints> {
        let table = self.context.state_table;
        let start = Arc::new(state.clone());
        let mut state = Box::new(state);
        state.board.recorder = Some(Box::new(self.new_recorder()));
        let Some(run) = self.run_or_end(state, 1.0)? else {
            return Ok(GraphEdge::unexplored(start, Arc::default()));
        };
        let outcomes = run.outcomes;
        let mut stack = match run.result {
            StepResult::Finished((_, target)) | StepResult::Unfinished(_, (_, target)) => {
                return Ok(GraphEdge { outcomes, target });
            }
            StepResult::New(frame) | StepResult::InProgress(frame) => vec![self.entered(frame)],
        };
        while let Some(top) = stack.last_mut() {
            if top.is_taken() && top.deferred.is_empty() {
                let Some(top) = stack.pop() else { break };
                let (future, lowest) = self.finish_frame(*top)?;
                let Some(below) = stack.last_mut() else {
                    self.context.finished.store(true, Ordering::Relaxed);
                    return Ok(GraphEdge {
                        outcomes,
                        target: future.1,
                    });
                };
                if let Some(edge) = below.current.take() {
                    below.finish_edge(edge, future, lowest, table);
                }
                continue;
            }
            if self.context.finished.load(Ordering::Relaxed)
                || self.context.counters.is_some_and(CounterTable::has_failed)
            {
                break;
            }
            if let Some(cap) = self.cap(stack.len()) {
                if cap == Cap::Depth {
                    self.note_counters(&stack);
                }
                self.end(cap, None);
                break;
            }
            let Some(top) = stack.last_mut() else { break };
            let Some(index) = top.take_branch(self.worker_offset) else {
                if let Some((edge, frame)) = top.deferred.pop() {
                    match self.find(frame.key, &frame.board_bits, frame.fingerprint) {
                        Some((lowest, future)) => {
                            table.free(frame.bytes);
                            self.explored += frame.chance;
                            top.finish_edge(edge, future, lowest, table);
                        }
                        None => {
                            top.current = Some(edge);
                            stack.push(self.entered(frame));
                        }
                    }
                }
                continue;
            };
            let share = top.chance * top.answers[index].0.share_of(&top.total);
            let mut state = self.answered(top, index);
            state.board.recorder = Some(Box::new(self.new_recorder()));
            self.counters.clone_from(&top.counters);
            let Some(run) = self.run_or_end(state, share)? else {
                break;
            };
            let edge = OpenEdge {
                index,
                outcomes: run.outcomes,
                recorder: run.recorder,
            };
            match run.result {
                StepResult::InProgress(frame) if !top.is_taken() => {
                    top.deferred.push((edge, frame))
                }
                StepResult::Finished(future) => {
                    self.explored += share;
                    top.finish_edge(edge, future, NEVER_BACK, table);
                }
                StepResult::Unfinished(lowest, future) => {
                    top.finish_edge(edge, future, lowest, table)
                }
                StepResult::New(frame) | StepResult::InProgress(frame) => {
                    top.current = Some(edge);
                    stack.push(self.entered(frame));
                }
            }
        }
        Ok(GraphEdge {
            outcomes,
            target: self.partial_graph(stack),
        })
    }

    /// Puts a state on the stack.
    fn entered(&mut self, mut frame: Box<SearchFrame>) -> Box<SearchFrame> {
        frame.visit = self.open_states.enter(frame.fingerprint);
        frame.lowest = frame.visit.number;
        frame
    }

    /// Finds a state in the table, or among the unfinished states of this search; also returns the visit to which its future comes back.
    fn find(
        &mut self,
        key: u128,
        board_bits: &BoardBits,
        fingerprint: u128,
    ) -> Option<(usize, KnownFuture)> {
        let table = self.context.state_table;
        let finished = table
            .lookup(key, board_bits)
            .map(|future| (NEVER_BACK, future));
        finished.or_else(|| self.open_states.find(fingerprint, table))
    }

    /// Returns a copy of a state with the answer of one of its branches.
    pub(super) fn answered(&mut self, frame: &SearchFrame, index: usize) -> Box<State> {
        let mut state = frame.state.clone();
        self.give_answer(&mut state, &frame.answers[index].1);
        state
    }

    /// Ends the search of all explorers.
    pub(super) fn end(&self, cap: Cap, complaints: Option<Complaints>) {
        self.context.ended.get_or_init(|| (cap, complaints));
        self.context.finished.store(true, Ordering::Relaxed);
    }

    /// Runs a state to its next stop. A run that outlasts the time or the memory of the search ends it and returns `None`.
    pub(super) fn run_or_end(
        &mut self,
        state: Box<State>,
        share: f64,
    ) -> Result<Option<StepRun>, Complaints> {
        self.machine.overrun = None;
        let complaints = match self.run_to_next_stop(state, share) {
            Ok(run) => return Ok(Some(run)),
            Err(complaints) => complaints,
        };
        let Some(overrun) = self.machine.overrun else {
            return Err(complaints);
        };
        self.end(
            if self.context.limits.stop.load(Ordering::Relaxed) {
                Cap::Stopped
            } else {
                overrun.into()
            },
            Some(complaints),
        );
        Ok(None)
    }

    /// Returns the limit that is reached now, if any, and reports progress now and then. Renews the time of the next run.
    pub(super) fn cap(&mut self, depth: usize) -> Option<Cap> {
        let SearchContext {
            limits,
            state_table,
            ..
        } = self.context;
        let now = self.machine.renew_deadline();
        if now >= self.next_report {
            self.next_report = now + REPORT_PAUSE;
            (limits.progress)(
                self.explored,
                state_table.state_count.load(Ordering::Relaxed),
            );
        }
        if limits.stop.load(Ordering::Relaxed) {
            Some(Cap::Stopped)
        } else if state_table.full() && !state_table.sweep() {
            Some(Cap::Memory(limits.memory))
        } else if depth > MAX_DEPTH {
            Some(Cap::Depth)
        } else {
            (now > limits.deadline).then_some(Cap::Time)
        }
    }

    /// Runs a state to its next stop. A choice is answered from the source; one that it leaves open is returned with its policy.
    pub(super) fn run_machine(
        &mut self,
        state: &mut State,
    ) -> Result<(Stop, Option<PolicyKind>), Complaints> {
        loop {
            let stop = self.machine.run(state);
            let Stop::Choice(request) = &stop else {
                return Ok((stop, None));
            };
            match self
                .context
                .choice_source
                .decide(self.machine, state, request)?
            {
                ChoiceResult::Taken(picked, by) => {
                    self.machine.answer_choice(state, request, picked, by)
                }
                ChoiceResult::Undecided(kind) => return Ok((stop, Some(kind))),
            }
        }
    }

    /// Runs a state to its next stop, and finds it in the table or opens a frame for it.
    fn run_to_next_stop(
        &mut self,
        mut state: Box<State>,
        share: f64,
    ) -> Result<StepRun, Complaints> {
        let (stop, policy) = self.run_machine(&mut state)?;
        let mut outcomes = self.take_outcomes(&mut state);
        let recorder = state.board.recorder.take();
        if matches!(stop, Stop::Done(_) | Stop::Refused(_)) {
            self.context.state_table.set_baseline(&mut state.board);
        }
        let end = |node: GraphNode| StepResult::Finished((self.done.0.clone(), Arc::new(node)));
        let result = match stop {
            Stop::Done(_) if !self.context.key_parts.answer => {
                StepResult::Finished(self.done.clone())
            }
            Stop::Done(value) => end(GraphNode::DoneWith(
                self.context
                    .names
                    .intern_value(&value_text(&value, &state.board)),
            )),
            Stop::Refused(refusal) => {
                let by = cite_refusal(&self.machine.program.ruleset, &refusal);
                end(GraphNode::Refused(self.context.names.intern_value(&by)))
            }
            Stop::Failed(complaints) => return Err(complaints),
            Stop::Count(_) => {
                let (message, help) = (
                    "a chance within a chance can't be counted",
                    "count the inner one first, and hand its value on",
                );
                return Err(self.machine.complaint_at_stop(
                    &state,
                    DiagnosticCode::Procedure,
                    message,
                    help,
                ));
            }
            Stop::Returned => self.merge_or_open(
                state,
                share,
                NodeKind::Returned,
                (None, Some(&[])),
                |_, _| {
                    Ok((
                        [(Weight::ONE, Answer::Nothing)].into(),
                        ColumnBits::default(),
                    ))
                },
            )?,
            Stop::Throw(request) => {
                let fingerprint = (
                    Some(request.fingerprint()),
                    (!request.is_draw()).then_some(&[] as &[Value]),
                );
                self.merge_or_open(
                    state,
                    share,
                    NodeKind::Throw,
                    fingerprint,
                    |explorer, state| {
                        let thrown = explorer.throw_answers(state, &request, None)?;
                        Ok((thrown.answers, thrown.reads))
                    },
                )?
            }
            Stop::Choice(request) => {
                let request_fingerprint = Some(request.fingerprint());
                let answers = request
                    .options
                    .iter()
                    .map(|option| (Weight::ONE, Answer::Stop(option.clone())))
                    .collect();
                let (kind, reads) = match policy {
                    Some(PolicyKind::Random) => (NodeKind::Throw, ColumnBits::default()),
                    policy => {
                        let kind = policy.unwrap_or(PolicyKind::First);
                        let decision = decision_at(&state, &request, kind);
                        let (before, reads) = self.measured_so_far(&mut state);
                        (NodeKind::Choice(Arc::new(decision), before), reads)
                    }
                };
                self.merge_or_open(
                    state,
                    share,
                    kind,
                    (request_fingerprint, Some(request.options.as_slice())),
                    |_, _| Ok((answers, reads)),
                )?
            }
        };
        outcomes.extend(self.counter_step.take().map(|step| (COUNTER_STEP, step)));
        Ok(StepRun {
            outcomes: outcomes.into(),
            recorder,
            result,
        })
    }

    /// Looks up a stop in the table, or opens a frame for it. `request_fingerprint` is the fingerprint of its request, if it has one; `asked` are
    /// the values it may be answered with, if these are known before. `answers` returns how the state may go on, and the columns read to know that.
    fn merge_or_open(
        &mut self,
        mut state: Box<State>,
        chance: f64,
        kind: NodeKind,
        (request_fingerprint, asked): (Option<u64>, Option<&[Value]>),
        answers: impl FnOnce(&mut Self, &mut State) -> Result<(WeightedAnswers, ColumnBits), Complaints>,
    ) -> Result<StepResult, Complaints> {
        let table = self.context.state_table;
        self.machine
            .clear_dead_registers(&mut state, request_fingerprint.is_none());
        if let Some(asked) = asked {
            self.machine.drop_unreachable(&mut state, asked);
        }
        let counters = self.set_counters_aside(&mut state, request_fingerprint.is_none());
        let key = state.fingerprint(request_fingerprint);
        let board_bits = table.board_bits(&mut state.board);
        let fingerprint = table.full_fingerprint(key, &board_bits);
        match self.find(key, &board_bits, fingerprint) {
            Some((NEVER_BACK, future)) => return Ok(StepResult::Finished(future)),
            Some((lowest, future)) => return Ok(StepResult::Unfinished(lowest, future)),
            None => {}
        }
        let in_progress = table.begin_state(key, fingerprint);
        // A state that two workers explore at the same time counts once.
        if request_fingerprint.is_some() && !in_progress {
            table.state_count.fetch_add(1, Ordering::Relaxed);
            self.profile.add(&mut state);
        }
        let (answers, reads) = answers(self, &mut state)?;
        let bytes = size_of::<SearchFrame>() as u64
            + unshared_bytes(&answers)
            + state.bytes()
            + board_bits.bytes();
        table.take(bytes);
        let total = answers.iter().map(|(weight, _)| weight).sum();
        let frame = Box::new(SearchFrame {
            state,
            key,
            fingerprint,
            board_bits,
            answers,
            edges: BranchEdges::default(),
            total,
            taken: 0,
            visit: Visit::default(),
            lowest: NEVER_BACK,
            current: None,
            deferred: Vec::new(),
            kind,
            counters,
            reads,
            chance,
            bytes,
        });
        Ok(if in_progress {
            StepResult::InProgress(frame)
        } else {
            StepResult::New(frame)
        })
    }
}

/// Describes the choice that a state waits for.
fn decision_at(state: &State, request: &ChoiceRequest, kind: PolicyKind) -> Decision {
    let options = request.options.iter();
    Decision {
        side: request.side.to_string(),
        question: request.question.to_string(),
        options: options.map(|one| value_text(one, &state.board)).collect(),
        kind,
    }
}
