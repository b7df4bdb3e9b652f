//! Renders odds: the headline first, then a chart for each outcome, group by group, with the odds before the changes as a thin mark.

use crate::serve::chart::render_assumptions;
use crate::serve::layout::LinkTarget;
use casebook_analysis::odds::assumptions::CountedOdds;
use casebook_analysis::odds::bar_chart::{
    BarRow, gather_rare, group_rows, partly, percent, rows, unit_note, with_rare_together,
};
use casebook_analysis::odds::distribution::{NO_OUTCOME, leading_number};
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::odds::headline::{
    EntryValues, FigureValue, comes_up_exactly_if, headline_values,
};
use casebook_analysis::odds::query::OddsResult;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::condition::GatheredValues;
use casebook_engine::ruling::headline::{AGAINST, group_outcomes};
use casebook_engine::ruling::situation::Situation;
use casebook_view::html::{MAX_FOLDED, render_value};
use maud::{Markup, html};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of chart rows shown before the rest is collapsed.
const MAX_ROWS: usize = 12;
/// Changes below this share, and below this much of a mean, are not shown: they would round to nothing.
const LEAST_CHANGE: f64 = 0.0005;
/// The largest graph in which it is looked up on what an outcome depends.
const MAX_STATES: u64 = 20_000;

/// How the numbers of a chart are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberReading {
    /// The chance of each value.
    #[default]
    Each,
    /// The chance of a value or more.
    AtLeast,
    /// The chance of a value or less.
    AtMost,
}

impl NumberReading {
    /// The readings by their word in an address, with their labels.
    const ALL: [(&str, NumberReading, &str); 3] = [
        ("", NumberReading::Each, "exactly"),
        ("least", NumberReading::AtLeast, "at least"),
        ("most", NumberReading::AtMost, "at most"),
    ];

    /// Parses the word of an address.
    pub fn parse(text: &str) -> NumberReading {
        NumberReading::ALL
            .iter()
            .find(|(word, ..)| *word == text)
            .map_or(NumberReading::Each, |(_, reading, _)| *reading)
    }
}

/// The odds of a situation as a page shows them.
pub struct OddsView<'a> {
    pub counted: &'a CountedOdds,
    /// The odds before the changes of the request, if they were counted whole.
    pub before: Option<&'a OddsResult>,
    pub situation: &'a Situation,
    pub links: &'a LinkTarget,
    /// How numbers are read.
    pub reading: NumberReading,
}

/// The chart of one outcome: the values it takes where it comes up.
struct OutcomeChart {
    name: String,
    /// The values; their chances are of the cases in which the outcome comes up.
    rows: Vec<BarRow>,
    /// The chance that it comes up at all.
    comes_up: f64,
    /// The exact chance.
    exact: Option<Fraction>,
    /// Whether all values are numbers, or numbers with the same words.
    numeric: bool,
}

impl OutcomeChart {
    /// Builds the chart of an outcome. What only ever comes out "yes" otherwise comes out "no".
    fn new(name: &str, rows: &[BarRow], sampled: bool) -> OutcomeChart {
        let (missing, mut rows): (Vec<BarRow>, Vec<BarRow>) = rows
            .iter()
            .cloned()
            .partition(|row| row.value == NO_OUTCOME);
        let missing = missing.into_iter().next();
        let (mut comes_up, mut exact) = (1.0, (!sampled).then_some(Fraction::ONE));
        if let Some(missing) = missing.filter(|missing| missing.chance > 0.0) {
            if rows.len() == 1 && rows[0].value == "yes" {
                rows.push(BarRow {
                    value: "no".into(),
                    ..missing
                });
            } else {
                comes_up = 1.0 - missing.chance;
                exact = exact.map(|one| &one - &missing.counted);
                for row in &mut rows {
                    row.chance /= comes_up;
                    row.error = row.error.map(|error| error / comes_up);
                    row.counted = exact
                        .as_ref()
                        .and_then(|whole| row.counted.checked_div(whole))
                        .unwrap_or_else(|| row.counted.clone());
                }
            }
        }
        let numeric = rows.iter().all(|row| leading_number(&row.value).is_some());
        OutcomeChart {
            name: name.into(),
            rows,
            comes_up,
            exact,
            numeric,
        }
    }

    /// Returns whether there is but one value, so that a bar would say nothing.
    fn is_single(&self, sampled: bool) -> bool {
        self.rows.len() == 1 && !sampled
    }

    /// Returns the mean of numbers, over the cases in which the outcome comes up.
    fn mean(&self) -> Option<f64> {
        let sum = |sum: f64, row: &BarRow| Some(sum + row.number()?.to_f64() * row.chance);
        self.rows
            .iter()
            .try_fold(0.0, sum)
            .filter(|_| !self.rows.is_empty())
    }

    /// Returns the rows with the chances of a value or more, or a value or less.
    fn read(&self, reading: NumberReading, game: &Game) -> Vec<(BarRow, Vec<BarRow>)> {
        if reading == NumberReading::Each || !self.numeric {
            let grouped = group_rows(&self.rows, game);
            return grouped
                .into_iter()
                .map(|(row, ways)| (row, ways.into_iter().cloned().collect()))
                .collect();
        }
        // Sums run from the end from which they are read.
        let mut rows = self.rows.clone();
        let from_above = reading == NumberReading::AtLeast;
        let mut sum = (0.0, Fraction::ZERO);
        let count = rows.len();
        for index in 0..count {
            let row = &mut rows[if from_above { count - 1 - index } else { index }];
            sum = (sum.0 + row.chance, &sum.1 + &row.counted);
            (row.chance, row.counted) = (sum.0.min(1.0), sum.1.clone());
        }
        // What is gathered at an end has no value from which the other end could be read.
        rows.retain(|row| {
            GatheredValues::parse(&row.value).is_none_or(|gathered| gathered.rises == from_above)
        });
        rows.into_iter().map(|row| (row, Vec::new())).collect()
    }
}

/// Builds the charts of all outcomes.
fn charts_of(result: &OddsResult) -> Vec<OutcomeChart> {
    let sampled = result.sample.is_some();
    let charts = rows(&result.odds, result.sample.as_ref());
    charts
        .iter()
        .map(|(name, list)| OutcomeChart::new(name, list, sampled))
        .collect()
}

impl<'a> OddsView<'a> {
    /// Returns the view of odds without any changes.
    pub fn plain(
        counted: &'a CountedOdds,
        situation: &'a Situation,
        links: &'a LinkTarget,
    ) -> OddsView<'a> {
        OddsView {
            counted,
            before: None,
            situation,
            links,
            reading: NumberReading::Each,
        }
    }

    /// Renders the headline, then the charts, then the assumptions.
    pub fn render(&self) -> Markup {
        html! { (self.render_headline()) (self.render_charts_of_all()) }
    }

    /// Renders the charts of all outcomes, and the assumptions.
    pub fn render_charts_of_all(&self) -> Markup {
        let result = &self.counted.result;
        let charts = charts_of(result);
        let old_charts = self.before.map(charts_of).unwrap_or_default();
        let names: Vec<String> = charts.iter().map(|chart| chart.name.clone()).collect();
        let groups = group_outcomes(self.situation, &names);
        let none_first = groups.first().is_none_or(|group| !group.title.is_empty());
        let chart_of = |name: &String| charts.iter().find(|chart| chart.name == *name);
        let listed = |names: &[String]| -> Vec<&OutcomeChart> {
            names.iter().filter_map(chart_of).collect()
        };
        html! {
            @match &result.sample {
                Some(sample) => p.partly role="status" { (partly(&result.odds, sample, "")) }
                None => p.quiet { "Exact: every chance was counted." }
            }
            @if charts.iter().any(|chart| chart.numeric && chart.rows.len() > 1) { (self.render_readings()) }
            @for group in &groups {
                @if group.title.is_empty() {
                    (self.render_charts(&listed(&group.outcomes), &old_charts))
                } @else {
                    details.group open[none_first] {
                        summary { (group.title) " " span.quiet { (group.outcomes.len()) } }
                        (self.render_charts(&listed(&group.outcomes), &old_charts))
                    }
                }
            }
            (render_assumptions(&self.counted.assumptions, self.situation.ruleset(), self.links))
        }
    }

    /// Renders the headline as a sentence, each figure with its change.
    pub fn render_headline(&self) -> Markup {
        let result = &self.counted.result;
        let values = headline_values(self.situation, &result.odds, result.sample.as_ref());
        let old_values = self
            .before
            .map(|old_values| headline_values(self.situation, &old_values.odds, None))
            .unwrap_or_default();
        render_headline(&values, &old_values)
    }

    /// Renders the switch between the chance of each value, of at least, and of at most a value.
    fn render_readings(&self) -> Markup {
        html! {
            fieldset.readings-of-numbers {
                legend.hidden { "Chances of numbers" }
                span.quiet { "Numbers: " }
                @for (word, reading, label) in NumberReading::ALL {
                    label {
                        input type="radio" id={ "show-" (label.replace(' ', "-")) } name="show" value=(word) form="situation" data-plain="" checked[reading == self.reading];
                        " " (label)
                    }
                }
            }
        }
    }

    fn render_charts(&self, charts: &[&OutcomeChart], old_charts: &[OutcomeChart]) -> Markup {
        let sampled = self.counted.result.sample.is_some();
        let (single, open): (Vec<&OutcomeChart>, Vec<&OutcomeChart>) = charts
            .iter()
            .copied()
            .partition(|chart| chart.is_single(sampled));
        let was = |chart: &OutcomeChart| old_charts.iter().find(|old| old.name == chart.name);
        html! {
            @if !open.is_empty() { div.charts { @for chart in &open { (self.render_chart(chart, was(chart))) } } }
            @if !single.is_empty() {
                dl.certain {
                    @for chart in &single {
                        @let old = was(chart).filter(|old| old.rows.len() != 1 || old.rows[0].value != chart.rows[0].value);
                        div {
                            dt { (chart.name) (unit_note(self.game(), &chart.name)) }
                            dd {
                                (render_value(&chart.rows[0].value, self.unnamed(&chart.name))) (self.render_condition(chart))
                                @if let Some(old) = old { " " span.change { "was " (old.rows.iter().take(3).map(|row| row.value.as_str()).collect::<Vec<_>>().join(", ")) } }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns what it means that an outcome is not named.
    fn unnamed(&self, outcome: &str) -> &str {
        self.counted.result.odds.unnamed.words_for(outcome)
    }

    fn game(&self) -> &Game {
        &self.situation.ruleset().game
    }

    /// Renders the condition under which an outcome comes up, and its probability.
    fn render_condition(&self, chart: &OutcomeChart) -> Markup {
        if chart.comes_up >= 1.0 {
            return html! {};
        }
        let result = &self.counted.result;
        let condition = (result.sample.is_none() && result.odds.states <= MAX_STATES)
            .then(|| headline_values(self.situation, &result.odds, None))
            .and_then(|values| comes_up_exactly_if(result, &chart.name, &values));
        html! {
            " " span.quiet.condition title=[chart.exact.as_ref().map(ToString::to_string)] {
                @match condition { Some(caption) => { "if " (caption) } None => { "if it comes to that" } }
                " (" (percent(chart.comes_up)) ")"
            }
        }
    }

    /// Renders one outcome as a chart. Values that the game groups share one row, which can be expanded.
    fn render_chart(&self, chart: &OutcomeChart, old_chart: Option<&OutcomeChart>) -> Markup {
        let game = self.game();
        let reading = if chart.numeric {
            self.reading
        } else {
            NumberReading::Each
        };
        let mut chart_rows = chart.read(reading, game);
        let old = old_chart
            .map(|before| before.read(reading, game))
            .unwrap_or_default();
        let old_chances: FxHashMap<&str, f64> = old
            .iter()
            .map(|(row, _)| (row.value.as_str(), row.chance))
            .collect();
        let was = |value: &str| old_chances.get(value).copied().unwrap_or(0.0);
        // A value that the changes have removed keeps its row, with its mark alone.
        let known_values: FxHashSet<&str> = chart_rows
            .iter()
            .map(|(row, _)| row.value.as_str())
            .collect();
        let dropped: Vec<_> = old
            .iter()
            .filter(|(row, _)| !known_values.contains(row.value.as_str()))
            .cloned()
            .collect();
        if !dropped.is_empty() {
            chart_rows.extend(dropped.into_iter().map(|(row, _)| {
                (
                    BarRow {
                        chance: 0.0,
                        counted: Fraction::ZERO,
                        error: None,
                        ..row
                    },
                    Vec::new(),
                )
            }));
            if chart.numeric {
                chart_rows.sort_by_key(|(row, _)| leading_number(&row.value));
            }
        }
        let greatest = chart_rows
            .iter()
            .map(|(row, _)| row.chance)
            .fold(0.0, f64::max);
        let shown_count = chart_rows.len().min(if chart.numeric {
            2 * MAX_ROWS
        } else {
            MAX_ROWS
        });
        let (shown_rows, folded_rows) = chart_rows.split_at(shown_count);
        let (folded_rows, others) = gather_rare(
            folded_rows.iter().map(|(one, _)| one.clone()).collect(),
            MAX_FOLDED,
        );
        // What is at least or at most a value does not add up.
        let others = others.filter(|_| reading == NumberReading::Each);
        let folded_count = folded_rows.len() + others.as_ref().map_or(0, |(count, _)| *count);
        let sign = match reading {
            NumberReading::Each => "",
            NumberReading::AtLeast => "≥ ",
            NumberReading::AtMost => "≤ ",
        };
        let row = |row: &BarRow, greatest: f64| {
            let was = old_chart.map(|_| was(&row.value));
            let change = was
                .map(|was| row.chance - was)
                .filter(|change| change.abs() >= LEAST_CHANGE);
            html! {
                tr.likeliest[row.chance == greatest && reading == NumberReading::Each] {
                    th scope="row" { @if GatheredValues::parse(&row.value).is_none() { (sign) } (render_value(&row.value, self.unnamed(&chart.name))) }
                    td.bar {
                        span style={ "--share:" (format!("{:.4}", row.chance)) } {}
                        @if let (Some(was), Some(_)) = (was, change) { i.was style={ "--share:" (format!("{was:.4}")) } {} }
                    }
                    td.percent title=[row.error.is_none().then(|| row.counted.to_string())] {
                        (percent(row.chance)) @if let Some(error) = row.error { span.quiet { " ± " (format!("{:.1}", error * 100.0)) } }
                    }
                    @if old_chart.is_some() { td.change { @if let Some(change) = change { (format!("{:+.1}", change * 100.0).replace('-', "−")) } } }
                }
            }
        };
        let unfolded = |summary: String, rows: &[BarRow]| {
            html! { details { summary { (summary) } table aria-label={ (chart.name) ", " (summary) } { tbody { @for one in rows { (row(one, -1.0)) } } } } }
        };
        html! {
            figure.odds {
                table {
                    caption {
                        (chart.name) (unit_note(game, &chart.name)) (self.render_condition(chart))
                        @if let Some(mean) = chart.mean().filter(|_| chart.numeric && chart.rows.len() > 1) {
                            span.quiet.mean { "mean " (format!("{mean:.2}").replace('-', "−")) (render_change(old_chart.and_then(OutcomeChart::mean).map(|was| mean - was), 2, "")) }
                        }
                    }
                    tbody { @for (one, _) in shown_rows { (row(one, greatest)) } }
                }
                @for (one, ways) in &chart_rows {
                    @if ways.len() > 1 { (unfolded(format!("{}: {} ways", one.value, ways.len()), &with_rare_together(ways.clone(), MAX_FOLDED))) }
                }
                @if !folded_rows.is_empty() {
                    @let listed = folded_rows.into_iter().chain(others.map(|(_, others)| others)).collect::<Vec<_>>();
                    (unfolded(format!("{folded_count} more"), &listed))
                }
            }
        }
    }
}

/// Renders a change with its sign; nothing if it would round to nothing.
fn render_change(change: Option<f64>, digits: usize, unit: &str) -> Markup {
    let text = change.map(|change| format!("{change:+.digits$}").replace('-', "−"));
    let visible = text.filter(|text| text.chars().any(|c| c.is_ascii_digit() && c != '0'));
    html! { @if let Some(text) = visible { " " span.change { "(" (text) (unit) ")" } } }
}

/// Renders a headline as a sentence, each figure with its change against `old_values`; nothing if there is none.
fn render_headline(values: &[EntryValues], old_values: &[EntryValues]) -> Markup {
    let was = |entry: &EntryValues, index: usize| {
        let old_entry = old_values
            .iter()
            .find(|old_entry| old_entry.caption == entry.caption)?;
        old_entry.figures.get(index)
    };
    let figure = |value: &FigureValue, was: Option<&FigureValue>| {
        let change = value
            .value
            .zip(was.and_then(|was| was.value))
            .map(|(now, was)| now - was);
        let chance = value.figure.condition.is_some();
        html! { b { (value.short_text()) } (render_change(change.map(|change| if chance { change * 100.0 } else { change }), 1, "")) }
    };
    let shown: Vec<_> = values.iter().filter(|entry| entry.comes_up()).collect();
    html! {
        @if !shown.is_empty() {
            p.headline {
                @for (i, entry) in shown.into_iter().enumerate() {
                    @if i > 0 { "; " }
                    span.entry {
                        (entry.caption) @if entry.is_chance() { " in" } " "
                        @for (place, value) in entry.figures.iter().enumerate() {
                            @if place > 0 { (AGAINST) }
                            (figure(value, was(entry, place)))
                        }
                        @if !entry.unit().is_empty() { " " (entry.unit()) }
                    }
                }
                "."
            }
        }
    }
}

/// Renders a headline as large numbers with their captions.
pub fn render_large_figures(values: &[EntryValues]) -> Markup {
    html! {
        dl.large {
            @for entry in values.iter().filter(|entry| entry.comes_up()) {
                div { dt { (entry.caption) @if !entry.unit().is_empty() { " (" (entry.unit()) ")" } } dd { (entry.bare_text()) } }
            }
        }
    }
}
