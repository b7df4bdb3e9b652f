//! The calculator of a situation: the map and what is changed on it; beside it the odds, the decisions, and a ruling.

use crate::serve::chart;
use crate::serve::decisions::{Decisions, render_invalid_choices};
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
use crate::serve::prose::Prose;
use crate::serve::queries::{self, InvalidChoice, PageCount};
use crate::serve::situations::{
    SituationForm, is_situation, render_changes, render_heading, render_set_up_notes,
};
use crate::serve::workbench::{DataSnapshot, FaultyVariant};
use casebook_analysis::odds::headline::{headline_values, sentence};
use casebook_engine::complaint::{Error, Remedy};
use casebook_engine::data::figure_name::FigureName;
use casebook_engine::ruling::resolve::{ResolvedRuling, Ruling};
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::placed_piece::placed_pieces;
use maud::{Markup, html};
use serde_json::json;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

/// Time limits of the first page view for its ruling and its odds; the page requests slower parts itself.
pub const FIRST_VIEW_TIME: (Duration, Duration) =
    (Duration::from_millis(150), Duration::from_millis(300));
/// Time limit of the headline on a card.
const CARD_TIME: Duration = Duration::from_millis(500);

/// A situation with the changes of a request applied.
pub struct ChangedSituation {
    /// The request, with the game filled in.
    pub request: PageRequest,
    pub situation: Situation,
    /// The variants that the situation itself names.
    pub default_variants: Vec<String>,
    /// The requested variants that can't be put in force.
    faulty_variants: Vec<FaultyVariant>,
}

impl ChangedSituation {
    /// Builds the situation of a request.
    pub fn new(
        snapshot: &DataSnapshot,
        mut request: PageRequest,
    ) -> Result<ChangedSituation, Error> {
        let default = snapshot.complete_request(&mut request)?;
        let situation = snapshot.situation(&mut request)?;
        let broken = snapshot.faulty_variants(&request, default.clone());
        Ok(ChangedSituation {
            request,
            situation,
            default_variants: default.variants,
            faulty_variants: broken,
        })
    }

    /// Renders a page about the situation.
    pub fn render_page(&self, current: &str, body: Markup) -> Markup {
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

/// Renders the headline of a situation for its card; nothing if it has none or it can't be counted in time.
fn render_card_odds(
    snapshot: &DataSnapshot,
    situation: &Situation,
    request: &PageRequest,
    page_query: &PageQuery,
) -> Markup {
    let Ok(odds) = queries::cached_odds(
        snapshot,
        situation,
        request,
        queries::count_limits(CARD_TIME, page_query.stop),
    ) else {
        return html! {};
    };
    html! { (sentence(&headline_values(situation, &odds.result.odds, odds.result.sample.as_ref()))) }
}

/// The situation as its file has it: what changes are marked against. The values of an added piece count, because the file has none.
fn unchanged(snapshot: &DataSnapshot, request: &PageRequest) -> Result<Situation, Error> {
    let put_in = |of: &str| request.pieces.get(of).is_some_and(|kind| kind != REMOVED);
    let mut plain = request.clone();
    plain
        .set
        .retain(|name, _| FigureName::parse(name).is_some_and(|name| put_in(name.target)));
    snapshot.situation(&mut plain)
}

/// What a ruling puts on the page, beside its lines: the map, and the decisions.
struct CalculatorView<'a> {
    snapshot: &'a DataSnapshot,
    changed: &'a ChangedSituation,
    original: &'a Situation,
    look: &'a MapLook,
    /// Whether the page may write to the user's folder.
    may_write: bool,
    /// Set where there was no time to try who may be picked.
    is_untried: Cell<bool>,
}

/// The time in which it is tried who may be picked: when the page comes, and when it is changed.
const TRIAL_TIME: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3));

/// The parts of the page that come of a ruling.
struct RulingParts {
    board: Markup,
    decisions: Markup,
    ruling: Markup,
    /// The cases that it consulted.
    cases: BTreeSet<String>,
}

impl CalculatorView<'_> {
    /// Carries the situation out, and renders what comes of it; `None` if that takes longer than `time`.
    fn parts(&self, time: Option<Duration>) -> Option<RulingParts> {
        let (situation, request) = (&self.changed.situation, &self.changed.request);
        let (resolved, fit) =
            queries::with_valid_choices(situation, request, |situation, request| match time {
                Some(time) => queries::ruling_within(situation, request, time).transpose(),
                None => queries::ruling(situation, request).map(Some),
            });
        let unfit: &[InvalidChoice] = fit.as_ref().map_or(&[], |fit| &fit.invalid_choices);
        let (situation, request) = fit
            .as_ref()
            .map_or((situation, request), |fit| (&fit.situation, &fit.request));
        Some(match resolved {
            Ok(None) => return None,
            Ok(Some(resolved)) => {
                let lines = resolved.ruling.steps.iter().flat_map(|step| &step.lines);
                let cites = lines.flat_map(|line| line.cites.iter().chain(&line.behind));
                RulingParts {
                    cases: cites
                        .filter_map(|cite| cite.split(' ').next())
                        .map(String::from)
                        .collect(),
                    board: self.render_board(situation, request, Some(&resolved)),
                    decisions: self.render_decisions(
                        (situation, request),
                        Some(&resolved),
                        unfit,
                        time,
                    ),
                    ruling: html! {
                        (render_ruling(situation, request, &resolved))
                        @if self.may_write && resolved.ruling.refused.is_none() { (render_pin(request, &resolved.ruling)) }
                    },
                }
            }
            Err(error) => RulingParts {
                cases: BTreeSet::new(),
                board: self.render_board(situation, request, None),
                decisions: self.render_decisions((situation, request), None, unfit, time),
                ruling: render_no_ruling(&error, request),
            },
        })
    }

    fn render_decisions(
        &self,
        (situation, request): (&Situation, &PageRequest),
        resolved: Option<&ResolvedRuling>,
        unfit: &[InvalidChoice],
        time: Option<Duration>,
    ) -> Markup {
        Decisions {
            current: situation,
            original: self.original,
            request,
            resolved,
            unfit,
            trial_time: time.map_or(TRIAL_TIME.1, |time| time.min(TRIAL_TIME.0)),
            is_untried: &self.is_untried,
        }
        .render()
    }

    /// Renders the map; without a ruling everything stands where it begins.
    fn render_board(
        &self,
        situation: &Situation,
        request: &PageRequest,
        resolved: Option<&ResolvedRuling>,
    ) -> Markup {
        let before = Board::new(situation.initial_board.clone());
        render_map(&BoardDrawing {
            situation,
            request,
            page: "",
            look: self.look,
            before: &before,
            after: resolved.map_or(&before, |resolved| &resolved.board),
            drawings: resolved.map_or(&[], |resolved| &resolved.ruling.drawn),
            choice: &MapChoice::default(),
        })
    }

    /// Returns the pieces of the counter that is open.
    fn opened(&self) -> Vec<String> {
        let situation = &self.changed.situation;
        let board = Board::new(situation.initial_board.clone());
        let placed = placed_pieces(&board, &situation.ruleset().game);
        let stack = self.look.stack(&placed);
        stack.iter().map(|piece| piece.name.clone()).collect()
    }

    fn render(&self, page_query: &PageQuery, wrong: &[error_pages::EditError]) -> Markup {
        let (snapshot, changed) = (self.snapshot, self.changed);
        let (request, situation) = (&changed.request, &changed.situation);
        // If the ruling takes too long for the first view, so do the odds.
        let glance = self.parts(Some(FIRST_VIEW_TIME.0));
        let is_slow = glance.is_none();
        let later = |notice: &str, part: &str| {
            let part_address = with_query(situation_address(request, ""), &format!("part={part}"));
            html! { p.partly data-more="0" role="status" { (notice) noscript { " " a href=(part_address) { "Show it" } } } }
        };
        let shown = glance.unwrap_or_else(|| RulingParts {
            board: self.render_board(situation, request, None),
            decisions: self.render_decisions((situation, request), None, &[], Some(Duration::ZERO)),
            ruling: later("It is carried out…", "ruling"),
            cases: BTreeSet::new(),
        });
        let odds = match is_slow {
            true => OddsParts {
                verdict: html! {},
                charts: later("Counting…", "odds"),
            },
            false => odds_parts(
                snapshot,
                changed,
                page_query,
                PageCount::first(FIRST_VIEW_TIME.1, page_query.stop),
            ),
        };
        let form = SituationForm {
            current: situation,
            original: self.original,
            request,
            default_variants: &changed.default_variants,
            consulted_cases: &shown.cases,
            opened: &self.opened(),
        };
        html! {
            (help::render_tour(snapshot, page_query))
            @if !wrong.is_empty() { (error_pages::render_edit_errors(wrong, request)) }
            div.calculator {
                div.set {
                    div #board data-board { (shown.board) }
                    div.given { (form.render()) }
                }
                section.result aria-labelledby="odds-head" {
                    h2 #odds-head { "Odds" }
                    div #verdict aria-live="polite" { (odds.verdict) }
                    div #decisions { (shown.decisions) }
                }
                section.counted aria-label="Every outcome" { div data-part="odds" { (odds.charts) } }
                section.one-ruling aria-labelledby="ruling-head" {
                    h2 #ruling-head { "A ruling" }
                    div data-part="ruling" { (shown.ruling) @if self.is_untried.get() && !is_slow { span data-more="0" {} } }
                }
            }
        }
    }
}

/// Renders the page of a situation, or one of its parts.
pub fn calculator_page(
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    name: &str,
) -> Result<Markup, Error> {
    let part = page_query.parameter("part");
    let request = PageRequest::parse(game, name, page_query.query);
    let changed_situation = request.and_then(|request| {
        ChangedSituation::new(snapshot, request.clone())
            .map_err(|error| (request, error))
            .map_or_else(
                // If the changes conflict, the form omits the conflicting ones and shows their errors.
                |(request, error)| match (request.has_manual_changes(), part.is_empty()) {
                    (true, true) => error_pages::applicable_changes(snapshot, &request)
                        .and_then(|(request, wrong)| {
                            Ok((ChangedSituation::new(snapshot, request)?, wrong))
                        })
                        .map_err(|_| error),
                    _ => Err(error),
                },
                |changed| Ok((changed, Vec::new())),
            )
    });
    let (changed, wrong) = match (changed_situation, part.as_str()) {
        (Ok(changed_situation), _) => changed_situation,
        // Input may be incomplete while the user types: the page stays, and this part shows the error.
        (Err(error), "odds") => {
            let parts = OddsParts {
                verdict: render_input_error(&error),
                charts: html! {},
            };
            return Ok(parts.render());
        }
        (Err(_), "ruling" | "board") => {
            return Ok(html! { p.quiet { "There is no ruling as long as that can't be done." } });
        }
        (Err(error), _) => return Err(error),
    };
    let (request, situation) = (&changed.request, &changed.situation);
    match part.as_str() {
        "headline" => return Ok(render_card_odds(snapshot, situation, request, page_query)),
        "odds" => {
            let count = PageCount::of_request(page_query);
            return Ok(odds_parts(snapshot, &changed, page_query, count).render());
        }
        _ => {}
    }
    if !is_situation(&situation.scenario) {
        return Err(Error::Usage(format!(
            "{name} is a list of pieces, not a situation"
        )));
    }
    let original = unchanged(snapshot, request)?;
    let view = CalculatorView {
        snapshot,
        changed: &changed,
        original: &original,
        look: &MapLook::from_query(page_query, ""),
        may_write: page_query.may_write,
        is_untried: Cell::new(false),
    };
    Ok(match part.as_str() {
        "board" => view
            .parts(None)
            .map(|parts| parts.board)
            .unwrap_or_default(),
        // One answer fills three places of the page.
        "ruling" => view.parts(None).map_or_else(Markup::default, |parts| {
            html! {
                div data-goes-to="board" { (parts.board) }
                div data-goes-to="decisions" { (parts.decisions) }
                (parts.ruling)
            }
        }),
        _ => changed.render_page("", view.render(page_query, &wrong)),
    })
}

/// Explains why there is no ruling. Errors of manual changes are shown beside the odds and not repeated here.
fn render_no_ruling(error: &Error, request: &PageRequest) -> Markup {
    match (request.has_manual_changes(), &request.dice) {
        (true, None) => html! { p.quiet { "There is no ruling as long as that can't be done." } },
        (_, Some(_)) => render_change_error(error),
        _ => render_error(error),
    }
}

/// Renders a ruling with its dice.
fn render_ruling(
    situation: &Situation,
    request: &PageRequest,
    resolved: &ResolvedRuling,
) -> Markup {
    let with_next_seed = PageRequest {
        seed: Some(request.seed.unwrap_or(1).wrapping_add(1)),
        dice: None,
        ..request.clone()
    };
    html! {
        @if !resolved.ruling.dice.is_empty() { p.dice {
            span.quiet { "With " (resolved.ruling.dice_from) ": " }
            @for (purpose, faces) in &resolved.ruling.dice {
                span.throw title=(purpose) { @for face in faces { span.die { (face) } } span.hidden { " for " (purpose) ". " } }
            }
            " " a href=(situation_address(&with_next_seed, "")) data-again { "Throw again" }
        } }
        (chart::render_ruling(&resolved.ruling, &Prose { ruleset: situation.ruleset(), links: &LinkTarget::for_request(request) }))
    }
}

/// Renders the form that keeps a ruling as an interpretation of the user's.
fn render_pin(request: &PageRequest, ruling: &Ruling) -> Markup {
    html! {
        details.off-paper {
            summary { "Pin this ruling" }
            form.choose data-pin=(json!(request)) {
                label { span { "We play it this way, because" } input name="because" required size="40" autocomplete="off"; }
                label { span { "Hold" }
                    select name="only" {
                        option value="" { "the headline, and what says it" }
                        optgroup label="an outcome alone" { @for name in ruling.results.keys() { option value=(name) { (name) } } }
                        optgroup label="a line alone" { @for line in ruling.lines() { option value=(line.text) { (line.text) } } }
                    }
                }
                button { "Pin" }
                output role="status" {}
            }
            p.quiet { "Pinned, it stands with its situation, rules and dice; “What if …?” says when a change breaks it." }
        }
    }
}

/// The odds as they stand on the page: what is asked first beside the map, every outcome below it.
struct OddsParts {
    verdict: Markup,
    charts: Markup,
}

impl OddsParts {
    /// Renders both as one answer.
    fn render(self) -> Markup {
        html! { div data-goes-to="verdict" { (self.verdict) } (self.charts) }
    }
}

/// Returns the odds found within a time limit; the page asks again if it was too short.
fn odds_parts(
    snapshot: &DataSnapshot,
    changed: &ChangedSituation,
    page_query: &PageQuery,
    count: PageCount,
) -> OddsParts {
    let (situation, request) = (&changed.situation, &changed.request);
    let odds = |situation: &Situation, request: &PageRequest| {
        queries::cached_odds(snapshot, situation, request, count.limits)
    };
    let (answer, fit) = queries::with_valid_choices(situation, request, odds);
    let links = LinkTarget::for_request(request);
    let reading = NumberReading::parse(&page_query.parameter("show"));
    match answer {
        Ok(counted) => {
            let before = queries::odds_before(snapshot, request, count.limits);
            let view = OddsView {
                counted: &counted,
                before: before.as_ref().map(|before| &before.result),
                situation,
                links: &links,
                reading,
            };
            OddsParts {
                verdict: html! {
                    @if let Some(fit) = &fit { (render_invalid_choices(&fit.invalid_choices, request)) }
                    (view.render_headline())
                    (render_set_up_notes(situation))
                    (render_changes(request))
                },
                charts: html! {
                    (count.render_progress(counted.result.sample.is_some()))
                    (view.render_charts_of_all())
                },
            }
        }
        // What has run out of time is requested again with a longer limit.
        Err(error) if is_unfinished(&error) && count.next_request().is_some() => OddsParts {
            verdict: html! {},
            charts: html! { p.partly data-more=[count.next] role="status" { "Counting…" } },
        },
        Err(error) => OddsParts {
            verdict: match request.has_manual_changes() {
                true => html! { (render_change_error(&error)) (render_changes(request)) },
                false => render_error(&error),
            },
            charts: html! {},
        },
    }
}

/// Returns whether more time may help: for best play, or for a single run that takes longer than the count.
fn is_unfinished(error: &Error) -> bool {
    let is_request = matches!(error, Error::Usage(_) | Error::Unanswered { .. });
    is_request || error.remedy() == Some(&Remedy::MoreTime)
}
