//! A question within a procedure, led through its own chances once.
//!
//! A question that throws dice and answers with a plain value is then offered as one weighted choice of its answers; questions whose card
//! declares them independent (`per:`) are not branched on at all but multiplied in at the end. A question in which somebody chooses with
//! the end of the procedure in view is neither: it runs as a part of each path.

use crate::code::host::{Asked, Explorer, Host};
use crate::code::memo::{Files, Memo, Question};
use crate::odds::distribution::{Part, Row};
use crate::situation::dice::Shared;
use crate::situation::fraction::Fraction;
use crate::situation::session::{Answer, fault, shown};
use crate::situation::trace::Event;
use rhai::{Dynamic, Engine, ImmutableString};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

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
pub struct Lead {
    /// The paths of the run under way.
    pub paths: RefCell<Shared>,
    subs: RefCell<Files<Rc<Sub>>>,
    /// Answers of questions that are declared independent: they depend on nothing but the argument.
    alone: RefCell<FxHashMap<Question, Rc<Sub>>>,
    /// Questions that threw no dice, and questions that can't be merged.
    plain: RefCell<FxHashSet<(usize, usize)>>,
    /// What is multiplied in at the end.
    parts: RefCell<Vec<(Rc<Sub>, Part)>>,
    /// The parts of this run.
    pub taken: RefCell<Vec<usize>>,
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
    /// The parts met so far.
    pub fn parts(&self) -> Vec<Part> {
        self.parts.borrow().iter().map(|(_, part)| part.clone()).collect()
    }

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
            if own.0.borrow().decided() {
                break Own::Open;
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
