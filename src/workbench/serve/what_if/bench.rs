//! Situations before and after: the test bench of a few, and one in full with the reasons, also as a sheet to print.

use crate::serve::editor::situation_titles;
use crate::serve::layout::{
    LinkTarget, PageFrame, WorkbenchSection, layer_colour, render_error, render_error_with,
    render_page, render_sentence, situation_address,
};
use crate::serve::page_request::PageRequest;
use crate::serve::prose::Prose;
use crate::serve::queries::{PageCount, count_limits};
use crate::serve::what_if::grid::field_name;
use crate::serve::what_if::request::{MAX_SITUATIONS, WhatIfRequest};
use crate::serve::workbench::DataSnapshot;
use casebook_analysis::compare::verdicts::{DifferenceVerdict, OutcomeDifference, ShareChange};
use casebook_analysis::odds::bar_chart::percent;
use casebook_analysis::odds::distribution::NO_OUTCOME;
use casebook_analysis::odds::headline::{EntryValues, FigureValue};
use casebook_analysis::usecase::settings::{CountLimits, SituationSettings};
use casebook_checks::house::broken_checks::{BrokenCheck, broken_pins};
use casebook_checks::house::effect::{
    BELOW_ZERO, EffectQuery, SituationEffect, basis_text, figure_text,
};
use casebook_checks::house::report::Disagreements;
use casebook_checks::house::script_faults::is_script_fault;
use casebook_checks::house::trial::ProgramSource;
use casebook_engine::complaint::{DiagnosticCode, Error};
use casebook_engine::platform::parallel;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::overrides::Overrides;
use casebook_view::comparison::{causes, verdict};
use casebook_view::grid::OddsGrid;
use casebook_view::html::{render_blocks, render_linked, render_value};
use maud::{Markup, html};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limits of the search for the situations that move most, and of those in full with their causes.
const SEARCH_TIME: Duration = Duration::from_millis(2500);
const FULL_TIME: Duration = Duration::from_secs(10);
/// The number of moved values that the bench shows of a situation.
const MAX_MOVED: usize = 4;
/// What two chances that are equal may differ by in floating point.
const ROUNDED_OFF: f64 = 1e-9;

/// Asks what a request changes.
pub fn with_query<T>(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    causes: bool,
    answer: impl FnOnce(&EffectQuery) -> T,
) -> T {
    let (library, trial) = (&snapshot.library, &request.trial);
    let (situations, settings) = (&snapshot.known_situations, SituationSettings::default());
    let program: ProgramSource = &|spec| snapshot.program(spec);
    answer(&EffectQuery {
        causes,
        ..EffectQuery::new(library, trial, program, situations, &settings)
    })
}

/// Returns the situation that stands first on the bench as long as nothing is proposed.
pub fn first_situation(snapshot: &DataSnapshot, request: &WhatIfRequest) -> Option<String> {
    let start = snapshot
        .library
        .games
        .get(&request.trial.game)
        .and_then(|game| game.start.as_ref())
        .map(|start| start.situation.clone());
    request.at.first().cloned().or(start).or_else(|| {
        situations_by_interest(snapshot, &request.trial.game)
            .first()
            .cloned()
    })
}

/// Returns the rules of a situation with the switches of the request.
pub fn rules_of(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    name: &str,
) -> Result<Arc<Ruleset>, Error> {
    with_query(snapshot, request, false, |query| {
        request
            .trial
            .below(&snapshot.library, &query.spec_of(name), query.program)
    })
}

/// Returns the address of a situation under the rules of the bench, as far as they are kept.
fn situation_link(snapshot: &DataSnapshot, request: &WhatIfRequest, name: &str) -> String {
    let page_request = match rules_of(snapshot, request, name) {
        Ok(below) => request.situation_request(snapshot, name, &below),
        Err(_) => PageRequest::of(&request.trial.game, name),
    };
    situation_address(&page_request, "")
}

/// Returns the situations of the bench: those of the address, else the one that stood there without changes, and those that the changes move
/// most.
fn situations_of(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    has_changes: bool,
    stop: &AtomicBool,
) -> Vec<String> {
    if !request.at.is_empty() {
        return request.at.clone();
    }
    let game = &request.trial.game;
    let names = situations_by_interest(snapshot, game);
    let start = first_situation(snapshot, request);
    // A script that can't be used moves nothing anywhere.
    let is_faulty = |query: &EffectQuery| {
        let specs = start.iter().map(|name| query.spec_of(name));
        specs.filter_map(|spec| query.script_fault(&spec)).count() > 0
    };
    if has_changes && !with_query(snapshot, request, false, is_faulty) {
        let most = |query: &EffectQuery| {
            query.most_moved(&names, MAX_SITUATIONS, count_limits(SEARCH_TIME, stop))
        };
        let moved = with_query(snapshot, request, false, most);
        let others = moved
            .into_iter()
            .filter(|name| Some(name) != start.as_ref());
        return start
            .iter()
            .cloned()
            .chain(others)
            .take(MAX_SITUATIONS)
            .collect();
    }
    start.into_iter().collect()
}

/// Returns why the changes can't be tried: a script of theirs can't be used, or they fit no situation.
fn refusal_of(effects: &[Result<SituationEffect, Error>]) -> Option<&Error> {
    let mut errors = effects.iter().filter_map(|effect| effect.as_ref().err());
    let first = errors.clone().next();
    errors
        .find(|error| is_script_fault(error))
        .or(first.filter(|_| effects.iter().all(Result::is_err)))
}

/// Returns the cells of a table that the situations of the bench come to, as far as they are counted in time.
pub fn read_cells(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    table: &str,
    limits: CountLimits,
) -> BTreeSet<usize> {
    let first = first_situation(snapshot, request).into_iter();
    let names: Vec<String> = match request.at.is_empty() {
        true => first.collect(),
        false => request.at.clone(),
    };
    with_query(snapshot, request, false, |query| {
        let cells = names
            .iter()
            .filter_map(|name| query.cells_of(name, limits).ok()?);
        let all: Vec<_> = cells.collect();
        let all = all.iter().flat_map(|cells| cells.iter());
        all.filter(|(id, _)| id == table)
            .map(|(_, cell)| *cell)
            .collect()
    })
}

/// Returns the situations of a game: first its start, then those whose procedure has a headline, which shows the most.
fn situations_by_interest(snapshot: &DataSnapshot, game: &str) -> Vec<String> {
    let Ok(program) = snapshot.rulebook_program(&PageRequest::of_game(game)) else {
        return Vec::new();
    };
    let ruleset = &program.ruleset;
    let headlined: Vec<&String> = ruleset
        .cases
        .iter()
        .filter(|case| !case.headline.is_empty())
        .flat_map(|case| &case.procedures)
        .collect();
    let start = ruleset
        .game
        .start
        .as_ref()
        .map(|start| start.situation.as_str());
    let interest = |name: &str| {
        let procedure = ruleset
            .scenario(name)
            .ok()
            .and_then(|scenario| scenario.procedure.clone())
            .unwrap_or_default();
        (start != Some(name), !headlined.contains(&&procedure))
    };
    let mut names: Vec<String> = situation_titles(snapshot, game)
        .into_iter()
        .map(|(_, name)| name)
        .collect();
    names.sort_by_cached_key(|name| interest(name));
    names
}

/// Renders the headline of the battle before and after, or why the changes can't be tried.
pub fn render_now(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    name: &str,
    (has_changes, count): (bool, PageCount),
) -> Markup {
    let effect = with_query(snapshot, request, false, |query| {
        let spec = query.spec_of(name);
        query.effect_on(name, &spec, &Overrides::default(), count.limits)
    });
    // What can't be kept with the rest is refused at once.
    let kept_spec = snapshot.keeping_spec(&request.trial.game, &request.trial.variant);
    let program: ProgramSource = &|spec| snapshot.program(spec);
    let unfit = kept_spec.ok().and_then(|(spec, _)| {
        let is_over_kept = request.trial.is_over_kept(&snapshot.library);
        let tried = is_over_kept.then(|| request.trial.over(&snapshot.library, &spec, program));
        tried?.err()
    });
    if let Some(error) = unfit.as_ref().or(effect.as_ref().err()) {
        return html! { div data-refused { (render_refusal(error)) } };
    }
    html! {
        @if !request.refused.is_empty() { div data-refused { @for why in &request.refused { p.refused role="alert" { (why) } } } }
        @if let Ok(effect) = &effect {
            (count.render_progress(!effect.is_counted()))
            (render_headline(effect, has_changes))
            @if has_changes { (render_most_moved(effect)) } @else if effect.headlines()[0].is_empty() { p.quiet { "Change a rule, and the chances that it moves stand here." } }
        }
    }
}

/// Renders the test bench. `has_changes` says whether anything is changed. What is not counted within the limits is asked for again.
pub fn render_bench(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    has_changes: bool,
    count: PageCount,
) -> Markup {
    let battle = first_situation(snapshot, request);
    let names = situations_of(snapshot, request, has_changes, count.limits.stop);
    let effects = with_query(snapshot, request, false, |query| {
        parallel::map(&names, |name| {
            query.effect_on(
                name,
                &query.spec_of(name),
                &Overrides::default(),
                count.limits,
            )
        })
    });
    // A situation that nobody asked for, and that knows nothing of what the change asks, gives way to those that do.
    let is_proposed = request.at.is_empty() && effects.iter().any(Result::is_ok);
    let (names, effects): (Vec<String>, Vec<_>) = names
        .into_iter()
        .zip(effects)
        .filter(|(_, effect)| !is_proposed || effect.is_ok())
        .unzip();
    if refusal_of(&effects).is_some() {
        return html! {};
    }
    let fixed = request.with(|request| request.at.clone_from(&names));
    let is_still = has_changes
        && effects
            .iter()
            .flatten()
            .all(|effect| effect.moved().next().is_none());
    // Situations that were proposed stay on the bench if they move.
    let stays = !is_still || !request.at.is_empty();
    html! {
        div data-at=(names.join(" ")) data-stays[stays] data-read=[render_read(snapshot, &fixed, count.limits)] {
            (count.render_progress(effects.iter().flatten().any(|effect| !effect.is_counted())))
            // The battle itself stands above, with its headline.
            @for (name, effect) in names.iter().zip(&effects).filter(|(name, _)| Some(*name) != battle.as_ref()) {
                section.tried {
                    h3 {
                        a href=(request.of_battle(name).address("")) { (title_of(snapshot, request, name)) }
                        " " a.button.small data-go href=(fixed.with(|request| request.at.retain(|situation| situation != name)).address("")) aria-label={ "Take " (name.replace('-', " ")) " off the list" } { "×" }
                    }
                    @match effect {
                        Err(error) => (render_refusal(error)),
                        Ok(effect) => {
                            (render_headline(effect, has_changes))
                            @if has_changes {
                                (render_most_moved(effect))
                                p { a href=(request.with(|request| request.at = vec![name.clone()]).address("effect")) { "See what it does" } }
                            }
                        }
                    }
                }
            }
            (render_broken_pins(snapshot, request))
            @if is_still {
                @let unreached = request.at.is_empty() && with_query(snapshot, request, false, |query| query.is_unreached(&situations_by_interest(snapshot, &request.trial.game)));
                @if unreached { p { "No built-in situation uses this rule. Create one that does." } } @else {
                    @if request.at.is_empty() { p { "No situation that it moves was found in time. " a.button.small data-go href=(request.address("")) { "Search on" } } } @else {
                        p { a.button data-go data-seek href=(request.with(|request| request.at.clear()).address("")) { "Find situations that it moves" } }
                    }
                }
            }
        }
    }
}

/// Returns the names of the fields of the open chart that the situations of the bench come to.
fn render_read(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    limits: CountLimits,
) -> Option<String> {
    let below = request.below(snapshot).ok()?;
    let table = below.table(&request.table).ok()??;
    let read = read_cells(snapshot, request, &request.table, limits).into_iter();
    let names: Vec<String> = read.map(|cell| field_name(&table, cell)).collect();
    Some(names.join("\n"))
}

/// Renders the pinned interpretations of the user that the changes break.
fn render_broken_pins(snapshot: &DataSnapshot, request: &WhatIfRequest) -> Markup {
    let broken = with_query(snapshot, request, false, |query| {
        broken_pins(query.library, query.trial, query.program)
    });
    let broken = match broken {
        Ok(broken) => broken,
        Err(error) => {
            return html! { section.tried { h3 { "Pinned rulings can’t be held against this" } (render_refusal(&error)) } };
        }
    };
    html! {
        @if !broken.is_empty() { section.tried { h3 { "Pinned rulings that this breaks" } (render_pins(&broken)) } }
    }
}

fn render_pins(broken: &[BrokenCheck]) -> Markup {
    html! { ul.moved { @for pin in broken { li { b { (pin.name) } ": " (render_sentence(&pin.why)) } } } }
}

/// Returns the title of a situation.
pub fn title_of(snapshot: &DataSnapshot, request: &WhatIfRequest, name: &str) -> String {
    let ruleset = rules_of(snapshot, request, name).ok();
    let scenario = ruleset
        .as_ref()
        .and_then(|ruleset| ruleset.scenario(name).ok());
    scenario.map_or_else(|| name.replace('-', " "), |scenario| scenario.title.clone())
}

/// Renders why a change can't be tried.
pub fn render_refusal(error: &Error) -> Markup {
    match error {
        Error::Usage(message) => html! { p.refused role="alert" { (message) } },
        Error::Data(complaints) => {
            // Of a script of one's own the line is wanted; of the rules of others it says nothing.
            let is_own = is_script_fault(error)
                || complaints
                    .0
                    .iter()
                    .any(|complaint| complaint.code == DiagnosticCode::Script);
            render_error_with("That can’t be tried", error, is_own)
        }
        error => render_error(error),
    }
}

/// Renders the headline before and after, with the difference of each figure; without changes as it is.
fn render_headline(effect: &SituationEffect, has_changes: bool) -> Markup {
    let [before, after] = effect.headlines();
    if before.is_empty() || after.is_empty() {
        return html! { @if !effect.is_counted() { p.quiet { "Not all chances were counted in time." } } };
    }
    let figures = |entry: &EntryValues| {
        entry
            .figures
            .iter()
            .map(figure_text)
            .collect::<Vec<_>>()
            .join(" : ")
    };
    let mut entries: Vec<(&EntryValues, &EntryValues)> = before
        .iter()
        .zip(&after)
        .filter(|(old, _)| old.figures.iter().any(|figure| figure.value.is_some()))
        .collect();
    // What moves stands first, where a small screen shows it.
    let moves = |old: &EntryValues, new: &EntryValues| {
        differences_of(old, new).contains(|c: char| c.is_ascii_digit())
    };
    entries.sort_by_key(|(old, new)| !moves(old, new));
    html! {
        div.scroll {
            table.before-after.stacked[has_changes] {
                thead.quiet { tr { th scope="col" { span.hidden { "What" } } th scope="col" { @if has_changes { (before_title(effect)) } @else { "now" } } @if has_changes { th scope="col" { "after" } th scope="col" { "difference" } } } }
                tbody {
                    @for (old, new) in entries {
                        tr {
                            th scope="row" { (old.caption) @if !old.unit().is_empty() { span.quiet { " " (old.unit()) } } span.basis.quiet { (basis_text([old, new])) } }
                            td { (figures(old)) }
                            @if has_changes { td { b { (figures(new)) } } td.difference { (differences_of(old, new)) } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns what the rules before are called: what is kept already is in force there, too.
fn before_title(effect: &SituationEffect) -> &'static str {
    match effect.is_over_kept {
        true => "current rules",
        false => "before",
    }
}

/// Returns the differences of the figures of an entry: percentage points of chances, units of means.
fn differences_of(old: &EntryValues, new: &EntryValues) -> String {
    let difference = |(old, new): (&FigureValue, &FigureValue)| match (old.value, new.value) {
        (Some(a), Some(b)) if old.figure.condition.is_some() => signed((b - a) * 100.0, 1),
        (Some(a), Some(b)) => signed(b - a, 2),
        _ => "–".into(),
    };
    old.figures
        .iter()
        .zip(&new.figures)
        .map(difference)
        .collect::<Vec<_>>()
        .join(" : ")
}

/// Formats a difference; what rounds to nothing is a dash.
fn signed(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    if text.trim_matches(['0', '.']).is_empty() {
        "–".into()
    } else {
        format!("{}{text}", if value < 0.0 { "−" } else { "+" })
    }
}

/// Returns a chance or mean before and after, and the difference.
fn change_texts(change: &ShareChange) -> [String; 3] {
    if change.value == "mean" {
        return [
            format!("{:.2}", change.from),
            format!("{:.2}", change.to),
            signed(change.to - change.from, 2),
        ];
    }
    [
        percent(change.from),
        percent(change.to),
        signed((change.to - change.from) * 100.0, 1),
    ]
}

/// Renders the values that moved most.
fn render_most_moved(effect: &SituationEffect) -> Markup {
    let mut rows: Vec<(&OutcomeDifference, &ShareChange)> = Vec::new();
    for outcome in effect.moved() {
        // Where more come to it at all, that is said before what they come to.
        let by = |change: &ShareChange| {
            let size = (change.to - change.from).abs();
            if change.value == NO_OUTCOME {
                size + ROUNDED_OFF
            } else {
                size
            }
        };
        let changes = outcome
            .values
            .iter()
            .filter(|change| change.value != "mean");
        rows.extend(
            changes
                .map(|change| (outcome, change))
                .max_by(|(_, a), (_, b)| by(a).total_cmp(&by(b))),
        );
    }
    html! {
        @if rows.is_empty() {
            p.still { @match effect.difference.verdict() { DifferenceVerdict::Undecided => "No difference was found in time.", _ => "No change." } }
        } @else {
            ul.moved {
                @for (outcome, change) in rows.iter().take(MAX_MOVED) {
                    @let [from, to, by] = change_texts(change);
                    li { (outcome.outcome) ", " (render_value(&change.value, effect.difference.unnamed.words_for(&outcome.outcome))) ": " span.quiet { (from) " → " } b { (to) } " " span.change { (by) } }
                }
                @if rows.len() > MAX_MOVED { li.quiet { "and " (rows.len() - MAX_MOVED) " more" } }
            }
        }
    }
}

/// Renders what the changes do to each situation of the request in full, as a sheet that can be printed.
pub fn render_effect_page(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    (sentences, kept): (&[String], &[String]),
    (stop, to_the_game): (&AtomicBool, Markup),
) -> Result<Markup, Error> {
    let game = snapshot.library.game(&request.trial.game)?;
    let names = situations_of(snapshot, request, !sentences.is_empty(), stop);
    let limits = count_limits(FULL_TIME / names.len().max(1) as u32, stop);
    let effects: Vec<_> = with_query(snapshot, request, true, |query| {
        names
            .iter()
            .map(|name| query.effect_on(name, &query.spec_of(name), &Overrides::default(), limits))
            .collect()
    });
    let links = request.below(snapshot).map_or_else(
        |_| LinkTarget::of_game(&game.name),
        |below| request.links(snapshot, &below),
    );
    let refusal = refusal_of(&effects);
    let body = html! {
        div.sheet {
            header.title {
                p.off-paper { a href=(request.address("")) { "What if …?" } }
                h1 { "What it does" }
                p.lead { (game.title) }
            }
            @if sentences.is_empty() { p { "No rule is changed." } } @else { ul.sentences { @for sentence in sentences { li { (sentence) } } } }
            @if !kept.is_empty() { p.quiet { "Kept before, and in force on both sides:" } ul.sentences { @for sentence in kept { li { (sentence) } } } }
            p.off-paper { button type="button" data-copy-link { "Copy link" } " " button type="button" data-print { "Print" } }
            @if let Some(error) = refusal { (render_refusal(error)) }
            @for (name, effect) in names.iter().zip(&effects).filter(|_| refusal.is_none()) {
                section.effect {
                    h2 { a href=(situation_link(snapshot, request, name)) { (title_of(snapshot, request, name)) } }
                    @if let Ok(rules) = rules_of(snapshot, request, name) { p.in-force { "Rules: " (rules.title_in_words()) "; and the changes above." } }
                    @match effect { Err(error) => (render_refusal(error)), Ok(effect) => (render_full(effect, &links)) }
                }
            }
            @if refusal.is_none() {
                    @if !sentences.is_empty() { (to_the_game) }
                (render_contradictions(snapshot, request, &links))
            }
        }
    };
    Ok(render_page(
        &PageFrame {
            title: "What it does",
            section: WorkbenchSection::Editor,
            game: Some(game),
            links: &links,
        },
        body,
    ))
}

/// Renders a situation in full: the headline, the outcomes that differ, and the causes.
fn render_full(effect: &SituationEffect, links: &LinkTarget) -> Markup {
    let titles = [before_title(effect), "after"];
    let grid = OddsGrid::of_pair([&effect.before, &effect.after], titles, &effect.difference);
    let moved = effect.moved().map(|outcome| outcome.outcome.clone());
    let prose = Prose {
        ruleset: effect.after.situation.ruleset(),
        links,
    };
    html! {
        (render_headline(effect, true))
        @for truncation in &effect.after.consulted.truncations { p.quiet { (truncation) } }
        @if let Some(line) = effect.below_zero() { p { (BELOW_ZERO) ": “" (line) "”" } }
        (render_blocks(&[verdict(&effect.difference, titles)]))
        (render_blocks(&grid.changes(&moved.collect::<Vec<_>>(), usize::MAX)))
        @if !effect.difference.causes.is_empty() {
            h3 { "Why" }
            p.quiet { "Tested by taking each away: with these alone it comes out so, and without them as before." }
            (render_linked(&causes(&effect.difference), &|text| prose.render(text)))
        }
    }
}

/// Renders who disagrees with the changes: pinned rulings, printed examples, readings of doubtful places, and other variants that change the same otherwise.
fn render_contradictions(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    links: &LinkTarget,
) -> Markup {
    let kept_spec = snapshot.keeping_spec(&request.trial.game, &request.trial.variant);
    let Ok((spec, _)) = kept_spec else {
        return html! {};
    };
    let against = with_query(snapshot, request, false, |query| query.disagreements(&spec));
    let is_known = against.is_ok();
    let Disagreements {
        broken_pins,
        contradicted,
        readings,
        others,
    } = against.unwrap_or_default();
    html! {
        h2 { "Conflicts" }
        @if !broken_pins.is_empty() { p { "Pinned rulings that it breaks:" } (render_pins(&broken_pins)) }
        @if !contradicted.is_empty() {
            p { "Examples of the sources that it contradicts:" }
            ul {
                @for example in &contradicted {
                    li {
                        @if !example.cite.is_empty() { a.cite href=(links.cite_address(&example.cite)) { (example.about) } ", " }
                        b { (example.in_words()) } ": " (render_sentence(&example.why))
                    }
                }
            }
        }
        @if !readings.is_empty() {
            p { "Readings of doubtful places that it decides or contradicts:" }
            ul { @for reading in &readings { li { b { (reading.name) } ": " (reading.description) } } }
        }
        @if !is_known { p { "Whether other variants say otherwise is not known: the changes can’t be laid over all of them." } }
        @else if !others.answers.is_empty() {
            p { "Other variants that have it otherwise:" }
            ul { @for other in &others.answers { li { span class={ (layer_colour(&snapshot.library, &request.trial.game, &other.variant)) " chip" } { (other.variant) } " " (other.description) } } }
        } @else if others.unknown.is_empty() { p { "No other variant says otherwise." } }
        @if !others.unknown.is_empty() { p { "What these say of it is not known: " (others.unknown.join(", ")) "." } }
    }
}
