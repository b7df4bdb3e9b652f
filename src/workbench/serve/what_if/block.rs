//! What can be done at a place: the block that opens below a line of the ruling, and the places of a case that is found by its number.

use crate::serve::prose::Prose;
use crate::serve::what_if::request::WhatIfRequest;
use crate::serve::workbench::DataSnapshot;
use casebook_checks::author::wording::in_words;
use casebook_checks::house::change::{ALL_LABELS, CellsChange, RuleChange};
use casebook_checks::house::places::{RulePlace, places_of};
use casebook_checks::house::ruling_form::{FormPlace, KnownWord};
use casebook_engine::complaint::Error;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::value::Value;
use casebook_engine::situation::value_text::join_words;
use casebook_view::references::References;
use maud::{Markup, html};

/// The number of places that are shown at once; the rest is folded.
const FIRST_PLACES: usize = 4;

/// The number of other procedures that a place names.
const MAX_PROCEDURES: usize = 6;

/// What stands before a condition.
const WHEN: &str = " when ";
/// Signs of conditions on numbers, with their words.
const COMPARISONS: [(&str, &str); 6] = [
    (">=", "is at least"),
    ("<=", "is at most"),
    ("==", "is"),
    ("!=", "is not"),
    ("% == 0", "is each … th"),
    ("% != 0", "is not each … th"),
];
/// Signs of conditions on words.
const EQUALITIES: [(&str, &str); 2] = [("==", "is"), ("!=", "is not")];

/// What the buttons of a place type into its field, by what it is.
fn actions(place: &FormPlace) -> &'static [(&'static str, &'static str)] {
    const NUMBER: &[(&str, &str)] = &[
        ("−1", "add -1"),
        ("+1", "add 1"),
        ("half", "half"),
        ("double", "double"),
    ];
    match (place.kind, &place.value) {
        ("throw", _) => &[
            ("−2", "add -2"),
            ("−1", "add -1"),
            ("+1", "add 1"),
            ("+2", "add 2"),
        ],
        ("look_up" | "chart", _) => &[
            ("two columns left", "2 left"),
            ("one column left", "1 left"),
            ("one column right", "1 right"),
            ("one row up", "1 up"),
            ("one row down", "1 down"),
        ],
        ("answer" | "let" | "number", Value::Number(_)) => NUMBER,
        ("answer" | "let", Value::True) => &[("never", "no"), ("always", "yes")],
        ("answer" | "let", Value::False) => &[("always", "yes"), ("never", "no")],
        _ => &[],
    }
}

/// What a button types together with the number beside it.
fn amounts(place: &FormPlace) -> &'static [(&'static str, &'static str)] {
    match (place.kind, &place.value) {
        ("answer" | "let" | "number", Value::Number(_)) => &[
            ("at most", "at_most"),
            ("at least", "at_least"),
            ("exactly", "now"),
        ],
        ("throw", Value::Number(_)) => &[("counts as", "now")],
        _ => &[],
    }
}

/// Renders places that can be changed.
pub struct PlaceView<'a> {
    pub snapshot: &'a DataSnapshot,
    pub request: &'a WhatIfRequest,
    pub below: &'a Ruleset,
    /// What conditions can use everywhere.
    pub variables: &'a [KnownWord],
    pub may_write: bool,
    /// The procedure of the battle; empty where a case is shown.
    pub procedure: &'a str,
}

impl PlaceView<'_> {
    /// Renders the block of a value or line: `text` is what it says.
    pub fn render_block(&self, open: &str, text: &str, places: &[FormPlace]) -> Markup {
        let mut places: Vec<FormPlace> = places.to_vec();
        if let Some(at) = places.iter().position(|place| place.kind == "cell") {
            let wider = self.wider_than(&places[at]);
            places.splice(at + 1..at + 1, wider);
        }
        let closed = self.request.with(|request| request.open.clear());
        html! {
            div.block data-block=(open) {
                p.head { b { (text) } " comes from:" a.close.button.small data-close href=(closed.address("")) aria-label="Close" { "×" } }
                (self.render_places(&places))
            }
        }
    }

    /// Renders the case that is open.
    pub fn render_case(&self, number: &str) -> Result<Markup, Error> {
        let layers: Vec<_> = self
            .below
            .cases
            .iter()
            .filter(|case| case.number == number)
            .collect();
        let numbers = || self.below.cases.iter().map(|case| case.number.as_str());
        let oldest = layers
            .first()
            .ok_or_else(|| Error::unknown("case", number, numbers()))?;
        let of_rule = places_of(self.below, number);
        let places: Vec<FormPlace> = of_rule.iter().map(FormPlace::of_rule).collect();
        let function = |place: &RulePlace| place.entry.get("answer").map(String::from);
        let functions = of_rule
            .iter()
            .filter_map(|place| Some((function(place)?, &place.words)));
        let functions: Vec<(String, &String)> = functions.collect();
        let links = self.request.links(self.snapshot, self.below);
        let prose = Prose {
            ruleset: self.below,
            links: &links,
        };
        Ok(html! {
            h3 { a href=(links.page_address("case", number)) { (number) " " (oldest.title) } }
            @for layer in layers.iter().filter(|layer| !layer.text.is_empty()) {
                p.words { @if layer.title != oldest.title { span.quiet { (layer.title) ": " } } (prose.render_of(&layer.text, number)) }
            }
            @for reading in layers.iter().flat_map(|case| &case.readings) {
                @let place = format!("{number}.{}", reading.name);
                @let typed = self.request.changes_at(&place).next().unwrap_or_default();
                label.question {
                    span { (reading.name.replace('-', " ")) " is read as " }
                    select name={ "rule " (place) } data-plain="" {
                        option value="" { (reading.ways.first().map_or("", String::as_str)) ", as now" }
                        @for way in reading.ways.iter().skip(1) { option value=(way) selected[typed == *way] { (way) } }
                    }
                }
            }
            div.block data-case=(number) { (self.render_places(&places)) }
            @if places.is_empty() { p { "Nothing in this rule is changed by a list: a variant’s script replaces it." } }
            @if !functions.is_empty() {
                p.quiet {
                    "What no button says, such as something that happens later, takes lines of script: open "
                    @for (name, sentence) in &functions {
                        button.small type="button" title=(sentence) data-script=(name) data-game=(self.below.game.name) data-variant=(self.request.trial.variant) disabled[!self.may_write] { (name.replace('_', " ")) } " "
                    }
                }
            }
        })
    }

    /// Returns what is wider than a cell: its row in the whole chart, and the chart, which can be moved.
    fn wider_than(&self, cell: &FormPlace) -> Vec<FormPlace> {
        let Ok(RuleChange::Cells(cells)) =
            RuleChange::parse_cells(&format!("{} = 0", cell.address.1))
        else {
            return Vec::new();
        };
        let count = cells.labels.len();
        let wider = |kept: usize, kind, words: &str| {
            let labels = cells.labels.iter().enumerate();
            let label = |(index, label): (usize, &String)| match index + kept < count {
                true => ALL_LABELS.to_string(),
                false => label.clone(),
            };
            let all = CellsChange {
                labels: labels.map(label).collect(),
                ..cells.clone()
            };
            FormPlace {
                address: ("cell", RuleChange::Cells(all).place()),
                kind,
                words: words.into(),
                text: String::new(),
                ..cell.clone()
            }
        };
        let row = cells.labels.last().cloned().unwrap_or_default();
        let mut places = vec![wider(0, "chart", "the whole chart")];
        if count > 1 {
            let words = format!("row {row} of the whole chart");
            places.insert(0, wider(1, "row", &words));
        }
        places
    }

    /// Returns buttons that set a part of the cells to 0 and leave the others.
    fn parts_of(&self, place: &FormPlace) -> Vec<(String, String)> {
        let id = place.address.1.split(' ').next().unwrap_or_default();
        let table = self.below.table(id).ok().flatten();
        let Some(table) = table.filter(|_| ["cell", "row"].contains(&place.kind)) else {
            return Vec::new();
        };
        let fields = &table.fields;
        let none_of = |wanted: usize| {
            let parts = (0..fields.len()).map(|index| if index == wanted { "0" } else { "=" });
            let name = fields[wanted].replace('_', " ");
            (format!("{name} 0"), parts.collect::<Vec<_>>().join("/"))
        };
        match fields.len() {
            0 | 1 => Vec::new(),
            count => (0..count).map(none_of).collect(),
        }
    }

    fn render_places(&self, places: &[FormPlace]) -> Markup {
        let (first, folded) = places.split_at(places.len().min(FIRST_PLACES));
        let is_changed = |place: &FormPlace| self.typed(place).next().is_some();
        let opened = first.iter().position(is_changed).unwrap_or(0);
        html! {
            @for (index, place) in first.iter().enumerate() { (self.render_place(place, index == opened)) }
            @if !folded.is_empty() {
                details open[folded.iter().any(is_changed)] {
                    summary { "It is made of more (" (folded.len()) ")" }
                    @for place in folded { (self.render_place(place, is_changed(place))) }
                }
            }
            @let others = self.other_procedures(places);
            @if !others.is_empty() { p.quiet { "Also used in: " (join_words(others)) } }
            p.struck {
                @if let Some(number) = self.cases(places).first().filter(|number| **number != self.request.case) {
                    @let whole = self.request.with(|request| {
                        request.case.clone_from(number);
                        request.table.clear();
                    });
                    a.button.small data-go href={ (whole.address("")) "#change" } { "All of " (number) } " "
                }
                @for number in self.struck_cases(places) {
                    @let off = RuleChange::Switch { name: number.clone(), on: false };
                    @if !self.request.trial.changes.contains(&off) {
                        a.button.small data-go href=(self.request.with(|request| request.trial.changes.push(off.clone())).address("")) { "Strike out " (number) } " "
                    }
                }
            }
        }
    }

    /// Returns the other procedures that the first place of a script is used in.
    fn other_procedures(&self, places: &[FormPlace]) -> Vec<String> {
        let Some(place) = places.iter().find(|place| !place.function.is_empty()) else {
            return Vec::new();
        };
        let references = References::new(self.below);
        let others = references.procedures_using(&place.function).into_iter();
        let mut others: Vec<String> = others
            .filter(|name| *name != self.procedure)
            .map(String::from)
            .collect();
        let more = others.len().saturating_sub(MAX_PROCEDURES);
        others.truncate(MAX_PROCEDURES);
        others.extend((more > 0).then(|| format!("{more} more")));
        others
    }

    /// Returns the numbers of the cases of the places.
    fn cases(&self, places: &[FormPlace]) -> Vec<String> {
        let mut numbers: Vec<String> = Vec::new();
        for place in places
            .iter()
            .filter(|place| place.address.0 == "rule" && place.kind != "figure")
        {
            let number = place
                .address
                .1
                .split(' ')
                .next()
                .unwrap_or_default()
                .to_string();
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        numbers
    }

    /// Returns the number of the first case of the places whose answers can be left out.
    fn struck_cases(&self, places: &[FormPlace]) -> Vec<String> {
        let mut numbers = self.cases(places);
        // What answers more than a number, a list or yes and no is not struck out.
        numbers.retain(|number| {
            let places = places_of(self.below, number);
            !places.is_empty() && places.iter().all(|place| place.example != "…")
        });
        numbers.truncate(1);
        numbers
    }

    /// Returns what is typed for a place.
    fn typed(&self, place: &FormPlace) -> impl Iterator<Item = String> {
        self.request.changes_at(&place.address.1)
    }

    fn render_place(&self, place: &FormPlace, open: bool) -> Markup {
        let mut typed: Vec<String> = self.typed(place).collect();
        if typed.is_empty() {
            typed.push(String::new());
        }
        let (key, address) = &place.address;
        let name = format!("{} {address}", if *key == "cell" { "now" } else { key });
        let placeholder = match place.kind {
            "cell" | "figure" => &*place.text,
            "choice" => "offer \"another\"",
            _ => "add 1, half, at_most 3, …",
        };
        html! {
            details.place open[open || !typed[0].is_empty()] {
                summary {
                    (place.words) @if !place.text.is_empty() { ": " b { (place.text) } }
                    @if !place.about.is_empty() { span.quiet { " " (place.about) } }
                    @if !place.is_used { span.quiet { " (only said: nothing else follows from it)" } }
                }
                @for value in &typed {
                    div.change data-change {
                        p.acts {
                            @for (words, does) in actions(place) { button.small type="button" data-does=(does) aria-pressed=[is_typed(value, does)] { (words) } " " }
                            @for (words, does) in self.parts_of(place) { button.small type="button" data-does=(does) aria-pressed=[is_typed(value, &does)] { (words) } " " }
                            @let amounts = amounts(place);
                            @if !amounts.is_empty() {
                                input.amount type="number" data-amount value=(place.text) aria-label={ "Number for: " (place.words) };
                                " "
                                @for (words, does) in amounts { button.small type="button" data-with-amount=(does) { (words) } " " }
                            }
                            @if place.kind == "throw" {
                                input.amount data-amount value="2d6" aria-label={ "Dice for: " (place.words) };
                                " " button.small type="button" data-with-amount="dice" { "other dice" }
                            }
                        }
                        @if place.kind != "figure" { (self.render_conditions(place, value.contains(WHEN))) }
                        label.question {
                            span.quiet { "as it is typed " }
                            input name=(name) value=(value) data-plain="" placeholder=(placeholder) autocomplete="off";
                        }
                    }
                }
                button.small type="button" data-another aria-label={ "One more change: " (place.words) } { "one more" }
            }
        }
    }

    /// Renders the choice of a condition: one row, which scripts of the page copy for more.
    fn render_conditions(&self, place: &FormPlace, is_typed: bool) -> Markup {
        let words = place.variables.iter().chain(self.variables);
        html! {
            div.when data-when {
                span.quiet { "when " }
                span.row data-row {
                    select data-join hidden aria-label="and, or" { option { "and" } option { "or" } }
                    select data-word aria-label={ "When: " (place.words) } {
                        option value="" { @if is_typed { "as it is typed" } @else { "always" } }
                        @for word in words {
                            option value=(word.script) data-kind=(kind_of(&word.value)) data-here=(here(word)) {
                                (in_words(&word.script, &self.below.game.words)) @if !word.text.is_empty() { " (" (yes_or_no(word)) ")" }
                            }
                        }
                    }
                    select data-sign hidden aria-label="how" {
                        @for (sign, words) in COMPARISONS { option value=(sign) data-for="number" { (words) } }
                        @for (sign, words) in EQUALITIES { option value=(sign) data-for="text" { (words) } }
                        option value="" data-for="flag" { "yes" }
                        option value="!" data-for="flag" { "no" }
                    }
                    input.amount data-value hidden aria-label="value" autocomplete="off";
                }
                button.small type="button" data-and hidden { "and …" }
            }
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Number(_) => "number",
        Value::True | Value::False | Value::Nothing => "flag",
        _ => "text",
    }
}

/// Returns the value of a word as a script has it.
fn here(word: &KnownWord) -> String {
    match &word.value {
        Value::Number(number) => number.to_string(),
        _ => word.text.clone(),
    }
}

fn yes_or_no(word: &KnownWord) -> &str {
    match word.value {
        Value::True => "yes",
        Value::False => "no",
        _ => &word.text,
    }
}

/// Whether a button is pressed: what it types is typed.
fn is_typed(value: &str, does: &str) -> Option<&'static str> {
    let typed = value.split(WHEN).next().unwrap_or_default();
    (typed == does).then_some("true")
}
