//! The arguments of `casebook new`.

use crate::command::ruleset_args::{DiceArgs, RulesetArgs};
use clap::Subcommand;
use std::path::PathBuf;

/// What is laid out.
#[derive(Subcommand)]
pub enum NewArgs {
    /// A small game, whole, to be made into another; in its folder it takes the place of those built in
    Game {
        name: String,
        /// Its title
        #[arg(long)]
        title: Option<String>,
    },
    /// A variant
    Variant {
        name: String,
        /// Its title
        #[arg(long)]
        title: Option<String>,
        /// With blank charts, to type printed ones into
        #[arg(long)]
        tables: bool,
        /// The game, where there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// A case of a variant; of the game itself, where its manifest stands in this folder
    Case {
        /// Its number, or a name where it has none; the name of a function lays out what amends it, in the case that answers it
        number: String,
        #[arg(long)]
        variant: Option<String>,
        /// The game, where there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// A new one, though its name is nearly that of another
        #[arg(long)]
        new: bool,
    },
    /// A table of a variant; of the game itself, where its manifest stands in this folder
    Table {
        name: String,
        #[arg(long)]
        variant: Option<String>,
        /// Its figures, as CSV or copied from a spreadsheet; - for what is pasted. The labels of the columns come first, and each line begins with its row's
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// The dice that are thrown for its rows
        #[arg(long)]
        dice: Option<String>,
        /// What the parts of a cell are called that stand with / between them: attacker,defender
        #[arg(long, value_delimiter = ',')]
        fields: Vec<String>,
        /// The game, where there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// A new one, though its name is nearly that of another
        #[arg(long)]
        new: bool,
    },
    /// A situation: blank, or as a copy of another
    #[command(alias = "scenario")]
    Situation {
        #[arg(allow_hyphen_values = true)]
        name: String,
        /// The situation to copy
        #[arg(long)]
        like: Option<String>,
        /// The procedure it is for, if it is no copy
        #[arg(long, conflicts_with = "like")]
        procedure: Option<String>,
        /// The variant it belongs to, whose procedures it may carry out
        #[arg(long)]
        variant: Option<String>,
        /// The game, where there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// A test that holds the ruling of a situation: tests/<game>/<name>.yaml
    Test {
        name: String,
        /// The situation; a part of its name will do
        #[arg(long)]
        given: String,
        #[command(flatten)]
        ruleset: RulesetArgs,
        #[command(flatten)]
        play: DiceArgs,
    },
}
