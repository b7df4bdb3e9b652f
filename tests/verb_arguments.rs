//! `check` and the program agree on arguments: each verb with every type of literal in every place, called by name and as a method.

use crate::common::{Folder, Items};
use casebook::code::verbs::types::{self, TypeSet};
use casebook::code::verbs::{self, AllowedIn, Verb, VerbEffect};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How many calls stand in a file: not all complaints of a file with thousands are kept.
const CALLS_OF_A_FILE: usize = 300;

/// A literal of each type.
const LITERALS: [&str; 8] = [
    "7",
    "true",
    "\"zzz\"",
    "[1, 2]",
    "#{ zzz: 1 }",
    "|a| a",
    "()",
    "pieces()",
];

/// Arguments whose validity depends on values or on the board, so that only a run shows it.
const BY_VALUE: [(&str, &str); 15] = [
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
    (
        "draw_lot",
        "whether a list is empty, and whether dice are set up",
    ),
    (
        "chance_of",
        "whether the ways are more than there are, and whether dice are set up",
    ),
    ("clamp", "whether the lowest number is above the highest"),
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
    literals
        .iter()
        .find(|(one, _)| accepted & one != 0)
        .map_or("1", |(_, literal)| literal)
}

/// The calls of a verb in which one argument takes every type, by name and as a method.
fn calls(verb: &'static Verb) -> BTreeMap<String, &'static Verb> {
    let mut calls = BTreeMap::new();
    for count in verb.params.len() - verb.optional..=verb.params.len() {
        for index in 0..count {
            for literal in LITERALS {
                let argument = |i: usize| {
                    if i == index {
                        literal
                    } else {
                        accepted_literal(verb.params[i].types)
                    }
                };
                let args: Vec<&str> = (0..count).map(argument).collect();
                calls.insert(format!("{}({})", verb.name, args.join(", ")), verb);
                calls.insert(
                    format!("({}).{}({})", args[0], verb.name, args[1..].join(", ")),
                    verb,
                );
            }
        }
    }
    calls
}

#[test]
fn check_reports_the_arguments_that_fail() {
    // Where `prior` may be asked depends on layers, not on its arguments.
    let verbs = verbs::all()
        .iter()
        .copied()
        .filter(|verb| verb.allowed_in != AllowedIn::Examples && verb.name != "prior");
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
            text += &format!(
                "\n/// ours\nfn {example}() {{\n    {call};\n    expect(pieces().len(), 0);\n}}\n"
            );
            lines.insert(
                (path.clone(), text.lines().count() as u64 - 2),
                (example, *call),
            );
        }
        folder.write(&path, &text);
    }
    let json =
        |args: &[&str]| -> Value { serde_json::from_str(&folder.run(args).out).expect("JSON") };
    let reported: BTreeMap<(String, u64), (String, String)> = json(&["check", "--format", "json"])
        ["complaints"]
        .items()
        .map(|complaint| {
            let text = |key: &str| complaint[key].as_str().unwrap_or_default().to_string();
            let (path, line) = (
                &complaint["place"]["path"],
                &complaint["place"]["span"]["line"],
            );
            (
                (
                    path.as_str().unwrap_or_default().to_string(),
                    line.as_u64().unwrap_or_default(),
                ),
                (text("code"), text("what")),
            )
        })
        .collect();
    let failed = || -> BTreeMap<String, String> {
        let tested = json(&["test", "--format", "json"]);
        let examples = tested["examples"].as_array().expect("examples");
        let failed = examples.iter().filter_map(|example| {
            let what = example["complaint"]["what"].as_str()?;
            Some((example["name"].as_str()?.to_string(), what.to_string()))
        });
        failed.collect()
    };
    let failed_at_first = failed();
    let (mut unreported, mut false_alarms) = (Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    for (line, (example, call)) in &lines {
        let verb = calls[*call];
        match (reported.get(line), failed_at_first.get(example)) {
            (None, Some(what)) if BY_VALUE.iter().any(|(name, _)| *name == verb.name) => {
                used.insert((verb.name, what.is_empty()));
            }
            (None, Some(what)) => unreported.push(format!("{call}: {what}")),
            // Lines of a ruling are not made where nobody reads them, nor the line of a requirement that holds.
            (Some((code, what)), None)
                if code == "types"
                    && verb.effect != VerbEffect::Trace
                    && verb.name != "require" =>
            {
                false_alarms.push((*call, what));
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
    // The board was empty, so that no closure was given a piece: what runs there is tried where pieces stand.
    let mut text = "//! case: once-more\n//! title: Of many\n//! kind: rule\n//! source: { doc: sheet, at: many }\n//! text: Ours.\n//! idle: a test\n".to_string();
    for (number, (call, _)) in false_alarms.iter().enumerate() {
        text += &format!(
            "\n/// ours\nfn example_again_{number}() {{\n    setup(\"bridge\");\n    {call};\n    expect(true, true);\n}}\n"
        );
    }
    folder.write("rules/skirmish/03-many/once-more.rhai", &text);
    let failed_again = failed();
    let false_alarms: Vec<String> = (0..)
        .zip(false_alarms)
        .filter(|(number, _)| !failed_again.contains_key(&format!("example_again_{number}")))
        .map(|(_, (call, what))| format!("{call}: {what}"))
        .collect();
    assert!(
        false_alarms.is_empty(),
        "{} calls run, and `check` reports them:\n{}",
        false_alarms.len(),
        false_alarms.join("\n")
    );
    let unused: Vec<&str> = BY_VALUE
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !used.contains(&(*name, false)))
        .collect();
    assert!(unused.is_empty(), "these need no exception: {unused:?}");
}

/// Numbers at the ends of what there is, and at those of what calculations of two of them can hold.
const EXTREMES: [i64; 9] = [
    i64::MAX,
    i64::MAX - 1,
    i64::MIN,
    i64::MIN + 1,
    i64::MAX / 2 + 1,
    i64::MIN / 2,
    -1,
    0,
    1,
];

/// Runs one example for each call, and returns by call what was complained of.
fn run_calls(folder: &Folder, calls: &[String]) -> BTreeMap<String, Option<String>> {
    let name = |part: usize, number: usize| format!("example_{part}_{number}");
    for (part, chunk) in calls.chunks(CALLS_OF_A_FILE).enumerate() {
        let head = format!(
            "//! case: many-{part}\n//! title: Of many\n//! kind: rule\n//! source: {{ doc: sheet, at: many }}\n//! text: Ours.\n//! idle: a test\n"
        );
        let example = |(number, call): (usize, &String)| {
            format!(
                "\n/// ours\nfn {}() {{\n    {call}\n    expect(pieces().len(), 0);\n}}\n",
                name(part, number)
            )
        };
        folder.write(
            &format!("rules/skirmish/03-many/many-{part}.rhai"),
            head + &*chunk.iter().enumerate().map(example).collect::<String>(),
        );
    }
    let ran: Value = serde_json::from_str(&folder.run("test --format json").out)
        .expect("no call ends the program");
    let ran = ran["examples"].as_array().expect("examples");
    let complaints: BTreeMap<&str, Option<String>> = ran
        .iter()
        .filter_map(|example| {
            Some((
                example["name"].as_str()?,
                example["complaint"]["what"].as_str().map(String::from),
            ))
        })
        .collect();
    let complaint = |(at, call): (usize, &String)| {
        let name = name(at / CALLS_OF_A_FILE, at % CALLS_OF_A_FILE);
        (
            call.clone(),
            complaints
                .get(name.as_str())
                .unwrap_or_else(|| panic!("{call} was not run"))
                .clone(),
        )
    };
    calls.iter().enumerate().map(complaint).collect()
}

/// A result of a calculation is right, or the calculation complains that numbers can't hold it.
#[test]
fn no_number_is_cut_off_in_silence() {
    type Calculation = fn(i128, i128) -> Option<i128>;
    let calculations: [(&str, Calculation); 14] = [
        ("A + B", |a, b| Some(a + b)),
        ("A - B", |a, b| Some(a - b)),
        ("A * B", |a, b| Some(a * b)),
        ("A / B", |a, b| a.checked_div(b)),
        // The machine refuses what it can't divide, as Rhai does.
        ("A % B", |a, b| {
            a.checked_rem(b).filter(|_| (a, b) != (i64::MIN.into(), -1))
        }),
        ("-A", |a, _| Some(-a)),
        ("abs(A)", |a, _| Some(a.abs())),
        ("percent(A, B)", |a, b| (a * 100).checked_div(b)),
        ("half_up(A)", |a, _| Some(a.div_euclid(2) + a.rem_euclid(2))),
        ("half_down(A)", |a, _| Some(a.div_euclid(2))),
        ("min(A, B)", |a, b| Some(a.min(b))),
        ("max(A, B)", |a, b| Some(a.max(b))),
        ("[A, B].total()", |a, b| Some(a + b)),
        ("(A..B).len()", |a, b| Some((b - a).max(0))),
    ];
    let mut expected = BTreeMap::new();
    for (text, calculate) in calculations {
        for (a, b) in EXTREMES.iter().flat_map(|a| EXTREMES.map(|b| (*a, b))) {
            // The least number can't be written as such: its positive is none.
            let literal = |n: i64| {
                if n == i64::MIN {
                    format!("({} - 1)", n + 1)
                } else {
                    format!("({n})")
                }
            };
            let call = text.replace('A', &literal(a)).replace('B', &literal(b));
            let result =
                calculate(a.into(), b.into()).and_then(|result| i64::try_from(result).ok());
            let check = result.map_or_else(
                || format!("{call};"),
                |result| format!("expect({call}, {});", literal(result)),
            );
            expected.insert(check, (call, result));
        }
    }
    // In odds the greater side is counted in whole multiples of the smaller one, in the defender's favour.
    for (a, b) in EXTREMES
        .iter()
        .flat_map(|a| EXTREMES.map(|b| (*a, b)))
        .filter(|(a, b)| *a > 0 && *b > 0)
    {
        let odds = if a >= b {
            format!("{}:1", a / b)
        } else {
            format!("1:{}", (i128::from(b) + i128::from(a) - 1) / i128::from(a))
        };
        expected.insert(
            format!("expect(odds({a}, {b}), \"{odds}\");"),
            (format!("odds({a}, {b})"), Some(0)),
        );
    }
    let folder = Folder::skirmish();
    let wrong: Vec<String> = run_calls(&folder, &expected.keys().cloned().collect::<Vec<_>>())
        .into_iter()
        .filter_map(|(check, complaint)| match (&expected[&check], complaint) {
            ((_, Some(_)), None) => None,
            ((_, None), Some(what))
                if ["too large for a number", "divided by 0", "of nothing"]
                    .iter()
                    .any(|why| what.contains(why)) =>
            {
                None
            }
            ((call, result), complaint) => Some(format!("{call} is {result:?}: {complaint:?}")),
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        expected.len(),
        wrong.join("\n")
    );
}

/// No verb ends the program, or takes long, for the size of a number.
#[test]
fn verbs_take_numbers_of_any_size() {
    let mut calls = BTreeSet::new();
    for verb in verbs::all()
        .iter()
        .filter(|verb| verb.allowed_in != AllowedIn::Examples && verb.name != "prior")
    {
        for count in verb.params.len() - verb.optional..=verb.params.len() {
            for index in (0..count).filter(|index| verb.params[*index].types & types::NUMBER != 0) {
                for extreme in [i64::MAX, i64::MIN + 1, -1] {
                    let argument = |i: usize| {
                        if i == index {
                            format!("({extreme})")
                        } else {
                            accepted_literal(verb.params[i].types).into()
                        }
                    };
                    let args: Vec<String> = (0..count).map(argument).collect();
                    calls.insert(format!("{}({});", verb.name, args.join(", ")));
                }
            }
            for range in [
                "0..9223372036854775807",
                "(-9223372036854775807)..9223372036854775807",
            ] {
                for index in
                    (0..count).filter(|index| verb.params[*index].types & types::RANGE != 0)
                {
                    let argument = |i: usize| {
                        if i == index {
                            format!("({range})")
                        } else {
                            accepted_literal(verb.params[i].types).into()
                        }
                    };
                    calls.insert(format!(
                        "{}({});",
                        verb.name,
                        (0..count).map(argument).collect::<Vec<_>>().join(", ")
                    ));
                }
            }
        }
    }
    let calls: Vec<String> = calls.into_iter().collect();
    let ran = run_calls(&Folder::skirmish(), &calls);
    assert!(ran.len() > 100, "{}", ran.len());
    let held = ran.values().filter(|complaint| complaint.is_none()).count();
    assert!(held > 30, "{held} of {} run: {ran:?}", ran.len());
    let wrong: Vec<_> = ran
        .iter()
        .filter(|(_, complaint)| {
            complaint
                .as_ref()
                .is_some_and(|what| what.contains("panic"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
