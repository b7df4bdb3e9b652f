//! `odds --rounds`: the odds of a game that goes on, for so many rounds of its sequence of play.

use crate::command::args::{Format, RulesetArgs};
use crate::command::choices::rests;
use crate::command::counting::{Ask, Progress, end, stop};
use crate::command::meant::{is_journal, meant};
use crate::command::odds::{drawn, only};
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::assumed::assumed;
use crate::odds::bars::{data, percent};
use crate::odds::bounds::Bounds;
use crate::odds::find::none_refused;
use crate::odds::fraction::Fraction;
use crate::odds::rounds::{Played, Rounds};
use crate::ruling::page::Page;
use crate::ruling::situation::Situation;
use crate::situation::overrides;
use crate::situation::policy::{Kind, Policies};
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;

/// Carries out `odds --rounds`.
pub fn odds(
    library: &Arc<Library>,
    wanted: &str,
    args: &RulesetArgs,
    (ask, rounds): (&Ask, u64),
    format: Format,
    page: Page,
) -> Result<ExitCode, Error> {
    if is_journal(wanted) {
        return Err(Error::Usage("--rounds counts a game from its beginning: give the situation, not a journal".into()));
    }
    let (name, wish) = meant(library, wanted, args)?;
    let situation = Situation::with_overrides(library, &wish, &name, &ask.overrides)?;
    let game = &*situation.ruleset().game;
    let policies = Arc::new(Policies::read(&ask.policy, &game.sides)?);
    if policies.any(Kind::explored) {
        let what =
            "best, worst and all look to the end of a procedure: rounds are counted with first, last, highest, lowest, random or a closure";
        return Err(Error::Usage(what.into()));
    }
    let shown = Progress::new();
    let progress = |_: f64, states: u64| shown.tell(|| format!("counting: {states} states or runs"));
    let decider = situation.decider(&ask.choose, policies.clone());
    // Half of the time is for what can be counted, the rest for what can't.
    let (counting, sampling) = (end(ask.limit / 2 + ask.limit % 2), end(ask.limit));
    let bounds = |end| Bounds { end, memory: ask.memory, stop: stop(), progress: &progress };
    let of = Rounds { situation: &situation, decider: &decider, rounds, counting: bounds(counting), sampling: bounds(sampling) };
    let Played { mut odds, mut sample, consulted } = of.find()?;
    shown.done();
    if ask.strict {
        none_refused(&consulted, &situation)?;
    }
    let mut told = assumed(&situation, &consulted, &policies, &ask.choose);
    told.in_full = ask.shown.sources;
    let seen = odds.seen.as_ref().map_or(0.0, Fraction::share);
    only(&mut odds, sample.as_mut(), ask)?;
    if format == Format::Json {
        let mut list = data(&odds, sample.as_ref());
        list["rounds"] = json!(rounds);
        print_json(&told.with(list));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", page.paint("1", &situation.scenario.title));
    println!("{}", page.paint("2", &format!("odds · {}", situation.ruleset().title())));
    let many = if rounds == 1 { "the round under way".into() } else { format!("{rounds} rounds") };
    println!("{}", page.paint("2", &format!("of {many} of the sequence of play, the last word on each outcome")));
    let set = overrides::told(&situation.scenario.set);
    if !set.is_empty() {
        println!("{}", page.paint("2", &set));
    }
    if let Some(sample) = &sample {
        let rest = match sample.runs {
            0 => "the rest is not known, ± being how much it may add".to_string(),
            runs => format!("the rest is a sample of {runs} runs, ± being its 95 % error"),
        };
        println!("{} of all chances were counted to the end of these rounds; {rest}.", percent(seen));
        println!("--limit SECONDS gives it more time, fewer --rounds less to do.");
    }
    print!("{}{}", drawn(&odds, sample.as_ref(), ask, game, page), rests(&told, ask, page));
    Ok(ExitCode::SUCCESS)
}
