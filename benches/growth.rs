//! How the cost of a ruling grows: with variants in force that amend other cases, with pieces elsewhere on the board, with pieces that fight,
//! with dice. `cargo bench --bench growth` prints the cost of 2, 4 and 8 times as many, and the exponent: 0 is constant, 1 linear.

#[path = "../tests/common/mod.rs"]
mod common;

use casebook::{RulesetSpec, Situation};
use common::Folder;
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Factors of size.
const FACTORS: [usize; 4] = [1, 2, 4, 8];

/// The best time of one call, as other load only adds to it.
fn best_time(mut call: impl FnMut()) -> Duration {
    call();
    let once = |_| {
        let start = Instant::now();
        call();
        start.elapsed()
    };
    (0..60).map(once).min().expect("called at least once")
}

/// The exponent with which times grow: the slope of the line through their logarithms.
fn exponent(times: &[(usize, Duration)]) -> f64 {
    let points: Vec<(f64, f64)> = times
        .iter()
        .map(|(n, time)| ((*n as f64).ln(), time.as_secs_f64().ln()))
        .collect();
    let mean =
        |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let numerator: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    numerator / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

fn print_row(name: &str, time_of: impl Fn(usize) -> Duration) {
    let times: Vec<(usize, Duration)> = FACTORS.iter().map(|n| (*n, time_of(*n))).collect();
    print!("{name:<56}");
    times.iter().for_each(|(_, time)| print!(" {time:>10.1?}"));
    println!(" {:>8.2}", exponent(&times));
}

/// The small game with changes, and its situation under the variants that `write` returns.
fn modified_game(write: impl FnOnce(&Folder) -> Vec<String>) -> (Folder, Situation) {
    let folder = Folder::skirmish();
    let with = write(&folder);
    let library = casebook::open(&folder.0).expect("the folder is there");
    let spec = RulesetSpec::new(
        "skirmish",
        &with.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let situation = Situation::load(&library, &spec, "bridge").expect("the data are sound");
    (folder, situation)
}

fn time_resolve(situation: &Situation) -> Duration {
    best_time(|| {
        drop(black_box(
            casebook::resolve(situation, 1).expect("a ruling"),
        ))
    })
}

fn time_odds(situation: &Situation) -> Duration {
    best_time(|| {
        drop(black_box(
            casebook::odds(situation, Duration::from_secs(60)).expect("odds"),
        ))
    })
}

/// Adds `n` variants, each with a case that has nothing to do with the attack.
fn add_variants(folder: &Folder, n: usize) -> Vec<String> {
    let case = |number: &str, kind: &str, function: &str| {
        format!(
            "//! case: \"{number}\"\n//! title: Something else\n//! kind: {kind}\n//! text: >\n//!   Said of something else.\n\n{function}\n"
        )
    };
    let mut names = Vec::new();
    for i in 0..n {
        let name = format!("other-{i}");
        let after = if i == 0 {
            String::new()
        } else {
            format!("after: [other-{}]\n", i - 1)
        };
        let (kind, function) = match i {
            0 => ("new case", "fn elsewhere(n) { n }".to_string()),
            _ => ("addition", format!("fn elsewhere(n) {{ prior() + {i} }}")),
        };
        let rules = folder.0.join(format!("variants/{name}/rules/09-other"));
        fs::create_dir_all(&rules).expect("a folder");
        fs::write(
            folder.0.join(format!("variants/{name}/variant.yaml")),
            format!("variant: {name}\ntitle: Other\ngame: skirmish\n{after}"),
        )
        .expect("written");
        fs::write(
            rules.join("9.9-elsewhere.rhai"),
            case("9.9", kind, &function),
        )
        .expect("written");
        names.push(name);
    }
    names
}

/// Adds `n` pieces, on other hexes or among those that fight.
fn add_pieces(folder: &Folder, n: usize, at: impl Fn(usize) -> String) {
    let path = folder.0.join("scenarios/skirmish/bridge.yaml");
    let text = fs::read_to_string(&path).expect("the situation");
    let added_lines = (0..n).fold(String::new(), |mut lines, i| {
        let _ = writeln!(
            lines,
            "  - {{ name: Red band {i}, kind: footman, side: Red, value: \"1-2\", at: \"{}\" }}",
            at(i)
        );
        lines
    });
    fs::write(
        path,
        text.replace("given:", &format!("{added_lines}given:")),
    )
    .expect("written");
}

/// Adds `n` single throws before the attack, of which only the sum matters.
fn add_dice(folder: &Folder, n: usize) {
    let path = folder.0.join("rules/skirmish/01-battle/1.1-attack.rhai");
    let text = fs::read_to_string(&path).expect("the case");
    let throws = format!(
        "    let sum = 0;\n    for i in 0..{n} {{ sum += roll(\"1d6\", \"die\", i); }}\n    result(\"sum\", sum);\n"
    );
    fs::write(
        path,
        text.replace(
            "    step(\"Attack\");\n",
            &format!("    step(\"Attack\");\n{throws}"),
        ),
    )
    .expect("written");
}

fn main() {
    println!(
        "{:<56} {:>10} {:>10} {:>10} {:>10} {:>8}",
        "", "1 x", "2 x", "4 x", "8 x", "exponent"
    );
    print_row("a ruling, 1 variant that amends other cases", |n| {
        time_resolve(&modified_game(|folder| add_variants(folder, n)).1)
    });
    print_row("odds, 1 variant that amends other cases", |n| {
        time_odds(&modified_game(|folder| add_variants(folder, n)).1)
    });
    let own_hex = |i: usize| format!("05{:02}", i % 8 + 1);
    print_row("a ruling, 25 pieces elsewhere", |n| {
        time_resolve(&modified_game(|folder| (add_pieces(folder, 25 * n, own_hex), Vec::new()).1).1)
    });
    print_row("odds, 25 pieces elsewhere", |n| {
        time_odds(&modified_game(|folder| (add_pieces(folder, 25 * n, own_hex), Vec::new()).1).1)
    });
    print_row("a ruling, 5 pieces more in the attack", |n| {
        time_resolve(
            &modified_game(|folder| (add_pieces(folder, 5 * n, |_| "0201".into()), Vec::new()).1).1,
        )
    });
    print_row("odds, 2 dice one after the other", |n| {
        time_odds(&modified_game(|folder| (add_dice(folder, 2 * n), Vec::new()).1).1)
    });
}
