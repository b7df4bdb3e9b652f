//! `casebook show` finds everything that has a name, also in built-in games.

use crate::common::Folder;
use casebook::ruleset::compose::{Ruleset, RulesetSpec};
use casebook::view::{show, things};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A built-in game with all its variants that go together.
fn built_in(game: &str) -> Arc<Ruleset> {
    let library = casebook::built_in();
    let spec = RulesetSpec {
        game: game.into(),
        variants: library.compatible_variants(game),
        ..RulesetSpec::default()
    };
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
                assert!(shown.title.contains(&shown.name), "{name}: {}", shown.title);
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
        let out = folder
            .run(&["show", name, "--game", "wbts"])
            .expect_success()
            .out;
        for part in parts {
            assert!(out.contains(part), "no {part} in\n{out}");
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
            "counted in strength points; 0 where nothing is said",
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
    let source = |name: &str| {
        folder
            .run(&["show", name, "--script", "--game", "wbts"])
            .expect_success()
            .out
    };
    assert!(source("shift").contains(
        "// rules/wbts/26-optional-rules/26.2-leader-effect-on-combat.rhai:29 (built in)\nfn shift("
    ));
    assert!(source("ground combat").contains("fn ground_combat(given) {"));
    assert!(source("combat-results").contains("# tables/wbts/combat-results.yaml:1 (built in)\n"));
    assert!(
        source("kind infantry")
            .ends_with("  infantry:           { title: infantry division, is: [ground, combat, foot], symbol: cross }\n")
    );
    assert!(
        source("8.16").starts_with("//! case: \"8.16\"")
            && source("8.16").contains(
                "\n// variants/hardy/rules/08-combat/8.16-allocation-of-losses.rhai:1 (built in)\n"
            )
    );
    assert!(source("kinds").contains("kinds:\n  infantry:"));
    let json = folder
        .run(&["show", "shift", "--script", "--format", "json"])
        .expect_success()
        .json();
    assert_eq!(json["found"][0]["script"][0]["line"], 29);
    assert_eq!(
        json["found"][0]["blocks"][0]["blocks"][0]["text"],
        "shift(attack_rating, defence_rating)"
    );
    // What stands in the folder is not built in.
    let skirmish = Folder::skirmish();
    let out = skirmish
        .run(&["show", "attack", "--game", "skirmish"])
        .expect_success()
        .out;
    assert!(
        out.contains("a procedure of skirmish") && !out.contains("built in"),
        "{out}"
    );
}

/// A printed source is the source of a file: the card stays first.
#[test]
fn a_printed_source_is_a_file() {
    let folder = Folder::empty();
    folder.run(&["new", "game", "mine"]).expect_success();
    for (number, file) in [
        ("1.1", "rules/mine/01-fighting/1.1-fights.rhai"),
        ("fight", "tables/mine/fight.yaml"),
    ] {
        let name = if number == "fight" {
            "table fight"
        } else {
            number
        };
        let source = folder
            .run(&["show", name, "--script", "--game", "mine"])
            .expect_success()
            .out;
        assert!(source.contains(&format!(" {file}:1\n")), "{source}");
        folder.write(file, source);
        assert_eq!(
            folder.run(&["check"]).expect_success().out,
            "0 complaints\n"
        );
        folder.run(&["resolve", "first-fight"]).expect_success();
    }
}

/// A whole name goes before names that end in it.
#[test]
fn a_whole_name_shows_that_piece_alone() {
    let folder = Folder::empty();
    let pieces = |name: &str| -> Vec<String> {
        let json = folder
            .run(&["show", name, "--game", "wbts", "--format", "json"])
            .expect_success()
            .json();
        let found = json["found"]
            .as_array()
            .expect("a list")
            .iter()
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
    assert!(
        pieces("Hill").contains(&"A. Hill".to_string()),
        "a part finds what no whole name has"
    );
}

/// What the help of `show` names is shown; NAME stands for what a game has.
#[test]
fn examples_of_the_help_are_shown() {
    let folder = Folder::empty();
    let help = folder
        .run(&["show", "--help"])
        .expect_success()
        .out
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
    folder.run(&["show", number]).expect_success();
    for (game, manifest) in &casebook::built_in().games {
        let kind = manifest.kinds.keys().next().expect("a kind");
        let quoted = quoted.iter().map(|example| example.replace("NAME", kind));
        for name in quoted.chain(lists.clone().map(String::from)) {
            folder
                .run(&["show", &name, "--game", game])
                .expect_success();
        }
    }
}

#[test]
fn a_word_that_names_several_things_says_so() {
    let folder = Folder::empty();
    let out = folder.run(&["show", "hardy"]).expect_success().out;
    assert!(
        out.starts_with("`hardy` names 2 things; each of these shows one:\n"),
        "{out}"
    );
    for way in ["source hardy", "variant hardy"] {
        assert!(out.contains(&format!("casebook show '{way}'")), "{out}");
        let alone = folder.run(&["show", way]).expect_success().out;
        assert!(
            !alone.contains("names 2 things") && alone.starts_with("hardy: a "),
            "{alone}"
        );
    }
    assert!(
        folder
            .run(&["show", "kind infantry", "--game", "tmag"])
            .expect_success()
            .out
            .starts_with("infantry: a kind of piece of tmag")
    );
}

/// The listed fields are those that a procedure reads of its `given`, itself or through functions; no fields of other records.
#[test]
fn what_a_procedure_is_handed_is_found() {
    let folder = Folder::skirmish();
    let json = folder
        .run(&[
            "show",
            "procedure attack",
            "--game",
            "skirmish",
            "--format",
            "json",
        ])
        .expect_success()
        .json();
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
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(outcomes.contains(&"defender losses"), "{outcomes:?}");
}

#[test]
fn an_unknown_word_is_answered_with_one_that_exists() {
    let folder = Folder::empty();
    let run = folder.run(&["show", "ground comabt"]);
    assert!(
        run.status == Some(2) && run.err.contains("did you mean `ground combat`?"),
        "{}",
        run.err
    );
    assert!(
        !run.err.contains("manifest") && !run.err.contains("game.yaml"),
        "{}",
        run.err
    );
}

/// A figure that a variant sets is shown with the source of the variant, not with that of the table.
#[test]
fn an_amended_cell_has_the_source_of_its_amendment() {
    let folder = Folder::skirmish();
    let text = folder
        .run(&["show", "combat", "--with", "errata"])
        .expect_success()
        .out;
    assert!(text.contains("2/1 by errata (slip"), "{text}");
    let page = folder
        .run(&["show", "combat", "--with", "errata", "--format", "json"])
        .expect_success()
        .json();
    let blocks = page["found"][0]["blocks"].as_array().expect("a list");
    let errata = blocks.iter().find(|block| {
        let title = block["title"].as_str().unwrap_or_default();
        title.starts_with("errata ")
    });
    let cells = errata.expect("the layer")["blocks"].to_string();
    assert!(cells.contains("2/1 by errata (slip"), "{cells}");
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
            &folder
                .run(&["show", question, "--game", game, "--format", "json"])
                .expect_success()
                .out,
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
        assert!(
            run.status != Some(0) && run.err.contains(name),
            "{}{}",
            run.out,
            run.err
        );
    }
}
