//! Capture analysis: which variables closures share with their function.
//!
//! A closure at an inlining call (`list.where(|u| ...)`) is inlined and uses the variables directly. A closure value may outlive the
//! frame, so its captured variables live on the board, by id.

use crate::code::verbs;
use crate::syntax::calls::{PRIOR, as_call};
use crate::syntax::tree::{Call, ClosureExpression, Expression, Statement, TreeNode, walk};
use std::collections::BTreeSet;

pub fn inlined_closure(call: &Call, method: bool) -> Option<&ClosureExpression> {
    let index =
        verbs::lookup(&call.name, call.args.len() + usize::from(method))?.inlined_argument()?;
    match call.args.get(index.checked_sub(usize::from(method))?) {
        Some(Expression::Closure(closure)) => Some(closure),
        _ => None,
    }
}

/// Returns the variables captured by closure values.
pub fn captured_variables(body: &[Statement]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut in_place: Vec<&ClosureExpression> = Vec::new();
    walk(body, &mut |node| {
        in_place.extend(as_call(node).and_then(|(call, method)| inlined_closure(call, method)));
        if let TreeNode::Expression(Expression::Closure(closure)) = node
            && !in_place
                .iter()
                .any(|laid_out| std::ptr::eq(*laid_out, &**closure))
        {
            names.extend(closure.captures.iter().map(ToString::to_string));
        }
        true
    });
    names
}

/// Whether a function calls `prior()` without arguments of its own.
pub fn calls_plain_prior(body: &[Statement]) -> bool {
    let mut has_prior = false;
    walk(body, &mut |node| {
        has_prior |= as_call(node)
            .is_some_and(|(call, method)| !method && &*call.name == PRIOR && call.args.is_empty());
        !has_prior
    });
    has_prior
}

/// Whether evaluating an expression may change a variable, so that earlier operands must be copied.
pub fn may_mutate(expression: &Expression) -> bool {
    let mut mutates = false;
    expression.walk(&mut |node| {
        mutates |= matches!(node, TreeNode::Expression(Expression::Block(..)))
            || as_call(node).is_some_and(|(call, method)| {
                is_mutating_call(&call.name, call.args.len() + usize::from(method))
            });
        !mutates && !matches!(node, TreeNode::Expression(Expression::Closure(_)))
    });
    mutates
}

fn is_mutating_call(name: &str, count: usize) -> bool {
    verbs::lookup(name, count)
        .is_some_and(|verb| verb.inlined_argument().is_some() || verb.changes_receiver())
}
