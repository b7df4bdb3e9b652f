//! Quality of tests: examples that can't fail are errors, and unreadable files of tests are reported.

use crate::common::{Folder, Says};

const LOSSES: &str = "rules/skirmish/02-losses/2.1-losses.rhai";
const TESTS: &str = "tests/skirmish/bridge.yaml";

/// What `casebook test` says of a small game with an example put beside its losses, as a snapshot.
fn assert_example(name: &str, example: &str) {
    let folder = Folder::skirmish();
    folder.append(LOSSES, &format!("\n{example}\n"));
    assert_output(name, &folder, &["test", "2.1"]);
}

fn assert_output(name: &str, folder: &Folder, args: &[&str]) {
    let run = folder.run(args);
    let output = run
        .terminal_output()
        .replace(&*folder.0.to_string_lossy(), "(the test's folder)");
    assert_eq!(run.status, Some(1), "{output}");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => true }, { insta::assert_snapshot!(name, output) });
}

#[test]
fn an_example_without_a_body() {
    assert_example("an-example-without-a-body", "fn example_nothing() { }");
}

#[test]
fn an_expectation_that_is_never_met() {
    assert_example(
        "an-expectation-that-is-never-met",
        "fn example_never() { if false { expect(1, 2); } }",
    );
    assert_example(
        "an-expectation-within-try",
        "fn example_try() { try { expect(1, 2); } catch { } }",
    );
}

#[test]
fn a_piece_that_is_gone() {
    let setup = "setup([#{ name: \"Guard\", kind: \"footman\", side: \"Red\", at: \"0201\", strength: 2 }]); remove(piece(\"Guard\"), \"lost\");";
    assert_example(
        "a-piece-that-is-gone",
        &format!("fn example_gone() {{ {setup} expect(piece(\"Guard\").strength, 2); }}"),
    );
}

#[test]
fn dice_left_over() {
    assert_example(
        "dice-left-over",
        "fn example_dice() { dice([3, 4]); expect(roll(\"1d6\", \"luck\"), 3); }",
    );
    assert_example(
        "dice-put-away",
        "fn example_dice() { dice([3, 4]); dice([5]); expect(roll(\"1d6\", \"luck\"), 5); }",
    );
}

#[test]
fn an_answer_nobody_asks_for() {
    let body = "answers(#{ \"Red: bidd\": 2 }); expect(choose(\"Red\", \"bid\", [1, 2]), 1);";
    assert_example(
        "an-answer-nobody-asks-for",
        &format!("fn example_answers() {{ {body} }}"),
    );
}

#[test]
fn a_line_above_an_example_that_says_nothing() {
    assert_example(
        "a-line-above-an-example-that-says-nothing",
        "/// ours\n/// wiht: winter\nfn example_line() { expect(1, 1); }",
    );
}

#[test]
fn an_option_that_is_neither_on_nor_off() {
    let doc = "/// ours\n/// with: winter\n/// option: winter.frost=maybe\n";
    assert_example(
        "an-option-that-is-neither-on-nor-off",
        &format!("{doc}fn example_option() {{ expect(1, 1); }}"),
    );
}

#[test]
fn a_reading_that_does_not_exist() {
    assert_example(
        "a-reading-that-does-not-exist",
        "/// ours\n/// reading: 1.1.wagons=hlep\nfn example_reading() { expect(1, 1); }",
    );
    assert_example(
        "a-reading-without-a-way",
        "/// ours\n/// reading: 1.1.wagons\nfn example_reading() { expect(1, 1); }",
    );
}

#[test]
fn nothing_is_not_everything() {
    assert_example(
        "a-map-held-against-an-empty-one",
        "fn example_map() { expect(#{ lost: 3 }, #{ }); }",
    );
    assert_example(
        "a-number-compared-with-a-text",
        "fn example_kind() { expect(0, \"0\"); }",
    );
}

#[test]
fn a_refusal_is_reported_in_words() {
    let call = "attack(#{ from: \"0101\", into: \"0808\", side: \"Red\" })";
    assert_example(
        "a-refusal-is-reported-in-words",
        &format!("fn example_refusal() {{ setup(\"bridge\"); {call}; expect(min(1, 2), 1); }}"),
    );
}

#[test]
fn a_test_file_that_is_no_text() {
    let folder = Folder::skirmish();
    folder.write(TESTS, b"tests:\n  - test: \0\n".as_slice());
    assert_output("a-test-file-that-is-no-text", &folder, &["test"]);
}

#[test]
fn a_test_file_with_another_ending() {
    let folder = Folder::skirmish();
    folder.write("tests/skirmish/bridge.yml", "tests: []\n");
    assert_output("a-test-file-with-another-ending", &folder, &["test"]);
}

#[test]
fn a_table_that_can_not_be_read() {
    let folder = Folder::skirmish();
    folder.replace("tables/skirmish/combat.yaml", "cells:", "cells: [");
    assert_output("a-table-that-can-not-be-read", &folder, &["test", "combat"]);
}

/// What is wrong in a table is shown there, not where a question is asked of it.
#[test]
fn a_table_with_a_tag() {
    let folder = Folder::skirmish();
    folder.replace(
        "tables/skirmish/combat.yaml",
        "status: printed\n",
        "status: !!str printed\n",
    );
    assert_output("a-table-with-a-tag", &folder, &["test", "combat"]);
}

/// A refusal has values for all its placeholders, or is a fault of the rule.
#[test]
fn a_refusal_without_its_values() {
    let folder = Folder::skirmish();
    folder.append(LOSSES, "\nfn example_refusal() { expect_refused(|| refuse(\"{} is {}\", [1].map(|n| n)), \"2.1\"); }\n");
    assert_output("a-refusal-without-its-values", &folder, &["test", "2.1"]);
}

#[test]
fn an_answer_of_a_test_nobody_asks_for() {
    let folder = Folder::skirmish();
    let test = "tests:\n  - test: The bridge\n    given: bridge\n    choose: { frist to lose: Red foot }\n    dice: [3]\n    then: { defender losses: 1 }\n";
    folder.write(TESTS, test);
    assert_output(
        "an-answer-of-a-test-nobody-asks-for",
        &folder,
        &["test", "tests/"],
    );
}

/// A test file sees the private functions of its case; its examples count with the case, and fail at their own place.
#[test]
fn an_example_of_a_test_file() {
    let (folder, tests) = (
        Folder::skirmish(),
        "tests/skirmish/02-losses/2.1-losses.rhai",
    );
    folder.append(LOSSES, "\nprivate fn halved(points) { points / 2 }\n");
    let output_of = |args: &[&str]| folder.run(args).out;
    folder.write(tests, "private fn five() { 5 }\n\n/// 2.1 stated\nfn example_half() { expect(halved(five()), 2); }\n");
    // The case's own and that of its test file.
    output_of(&["test", "2.1-losses"]).holds("2 examples hold, 0 fail");
    // They belong to the case.
    output_of(&["test", LOSSES]).holds("2 examples hold, 0 fail");
    // Those of the test file alone.
    output_of(&["test", tests]).holds("1 examples hold, 0 fail");
    assert!(
        output_of(&["check"]).starts_with("0 complaints"),
        "{}",
        output_of(&["check"])
    );
    output_of(&["show", "2.1"]).holds(tests);
    folder.replace(tests, "(five()), 2", "(five()), 3");
    assert_output(
        "an-example-of-a-test-file-that-fails",
        &folder,
        &["test", "2.1-losses"],
    );
    folder.write(
        tests,
        "/// 2.1 stated\n/// wiht: winter\nfn example_half() { expect(halved(5), 2); }\n",
    );
    assert_output(
        "a-line-in-a-test-file-that-says-nothing",
        &folder,
        &["test", "2.1-losses"],
    );
    folder.write(tests, "/// 2.1 stated\nfn example_half() {\n    let left = 1;\n    expect(halved(left.no_one), 2);\n}\n");
    assert_output(
        "an-example-of-a-test-file-that-breaks",
        &folder,
        &["test", "2.1-losses"],
    );
}

/// A variant's test file holds the rule as the variant has it.
#[test]
fn a_test_file_of_a_variant() {
    let folder = Folder::skirmish();
    let key = "variants/errata/tests/02-losses/2.1-losses.rhai";
    folder.write(
        key,
        "fn example_weakest() {\n    expect(loss_shares([4, 2], 5), [4, 1]);\n}\n",
    );
    let run = folder.run(&["test", key, "--format", "json"]).json();
    let example = &run["examples"][0];
    assert_eq!(
        (&example["path"], &example["ruleset"]),
        (&key.into(), &"skirmish with errata".into()),
        "{run:#}"
    );
}
