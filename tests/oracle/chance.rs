//! Executes throws, choices and counts at the point where a script requests them.

use crate::oracle::conversion::RhaiResult;
use crate::oracle::driver::ThrowPath;
use crate::oracle::run::{ReferenceRun, to_rhai_result};
use casebook::code::oracle::{ChoiceRequest, Fault, ThrowRequest, VerbResult, fault};
use casebook::complaint::{Complaints, DiagnosticCode};
use casebook::odds::fraction::{Distribution, Fraction, add_chance};
use casebook::situation::trace::{Event, MadeChoice, ThrownDice};
use casebook::situation::value::Value;
use casebook::situation::value_text::value_text;
use rhai::{Dynamic, FnPtr, NativeCallContext};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Converts complaints to a fault at the position of the script.
fn fault_at_script<T>(complaints: Complaints) -> VerbResult<T> {
    match complaints.0.first() {
        Some(complaint) => fault(complaint.code, complaint.message.as_str(), &complaint.help),
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
        let thrown = self
            .driver
            .borrow_mut()
            .throw(&mut self.state.borrow_mut(), &throwing);
        let (value, faces) = thrown.or_else(fault_at_script)?;
        let seen_by = throwing.seen_by().cloned();
        let thrown = ThrownDice {
            dice: throwing.notation,
            purpose: throwing.purpose,
            value: value.clone(),
            faces,
            seen_by,
        };
        self.record(Event::Throw(Box::new(thrown)));
        Ok(value)
    }

    /// Asks a side to choose.
    pub fn choose(&self, choosing: ChoiceRequest) -> VerbResult {
        self.ensure_may_throw()?;
        let chosen = self
            .driver
            .borrow_mut()
            .choose(&mut self.state.borrow_mut(), &choosing);
        let (picked, source) = chosen.or_else(fault_at_script)?;
        let ChoiceRequest {
            side,
            question,
            options,
        } = choosing;
        let option = options[picked].clone();
        self.record(Event::Choice(Box::new(MadeChoice {
            side,
            question,
            options,
            chosen_index: picked,
            answered_by: source,
        })));
        Ok(option)
    }

    /// Runs `chance` and `mean` by enumerating every path without merging, as a reference for the merging count.
    pub fn count_paths(
        self: &Rc<ReferenceRun>,
        context: &NativeCallContext,
        closure: &FnPtr,
        value: Option<&Value>,
    ) -> RhaiResult<Value> {
        let (state, trace) = (self.state.borrow().clone(), self.trace.take());
        self.driver.borrow_mut().path = Some(ThrowPath::default());
        let mut chances = BTreeMap::new();
        let mut result = Ok(());
        loop {
            *self.state.borrow_mut() = state.clone();
            match closure
                .call_raw(context, None, Vec::<Dynamic>::new())
                .and_then(|value| self.value_of(&value))
            {
                Ok(value) => {
                    let chance = self
                        .driver
                        .borrow()
                        .path
                        .as_ref()
                        .map_or(Fraction::ZERO, ThrowPath::chance);
                    add_chance(
                        &mut chances,
                        &value_text(&value, &self.state.borrow().board),
                        &chance,
                    );
                }
                Err(error) => result = Err(error),
            }
            if result.is_err()
                || !self
                    .driver
                    .borrow_mut()
                    .path
                    .as_mut()
                    .is_some_and(ThrowPath::next_path)
            {
                break;
            }
        }
        self.driver.borrow_mut().path = None;
        *self.trace.borrow_mut() = trace;
        *self.state.borrow_mut() = state;
        result?;
        let distribution =
            Distribution::new(chances, &Fraction::ONE).map_err(|error| error.to_string())?;
        match value {
            Some(value) => Ok(distribution
                .chance(&value_text(value, &self.state.borrow().board))
                .to_string()
                .into()),
            None => to_rhai_result(match distribution.mean() {
                Some(mean) => Ok(mean.to_string().into()),
                None => fault(
                    DiagnosticCode::Running,
                    "a mean is of whole numbers",
                    "let the closure return a number",
                ),
            }),
        }
    }
}
