//! Leads a procedure through all its chances: exact odds of anything, without a line written for it.
//!
//! The procedure is run again for every path of dice. Three things keep the paths few: totals of dice branch, not dice; a question that
//! throws dice and answers with a plain value is led through its own chances once, and then offered as one weighted choice of its
//! answers; and questions whose card declares them independent (`per:`) are not branched on at all but multiplied in at the end.

use crate::board::Board;
use crate::complaint::Error;
use crate::dice::{Exhaustive, Shared};
use crate::host::{Asked, Explorer, Host};
use crate::memo::{Memo, Question, Shelf};
use crate::odds::{Fraction, Odds, Part, Row};
use crate::ruleset::Ruleset;
use crate::ruling::{Call, cite};
use crate::scenario::Scenario;
use crate::script::Script;
use crate::session::{Answer, Ended, Session, fault, shown};
use crate::trace::Event;
use rhai::{Dynamic, Engine, ImmutableString};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A question is led through so many paths of its own; one with more is not merged.
const OWN_PATHS: usize = 20_000;

/// One answer of a question, the outcomes it names, and its chance.
struct Outcome {
    value: Dynamic,
    results: Vec<(ImmutableString, Dynamic)>,
    chance: Fraction,
    /// Whether the situation changed on the way to it.
    moved: bool,
}

/// What a question can be answered with.
struct Sub {
    outcomes: Vec<Outcome>,
    /// The likeliest.
    likely: usize,
    /// The chances as ways out of a common number.
    ways: Vec<(i64, u128)>,
}

/// One lead through the chances of a procedure.
#[derive(Default)]
struct Lead {
    paths: RefCell<Shared>,
    subs: RefCell<Shelf<Rc<Sub>>>,
    /// Answers of questions that are declared independent: they depend on nothing but the argument.
    alone: RefCell<FxHashMap<Question, Rc<Sub>>>,
    /// Questions that threw no dice, and questions that can't be merged.
    plain: RefCell<FxHashSet<(usize, usize)>>,
    parts: RefCell<Vec<(Rc<Sub>, Part)>>,
    /// The parts of this run.
    taken: RefCell<Vec<usize>>,
}

impl Explorer for Lead {
    fn offer(&self, host: &Host, engine: &Engine, asked: &Asked) -> Option<Answer> {
        if self.plain.borrow().contains(&asked.place) && !asked.per {
            return None;
        }
        let known = match asked.per {
            true => self.alone.borrow().get(asked.question).cloned(),
            false => host.memo.find(&self.subs.borrow(), asked.question),
        };
        if let Some(sub) = known {
            return Some(self.take(host, &sub, asked.per));
        }
        let before = host.memo.look_anew();
        let own = self.own_chances(host, engine, asked);
        let aspects = host.memo.looked(before);
        match own {
            Own::Answered(answer) => Some(answer),
            Own::Open => {
                self.plain.borrow_mut().insert(asked.place);
                None
            }
            Own::Merged(sub) => {
                let sub = Rc::new(sub);
                match asked.per {
                    true => drop(self.alone.borrow_mut().insert(asked.question.clone(), sub.clone())),
                    false => host.memo.put(&mut self.subs.borrow_mut(), asked.question.clone(), aspects, sub.clone()),
                }
                Some(self.take(host, &sub, asked.per))
            }
        }
    }
}

/// What became of leading a question through its own chances.
enum Own {
    /// It threw no dice: this is its answer.
    Answered(Answer),
    /// It does more than answer: let it run.
    Open,
    /// Its answers with their ways.
    Merged(Sub),
}

impl Lead {
    /// Answers with one of the known answers; which, the paths say.
    fn take(&self, host: &Host, sub: &Rc<Sub>, per: bool) -> Answer {
        host.memo.act();
        if per {
            let mut parts = self.parts.borrow_mut();
            let number = parts.iter().position(|(known, _)| Rc::ptr_eq(known, sub)).unwrap_or_else(|| {
                parts.push((sub.clone(), part(host, sub)));
                parts.len() - 1
            });
            self.taken.borrow_mut().push(number);
            return Ok(sub.outcomes[sub.likely].value.clone());
        }
        let branch = self.paths.borrow().0.borrow_mut().branch(|| Some(sub.ways.clone()));
        let Some(outcome) = branch.ok().and_then(|index| sub.outcomes.get(index as usize)) else {
            return fault(
                "dice",
                "the chances of this question are not the same each time",
                "a case must answer from its arguments and the situation alone",
            );
        };
        let mut session = host.session.borrow_mut();
        session.events.extend(outcome.results.iter().map(|(name, value)| Event::Result(name.clone(), value.clone())));
        Ok(outcome.value.clone())
    }

    /// Leads a question through its own chances, from the situation as it stands, and leaves the situation as it was.
    fn own_chances(&self, host: &Host, engine: &Engine, asked: &Asked) -> Own {
        let own = Shared::default();
        let outer = self.paths.replace(own.clone());
        let old = std::mem::replace(&mut host.session.borrow_mut().stream, Box::new(own.clone()));
        let (board, from) = (host.session.borrow().board.clone(), host.session.borrow().events.len());
        let (state, taken) = (host.memo.state(), self.taken.borrow().len());
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut keys: FxHashMap<(Question, Vec<(ImmutableString, String)>), usize> = FxHashMap::default();
        let mut paths = 0;
        let verdict = loop {
            let answer = host.answer(engine, asked.place, asked.args.to_vec(), None);
            if own.0.borrow().idle() {
                self.plain.borrow_mut().insert(asked.place);
                break Own::Answered(answer);
            }
            paths += 1;
            let moved = host.memo.state() != state;
            let chance = own.0.borrow().weight().and_then(|(ways, all)| Fraction::of(ways, all));
            let (Ok(value), Some(chance)) = (answer, chance) else { break Own::Open };
            let Some(key) = Memo::question(usize::MAX, 0, std::slice::from_ref(&value)) else { break Own::Open };
            if (moved && !asked.per) || self.taken.borrow().len() > taken || paths > OWN_PATHS {
                break Own::Open;
            }
            let mut session = host.session.borrow_mut();
            let results = results_of(&session.events[from..]);
            let texts = results.iter().map(|(name, value)| (name.clone(), shown(value, &session.board))).collect();
            let index = *keys.entry((key, texts)).or_insert_with(|| {
                outcomes.push(Outcome { value, results, chance: Fraction::ZERO, moved: false });
                outcomes.len() - 1
            });
            let outcome = &mut outcomes[index];
            outcome.moved |= moved;
            let Some(sum) = outcome.chance.plus(chance) else { break Own::Open };
            outcome.chance = sum;
            session.board = board.clone();
            session.events.truncate(from);
            drop(session);
            host.memo.back_to(state.clone());
            if !own.0.borrow_mut().advance() {
                break merged(outcomes).map_or(Own::Open, Own::Merged);
            }
        };
        self.paths.replace(outer);
        let mut session = host.session.borrow_mut();
        session.stream = old;
        if !matches!(verdict, Own::Answered(_)) {
            session.board = board;
            session.events.truncate(from);
            self.taken.borrow_mut().truncate(taken);
            drop(session);
            host.memo.back_to(state.clone());
            host.broken_at.set(None);
        }
        verdict
    }
}

/// Brings the chances of answers to a common number of ways. None where they are too many to count, or where the run could not go on
/// as after the likeliest answer, because that one changes the situation.
fn merged(outcomes: Vec<Outcome>) -> Option<Sub> {
    let all = outcomes.iter().try_fold(1i128, |all, o| {
        let shared = Fraction::new(all, o.chance.bottom)?;
        all.checked_mul(shared.bottom)
    })?;
    let way = |o: &Outcome| u128::try_from(o.chance.top.checked_mul(all / o.chance.bottom)?).ok();
    let ways = (0..).zip(&outcomes).map(|(i, o)| Some((i, way(o)?))).collect::<Option<Vec<_>>>()?;
    let likely = ways.iter().max_by_key(|(_, w)| *w).map(|(i, _)| *i as usize)?;
    (!outcomes[likely].moved).then_some(Sub { outcomes, likely, ways })
}

/// The outcomes that events name, the last word on each.
pub fn results_of(events: &[Event]) -> Vec<(ImmutableString, Dynamic)> {
    let mut found: Vec<(ImmutableString, Dynamic)> = Vec::new();
    for event in events {
        if let Event::Result(name, value) = event {
            match found.iter_mut().find(|(known, _)| known == name) {
                Some(slot) => slot.1 = value.clone(),
                None => found.push((name.clone(), value.clone())),
            }
        }
    }
    found
}

/// A part as odds have it.
fn part(host: &Host, sub: &Sub) -> Part {
    let board = &host.session.borrow().board;
    let row = |o: &Outcome| o.results.iter().map(|(n, v)| (n.to_string(), shown(v, board))).collect::<Row>();
    sub.outcomes.iter().map(|o| (row(o), o.chance)).collect()
}

/// How far to go, and who is told of it.
pub struct Bounds<'a> {
    /// Stop after so long.
    pub time: Duration,
    /// Stop when this is set: the user has had enough.
    pub stop: &'a AtomicBool,
    /// Told about once a second: how much of all chances has been seen, and how many runs it took.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
}

/// What was found, and whether it is all.
pub struct Found {
    /// The odds.
    pub odds: Odds,
    /// Whether every path was seen.
    pub complete: bool,
}

/// The paths still to be led through, by how they begin; shared between threads.
struct Work<'a> {
    open: Mutex<VecDeque<Vec<usize>>>,
    busy: AtomicU64,
    runs: AtomicU64,
    seen: Mutex<f64>,
    late: AtomicBool,
    end: Instant,
    bounds: &'a Bounds<'a>,
}

/// How many throws deep the work is dealt out to threads.
const DEALT: usize = 2;

/// Leads the procedure of a situation through all its chances, on as many threads.
pub fn explore(
    ruleset: &Arc<Ruleset>,
    scenario: &Scenario,
    choices: &[(String, String)],
    strict: bool,
    threads: usize,
    bounds: &Bounds,
) -> Result<Found, Error> {
    let work = Work {
        open: Mutex::new(VecDeque::from([Vec::new()])),
        busy: AtomicU64::new(0),
        runs: AtomicU64::new(0),
        seen: Mutex::new(0.0),
        late: AtomicBool::new(false),
        end: Instant::now() + bounds.time,
        bounds,
    };
    let lead = || {
        let script = Script::new(ruleset.clone());
        work.lead(&script, scenario, choices, strict)
    };
    let found: Vec<Result<Odds, Error>> = std::thread::scope(|scope| {
        // Scripts nest: a thread of the usual size would be too small for the deepest of them.
        let spawn = || std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, lead);
        let others: Vec<_> = (0..threads.max(1)).filter_map(|_| spawn().ok()).collect();
        let crashed = || Error::Usage("a run ended without a word".into());
        others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(crashed()))).collect()
    });
    let mut odds = Odds::default();
    for one in found {
        odds.join(one?).ok_or_else(too_many)?;
    }
    let complete = !work.late.load(Ordering::Relaxed);
    Ok(Found { odds, complete })
}

fn too_many() -> Error {
    Error::Usage("these chances have too many ways to be counted exactly; ask for a smaller part of the procedure".into())
}

impl Work<'_> {
    /// Takes beginnings of paths until none is left.
    fn lead(&self, script: &Script, scenario: &Scenario, choices: &[(String, String)], strict: bool) -> Result<Odds, Error> {
        let ruleset = &script.host.ruleset;
        let call = Call::new(scenario, ruleset)?;
        let board = Board::new(scenario, ruleset).map_err(Error::Data)?;
        let lead = Rc::new(Lead::default());
        *script.host.explorer.borrow_mut() = Some(lead.clone());
        let mut odds = Odds::default();
        script.start(Session::default());
        while let Some(begin) = self.next() {
            let result = self.under(script, &lead, &call, &board, (choices, strict), begin, &mut odds);
            self.busy.fetch_sub(1, Ordering::SeqCst);
            if result.is_err() {
                self.late.store(true, Ordering::Relaxed);
            }
            result?;
        }
        let parts = lead.parts.borrow();
        odds.names_in(parts.iter().flat_map(|(_, part)| part).flat_map(|(row, _)| row.keys().map(String::as_str)));
        odds.parts = parts.iter().map(|(_, part)| part.clone()).collect();
        odds.runs = self.runs.swap(0, Ordering::Relaxed);
        odds.files.extend(script.host.files_consulted());
        Ok(odds)
    }

    /// The next beginning; waits while others may still deal some out.
    fn next(&self) -> Option<Vec<usize>> {
        loop {
            let mut open = self.open.lock().ok()?;
            if self.late.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(begin) = open.pop_front() {
                self.busy.fetch_add(1, Ordering::SeqCst);
                return Some(begin);
            }
            drop(open);
            if self.busy.load(Ordering::SeqCst) == 0 {
                return None;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Leads through the paths that begin so; those near the start are dealt out further.
    #[allow(clippy::too_many_arguments)]
    fn under(
        &self,
        script: &Script,
        lead: &Lead,
        call: &Call,
        board: &Board,
        (choices, strict): (&[(String, String)], bool),
        begin: Vec<usize>,
        odds: &mut Odds,
    ) -> Result<(), Error> {
        let depth = begin.len();
        let shared = Shared(Rc::new(RefCell::new(Exhaustive::under(begin.clone()))));
        loop {
            *lead.paths.borrow_mut() = shared.clone();
            lead.taken.borrow_mut().clear();
            let answers = call.answers(choices);
            script.again(Session { board: board.clone(), stream: Box::new(shared.clone()), answers, strict, ..Session::default() });
            let ended = script.ask(&call.function, vec![call.given.clone()]);
            let runs = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
            if depth < DEALT
                && let Some(count) = shared.0.borrow().branches(depth)
            {
                if let Ok(mut open) = self.open.lock() {
                    open.extend((0..count).map(|i| begin.iter().copied().chain([i]).collect()));
                }
                return Ok(());
            }
            let session = script.host.session.borrow();
            let row = match ended {
                Ok(_) => {
                    let results = results_of(&session.events);
                    odds.names_in(results.iter().map(|(name, _)| name.as_str()));
                    results.into_iter().map(|(name, value)| (name.to_string(), shown(&value, &session.board))).collect()
                }
                Err(Ended::Refused(refusal)) => {
                    let by = refusal.cases.first().map(|case| cite(&script.host.ruleset, *case)).unwrap_or_default();
                    odds.names_in(["refused"].into_iter());
                    Row::from([("refused".to_string(), by)])
                }
                Err(Ended::Broken(complaints)) => return Err(Error::Data(complaints)),
            };
            drop(session);
            let chance = shared.0.borrow().weight().and_then(|(ways, all)| Fraction::of(ways, all));
            let Some(chance) = chance else {
                // So many dice one after the other that their ways can't be counted: a sample has to do.
                self.late.store(true, Ordering::Relaxed);
                return Ok(());
            };
            odds.add(row, lead.taken.borrow().clone(), chance).ok_or_else(too_many)?;
            self.tell(chance.share(), runs);
            if self.bounds.stop.load(Ordering::Relaxed) || Instant::now() > self.end {
                self.late.store(true, Ordering::Relaxed);
            }
            if self.late.load(Ordering::Relaxed) || !shared.0.borrow_mut().advance() {
                return Ok(());
            }
        }
    }

    fn tell(&self, share: f64, runs: u64) {
        if let Ok(mut seen) = self.seen.lock() {
            *seen += share;
            (self.bounds.progress)(*seen, runs);
        }
    }
}
