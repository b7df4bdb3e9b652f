//! Times of rulings: `cargo bench`. Medians of one run, and as multiples of a hard-coded battle.

mod common;

use casebook::author::check;
use casebook::code::machine::Machine;
use casebook::data::axis::AxisKey;
use casebook::data::table::Table;
use casebook::luck::account::{LuckReport, ProcedureLuck};
use casebook::notation::Dice;
use casebook::odds::seeded_run::run_seed;
use casebook::ruleset::compose::Ruleset;
use casebook::ruling::driver::drive;
use casebook::ruling::session::{Session, WaitingFor};
use casebook::ruling::situation::Situation;
use casebook::situation::dice::{DiceStream, SeededDice};
use casebook::usecase::luck::{LuckSettings, of_session};
use casebook::usecase::settings::CountLimits;
use common::{count_odds, load_situation, median};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A battle as `resolve` runs it, on a warm machine, with a full trace if `trace` is set.
fn battle_run(situation: &Situation, trace: bool) -> impl FnMut() {
    let mut machine = situation.machine();
    let choice_source = situation.choice_source(&[], Arc::default());
    move || {
        machine.trace = trace.then(Vec::new);
        let mut state = situation
            .begin(&mut machine)
            .expect("the procedure is there");
        drop(black_box(
            drive(
                &mut machine,
                &mut state,
                &mut SeededDice::new(1),
                &choice_source,
            )
            .expect("the battle is fought to its end"),
        ));
    }
}

/// Battles sampled in a second on `threads` threads, each with its own dice.
fn sample_rate(situation: &Situation, threads: u64) -> f64 {
    let runs = 10_000;
    let run_on_thread = |thread: u64| {
        let situation = situation.deep_clone();
        let choice_source = situation.choice_source(&[], Arc::default());
        let mut machine = Machine::new(situation.program.clone());
        for seed in 0..runs {
            black_box(
                run_seed(
                    &mut machine,
                    &situation,
                    &choice_source,
                    thread * runs + seed,
                )
                .expect("the battle is fought to its end"),
            );
        }
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        (0..threads).for_each(|thread| drop(scope.spawn(move || run_on_thread(thread))))
    });
    (threads * runs) as f64 / start.elapsed().as_secs_f64()
}

/// The same battle written out in Rust on the same tables: initiative, two supply rolls, die, shift, losses, five units.
/// Gives the points lost by the attacker and the defender.
fn hard_coded_battle(ruleset: &Ruleset) -> impl FnMut() -> [i64; 2] {
    let table = |id: &str| ruleset.table(id).expect("sound").expect("there");
    let (results, attrition, supply) = (
        table("combat-results"),
        table("combat-attrition"),
        table("combat-supply"),
    );
    let dice = Dice::parse("1d6").expect("dice");
    let cell = |table: &Table, at: [Option<AxisKey>; 3]| {
        table
            .find(at)
            .unwrap_or_else(|_| panic!("{} has no such cell", table.id))
    };
    let points = |text: &str| text.parse::<i64>().expect("a number");
    move || {
        let mut stream = SeededDice::new(1);
        let mut roll = |what: &str| dice.total(&stream.throw(&dice, what).expect("a die"));
        assert!(roll("combat initiative: Lee") <= 4, "the attack is made");
        let key = |n: i64| Some(AxisKey::Number(n));
        for (strength, chit) in [(36, 3), (24, 2)] {
            black_box(points(
                &supply.cells[cell(&supply, [key(strength), key(chit), key(roll("supply"))])].text,
            ));
        }
        let die = roll("die");
        let best = (die - 2).max(1)..=(die + 2).min(6);
        let percents = |row: i64| -> Vec<i64> {
            let value = cell(&results, [key(5), key(150), key(row)]);
            results
                .split_cell(&results.cells[value].text)
                .0
                .iter()
                .map(|p| points(p))
                .collect()
        };
        let chosen = best
            .map(percents)
            .max_by_key(|p| p[1] - p[0])
            .expect("a row");
        let forces: [(i64, [i64; 5]); 2] = [(36, [8, 7, 6, 8, 7]), (24, [8, 6, 10, 0, 0])];
        [0, 1].map(|side| {
            let (strength, sizes) = forces[side];
            let lost = points(
                &attrition.cells[cell(&attrition, [None, key(chosen[side]), key(strength)])].text,
            );
            black_box(casebook::code::verbs::arithmetic::spread(
                lost, &sizes, &sizes,
            ));
            lost
        })
    }
}

/// The account of a battle that `luck` makes, with each choice compared with its other options.
fn luck_of_battle(situation: &Situation) -> impl FnMut() -> LuckReport {
    let begin = || Session::begin(situation.deep_clone(), 1, false).expect("it begins");
    let mut played = begin();
    while let WaitingFor::Throw(_) | WaitingFor::Choice(_) = played.waiting_for() {
        if matches!(played.waiting_for(), WaitingFor::Throw(_)) {
            played.roll()
        } else {
            played.choose(0)
        }
        .expect("it goes on");
    }
    let (moves, never) = (played.moves(), AtomicBool::new(false));
    move || {
        let limits = CountLimits::new(Duration::from_secs(60), &never);
        let report =
            of_session(begin(), &moves, &[], &LuckSettings::default(), limits).expect("an account");
        assert!(
            report.procedures.iter().all(ProcedureLuck::is_exact) && report.procedures.len() == 1,
            "all is counted"
        );
        report
    }
}

fn main() {
    let library = casebook::built_in();
    let porter = load_situation(&library, "wbts", &["second-edition"], "lee-attacks-porter");
    let leaders = load_situation(&library, "wbts", &["dye"], "leader-wounded");
    let results = porter
        .ruleset()
        .table("combat-results")
        .expect("sound")
        .expect("there");

    let lost = hard_coded_battle(porter.ruleset())();
    assert!(
        lost.iter().all(|lost| *lost > 0),
        "both sides lose points: {lost:?}"
    );
    let base = median(31, 200, hard_coded_battle(porter.ruleset()));
    let keys = [
        Some(AxisKey::Number(5)),
        Some(AxisKey::Number(150)),
        Some(AxisKey::Number(3)),
    ];
    assert!(results.find(keys).is_ok(), "the cell looked up is there");
    let rows = [
        ("a battle hard-coded in Rust", base),
        (
            "a table look-up in Rust",
            median(31, 10_000, || results.find(black_box(keys))),
        ),
        (
            "the same battle, as resolve plays it",
            median(15, 100, battle_run(&porter, true)),
        ),
        (
            "the same battle without its trace",
            median(15, 100, battle_run(&porter, false)),
        ),
        (
            "reading the game and two variants",
            median(9, 2, || {
                load_situation(&library, "wbts", &["hardy", "dye"], "leader-wounded")
            }),
        ),
        (
            "exact odds of four leaders' fates",
            median(15, 20, || count_odds(&leaders, 2)),
        ),
        (
            "exact odds of the battle",
            median(15, 5, || count_odds(&porter, 2)),
        ),
        (
            "the luck of the battle, choices weighed",
            median(9, 2, luck_of_battle(&porter)),
        ),
        (
            "checking all data",
            median(3, 1, || check::check(&library, &|_| true)),
        ),
    ];
    println!("{:<44} {:>14} {:>12}", "", "median", "x hard-coded");
    for (name, time) in rows {
        println!(
            "{name:<44} {time:>14.2?} {:>12.2}",
            time.as_secs_f64() / base.as_secs_f64()
        );
    }
    println!(
        "{:<44} {:>12.0}/s",
        "sampled battles, two threads",
        sample_rate(&porter, 2)
    );
}
