//! Who answers throws and choices at once, as Rhai's stack can't stop: dice from a stream and whoever decides; in a count, every throw in turn.

use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::code::state::{Choosing, State, Throwing};
use crate::complaint::Complaints;
use crate::odds::fraction::Fraction;
use crate::ruling::decide::{Decided, Decider};
use crate::ruling::drive::{any_option, throw};
use crate::situation::dice::{Stream, Throw};
use crate::situation::policy::Kind;
use crate::situation::trace::Answered;
use std::sync::Arc;

/// Throws one after the other, each with the way it goes now: by its number, and all ways with their weights.
#[derive(Default)]
pub struct Path {
    throws: Vec<(usize, Vec<(i64, u128)>)>,
    at: usize,
}

impl Path {
    /// The throw that comes now.
    fn throw(&mut self, ways: impl FnOnce() -> Vec<(i64, u128)>) -> i64 {
        if self.at == self.throws.len() {
            self.throws.push((0, ways()));
        }
        let (way, ways) = &self.throws[self.at];
        self.at += 1;
        ways[*way].0
    }

    /// Its chance.
    pub fn chance(&self) -> Fraction {
        self.throws.iter().fold(Fraction::ONE, |chance, (way, ways)| {
            let all: u128 = ways.iter().map(|(_, weight)| weight).sum();
            &chance * &Fraction::of(ways[*way].1.into(), all.into())
        })
    }

    /// Goes on to the path after this one; whether there is one.
    pub fn next(&mut self) -> bool {
        self.at = 0;
        while let Some((way, ways)) = self.throws.last_mut() {
            *way += 1;
            if *way < ways.len() {
                return true;
            }
            self.throws.pop();
        }
        false
    }
}

/// Whoever answers throws and choices.
pub struct Driver {
    /// Makes policies' formulas run, and complaints.
    machine: Machine,
    /// Who decides.
    pub decider: Decider,
    /// Where dice come from; none where an example sets them up.
    pub stream: Option<Box<dyn Stream>>,
    /// The path that is gone, in a count.
    pub path: Option<Path>,
}

impl Driver {
    /// Whoever answers for a ruleset: nobody yet.
    pub fn new(program: &Arc<Program>) -> Driver {
        Driver { machine: Machine::new(program.clone()), decider: Decider::default(), stream: None, path: None }
    }

    /// Throws dice.
    pub fn throw(&mut self, state: &mut State, throwing: &Throwing) -> Result<Throw, Complaints> {
        if let Some(path) = &mut self.path {
            let dice = &throwing.dice;
            let ways = || throwing.at_least.map_or_else(|| dice.totals(), |face| dice.counts(face)).unwrap_or_default();
            return Ok(Throw { total: path.throw(ways), faces: Vec::new() });
        }
        match &mut self.stream {
            Some(stream) => throw(&self.machine, state, &mut **stream, throwing),
            None => {
                let mut dice = std::mem::take(&mut state.hand.dice);
                let thrown = throw(&self.machine, state, &mut dice, throwing);
                state.hand.dice = dice;
                thrown
            }
        }
    }

    /// Answers a choice.
    pub fn choose(&mut self, state: &mut State, choosing: &Choosing) -> Result<(usize, Answered), Complaints> {
        if self.stream.is_none() {
            self.decider.answers = state.hand.answers.clone();
        }
        match (self.decider.decide(&mut self.machine, state, choosing)?, &mut self.stream) {
            (Decided::Taken(picked, by), _) => Ok((picked, by)),
            (Decided::Open(Kind::Random), Some(stream)) => Ok((any_option(&self.machine, state, &mut **stream, choosing)?, Answered::Said)),
            _ => Err(self.machine.complain(state, "choice", "best, worst and all are found by going through every chance", "")),
        }
    }
}
