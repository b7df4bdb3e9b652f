//! Times of other tools for the same work, in one run: `cargo bench --bench peers`. They need Python: `pip install icepool zen-engine`,
//! and PYTHON names the interpreter that has them. Without them only our own times are shown.

mod common;
#[path = "common/python.rs"]
mod python;

use casebook::code::program::FunctionSource;
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::odds::distribution::joint_outcomes;
use casebook::odds::fold::Strategy;
use casebook::situation::board::Board;
use casebook::testing::example_run;
use common::{count_odds, load_situation, median};
use python::run_peers;
use std::collections::HashMap;
use std::sync::Arc;

/// A game of one rule: how often a die shows more than the one before it, of seven.
const SEVEN_DICE_GAME: [(&str, &str); 3] = [
    (
        "rules/seven/game.yaml",
        "game: seven\ntitle: Seven dice\nsides: [Red, Blue]\nprocedures: { seven: Seven dice are thrown. }\n",
    ),
    (
        "rules/seven/01-dice/1.1-rises.rhai",
        "//! case: \"1.1\"\n//! title: Rises\n//! kind: rule\n//! procedure: seven\n//! text: Counts the dice that show more than the one before.\n\n\
         fn seven(given) {\n    let rises = 0;\n    let before = 6;\n    for n in range(0, 7) {\n        let die = roll(\"d6\", \"the next\");\n        \
         if die > before { rises += 1; }\n        before = die;\n    }\n    result(\"rises\", rises);\n}\n",
    ),
    (
        "scenarios/seven/seven.yaml",
        "situation: seven\ntitle: Seven dice\nprocedure: seven\n",
    ),
];

fn main() {
    let library = casebook::built_in();
    let leaders = load_situation(&library, "wbts", &["dye"], "leader-wounded");
    let names: Vec<String> = ["A. Johnston", "Beauregard", "Grant", "Sherman"]
        .map(String::from)
        .into();
    let game = SEVEN_DICE_GAME
        .iter()
        .fold(Files::default(), |files, (key, text)| {
            files.with_text(key, text)
        });
    let seven = load_situation(&Arc::new(Library::new(game)), "seven", &[], "seven");
    let mut machine = leaders.machine();
    let start = leaders.initial_board.clone();
    let mut look_up = || {
        let source =
            FunctionSource::Expression("table(\"combat-results\", 5, 150, 3)".into(), Vec::new());
        example_run::run_example(
            &mut machine,
            source,
            Board::new(start.clone()),
            HashMap::new(),
        )
        .map(|tried| tried.value)
        .expect("the cell is there")
    };
    // Results have to be equal, except for the cell, as each tool has its own chart.
    let killed = count_odds(&leaders, 1).odds.outcomes["A. Johnston"]
        .chance("killed")
        .to_string();
    let counted = || count_odds(&leaders, 1).counted;
    let rows = || {
        joint_outcomes(&counted(), &names, &Strategy::default())
            .expect("they add up")
            .expect("not too many")
    };
    let never = count_odds(&seven, 1).odds.outcomes["rises"]
        .chance("6")
        .to_string();
    let rows = [
        (
            "fates",
            "the fates of four leaders, each by itself",
            median(15, 20, || count_odds(&leaders, 1)),
            killed,
            "icepool",
        ),
        (
            "together",
            "the same together, row by row",
            median(7, 3, rows),
            rows().len().to_string(),
            "icepool",
        ),
        (
            "seven",
            "seven dice in order, 279,936 leaves",
            median(7, 20, || count_odds(&seven, 1)),
            never,
            "icepool",
        ),
        (
            "cell",
            "a cell of a table looked up by a rule",
            median(15, 1000, &mut look_up),
            look_up()
                .as_text()
                .map(ToString::to_string)
                .unwrap_or_default(),
            "zen-engine",
        ),
    ];
    let peers = run_peers("peers.py");
    println!("{:<44} {:>12} {:>14} {:>8}", "", "casebook", "", "times");
    for (key, name, time, answer, tool) in rows {
        let peer = peers.iter().find(|(known, ..)| known == key);
        if let Some((_, _, theirs)) = peer.filter(|_| key != "cell") {
            assert_eq!(answer, *theirs, "{name}: both reckon the same");
        }
        let time = time.as_secs_f64() * 1e6;
        let peer_columns = peer
            .map(|(_, theirs, _)| {
                (
                    format!("{tool} {theirs:.0} µs"),
                    format!("{:.1}", theirs / time),
                )
            })
            .unwrap_or_default();
        println!(
            "{name:<44} {time:>9.1} µs {:>20} {:>8}",
            peer_columns.0, peer_columns.1
        );
    }
}
