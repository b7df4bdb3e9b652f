//! Odds by sampling, for what could not be counted; they are always labelled and carry an error.

use crate::odds::answer::OpenAnswers;
use crate::odds::bounds::SearchLimits;
use crate::odds::count::CountResult;
use crate::odds::distribution::{Condition, NO_OUTCOME};
use crate::odds::graph::{
    GraphEdge, GraphNode, NodeShares, OutcomeNames, node_id, total_weight, unexplored_shares,
};
use crate::odds::seeded_run::{RunOutcomes, refused_outcomes, run_from, set_outcome};
use casebook_engine::code::machine::{Consulted, Machine};
use casebook_engine::complaint::Error;
use casebook_engine::notation::Weight;
use casebook_engine::platform::parallel;
use casebook_engine::ruling::choice_source::ChoiceSource;
use casebook_engine::ruling::situation::Situation;
use rand::Rng;
use rand_pcg::Pcg32;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The statistics collected per run in addition to the outcomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleQuery {
    /// Conditions that select the runs to use.
    pub conditions: Vec<Condition>,
    /// Outcomes whose joint values are counted.
    pub joint: Vec<String>,
}

/// The counts of a number of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The number of runs.
    pub runs: u64,
    /// The number of runs among them that time or memory cut short: nothing is known of their outcomes.
    pub cut_runs: u64,
    /// The number of runs that satisfied the conditions.
    pub matching_runs: u64,
    /// The share of all probability that was not counted and that the runs stand for.
    pub uncounted_share: f64,
    /// The counts of each value of each outcome in matching runs, in the order the rules name outcomes.
    pub counts: Vec<(String, BTreeMap<String, u64>)>,
    /// The counts of the joint values in matching runs.
    pub joint_counts: BTreeMap<Vec<String>, u64>,
    /// The counted probability of the conditions, if there are any.
    pub condition_chance: Option<f64>,
    /// The rules and figures that the runs consulted.
    pub consulted: Consulted,
}

/// An estimated probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The probability.
    pub share: f64,
    /// The half-width of its 95 % interval.
    pub error: f64,
}

impl Sample {
    /// Returns what was sampled of an outcome, if any run named it.
    pub fn of_outcome(&self, name: &str) -> Option<SampledOutcome<'_>> {
        let (_, counts) = self.counts.iter().find(|(outcome, _)| outcome == name)?;
        Some(SampledOutcome {
            sample: self,
            counts,
            unnamed: self.matching_runs - counts.values().sum::<u64>(),
        })
    }

    /// Estimates the probability of a value of an outcome that no run named, as [`SampledOutcome::chance`] does.
    pub fn chance_of_unnamed(&self, value: &str, counted: f64) -> Estimate {
        self.estimate_conditional(
            if value == NO_OUTCOME {
                self.matching_runs
            } else {
                0
            },
            counted,
        )
    }

    /// Estimates the probability of a joint value in the same way.
    pub fn joint_chance(&self, values: &[String], counted: f64) -> Estimate {
        self.estimate_conditional(self.joint_counts.get(values).copied().unwrap_or(0), counted)
    }

    fn estimate_conditional(&self, count: u64, counted: f64) -> Estimate {
        match self.condition_chance {
            None => self.estimate(count, counted),
            Some(within) => self.estimate_ratio(count, counted, within),
        }
    }

    /// Estimates a probability from a count and a counted part; the error is never 0, however few the runs.
    pub fn estimate(&self, count: u64, counted: f64) -> Estimate {
        if self.runs == 0 {
            return Estimate {
                share: counted,
                error: self.uncounted_share,
            };
        }
        // The Agresti-Coull interval adds two runs of either kind, so an unobserved value is not called impossible.
        let (share, n) = (count as f64 / self.runs as f64, self.runs as f64 + 4.0);
        let near = (count as f64 + 2.0) / n;
        let error = 1.96 * (near * (1.0 - near) / n).sqrt() + self.cut_share();
        Estimate {
            share: counted + self.uncounted_share * share,
            error: self.uncounted_share * error.min(1.0),
        }
    }

    /// Returns the share of the runs that were cut short.
    fn cut_share(&self) -> f64 {
        self.cut_runs as f64 / (self.runs as f64).max(1.0)
    }

    /// Estimates the probability given that the conditions hold.
    fn estimate_ratio(&self, count: u64, counted: f64, condition_share: f64) -> Estimate {
        let n = self.runs as f64;
        let share_of = |count: u64| {
            if self.runs == 0 {
                0.0
            } else {
                count as f64 / n
            }
        };
        let condition_chance =
            condition_share + self.uncounted_share * share_of(self.matching_runs);
        if self.runs == 0 || condition_chance <= 0.0 {
            let share = if condition_share > 0.0 {
                counted / condition_share
            } else {
                0.0
            };
            return Estimate { share, error: 1.0 };
        }
        let ratio = (counted + self.uncounted_share * share_of(count)) / condition_chance;
        let (joint_share, matching_share) = (
            (count as f64 + 1.0) / (n + 4.0),
            (self.matching_runs as f64 + 2.0) / (n + 4.0),
        );
        let spread = joint_share * (1.0 - ratio).powi(2)
            + (matching_share - joint_share).max(0.0) * ratio.powi(2)
            - (joint_share - ratio * matching_share).powi(2);
        let error = 1.96 * (spread.max(0.0) / n).sqrt() + self.cut_share();
        Estimate {
            share: ratio,
            error: (self.uncounted_share * error / condition_chance).min(1.0),
        }
    }

    /// Estimates the probability of the conditions; `None` if there are none.
    pub fn estimate_condition(&self) -> Option<Estimate> {
        Some(self.estimate(self.matching_runs, self.condition_chance?))
    }

    /// Shows the values that were counted by their keys: as the odds that they belong to, whose names these are.
    pub fn show(&mut self, names: &OutcomeNames, query: &SampleQuery) {
        // A value may be shown in quotes because of another that was counted later.
        for (name, counts) in &self.counts {
            for key in counts.keys() {
                names.intern_key(name, key);
            }
        }
        for (name, counts) in &mut self.counts {
            *counts = std::mem::take(counts)
                .into_iter()
                .map(|(key, times)| (names.shown(name, &key), times))
                .collect();
        }
        let shown = |keys: Vec<String>| {
            query
                .joint
                .iter()
                .zip(keys)
                .map(|(name, key)| names.shown(name, &key))
                .collect()
        };
        self.joint_counts = std::mem::take(&mut self.joint_counts)
            .into_iter()
            .map(|(keys, times)| (shown(keys), times))
            .collect();
    }

    /// Adds the outcomes of a run to the counts, by their keys. Conditions read them as they were shown before.
    pub fn add_run(&mut self, outcomes: &RunOutcomes, query: &SampleQuery, names: &OutcomeNames) {
        let value = |name: &str| {
            outcomes
                .iter()
                .find(|(outcome, _)| outcome == name)
                .map_or(NO_OUTCOME, |(_, value)| value.as_str())
        };
        self.runs += 1;
        if query
            .conditions
            .iter()
            .all(|condition| condition.is_satisfied_by(names.shown_so_far(value(&condition.name))))
        {
            self.matching_runs += 1;
            if !query.joint.is_empty() {
                *self
                    .joint_counts
                    .entry(
                        query
                            .joint
                            .iter()
                            .map(|name| value(name).to_string())
                            .collect(),
                    )
                    .or_insert(0) += 1;
            }
            outcomes
                .iter()
                .for_each(|(name, value)| self.add_count(name, value, 1));
        }
    }

    /// Counts a run that a limit cut short.
    pub fn add_cut_run(&mut self) {
        self.runs += 1;
        self.cut_runs += 1;
    }

    fn add_count(&mut self, name: &str, value: &str, times: u64) {
        let index = self
            .counts
            .iter()
            .position(|(existing, _)| existing == name)
            .unwrap_or_else(|| {
                self.counts.push((name.into(), BTreeMap::new()));
                self.counts.len() - 1
            });
        *self.counts[index].1.entry(value.into()).or_insert(0) += times;
    }

    fn merge(&mut self, other: Sample) {
        self.runs += other.runs;
        self.cut_runs += other.cut_runs;
        self.matching_runs += other.matching_runs;
        self.consulted.merge(other.consulted);
        other
            .joint_counts
            .into_iter()
            .for_each(|(row, times)| *self.joint_counts.entry(row).or_insert(0) += times);
        for (name, list) in other.counts {
            list.into_iter()
                .for_each(|(value, times)| self.add_count(&name, &value, times));
        }
    }
}

/// What was sampled of one outcome.
pub struct SampledOutcome<'a> {
    sample: &'a Sample,
    counts: &'a BTreeMap<String, u64>,
    /// The number of matching runs that did not name it.
    unnamed: u64,
}

impl<'a> SampledOutcome<'a> {
    /// Returns the values that runs named.
    pub fn values(&self) -> impl Iterator<Item = &'a str> {
        self.counts.keys().map(String::as_str)
    }

    /// Estimates the probability of a value, given its counted part. With conditions, `counted`
    /// is the joint probability of the value and the conditions, and the result is conditional on them.
    pub fn chance(&self, value: &str, counted: f64) -> Estimate {
        let unnamed = if value == NO_OUTCOME { self.unnamed } else { 0 };
        self.sample
            .estimate_conditional(self.counts.get(value).copied().unwrap_or(unnamed), counted)
    }
}

impl SampledOutcome<'_> {
    /// Estimates the probability of all values that fulfil a condition, in the same way.
    pub fn chance_of_any(&self, holds: impl Fn(&str) -> bool, counted: f64) -> Estimate {
        self.sample.estimate_conditional(
            self.counts
                .iter()
                .filter(|(value, _)| holds(value))
                .map(|(_, times)| times)
                .sum(),
            counted,
        )
    }

    /// Estimates the half-width of the 95 % interval of a mean over a share of all cases.
    pub fn error_of_mean(
        &self,
        mean: f64,
        number: impl Fn(&str) -> Option<i64>,
        share: f64,
    ) -> f64 {
        let runs = (self.sample.matching_runs as f64).max(1.0);
        let square = |(value, times): (&String, &u64)| {
            (number(value).map_or(0.0, |number| number as f64) - mean).powi(2) * *times as f64
        };
        let spread = (self.counts.iter().map(square).sum::<f64>() / runs / runs).sqrt();
        // Under conditions it is not known how much of them the runs stand for.
        let part = if self.sample.condition_chance.is_some() {
            1.0
        } else {
            self.sample.uncounted_share
        };
        1.96 * spread * part / share.max(f64::MIN_POSITIVE)
    }
}

/// The number of runs that a thread takes at once.
const BATCH: u64 = 16;

/// A sample of what a count left unexplored.
pub struct SampleJob<'a> {
    pub situation: &'a Situation,
    /// The source of answers to choices.
    pub choice_source: &'a ChoiceSource,
    /// The incomplete count.
    pub counted: &'a CountResult,
    /// Whether its graph was folded; otherwise the runs stand for all of it.
    pub is_folded: bool,
    /// The statistics collected per run.
    pub query: &'a SampleQuery,
    /// The maximum number of runs.
    pub max_runs: u64,
    /// The limits of the sample.
    pub limits: SearchLimits<'a>,
}

impl SampleJob<'_> {
    /// Samples on several threads until a limit or the maximum number of runs is reached. The number of a run seeds its dice, so a sample of the same size
    /// is the same on every machine and for any number of threads. The outcomes of a run that a limit cuts short are not known, which adds
    /// to the error.
    pub fn run(&self, threads: usize) -> Result<Sample, Error> {
        let mut unexplored = unexplored_shares(&self.counted.root);
        if !self.is_folded {
            unexplored.values_mut().for_each(|share| *share = 1.0);
        }
        let share = unexplored
            .get(&node_id(&self.counted.root.target))
            .copied()
            .unwrap_or(0.0);
        let next_run = AtomicU64::new(0);
        let mut sample = Sample {
            uncounted_share: share,
            ..Sample::default()
        };
        for thread_sample in
            parallel::on_threads(threads, |_| self.run_thread(&unexplored, share, &next_run))
        {
            sample.merge(thread_sample?);
        }
        sample.show(&self.counted.names, self.query);
        Ok(sample)
    }

    /// Samples on one thread; `next_run` is the number of the next run on any thread.
    fn run_thread(
        &self,
        unexplored: &NodeShares,
        share: f64,
        next_run: &AtomicU64,
    ) -> Result<Sample, Error> {
        let situation = self.situation.deep_clone();
        let mut machine = Machine::new(situation.program.clone());
        machine.end = Some(self.limits.deadline);
        let (mut sample, mut draws) = (Sample::default(), OpenDraws::default());
        while !self.limits.is_over() {
            let first_run = next_run.fetch_add(BATCH, Ordering::Relaxed);
            if first_run >= self.max_runs {
                break;
            }
            for number in first_run..(first_run + BATCH).min(self.max_runs) {
                machine.overrun = None;
                match self.run_once(&mut machine, &situation, unexplored, &mut draws, number + 1) {
                    Ok(outcomes) => {
                        sample.add_run(&outcomes, self.query, &self.counted.names);
                        // A run may take long, as where a throw has very many results.
                        if self.limits.is_over() {
                            break;
                        }
                    }
                    Err(_) if machine.overrun.is_some() => {
                        sample.add_cut_run();
                        if self.limits.is_over() {
                            break;
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
            (self.limits.progress)(1.0 - share, first_run);
            // If no run ends, further runs add nothing.
            if sample.cut_runs == sample.runs {
                break;
            }
        }
        sample.consulted = machine.consulted(&situation.initial_board);
        Ok(sample)
    }

    /// Executes one run: it draws a path through the counted graph to an unexplored state, and continues from there.
    fn run_once(
        &self,
        machine: &mut Machine,
        situation: &Situation,
        unexplored: &NodeShares,
        draws: &mut OpenDraws,
        number: u64,
    ) -> Result<RunOutcomes, Error> {
        let names = &self.counted.names;
        let mut generator = Pcg32::new(number, 0x5eed);
        let mut outcomes = RunOutcomes::new();
        let mut edge = &self.counted.root;
        loop {
            for (name, value) in &edge.outcomes {
                set_outcome(
                    &mut outcomes,
                    &names.name_text(*name),
                    &names.value_key(*value),
                );
            }
            let target = match &*edge.target {
                GraphNode::Unexplored(state, open) => {
                    let (indices, sums) = draws
                        .entry(node_id(&edge.target))
                        .or_insert_with(|| summed_shares(open));
                    let point = f64::from(generator.next_u32()) / (f64::from(u32::MAX) + 1.0)
                        * sums.last().copied().unwrap_or_default();
                    let index = indices
                        .get(sums.partition_point(|sum| *sum <= point))
                        .or(indices.last());
                    let mut state = (**state).clone();
                    // A copy per thread avoids contention on the situation's reference count.
                    state.board.start = situation.initial_board.clone();
                    machine.resume(&state).map_err(Error::Data)?;
                    if let Some((_, answer)) = index.map(|index| &open.answers[*index as usize]) {
                        answer.give_to(machine, &mut state);
                    }
                    state.last_stop.1 = 0;
                    return run_from(machine, state, self.choice_source, number, outcomes);
                }
                GraphNode::Throw(results) => {
                    let total = total_weight(results);
                    let weight = |(weight, edge): &(Weight, GraphEdge)| {
                        weight.share_of(&total) * unexplored[&node_id(&edge.target)]
                    };
                    draw_weighted(results, weight, &mut generator).map(|(_, edge)| edge)
                }
                GraphNode::Choice(_, _, options) => options.first(),
                GraphNode::Loop(_, body) => Some(body),
                // A graph with choices that loops are kept for is never sampled.
                GraphNode::Done | GraphNode::DoneWith(_) | GraphNode::Again(_) => None,
                GraphNode::Refused(refusal) => {
                    return Ok(refused_outcomes(&names.value_key(*refusal)));
                }
            };
            match target {
                Some(next) => edge = next,
                None => return Ok(outcomes),
            }
        }
    }
}

/// The answers of unexplored states that were not explored: their indices, and the sums of their shares up to each. There may be millions, and
/// each run draws one.
type OpenDraws = FxHashMap<usize, (Vec<u32>, Vec<f64>)>;

fn summed_shares(open: &OpenAnswers) -> (Vec<u32>, Vec<f64>) {
    let (total, mut sum) = (open.weight(), 0.0);
    let shares = open.indices().map(|index| {
        sum += open.answers[index].0.share_of(&total);
        (index as u32, sum)
    });
    shares.unzip()
}

/// Draws an item of positive weight, in proportion to its weight.
pub fn draw_weighted<'a, T>(
    items: &'a [T],
    weight: impl Fn(&T) -> f64,
    generator: &mut Pcg32,
) -> Option<&'a T> {
    let total: f64 = items.iter().map(&weight).sum();
    let mut remaining = f64::from(generator.next_u32()) / (f64::from(u32::MAX) + 1.0) * total;
    let mut item_drawn = None;
    for item in items.iter().filter(|item| weight(item) > 0.0) {
        item_drawn = Some(item);
        remaining -= weight(item);
        if remaining < 0.0 {
            break;
        }
    }
    item_drawn
}
