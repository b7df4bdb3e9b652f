//! The complete state of a suspended run. It can be cloned, compared, stored and resumed.

use crate::code::bytecode::Register;
use crate::code::context::ExampleFixture;
use crate::code::provenance::Provenance;
use crate::notation::chances::Room;
use crate::notation::{Band, Dice, Face, Weight};
use crate::situation::board::Board;
use crate::situation::fingerprint::{Digest, mix};
use crate::situation::meter::Scale;
use crate::situation::value::{Closure, HashedText, List, Value};
use std::sync::Arc;

/// A call frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number of the function in the program.
    pub function: u32,
    /// Index of the next operation.
    pub pc: u32,
    /// Absolute index of its first register.
    pub base: u32,
    /// The caller's register for the result.
    pub dst: Register,
    /// Number of nested cases.
    pub depth: u16,
    /// Whether the frame belongs to an answer rather than directly to an example.
    pub is_answer: bool,
    /// Whether the function has thrown or requested a choice since it was last merged.
    pub has_stopped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalHandler {
    /// Number of frames to keep.
    pub frames: usize,
    /// The register for the refusing cases.
    pub dst: Register,
    /// The next operation.
    pub target: u32,
}

/// Allocations below this many bytes between two stops are assumed to be short-lived and are not measured.
const MUCH: u64 = 256 << 10;

/// The state of a run.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Call frames, the innermost last.
    pub frames: Vec<Frame>,
    /// Registers of all frames.
    pub registers: Vec<Value>,
    pub board: Board,
    pub fixture: ExampleFixture,
    /// The outcomes recorded so far.
    pub outcomes: Vec<(HashedText, Value)>,
    /// Number of open outcome marks. While it is above 0, the outcomes are part of the fingerprint.
    pub open_marks: u32,
    /// Refusal handlers, the innermost last.
    pub handlers: Vec<RefusalHandler>,
    /// Number of steps so far.
    pub steps: u64,
    /// Number of steps at the last stop, and number of stops.
    pub last_stop: (u64, u32),
    /// The provenance tracker, if citations are wanted.
    pub provenance: Option<Box<Provenance>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ThrowRequest {
    pub dice: Arc<Dice>,
    /// The notation as written in the rule.
    pub notation: HashedText,
    pub purpose: HashedText,
    /// What the rule reads of the dice.
    pub reading: ThrowReading,
    /// What is drawn, if these are cards or lots.
    pub drawn: Option<Arc<CardDraw>>,
}

/// A draw of cards from a stock, or of a lot.
#[derive(Clone, Debug, PartialEq)]
pub struct CardDraw {
    /// The card or lot of each side of the dice.
    pub values: Vec<Value>,
    /// All kinds of cards, in the order in which a list shows them.
    pub kinds: Vec<Value>,
    /// The first cards of the draw that are certain, before the random ones.
    pub certain: Vec<Value>,
    /// The last cards of the draw that are certain, after the random ones.
    pub last: Vec<Value>,
    /// The side that alone sees what is drawn.
    pub seen_by: Option<HashedText>,
    /// Fingerprint of what can be drawn.
    pub contents: u64,
}

impl CardDraw {
    /// Returns the list of all cards of the draw: the certain ones, and the random ones that were drawn.
    pub fn list(&self, drawn: impl Iterator<Item = Value>, in_order: bool) -> Value {
        let mut cards: Vec<Value> = self
            .certain
            .iter()
            .cloned()
            .chain(drawn)
            .chain(self.last.iter().cloned())
            .collect();
        if !in_order {
            cards.sort_by_key(|card| self.kinds.iter().position(|kind| kind == card));
        }
        cards.into()
    }
}

/// What a rule reads of thrown dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrowReading {
    Total,
    /// How many are worth something in this band.
    Hits(Band),
    /// How often they show the symbol of this index.
    Symbol(u32),
    /// How often each symbol shows, by its name.
    Symbols,
    /// Whether a single die shows this or less.
    AtMost(u32),
    /// Their faces, from the highest to the lowest, or from the best word to the worst.
    Faces,
    /// The one card or lot that is drawn.
    Card,
    /// The cards that are drawn, in the order of the deck.
    Cards,
    /// The cards that are drawn, in the order in which they lie.
    CardsInOrder,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceRequest {
    /// The side that chooses; empty if no side is named.
    pub side: HashedText,
    pub question: HashedText,
    /// The options, at least one.
    pub options: List,
}

/// A request of an example for a distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountRequest {
    /// The closure to explore.
    pub closure: Arc<Closure>,
    /// The value whose probability is wanted; `None` for the mean.
    pub value: Option<Value>,
}

/// A refusal, which ends the procedure and cites the refusing cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Template of the reason.
    pub template: HashedText,
    /// Arguments of the template.
    pub args: List,
    /// Indices of the refusing cases among the cases in force.
    pub cases: Vec<usize>,
}

/// Why the machine stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    Throw(ThrowRequest),
    Choice(ChoiceRequest),
    /// An example requests a distribution.
    Count(CountRequest),
    /// A function that has thrown or requested a choice is about to return. No answer is needed; equal states can merge here.
    Returned,
    /// The run has finished with this value.
    Done(Value),
    /// A rule refused.
    Refused(Refusal),
    /// The data or the typed-in input is wrong.
    Failed(crate::complaint::Complaints),
}

impl ThrowRequest {
    /// Returns a fingerprint of the dice. It ignores the purpose, which does not affect the distribution.
    pub fn fingerprint(&self) -> u64 {
        let reading = match self.reading {
            ThrowReading::Total => 0,
            ThrowReading::Faces => 1,
            ThrowReading::Card => 2,
            ThrowReading::Cards => 3,
            ThrowReading::CardsInOrder => 4,
            ThrowReading::Symbols => 5,
            ThrowReading::Symbol(index) => mix(6, index.into()),
            ThrowReading::AtMost(most) => mix(7, most.into()),
            ThrowReading::Hits(band) => mix(band.low as u64, band.high as u64),
        };
        let throw = mix(self.notation.fingerprint(), reading);
        self.drawn
            .as_ref()
            .map_or(throw, |drawn| mix(throw, drawn.contents))
    }

    /// Returns whether cards or lots are drawn, not dice thrown.
    pub fn is_draw(&self) -> bool {
        self.drawn.is_some()
    }

    /// Returns the side that alone may see what is thrown or drawn; `None` if all may.
    pub fn seen_by(&self) -> Option<&HashedText> {
        self.drawn.as_ref().and_then(|drawn| drawn.seen_by.as_ref())
    }

    /// Returns what is drawn with these cards, each given by its worth.
    fn drawn_value(&self, hand: &[i64]) -> Value {
        let Some(draw) = &self.drawn else {
            return Value::Nothing;
        };
        let card = |worth: &i64| draw.values[worth.unsigned_abs() as usize].clone();
        match (self.reading, hand) {
            (ThrowReading::Card, [card_drawn, ..]) => card(card_drawn),
            _ => draw.list(
                hand.iter().map(card),
                self.reading == ThrowReading::CardsInOrder,
            ),
        }
    }

    /// Returns what the rule reads of the sides that were thrown.
    pub fn read(&self, thrown: &[u32]) -> Value {
        match self.reading {
            ThrowReading::Total => Value::Number(self.dice.total(thrown)),
            ThrowReading::Hits(band) => Value::Number(self.dice.hits(thrown, band)),
            ThrowReading::Symbol(index) => Value::Number(
                self.symbol(index)
                    .map_or(0, |symbol| self.dice.symbol_count(thrown, symbol)),
            ),
            ThrowReading::Symbols => self.symbol_map(
                &self
                    .dice
                    .symbols()
                    .iter()
                    .map(|symbol| self.dice.symbol_count(thrown, symbol))
                    .collect::<Vec<_>>(),
            ),
            ThrowReading::AtMost(most) => thrown.iter().all(|side| *side <= most).into(),
            ThrowReading::Faces | ThrowReading::Card | ThrowReading::Cards => {
                self.hand_value(&self.dice.kept(thrown))
            }
            ThrowReading::CardsInOrder => self.drawn_value(&self.dice.worths(thrown)),
        }
    }

    /// Returns everything the rule can read with its number of combinations; `None` if that is too much to count.
    pub fn distribution(&self, room: &Room) -> Option<Vec<(Value, Weight)>> {
        let numbers = |list: Vec<(i64, Weight)>| {
            list.into_iter()
                .map(|(number, ways)| (Value::Number(number), ways))
                .collect()
        };
        match self.reading {
            ThrowReading::Total => self.dice.total_distribution().map(numbers),
            ThrowReading::Hits(band) => self.dice.hit_distribution(band).map(numbers),
            ThrowReading::Symbol(index) => self
                .dice
                .symbol_distribution(self.symbol(index)?)
                .map(numbers),
            ThrowReading::Symbols => Some(
                self.dice
                    .symbol_counts(room)?
                    .into_iter()
                    .map(|(counts, ways)| (self.symbol_map(&counts), ways))
                    .collect(),
            ),
            ThrowReading::AtMost(most) => {
                let ways = [
                    (Value::True, most),
                    (Value::False, self.dice.sides.saturating_sub(most)),
                ];
                Some(
                    ways.into_iter()
                        .map(|(value, ways)| (value, Weight::from(ways)))
                        .collect(),
                )
            }
            ThrowReading::Faces | ThrowReading::Card | ThrowReading::Cards => self
                .dice
                .hands(room, |hand, ways| (self.hand_value(hand), ways)),
            ThrowReading::CardsInOrder => Some(
                self.dice
                    .drawn_rows(room)?
                    .into_iter()
                    .map(|(row, ways)| (self.drawn_value(&row), ways))
                    .collect(),
            ),
        }
    }

    fn symbol(&self, index: u32) -> Option<&str> {
        self.dice.symbols().get(index as usize).copied()
    }

    /// Returns how often each symbol shows as a map.
    fn symbol_map(&self, counts: &[i64]) -> Value {
        let entry =
            |(symbol, count): (&str, &i64)| (HashedText::from(symbol), Value::Number(*count));
        Value::Map(
            self.dice
                .symbols()
                .into_iter()
                .zip(counts)
                .map(entry)
                .collect(),
        )
    }

    /// Returns the face of what a die is worth.
    fn face(&self, worth: i64) -> Value {
        face_value(self.dice.face_worth(worth))
    }

    /// Returns what the rule reads of a hand, given by what its dice or cards are worth.
    pub fn hand_value(&self, hand: &[i64]) -> Value {
        match self.reading {
            ThrowReading::Faces => hand.iter().map(|worth| self.face(*worth)).collect(),
            _ => self.drawn_value(hand),
        }
    }
}

fn face_value(face: Face) -> Value {
    match face {
        Face::Number(number) => Value::Number(number),
        Face::Word(word) => Value::Text((&*word).into()),
    }
}

impl ChoiceRequest {
    /// Returns a fingerprint of the side, the question and the options.
    pub fn fingerprint(&self) -> u64 {
        let choice = mix(self.side.fingerprint(), self.question.fingerprint());
        self.options
            .iter()
            .fold(choice, |sum, option| mix(sum, option.fingerprint()))
    }
}

impl State {
    /// Creates a state with no frames.
    pub fn new(board: Board) -> State {
        State {
            board,
            ..State::default()
        }
    }

    /// Moves the program counter to the operation at which the state stopped, so that it stops there again when resumed.
    pub fn rewind_to_stop(mut self) -> State {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = frame.pc.saturating_sub(1);
        }
        self
    }

    /// Bytes of all values, including those shared with other states.
    pub fn alive(&self) -> u64 {
        let mut scale = Scale::default();
        self.registers.iter().for_each(|value| scale.add(value));
        for (name, value) in &self.outcomes {
            scale.text(name);
            scale.add(value);
        }
        self.board.add_to(&mut scale);
        scale.bytes
    }

    /// Estimated bytes of the state, without those shared with the state it came from.
    pub fn bytes(&self) -> u64 {
        let (values, frames) = (size_of_val(&*self.registers), size_of_val(&*self.frames));
        let unshared = (size_of::<State>() + values + frames + size_of_val(&*self.outcomes)) as u64
            + self.board.bytes();
        let since_stop = self.board.meter.since_stop();
        unshared
            + if since_stop < MUCH {
                0
            } else {
                since_stop.min(self.alive())
            }
    }

    /// Whether the innermost function, about to return at operation `answer`, must stop first because it or a callee has thrown or
    /// requested a choice. If so, moves it to that operation again and marks its caller. Behind the outermost one nothing can merge.
    pub fn stop_before_return(&mut self, answer: usize) -> bool {
        let [.., caller, frame] = &mut self.frames[..] else {
            return false;
        };
        if !frame.has_stopped {
            return false;
        }
        (frame.has_stopped, frame.pc, caller.has_stopped) = (false, answer as u32, true);
        true
    }

    /// Returns a state of only the innermost frames, from one on: its run ends when that one returns.
    pub fn call_alone(&self, from: usize) -> State {
        let base = self.frames[from].base;
        let frames = self.frames[from..]
            .iter()
            .map(|frame| Frame {
                base: frame.base - base,
                ..*frame
            })
            .collect();
        let registers = self
            .registers
            .get(base as usize..)
            .unwrap_or_default()
            .to_vec();
        State {
            frames,
            registers,
            handlers: Vec::new(),
            outcomes: Vec::new(),
            ..self.clone()
        }
    }

    /// Drops the innermost frames, from one on; returns the register for its result.
    pub fn drop_frames(&mut self, from: usize) -> usize {
        let Frame { base, dst, .. } = self.frames[from];
        self.frames.truncate(from);
        self.registers.truncate(base as usize);
        self.frames.last().map_or(0, |caller| caller.base as usize) + usize::from(dst)
    }

    /// Returns a fingerprint of the state without the figures of the board. `request` is the fingerprint of the request; `None` means a stop
    /// before a return. Dead registers, including those needed only for the request, must be cleared first.
    pub fn fingerprint(&self, request: Option<u64>) -> u128 {
        let mut digest = Digest::default();
        digest.add(request.unwrap_or_default());
        digest.add((self.handlers.len() as u64) << 1 | u64::from(request.is_none()));
        for frame in &self.frames {
            digest.add(u64::from(frame.function) << 32 | u64::from(frame.pc));
            digest.add(frame.base.into());
        }
        let needed = self
            .registers
            .iter()
            .zip(0..)
            .filter(|(value, _)| !value.is_nothing());
        needed.for_each(|(value, register)| digest.add(mix(register, value.fingerprint())));
        self.board.add_to_digest(&mut digest);
        if self.open_marks > 0 {
            self.outcomes
                .iter()
                .flat_map(|(name, value)| [name.fingerprint(), value.fingerprint()])
                .for_each(|fingerprint| digest.add(fingerprint));
        }
        digest.finish()
    }
}
