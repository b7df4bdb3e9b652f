//! What a function answers, where its script shows it: a number, yes or no, a list.

use crate::syntax::tree::{self, Expression, Statement, TreeNode};

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    Number,
    YesNo,
    List,
}

/// Returns what a function answers where it is plain to see, and everywhere the same.
pub fn answer_kind(body: &[Statement]) -> Option<AnswerKind> {
    let mut kinds = Vec::new();
    add_last(body, &mut kinds);
    tree::walk(body, &mut |node| {
        if let TreeNode::Statement(Statement::Return(value, _)) = node {
            match value {
                Some(value) => add_kind(value, &mut kinds),
                None => kinds.push(None),
            }
        }
        !matches!(node, TreeNode::Expression(Expression::Closure(_)))
    });
    // An expression of unknown kind takes the kind of the others: `prior()`, a variable, a chart.
    let known_kinds: Vec<AnswerKind> = kinds.into_iter().flatten().collect();
    let first = *known_kinds.first()?;
    known_kinds
        .iter()
        .all(|kind| *kind == first)
        .then_some(first)
}

fn add_last(block: &[Statement], kinds: &mut Vec<Option<AnswerKind>>) {
    match block.last() {
        Some(Statement::Expression(value)) => add_kind(value, kinds),
        Some(Statement::Block(inner, _)) => add_last(inner, kinds),
        Some(Statement::If {
            then, otherwise, ..
        }) => {
            add_last(then, kinds);
            add_last(otherwise, kinds);
        }
        Some(Statement::Switch(switch)) => switch
            .arms
            .iter()
            .for_each(|arm| add_kind(&arm.value, kinds)),
        _ => {}
    }
}

fn add_kind(value: &Expression, kinds: &mut Vec<Option<AnswerKind>>) {
    kinds.push(match value {
        Expression::Number(..) => Some(AnswerKind::Number),
        Expression::Bool(..) | Expression::And(..) | Expression::Or(..) => Some(AnswerKind::YesNo),
        Expression::List(..) => Some(AnswerKind::List),
        Expression::Block(block, _) => return add_last(block, kinds),
        Expression::Call(call) if call.is_operator => match &*call.name {
            "!" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" => Some(AnswerKind::YesNo),
            "-" | "*" | "/" | "%" => Some(AnswerKind::Number),
            _ => None,
        },
        _ => None,
    });
}
