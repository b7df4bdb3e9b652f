//! The page of a game's balance: who wins it between declared styles under several rulesets, and the course of the score.
//!
//! Play is bounded by time. The page asks again with more time as long as something is not decided; in the last look causes are sought.

use crate::serve::comparison_page;
use crate::serve::layout::render_failed_query;
use crate::serve::page_request::PageRequest;
use crate::serve::queries::{self, PageCount};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::balance::question::BalanceAnswer;
use casebook_analysis::balance::report::{SCOPE, shown_pairings};
use casebook_analysis::balance::totals::PairingTotal;
use casebook_engine::complaint::counted;
use casebook_engine::data::library::Library;
use casebook_view::balance;
use casebook_view::grid::{GridRow, OddsCell, OutcomeGrid};
use casebook_view::html::{render_blocks, render_swept};
use maud::{Markup, html};

/// Renders the choice of rulesets, and room for the answer, which the page asks for when it is shown.
pub fn render_form(library: &Library, request: &PageRequest, stacks: &[Vec<String>]) -> Markup {
    let part_address = format!("?{}&part=balance", request.to_query());
    html! {
        (comparison_page::render_form(library, request, stacks))
        @if let Ok(game) = library.game(&request.game) {
            fieldset.choose {
                legend { "Who plays" }
                @for side in &game.sides {
                    label {
                        span { (side) }
                        select name={ "policy:" (side) } form="situation" {
                            option value="" { "each style" }
                            @for style in &game.styles { option selected[request.policy.get(side) == Some(&style.name)] { (style.name) } }
                        }
                    }
                }
            }
        }
        section {
            h2 { "Who wins" }
            p.quiet { (SCOPE) }
            div data-part="balance" aria-live="polite" {
                p.partly data-more="0" role="status" { "Games are played…" noscript { " " a href=(part_address) { "Show them" } } }
            }
        }
    }
}

/// Plays games within a time limit and renders their results; the page asks again if the time was too short to decide everything.
pub fn render_balance(snapshot: &DataSnapshot, request: &PageRequest, count: PageCount) -> Markup {
    let answer = match queries::balance(snapshot, request, count.next.is_none(), count.limits) {
        Ok(answer) => answer,
        Err(error) => return render_failed_query(&error, request),
    };
    let next_request = count.next_request();
    html! {
        @if let Some(next) = next_request { p.more data-more=(next) role="status" { "Play goes on…" } }
        // Before the first game is over nothing is known.
        @let is_played = answer.total.totals_by_pairing.iter().flatten().any(|played| played.games > 0);
        @if is_played { (render_winners(&answer)) (render_blocks(&balance::verdicts(&answer.spec, &answer.rulesets, answer.margin))) } @else if next_request.is_none() { p role="status" { "No game came to its end in the time that a page has: " code { "casebook balance" } " takes longer." } }
        @if !answer.slow_styles.is_empty() { p.quiet { "Left out, as they look ahead at each choice: " (answer.slow_styles.join(", ")) "." } }
        @for (why, (seed, count)) in answer.total.faults.iter().take(5) { p role="alert" { (counted(*count, "game")) " could not be played, the first with seed " (seed) ": " (why) } }
        @if is_played { (render_courses(&answer)) }
    }
}

/// Renders the table of winners.
pub fn render_winners(answer: &BalanceAnswer) -> Markup {
    render_blocks(&[balance::winners(&answer.spec, &answer.total)])
}

/// Renders the course of the score, a chart for each pairing with a curve for each ruleset.
fn render_courses(answer: &BalanceAnswer) -> Markup {
    let spec = &answer.spec;
    let chart = |pairing: usize, styles: &str| {
        let totals = || {
            answer
                .total
                .totals_by_pairing
                .iter()
                .filter_map(|list| list.get(pairing))
        };
        let rounds = totals()
            .map(|played| played.rounds.len())
            .max()
            .unwrap_or(0);
        let cell = |share: Option<f64>| {
            let (exact, error) = (None, None);
            Some(OddsCell {
                share: share?,
                exact,
                error,
            })
        };
        let row = |(title, played): (&String, &PairingTotal)| {
            let mut cells: Vec<_> = played.course().into_iter().map(cell).collect();
            cells.resize(rounds, None);
            GridRow::of_means(title, cells)
        };
        let rounds: Vec<String> = (1..=rounds).map(|round| round.to_string()).collect();
        let outcome = OutcomeGrid {
            name: styles.into(),
            rows: spec.rulesets.iter().zip(totals()).map(row).collect(),
            folded: Vec::new(),
        };
        (rounds, outcome)
    };
    html! {
        @if !spec.score.is_empty() {
            h2 { "The course of the score" }
            p.quiet { (spec.score.replace(" - ", " − ")) ", at the end of each round, as a mean of the games that had one then." }
            @for (place, styles) in shown_pairings(spec, &answer.total) {
                @let (rounds, outcome) = chart(place, &styles);
                @if outcome.rows.iter().any(|row| row.cells.iter().any(Option::is_some)) { (render_swept("Round", &rounds, &outcome)) }
            }
        }
    }
}
