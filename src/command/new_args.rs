//! The arguments of `casebook new`.

use crate::command::ruleset_args::{DiceArgs, RulesetArgs};
use clap::Subcommand;
use std::path::PathBuf;

/// The kind of file to create.
#[derive(Subcommand)]
pub enum NewArgs {
    /// A small complete game to start from; in its folder it replaces the built-in games
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
        /// Add blank copies of the tables, to type printed figures into
        #[arg(long)]
        tables: bool,
        /// The game, if there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// A case of a variant; or of the game itself if its manifest is in this folder
    Case {
        /// Its number, or a name if it has none; the name of a function creates an amendment of the case that answers it
        number: String,
        #[arg(long)]
        variant: Option<String>,
        /// The game, if there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Create it although its name resembles another one
        #[arg(long)]
        new: bool,
    },
    /// A table of a variant; or of the game itself if its manifest is in this folder
    Table {
        name: String,
        #[arg(long)]
        variant: Option<String>,
        /// Its figures as CSV or copied from a spreadsheet, - for standard input; first a line of column labels, then lines that begin with the row's label
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// The dice that pick a row
        #[arg(long)]
        dice: Option<String>,
        /// The names of a cell's parts, which / separates: attacker,defender
        #[arg(long, value_delimiter = ',')]
        fields: Vec<String>,
        /// The game, if there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
        /// Create it although its name resembles another one
        #[arg(long)]
        new: bool,
    },
    /// A situation, blank or copied
    #[command(alias = "scenario")]
    Situation {
        #[arg(allow_hyphen_values = true)]
        name: String,
        /// The situation to copy
        #[arg(long)]
        like: Option<String>,
        /// The procedure of a blank situation
        #[arg(long, conflicts_with = "like")]
        procedure: Option<String>,
        /// The variant that it belongs to
        #[arg(long)]
        variant: Option<String>,
        /// The game, if there are several
        #[arg(long, default_value = "", hide_default_value = true)]
        game: String,
    },
    /// The map of a VASSAL module: what its pieces and places are in a game; it is written beside the module
    #[cfg(feature = "vassal")]
    Map {
        /// Its name [default: that of the module]
        name: Option<String>,
        /// The module: a .vmod file
        #[arg(long, value_name = "FILE")]
        module: PathBuf,
        /// The situation that gives what a saved game does not hold: procedure, tracks, rosters
        #[arg(long)]
        like: String,
        /// The game, if there are several
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
