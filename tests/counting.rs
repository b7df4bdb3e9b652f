//! Counting agrees with itself: merged and path by path, on one thread and on several.
//!
//! What is run here is a part that takes seconds; `cargo test --test counting -- --ignored --nocapture` runs everything.

mod common;
#[path = "common/procedures.rs"]
mod procedures;
#[path = "common/runner.rs"]
mod runner;
#[path = "common/stacks.rs"]
mod stacks;

use casebook::code::machine::Machine;
use casebook::code::state::{State, Stop};
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::odds::bounds::Bounds;
use casebook::odds::count::{Count, Counted};
use casebook::odds::distribution::{NOTHING, Odds};
use casebook::odds::explore::Wanted;
use casebook::odds::fraction::{Distribution, Fraction};
use casebook::ruleset::compose::Wish;
use casebook::ruling::decide::{Decided, Decider};
use casebook::ruling::resolve::cite;
use casebook::ruling::situation::Situation;
use casebook::situation::policy::{Kind, Policies};
use casebook::situation::value::Value;
use casebook::situation::words::shown;
use casebook::testing::check::program;
use procedures::{Deeds, HELPERS, POLICY, attacking};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use runner::deep;
use stacks::{built_in, situations, wishes};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Every path of dice and choices by itself, nothing merged: the chances of every outcome. None where there are more than so many.
struct Paths<'a> {
    machine: Machine,
    decider: &'a Decider,
    chances: BTreeMap<String, Distribution>,
    left: usize,
}

impl Paths<'_> {
    fn go(&mut self, mut state: State, chance: Fraction) -> Option<()> {
        loop {
            match self.machine.run(&mut state) {
                Stop::Throw(throwing) => {
                    let ways = throwing.at_least.map_or_else(|| throwing.dice.totals(), |face| throwing.dice.counts(face))?;
                    let all: u128 = ways.iter().map(|(_, weight)| weight).sum();
                    for (total, weight) in ways {
                        let mut own = state.clone();
                        self.machine.answer(&mut own, Value::Number(total));
                        self.go(own, &chance * &Fraction::of(weight.into(), all.into()))?;
                    }
                    return Some(());
                }
                Stop::Choice(choosing) => match self.decider.decide(&mut self.machine, &mut state, &choosing).ok()? {
                    Decided::Taken(picked, by) => self.machine.chosen(&mut state, &choosing, picked, by),
                    Decided::Open(Kind::Random) => {
                        let share = &chance * &Fraction::of(1u8.into(), choosing.options.len().into());
                        for option in choosing.options.iter() {
                            let mut own = state.clone();
                            self.machine.answer(&mut own, option.clone());
                            self.go(own, share.clone())?;
                        }
                        return Some(());
                    }
                    Decided::Open(_) => return None,
                },
                Stop::Done(_) => {
                    self.left = self.left.checked_sub(1)?;
                    // Of an outcome named twice the last word stands.
                    let named: BTreeMap<String, String> =
                        state.outcomes.iter().map(|(name, value)| (name.to_string(), shown(value, &state.board))).collect();
                    for (name, value) in named {
                        self.chances.entry(name).or_default().put(&value, &chance);
                    }
                    return Some(());
                }
                // Nothing counts that was named before.
                Stop::Refused(refusal) => {
                    self.left = self.left.checked_sub(1)?;
                    let by = cite(&self.machine.program.ruleset, refusal.cases[0]);
                    self.chances.entry("refused".into()).or_default().put(&by, &chance);
                    return Some(());
                }
                _ => return None,
            }
        }
    }
}

fn counted(situation: &Situation, decider: &Decider, threads: usize) -> Option<Odds> {
    let found = counted_within(Duration::from_secs(5), situation, decider, threads)?;
    found.complete.then(|| Odds::new(&found, &Default::default()))
}

/// What is counted in so much time.
fn counted_within(time: Duration, situation: &Situation, decider: &Decider, threads: usize) -> Option<Counted> {
    let (never, quiet) = (AtomicBool::new(false), |_: f64, _: u64| {});
    let bounds = Bounds { end: Instant::now() + time, memory: 1 << 30, stop: &never, progress: &quiet };
    Count { situation, decider, wanted: &Wanted::default(), threads, bounds: &bounds }.run().ok()
}

/// Every path by itself, with nothing remembered; none where there are more than so many.
fn paths(situation: &Situation, decider: &Decider, most: usize) -> Option<BTreeMap<String, Distribution>> {
    let mut paths = Paths { machine: situation.machine(), decider, chances: BTreeMap::new(), left: most };
    let state = situation.begin(&mut paths.machine).ok()?;
    paths.machine.manner.anew = true;
    paths.machine.deadline = Some(Instant::now() + Duration::from_secs(20));
    paths.go(state, Fraction::ONE)?;
    Some(paths.chances)
}

/// The same merged, told alike.
fn merged(odds: Odds) -> BTreeMap<String, Distribution> {
    let mut merged = odds.outcomes;
    merged.values_mut().for_each(|distribution| drop(distribution.0.remove(NOTHING)));
    merged
}

/// Counts situations merged, on one thread and on three, and path by path where there are not too many; how many were compared so.
fn counting(library: &Arc<Library>, wish: &Wish, thorough: bool) -> (usize, usize) {
    let Ok(program) = program(library, wish) else { return (0, 0) };
    let (most, every) = if thorough { (30_000, 1) } else { (300, 2) };
    let (mut threads, mut by_path) = (0, 0);
    for situation in situations(&program).step_by(every) {
        let decider = situation.decider(&[], Arc::default());
        let all = paths(&situation, &decider, most);
        if all.is_none() && !thorough {
            continue;
        }
        let name = format!("{} under {:?}", situation.scenario.name, wish.with);
        let (Some(one), Some(three)) = (counted(&situation, &decider, 1), counted(&situation, &decider, 3)) else { continue };
        assert_eq!(one.outcomes, three.outcomes, "{name}: on one thread and on three");
        threads += 1;
        if let Some(all) = all {
            assert_eq!(merged(one), all, "{name}: merged, and path by path");
            by_path += 1;
        }
    }
    (threads, by_path)
}

fn count(wishes: impl Fn(&Arc<Library>, &str) -> Vec<Wish> + Send + 'static, thorough: bool) {
    deep(move || {
        let library = built_in();
        let all: Vec<Wish> = library.games.keys().flat_map(|game| wishes(&library, game)).collect();
        let found = all.iter().map(|wish| counting(&library, wish, thorough)).fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        eprintln!("{} situations are counted alike on one thread and on three, {} path by path", found.0, found.1);
        assert!(found.1 > 20, "this says little");
    });
}

#[test]
fn merged_counts_are_those_of_every_path_by_itself() {
    count(|library, game| vec![Wish { game: game.into(), with: library.together(game), ..Wish::default() }], false);
}

#[test]
#[ignore = "takes minutes"]
fn all_counts_are_those_of_every_path_by_itself() {
    count(
        |library, game| wishes(library, game).into_iter().filter(|wish| wish.options.is_empty() && wish.readings.is_empty()).collect(),
        true,
    );
}

/// Wherever a count is broken off: what it has counted stands as it does in the whole, and what it has not is what is missing.
#[test]
fn what_is_broken_off_is_exact_as_far_as_it_goes() {
    deep(|| {
        let library = built_in();
        let situation = Situation::of(&library, &Wish::of("banasik", &[]), "regiment-assault").expect("it is there");
        let decider = situation.decider(&[], Arc::default());
        let whole = counted_within(Duration::from_secs(60), &situation, &decider, 2).expect("it is counted");
        assert!(whole.complete);
        let whole = Odds::new(&whole, &Default::default()).outcomes;
        let mut broken_off = 0;
        for (threads, time) in [1, 2, 3].into_iter().flat_map(|threads| [1, 5, 20, 60].map(|time| (threads, Duration::from_millis(time)))) {
            let part = counted_within(time, &situation, &decider, threads).expect("it is counted");
            let odds = Odds::new(&part, &Default::default());
            let seen = odds.seen.clone().expect("how much was seen");
            broken_off += usize::from(!part.complete && seen > Fraction::ZERO);
            for (name, distribution) in &whole {
                for (value, chance) in distribution.0.iter().filter(|(value, _)| *value != NOTHING) {
                    let found = odds.outcomes.get(name).and_then(|own| own.0.get(value)).cloned().unwrap_or(Fraction::ZERO);
                    let missing = chance - &found;
                    let at = || format!("{name} {value}: {found} of {chance}, {seen} seen in {time:?} on {threads}");
                    assert!(missing >= Fraction::ZERO && missing <= &Fraction::ONE - &seen, "{}", at());
                }
            }
        }
        assert!(broken_off > 0, "all were whole");
    });
}

// Made procedures

/// Counts a procedure merged, and path by path, by a policy and at random; whether it could be.
fn hold(whole: &Files, body: &str) -> Result<bool, TestCaseError> {
    let library = Arc::new(Library::new(attacking(whole, body, HELPERS)));
    let situation =
        Situation::of(&library, &Wish::of("skirmish", &[]), "bridge").map_err(|error| TestCaseError::fail(error.to_string()))?;
    let mut both = true;
    for policy in [POLICY, "random"] {
        let policies = Policies::read(&[("Red".into(), policy.into())], &situation.ruleset().game.sides).expect("a policy");
        let decider = situation.decider(&[], Arc::new(policies));
        match (paths(&situation, &decider, 2_000), counted(&situation, &decider, 1)) {
            (Some(all), Some(odds)) => prop_assert_eq!(merged(odds), all, "merged, and path by path, by {}:\n{}", policy, body),
            _ => both = false,
        }
    }
    Ok(both)
}

fn make(mut runner: TestRunner, cases: u32) {
    let whole = common::skirmish();
    let compared = Cell::new(0);
    let ran = runner.run(&prop::collection::vec(any::<u8>(), 0..120), |bytes| {
        compared.set(compared.get() + u32::from(hold(&whole, &Deeds::of(&bytes))?));
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    eprintln!("{} of {cases} procedures are counted alike merged and path by path", compared.get());
    assert!(compared.get() > cases / 2, "this says little");
}

/// What was counted askew once, and is seldom met among many.
const FOUND: &[&str] = &[
    // A piece made with one figure and set to another on one way, and the other way round on another.
    "
    let n = roll(\"1d2\", \"here\");
    create(#{ name: \"New 1\", kind: \"wagon\", side: \"Red\", at: \"0201\", strength: n });
    n = roll(\"1d2\", \"here\");
    set(pick(\"New 1\"), \"strength\", n);
    result(\"r1\", n);
    result(\"r2\", balance(\"0201\"));
",
    // A figure at which no rule looks any more, but the policy.
    "
    set_track(\"turn\", roll(\"1d3\", \"here\"));
    set(piece(\"Red foot\"), \"strength\", 0);
    roll(\"1d2\", \"there\");
    result(\"r1\", choose(\"Red\", \"way\", [1, 5]));
",
    // What was thrown before decides which dice are thrown now, and nothing else.
    "
    let n = roll(\"1d2\", \"here\");
    result(\"r1\", roll(n + \"d3\", \"there\"));
",
    // What was thrown before decides what there is to choose from, and nothing else.
    "
    let n = roll(\"1d2\", \"here\");
    result(\"r1\", choose(\"Red\", \"way\", [n * 10, 5]));
",
];

#[test]
fn what_was_counted_askew_once_is_not_again() {
    deep(|| FOUND.iter().for_each(|body| assert!(hold(&common::skirmish(), body).expect("it is counted alike"), "it can be counted")));
}

#[test]
fn made_procedures_are_counted_as_their_paths_are() {
    deep(|| make(runner::same(1_000), 1_000));
}

#[test]
#[ignore = "takes minutes"]
fn many_made_procedures_are_counted_as_their_paths_are() {
    deep(|| make(runner::any(200_000), 200_000));
}
