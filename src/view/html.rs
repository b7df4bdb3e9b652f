//! Blocks and grids as HTML.

use crate::block::AnswerBlock;
use crate::grid::{GridRow, MAX_ROWS, OddsGrid, OutcomeGrid};
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::distribution::NO_OUTCOME;
use casebook_engine::complaint::counted;
use maud::{Markup, html};

/// The number of values that can be unfolded; rarer ones are only counted.
pub const MAX_FOLDED: usize = 500;
/// Width and height of a chart, in pixels.
const CHART: (f64, f64) = (640.0, 200.0);
/// Room for the labels: left of a chart, and above and below it.
const MARGIN: (f64, f64) = (48.0, 16.0);
/// The number of colours that tell variations apart.
const COLOURS: usize = 6;

/// Returns the class of the colour of a variation.
pub fn colour(index: usize) -> String {
    format!("r{}", index % COLOURS + 1)
}

/// Renders blocks one below the other.
pub fn render_blocks(blocks: &[AnswerBlock]) -> Markup {
    render_linked(blocks, &|text| html! { (text) })
}

/// Renders blocks whose texts may have links.
pub fn render_linked(blocks: &[AnswerBlock], linked: &dyn Fn(&str) -> Markup) -> Markup {
    let text = |text: &str| linked(&with_minus(text));
    html! {
        @for block in blocks {
            @match block {
                AnswerBlock::Section { title, blocks } => section { h3 { (title) } (render_linked(blocks, linked)) },
                AnswerBlock::Text { text: words, .. } => p { (text(words)) },
                AnswerBlock::Fact { label, values } => p { (label) ": " (text(&values.join(", "))) },
                AnswerBlock::Table { head, rows } => (render_table(head, rows, &[], &[])),
                AnswerBlock::Chart { head, rows, shares, fractions } => (render_table(head, rows, shares, fractions)),
                AnswerBlock::Source { text } => pre { (text) },
            }
        }
    }
}

/// Renders a table without the columns in which nothing stands; behind each row the bar of its share, and the fraction.
fn render_table(
    head: &[String],
    rows: &[Vec<String>],
    shares: &[f64],
    fractions: &[String],
) -> Markup {
    let cell =
        |row: &[String], column: usize| with_minus(row.get(column).map_or("", String::as_str));
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let is_filled = |column: &usize| {
        rows.iter()
            .any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty()))
    };
    let columns: Vec<usize> = (0..count).filter(is_filled).collect();
    html! {
        div.scroll tabindex="0" role="group" aria-label="table" {
            table.cells {
                @if !head.is_empty() { thead { tr { @for title in columns.iter().map(|column| cell(head, *column)) { @if title.is_empty() { td {} } @else { th scope="col" { (title) } } } } } }
                tbody {
                    @for (index, row) in rows.iter().enumerate() {
                        tr {
                            @for (place, column) in columns.iter().enumerate() { @if place == 0 { th scope="row" { (cell(row, *column)) } } @else { td { (cell(row, *column)) } } }
                            @if let Some(share) = shares.get(index) { td.bar { span style={ "--share:" (format!("{share:.4}")) } {} } }
                            @if let Some(fraction) = fractions.get(index) { td { (fraction) } }
                        }
                    }
                }
            }
        }
    }
}

/// Writes minus signs where the terminal has hyphens before numbers and between outcomes.
pub fn with_minus(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.strip_prefix('-') {
        Some(rest) if rest.is_empty() || rest.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("−{rest}")
        }
        _ => word.into(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Renders a value of an outcome; `unnamed` is what it means that it is not named.
pub fn render_value(text: &str, unnamed: &str) -> Markup {
    html! { @if text == NO_OUTCOME { span.quiet { (unnamed) } } @else { (with_minus(text)) } }
}

/// Renders the outcomes in which the variations differ, and names the others; incomplete counts are never called equal.
pub fn render_grid(grid: &OddsGrid) -> Markup {
    let outcomes = grid.outcomes();
    let outcomes = outcomes.iter().map(|name| grid.outcome(name, MAX_ROWS));
    let (same, differing): (Vec<_>, Vec<_>) = outcomes.partition(OutcomeGrid::is_same);
    let same: Vec<&str> = same.iter().map(|outcome| outcome.name.as_str()).collect();
    let several = grid.variations.len() > 1;
    html! {
        @if differing.is_empty() && several { p role="status" { "The odds are the same." } }
        div.charts { @for outcome in &differing { (render_bars(grid, outcome)) } }
        @if !same.is_empty() { p.quiet { @if several { "The same under all: " } @else { "Beside that: " } (same.join(", ")) "." } }
    }
}

/// Renders the chances of an outcome as bars, each with the name of its variation, so that colour is not the only key.
fn render_bars(grid: &OddsGrid, outcome: &OutcomeGrid) -> Markup {
    let bars = |row: &GridRow| {
        html! {
            tbody {
                tr { th.value scope="rowgroup" colspan="3" { (render_value(&row.label, &row.label)) } }
                @for (index, (cell, variation)) in row.cells.iter().zip(&grid.variations).enumerate() {
                    @let share = cell.as_ref().map_or(0.0, |cell| cell.share);
                    tr class=(colour(index)) {
                        th.of scope="row" { (variation.title) }
                        td.bar { span style={ "--share:" (format!("{share:.4}")) } {} }
                        td.percent { (row.cell_text(cell.as_ref(), false)) }
                    }
                }
            }
        }
    };
    let (means, values): (Vec<&GridRow>, Vec<&GridRow>) =
        outcome.rows.iter().partition(|row| row.is_mean);
    let mean = |row: &GridRow| {
        let cells = row
            .cells
            .iter()
            .map(|cell| row.cell_text(cell.as_ref(), false));
        format!("{} {}", row.label, cells.collect::<Vec<_>>().join(" · "))
    };
    // Where a mean stands for many numbers, the likeliest are still drawn.
    let mut folded: Vec<&GridRow> = outcome.folded.iter().collect();
    folded.sort_by(|a, b| b.highest().total_cmp(&a.highest()));
    let drawn = folded.split_off(folded.len().min(MAX_FOLDED));
    html! {
        figure.odds.beside {
            table {
                caption { (outcome.name) @for row in &means { span.quiet { (mean(row)) } } }
                @for row in &values { (bars(row)) }
            }
            @if !folded.is_empty() {
                details {
                    summary { (folded.len()) " more values" }
                    table aria-label={ (outcome.name) ", the others" } { @for row in &folded { (bars(row)) } }
                    @if !drawn.is_empty() { p.quiet { "and " (counted(drawn.len(), "value")) " that are less likely still" } }
                }
            }
        }
    }
}

/// Renders an outcome over the values of a figure: a curve for each mean and each chance, and the numbers as a table.
pub fn render_swept(label: &str, values: &[String], outcome: &OutcomeGrid) -> Markup {
    let (means, chances): (Vec<&GridRow>, Vec<&GridRow>) =
        outcome.rows.iter().partition(|row| row.is_mean);
    html! {
        section.swept {
            h3 { (outcome.name) }
            @for rows in [means, chances].into_iter().filter(|rows| !rows.is_empty()) { (render_curves(values, &rows)) }
            details { summary { "As a table" } (render_numbers(label, values, &outcome.rows)) }
            @if !outcome.folded.is_empty() { p.quiet { "and " (outcome.folded.len()) " more values" } }
        }
    }
}

/// Renders the cells of rows as curves, one for each line of values: chances from 0 to 100 %, means between the least and the greatest.
fn render_curves(values: &[String], rows: &[&GridRow]) -> Markup {
    let shares = || {
        rows.iter()
            .flat_map(|row| &row.cells)
            .flatten()
            .map(|cell| cell.share)
    };
    let is_mean = rows[0].is_mean;
    let (low, high) = if is_mean {
        let (low, high) = (
            shares().fold(f64::MAX, f64::min),
            shares().fold(f64::MIN, f64::max),
        );
        (low.floor(), high.ceil().max(low.floor() + 1.0))
    } else {
        (0.0, 1.0)
    };
    let last = values.len().max(2) - 1;
    let x = |place: usize| MARGIN.0 + place as f64 * CHART.0 / last as f64;
    let y = |share: f64| MARGIN.1 + (high - share) / (high - low) * CHART.1;
    // The ends are whole numbers; half of their sum may be none.
    let scale = |share: f64| match (is_mean, share.fract() == 0.0) {
        (false, _) => format!("{:.0} %", share * 100.0),
        (true, true) => format!("{share:.0}").replace('-', "−"),
        (true, false) => format!("{share:.1}").replace('-', "−"),
    };
    html! {
        figure.curves {
            svg viewBox=(format!("0 0 {} {}", CHART.0 + MARGIN.0 * 2.0, CHART.1 + MARGIN.1 * 3.0)) role="img" aria-label={ "curves; the table below has the numbers" } {
                @for share in [low, (low + high) / 2.0, high] {
                    line.grid x1=(x(0)) x2=(x(last)) y1=(y(share)) y2=(y(share)) {}
                    text.scale x=(MARGIN.0 - 6.0) y=(y(share) + 4.0) { (scale(share)) }
                }
                @for (place, value) in values.iter().enumerate().step_by(values.len().div_ceil(20).max(1)) {
                    text.scale.below x=(x(place)) y=(CHART.1 + MARGIN.1 * 2.2) { (value) }
                }
                @for (index, row) in rows.iter().enumerate() {
                    @for cells in row.cells.chunks(values.len()) {
                        @let counted: Vec<(usize, f64)> = cells.iter().enumerate().filter_map(|(place, cell)| Some((place, cell.as_ref()?.share))).collect();
                        @let points: Vec<String> = counted.iter().map(|(place, share)| format!("{:.1},{:.1}", x(*place), y(*share))).collect();
                        g class={ "curve " (colour(index)) } {
                            polyline points=(points.join(" ")) {}
                            @for (place, share) in counted {
                                circle cx=(format!("{:.1}", x(place))) cy=(format!("{:.1}", y(share))) r="3" { title { (row.label) " at " (values[place]) ": " (number_text(row, share)) } }
                            }
                        }
                    }
                }
            }
            figcaption { @for (index, row) in rows.iter().enumerate() { span class={ "series " (colour(index)) } { (row.label) } " " } }
        }
    }
}

fn number_text(row: &GridRow, share: f64) -> String {
    match row.is_mean {
        true => format!("{share:.2}").replace('-', "−"),
        false => percent(share),
    }
}

fn render_numbers(label: &str, values: &[String], rows: &[GridRow]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { (label) } @for row in rows { th { (row.label) } } } }
                tbody {
                    @for (place, value) in values.iter().enumerate() {
                        tr {
                            th { (value) }
                            @for row in rows {
                                @for cell in row.cells.iter().skip(place).step_by(values.len()) { td { @match cell { Some(cell) if cell.exact.is_some() => (number_text(row, cell.share)), cell => (with_minus(&row.cell_text(cell.as_ref(), false))) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}
