//! Looks for situations in which two rulesets part: like one that is given, with other figures.

use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::compare::view::Comparison;
use crate::complaint::Error;
use crate::data::piece::Datum;
use crate::data::scenario::Scenario;
use crate::odds::bar_chart::percent;
use crate::odds::distribution::{NO_OUTCOME, display_value};
use crate::odds::run_sampler::run_seed;
use crate::odds::shards::{ShardSum, Shards, WorkSpec, shard_items};
use crate::ruleset::compose::Ruleset;
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::TerminalPage;
use rand::Rng;
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A figure of a piece that is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FigureChange {
    piece: String,
    figure: String,
    was: i64,
    now: i64,
}

/// A way in which two rulesets part: the outcomes that differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferenceClass {
    /// The outcomes that differ.
    pub outcomes: Vec<String>,
    /// In how many of the situations.
    pub times: u64,
    /// A situation that shows it: the fewest figures changed in it that were found to do.
    pub witness: Vec<String>,
    /// The seed that shows it there.
    pub seed: u64,
    /// The outcomes under the one ruleset and under the other.
    pub pairs: Vec<(String, String, String)>,
    /// How many figures were changed in it before any change was taken back.
    pub drawn: usize,
    /// Whether no change of the witness can be taken back; not where time was up before.
    #[serde(default)]
    pub smallest: bool,
    #[serde(skip)]
    changes: Vec<FigureChange>,
}

/// What is searched: only parts of the same can be joined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchSpec {
    /// The situation that the others are like.
    pub like: String,
    /// The two rulesets.
    pub rulesets: [String; 2],
    /// Choices that were answered beforehand.
    pub choices: Vec<(String, String)>,
    /// How many situations are tried in all parts together.
    pub situations: u64,
    /// How many parts there are.
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
        let SearchSpec { like, rulesets: [a, b], situations, parts, .. } = self;
        format!("another search: {like} under {a} and {b}, {situations} situations in {parts} parts")
    }
}

/// A search with all its parts, as far as they are there.
pub type SearchShards = Shards<SearchSpec, SearchResult>;

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// How many situations were tried.
    pub tried: u64,
    /// How many of them could not be carried out, and why the first could not.
    pub broken: u64,
    /// The seed of the first of them, and why it could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<(u64, String)>,
    /// Ways of parting, the commonest first.
    pub classes: Vec<DifferenceClass>,
}

/// Figures of a situation, changed: every figure of a piece that is above 0 may become any from 1 to twice as much.
fn random_changes(scenario: &Scenario, generator: &mut Pcg32) -> Vec<FigureChange> {
    let mut changes = Vec::new();
    for piece in &scenario.pieces {
        for (figure, datum) in &piece.attributes {
            let Datum::Number(was) = *datum else { continue };
            if was > 0 && generator.next_u32().is_multiple_of(2) {
                let now = i64::from(generator.next_u32()) % was.saturating_mul(2) + 1;
                if now != was {
                    changes.push(FigureChange { piece: piece.name.clone(), figure: figure.clone(), was, now });
                }
            }
        }
    }
    changes
}

/// A situation with changed figures, as far as it has them.
fn apply_changes(scenario: &Scenario, changes: &[FigureChange]) -> Scenario {
    let mut other = scenario.clone();
    for change in changes {
        let piece = other.pieces.iter_mut().find(|piece| piece.name == change.piece);
        if let Some(Datum::Number(n)) = piece.and_then(|piece| piece.attributes.get_mut(&change.figure)) {
            *n = change.now;
        }
    }
    other
}

/// A ruleset ready to be tried on changed situations.
struct TrialRuleset<'a> {
    comparison: &'a Comparison<'a>,
    machine: Machine,
    scenario: Arc<Scenario>,
}

impl TrialRuleset<'_> {
    /// The outcomes of one seed, by name.
    fn outcomes(&mut self, changes: &[FigureChange], seed: u64) -> Result<BTreeMap<String, String>, Error> {
        let situation = Situation::new(&self.machine.program.clone(), apply_changes(&self.scenario, changes))?;
        let decider = self.comparison.choice_source(&situation);
        Ok(run_seed(&mut self.machine, &situation, &decider, seed)?.into_iter().collect())
    }
}

/// The outcomes on which two rulesets part in a changed situation: name, and what it is under each.
fn differing_outcomes(
    [a, b]: &mut [TrialRuleset<'_>; 2],
    changes: &[FigureChange],
    seed: u64,
) -> Result<Vec<(String, String, String)>, Error> {
    let (left, right) = (a.outcomes(changes, seed)?, b.outcomes(changes, seed)?);
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let text = |side: &BTreeMap<String, String>, name: &String| side.get(name).cloned().unwrap_or_else(|| NO_OUTCOME.into());
    Ok(names.into_iter().map(|n| (n.clone(), text(&left, n), text(&right, n))).filter(|(_, l, r)| l != r).collect())
}

fn outcome_names(pairs: &[(String, String, String)]) -> Vec<String> {
    pairs.iter().map(|(name, ..)| name.clone()).collect()
}

/// Tries so many situations under two rulesets, or a part of them, each with dice of its own, on all threads; as many as there is time for.
pub fn search(question: &Comparison, a: Ruleset, b: Ruleset, count: u64, shard: (u64, u64)) -> Result<SearchResult, Error> {
    let ready = |ruleset: Ruleset| -> Result<(Arc<Program>, Arc<Scenario>), Error> {
        let scenario = question.scenario(&ruleset)?;
        Ok((Arc::new(Program::new(Arc::new(ruleset))), scenario))
    };
    let (one, two) = (ready(a)?, ready(b)?);
    let side = |(program, scenario): &(Arc<Program>, Arc<Scenario>)| TrialRuleset {
        comparison: question,
        machine: Machine::new(program.clone()),
        scenario: scenario.clone(),
    };
    let next = AtomicUsize::new(0);
    // A quarter of the time is kept for making the witnesses small.
    let until = question.deadline.checked_sub(question.deadline.saturating_duration_since(Instant::now()) / 4).unwrap_or(question.deadline);
    let work = || {
        let mut sides = [side(&one), side(&two)];
        let mut found = SearchResult::default();
        loop {
            let Some(seed) = shard_items(shard, count)
                .nth(next.fetch_add(1, Ordering::Relaxed))
                .map(|number| number + 1)
                .filter(|_| !question.should_stop() && Instant::now() < until)
            else {
                return found;
            };
            // The first situation is the one given, unchanged.
            let changes = if seed == 1 { Vec::new() } else { random_changes(&one.1, &mut Pcg32::new(seed, 0)) };
            found.tried += 1;
            match differing_outcomes(&mut sides, &changes, seed) {
                Ok(pairs) if pairs.is_empty() => {}
                Ok(pairs) => {
                    let (outcomes, drawn) = (outcome_names(&pairs), changes.len());
                    found.add(DifferenceClass { outcomes, times: 1, witness: Vec::new(), seed, pairs, drawn, smallest: false, changes });
                }
                Err(error) => found.add_failure(seed, &error),
            }
            (question.progress)("looking for situations", seed as f64 / count as f64, seed);
        }
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..question.threads).filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut all = SearchResult::default();
        all.merge(&work());
        for other in others.into_iter().filter_map(|thread| thread.join().ok()) {
            all.merge(&other);
        }
        all
    });
    let mut sides = [side(&one), side(&two)];
    for class in &mut all.classes {
        shrink(&mut sides, class, question)?;
    }
    Ok(all)
}

impl ShardSum for SearchResult {
    fn merge(&mut self, other: &SearchResult) {
        (self.tried, self.broken) = (self.tried + other.tried, self.broken + other.broken);
        self.why = self.why.take().into_iter().chain(other.why.clone()).min();
        other.classes.iter().for_each(|class| self.add(class.clone()));
        self.classes.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.outcomes.cmp(&b.outcomes)));
    }

    fn is_consistent(&self, count: u64) -> bool {
        let parted = self.classes.iter().try_fold(self.broken, |sum, class| sum.checked_add(class.times));
        self.tried == count && parted.is_some_and(|sum| sum <= self.tried)
    }
}

impl SearchResult {
    /// Adds a class, or one more of a class that is known; the witness with the fewest changes stands, of equals that of the lowest seed.
    fn add(&mut self, class: DifferenceClass) {
        match self.classes.iter_mut().find(|known| known.outcomes == class.outcomes) {
            Some(known) => {
                let times = known.times + class.times;
                if (class.drawn, class.seed) < (known.drawn, known.seed) {
                    *known = class;
                }
                known.times = times;
            }
            None => self.classes.push(class),
        }
    }

    fn add_failure(&mut self, seed: u64, error: &Error) {
        self.broken += 1;
        let why = match error {
            Error::Data(complaints) => complaints.0.first().map(|complaint| complaint.what.clone()).unwrap_or_default(),
            other => other.to_string(),
        };
        self.why = self.why.take().into_iter().chain([(seed, why)]).min();
    }
}

/// Takes back changes that the difference does not need, many at once and then one by one.
fn shrink(sides: &mut [TrialRuleset<'_>; 2], class: &mut DifferenceClass, question: &Comparison) -> Result<(), Error> {
    let mut size = class.changes.len();
    while size > 0 {
        if question.should_stop() {
            break;
        }
        let mut start = 0;
        while start < class.changes.len() {
            let end = (start + size).min(class.changes.len());
            let less = [&class.changes[..start], &class.changes[end..]].concat();
            match differing_outcomes(sides, &less, class.seed) {
                Ok(pairs) if outcome_names(&pairs) == class.outcomes => (class.changes, class.pairs) = (less, pairs),
                _ => start = end,
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2).min(class.changes.len()) };
    }
    let told = |change: &FigureChange| format!("{}: {} {} instead of {}", change.piece, change.figure, change.now, change.was);
    class.smallest = size == 0;
    class.witness = class.changes.iter().map(told).collect();
    Ok(())
}

impl SearchShards {
    /// As a person reads it: the ways of parting, each with the smallest situation that shows it.
    pub fn render(&self, page: TerminalPage) -> String {
        let (of, found) = (&self.of, self.total());
        let title = format!("{} and {}, {} with other figures and dice", of.rulesets[0], of.rulesets[1], of.like);
        let mut out = format!("{}\n", page.paint("1", &title));
        let lacking = self.missing_shards();
        let late = lacking.is_none() && found.tried < of.situations;
        let short = if late { format!(" (of {}: the rest was not tried)", of.situations) } else { String::new() };
        lacking.into_iter().for_each(|lacking| out.push_str(&format!("{lacking}\n")));
        let tried = found.tried - found.broken;
        if found.classes.is_empty() {
            out.push_str(&format!("no difference was found in {tried} situations{short}\n"));
        }
        for class in &found.classes {
            let share = percent(class.times as f64 / tried.max(1) as f64);
            out.push_str(&format!("\n{} part in {} of {tried} situations ({share}){short}\n", class.outcomes.join(", "), class.times));
            let witness = if class.witness.is_empty() { "the situation as it is".into() } else { class.witness.join("; ") };
            let found = if class.smallest { "smallest" } else { "one of them, with more changed than it may need" };
            out.push_str(&page.line(&format!("{found}: {witness}; seed {}", class.seed), &[]));
            class
                .pairs
                .iter()
                .for_each(|(outcome, l, r)| out.push_str(&format!("    {outcome}: {} and {}\n", display_value(l), display_value(r))));
        }
        if let Some((_, why)) = &found.why {
            out.push_str(&format!("\n{} more could not be carried out: {why}\n", found.broken));
        }
        out
    }
}
