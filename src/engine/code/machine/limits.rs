//! Limits on steps, time and memory.

use super::{MAX_STEPS, MAX_STOPS, Machine, Overrun, step_limit};
use crate::code::context::{VerbResult, fault, fault_with_remedy, too_large};
use crate::code::state::State;
use crate::complaint::{DiagnosticCode, Remedy};
use crate::platform::clock::Instant;
use crate::platform::task;
use crate::situation::meter::Meter;
use crate::situation::trace::merge_reads;
use crate::situation::value::Value;

/// Number of steps, and of values processed by verbs, between two checks of the clock.
const CLOCK_INTERVAL: u32 = 4_096;

/// Counts the bytes of a value, and fails if the value is too large.
#[inline]
pub fn check_size(value: &Value, meter: &mut Meter) -> VerbResult<()> {
    if value.is_trivial() {
        return Ok(());
    }
    meter.add_value(value.allocated());
    check_text_size(value)
}

/// Fails if a value is too large. Its bytes are already counted.
#[inline]
pub fn check_text_size(value: &Value) -> VerbResult<()> {
    if value.is_within_limits() {
        Ok(())
    } else {
        too_large(value.describe_type())
    }
}

/// Estimated cost for a verb to process a value: its number of nested values plus its text bytes / 16.
#[inline]
pub fn work_units(value: &Value) -> u32 {
    if value.is_trivial() {
        return 1;
    }
    let size = value.size();
    size.values + size.bytes / 16
}

/// Counts the bytes of a verb's result, including nested values, and fails if the result is too large.
pub fn check_argument(value: &Value, meter: &mut Meter) -> VerbResult<()> {
    let size = value.size();
    if size.values > 1 {
        meter.add_value(48 * u64::from(size.values) + u64::from(size.bytes));
    }
    check_size(value, meter)
}

/// Bytes allocated by `sum += added`, including the copy of a shared list.
#[inline]
pub fn added_bytes(sum: &Value, added: &Value) -> u64 {
    if sum.is_trivial() {
        return 0;
    }
    let Value::List(list) = sum else {
        return sum.allocated() + added.allocated();
    };
    let copied = if list.is_shared() { list.len() } else { 0 };
    16 * (copied + added.as_list().map_or(1, |added| added.len())) as u64
}

/// Appends to a list under construction, and fails if the list becomes too large.
pub fn push_item(list: &mut Value, value: Value, meter: &mut Meter) -> VerbResult<()> {
    meter.add_value(added_bytes(list, &value));
    if let Value::List(list) = list {
        list.push(value);
    }
    check_text_size(list)
}

/// Measures the live memory of a run, and fails if it exceeds the limit.
#[cold]
pub fn measure_memory(state: &mut State) -> VerbResult<()> {
    let alive = state.alive();
    if state.board.meter.set_measured(alive) {
        return Ok(());
    }
    let limit = state.board.meter.limit() >> 20;
    fault_with_remedy(
        DiagnosticCode::Limit,
        format!("this run takes more than {limit} MB of memory"),
        "find what grows without end: lines, outcomes, sheets, pieces, long texts and lists",
        Some(Remedy::MoreMemory((2 * limit) << 20)),
    )
}

impl Machine {
    /// Counts a step: a call or a backward jump. Fails if the run exceeds its steps, time or memory.
    #[inline]
    pub(super) fn count_step(&mut self, state: &mut State, end: u64) -> VerbResult<()> {
        state.steps += 1;
        self.unclocked += 1;
        if state.steps > end || self.unclocked > CLOCK_INTERVAL || state.board.meter.is_past_mark()
        {
            self.check_limits(state, end)
        } else {
            Ok(())
        }
    }

    /// Counts the values that a verb processes.
    #[inline]
    pub(super) fn count_work(&mut self, state: &mut State, values: u32) -> VerbResult<()> {
        self.unclocked = self
            .unclocked
            .saturating_add(values)
            .saturating_add(state.board.work_units());
        if self.unclocked > CLOCK_INTERVAL || state.board.meter.is_past_mark() {
            self.check_limits(state, step_limit(state))
        } else {
            Ok(())
        }
    }

    /// Merges the calls and reads of the trace if many are new, and citations have seen all of it.
    fn merge_reads(&mut self, state: &mut State) {
        let (first, provenance) = (
            self.run_mode.merges_reads_from,
            state.provenance.as_deref_mut(),
        );
        let Some(events) = self
            .trace
            .as_mut()
            .filter(|events| first > 0 && events.len().saturating_sub(self.merged_events) > first)
        else {
            return;
        };
        if provenance
            .as_ref()
            .is_none_or(|provenance| provenance.events_seen == events.len())
        {
            merge_reads(events, self.merged_events);
            self.merged_events = events.len();
            provenance
                .into_iter()
                .for_each(|provenance| provenance.events_seen = events.len());
        }
    }

    /// Checks the limits on steps, time and memory.
    #[cold]
    fn check_limits(&mut self, state: &mut State, end: u64) -> VerbResult<()> {
        if state.steps > end {
            return limit_fault(state, end);
        }
        if self.unclocked > CLOCK_INTERVAL {
            self.unclocked = 0;
            self.merge_reads(state);
            let now = Instant::now();
            let is_over = task::is_over() || self.end.is_some_and(|end| now > end);
            if is_over || self.deadline.is_some_and(|end| now > end) {
                self.overrun = is_over.then_some(Overrun::Time);
                return limit_fault(state, end);
            }
        }
        if state.board.meter.is_past_mark() {
            return measure_memory(state)
                .inspect_err(|_| self.overrun = Some(Overrun::Memory(state.board.meter.limit())));
        }
        Ok(())
    }
}

/// Number of new events from which on the traced run of a test merges calls and reads.
pub const MANY_EVENTS: usize = 1 << 14;

fn limit_fault(state: &State, end: u64) -> VerbResult<()> {
    let message = match end {
        0 => format!("this run asked for more than {MAX_STOPS} throws and choices"),
        _ if state.steps > end => format!("this run took more than {MAX_STEPS} steps"),
        _ => "this run did not end in time".to_string(),
    };
    fault(DiagnosticCode::Limit, message, "check that each loop ends")
}
