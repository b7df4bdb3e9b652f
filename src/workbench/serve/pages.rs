//! Routes the addresses of the workbench to pages.

use crate::serve::balance_page;
use crate::serve::book::Rulebook;
use crate::serve::book::index::chapters;
use crate::serve::calculator::{ChangedSituation, FIRST_VIEW_TIME, calculator_page};
use crate::serve::comparison_page;
use crate::serve::editor;
use crate::serve::help;
use crate::serve::layout::{
    LinkTarget, PageFrame, PageQuery, WorkbenchSection, render_faulty_variants, render_page,
};
use crate::serve::map::map_look::MapLook;
use crate::serve::page_request::PageRequest;
use crate::serve::pins_page;
use crate::serve::play::{self, TableRequest, new_game};
use crate::serve::queries::PageCount;
use crate::serve::situation_list::{render_list, render_others, render_thumbnail};
use crate::serve::start_page;
use crate::serve::sweep_page;
use crate::serve::what_if::page::render_what_if;
use crate::serve::workbench::{DataSnapshot, Workbench};
use casebook_engine::complaint::{Error, nearest_names};
use casebook_view::references::References;
use maud::{Markup, html};

/// The pages of a situation beside the calculator.
const SITUATION_PAGES: [&str; 5] = ["compare", "balance", "over", "new", "play"];

/// Renders the page of an address; `None` if no route matches.
pub fn page_for(bench: &Workbench, page_query: &PageQuery) -> Result<Option<Markup>, Error> {
    let snapshot = bench.snapshot()?;
    let path: Vec<&str> = page_query.path.iter().map(String::as_str).collect();
    Ok(Some(match path[..] {
        [""] => start_page::render_start(&snapshot, page_query)?,
        ["help"] => help::render_help(&snapshot),
        ["glossary", game] => help::render_glossary(&snapshot, page_query, game)?,
        ["book", game] => book_page(&snapshot, page_query, game, "", "")?,
        ["book", game, kind] => book_page(&snapshot, page_query, game, kind, "")?,
        ["book", game, kind, name] => book_page(&snapshot, page_query, game, kind, name)?,
        ["at", game] => situations_page(&snapshot, page_query, game)?,
        ["at", game, situation] => calculator_page(&snapshot, page_query, game, situation)?,
        ["at", game, situation, "map.svg"] => {
            let mut request = PageRequest::parse(game, situation, page_query.query)?;
            render_thumbnail(&snapshot.situation(&mut request)?)
        }
        ["at", game, situation, page] if SITUATION_PAGES.contains(&page) => {
            let request = PageRequest::parse(game, situation, page_query.query)?;
            let changed = ChangedSituation::new(&snapshot, request)?;
            match page {
                "compare" => comparison_page(&snapshot, page_query, changed),
                "balance" => balance_page(&snapshot, page_query, changed),
                "over" => sweep_page(&snapshot, page_query, &changed),
                "new" => {
                    let (situation, request) = (&changed.situation, &changed.request);
                    let body = new_game::render_new_game(&snapshot, situation, request);
                    changed.render_page(page, body)
                }
                _ => play_page(&snapshot, page_query, changed)?,
            }
        }
        ["pins", game] => pins_page::render_pins(&snapshot, page_query, game)?,
        ["what-if", game] => render_what_if(bench, &snapshot, page_query, game, "")?,
        ["what-if", game, "effect"] => {
            render_what_if(bench, &snapshot, page_query, game, "effect")?
        }
        ["edit", "meet"] => editor::conflicts_page(&snapshot, page_query)?,
        ["edit", "file"] => editor::file_page(bench, &snapshot, page_query)?,
        _ => return Ok(None),
    }))
}

fn book_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    kind: &str,
    name: &str,
) -> Result<Markup, Error> {
    let request = PageRequest::parse(game, "", page_query.query)?;
    let program = snapshot.rulebook_program(&request)?;
    let (ruleset, links) = (&program.ruleset, LinkTarget::for_request(&request));
    let default = snapshot.rulebook_default(&request).variants;
    let rules_of = ruleset.scenario(&request.rules_of).ok();
    let book = Rulebook {
        ruleset,
        links: &links,
        default_variants: &default,
        rules_of: rules_of
            .as_ref()
            .map(|scenario| (request.rules_of.as_str(), scenario.title.as_str())),
    };
    let references = || References::new(ruleset);
    let (title, body, chapter) = match kind {
        "chapter" => {
            let title = chapters(ruleset)
                .into_iter()
                .find(|chapter| chapter.slug == name)
                .map(|chapter| chapter.title);
            (
                title.unwrap_or_default(),
                book.render_chapter(name, &references())?,
                Some(name.to_string()),
            )
        }
        "case" => {
            let exists = ruleset.cases.iter().any(|case| case.number == name)
                || ruleset.contents.contains_key(name);
            if !exists {
                let names = ruleset
                    .cases
                    .iter()
                    .map(|case| case.number.as_str())
                    .chain(ruleset.contents.keys().map(String::as_str));
                return Err(Error::Unknown {
                    kind: "case in force",
                    name: name.into(),
                    suggestions: nearest_names(name, names),
                });
            }
            let title = format!("{name} {}", book.title_of(name));
            (
                title,
                html! { div.single { (book.render_case(name, &references(), true)) } },
                book.chapter_of(name).map(String::from),
            )
        }
        "table" => (
            format!("Table {name}"),
            book.render_table(name, &references())?,
            None,
        ),
        "search" => (
            "Search".into(),
            book.render_search(&page_query.parameter("q"), &references()),
            None,
        ),
        _ => (ruleset.game.title.clone(), book.render_contents(), None),
    };
    let broken = render_faulty_variants(
        &snapshot.faulty_variants(&request, snapshot.all_variants(game)),
        game,
    );
    let body = html! { (help::render_tour(snapshot, page_query)) div.book { (book.render_sidebar(chapter.as_deref())) div.text { (broken) (body) } } };
    Ok(render_page(
        &PageFrame {
            title: &title,
            section: WorkbenchSection::Book,
            game: Some(&ruleset.game),
            links: &links,
        },
        body,
    ))
}

fn situations_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
) -> Result<Markup, Error> {
    let request = PageRequest::parse(game, "", page_query.query)?.under_same_rules("");
    let program = snapshot.rulebook_program(&request)?;
    let links = LinkTarget::for_request(&request);
    let broken = render_faulty_variants(
        &snapshot.faulty_variants(&request, snapshot.all_variants(game)),
        game,
    );
    if page_query.parameter("part") == "others" {
        return Ok(render_others(snapshot, &program.ruleset.game, page_query));
    }
    let body = html! { (broken) (render_list(snapshot, &program.ruleset, &request, page_query)) };
    Ok(render_page(
        &PageFrame {
            title: "Situations",
            section: WorkbenchSection::Situations,
            game: Some(&program.ruleset.game),
            links: &links,
        },
        body,
    ))
}

/// Chooses rulesets to compare, if the request names none; returns those that can be chosen.
fn choose_rulesets(snapshot: &DataSnapshot, changed: &mut ChangedSituation) -> Vec<Vec<String>> {
    let (request, default) = (&mut changed.request, &changed.default_variants);
    let stacks = comparison_page::ruleset_choices(&snapshot.library, request, default);
    if request.rulesets.is_empty() {
        request.rulesets = comparison_page::default_rulesets(&stacks, default);
    }
    stacks
}

fn comparison_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    mut changed: ChangedSituation,
) -> Markup {
    let stacks = choose_rulesets(snapshot, &mut changed);
    let request = &changed.request;
    let count = || PageCount::of_request(page_query);
    match page_query.parameter("part").as_str() {
        "compared" => return comparison_page::render_odds(snapshot, request, count()),
        "causes" => return comparison_page::render_causes(snapshot, request, page_query.stop),
        _ => {}
    }
    let odds = comparison_page::render_odds(
        snapshot,
        request,
        PageCount::first(FIRST_VIEW_TIME.1 * 2, page_query.stop),
    );
    let body = html! {
        (comparison_page::render_form(&snapshot.library, request, &stacks))
        section { h2 { "Odds" } div data-part="compared" aria-live="polite" { (odds) } }
        section { h2 { "What makes the difference" } div data-part="causes" aria-live="polite" { p.quiet data-more { "Amendments are left out one after another…" } } }
    };
    changed.render_page("compare", body)
}

fn balance_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    mut changed: ChangedSituation,
) -> Markup {
    let stacks = choose_rulesets(snapshot, &mut changed);
    let request = &changed.request;
    if page_query.parameter("part") == "balance" {
        return balance_page::render_balance(snapshot, request, PageCount::of_request(page_query));
    }
    let form = balance_page::render_form(&snapshot.library, request, &stacks);
    changed.render_page("balance", form)
}

fn sweep_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    changed: &ChangedSituation,
) -> Markup {
    let (figure, values) = (
        page_query.parameter("figure"),
        page_query.parameter("values"),
    );
    let form = sweep_page::SweepForm::new(&changed.situation, (&figure, &values));
    let request = &changed.request;
    if page_query.parameter("part") == "swept" {
        return form.render_odds(snapshot, request, PageCount::of_request(page_query));
    }
    let count = PageCount::first(FIRST_VIEW_TIME.1 * 2, page_query.stop);
    let odds = form.render_odds(snapshot, request, count);
    changed.render_page("over", form.render(request, odds))
}

fn play_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    mut changed: ChangedSituation,
) -> Result<Markup, Error> {
    let (side, opponent) = new_game::FIELDS;
    let (side, opponent) = (page_query.parameter(side), page_query.parameter(opponent));
    new_game::take_seats(&changed.situation, &mut changed.request, &side, &opponent);
    let table = TableRequest::new(snapshot, &changed.situation, &changed.request);
    // A game that has just begun goes on to the first question for a person.
    let begins = !side.is_empty() && changed.request.has_unasked();
    let unattended = play::Unattended::from_query(page_query.query)
        .or(begins.then_some(play::Unattended::AsSet));
    let look = MapLook::from_query(page_query, "play");
    let render_table = || play::render_table(table, unattended.as_ref(), &look);
    let stop = page_query.stop;
    match page_query.parameter("part").as_str() {
        "table" => Ok(render_table()),
        "board" => play::render_updated_map(table, &look),
        "why" => play::render_why_not(table, &look),
        "log" => play::log::render_older(table),
        "journal" => play::log::render_journal(table),
        "earlier" => play::render_earlier(table),
        "fortune" => {
            let number = page_query.parameter("of").parse().unwrap_or_default();
            play::luck_view::render_fortune(table, number, stop)
        }
        "stake" => play::answer_view::render_answer_odds(table, stop),
        #[cfg(feature = "vassal")]
        "vassal" => crate::serve::vassal_files::render_downloads(table),
        "walk" => play::turn_report::render_walk(table),
        "turning" => play::turning_view::render_turning_points(table, stop),
        "luck" => {
            let is_long = page_query.parameter("of") == "all";
            play::luck_view::render_luck(table, is_long, stop)
        }
        "ahead" => play::render_odds(table, stop),
        _ => Ok(changed.render_page("play", html! { div.play data-table { (render_table()) } })),
    }
}
