//! The start page: a situation to try, the ways in, and the games.

use crate::serve::help::render_tour;
use crate::serve::layout::{
    LinkTarget, PageFrame, PageQuery, WorkbenchSection, escape, layer_colour, render_input_error,
    render_page, render_saved_game_form, situation_address,
};
use crate::serve::odds_view::render_large_figures;
use crate::serve::page_request::PageRequest;
use crate::serve::play::new_game::{
    new_game_address, render_running_games, render_scenarios, whole_scenarios,
};
use crate::serve::queries::{cached_odds, count_limits, with_valid_choices};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::odds::headline::headline_values;
use casebook_engine::complaint::Error;
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::initial_board::FIRST_ATTRIBUTE;
use maud::{Markup, html};
use std::time::Duration;

/// Time limit of the odds on the start page.
const START_TIME: Duration = Duration::from_secs(2);

/// Renders the start page, or only its figures if the request asks for that part.
pub fn render_start(snapshot: &DataSnapshot, page_query: &PageQuery) -> Result<Markup, Error> {
    let games = snapshot.library.ranked_games();
    // Where the folder has a game, those that are built in stand behind it.
    let tried = games.iter().find(|game| game.start.is_some()).copied();
    let tried = tried.filter(|game| {
        let own = |game: &Game| snapshot.library.files.has_own_game(&game.name);
        own(game) || !games.iter().any(|game| own(game))
    });
    if page_query.parameter("part") == "figures" {
        let figures = tried.map(|game| {
            render_figures(snapshot, game, page_query)
                .unwrap_or_else(|error| render_input_error(&error))
        });
        return Ok(figures.unwrap_or_default());
    }
    let links = LinkTarget::of_game("");
    let main = games.first().map(|game| escape(&game.name));
    let main = main.unwrap_or_default();
    let scenarios: Vec<_> = games
        .iter()
        .map(|game| (*game, whole_scenarios(snapshot, game)))
        .filter(|(_, list)| !list.is_empty())
        .collect();
    let body = html! {
        (render_tour(snapshot, page_query))
        header.title { h1 { "Casebook" } p.lead { "The rules in force, their results, and what a change would do." } }
        @if let Some(game) = tried { (render_trial(snapshot, game, page_query)) }
        nav.doors aria-label="Ways in" {
            @if let Some((game, scenario)) = scenarios.first().and_then(|(game, list)| Some((game, list.first()?))) {
                a href=(new_game_address(&game.name, &scenario.name)) { b { "Play a scenario" } span { (scenario.title) ", against the computer or a person, refereed by the rules in force." } }
            }
            a href={ "/at/" (main) "?q=battle" } { b { "Work out a battle" } span { "Move units and see exact odds." } }
            a href={ "/what-if/" (main) } { b { "What if …?" } span { "Change a rule, and see at once what it does to the odds." } }
        }
        p { a href="/help" { "Help" } " · " a href="/?tour=1" { "A tour in four steps" } }
        (render_running_games())
        @if !scenarios.is_empty() {
            section.to-play aria-labelledby="to-play" {
                h2 #to-play { "Scenarios to play" }
                @for (game, list) in &scenarios { h3 { (game.title) } (render_scenarios(game, list, &PageRequest::of_game(&game.name))) }
                details { summary { "A game from VASSAL" } (render_saved_game_form()) }
            }
        }
        h2.games-head { "Games" }
        div.games {
            @for game in &games {
                section {
                    h3 { (game.title) }
                    p {
                        a.button href={ "/book/" (escape(&game.name)) } { "Rulebook" } " "
                        a.button href={ "/at/" (escape(&game.name)) } { "Situations" } " "
                        a.button href={ "/what-if/" (escape(&game.name)) } { "What if …?" } " "
                        a.words href={ "/glossary/" (escape(&game.name)) } { "Glossary" }
                    }
                    ul.plain {
                        @for name in snapshot.library.variants_of(&game.name) {
                            li { span class={ (layer_colour(&snapshot.library, &game.name, name)) " chip" } { (name) } " " (snapshot.library.variants[name].title) }
                        }
                    }
                }
            }
        }
    };
    Ok(render_page(
        &PageFrame {
            title: "Start",
            section: WorkbenchSection::Home,
            game: None,
            links: &links,
        },
        body,
    ))
}

/// Builds the request for the situation of the start page, with the figure that the address sets.
fn request_of(game: &Game, page_query: &PageQuery) -> Result<PageRequest, Error> {
    let situation = game
        .start
        .as_ref()
        .map_or("", |start| start.situation.as_str());
    PageRequest::parse(&game.name, situation, page_query.query)
}

/// Renders the situation to try: what it is, the slider, and the figures.
fn render_trial(snapshot: &DataSnapshot, game: &Game, page_query: &PageQuery) -> Markup {
    let (Some(start), Ok(request)) = (&game.start, request_of(game, page_query)) else {
        return html! {};
    };
    let plain = PageRequest::of(&game.name, &start.situation);
    let Ok(situation) = snapshot.situation(&mut plain.clone()) else {
        return html! {};
    };
    let (piece, attribute) = FigureName::parse(&start.figure)
        .map_or((start.figure.as_str(), ""), |name| (name.target, name.key));
    let own_value = initial_figure(&situation, piece, attribute).unwrap_or(start.from);
    let value = request
        .set
        .get(&start.figure)
        .and_then(|text| text.parse().ok())
        .unwrap_or(own_value);
    let figures = render_figures(snapshot, game, page_query)
        .unwrap_or_else(|error| render_input_error(&error));
    html! {
        section.trial aria-labelledby="trial-head" {
            p.quiet { (game.title) }
            h2 #trial-head { (situation.scenario.title) }
            form method="get" action="/" data-live {
                label {
                    span.hidden { (piece) ": " (attribute.replace('_', " ")) }
                    input type="range" name={ "set:" (start.figure) } min=(start.from) max=(start.to) step="1" value=(value) data-plain=(own_value);
                }
                noscript { button { "Show" } }
            }
            div data-part="figures" aria-live="polite" { (figures) }
        }
    }
}

/// Returns a figure of a piece as the situation's file has it.
fn initial_figure(situation: &Situation, piece: &str, attribute: &str) -> Option<i64> {
    let board = &situation.initial_board;
    let piece = board.names.iter().position(|name| name.as_str() == piece)?;
    let column = FIRST_ATTRIBUTE + situation.ruleset().game.index_of_attribute(attribute)?;
    board.columns[column][piece].as_number()
}

/// Renders the figures of the situation to try.
fn render_figures(
    snapshot: &DataSnapshot,
    game: &Game,
    page_query: &PageQuery,
) -> Result<Markup, Error> {
    let mut request = request_of(game, page_query)?;
    let situation = snapshot.situation(&mut request)?;
    let count = |situation: &Situation, request: &PageRequest| {
        cached_odds(
            snapshot,
            situation,
            request,
            count_limits(START_TIME, page_query.stop),
        )
    };
    let result = with_valid_choices(&situation, &request, count).0?;
    let values = headline_values(
        &situation,
        &result.result.odds,
        result.result.sample.as_ref(),
    );
    let figure = game
        .start
        .as_ref()
        .map(|start| start.figure.clone())
        .unwrap_or_default();
    let (piece, attribute) =
        FigureName::parse(&figure).map_or((figure.as_str(), ""), |name| (name.target, name.key));
    let value = request
        .set
        .get(&figure)
        .cloned()
        .or_else(|| Some(initial_figure(&situation, piece, attribute)?.to_string()))
        .unwrap_or_default();
    Ok(html! {
        p.set { (piece) ": " (attribute.replace('_', " ")) " " b { (value) } }
        (render_large_figures(&values))
        p { a href=(situation_address(&request, "")) { "Everything about this battle" } }
    })
}
