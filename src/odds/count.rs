//! Counts all that a situation can come to, on as many threads as there are.

use crate::code::machine::{Consulted, Machine};
use crate::code::state::State;
use crate::complaint::{Complaints, Error};
use crate::odds::bounds::{Bounds, Cap};
use crate::odds::explore::{Explorer, Wanted};
use crate::odds::graph::{Branch, Names, Node};
use crate::odds::memory::Memory;
use crate::ruling::decide::Decider;
use crate::ruling::situation::Situation;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

/// What was found.
pub struct Counted {
    /// What can come of it.
    pub root: Branch,
    /// The names of outcomes and their values.
    pub names: Names,
    /// Whether everything was seen.
    pub complete: bool,
    /// What ended it, where not everything was.
    pub ended: Option<Cap>,
    /// States gone through.
    pub states: u64,
    /// What was consulted on the way.
    pub consulted: Consulted,
}

/// What is to be counted.
pub struct Count<'a> {
    /// The situation.
    pub situation: &'a Situation,
    /// Who answers choices.
    pub decider: &'a Decider,
    /// What is kept apart beside the states.
    pub wanted: &'a Wanted,
    /// On so many threads.
    pub threads: usize,
    /// How far to go.
    pub bounds: &'a Bounds<'a>,
}

impl Count<'_> {
    /// Counts.
    pub fn run(&self) -> Result<Counted, Error> {
        let (names, memory, over) = (Names::new(), Memory::new(self.situation.start.layout(), self.bounds.memory), AtomicBool::new(false));
        let ended = OnceLock::new();
        let consulted = Mutex::new(Consulted::default());
        let one = |turn: usize| -> Result<Branch, Complaints> {
            let situation = self.situation.apart();
            let mut machine = Machine::new(situation.program.clone());
            let state = match situation.begin(&mut machine) {
                Ok(state) => state,
                Err(Error::Data(complaints)) => return Err(complaints),
                Err(_) => return Ok(Branch { named: Box::default(), to: std::sync::Arc::new(Node::Done) }),
            };
            let (decider, wanted, bounds) = (self.decider, self.wanted, self.bounds);
            let mut explorer = Explorer {
                machine: &mut machine,
                decider,
                names: &names,
                memory: &memory,
                bounds,
                over: &over,
                ended: &ended,
                wanted,
                turn,
            };
            let found = explorer.explore(state);
            if let Ok(mut consulted) = consulted.lock() {
                consulted.join(machine.consulted(&situation.start));
            }
            found
        };
        let found: Vec<Result<Branch, Complaints>> = match self.threads {
            0 | 1 => vec![one(0)],
            threads => std::thread::scope(|scope| {
                let one = &one;
                let others: Vec<_> =
                    (1..threads).filter_map(|turn| std::thread::Builder::new().spawn_scoped(scope, move || one(turn)).ok()).collect();
                let own = one(0);
                [own].into_iter().chain(others.into_iter().filter_map(|thread| thread.join().ok())).collect()
            }),
        };
        let mut best: Option<Branch> = None;
        for branch in found {
            let branch = branch.map_err(Error::Data)?;
            // Whoever came to the end has seen everything.
            if best.as_ref().is_none_or(|best| !whole(best)) {
                best = Some(branch);
            }
        }
        let Some(root) = best else { return Err(Error::Usage("no thread could be started to count on".into())) };
        let complete = whole(&root);
        let states = memory.states.load(Ordering::Relaxed);
        let consulted = consulted.into_inner().unwrap_or_default();
        let ended = ended.into_inner().filter(|_| !complete);
        Ok(Counted { root, names, complete, ended, states, consulted })
    }
}

/// Whether nothing of a graph is unseen.
pub fn whole(root: &Branch) -> bool {
    crate::odds::graph::from_the_ends(&root.to).into_iter().all(|node| !matches!(**node, Node::Unseen(..)))
}

/// Counts what can come of a state, on this thread: what an example asks.
pub fn of_state(machine: &mut Machine, state: State, decider: &Decider, bounds: &Bounds) -> Result<(Branch, Names), Complaints> {
    let (names, memory, over) = (Names::new(), Memory::new(state.board.start.layout(), bounds.memory), AtomicBool::new(false));
    let ended = OnceLock::new();
    let wanted = Wanted { answer: true, ..Wanted::default() };
    let mut explorer =
        Explorer { machine, decider, names: &names, memory: &memory, bounds, over: &over, ended: &ended, wanted: &wanted, turn: 0 };
    let root = explorer.explore(state)?;
    Ok((root, names))
}
