//! Pools of dice and dice with own faces, in the test game `tests/pools`, whose examples hold fractions from another program.

use crate::common::server::Served;
use crate::common::{Folder, Items, Says, repository};

fn pools() -> Folder {
    Folder::copy_of(
        &repository().join("tests/pools"),
        &["rules", "scenarios", "tables"],
    )
}

const MANIFEST: &str = "rules/pools/game.yaml";

#[test]
fn data_and_examples_hold() {
    let folder = pools();
    folder.ok("check").terminal_output().holds("0 complaints");
    folder.out("test").holds("20 examples hold, 0 fail");
}

/// Own faces have the same names when they are shown, typed and stored.
#[test]
fn own_faces_are_typed_as_they_show() {
    let folder = pools();
    let ruling = folder.json("resolve assault --dice miss,hit,flag");
    assert_eq!(
        ruling["dice"],
        serde_json::json!([["assault", ["miss", "hit", "flag"]]])
    );
    let typed = folder.out("resolve wound --dice=34,-1,1,0,0");
    typed.holds("dice 34, -1, 1, 0, 0");
    typed.holds("line  34");
    let journal = folder.0.join("game.yaml");
    let journal = journal.to_str().expect("a path");
    folder
        .run_with(&["play", "assault", "--save", journal], "hit miss flag\n")
        .expect_success();
    folder.read("game.yaml").holds("faces: [hit, miss, flag]");
    let replayed = folder.out(&["replay", journal]);
    replayed.holds("figures lost  1");
    replayed.holds("driven back   yes");
    let changed = folder.out(&["replay", journal, "--change", "assault=star,star,star"]);
    changed.holds("figures lost  0");
}

/// Rerolls are typed after the first throw, and a missing one is reported.
#[test]
fn dice_thrown_again_are_typed_after_the_others() {
    let folder = pools();
    let case = "rules/pools/01-pools/1.2-wounds.rhai";
    folder.write(
        case,
        folder
            .read(case)
            .replace("roll(\"d66\", \"wound\")", "roll(\"2d6r1!2\", \"wound\")")
            .replace("expect(roll(\"2d6r1!2\", \"wound\"), 34);", ""),
    );
    let output = folder
        .run_with("play wound", "1 6\n1 6 2 3\n\n")
        .expect_success()
        .terminal_output();
    output.holds("type all faces, also of dice thrown again");
    let short = "1 of the dice is thrown again, and its face is not typed after the others (2d6r1!2 for wound)";
    output.holds(short);
    output.holds("line  11");
}

#[test]
fn nonsense_is_refused() {
    let folder = pools();
    let typed = [
        (
            "hit,dog,miss",
            "shows dog; a battle die shows hit, flag, retreat, star or miss",
        ),
        ("hit,3,miss", "shows 3; a battle die"),
        ("hit,miss", "takes 3 dice"),
        ("hit,miss,flag,flag", "1 of the dice"),
    ];
    for (dice, expected) in typed {
        let err = folder
            .run(&["resolve", "assault", "--dice", dice])
            .terminal_output();
        err.holds(expected);
    }
    let manifest = folder.read(MANIFEST);
    let faces = [
        ("[hit, 3]", "the die `battle` shows numbers and words"),
        ("[hit]", "the die `battle` has 1 sides"),
        ("[]", "the die `battle` has 0 sides"),
        ("[hit, 'a,b']", "`a,b` is not a face"),
    ];
    for (list, expected) in faces {
        folder.write(
            MANIFEST,
            manifest.replace("[hit, hit, flag, retreat, star, miss]", list),
        );
        let err = folder.run("check").terminal_output();
        err.holds(expected);
    }
    folder.write(MANIFEST, manifest.replace("  battle:", "  d6:"));
    folder
        .run("check")
        .terminal_output()
        .holds("`d6` is not a name of a die");
    folder.write(MANIFEST, manifest);
    let case = "rules/pools/01-pools/1.1-assault.rhai";
    let rule = folder.read(case);
    let scripts = [
        ("roll(`${given.dice} battle`, \"assault\")", "have no total"),
        (
            "hits(`${given.dice} battle`, \"dog\", \"assault\")",
            "never shows `dog`",
        ),
        ("faces(\"3 bottle\", \"assault\")", "did you mean `battle`?"),
        (
            "faces(\"3d6!21\", \"assault\")",
            "`3d6!21` is not a throw whose dice are thrown again and added 1 to 20 times",
        ),
        (
            "faces(\"3d6!0\", \"assault\")",
            "`3d6!0` is not a throw whose dice are thrown again and added 1 to 20 times",
        ),
        (
            "faces(\"3d6kh4\", \"assault\")",
            "`3d6kh4` is not a throw that keeps no more dice than it throws, or drops fewer",
        ),
        (
            "faces(\"3d6r7\", \"assault\")",
            "`3d6r7` is not a throw that has the faces to throw again",
        ),
        (
            "faces(\"3d6r1..6\", \"assault\")",
            "`3d6r1..6` is not a throw that has the faces to throw again, and others too",
        ),
        (
            "faces(\"3 battle!2\", \"assault\")",
            "`3 battle!2` is not a sum of dice: its dice show words; write e",
        ),
    ];
    for (call, expected) in scripts {
        folder.write(
            case,
            rule.replace("faces(`${given.dice} battle`, \"assault\")", call),
        );
        let err = folder.run("resolve assault").terminal_output();
        err.holds(expected);
    }
}

/// What counts of a throw is asked for as it is, chances are exact whatever the number of dice, and a number that no die shows is reported.
#[test]
fn what_counts_of_a_throw_is_asked_and_counted() {
    let folder = pools();
    let played = folder
        .run_with("play volley --set 'given: shots=3'", "1 2 6\n5 4\n3\n")
        .expect_success()
        .terminal_output();
    for part in [
        "3d6 for volley, each 2 or less counts",
        "each 5 or more counts",
        "1d17 for weather, 3 or less is true",
        "rain  yes",
    ] {
        played.holds(part);
    }
    let odds = folder.json("odds volley");
    assert_eq!(odds["complete"], true);
    for outcome in odds["outcomes"].as_array().expect("a list") {
        let percents = outcome["values"]
            .items()
            .map(|value| value["percent"].as_f64().expect("a number"));
        assert!((percents.sum::<f64>() - 100.0).abs() < 1e-9, "{outcome}");
    }
    let rain = odds["outcomes"]
        .items()
        .find(|outcome| outcome["outcome"] == "rain")
        .expect("it is named");
    assert!(
        rain["values"]
            .items()
            .any(|value| value["chance"] == "3/17"),
        "{rain}"
    );
    let none = folder.out("odds volley --set 'given: shots=0'");
    none.holds("low\n  0  100.0 %");
    let negative = folder
        .run("resolve volley --set 'given: least=-2'")
        .terminal_output();
    negative.holds("no die of 2d6 shows -2: it shows 1 to 6");
    negative.holds("\"..2\" for 2 or less");
}

/// Dice need no rules to be counted.
#[test]
fn dice_are_counted_without_rules() {
    let folder = crate::common::Folder::empty();
    let text = folder.out("dice 4d6kh3 --against 3d8 --at-least");
    for part in [
        "mean 12.24, standard deviation 2.85",
        "exactly  at least",
        "   3  0.077 %   100.0 %",
        "4d6kh3 against 3d8",
        "higher",
        "equal",
        "lower",
    ] {
        text.holds(part);
    }
    let json = folder.json("dice 2d6 --against 1d12");
    let page = |json: &serde_json::Value, number: usize| json["found"][number]["blocks"].clone();
    let mean = |json: &serde_json::Value, number: usize, text: &str| {
        let first = &page(json, number)[0]["text"];
        assert!(
            first.as_str().unwrap_or_default().starts_with(text),
            "{first}"
        );
    };
    assert_eq!(
        page(&json, 2)[0]["rows"][1],
        serde_json::json!(["equal", "8.3 %"])
    );
    assert_eq!(page(&json, 2)[0]["fractions"][1], "1/12");
    mean(&json, 0, "mean 7.00 = 7,");
    let sums = &page(&json, 0)[1];
    assert_eq!(sums["rows"][5], serde_json::json!(["7", "16.7 %"]));
    assert_eq!(sums["fractions"][5], "1/6");
    let hits = folder.out("dice 50d6 --hits 5+ --exact");
    hits.holds("16     11.8 %  ████▊  28196114957529094553600/239299329230617529590083");
    hits.holds("mean 16.67 = 50/3");
    let open = folder.out("dice 1d6!");
    open.holds("counted to 20 further throws; it would go on with a chance of\n  4.6e-17");
    // Large throws are told by their quantiles, and one bound may be asked for.
    let many = folder.out("dice 1000d13");
    assert!(many.lines().count() > 20, "{many}");
    many.holds("half of all throws give 7000 or less; 9 in 10 from 6805 to 7195");
    let rare = folder.out("dice 200d6 --at-least=900");
    rare.holds("900 or more");
    rare.holds("e-15 %");
    let difference = folder.json("dice 2d6-1d6 --against 3d6kh3");
    mean(&difference, 0, "mean 3.50 = 7/2,");
    mean(&difference, 1, "mean 10.50 = 21/2,");
    let lowest = &page(&difference, 0)[1];
    assert_eq!(lowest["rows"][0], serde_json::json!(["-4", "0.5 %"]));
    assert_eq!(lowest["fractions"][0], "1/216");
    // Many values on one side, and more terms than a power may have.
    let open = folder.json("dice 10d100!-1d6");
    mean(&open, 0, "mean 506.60 = 100307/198,");
    for (wrong, message) in [
        ("2x6", "`2x6` is not a throw"),
        ("200d1000000", "--memory gives more"),
    ] {
        let run = folder.run(&["dice", wrong]);
        run.ends(2);
        run.err.holds(message);
    }
}

/// A chart is read by the words of a die, and `check` compares its labels with the faces.
#[test]
fn labels_of_a_chart_cover_the_words_of_a_die() {
    let folder = pools();
    let chart = "tables/pools/fate.yaml";
    let chart_text = folder.read(chart);
    let charts = [
        ("dice: battle", "dice: bottle", "did you mean `battle`?"),
        (
            "dice: battle",
            "dice: 2 battle",
            "2 battle show several words, and a chart is read for one",
        ),
        (
            "dice: battle",
            "dice: power",
            "power can throw 0; no label has it",
        ),
        (
            "star, miss]",
            "miss]",
            "battle shows star too; no label has it",
        ),
        (
            "star, miss]",
            "stra, miss]",
            "battle never shows `stra`; did you mean `star`?",
        ),
    ];
    for (right, wrong, message) in charts {
        folder.write(chart, chart_text.replace(right, wrong));
        let err = folder.run("check").terminal_output();
        err.holds(message);
    }
}

/// The page offers the faces of a die, and an address holds those that were chosen.
#[test]
fn own_faces_are_chosen_on_the_page() {
    let folder = pools();
    let served = Served::start(&folder.0);
    let (_, page) = served.page("/at/pools/assault/play");
    page.holds(
        "<option>hit</option><option>flag</option><option>retreat</option><option>star</option>",
    );
    let (_, page) = served.page("/at/pools/assault/play?moves=thit.flag.miss");
    page.holds("Red throws hit, flag and miss");
    let (_, page) = served.page("/at/pools/wound/play?moves=34-t~1.0.1.1");
    page.holds("34");
    page.holds("-1 0 1 1");
    let (status, page) = served.page("/at/pools/assault/play?moves=hit.flag.miss");
    assert!(status == 400, "{status}: {page}");
    page.holds("is not a move");
}
