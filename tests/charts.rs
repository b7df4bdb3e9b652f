//! Charts: what their labels mean, which of them a key reaches, and what a spreadsheet becomes.

use crate::common::{Folder, Run, Says};
use casebook::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook::data::yaml_writer::{write_key, write_list, write_scalar};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

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
    folder.run("check")
}

fn assert_complains(run: &Run, expected: &[&str]) {
    let output = run.terminal_output();
    for text in expected {
        output.holds(text);
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
    folder.ok("test raid");
    folder.ok("check").terminal_output().lacks("raid.yaml:6");
}

#[test]
fn columns_that_no_call_reaches_are_named() {
    let folder = Folder::skirmish();
    let combat = "tables/skirmish/combat.yaml";
    let unreached = |folder: &Folder| {
        let output = folder.run("check").terminal_output();
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
    run.terminal_output().lacks("whole number");
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
    run.terminal_output().lacks("`no` is a word");
    run.terminal_output().lacks("`on` is a word");
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
    folder.ok("new table raid --from chart.csv");
    let text = folder.read("tables/skirmish/raid.yaml");
    text.holds("labels: [\"..-5\", \"-4..0\", \"1-6\", \"7+\"]");
    // Among words they stay words.
    folder.write("words.csv", "die,result\n7 or more,hit\nelse,miss\n");
    folder.ok("new table volley --from words.csv");
    folder
        .read("tables/skirmish/volley.yaml")
        .holds("\"7 or more\", else");
}

/// The chart that the text of a file becomes, as it is written; the notes stand behind it.
fn imported(folder: &Folder, text: &str, more: &[&str]) -> String {
    folder.write("chart.txt", text);
    let path = folder.0.join("tables/skirmish/raid.yaml");
    let _ = std::fs::remove_file(&path);
    let mut args = vec!["new", "table", "raid", "--from", "chart.txt"];
    args.extend(more);
    let run = folder.ok(&args);
    folder.ok("check");
    folder.read("tables/skirmish/raid.yaml") + run.err.as_str()
}

#[test]
fn a_chart_is_read_from_whatever_it_is_written_in() {
    let folder = Folder::skirmish();
    for text in [
        "die\\odds,1:1,2:1\n1-2,1/0,−1\n3-6,a|b,\"x, \"\"y\"\"\"\n",
        "odds/die\t1:1\t2:1\n1-2\t1/0\t-1\n3-6\ta|b\t\"x, \"\"y\"\"\"\n",
        "\n| die\\odds | 1:1 | 2:1 |\n|---|:-:|--:|\n| 1-2 | 1/0 | -1 |\n| 3-6 | a\\|b | x, \"y\" |\n",
        "<table class=x><caption>Raids</caption><tr><th>die\\odds</th><th>1:1<th>2:1</tr>\n<TR><td>1&ndash;2<td><b>1</b>/0</td><td> &minus;1 </td></TR>\
         <tr><td>3-6</td><td colspan=\"1\">a&#124;b</td><td>x,<br>&quot;y&#x22;</td></tr></table>",
        "[[\"die\\\\odds\", \"1:1\", \"2:1\"], [\"1-2\", \"1/0\", -1], [\"3-6\", \"a|b\", \"x, \\\"y\\\"\"]]",
        "[{\"die\\\\odds\": \"1-2\", \"1:1\": \"1/0\", \"2:1\": -1}, {\"die\\\\odds\": \"3-6\", \"1:1\": \"a|b\", \"2:1\": \"x, \\\"y\\\"\"}]",
        // In falling order.
        "die\\odds,2:1,1:1\n3-6,\"x, \"\"y\"\"\",a|b\n1-2,-1,1/0\n",
    ] {
        let chart = imported(&folder, text, &["--dice", "1d6"]);
        for part in [
            "columns: { of: odds, labels: [\"1:1\", \"2:1\"] }",
            "rows: { of: die, dice: 1d6, labels: [\"1-2\", \"3-6\"] }",
            "  \"1-2\": [\"1/0\", \"-1\"]\n  \"3-6\": [\"a|b\", \"x, \\\"y\\\"\"]\n",
        ] {
            assert!(chart.contains(part), "no {part} of\n{text}\nin\n{chart}");
        }
    }
}

#[test]
fn labels_are_odds_where_all_of_them_are() {
    let folder = Folder::skirmish();
    for (labels, expected) in [
        ("1-2;1-1;2-1", "labels: [\"1:2\", \"1:1\", \"2:1\"]"),
        ("<1:3;1:3;1 to 2", "labels: [\"1:4\", \"1:3\", \"1:2\"]"),
        ("3:1;4:1 or more", "labels: [\"3:1\", \"4:1\"]"),
        ("3:1;>3:1", "labels: [\"3:1\", \"4:1\"]"),
        (
            "1:1;1.5:1;2:1",
            "rounds: half, labels: [\"1:1\", \"3:2\", \"2:1\"]",
        ),
        ("1-2;3-4;5-6", "labels: [\"1-2\", \"3-4\", \"5-6\"]"),
        ("2:1;even", "labels: [\"2:1\", even]"),
    ] {
        let count = labels.split(';').count();
        let chart = imported(
            &folder,
            &format!("die\\x;{labels}\n1{}\n", ";0".repeat(count)),
            &[],
        );
        chart.holds(expected);
        let is_changed = expected.contains(':') && !labels.starts_with("1-2;3-4");
        assert_eq!(
            chart.contains("are read as"),
            is_changed,
            "{labels}:\n{chart}"
        );
    }
    let percent = imported(
        &folder,
        "die\\x,a,b\n01-95,10%,%\n96-00,5 %,99%\n",
        &["--dice", "1d%"],
    );
    percent.holds("  \"01-95\": [10, \"%\"]\n  \"96-100\": [\"5 %\", 99]\n");
    percent.holds("percentages are written without their sign");
}

#[test]
fn what_is_no_chart_says_so_in_a_sentence() {
    let folder = Folder::skirmish();
    for (text, expected) in [
        ("class,die,1:1\nA,1,2\nA,2,3\n", "`A` stands in two rows"),
        ("die,a,b\n1,2,3\n,4,5\n", "a row has no label"),
        ("die,a,,c\n1,2,3,4\n", "a column has no label"),
        (
            "die,a,b\n1,2,3\n* no retreat\n",
            "the line `* no retreat` has no figures",
        ),
        (
            "<table><tr><td>die<td>a</tr><tr><td rowspan=2>1<td>2</tr></table>",
            "of merged cells",
        ),
        (
            "<table><tr><td>die<td>a</tr><tr><td>1<td>2</tr></table><table>",
            "of several sheets",
        ),
        ("{\"die\": 1}", "no list of rows"),
    ] {
        folder.write("chart.txt", text);
        let run = folder.run("new table raid --from chart.txt");
        assert_eq!(run.status, Some(2), "{text}: {}", run.terminal_output());
        run.err.holds(expected);
    }
}

/// What must be covered is what the dice can show, and nothing else.
#[test]
fn labels_cover_what_dice_can_show() {
    let folder = Folder::skirmish();
    let sixes = |from: i64| (from..from + 6).map(|n| n.to_string());
    let all: Vec<String> = (1..=6).flat_map(|tens| sixes(tens * 10 + 1)).collect();
    let thirds: Vec<String> = (1..=6)
        .flat_map(|tens| [1, 3, 5].map(|one| format!("{tens}{one}-{tens}{}", one + 1)))
        .collect();
    let on = ["1-5", "7-11", "13+"].map(String::from).to_vec();
    for (dice, labels) in [("d66", all), ("d66", thirds), ("1d6!", on)] {
        let rows = |labels: &[String]| {
            let line = |label: &String| format!("{label},1\n");
            format!("die,\n{}", labels.iter().map(line).collect::<String>())
        };
        imported(&folder, &rows(&labels), &["--dice", dice]);
        for missing in [0, labels.len() / 2, labels.len() - 1] {
            let mut fewer = labels.clone();
            fewer.remove(missing);
            folder.write("chart.txt", rows(&fewer));
            let run = folder.run(format!("new table less --from chart.txt --dice '{dice}'"));
            assert_eq!(run.status, Some(1), "{dice} without {}", labels[missing]);
        }
    }
}

/// Any text that the reader takes comes back from the writer, wherever it is put.
#[test]
fn every_text_comes_back() {
    let reads = |yaml: &str| {
        let mut reader = YamlReader::new("x.yaml", yaml);
        let root = reader.parse(yaml);
        assert!(
            !reader.complaints.has_errors(),
            "{yaml:?}: {:?}",
            reader.complaints
        );
        root.expect("it is read")
    };
    let any = proptest::string::string_regex(
        "[ -~\t\n€−–Äß„“]{0,12}|[-+0-9.:_/eExXo'\"\\\\#%&*!|>@`,\\[\\]{}? ]{1,6}",
    );
    let config = ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    TestRunner::new(config)
        .run(&any.expect("an expression"), |text| {
            let list = write_list(&[text.clone(), "a".into()]);
            let map = reads(&format!(
                "{}: {{ the other key: {}, {}: {list} }}\n",
                write_key("x"),
                write_scalar(&text),
                write_key(&text)
            ));
            let map = map.get("x").expect("x").entries();
            prop_assert_eq!(map[0].1.text_or_empty(), &*text);
            prop_assert_eq!(map[1].0.text_or_empty(), &*text);
            prop_assert_eq!(map[1].1.texts(), [&*text, "a"]);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

/// The texts of a data file, keys and values.
fn texts_of(yaml: &str) -> Vec<String> {
    fn collect(node: &YamlNode, texts: &mut Vec<String>) {
        match &node.value {
            YamlValue::Scalar(text, _) => texts.push(text.clone()),
            YamlValue::List(items) => items.iter().for_each(|item| collect(item, texts)),
            YamlValue::Map(entries) => entries.iter().for_each(|(key, value)| {
                collect(key, texts);
                collect(value, texts);
            }),
        }
    }
    let mut texts = Vec::new();
    collect(
        &YamlReader::new("x.yaml", yaml)
            .parse(yaml)
            .expect("it is read"),
        &mut texts,
    );
    texts
}

/// Texts that were changed on their way into a file, or ended in one that could not be read.
#[test]
fn a_text_put_into_a_file_comes_back() {
    const NASTY: [&str; 14] = [
        "6\"", "a\\nb", "C:\\temp", "\\x41", "%", "it's", "'", "#1", "a: b", "[x", "0/3", "no",
        "- 1", "\\",
    ];
    let folder = Folder::skirmish();
    let label = |text: &str| format!("{text} = c");
    let head = NASTY.iter().map(|text| label(text));
    let cells = NASTY.iter().map(ToString::to_string);
    let rows = [
        ["x\\y".into()]
            .into_iter()
            .chain(head.clone())
            .collect::<Vec<_>>(),
        ["row \"1\\".into()].into_iter().chain(cells).collect(),
    ];
    folder.write("chart.json", serde_json::to_string(&rows).expect("JSON"));
    folder.ok("new table raid --from chart.json");
    let texts = texts_of(&folder.read("tables/skirmish/raid.yaml"));
    for text in head
        .chain(NASTY.map(String::from))
        .chain(["row \"1\\".into()])
    {
        assert!(texts.contains(&text), "{text} is not among {texts:?}");
    }
    // A cell is changed, changed again, and taken back.
    let raid = |folder: &Folder| texts_of(&folder.read("variants/mine/variant.yaml"));
    for (index, text) in NASTY.iter().enumerate().step_by(4) {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let place = format!("raid \"{}\" \"row \\\"1\\\\\" = ", quoted(&label(text)));
        for now in [
            NASTY[(index + 1) % NASTY.len()],
            NASTY[(index + 2) % NASTY.len()],
        ] {
            let cell = format!("{place}{now}");
            let run = folder.run(&["what-if", "bridge", "--cell", &cell, "--keep", "mine"]);
            assert!(run.status <= Some(1), "{}", run.terminal_output());
            let texts = raid(&folder);
            assert!(
                [label(text).as_str(), text, now]
                    .iter()
                    .all(|text| texts.iter().any(|known| known == text)),
                "{cell}: {texts:?}"
            );
        }
        folder.ok("check");
        folder.ok("undo mine");
        assert!(
            !folder.0.join("variants/mine").exists(),
            "{text}: nothing is left"
        );
    }
    for (name, title) in [("one", "A \"B\": c\\d"), ("two", "#"), ("three", "yes")] {
        folder.ok(&["new", "variant", name, "--title", title]);
        let texts = texts_of(&folder.read(&format!("variants/{name}/variant.yaml")));
        assert!(texts.iter().any(|text| text == title), "{title}");
    }
}

/// Marks say something beside a figure, which has a name, and stand at the end of the cell.
#[test]
fn marks_stand_beside_figures_with_names() {
    let axes =
        |more: &str| format!("rows: {{ of: die, labels: [1, 2] }}\nmarks: {{ r: rout }}\n{more}");
    assert_complains(
        &check(&axes(""), "  1: [3r]\n  2: [1]"),
        &["a script reads a cell with marks by names"],
    );
    check(&axes("fields: [losses]\nexamples:\n  - { id: ours, ask: 'table(\"raid\", 1).losses', then: 3 }"), "  1: [3r]\n  2: [1]").expect_success();
    let two = axes("fields: [attacker, defender]");
    assert_complains(
        &check(&two, "  1: [2r/1]\n  2: [\"1/2\"]"),
        &["`2r/1` has `r` behind one part alone"],
    );
    check(&two, "  1: [2/1r]\n  2: [\"1/2\"]").expect_success();
}

/// One change of a chart can be switched by itself.
#[test]
fn a_change_of_a_chart_has_an_option() {
    let folder = Folder::skirmish();
    folder.write("variants/mine/variant.yaml", "variant: mine\ntitle: Mine\ngame: skirmish\noptions:\n  hard: { title: Hard, default: off }\n");
    folder.write(
        "variants/mine/tables/combat.yaml",
        "table: combat\ntitle: Mine\nkind: revision\nstatus: house\nchanges:\n  - { column: \"1:1\", row: 4, was: \"1/2\", now: \"1/4\", option: hard }\n  - { column: \"1:1\", row: 3, was: \"1/1\", now: \"2/2\" }\n",
    );
    for (with, expected) in [
        ("mine", "defender losses  2"),
        ("mine,mine.hard=on", "defender losses  4"),
    ] {
        let run = folder.ok(&["resolve", "bridge", "--dice", "4", "--with", with]);
        run.out.holds(expected);
    }
    folder.replace(
        "variants/mine/tables/combat.yaml",
        "option: hard",
        "option: herd",
    );
    assert_complains(&folder.run("check"), &["herd"]);
}
