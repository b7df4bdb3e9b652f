//! Casebook runs the printed rules of wargames as data.
//!
//! A ruling is a pure function of three things: the ruleset in force, the situation, and the stream of dice and choices.
//! Everything else follows from that: replay, explanation, exact odds, comparison, snapshots.
//!
//! Another program needs a [`Library`] of data, a [`RulesetSpec`] that says what is in force, a [`Situation`] under it, and
//! [`resolve`](fn@resolve), [`odds`](fn@odds) and [`check`](fn@check).
//!
//! ```
//! use casebook::{Library, RulesetSpec, Situation, check, odds, resolve};
//! use std::time::Duration;
//!
//! let library = Library::open("tests/skirmish".as_ref())?;
//! let spec = RulesetSpec::new("skirmish", &["errata"]);
//! let (first, _) = &library.scenarios("skirmish")[0];
//! let situation = Situation::load(&library, &spec, first)?;
//!
//! // The same seed gives the same ruling on every machine; each line cites the cases that decided it.
//! let ruling = resolve(&situation, 7)?;
//! let mut lines = ruling.steps.iter().flat_map(|step| &step.lines);
//! assert!(lines.all(|line| !line.cites.is_empty()));
//!
//! // Exact, as long as everything is counted in time.
//! let odds = odds(&situation, Duration::from_secs(10))?;
//! assert!(odds.is_complete());
//! for (name, values) in &odds.outcomes {
//!     let all: f64 = values.0.values().map(|chance| chance.to_f64()).sum();
//!     assert!((all - 1.0).abs() < 1e-9, "{name} adds up to 1");
//! }
//!
//! assert!(!check(&library).has_errors());
//! # Ok::<(), casebook::Error>(())
//! ```
//!
//! # Where to look
//!
//! | to | look in |
//! |---|---|
//! | read a kind of file, or add a key to one | `data`; its keys stand in `data/format` |
//! | add a verb of scripts | `code/verbs` |
//! | follow a function from text to bytecode | `syntax`, then `code/lower`; the bytecode is `code/bytecode.rs` |
//! | see how bytecode runs and stops | `code/machine/run.rs`, `code/state.rs` |
//! | find out why a line cites a case | `code/provenance.rs`, `code/machine/provenance_tracking.rs`, `ruling/citations.rs` |
//! | change how layers are laid over each other | `ruleset/compose.rs`; their laws are `ruleset/diagnostics.rs` |
//! | see how odds are counted | `odds/explore.rs` (the graph of states), `odds/fold.rs` (its chances) |
//! | see what a command does | `command/mod.rs`, then the file of its name |
//! | change a page or a route | `serve/pages.rs`, `serve/api.rs` |
//! | change what `check` reports | `author/check.rs` |
//!
//! # The rooms
//!
//! Each uses only those above it. They are private: tests and benches of the repository see them through the feature
//! `unstable-internals`.
//!
//! | room | lines | what it is |
//! |---|---|---|
//! | `complaint` | 500 | what a data author is shown: code, path, line, column, excerpt, remedy |
//! | `notation` | 400 | dice, bands, odds, unit values, hexes, turns, case numbers |
//! | `data` | 6500 | the files, read: tables, cases, situations, variants |
//! | `syntax` | 1200 | the functions of cases, parsed to a tree |
//! | `ruleset` | 1300 | what is in force, which layer answers what, and the laws of layers |
//! | `situation` | 3900 | the board, dice, choices, and the trace of what happened |
//! | `code` | 9400 | cases compiled to bytecode, the virtual machine, provenance |
//! | `ruling` | 3000 | a procedure carried out, as text and as data |
//! | `odds` | 4800 | the distribution of outcomes: counted exactly, sampled, or by best play |
//! | `compare` | 1800 | rulesets side by side, and the amendments that make the difference |
//! | `reference` | 1300 | Rhai's own evaluator, against which the machine is tested |
//! | `testing` | 3200 | examples, tests of rulings, snapshots, and what they reach |
//! | `author` | 5800 | validation, chains of amendments, scaffolds, explanations |
//! | `conflicts` | 1200 | how two variants conflict or combine |
//! | `lsp` | 1400 | the language server for editors |
//! | `serve` | 5900 | the workbench in the browser, and the rulebook as a folder of HTML |
//! | `command` | 5200 | the command line |

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
pub use ruleset::compose::{Ruleset, RulesetSpec};
pub use ruling::resolve::Ruling;
pub use ruling::situation::Situation;

use std::sync::Arc;
use std::time::Duration;

/// Carries out the procedure of a situation with the dice of a seed; choices that the situation does not answer are left to their first
/// option, which the ruling says.
///
/// Fails where the data are at fault; a rule that refuses is no failure, but stands in the ruling.
pub fn resolve(situation: &Situation, seed: u64) -> Result<Ruling, Error> {
    let order = ruling::resolve::ResolveRequest { stream: Box::new(situation::dice::SeededDice::new(seed)), ..Default::default() };
    ruling::resolve::resolve(&mut situation.machine(), situation, order).map(|ran| ran.ruling)
}

/// The odds of all outcomes that a situation's procedure names, counted as exact fractions on all cores.
///
/// Exact rests on one assumption: states that look alike are merged, and they are compared by fingerprints. A fingerprint has 128 bits, but is
/// made of hashes of single values that have 64, so two states that differ in one value are told apart by 64 bits. If the hashes scatter
/// like random numbers, some two of 10^6 states are taken for each other with a chance of at most 2.7 in 10^8 (n^2 / 2 / 2^64); of 10^7
/// states, 2.7 in 10^6. The hashes are fast and not cryptographic: texts made on purpose can collide.
///
/// What can't be counted in time, and in a gigabyte of memory, is left out: then [`Odds::is_complete`] says no, and the chances of an outcome do
/// not add up to 1.
pub fn odds(situation: &Situation, time: Duration) -> Result<Odds, Error> {
    let search = odds::query::OddsQuery {
        choices: &[],
        policies: Arc::default(),
        measure: None,
        sample_query: Default::default(),
        strict: false,
        time_limit: time,
        memory: odds::bounds::MEMORY,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        stop: &Default::default(),
        progress: &|_, _| {},
    };
    search.count_only(situation)
}

/// Everything that is wrong with the data: each file by itself, each layer, each variant alone and all that go together.
pub fn check(library: &Arc<Library>) -> Complaints {
    author::check::check(library, None)
}
