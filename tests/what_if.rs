//! House rules tried, kept and taken back: `what-if`, `undo`, and the page "What if …?", which does the same.

use crate::common::server::Served;
use crate::common::{Folder, repository};
use casebook::RulesetSpec;
use casebook::author::wording::{GameWords, in_words};
use casebook::code::program::Program;
use casebook::data::library::Library;
use casebook::house::change::RuleChange;
use casebook::house::effect::{EffectQuery, KnownSituations, SituationEffect};
use casebook::house::entry::ListEntry;
use casebook::house::kept::kept_changes;
use casebook::house::places::{RulePlace, places_of};
use casebook::house::trial::{RulesTrial, keeping_spec};
use casebook::ruleset::compose::Ruleset;
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::situation::overrides::Overrides;
use casebook::usecase::settings::{CountLimits, SituationSettings};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The file that keeps a set of house rules.
const LIST: &str = "variants/mine/variant.yaml";

/// The change of a cell that the situation of the small game comes to.
const CELL: &str = "combat 1:1 6 = 0/9";

fn what_if(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let run = folder.run(&[&["what-if", "bridge"], args].concat());
    (run.status, run.out + run.err.as_str())
}

fn keep(folder: &Folder, args: &[&str]) -> String {
    let run = folder.run(&[&["what-if", "bridge", "--keep", "mine"], args].concat());
    let is_kept = ["written", "keeps this already"]
        .iter()
        .any(|said| run.out.contains(said));
    assert!(is_kept, "{args:?}: {}{}", run.out, run.err);
    run.out
}

/// Everything that stands in a folder but for what the program keeps for editors.
fn contents(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let paths = folder.file_times().into_keys();
    let name = |path: &std::path::PathBuf| {
        path.strip_prefix(&folder.0)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    let paths = paths.filter(|path| !name(path).starts_with(".casebook"));
    paths
        .map(|path| (name(&path), std::fs::read(&path).expect("a file")))
        .collect()
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
    let rule = "2.1 answer: loss_shares, part: each = double";
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
            &["--rule", "2.1 answer: loss_order = units"],
            "errata",
            "2.1 Losses of riders",
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
    let always = "rule=26.2+answer:+leaders_move_the_row+%3D+no";
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

/// Every reading of every game can be chosen, whatever words its name has.
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
                let text = format!("{}.{} = {way}", case.number, reading.name);
                spaced += usize::from(reading.name.contains(' '));
                let change = RuleChange::parse_rule(&text).expect(&text);
                let again = change.to_parameter().1;
                assert_eq!(RuleChange::parse_rule(&again).expect(&again), change);
                let trial = RulesTrial {
                    game: game.into(),
                    variant: "mine".into(),
                    changes: vec![change],
                    ..RulesTrial::default()
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
        "Combat is read 1 column to the right"
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
    assert!(run.out.contains("is read 1 row lower"), "{}", run.out);
    assert!(
        folder.read(LIST).contains("- { table: combat, rows: 1 }"),
        "{}",
        folder.read(LIST)
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

/// Half a figure, and all figures that read alike, are one entry each, which says no more than was typed and is taken back as it was kept.
#[test]
fn half_a_figure_and_all_that_read_alike_are_one_change() {
    let folder = Folder::skirmish();
    let start = contents(&folder);
    for (cell, sentence, entry) in [
        (
            "combat 1:1 * = =/9",
            "Combat, odds 1:1: defender 9",
            "{ table: combat, column: \"1:1\", now: \"=/9\" }",
        ),
        (
            "combat 1:1 6 = 1 / =",
            "Combat, odds 1:1, die 6: attacker 1",
            "{ table: combat, column: \"1:1\", row: 6, now: \"1/=\" }",
        ),
        (
            "combat * * = 1/1 -> 0/5",
            "Combat: 0/5 instead of every 1/1",
            "{ table: combat, was: \"1/1\", now: \"0/5\", all: \"true\" }",
        ),
        (
            "combat 1:1 * = 1/= -> 0/=",
            "Combat, odds 1:1: attacker 0 instead of every attacker 1",
            "{ table: combat, column: \"1:1\", was: \"1/=\", now: \"0/=\", all: \"true\" }",
        ),
    ] {
        let change = RuleChange::parse_cells(cell).expect(cell);
        assert_eq!(change.to_parameter(), ("cell", cell.into()));
        let out = keep(&folder, &["--cell", cell]);
        assert!(out.contains(sentence), "{cell}: {out}");
        let list = folder.read(LIST);
        assert!(list.contains(&format!("- {entry}\n")), "{cell}: {list}");
        assert!(keep(&folder, &["--cell", cell]).contains("keeps this already"));
        let served = Served::start(&folder.0);
        let page = served.page_text("/what-if/skirmish?variant=mine&table=combat");
        assert!(page.contains(sentence), "{cell}: {page}");
        folder.run(&["check"]).expect_success();
    }
    // The page shows what comes of all of them.
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/skirmish?variant=mine&table=combat");
    assert!(
        page.contains("name=\"now combat 1:1 6\" value=\"1/9\""),
        "{page}"
    );
    drop(served);
    // The whole figure takes the place of the half.
    keep(&folder, &["--cell", "combat 1:1 6 = 2/2"]);
    // What is printed is a change where half of it changes in all of the column.
    keep(&folder, &["--cell", "combat 1:1 5 = 0/2"]);
    let list = folder.read(LIST);
    assert!(
        list.contains("row: 5, was: \"0/2\", now: \"0/2\""),
        "{list}"
    );
    assert!(!list.contains("now: \"1/=\""), "{list}");
    assert!(
        list.contains("row: 6, was: \"0/3\", now: \"2/2\""),
        "{list}"
    );
    for _ in 0..5 {
        folder.run(&["undo", "mine"]).expect_success();
    }
    assert_eq!(contents(&folder), start);
    for (cell, part) in [
        ("combat 1:1 6 = =/99", "`99` is not allowed for defender"),
        ("combat * * = 7/7 -> 0/0", "reads 7/7 below"),
        ("combat 1:1 * = =/=/1", "has 3 parts"),
    ] {
        let (status, out) = what_if(&folder, &["--cell", cell]);
        assert!(
            status != Some(0) && out.contains(part),
            "{cell}: {status:?} {out}"
        );
    }
}

/// Where a change brings a number below zero, a line that says it is shown, in the terminal, by the program and on the page.
#[test]
fn a_number_below_zero_is_said() {
    let folder = Folder::skirmish();
    let rule = "2.1 answer: loss_shares, part: each = add -3";
    let line = "Blue foot loses -3";
    let (_, out) = what_if(&folder, &["--rule", rule]);
    assert!(
        out.contains("“at least 0” behind it") && out.contains(line),
        "{out}"
    );
    let stopped = format!("{rule}, at least 0");
    for (rule, is_below) in [
        (rule, true),
        (&stopped, false),
        ("2.1 answer: loss_shares, part: each = add 1", false),
    ] {
        let (_, out) = what_if(&folder, &["--rule", rule, "--format", "json"]);
        let out: Value = serde_json::from_str(&out).expect(&out);
        let said = out["below_zero"].as_str().unwrap_or_default();
        assert_eq!(said.contains(line), is_below, "{rule}: {said}");
    }
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("rule", rule)
        .finish();
    let page = Served::start(&folder.0).page_text(&format!("/what-if/skirmish/effect?{query}"));
    assert!(page.contains(line), "{page}");
}

/// What differs is known, and shown, before the causes are searched for.
#[test]
fn the_differences_are_shown_before_their_causes() {
    let folder = Folder::skirmish();
    let (_, out) = what_if(&folder, &["--cell", CELL]);
    let at = |part: &str| {
        out.find(part)
            .unwrap_or_else(|| panic!("no {part} in {out}"))
    };
    assert!(
        at("before and after differ") < at("defender losses")
            && at("defender losses") < at("cause: "),
        "{out}"
    );
    assert_eq!(out.matches("cause: ").count(), 1, "{out}");
    let library = Arc::new(casebook::open(&folder.0).expect("the game"));
    let program = |spec: &RulesetSpec| {
        Ok(Arc::new(Program::new(Arc::new(
            build_ruleset(&library, spec)?.0,
        ))))
    };
    let trial = RulesTrial {
        game: "skirmish".into(),
        variant: "mine".into(),
        changes: vec![RuleChange::parse_cells(CELL).expect("a change")],
        ..RulesTrial::default()
    };
    let (known, settings) = (KnownSituations::default(), SituationSettings::default());
    let query = EffectQuery::new(&library, &trial, &program, &known, &settings);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let shown = std::cell::Cell::new(0);
    let show = |effect: &SituationEffect| {
        assert!(effect.difference.causes.is_empty());
        shown.set(effect.moved().count());
    };
    let limits = CountLimits::new(std::time::Duration::from_secs(20), &stop);
    let (spec, overrides) = (query.spec_of("bridge"), Overrides::default());
    let effect = query.effect_shown(("bridge", &spec), &overrides, limits, &show);
    let causes = effect.expect("an effect").difference.causes;
    assert_eq!(causes.len(), shown.get());
    assert!(!causes.is_empty());
}

/// Beside a place stands what is there in this battle, and beside a name of a condition its value: parts of a map, attributes of a piece, tracks.
#[test]
fn a_case_lists_its_names_with_their_values_here() {
    let folder = Folder::skirmish();
    let flat = |args: &[&str]| {
        let out = what_if(&folder, args).1;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let out = flat(&["--rule", "1.1"]);
    for part in [
        "given.from (0201)",
        "given.side (Red)",
        "unit.name (Red foot)",
        "unit.strength (4)",
        "track(\"turn\") (3)",
        "against (1:1)",
        "1.1 answer: attack_odds = … (here 1:1)",
    ] {
        assert!(out.contains(part), "no `{part}` in {out}");
    }
    // The condition that it proposes can be typed.
    let rule = "1.1 throw: attack = add -1 when given.from == \"0201\" && track(\"turn\") == 3";
    assert_eq!(what_if(&folder, &["--rule", rule]).0, Some(0));
    let json = what_if(&folder, &["--rule", "2.1", "--format", "json"]).1;
    let json: Value = serde_json::from_str(&json).expect(&json);
    assert!(json["cases"][0]["values"]["side"].is_string(), "{json}");
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
    // What carries a procedure out can't be struck.
    let (status, out) = what_if(&folder, &["--rule", "1.1 off"]);
    assert!(
        status == Some(1) && out.contains("can't be struck out as a whole"),
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
        (&["--cell", CELL, "--keep", "ü"], "a letter a-z"),
        (
            &["--cell", CELL, "--keep", "skirmish"],
            "the name of a game",
        ),
        (
            &["--rule", "2.1 = 3"],
            "for example '1.1 throw: attack = add -1'",
        ),
    ] {
        let (status, out) = what_if(&folder, args);
        let is_refused = status == Some(2) || status == Some(1) && out.contains("error[");
        assert!(is_refused && out.contains(part), "{args:?}: {out}");
    }
    // Without a change it is listed what can be changed.
    for (args, part) in [
        (&["--rule", "2.1"][..], "2.1 answer: loss_order"),
        (&[], "1.1 throw: attack = add -1"),
    ] {
        let (status, out) = what_if(&folder, args);
        assert!(status == Some(0) && out.contains(part), "{args:?}: {out}");
    }
    // A name in one's own words is written as the page writes it.
    what_if(&folder, &["--cell", CELL, "--keep", "Our House"]);
    assert!(folder.0.join("variants/our-house/variant.yaml").exists());
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
    let refused = served.page_text("/what-if/skirmish?cell=combat+1:1+6+%3D+0/99&part=now");
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
    served.wait_until(|served| has(served, "data-take-back=\"{ table: combat, column:"));
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
    let id = "{ table: combat, column: \"1:1\", row: 6, was: \"0/3\", now: \"0/9\" }";
    let off = form_urlencoded::Serializer::new(String::new())
        .append_pair("without", id)
        .finish();
    let page = served.page_text(&format!("/what-if/skirmish/effect?{off}"));
    assert!(
        page.contains("is read as help") && !page.contains("0/9 instead"),
        "{page}"
    );
    let page = served.page_text("/what-if/skirmish/effect");
    for part in [
        "What it does",
        "Why",
        "Conflicts",
        "No other variant says otherwise",
        "difference",
    ] {
        assert!(page.contains(part), "no `{part}` in\n{page}");
    }
    let without = json!({ "game": "skirmish", "variant": "mine", "without": [id] });
    let (status, answer) = keep(without.clone());
    assert_eq!(
        (status, &answer["written"]),
        (200, &json!([LIST])),
        "{answer}"
    );
    assert!(!folder.read(LIST).contains("table:"));
    // What was taken back is gone.
    let (status, answer) = keep(without);
    assert!(
        status == 400 && answer.to_string().contains("changed meanwhile"),
        "{answer}"
    );
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

/// What a change decides of a doubtful place is said beside what it contradicts.
#[test]
fn readings_that_a_change_decides_or_contradicts_are_named() {
    let folder = Folder::skirmish();
    let run = |args: &[String]| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        what_if(&folder, &args)
            .1
            .replace('\n', " ")
            .replace("  ", " ")
    };
    let out = run(&["--rule".into(), "1.1.wagons = help".into()]);
    assert!(
        out.contains("of “stay out” and “help” it is read as “help”"),
        "{out}"
    );
    let served = Served::start(&folder.0);
    let effect =
        |query: &str| served.page_text(&format!("/what-if/skirmish/effect?at=bridge&{query}"));
    let page = effect("rule=1.1.wagons+%3D+help");
    assert!(page.contains("Readings of doubtful places"), "{page}");
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
        "current rules",
        "with the change",
        "were each played twice, on the same dice",
        "; the change altered ",
    ] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
    assert!(!page.contains("my-house"), "{page}");
    // What alters no game says that first, decided or not.
    let never = "1.2 answer: hits_thrown = add 1 when track(\"turn\") > 90";
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
        let text = folder.read(&format!("variants/{name}/variant.yaml"));
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
    keep(&["1.1 answer: may_attack = unit.strength > 9"], "one");
    keep(
        &["2.1 answer: loss_shares, part: each = add 1 when false"],
        "two",
    );
    keep(
        &[
            "1.1 answer: may_attack = unit.strength > 5",
            "Red foot: strength = 6",
        ],
        "three",
    );
    assert_eq!(excludes("two"), None);
    assert_eq!(excludes("three").as_deref(), Some("excludes: [one]"));
    folder.run(&["check"]).expect_success();
    folder.run(&["undo", "three"]).expect_success();
    assert_eq!(excludes("three").as_deref(), Some("excludes: [one]"));
    folder.run(&["undo", "three"]).expect_success();
    assert_eq!(excludes("three"), None);
    keep(&["Red foot: strength = 6"], "four");
    keep(&["Red foot: strength = 7"], "five");
    assert_eq!(excludes("five").as_deref(), Some("excludes: [four]"));
}

/// A figure of a piece, a track or a place is changed where the situation has it from, and once alone; a correction below is noticed.
#[test]
fn a_value_of_a_situation_or_roster_is_a_change_too() {
    let folder = Folder::skirmish();
    let bridge = "scenarios/skirmish/bridge.yaml";
    folder.write(
        "scenarios/skirmish/roll.yaml",
        "roster: roll\ntitle: The roll\nsource: { doc: sheet, at: roll }\nstatus: printed\nmap: { places: { \"0302\": { ground: wood } } }\npieces:\n  - { name: Blue foot, kind: footman, side: Blue, value: \"3-2\" }\n",
    );
    folder.replace(
        bridge,
        "procedure: attack\n",
        "procedure: attack\nuses: [roll]\n",
    );
    folder.replace(
        bridge,
        "name: Blue foot, kind: footman, side: Blue, value: \"3-2\"",
        "name: Blue foot",
    );
    let start = contents(&folder);
    let list = || {
        let manifest = folder.read(LIST);
        let (_, list) = manifest.split_once("changes:\n").expect("a list");
        list.to_string()
    };
    for (typed, said, entry) in [
        (
            "Blue foot: strength = 4",
            "The roll: strength of Blue foot is 4 instead of 3",
            "{ of: roll, piece: Blue foot, strength: { was: 3, now: 4 } }",
        ),
        (
            "Red foot: strength = 9",
            "At the bridge: strength of Red foot is 9 instead of 4",
            "{ of: bridge, piece: Red foot, strength: { was: 4, now: 9 } }",
        ),
        (
            "track: turn = 5",
            "At the bridge: turn is 5 instead of 3",
            "{ of: bridge, tracks: { turn: { was: 3, now: 5 } } }",
        ),
        (
            "given: from = 0202",
            "from is 0202 instead of 0201",
            "{ of: bridge, given: { from: { was: \"0201\", now: \"0202\" } } }",
        ),
        (
            "0302: ground = open",
            "The roll: ground of 0302 is open instead of wood",
            "{ of: roll, place: \"0302\", ground: { was: wood, now: open } }",
        ),
        (
            "0202: ground = open",
            "ground of 0202 is open instead of wood",
            "{ of: bridge, place: \"0202\", ground: { was: wood, now: open } }",
        ),
        (
            "0201/0202: brook = absent",
            "brook of 0201/0202 is absent",
            "{ of: bridge, side: \"0201/0202\", brook: { was: true, now: absent } }",
        ),
    ] {
        let output = keep(&folder, &["--rule", typed]);
        assert!(output.contains(said), "{typed}\n{output}");
        assert_eq!(list(), format!("  - {entry}\n"), "{typed}");
        // Typed as the file has it, it is the same, and kept already.
        assert!(
            keep(&folder, &["--rule", entry]).contains("keeps this already"),
            "{entry}"
        );
        folder.run(&["check"]).expect_success();
        folder.run(&["undo", "mine"]).expect_success();
        assert_eq!(contents(&folder), start, "{typed}");
    }
    keep(&folder, &["--rule", "Blue foot: strength = 4"]);
    keep(&folder, &["--rule", "Blue foot: strength = 2"]);
    assert_eq!(list().lines().count(), 1, "{}", list());
    let served = Served::start(&folder.0);
    let page = served.page_text("/what-if/skirmish?variant=mine");
    assert!(
        page.contains("strength of Blue foot is 2 instead of 3"),
        "{page}"
    );
    folder.replace("scenarios/skirmish/roll.yaml", "3-2", "5-2");
    let checked = folder.run(&["check"]).terminal_output();
    assert!(
        checked.contains("error[was-now]") && checked.contains("has 5"),
        "{checked}"
    );
    folder.replace("scenarios/skirmish/roll.yaml", "5-2", "3-2");
    keep(&folder, &["--rule", "Blue foot: strength = 3"]);
    assert_eq!(contents(&folder), start);
    // A list, and names that end like keys of rules.
    for typed in [
        "given: units of bridge = [Red foot, Red wagon]",
        "Scroll: strength of bridge = 3",
        "J. Carroll: strength = 3",
    ] {
        let change = RuleChange::parse_rule(typed).expect(typed);
        assert!(matches!(change, RuleChange::Value(_)), "{change:?}");
        assert_eq!(change.to_parameter().1, typed);
    }
    folder.replace(
        bridge,
        "into: \"0202\" }",
        "into: \"0202\", units: [Red foot] }",
    );
    keep(&folder, &["--rule", "given: units = [Red foot, Red wagon]"]);
    let entry = "{ of: bridge, given: { units: { was: Red foot, now: [Red foot, Red wagon] } } }";
    assert_eq!(list(), format!("  - {entry}\n"));
    folder.run(&["check"]).expect_success();
    folder.run(&["undo", "mine"]).expect_success();
    for (wrong, said) in [
        ("Blue fot: strength = 3", "did you mean `Blue foot`"),
        ("Blue foot: strenght = 3", "strenght"),
        ("Blue foot: strength of rol = 3", "did you mean `roll`"),
        ("track: trun = 5", "trun"),
    ] {
        let (status, output) = what_if(&folder, &["--rule", wrong]);
        assert!(
            matches!(status, Some(1 | 2)) && output.contains(said),
            "{wrong}\n{output}"
        );
        assert!(!output.contains("the same"), "{wrong}\n{output}");
    }
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
    let bench = |query: &str| served.page_text(&format!("/what-if/skirmish?part=now&{query}"));
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
            && in_force.contains(">current rules<"),
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
        other.contains("belongs to skirmish") && other.contains("data-variant=\"my-house\""),
        "{other}"
    );
}

/// A line that only the new ruling has opens what its values are made of.
#[test]
fn a_new_line_can_be_clicked() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let change = "rule=1.1+throw:+attack+%3D+add+1&at=bridge";
    let lines = served.page_text(&format!("/what-if/skirmish?{change}&part=now"));
    let (_, new) = lines.split_once("<ins>").expect("a new line");
    let (_, opened) = new.split_once("data-open=\"").expect("a value of it");
    let (open, _) = opened.split_once('"').expect("an address");
    assert!(open.starts_with("new-"), "{open}");
    let block = served.page_text(&format!(
        "/what-if/skirmish?{change}&part=block&open={open}"
    ));
    assert!(
        block.contains("data-change") && block.contains("the throw for attack"),
        "{block}"
    );
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
        mine.split("data-part=\"bench\"")
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
    keep(&folder, &["--cell", shift]);
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
    keep(&folder, &["--cell", "combat 1:1 5 = 0/2"]);
    assert!(
        folder.read(LIST).contains("row: 5"),
        "{}",
        folder.read(LIST)
    );
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
        "cell=combat-results+5+*+*+%3D+columns+1",
        "cell=combat-results+*+*+*+%3D+columns+1",
    ] {
        assert!(page.contains(part), "no `{part}` in {page}");
    }
    let page = served.page_text("/what-if/wbts?part=mine&cell=combat-results+*+*+*+%3D+1+right");
    assert!(page.contains("is read 1 column to the right"), "{page}");
    let small = Folder::skirmish();
    let served = Served::start(&small.0);
    let page = served.page_text("/what-if/skirmish?part=change&table=combat");
    assert!(page.contains("All results: "), "{page}");
}

/// The list is the history: what is kept last is taken back first, what is kept already changes nothing, and what was there is a law.
#[test]
fn a_change_is_kept_and_taken_back() {
    let folder = Folder::skirmish();
    let start = contents(&folder);
    let throw = "1.1 throw: attack = add 1 when given.side == \"Blue\"";
    assert!(keep(&folder, &["--cell", CELL, "--rule", throw]).contains(LIST));
    let kept = folder.read(LIST);
    for entry in [
        "  - { table: combat, column: \"1:1\", row: 6, was: \"0/3\", now: \"0/9\" }\n",
        "  - { case: \"1.1\", throw: attack, add: 1, when: \"given.side == \\\"Blue\\\"\" }\n",
    ] {
        assert!(kept.contains(entry), "no {entry} in\n{kept}");
    }
    let again = keep(&folder, &["--rule", throw]);
    assert!(
        again.contains("keeps this already") && folder.read(LIST) == kept,
        "{again}"
    );
    // Of a cell the last figure alone is kept, with what is printed; the printed one is no change.
    keep(&folder, &["--cell", "combat 1:1 6 = 0/8"]);
    assert!(
        folder.read(LIST).contains("was: \"0/3\", now: \"0/8\""),
        "{}",
        folder.read(LIST)
    );
    keep(&folder, &["--cell", "combat 1:1 6 = 0/3"]);
    assert!(
        !folder.read(LIST).contains("table:"),
        "{}",
        folder.read(LIST)
    );
    // A case alone lists its places; beside a change, or with what is done with one, it is no change.
    for args in [
        &["--rule", "1.1", "--cell", CELL][..],
        &["--rule", "1.1", "--keep", "mine"],
        &["--keep", "mine"],
    ] {
        let (status, out) = what_if(&folder, args);
        assert_eq!(status, Some(2), "{args:?}: {out}");
    }
    // What somebody wrote beside a figure stays when the figure is changed.
    folder.append(
        LIST,
        "  - { table: combat, column: \"1:1\", row: 3, now: \"1/2\", why: as we always did }\n",
    );
    keep(&folder, &["--cell", "combat 1:1 3 = 1/3"]);
    assert!(
        folder
            .read(LIST)
            .contains("now: \"1/3\", why: as we always did"),
        "{}",
        folder.read(LIST)
    );
    folder.run(&["undo", "mine"]).expect_success();
    // What somebody writes into the list is taken back like the rest, and his remarks stay.
    folder.append(
        LIST,
        "  # ours since the spring\n  - { table: combat, column: \"1:1\", row: 2, now: \"1/1\" }\n",
    );
    let undo = || folder.run(&["undo", "mine"]);
    assert!(
        undo()
            .expect_success()
            .out
            .contains("die 2: 1/1 instead of 1/0")
    );
    assert!(folder.read(LIST).contains("ours since the spring"));
    folder.replace(LIST, "  # ours since the spring\n", "");
    undo().expect_success();
    assert_eq!(contents(&folder), start, "nothing is left");
    // A script is taken back where it was written.
    folder
        .run(&["new", "case", "1.1", "--variant", "mine"])
        .expect_success();
    let run = undo();
    assert!(
        run.status == Some(2) && run.err.contains("files of its own"),
        "{}",
        run.err
    );
    // A correction of what is printed is noticed.
    keep(&folder, &["--cell", CELL]);
    folder.replace(
        "tables/skirmish/combat.yaml",
        "6: [\"?\", \"0/3\",",
        "6: [\"?\", \"0/4\",",
    );
    let checked = folder.run(&["check"]);
    assert!(checked.out.contains("error[was-now]"), "{}", checked.out);
}

/// Whatever can be said of a rule comes back from its line and from its file.
#[test]
fn an_entry_comes_back_from_its_line_and_its_file() {
    let name = "[a-z][a-z0-9_ .,:=\"'()\\[\\]-]{0,12}";
    let script = prop::sample::select(vec![
        "max(a, b) + 1",
        "\"up = down, add 1\"",
        "[1, 2]",
        "x == 3 && y",
        "f(\"a when b\")",
        "-2",
        "up",
    ]);
    let script = script.prop_map(String::from);
    let of = |keys: &[&'static str], value: BoxedStrategy<String>| {
        let key = prop::sample::select(keys.to_vec()).prop_map(String::from);
        (key, value.prop_map(|value| vec![value]))
    };
    let places = prop_oneof![
        of(
            &[
                "answer", "part", "throw", "look_up", "let", "choice", "function", "why"
            ],
            name.boxed()
        ),
        of(&["in"], script.clone().boxed()),
    ];
    let operation = prop_oneof![
        of(&["now", "offer"], script.clone().boxed()),
        of(&["dice", "times"], name.boxed())
    ];
    let entries = (
        prop::collection::vec(places, 1..4),
        operation,
        prop::option::of(-9..9i64),
        prop::option::of(script),
    );
    proptest!(ProptestConfig::with_cases(2000), |((places, does, add, when) in entries)| {
        let mut pairs = vec![("case".to_string(), vec!["8.3".to_string()])];
        pairs.extend(places);
        pairs.push(does);
        pairs.extend(add.map(|by| ("add".into(), vec![by.to_string()])));
        pairs.extend(when.map(|when| ("when".into(), vec![when])));
        let mut seen = std::collections::BTreeSet::new();
        pairs.retain(|(key, _)| seen.insert(key.clone()));
        let pairs: Vec<(String, Vec<String>)> = pairs.into_iter().map(|(key, values)| (key, vec![values.concat().trim().to_string()])).collect();
        let entry = ListEntry(pairs);
        let line = entry.to_line();
        prop_assert_eq!(&ListEntry::parse(&line).expect(&line), &entry, "{}", line);
        let manifest = format!("changes:\n  - {}\n", entry.to_yaml());
        let file = casebook::data::file::DataFile { key: "a".into(), path: "a".into(), text: manifest.as_str().into() };
        let items = casebook::house::kept::list_items(&file);
        prop_assert_eq!(&ListEntry::read(&items[0]), &entry, "{}", manifest);
    });
    for (typed, yaml) in [
        (
            "8.3 throw: run = -1",
            "{ case: \"8.3\", throw: run, add: -1 }",
        ),
        (
            "8.3 die: run = half",
            "{ case: \"8.3\", throw: run, times: \"1/2\" }",
        ),
        (
            "8.3 answer: f, part: each = at most 2",
            "{ case: \"8.3\", answer: f, part: each, at_most: 2 }",
        ),
        (
            "look up: crt = 2 left when is_night()",
            "{ look_up: crt, columns: -2, when: is_night() }",
        ),
        (
            "8.16.remainder = even",
            "{ reading: \"8.16.remainder\", now: even }",
        ),
        (
            "8.3 number: 4, in: rating + 4 = 5, at least 0",
            "{ case: \"8.3\", number: 4, in: \"rating + 4\", now: 5, at_least: 0 }",
        ),
    ] {
        assert_eq!(ListEntry::parse(typed).expect(typed).to_yaml(), yaml);
    }
    for (wrong, part) in [
        (
            "8.3 throw: run = share 1/2",
            "`share` is none of add, times",
        ),
        ("8.3 shove: run = add 1", "answer, throw, look_up"),
        ("8.3 throw: run", "1.1 off"),
    ] {
        let said = ListEntry::parse(wrong).expect_err(wrong).to_string();
        assert!(said.contains(part), "{said}");
    }
}

/// Every place of every shipped case takes an operation that fits it, each kind of place all of them in turn, and all still apply once each
/// file below is corrected: another title, another comment, other lines.
#[test]
fn every_place_keeps_its_change_over_a_correction() {
    let library = Arc::new(casebook::open(&repository()).expect("the games"));
    let corrected = library.files.by_key.values().map(|file| {
        let text = match file.key.ends_with(".rhai") {
            true => file
                .text
                .replace("//! title: ", "//! title: Corrected ")
                .replace("\nfn ", "\n// Corrected below.\n\nfn "),
            false => file.text.to_string(),
        };
        (file.key.clone(), text)
    });
    let corrected = Library::from_files(corrected, casebook::data::embedded::Embedded::default());
    let corrected = Arc::new(corrected.expect("the games, corrected"));
    let mut placed = 0;
    for game in ["wbts", "banasik", "tmag"] {
        let spec = keeping_spec(&library, game, "mine");
        let ruleset = Arc::new(build_ruleset(&library, &spec).expect("the rules").0);
        let mut numbers: Vec<&str> = ruleset
            .cases
            .iter()
            .map(|case| case.number.as_str())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let operations = |line: &str, example: &str| -> &'static [&'static str] {
            let is_of = |key: &str| line.contains(&format!(" {key}: "));
            match example {
                "no" => &["no", "!answer"],
                "[]" => &["[]", "answer + answer"],
                _ if is_of("throw") => {
                    &["add -1", "half", "at most 5, at least 2", "dice 2d6", "3"]
                }
                _ if is_of("look_up") => &["1 left", "2 down"],
                _ if is_of("choice") => &["offer \"another\""],
                _ if is_of("number") => &["add 1", "now 7", "times 2"],
                _ => &["add 1", "times 2/3, rounded up", "at least 0"],
            }
        };
        let places = numbers
            .iter()
            .flat_map(|number| places_of(&ruleset, number));
        // One operation for each place, in turn, and each second time under a condition.
        let typed = |(index, place): (usize, RulePlace)| {
            let fitting = operations(&place.line, place.example);
            let line = format!("{} = {}", place.line, fitting[index % fitting.len()]);
            match index % 2 {
                0 => line,
                _ => format!("{line} when 1 < 2"),
            }
        };
        let lines: Vec<String> = places.enumerate().map(typed).collect();
        let changes = lines
            .iter()
            .map(|line| RuleChange::parse_rule(line).expect(line));
        let entries: Vec<String> = changes
            .map(|change| match change {
                RuleChange::Entry(entry) => format!("  - {}\n", entry.to_yaml()),
                change => panic!("{change:?}"),
            })
            .collect();
        let manifest = format!(
            "variant: mine\ntitle: Mine\ngame: {game}\nafter: [{}]\nchanges:\n{}",
            spec.variants.join(", "),
            entries.concat()
        );
        let texts = [(LIST.to_string(), Some(manifest))].into();
        let functions = |library: &Arc<Library>| {
            let library = Arc::new(library.with_variant_files("mine", &texts));
            let complaints = library.complaints().to_string();
            assert!(!complaints.contains("variants/mine"), "{complaints}");
            let mut spec = spec.clone();
            spec.variants.push("mine".into());
            let ruleset = build_ruleset(&library, &spec)
                .expect("the rules with the list")
                .0;
            let own = ruleset.cases.iter().filter(|case| &*case.layer == "mine");
            own.map(|case| (case.number.clone(), case.functions.len()))
                .collect::<Vec<_>>()
        };
        let before = functions(&library);
        assert!(
            before.len() >= lines.len(),
            "{game}: {} of {}",
            before.len(),
            lines.len()
        );
        assert_eq!(functions(&corrected), before, "{game}");
        placed += lines.len();
    }
    assert!(placed > 1000, "{placed}");
}

/// The odds under a kept rule follow a correction of the case below it.
#[test]
fn a_kept_rule_does_not_freeze_its_case() {
    let folder = Folder::skirmish();
    keep(
        &folder,
        &["--rule", "2.1 answer: loss_shares, part: each = at most 3"],
    );
    let shown = |folder: &Folder| {
        let out = folder
            .run(&["resolve", "bridge", "--dice", "6", "--with", "mine"])
            .expect_success()
            .out;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let before = shown(&folder);
    folder.replace(
        "rules/skirmish/02-losses/2.1-losses.rhai",
        "left -= share;",
        "left -= share + 0;",
    );
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "the die falls {}.",
        "the die falls on {}.",
    );
    assert!(!before.contains("falls on") && shown(&folder).contains("falls on"));
    // A place that is gone is named, with what there is.
    keep(&folder, &["--rule", "1.1 throw: attack = add 1"]);
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "roll(\"1d6\", \"attack\")",
        "roll(\"1d6\", \"assault\")",
    );
    let checked = folder.run(&["check"]).out;
    assert!(
        checked.contains("nothing is thrown for `attack` here") && checked.contains("assault"),
        "{checked}"
    );
}

/// Any order of keeps and take-backs: after each the odds are those of the list made anew, and at the end the folder is what it was.
#[test]
fn any_order_of_keeps_and_take_backs_leaves_the_folder_as_it_was() {
    let changes: [(&str, &str); 6] = [
        ("--rule", "Red foot: strength of bridge = 6"),
        ("--cell", CELL),
        ("--cell", "combat * * = 1 right"),
        ("--rule", "1.1 throw: attack = at most 5"),
        ("--rule", "2.1 answer: loss_shares, part: each = at most 2"),
        ("--rule", "1.1.wagons = help"),
    ];
    let orders = Just((0..changes.len()).collect::<Vec<usize>>()).prop_shuffle();
    let steps = (orders.clone(), orders, 1..=changes.len());
    let odds = |folder: &Folder| {
        let rules: &[&str] = if folder.0.join(LIST).exists() {
            &["--with", "mine"]
        } else {
            &[]
        };
        let run = folder.run(&[&["odds", "bridge", "--format", "json"], rules].concat());
        run.expect_success().json()["outcomes"].to_string()
    };
    proptest!(ProptestConfig { max_shrink_iters: 0, ..ProptestConfig::with_cases(4) }, |((kept, back, count) in steps)| {
        let folder = Folder::skirmish();
        let start = contents(&folder);
        let kept = &kept[..count];
        for at in kept {
            keep(&folder, &[changes[*at].0, changes[*at].1]);
        }
        let served = Served::start(&folder.0);
        let mut left = kept.to_vec();
        for at in back.iter().filter(|at| kept.contains(at)) {
            let change = match changes[*at] {
                ("--cell", text) => RuleChange::parse_cells(text),
                (_, text) => RuleChange::parse_rule(text),
            };
            let library = Arc::new(casebook::open(&folder.0).expect("the game"));
            let below = Ruleset::compose(&library, &RulesetSpec::new("skirmish", &["errata"])).expect("the rules").0;
            let id = kept_changes(&library, &below, "mine").into_iter().find(|one| {
                let wanted = change.as_ref().expect("a change").entry(&library, &below).expect("an entry").expect("an entry");
                ListEntry::parse(&one.change.as_ref().expect("a change").to_parameter().1).ok().is_some_and(|own| own.place() == wanted.place())
                    || one.change == change.as_ref().ok().cloned()
                    || one.id.contains(&wanted.to_yaml().trim_end_matches(" }").replace(", now: \"0/9\"", ""))
            }).expect("what is kept").id;
            let body = json!({ "game": "skirmish", "variant": "mine", "without": [id] });
            served.wait_until(|served| served.page_text("/what-if/skirmish?variant=mine").matches("data-take-back=").count() == left.len());
            let (status, answer) = served.request_with_token("POST", "/keep", &body);
            prop_assert_eq!(status, 200, "{}", answer);
            left.retain(|other| other != at);
            let anew = Folder::skirmish();
            for at in &left {
                keep(&anew, &[changes[*at].0, changes[*at].1]);
            }
            prop_assert_eq!(odds(&folder), odds(&anew));
        }
        prop_assert_eq!(contents(&folder), start);
    });
}

/// A condition that calls what there is not, or names what is not known there, is refused at once, in the same words wherever it is tried.
#[test]
fn a_change_that_can_not_hold_is_refused_at_once() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    for (rule, code, what) in [
        (
            "1.1 throw: attack = add 1 when is_nigth()",
            "unknown-function",
            "is_nigth",
        ),
        (
            "1.1 throw: attack = add 1 when leeder > 1",
            "script",
            "leeder",
        ),
        ("1.1 throw: atack = add 1", "unknown-name", "attack"),
        ("9.9 throw: attack = add 1", "unknown-name", "9.9"),
        (
            "1.1 throw: attack = 1 left",
            "missing-key",
            "can't be done there",
        ),
    ] {
        let (status, out) = what_if(&folder, &["--rule", rule]);
        for part in [&*format!("error[{code}]"), what, "1 complaint"] {
            assert!(
                status == Some(1) && out.contains(part),
                "{rule}: no `{part}` in {status:?}\n{out}"
            );
        }
        assert!(
            !out.contains("variants/"),
            "a file that is not there: {out}"
        );
        let (status, kept) = what_if(&folder, &["--rule", rule, "--keep", "mine"]);
        assert!(status == Some(1) && kept.contains(what), "{kept}");
        assert!(
            !folder.0.join("variants/mine").exists(),
            "nothing is written"
        );
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("rule", rule)
            .finish();
        for page in ["?part=now&", "/effect?"] {
            let page = served.page_text(&format!("/what-if/skirmish{page}{query}"));
            assert!(
                page.contains(what) && !page.contains("Nothing moves"),
                "{rule}: {page}"
            );
        }
        let sent = json!({ "game": "skirmish", "variant": "mine", "rule": [rule] });
        let (status, answer) = served.request_with_token("POST", "/keep", &sent);
        assert!(
            status >= 400 && answer["complaints"][0]["code"] == code,
            "{rule}: {answer}"
        );
    }
}

/// A condition in words says what it says.
#[test]
fn conditions_are_said_in_words() {
    for (script, words) in [
        ("leader.initiative >= 3", "leader initiative is at least 3"),
        (
            "track(\"turn\") > 3 && !is_lost(unit)",
            "the turn is more than 3 and not unit is lost",
        ),
        (
            "place(unit.at).height == 2",
            "unit stands where height is 2",
        ),
        ("given.side == \"Red\"", "side is Red"),
    ] {
        assert_eq!(in_words(script, &GameWords::new()), words);
    }
    let called = [
        ("leader", "the leader"),
        ("battle.from", "the hex the attack comes from"),
        ("battle.target", "the hex attacked"),
        ("lead.spent", "the leading unit is spent"),
    ];
    let called = called.map(|(name, words)| (name.to_string(), words.to_string()));
    let called = GameWords::from(called);
    for (script, words) in [
        (
            "leader.initiative >= 3",
            "the leader's initiative is at least 3",
        ),
        (
            "between(battle.from[0], battle.target).water == \"river\"",
            "the water between the hex the attack comes from and the hex attacked is river",
        ),
        ("lead.spent", "the leading unit is spent"),
        ("is_army(leader)", "leader is army"),
        ("leader(unit) == 2", "leader of unit is 2"),
        ("faces[0] == faces[1]", "the dice are a double"),
        ("!(faces[0] == faces[1])", "the dice are no double"),
        (
            "position(\"cycle\", track(\"cycle\")) % 3 != 0",
            "the number of the cycle is not each third",
        ),
    ] {
        assert_eq!(in_words(script, &called), words);
    }
}
