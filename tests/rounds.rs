//! `odds --rounds`: the odds of a game, counted round by round.

use crate::common::{Folder, Says, campaign};
use casebook::odds::bounds::{DEFAULT_MEMORY, SearchLimits};
use casebook::odds::rounds::RoundsQuery;
use casebook::odds::sample::Sample;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const DAY: &str = "rules/skirmish/03-game/4.1-a-day.rhai";

/// A game whose odds can be worked out by hand: a round is a throw of luck, on a 6 it is over and Red has won; on a 1 the day refuses, and
/// what it did is undone; else Red's people grow by one on a throw above 3. In the evening somebody counts them.
fn luck() -> Folder {
    let folder = campaign();
    folder.write(
        DAY,
        r#"//! case: "4.1"
//! title: A day
//! kind: rule
//! source: { doc: sheet, at: "4.1" }
//! procedure: day
//! text: >
//!   A throw of luck decides.

fn morning(given) { }

fn day(given) {
    let die = roll("1d6", "luck");
    let unit = piece("Red foot");
    if die == 6 {
        result("game", "over");
        result("winner", "Red");
        return;
    }
    set(unit, "strength", unit.strength + 1);
    result("day", die);
    if die == 1 { refuse("no day today"); }
    if die <= 3 { set(unit, "strength", unit.strength - 1); }
}

fn answer(given) { }

fn evening(given) {
    result("red points", piece("Red foot").strength);
    if track("turn") < 8 { set_track("turn", track("turn") + 1); }
}
"#,
    );
    folder
}

fn chance(odds: &Value, outcome: &str, value: &str) -> Value {
    let entry_of = |list: &Value, key: &str, name: &str| {
        list.as_array()
            .into_iter()
            .flatten()
            .find(|one| one[key] == name)
            .cloned()
    };
    let value_entry = entry_of(&odds["outcomes"], "outcome", outcome)
        .and_then(|one| entry_of(&one["values"], "value", value));
    value_entry.unwrap_or_else(|| panic!("no {outcome} {value} in {odds:#}"))["chance"].clone()
}

#[test]
fn rounds_are_counted_exactly() {
    let folder = luck();
    let odds = |rounds: &str| folder.json(&["odds", "bridge", "--rounds", rounds]);
    let on_one_thread = odds("1");
    assert_eq!(
        (&on_one_thread["complete"], &on_one_thread["rounds"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(chance(&on_one_thread, "winner", "Red"), "1/6");
    assert_eq!(chance(&on_one_thread, "red points", "4"), "1/2");
    assert_eq!(chance(&on_one_thread, "red points", "5"), "1/3");
    // An outcome named by a day that refused does not count.
    assert_eq!(chance(&on_one_thread, "day", "—"), "1/3");
    let two = odds("2");
    assert_eq!(chance(&two, "winner", "Red"), "11/36");
    // Red has 6 after two good days; 5 where one was good and one idle, or where luck ended the game after a good one.
    assert_eq!(chance(&two, "red points", "6"), "1/9");
    assert_eq!(chance(&two, "red points", "5"), "7/18");
    let many = odds("6");
    assert_eq!(chance(&many, "winner", "Red"), "31031/46656");
    let text = folder.out("odds bridge --rounds 2 --exact --only winner");
    text.holds("of 2 rounds of the sequence of play");
    text.holds("11/36");
    text.lacks("red points");
}

/// What can't be counted in time is sampled, and what was counted is said.
/// An outcome of true and one of "yes" are not added up.
#[test]
fn rounds_keep_flags_and_texts_apart() {
    let folder = luck();
    folder.replace(
        DAY,
        "result(\"day\", die);",
        "result(\"day\", die); result(\"kind\", if die <= 3 { true } else { \"yes\" });",
    );
    let odds = folder.json("odds bridge --rounds 1");
    assert_eq!(
        (
            chance(&odds, "kind", "yes"),
            chance(&odds, "kind", "\"yes\"")
        ),
        (json!("1/3"), json!("1/3"))
    );
    let sample = sample_of_rounds(&folder, 1);
    let times = |value: &str| {
        sample
            .of_outcome("kind")
            .map_or(0.0, |kind| kind.chance(value, 0.0).share)
    };
    assert!(
        (times("yes") - 1.0 / 3.0).abs() < 0.05 && (times("\"yes\"") - 1.0 / 3.0).abs() < 0.05,
        "{:?}",
        sample.counts
    );
    folder.replace(DAY, "if die <= 3 { true }", "if die <= 3 { \"maybe\" }");
    let odds = folder.json("odds bridge --rounds 1");
    assert_eq!(chance(&odds, "kind", "yes"), "1/3");
}

#[test]
fn what_is_not_counted_is_sampled() {
    let folder = luck();
    let none = folder.out("odds bridge --rounds 3 --limit 0");
    none.holds("of all chances were counted to the end of these rounds");
    none.holds("its time was up. --limit SECONDS gives it more");
    let sampled = folder.json("odds bridge --rounds 3 --limit 0");
    assert!(
        sampled["ended"] == "time" && sampled["remedy"]["code"] == "more-time",
        "{sampled:#}"
    );
    // The dice are seeded: the sample of three rounds is near the exact values.
    let counted = folder.json("odds bridge --rounds 3");
    assert_eq!(chance(&counted, "winner", "Red"), "91/216");
}

/// Samples rounds of which nothing was counted.
fn sample_of_rounds(folder: &Folder, rounds: u64) -> Sample {
    let library = casebook::open(&folder.0).expect("the folder is there");
    let spec = RulesetSpec::new("skirmish", &[]);
    let situation = Situation::load(&library, &spec, "bridge").expect("a situation");
    let choice_source = situation.choice_source(&[], Arc::default());
    let stop = AtomicBool::new(false);
    let limits = |seconds| SearchLimits {
        deadline: Instant::now() + Duration::from_secs(seconds),
        memory: DEFAULT_MEMORY,
        stop: &stop,
        progress: &|_, _| {},
    };
    let query = RoundsQuery {
        situation: &situation,
        choice_source: &choice_source,
        rounds,
        counting: limits(0),
        sampling: limits(60),
    };
    query
        .find()
        .expect("no fault")
        .sample
        .expect("nothing was counted")
}

/// Answers of a sampled game apply from its first step, also on a machine that has run nothing before.
#[test]
fn a_sampled_game_goes_on_where_the_count_ended() {
    let sample = sample_of_rounds(&luck(), 2);
    assert!(sample.runs > 1_000, "{} runs", sample.runs);
    let count_of = |name: &str, value: &str| {
        sample
            .counts
            .iter()
            .find(|(known, _)| known == name)
            .map_or(0, |(_, counts)| counts[value])
    };
    let share = count_of("winner", "Red") as f64 / sample.runs as f64;
    assert!((share - 11.0 / 36.0).abs() < 0.05, "{share}");
}

#[test]
fn what_can_not_be_counted_in_rounds_is_refused() {
    let folder = Folder::skirmish();
    let run = folder.run("odds bridge --rounds 2");
    run.ends(2);
    run.err.holds("bridge ends with its procedure");
    let folder = luck();
    for (args, part) in [
        (
            &["--rounds", "0"][..],
            "write a whole number from 1 to 1000",
        ),
        (
            &["--rounds", "18446744073709551615"],
            "write a whole number from 1 to 1000",
        ),
        (
            &["--rounds", "2", "--policy", "Red=best", "--sources"],
            "rounds are counted with first, last",
        ),
        (&["--rounds", "2", "--runs", "5"], "cannot be used with"),
        (
            &["--rounds", "2", "--only", "wether"],
            "no outcome or part of it is called `wether`",
        ),
    ] {
        let run = folder.run(&[&["odds", "bridge"][..], args].concat());
        run.ends(2);
        run.err.holds(part);
    }
}
