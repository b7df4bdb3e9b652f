//! Leads a procedure through all its chances: exact odds of anything, without a line written for it.
//!
//! The procedure is run again for every path of dice. Three things keep the paths few: totals of dice branch, not dice; a question that
//! throws dice and answers with a plain value is led through its own chances once, and then offered as one weighted choice of its
//! answers; and questions whose card declares them independent (`per:`) are not branched on at all but multiplied in at the end.

use crate::code::script::Script;
use crate::complaint::Error;
use crate::data::scenario::Scenario;
use crate::odds::distribution::{Odds, Row};
use crate::odds::questions::{Lead, results_of};
use crate::odds::tree::{Tree, too_many};
use crate::ruleset::compose::Ruleset;
use crate::ruling::resolve::{Call, cite};
use crate::situation::board::Board;
use crate::situation::dice::{Exhaustive, Shared};
use crate::situation::fraction::Fraction;
use crate::situation::policy::Policies;
use crate::situation::session::{Ended, Session, shown};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
    /// The paths on which somebody chose with the end in view; the odds then hold only those on which nobody did.
    pub tree: Tree,
}

/// The paths still to be led through, by how they begin; shared between threads.
struct Work<'a> {
    open: Mutex<VecDeque<Vec<usize>>>,
    busy: AtomicU64,
    runs: AtomicU64,
    seen: Mutex<f64>,
    late: AtomicBool,
    end: Instant,
    policies: &'a Arc<Policies>,
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
    explore_by(ruleset, scenario, (choices, &Arc::default()), strict, threads, bounds)
}

/// The same where policies answer the choices that nobody has answered.
pub fn explore_by(
    ruleset: &Arc<Ruleset>,
    scenario: &Scenario,
    (choices, policies): (&[(String, String)], &Arc<Policies>),
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
        policies,
        bounds,
    };
    let lead = || {
        let script = Script::new(ruleset.clone());
        work.lead(&script, scenario, choices, strict)
    };
    let found: Vec<Result<(Odds, Tree), Error>> = std::thread::scope(|scope| {
        // Scripts nest: a thread of the usual size would be too small for the deepest of them.
        let spawn = || std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, lead);
        let others: Vec<_> = (0..threads.max(1)).filter_map(|_| spawn().ok()).collect();
        let crashed = || Error::Usage("a run ended without a word".into());
        others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(crashed()))).collect()
    });
    let (mut odds, mut tree) = (Odds::default(), Tree::default());
    for one in found {
        let (found, paths) = one?;
        let numbers: Vec<usize> = found.parts.iter().map(|part| odds.part(part.clone())).collect();
        tree.join(paths, &numbers).ok_or_else(too_many)?;
        odds.join(found).ok_or_else(too_many)?;
    }
    let complete = !work.late.load(Ordering::Relaxed);
    Ok(Found { odds, complete, tree })
}

impl Work<'_> {
    /// Takes beginnings of paths until none is left.
    fn lead(&self, script: &Script, scenario: &Scenario, choices: &[(String, String)], strict: bool) -> Result<(Odds, Tree), Error> {
        let ruleset = &script.host.ruleset;
        let call = Call::new(scenario, ruleset)?;
        let board = Board::new(scenario, ruleset).map_err(Error::Data)?;
        let lead = Rc::new(Lead::default());
        *script.host.explorer.borrow_mut() = Some(lead.clone());
        let mut found = (Odds::default(), Tree::default());
        script.start(Session::default());
        while let Some(begin) = self.next() {
            let result = self.under(script, &lead, &call, &board, (choices, strict), begin, &mut found);
            self.busy.fetch_sub(1, Ordering::SeqCst);
            if result.is_err() {
                self.late.store(true, Ordering::Relaxed);
            }
            result?;
        }
        let (mut odds, tree) = found;
        odds.parts = lead.parts();
        let names: Vec<String> = odds.parts.iter().flatten().flat_map(|(row, _)| row.keys().cloned()).collect();
        odds.names_in(names.iter().map(String::as_str));
        odds.runs = self.runs.swap(0, Ordering::Relaxed);
        odds.files.extend(script.host.files_consulted());
        Ok((odds, tree))
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
        (odds, tree): &mut (Odds, Tree),
    ) -> Result<(), Error> {
        let depth = begin.len();
        let shared = Shared(Rc::new(RefCell::new(Exhaustive::under(begin.clone()))));
        loop {
            *lead.paths.borrow_mut() = shared.clone();
            lead.taken.borrow_mut().clear();
            let answers = call.answers(choices);
            let (board, stream, policies) = (board.clone(), Box::new(shared.clone()), self.policies.clone());
            script.again(Session { board, stream, answers, policies, strict, ..Session::default() });
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
            let (turns, parts) = (shared.0.borrow().turns(), lead.taken.borrow().clone());
            let added = if turns.is_empty() { odds.add(row, parts, chance) } else { tree.add(&turns, row, parts, chance) };
            added.ok_or_else(too_many)?;
            let ways = turns.iter().filter_map(|(_, decision)| decision.as_ref()).map(|d| d.options.len() as f64).product::<f64>();
            self.tell(chance.share() / ways, runs);
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
