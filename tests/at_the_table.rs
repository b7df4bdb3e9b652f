//! What a player finds at the table: the odds of an answer before it is given, the other side's turn step by step, the turning points of a game
//! that is over, games from VASSAL and for it, and the colours of the sides.

use crate::common::server::Served;
use crate::common::{Folder, Says, campaign, repository};
use casebook::data::side_colour::PAPER;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

const HEADLINE: &str = "//! headline: { the defender loses: defender losses >= 1, losses: [mean attacker losses, mean defender losses] }\n";

fn with_headline(folder: Folder) -> Folder {
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "//! readings:\n",
        &format!("{HEADLINE}//! good_for: {{ defender losses: side }}\n//! readings:\n"),
    );
    folder
}

/// The answer that begins a battle says its odds, the same as those of the battle by itself; others say nothing.
#[test]
fn an_answer_says_the_odds_of_the_battle_that_it_begins() {
    let (plain, game) = (with_headline(Folder::skirmish()), with_headline(campaign()));
    let alone = Served::start(&plain.0).page_text("/at/skirmish/bridge?with=errata&part=headline");
    alone.holds("The defender loses in");
    let served = Served::start(&game.0);
    // Outcomes of a battle within a day bear a label.
    game.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    result(\"attacker losses\", lost.attacker);\n    result(\"defender losses\", lost.defender);\n",
        "    result(\"the day: attacker losses\", lost.attacker);\n    result(\"the day: defender losses\", lost.defender);\n",
    );
    // Before it a question with one answer is asked, which is none, and one of routine.
    game.replace(
        "rules/skirmish/03-game/4.1-a-day.rhai",
        "    attack(#{ side",
        "    choose(side, \"standard\", [\"up\"]);\n    choose(side, \"drums\", [\"no\", \"yes\"]);\n    attack(#{ side",
    );
    game.replace(
        "rules/skirmish/03-game/4.1-a-day.rhai",
        "//! procedure: day\n",
        "//! procedure: day\n//! usual: { drums: no }\n",
    );
    let stake = |moves: &str| {
        served.page_text(&format!(
            "/at/skirmish/bridge/play?moves={moves}&part=stake"
        ))
    };
    let attack = stake("c0");
    assert!(attack.contains(alone.trim()), "{alone}\n{attack}");
    attack.holds("attack");
    assert_eq!(stake("c1"), "", "who waits begins no battle");
    assert_eq!(stake("c0-3"), "", "a throw is no answer");
    // What the battle has cost already is no part of the odds to its end.
    let table = served.page_text("/at/skirmish/bridge/play?moves=c0-c0-5&part=table");
    table.holds("first to lose");
    assert_eq!(stake("c0-c0-5-c0"), "", "it is under way");
    let beaten = "/at/skirmish/bridge/play?moves=c9&part=stake";
    assert_eq!(served.page(beaten).0, 200, "an answer that is not open");
}

/// Where odds can't be counted in time, the page says so; nobody waits longer for them.
#[test]
fn odds_that_take_long_are_said_to() {
    let folder = with_headline(campaign());
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    let die = roll(\"1d6\", \"attack\");\n",
        "    let sum = 0;\n    for n in 0..60 { sum = (sum * 7 + roll(\"1d6\", `hour ${n}`) * (n + 13)) % 1000003; }\n    result(\"sum\", sum);\n    let die = roll(\"1d6\", \"attack\");\n",
    );
    let served = Served::start(&folder.0);
    let address = "/at/skirmish/bridge/play?moves=c0&part=stake";
    let start = Instant::now();
    let said = served.page_text(address);
    said.holds("attack</b>: too many ways to count");
    said.holds("Odds from here");
    assert!(!said.contains('%'), "{said}");
    assert!(start.elapsed().as_millis() < 2_000, "{:?}", start.elapsed());
}

/// What never comes up has no row without values, and the account of the dice speaks to one who clicks.
#[test]
fn pages_of_odds_and_luck_say_what_there_is() {
    let folder = Folder::skirmish();
    let card = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.replace(
        card,
        "//! readings:\n",
        "//! headline: { losses: [mean attacker losses, mean defender losses], wagons lost: [mean burnt, mean taken] }\n//! readings:\n",
    );
    folder.replace(
        card,
        "    let die = roll(\"1d6\", \"attack\");\n",
        "    if given.side == \"\" { result(\"burnt\", 1); result(\"taken\", 1); }\n    let die = roll(\"1d6\", \"attack\");\n",
    );
    let served = Served::start(&folder.0);
    let odds = served.page_text("/at/skirmish/bridge/play?part=ahead");
    odds.holds("p class=\"headline\"");
    odds.lacks("wagons lost");
    drop(served);
    let folder = campaign();
    let served = Served::start(&folder.0);
    let luck = served.page_text("/at/skirmish/bridge/play?moves=c0-5&part=luck");
    luck.holds("1 throw had no measured result");
    luck.lacks("casebook");
}

/// Lines of the legend are called by what they are, and an area by its name where it has one.
#[test]
fn legend_and_areas_are_named() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    for (address, line) in [
        ("/at/wbts/first-manassas/play", "</svg>rail</li>"),
        ("/at/tmag/first-day/play", "</svg>"),
    ] {
        let page = served.page_text(address);
        page.holds(line);
        page.lacks("</svg>yes</li>");
    }
    let why = served.page_text("/at/tmag/first-day/play?usual=on&throws=on&part=why&to=64");
    why.holds("the Peach Orchard is not open");
}

/// A click on a stack asks about who can answer in it, and of these about who leads.
#[test]
fn a_stack_stands_for_its_commander() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let page = served.page_text(
        "/at/wbts/first-manassas/play?usual=on&throws=on&moves=_u0_r_r_u0_u0_u0_u0&part=board",
    );
    let before = page
        .split("data-place=\"C2108\" data-fan")
        .next()
        .unwrap_or_default();
    let link = before.rsplit("<a ").next().unwrap_or_default();
    link.holds("of=J.+Johnston");
}

/// The other side's turn can be walked through: each step says after which answer the map shows it.
#[test]
fn a_turn_of_a_style_is_walked_through() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let address = "/at/wbts/lee-attacks-porter/play?policy:Confederate=bold&policy:Union=first&usual=on&throws=on&seed=3&do=on";
    let page = served.page_text(&format!("{address}&part=table"));
    page.holds("data-walk");
    let settled = page.split("data-address=\"").nth(1).expect("an address");
    let settled = settled.split('"').next().unwrap_or_default();
    let settled = settled.replace("&amp;", "&");
    let walk = served.page_text(&format!("{settled}&part=walk"));
    let steps: Vec<usize> = walk
        .split("data-at=\"")
        .skip(1)
        .filter_map(|part| part.split('"').next()?.parse().ok())
        .collect();
    assert!(steps.len() > 2, "{walk}");
    assert!(steps.is_sorted() && steps[0] > 0, "{steps:?}");
    walk.holds("class=\"die\"");
}

/// Plays a game between styles to its end; returns its address.
fn played_to_the_end(served: &Served, start: &str) -> String {
    let mut address = start.to_string();
    for _ in 0..50 {
        let page = served.page_text(&format!("{address}&do=on&part=table"));
        let settled = page.split("data-address=\"").nth(1).expect("an address");
        address = settled
            .split('"')
            .next()
            .unwrap_or_default()
            .replace("&amp;", "&");
        if page.contains("data-fetch=\"turning\"") {
            return address;
        }
    }
    panic!("{address}: it does not end");
}

#[test]
fn a_game_that_is_over_has_turning_points() {
    let folder = Folder::copy_of(
        &repository().join("tests/duel"),
        &["rules", "tables", "scenarios", "variants"],
    );
    let served = Served::start(&folder.0);
    let start = "/at/duel/meadow/play?policy:Red=bold&policy:Blue=careful&throws=on&seed=11";
    let address = played_to_the_end(&served, start);
    let part = served.page_text(&format!("{address}&part=turning"));
    for expected in [
        "figure class=\"course\"",
        "Red bold, Blue careful",
        "64 times each",
        "±",
    ] {
        part.holds(expected);
    }
    let table = served.page_text(&format!("{address}&part=table"));
    let label = part.split("aria-label=\"").nth(1).unwrap_or_default();
    let label = label.split('"').next().unwrap_or_default();
    let end = if table.contains("Red has won") {
        ", 100 %"
    } else {
        ", 0 %"
    };
    assert!(label.ends_with(end), "{label}");
    // The same positions are played on by the same dice.
    assert_eq!(served.page_text(&format!("{address}&part=turning")), part);
    // A game that goes on has no turning points yet.
    let (status, open) = served.page(&format!("{start}&part=turning"));
    assert!(status == 400, "{open}");
    open.holds("when it is over");
}

fn pieces_of(answer: &Value) -> BTreeMap<String, (String, String)> {
    answer["ruling"]["board"]["pieces"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|piece| {
            let text = |key: &str| piece[key].to_string();
            let name = piece["name"].as_str().unwrap_or_default();
            (name.to_string(), (text("at"), text("strength")))
        })
        .collect()
}

/// A game at the table is written for VASSAL, and opened again as it stood.
#[test]
#[cfg(feature = "vassal")]
fn a_game_goes_to_vassal_and_comes_back() {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    let part = served.page_text("/at/skirmish/bridge/play?moves=5-c0&part=vassal");
    let file = |ending: &str| {
        let mark = format!("download=\"bridge.{ending}\"");
        let before = part.split(&mark).next().unwrap_or_default();
        let data = before.rsplit("base64,").next().unwrap_or_default();
        data.split('"').next().unwrap_or_default().to_string()
    };
    let module = STANDARD.decode(file("vmod")).expect("a module");
    assert!(module.starts_with(b"PK"), "it is an archive");
    let open = |name: &str, data: &str| {
        let body = json!({ "name": name, "data": data });
        served.request_with_token("POST", "/vassal", &body)
    };
    let played = json!({ "situation": "bridge", "moves": [{ "throw": [5] }, { "take": 0 }] });
    let before = pieces_of(&served.request("POST", "/play", Some(&played)).1);
    assert!(before.len() > 3, "{before:?}");
    for (name, ending) in [("The evening", "vsav"), ("log", "vlog")] {
        let (status, opened) = open(&format!("{name}.{ending}"), &file(ending));
        assert_eq!(status, 200, "{opened}");
        let written = opened["written"].as_str().unwrap_or_default();
        let situation = name.to_lowercase().replace(' ', "-");
        assert_eq!(written, format!("scenarios/skirmish/{situation}.yaml"));
        folder.read(written).holds("At the bridge, from VASSAL");
        let ask = json!({ "situation": situation });
        let after = pieces_of(&served.request("POST", "/play", Some(&ask)).1);
        assert_eq!(after, before, "{ending}");
        let address = opened["address"].as_str().unwrap_or_default();
        served.page_text(address).holds("from VASSAL");
    }
    // Opened once more it is the same situation, and another game of its name is another.
    let (_, again) = open("log.vlog", &file("vlog"));
    assert_eq!(again["written"], "scenarios/skirmish/log.yaml");
    let start = served.page_text("/at/skirmish/bridge/play?part=vassal");
    let start = start.split("bridge.vsav").next().unwrap_or_default();
    let data = start.rsplit("base64,").next().unwrap_or_default();
    let (_, other) = open("log.vsav", data.split('"').next().unwrap_or_default());
    assert_eq!(other["written"], "scenarios/skirmish/log-2.yaml");
    // Files that are none say why.
    for (data, why) in [
        ("%%%%".to_string(), "did not come whole"),
        (STANDARD.encode(b"no archive"), "archive"),
        (file("vmod"), "saved game"),
    ] {
        let (status, error) = open("other.vsav", &data);
        assert!(status != 200, "{why}");
        error.to_string().holds(why);
    }
    let body = json!({ "name": "x.vsav", "data": file("vsav") });
    assert_eq!(served.request("POST", "/vassal", Some(&body)).0, 403);
}

/// Sides have the colours that the manifest states; one that can't be read is complained of.
#[test]
fn sides_have_the_colours_of_the_manifest() {
    let folder = Folder::skirmish();
    let sides = "sides: [Red, Blue]\n";
    let with_colours = |colours: &str| {
        folder.replace(
            "rules/skirmish/game.yaml",
            sides,
            &format!("{sides}colours: {colours}\n"),
        );
        let told = folder.run("check");
        folder.replace(
            "rules/skirmish/game.yaml",
            &format!("{sides}colours: {colours}\n"),
            sides,
        );
        format!("{}{}", told.out, told.err)
    };
    for (colours, complaint) in [
        ("{ Red: pink }", "not a colour of a side"),
        ("{ Red: \"#ffcc00 #3a68b4\" }", "can't be read"),
        ("{ Red: \"#a12f29 #ff9999\" }", "can't be read"),
        ("{ Red: grey, Blue: grey }", "two sides have this colour"),
        ("{ Green: grey }", "Green"),
    ] {
        let told = with_colours(colours);
        told.holds(complaint);
    }
    folder.replace(
        "rules/skirmish/game.yaml",
        sides,
        &format!("{sides}colours: {{ Red: green, Blue: \"#2c5291 #3a68b4\" }}\n"),
    );
    folder.ok("check");
    let served = Served::start(&folder.0);
    let page = served.page_text("/at/skirmish/bridge/play");
    page.holds("side s3");
    page.holds("side s8");
    page.holds(".s8{--solid:#2c5291;--side:#2c5291}");
    page.holds("(prefers-color-scheme:dark){.s8{--solid:#3a68b4;");
    // What is checked is the paper of the pages.
    let css = include_str!("../src/workbench/serve/assets/casebook.css");
    for paper in PAPER {
        css.holds(format!("--paper: {};", paper));
    }
    let map = served.page_text("/at/skirmish/bridge/map.svg");
    map.holds(".s8{fill:#2c5291}");
}

/// A new start is asked about, and is answered on for who does not sit there; what ends a phase stands behind what goes on with it; a style that
/// the game does not have plays nobody.
#[test]
fn nothing_is_dropped_or_ended_at_a_slip() {
    let folder = campaign();
    folder.replace(
        "rules/skirmish/03-game/4.1-a-day.rhai",
        "//! procedure: day\n",
        "//! procedure: day\n//! questions: { order: { ask: What now?, main: wait } }\n",
    );
    let served = Served::start(&folder.0);
    let page = |query: &str| served.page_text(&format!("/at/skirmish/bridge/play?{query}"));
    let asked = page("policy:Blue=first&moves=c1_p1");
    let (back, anew) = asked.split_once("Start again").expect("a new start");
    back.holds("Take back");
    anew.holds("Shall the dice");
    anew.holds("do=on\" data-move>The same dice");
    anew.holds("do=on\" data-move>Other dice");
    let (before, after) = asked.split_once("data-end").expect("an end");
    assert!(
        before.contains(">attack ") || before.contains(">attack<"),
        "{before}"
    );
    assert!(after.starts_with(">wait"), "{after}");
    let unknown = page("policy:Blue=genius&moves=c1");
    unknown.holds("role=\"alert\"");
    unknown.holds("no policy is called <code>genius</code>");
}

/// A journal of the page says who plays; the game that is opened from it goes on against the same, as far back as one takes back.
#[test]
fn a_journal_keeps_who_plays() {
    let folder = campaign();
    let served = Served::start(&folder.0);
    let part = served
        .page_text("/at/skirmish/bridge/play?seed=4&policy:Blue=first&moves=c1_p1&part=journal");
    let link = part
        .split("utf-8,")
        .nth(1)
        .and_then(|text| text.split('"').next());
    let query = format!("journal={}", link.expect("a file"));
    let (_, journal) = form_urlencoded::parse(query.as_bytes())
        .next()
        .expect("a text");
    journal.holds("policy: { Blue: first }");
    let open = |journal: &str| {
        let body = json!({ "journal": journal });
        served.request("POST", "/journal", Some(&body))
    };
    let (_, opened) = open(&journal);
    let address = opened["address"].as_str().unwrap_or_default();
    assert!(address.ends_with("&do=on"), "{address}");
    address.holds("policy:Blue=first");
    address.holds("seed=4");
    for (status, told) in [
        open(&journal.replace("Blue: first", "Blue: genius")),
        served.request(
            "POST",
            "/play",
            Some(&json!({ "situation": "bridge", "policy": { "Blue": "genius" } })),
        ),
    ] {
        assert!(status == 400, "{told}");
        told.to_string().holds("`genius`; write first, ");
    }
}

/// A place can be called by its name on the map, also where nothing can go.
#[test]
fn why_not_takes_names_and_always_answers() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let begun =
        "/at/wbts/first-manassas/play?usual=on&throws=on&seed=3&moves=_u0_r_r_u0_u0_u0_u0_u0_u0";
    for (address, to, said) in [
        (
            begun,
            "Manassas+Junction",
            "C2409 Manassas Junction is not open.</b> Now the question is",
        ),
        (begun, "the+moon", "no place is called `the moon`"),
        (
            "/at/wbts/lee-attacks-porter/play?",
            "C2516",
            "C2516 is not open.</b> Now 1d6 for ",
        ),
    ] {
        let said_there = served.page_text(&format!("{address}&part=why&to={to}"));
        said_there.holds(said);
    }
    let page = served.page_text("/at/wbts/lee-attacks-porter/play");
    // It can be asked while a throw is waited for.
    page.holds("Why not");
}

/// What each unit of each side lost in a battle stays on the page until somebody goes on.
#[test]
fn a_battle_that_ended_says_what_each_unit_lost() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let fought = "/at/wbts/lee-attacks-porter/play?usual=on&throws=on&seed=3&moves=_r_u0-c0-c3_r_u0_r_r-c0-c0_u0-c0";
    let under_way = served.page_text(&format!("{fought}&part=table"));
    under_way.lacks("lost in the ground combat");
    let page = served.page_text(&format!("{fought}-c0_r_r&part=table"));
    for lost in [
        "lost in the ground combat: Morell's division 3 of 8, Sykes's division 3 of 6 and McCall's division 4 of 10",
        "lost in the ground combat: Magruder's division 2 of 8",
    ] {
        page.holds(lost);
    }
}

/// The page of the balance lets its reader name the style of each side.
#[test]
fn the_balance_is_between_the_styles_that_are_named() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    let page =
        served.page_text("/at/wbts/first-manassas/balance?policy:Union=bold&policy:Confederate=");
    let (union, confederate) = page
        .split_once("name=\"policy:Confederate\"")
        .expect("a field");
    union.holds("name=\"policy:Union\" form=\"situation\"");
    union.holds("<option selected>bold");
    confederate.lacks("<option selected>");
}
