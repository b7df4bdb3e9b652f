//! Answers throws and choices synchronously, because Rhai's evaluator can't suspend: dice come from a stream, and a count enumerates
//! every throw.

use casebook::code::oracle::{ChoiceRequest, Machine, Program, State, ThrowRequest};
use casebook::complaint::{Complaints, DiagnosticCode};
use casebook::notation::chances::Room;
use casebook::notation::{Face, Weight};
use casebook::odds::fraction::Fraction;
use casebook::ruling::choice_source::{ChoiceResult, ChoiceSource};
use casebook::ruling::driver::{random_option, throw};
use casebook::situation::dice::DiceStream;
use casebook::situation::policy::PolicyKind;
use casebook::situation::trace::AnswerSource;
use casebook::situation::value::Value;
use std::sync::Arc;

/// A path of throws: for each throw the index of the current result, and all results with their weights.
#[derive(Default)]
pub struct ThrowPath {
    throws: Vec<(usize, Vec<(Value, Weight)>)>,
    position: usize,
}

impl ThrowPath {
    /// Returns the result of the next throw on the path; `results` supplies the results of a new one.
    fn next_throw(&mut self, results: impl FnOnce() -> Vec<(Value, Weight)>) -> Value {
        if self.position == self.throws.len() {
            self.throws.push((0, results()));
        }
        let (current, results) = &self.throws[self.position];
        self.position += 1;
        results[*current].0.clone()
    }

    /// Returns the probability of the path.
    pub fn chance(&self) -> Fraction {
        self.throws
            .iter()
            .fold(Fraction::ONE, |chance, (current, results)| {
                let total = results.iter().map(|(_, weight)| weight).sum();
                &chance * &Fraction::new(&results[*current].1, &total)
            })
    }

    /// Moves on to the next path; false if there is none.
    pub fn next_path(&mut self) -> bool {
        self.position = 0;
        while let Some((current, results)) = self.throws.last_mut() {
            *current += 1;
            if *current < results.len() {
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
    pub path: Option<ThrowPath>,
}

impl Driver {
    /// Creates a driver for a ruleset, without dice and answers.
    pub fn new(program: &Arc<Program>) -> Driver {
        Driver {
            machine: Machine::new(program.clone()),
            choice_source: ChoiceSource::default(),
            stream: None,
            path: None,
        }
    }

    /// Throws dice; returns what the rule reads, and the face of each die unless a path of a count is followed.
    pub fn throw(
        &mut self,
        state: &mut State,
        throwing: &ThrowRequest,
    ) -> Result<(Value, Vec<Face>), Complaints> {
        if let Some(path) = &mut self.path {
            return Ok((
                path.next_throw(|| throwing.distribution(&Room::UNBOUNDED).unwrap_or_default()),
                Vec::new(),
            ));
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
        Ok((
            throwing.read(&thrown),
            thrown
                .iter()
                .map(|side| throwing.dice.face(*side))
                .collect(),
        ))
    }

    /// Answers a choice.
    pub fn choose(
        &mut self,
        state: &mut State,
        choosing: &ChoiceRequest,
    ) -> Result<(usize, AnswerSource), Complaints> {
        if self.stream.is_none() {
            self.choice_source.answers = state.fixture.answers.clone();
        }
        match (
            self.choice_source
                .decide(&mut self.machine, state, choosing)?,
            &mut self.stream,
        ) {
            (ChoiceResult::Taken(picked, source), _) => Ok((picked, source)),
            (ChoiceResult::Undecided(PolicyKind::Random), Some(stream)) => Ok((
                random_option(&self.machine, state, &mut **stream, choosing)?,
                AnswerSource::Explicit,
            )),
            _ => Err(self.machine.complaint_at_stop(
                state,
                DiagnosticCode::Choice,
                "best, worst and all are found by going through every chance",
                "",
            )),
        }
    }
}
