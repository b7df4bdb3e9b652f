//! `odds --rounds`: odds after a number of rounds of a game's sequence of play.

use crate::command::args::{OutputFormat, RulesetArgs};
use crate::command::choices::render_assumptions;
use crate::command::counting::{OddsArgs, Progress, deadline_in, stop_flag};
use crate::command::odds::{render_odds, retain_requested};
use crate::command::print_json;
use crate::command::targets::{is_journal, resolve_target};
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::assumptions::assumptions;
use crate::odds::bar_chart::{partly, to_json};
use crate::odds::bounds::SearchLimits;
use crate::odds::query::refuse_reconstructed;
use crate::odds::rounds::{RoundsOdds, RoundsQuery};
use crate::platform::task;
use crate::ruling::situation::Situation;
use crate::ruling::terminal_page::TerminalPage;
use crate::situation::overrides;
use crate::situation::policy::{Policies, PolicyKind};
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
    let (name, wish) = resolve_target(library, wanted, args)?;
    let situation = Situation::with_overrides(library, &wish, &name, &ask.overrides)?;
    let game = &*situation.ruleset().game;
    let policies = Arc::new(Policies::parse(&ask.policies, game)?);
    if policies.any(PolicyKind::is_explored) {
        let what =
            "best, worst and all look to the end of a procedure: rounds are counted with first, last, highest, lowest, random or a closure";
        return Err(Error::Usage(what.into()));
    }
    let shown = Progress::new();
    let progress = |_: f64, states: u64| shown.show(|| format!("counting: {states} states or runs"));
    let decider = situation.choice_source(&ask.choices, policies.clone());
    // Half of the time is for the exact count, the rest for sampling.
    let (counting, sampling) = (deadline_in(ask.seconds / 2 + ask.seconds % 2), deadline_in(ask.seconds));
    let bounds = |end| SearchLimits { deadline: task::end_within(end), memory: ask.memory, stop: stop_flag(), progress: &progress };
    let of = RoundsQuery { situation: &situation, choice_source: &decider, rounds, counting: bounds(counting), sampling: bounds(sampling) };
    let RoundsOdds { mut odds, mut sample, consulted } = of.find()?;
    shown.finish();
    if ask.strict {
        refuse_reconstructed(&consulted, &situation)?;
    }
    let mut told = assumptions(&situation, &consulted, &policies, &ask.choices);
    told.list_all = ask.output.sources;
    retain_requested(&mut odds, sample.as_mut(), ask)?;
    if format == OutputFormat::Json {
        let mut list = to_json(&odds, sample.as_ref());
        list["rounds"] = json!(rounds);
        print_json(&told.add_to_json(list));
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
        println!("Fewer --rounds give it less to do.");
    }
    print!("{}{}", render_odds(&odds, sample.as_ref(), ask, &situation, page), render_assumptions(&told, ask, page));
    Ok(ExitCode::SUCCESS)
}
