//! Choices under odds: policies, the best of a measure, ranges, secret answers, the part of a case.

use crate::common::{Folder, Items, Says};

/// A duel: Red stays or charges after an open die; both choose a card in secret; a last die decides.
fn duel() -> Folder {
    let folder = Folder::empty();
    folder.write(
        "rules/duel/game.yaml",
        "game: duel\ntitle: Duel\nsides: [Red, Blue]\nsources:\n  sheet: { title: sheet, by: nobody, where: made up }\nkinds:\n  man: { title: men, is: [soldier] }\nattributes:\n  strength: { unit: points, default: 0 }\nunit_value: { first: strength }\nplaces:\n  notation: box\n  boxes: [field]\nprocedures:\n  duel: Two fight.\n  cards: Two lay cards.\n",
    );
    folder.write(
        "rules/duel/contents.yaml",
        "\"1.0\": Duel\n\"2.0\": Cards\n",
    );
    folder.write(
        "rules/duel/01-duel/1.0-duel.rhai",
        r#"//! case: "1.0"
//! title: Duel
//! kind: rule
//! source: { doc: sheet, at: "1.0" }
//! procedure: duel
//! readings:
//!   luck: [plain, double]
//! text: >
//!   A die is seen; then Red stays (gains 2) or charges (gains a second die, less 1 for a first die below 4, less 3 above).

fn duel(given) {
    let first = roll("1d6", "weather");
    let way = choose("Red", "way", ["stay", "charge"]);
    if way == "stay" { result("gain", 2); result("mode", "stayed"); return; }
    let second = roll("1d6", "charge");
    let factor = if reading("luck") == "double" { 2 } else { 1 };
    result("gain", factor * second - if first < 4 { 1 } else { 3 });
    result("mode", "charged");
}
"#,
    );
    folder.write(
        "rules/duel/02-cards/2.0-cards.rhai",
        r#"//! case: "2.0"
//! title: Cards
//! kind: rule
//! source: { doc: sheet, at: "2.0" }
//! procedure: cards
//! text: >
//!   Both lay a card; equal high ones gain Red 3, equal low ones 1, unequal ones nothing.

fn cards(given) {
    let a = choose("Red", "card", ["high", "low"]);
    let b = choose("Blue", "card", ["high", "low"]);
    result("gain", gain_of(a, b));
}

/// What a pair of cards gains Red.
fn gain_of(a, b) {
    if a != b { 0 } else if a == "high" { 3 } else { 1 }
}
"#,
    );
    for (name, procedure) in [("field", "duel"), ("table", "cards")] {
        let head = format!(
            "situation: {name}\ntitle: The {name}\nsource: {{ doc: sheet, at: made up }}\nprocedure: {procedure}\n"
        );
        folder.write(
            &format!("scenarios/duel/{name}.yaml"),
            head + "pieces:\n  - { name: Red men, kind: man, side: Red, at: field }\ngiven: {}\n",
        );
    }
    folder.write(
        "variants/kind/variant.yaml",
        "variant: kind\ntitle: Kind\ngame: duel\nsource: { doc: sheet, at: slip }\n",
    );
    folder.write(
        "variants/kind/rules/02-cards/2.0-cards.rhai",
        "//! case: \"2.0\"\n//! title: Cards\n//! kind: correction\n//! source: { doc: sheet, at: slip }\n//! text: Equal low cards gain Red 2.\n\nfn gain_of(a, b) {\n    if a != b { 0 } else if a == \"high\" { 3 } else { 2 }\n}\n",
    );
    folder
}

fn mean(odds: &serde_json::Value, outcome: &str) -> String {
    let outcomes = odds["outcomes"].as_array().expect("outcomes");
    let outcome_entry = outcomes
        .iter()
        .find(|o| o["outcome"] == outcome)
        .expect("the outcome is there");
    outcome_entry["mean"].as_str().unwrap_or("none").to_string()
}

fn odds_json(folder: &Folder, situation: &str, args: &[&str]) -> serde_json::Value {
    let args: Vec<&str> = ["odds", situation, "--format", "json"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    folder.json(&args)
}

#[test]
fn words_and_closures_answer_what_nobody_has_answered() {
    let folder = duel();
    assert_eq!(
        mean(&odds_json(&folder, "field", &[]), "gain"),
        "2",
        "the first option where nobody says otherwise"
    );
    // 3.5 less 1 or 3, each for half of the dice.
    assert_eq!(
        mean(
            &odds_json(&folder, "field", &["--policy", "Red=last"]),
            "gain"
        ),
        "3/2"
    );
    assert_eq!(
        mean(
            &odds_json(&folder, "field", &["--policy", "all=last"]),
            "gain"
        ),
        "3/2"
    );
    assert_eq!(
        mean(
            &odds_json(
                &folder,
                "field",
                &["--policy", "Red=last", "--choose", "Red: way=stay"]
            ),
            "gain"
        ),
        "2"
    );
    let closure = "Red=|what, options| if what == \"way\" { options[1] } else { options[0] }";
    assert_eq!(
        mean(&odds_json(&folder, "field", &["--policy", closure]), "gain"),
        "3/2"
    );
}

/// An answer that is not open in every branch is used where it is, and the odds say so; one that is open nowhere is an error.
#[test]
fn an_answer_is_used_where_it_is_open() {
    let folder = Folder::empty();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: wbts\n",
    );
    let battle = "lee-attacks-porter";
    // Lee, who attacks in 4 of 6, may lay a 4; J. Johnston, who attacks in 1 of 6, at most a 3, which is his first option.
    let chosen = [
        "--choose",
        "Confederate: intensity=4",
        "--choose",
        "Union: intensity=0",
    ];
    let odds = odds_json(&folder, battle, &chosen);
    let outcomes = odds["outcomes"].as_array().expect("outcomes");
    let intensity = outcomes
        .iter()
        .find(|one| one["outcome"] == "intensity")
        .expect("it is named")["values"]
        .clone();
    let chance = |value: &str| {
        let row = intensity
            .as_array()
            .and_then(|rows| rows.iter().find(|row| row["value"] == value));
        row.map(|row| row["chance"].as_str().unwrap_or_default().to_string())
    };
    assert_eq!(
        (chance("4"), chance("3")),
        (Some("2/3".into()), Some("1/6".into())),
        "{intensity:#}"
    );
    let partly_open = serde_json::json!([{ "question": "Confederate: intensity", "answer": "4" }]);
    assert_eq!(odds["assumed"]["partly_open"], partly_open);
    let says = "Not open in every case, and used where it is";
    let text = folder.out(&[&["odds", battle], &chosen[..]].concat());
    text.holds(says);
    text.holds("Confederate: intensity: 4");
    let compare = ["compare", battle, "--with", "", "--with", "mine"];
    let text = folder.out(&[&compare[..], &chosen[..]].concat());
    text.holds(says);
    folder
        .out(&["odds", battle, "--choose", "Union: intensity=0"])
        .lacks(says);
    for args in [&["odds", battle][..], &compare] {
        let run = folder.run(&[args, &["--choose", "Confederate: intensity=9"]].concat());
        run.ends(1);
        run.err.holds("Confederate: intensity: `9` is not open");
    }
}

/// A figure that only a policy reads still keeps states apart.
#[test]
fn figures_that_a_policy_reads_keep_states_apart() {
    let folder = Folder::skirmish();
    let attack = "    step(\"Attack\");
    set(piece(\"Red foot\"), \"strength\", roll(\"1d6\", \"strength\"));
    roll(\"1d2\", \"weather\");
    result(\"way\", choose(\"Red\", \"way\", [\"left\", \"right\"]));
    return;
";
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    step(\"Attack\");\n",
        attack,
    );
    let closure = "Red=|what, options| if piece(\"Red foot\").strength == 1 { options[0] } else { options[1] }";
    let odds = odds_json(&folder, "bridge", &["--policy", closure]);
    let values = odds["outcomes"][0]["values"].as_array().expect("values");
    let rows: Vec<_> = values
        .iter()
        .map(|row| (row["value"].as_str(), row["chance"].as_str()))
        .collect();
    assert_eq!(
        rows,
        [(Some("right"), Some("5/6")), (Some("left"), Some("1/6"))],
        "{odds}"
    );
}

/// States that differ only in the options of a choice are kept apart under best play.
#[test]
fn options_of_a_choice_keep_states_apart() {
    let folder = Folder::skirmish();
    let attack = "    step(\"Attack\");
    let die = roll(\"1d2\", \"weather\");
    result(\"gain\", choose(\"Red\", \"way\", [die * 10, 15]));
    return;
";
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    step(\"Attack\");\n",
        attack,
    );
    let gain = |policy: &str, measure: &[&str]| {
        mean(
            &odds_json(
                &folder,
                "bridge",
                &[&["--policy", policy], measure].concat(),
            ),
            "gain",
        )
    };
    assert_eq!(gain("Red=best", &["--measure", "gain"]), "35/2");
    assert_eq!(gain("Red=worst", &["--measure", "gain"]), "25/2");
    assert_eq!(gain("Red=random", &[]), "15");
    let ranges = odds_json(&folder, "bridge", &["--policy", "Red=all"]);
    let mean = &ranges["ranges"][0]["mean"];
    assert_eq!(
        (&mean["lowest"], &mean["highest"]),
        (&"25/2".into(), &"35/2".into())
    );
}

#[test]
fn the_best_sees_the_dice_before_and_not_those_after() {
    let folder = duel();
    // Charging is worth 2.5 after a low die and 0.5 after a high one, staying 2: (2.5 + 2) / 2.
    let best = odds_json(
        &folder,
        "field",
        &["--policy", "Red=best", "--measure", "gain"],
    );
    assert_eq!(best["measure"]["value"], "9/4");
    assert_eq!(mean(&best, "gain"), "9/4");
    assert_eq!(best["choices"][0]["taken"][0]["chance"], "1/2");
    // The worst of it: 2 after a low die, 0.5 after a high one.
    let worst = odds_json(
        &folder,
        "field",
        &["--policy", "Red=worst", "--measure", "gain"],
    );
    assert_eq!(worst["measure"]["value"], "5/4");
    // Taken off, the best becomes the worst.
    let less = odds_json(
        &folder,
        "field",
        &["--policy", "Red=best", "--measure", "-gain"],
    );
    assert_eq!(less["measure"]["value"], "-5/4");
}

#[test]
fn all_gives_the_range() {
    let ranges = odds_json(&duel(), "field", &["--policy", "Red=all"]);
    let gain = &ranges["ranges"][0];
    assert_eq!(
        (&gain["mean"]["lowest"], &gain["mean"]["highest"]),
        (&"5/4".into(), &"9/4".into())
    );
    let two = gain["values"]
        .items()
        .find(|v| v["value"] == "2")
        .expect("two");
    // Never by charging: 1/6 each time; always by staying.
    assert_eq!(
        (&two["lowest"], &two["highest"]),
        (&"1/6".into(), &"1".into())
    );
}

#[test]
fn secret_cards_are_mixed() {
    let folder = duel();
    let matrices = odds_json(&folder, "table", &["--matrix", "card", "--measure", "gain"]);
    assert!(
        matrices["assumed"]["policies"].is_array(),
        "what it rests on is told: {matrices}"
    );
    let game = &matrices["games"][0];
    assert_eq!(game["cells"], serde_json::json!([["3", "0"], ["0", "1"]]));
    // Each plays high so that the other does not care: 3p = 1 - p.
    assert_eq!(game["rows"]["mix"], serde_json::json!(["1/4", "3/4"]));
    assert_eq!(game["columns"]["mix"], serde_json::json!(["1/4", "3/4"]));
    assert_eq!(game["value"], "3/4");
    // Blue wants the loss high: the same game from the other side.
    let reversed = odds_json(
        &folder,
        "table",
        &[
            "--matrix",
            "card",
            "--measure",
            "-gain",
            "--policy",
            "Blue=best",
        ],
    );
    assert_eq!(reversed["games"][0]["rows"]["side"], "Blue");
    assert_eq!(reversed["games"][0]["value"], "-3/4");
    let text = folder.out("odds table --matrix card --measure gain --exact");
    text.holds("Red plays");
    text.holds("3/4");
}

#[test]
fn odds_are_compared_with_and_without_a_case() {
    let folder = duel();
    let policy = ["--policy", "all=last", "--with", "kind", "--by", "2.0"];
    let by = odds_json(&folder, "table", &policy);
    assert_eq!(by["moved"], serde_json::json!(["gain"]));
    assert_eq!(
        (
            mean(&by["rulesets"][0]["odds"], "gain"),
            mean(&by["rulesets"][1]["odds"], "gain")
        ),
        ("2".into(), "1".into())
    );
    let readings = odds_json(&folder, "field", &["--policy", "all=last", "--by", "1.0"]);
    // Doubled, the second die is worth 7: 7 less 2.
    assert_eq!(mean(&readings["rulesets"][1]["odds"], "gain"), "5");
    let same = folder.out("odds field --by 1.0");
    same.holds("has no effect here");
}

#[test]
fn what_cannot_be_done_says_what_can() {
    let folder = duel();
    let cases: &[(&[&str], &str)] = &[
        (
            &["odds", "field", "--policy", "Red=bst"],
            "did you mean `best`?",
        ),
        (
            &["odds", "field", "--policy", "Rad=best"],
            "did you mean `Red`?",
        ),
        (
            &["odds", "field", "--policy", "Red=best"],
            "name one: --measure",
        ),
        (
            &["odds", "field", "--policy", "Red=best", "--measure", "gian"],
            "did you mean `gain`?",
        ),
        (
            &["odds", "field", "--policy", "Red=best", "--measure", "mode"],
            "adds up numbers",
        ),
        (
            &[
                "odds",
                "field",
                "--policy",
                "Red=best",
                "--policy",
                "Blue=best",
                "--measure",
                "gain",
            ],
            "Red=worst",
        ),
        (
            &["odds", "table", "--matrix", "crad", "--measure", "gain"],
            "did you mean `card`?",
        ),
        (
            &["odds", "field", "--matrix", "way", "--measure", "gain"],
            "only Red is asked",
        ),
        (&["odds", "field", "--by", "3.0"], "1.0"),
        (
            &["odds", "field", "--policy", "Red=|what| 1"],
            "takes two names",
        ),
        (
            &["odds", "field", "--policy", "Red=|what, options| ("],
            "can't be read: this is not Rhai",
        ),
        (
            &[
                "play",
                "field",
                "--policy",
                "Blue=|what, options| chocies[0]",
            ],
            "nothing is called `chocies` here",
        ),
        (
            &[
                "odds",
                "field",
                "--policy",
                "Red=|what, options| options[7]",
            ],
            "the policy fails",
        ),
        (
            &[
                "odds",
                "field",
                "--policy",
                "Red=|what, options| \"chrage\"",
            ],
            "did you mean `charge`?",
        ),
        (
            &["odds", "field", "--policy", "Red=|what, options| loop { }"],
            "check that each loop ends",
        ),
        (
            &["resolve", "field", "--choose", "Red: way=best"],
            "casebook odds",
        ),
    ];
    for (args, expected) in cases {
        let run = folder.run(args);
        assert_ne!(run.status, Some(0), "{}", run.terminal_output());
        run.err.holds(expected);
    }
}

/// A trek: a cart goes two steps a day, for two days. A hamlet is one step away and worth little, a city two steps and worth much. Who asks only
/// for the next step goes to the hamlet, and a single step towards the city is lost, as the next leads back.
fn trek() -> Folder {
    let folder = Folder::empty();
    folder.write(
        "rules/trek/game.yaml",
        "game: trek\ntitle: Trek\nsides: [Red, Blue]\nsources:\n  sheet: { title: sheet, by: nobody, where: made up }\nkinds:\n  \
         cart: { title: carts, is: [traveller] }\n  town: { title: towns }\nattributes:\n  worth: { unit: points, default: 0 }\nplaces:\n  \
         notation: hex\n  sheets: { \"\": { columns: \"1-8\", rows: \"1-1\" } }\n  lower: even\ntracks:\n  day: { from: 1, to: 3 }\nprocedures:\n  \
         travel: A cart travels.\n  evening: A day ends.\nsequence:\n  - { phase: Road, procedures: [travel] }\n  - { phase: Evening, procedures: \
         [evening] }\nends_when: { game: over }\nwon_by: winner\nscore: Red points - Blue points\nstyles:\n  planner:\n    what: plays on\n    \
         answers: { flag: yellow, song: second }\n    plays_on: { policies: [last], games: 6 }\n",
    );
    folder.write(
        "rules/trek/contents.yaml",
        "\"1.0\": Travel\n\"2.0\": Evening\n",
    );
    folder.write(
        "rules/trek/01-travel/1.0-travel.rhai",
        r#"//! case: "1.0"
//! title: Travel
//! kind: rule
//! source: { doc: sheet, at: "1.0" }
//! procedure: travel
//! secret: flag
//! text: >
//!   A cart goes two steps. Its first offer leads to the hamlet.

fn travel(given) {
    result("flag", choose("Red", "flag", ["green", "yellow"]));
    result("song", choose("Red", "song", ["first", "second"]));
    let cart = piece("Cart");
    let steps = 0;
    while steps < 2 {
        let to = choose("Red", "where " + cart.name + " goes", ways(cart.at));
        if to != "stop" { move_piece(cart, to); }
        steps = if to == "stop" { 2 } else { steps + 1 };
    }
    result("wind", roll("1d6", "wind"));
}

/// Where a cart may go: towards the hamlet, nowhere, away from it.
fn ways(at) {
    let nearer = neighbours(at).where(|hex| distance(hex, "0501") < distance(at, "0501"));
    nearer + ["stop"] + neighbours(at).without(|hex| hex in nearer)
}
"#,
    );
    folder.write(
        "rules/trek/02-evening/2.0-evening.rhai",
        r#"//! case: "2.0"
//! title: Evening
//! kind: rule
//! source: { doc: sheet, at: "2.0" }
//! procedure: evening
//! text: >
//!   After two days Red has what the town is worth where the cart stands, and Blue what a die shows.

fn evening(given) {
    set_track("day", track("day") + 1);
    if track("day") < 3 { return; }
    let points = total(pieces(#{ kind: "town", at: piece("Cart").at }), "worth");
    let other = roll("1d6", "market");
    result("Red points", points);
    result("Blue points", other);
    result("winner", if points > other { "Red" } else { "Blue" });
    result("game", "over");
}
"#,
    );
    folder.write(
        "scenarios/trek/road.yaml",
        "situation: road\ntitle: The road\nsource: { doc: sheet, at: made up }\nstatus: printed\nprocedure: travel\ngoes_on: true\ntracks: { day: 1 }\npieces:\n  \
         - { name: Cart, kind: cart, side: Red, at: \"0401\" }\n  - { name: Hamlet, kind: town, at: \"0501\", worth: 1 }\n  \
         - { name: City, kind: town, at: \"0201\", worth: 9 }\n",
    );
    folder
}

#[test]
fn a_style_plays_on() {
    let folder = trek();
    folder.ok("check");
    let play = |policy: &str| {
        let args = ["play", "road", "--policy", policy, "--seed", "1"];
        folder.run_with(&args, "\n\n\n\n").expect_success().out
    };
    // Single answers lead to the hamlet, which hardly ever wins; two steps the other way lead to the city, which always does.
    let near = play("Red=first");
    near.lacks("by playing on");
    let far = play("Red=planner");
    for line in [
        "Red: where Cart goes, by playing on 6 times: stop wins 100 %",
        "Red: where Cart goes, by playing on 6 times: 0301 wins 100 %",
        "Red: where Cart goes, by playing on 6 times: 0201 wins 100 %",
    ] {
        assert_eq!(far.matches(line).count(), 1, "{line}: {far}");
    }
    // What comes to the same is answered as ever, and so is what is secret.
    far.lacks("Red: song, ");
    far.lacks("Red: flag, ");
    let games = || {
        let args = [
            "play",
            "road",
            "--policy",
            "Red=planner",
            "--games",
            "8",
            "--format",
            "json",
        ];
        folder.json(&args)
    };
    let total = &games()["parts"]["1"];
    assert_eq!(
        total["came"]["winner"],
        serde_json::json!({ "Red": 8 }),
        "{total:#}"
    );
    assert_eq!(games(), games(), "the same games choose the same");
    // In a count of odds its answers stand; where it is named only, `balance` plays it.
    let odds = odds_json(&folder, "road", &["--policy", "Red=planner"]);
    assert_eq!(
        odds["outcomes"][0]["values"][0]["value"], "yellow",
        "{odds:#}"
    );
    // What is declared wrongly is reported.
    for (right, wrong, message) in [
        ("policies: [last]", "policies: [lasst]", "`lasst`"),
        ("policies: [last]", "policies: [best]", "`best`"),
        ("games: 6", "games: 6, score: fame", "`fame`"),
        ("games: 6", "games: 0", "games"),
    ] {
        folder.replace("rules/trek/game.yaml", right, wrong);
        let checked = folder.run("check");
        checked.ends(1);
        checked.out.holds(message);
        folder.replace("rules/trek/game.yaml", wrong, right);
    }
}
