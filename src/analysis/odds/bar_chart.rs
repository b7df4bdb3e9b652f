//! Renders odds as text: a table with a bar for each value of an outcome.

use crate::odds::bounds::{Cap, NEGLIGIBLE};
use crate::odds::distribution::{NO_OUTCOME, Odds, leading_number};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::sample::Sample;
use casebook_engine::complaint::Remedy;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::condition::GatheredValues;
use casebook_engine::ruling::headline::group_outcomes;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::ruling::terminal_page::TerminalPage;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The width of the longest bar in characters.
const BAR_WIDTH: f64 = 40.0;

/// The number of values of an outcome that a text lists; rarer ones are added up.
pub const MAX_SHOWN: usize = 200;

/// The chance below which one that was left out is not stated to its size.
const LEAST_STATED: f64 = 1e-99;

/// Formats a share from 0 to 1 as a percentage; a possible value never shows as 0 and an uncertain one never as 100.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p > 0.0 && p < 0.05 => "<0.1 %".into(),
        p if (99.95..100.0).contains(&p) => ">99.9 %".into(),
        p => format!("{p:.1} %"),
    }
}

/// Draws a bar for a share from 0 to 1.
pub fn bar(share: f64) -> String {
    let eighths = (share * BAR_WIDTH * 8.0).round() as usize;
    "█".repeat(eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
}

/// Sorts the rows of an outcome for display: numbers by size, words by descending counted chance, the unnamed outcome last.
fn sort_rows(rows: &mut [BarRow]) {
    if rows
        .iter()
        .all(|row| row.value == NO_OUTCOME || leading_number(&row.value).is_some())
    {
        rows.sort_by_cached_key(|row| {
            (
                row.value == NO_OUTCOME,
                leading_number(&row.value).unwrap_or(0),
                row.value.clone(),
            )
        });
    } else {
        let is_last = |row: &BarRow| row.value == NO_OUTCOME;
        rows.sort_by(|a, b| {
            let by_chance = || b.counted.cmp(&a.counted);
            let order = is_last(a).cmp(&is_last(b)).then_with(by_chance);
            order.then_with(|| natural_parts(&a.value).cmp(natural_parts(&b.value)))
        });
    }
}

/// Splits a text into words and numbers, to compare numbers by size: "back in 6/62" sorts before "back in 10/62".
fn natural_parts(text: &str) -> impl Iterator<Item = (&[u8], u64)> {
    let is_alike = |a: &u8, b: &u8| a.is_ascii_digit() == b.is_ascii_digit();
    let parts = text.as_bytes().chunk_by(is_alike);
    parts.map(|part| match str::from_utf8(part).map(str::parse) {
        Ok(Ok(number)) => (&[][..], number),
        _ => (part, 0),
    })
}

/// Describes how much was counted, which limit ended the count, and how the rest was sampled. `how_far` says to which end it was counted:
/// empty for that of a whole situation.
pub fn partly(odds: &Odds, sample: &Sample, how_far: &str) -> String {
    if let Some(share) = odds
        .uncounted_share()
        .filter(|_| odds.is_all_but_complete())
    {
        let share = if share < LEAST_STATED {
            format!("less than {LEAST_STATED:e}")
        } else {
            format!("{share:.0e}")
        };
        let ended = match odds.ended {
            Some(Cap::Depth) | None => String::new(),
            Some(cap) => format!(" {}", cap.describe()),
        };
        return format!(
            "Counted exactly{how_far}, but for what comes so late that it has, together, a chance of {share}: it is in no value below.{ended}"
        );
    }
    let counted_share = percent(odds.counted_share.as_ref().map_or(0.0, Fraction::to_f64));
    let sampled_rest = match (sample.runs - sample.cut_runs, sample.cut_runs) {
        (0, _) => "the rest is not known, ± being how much it may add".to_string(),
        (runs, 0) => format!("the rest is a sample of {runs} runs, ± being its 95 % error"),
        (runs, cut) => format!(
            "the rest is a sample of {runs} runs and {cut} that took too much, ± being its 95 % error"
        ),
    };
    let ended = odds
        .ended
        .map_or(String::new(), |cap| format!(" {}", cap.describe()));
    format!("{counted_share} of all chances were counted{how_far}; {sampled_rest}.{ended}")
}

/// Merges the values that the game groups under one name.
fn group_values(rows: Vec<BarRow>, game: &Game, shown: &dyn Fn(&str) -> String) -> Vec<BarRow> {
    let mut members: FxHashMap<String, usize> = FxHashMap::default();
    rows.iter().for_each(|row| {
        *members
            .entry(game.group_outcome(&row.value).to_string())
            .or_insert(0) += 1
    });
    merge_rows(rows, |row| {
        let name = game.group_outcome(&row.value);
        if members[name] == 1 {
            shown(&row.value)
        } else {
            name.into()
        }
    })
}

/// Merges rows to which `name` gives the same name, in the order of first occurrence.
pub fn merge_rows(rows: Vec<BarRow>, name: impl Fn(&BarRow) -> String) -> Vec<BarRow> {
    let mut merged: Vec<BarRow> = Vec::new();
    let mut index_of_name: FxHashMap<String, usize> = FxHashMap::default();
    for row in rows {
        let value = name(&row);
        match index_of_name.get(&value) {
            Some(index) => merged[*index].add(&row),
            None => {
                index_of_name.insert(value.clone(), merged.len());
                merged.push(BarRow { value, ..row });
            }
        }
    }
    merged
}

/// Keeps the `most` likeliest rows in their order, and returns the number of the others with their sum.
pub fn gather_rare(mut rows: Vec<BarRow>, most: usize) -> (Vec<BarRow>, Option<(usize, BarRow)>) {
    if rows.len() <= most {
        return (rows, None);
    }
    let mut likeliest: Vec<usize> = (0..rows.len()).collect();
    likeliest.sort_by(|a, b| rows[*b].chance.total_cmp(&rows[*a].chance));
    let mut is_kept = vec![false; rows.len()];
    likeliest[..most]
        .iter()
        .for_each(|index| is_kept[*index] = true);
    let count = rows.len() - most;
    let mut others = BarRow {
        value: String::new(),
        counted: Fraction::ZERO,
        chance: 0.0,
        error: rows[0].error.map(|_| 0.0),
        gathered_mean: None,
    };
    rows.iter()
        .zip(&is_kept)
        .filter(|(_, kept)| !**kept)
        .for_each(|(row, _)| others.add(row));
    let mut kept = is_kept.iter();
    rows.retain(|_| kept.next().copied().unwrap_or(true));
    others.value = format!(
        "and {} other{}, together",
        with_thousands(count),
        if count == 1 { "" } else { "s" }
    );
    (rows, Some((count, others)))
}

/// The same, with the others as the last row.
pub fn with_rare_together(rows: Vec<BarRow>, most: usize) -> Vec<BarRow> {
    let (mut rows, others) = gather_rare(rows, most);
    rows.extend(others.map(|(_, others)| others));
    rows
}

/// Formats a number with commas between its thousands.
fn with_thousands(number: usize) -> String {
    let digits = number.to_string();
    let comma = |(index, digit): (usize, char)| {
        [
            (index > 0 && (digits.len() - index).is_multiple_of(3)).then_some(','),
            Some(digit),
        ]
    };
    digits
        .chars()
        .enumerate()
        .flat_map(comma)
        .flatten()
        .collect()
}

/// Summarizes each outcome in one line: the mean of many numbers, else the likeliest values.
pub fn summarize(odds: &Odds, sample: Option<&Sample>, game: &Game) -> String {
    let outcomes = rows(odds, sample);
    let width = outcomes
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let line = |(name, rows): (String, Vec<BarRow>)| {
        let is_number = |row: &BarRow| {
            row.value.parse::<i64>().is_ok() || GatheredValues::parse(&row.value).is_some()
        };
        let mean = rows
            .iter()
            .filter(|row| is_number(row))
            .map(|row| Some(row.number()?.to_f64() * row.chance))
            .sum::<Option<f64>>();
        if let Some(mean) = mean.filter(|_| rows.len() > 3 && rows.iter().all(is_number)) {
            return format!(
                "  {name:<width$}  mean {mean:.2}, {} to {}\n",
                rows[0].value,
                rows[rows.len() - 1].value
            );
        }
        let shown = |value: &str| odds.shown(&name, value).to_string();
        let mut rows = group_values(rows, game, &shown);
        rows.sort_by(|a, b| b.chance.total_cmp(&a.chance));
        let ellipsis = if rows.len() > 3 {
            format!(" and {} more", rows.len() - 3)
        } else {
            String::new()
        };
        let error = |row: &BarRow| {
            row.error
                .map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0))
        };
        let values = rows
            .iter()
            .take(3)
            .map(|row| format!("{} {}{}", row.value, percent(row.chance), error(row)));
        format!(
            "  {name:<width$}  {}{ellipsis}\n",
            values.collect::<Vec<_>>().join(", ")
        )
    };
    format!("\n{}", outcomes.into_iter().map(line).collect::<String>())
}

/// Draws all outcomes with bars, and errors where a part was sampled. With `exact` it adds fractions and keeps values apart that the game
/// groups.
pub fn draw(
    odds: &Odds,
    sample: Option<&Sample>,
    exact: bool,
    situation: &Situation,
    page: TerminalPage,
) -> String {
    let game = &situation.ruleset().game;
    let (mut out, mut together, mut rare) = (String::new(), 0, false);
    for (title, (name, rows)) in rows_by_group(situation, rows(odds, sample)) {
        if let Some(title) = title {
            let _ = writeln!(out, "\n{}", page.paint("1;4", &title));
        }
        let values = rows.len();
        let shown = |value: &str| odds.shown(&name, value).to_string();
        let rows: Vec<BarRow> = match exact {
            true => rows
                .into_iter()
                .map(|row| BarRow {
                    value: shown(&row.value),
                    ..row
                })
                .collect(),
            false => group_values(rows, game, &shown),
        };
        together += values - rows.len();
        rare |= !exact && rows.len() > MAX_SHOWN;
        // Where values have no end, those that are as rare as what was left out tell nothing one by one.
        let most = if odds.is_all_but_complete() && !odds.is_complete() {
            rows.iter()
                .filter(|row| row.chance >= NEGLIGIBLE)
                .count()
                .min(MAX_SHOWN)
        } else {
            MAX_SHOWN
        };
        let rows = if exact {
            rows
        } else {
            with_rare_together(rows, most)
        };
        let counted = odds.distribution(&name).filter(|_| sample.is_none());
        let mean = counted
            .filter(|_| rows.len() > 1)
            .and_then(Distribution::mean)
            .map(|mean| {
                let fraction = if exact {
                    format!(" = {mean}")
                } else {
                    String::new()
                };
                page.paint("2", &format!("   mean {:.2}{fraction}", mean.to_f64()))
            });
        let unit = unit_note(game, &name);
        let _ = writeln!(
            out,
            "\n{}{unit}{}",
            page.paint("1", &name),
            mean.unwrap_or_default()
        );
        let width = rows
            .iter()
            .map(|row| row.value.chars().count())
            .max()
            .unwrap_or(0)
            .max(4);
        for row in rows {
            let fraction = if exact && sample.is_none() {
                format!("  {}", row.counted)
            } else {
                String::new()
            };
            let bar = page.paint("36", &bar(row.chance));
            let error = row
                .error
                .filter(|_| !odds.is_all_but_complete())
                .map_or(String::new(), |error| format!(" ± {:<4.1}", error * 100.0));
            let _ = writeln!(
                out,
                "  {:>width$}  {:>7}{error}  {bar}{fraction}",
                row.value,
                percent(row.chance)
            );
        }
    }
    if together > 0 {
        out += &format!(
            "\n{}\n",
            page.paint(
                "2",
                &page.advise(
                    "Values for which the game has one name are added up.",
                    Some(Remedy::ListValues)
                )
            )
        );
    }
    if rare {
        out += &format!(
            "\n{}\n",
            page.paint(
                "2",
                &page.advise(
                    &format!("The {MAX_SHOWN} likeliest values are listed."),
                    Some(Remedy::ListValues)
                )
            )
        );
    }
    out
}

/// Returns the unit of the values of an outcome, as a note after its name; empty if none is declared.
pub fn unit_note(game: &Game, outcome: &str) -> String {
    game.outcome_units
        .get(outcome)
        .map_or(String::new(), |unit| format!(" ({unit})"))
}

/// An outcome with the values it takes.
pub type OutcomeRows = (String, Vec<BarRow>);

/// Sorts outcomes by their groups; the first of a group carries its title, unless the group has none.
fn rows_by_group(
    situation: &Situation,
    charts: Vec<OutcomeRows>,
) -> Vec<(Option<String>, OutcomeRows)> {
    let names: Vec<String> = charts.iter().map(|(name, _)| name.clone()).collect();
    let mut charts: Vec<Option<OutcomeRows>> = charts.into_iter().map(Some).collect();
    let mut sorted = Vec::new();
    for group in group_outcomes(situation, &names) {
        let mut title = Some(group.title).filter(|title| !title.is_empty());
        for name in &group.outcomes {
            let index = names.iter().position(|known| known == name);
            sorted.extend(
                index
                    .and_then(|index| charts[index].take())
                    .map(|chart| (title.take(), chart)),
            );
        }
    }
    sorted
}

/// A value of an outcome: its counted chance, its estimated chance, and the error if a part was sampled.
#[derive(Clone, Debug)]
pub struct BarRow {
    pub value: String,
    /// The counted part of its chance.
    pub counted: Fraction,
    /// Its estimated chance, from 0 to 1.
    pub chance: f64,
    /// The half-width of its 95 % interval, if a part was sampled.
    pub error: Option<f64>,
    /// The mean of the numbers that it represents, such as "17 or more", if it is known.
    pub gathered_mean: Option<Fraction>,
}

impl BarRow {
    /// Returns the number that the value begins with, or the mean of those that it represents; `None` if there is none.
    pub fn number(&self) -> Option<Fraction> {
        match GatheredValues::parse(&self.value) {
            Some(_) => self.gathered_mean.clone(),
            None => leading_number(&self.value).map(Fraction::from_integer),
        }
    }

    /// Adds the chance of another value.
    pub fn add(&mut self, other: &BarRow) {
        self.counted += &other.counted;
        self.chance += other.chance;
        // The errors of disjoint values are negatively correlated, so this is an upper bound of the error of their sum.
        self.error = self
            .error
            .zip(other.error)
            .map(|(a, b)| a.hypot(b).min(1.0));
    }
}

/// Returns the values of every outcome in display order.
pub fn rows(odds: &Odds, sample: Option<&Sample>) -> Vec<OutcomeRows> {
    let sampled = sample
        .into_iter()
        .flat_map(|sample| sample.counts.iter().map(|(name, _)| name));
    let names = odds
        .order
        .iter()
        .chain(sampled.filter(|name| odds.distribution(name).is_none()));
    names
        .map(|name| (name.clone(), rows_of(odds, sample, name)))
        .collect()
}

/// Returns the values of one outcome in display order; none if it is not named.
pub fn rows_of(odds: &Odds, sample: Option<&Sample>, name: &str) -> Vec<BarRow> {
    let distribution = odds.distribution(name);
    let mut chances: BTreeMap<&str, Fraction> = distribution
        .into_iter()
        .flat_map(Distribution::iter)
        .map(|(v, f)| (v, f.clone()))
        .collect();
    let sampled = sample.and_then(|sample| sample.of_outcome(name));
    if let Some(sampled) = &sampled {
        let counted_share = odds
            .counted_share
            .as_ref()
            .filter(|share| distribution.is_none() && !share.is_zero());
        chances.extend(counted_share.map(|share| (NO_OUTCOME, share.clone())));
        for value in sampled.values() {
            chances.entry(value).or_insert(Fraction::ZERO);
        }
    }
    let row = |(value, counted): (&str, Fraction)| {
        let exact = counted.to_f64();
        let (chance, error) = sample.map_or((exact, None), |sample| {
            let estimate = match &sampled {
                Some(sampled) => sampled.chance(value, exact),
                None => sample.chance_of_unnamed(value, exact),
            };
            (estimate.share, Some(estimate.error))
        });
        let gathered_mean = distribution
            .filter(|_| sampled.is_none())
            .and_then(|list| list.gathered_mean(value).cloned());
        BarRow {
            value: value.into(),
            counted,
            chance,
            error,
            gathered_mean,
        }
    };
    let mut rows: Vec<BarRow> = chances.into_iter().map(row).collect();
    sort_rows(&mut rows);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_values_are_gathered() {
        let row = |number: u32| {
            let counted = Fraction::new(&number.into(), &1_000_000u32.into());
            BarRow {
                value: number.to_string(),
                chance: counted.to_f64(),
                counted,
                error: None,
                gathered_mean: None,
            }
        };
        let rows: Vec<BarRow> = (1..=1_234).map(row).collect();
        assert_eq!(with_rare_together(rows.clone(), 2_000).len(), 1_234);
        let shown = with_rare_together(rows, 2);
        let texts: Vec<&str> = shown.iter().map(|row| row.value.as_str()).collect();
        assert_eq!(texts, ["1233", "1234", "and 1,232 others, together"]);
        assert_eq!(
            shown[2].counted,
            Fraction::new(&(1_232 * 1_233 / 2u32).into(), &1_000_000u32.into())
        );
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(with_thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
