//! What a function that throws may return, counted once for equal arguments.
//!
//! A function that throws and changes nothing acts as a die: its caller goes on from each value it returns, not from each
//! state within it. Its states are explored apart from those of its callers, so that they are the same for all of them.

use crate::code::state::{State, Stop, ThrowRequest};
use crate::complaint::Complaints;
use crate::odds::answer::{Answer, ReturnChances, WeightedAnswers, throw_outcomes};
use crate::odds::explore::Explorer;
use crate::odds::mass::{Mass, MassArithmetic};
use crate::ruling::choice_source::ChoiceResult;
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
    /// Returns how a throw goes on, and the columns that were read to know that. Dead registers are cleared already. Where the function
    /// that throws, or one that called it, is counted apart, the state loses its frames and goes on from what it returns.
    pub(super) fn throw_answers(
        &mut self,
        state: &mut State,
        throwing: &ThrowRequest,
    ) -> Result<(WeightedAnswers, ColumnBits), Complaints> {
        if let Some((from, chances)) = self.return_chances(state, throwing) {
            let place = state.drop_frames(from);
            let answer = |(weight, value): &(u128, Value)| (*weight, Answer::Return(place, value.clone()));
            return Ok((chances.values.iter().map(answer).collect(), chances.reads.clone()));
        }
        let key = throwing.fingerprint();
        let ways = match self.distributions.get(&key) {
            Some(known) => known.clone(),
            None => {
                if self.distributions.len() == MAX_DISTRIBUTIONS {
                    self.distributions.clear();
                }
                let ways = throw_outcomes(self.machine, state, throwing)?;
                let ways: WeightedAnswers = ways.into_iter().map(|(value, weight)| (weight, Answer::Stop(value))).collect();
                self.distributions.entry(key).or_insert(ways).clone()
            }
        };
        Ok((ways, ColumnBits::default()))
    }

    /// Returns what the outermost call may return that has just begun and can be counted apart, and the number of its frame.
    fn return_chances(&mut self, state: &mut State, throwing: &ThrowRequest) -> Option<(usize, Arc<ReturnChances>)> {
        if state.open_marks > 0 {
            return None;
        }
        let begun = state.frames.iter().rposition(|frame| frame.has_stopped).map_or(0, |last| last + 1);
        for from in begun.max(1)..state.frames.len() {
            let function = state.frames[from].function;
            // Where a refusal is handled within the call, the handler would have to move along.
            if self.uncountable.contains(&function) || state.handlers.last().is_some_and(|handler| handler.frames > from) {
                continue;
            }
            let mut call = state.call_alone(from);
            let key = call.fingerprint(Some(throwing.fingerprint()));
            let bits = self.state_table.board_bits(&mut call.board);
            if let Some(known) = self.state_table.lookup_returns(key, &bits) {
                return Some((from, known));
            }
            match self.count_returns(call, throwing) {
                Some(chances) => return Some((from, self.state_table.insert_returns(key, &bits, chances))),
                None => drop(self.uncountable.insert(function)),
            }
        }
        None
    }

    /// Counts what a call returns; `None` if it does more than that, or takes too many runs.
    fn count_returns(&mut self, call: State, throwing: &ThrowRequest) -> Option<ReturnChances> {
        let (layout, mut board) = (self.state_table.layout().clone(), call.board.clone());
        let contents = |of: &mut Board| {
            let mut digest = Digest::default();
            of.add_to_digest(&mut digest);
            (digest.finish(), of.total_fingerprint())
        };
        let before = contents(&mut board);
        let (mut arithmetic, mut reads, mut runs) = (MassArithmetic::default(), ColumnBits::default(), 0);
        // In the order in which they are found, which decides that of outcomes named later.
        let (mut found, mut masses): (Vec<Value>, Vec<Mass>) = (Vec::new(), Vec::new());
        let mut places: FxHashMap<u64, usize> = FxHashMap::default();
        let answers = throwing.distribution()?.into_iter().map(|(value, weight)| (weight, Answer::Stop(value))).collect();
        let mut layer = vec![CallState { state: call, answers, mass: Mass::certain() }];
        while !layer.is_empty() {
            let (mut next, mut known): (Vec<CallState>, FxHashMap<u128, usize>) = (Vec::new(), FxHashMap::default());
            for CallState { state, answers, mass } in layer {
                let total = answers.iter().map(|(weight, _)| weight).sum();
                runs += answers.len();
                if runs > MAX_RUNS {
                    return None;
                }
                for (weight, answer) in answers {
                    let mass = arithmetic.share(&mass, weight, total);
                    let mut state = state.clone();
                    self.go_on(&mut state, &answer);
                    state.board.recorder = Some(Box::new(AccessRecorder::new(layout.clone())));
                    let stop = self.run_settled(&mut state)?;
                    let watch = state.board.recorder.take()?;
                    if !watch.writes.is_empty() || !state.outcomes.is_empty() || state.open_marks > 0 {
                        return None;
                    }
                    reads.union_with(&watch.reads);
                    let asked = match &stop {
                        Stop::Done(value) => {
                            if contents(&mut state.board) != before {
                                return None;
                            }
                            let place = *places.entry(value.fingerprint()).or_insert(found.len());
                            match masses.get_mut(place) {
                                Some(sum) => arithmetic.add(sum, mass),
                                None => {
                                    found.push(value.clone());
                                    masses.push(mass);
                                }
                            }
                            continue;
                        }
                        Stop::Returned => None,
                        Stop::Throw(throwing) => Some(throwing.fingerprint()),
                        _ => return None,
                    };
                    self.machine.clear_dead_registers(&mut state, asked.is_none());
                    let key = state.fingerprint(asked);
                    if let Some(place) = known.get(&key) {
                        arithmetic.add(&mut next[*place].mass, mass);
                        continue;
                    }
                    let answers = match &stop {
                        Stop::Throw(throwing) => {
                            let (answers, looked) = self.throw_answers(&mut state, throwing).ok()?;
                            reads.union_with(&looked);
                            answers
                        }
                        _ => vec![(1, Answer::Nothing)],
                    };
                    known.insert(key, next.len());
                    next.push(CallState { state, answers, mass });
                }
            }
            layer = next;
        }
        let weights = arithmetic.common_weights(masses)?;
        let values = weights.into_iter().zip(found).collect();
        Some(ReturnChances { values, reads: reads.trim_zeros() })
    }

    /// Goes on from a stop.
    pub(super) fn go_on(&mut self, state: &mut State, answer: &Answer) {
        match answer {
            Answer::Nothing => {}
            Answer::Stop(value) => self.machine.answer_stop(state, value.clone()),
            Answer::Return(place, value) => self.machine.answer_call(state, *place, value.clone()),
        }
        state.last_stop.1 = 0;
    }

    /// Runs a state to its next stop that is not settled by the source of choices.
    fn run_settled(&mut self, state: &mut State) -> Option<Stop> {
        self.machine.renew_deadline();
        loop {
            let stop = self.machine.run(state);
            let Stop::Choice(choosing) = &stop else { return Some(stop) };
            match self.choice_source.decide(self.machine, state, choosing).ok()? {
                ChoiceResult::Taken(picked, by) => self.machine.answer_choice(state, choosing, picked, by),
                ChoiceResult::Undecided(_) => return None,
            }
        }
    }
}
