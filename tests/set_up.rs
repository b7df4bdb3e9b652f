//! What a manifest says of set-ups: each law notes what a situation has otherwise, and nothing else.

use crate::common::server::Served;
use crate::common::{Folder, Says};

const GAME: &str = "rules/skirmish/game.yaml";
const BRIDGE: &str = "scenarios/skirmish/bridge.yaml";

/// A law, what a situation changes against it, and what is noted.
const LAWS: [[&str; 4]; 6] = [
    [
        "{ of: [soldier], needs: [under] }",
        "value: \"3-2\"",
        "under: Blue riders, value: \"3-2\"",
        "Red foot has no under",
    ],
    [
        "{ of: [soldier], names: { under: [baggage] } }",
        "value: \"3-2\"",
        "under: Blue riders, value: \"3-2\"",
        "Blue foot: under Blue riders, which is of the kind riders",
    ],
    [
        "{ of: [soldier], names: { under: [soldier] } }",
        "value: \"3-2\"",
        "under: Red foot, value: \"3-2\"",
        "Blue foot: under Red foot, which is of the other side, Red",
    ],
    [
        "{ of: [baggage], on: [rider] }",
        "value: \"1-1\", at: \"0201\"",
        "value: \"1-1\", on: Red foot",
        "Red wagon is on Red foot, which is of the kind footmen",
    ],
    [
        "{ of: [soldier], apart: true }",
        "value: \"3-2\", at: \"0202\"",
        "value: \"3-2\", at: \"0201\"",
        "Blue foot begins at 0201, and so does Red foot of the other side",
    ],
    [
        "{ asks: 'track(\"turn\") < 5', says: it begins too late }",
        "turn: 3",
        "turn: 6",
        "it begins too late",
    ],
];

#[test]
fn what_a_set_up_has_otherwise_is_noted() {
    for [law, old, new, noted] in LAWS {
        let folder = Folder::skirmish();
        folder.replace(BRIDGE, old, new);
        // Without the law nothing is noted.
        folder.run("resolve bridge").err.lacks(noted);
        folder.replace(
            GAME,
            "procedures:\n  attack",
            &format!("set_up:\n  - {law}\nprocedures:\n  attack"),
        );
        folder.run("resolve bridge").err.holds(noted);
        folder.run("check").out.holds(noted);
        folder.replace(BRIDGE, new, old);
        if !law.contains("needs") {
            folder.run("resolve bridge").err.lacks("note: Blue");
        }
    }
}

/// What was changed on the calculator is kept as changes of the situation.
#[test]
fn changed_figures_lead_to_where_they_are_kept() {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let page = served.page_text("/at/skirmish/bridge?set:Red+foot:+strength=2");
    page.holds("rule=Red%20foot%3A%20strength%20of%20bridge%20%3D%202");
    let list = served
        .page_text("/what-if/skirmish?at=bridge&rule=Red+foot:+strength+of+bridge+%3D+2&part=mine");
    list.holds("strength of Red foot is 2 instead of 4");
}
