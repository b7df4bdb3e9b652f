//! `casebook odds`: counts, or says that it can't and samples.

use crate::command::args::{Format, RulesetArgs};
use crate::command::choices;
use crate::command::counting::{Ask, counted};
use crate::command::meant::situation;
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::scenario::Scenario;
use crate::odds::bars::{data, draw, draw_sample, percent};
use crate::odds::best::played;
use crate::odds::count::Bounds;
use crate::odds::distribution::{Condition, Odds};
use crate::odds::measure::{Measure, known};
use crate::odds::sample::sample;
use crate::ruleset::compose::Ruleset;
use crate::ruleset::laws;
use crate::ruling::page::Page;
use crate::situation::policy::{Kind, Policies};
use serde_json::json;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Carries out `odds`.
pub fn odds(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let (game, name, variant) = situation(library, wanted, &args.game)?;
    let default = library.default_with(&game, &name, variant.as_deref());
    let wish = args.wish(&game, Some(&default));
    let (ruleset, _) = laws::enact(library, &wish)?;
    let policies = Policies::read(&ask.policy, &ruleset.game.sides)?;
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    if let Some(case) = &ask.by {
        return choices::by(library, &name, (&wish, &ruleset), case, ask, measure.as_ref(), format, Page { colour });
    }
    let policies = Arc::new(match &ask.matrix {
        Some(what) => policies.laying_open(what),
        None => policies,
    });
    let scenario = ruleset.scenario(&name)?;
    let ruleset = Arc::new(ruleset);
    let page = Page { colour };
    let found = counted(&ruleset, &scenario, ask, &policies)?;
    if format == Format::Text {
        let runs = found.odds.runs;
        let head = format!("odds · {} · {runs} run{}", ruleset.title(), if runs == 1 { "" } else { "s" });
        println!("{}\n{}", page.paint("1", &scenario.title), page.paint("2", &head));
    }
    if !found.complete {
        choices::whole(&found)?;
        return sampled(&ruleset, &scenario, (ask, &policies), &found.odds, format, page);
    }
    if let (Some(what), Some(measure)) = (&ask.matrix, &measure) {
        return choices::matrix(&found, &policies, what, measure, ask.exact, format, page);
    }
    if policies.any(|kind| *kind == Kind::All) {
        return choices::all(&found, ask.exact, format, page);
    }
    let conditions: Vec<Condition> = ask.given.iter().map(|text| Condition::read(text)).collect();
    let played = played(&found.odds, &found.tree, measure.as_ref())?;
    let odds = under(&played.odds, &conditions, format, page)?;
    match format {
        Format::Json => print_json(&choices::told(data(&odds), &played, measure.as_ref())),
        Format::Text => {
            print!("{}", choices::head(&played, measure.as_ref(), &policies, ask.exact, page));
            print!("{}", draw(&odds, ask.exact, page));
            likeliest(&odds, ask.exact, page);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The odds where the conditions hold; complains of an outcome nobody names.
fn under(odds: &Odds, conditions: &[Condition], format: Format, page: Page) -> Result<Odds, Error> {
    if conditions.is_empty() {
        return Ok(odds.clone());
    }
    conditions.iter().try_for_each(|condition| known(&condition.name, odds))?;
    let too_many = || Error::Usage("these chances have too many ways to be counted exactly".into());
    let (kept, share) = odds.given(conditions).ok_or_else(too_many)?;
    let text = conditions.iter().map(|c| format!("{} {} {}", c.name, c.sign, c.value)).collect::<Vec<_>>().join(" and ");
    if kept.rows.is_empty() {
        return Err(Error::Usage(format!("`{text}` never happens here")));
    }
    if format == Format::Text {
        let head = format!("given {text}, which has a chance of {} ({share})", percent(share.share()));
        println!("{}", page.paint("2", &head));
    }
    Ok(kept)
}

fn likeliest(odds: &Odds, exact: bool, page: Page) {
    // Beyond so many rows one row says nothing any more.
    let Some((row, chance)) = odds.joint(100_000).and_then(|rows| rows.into_iter().next()) else { return };
    let named: Vec<String> = odds.order.iter().filter_map(|name| row.get(name).map(|value| format!("{name} {value}"))).collect();
    let fraction = if exact { format!(" = {chance}") } else { String::new() };
    println!("\n{}", page.paint("1", &format!("Most likely of all, {}{fraction}", percent(chance.share()))));
    print!("{}", page.line(&named.join(", "), &[]));
}

/// Says that the tree is too large, what makes it so, and samples.
fn sampled(
    ruleset: &Arc<Ruleset>,
    scenario: &Scenario,
    (ask, policies): (&Ask, &Arc<Policies>),
    odds: &Odds,
    format: Format,
    page: Page,
) -> Result<ExitCode, Error> {
    let seen = odds.whole().map_or(0.0, |f| f.share());
    let (quiet, never) = (|_: f64, _: u64| {}, AtomicBool::new(false));
    let bounds = Bounds { time: Duration::from_secs(ask.limit.clamp(1, 20)), stop: &never, progress: &quiet };
    let tried = sample(ruleset, scenario, (&ask.choose, policies), 100_000, &bounds)?;
    match format {
        Format::Json => print_json(&json!({ "complete": false, "seen": seen, "runs": tried.runs, "counts": tried.counts })),
        Format::Text => {
            let often: Vec<&str> = tried.dice.iter().filter(|(_, n)| **n * 2 > tried.runs).map(|(d, _)| d.as_str()).collect();
            println!("Counting was stopped: {} of all chances had been seen after {} runs.", percent(seen), odds.runs);
            println!("What makes it large is how many dice fall one after the other: {}.", often.join("; "));
            println!("--limit SECONDS gives it more time. What follows is a sample of {} runs; ± is its 95 % error.", tried.runs);
            print!("{}", draw_sample(&tried, page));
        }
    }
    Ok(ExitCode::SUCCESS)
}
