//! `casebook odds`: counts, or says that it can't and samples.

use crate::args::{Format, RulesetArgs};
use crate::{play_command, print_json, situation};
use casebook::bars::{data, draw, draw_sample, percent};
use casebook::complaint::Error;
use casebook::explore::{Bounds, Found, explore_by};
use casebook::laws;
use casebook::library::Library;
use casebook::measure::{Measure, known};
use casebook::odds::{Condition, Odds};
use casebook::page::Page;
use casebook::play::played;
use casebook::policy::{Kind, Policies};
use casebook::ruleset::Ruleset;
use casebook::sample::sample;
use casebook::scenario::Scenario;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What is asked of `odds`.
pub struct Ask {
    /// Answers to choices.
    pub choose: Vec<(String, String)>,
    /// Conditions.
    pub given: Vec<String>,
    /// Whether fractions are printed.
    pub exact: bool,
    /// Whether reconstructed figures refuse.
    pub strict: bool,
    /// Policies by side.
    pub policy: Vec<(String, String)>,
    /// What best and worst are measured by.
    pub measure: Option<String>,
    /// A question whose answers are set against each other.
    pub matrix: Option<String>,
    /// A case whose part in the odds is asked.
    pub by: Option<String>,
    /// Seconds to count.
    pub limit: u64,
}

/// Set when the user has had enough: once ends the count, twice the program.
pub fn stop() -> &'static AtomicBool {
    static STOP: OnceLock<AtomicBool> = OnceLock::new();
    let first = STOP.get().is_none();
    let flag = STOP.get_or_init(|| AtomicBool::new(false));
    if first {
        // Where no handler can be set, Ctrl-C just ends the program.
        let _ = ctrlc::set_handler(|| {
            if stop().swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    }
    flag
}

/// Counts, with progress on the terminal after a second.
pub fn counted(ruleset: &Arc<Ruleset>, scenario: &Scenario, ask: &Ask, policies: &Arc<Policies>) -> Result<Found, Error> {
    let start = Instant::now();
    let told = AtomicU64::new(0);
    let progress = |seen: f64, runs: u64| {
        let second = start.elapsed().as_secs();
        if second > told.load(Ordering::Relaxed) && std::io::stderr().is_terminal() {
            told.store(second, Ordering::Relaxed);
            let left = if seen > 0.0 { start.elapsed().as_secs_f64() * (1.0 - seen) / seen } else { 0.0 };
            let _ = write!(std::io::stderr(), "\r{} of all chances seen, {runs} runs, about {left:.0} s to go  ", percent(seen));
        }
    };
    let bounds = Bounds { time: Duration::from_secs(ask.limit), stop: stop(), progress: &progress };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let found = explore_by(ruleset, scenario, (&ask.choose, policies), ask.strict, threads, &bounds);
    if told.load(Ordering::Relaxed) > 0 {
        eprintln!();
    }
    found
}

/// Carries out `odds`.
pub fn odds(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let (game, name, variant) = situation(library, wanted, &args.game)?;
    let default = library.default_with(&game, &name, variant.as_deref());
    let wish = args.wish(&game, Some(&default));
    let (ruleset, _) = laws::enact(library, &wish)?;
    let policies = Policies::read(&ask.policy, &ruleset.game.sides)?;
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    if let Some(case) = &ask.by {
        return play_command::by(library, &name, (&wish, &ruleset), case, ask, measure.as_ref(), format, Page { colour });
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
        play_command::whole(&found)?;
        return sampled(&ruleset, &scenario, (ask, &policies), &found.odds, format, page);
    }
    if let (Some(what), Some(measure)) = (&ask.matrix, &measure) {
        return play_command::matrix(&found, &policies, what, measure, ask.exact, format, page);
    }
    if policies.any(|kind| *kind == Kind::All) {
        return play_command::all(&found, ask.exact, format, page);
    }
    let conditions: Vec<Condition> = ask.given.iter().map(|text| Condition::read(text)).collect();
    let played = played(&found.odds, &found.tree, measure.as_ref())?;
    let odds = under(&played.odds, &conditions, format, page)?;
    match format {
        Format::Json => print_json(&play_command::told(data(&odds), &played, measure.as_ref())),
        Format::Text => {
            print!("{}", play_command::head(&played, measure.as_ref(), &policies, ask.exact, page));
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
