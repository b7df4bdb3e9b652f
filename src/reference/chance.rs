//! Who answers throws and choices: dice from a stream and whoever decides; in a count, every throw in turn.

use crate::code::context::{Answer, Fault, fault};
use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::code::state::{Choosing, State, Throwing};
use crate::complaint::Complaints;
use crate::odds::fraction::{Distribution, Fraction};
use crate::reference::run::{Given, Run, given};
use crate::ruling::decide::{Decided, Decider};
use crate::ruling::drive::{any_option, throw};
use crate::situation::dice::{Stream, Throw};
use crate::situation::policy::Kind;
use crate::situation::trace::{Answered, Event};
use crate::situation::value::Value;
use crate::situation::words::text_of;
use rhai::{Dynamic, FnPtr, NativeCallContext};
use std::rc::Rc;
use std::sync::Arc;

/// Throws one after the other, each with the way it goes now: by its number, and all ways with their weights.
#[derive(Default)]
struct Path {
    throws: Vec<(usize, Vec<(i64, u128)>)>,
    next: usize,
}

impl Path {
    /// The throw that comes now.
    fn throw(&mut self, ways: impl FnOnce() -> Vec<(i64, u128)>) -> i64 {
        if self.next == self.throws.len() {
            self.throws.push((0, ways()));
        }
        let (way, ways) = &self.throws[self.next];
        self.next += 1;
        ways[*way].0
    }

    /// Its chance.
    fn chance(&self) -> Fraction {
        self.throws.iter().fold(Fraction::ONE, |chance, (way, ways)| {
            let all: u128 = ways.iter().map(|(_, weight)| weight).sum();
            &chance * &Fraction::of(ways[*way].1.into(), all.into())
        })
    }

    /// Goes on to the path after this one; whether there is one.
    fn next(&mut self) -> bool {
        self.next = 0;
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
pub struct Player {
    /// Makes policies' formulas run, and complaints.
    machine: Machine,
    /// Who decides.
    pub decider: Decider,
    /// Where dice come from; none where an example sets them up.
    pub stream: Option<Box<dyn Stream>>,
    path: Option<Path>,
}

impl Player {
    /// Whoever answers for a ruleset: nobody yet.
    pub fn new(program: &Arc<Program>) -> Player {
        Player { machine: Machine::new(program.clone()), decider: Decider::default(), stream: None, path: None }
    }

    fn throw(&mut self, state: &mut State, throwing: &Throwing) -> Result<Throw, Complaints> {
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

    fn choose(&mut self, state: &mut State, choosing: &Choosing) -> Result<(usize, Answered), Complaints> {
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

/// A complaint as a fault of the place where a script stands.
fn here<T>(complaints: Complaints) -> Answer<T> {
    match complaints.0.first() {
        Some(first) => fault(first.law, &first.what, &first.help),
        None => Err(Box::new(Fault::Data(complaints))),
    }
}

impl Run {
    fn moving(&self) -> Answer<()> {
        if !self.still.get() {
            return Ok(());
        }
        fault("running", "dice and choices have no place in a closure that is called again and again", "throw and choose before")
    }

    /// Throws dice.
    pub fn thrown(&self, throwing: Throwing) -> Answer {
        self.moving()?;
        let thrown = self.player.borrow_mut().throw(&mut self.state.borrow_mut(), &throwing);
        let throw = thrown.or_else(here)?;
        let total = throw.total;
        self.note(Event::Die { dice: throwing.text, purpose: throwing.purpose, throw });
        Ok(Value::Number(total))
    }

    /// Lets a side choose.
    pub fn chosen(&self, choosing: Choosing) -> Answer {
        self.moving()?;
        let chosen = self.player.borrow_mut().choose(&mut self.state.borrow_mut(), &choosing);
        let (picked, by) = chosen.or_else(here)?;
        let Choosing { side, what, options } = choosing;
        let taken = options[picked].clone();
        self.note(Event::Choice { side, what, options, picked, by });
        Ok(taken)
    }

    /// `chance` and `mean`, every path by itself: what the count merges is held against it.
    pub fn count(self: &Rc<Run>, context: &NativeCallContext, closure: &FnPtr, wanted: Option<&Value>) -> Given<Value> {
        let (state, trace) = (self.state.borrow().clone(), self.trace.take());
        self.player.borrow_mut().path = Some(Path::default());
        let mut found = Distribution::default();
        let mut came = Ok(());
        loop {
            *self.state.borrow_mut() = state.clone();
            match closure.call_raw(context, None, Vec::<Dynamic>::new()).and_then(|value| self.value(&value)) {
                Ok(value) => {
                    let chance = self.player.borrow().path.as_ref().map_or(Fraction::ZERO, Path::chance);
                    found.put(&text_of(&value, &self.state.borrow().board), &chance);
                }
                Err(error) => came = Err(error),
            }
            if came.is_err() || !self.player.borrow_mut().path.as_mut().is_some_and(Path::next) {
                break;
            }
        }
        self.player.borrow_mut().path = None;
        *self.trace.borrow_mut() = trace;
        *self.state.borrow_mut() = state;
        came?;
        match wanted {
            Some(value) => Ok(found.chance(&text_of(value, &self.state.borrow().board)).to_string().into()),
            None => given(match found.mean() {
                Some(mean) => Ok(mean.to_string().into()),
                None => fault("running", "a mean is of whole numbers", "let the closure return a number"),
            }),
        }
    }
}
