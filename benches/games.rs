//! Times of whole games and of their slowest procedures, movement and supply; and their growth with the pieces in play.
//! `cargo bench --bench games`.

#[path = "common/allocator.rs"]
mod allocator;

use casebook::code::machine::Machine;
use casebook::code::program::Program;
use casebook::data::library::Library;
use casebook::data::piece::Datum;
use casebook::data::scenario::Scenario;
use casebook::odds::game_run::RunUntil;
use casebook::odds::games::{GamesSpec, play};
use casebook::odds::seeded_run::run_seed;
use casebook::ruleset::compose::{Ruleset, RulesetSpec};
use casebook::ruleset::diagnostics::build_ruleset;
use casebook::ruling::situation::Situation;
use casebook::situation::policy::Policies;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Hexes of the moving pieces on each board, so that no answer can be reused from the board before.
const BOARD_HEXES: [&str; 12] = [
    "C2609", "C2509", "C2608", "C2607", "C2507", "C2406", "C2306", "C2307", "C2707", "C2708",
    "C2605", "C2405",
];

/// Rounds over the boards.
const ROUNDS: usize = 101;

fn ruleset(library: &Arc<Library>) -> Ruleset {
    build_ruleset(
        library,
        &RulesetSpec {
            game: "wbts".into(),
            variants: vec!["hardy".into()],
            ..RulesetSpec::default()
        },
    )
    .expect("the data are sound")
    .0
}

/// The scenario with these pieces in another hex.
fn with_pieces_at(scenario: &Scenario, names: &[&str], hex: &str) -> Scenario {
    let mut scenario_copy = scenario.clone();
    for piece in scenario_copy
        .pieces
        .iter_mut()
        .filter(|piece| names.contains(&piece.name.as_str()))
    {
        piece
            .attributes
            .insert("at".into(), Datum::Word(hex.into()));
    }
    scenario_copy
}

/// The scenario with each of its combat units `times` times.
fn repeat_units(scenario: &Scenario, times: usize) -> Scenario {
    let mut larger = scenario.clone();
    let units: Vec<_> = scenario
        .pieces
        .iter()
        .filter(|piece| piece.attributes.contains_key("strength"))
        .cloned()
        .collect();
    for number in 2..=times {
        larger.pieces.extend(units.iter().cloned().map(|mut unit| {
            unit.name = format!("{} {number}", unit.name);
            unit
        }));
    }
    larger
}

/// The median time of a procedure over the boards after one warm-up round, in which its code is compiled and what
/// depends only on the map is memoized.
fn time_procedure(program: &Arc<Program>, boards: Vec<Scenario>) -> Duration {
    let ready: Vec<Situation> = boards
        .into_iter()
        .map(|board| Situation::new(program, board).expect("the board stands"))
        .collect();
    let mut machine = Machine::new(program.clone());
    let mut run = |situation: &Situation| {
        let choice_source = situation.choice_source(&[], Arc::default());
        black_box(
            run_seed(&mut machine, situation, &choice_source, 1).expect("it comes to its end"),
        );
    };
    ready.iter().for_each(&mut run);
    let mut round = |_| {
        let start = Instant::now();
        ready.iter().for_each(&mut run);
        start.elapsed() / ready.len() as u32
    };
    let mut rounds: Vec<Duration> = (0..ROUNDS).map(&mut round).collect();
    rounds.sort();
    rounds[ROUNDS / 2]
}

/// Plays `count` games by first options; returns their time and number of rounds.
fn play_games(
    program: &Arc<Program>,
    scenario: Arc<Scenario>,
    count: u64,
    threads: usize,
) -> (Duration, u64) {
    let situation = Situation::new(program, scenario).expect("the game stands");
    let policies = Policies::parse(&[("all".into(), "first".into())], &situation.ruleset().game)
        .expect("a policy");
    let choice_source = situation.choice_source(&[], Arc::new(policies));
    let start = Instant::now();
    let spec = GamesSpec {
        seed: 1,
        games: count,
        parts: 1,
        ..GamesSpec::default()
    };
    let sums = play(
        &situation,
        &choice_source,
        &spec,
        1,
        threads,
        RunUntil {
            end: None,
            stop: &AtomicBool::new(false),
        },
    );
    assert!(
        sums.broken.is_empty(),
        "every game comes to its end: {:?}",
        sums.broken
    );
    let rounds = sums
        .rounds
        .values()
        .next()
        .map_or(0, |rounds| rounds.iter().map(|(_, games)| games).sum());
    (start.elapsed(), rounds)
}

fn main() {
    let library = casebook::built_in();
    let rules = ruleset(&library);
    let scenario = |name: &str| rules.scenario(name).expect("the scenario is there");
    let (reach, supply, manassas) = (
        scenario("where-mcdowell-can-go"),
        scenario("eltham-landing"),
        scenario("first-manassas"),
    );
    let program = Arc::new(Program::new(Arc::new(rules)));

    let marches = BOARD_HEXES
        .iter()
        .map(|hex| with_pieces_at(&reach, &["McDowell", "I Corps"], hex))
        .collect();
    println!(
        "{:<52} {:>12.2?}",
        "where a force can go in Virginia",
        time_procedure(&program, marches)
    );
    let mut chain = Scenario::clone(&manassas);
    (chain.procedure, chain.is_game) = (supply.procedure.clone(), false);
    let chains = |chain: &Scenario| {
        BOARD_HEXES
            .iter()
            .map(|hex| with_pieces_at(chain, &["New Jersey militia"], hex))
            .collect()
    };
    println!(
        "{:<52} {:>12.2?}",
        "supply of both sides traced",
        time_procedure(&program, chains(&chain))
    );
    let (time, rounds) = play_games(&program, manassas.clone(), 200, 1);
    println!(
        "{:<52} {:>12.2?}",
        "a game turn of First Manassas",
        time / rounds as u32
    );
    println!(
        "{:<52} {:>12.2?}",
        "1,000 games of it, two threads",
        play_games(&program, manassas.clone(), 1_000, 2).0
    );

    println!(
        "\n{:<24} {:>14} {:>14}",
        "combat units", "supply", "a game turn"
    );
    let mut measured = Vec::new();
    for n in [1, 2, 4, 8] {
        let supply = time_procedure(&program, chains(&repeat_units(&chain, n)));
        let (time, rounds) = play_games(&program, Arc::new(repeat_units(&manassas, n)), 20, 1);
        let turn = time / rounds as u32;
        println!(
            "{:<24} {supply:>14.2?} {turn:>14.2?}",
            format!("{n} times as many")
        );
        measured.push((supply.as_secs_f64(), turn.as_secs_f64()));
    }
    let exponent = |last: f64, first: f64| (last / first).log2() / 3.0;
    let (supply, turn) = (
        exponent(measured[3].0, measured[0].0),
        exponent(measured[3].1, measured[0].1),
    );
    println!("{:<24} {supply:>14.2} {turn:>14.2}", "exponent");
}
