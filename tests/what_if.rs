//! House rules tried, kept and taken back: `what-if`, `undo`, and the page "What if …?", which does the same.

use crate::common::server::Served;
use crate::common::{Folder, repository};
use casebook::RulesetSpec;
use casebook::author::blanks::{BlankKind, blanks};
use casebook::author::case_form::CaseForm;
use casebook::author::check::check_file;
use casebook::author::recipe_offers::RecipeOffers;
use casebook::author::recipes::RecipeKind;
use casebook::author::wording::in_words;
use casebook::code::program::Program;
use casebook::data::case::Case;
use casebook::data::library::Library;
use casebook::house::case_switch::switch_off;
use casebook::house::change::{RuleChange, join_field};
use casebook::house::kept::{kept_changes, texts_without};
use casebook::house::trial::{RulesTrial, keeping_spec};
use casebook::ruleset::diagnostics::build_ruleset;
use serde_json::{Value, json};
use std::sync::Arc;

const TABLE: &str = "variants/mine/tables/combat.yaml";
const CASE: &str = "variants/mine/rules/02-losses/2.1-losses.rhai";

/// The change of a cell that the situation of the small game comes to.
const CELL: &str = "combat 1:1 6 = 0/9";

fn what_if(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let run = folder.run(&[&["what-if", "bridge"], args].concat());
    (run.status, run.out + run.err.as_str())
}

#[test]
fn a_change_says_what_it_is_and_what_it_does() {
    let folder = Folder::skirmish();
    let (status, out) = what_if(&folder, &["--cell", CELL]);
    assert_eq!(status, Some(0), "{out}");
    for part in [
        "Combat, odds 1:1, die 6: 0/9 instead of 0/3",
        "before and after differ",
        "defender losses",
        "16.7 %",
    ] {
        assert!(out.contains(part), "no `{part}` in\n{out}");
    }
    assert!(
        !folder.0.join("variants/my-house").exists(),
        "nothing is written unless it is kept"
    );
    // A cell that the situation does not come to moves nothing, which the exit status says.
    let (status, out) = what_if(&folder, &["--cell", "combat 2:1 6 = 0/9"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("give the same"), "{out}");
    // Against other rules.
    let (status, out) = what_if(&folder, &["--cell", "combat 1:1 1 = 2/1", "--vs", "errata"]);
    assert_eq!(status, Some(1), "the errata have this cell so: {out}");
}

/// Examples of the sources that a change contradicts are named, in the terminal and on the page.
#[test]
fn whoever_disagrees_is_named() {
    let folder = Folder::skirmish();
    let (_, out) = what_if(&folder, &["--cell", "combat 1:1 3 = 1/2"]);
    assert!(
        out.contains("examples that this contradicts") && out.contains("combat stated"),
        "{out}"
    );
    assert!(out.contains("Combat, “"), "the chart is named: {out}");
    let (_, out) = what_if(&folder, &["--cell", CELL]);
    assert!(!out.contains("contradicts"), "{out}");
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/skirmish/effect?cell=combat+1:1+3+%3D+1/2");
    assert!(
        page.contains("Examples of the sources that it contradicts")
            && page.contains("combat stated"),
        "{page}"
    );
    assert!(
        page.contains("href=\"/book/skirmish/table/combat\">Combat</a>, <b>"),
        "a link to the chart: {page}"
    );
    // Of an example of a case the case is named, and the example in words.
    let rule = "2.1 share:loss_shares = 2 of each";
    let (_, out) = what_if(&folder, &["--rule", rule]);
    assert!(
        out.replace("\n   ", "")
            .contains("2.1 Losses, “one after the other” (2.1 stated): "),
        "{out}"
    );
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("rule", rule)
        .finish();
    let page = served.page_text(&format!("/what-if/skirmish/effect?{query}"));
    assert!(
        page.contains(
            "href=\"/book/skirmish/case/2.1\">2.1 Losses</a>, <b>“one after the other” (2.1 stated)</b>"
        ),
        "{page}"
    );
}

/// A set of house rules comes after all other variants, and those that have it otherwise are named nonetheless: a cell, an answer, a reading.
#[test]
fn other_variants_that_have_it_otherwise_are_named() {
    let folder = Folder::skirmish();
    for (args, variant, words) in [
        (&["--cell", "combat 1:1 1 = 3/0"][..], "errata", "2/1"),
        (
            &["--rule", "2.1 body:loss_order.2 = units"],
            "errata",
            "2.1 Losses of riders: Footmen first, riders after them",
        ),
    ] {
        let run = what_if(&folder, &[args, &["--format", "json"]].concat()).1;
        let run: Value = serde_json::from_str(&run).expect("an answer");
        let other = &run["other_variants"][0];
        assert_eq!(other["variant"], variant, "{run}");
        let what = other["what"].as_str().unwrap_or_default();
        assert!(what.contains(words), "{what}");
    }
    for same in ["combat 1:1 1 = 2/1", CELL] {
        let (_, out) = what_if(&folder, &["--cell", same]);
        assert!(!out.contains("have it otherwise"), "{out}");
    }
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let always = "rule=26.2+does:leaders_move_the_row.0+%3D+always&rule=26.2+value:leaders_move_the_row.0+%3D+no";
    for change in [always, "rule=26.2.optional+rule+%3D+left+out"] {
        let page = served.page_text(&format!(
            "/what-if/wbts/effect?at=lee-attacks-porter&{change}"
        ));
        let (_, others) = page
            .split_once("Other variants that have it otherwise")
            .unwrap_or_else(|| panic!("{change}: nobody in {page}"));
        assert!(
            others.contains("> dye<") || others.contains(">dye<"),
            "{change}: {others}"
        );
        assert!(others.contains("second-edition"), "{change}: {others}");
    }
}

/// Every reading of every game can be chosen by the field of the page and by the option of the command line, whatever words its name has.
#[test]
fn every_reading_can_be_chosen() {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    let mut spaced = 0;
    for game in ["wbts", "banasik", "tmag"] {
        let spec = keeping_spec(&library, game, "mine");
        let ruleset = Arc::new(build_ruleset(&library, &spec).expect("the rules").0);
        let program = |_: &RulesetSpec| Ok(Arc::new(Program::new(ruleset.clone())));
        for case in &ruleset.cases {
            for reading in &case.readings {
                // A newer layer may read it otherwise.
                let newer = ruleset.cases.iter().rev();
                let mut newer = newer.filter(|other| other.number == case.number);
                let now = newer
                    .find_map(|other| other.readings.iter().find(|one| one.name == reading.name));
                let now = now.and_then(|newest| newest.ways.first());
                let mut ways = reading.ways.iter();
                let way = ways.find(|way| Some(*way) != now).expect("another way");
                let typed = format!("{}.{} = {way}", case.number, reading.name);
                let field = join_field(&case.number, &format!("reading:{}", reading.name));
                let sent = format!("{field} = {way}");
                spaced += usize::from(reading.name.contains(' '));
                for text in [typed, sent] {
                    let change = RuleChange::parse_rule(&text).expect(&text);
                    let again = change.to_parameter().1;
                    assert_eq!(RuleChange::parse_rule(&again).expect(&again), change);
                    let trial = RulesTrial {
                        game: game.into(),
                        variant: "mine".into(),
                        without: Vec::new(),
                        changes: vec![change],
                    };
                    let tried = trial.over(&library, &spec, &program).expect(&text);
                    let kept = kept_changes(&tried.library, &ruleset, "mine");
                    assert!(
                        kept.iter()
                            .any(|one| one.sentence.contains(&format!("is read as {way}"))),
                        "{text}: {kept:?}"
                    );
                }
            }
        }
    }
    assert!(spaced > 20, "{spaced}");
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/wbts?case=26.2&rule+26.2.optional+rule=left+out");
    assert!(
        page.contains("name=\"rule 26.2.optional rule\"")
            && page.contains("“optional rule” is read as left out"),
        "{page}"
    );
}

#[test]
fn a_whole_row_or_column_is_one_change() {
    let folder = Folder::skirmish();
    let run = folder
        .run(&[
            "what-if",
            "bridge",
            "--cell",
            "combat * * = 1 right",
            "--format",
            "json",
        ])
        .expect_success()
        .json();
    assert_eq!(
        run["changes"][0]["sentence"],
        "Combat: read one column to the right"
    );
    let run = folder
        .run(&[
            "what-if",
            "bridge",
            "--cell",
            "combat * * = 1 down",
            "--keep",
            "mine",
        ])
        .expect_success();
    assert!(
        run.out.contains("die +1: read one row lower"),
        "{}",
        run.out
    );
    assert_eq!(
        folder.read(TABLE).matches("was:").count(),
        1,
        "{}",
        folder.read(TABLE)
    );
    folder
        .run(&["resolve", "bridge", "--with", "mine"])
        .expect_success();
    // The last row stays as it is: there is none below it.
    let shown = folder
        .run(&["show", "combat", "--with", "mine"])
        .expect_success()
        .out;
    assert!(shown.contains("0/4"), "{shown}");
}

#[test]
fn a_change_is_kept_and_taken_back() {
    let folder = Folder::skirmish();
    let keep = |args: &[&str]| {
        folder
            .run(&[&["what-if", "bridge", "--keep", "mine"], args].concat())
            .expect_success()
            .out
    };
    assert!(keep(&["--cell", CELL]).contains(TABLE));
    assert!(
        folder
            .read(TABLE)
            .contains("{ column: \"1:1\", row: \"6\", was: \"0/3\", now: \"0/9\", status: house }"),
        "{}",
        folder.read(TABLE)
    );
    // Once more in the same cell: the printed figure is still what was there.
    keep(&["--cell", "combat 1:1 6 = 0/8"]);
    assert!(
        folder
            .read(TABLE)
            .contains("was: \"0/3\", now: \"0/8\", earlier: [\"0/9\"]"),
        "{}",
        folder.read(TABLE)
    );
    keep(&["--cell", "combat 1:1 5 = 1/2"]);
    let undo = || folder.run(&["undo", "mine"]).expect_success().out;
    assert!(undo().contains("Combat, odds 1:1, die 5: 1/2 instead of 0/2"));
    assert!(!folder.read(TABLE).contains("1/2") && folder.read(TABLE).contains("0/8"));
    let checked = folder.run(&["check"]);
    assert!(!checked.out.contains("error["), "{}", checked.out);
    // What was changed in an editor is taken back like the rest.
    folder.append(
        TABLE,
        "  - { column: \"1:1\", row: 2, was: \"1/0\", now: \"1/1\" }\n",
    );
    assert!(undo().contains("die 2: 1/1 instead of 1/0"));
    undo();
    assert!(folder.read(TABLE).contains("now: \"0/9\""));
    undo();
    assert!(
        !folder.0.join(TABLE).exists(),
        "a file that changes nothing goes"
    );
    let run = folder.run(&["undo", "mine"]);
    assert!(
        run.status == Some(2) && run.err.contains("nothing to take back"),
        "{}",
        run.err
    );
    // A cell that is brought back to what it was is no change any more.
    keep(&["--cell", CELL, "--cell", "combat 1:1 4 = 1/3"]);
    keep(&[
        "--cell",
        "combat 1:1 6 = 0/3",
        "--cell",
        "combat 1:1 3 = 1/2",
    ]);
    assert!(
        !folder.read(TABLE).contains("row: \"6\""),
        "{}",
        folder.read(TABLE)
    );
}

/// A figure that the errata have put right is changed: what is said to have been there is theirs, and they come into force with the change.
#[test]
fn what_was_there_is_true() {
    let folder = Folder::skirmish();
    folder
        .run(&[
            "what-if",
            "bridge",
            "--cell",
            "combat 1:1 1 = 2/5",
            "--keep",
            "mine",
        ])
        .expect_success();
    assert!(
        folder.read(TABLE).contains("was: \"2/1\", now: \"2/5\""),
        "{}",
        folder.read(TABLE)
    );
    assert!(
        folder
            .read("variants/mine/variant.yaml")
            .contains("needs: [errata]")
    );
    folder
        .run(&["resolve", "bridge", "--with", "mine"])
        .expect_success();
    // The errata are no part of what the change does.
    let run = folder
        .run(&[
            "what-if", "bridge", "--cell", CELL, "--keep", "mine", "--format", "json",
        ])
        .expect_success()
        .json();
    assert_eq!(run["verdict"], "differs");
    // What stands there once something below is changed elsewhere is corrected with the next change.
    folder.replace(TABLE, "was: \"2/1\"", "was: \"2/0\"");
    folder
        .run(&[
            "what-if",
            "bridge",
            "--cell",
            "combat 1:1 5 = 0/3",
            "--keep",
            "mine",
        ])
        .expect_success();
    assert!(
        folder.read(TABLE).contains("was: \"2/1\", now: \"2/5\""),
        "{}",
        folder.read(TABLE)
    );
}

#[test]
fn a_rule_is_switched_and_read_otherwise() {
    let folder = Folder::skirmish();
    let (status, out) = what_if(
        &folder,
        &[
            "--rule",
            "1.1.wagons = help",
            "--set",
            "Red wagon: strength=9",
        ],
    );
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("“wagons” is read as help"), "{out}");
    let (_, out) = what_if(&folder, &["--rule", "errata on"]);
    assert!(
        out.contains("defender losses") || out.contains("give the same"),
        "{out}"
    );
    let (status, out) = what_if(
        &folder,
        &[
            "--rule",
            "2.1 back = skirmish",
            "--with",
            "errata",
            "--keep",
            "mine",
        ],
    );
    assert!(status.is_some() && out.contains(CASE), "{out}");
    assert!(
        folder.read(CASE).contains("reinstates: skirmish"),
        "{}",
        folder.read(CASE)
    );
    // What carries a procedure out can't be struck.
    let (status, out) = what_if(&folder, &["--rule", "1.1 off"]);
    assert!(
        status == Some(2) && out.contains("it carries out attack"),
        "{out}"
    );
    for (args, part) in [
        (
            &["--cell", "combat 1:1 7 = 0/9"][..],
            "there is no die 7; there are 1, 2, 3, 4, 5, 6",
        ),
        (
            &["--cell", "combat 1:1 = 0/9"],
            "a cell is found by odds and die; 1 is given",
        ),
        (&["--cell", "combats 1:1 6 = 0/9"], "combat"),
        (
            &["--cell", "combat 1:1 6 = 5"],
            "has 1 part; a cell of this table has 2",
        ),
        (
            &["--cell", "combat 1:1 6 = 0/99"],
            "`99` is not allowed for defender",
        ),
        (&["--cell", "combat 1:1 6 = O/1"], "did you mean `0`?"),
        (&["--rule", "9.9 off"], "9.9"),
        (&["--rule", "2.1"], "is not a change of a rule"),
        (&[], "what changes?"),
        (&["--cell", CELL, "--keep", "ü"], "a letter a-z"),
        (
            &["--cell", CELL, "--keep", "skirmish"],
            "the name of a game",
        ),
        (&["--rule", "2.1"], "for example '1.1.wagons = help'"),
    ] {
        let (status, out) = what_if(&folder, args);
        assert!(status == Some(2) && out.contains(part), "{args:?}: {out}");
    }
    // A name in one's own words is written as the page writes it.
    what_if(&folder, &["--cell", CELL, "--keep", "Our House"]);
    assert!(folder.0.join("variants/our-house/variant.yaml").exists());
}

/// Of two changes of one and the same the later one wins, and it alone is listed.
#[test]
fn a_later_change_takes_the_place_of_an_earlier_one() {
    let folder = Folder::skirmish();
    for (changes, stays) in [
        (
            [
                "--cell",
                "combat 1:1 6 = 0/9",
                "--cell",
                "combat 1:1 6 = 1 / 2",
            ],
            vec!["combat 1:1 6 = 1 / 2"],
        ),
        (
            [
                "--cell",
                "combat 1:1 6 = 0/9",
                "--cell",
                "combat 1:1 * = 1/2",
            ],
            vec!["combat 1:1 6 = 0/9", "combat 1:1 * = 1/2"],
        ),
        (
            [
                "--cell",
                "combat 1:1 * = 1/2",
                "--cell",
                "combat 1:1 6 = 0/9",
            ],
            vec!["combat 1:1 * = 1/2", "combat 1:1 6 = 0/9"],
        ),
        (
            [
                "--rule",
                "1.1 die:attack = +1",
                "--rule",
                "1.1 die:attack = -1",
            ],
            vec!["1.1 die:attack = -1"],
        ),
        (
            ["--rule", "winter on", "--rule", "winter off"],
            vec!["winter off"],
        ),
    ] {
        let args = [&["what-if", "bridge", "--format", "json"], &changes[..]].concat();
        let listed = folder.run(&args).json()["changes"].clone();
        let texts: Vec<&str> = listed
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|change| change["text"].as_str())
            .collect();
        assert_eq!(texts, stays, "{changes:?}");
    }
    // Spaces around the parts of a cell and before its marks are no part of it.
    let (_, out) = what_if(&folder, &["--cell", "combat 1:1 6 = 1 / 2"]);
    assert!(out.contains("1/2 instead of 0/3"), "{out}");
}

/// The page makes the same changes by the same notation, and its address holds them.
#[test]
fn the_page_shows_keeps_and_takes_back() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/skirmish?cell=combat+1:1+6+%3D+0/9&table=combat");
    for part in [
        "Combat, odds 1:1, die 6: 0/9 instead of 0/3",
        "data-was=\"0/3\"",
        "value=\"0/9\"",
        "Keep it as",
        "At the bridge",
        "+16.7<",
    ] {
        assert!(page.contains(part), "no `{part}` in\n{page}");
    }
    assert!(
        !folder.0.join("variants/my-house").exists(),
        "looking writes nothing"
    );
    let refused = served.page_text("/what-if/skirmish?cell=combat+1:1+6+%3D+0/99&part=bench");
    assert!(
        refused.contains("data-refused") && refused.contains("is not allowed"),
        "{refused}"
    );
    let keep = |body: Value| served.request_with_token("POST", "/keep", &body);
    let (status, kept) = keep(
        json!({ "game": "skirmish", "variant": "mine", "cell": [CELL], "rule": ["1.1.wagons = help"] }),
    );
    assert_eq!(status, 200, "{kept}");
    let has = |served: &Served, text: &str| served.page_text("/what-if/skirmish").contains(text);
    served.wait_until(|served| {
        has(
            served,
            "data-take-back=\"tables/combat.yaml#odds 1:1, die 6 = 0/9\"",
        )
    });
    served.wait_until(|served| has(served, "“wagons” is read as help"));
    // The link holds the kept rules, too, for whoever has not the files.
    let page = served.page_text("/what-if/skirmish");
    let shared = page
        .split("data-shared=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a link")
        .replace("&amp;", "&");
    std::fs::rename(folder.0.join("variants/mine"), folder.0.join("kept"))
        .expect("it can be moved");
    served.wait_until(|served| !has(served, "data-take-back"));
    let page = served.page_text(&shared);
    assert!(
        page.contains("die 6: 0/9 instead of 0/3") && page.contains("“wagons” is read as help"),
        "{page}"
    );
    std::fs::rename(folder.0.join("kept"), folder.0.join("variants/mine"))
        .expect("it can be moved");
    served.wait_until(|served| has(served, "data-take-back"));
    // One of them off, and what the others do, in full.
    let page = served
        .page_text("/what-if/skirmish/effect?without=tables/combat.yaml%23odds+1:1,+die+6+%3D+0/9");
    assert!(
        page.contains("is read as help") && !page.contains("0/9 instead"),
        "{page}"
    );
    let page = served.page_text("/what-if/skirmish/effect");
    for part in [
        "What it does",
        "Why",
        "Who disagrees",
        "No other variant says otherwise",
        "difference",
    ] {
        assert!(page.contains(part), "no `{part}` in\n{page}");
    }
    let (status, answer) = keep(
        json!({ "game": "skirmish", "variant": "mine", "without": ["tables/combat.yaml#odds 1:1, die 6 = 0/9"] }),
    );
    assert_eq!(
        (status, &answer["written"]),
        (200, &json!([TABLE])),
        "{answer}"
    );
    assert!(!folder.0.join(TABLE).exists());
    // A variant that comes with the game is nobody's to change, and what was taken back is gone.
    let (status, answer) = keep(
        json!({ "game": "skirmish", "variant": "mine", "without": ["tables/combat.yaml#odds 1:1, die 6 = 0/9"] }),
    );
    assert_eq!(status, 400, "{answer}");
}

/// A figure that was changed twice comes back step by step, the change that was made last goes first, and a file that was edited by hand in
/// between loses nothing else.
#[test]
fn changes_are_taken_back_one_by_one() {
    let folder = Folder::skirmish();
    let keep = |cell: &str| {
        folder.run(&["what-if", "bridge", "--cell", cell, "--keep", "mine"]);
    };
    let undo = || folder.run(&["undo", "mine"]);
    let values = || {
        let text = folder.read(TABLE);
        let values = text.lines().filter_map(|line| line.split_once("now: "));
        let value =
            |(_, rest): (&str, &str)| rest.split(',').next().unwrap_or_default().replace('"', "");
        values.map(value).collect::<Vec<_>>()
    };
    keep("combat 1:1 6 = 0/9");
    keep("combat 1:1 5 = 0/8");
    keep("combat 1:1 6 = 0/6");
    assert_eq!(values(), ["0/8", "0/6"], "{}", folder.read(TABLE));
    assert!(folder.read(TABLE).contains("earlier: [\"0/9\"]"));
    undo().expect_success();
    assert_eq!(values(), ["0/8", "0/9"]);
    assert!(!folder.read(TABLE).contains("earlier"));
    // Somebody adds a line and a remark of his own, and the same change is taken back.
    let by_hand = folder.read(TABLE).replace(
        "changes:\n",
        "changes:\n  # ours since the spring\n  - { column: \"1:2\", row: \"1\", was: \"3/0\", now: \"2/0\", status: house }\n",
    );
    folder.write(TABLE, &by_hand);
    assert_eq!(values(), ["2/0", "0/8", "0/9"]);
    undo().expect_success();
    assert_eq!(values(), ["2/0", "0/8"]);
    assert!(folder.read(TABLE).contains("ours since the spring"));
    // The page names a change by what it says: what was changed meanwhile is not taken for another.
    let served = Served::start(&folder.0);
    let edited = folder.read(TABLE).replace("now: \"0/8\"", "now: \"0/7\"");
    folder.write(TABLE, &edited);
    served.wait_until(|served| {
        served
            .page_text("/what-if/skirmish")
            .contains("die 5 = 0/7")
    });
    let take_back = |id: &str| {
        let body = json!({ "game": "skirmish", "variant": "mine", "without": [id] });
        served.request_with_token("POST", "/keep", &body)
    };
    let (status, answer) = take_back("tables/combat.yaml#odds 1:1, die 5 = 0/8");
    assert!(
        status == 400 && answer.to_string().contains("changed meanwhile"),
        "{answer}"
    );
    assert_eq!(folder.read(TABLE), edited, "nothing is written");
    assert_eq!(take_back("tables/combat.yaml#odds 1:1, die 5 = 0/7").0, 200);
    assert_eq!(values(), ["2/0"]);
    undo().expect_success();
    assert!(!folder.0.join(TABLE).exists());
}

/// Several changes of one case come back one by one, in any order, and leave no copy of what they changed.
#[test]
fn changes_of_one_case_are_taken_back_one_by_one() {
    const ATTACK: &str = "rules/01-battle/1.1-attack.rhai";
    let folder = Folder::skirmish();
    let file = format!("variants/mine/{ATTACK}");
    let keep = |rules: &[&str]| {
        for rule in rules {
            what_if(&folder, &["--rule", rule, "--keep", "mine"]);
        }
    };
    let all = [
        "1.1 die:attack = -1",
        "1.1 adds:may_attack = yes when is_a(unit, \"wagon\")",
        "1.1.wagons = help",
    ];
    let ids = ["die:attack.1:0 = -1", "may_attack.1", "wagons = help"];
    let served = Served::start(&folder.0);
    let kept = || {
        let page = served.page_text("/what-if/skirmish");
        let has = |id: &&&str| page.contains(&format!("data-take-back=\"{ATTACK}#{id}\""));
        ids.iter().filter(has).count()
    };
    let take_back = |id: &str| {
        let body =
            json!({ "game": "skirmish", "variant": "mine", "without": [format!("{ATTACK}#{id}")] });
        served.request_with_token("POST", "/keep", &body)
    };
    for taken in [[0, 1], [1, 0], [2, 0]] {
        keep(&all);
        served.wait_until(|_| kept() == 3);
        let page = served.page_text("/what-if/skirmish");
        for sentence in [
            "the die for attack counts 1 less",
            "yes, if unit is a",
            "is read as help",
        ] {
            assert!(
                page.to_lowercase().contains(sentence),
                "no `{sentence}` in\n{page}"
            );
        }
        // The effect of one without another, and the link, know the parts, too.
        let effect = format!(
            "/what-if/skirmish/effect?without={ATTACK}%23{}",
            ids[taken[0]]
                .replace(' ', "+")
                .replace('=', "%3D")
                .replace(':', "%3A")
        );
        let effect = served.page_text(&effect).to_lowercase();
        assert_eq!(effect.contains("counts 1 less"), taken[0] != 0, "{effect}");
        assert_eq!(take_back(ids[taken[0]]).0, 200);
        served.wait_until(|_| kept() == 2);
        let text = folder.read(&file);
        for (index, part) in ["clamp(roll(", "fn may_attack", "wagons:"]
            .iter()
            .enumerate()
        {
            assert_eq!(text.contains(part), index != taken[0], "{part}: {text}");
        }
        let checked = folder.run(&["check"]);
        assert!(
            checked.out.contains("0 complaints"),
            "{}{text}",
            checked.out
        );
        assert_eq!(take_back(ids[taken[0]]).0, 400, "it is gone");
        assert_eq!(take_back(ids[taken[1]]).0, 200);
        // The last one is the file's, which goes with it.
        folder.run(&["undo", "mine"]).expect_success();
        assert!(!folder.0.join(&file).exists());
    }
    // Figures of one answer: each is what it was again by itself, and the words of the case go when it says less.
    keep(&[
        "1.1 in:attack.1:2 = 1d4",
        "1.1 in:may_attack.1:0 = 2",
        "1.1 text = Only strong ones.",
    ]);
    assert!(folder.read(&file).contains("Only strong ones"));
    served.wait_until(|served| {
        served
            .page_text("/what-if/skirmish")
            .contains("may_attack.1 figure 1 = 2")
    });
    assert_eq!(take_back("may_attack.1 figure 1 = 2").0, 200);
    let text = folder.read(&file);
    assert!(
        text.contains("1d4")
            && !text.contains("may_attack(unit) {")
            && !text.contains("Only strong"),
        "{text}"
    );
    let undone = folder.run(&["undo", "mine"]).expect_success().out;
    assert!(undone.contains("1d4 instead of 1d6"), "{undone}");
    assert!(!folder.0.join(&file).exists());
}

/// Of any two figures that are changed in a case of the games that come with the program, each comes back by itself, whichever is first; when both
/// are back, nothing is left of the file.
#[test]
fn any_two_figures_of_a_case_come_back_one_by_one() {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    // Building each takes minutes.
    const SAMPLE: usize = 8;
    let mut helpers = 0;
    for game in ["wbts", "banasik", "tmag"] {
        let spec = keeping_spec(&library, game, "mine");
        let (ruleset, _) = build_ruleset(&library, &spec).expect("the rules");
        let ruleset = Arc::new(ruleset);
        let program = |_: &RulesetSpec| Ok(Arc::new(Program::new(ruleset.clone())));
        let figures = |case: &Case| -> Vec<(bool, String)> {
            let form = CaseForm::new(&library, &ruleset, "mine", &case.number).expect("a case");
            let functions = form.functions.iter().filter(|function| function.is_open);
            functions
                .flat_map(|function| {
                    let source = &*function.function().body;
                    let numbers = blanks(source).into_iter().enumerate();
                    numbers
                        .filter_map(|(index, blank)| {
                            let now = match blank.kind {
                                BlankKind::Number => {
                                    (source[blank.range].parse::<i64>().ok()? + 1).to_string()
                                }
                                BlankKind::Share => "3/4 rounded up".into(),
                                _ => return None,
                            };
                            let field =
                                format!("{} in:{}:{index} = {now}", case.number, function.key);
                            Some((function.function().private, field))
                        })
                        .collect::<Vec<_>>()
                })
                .collect()
        };
        let cases: Vec<_> = ruleset
            .cases
            .iter()
            .map(|case| figures(case))
            .filter(|figures| figures.len() > 1)
            .collect();
        for figures in cases.iter().step_by(cases.len() / SAMPLE) {
            let (first, last) = (&figures[0], &figures[figures.len() - 1]);
            helpers += usize::from(first.0 || last.0);
            let texts = [&first.1, &last.1];
            let change = |text: &String| RuleChange::parse_rule(text).expect(text);
            let trial = RulesTrial {
                game: game.into(),
                variant: "mine".into(),
                without: Vec::new(),
                changes: texts.map(change).to_vec(),
            };
            let tried = trial
                .over(&library, &spec, &program)
                .expect("it can be tried");
            let kept = |library: &Arc<Library>| kept_changes(library, &ruleset, "mine");
            let all = kept(&tried.library);
            assert_eq!(all.len(), 2, "{texts:?}: {all:?}");
            for (taken, other) in [(0, 1), (1, 0)] {
                let without = |library: &Arc<Library>, id: &String| {
                    let texts = texts_without(library, &ruleset, "mine", std::slice::from_ref(id));
                    Arc::new(
                        library.with_variant_files("mine", &texts.expect("it can be taken back")),
                    )
                };
                let one = without(&tried.library, &all[taken].id);
                let left = kept(&one);
                assert_eq!(left.len(), 1, "{texts:?}: {left:?}");
                assert_eq!(left[0].sentence, all[other].sentence, "{texts:?}");
                let none = without(&one, &left[0].id);
                assert_eq!(kept(&none), [], "{texts:?}");
            }
        }
    }
    assert!(helpers > 0, "some figures stand in helpers");
}

/// "Half of it" is a figure of a rule like any other: another share is picked, counted, kept, said and taken back.
#[test]
fn an_attack_across_a_river_has_two_thirds() {
    let folder = Folder::empty();
    let share = "8.4 in:strength_across.3:1 = 2/3 rounded up";
    let situation = "lee-crosses-the-pamunkey";
    let run = folder.run(&["what-if", situation, "--rule", share, "--keep", "mine"]);
    let said = run.expect_success().out.replace("\n    ", " ");
    for expected in [
        "two thirds of it, rounded up instead of half of it, rounded up",
        "retreats in 33.3 %",
    ] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
    let kept = ["rules", "08-combat", "8.4-effect-of-terrain.rhai"].join("/");
    let written = folder.read(&format!("variants/mine/{kept}"));
    assert!(written.contains("share_up(strength, 2, 3)"), "{written}");
    let undone = folder.run(&["undo", "mine"]).expect_success().out;
    assert!(
        undone
            .replace("\n", " ")
            .contains("two thirds of it, rounded up"),
        "{undone}"
    );
}

/// Of two recipes that are laid over one throw or comparison of a game, and a figure beside them, each comes back by itself, in any order: what
/// is left is as if it had never been there.
#[test]
fn recipes_on_one_throw_come_back_one_by_one() {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    const SAMPLE: usize = 3;
    let mut counts = [0; 2];
    for game in ["wbts", "banasik", "tmag"] {
        let spec = keeping_spec(&library, game, "mine");
        let (ruleset, _) = build_ruleset(&library, &spec).expect("the rules");
        let ruleset = Arc::new(ruleset);
        let program = |_: &RulesetSpec| Ok(Arc::new(Program::new(ruleset.clone())));
        let over = |library: &Arc<Library>, without: &[String], texts: &[&String]| {
            let change = |text: &&String| RuleChange::parse_rule(text).expect(text);
            let trial = RulesTrial {
                game: game.into(),
                variant: "mine".into(),
                without: without.to_vec(),
                changes: texts.iter().map(change).collect(),
            };
            let tried = trial.over(library, &spec, &program);
            let texts = tried
                .unwrap_or_else(|error| panic!("{texts:?}: {error}"))
                .texts;
            Arc::new(library.with_variant_files("mine", &texts))
        };
        let kept = |library: &Arc<Library>| kept_changes(library, &ruleset, "mine");
        let scripts = |library: &Library| {
            let keys = library.files.by_key.iter();
            let own = keys.filter(|(key, _)| key.starts_with("variants/mine/rules/"));
            own.map(|(_, file)| file.text.to_string())
                .collect::<String>()
        };
        let offers = RecipeOffers::new(&library, &ruleset);
        for (count, kind) in counts.iter_mut().zip([RecipeKind::Die, RecipeKind::Needs]) {
            let places = offers.places(kind, "mine");
            for place in places.iter().step_by((places.len() / SAMPLE).max(1)) {
                let conditions = offers.conditions(place);
                let plain = conditions.iter().find(|one| !one.script.contains("OPTION"));
                let when = plain.map_or(String::new(), |one| {
                    format!(" when {}", one.script.replace('#', "3"))
                });
                let text =
                    |amount: &str| format!("{} {} = {amount}{when}", place.case, place.field);
                let (first, second) = (text("+1"), text("-2"));
                let both = over(&over(&library, &[], &[&first]), &[], &[&second]);
                let all = kept(&both);
                assert_eq!(all.len(), 2, "{first}: {all:#?}");
                // The one that was made last stands last.
                let last = all[1].recipe.clone().expect("a recipe").to_parameter().1;
                assert!(last.contains("= -2"), "{second}: {last}");
                for taken in &all {
                    let one = over(&both, std::slice::from_ref(&taken.id), &[]);
                    let left = kept(&one);
                    assert_eq!(left.len(), 1, "{first}: {left:#?}");
                    // What is left was made by its own change, and is that alone.
                    let made_by = left[0].recipe.clone().expect("a recipe");
                    let (_, text) = made_by.to_parameter();
                    let alone = over(&library, &[], &[&text]);
                    assert_eq!(scripts(&one), scripts(&alone), "{text}");
                    let none = over(&one, std::slice::from_ref(&left[0].id), &[]);
                    assert_eq!(kept(&none), [], "{first}");
                    *count += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|count| *count >= 4), "{counts:?}");
}

/// An interpretation is kept with a sentence, and what-if and test say when a change breaks it.
#[test]
fn a_pinned_interpretation_is_held_against_changes() {
    let folder = Folder::skirmish();
    let because = "At even odds a six costs three: we play it so.";
    folder
        .run(&["pin", "bridge", "--dice", "6", "--because", because])
        .expect_success();
    let pins = folder.read("tests/skirmish/pins.yaml");
    assert!(
        pins.contains(because)
            && pins.contains("dice: [6]")
            && pins.contains("\"defender losses\": \"3\""),
        "{pins}"
    );
    folder.run(&["test", "pins"]).expect_success();
    let (_, out) = what_if(&folder, &["--cell", CELL]);
    assert!(
        out.contains("pinned interpretations that this breaks") && out.contains(because),
        "{out}"
    );
    let (_, out) = what_if(&folder, &["--cell", "combat 1:1 5 = 0/3"]);
    assert!(!out.contains("pinned interpretations"), "{out}");
    let served = Served::start(&folder.0);
    assert!(
        served
            .page_text("/what-if/skirmish?cell=combat+1:1+6+%3D+0/9&part=bench")
            .contains(because)
    );
    folder.replace(
        "tables/skirmish/combat.yaml",
        "6: [\"?\", \"0/3\",",
        "6: [\"?\", \"0/9\",",
    );
    let run = folder.run(&["test", "pins"]);
    assert!(
        run.status == Some(1) && run.out.contains(because),
        "{}{}",
        run.out,
        run.err
    );
}

/// Each recipe makes a new rule: said in words, seen on the bench, and kept as a case that `check` accepts.
#[test]
fn a_recipe_makes_a_new_rule() {
    for (rule, sentence, moves) in [
        // A die modifier, under a condition.
        (
            "1.1 die:attack = -1 when given.side == \"Red\"",
            "1.1 Attack: the die for attack counts 1 less, at least 1, if side is Red",
            true,
        ),
        (
            "1.1 die:attack.1:0 = -1 when given.side == \"Blue\"",
            "if side is Blue",
            false,
        ),
        (
            "1.1 die:attack = +1 when track(\"turn\") >= 3",
            "counts 1 more, at most 6, if the turn is at least 3",
            true,
        ),
        // Another share of what is lost: the points are as before, but not who bears them.
        (
            "2.1 share:loss_shares = 2 of each",
            "2.1 Losses: What each of these strengths loses: twice as much, for each",
            false,
        ),
        // Another answer under a condition, which is a question that the rules ask.
        (
            "1.1 adds:may_attack = yes when is_a(unit, \"wagon\")",
            "Whether a piece takes part in an attack: yes, if unit is a wagon",
            false,
        ),
        // A new option, which a player is asked about.
        (
            "1.1 die:attack = +2 when choose(given.side, \"storm\", [\"storm\", \"as printed\"]) == \"storm\"",
            "counts 2 more, at most 6, if side chooses “storm”",
            true,
        ),
    ] {
        let folder = Folder::skirmish();
        let (status, out) = what_if(&folder, &["--rule", rule, "--keep", "mine"]);
        let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains(sentence), "{rule}: no `{sentence}` in\n{out}");
        assert_eq!(status, Some(i32::from(!moves)), "{rule}: {out}");
        let checked = folder.run(&["check"]);
        assert_eq!(
            (checked.status, checked.out.contains("0 complaints")),
            (Some(0), true),
            "{rule}: {}{}",
            checked.out,
            checked.err
        );
        // It is kept in its own words, and taken back.
        let undone = folder.run(&["undo", "mine"]).expect_success().out;
        let words = sentence.rsplit(", ").next().unwrap_or(sentence);
        let undone = undone.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(undone.contains(words), "{rule}: no `{words}` in {undone}");
    }
    let folder = Folder::skirmish();
    for (rule, part) in [
        ("1.1 die:attack = much", "1.1: “much” is not a whole number"),
        ("2.1 share:loss_shares = half", "`half` is not a share"),
        ("1.1 die:attack:7 = +1", "choose the rule again"),
        ("1.1 die:defend = +1", "no answer “defend” in 1.1"),
        (
            "1.1 die:attack = +1 when",
            "1.1: “+1 when” is not a whole number",
        ),
        ("1.1 die:attack = 3.5", "1.1: “3.5” is not a whole number"),
        (
            "1.1 die:attack = when track(\"turn\") >= 3",
            "1.1: how much is not said",
        ),
        (
            "1.1 die:attack = +1 when track(\"turn\") >= abc",
            "1.1: “abc” is not a whole number",
        ),
        (
            "1.1 die:attack = +1 when !(track(\"turn\") >= 3.5)",
            "1.1: “3.5” is not a whole number",
        ),
        (
            "1.1 die:attack = +1 when track(\"turn\") <= ",
            "1.1: a number is missing behind “is at most”",
        ),
        (
            "1.1 adds:attack_odds = +1 when track(\"turn\") >= 3 3",
            "1.1: “3 3” is not a whole number",
        ),
        ("1.1 die:attack = +1 when ((", "1.1"),
    ] {
        let (status, out) = what_if(&folder, &["--rule", rule]);
        assert!(
            matches!(status, Some(1 | 2)) && out.contains(part),
            "{rule}: {status:?} {out}"
        );
    }
    // What is changed already is not changed once more behind its back.
    let keep = |rule: &str| what_if(&folder, &["--rule", rule, "--keep", "mine"]);
    keep("2.1 share:loss_shares = 2 of each");
    let (status, out) = keep("2.1 share:loss_shares = 1/2 of each");
    assert!(
        status == Some(2) && out.contains("take that change back"),
        "{out}"
    );
    // A second recipe for the same case stands beside the first, and so do its words.
    keep("1.1 die:attack = -1");
    keep("1.1 adds:may_attack = yes when is_a(unit, \"wagon\")");
    let text = folder.read("variants/mine/rules/01-battle/1.1-attack.rhai");
    assert!(
        text.contains("clamp(roll(") && text.contains("counts 1 less") && text.contains("yes, if"),
        "{text}"
    );
    folder.run(&["check"]).expect_success();
}

/// On the page everything is picked from lists, which are taken from the code and the manifest.
#[test]
fn recipes_are_picked_from_lists() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let part = |query: &str| served.page_text(&format!("/what-if/skirmish?part=change&{query}"));
    let has = |query: &str, parts: &[&str]| {
        let page = part(query);
        for text in parts {
            assert!(page.contains(text), "{query}: no `{text}` in\n{page}");
        }
    };
    has(
        "recipe=die",
        &["1.1 Attack", "attack (1d6)", "value=\"1.1 die:attack.1:0\""],
    );
    has(
        "recipe=die&place=1.1+die:attack.1:0&rule=1.1+die:attack.1:0+%3D+-2+when+track(%22turn%22)+%3E%3D+5",
        &[
            "name=\"amount\" value=\"-2\"",
            "name=\"number\" value=\"5\"",
            "selected>the turn is at least …",
            "side is Red",
            "side chooses",
        ],
    );
    has("recipe=share", &["What each of these strengths loses"]);
    has(
        "recipe=adds&place=1.1+adds:may_attack.1",
        &[
            "a piece takes part in an attack",
            "unit strength is at least",
            "unit is of the riders",
        ],
    );
    has(
        "recipe=choice&place=1.1+die:attack.1:0",
        &["the option", "Red chooses"],
    );
    has("recipe=off", &["Which rule"]);
    has("recipe=needs", &["Nothing in these rules is of this kind"]);
    // Without scripts what is picked is sent, and the page makes the change of it.
    let page = served.page_text(
        "/what-if/skirmish?recipe=die&place=1.1+die:attack.1:0&amount=-1&word=unless&when=track(%22turn%22)+%3E%3D+%23&number=4",
    );
    assert!(
        page.contains("counts 1 less, at least 1, unless the turn is at least 4"),
        "{page}"
    );
}

/// Wherever a recipe is offered in the games that come with the program, it makes rules without a fault.
#[test]
fn every_recipe_fits_where_it_is_offered() {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    // Some of each kind: building each would take minutes.
    const SAMPLE: usize = 2;
    let mut counts = [0; RecipeKind::ALL.len()];
    for game in ["wbts", "banasik", "tmag"] {
        let spec = keeping_spec(&library, game, "mine");
        let (ruleset, _) = build_ruleset(&library, &spec).expect("the rules");
        let ruleset = Arc::new(ruleset);
        let program = |_: &RulesetSpec| Ok(Arc::new(Program::new(ruleset.clone())));
        let offers = RecipeOffers::new(&library, &ruleset);
        for (count, kind) in counts.iter_mut().zip(RecipeKind::ALL) {
            let places = offers.places(kind, "mine");
            *count += places.len();
            for place in places.iter().step_by((places.len() / SAMPLE).max(1)) {
                let conditions = [offers.choices(place), offers.conditions(place)].concat();
                let at = place.words.len() % conditions.len().max(1);
                let when = conditions.get(at).map_or(String::new(), |one| {
                    let script = one.script.replace('#', "3").replace("OPTION", "new");
                    format!(" when {script}")
                });
                let amount = place.amounts.first().map_or("+1", |(value, _)| value);
                let text = format!("{} {} = {amount}{when}", place.case, place.field);
                let trial = RulesTrial {
                    game: game.into(),
                    variant: "mine".into(),
                    without: Vec::new(),
                    changes: vec![RuleChange::parse_rule(&text).expect(&text)],
                };
                let tried = trial.over(&library, &spec, &program).expect(&text);
                for key in tried.texts.keys() {
                    let complaints = check_file(&tried.library, key).0;
                    let own: Vec<_> = complaints
                        .iter()
                        .filter(|one| one.place.path.contains("variants/mine/"))
                        .collect();
                    assert!(own.is_empty(), "{text}: {own:?}");
                }
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    // A die can depend on the season and the ground.
    let spec = keeping_spec(&library, "wbts", "mine");
    let (ruleset, _) = build_ruleset(&library, &spec).expect("the rules");
    let offers = RecipeOffers::new(&library, &ruleset);
    let place = offers
        .place(RecipeKind::Die, "mine", ("5.2", "die:try_to_move.1:0"))
        .expect("a leader's roll");
    let offered = offers.conditions(&place);
    for words in [
        "the season is winter",
        "leader stands where terrain is forest",
    ] {
        let one = offered.iter().find(|one| one.words == words);
        let script = &one.unwrap_or_else(|| panic!("no `{words}`")).script;
        assert_eq!(in_words(script), words);
    }
}

/// What a change decides of a doubtful place is said beside what it contradicts.
#[test]
fn readings_that_a_change_decides_or_contradicts_are_named() {
    let folder = Folder::skirmish();
    let always = |answer: &str| {
        [
            "--rule".to_string(),
            "1.1 does:may_attack.1 = always".into(),
            "--rule".into(),
            format!("1.1 value:may_attack.1 = {answer}"),
        ]
    };
    let run = |args: &[String]| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        what_if(&folder, &args)
            .1
            .replace('\n', " ")
            .replace("  ", " ")
    };
    let out = run(&always("yes"));
    for part in [
        "readings that this decides or contradicts",
        "1.1.wagons: whether “stay out” and “help” is not asked any more",
    ] {
        assert!(out.contains(part), "no `{part}` in\n{out}");
    }
    let out = run(&["--rule".into(), "1.1.wagons = help".into()]);
    assert!(
        out.contains("of “stay out” and “help” it is read as “help”"),
        "{out}"
    );
    let served = Served::start(&folder.0);
    let effect =
        |query: &str| served.page_text(&format!("/what-if/skirmish/effect?at=bridge&{query}"));
    let page = effect("rule=1.1+does:may_attack.1+%3D+always&rule=1.1+value:may_attack.1+%3D+yes");
    assert!(
        page.contains("Readings of doubtful places") && page.contains("is not asked any more"),
        "{page}"
    );
    assert!(!effect("cell=combat+1:1+6+%3D+0/9").contains("Readings of doubtful"));
}

/// What a change does to a whole game is one sentence, in the terminal and on the page, which plays until it is decided.
#[test]
fn who_wins_more_often_is_said_in_words() {
    let folder = Folder::copy_of(
        &repository().join("tests/duel"),
        &["rules", "tables", "scenarios", "variants"],
    );
    let cells: Vec<String> = ["1", "2", "3", "4"]
        .iter()
        .map(|die| format!("hits Red {die} = 1"))
        .collect();
    let mut args = vec!["what-if", "meadow", "--balance", "meadow"];
    for cell in &cells {
        args.extend(["--cell", cell]);
    }
    let run = folder.run(&args).expect_success();
    assert!(
        run.out.contains("Red wins ") && run.out.contains(" % more often, "),
        "{}",
        run.out
    );
    args.extend(["--format", "json"]);
    let json = folder.run(&args).expect_success().json();
    assert!(json["balance"].is_object(), "{json}");
    let served = Served::start(&folder.0);
    let query =
        "cell=hits+Red+4+%3D+1&cell=hits+Red+3+%3D+1&cell=hits+Red+2+%3D+1&at=meadow&whole=meadow";
    let page = served.page_text(&format!("/what-if/duel/effect?{query}"));
    assert!(
        page.contains("To the game")
            && page.contains("data-part=\"game\"")
            && page.contains("data-more=\"0\""),
        "{page}"
    );
    let mut look = 0;
    loop {
        let page = served.page_text(&format!(
            "/what-if/duel/effect?{query}&part=game&look={look}"
        ));
        assert!(
            page.contains("Red wins") || page.contains("Not decided"),
            "{page}"
        );
        if !page.contains("data-more") {
            assert!(page.contains(" % more often, "), "{page}");
            break;
        }
        look += 1;
        assert!(look < 3, "it is never decided: {page}");
    }
    // Nothing that a game can reach: said at once.
    let page = served.page_text(
        "/what-if/duel/effect?rule=1.3+text+%3D+In+the+evening&at=meadow&whole=meadow&part=game",
    );
    assert!(
        page.contains("exactly as often as before") && !page.contains("data-more"),
        "{page}"
    );
    // The numbers are explained, and names of what is only tried are never shown.
    let cell = "hits Red 4 = 1";
    let kept = ["what-if", "meadow", "--cell", cell, "--keep", "my-house"];
    let folder = Folder::copy_of(
        &repository().join("tests/duel"),
        &["rules", "tables", "scenarios"],
    );
    assert!(matches!(folder.run(&kept).status, Some(0 | 1)));
    let served = Served::start(&folder.0);
    served.wait_until(|served| served.page_text("/what-if/duel").contains("data-take-back"));
    let page = served.page_text(
        "/what-if/duel/effect?variant=my-house&cell=hits+Red+3+%3D+1&at=meadow&whole=meadow&part=game&look=2",
    );
    for part in [
        "as kept",
        "with the change",
        "were each played twice, on the same dice",
        "; the change altered ",
    ] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
    assert!(!page.contains("my-house"), "{page}");
    // What alters no game says that first, decided or not.
    let never = "1.2 adds:hits_thrown = +1 when track(\"turn\") > 90";
    let args = ["what-if", "meadow", "--balance", "meadow", "--rule", never];
    let run = folder.run(&args);
    let shown = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("This change altered none of ") && shown.contains("with the change"),
        "{shown}{}",
        run.err
    );
    assert!(!shown.contains("my-house"), "{shown}");
}

/// A case that an older layer answers too is not off when that answer holds again: what is said to be off answers nothing, or the command says
/// what can be done instead.
#[test]
fn a_case_that_is_off_is_not_an_older_answer() {
    let folder = Folder::skirmish();
    let (status, out) = what_if(
        &folder,
        &["--rule", "2.1 off", "--with", "errata", "--keep", "mine"],
    );
    assert_eq!(status, Some(2), "{out}");
    assert!(
        out.contains("can't be switched off as a whole") && out.contains("`2.1 back = skirmish`"),
        "{out}"
    );
}

/// What is kept already is in force before and after, and so is no effect of a new change; a set that is not named is in force in neither.
#[test]
fn a_kept_change_is_no_effect_of_the_next() {
    let folder = Folder::skirmish();
    let attack = |args: &[&str]| {
        let asked = [&["what-if", "bridge"], args, &["--format", "json"]].concat();
        let answer = folder.run(&asked).json();
        let outcomes = answer["outcomes"].as_array().expect("a list").iter();
        outcomes
            .map(|outcome| outcome["values"].to_string())
            .collect::<Vec<_>>()
    };
    let alone = attack(&["--cell", "combat 1:1 5 = 0/3"]);
    folder
        .run(&[
            "what-if",
            "bridge",
            "--cell",
            "combat 1:1 6 = 0/9",
            "--keep",
            "my-house",
        ])
        .expect_success();
    assert_eq!(alone, attack(&["--cell", "combat 1:1 5 = 0/3"]));
    let with_kept = attack(&["--cell", "combat 1:1 5 = 0/3", "--with", "my-house"]);
    assert_ne!(with_kept, alone);
    // Where the change is added to the kept ones, these are in force on both sides.
    assert_eq!(
        with_kept,
        attack(&["--cell", "combat 1:1 5 = 0/3", "--keep", "my-house"])
    );
}

/// Two sets of house rules know nothing of each other: the second is built on the printed figure, and says that it can't go with the first.
#[test]
fn two_sets_of_house_rules_know_nothing_of_each_other() {
    let folder = Folder::skirmish();
    let keep = |cell: &str, name: &str| {
        let args = ["what-if", "bridge", "--cell", cell, "--keep", name];
        folder.run(&args).expect_success();
    };
    keep("combat 1:1 5 = 0/3", "one");
    keep("combat 1:1 5 = 0/4", "other");
    keep("combat 1:1 6 = 0/4", "third");
    let manifest = |name: &str| folder.read(&format!("variants/{name}/variant.yaml"));
    let printed = |name: &str| {
        let text = folder.read(&format!("variants/{name}/tables/combat.yaml"));
        text.split_once("was: ")
            .map(|(_, rest)| rest[..5].to_string())
    };
    assert_eq!(printed("one"), printed("other"));
    assert!(
        manifest("other").contains("excludes: [one]") && !manifest("other").contains("needs:"),
        "{}",
        manifest("other")
    );
    assert!(
        !manifest("third").contains("excludes:"),
        "{}",
        manifest("third")
    );
    folder.run(&["check"]).expect_success();
}

/// In every game a rule that the page offers to strike out answers nothing afterwards, and an older answer that it offers can be kept alone:
/// its file stands with nothing but what the set of house rules says it needs.
#[test]
fn what_is_struck_out_or_older_can_be_kept() {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    // Some of each game: building each would take minutes.
    const SAMPLE: usize = 4;
    let (mut struck, mut older) = (0, 0);
    for game in ["wbts", "banasik", "tmag"] {
        let spec = keeping_spec(&library, game, "mine");
        let (ruleset, _) = build_ruleset(&library, &spec).expect("the rules");
        let ruleset = Arc::new(ruleset);
        let program = |_: &RulesetSpec| Ok(Arc::new(Program::new(ruleset.clone())));
        let keeps = |text: String| {
            let trial = RulesTrial {
                game: game.into(),
                variant: "mine".into(),
                without: Vec::new(),
                changes: vec![RuleChange::parse_rule(&text).expect(&text)],
            };
            let tried = trial.over(&library, &spec, &program).expect(&text);
            let alone = RulesetSpec::with_variants(game, tried.library.with_needs("mine"));
            build_ruleset(&tried.library, &alone)
                .unwrap_or_else(|error| panic!("{text}, kept alone: {error}"));
            for key in tried.texts.keys() {
                let complaints = check_file(&tried.library, key).0.into_iter();
                let own: Vec<_> = complaints
                    .filter(|one| one.place.path.contains("variants/mine/"))
                    .collect();
                assert!(own.is_empty(), "{text}: {own:?}");
            }
            tried.texts
        };
        let mut numbers: Vec<&str> = ruleset
            .cases
            .iter()
            .map(|case| case.number.as_str())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let forms = numbers.into_iter().filter_map(|number| {
            let form = CaseForm::new(&library, &ruleset, "mine", number).ok()?;
            Some((number, form))
        });
        let (mut off, mut back) = (Vec::new(), Vec::new());
        for (number, form) in forms {
            if switch_off(&form).is_ok() {
                off.push(format!("{number} off"));
            }
            let layers = form.older_layers().into_iter();
            back.extend(layers.map(|layer| format!("{number} back = {layer}")));
        }
        for text in off.iter().step_by((off.len() / SAMPLE).max(1)) {
            let texts = keeps(text.clone());
            let again = texts
                .values()
                .flatten()
                .find(|one| one.contains("reinstates"));
            assert_eq!(again, None, "{text}");
            struck += 1;
        }
        for text in back.iter().step_by((back.len() / SAMPLE).max(1)) {
            keeps(text.clone());
            older += 1;
        }
    }
    assert!(struck >= 12 && older >= 4, "{struck} and {older}");
}

/// A change that is tried has no file: nothing that decided a value is said to stand in one.
#[test]
fn causes_of_a_change_name_no_file_that_is_not_there() {
    let folder = Folder::skirmish();
    let cited = |args: &[&str]| {
        let asked = [&["what-if", "bridge"], args].concat();
        let out = folder.run(&asked).out;
        out.split_whitespace()
            .filter_map(|word| word.split_once("variants/").map(|(_, path)| path))
            .map(|path| path.split(':').next().unwrap_or_default().to_string())
            .collect::<Vec<_>>()
    };
    let is_there = |path: &String| folder.0.join("variants").join(path).exists();
    for args in [
        &["--cell", "combat 1:1 5 = 0/3"][..],
        &["--cell", "combat 1:1 5 = 0/3", "--keep", "one"],
        &["--cell", "combat 1:1 6 = 0/4", "--keep", "one"],
    ] {
        let missing: Vec<String> = cited(args)
            .into_iter()
            .filter(|path| !is_there(path))
            .collect();
        assert_eq!(missing, Vec::<String>::new(), "{args:?}");
    }
}

/// House rules of one game don't stand in the way of another's: the page proposes a name that no game has.
#[test]
fn house_rules_of_two_games_are_apart() {
    let folder = Folder::skirmish();
    folder.add(
        &repository().join("tests/duel"),
        &["rules", "tables", "scenarios"],
    );
    let cell = "combat 1:1 5 = 0/3";
    folder
        .run(&["what-if", "bridge", "--cell", cell, "--keep", "my-house"])
        .expect_success();
    let served = Served::start(&folder.0);
    let game = |name: &str| {
        let page = served.page_text(&format!("/what-if/{name}"));
        let (_, rest) = page.split_once("data-variant=\"").expect("a variant");
        rest.split('"').next().unwrap_or_default().to_string()
    };
    assert_eq!(game("skirmish"), "my-house");
    assert_eq!(game("duel"), "my-house-2");
}

/// What was written by hand into a file of house rules is shown when undo takes it away, and a file that was changed since it was read stays.
#[test]
fn undo_shows_what_was_written_by_hand() {
    let folder = Folder::skirmish();
    let keep = |rule: &str| {
        let args = ["what-if", "bridge", "--rule", rule, "--keep", "mine"];
        folder.run(&args).expect_success();
    };
    keep("1.1 die:attack = -1");
    let undone = folder.run(&["undo", "mine"]).expect_success().out;
    assert!(
        !undone.contains("It said"),
        "a recipe is made again at once: {undone}"
    );
    keep("1.1 die:attack = -1");
    let key = "variants/mine/rules/01-battle/1.1-attack.rhai";
    folder.append(key, "\nfn example_of_mine() { expect(1 + 1, 2); }\n");
    let undone = folder.run(&["undo", "mine"]).expect_success().out;
    assert!(
        undone.contains("It said") && undone.contains("example_of_mine"),
        "{undone}"
    );
    assert!(!folder.0.join(key).exists());
}

/// Two sets that give another answer exclude each other as long as they do, and two that build on the older answer go together.
#[test]
fn sets_that_answer_otherwise_exclude_each_other() {
    let folder = Folder::skirmish();
    let keep = |rules: &[&str], name: &str| {
        for rule in rules {
            let args = ["what-if", "bridge", "--rule", rule, "--keep", name];
            assert!(
                matches!(folder.run(&args).status, Some(0 | 1)),
                "{rule} as {name}"
            );
        }
    };
    let excludes = |name: &str| {
        let manifest = folder.read(&format!("variants/{name}/variant.yaml"));
        let line = manifest.lines().find(|line| line.starts_with("excludes:"));
        line.map(String::from)
    };
    keep(&["1.1 body:may_attack.1 = unit.strength > 9"], "one");
    keep(
        &["1.1 adds:may_attack = yes when is_a(unit, \"wagon\")"],
        "two",
    );
    keep(&["1.1 body:may_attack.1 = unit.strength > 5"], "three");
    assert_eq!(excludes("two"), None);
    assert_eq!(excludes("three").as_deref(), Some("excludes: [one]"));
    folder.run(&["check"]).expect_success();
    folder.run(&["undo", "three"]).expect_success();
    assert_eq!(excludes("three"), None);
}

/// On the page a new change is tried over what is kept, which is in force on both sides; a set of another game is left out and said.
#[test]
fn the_page_tries_a_change_over_what_is_kept() {
    let folder = Folder::skirmish();
    folder.add(
        &repository().join("tests/duel"),
        &["rules", "tables", "scenarios"],
    );
    let args = ["what-if", "bridge", "--cell", CELL, "--keep", "mine"];
    folder.run(&args).expect_success();
    let served = Served::start(&folder.0);
    let cell = "cell=combat+1:1+5+%3D+0/3&variant=mine";
    let bench = |query: &str| served.page_text(&format!("/what-if/skirmish?part=bench&{query}"));
    let kept = bench("variant=mine");
    assert!(kept.contains("defender losses, 9:"), "{kept}");
    let new = bench(cell);
    assert!(!new.contains("defender losses, 9:"), "{new}");
    let effect = served.page_text(&format!("/what-if/skirmish/effect?{cell}&at=bridge"));
    let (changed, in_force) = effect
        .split_once("in force on both sides")
        .expect("what is kept");
    assert!(
        changed.contains("die 5: 0/3 instead of")
            && in_force.contains("die 6: 0/9 instead of")
            && in_force.contains(">as kept<"),
        "{effect}"
    );
    assert!(
        effect.contains("the change"),
        "the cause is the change: {effect}"
    );
    // A link that holds what is kept here says nothing new.
    let page = served.page_text("/what-if/skirmish?variant=mine&cell=combat+1:1+6+%3D+0/9");
    assert!(!page.contains("<li class=\"new\">"), "{page}");
    let other = served.page_text("/what-if/duel?variant=mine");
    assert!(
        other.contains("is a set of rules of skirmish")
            && other.contains("data-variant=\"my-house\""),
        "{other}"
    );
}

/// A kept recipe that is edited is one row: the new rule in place of the old one, whose way back is one.
#[test]
fn an_edited_recipe_stands_in_place_of_the_old_one() {
    let folder = Folder::skirmish();
    let rule = "1.1 die:attack.1:0 = -1";
    let args = ["what-if", "bridge", "--rule", rule, "--keep", "mine"];
    folder.run(&args).expect_success();
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/skirmish?variant=mine");
    let edit = page.split("href=\"").find(|rest| rest.contains(">Edit<"));
    let address = edit
        .and_then(|rest| rest.split('"').next())
        .expect("a link");
    let address = address.replace("&amp;", "&").replace("+-1", "+-2");
    let address = address.trim_end_matches("#change");
    assert!(address.contains("recipe=die"), "{address}");
    let page = served.page_text(address);
    assert!(
        page.contains("counts 2 less, at least 1<span class=\"quiet\">, in place of: 1.1 Attack: the die for attack counts 1 less, at least 1"),
        "{page}"
    );
    assert_eq!(
        page.matches("data-take-back=").count(),
        0,
        "one row: {page}"
    );
    // Undo has the old one again, and nothing else.
    let new = page
        .split("<li class=\"new\">")
        .nth(1)
        .expect("the new one");
    let undo = new
        .split("data-go href=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let undo = undo.expect("a link").replace("&amp;", "&");
    assert!(
        !undo.contains("without=") && !undo.contains("rule="),
        "{undo}"
    );
}

/// A recipe that is edited and kept goes back to what it said before, in the terminal and on the page, whatever else its case has.
#[test]
fn an_edited_recipe_goes_back_to_what_it_said() {
    for more in [
        &[][..],
        &["1.1 adds:may_attack = yes when is_a(unit, \"wagon\")"],
    ] {
        let folder = Folder::skirmish();
        let keep = |rules: &[&str]| {
            for rule in rules {
                let args = ["what-if", "bridge", "--rule", rule, "--keep", "mine"];
                assert!(matches!(folder.run(&args).status, Some(0 | 1)), "{rule}");
            }
        };
        keep(more);
        keep(&["1.1 die:attack.1:0 = +1"]);
        let served = Served::start(&folder.0);
        let post = |body: Value| {
            let (status, answer) = served.request_with_token("POST", "/keep", &body);
            assert_eq!(status, 200, "{answer}");
        };
        let own = || {
            let library = Arc::new(casebook::open(&folder.0).expect("the game"));
            let spec = RulesetSpec::new("skirmish", &["errata", "winter"]);
            let (below, _) = build_ruleset(&library, &spec).expect("the rules");
            kept_changes(&library, &below, "mine")
        };
        let amount = || {
            let recipes = own().into_iter().filter_map(|kept| kept.recipe);
            let mut amounts = recipes.filter_map(|change| match change {
                RuleChange::Field { field, value, .. } if field.starts_with("die:") => Some(value),
                _ => None,
            });
            amounts.next()
        };
        let edit = |value: &str| {
            let kept = own();
            let die = kept
                .iter()
                .find(|kept| kept.sentence.contains("the die for"));
            let rule = format!("1.1 die:attack.1:0 = {value}");
            let id = &die.expect("the recipe").id;
            let body =
                json!({ "game": "skirmish", "variant": "mine", "rule": [rule], "without": [id] });
            served.wait_until(|served| {
                let page = served.page_text("/what-if/skirmish?variant=mine");
                page.contains(&format!(
                    "data-take-back=\"{}\"",
                    id.replace('&', "&amp;").replace('"', "&quot;")
                ))
            });
            post(body);
            assert_eq!(amount().as_deref(), Some(value));
        };
        edit("+2");
        edit("-3 when given.side == \"Red\"");
        folder.run(&["check"]).expect_success();
        folder.run(&["undo", "mine"]).expect_success();
        assert_eq!(amount().as_deref(), Some("+2"));
        folder.run(&["check"]).expect_success();
        // The page takes the same steps.
        let kept = own();
        let die = kept
            .iter()
            .find(|kept| kept.sentence.contains("the die for"));
        let id = die.expect("the recipe").id.clone();
        served.wait_until(|served| {
            let page = served.page_text("/what-if/skirmish?variant=mine");
            page.contains("counts 2 more")
        });
        post(json!({ "game": "skirmish", "variant": "mine", "back": [id] }));
        assert_eq!(amount().as_deref(), Some("+1"));
        folder.run(&["undo", "mine"]).expect_success();
        assert_eq!(amount(), None);
        assert_eq!(own().len(), more.len());
        folder.run(&["check"]).expect_success();
    }
}

/// A thrown number stays within what the dice show only where it is looked up, and then the sentence says so; an older file is read as it is.
#[test]
fn a_throw_is_capped_only_where_it_is_looked_up() {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    for (game, rule, cap) in [
        ("tmag", "margin die:thrown = +1", None),
        (
            "wbts",
            "combat-result die:find_result = +1",
            Some("at most 6"),
        ),
        (
            "wbts",
            "combat-result die:find_result = -1",
            Some("at least 1"),
        ),
        ("wbts", "8.3 die:try_initiative = +1", None),
        (
            "banasik",
            "check die:thrown_for_morale = +1",
            Some("at most 12"),
        ),
    ] {
        let spec = RulesetSpec::new(game, &[]);
        let ruleset = Arc::new(build_ruleset(&library, &spec).expect("the rules").0);
        let program = |_: &RulesetSpec| Ok(Arc::new(Program::new(ruleset.clone())));
        let trial = RulesTrial {
            game: game.into(),
            variant: "mine".into(),
            without: Vec::new(),
            changes: vec![RuleChange::parse_rule(rule).expect(rule)],
        };
        let tried = trial.over(&library, &spec, &program).expect(rule);
        let said: String = trial
            .sentences(&library, &ruleset)
            .into_iter()
            .flatten()
            .collect();
        let texts: String = tried.texts.values().flatten().cloned().collect();
        assert_eq!(
            texts.contains("clamp(roll("),
            cap.is_some(),
            "{rule}: {texts}"
        );
        for words in ["at most", "at least"] {
            let expected = cap.is_some_and(|cap| cap.starts_with(words));
            assert_eq!(said.contains(words), expected, "{rule}: {said}");
        }
        assert!(said.contains(cap.unwrap_or_default()), "{rule}: {said}");
        // What is kept is read back, also what was kept before the cap was said or decided.
        let kept = kept_changes(&tried.library, &ruleset, "mine");
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert!(kept[0].recipe.is_some(), "{kept:?}");
        let (key, text) = tried
            .texts
            .iter()
            .find_map(|(key, text)| {
                Some((key, text.as_ref().filter(|text| text.contains("roll("))?))
            })
            .expect("a script");
        let mut earlier = text.clone();
        for cap in [", at most 6", ", at least 1", ", at most 12"] {
            earlier = earlier.replace(&format!("{cap}."), ".");
        }
        earlier = earlier.replace(
            "(roll(\"2d6\", \"attack\") + (1))",
            "clamp(roll(\"2d6\", \"attack\") + (1), 2, 12)",
        );
        let older = [(key.clone(), Some(earlier.clone()))].into();
        let older = Arc::new(tried.library.with_variant_files("mine", &older));
        let kept = kept_changes(&older, &ruleset, "mine");
        assert!(kept[0].recipe.is_some(), "{earlier} {kept:?}");
        if game == "tmag" {
            assert!(kept[0].sentence.contains("at most 12"), "{kept:?}");
        }
    }
}

/// What two recipes add to one throw is summed before it is kept within the dice, in whichever order they were kept; what is left of them
/// when one is taken back is kept within the dice, too.
#[test]
fn two_recipes_on_one_throw_are_summed() {
    let odds_in = |folder: &Folder| {
        let odds = folder.run(&["odds", "bridge", "--with", "mine"]);
        let out = odds.expect_success().out;
        out.split("Rests on").next().unwrap_or_default().to_string()
    };
    let keep = |amounts: &[&str]| {
        let folder = Folder::skirmish();
        for amount in amounts {
            let rule = format!("1.1 die:attack = {amount}");
            let args = ["what-if", "bridge", "--rule", &rule, "--keep", "mine"];
            folder.run(&args).expect_success();
        }
        folder
    };
    let folder = keep(&["-4", "+2"]);
    let sum = odds_in(&keep(&["-2"]));
    assert_eq!(odds_in(&folder), sum);
    assert_eq!(odds_in(&keep(&["+2", "-4"])), sum);
    folder.run(&["undo", "mine"]).expect_success();
    assert_eq!(odds_in(&folder), odds_in(&keep(&["-4"])));
}

/// Whoever opens a link sees the rules of its sender alone, whatever he keeps under the same name.
#[test]
fn a_link_holds_the_rules_of_its_sender_alone() {
    let folder = Folder::skirmish();
    let args = ["what-if", "bridge", "--cell", CELL, "--keep", "mine"];
    folder.run(&args).expect_success();
    let served = Served::start(&folder.0);
    let sent = "/what-if/skirmish?variant=mine&cell=combat+1:1+5+%3D+0/3";
    let switched_off = "aria-checked=\"false\"";
    let own = |address: &str| {
        let page = served.page_text(address);
        let (_, mine) = page.split_once("data-part=\"mine\"").expect("the list");
        mine.split("data-part=\"change\"")
            .next()
            .unwrap_or_default()
            .to_string()
    };
    assert!(!own(sent).contains(switched_off), "{}", own(sent));
    let shared = own(&format!("{sent}&shared=on"));
    assert!(shared.contains(switched_off), "{shared}");
    // What is kept here as it is sent stays in force.
    let same = own("/what-if/skirmish?variant=mine&cell=combat+1:1+6+%3D+0/9&shared=on");
    assert!(!same.contains(switched_off), "{same}");
    let copied = own("/what-if/skirmish?variant=mine");
    assert!(copied.contains("shared=on"), "{copied}");
}

/// Of a shift of a whole sheet and a cell by itself the cell holds in its place, in whichever order they were made: in the chart, on the
/// bench and in the list.
#[test]
fn a_cell_by_itself_holds_over_a_shift() {
    let shift = "combat * * = 1 right";
    let all = |order: [&str; 2], at_once: bool| {
        let folder = Folder::skirmish();
        let shown = |value: &str| {
            let out = folder
                .run(&["show", "combat", "--with", "mine"])
                .expect_success()
                .out;
            assert!(out.contains(value), "{order:?}: no {value} in\n{out}");
        };
        if at_once {
            let args = [
                "what-if", "bridge", "--cell", order[0], "--cell", order[1], "--keep", "mine",
            ];
            folder.run(&args).expect_success();
        } else {
            let first = ["what-if", "bridge", "--cell", order[0], "--keep", "mine"];
            folder.run(&first).expect_success();
            let second = ["what-if", "bridge", "--cell", order[1], "--keep", "mine"];
            let tried = folder
                .run(&[&second[..], &["--format", "json"]].concat())
                .json();
            // What is tried over what is kept is what is kept then.
            let kept = folder
                .run(&["odds", "bridge", "--with", "mine", "--format", "json"])
                .expect_success()
                .json();
            let odds = kept["outcomes"].as_array().expect("outcomes");
            for outcome in tried["outcomes"].as_array().into_iter().flatten() {
                let counted = odds
                    .iter()
                    .find(|one| one["outcome"] == outcome["outcome"])
                    .expect("the outcome");
                for value in outcome["values"].as_array().into_iter().flatten() {
                    let mut values = counted["values"].as_array().into_iter().flatten();
                    let percent = values.find(|one| one["value"] == value["value"]);
                    let percent = percent.map_or(0.0, |one| one["percent"].as_f64().unwrap_or(0.0));
                    let to = value["to"].as_f64().unwrap_or_default() * 100.0;
                    let is_mean = value["value"] == "mean";
                    assert!(is_mean || (to - percent).abs() < 0.01, "{value} {percent}");
                }
            }
        }
        shown("0/9");
        folder.run(&["check"]).expect_success();
        let odds = folder.run(&["odds", "bridge", "--with", "mine", "--format", "json"]);
        let odds = odds.expect_success().json()["outcomes"].to_string();
        let served = Served::start(&folder.0);
        let page = served.page_text("/what-if/skirmish?variant=mine&table=combat");
        assert!(
            page.contains("name=\"now combat 1:1 6\" value=\"0/9\""),
            "{order:?}: {page}"
        );
        assert!(
            page.contains("(in 1 cell covered by Combat, odds 1:1, die 6: 0/9 instead of 0/3)"),
            "{order:?}: {page}"
        );
        odds
    };
    let results: Vec<String> = [[CELL, shift], [shift, CELL]]
        .into_iter()
        .flat_map(|order| [all(order, false), all(order, true)])
        .collect();
    assert!(
        results.windows(2).all(|two| two[0] == two[1]),
        "{results:?}"
    );
    // The printed figure in a cell under a shift is a change, too, on the page and in the terminal.
    let folder = Folder::skirmish();
    folder.run(&["what-if", "bridge", "--cell", shift, "--keep", "mine"]);
    let served = Served::start(&folder.0);
    let page =
        served.page_text("/what-if/skirmish?variant=mine&table=combat&cell=combat+1:1+5+%3D+0/2");
    for part in [
        "die 5: 0/2 again",
        "name=\"now combat 1:1 5\" value=\"0/2\"",
        "data-was=\"0/3\" aria-label=\"odds 1:1, die 5\"",
    ] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
    drop(served);
    let again = [
        "what-if",
        "bridge",
        "--cell",
        "combat 1:1 5 = 0/2",
        "--keep",
        "mine",
    ];
    folder.run(&again);
    assert!(
        folder.read(TABLE).contains("row: \"5\""),
        "{}",
        folder.read(TABLE)
    );
    // A change that nothing is left of says by what it is covered, and a wider one does not cover it.
    folder.run(&[
        "what-if",
        "bridge",
        "--cell",
        "combat 1:1 * = 0/0",
        "--keep",
        "mine",
    ]);
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/skirmish?variant=mine");
    assert!(page.contains("(in 6 cells covered by"), "{page}");
}

/// A chart of several sheets can be shifted sheet by sheet, which is said, or as a whole.
#[test]
fn all_sheets_of_a_chart_are_shifted_at_once() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/wbts?part=change&table=combat-results&sheet=5");
    for part in [
        "Results of intensity 5: ",
        "Results of every intensity: ",
        "cell=combat-results+5+*+*+%3D+1+right",
        "cell=combat-results+*+*+*+%3D+1+right",
    ] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
    let page = served.page_text("/what-if/wbts?part=mine&cell=combat-results+*+*+*+%3D+1+right");
    assert!(page.contains("read one column to the right"), "{page}");
    let small = Folder::skirmish();
    let served = Served::start(&small.0);
    let page = served.page_text("/what-if/skirmish?part=change&table=combat");
    assert!(page.contains("All results: "), "{page}");
}

/// A condition that was written anew by hand goes into a link as it is written, not as the opposite of what it was.
#[test]
fn a_condition_of_ones_own_is_not_called_the_opposite() {
    let folder = Folder::skirmish();
    let keep = |rule: &str| {
        let args = ["what-if", "bridge", "--rule", rule, "--keep", "mine"];
        assert!(matches!(folder.run(&args).status, Some(0 | 1)), "{rule}");
    };
    let shared = || {
        let served = Served::start(&folder.0);
        let page = served.page_text("/what-if/skirmish?variant=mine");
        let (_, rest) = page.split_once("data-shared=\"").expect("a link");
        rest.split('"').next().unwrap_or_default().to_string()
    };
    let source = folder.read("rules/skirmish/02-losses/2.1-losses.rhai");
    let condition = blanks(&source)
        .into_iter()
        .find(|blank| blank.kind == BlankKind::Condition)
        .map(|blank| source[blank.range].to_string())
        .expect("a condition");
    let library = Arc::new(casebook::open(&folder.0).expect("the game"));
    let (ruleset, _) =
        build_ruleset(&library, &RulesetSpec::new("skirmish", &[])).expect("the rules");
    let form = CaseForm::new(&library, &ruleset, "mine", "2.1").expect("the case");
    let (key, index) = form
        .functions
        .iter()
        .find_map(|function| {
            let source = &*function.function().body;
            let mut places = blanks(source).into_iter().enumerate();
            let (index, _) = places.find(|(_, blank)| source[blank.range.clone()] == condition)?;
            Some((function.key.clone(), index))
        })
        .expect("its function");
    keep(&format!("2.1 in:{key}:{index} = opposite"));
    assert!(shared().contains("opposite"), "{}", shared());
    folder.replace(CASE, &format!("!({condition})"), "1 > 2");
    let link = shared();
    assert!(
        !link.contains("opposite") && link.contains("body:"),
        "{link}"
    );
}

/// A situation does not call every script. What can't be read in one is said at the field all the same: in the lines that it shows, in the same
/// words on the page, in the terminal and where it is kept.
#[test]
fn a_script_that_no_situation_calls_is_refused_at_once() {
    let folder = Folder::skirmish();
    folder.write(
        "rules/skirmish/02-losses/2.2-storm.rhai",
        "//! case: \"2.2\"\n//! title: Storm\n//! kind: rule\n\n/// Losses in a storm.\nfn storm_losses(strength, weather) {\n    strength\n}\n",
    );
    let served = Served::start(&folder.0);
    for (body, code, line, what) in [
        (
            "switch weather {\n    \"snow\" => strength\n    \"rain\" => 1,\n    _ => 0,\n}",
            "script",
            3,
            "no comma at its end",
        ),
        (
            "let lost = 3;\nif weather == “snow” { return 0; }\nlost",
            "script",
            2,
            "word processor",
        ),
        (
            "if weather = \"snow\" { return 0; }\nstrength",
            "script",
            1,
            "asks whether two are equal",
        ),
        (
            "if weather == \"snow\" {\n    if strength > 3 { return 0;\n}\nstrength",
            "script",
            4,
            "the `{` in line 2 is not closed",
        ),
        (
            "strength\n    - halve(strength)",
            "unknown-function",
            2,
            "`halve`",
        ),
        (
            "// none\ntable(\"storms\", 1, 2)",
            "unknown-name",
            2,
            "storms",
        ),
        (
            "let lost = prior();\nlost + total(units, \"strenght\")",
            "script",
            2,
            "`units`",
        ),
    ] {
        let rule = format!("2.2 body:storm_losses.2 = {body}");
        let (status, out) = what_if(&folder, &["--rule", &rule]);
        let place = format!("storm losses in 2.2):{line}:");
        for part in [&*format!("error[{code}]"), &place, what, "1 complaint"] {
            assert!(
                status == Some(1) && out.contains(part),
                "{body}: no `{part}` in {status:?}\n{out}"
            );
        }
        assert!(
            !out.contains("the same") && !out.contains("variants/"),
            "{out}"
        );
        let kept = what_if(&folder, &["--rule", &rule, "--keep", "mine"]);
        let out = out.replace("my-house", "mine");
        assert_eq!(kept, (status, out), "what keeps it says the same");
        assert!(
            !folder.0.join("variants/mine").exists(),
            "nothing is written"
        );
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("case", "2.2")
            .append_pair("rule", &rule)
            .finish();
        for page in ["?part=bench&", "/effect?"] {
            let page = served.page_text(&format!("/what-if/skirmish{page}{query}"));
            assert!(
                page.contains(&format!(">line {line}<")) && !page.contains("Nothing moves"),
                "{body}: {page}"
            );
            assert!(!page.contains("Who disagrees"), "{page}");
        }
        let sent = json!({ "game": "skirmish", "variant": "mine", "rule": [rule] });
        let (status, answer) = served.request_with_token("POST", "/keep", &sent);
        let said = &answer["complaints"][0];
        assert!(status >= 400 && said["code"] == code, "{body}: {answer}");
        assert_eq!(said["place"]["span"]["line"], line, "{body}: {answer}");
    }
}
