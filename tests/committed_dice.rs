//! Dice that can be checked: committed to before the first throw, revealed at the end, verified by anybody.

use crate::common::server::Served;
use crate::common::{Folder, Says, repository};
use casebook::Library;
use casebook::ruling::journal::Journal;
use casebook::ruling::verification::verify;
use serde_json::json;
use std::sync::Arc;

/// The small game with a procedure of six throws, each followed by a question.
fn game() -> Folder {
    let folder = Folder::skirmish();
    folder.write(
        "rules/skirmish/03-long/5.1-long-fight.rhai",
        "//! case: \"5.1\"\n//! title: A long fight\n//! kind: rule\n//! source: { doc: sheet, at: \"5.1\" }\n//! procedure: long fight\n\
         //! text: Dice are thrown six times.\n\nfn long_fight(given) {\n    let sum = 0;\n    for round in 0..6 {\n        \
         sum += roll(\"2d6\", `round ${round}`);\n        if choose(\"Red\", `on after ${round}`, [\"yes\", \"no\"]) == \"no\" { break; }\n    }\n    \
         result(\"sum\", sum);\n}\n",
    );
    folder.replace(
        "rules/skirmish/game.yaml",
        "procedures:\n  attack: The pieces of one hex attack the next.",
        "procedures:\n  attack: The pieces of one hex attack the next.\n  long fight: Dice are thrown.",
    );
    let scenario = folder.read("scenarios/skirmish/bridge.yaml");
    let scenario = scenario
        .replace("situation: bridge", "situation: ford")
        .replace("procedure: attack", "procedure: long fight");
    let without_givens: String = scenario
        .lines()
        .filter(|line| !line.starts_with("given:") && !line.starts_with("choices:"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("scenarios/skirmish/ford.yaml", without_givens);
    folder
}

/// Plays the fight to its end; returns the hash that was printed first.
fn play(folder: &Folder, half: &str) -> String {
    let typed = format!("{half}\n{}", "\n".repeat(20));
    let run = folder
        .run_with("play ford --commit --save game.yaml", &typed)
        .expect_success();
    let hash = run
        .out
        .split("The dice are committed: ")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .expect("the hash is printed");
    assert!(
        run.out.find(hash) < run.out.find("round 0"),
        "before the first throw:\n{}",
        run.out
    );
    hash.to_string()
}

/// What verification says of the text of a journal.
fn refusal(library: &Arc<Library>, text: &str) -> Option<String> {
    let result = Journal::parse("game.yaml", text)
        .and_then(|(journal, places)| verify(library, "game.yaml", &journal, &places, None));
    result.err().map(|error| error.to_string())
}

#[test]
fn every_byte_of_the_commitment_and_of_the_dice_counts() {
    let folder = game();
    folder.ok("check");
    play(&folder, "Union forever");
    let (text, library) = (
        folder.read("game.yaml"),
        casebook::open(&folder.0).expect("a game"),
    );
    assert_eq!(refusal(&library, &text), None);
    let mut changed = 0;
    let mut try_range = |from: usize, to: usize| {
        for at in from..to {
            let byte = text.as_bytes()[at];
            let flipped = match byte {
                b'6' => b'5',
                b'0'..=b'8' => byte + 1,
                b'9' => b'1',
                b'a'..=b'y' | b'A'..=b'Y' => byte + 1,
                _ => continue,
            };
            let mut bytes = text.clone().into_bytes();
            bytes[at] = flipped;
            let changed_text = String::from_utf8(bytes).expect("text");
            assert!(
                refusal(&library, &changed_text).is_some(),
                "byte {at} was changed and nobody saw it:\n{changed_text}"
            );
            changed += 1;
        }
    };
    for line in ["seed: ", "hash: ", "half: ", "secret: ", "sum: "] {
        let from = text
            .find(line)
            .unwrap_or_else(|| panic!("{line} in\n{text}"))
            + line.len();
        try_range(
            from,
            from + text[from..].find(['\n', '}', ',']).expect("it ends"),
        );
    }
    for (at, _) in text.match_indices("faces: [") {
        let from = at + "faces: [".len();
        try_range(from, from + text[from..].find(']').expect("it ends"));
    }
    assert!(changed > 160, "{changed} bytes");
    // Moves that are left out, added or exchanged.
    let moves: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("  - "))
        .collect();
    assert_eq!(moves.len(), 12);
    for journal_move in &moves {
        assert!(
            refusal(
                &library,
                &text.replacen(&format!("{journal_move}\n"), "", 1)
            )
            .is_some(),
            "without {journal_move}"
        );
        assert!(
            refusal(
                &library,
                &text.replacen(journal_move, &format!("{journal_move}\n{journal_move}"), 1)
            )
            .is_some(),
            "twice {journal_move}"
        );
    }
    assert!(
        refusal(
            &library,
            &text
                .replacen("taken: \"yes\"", "taken: \"no\"", 1)
                .replacen("taken: yes", "taken: no", 1)
        )
        .is_some()
    );
    let cut = text.replace("results:", "other:");
    assert!(refusal(&library, &cut).is_some());
}

#[test]
fn the_secret_stays_secret_until_the_end() {
    let folder = game();
    let run = folder.run_with("play ford --commit --save game.yaml", "");
    run.ends(2);
    run.err.holds("goes on");
    let waiting = folder.read("game.yaml");
    waiting.holds("hash:");
    waiting.lacks("half:");
    waiting.lacks("secret:");
    waiting.lacks("seed:");
    // The other player's half is typed, three answers are given, and the game is left.
    folder
        .run_with("play game.yaml --save game.yaml", "my half\n\n\n\nq\n")
        .expect_success();
    let under_way = folder.read("game.yaml");
    under_way.holds("half: my half");
    under_way.lacks("secret:");
    under_way.lacks("seed:");
    let secret = folder.read("game.yaml.secret");
    assert!(secret.trim().len() == 64 && !under_way.contains(secret.trim()));
    let verification = folder.run("replay game.yaml --verify");
    verification.ends(1);
    verification.err.holds("not revealed yet");
    let output = folder
        .run_with("play game.yaml --save game.yaml", "\n6 6\nu\n")
        .terminal_output();
    output.holds("none can be typed");
    // A throw can't be taken back, and another game can't replace the secret.
    let second = folder
        .run_with("play game.yaml --save game.yaml", "\n\nu\nq\n")
        .terminal_output();
    second.holds("can't be taken back");
    let other_run = folder.run_with("play ford --commit --save game.yaml", "\n");
    assert!(
        other_run.status != Some(0) && folder.read("game.yaml.secret") == secret,
        "{}",
        other_run.terminal_output()
    );
    folder
        .run_with("play game.yaml --save game.yaml", &"\n".repeat(20))
        .expect_success();
    let hash: String = under_way
        .split("hash: ")
        .nth(1)
        .expect("a hash")
        .trim_start_matches('"')
        .chars()
        .take(64)
        .collect();
    let output = folder.out(&["replay", "game.yaml", "--verify", &hash]);
    output.holds("All 6 throws are those");
    output.holds("`my half`");
    let wrong_hash_run = folder.run(&[
        "replay",
        "game.yaml",
        "--verify",
        &hash.replace(['0', '1', '2', '3'], "4"),
    ]);
    wrong_hash_run.ends(1);
    wrong_hash_run
        .err
        .holds("was announced before the first throw");
    let json = folder.json("replay game.yaml --verify");
    assert_eq!(
        (
            json["verified"].as_bool(),
            json["throws"].as_u64(),
            json["half"].as_str()
        ),
        (Some(true), Some(6), Some("my half"))
    );
}

/// Cards come from the same seed, and a drawn card is verified as a face is.
#[test]
fn drawn_cards_are_verified_too() {
    let folder = Folder::copy_of(&repository().join("tests/decks"), &["rules", "scenarios"]);
    folder
        .run_with(
            "play late-trick --commit --save game.yaml",
            &format!("half\n{}", "\n".repeat(20)),
        )
        .expect_success();
    let (text, library) = (
        folder.read("game.yaml"),
        casebook::open(&folder.0).expect("a game"),
    );
    assert_eq!(refusal(&library, &text), None);
    let mut other_draws = 0;
    for line in text.lines().filter(|line| line.contains("faces:")) {
        for (card, other_card) in [
            ("king", "jack"),
            ("jack", "king"),
            ("queen", "king"),
            ("ace", "jack"),
        ] {
            let changed = line.replace(card, other_card);
            if changed != line {
                assert!(
                    refusal(&library, &text.replace(line, &changed)).is_some(),
                    "{changed}"
                );
                other_draws += 1;
            }
        }
    }
    assert!(other_draws > 0, "{text}");
}

#[test]
fn halves_and_secrets_change_the_dice() {
    let (first_hash, second_hash) = (game(), game());
    let hashes = [play(&first_hash, "a half"), play(&second_hash, "a half")];
    let dice = |folder: &Folder| {
        folder
            .read("game.yaml")
            .lines()
            .filter(|line| line.contains("faces:"))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert!(
        hashes[0] != hashes[1] && dice(&first_hash) != dice(&second_hash),
        "each game has a secret of its own"
    );
    let folder = game();
    folder.ok("resolve ford --save plain.yaml");
    let run = folder.run("replay plain.yaml --verify");
    run.ends(1);
    run.err.holds("commits itself to no dice");
    folder.run_with("play ford --commit --save gone.yaml", "");
    std::fs::remove_file(folder.0.join("gone.yaml.secret")).expect("it is there");
    let run = folder.run_with("play gone.yaml", "\n");
    run.ends(1);
    run.err.holds("secret of the dice can't be read");
}

/// The page and embedding programs don't have the secret, so they refuse a committed game instead of throwing other dice.
#[test]
fn a_committed_game_goes_on_only_where_its_secret_is() {
    let folder = game();
    folder
        .run_with("play ford --commit --save game.yaml", "my half\n\n\n\nq\n")
        .expect_success();
    let under_way = folder.read("game.yaml");
    under_way.holds("throw:");
    under_way.lacks("secret:");
    let served = Served::start(&folder.0);
    let (status, answer) =
        served.request_with_token("POST", "/journal", &json!({ "journal": under_way }));
    let text = answer.to_string();
    assert!(status == 422, "{status} {text}");
    text.holds("casebook play FILE");
    text.holds("committed to");
    assert!(
        !text.contains(folder.read("game.yaml.secret").trim()),
        "{text}"
    );
    let library = casebook::open(&folder.0).expect("a game");
    let refused = casebook::Play::from_journal(&library, &under_way)
        .err()
        .expect("it is refused")
        .to_string();
    refused.holds("their secret is not here");
    // The luck so far and a finished game may be shown.
    let (status, answer) = served.request_with_token(
        "POST",
        "/luck",
        &json!({ "journal": under_way, "measure": "sum" }),
    );
    assert_eq!(status, 200, "{answer}");
    folder
        .run_with("play game.yaml --save game.yaml", &"\n".repeat(20))
        .expect_success();
    let (status, answer) = served.request_with_token(
        "POST",
        "/journal",
        &json!({ "journal": folder.read("game.yaml") }),
    );
    assert!(status == 200, "{status} {answer}");
    answer["address"].holds("moves=");
    let page = served.page_text(answer["address"].as_str().expect("an address"));
    page.holds("sum");
}
