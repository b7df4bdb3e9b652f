//! The compiler from syntax tree to bytecode. All names are resolved here.
//!
//! | file | what it is |
//! |---|---|
//! | [`function_builder`] | the function being compiled: registers, variables, constants |
//! | [`flow_graph`] | the control flow, and sets of bits that flow backward |
//! | [`liveness`] | live registers at each possible stop |
//! | [`counters`] | registers that are only added to and reported |
//! | [`effects`] | side effects of an operation beyond its registers |
//! | [`data_flow`] | how values flow through operations, and where branches join |
//! | [`captures`] | variables captured by closure values |
//! | [`statements`] | statements and blocks |
//! | [`expressions`] | expressions and operators |
//! | [`chains`] | chains such as `a.b[c].d(e)`, read and assigned |
//! | [`consulted_cases`] | the cases that a requirement cites |
//! | [`calls`] | calls of cases, helpers and verbs |
//! | [`closures`] | closures, inlined or as values |

mod calls;
mod captures;
mod chains;
mod closures;
mod consulted_cases;
mod counters;
pub mod data_flow;
pub mod effects;
mod expressions;
mod flow_graph;
mod function_builder;
pub mod liveness;
mod statements;

pub use consulted_cases::case_indices;

use crate::code::bytecode::{CompiledFunction, Operation};
use crate::code::program::{CompileState, FunctionSource, Program};
use crate::complaint::{Complaints, DiagnosticCode};
use crate::data::case::Case;
use crate::platform::task;
use crate::syntax::calls::reaches_prior;
use crate::syntax::parse;
use function_builder::FunctionBuilder;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Compiles a function from its source.
pub fn lower_source(
    program: &Program,
    source: &FunctionSource,
) -> Result<CompiledFunction, Complaints> {
    let ruleset = &program.ruleset;
    match source {
        FunctionSource::Answer(slot, depth) => {
            let answer = ruleset.slots[*slot].answers[*depth];
            let mut function = match answer.removed_by {
                Some(by) => removed_function(
                    ruleset.cases[by].as_ref(),
                    &ruleset.slots[*slot].name,
                    ruleset.slots[*slot].arity,
                ),
                None => lower_case_function(
                    program,
                    answer.case,
                    answer.function,
                    Some((*slot, *depth)),
                )?,
            };
            function.answer_slot = Some((*slot, *depth));
            function.case = Some(answer.case);
            function.cited_case = Some(answer.cited_case());
            Ok(function)
        }
        FunctionSource::Helper(case, index, answer_slot) => {
            lower_case_function(program, *case, *index, *answer_slot)
        }
        FunctionSource::Function(case, index) => lower_case_function(program, *case, *index, None),
        FunctionSource::Expression(text, names) => {
            let list: Vec<&str> = names.iter().map(String::as_str).collect();
            FunctionBuilder::new(program, None, None)
                .lower_function(names, &parse::parse_expression(text, &list)?.to_tree())
        }
    }
}

/// Compiles all functions of some cases of a ruleset and collects the errors, including faults that a run may never reach.
pub fn collect_complaints(program: &Program, includes_case: &dyn Fn(usize) -> bool) -> Complaints {
    let mut collected = Complaints::default();
    for (slot, slot_answers) in program.ruleset.slots.iter().enumerate() {
        for (depth, _) in slot_answers
            .answers
            .iter()
            .enumerate()
            .filter(|(_, answer)| includes_case(answer.deciding_case()))
        {
            program.function_number(FunctionSource::Answer(slot, depth));
        }
    }
    let mut answers: FxHashMap<(usize, usize), (usize, usize)> = FxHashMap::default();
    for (slot, slot_answers) in program.ruleset.slots.iter().enumerate() {
        for (depth, answer) in slot_answers.answers.iter().enumerate() {
            answers
                .entry((answer.case, answer.function))
                .or_insert((slot, depth));
        }
    }
    for (case, file) in program
        .ruleset
        .cases
        .iter()
        .enumerate()
        .filter(|(case, _)| includes_case(*case))
    {
        let answer_of = |index: usize| answers.get(&(case, index)).copied();
        let answer_slot = (0..file.functions.len()).find_map(answer_of);
        for (index, function) in file.functions.iter().enumerate() {
            if function.is_example() {
                program.function_number(FunctionSource::Function(case, index));
            } else if function.private {
                program.function_number(FunctionSource::Helper(
                    case,
                    index,
                    answer_slot.filter(|_| reaches_prior(file, index)),
                ));
            }
        }
    }
    let is_of_cases = |source: &FunctionSource| match source {
        FunctionSource::Answer(slot, depth) => {
            includes_case(program.ruleset.slots[*slot].answers[*depth].deciding_case())
        }
        FunctionSource::Helper(case, ..) | FunctionSource::Function(case, _) => {
            includes_case(*case)
        }
        FunctionSource::Expression(..) => true,
    };
    lower_reachable(program, is_of_cases, |compiled| match compiled {
        Err(complaints) => collected.0.extend(complaints.0.iter().cloned()),
        Ok(function) => {
            for (op, position) in function.ops.iter().zip(&function.positions) {
                if let (Operation::Fault { fault }, Some(case), true) =
                    (op, function.case, position.0 > 0)
                {
                    let (fault, file) = (
                        &function.faults[*fault as usize],
                        &program.ruleset.cases[case],
                    );
                    collected.push(
                        file.complaint(
                            fault.diagnostic_code,
                            parse::word_span(*position, file),
                            fault.message.clone(),
                        )
                        .with_help(&fault.help),
                    );
                }
            }
        }
    });
    collected
}

/// Compiles every registered function for which `is_included` holds, and the functions registered meanwhile. Passes each result to `visit`.
pub fn lower_reachable(
    program: &Program,
    is_included: impl Fn(&FunctionSource) -> bool,
    mut visit: impl FnMut(&Result<Arc<CompiledFunction>, Complaints>),
) {
    for number in 0.. {
        match program.compile_state(number) {
            None => break,
            Some(CompileState::Pending(_)) if task::is_over() => break,
            Some(CompileState::Pending(source)) if !is_included(&source) => {}
            Some(_) => visit(&compile(program, number)),
        }
    }
}

/// Compiles a registered function, unless it is compiled already.
pub fn compile(program: &Program, number: u32) -> Result<Arc<CompiledFunction>, Complaints> {
    match program.compile_state(number) {
        Some(CompileState::Ready(function)) => Ok(function),
        Some(CompileState::Failed(complaints)) => Err(complaints),
        Some(CompileState::Pending(source)) => {
            let compiled = lower_source(program, &source).map(Arc::new);
            program.store(number, &compiled);
            compiled
        }
        None => Err(Complaints::default()),
    }
}

fn lower_case_function(
    program: &Program,
    case: usize,
    index: usize,
    answer_slot: Option<(usize, usize)>,
) -> Result<CompiledFunction, Complaints> {
    let file: &Case = &program.ruleset.cases[case];
    let body = parse::function_body(file, index)?;
    let header = &file.functions[index];
    let compiled = FunctionBuilder::new(program, Some(case), answer_slot)
        .lower_function(&header.params, &body)?;
    Ok(CompiledFunction {
        name: header.name.clone(),
        case: Some(case),
        span: header.name_span,
        ..compiled
    })
}

/// Creates the stand-in for a function that was removed, which fails when called.
fn removed_function(by: &Case, name: &str, arity: usize) -> CompiledFunction {
    let message = format!(
        "`{name}` no longer holds: {} {} revises it",
        by.layer, by.number
    );
    let fault = crate::code::bytecode::StaticFault {
        diagnostic_code: DiagnosticCode::Kind,
        message: message.into(),
        help: "answer it in the revision, or do not call it".into(),
        remedy: None,
    };
    CompiledFunction {
        name: name.into(),
        arity,
        registers: arity,
        ops: vec![Operation::Fault { fault: 0 }],
        positions: vec![(0, 0)],
        faults: vec![fault],
        ..CompiledFunction::default()
    }
}
