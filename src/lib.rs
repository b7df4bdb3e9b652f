//! Casebook runs the printed rules of wargames as data.
//!
//! A ruling is a pure function of three inputs: the ruleset in force, the situation, and the stream of dice and choices. Replay,
//! explanation, exact odds, comparison and snapshots all follow from this property.
//!
//! A program that uses this crate loads a [`Library`] of data, selects the rules with a [`RulesetSpec`], builds a [`Situation`] under it,
//! and calls [`resolve`](fn@resolve), [`odds`](fn@odds), [`compare`](fn@compare) or [`check`](fn@check).
//!
//! ```
//! use casebook::{Library, RulesetSpec, Situation, check, odds, resolve};
//! use std::time::Duration;
//!
//! let library = casebook::open("tests/skirmish".as_ref())?;
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
//!     let all: f64 = values.iter().map(|(_, chance)| chance.to_f64()).sum();
//!     assert!((all - 1.0).abs() < 1e-9, "{name} adds up to 1");
//! }
//!
//! assert!(!check(&library).has_errors());
//! # Ok::<(), casebook::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | read what is built in, a folder, or texts in memory | [`built_in`], [`open`], [`from_files`] |
//! | switch variants, options and readings | [`RulesetSpec`] |
//! | set other figures | [`Situation::with_figures`] |
//! | compare rulesets | [`compare`](fn@compare), [`RulesetComparison`] |
//! | get the least and greatest chance over all choices | [`Answers::ranges`] |
//! | give dice of your own, answer choices, play a side by a policy of your own | [`Answers`] |
//! | play step by step, take back, save | [`Play`] |
//!
//! The command line and the workbench are default features, which a library leaves out:
//! `casebook = { version = "0.1", default-features = false }`.
//!
//! # What versions promise
//!
//! Versions follow semver: before 1.0, version 0.2 may break what 0.1 promised, and 0.1.1 may not. So 1.0 and 0.2 are breaking versions,
//! 0.1.1 is not.
//!
//! | of | a version that breaks it | else |
//! |---|---|---|
//! | this crate: what this page shows | is a breaking version | items may be added; what the documentation hides, and the feature `unstable-internals`, promise nothing |
//! | JSON: `--format json`, `/api/v2` and the tools of `casebook mcp` | raises `form` of the output, or the `v2` of the address, and is a breaking version | fields may be added: ignore those you don't know |
//! | journals (`journal: 2`) and packs (`pack: 1`) | raises that number; a file of an older number gets a message that says what to do | a file of the same number stays readable |
//! | a ruling | never: the same data, situation, seed and choices give the same ruling and the same dice | data that ship may be corrected; the notes of a version name each case and figure |
//! | rules, tables, situations, variants | is a breaking version if you have to change your files | keys may be added |
//!
//! # How it is built
//!
//! Where to change what: `.github/CONTRIBUTING.md`, *Where to look*.
//!
//! | crate | contents |
//! |---|---|
//! | `casebook-engine` | The engine of Casebook: from the files of a wargame to a ruling that cites what decided it. |
//! | `casebook-analysis` | Questions about many runs of Casebook: odds, comparisons, luck, balance. |
//! | `casebook-checks` | What authors of rules ask of Casebook: checks, tests, coverage, conflicts, trials, house rules. |
//! | `casebook-view` | What Casebook shows: answers as blocks, and blocks as text and HTML. |
//! | `casebook-workbench` | The workbench of Casebook: pages, HTTP API, static site, and the referee for agents. |
//! | `casebook-editor` | The language server of Casebook. |
//! | `casebook-vassal` | VASSAL's files for Casebook: saved games, modules and logs. |
//!
//! # Modules
//!
//! Each module uses only those above it. They are private: tests and benches of this repository access them through the feature
//! `unstable-internals`.
//!
//! | module | contents |
//! |---|---|
//! | `embedding` | answers and step-by-step play for programs that use the crate |
//! | `command` | command line |

#![forbid(unsafe_code)]
// What this crate shows is its promise; the crates below promise nothing, and comment where a name does not say enough.
#![warn(missing_docs)]

/// All modules are private. Tests and benches of this repository access them, and those of the crates below, through a feature without
/// stability guarantees.
#[path = ""]
mod modules {
    #[cfg(feature = "cli")]
    pub mod command;
    pub mod embedding;

    #[cfg(feature = "unstable-internals")]
    mod crates {
        pub use casebook_analysis::{balance, compare, luck, odds, usecase};
        pub use casebook_checks::{author, conflicts, house, testing, trial};
        #[cfg(feature = "lsp")]
        pub use casebook_editor as lsp;
        pub use casebook_engine::{
            code, complaint, data, notation, platform, ruleset, ruling, situation, syntax,
        };
        #[cfg(feature = "vassal")]
        pub use casebook_vassal as vassal;
        #[cfg(feature = "cli")]
        pub use casebook_view as view;
        #[cfg(feature = "mcp")]
        pub use casebook_workbench::mcp;
        #[cfg(feature = "serve")]
        pub use casebook_workbench::serve;
    }
    #[cfg(feature = "unstable-internals")]
    pub use crates::*;
}

#[doc(hidden)]
#[cfg(feature = "unstable-internals")]
pub use modules::*;
#[cfg(not(feature = "unstable-internals"))]
use modules::*;

/// Runs the program `casebook`; called by the binary.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub fn main() -> std::process::ExitCode {
    command::main()
}

pub use casebook_analysis::compare::causes::Cause;
pub use casebook_analysis::compare::ruleset_difference::RulesetDifference;
pub use casebook_analysis::compare::verdicts::{DifferenceVerdict, OutcomeDifference, ShareChange};
pub use casebook_analysis::compare::view::RulesetView;
pub use casebook_analysis::odds::best_play::OutcomeRange;
pub use casebook_analysis::odds::distribution::Odds;
pub use casebook_analysis::odds::fraction::{Distribution, Fraction};
pub use casebook_analysis::usecase::compare::RulesetComparison;
pub use casebook_engine::complaint::{
    Complaint, Complaints, DiagnosticCode, Error, Place, Severity,
};
pub use casebook_engine::data::library::Library;
pub use casebook_engine::notation::{Dice, Face};
pub use casebook_engine::ruleset::compose::RulesetSpec;
pub use casebook_engine::ruling::resolve::{Ruling, RulingLine, RulingStep};
pub use casebook_engine::ruling::situation::Situation;
pub use embedding::answers::Answers;
pub use embedding::play::{Asked, Play};

use casebook_engine::data::embedded::{Embedded, EmbeddedFile};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The games of this repository, which the build script lists.
#[doc(hidden)]
pub const EMBEDDED: Embedded = Embedded(include!(concat!(env!("OUT_DIR"), "/library.rs")));

/// Returns the games that are built in.
pub fn built_in() -> Arc<Library> {
    Library::built_in(EMBEDDED)
}

/// Opens a data folder over the data that are built in. Errors in the data are in [`Library::complaints`].
pub fn open(folder: &Path) -> Result<Arc<Library>, Error> {
    Library::open(folder, EMBEDDED)
}

/// Reads data from memory, by path, as if they lay in a folder over the data that are built in: a file replaces the built-in one of its path.
/// Fails on what is not a path of a data file.
///
/// ```
/// use casebook::{Answers, RulesetSpec, Situation};
///
/// // A game in memory, by the paths that its files would have in a folder. Your own games stand alone; a library of variants or
/// // situations for a game that is built in lies over it.
/// let library = casebook::from_files([
///     ("rules/race/game.yaml", "game: race\ntitle: A race\nsides: [Red, Blue]\nprocedures: { race: Two dice race. }\n"),
///     ("rules/race/1-race/1-race.rhai", r#"//! case: "1"
/// //! title: The race
/// //! kind: rule
/// //! text: Each side throws a die; more is faster.
///
/// fn race(given) {
///     let red = roll("1d6", "Red");
///     let blue = roll("1d6", "Blue");
///     say("Red throws {}, Blue {}.", [red, blue]);
///     result("winner", if red > blue { "Red" } else if blue > red { "Blue" } else { "none" });
/// }
/// "#),
///     ("scenarios/race/start.yaml", "situation: start\ntitle: The start\nstatus: printed\nprocedure: race\n"),
/// ])?;
/// let situation = Situation::load(&library, &RulesetSpec::new("race", &[]), "start")?;
/// let ruling = Answers::new().dice(&[5, 2]).resolve(&situation)?;
/// assert_eq!(ruling.results["winner"], "Red");
/// assert_eq!(ruling.steps[0].lines[0].cites, ["1"]);
/// # Ok::<(), casebook::Error>(())
/// ```
pub fn from_files<P: Into<String>, T: Into<String>>(
    files: impl IntoIterator<Item = (P, T)>,
) -> Result<Arc<Library>, Error> {
    Library::from_files(files, EMBEDDED)
}

/// Resolves the procedure of a situation with dice from a seed. A choice that the situation does not answer takes its first option, and the
/// ruling says so.
///
/// Fails if the data have errors. A refusal by a rule is not an error; it is recorded in the ruling.
pub fn resolve(situation: &Situation, seed: u64) -> Result<Ruling, Error> {
    Answers::new().seed(seed).resolve(situation)
}

/// Counts the exact odds of all outcomes of a situation's procedure as fractions, on all cores.
///
/// Exactness rests on one assumption: equal states are merged, and they are compared by fingerprint. A fingerprint has 128 bits but
/// combines 64-bit hashes of single values, so two states that differ in one value are distinguished by 64 bits. If the hashes behave like
/// random numbers, the probability of any collision among 10^6 states is at most 2.7 in 10^8 (n^2 / 2 / 2^64); among 10^7 states it is 2.7
/// in 10^6. The hashes are fast and not cryptographic: an adversary can construct colliding texts.
///
/// States that exceed the time limit or a gigabyte of memory are left out. Then [`Odds::is_complete`] returns false, and the probabilities
/// of an outcome do not add up to 1.
pub fn odds(situation: &Situation, time: Duration) -> Result<Odds, Error> {
    Answers::new().odds(situation, time)
}

/// Compares a situation under two rulesets or more, each with the one before: for each outcome whether it differs, by how much, and which
/// cases, figures and readings cause it. What can't be counted in time is compared by runs on the same dice, and the verdict says how sure
/// it is. A ruleset under which a figure is missing is left out, with the reason.
///
/// ```
/// use casebook::{DifferenceVerdict, Library, RulesetSpec, compare};
/// use std::time::Duration;
///
/// let library = casebook::open("tests/skirmish".as_ref())?;
/// let rulesets = [&[][..], &["errata"], &["errata", "winter"]].map(|variants| RulesetSpec::new("skirmish", variants));
/// let (first, _) = &library.scenarios("skirmish")[0];
/// let found = compare(&library, first, &rulesets, Duration::from_secs(10))?;
/// assert!(found.left_out.is_empty());
/// for (pair, difference) in found.views.windows(2).zip(&found.differences) {
///     println!("{} and {}: {:?}", pair[0].title, pair[1].title, difference.verdict());
///     for (outcome, causes) in &difference.causes {
///         println!("  {outcome}: {:?}", causes.iter().flatten().map(|cause| &cause.title).collect::<Vec<_>>());
///     }
/// }
/// assert_eq!(found.differences[0].verdict(), DifferenceVerdict::Differs);
/// # Ok::<(), casebook::Error>(())
/// ```
pub fn compare<'a>(
    library: &Arc<Library>,
    situation: &str,
    rulesets: impl IntoIterator<Item = &'a RulesetSpec>,
    time: Duration,
) -> Result<RulesetComparison, Error> {
    Answers::new().compare(library, situation, rulesets, time)
}

/// Answers a request to the workbench inside a browser: JSON to JSON, as `serve/browser.rs` describes. `now` returns the time since some
/// fixed instant; `report` receives how far a count has come, and returns whether it has to end.
#[doc(hidden)]
#[cfg(all(feature = "web", target_family = "wasm"))]
pub fn answer_in_browser(
    request: &[u8],
    now: fn() -> Duration,
    report: fn(&str, f64, u64) -> bool,
) -> String {
    casebook_workbench::serve::browser::answer(request, EMBEDDED, now, report)
}

/// Without a browser there is nobody to answer.
#[doc(hidden)]
#[cfg(all(feature = "web", not(target_family = "wasm")))]
pub fn answer_in_browser(
    _request: &[u8],
    _now: fn() -> Duration,
    _report: fn(&str, f64, u64) -> bool,
) -> String {
    String::new()
}

/// Validates all data: each file, each layer, each variant alone, and all compatible variants together.
pub fn check(library: &Arc<Library>) -> Complaints {
    casebook_checks::author::check::check(library, &|_| true)
}
