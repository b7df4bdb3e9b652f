//! Checks where verbs are used: verbs that change the situation in procedures, verbs that set up boards in examples; and errors that
//! lowering does not detect.

use crate::author::script_vocabulary::CaseScript;
use crate::code::verbs;
use crate::complaint::{Complaints, DiagnosticCode, Fix, Span, edit_distance};
use crate::data::case::{Case, CaseFunction};
use crate::ruleset::compose::Ruleset;
use crate::syntax::calls::{as_call, reachable_functions};
use crate::syntax::tree::{self, Call, Expression, SourcePosition, Statement, TreeNode};
use crate::testing::example;
use std::collections::BTreeSet;

/// Checks a script for errors that lowering does not detect, function by function.
pub fn check_script(ruleset: &Ruleset, script: &CaseScript, all: &mut Complaints) {
    let case = script.case;
    all.0.extend(case.functions.iter().filter_map(|function| example::self_comparison(case, function)));
    for function in case.functions.iter().filter(|f| !f.private && !f.is_example()) {
        // A function may have the name of a built-in of the language, which it shadows.
        if verbs::all().iter().any(|verb| !verb.from_language && verb.name == function.name) {
            let what = format!("`{}` is the name of a verb", function.name);
            all.push(case.complaint(DiagnosticCode::Script, function.name_span, what).with_help("give the function another name"));
        }
    }
    let placing = analyze_placement(case, script);
    for (index, (function, body)) in script.functions().enumerate() {
        tree::walk(body, &mut |node| {
            if let Some((call, method)) = as_call(node)
                && !call.is_operator
            {
                check_placement(ruleset, &placing, (index, function), (call, method), all);
                check_enemy(ruleset, case, (call, method), all);
            }
            match node {
                TreeNode::Statement(Statement::Switch(switch)) if switch.default_arm.is_none() => {
                    let what = "this `switch` has no `_` arm, so a value that no arm names has no answer";
                    all.push(
                        case.complaint(DiagnosticCode::Script, span_at(switch.at, 6), what)
                            .with_help("add `_ => ...`")
                            .with_fix(Fix::AddDefaultArm),
                    );
                }
                _ => {}
            }
            true
        });
    }
}

fn span_at(spot: SourcePosition, length: usize) -> Span {
    Span { line: spot.0.max(1) as usize, column: spot.1.max(1) as usize, length }
}

/// Facts about a case that the check of its verbs needs.
struct VerbPlacement<'c> {
    case: &'c Case,
    /// The functions that only examples reach.
    examples: BTreeSet<usize>,
    /// The keys of maps in its rules: the verbs that set and remove them are the same as for figures of the board.
    keys: BTreeSet<&'c str>,
}

fn analyze_placement<'c>(case: &'c Case, script: &'c CaseScript) -> VerbPlacement<'c> {
    let reach = |example: bool| -> BTreeSet<usize> {
        let of = |(_, function): &(usize, &CaseFunction)| function.is_example() == example && (example || !function.private);
        case.functions.iter().enumerate().filter(of).flat_map(|(index, _)| reachable_functions(case, index)).collect()
    };
    let mut examples: BTreeSet<usize> = reach(true).difference(&reach(false)).copied().collect();
    examples.extend((0..case.functions.len()).filter(|index| case.functions[*index].in_tests()));
    let mut keys = BTreeSet::new();
    for (_, (_, body)) in script.functions().enumerate().filter(|(index, _)| !examples.contains(index)) {
        tree::walk(body, &mut |node| {
            if let TreeNode::Expression(Expression::Map(entries, _)) = node {
                keys.extend(entries.iter().map(|(key, ..)| &**key));
            }
            true
        });
    }
    VerbPlacement { case, examples, keys }
}

/// Reports a verb where it is not allowed.
fn check_placement(
    ruleset: &Ruleset,
    placing: &VerbPlacement,
    within: (usize, &CaseFunction),
    (call, method): (&Call, bool),
    all: &mut Complaints,
) {
    let (case, (index, within)) = (placing.case, within);
    let (name, count) = (&*call.name, call.args.len() + usize::from(method));
    let Some(verb) = verbs::find(name, count).map(|number| verbs::all()[number as usize]) else { return };
    let own = |f: &CaseFunction| f.private && f.name == name && f.arity() == count;
    if placing.examples.contains(&index) || case.functions.iter().any(own) || ruleset.slot(name, count).is_some() {
        return;
    }
    // Lists and maps have verbs of the same names.
    let of_a_map = || {
        let game = &ruleset.game;
        let figure = |text: &str| {
            [&game.attributes, &game.places.attributes, &game.places.side_attributes].iter().any(|l| l.iter().any(|(k, _)| k == text))
        };
        match call.args.get(1 - usize::from(method)) {
            Some(Expression::Text(text, _)) => placing.keys.contains(&**text) || name == "set" && !figure(text),
            _ => true,
        }
    };
    let (what, help) = match verb.allowed_in {
        verbs::AllowedIn::Procedures if case.procedures.is_empty() && !(matches!(name, "set" | "remove") && of_a_map()) => (
            format!("`{name}` changes the situation, and this case is no procedure"),
            "answer with a value and let a procedure act on it, or write `procedure: ...` on the card",
        ),
        verbs::AllowedIn::Examples if resembles_example(&within.name) => {
            (format!("`{}` is no example, and `{name}` is for examples", within.name), "the name of an example begins with `example_`")
        }
        verbs::AllowedIn::Examples => (format!("`{name}` is for examples"), "take it out; only examples set up boards, dice and answers"),
        _ => return,
    };
    all.push(case.complaint(DiagnosticCode::Procedure, span_at(call.at, name.chars().count()), what).with_help(help));
}

/// Reports the verb `enemy` in games with more or fewer than two sides.
fn check_enemy(ruleset: &Ruleset, case: &Case, (call, method): (&Call, bool), all: &mut Complaints) {
    let sides = ruleset.game.sides.len();
    let own = |f: &CaseFunction| f.name == "enemy" && f.arity() == 1;
    let count = call.args.len() + usize::from(method);
    let verb = &*call.name == "enemy" && count == 1 && !case.functions.iter().any(own) && ruleset.slot("enemy", 1).is_none();
    if verb && sides != 2 {
        let what = format!("`enemy` has no meaning in a game of {sides} {}", if sides == 1 { "side" } else { "sides" });
        all.push(case.complaint(DiagnosticCode::Sides, span_at(call.at, "enemy".len()), what).with_help(verbs::ENEMY_HELP));
    }
}

/// Returns whether the name suggests that the function is an example.
fn resembles_example(name: &str) -> bool {
    name.split_once('_').is_some_and(|(first, _)| edit_distance(first, "example") <= 2)
}
