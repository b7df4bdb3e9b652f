//! What the dice and the choices of a game did so far, loaded when it is opened.

use crate::serve::layout::situation_address;
use crate::serve::page_request::PageRequest;
use crate::serve::play::{TableRequest, hides};
use casebook_analysis::luck::account::{DECISIVE, LuckReport, ProcedureLuck};
use casebook_analysis::usecase::luck::{LuckSettings, of_procedure, of_session};
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::{Error, counted};
use casebook_engine::ruling::session::Session;
use casebook_engine::situation::value_text::join_words;
use casebook_view::html::{render_blocks, with_minus};
use casebook_view::luck::{effect_text, in_words, procedure_account};
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of the account of a game, and of one that was asked to take longer.
const TIME: Duration = Duration::from_secs(5);
const LONG_TIME: Duration = Duration::from_secs(45);

/// Renders the account of the game so far; `is_long` for one that may take longer.
pub fn render_luck(table: TableRequest, is_long: bool, stop: &AtomicBool) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    let (moves, is_hidden) =
        table.with_session(|session| (session.moves(), hides(session, request)))?;
    if is_hidden {
        return Ok(render_hidden());
    }
    let session = Session::begin(
        situation.deep_clone(),
        request.seed.unwrap_or(1),
        request.strict,
    )?;
    let report = of_session(
        session,
        &moves,
        &[],
        &LuckSettings::default(),
        CountLimits::new(if is_long { LONG_TIME } else { TIME }, stop),
    )?;
    Ok(render_report(&report, request, is_long))
}

/// Renders in a sentence whom the dice of one procedure favoured, by its number from 1.
pub fn render_fortune(
    table: TableRequest,
    procedure: usize,
    stop: &AtomicBool,
) -> Result<Markup, Error> {
    let request = table.request;
    table.with_session(|session| {
        if hides(session, request) {
            return Ok(render_hidden());
        }
        let limits = CountLimits::new(TIME, stop);
        let report = of_procedure(session, procedure, &LuckSettings::default(), limits)?;
        Ok(html! {
            @for luck in &report.procedures { p { (luck.procedure) ": " (with_minus(&in_words(luck))) } }
            @if report.procedures.is_empty() { p.quiet { "Nothing says what these throws were good for, or there was no time to count it." } }
        })
    })?
}

fn render_hidden() -> Markup {
    html! { p.quiet { "Luck would show what the other side keeps secret; it comes when nothing is hidden." } }
}

fn render_report(report: &LuckReport, request: &PageRequest, is_long: bool) -> Markup {
    let unmeasured: usize = report.unmeasured.iter().map(|one| one.throws).sum();
    html! {
        @for luck in report.procedures.iter().rev() { (render_procedure(luck, request)) }
        @if report.procedures.is_empty() && unmeasured == 0 { p.quiet { "No dice were thrown yet." } }
        @if unmeasured > 0 { p.quiet { (counted(unmeasured, "throw")) " had no measured result: " (join_words(report.unmeasured.iter().map(|one| one.procedure.clone()).collect())) "." } }
        @if report.left_out > 0 { p.quiet { "There was no time for " (counted(report.left_out, "throw")) "." } }
        @if report.left_out > 0 && !is_long { details { summary data-fetch="luck&of=all" { "Count up to " (LONG_TIME.as_secs()) " seconds" } div {} } }
        p.quiet { (report.baseline) }
    }
}

fn render_procedure(luck: &ProcedureLuck, request: &PageRequest) -> Markup {
    let mut decisive = luck.decisive(DECISIVE);
    decisive.sort_by_key(|step| step.number);
    html! {
        h3 { @if !luck.phase.is_empty() { (luck.phase) ": " } (luck.procedure) }
        p { (with_minus(&in_words(luck))) }
        @if !decisive.is_empty() {
            ul.plain.turning-points {
                @for step in decisive {
                    li { (step.made.to_string()) ": " (with_minus(&effect_text(&luck.stake, &step.effect))) " " a href=(situation_address(&request.after_moves(step.number - 1), "play")) data-move { "play on from here" } }
                }
            }
        }
        details { summary { "Every throw and choice" } (render_blocks(&[procedure_account(luck, false)])) }
    }
}
