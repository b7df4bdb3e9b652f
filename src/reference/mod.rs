//! Rhai's own evaluator, running the same cases with the same verbs: what the machine is held against.
//!
//! The machine runs code of ours, lowered from Rhai's tree. That it means what Rhai means is shown here: the same tree is walked by Rhai
//! itself, with Rhai's own operators and its own library for lists, maps, texts and numbers. Verbs are the same functions as the machine's;
//! at the border values of ours become Rhai's and back. Nobody plays with it: Rhai's stack can't stop, so throws and choices are answered
//! where they come, and each call of a case is an evaluation of its own, with a copy of all that crosses the border. That is why it is slow.
//!
//! What differs on purpose:
//!
//! - The wording of faults: each evaluator has its own. Law, line and column are the same, where Rhai knows them.
//! - Limits: Rhai counts what it does in another way. Where one of them ends a run, only that is held against the other.
//! - The line of a `require` that holds: the machine does not make it; Rhai works out all arguments of a call.
//! - A value that a closure uses which is called on it (`list.filter(|n| list.len() > n)`): Rhai can't share it. What came before counts.
//! - Letters: in cases they are texts of one letter; Rhai has a type for them. Lists and maps within a text read as in the lines of a ruling.
//! - Arguments are worked out from left to right; Rhai looks at a variable that stands first when the others are done.
//! - Where a text stands for a closure, Rhai takes it for the name of a function; in cases it is a text.
//! - What the library of Rhai does for values that its verb here doesn't take (`"abc" - "b"`, `max` of texts, flags in order) is a fault.
//! - Dice, choices and faults within the closures of `sort`, `reduce` and `index_of` end the run; Rhai throws, and sorts on.
//! - What a line came from, and doubtful figures that are read for a line nobody makes: for the machine alone to say.
//!
//! | file | what it is |
//! |---|---|
//! | [`driver`] | who answers throws and choices; in a count, every path by itself |
//! | [`conversion`] | values of ours as Rhai holds them, and back |
//! | [`run`] | functions that wait for each other, and where a fault happened |
//! | [`chance`] | throws, choices and counts, where a script comes to them |
//! | [`verbs`] | what a case may call, made known to Rhai |
//! | [`agreement`] | what both tell of a run, and where they part |

pub mod agreement;
mod chance;
mod conversion;
mod driver;
mod run;
mod verbs;

use crate::code::context::RunMode;
use crate::code::machine::{MAX_SECONDS, Machine};
use crate::code::program::{FunctionSource, Program};
use crate::code::state::State;
use crate::complaint::{Complaint, Error, Place};
use crate::ruling::choice_source::ChoiceSource;
use crate::ruling::driver::{EndReason, drive};
use crate::ruling::resolve::ResolveRequest;
use crate::ruling::situation::Situation;
use crate::situation::dice::DiceStream;
use crate::situation::value::Value;
use agreement::RunTranscript;
use driver::Driver;
use rhai::Engine;
use run::{ReferenceFrame, ReferenceRun, Signal};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How much longer it may take than the machine.
const SLOWER: u64 = 6;

/// Rhai's own evaluator for a ruleset. One for each thread, which needs room for deep calls.
pub struct Reference {
    run: Rc<ReferenceRun>,
    engine: Engine,
    /// How long one run may take.
    pub patience: Duration,
}

impl Reference {
    /// An evaluator of a ruleset.
    pub fn new(program: &Arc<Program>) -> Reference {
        let run = Rc::new(ReferenceRun::new(program.clone()));
        Reference { engine: verbs::engine(&run), run, patience: Duration::from_secs(SLOWER * MAX_SECONDS) }
    }

    /// Carries out the procedure of a situation.
    pub fn resolve(&self, situation: &Situation, order: ResolveRequest) -> RunTranscript {
        let decider = situation.choice_source(&order.choices, order.policies);
        let (source, given, board) = situation.entry_call();
        let manner = RunMode { strict: order.strict, ..RunMode::default() };
        self.run_to_end(&source, std::slice::from_ref(given), State::new(board.clone()), manner, (Some(order.stream), decider))
    }

    /// Runs a function or an expression as an example, from a board and with answers to choices.
    #[cfg(feature = "unstable-internals")]
    pub fn run_example(
        &self,
        source: &FunctionSource,
        board: crate::situation::board::Board,
        answers: std::collections::HashMap<String, Value>,
    ) -> RunTranscript {
        let mut state = State::new(board);
        state.fixture.answers = answers;
        self.run_to_end(source, &[], state, RunMode { is_example: true, ..RunMode::default() }, (None, ChoiceSource::default()))
    }

    fn run_to_end(
        &self,
        source: &FunctionSource,
        args: &[Value],
        state: State,
        manner: RunMode,
        (stream, decider): (Option<Box<dyn DiceStream>>, ChoiceSource),
    ) -> RunTranscript {
        let run = &self.run;
        let mut driver = Driver::new(&run.program);
        (driver.stream, driver.choice_source) = (stream, decider);
        run.begin(state, manner, driver, self.patience);
        let args = args.iter().map(|value| conversion::to_dynamic(value, run)).collect();
        let found = run.run_source(&self.engine, source, args).and_then(|value| run.value_of(&value));
        let ended = match found.map_err(|error| run.with_position(&error, &ReferenceFrame::default())) {
            Ok(value) => Ok(EndReason::Done(value)),
            Err(Signal::Refused(refusal)) => Ok(EndReason::Refused(refusal)),
            Err(Signal::Fault(complaints)) => Err(complaints),
            Err(Signal::UnplacedFault(found)) => {
                Err(Complaint::new(found.diagnostic_code, Place::whole_file("(expression)"), found.message).with_help(found.help).into())
            }
        };
        let (state, events) = (run.state.take(), run.trace.take().unwrap_or_default());
        RunTranscript { events, end: ended, board: state.board }
    }
}

/// What the machine tells of a situation.
pub fn run_machine(machine: &mut Machine, situation: &Situation, mut order: ResolveRequest) -> Result<RunTranscript, Error> {
    machine.trace = Some(Vec::new());
    machine.run_mode.strict = order.strict;
    let decider = situation.choice_source(&order.choices, order.policies);
    let mut state = situation.begin(machine)?;
    let ended = drive(machine, &mut state, &mut *order.stream, &decider);
    Ok(RunTranscript { events: machine.trace.take().unwrap_or_default(), end: ended, board: state.board })
}
