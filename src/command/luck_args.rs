//! Arguments of `casebook luck`.

use crate::command::arg_parsers::pair;
use crate::command::numbers::seconds;
use clap::Args;
use std::path::PathBuf;

/// Journals, and how their luck is measured.
#[derive(Args)]
pub struct LuckArgs {
    /// The journal; or several, to test their dice
    #[arg(required = true)]
    pub journals: Vec<PathBuf>,
    /// What luck is measured by: a sum of outcomes such as 'defender losses - attacker losses', or a chance such as 'retreat = yes' [default: what the procedure's headline names]
    #[arg(long, value_name = "OUTCOMES", allow_hyphen_values = true)]
    pub measure: Option<String>,
    /// The side for which more of it is good [default: what the card says]
    #[arg(long = "for", value_name = "SIDE")]
    pub good_for: Option<String>,
    /// How a side is taken to choose: 'SIDE=first', or all=...; first, last, highest, lowest, random, best, worst, a style of the game or '|what, options| options[0]' [default: as in the journal]
    #[arg(long, value_parser = pair, value_name = "SIDE=POLICY")]
    pub policy: Vec<(String, String)>,
    /// Test whether the dice are fair, also of a single journal
    #[arg(long)]
    pub dice: bool,
    /// Print fractions beside the decimals
    #[arg(long)]
    pub exact: bool,
    /// Refuse reconstructed figures
    #[arg(long)]
    pub strict: bool,
    /// The time limit in seconds; what can't be counted in it is sampled
    #[arg(long, default_value_t = 20, value_parser = seconds, allow_negative_numbers = true, value_name = "SECONDS")]
    pub limit: u64,
}
