//! Odds as a person reads them: a table with bars for every outcome.

use crate::odds::distribution::{NOTHING, Odds};
use crate::odds::sample::Sample;
use crate::ruling::page::Page;
use crate::situation::fraction::{Distribution, Fraction};
use serde_json::{Value, json};
use std::fmt::Write;

/// Width of the longest bar.
const WIDTH: f64 = 40.0;

/// A share of 1 as a percentage: as exact as a person needs, never 0 for what can happen and never 100 for what can fail.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p > 0.0 && p < 0.05 => "<0.1 %".into(),
        p if (99.95..100.0).contains(&p) => ">99.9 %".into(),
        p => format!("{p:.1} %"),
    }
}

fn bar(share: f64) -> String {
    let eighths = (share * WIDTH * 8.0).round() as usize;
    "█".repeat(eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
}

/// The values of an outcome in the order a person expects: numbers by size, words likeliest first, nothing last.
fn sorted(distribution: &Distribution) -> Vec<(&str, Fraction)> {
    let mut list: Vec<(&str, Fraction)> = distribution.0.iter().map(|(v, f)| (v.as_str(), *f)).collect();
    let numbers = list.iter().all(|(v, _)| *v == NOTHING || v.parse::<i64>().is_ok());
    list.sort_by(|(a, x), (b, y)| {
        let rank = |v: &str| (v == NOTHING, v.parse::<i64>().unwrap_or(0));
        let words = (*a == NOTHING).cmp(&(*b == NOTHING)).then_with(|| y.order(x)).then_with(|| natural(a).cmp(&natural(b)));
        if numbers { rank(a).cmp(&rank(b)) } else { words }
    });
    list
}

/// A text with its numbers as numbers: "back in 6/62" stands before "back in 10/62".
fn natural(text: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0u64)];
    for c in text.chars() {
        if let Some((words, number)) = parts.last_mut() {
            match c.to_digit(10) {
                Some(digit) => *number = number.saturating_mul(10).saturating_add(u64::from(digit)),
                None if *number == 0 => words.push(c),
                None => parts.push((c.to_string(), 0)),
            }
        }
    }
    parts
}

/// All outcomes with bars; fractions beside the percentages where `exact`.
pub fn draw(odds: &Odds, exact: bool, page: Page) -> String {
    let mut out = String::new();
    for name in &odds.order {
        let Some(distribution) = odds.of(name) else {
            let _ = writeln!(out, "\n{}  (too many ways to be counted)", page.paint("1", name));
            continue;
        };
        let list = sorted(&distribution);
        let mean = distribution.mean().filter(|_| list.len() > 1).map(|mean| {
            let fraction = if exact { format!(" = {mean}") } else { String::new() };
            page.paint("2", &format!("   mean {:.2}{fraction}", mean.share()))
        });
        let _ = writeln!(out, "\n{}{}", page.paint("1", name), mean.unwrap_or_default());
        let width = list.iter().map(|(v, _)| v.chars().count()).max().unwrap_or(0).max(4);
        for (value, chance) in list {
            let fraction = if exact { format!("  {chance}") } else { String::new() };
            let drawn = page.paint("36", &bar(chance.share()));
            let _ = writeln!(out, "  {value:>width$}  {:>7}  {drawn}{fraction}", percent(chance.share()));
        }
    }
    out
}

/// The same of a sample, with its error.
pub fn draw_sample(sample: &Sample, page: Page) -> String {
    let mut out = String::new();
    for (name, counts) in &sample.counts {
        let _ = writeln!(out, "\n{}", page.paint("1", name));
        let mut list: Vec<(&String, &u64)> = counts.iter().collect();
        list.sort_by_key(|(value, _)| (value.parse::<i64>().unwrap_or(0), value.to_string()));
        let width = list.iter().map(|(v, _)| v.chars().count()).max().unwrap_or(0).max(4);
        for (value, count) in list {
            let share = *count as f64 / sample.runs.max(1) as f64;
            let drawn = page.paint("36", &bar(share));
            let _ = writeln!(out, "  {value:>width$}  {:>7} ± {:<4.1}  {drawn}", percent(share), sample.error(*count) * 100.0);
        }
    }
    out
}

/// Odds for a program: exact fractions as text.
pub fn data(odds: &Odds) -> Value {
    let outcomes = odds.order.iter().filter_map(|name| {
        let distribution = odds.of(name)?;
        let value = |(v, f): (&str, Fraction)| json!({ "value": v, "chance": f.to_string(), "percent": f.share() * 100.0 });
        let values: Vec<Value> = sorted(&distribution).into_iter().map(value).collect();
        Some(json!({ "outcome": name, "mean": distribution.mean().map(|m| m.to_string()), "values": values }))
    });
    let outcomes: Vec<Value> = outcomes.collect();
    json!({ "complete": true, "outcomes": outcomes, "runs": odds.runs })
}
