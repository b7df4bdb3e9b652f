//! What is remembered is told as if it were worked out anew: every event, and what every line and every refusal cites.
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
