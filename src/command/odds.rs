//! `casebook odds`: counts, or says that it can't and samples.

use crate::command::args::{Format, RulesetArgs};
use crate::command::choices;
use crate::command::counting::Ask;
use crate::command::meant::meant;
use crate::command::play::{is_journal, journal_of};
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::bars::{data, draw, percent};
use crate::odds::best::{Played, played};
use crate::odds::count::Counted;
use crate::odds::distribution::{Condition, Odds, given, together, too_many};
use crate::odds::find::Found;
use crate::odds::fraction::Fraction;
use crate::odds::measure::Measure;
use crate::odds::sample::Sample;
use crate::ruleset::compose::Wish;
use crate::ruling::page::Page;
use crate::ruling::situation::Situation;
use crate::situation::policy::{Kind, Policies};
use std::process::ExitCode;
use std::sync::Arc;

/// Carries out `odds`.
pub fn odds(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask, format: Format, colour: bool) -> Result<ExitCode, Error> {
    let (name, wish, situation) = match is_journal(wanted) {
        true => from_journal(library, wanted, args, ask)?,
        false => {
            let (name, wish) = meant(library, wanted, args)?;
            let situation = Situation::of(library, &wish, &name)?;
            (name, wish, situation)
        }
    };
    let ruleset = situation.ruleset().clone();
    let policies = Policies::read(&ask.policy, &ruleset.game.sides)?;
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    if let Some(case) = &ask.by {
        return choices::by(library, &name, (&wish, &ruleset), case, ask, measure.as_ref(), format, Page { colour });
    }
    let policies = Arc::new(match &ask.matrix {
        Some(what) => policies.laying_open(what),
        None => policies,
    });
    let title = ruleset.title();
    let page = Page { colour };
    let found = ask.find(&situation, &policies, measure.as_ref())?;
    if format == Format::Text {
        let states = found.counted.states;
        let head = format!("odds · {title} · {states} state{}", if states == 1 { "" } else { "s" });
        println!("{}\n{}", page.paint("1", &situation.scenario.title), page.paint("2", &head));
    }
    if let (Some(what), Some(measure)) = (&ask.matrix, &measure) {
        return choices::matrix(&found.counted, &policies, what, measure, ask.exact, format, page);
    }
    if policies.any(|kind| *kind == Kind::All) {
        return choices::all(&found.counted, ask.exact, format, page);
    }
    let conditions: Vec<Condition> = ask.given.iter().map(|text| Condition::read(text)).collect();
    if let Some(sample) = &found.sample {
        return sampled(&found, sample, &conditions, format, page);
    }
    let played = played(&found.counted, measure.as_ref())?;
    let odds = under(&found.counted, &played, &conditions, format, page)?;
    match format {
        Format::Json => print_json(&choices::told(data(&odds, None), &played, measure.as_ref())),
        Format::Text => {
            print!("{}", choices::head(&played, measure.as_ref(), &policies, ask.exact, page));
            print!("{}", draw(&odds, None, ask.exact, page));
            if conditions.is_empty() {
                likeliest(&found.counted, &played, ask.exact, page);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is left to come after the moves of a journal, or after so many of them.
fn from_journal(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask) -> Result<(String, Wish, Situation), Error> {
    let (mut journal, mut places) = journal_of(wanted, args)?;
    if ask.by.is_some() {
        return Err(Error::Usage("--by holds rulesets against each other from the beginning: give the situation, not a journal".into()));
    }
    if let Some(after) = ask.after {
        if after > journal.moves.len() {
            return Err(Error::Usage(format!("--after {after}: the journal has {} throws and choices", journal.moves.len())));
        }
        journal.moves.truncate(after);
        places.truncate(after);
    }
    let session = journal.played(library, &places, ask.strict)?;
    if session.over() {
        return Err(Error::Usage(
            "this journal goes to its end, and nothing is left to come: --after N goes back to where N answers were given".into(),
        ));
    }
    Ok((journal.situation.clone(), journal.wish(), session.rest()))
}

/// The odds where the conditions hold; complains of an outcome nobody names.
fn under(counted: &Counted, played: &Played, conditions: &[Condition], format: Format, page: Page) -> Result<Odds, Error> {
    if conditions.is_empty() {
        return Ok(played.odds.clone());
    }
    conditions.iter().try_for_each(|condition| played.odds.known(&condition.name))?;
    let (kept, share) = given(counted, &played.odds, conditions, &played.picked).ok_or_else(too_many)?;
    let text = conditions.iter().map(|c| format!("{} {} {}", c.name, c.sign, c.value)).collect::<Vec<_>>().join(" and ");
    if share.is_zero() {
        return Err(Error::Usage(format!("`{text}` never happens here")));
    }
    if format == Format::Text {
        let head = format!("given {text}, which has a chance of {} ({share})", percent(share.share()));
        println!("{}", page.paint("2", &head));
    }
    Ok(kept)
}

/// Beyond so many rows one row says nothing any more.
const ROWS: usize = 2_000;

fn likeliest(counted: &Counted, played: &Played, exact: bool, page: Page) {
    let order = &played.odds.order;
    let Some((row, chance)) = together(counted, order, &played.picked, ROWS).and_then(|rows| rows.into_iter().next()) else { return };
    let named: Vec<String> = order.iter().filter_map(|name| row.get(name).map(|value| format!("{name} {value}"))).collect();
    let fraction = if exact { format!(" = {chance}") } else { String::new() };
    println!("\n{}", page.paint("1", &format!("Most likely of all, {}{fraction}", percent(chance.share()))));
    print!("{}", page.line(&named.join(", "), &[]));
}

/// Says what was counted, and what was sampled.
fn sampled(found: &Found, sample: &Sample, conditions: &[Condition], format: Format, page: Page) -> Result<ExitCode, Error> {
    if !conditions.is_empty() {
        let what = "not all chances were counted, and conditions hold only of what is counted: give it more time with --limit SECONDS";
        return Err(Error::Usage(what.into()));
    }
    match format {
        Format::Json => print_json(&data(&found.odds, Some(sample))),
        Format::Text => {
            let seen = found.odds.seen.as_ref().map_or(0.0, Fraction::share);
            println!(
                "{} of all chances were counted; the rest is a sample of {} runs, ± being its 95 % error.",
                percent(seen),
                sample.runs
            );
            println!("--limit SECONDS gives it more time.");
            print!("{}", draw(&found.odds, Some(sample), false, page));
        }
    }
    Ok(ExitCode::SUCCESS)
}
