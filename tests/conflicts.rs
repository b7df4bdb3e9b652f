//! Conflicts between variants, patches that settle them, and what changes when a file is saved.

use crate::common::{Folder, Says};
use casebook::command::watch::{RulingDiff, WatchResult, WatchedSituation};
use casebook::complaint::Error;
use casebook::conflicts::meeting::MeetingRow;
use casebook::conflicts::report::{ConflictReport, find_conflicts};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::resolve::ResolveRequest;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A folder with the small game and two variants more: `east` and `west`, of which neither comes after the other.
fn folder() -> Folder {
    let folder = Folder::skirmish();
    for name in ["east", "west"] {
        folder.write(
            &manifest(name),
            format!("variant: {name}\ntitle: The {name}\ngame: skirmish\n"),
        );
    }
    folder
}

fn manifest(variant: &str) -> String {
    format!("variants/{variant}/variant.yaml")
}

/// A case of a variant with one head and the functions given.
fn add_case(folder: &Folder, variant: &str, number: &str, kind: &str, keys: &str, functions: &str) {
    let text = format!(
        "//! case: \"{number}\"\n//! title: Of the {variant}\n//! kind: {kind}\n{keys}\n{functions}\n"
    );
    folder.write(
        &format!("variants/{variant}/rules/02-losses/{number}-{variant}.rhai"),
        text,
    );
}

fn order_of_losses(folder: &Folder, variant: &str, kind: &str, body: &str) {
    add_case(
        folder,
        variant,
        "2.1",
        kind,
        "",
        &format!("/// Who loses first.\nfn loss_order(side, units) {{\n{body}\n}}"),
    );
}

fn add_cells(folder: &Folder, variant: &str, changes: &str) {
    let head = "table: combat\ntitle: Combat\nkind: revision\nchanges:\n";
    folder.write(
        &format!("variants/{variant}/tables/combat.yaml"),
        format!("{head}{changes}"),
    );
}

fn add_pieces(folder: &Folder, variant: &str, changes: &str) {
    let head = "situation: bridge\ntitle: At the bridge\nkind: revision\nchanges:\n";
    folder.write(
        &format!("variants/{variant}/scenarios/bridge.yaml"),
        format!("{head}{changes}"),
    );
}

fn set_order(folder: &Folder, newer: &str, older: &str) {
    folder.append(&manifest(newer), &format!("after: [{older}]\n"));
}

fn report(folder: &Folder, variants: &[&str]) -> ConflictReport {
    let library = Arc::new(Library::new(
        Files::with_folder(&folder.0, casebook::EMBEDDED).expect("the folder is there"),
    ));
    let variants: Vec<String> = variants.iter().map(|v| v.to_string()).collect();
    find_conflicts(&library, &variants).expect("the variants can be held against each other")
}

/// Level, verdict and subject of every row.
fn rows(report: &ConflictReport) -> Vec<(u8, &str, &str)> {
    report
        .rows
        .iter()
        .map(|row| (row.level, row.verdict.label(), row.name.as_str()))
        .collect()
}

// The same function

#[test]
fn two_answers_without_an_order_contradict() {
    let folder = folder();
    order_of_losses(&folder, "east", "revision", "    units");
    order_of_losses(
        &folder,
        "west",
        "revision",
        "    units.where(|u| u.kind == \"rider\")",
    );
    assert_eq!(
        folder.run("resolve bridge --with east,west").status,
        Some(1),
        "they can't be in force together"
    );
    let run = folder.run("check --conflicts east,west");
    assert_eq!(run.status, Some(1));
    for part in [
        "east and west over skirmish: 1 contradictory",
        "contradictory · same function · in 1 of 1 situations",
        "loss_order(side, units)",
        "variants/east/rules/02-losses/2.1-east.rhai:6",
        "variants/west/rules/02-losses/2.1-west.rhai:6",
        "after: [east]",
    ] {
        run.out.holds(part);
    }
}

#[test]
fn the_same_code_agrees_whatever_its_spacing() {
    let folder = folder();
    order_of_losses(
        &folder,
        "east",
        "revision",
        "    units.where(|u| u.kind == \"rider\") // riders",
    );
    order_of_losses(
        &folder,
        "west",
        "revision",
        "    // only riders\n  units.where(|u| u.kind ==   \"rider\")",
    );
    assert_eq!(
        rows(&report(&folder, &["east", "west"])),
        [(2, "agree", "loss_order(side, units)")]
    );
    folder.ok("resolve bridge --with east,west");
    assert_eq!(folder.run("check --conflicts east,west").status, Some(0));
}

#[test]
fn the_same_code_over_other_helpers_does_not_agree() {
    let folder = folder();
    for (variant, helper) in [("east", "units"), ("west", "[]")] {
        let functions = format!(
            "fn loss_order(side, units) {{ sorted(units) }}\n\nprivate fn sorted(units) {{ {helper} }}"
        );
        add_case(&folder, variant, "2.1", "revision", "", &functions);
    }
    assert_eq!(
        rows(&report(&folder, &["east", "west"])),
        [(2, "contradictory", "loss_order(side, units)")]
    );
    assert_eq!(
        folder.run("resolve bridge --with east,west").status,
        Some(1)
    );
}

#[test]
fn an_order_says_who_holds() {
    let folder = folder();
    order_of_losses(&folder, "east", "revision", "    units");
    order_of_losses(&folder, "west", "revision", "    []");
    set_order(&folder, "east", "west");
    let report = report(&folder, &["east", "west"]);
    assert_eq!(rows(&report), [(2, "ordered", "loss_order(side, units)")]);
    assert_eq!(report.rows[0].reason, "east comes after west and holds.");
    assert_eq!(report.rows[0].pair[1].variant, "east");
}

#[test]
fn an_addition_that_asks_for_the_older_answer_is_compatible() {
    let folder = folder();
    order_of_losses(&folder, "east", "revision", "    units");
    order_of_losses(&folder, "west", "addition", "    prior()");
    let open = report(&folder, &["east", "west"]);
    assert_eq!(
        rows(&open),
        [(2, "contradictory", "loss_order(side, units)")]
    );
    open.rows[0]
        .reason
        .holds("west asks `prior()`: if it came after east, it would build on it.");
    set_order(&folder, "west", "east");
    assert_eq!(
        rows(&report(&folder, &["east", "west"])),
        [(2, "compatible", "loss_order(side, units)")]
    );
}

// The same figure

#[test]
fn cells_agree_or_contradict_one_by_one() {
    let folder = folder();
    add_cells(
        &folder,
        "east",
        "  - { column: \"1:1\", row: [1, 2], was: [\"2/0\", \"1/0\"], now: [\"9/9\", \"1/1\"] }\n",
    );
    add_cells(
        &folder,
        "west",
        "  - { column: \"1:1\", row: [1, 2], was: [\"2/0\", \"1/0\"], now: [\"8/8\", \"1/1\"] }\n",
    );
    let report = report(&folder, &["east", "west"]);
    assert_eq!(
        rows(&report),
        [
            (1, "contradictory", "table combat: odds 1:1, die 1"),
            (1, "agree", "table combat: odds 1:1, die 2")
        ]
    );
    assert_eq!(
        report.rows[0]
            .pair
            .each_ref()
            .map(|voice| (voice.says.as_str(), voice.line)),
        [("9/9", 5), ("8/8", 5)]
    );
}

#[test]
fn figures_of_pieces_contradict_too() {
    let folder = folder();
    add_pieces(
        &folder,
        "east",
        "  - { piece: Blue foot, strength: { was: 3, now: 5 } }\n  - { piece: Red wagon, was: present, now: deleted }\n",
    );
    add_pieces(
        &folder,
        "west",
        "  - { piece: Blue foot, strength: { was: 3, now: 6 } }\n  - { piece: Red wagon, strength: { was: 1, now: 2 } }\n",
    );
    let report = report(&folder, &["east", "west"]);
    assert_eq!(
        rows(&report),
        [
            (1, "contradictory", "bridge: Red wagon"),
            (1, "contradictory", "bridge: strength of Blue foot")
        ]
    );
    assert!(report.rows.iter().all(|row| row.situations == ["bridge"]));
    let run = folder.run("resolve bridge --with east,west");
    run.err.holds("east and west both set");
    run.err.holds("error[conflict]");
}

#[test]
fn variants_that_touch_different_figures_are_both_in_force() {
    let folder = folder();
    add_pieces(
        &folder,
        "east",
        "  - { piece: Blue foot, strength: { was: 3, now: 5 } }\n",
    );
    add_pieces(
        &folder,
        "west",
        "  - { piece: Blue foot, speed: { was: 2, now: 1 } }\n",
    );
    assert_eq!(rows(&report(&folder, &["east", "west"])), []);
    let shown = folder.out("show bridge --with east,west");
    shown.holds("speed 1, strength 5");
}

#[test]
fn what_another_variant_says_already_is_noted() {
    let folder = folder();
    add_cells(
        &folder,
        "east",
        "  - { column: \"2:1\", row: 2, was: \"1/1\", now: \"1/2\" }\n",
    );
    add_cells(
        &folder,
        "west",
        "  - { column: \"2:1\", row: 2, was: \"1/1\", now: \"1/2\" }\n",
    );
    add_pieces(
        &folder,
        "east",
        "  - { piece: Blue foot, speed: { was: 2, now: 5 } }\n",
    );
    add_pieces(
        &folder,
        "west",
        "  - { piece: Blue foot, speed: { was: 2, now: 5 } }\n",
    );
    let run = folder.ok("check");
    assert_eq!(run.out.matches("incorporated").count(), 2, "{}", run.out);
    folder.ok("resolve bridge --with east,west");
}

// One writes what the other reads

const ACT: &str = "//! procedure: attack\n";

#[test]
fn a_variant_that_answers_is_compatible_with_one_that_acts() {
    let folder = folder();
    add_case(
        &folder,
        "east",
        "2.1",
        "revision",
        ACT,
        "fn take_losses(side, units, points) {\n    set(units[0], \"speed\", 0);\n    0\n}",
    );
    add_case(
        &folder,
        "west",
        "1.1",
        "revision",
        "",
        "fn may_attack(unit) {\n    unit.speed > 0\n}",
    );
    let report = report(&folder, &["east", "west"]);
    assert_eq!(rows(&report), [(3, "compatible", "the `speed` of pieces")]);
    let row = &report.rows[0];
    assert_eq!(row.pair.each_ref().map(|voice| voice.line), [7, 6]);
    assert_eq!(
        row.pair.each_ref().map(|voice| voice.says.as_str()),
        [
            "sets the `speed` of pieces",
            "asks for the `speed` of pieces"
        ]
    );
    assert_eq!(row.situations, ["bridge"]);
}

#[test]
fn two_that_act_need_an_order() {
    let folder = folder();
    let set = |body: &str| format!("fn acts_of_its_own(unit) {{\n{body}\n}}");
    add_case(
        &folder,
        "east",
        "4.1",
        "new case",
        ACT,
        &set("    set(unit, \"speed\", 0);"),
    );
    add_case(
        &folder,
        "west",
        "5.1",
        "new case",
        ACT,
        "fn another(unit) {\n    set(unit, \"strength\", unit.speed);\n}",
    );
    assert_eq!(
        rows(&report(&folder, &["east", "west"])),
        [(3, "undecided", "the `speed` of pieces")]
    );
    assert_eq!(
        report(&folder, &["east", "west"]).rows[0].situations,
        [""; 0]
    );
    set_order(&folder, "west", "east");
    assert_eq!(
        rows(&report(&folder, &["east", "west"])),
        [(3, "ordered", "the `speed` of pieces")]
    );
}

#[test]
fn answers_tables_readings_tracks_and_outcomes_count() {
    let folder = folder();
    let writes =
        "fn weather() { 1 }\nfn storm() { set_track(\"turn\", 2); result(\"weather\", 1); }";
    add_case(
        &folder,
        "east",
        "4.1",
        "new case",
        "//! procedure: attack\n//! readings:\n//!   cold: [deep, mild]\n",
        writes,
    );
    add_cells(
        &folder,
        "east",
        "  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"9/9\" }\n",
    );
    let reads = "fn march() { weather() + track(\"turn\") + table(\"combat\", \"1:1\", 1).attacker; reading(\"4.1.cold\") }\nfn end() { result(\"weather\", 2); }";
    add_case(&folder, "west", "5.1", "new case", ACT, reads);
    let report = report(&folder, &["east", "west"]);
    let row_names: Vec<&str> = report.rows.iter().map(|row| row.name.as_str()).collect();
    for part in [
        "the answer `weather`",
        "the track `turn`",
        "table combat",
        "the reading 4.1.cold",
        "the outcome `weather`",
    ] {
        assert!(
            row_names.iter().any(|what| what.contains(part)),
            "no {part} in {row_names:?}"
        );
    }
}

/// What verbs write comes from their own table: features of places and of sides between them, and cards.
#[test]
fn features_of_places_count() {
    let folder = folder();
    let sets = "fn fire(place) {\n    set(place(place), \"ground\", \"open\");\n    set(between(\"0201\", \"0202\"), \"brook\", true);\n}";
    add_case(&folder, "east", "4.1", "new case", ACT, sets);
    add_case(
        &folder,
        "west",
        "1.1",
        "revision",
        "",
        "fn may_attack(unit) {\n    place(unit.at).ground == \"wood\" || between(\"0201\", \"0202\").brook\n}",
    );
    let report = report(&folder, &["east", "west"]);
    let [row] = &report.rows[..] else {
        panic!("{:?}", rows(&report))
    };
    assert!(
        ["the `brook` of places", "the `ground` of places"]
            .iter()
            .all(|part| row.name.contains(part)),
        "{}",
        row.name
    );
}

// The report as a whole

#[test]
fn what_contradicts_comes_first_then_what_matters_most() {
    let folder = folder();
    add_case(
        &folder,
        "east",
        "4.1",
        "new case",
        "",
        "fn nobody_asks() { 1 }",
    );
    add_case(
        &folder,
        "west",
        "4.1",
        "new case",
        "",
        "fn nobody_asks() { 2 }",
    );
    add_case(
        &folder,
        "east",
        "2.1",
        "revision",
        "",
        "fn loss_order(side, units) { units }",
    );
    add_case(
        &folder,
        "west",
        "2.1",
        "revision",
        "",
        "fn loss_order(side, units) { units }",
    );
    add_case(
        &folder,
        "east",
        "6.1",
        "new case",
        "",
        "fn nor_this() { 1 }",
    );
    add_case(
        &folder,
        "west",
        "6.1",
        "new case",
        "",
        "fn nor_this() { 1 }",
    );
    let conflicts = report(&folder, &["east", "west"]);
    assert_eq!(
        rows(&conflicts),
        [
            (2, "contradictory", "nobody_asks()"),
            (2, "agree", "loss_order(side, units)"),
            (2, "agree", "nor_this()")
        ]
    );
    assert_eq!(
        conflicts
            .rows
            .iter()
            .map(|row| row.situations.len())
            .collect::<Vec<_>>(),
        [0, 1, 0]
    );
}

#[test]
fn of_three_variants_every_pair_is_compared() {
    let folder = folder();
    order_of_losses(&folder, "east", "revision", "    units");
    order_of_losses(&folder, "west", "revision", "    []");
    let run = folder.run("check --conflicts east,west,errata --format json");
    let json = run.json();
    let rows = json["rows"].as_array().expect("the report lists its rows");
    let mut pairs: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{} {}",
                row["pair"][0]["variant"], row["pair"][1]["variant"]
            )
        })
        .collect();
    pairs.sort();
    assert_eq!(
        pairs,
        [
            r#""east" "errata""#,
            r#""east" "west""#,
            r#""west" "errata""#
        ]
    );
    assert_eq!(
        rows[0]["pair"][0]["path"],
        "variants/east/rules/02-losses/2.1-east.rhai"
    );
    assert_eq!(json["situations"], 1);
}

#[test]
fn variants_that_cannot_be_compared_are_named() {
    let folder = folder();
    folder.write(
        "rules/chess/game.yaml",
        "game: chess\ntitle: Chess\nsides: [White, Black]\n",
    );
    folder.write(
        "variants/blitz/variant.yaml",
        "variant: blitz\ntitle: Blitz\ngame: chess\n",
    );
    for (names, why) in [
        ("east", "at least two"),
        ("east,east", "at least two"),
        ("east,wets", "did you mean `west`"),
        ("east,blitz", "one game"),
    ] {
        let run = folder.run(&["check", "--conflicts", names]);
        run.ends(2);
        run.err.holds(why);
    }
    assert_eq!(
        folder.run("check --patch peace").status,
        Some(2),
        "a patch is for conflicts"
    );
}

// A variant that settles

/// East and west contradict each other in a function, a cell and a figure.
fn contradicting_variants() -> Folder {
    let folder = folder();
    for name in ["errata", "winter"] {
        std::fs::remove_dir_all(folder.0.join("variants").join(name)).expect("it was there");
    }
    order_of_losses(
        &folder,
        "east",
        "revision",
        "    // the east says\n    units",
    );
    order_of_losses(
        &folder,
        "west",
        "revision",
        "    units.where(|u| u.kind == \"rider\") + units.where(|u| u.kind != \"rider\")",
    );
    add_cells(
        &folder,
        "east",
        "  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"0/1\" }\n",
    );
    add_cells(
        &folder,
        "west",
        "  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"0/2\" }\n",
    );
    add_pieces(
        &folder,
        "east",
        "  - { piece: Blue foot, strength: { was: 3, now: 5 } }\n",
    );
    add_pieces(
        &folder,
        "west",
        "  - { piece: Blue foot, strength: { was: 3, now: 6 } }\n",
    );
    folder
}

const PATCH_FILES: [&str; 4] = [
    "rules/02-losses/2.1-west.rhai",
    "scenarios/bridge.yaml",
    "tables/combat.yaml",
    "variant.yaml",
];

#[test]
fn a_patch_lays_out_what_is_to_be_settled_and_nothing_else() {
    let folder = contradicting_variants();
    let run = folder.ok("check --conflicts east,west --patch peace --format json");
    let written: Vec<String> = PATCH_FILES
        .iter()
        .map(|path| format!("./variants/peace/{path}"))
        .collect();
    assert_eq!(run.json()["written"], json!(written));
    let case = folder.read("variants/peace/rules/02-losses/2.1-west.rhai");
    for part in [
        "//! kind: revision",
        "fn loss_order(side, units) {",
        "// east, variants/east/rules/02-losses/2.1-east.rhai:6:",
        "//   // the east says\n    //   units\n",
        "// west, variants/west/rules/02-losses/2.1-west.rhai:6:",
        "refuse(\"loss_order is not settled yet",
    ] {
        case.holds(part);
    }
    let table = folder.read("variants/peace/tables/combat.yaml");
    assert!(
        table.contains(r#"{ column: "1:1", row: "1", was: "0/2", now: "?", status: printed }"#),
        "{table}"
    );
    let head = folder.read("variants/peace/variant.yaml");
    head.holds("after: [east, west]");
}

#[test]
fn a_patch_never_overwrites() {
    let folder = contradicting_variants();
    folder.ok("check --conflicts east,west --patch peace");
    let before = folder.file_times();
    for name in ["peace", "east", "Peace!"] {
        let run = folder.run(&["check", "--conflicts", "east,west", "--patch", name]);
        run.ends(2);
    }
    assert_eq!(folder.file_times(), before);
}

#[test]
fn where_nothing_contradicts_nothing_is_written() {
    let folder = folder();
    let before = folder.file_times();
    let run = folder.ok("check --conflicts errata,winter --patch peace");
    run.out
        .holds("nothing is contradictory; nothing was written");
    assert_eq!(folder.file_times(), before);
}

#[test]
fn a_patch_not_filled_in_refuses_and_a_filled_one_settles() {
    let folder = contradicting_variants();
    folder.ok("check --conflicts east,west --patch peace");
    let run = folder.run("resolve bridge --with peace");
    assert!(
        run.err
            .contains("east and west both set strength of Blue foot"),
        "a blank settles nothing:\n{}",
        run.terminal_output()
    );
    folder.replace(
        "variants/peace/scenarios/bridge.yaml",
        "now: \"?\"",
        "now: 3",
    );
    let run = folder.run("resolve bridge --with peace");
    run.terminal_output()
        .holds("table combat, odds 1:1, die 1: the figure is not known");
    folder.replace(
        "variants/peace/tables/combat.yaml",
        "now: \"?\"",
        "now: \"1/1\"",
    );
    let run = folder.run("resolve bridge --with peace");
    assert_eq!(run.status, Some(1));
    run.out.holds("loss_order is not settled yet");
    let case = folder.read("variants/peace/rules/02-losses/2.1-west.rhai");
    let filled: String = case
        .lines()
        .map(|l| {
            if l.contains("refuse(") {
                "    units\n".into()
            } else {
                format!("{l}\n")
            }
        })
        .collect();
    folder.write("variants/peace/rules/02-losses/2.1-west.rhai", filled);
    // Required variants come with it, and the order in which the two are named does not matter.
    for with in ["peace", "east,west,peace", "west,east,peace", "peace,west"] {
        let json = folder.json(format!("resolve bridge --with '{with}' --dice 1"));
        assert_eq!(
            json["results"],
            json!({ "attacker losses": 1, "defender losses": 1 }),
            "under {with}"
        );
    }
    folder.ok("check");
    let settled = report(&folder, &["east", "west", "peace"]);
    assert!(!settled.has_contradiction(), "{settled:#?}");
    let says_so = |row: &MeetingRow| {
        row.reason
            .contains("peace comes after both and says what holds.")
    };
    assert!(settled.rows.iter().any(says_so), "{settled:#?}");
}

#[test]
fn what_a_variant_needs_has_to_be_there() {
    let folder = folder();
    folder.append(&manifest("west"), "needs: [eats]\n");
    for command in [&["check"][..], &["resolve", "bridge", "--with", "west"]] {
        let output = folder.run(command).terminal_output();
        output.holds("no variant of skirmish is called `eats`; did you mean `east`?");
        assert_eq!(output.matches("error[").count(), 1, "{output}");
    }
}

// Watching

type Meant = Result<(String, RulesetSpec), Error>;

/// A watched situation whose folder is read when the test says so.
fn watched_situation() -> WatchedSituation<impl Fn(&Library) -> Meant, impl Fn() -> ResolveRequest>
{
    let spec = RulesetSpec::with_variants("skirmish", vec!["errata".into()]);
    WatchedSituation {
        find: move |_: &Library| Ok(("bridge".to_string(), spec.clone())),
        request: || ResolveRequest::default(),
        last: None,
    }
}

fn files(folder: &Folder) -> Files {
    Files::with_folder(&folder.0, casebook::EMBEDDED).expect("the folder is there")
}

fn expect_diff(output: WatchResult) -> RulingDiff {
    match output {
        WatchResult::Changed(moved) => moved,
        other => panic!("nothing to compare with: {other:?}"),
    }
}

const TABLE: &str = "tables/skirmish/combat.yaml";

#[test]
fn only_changes_are_reported() {
    let folder = Folder::skirmish();
    let mut watched = watched_situation();
    assert!(matches!(watched.run(files(&folder)), WatchResult::First(_)));
    assert!(expect_diff(watched.run(files(&folder))).is_empty());
    // Every figure of the column is the same now, so the die does not matter.
    let cells: String = (1..=6)
        .map(|row| format!("  {row}: [\"1/2\", \"1/2\", \"1/2\"]\n"))
        .collect();
    let text = folder.read(TABLE);
    let (head, _) = text.split_once("cells:\n").expect("the table has cells");
    folder.write(TABLE, format!("{head}cells:\n{cells}"));
    folder.write(
        "variants/errata/tables/combat.yaml",
        "table: combat\ntitle: None\nkind: correction\nchanges:\n  - { column: \"2:1\", row: 6, was: \"1/2\", now: \"1/2\" }\n",
    );
    let change = expect_diff(watched.run(files(&folder)));
    assert!(
        change
            .results
            .iter()
            .all(|outcome| outcome.was != outcome.now),
        "{change:?}"
    );
    assert!(
        !change.results.is_empty()
            && change.lines.iter().any(|l| l.new)
            && change.lines.iter().any(|l| !l.new),
        "{change:?}"
    );
    change.render(false).holds(" -> ");
}

#[test]
fn broken_data_is_reported_and_later_changes_when_it_is_fixed() {
    let folder = Folder::skirmish();
    let mut watched = watched_situation();
    watched.run(files(&folder));
    let attack = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(
        attack,
        "result(\"attacker losses\", lost.attacker);",
        "result(\"attacker losses\", lost.attacker;",
    );
    match watched.run(files(&folder)) {
        WatchResult::Failed(error) => {
            assert!(error.to_string().contains("1.1-attack.rhai:40"), "{error}")
        }
        other => panic!("a file that is not Rhai was taken: {other:?}"),
    }
    folder.replace(
        attack,
        "result(\"attacker losses\", lost.attacker;",
        "result(\"attacker losses\", 77);",
    );
    let change = expect_diff(watched.run(files(&folder)));
    let [outcome] = &change.results[..] else {
        panic!("one outcome moved: {change:?}")
    };
    assert_eq!(
        (outcome.name.as_str(), &outcome.now),
        ("attacker losses", &Some(json!(77)))
    );
}

#[test]
fn a_manifest_that_can_not_be_read_is_complained_of_by_its_place() {
    let folder = Folder::skirmish();
    let mut watched = watched_situation();
    watched.run(files(&folder));
    folder.append(&manifest("errata"), "titel: [\n");
    match watched.run(files(&folder)) {
        WatchResult::Failed(error) => assert!(
            error.to_string().contains("variants/errata/variant.yaml"),
            "{error}"
        ),
        other => panic!("a broken manifest was taken: {other:?}"),
    }
}

/// The binary, watching; it ends with the test, however that ends.
struct Watching {
    child: Child,
    lines: Receiver<Value>,
}

impl Watching {
    fn new(folder: &Folder, args: &[&str]) -> Watching {
        let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
        command
            .arg("watch")
            .args(args)
            .args(["--format", "json"])
            .current_dir(&folder.0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the binary runs");
        let (send, lines) = channel();
        let out = BufReader::new(child.stdout.take().expect("its output is ours"));
        std::thread::spawn(move || {
            let lines = out.lines().map_while(Result::ok);
            lines
                .map(|line| serde_json::from_str(&line).expect("JSON, a line each"))
                .try_for_each(|value| send.send(value))
        });
        Watching { child, lines }
    }

    /// The next line that matches. A file may be seen half written, so other lines may come first.
    fn wait_for_line(&self, is_match: impl Fn(&Value) -> bool) -> Value {
        let mut output = Vec::new();
        while let Ok(value) = self.lines.recv_timeout(Duration::from_secs(20)) {
            if is_match(&value) {
                return value;
            }
            output.push(value);
        }
        panic!("it was not seen; only {output:?}")
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_saved_file_is_seen_at_once() {
    let folder = Folder::skirmish();
    let watching = Watching::new(&folder, &["bridge", "--dice", "1"]);
    watching.wait_for_line(|first| first["ruling"]["results"]["attacker losses"] == 2);
    folder.replace(TABLE, "1: [\"3/0\", \"2/0\"", "1: [\"3/0\", \"1/0\"");
    let output = watching.wait_for_line(|output| {
        output["results"] == json!([{ "name": "attacker losses", "was": 2, "now": 1 }])
    });
    assert_eq!(output["saved"], json!([TABLE]));
    // A tenth of a second, with leave for a machine that is busy with other tests.
    assert!(
        output["ms"].as_u64().is_some_and(|ms| ms < 2000),
        "{output}"
    );
}

#[test]
fn a_new_folder_is_watched_like_the_old_ones() {
    let folder = Folder::skirmish();
    std::fs::remove_dir_all(folder.0.join("variants")).expect("it was there");
    let watching = Watching::new(&folder, &["bridge", "--with", ""]);
    watching.wait_for_line(|first| first["ruling"].is_object());
    folder.write(
        &manifest("fresh"),
        "variant: fresh\ntitle: Fresh\ngame: skirmish\n",
    );
    // The folder is reported first, then the file that is saved in it.
    std::thread::sleep(Duration::from_millis(500));
    folder.append(&manifest("fresh"), "note: saved again\n");
    watching.wait_for_line(|output| output["saved"] == json!([manifest("fresh")]));
}

/// A file with an error is waited for only if it may be the one that is missed.
#[test]
fn an_unknown_situation_is_not_waited_for() {
    let folder = Folder::skirmish();
    folder.write("tests/skirmish/01-battle/none.yaml", "form: 1\ntests: []\n");
    let run = folder.run("watch nowhere");
    run.ends(2);
    run.err.holds("no situation is called `nowhere`");
    let mut watched = watched_situation();
    let manifest = folder.read("variants/errata/variant.yaml");
    folder.write(
        "variants/errata/variant.yaml",
        format!("{manifest}odd: [\n"),
    );
    assert!(
        matches!(
            watched.run(files(&folder)),
            WatchResult::Failed(Error::Data(_))
        ),
        "a manifest can be mended"
    );
}

#[test]
fn where_there_is_nothing_to_watch_it_is_said() {
    let folder = Folder::empty();
    let run = folder.run("watch lee-attacks-porter");
    run.ends(2);
    run.err.holds("there is nothing to watch");
}

/// A later variant adds a piece that an earlier one has added: with the same figures it is incorporated, with others an error that says how to
/// change it, whether it stands under `changes:` or under `pieces:`.
#[test]
fn a_piece_added_again_with_other_figures_is_an_error() {
    let folder = Folder::skirmish();
    let piece =
        |strength: u8| format!("kind: footman, side: Red, value: \"{strength}-2\", at: \"0202\"");
    let lists = [
        |piece: &str| {
            format!("changes:\n  - {{ piece: Red guard, was: absent, now: {{ {piece} }} }}\n")
        },
        |piece: &str| format!("pieces:\n  - {{ name: Red guard, {piece} }}\n"),
    ];
    for list in lists {
        for (strength, now) in [(4, 4), (4, 5)] {
            for (name, after, strength) in [("one", "errata", strength), ("two", "one", now)] {
                folder.write(
                    &format!("variants/{name}/variant.yaml"),
                    format!("variant: {name}\ntitle: {name}\ngame: skirmish\nafter: [{after}]\n"),
                );
                folder.write(
                    &format!("variants/{name}/scenarios/bridge.yaml"),
                    format!(
                        "situation: bridge\ntitle: The bridge again\nkind: addition\nsource: {{ doc: slip, at: 1 }}\n{}",
                        list(&piece(strength))
                    ),
                );
            }
            let run = folder.run("resolve bridge --with errata,one,two");
            let output = run.terminal_output();
            assert_eq!(
                output.contains("error[was-now]"),
                strength != now,
                "{output}"
            );
            if strength != now {
                output.holds("strength: { was: 4, now: 5 }");
            }
        }
    }
    folder.write(
        "variants/two/scenarios/bridge.yaml",
        "situation: bridge\ntitle: The bridge again\nkind: correction\nsource: { doc: slip, at: 1 }\nchanges:\n  - { piece: Red guard, strength: { was: 4, now: 5 } }\n",
    );
    folder.ok("resolve bridge --with errata,one,two");
}
