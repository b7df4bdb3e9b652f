//! What a run leaves to its edge: the outcomes that it names between two stops, and what becomes of counters. And which of the outcomes
//! choices read.

use crate::odds::counters::{ReportedCounter, SteppedCounter};
use crate::odds::explore::Explorer;
use crate::odds::graph::{NameId, ValueId};
use crate::odds::search_frame::{NodeKind, SearchFrame};
use casebook_engine::code::machine::live_state::{CounterId, CounterSum};
use casebook_engine::code::state::State;
use casebook_engine::situation::cell_key::{CellKey, ColumnBits, EntityKind};
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::outcome_text;
use std::sync::atomic::Ordering;

/// The number of outcomes whose values are kept for choices that read all of them.
const MAX_OUTCOMES: NameId = 128;

const PLACEHOLDER_DIGITS: usize = 19;

/// Whether a text may hold a placeholder.
fn has_long_number(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_digit())
        .any(|digits| digits.len() >= PLACEHOLDER_DIGITS)
}

impl Explorer<'_> {
    /// Takes the outcomes named since the last stop; the state keeps those that choices read.
    pub(super) fn take_outcomes(&self, state: &mut State) -> Vec<(NameId, ValueId)> {
        let key_parts = self.context.key_parts;
        if state.open_marks > 0 {
            self.context
                .counters
                .filter(|_| !state.outcomes.is_empty())
                .into_iter()
                .for_each(|table| table.fail());
            return Vec::new();
        }
        let mut ids = Vec::with_capacity(state.outcomes.len());
        for (name, value) in std::mem::take(&mut state.outcomes) {
            let text = outcome_text(&value, &state.board);
            let (name_id, plain) =
                self.context
                    .names
                    .intern_outcome(&name, &text, matches!(value, Value::Text(_)));
            let is_measured = key_parts.all_outcomes
                || key_parts
                    .measured_outcomes
                    .iter()
                    .any(|measured| *measured == *name);
            ids.push((
                name_id,
                self.reported_counter(value.as_number(), &text, is_measured)
                    .unwrap_or(plain),
            ));
            if is_measured {
                state.board.set(
                    CellKey::new(EntityKind::Outcome, 0, name_id as usize),
                    self.context.names.value_key(plain).into(),
                );
            }
        }
        ids
    }

    /// Returns the current values of the outcomes that a choice reads, and the columns read to find them.
    pub(super) fn measured_so_far(
        &self,
        state: &mut State,
    ) -> (Vec<(NameId, ValueId)>, ColumnBits) {
        let (names, key_parts) = (self.context.names, self.context.key_parts);
        let mut recorder = self.new_recorder();
        let measured: Vec<NameId> = match key_parts.all_outcomes {
            true => (0..MAX_OUTCOMES).collect(),
            false => key_parts
                .measured_outcomes
                .iter()
                .map(|name| names.intern_name(name))
                .collect(),
        };
        let mut outcomes = Vec::new();
        for name in measured {
            let cell = CellKey::new(EntityKind::Outcome, 0, name as usize);
            recorder.record_read(cell);
            if let Some(Value::Text(text)) = state.board.peek(cell) {
                outcomes.push((name, names.intern_value(text)));
            }
        }
        (outcomes, recorder.reads)
    }

    /// Returns the value by which an outcome is named if a counter is reported; `None` if it is any other.
    pub(super) fn reported_counter(
        &self,
        number: Option<i64>,
        text: &str,
        is_measured: bool,
    ) -> Option<ValueId> {
        let table = self
            .context
            .counters
            .filter(|_| !self.counters.is_empty())?;
        match number.map(|number| CounterSum::of(number, self.counters.len())) {
            Some(Some(CounterSum::Counter(index, added))) if !is_measured => {
                Some(table.intern_report(
                    self.context.names,
                    ReportedCounter {
                        id: self.counters[index],
                        index,
                        added,
                    },
                ))
            }
            Some(Some(CounterSum::Plain(_))) => None,
            None if !has_long_number(text) => None,
            _ => {
                table.fail();
                None
            }
        }
    }

    /// Notes whether states that came too deep have counters.
    #[allow(clippy::vec_box)] // As on the stack.
    pub(super) fn note_counters(&self, stack: &[Box<SearchFrame>]) {
        let has_counters = |frame: &SearchFrame| {
            let found = self.machine.set_counters_aside(
                &mut frame.state.clone(),
                matches!(frame.kind, NodeKind::Returned),
            );
            found.is_some_and(|found| !found.is_empty())
        };
        if stack.iter().any(|frame| has_counters(frame)) {
            self.context.has_counters.store(true, Ordering::Relaxed);
        }
    }

    /// Sets the counters of a state aside, whose dead registers are cleared; returns them.
    pub(super) fn set_counters_aside(&mut self, state: &mut State, passed: bool) -> Vec<CounterId> {
        let Some(table) = self.context.counters else {
            return Vec::new();
        };
        let Some(found) = self.machine.set_counters_aside(state, passed) else {
            table.fail();
            return Vec::new();
        };
        let step: Option<Box<[SteppedCounter]>> = found
            .iter()
            .map(|(id, number)| {
                let sum = CounterSum::of(*number, self.counters.len())?;
                let from = if let CounterSum::Counter(index, _) = sum {
                    Some(self.counters[index])
                } else {
                    None
                };
                Some(SteppedCounter { id: *id, sum, from })
            })
            .collect();
        match step {
            Some(step) if step.is_empty() && self.counters.is_empty() => {}
            Some(step) => self.counter_step = Some(table.intern_step(step)),
            None => table.fail(),
        }
        found.into_iter().map(|(id, _)| id).collect()
    }
}
