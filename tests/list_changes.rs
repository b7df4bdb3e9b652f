//! What a variant's file changes of a situation below: every key, or it is refused by name.

use crate::common::{Folder, Says, schema_faults};
use casebook::complaint::{Complaints, DiagnosticCode};
use casebook::data::format::scenario::SITUATION;
use casebook::data::library::Library;
use casebook::data::scenario::Scenario;
use casebook::ruleset::compose::{Ruleset, RulesetSpec};
use std::collections::BTreeSet;
use std::sync::Arc;

const BASE: &str = "scenarios/skirmish/ford.yaml";
const OTHER: &str = "variants/other/scenarios/ford.yaml";
const MANIFEST: &str = "variants/other/variant.yaml";
/// The manifest of a variant with an option.
const OPTIONAL: &str = "variant: other\ntitle: The other\ngame: skirmish\noptions:\n  late: { title: Later, default: on }\n";

/// A situation that says something under every key of a situation, and a variant with an option.
fn folder() -> Folder {
    let folder = Folder::skirmish();
    folder.append(
        "rules/skirmish/game.yaml",
        "decks:\n  cards: { holds: { ace: 2, king: 2 } }\nstyles:\n  bold: { what: Attacks. }\n  wary: { what: Waits. }\n",
    );
    folder.write(
        "scenarios/skirmish/roll.yaml",
        "roster: roll\ntitle: The roll\nsource: { doc: sheet, at: roll }\npieces:\n  - { name: Red foot, kind: footman, side: Red, value: \"4-2\" }\n",
    );
    folder.write(
        BASE,
        "situation: ford\ntitle: At the ford\nsource: { doc: sheet, at: ford }\nprocedure: attack\ngoes_on: true\nphase: Battle\nuses: [roll]\n\
         tracks: { turn: 3 }\ndecks: { cards: { top: [ace] } }\n\
         map: { places: { \"0202\": { ground: wood } }, sides: { \"0201/0202\": { brook: true } } }\n\
         given: { side: Red, from: \"0201\", into: \"0202\", units: [Red foot] }\nchoices: { \"Blue: first to lose\": Blue foot }\n\
         text: A ford.\nalso: [water]\naims: { Red: Cross. }\nlength: eight turns\n\
         computer: { Red: { style: bold, measured: wins } }\n\
         pieces:\n  - { name: Red foot, at: \"0201\" }\n  - { name: Red wagon, kind: wagon, side: Red, value: \"1-1\", \"on\": Red foot }\n  - { name: Blue foot, kind: footman, side: Blue, value: \"3-2\", at: \"0202\" }\n",
    );
    folder.write(MANIFEST, OPTIONAL);
    folder
}

/// Writes the variant's file for the situation; a key that the lines say stands once.
fn amend(folder: &Folder, variant: &str, lines: &str) {
    let head = "situation: ford\ntitle: The ford put right\nkind: correction\nsource: { doc: slip, at: ford }\n";
    let key = |line: &str| line.split(':').next().unwrap_or_default().to_string();
    let is_kept = |line: &&str| !lines.lines().any(|other| key(other) == key(line));
    let head: Vec<&str> = head.lines().filter(is_kept).collect();
    folder.write(
        &format!("variants/{variant}/scenarios/ford.yaml"),
        format!("{}\n{lines}", head.join("\n")),
    );
}

/// The situation under some variants, with the codes of the complaints.
fn stacked(folder: &Folder, variants: &[&str], late: bool) -> (Arc<Scenario>, Complaints) {
    let library = Library::open(&folder.0, casebook::EMBEDDED).expect("the folder is readable");
    let mut spec = RulesetSpec::new("skirmish", variants);
    if variants.contains(&"other") {
        spec = spec.option("other.late", late);
    }
    let (ruleset, _) = Ruleset::compose(&library, &spec).expect("the rules are composed");
    let mut complaints = Complaints::default();
    let scenario = ruleset.stack_scenario("ford", &mut complaints);
    // Editors find nothing wrong with what is read.
    if complaints.0.is_empty() {
        let files = library.files.by_key.values();
        let yaml =
            files.filter(|file| file.key.starts_with("variants/") && file.key.ends_with(".yaml"));
        assert_eq!(
            yaml.flat_map(|file| schema_faults(&file.key, &file.text))
                .collect::<Vec<_>>(),
            [""; 0]
        );
    }
    (
        scenario.expect("the situation is there"),
        complaints.into_sorted(),
    )
}

fn codes(complaints: &Complaints) -> Vec<DiagnosticCode> {
    complaints
        .0
        .iter()
        .map(|complaint| complaint.code)
        .collect()
}

/// A key of a situation: a change with `WAS`, the old value, the new one as it is read, and how it is read.
type Changed = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    fn(&Scenario) -> String,
);

const CHANGED: &[Changed] = &[
    (
        "title",
        "{ was: WAS, now: Below }",
        "At the ford",
        "Below",
        |s| s.title.clone(),
    ),
    (
        "procedure",
        "{ was: WAS, now: rest }",
        "attack",
        "rest",
        |s| s.procedure.clone().unwrap_or_default(),
    ),
    (
        "goes_on",
        "{ was: WAS, now: false }",
        "true",
        "false",
        |s| s.is_game.to_string(),
    ),
    ("phase", "{ was: WAS, now: Camp }", "Battle", "Camp", |s| {
        s.phase.clone().unwrap_or_default()
    }),
    ("uses", "{ was: [WAS], now: [list] }", "roll", "list", |s| {
        s.used_lists.join(" ")
    }),
    (
        "tracks",
        "{ turn: { was: WAS, now: 4 } }",
        "3",
        "Number(4)",
        |s| format!("{:?}", s.tracks["turn"]),
    ),
    (
        "decks",
        "{ cards: { top: { was: [WAS], now: [king, ace] } } }",
        "ace",
        "[1, 0]",
        |s| format!("{:?}", s.decks["cards"].top),
    ),
    (
        "map",
        "{ places: { \"0202\": { ground: { was: WAS, now: open } } } }",
        "wood",
        "Word(\"open\")",
        |s| format!("{:?}", s.places["0202"].attributes.get("ground").unwrap()),
    ),
    (
        "given",
        "{ from: { was: WAS, now: \"0302\" } }",
        "\"0201\"",
        "0302",
        |s| s.root.get("given").unwrap().text_of("from").into(),
    ),
    (
        "choices",
        "{ \"Blue: first to lose\": { was: WAS, now: Blue riders } }",
        "Blue foot",
        "Blue riders",
        |s| {
            s.root
                .get("choices")
                .unwrap()
                .text_of("Blue: first to lose")
                .into()
        },
    ),
    (
        "text",
        "{ was: WAS, now: A bridge. }",
        "A ford.",
        "A bridge.",
        |s| s.root.text_of("text").into(),
    ),
    (
        "also",
        "{ was: [WAS], now: [stream] }",
        "water",
        "stream",
        |s| s.root.texts_of("also").join(" "),
    ),
    (
        "aims",
        "{ Red: { was: WAS, now: Stay. } }",
        "Cross.",
        "Stay.",
        |s| s.aims["Red"].clone(),
    ),
    (
        "length",
        "{ was: WAS, now: two turns }",
        "eight turns",
        "two turns",
        |s| s.length.clone(),
    ),
    (
        "computer",
        "{ Red: { was: { style: WAS, measured: wins }, now: { style: wary, measured: loses } } }",
        "bold",
        "wary",
        |s| s.computer["Red"].style.clone(),
    ),
];

/// Keys that can't be changed, and what is said of them.
const REFUSED: &[&str] = &[
    "situation",
    "roster",
    "deployment",
    "kind",
    "label",
    "source",
    "status",
    "method",
    "with",
    "examples",
    "tests",
    "changes",
    "option",
    "note",
    "idle",
    "options",
    "readings",
    "pieces",
];

/// Each key of a situation that a variant's file changes is in force, under its `was` and its option; the others are refused by name.
#[test]
fn every_key_of_a_situation_is_changed_or_refused_by_name() {
    let named: BTreeSet<&str> = CHANGED
        .iter()
        .map(|(key, ..)| *key)
        .chain(REFUSED.iter().copied())
        .collect();
    assert_eq!(named, SITUATION.keys.iter().map(|key| key.name).collect());
    let folder = folder();
    for (key, change, was, now, read) in CHANGED {
        // In the file of the situation: at its head, and as an entry; and as an entry of the variant's own list.
        type Form = fn(&str) -> String;
        let forms: [(&str, Form); 3] = [
            (OTHER, |change| format!("option: late\n{change}\n")),
            (OTHER, |change| {
                format!("changes:\n  - {change}\n    option: late\n")
            }),
            (MANIFEST, |change| {
                format!("{OPTIONAL}changes:\n  - of: ford\n    {change}\n    option: late\n")
            }),
        ];
        for (path, form) in forms {
            let change = |was: &str| {
                let text = form(&format!("{key}: {}", change.replace("WAS", was)));
                if path == OTHER {
                    return amend(&folder, "other", &text);
                }
                std::fs::remove_file(folder.0.join(OTHER)).ok();
                folder.write(path, text);
            };
            folder.write(MANIFEST, OPTIONAL);
            change(was);
            let (scenario, complaints) = stacked(&folder, &["other"], true);
            assert_eq!(read(&scenario), *now, "{key}: {complaints:?}");
            assert_eq!(codes(&complaints), [], "{key}: {complaints:?}");
            let (scenario, _) = stacked(&folder, &["other"], false);
            assert_ne!(read(&scenario), *now, "{key} without the option");
            change("\"7\"");
            let (_, complaints) = stacked(&folder, &["other"], true);
            assert_eq!(
                codes(&complaints),
                [DiagnosticCode::WasNow],
                "{key}: {complaints:?}"
            );
            assert!(complaints.0[0].place.path.ends_with(path), "{complaints:?}");
        }
    }
    folder.write(MANIFEST, OPTIONAL);
    for key in REFUSED.iter().filter(|key| **key != "changes") {
        amend(&folder, "other", &format!("{key}: {{ was: a, now: b }}\n"));
        let (_, complaints) = stacked(&folder, &["other"], true);
        let named = format!("`{key}:` can't be changed here");
        assert!(
            complaints
                .0
                .iter()
                .any(|complaint| complaint.message.to_string().contains(&named)),
            "{key}: {complaints:?}"
        );
        // To a schema, `readings: { was: a }` sets a reading called so.
        let is_refused = !schema_faults(OTHER, &folder.read(OTHER)).is_empty();
        assert!(is_refused || *key == "readings", "{key}");
    }
}

/// A value that is there is not overwritten without `was`, one that is missing is added, and one is taken away.
#[test]
fn a_value_is_added_replaced_or_taken_away() {
    let folder = folder();
    amend(&folder, "other", "tracks: { turn: 4 }\n");
    let (_, complaints) = stacked(&folder, &["other"], true);
    let said = format!("{complaints:?}");
    said.holds("{ was: 3, now: 4 }");
    amend(
        &folder,
        "other",
        "map: { status: derived, places: { \"0303\": { ground: wood } }, sides: { \"0202/0201\": { brook: { was: true, now: absent } } } }\ngiven: { units: { was: [Red foot], now: absent } }\n",
    );
    let (scenario, complaints) = stacked(&folder, &["other"], true);
    assert_eq!(codes(&complaints), [], "{complaints:?}");
    let sides = [("0201", "0202"), ("0202", "0201")];
    for (a, b) in sides {
        assert!(
            !scenario.sides[&(a.into(), b.into())]
                .attributes
                .contains_key("brook")
        );
    }
    assert!(scenario.places["0303"].attributes.contains_key("ground"));
    assert!(scenario.root.get("given").unwrap().get("units").is_none());
    // Two cards on top of three of which there are two.
    amend(
        &folder,
        "other",
        "decks: { cards: { hands: { Red: [ace, ace] } } }\n",
    );
    let (_, complaints) = stacked(&folder, &["other"], true);
    assert_eq!(codes(&complaints), [DiagnosticCode::Deck], "{complaints:?}");
}

/// A piece leaves what carries it; one that is at a place and on what is elsewhere is refused; a figure of a roster is compared.
#[test]
fn a_piece_leaves_its_carrier() {
    let folder = folder();
    let check = |change: &str| {
        amend(&folder, "other", &format!("changes:\n  - {{ {change} }}\n"));
        folder
            .run("resolve ford --with other --dice 1")
            .terminal_output()
    };
    let leaves = "piece: Red wagon, \"on\": { was: Red foot, now: absent }, at: { was: missing, now: \"0301\" }";
    check(leaves).lacks("error");
    let disagrees = check("piece: Red wagon, at: { was: missing, now: \"0301\" }");
    disagrees.holds("`Red wagon` is at 0301 and on `Red foot`, which is at 0201");
    check("piece: Red wagon, at: { was: missing, now: \"0201\" }").lacks("error");
    check("piece: Red foot, strength: { was: 4, now: 5 }").lacks("error");
    let other = check("piece: Red foot, strength: { was: 3, now: 5 }");
    other.holds("the layer below has 4 for the strength of `Red foot`");
    let taken = check("piece: Red foot, strength: { was: 4, now: absent }");
    taken.holds("comes from a roster");
}

/// Two variants without an order change different values of a situation together, and of one value contradict each other; comparison
/// names such a change as the cause.
#[test]
fn changes_of_two_variants_compose_or_conflict() {
    let folder = folder();
    folder.write(
        "variants/east/variant.yaml",
        "variant: east\ntitle: East\ngame: skirmish\n",
    );
    amend(&folder, "east", "tracks: { turn: { was: 3, now: 4 } }\n");
    amend(
        &folder,
        "other",
        "length: { was: eight turns, now: two turns }\nmap: { places: { \"0202\": { ground: { was: wood, now: open } } } }\n",
    );
    let (scenario, complaints) = stacked(&folder, &["east", "other"], true);
    assert_eq!(codes(&complaints), [], "{complaints:?}");
    assert_eq!(scenario.length, "two turns");
    assert_eq!(format!("{:?}", scenario.tracks["turn"]), "Number(4)");
    amend(
        &folder,
        "other",
        "changes:\n  - { tracks: { turn: { was: 3, now: 5 } }, option: late }\n",
    );
    let (_, complaints) = stacked(&folder, &["east", "other"], true);
    assert_eq!(
        codes(&complaints),
        [DiagnosticCode::Conflict],
        "{complaints:?}"
    );
    assert_eq!(codes(&stacked(&folder, &["east", "other"], false).1), []);
    let patch = ["check", "--conflicts", "east,other", "--patch", "peace"];
    folder.ok(&patch);
    let settled = folder.read("variants/peace/scenarios/ford.yaml");
    settled.holds("{ tracks: { turn: { was: 5, now: \"?\" } } }");
    amend(
        &folder,
        "other",
        "given: { into: { was: \"0202\", now: \"0102\" } }\ntracks: { turn: { was: 3, now: 5 } }\n",
    );
    folder.replace(BASE, "\"0202\" }\n", "\"0202\" }\n  - { name: Blue riders, kind: rider, side: Blue, value: \"1-4\", at: \"0102\" }\n");
    let compared = folder
        .run("compare ford --with '' --with other")
        .terminal_output();
    compared.holds("given: into in ford");
    compared.lacks("tracks: turn");
}

/// Entries of a variant's own list change situations and rosters as its files do, after them; a slip in one is said at its place.
#[test]
fn a_variants_own_list_changes_situations_and_rosters() {
    let folder = folder();
    amend(&folder, "other", "tracks: { turn: { was: 3, now: 4 } }\n");
    for (file, name) in [(BASE, "ford"), ("scenarios/skirmish/roll.yaml", "roll")] {
        let source = format!("source: {{ doc: sheet, at: {name} }}\n");
        folder.replace(file, &source, &format!("{source}status: printed\n"));
    }
    let list = |entries: &str| {
        folder.write(MANIFEST, format!("{OPTIONAL}changes:\n{entries}"));
    };
    list(
        "  - { of: ford, tracks: { turn: { was: 4, now: 6 } }, why: later still }\n  - { of: roll, piece: Red foot, strength: { was: 4, now: 15 } }\n  - { of: ford, pieces: [{ name: Blue wagon, kind: wagon, side: Blue, value: \"1-1\", at: \"0202\" }] }\n",
    );
    let (scenario, complaints) = stacked(&folder, &["other"], true);
    assert_eq!(codes(&complaints), [], "{complaints:?}");
    assert_eq!(format!("{:?}", scenario.tracks["turn"]), "Number(6)");
    let check = || folder.run("check").terminal_output();
    check().lacks("error");
    let shown = folder.run("show 'Red foot' --with other");
    let shown = shown.terminal_output();
    shown.holds("15");
    shown.holds("variant.yaml");
    let compared = folder
        .run("compare ford --with '' --with other")
        .terminal_output();
    compared.holds("strength of Red foot");
    for (entry, said) in [
        (
            "{ of: fort, tracks: { turn: 4 } }",
            "no situation or list fort",
        ),
        (
            "{ of: roll, piece: Red foot, strength: { was: 3, now: 5 } }",
            "the layer below has 4",
        ),
        (
            "{ of: ford, piece: Red food, strength: { was: 3, now: 5 } }",
            "did you mean `Red foot`",
        ),
        ("{ of: ford, track: { turn: 4 } }", "`track`"),
        ("{ case: \"1.1\", piece: Red foot, now: off }", "`piece`"),
    ] {
        list(&format!("  - {entry}\n"));
        let output = check();
        output.holds("error[");
        output.holds(said);
        output.holds(format!("{MANIFEST}:7"));
    }
}

/// A variant's file for a situation that there is changes nothing as it is laid out, and what it shows as an example fits.
#[test]
fn a_situation_is_changed_by_a_file_that_is_laid_out() {
    const FILE: &str = "variants/hot/scenarios/bridge.yaml";
    let folder = Folder::skirmish();
    let lay_out = ["new", "situation", "bridge", "--variant", "hot"];
    folder.ok(&lay_out);
    let resolved = |with: &[&str]| {
        let args = [&["resolve", "bridge", "--dice", "6"], with].concat();
        folder.out(&args)
    };
    let lines = |text: String| text.lines().skip(2).map(String::from).collect::<Vec<_>>();
    let with = ["--with", "hot"];
    assert_eq!(lines(resolved(&[])), lines(resolved(&with)));
    let again = folder.run(&lay_out);
    again.ends(2);
    again.err.holds(FILE);
    let shown = folder.read(FILE);
    let move_it = shown
        .lines()
        .find(|line| line.contains("at: { was:"))
        .expect("a piece that moves");
    let changed = format!(
        "changes:\n{}",
        move_it
            .trim_start_matches('#')
            .replace("now: ...", "now: \"0301\"")
    );
    folder.replace(FILE, "changes: []", &changed);
    folder.ok("check");
    // Two points alone against five: a column that this chart does not know.
    let run = folder.run("resolve bridge --dice 6 --with hot");
    run.err.holds("odds 1:2");
}
