//! Counts of rounds and sums that no rule reads: their loops are solved exactly, with the mean, though they have no greatest value. They are
//! compared with closed forms, with recurrences in exact numbers, with long iteration, and with the count that follows each round.

use crate::common::procedures::with_attack;
use crate::common::runner::{self, with_deep_stack};
use crate::common::{self, Folder, Run, Says};
use casebook::data::library::Library;
use casebook::notation::Weight;
use casebook::odds::best_play::best_play;
use casebook::odds::block_table::BlockMode;
use casebook::odds::bounds::SearchLimits;
use casebook::odds::count::{CountJob, CountResult, CountTables};
use casebook::odds::distribution::{Condition, NO_OUTCOME, Odds, conditional_odds, joint_outcomes};
use casebook::odds::explore::StateKeyParts;
use casebook::odds::fraction::Fraction;
use casebook::odds::measure::Measure;
use casebook::odds::query::{OddsQuery, OddsResult};
use casebook::odds::sample::SampleQuery;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::condition::GatheredValues;
use casebook::ruling::situation::Situation;
use casebook::situation::policy::Policies;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The small game with this attack.
fn situation(body: &str) -> Situation {
    let library = Arc::new(Library::new(with_attack(&common::skirmish(), body, "")));
    Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge").expect("it is there")
}

fn counted(
    body: &str,
    policies: &[(&str, &str)],
    measure: Option<&Measure>,
    threads: usize,
) -> Result<OddsResult, String> {
    let situation = situation(body);
    let policies: Vec<(String, String)> = policies
        .iter()
        .map(|(side, policy)| (side.to_string(), policy.to_string()))
        .collect();
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    let query = OddsQuery {
        choices: &[],
        policies: Arc::new(
            Policies::parse(&policies, &situation.ruleset().game).expect("policies"),
        ),
        measure,
        sample_query: SampleQuery::default(),
        strict: false,
        time_limit: Duration::from_secs(60),
        memory: 1 << 30,
        threads,
        stop: &never,
        time_after_stop: Duration::ZERO,
        progress: &quiet,
    };
    query.run(&situation).map_err(|error| error.to_string())
}

/// The exact odds of an attack, the same on one thread and on two.
fn exact(body: &str) -> Odds {
    let [one, two] = [1, 2].map(|threads| {
        let result =
            counted(body, &[], None, threads).unwrap_or_else(|error| panic!("{error}\n{body}"));
        assert!(
            result.counted.complete && result.odds.is_complete() && result.sample.is_none(),
            "{:?}\n{body}",
            result.odds.ended
        );
        result.odds
    });
    assert_eq!(one.outcomes, two.outcomes, "{body}");
    assert_eq!(one.order, two.order, "{body}");
    one
}

/// The odds by these tables' blocks, with counters gathered or not: if not, as far as each round is followed.
fn counted_with(body: &str, blocks: BlockMode, gathers_counters: bool) -> Odds {
    let situation = situation(body);
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    let limits = SearchLimits {
        deadline: Instant::now() + Duration::from_secs(60),
        memory: 1 << 30,
        stop: &never,
        progress: &quiet,
    };
    let choice_source = &situation.choice_source(&[], Arc::default());
    let key_parts = &StateKeyParts {
        gathers_counters,
        ..StateKeyParts::default()
    };
    let mut tables = CountTables::new(&situation, limits.memory);
    tables.blocks = blocks;
    let job = CountJob {
        situation: &situation,
        choice_source,
        key_parts,
        threads: 1,
        limits: &limits,
    };
    let counted: CountResult = job.run_on(&tables).expect("it is counted");
    Odds::new(&counted, &Default::default()).expect("they add up")
}

/// What stands first is said by the paths, not by how their graph is merged: most paths name none, few both, and the first that name one name
/// the later.
#[test]
fn outcomes_stand_in_the_order_of_the_paths() {
    let throws: String = ["first", "second", "third"]
        .iter()
        .map(|name| {
            format!(
                "let die = roll(\"2d6\", \"{name}\"); if die == 12 {{ result(\"{name}\", die); }}\n"
            )
        })
        .collect();
    let body = format!("{throws} if roll(\"1d6\", \"last\") == 1 {{ result(\"last\", 1); }}");
    assert_eq!(exact(&body).order, ["first", "second", "third", "last"]);
    for blocks in [BlockMode::Never, BlockMode::Always] {
        let odds = counted_with(&body, blocks, true);
        assert_eq!(odds.order, ["first", "second", "third", "last"]);
    }
}

fn followed(body: &str) -> Odds {
    counted_with(body, BlockMode::default(), false)
}

fn fraction(over: u64, under: u64) -> Fraction {
    Fraction::new(
        &Weight::from(u128::from(over)),
        &Weight::from(u128::from(under)),
    )
}

fn power(base: &Fraction, exponent: u32) -> Fraction {
    (0..exponent).fold(Fraction::ONE, |product, _| &product * base)
}

/// The values of an outcome that are told apart, with their chances, and the value that gathers the others.
fn numbers(
    odds: &Odds,
    name: &str,
) -> (BTreeMap<i64, Fraction>, Option<(GatheredValues, Fraction)>) {
    let (mut numbers, mut gathered) = (BTreeMap::new(), None);
    for (value, chance) in odds.outcomes[name].iter() {
        match (value.parse(), GatheredValues::parse(value)) {
            (Ok(number), _) => drop(numbers.insert(number, chance.clone())),
            (_, Some(values)) => gathered = Some((values, chance.clone())),
            _ => assert_eq!(value, NO_OUTCOME),
        }
    }
    (numbers, gathered)
}

/// Checks each number that is told apart against its chance, and that few are left beyond them.
fn check_numbers(odds: &Odds, name: &str, chance: impl Fn(i64) -> Fraction) {
    let (numbers, gathered) = numbers(odds, name);
    let (gathered, rest) = gathered.expect("it has no end");
    assert!(numbers.len() >= 8, "{name}: {numbers:?}");
    let mut sum = Fraction::ZERO;
    for (number, found) in &numbers {
        assert_eq!(*found, chance(*number), "{name} {number}");
        sum += found;
        assert!(!gathered.has(*number), "{name}: {number} is not told apart");
    }
    assert_eq!(rest, &Fraction::ONE - &sum, "{name}");
    assert!(rest.to_f64() < 1e-9, "{name}: {gathered} has {rest}");
}

#[test]
fn rounds_until_the_dice_differ() {
    let body = "    let rounds = 0; let a = 0; let d = 0;
    while a == d { a = roll(\"1d6\", \"a\"); d = roll(\"1d6\", \"d\"); rounds += 1; }
    result(\"attacker wins\", a > d);
    result(\"rounds\", rounds);
";
    let odds = exact(body);
    assert_eq!(odds.outcomes["attacker wins"].chance("yes"), fraction(1, 2));
    assert_eq!(odds.outcomes["rounds"].mean(), Some(fraction(6, 5)));
    check_numbers(&odds, "rounds", |n| {
        if n < 1 {
            Fraction::ZERO
        } else {
            &fraction(5, 6) * &power(&fraction(1, 6), n as u32 - 1)
        }
    });
    assert!(odds.states < 20, "{} states", odds.states);
    // Who wins does not depend on how long it took.
    let result = counted(body, &[], None, 1).expect("it is counted");
    let names = ["rounds".to_string(), "attacker wins".to_string()];
    for (row, chance) in joint_outcomes(&result.counted, &names, &Default::default())
        .expect("they add up")
        .expect("a few rows")
    {
        assert_eq!(
            chance,
            &odds.outcomes["rounds"].chance(&row["rounds"]) * &fraction(1, 2),
            "{row:?}"
        );
    }
}

/// The number of throws until the third six, and the sum of the dice till then: negative binomial, and Wald's identity.
#[test]
fn means_under_conditions() {
    // Half of all battles end in the first phase after 3 rounds on average; the others go on for 6 more.
    let body = "let rounds = 0; let second = false;
        while true {
            rounds += 1;
            let die = roll(\"1d6\", \"round\");
            if second { if die == 6 { break; } }
            else if die == 6 { break; }
            else if die == 1 { second = true; }
        }
        result(\"rounds\", rounds); result(\"winner\", if second { \"Red\" } else { \"Blue\" });";
    let result = counted(body, &[], None, 1).expect("it is counted");
    for (conditions, mean) in [
        (&[][..], fraction(6, 1)),
        (&["winner=Red"], fraction(9, 1)),
        (&["winner!=Red"], fraction(3, 1)),
        // Two rounds come with 1 in 18.
        (&["winner=Red", "rounds>=3"], fraction(160, 17)),
        (&["rounds>1"], fraction(35, 5)),
    ] {
        let conditions: Vec<Condition> = (conditions.iter())
            .map(|text| Condition::parse(text))
            .collect();
        let strategy = Default::default();
        let (odds, share) =
            conditional_odds(&result.counted, &result.odds, &conditions, &strategy).expect("few");
        let odds = odds.conditioned_on(&share).expect("they add up");
        assert_eq!(odds.outcomes["rounds"].mean(), Some(mean), "{conditions:?}");
    }
}

#[test]
fn throws_until_the_third_six() {
    let until = |start: &str, round: &str, end: &str| {
        exact(&format!(
            "    let sixes = 0; {start}
    while sixes < 3 {{
        let die = roll(\"1d6\", \"die\");
        {round}
        if die == 6 {{ sixes += 1; }}
    }}
    {end}
"
        ))
    };
    let end = "result(\"throws\", throws); result(\"before the last\", throws - 1);";
    let odds = until("let throws = 0;", "throws = throws + 1;", end);
    let throws = |n: i64| match u64::try_from(n - 3) {
        Ok(_) => {
            &fraction(((n - 1) * (n - 2) / 2) as u64, 216) * &power(&fraction(5, 6), n as u32 - 3)
        }
        Err(_) => Fraction::ZERO,
    };
    check_numbers(&odds, "throws", throws);
    check_numbers(&odds, "before the last", |n| throws(n + 1));
    let mean = |odds: &Odds, name: &str| odds.outcomes[name].mean().expect("a mean");
    assert_eq!(
        (mean(&odds, "throws"), mean(&odds, "before the last")),
        (fraction(18, 1), fraction(17, 1))
    );
    let odds = until("let sum = 0;", "sum += die;", "result(\"sum\", sum);");
    assert_eq!(mean(&odds, "sum"), fraction(63, 1));
    // Low dice come before the third six by a negative binomial, too: of those that are either, 2 of 3 are low.
    let low = "if die < 3 { low = 1 + low; }";
    let odds = until("let low = 0;", low, "result(\"low\", low);");
    assert_eq!(mean(&odds, "low"), fraction(6, 1));
    check_numbers(&odds, "low", |n| {
        &fraction(((n + 2) * (n + 1) / 2) as u64, 27) * &power(&fraction(2, 3), n as u32)
    });
    // Both at once, until the first six: of the dice that are six or low, 2 of 3 are low.
    let body = "    let low = 0; let throws = 0; let die = 0;
    while die != 6 { die = roll(\"1d6\", \"die\"); throws += 1; if die < 3 { low += 1; } }
    result(\"low\", low); result(\"throws\", throws);
";
    let odds = exact(body);
    assert_eq!(
        (mean(&odds, "low"), mean(&odds, "throws")),
        (fraction(2, 1), fraction(6, 1))
    );
    assert_eq!(
        (
            odds.outcomes["low"].chance("1"),
            odds.outcomes["throws"].chance("2")
        ),
        (fraction(2, 9), fraction(5, 36))
    );
}

/// The gambler's ruin: how long it takes, and how it ends, by the recurrence of each step.
#[test]
fn steps_of_a_walk_to_either_end() {
    let odds = exact(
        "    let at = 2; let steps = 0;
    while at > 0 && at < 5 {
        if roll(\"1d2\", \"coin\") == 1 { at += 1; } else { at -= 1; }
        steps += 1;
    }
    result(\"at\", at); result(\"steps\", steps);
",
    );
    assert_eq!(odds.outcomes["at"].chance("5"), fraction(2, 5));
    assert_eq!(odds.outcomes["steps"].mean(), Some(fraction(6, 1)));
    let half = fraction(1, 2);
    let mut ends: BTreeMap<i64, Fraction> = BTreeMap::new();
    let mut places = vec![
        Fraction::ZERO,
        Fraction::ZERO,
        Fraction::ONE,
        Fraction::ZERO,
        Fraction::ZERO,
        Fraction::ZERO,
    ];
    for step in 1..=400 {
        let mut next = vec![Fraction::ZERO; 6];
        for (place, chance) in places.iter().enumerate().take(5).skip(1) {
            for to in [place - 1, place + 1] {
                next[to] += &(chance * &half);
            }
        }
        ends.insert(step, &next[0] + &next[5]);
        (next[0], next[5]) = (Fraction::ZERO, Fraction::ZERO);
        places = next;
    }
    check_numbers(&odds, "steps", |n| {
        ends.get(&n).cloned().unwrap_or(Fraction::ZERO)
    });
}

/// A counter may be copied, begun anew, named in each round and left unnamed, and go down.
#[test]
fn counters_are_passed_on() {
    let odds = exact(
        "    let battles = 0; let rounds = 0; let last = 7; let strength = 3;
    while battles < 2 {
        rounds = 0;
        strength = 100;
        let die = 0;
        while die < 4 {
            die = roll(\"1d6\", \"die\");
            rounds += 1;
            strength -= 5;
            if die == 1 { result(\"slips so far\", rounds); }
            result(\"round\", rounds);
        }
        if battles == 0 { last = rounds; }
        battles += 1;
    }
    if roll(\"1d2\", \"coin\") == 1 { result(\"first\", last); }
    result(\"strength\", strength);
",
    );
    let half = fraction(1, 2);
    let geometric = |n: i64| {
        if n < 1 {
            Fraction::ZERO
        } else {
            power(&half, n as u32)
        }
    };
    check_numbers(&odds, "round", geometric);
    assert_eq!(odds.outcomes["round"].mean(), Some(fraction(2, 1)));
    assert_eq!(odds.outcomes["first"].chance("3"), fraction(1, 16));
    assert_eq!(
        (
            odds.outcomes["first"].chance(NO_OUTCOME),
            odds.outcomes["first"].mean()
        ),
        (half.clone(), None)
    );
    check_numbers(&odds, "strength", |n| {
        if n % 5 == 0 {
            geometric((100 - n) / 5)
        } else {
            Fraction::ZERO
        }
    });
    assert_eq!(odds.outcomes["strength"].mean(), Some(fraction(90, 1)));
    // The last 1 that falls in either battle, at the round in which it falls.
    let unnamed = fraction(3, 5);
    assert_eq!(
        odds.outcomes["slips so far"].chance(NO_OUTCOME),
        &(&unnamed * &fraction(5, 4)) * &(&unnamed * &fraction(5, 4))
    );
}

/// What a rule reads of a number, or makes of it, keeps positions apart. It is followed, and what comes later is stated; or it ends.
#[test]
fn numbers_that_are_read_are_no_counters() {
    let loops = |head: &str, round: &str, end: &str| {
        format!(
            "    {head} let die = 0;\n    while die != 6 {{ die = roll(\"1d6\", \"die\"); {round} }}\n    {end}\n"
        )
    };
    for (head, round, end) in [
        (
            "let n = 0;",
            "if die < 3 { n += 1; } else { n -= 1; }",
            "result(\"n\", n);",
        ),
        (
            "let n = 0; let m = 0;",
            "n += 1; m += n;",
            "result(\"m\", m);",
        ),
        ("let n = 0;", "n += 1;", "result(\"n\", n * 2);"),
        ("let n = 0;", "n += 1;", "result(\"n\", `${n} rounds`);"),
        ("let n = 0;", "n += 1;", "result(\"odd\", n % 2 == 1);"),
        ("let n = 0;", "n += 1;", "result(\"n\", 10 - n);"),
        (
            "let n = 0;",
            "n += 1;",
            "let all = outcome(|| result(\"n\", n)); result(\"odd\", all.n % 2 == 1);",
        ),
        (
            "let n = 0;",
            "n += 1;",
            "let add = |x| x + n; result(\"n\", add.call(1));",
        ),
    ] {
        let body = loops(head, round, end);
        let odds = counted(&body, &[], None, 1).expect("it is followed").odds;
        assert!(
            !odds.is_complete() && odds.is_all_but_complete(),
            "{body}: {:?}",
            odds.counted_share.map(|share| share.to_f64())
        );
        assert_eq!(odds.outcomes, followed(&body).outcomes, "{body}");
    }
    // A rule that reads the number ends the loop, so its numbers end, too.
    let odds = exact(&loops(
        "let n = 0;",
        "n += 1; if n == 9 { break; }",
        "result(\"n\", n);",
    ));
    assert_eq!(odds.outcomes["n"].chance("9"), power(&fraction(5, 6), 8));
    assert_eq!(
        odds.outcomes["n"].mean(),
        Some(&fraction(6, 1) * &(&Fraction::ONE - &power(&fraction(5, 6), 9)))
    );
}

/// Texts that grow with a number show it.
#[test]
fn a_number_that_becomes_a_text_is_read() {
    let body = "    let n = 0; let die = 0;
    while die != 6 { die = roll(\"1d6\", \"die\"); n += 1; }
    n += \" rounds\";
    result(\"n\", n);
";
    let odds = counted(body, &[], None, 1).expect("it is followed").odds;
    assert_eq!(odds.outcomes, followed(body).outcomes);
    assert_eq!(odds.outcomes["n"].chance("2 rounds"), fraction(5, 36));
}

/// What is counted with counters set aside is what is found by following each round, as far as that goes.
#[test]
fn following_each_round_comes_to_the_same() {
    let bodies = [
        "    let a = 3; let d = 3; let rounds = 0; let hits = 0;
    while a > 0 && d > 0 {
        rounds += 1;
        let x = roll(\"1d6\", \"attacker\"); let y = roll(\"1d6\", \"defender\");
        if x > 4 { d -= 1; hits += 1; }
        if y > 4 { a -= 1; hits += 2; }
        if x == y { result(\"tie in round\", rounds); }
    }
    result(\"attackers\", a); result(\"rounds\", rounds); result(\"hits\", hits);
",
        "    let red = piece(\"Red foot\"); let rounds = 0;
    set(red, \"strength\", 2);
    while red.strength > 0 {
        rounds += 1;
        if hits(\"2d6\", 6, \"fire\") > 0 { set(red, \"strength\", red.strength - 1); }
        require(roll(\"1d20\", \"weather\") != 20, \"it rains\");
    }
    result(\"rounds\", rounds);
",
    ];
    for body in bodies {
        let (odds, followed) = (exact(body), followed(body));
        for blocks in [BlockMode::Always, BlockMode::Never] {
            assert_eq!(
                counted_with(body, blocks, true).outcomes,
                odds.outcomes,
                "{body}"
            );
        }
        let missing = &Fraction::ONE - followed.counted_share.as_ref().expect("a share");
        assert!(!missing.is_zero() && missing.to_f64() < 1e-9);
        for (name, distribution) in &followed.outcomes {
            for (value, chance) in distribution
                .iter()
                .filter(|(value, _)| value.parse::<i64>().is_ok())
            {
                let found = odds.outcomes[name].chance(value);
                let beyond = numbers(&odds, name)
                    .1
                    .is_some_and(|(gathered, _)| gathered.has(value.parse().expect("a number")));
                let less = &found - chance;
                assert!(
                    beyond || less >= Fraction::ZERO && less <= missing,
                    "{name} {value}: {found} and {chance}\n{body}"
                );
            }
        }
    }
}

/// Sides play as well where rounds are counted that nobody measures.
#[test]
fn best_play_of_what_is_not_counted_is_exact() {
    let pig = "    let gain = 1; let throws = 0;
    while gain > 0 {
        gain = roll(\"1d6\", \"die\");
        throws += 1;
        if gain == 1 { gain = 0; break; }
        if choose(\"Red\", \"again\", [\"again\", \"stop\"]) == \"stop\" { break; }
    }
    result(\"gain\", gain);
    result(\"throws\", throws);
";
    let measure = Measure::parse("gain").expect("a measure");
    let result = counted(pig, &[("Red", "best")], Some(&measure), 2).expect("it is counted");
    let played = best_play(&result.counted, &result.odds, Some(&measure)).expect("it ends");
    assert_eq!(played.value, Some(fraction(15, 4)));
    assert!(played.odds.is_complete());
    // With 4 or more Red stops, and with a 1.
    check_numbers(&played.odds, "throws", |n| {
        if n < 1 {
            Fraction::ZERO
        } else {
            &fraction(2, 3) * &power(&fraction(1, 3), n as u32 - 1)
        }
    });
    // The mean is that of the way in which Red plays, and not known here.
    assert_eq!(played.odds.outcomes["throws"].mean(), None);
    // What is measured is followed.
    let measure = Measure::parse("throws").expect("a measure");
    let error = counted(pig, &[("Red", "best")], Some(&measure), 1)
        .err()
        .expect("it has no end");
    error.holds("not all chances were counted");
}

/// The message of a run that fails.
fn failure(run: Run) -> String {
    assert_ne!(run.status, Some(0), "{}", run.out);
    run.terminal_output()
}

/// What the command line, JSON and the tests of rulings say.
#[test]
fn every_surface_says_that_every_chance_was_counted() {
    let folder = Folder::skirmish();
    let attack = "    step(\"Attack\");
    let rounds = 0; let a = 0; let d = 0;
    while a == d { a = roll(\"1d6\", \"a\"); d = roll(\"1d6\", \"d\"); rounds += 1; }
    result(\"attacker wins\", a > d);
    result(\"rounds\", rounds);
    return;
";
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    step(\"Attack\");\n",
        attack,
    );
    let json = folder.json("odds bridge --exact");
    assert_eq!(json["complete"], true, "{json}");
    assert_eq!(json["outcomes"][1]["mean"], "6/5", "{json}");
    let values = json["outcomes"][1]["values"].as_array().expect("values");
    assert_eq!(
        (&values[1]["value"], &values[1]["chance"]),
        (&"2".into(), &"5/36".into())
    );
    assert_eq!(
        (&values[16]["value"], &values[16]["chance"]),
        (&"17 or more".into(), &"1/2821109907456".into())
    );
    let text = folder.out("odds bridge --exact");
    text.holds("mean 1.20 = 6/5");
    text.holds("17 or more");
    let brief = folder.out("odds bridge --brief");
    brief.holds("mean 1.20, 1 to 17 or more");
    let given = folder.json("odds bridge --given 'rounds >= 2'");
    assert_eq!(
        (
            &given["given"]["chance"],
            &given["outcomes"][0]["values"][0]["chance"]
        ),
        (&"1/6".into(), &"1/2".into()),
        "{given}"
    );
    // After the first round all is as it was.
    assert_eq!(given["outcomes"][1]["mean"], "11/5", "{given}");
    let late = failure(folder.run("odds bridge --given 'rounds >= 20'"));
    late.holds("17 or more is counted together");
    let odds = |list: &str| {
        let test =
            format!("form: 1\ntests:\n  - test: rounds\n    given: bridge\n    odds:\n{list}");
        folder.write("tests/skirmish/rounds.yaml", &test);
        folder.run("test tests/skirmish/rounds.yaml")
    };
    odds("      attacker wins: { yes: 1/2 }\n      rounds: { mean: 6/5, 1: 5/6, 3: 5/216, 17 or more: 1/2821109907456 }\n")
        .expect_success();
    let wrong = failure(odds("      rounds: { mean: 7/5 }\n"));
    wrong.holds("6/5");
    let late = failure(odds("      rounds: { 20: 0 }\n"));
    late.holds("17 or more");
}

/// Rulesets are compared exactly where rounds have no end: what they gather is gathered alike, and is no proof.
#[test]
fn rulesets_are_compared_by_what_both_tell_apart() {
    let folder = Folder::empty();
    folder.write(
        "rules/pools/game.yaml",
        "game: pools\ntitle: Pools\nsides: [Red, Blue]\nprocedures: { answer: Dice are thrown. }\n",
    );
    folder.write(
        "scenarios/pools/one.yaml",
        "situation: one\ntitle: One\nprocedure: answer\n",
    );
    let rule = |kind: &str, tie: &str| {
        format!(
            "//! case: \"1.1\"\n//! title: Answer\n//! kind: {kind}\n//! procedure: answer\n//! text: Dice are thrown.\n\n\
             fn answer(given) {{\n    let rounds = 0; let a = 0; let d = 0;\n    \
             while {tie} {{ a = roll(\"1d6\", \"a\"); d = roll(\"1d6\", \"d\"); rounds += 1; }}\n    \
             result(\"wins\", a > d);\n    result(\"rounds\", rounds);\n}}\n"
        )
    };
    folder.write(
        "rules/pools/01-pools/1.1-answer.rhai",
        rule("rule", "a == d"),
    );
    for (variant, tie) in [("close", "abs(a - d) < 2"), ("turned", "d == a")] {
        folder.write(
            &format!("variants/{variant}/variant.yaml"),
            format!("variant: {variant}\ntitle: {variant}\ngame: pools\n"),
        );
        folder.write(
            &format!("variants/{variant}/rules/01-pools/1.1-answer.rhai"),
            rule("revision", tie),
        );
    }
    let compared = |variant: &str| {
        let json = folder.json(format!(
            "compare one --with '' --with '{variant}' --limit 120"
        ));
        let outcomes = json["differences"][0]["outcomes"]
            .as_array()
            .unwrap_or_else(|| panic!("{json:#}"))
            .clone();
        let of = |name: &str| {
            outcomes
                .iter()
                .find(|one| one["outcome"] == name)
                .unwrap_or_else(|| panic!("{json:#}"))
                .clone()
        };
        (of("wins"), of("rounds"))
    };
    let (wins, rounds) = compared("close");
    assert_eq!(
        (&wins["verdict"], &rounds["verdict"]),
        (&"the same".into(), &"differs".into()),
        "{rounds:#}"
    );
    let changes = rounds["values"].as_array().expect("values");
    let exact = |value: &str| {
        changes
            .iter()
            .find(|change| change["value"] == value)
            .map(|change| change["exact"].clone())
    };
    // A round is decided by 30 of 36 throws, or by 20.
    assert_eq!(
        (exact("mean"), exact("1")),
        (Some("3/5".into()), Some("-5/18".into())),
        "{rounds:#}"
    );
    assert!(
        exact("17 or more").is_some() && exact("17").is_none() && exact("33 or more").is_none(),
        "{rounds:#}"
    );
    let (wins, rounds) = compared("turned");
    assert_eq!(
        (&wins["verdict"], &rounds["values"].as_array().map(Vec::len)),
        (&"the same".into(), &Some(0)),
        "{rounds:#}"
    );
    assert_ne!(rounds["verdict"], "the same", "{rounds:#}");
}

// Generated machines

/// What happens where a face falls.
#[derive(Clone, Debug)]
enum Deed {
    Add(usize, i64),
    Set(usize, i64),
    Copy(usize),
    Name(usize, usize, i64),
    NamePlainly(usize, i64),
    Nothing,
}

/// For each state the faces of its die: what happens, and the next state; the first face leads out.
type Counting = Vec<Vec<(Vec<Deed>, usize)>>;

const NAMES: [&str; 2] = ["x", "y"];

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => (0usize..2, 0i64..4).prop_map(|(counter, added)| Deed::Add(counter, added)),
        1 => (0usize..2, 0i64..30).prop_map(|(counter, number)| Deed::Set(counter, number)),
        1 => (0usize..2).prop_map(Deed::Copy),
        2 => (0usize..2, 0usize..2, -1i64..3).prop_map(|(name, counter, added)| Deed::Name(name, counter, added)),
        1 => (0usize..2, 0i64..30).prop_map(|(name, number)| Deed::NamePlainly(name, number)),
        2 => Just(Deed::Nothing),
    ]
}

fn machine() -> impl Strategy<Value = Counting> {
    (1usize..5).prop_flat_map(|count| {
        let face = (prop::collection::vec(deed(), 0..3), 0..count);
        let state = prop::collection::vec(face, 2..5).prop_map(move |mut faces| {
            faces[0].1 = count;
            faces
        });
        prop::collection::vec(state, count)
    })
}

fn script(machine: &Counting) -> String {
    let mut body = format!(
        "    let s = 0; let c0 = 0; let c1 = 0;\n    while s < {} {{\n",
        machine.len()
    );
    for (state, faces) in machine.iter().enumerate() {
        body += &format!(
            "        {}if s == {state} {{\n            let t = roll(\"1d{}\", \"die\");\n",
            if state == 0 { "" } else { "else " },
            faces.len()
        );
        for (face, (deeds, next)) in faces.iter().enumerate() {
            let text = |deed: &Deed| match deed {
                Deed::Add(counter, added) => format!("c{counter} += {added}; "),
                Deed::Set(counter, number) => format!("c{counter} = {number}; "),
                Deed::Copy(counter) => format!("c{counter} = c{}; ", 1 - counter),
                Deed::Name(name, counter, added) => {
                    format!("result(\"{}\", c{counter} + {added}); ", NAMES[*name])
                }
                Deed::NamePlainly(name, number) => {
                    format!("result(\"{}\", {number}); ", NAMES[*name])
                }
                Deed::Nothing => String::new(),
            };
            let deeds: String = deeds.iter().map(text).collect();
            let join = if face == 0 { "" } else { "else " };
            body += &format!(
                "            {join}if t == {} {{ {deeds}s = {next}; }}\n",
                face + 1
            );
        }
        body += "        }\n";
    }
    body + "    }\n    result(\"end\", true);\n"
}

/// The chances of what is named last, by long iteration over the numbers of both counters.
fn iterated(machine: &Counting) -> BTreeMap<[Option<i64>; 2], f64> {
    type Position = (usize, [i64; 2], [Option<i64>; 2]);
    let mut ends: BTreeMap<[Option<i64>; 2], f64> = BTreeMap::new();
    let mut now: BTreeMap<Position, f64> = BTreeMap::new();
    now.insert((0, [0; 2], [None; 2]), 1.0);
    for _ in 0..200 {
        let mut next: BTreeMap<Position, f64> = BTreeMap::new();
        for ((state, counters, named), chance) in now {
            for (deeds, to) in &machine[state] {
                let (mut counters, mut named) = (counters, named);
                for deed in deeds {
                    match deed {
                        Deed::Add(counter, added) => counters[*counter] += added,
                        Deed::Set(counter, number) => counters[*counter] = *number,
                        Deed::Copy(counter) => counters[*counter] = counters[1 - counter],
                        Deed::Name(name, counter, added) => {
                            named[*name] = Some(counters[*counter] + added)
                        }
                        Deed::NamePlainly(name, number) => named[*name] = Some(*number),
                        Deed::Nothing => {}
                    }
                }
                let share = chance / machine[state].len() as f64;
                if share < 1e-13 {
                    continue;
                }
                *if *to == machine.len() {
                    ends.entry(named).or_insert(0.0)
                } else {
                    next.entry((*to, counters, named)).or_insert(0.0)
                } += share;
            }
        }
        now = next;
    }
    ends
}

/// Returns whether numbers were gathered.
fn check(machine: &Counting) -> Result<bool, TestCaseError> {
    let body = script(machine);
    let result = counted(&body, &[], None, 1).map_err(TestCaseError::fail)?;
    prop_assert!(
        result.odds.is_complete(),
        "{:?}\n{}",
        result.odds.ended,
        body
    );
    prop_assert_eq!(
        &counted_with(&body, BlockMode::Always, true).outcomes,
        &result.odds.outcomes,
        "{}",
        body
    );
    let ends = iterated(machine);
    let mut gathers = false;
    for (index, name) in NAMES.iter().enumerate() {
        let Some(distribution) = result.odds.distribution(name) else {
            prop_assert!(
                ends.keys().all(|named| named[index].is_none()),
                "{}\n{}",
                name,
                body
            );
            continue;
        };
        let (numbers, gathered) = numbers(&result.odds, name);
        gathers |= gathered.is_some();
        for (named, chance) in &ends {
            let Some(number) = named[index] else { continue };
            let is_gathered = gathered
                .as_ref()
                .is_some_and(|(gathered, _)| gathered.has(number));
            prop_assert!(
                is_gathered || numbers.contains_key(&number) || *chance < 1e-9,
                "{} {}: {}\n{}",
                name,
                number,
                chance,
                body
            );
        }
        for (number, chance) in &numbers {
            let expected: f64 = ends
                .iter()
                .filter(|(named, _)| named[index] == Some(*number))
                .map(|(_, chance)| chance)
                .sum();
            prop_assert!(
                (chance.to_f64() - expected).abs() < 1e-8,
                "{} {}: {}, not {}\n{}",
                name,
                number,
                chance,
                expected,
                body
            );
        }
        let expected: f64 = ends
            .iter()
            .map(|(named, chance)| named[index].unwrap_or(0) as f64 * chance)
            .sum();
        if let Some(mean) = distribution.mean() {
            prop_assert!(
                (mean.to_f64() - expected).abs() < 1e-6,
                "{}: {}, not {}\n{}",
                name,
                mean,
                expected,
                body
            );
        } else {
            prop_assert!(
                distribution.has(NO_OUTCOME),
                "{} has no mean\n{}",
                name,
                body
            );
        }
    }
    let rows = joint_outcomes(
        &result.counted,
        &NAMES.map(String::from),
        &Default::default(),
    )
    .expect("they add up")
    .expect("a few rows");
    prop_assert_eq!(
        rows.iter()
            .fold(Fraction::ZERO, |sum, (_, chance)| &sum + chance),
        Fraction::ONE
    );
    for (row, chance) in rows {
        let named = NAMES.map(|name| row.get(name).map(|value| value.parse::<i64>()));
        let [Ok(x), Ok(y)] = named.map(Option::transpose) else {
            continue;
        };
        let expected = ends.get(&[x, y]).copied().unwrap_or(0.0);
        prop_assert!(
            (chance.to_f64() - expected).abs() < 1e-8,
            "{:?}: {}, not {}\n{}",
            row,
            chance,
            expected,
            body
        );
    }
    Ok(gathers)
}

fn check_generated(mut runner: proptest::test_runner::TestRunner, least: u32) {
    with_deep_stack(move || {
        let gathering = std::cell::Cell::new(0);
        let ran = runner.run(&machine(), |machine| {
            gathering.set(gathering.get() + u32::from(check(&machine)?));
            Ok(())
        });
        ran.unwrap_or_else(|error| panic!("{error}"));
        assert!(
            gathering.get() >= least,
            "{} have numbers without end",
            gathering.get()
        );
    });
}

#[test]
fn generated_counters_are_counted_as_by_long_iteration() {
    check_generated(runner::deterministic(30), 5);
}

#[test]
#[ignore = "takes minutes"]
fn many_generated_counters_are_counted_as_by_long_iteration() {
    check_generated(runner::random(2_000), 500);
}
