//! `casebook show` finds everything that has a name, also in built-in games.

use crate::common::{Folder, Items, Says};
use casebook::ruleset::compose::{Ruleset, RulesetSpec};
use casebook::view::{show, things};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A built-in game with all its variants that go together.
fn built_in(game: &str) -> Arc<Ruleset> {
    let library = casebook::built_in();
    let spec = RulesetSpec::with_variants(game, library.compatible_variants(game));
    Arc::new(
        casebook::ruleset::diagnostics::build_ruleset(&library, &spec)
            .expect("a whole game")
            .0,
    )
}

/// What is suggested, listed or named by a page can itself be shown.
#[test]
fn every_name_that_is_suggested_is_shown() {
    for game in ["wbts", "tmag", "banasik"] {
        let ruleset = built_in(game);
        // Many names are those of several things, and each is looked for once.
        let (names, mut found) = (
            BTreeSet::from_iter(things::names(&ruleset)),
            BTreeSet::new(),
        );
        for name in names {
            let entries =
                show::find(&ruleset, &name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                !entries.is_empty(),
                "{name} of {game} is suggested, and nothing is shown of it"
            );
            for shown in entries {
                shown.title.holds(&shown.name);
                let kind_and_name = format!("{} {}", shown.kind, shown.name);
                let alone = if ["list", "field"].contains(&shown.kind) {
                    shown.name.clone()
                } else {
                    kind_and_name
                };
                // By its name it was found just now.
                if alone == name || !found.insert((alone.clone(), shown.kind, shown.name.clone())) {
                    continue;
                }
                let found_again =
                    show::find(&ruleset, &alone).expect("what was found is found again");
                assert!(
                    found_again
                        .iter()
                        .any(|other| other.kind == shown.kind && other.name == shown.name),
                    "`{alone}` is not found"
                );
            }
        }
    }
}

/// The program alone shows a whole game.
#[test]
fn a_built_in_game_is_shown() {
    let folder = Folder::empty();
    let shows = |name: &str, parts: &[&str]| {
        let out = folder.out(&["show", name, "--game", "wbts"]);
        for part in parts {
            out.holds(part);
        }
        out
    };
    let battle = [
        "ground combat: a procedure of wbts",
        "A leader who passes his roll attacks one hex.",
        "The hex that is attacked: the name of a place",
        "8.0 wbts  Ground combat  rules/wbts/08-combat/8.0-ground-combat.rhai:25 (built in)",
        "attacker losses",
        "lee-attacks-porter",
        "intensity",
    ];
    shows("ground combat", &battle);
    shows(
        "strength",
        &[
            "an attribute of pieces",
            "counted in strength points, 0 to 99; 0 where nothing is said",
            "rules/wbts/game.yaml:",
        ],
    );
    shows(
        "infantry",
        &[
            "a kind of piece of wbts",
            "infantry division; ground, combat, foot",
        ],
    );
    shows(
        "kinds",
        &["kinds of wbts", "infantry division; ground, combat, foot"],
    );
    shows(
        "cycle",
        &[
            "a track of wbts",
            "its turns go from 7/61 to 4/65, 13 a year",
        ],
    );
    shows(
        "shift",
        &["shift(attack_rating, defence_rating)", "(built in)"],
    );
    shows(
        "ground_combat",
        &["It carries out the procedure `ground combat`."],
    );
    shows(
        "dye.leader-loss",
        &["an option of wbts", "where nothing is said it is: on"],
    );
    shows(
        "8.16.remainder",
        &["free | even", "The first way is the default."],
    );
    shows("Union", &["a side of wbts"]);
    for list in [
        "procedures",
        "attributes",
        "tracks",
        "sides",
        "sheets",
        "sources",
        "sequence",
        "variants",
        "options",
        "readings",
        "tables",
    ] {
        shows(list, &[&format!("{list} of wbts")]);
    }
}

#[test]
fn the_source_is_printed() {
    let folder = Folder::empty();
    let source = |name: &str| folder.out(&["show", name, "--script", "--game", "wbts"]);
    source("shift").holds("// rules/wbts/26-optional-rules/26.2-leader-effect-on-combat.rhai:29 (built in)\nfn shift(");
    source("ground combat").holds("fn ground_combat(given) {");
    source("combat-results").holds("# tables/wbts/combat-results.yaml:1 (built in)\n");
    assert!(
        source("kind infantry")
            .ends_with("  infantry:           { title: infantry division, is: [ground, combat, foot], symbol: cross }\n")
    );
    assert!(source("8.16").starts_with("//! case: \"8.16\""));
    source("8.16")
        .holds("\n// variants/hardy/rules/08-combat/8.16-allocation-of-losses.rhai:1 (built in)\n");
    source("kinds").holds("kinds:\n  infantry:");
    let json = folder.json("show shift --script");
    assert_eq!(json["found"][0]["script"][0]["line"], 29);
    assert_eq!(
        json["found"][0]["blocks"][0]["blocks"][0]["text"],
        "shift(attack_rating, defence_rating)"
    );
    // What stands in the folder is not built in.
    let skirmish = Folder::skirmish();
    let out = skirmish.out("show attack --game skirmish");
    out.holds("a procedure of skirmish");
    out.lacks("built in");
}

/// A printed source is the source of a file: the card stays first.
#[test]
fn a_printed_source_is_a_file() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    for (number, file) in [
        ("1.1", "rules/mine/01-fighting/1.1-fights.rhai"),
        ("fight", "tables/mine/fight.yaml"),
    ] {
        let name = if number == "fight" {
            "table fight"
        } else {
            number
        };
        let source = folder.out(&["show", name, "--script", "--game", "mine"]);
        source.holds(format!(" {file}:1\n"));
        folder.write(file, source);
        assert_eq!(folder.out("check"), "0 complaints\n");
        folder.ok("resolve first-fight");
    }
}

/// A whole name goes before names that end in it.
#[test]
fn a_whole_name_shows_that_piece_alone() {
    let folder = Folder::empty();
    let pieces = |name: &str| -> Vec<String> {
        let json = folder.json(&["show", name, "--game", "wbts"]);
        let found = json["found"]
            .items()
            .filter(|page| page["kind"] == "piece")
            .filter_map(|page| page["name"].as_str());
        found.map(String::from).collect()
    };
    for name in ["piece Lee", "Lee", "piece lee"] {
        assert!(
            !pieces(name).is_empty() && pieces(name).iter().all(|piece| piece == "Lee"),
            "{name}: {:?}",
            pieces(name)
        );
    }
    assert!(
        pieces("piece S. Lee").iter().all(|piece| piece == "S. Lee")
            && !pieces("piece S. Lee").is_empty()
    );
    // A part finds what no whole name has.
    assert!(pieces("Hill").contains(&"A. Hill".to_string()));
}

/// What the help of `show` names is shown; NAME stands for what a game has.
#[test]
fn examples_of_the_help_are_shown() {
    let folder = Folder::empty();
    let help = folder
        .out("show --help")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let (_, names) = help
        .split_once("A number such as ")
        .expect("examples of names");
    let (number, names) = names.split_once(';').expect("a number");
    let (names, lists) = names.split_once("a list: ").expect("lists");
    let lists = lists
        .split("; or ")
        .next()
        .expect("lists")
        .split(", ")
        .map(str::trim);
    let quoted: Vec<&str> = names.split('\'').skip(1).step_by(2).collect();
    assert!(!quoted.is_empty(), "{names}");
    folder.ok(&["show", number]);
    for (game, manifest) in &casebook::built_in().games {
        let kind = manifest.kinds.keys().next().expect("a kind");
        let quoted = quoted.iter().map(|example| example.replace("NAME", kind));
        for name in quoted.chain(lists.clone().map(String::from)) {
            folder.ok(&["show", &name, "--game", game]);
        }
    }
}

#[test]
fn a_word_that_names_several_things_says_so() {
    let folder = Folder::empty();
    let out = folder.out("show hardy");
    assert!(
        out.starts_with("`hardy` names 2 things; each of these shows one:\n"),
        "{out}"
    );
    for way in ["source hardy", "variant hardy"] {
        out.holds(format!("casebook show '{way}'"));
        let alone = folder.out(&["show", way]);
        assert!(alone.starts_with("hardy: a "), "{alone}");
        alone.lacks("names 2 things");
    }
    assert!(
        folder
            .out("show 'kind infantry' --game tmag")
            .starts_with("infantry: a kind of piece of tmag")
    );
}

/// The listed fields are those that a procedure reads of its `given`, itself or through functions; no fields of other records.
#[test]
fn what_a_procedure_is_handed_is_found() {
    let folder = Folder::skirmish();
    let json = folder.json("show 'procedure attack' --game skirmish");
    let blocks = json["found"][0]["blocks"].as_array().expect("a list");
    let titled = |title: &str| {
        let found = blocks.iter().find(|block| {
            let named = block.get("label").or(block.get("title"));
            named
                .and_then(Value::as_str)
                .is_some_and(|name| name.starts_with(title))
        });
        found.unwrap_or_else(|| panic!("no {title} in {blocks:?}"))
    };
    let handed = titled("takes")["blocks"][0]["rows"]
        .as_array()
        .expect("rows");
    let handed: Vec<&Value> = handed.iter().map(|row| &row[0]).collect();
    assert_eq!(handed, ["from", "into", "side", "units"]);
    assert_eq!(
        titled("situations")["values"],
        serde_json::json!(["bridge"])
    );
    let outcomes: Vec<&str> = titled("outcomes")["values"]
        .items()
        .filter_map(Value::as_str)
        .collect();
    assert!(outcomes.contains(&"defender losses"));
}

#[test]
fn an_unknown_word_is_answered_with_one_that_exists() {
    let folder = Folder::empty();
    let run = folder.run("show 'ground comabt'");
    run.ends(2);
    run.err.holds("did you mean `ground combat`?");
    run.err.lacks("manifest");
    run.err.lacks("game.yaml");
}

/// A figure that a variant sets is shown with the source of the variant, not with that of the table.
#[test]
fn an_amended_cell_has_the_source_of_its_amendment() {
    let folder = Folder::skirmish();
    let text = folder.out("show combat --with errata");
    text.holds("2/1 by errata (slip");
    let page = folder.json("show combat --with errata");
    let blocks = page["found"][0]["blocks"].as_array().expect("a list");
    let errata = blocks.iter().find(|block| {
        let title = block["title"].as_str().unwrap_or_default();
        title.starts_with("errata ")
    });
    let cells = errata.expect("the layer")["blocks"].to_string();
    cells.holds("2/1 by errata (slip");
}

#[test]
fn questions_lead_to_the_rules_that_answer_them() {
    let folder = Folder::empty();
    for (game, question, answers) in [
        (
            "wbts",
            "what happens to a wounded leader",
            &["return-of-wounded-leaders", "killed-and-wounded"][..],
        ),
        ("wbts", "can cavalry retreat before combat?", &["15.2"]),
        ("wbts", "how do I storm a fort", &["storm"]),
        (
            "banasik",
            "does a charge go through friends",
            &["passing-through"],
        ),
    ] {
        let found: Value = serde_json::from_str(
            &folder.out(&["show", question, "--game", game, "--format", "json"]),
        )
        .expect("JSON");
        let sections = found["found"][0]["blocks"].as_array().expect("hits");
        let name = |section: &'_ Value| {
            let title = section["title"].as_str().unwrap_or_default();
            title.split(' ').next().unwrap_or_default().to_string()
        };
        let first: Vec<String> = sections.iter().take(4).map(name).collect();
        assert!(
            answers
                .iter()
                .all(|answer| first.iter().any(|name| name == answer)),
            "{question}: {first:?}"
        );
    }
    // A name that is misspelt is no question, and words that nobody knows find nothing.
    for name in ["lee-atacks-porter", "zyx wvu tsr"] {
        let run = folder.run(&["show", name]);
        assert!(run.status != Some(0), "{}{}", run.out, run.err);
        run.err.holds(name);
    }
}
