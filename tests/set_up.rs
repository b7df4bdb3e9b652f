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

/// A piece that is carried goes to a place, and leaves what carried it.
#[test]
fn a_carried_piece_is_moved() {
    let folder = Folder::skirmish();
    folder.replace(
        BRIDGE,
        "value: \"1-1\", at: \"0201\"",
        "value: \"1-1\", on: Red foot",
    );
    folder.run(&[
        "what-if",
        "bridge",
        "--rule",
        "Red wagon: at = 0101",
        "--keep",
        "mine",
    ]);
    let list = folder.read("variants/mine/variant.yaml");
    list.holds(
        "piece: Red wagon, at: { was: absent, now: \"0101\" }, on: { was: Red foot, now: absent }",
    );
    let kept = folder.ok("show bridge --with mine --format csv").out;
    kept.holds("Red wagon,wagon,Red,0101,");
    let served = Served::start(&folder.0);
    let list = served.page_text("/what-if/skirmish?variant=mine&part=mine");
    list.holds("Red wagon is at 0101");
}

/// A scenario is copied into a variant with what it says of its rules and its map; under a name that is there it is refused.
#[test]
fn a_scenario_is_copied_into_a_variant() {
    for (game, like) in [("wbts", "first-manassas"), ("banasik", "fleetwood-hill")] {
        let folder = Folder::empty();
        folder.ok(&*format!("new variant mine --game {game}"));
        folder.ok(&*format!(
            "new situation another --variant mine --like {like}"
        ));
        folder.ok("check").out.holds("0 complaints");
        let copy = folder.read("variants/mine/scenarios/another.yaml");
        let again = copy.replace("situation: another", &format!("situation: {like}"));
        folder.write(&format!("variants/mine/scenarios/{like}.yaml"), again);
        let refused = folder.run("check").out;
        refused.holds(format!("the layers below have `{like}` already"));
    }
}

/// Pieces that are put in or taken out on a page are kept as figures are, and what a set-up has otherwise is said there.
#[test]
fn a_set_up_is_changed_on_its_pages() {
    let folder = Folder::skirmish();
    folder.replace(
        GAME,
        "procedures:\n  attack",
        "set_up:\n  - { of: [soldier], apart: true }\nprocedures:\n  attack",
    );
    let served = Served::start(&folder.0);
    let changed = "piece:Red+wagon=off&piece:Blue+guard=footman&set:Blue+guard:+side=Blue&set:Blue+guard:+at=0201";
    for page in ["/at/skirmish/bridge", "/at/skirmish/bridge/new"] {
        let page = served.page_text(&format!("{page}?{changed}"));
        page.holds("Blue guard begins at 0201, and so does Red foot of the other side");
        page.holds("Keep these changes");
        page.holds("rule=%7B%20of%3A%20bridge%2C%20piece%3A%20Red%20wagon%2C%20was%3A%20present%2C%20now%3A%20absent%20%7D");
    }
    let came = "{ of: bridge, piece: Blue guard, was: absent, now: { kind: footman, side: Blue, at: \"0202\" } }";
    let gone = "{ of: bridge, piece: Red wagon, was: present, now: absent }";
    let [typed_came, typed_gone] = [came, gone].map(|text| {
        let plain = text.replace(' ', "+").replace('"', "%22");
        plain.replace('{', "%7B").replace('}', "%7D")
    });
    let page = served.page_text(&format!(
        "/what-if/skirmish?at=bridge&rule={typed_came}&rule={typed_gone}&part=mine"
    ));
    page.holds("Blue guard is put in (kind: footman, side: Blue, at: &quot;0202&quot;)");
    page.holds("Red wagon is taken out");
    let kept = folder.run(&[
        "what-if", "bridge", "--rule", came, "--rule", gone, "--keep", "mine",
    ]);
    kept.out.holds("variants/mine/variant.yaml");
    let kept = folder.ok("show bridge --with mine --format csv").out;
    kept.holds("Blue guard,footman,Blue,0202");
    kept.lacks("Red wagon");
    // A strip of rows is pasted for a scenario of one's own.
    let mut body = serde_json::json!({
        "what": "situation", "game": "skirmish", "variant": "mine", "name": "pasted", "like": "bridge",
        "rows": "name,kind,side,at\nBlue foot,fotman,Blue,0202\n",
    });
    let (status, answer) = served.request_with_token("POST", "/new", &body);
    assert_eq!(status, 422, "{answer}");
    answer
        .to_string()
        .holds("row 2, Blue foot: no kind of piece is called `fotman`");
    body["rows"] =
        "name,kind,side,at\nBlue foot,footman,Blue,0202\nRed foot,footman,Red,0201\n".into();
    let (status, answer) = served.request_with_token("POST", "/new", &body);
    assert_eq!(status, 200, "{answer}");
    folder
        .ok("show pasted --with mine --format csv")
        .out
        .holds("Red foot,footman,Red,0201");
}
