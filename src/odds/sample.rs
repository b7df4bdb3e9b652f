//! Odds by trying, for what could not be counted: never without saying so, and with the error that goes with it.

use crate::code::machine::{Consulted, Machine};
use crate::complaint::Error;
use crate::odds::bounds::Bounds;
use crate::odds::count::Counted;
use crate::odds::distribution::{Condition, NOTHING};
use crate::odds::graph::Node;
use crate::odds::graph::from_the_ends;
use crate::odds::runs::{Outcomes, Runs, refused, set};
use crate::ruling::decide::Decider;
use crate::ruling::situation::Situation;
use rand::Rng;
use rand_pcg::Pcg32;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What is asked of each run beside the values of its outcomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Only runs in which these hold are looked at.
    pub conditions: Vec<Condition>,
    /// Outcomes that are looked at together.
    pub joint: Vec<String>,
}

/// What came of so many runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// How many runs.
    pub runs: u64,
    /// In how many of them the conditions held.
    pub held: u64,
    /// The part of all chances they stand for: what was not counted.
    pub share: f64,
    /// How often each value of each outcome came up where the conditions held, in the order the rules name outcomes.
    pub counts: Vec<(String, BTreeMap<String, u64>)>,
    /// How often the values of the outcomes that are looked at together came up where the conditions held.
    pub rows: BTreeMap<Vec<String>, u64>,
    /// The counted chance that the conditions hold, where there are any.
    pub within: Option<f64>,
    /// What the runs consulted.
    pub consulted: Consulted,
}

impl Sample {
    /// The chance of a value of which so much was counted, and half the width of its 95 per cent interval. Where conditions are asked, what
    /// was counted is the chance that they hold and the value comes up, and the answer its chance where they hold.
    pub fn chance(&self, name: &str, value: &str, counted: f64) -> (f64, f64) {
        let list = self.counts.iter().find(|(known, _)| known == name).map(|(_, list)| list);
        let named: u64 = list.map_or(0, |list| list.values().sum());
        let count = list.and_then(|list| list.get(value)).copied().unwrap_or(if value == NOTHING { self.held - named } else { 0 });
        self.where_held(count, counted)
    }

    /// The same of outcomes that are looked at together.
    pub fn row(&self, values: &[String], counted: f64) -> (f64, f64) {
        self.where_held(self.rows.get(values).copied().unwrap_or(0), counted)
    }

    fn where_held(&self, count: u64, counted: f64) -> (f64, f64) {
        match self.within {
            None => self.of(count, counted),
            Some(within) => self.ratio(count, counted, within),
        }
    }

    /// The chance of what came up so often and of which so much was counted, with its error. So few runs as there may be, it is never nothing.
    pub fn of(&self, count: u64, counted: f64) -> (f64, f64) {
        if self.runs == 0 {
            return (counted, self.share);
        }
        // Agresti and Coull: two runs more of either kind, so that what did not come up is not called impossible.
        let (share, n) = (count as f64 / self.runs as f64, self.runs as f64 + 4.0);
        let near = (count as f64 + 2.0) / n;
        (counted + self.share * share, self.share * 1.96 * (near * (1.0 - near) / n).sqrt())
    }

    /// The chance where the conditions hold.
    fn ratio(&self, count: u64, counted: f64, within: f64) -> (f64, f64) {
        let n = self.runs as f64;
        let of = |count: u64| if self.runs == 0 { 0.0 } else { count as f64 / n };
        let all = within + self.share * of(self.held);
        if self.runs == 0 || all <= 0.0 {
            return (if within > 0.0 { counted / within } else { 0.0 }, 1.0);
        }
        let ratio = (counted + self.share * of(count)) / all;
        let (both, held) = ((count as f64 + 1.0) / (n + 4.0), (self.held as f64 + 2.0) / (n + 4.0));
        let spread = both * (1.0 - ratio).powi(2) + (held - both).max(0.0) * ratio.powi(2) - (both - ratio * held).powi(2);
        (ratio, (1.96 * self.share * (spread.max(0.0) / n).sqrt() / all).min(1.0))
    }

    /// How likely it is that the conditions hold, with the error; sure where there are none.
    pub fn condition(&self) -> Option<(f64, f64)> {
        Some(self.of(self.held, self.within?))
    }

    /// Takes in the outcomes of a run.
    pub fn take(&mut self, outcomes: &Outcomes, asked: &Asked) {
        let value = |name: &str| outcomes.iter().find(|(known, _)| known == name).map_or(NOTHING, |(_, value)| value.as_str());
        self.runs += 1;
        if asked.conditions.iter().all(|condition| condition.holds(value(&condition.name))) {
            self.held += 1;
            if !asked.joint.is_empty() {
                *self.rows.entry(asked.joint.iter().map(|name| value(name).to_string()).collect()).or_insert(0) += 1;
            }
            outcomes.iter().for_each(|(name, value)| self.count(name, value, 1));
        }
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
        self.held += other.held;
        self.consulted.join(other.consulted);
        other.rows.into_iter().for_each(|(row, times)| *self.rows.entry(row).or_insert(0) += times);
        for (name, list) in other.counts {
            list.into_iter().for_each(|(value, times)| self.count(&name, &value, times));
        }
    }
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
            Node::Unseen(..) => 1.0,
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
    asked: &Asked,
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
        let mut runs = Runs::new(Machine::new(situation.program.clone()), decider);
        let mut own = Sample { share, ..Sample::default() };
        while !late() {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= most {
                break;
            }
            for number in first..(first + BATCH).min(most) {
                let outcomes = one(&mut runs, &situation, counted, &unseen, number + 1)?;
                own.take(&outcomes, asked);
            }
            (bounds.progress)(1.0 - share, first);
        }
        own.consulted = runs.machine.consulted(&situation.start);
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
fn one(runs: &mut Runs, situation: &Situation, counted: &Counted, unseen: &Shares, number: u64) -> Result<Outcomes, Error> {
    let mut generator = Pcg32::new(number, 0x5eed);
    let mut outcomes = Outcomes::new();
    let mut branch = &counted.root;
    loop {
        for (name, value) in &branch.named {
            set(&mut outcomes, &counted.names.name_of(*name), &counted.names.value_of(*value));
        }
        match &*branch.to {
            Node::Unseen(state, answer) => {
                let begin = |machine: &mut Machine| {
                    let mut state = (**state).clone();
                    // Memory of this thread's own, as the situation's.
                    state.board.start = situation.start.clone();
                    if let Some(answer) = answer {
                        machine.take_up(&state).map_err(Error::Data)?;
                        machine.answer(&mut state, answer.clone());
                    }
                    state.stopped.1 = 0;
                    Ok(state)
                };
                return runs.on(place(&branch.to), begin, number, outcomes);
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
            Node::Refused(by) => return Ok(refused(&counted.names.value_of(*by))),
        }
    }
}
