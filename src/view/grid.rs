//! Odds side by side: under several rulesets, at several values of a figure, before and after a change, after each option of a choice, or
//! of a journal under other rules. A column is a variation, a row a value of an outcome.

use crate::block::AnswerBlock;
use casebook_analysis::compare::paired_runs::PairCounts;
use casebook_analysis::compare::ruleset_difference::RulesetDifference;
use casebook_analysis::compare::verdicts::ShareChange;
use casebook_analysis::compare::view::RulesetView;
use casebook_analysis::odds::bar_chart::{
    BarRow, OutcomeRows, group_rows, percent, rows, unit_note,
};
use casebook_analysis::odds::distribution::{NO_OUTCOME, Odds, shown_value};
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::odds::sample::Sample;
use casebook_analysis::odds::sweep::{SweepPoint, SweepResult};
use casebook_analysis::usecase::compare::{RulesetComparison, ViewPairs};
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::condition::GatheredValues;
use casebook_engine::ruling::headline::UnnamedOutcomes;
use casebook_engine::situation::value_text::distinct;
use std::collections::BTreeSet;

/// The number of values of an outcome that are shown at once; the others are folded.
pub const MAX_ROWS: usize = 12;
/// The number of variations that stand in columns beside each other.
const MAX_COLUMNS: usize = 4;
/// A longer title stands above its column's number.
const MAX_TITLE: usize = 24;

/// What the odds are of, such as a ruleset or an option, with the values of each outcome; without outcomes nothing is known of it.
pub struct Variation {
    pub title: String,
    outcomes: Option<Vec<OutcomeRows>>,
    /// The row of an outcome that is never named.
    never: BarRow,
    /// The number of runs, of odds that were sampled alone.
    runs: Option<u64>,
}

pub struct OutcomeGrid {
    pub name: String,
    pub rows: Vec<GridRow>,
    /// Values that change less, or, where numbers have a mean, each of them.
    pub folded: Vec<GridRow>,
}

/// A value of an outcome, or the mean of its numbers, under each variation.
pub struct GridRow {
    pub label: String,
    pub is_mean: bool,
    pub cells: Vec<Option<OddsCell>>,
    /// The interval of the difference between two variations that were sampled on the same dice.
    interval: Option<(f64, f64)>,
}

/// A chance from 0 to 1, or a mean.
#[derive(Clone, Debug, PartialEq)]
pub struct OddsCell {
    pub share: f64,
    /// The fraction, where everything was counted.
    pub exact: Option<Fraction>,
    /// The half-width of the 95 % interval, where a part was sampled.
    pub error: Option<f64>,
}

/// The odds of several variations of one game.
pub struct OddsGrid<'g> {
    pub variations: Vec<Variation>,
    pub game: &'g Game,
    pub unnamed: &'g UnnamedOutcomes,
    /// What runs on the same dice say of the difference of two variations.
    pub difference: Option<&'g RulesetDifference>,
    /// Whether values that the game groups stand apart, none is folded, and fractions are written.
    pub exact: bool,
    /// Whether a mean stands for all values of an outcome.
    pub brief: bool,
}

impl Variation {
    /// Takes the odds as they were counted and sampled.
    pub fn counted(title: &str, odds: &Odds, sample: Option<&Sample>) -> Variation {
        let counted = odds.counted_share.clone().unwrap_or(Fraction::ZERO);
        let error = sample.map(|_| 1.0 - counted.to_f64());
        let mut outcomes = rows(odds, sample);
        for (name, rows) in outcomes.iter_mut().filter(|(_, rows)| !rows.is_empty()) {
            let sampled = sample.and_then(|sample| sample.of_outcome(name));
            let unseen = sampled.map(|sampled| sampled.chance(NO_OUTCOME, 0.0));
            let is_new = !rows.iter().any(|row| row.value == NO_OUTCOME);
            if let Some(unseen) = unseen.filter(|unseen| is_new && unseen.share > 0.0) {
                rows.push(unnamed_row(
                    unseen.share,
                    Fraction::ZERO,
                    Some(unseen.error),
                ));
            }
        }
        Variation {
            title: title.into(),
            outcomes: Some(outcomes),
            never: unnamed_row(1.0, counted, error),
            runs: None,
        }
    }

    /// Takes the first or the second ruleset of runs on the same dice.
    fn paired(title: &str, pairs: &PairCounts, of_second: bool) -> Variation {
        let sample = Sample {
            runs: pairs.runs,
            uncounted_share: 1.0,
            ..Sample::default()
        };
        let row = |(value, times): (&str, u64)| {
            let estimate = sample.estimate(times, 0.0);
            let row = unnamed_row(estimate.share, Fraction::ZERO, Some(estimate.error));
            BarRow {
                value: value.into(),
                ..row
            }
        };
        let outcome = |name: &String| {
            let counts = pairs.counts_of(name, of_second).into_iter();
            (
                name.clone(),
                counts.filter(|(_, times)| *times > 0).map(row).collect(),
            )
        };
        Variation {
            title: format!("{title} (a sample of {} runs)", pairs.runs),
            outcomes: Some(pairs.counts.keys().map(outcome).collect()),
            never: unnamed_row(
                1.0,
                Fraction::ZERO,
                Some(sample.estimate(pairs.runs, 0.0).error),
            ),
            runs: Some(pairs.runs),
        }
    }

    fn unknown(title: &str) -> Variation {
        Variation {
            title: title.into(),
            outcomes: None,
            never: unnamed_row(1.0, Fraction::ONE, None),
            runs: None,
        }
    }

    /// Takes a view as it was counted, or else as it was sampled with another: the first or the second of a pair.
    fn of_view<'d>(
        view: &RulesetView,
        pairs: impl IntoIterator<Item = (Option<&'d RulesetDifference>, bool)>,
    ) -> Variation {
        if view.is_complete() {
            return Variation::counted(&view.title, &view.odds, None);
        }
        let pairs = pairs.into_iter();
        let mut sampled =
            pairs.filter_map(|(difference, second)| Some((difference?.pairs.as_ref()?, second)));
        match sampled.find(|(pairs, _)| pairs.runs > 0) {
            Some((pairs, of_second)) => Variation::paired(&view.title, pairs, of_second),
            None => Variation::unknown(&format!("{} (not counted)", view.title)),
        }
    }

    /// Returns the values of an outcome.
    fn rows_of(&self, name: &str) -> Option<Vec<BarRow>> {
        let outcomes = self.outcomes.as_ref()?;
        let found = outcomes.iter().find(|(outcome, _)| outcome == name);
        Some(match found.map(|(_, rows)| rows) {
            Some(rows) if !rows.is_empty() => rows.clone(),
            _ => vec![self.never.clone()],
        })
    }
}

fn unnamed_row(chance: f64, counted: Fraction, error: Option<f64>) -> BarRow {
    BarRow {
        value: NO_OUTCOME.into(),
        counted,
        chance,
        error,
        gathered_mean: None,
    }
}

impl GridRow {
    pub fn of_means(label: &str, cells: Vec<Option<OddsCell>>) -> GridRow {
        GridRow {
            label: label.into(),
            is_mean: true,
            cells,
            interval: None,
        }
    }

    /// Whether all variations give the same, and that is counted.
    pub fn is_same(&self) -> bool {
        let is_first = |cell: &Option<OddsCell>| *cell == self.cells[0];
        let is_counted = |cell: &OddsCell| cell.exact.is_some();
        self.cells
            .iter()
            .all(|cell| cell.as_ref().is_some_and(is_counted) && is_first(cell))
    }

    /// Returns the greatest difference between two variations.
    fn spread(&self) -> f64 {
        let shares = || self.cells.iter().flatten().map(|cell| cell.share);
        shares().fold(f64::MIN, f64::max) - shares().fold(f64::MAX, f64::min)
    }

    /// Returns the greatest chance.
    pub fn highest(&self) -> f64 {
        self.cells
            .iter()
            .flatten()
            .map(|cell| cell.share)
            .fold(0.0, f64::max)
    }

    /// Writes a cell: `?` where nothing is known.
    pub fn cell_text(&self, cell: Option<&OddsCell>, exact: bool) -> String {
        match cell {
            None => "?".into(),
            Some(OddsCell {
                exact: Some(fraction),
                ..
            }) if exact => fraction.to_string(),
            Some(cell) if self.is_mean => {
                let error = cell
                    .error
                    .map_or(String::new(), |error| format!(" ± {error:.2}"));
                format!("{:.2}{error}", cell.share)
            }
            // What no run of a sample showed may come up all the same.
            Some(OddsCell {
                share: 0.0,
                exact: None,
                ..
            }) => "not seen".into(),
            Some(cell) => {
                let error = cell
                    .error
                    .map_or(String::new(), |error| format!(" ± {:.1}", error * 100.0));
                percent(cell.share) + &*error
            }
        }
    }

    /// Writes the difference between two variations: of chances in percentage points.
    fn difference_text(&self) -> String {
        let [Some(from), Some(to)] = &self.cells[..] else {
            return String::new();
        };
        let text = |by: f64| match (self.is_mean, by * 100.0) {
            (true, _) => format!("{by:+.2}"),
            (false, points) if points > 0.0 && points < 0.05 => "+<0.1".into(),
            (false, points) if points < 0.0 && points > -0.05 => "-<0.1".into(),
            (false, points) => format!("{points:+.1}"),
        };
        let interval = self.interval.map_or(String::new(), |(low, high)| {
            format!(" ({} to {})", text(low), text(high))
        });
        text(to.share - from.share) + &*interval
    }
}

impl OutcomeGrid {
    /// Takes what a measure comes to at each value of a sweep, if there is one.
    pub fn of_measure(name: &str, result: &SweepResult) -> Option<OutcomeGrid> {
        let cell = |point: &Result<SweepPoint, String>| {
            let exact = point.as_ref().ok()?.measure.clone()?;
            let (share, error) = (exact.to_f64(), None);
            let exact = Some(exact);
            Some(OddsCell {
                share,
                exact,
                error,
            })
        };
        let points = result.lines.iter().flat_map(|line| &line.points);
        let row = GridRow::of_means("value", points.map(cell).collect());
        let is_known = row.cells.iter().any(Option::is_some);
        is_known.then(|| OutcomeGrid {
            name: name.into(),
            rows: vec![row],
            folded: Vec::new(),
        })
    }

    /// Whether variations differ in a value, as far as they are known.
    pub fn differs(&self) -> bool {
        let cells = |row: &GridRow| row.cells.iter().flatten().cloned().collect::<Vec<_>>();
        self.all_rows()
            .any(|row| cells(row).windows(2).any(|pair| pair[0] != pair[1]))
    }

    /// Whether all variations give the same, and that is counted.
    pub fn is_same(&self) -> bool {
        self.all_rows().all(GridRow::is_same)
    }

    /// Says how many values are folded.
    fn folded_note(&self) -> Option<String> {
        match self.folded.len() {
            0 => None,
            count => Some(format!("and {count} more values")),
        }
    }

    pub fn all_rows(&self) -> impl Iterator<Item = &GridRow> {
        self.rows.iter().chain(&self.folded)
    }
}

impl<'g> OddsGrid<'g> {
    /// Takes variations of one situation.
    pub fn new(
        variations: Vec<Variation>,
        game: &'g Game,
        unnamed: &'g UnnamedOutcomes,
    ) -> OddsGrid<'g> {
        OddsGrid {
            variations,
            game,
            unnamed,
            difference: None,
            exact: false,
            brief: false,
        }
    }

    /// Takes the rulesets of a comparison.
    pub fn of_comparison(compared: &'g RulesetComparison, pairs: ViewPairs) -> OddsGrid<'g> {
        let difference = |index: usize| compared.differences.get(index);
        let variation = |(index, view): (usize, &RulesetView)| {
            let as_first = match pairs {
                ViewPairs::WithFirst if index > 0 => None,
                _ => difference(index),
            };
            let as_second = index.checked_sub(1).and_then(difference);
            Variation::of_view(view, [(as_first, false), (as_second, true)])
        };
        let odds = &compared.views[0];
        let variations = compared.views.iter().enumerate().map(variation).collect();
        OddsGrid {
            difference: difference(0).filter(|_| compared.views.len() == 2),
            ..OddsGrid::new(
                variations,
                &odds.situation.ruleset().game,
                &odds.odds.unnamed,
            )
        }
    }

    /// Takes the values of a sweep, line by line.
    pub fn of_sweep(result: &'g SweepResult) -> Option<OddsGrid<'g>> {
        let mut variations = Vec::new();
        let mut unnamed = None;
        for line in &result.lines {
            for (value, point) in result.sweep.values.iter().zip(&line.points) {
                variations.push(match point {
                    Ok(point) => Variation::counted(value, &point.odds, point.sample.as_ref()),
                    Err(_) => Variation::unknown(value),
                });
                unnamed = unnamed.or(point.as_ref().ok().map(|point| &point.odds.unnamed));
            }
        }
        let game = &result.lines.first()?.situation.ruleset().game;
        Some(OddsGrid::new(variations, game, unnamed?))
    }

    /// Takes two views under titles of their own, and what their difference is.
    pub fn of_pair(
        views: [&'g RulesetView; 2],
        titles: [&str; 2],
        difference: &'g RulesetDifference,
    ) -> OddsGrid<'g> {
        let variation = |index: usize| Variation {
            title: titles[index].into(),
            ..Variation::of_view(views[index], [(Some(difference), index == 1)])
        };
        OddsGrid {
            difference: Some(difference),
            ..OddsGrid::new(
                vec![variation(0), variation(1)],
                &views[0].situation.ruleset().game,
                &difference.unnamed,
            )
        }
    }

    /// Returns the names of all outcomes, in the order in which the rules name them.
    pub fn outcomes(&self) -> Vec<String> {
        let all = self
            .variations
            .iter()
            .flat_map(|one| &one.outcomes)
            .flatten();
        distinct(all.map(|(name, _)| name.clone()))
    }

    /// Returns an outcome with at most so many values that are not folded: those that change most. Where few are shown, a mean stands for all.
    pub fn outcome(&self, name: &str, most: usize) -> OutcomeGrid {
        let group = |rows: Vec<BarRow>| match self.exact {
            true => rows,
            false => {
                let groups = group_rows(&rows, self.game).into_iter();
                groups.map(|(group, _)| group).collect()
            }
        };
        let lists = self.variations.iter();
        let lists = lists.map(|one| Some(group(one.rows_of(name)?)));
        let lists: Vec<Option<Vec<BarRow>>> = lists.collect();
        let values = lists
            .iter()
            .flatten()
            .flatten()
            .map(|row| row.value.as_str());
        let mut values: Vec<&str> = values.collect::<BTreeSet<_>>().into_iter().collect();
        let number = |value: &str| {
            let gathered = || Some(GatheredValues::parse(value)?.from);
            value.parse::<i64>().ok().or_else(gathered)
        };
        let named: Vec<&str> = values
            .iter()
            .copied()
            .filter(|value| *value != NO_OUTCOME)
            .collect();
        let are_numbers = named.iter().all(|value| number(value).is_some());
        let is_conditional = named.len() < values.len();
        // The chance of the outcome's only value implies the chance that it is not named.
        if named.len() == 1 {
            values.retain(|value| *value != NO_OUTCOME);
        }
        let row = |value: &str| GridRow {
            label: shown_value(self.unnamed, name, value).into(),
            is_mean: false,
            cells: lists
                .iter()
                .map(|list| Some(cell_of(list.as_ref()?, value)))
                .collect(),
            interval: self
                .change_of(name, value)
                .filter(|change| change.exact.is_none())
                .map(|change| (change.low, change.high)),
        };
        let mut rows: Vec<(&str, GridRow)> = values
            .into_iter()
            .map(|value| (value, row(value)))
            .collect();
        rows.sort_by(|(a, x), (b, y)| {
            (*a == NO_OUTCOME)
                .cmp(&(*b == NO_OUTCOME))
                .then(y.highest().total_cmp(&x.highest()))
                .then(a.cmp(b))
        });
        let mut mean = None;
        if are_numbers && named.len() > 1 {
            let cells = lists
                .iter()
                .zip(&self.variations)
                .map(|(list, one)| mean_of(list.as_ref()?, one.runs));
            let cells: Vec<Option<OddsCell>> = cells.collect();
            let label = if is_conditional {
                "mean where it comes up"
            } else {
                "mean"
            };
            mean = cells.iter().any(Option::is_some).then(|| GridRow {
                label: label.into(),
                is_mean: true,
                cells,
                interval: None,
            });
        }
        let most = match (&mean, self.exact) {
            (_, true) => rows.len(),
            (Some(_), false) if named.len() > most && most <= MAX_ROWS => 0,
            _ => most,
        };
        let mut folded = Vec::new();
        if rows.len() > most {
            // Of values that change alike, the likelier ones stay.
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|a, b| rows[*b].1.spread().total_cmp(&rows[*a].1.spread()));
            let kept: BTreeSet<usize> = order.into_iter().take(most).collect();
            let mut index = 0..;
            (rows, folded) = rows
                .into_iter()
                .partition(|_| index.next().is_some_and(|index| kept.contains(&index)));
        }
        for list in [&mut rows, &mut folded].into_iter().filter(|_| are_numbers) {
            list.sort_by_key(|(value, _)| (*value == NO_OUTCOME, number(value)));
        }
        if self.brief && mean.is_some() {
            (rows, folded) = (Vec::new(), Vec::new());
        }
        let rows = rows.into_iter().map(|(_, row)| row);
        OutcomeGrid {
            name: name.into(),
            rows: mean.into_iter().chain(rows).collect(),
            folded: folded.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// Returns what is known of the difference of a value between two variations.
    fn change_of(&self, outcome: &str, value: &str) -> Option<&ShareChange> {
        let outcomes = &self.difference?.outcomes;
        let outcome = outcomes.iter().find(|one| one.outcome == outcome)?;
        outcome.values.iter().find(|change| change.value == value)
    }

    /// Returns the outcomes that differ, or may differ, one below the other; many variations stand in rows.
    pub fn changes(&self, names: &[String], most: usize) -> Vec<AnswerBlock> {
        let outcomes = names.iter().map(|name| self.outcome(name, most));
        let outcomes: Vec<OutcomeGrid> = outcomes.filter(|outcome| !outcome.is_same()).collect();
        let titles = self.variations.iter().map(|one| one.title.clone());
        match outcomes.len() {
            0 => Vec::new(),
            _ if self.variations.len() > MAX_COLUMNS => {
                self.tables_over("", &titles.collect::<Vec<_>>(), &outcomes)
            }
            _ => vec![self.legend(), self.table(&outcomes)],
        }
    }

    /// Returns what stands above each column: its title, or its number where titles are long.
    pub fn column_titles(&self) -> Vec<String> {
        let is_long = self.has_long_titles();
        let head = |(number, one): (usize, &Variation)| match is_long {
            true => format!("({number})"),
            false => one.title.clone(),
        };
        (1..).zip(&self.variations).map(head).collect()
    }

    fn has_long_titles(&self) -> bool {
        self.variations
            .iter()
            .any(|one| one.title.chars().count() > MAX_TITLE)
    }

    /// Returns the titles by the numbers of their columns, where these are not above the columns themselves.
    pub fn legend(&self) -> AnswerBlock {
        let row = |(head, one): (String, &Variation)| vec![head, one.title.clone()];
        let rows = self.column_titles().into_iter().zip(&self.variations);
        AnswerBlock::rows(rows.filter(|_| self.has_long_titles()).map(row).collect())
    }

    /// Returns outcomes as one table: a row for each value in which the variations differ or may differ.
    pub fn table(&self, outcomes: &[OutcomeGrid]) -> AnswerBlock {
        let is_pair = self.variations.len() == 2;
        let more = is_pair.then(|| "difference".to_string());
        let head = std::iter::once(String::new())
            .chain(self.column_titles())
            .chain(more);
        let mut rows: Vec<Vec<String>> = Vec::new();
        for outcome in outcomes {
            rows.push(vec![format!(
                "{}{}",
                outcome.name,
                unit_note(self.game, &outcome.name)
            )]);
            for row in outcome.rows.iter().filter(|row| !row.is_same()) {
                let cells = row
                    .cells
                    .iter()
                    .map(|cell| row.cell_text(cell.as_ref(), self.exact));
                let difference = is_pair.then(|| row.difference_text());
                let label = format!("  {}", row.label);
                rows.push(
                    std::iter::once(label)
                        .chain(cells)
                        .chain(difference)
                        .collect(),
                );
            }
            rows.extend(outcome.folded_note().map(|note| vec![format!("  {note}")]));
        }
        let head = head.collect();
        AnswerBlock::Table { head, rows }
    }

    /// Returns outcomes as tables of their own, with a row for each variation of a line: `label` and `values` name the rows, and the
    /// variations are line by line those of each value.
    pub fn tables_over(
        &self,
        label: &str,
        values: &[String],
        outcomes: &[OutcomeGrid],
    ) -> Vec<AnswerBlock> {
        let lines = self.variations.len() / values.len().max(1);
        let table = |outcome: &OutcomeGrid| {
            let head = outcome.rows.iter().flat_map(|row| {
                (1..=lines).map(|line| match lines {
                    1 => row.label.clone(),
                    _ => format!("{} ({line})", row.label),
                })
            });
            let row = |(place, value): (usize, &String)| {
                let cells = outcome.rows.iter().flat_map(|row| {
                    let of_value = row.cells.iter().skip(place).step_by(values.len());
                    of_value.map(|cell| row.cell_text(cell.as_ref(), self.exact))
                });
                std::iter::once(value.clone()).chain(cells).collect()
            };
            let table = AnswerBlock::Table {
                head: std::iter::once(label.to_string()).chain(head).collect(),
                rows: values.iter().enumerate().map(row).collect(),
            };
            let title = format!("{}{}", outcome.name, unit_note(self.game, &outcome.name));
            let folded = AnswerBlock::text(outcome.folded_note().unwrap_or_default());
            AnswerBlock::section(title, vec![table, folded])
        };
        outcomes.iter().map(table).collect()
    }
}

fn cell_of(rows: &[BarRow], value: &str) -> OddsCell {
    let row = rows.iter().find(|row| row.value == value);
    let is_counted = rows.iter().all(|row| row.error.is_none());
    OddsCell {
        share: row.map_or(0.0, |row| row.chance),
        exact: is_counted.then(|| row.map_or(Fraction::ZERO, |row| row.counted.clone())),
        error: row.and_then(|row| row.error),
    }
}

/// Returns the mean of the numbers of an outcome, over the cases in which it comes up; `runs` of a sample alone give it an error.
fn mean_of(rows: &[BarRow], runs: Option<u64>) -> Option<OddsCell> {
    let named = || rows.iter().filter(|row| row.value != NO_OUTCOME);
    let numbers = named()
        .map(|row| Some((row, row.number()?)))
        .collect::<Option<Vec<_>>>()?;
    let total: f64 = named().map(|row| row.chance).sum();
    let mean_by = |of: &dyn Fn(f64) -> f64| {
        let term = |(row, number): &(&BarRow, Fraction)| of(number.to_f64()) * row.chance;
        numbers.iter().map(term).sum::<f64>() / total
    };
    let mut exact = None;
    if rows.iter().all(|row| row.error.is_none()) {
        let (mut sum, mut counted) = (Fraction::ZERO, Fraction::ZERO);
        for (row, number) in &numbers {
            sum += &(number * &row.counted);
            counted += &row.counted;
        }
        exact = sum.checked_div(&counted);
    }
    // What is the same by its fractions is the same number, too.
    let mean = exact
        .as_ref()
        .map_or_else(|| mean_by(&|number| number), Fraction::to_f64);
    let error = |runs: u64| {
        let spread = mean_by(&|number| (number - mean).powi(2));
        1.96 * (spread / (runs as f64 * total)).sqrt()
    };
    (total > 0.0).then(|| OddsCell {
        share: mean,
        error: runs.map(error),
        exact,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_run_of_a_sample_showed_is_neither_impossible_nor_the_same() {
        let unseen = OddsCell {
            share: 0.0,
            exact: None,
            error: None,
        };
        let never = OddsCell {
            exact: Some(Fraction::ZERO),
            ..unseen.clone()
        };
        let row = |cell: &OddsCell| GridRow {
            label: "3".into(),
            is_mean: false,
            cells: vec![Some(cell.clone()), Some(cell.clone())],
            interval: None,
        };
        let shown = |cell: &OddsCell| row(cell).cell_text(Some(cell), false);
        assert_eq!([shown(&unseen), shown(&never)], ["not seen", "0.0 %"]);
        assert_eq!(
            [row(&unseen), row(&never)].map(|row| row.is_same()),
            [false, true]
        );
    }
}
