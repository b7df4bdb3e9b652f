//! Answers that are known: what a function came to with the same arguments, where nothing it looked at has changed since.
//!
//! Only what merely answers is kept: nothing that throws, asks, names outcomes or changes the board. What it looked at is seen while it
//! runs, column by column, so that no author has to declare it; and it is kept only where that is cheaper than to work it out again. What
//! rests on the map alone holds on every board that has the same map.
//!
//! Where somebody reads what happened, an answer given again tells all of it, as one event; and where somebody reads what lines come from,
//! it is given again only where what it looked at came from the same as before.

use crate::code::context::Detail;
use crate::code::followed::{Archive, Followed, Origin};
use crate::code::sources::ARGS;
use crate::code::state::State;
use crate::situation::board::Board;
use crate::situation::bytes::mixed;
use crate::situation::columns::Columns;
use crate::situation::figures::{Bits, Of, Seen, sort_of};
use crate::situation::start::Start;
use crate::situation::trace::Event;
use crate::situation::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Answers kept at most; then all are forgotten. All examples take the same time with a fourth of it and with twelve times as many, which
/// fill the memory.
const MOST: usize = 8_000;
/// Sets of sources kept at most for what answers came from.
const SETS: usize = 100_000;
/// So many events kept with them take as much room as an answer.
const EVENTS: usize = 8;
/// So many bytes of arguments and answers count as another answer.
const BYTES: u64 = 4_096;
/// Answers kept to one question about different boards, at most; the oldest goes first.
const BOARDS: usize = 8;
/// Calls after which it is clear whether a function is worth remembering.
const TRIAL: u32 = 16;
/// Questions after which it is looked how many of them were asked before.
const TURN: u32 = 256;
/// Calls within it, on average, from which on a function is worth it.
const WORTH: u32 = 2;

/// An answer that is known.
pub struct Known {
    args: Box<[Value]>,
    /// The columns that were looked at, with their fingerprints.
    looked: Box<[(u16, u64)]>,
    /// Whether they were as at the start.
    at_start: bool,
    columns: Columns,
    /// The figures that were looked at, where somebody watched.
    figures: Option<Seen>,
    /// What it came to.
    pub value: Value,
    answered: Option<usize>,
    /// What happened on the way, as far as anybody reads it.
    pub told: Option<Event>,
    /// What the answer came from, where that was followed.
    pub origin: Option<Origin>,
    /// The steps it took: given again, it takes as many, so that a limit does not hang on what is known.
    steps: u64,
}

impl Known {
    /// Whether what was looked at stands as it did.
    fn holds(&self, board: &mut Board) -> bool {
        let plain = self.at_start && self.columns.apart_from(&board.touched);
        plain || self.looked.iter().all(|(column, print)| board.print(*column as usize) == *print)
    }

    /// Whether it came from what it would come from now.
    fn stands(&self, followed: Option<&mut Followed>) -> bool {
        followed.is_none_or(|followed| self.origin.as_ref().is_some_and(|origin| followed.stands(origin, &self.columns)))
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
        if let Some(Event::Remembered(told)) = &known.told {
            self.count += told.events.len() / EVENTS;
        }
        let bytes: u64 =
            known.args.iter().chain([&known.value]).map(|value| u64::from(value.size().bytes) + 24 * u64::from(value.size().values)).sum();
        self.count += (bytes / BYTES) as usize;
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
    /// What they came from.
    pub archive: Archive,
    /// By how much is noted, and by function.
    habits: [Vec<Habit>; 4],
    open: Vec<Recording>,
    start: Option<Arc<Start>>,
    /// How much is noted: who says a line where lines are noted does more than to answer.
    noting: usize,
}

impl Memo {
    /// Makes ready for a run; what is known of another board means nothing here.
    pub fn begin(&mut self, state: &State, noting: Option<Detail>) {
        self.open.clear();
        if self.archive.count() > SETS {
            *self = Memo::default();
        }
        self.noting = noting.map_or(0, |detail| 1 + detail as usize);
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

    /// The arguments of the innermost of so many functions under way, where its answer will be known.
    pub fn begun(&self, frames: usize) -> Option<usize> {
        self.open.last().filter(|open| open.frames + 1 == frames).map(|open| open.args.len())
    }

    /// The answer of a function whose arguments stand in these registers, where it is known. Where it isn't, what comes is looked at.
    pub fn ask(&mut self, state: &mut State, unit: u32, args: Range<usize>, noted: Option<usize>) -> Option<Rc<Known>> {
        let place = unit as usize;
        let habits = &mut self.habits[self.noting];
        if habits.len() <= place {
            habits.resize(place + 1, Habit::default());
        }
        let habit = &mut habits[place];
        habit.never |= state.followed.is_some() && args.len() > ARGS;
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
        // How much is noted is one of four.
        let key = args.iter().fold(u64::from(unit) << 2 | self.noting as u64, |key, value| mixed(key, value.fingerprint()));
        let watched = state.board.watch.as_ref().is_some_and(|watch| watch.noted.is_none());
        let (board, followed) = (&mut state.board, &mut state.followed);
        let mut fits = |known: &Known| {
            let seen = !watched || known.figures.is_some();
            seen && *known.args == *args && known.holds(board) && known.stands(followed.as_deref_mut())
        };
        let known = if habit.lasts { self.map.find(key, &mut fits) } else { None };
        let known = known.or_else(|| self.board.find(key, &mut fits));
        if let Some(known) = known {
            self.habits[self.noting][place].found += 1;
            state.board.looked.join(&known.columns);
            if let (Some(watch), Some(figures)) = (&mut state.board.watch, &known.figures) {
                watch.saw(figures);
            }
            state.answered = known.answered;
            state.steps += known.steps;
            return Some(known);
        }
        self.open.push(Recording {
            unit,
            key,
            args: args.into(),
            frames: state.frames.len(),
            looked: std::mem::take(&mut state.board.looked),
            watched: state.board.watch.as_mut().filter(|_| watched).map(|watch| watch.aside()),
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
    pub fn answered(&mut self, state: &mut State, value: &Value, trace: &mut Option<Vec<Event>>) {
        if self.open.last().is_none_or(|open| open.frames != state.frames.len()) {
            return;
        }
        let Some(open) = self.open.pop() else { return };
        let mut noted = trace.as_mut().zip(open.noted);
        let asking = noted.as_ref().is_none_or(|(trace, from)| trace.get(*from..).unwrap_or_default().iter().all(Event::is_of_asking));
        let unchanged = state.board.writes == open.writes && state.board.heads() == open.heads;
        let pure = unchanged && state.outcomes.len() == open.named && asking;
        let looked = Some(&state.board.looked).filter(|_| pure);
        let origin = state.followed.as_deref_mut().map(|followed| followed.origin(looked, &mut self.archive));
        let pure = pure && !matches!(origin, Some(None));
        let steps = state.steps - open.steps;
        let (unit, key, args) = (open.unit as usize, open.key, open.args.clone());
        let (columns, figures) = Memo::close(state, open);
        let habit = &mut self.habits[self.noting][unit];
        habit.tried += 1;
        habit.within = habit.within.saturating_add(steps as u32);
        habit.never |= !pure || habit.tried == TRIAL && habit.within < TRIAL * WORTH;
        if !pure || habit.never {
            return;
        }
        let looked: Box<[_]> = columns.iter().map(|column| (column as u16, state.board.print(column))).collect();
        let at_start = looked.iter().all(|(_, print)| *print == 0);
        let told = noted.as_mut().and_then(|(trace, from)| together(trace, *from));
        if let (Some(followed), Some((trace, _))) = (&mut state.followed, noted) {
            followed.seen = trace.len();
        }
        let (value, answered, origin) = (value.clone(), state.answered, origin.flatten());
        let known = Known { args, looked, at_start, columns, figures, value, answered, told, origin, steps };
        let plain = !known.args.iter().chain([&known.value]).any(names_a_piece);
        let lasts = plain && known.figures.is_none() && known.columns.iter().all(is_of_the_map);
        self.habits[self.noting][unit].lasts |= lasts;
        if lasts { self.map.keep(key, known) } else { self.board.keep(key, known) }
    }

    /// The machine stops, or goes back: what is under way above so many functions will not answer as a whole.
    pub fn break_off(&mut self, state: &mut State, frames: usize) {
        state.followed.iter_mut().for_each(|followed| followed.dissolve());
        while let Some(open) = self.open.pop_if(|open| open.frames >= frames) {
            self.habits[self.noting][open.unit as usize].never = true;
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

/// The events from one on as one, for whoever is given the answer again; they stand so where they are. None where there are none.
fn together(trace: &mut Vec<Event>, from: usize) -> Option<Event> {
    if trace.len() > from + 1 {
        let events = trace.split_off(from);
        trace.push(Event::remembered(events));
    }
    trace.get(from).cloned()
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
