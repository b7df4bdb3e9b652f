//! A run of the reference evaluator: its call stack, which lives on the thread's stack, and the positions of faults.

use crate::oracle::conversion::{ClosureOrigins, RhaiResult, detach, from_dynamic};
use crate::oracle::driver::Driver;
use casebook::code::oracle::{
    Fault, FunctionSource, MAX_CASE_DEPTH, MAX_FRAMES, Program, Refusal, RunMode, State,
    StaticFault,
};
use casebook::code::oracle::{ThreadCaches, VerbContext, VerbResult, fault, verbs};
use casebook::complaint::{Complaint, Complaints, DiagnosticCode, Place};
use casebook::platform::clock::Instant;
use casebook::platform::task;
use casebook::situation::cell_key::Access;
use casebook::situation::meter::Meter;
use casebook::situation::trace::{Event, FunctionCall};
use casebook::situation::value::Value;
use casebook::situation::value_text::named;
use casebook::syntax::grammar::Parsed;
use casebook::syntax::parse;
use rhai::{Dynamic, Engine, EvalAltResult, FnPtr, Position, Scope};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The reason why a script ends early, carried through Rhai as an error.
#[derive(Clone)]
pub enum Signal {
    /// A rule refuses.
    Refused(Refusal),
    /// A fault without a position.
    UnplacedFault(StaticFault),
    /// A fault with a position.
    Fault(Complaints),
}

impl From<Signal> for Box<EvalAltResult> {
    fn from(signal: Signal) -> Box<EvalAltResult> {
        EvalAltResult::ErrorRuntime(Dynamic::from(signal), Position::NONE).into()
    }
}

impl From<Box<Fault>> for Signal {
    fn from(fault: Box<Fault>) -> Signal {
        match *fault {
            Fault::Script(found) => Signal::UnplacedFault(found),
            Fault::Data(complaints) => Signal::Fault(complaints),
        }
    }
}

/// Wraps a signal in a Rhai error.
pub fn to_rhai_result<T>(answer: VerbResult<T>) -> RhaiResult<T> {
    answer.map_err(|fault| Signal::from(fault).into())
}

/// Returns the signal inside an error, if there is one, with the innermost error and the last known position.
pub fn signal_in(error: &EvalAltResult) -> (Option<Signal>, &EvalAltResult, Position) {
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

/// The memory charged for a stored closure, in bytes.
const CLOSURE: u64 = 256;

/// The number of operations between two checks of the clock.
const CLOCK: u64 = 1_024;

/// A stack frame.
#[derive(Clone, Default)]
pub struct ReferenceFrame {
    /// The case of the function.
    pub case: Option<usize>,
    /// The answer that the function works for: slot, depth and arguments.
    pub current_answer: Option<(usize, usize, Rc<Vec<Dynamic>>)>,
    /// The depth of nested calls of cases.
    pub call_depth: u16,
    /// Whether the frame is the answer to a call of a case.
    pub is_answer: bool,
    /// The parsed source.
    pub parsed: Option<Rc<Parsed>>,
    /// The cases that the function has consulted, also through its helpers and closures.
    pub consulted: Rc<RefCell<BTreeSet<usize>>>,
}

/// What an answer does in a run.
#[derive(Clone, Debug, Default)]
pub struct AnswerRecord {
    /// What it reads and writes of the board.
    pub accesses: Vec<Access>,
    /// The cases that it calls, the cells that it reads, its outcomes.
    pub events: Vec<Event>,
}

/// A run of the reference evaluator.
pub struct ReferenceRun {
    /// The program of the ruleset, of which only the ruleset and the interned words are used.
    pub program: Arc<Program>,
    /// Board, outcomes, and the setup of an example. Its frames and registers stay empty.
    pub state: RefCell<State>,
    /// The events so far.
    pub trace: RefCell<Option<Vec<Event>>>,
    /// The driver that answers throws and choices synchronously, because Rhai can't suspend.
    pub driver: RefCell<Driver>,
    /// The mode of the run.
    pub run_mode: Cell<RunMode>,
    /// The call stack, innermost last.
    pub frames: RefCell<Vec<ReferenceFrame>>,
    /// The number of answers that a refusal has unwound.
    pub unwound_answers: Cell<usize>,
    /// Whether throws and choices are currently forbidden.
    pub throws_forbidden: Cell<bool>,
    /// Whether the run reached a limitation of Rhai: a value can't be used while a closure that captures it is called on it.
    pub data_race: Cell<bool>,
    /// The deadline.
    pub deadline: Cell<Instant>,
    /// What each answer has done so far, by slot and depth, if the board records.
    pub records: RefCell<BTreeMap<(usize, usize), AnswerRecord>>,
    recorded_events: Cell<usize>,
    operations: Cell<u64>,
    parsed: RefCell<FxHashMap<(usize, usize), Rc<Parsed>>>,
    closures: RefCell<Vec<(FnPtr, ReferenceFrame)>>,
    caches: RefCell<ThreadCaches>,
}

impl ReferenceRun {
    /// Creates a run of a ruleset that has not begun.
    pub fn new(program: Arc<Program>) -> ReferenceRun {
        ReferenceRun {
            driver: RefCell::new(Driver::new(&program)),
            program,
            state: RefCell::default(),
            trace: RefCell::default(),
            run_mode: Cell::default(),
            frames: RefCell::default(),
            unwound_answers: Cell::default(),
            throws_forbidden: Cell::default(),
            data_race: Cell::default(),
            deadline: Cell::new(Instant::now()),
            records: RefCell::default(),
            recorded_events: Cell::default(),
            operations: Cell::default(),
            parsed: RefCell::default(),
            closures: RefCell::default(),
            caches: RefCell::default(),
        }
    }

    /// Begins a new run from a state.
    pub fn begin(&self, state: State, manner: RunMode, driver: Driver, patience: Duration) {
        *self.state.borrow_mut() = state;
        *self.trace.borrow_mut() = Some(Vec::new());
        *self.driver.borrow_mut() = driver;
        self.run_mode.set(manner);
        self.frames.borrow_mut().clear();
        self.closures.borrow_mut().clear();
        self.unwound_answers.set(0);
        self.data_race.set(false);
        self.records.borrow_mut().clear();
        self.recorded_events.set(0);
        self.state.borrow_mut().board.meter = Meter::default();
        self.deadline.set(Instant::now() + patience);
    }

    /// Returns the current frame.
    pub fn frame(&self) -> ReferenceFrame {
        self.frames.borrow().last().cloned().unwrap_or_default()
    }

    /// Calls `reach` with the context that verbs use.
    pub fn with_context<T>(&self, reach: impl FnOnce(&mut VerbContext) -> T) -> T {
        let (frame, state, caches) = (
            self.frame(),
            &mut *self.state.borrow_mut(),
            &mut *self.caches.borrow_mut(),
        );
        let mut ctx = VerbContext {
            ruleset: &self.program.ruleset,
            atlas: &self.program.atlas,
            vocabulary: &self.program.vocabulary,
            board: &mut state.board,
            fixture: &mut state.fixture,
            outcomes: &mut state.outcomes,
            trace: &mut self.trace.borrow_mut(),
            caches,
            run_mode: self.run_mode.get(),
            case: frame.case,
            is_answer: frame.is_answer,
        };
        reach(&mut ctx)
    }

    /// Whether the deadline has passed. Rhai counts operations per evaluation, so the run keeps its own total.
    pub fn is_over(&self) -> bool {
        let operations = self.operations.get() + 1;
        self.operations.set(operations);
        operations.is_multiple_of(CLOCK)
            && (Instant::now() > self.deadline.get() || task::is_over())
    }

    /// Records an event.
    pub fn record(&self, event: Event) {
        if let Some(trace) = &mut *self.trace.borrow_mut() {
            self.state
                .borrow_mut()
                .board
                .meter
                .add_written(event.bytes());
            trace.push(event);
        }
    }

    /// Adds what has happened since the last time to the record of the answer that the current frame works for.
    fn update_record(&self) {
        let mut state = self.state.borrow_mut();
        let recorder = state.board.recorder.as_mut();
        let Some(log) = recorder.and_then(|recorder| recorder.log.as_mut()) else {
            return;
        };
        let (accesses, trace) = (std::mem::take(log), self.trace.borrow());
        let events = trace.as_deref().unwrap_or_default();
        let new_events = events[self.recorded_events.replace(events.len())..].iter();
        if let Some((slot, depth, _)) = self.frame().current_answer {
            let mut records = self.records.borrow_mut();
            let record = records.entry((slot, depth)).or_default();
            record.accesses.extend(accesses);
            record.events.extend(new_events.cloned());
        }
    }

    /// Runs the function that a source names.
    pub fn run_source(
        self: &Rc<ReferenceRun>,
        engine: &Engine,
        source: &FunctionSource,
        args: Vec<Dynamic>,
    ) -> RhaiResult {
        match source {
            FunctionSource::Answer(slot, depth) => self.call_slot(engine, *slot, *depth, args),
            FunctionSource::Helper(case, function, _)
            | FunctionSource::Function(case, function) => self.run_function(
                engine,
                (*case, *function),
                ReferenceFrame {
                    case: Some(*case),
                    ..ReferenceFrame::default()
                },
                args,
            ),
            FunctionSource::Expression(text, names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let parsed = parse::parse_expression(text, &names).map_err(Signal::Fault)?;
                self.evaluate(
                    engine,
                    Rc::new(parsed),
                    ReferenceFrame::default(),
                    names.into_iter().zip(args).collect(),
                )
            }
        }
    }

    /// Calls the answer at a depth of a slot's chain.
    pub fn call_slot(
        self: &Rc<ReferenceRun>,
        engine: &Engine,
        slot: usize,
        depth: usize,
        args: Vec<Dynamic>,
    ) -> RhaiResult {
        let function = &self.program.ruleset.slots[slot];
        let (answer, above) = (function.answers[depth], self.frame());
        if above.call_depth >= MAX_CASE_DEPTH {
            let what = format!("{MAX_CASE_DEPTH} calls of cases are nested in each other");
            return to_rhai_result(fault(
                DiagnosticCode::Limit,
                what,
                "find the case that calls itself",
            ));
        }
        self.record(Event::Call(FunctionCall::new(slot, depth)));
        let result = match answer.removed_by.map(|by| &self.program.ruleset.cases[by]) {
            Some(case) => {
                let what = format!(
                    "`{}` no longer stands: {} {} revises it",
                    function.name, case.layer, case.number
                );
                to_rhai_result(fault(
                    DiagnosticCode::Kind,
                    what,
                    "answer it in the revision, or do not call it",
                ))
            }
            None => {
                let current_answer = Some((slot, depth, Rc::new(args.clone())));
                let frame = ReferenceFrame {
                    case: Some(answer.case),
                    current_answer,
                    call_depth: above.call_depth + 1,
                    is_answer: true,
                    ..ReferenceFrame::default()
                };
                self.run_function(engine, (answer.case, answer.function), frame, args)
            }
        };
        match &result {
            Ok(_) => {
                self.record(Event::Return);
                self.frame()
                    .consulted
                    .borrow_mut()
                    .insert(answer.cited_case());
            }
            Err(_) => self.unwound_answers.set(self.unwound_answers.get() + 1),
        }
        result
    }

    /// Runs a function of a case.
    pub fn run_function(
        self: &Rc<ReferenceRun>,
        engine: &Engine,
        (case, index): (usize, usize),
        frame: ReferenceFrame,
        args: Vec<Dynamic>,
    ) -> RhaiResult {
        let cached = self.parsed.borrow().get(&(case, index)).cloned();
        let file = &self.program.ruleset.cases[case];
        let parsed = match cached {
            Some(parsed) => parsed,
            None => {
                let parsed = Rc::new(
                    parse::parse_function(file, &file.functions[index]).map_err(Signal::Fault)?,
                );
                self.parsed
                    .borrow_mut()
                    .insert((case, index), parsed.clone());
                parsed
            }
        };
        self.evaluate(
            engine,
            parsed,
            frame,
            file.functions[index]
                .params
                .iter()
                .map(String::as_str)
                .zip(args)
                .collect(),
        )
    }

    fn evaluate(
        self: &Rc<ReferenceRun>,
        engine: &Engine,
        parsed: Rc<Parsed>,
        frame: ReferenceFrame,
        variables: Vec<(&str, Dynamic)>,
    ) -> RhaiResult {
        let mut scope = Scope::new();
        for (name, value) in variables {
            scope.push_dynamic(name, value);
        }
        self.in_frame(
            ReferenceFrame {
                parsed: Some(parsed.clone()),
                ..frame
            },
            || engine.eval_ast_with_scope::<Dynamic>(&mut scope, &parsed.ast),
        )
    }

    /// Runs a closure in a new frame; an error in it gets a position.
    fn in_frame(
        self: &Rc<ReferenceRun>,
        frame: ReferenceFrame,
        run: impl FnOnce() -> RhaiResult,
    ) -> RhaiResult {
        if self.frames.borrow().len() >= MAX_FRAMES {
            return to_rhai_result(fault(
                DiagnosticCode::Limit,
                "this function calls itself without end",
                "check what should stop the calls",
            ));
        }
        self.update_record();
        self.frames.borrow_mut().push(frame.clone());
        // The frame must still be on the stack, because closures are registered with it.
        let result = run().map(|result| detach(result, self));
        self.update_record();
        self.frames.borrow_mut().pop();
        result.map_err(|error| self.with_position(&error, &frame).into())
    }

    /// Converts an error in a function to a signal with a position.
    pub fn with_position(&self, error: &EvalAltResult, frame: &ReferenceFrame) -> Signal {
        let (signal, inner, position) = signal_in(error);
        let fault = match signal {
            Some(Signal::UnplacedFault(fault)) => fault,
            Some(known) => return known,
            None => self.translate_error(inner),
        };
        // For a value that can't be indexed, Rhai reports the bracket and the machine the index.
        let position = if matches!(inner, EvalAltResult::ErrorIndexingType(..)) {
            Position::NONE
        } else {
            position
        };
        let complaint = match (
            frame.case.map(|case| &self.program.ruleset.cases[case]),
            &frame.parsed,
        ) {
            (Some(case), Some(parsed)) if !position.is_none() => case.complaint(
                fault.diagnostic_code,
                parse::word_span(parsed.position(position), case),
                fault.message,
            ),
            (Some(case), parsed) => {
                let line = parsed
                    .as_ref()
                    .map_or(0, |parsed| parsed.position(Position::START).0 as usize);
                Complaint::new(
                    fault.diagnostic_code,
                    Place::whole_file(&case.file_of(line).0.path),
                    fault.message,
                )
            }
            (None, _) => Complaint::new(
                fault.diagnostic_code,
                Place::whole_file("(expression)"),
                fault.message,
            ),
        };
        Signal::Fault(complaint.with_help(fault.help).into())
    }

    /// Translates an error of Rhai's own.
    fn translate_error(&self, error: &EvalAltResult) -> StaticFault {
        let code = match error {
            EvalAltResult::ErrorTerminated(..)
            | EvalAltResult::ErrorStackOverflow(..)
            | EvalAltResult::ErrorTooManyOperations(..)
            | EvalAltResult::ErrorDataTooLarge(..) => DiagnosticCode::Limit,
            EvalAltResult::ErrorFunctionNotFound(signature, _) => {
                let name = signature.split(" (").next().unwrap_or(signature).trim();
                let known =
                    verbs::is_verb(name) || !name.chars().all(|c| c.is_alphanumeric() || c == '_');
                if known {
                    DiagnosticCode::Running
                } else {
                    DiagnosticCode::UnknownFunction
                }
            }
            EvalAltResult::ErrorDataRace(..) => {
                let help =
                    "a closure shares what it uses; Rhai itself can't work on that while it runs";
                self.data_race.set(true);
                let message = "a value is used here while a closure holds it".into();
                return StaticFault {
                    diagnostic_code: DiagnosticCode::Running,
                    message,
                    help: help.into(),
                    remedy: None,
                };
            }
            _ => DiagnosticCode::Running,
        };
        StaticFault {
            diagnostic_code: code,
            message: error.to_string().into(),
            help: String::new(),
            remedy: None,
        }
    }

    /// Converts a Rhai value to a machine value.
    pub fn value_of(&self, value: &Dynamic) -> RhaiResult<Value> {
        to_rhai_result(from_dynamic(value, self))
    }
}

impl ClosureOrigins for ReferenceRun {
    fn named(&self, text: &str) -> Value {
        named(text.into(), &self.program.ruleset.game)
    }

    fn register_closure(&self, pointer: &FnPtr) -> u32 {
        let mut closures = self.closures.borrow_mut();
        self.state.borrow_mut().board.meter.add_written(CLOSURE);
        closures.push((pointer.clone(), self.frame()));
        closures.len() as u32 - 1
    }

    fn call_closure(
        self: &Rc<ReferenceRun>,
        engine: &Engine,
        number: usize,
        args: Vec<Dynamic>,
    ) -> RhaiResult {
        let (pointer, home) = self.closures.borrow()[number].clone();
        let above = self.frame();
        let Some(parsed) = home.parsed.clone() else {
            return Ok(Dynamic::UNIT);
        };
        let frame = ReferenceFrame {
            call_depth: above.call_depth,
            is_answer: above.is_answer,
            ..home
        };
        self.in_frame(frame, || pointer.call::<Dynamic>(engine, &parsed.ast, args))
    }
}
