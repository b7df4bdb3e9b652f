//! The command line: what can be typed, and a file for each command.
//!
//! | file | what it is |
//! |---|---|
//! | [`args`] | what can be typed after `casebook` |
//! | [`meant`] | which game, situation and ruleset are meant |
//! | [`counting`] | what was asked, Ctrl-C, progress |
//! | [`resolve`] | `resolve`: a ruling |
//! | [`play`] | `play`: a ruling, asked step by step |
//! | [`replay`] | `replay`: a journal again, as it was or otherwise |
//! | [`choices`] | what `odds` adds where sides choose |
//! | [`odds`] | `odds`: exact chances, or a sample |
//! | [`compare`] | `compare`: rulesets side by side |
//! | [`watch`] | `watch`: a situation carried out anew at each save |
//! | [`explain`] | `explain`, `guide`, `list --verbs`, `schema`: how rules are written |
//! | [`show`] | `show` and `list` |
//! | [`check`] | `check`: complaints, and how variants get on |
//! | [`test`] | `test`: examples and tests of rulings |
//! | [`coverage`] | `coverage`: what no example reaches |
//! | [`new`] | `new`: files laid out to fill in |

mod args;
mod check;
mod choices;
mod compare;
mod counting;
mod coverage;
mod explain;
mod meant;
mod new;
mod odds;
mod play;
mod replay;
mod resolve;
mod show;
mod test;
pub mod watch;

use crate::complaint::Error;
use crate::data::files::Files;
use crate::data::library::Library;
use crate::ruling::page::Page;
use args::{Cli, Command, Format, RulesetArgs};
use clap::Parser;
use resolve::Play;
use serde_json::json;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use watch::{Look, Watched};

/// Parses what was typed, carries it out, and says how it went: 0 fine, 1 complaints or failed examples, 2 usage.
pub fn main() -> ExitCode {
    // Whoever reads the output may have had enough of it: `casebook odds ... | head`.
    std::panic::set_hook(Box::new(|panic| match panic.to_string() {
        text if text.contains("Broken pipe") => std::process::exit(0),
        text => eprintln!("{text}"),
    }));
    let cli = Cli::parse();
    // Scripts may nest deeply; the limits of the host, not the stack of this thread, are to stop them.
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(move || finish(cli));
    worker.ok().and_then(|thread| thread.join().ok()).unwrap_or(ExitCode::from(1))
}

fn finish(cli: Cli) -> ExitCode {
    let (format, colour) = (cli.format, std::io::stderr().is_terminal());
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            match (&error, format) {
                (Error::Data(complaints), Format::Json) => print_json(&json!({ "complaints": complaints.0 })),
                (other, Format::Json) => print_json(&json!({ "error": other.to_string() })),
                (Error::Data(complaints), Format::Text) => eprint!("{}", complaints.render(colour)),
                (other, Format::Text) => eprintln!("error: {other}"),
            }
            ExitCode::from(if matches!(error, Error::Usage(_) | Error::Unknown { .. }) { 2 } else { 1 })
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode, Error> {
    let (format, colour) = (cli.format, std::io::stdout().is_terminal());
    match &cli.command {
        Command::Explain { name } => return explain::explain(name.as_deref(), format),
        Command::Guide { topic } => return explain::guide(topic.as_deref(), format),
        Command::List { verbs: true, .. } => return explain::verbs(format),
        #[cfg(feature = "lsp")]
        Command::Lsp => return crate::lsp::session::serve(cli.data.as_deref()).map(|()| ExitCode::SUCCESS),
        Command::Schema { name, write: false } => return explain::schema(name.as_deref(), format),
        _ => {}
    }
    let library = Arc::new(Library::new(Files::find(cli.data.as_deref())?));
    let root = cli.data.clone().unwrap_or_else(|| PathBuf::from("."));
    match cli.command {
        Command::Resolve { situation, ruleset, play, trace, save, pin, save_situation } => {
            let play = Play { args: play, trace, save, pin, save_situation };
            resolve::resolve(&library, &situation, &ruleset, play, format, colour)
        }
        Command::Play { situation, ruleset, policy, seed, strict, save, save_situation } => {
            let ask = play::Ask { policy, seed, strict, save, save_situation };
            play::play(&library, &situation, &ruleset, ask, format, Page { colour })
        }
        Command::Replay { journal, ruleset, change, trace, strict, save, limit } => {
            let ask = replay::Ask { change, trace, strict, save, limit };
            replay::replay(&library, &journal, &ruleset, &ask, format, Page { colour })
        }
        Command::Odds { situation, ruleset, choose, given, exact, strict, policy, measure, matrix, by, after, limit } => {
            let ask = counting::Ask { choose, given, exact, strict, policy, measure, matrix, by, after, limit };
            odds::odds(&library, &situation, &ruleset, &ask, format, colour)
        }
        Command::Compare { situation, with, readings, search, option, choose, seed, dice, game, limit } => {
            let ask = compare::Ask { with, readings, search, choose, seed, dice, limit };
            let args = RulesetArgs { option, game, ..RulesetArgs::default() };
            compare::compare(&library, &situation, &args, &ask, format, Page { colour })
        }
        Command::Watch { situation, ruleset, play } => {
            let play = Play { args: play, trace: false, save: None, pin: None, save_situation: None };
            let watched =
                Watched { find: |library: &Library| meant::meant(library, &situation, &ruleset), order: || play.order(), last: None };
            watch::watch(cli.data.as_deref(), watched, Look { json: format == Format::Json, colour })?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Show { name, ruleset } => show::shown(&library, &name, &ruleset, format),
        Command::List { ruleset, .. } => show::list(&library, &ruleset, format),
        Command::Check { conflicts: Some(variants), patch } => check::held(&library, &root, &variants, patch.as_deref(), format, colour),
        Command::Check { .. } => Ok(check::check(&library, format, colour)),
        Command::Test { path, verbose, accept } => test::test(&library, &path, verbose, accept, format, colour),
        Command::New { what } => new::new(&library, &root, what, format, colour),
        Command::Coverage { game } => coverage::coverage(&library, &game, format, colour),
        Command::Schema { .. } => explain::lay_out(&root, format),
        Command::Explain { .. } | Command::Guide { .. } => Ok(ExitCode::SUCCESS),
        #[cfg(feature = "lsp")]
        Command::Lsp => Ok(ExitCode::SUCCESS),
    }
}

fn print_json(value: &serde_json::Value) {
    println!("{value:#}");
}
