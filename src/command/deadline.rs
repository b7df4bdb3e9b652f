//! The deadline of a command, shared by all its threads.

use crate::command::args::{Cli, Command};
use crate::command::counting::COUNT_SECONDS;
use crate::command::out::ErrorAnswer;
use crate::command::out::{OutputFormat, print_json};
use casebook_analysis::odds::bounds::DEFAULT_MEMORY;
use casebook_engine::platform::task::{Task, Watchdog};
use std::time::Duration;

/// The time limit in seconds of a command that has none of its own to set.
const USUAL: u64 = 300;
/// The default time limit in seconds of running all examples.
const EXAMPLES: u64 = 600;
/// The time in seconds for what surrounds a count: reading the rules before it, and printing after it.
const AROUND: u64 = 10;
/// The time in seconds after a deadline at which the process is ended, and the share of the limit that is added to it.
const GRACE: (u64, u64) = (30, 2);

impl Command {
    /// Returns the time limit in seconds; none for a command that waits for people, or whose end the user has left open.
    fn seconds(&self) -> Option<u64> {
        match self {
            Command::Odds(args) => {
                let counts = args.runs.is_none().then_some(COUNT_SECONDS);
                args.limit.or(counts).map(|limit| limit + AROUND)
            }
            Command::Balance(args) => Some(args.seconds + AROUND),
            Command::Compare(args) => Some(args.limit + AROUND),
            Command::WhatIf(args) => Some(args.limit + AROUND),
            Command::Replay(args) => Some(args.limit + USUAL),
            Command::Test { limit, .. } => Some(limit.unwrap_or(EXAMPLES)),
            Command::Check { limit, .. } | Command::Coverage { limit, .. } => Some(*limit),
            Command::Play(_) | Command::Watch { .. } => None,
            #[cfg(feature = "lsp")]
            Command::Lsp => None,
            #[cfg(feature = "mcp")]
            Command::Mcp => None,
            #[cfg(feature = "serve")]
            Command::Serve { .. } | Command::Site { .. } => None,
            _ => Some(USUAL),
        }
    }
}

impl Cli {
    /// Returns the task of the command, and the watchdog that ends the process if something ignores its deadline.
    pub fn task(&self) -> (Task, Watchdog) {
        let (seconds, format) = (self.command.seconds(), self.format);
        let task =
            Task::new(seconds.map(Duration::from_secs), self.memory).with_process(DEFAULT_MEMORY);
        let limit = seconds.unwrap_or_default();
        let grace = Duration::from_secs(GRACE.0 + limit / GRACE.1);
        let watchdog = task.watch(grace, move || {
            let message = format!("the time of {limit} seconds ran out long ago, so Casebook ended the command; no result is kept");
            match format {
                OutputFormat::Json => print_json(&ErrorAnswer { error: message, remedy: None }),
                _ => eprintln!("error: {message}"),
            }
            std::process::exit(1)
        });
        (task, watchdog)
    }
}
