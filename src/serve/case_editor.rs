//! A case changed in a house rule by a form: its figures, dice, conditions, answers, readings and text; the odds follow.

use crate::author::blanks::{Blank, BlankKind, CONDITIONS, blanks};
use crate::author::case_form::{CaseForm, FormChanges, FormFunction, changed_files};
use crate::complaint::Error;
use crate::ruleset::compose::Ruleset;
use crate::serve::book::Rulebook;
use crate::serve::book::index::Callers;
use crate::serve::editor::render_permission;
use crate::serve::house_change::{Concern, HouseChange, own_variants, render_change_fields, render_saved, ruleset_below};
use crate::serve::layout::{LinkTarget, PageFrame, PageQuery, WorkbenchSection, layer_colour, render_error, render_page};
use crate::serve::workbench::{DataSnapshot, Workbench};
use crate::situation::trace::Event;
use form_urlencoded::parse;
use maud::{Markup, html};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

/// A change of one case.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaseChange {
    /// The game.
    pub game: String,
    /// The variant that makes the change; it is created if it does not exist.
    pub variant: String,
    /// The number of the case.
    pub case: String,
    /// The fields of the form.
    pub changes: FormChanges,
}

impl CaseChange {
    /// Reads the change from the address of a page, or from its form.
    fn from_query(page_query: &PageQuery) -> CaseChange {
        let (game, variant, case) = (page_query.parameter("game"), page_query.parameter("variant"), page_query.parameter("case"));
        let changes = parse(page_query.query.as_bytes()).into_owned().filter(|(_, text)| !text.trim().is_empty()).collect();
        CaseChange { game, variant, case, changes }
    }

    fn with_change<T>(&self, snapshot: &DataSnapshot, use_change: impl FnOnce(&HouseChange) -> Result<T, Error>) -> Result<T, Error> {
        HouseChange::check_variant(snapshot, &self.game, &self.variant)?;
        let below = ruleset_below(snapshot, &self.game, &self.variant)?;
        let files = changed_files(&snapshot.library, &below.ruleset, &self.variant, &self.case, &self.changes)?;
        let concerns = |event: &Event, ruleset: &Ruleset| match event {
            Event::Call(call) if ruleset.cases[call.answer(ruleset).case].number == self.case => Concern::Exact,
            _ => Concern::None,
        };
        use_change(&HouseChange {
            game: &self.game,
            variant: &self.variant,
            what: format!("case {}", self.case),
            concerns: &concerns,
            title: "with the change".into(),
            files,
        })
    }

    /// Writes the change; creates its variant if it does not exist.
    pub fn save(&self, bench: &Workbench) -> Result<Value, Error> {
        let snapshot = bench.snapshot()?;
        self.with_change(&snapshot, |change| change.save(bench, &snapshot))
    }

    /// Renders the effect of the change on a situation and the files that make it, or why there is no change.
    fn render_effect(&self, snapshot: &DataSnapshot, situation: &str, stop: &AtomicBool) -> Markup {
        let effect = self.with_change(snapshot, |change| {
            Ok(html! {
                (change.render_effect(snapshot, situation, stop))
                details.script {
                    summary { "What is written" }
                    @for (key, text) in &change.files { p { code { (key) } } pre tabindex="0" { code { (text) } } }
                }
            })
        });
        effect.unwrap_or_else(|error| match error {
            Error::Usage(what) => html! { p.quiet { (what) } },
            other_error => render_error(&other_error),
        })
    }
}

/// Renders the form for a case, or only the odds before and after.
pub fn render_case_page(bench: &Workbench, snapshot: &DataSnapshot, page_query: &PageQuery) -> Result<Markup, Error> {
    let mut change = CaseChange::from_query(page_query);
    let saved = page_query.is_posted.then(|| change.save(bench));
    if saved.as_ref().is_some_and(Result::is_ok) {
        change.changes.clear();
    }
    let fresh = bench.snapshot()?;
    let snapshot = if page_query.is_posted { &*fresh } else { snapshot };
    let game = snapshot.library.game(&change.game)?;
    let (own_names, variant) = own_variants(bench, snapshot, &game.name, &change.variant);
    change.variant = variant;
    if page_query.parameter("part") == "effect" {
        return Ok(change.render_effect(snapshot, &page_query.parameter("situation"), page_query.stop));
    }
    let program = ruleset_below(snapshot, &change.game, &change.variant)?;
    let form = CaseForm::new(&snapshot.library, &program.ruleset, &change.variant, &change.case)?;
    let links = LinkTarget::of_game(&game.name);
    let book = Rulebook { ruleset: &program.ruleset, links: &links };
    let title = format!("Change {}", change.case);
    let body = html! {
        header.title {
            p { a href=(links.page_address("case", &change.case)) { (form.layers[0].title) } }
            h1 { (title) }
        }
        (render_permission(page_query))
        div.case-editor {
            section.older aria-labelledby="older-head" {
                h2 #older-head { "As it stands" }
                @if let Some(own_case) = &form.own_case {
                    section class={ "said new " (layer_colour(&snapshot.library, &game.name, &own_case.layer)) } {
                        p.gazette { span class={ "chip " (layer_colour(&snapshot.library, &game.name, &own_case.layer)) } { (own_case.layer) } " " span.kind { (own_case.kind.as_str()) } }
                        p.words { (own_case.text) }
                    }
                }
                (book.render_case(&change.case, &Callers::new(&program.ruleset), false))
                @for function in form.functions.iter().filter(|function| !function.function().private) {
                    details.script { summary { (summary_of(function)) } pre tabindex="0" { code { (function.function().body.trim()) } } }
                }
            }
            form method="get" action="/edit/case" data-live data-case {
                input type="hidden" name="game" value=(game.name);
                input type="hidden" name="case" value=(change.case);
                h2 { "As you play it" }
                @for function in &form.functions { (render_function(function, &change)) }
                (render_card_fields(&form, &change))
                (render_change_fields(snapshot, page_query, (&game.name, &change.variant), &own_names))
                output data-saved role="status" { @if let Some(saved) = &saved { (render_saved(saved)) } }
            }
            section.effect aria-labelledby="effect-head" {
                h2 #effect-head { "Odds before and after" }
                div data-part="effect" aria-live="polite" { (change.render_effect(snapshot, &page_query.parameter("situation"), page_query.stop)) }
            }
        }
    };
    Ok(render_page(&PageFrame { title: &title, section: WorkbenchSection::Editor, game: Some(game), links: &links }, body))
}

/// Returns what a function answers, in the words of its file.
fn summary_of(function: &FormFunction) -> String {
    let summary = function.function().doc_lines().first().map_or_else(String::new, ToString::to_string);
    if summary.is_empty() { function.function().name.replace('_', " ") } else { summary }
}

/// Renders the readings, the switch and the text of a case.
fn render_card_fields(form: &CaseForm, change: &CaseChange) -> Markup {
    let typed = |name: &str| change.changes.get(name).map_or("", String::as_str);
    let option = |field: &str, value: &str, shown: &str| html! { option value=(value) selected[typed(field) == value] data-plain[value.is_empty()] { (shown) } };
    let older = form.older_layers();
    let switched = form.own_case.as_ref().is_some_and(|own| own.option.is_some());
    html! {
        div.fields {
            @for reading in form.layers.iter().flat_map(|case| &case.readings) {
                @let field = format!("reading:{}", reading.name);
                label { span { "Read “" (reading.name.replace('-', " ")) "” as" }
                    select name=(field) data-plain="" { (option(&field, "", "as it stands")) @for way in &reading.ways { (option(&field, way, way)) } }
                }
            }
            @if !older.is_empty() {
                label { span { "The whole case" }
                    select name="back" data-plain="" {
                        (option("back", "", "as it stands"))
                        @for layer in &older { (option("back", layer, &format!("off: back to what {layer} says"))) }
                    }
                }
            }
            label { span { "Can it be switched off by itself?" }
                select name="switch" data-plain="" {
                    (option("switch", "", if switched { "as it is" } else { "no, it goes with these house rules" }))
                    (option("switch", "on", "yes, and it is on at first"))
                    (option("switch", "off", "yes, and it is off at first"))
                }
            }
        }
        label.words-of-it { span { "What the rule says now, in your words" } textarea name="text" rows="3" data-plain="" { (typed("text")) } }
    }
}

/// Renders what can be done with a function: its answer as a whole, and the blanks of its source.
fn render_function(function: &FormFunction, change: &CaseChange) -> Markup {
    let typed = |field: &str| change.changes.get(&format!("{field}:{}", function.key)).map_or("", String::as_str);
    let source = &*function.function().body;
    let open_blanks = blanks(source);
    let open = function.is_open && !open_blanks.is_empty();
    let (body, plain) = (format!("body:{}", function.key), function.plain_body());
    let private = function.function().private;
    let touched = change.changes.keys().any(|name| name.contains(&format!(":{}", function.key)));
    let (does, value) = (format!("does:{}", function.key), format!("value:{}", function.key));
    let choice =
        |value: &str, shown: &str| html! { option value=(value) selected[typed("does") == value] data-plain[value.is_empty()] { (shown) } };
    html! {
        @if open || !private {
            details.answer open[touched || !private] {
                summary { (summary_of(function)) }
                @if !private {
                    div.fields {
                        label { span { "Its answer" }
                            select name=(does) data-plain="" {
                                (choice("", if open { "as below" } else { "as it stands" }))
                                (choice("always", "is always …"))
                                (choice("more", "is the older one, and … more"))
                                (choice("opposite", "is the opposite of the older one"))
                            }
                        }
                        label { span { "… a number, yes, no, or a word" } input name=(value) value=(typed("value")) data-plain="" autocomplete="off"; }
                    }
                }
                @if open { pre.blanks tabindex="0" { (render_blanks(function, &open_blanks, source, change)) } }
                @else {
                    label.words-of-it {
                        span { "Or written anew" @if !function.is_open { ": prior() is the answer as it stands" } }
                        textarea.script name=(body) rows=(plain.lines().count().clamp(2, 12)) data-plain=(plain) spellcheck="false" {
                            (change.changes.get(&body).unwrap_or(&plain))
                        }
                    }
                }
            }
        }
    }
}

/// Renders the source of a function with a field in the place of each blank.
fn render_blanks(function: &FormFunction, blanks: &[Blank], source: &str, change: &CaseChange) -> Markup {
    let mut pieces: Vec<Markup> = Vec::new();
    let mut offset = 0;
    for (index, Blank { range, kind }) in blanks.iter().enumerate() {
        let name = format!("in:{}:{index}", function.key);
        let typed = change.changes.get(&name).map_or("", String::as_str);
        let old = &source[range.clone()];
        let line = source[..range.start].lines().last().unwrap_or_default().trim();
        pieces.push(html! { (source[offset..range.start]) });
        offset = range.start;
        match kind {
            BlankKind::Condition => pieces.push(html! {
                select name=(name) data-plain="" aria-label={ "Whether " (old) } {
                    option value="" data-plain { "as it says:" }
                    @for word in CONDITIONS { option value=(word) selected[typed == word] { (word) } }
                }
                " "
            }),
            kind => {
                offset = range.end;
                let current = if typed.is_empty() { old } else { typed };
                let numeric = (*kind == BlankKind::Number).then_some("numeric");
                pieces.push(html! {
                    input.changed[current != old] name=(name) value=(current) data-plain=(old) size=(current.len().max(2)) inputmode=[numeric] autocomplete="off" title={ "was " (old) } aria-label={ (old) ", in " (line) };
                });
            }
        }
    }
    html! { @for part in &pieces { (part) } (source[offset..].trim_end()) }
}
