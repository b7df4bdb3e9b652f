//! Summarises a procedure: the questions and outcomes found in the functions that it reaches.

use casebook_engine::code::lower;
use casebook_engine::code::program::{FunctionSource, Program};
use casebook_engine::code::verbs::{self, Role};
use casebook_engine::data::manifest::function_name;
use casebook_engine::platform::task;
use casebook_engine::syntax::calls::visit_calls;
use casebook_engine::syntax::parse;
use casebook_engine::syntax::tree::{Call, Expression, LinkKind, Statement, TreeNode, walk};
use std::collections::{BTreeMap, BTreeSet};

/// A function: index of its case in the ruleset, and index in the case.
type FunctionAt = (usize, usize);

/// The summary of a procedure, from static analysis.
#[derive(Debug, Default)]
pub struct ProcedureSummary {
    /// The names of possible outcomes; angle brackets mark a variable part.
    pub outcomes: BTreeSet<String>,
    /// The questions that it may ask a side.
    pub questions: BTreeSet<String>,
    /// The reasons for which it may throw dice.
    pub throws: BTreeSet<String>,
}

/// A part of a concatenated text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TextPart {
    Text(String),
    Parameter(usize),
    Other(String),
}

/// The roles of the arguments of verbs that are collected.
const COLLECTED_ROLES: [Role; 3] = [Role::Outcome, Role::Question, Role::Purpose];

/// Functions that pass a text to a verb: per function, the index of its role in [`COLLECTED_ROLES`], and the text as a template of
/// parameters.
type PassedTexts = BTreeMap<(String, usize), BTreeSet<(usize, Vec<TextPart>)>>;

/// Summarises a procedure.
pub fn summarize(program: &Program, procedure: &str) -> ProcedureSummary {
    let mut summary = ProcedureSummary::default();
    let (ruleset, reached) = (&program.ruleset, reachable_functions(program, procedure));
    let mut passed = PassedTexts::new();
    loop {
        let mut has_grown = false;
        for (case, index) in reached.iter().map(|at| (&ruleset.cases[at.0], at.1)) {
            let function = &case.functions[index];
            let Ok(body) = parse::function_body(case, index) else {
                continue;
            };
            let names = LocalNames::new(&function.params, &body);
            visit_calls(&body, &mut |call, args, _| {
                for (role, text) in verb_texts(call, args, &names, &passed) {
                    if text
                        .iter()
                        .any(|part| matches!(part, TextPart::Parameter(_)))
                    {
                        // Ignores recursive functions that pass on an ever longer text.
                        let texts = passed
                            .entry((function.name.clone(), function.arity()))
                            .or_default();
                        has_grown |=
                            texts.len() < 20 && text.len() < 12 && texts.insert((role, text));
                    } else {
                        let list = match role {
                            0 => &mut summary.outcomes,
                            1 => &mut summary.questions,
                            _ => &mut summary.throws,
                        };
                        has_grown |= list.insert(text_pattern(&text));
                    }
                }
            });
        }
        if !has_grown {
            return summary;
        }
    }
}

fn text_pattern(text: &[TextPart]) -> String {
    let part = |part: &TextPart| match part {
        TextPart::Text(text) => text.clone(),
        TextPart::Parameter(_) => "<...>".into(),
        TextPart::Other(name) => format!("<{name}>"),
    };
    text.iter().map(part).collect()
}

fn reachable_functions(program: &Program, procedure: &str) -> BTreeSet<FunctionAt> {
    let ruleset = &program.ruleset;
    let slot = ruleset.slot(&function_name(procedure), 1);
    let mut open: Vec<u32> = slot
        .into_iter()
        .map(|slot| program.function_number(FunctionSource::Answer(slot, 0)))
        .collect();
    let (mut visited, mut functions) = (BTreeSet::new(), BTreeSet::new());
    while let Some(number) = open.pop() {
        if !visited.insert(number) || task::is_over() {
            continue;
        }
        let Ok(unit) = lower::compile(program, number) else {
            continue;
        };
        open.extend(&unit.callees);
        let index = |case: usize| {
            ruleset.cases[case]
                .functions
                .iter()
                .position(|function| function.name_span == unit.span)
        };
        functions.extend(unit.case.and_then(|case| Some((case, index(case)?))));
    }
    functions
}

/// The local names of a function: parameters, and variables with their initial values.
pub struct LocalNames<'f> {
    parameters: &'f [String],
    variables: BTreeMap<&'f str, &'f Expression>,
}

impl<'f> LocalNames<'f> {
    pub fn new(params: &'f [String], body: &'f [Statement]) -> LocalNames<'f> {
        let mut variables = BTreeMap::new();
        walk(body, &mut |node| {
            if let TreeNode::Statement(Statement::Let { name, value, .. }) = node {
                variables.insert(&**name, value);
            }
            true
        });
        LocalNames {
            parameters: params,
            variables,
        }
    }
}

/// Returns the texts that a call passes to verbs, each with the index of its role in [`COLLECTED_ROLES`].
fn verb_texts(
    call: &Call,
    args: &[&Expression],
    names: &LocalNames,
    passed: &PassedTexts,
) -> Vec<(usize, Vec<TextPart>)> {
    if let Some(verb) = verbs::lookup(&call.name, args.len())
        && let Some((number, text)) = COLLECTED_ROLES
            .iter()
            .zip(0..)
            .find_map(|(role, n)| Some((n, args.get(verb.index_of(*role)?)?)))
    {
        return text_parts(text, names, 0)
            .into_iter()
            .map(|text| (number, text))
            .collect();
    }
    let Some(parameter_texts) = passed.get(&(call.name.to_string(), args.len())) else {
        return Vec::new();
    };
    let filled = |text: &[TextPart]| -> Option<Vec<TextPart>> {
        let part = |part: &TextPart| match part {
            TextPart::Parameter(index) => {
                text_parts(args.get(*index)?, names, 0).into_iter().next()
            }
            other => Some(vec![other.clone()]),
        };
        Some(text.iter().map(part).collect::<Option<Vec<_>>>()?.concat())
    };
    parameter_texts
        .iter()
        .filter_map(|(role, text)| Some((*role, filled(text)?)))
        .collect()
}

/// Returns what a text may be, as patterns in which `*` means an unknown part.
pub fn text_patterns(expression: &Expression, names: &LocalNames) -> Vec<String> {
    let part = |part: TextPart| match part {
        TextPart::Text(text) => text,
        TextPart::Parameter(_) | TextPart::Other(_) => "*".into(),
    };
    let texts = text_parts(expression, names, 0).into_iter();
    texts
        .map(|parts| parts.into_iter().map(part).collect())
        .collect()
}

/// Returns the parts of a concatenated text; one list per branch of a condition.
fn text_parts(expression: &Expression, names: &LocalNames, depth: usize) -> Vec<Vec<TextPart>> {
    let joined = |list: &[Expression]| {
        list.iter().fold(vec![Vec::new()], |texts, next| {
            let endings = text_parts(next, names, depth + 1);
            texts
                .iter()
                .flat_map(|text: &Vec<TextPart>| {
                    endings.iter().map(|end| [&text[..], end].concat())
                })
                .take(8)
                .collect()
        })
    };
    let placeholder = |name: &str| vec![vec![TextPart::Other(name.into())]];
    match expression {
        Expression::Text(text, _) => vec![vec![TextPart::Text(text.to_string())]],
        Expression::Interpolation(list, _) => joined(list),
        Expression::Call(call) if &*call.name == "+" => joined(&call.args),
        Expression::Variable(name, _) => {
            match (
                names.parameters.iter().position(|param| **param == **name),
                names.variables.get(&**name),
            ) {
                (Some(index), _) => vec![vec![TextPart::Parameter(index)]],
                (
                    _,
                    Some(
                        value @ (Expression::Text(..)
                        | Expression::Interpolation(..)
                        | Expression::Call(_)
                        | Expression::Block(..)),
                    ),
                ) if depth < 4 => {
                    let parts = text_parts(value, names, depth + 1);
                    let has_text = parts
                        .iter()
                        .flatten()
                        .any(|part| !matches!(part, TextPart::Other(_)));
                    if has_text { parts } else { placeholder(name) }
                }
                _ => placeholder(name),
            }
        }
        // `if` and `switch` as values: each branch ends in one.
        Expression::Block(body, _) => {
            let last = |body: &[Statement]| match body.last() {
                Some(Statement::Expression(value)) => text_parts(value, names, depth + 1),
                _ => Vec::new(),
            };
            match body.last() {
                Some(Statement::If {
                    then, otherwise, ..
                }) => last(then).into_iter().chain(last(otherwise)).collect(),
                Some(Statement::Switch(switch)) => switch
                    .arms
                    .iter()
                    .flat_map(|arm| text_parts(&arm.value, names, depth + 1))
                    .collect(),
                _ => last(body),
            }
        }
        Expression::Chain(chain) => match (
            chain.root.as_variable(),
            chain.links.last().map(|link| &link.kind),
        ) {
            (Some(root), Some(LinkKind::Field(field))) if &**field == "name" => placeholder(root),
            (_, Some(LinkKind::Field(field))) => placeholder(field),
            _ => placeholder("..."),
        },
        Expression::Call(call) => placeholder(&call.name.replace('_', " ")),
        _ => placeholder("..."),
    }
}
