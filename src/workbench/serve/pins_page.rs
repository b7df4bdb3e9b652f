//! The page of pinned rulings: how a group reads the rules, and which of its readings no longer hold.

use crate::serve::layout::{LinkTarget, PageFrame, PageQuery, WorkbenchSection, render_page};
use crate::serve::workbench::DataSnapshot;
use casebook_checks::testing::check::CheckOutcome;
use casebook_checks::testing::suite::{self, PINS};
use casebook_engine::complaint::Error;
use casebook_view::html::render_blocks;
use casebook_view::pins;
use maud::{Markup, html};

/// Renders the pinned rulings of a game; those that fail come first, each with what is expected and what comes out.
pub fn render_pins(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    name: &str,
) -> Result<Markup, Error> {
    let page = pins::page(&snapshot.library, name)?;
    let mut outcomes = suite::run(&snapshot.library, name, PINS, &mut |_| false, |_| {}, None)?;
    outcomes.retain(|outcome| outcome.complaint.is_some());
    let links = LinkTarget::of_game(name);
    let body = html! {
        header.title { h1 { "How the rules are read here" } p.lead { "Each ruling that was pinned, with its case and its reason, and what other readings make of it." } }
        @if !outcomes.is_empty() {
            section.broken {
                h2 { "These no longer hold" }
                @for outcome in &outcomes { (render_broken(outcome, page_query.may_write)) }
            }
        }
        (render_blocks(&page.blocks))
    };
    let frame = PageFrame {
        title: "Pinned rulings",
        section: WorkbenchSection::Book,
        game: Some(snapshot.library.game(name)?),
        links: &links,
    };
    Ok(render_page(&frame, body))
}

fn render_broken(outcome: &CheckOutcome, may_write: bool) -> Markup {
    html! {
        h3 { (outcome.id) }
        @if let Some(broken_by) = &outcome.broken_by { p { (broken_by) } }
        @for changed in &outcome.changed {
            p {
                @for line in changed.lines().iter().filter(|line| !line.starts_with(' ')) {
                    @if let Some(old) = line.strip_prefix('-') { del { (old) } " " } @else { ins { (line.trim_start_matches('+')) } " " }
                }
                span.quiet { (changed.line) " " (changed.cites.join(", ")) }
            }
        }
        @if outcome.changed.is_empty() {
            @if let Some(complaint) = &outcome.complaint { p { (complaint.message) } }
        } @else {
            p { button type="button" data-accept=(outcome.id) data-path=(outcome.path) disabled[!may_write] { "Accept what comes out" } " " output {} }
        }
    }
}
