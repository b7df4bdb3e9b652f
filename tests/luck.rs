//! `luck`: the effects of throws and choices on an outcome, how unlikely the outcome was, and tests of dice.

use crate::common::server::Served;
use crate::common::stacks::built_in;
use crate::common::{Folder, Items, Says, campaign, repository};
use casebook::luck::account::{LuckReport, LuckStep, ProcedureLuck};
use casebook::luck::fairness::chi_square_tail;
use casebook::luck::stake::Stake;
use casebook::odds::distribution::NO_OUTCOME;
use casebook::odds::fraction::Fraction;
use casebook::ruling::journal::Journal;
use casebook::ruling::moves::JournalMove;
use casebook::ruling::session::{Session, WaitingFor};
use casebook::usecase::luck::{LuckSettings, luck as luck_of, of_session};
use casebook::usecase::settings::CountLimits;
use casebook::{Answers, Face, Library, RulesetSpec, Situation};
use rand::Rng;
use rand_pcg::Pcg32;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(60);

/// Situations of several procedures in several games that can be counted, with the outcomes that are measured.
fn subjects() -> Vec<(Situation, &'static str)> {
    let game_library = |folder: &str| casebook::open(&repository().join(folder)).expect("a game");
    let built_in = built_in();
    let load = |library: &Arc<Library>, game: &str, with: &[&str], name: &str| {
        Situation::load(library, &RulesetSpec::new(game, with), name).expect(name)
    };
    vec![
        (
            load(
                &game_library("tests/skirmish"),
                "skirmish",
                &["errata"],
                "bridge",
            ),
            "defender losses - attacker losses",
        ),
        (
            load(&game_library("tests/risk"), "risk", &[], "battle"),
            "winner = attacker",
        ),
        (
            load(&built_in, "wbts", &["hardy"], "back-to-the-river"),
            "defender losses - attacker losses",
        ),
        (load(&built_in, "wbts", &[], "attack-from-march"), "retreat"),
        (load(&built_in, "banasik", &[], "volley"), "hits"),
        (
            load(&built_in, "tmag", &[], "volley-into-64"),
            "defender losses >= 1",
        ),
        (
            load(&game_library("tests/decks"), "decks", &[], "late-trick"),
            "trick = Red",
        ),
    ]
}

/// Plays a situation with the dice of a seed. With `any` each choice takes an option drawn from the seed, else the first.
fn play(situation: &Situation, seed: u64, any: bool) -> (Session, Vec<JournalMove>) {
    let mut generator = Pcg32::new(seed, 77);
    let mut session = Session::begin(situation.deep_clone(), seed, false).expect("it begins");
    loop {
        match session.waiting_for().clone() {
            WaitingFor::Finished(_) => break,
            WaitingFor::Throw(_) => session.roll(),
            WaitingFor::Choice(asked) => session.choose(if any {
                generator.next_u32() as usize % asked.options.len()
            } else {
                0
            }),
        }
        .expect("it goes on");
    }
    let moves = session.moves();
    (session, moves)
}

fn account(situation: &Situation, moves: &[JournalMove], settings: &LuckSettings) -> LuckReport {
    let stop = AtomicBool::new(false);
    let session = Session::begin(situation.deep_clone(), 1, false).expect("it begins");
    of_session(session, moves, &[], settings, CountLimits::new(TIME, &stop)).expect("an account")
}

fn only(report: LuckReport) -> Option<ProcedureLuck> {
    assert_eq!((report.unmeasured.len(), report.left_out), (0, 0));
    report.procedures.into_iter().next()
}

fn first_options(measure: &str) -> LuckSettings {
    LuckSettings {
        measure: Some(measure.into()),
        policies: vec![("all".into(), "first".into())],
        ..LuckSettings::default()
    }
}

/// The value of a stake for the outcomes of a ruling.
fn outcome(session: &Session, stake: &Stake) -> Fraction {
    let ruling = session.ruling();
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Bool(flag) => if *flag { "yes" } else { "no" }.into(),
        other => other.to_string(),
    };
    if ruling.refused.is_some() {
        return Fraction::ZERO;
    }
    ruling
        .results
        .iter()
        .fold(Fraction::ZERO, |sum, (name, value)| {
            &sum + &stake.worth(name, &text(value))
        })
}

/// What was to be expected with first options, from the odds that the library counts.
fn expected(situation: &Situation, stake: &Stake) -> Fraction {
    let mut without_choices = situation.deep_clone();
    without_choices.choices = HashMap::new();
    let odds = Answers::new().odds(&without_choices, TIME).expect("odds");
    assert!(odds.is_complete());
    let mut sum = Fraction::ZERO;
    for (name, values) in odds
        .outcomes
        .iter()
        .filter(|(name, _)| stake.outcomes().contains(name))
    {
        for (value, chance) in values.iter().filter(|(value, _)| *value != NO_OUTCOME) {
            sum += &(&stake.worth(name, value) * chance);
        }
    }
    sum
}

#[test]
fn all_effects_together_are_the_outcome_less_what_was_expected() {
    let (mut throws, mut deviations) = (0, 0);
    for (situation, measure) in subjects() {
        let stake = Stake::parse(measure).expect("a measure");
        let expected = expected(&situation, &stake);
        for seed in 1..=12 {
            let (session, moves) = play(&situation, seed, seed % 2 == 0);
            let Some(luck) = only(account(&situation, &moves, &first_options(measure))) else {
                continue;
            };
            let name = &situation.scenario.name;
            assert_eq!(
                luck.expectation.value, expected,
                "{name}, what is to be expected at the beginning"
            );
            let value = outcome(&session, &stake);
            assert_eq!(luck.last().value, value, "{name}, what came of seed {seed}");
            assert!(luck.is_exact() && luck.is_over && !luck.is_cut);
            assert_eq!(
                &luck.dice() + &luck.choices(),
                &value - &expected,
                "{name}, the effects of seed {seed}"
            );
            throws += luck.steps.iter().filter(|step| step.is_throw()).count();
            deviations += luck
                .steps
                .iter()
                .filter(|step| !step.is_throw() && !step.effect.is_zero())
                .count();
        }
    }
    assert!(
        throws > 200 && deviations > 10,
        "{throws} throws, and {deviations} choices that mattered"
    );
}

#[test]
fn the_effects_of_all_faces_of_a_throw_come_to_nothing() {
    let mut tried = 0;
    for (situation, measure) in subjects() {
        let (_, moves) = play(&situation, 3, false);
        let Some(index) =
            moves.iter().position(|journal_move| matches!(journal_move, JournalMove::Throw { faces, .. } if faces.len() == 1))
        else {
            continue;
        };
        let JournalMove::Throw { dice, purpose, .. } = &moves[index] else {
            unreachable!()
        };
        let Some(sides) = dice
            .strip_prefix("1d")
            .and_then(|sides| sides.parse::<i64>().ok())
        else {
            continue;
        };
        let mut sum = Fraction::ZERO;
        for face in 1..=sides {
            let thrown = JournalMove::Throw {
                dice: dice.clone(),
                purpose: purpose.clone(),
                faces: vec![Face::Number(face)],
            };
            let luck = only(account(
                &situation,
                &[&moves[..index], &[thrown]].concat(),
                &first_options(measure),
            ))
            .expect("an account");
            sum += &luck.steps[index].effect;
            tried += 1;
        }
        assert!(sum.is_zero(), "{}: {sum}", situation.scenario.name);
    }
    assert!(tried >= 24, "{tried} faces");
}

#[test]
fn against_best_play_no_choice_gains_anything() {
    let (situation, measure) = subjects().swap_remove(2);
    let [best, worst] = ["Confederate", "Union"];
    let policies = vec![
        (best.to_string(), "best".to_string()),
        (worst.to_string(), "worst".to_string()),
    ];
    let settings = LuckSettings {
        measure: Some(measure.into()),
        good_for: Some(best.into()),
        policies,
        strict: false,
    };
    let mut lost = 0;
    for seed in 1..=10 {
        let (session, moves) = play(&situation, seed, true);
        let luck = only(account(&situation, &moves, &settings)).expect("an account");
        assert_eq!(luck.last().value, outcome(&session, &luck.stake));
        for step in luck.steps.iter().filter(|step| !step.is_throw()) {
            let choice = step.choice.as_ref().expect("a choice");
            let JournalMove::Choice { side, .. } = &step.made else {
                continue;
            };
            let (_, gave) = choice.gave_away.as_ref().expect("counted");
            let gain = if side == best {
                step.effect.clone()
            } else {
                &Fraction::ZERO - &step.effect
            };
            assert_eq!(
                &Fraction::ZERO - gave,
                gain,
                "what it gives away is its effect"
            );
            assert!(*gave >= Fraction::ZERO);
            lost += usize::from(!gave.is_zero());
        }
    }
    assert!(lost > 1, "{lost} choices gave something away");
}

/// The greatest distance between the shares of a sample and those of the uniform distribution.
fn distance_from_uniform(mut sample: Vec<f64>) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = |(place, value): (usize, &f64)| {
        (value - place as f64 / n)
            .abs()
            .max(((place + 1) as f64 / n - value).abs())
    };
    sample.iter().enumerate().map(distance).fold(0.0, f64::max)
}

/// Outcomes are discrete, so a point drawn between the chance to be luckier and the chance to be at least as lucky is what is uniform.
/// `CASEBOOK_LUCK_BATTLES=100000` tries more and larger battles.
#[test]
fn chances_of_luck_are_uniform_over_seeded_battles() {
    let battle_count: Option<u64> = std::env::var("CASEBOOK_LUCK_BATTLES")
        .ok()
        .and_then(|n| n.parse().ok());
    let battles = battle_count.unwrap_or(300);
    let (situation, measure) = subjects().swap_remove(if battle_count.is_some() { 2 } else { 0 });
    let settings = first_options(measure);
    let mut generator = Pcg32::new(5, 5);
    let mut points = Vec::new();
    for seed in 1..=battles {
        let (_, moves) = play(&situation, seed, false);
        let luck = only(account(&situation, &moves, &settings)).expect("an account");
        let chance = luck.chance.expect("a chance");
        let exact = |tail: Option<Fraction>| tail.expect("it is exact");
        let (at_least, at_most) = (exact(chance.at_least.exact), exact(chance.at_most.exact));
        let equal = &(&at_least + &at_most) - &Fraction::ONE;
        assert!(equal > Fraction::ZERO, "what came has a chance");
        let part = f64::from(generator.next_u32()) / f64::from(u32::MAX);
        points.push(at_least.to_f64() - part * equal.to_f64());
    }
    // The critical value of Kolmogorov and Smirnov at 1 %.
    let (distance, limit) = (
        distance_from_uniform(points),
        1.628 / (battles as f64).sqrt(),
    );
    assert!(distance < limit, "{distance} of {limit}, {battles} battles");
    assert!(
        distance_from_uniform((0..500).map(|n| f64::from(n * n) / 250_000.0).collect())
            > 1.628 / 500f64.sqrt(),
        "it finds others"
    );
}

#[test]
fn what_cannot_be_counted_is_sampled_and_says_so() {
    let (situation, measure) = subjects().swap_remove(1);
    let (session, moves) = play(&situation, 4, false);
    let stop = AtomicBool::new(false);
    let second = Session::begin(situation.deep_clone(), 1, false).expect("it begins");
    let limits = CountLimits {
        memory: 1 << 12,
        ..CountLimits::new(Duration::from_secs(3), &stop)
    };
    let settings = first_options(measure);
    let stake = Stake::parse(measure).expect("a measure");
    let expected = expected(&situation, &stake);
    let luck = of_session(second, &moves, &[], &settings, limits)
        .expect("an account")
        .procedures
        .remove(0);
    assert!(!luck.is_exact() && luck.ended.is_some());
    let error = luck.expectation.error.expect("an error");
    assert!(
        (luck.expectation.value.to_f64() - expected.to_f64()).abs() < 6.0 * error,
        "{} ± {error}",
        luck.expectation.value
    );
    if !luck.is_cut {
        assert_eq!(
            &luck.dice() + &luck.choices(),
            &outcome(&session, &stake) - &luck.expectation.value,
            "the sum is exact all the same"
        );
        let chance = luck.chance.expect("a chance").at_least;
        assert!(
            chance.exact.is_none()
                && chance.error.is_some_and(|error| error > 0.0)
                && chance.runs > 0
        );
    }
}

#[test]
fn a_game_is_accounted_for_by_procedure() {
    let folder = campaign();
    folder
        .run_with(
            "play bridge --seed 3 --policy all=random --save game.yaml",
            &"\n".repeat(60),
        )
        .expect_success();
    let report = folder.json("luck game.yaml");
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let unmeasured: u64 = list(&report["unmeasured"])
        .iter()
        .filter_map(|one| one["throws"].as_u64())
        .sum();
    assert!(
        unmeasured > 0 && list(&report["procedures"]).is_empty(),
        "{report}"
    );
    let report = folder.json("luck game.yaml --measure 'attacker losses'");
    let procedures = list(&report["procedures"]);
    assert!(procedures.len() > 1, "{report}");
    for procedure in &procedures {
        let number = |key: &str| procedure[key]["value"].as_f64().expect(key);
        assert!(
            (number("dice") + number("choices") - (number("came") - number("expected"))).abs()
                < 1e-9,
            "{procedure}"
        );
    }
}

/// In a whole game every throw is measured by the figure of its procedure's headline that chance can change, and names its side.
#[test]
fn every_throw_of_a_game_of_four_turns_is_measured() {
    let library = built_in();
    let (journal, places) =
        Journal::read(&repository().join("tests/journals/first-manassas.yaml")).expect("a journal");
    let stop = AtomicBool::new(false);
    let settings = LuckSettings::default();
    let report = luck_of(
        &library,
        &journal,
        &places,
        &settings,
        CountLimits::new(TIME * 5, &stop),
    )
    .expect("an account");
    assert_eq!(
        (report.unmeasured.len(), report.left_out),
        (0, 0),
        "{:?}",
        report.unmeasured
    );
    let throws: Vec<&LuckStep> = report
        .procedures
        .iter()
        .flat_map(|luck| &luck.steps)
        .filter(|step| step.is_throw())
        .collect();
    let in_the_journal = journal
        .moves
        .iter()
        .filter(|journal_move| matches!(journal_move, JournalMove::Throw { .. }))
        .count();
    assert!(
        throws.len() == in_the_journal && in_the_journal > 30,
        "{} of {in_the_journal} throws",
        throws.len()
    );
    for luck in &report.procedures {
        let good_for = luck
            .stake
            .good_for
            .clone()
            .unwrap_or_else(|| panic!("nobody gains by {}", luck.stake));
        for step in luck.steps.iter().filter(|step| step.is_throw()) {
            let JournalMove::Throw { purpose, .. } = &step.made else {
                continue;
            };
            let thrower = ["Union", "Confederate"]
                .into_iter()
                .find(|side| purpose.ends_with(side))
                .or(match purpose.split(": ").nth(1) {
                    Some("McDowell") => Some("Union"),
                    Some("Beauregard" | "J. Johnston" | "Magruder") => Some("Confederate"),
                    _ => None,
                });
            assert_eq!(step.side.as_deref(), thrower, "{}", step.made);
            assert!(
                thrower.is_some() || purpose == "combat result",
                "{}",
                step.made
            );
            let gaining_side = if step.effect > Fraction::ZERO {
                Some(&good_for)
            } else {
                None
            };
            assert_eq!(
                step.gained.as_ref() == Some(&good_for),
                gaining_side.is_some(),
                "{}",
                step.made
            );
            assert_eq!(
                step.gained.is_none(),
                step.effect.is_zero(),
                "{}",
                step.made
            );
        }
        // Throws for initiative always count, by their consequence or as an outcome.
        if luck
            .steps
            .iter()
            .any(|step| step.is_throw() && step.made.to_string().contains("initiative"))
        {
            assert!(luck.varies, "{} by {}", luck.procedure, luck.stake);
        }
    }
}

/// A copy of the small game with a journal of its battle.
fn journal() -> Folder {
    let folder = Folder::skirmish();
    folder.ok("resolve bridge --seed 7 --save battle.yaml");
    folder
}

#[test]
fn play_says_after_each_procedure_what_the_dice_did() {
    let card = "rules/skirmish/01-battle/1.1-attack.rhai";
    let alone = Folder::skirmish();
    alone.replace(
        card,
        "//! procedure: attack\n",
        "//! procedure: attack\n//! headline: { losses: mean defender losses }\n//! good_for: { defender losses: side }\n",
    );
    let played = alone
        .run_with("play bridge --seed 7 --save b.yaml", &"\n".repeat(9))
        .expect_success()
        .out;
    let line = played
        .lines()
        .find(|line| line.starts_with("luck · "))
        .expect("a line on luck");
    line.holds("for Red");
    line.holds("was to be expected");
    let report = alone.out("luck b.yaml").replace("\n  ", " ");
    assert!(
        report.contains(
            line.trim_start_matches("luck · defender")
                .trim_end_matches('.')
        ),
        "{line}\n{report}"
    );
}

#[test]
fn the_sides_of_a_card_keep_the_balance() {
    let folder = journal();
    let card = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(card, "//! readings:\n", "//! headline: { losses: [mean attacker losses, mean defender losses] }\n//! good_for: { defender losses: side, attacker losses: enemy of side }\n//! readings:\n");
    folder.ok("check");
    let report = folder.json("luck battle.yaml");
    let luck = &report["procedures"][0];
    assert_eq!(
        (luck["measure"].as_str(), luck["good_for"].as_str()),
        (Some("defender losses - attacker losses"), Some("Red"))
    );
    let throws: Vec<&serde_json::Value> = luck["moves"]
        .items()
        .filter(|step| step["move"]["throw"].is_string())
        .collect();
    let is_named =
        |step: &&&serde_json::Value| match step["effect"]["value"].as_f64().expect("an effect") {
            effect if effect > 0.0 => step["gained"] == "Red",
            effect if effect < 0.0 => step["gained"] == "Blue",
            _ => step["gained"].is_null(),
        };
    assert!(
        throws.len() == 1
            && throws.iter().all(|step| is_named(&step))
            && !throws[0]["gained"].is_null(),
        "{luck}"
    );
    let text = folder.out("luck battle.yaml");
    let line = text
        .lines()
        .find(|line| line.contains("1d6 for attack"))
        .expect("a line");
    assert!(
        text.contains("good for") && line.contains(throws[0]["gained"].as_str().expect("a side")),
        "{text}"
    );
    assert!(
        text.contains("more is good for Red") && text.contains("dice at least as good for Red")
            || text.contains("Dice at least as good for Red"),
        "{text}"
    );
    let served = Served::start(&folder.0);
    let (status, run) = served.request_with_token(
        "POST",
        "/journal",
        &json!({ "journal": folder.read("battle.yaml") }),
    );
    let address = run["address"]
        .as_str()
        .unwrap_or_else(|| panic!("{status} {run}"));
    let page = served.page_text(&format!("{address}&part=luck"));
    let gained_cell = format!("<td>{}</td>", throws[0]["gained"].as_str().expect("a side"));
    page.holds("good for</th>");
    page.holds(&gained_cell);
    drop(served);
    let blue = folder.json("luck battle.yaml --measure 'attacker losses'");
    assert_eq!(blue["procedures"][0]["good_for"], "Blue");
    for (key, wrong, suggestion) in [
        (
            "defender losses: side",
            "defender loses: side",
            "defender losses",
        ),
        ("enemy of side", "enemy of sid", "side"),
    ] {
        let text = folder.read(card);
        folder.replace(card, key, wrong);
        let run = folder.run("check");
        run.ends(1);
        run.out.holds(format!("did you mean `{suggestion}`"));
        folder.write(card, text);
    }
}

#[test]
fn bad_input_is_answered_by_complaints() {
    let folder = journal();
    folder.write("notes.yaml", "some: thing\n");
    folder.write(
        "damaged.yaml",
        folder
            .read("battle.yaml")
            .replace("faces: [4]", "faces: [9]"),
    );
    folder.write(
        "asked.yaml",
        folder
            .read("battle.yaml")
            .replace("for: attack", "for: retreat"),
    );
    folder.write(
        "other.yaml",
        folder
            .read("battle.yaml")
            .replace("with: []", "with: [errat]"),
    );
    folder.write("copy.yaml", folder.read("battle.yaml"));
    let mut output = String::new();
    for args in [
        &["luck"][..],
        &["luck", "none.yaml"],
        &["luck", "notes.yaml"],
        &["luck", "damaged.yaml"],
        &["luck", "asked.yaml"],
        &["luck", "other.yaml"],
        &["luck", "battle.yaml", "--measure", "attacker loses"],
        &["luck", "battle.yaml", "--measure", "attacker losses = 9"],
        &["luck", "battle.yaml", "--measure", "attacker losses -"],
        &["luck", "battle.yaml", "--for", "Rde"],
        &["luck", "battle.yaml", "--policy", "Red=all"],
        &["luck", "battle.yaml", "--policy", "Red=best"],
        &["luck", "battle.yaml", "damaged.yaml"],
        &["luck", "battle.yaml", "copy.yaml"],
        &[
            "luck",
            "battle.yaml",
            "--dice",
            "--measure",
            "attacker losses",
        ],
    ] {
        let run = folder.run(args);
        assert!(
            run.status == Some(1) || run.status == Some(2),
            "{}",
            run.terminal_output()
        );
        output += &run.terminal_output();
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => true }, { insta::assert_snapshot!("bad-input", output) });
}

#[test]
fn loaded_dice_are_found_and_fair_ones_are_not() {
    let folder = Folder::skirmish();
    let journal = |faces: &mut dyn FnMut() -> i64, name: &str| {
        let face = faces();
        let text = format!(
            "journal: 2\ngame: skirmish\nsituation: bridge\nwith: []\nmoves:\n  - {{ throw: \"1d6\", for: attack, faces: [{face}] }}\n"
        );
        folder.write(name, text);
    };
    let mut names = Vec::new();
    for number in 0..60 {
        // One face falls in half of all throws.
        journal(
            &mut || {
                if number % 2 == 0 {
                    6
                } else {
                    number / 2 % 6 + 1
                }
            },
            &format!("{number}.yaml"),
        );
        names.push(format!("{number}.yaml"));
    }
    let run = |names: &[String]| {
        let args: Vec<&str> = ["luck", "--format", "json"]
            .into_iter()
            .chain(names.iter().map(String::as_str))
            .collect();
        folder.json(&args)
    };
    let report = run(&names);
    let test = &report["tests"][0];
    let counts: Vec<f64> = test["faces"]
        .items()
        .map(|face| face["count"].as_f64().expect("a count"))
        .collect();
    let by_hand: f64 = counts
        .iter()
        .map(|count| (count - 10.0).powi(2) / 10.0)
        .sum();
    assert_eq!(
        (counts.iter().sum::<f64>(), test["chi_square"].as_f64()),
        (60.0, Some(by_hand))
    );
    assert!(test["chance"].as_f64().expect("a chance") < 1e-6, "{test}");
    assert_eq!(test["chance"].as_f64(), chi_square_tail(by_hand, 5));
    assert_eq!(
        (report["tests"][1]["for"].as_str(), test["for"].as_str()),
        (Some("attack"), None)
    );
    for number in 0..60 {
        journal(&mut || number % 6 + 1, &format!("{number}.yaml"));
    }
    assert_eq!(run(&names)["tests"][0]["chance"], 1.0);
    let few = folder.out("luck --dice 1.yaml");
    few.holds("too few for a verdict");
    let cards = Folder::copy_of(&repository().join("tests/decks"), &["rules", "scenarios"]);
    cards.ok("resolve late-trick --save trick.yaml");
    let report = cards.out("luck --dice trick.yaml");
    report.holds("of cards or lots");
    report.holds("not tested");
    let two = folder.out("luck 1.yaml 2.yaml");
    two.holds("Bonferroni");
}
