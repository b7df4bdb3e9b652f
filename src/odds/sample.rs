//! Odds by trying, for what could not be counted: never without saying so, and with the error that goes with it.

use crate::code::machine::Machine;
use crate::code::state::State;
use crate::complaint::{Complaints, Error};
use crate::odds::count::Counted;
use crate::odds::distribution::NOTHING;
use crate::odds::explore::Bounds;
use crate::odds::graph::Node;
use crate::odds::graph::from_the_ends;
use crate::ruling::decide::Decider;
use crate::ruling::drive::{Ended, drive};
use crate::ruling::resolve::cite;
use crate::ruling::situation::Situation;
use crate::situation::dice::Seeded;
use crate::situation::words::shown;
use rand::Rng;
use rand_pcg::Pcg32;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The outcomes of one run, the last word on each, in the order they were first named.
pub type Outcomes = Vec<(String, String)>;

/// What came of so many runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// How many runs.
    pub runs: u64,
    /// The part of all chances they stand for: what was not counted.
    pub share: f64,
    /// How often each value of each outcome came up, in the order the rules name outcomes.
    pub counts: Vec<(String, BTreeMap<String, u64>)>,
}

impl Sample {
    /// The share of all chances a value has by this sample, and half the width of its 95 per cent interval.
    pub fn share(&self, name: &str, value: &str) -> (f64, f64) {
        let count = self.counts.iter().find(|(known, _)| known == name).and_then(|(_, list)| list.get(value)).copied();
        let named: u64 = self.counts.iter().find(|(known, _)| known == name).map_or(0, |(_, list)| list.values().sum());
        let count = count.unwrap_or(if value == NOTHING { self.runs - named } else { 0 });
        let n = self.runs.max(1) as f64;
        let share = count as f64 / n;
        (self.share * share, self.share * 1.96 * (share * (1.0 - share) / n).sqrt())
    }

    fn count(&mut self, name: &str, value: &str, times: u64) {
        let index = self.counts.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.counts.push((name.into(), BTreeMap::new()));
            self.counts.len() - 1
        });
        *self.counts[index].1.entry(value.into()).or_insert(0) += times;
    }

    fn join(&mut self, other: Sample) {
        self.runs += other.runs;
        for (name, list) in other.counts {
            list.into_iter().for_each(|(value, times)| self.count(&name, &value, times));
        }
    }
}

/// Sets an outcome: the last word on it stands.
fn set(outcomes: &mut Outcomes, name: &str, value: String) {
    match outcomes.iter_mut().find(|(known, _)| known == name) {
        Some((_, last)) => *last = value,
        None => outcomes.push((name.to_string(), value)),
    }
}

/// Drives a state to its end with the dice of a seed; the outcomes it names are added to those named before.
pub fn go_on(
    machine: &mut Machine,
    mut state: State,
    decider: &Decider,
    seed: u64,
    mut outcomes: Outcomes,
) -> Result<Outcomes, Complaints> {
    match drive(machine, &mut state, &mut Seeded::new(seed), decider)? {
        Ended::Done(_) => {
            state.outcomes.iter().for_each(|(name, value)| set(&mut outcomes, name, shown(value, &state.board)));
            Ok(outcomes)
        }
        Ended::Refused(refusal) => {
            let by = refusal.cases.first().map(|case| cite(&machine.program.ruleset, *case)).unwrap_or_default();
            Ok(vec![("refused".to_string(), by)])
        }
    }
}

/// The outcomes of a situation with the dice of a seed.
pub fn of_seed(machine: &mut Machine, situation: &Situation, decider: &Decider, seed: u64) -> Result<Outcomes, Error> {
    let state = situation.begin(machine)?;
    go_on(machine, state, decider, seed, Outcomes::new()).map_err(Error::Data)
}

/// Shares by node, told by where it stands in memory.
type Shares = FxHashMap<usize, f64>;

fn place(node: &Arc<Node>) -> usize {
    Arc::as_ptr(node) as usize
}

/// How much of what lies behind each node was not seen.
fn unseen(counted: &Counted) -> Shares {
    let mut known = Shares::default();
    for node in from_the_ends(&counted.root.to) {
        let share = match &**node {
            Node::Unseen(_) => 1.0,
            Node::Throw(ways) => {
                let all: f64 = ways.iter().map(|(weight, _)| *weight as f64).sum();
                ways.iter().map(|(weight, branch)| *weight as f64 / all * known[&place(&branch.to)]).sum()
            }
            Node::Choice(_, _, options) => options.first().map_or(0.0, |branch| known[&place(&branch.to)]),
            _ => 0.0,
        };
        known.insert(place(node), share);
    }
    known
}

/// Runs at a time, between two looks at the clock.
const BATCH: u64 = 16;

/// Samples what was not counted, on so many threads, until time is up or `most` runs are done. Each run has a number, and the dice of it:
/// so a sample of so many runs is the same on every machine, however many threads worked on it.
pub fn sample(
    situation: &Situation,
    decider: &Decider,
    counted: &Counted,
    most: u64,
    threads: usize,
    bounds: &Bounds,
) -> Result<Sample, Error> {
    let unseen = unseen(counted);
    let share = unseen.get(&place(&counted.root.to)).copied().unwrap_or(0.0);
    let next = AtomicU64::new(0);
    let late = || Instant::now() > bounds.end || bounds.stop.load(Ordering::Relaxed);
    let work = || -> Result<Sample, Error> {
        let situation = situation.apart();
        let mut machine = Machine::new(situation.program.clone());
        let mut own = Sample { share, ..Sample::default() };
        while !late() {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= most {
                break;
            }
            for number in first..(first + BATCH).min(most) {
                let outcomes = one(&mut machine, &situation, decider, counted, &unseen, number + 1)?;
                outcomes.iter().for_each(|(name, value)| own.count(name, value, 1));
                own.runs += 1;
            }
            (bounds.progress)(1.0 - share, first);
        }
        Ok(own)
    };
    let found: Vec<Result<Sample, Error>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let own = work();
        [own].into_iter().chain(others.into_iter().filter_map(|thread| thread.join().ok())).collect()
    });
    let mut all = Sample { share, ..Sample::default() };
    for one in found {
        all.join(one?);
    }
    Ok(all)
}

/// One run: along what was counted to where it was not, and on from there.
fn one(
    machine: &mut Machine,
    situation: &Situation,
    decider: &Decider,
    counted: &Counted,
    unseen: &Shares,
    number: u64,
) -> Result<Outcomes, Error> {
    let mut generator = Pcg32::new(number, 0x5eed);
    let mut outcomes = Outcomes::new();
    let mut branch = &counted.root;
    loop {
        for (name, value) in &branch.named {
            set(&mut outcomes, &counted.names.name_of(*name), counted.names.value_of(*value));
        }
        match &*branch.to {
            Node::Unseen(state) => {
                let mut state = (**state).clone();
                // Memory of this thread's own, as the situation's.
                state.board.start = situation.start.clone();
                state.stopped.1 = 0;
                return go_on(machine, state, decider, number, outcomes).map_err(Error::Data);
            }
            Node::Throw(ways) => {
                let weigh = |(weight, branch): &(u128, crate::odds::graph::Branch)| *weight as f64 * unseen[&place(&branch.to)];
                let all: f64 = ways.iter().map(weigh).sum();
                let mut left = f64::from(generator.next_u32()) / (f64::from(u32::MAX) + 1.0) * all;
                let mut taken = None;
                for way in ways.iter().filter(|way| weigh(way) > 0.0) {
                    taken = Some(&way.1);
                    left -= weigh(way);
                    if left < 0.0 {
                        break;
                    }
                }
                match taken {
                    Some(next) => branch = next,
                    None => return Ok(outcomes),
                }
            }
            Node::Choice(_, _, options) => match options.first() {
                Some(next) => branch = next,
                None => return Ok(outcomes),
            },
            Node::Done | Node::Came(_) => return Ok(outcomes),
            Node::Refused(by) => return Ok(vec![("refused".to_string(), counted.names.value_of(*by))]),
        }
    }
}
