//! The status of maps: a ruling that reads reconstructed ground names the file of the map once, and `--strict` refuses it.

use crate::common::{Folder, Says};
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::session::Session;
use casebook::ruling::situation::Situation;
use std::sync::Arc;

const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";
const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";
const READS: &str = "let attackers =";
const RESTS_ON: &str = "the map";

/// The skirmish, whose attack begins with `lines`, with a map like `map`.
fn with(lines: &str, map: &str) -> Folder {
    let folder = Folder::skirmish();
    folder.replace(ATTACK, READS, &format!("{lines}\n    {READS}"));
    let bridge = folder.read(BRIDGE);
    let (before, map_and_rest) = bridge.split_once("map:").expect("a map");
    let after = &map_and_rest[map_and_rest.find("pieces:").expect("pieces")..];
    folder.write(
        BRIDGE,
        format!("{before}method: drawn by eye\nmap:\n{map}{after}"),
    );
    folder
}

/// Whether a ruling and its odds say that they rest on the map; `--strict` refuses either exactly then.
fn rests_on_map(folder: &Folder) -> bool {
    let ruling = folder.out("resolve bridge --dice 5 --sources");
    let named = ruling.contains(&format!("{BRIDGE}: content of {RESTS_ON}"));
    assert_eq!(
        ruling.matches(RESTS_ON).count(),
        usize::from(named),
        "one line for a map: {ruling}"
    );
    let json = folder.json("resolve bridge --dice 5");
    assert_eq!(
        json["figures_reconstructed"].to_string().contains(RESTS_ON),
        named,
        "{json}"
    );
    let odds = folder.json("odds bridge");
    assert_eq!(
        odds["assumed"]["reconstructed"]
            .to_string()
            .contains(RESTS_ON),
        named,
        "{odds}"
    );
    for command in [
        &["resolve", "bridge", "--dice", "5", "--strict"][..],
        &["odds", "bridge", "--strict"],
    ] {
        let run = folder.run(command);
        let refused = run.status == Some(1)
            && run
                .err
                .contains("the map: the content is reconstructed, and a strict");
        assert_eq!(refused, named, "{}", run.terminal_output());
        assert!(
            refused || run.status == Some(0),
            "{}",
            run.terminal_output()
        );
    }
    named
}

const GROUND: &str =
    "if place(given.into).ground == \"wood\" { say(\"They come through the wood.\", []); }";
const BROOK: &str =
    "if between(given.into, given.from).brook { say(\"They cross the brook.\", []); }";

fn map(status: &str, place: &str, side: &str) -> String {
    format!(
        "{status}  places: {{ \"0202\": {{ ground: wood{place} }}, \"0305\": {{ ground: wood, status: reconstructed }} }}\n  \
         sides: {{ \"0201/0202\": {{ brook: true{side} }} }}\n"
    )
}

#[test]
fn the_status_of_a_map_is_that_of_its_places_and_sides() {
    for lines in [GROUND, BROOK, "let names = places();"] {
        assert!(
            rests_on_map(&with(lines, &map("  status: reconstructed\n", "", ""))),
            "{lines}"
        );
    }
    for status in ["printed", "derived", "house"] {
        for lines in [GROUND, BROOK] {
            assert!(
                !rests_on_map(&with(lines, &map(&format!("  status: {status}\n"), "", ""))),
                "{status}: {lines}"
            );
        }
    }
}

/// The file's status is the map's, where the map has none.
#[test]
fn a_map_without_a_status_has_the_one_of_its_file() {
    let folder = with(GROUND, &map("", "", ""));
    folder.replace(BRIDGE, "status: printed", "status: reconstructed");
    assert!(rests_on_map_of_reconstructed_pieces(&folder));
    folder.replace(BRIDGE, "map:\n", "map:\n  status: printed\n");
    assert!(!rests_on_map_of_reconstructed_pieces(&folder));
}

fn rests_on_map_of_reconstructed_pieces(folder: &Folder) -> bool {
    let ruling = folder.out("resolve bridge --dice 5 --sources");
    ruling.holds("strength of");
    ruling.contains(RESTS_ON)
}

/// A place or side has its own status, and counts only where it is read.
#[test]
fn a_place_or_side_may_have_its_own_status() {
    let statuses = [
        (", status: reconstructed", "", GROUND, BROOK),
        ("", ", status: reconstructed", BROOK, GROUND),
    ];
    for (place, side, read, unread) in statuses {
        assert!(
            rests_on_map(&with(read, &map("  status: printed\n", place, side))),
            "{read}"
        );
        assert!(
            !rests_on_map(&with(unread, &map("  status: printed\n", place, side))),
            "{unread}"
        );
    }
    assert!(!rests_on_map(&with(
        GROUND,
        &map("  status: reconstructed\n", ", status: printed", "")
    )));
}

/// A ruling that needs no map says nothing of it.
/// A ruling may begin after any answer: each part names the ground that it reads itself, although the whole names it once.
#[test]
fn the_part_after_an_answer_names_its_own_ground() {
    let folder = with(
        &format!("{GROUND} choose(given.side, \"way\", [\"a\", \"b\"]); {GROUND}"),
        &map("  status: reconstructed\n", "", ""),
    );
    let library = Arc::new(casebook::open(&folder.0).expect("it is read"));
    let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
        .expect("it is loaded");
    let mut session = Session::begin(situation, 1, false).expect("it begins");
    session.choose(0).expect("both ways are open");
    for answer in [0, 1] {
        let figures = session.resolved_since(answer).ruling.reconstructed;
        assert_eq!(
            figures
                .iter()
                .filter(|figure| figure.contains(RESTS_ON))
                .count(),
            1,
            "since answer {answer}: {figures:?}"
        );
    }
}

#[test]
fn a_map_that_is_not_read_does_not_count() {
    assert!(!rests_on_map(&with(
        "",
        &map("  status: reconstructed\n", "", "")
    )));
}

/// What is set by hand, or by the ruling itself, is certain.
#[test]
fn ground_that_is_set_is_certain() {
    let folder = with(GROUND, &map("  status: reconstructed\n", "", ""));
    let set = folder.out("resolve bridge --dice 5 --sources --set '0202: ground=open'");
    set.lacks(RESTS_ON);
    let lines = format!("set(place(given.into), \"ground\", \"open\");\n    {GROUND}");
    assert!(!rests_on_map(&with(
        &lines,
        &map("  status: reconstructed\n", "", "")
    )));
}

/// Where the map says which areas touch, it is read to know it.
#[test]
fn areas_that_touch_do_so_by_the_map() {
    for (status, rests) in [("reconstructed", true), ("printed", false)] {
        let folder = with(
            "",
            &map("  status: printed\n", "", &format!(", status: {status}")),
        );
        folder.replace("rules/skirmish/game.yaml", "  notation: hex\n", "");
        folder.replace(
            "rules/skirmish/game.yaml",
            "  sheets: { \"\": { columns: \"1-8\", rows: \"1-8\" } }\n  lower: even\n",
            "",
        );
        assert_eq!(rests_on_map(&folder), rests, "{status}");
    }
}

/// A variant's change has its own status and file; the rest of the place keeps its own.
#[test]
fn a_change_of_the_map_has_a_status() {
    let game = "    ground: { word: [open, wood], default: open }\n";
    for (status, read, rests) in [
        ("printed", GROUND, false),
        ("reconstructed", GROUND, true),
        (
            "printed",
            "if place(given.into).height > 0 { say(\"Up.\", []); }",
            true,
        ),
    ] {
        let folder = with(read, &map("  status: reconstructed\n", "", ""));
        folder.replace(
            "rules/skirmish/game.yaml",
            game,
            &format!("{game}    height: {{ unit: levels, default: 0 }}\n"),
        );
        let errata = folder.read("variants/errata/scenarios/bridge.yaml");
        let change = format!(
            "changes:\n  - {{ place: \"0202\", ground: {{ was: wood, now: open }}, status: {status} }}\n"
        );
        folder.write(
            "variants/errata/scenarios/bridge.yaml",
            errata.replace("changes:\n", &change),
        );
        let ruling = folder.out("resolve bridge --with errata --dice 5 --sources");
        assert_eq!(ruling.contains(RESTS_ON), rests, "{ruling}");
        let changed = "variants/errata/scenarios/bridge.yaml: content of the map";
        assert_eq!(
            ruling.contains(changed),
            status == "reconstructed",
            "the file that reconstructs it: {ruling}"
        );
    }
}

/// A change of the map that the layer below has already is noted, as one of a piece is.
#[test]
fn a_change_of_the_map_that_is_made_already_is_noted() {
    for (was, now, message) in [
        ("wood", "wood", "already"),
        ("open", "wood", "already"),
        ("open", "open", "`was: open` does not match"),
    ] {
        let folder = with("", &map("", "", ""));
        let errata = folder.read("variants/errata/scenarios/bridge.yaml");
        let change =
            format!("changes:\n  - {{ place: \"0202\", ground: {{ was: {was}, now: {now} }} }}\n");
        folder.write(
            "variants/errata/scenarios/bridge.yaml",
            errata.replace("changes:\n", &change),
        );
        let checked = folder.run("check").terminal_output();
        checked.holds(message);
    }
}

/// A place of which nothing is known refuses, with the file to fill in.
#[test]
fn a_missing_place_refuses() {
    let folder = with(GROUND, "  places: { \"0202\": { status: missing } }\n");
    let run = folder.run("resolve bridge --dice 5");
    run.ends(1);
    run.err.holds("0202: the ground is not known");
    run.err.holds("give it in a situation of your own, or in");
    run.err.holds(BRIDGE);
    folder.replace(ATTACK, GROUND, "");
    folder.ok("resolve bridge --dice 5");
}

#[test]
fn a_status_that_says_nothing_is_refused() {
    let refused = |map: &str| {
        let folder = with("", map);
        let run = folder.run("check");
        run.ends(1);
        run.terminal_output()
    };
    refused("  status: printed\n")
        .holds("the map names no place and no side, so its status says nothing");
    let output = refused("  places: { \"0202\": { ground: wood, status: missing } }\n");
    output.holds("it is `missing`, and its features are given");
    let folder = with("", &map("", "", ""));
    let errata = folder.read("variants/errata/scenarios/bridge.yaml");
    folder.write(
        "variants/errata/scenarios/bridge.yaml",
        errata.replace(
            "changes:\n",
            "changes:\n  - { place: \"0202\", status: derived }\n",
        ),
    );
    let run = folder.run("check");
    run.terminal_output()
        .holds("the change changes no feature, so its status says nothing");
}

/// Reconstructed ground needs a method, like other figures.
#[test]
fn reconstructed_ground_states_its_method() {
    let folder = with("", &map("", ", status: reconstructed", ""));
    folder.ok("check");
    folder.replace(BRIDGE, "method: drawn by eye\n", "");
    let run = folder.run("check");
    run.ends(1);
    run.terminal_output().holds("states no method");
}
