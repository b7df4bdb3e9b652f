//! `play` and `replay`: throws and choices are asked for, taken back, saved, continued, and replayed with changes.

use crate::common::{self, Folder, Items, Run, Says, repository};
use crate::oracle::compare_in_folder;
use serde_json::Value;

const BATTLE: &str = "lee-attacks-porter";

/// The input of a whole battle: typed dice, and choices by name and by number.
const BATTLE_INPUT: &str = "1\n1\n3\n2\n3\nA. N. Va.\n4\n5\n\n\n\n\n\n5 3\n3 5\n";

fn play(folder: &Folder, args: &[&str], lines: &str) -> Run {
    folder.run_with(&[&["play"], args].concat(), lines)
}

#[test]
fn a_battle_is_played_by_typed_dice_and_is_the_battle_that_resolve_makes_of_them() {
    let folder = Folder::empty();
    let played = play(
        &folder,
        &[BATTLE, "--save", "journal.yaml", "--format", "json"],
        BATTLE_INPUT,
    )
    .expect_success()
    .json();
    let replayed = folder.json("replay journal.yaml");
    assert_eq!(played["results"], replayed["results"]);
    let dice = "1,3,4,5,5,3,3,5";
    let resolved = folder.json(&["resolve", BATTLE, "--dice", dice]);
    assert_eq!(
        played["results"], resolved["results"],
        "the situation answers choices as they were typed here"
    );
    assert_eq!(played["steps"], resolved["steps"]);
}

#[test]
fn what_is_taken_back_leaves_no_trace() {
    let folder = Folder::empty();
    play(
        &folder,
        &[BATTLE, "--seed", "9", "--save", "straight.yaml"],
        &"\n".repeat(40),
    )
    .expect_success();
    let lines: String = (0..40).map(|_| "\nu\n\n").collect();
    play(
        &folder,
        &[BATTLE, "--seed", "9", "--save", "back-and-forth.yaml"],
        &lines,
    )
    .expect_success();
    assert_eq!(
        folder.read("straight.yaml"),
        folder.read("back-and-forth.yaml"),
        "what is thrown again after `u` falls alike"
    );
}

#[test]
fn before_the_beginning_there_is_nothing() {
    let folder = Folder::empty();
    let run = play(&folder, &[BATTLE], "u\nu\nq\n").expect_success();
    run.out.holds("nothing to take back");
    assert!(
        folder.file_times().is_empty(),
        "nothing was asked to be saved"
    );
}

#[test]
fn a_journal_saved_in_the_middle_goes_on() {
    let folder = Folder::empty();
    play(&folder, &[BATTLE, "--seed", "4"], "\n\n\ns half.yaml\nq\n").expect_success();
    play(
        &folder,
        &["half.yaml", "--save", "whole.yaml"],
        &"\n".repeat(40),
    )
    .expect_success();
    play(
        &folder,
        &[BATTLE, "--seed", "4", "--save", "at-once.yaml"],
        &"\n".repeat(40),
    )
    .expect_success();
    let moves = |text: String| text.split("moves:").nth(1).map(String::from);
    assert_eq!(
        moves(folder.read("whole.yaml")).map(|m| m.lines().take(4).collect::<String>()),
        moves(folder.read("at-once.yaml")).map(|m| m.lines().take(4).collect())
    );
    folder.ok("replay whole.yaml");
}

#[test]
fn the_input_ends_in_the_middle_and_nothing_is_lost() {
    let folder = Folder::empty();
    let run = play(
        &folder,
        &[BATTLE, "--seed", "4", "--save", "mine.yaml"],
        "\n\n",
    )
    .expect_success();
    run.out.holds("`casebook play mine.yaml` goes on from here");
    assert_eq!(folder.read("mine.yaml").matches("  - {").count(), 2);
    // Without `--save` no file is written.
    let folder = Folder::empty();
    let run = play(&folder, &[BATTLE, "--seed", "4"], "\n\n").expect_success();
    run.out.holds("nothing was saved");
    run.out.holds("--seed 4");
    assert!(folder.file_times().is_empty(), "{:?}", folder.file_times());
}

#[test]
fn invalid_input_is_asked_again() {
    let folder = Folder::empty();
    let run = play(
        &folder,
        &[BATTLE],
        "7\nabc\n1.5\n1:5\n1 2\n0\n-3\n99999999999999999999\n1\nPortr\n3\n\nq\n",
    )
    .expect_success();
    for part in [
        "a d6 shows 1 to 6",
        "shows abc",
        "shows 1.5",
        "not a row of faces",
        "takes 1 die",
        "`Portr` is not open; did you mean `Porter`?",
    ] {
        run.out.holds(part);
    }
}

/// For a place that is not offered the answer names the case that closes it, for other texts the case that defines the options.
#[test]
fn why_not_is_answered() {
    let folder = Folder::empty();
    let typed = "C2409\n\n".repeat(7) + "the moon\n?\nh\nq\n";
    let run = play(&folder, &["the-march-to-manassas", "--seed", "1"], &typed).expect_success();
    let expect = |text: &str| assert!(run.out.contains(text), "`{text}` in:\n{}", run.out);
    expect("C2409 Manassas Junction is not open. where it can go: ");
    expect("`the moon` is not open; open are ");
    expect("says what is open (");
    let why = run
        .out
        .split("looked up since the last answer:")
        .nth(1)
        .expect("it says why")
        .split("\n\n")
        .next()
        .unwrap_or_default();
    assert!(why.lines().count() <= 10, "{why}");
}

/// A question names its units and their place, takes several units in one line, and answers `why not`.
#[test]
fn questions_name_units_and_take_several() {
    let folder = Folder::empty();
    let picked = play(
        &folder,
        &["first-day", "--seed", "1"],
        "Chambersburg Pike\nPettigrew a, Nobody\nPettigrew a, Archer b\nq\n",
    )
    .expect_success()
    .out;
    picked.holds("`Nobody` is not open");
    picked.holds("activates Pettigrew a and Archer b.");
    picked.holds("CSA: activity  (Pettigrew a and Archer b, in Chambersburg Pike)");
    let run = play(
        &folder,
        &["first-day", "--seed", "1"],
        "Chambersburg Pike\nall together\nmovement\nall together\nwhy not rummel farm\nwhy not Knoxlyn Ridge\nwhy not the moon\nq\n",
    );
    let output = run.expect_success().out;
    for part in [
        "Rummel farm is not open. where it can go: Rummel farm lies beyond",
        "Knoxlyn Ridge is open",
        "no place is called `the moon`",
    ] {
        output.holds(part);
    }
    let battle = play(&folder, &["attack-from-march", "--seed", "1"], "q\n")
        .expect_success()
        .out;
    battle.holds("cavalry falls back to  (Hatch's cavalry in C2109, attacked by");
}

/// The reason is the refusal of the move itself: for a stack it is the room, though the movement points would do. Where another rule closes
/// a place, such as that of a withdrawal, the question about moves does not speak.
#[test]
fn why_not_is_the_refusal_of_the_rule() {
    let folder = Folder::empty();
    let moving = "Emmitsburg Road\nall together\nwhy not Emmitsburg Road fields\nwhy not Taneytown Road\nwhy not Cemetery Hill\nq\n";
    let shipped =
        std::fs::read_to_string(common::repository().join("scenarios/tmag/a-corps-in-a-zone.yaml"))
            .expect("it is shipped");
    let asked = shipped
        .split("choices:")
        .next()
        .unwrap_or_default()
        .replace("situation: a-corps-in-a-zone", "situation: a-corps");
    folder.write("scenarios/tmag/a-corps.yaml", asked);
    let stack = play(&folder, &["a-corps"], moving).expect_success().out;
    for part in [
        "Emmitsburg Road fields is not open. where it can go: Emmitsburg Road fields has 0 units: 13 more may not enter",
        "Taneytown Road is open",
        "Cemetery Hill lies beyond ",
        "13 more may not enter",
    ] {
        assert!(
            stack
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(part),
            "`{part}` in:\n{stack}"
        );
    }
    // Where a smaller group can go, it can be sent at once.
    let parted = play(
        &folder,
        &["a-corps", "--reading", "10.3.zones=as areas", "--seed", "1"],
        "Emmitsburg Road\nall together\nas many as can go\nEmmitsburg Road fields\nq\n",
    );
    let parted = parted.expect_success().out;
    let asked = parted
        .split("a smaller group can go")
        .nth(1)
        .unwrap_or_default();
    asked.holds("as many as can go  (Meredith a, ");
    asked.holds("go to Emmitsburg Road fields");
    let shipped =
        std::fs::read_to_string(common::repository().join("scenarios/tmag/gamble-withdraws.yaml"))
            .expect("it is shipped");
    let asked = shipped
        .split("choices:")
        .next()
        .unwrap_or_default()
        .replace("situation: gamble-withdraws", "situation: gamble");
    folder.write("scenarios/tmag/gamble.yaml", asked);
    let riding = play(&folder, &["gamble"], "withdraw\nwhy not 64\nq\n")
        .expect_success()
        .out;
    riding.holds("is not open. Now the question is “");
}

/// The name of a place is not taken for the piece whose name ends it.
#[test]
fn a_place_is_not_described_as_a_piece() {
    let folder = Folder::empty();
    let board = "situation: long-lane\ntitle: To Long Lane\nprocedure: movement\nuses: [gettysburg-map, order-of-battle]\n\
                 status: reconstructed\nsource: { doc: errata, at: \"Question 13\" }\nmethod: ours\ntracks: { impulse: 2, player: USA }\npieces:\n  \
                 - { name: Candy a, at: the Seminary, activated: true }\n  - { name: Lane, at: Herr Ridge }\ngiven: { side: USA }\n";
    folder.write("scenarios/tmag/long-lane.yaml", board);
    let menu = play(&folder, &["long-lane"], "q\n").expect_success().out;
    let line = menu
        .lines()
        .find(|line| line.contains("Long Lane"))
        .unwrap_or_else(|| panic!("it is open:\n{menu}"));
    line.lacks("artillery");
    line.lacks("battery");
    line.lacks("Herr Ridge");
}

/// The same for rail movement and for courses of ships.
#[test]
fn why_not_is_answered_of_rides_and_courses() {
    let folder = Folder::empty();
    let shipped = |name: &str| {
        std::fs::read_to_string(common::repository().join(format!("scenarios/wbts/{name}.yaml")))
            .expect("it is shipped")
    };
    let copy_situation = |name: &str, copied_name: &str, changes: &[(&str, &str)]| {
        let text = shipped(name);
        let text = text.split("\ntests:").next().unwrap_or_default().replace(
            &format!("situation: {name}"),
            &format!("situation: {copied_name}"),
        );
        let changed = changes.iter().fold(text, |text, (old, new)| {
            assert!(text.contains(old), "`{old}` stands in {name}");
            text.replace(old, new)
        });
        folder.write(&format!("scenarios/wbts/{copied_name}.yaml"), changed);
    };
    copy_situation(
        "into-the-lake",
        "a-course",
        &[("given: { ships: [Gulf Squadron], path: [B2728] }", "")],
    );
    let course = play(&folder, &["a-course"], "sail\nB2701\nB2728\nq\n")
        .expect_success()
        .out;
    course.holds("B2701 is not open. where it can go: ");
    course.holds("come no nearer than B2827/B2828");
    course.holds("too deep for Lake Pontchartrain");
    course.holds("7.53 hardy");
    let changes = [
        (
            "procedure: reach of a force",
            "procedure: movement of a force",
        ),
        (
            "Confederate rail points: 25",
            "Confederate rail points: 25, Confederate commands: 1",
        ),
        (", boards_at: C2008", ""),
        ("to: C2409", "by: direct command"),
    ];
    copy_situation("where-bee-can-ride", "a-ride", &changes);
    let ride = play(&folder, &["a-ride"], "by rail\nC2609\nC2314\nC2409\n\nq\n")
        .expect_success()
        .out;
    ride.holds("C2609 Alexandria is not open. where it can go: ");
    ride.holds("C2314 is not open. where it can go: ");
    ride.holds("goes by rail from C2008 to C2409");
}

#[test]
fn a_ruling_without_a_word_says_so() {
    let folder = Folder::skirmish();
    let attack = folder.read("rules/skirmish/01-battle/1.1-attack.rhai");
    let silent_case = attack.replacen(
        "fn attack(given) {",
        "fn attack(given) {\n    if given.side == \"Red\" { return; }",
        1,
    );
    folder.write("rules/skirmish/01-battle/1.1-attack.rhai", silent_case);
    for args in [
        &["resolve", "bridge"][..],
        &["resolve", "bridge", "--brief"],
    ] {
        let out = folder.out(args);
        out.holds("Nothing came of it: no case had anything to say.");
    }
    Folder::empty()
        .out(&["resolve", BATTLE])
        .lacks("Nothing came of it");
}

#[test]
fn why_board_and_odds_can_be_asked() {
    let folder = Folder::empty();
    let run = play(&folder, &[BATTLE], "1\n?\nb\no\nh\nq\n").expect_success();
    for part in [
        "looked up since the last answer",
        "Initiative to attack",
        "V Corps · Union corps headquarters",
        "by what is taken now",
        "u        undo",
    ] {
        run.out.holds(part);
    }
}

/// At a choice the odds are told for each option; they are those of `odds` with that option, and play stands where it stood.
#[test]
fn odds_are_told_by_option() {
    let folder = Folder::empty();
    let run = play(&folder, &[BATTLE], "1\n1\no\nq\n").expect_success();
    let asked = run.out.split("> o").nth(1).expect("it is asked for");
    for part in [
        "by what is taken now; every later choice at its first option",
        "intensity\n",
        "defender losses",
        "  4",
        "  0",
    ] {
        asked.holds(part);
    }
    assert_eq!(
        run.out.matches("Confederate: intensity").count(),
        2,
        "the question is put again: {}",
        run.out
    );
    let duel = Folder::copy_of(
        &crate::common::repository().join("tests/duel"),
        &["rules", "tables", "scenarios", "variants"],
    );
    let text = play(&duel, &["meadow"], "fire\no\nq\n")
        .expect_success()
        .out;
    assert!(
        text.contains("each option has the same odds") || text.contains("  fire "),
        "{text}"
    );
}

#[test]
fn the_board_uses_the_wording_of_the_manifest() {
    for situation in [
        "brigade-assault",
        "lee-attacks-porter",
        "second-corps-arrives",
    ] {
        let out = play(&Folder::empty(), &[situation], "b\nq\n")
            .expect_success()
            .out;
        let board = out.split("> b").nth(1).expect("the board is asked for");
        let raw: Vec<&str> = board
            .split_whitespace()
            .filter(|word| word.contains('_') || word.contains("-artillery"))
            .collect();
        assert!(
            raw.is_empty() && board.contains(" · "),
            "{situation} tells keys of the manifest: {raw:?}\n{board}"
        );
    }
    let board = play(&Folder::empty(), &["brigade-assault"], "b\nq\n")
        .expect_success()
        .out;
    for part in [
        "Confederate field battery, 4 guns",
        "4 inches left of the middle of its strip",
        "4 inches right of the middle",
        "battle turn 1",
    ] {
        board.holds(part);
    }
    let folder = Folder::skirmish();
    let manifest = "rules/skirmish/game.yaml";
    let text = folder.read(manifest);
    let with = |wording: &str| {
        text.replace(
            "speed:    { unit: hexes }",
            &format!("speed: {{ unit: hexes, wording: {wording} }}"),
        )
    };
    folder.write(
        manifest,
        with("\"goes {} {hex|hexes}\"").replace("to: 8 }", "to: 8, wording: \"turn {}\" }"),
    );
    folder.ok("check").terminal_output().lacks("error[");
    let board = play(&folder, &["bridge"], "b\nq\n").expect_success().out;
    board.holds("goes 2 hexes");
    board.holds("  turn 3\n");
    board.holds("Red footmen");
    for (wording, wrong) in [
        ("fast", "`fast` has no `{}` where the figure goes"),
        ("\"{} or {}\"", "more than one `{}` where the figure goes"),
        ("[\"{}\", \"{}\", \"{}\"]", "there are 3 wordings here"),
        ("[]", "there are 0 wordings here"),
    ] {
        folder.write(manifest, with(wording));
        let output = folder.run("check").terminal_output();
        output.holds(wrong);
    }
    folder.write(
        manifest,
        text.replace(
            "brook:  { flag: true }",
            "brook: { flag: true, wording: \"{} brook\" }",
        ),
    );
    folder
        .run("check")
        .terminal_output()
        .holds("a flag has nothing to put there");
}

#[test]
fn menus_tell_costs_and_names() {
    let folder = Folder::empty();
    let march = play(
        &folder,
        &["the-march-to-manassas", "--seed", "1"],
        &("\n".repeat(11) + "q\n"),
    )
    .expect_success()
    .out;
    for part in [
        "C2509  (toward Manassas Junction; 1 of 3 movement points)",
        "C2608  (Washington; 2 of 3 movement points)",
        "McDowell  (leader in C2609",
        "halt\n",
    ] {
        march.holds(part);
    }
    let turn = play(
        &folder,
        &["brigade-assault", "--policy", "Union=first", "--seed", "1"],
        &("\n".repeat(30) + "q\n"),
    )
    .out;
    turn.holds("Law's brigade  (4th Alabama and 15th Alabama)");
    // `describe_option` holds for one choice.
    let folder = Folder::skirmish();
    let path = "rules/skirmish/01-battle/1.1-attack.rhai";
    let asks = "    describe_option(\"into the wood\", \"for {} {point|points}\", [2]);\n    \
        choose(given.side, \"way\", [\"into the wood\", \"round it\"]);\n    \
        choose(given.side, \"way back\", [\"into the wood\", \"straight home\"]);\n    let against";
    folder.write(path, folder.read(path).replacen("    let against", asks, 1));
    let menu = play(&folder, &["bridge"], "\n\nq\n").expect_success().out;
    menu.holds("  1  into the wood  (for 2 points)\n  2  round it\n");
    menu.holds("  1  into the wood\n  2  straight home\n");
    compare_in_folder(&folder, "skirmish", "bridge")
        .0
        .expect("both evaluators agree");
    // It is not a line of the ruling.
    folder.out("resolve bridge").lacks("for 2 points");
}

#[test]
fn a_refusal_takes_back_what_was_done_and_says_so() {
    let folder = Folder::skirmish();
    let path = "rules/skirmish/01-battle/1.1-attack.rhai";
    let original = folder.read(path);
    let late = original.replacen(
        "\n}\n\n/// 1.1 stated",
        "\n    refuse(\"night falls\");\n}\n\n/// 1.1 stated",
        1,
    );
    let early = original.replacen(
        "    step(\"Attack\");",
        "    step(\"Attack\");\n    refuse(\"it rains\");",
        1,
    );
    assert!(late != original && early != original);
    let notice = "Nothing of this holds: everything done before it is taken back.";
    let before = folder.json("resolve bridge");
    folder.write(path, late);
    let run = folder.run("resolve bridge --save-situation scenarios/skirmish/after.yaml");
    run.ends(1);
    run.out.holds(notice);
    run.out.holds("Outcome so far, taken back");
    run.err
        .holds("was not written: what is refused changes nothing");
    assert!(!folder.0.join("scenarios/skirmish/after.yaml").exists());
    folder.run("resolve bridge --brief").out.holds(notice);
    let data = folder.run("resolve bridge --format json").json();
    assert_eq!(data["taken_back"], true);
    let strength = |data: &Value| -> i64 {
        data["board"]["pieces"]
            .items()
            .filter_map(|piece| piece["strength"].as_i64())
            .sum()
    };
    assert!(
        strength(&data) > strength(&before),
        "the board is as it was before the losses"
    );
    folder.write(path, early);
    let run = folder.run("resolve bridge");
    assert!(
        run.out.contains("it rains") && !run.out.contains("taken back"),
        "nothing had been done: {}",
        run.out
    );
    assert!(
        folder
            .run("resolve bridge --format json")
            .json()
            .get("taken_back")
            .is_none()
    );
    // In a shipped game: the order for the second battle of a phase is refused.
    let run = Folder::empty().run("resolve past-the-steamers");
    run.ends(1);
    run.out.holds("Benton goes to B2601/B2702");
    run.out.holds(notice);
}

#[test]
fn a_policy_plays_a_side() {
    let folder = Folder::empty();
    let run = play(
        &folder,
        &[BATTLE, "--policy", "all=first", "--save", "journal.yaml"],
        "1\n3\n4\n5\n5 3\n3 5\n",
    )
    .expect_success();
    assert!(
        !run.out.contains("Confederate: intensity"),
        "nobody is asked what a policy answers:\n{}",
        run.out
    );
    // The journal says who plays, and whoever opens it plays against the same.
    let kept = folder.read("journal.yaml");
    kept.holds("policy: { all: first }");
    let again = play(&folder, &["journal.yaml"], "u\nu\nu\nu\nu\nu\nu\n1\n3\nq\n");
    let again = again.expect_success().out;
    again.holds("all is played by first");
    folder.replace("journal.yaml", "all: first", "all: genius");
    let run = play(&folder, &["journal.yaml"], "");
    run.ends(2);
    run.err.holds("`genius`; write first, last, ");
    let run = play(&folder, &[BATTLE, "--policy", "all=best"], "");
    assert_eq!(
        run.status,
        Some(2),
        "what needs the end in view is for odds"
    );
}

#[test]
fn the_board_at_the_end_is_a_situation_for_every_command() {
    let folder = Folder::empty();
    let saved = "scenarios/wbts/afterwards.yaml";
    folder.ok(&["resolve", BATTLE, "--seed", "3", "--save-situation", saved]);
    folder.ok("check");
    let resolved = folder.run("resolve afterwards");
    assert!(
        resolved.out.contains("nobody defends C2515"),
        "the defenders have left:\n{}",
        resolved.out
    );
    folder.replace(saved, "target: C2515", "target: C2514");
    let resolved = folder.run("resolve afterwards --seed 1");
    assert!(
        resolved.out.contains("has attacked already"),
        "and nobody attacks twice:\n{}",
        resolved.out
    );
    folder
        .replace(saved, "target: C2514", "target: C2515")
        .replace(
            saved,
            "attackers: [Lee, J. Johnston]",
            "attackers: [Porter]",
        );
    folder.ok("resolve afterwards --seed 1");
    let odds = folder.json("odds afterwards");
    assert_eq!(odds["complete"], true);
    let played = play(&folder, &["afterwards"], &"\n".repeat(60)).expect_success();
    played.out.holds("Outcome");
    let twice = folder.run(&["resolve", BATTLE, "--seed", "3", "--save-situation", saved]);
    assert_ne!(
        twice.status,
        Some(0),
        "a file that is there is not replaced"
    );
}

/// In a game without hexes a saved situation lists all places and sides, also those without a figure.
#[test]
fn a_board_without_hexes_is_saved_whole() {
    let folder = Folder::empty();
    for (game, situation) in [("banasik", "brigade-assault"), ("tmag", "impulse-seven")] {
        let saved = format!("scenarios/{game}/afterwards.yaml");
        folder.ok(format!(
            "resolve '{situation}' --game '{game}' --save-situation '{saved}'"
        ));
    }
    // One check for both, as a check of all shipped data takes seconds.
    folder.ok("check");
    for game in ["banasik", "tmag"] {
        let resolved = folder.run(&["resolve", "afterwards", "--game", game]);
        assert!(
            resolved.out.contains(", as it was left"),
            "it can be read:\n{}{}",
            resolved.out,
            resolved.err
        );
    }
}

#[test]
fn odds_from_the_middle_are_those_of_what_is_left() {
    let folder = Folder::empty();
    folder.ok(&["resolve", BATTLE, "--seed", "3", "--save", "journal.yaml"]);
    let after = |n: usize| folder.json(&["odds", "journal.yaml", "--after", &n.to_string()]);
    let full_odds = folder.json(&["odds", BATTLE]);
    assert_eq!(
        after(0)["outcomes"],
        full_odds["outcomes"],
        "before the first answer all is open"
    );
    let end = folder.read("journal.yaml").matches("  - {").count();
    let last = after(end - 1);
    let outcomes = last["outcomes"].as_array().expect("a list of outcomes");
    let losses = outcomes
        .iter()
        .find(|one| one["outcome"] == "defender losses")
        .expect("it is among them");
    assert_eq!(
        losses["values"][0]["chance"], "1",
        "what has fallen is certain: {losses}"
    );
    assert_eq!(
        folder.run("odds journal.yaml").status,
        Some(2),
        "at its end nothing is left to come"
    );
}

#[test]
fn a_journal_is_played_under_other_rules_by_the_names_of_its_dice() {
    let folder = Folder::empty();
    folder.ok(&["resolve", BATTLE, "--seed", "3", "--save", "journal.yaml"]);
    let run = folder.ok("replay journal.yaml --with hardy,dye");
    for part in [
        "Where it differs from the journal",
        "What differs at the end",
        "New throws and choices",
        "but not asked for",
    ] {
        run.out.holds(part);
    }
    let same = folder.json("replay journal.yaml --with second-edition");
    let original = folder.json(&["resolve", BATTLE, "--seed", "3"]);
    assert_eq!(same["results"], original["results"]);
}

/// An unfinished journal stops at its end, also under other rules.
#[test]
fn an_unfinished_journal_stops_where_it_stops() {
    let folder = Folder::empty();
    let journal =
        std::fs::read_to_string(common::repository().join("tests/journals/first-manassas.yaml"))
            .expect("a journal");
    for answers in [0, 1, 20] {
        let lines = journal
            .lines()
            .take_while(|line| !line.starts_with("results:"));
        let head = journal
            .lines()
            .position(|line| line == "moves:")
            .expect("moves")
            + 1;
        folder.write(
            "half.yaml",
            lines.take(head + answers).collect::<Vec<_>>().join("\n") + "\n",
        );
        if answers == 0 {
            folder.replace("half.yaml", "moves:\n", "moves: []\n");
        }
        let run = folder.ok("replay half.yaml --with hardy,dye --save other.yaml");
        run.out
            .holds("The journal stops here, before its end. Asked next: ");
        assert!(run.out.lines().count() < 100, "{}", run.out);
        run.out.lacks("it had come to its end");
        let other_journal = folder.read("other.yaml");
        assert!(
            other_journal.matches("  - {").count() <= answers
                && !other_journal.contains("results:"),
            "{other_journal}"
        );
        let json = folder.json("replay half.yaml --with hardy,dye");
        assert!(
            json["stopped"].is_string() && json["odds"].is_null(),
            "{json}"
        );
    }
    // Questions that the journal lacks are answered on the way, but it still ends at its last answer.
    folder.ok(&["resolve", BATTLE, "--seed", "3", "--save", "journal.yaml"]);
    let finished = folder.json("replay journal.yaml --with hardy,dye");
    assert!(finished["stopped"].is_null());
    let text = folder.read("journal.yaml");
    let cut = text.split("results:").next().expect("the moves").trim_end();
    let cut = cut.rsplit_once("\n").expect("lines").0;
    folder.write("cut.yaml", format!("{cut}\n"));
    let run = folder.ok("replay cut.yaml --with hardy,dye");
    run.out.holds("The journal stops here");
}

#[test]
fn another_choice_and_another_die_are_taken() {
    let folder = Folder::empty();
    folder.ok(&["resolve", BATTLE, "--seed", "3", "--save", "journal.yaml"]);
    let change = |change: &str| {
        folder.run(format!(
            "replay journal.yaml --change '{change}' --format json"
        ))
    };
    assert_eq!(
        change("Confederate: intensity=2").expect_success().json()["ruling"]["results"]["intensity"],
        4
    );
    let refused = change("combat initiative: Lee=6").expect_success().json();
    assert_eq!(
        refused["parts"]["now"][0],
        "1d6 for combat initiative: Lee (6)"
    );
    for bad_change in [
        "nobody asked=1",
        "Confederate: intensity=9",
        "combat initiative: Lee=7",
        "combat initiative: Lee#2=3",
    ] {
        assert_ne!(
            change(bad_change).status,
            Some(0),
            "`{bad_change}` is not passed over"
        );
    }
}

/// The odds of a replay are those of both runs as they chose, so no value that came up has no chance.
#[test]
fn the_odds_of_a_replay_answer_choices_as_the_two_runs_do() {
    let folder = Folder::empty();
    let lines = "\n".repeat(20);
    play(
        &folder,
        &[
            BATTLE,
            "--with",
            "second-edition",
            "--seed",
            "1",
            "--save",
            "evening.yaml",
        ],
        &lines,
    )
    .expect_success();
    play(
        &folder,
        &[
            BATTLE,
            "--with",
            "second-edition",
            "--seed",
            "1",
            "--save",
            "none.yaml",
        ],
        &format!("\nnone{lines}"),
    )
    .expect_success();
    let early = ["evening.yaml", "--change", "combat initiative: Lee=6"];
    let weak = ["evening.yaml", "--change", "Confederate: intensity=2"];
    for args in [early, weak, ["none.yaml", "--with", ""]] {
        let text = folder.out(&[&["replay"], &args[..]].concat());
        text.holds("with the odds of both");
        text.holds(" now)");
        text.lacks("never");
    }
    // An outcome that is not named is said in the words of the game, with the chance of that.
    let text = folder.run(&[&["replay"], &early[..]].concat()).out;
    text.holds("ratio: 150 → no battle (66.7 % then, 16.7 % now)");
    let replayed = folder
        .run(&[&["replay"], &weak[..], &["--format", "json"]].concat())
        .json();
    assert!(replayed["no_odds"].is_null(), "{}", replayed["no_odds"]);
    // Where another leader attacks, 4 is not open: then it is the first option.
    for (run, intensity) in [("then", "first"), ("now", "2")] {
        let answer = format!("Confederate: intensity={intensity}");
        let answers = [
            "--choose",
            &answer,
            "--choose",
            "Union: intensity=0",
            "--format",
            "json",
        ];
        let counted =
            folder.json(&[&["odds", BATTLE, "--with", "second-edition"], &answers[..]].concat());
        for name in ["intensity", "ratio", "attack"] {
            let of = |odds: &Value| {
                odds["outcomes"]
                    .as_array()
                    .and_then(|list| list.iter().find(|one| one["outcome"] == name).cloned())
            };
            let expected = of(&counted);
            assert!(
                expected.is_some() && of(&replayed["odds"][run]) == expected,
                "{name} {run}"
            );
        }
    }
}

#[test]
fn a_replay_without_odds_says_why() {
    let folder = Folder::skirmish();
    let path = "rules/skirmish/01-battle/1.1-attack.rhai";
    let ask = "result(\"NAME way\", choose(given.side, \"way\", [\"wood\", \"road\"]));\n    ";
    let asks = format!(
        "    {}{}let against",
        ask.replace("NAME", "first"),
        ask.replace("NAME", "second")
    );
    folder.write(
        path,
        folder.read(path).replacen("    let against", &asks, 1),
    );
    let replay = |journal: &str, format: &str| {
        folder.ok(format!(
            "replay '{journal}' --change way#1=road --format '{format}'"
        ))
    };
    play(
        &folder,
        &["bridge", "--seed", "1", "--save", "differently.yaml"],
        &format!("wood\nroad{}", "\n".repeat(20)),
    )
    .expect_success();
    let text = replay("differently.yaml", "text").out;
    let reason = "in the journal, `Red: way` is answered differently at different times, and odds are counted with one answer";
    text.holds(format!("No odds: {reason}\n"));
    text.lacks("odds of both");
    let json = replay("differently.yaml", "json").json();
    assert!(
        json["odds"].is_null() && json["no_odds"] == reason,
        "{json}"
    );
}

/// Every damage to a journal is detected or has no effect on the results.
#[test]
fn a_journal_damaged_anywhere_is_found_out() {
    let folder = Folder::skirmish();
    folder.ok("resolve bridge --seed 5 --save journal.yaml");
    let journal = folder.read("journal.yaml");
    let original = folder.json("replay journal.yaml");
    let damaged = |index: usize| {
        let mut bytes = journal.clone().into_bytes();
        bytes[index] = if bytes[index] == b'#' { b'%' } else { b'#' };
        bytes
    };
    // Every sixth byte, as each is a run of the program.
    for index in (0..journal.len()).step_by(6) {
        folder.write("damaged.yaml", damaged(index));
        let run = folder.run("replay damaged.yaml --format json");
        if run.status == Some(0) {
            assert_eq!(
                run.json()["results"],
                original["results"],
                "byte {index}: a damaged journal was played askew"
            );
        } else {
            assert!(
                !run.out.is_empty() || !run.err.is_empty(),
                "byte {index}: it says why"
            );
        }
    }
}

/// At the end of a game its outcomes are those of the last procedure, and those that it is judged by: nothing of a phase before.
#[test]
fn the_end_of_a_game_has_no_outcomes_of_phases_before() {
    let duel = repository().join("tests/duel");
    let folder = Folder::copy_of(&duel, &["rules", "tables", "scenarios", "variants"]);
    folder.replace(
        "rules/duel/01-duel/1.1-volleys.rhai",
        "fn volleys(given) {\n",
        "fn volleys(given) {\n    result(\"smoke\", 1);\n",
    );
    let args = [
        "play",
        "meadow",
        "--policy",
        "Red=bold",
        "--policy",
        "Blue=careful",
        "--seed",
        "1",
    ];
    let played = folder
        .run_with(&args, &"\n".repeat(300))
        .expect_success()
        .out;
    let (_, end) = played.rsplit_once("\nOutcome").expect("an outcome");
    end.holds("winner");
    end.holds("Red points");
    end.lacks("smoke");
}
