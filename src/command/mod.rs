//! The command line: argument parsing, and one file per command.
//!
//! | file | what it is |
//! |---|---|
//! | [`out`] | sanitised output |
//! | [`arg_parsers`] | parsers of `NAME=VALUE` |
//! | [`numbers`] | numeric arguments with their ranges |
//! | [`vassal_args`] | arguments that say how a saved game of VASSAL is read |
//! | [`ruleset_args`] | arguments that select rules, dice and output |
//! | [`luck_args`] | arguments of `casebook luck` |
//! | [`new_args`] | arguments of `casebook new` |
//! | [`balance_args`] | arguments of `casebook balance` |
//! | [`args`] | arguments of `casebook` |
//! | [`targets`] | resolves names to a game, situation and ruleset |
//! | [`counting`] | arguments of counts, Ctrl-C, progress |
//! | [`deadline`] | the deadline of a command |
//! | [`comparison_tables`] | text tables of a comparison |
//! | [`vassal`] | `import`, `export`, `new map`: files of VASSAL |
//! | [`resolve`] | `resolve`: a ruling |
//! | [`why`] | why a question is asked, and why an answer is not allowed |
//! | [`committed_dice`] | dice that a game was committed to before its first throw |
//! | [`opened_game`] | the game that `play` goes on with |
//! | [`prompts`] | what is said beside a throw, and the faces that are typed |
//! | [`luck_in_play`] | lines on luck in `play` |
//! | [`play`] | `play`: interactive play |
//! | [`games`] | `play --games`: many games by policies; `merge` |
//! | [`replay`] | `replay`: a journal again, unchanged or with changes |
//! | [`compare`] | `compare`: comparison of rulesets |
//! | [`balance`] | `balance`: how a game comes out between styles, and what changes it |
//! | [`choices`] | strategies, ranges and matrices of `odds`, and the effect of a case |
//! | [`luck`] | `luck`: what dice and choices did to an outcome, and whether dice are fair |
//! | [`odds`] | `odds`: exact chances, or a sample |
//! | [`rounds`] | `odds --rounds`: odds after a number of rounds of a game |
//! | [`sweep`] | `--sweep`: odds over the values of one figure, as a table, CSV or JSON |
//! | [`watch`] | `watch`: resolves a situation again after each save |
//! | [`explain`] | `explain`, `guide`, `list --verbs`, `schema`: documentation for authors |
//! | [`show`] | `show` and `list` |
//! | [`check`] | `check`: validation, and conflicts between variants |
//! | [`test`] | `test`: examples and tests of rulings |
//! | [`coverage`] | `coverage`: what no example reaches |
//! | [`new`] | `new`: scaffolds files |
//! | [`serve`] | `serve`: the workbench in the browser |
//! | [`site`] | `site`: the workbench as static files |
//! | [`book`] | `book`: the rulebook as a folder of HTML |
//! | [`pack`] | `pack` and `unpack`: a variant as one file |
//! | [`about`] | `completions`, `man`, `schema`: output that describes the program itself |

// These macros shadow those of `std`: all output is sanitised by `out`.
macro_rules! print { ($($text:tt)*) => { $crate::command::out::stdout(format_args!($($text)*)) }; }
macro_rules! eprint { ($($text:tt)*) => { $crate::command::out::stderr(format_args!($($text)*)) }; }
macro_rules! println { ($($text:tt)*) => { print!("{}\n", format_args!($($text)*)) }; }
macro_rules! eprintln { () => { eprint!("\n") }; ($($text:tt)*) => { eprint!("{}\n", format_args!($($text)*)) }; }

mod about;
mod arg_parsers;
mod args;
mod balance;
mod balance_args;
#[cfg(feature = "serve")]
mod book;
mod check;
mod choices;
mod committed_dice;
mod compare;
mod comparison_tables;
mod counting;
mod coverage;
mod deadline;
mod explain;
mod games;
mod luck;
mod luck_args;
mod luck_in_play;
mod new;
mod new_args;
mod numbers;
mod odds;
mod opened_game;
mod out;
mod pack;
mod play;
mod prompts;
mod replay;
mod resolve;
mod rounds;
mod ruleset_args;
#[cfg(feature = "serve")]
mod serve;
mod show;
#[cfg(feature = "serve")]
mod site;
mod sweep;
mod targets;
mod test;
#[cfg(feature = "vassal")]
mod vassal;
#[cfg(feature = "vassal")]
mod vassal_args;
pub mod watch;
mod why;

use crate::complaint::Error;
use crate::complaint::terminal::{self, is_invisible};
use crate::data::files::Files;
use crate::data::library::Library;
use crate::odds::bounds::DEFAULT_MEMORY;
use crate::platform::parallel;
use crate::ruling::json::answer_json;
use crate::ruling::terminal_page::TerminalPage;
use crate::situation::overrides::{Overrides, Sweep};
use crate::usecase::settings::{DiceSource, SituationSettings};
use args::{Cli, Command, OutputArgs, OutputFormat, OverArgs, Printed, RulesetArgs};
use clap::Parser;
use resolve::ResolveArgs;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use watch::{WatchStyle, WatchedSituation};

/// On terminals narrower than this, help is wrapped again, because option names alone take most of a line.
const HELP_WIDTH: usize = 80;

/// Stack size of the worker thread, in bytes.
const STACK_SIZE: usize = 256 << 20;

/// Parses the arguments, runs the command and returns the exit code: 0 for success, 1 for complaints or failed examples, 2 for a usage
/// error. If output fails the process exits silently: with 0 after a broken pipe, otherwise with 1.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    if let Some(typed) = std::env::args_os().map(|typed| typed.to_string_lossy().into_owned()).find(|typed| typed.contains(is_invisible)) {
        eprintln!("error: `{typed}` has characters that can't be seen; remove them");
        return ExitCode::from(2);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(said) => {
            match out::terminal_columns().filter(|columns| *columns < HELP_WIDTH) {
                Some(columns) => print!("{}", out::wrap_lines(&said.render().to_string(), columns)),
                None => out::exit_on_error(said.print()),
            }
            return ExitCode::from(said.exit_code() as u8);
        }
    };
    if let (Printed::Text, Some(columns)) = (cli.format, out::terminal_columns()) {
        terminal::set_terminal_width(columns);
    }
    // Deeply nested scripts must hit the limits of the machine before this thread's stack overflows.
    match parallel::on_deep_stack(STACK_SIZE, move || run_to_exit_code(cli)) {
        Ok(code) => code.unwrap_or(ExitCode::from(1)),
        Err(error) => {
            eprintln!("error: the system has no memory or no thread left for this: {error}");
            ExitCode::from(1)
        }
    }
}

/// Returns whether the arguments parse, without resolving names. Used for fuzzing.
#[cfg(feature = "unstable-internals")]
pub fn parses(typed: &[String]) -> bool {
    Cli::try_parse_from(std::iter::once("casebook").chain(typed.iter().map(String::as_str))).is_ok()
}

fn run_to_exit_code(cli: Cli) -> ExitCode {
    let (format, colour) = (cli.format.format(), out::use_colour(&std::io::stderr()));
    let (task, _watchdog) = cli.task();
    match task.enter(|| run(cli)) {
        Ok(code) => code,
        Err(error) => {
            match (&error, format) {
                (Error::Data(complaints), OutputFormat::Json) => print_json(&json!({ "complaints": complaints.0 })),
                (other, OutputFormat::Json) => print_json(&json!({ "error": other.to_string() })),
                (Error::Data(complaints), OutputFormat::Text) => eprint!("{}", complaints.render(colour)),
                (other, OutputFormat::Text) => eprintln!("error: {other}"),
            }
            ExitCode::from(if matches!(error, Error::Usage(_) | Error::Misused { .. } | Error::Unknown { .. }) { 2 } else { 1 })
        }
    }
}

fn run(#[cfg_attr(not(feature = "vassal"), allow(unused_mut))] mut cli: Cli) -> Result<ExitCode, Error> {
    let (format, colour) = (cli.format.format(), out::use_colour(&std::io::stdout()));
    let csv = cli.format == Printed::Csv;
    if csv && !matches!(cli.command, Command::Odds { over: OverArgs { sweep: Some(_), .. }, .. } | Command::Compare { sweep: Some(_), .. })
    {
        return Err(Error::Usage(
            "--format csv is for a table over the values of a figure: odds SITUATION --sweep 'WHAT: FIGURE=1..20'".into(),
        ));
    }
    if let Some(contradiction) = cli.command.contradictory_answers() {
        return Err(Error::Usage(contradiction));
    }
    match &cli.command {
        Command::Explain { name } => return explain::explain(name.as_deref(), format),
        Command::Guide { topic } => return explain::guide(topic.as_deref(), format),
        Command::List { verbs: true, .. } => return explain::verbs(format),
        #[cfg(feature = "lsp")]
        Command::Lsp => return crate::lsp::session::serve(cli.data.as_deref()).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "mcp")]
        Command::Mcp => return crate::mcp::server::serve(cli.data.as_deref()).map(|()| ExitCode::SUCCESS),
        _ => {}
    }
    #[cfg(feature = "serve")]
    if let Command::Serve { port, listen, no_open, .. } = &cli.command {
        #[cfg(feature = "vassal")]
        let saved_game = vassal::game_to_show(&cli)?;
        #[cfg(not(feature = "vassal"))]
        let saved_game = None;
        return serve::serve(cli.data.as_deref(), saved_game, *listen, *port, !no_open);
    }
    if let Some(text) = about::self_description(&cli.command) {
        // The output is for programs, so it bypasses `out`.
        out::exit_on_error(std::io::stdout().write_all(text.as_bytes()));
        return Ok(ExitCode::SUCCESS);
    }
    // A ruling reports only the data that it reaches; `check` reports everything.
    let rules = matches!(
        cli.command,
        Command::Resolve { .. }
            | Command::Replay { .. }
            | Command::Play { .. }
            | Command::Luck(_)
            | Command::Odds { .. }
            | Command::Compare { .. }
            | Command::Balance(_)
    );
    let files = Files::discover(cli.data.as_deref())?;
    let files = if rules { files } else { files.read_all() };
    let root = files.root.clone().unwrap_or_else(|| PathBuf::from("."));
    // These subcommands check or run the user's own files; lookups include the built-in ones.
    let own = matches!(cli.command, Command::Check { .. } | Command::Test { .. } | Command::Coverage { .. });
    let library = Library::new(if own { files } else { files.with_built_in() });
    let library = Arc::new(if rules { library.without_tests() } else { library });
    if let Some(home) = library.files.home() {
        let _ = DATA_FOLDER.set(home);
    }
    #[cfg(feature = "vassal")]
    #[cfg(feature = "vassal")]
    let saves_journal = cli.command.saves_journal();
    #[cfg(feature = "vassal")]
    let library = match cli.command.saved_game() {
        Some(_) if saves_journal => return Err(Error::Usage(vassal::NO_JOURNAL.into())),
        Some((wanted, args)) => vassal::with_saved_game(&library, wanted, args)?,
        None => library,
    };
    let done = run_command(&library, &root, cli, format, colour);
    if let (true, Ok(_), OutputFormat::Text, false) = (rules, &done, format, csv) {
        if let Some(home) = DATA_FOLDER.get() {
            println!("\n{}", TerminalPage { colour }.paint("2", &format!("With the data in {home}")));
        }
        if library.complaints.has_errors() {
            eprintln!("\nnote: some of these data can't be used as they are; `casebook check` says which");
        }
    }
    // The process is about to end, so freeing the library would waste time.
    std::mem::forget(library);
    done
}

/// Runs the parsed command.
fn run_command(library: &Arc<Library>, root: &Path, cli: Cli, format: OutputFormat, colour: bool) -> Result<ExitCode, Error> {
    let memory = cli.memory.unwrap_or(DEFAULT_MEMORY);
    match cli.command {
        Command::Resolve {
            situation,
            ruleset,
            play,
            set,
            trace,
            shown,
            reference,
            save,
            pin,
            save_situation,
            #[cfg(feature = "vassal")]
            vlog,
        } => {
            let play = ResolveArgs {
                args: play,
                overrides: set.overrides()?,
                trace,
                output: shown,
                reference,
                save,
                pin,
                save_situation,
                #[cfg(feature = "vassal")]
                log: vlog.map(|out| (set.vassal.clone(), out)),
            };
            resolve::resolve(library, &situation, &ruleset, play, format, colour)
        }
        Command::Play { situation, ruleset, set, policy, seed, games: Some(games), shard, .. } => {
            let ask = games::GamesArgs {
                games,
                shard,
                policies: policy,
                choices: Vec::new(),
                overrides: set.overrides()?,
                seed: seed.unwrap_or(1),
                limit: None,
            };
            games::games(library, &situation, &ruleset, ask, format, TerminalPage { colour })
        }
        Command::Merge { parts } => games::merge(library, &parts, format, TerminalPage { colour }),
        Command::Play { situation, ruleset, set, policy, seed, strict, save, save_situation, commit, .. } => {
            let overrides = set.overrides()?;
            let ask = opened_game::PlayArgs { overrides, policies: policy, seed, memory, strict, save, save_situation, commit };
            play::play(library, &situation, &ruleset, ask, format, TerminalPage { colour })
        }
        Command::Replay { journal, ruleset, change, trace, strict, save, verify, limit } => {
            let ask = replay::ReplayArgs { changes: change, trace, strict, save, verify, seconds: limit, memory };
            replay::replay(library, &journal, &ruleset, &ask, format, TerminalPage { colour })
        }
        Command::Luck(ask) => luck::luck(library, ask, memory, format, TerminalPage { colour }),
        Command::Odds { situation, ruleset, set, choose, policy, runs: Some(games), shard, limit, .. } => {
            let ask = games::GamesArgs { games, shard, policies: policy, choices: choose, overrides: set.overrides()?, seed: 1, limit };
            games::games(library, &situation, &ruleset, ask, format, TerminalPage { colour })
        }
        Command::Odds {
            situation,
            ruleset,
            set,
            over,
            choose,
            given,
            joint,
            exact,
            shown,
            strict,
            policy,
            measure,
            matrix,
            by,
            after,
            limit,
            ..
        } => {
            let joint = joint.into_iter().map(|name| name.trim().to_string()).collect();
            let limit = limit.unwrap_or(deadline::COUNT);
            let overrides = set.overrides()?;
            let sweep = over.sweep.map(|(name, values)| Sweep::read(&name, &values)).transpose()?;
            let ask = counting::OddsArgs {
                overrides,
                settings: SituationSettings { choices: choose, policies: policy, measure, matrix, strict },
                conditions: given,
                joint,
                exact,
                output: shown,
                effect_of: by,
                after_moves: after,
                limits: (limit, memory),
            };
            match (sweep, over.rounds) {
                (Some(figure), _) => sweep::odds(library, &situation, &ruleset, (&ask, figure), cli.format, TerminalPage { colour }),
                (None, Some(rounds)) => rounds::odds(library, &situation, &ruleset, (&ask, rounds), format, TerminalPage { colour }),
                (None, None) => odds::odds(library, &situation, &ruleset, &ask, format, colour),
            }
        }
        Command::Compare { situation, with, set, sweep, readings, search, shard, option, choose, seed, dice, shown, game, limit } => {
            let overrides = set.overrides()?;
            let sweep = sweep.map(|(name, values)| Sweep::read(&name, &values)).transpose()?;
            let ask = compare::CompareArgs {
                overrides,
                rulesets: with,
                readings,
                search,
                shard,
                settings: SituationSettings { choices: choose, ..SituationSettings::default() },
                dice: DiceSource::new(seed, dice.as_deref()),
                output: shown,
                limits: (limit, memory),
            };
            let args = RulesetArgs { option, game, ..RulesetArgs::default() };
            match sweep {
                Some(figure) => sweep::compare(library, &situation, &args, (&ask, figure), cli.format, TerminalPage { colour }),
                None => compare::compare(library, &situation, &args, &ask, format, TerminalPage { colour }),
            }
        }
        Command::Balance(ask) => {
            let overrides = ask.set.overrides()?;
            balance::balance(library, ask, overrides, memory, format, TerminalPage { colour })
        }
        Command::Watch { situation, ruleset, play } => {
            let play = ResolveArgs {
                args: play,
                overrides: Overrides::default(),
                trace: false,
                output: OutputArgs::default(),
                reference: false,
                save: None,
                pin: None,
                save_situation: None,
                #[cfg(feature = "vassal")]
                log: None,
            };
            let watched = WatchedSituation {
                find: |library: &Library| targets::resolve_target(library, &situation, &ruleset),
                request: || play.request(),
                last: None,
            };
            watch::watch(library.files.root.as_deref(), watched, WatchStyle { json: format == OutputFormat::Json, colour })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Show { name, script, ruleset } => show::show_name(library, &name, script, &ruleset, format),
        Command::List { ruleset, tables, .. } => show::list(library, &ruleset, tables, format),
        Command::Check { conflicts: Some(variants), patch, .. } => {
            check::report_conflicts(library, root, &variants, patch.as_deref(), format, colour)
        }
        Command::Check { play: Some(games), save, limit, .. } => check::play(library, (games, limit), save.as_deref(), format, colour),
        Command::Check { .. } => Ok(check::check(library, format, colour)),
        Command::Test { path, mutants: true, .. } => test::test_mutants(library, &path, format, colour),
        Command::Test { path, verbose, accept, .. } => test::test(library, &path, verbose, accept, format, colour),
        Command::New { what } => new::new(library, root, what, format, colour),
        Command::Coverage { game, .. } => coverage::coverage(library, &game, format, colour),
        Command::Schema { name: Some(name), .. } => explain::schema(library, &name),
        Command::Schema { .. } => explain::write_schemas(library, root, format),
        Command::Explain { .. } | Command::Guide { .. } | Command::Completions { .. } | Command::Man => Ok(ExitCode::SUCCESS),
        #[cfg(feature = "lsp")]
        Command::Lsp => Ok(ExitCode::SUCCESS),
        #[cfg(feature = "mcp")]
        Command::Mcp => Ok(ExitCode::SUCCESS),
        Command::Pack { variant, out } => pack::pack(library, &variant, out, format),
        Command::Unpack { file } => pack::unpack(library, root, &file, format, colour),
        #[cfg(feature = "vassal")]
        Command::Import { file, vassal, out } => vassal::import(library, &file, &vassal, out.as_deref(), format),
        #[cfg(feature = "vassal")]
        Command::Export { what } => vassal::export(library, &what, format),
        #[cfg(feature = "serve")]
        Command::Site { out, with, base, wasm } => site::site(library, with.as_deref(), wasm.as_deref(), &base, &out, format),
        #[cfg(feature = "serve")]
        Command::Book { ruleset, out } => book::write_book(library, &ruleset, &out, format),
        #[cfg(feature = "serve")]
        Command::Serve { .. } => Ok(ExitCode::SUCCESS),
    }
}

/// The folder of the data that are not built in.
static DATA_FOLDER: OnceLock<String> = OnceLock::new();

/// Prints an answer as JSON, with the format version and the data folder.
fn print_json(value: &serde_json::Value) {
    println!("{:#}", answer_json(value.clone(), DATA_FOLDER.get().map(String::as_str)));
}
