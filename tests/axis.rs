//! A battle of mixed units as a test game, `tests/axis`, as one writes it at first. It is fought to its end, and in some rounds nobody hits: its
//! odds are exact, and those of a small program.

use crate::common::{Folder, repository};
use serde_json::Value;

/// The units of a side from the cheapest to the dearest, with their number.
type Units = [usize; 5];

const NAMES: [[&str; 5]; 2] = [
    ["infantry", "artillery", "tanks", "fighters", "bombers"],
    [
        "defending_infantry",
        "defending_artillery",
        "defending_tanks",
        "defending_fighters",
        "",
    ],
];

/// What is left of a side that has lost so many units.
fn left(units: Units, mut lost: usize) -> Units {
    units.map(|number| {
        let gone = number.min(lost);
        lost -= gone;
        number - gone
    })
}

/// The chance of each number of hits of dice that hit with so many of their six faces.
fn hits(faces: impl Iterator<Item = usize>) -> Vec<f64> {
    faces.fold(vec![1.0], |chances, faces| {
        let hit = faces as f64 / 6.0;
        let mut more = vec![0.0; chances.len() + 1];
        for (hits, chance) in chances.into_iter().enumerate() {
            more[hits] += chance * (1.0 - hit);
            more[hits + 1] += chance * hit;
        }
        more
    })
}

fn attack([infantry, artillery, tanks, fighters, bombers]: Units) -> Vec<f64> {
    let paired = infantry.min(artillery);
    let groups = [
        (infantry - paired, 1),
        (paired + artillery, 2),
        (tanks + fighters, 3),
        (bombers, 4),
    ];
    hits(
        groups
            .into_iter()
            .flat_map(|(number, faces)| std::iter::repeat_n(faces, number)),
    )
}

fn defence([infantry, artillery, tanks, fighters, _]: Units) -> Vec<f64> {
    let groups = [(infantry + artillery, 2), (tanks, 3), (fighters, 4)];
    hits(
        groups
            .into_iter()
            .flat_map(|(number, faces)| std::iter::repeat_n(faces, number)),
    )
}

/// The chance of each pair of losses at the end of the battle.
fn by_program(attackers: Units, defenders: Units) -> Vec<Vec<f64>> {
    let [most, most_defending] = [attackers, defenders].map(|units| units.iter().sum::<usize>());
    let mut chances = vec![vec![0.0; most_defending + 1]; most + 1];
    chances[0][0] = 1.0;
    for lost in 0..most {
        for killed in 0..most_defending {
            let here = std::mem::take(&mut chances[lost][killed]);
            let (own, other) = (
                attack(left(attackers, lost)),
                defence(left(defenders, killed)),
            );
            let again = own[0] * other[0];
            for (hits, chance) in own.iter().enumerate() {
                for (back, of) in other.iter().enumerate().filter(|(back, _)| hits + back > 0) {
                    chances[(lost + back).min(most)][(killed + hits).min(most_defending)] +=
                        here * chance * of / (1.0 - again);
                }
            }
        }
    }
    chances
}

/// The odds of a battle in JSON.
fn battle(folder: &Folder, units: [Units; 2]) -> Value {
    let mut args: Vec<String> = ["odds", "battle", "--format", "json"]
        .map(String::from)
        .into();
    for (names, units) in NAMES.iter().zip(units) {
        for (name, number) in names.iter().zip(units).filter(|(name, _)| !name.is_empty()) {
            args.extend(["--set".into(), format!("given: {name}={number}")]);
        }
    }
    folder.json(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn percent(odds: &Value, outcome: &str, value: &str) -> f64 {
    let find = |list: &Value, key: &str, name: &str| {
        list.as_array()
            .and_then(|list| list.iter().find(|one| one[key] == name))
            .cloned()
            .unwrap_or_default()
    };
    find(
        &find(&odds["outcomes"], "outcome", outcome)["values"],
        "value",
        value,
    )["percent"]
        .as_f64()
        .unwrap_or(0.0)
}

fn axis() -> Folder {
    Folder::copy_of(&repository().join("tests/axis"), &["rules", "scenarios"])
}

#[test]
fn the_rules_are_sound() {
    axis().ok("check");
}

#[test]
fn a_battle_of_mixed_units_is_counted_to_its_end() {
    let folder = axis();
    for units in [
        [[1, 1, 1, 0, 0], [1, 0, 1, 0, 0]],
        [[2, 1, 2, 1, 1], [3, 1, 1, 1, 0]],
        [[4, 2, 2, 2, 1], [5, 1, 2, 2, 0]],
    ] {
        let odds = battle(&folder, units);
        assert_eq!(odds["complete"], true, "{units:?}: {}", odds["ended"]);
        let program = by_program(units[0], units[1]);
        let [most, most_defending] = units.map(|units| units.iter().sum::<usize>());
        for (lost, row) in program.iter().enumerate().take(most + 1) {
            let chance: f64 = row.iter().sum();
            let counted = percent(&odds, "attackers left", &(most - lost).to_string());
            assert!(
                (counted - chance * 100.0).abs() < 1e-9,
                "{units:?}: {lost} attackers lost in {counted} %, not {chance}"
            );
        }
        for killed in 0..=most_defending {
            let chance: f64 = program.iter().map(|row| row[killed]).sum();
            let counted = percent(
                &odds,
                "defenders left",
                &(most_defending - killed).to_string(),
            );
            assert!(
                (counted - chance * 100.0).abs() < 1e-9,
                "{units:?}: {killed} defenders killed in {counted} %, not {chance}"
            );
        }
    }
}
