//! Complaints for authors of data: where, what, why, and how to fix it.
//!
//! Every test breaks a small made-up game in one way and keeps the whole output as a snapshot. Whatever is
//! wrong, nothing panics, no file is written, and the exit status says so.

use crate::common::Folder;

const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
const COMBAT: &str = "tables/skirmish/combat.yaml";
const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
const LOSSES: &str = "rules/skirmish/02-losses/2.1-losses.rhai";
const GAME: &str = "rules/skirmish/game.yaml";
const SLIP: &str = "variants/errata/rules/02-losses/2.1-losses.rhai";
const SLIP_TABLE: &str = "variants/errata/tables/combat.yaml";
const SLIP_BRIDGE: &str = "variants/errata/scenarios/bridge.yaml";
const WEATHER: &str = "variants/winter/rules/01-battle/3.0-weather.rhai";

/// The words that remedies begin with.
const INSTRUCTIONS: &[&str] = &[
    "add", "answer", "ask", "begin", "check", "choose", "copy", "correct", "divide", "end", "fill",
    "find", "first", "give", "go", "keep", "leave", "look", "name", "play", "put", "remove",
    "save", "say", "see", "split", "start", "stay", "take", "type", "use", "write",
];

/// Splits an output into complaints and notes.
fn blocks(output: &str) -> Vec<&str> {
    let starts = output.match_indices('\n').map(|(at, _)| at + 1).chain([0]);
    let heads = |at: &usize| {
        ["error[", "note[", "warning["]
            .iter()
            .any(|head| output[*at..].starts_with(head))
    };
    let mut at: Vec<usize> = starts.filter(heads).chain([output.len()]).collect();
    at.sort_unstable();
    at.windows(2)
        .map(|pair| &output[pair[0]..pair[1]])
        .collect()
}

/// Runs a command, and compares its output with a snapshot.
fn assert_output(name: &str, status: i32, folder: &Folder, args: &[&str]) {
    let before = folder.file_times();
    let run = folder.run(args);
    let output = run
        .terminal_output()
        .replace(&*folder.0.to_string_lossy(), "(the test's folder)");
    assert_eq!(run.status, Some(status), "{output}");
    assert!(
        folder.file_times() == before,
        "a file was written or touched:\n{output}"
    );
    let complaints: Vec<&str> = blocks(&output)
        .into_iter()
        .filter(|block| block.starts_with("error["))
        .collect();
    assert_eq!(
        complaints.len(),
        output.matches("error[").count(),
        "each complaint stands by itself:\n{output}"
    );
    for complaint in complaints {
        assert_eq!(
            complaint.matches("= help: ").count(),
            1,
            "every complaint says how to mend it, once:\n{complaint}"
        );
        let remedy = complaint.split("= help: ").nth(1).unwrap_or_default();
        assert!(
            INSTRUCTIONS.contains(&remedy.split(' ').next().unwrap_or_default()),
            "a remedy is an instruction:\n{complaint}"
        );
    }
    assert!(
        !output.contains("= help: \n"),
        "no help is empty:\n{output}"
    );
    if output.contains("error[limit]") || output.contains("error[running]") {
        assert!(
            !output.contains(".rhai:1:1\n"),
            "what goes wrong in a script is shown at its line:\n{output}"
        );
    }
    for code in output
        .split("error[")
        .skip(1)
        .filter_map(|rest| rest.split(']').next())
    {
        assert!(
            casebook::DiagnosticCode::ALL
                .iter()
                .any(|known| known.as_str() == code),
            "`casebook explain {code}` has nothing to say:\n{output}"
        );
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => true }, { insta::assert_snapshot!(name, output) });
}

/// A fault that `casebook check` finds.
fn check(name: &str, corrupt: impl FnOnce(&Folder) -> &Folder) {
    let folder = Folder::skirmish();
    corrupt(&folder);
    assert_output(name, 1, &folder, &["check"]);
}

/// A fault that shows only when a situation is resolved.
fn resolve(name: &str, args: &[&str], corrupt: impl FnOnce(&Folder) -> &Folder) {
    let folder = Folder::skirmish();
    corrupt(&folder);
    assert_output(name, 1, &folder, &[&["resolve", "bridge"], args].concat());
}

/// A name on the command line that means nothing: exit status 2.
fn usage(name: &str, args: &[&str]) {
    assert_output(name, 2, &Folder::skirmish(), args);
}

/// Replaces the body of `loss_shares`, which every battle calls.
fn loss_shares<'a>(folder: &'a Folder, body: &str) -> &'a Folder {
    let text = folder.read(LOSSES);
    let from = text
        .find("    let left = points;")
        .expect("the function is there");
    let to = from + text[from..].find("\n}").expect("the function ends");
    folder.write(LOSSES, format!("{}{body}{}", &text[..from], &text[to..]))
}

/// The shipped charts say what their cells hold, and the games declare what is given and handed on.
#[test]
fn the_shipped_games_declare_what_can_be_checked() {
    let library = casebook::built_in();
    let charts = library
        .files
        .by_key
        .values()
        .filter(|file| file.key.contains("tables/") && file.text.contains("\ncells:"));
    let undeclared: Vec<&str> = charts
        .filter(|file| !file.text.contains("\nholds:"))
        .map(|file| &*file.key)
        .collect();
    assert!(
        undeclared.is_empty(),
        "these charts do not say what their cells hold: {}",
        undeclared.join(", ")
    );
    for game in library.games.values() {
        let prefix = format!("rules/{}/", game.name);
        let cards =
            library.files.by_key.values().filter(|file| {
                file.key.starts_with(&prefix) && file.text.contains("\n//! given:\n")
            });
        assert!(
            cards.count() > 10,
            "{} declares what its procedures are given",
            game.name
        );
        assert!(
            !game.attribute_references.is_empty(),
            "{} says which attributes name something",
            game.name
        );
    }
}

#[test]
fn the_made_up_game_has_no_fault() {
    let folder = Folder::skirmish();
    assert_eq!(
        folder.run(&["check"]).expect_success().out,
        "0 complaints\n"
    );
    assert_eq!(
        folder.run(&["test"]).expect_success().out,
        "4 examples hold, 0 fail\n"
    );
}

// Keys and words

#[test]
fn key_misspelt() {
    check("key-misspelt", |f| {
        f.replace(
            BRIDGE,
            "Red foot, kind: footman, side: Red, value:",
            "Red foot, kind: footman, side: Red, valeus:",
        )
    });
}

#[test]
fn key_misspelt_on_a_card() {
    check("key-misspelt-on-a-card", |f| {
        f.replace(LOSSES, "//! title:", "//! titel:")
    });
}

#[test]
fn key_misspelt_in_a_table() {
    check("key-misspelt-in-a-table", |f| {
        f.replace(COMBAT, "fields:", "feilds:")
    });
}

#[test]
fn key_twice() {
    check("key-twice", |f| f.replace(COMBAT, "  5: [", "  4: ["));
}

#[test]
fn kind_misspelt() {
    check("kind-misspelt", |f| {
        f.replace(SLIP, "kind: addition", "kind: adition")
    });
}

#[test]
fn status_misspelt() {
    check("status-misspelt", |f| {
        f.replace(COMBAT, "status: reconstructed", "status: reconstucted")
    });
}

#[test]
fn kind_of_piece_unknown() {
    check("kind-of-piece-unknown", |f| {
        f.replace(BRIDGE, "Red foot, kind: footman", "Red foot, kind: footmen")
    });
}

#[test]
fn side_unknown() {
    check("side-unknown", |f| {
        f.replace(BRIDGE, "kind: wagon, side: Red", "kind: wagon, side: Rde")
    });
}

#[test]
fn track_unknown() {
    check("track-unknown", |f| {
        f.replace(BRIDGE, "tracks: { turn: 3 }", "tracks: { trun: 3 }")
    });
}

#[test]
fn word_of_the_map_unknown() {
    check("word-of-the-map-unknown", |f| {
        f.replace(BRIDGE, "ground: wood", "ground: woods")
    });
}

#[test]
fn procedure_of_a_situation_unknown() {
    resolve("procedure-of-a-situation-unknown", &[], |f| {
        f.replace(BRIDGE, "procedure: attack", "procedure: atack")
    });
}

#[test]
fn procedure_of_the_sequence_unknown() {
    check("procedure-of-the-sequence-unknown", |f| {
        f.replace(GAME, "procedures: [attack]", "procedures: [atack]")
    });
}

#[test]
fn document_unknown() {
    check("document-unknown", |f| {
        f.replace(SLIP, "doc: slip", "doc: slib")
    });
}

#[test]
fn game_of_a_variant_unknown() {
    check("game-of-a-variant-unknown", |f| {
        f.replace(
            "variants/errata/variant.yaml",
            "game: skirmish",
            "game: skirmisch",
        )
    });
}

#[test]
fn attribute_of_a_unit_value_unknown() {
    check("attribute-of-a-unit-value-unknown", |f| {
        f.replace(GAME, "first: strength", "first: strenght")
    });
}

#[test]
fn procedure_that_nobody_carries_out() {
    check("procedure-that-nobody-carries-out", |f| {
        f.replace(
            GAME,
            "procedures:\n  attack:",
            "procedures:\n  parley: The sides talk.\n  attack:",
        )
    });
}

// Numbers and notation

#[test]
fn comma_in_a_number() {
    check("comma-in-a-number", |f| {
        f.replace(BRIDGE, "value: \"3-2\"", "strength: \"0,15\"")
    });
}

/// In a list in brackets a comma that was meant as a decimal point begins the next value.
#[test]
fn comma_in_a_number_without_quotes() {
    check("comma-in-a-number-without-quotes", |f| {
        f.replace(BRIDGE, "value: \"3-2\"", "strength: 0,15")
    });
}

#[test]
fn comma_in_a_cell() {
    check("comma-in-a-cell", |f| {
        f.replace(COMBAT, "\"0/4\"", "\"0/0,15\"")
    });
}

#[test]
fn text_for_a_number() {
    check("text-for-a-number", |f| {
        f.replace(BRIDGE, "value: \"3-2\"", "strength: three")
    });
}

/// Amending a case of a variant that is not required gives one complaint.
#[test]
fn a_case_of_a_variant_that_is_not_needed() {
    const RIDERS: &str = "rules/02-losses/2.9-riders.rhai";
    let card = |kind: &str| {
        format!(
            "//! case: \"2.9\"\n//! title: Riders\n//! kind: {kind}\n//! source: {{ doc: slip, at: \"2.9\" }}\n//! text: Riders count.\n\n"
        )
    };
    check("a-case-of-a-variant-that-is-not-needed", |f| {
        f.write(
            "variants/mine/variant.yaml",
            "variant: mine\ngame: skirmish\ntitle: Mine\nsource: { doc: slip }\n",
        );
        f.write(
            &format!("variants/mine/{RIDERS}"),
            card("addition") + "/// How often one counts.\nfn counts(unit) { prior() + 1 }\n",
        );
        f.write(
            &format!("variants/errata/{RIDERS}"),
            card("new case") + "/// How often one counts.\nfn counts(unit) { unit.strength }\n",
        )
    });
}

/// An answer of the situation that is not open is shown where it stands.
#[test]
fn an_answer_that_is_not_open() {
    resolve(
        "an-answer-of-the-situation-that-is-not-open",
        &["--dice", "5"],
        |f| f.replace(BRIDGE, ": Blue riders }", ": Blue rdiers }"),
    );
}

#[test]
fn number_below_the_least() {
    check("number-below-the-least", |f| {
        f.replace(BRIDGE, "value: \"3-2\"", "strength: -5")
    });
}

// Values of different types

#[test]
fn number_compared_with_a_text() {
    check("number-compared-with-a-text", |f| {
        f.replace(LOSSES, "if points == 0 {", "if units.len() == \"0\" {")
    });
}

/// The possible values of choices, functions, items and `switch` arms are known.
#[test]
fn word_that_never_comes() {
    check("word-that-never-comes", |f| {
        f.replace(
            LOSSES,
            "    let order = loss_order(side, units);\n",
            "    let order = loss_order(side, units);\n    if choose(side, \"stand\", [\"stay\", \"go\"]) == \"sty\" { return; }\n    \
             for unit in units {\n        switch how_hard(unit) { \"light\" => {}, \"haevy\" => return, _ => {} }\n        \
             if how_hard(unit) in [\"heavy\", \"lihgt\"] { return; }\n    }\n",
        );
        let text = f.read(LOSSES)
            + "\n/// How hard a piece is hit.\nfn how_hard(unit) { if unit.strength > 3 { \"heavy\" } else { \"light\" } }\n";
        f.write(LOSSES, text)
    });
}

/// Sides, kinds, readings and turns are known also through variables, lists and the conditions of a verb.
#[test]
fn name_that_never_comes() {
    check("name-that-never-comes", |f| {
        f.replace(
            LOSSES,
            "    let order = loss_order(side, units);\n",
            "    let order = loss_order(side, units);\n    let read = reading(\"1.1.wagons\");\n    if read == \"stya out\" { return; }\n    \
             let whose = units[0].side;\n    switch whose { \"Rde\" => return, _ => {} }\n    \
             if pieces().where(#{ side: \"Bleu\" }).len() > 0 && pieces(#{ kind: \"ridder\" }).len() > 0 { return; }\n",
        )
    });
}

/// The use of a parameter decides its type.
#[test]
fn argument_of_the_wrong_sort() {
    check("argument-of-the-wrong-sort", |f| {
        f.replace(
            LOSSES,
            "loss_shares(order.map(|u| u.strength), points)",
            "loss_shares(order.len(), points)",
        )
    });
}

#[test]
fn map_that_is_gone_through() {
    check("map-that-is-gone-through", |f| {
        f.replace(
            LOSSES,
            "for strength in strengths {",
            "let named = #{ one: 4, two: 2 }; for strength in named {",
        )
    });
}

#[test]
fn verb_given_the_wrong_sort() {
    check("verb-given-the-wrong-sort", |f| {
        f.replace(
            LOSSES,
            "min(left, strength)",
            "half_up(\"left\") - strengths",
        )
    });
}

#[test]
fn expectation_that_repeats_its_call() {
    check("expectation-that-repeats-its-call", |f| {
        f.replace(
            LOSSES,
            "expect(loss_shares([4, 2], 5), [4, 1]);",
            "expect(loss_shares([4, 2], 5), loss_shares([4, 2], 5));",
        )
    });
}

#[test]
fn expectation_of_a_test_that_repeats_its_call() {
    let folder = Folder::skirmish();
    folder.replace(
        LOSSES,
        "expect(loss_shares([4, 2], 5), [4, 1]);",
        "expect(loss_shares([4, 2], 5), loss_shares([4, 2], 5));",
    );
    assert_output(
        "expectation-of-a-test-that-repeats-its-call",
        1,
        &folder,
        &["test", "2.1"],
    );
}

/// A misspelt question leaves the choice to its first option, which may change the dice: the misspelling is reported first.
#[test]
fn misspelt_question_before_dice_that_do_not_fit() {
    let folder = Folder::skirmish();
    assert_output(
        "misspelt-question-before-dice-that-do-not-fit",
        1,
        &folder,
        &[
            "resolve",
            "bridge",
            "--dice",
            "5,3",
            "--choose",
            "Red: frist to lose=Red foot",
        ],
    );
}

/// An invalid figure in an amendment gives one complaint, and no second one about its `was`.
#[test]
fn amended_figure_that_can_not_stand() {
    check("amended-figure-that-can-not-stand", |f| {
        f.replace(BRIDGE, "value: \"3-2\"", "strength: -5")
    });
}

#[test]
fn number_too_large() {
    check("number-too-large", |f| {
        f.replace(BRIDGE, "value: \"3-2\"", "strength: 99999999999999999999")
    });
}

#[test]
fn number_beyond_its_track() {
    check("number-beyond-its-track", |f| {
        f.replace(BRIDGE, "turn: 3", "turn: 12")
    });
}

#[test]
fn turn_that_is_none() {
    check("turn-that-is-none", |f| {
        f.replace(
            GAME,
            "turn: { from: 1, to: 8 }",
            "turn: { turns: \"1/09..6/15\", a_year: 12 }",
        )
        .replace(BRIDGE, "turn: 3", "turn: third of 09")
    });
}

#[test]
fn hex_without_quotes() {
    check("hex-without-quotes", |f| {
        f.replace(
            BRIDGE,
            "value: \"3-2\", at: \"0202\"",
            "value: \"3-2\", at: 0202",
        )
    });
}

#[test]
fn range_without_quotes() {
    check("range-without-quotes", |f| {
        f.replace(
            COMBAT,
            "labels: [1, 2, 3, 4, 5, 6]",
            "labels: [1-2, 3, 4, 5, 6]",
        )
    });
}

#[test]
fn odds_without_quotes() {
    check("odds-without-quotes", |f| {
        f.replace(COMBAT, "\"1:1\", \"2:1\"]", "1:1, 2:1]")
    });
}

#[test]
fn hex_that_is_none() {
    check("hex-that-is-none", |f| {
        f.replace(
            BRIDGE,
            "value: \"3-2\", at: \"0202\"",
            "value: \"3-2\", at: \"202\"",
        )
    });
}

#[test]
fn side_between_hexes_apart() {
    check("side-between-hexes-apart", |f| {
        f.replace(BRIDGE, "\"0201/0202\"", "\"0201/0203\"")
    });
}

#[test]
fn unit_value_that_is_none() {
    check("unit-value-that-is-none", |f| {
        f.replace(BRIDGE, "value: \"3-2\"", "value: \"3/2\"")
    });
}

#[test]
fn dice_that_are_none() {
    check("dice-that-are-none", |f| {
        f.replace(COMBAT, "dice: 1d6", "dice: d6*d6")
    });
}

// Tables

#[test]
fn row_missing() {
    check("row-missing", |f| {
        f.replace(COMBAT, "  3: [\"2/1\", \"1/1\", \"1/2\"]\n", "")
    });
}

#[test]
fn row_that_is_no_label() {
    check("row-that-is-no-label", |f| {
        f.replace(COMBAT, "  3: [", "  \"3-4\": [")
    });
}

#[test]
fn rows_overlap() {
    check("rows-overlap", |f| {
        f.replace(
            COMBAT,
            "labels: [1, 2, 3, 4, 5, 6]",
            "labels: [\"1-2\", \"2-3\", 4, 5, 6]",
        )
    });
}

#[test]
fn rows_leave_a_gap() {
    check("rows-leave-a-gap", |f| {
        f.replace(
            COMBAT,
            "labels: [1, 2, 3, 4, 5, 6]",
            "labels: [\"1-2\", \"4-5\", 6]",
        )
    });
}

#[test]
fn die_not_covered() {
    check("die-not-covered", |f| {
        f.replace(COMBAT, "dice: 1d6", "dice: 2d6")
    });
}

#[test]
fn die_covered_too_far() {
    check("die-covered-too-far", |f| {
        f.replace(
            COMBAT,
            "labels: [1, 2, 3, 4, 5, 6]",
            "labels: [1, 2, 3, 4, 5, \"6-8\"]",
        )
    });
}

#[test]
fn column_twice() {
    check("column-twice", |f| {
        f.replace(
            COMBAT,
            "labels: [\"1:2\", \"1:1\", \"2:1\"]",
            "labels: [\"1:2\", \"1:1\", \"1:1\"]",
        )
    });
}

#[test]
fn cell_too_few() {
    check("cell-too-few", |f| {
        f.replace(COMBAT, "[\"2/1\", \"1/1\", \"1/2\"]", "[\"2/1\", \"1/1\"]")
    });
}

#[test]
fn cell_of_three_parts() {
    check("cell-of-three-parts", |f| {
        f.replace(COMBAT, "\"3/0\"", "\"3/0/1\"")
    });
}

/// The letter O for a nought.
#[test]
fn cell_with_a_letter_for_a_digit() {
    check("cell-with-a-letter-for-a-digit", |f| {
        f.replace(
            COMBAT,
            "\"2/1\", \"1/1\", \"1/2\"",
            "\"2/1\", \"O/1\", \"1/2\"",
        )
    });
}

#[test]
fn cell_beyond_its_range() {
    check("cell-beyond-its-range", |f| {
        f.replace(COMBAT, "\"3/0\"", "\"30/0\"").replace(
            SLIP_TABLE,
            "now: \"0/1\"",
            "now: \"-5/1\"",
        )
    });
}

#[test]
fn cell_with_a_word_mistyped() {
    let text = "table: weather\ntitle: Weather\nkind: rule\nstatus: printed\nrows: { of: die, dice: 1d6, labels: [\"1-3\", \"4-6\"] }\nholds: [rain, snow]\ncells:\n  \"1-3\": rian\n  \"4-6\": snow\n";
    check("cell-with-a-word-mistyped", |f| {
        f.write("tables/skirmish/weather.yaml", text)
    });
}

#[test]
fn cell_that_names_no_side() {
    let text = "table: wind\ntitle: Wind\nkind: rule\nstatus: printed\nrows: { of: die, dice: 1d6, labels: [\"1-3\", \"4-6\"] }\nholds: { names: side }\ncells:\n  \"1-3\": Red\n  \"4-6\": Bleu\n";
    check("cell-that-names-no-side", |f| {
        f.write("tables/skirmish/wind.yaml", text)
    });
}

#[test]
fn figures_that_should_fall_and_rise() {
    let folder = Folder::skirmish();
    folder.replace(
        COMBAT,
        "\"2/1\", \"1/1\", \"1/2\"",
        "\"2/1\", \"1/1\", \"3/2\"",
    );
    assert_output("figures-that-should-fall-and-rise", 0, &folder, &["check"]);
}

#[test]
fn chart_that_does_not_say_what_its_cells_hold() {
    let folder = Folder::skirmish();
    folder.replace(
        COMBAT,
        "holds:\n  attacker: { is: \"0-9\", falls: [columns, rows] }\n  defender: \"0-9\"\n",
        "",
    );
    assert_output(
        "chart-that-does-not-say-what-its-cells-hold",
        0,
        &folder,
        &["check"],
    );
}

/// One mistake, one complaint.
#[test]
fn axis_misspelt() {
    check("axis-misspelt", |f| {
        f.replace(COMBAT, "columns: {", "colums: {")
    });
}

#[test]
fn axis_of_a_change_misspelt() {
    check("axis-of-a-change-misspelt", |f| {
        f.replace(
            SLIP_TABLE,
            "{ column: \"1:1\", row: 1",
            "{ colum: \"1:1\", row: 1",
        )
    });
}

#[test]
fn chart_typed_without_its_sheets() {
    check("chart-typed-without-its-sheets", |f| {
        f.replace(
            COMBAT,
            "kind: rule",
            "kind: rule\nsheets: { of: season, labels: [summer, winter] }",
        )
    });
}

/// Rows and sheets may bear the same labels: what stands under them tells them apart.
#[test]
fn chart_typed_without_its_sheets_of_the_same_labels() {
    check("chart-typed-without-its-sheets-of-the-same-labels", |f| {
        f.replace(
            COMBAT,
            "kind: rule",
            "kind: rule\nsheets: { of: intensity, labels: [1, 2, 3, 4, 5, 6, 7, 8] }",
        )
    });
}

#[test]
fn labels_out_of_order() {
    check("labels-out-of-order", |f| {
        f.replace(COMBAT, "[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 5, 4, 6]")
    });
}

#[test]
fn field_of_what_cells_hold_unknown() {
    check("field-of-what-cells-hold-unknown", |f| {
        f.replace(COMBAT, "  defender: \"0-9\"", "  defendr: \"0-9\"")
    });
}

#[test]
fn was_of_a_table_does_not_match() {
    check("was-of-a-table-does-not-match", |f| {
        f.replace(SLIP_TABLE, "was: \"2/0\"", "was: \"2/2\"")
    });
}

#[test]
fn was_missing_of_a_table() {
    check("was-missing-of-a-table", |f| {
        f.replace(SLIP_TABLE, "was: \"2/0\", ", "")
    });
}

#[test]
fn column_of_a_change_unknown() {
    check("column-of-a-change-unknown", |f| {
        f.replace(SLIP_TABLE, "column: \"1:1\"", "column: \"1:11\"")
    });
}

#[test]
fn reconstructed_without_method() {
    check("reconstructed-without-method", |f| {
        f.replace(COMBAT, "fields:  [", "status: reconstructed\nfields:  [")
    });
}

#[test]
fn table_amended_that_is_not_there() {
    let text = "table: comabt\ntitle: Combat\nkind: correction\nchanges:\n  - { row: 1, was: \"2/0\", now: \"2/1\" }\n";
    check("table-amended-that-is-not-there", |f| {
        f.write("variants/errata/tables/comabt.yaml", text)
    });
}

// Cases and layers

#[test]
fn case_amended_that_is_not_there() {
    let text =
        "//! case: \"7.4\"\n//! title: Losses at night\n//! kind: correction\n//! text: nothing\n";
    check("case-amended-that-is-not-there", |f| {
        f.write("variants/errata/rules/02-losses/7.4-night.rhai", text)
    });
}

#[test]
fn case_number_misspelt() {
    let text = "//! case: \"2.11\"\n//! title: Losses\n//! kind: correction\n//! text: nothing\n";
    check("case-number-misspelt", |f| {
        f.write("variants/errata/rules/02-losses/2.11-losses.rhai", text)
    });
}

#[test]
fn case_number_differs_from_file_name() {
    check("case-number-differs-from-file-name", |f| {
        f.replace(SLIP, "case: \"2.1\"", "case: \"1.2\"")
    });
}

#[test]
fn new_case_that_is_there() {
    check("new-case-that-is-there", |f| {
        f.replace(SLIP, "kind: addition", "kind: new case")
    });
}

#[test]
fn rule_in_a_variant() {
    check("rule-in-a-variant", |f| {
        f.replace(WEATHER, "kind: addition", "kind: rule")
    });
}

#[test]
fn addition_without_prior() {
    check("addition-without-prior", |f| {
        f.replace(WEATHER, "    prior();\n", "")
    });
}

#[test]
fn explanation_that_answers() {
    check("explanation-that-answers", |f| {
        f.replace(SLIP, "kind: addition", "kind: explanation")
    });
}

#[test]
fn function_answered_twice() {
    let text = "//! case: \"2.2\"\n//! title: More losses\n//! kind: rule\n//! text: nothing\n\nfn loss_shares(strengths, points) { strengths }\n";
    check("function-answered-twice", |f| {
        f.write("rules/skirmish/02-losses/2.2-more-losses.rhai", text)
    });
}

#[test]
fn replaces_unknown() {
    check("replaces-unknown", |f| {
        f.replace(
            SLIP,
            "kind: addition",
            "kind: revision\n//! replaces: [loss_oder]",
        )
    });
}

#[test]
fn reinstates_unknown() {
    check("reinstates-unknown", |f| {
        f.replace(
            SLIP,
            "kind: addition",
            "kind: revision\n//! reinstates: skirmisch",
        )
    });
}

#[test]
fn a_pack_that_is_none() {
    let folder = Folder::skirmish();
    folder.write("x.pack.yaml", "pack: 1\nvariant: x\n");
    assert_output("pack-that-is-none", 1, &folder, &["unpack", "x.pack.yaml"]);
    // The keys of a later form are not known, so its number is what counts.
    folder.write(
        "x.pack.yaml",
        "pack: 2\nvariant: x\nsigned: by its author\n",
    );
    assert_output(
        "pack-of-a-newer-form",
        1,
        &folder,
        &["unpack", "x.pack.yaml"],
    );
    folder.write("x.pack.yaml", "pack: 0\nvariant: x\n");
    assert_output(
        "pack-of-an-older-form",
        1,
        &folder,
        &["unpack", "x.pack.yaml"],
    );
}

#[test]
fn after_in_a_circle() {
    check("after-in-a-circle", |f| {
        f.append("variants/errata/variant.yaml", "after: [winter]\n")
    });
}

#[test]
fn after_unknown() {
    check("after-unknown", |f| {
        f.replace(
            "variants/winter/variant.yaml",
            "after: [errata]",
            "after: [erata]",
        )
    });
}

#[test]
fn option_unknown() {
    check("option-unknown", |f| {
        f.replace(WEATHER, "option: frost", "option: forst")
    });
}

#[test]
fn variants_that_exclude_each_other() {
    let folder = Folder::skirmish();
    house_rules(&folder).append("variants/house/variant.yaml", "excludes: [errata]\n");
    let text = "table: combat\ntitle: Combat at our table\nkind: revision\nchanges:\n  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"2/2\" }\n";
    folder.write("variants/house/tables/combat.yaml", text);
    assert_eq!(
        folder.run(&["check"]).expect_success().out,
        "0 complaints\n",
        "rivals live in one folder"
    );
    assert_output(
        "variants-that-exclude-each-other",
        1,
        &folder,
        &["resolve", "bridge", "--with", "errata,house"],
    );
}

#[test]
fn excluded_variant_unknown() {
    check("excluded-variant-unknown", |f| {
        house_rules(f).append("variants/house/variant.yaml", "excludes: [erata]\n")
    });
}

/// Two variants that define one name in different cases conflict, whatever their order.
#[test]
fn one_name_for_two_things() {
    let case = |number: &str, says: &str| {
        format!(
            "//! case: {number}\n//! title: {number}\n//! kind: new case\n//! text: >\n//!   Nothing.\n\nfn is_lost(how) {{ {says} }}\n"
        )
    };
    check("one-name-for-two-things", |f| {
        f.write(
            "variants/errata/rules/02-losses/lost-wagons.rhai",
            case("lost-wagons", "how == \"burnt\""),
        );
        f.write(
            "variants/winter/rules/02-losses/lost-in-snow.rhai",
            case("lost-in-snow", "how != \"found\""),
        )
    });
}

/// A variant that amends a case which another brings, and asks a function of it.
#[test]
fn case_of_a_variant_not_in_force() {
    let snow = "//! case: snow\n//! title: Snow\n//! kind: new case\n//! text: nothing\n\nfn snow_lies() { true }\n";
    let snow_case = "//! case: snow\n//! title: More snow\n//! kind: correction\n//! text: nothing\n\nfn snow_lies() { false }\n";
    let asks = "//! case: skis\n//! title: Skis\n//! kind: new case\n//! text: nothing\n\nfn skis_help() { snow_lies() }\n";
    check("case-of-a-variant-not-in-force", |f| {
        f.write("variants/winter/rules/01-battle/snow.rhai", snow);
        house_rules(f)
            .append("variants/house/variant.yaml", "after: [winter]\n")
            .write("variants/house/rules/01-battle/snow.rhai", snow_case);
        f.write(
            "variants/skis/variant.yaml",
            "variant: skis\ntitle: Skis\ngame: skirmish\n",
        );
        f.write("variants/skis/rules/01-battle/skis.rhai", asks)
    });
}

#[test]
fn document_deep_in_a_chart_unknown() {
    check("document-deep-in-a-chart-unknown", |f| {
        f.replace(
            COMBAT,
            "note: the corner of the sheet is torn",
            "source: { doc: shet, at: corner }",
        )
    });
}

#[test]
fn figures_of_which_nobody_says_how_they_are_known() {
    check("figures-of-which-nobody-says-how-they-are-known", |f| {
        f.replace(COMBAT, "\nstatus: printed\n", "\n")
            .replace(BRIDGE, "\nstatus: printed\n", "\n")
    });
}

/// A variant of the user's own beside the errata, with no word about which of them comes first.
fn house_rules(folder: &Folder) -> &Folder {
    folder.write(
        "variants/house/variant.yaml",
        "variant: house\ntitle: Our table\ngame: skirmish\n",
    )
}

#[test]
fn two_variants_on_one_cell() {
    let text = "table: combat\ntitle: Combat at our table\nkind: revision\nchanges:\n  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"2/2\" }\n";
    check("two-variants-on-one-cell", |f| {
        house_rules(f).write("variants/house/tables/combat.yaml", text)
    });
}

#[test]
fn two_variants_on_one_function() {
    let text = "//! case: \"2.1\"\n//! title: Losses at our table\n//! kind: addition\n//! text: The last loses first.\n\nfn loss_order(side, units) { prior().reverse(); prior() }\n";
    check("two-variants-on-one-function", |f| {
        house_rules(f).write("variants/house/rules/02-losses/2.1-losses.rhai", text)
    });
}

#[test]
fn two_variants_on_one_figure_of_a_piece() {
    let text = "situation: bridge\ntitle: At our bridge\nkind: revision\nchanges:\n  - { piece: Blue foot, strength: { was: 3, now: 5 } }\n";
    check("two-variants-on-one-figure-of-a-piece", |f| {
        house_rules(f).write("variants/house/scenarios/bridge.yaml", text)
    });
}

#[test]
fn two_variants_that_agree_are_no_conflict() {
    let folder = Folder::skirmish();
    house_rules(&folder).write(
        "variants/house/tables/combat.yaml",
        "table: combat\ntitle: Combat\nkind: correction\nchanges:\n  - { column: \"1:1\", row: 1, was: \"2/0\", now: \"2/1\" }\n",
    );
    let run = folder.run(&["check"]).expect_success();
    assert!(
        run.out.contains("incorporated") && !run.out.contains("error"),
        "{}",
        run.out
    );
}

// Scenarios

#[test]
fn was_of_a_piece_does_not_match() {
    check("was-of-a-piece-does-not-match", |f| {
        f.replace(SLIP_BRIDGE, "was: 3", "was: 2")
    });
}

#[test]
fn piece_changed_that_is_not_there() {
    check("piece-changed-that-is-not-there", |f| {
        f.replace(SLIP_BRIDGE, "piece: Blue foot", "piece: Blue fot")
    });
}

#[test]
fn piece_without_kind() {
    check("piece-without-kind", |f| {
        f.replace(BRIDGE, "Red riders, kind: rider, ", "Red riders, ")
    });
}

#[test]
fn two_pieces_of_one_name() {
    check("two-pieces-of-one-name", |f| {
        f.replace(BRIDGE, "name: Red riders", "name: Red foot")
    });
}

#[test]
fn carrier_unknown() {
    check("carrier-unknown", |f| {
        f.replace(
            BRIDGE,
            "kind: wagon, side: Red,",
            "kind: wagon, side: Red, on: Red rider,",
        )
    });
}

#[test]
fn figure_reconstructed_that_no_piece_has() {
    check("figure-reconstructed-that-no-piece-has", |f| {
        f.replace(
            BRIDGE,
            "kind: wagon, side: Red,",
            "kind: wagon, side: Red, reconstructed: [strenght],",
        )
    });
}

#[test]
fn situation_amended_that_is_not_there() {
    check("situation-amended-that-is-not-there", |f| {
        f.write(
            "variants/errata/scenarios/brigde.yaml",
            f.read(SLIP_BRIDGE)
                .replace("situation: bridge", "situation: brigde"),
        )
    });
}

#[test]
fn piece_named_by_an_attribute_unknown() {
    check("piece-named-by-an-attribute-unknown", |f| {
        f.replace(
            BRIDGE,
            "kind: wagon, side: Red,",
            "kind: wagon, side: Red, under: Red rider,",
        )
    });
}

#[test]
fn hex_off_the_map() {
    check("hex-off-the-map", |f| {
        f.replace(
            BRIDGE,
            "value: \"3-2\", at: \"0202\"",
            "value: \"3-2\", at: \"9999\"",
        )
    });
}

#[test]
fn names_given_that_nothing_has() {
    check("names-given-that-nothing-has", |f| {
        f.replace(
            BRIDGE,
            "given: { side: Red, from: \"0201\", into: \"0202\" }",
            "given: { side: Rde, from: \"0201\", into: \"0292\", units: [Red fot] }",
        )
    });
}

#[test]
fn side_of_a_choice_unknown() {
    check("side-of-a-choice-unknown", |f| {
        f.replace(BRIDGE, "\"Blue: first to lose\"", "\"Bleu: first to lose\"")
    });
}

#[test]
fn given_misspelt() {
    resolve("given-misspelt", &[], |f| {
        f.replace(
            BRIDGE,
            "given: { side: Red, from:",
            "given: { side: Red, form:",
        )
    });
}

#[test]
fn roster_unknown() {
    check("roster-unknown", |f| {
        f.replace(
            BRIDGE,
            "procedure: attack",
            "procedure: attack\nuses: [brigde]",
        )
    });
}

#[test]
fn variant_of_a_situation_unknown() {
    check("variant-of-a-situation-unknown", |f| {
        f.replace(
            BRIDGE,
            "procedure: attack",
            "procedure: attack\nwith: [erata]",
        )
    });
}

#[test]
fn example_in_a_variant_unknown() {
    let folder = Folder::skirmish();
    folder.replace(
        LOSSES,
        "/// 2.1 stated\n",
        "/// 2.1 stated\n/// with: erata\n",
    );
    assert_output("example-in-a-variant-unknown", 1, &folder, &["test", "2.1"]);
}

#[test]
fn example_that_fails() {
    let folder = Folder::skirmish();
    folder.replace(LOSSES, "[4, 1]);", "[3, 2]);");
    assert_output("example-that-fails", 1, &folder, &["test"]);
}

#[test]
fn example_of_a_table_that_fails() {
    let folder = Folder::skirmish();
    folder.replace(COMBAT, "then: 1 }", "then: 2 }");
    assert_output(
        "example-of-a-table-that-fails",
        1,
        &folder,
        &["test", "combat"],
    );
}

#[test]
fn example_of_a_table_misspelt() {
    check("example-of-a-table-misspelt", |f| {
        f.replace(COMBAT, "then: 1 }", "thne: 1 }")
    });
}

// Files

#[test]
fn file_empty() {
    check("file-empty", |f| {
        f.write(COMBAT, "")
            .write(LOSSES, "")
            .write("variants/errata/variant.yaml", "# nothing yet\n")
    });
}

#[test]
fn file_of_bytes() {
    check("file-of-bytes", |f| {
        f.write(COMBAT, [0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe, 10])
            .write(LOSSES, "fn a() {\u{0}}")
    });
}

#[test]
fn file_too_large() {
    check("file-too-large", |f| {
        let file = std::fs::File::create(f.0.join("tables/skirmish/flood.yaml"))
            .expect("the test's own folder can be written");
        file.set_len(100 << 20).expect("a file may have a hole");
        f
    });
}

#[test]
fn folder_for_a_file() {
    check("folder-for-a-file", |f| {
        std::fs::create_dir(f.0.join("tables/skirmish/odds.yaml"))
            .expect("the test's own folder can be written");
        f
    });
}

#[test]
fn file_misplaced() {
    let table = "table: x\ntitle: x\nkind: rule\n";
    check("file-misplaced", |f| {
        f.write("tables/combat.yaml", table)
            .write("tables/skirmisch/x.yaml", table)
            .write("rules/skirmish/x.rhai", "")
            .write("variants/none/tables/x.yaml", table)
    });
}

const LOSSES_TESTS: &str = "tests/skirmish/02-losses/2.1-losses.rhai";

#[test]
fn test_file_without_a_case() {
    let text = "fn example_two() { expect(loss_shares([4, 2], 5), [4, 1]); }\n";
    check("test-file-without-a-case", |f| {
        f.write("tests/skirmish/02-losses/2.1-lost.rhai", text)
            .write("variants/errata/tests/02-losses/9.9-night.rhai", text)
    });
}

#[test]
fn test_file_misplaced() {
    let text = "fn example_two() { expect(loss_shares([4, 2], 5), [4, 1]); }\n";
    check("test-file-misplaced", |f| {
        f.write("tests/skirmish/2.1-losses.rhai", text)
            .write("variants/errata/tests/2.1-losses.rhai", text)
    });
}

#[test]
fn test_file_without_an_example() {
    check("test-file-without-an-example", |f| {
        f.write(LOSSES_TESTS, "private fn five() { 5 }\n")
    });
}

#[test]
fn rule_in_a_test_file() {
    let text = "fn five() { 5 }\n\nprivate fn loss_shares(strengths, points) { [] }\n\nfn example_five() { expect(five(), 5); }\n";
    check("rule-in-a-test-file", |f| f.write(LOSSES_TESTS, text));
}

/// A case does not see its test file; the test file sees the helpers of its case.
#[test]
fn case_that_asks_a_helper_of_its_tests() {
    let text = "private fn five() { 5 }\n\nfn example_five() { expect(half(five()), 2); }\n";
    check("case-that-asks-a-helper-of-its-tests", |f| {
        f.write(LOSSES_TESTS, text).append(
            LOSSES,
            "\nprivate fn half(points) { points / 2 }\n\nfn fewest() { half(five()) }\n",
        )
    });
}

#[test]
fn script_broken_in_a_test_file() {
    check("script-broken-in-a-test-file", |f| {
        f.write(
            LOSSES_TESTS,
            "\n\nfn example_five() {\n    expect(5 5);\n}\n",
        )
    });
    check("name-unknown-in-a-test-file", |f| {
        f.write(
            LOSSES_TESTS,
            "\n\nfn example_five() {\n    expect(fvie(2), 5);\n}\n",
        )
    });
}

#[test]
fn equivalent_mutant_of_no_line() {
    let entry = |case: &str, line: &str| {
        format!(
            "  {case}:\n    - {{ function: loss_shares, line: '{line}', changes: [\"2\"], why: nobody can tell }}\n"
        )
    };
    let text = format!(
        "cases:\n{}{}",
        entry(LOSSES, "let left = 1;"),
        entry("rules/skirmish/02-losses/2.2-none.rhai", "1")
    );
    check("equivalent-mutant-of-no-line", |f| {
        f.write("tests/skirmish/equivalent-mutants.yaml", text)
    });
}

#[test]
fn file_with_another_ending() {
    check("file-with-another-ending", |f| {
        f.write("tables/skirmish/combat.yml", "table: combat\n")
            .write("rules/skirmish/01-battle/notes.txt", "x")
    });
}

#[test]
fn yaml_broken() {
    check("yaml-broken", |f| {
        f.replace(
            COMBAT,
            "  2: [\"2/0\", \"1/0\", \"1/1\"]",
            "  2: [\"2/0\", \"1/0\", \"1/1\"",
        )
    });
}

#[test]
fn yaml_with_tabs() {
    check("yaml-with-tabs", |f| f.replace(COMBAT, "  2: [", "\t2: ["));
}

#[test]
fn yaml_with_an_anchor() {
    check("yaml-with-an-anchor", |f| {
        f.replace(COMBAT, "  2: [\"2/0\", \"1/0\", \"1/1\"]", "  2: *first")
    });
}

#[test]
fn yaml_of_the_wrong_shape() {
    check("yaml-of-the-wrong-shape", |f| {
        f.write(COMBAT, "- table: combat\n- rows\n")
            .write("variants/errata/variant.yaml", "errata\n")
    });
}

#[test]
fn yaml_a_million_lists_deep() {
    check("yaml-a-million-lists-deep", |f| {
        f.write(
            "variants/errata/tables/deep.yaml",
            format!("table: deep\ncells: {}", "[".repeat(1_000_000)),
        )
    });
}

/// The mark stands under the fault, however many bytes the letters before it have.
#[test]
fn fault_behind_letters_of_many_bytes() {
    check("fault-behind-letters-of-many-bytes", |f| {
        f.replace(
            BRIDGE,
            "Red foot, kind: footman",
            "Žižka's Häufen ⚔, kind: footmen",
        )
    });
}

/// A long line does not bury the message, and the column is still that of the fault.
#[test]
fn fault_far_out_on_a_line() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "  - { name: Red foot, kind: footman",
        &format!(
            "  - {{ name: Red foot, note: \"{}\", kind: footmen",
            "so it was. ".repeat(40)
        ),
    );
    let run = folder.run(&["check"]);
    assert!(
        run.out.contains("bridge.yaml:10:479"),
        "{}",
        run.terminal_output()
    );
    assert_output("fault-far-out-on-a-line", 1, &folder, &["check"]);
}

#[test]
fn card_missing() {
    check("card-missing", |f| {
        f.write(LOSSES, "// Losses\nfn loss_order(side, units) { units }\n")
    });
}

#[test]
fn manifest_broken() {
    check("manifest-broken", |f| {
        f.replace(GAME, "sides: [Red, Blue]", "sides: [Red, Blue")
    });
}

#[test]
fn manifest_start_unknown() {
    check("manifest-start-unknown", |folder| {
        let start =
            "start: { situation: brigde, figure: \"Red foot: strenght\", from: 6, to: 1 }\n";
        folder.write(GAME, folder.read(GAME) + start);
        folder
    });
}

#[test]
fn manifest_broken_at_resolve() {
    resolve("manifest-broken-at-resolve", &[], |f| {
        f.replace(GAME, "sides: [Red, Blue]", "sides: [Red, Blue")
    });
}

#[test]
fn several_faults_in_several_files() {
    check("several-faults-in-several-files", |f| {
        f.replace(COMBAT, "\"3/0\"", "\"3\"")
            .replace(COMBAT, "kind: rule", "kind: rul")
            .replace(COMBAT, "title:", "titel:");
        f.replace(BRIDGE, "kind: wagon", "kind: wagen")
            .replace(BRIDGE, "kind: rider, side: Red", "kind: rider, side: Rot")
            .replace(BRIDGE, "turn: 3", "turn: three");
        f.replace(ATTACK, "may_attack(u))", "may_atack(u))")
            .replace(LOSSES, "doc: sheet", "doc: shet")
    });
}

// Scripts, before they run

#[test]
fn script_with_a_syntax_error() {
    check("script-with-a-syntax-error", |f| {
        f.replace(LOSSES, "let shares = [];", "let shares = [;")
    });
}

#[test]
fn script_with_statements_outside_functions() {
    check("script-with-statements-outside-functions", |f| {
        f.replace(
            LOSSES,
            "/// What each of these strengths loses.",
            "let most = 3;\n\n/// What each of these strengths loses.",
        )
    });
}

#[test]
fn script_with_a_switch_without_rest() {
    check("script-with-a-switch-without-rest", |f| {
        loss_shares(f, "    switch points { 0 => [], 1 => strengths }")
    });
}

#[test]
fn script_with_a_float() {
    check("script-with-a-float", |f| {
        loss_shares(f, "    strengths.map(|s| s * 0.15)")
    });
}

#[test]
fn script_with_too_many_brackets() {
    check("script-with-too-many-brackets", |f| {
        loss_shares(
            f,
            &format!("    {}points{}", "(".repeat(5000), ")".repeat(5000)),
        )
    });
}

#[test]
fn script_with_a_function_twice() {
    check("script-with-a-function-twice", |f| {
        f.append(LOSSES, "\nfn loss_order(side, units) { units }\n")
    });
}

#[test]
fn script_with_an_indented_function() {
    check("script-with-an-indented-function", |f| {
        f.replace(LOSSES, "fn loss_order(", "  fn loss_order(")
    });
}

#[test]
fn script_with_a_function_called_like_a_verb() {
    check("script-with-a-function-called-like-a-verb", |f| {
        f.append(LOSSES, "\nfn roll(dice, purpose) { 6 }\n")
    });
}

#[test]
fn script_that_asks_an_unknown_function() {
    check("script-that-asks-an-unknown-function", |f| {
        f.replace(LOSSES, "loss_shares(order.map", "loss_share(order.map")
    });
}

#[test]
fn script_with_too_many_arguments() {
    check("script-with-too-many-arguments", |f| {
        f.replace(
            LOSSES,
            "loss_order(side, units);",
            "loss_order(side, units, points);",
        )
    });
}

#[test]
fn script_with_a_verb_misspelt() {
    check("script-with-a-verb-misspelt", |f| {
        f.replace(ATTACK, "pieces_at(given.into", "peices_at(given.into")
    });
}

#[test]
fn script_with_a_variable_misspelt() {
    check("script-with-a-variable-misspelt", |f| {
        f.replace(LOSSES, "shares.push(share);", "shares.push(shar);")
    });
}

#[test]
fn script_that_asks_an_unknown_table() {
    resolve("script-that-asks-an-unknown-table", &[], |f| {
        f.replace(ATTACK, "table(\"combat\"", "table(\"combta\"")
    });
}

#[test]
fn script_that_moves_a_piece_and_is_no_procedure() {
    check("script-that-moves-a-piece-and-is-no-procedure", |f| {
        f.replace(LOSSES, "//! procedure: attack\n", "").replace(
            LOSSES,
            "remove(order[i], \"no strength left\")",
            "move_piece(order[i], \"0303\")",
        )
    });
}

/// `set` is also a word of Rhai's own, for lists; a piece is set only when the script runs.
#[test]
fn script_that_sets_a_figure_and_is_no_procedure() {
    resolve("script-that-sets-a-figure-and-is-no-procedure", &[], |f| {
        f.replace(LOSSES, "//! procedure: attack\n", "")
    });
}

#[test]
fn script_that_types_its_own_dice() {
    check("script-that-types-its-own-dice", |f| {
        loss_shares(f, "    dice([6]);\n    [roll(\"1d6\", \"attack\")]")
    });
}

#[test]
fn script_that_evaluates_text() {
    check("script-that-evaluates-text", |f| {
        loss_shares(f, "    eval(\"40 + 2\")")
    });
}

/// Names that stand in a script as they are, each looked up where it stands.
#[test]
fn script_with_names_that_nothing_has() {
    check("script-with-names-that-nothing-has", |f| {
        loss_shares(
            f,
            r#"    let unit = piece("Red foot");
    if unit.strenght > 2 || unit.kind == "footmann" || unit.side == "Bleu" { return []; }
    if track("turn") == 9 || is_a(unit, "solder") || unit.at == "0909" { return [0]; }
    let first = choose("Rde", "first to lose", strengths);
    let die = roll("1w6", "losses");
    create(#{ name: "reserve", kind: "fotman", side: "Red", sterngth: 1 });
    set_track("turn", 12);
    set(unit, "speeed", total([unit], "strenth"));
    [entries("troops"), first, die]"#,
        )
    });
}

#[test]
fn script_that_asks_charts_wrongly() {
    check("script-that-asks-charts-wrongly", |f| {
        loss_shares(
            f,
            "    let a = table(\"combta\", 3);\n    let b = table(\"combat\", 3).attacker;\n    let c = table(\"combat\", \"1:1\", 9).attacker;\n    [table(\"combat\", \"1:1\", points).atacker, row(\"combat\", 7), a, b, c]",
        )
    });
}

#[test]
fn script_with_a_reading_mistyped() {
    check("script-with-a-reading-mistyped", |f| {
        f.replace(
            ATTACK,
            "reading(\"wagons\") == \"help\"",
            "reading(\"wagons\") == \"halp\"",
        )
    });
}

/// A field of a sheet that nobody declared would read as nothing, and say so nowhere.
#[test]
fn script_with_a_field_of_a_sheet_mistyped() {
    check("script-with-a-field-of-a-sheet-mistyped", |f| {
        f.append(GAME, "  fight:\n    loser: { what: who loses, by: \"1.1\", names: side }\n    points: { by: \"2.1\", is: \"0-99\" }\n");
        f.replace(ATTACK, "    step(\"Losses\");", "    let fight = record(#{ looser: given.sied, points: 1 });\n    fight.pionts += fight.points;\n    if fight.loser == \"Bleu\" { fill(fight, #{ loser: \"Red\", point: 2 }); }\n    step(\"Losses\");")
    });
}

#[test]
fn card_with_an_unknown_procedure() {
    check("card-with-an-unknown-procedure", |f| {
        f.replace(LOSSES, "procedure: attack", "procedure: atack")
    });
}

#[test]
fn headline_of_an_outcome_that_nobody_names() {
    check("headline-of-an-outcome-that-nobody-names", |f| {
        f.replace(
            ATTACK,
            "//! procedure: attack",
            "//! procedure: attack\n//! headline:\n//!   losses: [mean los, \"mean losses of {atacker}\"]",
        )
    });
}

#[test]
fn headline_without_a_procedure() {
    check("headline-without-a-procedure", |f| {
        f.replace(
            LOSSES,
            "//! procedure: attack",
            "//! headline: { won: winner = Red }",
        )
    });
}

#[test]
fn group_of_something_that_is_not_there() {
    check("group-of-something-that-is-not-there", |f| {
        f.replace(
            GAME,
            "\nprocedures:",
            "\ngroups: { Soldiers: [foott] }\nunits: { los: men }\nprocedures:",
        )
    });
}

// Scripts, while they run

#[test]
fn script_that_never_ends() {
    resolve("script-that-never-ends", &[], |f| {
        loss_shares(f, "    let n = 0;\n    while true { n += 1; }\n    n")
    });
}

#[test]
fn script_that_asks_itself() {
    resolve("script-that-asks-itself", &[], |f| {
        loss_shares(f, "    loss_shares(strengths, points)")
    });
}

#[test]
fn script_that_calls_its_helper_without_end() {
    resolve("script-that-calls-its-helper-without-end", &[], |f| {
        loss_shares(f, "    deeper(points)");
        f.append(LOSSES, "\nprivate fn deeper(n) { deeper(n + 1) }\n")
    });
}

/// Nested cases and calls end by the limit of the machine, not by the stack of the process.
#[test]
fn script_that_goes_as_deep_as_it_may() {
    resolve("script-that-goes-as-deep-as-it-may", &[], |f| {
        loss_shares(f, "    deeper(strengths, points, 0)");
        f.append(LOSSES, "\nprivate fn deeper(s, p, n) { if n > 20 { loss_shares(s, p) } else { deeper(s, p, n + 1) } }\n")
    });
}

#[test]
fn script_with_a_huge_text() {
    resolve("script-with-a-huge-text", &[], |f| {
        loss_shares(
            f,
            "    let text = \"x\";\n    while true { text += text; }\n    text",
        )
    });
}

#[test]
fn script_with_a_huge_list() {
    resolve("script-with-a-huge-list", &[], |f| {
        loss_shares(
            f,
            "    let list = [];\n    while true { list.push(1); }\n    list",
        )
    });
}

#[test]
fn script_that_fails() {
    resolve("script-that-fails", &[], |f| {
        loss_shares(f, "    [strengths[7]]")
    });
}

#[test]
fn script_that_adds_what_cannot_be_added() {
    resolve("script-that-adds-what-cannot-be-added", &[], |f| {
        loss_shares(f, "    [strengths[0] + #{ a: 1 }]")
    });
}

#[test]
fn script_that_counts_too_far() {
    resolve("script-that-counts-too-far", &[], |f| {
        loss_shares(f, "    [9223372036854775807 + strengths[0]]")
    });
}

/// The number of closures of a function is limited, that of functions in a file is not. `check` and `test` report the same.
#[test]
fn script_with_more_closures_than_a_function_may_have() {
    let part = |number: usize| format!("    n += [1].where(|unit| unit > {number}).len();\n");
    let body = |count: usize| (0..count).map(part).collect::<String>();
    let folder = Folder::skirmish();
    for number in 0..3 {
        folder.append(
            LOSSES,
            &format!(
                "\nprivate fn count_{number}(of) {{\n    let n = of;\n{}    n\n}}\n",
                body(100)
            ),
        );
    }
    assert!(
        folder
            .run(&["check"])
            .expect_success()
            .out
            .starts_with("0 complaints")
    );
    folder.append(
        LOSSES,
        &format!(
            "\nprivate fn count(of) {{\n    let n = of;\n{}    n\n}}\n",
            body(257)
        ),
    );
    folder.append(
        LOSSES,
        "\n/// ours\nfn example_count() { expect(count(1), 258); }\n",
    );
    assert_output(
        "script-with-more-closures-than-a-function-may-have",
        1,
        &folder,
        &["check"],
    );
    assert_output(
        "script-with-more-closures-than-a-function-may-have-tried",
        1,
        &folder,
        &["test", "2.1"],
    );
}

#[test]
fn script_that_divides_by_nothing() {
    resolve("script-that-divides-by-nothing", &[], |f| {
        loss_shares(f, "    [points / (points - points)]")
    });
}

#[test]
fn script_that_throws_dice_that_are_none() {
    resolve("script-that-throws-dice-that-are-none", &[], |f| {
        f.replace(ATTACK, "roll(\"1d6\"", "roll(\"1w6\"")
    });
}

#[test]
fn piece_unknown() {
    resolve("piece-unknown", &[], |f| {
        loss_shares(f, "    [piece(\"Blue fot\").strength]")
    });
}

#[test]
fn figure_unknown() {
    resolve("figure-unknown", &[], |f| {
        f.replace(ATTACK, "unit.strength > 0", "unit.strenght > 0")
    });
}

#[test]
fn group_unknown() {
    resolve("group-unknown", &[], |f| {
        f.replace(ATTACK, "\"soldier\"", "\"solder\"")
    });
}

#[test]
fn row_asked_that_is_not_there() {
    resolve("row-asked-that-is-not-there", &[], |f| {
        f.replace(
            ATTACK,
            "table(\"combat\", against, die)",
            "table(\"combat\", against, die + 9)",
        )
    });
}

#[test]
fn field_of_a_cell_unknown() {
    resolve("field-of-a-cell-unknown", &[], |f| {
        f.replace(
            ATTACK,
            "take_losses(given.side, attackers, lost.attacker)",
            "take_losses(given.side, attackers, lost.atacker)",
        )
    });
}

#[test]
fn prior_with_nothing_older() {
    resolve("prior-with-nothing-older", &[], |f| {
        loss_shares(f, "    prior()")
    });
}

#[test]
fn reading_asked_that_is_not_there() {
    resolve("reading-asked-that-is-not-there", &[], |f| {
        f.replace(ATTACK, "reading(\"wagons\")", "reading(\"wagon\")")
    });
}

#[test]
fn figure_missing() {
    // The slip fills this cell; without it the sheet is torn here.
    resolve("figure-missing", &["--dice", "6"], |f| {
        f.replace(BRIDGE, "value: \"4-2\"", "value: \"2-2\"")
    });
}

// The command line

#[test]
fn die_of_seven() {
    resolve("die-of-seven", &["--dice", "7"], |f| f);
}

#[test]
fn die_of_none() {
    resolve("die-of-none", &["--dice", "0"], |f| f);
}

#[test]
fn dice_too_few() {
    resolve("dice-too-few", &["--dice", "2"], |f| {
        f.replace(ATTACK, "roll(\"1d6\"", "roll(\"2d6\"")
    });
}

#[test]
fn dice_too_many() {
    resolve("dice-too-many", &["--dice", "2,5,1"], |f| f);
}

#[test]
fn dice_that_are_no_numbers() {
    resolve("dice-that-are-no-numbers", &["--dice", "x"], |f| f);
}

#[test]
fn choice_that_is_not_open() {
    resolve(
        "choice-that-is-not-open",
        &["--choose", "Red: first to lose=Red wagons"],
        |f| f,
    );
}

/// An answer to a question that was not asked is noted: dice decide what is asked, so it is no fault.
#[test]
fn choice_that_nobody_has() {
    let run = Folder::skirmish()
        .run(&[
            "resolve",
            "bridge",
            "--choose",
            "Red: frist to lose=Red foot",
        ])
        .expect_success();
    assert!(
        format!("{}{}", run.out, run.err).contains("frist to lose"),
        "{}",
        run.terminal_output()
    );
}

#[test]
fn strict_refuses_what_is_reconstructed() {
    resolve(
        "strict-refuses-what-is-reconstructed",
        &["--strict", "--dice", "6"],
        |f| f.replace(BRIDGE, "value: \"4-2\"", "value: \"9-2\""),
    );
}

/// All of them, not the first.
#[test]
fn strict_lists_every_figure_it_refuses() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "status: printed",
        "status: reconstructed\nmethod: guessed",
    );
    let run = folder.run(&["resolve", "bridge", "--strict"]);
    assert_eq!(run.status, Some(1), "{}", run.terminal_output());
    for piece in ["Red foot", "Red riders", "Blue foot", "Blue riders"] {
        assert!(
            run.err
                .contains(&format!("{piece}: the figure `strength` is reconstructed")),
            "{piece}: {}",
            run.err
        );
    }
    for odds in [
        &["odds", "bridge", "--strict"][..],
        &["odds", "bridge", "--by", "1.1", "--strict"],
    ] {
        let refused = folder.run(odds);
        assert!(
            refused.status == Some(1) && refused.err == run.err,
            "{}",
            refused.terminal_output()
        );
    }
}

/// An answer of the situation to a misspelt question is noted.
#[test]
fn an_answer_to_a_misspelt_question() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "choices: { ",
        "choices: { \"Red: frist to lose\": Red foot, ",
    );
    let run = folder.run(&["check"]).expect_success();
    assert!(
        run.out
            .contains("`Red: frist to lose` is not asked here; did you mean `Red: first to lose`?"),
        "{}",
        run.terminal_output()
    );
}

/// A figure is shown where its piece is listed, not where a note speaks of it.
#[test]
fn a_doubtful_figure_is_shown_at_its_piece() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "status: printed",
        "status: reconstructed\nmethod: Red foot by guess",
    );
    let run = folder.run(&["resolve", "bridge", "--strict"]);
    assert!(
        run.err.contains("name: Red foot") && !run.err.contains("method: Red foot"),
        "{}",
        run.terminal_output()
    );
}

/// A case that can't be read gives one complaint, and none about the functions that others miss.
#[test]
fn a_case_that_is_not_read_leads_to_no_other_complaint() {
    let corruptions: [fn(&str) -> String; 3] = [
        |text| format!("{text}\0"),
        |text| text.replacen("//! case: \"2.1\"", "//! case: [\"2.1\"", 1),
        |text| text.replacen("fn loss_shares(", "fn loss_shares((", 1),
    ];
    for corrupt in corruptions {
        let folder = Folder::skirmish();
        folder.write(LOSSES, corrupt(&folder.read(LOSSES)));
        let run = folder.run(&["check", "--format", "json"]);
        let json = run.json();
        let complaints = json["complaints"].as_array().expect("a list");
        let errors: Vec<_> = complaints
            .iter()
            .filter(|c| c["level"] == "error" || c["note"] == false)
            .collect();
        assert!(
            complaints.len() == 1,
            "{errors:?}\n{}",
            run.terminal_output()
        );
    }
}

/// Accepted complaints are listed with their reason; an entry without a match is noted, one without a reason is ignored.
#[test]
fn complaints_can_be_accepted() {
    let folder = Folder::skirmish();
    folder.replace(BRIDGE, "kind: wagon", "kind: waggon");
    let entry = "- { code: unknown-name, path: scenarios/skirmish/bridge.yaml, what: waggon, why: as the sheet spells it }\n";
    folder.write("accepted.yaml", entry);
    let run = folder.run(&["check"]).expect_success();
    assert!(
        run.out.contains("1 more accepted") && !run.out.contains("waggon"),
        "{}",
        run.terminal_output()
    );
    folder.write(
        "accepted.yaml",
        entry.replace(", why: as the sheet spells it", ""),
    );
    let run = folder.run(&["check"]);
    assert!(
        run.status == Some(1)
            && run.out.contains("waggon")
            && run.out.contains("`why:` is missing"),
        "{}",
        run.terminal_output()
    );
    folder
        .write("accepted.yaml", entry)
        .replace(BRIDGE, "kind: waggon", "kind: wagon");
    let run = folder.run(&["check"]).expect_success();
    assert!(
        run.out.contains("note[accepted]"),
        "{}",
        run.terminal_output()
    );
}

/// An arm of a `switch` has to be a possible value.
#[test]
fn arm_of_a_switch_that_can_never_be() {
    let folder = Folder::skirmish();
    let arms = "fn may_attack(unit) {\n    let by_ground = switch place(unit.at).ground { \"wod\" => false, _ => true };\n    let read = switch reading(\"wagons\") { \"hlp\" => true, _ => false };\n    let kind = switch unit.kind { \"wagn\" => false, _ => true };\n";
    folder.replace(ATTACK, "fn may_attack(unit) {\n", arms);
    let run = folder.run(&["check"]);
    for (word, near) in [("wod", "wood"), ("hlp", "help"), ("wagn", "wagon")] {
        assert!(
            run.out
                .contains(&format!("`{word}`; did you mean `{near}`?")),
            "{word}: {}",
            run.terminal_output()
        );
    }
    assert!(run.out.contains("likely, not certain: "), "{}", run.out);
}

/// `check` resolves situations, and reports a fault with the ruleset under which it happens.
#[test]
fn situations_are_carried_out() {
    let folder = Folder::skirmish();
    folder.replace(
        SLIP,
        "let order = prior();",
        "let order = prior();\n    let nobody = order[99];",
    );
    let run = folder.run(&["check"]);
    assert!(
        run.status == Some(1)
            && run.out.contains("carried out under")
            && run.out.contains("errata"),
        "{}",
        run.terminal_output()
    );
}

/// No complaint uses words of the engine or its libraries.
#[test]
fn messages_are_in_the_authors_words() {
    const FOREIGN: &[&str] = &[
        "i64",
        "ImmutableString",
        "Dynamic",
        "is not registered",
        "Rhai function",
        "Option",
        "None",
        "Some(",
        "usize",
        "&str",
        "unwrap",
        "serde",
        "saphyr",
        "DuplicateKey",
        "panicked",
        "AST",
        "FnPtr",
        "ErrorMismatch",
        "expected `",
        "(expression)",
    ];
    let faults: &[(&str, &str, &str)] = &[
        (ATTACK, "unit.strength > 0", "unit.strength > \"x\""),
        (ATTACK, "unit.strength > 0", "unit.strength + #{} > 0"),
        (
            ATTACK,
            "total(attackers, \"strength\")",
            "total(7, \"strength\")",
        ),
        (
            ATTACK,
            "total(attackers, \"strength\")",
            "total(attackers, 7)",
        ),
        (ATTACK, "roll(\"1d6\", \"attack\")", "roll(6, \"attack\")"),
        (ATTACK, "roll(\"1d6\", \"attack\")", "roll(\"1d6\").len"),
        (
            ATTACK,
            "table(\"combat\", against, die)",
            "table(\"combat\", die, against)",
        ),
        (
            ATTACK,
            "table(\"combat\", against, die)",
            "table(\"combat\", (), [die])",
        ),
        (
            ATTACK,
            "losses\", lost.attacker);",
            "losses\", lost.attacker.len());",
        ),
        (ATTACK, "losses\", lost.attacker);", "losses\", lost[7]);"),
        (ATTACK, "step(\"Attack\");", "step(7);"),
        (ATTACK, "step(\"Attack\");", "let x = [1, 2][9];"),
        (ATTACK, "step(\"Attack\");", "let x = 1 / 0;"),
        (
            ATTACK,
            "step(\"Attack\");",
            "let x = 9223372036854775807 + 1;",
        ),
        (ATTACK, "step(\"Attack\");", "let x = (|a| a).call(1, 2);"),
        (ATTACK, "step(\"Attack\");", "let x = \"a\" - 1;"),
        (ATTACK, "step(\"Attack\");", "let x = \"1.5\".parse_int();"),
        (ATTACK, "step(\"Attack\");", "let x = nobody(1);"),
        (ATTACK, "step(\"Attack\");", "let x = y;"),
        (ATTACK, "step(\"Attack\");", "let x = ;"),
        (ATTACK, "step(\"Attack\");", "for i in 7 { }"),
        (ATTACK, "step(\"Attack\");", "if 7 { }"),
        (ATTACK, "step(\"Attack\");", "set(7, \"speed\", 1);"),
        (
            ATTACK,
            "step(\"Attack\");",
            "set(attackers, \"speed\", \"fast\");",
        ),
        (
            ATTACK,
            "step(\"Attack\");",
            "move_piece(\"nobody\", \"0101\");",
        ),
        (ATTACK, "step(\"Attack\");", "choose(1, 2, 3);"),
        (
            BRIDGE,
            "value: \"3-2\", at: \"0202\"",
            "value: \"3-2\", at: [0202]",
        ),
        (BRIDGE, "value: \"4-2\"", "value: { a: 1 }"),
        (BRIDGE, "tracks: { turn: 3 }", "tracks: [turn]"),
        (BRIDGE, "tracks: { turn: 3 }", "tracks: { turn: !!float 3 }"),
        (
            BRIDGE,
            "tracks: { turn: 3 }",
            "tracks: { turn: 3, turn: 4 }",
        ),
        (BRIDGE, "given: {", "given: [{"),
        (COMBAT, "cells:", "cells: 7\nceils:"),
        (GAME, "sides: [Red, Blue]", "sides: Red"),
    ];
    let mut jargon = Vec::new();
    for (path, was, now) in faults {
        let folder = Folder::skirmish();
        folder.replace(path, was, now);
        for args in [&["check"][..], &["resolve", "bridge"]] {
            let run = folder.run(args);
            // Lines that quote the author's text are left out.
            let messages: String = run
                .terminal_output()
                .lines()
                .filter(|line| !line.contains(" | ") && !line.contains("-->"))
                .map(|l| format!("{l}\n"))
                .collect();
            jargon.extend(
                FOREIGN
                    .iter()
                    .filter(|word| messages.contains(**word))
                    .map(|word| format!("{now}: `{word}` in\n{messages}")),
            );
        }
    }
    assert!(jargon.is_empty(), "{}", jargon.join("\n\n"));
}

#[test]
fn refused_by_a_case() {
    resolve("refused-by-a-case", &[], |f| {
        f.replace(BRIDGE, "into: \"0202\"", "into: \"0205\"")
    });
}

/// The real rules: units may combine against one hex, not two (8.21).
#[test]
fn attack_on_two_hexes_at_once() {
    let folder = Folder::empty();
    let text = "\
situation: two-targets
title: Lee attacks two hexes at once
source: { doc: wbts2-combat, at: Ground Combat }
procedure: ground combat
tracks: { cycle: \"6/62\" }
pieces:
  - { name: Lee, kind: leader, side: Confederate, at: C2516 }
  - { name: Porter's division, kind: infantry, side: Union, value: \"8-3\", at: C2515 }
  - { name: Franklin's division, kind: infantry, side: Union, value: \"8-3\", at: C2616 }
given: { target: [C2515, C2616], attackers: [Lee] }
";
    folder.write("scenarios/wbts/two-targets.yaml", text);
    assert_output(
        "attack-on-two-hexes-at-once",
        1,
        &folder,
        &["resolve", "two-targets"],
    );
    let refused = &folder
        .run(&["resolve", "two-targets", "--format", "json"])
        .json()["refused"];
    assert!(
        refused["cites"].to_string().contains("8.21"),
        "the case that forbids it is named: {refused}"
    );
}

#[test]
fn list_resolved_that_is_no_situation() {
    let folder = Folder::skirmish();
    folder.write(
        "scenarios/skirmish/troops.yaml",
        "roster: troops\ntitle: Troops\npieces:\n  - { name: Red foot, kind: footman, side: Red }\n",
    );
    assert_output(
        "list-resolved-that-is-no-situation",
        2,
        &folder,
        &["resolve", "troops"],
    );
}

#[test]
fn situation_unknown() {
    usage("situation-unknown", &["resolve", "brigde"]);
}

#[test]
fn variant_unknown() {
    usage("variant-unknown", &["resolve", "bridge", "--with", "erata"]);
}

#[test]
fn option_unknown_on_the_command_line() {
    usage(
        "option-unknown-on-the-command-line",
        &[
            "resolve",
            "bridge",
            "--with",
            "winter",
            "--option",
            "winter.forst=off",
        ],
    );
}

#[test]
fn option_neither_on_nor_off() {
    usage(
        "option-neither-on-nor-off",
        &[
            "resolve",
            "bridge",
            "--with",
            "winter",
            "--option",
            "winter.frost=of",
        ],
    );
}

#[test]
fn reading_unknown() {
    usage(
        "reading-unknown",
        &["resolve", "bridge", "--reading", "1.1.wagon=help"],
    );
}

#[test]
fn way_of_a_reading_unknown() {
    usage(
        "way-of-a-reading-unknown",
        &["resolve", "bridge", "--reading", "1.1.wagons=halp"],
    );
}

#[test]
fn code_unknown() {
    usage("code-unknown", &["explain", "row-cover"]);
}

#[test]
fn thing_shown_unknown() {
    usage("thing-shown-unknown", &["show", "may_atack"]);
}

#[test]
fn game_unknown() {
    usage("game-unknown", &["list", "--game", "skirmisch"]);
}

#[test]
fn command_unknown() {
    usage("command-unknown", &["reslove", "bridge"]);
}

#[test]
fn data_folder_that_is_not_there() {
    usage(
        "data-folder-that-is-not-there",
        &["resolve", "bridge", "--data", "nowhere"],
    );
}

#[test]
fn tests_of_no_file() {
    assert_output("tests-of-no-file", 1, &Folder::skirmish(), &["test", "9.9"]);
}

// Journals

#[test]
fn journal_that_is_not_there() {
    let folder = Folder::skirmish();
    assert_output(
        "journal-that-is-not-there",
        1,
        &folder,
        &["replay", "none.yaml"],
    );
}

#[test]
fn journal_damaged() {
    let folder = Folder::skirmish();
    folder
        .run(&["resolve", "bridge", "--save", "journal.yaml"])
        .expect_success();
    let text = folder.read("journal.yaml");
    folder.write("journal.yaml", &text[..text.len() / 2]);
    assert_output("journal-damaged", 1, &folder, &["replay", "journal.yaml"]);
}

#[test]
fn journal_with_a_key_misspelt() {
    let folder = Folder::skirmish();
    folder
        .run(&["resolve", "bridge", "--save", "journal.yaml"])
        .expect_success();
    folder.replace("journal.yaml", "\nmoves:", "\nmovs:");
    assert_output(
        "journal-with-a-key-misspelt",
        1,
        &folder,
        &["replay", "journal.yaml"],
    );
}

#[test]
fn journal_of_another_form() {
    let folder = Folder::skirmish();
    folder
        .run(&["resolve", "bridge", "--save", "journal.yaml"])
        .expect_success();
    folder.replace("journal.yaml", "journal: 2", "journal: 9");
    assert_output(
        "journal-of-another-form",
        1,
        &folder,
        &["replay", "journal.yaml"],
    );
    folder.replace("journal.yaml", "journal: 9", "journal: 1");
    assert_output(
        "journal-of-an-older-form",
        1,
        &folder,
        &["replay", "journal.yaml"],
    );
}

#[test]
fn journal_of_a_situation_that_is_gone() {
    let folder = Folder::skirmish();
    folder
        .run(&["resolve", "bridge", "--save", "journal.yaml"])
        .expect_success();
    folder.replace("journal.yaml", "situation: bridge", "situation: brigde");
    assert_output(
        "journal-of-a-situation-that-is-gone",
        2,
        &folder,
        &["replay", "journal.yaml"],
    );
}

#[test]
fn journal_whose_rules_have_changed() {
    let folder = Folder::skirmish();
    folder
        .run(&["resolve", "bridge", "--save", "journal.yaml"])
        .expect_success();
    folder.replace(COMBAT, "\"2/0\", \"1/0\"]", "\"2/2\", \"1/0\"]");
    assert_output(
        "journal-whose-rules-have-changed",
        1,
        &folder,
        &["replay", "journal.yaml"],
    );
}

#[test]
fn journal_changed_where_nothing_comes_up() {
    let folder = Folder::skirmish();
    folder
        .run(&["resolve", "bridge", "--seed", "5", "--save", "journal.yaml"])
        .expect_success();
    assert_output(
        "journal-changed-where-nothing-comes-up",
        2,
        &folder,
        &["replay", "journal.yaml", "--change", "attack#2=3"],
    );
}

// Tests of rulings

const TESTS: &str = "tests/skirmish/bridge.yaml";
const BAD_ARGUMENTS: &str = "tests:\n  - test: The bridge\n    given: bridge\n    but: { sid: Red }\n    then: { defender losses: 1 }\n";

#[test]
fn test_that_hands_over_what_nobody_is_given() {
    check("test-that-hands-over-what-nobody-is-given", |f| {
        f.write(TESTS, BAD_ARGUMENTS)
    });
    let folder = Folder::skirmish();
    folder.write(TESTS, BAD_ARGUMENTS);
    assert_output(
        "test-that-hands-over-what-nobody-is-given-tried",
        1,
        &folder,
        &["test", "tests/"],
    );
}

#[test]
fn test_file_in_a_folder_of_its_own() {
    let folder = Folder::skirmish();
    folder
        .write("tests/skirmish/sub/bridge.yaml", "tests: []\n")
        .write("tests/elsewhere/sub/bridge.yaml", "tests: []\n");
    assert_output("test-file-in-a-folder-of-its-own", 1, &folder, &["check"]);
    assert_output(
        "test-file-in-a-folder-of-its-own-tried",
        1,
        &folder,
        &["test", "tests/"],
    );
}

#[test]
fn seed_that_is_no_number() {
    check("seed-that-is-no-number", |f| {
        f.write(
            TESTS,
            "tests:\n  - test: The bridge\n    given: bridge\n    seed: x\n",
        )
    });
}

// Answers of a situation

/// An answer that is invalid in some rulings is a note, one that is invalid in all is an error.
#[test]
fn answer_that_is_never_open() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "riders }\nstatus",
        "riders, \"Red: first to lose\": Blue foot }\nstatus",
    );
    assert_output("answer-that-some-rulings-come-to", 0, &folder, &["check"]);
    folder
        .replace(COMBAT, "\"0/2\", \"0/3\"]", "\"1/2\", \"0/3\"]")
        .replace(COMBAT, "\"?\", \"0/3\"", "\"?\", \"1/3\"");
    assert_output("answer-that-is-never-open", 1, &folder, &["check"]);
}

/// An answer that is sometimes open is accepted.
#[test]
fn an_answer_that_is_open_is_none() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "riders }\nstatus",
        "riders, \"Red: first to lose\": Red riders }\nstatus",
    );
    assert_eq!(
        folder.run(&["check"]).expect_success().out,
        "0 complaints\n"
    );
}

// Ids of statements

#[test]
fn statement_that_a_source_does_not_have() {
    let example = |number: &str, id: &str| {
        format!("\n/// {id} stated\nfn example_{number}() {{ expect(min(1, 2), 1); }}\n")
    };
    check("statement-that-a-source-does-not-have", |f| {
        f.append(LOSSES, &example("one", "SLIP-4"))
            .append(LOSSES, &example("two", "SLIP-9"))
            .append(LOSSES, &example("three", "SLPI-1"));
        f.replace(COMBAT, "id: combat stated", "id: SLIP-5 stated")
    });
}

#[test]
fn ids_that_are_no_row() {
    check("ids-that-are-no-row", |f| {
        f.replace(GAME, "ids: SLIP-1-4", "ids: SLIP")
    });
}

// A game beside the built-in ones

/// A game in the folder does not hide built-in games that the folder amends.
#[test]
fn a_situation_of_a_built_in_game_beside_a_game_of_ones_own() {
    let folder = Folder::skirmish();
    let open = || casebook::open(&folder.0).expect("a library");
    assert_eq!(open().games.keys().collect::<Vec<_>>(), ["skirmish"]);
    folder.write(
        "scenarios/wbts/mine.yaml",
        "situation: mine\ntitle: mine\nprocedure: battle\n",
    );
    let library = open();
    assert!(library.games.contains_key("skirmish") && library.games.contains_key("wbts"));
    assert!(
        library.complaints.0.is_empty(),
        "{}",
        library.complaints.render(false)
    );
}

// Nothing is overwritten

#[test]
fn variant_laid_out_twice() {
    usage("variant-laid-out-twice", &["new", "variant", "errata"]);
}

#[test]
fn situation_laid_out_twice() {
    usage(
        "situation-laid-out-twice",
        &["new", "scenario", "bridge", "--like", "bridge"],
    );
}

#[test]
fn situation_laid_out_like_none() {
    usage(
        "situation-laid-out-like-none",
        &["new", "scenario", "ford", "--like", "brigde"],
    );
}

#[test]
fn name_with_a_space() {
    usage("name-with-a-space", &["new", "variant", "Our House"]);
}

#[test]
fn name_that_leads_out_of_the_folder() {
    usage(
        "name-that-leads-out-of-the-folder",
        &["new", "case", "../../../1.1", "--variant", "house"],
    );
}

// Sides

#[test]
fn enemy_in_a_game_of_three_sides() {
    check("enemy-in-a-game-of-three-sides", |f| {
        f.replace(GAME, "sides: [Red, Blue]", "sides: [Red, Blue, Green]")
    });
}

#[test]
fn enemy_of_what_is_no_side() {
    resolve("enemy-of-what-is-no-side", &[], |f| {
        f.replace(
            ATTACK,
            "pieces_at(given.into, enemy(given.side))",
            "pieces_at(given.into, enemy(given.from))",
        )
    });
}

// Complaints without a snapshot: where they point, and how often

/// What `check` prints of the small game with a change.
fn checked(corrupt: impl FnOnce(&Folder) -> &Folder) -> String {
    let folder = Folder::skirmish();
    corrupt(&folder);
    folder.run(&["check"]).terminal_output()
}

#[test]
fn the_key_of_a_list_is_missing() {
    for indent in ["  ", ""] {
        let list = format!(
            "table: combat\ntitle: Combat\nkind: correction\n{indent}- {{ column: \"1:1\", row: 1, was: \"2/0\", now: \"1/0\" }}\n"
        );
        let output = checked(|f| f.write(SLIP_TABLE, &list));
        let expected = [
            "combat.yaml:4:",
            "the key of the list is missing",
            "such as `changes:`",
        ];
        assert!(
            expected.iter().all(|text| output.contains(text)) && !output.contains("not YAML"),
            "{output}"
        );
    }
}

#[test]
fn a_headline_is_reported_at_the_entry_that_is_wrong() {
    let headline = "//! procedure: attack\n//! headline:\n//!   hurt: mean attacker losses\n//!   lost: mean defender loses\n//! good_for:\n//!   attacker losses: Blue\n//!   defender loses: Red";
    let output = checked(|f| f.replace(ATTACK, "//! procedure: attack", headline));
    for line in [8, 11] {
        assert!(
            output.contains(&format!("1.1-attack.rhai:{line}:")),
            "{line}: {output}"
        );
    }
    assert!(
        !output.contains("1.1-attack.rhai:7:") && !output.contains("1.1-attack.rhai:10:"),
        "{output}"
    );
}

#[test]
fn an_option_that_is_off_by_default_is_checked() {
    let output = checked(|f| {
        f.replace(
            "variants/winter/variant.yaml",
            "default: on",
            "default: off",
        );
        f.replace(WEATHER, "    prior();\n", "")
    });
    assert!(
        output.contains("error[prior]") && output.contains("3.0-weather.rhai"),
        "{output}"
    );
}

#[test]
fn one_syntax_error_is_printed_once() {
    let folder = Folder::skirmish();
    folder.replace(
        ATTACK,
        "fn attack_odds(attackers, defenders) {",
        "fn attack_odds(attackers, defenders) { let x = ;",
    );
    for args in [&["check"][..], &["test"], &["resolve", "bridge"]] {
        let output = folder.run(args).terminal_output();
        assert_eq!(
            output.matches("this is not Rhai").count(),
            1,
            "{args:?}: {output}"
        );
    }
    assert!(
        folder
            .run(&["test"])
            .out
            .contains("as above: error[script] in rules/skirmish/01-battle/1.1-attack.rhai:")
    );
}

/// A folder that is named with its path is that folder, not those whose names begin alike.
#[test]
fn the_tests_of_one_variant_are_run() {
    let folder = Folder::skirmish();
    for (name, number) in [("audit", "7.1"), ("audit-two", "7.2")] {
        folder.write(
            &format!("variants/{name}/variant.yaml"),
            format!("variant: {name}\ntitle: Audit\ngame: skirmish\n"),
        );
        let case = format!(
            "//! case: \"{number}\"\n//! title: One\n//! kind: new case\n//! text: >\n//!   One.\n\n/// {number} ours\nfn example_one() {{\n    expect(abs(-1), 1);\n}}\n"
        );
        folder.write(
            &format!("variants/{name}/rules/07-audit/{number}-one.rhai"),
            case,
        );
    }
    let names = |path: &str| folder.run(&["test", path, "--verbose"]).out;
    assert!(
        names("variants/audit").contains("7.1 ours")
            && !names("variants/audit").contains("7.2 ours"),
        "{}",
        names("variants/audit")
    );
    assert!(
        names("variants/audit/").contains("7.1 ours")
            && names("variants/audit-two").contains("7.2 ours")
    );
    assert!(
        names("audit").contains("7.1 ours") && names("audit").contains("7.2 ours"),
        "a part of a name selects both"
    );
}
