//! What a run will read of the faces that it asks for, so that a count need not tell all hands apart.

use super::execute::operand_value;
use super::{Machine, live_registers};
use crate::code::lower::face_reads::{FaceReads, FaceTest, find_face_reads};
use crate::code::operators::compare;
use crate::code::state::{State, ThrowReading, ThrowRequest};
use crate::code::verbs::language::contains_value;
use crate::notation::hand_reads::HandReads;
use crate::situation::value::Value;
use std::rc::Rc;

/// What a run will read of a hand, and the registers with which its faces are compared.
pub struct HandReading {
    /// What is read.
    pub reads: HandReads,
    /// The registers, counted over all frames.
    pub registers: Vec<usize>,
}

impl Machine {
    /// Returns what a state that stopped for a throw of faces will read of them; `None` if that may be all.
    pub fn hand_reading(&mut self, state: &State, request: &ThrowRequest) -> Option<HandReading> {
        // A run with a trace shows the faces.
        if request.reading != ThrowReading::Faces || self.trace.is_some() {
            return None;
        }
        let frame = state.frames.last()?;
        let code = self.load(frame.function).ok()?;
        let of_function = self
            .face_reads
            .entry(frame.function)
            .or_insert_with(|| Rc::new(find_face_reads(&code, live_registers(&code))))
            .clone();
        let found: &FaceReads = of_function.get(&frame.pc.checked_sub(1)?)?;
        let dice = &request.dice;
        if found.needs_numbers && dice.shows_words()
            || found.least_length > i64::from(dice.kept_count())
        {
            return None;
        }
        let base = frame.base as usize;
        let mut registers = Vec::new();
        let tests: Vec<(&FaceTest, Option<&Value>)> = found
            .tests
            .iter()
            .map(|test| match test {
                FaceTest::Compared { other, .. } | FaceTest::In(other) => {
                    registers.extend(other.register().map(|register| base + register as usize));
                    (
                        test,
                        Some(operand_value(
                            &state.registers,
                            &code.constants,
                            base,
                            *other,
                        )),
                    )
                }
                FaceTest::Equals(_) | FaceTest::Within(..) => (test, None),
            })
            .collect();
        let mut reads = HandReads {
            compared: !tests.is_empty(),
            total: found.total,
            class_totals: found.class_totals,
            places: found.places.clone(),
            ..HandReads::default()
        };
        let mut last: Option<Vec<bool>> = None;
        // Without tests there is one class.
        for worth in if tests.is_empty() {
            Vec::new()
        } else {
            dice.possible_worths()?
        } {
            let face = request.face(worth);
            let results: Vec<bool> = tests
                .iter()
                .map(|(test, other)| passes(test, &face, *other))
                .collect::<Option<_>>()?;
            if last.as_ref().is_some_and(|last| *last != results) {
                reads.class_starts.push(worth);
            }
            last = Some(results);
        }
        Some(HandReading { reads, registers })
    }
}

/// Returns whether a face passes a test; `None` if the run would fail at it.
fn passes(test: &FaceTest, face: &Value, other: Option<&Value>) -> Option<bool> {
    match (test, other) {
        (
            FaceTest::Compared {
                op,
                face_first: true,
                ..
            },
            Some(other),
        ) => compare(*op, face, other).ok(),
        (FaceTest::Compared { op, .. }, Some(other)) => compare(*op, other, face).ok(),
        (FaceTest::In(_), Some(list)) => contains_value(list, face),
        (FaceTest::Equals(value), _) => Some(face == value),
        (FaceTest::Within(low, high), _) => Some(
            face.as_number()
                .is_some_and(|number| (*low..*high).contains(&number)),
        ),
        _ => None,
    }
}
