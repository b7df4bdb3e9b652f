//! `casebook balance`: how a game comes out between styles under several rulesets.

use crate::command::arg_parsers::{budget_seconds, margin, option, pair, run_count, shard, whole};
use crate::command::compare::parse_spec;
use crate::command::counting::with_progress;
use crate::command::out::{Printer, exit_code};
use crate::command::ruleset_args::{RulesetArgs, SetArgs};
use crate::command::targets::{NamedSituation, resolve_situation};
use casebook_analysis::balance::question::{BalanceRequest, balance as ask_balance};
use casebook_analysis::balance::totals::BalanceShards;
use casebook_analysis::odds::shards::Shard;
use casebook_analysis::usecase::rulesets::spec_of_situation;
use casebook_engine::complaint::Error;
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::RulesetSpec;
use casebook_view::balance;
use casebook_view::text::blocks_text;
use clap::Args;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

/// The margin in points if none is given.
pub const DEFAULT_MARGIN: f64 = 3.0;

/// The arguments of `balance`.
#[derive(Args)]
pub struct BalanceArgs {
    /// A situation that is a whole game; a part of its name or title will do
    pub situation: String,
    /// A ruleset: variants, options and readings, or '' for the base game: 'errata,errata.frost=off'; the others are compared with the first
    #[arg(long, value_name = "VARIANTS")]
    pub with: Vec<String>,
    /// How a side plays: 'SIDE=bold', or all=...; a style of the game, first, last, highest, lowest, random or '|what, options| options[0]'; several for a side are all played [default: every style that the game declares]
    #[arg(long, alias = "policy", value_parser = pair, value_name = "SIDE=STYLE")]
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
    pub shard: Shard,
    /// The seed of the first games, the same for all rulesets
    #[arg(long, value_parser = whole::<u64>, default_value_t = 1)]
    pub seed: u64,
    /// The game, if there are several
    #[arg(long, default_value = "", hide_default_value = true)]
    pub game: String,
}

/// Runs `balance`.
pub fn balance(library: &Arc<Library>, args: BalanceArgs, out: Printer) -> Result<ExitCode, Error> {
    let overrides = args.set.overrides()?;
    let NamedSituation {
        game,
        name,
        variant,
    } = resolve_situation(library, &args.situation, &args.game)?;
    let mut rulesets = args
        .with
        .iter()
        .map(|text| parse_spec(library, &game, text, &args.option))
        .collect::<Vec<RulesetSpec>>();
    if rulesets.is_empty() {
        let args = RulesetArgs {
            option: args.option,
            ..RulesetArgs::default()
        };
        rulesets.push(spec_of_situation(
            library,
            &args.choices(),
            &game,
            &name,
            variant.as_deref(),
        ));
    }
    let request = BalanceRequest {
        situation: name,
        overrides,
        rulesets,
        styles: args.style,
        choices: args.choose,
        winner: args.winner,
        score: args.score,
        seed: args.seed,
        games: args.games,
        shard: args.shard,
        margin: args.margin / 100.0,
        causes: !args.no_causes,
    };
    let answer = with_progress(args.seconds, |limits| {
        ask_balance(library, &request, limits)
    })?;
    let Shard { part, parts } = request.shard;
    if parts == 1 {
        let text = || {
            let text = blocks_text(&[balance::answer(&answer)], out.page);
            match answer.budget_used_up {
                true => text + "\n--games and --seconds give it more.\n",
                false => text,
            }
        };
        out.print(|| answer.report(), text);
        return Ok(exit_code(answer.total.broken > 0));
    }
    if answer.total.seeds < request.games.saturating_sub(part - 1).div_ceil(parts) {
        return Err(Error::Usage(
            "broken off; a part counts whole or not at all: --seconds gives it more".into(),
        ));
    }
    Ok(print_shards(
        &BalanceShards {
            of: answer.spec,
            parts: BTreeMap::from([(part, answer.total)]),
        },
        request.margin,
        out,
    ))
}

/// Prints parts of a question, as they are or merged.
pub fn print_shards(shards: &BalanceShards, margin: f64, out: Printer) -> ExitCode {
    out.print(
        || shards,
        || blocks_text(&[balance::shards(shards, margin)], out.page),
    );
    exit_code(shards.total().broken > 0)
}
