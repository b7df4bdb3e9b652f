//! Throws whose numbers of ways pass 2^53, 2^64, 2^127 and 2^128, through everything that shows chances: command line, JSON, tests,
//! examples, API, page, comparison and luck. What is expected follows from one die alone.

#[cfg(feature = "serve")]
use crate::common::server::Served;
use crate::common::{Folder, Says};
use dashu_int::UBig;
use dashu_ratio::RBig;
use serde_json::{Value, json};

const RULE: &str = "rules/pools/01-pools/1.1-answer.rhai";
const VARIANT_RULE: &str = "variants/apart/rules/01-pools/1.1-answer.rhai";

/// The mean total of `count` dice, and the chance that none shows 1.
fn expected(count: u32, sides: u32) -> (String, String) {
    let mean = RBig::from_parts((count * (sides + 1)).into(), 2u32.into());
    let none = RBig::from_parts(
        UBig::from(sides - 1).pow(count as usize).into(),
        UBig::from(sides).pow(count as usize),
    );
    (mean.to_string(), none.to_string())
}

fn rule(count: u32, sides: u32, kind: &str, total: &str) -> String {
    let (mean, none) = expected(count, sides);
    let examples = format!(
        "/// 1.1 derived\nfn example_the_throw() {{\n    expect(mean(|| roll(\"{count}d{sides}\", \"a\")), \"{mean}\");\n    \
         expect(chance(|| hits(\"{count}d{sides}\", \"1\", \"a\"), 0), \"{none}\");\n}}\n"
    );
    let examples = if kind == "rule" {
        examples
    } else {
        String::new()
    };
    format!(
        "//! case: \"1.1\"\n//! title: Answer\n//! kind: {kind}\n//! procedure: answer\n//! text: Dice are thrown.\n\n\
         fn answer(given) {{\n    result(\"total\", {total});\n    result(\"ones\", hits(\"{count}d{sides}\", \"1\", \"ones\"));\n}}\n\n{examples}"
    )
}

/// Checks outcomes as JSON shows them.
fn check_outcomes(outcomes: &Value, (mean, none): &(String, String), what: &str) {
    let outcome = |name: &str| {
        outcomes
            .as_array()
            .and_then(|all| all.iter().find(|one| one["outcome"] == name))
            .expect(name)
            .clone()
    };
    assert_eq!(outcome("total")["mean"].as_str(), Some(&**mean), "{what}");
    let ones = outcome("ones");
    let values = ones["values"].as_array().expect("a list");
    let chance = |value: &Value| -> RBig {
        value["chance"]
            .as_str()
            .and_then(|text| text.parse().ok())
            .expect("a fraction")
    };
    let zero = values
        .iter()
        .find(|value| value["value"] == "0")
        .expect("none may show 1");
    assert_eq!(zero["chance"].as_str(), Some(&**none), "{what}");
    assert_eq!(
        values
            .iter()
            .map(chance)
            .fold(RBig::ZERO, |sum, chance| sum + chance),
        RBig::ONE,
        "{what}"
    );
    assert!(
        values.iter().all(|value| value["percent"]
            .as_f64()
            .is_some_and(|percent| (0.0..=100.0).contains(&percent))),
        "{what}"
    );
}

#[test]
fn chances_of_large_throws_are_the_same_everywhere() {
    let folder = Folder::empty();
    folder.write(
        "rules/pools/game.yaml",
        "game: pools\ntitle: Pools\nsides: [Red, Blue]\nprocedures: { answer: Dice are thrown. }\n",
    );
    folder.write(
        "scenarios/pools/one.yaml",
        "situation: one\ntitle: One\nprocedure: answer\n",
    );
    folder.write(
        "variants/apart/variant.yaml",
        "variant: apart\ntitle: Apart\ngame: pools\n",
    );
    for (count, sides) in [(53, 2), (64, 2), (64, 4), (127, 2), (50, 6), (30, 20)] {
        let (dice, known) = (format!("{count}d{sides}"), expected(count, sides));
        folder.write(
            RULE,
            rule(
                count,
                sides,
                "rule",
                &format!("roll(\"{dice}\", \"total\")"),
            ),
        );
        // The same throw, written as two.
        let two = format!(
            "roll(\"{}d{sides}\", \"some\") + roll(\"{}d{sides}\", \"others\")",
            count / 2,
            count - count / 2
        );
        folder.write(VARIANT_RULE, rule(count, sides, "revision", &two));
        let stated = |total: &str| {
            format!(
                "form: 1\ntests:\n  - test: the odds\n    given: one\n    odds: {{ total: {{ mean: {total} }}, ones: {{ 0: {} }} }}\n",
                known.1
            )
        };
        let json = folder.json("odds one");
        assert_eq!(json["complete"], true, "{dice}");
        check_outcomes(&json["outcomes"], &known, &dice);
        let alone = folder.json(&["dice", &dice]);
        let mean = alone["found"][0]["blocks"][0]["text"].as_str();
        let mean = mean.and_then(|text| text.split(" = ").nth(1)?.split(',').next());
        assert_eq!(mean, Some(&*known.0), "{dice}");
        folder.write("tests/pools/odds.yaml", stated(&known.0));
        let tests = folder.ok("test");
        tests.out.holds("0 fail");
        folder.write("tests/pools/odds.yaml", stated(&format!("{count}/7")));
        assert!(
            folder.run("test").status != Some(0),
            "{dice}: a wrong mean is noticed"
        );
        let compared = folder.json("compare one --with '' --with apart");
        let verdicts: Vec<&Value> = compared["differences"][0]["outcomes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| &one["verdict"])
            .collect();
        assert!(
            !verdicts.is_empty() && verdicts.iter().all(|verdict| **verdict == "the same"),
            "{dice}: {compared:#}"
        );
        folder
            .run_with("play one --seed 3 --save game.yaml", &"\n".repeat(9))
            .expect_success();
        let luck = folder.json("luck game.yaml --measure total");
        assert_eq!(
            luck["procedures"][0]["expected"]["exact"].as_str(),
            Some(&*known.0),
            "{dice}: {luck:#}"
        );
        #[cfg(feature = "serve")]
        if (count, sides) == (127, 2) {
            let served = Served::start(&folder.0);
            let (status, answer) =
                served.request("POST", "/odds", Some(&json!({ "situation": "one" })));
            assert_eq!(status, 200, "{answer}");
            check_outcomes(&answer["outcomes"], &known, "the API");
            let (status, page) = served.page("/at/pools/one?part=odds");
            assert!(status == 200, "{page}");
            page.holds("190.5");
            page.lacks("-0.");
        }
    }
}

/// Games whose throws are that large: what `balance` says of them is of this world.
#[test]
fn games_of_large_throws_are_balanced() {
    let folder = Folder::empty();
    folder.write(
        "rules/pools/game.yaml",
        "game: pools\ntitle: Pools\nsides: [Red, Blue]\nprocedures: { answer: Dice are thrown. }\n\
         sequence: [{ phase: Throw, procedures: [answer] }]\nends_when: { game: over }\nwon_by: winner\nscore: total\n\
         styles: { keen: { what: Looks ahead., plays_on: { policies: [first] } } }\n",
    );
    folder.write(
        "scenarios/pools/one.yaml",
        "situation: one\ntitle: One\nprocedure: answer\ngoes_on: true\n",
    );
    folder.write(
        "variants/apart/variant.yaml",
        "variant: apart\ntitle: Apart\ngame: pools\n",
    );
    for (count, sides) in [(50u32, 6u32), (64, 4), (127, 2), (30, 20)] {
        let (mean, deviation) = (
            f64::from(count * (sides + 1)) / 2.0,
            (f64::from(count) * f64::from(sides * sides - 1) / 12.0).sqrt(),
        );
        let rule = |kind: &str, thrown: &str| {
            format!(
                "//! case: \"1.1\"\n//! title: Answer\n//! kind: {kind}\n//! procedure: answer\n//! text: Dice are thrown.\n\n\
                 fn answer(given) {{\n    let sure = {};\n    \
                 let total = if choose(\"Red\", \"how\", [\"surely\", \"by dice\"]) == \"by dice\" {{ {thrown} }} else {{ sure }};\n    \
                 result(\"total\", total);\n    result(\"winner\", if total > sure {{ \"Red\" }} else {{ \"Blue\" }});\n    \
                 result(\"game\", \"over\");\n}}\n",
                (count * (sides + 1) - 1) / 2
            )
        };
        folder.write(
            RULE,
            rule("rule", &format!("roll(\"{count}d{sides}\", \"total\")")),
        );
        let two = format!(
            "roll(\"{}d{sides}\", \"some\") + roll(\"{}d{sides}\", \"others\")",
            count / 2,
            count - count / 2
        );
        folder.write(VARIANT_RULE, rule("revision", &two));
        let args = [
            "balance",
            "one",
            "--with",
            "",
            "--with",
            "apart",
            "--games",
            "8",
            "--style",
            "Red=keen",
            "--style",
            "Blue=first",
        ];
        let answer = folder.json(&[&args[..], &["--seconds", "60", "--format", "json"]].concat());
        let number = |value: &Value| {
            value
                .as_f64()
                .unwrap_or_else(|| panic!("{count}d{sides}: {answer:#}"))
        };
        for row in answer["rows"].as_array().expect("a row for each ruleset") {
            let games = number(&row["games"]);
            let score = number(&row["score"]);
            assert!(
                games >= 4.0 && (score - mean).abs() < 6.0 * deviation / games.sqrt(),
                "{count}d{sides}: {row:#}"
            );
            let winners = row["winners"].as_array().expect("winners");
            assert!(
                (winners.iter().map(|one| number(&one["share"])).sum::<f64>() - 1.0).abs() < 1e-9,
                "{count}d{sides}: {row:#}"
            );
            let is_share = |value: &Value| (0.0..=1.0).contains(&number(value));
            assert!(
                winners.iter().all(|one| ["share", "low", "high"]
                    .iter()
                    .all(|key| is_share(&one[key]))),
                "{row:#}"
            );
        }
        let share = &answer["rulesets"][0]["share"];
        assert!(
            share["verdict"] != "differs"
                && number(&share["low"]) <= 0.0
                && number(&share["high"]) >= 0.0,
            "{answer:#}"
        );
    }
}
