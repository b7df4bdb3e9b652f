//! The page of a sweep: the odds over the values of one figure, as curves and as tables.

use crate::serve::layout::{hidden_fields, render_failed_query, with_query};
use crate::serve::page_request::PageRequest;
use crate::serve::queries::{self, PageCount};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::odds::sweep::SweepResult;
use casebook_engine::complaint::Error;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::manifest::AttributeType;
use casebook_engine::ruling::headline::headline_of;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::initial_board::FIRST_ATTRIBUTE;
use casebook_view::grid::{OddsGrid, OutcomeGrid};
use casebook_view::html::render_swept;
use maud::{Markup, html};

/// How far the proposed range goes to both sides of a figure.
const PROPOSED_RANGE: i64 = 5;
/// The number of figures that the page offers before one is chosen.
const PROPOSED: usize = 8;
/// The number of curves of an outcome.
const MAX_CURVES: usize = 6;

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
    pub fn render(&self, request: &PageRequest, odds: Markup) -> Markup {
        html! {
            form.over method="get" {
                (hidden_fields(request))
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
        request: &PageRequest,
        count: PageCount,
    ) -> Markup {
        if self.figure.is_empty() {
            let kept_query = with_query(String::new(), &request.to_query());
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
            request,
            &format!("{}={}", self.figure, self.values),
            count.limits,
        ) {
            Ok(found) => {
                html! { (count.render_progress(!found.result.is_complete())) (render_result(&found.result)) }
            }
            Err(error @ (Error::Usage(_) | Error::Unanswered { .. })) => {
                html! { p role="alert" { (error) } }
            }
            Err(error) => render_failed_query(&error, request),
        }
    }
}

fn render_result(result: &SweepResult) -> Markup {
    let Some(grid) = OddsGrid::of_sweep(result) else {
        return html! {};
    };
    let names = grid.outcomes();
    let swept = names.iter().map(|name| grid.outcome(name, MAX_CURVES));
    let (changed, constant): (Vec<_>, Vec<_>) = swept.partition(OutcomeGrid::differs);
    // The outcomes of the headline stand first, the rest folded.
    let headline = headline_of(&result.lines[0].situation);
    let figures = || headline.iter().flat_map(|entry| &entry.figures);
    let (first, others): (Vec<_>, Vec<_>) = changed
        .into_iter()
        .partition(|outcome| figures().any(|figure| figure.outcome == outcome.name));
    let constant: Vec<&str> = constant.iter().map(|outcome| &*outcome.name).collect();
    let (label, values) = (&*result.sweep.name, &*result.sweep.values);
    html! {
        @if let Some(note) = result.counted_note() { p { (note) } }
        @if first.is_empty() && others.is_empty() { p { "No outcome of this changes with it." } }
        @for outcome in &first { (render_swept(label, values, outcome)) }
        @if !others.is_empty() {
            details open[first.is_empty()] {
                summary { @if first.is_empty() { "What changes" } @else { "What else changes" } }
                @for outcome in &others { (render_swept(label, values, outcome)) }
            }
        }
        @if !constant.is_empty() { p.quiet { "The same at each value: " (constant.join(", ")) "." } }
        @for line in result.left_out() { p.quiet { "Left out: " (line) } }
    }
}
