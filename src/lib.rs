//! Casebook runs the printed rules of wargames as data.
//!
//! A ruling is a pure function of three things: the ruleset in force, the situation, and the stream of dice and choices.
//! Everything else follows from that: replay, explanation, exact odds, comparison, snapshots.
//!
//! What another program needs stands here: a [`Library`] of data, a [`Wish`] for what is to be in force, a [`Situation`] under it, and
//! [`resolve`], [`odds`] and [`check`].
//!
//! ```
//! use casebook::{Library, Situation, Wish, check, odds, resolve};
//! use std::time::Duration;
//!
//! let library = Library::open("tests/skirmish".as_ref())?;
//! let wish = Wish::of("skirmish", &["errata"]);
//! let (first, _) = &library.scenarios("skirmish")[0];
//! let situation = Situation::of(&library, &wish, first)?;
//!
//! // The same seed is the same game for ever; each line says which cases decided it.
//! let ruling = resolve(&situation, 7)?;
//! let mut lines = ruling.steps.iter().flat_map(|step| &step.lines);
//! assert!(lines.all(|line| !line.cites.is_empty()));
//!
//! // Exact, as long as all of it is counted in time.
//! let odds = odds(&situation, Duration::from_secs(10))?;
//! assert!(odds.complete());
//! for (name, values) in &odds.outcomes {
//!     let all: f64 = values.0.values().map(|chance| chance.share()).sum();
//!     assert!((all - 1.0).abs() < 1e-9, "{name} comes to something");
//! }
//!
//! assert!(!check(&library).any_error());
//! # Ok::<(), casebook::Error>(())
//! ```
//!
//! # The rooms
//!
//! Each leans only on those above it. They are open for the program, its tests and its benches, and may change; their lines say what each
//! costs.
//!
//! | room | lines | what it is |
//! |---|---|---|
//! | [`complaint`] | 400 | what a data author is shown: law, path, line, column, excerpt, remedy |
//! | [`notation`] | 400 | dice, bands, odds, unit values, hexes, turns, case numbers |
//! | [`data`] | 5500 | the files, read: charts, cases, situations, variants |
//! | [`syntax`] | 1100 | what the functions of cases say, parsed |
//! | [`ruleset`] | 1200 | what is in force, who answers what, and the laws of layers |
//! | [`situation`] | 3500 | the board, the dice, whoever chooses, and what happened |
//! | [`code`] | 8700 | cases, made to run |
//! | [`ruling`] | 2700 | a procedure carried out, as a person reads it and as a program does |
//! | [`odds`] | 4800 | what a procedure can come to, and how likely each outcome is |
//! | [`compare`] | 1700 | rulesets side by side, and the amendments that make the difference |
//! | [`reference`] | 1100 | Rhai's own evaluator, which the machine is held against |
//! | [`testing`] | 3000 | examples, tests of rulings, snapshots, and what they reach |
//! | [`author`] | 5500 | complaints, chains of amendments, blank files, a look at each save |
//! | [`conflicts`] | 1200 | how variants get on |
//! | [`lsp`] | 1400 | the editor's server |
//! | [`serve`] | 5600 | the workbench in the browser, and the rulebook as a folder of HTML |
//! | [`command`] | 4900 | the command line |

// The rooms are private. Tests and benches of this repository see them through a feature that promises nothing.
#[cfg(not(feature = "unstable-internals"))]
mod author;
#[cfg(not(feature = "unstable-internals"))]
mod code;
#[cfg(all(feature = "cli", not(feature = "unstable-internals")))]
mod command;
#[cfg(not(feature = "unstable-internals"))]
mod compare;
#[cfg(not(feature = "unstable-internals"))]
mod complaint;
#[cfg(not(feature = "unstable-internals"))]
mod conflicts;
#[cfg(not(feature = "unstable-internals"))]
mod data;
#[cfg(all(feature = "lsp", not(feature = "unstable-internals")))]
mod lsp;
#[cfg(not(feature = "unstable-internals"))]
mod notation;
#[cfg(not(feature = "unstable-internals"))]
mod odds;
#[cfg(not(feature = "unstable-internals"))]
mod reference;
#[cfg(not(feature = "unstable-internals"))]
mod ruleset;
#[cfg(not(feature = "unstable-internals"))]
mod ruling;
#[cfg(all(feature = "serve", not(feature = "unstable-internals")))]
mod serve;
#[cfg(not(feature = "unstable-internals"))]
mod situation;
#[cfg(not(feature = "unstable-internals"))]
mod syntax;
#[cfg(not(feature = "unstable-internals"))]
mod testing;

#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod author;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod code;
#[doc(hidden)]
#[cfg(all(feature = "cli", feature = "unstable-internals"))]
pub mod command;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod compare;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod complaint;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod conflicts;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod data;
#[doc(hidden)]
#[cfg(all(feature = "lsp", feature = "unstable-internals"))]
pub mod lsp;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod notation;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod odds;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod reference;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod ruleset;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod ruling;
#[doc(hidden)]
#[cfg(all(feature = "serve", feature = "unstable-internals"))]
pub mod serve;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod situation;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod syntax;
#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub mod testing;

/// The program `casebook`, for its binary.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub fn main() -> std::process::ExitCode {
    command::main()
}

pub use complaint::{Complaint, Complaints, Error};
pub use data::library::Library;
pub use odds::distribution::Odds;
pub use ruleset::compose::{Ruleset, Wish};
pub use ruling::resolve::Ruling;
pub use ruling::situation::Situation;

use std::sync::Arc;
use std::time::Duration;

/// Carries out the procedure of a situation with the dice of a seed; choices that the situation does not answer are left to their first
/// option, which the ruling says.
///
/// Fails where the data are at fault; a rule that refuses is no failure, but stands in the ruling.
pub fn resolve(situation: &Situation, seed: u64) -> Result<Ruling, Error> {
    let order = ruling::resolve::Order { stream: Box::new(situation::dice::Seeded::new(seed)), ..Default::default() };
    ruling::resolve::resolve(&mut situation.machine(), situation, order).map(|ran| ran.ruling)
}

/// The odds of all outcomes that a situation's procedure names, counted as exact fractions on all cores.
///
/// Exact rests on one assumption: states that look alike are merged, and they are compared by fingerprints. A fingerprint has 128 bits, but is
/// made of hashes of single values that have 64, so two states that differ in one value are told apart by 64 bits. If the hashes scatter
/// like random numbers, some two of 10^6 states are taken for each other with a chance of at most 2.7 in 10^8 (n^2 / 2 / 2^64); of 10^7
/// states, 2.7 in 10^6. The hashes are fast and not cryptographic: texts made on purpose can collide.
///
/// What can't be counted in time, and in a gigabyte of memory, is left out: then [`Odds::complete`] says no, and the chances of an outcome do
/// not add up to 1.
pub fn odds(situation: &Situation, time: Duration) -> Result<Odds, Error> {
    let search = odds::find::Search {
        choices: &[],
        policies: Arc::default(),
        measure: None,
        asked: Default::default(),
        strict: false,
        time,
        memory: odds::bounds::MEMORY,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        stop: &Default::default(),
        progress: &|_, _| {},
    };
    search.count(situation)
}

/// Everything that is wrong with the data: each file by itself, each layer, each variant alone and all that go together.
pub fn check(library: &Arc<Library>) -> Complaints {
    author::check::check(library, None)
}
