//! Questions on pools of dice, beside icepool: `cargo bench --bench pools` after `pip install icepool==2.1.3`. PYTHON names the
//! interpreter that has it; without it only our own times are shown. All chances of all outcomes have to be equal.

mod common;
#[path = "common/python.rs"]
mod python;

use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::odds::distribution::NO_OUTCOME;
use common::{count_odds, load_situation, median};
use python::run_peers;
use std::sync::Arc;

/// The questions by their names in pools.py, each as an expression.
const QUESTIONS: [(&str, &str, &str); 14] = [
    (
        "keep 3 of 4",
        "4d6, the highest 3 added",
        "roll(\"4d6kh3\", \"pool\")",
    ),
    (
        "keep 3 of 10",
        "10d10, the highest 3 added",
        "roll(\"10d10kh3\", \"pool\")",
    ),
    (
        "best against best",
        "the best of 3d20 above the best of 2d20",
        "roll(\"3d20kh1\", \"own\") > roll(\"2d20kh1\", \"other\")",
    ),
    (
        "sets",
        "how many of each face 5d6 show",
        "counts(sets(faces(\"5d6\", \"pool\")))",
    ),
    (
        "hits against hits",
        "more hits on 5 of 5d6 than of 4d6",
        "hits(\"5d6\", 5, \"own\") > hits(\"4d6\", 5, \"other\")",
    ),
    (
        "pairs",
        "4d6 against 4d6, pair by pair",
        "pairs_won(faces(\"4d6\", \"own\"), faces(\"4d6\", \"other\"))",
    ),
    (
        "exploding sum",
        "6d6, sixes thrown on up to 3 times, added",
        "roll(\"6d6!3\", \"pool\")",
    ),
    (
        "exploding hits",
        "dice of 8d10 that come to 8, tens thrown on",
        "hits(\"8d10!2\", 8, \"pool\")",
    ),
    (
        "rerolled sum",
        "6d6, ones thrown again, added",
        "roll(\"6d6r1\", \"pool\")",
    ),
    (
        "thirty-six rerolled",
        "36d6, ones thrown again, added",
        "roll(\"36d6r1\", \"pool\")",
    ),
    (
        "hits of thirty-six",
        "dice of 36d6 that show 5 or more, ones thrown again",
        "hits(\"36d6r1\", 5, \"pool\")",
    ),
    (
        "keep 5 that explode",
        "10d10, tens thrown on up to 6 times, the highest 5 added",
        "roll(\"10d10!6kh5\", \"pool\")",
    ),
    ("two hundred", "200d6, added", "roll(\"200d6\", \"pool\")"),
    (
        "own faces",
        "three hits and a flag of six battle dice",
        "is_driven_back(faces(\"6 battle\", \"pool\"))",
    ),
];

const MANIFEST: &str = "game: pools\ntitle: Pools\nsides: [Red, Blue]\ndice: { battle: [hit, hit, flag, retreat, star, miss] }\n\
                        procedures: { answer: A pool is thrown. }\n";

/// Functions that the questions share.
const FUNCTIONS: &str = "private fn counts(sets) {\n    let text = \"\";\n    for one in sets { text += if text == \"\" { `${one[0]}` } else { ` ${one[0]}` }; }\n    text\n}\n\n\
private fn pairs_won(own, other) {\n    let won = 0;\n    for i in 0..own.len() { if own[i] > other[i] { won += 1; } }\n    won\n}\n\n\
private fn is_driven_back(thrown) { thrown.where(|face| face == \"hit\").len() >= 3 && \"flag\" in thrown }\n";

/// A game of one procedure, whose outcome is the answer of a question.
fn game(question: &str) -> Arc<Library> {
    let rule = format!(
        "//! case: \"1.1\"\n//! title: Answer\n//! kind: rule\n//! procedure: answer\n//! text: A pool is thrown.\n\n\
         fn answer(given) {{ result(\"answer\", {question}); }}\n\n{FUNCTIONS}"
    );
    let files = Files::default()
        .with_text("rules/pools/game.yaml", MANIFEST)
        .with_text("rules/pools/01-pools/1.1-answer.rhai", &rule)
        .with_text(
            "scenarios/pools/one.yaml",
            "situation: one\ntitle: One question\nprocedure: answer\n",
        );
    Arc::new(Library::new(files))
}

fn main() {
    let peers = run_peers("pools.py");
    println!(
        "{:<44} {:>12} {:>14} {:>8}",
        "", "casebook", "icepool", "times"
    );
    for (key, name, question) in QUESTIONS {
        let situation = load_situation(&game(question), "pools", &[], "one");
        let odds = count_odds(&situation, 1).odds;
        let mut chances: Vec<(&str, String)> = odds.outcomes["answer"]
            .iter()
            .map(|(value, chance)| (value, chance.to_string()))
            .collect();
        chances.retain(|(value, _)| *value != NO_OUTCOME);
        chances.sort();
        let values: Vec<String> = chances
            .iter()
            .map(|(value, chance)| format!("{value}: {chance}"))
            .collect();
        let time = median(15, 3, || count_odds(&situation, 1)).as_secs_f64() * 1e6;
        let peer = peers.iter().find(|(known, ..)| known == key);
        if let Some((_, _, theirs)) = peer {
            assert_eq!(values.join("; "), *theirs, "{name}: both reckon the same");
        }
        let theirs = peer
            .map(|(_, theirs, _)| (format!("{theirs:.0} µs"), format!("{:.1}", theirs / time)))
            .unwrap_or_default();
        println!("{name:<44} {time:>9.1} µs {:>14} {:>8}", theirs.0, theirs.1);
    }
}
