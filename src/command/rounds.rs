//! `odds --rounds`: odds after a number of rounds of a game's sequence of play.

use crate::command::args::{OutputFormat, RulesetArgs};
use crate::command::choices::render_assumptions;
use crate::command::counting::{OddsArgs, with_progress};
use crate::command::odds::{render_odds, retain_requested};
use crate::command::print_json;
use crate::command::targets::{is_journal, resolve_target};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::bar_chart::{partly, to_json};
use crate::odds::rounds::RoundsOdds;
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::TerminalPage;
use crate::situation::overrides;
use crate::usecase;
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;

/// Runs `odds --rounds`.
pub fn odds(
    library: &Arc<Library>,
    wanted: &str,
    args: &RulesetArgs,
    (ask, rounds): (&OddsArgs, u64),
    format: OutputFormat,
    page: TerminalPage,
) -> Result<ExitCode, Error> {
    if is_journal(wanted) {
        return Err(Error::Usage("--rounds counts a game from its beginning: give the situation, not a journal".into()));
    }
    let (name, spec) = resolve_target(library, wanted, args)?;
    let situation = Situation::with_overrides(library, &spec, &name, &ask.overrides)?;
    let (found, mut assumptions) = with_progress(ask.limits, |limits| usecase::odds::rounds(&situation, &ask.settings, rounds, limits))?;
    let RoundsOdds { mut odds, mut sample, .. } = found;
    assumptions.list_all = ask.output.sources;
    retain_requested(&mut odds, sample.as_mut(), ask)?;
    if format == OutputFormat::Json {
        let mut list = to_json(&odds, sample.as_ref());
        list["rounds"] = json!(rounds);
        print_json(&assumptions.add_to_json(list));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", page.paint("1", &situation.scenario.title));
    println!("{}", page.paint("2", &format!("odds · {}", situation.ruleset().title())));
    let many = if rounds == 1 { "the round under way".into() } else { format!("{rounds} rounds") };
    println!("{}", page.paint("2", &format!("of {many} of the sequence of play, the last word on each outcome")));
    let set = overrides::describe(&situation.scenario.set);
    if !set.is_empty() {
        println!("{}", page.paint("2", &set));
    }
    if let Some(sample) = &sample {
        println!("{}", partly(&odds, sample, " to the end of these rounds"));
        println!("Fewer --rounds take less time.");
    }
    print!("{}{}", render_odds(&odds, sample.as_ref(), ask, &situation, page), render_assumptions(&assumptions, ask, page));
    Ok(ExitCode::SUCCESS)
}
