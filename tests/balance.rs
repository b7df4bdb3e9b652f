//! `balance`: planted house rules are blamed, rules without effect are not, and wrong requests are refused.

use crate::common::{self, Folder, Items, Says, campaign, repository};
use casebook::balance::attribution::CauseClaim;
use casebook::balance::betting_test::BalanceVerdict;
use casebook::balance::question::{BalanceAnswer, BalanceRequest, balance};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::ruleset::compose::RulesetSpec;
use casebook::situation::overrides::Overrides;
use casebook::usecase::settings::CountLimits;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A test game: both sides throw a die for each point of strength, six times at most.
fn duel() -> Folder {
    Folder::copy_of(
        &repository().join("tests/duel"),
        &["rules", "tables", "scenarios", "variants"],
    )
}

fn library() -> Arc<Library> {
    let files = Files::with_folder(&repository().join("tests/duel"), casebook::EMBEDDED)
        .expect("the folder is there");
    Arc::new(Library::new(files.read_all()))
}

fn spec(variants: &[&str], readings: &[(&str, &str)]) -> RulesetSpec {
    let readings = readings
        .iter()
        .map(|(name, way)| (name.to_string(), way.to_string()))
        .collect();
    RulesetSpec {
        readings,
        ..RulesetSpec::new("duel", variants)
    }
}

fn request(rulesets: Vec<RulesetSpec>, games: u64) -> BalanceRequest {
    BalanceRequest {
        situation: "meadow".into(),
        overrides: Overrides::default(),
        rulesets,
        styles: vec![("all".into(), "bold".into())],
        choices: Vec::new(),
        winner: None,
        score: None,
        seed: 1,
        games,
        shard: casebook::odds::shards::Shard::WHOLE,
        margin: 0.03,
        causes: true,
    }
}

fn ask(library: &Arc<Library>, request: &BalanceRequest) -> BalanceAnswer {
    let stop = AtomicBool::new(false);
    balance(
        library,
        request,
        CountLimits {
            threads: 2,
            ..CountLimits::new(Duration::from_secs(600), &stop)
        },
    )
    .expect("it can be asked")
}

/// Five house rules that favour one side, each beside a change without effect: only the rule is blamed.
#[test]
fn planted_rules_are_found_and_blamed() {
    let library = library();
    for (variants, readings, sign, maker) in [
        (&["sharp"][..], &[][..], 1.0, "1.2: Red shoots well"),
        (&["chart"], &[], -1.0, "Red, die 6: 0 instead of 1"),
        (&["morale"], &[], -1.0, "1.3: Blue stands"),
        (
            &["muster"],
            &[],
            1.0,
            "strength of Reds in meadow: 8 instead of 6",
        ),
        (
            &["null"],
            &[("1.4.volleys", "Red first")],
            1.0,
            "reading 1.4.volleys",
        ),
    ] {
        let request = BalanceRequest {
            margin: 0.08,
            ..request(vec![spec(&[], &[]), spec(variants, readings)], 2_000)
        };
        let answer = ask(&library, &request);
        let ruleset = &answer.rulesets[0];
        assert_eq!(
            ruleset.share.verdict,
            BalanceVerdict::Differs,
            "{variants:?}: {:?}",
            ruleset.share
        );
        assert!(
            ruleset.share.mean * sign > 0.0,
            "{variants:?}: {:?}",
            ruleset.share
        );
        let causes = ruleset.causes.as_ref().expect("causes were sought");
        assert!(
            causes.makers.iter().any(|title| title.contains(maker)),
            "{variants:?}: {:#?}",
            causes.tested
        );
        let idle_rules = [
            "Other dice",
            "The ground is named",
            "The strong win",
            "Red, die 2",
        ];
        let blamed = causes
            .makers
            .iter()
            .find(|title| idle_rules.iter().any(|name| title.contains(name)));
        assert_eq!(blamed, None, "{variants:?}: {:#?}", causes.tested);
    }
}

/// Of two variants only the one with an effect is blamed; of two opposite ones neither is called idle.
#[test]
fn the_variant_that_has_an_effect_is_blamed() {
    let library = library();
    let request = BalanceRequest {
        margin: 0.08,
        ..request(vec![spec(&[], &[]), spec(&["sharp", "null"], &[])], 2_000)
    };
    let answer = ask(&library, &request);
    let causes = answer.rulesets[0]
        .causes
        .as_ref()
        .expect("causes were sought");
    assert!(
        causes.makers.iter().all(|title| title.starts_with("sharp")) && !causes.makers.is_empty(),
        "{:#?}",
        causes.tested
    );
    let null = causes
        .tested
        .iter()
        .find(|group| group.title.contains("null"))
        .expect("it was tested");
    assert!(
        !matches!(null.claim, CauseClaim::MakesIt | CauseClaim::Contributes),
        "{null:#?}"
    );
}

/// Equal odds with other dice, a hundred times: at most five are called a difference, as the significance level is 5 %.
#[test]
fn other_dice_make_no_difference() {
    let library = library();
    let request_of_seed = |number: u64| BalanceRequest {
        seed: 1 + 1_000 * number,
        causes: false,
        margin: 0.0,
        ..request(vec![spec(&[], &[]), spec(&["null"], &[])], 30)
    };
    let false_alarms = (0..100)
        .filter(|number| {
            ask(&library, &request_of_seed(*number)).rulesets[0]
                .share
                .verdict
                == BalanceVerdict::Differs
        })
        .count();
    assert!(false_alarms <= 5, "{false_alarms} of a hundred");
}

#[test]
fn what_no_game_can_reach_is_proved_to_be_the_same() {
    let folder = duel();
    folder.write(
        "variants/still/variant.yaml",
        "variant: still\ntitle: Still\ngame: duel\n",
    );
    folder.write(
        "variants/still/rules/02-extra/9.9-extra.rhai",
        "//! case: \"9.9\"\n//! title: Extra\n//! kind: new case\n//! idle: nobody asks it\n//! text: Nothing.\n\nfn extra() { 1 }\n",
    );
    let run = folder.json("balance meadow --with '' --with still");
    assert_eq!(run["rulesets"][0]["share"]["verdict"], "the same");
}

#[test]
fn the_text_says_what_it_is_about_and_the_table_adds_up() {
    let folder = duel();
    let args = [
        "balance", "meadow", "--with", "", "--with", "muster", "--games", "300", "--margin", "10",
    ];
    let text = folder.out(&args);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "between these styles",
        "bold : careful",
        "the rulesets differ: Red wins",
        "strength of Reds in meadow: 8 instead of 6: makes the difference",
        "at most 5 in a hundred",
    ] {
        words.holds(part);
    }
    let json = folder.json(&args);
    json["scope"].holds("between these styles");
    for row in json["rows"].as_array().expect("rows") {
        let games: u64 = row["winners"]
            .items()
            .filter_map(|one| one["games"].as_u64())
            .sum();
        assert_eq!(Some(games), row["games"].as_u64(), "{row}");
        let last = row["course"]
            .as_array()
            .and_then(|course| course.first())
            .cloned()
            .unwrap_or_default();
        assert!(last.is_number(), "the score has a course: {row}");
    }
    let repeated = folder.json(&args);
    assert_eq!(
        json["rows"], repeated["rows"],
        "the same question has the same answer"
    );
}

/// The styles of a side that never chooses play the same games, which stand in the table once.
#[test]
fn a_side_that_never_chooses_doubles_no_rows() {
    let folder = duel();
    let asks = "orders[side] = choose(side, \"order\", orders_open(side));";
    let asks_red = format!("orders[side] = \"fire\"; if side == \"Red\" {{ {asks} }}");
    folder.replace("rules/duel/01-duel/1.1-volleys.rhai", asks, &asks_red);
    let args = ["balance", "meadow", "--games", "8", "--with", ""];
    let text = folder.out(&args);
    for (rows, pairing) in [
        (1, "bold : any style"),
        (1, "careful : any style"),
        (0, "bold : bold"),
        (0, "careful : careful"),
    ] {
        assert_eq!(text.matches(pairing).count(), rows, "{pairing}\n{text}");
    }
    folder.write(
        "1.json",
        folder.out(&[&args[..], &["--shard", "1/2", "--format", "json"]].concat()),
    );
    folder.write(
        "2.json",
        folder.out(&[&args[..], &["--shard", "2/2", "--format", "json"]].concat()),
    );
    let merged = folder.out("merge 1.json 2.json");
    merged.holds("bold : any style");
    merged.lacks("bold : bold");
    let games = folder
        .ok("play meadow --games 4 --shard 1/2 --format json")
        .out;
    folder.write("3.json", games);
    let mixed = folder.run("merge 1.json 3.json").err;
    mixed.holds("games and a balance can't be merged");
    // Where both choose, each pairing has its row.
    let both = duel().out(&args);
    both.holds("bold : bold");
    both.holds("bold : careful");
    both.lacks("any style");
}

#[test]
fn parts_are_joined_to_the_whole() {
    let folder = duel();
    let args = [
        "balance", "meadow", "--with", "", "--with", "muster", "--style", "all=bold", "--games",
        "60", "--format", "json",
    ];
    for part in ["1", "2", "3"] {
        folder.write(
            &format!("{part}.json"),
            folder.out(&[&args[..], &["--shard", &format!("{part}/3")]].concat()),
        );
    }
    let merge = |files: &[&str]| folder.out(&[&["merge"], files].concat());
    let joined = merge(&["1.json", "2.json", "3.json"]);
    assert_eq!(joined, merge(&["3.json", "1.json", "2.json", "1.json"]));
    joined.holds("muster, against duel");
    joined.holds("120 games on 60 seeds");
    merge(&["1.json", "3.json"]).holds("not there yet: 1 of 3 parts, 2");
    folder.write(
        "other.json",
        folder
            .read("2.json")
            .replace("\"seed\": 1,", "\"seed\": 2,"),
    );
    let run = folder.run("merge 1.json other.json");
    run.err.holds("other.json is a part of another question");
    folder.write(
        "twisted.json",
        folder
            .read("1.json")
            .replace("\"games\": 20,", "\"games\": 21,"),
    );
    folder
        .run("merge twisted.json")
        .err
        .holds("twisted.json is not a complete part");
}

/// Wrong requests are refused with a remedy.
#[test]
fn wrong_requests_are_refused() {
    let folder = duel();
    let says = |args: &[&str], status: i32, part: &str| {
        let run = folder.run(&[&["balance"], args].concat());
        let words = run.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(run.status, Some(status), "{}", run.terminal_output());
        words.holds(part);
    };
    says(
        &["meadow", "--style", "Red=brave"],
        2,
        "no policy is called `brave`",
    );
    says(
        &["meadow", "--style", "Green=bold"],
        2,
        "no side is called `Green`",
    );
    says(
        &["meadow", "--style", "Red=best"],
        2,
        "whole games are played by styles",
    );
    says(
        &[
            "meadow",
            "--style",
            "Red=|what, options| \"flee\"",
            "--seconds",
            "20",
        ],
        1,
        "flee",
    );
    says(
        &["meadow", "--choose", "Red: order=flee", "--seconds", "20"],
        1,
        "`flee` is not open",
    );
    says(
        &["meadow", "--with", "", "--with", "morale,muster"],
        1,
        "can't be in force together",
    );
    says(
        &["meadow", "--with", "", "--with", ""],
        2,
        "the ruleset `duel` is given twice",
    );
    says(
        &["meadow", "--with", "nobody"],
        2,
        "no variant is called `nobody`",
    );
    says(
        &["meadow", "--games", "0"],
        2,
        "write a whole number from 1",
    );
    says(
        &["meadow", "--seconds", "0"],
        2,
        "write a whole number from 1 to",
    );
    says(
        &["meadow", "--seconds", "-3"],
        2,
        "write a whole number from 1 to",
    );
    says(&["meadow", "--margin", "100"], 2, "from 0 to less than 100");
    says(&["meadow", "--margin", "nan"], 2, "from 0 to less than 100");
    says(&["meadow", "--score", "+ -"], 2, "a measure names outcomes");
    let json = Folder::skirmish()
        .run("balance bridge --format json")
        .json();
    let complaint = &json["complaints"][0];
    assert_eq!(complaint["code"], "whole-game", "{json}");
    assert_eq!(
        complaint["place"]["path"]
            .as_str()
            .map(|path| path.ends_with("scenarios/skirmish/bridge.yaml")),
        Some(true),
        "{json}"
    );
    let without_winner = campaign();
    let run = without_winner.run("balance bridge");
    run.err.holds("`won_by:`");
    let run = without_winner.run("balance bridge --winner winner");
    run.err.holds("--style Red=first");
    let run = without_winner.ok("balance bridge --winner winner --style all=random --games 20");
    run.out.holds("random : random");
}

/// Page and API show the table, the verdict with its causes, and the course of the score.
#[test]
#[cfg(feature = "serve")]
fn the_page_and_the_api_show_it() {
    let folder = duel();
    let served = common::server::Served::start(&folder.0);
    let page = served.page_text("/at/duel/meadow/balance?ruleset=&ruleset=muster");
    page.holds("between these styles");
    page.holds("data-part=\"balance\"");
    assert!(page.contains("Balance</a>"), "a whole game has the tab");
    let table = served.page_text(
        "/at/duel/meadow/balance?ruleset=&ruleset=muster&policy:all=bold&part=balance&look=2",
    );
    for part in [
        "the rulesets differ: Red wins",
        "strength of Reds in meadow: 8 instead of 6",
        "The course of the score",
        "<polyline",
    ] {
        table.holds(part);
    }
    let request = serde_json::json!({ "situation": "meadow", "rulesets": [[], ["muster"]], "policy": { "all": "bold" } });
    let (status, answer) = served.request("POST", "/balance", Some(&request));
    assert_eq!(
        (status, &answer["rulesets"][0]["share"]["verdict"]),
        (200, &serde_json::json!("differs")),
        "{answer:#}"
    );
    let skirmish = Folder::skirmish();
    let other_server = common::server::Served::start(&skirmish.0);
    other_server
        .page_text("/at/skirmish/bridge/compare")
        .lacks("Balance</a>");
    let part =
        other_server.page_text("/at/skirmish/bridge/balance?ruleset=&ruleset=errata&part=balance");
    part.holds("is a single procedure, not a whole game");
}
