//! Before a game: the map, what each side has to do, how long it takes; who plays whom, and who throws. One button begins.

use crate::serve::layout::{LinkTarget, escape, hidden_fields, side_colour, situation_address};
use crate::serve::map::drawing::{BoardDrawing, MapChoice, render_map};
use crate::serve::map::map_look::MapLook;
use crate::serve::page_request::PageRequest;
use crate::serve::situations::{render_changes, render_set_up_notes};
use crate::serve::workbench::DataSnapshot;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::answer_rules::RANKS;
use casebook_engine::data::manifest::Game;
use casebook_engine::data::scenario::Scenario;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use maud::{Markup, html};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Number of seeds that a new game is drawn from: short ones keep its address short.
const SEEDS: u64 = 1_000_000;
/// The fields of the form that are no part of an address: the side to play, and who plays the others.
const SIDE: &str = "as";
const OPPONENT: &str = "against";
/// Values of the opponent beside the styles of the game: the style that is best for each side, a person who takes turns at the screen or has
/// the link, and oneself.
const PERSON: &str = "a person";
const BEST: &str = "best";
const NOBODY: &str = "nobody";

/// Returns the whole scenarios of a game that say what wins them, then the others. Variants are left aside.
pub fn whole_scenarios(snapshot: &DataSnapshot, game: &Game) -> Vec<Arc<Scenario>> {
    let (library, mut ignored) = (&snapshot.library, Complaints::default());
    let layer = library.layer(game, None, &mut ignored);
    let mut whole: Vec<Arc<Scenario>> = layer
        .scenarios
        .iter()
        // Most files are situations of one procedure: they need not be parsed.
        .filter(|(_, file)| file.text.contains("goes_on"))
        .filter_map(|(name, _)| library.scenario(&layer, name, game, &mut ignored))
        .filter(|scenario| scenario.is_game)
        .collect();
    whole.sort_by_key(|scenario| (scenario.aims.is_empty(), scenario.title.clone()));
    whole
}

/// Returns the address of the page before a game.
pub fn new_game_address(game: &str, scenario: &str) -> String {
    situation_address(&PageRequest::of(game, scenario), "new")
}

/// Renders scenarios as links to their pages, each with a small map and its length.
/// `under` is a request with the rules that they are played by.
pub fn render_scenarios(game: &Game, scenarios: &[Arc<Scenario>], under: &PageRequest) -> Markup {
    html! {
        ul.cards.scenarios {
            @for scenario in scenarios {
                li.card {
                    a href=(situation_address(&under.under_same_rules(&scenario.name), "new")) {
                        img src={ "/at/" (escape(&game.name)) "/" (escape(&scenario.name)) "/map.svg" } alt="" loading="lazy" width="132" height="88";
                        span.name { (scenario.title) @if !scenario.length.is_empty() { br; span.quiet { (scenario.length) } } }
                    }
                }
            }
        }
    }
}

/// Renders the place for the games of this browser, which a script fills; it stays hidden without one.
pub fn render_running_games() -> Markup {
    html! {
        section.running data-running hidden {
            h2 { "Go on with a game" }
            ul.plain data-games-list {}
        }
    }
}

/// Renders the page before a game.
pub fn render_new_game(
    snapshot: &DataSnapshot,
    situation: &Situation,
    request: &PageRequest,
) -> Markup {
    let (game, scenario) = (&*situation.ruleset().game, &situation.scenario);
    let start = PageRequest {
        seed: None,
        policy: Default::default(),
        seat: None,
        ..request.table_only()
    };
    let seed = RandomState::new().hash_one(&scenario.name) % SEEDS;
    let others: Vec<Arc<Scenario>> = whole_scenarios(snapshot, game)
        .into_iter()
        .filter(|other| other.name != scenario.name)
        .collect();
    html! {
        div.new-game {
            // A picture: what can be clicked on it comes with the game.
            div.picture inert aria-hidden="true" { (render_picture(situation, &start)) }
            form method="get" action=(situation_address(&PageRequest::of(&request.game, &request.situation), "play")) {
                (hidden_fields(&start))
                input type="hidden" name="seed" value=(seed);
                div {
                    (render_set_up_notes(situation))
                    (render_changes(&start))
                    p { a.button href=(situation_address(&start, "")) { "Change the set-up" } }
                }
                @if !game.sides.is_empty() {
                    fieldset.sides {
                        legend { "You play" }
                        @for (nth, side) in game.sides.iter().enumerate() {
                            label {
                                input type="radio" name=(SIDE) value=(side) checked[nth == 0];
                                span { b class=(side_colour(game, side)) { (side) } @if let Some(aim) = scenario.aims.get(side) { " " (aim) } }
                            }
                        }
                        @if scenario.aims.is_empty() { p.quiet { "What wins this scenario is not known: nobody is named at its end." } }
                    }
                    fieldset.opponents {
                        legend { "Against" }
                        @if !scenario.computer.is_empty() {
                            label { input type="radio" name=(OPPONENT) value=(BEST) checked; span { b { "The computer by its best style" } @for (side, computer) in &scenario.computer { " As " (side) " it plays " (computer.style) ", which " (computer.measured) "." } } }
                        }
                        @for (nth, style) in game.styles.iter().enumerate() {
                            label { input type="radio" name=(OPPONENT) value=(style.name) checked[nth == 0 && scenario.computer.is_empty()]; span { b { "The computer, " (style.name) } " " (style.description) } }
                        }
                        label { input type="radio" name=(OPPONENT) value=(PERSON) checked[game.styles.is_empty()]; span { b { "A person" } " at this screen, which is covered while you change places; or far away: send the link after your turn." } }
                        label { input type="radio" name=(OPPONENT) value=(NOBODY); span { b { "Nobody" } " You play all sides, and everything is open." } }
                    }
                }
                fieldset.dice {
                    legend { "Dice" }
                    label { input type="radio" name="throws" value="on" checked; span { b { "Thrown for you" } " at once." } }
                    label { input type="radio" name="throws" value="off"; span { b { "Your own" } " Each throw waits: press, or type what your dice show." } }
                    label { input type="checkbox" name="usual" value="on" checked; span { "Answer questions of routine the usual way; the log reopens them." } }
                }
                p.begin { button.button.main data-begin { "Begin" } }
                p.quiet.rules { "Rules: " (situation.ruleset().title_in_words()) " · " a href=(LinkTarget::for_request(request).contents_address()) { "Rulebook" } " · " a href=(LinkTarget::for_request(request).what_if_address("")) { "Change a rule" } }
            }
        }
        (render_running_games())
        @if !others.is_empty() { section { h2 { "Other scenarios" } (render_scenarios(game, &others, request)) } }
    }
}

/// Renders the map at the start.
fn render_picture(situation: &Situation, request: &PageRequest) -> Markup {
    let board = Board::new(situation.initial_board.clone());
    render_map(&BoardDrawing {
        situation,
        request,
        page: "play",
        look: &MapLook::default(),
        before: &board,
        after: &board,
        drawings: &[],
        choice: &MapChoice::default(),
    })
}

/// Says who plays which side, as the form does: `side` and `opponent` are its fields; without a side nothing changes.
pub fn take_seats(situation: &Situation, request: &mut PageRequest, side: &str, opponent: &str) {
    let game = &situation.ruleset().game;
    if !game.sides.iter().any(|other| other == side) {
        return;
    }
    if opponent == PERSON {
        request.seat = Some(side.into());
    }
    for other in game.sides.iter().filter(|other| *other != side) {
        let style = match (opponent, situation.scenario.computer.get(other)) {
            (BEST, Some(computer)) => &computer.style,
            _ => opponent,
        };
        if game.styles.iter().any(|other| other.name == style) || RANKS.contains(&style) {
            request.policy.insert(other.clone(), style.to_string());
        }
    }
}

/// Returns the names of the fields by which a game is begun.
pub const FIELDS: (&str, &str) = (SIDE, OPPONENT);
