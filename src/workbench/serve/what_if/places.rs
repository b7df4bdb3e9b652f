//! A case changed at its places: what it answers, throws, looks up, asks, and its numbers, each a field.

use crate::serve::prose::Prose;
use crate::serve::what_if::request::WhatIfRequest;
use crate::serve::workbench::DataSnapshot;
use casebook_checks::house::change::RuleChange;
use casebook_checks::house::places::{RulePlace, places_of};
use casebook_engine::complaint::Error;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};

/// The number of places that are shown at once; the rest is folded.
const FIRST_PLACES: usize = 8;

/// Renders the open case.
pub fn render_places(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    below: &Ruleset,
) -> Result<Markup, Error> {
    let number = request.case.as_str();
    let layers: Vec<_> = below
        .cases
        .iter()
        .filter(|case| case.number == number)
        .collect();
    let known = || below.cases.iter().map(|case| case.number.as_str());
    let oldest = layers
        .first()
        .ok_or_else(|| Error::unknown("case", number, known()))?;
    let places = places_of(below, number);
    let off = RuleChange::Switch {
        name: number.into(),
        on: false,
    };
    let links = request.links(snapshot, below);
    let prose = Prose {
        ruleset: below,
        links: &links,
    };
    let (first, folded) = places.split_at(places.len().min(FIRST_PLACES));
    // What answers more than a number, a list or yes and no is not struck out.
    let can_be_off = !places.is_empty() && places.iter().all(|place| place.example != "…");
    let is_changed = |place: &RulePlace| request.changes_at(&place.line).next().is_some();
    Ok(html! {
        h3 { a href=(links.page_address("case", number)) { (number) " " (oldest.title) } }
        @for layer in layers.iter().filter(|layer| !layer.text.is_empty()) {
            p.words { @if layer.title != oldest.title { span.quiet { (layer.title) ": " } } (prose.render_of(&layer.text, number)) }
        }
        @if can_be_off && !request.trial.changes.contains(&off) {
            p { a.button data-go href=(request.with(|request| request.trial.changes.push(off)).address("")) { "Switch this rule off" } }
        }
        div.case-questions data-case=(number) {
            @for reading in layers.iter().flat_map(|case| &case.readings) {
                @let place = format!("{number}.{}", reading.name);
                @let typed = request.changes_at(&place).next().unwrap_or_default();
                label.question {
                    span { (reading.name.replace('-', " ")) " is read as " }
                    select name={ "rule " (place) } data-plain="" {
                        option value="" { (reading.ways.first().map_or("", String::as_str)) ", as now" }
                        @for way in reading.ways.iter().skip(1) { option value=(way) selected[typed == *way] { (way) } }
                    }
                }
            }
            @if !places.is_empty() {
                p.quiet { "Write +1, −2, half, double, at most 3, yes, no or a value; when it does not always hold, “when” and the condition: " code { "+1 when track(\"turn\") > 3" } "." }
            }
            @for place in first { (render_place(request, place)) }
            @if !folded.is_empty() {
                details open[folded.iter().any(is_changed)] {
                    summary { "The other places of this rule (" (folded.len()) ")" }
                    @for place in folded { (render_place(request, place)) }
                }
            }
            @if places.is_empty() { p { "Nothing in this rule is changed by a list: a variant’s script answers it anew." } }
        }
    })
}

/// Renders the field of a place; one that is changed several times has a field for each.
fn render_place(request: &WhatIfRequest, place: &RulePlace) -> Markup {
    let mut typed: Vec<String> = request.changes_at(&place.line).collect();
    if typed.is_empty() {
        typed.push(String::new());
    }
    html! {
        div.place {
            @for value in &typed {
                label.question {
                    span { (place.words) }
                    input name={ "rule " (place.line) } value=(value) data-plain="" placeholder=(place.example) autocomplete="off" title={ "known there: " (place.known.join(", ")) };
                }
            }
            button.small type="button" data-another aria-label={ "and … another change: " (place.words) } { "and …" }
        }
    }
}
