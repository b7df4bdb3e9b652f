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
//! | crate | contents |
//! |---|---|
//! | `casebook-engine` | The engine of Casebook: from the files of a wargame to a ruling that cites what decided it. |
//! | `casebook-analysis` | Questions about many runs of Casebook: odds, comparisons, luck, balance. |
//! | `casebook-checks` | What authors of rules ask of Casebook: checks, tests, coverage, conflicts, trials, house rules. |
//! | `casebook-workbench` | The workbench of Casebook: pages, HTTP API, static site, and the referee for agents. |
//! | `casebook-editor` | The language server of Casebook. |
//! | `casebook-vassal` | VASSAL's files for Casebook: saved games, modules and logs. |
//!
//! ## Layers and diagnostics
//!
//! | to | look in |
//! |---|---|
//! | change how layers are merged, and in which order `prior()` goes down them | functions: `ruleset/compose.rs` (the newest layer first, the printed game last); tables and lists: `ruleset/layers.rs`; a change in a table, with its `was:`: `data/table_file.rs`; declarations of a variant: `data/additions.rs` |
//! | order variants; settle options and readings | `ruleset/spec.rs` |
//! | check what a situation names and is given | `ruleset/references.rs` |
//! | check that an amendment does what its kind says | `ruleset/diagnostics.rs` |
//! | report a conflict of two variants | over a function: `ruleset/diagnostics.rs`; over a table cell: `data/table_file.rs`; over a figure of a list: `ruleset/layers.rs`. For `check --conflicts`: over the same cell, figure or function: `conflicts/meeting.rs`; where one writes what the other reads: `conflicts/interactions.rs`; the report: `conflicts/report.rs`; the variant that settles them: `conflicts/patch.rs` |
//! | add or explain a diagnostic code | `complaint/codes.rs`, with an example in `author/code_examples.rs` |
//! | change how a complaint is drawn, or which line it shows | `complaint/render.rs`, `complaint/mod.rs` (`Place`), `complaint/suggestions.rs` (similar names for a misspelt one) |
//! | change what `check` reports | `author/check.rs` (the order of checks), `author/name_checks.rs` (names in YAML), `author/script_checks.rs` (names in scripts), `author/infer` (types), `author/dry_run.rs` (trial runs), `author/headline_checks.rs` (cards) |
//!
//! ## From source to a run
//!
//! | to | look in |
//! |---|---|
//! | compile a function when it is first called | `code/program.rs` |
//! | follow a function from source to bytecode | `syntax/parse.rs`, then `code/lower`: statements, expressions and closures in the files of their names, calls and `prior()` in `calls.rs`; the bytecode is `code/bytecode.rs` |
//! | add a verb of scripts | the table of a file in `code/verbs`: throws, draws, choices and lines: `lines.rs`; changes of the board: `change.rs`; charts: `tables.rs`; examples: `examples.rs`; what a verb may touch: `code/context.rs` |
//! | know what operators and fields of values do | `code/operators.rs`, `code/fields.rs`; values: `situation/value.rs` |
//! | see how bytecode runs and suspends | `code/machine/run.rs`; throws, choices and refusals: `code/machine/requests.rs`; the state: `code/state.rs` |
//! | record what a run does | `situation/trace.rs` (the events) |
//! | see how a board stores its figures and changes | `situation/initial_board.rs`, `situation/board.rs`, `situation/delta.rs` |
//! | set other figures over a situation: `--set`, `with_figures`, the form | `situation/overrides.rs`; the option: `command/ruleset_args.rs` |
//! | change when two states are merged | how a key is made: `odds/explore.rs`; the lookup, and columns that don't count: `odds/state_table.rs`; the fingerprint of a state: `code/state.rs`, of values: `situation/fingerprint.rs`; registers that don't count: `code/lower/liveness.rs`, what is cleared: `code/machine/live_state.rs` |
//! | change what a block that throws is counted once for | what it reads and leaves: `code/machine/entry_tracking.rs`; the count: `odds/block_chances.rs`; which blocks, and when that is worthwhile: `odds/block_table.rs` |
//! | change how much of thrown faces a count tells apart | what a function reads of them: `code/lower/face_reads.rs`; with the values at the throw: `code/machine/hand_reads.rs`; the hands that differ in it: `notation/hand_reads.rs` |
//! | say where states arise, and what keeps them apart | `odds/profile.rs`; names of variables and lines: `code/machine/source_names.rs`; `odds --profile`: `command/profile.rs` |
//! | reuse the results of functions | `code/machine/memo.rs`; of steps between two stops, in sampled runs: `odds/run_sampler.rs`; of odds, between requests: `serve/queries.rs` |
//! | find out why a line cites a case | `ruling/citations.rs` (which sources a line or an outcome shows), `code/machine/provenance_tracking.rs` (how they spread to values), `code/provenance.rs` (where they are kept), `code/lower/data_flow.rs` (where the branches of a function join, so that a condition no longer counts) |
//! | change a limit | memory of a run: `situation/meter.rs`; steps and time: `code/machine/limits.rs`; a count of odds: `odds/bounds.rs`; what the process holds: `platform/memory.rs`; the shared deadline: `platform/task.rs` |
//! | compare the machine with Rhai's evaluator | `tests/oracle`, by what `code/oracle.rs` opens to it |
//!
//! ## Dice, choices and rulings
//!
//! | to | look in |
//! |---|---|
//! | turn a seed or typed faces into throws | `situation/dice.rs`; the message when typed dice don't fit: `ruling/driver.rs`, step by step: `ruling/session.rs`; reading `--dice`: `command/ruleset_args.rs`, the faces of a replay: `ruling/replay.rs`, what is typed in `play`: `command/prompts.rs` |
//! | commit to dice before a game, and verify them after it | `ruling/commitment.rs` (the hash, and the seed from both secrets), `command/committed_dice.rs` (draws and keeps the secret, asks for the other), `ruling/verification.rs` |
//! | draw, move and shuffle cards | a deck and its distribution: `data/deck.rs`; where cards lie: `situation/cards.rs`; drawing: `code/machine/draws.rs`; the verbs: `code/verbs/cards.rs` |
//! | refuse or report missing and reconstructed figures | a read of one: `code/context.rs` (pieces, places, decks), `code/verbs/tables.rs` (charts), in the words of `data/status.rs`; the list of a ruling, and its refusal with `--strict`: `ruling/reconstructed.rs` (in other strict runs the read refuses) |
//! | know what code and data a procedure may use | `code/reachable.rs` |
//! | answer the stops of a run | `ruling/driver.rs` (throws, and the loop of a run), `ruling/choice_source.rs` (choices: typed answers, the situation, policies), `situation/policy.rs` (what a policy says) |
//! | choose by odds | `usecase/weigh.rs` |
//! | change the text or the JSON of a ruling | `ruling/resolve.rs` (its lines), `ruling/render.rs` (the text), `ruling/terminal_page.rs` (its layout), `ruling/json.rs`, `situation/value_text.rs` (values); its headline: `ruling/headline.rs`, that of odds: `odds/headline.rs` |
//! | play, answer step by step, take back | `ruling/session.rs` (`undo`; it also refuses an answer that is not open), `ruling/session/why_not.rs` (the reason), `ruling/session/history.rs` (kept positions), `ruling/session/routine.rs` (secret answers and routine), `ruling/session/walks.rs` (a way over several answers) |
//! | tie a situation to a ruleset | `ruling/situation.rs` |
//! | show a board, or make it a situation to continue from | `ruling/board_view.rs` |
//! | describe a question and its options | `ruling/menu.rs` |
//! | follow the sequence of play | `ruling/turn_sequence.rs` |
//! | save a journal, or play it back | `ruling/journal.rs`; under other rules or with other answers: `ruling/replay.rs`, compared with the original: `usecase/replay.rs` |
//!
//! ## Odds and comparisons
//!
//! | to | look in |
//! |---|---|
//! | count odds, or sample what can't be counted | `odds/query.rs` (which of the two), `odds/count.rs` (threads), `odds/explore.rs` (the state graph), `odds/answer.rs` (the answers of a stop and their weights), `odds/run_sampler.rs` (runs by seeds), `odds/sample.rs` (samples and their error) |
//! | change another part of a count | `odds/return_chances.rs` (calls that throw), `odds/forward.rs` (what a limit cut off), `odds/fold.rs` (the probabilities), `odds/fixed_point.rs` (those with long denominators), `odds/joint.rs` (several outcomes together), `odds/fraction.rs` (exact numbers) |
//! | count rounds that have no end | which registers are counters: `code/lower/counters.rs`; how a state sets them aside: `code/machine/live_state.rs`; what a graph says of them: `odds/counters.rs`; the graph with their numbers: `odds/unroll.rs`; the mean: `odds/counter_means.rs` |
//! | solve states that come again | how they are found while a count explores: `odds/open_states.rs`, `odds/finish.rs`; how they are left: `odds/loop_exits.rs`, by the equations of `odds/component.rs`, solved in `odds/linear.rs` and `odds/modular.rs`; choices in them: `odds/induction.rs`; what a loop makes anew: `situation/board/allocations.rs` |
//! | find the best choices | `odds/best_play.rs`, by the values of `odds/induction.rs`; when which option is taken: `odds/rule_of_thumb.rs`, by `odds/visible_figures.rs`; for each option of a choice in `play`: `command/option_odds.rs`; secret choices of two sides, and their equilibrium: `odds/matrix.rs` |
//! | play many games, or some rounds | `odds/games.rs`, `odds/rounds.rs`; shards: `odds/shards.rs` |
//! | vary one figure | `odds/sweep.rs` |
//! | list what odds rest on | `odds/assumptions.rs` |
//! | change what chances are checked for | `odds/fraction.rs` (where a distribution is made), `odds/joint.rs`, `odds/rounds.rs` |
//! | change how odds are shown | percentages, bars, and what is done with rare values: `odds/bar_chart.rs`, the rest of the text: `command/odds.rs`; on pages: `serve/odds_view.rs`; comparisons: `serve/chart.rs` |
//! | say what dice and choices did to an outcome | `luck/account.rs` (the effects), `luck/stake.rs` (what is measured), `luck/fairness.rs` (whether dice are fair), `luck/render.rs` (the text) |
//! | say which side rules favour, and which amendment does it | `balance/question.rs` (how many games), `balance/attribution.rs` (the causes), `balance/report.rs` (the text) |
//! | compare rulesets | `compare/verdicts.rs` (do they differ), `compare/causes.rs` (why), `compare/switches.rs` (the single differences), `compare/paired_runs.rs` (runs on the same dice), `compare/search.rs` (in which situations) |
//! | change what is asked of a situation: a ruling, odds, a comparison | `usecase`; the answers, policies, dice and limits that go with it: `usecase/settings.rs`; the ruleset: `usecase/rulesets.rs` |
//!
//! ## Examples and tools for authors
//!
//! | to | look in |
//! |---|---|
//! | run examples and tests of rulings | `testing/suite.rs`; examples in scripts: `testing/example_run.rs`; tests in YAML: `testing/test.rs` (reading), `testing/assertions.rs` (checking); snapshots: `testing/snapshot.rs` |
//! | find faults by playing games at random | `trial/trial_games.rs` (the games, and phases that break off), `situation/board_laws.rs` (what is wrong with a board), `trial/witness.rs` (the smallest situation that shows it) |
//! | measure what examples and tests reach | `testing/coverage.rs`; mutation tests: `testing/mutation_steps.rs` (the changes, and those known to make no difference), `testing/mutation.rs` (running them, and whether one was noticed) |
//! | pack a variant or a game into one file, read and check a pack | `author/pack.rs` |
//! | change `explain`, the guide, `show`, `new` | `author/explain.rs` (its words: `author/glossary.rs`; diagnostic codes: `complaint/codes.rs`; verbs: `code/verbs`; keys: `data/format`), `author/guide`, `author/show.rs`, `author/scaffold.rs` (cases and variants), `author/situations.rs`, `author/charts.rs` |
//! | make JSON Schemas of the files | `author/schema.rs` |
//! | change what an editor gets | `lsp`, in the file of its name |
//!
//! ## Surfaces
//!
//! | to | look in |
//! |---|---|
//! | see what a command does | `command/mod.rs` (dispatch, exit status), then the file that the table at its head names; `lsp` and `mcp`: the modules of these names; arguments: `command/args.rs`; output made safe: `command/out.rs`; progress and Ctrl-C: `command/counting.rs` |
//! | change a page | `serve/pages.rs` routes each address to the function that renders it; the frame: `serve/layout.rs` |
//! | change the list of situations, with its small maps | `serve/situation_list.rs` |
//! | change the form of a situation | `serve/situations.rs`, `serve/fields.rs`; what an address holds: `serve/page_request.rs` |
//! | change the map | `situation/map_plan.rs` (positions), `serve/map/drawing.rs` (SVG), `serve/map/counters.rs` (pieces), `serve/map/clicks.rs` (which answer a click gives), `serve/assets/map.js` (in the browser) |
//! | change the table of play | `serve/play/mod.rs`, `serve/play/question.rs` (the open question), `serve/play/log.rs` (what was answered) |
//! | change the rulebook | `serve/book`, in the file of its name: `case.rs`, `table.rs`, `search.rs`, `export.rs` (a folder of HTML) |
//! | reuse data, odds and games between requests | `serve/queries.rs` (when odds are reused), `serve/workbench.rs` (what is kept), `serve/caches.rs` (the caches) |
//! | change the page "What if …?", where rules are changed, tried and kept | `serve/what_if`, in the file of its name; in the browser: `serve/assets/what-if.js`; the text editor: `serve/editor.rs` |
//! | change how a rule is changed, on the page and by `what-if` | the notation of a change: `house/change.rs`; the files that make it: `house/trial.rs`, for a table `house/table_changes.rs`, for a case `author/case_form.rs`; its effect, and the situations that it moves: `house/effect.rs`; what a variant keeps: `house/kept.rs`; a script in words: `author/wording.rs` |
//! | add a route of the API | `serve/routes.rs` (the table), `serve/api.rs` (the answers) |
//! | change how long a request may take, or who may write | `serve/server.rs` |
//! | see how the static site keeps and loads a user's files | `serve/assets/site/storage.js`, `serve/assets/site/engine.js`, `serve/browser.rs` |
//! | add a tool for agents | `mcp/tools.rs`; limits and cancellation of calls: `mcp/server.rs` |
//! | read another grid or trait of VASSAL | `vassal/grid.rs`, `vassal/counter.rs`; what can be wrong with a file: `vassal/fault.rs` |
//! | write a module or a log for VASSAL | `vassal/export.rs`, `vassal/game_log.rs`; how counters move in it: `vassal/counter_moves.rs`; its pictures: `vassal/drawing.rs` |
//! | read a saved game or a module of VASSAL | `vassal/saved_game.rs`, `vassal/module.rs` |
//! | find a saved game's pieces and places in a game | `vassal/mapping.rs` (reads the module map), `vassal/import.rs` (matches pieces, and reports those without a match), `vassal/import_note.rs` (what was left out) |
//! | add to the public API | `lib.rs` and `embedding`; `tests/embed` is a program outside the crate that uses it |
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
    casebook_checks::author::check::check(library, None)
}
