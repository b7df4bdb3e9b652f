//! Battles to their end, as one writes them from the guide, beside plain Python programs for each: `cargo bench --bench battles`. PYTHON names
//! the interpreter. Ours are exact, Python's are floating-point numbers; both have to agree.

mod common;
#[path = "common/python.rs"]
mod python;

use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use casebook::situation::overrides::Overrides;
use common::{count_odds, load_situation, median};
use python::run_peers;
use std::sync::Arc;

/// A situation of a test game, with these figures.
fn test_game(game: &str, situation: &str, figures: &[(&str, u32)]) -> Situation {
    let folder = format!("{}/tests/{game}", env!("CARGO_MANIFEST_DIR"));
    let library = casebook::open(folder.as_ref()).expect("the test game is there");
    let figures: Vec<(String, String)> = figures
        .iter()
        .map(|(name, value)| (format!("given: {name}"), value.to_string()))
        .collect();
    let overrides = Overrides::parse_all(&figures).expect("the figures are there");
    Situation::with_overrides(
        &library,
        &RulesetSpec::new(game, &[]),
        situation,
        &overrides,
    )
    .expect("the data are sound")
}

/// Both sides throw a die until these differ.
fn ties() -> Situation {
    let rule = "//! case: \"1.1\"\n//! title: Duel\n//! kind: rule\n//! procedure: duel\n//! text: Ties are thrown again.\n\n\
        fn duel(given) {\n    let a = 0;\n    let b = 0;\n    while a == b {\n        a = roll(\"1d6\", \"attacker\");\n        \
        b = roll(\"1d6\", \"defender\");\n    }\n    result(\"winner\", if a > b { \"attacker\" } else { \"defender\" });\n}\n";
    let files = Files::default()
        .with_text(
            "rules/ties/game.yaml",
            "game: ties\ntitle: Ties\nsides: [Red, Blue]\nprocedures: { duel: A duel. }\n",
        )
        .with_text("rules/ties/01-duel/1.1-duel.rhai", rule)
        .with_text(
            "scenarios/ties/duel.yaml",
            "situation: duel\ntitle: A duel\nprocedure: duel\n",
        );
    load_situation(&Arc::new(Library::new(files)), "ties", &[], "duel")
}

fn main() {
    let armies =
        |attackers: u32, defenders: u32| [("attackers", attackers), ("defenders", defenders)];
    let rows = [
        (
            "risk 50",
            "Risk in one loop, 50 against 50",
            test_game("risk", "assault", &armies(50, 50)),
        ),
        (
            "risk 100",
            "Risk in one loop, 100 against 100",
            test_game("risk", "assault", &armies(100, 100)),
        ),
        (
            "by rounds",
            "Risk by rounds, 90 against 100",
            test_game("risk", "rounds", &armies(90, 100)),
        ),
        (
            "mixed",
            "28 mixed units against 27",
            test_game("axis", "battle", &[]),
        ),
        ("ties", "ties thrown again", ties()),
    ];
    let peers = run_peers("battles.py");
    println!(
        "{:<44} {:>12} {:>14} {:>8} {:>8}",
        "", "casebook", "Python", "times", "states"
    );
    for (key, name, situation) in rows {
        let result = count_odds(&situation, 2);
        let wins = result.odds.outcomes["winner"].chance("attacker").to_f64();
        let time = median(3, 1, || count_odds(&situation, 2)).as_secs_f64() * 1e3;
        let peer = peers.iter().find(|(known, ..)| known == key);
        if let Some((_, _, theirs)) = peer {
            let theirs: f64 = theirs.parse().expect("a number");
            assert!(
                (wins - theirs).abs() < 1e-9,
                "{name}: {wins} here, {theirs} there"
            );
        }
        let theirs = peer.map(|(_, theirs, _)| {
            (
                format!("{:.1} ms", theirs / 1e3),
                format!("{:.2}", theirs / 1e3 / time),
            )
        });
        let (their_time, times) = theirs.unwrap_or_default();
        println!(
            "{name:<44} {time:>9.1} ms {their_time:>14} {times:>8} {:>8}",
            result.counted.states
        );
    }
}
