//! Faces of which a rule reads only a part are counted by that part. What comes out has to be what a count of all hands gives, and a rule
//! that reads little of many dice is exact.

use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::notation::hand_reads::HandReads;
use casebook::notation::{Dice, Weight};
use casebook::odds::distribution::Odds;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The odds of a procedure with this body.
fn odds_of(body: &str) -> Odds {
    let rule = format!(
        "//! case: \"1.1\"\n//! title: Answer\n//! kind: rule\n//! procedure: answer\n//! text: Dice are thrown.\n\n\
         fn answer(given) {{\n    let limit = roll(\"1d2\", \"limit\") + 3;\n{body}\n}}\n\nfn whole(list) {{\n    list\n}}\n"
    );
    let manifest = "game: pools\ntitle: Pools\nsides: [Red, Blue]\nprocedures: { answer: Dice are thrown. }\n\
                    dice: { battle: [hit, hit, flag, miss], odd: [0, 0, 1, 3, 3, 7] }\n";
    let files = Files::default()
        .with_text("rules/pools/game.yaml", manifest)
        .with_text("rules/pools/01-pools/1.1-answer.rhai", &rule)
        .with_text(
            "scenarios/pools/one.yaml",
            "situation: one\ntitle: One\nprocedure: answer\n",
        );
    let library = Arc::new(Library::new(files));
    let situation = Situation::load(&library, &RulesetSpec::new("pools", &[]), "one")
        .expect("the situation is sound");
    casebook::odds(&situation, Duration::from_secs(60))
        .unwrap_or_else(|error| panic!("{error}\n{rule}"))
}

fn fractions(odds: &Odds) -> BTreeMap<(String, String), String> {
    let mut fractions = BTreeMap::new();
    for (name, values) in &odds.outcomes {
        fractions.extend(
            values
                .iter()
                .map(|(value, chance)| ((name.to_string(), value.to_string()), chance.to_string())),
        );
    }
    fractions
}

/// What rules read of faces `f`; those that read more than they seem to as well.
const READS: &[&str] = &[
    "r.push(f.total());",
    "r.push(f.len());",
    "r.push(f[0]);",
    "r.push(f[-1]);",
    "r.push(f[1] - f[-2]);",
    "r.push(f.first());",
    "r.push(most(f)); r.push(least(f));",
    "r.push(f.get(2));",
    "r.push(f.get(7));",
    "r.push(total(f.extract(0, 2)));",
    "r.push(total(f.extract(-2)));",
    "r.push(f.extract(-5, 2));",
    "r.push(f.extract(1..3));",
    "r.push(f.contains(3));",
    "r.push(limit in f);",
    "r.push(f.where(|x| x >= 4).len());",
    "r.push(f.where(|x| x >= limit).len());",
    "r.push(f.where(|x| 2 < x && x < 5).len());",
    "r.push(f.where(|x| x == 1 || x == 4).total());",
    "r.push(f.where(|x| x in 2..=3).len());",
    "r.push(f.where(|x| x >= limit).total());",
    "r.push(f.without(|x| x > 2).total());",
    "r.push(f.where(|x| x % 2 == 0).len());",
    "r.push(f.where(|x| x > 2).get(0));",
    "r.push(f.map(|x| if x > 4 { 2 } else if x > 3 { 1 } else { 0 }));",
    "r.push(f.map(|x| x * 2).total());",
    "r.push(f.some(|x| x == 2)); r.push(f.all(|x| x > 1));",
    "r.push(f.find(|x| x < 3));",
    "let t = 0; for x in f { t += x; } r.push(t);",
    "let t = 0; for x in f { if x > 2 { t += x; } else { t += 1; } } r.push(t);",
    "let t = 0; for x in f { if t < 6 { t += x; } } r.push(t);",
    "let t = 0; for x in f { t += x; if t > 5 { break; } } r.push(t);",
    "let t = 0; let n = 0; for x in f { n += 1; if n < 3 { t += x; } } r.push(t);",
    "let t = 0; let p = 0; for x in f { t += p; p = x; } r.push(t);",
    "let t = 0; let p = 0; for x in f { p = x; } for y in f { t += p; } r.push(t);",
    "let t = 0; for x in f { t += x; t += t; } r.push(t);",
    "let t = []; for x in f { t += x; } r.push(t);",
    "let t = 0; let u = 0; for x in f { t += x; u += t; } r.push(u);",
    "let t = 0; for x in f { for y in f { if x > y { t += 1; } } } r.push(t);",
    "let t = 0; for x in f { for y in 0..2 { if y == 1 { t += x; } } } r.push(t);",
    "let n = 0; for x in f { switch x { 1 => n += 10, 2..=3 => n += 1, _ => n += 100 } } r.push(n);",
    "let n = 0; for x in f { n = if x > 3 { n + 1 } else { 0 }; } r.push(n);",
    "let s = f.where(|x| x > 2); let t = 0; for x in s { if x < 5 { t += x; } } r.push(t);",
    "let s = []; for x in f { if x > 2 { s.push(x); } if s.len() == 2 { r.push(s.total()); } }",
    "limit = 2; r.push(f.where(|x| x >= limit).len());",
    "let g = f; r.push(g[0]); r.push(f.total());",
    "let g = f; g.sort(); r.push(g[0]);",
    "r.push(f == [3, 2, 1]);",
    "r.push(sets(f)[0]);",
    "r.push(`${f}`);",
    "r.push(f.reduce(|s, x| s + x, 0));",
    "let n = 0; for x in f { if x > 3 { n += roll(\"1d2\", \"again\"); } } r.push(n);",
    "let t = 0; for x in f { if roll(\"1d2\", \"again\") == 2 { t += x; } } r.push(t);",
];

/// A body that throws and reads, once as it is and once with all of the hand passed on.
fn bodies(dice: &str, reads: &[&str], in_loop: bool) -> [String; 2] {
    let reads = reads.join("\n        ");
    ["", "f = whole(f);"].map(|whole| {
        let throw =
            format!("let f = faces(\"{dice}\", \"faces\");\n        {whole}\n        {reads}");
        let body = if in_loop {
            format!("for turn in 0..2 {{\n        {throw}\n        limit -= 1;\n    }}")
        } else {
            throw
        };
        format!("    let r = [];\n    {body}\n    result(\"read\", `${{r}}`);")
    })
}

fn same_odds(dice: &str, reads: &[&str], in_loop: bool) {
    let [as_read, whole] = bodies(dice, reads, in_loop);
    let [as_read_odds, whole_odds] = [&as_read, &whole].map(|body| odds_of(body));
    assert_eq!(
        (as_read_odds.is_complete(), whole_odds.is_complete()),
        (true, true),
        "{as_read}"
    );
    assert_eq!(
        fractions(&as_read_odds),
        fractions(&whole_odds),
        "{as_read}"
    );
}

#[test]
fn each_reading_gives_what_all_hands_give() {
    for read in READS {
        for dice in ["3d6", "4d5kh3", "4d5kl3"] {
            same_odds(dice, &[read], false);
        }
    }
}

fn config(share: u32, of: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        failure_persistence: None,
        cases: (usual.cases * share / of).max(1),
        ..usual
    }
}

/// No die shows what is looked for, and the total is what is looked for, or nothing is: one die must not stand for all.
#[test]
fn what_no_die_shows_is_not_found_in_the_total() {
    for dice in ["3d4", "4d4kl3"] {
        for total in ["r.push(f.total());", ""] {
            same_odds(dice, &["r.push(limit in f);", total], false);
            same_odds(dice, &["limit = 0; r.push(limit in f);", total], false);
        }
    }
}

proptest! {
    #![proptest_config(config(1, 4))]

    /// Readings together, of any dice, once and in a loop.
    #[test]
    fn readings_together_give_what_all_hands_give(
        dice in prop::sample::select(vec!["3d6", "2d4!2", "4d4kl3", "3d6r(1,6)", "5d3kh4", "3 odd", "{2d4, 1d6}kh2", "2d3e1", "3d4"]),
        reads in prop::collection::vec(prop::sample::select(READS), 1..3),
        in_loop in any::<bool>(),
    ) {
        // Lists of few dice have no third item.
        same_odds(dice, &reads, in_loop && dice != "2d4!2");
    }
}

/// What a hand shows of what is read.
fn seen(hand: &[i64], reads: &HandReads) -> Vec<i64> {
    let class = |worth: i64| reads.class_starts.partition_point(|start| *start <= worth);
    let of_class = |of: usize| {
        hand.iter()
            .copied()
            .filter(move |worth| class(*worth) == of)
    };
    let classes = 0..=reads.class_starts.len();
    let mut seen = vec![hand.len() as i64];
    seen.extend(classes.clone().map(|of| of_class(of).count() as i64));
    if reads.total {
        seen.push(hand.iter().sum());
    }
    if reads.class_totals {
        seen.extend(classes.map(|of| of_class(of).sum::<i64>()));
    }
    let place = |place: &i64| {
        if *place < 0 {
            place + hand.len() as i64
        } else {
            *place
        }
    };
    seen.extend(reads.places.iter().map(|at| {
        usize::try_from(place(at))
            .ok()
            .and_then(|at| hand.get(at))
            .copied()
            .unwrap_or(i64::MIN)
    }));
    seen
}

/// Hands as they are read are all hands, those that agree in what is read taken together.
#[test]
fn hands_merge_by_what_is_read() {
    let dice = [
        "4d4",
        "5d3",
        "1d6",
        "4d4kh2",
        "5d3kl3",
        "4d3!1",
        "3d4r1",
        "4d4!1kl2",
        "4dF",
        "{2d4, 1d6}",
        "{2d4, 2d6}kh3",
        "3d6rr2..3",
    ];
    let places: [&[i64]; 7] = [&[], &[0], &[-1], &[0, 1], &[0, -1], &[9], &[1, -7]];
    for text in dice {
        let dice = Dice::parse(text).expect("these are dice");
        let worths = dice.possible_worths().expect("few");
        let hands = dice.hands().expect("few");
        let all: Weight = hands.iter().map(|(_, ways)| ways).sum();
        for (case, starts) in [&[][..], &[2], &[3], &[2, 4], &[1, 2, 3]]
            .into_iter()
            .enumerate()
        {
            for places in places {
                for (total, class_totals) in [(false, false), (true, false), (false, true)] {
                    let class_starts = starts
                        .iter()
                        .copied()
                        .filter(|start| worths[1..].contains(start))
                        .collect();
                    let reads = HandReads {
                        class_starts,
                        compared: false,
                        total,
                        class_totals,
                        places: places.iter().copied().collect(),
                    };
                    let Some(found) = dice.hands_as_read(&reads) else {
                        assert!(
                            !dice.others.is_empty() && (case > 0 || !places.is_empty()),
                            "{text} {reads:?}"
                        );
                        continue;
                    };
                    let found_ways: Weight = found.iter().map(|(_, ways)| ways).sum();
                    let merged = |hands: &[(Vec<i64>, Weight)], times: &Weight| {
                        let mut merged: BTreeMap<Vec<i64>, Weight> = BTreeMap::new();
                        hands.iter().for_each(|(hand, ways)| {
                            *merged.entry(seen(hand, &reads)).or_default() += ways * times
                        });
                        merged
                    };
                    let by_read = merged(&found, &all);
                    assert_eq!(by_read.len(), found.len(), "{text} {reads:?}");
                    assert_eq!(by_read, merged(&hands, &found_ways), "{text} {reads:?}");
                }
            }
        }
    }
}

/// Rules that read a part of many dice.
#[test]
fn many_dice_of_which_little_is_read_are_exact() {
    for (dice, read) in [
        ("16d10", "f.total()"),
        ("200d6", "f.total()"),
        ("60d6", "f.where(|x| x >= 5).len()"),
        ("200d20kh100", "f.where(|x| x >= 15).len()"),
        ("200d6", "f.where(|x| x >= limit).len()"),
        ("200d10", "f[0] + f[1]"),
        ("60d6", "f[0] - f[-1]"),
        ("200d8", "least(f)"),
        (
            "40d6",
            "f.map(|x| if x == 6 { 2 } else if x > 3 { 1 } else { 0 }).total()",
        ),
        ("16d10", "f.where(|x| x >= 8).total()"),
        ("60d6", "f.total() + 1000 * f.where(|x| x >= 5).len()"),
        ("10d10!1kh5", "f.total()"),
        ("5d10!6kh3", "f.total()"),
        ("2d12!20", "f[0]"),
        ("{40d8, 40d6}", "f.total()"),
        ("{40d8, 40d6}kh10", "f.where(|x| x > 5).len()"),
        ("30 battle", "f.where(|x| x == \"hit\").len()"),
        (
            "30 battle",
            "f.where(|x| x != \"hit\").where(|x| x == \"flag\").len()",
        ),
    ] {
        let odds = odds_of(&format!(
            "    let f = faces(\"{dice}\", \"faces\");\n    result(\"read\", {read});"
        ));
        assert!(odds.is_complete(), "{read} of {dice} is counted");
    }
    let loops = "    let t = 0;\n    for x in faces(\"20d10\", \"faces\") {\n        if x >= 6 {\n            t += x;\n        }\n    }\n    result(\"read\", t);";
    assert!(odds_of(loops).is_complete());
}
