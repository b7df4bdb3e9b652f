//! What a procedure is handed, asks and comes to, found in the functions that it reaches.

use crate::code::lower;
use crate::code::program::{Program, Source};
use crate::data::manifest::function_of;
use crate::ruleset::compose::Ruleset;
use crate::syntax::parse;
use crate::syntax::tree::{Asked, Call, Expression, Node, Statement, walk};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A function: its case among those in force, and its place there.
type At = (usize, usize);

/// What a procedure does, as far as its text says.
#[derive(Debug, Default)]
pub struct Carried {
    /// The fields of what it is handed that it looks at; and whether each may be left out.
    pub handed: BTreeMap<String, bool>,
    /// The outcomes it may name; a part in angle brackets stands for a name.
    pub outcomes: BTreeSet<String>,
    /// The questions it may put to a side.
    pub questions: BTreeSet<String>,
    /// What dice may be thrown for.
    pub throws: BTreeSet<String>,
}

/// A part of a text that is put together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Text(String),
    Param(usize),
    Other(String),
}

/// The verbs whose argument is looked for: name, place of the argument.
const VERBS: [(&str, usize); 5] = [("result", 0), ("choose", 1), ("roll", 1), ("hits", 1), ("faces", 1)];

/// Functions that hand a text of theirs on to a verb: for each verb the text, put together of their parameters.
type Passed = BTreeMap<(String, usize), BTreeSet<(usize, Vec<Part>)>>;

/// What the procedure does.
pub fn carried(ruleset: &Arc<Ruleset>, procedure: &str) -> Carried {
    let mut found = Carried { handed: handed(ruleset, procedure), ..Carried::default() };
    let reached = reached(ruleset, procedure);
    let mut passed = Passed::new();
    loop {
        let mut more = false;
        for (case, index) in reached.iter().map(|at| (&ruleset.cases[at.0], at.1)) {
            let function = &case.functions[index];
            let Ok(body) = parse::function(case, index) else { continue };
            let names = Names::new(&function.params, &body);
            calls(&body, &mut |call, before| {
                for (verb, text) in texts(call, before, &names, &passed) {
                    if text.iter().any(|part| matches!(part, Part::Param(_))) {
                        // A function that hands itself its own text on, longer each time, is no news.
                        let known = passed.entry((function.name.clone(), function.arity())).or_default();
                        more |= known.len() < 20 && text.len() < 12 && known.insert((verb, text));
                    } else {
                        more |= list(&mut found, verb).insert(words(&text));
                    }
                }
            });
        }
        if !more {
            return found;
        }
    }
}

fn list(found: &mut Carried, verb: usize) -> &mut BTreeSet<String> {
    match verb {
        0 => &mut found.outcomes,
        1 => &mut found.questions,
        _ => &mut found.throws,
    }
}

fn words(text: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Param(_) => "<...>".into(),
        Part::Other(name) => format!("<{name}>"),
    };
    text.iter().map(part).collect()
}

/// The functions that a procedure can come to.
fn reached(ruleset: &Arc<Ruleset>, procedure: &str) -> Vec<At> {
    let program = Program::new(ruleset.clone());
    let Some(slot) = ruleset.slot(&function_of(procedure), 1) else { return Vec::new() };
    program.number(Source::Answer(slot, 0));
    let mut found = BTreeSet::new();
    let each = |unit: &crate::code::unit::Unit| {
        let case = unit.case?;
        Some((case, ruleset.cases[case].functions.iter().position(|function| function.span == unit.span)?))
    };
    lower::spread(&program, |_| true, |made| found.extend(made.iter().filter_map(|unit| each(unit))));
    found.into_iter().collect()
}

/// What the names of a function stand for: parameters, and variables with what they begin as.
struct Names<'f> {
    params: &'f [String],
    variables: BTreeMap<&'f str, &'f Expression>,
}

impl<'f> Names<'f> {
    fn new(params: &'f [String], body: &'f [Statement]) -> Names<'f> {
        let mut variables = BTreeMap::new();
        walk(body, &mut |node| {
            if let Node::Statement(Statement::Let { name, value, .. }) = node {
                variables.insert(&**name, value);
            }
            true
        });
        Names { params, variables }
    }
}

/// Shows every call of a function, with what stands before the point.
fn calls<'b>(body: &'b [Statement], look: &mut dyn FnMut(&'b Call, Option<&'b Expression>)) {
    walk(body, &mut |node| {
        match node {
            Node::Expression(Expression::Call(call)) => look(call, None),
            Node::Expression(Expression::Chain(chain)) => {
                let mut before = Some(&chain.root);
                for link in &chain.links {
                    if let Asked::Method(call) = &link.asked {
                        look(call, before);
                    }
                    before = None;
                }
            }
            _ => {}
        }
        true
    });
}

/// The arguments of a call: what stands before the point is the first.
fn arguments<'e>(call: &'e Call, before: Option<&'e Expression>) -> Vec<&'e Expression> {
    before.into_iter().chain(&call.args).collect()
}

/// The texts that a call hands to verbs, with the number of the verb's list.
fn texts(call: &Call, before: Option<&Expression>, names: &Names, passed: &Passed) -> Vec<(usize, Vec<Part>)> {
    let args = arguments(call, before);
    let verb = VERBS.iter().position(|(name, place)| *name == &*call.name && args.len() > *place);
    if let Some((number, place)) = verb.map(|number| (number, VERBS[number].1)) {
        return parts(args[place], names, 0).into_iter().map(|text| (number, text)).collect();
    }
    let Some(known) = passed.get(&(call.name.to_string(), args.len())) else { return Vec::new() };
    let filled = |text: &[Part]| -> Option<Vec<Part>> {
        let part = |part: &Part| match part {
            Part::Param(place) => parts(args.get(*place)?, names, 0).into_iter().next(),
            other => Some(vec![other.clone()]),
        };
        Some(text.iter().map(part).collect::<Option<Vec<_>>>()?.concat())
    };
    known.iter().filter_map(|(verb, text)| Some((*verb, filled(text)?))).collect()
}

/// A text put together, in its parts; several where a condition says which.
fn parts(expression: &Expression, names: &Names, depth: usize) -> Vec<Vec<Part>> {
    let joined = |list: &[Expression]| {
        list.iter().fold(vec![Vec::new()], |all, next| {
            let more = parts(next, names, depth + 1);
            all.iter().flat_map(|text: &Vec<Part>| more.iter().map(|end| [&text[..], end].concat())).take(8).collect()
        })
    };
    let named = |name: &str| vec![vec![Part::Other(name.into())]];
    match expression {
        Expression::Text(text, _) => vec![vec![Part::Text(text.to_string())]],
        Expression::Words(list, _) => joined(list),
        Expression::Call(call) if &*call.name == "+" => joined(&call.args),
        Expression::Variable(name, _) => match (names.params.iter().position(|param| **param == **name), names.variables.get(&**name)) {
            (Some(place), _) => vec![vec![Part::Param(place)]],
            (_, Some(value @ (Expression::Text(..) | Expression::Words(..) | Expression::Call(_) | Expression::Block(..))))
                if depth < 4 =>
            {
                let found = parts(value, names, depth + 1);
                let said = found.iter().flatten().any(|part| !matches!(part, Part::Other(_)));
                if said { found } else { named(name) }
            }
            _ => named(name),
        },
        // `if` and `switch` where a value is wanted: each branch ends in one.
        Expression::Block(body, _) => {
            let last = |body: &[Statement]| match body.last() {
                Some(Statement::Value(value)) => parts(value, names, depth + 1),
                _ => Vec::new(),
            };
            match body.last() {
                Some(Statement::If { then, otherwise, .. }) => last(then).into_iter().chain(last(otherwise)).collect(),
                Some(Statement::Switch(switch)) => switch.arms.iter().flat_map(|arm| parts(&arm.value, names, depth + 1)).collect(),
                _ => last(body),
            }
        }
        Expression::Chain(chain) => match (chain.root.variable(), chain.links.last().map(|link| &link.asked)) {
            (Some(root), Some(Asked::Field(field))) if &**field == "name" => named(root),
            (_, Some(Asked::Field(field))) => named(field),
            _ => named("..."),
        },
        Expression::Call(call) => named(&call.name.replace('_', " ")),
        _ => named("..."),
    }
}

/// The fields of what a procedure is handed that it and what it asks look at; and whether each may be left out.
pub fn handed(ruleset: &Ruleset, procedure: &str) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    let mut todo: Vec<(At, usize)> = Vec::new();
    let answers = |name: &str, count: usize| -> Vec<At> {
        let slot = ruleset.slot(name, count).map(|slot| &ruleset.slots[slot]);
        slot.into_iter().flat_map(|slot| &slot.chain).map(|answer| (answer.case, answer.function)).collect()
    };
    todo.extend(answers(&function_of(procedure), 1).into_iter().map(|at| (at, 0)));
    let mut seen = BTreeSet::new();
    while let Some(((case, index), param)) = todo.pop() {
        if !seen.insert((case, index, param)) {
            continue;
        }
        let file = &ruleset.cases[case];
        let Some(given) = file.functions[index].params.get(param) else { continue };
        let is_given = |expression: &Expression| expression.variable() == Some(given);
        let mut note = |name: &str, open: bool| *found.entry(name.to_string()).or_insert(false) |= open;
        let Ok(body) = parse::function(file, index) else { continue };
        let first = |expression: &Expression| match expression {
            Expression::Chain(chain) if is_given(&chain.root) => match &chain.links[0].asked {
                Asked::Field(name) => Some(name.to_string()),
                _ => None,
            },
            _ => None,
        };
        walk(&body, &mut |node| {
            match node {
                Node::Expression(Expression::Else(list, _)) => list.first().and_then(first).into_iter().for_each(|name| note(&name, true)),
                Node::Expression(other) => first(other).into_iter().for_each(|name| note(&name, false)),
                _ => {}
            }
            true
        });
        calls(&body, &mut |call, before| {
            let args = arguments(call, before);
            if let ("asked", [of, Expression::Text(name, _), ..]) = (&*call.name, &args[..])
                && is_given(of)
            {
                note(name, true);
            }
            for (place, _) in args.iter().enumerate().filter(|(_, arg)| is_given(arg)) {
                let own = file.functions.iter().position(|f| f.private && *f.name == *call.name && f.arity() == args.len());
                let asked = own.map_or_else(|| answers(&call.name, args.len()), |own| vec![(case, own)]);
                todo.extend(asked.into_iter().map(|at| (at, place)));
            }
        });
    }
    found
}
