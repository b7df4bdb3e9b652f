//! `check` and the program agree on arguments: each verb with every type of literal in every place, called by name and as a method.

use crate::common::Folder;
use casebook::code::verbs::types::{self, TypeSet};
use casebook::code::verbs::{self, AllowedIn, Verb, VerbEffect};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How many calls stand in a file: not all complaints of a file with thousands are kept.
const CALLS_OF_A_FILE: usize = 300;

/// A literal of each type.
const LITERALS: [&str; 8] = ["7", "true", "\"zzz\"", "[1, 2]", "#{ zzz: 1 }", "|a| a", "()", "pieces()"];

/// Arguments whose validity depends on values or on the board, so that only a run shows it.
const BY_VALUE: [(&str, &str); 13] = [
    ("adjacent", "whether a text is a place"),
    ("distance", "whether a text is a place"),
    ("neighbours", "whether a text is a place"),
    ("choose", "whether a list is empty"),
    ("choose_piece", "whether a list is empty"),
    ("piece", "whether a piece has this name"),
    ("parse_int", "whether a text is a number"),
    ("set", "whether a list is empty"),
    ("reduce", "how many parameters a closure has"),
    ("reach", "how many parameters a closure has"),
    ("sort", "how many parameters a closure has"),
    ("draw_lot", "whether a list is empty, and whether dice are set up"),
    ("refuse", "it always ends the run"),
];

/// A literal that a parameter of the type accepts.
fn accepted_literal(accepted: TypeSet) -> &'static str {
    let literals = [
        (types::NUMBER, "1"),
        (types::TEXT, "\"zzz\""),
        (types::FLAG, "true"),
        (types::LIST, "pieces()"),
        (types::MAP, "#{ zzz: 1 }"),
        (types::CLOSURE, "|a| a"),
    ];
    literals.iter().find(|(one, _)| accepted & one != 0).map_or("1", |(_, literal)| literal)
}

/// The calls of a verb in which one argument takes every type, by name and as a method.
fn calls(verb: &'static Verb) -> BTreeMap<String, &'static Verb> {
    let mut calls = BTreeMap::new();
    for count in verb.params.len() - verb.optional..=verb.params.len() {
        for index in 0..count {
            for literal in LITERALS {
                let argument = |i: usize| if i == index { literal } else { accepted_literal(verb.params[i].1) };
                let args: Vec<&str> = (0..count).map(argument).collect();
                calls.insert(format!("{}({})", verb.name, args.join(", ")), verb);
                calls.insert(format!("({}).{}({})", args[0], verb.name, args[1..].join(", ")), verb);
            }
        }
    }
    calls
}

#[test]
fn check_reports_the_arguments_that_fail() {
    // Where `prior` may be asked depends on layers, not on its arguments.
    let verbs = verbs::all().iter().copied().filter(|verb| verb.allowed_in != AllowedIn::Examples && verb.name != "prior");
    let calls: BTreeMap<String, &Verb> = verbs.flat_map(calls).collect();
    let folder = Folder::skirmish();
    let mut lines = BTreeMap::new();
    let texts: Vec<&String> = calls.keys().collect();
    for (part, chunk) in texts.chunks(CALLS_OF_A_FILE).enumerate() {
        let path = format!("rules/skirmish/03-many/many-{part}.rhai");
        let mut text = format!(
            "//! case: many-{part}\n//! title: Of many\n//! kind: rule\n//! source: {{ doc: sheet, at: many }}\n//! text: Ours.\n//! idle: a test\n"
        );
        for (number, call) in chunk.iter().enumerate() {
            let example = format!("example_{part}_{number}");
            text += &format!("\n/// ours\nfn {example}() {{\n    {call};\n    expect(pieces().len(), 0);\n}}\n");
            lines.insert((path.clone(), text.lines().count() as u64 - 2), (example, *call));
        }
        folder.write(&path, &text);
    }
    let json = |args: &[&str]| -> Value { serde_json::from_str(&folder.run(args).out).expect("JSON") };
    let reported: BTreeMap<(String, u64), (String, String)> = json(&["check", "--format", "json"])["complaints"]
        .as_array()
        .expect("complaints")
        .iter()
        .map(|complaint| {
            let text = |key: &str| complaint[key].as_str().unwrap_or_default().to_string();
            let (path, line) = (&complaint["place"]["path"], &complaint["place"]["span"]["line"]);
            ((path.as_str().unwrap_or_default().to_string(), line.as_u64().unwrap_or_default()), (text("law"), text("what")))
        })
        .collect();
    let failed: BTreeMap<String, String> = json(&["test", "--format", "json"])["examples"]
        .as_array()
        .expect("examples")
        .iter()
        .filter_map(|example| Some((example["name"].as_str()?.to_string(), example["complaint"]["what"].as_str()?.to_string())))
        .collect();
    let (mut unreported, mut false_alarms) = (Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    for (line, (example, call)) in &lines {
        let verb = calls[*call];
        match (reported.get(line), failed.get(example)) {
            (None, Some(what)) if BY_VALUE.iter().any(|(name, _)| *name == verb.name) => drop(used.insert((verb.name, what.is_empty()))),
            (None, Some(what)) => unreported.push(format!("{call}: {what}")),
            // Lines of a ruling are not made where nobody reads them, nor the line of a requirement that holds.
            (Some((law, what)), None) if law == "sorts" && verb.effect != VerbEffect::Trace && verb.name != "require" => {
                false_alarms.push(format!("{call}: {what}"));
            }
            _ => {}
        }
    }
    assert!(
        unreported.is_empty(),
        "{} of {} calls fail, and `check` reports nothing:\n{}",
        unreported.len(),
        calls.len(),
        unreported.join("\n")
    );
    assert!(false_alarms.is_empty(), "{} calls run, and `check` reports them:\n{}", false_alarms.len(), false_alarms.join("\n"));
    let unused: Vec<&str> = BY_VALUE.iter().map(|(name, _)| *name).filter(|name| !used.contains(&(*name, false))).collect();
    assert!(unused.is_empty(), "these need no exception: {unused:?}");
}
