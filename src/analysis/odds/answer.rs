//! How a state goes on from a stop: with the answer to its request, with what a call returns, or after a block.

use casebook_engine::code::machine::entry_tracking::{BlockExit, EntryReads, LeftValue};
use casebook_engine::code::machine::{Machine, Overrun};
use casebook_engine::code::state::{State, ThrowReading, ThrowRequest};
use casebook_engine::complaint::{Complaints, DiagnosticCode};
use casebook_engine::notation::Weight;
use casebook_engine::notation::chances::Room;
use casebook_engine::situation::cell_key::ColumnBits;
use casebook_engine::situation::value::Value;
use std::ops::Range;
use std::sync::Arc;

/// How a state goes on from a stop.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Nothing was asked.
    Nothing,
    /// With the answer to its request.
    Stop(Value),
    /// With the hand that a throw shows, by what its dice are worth: there may be millions, so each is made into a list when it is given.
    Hand(Arc<ThrowRequest>, Box<[i32]>),
    /// With what a call returns: the register of the result, and the value.
    Return(usize, Value),
    /// Behind a block.
    Exit(Arc<BlockExit>),
}

impl Answer {
    /// Continues a state with the answer.
    pub fn give_to(&self, machine: &mut Machine, state: &mut State) {
        match self {
            Answer::Nothing => {}
            Answer::Stop(value) => machine.answer_stop(state, value.clone()),
            Answer::Hand(request, hand) => {
                let hand: Vec<i64> = hand.iter().map(|worth| i64::from(*worth)).collect();
                machine.answer_stop(state, request.hand_value(&hand));
            }
            Answer::Return(register, value) => machine.answer_call(state, *register, value.clone()),
            Answer::Exit(exit) => machine.leave_block(state, exit),
        }
    }
}

/// Answers with their weights. All states that throw the same share them: they may be tens of thousands.
pub type WeightedAnswers = Arc<[(Weight, Answer)]>;

/// The estimated bytes of an end of a block without what it leaves in registers.
const EXIT_BYTES: u64 = 64;

/// The estimated bytes that an allocation takes in addition to its contents.
const HAND_OVERHEAD: u64 = 16;

/// Returns the estimated size of answers in bytes.
pub fn answer_bytes(answers: &[(Weight, Answer)]) -> u64 {
    let contents = |answer: &Answer| match answer {
        Answer::Nothing => 0,
        Answer::Stop(value) | Answer::Return(_, value) => value.allocated(),
        Answer::Hand(_, hand) => size_of_val(&**hand) as u64 + HAND_OVERHEAD,
        Answer::Exit(exit) => exit_bytes(exit),
    };
    size_of_val(answers) as u64
        + answers
            .iter()
            .map(|(_, answer)| contents(answer))
            .sum::<u64>()
}

/// Returns the estimated size of answers in bytes, 0 if they are counted elsewhere because others share them.
pub fn unshared_bytes(answers: &WeightedAnswers) -> u64 {
    if Arc::strong_count(answers) > 1 {
        0
    } else {
        answer_bytes(answers)
    }
}

/// Returns the estimated size of an end of a block in bytes.
pub fn exit_bytes(exit: &BlockExit) -> u64 {
    let left = |(_, left): &(usize, LeftValue)| {
        if let LeftValue::Value(value) = left {
            value.allocated()
        } else {
            0
        }
    };
    EXIT_BYTES + size_of_val(&*exit.writes) as u64 + exit.writes.iter().map(left).sum::<u64>()
}

/// The answers to a request, and which of them were explored.
#[derive(Debug, Default)]
pub struct OpenAnswers {
    pub answers: WeightedAnswers,
    /// The indices of those that were explored, in ascending order.
    pub explored: Box<[u32]>,
}

impl OpenAnswers {
    /// Returns the indices of the answers that were not explored.
    pub fn indices(&self) -> impl Iterator<Item = usize> {
        let mut explored = self.explored.iter().peekable();
        (0..self.answers.len()).filter(move |index| {
            explored
                .next_if(|number| **number as usize == *index)
                .is_none()
        })
    }

    /// Returns the sum of the weights of the answers that were not explored.
    pub fn weight(&self) -> Weight {
        self.indices().map(|index| &self.answers[index].0).sum()
    }
}

/// The answers to a throw, and what was read to know them.
pub struct ThrowAnswers {
    pub answers: WeightedAnswers,
    /// The columns of the board that were read.
    pub reads: ColumnBits,
    /// The registers that were read.
    pub registers: RegisterReads,
}

/// The registers that were read to know the answers to a throw.
pub enum RegisterReads {
    None,
    /// All registers of the frames of a call.
    Call(Range<usize>),
    /// What a block reads, whose frame begins at a register.
    Block(usize, Arc<BlockChances>),
}

/// How a block may end.
#[derive(Debug)]
pub struct BlockChances {
    /// The ends with their weights.
    pub exits: WeightedAnswers,
    /// The columns of the board that the block reads.
    pub reads: ColumnBits,
    /// What it reads of the registers.
    pub entry_reads: EntryReads,
    /// The number of runs that it took to count them.
    pub runs: usize,
}

impl BlockChances {
    /// Returns the estimated size in bytes.
    pub fn bytes(&self) -> u64 {
        let entry_reads =
            48 * (self.entry_reads.values.len() + self.entry_reads.ranges.len()) as u64;
        answer_bytes(&self.exits) + 256 + entry_reads + self.reads.bytes()
    }
}

/// Returns how a state may go on from a throw. Too many outcomes are an overrun of the machine, as too much time is: the count ends, and the
/// rest is sampled.
pub fn throw_outcomes(
    machine: &mut Machine,
    state: &State,
    request: &ThrowRequest,
    room: &Room,
) -> Result<WeightedAnswers, Complaints> {
    let shared = Arc::new(request.clone());
    let hand = |hand: &[i64], ways| {
        // A worth is at most a million for each of the throws that a die is followed for.
        let worths = hand.iter().map(|worth| *worth as i32).collect();
        (ways, Answer::Hand(shared.clone(), worths))
    };
    let answers = match request.reading {
        ThrowReading::Faces | ThrowReading::Cards => request.dice.hands(room, hand),
        _ => request.distribution(room).map(|outcomes| {
            let outcomes = outcomes.into_iter();
            outcomes
                .map(|(value, ways)| (ways, Answer::Stop(value)))
                .collect()
        }),
    };
    answers.map(WeightedAnswers::from).ok_or_else(|| {
        machine.overrun = Some(match (room.is_over)() {
            true => Overrun::Time,
            false => Overrun::Outcomes,
        });
        let message = format!("{} have too many outcomes to count exactly", request.dice);
        machine.complaint_at_stop(
            state,
            DiagnosticCode::Dice,
            message,
            "read their total, hits or highest faces, or throw fewer dice at once",
        )
    })
}

/// What a call may return.
#[derive(Debug)]
pub struct ReturnChances {
    pub values: Vec<(Weight, Value)>,
    /// The columns of the board that the function reads.
    pub reads: ColumnBits,
}

impl ReturnChances {
    /// Returns the estimated size in bytes.
    pub fn bytes(&self) -> u64 {
        self.values.len() as u64 * size_of::<(Weight, Value)>() as u64 + self.reads.bytes()
    }
}
