//! A variant adds to the manifest of its game: kinds, attributes, tracks, procedures, outcomes; checked as those of the game are.

mod common;
use common::Folder;

const VARIANT: &str = "variants/guns/variant.yaml";
const MANIFEST: &str = "variant: guns\ntitle: Guns\ngame: skirmish\n\
    kinds:\n  gun: { title: guns, is: [ordnance] }\n\
    attributes:\n  shells: { unit: shells, default: 0 }\n\
    tracks:\n  smoke: { names: [clear, thick] }\n\
    procedures:\n  fire guns:\n    what: A gun fires at a hex.\n    given: [gun]\n\
    follow: [shells left]\n\
    sheets:\n  given:\n    gun: { what: the gun that fires, names: piece }\n";
const CASE: &str = "variants/guns/rules/04-guns/4.1-fire.rhai";
const FIRE: &str = "//! case: \"4.1\"\n//! title: Fire of guns\n//! kind: new case\n//! text: A gun fires a shell, and smoke hangs over the field.\n\
    //! procedure: fire guns\n\n\
    fn fire_guns(given) {\n    step(\"Fire\");\n    let gun = piece(given.gun);\n    \
    require(is_a(gun, \"ordnance\") && gun.shells > 0, \"{} can't fire\", [gun]);\n    set(gun, \"shells\", gun.shells - 1);\n    \
    set_track(\"smoke\", \"thick\");\n    say(\"{} fires.\", [gun]);\n    result(\"shells left\", gun.shells);\n}\n";
const BATTERY: &str = "variants/guns/scenarios/battery.yaml";
const SITUATION: &str = "situation: battery\ntitle: The battery\nkind: new case\nstatus: printed\nprocedure: fire guns\n\
    tracks: { turn: 3, smoke: clear }\npieces:\n  - { name: Battery, kind: gun, side: Red, shells: 3, at: \"0201\" }\ngiven: { gun: Battery }\n\
    tests:\n  - test: a shell is gone\n    then: { shells left: 2 }\n";

fn guns() -> Folder {
    let folder = Folder::skirmish();
    folder.write(VARIANT, MANIFEST).write(CASE, FIRE).write(BATTERY, SITUATION);
    folder
}

#[test]
fn what_a_variant_adds_is_checked_shown_and_carried_out() {
    let folder = guns();
    let seen = folder.run(&["check"]).fine().seen();
    assert!(!seen.contains("error["), "{seen}");
    let ruling = folder.run(&["resolve", "battery", "--with", "guns"]).fine().out;
    assert!(ruling.contains("Battery fires.") && ruling.contains("shells left"), "{ruling}");
    let tests = folder.run(&["test"]).fine().seen();
    assert!(tests.contains("hold, 0 fail"), "{tests}");
    folder.run(&["resolve", "bridge", "--with", "guns"]).fine();
    folder.run(&["resolve", "bridge"]).fine();
    let page = folder.run(&["show", "fire guns", "--with", "guns"]).fine().out;
    assert!(page.contains("A gun fires at a hex."), "{page}");
    for name in ["shells", "gun", "smoke"] {
        folder.run(&["show", name, "--with", "guns"]).fine();
    }
}

#[test]
fn what_is_wrong_in_it_is_complained_of() {
    let wrong: [(&str, &str, &str, &str); 8] = [
        (VARIANT, "  gun: { title: guns", "  rider: { title: guns", "rider stands in the manifest of the game already, under `kinds:`"),
        (VARIANT, "  shells: {", "  strength: {", "strength stands in the manifest of the game already, under `attributes:`"),
        (VARIANT, "  smoke: {", "  turn: {", "turn stands in the manifest of the game already, under `tracks:`"),
        (VARIANT, "  fire guns:", "  throw:", "no case can carry out `throw`"),
        (VARIANT, "given: [gun]", "given: [gum]", "no procedure is given `gum`; did you mean `gun`?"),
        (CASE, "fn fire_guns", "fn fire_gun", "no case carries out `fire guns`"),
        (CASE, "set_track(\"smoke\"", "set_track(\"smoak\"", "no track is called `smoak`; did you mean `smoke`?"),
        (BATTERY, "kind: gun", "kind: gum", "gum"),
    ];
    for (path, right, wrong, said) in wrong {
        let folder = guns();
        folder.change(path, right, wrong);
        let seen = folder.run(&["check"]).seen();
        assert!(seen.contains("error[") && seen.contains(said), "{right} -> {wrong}\n{seen}");
    }
    let folder = guns();
    folder.change(BATTERY, "given: { gun: Battery }\n", "");
    let seen = folder.run(&["resolve", "battery", "--with", "guns"]).seen();
    assert!(seen.contains("`fire guns` is handed `gun`, which this situation leaves out"), "{seen}");
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
    folder.write(VARIANT, over(MANIFEST)).write(CASE, FIRE).write(BATTERY, over(SITUATION));
    let seen = folder.run(&["check"]).seen();
    assert!(!seen.contains("error["), "{seen}");
    let ruling = folder.run(&["resolve", "battery", "--game", "wbts", "--with", "guns"]).fine().out;
    assert!(ruling.contains("Battery fires."), "{ruling}");
}
