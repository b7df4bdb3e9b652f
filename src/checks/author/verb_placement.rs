//! Checks where verbs are used: verbs that change the situation in procedures, verbs that set up boards in examples; and errors that
//! lowering does not detect.

use crate::author::script_vocabulary::{CaseScript, called_verb, span_at};
use crate::testing::example;
use casebook_engine::code::verbs::{self, ResultRule, Role};
use casebook_engine::complaint::{Complaints, DiagnosticCode, Fix, edit_distance};
use casebook_engine::data::case::{Case, CaseFunction};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::syntax::calls::{reachable_functions, visit_calls};
use casebook_engine::syntax::tree::{self, Call, Expression, Statement, TreeNode};
use std::collections::BTreeSet;

/// Checks a script for errors that lowering does not detect, function by function.
pub fn check_script(ruleset: &Ruleset, script: &CaseScript, complaints: &mut Complaints) {
    let case = script.case;
    complaints.0.extend(
        case.functions
            .iter()
            .filter_map(|function| example::self_comparison(case, function)),
    );
    for function in case.functions.iter().filter(|f| f.is_answer()) {
        // A function may have the name of a built-in of the language, which it shadows.
        if verbs::all()
            .iter()
            .any(|verb| !verb.from_language && verb.name == function.name)
        {
            let message = format!("`{}` is the name of a verb", function.name);
            complaints.push(
                case.complaint(DiagnosticCode::Script, function.name_span, message)
                    .with_help("give the function another name"),
            );
        }
    }
    let placing = analyze_placement(case, script);
    for (index, (function, body)) in script.functions().enumerate() {
        visit_calls(body, &mut |call, args, _| {
            if !call.is_operator {
                check_placement(
                    ruleset,
                    &placing,
                    (index, function),
                    (call, args),
                    complaints,
                );
            }
        });
        tree::walk(body, &mut |node| {
            if let TreeNode::Statement(Statement::Switch(switch)) = node
                && switch.default_arm.is_none()
            {
                let message =
                    "this `switch` has no `_` arm, so a value that no arm names has no answer";
                let complaint =
                    case.complaint(DiagnosticCode::Script, span_at(switch.at, 6), message);
                complaints.push(
                    complaint
                        .with_help("add `_ => ...`")
                        .with_fix(Fix::AddDefaultArm),
                );
            }
            true
        });
    }
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
    let functions = || case.functions.iter().enumerate();
    let of_examples = functions()
        .filter(|(_, f)| f.is_example())
        .flat_map(|(index, _)| reachable_functions(case, index));
    let rules = rule_functions(case);
    let mut examples: BTreeSet<usize> =
        of_examples.filter(|index| !rules.contains(index)).collect();
    examples.extend(
        functions()
            .filter(|(_, f)| f.in_tests())
            .map(|(index, _)| index),
    );
    let mut keys = BTreeSet::new();
    for (_, (_, body)) in script
        .functions()
        .enumerate()
        .filter(|(index, _)| !examples.contains(index))
    {
        tree::walk(body, &mut |node| {
            if let TreeNode::Expression(Expression::Map(entries, _)) = node {
                keys.extend(entries.iter().map(|(key, ..)| &**key));
            }
            true
        });
    }
    VerbPlacement {
        case,
        examples,
        keys,
    }
}

/// Reports a verb where it is not allowed, and `enemy` in games with more or fewer than two sides.
fn check_placement(
    ruleset: &Ruleset,
    placing: &VerbPlacement,
    function: (usize, &CaseFunction),
    (call, args): (&Call, &[&Expression]),
    complaints: &mut Complaints,
) {
    let (case, (index, function)) = (placing.case, function);
    let (name, count) = (&*call.name, args.len());
    let Some(verb) = called_verb(ruleset, case, name, count) else {
        return;
    };
    let sides = ruleset.game.sides.len();
    if verb.result == ResultRule::OtherSide && sides != 2 {
        let message = format!(
            "`enemy` has no meaning in a game of {sides} {}",
            if sides == 1 { "side" } else { "sides" }
        );
        complaints.push(
            case.complaint(DiagnosticCode::Sides, span_at(call.at, name.len()), message)
                .with_help(verbs::ENEMY_HELP),
        );
    }
    if placing.examples.contains(&index) {
        return;
    }
    // Lists and maps have verbs of the same names.
    let key = verb
        .params
        .iter()
        .position(|parameter| parameter.role.is_item_key());
    let of_a_map = |index: usize| {
        let figure = |text: &str| ruleset.game.all_attributes().any(|(name, _)| name == text);
        match args.get(index) {
            Some(Expression::Text(text, _)) => {
                placing.keys.contains(&**text)
                    || verb.params[index].role == Role::FigureOrKey && !figure(text)
            }
            _ => true,
        }
    };
    let (message, help) = match verb.allowed_in {
        verbs::AllowedIn::Procedures
            if case.procedures.is_empty() && !key.is_some_and(of_a_map) =>
        {
            (
                format!("`{name}` changes the situation, and this case is not a procedure"),
                "answer with a value and let a procedure act on it, or write `procedure: ...` on the card",
            )
        }
        verbs::AllowedIn::Examples if resembles_example(&function.name) => (
            format!(
                "`{}` is not an example, and `{name}` is for examples",
                function.name
            ),
            "the name of an example begins with `example_`",
        ),
        verbs::AllowedIn::Examples => (
            format!("`{name}` is for examples"),
            "take it out; only examples set up boards, dice and answers",
        ),
        _ => return,
    };
    complaints.push(
        case.complaint(
            DiagnosticCode::Procedure,
            span_at(call.at, name.chars().count()),
            message,
        )
        .with_help(help),
    );
}

/// Returns whether the name suggests that the function is an example.
fn resembles_example(name: &str) -> bool {
    name.split_once('_')
        .is_some_and(|(first, _)| edit_distance(first, "example") <= 2)
}

/// Returns the indices of the functions that are rules: those that answer, and their helpers. Helpers of examples alone are excluded.
fn rule_functions(case: &Case) -> BTreeSet<usize> {
    let answers = (0..case.functions.len()).filter(|index| case.functions[*index].is_answer());
    answers
        .flat_map(|index| reachable_functions(case, index))
        .collect()
}
