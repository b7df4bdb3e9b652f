//! All that a ruling is between two stops: a value. It can be copied, compared, put aside and gone on with.

use crate::code::context::Hand;
use crate::code::followed::Followed;
use crate::code::unit::Register;
use crate::notation::Dice;
use crate::situation::board::Board;
use crate::situation::bytes::{Digest, mixed};
use crate::situation::meter::Scale;
use crate::situation::value::{Closure, List, Text, Value};
use std::sync::Arc;

/// A function under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its unit.
    pub unit: u32,
    /// The operation that comes next.
    pub next: u32,
    /// Where its registers begin.
    pub base: u32,
    /// The caller's register for its answer.
    pub dst: Register,
    /// How many cases wait for it and each other.
    pub depth: u16,
    /// Whether a question is being answered here; an example speaks for itself.
    pub answering: bool,
    /// Whether it has thrown or asked since it was last looked at.
    pub stopped: bool,
}

/// Where a refusal goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Try {
    /// The frames that stay.
    pub frames: usize,
    /// The register for the cases that refused.
    pub dst: Register,
    /// The operation that comes next.
    pub to: u32,
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
    pub hand: Hand,
    /// The outcomes named so far.
    pub outcomes: Vec<(Text, Value)>,
    /// How many wait for outcomes to be named: these then belong to the state.
    pub marks: u32,
    /// Where refusals go on.
    pub tries: Vec<Try>,
    /// The case that answered last.
    pub answered: Option<usize>,
    /// Operations so far.
    pub steps: u64,
    /// Operations at the last stop, and how many stops there were.
    pub stopped: (u64, u32),
    /// What all of this came from, where somebody reads the ruling.
    pub followed: Option<Box<Followed>>,
}

/// Dice to be thrown.
#[derive(Clone, Debug, PartialEq)]
pub struct Throwing {
    /// The dice.
    pub dice: Arc<Dice>,
    /// As the rule writes them.
    pub text: Text,
    /// What for.
    pub purpose: Text,
    /// Dice that show this face or better are counted, where that is asked.
    pub at_least: Option<u32>,
}

/// A choice to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choosing {
    /// Whose; empty for nobody's in particular.
    pub side: Text,
    /// Of what.
    pub what: Text,
    /// The options, at least one.
    pub options: List,
}

/// Something an example wants counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counting {
    /// What is tried.
    pub closure: Arc<Closure>,
    /// The value whose chance is asked; none for the mean.
    pub value: Option<Value>,
}

/// A rule said no: the procedure ends, citing who refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why, as a template.
    pub template: Text,
    /// What the template speaks of.
    pub args: List,
    /// The cases that decided, as indices among those in force.
    pub cases: Vec<usize>,
}

/// Why the machine stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Dice are to be thrown.
    Throw(Throwing),
    /// A choice is to be made.
    Choice(Choosing),
    /// An example wants something counted.
    Count(Counting),
    /// A function that has thrown or asked is about to answer: nothing is asked, and it goes on.
    Passed,
    /// It has come to its end.
    Done(Value),
    /// A rule refused.
    Refused(Refusal),
    /// The data or what was typed in is at fault.
    Broken(crate::complaint::Complaints),
}

impl Throwing {
    /// A fingerprint of the dice. What they are thrown for makes no difference to what they can show.
    pub fn print(&self) -> u64 {
        let Dice { count, sides, shift } = *self.dice;
        mixed(mixed(count.into(), sides.into()), mixed(shift as u64, self.at_least.map_or(0, |face| u64::from(face) + 1)))
    }
}

impl Choosing {
    /// A fingerprint of the question and its options.
    pub fn print(&self) -> u64 {
        let asked = mixed(self.side.fingerprint(), self.what.fingerprint());
        self.options.iter().fold(asked, |sum, option| mixed(sum, option.fingerprint()))
    }
}

impl State {
    /// A state in which nothing runs yet.
    pub fn new(board: Board) -> State {
        State { board, ..State::default() }
    }

    /// The same state with the operation still to come at which it has stopped: whoever goes on with it is asked again.
    pub fn once_more(mut self) -> State {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = frame.next.saturating_sub(1);
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
    pub fn passes(&mut self, answer: usize) -> bool {
        let [above @ .., frame] = &mut self.frames[..] else { return false };
        if !frame.stopped {
            return false;
        }
        (frame.stopped, frame.next) = (false, answer as u32);
        above.iter_mut().last().into_iter().for_each(|caller| caller.stopped = true);
        true
    }

    /// A fingerprint of what tells this state from others, except for the figures of the board: where every function stands, and what it
    /// still needs, and what is asked, or that nothing is: then it has passed. Registers that nobody needs must have been let go; what is
    /// needed for the question alone has been, too.
    pub fn print(&self, asked: Option<u64>) -> u128 {
        let mut digest = Digest::default();
        digest.add(asked.unwrap_or_default());
        digest.add(self.answered.map_or(u64::MAX, |case| case as u64));
        digest.add((self.tries.len() as u64) << 1 | u64::from(asked.is_none()));
        for frame in &self.frames {
            digest.add(u64::from(frame.unit) << 32 | u64::from(frame.next));
            digest.add(frame.base.into());
        }
        let needed = self.registers.iter().zip(0..).filter(|(value, _)| !value.is_nothing());
        needed.for_each(|(value, register)| digest.add(mixed(register, value.fingerprint())));
        self.board.digest(&mut digest);
        if self.marks > 0 {
            self.outcomes.iter().flat_map(|(name, value)| [name.fingerprint(), value.fingerprint()]).for_each(|print| digest.add(print));
        }
        digest.print()
    }
}
