//! What the program says of itself: completions for shells, the manual, the form of its JSON.

use crate::command::args::{Cli, Command};
use clap::CommandFactory;

/// The text that is asked for; none for any other command.
pub fn self_description(command: &Command) -> Option<String> {
    let mut text = Vec::new();
    match command {
        Command::Completions { shell } => clap_complete::generate(*shell, &mut Cli::command(), "casebook", &mut text),
        Command::Man => {
            let mut all = Cli::command();
            all.build();
            for page in std::iter::once(&all).chain(all.get_subcommands()) {
                // A page that can't be written into memory can't be written anywhere.
                clap_mangen::Man::new(page.clone()).render(&mut text).ok()?;
            }
        }
        Command::Schema { name: None, write: false } => text = include_bytes!("schema.json").to_vec(),
        _ => return None,
    }
    Some(String::from_utf8_lossy(&text).into_owned())
}
