//! The virtual machine: runs the functions of a ruleset until it needs an answer.
//!
//! It stops where it needs an answer, and before a function returns that has thrown or asked, so that equal states can be merged. The whole
//! run is in a [`State`]. The driver answers the request and resumes the state: with dice, a person's input, a journal, or every possible
//! outcome. Script calls don't use the native stack, so [`limits`] stops runaway
//! recursion.
//!
//! | file | what it is |
//! |---|---|
//! | [`execute`] | operations that need more than registers: verbs, tables, assignment paths |
//! | [`origins`] | the name of a `()` that caused a fault |
//! | [`draws`] | draws of cards and lots, and what becomes of the cards |
//! | [`requests`] | the requests handed to the driver |
//! | [`consulted`] | the cases, tables and reconstructed figures that runs used |
//! | [`provenance_tracking`] | the data flow rules of provenance, by operation |
//! | [`entry_tracking`] | what a block reads of the registers at its entry, and what it leaves in them |
//! | [`removal`] | what amendments decided |
//! | [`source_names`] | the places and variables of functions, as their source names them |
//! | [`lost_updates`] | changes of copies that no function reads again |
//! | [`live_state`] | what the future of a state that stopped depends on |
//! | [`memo`] | memoization of answers |
//! | [`limits`] | checks the limits on steps, time and memory while a run goes on |
//! | [`value_recorder`] | what the values of one run are made of |
//! | [`run`] | the interpreter loop |

mod consulted;
pub(super) mod draws;
pub mod entry_tracking;
mod execute;
pub(super) mod limits;
pub mod live_state;
pub mod lost_updates;
mod memo;
mod origins;
mod provenance_tracking;
mod removal;
pub(super) mod requests;
mod run;
mod source_names;
pub mod value_recorder;

pub use consulted::Consulted;
pub use limits::MANY_EVENTS;

use crate::code::bytecode::{CompiledFunction, Operation, StaticFault};
use crate::code::context::{
    ClosureCaller, Fault, RunMode, ThreadCaches, TraceDetail, VerbResult, fault,
};
use crate::code::flow::LiveRegisters;
use crate::code::lower;
use crate::code::program::{CompileState, FunctionSource, Program};
use crate::code::state::{ChoiceRequest, Frame, State, Stop, ThrowRequest};
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Message, Place};
use crate::platform::clock::Instant;
use crate::situation::cell_key::AccessRecorder;
use crate::situation::meter::Meter;
use crate::situation::trace::{AnswerSource, Event, FunctionCall, MadeChoice, ThrownDice};
use crate::situation::value::{Closure, Value};
use entry_tracking::EntryTracker;
use lost_updates::UnreadChanges;
use memo::Memo;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use value_recorder::ValueRecorder;

/// Maximum number of calls and loop iterations between two stops.
pub const MAX_STEPS: u64 = 2_000_000;
/// Maximum number of throws and choices in a run.
pub const MAX_STOPS: u32 = 100_000;
/// Default time limit of a run, in seconds.
pub const MAX_SECONDS: u64 = 20;
/// Maximum depth of nested cases.
pub const MAX_CASE_DEPTH: u16 = 40;
/// Maximum number of call frames.
pub const MAX_FRAMES: usize = 160;

/// Returns the step count at which the run fails if it has not stopped by then; 0 if it has had too many stops.
fn step_limit(state: &State) -> u64 {
    if state.last_stop.1 > MAX_STOPS {
        0
    } else {
        state.last_stop.0 + MAX_STEPS
    }
}

/// What a run was cut short by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overrun {
    /// The time of all runs together was up.
    Time,
    /// The run took more memory than this many bytes.
    Memory(u64),
    /// A throw has more outcomes than can be listed.
    Outcomes,
}

/// An interpreter for the functions of a ruleset. Each thread has its own.
pub struct Machine {
    /// The functions.
    pub program: Arc<Program>,
    /// Deep copies of the functions for this thread, by function number.
    functions: Vec<Option<Rc<CompiledFunction>>>,
    caches: ThreadCaches,
    memo: Memo,
    /// The tracker of a block that is being counted.
    pub entry_tracker: Option<Box<EntryTracker>>,
    /// What the values of the run are made of, while it is asked for; the run must be traced with citations.
    pub value_recorder: Option<Box<ValueRecorder>>,
    /// The changes that no function reads, while somebody asks for them.
    pub unread_changes: Option<Box<UnreadChanges>>,
    /// The events recorded so far; `None` if runs are not traced.
    pub trace: Option<Vec<Event>>,
    /// The options of runs.
    pub run_mode: RunMode,
    /// When the current run times out.
    pub deadline: Option<Instant>,
    /// Time limit of a run.
    pub time_limit: Duration,
    /// When all runs end, however much of their own time is left.
    pub end: Option<Instant>,
    /// Why the last run, or the list of how it may go on, was cut short though nothing is wrong with its rules; if it was.
    pub overrun: Option<Overrun>,
    /// Whether a run has read the outcomes that it named.
    pub has_read_outcomes: bool,
    /// The amendment that is left out, as if it weren't there.
    left_out: Option<usize>,
    /// By amendment, a machine that leaves it out.
    without_case: FxHashMap<usize, Box<Machine>>,
    /// Functions whose effects are being computed, the outermost first.
    effects_stack: Vec<u32>,
    /// Steps since the last check of the clock.
    unclocked: u32,
    /// Length of the trace after its calls and reads were merged.
    merged_events: usize,
}

/// The closure caller that a running machine hands to verbs.
struct MachineCaller<'a> {
    machine: &'a mut Machine,
    state: &'a mut State,
    code: Rc<CompiledFunction>,
}

impl ClosureCaller for MachineCaller<'_> {
    fn call(&mut self, closure: &Closure, args: Vec<Value>) -> VerbResult {
        let floor = self.state.frames.len();
        let top = self.state.frames.last().copied();
        let base = top.map_or(0, |frame| frame.base as usize + self.code.registers);
        let end = step_limit(self.state);
        self.machine.count_step(self.state, end)?;
        self.machine
            .enter_closure(self.state, closure, args, base)?;
        match self.machine.run_to_next_stop(self.state, floor) {
            Stop::Done(value) => Ok(value),
            Stop::Failed(complaints) => Err(Box::new(Fault::Data(complaints))),
            Stop::Refused(_) => fault(
                DiagnosticCode::Running,
                "a rule refuses inside a sort comparison",
                "refuse before or after it",
            ),
            _ => fault(
                DiagnosticCode::Running,
                "this closure throws dice or asks a question, but it is called many times",
                "throw and choose before it, and use the result in the closure",
            ),
        }
    }
}

fn live_registers(code: &CompiledFunction) -> &LiveRegisters {
    code.live_registers
        .get_or_init(|| lower::liveness::find_live_registers(code))
}

impl Machine {
    /// Creates a machine for a program.
    pub fn new(program: Arc<Program>) -> Machine {
        Machine {
            program,
            functions: Vec::new(),
            caches: ThreadCaches::default(),
            memo: Memo::default(),
            entry_tracker: None,
            value_recorder: None,
            unread_changes: None,
            trace: None,
            run_mode: RunMode::default(),
            deadline: None,
            left_out: None,
            without_case: FxHashMap::default(),
            effects_stack: Vec::new(),
            unclocked: 0,
            merged_events: 0,
            time_limit: Duration::from_secs(MAX_SECONDS),
            end: None,
            overrun: None,
            has_read_outcomes: false,
        }
    }

    /// Sets up a state to call a function, such as an answer or an example, with these arguments.
    pub fn begin(
        &mut self,
        state: &mut State,
        source: FunctionSource,
        args: Vec<Value>,
    ) -> Result<(), Complaints> {
        let number = self.program.function_number(source);
        let code = self.load(number)?;
        state.frames = vec![Frame {
            function: number,
            pc: 0,
            base: 0,
            dst: 0,
            depth: 0,
            is_answer: code.answer_slot.is_some(),
            has_stopped: false,
        }];
        state.registers = args;
        state.registers.resize(code.registers, Value::Nothing);
        state.handlers.clear();
        state.board.meter = Meter::default();
        (state.steps, state.last_stop) = (0, (0, 0));
        let wants_citations =
            self.trace.is_some() && self.run_mode.trace_detail == TraceDetail::Citations;
        if wants_citations && !self.run_mode.is_example {
            state.provenance = Some(Box::default());
            state.board.recorder = Some(Box::new(AccessRecorder::logging()));
        }
        self.merged_events = 0;
        self.caches.recorded_reads.clear();
        self.renew_deadline();
        self.trace_call(state, &code);
        Ok(())
    }

    /// Restarts the time limit, because an answer from a person may have taken long; returns the time.
    pub fn renew_deadline(&mut self) -> Instant {
        let now = Instant::now();
        let deadline = now + self.time_limit;
        self.deadline = Some(self.end.map_or(deadline, |end| end.min(deadline)));
        now
    }

    /// Prepares to resume a state that another machine has run.
    pub fn resume(&mut self, state: &State) -> Result<(), Complaints> {
        self.renew_deadline();
        state
            .frames
            .iter()
            .try_for_each(|frame| self.load(frame.function).map(drop))
    }

    /// Finds the innermost call of one of these functions: the index of its frame, and its slot. The functions of the state must be loaded.
    fn innermost_call(&self, state: &State, slots: &[usize]) -> Option<(usize, usize)> {
        let slot_of = |frame: &Frame| {
            let code = self.functions.get(frame.function as usize)?.as_ref()?;
            code.answer_slot
                .map(|(slot, _)| slot)
                .filter(|slot| slots.contains(slot))
        };
        state
            .frames
            .iter()
            .enumerate()
            .rev()
            .find_map(|(index, frame)| Some((index, slot_of(frame)?)))
    }

    /// Returns the slot of the innermost of these functions that a state is in, after [`resume`](Machine::resume).
    pub fn innermost_of(&self, state: &State, slots: &[usize]) -> Option<usize> {
        self.innermost_call(state, slots).map(|(_, slot)| slot)
    }

    /// Drops the frames outside the innermost call of one of these functions, so that the run ends where it returns; for runs without a trace.
    /// Returns its slot.
    pub fn end_at_return_of(&self, state: &mut State, slots: &[usize]) -> Option<usize> {
        let (index, slot) = self.innermost_call(state, slots)?;
        // Provenance has frames of its own, which would no longer match.
        self.drop_unused_provenance(state);
        let base = state.frames[index].base;
        state.frames.drain(..index);
        state.frames.iter_mut().for_each(|frame| frame.base -= base);
        state.registers.drain(..base as usize);
        state.handlers.retain(|handler| handler.frames > index);
        state
            .handlers
            .iter_mut()
            .for_each(|handler| handler.frames -= index);
        Some(slot)
    }

    /// Returns a function that can be loaded.
    pub fn loaded(&mut self, number: u32) -> Option<Rc<CompiledFunction>> {
        self.load(number).ok()
    }

    #[inline]
    fn load(&mut self, number: u32) -> Result<Rc<CompiledFunction>, Complaints> {
        let index = number as usize;
        if let Some(Some(code)) = self.functions.get(index) {
            return Ok(code.clone());
        }
        self.load_uncached(number)
    }

    #[cold]
    fn load_uncached(&mut self, number: u32) -> Result<Rc<CompiledFunction>, Complaints> {
        let index = number as usize;
        let function = match self.program.compile_state(number) {
            Some(CompileState::Ready(function)) => function,
            Some(CompileState::Failed(complaints)) => return Err(complaints),
            None => return Err(Complaints::default()),
            Some(CompileState::Pending(source)) => {
                let compiled = lower::lower_source(&self.program, &source).map(Arc::new);
                self.program.store(number, &compiled);
                compiled?
            }
        };
        let code = match self.replacement(&function) {
            Some(code) => code,
            None => Rc::new(function.deep_clone()),
        };
        if self.functions.len() <= index {
            self.functions.resize(index + 1, None);
        }
        self.functions[index] = Some(code.clone());
        Ok(code)
    }

    /// Returns whether calls, reads and lines are recorded.
    fn records_calls(&self) -> bool {
        self.trace.is_some() && self.run_mode.trace_detail >= TraceDetail::Calls
    }

    /// Returns the trace if it is to hold calls.
    fn call_trace(&mut self) -> Option<&mut Vec<Event>> {
        if self.records_calls() {
            self.trace.as_mut()
        } else {
            None
        }
    }

    fn trace_call(&mut self, state: &mut State, function: &CompiledFunction) {
        if let (Some(trace), Some((slot, depth))) = (self.call_trace(), function.answer_slot) {
            // This also charges for the matching return event.
            state.board.meter.add_written(2 * size_of::<Event>() as u64);
            trace.push(Event::Call(FunctionCall::new(slot, depth)));
        }
    }

    /// Counts the answer to a stop, and starts the reads of the next part of the ruling.
    fn note_answer(&mut self, state: &mut State) {
        state.last_stop = (state.steps, state.last_stop.1 + 1);
        state.board.meter.mark_stop();
        self.caches.recorded_reads.clear();
    }

    /// Answers the request at which the state stopped. The state can then be resumed.
    pub fn answer_stop(&mut self, state: &mut State, value: Value) {
        self.note_answer(state);
        if let Some(frame) = state.frames.last_mut() {
            frame.has_stopped = true;
            let (function, stop) = (frame.function, frame.pc as usize - 1);
            // Another machine may have run this state; a function that can't be loaded fails when it is resumed.
            let op = self
                .load(function)
                .ok()
                .and_then(|code| code.ops.get(stop).copied());
            if let Some(
                Operation::Roll { dst, .. }
                | Operation::Choose { dst, .. }
                | Operation::CountOutcomes { dst, .. },
            ) = op
                && let Some(frame) = state.frames.last()
            {
                let index = frame.base as usize + dst as usize;
                if state.registers.len() <= index {
                    state.registers.resize(index + 1, Value::Nothing);
                }
                state.registers[index] = value;
                self.forget_origins(index..index + 1);
            }
        }
    }

    /// Puts the result of a call whose frames were dropped into its register. The state can then be resumed.
    pub fn answer_call(&mut self, state: &mut State, index: usize, value: Value) {
        self.note_answer(state);
        if let Some(caller) = state.frames.last_mut() {
            caller.has_stopped = true;
            // The frame of the call overlapped the end of its caller's.
            let (base, function) = (caller.base as usize, caller.function);
            let registers = self.load(function).map_or(0, |code| code.registers);
            state.registers.resize(
                state.registers.len().max(base + registers).max(index + 1),
                Value::Nothing,
            );
            state.registers[index] = value;
            self.forget_origins(index..index + 1);
        }
    }

    /// Answers a throw with the sides that the dice show, and records it.
    pub fn answer_throw(&mut self, state: &mut State, throwing: &ThrowRequest, thrown: &[u32]) {
        let value = throwing.read(thrown);
        self.answer_stop(state, value.clone());
        if let Some(trace) = &mut self.trace {
            let (dice, purpose) = (throwing.notation.clone(), throwing.purpose.clone());
            let faces = thrown
                .iter()
                .map(|side| throwing.dice.face(*side))
                .collect();
            let seen_by = throwing.seen_by().cloned();
            let event = Event::Throw(Box::new(ThrownDice {
                dice,
                purpose,
                value,
                faces,
                seen_by,
            }));
            state.board.meter.add_written(event.bytes());
            trace.push(event);
        }
    }

    /// Answers a choice and records it. `picked` is the index of the option.
    pub fn answer_choice(
        &mut self,
        state: &mut State,
        request: &ChoiceRequest,
        chosen_index: usize,
        by: AnswerSource,
    ) {
        self.answer_stop(state, request.options[chosen_index].clone());
        if let Some(trace) = &mut self.trace {
            let ChoiceRequest {
                side,
                question,
                options,
            } = request.clone();
            let event = Event::Choice(Box::new(MadeChoice {
                side,
                question,
                options,
                chosen_index,
                answered_by: by,
            }));
            state.board.meter.add_written(event.bytes());
            trace.push(event);
        }
    }

    /// Runs a state until it stops.
    pub fn run(&mut self, state: &mut State) -> Stop {
        self.run_to_next_stop(state, 0)
    }

    /// Pushes a frame for a closure. Its registers begin at `base`.
    fn enter_closure(
        &mut self,
        state: &mut State,
        closure: &Closure,
        args: Vec<Value>,
        base: usize,
    ) -> VerbResult<()> {
        let code = self
            .load(closure.function)
            .map_err(|complaints| Box::new(Fault::Data(complaints)))?;
        if args.len() != closure.arity {
            let message = format!(
                "this closure takes {} arguments; it is called with {}",
                closure.arity,
                args.len()
            );
            return fault(
                DiagnosticCode::Running,
                message,
                "write as many names between the bars as there are arguments",
            );
        }
        let top = state.frames.last().copied();
        self.check_depth(state, top.map_or(0, |frame| frame.depth))?;
        state.registers.truncate(base);
        state.registers.resize(base, Value::Nothing);
        state.registers.extend(
            closure
                .captures
                .iter()
                .map(|shared| Value::Number(i64::from(*shared)))
                .chain(args),
        );
        state
            .registers
            .resize(base + code.registers, Value::Nothing);
        self.forget_origins(base..usize::MAX);
        let answering = top.is_some_and(|frame| frame.is_answer);
        let depth = top.map_or(0, |frame| frame.depth);
        state.frames.push(Frame {
            function: closure.function,
            pc: 0,
            base: base as u32,
            dst: 0,
            depth,
            is_answer: answering,
            has_stopped: false,
        });
        Ok(())
    }

    /// Creates a state that runs a closure on a copy of the board.
    pub fn begin_closure(&mut self, state: &State, closure: &Closure) -> Result<State, Complaints> {
        let mut closure_state = State {
            frames: Vec::new(),
            registers: Vec::new(),
            handlers: Vec::new(),
            outcomes: Vec::new(),
            ..state.clone()
        };
        let answering = false;
        match self.enter_closure(&mut closure_state, closure, Vec::new(), 0) {
            Ok(()) => {
                closure_state
                    .frames
                    .iter_mut()
                    .for_each(|frame| frame.is_answer = answering);
                Ok(closure_state)
            }
            Err(fault) => match *fault {
                Fault::Data(complaints) => Err(complaints),
                Fault::Script(found) => Err(Complaint::new(
                    found.diagnostic_code,
                    Place::whole_file("(closure)"),
                    found.message,
                )
                .with_help(found.help)
                .into()),
            },
        }
    }

    fn check_depth(&self, state: &State, depth: u16) -> VerbResult<()> {
        if depth >= MAX_CASE_DEPTH {
            let message = format!("{MAX_CASE_DEPTH} calls of cases are nested in each other");
            return fault(
                DiagnosticCode::Limit,
                message,
                "find the case that calls itself",
            );
        }
        if state.frames.len() >= MAX_FRAMES {
            return fault(
                DiagnosticCode::Limit,
                "this function calls itself without end",
                "check what should stop the calls",
            );
        }
        Ok(())
    }

    /// Returns a complaint at the position where a state stopped.
    pub fn complaint_at_stop(
        &self,
        state: &State,
        code: DiagnosticCode,
        message: impl Into<Message>,
        help: &str,
    ) -> Complaints {
        let fault = StaticFault {
            diagnostic_code: code,
            message: message.into(),
            help: help.into(),
            remedy: None,
        };
        let function = state.frames.last().and_then(|frame| {
            self.functions
                .get(frame.function as usize)
                .cloned()
                .flatten()
        });
        match (function, state.frames.last()) {
            (Some(function), Some(frame)) => self
                .complaint_at(&function, frame.pc.saturating_sub(1) as usize, fault)
                .into(),
            _ => Complaint::new(code, Place::whole_file("(expression)"), fault.message)
                .with_help(fault.help)
                .into(),
        }
    }

    /// Converts a fault into a stop, with the position in the case.
    #[cold]
    fn stop_failed(
        &mut self,
        state: &State,
        code: &CompiledFunction,
        pc: usize,
        fault: Fault,
    ) -> Stop {
        let mut static_fault = match fault {
            Fault::Data(complaints) => return Stop::Failed(complaints),
            Fault::Script(static_fault) => static_fault,
        };
        if let Some(name) = self.name_of_nothing(state, code, pc) {
            static_fault.help = format!("{name}; {}", static_fault.help);
        }
        Stop::Failed(self.complaint_at(code, pc, static_fault).into())
    }
}
