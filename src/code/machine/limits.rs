//! Limits on steps, time and memory.

use super::{MAX_STEPS, MAX_STOPS, Machine, step_limit};
use crate::code::context::{VerbResult, fault, too_large};
use crate::code::state::State;
use crate::situation::meter::{MEMORY, Meter};
use crate::situation::value::Value;
use std::time::Instant;

/// Number of steps, and of values processed by verbs, between two checks of the clock.
const CLOCK: u32 = 4_096;

/// Counts the bytes of a value, and fails if the value is too large.
#[inline]
pub fn fitting(value: &Value, meter: &mut Meter) -> VerbResult<()> {
    if value.is_trivial() {
        return Ok(());
    }
    meter.made(value.allocated());
    bounded(value)
}

/// Fails if a value is too large. Its bytes are already counted.
#[inline]
pub fn bounded(value: &Value) -> VerbResult<()> {
    if value.is_within_limits() { Ok(()) } else { too_large(value.describe_type()) }
}

/// Estimated cost for a verb to process a value: its number of nested values plus its text bytes / 16.
#[inline]
pub fn extent(value: &Value) -> u32 {
    if value.is_trivial() {
        return 1;
    }
    let size = value.size();
    size.values + size.bytes / 16
}

/// Counts the bytes of a verb's result, including nested values, and fails if the result is too large.
pub fn given_fits(value: &Value, meter: &mut Meter) -> VerbResult<()> {
    let size = value.size();
    if size.values > 1 {
        meter.made(48 * u64::from(size.values) + u64::from(size.bytes));
    }
    fitting(value, meter)
}

/// Bytes allocated by `of += more`, including the copy of a shared list.
#[inline]
pub fn growth(of: &Value, more: &Value) -> u64 {
    if of.is_trivial() {
        return 0;
    }
    let Value::List(list) = of else { return of.allocated() + more.allocated() };
    let copied = if list.is_shared() { list.len() } else { 0 };
    16 * (copied + more.as_list().map_or(1, |more| more.len())) as u64
}

/// Appends to a list under construction, and fails if the list becomes too large.
pub fn push(list: &mut Value, value: Value, meter: &mut Meter) -> VerbResult<()> {
    meter.made(growth(list, &value));
    if let Value::List(list) = list {
        list.push(value);
    }
    bounded(list)
}

/// Measures the live memory of a run, and fails if it exceeds the limit.
#[cold]
pub fn measure(state: &mut State) -> VerbResult<()> {
    let alive = state.alive();
    if state.board.meter.measured(alive) {
        return Ok(());
    }
    let what = format!("this run takes more than {} MB of memory", MEMORY >> 20);
    fault("limit", what, "look at what is made again and again: lines, outcomes, sheets, pieces, long texts and lists")
}

impl Machine {
    /// Counts a step: a call or a backward jump. Fails if the run exceeds its steps, time or memory.
    #[inline]
    pub(super) fn step(&mut self, state: &mut State, end: u64) -> VerbResult<()> {
        state.steps += 1;
        self.unclocked += 1;
        if state.steps > end || self.unclocked > CLOCK || state.board.meter.is_past_mark() { self.look(state, end) } else { Ok(()) }
    }

    /// Counts the values that a verb processes.
    #[inline]
    pub(super) fn works(&mut self, state: &mut State, values: u32) -> VerbResult<()> {
        self.unclocked = self.unclocked.saturating_add(values).saturating_add(state.board.load());
        if self.unclocked > CLOCK || state.board.meter.is_past_mark() { self.look(state, step_limit(state)) } else { Ok(()) }
    }

    /// Checks the limits on steps, time and memory.
    #[cold]
    fn look(&mut self, state: &mut State, end: u64) -> VerbResult<()> {
        if state.steps > end {
            return too_long(state, end);
        }
        if self.unclocked > CLOCK {
            self.unclocked = 0;
            if self.deadline.is_some_and(|end| Instant::now() > end) {
                return too_long(state, end);
            }
        }
        if state.board.meter.is_past_mark() { measure(state) } else { Ok(()) }
    }
}

fn too_long(state: &State, end: u64) -> VerbResult<()> {
    let what = match end {
        0 => format!("this asked for more than {MAX_STOPS} throws and choices"),
        _ if state.steps > end => format!("this took more than {MAX_STEPS} steps"),
        _ => "this still ran when its time was up".to_string(),
    };
    fault("limit", what, "a loop that never ends? look at what it waits for")
}
