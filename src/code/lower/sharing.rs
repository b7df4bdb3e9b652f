//! Which variables closures share with the function they stand in.
//!
//! A closure that is called where it stands (`list.filter(|u| ...)`) is laid out there and works on the variables themselves. One that is
//! held as a value may be called when they are long gone: what it uses is kept on the board of the ruling, by number.

use crate::code::parse::{Lambda, Parsed};
use rhai::{Expr, FnCallExpr, FnPtr, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Calls that lay their closure out in place.
pub const IN_PLACE: &[&str] = &["filter", "map", "some", "all", "find", "outcome", "expect_refused", "why_refused"];

/// A closure as the parser names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// How many variables it uses of the function it stands in: they are the first of its parameters.
    pub taken: usize,
}

/// The closure that an expression is.
pub fn lambda(expression: &Expr) -> Option<Named> {
    match expression {
        Expr::DynamicConstant(value, _) => {
            value.read_lock::<FnPtr>().map(|pointer| Named { name: pointer.fn_name().to_string(), taken: 0 })
        }
        Expr::Stmt(block) => match block.statements() {
            [Stmt::Share(_), Stmt::Expr(inner)] => match &**inner {
                Expr::FnCall(call, _) if call.name == "curry" => {
                    call.args.first().and_then(lambda).map(|named| Named { taken: call.args.len() - 1, ..named })
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The closure that a call lays out in place, with its place among the arguments as written.
pub fn laid_out(call: &FnCallExpr, method: bool) -> Option<(usize, Named)> {
    if !IN_PLACE.contains(&call.name.as_str()) {
        return None;
    }
    let trial = matches!(call.name.as_str(), "outcome" | "expect_refused" | "why_refused");
    let place = usize::from(!method && !trial);
    Some((place, lambda(call.args.get(place)?)?))
}

/// The variables that closures share which are held as values.
pub fn shared(body: &[Stmt], closures: &BTreeMap<String, Lambda>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut in_place: BTreeSet<*const Expr> = BTreeSet::new();
    let mut look = |expression: &Expr| {
        if let Expr::FnCall(call, _) | Expr::MethodCall(call, _) = expression
            && let Some((place, _)) = laid_out(call, matches!(expression, Expr::MethodCall(..)))
        {
            in_place.insert(&call.args[place]);
        }
        if let Expr::Stmt(block) = expression
            && lambda(expression).is_some()
            && !in_place.contains(&(expression as *const Expr))
            && let Some(Stmt::Share(list)) = block.statements().first()
        {
            names.extend(list.iter().map(|(name, _)| name.name.to_string()));
        }
    };
    statements(body, &mut look);
    closures.values().for_each(|lambda| statements(&lambda.body, &mut look));
    names
}

/// Whether a function asks `prior()` with the arguments it was asked with.
pub fn asks_prior(parsed: &Parsed) -> bool {
    let mut asks = false;
    let mut look = |expression: &Expr| {
        if let Expr::FnCall(call, _) = expression {
            asks |= call.name == "prior" && call.args.is_empty();
        }
    };
    statements(parsed.body(), &mut look);
    parsed.closures.values().for_each(|lambda| statements(&lambda.body, &mut look));
    asks
}

/// Whether working an expression out may change a variable: then what stands before it has to be put aside.
pub fn changes(expression: &Expr) -> bool {
    let mut found = false;
    one(expression, &mut |part| {
        found |= match part {
            Expr::Stmt(_) => lambda(part).is_none(),
            Expr::FnCall(call, _) => changer(&call.name, call.args.len()),
            Expr::MethodCall(call, _) => changer(&call.name, call.args.len() + 1),
            _ => false,
        };
    });
    found
}

fn changer(name: &str, count: usize) -> bool {
    use crate::code::verbs;
    let changes = |verb: &verbs::Verb| matches!(verb.run, verbs::Run::Change(_)) || verb.name == "sort";
    IN_PLACE.contains(&name) || verbs::find(name, count).is_some_and(|number| changes(verbs::all()[number as usize]))
}

/// Shows every expression in some statements, the outer before the inner.
pub fn statements(list: &[Stmt], look: &mut impl FnMut(&Expr)) {
    for statement in list {
        match statement {
            Stmt::If(flow, _) | Stmt::While(flow, _) | Stmt::Do(flow, ..) | Stmt::TryCatch(flow, _) => {
                one(&flow.expr, look);
                statements(flow.body.statements(), look);
                statements(flow.branch.statements(), look);
            }
            Stmt::Switch(switch, _) => {
                one(&switch.0, look);
                for arm in &switch.1.expressions {
                    one(&arm.lhs, look);
                    one(&arm.rhs, look);
                }
            }
            Stmt::For(parts, _) => {
                one(&parts.2.expr, look);
                statements(parts.2.body.statements(), look);
            }
            Stmt::Var(parts, ..) => one(&parts.1, look),
            Stmt::Assignment(parts) => {
                one(&parts.1.lhs, look);
                one(&parts.1.rhs, look);
            }
            Stmt::FnCall(call, position) => one(&Expr::FnCall(call.clone(), *position), look),
            Stmt::Block(block) => statements(block.statements(), look),
            Stmt::Expr(expression) => one(expression, look),
            Stmt::BreakLoop(Some(expression), ..) | Stmt::Return(Some(expression), ..) => one(expression, look),
            _ => {}
        }
    }
}

fn one(expression: &Expr, look: &mut impl FnMut(&Expr)) {
    look(expression);
    match expression {
        Expr::InterpolatedString(list, _) | Expr::Array(list, _) => list.iter().for_each(|part| one(part, look)),
        Expr::Map(parts, _) => parts.0.iter().for_each(|(_, part)| one(part, look)),
        Expr::Stmt(block) => statements(block.statements(), look),
        Expr::FnCall(call, _) | Expr::MethodCall(call, _) => call.args.iter().for_each(|part| one(part, look)),
        Expr::Dot(pair, ..) | Expr::Index(pair, ..) => {
            one(&pair.lhs, look);
            one(&pair.rhs, look);
        }
        Expr::And(list, _) | Expr::Or(list, _) | Expr::Coalesce(list, _) => list.iter().for_each(|part| one(part, look)),
        _ => {}
    }
}
