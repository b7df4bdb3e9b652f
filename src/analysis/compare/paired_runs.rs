//! Runs two rulesets many times on common random numbers and counts their outcomes in pairs.

use crate::compare::view::Comparison;
use crate::odds::distribution::NO_OUTCOME;
use crate::odds::seeded_run::{RunOutcomes, plain_outcomes, run_seed};
use casebook_engine::code::machine::Machine;
use casebook_engine::complaint::Error;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::parallel;
use casebook_engine::ruling::situation::Situation;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueCounts {
    /// The number of runs with the value under the first ruleset.
    pub from: u64,
    /// The number of runs with the value under the second ruleset.
    pub to: u64,
    /// The number of pairs with the value under the first ruleset only.
    pub only_from: u64,
    /// The number of pairs with the value under the second ruleset only.
    pub only_to: u64,
}

/// The counts of a number of pairs of runs.
#[derive(Clone, Debug, Default)]
pub struct PairCounts {
    /// The number of pairs.
    pub runs: u64,
    /// The counts of each value of each outcome. An unnamed outcome is counted only if the other run of the pair named it.
    pub counts: BTreeMap<String, BTreeMap<String, ValueCounts>>,
    /// For each outcome some of the seeds on which it differed.
    pub differing_seeds: BTreeMap<String, Vec<u64>>,
}

/// The maximum number of seeds kept per outcome.
const MAX_SEEDS: usize = 6;

/// The maximum number of pairs: intervals are then below half of one per cent.
pub const MAX_PAIRS: u64 = 40_000;

/// The number of runs between two checks of the clock.
const BATCH: u64 = 8;

impl PairCounts {
    /// Returns the counts of a value, including those of the unnamed outcome.
    pub fn value_counts(&self, outcome: &str, value: &str) -> ValueCounts {
        let by_value = self.counts.get(outcome);
        let mut counts = by_value
            .and_then(|by_value| by_value.get(value))
            .copied()
            .unwrap_or_default();
        if value == NO_OUTCOME {
            let named_count = |field: fn(&ValueCounts) -> u64| -> u64 {
                by_value
                    .iter()
                    .flat_map(|by_value| by_value.iter())
                    .filter(|(value, _)| *value != NO_OUTCOME)
                    .map(|(_, times)| field(times))
                    .sum()
            };
            counts.from = self.runs - named_count(|times| times.from);
            counts.to = self.runs - named_count(|times| times.to);
        }
        counts
    }

    /// Returns the count of each value of an outcome under the first ruleset, or the second if `of_second` is set, including the unnamed
    /// outcome.
    pub fn counts_of(&self, outcome: &str, of_second: bool) -> Vec<(&str, u64)> {
        let count = |times: ValueCounts| if of_second { times.to } else { times.from };
        let named_values = self
            .counts
            .get(outcome)
            .into_iter()
            .flat_map(|by_value| by_value.keys())
            .map(String::as_str)
            .filter(|value| *value != NO_OUTCOME);
        named_values
            .chain([NO_OUTCOME])
            .map(|value| (value, count(self.value_counts(outcome, value))))
            .filter(|(_, times)| *times > 0)
            .collect()
    }

    fn add(
        &mut self,
        seed: u64,
        from: &RunOutcomes,
        to: &RunOutcomes,
        group_of: &dyn Fn(&str) -> String,
    ) {
        self.runs += 1;
        let value = |by_value: &RunOutcomes, name: &str| {
            by_value
                .iter()
                .find(|(outcome, _)| outcome == name)
                .map(|(_, value)| value.clone())
        };
        let only_second = to
            .iter()
            .filter(|(name, _)| !from.iter().any(|(outcome, _)| outcome == name));
        for (name, _) in from.iter().chain(only_second) {
            let (a, b) = (value(from, name), value(to, name));
            if a != b {
                let seeds = self.differing_seeds.entry(name.clone()).or_default();
                if seeds.len() < MAX_SEEDS {
                    seeds.push(seed);
                }
            }
            let value_name = |value: Option<String>| {
                value.map_or(NO_OUTCOME.to_string(), |value| group_of(&value))
            };
            let (a, b) = (value_name(a), value_name(b));
            let by_value = self.counts.entry(name.clone()).or_default();
            let times = by_value.entry(a.clone()).or_default();
            (times.from, times.only_from) = (times.from + 1, times.only_from + u64::from(a != b));
            let times = by_value.entry(b.clone()).or_default();
            (times.to, times.only_to) = (times.to + 1, times.only_to + u64::from(a != b));
        }
    }

    fn merge(&mut self, other: PairCounts) {
        self.runs += other.runs;
        for (name, by_value) in other.counts {
            let sums = self.counts.entry(name).or_default();
            for (value, added) in by_value {
                let times = sums.entry(value).or_default();
                times.from += added.from;
                times.to += added.to;
                times.only_from += added.only_from;
                times.only_to += added.only_to;
            }
        }
        for (name, seeds) in other.differing_seeds {
            let kept_seeds = self.differing_seeds.entry(name).or_default();
            kept_seeds.extend(seeds);
            kept_seeds.sort_unstable();
            kept_seeds.truncate(MAX_SEEDS);
        }
    }
}

/// Runs two situations on the same dice until the given time or until there are `max_pairs` pairs.
pub fn run_pairs(
    comparison: &Comparison,
    from: &Situation,
    to: &Situation,
    max_pairs: u64,
    until: Instant,
) -> Result<PairCounts, Error> {
    let next = AtomicU64::new(0);
    let game = &from.ruleset().game;
    let group_of = |value: &str| game.group_outcome(value).to_string();
    let work = || -> Result<PairCounts, Error> {
        let (from, to) = (from.deep_clone(), to.deep_clone());
        let sources = (
            comparison.choice_source(&from),
            comparison.choice_source(&to),
        );
        let mut machines = (machine(comparison, &from), machine(comparison, &to));
        let mut counts = PairCounts::default();
        while !comparison.should_stop() && Instant::now() < until {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= max_pairs {
                break;
            }
            for seed in first + 1..=(first + BATCH).min(max_pairs) {
                let (a, b) = (
                    run_seed(&mut machines.0, &from, &sources.0, seed)?,
                    run_seed(&mut machines.1, &to, &sources.1, seed)?,
                );
                counts.add(seed, &plain_outcomes(a), &plain_outcomes(b), &group_of);
                if comparison.should_stop() || Instant::now() > until {
                    break;
                }
            }
            (comparison.progress)(
                "playing pairs on the same dice",
                first as f64 / max_pairs as f64,
                first,
            );
        }
        Ok(counts)
    };
    let partial_counts: Vec<Result<PairCounts, Error>> =
        parallel::on_threads(comparison.threads, |_| work());
    let mut total = PairCounts::default();
    for counts in partial_counts {
        total.merge(counts?);
    }
    Ok(total)
}

/// Creates a machine with the settings of the comparison.
pub fn machine(comparison: &Comparison, situation: &Situation) -> Machine {
    let mut machine = situation.machine();
    machine.run_mode.strict = comparison.strict;
    machine
}
