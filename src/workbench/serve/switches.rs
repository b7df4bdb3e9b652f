//! The ruleset as form controls: variants, options and readings.

use crate::serve::layout::{LinkTarget, layer_colour};
use casebook_engine::complaint::counted;
use casebook_engine::data::case::Case;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Renders variants and options as checkboxes, and, if `readings` gives the target of case links and the cases that were consulted, readings
/// as drop-down lists. The variants in `default` are in force if the address names none.
pub fn render_switches(
    ruleset: &Ruleset,
    default: &[String],
    readings: Option<(&LinkTarget, &BTreeSet<String>)>,
) -> Markup {
    let (library, game) = (&ruleset.library, &ruleset.game.name);
    let is_in_force = |name: &str| ruleset.variants().any(|layer| &*layer.name == name);
    html! {
        @if !library.variants_of(game).is_empty() { fieldset.switches data-plain=(default.join(",")) {
            legend { "In force" }
            // With no box checked, the empty value selects the printed game.
            input type="hidden" name="with" value="";
            @for name in library.variants_of(game) {
                @let variant = &library.variants[name];
                label class=(layer_colour(library, game, name)) {
                    input type="checkbox" name="with" value=(name) checked[is_in_force(name)];
                    span.chip { (name) } " " span.quiet { (variant.title) }
                }
                @if is_in_force(name) && !variant.options.is_empty() {
                    details.options {
                        summary { (counted(variant.options.len(), "option")) " of " (name) }
                        @for option in &variant.options {
                            @let key = format!("{name}.{}", option.name);
                            @let set = ruleset.options.get(&key).copied().unwrap_or(option.default);
                            label {
                                // A form does not send unchecked boxes, so this hidden field supplies the value `off`.
                                input type="hidden" name={ "option:" (key) } value="off" data-plain[!option.default];
                                input type="checkbox" name={ "option:" (key) } value="on" checked[set] data-plain[option.default];
                                " " (option.title)
                            }
                        }
                    }
                }
            }
        } }
        @if let Some((links, consulted)) = readings.filter(|_| !ruleset.readings.is_empty()) {
            @let (here, elsewhere): (Vec<_>, Vec<_>) = readings_in_force(ruleset).into_iter().partition(|(name, _)| name.rsplit_once('.').is_some_and(|(case, _)| consulted.contains(case)));
            (render_readings(ruleset, &here, links, " that this ruling comes to"))
            (render_readings(ruleset, &elsewhere, links, if here.is_empty() { "" } else { " elsewhere" }))
        }
    }
}

fn render_readings(
    ruleset: &Ruleset,
    readings: &[(String, Vec<String>)],
    links: &LinkTarget,
    scope: &str,
) -> Markup {
    html! {
        @if !readings.is_empty() {
            details.readings {
                summary { (counted(readings.len(), "doubtful place")) (scope) ", and the way of reading" }
                @for (name, ways) in readings { (render_reading(ruleset, name, ways, links)) }
            }
        }
    }
}

/// Returns the alternatives of each reading of the cases in force, keyed by `case.name`.
pub fn readings_in_force(ruleset: &Ruleset) -> BTreeMap<String, Vec<String>> {
    let readings_of = |case: &Case| {
        let number = case.number.clone();
        case.readings
            .iter()
            .map(move |reading| (format!("{number}.{}", reading.name), reading.ways.clone()))
            .collect::<Vec<_>>()
    };
    ruleset
        .cases
        .iter()
        .flat_map(|case| readings_of(case))
        .collect()
}

/// Renders the label of a reading: its subject and a link to its case.
pub fn render_reading_text(ruleset: &Ruleset, name: &str, links: &LinkTarget) -> Markup {
    let (number, reading) = name.rsplit_once('.').unwrap_or(("", name));
    let title = ruleset
        .cases
        .iter()
        .find(|case| case.number == number)
        .map_or("", |case| case.title.as_str());
    html! { (reading.replace(['_', '-'], " ")) ", in " a.cite href=(links.page_address("case", number)) title=(name) { (number) " " (title) } }
}

/// Renders a reading as a drop-down list; the first alternative is the default.
pub fn render_reading(
    ruleset: &Ruleset,
    name: &str,
    ways: &[String],
    links: &LinkTarget,
) -> Markup {
    let chosen = ruleset.readings.get(name);
    html! {
        div.reading {
            span { (render_reading_text(ruleset, name, links)) }
            select name={ "reading:" (name) } aria-label={ "How " (name) " is read" } {
                @for (i, way) in ways.iter().enumerate() {
                    option value=(way) selected[chosen == Some(way)] data-plain[i == 0] { (way) }
                }
            }
        }
    }
}
