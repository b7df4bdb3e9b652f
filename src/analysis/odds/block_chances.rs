//! How a block of a function that throws may end, counted once for all entries that agree in what it reads.
//!
//! A block that throws and does not change the board acts as a die: its function goes on from each of its ends, not from each state within it.
//! A loop's body with two throws leaves few numbers changed, however many faces fell.

use crate::odds::answer::{
    Answer, BlockChances, RegisterReads, ThrowAnswers, WeightedAnswers, exit_bytes, unshared_bytes,
};
use crate::odds::block_table::BlockMode;
use crate::odds::explore::Explorer;
use crate::odds::mass::{ChanceArithmetic, Mass, MassArithmetic};
use crate::odds::return_chances::{block_place, board_contents, is_unchanged};
use crate::odds::state_table::{HeldBytes, StateTable};
use casebook_engine::code::machine::entry_tracking::{BlockExit, EntryTracker};
use casebook_engine::code::state::{State, Stop, ThrowRequest};
use casebook_engine::notation::Weight;
use casebook_engine::situation::cell_key::{AccessRecorder, ColumnBits};
use casebook_engine::situation::fingerprint::{Digest, mix};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Why a block was not counted.
enum NotCounted {
    /// It does more than throw and change registers.
    Unfit,
    /// It takes too many runs, or the time is up.
    TooLong,
    /// It holds too much.
    TooLarge,
}

/// A state within the block, which registers hold values of its entry, how it goes on, and its probability.
struct BlockState {
    state: State,
    origins: Vec<Option<usize>>,
    answers: WeightedAnswers,
    mass: Mass,
}

/// What is known of a block while it is counted.
struct BlockCount<'a> {
    tracker: Box<EntryTracker>,
    reads: ColumnBits,
    arithmetic: MassArithmetic,
    runs: usize,
    /// The number of answers to the first throw, and whether others followed.
    first_answers: usize,
    throws_again: bool,
    /// The ends, in the order in which they are found, by their fingerprint.
    exits: Vec<(Arc<BlockExit>, Mass)>,
    index_of_exit: FxHashMap<u128, usize>,
    exit_bytes: HeldBytes<'a>,
}

impl Explorer<'_> {
    /// Returns how the largest block of a frame ends that is known or worth counting. With `within` only blocks that are smaller than these
    /// operations are.
    pub(super) fn block_answers(
        &mut self,
        state: &mut State,
        request: &ThrowRequest,
        frame: usize,
        within: Option<&Range<usize>>,
    ) -> Option<ThrowAnswers> {
        let (mode, table) = (self.context.blocks, self.context.state_table);
        if mode == BlockMode::Never {
            return None;
        }
        let place_key = block_place(&state.frames[frame]);
        let base = state.frames[frame].base as usize;
        let code = self.machine.loaded(place_key.0)?;
        let place = self.blocks.place(place_key, &code);
        let is_inside = |ops: &Range<usize>| {
            within.is_none_or(|all| ops.start >= all.start && ops.end <= all.end && ops != all)
        };
        let count = place
            .blocks
            .iter()
            .take_while(|block| is_inside(&block.ops))
            .count();
        if count == 0 || !place.is_promising(count, mode) {
            return None;
        }
        let mut digest = Digest::default();
        for frame in &state.frames[frame..] {
            digest.add(mix(
                u64::from(frame.function) << 32 | u64::from(frame.pc),
                u64::from(frame.base) - base as u64,
            ));
        }
        digest.add(request.fingerprint());
        state.board.add_to_digest(&mut digest);
        let fingerprint = digest.finish();
        let board = table.board_bits(&mut state.board);
        for index in (0..count).rev() {
            let place = self.blocks.place(place_key, &code);
            let Some(block) = place.blocks.get_mut(index) else {
                continue;
            };
            if block.is_paused() && mode != BlockMode::Always {
                continue;
            }
            if let Some(chances) = block.lookup(fingerprint, state, base, &board, table) {
                return Some(self.leave_frames(state, frame, chances));
            }
            let Some(allowance) = place.allowance(index, mode) else {
                continue;
            };
            let Some(ops) = place.blocks.get(index).map(|block| block.ops.clone()) else {
                continue;
            };
            let mut count = BlockCount::new(state, frame, ops.clone(), table);
            let open = self.blocks.open_count(allowance);
            let counted = self.count_block(state.call_alone(frame), request, &ops, &mut count);
            let runs = self.blocks.close_count(open);
            self.machine.entry_tracker = None;
            // Larger blocks may have been found unfit meanwhile, and this one with them.
            let Some(block) = self.blocks.place(place_key, &code).blocks.get_mut(index) else {
                continue;
            };
            match counted {
                Ok(()) => {
                    block.note_count(runs, false);
                    let merges = count.throws_again || count.exits.len() * 2 <= count.first_answers;
                    if !merges && mode != BlockMode::Always {
                        block.leave_out();
                        continue;
                    }
                    let chances = Arc::new(count.finish());
                    block.insert(fingerprint, state, base, &board, table, chances.clone());
                    self.blocks.take(chances.bytes(), table);
                    return Some(self.leave_frames(state, frame, chances));
                }
                // What a block may not do, no larger one may.
                Err(NotCounted::Unfit) => {
                    self.blocks.place(place_key, &code).blocks.truncate(index)
                }
                // One that had to stop for the count around it may be tried again as it is.
                Err(NotCounted::TooLong) => block.note_count(runs, runs >= allowance),
                Err(NotCounted::TooLarge) => block.note_count(runs, true),
            }
        }
        None
    }

    /// Drops the frames that a block called, and returns how the state goes on.
    fn leave_frames(
        &mut self,
        state: &mut State,
        frame: usize,
        chances: Arc<BlockChances>,
    ) -> ThrowAnswers {
        let base = state.frames[frame].base as usize;
        if frame + 1 < state.frames.len() {
            state.drop_frames(frame + 1);
        }
        ThrowAnswers {
            answers: chances.exits.clone(),
            reads: chances.reads.clone(),
            registers: RegisterReads::Block(base, chances),
        }
    }

    /// Counts how a block ends. `start` is a state of its function alone, at the first throw.
    fn count_block(
        &mut self,
        mut start: State,
        request: &ThrowRequest,
        ops: &Range<usize>,
        count: &mut BlockCount,
    ) -> Result<(), NotCounted> {
        let kept = start
            .frames
            .get(1)
            .map_or(usize::MAX, |callee| callee.base as usize);
        let initial_contents = board_contents(&mut start.board.clone());
        let answers = self.answers_within(&mut start, request, ops, count)?;
        (count.first_answers, count.throws_again) = (answers.len(), false);
        let origins = count.tracker.origins.clone();
        let mut layer = vec![BlockState {
            state: start,
            origins,
            answers,
            mass: Mass::certain(),
        }];
        let table = self.context.state_table;
        let mut memory = HeldBytes::new(table);
        while !layer.is_empty() {
            let layer_bytes = memory.bytes();
            let (mut next_layer, mut index_of_state): (Vec<BlockState>, FxHashMap<u128, usize>) =
                Default::default();
            for BlockState {
                state,
                origins,
                answers,
                mass,
            } in layer
            {
                let total: Weight = answers.iter().map(|(weight, _)| weight).sum();
                for (weight, answer) in answers.iter() {
                    let mass = count.arithmetic.share(&mass, weight, &total);
                    let mut state = state.clone();
                    count.tracker.origins.clone_from(&origins);
                    let stop = self.run_tracked(&mut state, answer, count)?;
                    let is_exit = stop == Stop::Returned && state.frames.len() == 1;
                    let request = match &stop {
                        Stop::Returned => None,
                        Stop::Throw(request) => Some(request),
                        _ => return Err(NotCounted::Unfit),
                    };
                    if is_exit {
                        if !state.handlers.is_empty()
                            || !is_unchanged(&mut state.board, &initial_contents)
                        {
                            return Err(NotCounted::Unfit);
                        }
                        let exit = self
                            .machine
                            .block_exit(&mut state, &mut count.tracker, kept)
                            .ok_or(NotCounted::Unfit)?;
                        if !count.add_exit(exit, mass) {
                            return Err(NotCounted::TooLarge);
                        }
                        continue;
                    }
                    self.machine
                        .clear_dead_registers(&mut state, request.is_none());
                    count.tracker.forget_cleared(&state.registers);
                    let key = state.fingerprint(request.map(ThrowRequest::fingerprint));
                    let key = key ^ u128::from(count.tracker.fingerprint()) << 32;
                    if let Some(index) = index_of_state.get(&key) {
                        count.arithmetic.add(&mut next_layer[*index].mass, mass);
                        continue;
                    }
                    let answers = match request {
                        Some(request) => self.answers_within(&mut state, request, ops, count)?,
                        None => [(Weight::ONE, Answer::Nothing)].into(),
                    };
                    let origins = count.tracker.origins.clone();
                    let bytes = size_of::<BlockState>() + size_of_val(&*origins);
                    if !memory.take(bytes as u64 + state.bytes() + unshared_bytes(&answers)) {
                        return Err(NotCounted::TooLarge);
                    }
                    index_of_state.insert(key, next_layer.len());
                    next_layer.push(BlockState {
                        state,
                        origins,
                        answers,
                        mass,
                    });
                }
            }
            layer = next_layer;
            memory.free(layer_bytes);
        }
        Ok(())
    }

    /// Continues a state within a block to its next stop or its end.
    fn run_tracked(
        &mut self,
        state: &mut State,
        answer: &Answer,
        count: &mut BlockCount,
    ) -> Result<Stop, NotCounted> {
        count.runs += 1;
        let now = self.machine.renew_deadline();
        if self.blocks.add_run() || now > self.context.limits.deadline {
            return Err(NotCounted::TooLong);
        }
        if !matches!(answer, Answer::Nothing) {
            state
                .frames
                .iter()
                .map(block_place)
                .for_each(|place| self.blocks.add_work(place, 1));
        }
        let empty = Box::new(EntryTracker::new(&[], 0..0));
        self.machine.entry_tracker = Some(std::mem::replace(&mut count.tracker, empty));
        self.give_answer(state, answer);
        state.board.recorder = Some(Box::new(AccessRecorder::new(
            self.context.state_table.layout().clone(),
        )));
        let stop = self.machine.run(state);
        count.tracker = self.machine.entry_tracker.take().ok_or(NotCounted::Unfit)?;
        let recorder = state.board.recorder.take().ok_or(NotCounted::Unfit)?;
        count.reads.union_with(&recorder.reads);
        if self.machine.overrun.take().is_some() {
            return Err(NotCounted::TooLong);
        }
        let is_fit =
            recorder.writes.is_empty() && state.outcomes.is_empty() && state.open_marks == 0;
        if is_fit {
            Ok(stop)
        } else {
            Err(NotCounted::Unfit)
        }
    }

    /// Returns the answers to a throw within a block, and records what was read to know them.
    fn answers_within(
        &mut self,
        state: &mut State,
        request: &ThrowRequest,
        ops: &Range<usize>,
        count: &mut BlockCount,
    ) -> Result<WeightedAnswers, NotCounted> {
        let registers = state.registers.clone();
        let thrown = self
            .throw_answers(state, request, Some(ops))
            .map_err(|_| NotCounted::Unfit)?;
        count.reads.union_with(&thrown.reads);
        count.throws_again = true;
        match &thrown.registers {
            RegisterReads::None => {}
            RegisterReads::Call(range) => range
                .clone()
                .for_each(|register| count.tracker.read(register)),
            RegisterReads::Block(base, inner) => {
                count
                    .tracker
                    .read_of_block(&inner.entry_reads, *base, &registers)
            }
        }
        Ok(thrown.answers)
    }
}

impl<'a> BlockCount<'a> {
    fn new(
        state: &State,
        frame: usize,
        ops: Range<usize>,
        table: &'a StateTable,
    ) -> BlockCount<'a> {
        let registers = &state.registers[state.frames[frame].base as usize..];
        BlockCount {
            tracker: Box::new(EntryTracker::new(registers, ops)),
            reads: ColumnBits::default(),
            arithmetic: MassArithmetic::default(),
            runs: 0,
            first_answers: 0,
            throws_again: false,
            exits: Vec::new(),
            index_of_exit: FxHashMap::default(),
            exit_bytes: HeldBytes::new(table),
        }
    }

    /// Adds an end; returns whether there is room for it.
    fn add_exit(&mut self, exit: BlockExit, mass: Mass) -> bool {
        let key = exit.fingerprint();
        let index = *self.index_of_exit.entry(key).or_insert(self.exits.len());
        match self.exits.get_mut(index) {
            Some((_, sum)) => {
                self.arithmetic.add(sum, mass);
                true
            }
            None => {
                let has_room = self
                    .exit_bytes
                    .take(size_of::<(BlockExit, Mass)>() as u64 + exit_bytes(&exit));
                self.exits.push((Arc::new(exit), mass));
                has_room
            }
        }
    }

    fn finish(mut self) -> BlockChances {
        let (exits, masses): (Vec<Arc<BlockExit>>, Vec<Mass>) = self.exits.into_iter().unzip();
        let weights = self.arithmetic.common_weights(masses);
        let (reads, entry_reads) = (self.reads.trim_zeros(), self.tracker.reads);
        BlockChances {
            exits: weights
                .into_iter()
                .zip(exits.into_iter().map(Answer::Exit))
                .collect(),
            reads,
            entry_reads,
            runs: self.runs,
        }
    }
}
