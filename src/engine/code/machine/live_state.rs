//! What the future of a state that stopped depends on. The rest is cleared, so that states with the same future become equal.
//!
//! A counter is a number that is only added to and reported. For a count that does not tell its numbers apart it is set to a placeholder: so
//! large a number that no rule has it. What a run makes of that says from which counter a number comes, and how much was added to it.

use super::{Machine, live_registers};
use crate::code::bytecode::{Operation, Register};
use crate::code::lower;
use crate::code::state::State;
use crate::situation::board::allocations::add_allocations;
use crate::situation::cell_key::EntityKind;
use crate::situation::value::Value;

/// The number of counters that a state may have.
const MAX_COUNTERS: usize = 16;

/// The placeholder of the first counter, how far the placeholders are apart, and how much a run may add to one. They are no round numbers,
/// so that nothing else comes near them.
const FIRST_PLACEHOLDER: i64 = 0x4A6B_3C5D_1E2F_7A91;
const PLACEHOLDER_STEP: i64 = 0x00FD_95B2_7C41_E38F;
const MAX_ADDED: i64 = 1 << 40;

/// The number above which nothing but placeholders and what is added to them is known to be.
const LARGE: i64 = 1 << 61;

/// A counter of a state: the function and the register in which it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterId {
    pub function: u32,
    /// The register of its frame.
    pub register: Register,
}

/// A number as it stands to the counters of the state from which a run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterSum {
    /// It has nothing to do with them.
    Plain(i64),
    /// It is the counter of this index, with something added.
    Counter(usize, i64),
}

impl CounterSum {
    /// Returns what a number is after a run from a state with so many counters; `None` if that is not known.
    pub fn of(number: i64, counters: usize) -> Option<CounterSum> {
        if counters == 0 || number < LARGE {
            return Some(CounterSum::Plain(number));
        }
        let placeholder = |index: usize| FIRST_PLACEHOLDER + index as i64 * PLACEHOLDER_STEP;
        let near = |index: &usize| number.abs_diff(placeholder(*index)) <= MAX_ADDED as u64;
        (0..counters)
            .find(near)
            .map(|index| CounterSum::Counter(index, number - placeholder(index)))
    }
}

impl Machine {
    /// Clears the registers that are dead where no lines are recorded, and sets numbers that don't matter to 0, so that equal states can
    /// merge. `passed` means that only the return of the innermost frame is pending.
    pub fn clear_dead_registers(&self, state: &mut State, passed: bool) {
        let mut end = 0;
        for (index, frame) in state.frames.iter().enumerate() {
            let Some(Some(code)) = self.functions.get(frame.function as usize) else {
                return;
            };
            let from = frame.base as usize;
            // The frame of a callee overlaps the frame of its caller.
            let to = state
                .frames
                .get(index + 1)
                .map_or(from + code.registers, |next| next.base as usize);
            let answer = match code.ops.get(frame.pc as usize) {
                Some(Operation::Return { src }) if passed && index + 1 == state.frames.len() => {
                    Some(src.register().map(usize::from))
                }
                _ => None,
            };
            let live = live_registers(code).at_stop.get(&frame.pc.wrapping_sub(1));
            let range = from.min(state.registers.len())..to.min(state.registers.len());
            for (number, register) in state.registers[range]
                .iter_mut()
                .enumerate()
                .filter(|(_, value)| !value.is_nothing())
            {
                let is_in = |bits: &[u64]| {
                    bits.get(number / 64)
                        .is_some_and(|word| word & (1 << (number % 64)) != 0)
                };
                let [needed, matters] = match answer {
                    Some(answer) => [answer == Some(number); 2],
                    None => live.map_or([true; 2], |bits| [is_in(&bits[0]), is_in(&bits[1])]),
                };
                if !needed {
                    *register = Value::Nothing;
                } else if !matters && matches!(register, Value::Number(_)) {
                    *register = Value::Number(0);
                }
            }
            end = to;
        }
        state.registers.truncate(end);
    }

    /// Drops the sheets and shared variables that a state does not refer to any more, whose dead registers are cleared. `asked` are the
    /// options of the choice at which it stopped.
    pub fn drop_unreachable(&self, state: &mut State, asked: &[Value]) {
        if !state.board.has_allocations() {
            return;
        }
        let mut reached = Vec::new();
        asked
            .iter()
            .chain(&state.registers)
            .for_each(|value| add_allocations(value, &mut reached));
        state
            .outcomes
            .iter()
            .for_each(|(_, value)| add_allocations(value, &mut reached));
        for frame in &state.frames {
            let Some(Some(code)) = self.functions.get(frame.function as usize) else {
                return;
            };
            let shared = code
                .shared_registers
                .get_or_init(|| lower::liveness::find_shared_registers(code));
            let numbers = shared.iter().filter_map(|register| {
                state
                    .registers
                    .get(frame.base as usize + *register as usize)?
                    .as_number()
            });
            reached.extend(numbers.map(|number| (EntityKind::Shared, number as usize)));
        }
        state.board.drop_unreachable(reached);
    }

    /// Sets the counters of a state, whose dead registers are cleared, to placeholders; returns them with the numbers that they had. `None`
    /// if they are too many.
    pub fn set_counters_aside(
        &self,
        state: &mut State,
        passed: bool,
    ) -> Option<Vec<(CounterId, i64)>> {
        let mut counters = Vec::new();
        for (index, frame) in state.frames.iter().enumerate() {
            let code = self.functions.get(frame.function as usize)?.as_ref()?;
            let returns = passed
                && matches!(
                    code.ops.get(frame.pc as usize),
                    Some(Operation::Return { .. })
                );
            if returns && index + 1 == state.frames.len() {
                continue;
            }
            let registers = live_registers(code).counters.get(&frame.pc.wrapping_sub(1));
            // The frame of a callee overlaps the frame of its caller.
            let end = state
                .frames
                .get(index + 1)
                .map_or(usize::MAX, |next| next.base as usize);
            for register in registers.into_iter().flatten() {
                let place = frame.base as usize + *register as usize;
                if counters.len() == MAX_COUNTERS {
                    return None;
                }
                if place < end
                    && let Some(value @ Value::Number(_)) = state.registers.get_mut(place)
                {
                    let placeholder = FIRST_PLACEHOLDER + counters.len() as i64 * PLACEHOLDER_STEP;
                    if let Value::Number(number) =
                        std::mem::replace(value, Value::Number(placeholder))
                    {
                        counters.push((
                            CounterId {
                                function: frame.function,
                                register: *register,
                            },
                            number,
                        ));
                    }
                }
            }
        }
        Some(counters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_to_a_counter_is_known() {
        for index in 0..MAX_COUNTERS {
            let placeholder = FIRST_PLACEHOLDER
                .checked_add(index as i64 * PLACEHOLDER_STEP)
                .expect("a number");
            for added in [-MAX_ADDED, -1, 0, 6, MAX_ADDED] {
                assert_eq!(
                    CounterSum::of(placeholder + added, MAX_COUNTERS),
                    Some(CounterSum::Counter(index, added))
                );
            }
            assert_eq!(
                CounterSum::of(placeholder, index),
                if index == 0 {
                    Some(CounterSum::Plain(placeholder))
                } else {
                    None
                }
            );
        }
        for number in [0, -7, 1_000_000, i64::MIN, LARGE - 1] {
            assert_eq!(CounterSum::of(number, 3), Some(CounterSum::Plain(number)));
        }
        assert_eq!(CounterSum::of(i64::MAX, 3), None);
        assert_eq!(CounterSum::of(1 << 62, 3), None);
    }
}
