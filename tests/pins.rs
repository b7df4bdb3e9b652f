//! Interpretations pinned: each holds what it points at, and says which readings it tells apart.

use crate::common::server::Served;
use crate::common::{Folder, Says};

const ATTACK: &str = "rules/skirmish/01-battle/1.1-attack.rhai";

fn pin(folder: &Folder, because: &str, args: &[&str]) -> String {
    let args = [
        &["pin", "bridge", "--dice", "6", "--because", because],
        args,
    ]
    .concat();
    let run = folder.run(&args).expect_success();
    run.err
}

/// A kept change that breaks a pin is named by its number, and the pin is taken under it by its name; one that breaks nothing is not.
#[test]
fn a_kept_change_that_breaks_a_pin_is_named() {
    let folder = Folder::skirmish();
    pin(&folder, "both lose", &[]);
    let keep = |flag: &str, change: &str| {
        let run = folder.run(&["what-if", "bridge", flag, change, "--keep", "mine"]);
        assert!(
            run.out.contains("variant.yaml"),
            "{}",
            run.terminal_output()
        );
    };
    // A reading that makes no difference here, then all that the battle reads.
    keep("--rule", "1.1.wagons = help");
    folder.run(&["test", "pins"]).expect_success();
    keep("--cell", "combat * * = 3/3");
    let run = folder.run(&["test", "pins"]);
    assert!(
        run.status == Some(1) && run.out.contains("broken by `mine`: change 2"),
        "{}",
        run.terminal_output()
    );
    folder.run(&["test", "pins", "--accept", "both lose"]);
    let pins = folder.read("tests/skirmish/pins.yaml");
    assert!(pins.contains("with: [mine]"), "{pins}");
    // As questions and answers, with the case and the readings that make no difference.
    let list = folder
        .run(&["list", "--pins", "--game", "skirmish"])
        .expect_success();
    assert!(
        list.out.contains("both lose") && list.out.contains("asked of: At the bridge"),
        "{}",
        list.out
    );
}

/// The page of pins shows what no longer holds, and takes it as it comes out.
#[test]
fn pins_are_reviewed_on_their_page() {
    let folder = Folder::skirmish();
    pin(&folder, "both lose", &[]);
    folder.replace(
        ATTACK,
        "result(\"defender losses\", lost.defender)",
        "result(\"defender losses\", lost.attacker)",
    );
    let served = Served::start(&folder.0);
    let page = served.page_text("/pins/skirmish");
    page.holds("These no longer hold");
    page.holds("data-accept=\"both lose\"");
    let body = serde_json::json!({ "game": "skirmish", "name": "both lose", "path": "tests/skirmish/pins.yaml" });
    let (status, answer) = served.request_with_token("POST", "/accept", &body);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["passed"], 1, "{answer}");
    let page = served.page_text("/pins/skirmish");
    page.lacks("These no longer hold");
    page.holds("both lose");
}

/// Three readings of one loss are three pins: what breaks one leaves the others.
#[test]
fn a_pin_holds_what_it_points_at() {
    let folder = Folder::skirmish();
    let held = pin(&folder, "both lose", &[]);
    assert!(
        held.contains("it holds attacker losses, defender losses and “Blue riders loses 2"),
        "{held}"
    );
    pin(&folder, "the attacker", &["--only", "Attacker losses"]);
    let line = pin(&folder, "the odds", &["--only", "the die falls"]);
    assert!(line.contains("it holds “"), "{line}");
    let pins = folder.read("tests/skirmish/pins.yaml");
    assert!(
        pins.matches("lines:").count() == 2 && pins.matches("\"defender losses\"").count() == 1,
        "{pins}"
    );
    let broken = || {
        let run = folder.run(&["test", "pins"]);
        let names = ["both lose", "the attacker", "the odds"];
        names.map(|name| run.out.contains(&format!("FAILED  {name}")))
    };
    assert_eq!(broken(), [false; 3]);
    // The rule turned round for the defender, then what the ruling says of the die.
    folder.replace(
        ATTACK,
        "result(\"defender losses\", lost.defender)",
        "result(\"defender losses\", lost.attacker)",
    );
    assert_eq!(broken(), [true, false, false]);
    folder.replace(ATTACK, "the die falls {}.", "the die shows {}.");
    assert_eq!(broken(), [true, false, true]);
    let unknown = folder.run(&[
        "pin",
        "bridge",
        "--because",
        "x",
        "--only",
        "nothing like it",
    ]);
    assert!(
        unknown.status == Some(2) && unknown.err.contains("attacker losses, defender losses"),
        "{}",
        unknown.err
    );
}

/// A pin says which other readings it would break with, and which it can't tell from the one in force.
#[test]
fn a_pin_says_what_it_tells_apart() {
    let folder = Folder::skirmish();
    let same = pin(&folder, "six against five", &[]);
    assert!(
        same.contains(
            "it would hold with 1.1.wagons: help, too: nothing here shows the difference"
        ),
        "{same}"
    );
    let apart = pin(
        &folder,
        "wagons stay out",
        &["--set", "Red wagon: strength=9"],
    );
    assert!(
        apart.contains("it would break with 1.1.wagons: help"),
        "{apart}"
    );
}
