//! What rules read of lists of dice, against every order of the dice and against figures that are computed in another way.

use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::notation::Dice;
use casebook::odds::distribution::Odds;
use casebook::odds::fraction::Fraction;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The odds of a procedure with this body.
pub fn odds_of(body: &str) -> Odds {
    let rule = format!(
        "//! case: \"1.1\"\n//! title: Answer\n//! kind: rule\n//! procedure: answer\n//! text: Dice are thrown.\n\n\
         fn answer(given) {{\n    {body}\n}}\n\nfn whole(list) {{\n    list\n}}\n"
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
    casebook::odds(&situation, Duration::from_secs(600))
        .unwrap_or_else(|error| panic!("{error}\n{rule}"))
}

/// The chances of the values of the outcome `read`.
fn chances(odds: &Odds) -> BTreeMap<String, Fraction> {
    odds.outcomes
        .iter()
        .filter(|(name, _)| **name == *"read")
        .flat_map(|(_, values)| values.iter())
        .map(|(value, chance)| (value.to_string(), chance.clone()))
        .collect()
}

/// How many there are of the number that is there most often.
fn most_often(hand: &[i64]) -> i64 {
    let count = |worth: &i64| hand.iter().filter(|other| *other == worth).count() as i64;
    hand.iter().map(count).max().unwrap_or(0)
}

/// A reading of a list `f`, highest first, and what it comes to.
type Reading = (&'static str, fn(&[i64]) -> i64);

const READINGS: &[Reading] = &[
    ("f.total()", |f| f.iter().sum()),
    ("f[f.len() - 1]", |f| f[f.len() - 1]),
    ("least(f)", |f| f[f.len() - 1]),
    ("f[0] - f[1]", |f| f[0] - f[1]),
    ("whole(f)[0] + whole(f)[-1]", |f| f[0] + f[f.len() - 1]),
    ("sets(f)[0][0]", most_often),
    ("distinct(f).len()", |f| {
        (1..10).filter(|n| f.contains(n)).count() as i64
    }),
    ("f.where(|x| x == f[0]).len()", |f| {
        f.iter().filter(|x| **x == f[0]).count() as i64
    }),
    ("f.where(|x| x >= 3).total()", |f| {
        f.iter().filter(|x| **x >= 3).sum()
    }),
    ("f.reduce(|s, x| if s < 6 { s + x } else { s }, 0)", |f| {
        f.iter().fold(0, |s, x| if s < 6 { s + x } else { s })
    }),
    ("if 2 in f { 1 } else { f.extract(1).total() }", |f| {
        if f.contains(&2) {
            1
        } else {
            f[1..].iter().sum()
        }
    }),
    ("f.map(|x| x * x).total() % 7", |f| {
        f.iter().map(|x| x * x).sum::<i64>() % 7
    }),
];

/// Every order of the dice, one by one.
#[test]
fn lists_are_counted_as_every_order_of_the_dice() {
    for text in ["3d6", "5d4", "4d5kh3", "5d3kl2", "{2d4, 2d6}kh3"] {
        let dice = Dice::parse(text).expect("these are dice");
        let mut orders: Vec<Vec<u32>> = vec![Vec::new()];
        for sides in dice.first_dice() {
            orders = (orders.iter())
                .flat_map(|order| (1..=sides).map(move |side| [&order[..], &[side]].concat()))
                .collect();
        }
        for (text_of_reading, reading) in READINGS {
            let mut expected: BTreeMap<String, Fraction> = BTreeMap::new();
            let one = Fraction::new(&1u32.into(), &(orders.len() as u32).into());
            for order in &orders {
                let value = reading(&dice.kept(order)).to_string();
                *expected.entry(value).or_insert(Fraction::ZERO) += &one;
            }
            let odds = odds_of(&format!(
                "let f = faces(\"{text}\", \"pool\"); result(\"read\", {text_of_reading});"
            ));
            assert!(odds.is_complete(), "{text_of_reading} of {text}");
            assert_eq!(chances(&odds), expected, "{text_of_reading} of {text}");
        }
    }
}

/// Dice that are thrown on without end: totals, and dice that count by themselves, have the means of their closed forms, and so has what is
/// made of them by adding and multiplying. Chances are exact up to the cut, and the cut is said.
#[test]
fn throws_without_end_have_exact_means_and_say_where_they_are_cut() {
    let fraction = |over: u32, under: u32| Fraction::new(&over.into(), &under.into());
    for (throw, mean, (value, chance)) in [
        (
            "roll(\"1d6!\", \"y\")",
            fraction(21, 5),
            ("8", fraction(1, 36)),
        ),
        (
            "3 * roll(\"2d6!+1\", \"y\") - 1",
            fraction(136, 5),
            ("8", fraction(1, 36)),
        ),
        (
            "hits(\"1d6e\", 5, \"y\")",
            fraction(2, 5),
            ("1", fraction(5, 18)),
        ),
        (
            "hits(\"5d6e\", 5, \"y\")",
            fraction(2, 1),
            ("0", fraction(32, 243)),
        ),
        (
            "roll(\"1d4!3..4\", \"y\")",
            fraction(5, 1),
            ("1", fraction(1, 4)),
        ),
        (
            "roll(\"1d20!+1d4\", \"y\")",
            fraction(515, 38),
            ("2", fraction(1, 80)),
        ),
    ] {
        let odds = odds_of(&format!("result(\"read\", {throw});"));
        assert_eq!(odds.outcomes["read"].mean(), Some(mean), "{throw}");
        assert_eq!(odds.outcomes["read"].chance(value), chance, "{throw}");
    }
}

/// The chances that no number shows on more than `most` of so many dice: each number in turn takes some of the dice that are left.
fn no_set_above(most: u32, dice: u32, sides: u32) -> Fraction {
    let binomial = |n: u32, k: u32| {
        (0..k).fold(1u128, |ways, i| {
            ways * u128::from(n - i) / u128::from(i + 1)
        })
    };
    let mut by_left: BTreeMap<u32, u128> = BTreeMap::from([(dice, 1)]);
    for _ in 0..sides {
        let mut next = BTreeMap::new();
        for (left, ways) in by_left {
            for taken in 0..=most.min(left) {
                *next.entry(left - taken).or_insert(0) += ways * binomial(left, taken);
            }
        }
        by_left = next;
    }
    let all = u128::from(sides).pow(dice);
    Fraction::new(&by_left.get(&0).copied().unwrap_or(0).into(), &all.into())
}

/// Pools of which tens of thousands of hands differ: as many as time and memory hold are counted.
#[test]
fn the_largest_set_of_many_dice_is_exact() {
    for (dice, sides) in [(10, 10), (12, 6)] {
        let odds = odds_of(&format!(
            "result(\"read\", sets(faces(\"{dice}d{sides}\", \"pool\"))[0][0]);"
        ));
        assert!(odds.is_complete(), "{dice}d{sides}");
        for (value, chance) in chances(&odds) {
            let most = value.parse().expect("a number");
            let expected = &no_set_above(most, dice, sides) - &no_set_above(most - 1, dice, sides);
            assert_eq!(chance, expected, "{value} of {dice}d{sides}");
        }
    }
}
