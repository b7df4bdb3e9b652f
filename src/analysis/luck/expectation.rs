//! The value of a position: the mean of what is measured over all dice to come.

use crate::luck::baseline::ChoiceBaseline;
use crate::luck::stake::{OutcomeValues, Stake};
use crate::odds::best_play::choose_by_value;
use crate::odds::bounds::{Cap, SearchLimits};
use crate::odds::count::{CountJob, CountResult, CountTables};
use crate::odds::distribution::{NO_OUTCOME, Odds, joint_outcomes};
use crate::odds::explore::StateKeyParts;
use crate::odds::fold::Strategy;
use crate::odds::fraction::{Fraction, check_chances};
use crate::odds::graph::GraphEdge;
use crate::odds::induction::{FoldedGraph, OutcomeWorth};
use crate::odds::query::not_counted;
use crate::odds::seeded_run::{RunOutcomes, plain_outcomes, run_from};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::state::State;
use casebook_engine::complaint::Error;
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::situation::Situation;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The value of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The mean: exact, or of a sample.
    pub value: Fraction,
    /// The standard error of a sampled mean; `None` if it is exact.
    pub error: Option<f64>,
}

impl Expectation {
    /// Returns the standard error, 0 for an exact value.
    pub fn standard_error(&self) -> f64 {
        self.error.unwrap_or(0.0)
    }
}

/// The possible values of a measure, with their chances.
#[derive(Clone, Debug, PartialEq)]
pub enum StakeDistribution {
    /// Counted.
    Exact(BTreeMap<Fraction, Fraction>),
    /// How often each value came in a number of runs.
    Sampled(BTreeMap<Fraction, u64>),
}

impl StakeDistribution {
    /// Whether it has several values.
    pub fn varies(&self) -> bool {
        match self {
            StakeDistribution::Exact(chances) => chances.len() > 1,
            StakeDistribution::Sampled(counts) => counts.len() > 1,
        }
    }
}

/// The minimum and the maximum number of runs that value a position.
const LEAST_RUNS: u64 = 32;
const MOST_RUNS: u64 = 20_000;

/// The number of runs between two checks of the time.
const BATCH: u64 = 16;

/// The seed of the first run of a sample; each further run has the next one.
pub const SAMPLE_SEED: u64 = 1;

/// Values the positions of one procedure. Counts share their tables, because one position mostly leads to the same states as the one before it.
pub struct Expectations<'a> {
    situation: &'a Situation,
    baseline: &'a ChoiceBaseline,
    machine: Machine,
    tables: CountTables,
    key_parts: StateKeyParts,
    folded: FoldedGraph,
    /// Keeps the folded graphs alive: the fold identifies their nodes by address.
    roots: Vec<GraphEdge>,
    limits: SearchLimits<'a>,
    threads: usize,
}

/// The position in which a procedure begins, valued.
pub struct LuckBaseline {
    /// Its value.
    pub expectation: Expectation,
    /// The possible values of the measure; `None` if there are too many.
    pub distribution: Option<StakeDistribution>,
    /// The limit that ended the count, if it is sampled.
    pub ended: Option<Cap>,
    /// Where dice without bound are cut off, in words.
    pub truncations: BTreeSet<String>,
    /// What is measured.
    pub stake: Stake,
}

impl<'a> Expectations<'a> {
    /// Creates it for the procedure of a situation.
    pub fn new(
        situation: &'a Situation,
        baseline: &'a ChoiceBaseline,
        limits: SearchLimits<'a>,
        threads: usize,
    ) -> Expectations<'a> {
        Expectations {
            situation,
            baseline,
            machine: situation.machine(),
            tables: CountTables::new(situation, limits.memory),
            key_parts: StateKeyParts::default(),
            folded: FoldedGraph::default(),
            roots: Vec::new(),
            limits,
            threads,
        }
    }

    /// Values a state that waits for its first answer. Without a stake it is the first outcome that is a number; `None` if there is none.
    /// The value may take until `until`, half of that for the count.
    pub fn begin(
        &mut self,
        state: &State,
        stake: Option<Stake>,
        until: Instant,
    ) -> Result<Option<LuckBaseline>, Error> {
        let from = self.situation.with_state(state.clone());
        self.key_parts.measured_outcomes = stake.as_ref().map(Stake::outcomes).unwrap_or_default();
        let limits = SearchLimits {
            deadline: self.count_end(until),
            ..self.limits
        };
        let source = &self.baseline.source;
        let job = CountJob {
            situation: &from,
            choice_source: source,
            key_parts: &self.key_parts,
            threads: self.threads,
            limits: &limits,
        };
        let counted = job.run_on(&self.tables)?;
        let odds = if counted.complete {
            Odds::new(&counted, &Strategy::default())?
        } else {
            Odds::default()
        };
        if counted.complete && odds.is_complete() {
            let values = odds
                .outcomes
                .iter()
                .map(|(name, list)| {
                    (
                        name.clone(),
                        list.iter().map(|(value, _)| value.to_string()).collect(),
                    )
                })
                .collect();
            let Some(stake) = named_stake(stake, &odds.order, &values)? else {
                return Ok(None);
            };
            let value = self.fold(&counted.root, &stake)?;
            let distribution = exact_distribution(&counted, &stake, &self.folded.strategy)?
                .map(StakeDistribution::Exact);
            let expectation = Expectation { value, error: None };
            return Ok(Some(LuckBaseline {
                expectation,
                distribution,
                ended: None,
                truncations: counted.consulted.truncations,
                stake,
            }));
        }
        if self.baseline.is_best {
            return Err(not_counted(counted.ended));
        }
        let runs = self.sample(state.clone().rewind_to_stop(), until)?;
        let (order, values) = values_of(&runs);
        let Some(stake) = named_stake(stake, &order, &values)? else {
            return Ok(None);
        };
        let (expectation, histogram) = mean(&runs, &stake);
        let ended = Some(counted.ended.unwrap_or(Cap::Time));
        Ok(Some(LuckBaseline {
            expectation,
            distribution: Some(StakeDistribution::Sampled(histogram)),
            ended,
            truncations: counted.consulted.truncations,
            stake,
        }))
    }

    /// Values a state that was just answered, and that a machine has yet to run on.
    pub fn after_answer(
        &mut self,
        state: State,
        stake: &Stake,
        until: Instant,
    ) -> Result<Expectation, Error> {
        let (value, ended) = self.count(state.clone(), stake, self.count_end(until))?;
        if let Some(value) = value {
            return Ok(Expectation { value, error: None });
        }
        if self.baseline.is_best {
            return Err(not_counted(ended));
        }
        let runs = self.sample(state, until)?;
        Ok(mean(&runs, stake).0)
    }

    /// Counts the value of a state that was just answered; `None` if that takes longer than until `until`.
    pub fn count_after_answer(
        &mut self,
        state: State,
        stake: &Stake,
        until: Instant,
    ) -> Result<Option<Fraction>, Error> {
        self.count(state, stake, until.min(self.limits.deadline))
            .map(|(value, _)| value)
    }

    fn count(
        &mut self,
        state: State,
        stake: &Stake,
        end: Instant,
    ) -> Result<(Option<Fraction>, Option<Cap>), Error> {
        let limits = SearchLimits {
            deadline: end,
            ..self.limits
        };
        let counted = self.tables.explore(
            &mut self.machine,
            state,
            &self.baseline.source,
            &self.key_parts,
            &limits,
        );
        let (root, ended) = counted.map_err(Error::Data)?;
        if ended.is_some() {
            return Ok((None, ended));
        }
        self.fold(&root, stake).map(|value| (Some(value), None))
    }

    /// Returns the machine on which a state can be answered.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Returns when a count that may take until `until` with its sample ends. Where nothing can be sampled it has all of the time.
    fn count_end(&self, until: Instant) -> Instant {
        let now = Instant::now();
        let time_left = until.saturating_duration_since(now);
        let share = if self.baseline.is_best {
            time_left
        } else {
            time_left / 2
        };
        now.checked_add(share.max(Duration::from_millis(1)))
            .map_or(self.limits.deadline, |end| end.min(self.limits.deadline))
    }

    fn fold(&mut self, root: &GraphEdge, stake: &Stake) -> Result<Fraction, Error> {
        let names = self.tables.names.clone();
        let mut measured: Vec<_> = stake
            .outcomes()
            .iter()
            .map(|name| names.intern_name(name))
            .collect();
        measured.sort_unstable();
        let worth_of = |name, value| stake.worth(&names.name_text(name), &names.value_text(value));
        let worth = OutcomeWorth {
            names: measured,
            worth: &worth_of,
        };
        self.folded.extend(root, &worth, &choose_by_value)?;
        self.roots.push(root.clone());
        Ok(self.folded.value(root, &worth))
    }

    /// Plays on from a state with seeded dice until a moment, at least some times.
    fn sample(&mut self, mut state: State, until: Instant) -> Result<Vec<RunOutcomes>, Error> {
        state.last_stop.1 = 0;
        let mut machine = self.situation.machine();
        machine.resume(&state).map_err(Error::Data)?;
        let mut runs = Vec::new();
        while (runs.len() as u64) < MOST_RUNS {
            let number = runs.len() as u64;
            let is_late = Instant::now() > until || self.limits.stop.load(Ordering::Relaxed);
            if number.is_multiple_of(BATCH) && number >= LEAST_RUNS && is_late {
                break;
            }
            runs.push(plain_outcomes(run_from(
                &mut machine,
                state.clone(),
                &self.baseline.source,
                SAMPLE_SEED + number,
                RunOutcomes::new(),
            )?));
        }
        Ok(runs)
    }
}

/// Returns the stake, checked against the possible outcomes; without one, the first outcome that is a number.
fn named_stake(
    stake: Option<Stake>,
    order: &[String],
    values: &OutcomeValues,
) -> Result<Option<Stake>, Error> {
    match stake {
        Some(stake) => stake.check(order, values).map(|()| Some(stake)),
        None => Ok(Stake::first_number(order, values)),
    }
}

/// Returns the outcomes of runs in order, and their values.
fn values_of(runs: &[RunOutcomes]) -> (Vec<String>, OutcomeValues) {
    let (mut order, mut values) = (Vec::new(), OutcomeValues::new());
    for (name, value) in runs.iter().flatten() {
        let list = values.entry(name.clone()).or_default();
        if list.is_empty() {
            order.push(name.clone());
        }
        list.insert(value.clone());
    }
    (order, values)
}

fn run_worth(outcomes: &RunOutcomes, stake: &Stake) -> Fraction {
    outcomes.iter().fold(Fraction::ZERO, |sum, (name, value)| {
        &sum + &stake.worth(name, value)
    })
}

/// Returns the mean of runs with its standard error, and how often each value came.
fn mean(runs: &[RunOutcomes], stake: &Stake) -> (Expectation, BTreeMap<Fraction, u64>) {
    let mut histogram: BTreeMap<Fraction, u64> = BTreeMap::new();
    runs.iter()
        .for_each(|run| *histogram.entry(run_worth(run, stake)).or_insert(0) += 1);
    let count = runs.len() as i64;
    let sum = histogram
        .iter()
        .fold(Fraction::ZERO, |sum, (value, times)| {
            &sum + &(value * &Fraction::from_integer(*times as i64))
        });
    let value = sum
        .checked_div(&Fraction::from_integer(count))
        .unwrap_or(Fraction::ZERO);
    let centre = value.to_f64();
    let squares: f64 = histogram
        .iter()
        .map(|(value, times)| (value.to_f64() - centre).powi(2) * *times as f64)
        .sum();
    let error = (squares / ((count - 1).max(1) as f64) / count.max(1) as f64).sqrt();
    (
        Expectation {
            value,
            error: Some(error),
        },
        histogram,
    )
}

/// Returns the distribution of a stake from a complete count; `None` if its outcomes come up together in too many ways.
fn exact_distribution(
    counted: &CountResult,
    stake: &Stake,
    strategy: &Strategy,
) -> Result<Option<BTreeMap<Fraction, Fraction>>, Error> {
    let names = stake.outcomes();
    let mut distribution: BTreeMap<Fraction, Fraction> = BTreeMap::new();
    let Some(rows) = joint_outcomes(counted, &names, strategy)? else {
        return Ok(None);
    };
    for (row, chance) in rows {
        let worth = |name: &String| {
            row.get(name)
                .filter(|value| *value != NO_OUTCOME)
                .map(|value| stake.worth(name, value))
        };
        let sum = names
            .iter()
            .filter_map(worth)
            .fold(Fraction::ZERO, |sum, term| &sum + &term);
        *distribution.entry(sum).or_insert(Fraction::ZERO) += &chance;
    }
    check_chances(distribution.values(), &Fraction::ONE)?;
    Ok(Some(distribution))
}

/// How unlikely the luck of a procedure was. Where the choices were those of the baseline the sum of luck is the outcome less what was
/// expected, so its distribution is that of the outcome; where they were others it is still measured against that one.
#[derive(Clone, Debug, PartialEq)]
pub struct LuckChance {
    /// The chance of dice that bring at least as much.
    pub at_least: TailChance,
    /// The chance of dice that bring at most as much.
    pub at_most: TailChance,
}

/// A chance, exact or sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct TailChance {
    /// The chance, from 0 to 1.
    pub share: f64,
    /// The fraction, if it was counted.
    pub exact: Option<Fraction>,
    /// The standard error, if it was sampled.
    pub error: Option<f64>,
    /// The number of runs, if it was sampled.
    pub runs: u64,
}

/// Returns the chances of at least and of at most a value: what was expected at the beginning, and what the dice brought.
pub fn luck_chance(reached: &Fraction, distribution: &StakeDistribution) -> LuckChance {
    LuckChance {
        at_least: tail(distribution, |value| value >= reached),
        at_most: tail(distribution, |value| value <= reached),
    }
}

fn tail(distribution: &StakeDistribution, is_in: impl Fn(&Fraction) -> bool) -> TailChance {
    match distribution {
        StakeDistribution::Exact(list) => {
            let inside = list.iter().filter(|(value, _)| is_in(value));
            let sum = inside.fold(Fraction::ZERO, |sum, (_, chance)| &sum + chance);
            TailChance {
                share: sum.to_f64(),
                exact: Some(sum),
                error: None,
                runs: 0,
            }
        }
        StakeDistribution::Sampled(list) => {
            let runs: u64 = list.values().sum();
            let inside: u64 = list
                .iter()
                .filter(|(value, _)| is_in(value))
                .map(|(_, times)| times)
                .sum();
            let share = inside as f64 / runs.max(1) as f64;
            // Two runs of each kind are added (Agresti and Coull), so that the error of a rare value is not 0.
            let near = (inside as f64 + 2.0) / (runs as f64 + 4.0);
            TailChance {
                share,
                exact: None,
                error: Some((near * (1.0 - near) / (runs as f64 + 4.0)).sqrt()),
                runs,
            }
        }
    }
}
