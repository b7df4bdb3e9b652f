//! Figures set by hand, and odds over the values of one: `--set`, `--sweep`.

use crate::common::{Folder, Says, repository};
use serde_json::{Value, json};

const SWEEP: &str = "Red foot: strength=2..6";

/// The outcomes of odds by name: their values with their chances.
fn chances(odds: &Value) -> Value {
    let outcomes = odds["outcomes"].as_array().expect("odds have outcomes");
    let list = |one: &Value| {
        one["values"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|v| json!([v["value"], v["chance"]]))
            .collect::<Value>()
    };
    outcomes
        .iter()
        .map(|one| {
            (
                one["outcome"].as_str().expect("a name").to_string(),
                list(one),
            )
        })
        .collect()
}

/// A feature set by hand changes that feature of a place alone, also where a map that the situation uses has the others.
#[test]
fn a_feature_set_by_hand_leaves_the_others_of_its_place() {
    const GAME: &str = "rules/skirmish/game.yaml";
    const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
    let folder = Folder::skirmish();
    folder.replace(
        GAME,
        "default: open }\n",
        "default: open }\n    height: { unit: levels, default: 0 }\n",
    );
    folder.replace(
        GAME,
        "brook:  { flag: true }",
        "brook:  { flag: true }\n    ford: { flag: true }",
    );
    let asks = "result(\"heights\", place(given.into).height); result(\"woods\", place(given.into).ground);\n    \
                result(\"brooks\", between(given.into, given.from).brook); result(\"fords\", between(given.into, given.from).ford);";
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "let attackers =",
        &format!("{asks}\n    let attackers ="),
    );
    let map = "map:\n  places: { \"0202\": { ground: wood, height: 2 } }\n  sides:  { \"0201/0202\": { brook: true } }\n";
    folder.replace(
        BRIDGE,
        "map:\n  places: { \"0202\": { ground: wood } }\n  sides:  { \"0201/0202\": { brook: true } }\n",
        "uses: [field]\n",
    );
    let source = "source: { doc: sheet, at: the example }";
    let field = format!(
        "roster: field\ntitle: The field\n{source}\nstatus: reconstructed\nmethod: drawn by eye\n{map}"
    );
    folder.write("scenarios/skirmish/field.yaml", field);
    let set = ["--set", "0202: height=5", "--set", "0201/0202: ford=true"];
    let ruling = |set: &[&str]| {
        let args = [
            &["resolve", "bridge", "--dice", "5", "--format", "json"][..],
            set,
        ]
        .concat();
        let json = folder.json(&args);
        let outcome = |name: &str| json["results"][name].clone();
        (
            ["heights", "woods", "brooks", "fords"].map(outcome),
            json["reconstructed"].clone(),
        )
    };
    let map_is_read = json!(["scenarios/skirmish/field.yaml: content of the map"]);
    assert_eq!(
        ruling(&[]),
        (
            [json!(2), json!("wood"), json!(true), json!(false)],
            map_is_read.clone()
        )
    );
    assert_eq!(
        ruling(&set),
        (
            [json!(5), json!("wood"), json!(true), json!(true)],
            map_is_read
        )
    );
    // Areas have no numbers, so only the map knows them.
    folder.replace(
        GAME,
        "  notation: hex\n  sheets: { \"\": { columns: \"1-8\", rows: \"1-8\" } }\n  lower: even\n",
        "",
    );
    assert_eq!(
        ruling(&set).0,
        [json!(5), json!("wood"), json!(true), json!(true)]
    );
}

/// `--set` has the same effect as the figure in the file.
#[test]
fn a_figure_set_by_hand_is_as_if_it_stood_in_the_file() {
    let (folder, other_folder) = (Folder::skirmish(), Folder::skirmish());
    other_folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "name: Red foot, kind: footman, side: Red, value: \"4-2\"",
        "name: Red foot, kind: footman, side: Red, value: \"9-2\"",
    );
    other_folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "brook: true",
        "brook: false",
    );
    other_folder.replace("scenarios/skirmish/bridge.yaml", "turn: 3", "turn: 5");
    let set = [
        "--set",
        "Red foot: strength=9",
        "--set",
        "0201/0202: brook=false",
        "--set",
        "track: turn=5",
    ];
    for command in [
        &["odds", "bridge"][..],
        &["odds", "bridge", "--with", "errata,winter"],
    ] {
        let json = ["--format", "json"];
        let by_hand = folder.json(&[command, &set, &json].concat());
        assert_eq!(
            chances(&by_hand),
            chances(&other_folder.json(&[command, &json].concat()))
        );
        assert_eq!(
            by_hand["set"],
            json!({ "Red foot: strength": "9", "0201/0202: brook": "false", "track: turn": "5" })
        );
    }
    let unchanged = folder.out("resolve bridge");
    let by_hand = folder.out(&[&["resolve", "bridge"][..], &set].concat());
    by_hand.holds("set by hand: 0201/0202: brook = false; Red foot: strength = 9; track: turn = 5");
    assert_ne!(unchanged, by_hand);
    // A unit value of two figures, words, and a value of `given`.
    let ruling =
        folder.json("resolve bridge --set 'Red foot: value=9-1' --set 'given: units=Red foot'");
    let red_foot = ruling["board"]["pieces"]
        .as_array()
        .and_then(|list| list.iter().find(|piece| piece["name"] == "Red foot"))
        .cloned();
    assert_eq!(red_foot.expect("it is there")["speed"], 1);
}

#[test]
fn what_cannot_be_set_is_said_with_what_may_have_been_meant() {
    let folder = Folder::skirmish();
    for (set, part) in [
        (
            "Red fot: strength=5",
            "no piece or place is called `Red fot`; did you mean `Red foot`?",
        ),
        ("Zouaves: strength=5", "pieces: Red foot, Red riders"),
        (
            "Red foot: stength=5",
            "a piece has no `stength`; did you mean `strength`?",
        ),
        (
            "Red foot: strength=-1",
            "strength is 0 or more, and this says -1",
        ),
        ("Red foot: strength=many", "`many` is not a whole number"),
        (
            "Red foot: strength=99999999999999999999",
            "99999999999999999999",
        ),
        ("Red foot: kind=rder", "did you mean `rider`?"),
        ("Red foot: under=Red wagn", "did you mean `Red wagon`?"),
        ("Red foot: on=Red wagn", "did you mean `Red wagon`?"),
        ("Red foot: at=0999", "`0999` is not a place of this game"),
        ("0202: ground=wod", "did you mean `wood`?"),
        ("0202: grund=wood", "did you mean `ground`?"),
        (
            "0201/0909: brook=true",
            "no piece or place is called `0201/0909`",
        ),
        (
            "track: trun=4",
            "no track is called `trun`; did you mean `turn`?",
        ),
        ("track: turn=9", "`9` is not on the track `turn`"),
        ("given: sied=Red", "did you mean `side`?"),
        ("given: side=Gren", "no side is called `Gren`"),
        ("turn=4", "a track is 'track: NAME=VALUE'"),
    ] {
        for command in [
            &["resolve", "bridge"][..],
            &["odds", "bridge"],
            &["compare", "bridge", "--with", "", "--with", "errata"],
        ] {
            let run = folder.run(&[command, &["--set", set]].concat());
            assert!(
                run.status != Some(0) && run.err.contains(part) && run.out.is_empty(),
                "no `{part}` in\n{}",
                run.terminal_output()
            );
        }
    }
    let twice =
        folder.run("resolve bridge --set 'Red foot: strength=1' --set 'Red foot:strength=2'");
    twice
        .err
        .holds("`Red foot: strength` is set to conflicting values: 1 and 2");
    // All faults are reported together.
    let run = folder.run("resolve bridge --set 'Red fot: strength=1' --set 'track: trun=2'");
    run.err.holds("Red fot");
    run.err.holds("trun");
}

/// Journals, tests and games keep the values of `--set`.
#[test]
fn what_was_set_is_kept() {
    let folder = Folder::skirmish();
    let set = ["--set", "Red foot: strength=9", "--dice", "6"];
    let journal = [
        "--save",
        "set.yaml",
        "--pin",
        "tests/skirmish/pinned.yaml",
        "--format",
        "json",
    ];
    let ruling = folder.json(&[&["resolve", "bridge"][..], &set, &journal].concat());
    assert_ne!(
        ruling["results"],
        folder.json("resolve bridge --dice 6")["results"]
    );
    assert_eq!(folder.json("replay set.yaml")["results"], ruling["results"]);
    folder.ok("replay set.yaml --change attack=1 --save again.yaml");
    folder.read("again.yaml").holds("\"Red foot: strength\"");
    folder.ok("test pinned");
    folder.replace(
        "tests/skirmish/pinned.yaml",
        "\"Red foot: strength\": \"9\"",
        "\"Red fot: strength\": \"9\"",
    );
    let wrong = folder.run("test pinned");
    wrong.out.holds("no piece or place is called `Red fot`");
    wrong.out.holds("pinned.yaml:");
    let played = folder
        .run_with(
            "play bridge --set 'Red foot: strength=9' --seed 4 --save played.yaml",
            &"\n".repeat(20),
        )
        .expect_success();
    played.out.holds("set by hand: Red foot: strength = 9");
    folder.read("played.yaml").holds("Red foot: strength");
    let on = folder.run("odds played.yaml --after 0 --set 'Red foot: strength=3'");
    on.err.holds("give the situation, not a journal");
    // Shards with other figures are not merged.
    for (file, strength) in [("a.json", "3"), ("b.json", "9")] {
        let set = format!("Red foot: strength={strength}");
        let shard = if file == "a.json" { "1/2" } else { "2/2" };
        let run = folder.ok(format!(
            "odds bridge --runs 10 --set '{set}' --shard '{shard}' --format json"
        ));
        folder.write(file, run.out);
    }
    folder.run("merge a.json b.json").err.holds("other games");
}

/// Each line of a sweep equals the odds with that value.
#[test]
fn a_sweep_is_the_odds_at_each_value() {
    let folder = Folder::skirmish();
    let sweep = folder.json("odds bridge --sweep 'Red foot: strength=3..9'");
    assert_eq!(sweep["values"], json!(["3", "4", "5", "6", "7", "8", "9"]));
    for point in sweep["points"].as_array().expect("it has points") {
        let set = format!(
            "Red foot: strength={}",
            point["value"].as_str().expect("a value")
        );
        let single = folder.json(&["odds", "bridge", "--set", &set]);
        assert_eq!(chances(&point["odds"]), chances(&single), "{set}");
    }
    let text = folder.out("odds bridge --sweep 'Red foot: strength=4,8,12'");
    text.holds("over Red foot: strength");
    text.holds("  8         0.50  50.0 %  50.0 %   0.0 %");
    let exact = folder.out("odds bridge --sweep 'Red foot: strength=4,8' --exact --only attacker");
    exact.holds("4          5/6  1/3  1/2  1/6");
    exact.lacks("defender");
    let csv = folder.out("odds bridge --sweep 'Red foot: strength=4,8' --format csv");
    assert!(
        csv.starts_with(
            "Red foot: strength,outcome,value,percent,error,chance\n4,attacker losses,0,33.3"
        ),
        "{csv}"
    );
    csv.holds("\n8,attacker losses,1,50,,1/2\n");
    csv.lacks("With the data");
    // A value that needs a missing figure is left out.
    let missing = folder.out(&["odds", "bridge", "--sweep", SWEEP]);
    missing.holds("left out\n  Red foot: strength = 2: table combat");
    missing.holds("the same at each value");
    let best = ["--policy", "Red=best", "--measure", "defender losses"];
    let timed_out = folder.out("odds bridge --sweep 'Red foot: strength=4,8' --limit 0");
    assert!(!timed_out.contains('%'), "{timed_out}");
    timed_out.holds("Red foot: strength = 4: there was no time left for it");
    let best = folder.out(
        &[
            &["odds", "bridge", "--sweep", "Red foot: strength=4,8"][..],
            &best,
        ]
        .concat(),
    );
    best.holds("defender losses\n  strength  value\n  4          1.33\n  8          2.00\n");
    let track = folder.out("odds bridge --sweep 'track: turn=1..8'");
    track.holds("the same at each value\n  attacker losses, defender losses");
    let words = folder.out("odds bridge --sweep '0202: ground=open,wood' --only attacker");
    words.holds("  open");
    words.holds("  wood");
}

#[test]
fn rulesets_are_swept_side_by_side() {
    let folder = Folder::skirmish();
    let args = [
        "compare",
        "bridge",
        "--with",
        "",
        "--with",
        "errata",
        "--sweep",
        "Red foot: strength=4,8",
    ];
    let text = folder.out(&args);
    text.holds("(1) skirmish");
    text.holds("mean (2)");
    text.holds("  8             0.50      0.83");
    let sweep = folder.json(&args);
    for (index, with) in ["", "errata"].into_iter().enumerate() {
        let args = [
            "odds",
            "bridge",
            "--with",
            with,
            "--set",
            "Red foot: strength=8",
            "--format",
            "json",
        ];
        assert_eq!(
            chances(&sweep["rulesets"][index]["points"][1]["odds"]),
            chances(&folder.json(&args))
        );
    }
    let csv = folder.out(&[&args[..], &["--format", "csv"]].concat());
    assert!(csv.starts_with("ruleset,Red foot: strength,"), "{csv}");
    csv.holds("\nerrata,8,attacker losses,2,16.6");
}

/// A text that a spreadsheet would run as a formula is a text there; numbers stay numbers.
#[test]
fn a_spreadsheet_runs_nothing() {
    let folder = Folder::skirmish();
    let script = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(
        script,
        "fn attack(given) {",
        "fn attack(given) {\n    result(\"=A1\", \"@SUM(1)\");\n    result(\"balance\", -3);",
    );
    let csv = folder.out("odds bridge --sweep 'Red foot: strength=4,8' --format csv");
    csv.holds("\n4,\"'=A1\",\"'@SUM(1)\",100,");
    csv.holds("\n4,balance,-3,100,");
}

#[test]
fn ranges_that_cannot_be_meant_are_refused() {
    let folder = Folder::skirmish();
    for (sweep, part) in [
        (
            "Red foot: strength=9..1",
            "the range runs backwards and has no value; write 1..9",
        ),
        (
            "Red foot: strength=1..201",
            "these are 201 values, and a sweep has 200 at most: 1..200",
        ),
        (
            "Red foot: strength=-9223372036854775808..9223372036854775807",
            "a sweep has 200 at most",
        ),
        (
            "Red foot: strength=1..",
            "a range goes from one whole number to another",
        ),
        (
            "Red foot: strength=a..c",
            "a range goes from one whole number to another",
        ),
        ("Red foot: strength=", "there is no value"),
        ("Red foot: strength=,", "there is no value"),
        ("Red foot: strength=4,4", "`4` is there twice"),
        (
            "Red foot: strength=-2..2",
            "strength is 0 or more, and this says -2",
        ),
        ("Red fot: strength=1..2", "did you mean `Red foot`?"),
        ("Red foot: stength=1..2", "did you mean `strength`?"),
        ("strength=1..2", "write 'PIECE: FIGURE=VALUE'"),
        ("track: turn=7..9", "`9` is not on the track `turn`"),
    ] {
        let run = folder.run(&["odds", "bridge", "--sweep", sweep]);
        assert!(
            run.status != Some(0) && run.err.contains(part) && run.out.is_empty(),
            "no `{part}` in\n{}",
            run.terminal_output()
        );
    }
    let args = |more: &[&'static str]| [&["odds", "bridge", "--sweep", SWEEP], more].concat();
    for (extra_args, part) in [
        (&["--set", "Red foot: strength=3"][..], "leave one out"),
        (
            &["--policy", "Red=all"],
            "which a table over values has no room for",
        ),
        (
            &["--only", "wether"],
            "no outcome or part of it is called `wether`",
        ),
        (&["--joint", "attacker losses"], "cannot be used with"),
        (&["--runs", "5"], "cannot be used with"),
    ] {
        let run = folder.run(&args(extra_args));
        run.ends(2);
        run.err.holds(part);
    }
    let csv = folder.run("odds bridge --format csv");
    csv.ends(2);
    csv.err.holds("--format csv is for a table");
}

/// A battle of the shipped game moves with the figure.
#[test]
fn a_shipped_battle_is_swept() {
    let folder = Folder::copy_of(&repository().join("tests/skirmish"), &[]);
    let args = [
        "odds",
        "lee-attacks-porter",
        "--sweep",
        "Huger's division: strength=1,14",
        "--only",
        "defender losses",
        "--limit",
        "20",
    ];
    let text = folder.out(&args);
    let row = |value: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(value))
            .map(str::to_string)
    };
    let (weak, strong) = (row("  1 "), row("  14 "));
    assert!(
        text.contains("over Huger's division: strength")
            && weak.is_some()
            && strong.is_some()
            && weak != strong,
        "{text}"
    );
}

/// A hex with a zero before it is a hex, and a list holds all hexes of a map.
#[test]
fn a_hex_that_is_set_by_hand_stays_one() {
    let folder = Folder::skirmish();
    folder.replace(
        "rules/skirmish/game.yaml",
        "columns: \"1-8\", rows: \"1-8\"",
        "columns: \"1-99\", rows: \"1-99\"",
    );
    folder.replace(
        "rules/skirmish/game.yaml",
        "procedures:\n",
        "procedures:\n  ask: What lies around.\n",
    );
    folder.write(
        "rules/skirmish/01-battle/ask.rhai",
        "//! case: ask\n//! title: Ask\n//! kind: rule\n//! source: { doc: sheet, at: here }\n//! procedure: ask\n//! given:\n//!   at: { names: place, what: Where. }\n//! text: Asks.\n\n\
         fn ask(given) {\n    result(\"around\", neighbours(given.at).len());\n    result(\"places\", places().len());\n}\n",
    );
    let places: Vec<String> = (1..=99)
        .flat_map(|column| {
            (1..=99).map(move |row| format!("\"{column:02}{row:02}\": {{ ground: wood }}"))
        })
        .collect();
    folder.write(
        "scenarios/skirmish/ask.yaml",
        format!("situation: ask\ntitle: Ask\nprocedure: ask\ntracks: {{ turn: 1 }}\nmap: {{ places: {{ {} }} }}\ngiven: {{ at: \"0505\" }}\n", places.join(", ")),
    );
    let run = folder.ok("resolve ask --set 'given: at=0202'");
    run.out.holds("around  6");
    run.out.holds("places  9801");
}
