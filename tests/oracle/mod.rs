//! A reference evaluator: Rhai itself runs the same cases with the same verbs, and the machine is compared with it.
//!
//! The machine runs bytecode that is lowered from Rhai's syntax tree. This module verifies that the bytecode means the same as in Rhai: the
//! tree is evaluated by Rhai itself, with Rhai's own operators and library for lists, maps, texts and numbers. Verbs are the machine's
//! functions, and values are converted at the boundary. What it takes of `casebook::code` stands in `code::oracle`. Rhai can't suspend, so
//! throws and choices are answered synchronously, and each call of a case is a separate evaluation that copies all values across the
//! boundary, which is slow.
//!
//! The differences are intentional:
//!
//! - The wording of faults differs. Diagnostic code, line and column are equal where Rhai knows them.
//! - Limits differ, because Rhai counts operations in another way. If a limit ends a run, only that fact is compared.
//! - The machine does not build the line of a `require` that holds; Rhai evaluates all arguments of a call.
//! - Rhai can't share a value that a closure captures and that it is called on (`list.filter(|n| list.len() > n)`). Only the events
//!   before are compared.
//! - Letters are texts of length 1 in cases; Rhai has a character type. Lists and maps inside a text are formatted as in the lines of a
//!   ruling.
//! - Arguments are evaluated from left to right; Rhai reads a variable in first position after the others.
//! - A text in place of a closure is a text in cases; Rhai takes it for the name of a function.
//! - Operations of Rhai's library on types that the verb here doesn't accept (`"abc" - "b"`, `max` of texts, sorting booleans) are
//!   faults.
//! - Dice, choices and faults inside the closures of `sort`, `reduce` and `index_of` end the run; Rhai drops them and continues to sort.
//! - A closure that captures the variable of a `for` keeps the value of its turn; in Rhai all turns share one variable.
//! - `continue` in a `do` goes on to its condition; Rhai skips the condition and runs the body again.
//! - The provenance of lines, and reads of reconstructed figures for a line that is not built, are tracked by the machine only.
//!
//! | file | what it is |
//! |---|---|
//! | [`driver`] | answers throws and choices; enumerates paths in a count |
//! | [`conversion`] | converts values between the machine and Rhai |
//! | [`run`] | the call stack of a run, and the positions of faults |
//! | [`chance`] | executes throws, choices and counts |
//! | [`verbs`] | registers the functions that a case may call |
//! | [`agreement`] | compares the transcripts of both evaluators |

pub mod agreement;
mod chance;
mod conversion;
mod driver;
pub mod run;
mod verbs;

use crate::common::Folder;
use crate::common::runner::with_deep_stack;
use agreement::{RunTranscript, compare_transcripts};
use casebook::code::oracle::{FunctionSource, MAX_SECONDS, Machine, Program, RunMode, State};
use casebook::complaint::{Complaint, Complaints, Error, Place};
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::choice_source::ChoiceSource;
use casebook::ruling::driver::{EndReason, drive};
use casebook::ruling::resolve::ResolveRequest;
use casebook::ruling::situation::{EntryCall, Situation};
use casebook::situation::cell_key::AccessRecorder;
use casebook::situation::dice::{DiceStream, SeededDice};
use casebook::situation::value::Value;
use driver::Driver;
use rhai::Engine;
use run::{AnswerRecord, ReferenceFrame, ReferenceRun, Signal};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The time limit relative to that of the machine.
const SLOWER: u64 = 6;

/// The reference evaluator of a ruleset. Each thread needs its own, and a stack large enough for deep calls.
pub struct Reference {
    run: Rc<ReferenceRun>,
    engine: Engine,
    /// The time limit of one run.
    pub patience: Duration,
}

impl Reference {
    /// Creates the evaluator of a ruleset.
    pub fn new(program: &Arc<Program>) -> Reference {
        let run = Rc::new(ReferenceRun::new(program.clone()));
        Reference {
            engine: verbs::engine(&run),
            run,
            patience: Duration::from_secs(SLOWER * MAX_SECONDS),
        }
    }

    /// Runs the procedure of a situation.
    pub fn resolve(&self, situation: &Situation, order: ResolveRequest) -> RunTranscript {
        let choice_source = situation.choice_source(&order.choices, order.policies);
        let EntryCall {
            function: source,
            argument: given,
            board,
        } = situation.entry_call();
        let manner = RunMode {
            strict: order.strict,
            ..RunMode::default()
        };
        self.run_to_end(
            &source,
            std::slice::from_ref(given),
            State::new(board.clone()),
            manner,
            (Some(order.stream), choice_source),
        )
    }

    /// Runs the procedure of a situation and returns what each answer did, by slot and depth.
    pub fn record(
        &self,
        situation: &Situation,
        seed: u64,
    ) -> BTreeMap<(usize, usize), AnswerRecord> {
        let EntryCall {
            function: source,
            argument: given,
            board,
        } = situation.entry_call();
        let mut state = State::new(board.clone());
        state.board.recorder = Some(Box::new(AccessRecorder::logging()));
        let stream = Box::new(SeededDice::new(seed));
        self.run_to_end(
            &source,
            std::slice::from_ref(given),
            state,
            RunMode::default(),
            (Some(stream), situation.choice_source(&[], Arc::default())),
        );
        self.run.records.take()
    }

    /// Runs a function or an expression of an example, on a board and with answers to choices.
    pub fn run_example(
        &self,
        source: &FunctionSource,
        board: casebook::situation::board::Board,
        answers: std::collections::HashMap<String, Value>,
    ) -> RunTranscript {
        let mut state = State::new(board);
        state.fixture.answers = answers;
        self.run_to_end(
            source,
            &[],
            state,
            RunMode {
                is_example: true,
                ..RunMode::default()
            },
            (None, ChoiceSource::default()),
        )
    }

    fn run_to_end(
        &self,
        source: &FunctionSource,
        args: &[Value],
        state: State,
        manner: RunMode,
        (stream, choice_source): (Option<Box<dyn DiceStream>>, ChoiceSource),
    ) -> RunTranscript {
        let run = &self.run;
        let mut driver = Driver::new(&run.program);
        (driver.stream, driver.choice_source) = (stream, choice_source);
        run.begin(state, manner, driver, self.patience);
        let args = args
            .iter()
            .map(|value| conversion::to_dynamic(value, run))
            .collect();
        let result = run
            .run_source(&self.engine, source, args)
            .and_then(|value| run.value_of(&value));
        let ended =
            match result.map_err(|error| run.with_position(&error, &ReferenceFrame::default())) {
                Ok(value) => Ok(EndReason::Done(value)),
                Err(Signal::Refused(refusal)) => Ok(EndReason::Refused(refusal)),
                Err(Signal::Fault(complaints)) => Err(complaints),
                Err(Signal::UnplacedFault(fault)) => Err(Complaint::new(
                    fault.diagnostic_code,
                    Place::whole_file("(expression)"),
                    fault.message,
                )
                .with_help(fault.help)
                .into()),
            };
        let (state, events) = (run.state.take(), run.trace.take().unwrap_or_default());
        RunTranscript {
            events,
            end: ended,
            board: state.board,
            data_race: run.data_race.get(),
        }
    }
}

/// Runs a situation on the machine and returns its transcript.
pub fn run_machine(
    machine: &mut Machine,
    situation: &Situation,
    mut order: ResolveRequest,
) -> Result<RunTranscript, Error> {
    machine.trace = Some(Vec::new());
    machine.run_mode.strict = order.strict;
    let choice_source = situation.choice_source(&order.choices, order.policies);
    let mut state = situation.begin(machine)?;
    let ended = drive(machine, &mut state, &mut *order.stream, &choice_source);
    Ok(RunTranscript {
        events: machine.trace.take().unwrap_or_default(),
        end: ended,
        board: state.board,
        data_race: false,
    })
}

/// Runs the situation of a folder in both evaluators with seed 1. Returns the number of equal events, or the first difference, and how it
/// ends in Rhai's.
pub fn compare_in_folder(
    folder: &Folder,
    game: &str,
    situation: &str,
) -> (Result<u64, String>, Result<EndReason, Complaints>) {
    let (folder, game, situation) = (folder.0.clone(), game.to_string(), situation.to_string());
    with_deep_stack(move || {
        let library = casebook::open(&folder).expect("the folder can be read");
        let situation = Situation::load(&library, &RulesetSpec::new(&game, &[]), &situation)
            .expect("the situation is there");
        let request = || ResolveRequest {
            stream: Box::new(SeededDice::new(1)),
            ..ResolveRequest::default()
        };
        let machine = run_machine(&mut situation.machine(), &situation, request())
            .expect("the situation can begin");
        let rhai = Reference::new(&situation.program).resolve(&situation, request());
        (compare_transcripts(&machine, &rhai), rhai.end)
    })
}
