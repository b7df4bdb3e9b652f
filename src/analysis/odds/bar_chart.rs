//! The values of outcomes with their chances, as rows that texts and pages draw as bars.

use crate::odds::bounds::Cap;
use crate::odds::distribution::{NO_OUTCOME, Odds, leading_number};
use crate::odds::fraction::{Distribution, Fraction};
use crate::odds::sample::Sample;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::condition::GatheredValues;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

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

/// Adds up the values that the game groups under one name, in the order of first occurrence; each group keeps its rows.
pub fn group_rows<'r>(rows: &'r [BarRow], game: &Game) -> Vec<(BarRow, Vec<&'r BarRow>)> {
    let mut groups: Vec<(BarRow, Vec<&BarRow>)> = Vec::new();
    let mut index_of_name: FxHashMap<&str, usize> = FxHashMap::default();
    for row in rows {
        let name = game.group_outcome(&row.value);
        match index_of_name.get(name) {
            Some(index) => {
                let (group, members) = &mut groups[*index];
                group.add(row);
                members.push(row);
            }
            None => {
                index_of_name.insert(name, groups.len());
                let value = name.into();
                groups.push((
                    BarRow {
                        value,
                        ..row.clone()
                    },
                    vec![row],
                ));
            }
        }
    }
    groups
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

/// Returns the unit of the values of an outcome, as a note after its name; empty if none is declared.
pub fn unit_note(game: &Game, outcome: &str) -> String {
    game.outcome_units
        .get(outcome)
        .map_or(String::new(), |unit| format!(" ({unit})"))
}

/// An outcome with the values it takes.
pub type OutcomeRows = (String, Vec<BarRow>);

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
