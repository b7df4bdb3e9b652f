//! A variant adds to the manifest of its game: kinds, attributes, tracks, procedures, outcomes; checked as those of the game are.

use crate::common::{Folder, Says};

const VARIANT: &str = "variants/guns/variant.yaml";
const MANIFEST: &str = "variant: guns\ntitle: Guns\ngame: skirmish\n\
    kinds:\n  gun: { title: guns, is: [ordnance] }\n\
    attributes:\n  shells: { unit: shells, default: 0 }\n\
    tracks:\n  smoke: { names: [clear, thick] }\n\
    procedures:\n  fire guns: A gun fires at a hex.\n\
    follow: [shells left]\n";
const CASE: &str = "variants/guns/rules/04-guns/4.1-fire.rhai";
const FIRE: &str = "//! case: \"4.1\"\n//! title: Fire of guns\n//! kind: new case\n//! text: A gun fires a shell, and smoke hangs over the field.\n\
    //! procedure: fire guns\n//! given:\n//!   gun: { names: piece, what: The gun that fires. }\n\n\
    fn fire_guns(given) {\n    step(\"Fire\");\n    let gun = piece(given.gun);\n    \
    require(is_a(gun, \"ordnance\") && gun.shells > 0, \"{} can't fire\", [gun]);\n    set(gun, \"shells\", gun.shells - 1);\n    \
    set_track(\"smoke\", \"thick\");\n    say(\"{} fires.\", [gun]);\n    result(\"shells left\", gun.shells);\n}\n";
const BATTERY: &str = "variants/guns/scenarios/battery.yaml";
const SITUATION: &str = "situation: battery\ntitle: The battery\nkind: new case\nstatus: printed\nprocedure: fire guns\n\
    tracks: { turn: 3, smoke: clear }\npieces:\n  - { name: Battery, kind: gun, side: Red, shells: 3, at: \"0201\" }\ngiven: { gun: Battery }\n\
    tests:\n  - test: a shell is gone\n    then: { shells left: 2 }\n";

fn guns() -> Folder {
    let folder = Folder::skirmish();
    folder
        .write(VARIANT, MANIFEST)
        .write(CASE, FIRE)
        .write(BATTERY, SITUATION);
    folder
}

#[test]
fn what_a_variant_adds_is_checked_shown_and_carried_out() {
    let folder = guns();
    let output = folder.ok("check").terminal_output();
    output.lacks("error[");
    let ruling = folder.out("resolve battery --with guns");
    ruling.holds("Battery fires.");
    ruling.holds("shells left");
    let tests = folder.ok("test").terminal_output();
    tests.holds("hold, 0 fail");
    folder.ok("resolve bridge --with guns");
    folder.ok("resolve bridge");
    let page = folder.out("show 'fire guns' --with guns");
    page.holds("A gun fires at a hex.");
    for name in ["shells", "gun", "smoke"] {
        folder.ok(&["show", name, "--with", "guns"]);
    }
}

#[test]
fn places_and_phases_are_added_too() {
    let folder = guns();
    let additions = "places:\n  attributes:\n    crater: { flag: true }\n    smoke_in: { unit: turns, default: 0 }\n  sides:\n    ditch: { flag: true }\n  \
        boxes: [the park]\nsequence:\n  - { phase: Guns, after: Battle, procedures: [fire guns] }\n  - { phase: Battle, procedures: [fire guns] }\n";
    folder.write(VARIANT, [MANIFEST, additions].concat());
    let shot = FIRE.replace(
        "    say(",
        "    set(place(\"0202\"), \"crater\", between(\"0201\", \"0202\").ditch);\n    say(",
    );
    folder.write(CASE, shot);
    let map = "map:\n  places:\n    \"0202\": { smoke_in: 2 }\n  sides:\n    \"0201/0202\": { ditch: true }\npieces:";
    folder.write(BATTERY, SITUATION.replace("pieces:", map));
    let output = folder.ok("check").terminal_output();
    output.lacks("error[");
    let board = folder.json("resolve battery --with guns")["board"].clone();
    assert_eq!(
        board["places"]["0202"],
        serde_json::json!({ "crater": true, "smoke_in": 2 }),
        "{board}"
    );
    // Without the variant the game is as it was.
    folder.out("resolve bridge").holds("attack");
    for (old, new, wrong) in [
        (
            "after: Battle",
            "after: Batle",
            "no phase is called `Batle`; did you mean `Battle`?",
        ),
        (
            "procedures: [fire guns] }\n  -",
            "procedures: [fire gun] }\n  -",
            "no procedure is called `fire gun`",
        ),
        (
            "{ phase: Battle,",
            "{ phase: Battle, after: fire,",
            "no procedure of this phase is called `fire`",
        ),
        (
            "{ phase: Guns,",
            "{ phase: Guns, once_a: moon,",
            "no track is called `moon`",
        ),
        (
            "    crater:",
            "    ground:",
            "ground is already in the manifest of the game, under `places:`",
        ),
        (
            "  boxes:",
            "  notation: hex\n  boxes:",
            "`notation` is not a key of this part",
        ),
    ] {
        folder.write(VARIANT, [MANIFEST, &additions.replace(old, new)].concat());
        let output = folder.run("check").terminal_output();
        output.holds(wrong);
    }
}

#[test]
fn situations_tables_and_cases_of_a_variant_are_laid_out() {
    let folder = guns();
    let run = folder.run("new situation salvo --procedure 'fire guns'");
    run.ends(2);
    run.err
        .holds("name this variant, too; nothing was written; --variant guns");
    folder.ok("new situation salvo --procedure 'fire guns' --variant guns");
    let path = "variants/guns/scenarios/salvo.yaml";
    let text = folder.read(path);
    text.holds("kind: new case\n");
    text.holds("shells");
    text.holds("smoke: clear");
    text.holds("gun");
    folder.write(path, text.replace("given: {}", "given: { gun: Red one }"));
    let output = folder.run("check").terminal_output();
    output.lacks("error[");
    folder.ok("new situation again --like battery --variant guns");
    folder
        .out("resolve again --with guns")
        .holds("Battery fires.");
    folder.ok("new situation crossing --like bridge --variant other");
    folder.ok("resolve crossing --with other");
    // A title, a function by its name, and figures of a house rule.
    folder.ok("new variant mine --title 'My: rules'");
    folder
        .read("variants/mine/variant.yaml")
        .holds("title: \"My: rules\"");
    let laid_out = folder.out("new case attack_odds --variant mine");
    let case = folder.read(laid_out.trim());
    case.holds("fn attack_odds(attackers, defenders)");
    case.lacks("fn may_attack");
    let output = folder.run("check").terminal_output();
    output.lacks("error[");
    let created = folder.ok("new table combat --variant mine");
    assert!(
        created
            .err
            .contains("of 18 cells, 1 is still reconstructed"),
        "the placeholder enters nothing: {}",
        created.err
    );
    let table = folder.read("variants/mine/tables/combat.yaml");
    table.holds("status: house");
    table.lacks("printed");
    let shown = folder.ok("new table luck --variant mine");
    shown.err.holds("of 12 cells, 12 are not known");
    folder
        .read("variants/mine/tables/luck.yaml")
        .holds("status: house");
}

#[test]
fn a_placeholder_enters_no_figure() {
    let folder = Folder::empty();
    let blank = folder.ok("new variant blank --tables --game wbts").err;
    let run = folder.ok("new table 12.13 --variant mine --game wbts");
    let before = blank
        .lines()
        .find(|line| line.starts_with("table 12.13:"))
        .expect("the chart is reconstructed");
    assert_eq!(
        run.err.trim(),
        before,
        "what is laid out is not a figure yet"
    );
}

#[test]
fn a_whole_game_is_packed_and_unpacked() {
    let folder = guns();
    folder.ok("pack skirmish");
    let other_folder = Folder::empty();
    other_folder.write("skirmish.pack.yaml", folder.read("skirmish.pack.yaml"));
    other_folder.ok("unpack skirmish.pack.yaml");
    other_folder
        .out("resolve battery --with guns")
        .holds("Battery fires.");
    for path in [
        "rules/skirmish/game.yaml",
        "rules/skirmish/contents.yaml",
        VARIANT,
        CASE,
        "scenarios/skirmish/bridge.yaml",
    ] {
        assert_eq!(other_folder.read(path), folder.read(path), "{path}");
    }
    let second = other_folder.run("unpack skirmish.pack.yaml");
    second.ends(2);
    second.err.holds("already exists; nothing was written");
    let text = folder.read("skirmish.pack.yaml");
    for (old, new, wrong) in [
        (
            "  scenarios/skirmish/bridge.yaml",
            "  scenarios/other/bridge.yaml",
            "`scenarios/other/bridge.yaml` is not a file of the game `skirmish`",
        ),
        (
            "  scenarios/skirmish/bridge.yaml",
            "  scenarios/skirmish/../bridge.yaml",
            "is not a file of the game `skirmish`",
        ),
        (
            "rules/skirmish/game.yaml",
            "rules/skirmish/gone.yaml",
            "neither a variant nor the manifest of a game",
        ),
    ] {
        text.holds(old);
        let empty = Folder::empty();
        empty.write("x.pack.yaml", text.replace(old, new));
        let run = empty.run("unpack x.pack.yaml");
        assert!(run.status != Some(0), "{new}: {}", run.terminal_output());
        run.terminal_output().holds(wrong);
    }
    let built_in = Folder::empty();
    built_in.ok("pack tmag");
    built_in
        .read("tmag.pack.yaml")
        .holds("variants/perla-1997/variant.yaml");
}

#[test]
fn what_is_wrong_in_it_is_complained_of() {
    let wrong: [(&str, &str, &str, &str); 11] = [
        (
            VARIANT,
            "  gun: { title: guns",
            "  rider: { title: guns",
            "rider is already in the manifest of the game, under `kinds:`",
        ),
        (
            VARIANT,
            "  shells: {",
            "  strength: {",
            "strength is already in the manifest of the game, under `attributes:`",
        ),
        (
            VARIANT,
            "  smoke: {",
            "  turn: {",
            "turn is already in the manifest of the game, under `tracks:`",
        ),
        (
            VARIANT,
            "  fire guns:",
            "  throw:",
            "no case can carry out `throw`",
        ),
        (CASE, "gun: { names:", "gun: { nmaes:", "nmaes"),
        (CASE, "piece(given.gun)", "piece(given.gum)", "gum"),
        (
            BATTERY,
            "given: { gun: Battery }",
            "given: { gun: [Battery] }",
            "`gun` is not a list",
        ),
        (
            BATTERY,
            "given: { gun: Battery }",
            "given: { gun: Battery, gum: Battery }",
            "`fire guns` is not given `gum`; did you mean `gun`?",
        ),
        (
            CASE,
            "fn fire_guns",
            "fn fire_gun",
            "no case carries out `fire guns`",
        ),
        (
            CASE,
            "set_track(\"smoke\"",
            "set_track(\"smoak\"",
            "no track is called `smoak`; did you mean `smoke`?",
        ),
        (BATTERY, "kind: gun", "kind: gum", "gum"),
    ];
    for (path, right, wrong, message) in wrong {
        let folder = guns();
        folder.replace(path, right, wrong);
        let output = folder.run("check").terminal_output();
        output.holds("error[");
        output.holds(message);
    }
    let folder = guns();
    folder.replace(BATTERY, "given: { gun: Battery }\n", "");
    let output = folder.run("resolve battery --with guns").terminal_output();
    output.holds("`fire guns` needs `gun`, which this situation leaves out");
}

/// Over a game that is built in.
#[test]
fn a_variant_of_a_built_in_game_adds_too() {
    let folder = Folder::empty();
    let over = |text: &str| {
        text.replace("game: skirmish", "game: wbts")
            .replace("turn: 3, ", "")
            .replace("\"0201\"", "B4604")
            .replace("side: Red", "side: Union")
    };
    folder
        .write(VARIANT, over(MANIFEST))
        .write(CASE, FIRE)
        .write(BATTERY, over(SITUATION));
    let output = folder.run("check").terminal_output();
    output.lacks("error[");
    let ruling = folder.out("resolve battery --game wbts --with guns");
    ruling.holds("Battery fires.");
}

/// A style that answers an unknown question is reported: it would silently take first options.
#[test]
fn a_style_answers_what_is_asked() {
    let folder = guns();
    let manifest = "rules/skirmish/game.yaml";
    let printed = folder.read(manifest);
    folder.write(
        CASE,
        FIRE.replace(
            "    say(",
            "    choose(given.gun.side, `aim of ${given.gun}`, [\"high\", \"low\"]);\n    say(",
        ),
    );
    let style = |answers: &str| {
        format!("styles:\n  bold:\n    what: Aims high.\n    answers: {{ {answers} }}\n")
    };
    for (answers, wrong) in [
        ("\"aim of *\": high", ""),
        ("\"aim of *\": [not low, highest, first]", ""),
        (
            "\"aims of *\": high",
            "the style `bold` speaks of `aims of *`, and no `choose` that it may answer has `aims of`",
        ),
        ("\"aim of *\": hihg", "the style `bold` speaks of `hihg`"),
        (
            "\"aim of *\": not lwo",
            "the style `bold` speaks of `not lwo`",
        ),
    ] {
        for (file, text) in [(VARIANT, MANIFEST), (manifest, printed.as_str())] {
            folder
                .write(VARIANT, MANIFEST)
                .write(manifest, &printed)
                .write(file, [text, &style(answers)].concat());
            let output = folder.run("check").terminal_output();
            assert_eq!(
                output.contains("the style `bold`"),
                !wrong.is_empty(),
                "{answers}: {output}"
            );
            output.holds(wrong);
        }
    }
}
