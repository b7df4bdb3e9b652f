//! What is remembered is told as if it were worked out anew: every event, and what every line and every refusal cites; and runs that go along
//! what others have gone come to what each comes to by itself.
//!
//! What is run here is a part that takes seconds; `cargo test --test remembering -- --ignored --nocapture` runs everything.

mod common;
#[path = "common/procedures.rs"]
mod procedures;
#[path = "common/runner.rs"]
mod runner;
#[path = "common/stacks.rs"]
mod stacks;

use casebook::code::context::Detail;
use casebook::code::machine::Machine;
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::odds::runs::{Runs, of_seed};
use casebook::ruleset::compose::Wish;
use casebook::ruling::position::Position;
use casebook::ruling::resolve::{Order, resolve};
use casebook::ruling::situation::Situation;
use casebook::situation::dice::Seeded;
use casebook::situation::policy::Policies;
use casebook::testing::check::program;
use casebook::testing::snapshot;
use procedures::{Deeds, HELPERS, POLICY, attacking};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use runner::deep;
use stacks::{built_in, situations, wishes};
use std::cell::Cell;
use std::sync::Arc;

/// A ruling with everything that happened on the way, or why there is none.
fn told(machine: &mut Machine, situation: &Situation, seed: u64) -> Vec<String> {
    let sides = &situation.ruleset().game.sides;
    let policies = Policies::read(&[("Red".into(), POLICY.into())], sides).unwrap_or_default();
    let order = Order { stream: Box::new(Seeded::new(seed)), policies: Arc::new(policies), trace: true, ..Order::default() };
    match resolve(machine, situation, order) {
        Ok(ran) => {
            // With what happened on the way, and how many steps it took.
            let mut lines = ran.ruling.trace.clone();
            lines.extend(snapshot::text(&ran.ruling).lines().map(String::from));
            lines.push(serde_json::to_string(&ran.ruling).expect("a ruling can be told"));
            lines.push(serde_json::to_string(&Position::new(situation, &ran.board, &ran.events)).expect("a position can be told"));
            lines
        }
        Err(error) => vec![error.to_string()],
    }
}

/// Holds what one machine remembers against another that remembers nothing; how many lines were the same, or where they part.
fn hold(remembering: &mut Machine, anew: &mut Machine, situation: &Situation, seed: u64) -> Result<usize, String> {
    anew.manner.anew = true;
    let (own, other) = (told(remembering, situation, seed), told(anew, situation, seed));
    let parted = own.iter().zip(&other).find(|(own, other)| own != other);
    match parted {
        None if own.len() == other.len() => Ok(own.len()),
        None => Err(format!("{} lines, and anew {}", own.len(), other.len())),
        Some((own, other)) => Err(format!("remembered: {own}\nanew:       {other}")),
    }
}

/// Every situation under some stacks, all of it noted and without what lines come from.
fn hold_all(wishes: impl Fn(&Arc<Library>, &str) -> Vec<Wish> + Send + 'static, (every, seeds): (usize, u64)) {
    deep(move || {
        let library = built_in();
        let all: Vec<Wish> = library.games.keys().flat_map(|game| wishes(&library, game)).collect();
        let mut lines = 0;
        for wish in &all {
            let Ok(program) = program(&library, wish) else { continue };
            for detail in [Detail::Whole, Detail::Uncited] {
                let [mut remembering, mut anew] = [(); 2].map(|()| Machine::new(program.clone()));
                (remembering.manner.detail, anew.manner.detail) = (detail, detail);
                let all: Vec<Situation> = situations(&program).step_by(every).collect();
                for (situation, seed) in all.iter().flat_map(|situation| (1..=seeds).map(move |seed| (situation, seed))) {
                    let name = || format!("{} under {wish:?}, seed {seed}", situation.scenario.name);
                    lines += hold(&mut remembering, &mut anew, situation, seed).unwrap_or_else(|why| panic!("{}\n{why}", name()));
                }
            }
        }
        eprintln!("{lines} lines are the same");
        assert!(lines > 20_000, "{lines} lines say little");
    });
}

#[test]
fn every_fourth_situation_is_told_the_same() {
    hold_all(|library, game| vec![Wish { game: game.into(), with: library.together(game), ..Wish::default() }], (4, 1));
}

#[test]
#[ignore = "takes minutes"]
fn every_situation_is_told_the_same_under_every_stack() {
    let plain = |wish: &Wish| wish.options.is_empty() && wish.readings.is_empty();
    hold_all(move |library, game| wishes(library, game).into_iter().filter(plain).collect(), (1, 2));
}

// Runs

/// Holds runs of a situation, along what those before have gone, against each by itself; every seed twice. How many came to an end.
fn hold_runs(situation: &Situation, policies: &[(String, String)], seeds: u64) -> Result<(usize, usize), String> {
    let policies = Policies::read(policies, &situation.ruleset().game.sides).unwrap_or_default();
    let (mut machine, decider) = (situation.machine(), situation.decider(&[], Arc::new(policies)));
    let mut runs = Runs::new(situation.machine(), &decider);
    let mut ended = 0;
    for seed in (1..=seeds).flat_map(|seed| [seed, seed.div_ceil(2)]) {
        match (runs.of_seed(situation, seed), of_seed(&mut machine, situation, &decider, seed)) {
            (Ok(own), Ok(other)) if own == other => ended += 1,
            (Err(own), Err(other)) if own.to_string() == other.to_string() => {}
            (own, other) => return Err(format!("seed {seed}: along others {own:?}\nby itself    {other:?}")),
        }
    }
    Ok((ended, runs.kept()))
}

/// Every situation under some stacks, choices at their first option and at any.
fn hold_all_runs(wishes: impl Fn(&Arc<Library>, &str) -> Vec<Wish> + Send + 'static, (every, seeds): (usize, u64)) {
    deep(move || {
        let library = built_in();
        let (mut ended, mut kept) = (0, 0);
        for wish in library.games.keys().flat_map(|game| wishes(&library, game)) {
            let Ok(program) = program(&library, &wish) else { continue };
            for situation in situations(&program).step_by(every) {
                let any: Vec<_> = situation.ruleset().game.sides.iter().map(|side| (side.to_string(), "random".to_string())).collect();
                for policies in [&[][..], &any] {
                    let (more, states) = hold_runs(&situation, policies, seeds)
                        .unwrap_or_else(|why| panic!("{} under {wish:?} by {policies:?}\n{why}", situation.scenario.name));
                    (ended, kept) = (ended + more, kept + states);
                }
            }
        }
        eprintln!("{ended} runs are the same, with {kept} states kept");
        assert!(ended > 1_000 && kept > 500, "{ended} runs and {kept} states say little");
    });
}

#[test]
fn runs_along_others_come_to_the_same() {
    hold_all_runs(|library, game| vec![Wish { game: game.into(), with: library.together(game), ..Wish::default() }], (4, 12));
}

#[test]
#[ignore = "takes minutes"]
fn many_runs_along_others_come_to_the_same_under_every_stack() {
    let plain = |wish: &Wish| wish.options.is_empty() && wish.readings.is_empty();
    hold_all_runs(move |library, game| wishes(library, game).into_iter().filter(plain).collect(), (1, 50));
}

// Made procedures

/// The small game with what procedures ask in cases of their own, which lines then cite.
fn cases() -> Files {
    let mut whole = common::skirmish();
    let contents = "rules/skirmish/contents.yaml";
    let mut list = whole.files[contents].text.to_string();
    for (number, helper) in HELPERS.trim().lines().enumerate() {
        let function = helper.trim_start_matches("private ");
        let head = format!("//! case: \"4.{number}\"\n//! title: Case {number}\n//! kind: rule\n");
        let text = format!("{head}//! source: {{ doc: sheet, at: \"4\" }}\n//! text: >\n//!   A case.\n\n/// Asked.\n{function}\n");
        whole = whole.with_text(&format!("rules/skirmish/04-test/4.{number}-asked.rhai"), &text);
        list += &format!("\"4.{number}\": Case {number}\n");
    }
    whole.with_text(contents, &format!("{list}\"4\": Cases\n"))
}

/// Holds a procedure, asked several times of the same machine.
fn hold_made(whole: &Files, body: &str) -> Result<usize, TestCaseError> {
    let body = body.replace("result(", "tell(");
    let tell = "private fn tell(name, value) { say(\"{} is {}\", [name, value]); result(name, value); }";
    let library = Arc::new(Library::new(attacking(whole, &body, tell)));
    let fail = |why: String| TestCaseError::fail(format!("{why}\n{body}"));
    let situation = Situation::of(&library, &Wish::of("skirmish", &[]), "bridge").map_err(|error| fail(error.to_string()))?;
    let (mut remembering, mut lines) = (situation.machine(), 0);
    for seed in [1, 2, 1, 3] {
        lines += hold(&mut remembering, &mut situation.machine(), &situation, seed).map_err(|why| fail(format!("seed {seed}: {why}")))?;
    }
    for policies in [("Red", POLICY), ("Red", "random")].map(|(side, policy)| [(side.into(), policy.into())]) {
        hold_runs(&situation, &policies, 12).map_err(fail)?;
    }
    Ok(lines)
}

fn make(mut runner: TestRunner, most: usize) {
    let (whole, lines) = (cases(), Cell::new(0));
    let ran = runner.run(&prop::collection::vec(any::<u8>(), 0..120), |bytes| {
        lines.set(lines.get() + hold_made(&whole, &Deeds::of(&bytes))?);
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    eprintln!("{} lines are the same", lines.get());
    assert!(lines.get() > 50 * most, "this says little");
}

#[test]
fn made_procedures_are_told_the_same() {
    deep(|| make(runner::same(300), 300));
}

#[test]
#[ignore = "takes minutes"]
fn many_made_procedures_are_told_the_same() {
    deep(|| make(runner::any(50_000), 50_000));
}
