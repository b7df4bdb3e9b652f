//! The headline of odds: the chances and means that are read first, as a sentence and as data.

use crate::odds::bar_chart::{BarRow, percent, rows};
use crate::odds::bounds::NEGLIGIBLE;
use crate::odds::distribution::{NO_OUTCOME, Odds, joint_outcomes, leading_number};
use crate::odds::fold::Strategy;
use crate::odds::fraction::Fraction;
use crate::odds::query::OddsResult;
use crate::odds::sample::Sample;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::headline::{
    AGAINST, HeadlineEntry, HeadlineFigure, headline_of, join_entries,
};
use casebook_engine::ruling::situation::Situation;
use std::collections::BTreeMap;

/// The value of one figure of a headline.
#[derive(Clone, Debug)]
pub struct FigureValue {
    pub figure: HeadlineFigure,
    /// A chance from 0 to 1, or a mean of those cases in which the outcome comes up; `None` if it never does.
    pub value: Option<f64>,
    /// The exact value, if everything was counted.
    pub exact: Option<Fraction>,
    /// The half-width of the value's 95 % interval, if a part was sampled.
    pub error: Option<f64>,
    /// The chance of the cases that a mean is of.
    pub share: f64,
    /// The unit of a mean.
    pub unit: String,
}

/// The values of one entry of a headline.
#[derive(Clone, Debug)]
pub struct EntryValues {
    pub caption: String,
    pub figures: Vec<FigureValue>,
}

/// Returns the values of a situation's headline; none if its procedure states no headline.
pub fn headline_values(
    situation: &Situation,
    odds: &Odds,
    sample: Option<&Sample>,
) -> Vec<EntryValues> {
    let is_named = |name: &str, outcome: &str| name == outcome;
    values_where(situation, odds, sample, is_named)
}

/// Returns the values of the headline of a procedure that another one calls: there its outcomes may bear a label, "battle 2: losses".
pub fn labelled_headline_values(situation: &Situation, odds: &Odds) -> Vec<EntryValues> {
    let is_named = |name: &str, outcome: &str| {
        let label = name.strip_suffix(outcome);
        label.is_some_and(|label| label.is_empty() || label.ends_with(": "))
    };
    values_where(situation, odds, None, is_named)
}

/// Returns the values of a headline by the outcomes whose names are those of its figures.
fn values_where(
    situation: &Situation,
    odds: &Odds,
    sample: Option<&Sample>,
    is_named: impl Fn(&str, &str) -> bool,
) -> Vec<EntryValues> {
    let headline = headline_of(situation);
    // A part of a count says little of the whole.
    if headline.is_empty()
        || !odds.is_all_but_complete() && sample.is_none_or(|sample| sample.runs == 0)
    {
        return Vec::new();
    }
    let charts = rows(odds, sample);
    let game = &situation.ruleset().game;
    let value = |figure: &HeadlineFigure| {
        let rows = charts
            .iter()
            .find(|(name, _)| is_named(name, &figure.outcome))
            .map(|(_, rows)| rows.as_slice())
            .unwrap_or_default();
        evaluate(figure, rows, sample, game)
    };
    let entry = |entry: &HeadlineEntry| EntryValues {
        caption: entry.caption.clone(),
        figures: entry.figures.iter().map(value).collect(),
    };
    headline.iter().map(entry).collect()
}

fn evaluate(
    figure: &HeadlineFigure,
    rows: &[BarRow],
    sample: Option<&Sample>,
    game: &Game,
) -> FigureValue {
    let named = rows.iter().filter(|row| row.value != NO_OUTCOME);
    let unit = game
        .outcome_units
        .get(&figure.outcome)
        .cloned()
        .unwrap_or_default();
    let share = named.clone().map(|row| row.chance).sum();
    let sampled = sample.and_then(|sample| sample.of_outcome(&figure.outcome));
    let value_of = |value, exact, error| FigureValue {
        figure: figure.clone(),
        value,
        exact,
        error,
        share,
        unit: unit.clone(),
    };
    match &figure.condition {
        Some(condition) => {
            let divided: f64 = named
                .clone()
                .filter(|row| condition.divides(&row.value))
                .map(|row| row.chance)
                .sum();
            let holds = named.filter(|row| condition.is_satisfied_by(&row.value));
            let (share, exact) = holds.fold((0.0, Fraction::ZERO), |(share, exact), row| {
                (share + row.chance, &exact + &row.counted)
            });
            let error = sample.map(|sample| match &sampled {
                Some(sampled) => {
                    sampled
                        .chance_of_any(|value| condition.is_satisfied_by(value), exact.to_f64())
                        .error
                }
                None => {
                    let estimate = sample.chance_of_unnamed(&condition.value, exact.to_f64());
                    estimate.error
                }
            });
            // Of numbers that are counted together it is not known how many satisfy it.
            let error = error.or((divided > 0.0).then_some(divided));
            value_of(
                Some(share),
                (sample.is_none() && divided == 0.0).then_some(exact),
                error.filter(|error| *error >= NEGLIGIBLE),
            )
        }
        None => {
            let (mut sum, mut exact_sum, mut exact_share) = (0.0, Fraction::ZERO, Fraction::ZERO);
            for row in named {
                let Some(number) = row.number() else {
                    return value_of(None, None, None);
                };
                sum += number.to_f64() * row.chance;
                exact_sum += &(&row.counted * &number);
                exact_share += &row.counted;
            }
            let mean = (share > 0.0).then(|| sum / share);
            let exact = if sample.is_some() {
                None
            } else {
                exact_sum.checked_div(&exact_share)
            };
            let error = sampled
                .zip(mean)
                .map(|(sampled, mean)| sampled.error_of_mean(mean, leading_number, share));
            value_of(mean, exact, error)
        }
    }
}

impl FigureValue {
    /// Returns the figure by itself: "83.3 %" or "3.8".
    pub fn short_text(&self) -> String {
        let error = |scale: f64| {
            self.error
                .map_or(String::new(), |error| format!(" ± {:.1}", error * scale))
        };
        match (self.value, &self.figure.condition) {
            (None, _) => "–".into(),
            (Some(mean), None) => format!("{mean:.1}{}", error(1.0)),
            (Some(share), Some(_)) => format!("{}{}", percent(share), error(100.0)),
        }
    }

    /// Returns the figure as part of a sentence: "in 83.3 %", "in every case" or "3.8".
    fn sentence_text(&self) -> String {
        let Some(_) = &self.figure.condition else {
            return self.short_text();
        };
        let text = self
            .exact
            .as_ref()
            .map(|exact| exact.to_string())
            .unwrap_or_default();
        match text.as_str() {
            "0" => "in no case".into(),
            "1" => "in every case".into(),
            _ => format!("in {}", self.short_text()),
        }
    }
}

impl EntryValues {
    /// Returns the common unit of its means; empty if there is none.
    pub fn unit(&self) -> &str {
        let unit = self
            .figures
            .first()
            .map_or("", |figure| figure.unit.as_str());
        if self.figures.iter().all(|figure| {
            figure.figure.condition.is_none() && figure.value.is_some() && figure.unit == unit
        }) {
            unit
        } else {
            ""
        }
    }

    /// Returns whether any of its figures has a value.
    pub fn comes_up(&self) -> bool {
        self.figures.iter().any(|figure| figure.value.is_some())
    }

    /// Returns whether all its figures are chances.
    pub fn is_chance(&self) -> bool {
        self.figures
            .iter()
            .all(|figure| figure.figure.condition.is_some())
    }

    /// Returns its figures as they stand alone, without their unit.
    pub fn bare_text(&self) -> String {
        self.figures
            .iter()
            .map(|figure| format!("{}{}", figure.short_text(), self.basis(figure)))
            .collect::<Vec<_>>()
            .join(AGAINST)
    }

    /// Returns in which share of all cases a mean holds, if it is shown with a mean of other cases.
    fn basis(&self, figure: &FigureValue) -> String {
        let is_alike = |other: &FigureValue| {
            other.value.is_none() || (other.share - figure.share).abs() < 1e-9
        };
        let is_plain = figure.value.is_none()
            || figure.figure.condition.is_some()
            || figure.share > 1.0 - 1e-9;
        if is_plain || self.figures.iter().all(is_alike) {
            String::new()
        } else {
            format!(" (in {})", percent(figure.share))
        }
    }

    /// Returns the entry as a part of the headline's sentence.
    pub fn sentence(&self) -> String {
        let figures: Vec<String> = self
            .figures
            .iter()
            .map(|figure| format!("{}{}", figure.sentence_text(), self.basis(figure)))
            .collect();
        format!("{} {} {}", self.caption, figures.join(AGAINST), self.unit())
            .trim_end()
            .to_string()
    }
}

/// Returns the caption of the headline's chance without which an outcome does not come up, and with which it always does. Equal chances
/// are not enough: every joint result of both is compared.
pub fn comes_up_exactly_if(
    result: &OddsResult,
    outcome: &str,
    values: &[EntryValues],
) -> Option<String> {
    let missing = result.odds.distribution(outcome)?.chance(NO_OUTCOME);
    let chance = &Fraction::ONE - &missing;
    let equal = |figure: &FigureValue| figure.exact.as_ref().is_some_and(|exact| *exact == chance);
    let entries = values
        .iter()
        .filter(|entry| entry.figures.len() == 1 && entry.is_chance() && equal(&entry.figures[0]));
    for entry in entries {
        let condition = entry.figures[0].figure.condition.as_ref()?;
        let names = [condition.name.clone(), outcome.to_string()];
        let rows = joint_outcomes(&result.counted, &names, &Strategy::default()).ok()??;
        let holds = |row: &BTreeMap<String, String>| {
            row.get(&condition.name)
                .is_some_and(|value| condition.is_satisfied_by(value))
        };
        if rows
            .iter()
            .all(|(row, _)| holds(row) == row.contains_key(outcome))
        {
            return Some(entry.caption.clone());
        }
    }
    None
}

/// Returns the headline as one sentence, without what never comes up; empty if nothing is left.
pub fn sentence(values: &[EntryValues]) -> String {
    join_entries(
        &values
            .iter()
            .filter(|entry| entry.comes_up())
            .map(EntryValues::sentence)
            .collect::<Vec<_>>(),
    )
}
