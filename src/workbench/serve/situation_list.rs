//! The list of situations: cards that words, topics, side and year sort out, each with a small map and its headline.

use crate::serve::layout::{
    PageQuery, escape, hidden_fields, own_colours, render_with_commas, side_colour,
    situation_address, with_query,
};
use crate::serve::page_request::PageRequest;
use crate::serve::situations::is_situation;
use crate::serve::workbench::DataSnapshot;
use casebook_engine::complaint::Complaints;
use casebook_engine::data::manifest::{Game, Track};
use casebook_engine::data::piece::{Datum, datum_text};
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::yaml::YamlNode;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::map_geometry::HEX_HALF_WIDTH;
use casebook_engine::situation::map_plan::MapPlan;
use casebook_engine::situation::placed_piece::placed_pieces;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The topic of situations that are played to an end.
const WHOLE: &str = "whole scenario";
/// Other words by which they are found.
const WHOLE_SYNONYMS: &str = "play playable game campaign scenario";
/// The parameters of the address that filter the list, besides the words.
const FILTERS: [&str; 3] = ["topic", "side", "year"];

struct SituationCard {
    name: String,
    title: String,
    procedure: String,
    topics: Vec<String>,
    side: String,
    year: String,
    playable: bool,
    /// All text by which it is found, in lower case.
    text: String,
}

impl SituationCard {
    fn new(scenario: &Scenario, game: &Game) -> Option<SituationCard> {
        let procedure = scenario
            .procedure
            .clone()
            .filter(|_| is_situation(scenario))?;
        let mut topics: Vec<String> = game
            .topics_of(&procedure)
            .map(|topic| topic.title.clone())
            .collect();
        let mut text = format!("{} {} {procedure}", scenario.name, scenario.title);
        game.topics_of(&procedure).for_each(|topic| {
            text = format!("{text} {} {}", topic.title, topic.synonyms.join(" "))
        });
        if scenario.is_game {
            topics.insert(0, WHOLE.into());
            text = format!("{text} {WHOLE} {WHOLE_SYNONYMS}");
        }
        scenario
            .search_words()
            .for_each(|words| text = format!("{text} {words}"));
        let (side, year) = (side_of(scenario, game), year_of(scenario, game));
        let text = format!("{text} {side} {year}").to_lowercase();
        Some(SituationCard {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            procedure,
            topics,
            side,
            year,
            playable: scenario.is_game,
            text,
        })
    }

    /// Returns whether the card has all words, and the value of each filter that is set.
    fn fits(&self, words: &[String], filters: &[String; 3]) -> bool {
        let [topic, side, year] = filters;
        words.iter().all(|word| self.text.contains(word.as_str()))
            && (topic.is_empty() || self.topics.contains(topic))
            && (side.is_empty() || self.side == *side)
            && (year.is_empty() || self.year == *year)
    }
}

/// Returns the side that acts: that of what the procedure is handed, or that of a track.
fn side_of(scenario: &Scenario, game: &Game) -> String {
    let given_entries = scenario.root.entries_of("given");
    let texts: Vec<&str> = given_entries
        .iter()
        .flat_map(|(_, value)| {
            value
                .as_text()
                .into_iter()
                .chain(value.items().iter().filter_map(YamlNode::as_text))
        })
        .collect();
    let side_called = |text: &str| game.sides.iter().find(|side| *side == text).cloned();
    let of_piece = |text: &&str| {
        let entry = scenario.pieces.iter().find(|entry| entry.name == *text)?;
        entry
            .attributes
            .get("side")
            .map(datum_text)
            .and_then(|side| side_called(&side))
    };
    let of_track = |datum: &Datum| side_called(&datum_text(datum));
    let named = texts
        .iter()
        .find_map(|text| side_called(text))
        .or_else(|| texts.iter().find_map(of_piece));
    named
        .or_else(|| scenario.tracks.values().find_map(of_track))
        .unwrap_or_default()
}

/// Returns the year of a track that is a calendar, as it is written there; or a year in the title.
fn year_of(scenario: &Scenario, game: &Game) -> String {
    let on_calendar = |(name, datum): (&String, &Datum)| {
        let calendar = matches!(game.tracks.get(name), Some(Track::Turns { .. }));
        datum_text(datum)
            .rsplit_once('/')
            .filter(|_| calendar)
            .map(|(_, year)| format!("’{year}"))
    };
    let in_title = || {
        let words = scenario.title.split(|c: char| !c.is_ascii_digit());
        words
            .filter(|word| word.len() == 4)
            .map(|year| format!("’{}", &year[2..]))
            .next()
    };
    scenario
        .tracks
        .iter()
        .find_map(on_calendar)
        .or_else(in_title)
        .unwrap_or_default()
}

fn cards_of(ruleset: &Ruleset) -> Vec<SituationCard> {
    let mut ignored = Complaints::default();
    let names = ruleset.scenario_names();
    let card = |name: &&str| {
        SituationCard::new(&*ruleset.stack_scenario(name, &mut ignored)?, &ruleset.game)
    };
    let mut cards: Vec<SituationCard> = names.iter().filter_map(card).collect();
    let position = |procedure: &str| {
        ruleset
            .game
            .procedures
            .iter()
            .position(|(name, _)| name == procedure)
    };
    let topic = |card: &SituationCard| {
        ruleset
            .game
            .topics
            .iter()
            .position(|topic| card.topics.contains(&topic.title))
            .unwrap_or(usize::MAX)
    };
    cards.sort_by_cached_key(|card| {
        (
            !card.playable,
            topic(card),
            position(&card.procedure),
            card.title.clone(),
        )
    });
    cards
}

/// Returns the words of a search in lower case.
fn words_of(page_query: &PageQuery) -> Vec<String> {
    page_query
        .parameter("q")
        .to_lowercase()
        .split_whitespace()
        .map(String::from)
        .collect()
}

/// Renders the situations of a game, and where else the words are found.
pub fn render_list(
    snapshot: &DataSnapshot,
    ruleset: &Ruleset,
    rules: &PageRequest,
    page_query: &PageQuery,
) -> Markup {
    let (words, filters) = (
        words_of(page_query),
        FILTERS.map(|name| page_query.parameter(name)),
    );
    let cards = cards_of(ruleset);
    let game = &ruleset.game;
    let count = cards
        .iter()
        .filter(|card| card.fits(&words, &filters))
        .count();
    let values = |values_of: &dyn Fn(&SituationCard) -> Vec<String>| -> BTreeSet<String> {
        cards
            .iter()
            .flat_map(values_of)
            .filter(|text| !text.is_empty())
            .collect()
    };
    let topics = [WHOLE.to_string()]
        .into_iter()
        .chain(game.topics.iter().map(|topic| topic.title.clone()));
    let used = values(&|card| card.topics.clone());
    let topics: Vec<String> = topics.filter(|topic| used.contains(topic)).collect();
    let chips = |name: &str, all_label: &str, choices: Vec<String>, chosen: &str| {
        html! {
            @if choices.len() > 1 || name == "topic" && !choices.is_empty() {
                fieldset.chips {
                    legend.hidden { (name) }
                    label { input type="radio" name=(name) value="" checked[chosen.is_empty()]; span { (all_label) } }
                    @for one in &choices { label { input type="radio" name=(name) value=(one) checked[chosen == one]; span { (one) } } }
                }
            }
        }
    };
    html! {
        header.title { h1 { "Situations" } p.lead { "Choose one, change its figures, and see the odds." } }
        @if rules.has_changes() {
            p.in-force { "All under " b { (ruleset.title_in_words()) } ". " a href={ "/at/" (escape(&game.name)) } { "Each under the rules that it names" } }
        } @else { p.in-force.quiet { "Each is under the rules that it names." } }
        form.find method="get" role="search" aria-label="Situations" data-cards {
            (hidden_fields(rules))
            p.search {
                label { span.hidden { "Words to look for" } input type="search" name="q" value=(page_query.parameter("q")) placeholder="Name, place, battle, siege, play …"; }
                button { "Find" }
                span #found role="status" { (count) " of " (cards.len()) }
            }
            (chips("topic", "all", topics, &filters[0]))
            (chips("side", "either side", values(&|card| vec![card.side.clone()]).into_iter().collect(), &filters[1]))
            (chips("year", "any year", values(&|card| vec![card.year.clone()]).into_iter().collect(), &filters[2]))
        }
        ul.cards {
            @for card in &cards { (render_card(card, rules, card.fits(&words, &filters))) }
        }
        p #nothing hidden[count > 0] { "No situation here has all of these. " a href=(with_query(format!("/at/{}", escape(&game.name)), &rules.to_query())) { "Show all" } }
        div data-others { (render_others(snapshot, game, page_query)) }
    }
}

fn render_card(card: &SituationCard, rules: &PageRequest, fits: bool) -> Markup {
    let request = rules.under_same_rules(&card.name);
    let address = situation_address(&request, "");
    html! {
        li.card hidden[!fits] data-text=(card.text) data-topic=(card.topics.join("|")) data-side=(card.side) data-year=(card.year) {
            a href=(address) {
                img src=(situation_address(&request, "map.svg")) alt="" loading="lazy" width="132" height="88";
                span.name { (card.title) }
            }
            p.quiet {
                (if card.playable { WHOLE } else { &card.procedure }) @for part in [&card.side, &card.year] { @if !part.is_empty() { " · " (part) } }
                @if card.playable { " " a.badge href=(situation_address(&request, "new")) { "Play" } }
            }
            // Of a whole scenario the headline of its first procedure says nothing.
            @if !card.playable { p.odd data-odd=(with_query(address, "part=headline")) {} }
        }
    }
}

/// Renders how many situations of the other games have the words.
pub fn render_others(snapshot: &DataSnapshot, current: &Game, page_query: &PageQuery) -> Markup {
    let (library, words) = (&snapshot.library, words_of(page_query));
    let mut other_games = Vec::new();
    for game in library
        .games
        .values()
        .filter(|game| game.name != current.name && !words.is_empty())
    {
        let Ok(program) = snapshot.rulebook_program(&PageRequest::of_game(&game.name)) else {
            continue;
        };
        let matching = cards_of(&program.ruleset)
            .into_iter()
            .filter(|card| card.fits(&words, &Default::default()));
        other_games.push((game, matching.count()));
    }
    other_games.retain(|(_, count)| *count > 0);
    html! {
        @if !other_games.is_empty() {
            p.others {
                "In other games: "
                (render_with_commas(other_games.iter().map(|(game, count)| html! {
                    a href={ "/at/" (escape(&game.name)) "?q=" (escape(&page_query.parameter("q"))) } { (game.title) } " (" (count) ")"
                })))
            }
        } @else if library.games.len() > 1 {
            p.quiet { a href="/" { "Other games" } }
        }
    }
}

/// The colours of the small map. It is no part of a page, so it can't use its style sheet.
const MAP_STYLE: &str = ".g{fill:#e9e3d3;stroke:#fffefb;stroke-width:4}.d{fill:none;stroke:#e9e3d3;stroke-linecap:round}.s1{fill:#2b4f86}.s2{fill:#86603a}.s3{fill:#3e6b3b}.s4{fill:#7b3550}.s5{fill:#a3302a}.s6{fill:#5b5f66}\
.n{fill:#8f877a}@media(prefers-color-scheme:dark){.g{fill:#3a362f;stroke:#1f1d1a}.d{stroke:#3a362f}.s1{fill:#8fb3ec}.s2{fill:#dcae7d}.s3{fill:#99cb92}.s4{fill:#e79bb5}.s5{fill:#f19a8f}.s6{fill:#b9bec7}}";
/// Maximum number of places and pieces drawn on it.
const MAX_DRAWN: usize = 400;

/// Renders a small map of a situation: its places and its pieces, as an image.
pub fn render_thumbnail(situation: &Situation) -> Markup {
    let game = &situation.ruleset().game;
    let board = Board::new(situation.initial_board.clone());
    let placed: Vec<_> = placed_pieces(&board, game)
        .into_iter()
        .filter(|piece| piece.stands_alone)
        .take(MAX_DRAWN)
        .collect();
    // Without pieces the whole map is drawn, with only some of its places.
    let plan = MapPlan::new(&board, game, &placed, &[], placed.is_empty());
    let shown_places: Vec<_> = plan
        .places
        .iter()
        .filter(|place| place.placed || !plan.hexes)
        .collect();
    let every = if placed.is_empty() {
        shown_places.len().div_ceil(MAX_DRAWN).max(1)
    } else {
        1
    };
    let spots: Vec<_> = shown_places
        .into_iter()
        .step_by(every)
        .take(MAX_DRAWN)
        .collect();
    let centre_of = |name: &str| {
        spots
            .iter()
            .find(|place| place.name == name)
            .map(|place| place.centre)
    };
    let ends = |axis: fn(&(f64, f64)) -> f64| {
        let coordinates = || spots.iter().map(|place| axis(&place.centre));
        let (low, high) = (
            coordinates().fold(f64::MAX, f64::min),
            coordinates().fold(f64::MIN, f64::max),
        );
        if low > high {
            (0.0, 0.0)
        } else {
            (low - 40.0, high - low + 80.0)
        }
    };
    let ((left, wide), (top, high)) = (ends(|at| at.0), ends(|at| at.1));
    let radius = HEX_HALF_WIDTH * 1.1;
    // All areas are one path and all dots another, because a page has many of these maps. A line of no length has round ends.
    let (mut areas, mut dots) = (String::new(), String::new());
    for spot in &spots {
        let (x, y) = spot.centre;
        if let Some((wide, high)) = spot.strip {
            let (left, top) = (x - wide / 2.0, y - high / 2.0);
            areas += &format!("M{left:.0} {top:.0}h{wide:.0}v{high:.0}h{:.0}z", -wide);
        } else if spot.cell.is_empty() {
            dots += &format!("M{x:.0} {y:.0}h0");
        } else {
            let corners = spot.cell.iter().map(|(x, y)| format!("{x:.0} {y:.0}"));
            areas += &format!("M{}z", corners.collect::<Vec<_>>().join(" "));
        }
    }
    let side = |name: &str| {
        side_colour(game, name)
            .rsplit(' ')
            .next()
            .filter(|class| !class.is_empty())
            .unwrap_or("n")
            .to_string()
    };
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("{left:.0} {top:.0} {wide:.0} {high:.0}")) width="132" height="88" {
            style { (MAP_STYLE) }
            (own_colours(game, |_, words| format!("fill:{words}")))
            path.g d=(areas) {}
            path.d d=(dots) stroke-width=(format!("{:.0}", radius * 2.0)) {}
            @let dot = (wide.max(high) / 30.0).clamp(9.0, 60.0);
            @for (nth, piece) in placed.iter().enumerate() {
                @if let Some((x, y)) = centre_of(&piece.place) {
                    // Pieces of one place are spread a little, so that more of them look like more.
                    @let turn = nth as f64 * 2.4;
                    circle class=(side(&piece.side)) cx=(format!("{:.0}", x + turn.cos() * dot * 0.6)) cy=(format!("{:.0}", y + turn.sin() * dot * 0.6)) r=(format!("{dot:.0}")) {}
                }
            }
        }
    }
}
