//! The machine: runs the code of a ruleset until it must ask.
//!
//! It stops at every throw and every choice, and all that it is stands in a [`State`]. Whoever drives it answers and lets it go on: dice, a
//! person, a journal, a count. No function of a script nests on the stack of the thread, so limits end whatever runs too far.
//!
//! | file | what it is |
//! |---|---|
//! | [`reach`] | what operations reach beyond the registers: verbs, tables, what a path leads to |
//! | [`ask`] | what it stops for, made ready for whoever answers |
//! | [`consulted`] | what runs have read |
//! | [`follow`] | where what operations give comes from |
//! | [`memo`] | answers that are known |
//! | [`meter`] | what a run may take: steps, time, and memory |
//! | [`run`] | the operations, one after the other |

mod ask;
mod consulted;
mod follow;
mod memo;
mod meter;
mod reach;
mod run;

pub use ask::{choosing, refusal, throwing};
pub use consulted::Consulted;
pub use meter::{given_fits, measure};

use crate::code::context::{Answer, Caches, Calls, Detail, Fault, Manner, fault};
use crate::code::lower;
use crate::code::program::{Made, Program, Source};
use crate::code::state::{Choosing, Frame, State, Stop, Throwing};
use crate::code::unit::{Found, Op, Unit};
use crate::complaint::{Complaint, Complaints, Place};
use crate::situation::dice::Throw;
use crate::situation::figures::Watch;
use crate::situation::meter::Meter;
use crate::situation::trace::{Answered, Asking, Chosen, Event, Thrown};
use crate::situation::value::{Closure, Value};
use memo::Memo;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Calls and rounds of loops from one throw or choice to the next, at most.
pub const STEPS: u64 = 2_000_000;
/// Throws and choices of one run, at most.
pub const STOPS: u32 = 100_000;
/// Seconds that one run may take.
pub const SECONDS: u64 = 20;
/// Cases that may wait for each other's answers.
pub const WAITING: u16 = 40;
/// Functions that may be under way at once.
pub const FRAMES: usize = 160;

/// The last step a run may take before it stops again. Where there were too many stops, not a step is left.
fn last_step(state: &State) -> u64 {
    if state.stopped.1 > STOPS { 0 } else { state.stopped.0 + STEPS }
}

/// Runs the code of a ruleset. One for each thread.
pub struct Machine {
    /// The code.
    pub program: Arc<Program>,
    /// Units in memory of this thread's own.
    units: Vec<Option<Rc<Unit>>>,
    caches: Caches,
    memo: Memo,
    /// What has happened, where somebody wants to read it.
    pub trace: Option<Vec<Event>>,
    /// How runs are carried out.
    pub manner: Manner,
    /// When the run has to end.
    pub deadline: Option<Instant>,
    /// How long one run may take.
    pub patience: Duration,
    /// The units that are being looked through.
    looking: Vec<u32>,
    /// Steps since the clock was read.
    unclocked: u32,
}

/// The machine, within itself: for a verb that calls closures.
struct Caller<'a> {
    machine: &'a mut Machine,
    state: &'a mut State,
    code: Rc<Unit>,
}

impl Calls for Caller<'_> {
    fn call(&mut self, closure: &Closure, args: Vec<Value>) -> Answer {
        let floor = self.state.frames.len();
        let top = self.state.frames.last().copied();
        let base = top.map_or(0, |frame| frame.base as usize + self.code.registers);
        let end = last_step(self.state);
        self.machine.step(self.state, end)?;
        self.machine.enter(self.state, closure, args, base)?;
        match self.machine.go_on(self.state, floor) {
            Stop::Done(value) => Ok(value),
            Stop::Broken(complaints) => Err(Box::new(Fault::Data(complaints))),
            Stop::Refused(_) => fault("running", "a rule refuses within a closure that puts things in order", "refuse before or after it"),
            _ => fault(
                "running",
                "dice and choices have no place in a closure that is called again and again",
                "throw and choose before, and hand the closure what came of it",
            ),
        }
    }
}

impl Machine {
    /// A machine for a ruleset's code.
    pub fn new(program: Arc<Program>) -> Machine {
        Machine {
            program,
            units: Vec::new(),
            caches: Caches::default(),
            memo: Memo::default(),
            trace: None,
            manner: Manner::default(),
            deadline: None,
            looking: Vec::new(),
            unclocked: 0,
            patience: Duration::from_secs(SECONDS),
        }
    }

    /// Begins to ask a question: the newest answer, or a function as an example.
    pub fn begin(&mut self, state: &mut State, source: Source, args: Vec<Value>) -> Result<(), Complaints> {
        let number = self.program.number(source);
        let code = self.load(number)?;
        state.frames = vec![Frame { unit: number, next: 0, base: 0, dst: 0, depth: 0, answering: code.answers.is_some(), stopped: false }];
        state.registers = args;
        state.registers.resize(code.registers, Value::Nothing);
        state.tries.clear();
        state.board.meter = Meter::default();
        (state.steps, state.stopped) = (0, (0, 0));
        if self.trace.is_some() && !self.manner.example && self.manner.detail == Detail::Whole {
            state.followed = Some(Box::default());
            state.board.watch = Some(Box::new(Watch::noting()));
        }
        self.renew();
        self.asked(state, &code);
        Ok(())
    }

    /// Gives it as much time anew: whoever was asked may have thought for long.
    pub fn renew(&mut self) {
        self.deadline = Some(Instant::now() + self.patience);
    }

    /// Makes ready to go on with a state that another machine has left.
    pub fn take_up(&mut self, state: &State) -> Result<(), Complaints> {
        self.renew();
        state.frames.iter().try_for_each(|frame| self.load(frame.unit).map(drop))
    }

    #[inline]
    fn load(&mut self, number: u32) -> Result<Rc<Unit>, Complaints> {
        let place = number as usize;
        if let Some(Some(code)) = self.units.get(place) {
            return Ok(code.clone());
        }
        self.made(number)
    }

    #[cold]
    fn made(&mut self, number: u32) -> Result<Rc<Unit>, Complaints> {
        let place = number as usize;
        let unit = match self.program.made(number) {
            Some(Made::Ready(unit)) => unit,
            Some(Made::Broken(complaints)) => return Err(complaints),
            None => return Err(Complaints::default()),
            Some(Made::Wanted(source)) => {
                let made = lower::unit(&self.program, &source).map(Arc::new);
                self.program.keep(number, &made);
                made?
            }
        };
        let code = Rc::new(unit.apart());
        if self.units.len() <= place {
            self.units.resize(place + 1, None);
        }
        self.units[place] = Some(code.clone());
        Ok(code)
    }

    /// Lets go of what nobody will look at again. Where a state has `passed`, only its answer is still to come.
    pub fn let_go(&self, state: &mut State, passed: bool) {
        let mut end = 0;
        for (place, frame) in state.frames.iter().enumerate() {
            let Some(Some(code)) = self.units.get(frame.unit as usize) else { return };
            let from = frame.base as usize;
            // The window of a function called begins within its caller's.
            let to = state.frames.get(place + 1).map_or(from + code.registers, |next| next.base as usize);
            let answer = match code.ops.get(frame.next as usize) {
                Some(Op::Return { src }) if passed && place + 1 == state.frames.len() => Some(src.register().map(usize::from)),
                _ => None,
            };
            let live = code.live.get_or_init(|| lower::liveness::find(code)).get(&frame.next.wrapping_sub(1));
            let own = from.min(state.registers.len())..to.min(state.registers.len());
            for (number, register) in state.registers[own].iter_mut().enumerate().filter(|(_, value)| !value.is_nothing()) {
                let needed = match answer {
                    Some(answer) => answer == Some(number),
                    None => live.is_none_or(|bits| bits.get(number / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)),
                };
                if !needed {
                    *register = Value::Nothing;
                }
            }
            end = to;
        }
        state.registers.truncate(end);
    }

    /// What has happened, where somebody reads who was asked.
    fn asking(&mut self) -> Option<&mut Vec<Event>> {
        self.trace.as_mut().filter(|_| self.manner.detail != Detail::Told)
    }

    fn asked(&mut self, state: &mut State, unit: &Unit) {
        if let (Some(trace), Some((slot, depth))) = (self.asking(), unit.answers) {
            // And that it has answered.
            state.board.meter.wrote(2 * size_of::<Event>() as u64);
            trace.push(Event::Ask(Asking::new(slot, depth)));
        }
    }

    /// How much was noted so far; none where nothing is.
    fn noted(&self) -> Option<usize> {
        self.trace.as_ref().map(Vec::len)
    }

    /// Answers the stop at which a state waits, and lets it go on from there.
    pub fn answer(&mut self, state: &mut State, value: Value) {
        state.stopped = (state.steps, state.stopped.1 + 1);
        state.board.meter.stopped();
        if let Some(frame) = state.frames.last_mut() {
            frame.stopped = true;
            let code = self.units.get(frame.unit as usize).and_then(|code| code.as_ref());
            let op = code.and_then(|code| code.ops.get(frame.next as usize - 1));
            if let Some(Op::Roll { dst, .. } | Op::Choose { dst, .. } | Op::Count { dst, .. }) = op {
                let place = frame.base as usize + *dst as usize;
                if state.registers.len() <= place {
                    state.registers.resize(place + 1, Value::Nothing);
                }
                state.registers[place] = value;
            }
        }
    }

    /// Answers a throw.
    pub fn thrown(&mut self, state: &mut State, throwing: &Throwing, throw: Throw) {
        self.answer(state, Value::Number(throw.total));
        if let Some(trace) = &mut self.trace {
            let (dice, purpose) = (throwing.text.clone(), throwing.purpose.clone());
            let event = Event::Die(Box::new(Thrown { dice, purpose, throw }));
            state.board.meter.wrote(event.bytes());
            trace.push(event);
        }
    }

    /// Answers a choice.
    pub fn chosen(&mut self, state: &mut State, choosing: &Choosing, picked: usize, by: Answered) {
        self.answer(state, choosing.options[picked].clone());
        if let Some(trace) = &mut self.trace {
            let Choosing { side, what, options } = choosing.clone();
            let event = Event::Choice(Box::new(Chosen { side, what, options, picked, by }));
            state.board.meter.wrote(event.bytes());
            trace.push(event);
        }
    }

    /// Runs until it must ask, or has come to its end.
    pub fn run(&mut self, state: &mut State) -> Stop {
        self.go_on(state, 0)
    }

    /// Enters a closure; its registers begin at `base`.
    fn enter(&mut self, state: &mut State, closure: &Closure, args: Vec<Value>, base: usize) -> Answer<()> {
        let code = self.load(closure.unit).map_err(|complaints| Box::new(Fault::Data(complaints)))?;
        if args.len() != closure.arity {
            let what = format!("this closure takes {} arguments; it is called with {}", closure.arity, args.len());
            return fault("running", what, "write as many names between the bars as there are arguments");
        }
        let top = state.frames.last().copied();
        self.deeper(state, top.map_or(0, |frame| frame.depth))?;
        state.registers.truncate(base);
        state.registers.resize(base, Value::Nothing);
        state.registers.extend(closure.shared.iter().map(|shared| Value::Number(i64::from(*shared))).chain(args));
        state.registers.resize(base + code.registers, Value::Nothing);
        let answering = top.is_some_and(|frame| frame.answering);
        let depth = top.map_or(0, |frame| frame.depth);
        state.frames.push(Frame { unit: closure.unit, next: 0, base: base as u32, dst: 0, depth, answering, stopped: false });
        Ok(())
    }

    /// Starts what a closure tries, on a state of its own.
    pub fn begin_closure(&mut self, state: &State, closure: &Closure) -> Result<State, Complaints> {
        let mut own = State { frames: Vec::new(), registers: Vec::new(), tries: Vec::new(), outcomes: Vec::new(), ..state.clone() };
        let answering = false;
        match self.enter(&mut own, closure, Vec::new(), 0) {
            Ok(()) => {
                own.frames.iter_mut().for_each(|frame| frame.answering = answering);
                Ok(own)
            }
            Err(fault) => match *fault {
                Fault::Data(complaints) => Err(complaints),
                Fault::Wrong(found) => Err(Complaint::new(found.law, Place::file("(closure)"), found.what).help(found.help).into()),
            },
        }
    }

    fn deeper(&self, state: &State, depth: u16) -> Answer<()> {
        if depth >= WAITING {
            let what = format!("{WAITING} cases wait for each other's answers");
            return fault("limit", what, "a case asks itself in a circle: look at who calls whom");
        }
        if state.frames.len() >= FRAMES {
            return fault("limit", "this calls itself without end", "look at what should stop the calls");
        }
        Ok(())
    }

    /// A complaint at the place where a state has stopped.
    pub fn complain(&self, state: &State, law: &'static str, what: impl Into<String>, help: &str) -> Complaints {
        let found = Found { law, what: what.into(), help: help.into() };
        let code = state.frames.last().and_then(|frame| self.units.get(frame.unit as usize).cloned().flatten());
        match (code, state.frames.last()) {
            (Some(code), Some(frame)) => self.complaint(&code, frame.next.saturating_sub(1) as usize, found).into(),
            _ => Complaint::new(law, Place::file("(expression)"), found.what).help(found.help).into(),
        }
    }

    fn complaint(&self, code: &Unit, pc: usize, found: Found) -> Complaint {
        let spot = code.spots.get(pc).copied().unwrap_or_default();
        // Where nothing is known of the place, it is the function.
        let complaint = match code.case {
            Some(case) => {
                let case = &self.program.ruleset.cases[case];
                let span = if spot.0 == 0 { code.span } else { crate::syntax::parse::span(spot, case) };
                case.complaint(found.law, span, found.what)
            }
            None => Complaint::new(found.law, Place::file("(expression)"), found.what),
        };
        complaint.help(found.help)
    }

    /// What went wrong, as the author of the case reads it.
    #[cold]
    fn broken(&mut self, code: &Unit, pc: usize, fault: Fault) -> Stop {
        let found = match fault {
            Fault::Data(complaints) => return Stop::Broken(complaints),
            Fault::Wrong(found) => found,
        };
        Stop::Broken(self.complaint(code, pc, found).into())
    }
}
