//! `casebook balance`: how a game comes out between styles under several rulesets.

use crate::balance::question::{BalanceRequest, balance as ask_balance};
use crate::balance::totals::BalanceShards;
use crate::command::args::{OutputFormat, RulesetArgs};
use crate::command::balance_args::BalanceArgs;
use crate::command::compare::parse_spec;
use crate::command::counting::{Progress, stop_flag};
use crate::command::games::print_balance_shards;
use crate::command::print_json;
use crate::command::targets::resolve_situation;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::ruleset::compose::RulesetSpec;
use crate::ruling::terminal_page::TerminalPage;
use crate::situation::overrides::Overrides;
use crate::usecase::rulesets::spec_of_situation;
use crate::usecase::settings::CountLimits;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Runs `balance`.
pub fn balance(
    library: &Arc<Library>,
    ask: BalanceArgs,
    overrides: Overrides,
    memory: u64,
    format: OutputFormat,
    page: TerminalPage,
) -> Result<ExitCode, Error> {
    let args = RulesetArgs { option: ask.option, game: ask.game, ..RulesetArgs::default() };
    let (game, name, variant) = resolve_situation(library, &ask.situation, &args.game)?;
    let mut rulesets = ask.with.iter().map(|text| parse_spec(library, &game, text, &args)).collect::<Vec<RulesetSpec>>();
    if rulesets.is_empty() {
        rulesets.push(spec_of_situation(library, &args.choices(), &game, &name, variant.as_deref()));
    }
    let request = BalanceRequest {
        situation: name,
        overrides,
        rulesets,
        styles: ask.style,
        choices: ask.choose,
        winner: ask.winner,
        score: ask.score,
        seed: ask.seed,
        games: ask.games,
        shard: ask.shard,
        margin: ask.margin / 100.0,
        causes: !ask.no_causes,
    };
    let shown = Progress::new();
    let progress = |doing: &str, _: f64, count: u64| shown.show(|| format!("{doing}: {count}"));
    let limits = CountLimits { memory, progress: &progress, ..CountLimits::new(Duration::from_secs(ask.seconds), stop_flag()) };
    let answer = ask_balance(library, &request, limits)?;
    shown.finish();
    let broken = answer.total.broken > 0;
    let (part, parts) = request.shard;
    if parts > 1 {
        if answer.total.seeds < request.games.saturating_sub(part - 1).div_ceil(parts) {
            return Err(Error::Usage("broken off; a part counts whole or not at all: --seconds gives it more".into()));
        }
        let shards = BalanceShards { of: answer.of, parts: BTreeMap::from([(part, answer.total)]) };
        print_balance_shards(&shards, request.margin, format, page);
    } else {
        match format {
            OutputFormat::Json => print_json(&answer.to_json()),
            OutputFormat::Text => print!("{}", answer.render(page)),
        }
    }
    Ok(ExitCode::from(u8::from(broken)))
}
