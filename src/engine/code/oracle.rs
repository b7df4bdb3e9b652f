//! The door for an oracle: a second evaluator of cases, with which the machine is compared.
//!
//! The tests have one in `tests/oracle`: Rhai's own. It parses functions with `syntax`, evaluates them itself, and takes from this module
//! alone what both have to share for a comparison to mean something: the verbs and what they may touch, the requests for dice and choices,
//! the limits, and the cases that a requirement cites, which are known only to the compiler.

pub use super::bytecode::{BinaryOperator, StaticFault};
pub use super::context::{
    ClosureCaller, Fault, RunMode, ThreadCaches, VerbContext, VerbResult, fault,
};
pub use super::fields::{read_field, read_key};
pub use super::machine::draws::take_drawn;
pub use super::machine::limits::{check_argument, measure_memory};
pub use super::machine::requests::{RandomRequest, choice_request, random_request, refusal};
pub use super::machine::{MAX_CASE_DEPTH, MAX_FRAMES, MAX_SECONDS, Machine};
pub use super::operators::{apply_binary, condition};
pub use super::program::{FunctionSource, Program};
pub use super::state::{ChoiceRequest, Refusal, State, ThrowRequest};
pub use super::verbs;

use super::bytecode::{CONSTANT_BIT, Operand, Operation};
use super::lower::{case_indices, collect_complaints};
use super::program::CompileState;
use crate::syntax::tree::SourcePosition;

/// Returns the cases that the condition of a `require` names, given its case and position. Which of them were consulted in fact, the
/// oracle knows itself.
pub fn requirement_cases(program: &Program, case: usize, at: SourcePosition) -> Vec<usize> {
    let mut named: Vec<usize> = Vec::new();
    collect_complaints(program, &|index| index == case);
    for function in (0..).map_while(|number| program.compile_state(number)) {
        let CompileState::Ready(code) = function else {
            continue;
        };
        if code.case != Some(case) {
            continue;
        }
        let mut lists = Vec::new();
        for (op, position) in code.ops.iter().zip(&code.positions) {
            match op {
                Operation::Copy { dst, src } => lists.push((Operand(*dst), *src)),
                Operation::Refuse { cases, .. } if *position == at => {
                    // Of `a && b` the register holds the list of the last part.
                    let list = lists
                        .iter()
                        .rev()
                        .find(|(register, _)| register.0 == cases.0)
                        .map_or(*cases, |(_, list)| *list);
                    let indices = case_indices(&code.constants[(list.0 & !CONSTANT_BIT) as usize]);
                    named.extend(
                        indices
                            .into_iter()
                            .filter(|case| !named.contains(case))
                            .collect::<Vec<_>>(),
                    );
                }
                _ => {}
            }
        }
    }
    named
}
