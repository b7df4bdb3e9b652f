//! The odds of a game in progress after some rounds of its sequence of play.
//!
//! Probability is propagated forward: all states that a game can have at one stop of one procedure are kept together, and equal states
//! are merged with their weights added. What is not reached in time is sampled from where the count stopped, so the counted part stays
//! exact.

use crate::odds::answer::{Answer, WeightedAnswers, throw_outcomes};
use crate::odds::bounds::{Cap, SearchLimits};
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::fraction::{Distribution, Fraction, add_chance, check_chances};
use crate::odds::graph::OutcomeNames;
use crate::odds::outcome_key::outcome_key;
use crate::odds::sample::{Sample, SampleQuery, draw_weighted};
use crate::odds::seeded_run::{RunOutcomes, refused_outcomes, set_outcome};
use casebook_engine::code::machine::{Consulted, Machine};
use casebook_engine::code::state::State;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::notation::Weight;
use casebook_engine::notation::chances::{HAND_BYTES, Room};
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::citations::cite_refusal;
use casebook_engine::ruling::driver::{DiceRequest, EndReason, run_to_dice};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::turn_sequence::{SequencePlace, TurnSequence};
use casebook_engine::situation::dice::SeededDice;
use rand_pcg::Pcg32;
use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};
use std::ops::ControlFlow;
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
    pub counting: SearchLimits<'a>,
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

/// A waiting game with its probability.
struct PendingState {
    round: RoundState,
    request: DiceRequest,
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

/// How far a game has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StateOrder {
    place: SequencePlace,
    /// The number of stops within the procedure.
    depth: u64,
}

/// A count in progress.
struct RoundsCount<'a> {
    query: &'a RoundsQuery<'a>,
    machine: Machine,
    waiting: BTreeMap<StateOrder, HashMap<MergeKey, PendingState>>,
    /// Games that are over or past their last round, by their outcomes.
    finished: HashMap<RunOutcomes, Fraction>,
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
                "rounds are counted of a game, whose sequence of play goes on; {name} ends with its procedure"
            ))
        })?;
        let mut count = RoundsCount {
            query: self,
            machine,
            waiting: BTreeMap::new(),
            finished: HashMap::new(),
            order: Vec::new(),
            states: 0,
            bytes: 0,
            ended: None,
        };
        let mut round = RoundState {
            state,
            turn_sequence,
            outcomes: RunOutcomes::new(),
        };
        let stopped = self
            .run(&mut count.machine, &mut round)
            .map_err(Error::Data)?;
        let order = StateOrder {
            place: round.turn_sequence.place(),
            depth: 0,
        };
        count.keep(round, stopped, order, Fraction::ONE);
        count.machine.end = Some(self.counting.deadline);
        let waiting = count.run().map_err(Error::Data)?;
        check_chances(
            count
                .finished
                .values()
                .chain(waiting.iter().map(|waiting| &waiting.weight)),
            &Fraction::ONE,
        )?;
        let mut consulted = count.machine.consulted(&self.situation.initial_board);
        let names = OutcomeNames::new();
        for (name, key) in count.finished.keys().flatten() {
            names.intern_key(name, key);
        }
        let sample = if waiting.is_empty() {
            None
        } else {
            Some(
                self.sample(&waiting, &mut consulted, &names)
                    .map_err(Error::Data)?,
            )
        };
        let odds = count.odds(&names)?;
        Ok(RoundsOdds {
            odds: Odds {
                files: consulted.files.clone(),
                ..odds
            },
            sample,
            consulted,
        })
    }

    /// Runs a game to its next dice request, or returns its outcomes if it or its last round is over.
    fn run(
        &self,
        machine: &mut Machine,
        round: &mut RoundState,
    ) -> Result<ControlFlow<RunOutcomes, DiceRequest>, Complaints> {
        loop {
            let RoundState {
                state,
                turn_sequence,
                outcomes,
            } = &mut *round;
            machine.renew_deadline();
            let refusal = match run_to_dice(machine, state, self.choice_source)? {
                ControlFlow::Continue(request) => return Ok(ControlFlow::Continue(request)),
                ControlFlow::Break(EndReason::Done(_)) => {
                    state.outcomes.iter().for_each(|(name, value)| {
                        set_outcome(outcomes, name, &outcome_key(value, &state.board))
                    });
                    None
                }
                ControlFlow::Break(EndReason::Refused(refusal)) => Some(refusal),
            };
            let Some(next) =
                turn_sequence.begin_next(self.situation, machine, state, refusal.is_some())?
            else {
                // As in games played to their end, a refusal discards the outcomes named before it.
                return Ok(ControlFlow::Break(match refusal {
                    Some(refusal) => {
                        refused_outcomes(&cite_refusal(self.situation.ruleset(), &refusal))
                    }
                    None => std::mem::take(outcomes),
                }));
            };
            if turn_sequence.rounds > self.rounds {
                return Ok(ControlFlow::Break(std::mem::take(outcomes)));
            }
            *state = next;
        }
    }

    /// Samples runs from the games left by the count, each in proportion to its probability.
    fn sample(
        &self,
        waiting_games: &[PendingState],
        consulted: &mut Consulted,
        names: &OutcomeNames,
    ) -> Result<Sample, Complaints> {
        let mut machine = self.situation.machine();
        machine.end = Some(self.sampling.deadline);
        let share: f64 = waiting_games
            .iter()
            .map(|waiting| waiting.weight.to_f64())
            .sum();
        let mut sample = Sample {
            uncounted_share: share,
            ..Sample::default()
        };
        let query = SampleQuery::default();
        for number in 1..=MAX_SAMPLES {
            if self.sampling.is_over() {
                break;
            }
            let drawn = draw_weighted(
                waiting_games,
                |waiting| waiting.weight.to_f64(),
                &mut Pcg32::new(number, 0x5eed),
            );
            let Some(waiting) = drawn.or(waiting_games.last()) else {
                break;
            };
            machine.overrun = None;
            match self.sample_run(&mut machine, waiting, number) {
                Ok(outcomes) => sample.add_run(&outcomes, &query, names),
                Err(_) if machine.overrun.is_some() => sample.add_cut_run(),
                Err(complaints) => return Err(complaints),
            }
            (self.sampling.progress)(1.0 - share, number);
        }
        sample.show(names, &query);
        consulted.merge(machine.consulted(&self.situation.initial_board));
        Ok(sample)
    }

    /// Plays a waiting game on with the dice of a seed.
    fn sample_run(
        &self,
        machine: &mut Machine,
        waiting: &PendingState,
        seed: u64,
    ) -> Result<RunOutcomes, Complaints> {
        let (mut round, mut dice) = (waiting.round.clone(), SeededDice::new(seed));
        let mut answer = waiting.request.draw(machine, &round.state, &mut dice)?;
        loop {
            machine.answer_stop(&mut round.state, answer);
            round.state.last_stop.1 = 0;
            match self.run(machine, &mut round)? {
                ControlFlow::Continue(request) => {
                    answer = request.draw(machine, &round.state, &mut dice)?
                }
                ControlFlow::Break(outcomes) => return Ok(outcomes),
            }
        }
    }
}

impl RoundsCount<'_> {
    /// Propagates all games until they are over; returns those still waiting when a limit is reached.
    fn run(&mut self) -> Result<Vec<PendingState>, Complaints> {
        while let Some((order, waiting)) = self.waiting.pop_first() {
            let mut waiting = waiting.into_values();
            while let Some(next) = waiting.next() {
                let SearchLimits {
                    deadline: end,
                    memory,
                    stop,
                    progress,
                } = self.query.counting;
                self.ended = if stop.load(Ordering::Relaxed) {
                    Some(Cap::Stopped)
                } else if self.bytes > memory {
                    Some(Cap::Memory(memory))
                } else {
                    (Instant::now() > end).then_some(Cap::Time)
                };
                if self.ended.is_none() {
                    self.machine.overrun = None;
                    match self.answer_throw(&next, order.depth) {
                        Ok(()) => {
                            self.bytes = self.bytes.saturating_sub(next.round.bytes());
                            self.states += 1;
                            if self.states.is_multiple_of(64) {
                                progress(0.0, self.states);
                            }
                            continue;
                        }
                        Err(complaints) => {
                            self.ended =
                                Some(self.machine.overrun.map(Cap::from).ok_or(complaints)?);
                        }
                    }
                }
                let others = std::mem::take(&mut self.waiting)
                    .into_values()
                    .flat_map(HashMap::into_values);
                return Ok(std::iter::once(next).chain(waiting).chain(others).collect());
            }
        }
        Ok(Vec::new())
    }

    /// Continues a game with every possible answer to its request; with all of them or, if a run fails, with none.
    fn answer_throw(&mut self, waiting: &PendingState, depth: u64) -> Result<(), Complaints> {
        let PendingState {
            round,
            request,
            weight,
        } = waiting;
        let answers: WeightedAnswers = match request {
            DiceRequest::RandomOption(request) => request
                .options
                .iter()
                .map(|option| (Weight::ONE, Answer::Stop(option.clone())))
                .collect(),
            DiceRequest::Throw(request) => {
                // Each outcome is a game that waits.
                let SearchLimits { memory, .. } = self.query.counting;
                let games = memory.saturating_sub(self.bytes) / round.bytes().max(1);
                let room = Room {
                    bytes: games.saturating_mul(HAND_BYTES.0),
                    is_over: &|| self.query.counting.is_over(),
                };
                throw_outcomes(&mut self.machine, &round.state, request, &room)?
            }
        };
        let total = answers.iter().map(|(weight, _)| weight).sum();
        let place = round.turn_sequence.place();
        let mut results = Vec::with_capacity(answers.len());
        for (answer_weight, answer) in answers.iter() {
            let mut next = round.clone();
            answer.give_to(&mut self.machine, &mut next.state);
            next.state.last_stop.1 = 0;
            let stopped = self.query.run(&mut self.machine, &mut next)?;
            results.push((
                next,
                stopped,
                weight * &Fraction::new(answer_weight, &total),
            ));
        }
        results.into_iter().for_each(|(next, stopped, weight)| {
            self.keep(next, stopped, StateOrder { place, depth }, weight)
        });
        Ok(())
    }

    /// Keeps a game at its next request, merged with equal games, or its outcomes. `before` is where it stopped before.
    fn keep(
        &mut self,
        mut round: RoundState,
        stopped: ControlFlow<RunOutcomes, DiceRequest>,
        before: StateOrder,
        weight: Fraction,
    ) {
        match stopped {
            ControlFlow::Break(outcomes) => {
                for (name, _) in &outcomes {
                    if !self.order.contains(name) {
                        self.order.push(name.clone());
                    }
                }
                *self.finished.entry(outcomes).or_insert(Fraction::ZERO) += &weight;
            }
            ControlFlow::Continue(request) => {
                let place = round.turn_sequence.place();
                let depth = if place == before.place {
                    before.depth + 1
                } else {
                    0
                };
                self.machine.clear_dead_registers(&mut round.state, false);
                let key = round.key(&request);
                match self
                    .waiting
                    .entry(StateOrder { place, depth })
                    .or_default()
                    .entry(key)
                {
                    Entry::Occupied(mut equal) => equal.get_mut().weight += &weight,
                    Entry::Vacant(free) => {
                        self.bytes += round.bytes();
                        free.insert(PendingState {
                            round,
                            request,
                            weight,
                        });
                    }
                }
            }
        }
    }

    /// Returns the counted odds, each outcome separately.
    fn odds(&self, names: &OutcomeNames) -> Result<Odds, Error> {
        let counted_share = self
            .finished
            .values()
            .fold(Fraction::ZERO, |sum, weight| &sum + weight);
        let mut odds = Odds {
            order: self.order.clone(),
            states: self.states,
            counted_share: Some(counted_share.clone()),
            ended: self.ended,
            ..Odds::default()
        };
        for name in &self.order {
            let mut values = BTreeMap::new();
            for (outcomes, weight) in &self.finished {
                let key = outcomes
                    .iter()
                    .find(|(existing, _)| existing == name)
                    .map(|(_, key)| key);
                add_chance(
                    &mut values,
                    &key.map_or_else(|| NO_OUTCOME.into(), |key| names.shown(name, key)),
                    weight,
                );
            }
            odds.outcomes
                .insert(name.clone(), Distribution::new(values, &counted_share)?);
        }
        Ok(odds)
    }
}

impl RoundState {
    /// Returns the estimated size in bytes, with the key under which it waits.
    fn bytes(&self) -> u64 {
        let outcomes = |list: &RunOutcomes| {
            list.iter()
                .map(|(name, value)| (name.len() + value.len() + 2 * size_of::<String>()) as u64)
                .sum::<u64>()
        };
        self.state.bytes()
            + self.turn_sequence.start_board.bytes()
            + 2 * outcomes(&self.outcomes)
            + WAITING_BYTES
    }

    fn key(&mut self, request: &DiceRequest) -> MergeKey {
        let board_fingerprint = self.state.board.total_fingerprint();
        let named = self
            .state
            .outcomes
            .iter()
            .map(|(name, value)| (name.to_string(), outcome_key(value, &self.state.board)))
            .collect();
        MergeKey {
            state: self
                .state
                .fingerprint(Some(request.fingerprint()))
                .wrapping_add(board_fingerprint),
            initial_fingerprint: self.turn_sequence.fingerprint(),
            turn_sequence: self.turn_sequence.track_texts(),
            named,
            outcomes: self.outcomes.clone(),
        }
    }
}
