//! `casebook odds`: counts, or says that it can't and samples.

use crate::command::args::{Format, RulesetArgs};
use crate::command::choices::{self, rests};
use crate::command::counting::Ask;
use crate::command::meant::{is_journal, journal_of, meant};
use crate::command::print_json;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::data::manifest::Game;
use crate::odds::assumed::{Assumed, assumed};
use crate::odds::bars::{brief, data, draw, partly, percent};
use crate::odds::best::{Played, played};
use crate::odds::bounds::Cap;
use crate::odds::count::Counted;
use crate::odds::distribution::{self, Condition, Odds, given, in_words, too_many};
use crate::odds::find::Found;
use crate::odds::fold::Picked;
use crate::odds::fraction::Fraction;
use crate::odds::measure::Measure;
use crate::odds::sample::Sample;
use crate::odds::together::{Row, rows};
use crate::ruleset::compose::Wish;
use crate::ruling::page::Page;
use crate::ruling::situation::Situation;
use crate::situation::overrides;
use crate::situation::policy::{Kind, Policies};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::sync::Arc;

/// Carries out `odds`.
pub fn odds(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask, format: Format, colour: bool) -> Result<ExitCode, Error> {
    if ask.after.is_some() && !is_journal(wanted) {
        return Err(Error::Usage(format!(
            "--after goes back to a move of a journal, and {wanted} is a situation: it begins at its beginning"
        )));
    }
    let (name, wish, situation) = match is_journal(wanted) {
        true => from_journal(library, wanted, args, ask)?,
        false => {
            let (name, wish) = meant(library, wanted, args)?;
            let situation = Situation::with_overrides(library, &wish, &name, &ask.overrides)?;
            (name, wish, situation)
        }
    };
    let ruleset = situation.ruleset().clone();
    let policies = Policies::read(&ask.policy, &ruleset.game.sides)?;
    let measure = ask.measure.as_deref().map(Measure::read).transpose()?;
    if let Some(what) = &ask.by {
        let how = (what.as_str(), &Arc::new(policies), measure.as_ref());
        return choices::by(library, &name, (&wish, &ruleset), how, ask, format, Page { colour });
    }
    let policies = Arc::new(match &ask.matrix {
        Some(what) => policies.laying_open(what),
        None => policies,
    });
    let (title, game) = (ruleset.title(), &*ruleset.game);
    let page = Page { colour };
    if policies.any(|kind| *kind == Kind::All)
        && ask.matrix.is_none()
        && (measure.is_some() || !ask.joint.is_empty() || !ask.asked().conditions.is_empty())
    {
        let what =
            "a policy `all` gives the range of every outcome, whatever is chosen; --given, --joint and --measure say nothing beside it";
        return Err(Error::Usage(format!("{what}: leave them out, or settle the choices otherwise")));
    }
    if !ask.shown.only.is_empty() && (ask.matrix.is_some() || !ask.joint.is_empty()) {
        let flag = if ask.matrix.is_some() { "--matrix shows what its question is worth" } else { "--joint names its outcomes itself" };
        return Err(Error::Usage(format!("{flag}: --only says nothing beside it; leave it out")));
    }
    let found = ask.find(&situation, &policies, measure.as_ref())?;
    // Printed by whoever knows that there is something to print.
    let mut head = format!("{}\n{}", page.paint("1", &situation.scenario.title), page.paint("2", &format!("odds · {title}")));
    if situation.scenario.goes_on {
        let part =
            format!("of {}, with which this begins; --rounds 1 counts a whole round, --runs 100 plays it to its end", situation.procedure);
        head += &format!("\n{}", page.paint("2", &part));
    }
    let mut told = assumed(&situation, &found.consulted(), &policies, &ask.choose);
    told.in_full = ask.shown.sources;
    if !situation.scenario.set.is_empty() {
        head += &format!("\n{}", page.paint("2", &overrides::told(&situation.scenario.set)));
    }
    if let (Some(what), Some(measure)) = (&ask.matrix, &measure) {
        return choices::matrix(&found.counted, &policies, (what, measure), (&head, &told), ask, format, page);
    }
    if policies.any(|kind| *kind == Kind::All) {
        return choices::all(&found.counted, (&head, &told), ask, format, page);
    }
    if !ask.joint.is_empty() {
        return joint(&found, ask, measure.as_ref(), (&head, &told), format, page);
    }
    let conditions = ask.asked().conditions;
    if let Some(sample) = &found.sample {
        return sampled(&found, sample, (&conditions, ask, game), (&head, &told), format, page);
    }
    let played = played(&found.counted, &found.odds, measure.as_ref())?;
    let (mut odds, share) = under(&found.counted, &played, &conditions)?;
    only(&mut odds, None, ask)?;
    match format {
        Format::Json => {
            let mut list = played.told(data(&odds, None), measure.as_ref());
            if let Some(share) = share {
                let percent = share.share() * 100.0;
                list["given"] = json!({ "conditions": conditions_told(&conditions), "percent": percent, "chance": share.to_string() });
            }
            print_json(&told.with(list));
        }
        Format::Text => {
            println!("{head}");
            if let Some(share) = share {
                let given = format!("given {}, which has a chance of {} ({share})", words(&conditions), percent(share.share()));
                println!("{}", page.paint("2", &given));
            }
            let head = choices::head(&played, measure.as_ref(), &policies, ask.exact, page);
            print!("{head}");
            if !head.is_empty() && !conditions.is_empty() {
                println!("  (this is of all chances, not only of those given)");
            }
            print!("{}", drawn(&odds, None, ask, game, page));
            if conditions.is_empty() && ask.shown.only.is_empty() && !ask.shown.brief {
                likeliest(&found.counted, &played, ask.exact, page);
            }
            print!("{}", rests(&told, ask, page));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is left to come after the moves of a journal, or after so many of them.
fn from_journal(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask) -> Result<(String, Wish, Situation), Error> {
    let (mut journal, mut places) = journal_of(wanted, args, &ask.overrides)?;
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

/// The odds as much of them is asked for.
pub fn drawn(odds: &Odds, sample: Option<&Sample>, ask: &Ask, game: &Game, page: Page) -> String {
    if ask.shown.brief { brief(odds, sample, game) } else { draw(odds, sample, ask.exact && sample.is_none(), game, page) }
}

/// Keeps the outcomes that are asked for.
pub fn only(odds: &mut Odds, sample: Option<&mut Sample>, ask: &Ask) -> Result<(), Error> {
    let counts = sample.iter().flat_map(|sample| &sample.counts).map(|(name, _)| name.clone());
    ask.shown.known(&odds.order.iter().cloned().chain(counts).collect::<Vec<_>>())?;
    odds.order.retain(|name| ask.shown.wants(name));
    odds.outcomes.retain(|name, _| ask.shown.wants(name));
    if let Some(sample) = sample {
        sample.counts.retain(|(name, _)| ask.shown.wants(name));
    }
    Ok(())
}

/// Complains of an outcome that neither count nor sample has met.
fn known(found: &Found, name: &str) -> Result<(), Error> {
    let sampled = |name: &str| found.sample.as_ref().is_some_and(|sample| sample.counts.iter().any(|(known, _)| known == name));
    if sampled(name) { Ok(()) } else { found.odds.known(name) }
}

fn words(conditions: &[Condition]) -> String {
    conditions.iter().map(|c| format!("{} {} {}", c.name, c.sign, c.value)).collect::<Vec<_>>().join(" and ")
}

fn conditions_told(conditions: &[Condition]) -> Vec<Value> {
    conditions.iter().map(|c| json!({ "outcome": c.name, "sign": c.sign, "value": c.value })).collect()
}

/// The odds where the conditions hold, and how likely that is; complains of an outcome nobody names.
fn under(counted: &Counted, played: &Played, conditions: &[Condition]) -> Result<(Odds, Option<Fraction>), Error> {
    if conditions.is_empty() {
        return Ok((played.odds.clone(), None));
    }
    conditions.iter().try_for_each(|condition| played.odds.known(&condition.name))?;
    let (kept, share) = given(counted, &played.odds, conditions, &played.picked).ok_or_else(too_many)?;
    let text = words(conditions);
    if share.is_zero() {
        let values = |condition: &Condition| {
            let list = played.odds.of(&condition.name).map(|list| list.0.keys().cloned().collect::<Vec<_>>().join(", "));
            format!("{} can be {}", condition.name, list.unwrap_or_default())
        };
        let can = conditions.iter().map(values).collect::<Vec<_>>().join("; ");
        return Err(Error::Usage(format!("`{text}` never happens here: {can}")));
    }
    Ok((kept.within(&share), Some(share)))
}

/// Beyond so many rows one row says nothing any more.
const ROWS: usize = 2_000;

fn likeliest(counted: &Counted, played: &Played, exact: bool, page: Page) {
    let order = &played.odds.order;
    let found = if order.is_empty() { None } else { distribution::likeliest(counted, order, &played.picked, ROWS) };
    let Some((row, chance, alike)) = found else { return };
    let named: Vec<String> = order.iter().filter_map(|name| row.get(name).map(|value| format!("{name} {value}"))).collect();
    let fraction = if exact { format!(" = {chance}") } else { String::new() };
    let others = if alike > 1 { format!(", as likely as {} other{}", alike - 1, if alike == 2 { "" } else { "s" }) } else { String::new() };
    println!("\n{}", page.paint("1", &format!("Most likely of all, {}{fraction}{others}", percent(chance.share()))));
    print!("{}", page.line(&named.join(", "), &[]));
}

/// Says what was counted, and what was sampled.
fn sampled(
    found: &Found,
    sample: &Sample,
    (conditions, ask, game): (&[Condition], &Ask, &Game),
    (head, told): (&str, &Assumed),
    format: Format,
    page: Page,
) -> Result<ExitCode, Error> {
    let (mut odds, mut sample) = (found.odds.clone(), sample.clone());
    if !conditions.is_empty() {
        conditions.iter().try_for_each(|condition| known(found, &condition.name))?;
        let (kept, share) = given(&found.counted, &found.odds, conditions, &Picked::default()).ok_or_else(too_many)?;
        (odds, sample.within) = (kept, Some(share.share()));
        if share.is_zero() && sample.held == 0 {
            return Err(Error::Usage(format!("`{}` did not happen in what was counted and sampled", words(conditions))));
        }
    }
    only(&mut odds, Some(&mut sample), ask)?;
    match format {
        Format::Json => {
            let mut list = data(&odds, Some(&sample));
            if let Some((share, error)) = sample.condition() {
                list["given"] = json!({ "conditions": conditions_told(conditions), "percent": share * 100.0, "error": error * 100.0 });
            }
            print_json(&told.with(list));
        }
        Format::Text => {
            println!("{head}");
            print!("{}", page.line(&partly(&found.odds, &sample), &[]));
            if let Some((share, error)) = sample.condition() {
                let head = format!("given {}, which has a chance of {} ± {:.1}", words(conditions), percent(share), error * 100.0);
                println!("{}", page.paint("2", &head));
            }
            print!("{}{}", drawn(&odds, Some(&sample), ask, game, page), rests(told, ask, page));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Several outcomes together: a row for each way they come up where the conditions hold, likeliest first.
fn joint(
    found: &Found,
    ask: &Ask,
    measure: Option<&Measure>,
    (head, told): (&str, &Assumed),
    format: Format,
    page: Page,
) -> Result<ExitCode, Error> {
    let conditions = ask.asked().conditions;
    ask.joint.iter().chain(conditions.iter().map(|condition| &condition.name)).try_for_each(|name| known(found, name))?;
    let picked = if found.sample.is_some() { Picked::default() } else { played(&found.counted, &found.odds, measure)?.picked };
    let (rows, held) = rows(found, &ask.joint, &conditions, &picked)?;
    let text = words(&conditions);
    if rows.is_empty() {
        return Err(Error::Usage(format!("`{text}` never happens here")));
    }
    if format == Format::Json {
        let row = |row: &Row| match row.error {
            None => json!({ "values": row.values, "chance": row.counted.to_string(), "percent": row.share * 100.0 }),
            Some(error) => {
                json!({ "values": row.values, "counted": row.counted.to_string(), "percent": row.share * 100.0, "error": error * 100.0 })
            }
        };
        let rows: Vec<Value> = rows.iter().map(row).collect();
        let mut list = json!({ "complete": found.sample.is_none(), "joint": ask.joint, "rows": rows, "states": found.counted.states });
        if let Some(sample) = &found.sample {
            list["seen"] = json!(found.odds.seen.as_ref().map_or(0.0, Fraction::share));
            list["ended"] = json!(found.odds.ended.map(Cap::word));
            list["runs"] = json!(sample.runs);
        }
        if !conditions.is_empty() {
            list["given"] = json!({ "conditions": conditions_told(&conditions), "percent": held.0 * 100.0, "error": held.1.map(|error| error * 100.0) });
        }
        print_json(&told.with(list));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{head}");
    if let Some(sample) = &found.sample {
        print!("{}", page.line(&partly(&found.odds, sample), &[]));
    }
    if !conditions.is_empty() {
        let error = held.1.map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0));
        println!("{}", page.paint("2", &format!("given {text}, which has a chance of {}{error}", percent(held.0))));
    }
    let mut lines = vec![ask.joint.iter().cloned().chain(["chance".to_string()]).collect::<Vec<_>>()];
    for row in &rows {
        let error = row.error.map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0));
        let fraction = if ask.exact && row.error.is_none() { format!(" = {}", row.counted) } else { String::new() };
        let chance = format!("{}{error}{fraction}", percent(row.share));
        lines.push(row.values.iter().map(|value| in_words(value).to_string()).chain([chance]).collect());
    }
    let mut out = String::from("\n");
    choices::table(&mut out, &lines);
    print!("{out}{}", rests(told, ask, page));
    Ok(ExitCode::SUCCESS)
}
