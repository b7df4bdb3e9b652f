//! What is printed as JSON is what `casebook schema` says.

use crate::common::{Folder, Items, Says};
use serde_json::{Value, json};

/// Collects what an answer has otherwise than the schema of its name says. The schema lets no field through that it does not describe.
fn violations(answer: &Value, schema: &Value, name: &str) -> Vec<String> {
    assert!(schema["$defs"][name].is_object(), "{name} has a schema");
    let of_name = json!({ "$ref": format!("#/$defs/{name}"), "$defs": schema["$defs"] });
    let validator = jsonschema::validator_for(&of_name).expect("it is a schema");
    let fault = |error: jsonschema::ValidationError| format!("{}: {error}", error.instance_path);
    let mut faults: Vec<String> = validator.iter_errors(answer).map(fault).collect();
    if answer["form"] != schema["$defs"]["form"]["const"] {
        faults.push("it does not say its form".into());
    }
    faults
}

#[test]
fn answers_are_as_the_schema_says() {
    let folder = Folder::skirmish();
    let root = folder.json("schema");
    folder.ok("resolve bridge --save battle.yaml");
    folder.ok("resolve bridge --seed 2 --save another.yaml");
    folder.write("engine.wasm", b"\0asm\x01\0\0\0");
    for (name, args) in [
        ("resolve", &["resolve", "lee-attacks-porter", "--trace"][..]),
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
        ),
        ("resolve", &["resolve", "where-mcdowell-can-go"]),
        ("odds", &["odds", "leader-wounded"]),
        ("odds", &["odds", "bridge", "--profile"]),
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
        ),
        (
            "odds",
            &["odds", "bridge", "--given", "defender losses > 0"],
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
        ),
        (
            "resolve",
            &["resolve", "bridge", "--set", "Red foot: strength=6"],
        ),
        ("odds", &["odds", "bridge", "--set", "Red foot: strength=6"]),
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
        ),
        ("odds", &["odds", "bridge", "--by", "1.1.wagons"]),
        ("odds", &["odds", "bridge", "--policy", "Red=all"]),
        ("odds", &["odds", "bridge", "--limit", "0"]),
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
        ),
        ("luck", &["luck", "battle.yaml"]),
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
        ),
        ("luck", &["luck", "battle.yaml", "another.yaml"]),
        ("games", &["odds", "bridge", "--runs", "5"]),
        ("games", &["play", "bridge", "--games", "3"]),
        (
            "compare",
            &["compare", "leader-wounded", "--with", "", "--with", "dye"],
        ),
        (
            "compare",
            &["compare", "bridge", "--with", "", "--with", "errata"],
        ),
        (
            "compare_readings",
            &["compare", "bridge", "--readings", "all"],
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
        ),
        ("what_if", &["what-if", "bridge"]),
        ("what_if", &["what-if", "bridge", "--rule", "1.1"]),
        ("undo", &["undo", "house-rules"]),
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
        ),
        ("check_play", &["check", "--play", "10"]),
        (
            "check_conflicts",
            &["check", "--conflicts", "errata,winter"],
        ),
        (
            "balance",
            &[
                "balance",
                "first-manassas",
                "--games",
                "2",
                "--shard",
                "1/2",
            ],
        ),
        ("show", &["show", "8.16"]),
        ("show", &["show", "attack", "--script"]),
        ("show", &["show", "kinds"]),
        ("show", &["show", "combat", "--script"]),
        ("show", &["show", "loss_order"]),
        ("show", &["show", "Red foot"]),
        ("show", &["show", "bridge"]),
        ("show", &["show", "errata"]),
        ("show", &["show", "turn"]),
        ("show", &["show", "which losses come first"]),
        ("list", &["list"]),
        ("list", &["list", "--tables"]),
        ("check", &["check"]),
        ("test", &["test"]),
        ("coverage", &["coverage"]),
        ("new", &["new", "variant", "house"]),
        ("pack", &["pack", "winter"]),
        ("book", &["book"]),
        ("site", &["site", "--wasm", "engine.wasm"]),
        ("schema", &["schema", "--write"]),
        #[cfg(feature = "vassal")]
        ("export", &["export", "vmod", "bridge"]),
        #[cfg(feature = "vassal")]
        ("import", &["import", "bridge.vsav"]),
        ("explain", &["explain"]),
        ("explain", &["explain", "cell"]),
        ("explain", &["explain", "yaml"]),
        ("explain", &["explain", "situation"]),
        ("explain", &["explain", "roll"]),
        ("explain", &["explain", "track"]),
        ("explain", &["explain", "table"]),
        ("explain", &["explain", "readings"]),
        ("verbs", &["list", "--verbs"]),
        ("dice", &["dice", "4d6kh3", "--against", "2d8!"]),
        ("dice", &["dice", "6d6", "--hits", "5+"]),
        ("guide", &["guide"]),
        ("guide", &["guide", "1"]),
        ("error", &["resolve", "brigde"]),
    ] {
        let answer = folder.run(&[args, &["--format", "json"]].concat()).json();
        let faults = violations(&answer, &root, name);
        assert!(
            faults.is_empty(),
            "casebook {}:\n{}",
            args.join(" "),
            faults.join("\n")
        );
    }
    let (form, described) = (
        &root["$defs"]["form"]["const"],
        root["description"].as_str().unwrap_or_default(),
    );
    assert!(
        described.starts_with(&format!("Form {form}. ")),
        "{described}"
    );
    // `play` answers in the form of `resolve`; a replay under other rules lists the differences.
    let check_answer = |name: &str, answer: Value| {
        let faults = violations(&answer, &root, name);
        assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n"));
    };
    let played = folder
        .run_with(
            "play bridge --seed 4 --save played.yaml --format json",
            &"\n".repeat(20),
        )
        .expect_success()
        .json();
    assert_eq!(played["in_force"]["game"], "skirmish");
    check_answer("play", played);
    check_answer("resolve", folder.json("replay played.yaml"));
    check_answer("replay", folder.json("replay played.yaml --with errata"));
    folder
        .run_with(
            "play bridge --commit --save committed.yaml",
            &"\n".repeat(20),
        )
        .expect_success();
    check_answer(
        "replay_verify",
        folder.json("replay committed.yaml --verify"),
    );
    std::fs::remove_dir_all(folder.0.join("variants/winter")).expect("it is the test's own");
    check_answer("unpack", folder.json("unpack winter.pack.yaml"));
    folder.write("tables/skirmish/combat.yaml", "table: [\n");
    let answer = folder.run("check --format json").json();
    let faults = violations(&answer, &root, "check");
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
    let ruling = folder.json(&args);
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
        .items()
        .map(|piece| &piece["name"])
        .collect();
    assert!(names.contains(&&Value::from("Red wagon")), "{names:?}");
    let typed = folder.json("resolve bridge --dice 5");
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
        folder.out(&["completions", shell]).holds(sign);
    }
    let page = folder.out("man");
    // Every command has its page.
    page.holds(".TH casebook 1");
    page.holds("\\-\\-reading");
}
