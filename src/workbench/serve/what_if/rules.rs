//! One's own rules as a list of sentences, and the switches of the variants and options that come with the game.

use crate::serve::layout::layer_colour;
use crate::serve::what_if::request::WhatIfRequest;
use crate::serve::workbench::DataSnapshot;
use casebook_checks::house::change::RuleChange;
use casebook_checks::house::entry::ListEntry;
use casebook_checks::house::kept::{ChangedSubject, KeptChange, case_of};
use casebook_engine::complaint::Complaints;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};

/// Renders one's own rules: the kept ones with a switch, the new ones, and what can be done with them.
pub fn render_own_rules(
    request: &WhatIfRequest,
    below: &Ruleset,
    kept: &[KeptChange],
    sentences: &[String],
    may_write: bool,
) -> Markup {
    let has_new = !request.trial.changes.is_empty() || !request.trial.without.is_empty();
    html! {
        @for wrong in &request.wrong { p.refused role="alert" { (wrong) } }
        @if kept.is_empty() && sentences.is_empty() {
            p.quiet { "No rule is changed yet. Click a value of the ruling, or look for another rule or chart." }
        }
        ul.own-rules {
            @for change in kept.iter().filter(|change| !is_replaced(change, request)) {
                @let off = request.trial.without.contains(&change.id);
                li.off[off] {
                    @if change.change.is_some() {
                        (render_switch(&change.sentence, !off, &request.with(|request| match off {
                            true => request.trial.without.retain(|id| *id != change.id),
                            false => request.trial.without.push(change.id.clone()),
                        })))
                    } @else { span.sentence { (change.sentence) span.quiet { " (" (change.id) ")" } } }
                    span.acts {
                        @match &change.change {
                            // The kept one is off while it is made anew.
                            Some(typed) => (render_edit_link(&request.with(|request| if !off {
                                request.trial.without.push(change.id.clone());
                                request.trial.changes.push(typed.clone());
                            }), &change.subject)),
                            None => (render_edit_link(request, &change.subject)),
                        }
                        @if change.change.is_some() { button.small type="button" data-take-back=(change.id) disabled[!may_write] { "Undo" } }
                    }
                }
            }
            @for (index, (change, sentence)) in request.trial.changes.iter().zip(sentences).enumerate() {
                li.new {
                    span.sentence {
                        span.quiet { "new: " } (sentence)
                        @for old in replaced_by(change, kept, request) { span.quiet { ", in place of: " (old.sentence) } }
                    }
                    span.acts {
                        @if let Some(subject) = subject_of(change) { (render_edit_link(request, &subject)) }
                        " " a.button.small data-go href=(request.with(|request| {
                            let undone = request.trial.changes.remove(index);
                            let replaced: Vec<&String> = replaced_by(&undone, kept, request).map(|old| &old.id).collect();
                            let without = std::mem::take(&mut request.trial.without);
                            request.trial.without = without.into_iter().filter(|id| !replaced.contains(&id)).collect();
                        }).address("")) { "Undo" }
                    }
                }
            }
        }
        @if has_new {
            form.keep method="post" action={ "/what-if/" (below.game.name) } data-keep-changes {
                @for (key, text) in request.trial.changes.iter().map(RuleChange::to_parameter) { input type="hidden" name=(key) value=(text); }
                @for id in &request.trial.without { input type="hidden" name="without" value=(id); }
                @for name in &request.at { input type="hidden" name="at" value=(name); }
                label { span { "Keep it as" } input name="variant" value=(request.trial.variant) required pattern="[a-z0-9\\-]+" title="small letters, digits and hyphens, as my-house" autocomplete="off"; }
                button.main disabled[!may_write] { "Keep" }
                output role="status" {}
            }
        }
    }
}

/// Returns the kept changes of the same place that are off while a new one is made in their place.
fn replaced_by<'k>(
    change: &RuleChange,
    kept: &'k [KeptChange],
    request: &WhatIfRequest,
) -> impl Iterator<Item = &'k KeptChange> {
    let (own, without) = (change.place(), request.trial.without.clone());
    kept.iter().filter(move |old| {
        let place = old.change.as_ref().map(RuleChange::place);
        place.as_deref() == Some(&own) && without.contains(&old.id)
    })
}

fn is_replaced(old: &KeptChange, request: &WhatIfRequest) -> bool {
    let mut changes = request.trial.changes.iter();
    changes.any(|change| {
        replaced_by(change, std::slice::from_ref(old), request)
            .next()
            .is_some()
    })
}

/// Returns what a new change is of, if it is opened anew.
fn subject_of(change: &RuleChange) -> Option<ChangedSubject> {
    let of_entry = |entry: &ListEntry| match entry.get("table") {
        Some(table) => Some(ChangedSubject::Table(table.into())),
        None => case_of(entry).map(|case| ChangedSubject::Case(case.into())),
    };
    match change {
        RuleChange::Cells(cells) => Some(ChangedSubject::Table(cells.table.clone())),
        RuleChange::Entry(entry) => of_entry(entry),
        RuleChange::Value(_) | RuleChange::Switch { .. } => None,
    }
}

/// Renders a switch as a link to the page with it the other way.
fn render_switch(sentence: &str, on: bool, other: &WhatIfRequest) -> Markup {
    html! { a.switch role="switch" aria-checked=(if on { "true" } else { "false" }) data-go href=(other.address("")) { span.knob {} span.sentence { (sentence) } } }
}

fn render_edit_link(request: &WhatIfRequest, subject: &ChangedSubject) -> Markup {
    let opened = request.with(|request| {
        (request.table, request.sheet, request.case) = Default::default();
        match subject {
            ChangedSubject::Table(id) => request.table.clone_from(id),
            ChangedSubject::Case(number) => request.case.clone_from(number),
            ChangedSubject::Other => {}
        }
    });
    html! { @if *subject != ChangedSubject::Other { a.button.small href={ (opened.address("")) "#change" } { "Edit" } } }
}

/// Renders the variants of the game and their options as switches; what can't be together says so where it is switched.
pub fn render_official(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    below: &Ruleset,
) -> Markup {
    let (library, game) = (&snapshot.library, &below.game.name);
    let names = library
        .variants_of(game)
        .into_iter()
        .filter(|name| *name != request.trial.variant);
    let is_in_force = |name: &str| below.variants().any(|layer| &*layer.name == name);
    let switched = |name: &str, on: bool| {
        request.with(|request| {
            let switched = &mut request.trial.switched;
            let count = switched.len();
            switched.retain(|(option, _)| option != name);
            if switched.len() == count {
                switched.push((name.into(), !on));
            }
        })
    };
    html! {
        ul.official {
            @for name in names {
                @let variant = &library.variants[name];
                @let on = is_in_force(name);
                @let layer = library.layer(&below.game, Some(name), &mut Complaints::default());
                li class=(layer_colour(library, game, name)) {
                    (render_switch(&variant.title, on, &switched(name, on)))
                    p.quiet {
                        (sentence_of(layer.cases.len(), layer.tables.len(), layer.scenarios.len()))
                        @if !variant.needs.is_empty() { " It also switches on " (variant.needs.join(", ")) "." }
                        @for other in variant.excludes.iter().filter(|other| is_in_force(other)) { " " b { "Not together with " (other) "." } " Switching it on switches that off." }
                    }
                    @if on && !variant.options.is_empty() {
                        ul.options {
                            @for option in &variant.options {
                                @let key = format!("{name}.{}", option.name);
                                @let set = below.options.get(&key).copied().unwrap_or(option.default);
                                li { (render_switch(&option.title, set, &switched(&key, set))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Says what a variant changes.
fn sentence_of(cases: usize, tables: usize, scenarios: usize) -> String {
    let parts = [(cases, "rule"), (tables, "chart"), (scenarios, "situation")];
    let parts = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| casebook_engine::complaint::counted(*count, word))
        .collect::<Vec<_>>();
    if parts.is_empty() {
        "It changes nothing.".into()
    } else {
        format!(
            "It changes {}.",
            casebook_engine::situation::value_text::join_words(parts)
        )
    }
}
