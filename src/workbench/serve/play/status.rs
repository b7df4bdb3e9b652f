//! The state of the game, the rules in force, and who plays.

use crate::serve::layout::{render_saved_game_form, side_colour, situation_address, with_query};
use crate::serve::page_request::PageRequest;
use crate::serve::play::{TableView, address_with, asked_side, hidden_sides};
use casebook_engine::ruling::board_view::track_texts;
use casebook_engine::ruling::deck_view::deck_texts;
use casebook_engine::ruling::session::WaitingFor;
use casebook_engine::situation::policy::NAMES;
use casebook_engine::situation::trace::Event;
use casebook_engine::situation::value_text::value_text;
use maud::{Markup, html};

/// Renders phase, side to act, tracks and rules in force.
pub fn render_status(table: &TableView) -> Markup {
    let (session, game) = (table.session, table.game());
    let side = match session.waiting_for() {
        WaitingFor::Choice(choice) => choice.side.to_string(),
        _ => String::new(),
    };
    let mut tracks: Vec<(String, String)> = track_texts(session.board(), game);
    // Those of the other sides come last.
    tracks.sort_by_key(|(name, _)| {
        let of_another = |other: &String| *other != side && name.starts_with(other.as_str());
        !side.is_empty() && game.sides.iter().any(of_another)
    });
    let scored: Vec<(String, String)> = latest_outcomes(table);
    let decks = deck_texts(session.board(), game, &hidden_sides(session, table.request));
    let rules =
        html! { p.quiet.rules { "Rules: " (session.situation.ruleset().title_in_words()) } };
    html! {
        section.status-line aria-label="Where the game stands" {
            p.phase {
                @if let Some((phase, procedure)) = session.current_phase() { b { (phase) } @if !phase.eq_ignore_ascii_case(procedure) { ": " (procedure) } }
                @else { b { (table.situation.procedure) } }
                @if !side.is_empty() { span class={ "turn-of " (side_colour(game, &side)) } { (side) } }
            }
            @if !tracks.is_empty() || !scored.is_empty() {
                details.tracks {
                    summary { @for (i, (_, text)) in tracks.iter().take(3).enumerate() { @if i > 0 { " · " } (text) } @if tracks.is_empty() { "Score" } }
                    ul.plain {
                        @for (_, text) in &tracks { li { (text) } }
                        @for (name, text) in &scored { li { (name) ": " (text) } }
                    }
                    (rules)
                }
            } @else { (rules) }
            @if !decks.is_empty() { dl.decks { @for (name, text) in &decks { div { dt { (name) } dd { (text) } } } } }
        }
    }
}

/// Returns the latest values of the outcomes that the game follows.
fn latest_outcomes(table: &TableView) -> Vec<(String, String)> {
    let (session, game) = (table.session, table.game());
    let latest = |name: &String| {
        session.events().iter().rev().find_map(|event| match event {
            Event::Outcome(outcome) if outcome.name.as_str() == name => {
                Some((name.clone(), value_text(&outcome.value, session.board())))
            }
            _ => None,
        })
    };
    game.followed_outcomes.iter().filter_map(latest).collect()
}

/// Renders who plays which side, what is answered without asking, and the list of the user's games.
pub fn render_table_settings(table: &TableView) -> Markup {
    let (request, game) = (table.request, table.game());
    let tracks = track_texts(table.session.board(), game);
    let address = |request: &PageRequest| address_with(request, &[]);
    let to_move = if table.session.is_over() {
        "over"
    } else {
        asked_side(table.session).unwrap_or_default()
    };
    let persons = game
        .sides
        .iter()
        .filter(|side| !request.policy.contains_key(*side));
    let who = persons.cloned().collect::<Vec<_>>().join(" and ");
    let styles = request
        .policy
        .iter()
        .map(|(side, style)| format!("{side} ({style})"));
    let against = styles.collect::<Vec<_>>().join(", ");
    let policies = game.styles.iter().map(|style| style.name.as_str()).chain(
        NAMES
            .iter()
            .copied()
            .filter(|name| !["best", "worst", "all"].contains(name)),
    );
    let policies: Vec<&str> = policies.collect();
    let toggle = |on: bool, set: &dyn Fn(&mut PageRequest, bool), label: &str| {
        let mut toggled = request.clone();
        set(&mut toggled, !on);
        html! { li { a.button href=(address(&toggled)) data-move { (label) @if on { ": on" } @else { ": off" } } } }
    };
    html! {
        details.settings {
            summary { "Who plays, and how" }
            ul.plain {
                (toggle(request.usual_unasked, &|request, on| request.usual_unasked = on, "Answer routine questions automatically"))
                (toggle(request.throw_unasked, &|request, on| request.throw_unasked = on, "Dice thrown by themselves"))
                (toggle(request.seat.is_some(), &|request, on| request.seat = on.then(|| game.sides.first().cloned().unwrap_or_default()), "Curtain between the sides"))
            }
            @if !request.always.is_empty() {
                ul.plain.settled {
                    @for (question, answer) in &request.always {
                        @let asked_again = { let mut other = request.clone(); other.always.remove(question); other };
                        li { (question) ": always " (answer) " " a href=(address(&asked_again)) data-move { "Ask again" } }
                    }
                }
            }
            @for side in &game.sides {
                @let chosen = request.policy.get(side);
                fieldset {
                    legend class=(side_colour(game, side)) { (side) }
                    ul.plain.policies {
                        @let person = { let mut other = request.clone(); other.policy.remove(side); other };
                        li { a href=(address(&person)) data-move aria-current=[chosen.is_none().then_some("true")] { "a person" } }
                        @for policy in &policies {
                            @let other = { let mut other = request.clone(); other.policy.insert(side.clone(), policy.to_string()); other };
                            li {
                                a href=(address(&other)) data-move aria-current=[chosen.is_some_and(|name| name == policy).then_some("true")] { (policy) }
                                @if let Some(style) = game.styles.iter().find(|style| style.name == *policy) { " " span.quiet { (style.description) } }
                            }
                        }
                    }
                }
            }
        }
        details.games-here data-games data-title=(table.situation.scenario.title) data-turn=(tracks.first().map(|(_, text)| text.as_str()).unwrap_or_default()) data-side=(to_move) data-who=(who) data-against=(against) data-picture=(situation_address(&PageRequest::of(&request.game, &request.situation), "map.svg")) {
            summary { "My games" }
            p {
                a.button href=(situation_address(&request.table_only(), "new")) { "New game" } " "
                button type="button" data-copy { "Copy link" }
            }
            ul.plain data-games-list {}
            form data-load-journal {
                label { span { "A journal as a file" } " " input type="file" accept=".yaml,.yml" required; }
                " " button { "Load it" }
                output role="alert" {}
            }
            (render_saved_game_form())
            @if cfg!(feature = "vassal") {
                details.for-vassal {
                    summary data-fetch="vassal" { "This game for VASSAL" }
                    div { noscript { a href=(with_query(situation_address(request, "play"), "part=vassal")) { "Make the files" } } }
                }
            }
            p.quiet { "Games are kept by this browser; the address of the page holds a game whole, with every answer." }
        }
    }
}
