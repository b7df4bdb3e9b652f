//! Answers that are known: what a function came to with the same arguments, where nothing it looked at has changed since.
//!
//! Only what merely answers is kept: nothing that throws, asks, names outcomes or changes the board. What it looked at is seen while it
//! runs, column by column, so that no author has to declare it; and it is kept only where that is cheaper than to work it out again. What
//! rests on the map alone holds on every board that has the same map.
//!
//! Where somebody reads what happened, an answer given again tells all of it, as one event; and where somebody reads what lines come from,
//! it is given again only where what it looked at came from the same as before.

use crate::code::context::TraceLevel;
use crate::code::provenance::{CachedProvenance, Provenance, ProvenanceInterner};
use crate::code::source_sets::MAX_ARGS;
use crate::code::state::State;
use crate::situation::board::Board;
use crate::situation::cell_key::{ColumnBits, EntityKind, ReadSet, kind_of_column};
use crate::situation::column_set::ColumnSet;
use crate::situation::fingerprint::mix;
use crate::situation::initial_board::InitialBoard;
use crate::situation::trace::Event;
use crate::situation::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Answers kept at most; then all are forgotten. All examples take the same time with a fourth of it and with twelve times as many, which
/// fill the memory.
const MAX_ENTRIES: usize = 8_000;
/// Sets of sources kept at most for what answers came from.
const MAX_SETS: usize = 100_000;
/// So many events kept with them take as much room as an answer.
const EVENTS_PER_ENTRY: usize = 8;
/// So many bytes of arguments and answers count as another answer.
const BYTES: u64 = 4_096;
/// Answers kept to one question about different boards, at most; the oldest goes first.
const MAX_PER_KEY: usize = 8;
/// Calls after which it is clear whether a function is worth remembering.
const TRIAL_RECORDINGS: u32 = 16;
/// Questions after which it is looked how many of them were asked before.
const REVIEW_INTERVAL: u32 = 256;
/// Calls within it, on average, from which on a function is worth it.
const MIN_STEPS_PER_CALL: u32 = 2;

/// An answer that is known.
pub struct MemoEntry {
    args: Box<[Value]>,
    /// The columns that were looked at, with their fingerprints.
    column_fingerprints: Box<[(u16, u64)]>,
    /// Whether they were as at the start.
    at_start: bool,
    read_columns: ColumnSet,
    /// The figures that were looked at, where somebody watched.
    read_set: Option<ReadSet>,
    /// What it came to.
    pub value: Value,
    answered_by: Option<usize>,
    /// What happened on the way, as far as anybody reads it.
    pub events: Option<Event>,
    /// What the answer came from, where that was followed.
    pub provenance: Option<CachedProvenance>,
    /// The steps it took: given again, it takes as many, so that a limit does not hang on what is known.
    steps: u64,
}

impl MemoEntry {
    /// Whether what was looked at stands as it did.
    fn matches_board(&self, board: &mut Board) -> bool {
        let plain = self.at_start && self.read_columns.is_disjoint(&board.written_columns);
        plain || self.column_fingerprints.iter().all(|(column, print)| board.column_fingerprint(*column as usize) == *print)
    }

    /// Whether it came from what it would come from now.
    fn matches_provenance(&self, followed: Option<&mut Provenance>) -> bool {
        followed.is_none_or(|followed| self.provenance.as_ref().is_some_and(|origin| followed.is_still_valid(origin, &self.read_columns)))
    }
}

/// What is known of a function.
#[derive(Clone, Copy, Default)]
struct CallStats {
    lookups: u32,
    hits: u32,
    /// Calls within it, all told.
    total_steps: u32,
    recordings: u32,
    /// Whether any of its answers rests on the map alone.
    depends_on_map_only: bool,
    disabled: bool,
}

/// A function under way whose answer will be known.
struct Recording {
    function: u32,
    key: u64,
    args: Box<[Value]>,
    /// How many functions are under way when it has answered.
    depth: usize,
    outer_reads: ColumnSet,
    outer_scope: Option<(ColumnBits, ColumnBits)>,
    write_count: u64,
    allocation_counts: (usize, usize),
    outcome_count: usize,
    trace_start: Option<usize>,
    steps: u64,
}

/// Answers, by what was asked.
#[derive(Default)]
struct MemoTable {
    entries: FxHashMap<u64, Vec<Rc<MemoEntry>>>,
    count: usize,
}

impl MemoTable {
    fn find(&self, key: u64, mut fits: impl FnMut(&MemoEntry) -> bool) -> Option<Rc<MemoEntry>> {
        self.entries.get(&key)?.iter().rev().find(|known| fits(known)).cloned()
    }

    fn insert(&mut self, key: u64, known: MemoEntry) {
        if self.count >= MAX_ENTRIES {
            self.clear();
        }
        let list = self.entries.entry(key).or_default();
        if list.len() >= MAX_PER_KEY {
            list.remove(0);
        } else {
            self.count += 1;
        }
        if let Some(Event::Cached(told)) = &known.events {
            self.count += told.events.len() / EVENTS_PER_ENTRY;
        }
        let bytes: u64 =
            known.args.iter().chain([&known.value]).map(|value| u64::from(value.size().bytes) + 24 * u64::from(value.size().values)).sum();
        self.count += (bytes / BYTES) as usize;
        list.push(Rc::new(known));
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.count = 0;
    }
}

/// The answers that are known.
#[derive(Default)]
pub struct Memo {
    /// Those that hold on this board.
    board_entries: MemoTable,
    /// Those that hold wherever the map is the same.
    map_entries: MemoTable,
    /// What they came from.
    pub interner: ProvenanceInterner,
    /// By how much is noted, and by function.
    call_stats: [Vec<CallStats>; 4],
    recordings: Vec<Recording>,
    start: Option<Arc<InitialBoard>>,
    /// How much is noted: who says a line where lines are noted does more than to answer.
    trace_index: usize,
}

impl Memo {
    /// Makes ready for a run; what is known of another board means nothing here.
    pub fn begin(&mut self, state: &State, noting: Option<TraceLevel>) {
        self.recordings.clear();
        if self.interner.set_count() > MAX_SETS {
            *self = Memo::default();
        }
        self.trace_index = noting.map_or(0, |detail| 1 + detail as usize);
        let start = &state.board.start;
        let before = self.start.as_ref();
        if before.is_some_and(|before| Arc::ptr_eq(before, start)) {
            return;
        }
        if before.is_none_or(|before| before.geography.fingerprint() != start.geography.fingerprint()) {
            self.map_entries.clear();
        }
        self.board_entries.clear();
        self.start = Some(start.clone());
    }

    /// The arguments of the innermost of so many functions under way, where its answer will be known.
    pub fn recorded_arity(&self, frames: usize) -> Option<usize> {
        self.recordings.last().filter(|open| open.depth + 1 == frames).map(|open| open.args.len())
    }

    /// The answer of a function whose arguments stand in these registers, where it is known. Where it isn't, what comes is looked at.
    pub fn lookup(&mut self, state: &mut State, unit: u32, args: Range<usize>, noted: Option<usize>) -> Option<Rc<MemoEntry>> {
        let place = unit as usize;
        let habits = &mut self.call_stats[self.trace_index];
        if habits.len() <= place {
            habits.resize(place + 1, CallStats::default());
        }
        let habit = &mut habits[place];
        habit.disabled |= state.provenance.is_some() && args.len() > MAX_ARGS;
        if habit.disabled {
            return None;
        }
        habit.lookups += 1;
        // What is seldom asked the same is not worth the asking. Of the map everything is asked once before anything is asked again.
        let turn = if habit.depends_on_map_only { REVIEW_INTERVAL * 16 } else { REVIEW_INTERVAL };
        if habit.lookups.is_multiple_of(turn) {
            habit.disabled = habit.hits < turn / 8;
            habit.hits = 0;
        }
        let args = &state.registers[args];
        // How much is noted is one of four.
        let key = args.iter().fold(u64::from(unit) << 2 | self.trace_index as u64, |key, value| mix(key, value.fingerprint()));
        let watched = state.board.recorder.as_ref().is_some_and(|watch| watch.log.is_none());
        let (board, followed) = (&mut state.board, &mut state.provenance);
        let mut fits = |known: &MemoEntry| {
            let seen = !watched || known.read_set.is_some();
            seen && *known.args == *args && known.matches_board(board) && known.matches_provenance(followed.as_deref_mut())
        };
        let known = if habit.depends_on_map_only { self.map_entries.find(key, &mut fits) } else { None };
        let known = known.or_else(|| self.board_entries.find(key, &mut fits));
        if let Some(known) = known {
            self.call_stats[self.trace_index][place].hits += 1;
            state.board.read_columns.union_with(&known.read_columns);
            if let (Some(watch), Some(figures)) = (&mut state.board.recorder, &known.read_set) {
                watch.add_reads(figures);
            }
            state.last_answered = known.answered_by;
            state.steps += known.steps;
            return Some(known);
        }
        self.recordings.push(Recording {
            function: unit,
            key,
            args: args.into(),
            depth: state.frames.len(),
            outer_reads: std::mem::take(&mut state.board.read_columns),
            outer_scope: state.board.recorder.as_mut().filter(|_| watched).map(|watch| watch.push_scope()),
            write_count: state.board.write_count,
            allocation_counts: state.board.allocation_counts(),
            outcome_count: state.outcomes.len(),
            trace_start: noted,
            steps: state.steps,
        });
        state.board.record_name_reads(args);
        None
    }

    /// A function has answered: if it was looked at, its answer is known from now on.
    pub fn finish_recording(&mut self, state: &mut State, value: &Value, trace: &mut Option<Vec<Event>>) {
        if self.recordings.last().is_none_or(|open| open.depth != state.frames.len()) {
            return;
        }
        let Some(open) = self.recordings.pop() else { return };
        let mut noted = trace.as_mut().zip(open.trace_start);
        let asking = noted.as_ref().is_none_or(|(trace, from)| trace.get(*from..).unwrap_or_default().iter().all(Event::is_read_only));
        let unchanged = state.board.write_count == open.write_count && state.board.allocation_counts() == open.allocation_counts;
        let pure = unchanged && state.outcomes.len() == open.outcome_count && asking;
        let looked = Some(&state.board.read_columns).filter(|_| pure);
        let origin = state.provenance.as_deref_mut().map(|followed| followed.capture_answer(looked, &mut self.interner));
        let pure = pure && !matches!(origin, Some(None));
        let steps = state.steps - open.steps;
        let (unit, key, args) = (open.function as usize, open.key, open.args.clone());
        let (columns, figures) = Memo::close_scope(state, open);
        let habit = &mut self.call_stats[self.trace_index][unit];
        habit.recordings += 1;
        habit.total_steps = habit.total_steps.saturating_add(steps as u32);
        habit.disabled |= !pure || habit.recordings == TRIAL_RECORDINGS && habit.total_steps < TRIAL_RECORDINGS * MIN_STEPS_PER_CALL;
        if !pure || habit.disabled {
            return;
        }
        let looked: Box<[_]> = columns.iter().map(|column| (column as u16, state.board.column_fingerprint(column))).collect();
        let at_start = looked.iter().all(|(_, print)| *print == 0);
        let told = noted.as_mut().and_then(|(trace, from)| collapse_events(trace, *from));
        if let (Some(followed), Some((trace, _))) = (&mut state.provenance, noted) {
            followed.events_seen = trace.len();
        }
        let (value, answered, origin) = (value.clone(), state.last_answered, origin.flatten());
        let known = MemoEntry {
            args,
            column_fingerprints: looked,
            at_start,
            read_columns: columns,
            read_set: figures,
            value,
            answered_by: answered,
            events: told,
            provenance: origin,
            steps,
        };
        let plain = !known.args.iter().chain([&known.value]).any(is_board_bound);
        let lasts = plain && known.read_set.is_none() && known.read_columns.iter().all(is_map_column);
        self.call_stats[self.trace_index][unit].depends_on_map_only |= lasts;
        if lasts { self.map_entries.insert(key, known) } else { self.board_entries.insert(key, known) }
    }

    /// The machine stops, or goes back: what is under way above so many functions will not answer as a whole.
    pub fn abort_recordings(&mut self, state: &mut State, frames: usize) {
        state.provenance.iter_mut().for_each(|followed| followed.abandon_recording());
        while let Some(open) = self.recordings.pop_if(|open| open.depth >= frames) {
            self.call_stats[self.trace_index][open.function as usize].disabled = true;
            Memo::close_scope(state, open);
        }
    }

    /// What was looked at since; what was looked at before and since stands on the board again.
    fn close_scope(state: &mut State, open: Recording) -> (ColumnSet, Option<ReadSet>) {
        let mut columns = open.outer_reads;
        std::mem::swap(&mut columns, &mut state.board.read_columns);
        state.board.read_columns.union_with(&columns);
        let figures = match (&mut state.board.recorder, open.outer_scope) {
            (Some(watch), Some(before)) => Some(watch.pop_scope(before)),
            _ => None,
        };
        (columns, figures)
    }
}

/// The events from one on as one, for whoever is given the answer again; they stand so where they are. None where there are none.
fn collapse_events(trace: &mut Vec<Event>, from: usize) -> Option<Event> {
    if trace.len() > from + 1 {
        let events = trace.split_off(from);
        trace.push(Event::cached(events));
    }
    trace.get(from).cloned()
}

/// Whether a column is one of places or of the sides between them.
fn is_map_column(slot: usize) -> bool {
    matches!(kind_of_column(slot), EntityKind::Place | EntityKind::Side)
}

/// Whether a value means something on one board only.
fn is_board_bound(value: &Value) -> bool {
    match value {
        Value::Piece(_) | Value::Record(_) | Value::Closure(_) => true,
        Value::List(list) => list.iter().any(is_board_bound),
        Value::Map(map) => map.entries().iter().any(|(_, value)| is_board_bound(value)),
        _ => false,
    }
}
