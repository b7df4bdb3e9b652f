//! Call analysis on the syntax tree: which helpers a function calls, and whether it calls `prior()`.

use crate::data::case::{Case, CaseFunction};
use crate::syntax::parse;
use crate::syntax::tree::{self, Call, Expression, Link, LinkKind, Statement, TreeNode};

/// The verb that calls the answer of the next older layer.
pub const PRIOR: &str = "prior";
/// The verbs that throw dice or draw, with the argument that says what for.
pub const THROWS: &[(&str, usize)] = &[
    ("roll", 1),
    ("hits", 2),
    ("symbols", 1),
    ("chance_of", 2),
    ("faces", 1),
    ("draw_card", 1),
    ("draw_cards", 2),
    ("peek", 2),
    ("draw_lot", 1),
];
/// The verb that throws dice for their total.
pub const ROLL: &str = "roll";
/// The verb that lists the faces of a throw, and the variable that holds them for a change.
pub const FACES: &str = "faces";
/// The verb that adds a list up.
pub const TOTAL: &str = "total";
/// The verbs that look keys up in a table, with the argument that names it.
pub const LOOK_UPS: &[(&str, usize)] = &[("table", 0), ("row", 0), ("is_known", 0)];
/// The verbs that ask a side, with the argument that says what.
pub const CHOICES: &[(&str, usize)] = &[("choose", 1), ("choose_piece", 1)];
/// The function that implements `in`.
pub const CONTAINS: &str = "contains";

/// Returns the call in a node, and whether it is a method call.
pub fn as_call(node: TreeNode<'_>) -> Option<(&Call, bool)> {
    match node {
        TreeNode::Expression(Expression::Call(call)) => Some((call, false)),
        TreeNode::Link(Link {
            kind: LinkKind::Method(call),
            ..
        }) => Some((call, true)),
        _ => None,
    }
}

/// Stands for a value that a chain has computed so far: no constant.
const INTERMEDIATE: Expression = Expression::Nothing((0, 0));

/// Visits each call of some statements with its arguments, that of a method with its receiver first; says whether it is one.
pub fn visit_calls(body: &[Statement], visit: &mut dyn FnMut(&Call, &[&Expression], bool)) {
    tree::walk(body, &mut |node| {
        match node {
            TreeNode::Expression(Expression::Call(call)) => {
                visit(call, &call.args.iter().collect::<Vec<_>>(), false);
            }
            TreeNode::Expression(Expression::Chain(chain)) => {
                let mut receiver = &chain.root;
                for link in &chain.links {
                    if let LinkKind::Method(call) = &link.kind {
                        let args: Vec<_> = [receiver].into_iter().chain(&call.args).collect();
                        visit(call, &args, true);
                    }
                    receiver = &INTERMEDIATE;
                }
            }
            _ => {}
        }
        true
    });
}

/// Returns the indices of the private functions of a case that some statements call.
fn called_helpers(case: &Case, body: &[Statement]) -> Vec<usize> {
    let mut helpers = Vec::new();
    visit_calls(body, &mut |call, args, _| {
        let is_called =
            |f: &CaseFunction| f.private && f.name == *call.name && f.arity() == args.len();
        helpers.extend(case.functions.iter().position(is_called));
    });
    helpers
}

/// Whether some statements call `prior()` directly.
fn calls_prior(case: &Case, body: &[Statement]) -> bool {
    let mut asks = false;
    tree::walk(body, &mut |node| {
        asks |= as_call(node).is_some_and(|(call, method)| {
            // A helper of the same name takes precedence over the verb.
            let is_helper = || {
                case.functions
                    .iter()
                    .any(|f| f.private && f.name == PRIOR && f.arity() == call.args.len())
            };
            !method && &*call.name == PRIOR && !is_helper()
        });
        !asks
    });
    asks
}

/// Returns the indices of a function and of all helpers it reaches in its file. A function that can't be parsed reaches none.
pub fn reachable_functions(case: &Case, function: usize) -> Vec<usize> {
    let (mut reached, mut next_index) = (vec![function], 0);
    while let Some(index) = reached.get(next_index) {
        let body = parse::function_body(case, *index);
        let called: Vec<usize> = body
            .iter()
            .flat_map(|body| called_helpers(case, body))
            .collect();
        for helper in called {
            if !reached.contains(&helper) {
                reached.push(helper);
            }
        }
        next_index += 1;
    }
    reached
}

/// Whether a function calls `prior()`, directly or through a helper of its file.
pub fn reaches_prior(case: &Case, function: usize) -> bool {
    let mut functions = case.functions.iter().enumerate();
    // Other functions that are not private are none of its helpers.
    if !functions.any(|(index, f)| (f.private || index == function) && f.body.contains(PRIOR)) {
        return false;
    }
    let asks =
        |index: usize| parse::function_body(case, index).is_ok_and(|body| calls_prior(case, &body));
    reachable_functions(case, function).into_iter().any(asks)
}
