//! A fault caused by `()` names the value that was `()` and its origin.

use crate::common::limited::fault;
use casebook::situation::policy::Policies;

/// The lines fail because of a `()`, and the advice names its origin.
fn origin(lines: &str, functions: &str, expected_texts: &[&str]) {
    let complaint = fault(&format!("    {lines}"), functions, Policies::default());
    assert!(
        complaint.place.span.is_some_and(|span| span.line > 1),
        "{complaint:?}"
    );
    for part in expected_texts {
        assert!(
            complaint.help.contains(part),
            "{lines}: `{part}` is not in `{}`",
            complaint.help
        );
    }
    assert!(
        !complaint.help.contains("reads as ()"),
        "{lines}: {}",
        complaint.help
    );
}

#[test]
fn what_a_situation_leaves_out_is_named() {
    let message =
        "`units` is nothing: this situation doesn't give it; `attack` takes it under `given:`";
    origin("let n = given.units.len();", "", &[message]);
    origin("let all = given; let n = all.units + 1;", "", &[message]);
    origin("for unit in given.units { }", "", &[message]);
    origin("if given.units { }", "", &[message]);
    origin("adjacent(given.units, \"0201\");", "", &[message]);
    origin(
        "let units = given.units; [1, 2].map(|n| n + units);",
        "",
        &[message],
    );
}

#[test]
fn values_passed_on_are_traced_back() {
    let functions = "\nprivate fn more(n) { n + 1 }\n";
    origin(
        "more(given.units);",
        functions,
        &[
            "`n` of `more` was given as ()",
            "1.1-attack.rhai:29; `units` is nothing: this situation",
        ],
    );
    let most = "\nprivate fn most(m) { more(m) }\n";
    origin(
        "most(given.units);",
        &format!("{functions}{most}"),
        &["`n` of `more`", "`m` of `most`", "`units` is nothing"],
    );
}

#[test]
fn figures_keys_and_items_are_named() {
    let foot = "let unit = piece(\"Red foot\"); let leader = unit.under;";
    origin(
        &format!("{foot} leader.strength;"),
        "",
        &[
            "`under` is nothing: Red foot has no such figure set",
            "1.1-attack.rhai:29",
        ],
    );
    origin(
        "let map = #{ one: 1 }; map.two * 3;",
        "",
        &["`two` is nothing: there was no `two`", "1.1-attack.rhai:29"],
    );
    origin(
        "let map = #{ one: 1 }; let key = \"two\"; map[key] * 3;",
        "",
        &["`two` is nothing: there was no such key"],
    );
    origin(
        "let list = [1, (), 3]; list[1] - 3;",
        "",
        &["item 1 of the list is nothing"],
    );
    origin(
        "for n in [1, ()] { n + 1; }",
        "",
        &["an item of the list is nothing"],
    );
}

#[test]
fn functions_and_variables_are_named() {
    let helper = "\nprivate fn no_one(n) { if n > 5 { return 7; } }\n";
    origin(
        "let n = no_one(3); n + 1;",
        helper,
        &[
            "`no_one` returned nothing",
            "1.1-attack.rhai:29, and is defined in",
            "1.1-attack.rhai:57",
        ],
    );
    origin(
        "let n = (); if given.from == \"0101\" { n = 1; } n + 1;",
        "",
        &["it was set to ()", "1.1-attack.rhai:29"],
    );
}

/// If several origins are possible, none is named.
#[test]
fn uncertain_origins_are_not_named() {
    let lines = "    let n = given.units; if given.from == \"0201\" { n = given.side.nix; } n + 1;";
    let complaint = fault(
        &lines.replace("given.side.nix", "#{}.nix"),
        "",
        Policies::default(),
    );
    assert!(complaint.help.contains("reads as ()"), "{complaint:?}");
}
