//! Answers throws and choices synchronously, because Rhai's evaluator can't suspend: dice come from a stream, and a count enumerates
//! every throw.

use crate::code::context::{Fault, VerbResult, fault};
use crate::code::machine::Machine;
use crate::code::program::Program;
use crate::code::state::{ChoiceRequest, State, ThrowRequest};
use crate::complaint::{Complaints, DiagnosticCode};
use crate::notation::Face;
use crate::odds::fraction::{Distribution, Fraction};
use crate::reference::conversion::RhaiResult;
use crate::reference::run::{ReferenceRun, to_rhai_result};
use crate::ruling::choice_source::{ChoiceResult, ChoiceSource};
use crate::ruling::driver::{random_option, throw};
use crate::situation::dice::DiceStream;
use crate::situation::policy::PolicyKind;
use crate::situation::trace::{AnswerSource, Event, MadeChoice, ThrownDice};
use crate::situation::value::Value;
use crate::situation::value_text::value_text;
use rhai::{Dynamic, FnPtr, NativeCallContext};
use std::rc::Rc;
use std::sync::Arc;

/// A path of throws: for each throw the index of the current result, and all results with their weights.
#[derive(Default)]
struct ThrowPath {
    throws: Vec<(usize, Vec<(Value, u128)>)>,
    position: usize,
}

impl ThrowPath {
    /// Returns the result of the next throw on the path; `ways` supplies the results of a new one.
    fn next_throw(&mut self, ways: impl FnOnce() -> Vec<(Value, u128)>) -> Value {
        if self.position == self.throws.len() {
            self.throws.push((0, ways()));
        }
        let (way, ways) = &self.throws[self.position];
        self.position += 1;
        ways[*way].0.clone()
    }

    /// Returns the probability of the path.
    fn chance(&self) -> Fraction {
        self.throws.iter().fold(Fraction::ONE, |chance, (way, ways)| {
            let all: u128 = ways.iter().map(|(_, weight)| weight).sum();
            &chance * &Fraction::new(ways[*way].1.into(), all.into())
        })
    }

    /// Moves on to the next path; false if there is none.
    fn next_path(&mut self) -> bool {
        self.position = 0;
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

/// A synchronous driver of throws and choices.
pub struct Driver {
    /// The machine that evaluates policies and builds complaints.
    machine: Machine,
    /// The source of answers to choices.
    pub choice_source: ChoiceSource,
    /// The stream of dice; `None` if an example supplies them.
    pub stream: Option<Box<dyn DiceStream>>,
    /// The current path of a count.
    path: Option<ThrowPath>,
}

impl Driver {
    /// Creates a driver for a ruleset, without dice and answers.
    pub fn new(program: &Arc<Program>) -> Driver {
        Driver { machine: Machine::new(program.clone()), choice_source: ChoiceSource::default(), stream: None, path: None }
    }

    /// Throws dice; returns what the rule reads, and the face of each die unless a path of a count is followed.
    fn throw(&mut self, state: &mut State, throwing: &ThrowRequest) -> Result<(Value, Vec<Face>), Complaints> {
        if let Some(path) = &mut self.path {
            return Ok((path.next_throw(|| throwing.distribution().unwrap_or_default()), Vec::new()));
        }
        let thrown = match &mut self.stream {
            Some(stream) => throw(&self.machine, state, &mut **stream, throwing),
            None => {
                let mut dice = std::mem::take(&mut state.fixture.dice);
                let thrown = throw(&self.machine, state, &mut dice, throwing);
                state.fixture.dice = dice;
                thrown
            }
        }?;
        Ok((throwing.read(&thrown), thrown.iter().map(|side| throwing.dice.face(*side)).collect()))
    }

    /// Answers a choice.
    fn choose(&mut self, state: &mut State, choosing: &ChoiceRequest) -> Result<(usize, AnswerSource), Complaints> {
        if self.stream.is_none() {
            self.choice_source.answers = state.fixture.answers.clone();
        }
        match (self.choice_source.decide(&mut self.machine, state, choosing)?, &mut self.stream) {
            (ChoiceResult::Taken(picked, by), _) => Ok((picked, by)),
            (ChoiceResult::Undecided(PolicyKind::Random), Some(stream)) => {
                Ok((random_option(&self.machine, state, &mut **stream, choosing)?, AnswerSource::Explicit))
            }
            _ => Err(self.machine.complaint_at_stop(
                state,
                DiagnosticCode::Choice,
                "best, worst and all are found by going through every chance",
                "",
            )),
        }
    }
}

/// Converts complaints to a fault at the position of the script.
fn fault_at_script<T>(complaints: Complaints) -> VerbResult<T> {
    match complaints.0.first() {
        Some(first) => fault(first.code, first.what.as_str(), &first.help),
        None => Err(Box::new(Fault::Data(complaints))),
    }
}

impl ReferenceRun {
    fn ensure_may_throw(&self) -> VerbResult<()> {
        if !self.throws_forbidden.get() {
            return Ok(());
        }
        fault(
            DiagnosticCode::Running,
            "this closure throws dice or asks a question, but it is called many times",
            "throw and choose before",
        )
    }

    /// Throws dice.
    pub fn throw_dice(&self, throwing: ThrowRequest) -> VerbResult {
        self.ensure_may_throw()?;
        let thrown = self.driver.borrow_mut().throw(&mut self.state.borrow_mut(), &throwing);
        let (value, faces) = thrown.or_else(fault_at_script)?;
        let seen_by = throwing.seen_by().cloned();
        let thrown = ThrownDice { dice: throwing.notation, purpose: throwing.purpose, value: value.clone(), faces, seen_by };
        self.record(Event::Throw(Box::new(thrown)));
        Ok(value)
    }

    /// Asks a side to choose.
    pub fn choose(&self, choosing: ChoiceRequest) -> VerbResult {
        self.ensure_may_throw()?;
        let chosen = self.driver.borrow_mut().choose(&mut self.state.borrow_mut(), &choosing);
        let (picked, by) = chosen.or_else(fault_at_script)?;
        let ChoiceRequest { side, question: what, options } = choosing;
        let taken = options[picked].clone();
        self.record(Event::Choice(Box::new(MadeChoice { side, question: what, options, chosen_index: picked, answered_by: by })));
        Ok(taken)
    }

    /// Runs `chance` and `mean` by enumerating every path without merging, as a reference for the merging count.
    pub fn count_paths(self: &Rc<ReferenceRun>, context: &NativeCallContext, closure: &FnPtr, wanted: Option<&Value>) -> RhaiResult<Value> {
        let (state, trace) = (self.state.borrow().clone(), self.trace.take());
        self.driver.borrow_mut().path = Some(ThrowPath::default());
        let mut found = Distribution::default();
        let mut result = Ok(());
        loop {
            *self.state.borrow_mut() = state.clone();
            match closure.call_raw(context, None, Vec::<Dynamic>::new()).and_then(|value| self.value_of(&value)) {
                Ok(value) => {
                    let chance = self.driver.borrow().path.as_ref().map_or(Fraction::ZERO, ThrowPath::chance);
                    found.add(&value_text(&value, &self.state.borrow().board), &chance);
                }
                Err(error) => result = Err(error),
            }
            if result.is_err() || !self.driver.borrow_mut().path.as_mut().is_some_and(ThrowPath::next_path) {
                break;
            }
        }
        self.driver.borrow_mut().path = None;
        *self.trace.borrow_mut() = trace;
        *self.state.borrow_mut() = state;
        result?;
        match wanted {
            Some(value) => Ok(found.chance(&value_text(value, &self.state.borrow().board)).to_string().into()),
            None => to_rhai_result(match found.mean() {
                Some(mean) => Ok(mean.to_string().into()),
                None => fault(DiagnosticCode::Running, "a mean is of whole numbers", "let the closure return a number"),
            }),
        }
    }
}
