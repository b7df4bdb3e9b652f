//! Runs examples with the dice and answers that they set up, and with exact chances where they request them.

use casebook_analysis::odds::bounds::SearchLimits;
use casebook_analysis::odds::count::count_from_state;
use casebook_analysis::odds::distribution::answer_distribution;
use casebook_analysis::odds::graph::is_complete;
use casebook_engine::code::machine::Machine;
use casebook_engine::code::program::FunctionSource;
use casebook_engine::code::state::{CountRequest, Refusal, State, Stop};
use casebook_engine::complaint::{Complaints, DiagnosticCode};
use casebook_engine::platform::clock::Instant;
use casebook_engine::ruling::choice_source::{ChoiceResult, ChoiceSource};
use casebook_engine::ruling::driver::throw;
use casebook_engine::ruling::resolve::cite_case;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::dice::DiceStream;
use casebook_engine::situation::policy::Policies;
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::{fill_template, value_text};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Memory limit of the counts of an example, in bytes.
const COUNTED: u64 = 256 << 20;

/// Why an example did not complete.
#[derive(Clone, Debug)]
pub enum ExampleFailure {
    /// A rule refused; the text names the reason and the cases.
    Refused(String),
    /// The data have errors.
    Fault(Complaints),
}

/// A completed example.
pub struct TriedExample {
    /// The value of the example.
    pub value: Value,
    /// The final state.
    pub state: State,
    /// The number of prepared dice that were not thrown.
    pub unused_dice: usize,
    /// Prepared answers to questions that were not asked.
    pub unused_answers: Vec<String>,
}

/// Runs a function or an expression as an example, on a board and with answers to choices.
pub fn run_example(
    machine: &mut Machine,
    source: FunctionSource,
    board: Board,
    answers: HashMap<String, Value>,
) -> Result<TriedExample, ExampleFailure> {
    (machine.run_mode.is_example, machine.run_mode.checks_board) = (true, true);
    let mut state = State::new(board);
    state.fixture.answers = answers;
    let policies = Arc::new(Policies::default());
    let ended = machine
        .begin(&mut state, source, Vec::new())
        .map_err(ExampleFailure::Fault)
        .and_then(|()| run_to_end(machine, &mut state, &policies));
    (machine.run_mode.is_example, machine.run_mode.checks_board) = (false, false);
    let value = ended?;
    let asked_questions = policies.asked_questions();
    let is_asked = |given: &str| {
        asked_questions.iter().any(|(question, sides)| {
            given == question
                || sides
                    .iter()
                    .any(|side| given == format!("{side}: {question}"))
        })
    };
    let mut unused_answers: Vec<String> = state
        .fixture
        .own_questions
        .iter()
        .filter(|given| !is_asked(given))
        .cloned()
        .collect();
    unused_answers.sort();
    Ok(TriedExample {
        value,
        unused_dice: state.fixture.unused_dice + state.fixture.dice.unused_dice(),
        unused_answers,
        state,
    })
}

fn run_to_end(
    machine: &mut Machine,
    state: &mut State,
    policies: &Arc<Policies>,
) -> Result<Value, ExampleFailure> {
    loop {
        match machine.run(state) {
            Stop::Throw(throwing) => {
                let mut dice = std::mem::take(&mut state.fixture.dice);
                let thrown =
                    throw(machine, state, &mut dice, &throwing).map_err(ExampleFailure::Fault);
                state.fixture.dice = dice;
                machine.answer_throw(state, &throwing, &thrown?);
            }
            Stop::Choice(choosing) => {
                match choice_source(state, policies)
                    .decide(machine, state, &choosing)
                    .map_err(ExampleFailure::Fault)?
                {
                    ChoiceResult::Taken(picked, source) => {
                        machine.answer_choice(state, &choosing, picked, source)
                    }
                    ChoiceResult::Undecided(_) => {
                        let message = "best, worst and all are found by going through every chance";
                        let complaint = machine.complaint_at_stop(
                            state,
                            DiagnosticCode::Choice,
                            message,
                            "choose an option by name",
                        );
                        return Err(ExampleFailure::Fault(complaint));
                    }
                }
            }
            Stop::Count(counting) => {
                let value = count_closure(machine, state, &counting, policies)
                    .map_err(ExampleFailure::Fault)?;
                state
                    .fixture
                    .chances
                    .extend(value.as_text().map(ToString::to_string));
                machine.answer_stop(state, value);
            }
            Stop::Returned => {}
            Stop::Done(value) => return Ok(value),
            Stop::Refused(refusal) => {
                return Err(ExampleFailure::Refused(refusal_text(
                    &refusal, state, machine,
                )));
            }
            Stop::Failed(complaints) => return Err(ExampleFailure::Fault(complaints)),
        }
    }
}

/// Returns the source of answers to the choices of an example.
fn choice_source(state: &State, policies: &Arc<Policies>) -> ChoiceSource {
    ChoiceSource {
        answers: state.fixture.answers.clone(),
        policies: policies.clone(),
        ..ChoiceSource::default()
    }
}

/// Formats a refusal.
fn refusal_text(refusal: &Refusal, state: &State, machine: &Machine) -> String {
    let cases: Vec<String> = refusal
        .cases
        .iter()
        .map(|case| cite_case(&machine.program.ruleset, *case))
        .collect();
    format!(
        "{} [{}]",
        fill_template(&refusal.template, &refusal.args, &state.board),
        cases.join("; ")
    )
}

/// Counts the outcomes of a closure; returns the chance of a value, or the mean.
fn count_closure(
    machine: &mut Machine,
    state: &State,
    counting: &CountRequest,
    policies: &Arc<Policies>,
) -> Result<Value, Complaints> {
    let started = machine.begin_closure(state, &counting.closure)?;
    let source = choice_source(state, policies);
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    // All counts of an example share the time limit of one run.
    let end = machine
        .deadline
        .unwrap_or_else(|| Instant::now() + machine.time_limit);
    let trace = machine.trace.take();
    let limits = SearchLimits {
        deadline: end,
        memory: COUNTED,
        stop: &never,
        progress: &quiet,
    };
    let counted_graph = count_from_state(machine, started, &source, &limits);
    machine.trace = trace;
    machine.deadline = Some(end);
    let (root, names) = counted_graph?;
    let counted = if is_complete(&root) {
        answer_distribution(&root, &names, end)
    } else {
        Ok(None)
    };
    let counted = counted.map_err(|error| {
        machine.complaint_at_stop(
            state,
            DiagnosticCode::Running,
            error.to_string(),
            "report it, with this example and the data",
        )
    })?;
    let Some(distribution) = counted else {
        let message = format!(
            "this could not be counted in {} seconds and {} MB",
            machine.time_limit.as_secs(),
            COUNTED >> 20
        );
        return Err(machine.complaint_at_stop(
            state,
            DiagnosticCode::Limit,
            message,
            "ask a smaller question",
        ));
    };
    match &counting.value {
        Some(value) => Ok(distribution
            .chance(&value_text(value, &state.board))
            .to_string()
            .into()),
        None => match distribution.mean() {
            Some(mean) => Ok(mean.to_string().into()),
            None => {
                let help = "let the closure return a number";
                Err(machine.complaint_at_stop(
                    state,
                    DiagnosticCode::Running,
                    "a mean is of whole numbers",
                    help,
                ))
            }
        },
    }
}
