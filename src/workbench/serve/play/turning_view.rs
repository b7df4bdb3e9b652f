//! The turning points of a game that is over: how the chance of winning changed. Loaded when it is opened, because it is played out.

use crate::serve::layout::{side_colour, situation_address};
use crate::serve::page_request::PageRequest;
use crate::serve::play::TableRequest;
use crate::serve::play::log::{LogEntry, entries};
use casebook_analysis::balance::turning_points::{WinningChance, WinningCourse, winning_course};
use casebook_analysis::usecase::settings::CountLimits;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::session::Session;
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of the games that are played on.
const TIME: Duration = Duration::from_secs(30);
/// Maximum number of turning points, and of lines about each.
const MAX_POINTS: usize = 4;
const MAX_LINES: usize = 3;
/// Width and height of the drawn course.
const SIZE: (f64, f64) = (280.0, 90.0);

/// Renders the course of a game and its turning points.
pub fn render_turning_points(table: TableRequest, stop: &AtomicBool) -> Result<Markup, Error> {
    let (situation, request) = (table.situation, table.request);
    let (moves, log) =
        table.with_session(|session| (session.moves(), entries(session, request)))?;
    let session = Session::begin(
        situation.deep_clone(),
        request.seed.unwrap_or(1),
        request.strict,
    )?;
    let limits = CountLimits::new(TIME, stop);
    let course = winning_course(session, &moves, &request.policy, limits)?;
    Ok(render_course(
        &course,
        &log,
        &situation.ruleset().game,
        request,
    ))
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

fn chance_text(chance: &WinningChance) -> String {
    if chance.error > 0.0 {
        format!("{} ± {} %", percent(chance.share), percent(chance.error))
    } else {
        format!("{} %", percent(chance.share))
    }
}

/// Returns how many games were played from each position.
fn games_text(course: &WinningCourse) -> String {
    let played = || {
        course
            .chances
            .iter()
            .map(|chance| chance.games)
            .filter(|games| *games > 0)
    };
    match (played().min().unwrap_or(0), played().max().unwrap_or(0)) {
        (least, most) if least == most => most.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

fn render_course(
    course: &WinningCourse,
    log: &[LogEntry],
    game: &Game,
    request: &PageRequest,
) -> Markup {
    let styles: Vec<String> = course
        .styles
        .iter()
        .map(|(side, style)| format!("{side} {style}"))
        .collect();
    let turning_points = course.turning_points();
    let last = course.chances.last().map_or(0, |chance| chance.answers);
    html! {
        @if course.chances.len() < 2 {
            p.quiet { "There was no time to play on from any position of this game." }
        } @else {
            (render_chart(course, game))
            @if turning_points.is_empty() { p { "No change between these positions is more than chance." } }
            ol.plain.turning-points {
                @for (before, after) in turning_points.iter().take(MAX_POINTS) {
                    li {
                        b class=(side_colour(game, &course.side)) { (course.side) } ": "
                        (chance_text(before)) " → " (chance_text(after)) ". "
                        (said_between(log, before.answers, after.answers)) " "
                        a href=(situation_address(&request.after_moves(before.answers), "play")) data-move { "play on from here" }
                        @if after.answers < last { ", " a href=(situation_address(&request.after_moves(after.answers), "play")) data-move { "or after it" } }
                    }
                }
            }
            p.quiet {
                "From " (course.chances.len() - 1) " positions the game was played on to its end, " (games_text(course)) " times each with the same dice, by the styles "
                (styles.join(", ")) ": other play would have other chances. ± holds in 95 of 100 cases."
            }
        }
    }
}

/// Returns what happened between two positions: the lines about the throws, else the last ones.
fn said_between(log: &[LogEntry], start: usize, end: usize) -> String {
    let between = |entry: &&LogEntry| {
        entry
            .index
            .is_some_and(|index| (start..end).contains(&index))
    };
    let lines_of = |entries: &mut dyn Iterator<Item = &LogEntry>| {
        let lines = entries
            .flat_map(|entry| &entry.lines)
            .filter(|line| !line.is_title);
        lines.map(|line| line.text.clone()).collect::<Vec<_>>()
    };
    let mut lines = lines_of(
        &mut log
            .iter()
            .filter(between)
            .filter(|entry| entry.side.is_empty()),
    );
    if lines.is_empty() {
        lines = lines_of(&mut log.iter().filter(between));
    }
    lines[lines.len().saturating_sub(MAX_LINES)..].join(" ")
}

/// Draws the chance over the answers, with its error.
fn render_chart(course: &WinningCourse, game: &Game) -> Markup {
    let (wide, high) = SIZE;
    let last = course
        .chances
        .last()
        .map_or(1, |chance| chance.answers.max(1)) as f64;
    let x = |chance: &WinningChance| chance.answers as f64 / last * wide;
    let y = |share: f64| (1.0 - share.clamp(0.0, 1.0)) * high;
    let points: Vec<String> = course
        .chances
        .iter()
        .map(|chance| format!("{:.1},{:.1}", x(chance), y(chance.share)))
        .collect();
    let words: Vec<String> = course.chances.iter().map(chance_text).collect();
    html! {
        figure.course {
            svg viewBox={ "-4 -4 " (wide + 8.0) " " (high + 8.0) } role="img" aria-label={ "The chance of the " (course.side) ": " (words.join(", ")) } class=(side_colour(game, &course.side)) {
                line.half x1="0" x2=(wide) y1=(high / 2.0) y2=(high / 2.0) {}
                @for chance in &course.chances {
                    line.error x1=(format!("{:.1}", x(chance))) x2=(format!("{:.1}", x(chance))) y1=(format!("{:.1}", y(chance.share - chance.error))) y2=(format!("{:.1}", y(chance.share + chance.error))) {}
                }
                polyline points=(points.join(" ")) {}
            }
            figcaption { "The chance that the " (course.side) " wins, from the first answer to the last" }
        }
    }
}
