//! The board game Risk as a test game, `tests/risk`: its odds are compared with published ones and with a small dynamic program.

use crate::blocks::count;
use crate::common::{Folder, Items, Says, repository};
use casebook::odds::block_table::BlockMode;
use casebook::odds::fraction::Fraction;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use serde_json::Value;
use std::collections::BTreeMap;

/// The most armies of a side in the published table.
const MAX: usize = 10;

/// The chance in thousandths that attackers (rows, 1 to 10) beat defenders (columns, 1 to 10), as Osborne published it ("Markov Chains for
/// the RISK Board Game Revisited", Mathematics Magazine 76, 2003): 3 against 3, 5 against 5 and 10 against 10 are known from there, and the
/// other cells were entered as independent programs have them.
const PUBLISHED: [[u32; MAX]; MAX] = [
    [417, 106, 27, 7, 2, 0, 0, 0, 0, 0],
    [754, 363, 206, 91, 49, 21, 11, 5, 3, 1],
    [916, 656, 470, 315, 206, 134, 84, 54, 33, 21],
    [972, 785, 642, 477, 359, 253, 181, 123, 86, 57],
    [990, 890, 769, 638, 506, 397, 297, 224, 162, 118],
    [997, 934, 857, 745, 638, 521, 423, 329, 258, 193],
    [999, 967, 910, 834, 736, 640, 536, 446, 357, 287],
    [1000, 980, 947, 888, 818, 730, 643, 547, 464, 380],
    [1000, 990, 967, 930, 873, 808, 726, 646, 558, 480],
    [1000, 994, 981, 954, 916, 861, 800, 724, 650, 568],
];

fn risk() -> Folder {
    Folder::copy_of(&repository().join("tests/risk"), &["rules", "scenarios"])
}

/// How many states a count of a battle with as many armies on each side has on one thread. On several that depends on which comes first:
/// one may count from a state what another is about to have counted once for all.
fn states(folder: &Folder, situation: &str, armies: u32) -> u64 {
    let library = casebook::open(&folder.0).expect("the game");
    let armies = armies.to_string();
    let figures = [
        ("given: attackers", armies.as_str()),
        ("given: defenders", armies.as_str()),
    ];
    let spec = RulesetSpec::new("risk", &[]);
    let battle = Situation::with_figures(&library, &spec, situation, &figures);
    count(&battle.expect("it is sound"), BlockMode::Worthwhile)
        .expect("it is counted")
        .states
}

/// All results of a throw, each sorted from the highest.
fn hands(dice: usize) -> Vec<Vec<u32>> {
    (0..dice).fold(vec![Vec::new()], |hands, _| {
        let longer_hands = hands
            .iter()
            .flat_map(|hand| (1..=6).map(move |die| [&hand[..], &[die]].concat()));
        longer_hands
            .map(|mut hand| {
                hand.sort_by(|a, b| b.cmp(a));
                hand
            })
            .collect()
    })
}

/// The number of results of one round for each loss of the attacker.
fn rounds(attack: usize, defence: usize) -> BTreeMap<usize, i64> {
    let mut counts = BTreeMap::new();
    for attack_dice in hands(attack) {
        for defence_hand in hands(defence) {
            *counts
                .entry(
                    attack_dice
                        .iter()
                        .zip(&defence_hand)
                        .filter(|(attack_dice, other)| attack_dice <= other)
                        .count(),
                )
                .or_insert(0) += 1;
        }
    }
    counts
}

/// The attackers' chance by a dynamic program over the remaining armies, up to `most` of each side.
fn by_program(max: usize) -> BTreeMap<(usize, usize), Fraction> {
    let mut chances = BTreeMap::new();
    for attackers in 0..=max {
        for defenders in 0..=max {
            let chance = if attackers == 0 || defenders == 0 {
                Fraction::from_integer(i64::from(defenders == 0))
            } else {
                let counts = rounds(attackers.min(3), defenders.min(2));
                let total = Fraction::from_integer(counts.values().sum());
                let compared = attackers.min(defenders).min(2);
                counts.iter().fold(Fraction::ZERO, |sum, (lost, counts)| {
                    let ahead: &Fraction =
                        &chances[&(attackers - lost, defenders - (compared - lost))];
                    &sum + &(&(&Fraction::from_integer(*counts) / &total) * ahead)
                })
            };
            chances.insert((attackers, defenders), chance);
        }
    }
    chances
}

/// The chance that the attackers win, as odds in JSON state it: "0" if they never do.
fn attackers_win(odds: &Value) -> String {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let winner = list(&odds["outcomes"])
        .into_iter()
        .find(|one| one["outcome"] == "winner")
        .expect("somebody wins");
    let chance = list(&winner["values"])
        .into_iter()
        .find(|one| one["value"] == "attacker");
    chance.map_or("0".into(), |one| {
        one["chance"].as_str().expect("a fraction").to_string()
    })
}

#[test]
fn the_rules_are_sound_and_their_examples_hold() {
    let folder = risk();
    folder.ok("check");
    folder.ok("test");
}

#[test]
fn odds_are_those_published_and_those_of_a_program_to_the_last_digit() {
    let (folder, program) = (risk(), by_program(MAX));
    for defenders in 1..=MAX {
        let set = format!("given: defenders={defenders}");
        let sweep = format!("given: attackers=1..{MAX}");
        let odds = folder.json(format!("odds battle --set '{set}' --sweep '{sweep}'"));
        assert_eq!(
            odds["complete"], true,
            "with {defenders} defenders not all was counted"
        );
        let points = odds["points"].as_array().expect("a point for each value");
        assert_eq!(points.len(), MAX);
        for (attackers, point) in (1..).zip(points) {
            let (chance, counted) = (
                attackers_win(&point["odds"]),
                &program[&(attackers, defenders)],
            );
            assert_eq!(
                chance,
                counted.to_string(),
                "{attackers} against {defenders}"
            );
            let thousandths = (counted.to_f64() * 1000.0).round() as u32;
            assert_eq!(
                thousandths,
                PUBLISHED[attackers - 1][defenders - 1],
                "{attackers} against {defenders}"
            );
        }
    }
}

/// Functions that throw and change nothing are merged by their result: a round has three of them, however many hands there are.
#[test]
fn large_battles_are_counted_exactly() {
    let (folder, program) = (risk(), by_program(40));
    let odds = folder
        .run("odds battle --set 'given: attackers=40' --set 'given: defenders=40' --format json");
    let odds = odds.expect_success().json();
    assert_eq!(odds["complete"], true);
    assert_eq!(attackers_win(&odds), program[&(40, 40)].to_string());
    // About one state for each pair of remaining armies.
    let states = states(&folder, "battle", 40);
    assert!(states < 5_000, "{states} states");
}

/// The battle as one writes it at first, in one loop: its body is counted once for all armies that throw the same dice.
#[test]
fn a_battle_in_one_loop_is_counted_as_that_with_functions() {
    let (folder, program) = (risk(), by_program(40));
    for (attackers, defenders) in [(1, 1), (3, 2), (10, 7), (40, 40)] {
        let set = [("attackers", attackers), ("defenders", defenders)]
            .map(|(side, armies)| format!("given: {side}={armies}"));
        let odds = folder.json(&[
            "odds", "assault", "--set", &set[0], "--set", &set[1], "--format", "json",
        ]);
        assert_eq!(odds["complete"], true);
        assert_eq!(
            attackers_win(&odds),
            program[&(attackers, defenders)].to_string(),
            "{attackers} against {defenders}"
        );
    }
    let states = states(&folder, "assault", 40);
    assert!(states < 8_000, "{states} states");
}

/// The number of rounds is added to, and read only at the end: a round is counted once however many there were before.
#[test]
fn a_battle_whose_rounds_are_counted_is_counted_as_fast() {
    let (folder, program) = (risk(), by_program(40));
    let set = ["attackers", "defenders"].map(|side| format!("given: {side}=40"));
    let odds = folder.json(&[
        "odds", "rounds", "--set", &set[0], "--set", &set[1], "--format", "json",
    ]);
    assert_eq!(odds["complete"], true);
    assert_eq!(attackers_win(&odds), program[&(40, 40)].to_string());
    let states = states(&folder, "rounds", 40);
    assert!(states < 12_000, "{states} states");
}

/// A profile names the lines in which states arise, and the variables that keep them apart.
#[test]
fn a_profile_says_where_states_arise() {
    let folder = risk();
    let odds = folder.json("odds assault --profile");
    let place = &odds["profile"][0];
    assert!(
        place["place"]
            .as_str()
            .is_some_and(|place| place.starts_with("1.3-assault:")),
        "{place}"
    );
    let names: Vec<&str> = place["apart"]
        .items()
        .filter_map(|value| value["name"].as_str())
        .collect();
    assert!(
        ["x", "d", "a"].iter().all(|name| names.contains(name)),
        "{place}"
    );
    let states = odds["profile"]
        .items()
        .filter_map(|place| place["states"].as_u64())
        .sum::<u64>();
    assert_eq!(Some(states), odds["states"].as_u64());
    let text = folder.out("odds assault --profile");
    text.holds("States by place");
    text.holds("kept apart by");
}

/// Faces are thrown, typed and written down die by die, and read from the highest on.
#[test]
fn a_hand_is_typed_die_by_die() {
    let folder = risk();
    let small = ["--set", "given: attackers=2", "--set", "given: defenders=1"];
    let typed = folder.out(
        &[
            &["resolve", "battle", "--dice", "1,6,3", "--trace"],
            &small[..],
        ]
        .concat(),
    );
    typed.holds("2d6 for attack: 6 and 1 (1 6)");
    typed.holds("1d6 for defence: 3 (3)");
    typed.holds("The battle ends with 2 attackers and 0 defenders left.");
    let short = folder.run(&[&["resolve", "battle", "--dice", "1"], &small[..]].concat());
    short.ends(1);
    short.err.holds("2d6 for attack takes 2 dice; 1 is left");
}
