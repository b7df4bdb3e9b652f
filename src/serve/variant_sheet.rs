//! A variant on one sheet to print: its cases in words, its changed tables, the variants that contradict it, and its effect on the
//! odds of chosen situations.

use crate::complaint::Error;
use crate::conflicts::report::find_contradictions;
use crate::data::library::InForce;
use crate::odds::headline::{headline_values, sentence};
use crate::odds::query::OddsResult;
use crate::ruleset::compose::Ruleset;
use crate::serve::book::Rulebook;
use crate::serve::book::index::Callers;
use crate::serve::chart::render_comparison;
use crate::serve::editor::situation_titles;
use crate::serve::layout::{LinkTarget, PageFrame, PageQuery, WorkbenchSection, escape, render_error, render_page};
use crate::serve::page_request::PageRequest;
use crate::serve::queries;
use crate::serve::workbench::DataSnapshot;
use form_urlencoded::parse;
use maud::{Markup, html};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Number of situations whose odds a sheet shows.
const SITUATIONS: usize = 3;
/// Time limit of each count.
const ODDS_TIME: Duration = Duration::from_secs(2);

/// Renders the sheet of a variant.
pub fn render_sheet(snapshot: &DataSnapshot, page_query: &PageQuery) -> Result<Markup, Error> {
    let (library, name) = (&snapshot.library, page_query.parameter("variant"));
    let variant = library.variants.get(&name).ok_or_else(|| Error::Unknown {
        what: "variant",
        name: name.clone(),
        suggestions: library.variants.keys().cloned().collect(),
    })?;
    let variants = library.with_dependencies(&name);
    let ask = PageRequest { with: Some(variants), ..PageRequest::of_game(&variant.game) };
    let program = snapshot.program(&ask.spec(library, InForce::default()))?;
    let (ruleset, links) = (&program.ruleset, LinkTarget::for_request(&ask));
    let book = Rulebook { ruleset, links: &links };
    let callers = Callers::new(ruleset);
    let body = html! {
        div.sheet {
            header.title {
                p.off-paper { a href={ "/edit?game=" (escape(&variant.game)) } { "House rules" } }
                h1 { (variant.title) }
                p.lead { (ruleset.title_in_words()) }
            }
            (render_cases(&book, &callers, &name))
            (render_tables(&book, &callers, snapshot, &name)?)
            (render_contradictions(snapshot, &name))
            (render_effects(snapshot, page_query, ruleset, &name))
        }
    };
    Ok(render_page(&PageFrame { title: &variant.title, section: WorkbenchSection::Editor, game: Some(&ruleset.game), links: &links }, body))
}

/// Renders the cases that a variant adds or amends, with what it strikes.
fn render_cases(book: &Rulebook, callers: &Callers, variant: &str) -> Markup {
    let own_cases = book.ruleset.cases.iter().filter(|case| &*case.layer == variant);
    let mut numbers: Vec<&str> = own_cases.map(|case| case.number.as_str()).collect();
    numbers.dedup();
    html! {
        h2 { "Cases" }
        @if numbers.is_empty() { p { "It changes no case." } }
        @for number in numbers { (book.render_case(number, callers, false)) }
    }
}

/// Renders the tables that a variant adds or changes, each whole, with the changed cells marked.
fn render_tables(book: &Rulebook, callers: &Callers, snapshot: &DataSnapshot, variant: &str) -> Result<Markup, Error> {
    let layer = snapshot.library.layer(&book.ruleset.game, Some(variant), &mut Default::default());
    let tables: Vec<Markup> = layer.tables.keys().map(|id| book.render_table(id, callers)).collect::<Result<_, _>>()?;
    Ok(html! { @if !tables.is_empty() { h2 { "Tables" } @for table in tables { (table) } } })
}

fn render_contradictions(snapshot: &DataSnapshot, variant: &str) -> Markup {
    html! {
        h2 { "Against other variants" }
        @match find_contradictions(&snapshot.library, variant) {
            Err(error) => (render_error(&error)),
            Ok(rows) if rows.is_empty() => p { "It contradicts none." },
            Ok(rows) => ul {
                @for row in &rows {
                    @for other in row.pair.iter().filter(|side| side.variant != variant) { li { b { (other.variant) } ", " (row.what) ": " (row.reason) } }
                }
            },
        }
    }
}

/// Renders the odds of the chosen situations without and with the variant, and the form that chooses them.
fn render_effects(snapshot: &DataSnapshot, page_query: &PageQuery, ruleset: &Ruleset, variant: &str) -> Markup {
    let game = &ruleset.game;
    let chosen = parse(page_query.query.as_bytes()).filter(|(key, text)| key == "situation" && !text.is_empty());
    let mut chosen: Vec<String> = chosen.map(|(_, text)| text.into_owned()).take(SITUATIONS).collect();
    if chosen.is_empty() {
        chosen.extend(game.start.as_ref().map(|start| start.situation.clone()));
    }
    let titles = situation_titles(snapshot, &game.name);
    let title = |name: &str| titles.iter().find(|(_, known)| known == name).map_or(name.to_string(), |(title, _)| title.clone());
    html! {
        h2 { "What it does to the odds" }
        form.new.off-paper action="/edit/sheet" {
            input type="hidden" name="variant" value=(variant);
            fieldset {
                legend { "Up to three situations" }
                @for place in 0..SITUATIONS {
                    label {
                        span { "Situation " (place + 1) }
                        select name="situation" {
                            option value="" { "none" }
                            @for (title, name) in &titles { option value=(name) selected[chosen.get(place) == Some(name)] { (title) } }
                        }
                    }
                }
                button { "Show" }
            }
        }
        @for name in &chosen {
            section.effect {
                h3 { (title(name)) }
                @match effect_of(snapshot, &game.name, variant, name, page_query.stop) { Ok(shown) => (shown), Err(error) => (render_error(&error)) }
            }
        }
    }
}

/// Renders the headlines and the differing odds of a situation without and with a variant.
fn effect_of(snapshot: &DataSnapshot, game: &str, variant: &str, name: &str, stop: &AtomicBool) -> Result<Markup, Error> {
    let odds = |with_variant: bool| -> Result<(String, OddsResult), Error> {
        let (situation, ask) = queries::situation_with(snapshot, (game, name), |variants| {
            variants.retain(|known| known != variant);
            variants.extend(with_variant.then(|| variant.into()));
        })?;
        let result = queries::odds(&situation, &ask, queries::count_limits(ODDS_TIME, stop))?.result;
        Ok((sentence(&headline_values(&situation, &result.odds, result.sample.as_ref())), result))
    };
    let (without, with) = (odds(false)?, odds(true)?);
    let views = [("without".to_string(), &without.1), (format!("with {variant}"), &with.1)];
    Ok(html! {
        @if !without.0.is_empty() { p { b { "Without: " } (without.0) } p { b { "With " (variant) ": " } (with.0) } }
        (render_comparison(&views, snapshot.library.game(game)?))
    })
}
