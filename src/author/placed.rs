//! Verbs where they may stand: what changes the situation in procedures, what sets up boards in examples; and what lowering does not see.

use crate::author::words::Script;
use crate::code::verbs;
use crate::complaint::{Complaints, Span, distance};
use crate::data::case::{Case, Function};
use crate::ruleset::compose::Ruleset;
use crate::syntax::calls::{called, reached};
use crate::syntax::tree::{self, Call, Expression, Node, Spot, Statement};
use crate::testing::example;
use std::collections::BTreeSet;

/// Looks through a script for what lowering does not see: it works on the functions that the reader of the file found.
pub fn looked_through(ruleset: &Ruleset, script: &Script, all: &mut Complaints) {
    let case = script.case;
    all.0.extend(case.functions.iter().filter_map(|function| example::expects_itself(case, function)));
    for function in case.functions.iter().filter(|f| !f.private && !f.is_example()) {
        // A case may be called as something of the language is: it goes before it.
        if verbs::all().iter().any(|verb| !verb.language && verb.name == function.name) {
            let what = format!("`{}` is the name of a verb", function.name);
            all.push(case.complaint("script", function.span, what).help("give the function another name"));
        }
    }
    let placing = placing(case, script);
    for (index, (function, body)) in script.functions().enumerate() {
        tree::walk(body, &mut |node| {
            if let Some((call, method)) = called(node)
                && !call.sign
            {
                misplaced(ruleset, &placing, (index, function), (call, method), all);
                enemy_of_several(ruleset, case, (call, method), all);
            }
            match node {
                Node::Statement(Statement::Switch(switch)) if switch.rest.is_none() => {
                    let what = "this `switch` has no `_` arm: what no arm names would have no answer";
                    all.push(case.complaint("script", at(switch.at, 6), what).help("add `_ => ...`"));
                }
                _ => {}
            }
            true
        });
    }
}

fn at(spot: Spot, length: usize) -> Span {
    Span { line: spot.0.max(1) as usize, column: spot.1.max(1) as usize, length }
}

/// What is known of a case before its verbs are looked at.
struct Placing<'c> {
    case: &'c Case,
    /// The functions that only examples reach.
    examples: BTreeSet<usize>,
    /// The keys of the maps that its rules make: these are set and removed by the same verbs as figures of the board.
    keys: BTreeSet<&'c str>,
}

fn placing<'c>(case: &'c Case, script: &'c Script) -> Placing<'c> {
    let reach = |example: bool| -> BTreeSet<usize> {
        let of = |(_, function): &(usize, &Function)| function.is_example() == example && (example || !function.private);
        case.functions.iter().enumerate().filter(of).flat_map(|(index, _)| reached(case, index)).collect()
    };
    let mut examples: BTreeSet<usize> = reach(true).difference(&reach(false)).copied().collect();
    examples.extend((0..case.functions.len()).filter(|index| case.functions[*index].in_tests()));
    let mut keys = BTreeSet::new();
    for (_, (_, body)) in script.functions().enumerate().filter(|(index, _)| !examples.contains(index)) {
        tree::walk(body, &mut |node| {
            if let Node::Expression(Expression::Map(entries, _)) = node {
                keys.extend(entries.iter().map(|(key, ..)| &**key));
            }
            true
        });
    }
    Placing { case, examples, keys }
}

/// Verbs stand where they may.
fn misplaced(ruleset: &Ruleset, placing: &Placing, within: (usize, &Function), (call, method): (&Call, bool), all: &mut Complaints) {
    let (case, (index, within)) = (placing.case, within);
    let (name, count) = (&*call.name, call.args.len() + usize::from(method));
    let Some(verb) = verbs::find(name, count).map(|number| verbs::all()[number as usize]) else { return };
    let own = |f: &Function| f.private && f.name == name && f.arity() == count;
    if placing.examples.contains(&index) || case.functions.iter().any(own) || ruleset.slot(name, count).is_some() {
        return;
    }
    // Lists and maps, too, are changed by verbs of these names.
    let of_a_map = || {
        let game = &ruleset.game;
        let figure =
            |text: &str| [&game.attributes, &game.places.attributes, &game.places.sides].iter().any(|l| l.iter().any(|(k, _)| k == text));
        match call.args.get(1 - usize::from(method)) {
            Some(Expression::Text(text, _)) => placing.keys.contains(&**text) || name == "set" && !figure(text),
            _ => true,
        }
    };
    let (what, help) = match verb.place {
        verbs::Place::Procedures if case.procedures.is_empty() && !(matches!(name, "set" | "remove") && of_a_map()) => (
            format!("`{name}` changes the situation, and this case is no procedure"),
            "answer with a value and let a procedure act on it, or write `procedure: ...` on the card",
        ),
        verbs::Place::Examples if nearly_an_example(&within.name) => {
            (format!("`{}` is no example, and `{name}` is for examples", within.name), "the name of an example begins with `example_`")
        }
        verbs::Place::Examples => (format!("`{name}` is for examples"), "rules take boards, dice and answers as they come"),
        _ => return,
    };
    all.push(case.complaint("procedure", at(call.at, name.chars().count()), what).help(help));
}

/// The verb `enemy` is asked in games of two sides only.
fn enemy_of_several(ruleset: &Ruleset, case: &Case, (call, method): (&Call, bool), all: &mut Complaints) {
    let sides = ruleset.game.sides.len();
    let own = |f: &Function| f.name == "enemy" && f.arity() == 1;
    let count = call.args.len() + usize::from(method);
    let verb = &*call.name == "enemy" && count == 1 && !case.functions.iter().any(own) && ruleset.slot("enemy", 1).is_none();
    if verb && sides != 2 {
        let what = format!("`enemy` has no meaning in a game of {sides} {}", if sides == 1 { "side" } else { "sides" });
        all.push(case.complaint("sides", at(call.at, "enemy".len()), what).help(verbs::ENEMY_HELP));
    }
}

/// Whether a function seems to be meant for an example.
fn nearly_an_example(name: &str) -> bool {
    name.split_once('_').is_some_and(|(first, _)| distance(first, "example") <= 2)
}
