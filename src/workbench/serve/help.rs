//! Help: what the pages are for, a tour in four steps, and the glossary of a game.

use crate::serve::layout::{
    LinkTarget, PageFrame, PageQuery, WorkbenchSection, escape, render_page, render_sentence,
};
use crate::serve::page_request::PageRequest;
use crate::serve::prose::Prose;
use crate::serve::workbench::DataSnapshot;
use casebook_checks::author::glossary::ENTRIES;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::Game;
use casebook_view::things::things;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The steps of the tour: title, text, and where the step leads on to. `{}` stands for the main game, `{start}` for its start situation.
const TOUR: [(&str, &str, &str); 4] = [
    (
        "Drag the slider",
        "The large numbers are exact odds. They are counted again for each position of the slider.",
        "/at/{start}?tour=2",
    ),
    (
        "Change any figure",
        "This is the whole situation. Click a counter to change its figures; the bars keep a mark where they were. The address holds all of it.",
        "/book/{}?tour=3",
    ),
    (
        "Ask why",
        "This is the rulebook with the variants in force. Each line of a ruling cites its cases; each case shows who amended it and what it moves.",
        "/what-if/{}?tour=4",
    ),
    (
        "Make it yours",
        "Click what you disagree with in the ruling: a number, a die, a word. The odds move at once. Keep what you like.",
        "/",
    ),
];

/// Renders the step of the tour that an address asks for; nothing if it asks for none.
pub fn render_tour(snapshot: &DataSnapshot, page_query: &PageQuery) -> Markup {
    let Ok(step) = page_query.parameter("tour").parse::<usize>() else {
        return html! {};
    };
    let Some((title, text, next_step)) = step.checked_sub(1).and_then(|place| TOUR.get(place))
    else {
        return html! {};
    };
    let games = snapshot.library.ranked_games();
    let with_start = games.iter().find(|game| game.start.is_some());
    let Some(game) = with_start.or(games.first()) else {
        return html! {};
    };
    let start = game.start.as_ref().map_or(game.name.clone(), |start| {
        format!("{}/{}", escape(&game.name), escape(&start.situation))
    });
    let next_step = next_step
        .replace("{start}", &start)
        .replace("{}", &escape(&game.name));
    html! {
        aside.tour aria-label="Tour" {
            p { b { (step) " of " (TOUR.len()) ": " (title) ". " } (text) }
            p {
                a.button.main href=(next_step) { @if step < TOUR.len() { "Next" } @else { "Done" } } " "
                a.button href="/" { "Skip the tour" }
            }
        }
    }
}

/// Renders the help page.
pub fn render_help(snapshot: &DataSnapshot) -> Markup {
    let links = LinkTarget::of_game("");
    let body = html! {
        header.title { h1 { "Help" } p.lead { "What can be done here, and where." } }
        dl.help {
            dt { "Work out a battle" }
            dd { "Choose a situation. The first question is at the top, as a sentence; below it a chart for each outcome. Click a counter on the map and change its figures, or put it elsewhere: the bars move, and a thin mark shows where they were. “Reset” takes all changes back, ↶ one." }
            dt { "Ask why" }
            dd { "Each line of a ruling names its cases. A link leads to the case under the variants in force: what no longer holds is struck out, and each addition names its variant." }
            dt { "Play" }
            dd { "“Play” asks for each throw and choice. Throw your own dice and type them, or let the computer throw. Every answer can be taken back." }
            dt { "Compare rules" }
            dd { "“Compare” sets rulesets side by side and finds the amendments that make the difference." }
            dt { "Change a rule" }
            dd { "“What if …?” shows how the rules decide a battle, line by line. Click a number, a die or a word that you disagree with: what it is made of opens, and can be changed, always or under a condition. The odds beside it and the lines move at once. Nothing is saved until you keep it; each kept rule can be switched off or undone. “Copy link” shows others the same." }
            dt { "Share" }
            dd { "The address holds the rules, the situation, the dice and the choices. Send it, and the other sees the same." }
            dt { "Exact, ~ and ?" }
            dd { "Odds are counted, not simulated, unless the page says how much is a sample. ~ marks a figure that is not known from print, ? one that is missing." }
        }
        p { a.button href="/?tour=1" { "A tour in four steps" } }
        h2 { "Words of each game" }
        ul { @for game in snapshot.library.games.values() { li { a href={ "/glossary/" (escape(&game.name)) } { (game.title) } } } }
        h2 { "Words of the program" }
        dl.help { @for entry in ENTRIES { dt { (entry.names[0]) } dd { (render_sentence(entry.text)) } } }
    };
    render_page(
        &PageFrame {
            title: "Help",
            section: WorkbenchSection::Home,
            game: None,
            links: &links,
        },
        body,
    )
}

/// Renders the glossary of a game: its kinds of piece, their figures, its procedures and tracks; or its words alone, for the texts of
/// other pages.
pub fn render_glossary(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    name: &str,
) -> Result<Markup, Error> {
    let game: &Game = snapshot.library.game(name)?;
    let links = LinkTarget::of_game(name);
    let meanings = snapshot.library.glossary(name, &mut Default::default());
    let program = snapshot.rulebook_program(&PageRequest::of_game(name))?;
    let prose = Prose {
        ruleset: &program.ruleset,
        links: &links,
    };
    let id = |list: &str, word: &str| format!("{list}-{}", word.replace(' ', "-"));
    let mut used = BTreeSet::new();
    let mut entry = |list: &str, word: &str, key: &str, description: &str| {
        let meaning = meanings.get(key);
        used.extend(meaning.map(|_| key.to_string()));
        html! {
            dt #(id(list, word)) { (word) }
            dd { @if let Some(meaning) = meaning { span.meaning { (prose.render(meaning)) } " " } span.quiet { (prose.render(description)) } }
        }
    };
    let mut entries = |kind: &str| -> Vec<Markup> {
        let named = things(&program.ruleset, kind).into_iter();
        let rendered = named.map(|(name, about)| match kind {
            // A kind of piece is called by its title.
            "kind" => {
                let (title, groups) = about.split_once("; ").unwrap_or((&about, ""));
                let about = if groups.is_empty() { &name } else { groups };
                entry(kind, title, title, about)
            }
            "place attribute" => {
                let word = name.replace('_', " ");
                entry("place", &word, &format!("{word} of a place"), &about)
            }
            _ => {
                let word = name.replace('_', " ");
                entry(kind, &word, &word, &about)
            }
        });
        rendered.collect()
    };
    let lists = [
        ("Pieces", "kind"),
        ("What pieces have", "attribute"),
        ("What places have", "place attribute"),
        ("Tracks", "track"),
        ("Decks", "deck"),
    ];
    let lists = lists.map(|(title, kind)| (title, entries(kind)));
    let words = html! {
        @for (title, list) in lists {
            @if !list.is_empty() { h2 { (title) } dl.help { @for one in list { (one) } } }
        }
        @if meanings.len() > used.len() {
            h2 { "Words of play" }
            dl.help { @for (word, meaning) in meanings.iter().filter(|(word, _)| !used.contains(*word)) { dt #(id("word", word)) { (word) } dd { span.meaning { (prose.render(meaning)) } } } }
        }
        h2 { "What is carried out" }
        dl.help { @for (name, about) in &game.procedures { dt #(id("procedure", name)) { (name) } dd { (prose.render(about)) } } }
        @if !game.outcome_units.is_empty() {
            h2 { "What outcomes are counted in" }
            dl.help { @for (name, unit) in &game.outcome_units { dt { (name) } dd { (unit) } } }
        }
    };
    if page_query.parameter("part") == "terms" {
        return Ok(words);
    }
    let body = html! { header.title { h1 { "Glossary" } p.lead { (game.title) } } (words) };
    Ok(render_page(
        &PageFrame {
            title: "Glossary",
            section: WorkbenchSection::Home,
            game: Some(game),
            links: &links,
        },
        body,
    ))
}
