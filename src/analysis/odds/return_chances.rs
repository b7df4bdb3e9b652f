//! What a function that throws may return, counted once for equal arguments.
//!
//! A function that throws and changes nothing acts as a die: its caller goes on from each value it returns, not from each state within
//! it. Its states are explored apart from those of its callers, so that they are the same for all of them.

use crate::odds::answer::{
    Answer, RegisterReads, ReturnChances, ThrowAnswers, WeightedAnswers, throw_outcomes,
    unshared_bytes,
};
use crate::odds::explore::{Explorer, SearchContext};
use crate::odds::mass::{ChanceArithmetic, Mass, MassArithmetic};
use crate::odds::state_table::HeldBytes;
use casebook_engine::code::state::{Frame, State, Stop, ThrowRequest};
use casebook_engine::complaint::Complaints;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::notation::Weight;
use casebook_engine::notation::chances::Room;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::cell_key::{AccessRecorder, ColumnBits};
use casebook_engine::situation::fingerprint::Digest;
use casebook_engine::situation::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The maximum number of runs that explore a function apart from its callers.
const MAX_RUNS: usize = 2_000;

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

    /// Returns the answers to a throw, and counts the work at the places of the frames.
    pub(super) fn throw_answers(
        &mut self,
        state: &mut State,
        request: &ThrowRequest,
        within: Option<&Range<usize>>,
    ) -> Result<ThrowAnswers, Complaints> {
        let places: Vec<(u32, u32)> = state.frames.iter().map(block_place).collect();
        let thrown = self.find_answers(state, request, within)?;
        // A count may give up before it has taken these branches, so it adds each when it takes it: work that is not done pays for no count.
        if !self.blocks.is_counting() {
            places
                .into_iter()
                .for_each(|place| self.blocks.add_work(place, thrown.answers.len()));
        }
        Ok(thrown)
    }

    /// Returns the answers to a throw. Dead registers are cleared already. If the function that throws, or one that called it, is counted
    /// apart, or a block of one of them, the state loses the frames within and goes on from what it returns, or from how it ends. With
    /// `within` the outermost function is that of a block with these operations.
    fn find_answers(
        &mut self,
        state: &mut State,
        request: &ThrowRequest,
        within: Option<&Range<usize>>,
    ) -> Result<ThrowAnswers, Complaints> {
        if state.open_marks == 0 {
            let never_thrown = state
                .frames
                .iter()
                .rposition(|frame| frame.has_stopped)
                .map_or(0, |last| last + 1)
                .max(1);
            for frame in 0..state.frames.len() {
                // If a refusal is handled within the call, the handler would have to move along.
                if state
                    .handlers
                    .last()
                    .is_some_and(|handler| handler.frames > frame)
                {
                    continue;
                }
                if frame >= never_thrown
                    && let Some(chances) = self.return_chances(state, request, frame)
                {
                    let registers = RegisterReads::Call(
                        state.frames[frame].base as usize..state.registers.len(),
                    );
                    let register = state.drop_frames(frame);
                    let answer = |(weight, value): &(Weight, Value)| {
                        (weight.clone(), Answer::Return(register, value.clone()))
                    };
                    let answers = chances.values.iter().map(answer).collect();
                    return Ok(ThrowAnswers {
                        answers,
                        reads: chances.reads.clone(),
                        registers,
                    });
                }
                if let Some(answers) =
                    self.block_answers(state, request, frame, within.filter(|_| frame == 0))
                {
                    return Ok(answers);
                }
            }
        }
        self.answers_to(state, request)
    }

    /// Returns the answers to a throw in the function that throws.
    fn answers_to(
        &mut self,
        state: &State,
        request: &ThrowRequest,
    ) -> Result<ThrowAnswers, Complaints> {
        let SearchContext {
            state_table,
            limits,
            ..
        } = self.context;
        // The others wait, so that a long list is made once.
        let mut throws = lock_unpoisoned(&self.context.throws);
        let key = request.fingerprint();
        let answers = match throws.get(key) {
            Some(cached) => cached,
            None => {
                let room = Room {
                    bytes: state_table.room(),
                    is_over: &|| limits.is_over(),
                };
                let answers = throw_outcomes(self.machine, state, request, &room)?;
                throws.insert(key, answers.clone(), state_table);
                answers
            }
        };
        Ok(ThrowAnswers {
            answers,
            reads: ColumnBits::default(),
            registers: RegisterReads::None,
        })
    }

    /// Returns what the call of a frame may return, if it can be counted apart.
    fn return_chances(
        &mut self,
        state: &mut State,
        request: &ThrowRequest,
        frame: usize,
    ) -> Option<Arc<ReturnChances>> {
        let table = self.context.state_table;
        let function = state.frames[frame].function;
        if self.uncountable.contains(&function) {
            return None;
        }
        let mut call = state.call_alone(frame);
        let key = call.fingerprint(Some(request.fingerprint()));
        let bits = table.board_bits(&mut call.board);
        if let Some(chances) = table.lookup_returns(key, &bits) {
            return Some(chances);
        }
        match self.count_returns(call, request) {
            Some(chances) => Some(table.insert_returns(key, &bits, chances)),
            None => {
                self.uncountable.insert(function);
                None
            }
        }
    }

    /// Counts what a call returns; `None` if it does more than that, or takes too many runs.
    fn count_returns(&mut self, mut call: State, request: &ThrowRequest) -> Option<ReturnChances> {
        let layout = self.context.state_table.layout();
        let initial_contents = board_contents(&mut call.board.clone());
        let (mut arithmetic, mut reads, mut runs) =
            (MassArithmetic::default(), ColumnBits::default(), 0);
        // The values stand in the order in which they are found, which decides the order of outcomes named later.
        let (mut values, mut masses): (Vec<Value>, Vec<Mass>) = (Vec::new(), Vec::new());
        let mut index_of_value: FxHashMap<u64, usize> = FxHashMap::default();
        let answers = match self.block_answers(&mut call, request, 0, None) {
            Some(block) => {
                reads.union_with(&block.reads);
                block.answers
            }
            None => match self.answers_to(&call, request) {
                Ok(thrown) => thrown.answers,
                Err(_) => {
                    // Another way to count it may do.
                    self.machine.overrun = None;
                    return None;
                }
            },
        };
        self.blocks
            .add_work(block_place(&call.frames[0]), answers.len());
        let mut layer = vec![CallState {
            state: call,
            answers,
            mass: Mass::certain(),
        }];
        let table = self.context.state_table;
        let mut memory = HeldBytes::new(table);
        while !layer.is_empty() {
            let layer_bytes = memory.bytes();
            let (mut next_layer, mut index_of_state): (Vec<CallState>, FxHashMap<u128, usize>) =
                Default::default();
            for CallState {
                state,
                answers,
                mass,
            } in layer
            {
                let total: Weight = answers.iter().map(|(weight, _)| weight).sum();
                runs += answers.len();
                if runs > MAX_RUNS {
                    return None;
                }
                for (weight, answer) in answers.iter() {
                    let mass = arithmetic.share(&mass, weight, &total);
                    let mut state = state.clone();
                    self.give_answer(&mut state, answer);
                    state.board.recorder = Some(Box::new(AccessRecorder::new(layout.clone())));
                    self.machine.renew_deadline();
                    let (stop, None) = self.run_machine(&mut state).ok()? else {
                        return None;
                    };
                    let recorder = state.board.recorder.take()?;
                    if !recorder.writes.is_empty()
                        || !state.outcomes.is_empty()
                        || state.open_marks > 0
                    {
                        return None;
                    }
                    reads.union_with(&recorder.reads);
                    let request_print = match &stop {
                        Stop::Done(_) if !is_unchanged(&mut state.board, &initial_contents) => {
                            return None;
                        }
                        Stop::Done(value) => {
                            let index = *index_of_value
                                .entry(value.fingerprint())
                                .or_insert(values.len());
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
                    self.machine
                        .clear_dead_registers(&mut state, request_print.is_none());
                    let key = state.fingerprint(request_print);
                    if let Some(index) = index_of_state.get(&key) {
                        arithmetic.add(&mut next_layer[*index].mass, mass);
                        continue;
                    }
                    let answers = match &stop {
                        Stop::Throw(request) => {
                            let thrown = self.throw_answers(&mut state, request, None).ok()?;
                            reads.union_with(&thrown.reads);
                            thrown.answers
                        }
                        _ => [(Weight::ONE, Answer::Nothing)].into(),
                    };
                    if !memory.take(
                        size_of::<CallState>() as u64 + state.bytes() + unshared_bytes(&answers),
                    ) {
                        return None;
                    }
                    index_of_state.insert(key, next_layer.len());
                    next_layer.push(CallState {
                        state,
                        answers,
                        mass,
                    });
                }
            }
            layer = next_layer;
            memory.free(layer_bytes);
        }
        let weights = arithmetic.common_weights(masses);
        Some(ReturnChances {
            values: weights.into_iter().zip(values).collect(),
            reads: reads.trim_zeros(),
        })
    }
}

/// Returns the place of the blocks that begin where a frame stopped: its function and operation.
pub(super) fn block_place(frame: &Frame) -> (u32, u32) {
    (frame.function, frame.pc.wrapping_sub(1))
}

/// Fingerprints of what is created on a board, and of its cells.
pub(super) type BoardContents = (u128, u128);

pub(super) fn board_contents(board: &mut Board) -> BoardContents {
    let mut digest = Digest::default();
    board.add_to_digest(&mut digest);
    (digest.finish(), board.total_fingerprint())
}

pub(super) fn is_unchanged(board: &mut Board, before: &BoardContents) -> bool {
    board_contents(board) == *before
}
