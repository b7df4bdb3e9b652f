//! The whole page: the ruling of a battle as the form, and beside it the headline, one's own rules and what they do elsewhere.

use crate::serve::editor::{render_author_files, render_permission, situation_titles};
use crate::serve::layout::{
    LinkTarget, PageFrame, PageQuery, WorkbenchSection, download_link, escape,
    render_faulty_variants, render_page,
};
use crate::serve::queries::{PageCount, count_limits};
use crate::serve::situations::{RULES_TAB, render_tabs};
use crate::serve::what_if::bench::{
    first_situation, read_cells, render_bench, render_effect_page, render_now, render_refusal,
    rules_of, title_of,
};
use crate::serve::what_if::block::PlaceView;
use crate::serve::what_if::game::{render_game, render_game_choice};
use crate::serve::what_if::grid::render_grid;
use crate::serve::what_if::request::{ChangesToKeep, SHARED, WhatIfRequest, own_variants};
use crate::serve::what_if::rules::{render_official, render_own_rules};
use crate::serve::what_if::ruling::{BattleRulings, RulingView};
use crate::serve::workbench::{DataSnapshot, FaultyVariant, Workbench};
use casebook_checks::author::pack::Pack;
use casebook_checks::author::rule_search::{RuleHit, SearchWords, search_rules};
use casebook_checks::author::scaffold::variant_name;
use casebook_checks::house::change::RuleChange;
use casebook_checks::house::kept::{KeptChange, as_changes, kept_changes};
use casebook_checks::house::ruling_form::KnownWord;
use casebook_checks::house::sentence::sentences;
use casebook_checks::house::trial::RulesTrial;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::ruleset::diagnostics::build_ruleset;
use maud::{Markup, html};
use std::sync::Arc;
use std::time::Duration;

/// Time limit of each situation on the test bench when the page opens.
const FIRST_VIEW_TIME: Duration = Duration::from_millis(600);

/// The number of rules and charts that a search for words shows.
const MAX_HITS: usize = 8;

/// What a request leads to: the rules below the changes, what is kept, and the changes as sentences.
struct WhatIf<'a> {
    bench: &'a Workbench,
    snapshot: &'a DataSnapshot,
    page_query: &'a PageQuery<'a>,
    request: WhatIfRequest,
    below: Arc<Ruleset>,
    faulty_variants: Vec<FaultyVariant>,
    kept: Vec<KeptChange>,
    sentences: Vec<String>,
}

/// Renders the page, one of its parts, or the page `effect` below it.
pub fn render_what_if(
    bench: &Workbench,
    snapshot: &DataSnapshot,
    page_query: &PageQuery,
    game: &str,
    page: &str,
) -> Result<Markup, Error> {
    snapshot.library.game(game)?;
    let mut request = WhatIfRequest::parse(bench, snapshot, game, page_query.query);
    if let (Ok(name), true) = (variant_name(&request.trial.variant), page_query.is_posted) {
        request.trial.variant = name;
    }
    let saved = page_query
        .is_posted
        .then(|| ChangesToKeep::of_request(&request).keep(bench));
    let fresh = bench.snapshot()?;
    let snapshot = if page_query.is_posted {
        &*fresh
    } else {
        snapshot
    };
    if saved.as_ref().is_some_and(Result::is_ok) {
        request = request
            .with(|request| (request.trial.changes, request.trial.without) = Default::default());
    }
    // Changes that can't be put in force below the others leave the page as it is without them.
    let (spec, faulty_variants) = snapshot.keeping_spec(game, &request.trial.variant)?;
    let below = request
        .below(snapshot)
        .or_else(|_| Ok::<_, Error>(snapshot.program(&spec)?.ruleset.clone()))?;
    let kept = kept_changes(&snapshot.library, &below, &request.trial.variant);
    // Somebody else's rules are not mixed with those that are kept here under the same name.
    let request = match page_query.parameter(SHARED).is_empty() {
        true => request,
        false => request.without_other_rules(&kept),
    };
    let mut request = request.with_fitting_cells(&snapshot.library, &below);
    if below.table_names().any(|id| id == request.case) {
        request.table = std::mem::take(&mut request.case);
    }
    // A link holds what its sender keeps: where the same is kept here, it is no new change.
    let kept_rules = as_changes(&kept, &request.trial.without);
    let request = request.with(|request| {
        request
            .trial
            .changes
            .retain(|change| !kept_rules.contains(change));
    });
    let sentences = sentences(&request.trial.changes, &snapshot.library, &below);
    let what_if = WhatIf {
        bench,
        snapshot,
        page_query,
        request,
        below,
        faulty_variants,
        kept,
        sentences,
    };
    match (page, page_query.parameter("part").as_str()) {
        ("effect", "game") => Ok(render_game(snapshot, &what_if.request, page_query)),
        ("effect", _) => {
            let (sentences, in_force) = what_if.told_changes();
            let to_the_game = render_game_choice(snapshot, &what_if.request, page_query);
            render_effect_page(
                snapshot,
                &what_if.request,
                (&sentences, &in_force),
                (page_query.stop, to_the_game),
            )
        }
        (_, "mine") => Ok(what_if.drawn(what_if.render_mine())),
        (_, "bench") => Ok(what_if.drawn(what_if.render_bench())),
        (_, "now") => Ok(what_if.render_now(&what_if.rulings(false), true)),
        (_, "ruling") => Ok(what_if.render_ruling(&what_if.rulings(true))),
        (_, "block") => Ok(what_if.render_block(&what_if.rulings(true))),
        (_, "official") => Ok(what_if.drawn(what_if.render_official())),
        (_, "change") => Ok(what_if.drawn(what_if.render_change())),
        _ => Ok(what_if.render(saved.and_then(Result::err).as_ref())),
    }
}

impl WhatIf<'_> {
    /// Returns the sentences of what is compared, and of what is kept and in force on both sides.
    fn told_changes(&self) -> (Vec<String>, Vec<String>) {
        let is_on = |change: &&KeptChange| !self.request.trial.without.contains(&change.id);
        let on = self
            .kept
            .iter()
            .filter(is_on)
            .map(|change| change.sentence.clone());
        match self.request.trial.is_over_kept(&self.snapshot.library) {
            true => (self.sentences.to_vec(), on.collect()),
            false => (
                on.chain(self.sentences.iter().cloned()).collect(),
                Vec::new(),
            ),
        }
    }

    /// Adds to a part of the page what it was drawn for: its links hold that and one change, and the change is made to what is tried when
    /// a link is followed.
    fn drawn(&self, part: Markup) -> Markup {
        html! { span hidden data-drawn=(self.request.query()) {} (part) }
    }

    fn render_mine(&self) -> Markup {
        html! {
            (render_own_rules(&self.request, &self.below, &self.kept, &self.sentences, self.page_query.may_write))
            @if !(self.kept.is_empty() && self.sentences.is_empty()) {
                p {
                    a.button href=(self.request.address("effect")) { "See what it does" } " "
                    button type="button" data-copy-link data-shared=(self.shared_address()) { "Copy link" }
                }
            }
        }
    }

    /// Returns the battle whose ruling is the form.
    fn battle(&self) -> Option<String> {
        first_situation(self.snapshot, &self.request)
    }

    fn has_changes(&self) -> bool {
        !(self.kept.is_empty() && self.sentences.is_empty())
    }

    fn rulings(&self, is_form: bool) -> Option<Result<BattleRulings, Error>> {
        let battle = self.battle()?;
        Some(BattleRulings::resolve(
            self.snapshot,
            &self.request,
            &battle,
            is_form,
        ))
    }

    fn count(&self) -> PageCount<'_> {
        match self.page_query.parameter("part").is_empty() {
            true => PageCount::first(FIRST_VIEW_TIME, self.page_query.stop),
            false => PageCount::of_request(self.page_query),
        }
    }

    /// Renders the headline and, if `with_lines`, the lines that change.
    fn render_now(
        &self,
        rulings: &Option<Result<BattleRulings, Error>>,
        with_lines: bool,
    ) -> Markup {
        let (Some(battle), links) = (self.battle(), self.links()) else {
            return html! {};
        };
        html! {
            (render_now(self.snapshot, &self.request, &battle, (self.has_changes(), self.count())))
            @if let (true, Some(Ok(rulings))) = (with_lines, rulings) {
                (RulingView { request: &self.request, links: &links }.render_changes(rulings))
            }
        }
    }

    fn render_ruling(&self, rulings: &Option<Result<BattleRulings, Error>>) -> Markup {
        let links = self.links();
        let view = RulingView {
            request: &self.request,
            links: &links,
        };
        match rulings {
            None => html! { p { "There is no battle to rule on yet. Create one." } },
            Some(Err(error)) => render_refusal(error),
            Some(Ok(found)) => {
                let other_dice = self.request.with(|request| {
                    request.dice.seed = request.dice.seed.wrapping_add(1);
                    request.dice.given.clear();
                    request.open.clear();
                });
                self.drawn(html! {
                    p.dice { a.button.small data-go href=(other_dice.address("")) { "Other dice" } }
                    (view.render(found, &self.render_block(rulings)))
                })
            }
        }
    }

    /// Renders what can be done at the value of the ruling that is open.
    fn render_block(&self, rulings: &Option<Result<BattleRulings, Error>>) -> Markup {
        let open = self.request.open.as_str();
        let Some(Ok(rulings)) = rulings else {
            return html! {};
        };
        let Some((text, places)) = rulings.opened(open) else {
            return html! {};
        };
        let view = PlaceView {
            procedure: &rulings.procedure,
            ..self.places(&rulings.before.variables)
        };
        self.drawn(view.render_block(open, &text, places))
    }

    fn places<'a>(&'a self, words: &'a [KnownWord]) -> PlaceView<'a> {
        PlaceView {
            snapshot: self.snapshot,
            request: &self.request,
            below: &self.below,
            variables: words,
            may_write: self.page_query.may_write,
            procedure: "",
        }
    }

    fn links(&self) -> LinkTarget {
        self.request.links(self.snapshot, &self.below)
    }

    fn render_bench(&self) -> Markup {
        render_bench(
            self.snapshot,
            &self.request,
            self.has_changes(),
            self.count(),
        )
    }

    /// Renders the switches as they stand for the first situation of the bench.
    fn render_official(&self) -> Markup {
        let first = first_situation(self.snapshot, &self.request);
        let in_force = first.and_then(|name| rules_of(self.snapshot, &self.request, &name).ok());
        render_official(
            self.snapshot,
            &self.request,
            in_force.as_deref().unwrap_or(&self.below),
        )
    }

    /// Renders the table or case that is open.
    fn render_change(&self) -> Markup {
        let request = &self.request;
        let opened = if !request.table.is_empty() {
            let (library, program) = (&self.snapshot.library, &|spec: &_| {
                self.snapshot.program(spec)
            });
            let rules = |trial: &RulesTrial| {
                let (spec, _) = self
                    .snapshot
                    .keeping_spec(&request.trial.game, &request.trial.variant)
                    .ok()?;
                let tried = trial.over(library, &spec, program).ok()?;
                Some(build_ruleset(&tried.library, &tried.to).ok()?.0)
            };
            let kept = RulesTrial {
                changes: Vec::new(),
                ..request.trial.clone()
            };
            let (kept, after) = (rules(&kept), rules(&request.trial));
            let limits = count_limits(FIRST_VIEW_TIME, self.page_query.stop);
            let read = read_cells(self.snapshot, request, &request.table, limits);
            render_grid(request, &self.below, [kept.as_ref(), after.as_ref()], &read)
        } else if !request.case.is_empty() {
            self.places(&[]).render_case(&request.case)
        } else {
            return html! {};
        };
        opened.unwrap_or_else(|error| {
            let hits = self.search_hits();
            html! {
                @if hits.is_empty() { (render_refusal(&error)) } @else {
                    h3 { "Rules and charts that fit “" (request.case) "”" }
                    ul.hits {
                        @for hit in &hits {
                            @let open = request.with(|request| {
                                let is_case = hit.kind == "case";
                                request.case = if is_case { hit.name.clone() } else { String::new() };
                                request.table = if is_case { String::new() } else { hit.name.clone() };
                            });
                            li { a data-go href=(open.address("")) { @if hit.name.starts_with(|first: char| first.is_ascii_digit()) { (hit.name) " " } (hit.title) } " " span.quiet { (hit.sentence) } }
                        }
                    }
                }
                (self.render_missing_layer())
            }
        })
    }

    /// Returns what a search for the words in the field of the rule finds, the best first.
    fn search_hits(&self) -> Vec<RuleHit> {
        let words = SearchWords::parse(&self.request.case);
        if words.is_empty()
            || self
                .request
                .case
                .starts_with(|first: char| first.is_ascii_digit())
        {
            return Vec::new();
        }
        let mut hits = search_rules(&self.below, &words);
        hits.truncate(MAX_HITS);
        hits
    }

    /// Offers to switch on the variant that has the open table or case, if these rules lack it.
    fn render_missing_layer(&self) -> Markup {
        let (library, game, request) = (&self.snapshot.library, &self.below.game, &self.request);
        let has = |name: &&str| {
            let layer = library.layer(game, Some(name), &mut Complaints::default());
            layer.cases.iter().any(|case| case.number == request.case)
                || layer.tables.contains_key(&request.table)
        };
        let Some(name) = library.variants_of(&game.name).into_iter().find(has) else {
            return html! {};
        };
        let switched = request.with(|request| {
            request.trial.changes.push(RuleChange::Switch {
                name: name.into(),
                on: true,
            })
        });
        html! { p { (library.variants[name].title) " has it, which is not in force here. " a.button data-go href=(switched.address("")) { "Switch it on" } } }
    }

    /// Renders the address that shows others the same: the kept changes stand in it, too.
    fn shared_address(&self) -> String {
        let request = self.request.with(|request| {
            let kept = as_changes(&self.kept, &request.trial.without);
            request.trial.changes.splice(0..0, kept);
            request.trial.without.clear();
        });
        request.shared_address()
    }

    fn render(&self, refused: Option<&Error>) -> Markup {
        let (request, game) = (&self.request, &self.below.game);
        let (links, battle) = (self.links(), self.battle());
        let titles = situation_titles(self.snapshot, &game.name);
        let rulings = self.rulings(true);
        let has_opened = !(request.table.is_empty() && request.case.is_empty());
        let body = html! {
            (crate::serve::help::render_tour(self.snapshot, self.page_query))
            header.title {
                h1 { @if let Some(name) = &battle { (title_of(self.snapshot, request, name)) } @else { "What if …?" } }
                @if let Some(name) = &battle { (self.render_tabs(name)) }
                @if let Some(rules) = battle.as_ref().and_then(|name| rules_of(self.snapshot, request, name).ok()) { p.in-force { "Rules: " (rules.title_in_words()) } }
                p.lead { "This is how the rules decide it. Click what you disagree with, and see at once what another rule does. Nothing is saved until you keep it." }
            }
            (render_faulty_variants(&self.faulty_variants, &game.name))
            (render_permission(self.page_query))
            @if let Some(error) = refused { (render_refusal(error)) }
            div.what-if data-what-if=(game.name) data-variant=(request.trial.variant) data-clean=(request.with(|request| (request.trial.changes, request.trial.without) = Default::default()).address("")) {
                form.battle method="get" action={ "/what-if/" (escape(&game.name)) } data-battle {
                    noscript { (self.hidden_state(&["at", "seed", "throw", "open"])) }
                    label { span { "Another battle" }
                        select name="at" {
                            @for (title, name) in &titles { option value=(name) selected[Some(name) == battle.as_ref()] { (title) } }
                        }
                    }
                    noscript { button { "Show" } }
                }
                form.rules method="get" action={ "/what-if/" (escape(&game.name)) } autocomplete="off" data-changes {
                    noscript { (self.hidden_state(&["table", "case"])) }
                    section.ruling aria-labelledby="ruling-head" {
                        h2.hidden #ruling-head { "Ruling" }
                        div data-part="ruling" { (self.render_ruling(&rulings)) }
                    }
                    noscript { @if has_opened || !request.open.is_empty() { button { "Show what it does" } } }
                    section #change aria-labelledby="change-head" {
                        h2 #change-head { "Another rule or chart" }
                        (self.render_chooser())
                        div data-part="change" { (self.drawn(self.render_change())) }
                    }
                }
                aside.bench aria-labelledby="bench-head" {
                    button.small.unfold type="button" data-unfold aria-expanded="false" { "More" }
                    h2 #bench-head { "What it does" }
                    div data-part="now" aria-live="polite" { (self.render_now(&rulings, false)) }
                    h2 #mine-head { "My rules" }
                    p.done role="status" data-done hidden {}
                    div data-part="mine" aria-live="polite" { (self.drawn(self.render_mine())) }
                    div data-part="bench" aria-live="polite" data-later[self.has_changes()] {}
                }
                div.below {
                    details {
                        summary { "Variants and options" }
                        p.quiet { "They are in force before your rules." }
                        div data-part="official" { (self.drawn(self.render_official())) }
                    }
                    (self.render_more())
                }
            }
            script src="/assets/what-if.js" defer {}
        };
        render_page(
            &PageFrame {
                title: "What if …?",
                section: WorkbenchSection::Editor,
                game: Some(game),
                links: &links,
            },
            body,
        )
    }

    /// Renders the ways to look at the battle.
    fn render_tabs(&self, name: &str) -> Markup {
        let page_request = self
            .request
            .situation_request(self.snapshot, name, &self.below);
        let is_game = self
            .below
            .scenario(name)
            .is_ok_and(|scenario| scenario.is_game);
        render_tabs(&page_request, is_game, RULES_TAB)
    }

    /// Renders what the address says as hidden fields, but for what a form says itself.
    fn hidden_state(&self, without: &[&str]) -> Markup {
        let query = self.request.query();
        let state = form_urlencoded::parse(query.as_bytes());
        html! { @for (name, text) in state.filter(|(name, _)| !without.contains(&&**name)) { input type="hidden" name=(name) value=(text); } }
    }

    /// Renders the search for a rule or chart that the battle doesn't come to.
    fn render_chooser(&self) -> Markup {
        let request = &self.request;
        let sought = if request.table.is_empty() {
            &request.case
        } else {
            &request.table
        };
        html! {
            label.choose data-choose {
                span { "By number or words" }
                input type="search" name="case" value=(sought) autocomplete="off" placeholder="a number, or words of a title";
            }
            noscript { button { "Open" } }
        }
    }

    /// Renders the house rules as files, and those of others.
    fn render_more(&self) -> Markup {
        let (library, game) = (&self.snapshot.library, &self.below.game.name);
        let own = own_variants(self.bench, self.snapshot, game);
        html! {
            @if !own.is_empty() {
                p.quiet {
                    "House rules: "
                    @for name in &own {
                        a href=(self.request.of_variant(name).address("")) aria-current=[(*name == self.request.trial.variant).then_some("true")] { (name) }
                        @if let Ok(pack) = Pack::from_library(library, name) && let Ok(text) = pack.to_yaml() { " (" (download_link(&pack.file_name(), &text, "as one file to send")) ")" }
                        " "
                    }
                }
            }
            (render_author_files(self.bench, self.snapshot, self.page_query, game, &own))
        }
    }
}
