//! Two rulesets on the same dice, many times: what they make of each throw of luck, side by side.

use crate::code::machine::Machine;
use crate::compare::view::Question;
use crate::complaint::Error;
use crate::odds::distribution::NOTHING;
use crate::odds::runs::{Outcomes, Runs};
use crate::ruling::situation::Situation;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How often a value came up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Under the one ruleset.
    pub from: u64,
    /// Under the other.
    pub to: u64,
    /// Under the one alone, on the same dice.
    pub only_from: u64,
    /// Under the other alone.
    pub only_to: u64,
}

/// What came of so many pairs of runs.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// How many pairs.
    pub runs: u64,
    /// How often each value of each outcome came up. Of outcomes that a run did not name, only where the other named them.
    pub times: BTreeMap<String, BTreeMap<String, Times>>,
    /// For each outcome some of the seeds on which it parted.
    pub parted: BTreeMap<String, Vec<u64>>,
}

/// Seeds remembered for each outcome.
const REMEMBERED: usize = 6;

/// Pairs at most: intervals are below half of one per cent then.
pub const MOST: u64 = 40_000;

/// Runs at a time, between two looks at the clock.
const BATCH: u64 = 8;

impl Pairs {
    /// How often a value came up, where nothing was named too.
    pub fn of(&self, outcome: &str, value: &str) -> Times {
        let list = self.times.get(outcome);
        let mut own = list.and_then(|list| list.get(value)).copied().unwrap_or_default();
        if value == NOTHING {
            let named = |of: fn(&Times) -> u64| -> u64 {
                list.iter().flat_map(|list| list.iter()).filter(|(value, _)| *value != NOTHING).map(|(_, times)| of(times)).sum()
            };
            own.from = self.runs - named(|times| times.from);
            own.to = self.runs - named(|times| times.to);
        }
        own
    }

    /// How often each value of an outcome came up under the one ruleset, or under the other; where nothing was named too.
    pub fn came(&self, outcome: &str, other: bool) -> Vec<(&str, u64)> {
        let side = |times: Times| if other { times.to } else { times.from };
        let named = self.times.get(outcome).into_iter().flat_map(|list| list.keys()).map(String::as_str).filter(|value| *value != NOTHING);
        named.chain([NOTHING]).map(|value| (value, side(self.of(outcome, value)))).filter(|(_, times)| *times > 0).collect()
    }

    fn add(&mut self, seed: u64, from: &Outcomes, to: &Outcomes, together: &dyn Fn(&str) -> String) {
        self.runs += 1;
        let value = |list: &Outcomes, name: &str| list.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let new = to.iter().filter(|(name, _)| !from.iter().any(|(known, _)| known == name));
        for (name, _) in from.iter().chain(new) {
            let (a, b) = (value(from, name), value(to, name));
            if a != b {
                let seeds = self.parted.entry(name.clone()).or_default();
                if seeds.len() < REMEMBERED {
                    seeds.push(seed);
                }
            }
            let called = |value: Option<String>| value.map_or(NOTHING.to_string(), |value| together(&value));
            let (a, b) = (called(a), called(b));
            let list = self.times.entry(name.clone()).or_default();
            let times = list.entry(a.clone()).or_default();
            (times.from, times.only_from) = (times.from + 1, times.only_from + u64::from(a != b));
            let times = list.entry(b.clone()).or_default();
            (times.to, times.only_to) = (times.to + 1, times.only_to + u64::from(a != b));
        }
    }

    fn join(&mut self, other: Pairs) {
        self.runs += other.runs;
        for (name, list) in other.times {
            let own = self.times.entry(name).or_default();
            for (value, more) in list {
                let times = own.entry(value).or_default();
                times.from += more.from;
                times.to += more.to;
                times.only_from += more.only_from;
                times.only_to += more.only_to;
            }
        }
        for (name, seeds) in other.parted {
            let own = self.parted.entry(name).or_default();
            own.extend(seeds);
            own.sort_unstable();
            own.truncate(REMEMBERED);
        }
    }
}

/// Runs two situations on the same dice until then, or until there are enough pairs.
pub fn pairs(question: &Question, from: &Situation, to: &Situation, most: u64, until: Instant) -> Result<Pairs, Error> {
    let next = AtomicU64::new(0);
    let game = &from.ruleset().game;
    let together = |value: &str| game.together(value).to_string();
    let work = || -> Result<Pairs, Error> {
        let (from, to) = (from.apart(), to.apart());
        let deciders = (question.decider(&from), question.decider(&to));
        let (mut one, mut two) = (Runs::new(machine(question, &from), &deciders.0), Runs::new(machine(question, &to), &deciders.1));
        let mut own = Pairs::default();
        while !question.late() && Instant::now() < until {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= most {
                break;
            }
            for seed in first + 1..=(first + BATCH).min(most) {
                let (a, b) = (one.of_seed(&from, seed)?, two.of_seed(&to, seed)?);
                own.add(seed, &a, &b, &together);
                if question.late() || Instant::now() > until {
                    break;
                }
            }
            (question.progress)("playing pairs on the same dice", first as f64 / most as f64, first);
        }
        Ok(own)
    };
    let found: Vec<Result<Pairs, Error>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..question.threads).filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let own = work();
        [own].into_iter().chain(others.into_iter().filter_map(|thread| thread.join().ok())).collect()
    });
    let mut all = Pairs::default();
    for one in found {
        all.join(one?);
    }
    Ok(all)
}

/// A machine that plays as the question asks.
pub fn machine(question: &Question, situation: &Situation) -> Machine {
    let mut machine = situation.machine();
    machine.manner.strict = question.strict;
    machine
}
