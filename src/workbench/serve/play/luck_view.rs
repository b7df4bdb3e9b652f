//! What the dice and the choices of a game did so far, loaded when it is opened.

use crate::serve::layout::situation_address;
use crate::serve::page_request::PageRequest;
use crate::serve::play::{hides, with_session};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::luck::account::{LuckReport, ProcedureLuck};
use casebook_analysis::luck::render::{
    DECISIVE, balance_line, chance_line, effect_text, in_words, side_text,
};
use casebook_analysis::odds::fraction::Fraction;
use casebook_analysis::usecase::luck::{LuckSettings, of_procedure, of_session};
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::{Error, counted};
use casebook_engine::ruling::session::Session;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::value_text::join_words;
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of the account of a game, and of one that was asked to take longer.
const TIME: Duration = Duration::from_secs(5);
const LONG_TIME: Duration = Duration::from_secs(45);

/// Renders the account of the game so far; `is_long` for one that may take longer.
pub fn render_luck(
    snapshot: &DataSnapshot,
    situation: &Situation,
    ask: &PageRequest,
    is_long: bool,
    stop: &AtomicBool,
) -> Result<Markup, Error> {
    let (moves, is_hidden) = with_session(snapshot, situation, ask, |session| {
        (session.moves(), hides(session, ask))
    })?;
    if is_hidden {
        return Ok(render_hidden());
    }
    let session = Session::begin(situation.deep_clone(), ask.seed.unwrap_or(1), ask.strict)?;
    let report = of_session(
        session,
        &moves,
        &[],
        &LuckSettings::default(),
        CountLimits::new(if is_long { LONG_TIME } else { TIME }, stop),
    )?;
    Ok(render_report(&report, ask, is_long))
}

/// Renders in a sentence whom the dice of one procedure favoured, by its number from 1.
pub fn render_fortune(
    snapshot: &DataSnapshot,
    situation: &Situation,
    ask: &PageRequest,
    procedure: usize,
    stop: &AtomicBool,
) -> Result<Markup, Error> {
    with_session(snapshot, situation, ask, |session| {
        if hides(session, ask) {
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

fn render_report(report: &LuckReport, ask: &PageRequest, is_long: bool) -> Markup {
    let unmeasured: usize = report.unmeasured.iter().map(|(_, throws)| throws).sum();
    html! {
        @for luck in report.procedures.iter().rev() { (render_procedure(luck, ask)) }
        @if report.procedures.is_empty() && unmeasured == 0 { p.quiet { "No dice were thrown yet." } }
        @if unmeasured > 0 { p.quiet { (counted(unmeasured, "throw")) " had no measured result: " (join_words(report.unmeasured.iter().map(|(procedure, _)| procedure.clone()).collect())) "." } }
        @if report.left_out > 0 { p.quiet { "There was no time for " (counted(report.left_out, "throw")) "." } }
        @if report.left_out > 0 && !is_long { details { summary data-fetch="luck&of=all" { "Count up to " (LONG_TIME.as_secs()) " seconds" } div {} } }
        p.quiet { (report.baseline) }
    }
}

/// Writes minus signs where the terminal has hyphens before numbers and between outcomes.
fn with_minus(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.strip_prefix('-') {
        Some(rest) if rest.is_empty() || rest.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("−{rest}")
        }
        _ => word.into(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn render_procedure(luck: &ProcedureLuck, ask: &PageRequest) -> Markup {
    let mut balance = Fraction::ZERO;
    let decisive: Vec<usize> = luck
        .decisive(DECISIVE)
        .iter()
        .map(|step| step.number)
        .collect();
    let chance = chance_line(luck, false);
    // Where no side is named, its columns would be empty.
    let (has_sides, good_for) = (
        luck.steps.iter().any(|step| step.side.is_some()),
        luck.steps.iter().any(|step| step.gained.is_some()),
    );
    html! {
        h3 { @if !luck.phase.is_empty() { (luck.phase) ": " } (luck.procedure) }
        p { (with_minus(&in_words(luck))) }
        @let turning_points: Vec<_> = luck.steps.iter().filter(|step| decisive.contains(&step.number)).collect();
        @if !turning_points.is_empty() {
            ul.plain.turning-points {
                @for step in &turning_points {
                    li { (step.made.to_string()) ": " (with_minus(&effect_text(&luck.stake, &step.effect))) " " a href=(situation_address(&ask.after_moves(step.number - 1), "play")) data-move { "play on from here" } }
                }
            }
        }
        details {
        summary { "Every throw and choice" }
        p { (with_minus(&balance_line(luck))) }
        @if !chance.is_empty() { p { (chance) } }
        @for truncation in &luck.truncations { p { (truncation) } }
        div.scroll {
            table.cells.luck {
                caption { (with_minus(&side_text(&luck.stake))) }
                tr { th scope="col" { "Throw or choice" } @if has_sides { th scope="col" { "By" } } th scope="col" { "Effect" } @if good_for { th scope="col" { "Good for" } } th scope="col" { "Balance of the dice" } }
                @for step in &luck.steps {
                    @if step.is_throw() || !step.effect.is_zero() {
                        @if step.is_throw() { ({ balance += &step.effect; "" }) }
                        tr aria-current=[decisive.contains(&step.number).then_some("true")] {
                            th scope="row" { (step.made.to_string()) }
                            @if has_sides { td { (step.side.as_deref().unwrap_or_default()) } }
                            td { (with_minus(&effect_text(&luck.stake, &step.effect))) }
                            @if good_for { td { (step.gained.as_deref().unwrap_or_default()) } }
                            td { @if step.is_throw() { (with_minus(&effect_text(&luck.stake, &balance))) } }
                        }
                    }
                }
            }
        }
        }
    }
}
