//! What rulings cost: `cargo bench`. Medians of one run, and how many times a hard-coded battle each takes.

use casebook::author::check;
use casebook::code::script::Script;
use casebook::data::axis::Key;
use casebook::data::files::Files;
use casebook::data::library::Library;
use casebook::data::scenario::Scenario;
use casebook::data::table::Table;
use casebook::notation::Dice;
use casebook::odds::count::{Bounds, explore};
use casebook::ruleset::compose::{Ruleset, Wish};
use casebook::ruleset::laws;
use casebook::ruling::resolve::Call;
use casebook::situation::board::Board;
use casebook::situation::dice::{Seeded, Stream};
use casebook::situation::session::Session;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The median time of one call, over batches of `batch` calls.
fn median<T>(batches: usize, batch: usize, mut call: impl FnMut() -> T) -> Duration {
    black_box(call());
    let mut times: Vec<Duration> = (0..batches)
        .map(|_| {
            let start = Instant::now();
            (0..batch).for_each(|_| drop(black_box(call())));
            start.elapsed() / batch as u32
        })
        .collect();
    times.sort();
    times[batches / 2]
}

struct Ready {
    ruleset: Arc<Ruleset>,
    scenario: Scenario,
    script: Script,
}

fn ready(library: &Arc<Library>, with: &[&str], situation: &str) -> Ready {
    let wish = Wish { game: "wbts".into(), with: with.iter().map(|w| w.to_string()).collect(), ..Wish::default() };
    let (ruleset, _) = laws::enact(library, &wish).expect("the data is sound");
    let scenario = ruleset.scenario(situation).expect("the situation is there");
    let ruleset = Arc::new(ruleset);
    Ready { script: Script::new(ruleset.clone()), ruleset, scenario }
}

/// A run as `resolve` plays it, from a board made before; `again` keeps the answers of the run before.
fn battle(ready: &Ready, again: bool) -> impl FnMut() {
    let board = Board::new(&ready.scenario, &ready.ruleset).expect("a board");
    let call = Call::new(&ready.scenario, &ready.ruleset).expect("a procedure");
    move || {
        let session = Session { board: board.clone(), stream: Box::new(Seeded::new(1)), answers: call.answers(&[]), ..Session::default() };
        if again {
            ready.script.again(session)
        } else {
            ready.script.start(session)
        }
        drop(black_box(ready.script.ask(&call.function, vec![call.given.clone()]).expect("the battle is fought to its end")));
    }
}

/// The same battle written out in Rust on the same tables: initiative, two supply rolls, die, shift, losses, five units.
/// Gives the points lost by the attacker and the defender.
fn hard_coded(ruleset: &Ruleset) -> impl FnMut() -> [i64; 2] {
    let table = |id: &str| ruleset.table(id).expect("sound").expect("there");
    let (results, attrition, supply) = (table("combat-results"), table("combat-attrition"), table("combat-supply"));
    let dice = Dice::read("1d6").expect("dice");
    let cell = |table: &Table, at: [Option<Key>; 3]| table.find(at).unwrap_or_else(|_| panic!("{} has no such cell", table.id));
    let points = |text: &str| text.parse::<i64>().expect("a number");
    move || {
        let mut stream = Seeded::new(1);
        let mut roll = |what: &str| stream.throw(&dice, what).expect("a die").total;
        assert!(roll("combat initiative: Lee") <= 4, "the attack is made");
        let key = |n: i64| Some(Key::Number(n));
        for (strength, chit) in [(36, 3), (24, 2)] {
            black_box(points(&supply.cells[cell(&supply, [key(strength), key(chit), key(roll("supply"))])].text));
        }
        let die = roll("die");
        let best = (die - 2).max(1)..=(die + 2).min(6);
        let percents = |row: i64| -> Vec<i64> {
            let found = cell(&results, [key(5), key(150), key(row)]);
            results.split(&results.cells[found].text).0.iter().map(|p| points(p)).collect()
        };
        let chosen = best.map(percents).max_by_key(|p| p[1] - p[0]).expect("a row");
        let forces: [(i64, [i64; 5]); 2] = [(36, [8, 7, 6, 8, 7]), (24, [8, 6, 10, 0, 0])];
        [0, 1].map(|side| {
            let (strength, sizes) = forces[side];
            let lost = points(&attrition.cells[cell(&attrition, [None, key(chosen[side]), key(strength)])].text);
            black_box(casebook::code::verbs::arithmetic::spread(lost, &sizes, &sizes));
            lost
        })
    }
}

fn main() {
    let library = Arc::new(Library::new(Files::built_in()));
    let porter = ready(&library, &["second-edition"], "lee-attacks-porter");
    let leaders = ready(&library, &["dye"], "leader-wounded");
    let results = porter.ruleset.table("combat-results").expect("sound").expect("there");
    let quiet = |_: f64, _: u64| {};
    let never = AtomicBool::new(false);
    let bounds = Bounds { time: Duration::from_secs(60), stop: &never, progress: &quiet };
    let odds = |ready: &Ready| explore(&ready.ruleset, &ready.scenario, &[], false, 2, &bounds).expect("odds");

    let lost = hard_coded(&porter.ruleset)();
    assert!(lost.iter().all(|lost| *lost > 0), "both sides lose points: {lost:?}");
    let base = median(31, 200, hard_coded(&porter.ruleset));
    let look = [Some(Key::Number(5)), Some(Key::Number(150)), Some(Key::Number(3))];
    assert!(results.find(look).is_ok(), "the cell looked up is there");
    let rows = [
        ("a battle hard-coded in Rust", base),
        ("a table look-up in Rust", median(31, 10_000, || results.find(black_box(look)))),
        ("the same battle, as resolve plays it", median(15, 20, battle(&porter, false))),
        ("the same battle, played again and again", median(15, 20, battle(&porter, true))),
        ("making a ruleset answer", median(15, 5, || Script::new(porter.ruleset.clone()))),
        ("reading the game and two variants", median(9, 2, || ready(&library, &["hardy", "dye"], "leader-wounded"))),
        ("exact odds of four leaders' fates", median(9, 2, || odds(&leaders))),
        ("exact odds of the battle", median(5, 1, || odds(&porter))),
        ("checking all data", median(3, 1, || check::check(&library, None))),
    ];
    println!("{:<44} {:>14} {:>12}", "", "median", "x hard-coded");
    for (name, time) in rows {
        println!("{name:<44} {time:>14.2?} {:>12.2}", time.as_secs_f64() / base.as_secs_f64());
    }
}
