//! Runs a procedure repeatedly with seeded dice.
//!
//! Many runs reach the same states. The sampler caches for each state its request and, for each answer given so far, the transition. A
//! run reuses cached transitions and executes the machine only on a miss; its result is the same as without the cache.

use crate::odds::bounds::DEFAULT_MEMORY;
use crate::odds::outcome_key::{outcome_key, plain};
use casebook_engine::code::machine::{MAX_STOPS, Machine};
use casebook_engine::code::state::State;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::platform::task;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::citations::cite_refusal;
use casebook_engine::ruling::driver::{DiceRequest, EndReason, drive, run_to_dice};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::dice::SeededDice;
use casebook_engine::situation::fingerprint::mix;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The outcomes of one run with the keys of their last values, in the order they were first named.
pub type RunOutcomes = Vec<(String, String)>;

/// Sets an outcome, overwriting its earlier value.
pub fn set_outcome(outcomes: &mut RunOutcomes, name: &str, value: &str) {
    match outcomes.iter_mut().find(|(known, _)| known == name) {
        Some((_, last)) => *last = value.into(),
        None => outcomes.push((name.into(), value.into())),
    }
}

/// Returns outcomes by which runs of different rulesets are compared: without the quotes of their keys.
pub fn plain_outcomes(outcomes: RunOutcomes) -> RunOutcomes {
    outcomes
        .into_iter()
        .map(|(name, key)| (name, plain(&key).to_string()))
        .collect()
}

/// Returns the outcomes of a refused run, which has none of those named before.
pub fn refused_outcomes(refusal: &str) -> RunOutcomes {
    vec![("refused".into(), refusal.into())]
}

/// Runs a situation once with the dice of a seed, without a cache.
pub fn run_seed(
    machine: &mut Machine,
    situation: &Situation,
    choice_source: &ChoiceSource,
    seed: u64,
) -> Result<RunOutcomes, Error> {
    let mut state = situation.begin(machine)?;
    match drive(
        machine,
        &mut state,
        &mut SeededDice::new(seed),
        choice_source,
    )
    .map_err(Error::Data)?
    {
        EndReason::Done(_) => {
            let mut outcomes = RunOutcomes::new();
            state.outcomes.iter().for_each(|(name, value)| {
                set_outcome(&mut outcomes, name, &outcome_key(value, &state.board))
            });
            Ok(outcomes)
        }
        EndReason::Refused(refusal) => Ok(refused_outcomes(&cite_refusal(
            &machine.program.ruleset,
            &refusal,
        ))),
    }
}

/// The maximum number of cached states: some dozen megabytes.
const MAX_KEPT_STATES: usize = 2_048;
/// The maximum size of the cache in bytes, and the share of the memory of a count that it may take.
const MAX_BYTES: (u64, u64) = (128 << 20, 16);

/// The number of lookups after which states off the cached transitions are no longer looked up if nearly all lookups missed.
const LOOKUP_TRIAL: u64 = 4_096;

/// A cached state that waits for an answer, with the transitions taken so far.
struct WaitingState {
    request: DiceRequest,
    state: State,
    /// By the fingerprint of the answer.
    transitions: FxHashMap<u64, Transition>,
}

/// The outcomes named along a transition.
type PathOutcomes = Rc<[(String, String)]>;

/// A transition to the next request: the outcomes named along it, and its target.
#[derive(Clone)]
struct Transition {
    outcomes: PathOutcomes,
    target: TransitionTarget,
}

#[derive(Clone)]
enum TransitionTarget {
    /// A cached state.
    State(usize),
    /// The procedure ended.
    Done,
    /// A rule refused.
    Refused(Rc<str>),
}

/// The point where the machine stopped.
enum MachineStop {
    Known(TransitionTarget),
    /// The machine stopped in a state that is not cached.
    New(Box<State>, DiceRequest),
}

/// Samples runs of one situation, or runs that continue from its states, on one thread.
pub struct RunSampler<'a> {
    /// The machine that executes on a cache miss.
    pub machine: Machine,
    choice_source: &'a ChoiceSource,
    states: Vec<WaitingState>,
    /// Cached states by the fingerprint of their full content.
    state_index: FxHashMap<u128, usize>,
    /// The first transition of a run, by the number of its start state.
    first_transitions: FxHashMap<u64, Transition>,
    /// The number of lookups off the cached transitions, and of hits among them.
    lookups: (u64, u64),
    /// The size of the cached states in bytes, and its maximum.
    bytes: u64,
    max_bytes: u64,
}

impl<'a> RunSampler<'a> {
    /// Creates a sampler with an empty cache.
    pub fn new(machine: Machine, choice_source: &'a ChoiceSource) -> RunSampler<'a> {
        RunSampler {
            machine,
            choice_source,
            states: Vec::new(),
            state_index: FxHashMap::default(),
            first_transitions: FxHashMap::default(),
            lookups: (0, 0),
            bytes: 0,
            max_bytes: MAX_BYTES
                .0
                .min(task::memory().unwrap_or(DEFAULT_MEMORY) / MAX_BYTES.1),
        }
    }

    /// Returns the number of cached states.
    pub fn kept_states(&self) -> usize {
        self.states.len()
    }

    /// Runs the situation with the dice of a seed. All calls must pass the same situation.
    pub fn run_seed(&mut self, situation: &Situation, seed: u64) -> Result<RunOutcomes, Error> {
        self.run_from(
            0,
            |machine| situation.begin(machine),
            seed,
            RunOutcomes::new(),
        )
    }

    /// Resumes a state with the dice of a seed; new outcomes are added to those named before. The caller gives each start state its own
    /// number.
    pub fn run_from(
        &mut self,
        start: u64,
        begin: impl FnOnce(&mut Machine) -> Result<State, Error>,
        seed: u64,
        mut outcomes: RunOutcomes,
    ) -> Result<RunOutcomes, Error> {
        self.machine.renew_deadline();
        let mut stream = SeededDice::new(seed);
        let (mut stops, mut grown) = (0, false);
        let (mut named, mut stop) = match self.first_transitions.get(&start) {
            Some(first) => (
                first.outcomes.clone(),
                MachineStop::Known(first.target.clone()),
            ),
            None => {
                let state = begin(&mut self.machine)?;
                let (named, stop) = self.run_to_next_stop(state).map_err(Error::Data)?;
                let stop = self.find_or_keep(stop, &mut grown);
                if let MachineStop::Known(target) = &stop {
                    self.first_transitions.insert(
                        start,
                        Transition {
                            outcomes: named.clone(),
                            target: target.clone(),
                        },
                    );
                }
                (named, stop)
            }
        };
        loop {
            named
                .iter()
                .for_each(|(name, value)| set_outcome(&mut outcomes, name, value));
            stops += 1;
            (named, stop) = match stop {
                MachineStop::Known(TransitionTarget::Done) => return Ok(outcomes),
                MachineStop::Known(TransitionTarget::Refused(refusal)) => {
                    return Ok(refused_outcomes(&refusal));
                }
                MachineStop::Known(TransitionTarget::State(index)) => {
                    let WaitingState {
                        request,
                        state,
                        transitions,
                    } = &self.states[index];
                    let answer = request
                        .draw(&self.machine, state, &mut stream)
                        .map_err(Error::Data)?;
                    match transitions
                        .get(&answer.fingerprint())
                        .filter(|_| stops <= MAX_STOPS)
                    {
                        Some(known) => (
                            known.outcomes.clone(),
                            MachineStop::Known(known.target.clone()),
                        ),
                        None => {
                            let mut state = state.clone();
                            // The cached transitions form a loop, so the machine is run to report it.
                            state.last_stop.1 = state.last_stop.1.max(stops);
                            self.machine.answer_stop(&mut state, answer.clone());
                            let (named, stop) =
                                self.run_to_next_stop(state).map_err(Error::Data)?;
                            let stop = self.find_or_keep(stop, &mut grown);
                            if let MachineStop::Known(target) = &stop {
                                let transition = Transition {
                                    outcomes: named.clone(),
                                    target: target.clone(),
                                };
                                self.states[index]
                                    .transitions
                                    .insert(answer.fingerprint(), transition);
                            }
                            (named, stop)
                        }
                    }
                }
                MachineStop::New(mut state, request) => {
                    let answer = request
                        .draw(&self.machine, &state, &mut stream)
                        .map_err(Error::Data)?;
                    self.machine.answer_stop(&mut state, answer);
                    let (named, stop) = self.run_to_next_stop(*state).map_err(Error::Data)?;
                    (named, self.find_known(stop))
                }
            };
        }
    }

    /// Runs a state to its next dice request or its end, and takes the outcomes it names.
    fn run_to_next_stop(
        &mut self,
        mut state: State,
    ) -> Result<(PathOutcomes, MachineStop), Complaints> {
        let stop = run_to_dice(&mut self.machine, &mut state, self.choice_source)?;
        // Outcomes inside an open mark belong to the state until the mark is closed.
        let named = if state.open_marks == 0 || stop.is_break() {
            std::mem::take(&mut state.outcomes)
        } else {
            Vec::new()
        };
        let named = named
            .iter()
            .map(|(name, value)| (name.to_string(), outcome_key(value, &state.board)))
            .collect();
        let stop = match stop {
            ControlFlow::Continue(request) => MachineStop::New(Box::new(state), request),
            ControlFlow::Break(EndReason::Done(_)) => MachineStop::Known(TransitionTarget::Done),
            ControlFlow::Break(EndReason::Refused(refusal)) => {
                MachineStop::Known(TransitionTarget::Refused(
                    cite_refusal(&self.machine.program.ruleset, &refusal).into(),
                ))
            }
        };
        Ok((named, stop))
    }

    /// Finds or caches a state reached from a cached one. Each run adds at most one state, so the cache fills with states that many runs
    /// reach.
    fn find_or_keep(&mut self, stop: MachineStop, grown: &mut bool) -> MachineStop {
        let MachineStop::New(mut state, request) = stop else {
            return stop;
        };
        let print = self.fingerprint(&mut state, &request);
        if let Some(index) = self.state_index.get(&print) {
            return MachineStop::Known(TransitionTarget::State(*index));
        }
        let bytes = state.bytes();
        if *grown || self.states.len() >= MAX_KEPT_STATES || self.bytes + bytes > self.max_bytes {
            return MachineStop::New(state, request);
        }
        *grown = true;
        self.bytes += bytes;
        self.state_index.insert(print, self.states.len());
        self.states.push(WaitingState {
            request,
            state: *state,
            transitions: FxHashMap::default(),
        });
        MachineStop::Known(TransitionTarget::State(self.states.len() - 1))
    }

    /// Looks up a state that was reached off the cached transitions.
    fn find_known(&mut self, stop: MachineStop) -> MachineStop {
        let MachineStop::New(mut state, request) = stop else {
            return stop;
        };
        if self.lookups.0 > LOOKUP_TRIAL && self.lookups.1 * 64 < self.lookups.0 {
            return MachineStop::New(state, request);
        }
        let print = self.fingerprint(&mut state, &request);
        let known_index = self.state_index.get(&print).copied();
        self.lookups = (
            self.lookups.0 + 1,
            self.lookups.1 + u64::from(known_index.is_some()),
        );
        known_index.map_or_else(
            || MachineStop::New(state, request),
            |index| MachineStop::Known(TransitionTarget::State(index)),
        )
    }

    /// Returns a fingerprint of everything in a state that its future can read, and of the request with its purpose, because each purpose
    /// has its own dice.
    fn fingerprint(&self, state: &mut State, request: &DiceRequest) -> u128 {
        let request_print = match request {
            DiceRequest::Throw(throw) => mix(throw.fingerprint(), throw.purpose.fingerprint()),
            DiceRequest::RandomOption(_) => request.fingerprint(),
        };
        self.machine.clear_dead_registers(state, false);
        state
            .fingerprint(Some(request_print))
            .wrapping_add(state.board.total_fingerprint())
    }
}
