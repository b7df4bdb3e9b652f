//! How a state goes on from a stop: with the answer to its request, or with what a call returns.

use crate::code::machine::{Machine, Overrun};
use crate::code::state::{State, ThrowRequest};
use crate::complaint::{Complaints, DiagnosticCode};
use crate::notation::Weight;
use crate::situation::cell_key::ColumnBits;
use crate::situation::value::Value;

/// How a state goes on from a stop.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Nothing was asked.
    Nothing,
    /// With the answer to its request.
    Stop(Value),
    /// With what a call returns: the register of the result, and the value.
    Return(usize, Value),
}

impl Answer {
    /// Continues a state with the answer.
    pub fn give_to(&self, machine: &mut Machine, state: &mut State) {
        match self {
            Answer::Nothing => {}
            Answer::Stop(value) => machine.answer_stop(state, value.clone()),
            Answer::Return(register, value) => machine.answer_call(state, *register, value.clone()),
        }
    }
}

/// Answers with their weights.
pub type WeightedAnswers = Vec<(Weight, Answer)>;

/// Returns the outcomes of a throw with their weights. Too many of them are an overrun of the machine, as too much time is: the count ends,
/// and the rest is sampled.
pub fn throw_outcomes(machine: &mut Machine, state: &State, request: &ThrowRequest) -> Result<Vec<(Value, Weight)>, Complaints> {
    request.distribution().ok_or_else(|| {
        machine.overrun = Some(Overrun::Outcomes);
        let what = format!("{} have too many outcomes to count exactly", request.dice);
        machine.complaint_at_stop(state, DiagnosticCode::Dice, what, "read their total, hits or highest faces, or throw fewer dice at once")
    })
}

/// What a call may return.
#[derive(Debug)]
pub struct ReturnChances {
    /// The values with their weights.
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
