//! Answers already given. A case that throws no dice, makes no choice and says nothing is a pure function of its arguments and of the
//! situation; asked the same again, it need not be run again.

use crate::board::PieceId;
use crate::trace::Event;
use rhai::{Array, Dynamic, ImmutableString};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

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

/// What was asked: slot, depth in its chain, state of the situation, arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question(usize, usize, u32, Vec<Atom>);

/// An answer with the cells that were read for it.
#[derive(Clone, Debug)]
pub struct Known {
    /// The answer.
    pub value: Dynamic,
    /// The cells, for citations.
    pub cells: Vec<Event>,
}

/// Answers are forgotten when there are so many.
const MANY: usize = 100_000;

/// The answers of a run, and of runs from the same situation.
#[derive(Default)]
pub struct Memo {
    answers: RefCell<FxHashMap<Question, Known>>,
    /// The state of the situation: the same changes from the same state lead to the same state.
    state: Cell<u32>,
    states: RefCell<FxHashMap<(u32, Vec<Atom>), u32>>,
    last: Cell<u32>,
    /// How often something happened that is more than an answer.
    acts: Cell<u64>,
}

impl Memo {
    /// Forgets everything: another situation begins.
    pub fn clear(&self) {
        self.answers.borrow_mut().clear();
        self.states.borrow_mut().clear();
        self.state.set(0);
        self.last.set(0);
    }

    /// The state of the situation.
    pub fn state(&self) -> u32 {
        self.state.get()
    }

    /// Goes back to a state seen before: the board was put back.
    pub fn back_to(&self, state: u32) {
        self.state.set(state);
    }

    /// Notes that something happened that is more than an answer: dice, a choice, a line.
    pub fn act(&self) {
        self.acts.set(self.acts.get() + 1);
    }

    /// How often that was.
    pub fn acts(&self) -> u64 {
        self.acts.get()
    }

    /// Notes a change of the situation.
    pub fn change(&self, what: &[&Dynamic]) {
        self.act();
        let mut key = Vec::new();
        let known = what.iter().all(|value| atoms(value, &mut key));
        let next = || {
            self.last.set(self.last.get() + 1);
            self.last.get()
        };
        let state = if known { *self.states.borrow_mut().entry((self.state.get(), key)).or_insert_with(next) } else { next() };
        self.state.set(state);
    }

    /// The key of a question; none where an argument has no key.
    pub fn question(&self, slot: usize, depth: usize, args: &[Dynamic]) -> Option<Question> {
        let mut key = Vec::with_capacity(args.len() + 4);
        args.iter().all(|arg| atoms(arg, &mut key)).then(|| Question(slot, depth, self.state.get(), key))
    }

    /// The key of a question whose answer does not depend on the situation.
    pub fn anywhere(question: &Question) -> Question {
        Question(question.0, question.1, u32::MAX, question.3.clone())
    }

    /// The key of a value; none for values that have none.
    pub fn value_key(value: &Dynamic) -> Option<Question> {
        let mut key = Vec::new();
        atoms(value, &mut key).then_some(Question(usize::MAX, 0, 0, key))
    }

    /// The answer given before.
    pub fn recall(&self, question: &Question) -> Option<Known> {
        self.answers.borrow().get(question).cloned()
    }

    /// Keeps an answer.
    pub fn keep(&self, question: Question, known: Known) {
        let mut answers = self.answers.borrow_mut();
        if answers.len() >= MANY {
            answers.clear();
        }
        answers.insert(question, known);
    }
}
