//! What `casebook odds` adds where sides choose: what was chosen, ranges, matrices, and the part a case has in the odds.

use crate::command::args::Format;
use crate::command::compare::{LeftOut, lacks_figure, listed_out, told_out};
use crate::command::counting::{Ask, Progress, end, stop, threads};
use crate::command::{print_json, tables};
use crate::compare::parting::parting;
use crate::compare::verdicts::Verdict;
use crate::compare::view::{Question, View};
use crate::compare::ways::ways;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::assumed::{Assumed, assumed};
use crate::odds::bars::percent;
use crate::odds::best::{Played, ranges};
use crate::odds::count::Counted;
use crate::odds::distribution::{NOTHING, Odds, in_words};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::matrix::{self, Matrix, Mix};
use crate::odds::measure::Measure;
use crate::ruleset::compose::{Ruleset, Wish};
use crate::ruling::page::Page;
use crate::situation::policy::{EVERYBODY, Kind, Policies};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// What they rest on: all of it, a line, or nothing.
pub fn rests(told: &Assumed, ask: &Ask, page: Page) -> String {
    if ask.shown.brief && !ask.shown.sources { String::new() } else { told.footer(page) }
}

fn figure(f: &Fraction, exact: bool) -> String {
    if exact { f.to_string() } else { format!("{:.3}", f.share()) }
}

fn chance(f: &Fraction, exact: bool) -> String {
    if exact { f.to_string() } else { percent(f.share()) }
}

/// What the measure comes to, and what was chosen for it.
pub fn head(played: &Played, measure: Option<&Measure>, policies: &Policies, exact: bool, page: Page) -> String {
    let mut out = String::new();
    if let (Some(measure), Some(value)) = (measure, &played.value) {
        let fraction = if exact { format!(" = {value}") } else { String::new() };
        let _ = writeln!(out, "\n{}   {:.3}{fraction}", page.paint("1", &measure.text), value.share());
    }
    for (kind, word) in [(Kind::Best, "highest"), (Kind::Worst, "lowest")] {
        for side in policies.sides_with(&kind) {
            let who = if side == EVERYBODY { "everybody else" } else { &side };
            let _ = writeln!(out, "  {who} takes what makes it {word}, knowing what has been before");
            if side != EVERYBODY && !policies.asked().values().any(|sides| sides.contains(&side)) {
                let _ = writeln!(out, "  (but nobody asks {side} anything here)");
            }
        }
    }
    for ((side, what), options) in &played.decided {
        let sum = options.values().map(|f| f.share()).sum::<f64>();
        let mut list: Vec<_> = options.iter().collect();
        list.sort_by(|a, b| b.1.cmp(a.1));
        let often: Vec<String> = match list[..] {
            [(option, _)] => vec![option.clone()],
            _ => list.iter().map(|(option, f)| format!("{option} {}", percent(f.share() / sum))).collect(),
        };
        let _ = writeln!(out, "  {side}: {what}: {}", often.join(", "));
    }
    out
}

/// Prints the range of every outcome.
pub fn all(counted: &Counted, (head, told): (&str, &Assumed), ask: &Ask, format: Format, page: Page) -> Result<ExitCode, Error> {
    let (mut list, exact) = (ranges(counted), ask.exact);
    ask.shown.known(&list.iter().map(|range| range.outcome.clone()).collect::<Vec<_>>())?;
    list.retain(|range| ask.shown.wants(&range.outcome));
    if format == Format::Json {
        let value =
            |(v, low, high): &(String, Fraction, Fraction)| json!({ "value": v, "lowest": low.to_string(), "highest": high.to_string() });
        let outcome = |r: &crate::odds::best::Range| {
            let mean = r.mean.as_ref().map(|(low, high)| json!({ "lowest": low.to_string(), "highest": high.to_string() }));
            json!({ "outcome": r.outcome, "mean": mean, "values": r.values.iter().map(value).collect::<Vec<_>>() })
        };
        print_json(&told.with(json!({ "complete": true, "ranges": list.iter().map(outcome).collect::<Vec<_>>() })));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{head}");
    for range in &list {
        let mean = range.mean.as_ref().map_or(String::new(), |(low, high)| match low == high {
            true => format!("   mean {}", figure(low, exact)),
            false => format!("   mean {} to {}", figure(low, exact), figure(high, exact)),
        });
        println!("\n{}{mean}", page.paint("1", &range.outcome));
        // The range of a mean says it in a line.
        if ask.shown.brief && range.mean.is_some() {
            continue;
        }
        let width = range.values.iter().map(|(v, ..)| in_words(v).chars().count()).max().unwrap_or(0).max(4);
        for (value, low, high) in &range.values {
            let to = if low == high { String::new() } else { format!(" to {}", chance(high, exact)) };
            println!("  {:>width$}  {:>8}{to}", in_words(value), chance(low, exact));
        }
    }
    print!("{}", rests(told, ask, page));
    Ok(ExitCode::SUCCESS)
}

/// Prints what each pair of answers to a question is worth, and the mix.
pub fn matrix(
    counted: &Counted,
    policies: &Policies,
    (what, measure): (&str, &Measure),
    (head, told): (&str, &Assumed),
    ask: &Ask,
    format: Format,
    page: Page,
) -> Result<ExitCode, Error> {
    let high = policies.sides_with(&Kind::Best);
    let games = matrix::matrices(counted, policies, what, measure, high.first().map(String::as_str))?;
    let too_large = || Error::Usage("these numbers are too large for the mix to be found".into());
    let mixes = games.iter().map(|(matrix, _)| matrix.mix()).collect::<Option<Vec<Mix>>>().ok_or_else(too_large)?;
    match format {
        Format::Json => {
            let text = |list: &[Fraction]| list.iter().map(Fraction::to_string).collect::<Vec<_>>();
            let side =
                |(name, options): &(String, Vec<String>), mix: &[Fraction]| json!({ "side": name, "options": options, "mix": text(mix) });
            let game = |((matrix, chance), mix): (&(Matrix, Fraction), &Mix)| {
                json!({
                    "chance": chance.to_string(), "rows": side(&matrix.rows, &mix.rows), "columns": side(&matrix.columns, &mix.columns),
                    "cells": matrix.cells.iter().map(|row| text(row)).collect::<Vec<_>>(),
                    "value": mix.value.to_string(), "rounded": mix.rounded,
                })
            };
            let games: Vec<Value> = games.iter().zip(&mixes).map(game).collect();
            print_json(&told.with(json!({ "question": what, "measure": measure.text, "games": games })));
        }
        Format::Text => {
            println!("{head}\n\n{}", page.paint("1", &format!("{what} · {}", measure.text)));
            for ((matrix, chance), mix) in games.iter().zip(&mixes) {
                print!("{}", drawn(matrix, chance, mix, ask.exact));
            }
            if games.len() > 1 {
                let all = games.iter().map(|(_, chance)| chance.share()).sum::<f64>();
                let worth = games.iter().zip(&mixes).map(|((_, chance), mix)| chance.share() * mix.value.share()).sum::<f64>();
                println!("\n  Over all these positions it is worth {:.3}.", worth / all);
            }
            print!("{}", rests(told, ask, page));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn drawn(matrix: &Matrix, came: &Fraction, mix: &Mix, exact: bool) -> String {
    let ((high, rows), (low, columns)) = (&matrix.rows, &matrix.columns);
    let mut out = String::from("\n");
    let _ = writeln!(out, "  down: {high}, who wants it high; across: {low}, who wants it low");
    if *came != Fraction::ONE {
        let _ = writeln!(out, "  it comes to this with a chance of {}", chance(came, exact));
    }
    out.push('\n');
    let mut lines = vec![[String::new()].into_iter().chain(columns.iter().cloned()).chain([format!("{high} plays")]).collect::<Vec<_>>()];
    for (i, row) in matrix.cells.iter().enumerate() {
        let cells = row.iter().map(|f| figure(f, exact));
        lines.push([rows[i].clone()].into_iter().chain(cells).chain([chance(&mix.rows[i], exact)]).collect());
    }
    let plays = mix.columns.iter().map(|f| chance(f, exact));
    lines.push([format!("{low} plays")].into_iter().chain(plays).chain([String::new()]).collect());
    table(&mut out, &lines);
    let fraction = if exact { format!(" = {}", mix.value) } else { String::new() };
    let _ = writeln!(out, "\n  Played so, it is worth {:.3}{fraction}; neither side does better with any one option.", mix.value.share());
    if mix.rounded {
        let _ = writeln!(out, "  The cells were rounded to ten-thousandths for the mix: exact, its numbers are too large.");
    }
    out
}

/// Lines in columns, all but the first set to the right.
pub fn table(out: &mut String, lines: &[Vec<String>]) {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| lines.iter().filter_map(|line| line.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        let cells = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(i, (cell, width))| if i == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
        let _ = writeln!(out, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// Prints what a case, table, variant, option or reading does to the odds.
pub fn by(
    library: &Arc<Library>,
    name: &str,
    (wish, ruleset): (&Wish, &Ruleset),
    (what, policies, measure): (&str, &Arc<Policies>, Option<&Measure>),
    ask: &Ask,
    format: Format,
    page: Page,
) -> Result<ExitCode, Error> {
    let shown = Progress::new();
    let progress = |doing: &str, _: f64, count: u64| shown.tell(|| format!("{doing}: {count}"));
    let question = Question {
        library,
        name,
        overrides: &ask.overrides,
        choices: &ask.choose,
        policies: policies.clone(),
        measure,
        strict: ask.strict,
        end: end(ask.limit),
        memory: ask.memory,
        stop: stop(),
        progress: &progress,
        threads: threads(),
    };
    let ways = ways(library, wish, ruleset, what)?;
    let count = ways.len();
    let (mut found, mut left_out): (Vec<(String, View)>, Vec<LeftOut>) = Default::default();
    for (place, (title, wish)) in ways.into_iter().enumerate() {
        match question.view(question.situation(&wish)?, question.part(2 * count - place)) {
            Ok(view) => found.push((title, view)),
            // What the others are held against must be there.
            Err(error) if found.is_empty() => return Err(error),
            Err(error) => left_out.push((title, lacks_figure(&error).ok_or(error)?)),
        }
    }
    let mut held = Vec::new();
    for (place, (_, view)) in found[1..].iter().enumerate() {
        held.push(parting(&question, &found[0].1, view, question.part(found.len() - 1 - place), false)?);
    }
    shown.done();
    let differing = held.iter().flat_map(|parting| &parting.differences).map(|difference| difference.outcome.clone());
    let mut names: Vec<String> = found.iter().flat_map(|(_, view)| view.odds.order.clone()).chain(differing).collect();
    names.sort();
    names.dedup();
    ask.shown.known(&names)?;
    found.iter_mut().for_each(|(_, view)| view.odds.order.retain(|name| ask.shown.wants(name)));
    held.iter_mut().for_each(|parting| parting.differences.retain(|difference| ask.shown.wants(&difference.outcome)));
    let base = &found[0].1;
    let mut told = assumed(&base.situation, &base.consulted, policies, &ask.choose);
    told.in_full = ask.shown.sources;
    let named = |verdict: Verdict| {
        let mut names: Vec<String> = Vec::new();
        for name in held.iter().flat_map(|parting| parting.of(verdict)).map(|difference| &difference.outcome) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    };
    let (moved, open) = (named(Verdict::Differs), named(Verdict::Undecided));
    match format {
        Format::Json => {
            let views: Vec<Value> =
                found.iter().map(|(title, view)| json!({ "ruleset": title, "odds": crate::odds::bars::data(&view.odds, None) })).collect();
            let partings: Vec<Value> = held
                .iter()
                .map(|parting| json!({ "verdict": parting.verdict(), "runs": parting.runs, "outcomes": parting.differences }))
                .collect();
            print_json(&told.with(json!({ "case": what, "moved": moved, "not_decided": open, "views": views, "partings": partings, "left_out": told_out(&left_out) })));
        }
        Format::Text => {
            let titles: Vec<&str> = found.iter().map(|(title, _)| title.as_str()).collect();
            if moved.is_empty() && open.is_empty() && found.len() > 1 {
                let of = if ask.shown.only.is_empty() { String::new() } else { format!(" of {}", ask.shown.only.join(" and ")) };
                println!("{what} moves nothing here: {} have the same odds{of}.", titles.join(" and "));
            }
            if found.iter().all(|(_, view)| view.complete()) {
                // Long titles stand above the tables, by number.
                let long = !moved.is_empty() && titles.iter().any(|title| title.chars().count() > 24);
                let number = |place: usize, title: &str| if long { format!("({})", place + 1) } else { title.to_string() };
                if long {
                    (0..).zip(&titles).for_each(|(place, title)| print!("{}", page.line(&format!("{} {title}", number(place, "")), &[])));
                }
                let one = |(place, (title, view)): (usize, &(String, View))| (number(place, title), view.odds.clone());
                let list: Vec<(String, Odds)> = found.iter().enumerate().map(one).collect();
                for name in &moved {
                    print!("\n{}\n{}", page.paint("1", name), sideways(name, &list, ask));
                }
            } else {
                for (parting, title) in held.iter().zip(&titles[1..]) {
                    print!("{}", tables::verdicts(parting, [titles[0], title], page));
                }
            }
            print!("{}{}", listed_out(&left_out, page), rests(&told, ask, page));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One outcome under several rulesets, side by side.
fn sideways(name: &str, found: &[(String, Odds)], ask: &Ask) -> String {
    let exact = ask.exact;
    // What is never named is surely not named.
    let never = || Distribution([(NOTHING.to_string(), Fraction::ONE)].into());
    let lists: Vec<Distribution> = found.iter().map(|(_, odds)| odds.of(name).cloned().unwrap_or_else(never)).collect();
    let mut values: Vec<&String> = lists.iter().flat_map(|d| d.0.keys()).collect::<BTreeSet<_>>().into_iter().collect();
    values.sort_by_key(|v| (*v == NOTHING, v.parse::<i64>().unwrap_or(0)));
    let mut lines = vec![[String::new()].into_iter().chain(found.iter().map(|(title, _)| title.clone())).collect::<Vec<_>>()];
    let means = lists.iter().all(|d| d.mean().is_some());
    if ask.shown.brief && means {
        values.clear();
    }
    if means {
        lines.push(["mean".to_string()].into_iter().chain(lists.iter().filter_map(|d| d.mean()).map(|m| figure(&m, exact))).collect());
    }
    lines.extend(
        values
            .into_iter()
            .map(|v| [in_words(v).to_string()].into_iter().chain(lists.iter().map(|d| chance(&d.chance(v), exact))).collect()),
    );
    let mut out = String::new();
    table(&mut out, &lines);
    out
}
