//! Answers already given. A case that throws no dice, makes no choice and says nothing is a pure function of its arguments and of the
//! situation; asked the same again, it need not be run again.

use crate::situation::board::PieceId;
use crate::situation::trace::Event;
use rhai::{Array, Dynamic, ImmutableString};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A small value that can be compared: what arguments are made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Atom {
    Unit,
    Number(i64),
    Flag(bool),
    Text(ImmutableString),
    Piece(PieceId),
    /// The start of a list of so many.
    List(usize),
}

/// Adds a value to a key; false for values that have no key: records, closures, maps.
fn atoms(value: &Dynamic, key: &mut Vec<Atom>) -> bool {
    if let Ok(n) = value.as_int() {
        key.push(Atom::Number(n));
    } else if let Some(text) = value.read_lock::<ImmutableString>() {
        key.push(Atom::Text(text.clone()));
    } else if let Some(piece) = value.read_lock::<PieceId>() {
        key.push(Atom::Piece(*piece));
    } else if let Ok(flag) = value.as_bool() {
        key.push(Atom::Flag(flag));
    } else if value.is_unit() {
        key.push(Atom::Unit);
    } else if let Some(list) = value.read_lock::<Array>() {
        key.push(Atom::List(list.len()));
        return list.iter().all(|item| atoms(item, key));
    } else {
        return false;
    }
    true
}

/// What was asked: slot, depth in its chain, arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question(usize, usize, Vec<Atom>);

/// What of the situation an answer looked at: a bit for each attribute of pieces, and for the three below.
pub type Aspects = u128;

/// Where pieces are, and which there are.
pub const WHERE: usize = 124;
/// Whose pieces are, and of what kind.
pub const WHOSE: usize = 125;
/// Where tracks stand.
pub const TRACKS: usize = 126;
/// Attributes beyond so many share a bit.
const ATTRIBUTES: usize = 123;

/// The state of the situation: a number for each aspect. Equal changes of equal states lead to equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State(Rc<Vec<u32>>);

impl Default for State {
    fn default() -> State {
        State(Rc::new(vec![0; TRACKS + 1]))
    }
}

impl State {
    /// The numbers of some aspects.
    fn of(&self, aspects: Aspects) -> Vec<u32> {
        (0..=TRACKS).filter(|i| aspects & (1 << i) != 0).map(|i| self.0[i]).collect()
    }
}

/// Something found out under a state of some aspects of the situation.
#[derive(Clone, Debug)]
pub struct Under<T> {
    aspects: Aspects,
    numbers: Vec<u32>,
    /// What was found out.
    pub found: T,
}

/// Things found out, by question; for each as many as there were states that differ in what was looked at.
#[derive(Debug)]
pub struct Files<T>(FxHashMap<Question, Vec<Under<T>>>);

impl<T> Default for Files<T> {
    fn default() -> Files<T> {
        Files(FxHashMap::default())
    }
}

/// An answer with the cells that were read for it.
#[derive(Clone, Debug)]
pub struct Known {
    /// The answer.
    pub value: Dynamic,
    /// The cells, for citations.
    pub cells: Vec<Event>,
}

/// Everything is forgotten when there are so many questions.
const MANY: usize = 100_000;
/// Of one question, so many states are remembered.
const STATES: usize = 256;

/// A change: the aspect, the number of the state before, and what was done.
type Change = (usize, u32, Vec<Atom>);

/// The answers of a run, and of runs from the same situation.
#[derive(Default)]
pub struct Memo {
    answers: RefCell<Files<Known>>,
    state: RefCell<State>,
    states: RefCell<FxHashMap<Change, u32>>,
    last: Cell<u32>,
    /// What has been looked at for the answer being worked out.
    looked: Cell<Aspects>,
    /// How often something happened that is more than an answer.
    acts: Cell<u64>,
}

impl Memo {
    /// Forgets everything: another situation begins.
    pub fn clear(&self) {
        *self.answers.borrow_mut() = Files::default();
        self.states.borrow_mut().clear();
        *self.state.borrow_mut() = State::default();
        self.last.set(0);
    }

    /// The state of the situation.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Goes back to a state seen before: the board was put back.
    pub fn back_to(&self, state: State) {
        *self.state.borrow_mut() = state;
    }

    /// Notes that an aspect of the situation was looked at: an attribute by its index, or WHERE, WHOSE, TRACKS.
    pub fn look(&self, aspect: usize) {
        self.looked.set(self.looked.get() | 1 << if aspect < WHERE { aspect.min(ATTRIBUTES) } else { aspect });
    }

    /// Begins to note what is looked at, and returns what was noted until now.
    pub fn look_anew(&self) -> Aspects {
        self.looked.replace(0)
    }

    /// Ends noting: what was noted before counts on, with what has come since, which is returned.
    pub fn looked(&self, before: Aspects) -> Aspects {
        let since = self.looked.get();
        self.looked.set(before | since);
        since
    }

    /// Notes that something happened that is more than an answer: dice, a choice, a line.
    pub fn act(&self) {
        self.acts.set(self.acts.get() + 1);
    }

    /// How often that was.
    pub fn acts(&self) -> u64 {
        self.acts.get()
    }

    /// Notes a change of some aspects of the situation.
    pub fn change(&self, aspects: impl Iterator<Item = usize>, what: &[&Dynamic]) {
        self.act();
        let mut key = Vec::new();
        let known = what.iter().all(|value| atoms(value, &mut key));
        let mut state = self.state.borrow_mut();
        let numbers = Rc::make_mut(&mut state.0);
        for aspect in aspects.map(|a| if a < WHERE { a.min(ATTRIBUTES) } else { a }) {
            let next = || {
                self.last.set(self.last.get() + 1);
                self.last.get()
            };
            let from = (aspect, numbers[aspect], key.clone());
            numbers[aspect] = if known { *self.states.borrow_mut().entry(from).or_insert_with(next) } else { next() };
        }
    }

    /// All aspects: a piece that comes into play brings figures of every kind.
    pub fn all() -> impl Iterator<Item = usize> {
        0..=TRACKS
    }

    /// The key of a question; none where an argument has no key.
    pub fn question(slot: usize, depth: usize, args: &[Dynamic]) -> Option<Question> {
        let mut key = Vec::with_capacity(args.len() + 4);
        args.iter().all(|arg| atoms(arg, &mut key)).then_some(Question(slot, depth, key))
    }

    /// The answer given before; what was looked at for it counts as looked at again.
    pub fn recall(&self, question: &Question) -> Option<Known> {
        self.find(&self.answers.borrow(), question)
    }

    /// Keeps an answer for which these aspects were looked at.
    pub fn keep(&self, question: Question, aspects: Aspects, known: Known) {
        self.put(&mut self.answers.borrow_mut(), question, aspects, known);
    }

    /// What a shelf has for a question under the state of the situation.
    pub fn find<T: Clone>(&self, shelf: &Files<T>, question: &Question) -> Option<T> {
        let state = self.state.borrow();
        let holds = |under: &&Under<T>| {
            let mut numbers = under.numbers.iter();
            (0..=TRACKS).filter(|i| under.aspects & (1 << i) != 0).all(|i| numbers.next() == Some(&state.0[i]))
        };
        let under = shelf.0.get(question)?.iter().rev().find(holds)?;
        self.looked.set(self.looked.get() | under.aspects);
        Some(under.found.clone())
    }

    /// Puts something on a shelf, for the state of these aspects.
    pub fn put<T>(&self, shelf: &mut Files<T>, question: Question, aspects: Aspects, found: T) {
        if shelf.0.len() >= MANY {
            shelf.0.clear();
        }
        let list = shelf.0.entry(question).or_default();
        if list.len() >= STATES {
            list.remove(0);
        }
        list.push(Under { aspects, numbers: self.state.borrow().of(aspects), found });
    }
}
