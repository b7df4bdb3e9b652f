//! The machine: runs the code of a ruleset until it must ask.
//!
//! It stops at every throw and every choice, and all that it is stands in a [`State`]. Whoever drives it answers and lets it go on: dice, a
//! person, a journal, a count. No function of a script nests on the stack of the thread, so limits end whatever runs too far.
//!
//! | file | what it is |
//! |---|---|
//! | [`execute`] | what operations reach beyond the registers: verbs, tables, what a path leads to |
//! | [`requests`] | what it stops for, made ready for whoever answers |
//! | [`consulted`] | what runs have read |
//! | [`provenance_tracking`] | where what operations give comes from |
//! | [`memo`] | answers that are known |
//! | [`meter`] | what a run may take: steps, time, and memory |
//! | [`run`] | the operations, one after the other |

mod consulted;
mod execute;
mod memo;
mod meter;
mod provenance_tracking;
mod requests;
mod run;

pub use consulted::Consulted;
pub use meter::{given_fits, measure};
pub use requests::{choice_request, refusal, throw_request};

use crate::code::bytecode::{CompiledFunction, Operation, StaticFault};
use crate::code::context::{ClosureCaller, Fault, RunMode, ThreadCaches, TraceLevel, VerbResult, fault};
use crate::code::lower;
use crate::code::program::{CompileState, FunctionSource, Program};
use crate::code::state::{ChoiceRequest, Frame, State, Stop, ThrowRequest};
use crate::complaint::{Complaint, Complaints, Place};
use crate::situation::cell_key::AccessRecorder;
use crate::situation::dice::Throw;
use crate::situation::meter::Meter;
use crate::situation::trace::{AnswerSource, Event, FunctionCall, MadeChoice, ThrownDice};
use crate::situation::value::{Closure, Value};
use memo::Memo;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Calls and rounds of loops from one throw or choice to the next, at most.
pub const MAX_STEPS: u64 = 2_000_000;
/// Throws and choices of one run, at most.
pub const MAX_STOPS: u32 = 100_000;
/// Seconds that one run may take.
pub const MAX_SECONDS: u64 = 20;
/// Cases that may wait for each other's answers.
pub const MAX_CASE_DEPTH: u16 = 40;
/// Functions that may be under way at once.
pub const MAX_FRAMES: usize = 160;

/// The last step a run may take before it stops again. Where there were too many stops, not a step is left.
fn step_limit(state: &State) -> u64 {
    if state.last_stop.1 > MAX_STOPS { 0 } else { state.last_stop.0 + MAX_STEPS }
}

/// Runs the code of a ruleset. One for each thread.
pub struct Machine {
    /// The code.
    pub program: Arc<Program>,
    /// Units in memory of this thread's own.
    functions: Vec<Option<Rc<CompiledFunction>>>,
    caches: ThreadCaches,
    memo: Memo,
    /// What has happened, where somebody wants to read it.
    pub trace: Option<Vec<Event>>,
    /// How runs are carried out.
    pub run_mode: RunMode,
    /// When the run has to end.
    pub deadline: Option<Instant>,
    /// How long one run may take.
    pub time_limit: Duration,
    /// The units that are being looked through.
    effects_stack: Vec<u32>,
    /// Steps since the clock was read.
    unclocked: u32,
}

/// The machine, within itself: for a verb that calls closures.
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
        self.machine.step(self.state, end)?;
        self.machine.enter_closure(self.state, closure, args, base)?;
        match self.machine.run_to_next_stop(self.state, floor) {
            Stop::Done(value) => Ok(value),
            Stop::Failed(complaints) => Err(Box::new(Fault::Data(complaints))),
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
            functions: Vec::new(),
            caches: ThreadCaches::default(),
            memo: Memo::default(),
            trace: None,
            run_mode: RunMode::default(),
            deadline: None,
            effects_stack: Vec::new(),
            unclocked: 0,
            time_limit: Duration::from_secs(MAX_SECONDS),
        }
    }

    /// Begins to ask a question: the newest answer, or a function as an example.
    pub fn begin(&mut self, state: &mut State, source: FunctionSource, args: Vec<Value>) -> Result<(), Complaints> {
        let number = self.program.function_number(source);
        let code = self.load(number)?;
        state.frames =
            vec![Frame { function: number, pc: 0, base: 0, dst: 0, depth: 0, is_answer: code.answer_slot.is_some(), has_stopped: false }];
        state.registers = args;
        state.registers.resize(code.registers, Value::Nothing);
        state.handlers.clear();
        state.board.meter = Meter::default();
        (state.steps, state.last_stop) = (0, (0, 0));
        if self.trace.is_some() && !self.run_mode.is_example && self.run_mode.trace_level == TraceLevel::Full {
            state.provenance = Some(Box::default());
            state.board.recorder = Some(Box::new(AccessRecorder::logging()));
        }
        self.renew_deadline();
        self.trace_call(state, &code);
        Ok(())
    }

    /// Gives it as much time anew: whoever was asked may have thought for long.
    pub fn renew_deadline(&mut self) {
        self.deadline = Some(Instant::now() + self.time_limit);
    }

    /// Makes ready to go on with a state that another machine has left.
    pub fn resume(&mut self, state: &State) -> Result<(), Complaints> {
        self.renew_deadline();
        state.frames.iter().try_for_each(|frame| self.load(frame.function).map(drop))
    }

    #[inline]
    fn load(&mut self, number: u32) -> Result<Rc<CompiledFunction>, Complaints> {
        let place = number as usize;
        if let Some(Some(code)) = self.functions.get(place) {
            return Ok(code.clone());
        }
        self.load_uncached(number)
    }

    #[cold]
    fn load_uncached(&mut self, number: u32) -> Result<Rc<CompiledFunction>, Complaints> {
        let place = number as usize;
        let unit = match self.program.compile_state(number) {
            Some(CompileState::Ready(unit)) => unit,
            Some(CompileState::Failed(complaints)) => return Err(complaints),
            None => return Err(Complaints::default()),
            Some(CompileState::Pending(source)) => {
                let made = lower::lower_source(&self.program, &source).map(Arc::new);
                self.program.store(number, &made);
                made?
            }
        };
        let code = Rc::new(unit.deep_clone());
        if self.functions.len() <= place {
            self.functions.resize(place + 1, None);
        }
        self.functions[place] = Some(code.clone());
        Ok(code)
    }

    /// Lets go of what nobody will look at again. Where a state has `passed`, only its answer is still to come.
    pub fn clear_dead_registers(&self, state: &mut State, passed: bool) {
        let mut end = 0;
        for (place, frame) in state.frames.iter().enumerate() {
            let Some(Some(code)) = self.functions.get(frame.function as usize) else { return };
            let from = frame.base as usize;
            // The window of a function called begins within its caller's.
            let to = state.frames.get(place + 1).map_or(from + code.registers, |next| next.base as usize);
            let answer = match code.ops.get(frame.pc as usize) {
                Some(Operation::Return { src }) if passed && place + 1 == state.frames.len() => Some(src.register().map(usize::from)),
                _ => None,
            };
            let live = code.live_registers.get_or_init(|| lower::liveness::find_live_registers(code)).get(&frame.pc.wrapping_sub(1));
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
    fn call_trace(&mut self) -> Option<&mut Vec<Event>> {
        self.trace.as_mut().filter(|_| self.run_mode.trace_level != TraceLevel::Output)
    }

    fn trace_call(&mut self, state: &mut State, unit: &CompiledFunction) {
        if let (Some(trace), Some((slot, depth))) = (self.call_trace(), unit.answer_slot) {
            // And that it has answered.
            state.board.meter.wrote(2 * size_of::<Event>() as u64);
            trace.push(Event::Call(FunctionCall::new(slot, depth)));
        }
    }

    /// How much was noted so far; none where nothing is.
    fn trace_len(&self) -> Option<usize> {
        self.trace.as_ref().map(Vec::len)
    }

    /// Answers the stop at which a state waits, and lets it go on from there.
    pub fn answer_stop(&mut self, state: &mut State, value: Value) {
        state.last_stop = (state.steps, state.last_stop.1 + 1);
        state.board.meter.stopped();
        if let Some(frame) = state.frames.last_mut() {
            frame.has_stopped = true;
            let code = self.functions.get(frame.function as usize).and_then(|code| code.as_ref());
            let op = code.and_then(|code| code.ops.get(frame.pc as usize - 1));
            if let Some(Operation::Roll { dst, .. } | Operation::Choose { dst, .. } | Operation::CountOutcomes { dst, .. }) = op {
                let place = frame.base as usize + *dst as usize;
                if state.registers.len() <= place {
                    state.registers.resize(place + 1, Value::Nothing);
                }
                state.registers[place] = value;
            }
        }
    }

    /// Answers a throw.
    pub fn answer_throw(&mut self, state: &mut State, throwing: &ThrowRequest, throw: Throw) {
        self.answer_stop(state, Value::Number(throw.total));
        if let Some(trace) = &mut self.trace {
            let (dice, purpose) = (throwing.notation.clone(), throwing.purpose.clone());
            let event = Event::Throw(Box::new(ThrownDice { dice, purpose, throw }));
            state.board.meter.wrote(event.bytes());
            trace.push(event);
        }
    }

    /// Answers a choice.
    pub fn answer_choice(&mut self, state: &mut State, choosing: &ChoiceRequest, picked: usize, by: AnswerSource) {
        self.answer_stop(state, choosing.options[picked].clone());
        if let Some(trace) = &mut self.trace {
            let ChoiceRequest { side, question: what, options } = choosing.clone();
            let event = Event::Choice(Box::new(MadeChoice { side, question: what, options, chosen_index: picked, answered_by: by }));
            state.board.meter.wrote(event.bytes());
            trace.push(event);
        }
    }

    /// Runs until it must ask, or has come to its end.
    pub fn run(&mut self, state: &mut State) -> Stop {
        self.run_to_next_stop(state, 0)
    }

    /// Enters a closure; its registers begin at `base`.
    fn enter_closure(&mut self, state: &mut State, closure: &Closure, args: Vec<Value>, base: usize) -> VerbResult<()> {
        let code = self.load(closure.function).map_err(|complaints| Box::new(Fault::Data(complaints)))?;
        if args.len() != closure.arity {
            let what = format!("this closure takes {} arguments; it is called with {}", closure.arity, args.len());
            return fault("running", what, "write as many names between the bars as there are arguments");
        }
        let top = state.frames.last().copied();
        self.check_depth(state, top.map_or(0, |frame| frame.depth))?;
        state.registers.truncate(base);
        state.registers.resize(base, Value::Nothing);
        state.registers.extend(closure.captures.iter().map(|shared| Value::Number(i64::from(*shared))).chain(args));
        state.registers.resize(base + code.registers, Value::Nothing);
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

    /// Starts what a closure tries, on a state of its own.
    pub fn begin_closure(&mut self, state: &State, closure: &Closure) -> Result<State, Complaints> {
        let mut own = State { frames: Vec::new(), registers: Vec::new(), handlers: Vec::new(), outcomes: Vec::new(), ..state.clone() };
        let answering = false;
        match self.enter_closure(&mut own, closure, Vec::new(), 0) {
            Ok(()) => {
                own.frames.iter_mut().for_each(|frame| frame.is_answer = answering);
                Ok(own)
            }
            Err(fault) => match *fault {
                Fault::Data(complaints) => Err(complaints),
                Fault::Script(found) => {
                    Err(Complaint::new(found.diagnostic_code, Place::whole_file("(closure)"), found.message).with_help(found.help).into())
                }
            },
        }
    }

    fn check_depth(&self, state: &State, depth: u16) -> VerbResult<()> {
        if depth >= MAX_CASE_DEPTH {
            let what = format!("{MAX_CASE_DEPTH} cases wait for each other's answers");
            return fault("limit", what, "a case asks itself in a circle: look at who calls whom");
        }
        if state.frames.len() >= MAX_FRAMES {
            return fault("limit", "this calls itself without end", "look at what should stop the calls");
        }
        Ok(())
    }

    /// A complaint at the place where a state has stopped.
    pub fn complaint_at_stop(&self, state: &State, law: &'static str, what: impl Into<String>, help: &str) -> Complaints {
        let found = StaticFault { diagnostic_code: law, message: what.into(), help: help.into() };
        let code = state.frames.last().and_then(|frame| self.functions.get(frame.function as usize).cloned().flatten());
        match (code, state.frames.last()) {
            (Some(code), Some(frame)) => self.complaint_at(&code, frame.pc.saturating_sub(1) as usize, found).into(),
            _ => Complaint::new(law, Place::whole_file("(expression)"), found.message).with_help(found.help).into(),
        }
    }

    fn complaint_at(&self, code: &CompiledFunction, pc: usize, found: StaticFault) -> Complaint {
        let spot = code.positions.get(pc).copied().unwrap_or_default();
        // Where nothing is known of the place, it is the function.
        let complaint = match code.case {
            Some(case) => {
                let case = &self.program.ruleset.cases[case];
                let span = if spot.0 == 0 { code.span } else { crate::syntax::parse::word_span(spot, case) };
                case.complaint(found.diagnostic_code, span, found.message)
            }
            None => Complaint::new(found.diagnostic_code, Place::whole_file("(expression)"), found.message),
        };
        complaint.with_help(found.help)
    }

    /// What went wrong, as the author of the case reads it.
    #[cold]
    fn stop_failed(&mut self, code: &CompiledFunction, pc: usize, fault: Fault) -> Stop {
        let found = match fault {
            Fault::Data(complaints) => return Stop::Failed(complaints),
            Fault::Script(found) => found,
        };
        Stop::Failed(self.complaint_at(code, pc, found).into())
    }
}
