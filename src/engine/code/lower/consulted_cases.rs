//! The cases that a requirement cites: those whose functions its condition calls, or that gave the variables in it.
//!
//! Provenance can't say them: odds, games and examples run without it and name the case that refused, and rules read it of a refusal that
//! they handle, which must be the same in every run.

use super::calls::ResolvedName;
use super::function_builder::FunctionBuilder;
use crate::code::bytecode::Operand;
use crate::code::program::FunctionSource;
use crate::code::verbs::{self, Iteration, VerbOperation};
use crate::situation::value::Value;
use crate::syntax::parse;
use crate::syntax::tree::{self, Call, Expression, LinkKind, Statement, TreeNode};

/// So many helpers that call each other are looked into.
const MAX_HELPERS: usize = 8;

/// Indices of cases, each once: the outermost call first.
#[derive(Clone, Debug, Default)]
pub struct ConsultedCases(pub Vec<usize>);

impl Extend<usize> for ConsultedCases {
    fn extend<T: IntoIterator<Item = usize>>(&mut self, cases: T) {
        for case in cases {
            if !self.0.contains(&case) {
                self.0.push(case);
            }
        }
    }
}

/// Returns the cases in a list that [`FunctionBuilder::case_list`] made.
pub fn case_indices(list: &Value) -> Vec<usize> {
    list.as_list()
        .map(|list| {
            list.iter()
                .filter_map(Value::as_number)
                .map(|case| case as usize)
                .collect()
        })
        .unwrap_or_default()
}

impl FunctionBuilder<'_> {
    /// Returns the cases that are consulted whenever an expression is evaluated, or whenever it has the value `result`. What is consulted
    /// on one path only is left out: where citations are wanted, provenance knows which path was taken.
    pub fn consulted_cases(&self, expression: &Expression, result: Option<bool>) -> ConsultedCases {
        let mut cases = ConsultedCases::default();
        self.add_consulted(expression, result, &mut cases);
        cases
    }

    /// Returns the operand of a constant list of cases.
    pub fn case_list(&mut self, cases: &ConsultedCases) -> Operand {
        self.constant_operand(
            cases
                .0
                .iter()
                .map(|case| Value::Number(*case as i64))
                .collect(),
        )
    }

    /// Takes the cases from a variable that is given another value, perhaps on one path only.
    pub fn forget_consulted(&mut self, name: &str) {
        if let Some(variable) = self
            .variables
            .iter_mut()
            .rev()
            .find(|variable| variable.name == name)
        {
            variable.consulted = ConsultedCases::default();
        }
    }

    fn add_consulted(
        &self,
        expression: &Expression,
        result: Option<bool>,
        cases: &mut ConsultedCases,
    ) {
        match expression {
            Expression::Variable(name, _) => cases.extend(
                self.find_variable(name)
                    .iter()
                    .flat_map(|variable| &variable.consulted.0)
                    .copied(),
            ),
            // The later parts are evaluated only if the earlier ones don't decide.
            Expression::And(parts, _) | Expression::Or(parts, _) => {
                let decides_together = result == Some(matches!(expression, Expression::And(..)));
                parts[..if decides_together { parts.len() } else { 1 }]
                    .iter()
                    .for_each(|operand| self.add_consulted(operand, result, cases));
            }
            Expression::Coalesce(parts, _) => self.add_consulted(&parts[0], None, cases),
            Expression::Interpolation(list, _) | Expression::List(list, _) => {
                list.iter()
                    .for_each(|operand| self.add_consulted(operand, None, cases));
            }
            Expression::Map(entries, _) => entries
                .iter()
                .for_each(|(.., value)| self.add_consulted(value, None, cases)),
            Expression::Block(body, _) => self.add_statements(body, result, cases),
            Expression::Changed(changed) => {
                self.add_consulted(&changed.value, None, cases);
                cases.extend([changed.by.0]);
            }
            Expression::Call(call) if call.is_operator && &*call.name == "!" => {
                call.args
                    .iter()
                    .for_each(|arg| self.add_consulted(arg, result.map(|result| !result), cases));
            }
            Expression::Call(call) => self.add_call(call, false, result, cases),
            Expression::Chain(chain) => {
                let (last, certain) = (
                    chain.links.len() - 1,
                    chain.links.iter().take_while(|link| !link.is_optional),
                );
                for (index, link) in certain.enumerate() {
                    match &link.kind {
                        LinkKind::Field(_) => {}
                        LinkKind::Key(key) => self.add_consulted(key, None, cases),
                        LinkKind::Method(call) => {
                            self.add_call(call, true, result.filter(|_| index == last), cases)
                        }
                    }
                }
                self.add_consulted(&chain.root, None, cases);
            }
            _ => {}
        }
    }

    /// Adds what statements consult up to the first that may leave them. `result` is the value of the last.
    fn add_statements(&self, body: &[Statement], result: Option<bool>, cases: &mut ConsultedCases) {
        for (index, statement) in body.iter().enumerate() {
            let result = result.filter(|_| index + 1 == body.len());
            match statement {
                Statement::Expression(value) => self.add_consulted(value, result, cases),
                Statement::Let { value, .. } | Statement::Assign { value, .. } => {
                    self.add_consulted(value, None, cases)
                }
                Statement::Block(body, _) => self.add_statements(body, result, cases),
                Statement::If { condition, .. } => self.add_consulted(condition, None, cases),
                Statement::Switch(switch) => self.add_consulted(&switch.scrutinee, None, cases),
                Statement::For { iterable, .. } => self.add_consulted(iterable, None, cases),
                Statement::Return(Some(value), _) => self.add_consulted(value, result, cases),
                _ => {}
            }
            if leaves(statement) {
                break;
            }
        }
    }

    /// Adds the case that a call consults, or what a helper consults, and what the arguments consult.
    fn add_call(
        &self,
        call: &Call,
        method: bool,
        result: Option<bool>,
        cases: &mut ConsultedCases,
    ) {
        let answers = |slot: usize, depth: usize| {
            self.program.ruleset.slots[slot]
                .answers
                .get(depth)
                .map(|answer| answer.cited_case())
        };
        match self.resolve(&call.name, call.args.len() + usize::from(method)) {
            ResolvedName::Function(FunctionSource::Answer(slot, depth)) => {
                cases.extend(answers(slot, depth))
            }
            ResolvedName::Function(FunctionSource::Helper(case, index, within))
                if self.open_helpers.len() < MAX_HELPERS =>
            {
                let mut helper = FunctionBuilder::new(self.program, Some(case), within);
                helper.open_helpers = self.open_helpers.iter().copied().chain([index]).collect();
                if let (false, Ok(body)) = (
                    self.open_helpers.contains(&index),
                    parse::function_body(&self.program.ruleset.cases[case], index),
                ) {
                    helper.add_statements(&body, result, cases);
                }
            }
            ResolvedName::Verb(verb)
                if verbs::all()[verb as usize].form() == Some(VerbOperation::Prior) =>
            {
                cases.extend(
                    self.answer_slot
                        .and_then(|(slot, depth)| answers(slot, depth + 1)),
                );
            }
            _ => {}
        }
        // `some` is true and `all` is false only if the closure was called.
        let iteration = verbs::lookup(&call.name, call.args.len() + usize::from(method))
            .and_then(|verb| verb.iteration);
        let is_called = matches!(
            (iteration, result),
            (Some(Iteration::Some), Some(true)) | (Some(Iteration::All), Some(false))
        );
        for arg in &call.args {
            match arg {
                Expression::Closure(closure) if is_called => {
                    self.add_statements(&closure.body, None, cases)
                }
                arg => self.add_consulted(arg, None, cases),
            }
        }
    }
}

/// Whether a statement may leave its block.
fn leaves(statement: &Statement) -> bool {
    let mut leaves_early = false;
    tree::walk(std::slice::from_ref(statement), &mut |node| {
        leaves_early |= matches!(
            node,
            TreeNode::Statement(Statement::Return(..) | Statement::LoopExit { .. })
        );
        !leaves_early
    });
    leaves_early
}
