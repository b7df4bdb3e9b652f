//! Goes through all that can come of a state, and looks at what meets only once.
//!
//! Two states have the same future if everything that this future looks at is the same in both. What a future looks at is seen while it is
//! gone through: so a state is told from others by where its functions stand and by the registers they still need, and of the board by
//! those figures alone that were looked at from an equal place before. A die that nobody looks at again keeps no two states apart.

use crate::code::machine::Machine;
use crate::code::state::{State, Stop};
use crate::complaint::Complaints;
use crate::odds::bounds::{Bounds, Cap, DEEPEST, GRACE};
use crate::odds::graph::{Branch, NameId, Names, Node, ValueId};
use crate::odds::memory::{Known, Memory, Prints};
use crate::ruling::decide::{Decided, Decider};
use crate::ruling::resolve::cite;
use crate::situation::figures::{Bits, Figure, Of, Watch};
use crate::situation::policy::{Decision, Kind};
use crate::situation::value::Value;
use crate::situation::words::{shown, text_of};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// What is kept apart beside the state.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Outcomes that choices look at: whoever chooses for them has to know what they are so far.
    pub measured: Vec<String>,
    /// Whether choices look at all outcomes.
    pub all: bool,
    /// Whether what the procedure answers is asked for.
    pub answer: bool,
}

/// Goes through all that can come of a state.
pub struct Explorer<'a> {
    /// The machine.
    pub machine: &'a mut Machine,
    /// Who answers choices.
    pub decider: &'a Decider,
    /// The names of outcomes.
    pub names: &'a Names,
    /// What is known.
    pub memory: &'a Memory,
    /// How far to go.
    pub bounds: &'a Bounds<'a>,
    /// Set when another has come to the end, or time is up: then all stop.
    pub over: &'a AtomicBool,
    /// What ended it first, where it had to end.
    pub ended: &'a OnceLock<Cap>,
    /// What is kept apart beside the state.
    pub wanted: &'a Wanted,
    /// Which of several explorers this is: each begins with other branches.
    pub turn: usize,
}

/// A way on from a state: the weight, the answer, and where it leads once that is known.
struct Way {
    weight: u128,
    /// None where nothing was asked.
    answer: Option<Value>,
    branch: Option<Branch>,
}

/// The outcomes named on a way, in order.
type Named = Box<[(NameId, ValueId)]>;

/// A way, the outcomes named on it, what was looked at and written, and where it came to.
type PutOff = (usize, Named, Option<Box<Watch>>, Box<Open>);

/// Why a state has several ways on, or one.
enum At {
    /// Dice are thrown.
    Throw,
    /// A side chooses: what had been named before, and what was looked at to know it.
    Choice(Arc<Decision>, Vec<(NameId, ValueId)>, Bits),
    /// A function that threw is about to answer: ways that come to the same answer meet here, and what follows is gone through once.
    Passed,
}

/// A state whose ways are being gone through.
struct Open {
    /// None once the last way is gone through: nobody goes on from it once more.
    state: Option<State>,
    key: u128,
    prints: Prints,
    ways: Vec<Way>,
    /// What they weigh together.
    weight: f64,
    /// Those that are still to be gone through, and the one that is.
    left: Vec<usize>,
    way: usize,
    /// Those that came to what another explorer is going through just now: it may be known when all others are done.
    put_off: Vec<PutOff>,
    at: At,
    /// What its future looks at, as far as it was seen.
    looked: Bits,
    /// Of the way that is being gone through: the outcomes named on it, and what was looked at and written.
    named: Named,
    watch: Option<Box<Watch>>,
    /// The share of all chances that lead here.
    share: f64,
    /// The bytes it takes.
    bytes: u64,
}

impl Open {
    /// The way that is being gone through has come to something known.
    fn came_to(&mut self, (looked, to): Known) {
        if let Some(watch) = self.watch.take() {
            self.looked.add(&watch.read);
            self.looked.add_but(&looked, &watch.wrote);
        }
        self.ways[self.way].branch = Some(Branch { named: std::mem::take(&mut self.named), to });
    }

    fn node(at: At, mut ways: Vec<(u128, Branch)>) -> Arc<Node> {
        match at {
            At::Choice(decision, before, _) => {
                Arc::new(Node::Choice(decision, before, ways.into_iter().map(|(_, branch)| branch).collect()))
            }
            At::Passed if ways.first().is_some_and(|(_, branch)| branch.named.is_empty()) => ways.swap_remove(0).1.to,
            At::Throw | At::Passed => Node::thrown(ways),
        }
    }
}

/// Where a run came to.
enum Came {
    Known(Known),
    Open(Box<Open>),
    /// Another goes through it already.
    Busy(Box<Open>),
}

/// A run to the next stop: the outcomes named, what was looked at and written, and where it came to.
type Run = (Named, Option<Box<Watch>>, Came);

impl Explorer<'_> {
    /// Goes through everything. What was not seen when it had to stop is [`Node::Unseen`].
    pub fn explore(&mut self, state: State) -> Result<Branch, Complaints> {
        self.machine.manner.meets = true;
        let branch = self.go_through(state);
        self.machine.manner.meets = false;
        branch
    }

    fn go_through(&mut self, mut state: State) -> Result<Branch, Complaints> {
        state.board.watch = Some(Box::new(Watch::new(self.memory.layout().clone())));
        let (named, _, came) = self.run(state, 1.0)?;
        let mut open = match came {
            Came::Known((_, to)) => return Ok(Branch { named, to }),
            Came::Open(open) | Came::Busy(open) => vec![open],
        };
        while let Some(top) = open.last_mut() {
            if top.left.is_empty() && top.put_off.is_empty() {
                let Some(top) = open.pop() else { break };
                let known = self.close(*top);
                match open.last_mut() {
                    Some(below) => below.came_to(known),
                    None => {
                        self.over.store(true, Ordering::Relaxed);
                        return Ok(Branch { named, to: known.1 });
                    }
                }
                continue;
            }
            if self.over.load(Ordering::Relaxed) {
                break;
            }
            if let Some(cap) = self.cap(open.len()) {
                self.ended.get_or_init(|| cap);
                self.over.store(true, Ordering::Relaxed);
                break;
            }
            let Some(top) = open.last_mut() else { break };
            let Some(way) = top.left.pop() else {
                if let Some((way, named, watch, next)) = top.put_off.pop() {
                    (top.way, top.named, top.watch) = (way, named, watch);
                    match self.memory.find(next.key, &next.prints) {
                        Some(known) => {
                            self.memory.free(next.bytes);
                            top.came_to(known);
                        }
                        None => open.push(next),
                    }
                }
                continue;
            };
            let Some(mut state) = (if top.left.is_empty() { top.state.take() } else { top.state.clone() }) else { break };
            let share = top.share * top.ways[way].weight as f64 / top.weight;
            if let Some(answer) = top.ways[way].answer.clone() {
                self.machine.answer(&mut state, answer);
            }
            state.board.watch = Some(Box::new(Watch::new(self.memory.layout().clone())));
            state.stopped.1 = 0;
            let (named, watch, came) = self.run(state, share)?;
            match came {
                Came::Busy(next) if !top.left.is_empty() => top.put_off.push((way, named, watch, next)),
                Came::Known(known) => {
                    (top.way, top.named, top.watch) = (way, named, watch);
                    top.came_to(known);
                }
                Came::Open(next) | Came::Busy(next) => {
                    (top.way, top.named, top.watch) = (way, named, watch);
                    open.push(next);
                }
            }
        }
        Ok(Branch { named, to: self.given_up(open) })
    }

    /// What ends it now, if anything does.
    fn cap(&self, depth: usize) -> Option<Cap> {
        match () {
            () if self.bounds.stop.load(Ordering::Relaxed) => Some(Cap::Stopped),
            () if self.memory.full() && !self.memory.sweep() => Some(Cap::Memory(self.bounds.memory)),
            () if depth > DEEPEST => Some(Cap::Depth),
            () if Instant::now() > self.bounds.end => Some(Cap::Time),
            () => None,
        }
    }

    /// Runs a state to its next stop.
    fn run(&mut self, mut state: State, share: f64) -> Result<Run, Complaints> {
        // Between two stops the count itself does not look at the clock.
        self.machine.renew();
        self.machine.deadline = self.machine.deadline.min(self.bounds.end.checked_add(GRACE));
        let (stop, choice) = loop {
            let stop = self.machine.run(&mut state);
            let Stop::Choice(choosing) = &stop else { break (stop, None) };
            match self.decider.decide(self.machine, &mut state, choosing)? {
                Decided::Taken(picked, by) => self.machine.chosen(&mut state, choosing, picked, by),
                Decided::Open(kind) => break (stop, Some(kind)),
            }
        };
        let named = self.named(&mut state);
        let watch = state.board.watch.take();
        if matches!(stop, Stop::Done(_) | Stop::Refused(_)) {
            self.memory.ended(&mut state.board);
        }
        let end = |node: Node| Came::Known((Arc::new(Bits::default()), Arc::new(node)));
        let came = match stop {
            Stop::Done(_) if !self.wanted.answer => end(Node::Done),
            Stop::Done(value) => end(Node::Came(self.names.value(&text_of(&value, &state.board)))),
            Stop::Refused(refusal) => {
                let by = refusal.cases.first().map(|case| cite(&self.machine.program.ruleset, *case)).unwrap_or_default();
                end(Node::Refused(self.names.value(&by)))
            }
            Stop::Broken(complaints) => return Err(complaints),
            Stop::Count(_) => {
                let what = "a chance within a chance can't be counted";
                return Err(self.machine.complain(&state, "procedure", what, "count the inner one first, and hand its value on"));
            }
            Stop::Passed => self.met(state, share, vec![Way { weight: 1, answer: None, branch: None }], At::Passed, None),
            Stop::Throw(throwing) => {
                let dice = &throwing.dice;
                let ways = throwing.at_least.map_or_else(|| dice.totals(), |face| dice.counts(face));
                let Some(ways) = ways else {
                    let what = format!("{dice} have too many outcomes to count exactly");
                    return Err(self.machine.complain(&state, "dice", what, "throw fewer dice at once"));
                };
                let ways =
                    ways.into_iter().map(|(total, weight)| Way { weight, answer: Some(Value::Number(total)), branch: None }).collect();
                self.met(state, share, ways, At::Throw, Some(throwing.print()))
            }
            Stop::Choice(choosing) => {
                let asked = Some(choosing.print());
                let options = choosing.options.iter().map(|option| text_of(option, &state.board)).collect();
                let (side, what) = (choosing.side.to_string(), choosing.what.to_string());
                let decision = Decision { side, what, options, kind: choice.unwrap_or(Kind::First) };
                let ways = choosing.options.iter().map(|option| Way { weight: 1, answer: Some(option.clone()), branch: None }).collect();
                if decision.kind == Kind::Random {
                    return Ok((named, watch, self.met(state, share, ways, At::Throw, asked)));
                }
                let (before, looked) = self.so_far(&mut state);
                self.met(state, share, ways, At::Choice(Arc::new(decision), before, looked), asked)
            }
        };
        Ok((named, watch, came))
    }

    /// A stop with several ways on: one that is known, or one to be gone through.
    fn met(&mut self, mut state: State, share: f64, ways: Vec<Way>, mut at: At, asked: Option<u64>) -> Came {
        let passed = asked.is_none();
        self.machine.let_go(&mut state, passed);
        let key = state.print(asked);
        let prints = self.memory.prints(&mut state.board);
        if let Some(known) = self.memory.find(key, &prints) {
            return Came::Known(known);
        }
        let looked = if let At::Choice(.., looked) = &mut at { std::mem::take(looked) } else { Bits::default() };
        let bytes = (size_of::<Open>() + ways.len() * (size_of::<Way>() + 16)) as u64 + state.bytes() + prints.bytes();
        self.memory.take(bytes);
        let states = self.memory.states.fetch_add(u64::from(!passed), Ordering::Relaxed) + 1;
        if !passed && states.is_multiple_of(512) {
            (self.bounds.progress)(share, states);
        }
        let (state, named) = (Some(state), Named::default());
        let weight = ways.iter().map(|way| way.weight as f64).sum();
        // The last is taken first.
        let mut left: Vec<usize> = (0..ways.len()).rev().collect();
        left.rotate_right(self.turn % ways.len().max(1));
        let busy = self.memory.begin(key, &prints);
        let (way, put_off) = (0, Vec::new());
        let open = Box::new(Open { state, key, prints, ways, weight, left, way, put_off, at, looked, named, watch: None, share, bytes });
        if busy { Came::Busy(open) } else { Came::Open(open) }
    }

    /// Takes the outcomes named since the last stop. Those that choices look at stay known to the state.
    fn named(&self, state: &mut State) -> Named {
        if state.marks > 0 {
            return Named::default();
        }
        let mut named = Vec::with_capacity(state.outcomes.len());
        for (name, value) in std::mem::take(&mut state.outcomes) {
            let number = self.names.name(&name);
            let text = shown(&value, &state.board);
            named.push((number, self.names.value(&text)));
            if self.wanted.all || self.wanted.measured.iter().any(|measured| *measured == *name) {
                state.board.set(Figure::new(Of::Outcome, 0, number as usize), text.into());
            }
        }
        named.into()
    }

    /// What the outcomes are so far that a choice looks at.
    fn so_far(&self, state: &mut State) -> (Vec<(NameId, ValueId)>, Bits) {
        let mut watch = Watch::new(self.memory.layout().clone());
        let names: Vec<NameId> = match self.wanted.all {
            true => (0..128).collect(),
            false => self.wanted.measured.iter().map(|name| self.names.name(name)).collect(),
        };
        let mut before = Vec::new();
        for name in names {
            let figure = Figure::new(Of::Outcome, 0, name as usize);
            watch.read(figure);
            if let Some(Value::Text(text)) = state.board.peek(figure) {
                before.push((name, self.names.value(text)));
            }
        }
        (before, watch.read)
    }

    /// A state of which all is seen: what comes of it is remembered.
    fn close(&mut self, top: Open) -> Known {
        let ways = top.ways.into_iter().filter_map(|way| Some((way.weight, way.branch?))).collect();
        let node = Open::node(top.at, ways);
        let looked = self.memory.keep(top.key, &top.prints, top.looked.trimmed(), node.clone());
        self.memory.free(top.bytes);
        (looked, node)
    }

    /// What was seen when it had to stop, with the states from which nothing was seen yet.
    #[allow(clippy::vec_box)] // they are large, and moved about
    fn given_up(&mut self, open: Vec<Box<Open>>) -> Arc<Node> {
        let above = open.into_iter().rev().fold(None, |above, top| Some(self.left_over(*top, above)));
        above.unwrap_or_else(|| Arc::new(Node::Done))
    }

    /// What was seen of a state, with what was seen on the way that was being gone through.
    fn left_over(&mut self, mut top: Open, above: Option<Arc<Node>>) -> Arc<Node> {
        if let Some(to) = above {
            top.ways[top.way].branch = Some(Branch { named: std::mem::take(&mut top.named), to });
        }
        for (way, named, _, next) in std::mem::take(&mut top.put_off) {
            top.ways[way].branch = Some(Branch { named, to: self.left_over(*next, None) });
        }
        // It is there as long as a way is left.
        let state = Arc::new(top.state.take().unwrap_or_default());
        let unseen = |answer| Branch { named: Named::default(), to: Arc::new(Node::Unseen(state.clone(), answer)) };
        let ways = top.ways.into_iter().map(|way| (way.weight, way.branch.unwrap_or_else(|| unseen(way.answer)))).collect();
        Open::node(top.at, ways)
    }
}
