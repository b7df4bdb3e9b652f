//! A new rule made by a recipe: where it holds, how much, and when, each picked from a list in words.

use crate::serve::layout::LinkTarget;
use crate::serve::what_if::bench::{first_situation, with_query};
use crate::serve::what_if::request::{FIRST_OPTION, PickedRecipe, WhatIfRequest};
use crate::serve::workbench::DataSnapshot;
use casebook_checks::author::case_form::CaseForm;
use casebook_checks::author::recipe_offers::{
    OfferedCondition, RecipeOffer, RecipeOffers, TYPED_NUMBER, TYPED_OPTION,
};
use casebook_checks::author::recipes::{RecipeKind, split_value};
use casebook_checks::author::wording::in_words;
use casebook_checks::house::case_switch::switch_off;
use casebook_checks::house::change::RuleChange;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The recipes that the page offers, by the word in its address.
pub const RECIPES: [(&str, &str); 6] = [
    ("die", "A die counts more or less"),
    ("needs", "Another roll is needed"),
    ("share", "Another share: half, double …"),
    ("adds", "More or less, yes or no"),
    (NEW_OPTION, "A new option to choose"),
    (STRUCK_OUT, "A rule is struck out"),
];
const NEW_OPTION: &str = "choice";
/// What joins the parts of a condition.
const AND: &str = " && ";
const STRUCK_OUT: &str = "off";

/// Returns the recipe and the place in the address that edit a change, if a recipe made it.
pub fn recipe_of(change: &RuleChange) -> Option<(&'static str, String)> {
    let RuleChange::Field { case, field, .. } = change else {
        return None;
    };
    let kind = kind_of(field)?;
    Some((kind.key(), format!("{case} {field}")))
}

fn kind_of(field: &str) -> Option<RecipeKind> {
    let key = field.split(':').next()?;
    RecipeKind::ALL.into_iter().find(|kind| kind.key() == key)
}

/// Renders the recipe that is open: the choice of a place, and there how much and when.
pub fn render_recipe(snapshot: &DataSnapshot, request: &WhatIfRequest, below: &Ruleset) -> Markup {
    let title = RECIPES
        .iter()
        .find(|(key, _)| *key == request.recipe)
        .map_or("", |(_, title)| title);
    html! {
        h3 { (title) }
        @if request.recipe == STRUCK_OUT { (render_strike(snapshot, request, below)) } @else { (render_places(snapshot, request, below)) }
    }
}

/// Returns the cases that the first situation of the bench asks.
fn asked_cases(snapshot: &DataSnapshot, request: &WhatIfRequest) -> BTreeSet<String> {
    first_situation(snapshot, request).map_or_else(BTreeSet::new, |name| {
        with_query(snapshot, request, false, |query| query.cases_of(&name))
    })
}

/// Returns the title of a case, with its number if it has one.
fn numbered(number: &str, title: &str) -> String {
    match number.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("{number} {title}"),
        false => title.into(),
    }
}

/// Renders the choice of a rule to strike out.
fn render_strike(snapshot: &DataSnapshot, request: &WhatIfRequest, below: &Ruleset) -> Markup {
    let mut numbers: Vec<&str> = below
        .cases
        .iter()
        .map(|case| case.number.as_str())
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    numbers.retain(|number| seen.insert(*number));
    let form = |number: &str| {
        CaseForm::new(&snapshot.library, below, &request.trial.variant, number)
            .ok()
            .filter(|form| switch_off(form).is_ok())
    };
    let mut struck: Vec<(&str, CaseForm)> = numbers
        .into_iter()
        .filter_map(|number| Some((number, form(number)?)))
        .collect();
    // First what the battle on the bench asks.
    let asked = asked_cases(snapshot, request);
    struck.sort_by_key(|(number, _)| !asked.contains(*number));
    let picked = struck.iter().find(|(number, _)| *number == request.place);
    let off = RuleChange::Switch {
        name: request.place.clone(),
        on: false,
    };
    html! {
        label.question { span { "Which rule " }
            select name="place" data-place {
                option value="" { "choose" }
                @for (number, form) in &struck { option value=(number) selected[*number == request.place] { (numbered(number, form.title())) } }
            }
        }
        @if struck.is_empty() { p { "No rule here can be struck out as a whole." } }
        @if let Some((number, form)) = picked {
            @if !form.layers[0].text.is_empty() { p.words { (form.layers[0].text) } }
            @if request.trial.changes.contains(&off) { p.quiet { "It is struck out." } } @else {
                p { a.button data-go href=(request.with(|request| request.trial.changes.push(off)).address("")) { "Strike out " (number) } }
            }
        }
    }
}

/// Renders the choice of a place, and what can be picked there.
fn render_places(snapshot: &DataSnapshot, request: &WhatIfRequest, below: &Ruleset) -> Markup {
    let offers = RecipeOffers::new(&snapshot.library, below);
    let variant = &request.trial.variant;
    let kind = RecipeKind::ALL
        .into_iter()
        .find(|kind| kind.key() == request.recipe);
    let places = match kind {
        Some(kind) => offers.places(kind, variant),
        None => [RecipeKind::Die, RecipeKind::Adds]
            .into_iter()
            .flat_map(|kind| offers.places(kind, variant))
            .collect(),
    };
    let address = |offer: &RecipeOffer| format!("{} {}", offer.case, offer.field);
    let picked = places.iter().find(|offer| address(offer) == request.place);
    let mut groups: Vec<(String, Vec<&RecipeOffer>)> = Vec::new();
    // First what the battle on the bench asks.
    let asked = asked_cases(snapshot, request);
    let (near, far): (Vec<&RecipeOffer>, Vec<&RecipeOffer>) =
        places.iter().partition(|offer| asked.contains(&offer.case));
    for offer in near.into_iter().chain(far) {
        let title = numbered(&offer.case, &offer.title);
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, list)) => list.push(offer),
            None => groups.push((title, vec![offer])),
        }
    }
    // What reads the same is told apart by the answer that it stands in, or by its number.
    let told = |list: &[&RecipeOffer], at: usize| {
        let (words, answer) = (&list[at].words, &list[at].answer);
        let same = || {
            list.iter()
                .enumerate()
                .filter(|(_, other)| other.words == *words)
        };
        if same().count() < 2 {
            return words.clone();
        }
        match same()
            .filter(|(n, other)| *n < at && other.answer == *answer)
            .count()
        {
            0 => format!("{words}: {answer}"),
            before => format!("{words}: {answer} ({})", before + 1),
        }
    };
    let is_choice = request.recipe == NEW_OPTION;
    html! {
        label.question { span { "Where " }
            select name="place" data-place {
                option value="" { "choose" }
                @for (title, list) in &groups {
                    optgroup label=(title) {
                        @for (at, offer) in list.iter().enumerate() { option value=(address(offer)) selected[address(offer) == request.place] data-first=(first_value(&offers, offer, is_choice)) { (told(list, at)) } }
                    }
                }
            }
        }
        @if places.is_empty() { p { "Nothing in these rules is of this kind." } }
        @if let Some(offer) = picked { (render_picked(&offers, offer, request, is_choice)) }
    }
}

/// Returns the change that is tried as soon as a place is picked.
fn first_value(offers: &RecipeOffers, offer: &RecipeOffer, is_choice: bool) -> String {
    let choice = is_choice
        .then(|| offers.choices(offer).into_iter().next())
        .flatten();
    let picked = PickedRecipe {
        amount: offer
            .amounts
            .first()
            .map_or("+1", |(value, _)| value)
            .into(),
        when: choice.map_or(String::new(), |choice| choice.script),
        ..PickedRecipe::default()
    };
    picked.value().unwrap_or_default()
}

/// Returns which condition of a list a script is, with the number or the name that is typed in it.
fn find_condition(conditions: &[OfferedCondition], script: &str) -> Option<(usize, String)> {
    conditions.iter().enumerate().find_map(|(index, one)| {
        for typed in [TYPED_NUMBER, TYPED_OPTION] {
            let Some((before, after)) = one.script.split_once(typed) else {
                continue;
            };
            let inside = script.strip_prefix(before)?;
            let end = inside
                .find(after.chars().next().unwrap_or('\n'))
                .unwrap_or(inside.len());
            let text = &inside[..end];
            return (one.script.replace(typed, text) == script).then(|| (index, text.to_string()));
        }
        (one.script == script).then(|| (index, String::new()))
    })
}

/// Renders how much and when at a place.
fn render_picked(
    offers: &RecipeOffers,
    offer: &RecipeOffer,
    request: &WhatIfRequest,
    is_choice: bool,
) -> Markup {
    let typed = request
        .trial
        .changes
        .iter()
        .find_map(|change| match change {
            RuleChange::Field { case, field, value }
                if *case == offer.case && *field == offer.field =>
            {
                Some(value.as_str())
            }
            _ => None,
        });
    let (amount, condition) = split_value(typed.unwrap_or_default());
    let (unless, script) = match condition
        .and_then(|text| text.strip_prefix("!("))
        .and_then(|text| text.strip_suffix(')'))
    {
        Some(inner) => (true, inner),
        None => (false, condition.unwrap_or_default()),
    };
    let mut conditions = offers.choices(offer);
    if !is_choice {
        conditions.extend(offers.conditions(offer));
    }
    let mut groups: Vec<&str> = Vec::new();
    for condition in &conditions {
        if !groups.contains(&condition.group.as_str()) {
            groups.push(&condition.group);
        }
    }
    let change = format!("{} {}", offer.case, offer.field);
    html! {
        p.quiet { "In " a href=(LinkTarget::of_game(&request.trial.game).page_address("case", &offer.case)) { (offer.case) " " (offer.title) } "." }
        div.recipe data-recipe=(change) {
            label.question { span { "How much " }
                @if offer.amounts.is_empty() {
                    input name="amount" value=(if amount.is_empty() { "+1" } else { amount }) inputmode="numeric" size="4" autocomplete="off" aria-describedby="amount-help";
                    span.quiet #amount-help { " +1 is one more" }
                } @else {
                    select name="amount" { @for (value, words) in offer.amounts { option value=(value) selected[*value == amount] { (words) } } }
                }
            }
            p.question {
                select name="word" aria-label="If or unless" { option value="if" { "if" } option value="unless" selected[unless] { "unless" } }
                @for (at, part) in script.split(AND).enumerate() {
                    @let found = find_condition(&conditions, part);
                    @let typed = |kind: &str| match &found {
                        Some((index, text)) if conditions[*index].script.contains(kind) => Some(text.as_str()),
                        _ => None,
                    };
                    span data-condition {
                        span { @if at > 0 { " and " } @else { " " } }
                        select name="when" aria-label="Under which condition" {
                            @if !is_choice || at > 0 { option value="" { "always" } }
                            @if found.is_none() && !part.is_empty() { option value=(part) selected { (in_words(part)) } }
                            @for group in &groups {
                                optgroup label=(group) {
                                    @for (index, one) in conditions.iter().enumerate().filter(|(_, one)| one.group == *group) {
                                        option value=(one.script) selected[found.as_ref().is_some_and(|(known, _)| *known == index)] { (one.words) }
                                    }
                                }
                            }
                        }
                        label data-for=(TYPED_NUMBER) { span.hidden { "The number in the condition" } " " input name="number" value=(typed(TYPED_NUMBER).unwrap_or("1")) inputmode="numeric" size="4" autocomplete="off"; }
                        label data-for=(TYPED_OPTION) { span { " the option " } input name="option" value=(typed(TYPED_OPTION).unwrap_or(FIRST_OPTION)) size="16" autocomplete="off"; }
                    }
                }
                " "
                button.small type="button" data-and { "and …" }
            }
        }
    }
}
