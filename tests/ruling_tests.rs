//! Tests of rulings in YAML: expected outcomes, deciding cases and snapshots of a situation;
//! how snapshots are written back into their file; and coverage of the rules by tests and examples.

use crate::common::{Folder, Run, repository};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::testing::coverage::{self, Coverage, CoverageShare, LayerCoverage};
use casebook::testing::unused::UnusedPart;
use std::sync::Arc;

const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
const FILE: &str = "tests/skirmish/bridge.yaml";
const LOSSES: &str = "variants/errata/rules/02-losses/2.1-losses.rhai";

/// Four tests that hold, in every form.
const PASSING_TESTS: &str = r#"form: 1          # of this file
title: At the bridge

tests:
  # Red crosses.
  - test: A good throw
    given: bridge
    dice: [5]
    then: { attacker losses: 0, defender losses: 2 }
    cites: ["2.1", "1.1 skirmish", table combat]

  - test: With the slip, riders stand behind
    given: bridge
    with: [errata]
    readings: { "1.1.wagons": help }
    choose: { "Blue: first to lose": Blue riders }
    seed: 3
    when: attack
    cites: ["2.1 errata"]

  - test: Frost left out
    given: bridge
    with: [errata, winter]
    options: { winter.frost: off }
    dice: [1]
    then: { attacker losses: 2 }

  - test: Nobody is there
    given: bridge
    but: { from: "0203" }
    refused: "1.1"
"#;

/// The small game with a file of tests.
fn folder_with_tests(tests: &str) -> Folder {
    let folder = Folder::skirmish();
    folder.write(FILE, tests);
    folder
}

/// A file with one test of the bridge.
fn folder_with_test(lines: &str) -> Folder {
    folder_with_tests(&format!(
        "tests:\n  - test: The bridge\n    given: bridge\n{lines}"
    ))
}

/// The tests fail, and the output holds all of these texts.
fn assert_fails(folder: &Folder, expected: &[&str]) -> Run {
    let run = folder.run(&["test", "bridge"]);
    assert_eq!(run.status, Some(1), "{}", run.terminal_output());
    for part in expected {
        assert!(run.out.contains(part), "no `{part}` in\n{}", run.out);
    }
    run
}

/// `test --accept` fails with this message; no file changes.
fn assert_refuses_to_write(folder: &Folder, expected: &str) {
    let before = folder.file_times();
    let run = folder.run(&["test", "bridge", "--accept"]);
    assert_eq!(run.status, Some(1), "{}", run.terminal_output());
    assert!(
        run.out.contains(expected),
        "no `{expected}` in\n{}",
        run.out
    );
    assert_eq!(folder.file_times(), before, "nothing was written");
}

// What is claimed holds

#[test]
fn tests_that_hold() {
    let run = folder_with_tests(PASSING_TESTS)
        .run(&["test", "tests/", "-v"])
        .expect_success();
    for name in [
        "A good throw",
        "With the slip",
        "Frost left out",
        "Nobody is there",
        "4 examples hold, 0 fail",
    ] {
        assert!(run.out.contains(name), "{}", run.out);
    }
}

#[test]
fn tests_beside_a_situation_are_given_it() {
    let folder = Folder::skirmish();
    folder.append(
        BRIDGE,
        "tests:\n  - test: A good throw\n    dice: [5]\n    then: { defender losses: 2 }\n",
    );
    assert!(
        folder
            .run(&["test", "-v"])
            .expect_success()
            .out
            .contains("ok  A good throw")
    );
    folder.replace(BRIDGE, "defender losses: 2", "defender losses: 4");
    assert_fails(
        &folder,
        &["expected 4, got 2", "scenarios/skirmish/bridge.yaml:21:30"],
    );
}

#[test]
fn tests_are_printed_as_json() {
    let folder = folder_with_tests(PASSING_TESTS);
    folder.replace(FILE, "defender losses: 2", "defender losses: 3");
    let run = folder.run(&["test", FILE, "--format", "json"]);
    assert_eq!(
        (run.json()["passed"].as_u64(), run.json()["failed"].as_u64()),
        (Some(3), Some(1))
    );
    let place = &run.json()["examples"][0]["complaint"]["place"];
    assert_eq!(
        (
            place["path"].as_str(),
            place["span"]["line"].as_u64(),
            place["span"]["column"].as_u64()
        ),
        (Some(FILE), Some(9), Some(50))
    );
}

// What is claimed does not hold

#[test]
fn a_wrong_outcome_names_the_line_that_decided_it() {
    let folder = folder_with_test("    dice: [5]\n    then: { defender losses: 3 }\n");
    assert_fails(
        &folder,
        &[
            "error[test]: `defender losses`: expected 3, got 2",
            "tests/skirmish/bridge.yaml:5:30",
            "rules/skirmish/01-battle/1.1-attack.rhai:27:4",
            "1.1 settled it",
            "the line that decided: Blue riders loses 2 and has 0 left.  [2.1]",
        ],
    );
}

#[test]
fn every_failed_claim_is_reported() {
    let folder = folder_with_test(
        "    dice: [5]\n    then: { defender losses: 3, atacker losses: 1 }\n    cites: [\"2.1\", \"2.2\", \"2.1 errata\"]\n",
    );
    let expected = [
        "got 2",
        "no outcome is called `atacker losses`; did you mean `attacker losses`?",
        "2.2 decided nothing",
        "2.1 errata decided",
    ];
    assert_fails(&folder, &expected);
}

#[test]
fn unexpected_refusals_are_reported() {
    assert_fails(
        &folder_with_test("    dice: [5]\n    refused: \"1.1\"\n"),
        &["expected a refusal by 1.1, and nothing refused"],
    );
    let wrong_place = "    but: { from: \"0203\" }\n";
    assert_fails(
        &folder_with_test(&format!("{wrong_place}    refused: \"2.1\"\n")),
        &["expected a refusal by 2.1; it was refused by 1.1"],
    );
    assert_fails(
        &folder_with_test(&format!(
            "{wrong_place}    then: {{ attacker losses: 1 }}\n"
        )),
        &[
            "error[test]: refused: nobody in 0203 may attack",
            "expects a refusal",
        ],
    );
    // A refusal is never taken as it comes out: that it is right is said by a hand.
    let refused = folder_with_test(wrong_place);
    let run = refused.run(&["test", FILE, "--accept"]);
    assert_eq!(run.status, Some(1), "{}", run.terminal_output());
    assert!(!refused.read(FILE).contains("Refused"));
}

#[test]
fn dice_are_as_many_as_are_thrown() {
    assert_fails(
        &folder_with_test("    dice: [5, 5]\n    then: { defender losses: 2 }\n"),
        &["error[dice]", "bridge.yaml:4:11"],
    );
    assert_fails(
        &folder_with_test("    dice: []\n    then: { defender losses: 2 }\n"),
        &["error[dice]"],
    );
    assert_fails(
        &folder_with_test("    dice: [7]\n    then: { defender losses: 2 }\n"),
        &["error[dice]"],
    );
}

const CASE_TESTS: &str = "tests/skirmish/01-battle/1.1-attack.yaml";

/// A test beside a case is an example of it, and sets up and expects figures of the board.
#[test]
fn a_test_of_a_case_needs_no_script() {
    let folder = Folder::skirmish();
    let test = "tests:\n  - test: Three against one\n    id: RED-001 stated\n    given: bridge\n    pieces:\n      \
                - { name: Blue scouts, kind: rider, side: Blue, value: \"2-4\", at: \"0303\" }\n    dice: [5]\n    \
                board: { \"Blue scouts: at\": \"0303\", \"Blue scouts: gone\": false, \"track: turn\": 3 }\n";
    folder.write(CASE_TESTS, test);
    folder.run(&["check"]).expect_success();
    for filter in ["1.1-attack.yaml", "rules/skirmish/01-battle/1.1-attack"] {
        let run = folder
            .run(&["test", filter, "--format", "json"])
            .expect_success();
        assert!(run.out.contains("RED-001 stated"), "{filter}: {}", run.out);
    }
    let shown = folder.run(&["show", "1.1"]).expect_success().out;
    assert!(
        shown.contains("RED-001 stated")
            && shown.contains("rulings: Three against one")
            && shown.contains(CASE_TESTS),
        "{shown}"
    );
    for (old, new, message) in [
        (
            "\"track: turn\": 3",
            "\"track: turn\": 4",
            "the board has 3 for `track: turn`; the test expects 4",
        ),
        (
            "\"track: turn\"",
            "\"track: tur\"",
            "no track is called `tur`; did you mean `turn`?",
        ),
        (
            "\"Blue scouts: at\"",
            "\"Blue scoots: at\"",
            "no piece is called `Blue scoots`; did you mean `Blue scouts`?",
        ),
        (
            "\"Blue scouts: at\"",
            "\"Blue scouts: att\"",
            "pieces have no figure `att`; did you mean `at`?",
        ),
        (
            "\"Blue scouts: at\"",
            "Blue scouts",
            "`Blue scouts` names no figure of a piece",
        ),
        ("kind: rider", "kind: ridr", "ridr"),
    ] {
        folder.write(CASE_TESTS, test.replace(old, new));
        let run = folder.run(&["test", "1.1-attack"]);
        assert!(
            run.status == Some(1) && run.out.contains(message),
            "no `{message}` in\n{}",
            run.terminal_output()
        );
    }
    folder
        .write(CASE_TESTS, test)
        .write("tests/skirmish/01-battle/1.9-nothing.yaml", test);
    let run = folder.run(&["check"]);
    assert!(
        run.status == Some(1) && run.out.contains("these tests have no case"),
        "{}",
        run.terminal_output()
    );
}

/// In the folder of a variant, that variant is in force.
#[test]
fn a_test_of_a_variants_case_is_under_the_variant() {
    let folder = Folder::skirmish();
    let test = "tests:\n  - test: By the errata\n    given: bridge\n    dice: [5]\n    cites: [\"2.1 errata\"]\n";
    folder.write("variants/errata/tests/02-losses/2.1-losses.yaml", test);
    folder.run(&["check"]).expect_success();
    assert!(
        folder
            .run(&["test", "2.1-losses.yaml"])
            .expect_success()
            .out
            .contains("1 examples hold, 0 fail")
    );
}

#[test]
fn what_a_test_names_exists() {
    for (lines, message) in [
        (
            "    when: atack\n",
            "no procedure is called `atack`; did you mean `attack`?",
        ),
        (
            "    with: [erata]\n",
            "no variant is called `erata`; did you mean `errata`?",
        ),
        (
            "    options: { winter.frost: on }\n",
            "no option in force is called `winter.frost`",
        ),
        (
            "    readings: { \"1.1.wagons\": burn }\n",
            "can't be read as `burn`",
        ),
        (
            "    choose: { \"Blue: first to lose\": Nobody }\n",
            "error[choice]",
        ),
    ] {
        assert_fails(
            &folder_with_test(&format!(
                "    dice: [5]\n{lines}    then: {{ defender losses: 2 }}\n"
            )),
            &[message],
        );
    }
    assert_fails(
        &folder_with_tests("tests:\n  - test: a\n    given: bridg\n"),
        &[
            "error[unknown-name]",
            "`bridg`",
            "did you mean `bridge`?",
            "bridge.yaml:3:12",
        ],
    );
}

#[test]
fn what_a_test_says_is_written_as_it_should_be() {
    for (text, message) in [
        (
            "tests:\n  - test: a\n    then: { x: 1 }\n",
            "`given:` is missing",
        ),
        ("tests:\n  - given: bridge\n", "`test:` is missing"),
        (
            "tests:\n  - test: a\n    given: bridge\n    than: { x: 1 }\n",
            "`than` is not a key of this part; did you mean `then`?",
        ),
        (
            "tests:\n  - test: a\n    given: bridge\n    then: 3\n",
            "this part takes names and values",
        ),
        (
            "tests:\n  - test: a\n    given: bridge\n    dice: [\"a:b\"]\n",
            "`a:b` is not a face",
        ),
        (
            "tests:\n  - test: a\n    given: bridge\n    seed: -1\n",
            "`-1` is not a whole number from 0 up",
        ),
        (
            "tests:\n  - test: a\n    given: bridge\n    seed: 1\n    dice: [1]\n",
            "two ways to throw",
        ),
        ("tests: bridge\n", "a list of tests belongs here"),
        ("tests: {}\n", "a list of tests belongs here"),
        ("title: none\n", "`tests:` is missing"),
        ("- test: a\n", "this part takes keys and values"),
        ("tests:\n  - test: [a\n", "error[yaml]"),
        ("", "this file is empty"),
        (
            "form: 0\ntests:\n  - test: a\n    given: bridge\n",
            "of form 0; this casebook reads form 1",
        ),
        (
            "form: 2\ntests: []\n",
            "of form 2; this casebook reads form 1",
        ),
    ] {
        let folder = folder_with_tests(text);
        assert_fails(&folder, &[message]);
        assert_refuses_to_write(&folder, message);
        let check = folder.run(&["check"]);
        assert!(
            check.status == Some(1)
                && check.out.contains(message)
                && check.out.ends_with("\n1 complaint\n"),
            "{}",
            check.terminal_output()
        );
    }
}

#[test]
fn tests_beside_a_situation_are_checked_with_it() {
    let folder = Folder::skirmish();
    folder.append(BRIDGE, "tests:\n  - test: a\n    than: { x: 1 }\n");
    for command in ["check", "test"] {
        let run = folder.run(&[command]);
        assert!(
            run.status == Some(1)
                && run.out.matches("`than` is not a key of this part").count() == 1,
            "{}",
            run.terminal_output()
        );
    }
    folder.replace(BRIDGE, "title: At the bridge", "title: [At the bridge");
    assert!(folder.run(&["check"]).out.ends_with("\n1 complaint\n"));
}

#[test]
fn tests_stand_in_the_folder_of_their_game() {
    let folder = Folder::skirmish();
    folder.run(&["check"]).expect_success();
    for path in ["tests/bridge.yaml", "tests/skirmis/bridge.yaml"] {
        folder.write(path, "tests: []\n");
        let run = folder.run(&["check"]);
        assert!(
            run.status == Some(1) && run.out.contains("Casebook reads no file at this place"),
            "{}",
            run.terminal_output()
        );
        std::fs::remove_file(folder.0.join(path)).expect("it was written");
    }
    // Other files in such folders are ignored.
    folder
        .write("tests/fixtures/data.yaml", "a: 1\n")
        .write("tests/skirmish/notes.txt", "a");
    folder.run(&["check"]).expect_success();
    folder.run(&["test"]).expect_success();
}

#[test]
fn tests_of_ones_own_are_laid_over_the_built_in_rules() {
    let folder = Folder::empty();
    folder.write(
        "tests/wbts/mine.yaml",
        "tests:\n  - test: Mine\n    given: lee-attacks-porter\n    then: { attack: Longstreet }\n",
    );
    let run = folder.run(&["test", "mine.yaml"]);
    assert!(
        run.status == Some(1) && run.out.contains("`attack`: expected Longstreet, got"),
        "{}",
        run.terminal_output()
    );
}

// Snapshots

/// A file with its author's own formatting.
const HAND_WRITTEN: &str = "# Ours.\ntitle:   \"odd   spacing\"\n\ntests:\n- test: first   # a note\n  given: bridge\n  dice: [5]\n  snapshot: |  # kept\n    old\n\n  # a comment between\n  note: \"after\"\n\n- {test: second, given: bridge, dice: [4], then: {defender losses: 2}}\n- given: bridge\n  test: third\n  dice:\n    - 6\n  # said last\n\n# the end";

#[test]
fn accepting_touches_snapshots_and_nothing_else() {
    let folder = folder_with_tests(HAND_WRITTEN);
    assert_fails(
        &folder,
        &[
            "error[snapshot]: the ruling differs from the snapshot",
            "bridge.yaml:8:3",
            "-old",
            "+At the bridge",
            "this test has no expected result yet",
        ],
    );
    let run = folder.run(&["test", FILE, "--accept"]).expect_success();
    assert!(
        run.out.contains("accepted  first")
            && run.out.contains("accepted  third")
            && !run.out.contains("second"),
        "{}",
        run.out
    );
    let text = folder.read(FILE);
    let is_original = |line: &&str| HAND_WRITTEN.lines().any(|l| l == *line) && !line.is_empty();
    let kept: Vec<&str> = text.lines().filter(is_original).collect();
    let before: Vec<&str> = HAND_WRITTEN
        .lines()
        .filter(|line| !line.is_empty() && *line != "    old")
        .collect();
    assert_eq!(
        kept, before,
        "every line of the author stands where it stood"
    );
    assert!(
        text.starts_with(
            "# Ours.\ntitle:   \"odd   spacing\"\n\ntests:\n- test: first   # a note\n"
        )
    );
    assert!(text.contains("  snapshot: |  # kept\n    At the bridge\n    attack · skirmish · dice 5\n\n    Attack\n"), "{text}");
    assert!(
        text.contains("    - 6\n  snapshot: |\n    At the bridge\n"),
        "{text}"
    );
    assert!(text.ends_with("\n  # said last\n\n# the end"), "{text}");
    // Once accepted it holds, and accepting again writes nothing.
    folder.run(&["test", FILE]).expect_success();
    let before = folder.file_times();
    folder.run(&["test", "--accept"]).expect_success();
    assert_eq!(folder.file_times(), before);
}

#[test]
fn lines_end_as_they_did() {
    let folder = folder_with_tests(&format!(
        "\u{feff}{}",
        "tests:\n  - test: a\n    given: bridge\n    snapshot:\n".replace('\n', "\r\n")
    ));
    folder.run(&["test", FILE, "--accept"]).expect_success();
    let text = folder.read(FILE);
    assert!(text.starts_with("\u{feff}tests:\r\n"));
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    folder.run(&["test", FILE]).expect_success();
}

#[test]
fn a_snapshot_stands_beside_a_situation_too() {
    let folder = Folder::skirmish();
    let before = folder.read(BRIDGE) + "tests:\n  - test: kept\n    dice: [5]";
    folder.write(BRIDGE, &before);
    folder.run(&["test", "bridge", "--accept"]).expect_success();
    let text = folder.read(BRIDGE);
    assert!(
        text.starts_with(&format!("{before}\n    snapshot: |\n      At the bridge\n")),
        "{text}"
    );
    folder.run(&["test"]).expect_success();
    folder.run(&["check"]).expect_success();
}

#[test]
fn a_ruling_that_moved_is_shown_with_the_amendments_that_answered() {
    let folder = folder_with_test("    dice: [4]\n    with: [errata]\n    snapshot:\n");
    folder.run(&["test", FILE, "--accept"]).expect_success();
    folder.replace(
        LOSSES,
        "order.where(|u| u.kind == \"rider\")",
        "order.where(|u| u.kind == \"rider\").where(|u| u.strength > 9)",
    );
    folder.replace(
        LOSSES,
        "order.where(|u| u.kind != \"rider\") +",
        "order.where(|u| u.kind == \"rider\") +",
    );
    let run = assert_fails(
        &folder,
        &[
            "error[snapshot]",
            "    -  Blue foot loses 2",
            "    +  Blue riders loses 2",
            "amendments that answered: 2.1 errata",
        ]
        .map(|s| s.trim_start()),
    );
    assert!(
        !run.out.contains("\u{1b}["),
        "no colours where nobody looks"
    );
    let json = folder.run(&["test", FILE, "--format", "json"]).json();
    let difference = &json["examples"][0]["difference"];
    assert_eq!(difference["amendments"], serde_json::json!(["2.1 errata"]));
    assert!(difference["lines"].as_array().is_some_and(|lines| {
        lines
            .iter()
            .any(|l| l.as_str().is_some_and(|l| l.starts_with("-  Blue foot")))
    }));
    // An amendment that answers for the first time is listed separately.
    let folder = folder_with_test("    dice: [4]\n    snapshot:\n");
    folder.run(&["test", FILE, "--accept"]).expect_success();
    folder.replace(
        FILE,
        "    dice: [4]\n",
        "    dice: [4]\n    with: [errata]\n",
    );
    assert_fails(
        &folder,
        &["amendments that answered, and are not in the snapshot: 2.1 errata"],
    );
}

#[test]
fn what_a_ruling_rests_on_moves_no_snapshot() {
    let folder = folder_with_test("    dice: [6]\n    with: [errata]\n    snapshot:\n");
    folder.run(&["test", FILE, "--accept"]).expect_success();
    folder.replace(
        "tables/skirmish/combat.yaml",
        "row: 6, status: reconstructed",
        "row: 6, status: derived",
    );
    folder.run(&["test", FILE]).expect_success();
}

#[test]
fn nothing_is_accepted_where_a_claim_fails() {
    assert_refuses_to_write(
        &folder_with_test(
            "    dice: [5]\n    then: { defender loss: 9 }\n    snapshot: |\n      old\n",
        ),
        "defender losses",
    );
}

/// A value that the ruling has otherwise is taken with the snapshot, and all else stays; the answer shows what was written.
#[test]
fn what_comes_out_is_accepted() {
    let folder = folder_with_test(
        "    dice: [5]\n    # as we read it\n    then: { defender losses: 9 }\n    snapshot: |\n      old\n",
    );
    let unknown = folder.run(&["test", FILE, "--accept", "The brook"]);
    assert!(
        unknown.status == Some(2) && unknown.err.contains("is no test here"),
        "{}",
        unknown.terminal_output()
    );
    let run = folder
        .run(&["test", FILE, "--accept", "The bridge"])
        .expect_success();
    assert!(
        run.out
            .contains("-defender losses: 9\n  +defender losses: 2"),
        "{}",
        run.out
    );
    let text = folder.read(FILE);
    assert!(
        text.contains("# as we read it\n    then: { defender losses: 2 }")
            && text.contains("Blue riders loses 2"),
        "{text}"
    );
    folder.run(&["test", FILE]).expect_success();
}

/// At a prompt each test that expects otherwise is shown, and becomes what its author says.
#[test]
fn differences_are_reviewed() {
    let folder = folder_with_test("    dice: [5]\n    then: { defender losses: 9 }\n");
    let before = folder.read(FILE);
    let skipped = folder.run_with(&["test", FILE, "--review"], "x\ns\n");
    assert!(
        skipped.status == Some(1) && skipped.out.contains("0 accepted, 0 rejected, 1 skipped"),
        "{}",
        skipped.terminal_output()
    );
    assert_eq!(folder.read(FILE), before);
    let accepted = folder.run_with(&["test", FILE, "--review"], "a\n");
    assert!(
        accepted.out.contains("Blue riders loses 2 and has 0 left.")
            && accepted.out.contains("1 accepted"),
        "{}",
        accepted.terminal_output()
    );
    folder.run(&["test", FILE]).expect_success();
}

/// Whatever form a test has, its snapshot is written, and everything else stays.
#[test]
fn a_snapshot_is_accepted_in_any_form() {
    for (before, behind) in [
        (
            "tests:\n  - { test: a, given: bridge, dice: [5]",
            " } # so\n",
        ),
        (
            "tests: [{ test: a, given: bridge, dice: [5], snapshot: ",
            "old }]\n",
        ),
        (
            "tests:\n- test: a\n  given: bridge\n  dice: [5]\n  \"snapshot\": ",
            "old",
        ),
        (
            "tests:\n- test: a\n  given: bridge\n  dice: [5]\n  snapshot: ",
            ">\n    old\n",
        ),
        (
            "tests:\n- test: a\n  given: bridge\n  dice: [5]\n  note: |\n    told\n    # so\n",
            "",
        ),
    ] {
        let folder = folder_with_tests(&format!("{before}{behind}"));
        folder.run(&["test", FILE, "--accept"]).expect_success();
        let text = folder.read(FILE);
        let kept = behind
            .trim_start_matches("old")
            .trim_start_matches(">\n    old\n");
        assert!(text.starts_with(before) && text.ends_with(kept), "{text}");
        folder.run(&["test", FILE]).expect_success();
        folder.run(&["check"]).expect_success();
    }
}

#[test]
fn nothing_is_accepted_into_the_binary() {
    let (folder, chart) = (Folder::empty(), "tables/wbts/combat-attrition.yaml");
    let printed = std::fs::read_to_string(repository().join(chart)).expect("the chart is there");
    folder.write(chart, printed.replace("[0, 2, 4, 6, 8,", "[0, 2, 5, 6, 8,"));
    let before = folder.file_times();
    let run = folder.run(&["test", "tests/wbts/", "--accept"]);
    assert!(
        run.status == Some(1) && run.out.contains("is not on the disk as it was read"),
        "{}",
        run.terminal_output()
    );
    assert_eq!(folder.file_times(), before);
}

#[test]
fn any_text_at_all_is_survived() {
    for text in [
        "tests",
        "tests:",
        "tests: [",
        "\0",
        "tests:\n  - \n",
        "tests:\n  - - a\n",
        "tests:\n  - test: {a: b}\n",
        "---\n...\n",
        "tests:\n  - ~\n",
    ] {
        let folder = folder_with_tests(text);
        let run = folder.run(&["test", "bridge", "--accept"]);
        assert!(
            run.status.is_some_and(|status| status < 2),
            "{}",
            run.terminal_output()
        );
        assert_eq!(folder.read(FILE), text);
    }
}

// Coverage

fn measured(folder: &Folder) -> Coverage {
    let files = Files::with_folder(&folder.0, casebook::EMBEDDED).expect("the folder is there");
    coverage::measure(&Arc::new(Library::new(files.read_all())), "skirmish")
        .expect("it is measured")
}

fn layer(coverage: &Coverage, name: &str) -> LayerCoverage {
    let mut layers = coverage.layers.iter();
    let layer = layers.find(|layer| layer.layer == name);
    layer
        .unwrap_or_else(|| panic!("no layer {name} in {coverage:#?}"))
        .clone()
}

fn share(reached: usize, total: usize) -> CoverageShare {
    CoverageShare { reached, total }
}

#[test]
fn coverage_counts_what_examples_and_tests_reach() {
    let folder = Folder::skirmish();
    let coverage = measured(&folder);
    let skirmish = layer(&coverage, "skirmish");
    assert_eq!(skirmish.cases, share(2, 2));
    // One of 18 cells is missing.
    assert_eq!(skirmish.cells, share(1, 17));
    assert_eq!(skirmish.cells_missing, 1);
    assert_eq!(
        skirmish.functions_not_reached["1.1"],
        ["attack_odds/2", "attack/1"]
    );
    assert_eq!(
        skirmish.cells_not_reached["combat"][..2],
        ["odds 1:2, 2:1", "odds 1:1, die 1, 2, 4 to 6"]
    );
    assert_eq!(layer(&coverage, "errata").amendments, Some(share(0, 2)));
    assert_eq!(layer(&coverage, "winter").cases_not_reached, ["3.0"]);
    let json = folder
        .run(&["coverage", "--format", "json"])
        .expect_success()
        .json();
    assert_eq!(
        json["games"][0]["blocks"][1]["rows"][0],
        serde_json::json!([
            "skirmish",
            "2 of 2 100%",
            "2 of 6  33%",
            "1 of 17   5%",
            "",
            "1"
        ])
    );
    folder.write(FILE, PASSING_TESTS);
    let coverage = measured(&folder);
    let skirmish = layer(&coverage, "skirmish");
    assert_eq!(skirmish.functions, share(6, 6));
    assert!(skirmish.cells.reached > 1);
    assert_eq!(layer(&coverage, "errata").cases.reached, 1);
    assert_eq!(
        layer(&coverage, "winter").cases.reached,
        0,
        "the option was off"
    );
}

#[test]
fn coverage_is_printed_as_text() {
    let folder = folder_with_tests(PASSING_TESTS);
    let out = folder.run(&["coverage"]).expect_success().out;
    for part in [
        "Skirmish\n\n  8 examples and tests\n",
        "2 of 2 100%",
        "Not reached of winter\n  cases: 3.0\n",
        "Not reached of skirmish\n  cells of combat: ",
    ] {
        assert!(out.contains(part), "no `{part}` in\n{out}");
    }
    folder.replace(FILE, "defender losses: 2", "defender losses: 3");
    assert!(
        folder
            .run(&["coverage"])
            .expect_success()
            .out
            .contains("8 examples and tests, 1 of them fail\n")
    );
    let run = folder.run(&["coverage", "--game", "skirmis"]);
    assert!(
        run.status == Some(2) && run.err.contains("did you mean `skirmish`?"),
        "{}",
        run.terminal_output()
    );
}

#[test]
fn unreachable_cells_are_listed_separately() {
    let folder = Folder::skirmish();
    folder.replace(
        "tables/skirmish/combat.yaml",
        "labels: [1, 2, 3, 4, 5, 6] }",
        "labels: [\"..0\", 1, 2, 3, 4, 5, 6, \"7+\"] }",
    );
    folder.replace(
        "tables/skirmish/combat.yaml",
        "cells:\n",
        "cells:\n  \"..0\": [\"3/0\", \"3/0\", \"3/0\"]\n  \"7+\": [\"0/4\", \"0/4\", \"0/4\"]\n",
    );
    folder.run(&["check"]).expect_success();
    let skirmish = layer(&measured(&folder), "skirmish");
    assert_eq!(skirmish.cells.total, 17);
    assert_eq!(
        skirmish.cells_out_of_reach["combat"],
        ["odds 1:2 to 2:1, die ..0, 7+"]
    );
    assert!(
        folder
            .run(&["coverage"])
            .expect_success()
            .out
            .contains("cells no throw falls on, of combat: odds 1:2 to 2:1, die ..0, 7+")
    );
}

#[test]
fn what_nobody_asks_and_what_moves_nothing_is_listed_unless_a_card_says_why() {
    let folder = Folder::skirmish();
    let entries = |parts: &[UnusedPart]| -> Vec<(String, Option<String>)> {
        let row = |part: &UnusedPart| {
            (
                format!("{} {} {}", part.layer, part.name, part.functions.join(", ")),
                part.reason.clone(),
            )
        };
        parts.iter().map(row).collect()
    };
    let asked_by_nobody = || entries(&measured(&folder).asked_by_nobody);
    assert_eq!(asked_by_nobody(), []);
    // Frost: one point less, and the odds are still 1:1. The errata have a hand in the losses whoever looks.
    let moving: Vec<String> = entries(&measured(&folder).moves_nothing)
        .into_iter()
        .map(|(what, _)| what)
        .collect();
    assert!(moving.contains(&"winter 3.0 ".to_string()), "{moving:?}");
    assert!(
        !moving.contains(&"errata bridge ".to_string()),
        "{moving:?}"
    );
    folder.append(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "\n/// Whether anybody may rest.\nfn may_rest(unit) { true }\n",
    );
    assert_eq!(
        asked_by_nobody(),
        [("skirmish 1.1 may_rest/1".to_string(), None)]
    );
    let notes = folder.run(&["check"]).expect_success().out;
    assert!(
        notes.contains("note[idle]: no procedure asks may_rest/1")
            && notes.contains("1.1-attack.rhai:57:4"),
        "{notes}"
    );
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "//! procedure: attack\n",
        "//! procedure: attack\n//! idle: rest is for another day\n",
    );
    assert_eq!(
        asked_by_nobody()[0].1.as_deref(),
        Some("rest is for another day")
    );
    assert!(
        !folder
            .run(&["check"])
            .expect_success()
            .out
            .contains("note[idle]")
    );
}

/// A procedure calls every public function, or the card says why none does.
#[test]
fn every_public_function_of_the_games_is_asked() {
    let library = casebook::built_in();
    for game in library.games.keys() {
        let uncalled = casebook::testing::unused::uncalled_functions(&library, game)
            .expect("the game can be put in force");
        let unexplained: Vec<String> = uncalled
            .iter()
            .filter(|uncalled| uncalled.reason.is_none())
            .map(|uncalled| uncalled.label())
            .collect();
        assert!(
            unexplained.is_empty(),
            "no procedure of {game} asks {}",
            unexplained.join(", ")
        );
    }
}

/// What is pinned is the same in whatever terminal, language and time zone it is made and held.
#[test]
fn what_is_pinned_does_not_hang_on_the_terminal() {
    let folder = folder_with_test("    snapshot: |\n      stale\n");
    folder.run(&["test", FILE, "--accept"]).expect_success();
    let pinned = folder.read(FILE);
    assert!(
        pinned.lines().any(|line| line.len() > 60),
        "a line is longer than the narrow terminal:\n{pinned}"
    );
    for (name, value) in [
        ("COLUMNS", "30"),
        ("COLUMNS", "80"),
        ("LANG", "de_DE.UTF-8"),
        ("TZ", "Asia/Tokyo"),
        ("NO_COLOR", "1"),
        ("TERM", "dumb"),
    ] {
        folder
            .run_configured(&["test", FILE], |command| command.env(name, value))
            .expect_success();
        folder
            .run_configured(&["test", FILE, "--accept"], |command| {
                command.env(name, value)
            })
            .expect_success();
        assert_eq!(folder.read(FILE), pinned, "{name}={value}");
    }
}
