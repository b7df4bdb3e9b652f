//! What is printed as JSON is what `casebook schema` says.

use crate::common::Folder;
use serde_json::Value;

/// Collects violations of a schema, by the keywords that our schemas use; if `closed`, every field has to be declared.
fn violations(
    value: &Value,
    schema: &Value,
    root: &Value,
    at: &str,
    closed: bool,
    faults: &mut Vec<String>,
) {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix("#/$defs/"))
    {
        return violations(value, &root["$defs"][name], root, at, closed, faults);
    }
    let is = |kind: &Value| match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        other => panic!("{at}: the schema has a type {other:?}"),
    };
    let sorts = schema["type"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![schema["type"].clone()]);
    if !schema["type"].is_null() && !sorts.iter().any(is) {
        faults.push(format!("{at}: {value} is no {}", schema["type"]));
    }
    // `required` applies to objects only, as some values may be texts instead.
    for key in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|_| !value.is_string())
    {
        if value.get(key.as_str().expect("a word")).is_none() {
            faults.push(format!("{at}: no {key}"));
        }
    }
    for (key, value) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{key}");
        match schema["properties"]
            .get(key)
            .or_else(|| root["properties"].get(key).filter(|_| closed))
        {
            Some(schema) => violations(value, schema, root, &at, false, faults),
            None if schema["additionalProperties"].is_object() => violations(
                value,
                &schema["additionalProperties"],
                root,
                &at,
                false,
                faults,
            ),
            None if closed || schema["additionalProperties"] == false => {
                faults.push(format!("{at} is not described"))
            }
            None => {}
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        if schema["items"].is_object() {
            violations(
                item,
                &schema["items"],
                root,
                &format!("{at}[{index}]"),
                false,
                faults,
            );
        }
    }
}

#[test]
fn answers_are_as_the_schema_says() {
    let folder = Folder::skirmish();
    let root = folder.run(&["schema"]).expect_success().json();
    folder
        .run(&["resolve", "bridge", "--save", "battle.yaml"])
        .expect_success();
    folder
        .run(&["resolve", "bridge", "--seed", "2", "--save", "another.yaml"])
        .expect_success();
    for (name, args, closed) in [
        (
            "resolve",
            &["resolve", "lee-attacks-porter", "--trace"][..],
            true,
        ),
        (
            "resolve",
            &[
                "resolve",
                "bridge",
                "--dice",
                "5",
                "--with",
                "errata",
                "--choose",
                "Red: nothing=1",
            ],
            true,
        ),
        ("resolve", &["resolve", "where-mcdowell-can-go"], true),
        ("odds", &["odds", "leader-wounded"], true),
        ("odds", &["odds", "bridge", "--profile"], true),
        (
            "odds",
            &[
                "odds",
                "bridge",
                "--choose",
                "Red: nope=1",
                "--policy",
                "Red=last",
            ],
            true,
        ),
        (
            "odds",
            &["odds", "bridge", "--given", "defender losses > 0"],
            true,
        ),
        (
            "odds",
            &[
                "odds",
                "bridge",
                "--joint",
                "defender losses",
                "--joint",
                "attacker losses",
            ],
            true,
        ),
        (
            "resolve",
            &["resolve", "bridge", "--set", "Red foot: strength=6"],
            true,
        ),
        (
            "odds",
            &["odds", "bridge", "--set", "Red foot: strength=6"],
            true,
        ),
        (
            "odds",
            &[
                "odds",
                "bridge",
                "--sweep",
                "Red foot: strength=2..5",
                "--set",
                "track: turn=4",
            ],
            true,
        ),
        (
            "odds",
            &[
                "odds",
                "bridge",
                "--sweep",
                "Red foot: strength=4..5",
                "--limit",
                "0",
            ],
            true,
        ),
        (
            "compare",
            &[
                "compare",
                "bridge",
                "--with",
                "",
                "--with",
                "errata",
                "--set",
                "Red foot: strength=8",
            ],
            true,
        ),
        (
            "compare_sweep",
            &[
                "compare",
                "bridge",
                "--with",
                "",
                "--with",
                "errata",
                "--sweep",
                "Red foot: strength=2..9",
            ],
            true,
        ),
        ("odds", &["odds", "bridge", "--by", "1.1.wagons"], true),
        ("odds", &["odds", "bridge", "--policy", "Red=all"], true),
        ("odds", &["odds", "bridge", "--limit", "0"], true),
        (
            "odds",
            &[
                "odds",
                "lee-attacks-porter",
                "--limit",
                "1",
                "--given",
                "attack = Lee",
            ],
            true,
        ),
        (
            "odds",
            &[
                "odds",
                "bridge",
                "--policy",
                "Red=best",
                "--policy",
                "Blue=worst",
                "--measure",
                "defender losses",
            ],
            true,
        ),
        (
            "odds",
            &[
                "odds",
                "bridge",
                "--policy",
                "Red=best",
                "--policy",
                "Blue=worst",
                "--measure",
                "defender losses",
                "--matrix",
                "first to lose",
            ],
            true,
        ),
        ("luck", &["luck", "battle.yaml"], true),
        (
            "luck",
            &[
                "luck",
                "battle.yaml",
                "--measure",
                "defender losses",
                "--for",
                "Red",
                "--limit",
                "0",
            ],
            true,
        ),
        ("luck", &["luck", "battle.yaml", "another.yaml"], true),
        ("games", &["odds", "bridge", "--runs", "5"], true),
        ("games", &["play", "bridge", "--games", "3"], true),
        (
            "compare",
            &["compare", "leader-wounded", "--with", "", "--with", "dye"],
            true,
        ),
        (
            "compare",
            &["compare", "bridge", "--with", "", "--with", "errata"],
            true,
        ),
        (
            "compare_readings",
            &["compare", "bridge", "--readings", "all"],
            true,
        ),
        (
            "compare_search",
            &[
                "compare", "bridge", "--with", "", "--with", "errata", "--search", "3",
            ],
            true,
        ),
        (
            "compare_search",
            &[
                "compare", "bridge", "--with", "", "--with", "errata", "--search", "3", "--shard",
                "1/2",
            ],
            true,
        ),
        (
            "what_if",
            &[
                "what-if",
                "bridge",
                "--cell",
                "combat 1:1 6 = 0/9",
                "--keep",
                "house-rules",
            ],
            true,
        ),
        ("undo", &["undo", "house-rules"], true),
        (
            "balance",
            &[
                "balance",
                "first-manassas",
                "--style",
                "all=first",
                "--games",
                "1",
                "--no-causes",
            ],
            true,
        ),
        ("check_play", &["check", "--play", "10"], true),
        (
            "check_conflicts",
            &["check", "--conflicts", "errata,winter"],
            true,
        ),
        ("test_mutants", &["test", "--mutants", "2.1"], true),
        ("show", &["show", "8.16"], false),
        ("show", &["show", "attack", "--script"], false),
        ("show", &["show", "kinds"], false),
        ("list", &["list"], true),
        ("check", &["check"], true),
        ("test", &["test"], true),
        ("coverage", &["coverage"], true),
        ("new", &["new", "variant", "house"], true),
        #[cfg(feature = "vassal")]
        ("export", &["export", "vmod", "bridge"], true),
        #[cfg(feature = "vassal")]
        ("import", &["import", "bridge.vsav"], true),
        ("explain", &["explain"], true),
        ("explain", &["explain", "cell"], true),
        ("explain", &["explain", "track"], true),
        ("explain", &["explain", "table"], true),
        ("explain", &["explain", "readings"], true),
        ("verbs", &["list", "--verbs"], true),
        ("dice", &["dice", "4d6kh3", "--against", "2d8!"], true),
        ("dice", &["dice", "6d6", "--hits", "5+"], true),
        ("guide", &["guide"], true),
        ("guide", &["guide", "1"], true),
        ("error", &["resolve", "brigde"], true),
    ] {
        let answer = folder.run(&[args, &["--format", "json"]].concat()).json();
        let mut faults = Vec::new();
        violations(
            &answer,
            &root["$defs"][name],
            &root,
            name,
            closed,
            &mut faults,
        );
        assert!(
            faults.is_empty() && answer["form"] == 4,
            "casebook {}:\n{}",
            args.join(" "),
            faults.join("\n")
        );
    }
    let (form, described) = (
        &root["properties"]["form"]["const"],
        root["description"].as_str().unwrap_or_default(),
    );
    assert!(
        described.starts_with(&format!("Form {form}. ")),
        "{described}"
    );
    // `play` answers in the form of `resolve`; a replay under other rules lists the differences.
    let check_answer = |name: &str, answer: Value| {
        let mut faults = Vec::new();
        assert!(root["$defs"][name].is_object(), "{name} has a schema");
        violations(
            &answer,
            &root["$defs"][name],
            &root,
            name,
            true,
            &mut faults,
        );
        assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n"));
    };
    let played = folder
        .run_with(
            &[
                "play",
                "bridge",
                "--seed",
                "4",
                "--save",
                "played.yaml",
                "--format",
                "json",
            ],
            &"\n".repeat(20),
        )
        .expect_success()
        .json();
    assert_eq!(played["in_force"]["game"], "skirmish");
    check_answer("play", played);
    check_answer(
        "resolve",
        folder
            .run(&["replay", "played.yaml", "--format", "json"])
            .expect_success()
            .json(),
    );
    check_answer(
        "replay",
        folder
            .run(&[
                "replay",
                "played.yaml",
                "--with",
                "errata",
                "--format",
                "json",
            ])
            .expect_success()
            .json(),
    );
    folder
        .run_with(
            &["play", "bridge", "--commit", "--save", "committed.yaml"],
            &"\n".repeat(20),
        )
        .expect_success();
    check_answer(
        "replay_verify",
        folder
            .run(&["replay", "committed.yaml", "--verify", "--format", "json"])
            .expect_success()
            .json(),
    );
    folder.write("tables/skirmish/combat.yaml", "table: [\n");
    let answer = folder.run(&["check", "--format", "json"]).json();
    let mut faults = Vec::new();
    violations(
        &answer,
        &root["$defs"]["check"],
        &root,
        "check",
        true,
        &mut faults,
    );
    assert!(
        faults.is_empty() && answer["complaints"][0]["code"] == "yaml",
        "{faults:?}"
    );
}

/// A ruling has as data its ruleset, choices, reconstructed figures and final board.
#[test]
fn a_ruling_is_data() {
    let folder = Folder::skirmish();
    let args = [
        "resolve",
        "bridge",
        "--seed",
        "5",
        "--with",
        "errata",
        "--choose",
        "Red: first to lose=Red riders",
        "--format",
        "json",
    ];
    let ruling = folder.run(&args).expect_success().json();
    assert_eq!(ruling["seed"], 5);
    assert_eq!(ruling["in_force"]["game"], "skirmish");
    assert_eq!(
        ruling["in_force"]["variants"],
        serde_json::json!(["errata"])
    );
    assert!(ruling["in_force"]["readings"]["1.1.wagons"].is_string());
    let choices = ruling["choices"].as_array().expect("a list");
    assert!(
        choices.iter().all(|choice| choice["said"] == true),
        "both sides are answered for: {choices:?}"
    );
    let names: Vec<&Value> = ruling["board"]["pieces"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|piece| &piece["name"])
        .collect();
    assert!(names.contains(&&Value::from("Red wagon")), "{names:?}");
    let typed = folder
        .run(&["resolve", "bridge", "--dice", "5", "--format", "json"])
        .expect_success()
        .json();
    assert!(typed["seed"].is_null());
}

#[test]
fn shells_and_manuals_are_served() {
    let folder = Folder::empty();
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef casebook"),
        ("fish", "complete -c casebook"),
    ] {
        assert!(
            folder
                .run(&["completions", shell])
                .expect_success()
                .out
                .contains(sign),
            "{shell}"
        );
    }
    let page = folder.run(&["man"]).expect_success().out;
    assert!(
        page.contains(".TH casebook 1") && page.contains("\\-\\-reading"),
        "every command has its page"
    );
}
