//! Arguments of `casebook balance`.

use crate::command::arg_parsers::{option, pair};
use crate::command::numbers::{budget_seconds, margin, run_count, shard};
use crate::command::ruleset_args::{SetArgs, whole};
use clap::Args;

/// The margin in points if none is given.
pub const DEFAULT_MARGIN: f64 = 3.0;

#[derive(Args)]
pub struct BalanceArgs {
    /// A situation that is a whole game; a part of its name will do
    pub situation: String,
    /// A ruleset: variants, options and readings, or '' for the base game: 'errata,errata.frost=off'; the others are compared with the first
    #[arg(long, value_name = "VARIANTS")]
    pub with: Vec<String>,
    /// How a side plays: 'SIDE=bold', or all=...; a style of the game, first, last, highest, lowest, random or '|what, options| options[0]'; several for a side are all played [default: every style that the game declares]
    #[arg(long, value_parser = pair, value_name = "SIDE=STYLE")]
    pub style: Vec<(String, String)>,
    #[command(flatten)]
    pub set: SetArgs,
    /// An option of a variant: errata.frost=off; may be repeated
    #[arg(long, value_parser = option, value_name = "NAME=on|off")]
    pub option: Vec<(String, bool)>,
    /// An answer to a choice: 'Red: bid=2'; may be repeated
    #[arg(long, value_parser = pair, value_name = "WHO: WHAT=OPTION")]
    pub choose: Vec<(String, String)>,
    /// The outcome that names the winner [default: what the game says under `won_by:`]
    #[arg(long, value_name = "OUTCOME")]
    pub winner: Option<String>,
    /// The score: a sum of outcomes, such as 'Red points - Blue points' [default: what the game says under `score:`]
    #[arg(long, value_name = "OUTCOMES", allow_hyphen_values = true)]
    pub score: Option<String>,
    /// At most this many games of each pair of styles under each ruleset
    #[arg(long, default_value_t = 2000, value_parser = run_count, value_name = "N")]
    pub games: u64,
    /// At most this many seconds for games and causes together
    #[arg(long, default_value_t = 60, value_parser = budget_seconds, allow_negative_numbers = true, value_name = "SECONDS")]
    pub seconds: u64,
    /// A difference of fewer points of a hundred games is not worth deciding; 0 to look for every difference until the budget is used up
    #[arg(long, default_value_t = DEFAULT_MARGIN, value_parser = margin, allow_negative_numbers = true, value_name = "POINTS")]
    pub margin: f64,
    /// Don't look for what makes a difference
    #[arg(long)]
    pub no_causes: bool,
    /// Play only part K of N of the games, all of them; `casebook merge` joins the parts saved with --format json
    #[arg(long, value_name = "K/N", value_parser = shard, default_value = "1/1", hide_default_value = true)]
    pub shard: (u64, u64),
    /// The seed of the first games, the same for all rulesets
    #[arg(long, value_parser = whole::<u64>, default_value_t = 1)]
    pub seed: u64,
    /// The game, if there are several
    #[arg(long, default_value = "", hide_default_value = true)]
    pub game: String,
}
