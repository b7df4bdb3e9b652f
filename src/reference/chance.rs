//! Throws, choices and counts, where a script comes to them.

use crate::code::context::{Answer, Fault, fault};
use crate::code::state::{Choosing, Throwing};
use crate::complaint::Complaints;
use crate::odds::fraction::{Distribution, Fraction};
use crate::reference::border::Given;
use crate::reference::driver::Path;
use crate::reference::run::{Run, given};
use crate::situation::trace::{Chosen, Event, Thrown};
use crate::situation::value::Value;
use crate::situation::words::text_of;
use rhai::{Dynamic, FnPtr, NativeCallContext};
use std::rc::Rc;

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
        let thrown = self.driver.borrow_mut().throw(&mut self.state.borrow_mut(), &throwing);
        let throw = thrown.or_else(here)?;
        let total = throw.total;
        self.note(Event::Die(Box::new(Thrown { dice: throwing.text, purpose: throwing.purpose, throw })));
        Ok(Value::Number(total))
    }

    /// Lets a side choose.
    pub fn chosen(&self, choosing: Choosing) -> Answer {
        self.moving()?;
        let chosen = self.driver.borrow_mut().choose(&mut self.state.borrow_mut(), &choosing);
        let (picked, by) = chosen.or_else(here)?;
        let Choosing { side, what, options } = choosing;
        let taken = options[picked].clone();
        self.note(Event::Choice(Box::new(Chosen { side, what, options, picked, by })));
        Ok(taken)
    }

    /// `chance` and `mean`, every path by itself: what the count merges is held against it.
    pub fn count(self: &Rc<Run>, context: &NativeCallContext, closure: &FnPtr, wanted: Option<&Value>) -> Given<Value> {
        let (state, trace) = (self.state.borrow().clone(), self.trace.take());
        self.driver.borrow_mut().path = Some(Path::default());
        let mut found = Distribution::default();
        let mut came = Ok(());
        loop {
            *self.state.borrow_mut() = state.clone();
            match closure.call_raw(context, None, Vec::<Dynamic>::new()).and_then(|value| self.value(&value)) {
                Ok(value) => {
                    let chance = self.driver.borrow().path.as_ref().map_or(Fraction::ZERO, Path::chance);
                    found.put(&text_of(&value, &self.state.borrow().board), &chance);
                }
                Err(error) => came = Err(error),
            }
            if came.is_err() || !self.driver.borrow_mut().path.as_mut().is_some_and(Path::next) {
                break;
            }
        }
        self.driver.borrow_mut().path = None;
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
