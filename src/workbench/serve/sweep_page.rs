//! The page of a sweep: the odds over the values of one figure, as curves and as tables.

use crate::serve::layout::{hidden_fields, render_failed_query, with_query};
use crate::serve::page_request::PageRequest;
use crate::serve::queries::{self, PageCount};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::sweep::{ChangedSeries, SeriesPoint, SweepResult, ValueSeries};
use casebook_engine::complaint::Error;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::manifest::AttributeType;
use casebook_engine::ruling::headline::headline_of;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::initial_board::FIRST_ATTRIBUTE;
use maud::{Markup, html};

/// Width and height of a chart, in pixels.
const CHART: (f64, f64) = (640.0, 200.0);
/// Room for the labels: left of a chart, and above and below it.
const MARGIN: (f64, f64) = (48.0, 16.0);
/// How far the proposed range goes to both sides of a figure.
const PROPOSED_RANGE: i64 = 5;
/// The number of figures that the page offers before one is chosen.
const PROPOSED: usize = 8;
/// The number of colours for curves.
const COLOURS: usize = 6;

/// The figures that the page proposes, `PIECE: FIGURE`, with their numbers: those that are not 0.
fn numeric_figures(situation: &Situation) -> Vec<(String, i64)> {
    let board = &situation.initial_board;
    let mut fields = Vec::new();
    for (piece, name) in board.names.iter().enumerate() {
        for (index, (key, attribute)) in situation.ruleset().game.attributes.iter().enumerate() {
            let number = board.columns[FIRST_ATTRIBUTE + index][piece].as_number();
            // Most pieces have no use for most attributes, which are 0 then.
            if let (AttributeType::Number(..), Some(number)) =
                (attribute, number.filter(|number| *number != 0))
            {
                fields.push((FigureName { target: name, key }.to_string(), number));
            }
        }
    }
    fields
}

/// The figure and the values that a request asks for.
pub struct SweepForm {
    figures: Vec<(String, i64)>,
    figure: String,
    values: String,
}

impl SweepForm {
    /// Reads the figure and the values of a request; without values it proposes some.
    pub fn new(situation: &Situation, (figure, values): (&str, &str)) -> SweepForm {
        let figures = numeric_figures(situation);
        let (figure, mut values) = (figure.trim().to_string(), values.trim().to_string());
        if let (true, Some((_, number))) = (
            values.is_empty(),
            figures.iter().find(|(name, _)| *name == figure),
        ) {
            values = format!(
                "{}..{}",
                (number - PROPOSED_RANGE).min(*number).max(0),
                number + PROPOSED_RANGE
            );
        }
        SweepForm {
            figures,
            figure,
            values,
        }
    }

    /// Renders the form with the odds.
    pub fn render(&self, ask: &PageRequest, odds: Markup) -> Markup {
        html! {
            form.over method="get" {
                (hidden_fields(ask))
                label { span { "Figure" } input name="figure" list="figures" size="30" value=(self.figure) required placeholder={ @if let Some((name, _)) = self.figures.first() { (name) } }; }
                datalist #figures { @for (name, number) in &self.figures { option value=(name) { (name) " (" (number) ")" } } }
                label { span { "Values" } input name="values" value=(self.values) placeholder="1..20, or 2,4,8"; }
                button { "Show the odds" }
            }
            div data-part="swept" aria-live="polite" { (odds) }
        }
    }

    /// Renders the odds, once a figure is chosen. A count that exceeds the time limit is sampled, and the page requests it again with a
    /// longer one.
    pub fn render_odds(
        &self,
        snapshot: &DataSnapshot,
        ask: &PageRequest,
        count: PageCount,
    ) -> Markup {
        if self.figure.is_empty() {
            let kept_query = with_query(String::new(), &ask.to_query());
            let address = |name: &str| {
                let query = form_urlencoded::Serializer::new(String::new())
                    .append_pair("figure", name)
                    .finish();
                with_query(kept_query.clone(), &query)
            };
            return html! {
                p { "Choose a figure of a piece: the page shows how every outcome of this situation changes with it." }
                @if !self.figures.is_empty() {
                    p.proposed { "Such as " @for (name, number) in self.figures.iter().take(PROPOSED) { a.button href=(address(name)) { (name.replace('_', " ")) " " span.quiet { (number) } } " " } }
                }
            };
        }
        match queries::sweep(
            snapshot,
            ask,
            &format!("{}={}", self.figure, self.values),
            count.limits,
        ) {
            Ok(found) => {
                html! { (count.render_progress(!found.result.is_complete())) (render_result(&found.result)) }
            }
            Err(Error::Usage(what)) => html! { p role="alert" { (what) } },
            Err(error) => render_failed_query(&error, ask),
        }
    }
}

fn render_result(result: &SweepResult) -> Markup {
    let Some(game) = result
        .lines
        .first()
        .map(|line| line.situation.ruleset().game.clone())
    else {
        return html! {};
    };
    let outcomes = result.outcomes();
    let changed: Vec<_> = outcomes
        .iter()
        .map(|name| (name, result.changed_series(name, &game, false)))
        .collect();
    // The outcomes of the headline stand first, the rest folded.
    let headline: Vec<String> = headline_of(&result.lines[0].situation)
        .iter()
        .flat_map(|entry| &entry.figures)
        .map(|figure| figure.outcome.clone())
        .collect();
    let (headline_changes, other_changes): (Vec<_>, Vec<_>) = changed
        .iter()
        .filter(|(_, series)| !series.is_constant())
        .partition(|(name, _)| headline.contains(name));
    let constant: Vec<&str> = changed
        .iter()
        .filter(|(_, series)| series.is_constant())
        .map(|(name, _)| name.as_str())
        .collect();
    let labels: Vec<&str> = result.sweep.values.iter().map(String::as_str).collect();
    html! {
        @if let Some(note) = result.counted_note() { p { (note) } }
        @if headline_changes.is_empty() && other_changes.is_empty() { p { "No outcome of this changes with it." } }
        @for (name, outcome) in &headline_changes { (render_outcome(&result.sweep.name, &labels, name, outcome)) }
        @if !other_changes.is_empty() {
            details open[headline_changes.is_empty()] {
                summary { @if headline_changes.is_empty() { "What changes" } @else { "What else changes" } }
                @for (name, outcome) in &other_changes { (render_outcome(&result.sweep.name, &labels, name, outcome)) }
            }
        }
        @if !constant.is_empty() { p.quiet { "The same at each value: " (constant.join(", ")) "." } }
        @for line in result.left_out() { p.quiet { "Left out: " (line) } }
    }
}

fn render_outcome(figure: &str, labels: &[&str], name: &str, outcome: &ChangedSeries) -> Markup {
    let (means, chances): (Vec<&ValueSeries>, Vec<&ValueSeries>) =
        outcome.series.iter().partition(|series| series.mean);
    html! {
        section.swept {
            h3 { (name) }
            @for series in [means, chances].into_iter().filter(|series| !series.is_empty()) { (render_chart(labels, &series)) }
            details { summary { "As a table" } (render_table(figure, labels, &outcome.series)) }
            @if outcome.more > 0 { p.quiet { "and " (outcome.more) " less likely values" } }
        }
    }
}

fn number_text(series: &ValueSeries, point: &SeriesPoint) -> String {
    if series.mean {
        format!("{:.2}", point.share).replace('-', "−")
    } else {
        percent(point.share)
    }
}

/// Renders one curve for each series: chances from 0 to 100 %, means between the least and the greatest.
pub fn render_chart(labels: &[&str], series: &[&ValueSeries]) -> Markup {
    let shares = || {
        series
            .iter()
            .flat_map(|one| &one.figures)
            .flatten()
            .flatten()
            .map(|point| point.share)
    };
    let (low, high) = if series[0].mean {
        let (low, high) = shares().fold((f64::MAX, f64::MIN), |(low, high), share| {
            (low.min(share), high.max(share))
        });
        (low.floor(), high.ceil().max(low.floor() + 1.0))
    } else {
        (0.0, 1.0)
    };
    let x = |place: usize| MARGIN.0 + place as f64 * CHART.0 / (labels.len().max(2) - 1) as f64;
    let y = |share: f64| MARGIN.1 + (high - share) / (high - low) * CHART.1;
    // The ends are whole numbers; half of their sum may be none.
    let number = |share: f64| {
        if share.fract() == 0.0 {
            format!("{}", share as i64)
        } else {
            format!("{share:.1}")
        }
    };
    let scale = |share: f64| {
        if series[0].mean {
            number(share).replace('-', "−")
        } else {
            format!("{:.0} %", share * 100.0)
        }
    };
    let label_step = labels.len().div_ceil(20).max(1);
    html! {
        figure.curves {
            svg viewBox=(format!("0 0 {} {}", CHART.0 + MARGIN.0 * 2.0, CHART.1 + MARGIN.1 * 3.0)) role="img" aria-label={ "curves; the table below has the numbers" } {
                @for share in [low, (low + high) / 2.0, high] {
                    line.grid x1=(x(0)) x2=(x(labels.len().max(2) - 1)) y1=(y(share)) y2=(y(share)) {}
                    text.scale x=(MARGIN.0 - 6.0) y=(y(share) + 4.0) { (scale(share)) }
                }
                @for (place, label) in labels.iter().enumerate().step_by(label_step) {
                    text.scale.below x=(x(place)) y=(CHART.1 + MARGIN.1 * 2.2) { (label) }
                }
                @for (index, one) in series.iter().enumerate() {
                    @for figures in &one.figures {
                        @let points: Vec<String> = figures.iter().enumerate().filter_map(|(place, point)| Some(format!("{:.1},{:.1}", x(place), y(point.as_ref()?.share)))).collect();
                        g class={ "curve r" (index % COLOURS + 1) } {
                            polyline points=(points.join(" ")) {}
                            @for (place, point) in figures.iter().enumerate() {
                                @if let Some(point) = point { circle cx=(format!("{:.1}", x(place))) cy=(format!("{:.1}", y(point.share))) r="3" { title { (one.title) " at " (labels[place]) ": " (number_text(one, point)) } } }
                            }
                        }
                    }
                }
            }
            figcaption { @for (index, one) in series.iter().enumerate() { span class={ "series r" (index % COLOURS + 1) } { (one.title) } " " } }
        }
    }
}

/// Renders the numbers of the curves.
pub fn render_table(name: &str, labels: &[&str], series: &[ValueSeries]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { (name) } @for one in series { th { (one.title) } } } }
                tbody {
                    @for (place, label) in labels.iter().enumerate() {
                        tr {
                            th { (label) }
                            @for one in series {
                                @for figures in &one.figures { td { @match &figures[place] { Some(point) => (number_text(one, point)), None => "?" } } }
                            }
                        }
                    }
                }
            }
        }
    }
}
