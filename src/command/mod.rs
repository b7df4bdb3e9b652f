//! The command line: argument parsing, and what each subcommand does, in files by subject.
//!
//! | file | what it is |
//! |---|---|
//! | [`remedy`] | what helps, in flags |
//! | [`out`] | sanitised output, as text or JSON |
//! | [`arg_parsers`] | parsers of arguments |
//! | [`ruleset_args`] | arguments of rules, dice, changed figures and output |
//! | [`targets`] | resolves names to a game, situation and ruleset |
//! | [`counting`] | arguments of `odds`, Ctrl-C, progress |
//! | [`vassal`] | `import`, `export`, `new map`: files of VASSAL |
//! | [`resolve`] | `resolve`: a ruling |
//! | [`prompts`] | what `play` says beside a question: what can be typed, and why it is asked |
//! | [`committed_dice`] | dice that a game was committed to before its first throw |
//! | [`opened_game`] | the game that `play` goes on with, and the arguments of `play` |
//! | [`luck_in_play`] | lines on luck in `play` |
//! | [`option_odds`] | `o` in `play`: what each option does to the odds |
//! | [`play`] | `play`: interactive play |
//! | [`compare`] | `compare`: comparison of rulesets |
//! | [`replay`] | `replay`: a journal again, unchanged or with changes |
//! | [`what_if`] | `what-if`: what changes of the rules do, and the variant that keeps them; `undo` |
//! | [`balance`] | `balance`: how a game comes out between styles, and what changes it |
//! | [`games`] | `play --games`, `odds --runs`: many games by policies; `merge` |
//! | [`choices`] | strategies, ranges and matrices of `odds`, and the effect of a case |
//! | [`luck`] | `luck`: what dice and choices did to an outcome, and whether dice are fair |
//! | [`dice`] | `dice`: chances of dice, without data |
//! | [`profile`] | `odds --profile`: where the states of a count arise |
//! | [`odds`] | `odds`: exact chances, or a sample; `odds --rounds` |
//! | [`sweep`] | `--sweep`: odds over the values of one figure, as a table, CSV or JSON |
//! | [`watch`] | `watch`: resolves a situation again after each save |
//! | [`explain`] | `explain`, `guide`, `list --verbs`, `schema`: documentation for authors |
//! | [`show`] | `show` and `list` |
//! | [`check`] | `check`: validation, conflicts between variants, games at random |
//! | [`test`] | `test`: examples and tests of rulings; `coverage`: what none reaches |
//! | [`new`] | `new`: scaffolds files |
//! | [`serve`] | `serve`, `site`, `book`: the workbench in the browser, as static files; the rulebook as HTML |
//! | [`pack`] | `pack` and `unpack`: a variant or a game as one file |
//! | [`answers`] | the schema of all answers, with those of the command line alone |
//! | [`args`] | each subcommand with its arguments |
//! | [`left_out`] | commands and options that a build may leave out, and the line that installs them |
//! | [`deadline`] | the deadline of a command |

// These macros shadow those of `std`: all output is sanitised by `out`.
macro_rules! print { ($($text:tt)*) => { $crate::command::out::stdout(format_args!($($text)*)) }; }
macro_rules! eprint { ($($text:tt)*) => { $crate::command::out::stderr(format_args!($($text)*)) }; }
macro_rules! println { ($($text:tt)*) => { print!("{}\n", format_args!($($text)*)) }; }
macro_rules! eprintln { () => { eprint!("\n") }; ($($text:tt)*) => { eprint!("{}\n", format_args!($($text)*)) }; }

mod answers;
mod arg_parsers;
mod args;
mod balance;
mod check;
mod choices;
mod committed_dice;
mod compare;
mod counting;
mod deadline;
mod dice;
mod explain;
mod games;
mod left_out;
mod luck;
mod luck_in_play;
mod new;
mod odds;
mod opened_game;
mod option_odds;
mod out;
mod pack;
mod play;
mod profile;
mod prompts;
mod remedy;
mod replay;
mod resolve;
mod ruleset_args;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod sweep;
mod targets;
mod test;
#[cfg(feature = "vassal")]
mod vassal;
pub mod watch;
mod what_if;

use crate::EMBEDDED;
use args::{Cli, Command};
use casebook_engine::complaint::Error;
use casebook_engine::complaint::terminal::{self, is_invisible};
use casebook_engine::data::files::Files;
use casebook_engine::data::library::Library;
use casebook_engine::platform::parallel;
use casebook_engine::ruling::terminal_page::TerminalPage;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, Parser};
use games::GamesArgs;
use out::{ComplaintsAnswer, ErrorAnswer};
use out::{DATA_FOLDER, OutputFormat, Printer, print_json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use watch::WatchedSituation;

/// On terminals narrower than this, help is wrapped again, because option names alone take most of a line.
const HELP_WIDTH: usize = 80;

/// Stack size of the worker thread, in bytes.
const STACK_SIZE: usize = 256 << 20;

/// Parses the arguments, runs the command and returns the exit code: 0 for success, 1 for complaints or failed examples, 2 for a usage
/// error, 3 if `what-if` has not decided. If output fails the process exits: silently with 0 after a broken pipe, otherwise with 1.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    if let Some(typed) = std::env::args_os()
        .map(|typed| typed.to_string_lossy().into_owned())
        .find(|typed| typed.contains(is_invisible))
    {
        eprintln!("error: `{typed}` has characters that can't be seen; remove them");
        return ExitCode::from(2);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(message) = left_out::describe_parse_error(&error) {
                eprintln!("error: {message}");
                return ExitCode::from(2);
            }
            let error = about_commas(error);
            match out::terminal_columns().filter(|columns| *columns < HELP_WIDTH) {
                Some(columns) => {
                    print!("{}", out::wrap_lines(&error.render().to_string(), columns))
                }
                None => out::exit_on_error(error.print()),
            }
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    if let (OutputFormat::Text, Some(columns)) = (cli.format, out::terminal_columns()) {
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

/// Says of a variant that stands by itself behind `--with`, and of a die behind `--dice`, how several are written.
fn about_commas(error: clap::Error) -> clap::Error {
    let is_stray = |word: &str| !word.starts_with('-');
    let unexpected = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if error.kind() != ErrorKind::UnknownArgument || !unexpected.is_some_and(|word| is_stray(&word))
    {
        return error;
    }
    let typed: Vec<String> = std::env::args_os()
        .map(|typed| typed.to_string_lossy().into_owned())
        .collect();
    let stray = typed
        .windows(3)
        .find(|words| words[0] == "--with" && is_stray(&words[2]));
    let argument = match typed.iter().position(|word| word == "--dice") {
        Some(flag) => {
            let dice: Vec<&str> = typed[flag + 1..]
                .iter()
                .map(String::as_str)
                .take_while(|word| word.parse::<u64>().is_ok())
                .collect();
            (dice.len() > 1).then(|| {
                format!(
                    "`{}`; separate dice with commas: --dice {}",
                    dice[1],
                    dice.join(",")
                )
            })
        }
        None => stray.map(|words| {
            format!(
                "`{}`; separate variants with commas: --with {},{0}",
                words[2], words[1]
            )
        }),
    };
    argument.map_or(error, |argument| {
        Cli::command().error(
            ErrorKind::UnknownArgument,
            format!("unexpected argument {argument}"),
        )
    })
}

/// Returns whether the arguments parse, without resolving names. Used for fuzzing.
#[cfg(feature = "unstable-internals")]
pub fn parses(typed: &[String]) -> bool {
    Cli::try_parse_from(std::iter::once("casebook").chain(typed.iter().map(String::as_str))).is_ok()
}

fn run_to_exit_code(cli: Cli) -> ExitCode {
    let is_json = cli.format == OutputFormat::Json;
    let (task, _watchdog) = cli.task();
    match task.enter(|| run(cli)) {
        Ok(code) => code,
        Err(error) => {
            let left_out = match &error {
                Error::Unknown { name, .. } => left_out::describe_left_out(name),
                _ => None,
            };
            let error = left_out.map_or(error, Error::Usage);
            let is_usage = matches!(
                error,
                Error::Usage(_)
                    | Error::Unanswered { .. }
                    | Error::Misused { .. }
                    | Error::Unknown { .. }
            );
            match error {
                Error::Data(complaints) if is_json => print_json(&ComplaintsAnswer {
                    complaints: &complaints.0,
                }),
                other if is_json => print_json(&ErrorAnswer {
                    error: other.to_string(),
                    remedy: other.remedy(),
                }),
                Error::Data(complaints) => {
                    eprint!("{}", out::stderr_page().complaints(&complaints))
                }
                other => eprintln!("error: {}", remedy::error_text(&other)),
            }
            ExitCode::from(if is_usage { 2 } else { 1 })
        }
    }
}

fn run(
    #[cfg_attr(not(feature = "vassal"), allow(unused_mut))] mut cli: Cli,
) -> Result<ExitCode, Error> {
    let out = Printer {
        format: cli.format,
        page: TerminalPage::new(out::use_colour(&std::io::stdout())).with_words(remedy::words),
    };
    if out.format == OutputFormat::Csv && !cli.command.sweeps() {
        let message = "--format csv is for a table over the values of a figure, odds SITUATION --sweep 'WHAT: FIGURE=1..20', and for the pieces of a situation, show SITUATION";
        return Err(Error::Usage(message.into()));
    }
    if let Some(contradiction) = cli.command.contradictory_answers() {
        return Err(Error::Usage(contradiction));
    }
    if let Some(result) = run_without_data(&cli, out) {
        return result.map(|()| ExitCode::SUCCESS);
    }
    // A ruling reports only the data that it reaches; `check` reports everything.
    let rules = matches!(
        cli.command,
        Command::Resolve(_)
            | Command::Replay(_)
            | Command::Play(_)
            | Command::Luck(_)
            | Command::Odds(_)
            | Command::Compare(_)
            | Command::WhatIf(_)
            | Command::Pin { .. }
            | Command::Balance(_)
    );
    let files = Files::discover(cli.data.as_deref(), EMBEDDED)?;
    if files.is_cut_short {
        eprintln!(
            "note: the data folder has more files than are read, and some are left out: keep data in a folder of its own"
        );
    }
    let files = if rules { files } else { files.read_all() };
    let root = files.root.clone().unwrap_or_else(|| PathBuf::from("."));
    // These subcommands check or run the user's own files; lookups include the built-in ones.
    let reads_own_data = matches!(
        cli.command,
        Command::Check { .. } | Command::Test { .. } | Command::Coverage { .. }
    );
    let library = Library::new(if reads_own_data {
        files
    } else {
        files.with_built_in()
    });
    let library = Arc::new(if rules {
        library.without_tests()
    } else {
        library
    });
    if let Some(home) = library.files.home() {
        let _ = DATA_FOLDER.set(home);
    }
    #[cfg(feature = "vassal")]
    let saves_journal = cli.command.saves_journal();
    #[cfg(feature = "vassal")]
    let library = match cli.command.saved_game() {
        Some(_) if saves_journal => return Err(Error::Usage(vassal::NO_JOURNAL.into())),
        Some((wanted, args)) => vassal::with_saved_game(&library, wanted, args)?,
        None => library,
    };
    let result = run_command(&library, &root, cli.command, out);
    if rules && result.is_ok() && out.format == OutputFormat::Text {
        if let Some(home) = DATA_FOLDER.get() {
            println!(
                "\n{}",
                out.page.paint("2", &format!("With the data in {home}"))
            );
        }
        if library.complaints.has_errors() {
            eprintln!(
                "\nnote: some of these data can't be used as they are; `casebook check` says which"
            );
        }
    }
    // The process is about to end, so freeing the library would waste time.
    std::mem::forget(library);
    result
}

/// Runs a command that needs no data, or reads them itself; `None` for any other.
fn run_without_data(cli: &Cli, out: Printer) -> Option<Result<(), Error>> {
    if let Some(text) = cli.command.self_description() {
        // The output is for programs, so it bypasses `out`.
        out::exit_on_error(std::io::stdout().write_all(text.as_bytes()));
        return Some(Ok(()));
    }
    Some(match &cli.command {
        Command::Explain { name } => explain::explain(name.as_deref(), out),
        Command::Guide { topic } => explain::guide(topic.as_deref(), out),
        Command::Dice(args) => dice::dice(args, out),
        Command::List { verbs: true, .. } => {
            explain::verbs(out);
            Ok(())
        }
        #[cfg(feature = "lsp")]
        Command::Lsp => casebook_editor::session::serve(cli.data.as_deref(), EMBEDDED),
        #[cfg(feature = "mcp")]
        Command::Mcp => casebook_workbench::mcp::server::serve(cli.data.as_deref(), EMBEDDED),
        #[cfg(all(feature = "serve", feature = "vassal"))]
        Command::Serve {
            game,
            vassal,
            port,
            listen,
            no_open,
        } => {
            let read = |path: &String| vassal::game_to_show(cli.data.as_deref(), path, vassal);
            let saved_game = game.as_ref().map(read).transpose();
            saved_game.and_then(|saved_game| {
                serve::serve(cli.data.as_deref(), saved_game, *listen, *port, !no_open)
            })
        }
        #[cfg(all(feature = "serve", not(feature = "vassal")))]
        Command::Serve {
            port,
            listen,
            no_open,
        } => serve::serve(cli.data.as_deref(), None, *listen, *port, !no_open),
        _ => return None,
    })
}

/// Runs the parsed command.
fn run_command(
    library: &Arc<Library>,
    root: &Path,
    command: Command,
    out: Printer,
) -> Result<ExitCode, Error> {
    let result = match command {
        Command::Resolve(args) => return resolve::resolve(library, args, out),
        Command::Play(args) => {
            let Some(games) = args.games else {
                return play::play(library, &args, out);
            };
            let (overrides, seed) = (args.set.overrides()?, args.seed.unwrap_or(1));
            let played = GamesArgs {
                games,
                shard: args.shard,
                policies: args.policy,
                choices: Vec::new(),
                overrides,
                seed,
                limit: None,
            };
            return games::games(library, &args.situation, &args.ruleset, played, out);
        }
        Command::Merge { parts } => return games::merge(library, &parts, out),
        Command::Replay(args) => return replay::replay(library, &args, out),
        Command::Luck(args) => return luck::luck(library, args, out),
        Command::Odds(args) => match (args.runs, &args.sweep, args.rounds) {
            (Some(games), ..) => {
                let (shard, limit, overrides) = (args.shard, args.limit, args.set.overrides()?);
                let played = GamesArgs {
                    games,
                    shard,
                    policies: args.policy,
                    choices: args.choose,
                    overrides,
                    seed: 1,
                    limit,
                };
                return games::games(library, &args.situation, &args.ruleset, played, out);
            }
            (None, Some(figure), _) => sweep::odds(library, &args, figure, out),
            (None, None, Some(rounds)) => odds::rounds(library, &args, rounds, out),
            (None, None, None) => odds::odds(library, &args, out),
        },
        Command::Compare(args) => match &args.sweep {
            Some(figure) => sweep::compare(library, &args, figure, out),
            None => compare::compare(library, &args, out),
        },
        Command::Balance(args) => return balance::balance(library, args, out),
        Command::WhatIf(args) => return what_if::what_if(library, root, &args, out),
        Command::Pin { because, args } => return resolve::pin(library, root, because, args, out),
        Command::Undo { variant } => what_if::undo(library, root, &variant, out),
        Command::Watch {
            situation,
            ruleset,
            play,
        } => {
            let find = |library: &Library| targets::resolve_target(library, &situation, &ruleset);
            let watched = WatchedSituation {
                find,
                request: || play.request(),
                last: None,
            };
            watch::watch(library.files.root.as_deref(), watched, out)
        }
        Command::Show {
            name,
            script,
            ruleset,
        } => show::show_name(library, &name, script, &ruleset, out),
        Command::List { ruleset, pins, .. } if pins => {
            return show::list_pins(library, &ruleset, out);
        }
        Command::List {
            ruleset, tables, ..
        } => return show::list(library, &ruleset, tables, out),
        Command::Check {
            conflicts: Some(variants),
            patch,
            ..
        } => {
            return check::report_conflicts(library, root, &variants, patch.as_deref(), out);
        }
        Command::Check {
            play: Some(games),
            save,
            limit,
            ..
        } => return check::play(library, (games, limit), save.as_deref(), out),
        Command::Check { .. } => return Ok(check::check(library, out)),
        Command::Test {
            path,
            verbose,
            accept,
            review,
            ..
        } => {
            let accept = test::Accepting::of(accept, review);
            return test::test(library, &path, verbose, accept, out);
        }
        Command::New { target } => return new::new(library, root, target, out),
        Command::Coverage { game, .. } => return test::coverage(library, &game, out),
        Command::Schema {
            name: Some(name), ..
        } => explain::schema(library, &name),
        Command::Schema { .. } => explain::write_schemas(library, root, out),
        Command::Pack { variant, out: file } => pack::pack(library, &variant, file, out),
        Command::Unpack { file } => return pack::unpack(library, root, &file, out),
        #[cfg(feature = "vassal")]
        Command::Import {
            file,
            vassal,
            out: path,
        } => vassal::import(library, &file, &vassal, path.as_deref(), out),
        #[cfg(feature = "vassal")]
        Command::Export { target } => vassal::export(library, &target, out),
        #[cfg(feature = "serve")]
        Command::Site {
            out: folder,
            with,
            base,
            wasm,
        } => serve::site(
            library,
            with.as_deref(),
            wasm.as_deref(),
            &base,
            &folder,
            out,
        ),
        #[cfg(feature = "serve")]
        Command::Book {
            ruleset,
            out: folder,
        } => serve::book(library, &ruleset, &folder, out),
        // They need no data.
        _ => Ok(()),
    };
    result.map(|()| ExitCode::SUCCESS)
}
