//! What a function that throws may return, counted once for equal arguments.
//!
//! A function that throws and changes nothing acts as a die: its caller goes on from each value it returns, not from each state within
//! it. Its states are explored apart from those of its callers, so that they are the same for all of them.

use crate::code::state::{State, Stop, ThrowRequest};
use crate::complaint::Complaints;
use crate::notation::Weight;
use crate::odds::answer::{Answer, ReturnChances, WeightedAnswers, throw_outcomes};
use crate::odds::explore::Explorer;
use crate::odds::mass::{Mass, MassArithmetic};
use crate::situation::board::Board;
use crate::situation::cell_key::{AccessRecorder, ColumnBits};
use crate::situation::fingerprint::Digest;
use crate::situation::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The maximum number of runs that explore a function apart from its callers.
const MAX_RUNS: usize = 2_000;

/// The maximum number of throws whose answers are kept. What can be drawn is another throw after each draw.
const MAX_DISTRIBUTIONS: usize = 64;

/// A state within the function, how it goes on, and its probability.
struct CallState {
    state: State,
    answers: WeightedAnswers,
    mass: Mass,
}

impl Explorer<'_> {
    /// Continues a state with an answer.
    pub(super) fn give_answer(&mut self, state: &mut State, answer: &Answer) {
        answer.give_to(self.machine, state);
        state.last_stop.1 = 0;
    }

    /// Returns the answers to a throw, and the columns that were read to know them. Dead registers are cleared already. If the function
    /// that throws, or one that called it, is counted apart, the state loses its frames and goes on from what it returns.
    pub(super) fn throw_answers(&mut self, state: &mut State, request: &ThrowRequest) -> Result<(WeightedAnswers, ColumnBits), Complaints> {
        if let Some((frame, chances)) = self.return_chances(state, request) {
            let register = state.drop_frames(frame);
            let answer = |(weight, value): &(Weight, Value)| (weight.clone(), Answer::Return(register, value.clone()));
            return Ok((chances.values.iter().map(answer).collect(), chances.reads.clone()));
        }
        let key = request.fingerprint();
        let answers = match self.distributions.get(&key) {
            Some(known) => known.clone(),
            None => {
                if self.distributions.len() == MAX_DISTRIBUTIONS {
                    self.distributions.clear();
                }
                let answers = stop_answers(throw_outcomes(self.machine, state, request)?);
                self.distributions.entry(key).or_insert(answers).clone()
            }
        };
        Ok((answers, ColumnBits::default()))
    }

    /// Returns what a call may return, and the number of its frame: the outermost call that has not thrown before and can be counted
    /// apart.
    fn return_chances(&mut self, state: &mut State, request: &ThrowRequest) -> Option<(usize, Arc<ReturnChances>)> {
        if state.open_marks > 0 {
            return None;
        }
        let table = self.context.state_table;
        let first_frame = state.frames.iter().rposition(|frame| frame.has_stopped).map_or(0, |last| last + 1);
        for frame in first_frame.max(1)..state.frames.len() {
            let function = state.frames[frame].function;
            // If a refusal is handled within the call, the handler would have to move along.
            if self.uncountable.contains(&function) || state.handlers.last().is_some_and(|handler| handler.frames > frame) {
                continue;
            }
            let mut call = state.call_alone(frame);
            let key = call.fingerprint(Some(request.fingerprint()));
            let bits = table.board_bits(&mut call.board);
            if let Some(chances) = table.lookup_returns(key, &bits) {
                return Some((frame, chances));
            }
            match self.count_returns(call, request) {
                Some(chances) => return Some((frame, table.insert_returns(key, &bits, chances))),
                None => drop(self.uncountable.insert(function)),
            }
        }
        None
    }

    /// Counts what a call returns; `None` if it does more than that, or takes too many runs.
    fn count_returns(&mut self, call: State, request: &ThrowRequest) -> Option<ReturnChances> {
        let contents = |board: &mut Board| {
            let mut digest = Digest::default();
            board.add_to_digest(&mut digest);
            (digest.finish(), board.total_fingerprint())
        };
        let layout = self.context.state_table.layout();
        let initial_contents = contents(&mut call.board.clone());
        let (mut arithmetic, mut reads, mut runs) = (MassArithmetic::default(), ColumnBits::default(), 0);
        // The values stand in the order in which they are found, which decides the order of outcomes named later.
        let (mut values, mut masses): (Vec<Value>, Vec<Mass>) = (Vec::new(), Vec::new());
        let mut index_of_value: FxHashMap<u64, usize> = FxHashMap::default();
        let mut layer = vec![CallState { state: call, answers: stop_answers(request.distribution()?), mass: Mass::certain() }];
        while !layer.is_empty() {
            let (mut next_layer, mut index_of_state): (Vec<CallState>, FxHashMap<u128, usize>) = Default::default();
            for CallState { state, answers, mass } in layer {
                let total: Weight = answers.iter().map(|(weight, _)| weight).sum();
                runs += answers.len();
                if runs > MAX_RUNS {
                    return None;
                }
                for (weight, answer) in answers {
                    let mass = arithmetic.share(&mass, &weight, &total);
                    let mut state = state.clone();
                    self.give_answer(&mut state, &answer);
                    state.board.recorder = Some(Box::new(AccessRecorder::new(layout.clone())));
                    self.machine.renew_deadline();
                    let (stop, None) = self.run_machine(&mut state).ok()? else { return None };
                    let recorder = state.board.recorder.take()?;
                    if !recorder.writes.is_empty() || !state.outcomes.is_empty() || state.open_marks > 0 {
                        return None;
                    }
                    reads.union_with(&recorder.reads);
                    let request_print = match &stop {
                        Stop::Done(_) if contents(&mut state.board) != initial_contents => return None,
                        Stop::Done(value) => {
                            let index = *index_of_value.entry(value.fingerprint()).or_insert(values.len());
                            match masses.get_mut(index) {
                                Some(sum) => arithmetic.add(sum, mass),
                                None => {
                                    values.push(value.clone());
                                    masses.push(mass);
                                }
                            }
                            continue;
                        }
                        Stop::Returned => None,
                        Stop::Throw(request) => Some(request.fingerprint()),
                        _ => return None,
                    };
                    self.machine.clear_dead_registers(&mut state, request_print.is_none());
                    let key = state.fingerprint(request_print);
                    if let Some(index) = index_of_state.get(&key) {
                        arithmetic.add(&mut next_layer[*index].mass, mass);
                        continue;
                    }
                    let answers = match &stop {
                        Stop::Throw(request) => {
                            let (answers, read) = self.throw_answers(&mut state, request).ok()?;
                            reads.union_with(&read);
                            answers
                        }
                        _ => vec![(Weight::ONE, Answer::Nothing)],
                    };
                    index_of_state.insert(key, next_layer.len());
                    next_layer.push(CallState { state, answers, mass });
                }
            }
            layer = next_layer;
        }
        let weights = arithmetic.common_weights(masses);
        Some(ReturnChances { values: weights.into_iter().zip(values).collect(), reads: reads.trim_zeros() })
    }
}

fn stop_answers(outcomes: Vec<(Value, Weight)>) -> WeightedAnswers {
    outcomes.into_iter().map(|(value, weight)| (weight, Answer::Stop(value))).collect()
}
