//! The odds of a game in progress after some rounds of its sequence of play.
//!
//! Probability is propagated forward: all states that a game can have at one stop of one procedure are kept together, and equal states
//! are merged with their weights added. What is not reached in time is sampled from where the count stopped, so the counted part stays
//! exact.

use crate::code::machine::{Consulted, Machine};
use crate::code::state::{ChoiceRequest, State, Stop, ThrowRequest};
use crate::complaint::{Complaints, DiagnosticCode, Error};
use crate::odds::answer::throw_outcomes;
use crate::odds::bounds::{Cap, SearchLimits};
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::run_sampler::{RunOutcomes, refused_outcomes, set_outcome};
use crate::odds::sample::{Sample, SampleQuery};
use crate::platform::clock::Instant;
use crate::ruling::choice_source::{ChoiceResult, ChoiceSource};
use crate::ruling::driver::{needs_count, random_option, throw};
use crate::ruling::resolve::cite_case;
use crate::ruling::situation::Situation;
use crate::ruling::turn_sequence::TurnSequence;
use crate::situation::dice::SeededDice;
use crate::situation::policy::PolicyKind;
use crate::situation::value::Value;
use crate::situation::value_text::outcome_text;
use dashu_int::UBig;
use rand::Rng;
use rand_pcg::Pcg32;
use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};
use std::sync::atomic::Ordering;

/// The maximum number of rounds that can be requested.
pub const MAX_ROUNDS: u64 = 1_000;

/// The size in bytes of what surrounds a waiting game: its key, its request and its place in the tables.
const WAITING_BYTES: u64 = 1 << 10;

/// The maximum number of runs of a sample.
const MAX_SAMPLES: u64 = 20_000;

/// A count of rounds to be run.
pub struct RoundsQuery<'a> {
    /// The game.
    pub situation: &'a Situation,
    /// The source of answers to choices.
    pub choice_source: &'a ChoiceSource,
    /// The number of rounds, including the current one.
    pub rounds: u64,
    /// The limits of the count.
    pub counting: SearchLimits<'a>,
    /// The limits of the sample.
    pub sampling: SearchLimits<'a>,
}

/// The result of the count.
pub struct RoundsOdds {
    /// The counted odds, by the last value of every outcome.
    pub odds: Odds,
    /// The sample, if the count is incomplete.
    pub sample: Option<Sample>,
    /// The rules and figures that were consulted.
    pub consulted: Consulted,
}

/// A game in progress.
#[derive(Clone)]
struct RoundState {
    state: State,
    turn_sequence: TurnSequence,
    /// The last value of each outcome of the completed procedures.
    outcomes: RunOutcomes,
}

/// The request that a game waits for.
enum StopRequest {
    Throw(ThrowRequest),
    /// A choice resolved uniformly at random.
    Any(ChoiceRequest),
}

/// A waiting game with its probability.
struct PendingState {
    state: RoundState,
    asks: StopRequest,
    weight: Fraction,
}

/// The identity of a waiting game: fingerprints of its state and of the board before its procedure, and the outcomes named.
#[derive(PartialEq, Eq, Hash)]
struct MergeKey {
    state: u128,
    initial_fingerprint: u128,
    turn_sequence: String,
    named: RunOutcomes,
    outcomes: RunOutcomes,
}

/// The position of a game: round, phase and procedure, and the number of stops within the procedure.
type StateOrder = ((u64, usize, usize), u64);

/// A count in progress.
struct RoundsCount<'a> {
    query: &'a RoundsQuery<'a>,
    machine: Machine,
    open: BTreeMap<StateOrder, HashMap<MergeKey, PendingState>>,
    /// Games that are over or past their last round, by their outcomes.
    done: HashMap<RunOutcomes, Fraction>,
    /// The outcomes in the order in which they were first named.
    order: Vec<String>,
    states: u64,
    /// The estimated size of the waiting games in bytes.
    bytes: u64,
    /// The limit that ended the count.
    ended: Option<Cap>,
}

impl RoundsQuery<'_> {
    /// Counts the rounds, and samples what can't be counted in time.
    pub fn find(&self) -> Result<RoundsOdds, Error> {
        let mut machine = self.situation.machine();
        let state = self.situation.begin(&mut machine)?;
        let turn_sequence = TurnSequence::new(self.situation, &state.board).map_err(Error::Data)?.ok_or_else(|| {
            let name = &self.situation.scenario.name;
            Error::Usage(format!(
                "--rounds counts a game, whose sequence of play goes on; {name} ends with its procedure: leave --rounds out"
            ))
        })?;
        let mut count = RoundsCount {
            query: self,
            machine,
            open: BTreeMap::new(),
            done: HashMap::new(),
            order: Vec::new(),
            states: 0,
            bytes: 0,
            ended: None,
        };
        let mut first = RoundState { state, turn_sequence, outcomes: RunOutcomes::new() };
        let stopped = self.run(&mut count.machine, &mut first).map_err(Error::Data)?;
        let now = (first.turn_sequence.place(), 0);
        count.keep(first, stopped, now, Fraction::ONE);
        count.machine.end = Some(self.counting.deadline);
        let left = count.run().map_err(Error::Data)?;
        let odds = count.odds();
        let mut consulted = count.machine.consulted(&self.situation.initial_board);
        let sample = if left.is_empty() { None } else { Some(self.sample(&left, &mut consulted).map_err(Error::Data)?) };
        Ok(RoundsOdds { odds: Odds { files: consulted.files.clone(), ..odds }, sample, consulted })
    }

    /// Runs a game to its next request, or returns its outcomes if it or its last round is over.
    fn run(&self, machine: &mut Machine, standing: &mut RoundState) -> Result<Result<StopRequest, RunOutcomes>, Complaints> {
        loop {
            let RoundState { state, turn_sequence, outcomes } = &mut *standing;
            machine.renew_deadline();
            let refusal = match machine.run(state) {
                Stop::Throw(throwing) => return Ok(Ok(StopRequest::Throw(throwing))),
                Stop::Choice(choosing) => {
                    match self.choice_source.decide(machine, state, &choosing)? {
                        ChoiceResult::Taken(picked, by) => machine.answer_choice(state, &choosing, picked, by),
                        ChoiceResult::Undecided(PolicyKind::Random) => return Ok(Ok(StopRequest::Any(choosing))),
                        ChoiceResult::Undecided(_) => return Err(needs_count(machine, state, &choosing)),
                    }
                    continue;
                }
                Stop::Returned => continue,
                Stop::Count(_) => {
                    return Err(machine.complaint_at_stop(state, DiagnosticCode::Procedure, "`chance` and `mean` are for examples", ""));
                }
                Stop::Failed(complaints) => return Err(complaints),
                Stop::Done(_) => {
                    state.outcomes.iter().for_each(|(name, value)| set_outcome(outcomes, name, &outcome_text(value, &state.board)));
                    None
                }
                Stop::Refused(refusal) => Some(refusal),
            };
            let Some(next) = turn_sequence.begin_next(self.situation, machine, state, refusal.is_some())? else {
                // As in games played to their end, a refusal discards the outcomes named before it.
                let by = |case: Option<&usize>| case.map(|case| cite_case(self.situation.ruleset(), *case)).unwrap_or_default();
                return Ok(Err(refusal.map_or_else(|| std::mem::take(outcomes), |refusal| refused_outcomes(&by(refusal.cases.first())))));
            };
            if turn_sequence.rounds > self.rounds {
                return Ok(Err(std::mem::take(outcomes)));
            }
            *state = next;
        }
    }

    /// Samples runs from the games left by the count, each in proportion to its probability.
    fn sample(&self, left: &[PendingState], consulted: &mut Consulted) -> Result<Sample, Complaints> {
        let mut machine = self.situation.machine();
        machine.end = Some(self.sampling.deadline);
        let share: f64 = left.iter().map(|waiting| waiting.weight.to_f64()).sum();
        let mut sample = Sample { uncounted_share: share, ..Sample::default() };
        for number in 1..=MAX_SAMPLES {
            if self.sampling.stop.load(Ordering::Relaxed) || Instant::now() > self.sampling.deadline {
                break;
            }
            let mut at = f64::from(Pcg32::new(number, 0x5eed).next_u32()) / (f64::from(u32::MAX) + 1.0) * share;
            let taken = left.iter().find(|waiting| {
                at -= waiting.weight.to_f64();
                at < 0.0
            });
            let Some(waiting) = taken.or(left.last()) else { break };
            machine.overrun = None;
            match self.sample_run(&mut machine, waiting, number) {
                Ok(outcomes) => sample.add_run(&outcomes, &SampleQuery::default()),
                Err(_) if machine.overrun.is_some() => (sample.runs, sample.cut_runs) = (sample.runs + 1, sample.cut_runs + 1),
                Err(complaints) => return Err(complaints),
            }
            (self.sampling.progress)(1.0 - share, number);
        }
        consulted.merge(machine.consulted(&self.situation.initial_board));
        Ok(sample)
    }

    /// Plays a waiting game on with the dice of a seed.
    fn sample_run(&self, machine: &mut Machine, waiting: &PendingState, seed: u64) -> Result<RunOutcomes, Complaints> {
        let (mut standing, mut dice) = (waiting.state.clone(), SeededDice::new(seed));
        let mut answer = random_answer(machine, &standing.state, &waiting.asks, &mut dice)?;
        loop {
            machine.answer_stop(&mut standing.state, answer);
            standing.state.last_stop.1 = 0;
            match self.run(machine, &mut standing)? {
                Ok(asks) => answer = random_answer(machine, &standing.state, &asks, &mut dice)?,
                Err(outcomes) => return Ok(outcomes),
            }
        }
    }
}

impl RoundsCount<'_> {
    /// Propagates all games until they are over; returns those still waiting when a limit is reached.
    fn run(&mut self) -> Result<Vec<PendingState>, Complaints> {
        while let Some(((_, depth), waiting)) = self.open.pop_first() {
            let mut waiting = waiting.into_values();
            while let Some(next) = waiting.next() {
                let SearchLimits { deadline: end, memory, stop, progress } = self.query.counting;
                self.ended = match () {
                    () if stop.load(Ordering::Relaxed) => Some(Cap::Stopped),
                    () if self.bytes > memory => Some(Cap::Memory(memory)),
                    () if Instant::now() > end => Some(Cap::Time),
                    () => None,
                };
                if self.ended.is_none() {
                    self.machine.overrun = None;
                    match self.answer_throw(&next, depth) {
                        Ok(()) => {
                            self.bytes = self.bytes.saturating_sub(next.state.bytes());
                            self.states += 1;
                            if self.states.is_multiple_of(64) {
                                progress(0.0, self.states);
                            }
                            continue;
                        }
                        Err(complaints) => {
                            self.ended = Some(self.machine.overrun.map(Cap::from).ok_or(complaints)?);
                        }
                    }
                }
                let others = std::mem::take(&mut self.open).into_values().flat_map(HashMap::into_values);
                return Ok(std::iter::once(next).chain(waiting).chain(others).collect());
            }
        }
        Ok(Vec::new())
    }

    /// Continues a game with every possible answer to its request; with all of them or, if a run fails, with none.
    fn answer_throw(&mut self, waiting: &PendingState, depth: u64) -> Result<(), Complaints> {
        let PendingState { state: standing, asks, weight } = waiting;
        let ways: Vec<(u128, Value)> = match asks {
            StopRequest::Any(choosing) => choosing.options.iter().map(|option| (1, option.clone())).collect(),
            StopRequest::Throw(throwing) => {
                let outcomes = throw_outcomes(&mut self.machine, &standing.state, throwing)?;
                outcomes.into_iter().map(|(value, weight)| (weight, value)).collect()
            }
        };
        let all = ways.iter().fold(UBig::ZERO, |sum, (weight, _)| sum + UBig::from(*weight));
        let place = standing.turn_sequence.place();
        let mut results = Vec::with_capacity(ways.len());
        for (ways, value) in ways {
            let mut next = standing.clone();
            self.machine.answer_stop(&mut next.state, value);
            next.state.last_stop.1 = 0;
            let stopped = self.query.run(&mut self.machine, &mut next)?;
            results.push((next, stopped, weight * &Fraction::new(UBig::from(ways), all.clone())));
        }
        results.into_iter().for_each(|(next, stopped, weight)| self.keep(next, stopped, (place, depth), weight));
        Ok(())
    }

    /// Keeps a game at its next request, merged with equal games, or its outcomes. `before` is where it stopped before.
    fn keep(&mut self, mut standing: RoundState, stopped: Result<StopRequest, RunOutcomes>, (place, depth): StateOrder, weight: Fraction) {
        match stopped {
            Err(outcomes) => {
                for (name, _) in &outcomes {
                    if !self.order.contains(name) {
                        self.order.push(name.clone());
                    }
                }
                *self.done.entry(outcomes).or_insert(Fraction::ZERO) += &weight;
            }
            Ok(asks) => {
                let now = standing.turn_sequence.place();
                let depth = if now == place { depth + 1 } else { 0 };
                self.machine.clear_dead_registers(&mut standing.state, false);
                let key = standing.key(&asks);
                match self.open.entry((now, depth)).or_default().entry(key) {
                    Entry::Occupied(mut known) => known.get_mut().weight += &weight,
                    Entry::Vacant(free) => {
                        self.bytes += standing.bytes();
                        free.insert(PendingState { state: standing, asks, weight });
                    }
                }
            }
        }
    }

    /// Returns the counted odds, each outcome separately.
    fn odds(&self) -> Odds {
        let seen = self.done.values().fold(Fraction::ZERO, |sum, weight| &sum + weight);
        let mut odds = Odds {
            order: self.order.clone(),
            states: self.states,
            counted_share: Some(seen.clone()),
            ended: self.ended,
            ..Odds::default()
        };
        for name in &self.order {
            let mut distribution = Distribution::default();
            for (outcomes, weight) in &self.done {
                let value = outcomes.iter().find(|(known, _)| known == name).map_or(NO_OUTCOME, |(_, value)| value.as_str());
                distribution.add(value, weight);
            }
            odds.outcomes.insert(name.clone(), distribution);
        }
        odds
    }
}

impl RoundState {
    /// Returns the estimated size in bytes, with the key under which it waits.
    fn bytes(&self) -> u64 {
        let outcomes =
            |list: &RunOutcomes| list.iter().map(|(name, value)| (name.len() + value.len() + 2 * size_of::<String>()) as u64).sum::<u64>();
        self.state.bytes() + self.turn_sequence.start_board.bytes() + 2 * outcomes(&self.outcomes) + WAITING_BYTES
    }

    fn key(&mut self, asks: &StopRequest) -> MergeKey {
        let asked = match asks {
            StopRequest::Throw(throwing) => throwing.fingerprint(),
            StopRequest::Any(choosing) => choosing.fingerprint(),
        };
        let board = &mut self.state.board;
        let all = board.total_fingerprint();
        let named = self.state.outcomes.iter().map(|(name, value)| (name.to_string(), outcome_text(value, &self.state.board))).collect();
        MergeKey {
            state: self.state.fingerprint(Some(asked)).wrapping_add(all),
            initial_fingerprint: self.turn_sequence.fingerprint(),
            turn_sequence: self.turn_sequence.track_texts(),
            named,
            outcomes: self.outcomes.clone(),
        }
    }
}

/// Answers a request with seeded dice.
fn random_answer(machine: &Machine, state: &State, asks: &StopRequest, dice: &mut SeededDice) -> Result<Value, Complaints> {
    match asks {
        StopRequest::Throw(throwing) => Ok(throwing.read(&throw(machine, state, dice, throwing)?)),
        StopRequest::Any(choosing) => Ok(choosing.options[random_option(machine, state, dice, choosing)?].clone()),
    }
}
