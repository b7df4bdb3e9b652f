//! Searches for situations in which two rulesets differ, by random changes to the figures of a given situation.

use crate::compare::view::Comparison;
use crate::odds::distribution::NO_OUTCOME;
use crate::odds::seeded_run::{plain_outcomes, run_seed};
use crate::odds::shards::{Shard, ShardSum, Shards, WorkSpec};
use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::Program;
use casebook_engine::complaint::Error;
use casebook_engine::data::piece::Datum;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::parallel;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::situation::Situation;
use rand::Rng;
use rand_pcg::Pcg32;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A changed figure of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FigureChange {
    piece: String,
    figure: String,
    was: i64,
    now: i64,
}

/// A class of situations in which the same outcomes differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceClass {
    /// The outcomes that differ.
    pub outcomes: Vec<String>,
    /// The number of situations in the class.
    pub times: u64,
    /// The changes of the smallest situation found in the class.
    pub witness: Vec<String>,
    /// The seed that shows the difference in that situation.
    pub seed: u64,
    /// The name of each differing outcome, and its value under either ruleset.
    pub pairs: Vec<(String, String, String)>,
    /// The number of changes in the situation before it was shrunk.
    pub drawn: usize,
    /// Whether no change of the witness can be dropped; false if time was up first.
    #[serde(default)]
    pub smallest: bool,
    #[serde(skip)]
    changes: Vec<FigureChange>,
}

/// The specification of a search: only parts of equal specifications can be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchSpec {
    /// The situation whose figures are changed.
    pub like: String,
    /// The two rulesets.
    pub rulesets: [String; 2],
    /// Choices answered beforehand.
    pub choices: Vec<(String, String)>,
    /// The number of situations in all parts together.
    pub situations: u64,
    /// The number of parts.
    pub parts: u64,
}

impl WorkSpec for SearchSpec {
    fn shard_count(&self) -> u64 {
        self.parts
    }

    fn item_count(&self) -> u64 {
        self.situations
    }

    fn describe(&self) -> String {
        let SearchSpec {
            like,
            rulesets: [a, b],
            situations,
            parts,
            ..
        } = self;
        format!(
            "another search: {like} under {a} and {b}, {situations} situations in {parts} parts"
        )
    }
}

/// Ways in which two rulesets differ.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SearchReport {
    /// What was found.
    #[serde(flatten)]
    pub result: SearchResult,
    /// What was searched.
    pub of: SearchSpec,
}

/// A search with the parts present so far.
pub type SearchShards = Shards<SearchSpec, SearchResult>;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "searched")]
pub struct SearchResult {
    /// The number of situations tried.
    pub tried: u64,
    /// The number of situations that could not be run.
    pub broken: u64,
    /// The seed of the first of them, and the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<(u64, String)>,
    /// The classes of differences, most frequent first.
    pub classes: Vec<DifferenceClass>,
}

/// Draws random changes: each positive figure of a piece is changed with probability 1/2, to any value from 1 to twice its value.
fn random_changes(scenario: &Scenario, generator: &mut Pcg32) -> Vec<FigureChange> {
    let mut changes = Vec::new();
    for piece in &scenario.pieces {
        for (figure, datum) in &piece.attributes {
            let Datum::Number(was) = *datum else { continue };
            if was > 0 && generator.next_u32().is_multiple_of(2) {
                let now = i64::from(generator.next_u32()) % was.saturating_mul(2) + 1;
                if now != was {
                    changes.push(FigureChange {
                        piece: piece.name.clone(),
                        figure: figure.clone(),
                        was,
                        now,
                    });
                }
            }
        }
    }
    changes
}

/// Applies changes to a scenario; figures that it lacks are ignored.
fn apply_changes(scenario: &Scenario, changes: &[FigureChange]) -> Scenario {
    let mut changed = scenario.clone();
    for change in changes {
        let piece = changed
            .pieces
            .iter_mut()
            .find(|piece| piece.name == change.piece);
        if let Some(Datum::Number(n)) =
            piece.and_then(|piece| piece.attributes.get_mut(&change.figure))
        {
            *n = change.now;
        }
    }
    changed
}

/// A ruleset prepared for running changed situations.
struct TrialRuleset<'a> {
    comparison: &'a Comparison<'a>,
    machine: Machine,
    scenario: Arc<Scenario>,
}

impl TrialRuleset<'_> {
    /// Returns the outcomes of one seed by name.
    fn outcomes(
        &mut self,
        changes: &[FigureChange],
        seed: u64,
    ) -> Result<BTreeMap<String, String>, Error> {
        let situation = Situation::new(
            &self.machine.program.clone(),
            apply_changes(&self.scenario, changes),
        )?;
        let source = self.comparison.choice_source(&situation);
        Ok(
            plain_outcomes(run_seed(&mut self.machine, &situation, &source, seed)?)
                .into_iter()
                .collect(),
        )
    }
}

/// Returns the outcomes in which two rulesets differ on a changed situation: name, and value under each.
fn differing_outcomes(
    [a, b]: &mut [TrialRuleset<'_>; 2],
    changes: &[FigureChange],
    seed: u64,
) -> Result<Vec<(String, String, String)>, Error> {
    let (left, right) = (a.outcomes(changes, seed)?, b.outcomes(changes, seed)?);
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let text = |side: &BTreeMap<String, String>, name: &String| {
        side.get(name).cloned().unwrap_or_else(|| NO_OUTCOME.into())
    };
    Ok(names
        .into_iter()
        .map(|n| (n.clone(), text(&left, n), text(&right, n)))
        .filter(|(_, l, r)| l != r)
        .collect())
}

fn outcome_names(pairs: &[(String, String, String)]) -> Vec<String> {
    pairs.iter().map(|(name, ..)| name.clone()).collect()
}

/// Tries `count` situations under two rulesets, or one part of them, each with its own dice, on several threads and as far as time
/// allows.
pub fn search(
    comparison: &Comparison,
    a: Ruleset,
    b: Ruleset,
    count: u64,
    shard: Shard,
) -> Result<SearchResult, Error> {
    let prepare = |ruleset: Ruleset| -> Result<(Arc<Program>, Arc<Scenario>), Error> {
        let scenario = comparison.scenario(&ruleset)?;
        Ok((Arc::new(Program::new(Arc::new(ruleset))), scenario))
    };
    let (ready_a, ready_b) = (prepare(a)?, prepare(b)?);
    let side = |(program, scenario): &(Arc<Program>, Arc<Scenario>)| TrialRuleset {
        comparison,
        machine: Machine::new(program.clone()),
        scenario: scenario.clone(),
    };
    let next = AtomicUsize::new(0);
    // A quarter of the time is reserved for shrinking the witnesses.
    let until = comparison
        .deadline
        .checked_sub(
            comparison
                .deadline
                .saturating_duration_since(Instant::now())
                / 4,
        )
        .unwrap_or(comparison.deadline);
    let work = || {
        let mut sides = [side(&ready_a), side(&ready_b)];
        let mut result = SearchResult::default();
        loop {
            let Some(seed) = shard
                .items(count)
                .nth(next.fetch_add(1, Ordering::Relaxed))
                .map(|number| number + 1)
                .filter(|_| !comparison.should_stop() && Instant::now() < until)
            else {
                return result;
            };
            // The first situation is the unchanged one.
            let changes = if seed == 1 {
                Vec::new()
            } else {
                random_changes(&ready_a.1, &mut Pcg32::new(seed, 0))
            };
            result.tried += 1;
            match differing_outcomes(&mut sides, &changes, seed) {
                Ok(pairs) if pairs.is_empty() => {}
                Ok(pairs) => {
                    let (outcomes, drawn) = (outcome_names(&pairs), changes.len());
                    result.add(DifferenceClass {
                        outcomes,
                        times: 1,
                        witness: Vec::new(),
                        seed,
                        pairs,
                        drawn,
                        smallest: false,
                        changes,
                    });
                }
                Err(error) => result.add_failure(seed, &error),
            }
            (comparison.progress)("looking for situations", seed as f64 / count as f64, seed);
        }
    };
    let mut total = SearchResult::default();
    parallel::on_threads(comparison.threads, |_| work())
        .iter()
        .for_each(|result| total.merge(result));
    let mut sides = [side(&ready_a), side(&ready_b)];
    total
        .classes
        .iter_mut()
        .for_each(|class| shrink(&mut sides, class, comparison));
    Ok(total)
}

impl ShardSum for SearchResult {
    fn merge(&mut self, other: &SearchResult) {
        (self.tried, self.broken) = (self.tried + other.tried, self.broken + other.broken);
        self.why = self.why.take().into_iter().chain(other.why.clone()).min();
        other
            .classes
            .iter()
            .for_each(|class| self.add(class.clone()));
        self.classes.sort_by(|a, b| {
            b.times
                .cmp(&a.times)
                .then_with(|| a.outcomes.cmp(&b.outcomes))
        });
    }

    fn is_consistent(&self, count: u64) -> bool {
        let counted = self
            .classes
            .iter()
            .try_fold(self.broken, |sum, class| sum.checked_add(class.times));
        self.tried == count && counted.is_some_and(|sum| sum <= self.tried)
    }
}

impl SearchResult {
    /// Adds a class or merges it with an equal one; the witness with the fewest changes is kept, and the lowest seed wins ties.
    fn add(&mut self, class: DifferenceClass) {
        match self
            .classes
            .iter_mut()
            .find(|existing| existing.outcomes == class.outcomes)
        {
            Some(existing) => {
                let times = existing.times + class.times;
                if (class.drawn, class.seed) < (existing.drawn, existing.seed) {
                    *existing = class;
                }
                existing.times = times;
            }
            None => self.classes.push(class),
        }
    }

    fn add_failure(&mut self, seed: u64, error: &Error) {
        self.broken += 1;
        self.why = self
            .why
            .take()
            .into_iter()
            .chain([(seed, error.first_line())])
            .min();
    }
}

/// Drops changes that the difference doesn't need, first in large groups and then one by one.
fn shrink(sides: &mut [TrialRuleset<'_>; 2], class: &mut DifferenceClass, comparison: &Comparison) {
    let mut size = class.changes.len();
    while size > 0 {
        if comparison.should_stop() {
            break;
        }
        let mut start = 0;
        while start < class.changes.len() {
            let end = (start + size).min(class.changes.len());
            let reduced = [&class.changes[..start], &class.changes[end..]].concat();
            match differing_outcomes(sides, &reduced, class.seed) {
                Ok(pairs) if outcome_names(&pairs) == class.outcomes => {
                    (class.changes, class.pairs) = (reduced, pairs)
                }
                _ => start = end,
            }
        }
        size = if size == 1 {
            0
        } else {
            size.div_ceil(2).min(class.changes.len())
        };
    }
    let describe = |change: &FigureChange| {
        format!(
            "{}: {} {} instead of {}",
            change.piece, change.figure, change.now, change.was
        )
    };
    class.smallest = size == 0;
    class.witness = class.changes.iter().map(describe).collect();
}
