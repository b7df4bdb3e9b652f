//! Charts: what their labels mean, which of them a key reaches, and what a spreadsheet becomes.

use crate::common::{Folder, Run};

/// A chart of the small game with these axes and cells.
fn chart(axes: &str, cells: &str) -> String {
    format!(
        "table: raid\ntitle: Raids\nkind: rule\nstatus: printed\nsource: {{ doc: sheet, at: the table }}\n{axes}\ncells:\n{cells}\n"
    )
}

/// What `check` prints of such a chart.
fn check(axes: &str, cells: &str) -> Run {
    let folder = Folder::skirmish();
    folder.write("tables/skirmish/raid.yaml", chart(axes, cells));
    folder.run(&["check"])
}

fn assert_complains(run: &Run, expected: &[&str]) {
    let output = run.terminal_output();
    for text in expected {
        assert!(output.contains(text), "no `{text}` in\n{output}");
    }
}

#[test]
fn labels_that_no_key_reaches_are_reported() {
    let rows = |axis: &str| format!("rows: {{ of: die, {axis} }}");
    let cells = |labels: &[&str]| {
        labels
            .iter()
            .map(|label| format!("  \"{label}\": [1]"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    // Numbers in words.
    let run = check(
        &rows("dice: 1d6, labels: [\"1-2\", \"3-4\", \"5 or more\"]"),
        &cells(&["1-2", "3-4", "5 or more"]),
    );
    assert_complains(&run, &["no number falls under `5 or more`", "write \"5+\""]);
    let run = check(
        &rows("labels: [\"-5 or less\", \"-4 to 0\", \"1+\"]"),
        &cells(&["-5 or less", "-4 to 0", "1+"]),
    );
    assert_complains(&run, &["write \"..-5\"", "write \"-4..0\""]);
    // A word among numbers that are thrown, and a band among words.
    let run = check(
        &rows("dice: 1d2, labels: [1, miss]"),
        &cells(&["1", "miss"]),
    );
    assert_complains(&run, &["1d2 never throws `miss`"]);
    let run = check(&rows("labels: [\"1-3\", miss]"), &cells(&["1-3", "miss"]));
    assert_complains(
        &run,
        &["no number falls under `1-3`: beside `miss` it is a word"],
    );
    // Odds that are thrown for, and a total that dice leave out.
    let run = check(
        &rows("dice: 1d6, labels: [\"1:1\", \"2:1\"]"),
        &cells(&["1:1", "2:1"]),
    );
    assert_complains(&run, &["1d6 never throws 1:1"]);
    let run = check(
        &rows("dice: d66, labels: [\"11-16\", \"17-20\", \"21-66\"]"),
        &cells(&["11-16", "17-20", "21-66"]),
    );
    assert_complains(&run, &["never throws 17-20"]);
}

#[test]
fn a_chart_says_how_it_rounds_odds() {
    let axes = |rounds: &str| {
        format!(
            "columns: {{ of: odds, labels: [\"1:2\", \"2:3\", \"1:1\", \"3:2\", \"2:1\"]{rounds} }}\nrows: {{ of: die, labels: [1] }}"
        )
    };
    let cells = "  1: [1, 2, 3, 4, 5]";
    let run = check(&axes(""), cells);
    assert_complains(
        &run,
        &[
            "no numbers reach the odds 2:3",
            "no numbers reach the odds 3:2",
            "`rounds: half`",
        ],
    );
    assert_complains(
        &check(&axes(", rounds: thirds"), cells),
        &["this chart counts odds by `thirds`"],
    );
    assert_complains(
        &check(&axes(", rounds: haf"), cells),
        &["`haf` is not a way to round odds; did you mean `half`?"],
    );
    let folder = Folder::skirmish();
    let asked = [
        ("[3, 2]", 4),
        ("[7, 4]", 4),
        ("[4, 3]", 3),
        ("[3, 4]", 2),
        ("[1, 9]", 1),
        ("[9, 1]", 5),
        ("odds(3, 2)", 3),
        ("\"3:2\"", 4),
        ("label(\"raid\", \"odds\", [3, 2], 1)", 5),
        ("label(\"raid\", \"odds\", [3, 2], -9)", 1),
    ];
    let examples: String = asked
        .iter()
        .enumerate()
        .map(|(index, (key, cell))| {
            format!("  - {{ id: ours {index}, ask: 'table(\"raid\", {key}, 1)', then: {cell} }}\n")
        })
        .collect();
    folder.write(
        "tables/skirmish/raid.yaml",
        chart(&axes(", rounds: half"), cells) + "examples:\n" + examples.as_str(),
    );
    folder.run(&["test", "raid"]).expect_success();
    assert!(
        !folder
            .run(&["check"])
            .expect_success()
            .terminal_output()
            .contains("raid.yaml:6")
    );
}

#[test]
fn columns_that_no_call_reaches_are_named() {
    let folder = Folder::skirmish();
    let combat = "tables/skirmish/combat.yaml";
    let unreached = |folder: &Folder| {
        let output = folder.run(&["check"]).terminal_output();
        output
            .lines()
            .filter_map(|line| line.split_once("no call reaches "))
            .map(|(_, labels)| labels.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(unreached(&folder), Vec::<String>::new());
    folder.replace(
        combat,
        "labels: [\"1:2\", \"1:1\", \"2:1\"]",
        "rounds: half, labels: [\"1:2\", \"1:1\", \"3:2\"]",
    );
    folder.replace(combat, "column: \"2:1\"", "column: \"3:2\"");
    assert_eq!(
        unreached(&folder),
        Vec::<String>::new(),
        "2:1 falls under 3:2"
    );
    let text = folder.read(combat).replace("\"3:2\"]", "\"3:2\", \"2:1\"]");
    let widened: String = text
        .lines()
        .map(|line| if line.trim_start().starts_with(|first: char| first.is_ascii_digit()) { line.replace("]", ", \"0/3\"]") } else { line.into() } + "\n")
        .collect();
    folder.write(combat, widened);
    assert_eq!(unreached(&folder), ["the column 3:2"]);
    // Asked with both numbers it is reached.
    let attack = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(
        attack,
        "    odds(total(attackers, \"strength\"), total(defenders, \"strength\"))",
        "    [total(attackers, \"strength\"), total(defenders, \"strength\")]",
    );
    assert_eq!(unreached(&folder), Vec::<String>::new());
    // A throw of fewer faces than the chart has rows.
    folder.replace(
        attack,
        "let die = roll(\"1d6\", \"attack\");",
        "let die = if against[0] > 3 { roll(\"1d3\", \"attack\") } else { 5 };",
    );
    assert_eq!(unreached(&folder), ["the rows 4, 6"]);
}

#[test]
fn cells_and_words_are_read_as_they_stand() {
    let axes = "columns: { of: fire, labels: [near, far] }\nrows: { of: die, labels: [1] }";
    let run = check(axes, "  1: [\"EX, 1\", \"1, 2 or 3\"]").expect_success();
    assert!(
        !run.terminal_output().contains("whole number"),
        "{}",
        run.terminal_output()
    );
    assert_complains(
        &check(axes, "  1: [\"1,5\", 2]"),
        &["`1,5` is not a whole number"],
    );
    let run = check(
        "columns: { of: answer, labels: [yes, \"no\"] }\nrows: { of: die, labels: [1] }",
        "  1: [off, \"on\"]",
    );
    assert_complains(
        &run,
        &[
            "`yes` is a word here",
            "`off` is a word here",
            "write it in quotes: \"yes\"",
        ],
    );
    assert!(
        !run.terminal_output().contains("`no` is a word")
            && !run.terminal_output().contains("`on` is a word")
    );
    let run = check(&format!("{axes}\nholds: {{ is: \"-8-8\" }}"), "  1: [1, 2]");
    assert_complains(
        &run,
        &["`-8-8` is not a band of numbers", "write \"-8..8\""],
    );
}

#[test]
fn bands_in_the_words_of_a_spreadsheet_become_bands() {
    let folder = Folder::skirmish();
    folder.write(
        "chart.csv",
        "odds\\die,1:1,2:1\n-5 or less,1,2\n-4 – 0,2,3\n1 to 6,3,4\n7 or more,4,5\n",
    );
    folder
        .run(&["new", "table", "raid", "--from", "chart.csv"])
        .expect_success();
    let text = folder.read("tables/skirmish/raid.yaml");
    assert!(
        text.contains("labels: [\"..-5\", \"-4..0\", \"1-6\", \"7+\"]"),
        "{text}"
    );
    // Among words they stay words.
    folder.write("words.csv", "die,result\n7 or more,hit\nelse,miss\n");
    folder
        .run(&["new", "table", "volley", "--from", "words.csv"])
        .expect_success();
    assert!(
        folder
            .read("tables/skirmish/volley.yaml")
            .contains("\"7 or more\", \"else\"")
    );
}

#[test]
fn a_corner_that_names_the_axes_the_other_way_round_is_caught() {
    let folder = Folder::skirmish();
    for (corner, columns, row) in [("die\\odds", "1:1,2:1", "1"), ("odds\\die", "1,2", "1:1")] {
        folder.write("chart.csv", format!("{corner},{columns}\n{row},1,2\n"));
        let run = folder.run(&["new", "table", "raid", "--from", "chart.csv"]);
        let swapped = corner
            .split_once('\\')
            .map(|(a, b)| format!("{b}\\{a}"))
            .expect("two names");
        assert!(
            run.status == Some(2)
                && run
                    .err
                    .contains(&format!("write what the columns count first: `{swapped}`")),
            "{}",
            run.terminal_output()
        );
        assert!(
            !folder.0.join("tables/skirmish/raid.yaml").exists(),
            "nothing was written"
        );
    }
}
