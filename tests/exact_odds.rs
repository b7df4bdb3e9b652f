//! Merged counts equal counts path by path, on one thread and on several.
//!
//! A part runs by default; `cargo test --test suite exact_odds:: -- --ignored --nocapture` runs everything.

use crate::common::procedures::{Deeds, HELPERS, POLICY, with_attack};
use crate::common::runner::{self, with_deep_stack};
use crate::common::stacks::{built_in, situations, specs};
use crate::common::{self, card_deeds};
use casebook::code::machine::Machine;
use casebook::code::state::{State, Stop};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::notation::{Dice, Weight};
use casebook::odds::bounds::{Cap, SearchLimits};
use casebook::odds::count::{CountJob, CountResult};
use casebook::odds::distribution::{NO_OUTCOME, Odds};
use casebook::odds::explore::StateKeyParts;
use casebook::odds::fraction::{Fraction, add_chance};
use casebook::ruleset::compose::RulesetSpec;
use casebook::ruling::choice_source::{ChoiceResult, ChoiceSource};
use casebook::ruling::resolve::cite_case;
use casebook::ruling::situation::Situation;
use casebook::situation::policy::{Policies, PolicyKind};
use casebook::situation::value::Value;
use casebook::situation::value_text::outcome_text;
use casebook::testing::trials::compile_program;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The chances of the values of each outcome.
pub type ChancesByOutcome = BTreeMap<String, BTreeMap<String, Fraction>>;

/// Follows every path of dice and choices without merging states; none if there are more paths than the limit.
struct Paths<'a> {
    machine: Machine,
    choice_source: &'a ChoiceSource,
    chances: ChancesByOutcome,
    remaining: usize,
}

impl Paths<'_> {
    fn explore(&mut self, mut state: State, chance: Fraction) -> Option<()> {
        loop {
            match self.machine.run(&mut state) {
                Stop::Throw(throwing) => {
                    // Every order of the dice, whatever the rule reads of them.
                    let orders = orders(&throwing.dice)?;
                    let order_count = orders.len();
                    let mut weights: Vec<(Value, usize)> = Vec::new();
                    for value in orders.iter().map(|faces| throwing.read(faces)) {
                        match weights.iter_mut().find(|(known, _)| *known == value) {
                            Some((_, weight)) => *weight += 1,
                            None => weights.push((value, 1)),
                        }
                    }
                    for (value, weight) in weights {
                        let mut next = state.clone();
                        self.machine.answer_stop(&mut next, value);
                        self.explore(
                            next,
                            &chance
                                * &Fraction::new(
                                    &(weight as u128).into(),
                                    &(order_count as u128).into(),
                                ),
                        )?;
                    }
                    return Some(());
                }
                Stop::Choice(choosing) => match self
                    .choice_source
                    .decide(&mut self.machine, &mut state, &choosing)
                    .ok()?
                {
                    ChoiceResult::Taken(picked, by) => self
                        .machine
                        .answer_choice(&mut state, &choosing, picked, by),
                    ChoiceResult::Undecided(PolicyKind::Random) => {
                        let share = &chance
                            * &Fraction::new(&Weight::ONE, &(choosing.options.len() as u32).into());
                        for option in choosing.options.iter() {
                            let mut next = state.clone();
                            self.machine.answer_stop(&mut next, option.clone());
                            self.explore(next, share.clone())?;
                        }
                        return Some(());
                    }
                    ChoiceResult::Undecided(_) => return None,
                },
                Stop::Done(_) => {
                    self.remaining = self.remaining.checked_sub(1)?;
                    // The last value of an outcome counts.
                    let named: BTreeMap<String, String> = state
                        .outcomes
                        .iter()
                        .map(|(name, value)| (name.to_string(), outcome_text(value, &state.board)))
                        .collect();
                    for (name, value) in named {
                        add_chance(self.chances.entry(name).or_default(), &value, &chance);
                    }
                    return Some(());
                }
                // Outcomes named before a refusal don't count.
                Stop::Refused(refusal) => {
                    self.remaining = self.remaining.checked_sub(1)?;
                    let by = cite_case(&self.machine.program.ruleset, refusal.cases[0]);
                    add_chance(
                        self.chances.entry("refused".into()).or_default(),
                        &by,
                        &chance,
                    );
                    return Some(());
                }
                _ => return None,
            }
        }
    }
}

/// All sequences of faces or cards that a throw can give; none if there are too many.
fn orders(dice: &Dice) -> Option<Vec<Vec<u32>>> {
    if dice.is_draw() {
        let extended = |row: &Vec<u32>| -> Vec<Vec<u32>> {
            (1..=dice.sides)
                .filter(|side| !row.contains(side))
                .map(|side| [&row[..], &[side]].concat())
                .collect()
        };
        return (0..dice.count).try_fold(vec![Vec::new()], |rows, _| {
            Some(rows.iter().flat_map(extended).collect())
                .filter(|rows: &Vec<_>| rows.len() <= 100_000)
        });
    }
    let total = u64::from(dice.sides)
        .checked_pow(dice.count)
        .filter(|total| *total <= 100_000)?;
    let face = |row: u64, die: u32| {
        (row / u64::from(dice.sides).pow(die) % u64::from(dice.sides)) as u32 + 1
    };
    Some(
        (0..total)
            .map(|row| (0..dice.count).map(|die| face(row, die)).collect())
            .collect(),
    )
}

fn count_odds(situation: &Situation, choice_source: &ChoiceSource, threads: usize) -> Option<Odds> {
    let odds = count_odds_within(Duration::from_secs(5), situation, choice_source, threads)?;
    odds.complete
        .then(|| Odds::new(&odds, &Default::default()).expect("the chances add up"))
}

/// Counts within a time limit.
fn count_odds_within(
    time: Duration,
    situation: &Situation,
    choice_source: &ChoiceSource,
    threads: usize,
) -> Option<CountResult> {
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    let bounds = SearchLimits {
        deadline: Instant::now() + time,
        memory: 1 << 30,
        stop: &never,
        progress: &quiet,
    };
    CountJob {
        situation,
        choice_source,
        key_parts: &StateKeyParts::default(),
        threads,
        limits: &bounds,
    }
    .run()
    .ok()
}

/// The distributions counted path by path, without memo; none if there are more than `most` paths.
pub fn enumerate_paths(
    situation: &Situation,
    choice_source: &ChoiceSource,
    max: usize,
) -> Option<ChancesByOutcome> {
    let mut paths = Paths {
        machine: situation.machine(),
        choice_source,
        chances: BTreeMap::new(),
        remaining: max,
    };
    let state = situation.begin(&mut paths.machine).ok()?;
    paths.machine.run_mode.without_memo = true;
    paths.machine.deadline = Some(Instant::now() + Duration::from_secs(20));
    paths.explore(state, Fraction::ONE)?;
    Some(paths.chances)
}

/// The merged distributions in the same form.
pub fn distributions(odds: Odds) -> ChancesByOutcome {
    let named = |(value, chance): (&str, &Fraction)| {
        (value != NO_OUTCOME).then(|| (value.to_string(), chance.clone()))
    };
    odds.outcomes
        .iter()
        .map(|(name, distribution)| {
            (
                name.clone(),
                distribution.iter().filter_map(named).collect(),
            )
        })
        .collect()
}

/// Counts situations merged, on one thread and on three, and path by path if there are few paths; returns how many of each were compared.
fn compare_counts(library: &Arc<Library>, spec: &RulesetSpec, thorough: bool) -> (usize, usize) {
    let Ok(program) = compile_program(library, spec) else {
        return (0, 0);
    };
    let (max, every) = if thorough { (30_000, 1) } else { (300, 2) };
    let (mut threads, mut by_path) = (0, 0);
    for situation in situations(&program).step_by(every) {
        let choice_source = situation.choice_source(&[], Arc::default());
        let paths = enumerate_paths(&situation, &choice_source, max);
        if paths.is_none() && !thorough {
            continue;
        }
        let name = format!("{} under {:?}", situation.scenario.name, spec.variants);
        let (Some(on_one_thread), Some(on_three_threads)) = (
            count_odds(&situation, &choice_source, 1),
            count_odds(&situation, &choice_source, 3),
        ) else {
            continue;
        };
        assert_eq!(
            on_one_thread.outcomes, on_three_threads.outcomes,
            "{name}: on one thread and on three"
        );
        threads += 1;
        if let Some(paths) = paths {
            assert_eq!(
                distributions(on_one_thread),
                paths,
                "{name}: merged, and path by path"
            );
            by_path += 1;
        }
    }
    (threads, by_path)
}

fn compare_all_counts(
    specs: impl Fn(&Arc<Library>, &str) -> Vec<RulesetSpec> + Send + 'static,
    thorough: bool,
) {
    with_deep_stack(move || {
        let library = built_in();
        let specs_to_compare: Vec<RulesetSpec> = library
            .games
            .keys()
            .flat_map(|game| specs(&library, game))
            .collect();
        let counts = specs_to_compare
            .iter()
            .map(|spec| compare_counts(&library, spec, thorough))
            .fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        eprintln!(
            "{} situations are counted alike on one thread and on three, {} path by path",
            counts.0, counts.1
        );
        assert!(counts.1 > 20, "this says little");
    });
}

#[test]
fn merged_counts_equal_counts_path_by_path() {
    compare_all_counts(
        |library, game| {
            vec![RulesetSpec {
                game: game.into(),
                variants: library.compatible_variants(game),
                ..RulesetSpec::default()
            }]
        },
        false,
    );
}

#[test]
#[ignore = "takes minutes"]
fn all_counts_equal_counts_path_by_path() {
    compare_all_counts(
        |library, game| {
            specs(library, game)
                .into_iter()
                .filter(|spec| spec.options.is_empty() && spec.readings.is_empty())
                .collect()
        },
        true,
    );
}

/// Wherever a count is interrupted, its probabilities are lower bounds, and the missing share bounds the difference.
#[test]
fn an_interrupted_count_is_exact_as_far_as_it_goes() {
    with_deep_stack(|| {
        let library = built_in();
        let situation = Situation::load(
            &library,
            &RulesetSpec::new("banasik", &[]),
            "regiment-assault",
        )
        .expect("it is there");
        let choice_source = situation.choice_source(&[], Arc::default());
        let full_count = count_odds_within(Duration::from_secs(60), &situation, &choice_source, 2)
            .expect("it is counted");
        assert!(full_count.complete);
        // Where there is no time to fold the graph, nothing is counted.
        let mut unfolded = full_count;
        let full_odds = Odds::new(&unfolded, &Default::default())
            .expect("the chances add up")
            .outcomes;
        unfolded.fold_time = Duration::ZERO;
        let nothing = Odds::new(&unfolded, &Default::default()).expect("the chances add up");
        assert!(
            nothing.counted_share == Some(Fraction::ZERO)
                && nothing.outcomes.is_empty()
                && nothing.ended == Some(Cap::Time)
        );
        let mut broken_off = 0;
        // On a very slow or fast computer none of these ends in the middle; longer limits follow.
        let tries = [1, 2, 3]
            .into_iter()
            .flat_map(|threads| [1, 5, 20, 60].map(|time| (threads, Duration::from_millis(time))));
        let longer_tries = (1..9).map(|n| (2, Duration::from_millis(60 << n)));
        for (number, (threads, time)) in tries.chain(longer_tries).enumerate() {
            if number >= 12 && broken_off > 0 {
                break;
            }
            let part = count_odds_within(time, &situation, &choice_source, threads)
                .expect("it is counted");
            let odds = Odds::new(&part, &Default::default()).expect("the chances add up");
            let counted_share = odds.counted_share.clone().expect("how much was seen");
            broken_off += usize::from(!part.complete && counted_share > Fraction::ZERO);
            for (name, distribution) in &full_odds {
                for (value, chance) in distribution
                    .iter()
                    .filter(|(value, _)| *value != NO_OUTCOME)
                {
                    let lower_bound = odds
                        .outcomes
                        .get(name)
                        .map_or(Fraction::ZERO, |own| own.chance(value));
                    let missing = chance - &lower_bound;
                    let at = || {
                        format!(
                            "{name} {value}: {lower_bound} of {chance}, {counted_share} seen in {time:?} on {threads}"
                        )
                    };
                    assert!(
                        missing >= Fraction::ZERO && missing <= &Fraction::ONE - &counted_share,
                        "{}",
                        at()
                    );
                }
            }
        }
        assert!(broken_off > 0, "all were whole, or nothing was seen");
    });
}

/// The reason that is given is what keeps the count from going on: the memory, not the depth that one branch has reached before.
#[test]
fn the_limit_that_ended_the_last_part_is_named() {
    with_deep_stack(|| {
        let lines = "
    let throws = 0;
    if roll(\"1d6\", \"way\") == 1 { while roll(\"1d6\", \"again\") < 6 { throws += 1; } }
    let sum = throws;
    for n in 0..60 { sum = (sum * 7 + roll(\"1d6\", `hour ${n}`) * (n + 13)) % 1000003; }
    result(\"sum\", sum);
";
        let library = Arc::new(Library::new(with_attack(
            &common::skirmish(),
            lines,
            HELPERS,
        )));
        let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
            .expect("it is there");
        let choice_source = &situation.choice_source(&[], Arc::default());
        let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
        let limits = &SearchLimits {
            deadline: Instant::now() + Duration::from_secs(300),
            memory: 24 << 20,
            stop: &never,
            progress: &quiet,
        };
        let key_parts = &StateKeyParts::default();
        let part = CountJob {
            situation: &situation,
            choice_source,
            key_parts,
            threads: 1,
            limits,
        }
        .run()
        .expect("it is counted in part");
        assert!(
            !part.complete && part.ended == Some(Cap::Memory(24 << 20)),
            "{:?}",
            part.ended
        );
    });
}

/// An endless series of throws is explored by probability, not depth first.
#[test]
fn what_may_never_end_is_counted_where_it_is_likely() {
    with_deep_stack(|| {
        let endless = "
    let throws = 1;
    while roll(\"1d6\", \"again\") < 6 { throws += 1; }
    result(\"throws\", throws);
";
        let library = Arc::new(Library::new(with_attack(
            &common::skirmish(),
            endless,
            HELPERS,
        )));
        let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
            .expect("it is there");
        let choice_source = situation.choice_source(&[], Arc::default());
        let part = count_odds_within(Duration::from_secs(60), &situation, &choice_source, 2)
            .expect("it is counted");
        assert!(!part.complete && part.ended == Some(Cap::Depth));
        let odds = Odds::new(&part, &Default::default()).expect("the chances add up");
        let counted_share = odds.counted_share.as_ref().expect("a share").to_f64();
        assert!(counted_share > 1.0 - 1e-9, "{counted_share}");
        for throws in 1..50u32 {
            let exact = Fraction::new(
                &Weight::from(5u32).pow(throws - 1),
                &Weight::from(6u32).pow(throws),
            );
            assert_eq!(odds.outcomes["throws"].chance(&throws.to_string()), exact);
        }
    });
}

// Generated procedures

/// Counts a procedure merged and path by path, by a policy and at random; returns whether that was possible.
fn check_procedure(files: &Files, body: &str) -> Result<bool, TestCaseError> {
    let library = Arc::new(Library::new(with_attack(files, body, HELPERS)));
    let situation = Situation::load(&library, &RulesetSpec::new("skirmish", &[]), "bridge")
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    let mut both_counted = true;
    for policy in [POLICY, "random"] {
        let policies = Policies::parse(&[("Red".into(), policy.into())], &situation.ruleset().game)
            .expect("a policy");
        let choice_source = situation.choice_source(&[], Arc::new(policies));
        match (
            enumerate_paths(&situation, &choice_source, 2_000),
            count_odds(&situation, &choice_source, 1),
        ) {
            (Some(all), Some(odds)) => prop_assert_eq!(
                distributions(odds),
                all,
                "merged, and path by path, by {}:\n{}",
                policy,
                body
            ),
            _ => both_counted = false,
        }
    }
    Ok(both_counted)
}

fn check_generated(mut runner: TestRunner, cases: u32) {
    let files = common::skirmish();
    let compared = Cell::new(0);
    let ran = runner.run(&prop::collection::vec(any::<u8>(), 0..120), |bytes| {
        compared
            .set(compared.get() + u32::from(check_procedure(&files, &Deeds::generate(&bytes))?));
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    eprintln!(
        "{} of {cases} procedures are counted alike merged and path by path",
        compared.get()
    );
    assert!(compared.get() > cases / 2, "this says little");
}

/// Procedures that were once counted wrongly and that random ones seldom hit.
const REGRESSIONS: &[&str] = &[
    // A piece created with one figure and set to another on one path, and the reverse on another.
    "
    let n = roll(\"1d2\", \"here\");
    create(#{ name: \"New 1\", kind: \"wagon\", side: \"Red\", at: \"0201\", strength: n });
    n = roll(\"1d2\", \"here\");
    set(pick(\"New 1\"), \"strength\", n);
    result(\"r1\", n);
    result(\"r2\", balance(\"0201\"));
",
    // A figure that only the policy still reads.
    "
    set_track(\"turn\", roll(\"1d3\", \"here\"));
    set(piece(\"Red foot\"), \"strength\", 0);
    roll(\"1d2\", \"there\");
    result(\"r1\", choose(\"Red\", \"way\", [1, 5]));
",
    // An earlier throw decides only which dice are thrown.
    "
    let n = roll(\"1d2\", \"here\");
    result(\"r1\", roll(n + \"d3\", \"there\"));
",
    // An earlier throw decides only the options of a choice.
    "
    let n = roll(\"1d2\", \"here\");
    result(\"r1\", choose(\"Red\", \"way\", [n * 10, 5]));
",
];

#[test]
fn past_miscounts_stay_fixed() {
    with_deep_stack(|| {
        REGRESSIONS.iter().for_each(|body| {
            assert!(
                check_procedure(&common::skirmish(), body).expect("it is counted alike"),
                "it can be counted"
            )
        })
    });
}

#[test]
fn generated_procedures_are_counted_as_path_by_path() {
    with_deep_stack(|| check_generated(runner::deterministic(1_000), 1_000));
}

#[test]
#[ignore = "takes minutes"]
fn many_generated_procedures_are_counted_as_path_by_path() {
    with_deep_stack(|| check_generated(runner::random(200_000), 200_000));
}

/// Procedures with cards: merged counts equal counts path by path, and the number of cards stays the same.
#[test]
fn cards_are_counted_as_path_by_path() {
    with_deep_stack(|| {
        let compared = Cell::new(0);
        runner::deterministic(150)
            .run(&proptest::collection::vec(any::<u8>(), 0..60), |bytes| {
                let library =
                    casebook::from_files(card_deeds::files(&bytes)).expect("the data are sound");
                let situation = Situation::load(&library, &RulesetSpec::new("made", &[]), "deal")
                    .expect("it is there");
                let choice_source = situation.choice_source(&[], Arc::default());
                let Some(by_path) = enumerate_paths(&situation, &choice_source, 20_000) else {
                    return Ok(());
                };
                prop_assert_eq!(
                    by_path["all cards"].keys().collect::<Vec<_>>(),
                    [&card_deeds::ALL_CARDS.to_string()]
                );
                let on_one_thread =
                    count_odds(&situation, &choice_source, 1).expect("it is counted");
                let three = count_odds(&situation, &choice_source, 3).expect("it is counted");
                prop_assert_eq!(&on_one_thread.outcomes, &three.outcomes);
                prop_assert_eq!(
                    distributions(on_one_thread),
                    by_path,
                    "{}",
                    card_deeds::procedure(&bytes)
                );
                compared.set(compared.get() + 1);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(
            compared.get() > 80,
            "{} procedures say little",
            compared.get()
        );
    });
}
