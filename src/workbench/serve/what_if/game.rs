//! What the changes do to a whole game: who wins more often, while games under the old and the new rules are played.

use crate::serve::balance_page::render_winners;
use crate::serve::editor::situation_titles;
use crate::serve::layout::{PageQuery, escape};
use crate::serve::page_request::PageRequest;
use crate::serve::queries::PageCount;
use crate::serve::what_if::bench::{render_refusal, rules_of, with_query};
use crate::serve::what_if::request::WhatIfRequest;
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::balance::report::SCOPE;
use casebook_checks::house::game_effect::{
    counts_in_words, game_effect, game_sentence, is_decided, with_plain_names,
};
use casebook_engine::complaint::{Error, counted};
use maud::{Markup, html};

/// The parameter of the address that names the game.
const WHOLE_GAME: &str = "whole";

/// Renders the choice of a whole game, and room for what comes of it, which the page asks for when it is shown.
pub fn render_game_choice(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    page_query: &PageQuery,
) -> Markup {
    let game = &request.trial.game;
    let Ok(program) = snapshot.rulebook_program(&PageRequest::of_game(game)) else {
        return html! {};
    };
    let is_game = |name: &str| {
        program
            .ruleset
            .scenario(name)
            .is_ok_and(|scenario| scenario.is_game)
    };
    let games: Vec<(String, String)> = situation_titles(snapshot, game)
        .into_iter()
        .filter(|(_, name)| is_game(name))
        .collect();
    let chosen = page_query.parameter(WHOLE_GAME);
    html! {
        @if !games.is_empty() {
            section.effect.off-paper[chosen.is_empty()] #game {
                h2 { "To the game" }
                form.choose.off-paper method="get" action={ "/what-if/" (escape(game)) "/effect#game" } {
                    @for (name, text) in form_urlencoded::parse(request.query().as_bytes()) { input type="hidden" name=(name) value=(text); }
                    label { span { "A whole game" }
                        select name=(WHOLE_GAME) { @for (title, name) in &games { option value=(name) selected[*name == chosen] { (title) } } }
                    }
                    button { "Play it under both rules" }
                }
                @if !chosen.is_empty() {
                    @if let Ok(rules) = rules_of(snapshot, request, &chosen) { p.in-force { "Rules: " (rules.title_in_words()) "; and the changes above." } }
                    p.quiet { (SCOPE) }
                    div data-part="game" aria-live="polite" { p.partly data-more="0" role="status" { "Games are played…" } }
                }
            }
        }
    }
}

/// Plays games for a while and renders who wins more often; the page asks again until that is decided.
pub fn render_game(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    page_query: &PageQuery,
) -> Markup {
    let (name, count) = (
        page_query.parameter(WHOLE_GAME),
        PageCount::of_request(page_query),
    );
    let answer = with_query(snapshot, request, false, |query| {
        let spec = query.spec_of(&name);
        if let Some(fault) = query.script_fault(&spec) {
            return Err(fault);
        }
        let is_over_kept = query.trial.is_over_kept(query.library);
        let answer = game_effect(
            query.library,
            query.trial,
            (&name, &spec),
            query.program,
            count.limits,
        )?;
        Ok::<_, Error>(with_plain_names(&answer, is_over_kept))
    });
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return render_refusal(&error),
    };
    let played: u64 = answer
        .total
        .totals_by_pairing
        .iter()
        .flatten()
        .map(|one| one.games)
        .sum();
    let goes_on = count.next_request().filter(|_| !is_decided(&answer));
    html! {
        p.lead { @if played == 0 && goes_on.is_some() { "No game has come to its end yet." } @else { (game_sentence(&answer)) "." } }
        @if let Some(next) = goes_on { p.more data-more=(next) role="status" { "Play goes on…" } }
        @if played > 0 {
            p.quiet { (counts_in_words(&answer)) }
            (render_winners(&answer))
        }
        @for (why, (seed, count)) in answer.total.faults.iter().take(5) { p role="alert" { (counted(*count, "game")) " could not be played, the first with seed " (seed) ": " (why) } }
    }
}
