//! Routes the addresses of the workbench to pages.

use crate::serve::balance_page;
use crate::serve::book::Rulebook;
use crate::serve::book::index::{Callers, chapters};
use crate::serve::chart;
use crate::serve::comparison_page;
use crate::serve::editor;
use crate::serve::error_pages;
use crate::serve::help;
use crate::serve::layout::{
    LinkTarget, PageFrame, PageQuery, WorkbenchSection, render_change_error, render_error,
    render_faulty_variants, render_input_error, render_page, situation_address, with_query,
};
use crate::serve::map::drawing::{BoardDrawing, MapChoice, render_map};
use crate::serve::map::map_look::MapLook;
use crate::serve::odds_view::{NumberReading, OddsView};
use crate::serve::page_request::{PageRequest, REMOVED};
use crate::serve::play::{self, new_game};
use crate::serve::queries::{self, InvalidChoice, PageCount};
use crate::serve::situation_list::{render_list, render_others, render_thumbnail};
use crate::serve::situations::{SituationForm, is_situation, render_choices, render_heading};
use crate::serve::start_page;
use crate::serve::sweep_page;
use crate::serve::what_if::page::render_what_if;
use crate::serve::workbench::{DataSnapshot, FaultyVariant, Workbench};
use casebook_analysis::odds::headline::{headline_values, sentence};
use casebook_engine::complaint::{Error, nearest_names};
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::ruling::resolve::ResolvedRuling;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use maud::{Markup, html};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

/// Time limits of the first page view for its ruling and its odds; the page requests slower parts itself.
const FIRST_VIEW_TIME: (Duration, Duration) =
    (Duration::from_millis(150), Duration::from_millis(300));
/// Time limit of the headline on a card.
const CARD_TIME: Duration = Duration::from_millis(500);

/// Renders the page of an address; `None` if no route matches.
pub fn page_for(bench: &Workbench, page_query: &PageQuery) -> Result<Option<Markup>, Error> {
    let snapshot = bench.snapshot()?;
    let path: Vec<&str> = page_query.path.iter().map(String::as_str).collect();
    Ok(Some(match path[..] {
        [""] => start_page::render_start(&snapshot, page_query)?,
        ["help"] => help::render_help(&snapshot),
        ["glossary", game] => help::render_glossary(&snapshot, page_query, game)?,
        ["book", game] => book_page(&snapshot, page_query, game, "", "")?,
        ["book", game, what] => book_page(&snapshot, page_query, game, what, "")?,
        ["book", game, what, name] => book_page(&snapshot, page_query, game, what, name)?,
        ["at", game] => situations_page(&snapshot, page_query, game)?,
        ["at", game, situation] => calculator_page(&snapshot, page_query, game, situation)?,
        ["at", game, situation, "map.svg"] => thumbnail_of(&snapshot, page_query, game, situation)?,
        ["at", game, situation, "compare"] => {
            comparison_page(&snapshot, page_query, game, situation)?
        }
        ["at", game, situation, "balance"] => balance_page(&snapshot, page_query, game, situation)?,
        ["at", game, situation, "over"] => sweep_page(&snapshot, page_query, game, situation)?,
        ["at", game, situation, "new"] => new_game_page(&snapshot, page_query, game, situation)?,
        ["at", game, situation, "play"] => play_page(&snapshot, page_query, game, situation)?,
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
    let ask = PageRequest::parse(game, "", page_query.query)?;
    let program = snapshot.rulebook_program(&ask)?;
    let (ruleset, links) = (&program.ruleset, LinkTarget::for_request(&ask));
    let book = Rulebook {
        ruleset,
        links: &links,
    };
    let askers = || Callers::new(ruleset);
    let (title, body, chapter) = match kind {
        "chapter" => {
            let title = chapters(ruleset)
                .into_iter()
                .find(|chapter| chapter.slug == name)
                .map(|chapter| chapter.title);
            (
                title.unwrap_or_default(),
                book.render_chapter(name, &askers())?,
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
                    what: "case in force",
                    name: name.into(),
                    suggestions: nearest_names(name, names),
                });
            }
            let title = format!("{name} {}", book.title_of(name));
            (
                title,
                html! { div.single { (book.render_case(name, &askers(), true)) } },
                book.chapter_of(name).map(String::from),
            )
        }
        "table" => (
            format!("Table {name}"),
            book.render_table(name, &askers())?,
            None,
        ),
        "search" => (
            "Search".into(),
            book.render_search(&page_query.parameter("q"), &askers()),
            None,
        ),
        _ => (ruleset.game.title.clone(), book.render_contents(), None),
    };
    let broken = render_faulty_variants(
        &snapshot.faulty_variants(&ask, snapshot.all_variants(game)),
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
    let ask = PageRequest::of_game(game);
    let program = snapshot.rulebook_program(&ask)?;
    let links = LinkTarget::of_game(game);
    let broken = render_faulty_variants(
        &snapshot.faulty_variants(&ask, snapshot.all_variants(game)),
        game,
    );
    if page_query.parameter("part") == "others" {
        return Ok(render_others(snapshot, &program.ruleset.game, page_query));
    }
    let body = html! { (broken) (render_list(snapshot, &program.ruleset, page_query)) };
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

/// Renders the small map of a situation.
fn thumbnail_of(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let mut ask = PageRequest::parse(game, name, page_query.query)?;
    Ok(render_thumbnail(&snapshot.situation(&mut ask)?))
}

/// Renders the headline of a situation for its card; nothing if it has none or it can't be counted in time.
fn render_card_odds(
    snapshot: &DataSnapshot,
    situation: &Situation,
    ask: &PageRequest,
    page_query: &PageQuery,
) -> Markup {
    let Ok(odds) = queries::cached_odds(
        snapshot,
        situation,
        ask,
        queries::count_limits(CARD_TIME, page_query.stop),
    ) else {
        return html! {};
    };
    html! { (sentence(&headline_values(situation, &odds.result.odds, odds.result.sample.as_ref()))) }
}

/// A situation with the changes of a request applied.
struct ChangedSituation {
    request: PageRequest,
    situation: Situation,
    /// The variants that the situation itself names.
    default_variants: Vec<String>,
    /// The requested variants that can't be put in force.
    faulty_variants: Vec<FaultyVariant>,
}

impl ChangedSituation {
    fn new(snapshot: &DataSnapshot, mut ask: PageRequest) -> Result<ChangedSituation, Error> {
        let default = snapshot.complete_request(&mut ask)?;
        let situation = snapshot.situation(&mut ask)?;
        let broken = snapshot.faulty_variants(&ask, default.clone());
        Ok(ChangedSituation {
            request: ask,
            situation,
            default_variants: default.variants,
            faulty_variants: broken,
        })
    }

    /// Renders a page about the situation.
    fn render_page(&self, current: &str, body: Markup) -> Markup {
        let game = &*self.situation.ruleset().game;
        let body = html! { (render_faulty_variants(&self.faulty_variants, &game.name)) (render_heading(&self.situation, &self.request, current)) (body) };
        let links = LinkTarget::for_request(&self.request);
        render_page(
            &PageFrame {
                title: &self.situation.scenario.title,
                section: match current {
                    "play" | "new" => WorkbenchSection::Table,
                    _ => WorkbenchSection::Situations,
                },
                game: Some(game),
                links: &links,
            },
            body,
        )
    }
}

fn calculator_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let part = page_query.parameter("part");
    let ask = PageRequest::parse(game, name, page_query.query);
    let changed_situation = ask.and_then(|ask| {
        ChangedSituation::new(snapshot, ask.clone())
            .map_err(|error| (ask, error))
            .map_or_else(
                // If the changes conflict, the form omits the conflicting ones and shows their errors.
                |(ask, error)| match (ask.has_manual_changes(), part.is_empty()) {
                    (true, true) => error_pages::applicable_changes(snapshot, &ask)
                        .and_then(|(ask, wrong)| Ok((ChangedSituation::new(snapshot, ask)?, wrong)))
                        .map_err(|_| error),
                    _ => Err(error),
                },
                |changed| Ok((changed, Vec::new())),
            )
    });
    let (changed, wrong) = match (changed_situation, part.as_str()) {
        (Ok(changed_situation), _) => changed_situation,
        // Input may be incomplete while the user types: the page stays, and this part shows the error.
        (Err(error), "odds") => return Ok(render_input_error(&error)),
        (Err(_), "ruling" | "board") => {
            return Ok(html! { p.quiet { "There is no ruling as long as that can't be done." } });
        }
        (Err(error), _) => return Err(error),
    };
    let (ask, situation) = (&changed.request, &changed.situation);
    let consulted_cases = RefCell::new(BTreeSet::<String>::new());
    let ruled = |time: Option<Duration>| {
        let (resolved, fit) =
            queries::with_valid_choices(situation, ask, |situation, ask| match time {
                Some(time) => queries::ruling_within(situation, ask, time).transpose(),
                None => queries::ruling(situation, ask).map(Some),
            });
        let look = MapLook::from_query(page_query);
        let (situation, ask) = fit
            .as_ref()
            .map_or((situation, ask), |fit| (&fit.situation, &fit.request));
        match resolved {
            Ok(resolved) if part == "board" => {
                resolved.map(|resolved| render_board(situation, ask, &look, &resolved))
            }
            Ok(resolved) => resolved.map(|resolved| {
                let lines = resolved.ruling.steps.iter().flat_map(|step| &step.lines);
                let cites = lines.flat_map(|line| line.cites.iter().chain(&line.behind));
                consulted_cases.borrow_mut().extend(
                    cites
                        .filter_map(|cite| cite.split(' ').next())
                        .map(String::from),
                );
                render_ruling(
                    situation,
                    ask,
                    &look,
                    &resolved,
                    fit.as_ref().map_or(&[], |fit| &fit.invalid_choices),
                )
            }),
            Err(error) => Some(render_no_ruling(&error, ask)),
        }
    };
    match part.as_str() {
        "headline" => return Ok(render_card_odds(snapshot, situation, ask, page_query)),
        "ruling" | "board" => return Ok(ruled(None).unwrap_or_default()),
        "odds" => {
            return Ok(render_odds(
                snapshot,
                situation,
                ask,
                page_query,
                PageCount::of_request(page_query),
            ));
        }
        _ => {}
    }
    // The baseline of an added piece contains its values, because the file has none.
    let put_in = |of: &str| ask.pieces.get(of).is_some_and(|kind| kind != REMOVED);
    let mut plain_ask = ask.clone();
    plain_ask
        .set
        .retain(|name, _| FigureName::parse(name).is_some_and(|name| put_in(name.target)));
    let plain = snapshot.situation(&mut plain_ask)?;
    if !is_situation(&situation.scenario) {
        return Err(Error::Usage(format!(
            "{name} is a list of pieces, not a situation"
        )));
    }
    // If the ruling takes too long for the first view, so do the odds.
    let glance = ruled(Some(FIRST_VIEW_TIME.0));
    let consulted_cases = consulted_cases.take();
    let form = SituationForm {
        current: situation,
        original: &plain,
        request: ask,
        default_variants: &changed.default_variants,
        consulted_cases: &consulted_cases,
    };
    let later = |notice: &str, part: &str| {
        let part_address = with_query(situation_address(ask, ""), &format!("part={part}"));
        html! { p.partly data-more="0" role="status" { (notice) noscript { " " a href=(part_address) { "Show it" } } } }
    };
    let body = html! {
        (help::render_tour(snapshot, page_query))
        @if !wrong.is_empty() { (error_pages::render_edit_errors(&wrong, ask)) }
        div.calculator {
            div.given { (form.render()) }
            div.comes {
                section aria-labelledby="odds-head" {
                    h2 #odds-head { "Odds" }
                    div data-part="odds" aria-live="polite" {
                        @if glance.is_some() { (render_odds(snapshot, situation, ask, page_query, PageCount::first(FIRST_VIEW_TIME.1, page_query.stop))) } @else { (later("Counting…", "odds")) }
                    }
                }
                section aria-labelledby="ruling-head" {
                    h2 #ruling-head { "A ruling" }
                    div data-part="ruling" { @if let Some(ruling) = &glance { (ruling) } @else { (later("It is carried out…", "ruling")) } }
                }
            }
        }
    };
    Ok(changed.render_page("", body))
}

/// Explains why there is no ruling. Errors of manual changes are shown beside the odds and not repeated here.
fn render_no_ruling(error: &Error, ask: &PageRequest) -> Markup {
    match (ask.has_manual_changes(), &ask.dice) {
        (true, None) => html! { p.quiet { "There is no ruling as long as that can't be done." } },
        (_, Some(_)) => render_change_error(error),
        _ => render_error(error),
    }
}

/// Renders a ruling with its choices and board.
fn render_ruling(
    situation: &Situation,
    ask: &PageRequest,
    look: &MapLook,
    resolved: &ResolvedRuling,
    unfit: &[InvalidChoice],
) -> Markup {
    let with_next_seed = PageRequest {
        seed: Some(ask.seed.unwrap_or(1).wrapping_add(1)),
        dice: None,
        ..ask.clone()
    };
    html! {
        (render_choices(&resolved.events, situation, ask, &resolved.board, unfit))
        @if !resolved.ruling.dice.is_empty() { p.dice {
            span.quiet { "With " (resolved.ruling.dice_from) ": " }
            @for (purpose, faces) in &resolved.ruling.dice {
                span.throw title=(purpose) { @for face in faces { span.die { (face) } } span.hidden { " for " (purpose) ". " } }
            }
            " " a href=(situation_address(&with_next_seed, "")) data-again { "Throw again" }
        } }
        (chart::render_ruling(&resolved.ruling, &LinkTarget::for_request(ask)))
        div data-board { (render_board(situation, ask, look, resolved)) }
    }
}

/// Renders the board below a ruling; a click on it reloads only this part.
fn render_board(
    situation: &Situation,
    ask: &PageRequest,
    look: &MapLook,
    resolved: &ResolvedRuling,
) -> Markup {
    let board_before = Board::new(situation.initial_board.clone());
    render_map(&BoardDrawing {
        situation,
        request: ask,
        page: "",
        look,
        before: &board_before,
        after: &resolved.board,
        drawings: &resolved.ruling.drawn,
        choice: &MapChoice::default(),
    })
}

/// Renders the odds found within a time limit; the page asks again if it was too short.
fn render_odds(
    snapshot: &DataSnapshot,
    situation: &Situation,
    ask: &PageRequest,
    page_query: &PageQuery,
    count: PageCount,
) -> Markup {
    let odds = |situation: &Situation, ask: &PageRequest| {
        queries::cached_odds(snapshot, situation, ask, count.limits)
    };
    let (answer, fit) = queries::with_valid_choices(situation, ask, odds);
    let links = LinkTarget::for_request(ask);
    let reading = NumberReading::parse(&page_query.parameter("show"));
    match answer {
        Ok(counted) => html! {
            (count.render_progress(counted.result.sample.is_some()))
            @if let Some(fit) = &fit { (render_invalid_choices(&fit.invalid_choices, ask)) }
            (render_changes(ask))
            @let before = queries::odds_before(snapshot, ask, count.limits);
            (OddsView { counted: &counted, before: before.as_ref().map(|before| &before.result), situation, links: &links, reading }.render())
        },
        // Best play that timed out is requested again with a longer limit.
        Err(Error::Usage(_)) if count.next_request().is_some() => {
            html! { p.partly data-more=[count.next] role="status" { "Counting…" } }
        }
        Err(error) if ask.has_manual_changes() => render_change_error(&error),
        Err(error) => render_error(&error),
    }
}

/// Renders the changes of a request, each with a link that undoes it alone.
fn render_changes(ask: &PageRequest) -> Markup {
    let steps = ask.undo_steps();
    html! {
        @if !steps.is_empty() {
            p.changes {
                span.quiet { "Changed: " }
                @for (told, without) in &steps {
                    a.button.undo href=(situation_address(without, "")) title="Undo this change" { (told) span aria-hidden="true" { " ↶" } span.hidden { ", undo" } } " "
                }
            }
        }
    }
}

/// Renders answers that are no longer allowed, each with the allowed ones.
fn render_invalid_choices(invalid_choices: &[InvalidChoice], ask: &PageRequest) -> Markup {
    let answered = |choice: &InvalidChoice, option: &str| {
        let mut ask = ask.clone();
        ask.choose.insert(choice.question.clone(), option.into());
        situation_address(&ask, "")
    };
    html! {
        @for one in invalid_choices {
            p.partly role="status" {
                b { (one.question) ": “" (one.answer) "” is not open in every case" } ". These odds take the first option offered throughout. "
                @if !one.allowed.is_empty() { "Where it is not, open are " @for option in &one.allowed { a.button href=(answered(one, option)) { (option) } " " } }
            }
        }
    }
}

/// Returns the situation of a request under the rulesets to compare, and those that can be chosen.
fn compared_situation(
    snapshot: &DataSnapshot,
    ask: PageRequest,
) -> Result<(ChangedSituation, Vec<Vec<String>>), Error> {
    let mut changed = ChangedSituation::new(snapshot, ask)?;
    let stacks = comparison_page::ruleset_choices(
        &snapshot.library,
        &changed.request,
        &changed.default_variants,
    );
    if changed.request.rulesets.is_empty() {
        changed.request.rulesets =
            comparison_page::default_rulesets(&stacks, &changed.default_variants);
    }
    Ok((changed, stacks))
}

fn comparison_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let (changed, stacks) =
        compared_situation(snapshot, PageRequest::parse(game, name, page_query.query)?)?;
    let ask = &changed.request;
    match page_query.parameter("part").as_str() {
        "compared" => {
            return Ok(comparison_page::render_odds(
                snapshot,
                ask,
                PageCount::of_request(page_query),
            ));
        }
        "causes" => {
            return Ok(comparison_page::render_causes(
                snapshot,
                ask,
                page_query.stop,
            ));
        }
        _ => {}
    }
    let odds = comparison_page::render_odds(
        snapshot,
        ask,
        PageCount::first(FIRST_VIEW_TIME.1 * 2, page_query.stop),
    );
    let body = html! {
        (comparison_page::render_form(&snapshot.library, ask, &stacks))
        section { h2 { "Odds" } div data-part="compared" aria-live="polite" { (odds) } }
        section { h2 { "What makes the difference" } div data-part="causes" aria-live="polite" { p.quiet data-more { "Amendments are left out one after another…" } } }
    };
    Ok(changed.render_page("compare", body))
}

fn balance_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let (changed, stacks) =
        compared_situation(snapshot, PageRequest::parse(game, name, page_query.query)?)?;
    if page_query.parameter("part") == "balance" {
        return Ok(balance_page::render_balance(
            snapshot,
            &changed.request,
            PageCount::of_request(page_query),
        ));
    }
    Ok(changed.render_page(
        "balance",
        balance_page::render_form(&snapshot.library, &changed.request, &stacks),
    ))
}

fn sweep_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let changed =
        ChangedSituation::new(snapshot, PageRequest::parse(game, name, page_query.query)?)?;
    let form = sweep_page::SweepForm::new(
        &changed.situation,
        (
            &page_query.parameter("figure"),
            &page_query.parameter("values"),
        ),
    );
    if page_query.parameter("part") == "swept" {
        return Ok(form.render_odds(
            snapshot,
            &changed.request,
            PageCount::of_request(page_query),
        ));
    }
    let odds = form.render_odds(
        snapshot,
        &changed.request,
        PageCount::first(FIRST_VIEW_TIME.1 * 2, page_query.stop),
    );
    Ok(changed.render_page("over", form.render(&changed.request, odds)))
}

fn new_game_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let changed =
        ChangedSituation::new(snapshot, PageRequest::parse(game, name, page_query.query)?)?;
    let body = new_game::render_new_game(snapshot, &changed.situation, &changed.request);
    Ok(changed.render_page("new", body))
}

fn play_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let mut changed =
        ChangedSituation::new(snapshot, PageRequest::parse(game, name, page_query.query)?)?;
    let (side, opponent) = new_game::FIELDS;
    let (side, opponent) = (page_query.parameter(side), page_query.parameter(opponent));
    let manifest = &changed.situation.ruleset().game;
    new_game::take_seats(manifest, &mut changed.request, &side, &opponent);
    let (ask, situation) = (&changed.request, &changed.situation);
    // A game that has just begun goes on to the first question for a person.
    let begins = !side.is_empty() && ask.has_unasked();
    let unattended = play::Unattended::from_query(page_query.query)
        .or(begins.then_some(play::Unattended::AsSet));
    match page_query.parameter("part").as_str() {
        "table" => {
            return Ok(play::render_table(
                snapshot,
                situation,
                ask,
                unattended.as_ref(),
                &MapLook::from_query(page_query),
            ));
        }
        "board" => {
            return play::render_updated_map(
                snapshot,
                situation,
                ask,
                &MapLook::from_query(page_query),
            );
        }
        "why" => {
            return play::render_why_not(
                snapshot,
                situation,
                ask,
                &MapLook::from_query(page_query),
            );
        }
        "log" => return play::log::render_older(snapshot, situation, ask),
        "journal" => return play::log::render_journal(snapshot, situation, ask),
        "weighed" => {
            return play::log::render_weighed(
                snapshot,
                situation,
                ask,
                page_query.parameter("of").parse().unwrap_or(usize::MAX),
            );
        }
        "earlier" => return play::render_earlier(snapshot, situation, ask),
        "fortune" => {
            return play::luck_view::render_fortune(
                snapshot,
                situation,
                ask,
                page_query.parameter("of").parse().unwrap_or_default(),
                page_query.stop,
            );
        }
        "stake" => {
            return play::answer_view::render_answer_odds(
                snapshot,
                situation,
                ask,
                page_query.stop,
            );
        }
        #[cfg(feature = "vassal")]
        "vassal" => {
            return crate::serve::vassal_files::render_downloads(snapshot, situation, ask);
        }
        "walk" => return play::turn_report::render_walk(snapshot, situation, ask),
        "turning" => {
            return play::turning_view::render_turning_points(
                snapshot,
                situation,
                ask,
                page_query.stop,
            );
        }
        "luck" => return play::luck_view::render_luck(snapshot, situation, ask, page_query.stop),
        "ahead" => return play::render_odds(snapshot, situation, ask, page_query.stop),
        _ => {}
    }
    let body = html! { div.play data-table { (play::render_table(snapshot, situation, ask, unattended.as_ref(), &MapLook::from_query(page_query))) } };
    Ok(changed.render_page("play", body))
}
