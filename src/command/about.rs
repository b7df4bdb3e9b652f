//! Output that describes the program itself: shell completions, the manual, the schema of its JSON.

use crate::command::args::{Cli, Command};
use clap::CommandFactory;

/// Returns the text of such a command; `None` for any other command.
pub fn self_description(command: &Command) -> Option<String> {
    let mut text = Vec::new();
    match command {
        Command::Completions { shell } => clap_complete::generate(*shell, &mut Cli::command(), "casebook", &mut text),
        Command::Man => {
            let mut all = Cli::command();
            all.build();
            for page in std::iter::once(&all).chain(all.get_subcommands()) {
                // Writing to memory does not fail.
                clap_mangen::Man::new(page.clone()).render(&mut text).ok()?;
            }
        }
        Command::Schema { name: None, write: false } => text = include_bytes!("schema.json").to_vec(),
        _ => return None,
    }
    Some(String::from_utf8_lossy(&text).into_owned())
}
