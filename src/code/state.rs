//! All that a ruling is between two stops: a value. It can be copied, compared, put aside and gone on with.

use crate::code::bytecode::Register;
use crate::code::context::ExampleFixture;
use crate::code::provenance::Provenance;
use crate::notation::Dice;
use crate::situation::board::Board;
use crate::situation::fingerprint::{Digest, mix};
use crate::situation::meter::Scale;
use crate::situation::value::{Closure, HashedText, List, Value};
use std::sync::Arc;

/// A function under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its unit.
    pub function: u32,
    /// The operation that comes next.
    pub pc: u32,
    /// Where its registers begin.
    pub base: u32,
    /// The caller's register for its answer.
    pub dst: Register,
    /// How many cases wait for it and each other.
    pub depth: u16,
    /// Whether a question is being answered here; an example speaks for itself.
    pub is_answer: bool,
    /// Whether it has thrown or asked since it was last looked at.
    pub has_stopped: bool,
}

/// Where a refusal goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalHandler {
    /// The frames that stay.
    pub frames: usize,
    /// The register for the cases that refused.
    pub dst: Register,
    /// The operation that comes next.
    pub target: u32,
}

/// Less than so many bytes made from one stop to the next are mostly let go by then, and are not looked for.
const MUCH: u64 = 256 << 10;

/// The state of a ruling.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The functions under way, the innermost last.
    pub frames: Vec<Frame>,
    /// The registers of all of them.
    pub registers: Vec<Value>,
    /// The board.
    pub board: Board,
    /// What an example has set up.
    pub fixture: ExampleFixture,
    /// The outcomes named so far.
    pub outcomes: Vec<(HashedText, Value)>,
    /// How many wait for outcomes to be named: these then belong to the state.
    pub open_marks: u32,
    /// Where refusals go on.
    pub handlers: Vec<RefusalHandler>,
    /// The case that answered last.
    pub last_answered: Option<usize>,
    /// Operations so far.
    pub steps: u64,
    /// Operations at the last stop, and how many stops there were.
    pub last_stop: (u64, u32),
    /// What all of this came from, where somebody reads the ruling.
    pub provenance: Option<Box<Provenance>>,
}

/// Dice to be thrown.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrowRequest {
    /// The dice.
    pub dice: Arc<Dice>,
    /// As the rule writes them.
    pub notation: HashedText,
    /// What for.
    pub purpose: HashedText,
    /// Dice that show this face or better are counted, where that is asked.
    pub at_least: Option<u32>,
}

/// A choice to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceRequest {
    /// Whose; empty for nobody's in particular.
    pub side: HashedText,
    /// Of what.
    pub question: HashedText,
    /// The options, at least one.
    pub options: List,
}

/// Something an example wants counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountRequest {
    /// What is tried.
    pub closure: Arc<Closure>,
    /// The value whose chance is asked; none for the mean.
    pub value: Option<Value>,
}

/// A rule said no: the procedure ends, citing who refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why, as a template.
    pub template: HashedText,
    /// What the template speaks of.
    pub args: List,
    /// The cases that decided, as indices among those in force.
    pub cases: Vec<usize>,
}

/// Why the machine stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Dice are to be thrown.
    Throw(ThrowRequest),
    /// A choice is to be made.
    Choice(ChoiceRequest),
    /// An example wants something counted.
    Count(CountRequest),
    /// A function that has thrown or asked is about to answer: nothing is asked, and it goes on.
    Returned,
    /// It has come to its end.
    Done(Value),
    /// A rule refused.
    Refused(Refusal),
    /// The data or what was typed in is at fault.
    Failed(crate::complaint::Complaints),
}

impl ThrowRequest {
    /// A fingerprint of the dice. What they are thrown for makes no difference to what they can show.
    pub fn fingerprint(&self) -> u64 {
        let Dice { count, sides, modifier: shift } = *self.dice;
        mix(mix(count.into(), sides.into()), mix(shift as u64, self.at_least.map_or(0, |face| u64::from(face) + 1)))
    }
}

impl ChoiceRequest {
    /// A fingerprint of the question and its options.
    pub fn print(&self) -> u64 {
        let asked = mix(self.side.fingerprint(), self.question.fingerprint());
        self.options.iter().fold(asked, |sum, option| mix(sum, option.fingerprint()))
    }
}

impl State {
    /// A state in which nothing runs yet.
    pub fn new(board: Board) -> State {
        State { board, ..State::default() }
    }

    /// The same state with the operation still to come at which it has stopped: whoever goes on with it is asked again.
    pub fn rewind_to_stop(mut self) -> State {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = frame.pc.saturating_sub(1);
        }
        self
    }

    /// Bytes of all its values, those that it shares with other states among them.
    pub fn alive(&self) -> u64 {
        let mut scale = Scale::default();
        self.registers.iter().for_each(|value| scale.add(value));
        for (name, value) in &self.outcomes {
            scale.text(name);
            scale.add(value);
        }
        self.board.weigh(&mut scale);
        scale.bytes
    }

    /// How many bytes it takes beside those that it shares with the state it came from, as near as can be reckoned.
    pub fn bytes(&self) -> u64 {
        let (values, frames) = (size_of_val(&*self.registers), size_of_val(&*self.frames));
        let own = (size_of::<State>() + values + frames + size_of_val(&*self.outcomes)) as u64 + self.board.bytes();
        let made = self.board.meter.since_stop();
        own + if made < MUCH { 0 } else { made.min(self.alive()) }
    }

    /// Whether the innermost function, about to answer with this operation, has thrown or asked, or one that it called: then it comes here
    /// once more, and its caller after it.
    pub fn stop_before_return(&mut self, answer: usize) -> bool {
        let [above @ .., frame] = &mut self.frames[..] else { return false };
        if !frame.has_stopped {
            return false;
        }
        (frame.has_stopped, frame.pc) = (false, answer as u32);
        above.iter_mut().last().into_iter().for_each(|caller| caller.has_stopped = true);
        true
    }

    /// A fingerprint of what tells this state from others, except for the figures of the board: where every function stands, and what it
    /// still needs, and what is asked, or that nothing is: then it has passed. Registers that nobody needs must have been let go; what is
    /// needed for the question alone has been, too.
    pub fn fingerprint(&self, asked: Option<u64>) -> u128 {
        let mut digest = Digest::default();
        digest.add(asked.unwrap_or_default());
        digest.add(self.last_answered.map_or(u64::MAX, |case| case as u64));
        digest.add((self.handlers.len() as u64) << 1 | u64::from(asked.is_none()));
        for frame in &self.frames {
            digest.add(u64::from(frame.function) << 32 | u64::from(frame.pc));
            digest.add(frame.base.into());
        }
        let needed = self.registers.iter().zip(0..).filter(|(value, _)| !value.is_nothing());
        needed.for_each(|(value, register)| digest.add(mix(register, value.fingerprint())));
        self.board.add_to_digest(&mut digest);
        if self.open_marks > 0 {
            self.outcomes.iter().flat_map(|(name, value)| [name.fingerprint(), value.fingerprint()]).for_each(|print| digest.add(print));
        }
        digest.finish()
    }
}
