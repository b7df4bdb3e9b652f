//! Positions that come again: rerolled ties, rounds that do nothing, throws until something falls. They are counted exactly, and compared
//! with an independent solution by long iteration.

use crate::common::procedures::with_attack;
use crate::common::runner::{self, with_deep_stack};
use crate::common::{self, Folder, Says};
use casebook::data::library::Library;
use casebook::notation::Weight;
use casebook::odds::best_play::{best_play, ranges};
use casebook::odds::distribution::{NO_OUTCOME, Odds, joint_outcomes};
use casebook::odds::fraction::Fraction;
use casebook::odds::measure::Measure;
use casebook::odds::query::{OddsQuery, OddsResult};
use casebook::odds::sample::SampleQuery;
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::situation::Situation;
use casebook::situation::policy::Policies;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The small game with this attack.
fn situation(body: &str) -> Situation {
    let library = Arc::new(Library::new(with_attack(&common::skirmish(), body, "")));
    Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge").expect("it is there")
}

/// Counts the odds of an attack.
fn counted(
    body: &str,
    policies: &[(&str, &str)],
    measure: Option<&Measure>,
    threads: usize,
) -> Result<OddsResult, String> {
    counted_within(Duration::from_secs(60), body, policies, measure, threads)
}

fn counted_within(
    time_limit: Duration,
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
        time_limit,
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
    one
}

fn fraction(over: u32, under: u32) -> Fraction {
    Fraction::new(&Weight::from(over), &Weight::from(under))
}

/// The value that a measure has at best or worst, in exact numbers.
fn value(body: &str, policies: &[(&str, &str)], measure: &str) -> Result<String, String> {
    let measure = Measure::parse(measure).expect("a measure");
    let result = counted(body, policies, Some(&measure), 2)?;
    let played = best_play(&result.counted, &result.odds, Some(&measure))
        .map_err(|error| error.to_string())?;
    assert!(played.odds.is_complete());
    Ok(played.value.expect("a value").to_string())
}

#[test]
fn a_throw_until_a_six_ends() {
    let odds = exact("    while roll(\"1d6\", \"six\") != 6 {}\n    result(\"six\", true);\n");
    assert_eq!(odds.outcomes["six"].chance("yes"), Fraction::ONE);
    assert!(odds.states < 5, "{} states", odds.states);
}

#[test]
fn ties_are_thrown_again() {
    let odds = exact(
        "    let a = 0; let b = 0;
    while a == b {
        a = roll(\"1d6\", \"attacker\");
        b = roll(\"1d6\", \"defender\");
        result(\"attacker's die\", a);
        if a == b { result(\"tie\", a); }
    }
    result(\"attacker wins\", a > b);
",
    );
    assert_eq!(odds.outcomes["attacker wins"].chance("yes"), fraction(1, 2));
    // The last die stands, also that of a tie before: a tie comes up in 1 of 6, each face alike.
    for face in 1..=6u32 {
        assert_eq!(
            odds.outcomes["attacker's die"].chance(&face.to_string()),
            fraction(1, 6)
        );
        assert_eq!(
            odds.outcomes["tie"].chance(&face.to_string()),
            fraction(1, 36)
        );
    }
    assert_eq!(odds.outcomes["tie"].chance(NO_OUTCOME), fraction(5, 6));
}

#[test]
fn what_is_named_in_a_loop_stands_together_with_its_end() {
    let body = "    let a = 0;
    while a < 5 {
        a = roll(\"1d6\", \"die\");
        if a == 1 { result(\"slip\", true); }
        if a == 2 { result(\"slip\", false); }
    }
    result(\"end\", a);
";
    let result = counted(body, &[], None, 1).expect("it is counted");
    let rows = joint_outcomes(
        &result.counted,
        &["slip".into(), "end".into()],
        &Default::default(),
    )
    .expect("they add up")
    .expect("a few rows");
    let chance = |slip: Option<&str>, end: &str| {
        let is_row = |row: &BTreeMap<String, String>| {
            row.get("slip").map(String::as_str) == slip && row["end"] == end
        };
        rows.iter()
            .find(|(row, _)| is_row(row))
            .expect("the row")
            .1
            .clone()
    };
    // Of 1, 2, 5 and 6 the first one that falls: with a chance of 1/2 none of 1 and 2 comes before the end.
    assert_eq!(chance(None, "5"), fraction(1, 4));
    assert_eq!(chance(Some("yes"), "6"), fraction(1, 8));
    assert_eq!(chance(Some("no"), "6"), fraction(1, 8));
    assert_eq!(rows.len(), 6);
}

/// A battle to its end, in which most rounds do nothing: also where its strengths are figures of pieces, and where a round is a function.
#[test]
fn rounds_that_do_nothing_come_again() {
    let registers = "    let a = 4; let d = 3;
    while a > 0 && d > 0 {
        let x = roll(\"1d6\", \"attacker\");
        let y = roll(\"1d6\", \"defender\");
        if x >= 5 { d -= 1; }
        if y == 6 { a -= 1; }
    }
    result(\"attackers left\", a);
    result(\"defenders left\", d);
";
    let pieces = "    let red = piece(\"Red foot\"); let blue = piece(\"Blue foot\");
    set(red, \"strength\", 4); set(blue, \"strength\", 3);
    while red.strength > 0 && blue.strength > 0 {
        set(piece(\"Red wagon\"), \"strength\", roll(\"1d6\", \"attacker\"));
        let y = roll(\"1d6\", \"defender\");
        if piece(\"Red wagon\").strength >= 5 { set(blue, \"strength\", blue.strength - 1); }
        if y == 6 { set(red, \"strength\", red.strength - 1); }
        set(piece(\"Red wagon\"), \"strength\", 1);
    }
    result(\"attackers left\", red.strength);
    result(\"defenders left\", blue.strength);
";
    // The chances of what is left, by the chances of a round in which something happens.
    let mut chances: BTreeMap<(u32, u32), f64> = BTreeMap::from([((4, 3), 1.0)]);
    let mut ends: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    while let Some(((a, d), chance)) = chances.pop_last() {
        for (hit_d, hit_a, weight) in [(1, 0, 10.0), (0, 1, 4.0), (1, 1, 2.0)] {
            let next = (a - hit_a, d - hit_d);
            let list = if next.0 == 0 || next.1 == 0 {
                &mut ends
            } else {
                &mut chances
            };
            *list.entry(next).or_insert(0.0) += chance * weight / 16.0;
        }
    }
    let [registers, pieces] = [registers, pieces].map(exact);
    assert_eq!(registers.outcomes, pieces.outcomes);
    for left in 0..=4u32 {
        let expected: f64 = ends
            .iter()
            .filter(|((a, _), _)| *a == left)
            .map(|(_, chance)| chance)
            .sum();
        let chance = registers.outcomes["attackers left"].chance(&left.to_string());
        assert!(
            (chance.to_f64() - expected).abs() < 1e-12,
            "{left}: {chance} and {expected}"
        );
    }
    let mean = registers.outcomes["attackers left"]
        .mean()
        .expect("numbers")
        .to_f64();
    let expected: f64 = ends
        .iter()
        .map(|((a, _), chance)| f64::from(*a) * chance)
        .sum();
    assert!((mean - expected).abs() < 1e-12, "{mean} and {expected}");
}

/// What a loop makes anew in each round, and what it counts only to say it, keeps no rounds apart.
#[test]
fn sheets_closures_and_counts_that_are_only_said_keep_no_rounds_apart() {
    let plain = exact(
        "    let left = 2;
    while left > 0 { if roll(\"1d6\", \"fire\") == 1 { left -= 2; } else if roll(\"1d6\", \"fire\") == 6 { left -= 1; } }
    result(\"left\", left);
",
    );
    let dressed = exact(
        "    let left = 2;
    let round = 0;
    let lost = 0;
    while left > 0 {
        round += 1;
        lost = lost + round;
        say(\"Round {}, {} so far.\", [round, lost]);
        let need = roll(\"1d6\", \"fire\");
        let sheet = record(#{ lost: 0, list: [1, 2] });
        if sheet.list.map(|face| face * need)[0] == 1 { sheet.lost = 2; }
        else if roll(\"1d6\", \"fire\") == 6 { sheet.lost = 1; }
        left -= sheet.lost;
    }
    result(\"left\", left);
",
    );
    assert_eq!(plain.outcomes, dressed.outcomes);
}

/// A number that goes up and down has no greatest value. What is left out is stated, and nothing is sampled.
#[test]
fn numbers_that_are_followed_have_no_end() {
    let named = "    let lead = 1; let die = 6;
    while die > 4 { die = roll(\"1d6\", \"die\"); if die == 6 { lead += 1; } else if die == 5 { lead -= 1; } }
    result(\"lead\", lead);
";
    let result =
        counted_within(Duration::from_secs(8), named, &[], None, 1).expect("it is counted");
    assert!(!result.odds.is_complete() && result.odds.is_all_but_complete());
    assert_eq!(result.sample.map(|sample| sample.runs), Some(0));
    // Straight up, or with a step down between two steps up.
    let chance = result.odds.outcomes["lead"].chance("9").to_f64();
    assert!(
        chance > 4.0 / 6.0 / 6.0f64.powi(8) && chance < 1.6 / 6.0f64.powi(8),
        "{chance}"
    );
    let folder = Folder::skirmish();
    let attack = "rules/skirmish/01-battle/1.1-attack.rhai";
    folder.write(
        attack,
        &*with_attack(&common::skirmish(), named, "").by_key[attack].text,
    );
    let odds = folder.out("odds bridge --limit 8");
    let words: Vec<&str> = odds.split_whitespace().collect();
    let text = words.join(" ");
    text.holds("Counted exactly, but for what comes so late");
    text.holds("others, together");
    assert!(!text.contains('±'), "{odds}");
    text.lacks("sample");
}

/// A tug of war: every position leads back to the one before it.
#[test]
fn a_walk_goes_back_and_forth() {
    let odds = exact(
        "    let at = 2;
    while at > 0 && at < 7 {
        if roll(\"1d3\", \"step\") == 1 { at += 1; } else { at -= 1; }
    }
    result(\"at\", at);
",
    );
    // The gambler's ruin with odds of 2 to 1 against: (2^2 - 1) / (2^7 - 1).
    assert_eq!(odds.outcomes["at"].chance("7"), fraction(3, 127));
}

/// On a floor every place leads to all others, so all are one system of equations. From its middle each edge is as near.
#[test]
fn a_walk_over_a_floor_is_solved() {
    for side in [5, 41] {
        let odds = exact(&format!(
            "    let x = {middle}; let y = {middle};
    while x >= 0 && y >= 0 && x < {side} && y < {side} {{
        let way = roll(\"1d4\", \"way\");
        if way == 1 {{ x += 1; }} else if way == 2 {{ x -= 1; }} else if way == 3 {{ y += 1; }} else {{ y -= 1; }}
    }}
    result(\"edge\", if x < 0 {{ \"west\" }} else if y < 0 {{ \"north\" }} else if y == {side} {{ \"south\" }} else {{ \"east\" }});
    result(\"from the middle\", if x < 0 || x == {side} {{ abs(y - {middle}) }} else {{ abs(x - {middle}) }});
",
            middle = side / 2,
        ));
        for edge in ["north", "east", "south", "west"] {
            assert_eq!(
                odds.outcomes["edge"].chance(edge),
                fraction(1, 4),
                "{edge} of {side}"
            );
        }
        assert_eq!(odds.states, side * side);
    }
}

#[test]
fn loops_in_loops_and_functions_end() {
    let library = Arc::new(Library::new(with_attack(
        &common::skirmish(),
        "    let sum = 0;
    while sum != 7 {
        sum = not_one() + not_one();
        if sum == 12 { while roll(\"1d2\", \"again\") == 1 { result(\"again\", true); } }
    }
    result(\"first\", not_one());
",
        "private fn not_one() { let die = 1; while die == 1 { die = roll(\"1d6\", \"die\"); } die }\n",
    )));
    let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
        .expect("it is there");
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    let query = OddsQuery {
        choices: &[],
        policies: Arc::default(),
        measure: None,
        sample_query: SampleQuery::default(),
        strict: false,
        time_limit: Duration::from_secs(60),
        memory: 1 << 30,
        threads: 1,
        stop: &never,
        time_after_stop: Duration::ZERO,
        progress: &quiet,
    };
    let odds = query.run(&situation).expect("it is counted").odds;
    assert!(odds.is_complete(), "{:?}", odds.ended);
    assert_eq!(odds.outcomes["first"].chance("2"), fraction(1, 5));
    // Of 25 sums of 2 to 6, four are 7 and one is 12; after a 12 a coin must fall the other way at once for nothing to be named.
    // not again = 4/5 + 1/5 * 1/2 * not again
    assert_eq!(odds.outcomes["again"].chance(NO_OUTCOME), fraction(8, 9));
}

#[test]
fn what_never_ends_is_an_error_with_its_place() {
    let dice = counted("    while true { roll(\"1d6\", \"die\"); }\n", &[], None, 1)
        .err()
        .expect("it never ends");
    dice.holds("comes again and again without end");
    dice.holds("1.1-attack.rhai");
    let sometimes =
        "    if roll(\"1d6\", \"die\") == 1 { while true { roll(\"1d6\", \"for ever\"); } }\n";
    let error = counted(sometimes, &[], None, 2)
        .err()
        .expect("it never ends");
    error.holds("comes again and again without end");
    let measure = Measure::parse("gain").expect("a measure");
    let choices = "    result(\"gain\", 1);\n    while true { choose(\"Red\", \"way\", [\"left\", \"right\"]); }\n";
    let error = counted(choices, &[("Red", "best")], Some(&measure), 1)
        .err()
        .expect("it never ends");
    error.holds("comes again and again without end");
    error.holds("1.1-attack.rhai");
}

#[test]
fn best_play_knows_when_to_stop() {
    let pig = "    let gain = 1;
    while gain > 0 {
        gain = roll(\"1d6\", \"die\");
        if gain == 1 { gain = 0; break; }
        if choose(\"Red\", \"again\", [\"again\", \"stop\"]) == \"stop\" { break; }
    }
    result(\"gain\", gain);
";
    // With 4 or more Red stops: v = (0 + v + v + 4 + 5 + 6) / 6. At worst the 1 falls at last.
    assert_eq!(value(pig, &[("Red", "best")], "gain"), Ok("15/4".into()));
    assert_eq!(value(pig, &[("Red", "worst")], "gain"), Ok("0".into()));
    assert_eq!(value(pig, &[("all", "best")], "gain"), Ok("15/4".into()));
    let result = counted(pig, &[("Red", "all")], None, 1).expect("it is counted");
    let list = ranges(&result.counted).expect("ranges");
    assert_eq!(list[0].mean, Some((Fraction::ZERO, fraction(15, 4))));
    let six = list[0]
        .values
        .iter()
        .find(|range| range.value == "6")
        .expect("six");
    // Whoever waits for the 6 gets it before the 1 in half of the cases.
    assert_eq!((&six.low, &six.high), (&Fraction::ZERO, &fraction(1, 2)));
    // Waiting is an option that never ends: what is best is best among all ways that end.
    let waits = "    while choose(\"Red\", \"wait\", [\"wait\", \"go\"]) == \"wait\" {}\n    result(\"loss\", roll(\"1d6\", \"loss\"));\n";
    assert_eq!(value(waits, &[("Red", "worst")], "loss"), Ok("7/2".into()));
    assert_eq!(value(waits, &[("Red", "best")], "-loss"), Ok("-7/2".into()));
}

#[test]
fn each_side_answers_the_best_of_the_other() {
    // Red presses or holds, Blue yields or stands; a round may change nothing.
    let body = "    let gain = 0;
    while gain == 0 {
        let red = choose(\"Red\", \"red\", [\"hold\", \"press\"]);
        let blue = choose(\"Blue\", \"blue\", [\"stand\", \"yield\"]);
        let die = roll(\"1d6\", \"die\");
        if red == \"press\" && blue == \"stand\" { gain = if die > 4 { 5 } else if die < 3 { 1 } else { 0 }; }
        else if red == \"press\" { gain = if die > 3 { 2 } else { 0 }; }
        else { gain = if die == 6 { 4 } else if die < 4 { 1 } else { 0 }; }
    }
    result(\"gain\", gain);
";
    // To hold is worth (4 + 3 * 1) / 4; to press, against the better answer, 2 of 3 or 2.
    assert_eq!(
        value(body, &[("Red", "best"), ("Blue", "worst")], "gain"),
        Ok("2".into())
    );
    assert_eq!(
        value(body, &[("Red", "worst"), ("Blue", "best")], "gain"),
        Ok("7/4".into())
    );
    assert_eq!(value(body, &[("all", "best")], "gain"), Ok("3".into()));
}

/// What the pages, the command line and the tests of rulings say of a battle to its end.
#[test]
fn the_command_line_says_that_every_chance_was_counted() {
    let folder = Folder::skirmish();
    let attack = "    step(\"Attack\");
    let a = 0; let b = 0;
    while a == b {
        a = roll(\"1d6\", \"attacker\");
        b = roll(\"1d6\", \"defender\");
        if choose(\"Red\", \"go on\", [\"yes\", \"no\"]) == \"no\" { break; }
    }
    result(\"won\", if a > b { 1 } else { 0 });
    return;
";
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    step(\"Attack\");\n",
        attack,
    );
    let text = folder.out("odds bridge");
    text.lacks("sample");
    let json = folder.json("odds bridge");
    assert_eq!(
        (&json["complete"], &json["outcomes"][0]["mean"]),
        (&true.into(), &"1/2".into()),
        "{json}"
    );
    let best = folder.json("odds bridge --policy Red=worst --measure won");
    assert_eq!(
        (&best["complete"], &best["measure"]["value"]),
        (&true.into(), &"5/12".into()),
        "{best}"
    );
    // A round comes 6/5 times where Red never breaks off.
    let best = folder.json("odds bridge --policy Red=best --measure won");
    assert_eq!(
        (&best["complete"], &best["measure"]["value"]),
        (&true.into(), &"1/2".into()),
        "{best}"
    );
}

/// Loops that a limit cuts are solved as far as they were seen: no chance is too high, and none too low by more than what was not seen.
#[test]
fn an_interrupted_count_of_loops_is_exact_as_far_as_it_goes() {
    let body = "    let left = 0;
    for part in [3, 4, 5] {
        let a = part; let b = 5;
        while a > 0 && b > 0 {
            let die = roll(\"1d4\", \"die\");
            if die == 1 { a = min(8, a + 1); result(\"rally\", part); } else if die == 2 { a -= 1; }
            else if die == 3 { b = min(8, b + 1); } else { b -= 1; }
        }
        left += a;
    }
    result(\"left\", left);
";
    let full = exact(body);
    let mut broken_off = 0;
    for (threads, millis) in [1, 2]
        .into_iter()
        .flat_map(|threads| (0..9).map(move |n| (threads, 4u64 << n)))
    {
        // Where not even a sample was begun in time, nothing is said.
        let Ok(part) = counted_within(Duration::from_millis(millis), body, &[], None, threads)
        else {
            continue;
        };
        let share = part.odds.counted_share.clone().expect("how much was seen");
        broken_off += usize::from(!part.odds.is_complete() && !share.is_zero());
        for (name, distribution) in &full.outcomes {
            for (value, chance) in distribution
                .iter()
                .filter(|(value, _)| *value != NO_OUTCOME)
            {
                let seen = part
                    .odds
                    .distribution(name)
                    .map_or(Fraction::ZERO, |distribution| distribution.chance(value));
                let missing = chance - &seen;
                let fits = missing >= Fraction::ZERO && missing <= &Fraction::ONE - &share;
                assert!(
                    fits,
                    "{name} {value}: {seen} of {chance}, {share} seen in {millis} ms on {threads}"
                );
            }
        }
    }
    eprintln!("{broken_off} counts broke off in the middle");
}

// Generated machines

/// What a state of a generated machine does.
#[derive(Clone, Debug)]
enum Step {
    /// Throws: the outcome named by each face, if one is, and the next state.
    Throw(Vec<(Option<(usize, u8)>, usize)>),
    /// Red or Blue chooses one of two next states.
    Choose(bool, [usize; 2]),
}

const NAMES: [&str; 2] = ["x", "y"];

/// Machines of some states; each throw can end.
fn machine(choices: bool) -> BoxedStrategy<Vec<Step>> {
    let step = move |state: usize, count: usize| {
        let face = (prop::option::weighted(0.4, (0usize..2, 0u8..3)), 0..count);
        let throw = prop::collection::vec(face, 2..5).prop_map(move |mut faces| {
            faces[0].1 = count;
            Step::Throw(faces)
        });
        if choices && state % 2 == 1 {
            // From a choice a throw follows, or a later state: no choice goes on for ever.
            let target = move |n: usize| {
                if n.is_multiple_of(2) || n > state {
                    n
                } else {
                    n - 1
                }
            };
            (any::<bool>(), 0..count, 0..count)
                .prop_map(move |(red, a, b)| Step::Choose(red, [target(a), target(b)]))
                .boxed()
        } else {
            throw.boxed()
        }
    };
    (2usize..7)
        .prop_flat_map(move |count| {
            (0..count)
                .map(|state| step(state, count))
                .collect::<Vec<_>>()
        })
        .boxed()
}

/// The machine as a procedure.
fn script(machine: &[Step]) -> String {
    let mut body = format!("    let s = 0;\n    while s < {} {{\n", machine.len());
    for (state, step) in machine.iter().enumerate() {
        body += &format!(
            "        {}if s == {state} {{\n",
            if state == 0 { "" } else { "else " }
        );
        match step {
            Step::Throw(faces) => {
                body += &format!(
                    "            let t = roll(\"1d{}\", \"die {state}\");\n",
                    faces.len()
                );
                for (face, (named, next)) in faces.iter().enumerate() {
                    let named = named.map_or(String::new(), |(name, value)| {
                        format!("result(\"{}\", {value}); ", NAMES[name])
                    });
                    body += &format!(
                        "            if t == {} {{ {named}s = {next}; }}\n",
                        face + 1
                    );
                }
            }
            Step::Choose(red, next) => {
                let side = if *red { "Red" } else { "Blue" };
                body += &format!(
                    "            s = if choose(\"{side}\", \"way {state}\", [\"a\", \"b\"]) == \"a\" {{ {} }} else {{ {} }};\n",
                    next[0], next[1]
                );
            }
        }
        body += "        }\n";
    }
    body + "    }\n    result(\"end\", true);\n"
}

/// A state of a machine with the outcomes named last; 3 stands for none.
type Named = (usize, [u8; 2]);

/// The chances of the outcomes at the end, by long iteration.
fn iterated(machine: &[Step]) -> BTreeMap<[u8; 2], f64> {
    let (mut ends, mut now): (BTreeMap<[u8; 2], f64>, BTreeMap<Named, f64>) =
        (BTreeMap::new(), BTreeMap::from([((0, [3, 3]), 1.0)]));
    while now.values().sum::<f64>() > 1e-14 {
        let mut next: BTreeMap<Named, f64> = BTreeMap::new();
        for ((state, named), chance) in now {
            let Step::Throw(faces) = &machine[state] else {
                panic!("nobody chooses")
            };
            for (naming, to) in faces {
                let mut named = named;
                naming
                    .iter()
                    .for_each(|(name, value)| named[*name] = *value);
                let share = chance / faces.len() as f64;
                *if *to == machine.len() {
                    ends.entry(named).or_insert(0.0)
                } else {
                    next.entry((*to, named)).or_insert(0.0)
                } += share;
            }
        }
        now = next;
    }
    ends
}

/// The value of `x - y` under best play of both sides, by long iteration.
fn best_value(machine: &[Step]) -> f64 {
    let worth = |value: u8| if value == 3 { 0.0 } else { f64::from(value) };
    let mut values: BTreeMap<Named, f64> = BTreeMap::new();
    let all = |state| (0..4u8).flat_map(move |x| (0..4u8).map(move |y| (state, [x, y])));
    for _ in 0..100_000 {
        let mut change: f64 = 0.0;
        for state in (0..machine.len()).rev() {
            for (state, named) in all(state) {
                let at = |state: usize, named: [u8; 2]| {
                    if state == machine.len() {
                        worth(named[0]) - worth(named[1])
                    } else {
                        values.get(&(state, named)).copied().unwrap_or(0.0)
                    }
                };
                let value = match &machine[state] {
                    Step::Throw(faces) => {
                        let through = |(naming, to): &(Option<(usize, u8)>, usize)| {
                            let mut named = named;
                            naming
                                .iter()
                                .for_each(|(name, value)| named[*name] = *value);
                            at(*to, named)
                        };
                        faces.iter().map(through).sum::<f64>() / faces.len() as f64
                    }
                    Step::Choose(true, next) => at(next[0], named).max(at(next[1], named)),
                    Step::Choose(false, next) => at(next[0], named).min(at(next[1], named)),
                };
                let old = values.insert((state, named), value).unwrap_or(0.0);
                change = change.max((value - old).abs());
            }
        }
        if change < 1e-15 {
            break;
        }
    }
    values[&(0, [3, 3])]
}

fn check_dice(machine: &[Step]) -> Result<(), TestCaseError> {
    let (body, expected) = (script(machine), iterated(machine));
    let result = counted(&body, &[], None, 1).map_err(TestCaseError::fail)?;
    prop_assert!(result.odds.is_complete(), "{:?}\n{body}", result.odds.ended);
    let text = |value: u8| {
        if value == 3 {
            NO_OUTCOME.to_string()
        } else {
            value.to_string()
        }
    };
    for (index, name) in NAMES.iter().enumerate() {
        for value in 0..4u8 {
            let expected: f64 = expected
                .iter()
                .filter(|(named, _)| named[index] == value)
                .map(|(_, chance)| chance)
                .sum();
            let chance = match result.odds.distribution(name) {
                Some(distribution) => distribution.chance(&text(value)).to_f64(),
                None => f64::from(u8::from(value == 3)),
            };
            prop_assert!(
                (chance - expected).abs() < 1e-12,
                "{name} {value}: {chance}, not {expected}\n{body}"
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
    let sum = rows
        .iter()
        .fold(Fraction::ZERO, |sum, (_, chance)| &sum + chance);
    prop_assert_eq!(sum, Fraction::ONE);
    for (row, chance) in rows {
        let named = NAMES.map(|name| {
            row.get(name)
                .map_or(3, |value| value.parse().expect("a number"))
        });
        let expected = expected.get(&named).copied().unwrap_or(0.0);
        prop_assert!(
            (chance.to_f64() - expected).abs() < 1e-12,
            "{row:?}: {chance}, not {expected}\n{body}"
        );
    }
    Ok(())
}

fn check_play(machine: &[Step]) -> Result<(), TestCaseError> {
    let (body, expected, measure) = (
        script(machine),
        best_value(machine),
        Measure::parse("x - y").expect("a measure"),
    );
    let result = counted(
        &body,
        &[("Red", "best"), ("Blue", "worst")],
        Some(&measure),
        1,
    )
    .map_err(TestCaseError::fail)?;
    let played = best_play(&result.counted, &result.odds, Some(&measure));
    // Nothing to measure where an outcome never comes up.
    let Ok(played) = played else { return Ok(()) };
    let value = played.value.clone().expect("a value");
    prop_assert!(
        (value.to_f64() - expected).abs() < 1e-9,
        "{value}, not {expected}\n{body}"
    );
    // The odds under these choices have this mean.
    let mean = |name: &str| {
        let rows = played
            .odds
            .outcomes
            .get(name)
            .into_iter()
            .flat_map(|distribution| distribution.iter());
        rows.filter_map(|(value, chance)| {
            Some(chance * &Fraction::from_integer(value.parse().ok()?))
        })
        .fold(Fraction::ZERO, |sum, term| &sum + &term)
    };
    prop_assert!(played.odds.is_complete());
    prop_assert_eq!(&mean("x") - &mean("y"), value, "\n{}", body);
    Ok(())
}

#[test]
fn generated_loops_are_counted_as_by_long_iteration() {
    with_deep_stack(|| {
        let ran = runner::deterministic(60).run(&machine(false), |machine| check_dice(&machine));
        ran.unwrap_or_else(|error| panic!("{error}"));
    });
}

#[test]
fn best_play_of_generated_loops_is_that_of_long_iteration() {
    with_deep_stack(|| {
        let ran = runner::deterministic(60).run(&machine(true), |machine| check_play(&machine));
        ran.unwrap_or_else(|error| panic!("{error}"));
    });
}

#[test]
#[ignore = "takes minutes"]
fn many_generated_loops_are_counted_as_by_long_iteration() {
    with_deep_stack(|| {
        let dice = runner::random(3_000).run(&machine(false), |machine| check_dice(&machine));
        dice.unwrap_or_else(|error| panic!("{error}"));
        let play = runner::random(3_000).run(&machine(true), |machine| check_play(&machine));
        play.unwrap_or_else(|error| panic!("{error}"));
    });
}
