//! Looks for situations in which two rulesets part: like one that is given, with other figures.

use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::compare::view::Question;
use crate::complaint::Error;
use crate::data::piece::Datum;
use crate::data::scenario::Scenario;
use crate::odds::distribution::NOTHING;
use crate::odds::sample::of_seed;
use crate::ruleset::compose::Ruleset;
use crate::ruling::situation::Situation;
use rand::Rng;
use rand_pcg::Pcg32;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A figure of a piece that is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    piece: String,
    figure: String,
    was: i64,
    now: i64,
}

/// A way in which two rulesets part: the outcomes that differ.
#[derive(Clone, Debug, Serialize)]
pub struct Class {
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
    #[serde(skip)]
    changes: Vec<Change>,
}

/// What a search found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Searched {
    /// How many situations were tried.
    pub tried: u64,
    /// How many of them could not be carried out, and why the first could not.
    pub broken: u64,
    /// Why the first of them could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Ways of parting, the commonest first.
    pub classes: Vec<Class>,
}

/// Figures of a situation, changed: every figure of a piece that is above 0 may become any from 1 to twice as much.
fn drawn(scenario: &Scenario, generator: &mut Pcg32) -> Vec<Change> {
    let mut changes = Vec::new();
    for piece in &scenario.pieces {
        for (figure, datum) in &piece.data {
            let Datum::Number(was) = *datum else { continue };
            if was > 0 && generator.next_u32().is_multiple_of(2) {
                let now = i64::from(generator.next_u32()) % was.saturating_mul(2) + 1;
                if now != was {
                    changes.push(Change { piece: piece.name.clone(), figure: figure.clone(), was, now });
                }
            }
        }
    }
    changes
}

/// A situation with changed figures, as far as it has them.
fn changed(scenario: &Scenario, changes: &[Change]) -> Scenario {
    let mut other = scenario.clone();
    for change in changes {
        let piece = other.pieces.iter_mut().find(|piece| piece.name == change.piece);
        if let Some(Datum::Number(n)) = piece.and_then(|piece| piece.data.get_mut(&change.figure)) {
            *n = change.now;
        }
    }
    other
}

/// A ruleset ready to be tried on changed situations.
struct Side<'a> {
    question: &'a Question<'a>,
    machine: Machine,
    scenario: Scenario,
}

impl Side<'_> {
    /// The outcomes of one seed, by name.
    fn outcomes(&mut self, changes: &[Change], seed: u64) -> Result<BTreeMap<String, String>, Error> {
        let situation = Situation::new(&self.machine.program.clone(), changed(&self.scenario, changes))?;
        let decider = self.question.decider(&situation);
        Ok(of_seed(&mut self.machine, &situation, &decider, seed)?.into_iter().collect())
    }
}

/// The outcomes on which two rulesets part in a changed situation: name, and what it is under each.
fn parted([a, b]: &mut [Side<'_>; 2], changes: &[Change], seed: u64) -> Result<Vec<(String, String, String)>, Error> {
    let (left, right) = (a.outcomes(changes, seed)?, b.outcomes(changes, seed)?);
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let text = |side: &BTreeMap<String, String>, name: &String| side.get(name).cloned().unwrap_or_else(|| NOTHING.into());
    Ok(names.into_iter().map(|n| (n.clone(), text(&left, n), text(&right, n))).filter(|(_, l, r)| l != r).collect())
}

fn named(pairs: &[(String, String, String)]) -> Vec<String> {
    pairs.iter().map(|(name, ..)| name.clone()).collect()
}

/// The lists a situation uses, read once and not for every situation that is tried.
fn read_once(ruleset: Ruleset, name: &str) -> Result<(Ruleset, Scenario), Error> {
    let scenario = ruleset.scenario(name)?;
    let lists = scenario.uses.iter().filter_map(|list| ruleset.scenario(list).ok()).collect();
    Ok((ruleset.laid(BTreeMap::new(), lists), scenario))
}

/// Tries so many situations under two rulesets, each with dice of its own, on all threads; as many as there is time for.
pub fn search(question: &Question, a: Ruleset, b: Ruleset, count: u64) -> Result<Searched, Error> {
    let ready = |ruleset: Ruleset| -> Result<(Arc<Program>, Scenario), Error> {
        let (ruleset, scenario) = read_once(ruleset, question.name)?;
        Ok((Arc::new(Program::new(Arc::new(ruleset))), scenario))
    };
    let (one, two) = (ready(a)?, ready(b)?);
    let side = |(program, scenario): &(Arc<Program>, Scenario)| Side {
        question,
        machine: Machine::new(program.clone()),
        scenario: scenario.clone(),
    };
    let next = AtomicU64::new(1);
    let work = || {
        let mut sides = [side(&one), side(&two)];
        let mut found = Searched::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > count || question.late() {
                return found;
            }
            // The first situation is the one given, unchanged.
            let changes = if seed == 1 { Vec::new() } else { drawn(&one.1, &mut Pcg32::new(seed, 0)) };
            found.tried += 1;
            match parted(&mut sides, &changes, seed) {
                Ok(pairs) if pairs.is_empty() => {}
                Ok(pairs) => found.add(Class { outcomes: named(&pairs), times: 1, witness: Vec::new(), seed, pairs, changes }),
                Err(error) => found.broke(&error),
            }
            (question.progress)("looking for situations", seed as f64 / count as f64, seed);
        }
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..question.threads).filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut all = work();
        for other in others.into_iter().filter_map(|thread| thread.join().ok()) {
            (all.tried, all.broken) = (all.tried + other.tried, all.broken + other.broken);
            all.why = all.why.or(other.why);
            other.classes.into_iter().for_each(|class| all.add(class));
        }
        all
    });
    let mut sides = [side(&one), side(&two)];
    for class in &mut all.classes {
        shrink(&mut sides, class, question)?;
    }
    all.classes.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.outcomes.cmp(&b.outcomes)));
    Ok(all)
}

impl Searched {
    /// Adds a class, or one more of a class that is known; the witness with the fewest changes stands, of equals that of the lowest seed.
    fn add(&mut self, class: Class) {
        match self.classes.iter_mut().find(|known| known.outcomes == class.outcomes) {
            Some(known) => {
                let times = known.times + class.times;
                if (class.changes.len(), class.seed) < (known.changes.len(), known.seed) {
                    *known = class;
                }
                known.times = times;
            }
            None => self.classes.push(class),
        }
    }

    fn broke(&mut self, error: &Error) {
        self.broken += 1;
        let why = match error {
            Error::Data(complaints) => complaints.0.first().map(|complaint| complaint.what.clone()).unwrap_or_default(),
            other => other.to_string(),
        };
        self.why.get_or_insert(why);
    }
}

/// Takes back changes that the difference does not need, many at once and then one by one.
fn shrink(sides: &mut [Side<'_>; 2], class: &mut Class, question: &Question) -> Result<(), Error> {
    let mut size = class.changes.len();
    while size > 0 && !question.late() {
        let mut start = 0;
        while start < class.changes.len() {
            let end = (start + size).min(class.changes.len());
            let less = [&class.changes[..start], &class.changes[end..]].concat();
            match parted(sides, &less, class.seed) {
                Ok(pairs) if named(&pairs) == class.outcomes => (class.changes, class.pairs) = (less, pairs),
                _ => start = end,
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2).min(class.changes.len()) };
    }
    let told = |change: &Change| format!("{}: {} {} instead of {}", change.piece, change.figure, change.now, change.was);
    class.witness = class.changes.iter().map(told).collect();
    Ok(())
}
