//! A run of the reference: functions that wait for each other on the stack of the thread, and where a fault happened.

use crate::code::context::{Answer, Caches, Context, Fault, Manner, fault};
use crate::code::machine::{FRAMES, WAITING};
use crate::code::program::{Program, Source};
use crate::code::state::{Refusal, State};
use crate::code::unit::Found;
use crate::code::verbs;
use crate::complaint::{Complaint, Complaints, Place};
use crate::reference::border::{Given, Home, settled, value};
use crate::reference::driver::Driver;
use crate::situation::meter::Meter;
use crate::situation::trace::{Asking, Event};
use crate::situation::value::Value;
use crate::syntax::grammar::Parsed;
use crate::syntax::parse;
use rhai::{Dynamic, Engine, EvalAltResult, FnPtr, Position, Scope};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What Rhai can't do: work on a value that a closure uses while it is called.
pub const RACE: &str = "a value is used here while a closure holds it";

/// Why a script ends before its end, as it goes through Rhai.
#[derive(Clone)]
pub enum Signal {
    /// A rule refuses.
    Refused(Refusal),
    /// Something may not be done; where is not known yet.
    Wrong(Found),
    /// Something may not be done, and it is known where.
    Broken(Complaints),
}

impl From<Signal> for Box<EvalAltResult> {
    fn from(signal: Signal) -> Box<EvalAltResult> {
        EvalAltResult::ErrorRuntime(Dynamic::from(signal), Position::NONE).into()
    }
}

impl From<Box<Fault>> for Signal {
    fn from(fault: Box<Fault>) -> Signal {
        match *fault {
            Fault::Wrong(found) => Signal::Wrong(found),
            Fault::Data(complaints) => Signal::Broken(complaints),
        }
    }
}

/// Ours, as Rhai hands it on.
pub fn given<T>(answer: Answer<T>) -> Given<T> {
    answer.map_err(|fault| Signal::from(fault).into())
}

/// The signal that an error carries, if it is one of ours, with the last place known.
pub fn signal(error: &EvalAltResult) -> (Option<Signal>, &EvalAltResult, Position) {
    let (mut error, mut position) = (error, error.position());
    while let EvalAltResult::ErrorInFunctionCall(_, _, inner, _) = error {
        error = inner;
        if !error.position().is_none() {
            position = error.position();
        }
    }
    let signal = match error {
        EvalAltResult::ErrorRuntime(value, _) => value.clone().try_cast::<Signal>(),
        _ => None,
    };
    (signal, error, position)
}

/// Bytes that a closure takes which is kept.
const CLOSURE: u64 = 256;

/// Operations from one look at the clock to the next.
const CLOCK: u64 = 1_024;

/// A function under way.
#[derive(Clone, Default)]
pub struct Frame {
    /// Its case.
    pub case: Option<usize>,
    /// The answer it works for: slot, depth, and what that was asked with.
    pub within: Option<(usize, usize, Rc<Vec<Dynamic>>)>,
    /// How many cases wait for it and each other.
    pub depth: u16,
    /// Whether a question is being answered here.
    pub answering: bool,
    /// Its text.
    pub parsed: Option<Rc<Parsed>>,
}

/// A run.
pub struct Run {
    /// The code of the ruleset, of which only the ruleset and its words are used here.
    pub program: Arc<Program>,
    /// Board, outcomes, what an example has set up. Nothing stands in its frames and registers.
    pub state: RefCell<State>,
    /// What has happened.
    pub trace: RefCell<Option<Vec<Event>>>,
    /// Whoever answers throws and choices at once: Rhai's stack can't stop.
    pub driver: RefCell<Driver>,
    /// How it is carried out.
    pub manner: Cell<Manner>,
    /// The functions under way, the innermost last.
    pub frames: RefCell<Vec<Frame>>,
    /// Questions that a refusal went through on its way.
    pub unwound: Cell<usize>,
    /// Whether throws and choices have no place just now.
    pub still: Cell<bool>,
    /// When it has to end.
    pub deadline: Cell<Instant>,
    operations: Cell<u64>,
    parsed: RefCell<FxHashMap<(usize, usize), Rc<Parsed>>>,
    closures: RefCell<Vec<(FnPtr, Frame)>>,
    caches: RefCell<Caches>,
}

impl Run {
    /// A run of a ruleset, begun by nobody yet.
    pub fn new(program: Arc<Program>) -> Run {
        Run {
            driver: RefCell::new(Driver::new(&program)),
            program,
            state: RefCell::default(),
            trace: RefCell::default(),
            manner: Cell::default(),
            frames: RefCell::default(),
            unwound: Cell::default(),
            still: Cell::default(),
            deadline: Cell::new(Instant::now()),
            operations: Cell::default(),
            parsed: RefCell::default(),
            closures: RefCell::default(),
            caches: RefCell::default(),
        }
    }

    /// Begins anew from a state.
    pub fn begin(&self, state: State, manner: Manner, driver: Driver, patience: Duration) {
        *self.state.borrow_mut() = state;
        *self.trace.borrow_mut() = Some(Vec::new());
        *self.driver.borrow_mut() = driver;
        self.manner.set(manner);
        self.frames.borrow_mut().clear();
        self.closures.borrow_mut().clear();
        self.unwound.set(0);
        self.state.borrow_mut().board.meter = Meter::default();
        self.deadline.set(Instant::now() + patience);
    }

    /// The function under way.
    pub fn frame(&self) -> Frame {
        self.frames.borrow().last().cloned().unwrap_or_default()
    }

    /// Reaches what verbs reach.
    pub fn reaching<T>(&self, reach: impl FnOnce(&mut Context) -> T) -> T {
        let (frame, state, caches) = (self.frame(), &mut *self.state.borrow_mut(), &mut *self.caches.borrow_mut());
        let mut ctx = Context {
            ruleset: &self.program.ruleset,
            atlas: &self.program.atlas,
            words: &self.program.words,
            board: &mut state.board,
            hand: &mut state.hand,
            outcomes: &mut state.outcomes,
            trace: &mut self.trace.borrow_mut(),
            caches,
            manner: self.manner.get(),
            case: frame.case,
            answering: frame.answering,
        };
        reach(&mut ctx)
    }

    /// Whether it has gone on for too long. Every function counts its own operations, so all of them are counted here.
    pub fn is_over(&self) -> bool {
        let operations = self.operations.get() + 1;
        self.operations.set(operations);
        operations.is_multiple_of(CLOCK) && Instant::now() > self.deadline.get()
    }

    /// Notes an event.
    pub fn note(&self, event: Event) {
        if let Some(trace) = &mut *self.trace.borrow_mut() {
            self.state.borrow_mut().board.meter.wrote(event.bytes());
            trace.push(event);
        }
    }

    /// Runs what a source names.
    pub fn source(self: &Rc<Run>, engine: &Engine, source: &Source, args: Vec<Dynamic>) -> Given {
        match source {
            Source::Answer(slot, depth) => self.ask(engine, *slot, *depth, args),
            Source::Helper(case, function, _) | Source::Function(case, function) => {
                self.function(engine, (*case, *function), Frame { case: Some(*case), ..Frame::default() }, args)
            }
            Source::Expression(text, names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let parsed = parse::expression(text, &names).map_err(Signal::Broken)?;
                self.evaluate(engine, Rc::new(parsed), Frame::default(), names.into_iter().zip(args).collect())
            }
        }
    }

    /// Asks the answer at a depth of a slot's chain.
    pub fn ask(self: &Rc<Run>, engine: &Engine, slot: usize, depth: usize, args: Vec<Dynamic>) -> Given {
        let asked = &self.program.ruleset.slots[slot];
        let (answer, above) = (asked.chain[depth], self.frame());
        if above.depth >= WAITING {
            let what = format!("{WAITING} cases wait for each other's answers");
            return given(fault("limit", what, "a case asks itself in a circle: look at who calls whom"));
        }
        self.note(Event::Ask(Asking::new(slot, depth)));
        let found = match answer.struck_by.map(|by| &self.program.ruleset.cases[by]) {
            Some(by) => {
                let what = format!("`{}` no longer stands: {} {} revises it", asked.name, by.layer, by.number);
                given(fault("kind", what, "answer it in the revision, or do not ask"))
            }
            None => {
                let within = Some((slot, depth, Rc::new(args.clone())));
                let frame = Frame { case: Some(answer.case), within, depth: above.depth + 1, answering: true, parsed: None };
                self.function(engine, (answer.case, answer.function), frame, args)
            }
        };
        match &found {
            Ok(_) => {
                self.note(Event::Done);
                self.state.borrow_mut().answered = Some(answer.cited());
            }
            Err(_) => self.unwound.set(self.unwound.get() + 1),
        }
        found
    }

    /// Runs a function of a case.
    pub fn function(self: &Rc<Run>, engine: &Engine, (case, index): (usize, usize), frame: Frame, args: Vec<Dynamic>) -> Given {
        let known = self.parsed.borrow().get(&(case, index)).cloned();
        let file = &self.program.ruleset.cases[case];
        let parsed = match known {
            Some(parsed) => parsed,
            None => {
                let parsed = Rc::new(parse::parsed(file, &file.functions[index]).map_err(Signal::Broken)?);
                self.parsed.borrow_mut().insert((case, index), parsed.clone());
                parsed
            }
        };
        self.evaluate(engine, parsed, frame, file.functions[index].params.iter().map(String::as_str).zip(args).collect())
    }

    fn evaluate(self: &Rc<Run>, engine: &Engine, parsed: Rc<Parsed>, frame: Frame, variables: Vec<(&str, Dynamic)>) -> Given {
        let mut scope = Scope::new();
        for (name, value) in variables {
            scope.push_dynamic(name, value);
        }
        self.within(Frame { parsed: Some(parsed.clone()), ..frame }, || engine.eval_ast_with_scope::<Dynamic>(&mut scope, &parsed.ast))
    }

    /// Does something as a function under way; what goes wrong in it gets its place.
    fn within(self: &Rc<Run>, frame: Frame, run: impl FnOnce() -> Given) -> Given {
        if self.frames.borrow().len() >= FRAMES {
            return given(fault("limit", "this calls itself without end", "look at what should stop the calls"));
        }
        self.frames.borrow_mut().push(frame.clone());
        // While the function is still under way: its closures are at home there.
        let found = run().map(|found| settled(found, self));
        self.frames.borrow_mut().pop();
        found.map_err(|error| self.placed(&error, &frame).into())
    }

    /// What went wrong in a function, with its place.
    pub fn placed(&self, error: &EvalAltResult, frame: &Frame) -> Signal {
        let (signal, inner, position) = signal(error);
        let found = match signal {
            Some(Signal::Wrong(found)) => found,
            Some(known) => return known,
            None => self.translated(inner),
        };
        // Of what can't be indexed Rhai names the bracket, and the machine what stands in it.
        let position = if matches!(inner, EvalAltResult::ErrorIndexingType(..)) { Position::NONE } else { position };
        let complaint = match (frame.case.map(|case| &self.program.ruleset.cases[case]), &frame.parsed) {
            (Some(case), Some(parsed)) if !position.is_none() => {
                case.complaint(found.law, parse::span(parsed.spot(position), case), found.what)
            }
            (Some(case), parsed) => {
                let line = parsed.as_ref().map_or(0, |parsed| parsed.line());
                Complaint::new(found.law, Place::file(&case.file_of(line).0.path), found.what)
            }
            (None, _) => Complaint::new(found.law, Place::file("(expression)"), found.what),
        };
        Signal::Broken(complaint.help(found.help).into())
    }

    /// What Rhai itself has to complain of.
    fn translated(&self, error: &EvalAltResult) -> Found {
        let law = match error {
            EvalAltResult::ErrorTerminated(..)
            | EvalAltResult::ErrorStackOverflow(..)
            | EvalAltResult::ErrorTooManyOperations(..)
            | EvalAltResult::ErrorDataTooLarge(..) => "limit",
            EvalAltResult::ErrorFunctionNotFound(signature, _) => {
                let name = signature.split(" (").next().unwrap_or(signature).trim();
                let known = verbs::knows(name) || !name.chars().all(|c| c.is_alphanumeric() || c == '_');
                if known { "running" } else { "unknown-function" }
            }
            EvalAltResult::ErrorDataRace(..) => {
                let help = "a closure shares what it uses; Rhai itself can't work on that while it runs";
                return Found { law: "running", what: RACE.into(), help: help.into() };
            }
            _ => "running",
        };
        Found { law, what: error.to_string(), help: String::new() }
    }

    /// A value of Rhai's as ours.
    pub fn value(&self, of: &Dynamic) -> Given<Value> {
        given(value(of, self))
    }
}

impl Home for Run {
    fn keep(&self, pointer: &FnPtr) -> u32 {
        let mut closures = self.closures.borrow_mut();
        self.state.borrow_mut().board.meter.wrote(CLOSURE);
        closures.push((pointer.clone(), self.frame()));
        closures.len() as u32 - 1
    }

    fn enter(self: &Rc<Run>, engine: &Engine, number: usize, args: Vec<Dynamic>) -> Given {
        let (pointer, home) = self.closures.borrow()[number].clone();
        let above = self.frame();
        let Some(parsed) = home.parsed.clone() else { return Ok(Dynamic::UNIT) };
        let frame = Frame { depth: above.depth, answering: above.answering, ..home };
        self.within(frame, || pointer.call::<Dynamic>(engine, &parsed.ast, args))
    }
}
