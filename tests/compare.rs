//! Rulesets side by side: what differs, what is the same, what is not decided, and what makes the difference.

use crate::common::{Folder, Items, Says};
use casebook::compare::causes::Cause;
use casebook::compare::ruleset_difference::{RulesetDifference, compare_views};
use casebook::compare::verdicts::DifferenceVerdict;
use casebook::compare::view::{Comparison, RulesetView};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::odds::distribution::Odds;
use casebook::ruleset::compose::RulesetSpec;
use casebook::situation::overrides::Overrides;
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn case(number: &str, kind: &str, keys: &str, body: &str) -> String {
    format!(
        "//! case: \"{number}\"\n//! title: Case {number}\n//! kind: {kind}\n//! source: {{ doc: sheet, at: made up }}\n{keys}//! text: Made up.\n\n{body}\n"
    )
}

const CROSSING: &str = r#"fn crossing(given) {
    let die = roll("1d6", "loss");
    let loss = table("loss", die) + weather();
    result("loss", loss);
    let delay = table("delay", roll("1d6", "delay"));
    if reading("haste") == "double" { delay = delay * 2; }
    result("delay", delay);
    let force = 0;
    for piece in pieces_at("field", "Red") { force += piece.strength; }
    result("force", force + bonus());
    result("end", if loss > delay { "rout, " + loss } else { "stand" });
    result("fixed", roll("1d6", "fixed"));
}"#;

/// A crossing: losses and delays by tables, a counted force, and an outcome that depends on both.
fn ford() -> Folder {
    let folder = Folder::empty();
    folder.write(
        "rules/ford/game.yaml",
        "game: ford\ntitle: Ford\nsides: [Red, Blue]\nsources:\n  sheet: { title: sheet, by: nobody, where: made up }\nkinds:\n  man: { title: men, is: [soldier] }\nattributes:\n  strength: { unit: points, default: 0 }\nplaces:\n  notation: name\n  boxes: [field, bank]\ntogether: [rout]\nprocedures:\n  crossing: Red crosses.\n  march: Dice without end.\n  muster: Counts the men of a list.\n",
    );
    folder.write(
        "rules/ford/contents.yaml",
        "\"1.0\": Crossing\n\"1.1\": Weather\n\"1.2\": Bonus\n\"1.3\": Nothing\n\"2.0\": March\n\"2.1\": Pace\n\"3.0\": Muster\n",
    );
    let readings = "//! procedure: crossing\n//! readings:\n//!   haste: [plain, double]\n";
    folder.write(
        "rules/ford/01-ford/1.0-crossing.rhai",
        case("1.0", "rule", readings, CROSSING),
    );
    folder.write(
        "rules/ford/01-ford/1.1-weather.rhai",
        case("1.1", "rule", "", "fn weather() { 0 }"),
    );
    folder.write(
        "rules/ford/01-ford/1.2-bonus.rhai",
        case(
            "1.2",
            "rule",
            "//! readings:\n//!   gift: [none, one]\n",
            "fn bonus() { if reading(\"gift\") == \"one\" { 1 } else { 0 } }",
        ),
    );
    folder.write(
        "rules/ford/01-ford/1.3-nothing.rhai",
        case(
            "1.3",
            "rule",
            "//! readings:\n//!   idle: [so, not so]\n",
            "fn nothing() { if reading(\"idle\") == \"so\" { 1 } else { 2 } }",
        ),
    );
    // No two states of this are equal, so it can't be counted.
    let march_case = "fn march(given) {\n    let seen = [];\n    for i in 0..60 { seen.push(roll(\"1d6\", \"step\")); }\n    let sum = 0;\n    for i in 0..60 { sum += seen[i] * (i + 1); }\n    result(\"far\", sum > 6405);\n    result(\"first\", seen[0] + pace());\n    result(\"even\", sum % 2 == 0);\n}";
    folder.write(
        "rules/ford/02-march/2.0-march.rhai",
        case("2.0", "rule", "//! procedure: march\n", march_case),
    );
    folder.write(
        "rules/ford/02-march/2.1-pace.rhai",
        case(
            "2.1",
            "rule",
            "//! readings:\n//!   pace: [none, chart]\n",
            "fn pace() { if reading(\"pace\") == \"chart\" { table(\"unknown\", 1) } else { 0 } }",
        ),
    );
    let muster_case = "fn muster(given) { let sum = 0; for entry in entries(\"roll\") { sum += entry.strength; } result(\"men\", sum); }";
    folder.write(
        "rules/ford/03-muster/3.0-muster.rhai",
        case("3.0", "rule", "//! procedure: muster\n", muster_case),
    );
    let table = |name: &str, cells: &str| {
        let head = format!(
            "table: {name}\ntitle: {name}\nkind: rule\nsource: {{ doc: sheet, at: made up }}\nstatus: printed\nrows: {{ of: die, labels: [1, 2, 3, 4, 5, 6], throw: 1d6 }}\n"
        );
        folder.write(
            &format!("tables/ford/{name}.yaml"),
            head.replace(", throw: 1d6", "") + cells,
        );
    };
    table(
        "loss",
        "cells:\n  1: 0\n  2: 1\n  3: 1\n  4: 2\n  5: 2\n  6: 3\n",
    );
    table(
        "delay",
        "cells:\n  1: 0\n  2: 0\n  3: 1\n  4: 1\n  5: 2\n  6: 2\n",
    );
    table(
        "unknown",
        "cells:\n  1: \"?\"\n  2: 1\n  3: 1\n  4: 1\n  5: 1\n  6: 1\n",
    );
    let men = "pieces:\n  - { name: Red foot, kind: man, side: Red, at: field, strength: 3 }\n  - { name: Red horse, kind: man, side: Red, at: bank, strength: 2 }\n  - { name: Blue foot, kind: man, side: Blue, at: field, strength: 4 }\ngiven: {}\n";
    for (name, procedure) in [("ford", "crossing"), ("road", "march"), ("camp", "muster")] {
        let head = format!(
            "situation: {name}\ntitle: The {name}\nsource: {{ doc: sheet, at: made up }}\nstatus: printed\nprocedure: {procedure}\n"
        );
        folder.write(&format!("scenarios/ford/{name}.yaml"), head + men);
    }
    folder.write("scenarios/ford/roll.yaml", "roster: roll\ntitle: The roll\nsource: { doc: sheet, at: made up }\nstatus: printed\npieces:\n  - { name: A, kind: man, side: Red, strength: 1 }\n  - { name: B, kind: man, side: Red, strength: 2 }\n");
    folder
}

/// What can be changed in the crossing, and how a cause names it.
const CHANGES: [(&str, &str); 10] = [
    ("cell", "table loss, die 1"),
    ("cell", "table loss, die 6"),
    ("cell", "table delay, die 3"),
    ("cell", "table delay, die 5"),
    ("case", "1.1"),
    ("case", "1.2"),
    ("case", "1.3"),
    ("figure", "strength of Red foot in ford"),
    ("placement", "at of Red horse in ford"),
    ("reading", "reading 1.0.haste"),
];

/// A variant with some of the changes; a reading has no file.
fn variant(folder: &Folder, name: &str, on: &dyn Fn(usize) -> bool) {
    let root = format!("variants/{name}");
    folder.write(
        &format!("{root}/variant.yaml"),
        format!("variant: {name}\ntitle: {name}\ngame: ford\nsource: {{ doc: sheet, at: slip }}\n"),
    );
    let table = |id: &str, cells: &[(usize, i64, i64, i64)]| {
        let changes: String = cells
            .iter()
            .filter(|(place, ..)| on(*place))
            .map(|(_, die, was, now)| format!("  - {{ row: {die}, was: {was}, now: {now} }}\n"))
            .collect();
        if !changes.is_empty() {
            let head = format!(
                "table: {id}\ntitle: {id}\nkind: correction\nsource: {{ doc: sheet, at: slip }}\nstatus: printed\nchanges:\n"
            );
            folder.write(&format!("{root}/tables/{id}.yaml"), head + changes.as_str());
        }
    };
    table("loss", &[(0, 1, 0, 2), (1, 6, 3, 1)]);
    table("delay", &[(2, 3, 1, 3), (3, 5, 2, 0)]);
    let cases = [
        (4, "1.1-weather", "fn weather() { 1 }"),
        (5, "1.2-bonus", "fn bonus() { 5 }"),
        (6, "1.3-nothing", "fn nothing() { 7 }"),
    ];
    for (index, file, body) in cases.into_iter().filter(|(index, ..)| on(*index)) {
        let _ = index;
        folder.write(
            &format!("{root}/rules/01-ford/{file}.rhai"),
            case(&file[..3], "correction", "", body),
        );
    }
    let figures = [
        (7, "Red foot", "strength: { was: 3, now: 1 }"),
        (8, "Red horse", "at: { was: bank, now: field }"),
    ];
    let changes: String = figures
        .iter()
        .filter(|(place, ..)| on(*place))
        .map(|(_, piece, change)| format!("  - {{ piece: {piece}, {change} }}\n"))
        .collect();
    if !changes.is_empty() {
        let head = "situation: ford\ntitle: Changes\nkind: correction\nsource: { doc: sheet, at: slip }\nchanges:\n";
        folder.write(
            &format!("{root}/scenarios/ford.yaml"),
            head.to_string() + changes.as_str(),
        );
    }
}

fn library(folder: &Folder) -> Arc<Library> {
    let library = Library::new(
        Files::with_folder(&folder.0, casebook::EMBEDDED).expect("the folder is read"),
    );
    assert!(!library.complaints.has_errors(), "{}", library.complaints);
    Arc::new(library)
}

fn spec(with: &[&str], readings: &[(&str, &str)]) -> RulesetSpec {
    RulesetSpec {
        game: "ford".into(),
        variants: with.iter().map(ToString::to_string).collect(),
        readings: readings
            .iter()
            .map(|(name, way)| (name.to_string(), way.to_string()))
            .collect(),
        ..RulesetSpec::default()
    }
}

fn with_comparison<T>(library: &Arc<Library>, name: &str, ask: impl FnOnce(&Comparison) -> T) -> T {
    let stop = AtomicBool::new(false);
    let overrides = Overrides::default();
    let question = Comparison {
        overrides: &overrides,
        library,
        situation_name: name,
        choices: &[],
        policies: Arc::default(),
        measure: None,
        strict: false,
        memory: 1 << 30,
        deadline: Instant::now() + Duration::from_secs(30),
        stop: &stop,
        progress: &|_, _, _| {},
        threads: 2,
    };
    ask(&question)
}

fn evaluate(question: &Comparison, spec: &RulesetSpec) -> RulesetView {
    let situation = question
        .situation(spec)
        .unwrap_or_else(|error| panic!("{error}"));
    question
        .evaluate(situation, question.deadline)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn count_odds(folder: &Folder, spec: &RulesetSpec) -> Odds {
    with_comparison(&library(folder), "ford", |question| {
        evaluate(question, spec).odds
    })
}

fn compare(
    folder: &Folder,
    situation: &str,
    from: &RulesetSpec,
    to: &RulesetSpec,
) -> RulesetDifference {
    with_comparison(&library(folder), situation, |question| {
        let (from, to) = (evaluate(question, from), evaluate(question, to));
        compare_views(question, &from, &to, question.deadline, true)
            .unwrap_or_else(|error| panic!("{error}"))
    })
}

fn cause_numbers(causes: &[Cause]) -> Vec<usize> {
    let index_of = |cause: &Cause| {
        CHANGES
            .iter()
            .position(|(kind, what)| (*kind, *what) == (cause.kind, &cause.identity))
    };
    causes
        .iter()
        .map(|cause| index_of(cause).unwrap_or_else(|| panic!("nobody changed {cause:?}")))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// The named causes are sufficient and necessary: alone they give the outcome of the whole variant, the variant without
    /// them gives the printed outcome; and outcomes reported as the same are the same.
    #[test]
    fn causes_are_true(bits in 1usize..1 << CHANGES.len()) {
        let folder = ford();
        let has = |place: usize| bits & (1 << place) != 0;
        let reading = |on: bool| if on { vec![("1.0.haste", "double")] } else { vec![] };
        variant(&folder, "mix", &has);
        let (base, mixed) = (spec(&[], &[]), spec(&["mix"], &reading(has(9))));
        let difference = compare(&folder, "ford", &base, &mixed);
        let (printed, whole) = (count_odds(&folder, &base), count_odds(&folder, &mixed));
        for outcome in &difference.outcomes {
            let differs = printed.distribution(&outcome.outcome) != whole.distribution(&outcome.outcome);
            let verdict = if differs { DifferenceVerdict::Differs } else { DifferenceVerdict::Same };
            prop_assert!(outcome.outcome == "everything" && printed == whole || outcome.verdict == verdict);
        }
        for (outcome, causes) in &difference.causes {
            let causes = cause_numbers(causes.as_ref().expect("there was time"));
            prop_assert!(!causes.is_empty(), "{outcome} differs, and by nothing");
            prop_assert!(causes.iter().all(|place| has(*place) && *place != 6));
            let folder = ford();
            variant(&folder, "alone", &|place| causes.contains(&place));
            variant(&folder, "rest", &|place| has(place) && !causes.contains(&place));
            let alone = count_odds(&folder, &spec(&["alone"], &reading(causes.contains(&9))));
            let rest = count_odds(&folder, &spec(&["rest"], &reading(has(9) && !causes.contains(&9))));
            prop_assert_eq!(alone.distribution(outcome), whole.distribution(outcome), "{} by {:?} of {:b}", outcome, &causes, bits);
            prop_assert_eq!(rest.distribution(outcome), printed.distribution(outcome), "{} without {:?} of {:b}", outcome, &causes, bits);
        }
    }
}

#[test]
fn a_changed_cell_is_named_and_no_case_is_blamed() {
    let folder = ford();
    variant(&folder, "mix", &|place| [0, 5].contains(&place));
    let json = folder.json("compare ford --with '' --with mix");
    let outcomes = json["differences"][0]["outcomes"]
        .as_array()
        .expect("outcomes");
    let outcome_named = |name: &str| {
        outcomes
            .iter()
            .find(|o| o["outcome"] == name)
            .expect("the outcome is there")
    };
    let cause_names = |name: &str| -> Vec<String> {
        outcome_named(name)["causes"]
            .items()
            .map(|c| {
                format!(
                    "{} {}",
                    c["kind"].as_str().expect("a kind"),
                    c["what"].as_str().expect("a name")
                )
            })
            .collect()
    };
    assert_eq!(cause_names("loss"), ["cell table loss, die 1"]);
    assert_eq!(cause_names("end"), ["cell table loss, die 1"]);
    assert_eq!(cause_names("force"), ["case 1.2"]);
    assert_eq!(
        (
            outcome_named("delay")["verdict"].as_str(),
            outcome_named("delay")["proved"].as_bool()
        ),
        (Some("the same"), Some(true))
    );
    let text = folder.out("compare ford --with '' --with mix");
    for part in [
        "ford and mix differ",
        "mix sets table loss, die 1: 2 instead of 0",
        "variants/mix/tables/loss.yaml:7",
        "the same (proved): delay, fixed",
    ] {
        text.holds(part);
    }
    // "rout, 2" and "rout, 3" are one value here.
    text.holds("    rout");
    text.lacks("    rout,");
}

/// Causes in the other direction, and by an option.
/// Without time nothing is counted and no run is made: that proves nothing.
#[test]
fn what_nobody_counted_is_not_the_same() {
    let args = [
        "compare",
        "lee-attacks-porter",
        "--with",
        "hardy",
        "--with",
        "dye",
        "--limit",
        "0",
    ];
    let folder = Folder::empty();
    let text = folder.out(&args);
    text.holds("not decided");
    text.lacks("proved");
    text.lacks("+0.0");
    let json = folder.json(&args);
    json.to_string().holds("not decided");
    json.to_string().lacks("the same");
    // Nor does a headline say of the whole what holds for the part that was counted.
    let odds = folder.json("odds lee-attacks-porter --limit 0");
    assert!(
        odds["headline"].is_null() && odds["complete"] == false,
        "{odds}"
    );
}

/// Means of different cases don't stand beside each other as if they were of the same.
#[test]
fn a_headline_says_what_its_means_are_of() {
    let odds = Folder::empty().json("odds macdougall-assaults");
    let text = odds["headline"]["text"].as_str().unwrap_or_default();
    text.holds("losses 0.8 (in 55.6 %) against 1.4");
}

/// Of one changed cell the answer comes first, with its cause in a sentence; what is the same is told once.
#[test]
fn the_answer_comes_first() {
    let folder = Folder::empty();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: wbts\n",
    );
    folder.write(
        "variants/mine/tables/combat-results.yaml",
        "table: combat-results\ntitle: Ours\nkind: revision\nstatus: house\nchanges:\n  - { sheet: \"5\", column: \"132-156\", row: \"3\", was: \"10/15\", now: \"20/10*\" }\n",
    );
    let compare = [
        "compare",
        "lee-attacks-porter",
        "--with",
        "",
        "--with",
        "mine",
    ];
    let text = folder.out(&compare);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cause = "cause: mine sets table combat-results, intensity 5, ratio 132-156, die 3: 20/10* instead of 10/15 (variants/mine/tables/combat-results.yaml:6)";
    let place = |part: &str| {
        words
            .find(part)
            .unwrap_or_else(|| panic!("no {part} in\n{text}"))
    };
    assert!(
        place("wbts and mine differ") < place(cause) && place(cause) < place("The attack is made"),
        "{text}"
    );
    assert!(
        text.lines().count() < 40,
        "{}\n{text}",
        text.lines().count()
    );
    // Lines that don't fit go on indented, and an outcome that is the same has no row.
    assert!(
        text.lines()
            .all(|line| !line.starts_with("instead") && !line.starts_with("  advance ")),
        "{text}"
    );
    words.holds("attacker losses (points) mean where it comes up 3.80 4.07 +0.27");
    // Two rulesets that give the same need neither rows nor two headlines.
    folder.replace(
        "variants/mine/tables/combat-results.yaml",
        "sheet: \"5\", column: \"132-156\"",
        "sheet: \"1\", column: \"1255+\"",
    );
    folder.replace(
        "variants/mine/tables/combat-results.yaml",
        "was: \"10/15\"",
        "was: \"0/10*\"",
    );
    let text = folder.out(&compare);
    assert!(text.matches("The attack is made").count() == 1, "{text}");
    text.holds("wbts and mine give the same outcomes (proved");
    assert!(text.lines().count() < 12, "{text}");
    text.lacks("the same dice");
}

#[test]
fn causes_are_named_both_ways_and_by_option() {
    let folder = ford();
    variant(&folder, "mix", &|place| [4, 7].contains(&place));
    folder.replace(
        "variants/mix/variant.yaml",
        "game: ford\n",
        "game: ford\noptions:\n  rain: { title: It rains }\n",
    );
    folder.replace(
        "variants/mix/rules/01-ford/1.1-weather.rhai",
        "//! kind: correction\n",
        "//! kind: correction\n//! option: rain\n",
    );
    let text = folder.out("compare ford --with mix --with ''");
    text.holds("without case 1.1 of mix: Case 1.1 (correction) (option mix.rain");
    text.holds("without mix, strength of Red foot in ford: 3 instead of 1");
    let text = folder.out("compare ford --with mix --with mix,mix.rain=off,1.0.haste=double");
    text.holds("without case 1.1 of mix");
    text.holds("reading 1.0.haste is read as double instead of plain");
    text.lacks("strength of Red foot");
}

/// Cases of a variant that need each other are blamed only for their own effect.
#[test]
fn cases_that_need_each_other_are_not_blamed_for_others() {
    let folder = ford();
    variant(&folder, "mix", &|place| place == 0);
    let root = "variants/storm";
    folder.write(
        &format!("{root}/variant.yaml"),
        "variant: storm\ntitle: Storm\ngame: ford\nsource: { doc: sheet, at: slip }\n",
    );
    let added = case(
        "1.4",
        "new case",
        "",
        "fn wind() { bonus_of_wind(1) }\nfn gust() { 2 }",
    );
    folder.write(&format!("{root}/rules/01-ford/1.4-wind.rhai"), added);
    let case_file = case("1.5", "new case", "", "fn bonus_of_wind(n) { n * gust() }");
    folder.write(&format!("{root}/rules/01-ford/1.5-gusts.rhai"), case_file);
    let weather = case(
        "1.1",
        "correction",
        "",
        "fn weather() { if wind() == 2 { 0 } else { 1 } }",
    );
    folder.write(&format!("{root}/rules/01-ford/1.1-weather.rhai"), weather);
    let bonus = case("1.2", "correction", "", "fn bonus() { wind() }");
    folder.write(&format!("{root}/rules/01-ford/1.2-bonus.rhai"), bonus);
    let difference = compare(
        &folder,
        "ford",
        &spec(&["mix"], &[]),
        &spec(&["storm"], &[]),
    );
    let cause_names = |name: &str| -> Vec<&str> {
        let (_, causes) = difference
            .causes
            .iter()
            .find(|(outcome, _)| outcome == name)
            .expect("the outcome differs");
        causes
            .as_ref()
            .expect("there was time")
            .iter()
            .map(|cause| cause.identity.as_str())
            .collect()
    };
    assert_eq!(cause_names("loss"), ["table loss, die 1"]);
    assert_eq!(cause_names("force"), ["1.2", "1.4", "1.5"]);
}

/// A case that a cause calls, and that changes nothing of an outcome, is no cause of it, though nothing can be built without it.
#[test]
fn what_a_cause_calls_is_blamed_only_for_its_own_effect() {
    let folder = ford();
    let root = "variants/storm";
    folder.write(
        &format!("{root}/variant.yaml"),
        "variant: storm\ntitle: Storm\ngame: ford\nsource: { doc: sheet, at: slip }\n",
    );
    let noted = case(
        "1.4",
        "new case",
        "",
        "fn note_weather() { result(\"noted\", 1); }",
    );
    folder.write(&format!("{root}/rules/01-ford/1.4-note.rhai"), noted);
    let weather = case(
        "1.1",
        "correction",
        "",
        "fn weather() { note_weather(); 1 }",
    );
    folder.write(&format!("{root}/rules/01-ford/1.1-weather.rhai"), weather);
    for rulesets in [[&[][..], &["storm"]], [&["storm"], &[]]] {
        let difference = compare(
            &folder,
            "ford",
            &spec(rulesets[0], &[]),
            &spec(rulesets[1], &[]),
        );
        let cause_names = |name: &str| -> Vec<&str> {
            let (_, causes) = difference
                .causes
                .iter()
                .find(|(outcome, _)| outcome == name)
                .expect("the outcome differs");
            causes
                .as_ref()
                .expect("there was time")
                .iter()
                .map(|cause| cause.identity.as_str())
                .collect()
        };
        assert_eq!(cause_names("loss"), ["1.1"]);
        assert_eq!(cause_names("noted"), ["1.1", "1.4"]);
    }
}

/// An outcome that can't be counted is shown from paired runs, not from the part that was counted.
#[test]
fn a_sample_stands_beside_a_sample() {
    let folder = ford();
    variant(&folder, "mix", &|_| false);
    folder.write(
        "variants/mix/rules/02-march/2.1-pace.rhai",
        case("2.1", "correction", "", "fn pace() { 1 }"),
    );
    let text = folder.out("compare road --with '' --with mix --limit 4");
    let row = text
        .lines()
        .skip_while(|line| line.trim() != "first")
        .find(|line| line.contains("mean"))
        .unwrap_or_else(|| panic!("{text}"));
    assert_eq!(row.matches('±').count(), 2, "{text}");
    text.holds("a sample of");
    text.lacks(" in <0.1 %");
}

/// A piece that a layer adds to a list that is looked up at run time, or takes out of it, is a cause of that layer.
#[test]
fn a_piece_of_a_roster_is_a_cause() {
    let folder = ford();
    variant(&folder, "mix", &|_| false);
    let head = "roster: roll\ntitle: Changes\nkind: correction\nsource: { doc: sheet, at: slip }\nchanges:\n";
    for (change, what) in [
        (
            "{ piece: C, was: absent, now: { kind: man, side: Red, strength: 4 } }",
            "C in roll",
        ),
        ("{ piece: B, was: present, now: deleted }", "B in roll"),
    ] {
        folder.write(
            "variants/mix/scenarios/roll.yaml",
            format!("{head}  - {change}\n"),
        );
        for specs in [[&[][..], &["mix"][..]], [&["mix"][..], &[][..]]] {
            let [from, to] = specs.map(|variants| spec(variants, &[]));
            let difference = compare(&folder, "camp", &from, &to);
            let (outcome, causes) = &difference.causes[0];
            let [cause] = &causes.as_ref().expect("there was time")[..] else {
                panic!("{causes:?}");
            };
            assert_eq!(
                (outcome.as_str(), cause.kind, &*cause.identity),
                ("men", "piece", what)
            );
            assert_eq!(cause.layer, "mix", "{cause:?}");
            cause.path.holds("variants/mix/scenarios/roll.yaml");
        }
    }
}

#[test]
fn equal_rulesets_are_the_same_by_proof() {
    let folder = ford();
    variant(&folder, "mix", &|place| place == 6);
    // The march can't be counted; the proof uses the rules that it can reach.
    for args in [["", ""], ["", "mix"], ["mix", "mix"]] {
        let json = folder.json(&[
            "compare", "road", "--with", args[0], "--with", args[1], "--limit", "1", "--format",
            "json",
        ]);
        assert_eq!(
            (
                &json["differences"][0]["verdict"],
                &json["differences"][0]["pairs"]
            ),
            (&"the same".into(), &0.into())
        );
        assert_eq!(json["rulesets"][0]["odds"]["complete"], false);
    }
}

/// Without a full count, paired runs show differences, and never equality.
#[test]
fn pairs_decide_what_they_can() {
    let folder = ford();
    variant(&folder, "mix", &|_| false);
    folder.write(
        "variants/mix/rules/02-march/2.1-pace.rhai",
        case("2.1", "correction", "", "fn pace() { 1 }"),
    );
    let start = Instant::now();
    let json = folder.json("compare road --with '' --with mix --limit 3");
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "three seconds are for all of it: {:?}",
        start.elapsed()
    );
    let difference = &json["differences"][0];
    let outcomes = difference["outcomes"].as_array().expect("outcomes");
    let outcome_named = |name: &str| {
        outcomes
            .iter()
            .find(|o| o["outcome"] == name)
            .expect("the outcome is there")
    };
    assert!(
        difference["pairs"].as_u64().expect("pairs") > 20,
        "{difference}"
    );
    assert_eq!(
        (
            &outcome_named("first")["verdict"],
            &outcome_named("far")["verdict"]
        ),
        (&"differs".into(), &"not decided".into())
    );
    assert_eq!(outcome_named("first")["causes"][0]["what"], "2.1");
    for value in outcome_named("far")["values"].as_array().expect("values") {
        let end = |key: &str| value[key].as_f64().expect("a number");
        assert!(
            end("low") < 0.0 && end("high") > 0.0 && end("high") - end("low") < 1.0,
            "{value}"
        );
    }
    let text = folder.out("compare road --with '' --with mix --limit 2");
    text.holds("differ; not all chances were counted");
    text.holds("not decided; in brackets");
}

#[test]
fn readings_are_compared() {
    let folder = ford();
    let text = folder.out("compare ford --readings all");
    text.holds("as it is read and 1.0.haste=double differ");
    text.holds("as it is read and 1.2.gift=one differ");
    text.holds("change nothing here (proved)\n  1.3.idle=not so; 2.1.pace=chart");
    // A reading that needs a missing figure is left out and named.
    let run = folder.ok("compare road --readings all --limit 1");
    run.out
        .holds("left out\n  2.1.pace=chart: table unknown, die 1: the figure is not known");
    run.out.holds("change nothing here (proved)");
}

#[test]
fn an_answer_nobody_asked_for_is_noted() {
    let folder = Folder::skirmish();
    for command in [
        &["odds", "bridge"][..],
        &["compare", "bridge", "--with", "", "--with", "errata"],
    ] {
        let args = [command, &["--choose", "Red: nope=1"]].concat();
        let out = folder.out(&args);
        out.holds("Answers to questions that were not asked\n  Red: nope");
        let json = folder.json(&args);
        let assumed = if command[0] == "odds" {
            &json["assumed"]
        } else {
            &json["rulesets"][0]["assumed"]
        };
        assert_eq!(assumed["unused_answers"][0]["answer"], "Red: nope");
    }
}

/// Conditions and joint rows apply to samples too, with their error; counted values stay.
#[test]
fn what_cannot_be_counted_is_sampled_also_under_conditions() {
    let folder = ford();
    let odds = |more: &[&str]| {
        folder.json(&[&["odds", "road", "--limit", "2", "--format", "json"], more].concat())
    };
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let conditional = odds(&["--given", "first >= 4"]);
    assert_eq!(conditional["complete"], false);
    assert!(
        (number(&conditional["given"]["percent"]) - 50.0).abs()
            < 4.0 * number(&conditional["given"]["error"]) + 1.0,
        "{conditional}"
    );
    let first = conditional["outcomes"]
        .items()
        .find(|o| o["outcome"] == "first")
        .expect("it is there");
    for value in first["values"].as_array().expect("values") {
        let (share, error) = (number(&value["percent"]), number(&value["error"]));
        let expected = if ["4", "5", "6"].contains(&value["value"].as_str().expect("a value")) {
            100.0 / 3.0
        } else {
            0.0
        };
        assert!((share - expected).abs() <= 3.0 * error + 0.5, "{value}");
    }
    let joint = odds(&["--joint", "first, even"]);
    let rows = joint["rows"].as_array().expect("rows");
    assert_eq!(
        (joint["joint"].clone(), rows.len()),
        (serde_json::json!(["first", "even"]), 12)
    );
    for row in rows {
        assert!(
            (number(&row["percent"]) - 100.0 / 12.0).abs() <= 3.0 * number(&row["error"]) + 0.5,
            "{row}"
        );
        assert!(number(&row["error"]) > 0.0);
    }
    let both_outcomes = odds(&["--joint", "first, even", "--given", "first >= 4"]);
    let rows = both_outcomes["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 6, "{both_outcomes}");
    for row in rows {
        assert!(
            (number(&row["percent"]) - 100.0 / 6.0).abs() <= 3.0 * number(&row["error"]) + 1.0,
            "{row}"
        );
    }
    let never = folder.run("odds road --limit 1 --given 'first > 9'");
    never
        .err
        .holds("did not happen in what was counted and sampled");
    // No time at all: nothing is claimed.
    let out = folder.out("odds road --limit 0");
    out.holds("the rest is not known");
}

#[test]
fn outcomes_together_are_counted() {
    let folder = ford();
    let json = folder.json("odds ford --joint 'loss, end'");
    let row =
        |values: [&str; 2], chance: &str| serde_json::json!({ "values": values, "chance": chance });
    let rows: Vec<serde_json::Value> = json["rows"]
        .items()
        .map(|r| serde_json::json!({ "values": r["values"], "chance": r["chance"] }))
        .collect();
    assert!(rows.contains(&row(["0", "stand"], "1/6")));
    assert!(rows.contains(&row(["3", "rout, 3"], "1/6")));
    assert!(rows.contains(&row(["2", "rout, 2"], "2/9")));
    assert!(rows.contains(&row(["2", "stand"], "1/9")));
    // Under a condition the rows are shares of the cases in which it holds.
    let conditional = folder.json("odds ford --joint 'loss, end' --given 'end = stand'");
    let joint_rows = conditional["rows"].as_array().expect("rows");
    let sum = joint_rows
        .iter()
        .map(|row| row["percent"].as_f64().expect("a number"))
        .sum::<f64>();
    assert!(
        (sum - 100.0).abs() < 1e-9 && joint_rows.iter().all(|row| row["values"][1] == "stand"),
        "{conditional}"
    );
    folder
        .run("odds ford --joint loss --given 'end = gone'")
        .err
        .holds("never happens here");
    let text = folder.out("odds ford --joint loss,end --exact");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.holds("loss end chance");
    words.holds("0 stand");
    let unknown = folder.run("odds ford --joint 'loss, ned'");
    unknown.err.holds("did you mean `end`");
}

/// Odds list their assumptions.
#[test]
fn odds_state_what_they_assume() {
    let folder = ford();
    let json = folder.json("odds ford");
    assert_eq!(
        json["assumed"]["readings"],
        serde_json::json!([
            { "reading": "1.0.haste", "way": "plain", "others": ["double"] },
            { "reading": "1.2.gift", "way": "none", "others": ["one"] }
        ])
    );
    assert_eq!(
        (
            &json["assumed"]["choices"],
            &json["assumed"]["reconstructed"]
        ),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
    let men = "pieces:\n  - { name: Red foot, kind: man, side: Red, at: field, strength: 3 }";
    folder.replace(
        "scenarios/ford/ford.yaml",
        men,
        &men.replace("strength: 3", "strength: 3, status: reconstructed"),
    );
    folder.replace(
        "tables/ford/loss.yaml",
        "status: printed",
        "status: reconstructed\nmethod: guessed",
    );
    let force = "fn bonus() { if choose(\"Red\", \"gift\", [\"none\", \"one\"]) == \"one\" { 1 } else { 0 } }";
    folder.write(
        "rules/ford/01-ford/1.2-bonus.rhai",
        case("1.2", "rule", "", force),
    );
    let short = folder.out("odds ford");
    short.holds("Rests on: 1 choice left to its first option; 1 reading; 2 lists of reconstructed figures. --sources lists them.");
    let out = folder.out("odds ford --sources");
    for part in [
        "first option (--choose 'WHO: WHAT=OPTION' settles a choice)\n  Red: gift: none",
        "strength of Red foot",
        "table loss: die 1, 2, 3, 4, 5, 6",
    ] {
        out.holds(part);
    }
    let json = folder.json("odds ford --policy Red=last");
    assert_eq!(
        (&json["assumed"]["choices"], &json["assumed"]["policies"]),
        (
            &serde_json::json!([]),
            &serde_json::json!([{ "side": "Red", "policy": "last" }])
        )
    );
    // In every form of the command.
    for args in [&["--by", "1.0.haste"][..], &["--policy", "all=all"]] {
        let ask = [&["odds", "ford", "--sources"], args].concat();
        let (text, json) = (folder.out(&ask), folder.json(&ask));
        assert!(
            text.contains("strength of Red foot")
                && !json["assumed"]["reconstructed"]
                    .as_array()
                    .expect("a list")
                    .is_empty(),
            "{text}"
        );
    }
}

/// `--by` leaves out a case, table, variant, option or reading, and whatever needs it, and lists what went with it.
#[test]
fn by_takes_whatever_can_be_left_out() {
    let folder = ford();
    variant(&folder, "mix", &|place| [0, 4].contains(&place));
    folder.replace(
        "variants/mix/variant.yaml",
        "game: ford\n",
        "game: ford\noptions:\n  rain: { title: It rains }\n",
    );
    folder.replace(
        "variants/mix/rules/01-ford/1.1-weather.rhai",
        "//! kind: correction\n",
        "//! kind: correction\n//! option: rain\n",
    );
    let moved_outcomes =
        |what: &str| folder.json(format!("odds ford --with mix --by '{what}'"))["moved"].clone();
    for name in ["mix", "mix.rain", "1.1", "loss", "table loss"] {
        assert_eq!(
            moved_outcomes(name),
            serde_json::json!(["loss", "end"]),
            "{name}"
        );
    }
    for name in ["1.0.haste", "1.0"] {
        assert_eq!(
            moved_outcomes(name),
            serde_json::json!(["delay", "end"]),
            "{name}"
        );
    }
    assert_eq!(moved_outcomes("1.3.idle"), serde_json::json!([]));
    folder.write(
        "variants/mix/rules/01-ford/1.4-storm.rhai",
        case("1.4", "new case", "", "fn storm() { 3 }"),
    );
    folder.replace(
        "variants/mix/rules/01-ford/1.1-weather.rhai",
        "{ 1 }",
        "{ storm() }",
    );
    let out = folder.out("odds ford --with mix --by 1.4");
    out.holds("without it and what rests on it: mix 1.1");
    let unknown = folder.run("odds ford --with mix --by 1.0.hast");
    unknown.err.holds("did you mean `1.0.haste`");
}

/// Ctrl-C prints the result so far.
#[cfg(unix)]
#[test]
fn an_interrupt_gives_what_is_known() {
    use std::process::{Command, Stdio};
    let folder = ford();
    variant(&folder, "mix", &|_| false);
    folder.write(
        "variants/mix/rules/02-march/2.1-pace.rhai",
        case("2.1", "correction", "", "fn pace() { 1 }"),
    );
    let commands: [(&[&str], &str); 2] = [
        (
            &["odds", "road", "--limit", "500"],
            "of all chances were counted; the rest is not known",
        ),
        (
            &[
                "compare", "road", "--with", "", "--with", "mix", "--limit", "500",
            ],
            "ford",
        ),
    ];
    for (args, part) in commands {
        let mut child = Command::new(env!("CARGO_BIN_EXE_casebook"));
        let child = child
            .args(args)
            .current_dir(&folder.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        std::thread::sleep(Duration::from_millis(1500));
        let sent = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("a signal is sent");
        assert!(sent.success());
        let start = Instant::now();
        let output = child.wait_with_output().expect("it ends");
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{args:?} goes on for {:?}",
            start.elapsed()
        );
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && out.contains(part),
            "{args:?}: {out}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
