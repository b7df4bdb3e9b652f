//! Every script and policy ends soon and in little memory, with a complaint at its place.

use crate::common::Says;
use crate::common::limited::{ATTACK, fault, limited};
use casebook::situation::policy::Policies;

#[test]
fn loops_end() {
    limited("    while true { }", "");
    limited("    loop { let x = 1; }", "");
    limited("    for i in 0..9223372036854775807 { let x = i; }", "");
    limited(
        "    let list = [1]; for x in list { for y in 0..4000000000 { let z = y; } }",
        "",
    );
}

/// Every jump back counts as a step, also in a loop without a body.
#[test]
fn loops_without_bodies_end() {
    for lines in [
        "do { } while true;",
        "do { } until false;",
        "do { continue; } while true;",
        "do { let x = 1; } until 1 > 2;",
        "do { } while true && !false;",
        "let n = 1; do { } while n == 1;",
        "while true { continue; }",
        "loop { }",
        "for i in 0..9223372036854775807 { }",
        "let f = || { do { } while true; 1 }; f.call();",
        "[1, 2].map(|n| { do { } while true; n });",
        "let list = [2, 1]; list.sort(|a, b| { do { } until false; true });",
    ] {
        limited(&format!("    {lines}"), "");
    }
}

/// Nested closures of verbs count as calls.
#[test]
fn closures_of_verbs_end() {
    let list = "    let list = []; for i in 0..3000 { list.push(3000 - i); }";
    limited(
        &format!("{list} list.sort(|a, b| {{ let own = list; own.sort(|c, d| c < d); a < b }});"),
        "",
    );
    limited(
        &format!("{list} for i in list {{ for j in list {{ list.reduce(|a, b| b, 0); }} }}"),
        "",
    );
    limited(
        "    let far = 0..9223372036854775807; far.len(); while far.len() > 0 { }",
        "",
    );
}

#[test]
fn calls_end() {
    limited(
        "    deeper(1);",
        "\nprivate fn deeper(n) { 1 + deeper(n + 1) }\n",
    );
    limited(
        "    one(1);",
        "\nprivate fn one(n) { 1 + two(n) }\nprivate fn two(n) { 1 + one(n) }\n",
    );
}

/// Cases that call each other.
#[test]
fn cases_that_ask_each_other_end() {
    limited(
        "    loss_shares([1], odd(1));",
        "\nfn odd(n) { even(n) }\n\nfn even(n) { odd(n) }\n",
    );
}

#[test]
fn growing_values_end() {
    limited("    let text = \"x\"; while true { text += text; }", "");
    limited("    let list = []; while true { list.push(\"x\"); }", "");
    limited("    let list = [1]; while true { list = list + list; }", "");
    limited(
        "    let map = #{}; let n = 0; while true { map[`k${n}`] = n; n += 1; }",
        "",
    );
}

#[test]
fn nesting_ends() {
    limited("    let list = []; while true { list = [list]; }", "");
    limited(
        "    let map = #{}; while true { map = #{ inner: map }; }",
        "",
    );
    let deep = format!("    let n = {}1{};", "(".repeat(5_000), ")".repeat(5_000));
    assert!(!fault(&deep, "", Policies::default()).message.is_empty());
}

/// Closures that call each other.
#[test]
fn closures_end() {
    limited(
        "    let ping = |f, g| f.call(g, f); ping.call(ping, ping);",
        "",
    );
}

#[test]
fn nobody_chooses_among_nothing() {
    let complaint = fault(
        "    choose(given.side, \"nothing\", []);",
        "",
        Policies::default(),
    );
    assert!(complaint.place.span.is_some(), "{complaint:?}");
}

#[test]
fn dice_of_nonsense_are_not_thrown() {
    for dice in [
        "",
        "d",
        "1d0",
        "-1d6",
        "99999999999d6",
        "1d99999999999",
        "1000000d6",
        "6",
        "1d6+",
        "1d6+99999999999999999999",
        "zwei",
    ] {
        let complaint = fault(
            &format!("    roll(\"{dice}\", \"nonsense\");"),
            "",
            Policies::default(),
        );
        assert!(
            complaint.place.path.ends_with(ATTACK),
            "{dice}: {complaint:?}"
        );
    }
}

#[test]
fn a_policy_that_never_returns_is_stopped() {
    for body in [
        "while true { } 1",
        "do { } while true; 1",
        "do { } until false; 1",
        "let f = |f| f.call(f); f.call(f)",
        "let t = \"x\"; while true { t += t; } t",
    ] {
        let typed = [("Red".to_string(), format!("|what, options| {{ {body} }}"))];
        let mut game = casebook::data::manifest::Game::default();
        game.sides = vec!["Red".into(), "Blue".into()];
        let policies = Policies::parse(&typed, &game).expect("a closure");
        let complaint = fault(
            "    choose(given.side, \"anything\", [1, 2]);",
            "",
            policies,
        );
        complaint.message.holds("policy");
    }
}
