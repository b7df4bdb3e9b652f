//! `check --play`: faults planted in a small game are found, and shrunk to the smallest situation that shows them.

use crate::common::{Folder, Items, Says, campaign};
use serde_json::Value;

const DAY: &str = "rules/skirmish/03-game/4.1-a-day.rhai";

/// What `check --play` finds in a folder, with a situation written for each fault.
fn play(folder: &Folder, games: &str) -> Vec<Value> {
    let run = folder.run(format!(
        "check --play '{games}' --limit 120 --save . --format json"
    ));
    let faults = run.json()["faults"]
        .as_array()
        .expect("a list of faults")
        .clone();
    // A figure that is known to be missing is listed, and is no fault of the rules.
    let wrong = faults
        .iter()
        .any(|fault| fault["complaint"]["code"] != "figure");
    assert_eq!(
        run.status,
        Some(i32::from(wrong)),
        "{}",
        run.terminal_output()
    );
    faults
}

/// The only fault of a kind: its situation reproduces it, and has at most this many pieces.
fn expect_shrunk(folder: &Folder, faults: &[Value], kind: &str, part: &str, pieces: u64) {
    let matching: Vec<&Value> = faults
        .iter()
        .filter(|fault| {
            fault["kind"] == kind && fault["complaint"]["what"].to_string().contains(part)
        })
        .collect();
    assert!(
        !matching.is_empty(),
        "no fault `{kind}` with {part} in {faults:#?}"
    );
    let witness = &matching[0]["witness"];
    assert_eq!(witness["is_situation"], true, "{matching:#?}");
    assert!(witness["pieces"].as_u64() <= Some(pieces), "{witness:#}");
    assert_eq!(witness["is_smallest"], true, "{witness:#}");
    let command = witness["command"].as_str().expect("a command");
    let words: Vec<&str> = command.split(' ').collect();
    let run = folder.run(&words);
    // `resolve` does not complain of a wrong board; it shows the ruling that leads to it.
    let is_board =
        ["off the map", "below its least"].contains(&kind) && !part.contains("out of play");
    assert_eq!(
        run.status,
        Some(if is_board { 0 } else { 1 }),
        "{}",
        run.terminal_output()
    );
    assert!(
        is_board || run.terminal_output().contains(part),
        "no {part} in {}",
        run.terminal_output()
    );
}

/// The small game with its table whole, in which nobody is refused who waits, or has nobody to attack with.
fn sound_game() -> Folder {
    let folder = campaign();
    folder.replace(
        DAY,
        "        set_track(\"turn\", 1);\n        refuse(\"{} waits\", [side]);",
        "        say(\"{} waits.\", [side]);\n        return;",
    );
    folder.replace(
        DAY,
        "    if choose(side, \"order\"",
        "    if pieces_at(from, side).where(|unit| may_attack(unit)) == [] { return; }\n    if choose(side, \"order\"",
    );
    folder.replace("tables/skirmish/combat.yaml", "6: [\"?\",", "6: [\"0/1\",");
    folder.replace(
        "variants/errata/tables/combat.yaml",
        "  - { column: \"1:2\", row: 6, was: missing, now: \"0/1\" }\n",
        "",
    );
    folder
}

#[test]
fn a_sound_game_has_no_fault() {
    let folder = sound_game();
    assert_eq!(play(&folder, "200"), Vec::<Value>::new());
    let text = folder.out("check --play 20");
    text.holds("no fault was found in 20 games under");
}

#[test]
fn what_no_case_decides() {
    let folder = sound_game();
    folder.replace("tables/skirmish/combat.yaml", "3: [\"2/1\",", "3: [\"?\",");
    let faults = play(&folder, "200");
    expect_shrunk(&folder, &faults, "no case decides", "combat", 3);
}

#[test]
fn pieces_off_the_map() {
    let folder = sound_game();
    folder.replace(
        DAY,
        "    attack(#{ side: side, from: from, into: into });",
        "    attack(#{ side: side, from: from, into: into });\n    move_piece(pieces(#{ side: side, kind: \"wagon\" }), \"0999\");",
    );
    let faults = play(&folder, "200");
    expect_shrunk(&folder, &faults, "off the map", "0999", 3);
}

#[test]
fn strengths_below_nothing() {
    let folder = sound_game();
    folder.replace(
        DAY,
        "    attack(#{ side: side, from: from, into: into });",
        "    attack(#{ side: side, from: from, into: into });\n    for unit in pieces(#{ side: side, kind: \"rider\" }) { set(unit, \"strength\", unit.strength - 2); }",
    );
    let faults = play(&folder, "200");
    expect_shrunk(&folder, &faults, "below its least", "strength -", 3);
}

#[test]
fn what_never_ends() {
    let folder = sound_game();
    folder.replace(
        DAY,
        "    attack(#{ side: side, from: from, into: into });",
        "    if pieces(#{ side: side }).len() < 3 { for_ever(1); }\n    attack(#{ side: side, from: from, into: into });",
    );
    folder.append(DAY, "\nfn for_ever(times) { for_ever(times + 1) }\n");
    let faults = play(&folder, "60");
    expect_shrunk(&folder, &faults, "never ends", "", 3);
    // Between procedures, too: nobody reaches the last turn.
    let folder = sound_game();
    folder.replace(
        DAY,
        "    set_track(\"turn\", track(\"turn\") + 1);",
        "    set_track(\"turn\", 4);",
    );
    let faults = play(&folder, "60");
    assert!(
        faults
            .iter()
            .any(|fault| fault["complaint"]["what"] == "it does not end"),
        "{faults:#?}"
    );
}

#[test]
fn what_no_case_decides_under_one_reading_only() {
    let folder = sound_game();
    folder.replace(
        DAY,
        "    attack(#{ side: side, from: from, into: into });",
        "    if may_attack(#{ kind: \"wagon\", strength: 1 }) { table(\"combat\", \"1:1\", 9); }\n    attack(#{ side: side, from: from, into: into });",
    );
    let faults = play(&folder, "400");
    expect_shrunk(&folder, &faults, "no case decides", "9", 1);
    let witness = faults[0]["witness"]["yaml"].to_string();
    witness.holds("1.1.wagons");
    witness.holds("help");
}

/// Two variants without an order give one cell different figures; alone each is valid.
#[test]
fn what_contradicts() {
    let folder = sound_game();
    folder.write(
        "variants/rival/variant.yaml",
        "variant: rival\ntitle: Rival\ngame: skirmish\nsource: { doc: slip }\n",
    );
    let errata = folder.read("variants/errata/tables/combat.yaml");
    folder.write(
        "variants/rival/tables/combat.yaml",
        errata.replace("now: \"2/1\"", "now: \"2/3\""),
    );
    let faults = play(&folder, "200");
    expect_shrunk(&folder, &faults, "contradicts", "errata", 3);
    let fault = faults
        .iter()
        .find(|fault| fault["kind"] == "contradicts")
        .expect("it is there");
    let variants: Vec<&str> = fault["variants"]
        .items()
        .filter_map(Value::as_str)
        .collect();
    assert!(variants.contains(&"errata"));
    assert!(variants.contains(&"rival"));
    // Put in order they agree.
    folder.replace(
        "variants/rival/variant.yaml",
        "game: skirmish\n",
        "game: skirmish\nafter: [errata]\n",
    );
    folder.write(
        "variants/rival/tables/combat.yaml",
        errata
            .replace("was: \"2/2\"", "was: \"2/1\"")
            .replace("now: \"2/1\"", "now: \"2/3\""),
    );
    let faults = play(&folder, "40");
    assert!(
        faults.iter().all(|fault| fault["kind"] != "contradicts"),
        "{faults:#?}"
    );
}

/// An attack after which pieces go where nothing brings them back from.
fn with_deeds(folder: &Folder, deeds: &str) {
    folder.replace(
        DAY,
        "    attack(#{ side: side, from: from, into: into });",
        &format!("    attack(#{{ side: side, from: from, into: into }});\n    {deeds}"),
    );
}

#[test]
fn who_is_out_of_play_is_not_swept_along() {
    let folder = sound_game();
    folder.replace(
        "rules/skirmish/game.yaml",
        "  notation: hex\n",
        "  notation: hex\n  boxes: [pool, road]\n  out_of_play: [pool]\n",
    );
    with_deeds(
        &folder,
        "let carts = pieces(#{ kind: \"wagon\" });\n    take_from_box(carts, \"pool\");\n    step(\"March\");\n    move_piece(carts, from);",
    );
    let faults = play(&folder, "60");
    expect_shrunk(
        &folder,
        &faults,
        "off the map",
        "is in `pool`, which is out of play",
        3,
    );
    // What is meant to bring them back does, and a box that is in play holds nobody.
    folder.replace(
        DAY,
        "    move_piece(carts, from);",
        "    take_from_box(carts, from);\n    move_piece(carts, \"road\");\n    move_piece(carts, from);",
    );
    assert_eq!(play(&folder, "60"), Vec::<Value>::new());
}

#[test]
fn what_carries_somebody_is_on_the_board() {
    let folder = sound_game();
    with_deeds(
        &folder,
        "for cart in pieces(#{ kind: \"wagon\" }) { put_on(pieces(#{ kind: \"rider\" }), cart); remove(cart, \"burnt\"); }\n    step(\"Night\");",
    );
    let faults = play(&folder, "60");
    expect_shrunk(
        &folder,
        &faults,
        "off the map",
        "which is not on the board",
        3,
    );
    // The same is found by the tests of a folder, without a game.
    folder.write(
        "tests/skirmish/day.yaml",
        "form: 1\ntitle: A day\ntests:\n  - test: Red attacks\n    given: bridge\n    seed: 1\n    then: { attacker losses: 0 }\n",
    );
    let run = folder.run("test tests/skirmish/day.yaml");
    run.terminal_output().holds("which is not on the board");
}

#[test]
fn a_phase_does_not_break_off() {
    let folder = sound_game();
    with_deeds(
        &folder,
        "require(pieces(#{ side: side }).len() > 2, \"{} has too few left\", [side]);",
    );
    let faults = play(&folder, "100");
    expect_shrunk(&folder, &faults, "breaks off", "has too few left", 3);
    // What refuses before anything is thrown or chosen is no fault.
    let folder = sound_game();
    folder.replace(
        DAY,
        "    if choose(side, \"order\"",
        "    require(pieces(#{ side: side }).len() > 2, \"{} has too few left\", [side]);\n    if choose(side, \"order\"",
    );
    assert_eq!(play(&folder, "60"), Vec::<Value>::new());
}
