//! The odds of a game that goes on, for so many rounds of its sequence of play.
//!
//! Chances are carried forward: all that a game can have come to at one stop of one procedure is held together, equal states are one, and
//! each goes on with its weight. What is not reached in time is sampled from where the count stands, so that what was counted stays exact.

use crate::code::machine::{Consulted, Machine};
use crate::code::state::{ChoiceRequest, State, Stop, ThrowRequest};
use crate::complaint::{Complaints, Error};
use crate::odds::bounds::SearchLimits;
use crate::odds::distribution::{NO_OUTCOME, Odds};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::run_sampler::{RunOutcomes, refused_outcomes, set_outcome};
use crate::odds::sample::{Sample, SampleQuery};
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
use std::time::Instant;

/// Rounds that can be asked for.
pub const MOST: u64 = 1_000;

/// States gone through, at most.
const STATES: u64 = 100_000;

/// Runs of a sample, at most.
const RUNS: u64 = 20_000;

/// What is to be counted.
pub struct Rounds<'a> {
    /// The game.
    pub situation: &'a Situation,
    /// Who answers choices.
    pub decider: &'a ChoiceSource,
    /// How many rounds, the one under way among them.
    pub rounds: u64,
    /// How far the count goes.
    pub counting: SearchLimits<'a>,
    /// How far the sample goes.
    pub sampling: SearchLimits<'a>,
}

/// What was found.
pub struct Played {
    /// What was counted: of every outcome the last word on it.
    pub odds: Odds,
    /// What was sampled, where not all was counted.
    pub sample: Option<Sample>,
    /// What was consulted.
    pub consulted: Consulted,
}

/// A game under way.
#[derive(Clone)]
struct Standing {
    state: State,
    course: TurnSequence,
    /// The last word on each outcome of the procedures that are done.
    outcomes: RunOutcomes,
}

/// What a game waits for.
enum Asks {
    Throw(ThrowRequest),
    /// Any option of a choice.
    Any(ChoiceRequest),
}

/// A game that waits, and how likely it is.
struct Waiting {
    standing: Standing,
    asks: Asks,
    weight: Fraction,
}

/// What tells games that wait from each other: fingerprints of the state and of the board before its procedure, and what was named.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    state: u128,
    before: u128,
    course: String,
    named: RunOutcomes,
    outcomes: RunOutcomes,
}

/// Where a game stands: round, phase and procedure, and how many stops of the procedure are behind it.
type RoundState = ((u64, usize, usize), u64);

/// A count under way.
struct Count<'a> {
    of: &'a Rounds<'a>,
    machine: Machine,
    open: BTreeMap<RoundState, HashMap<Key, Waiting>>,
    /// Games that are over, and those whose last round is, by what they came to.
    done: HashMap<RunOutcomes, Fraction>,
    /// The outcomes in the order in which they were first named.
    order: Vec<String>,
    states: u64,
    /// What the games that wait take, about.
    bytes: u64,
}

impl Rounds<'_> {
    /// Counts them, and samples what can't be counted in time.
    pub fn find(&self) -> Result<Played, Error> {
        let mut machine = self.situation.machine();
        let state = self.situation.begin(&mut machine)?;
        let course = TurnSequence::new(self.situation, &state.board).map_err(Error::Data)?.ok_or_else(|| {
            let name = &self.situation.scenario.name;
            Error::Usage(format!(
                "--rounds counts a game, whose sequence of play goes on; {name} ends with its procedure: leave --rounds out"
            ))
        })?;
        machine.deadline = None;
        let mut count = Count { of: self, machine, open: BTreeMap::new(), done: HashMap::new(), order: Vec::new(), states: 0, bytes: 0 };
        count.go_on(Standing { state, course, outcomes: RunOutcomes::new() }, 0, &Fraction::ONE).map_err(Error::Data)?;
        let left = count.run().map_err(Error::Data)?;
        let odds = count.odds();
        let mut consulted = count.machine.consulted(&self.situation.initial_board);
        let sample = if left.is_empty() { None } else { Some(self.sample(&left, &mut consulted).map_err(Error::Data)?) };
        Ok(Played { odds: Odds { files: consulted.files.clone(), ..odds }, sample, consulted })
    }

    /// Runs a game to where it waits; what it came to where it is over, or its last round is.
    fn run(&self, machine: &mut Machine, standing: &mut Standing) -> Result<Result<Asks, RunOutcomes>, Complaints> {
        loop {
            let Standing { state, course, outcomes } = &mut *standing;
            let refusal = match machine.run(state) {
                Stop::Throw(throwing) => return Ok(Ok(Asks::Throw(throwing))),
                Stop::Choice(choosing) => {
                    match self.decider.decide(machine, state, &choosing)? {
                        ChoiceResult::Taken(picked, by) => machine.answer_choice(state, &choosing, picked, by),
                        ChoiceResult::Undecided(PolicyKind::Random) => return Ok(Ok(Asks::Any(choosing))),
                        ChoiceResult::Undecided(_) => return Err(needs_count(machine, state, &choosing)),
                    }
                    continue;
                }
                Stop::Returned => continue,
                Stop::Count(_) => return Err(machine.complaint_at_stop(state, "procedure", "`chance` and `mean` are for examples", "")),
                Stop::Failed(complaints) => return Err(complaints),
                Stop::Done(_) => {
                    state.outcomes.iter().for_each(|(name, value)| set_outcome(outcomes, name, &outcome_text(value, &state.board)));
                    None
                }
                Stop::Refused(refusal) => Some(refusal),
            };
            let Some(next) = course.begin_next(self.situation, machine, state, refusal.is_some())? else {
                // As in games played to their end: what was named before the last word was a refusal counts for nothing.
                let by = |case: Option<&usize>| case.map(|case| cite_case(self.situation.ruleset(), *case)).unwrap_or_default();
                return Ok(Err(refusal.map_or_else(|| std::mem::take(outcomes), |refusal| refused_outcomes(&by(refusal.cases.first())))));
            };
            if course.rounds > self.rounds {
                return Ok(Err(std::mem::take(outcomes)));
            }
            machine.deadline = None;
            *state = next;
        }
    }

    /// Plays on from where the count stands, each game as often as it is likely.
    fn sample(&self, left: &[Waiting], consulted: &mut Consulted) -> Result<Sample, Complaints> {
        let mut machine = self.situation.machine();
        let share: f64 = left.iter().map(|waiting| waiting.weight.to_f64()).sum();
        let mut sample = Sample { uncounted_share: share, ..Sample::default() };
        for number in 1..=RUNS {
            if self.sampling.stop.load(Ordering::Relaxed) || Instant::now() > self.sampling.end {
                break;
            }
            let mut at = f64::from(Pcg32::new(number, 0x5eed).next_u32()) / (f64::from(u32::MAX) + 1.0) * share;
            let taken = left.iter().find(|waiting| {
                at -= waiting.weight.to_f64();
                at < 0.0
            });
            let Some(waiting) = taken.or(left.last()) else { break };
            let (mut standing, mut dice) = (waiting.standing.clone(), SeededDice::new(number));
            let mut answer = fallen(&machine, &standing.state, &waiting.asks, &mut dice)?;
            let outcomes = loop {
                machine.answer_stop(&mut standing.state, answer);
                standing.state.last_stop.1 = 0;
                match self.run(&mut machine, &mut standing)? {
                    Ok(asks) => answer = fallen(&machine, &standing.state, &asks, &mut dice)?,
                    Err(outcomes) => break outcomes,
                }
            };
            sample.add_run(&outcomes, &SampleQuery::default());
            (self.sampling.progress)(1.0 - share, number);
        }
        consulted.join(machine.consulted(&self.situation.initial_board));
        Ok(sample)
    }
}

impl Count<'_> {
    /// Carries all on until everything is over; what waits still where time is up.
    fn run(&mut self) -> Result<Vec<Waiting>, Complaints> {
        while let Some(((_, depth), waiting)) = self.open.pop_first() {
            let mut waiting = waiting.into_values();
            while let Some(next) = waiting.next() {
                let SearchLimits { end, memory, stop, progress } = self.of.counting;
                if stop.load(Ordering::Relaxed) || self.states >= STATES || self.bytes > memory || Instant::now() > end {
                    let others = std::mem::take(&mut self.open).into_values().flat_map(HashMap::into_values);
                    return Ok(std::iter::once(next).chain(waiting).chain(others).collect());
                }
                self.bytes = self.bytes.saturating_sub(next.standing.state.bytes());
                self.states += 1;
                if self.states.is_multiple_of(64) {
                    progress(0.0, self.states);
                }
                self.fall(next, depth)?;
            }
        }
        Ok(Vec::new())
    }

    /// Goes on with all that may fall.
    fn fall(&mut self, waiting: Waiting, depth: u64) -> Result<(), Complaints> {
        let Waiting { standing, asks, weight } = waiting;
        let ways: Vec<(u128, Value)> = match &asks {
            Asks::Any(choosing) => choosing.options.iter().map(|option| (1, option.clone())).collect(),
            Asks::Throw(throwing) => {
                let dice = &throwing.dice;
                let Some(ways) = throwing.at_least.map_or_else(|| dice.total_distribution(), |face| dice.hit_distribution(face)) else {
                    let what = format!("{dice} have too many outcomes to count exactly");
                    return Err(self.machine.complaint_at_stop(&standing.state, "dice", what, "throw fewer dice at once"));
                };
                ways.into_iter().map(|(total, weight)| (weight, Value::Number(total))).collect()
            }
        };
        let all = ways.iter().fold(UBig::ZERO, |sum, (weight, _)| sum + UBig::from(*weight));
        for (ways, value) in ways {
            let mut next = standing.clone();
            self.machine.answer_stop(&mut next.state, value);
            self.go_on(next, depth, &(&weight * &Fraction::new(UBig::from(ways), all.clone())))?;
        }
        Ok(())
    }

    /// Runs one on to where it waits, and lets it meet those that are equal.
    fn go_on(&mut self, mut standing: Standing, depth: u64, weight: &Fraction) -> Result<(), Complaints> {
        let place = standing.course.place();
        standing.state.last_stop.1 = 0;
        match self.of.run(&mut self.machine, &mut standing)? {
            Err(outcomes) => {
                for (name, _) in &outcomes {
                    if !self.order.contains(name) {
                        self.order.push(name.clone());
                    }
                }
                *self.done.entry(outcomes).or_insert(Fraction::ZERO) += weight;
            }
            Ok(asks) => {
                let now = standing.course.place();
                let depth = if now == place { depth + 1 } else { 0 };
                self.machine.clear_dead_registers(&mut standing.state, false);
                let key = standing.key(&asks);
                match self.open.entry((now, depth)).or_default().entry(key) {
                    Entry::Occupied(mut known) => known.get_mut().weight += weight,
                    Entry::Vacant(free) => {
                        self.bytes += standing.state.bytes();
                        free.insert(Waiting { standing, asks, weight: weight.clone() });
                    }
                }
            }
        }
        Ok(())
    }

    /// What was counted, each outcome by itself.
    fn odds(&self) -> Odds {
        let seen = self.done.values().fold(Fraction::ZERO, |sum, weight| &sum + weight);
        let mut odds = Odds { order: self.order.clone(), states: self.states, counted_share: Some(seen.clone()), ..Odds::default() };
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

impl Standing {
    fn key(&mut self, asks: &Asks) -> Key {
        let asked = match asks {
            Asks::Throw(throwing) => throwing.fingerprint(),
            Asks::Any(choosing) => choosing.print(),
        };
        let board = &mut self.state.board;
        let all = board.total_fingerprint();
        let named = self.state.outcomes.iter().map(|(name, value)| (name.to_string(), outcome_text(value, &self.state.board))).collect();
        Key {
            state: self.state.fingerprint(Some(asked)).wrapping_add(all),
            before: self.course.print(),
            course: self.course.stood(),
            named,
            outcomes: self.outcomes.clone(),
        }
    }
}

/// What the dice of a stream answer.
fn fallen(machine: &Machine, state: &State, asks: &Asks, dice: &mut SeededDice) -> Result<Value, Complaints> {
    match asks {
        Asks::Throw(throwing) => Ok(Value::Number(throw(machine, state, dice, throwing)?.total)),
        Asks::Any(choosing) => Ok(choosing.options[random_option(machine, state, dice, choosing)?].clone()),
    }
}
