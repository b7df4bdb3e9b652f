//! Games: the sequence of play from procedure to procedure, by hand and by policies, whole and in parts.

use crate::common::stacks::built_in;
use crate::common::{self, Folder, Says, campaign};
use casebook::complaint::Complaints;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

fn play_games(folder: &Folder, args: &[&str]) -> Value {
    let args = [
        &[
            "play",
            "bridge",
            "--policy",
            "all=random",
            "--seed",
            "4",
            "--games",
            "24",
            "--format",
            "json",
        ],
        args,
    ]
    .concat();
    folder.json(&args)
}

#[test]
fn merged_shards_equal_the_whole_in_any_order_and_with_repeats() {
    let folder = campaign();
    let unsharded = play_games(&folder, &[]);
    assert_eq!(unsharded["parts"]["1"]["games"], 24);
    for part in ["1", "2", "3"] {
        folder.write(
            &format!("{part}.json"),
            folder.out(&[
                "play",
                "bridge",
                "--policy",
                "all=random",
                "--seed",
                "4",
                "--games",
                "24",
                "--format",
                "json",
                "--shard",
                &format!("{part}/3"),
            ]),
        );
    }
    let text = |args: &[&str]| folder.out(args);
    let joined = text(&["merge", "1.json", "2.json", "3.json"]);
    assert_eq!(
        joined,
        text(&["merge", "3.json", "1.json", "3.json", "2.json", "1.json"])
    );
    let results = |text: &str| {
        text.split_once("\n\n").map(|(_, rest)| {
            rest.split("\nWith the data")
                .next()
                .unwrap_or_default()
                .to_string()
        })
    };
    assert_eq!(
        results(&joined),
        results(&text(&[
            "play",
            "bridge",
            "--policy",
            "all=random",
            "--seed",
            "4",
            "--games",
            "24"
        ]))
    );
    joined.holds("Blue points, round by round");
    let incomplete = text(&["merge", "1.json", "3.json"]);
    incomplete.holds("16 games");
    incomplete.holds("not there yet: 1 of 3 parts, 2");
    // Shards of other games, and half a shard.
    folder.write(
        "other.json",
        folder.read("2.json").replace("\"seed\": 4", "\"seed\": 5"),
    );
    folder
        .run("merge 1.json other.json")
        .err
        .holds("other.json is a part of other games");
    folder.write("half.json", &folder.read("2.json")[..200]);
    folder
        .run("merge 1.json half.json")
        .err
        .holds("half.json is not a complete part");
    folder.write(
        "short.json",
        folder
            .read("1.json")
            .replace("\"games\": 8", "\"games\": 7"),
    );
    folder
        .run("merge 1.json short.json")
        .err
        .holds("short.json is not a complete part");
    folder.write(
        "twisted.json",
        folder.read("1.json").replace("\"over\": 8", "\"over\": 7"),
    );
    folder
        .run("merge 1.json twisted.json")
        .err
        .holds("part 1 is not what it is in another file");
}

/// An outcome of true and one of "yes" are counted apart, also in parts that are merged.
#[test]
fn games_keep_flags_and_texts_apart() {
    let folder = Folder::skirmish();
    let case = "rules/skirmish/01-battle/1.1-attack.rhai";
    let text = folder.read(case);
    let (head, _) = text
        .split_once("    step(\"Attack\");")
        .expect("the attack");
    let lines = "    let die = roll(\"1d6\", \"die\");\n    result(\"x\", if die == 1 { true } else if die < 4 { \"yes\" } else { false });\n    result(\"y\", if die == 1 { \"yes\" } else { \"5\" });\n}\n";
    folder.write(case, format!("{head}{lines}"));
    let args = ["play", "bridge", "--policy", "all=first", "--games", "60"];
    let run = |more: &[&str]| folder.ok(&[&args, more].concat());
    let came = run(&["--format", "json"]).json()["parts"]["1"]["came"].clone();
    let times = |key: &str| came["x"][key].as_u64().unwrap_or(0);
    assert!(
        times("yes") > 0
            && times("\"yes\"") > 0
            && times("yes") + times("\"yes\"") + times("no") == 60,
        "{came}"
    );
    for part in ["1", "2"] {
        folder.write(
            &format!("{part}.json"),
            run(&["--format", "json", "--shard", &format!("{part}/2")]).out,
        );
    }
    let merged = folder.out("merge 1.json 2.json");
    for out in [merged, run(&[]).out] {
        let (x, y) = out.split_once("\ny\n").expect("two outcomes");
        let x = x.split_whitespace().collect::<Vec<_>>().join(" ");
        x.holds(format!("\"yes\" {} ", times("\"yes\"")));
        x.holds(format!(" yes {} ", times("yes")));
        assert!(!y.contains('"'), "{out}");
        y.holds(" yes ");
        y.holds(" 5 ");
    }
}

/// Eight processes play a shard each, and one is killed: its shard is missing until another process plays it.
#[test]
fn a_killed_process_leaves_a_missing_shard() {
    let folder = campaign();
    let args = [
        "play",
        "bridge",
        "--policy",
        "all=first",
        "--seed",
        "4",
        "--games",
        "400",
        "--format",
        "json",
    ];
    let part = |number: usize| format!("part-{number}.json");
    let mut processes: Vec<_> = (1..=8)
        .map(|number| {
            let out = std::fs::File::create(folder.0.join(part(number)))
                .expect("the test's own folder can be written");
            let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
            command
                .current_dir(&folder.0)
                .args(args)
                .args(["--shard", &format!("{number}/8")])
                .stdout(out)
                .stderr(Stdio::null());
            let mut process = command.spawn().expect("the binary runs");
            if number == 5 {
                process.kill().expect("it can be killed");
            }
            process
        })
        .collect();
    processes
        .iter_mut()
        .for_each(|process| drop(process.wait()));
    // It was killed at once, so its shard is incomplete, and is refused.
    folder
        .run(&["merge", &part(1), &part(5)])
        .err
        .holds("part-5.json is not a complete part");
    let names: Vec<String> = (1..=8).map(part).collect();
    let merge =
        |files: Vec<&str>, more: &[&str]| folder.run(&[&["merge"], &files[..], more].concat());
    let merged = merge(
        names
            .iter()
            .map(String::as_str)
            .filter(|name| *name != "part-5.json")
            .collect(),
        &["--format", "json"],
    );
    folder.write("some.json", &merged.out);
    merge(vec!["some.json"], &[])
        .out
        .holds("not there yet: 1 of 8 parts, 5");
    folder.write(
        &part(5),
        folder.run(&[&args[..], &["--shard", "5/8"]].concat()).out,
    );
    let joined = merge(vec![&part(5), "some.json", &part(2), "some.json"], &[]).out;
    let unsharded = folder.run(&args[..args.len() - 2]).out;
    let results = |text: &str| {
        text.split_once("\n\n").map(|(_, rest)| {
            rest.split("\nWith the data")
                .next()
                .unwrap_or_default()
                .to_string()
        })
    };
    assert_eq!(results(&joined), results(&unsharded));
}

#[test]
fn samples_are_merged_from_shards() {
    let folder = Folder::skirmish();
    let args = "odds bridge --runs 90 --policy Red=random";
    let part = |part: u32| {
        let name = format!("part-{part}.json");
        let shard = folder.ok(&*format!("{args} --shard {part}/3 --format json"));
        folder.write(&name, shard.out);
        name
    };
    let parts = [1, 2, 3].map(part);
    let merge = |order: [usize; 4]| {
        let names = order.map(|index| parts[index].as_str());
        folder.ok(&*format!("merge {}", names.join(" "))).out
    };
    let joined = merge([0, 1, 2, 0]);
    assert_eq!(joined, merge([2, 1, 0, 2]));
    let body = |text: &str| {
        let counted = text.split("\nWith the data").next().unwrap_or_default();
        counted
            .lines()
            .skip(2)
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(body(&joined), body(&folder.ok(args).out));
    let alone = folder.ok("merge part-1.json").out;
    alone.holds("not there yet: 2 of 3 parts, 2, 3");
}

/// In the middle of a game the board is a situation, and the game goes on from it.
#[test]
fn a_position_under_way_is_a_situation() {
    let folder = campaign();
    let answer = "  - { phase: Answer, procedures: [answer] }\n";
    folder.replace(
        "rules/skirmish/game.yaml",
        answer,
        &format!("{answer}  - {{ phase: Second thoughts, procedures: [answer] }}\n"),
    );
    let typed = "wait\nattack\n4\n\n\np scenarios/skirmish/thinking.yaml\nq\n";
    let run = folder.run_with("play bridge --seed 2 --save first.yaml", typed);
    run.out.holds("thinking.yaml is a situation");
    let saved = folder.read("scenarios/skirmish/thinking.yaml");
    saved.holds("procedure: answer");
    saved.holds("phase: Second thoughts");
    folder.ok("check");
    folder.ok("odds thinking");
    let results = |what: &str| {
        folder
            .run(&["play", what, "--policy", "all=last", "--format", "json"])
            .json()["results"]
            .clone()
    };
    let on = results("thinking");
    assert_eq!(on["game"], "over");
    assert_eq!(
        on["Blue points"],
        results("first.yaml")["Blue points"],
        "it comes to what the journal comes to"
    );
    folder.replace(
        "scenarios/skirmish/thinking.yaml",
        "phase: Second thoughts",
        "phase: Third thoughts",
    );
    folder
        .run("play thinking --policy all=last")
        .terminal_output()
        .holds("no phase called `Third thoughts` begins with `answer`");
    let single = Folder::skirmish().run_with("play bridge", "p x.yaml\nq\n");
    single
        .out
        .holds("only a game has positions between its procedures");
}

#[test]
fn the_sequence_goes_round_and_a_refusal_changes_nothing() {
    let folder = campaign();
    // Both sides refuse until the eighth turn: each refusal is rolled back, and the turns go on.
    let play = |seed: &str| folder.out(&["play", "bridge", "--policy", "all=last", "--seed", seed]);
    let out = play("1");
    assert_eq!(
        out.matches("Nothing is done: Red waits.").count(),
        6,
        "{out}"
    );
    assert_eq!(out.matches("Week 2 begins.").count(), 1, "{out}");
    // The week was under way when play began.
    out.lacks("Week 1 begins.");
    out.holds("nobody");
    // One of many games is the game that its own seed plays.
    let on_one_thread = folder
        .run_with(
            "play bridge --policy all=random --seed 9 --format json",
            &"\n".repeat(100),
        )
        .expect_success()
        .json();
    let on_many_threads = folder.json("play bridge --policy all=random --seed 9 --games 1");
    assert_eq!(
        on_many_threads["parts"]["1"]["came"]["winner"][on_one_thread["results"]["winner"]
            .as_str()
            .expect("somebody wins, or nobody")],
        1
    );
}

#[test]
fn a_typed_game_is_saved_taken_back_and_played_again() {
    let folder = campaign();
    let lines = "wait\nattack\n3\nu\n4\n\nwait\nwait\n";
    let typed = |args: &[&str], lines: &str| folder.run_with(args, lines);
    let out = typed(
        &["play", "bridge", "--seed", "2", "--save", "day.yaml"],
        lines,
    )
    .out;
    out.holds("taken back");
    out.holds("the input ended too early");
    let journal = folder.read("day.yaml");
    journal.holds("taken: wait");
    journal.holds("faces: [4]");
    journal.lacks("faces: [3]");
    let remaining = typed(&["play", "day.yaml", "--policy", "all=last"], "").out;
    remaining.holds("game");
    remaining.holds("over");
}

#[test]
fn endless_and_failing_games_are_reported() {
    let folder = campaign();
    folder.replace(
        "rules/skirmish/game.yaml",
        "ends_when: { game: over }\n",
        "",
    );
    let run = folder.run("play bridge --policy all=first --games 1");
    let output = run.terminal_output();
    output.holds("no phase of the sequence of play begins with `day` and");
    let folder = campaign();
    folder.replace(
        "rules/skirmish/03-game/4.1-a-day.rhai",
        "set_track(\"turn\", track(\"turn\") + 1);",
        "piece(\"Nobody at all\");",
    );
    let json = folder.run("play bridge --policy all=last --games 2 --format json");
    json.ends(1);
    let broken = &json.json()["parts"]["1"]["broken"];
    assert!(
        broken["0"]
            .as_str()
            .is_some_and(|why| why.starts_with("round 1, Evening, evening: ")),
        "{broken}"
    );
    assert_eq!(json.json()["parts"]["1"]["came"], json!({}));
}

/// The recorded game of First Manassas is the same under its own rules, and is replayed under others.
#[test]
fn first_manassas_is_played_again_under_one_ruleset_after_the_other() {
    let folder = Folder::empty();
    folder.write(
        "game.yaml",
        std::fs::read(common::repository().join("tests/journals/first-manassas.yaml"))
            .expect("the journal is there"),
    );
    let original = folder.ok("replay game.yaml --format json");
    assert_eq!(
        (
            original.json()["results"]["game"].as_str(),
            original.err.as_str()
        ),
        (Some("over"), ""),
        "it is what the journal says, to its end"
    );
    let mut report = String::new();
    for with in ["", "hardy,dye", "hardy,second-edition"] {
        let replayed = folder.json(&["replay", "game.yaml", "--with", with]);
        let (then, now) = (&replayed["then"], &replayed["ruling"]["results"]);
        assert_eq!(now["game"], "over");
        report.push_str(&format!(
            "under {with:?} the journal has nothing for {}\n",
            replayed["fresh"].as_array().map_or(0, Vec::len)
        ));
        for name in replayed["differ"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            let text = |value: &Value| match value {
                Value::String(text) => text.clone(),
                Value::Null => "not named".into(),
                other => other.to_string(),
            };
            report.push_str(&format!(
                "  {name}: {} then, {} now\n",
                text(&then[name]),
                text(&now[name])
            ));
        }
    }
    insta::assert_snapshot!("first-manassas-under-other-rules", report);
}

/// Each game has a situation that the sequence of play carries to its end, whoever chooses.
#[test]
fn the_games_are_played_to_their_end() {
    let folder = Folder::empty();
    for (game, situation, ended) in [
        ("wbts", "first-manassas", "winner"),
        ("tmag", "three-days", "winners"),
        ("banasik", "fleetwood-hill", "winner"),
    ] {
        for policy in ["all=first", "all=random"] {
            let args = [
                "play", situation, "--game", game, "--policy", policy, "--games", "2", "--format",
                "json",
            ];
            let part = &folder.json(&args)["parts"]["1"];
            let won: u64 = part["came"][ended]
                .as_object()
                .expect("somebody wins, or nobody")
                .values()
                .filter_map(Value::as_u64)
                .sum();
            assert_eq!(
                (won, &part["broken"]),
                (2, &json!({})),
                "{situation}, {policy}"
            );
        }
    }
}

/// The map is amended as pieces are, with `was` and `now`.
#[test]
fn a_variant_amends_the_map() {
    let folder = Folder::skirmish();
    folder.append(
        "variants/errata/scenarios/bridge.yaml",
        "  - { side: \"0202/0201\", brook: { was: true, now: false } }\n  - { place: \"0202\", ground: { was: wood, now: open } }\n\
         examples:\n  - { id: map, ask: 'between(\"0201\", \"0202\").brook', then: false }\n  - { id: map, ask: 'place(\"0202\").ground', then: open }\n",
    );
    folder.ok("check");
    let run = folder.ok("test bridge");
    run.out.holds("2 examples hold");
    folder.replace(
        "variants/errata/scenarios/bridge.yaml",
        "was: wood",
        "was: open",
    );
    let run = folder.run("check");
    run.terminal_output()
        .holds("`was: open` does not match: the layer below has wood for the ground of `0202`");
}

/// Lines of a refused procedure keep the names of its pieces, also when later pieces reuse their numbers.
#[test]
fn pieces_created_before_a_refusal_keep_their_names() {
    let folder = campaign();
    let day = "rules/skirmish/03-game/4.1-a-day.rhai";
    let scout = "let scout = create(#{ name: `${side} scout ${track(\"turn\")}`, kind: \"footman\", side: side, at: from });\n        say(\"{} looks round.\", [scout]);\n        refuse(\"{} waits\", [scout]);";
    folder.replace(day, "refuse(\"{} waits\", [side]);", scout);
    let herald = "create(#{ name: `herald ${track(\"turn\")}`, kind: \"footman\", side: \"Red\", at: \"0201\" });\n    result(\"Blue points\"";
    folder.replace(day, "result(\"Blue points\"", herald);
    let output = folder.out("play bridge --policy all=last --seed 4");
    // The turn was set back to the first before it was refused.
    for side in ["Red", "Blue"] {
        assert_eq!(
            output
                .matches(&format!("{side} scout 1 looks round."))
                .count(),
            6,
            "{output}"
        );
        assert_eq!(
            output
                .matches(&format!("Nothing is done: {side} scout 1 waits."))
                .count(),
            6,
            "{output}"
        );
    }
}

/// The name of a created piece is no figure of the board, but it keeps states apart: choices are asked by it.
#[test]
fn pieces_created_on_different_paths_differ_by_name() {
    let folder = Folder::skirmish();
    let attack = "rules/skirmish/01-battle/1.1-attack.rhai";
    let creating = "    step(\"Attack\");
    let name = if roll(\"1d2\", \"who\") == 1 { \"Ann\" } else { \"Bob\" };
    let who = create(#{ name: name, kind: \"wagon\", side: \"Red\", at: \"0201\" });
    set(first(pieces_at(\"0201\", \"Red\")), \"under\", who);
    result(\"given\", twice(who));
    result(\"looked up\", looked_up(first(pieces_at(\"0201\", \"Red\"))));
";
    folder.replace(attack, "    step(\"Attack\");\n", creating);
    folder.append(
        attack,
        "\nprivate fn looked_up(piece) { let who = piece.under; twice(who) }\nprivate fn twice(who) { called(who) + called(who) }\n\
         private fn called(who) { marked(who.name) }\nprivate fn marked(name) { name + \"!\" }\n",
    );
    let odds = folder.out("odds bridge");
    for name in ["Ann!Ann!", "Bob!Bob!"] {
        assert_eq!(
            odds.matches(&format!("  {name}  50.0 %")).count(),
            2,
            "{odds}"
        );
    }
}

/// Every term that players read has one sentence in the glossary of its game.
#[test]
fn every_word_of_a_game_has_a_meaning() {
    let library = built_in();
    for (name, game) in &library.games {
        let mut complaints = Complaints::default();
        let glossary = library.glossary(name, &mut complaints);
        assert!(complaints.0.is_empty(), "{complaints}");
        let with_spaces = |name: &String| name.replace('_', " ");
        let places = game
            .places
            .attributes
            .iter()
            .map(|(name, _)| format!("{} of a place", with_spaces(name)));
        let attributes = game.attributes.iter().map(|(name, _)| with_spaces(name));
        let words = game
            .kinds
            .values()
            .map(|kind| kind.title.clone())
            .chain(attributes)
            .chain(places)
            .chain(game.tracks.keys().cloned());
        let missing: Vec<String> = words.filter(|word| !glossary.contains_key(word)).collect();
        assert_eq!(missing, Vec::<String>::new(), "{name}");
        for (word, meaning) in &glossary {
            let is_sentence =
                meaning.ends_with('.') && !meaning.contains(". ") && meaning.split(' ').count() > 3;
            assert!(
                is_sentence && meaning.len() < 160 && meaning.to_lowercase() != word.to_lowercase(),
                "{name}, {word}: {meaning}"
            );
        }
    }
}
