//! Answers that are known: what a function came to with the same arguments, where nothing it looked at has changed since.
//!
//! Only what merely answers is kept: nothing that throws, asks, names outcomes or changes the board. What it looked at is seen while it
//! runs, column by column, so that no author has to declare it; and it is kept only where that is cheaper than to work it out again. What
//! rests on the map alone holds on every board that has the same map.

use crate::code::state::State;
use crate::situation::board::Board;
use crate::situation::bytes::mixed;
use crate::situation::columns::Columns;
use crate::situation::figures::{Bits, Of, Seen, sort_of};
use crate::situation::start::Start;
use crate::situation::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Answers kept at most; then all are forgotten.
const MOST: usize = 100_000;
/// Answers kept to one question about different boards, at most; the oldest goes first.
const BOARDS: usize = 8;
/// Calls after which it is clear whether a function is worth remembering.
const TRIAL: u32 = 16;
/// Questions after which it is looked how many of them were asked before.
const TURN: u32 = 256;
/// Calls within it, on average, from which on a function is worth it.
const WORTH: u32 = 2;

/// An answer that is known.
struct Known {
    args: Box<[Value]>,
    /// The columns that were looked at, with their fingerprints.
    looked: Box<[(u16, u64)]>,
    /// Whether they were as at the start.
    at_start: bool,
    columns: Columns,
    /// The figures that were looked at, where somebody watched.
    figures: Option<Seen>,
    value: Value,
    answered: Option<usize>,
}

impl Known {
    /// Whether what was looked at stands as it did.
    fn holds(&self, board: &mut Board) -> bool {
        let plain = self.at_start && self.columns.apart_from(&board.touched);
        plain || self.looked.iter().all(|(column, print)| board.print(*column as usize) == *print)
    }
}

/// What is known of a function.
#[derive(Clone, Copy, Default)]
struct Habit {
    asked: u32,
    found: u32,
    /// Calls within it, all told.
    within: u32,
    tried: u32,
    /// Whether any of its answers rests on the map alone.
    lasts: bool,
    never: bool,
}

/// A function under way whose answer will be known.
struct Recording {
    unit: u32,
    key: u64,
    args: Box<[Value]>,
    /// How many functions are under way when it has answered.
    frames: usize,
    looked: Columns,
    watched: Option<(Bits, Bits)>,
    writes: u64,
    heads: (usize, usize),
    named: usize,
    noted: Option<usize>,
    steps: u64,
}

/// Answers, by what was asked.
#[derive(Default)]
struct Answers {
    known: FxHashMap<u64, Vec<Rc<Known>>>,
    count: usize,
}

impl Answers {
    fn find(&self, key: u64, mut fits: impl FnMut(&Known) -> bool) -> Option<Rc<Known>> {
        self.known.get(&key)?.iter().rev().find(|known| fits(known)).cloned()
    }

    fn keep(&mut self, key: u64, known: Known) {
        if self.count >= MOST {
            self.clear();
        }
        let list = self.known.entry(key).or_default();
        if list.len() >= BOARDS {
            list.remove(0);
        } else {
            self.count += 1;
        }
        list.push(Rc::new(known));
    }

    fn clear(&mut self) {
        self.known.clear();
        self.count = 0;
    }
}

/// The answers that are known.
#[derive(Default)]
pub struct Memo {
    /// Those that hold on this board.
    board: Answers,
    /// Those that hold wherever the map is the same.
    map: Answers,
    habits: Vec<Habit>,
    open: Vec<Recording>,
    start: Option<Arc<Start>>,
    /// Whether lines are noted: who says one is then no mere answer.
    noting: bool,
}

impl Memo {
    /// Makes ready for a run; what is known of another board means nothing here.
    pub fn begin(&mut self, state: &State, noted: Option<usize>) {
        self.open.clear();
        if self.noting != noted.is_some() {
            *self = Memo { noting: noted.is_some(), ..Memo::default() };
        }
        let start = &state.board.start;
        let before = self.start.as_ref();
        if before.is_some_and(|before| Arc::ptr_eq(before, start)) {
            return;
        }
        if before.is_none_or(|before| before.geography.print() != start.geography.print()) {
            self.map.clear();
        }
        self.board.clear();
        self.start = Some(start.clone());
    }

    /// The answer of a function whose arguments stand in these registers, where it is known. Where it isn't, what comes is looked at.
    pub fn ask(&mut self, state: &mut State, unit: u32, args: Range<usize>, noted: Option<usize>) -> Option<Value> {
        let place = unit as usize;
        if self.habits.len() <= place {
            self.habits.resize(place + 1, Habit::default());
        }
        let habit = &mut self.habits[place];
        if habit.never {
            return None;
        }
        habit.asked += 1;
        // What is seldom asked the same is not worth the asking. Of the map everything is asked once before anything is asked again.
        let turn = if habit.lasts { TURN * 16 } else { TURN };
        if habit.asked.is_multiple_of(turn) {
            habit.never = habit.found < turn / 8;
            habit.found = 0;
        }
        let args = &state.registers[args];
        let key = args.iter().fold(u64::from(unit), |key, value| mixed(key, value.fingerprint()));
        let watched = state.board.watch.is_some();
        let board = &mut state.board;
        let mut fits = |known: &Known| (!watched || known.figures.is_some()) && *known.args == *args && known.holds(board);
        let known = if habit.lasts { self.map.find(key, &mut fits) } else { None };
        let known = known.or_else(|| self.board.find(key, &mut fits));
        if let Some(known) = known {
            self.habits[place].found += 1;
            state.board.looked.join(&known.columns);
            if let (Some(watch), Some(figures)) = (&mut state.board.watch, &known.figures) {
                watch.saw(figures);
            }
            state.answered = known.answered;
            return Some(known.value.clone());
        }
        self.open.push(Recording {
            unit,
            key,
            args: args.into(),
            frames: state.frames.len(),
            looked: std::mem::take(&mut state.board.looked),
            watched: state.board.watch.as_mut().map(|watch| watch.aside()),
            writes: state.board.writes,
            heads: state.board.heads(),
            named: state.outcomes.len(),
            noted,
            steps: state.steps,
        });
        state.board.look_at_names(args);
        None
    }

    /// A function has answered: if it was looked at, its answer is known from now on.
    pub fn answered(&mut self, state: &mut State, value: &Value, noted: Option<usize>) {
        if self.open.last().is_none_or(|open| open.frames != state.frames.len()) {
            return;
        }
        let Some(open) = self.open.pop() else { return };
        let told = state.outcomes.len() != open.named || noted != open.noted;
        let pure = !told && state.board.writes == open.writes && state.board.heads() == open.heads;
        let steps = (state.steps - open.steps) as u32;
        let (unit, key, args) = (open.unit as usize, open.key, open.args.clone());
        let (columns, figures) = Memo::close(state, open);
        let habit = &mut self.habits[unit];
        habit.tried += 1;
        habit.within = habit.within.saturating_add(steps);
        habit.never |= !pure || habit.tried == TRIAL && habit.within < TRIAL * WORTH;
        if !pure || habit.never {
            return;
        }
        let looked: Box<[_]> = columns.iter().map(|column| (column as u16, state.board.print(column))).collect();
        let at_start = looked.iter().all(|(_, print)| *print == 0);
        let known = Known { args, looked, at_start, columns, figures, value: value.clone(), answered: state.answered };
        let plain = !known.args.iter().chain([value]).any(names_a_piece);
        let lasts = plain && known.figures.is_none() && known.columns.iter().all(is_of_the_map);
        self.habits[unit].lasts |= lasts;
        if lasts { self.map.keep(key, known) } else { self.board.keep(key, known) }
    }

    /// The machine stops, or goes back: what is under way above so many functions will not answer as a whole.
    pub fn break_off(&mut self, state: &mut State, frames: usize) {
        while let Some(open) = self.open.pop_if(|open| open.frames >= frames) {
            self.habits[open.unit as usize].never = true;
            Memo::close(state, open);
        }
    }

    /// What was looked at since; what was looked at before and since stands on the board again.
    fn close(state: &mut State, open: Recording) -> (Columns, Option<Seen>) {
        let mut columns = open.looked;
        std::mem::swap(&mut columns, &mut state.board.looked);
        state.board.looked.join(&columns);
        let figures = match (&mut state.board.watch, open.watched) {
            (Some(watch), Some(before)) => Some(watch.back(before)),
            _ => None,
        };
        (columns, figures)
    }
}

/// Whether a column is one of places or of the sides between them.
fn is_of_the_map(slot: usize) -> bool {
    matches!(sort_of(slot), Of::Place | Of::Side)
}

/// Whether a value means something on one board only.
fn names_a_piece(value: &Value) -> bool {
    match value {
        Value::Piece(_) | Value::Record(_) | Value::Closure(_) => true,
        Value::List(list) => list.iter().any(names_a_piece),
        Value::Map(map) => map.entries().iter().any(|(_, value)| names_a_piece(value)),
        _ => false,
    }
}
