//! A case changed by what it answers: its figures, dice and conditions in words, its answers, readings and text. The script is folded.

use crate::serve::prose::Prose;
use crate::serve::what_if::request::WhatIfRequest;
use crate::serve::workbench::DataSnapshot;
use casebook_checks::author::blanks::{BlankKind, CONDITIONS};
use casebook_checks::author::case_form::{CaseForm, FormFunction};
use casebook_checks::author::shares::{ALL_OF_IT, SHARES};
use casebook_checks::author::wording::{WordedPart, in_words, worded_lines};
use casebook_checks::house::case_switch::switch_off;
use casebook_checks::house::change::{RuleChange, join_field};
use casebook_engine::complaint::Error;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};

/// The number of answers that are shown at once; the rest is folded.
const FIRST_ANSWERS: usize = 4;

/// A case as the page asks about it.
struct CaseQuestions<'a> {
    request: &'a WhatIfRequest,
    form: CaseForm,
}

/// Signs that only a script has.
const SCRIPT_SIGNS: [char; 6] = ['|', '[', '{', '…', ',', '#'];

/// Returns whether words read as a sentence: a bracket behind a word is a call.
fn are_plain(words: &str) -> bool {
    let mut before = words.match_indices('(').map(|(at, _)| &words[..at]);
    !words.contains(SCRIPT_SIGNS) && !before.any(|before| before.ends_with(char::is_alphanumeric))
}

fn is_plain(line: &[WordedPart]) -> bool {
    line.iter().all(|part| match part {
        WordedPart::Words(words) => are_plain(words),
        WordedPart::Blank(..) => true,
    })
}

/// Renders the open case.
pub fn render_questions(
    snapshot: &DataSnapshot,
    request: &WhatIfRequest,
    below: &Ruleset,
) -> Result<Markup, Error> {
    let form = CaseForm::new(
        &snapshot.library,
        below,
        &request.trial.variant,
        &request.case,
    )?;
    let questions = CaseQuestions { request, form };
    let off = RuleChange::Switch {
        name: request.case.clone(),
        on: false,
    };
    // An older answer that holds again, of a variant or of the game itself.
    let older: Vec<(String, RuleChange)> = questions
        .form
        .older_layers()
        .into_iter()
        .map(|layer| {
            let variant = snapshot.library.variants.get(layer);
            let title = variant.map_or_else(|| "as printed".into(), |known| known.title.clone());
            let back = RuleChange::Field {
                case: request.case.clone(),
                field: "back".into(),
                value: layer.into(),
            };
            (title, back)
        })
        .collect();
    let links = request.links(snapshot, below);
    let prose = Prose {
        ruleset: below,
        links: &links,
    };
    let answers: Vec<&FormFunction> = questions
        .form
        .functions
        .iter()
        .filter(|function| questions.can_be_changed(function))
        .collect();
    Ok(html! {
        h3 { a href=(links.page_address("case", &request.case)) { (request.case) " " (questions.form.title()) } }
        @for layer in questions.form.layers.iter().filter(|layer| !layer.text.is_empty()) {
            p.words { @if layer.title != questions.form.title() { span.quiet { (layer.title) ": " } } (prose.render_of(&layer.text, &request.case)) }
        }
        @if switch_off(&questions.form).is_ok() && !request.trial.changes.contains(&off) {
            p { a.button data-go href=(request.with(|request| request.trial.changes.push(off)).address("")) { "Switch this rule off" } }
        }
        @for (title, back) in older.iter().filter(|(_, back)| !request.trial.changes.contains(back)) {
            p { a.button data-go href=(request.with(|request| request.trial.changes.push(back.clone())).address("")) { "Take the older rule again: " (title) } }
        }
        div.case-questions data-case=(request.case) {
            (questions.render_readings())
            @for function in answers.iter().take(FIRST_ANSWERS) { (questions.render_function(function)) }
            @if answers.len() > FIRST_ANSWERS {
                details open[answers[FIRST_ANSWERS..].iter().any(|function| questions.is_changed(function))] {
                    summary { "The other answers of this rule (" (answers.len() - FIRST_ANSWERS) ")" }
                    @for function in &answers[FIRST_ANSWERS..] { (questions.render_function(function)) }
                }
            }
            label.words-of-it { span { "What the rule says now, in your words" } textarea name=(questions.name("text")) rows="2" data-plain="" { (questions.typed("text")) } }
        }
    })
}

impl CaseQuestions<'_> {
    /// Returns the name of a field: the change that it makes, without its value.
    fn name(&self, field: &str) -> String {
        format!("rule {}", join_field(&self.request.case, field))
    }

    /// Returns what the request has in a field; empty if it is as it stands.
    fn typed(&self, field: &str) -> &str {
        let value = self
            .request
            .trial
            .changes
            .iter()
            .find_map(|change| match change {
                RuleChange::Field {
                    case,
                    field: known,
                    value,
                } if *case == self.request.case && known == field => Some(value.as_str()),
                _ => None,
            });
        value.unwrap_or_default()
    }

    fn render_readings(&self) -> Markup {
        html! {
            @for reading in self.form.layers.iter().flat_map(|case| &case.readings) {
                @let field = format!("reading:{}", reading.name);
                label.question {
                    span { (reading.name.replace('-', " ")) " is read as " }
                    select name=(self.name(&field)) data-plain="" {
                        option value="" { (reading.ways.first().map_or("", String::as_str)) ", as now" }
                        @for way in reading.ways.iter().skip(1) { option value=(way) selected[self.typed(&field) == way] { (way) } }
                    }
                }
            }
        }
    }

    /// Returns the lines of a function that read as sentences, and how many there are in all. Of the others the conditions are left, as the
    /// script has them.
    fn lines_of(&self, function: &FormFunction) -> (Vec<Vec<WordedPart>>, usize) {
        let lines = match function.is_open {
            true => worded_lines(&function.function().body),
            false => Vec::new(),
        };
        let count = lines.len();
        let readable = |line: Vec<WordedPart>| match is_plain(&line) {
            true => Some(line),
            false => {
                let mut parts = line.into_iter();
                let condition = parts
                    .find(|part| matches!(part, WordedPart::Blank(_, BlankKind::Condition, _)))?;
                Some(vec![WordedPart::Words("if".into()), condition])
            }
        };
        (lines.into_iter().filter_map(readable).collect(), count)
    }

    /// Returns whether a function has anything that the form can change. A private one is changed in its lines only.
    fn can_be_changed(&self, function: &FormFunction) -> bool {
        !function.function().private || !self.lines_of(function).0.is_empty()
    }

    /// Returns whether the request changes a function.
    fn is_changed(&self, function: &FormFunction) -> bool {
        let is_of_it = |field: &str| field.split(':').nth(1) == Some(&*function.key);
        self.request.trial.changes.iter().any(|change| {
            matches!(change, RuleChange::Field { case, field, .. } if *case == self.request.case && is_of_it(field))
        })
    }

    /// Renders what can be changed in a function: what its lines say, its answer as a whole, and its script.
    fn render_function(&self, function: &FormFunction) -> Markup {
        let (source, private) = (&*function.function().body, function.function().private);
        let (lines, lines_in_all) = self.lines_of(function);
        let body = format!("body:{}", function.key);
        let plain = function.plain_body();
        html! {
            section.answer {
                h4 { (self.form.question(function)) }
                @for line in &lines { (self.render_line(function, line)) }
                @if lines.len() < lines_in_all { p.quiet { "The script has what can’t be put in words." } }
                @if !private { (self.render_whole_answer(function)) }
                @if !private || function.is_open {
                    details {
                        summary { "The script" }
                        @if !function.is_open {
                            p.quiet { "It builds on an older answer, which " code { "prior()" } " is:" }
                            pre tabindex="0" { code { (source.trim()) } }
                        }
                        textarea.script name=(self.name(&body)) rows=(plain.lines().count().clamp(2, 16)) data-plain=(plain) spellcheck="false" aria-label={ "Script of " (self.form.question(function)) } { "\n" (if self.typed(&body).is_empty() { &plain } else { self.typed(&body) }) }
                    }
                }
            }
        }
    }

    fn render_line(&self, function: &FormFunction, line: &[WordedPart]) -> Markup {
        html! {
            p.question {
                @for part in line {
                    @match part {
                        WordedPart::Words(words) => span { (words) },
                        WordedPart::Blank(index, BlankKind::Condition, text) => {
                            @let field = format!("in:{}:{index}", function.key);
                            select name=(self.name(&field)) data-plain="" aria-label={ "Whether " (text) } {
                                option value="" { "as it says:" }
                                @for word in CONDITIONS { option value=(word) selected[self.typed(&field) == word] { (word) } }
                            }
                            // Of a line that doesn't read as a sentence only the condition is left.
                            @if line.len() == 2 { " " @let words = in_words(text); @if are_plain(&words) { (words) } @else { code { (text) } } }
                        }
                        WordedPart::Blank(index, BlankKind::Share, amount) => {
                            @let field = format!("in:{}:{index}", function.key);
                            select name=(self.name(&field)) data-plain="" aria-label={ "How much, in " (self.form.question(function)) } {
                                @if !SHARES.iter().chain([&ALL_OF_IT]).any(|(share, _)| share == amount) { option value="" { (amount) ", as now" } }
                                @for (share, words) in SHARES.iter().chain([&ALL_OF_IT]) {
                                    @let is_now = share == amount;
                                    option value=(if is_now { "" } else { share }) selected[self.typed(&field) == *share || is_now && self.typed(&field).is_empty()] { (words) @if is_now { ", as now" } }
                                }
                            }
                        }
                        WordedPart::Blank(index, kind, text) => {
                            @let field = format!("in:{}:{index}", function.key);
                            @let typed = self.typed(&field);
                            input.changed[!typed.is_empty()] name=(self.name(&field)) value=(if typed.is_empty() { text } else { typed }) data-plain=(text) size=(text.len().max(2)) inputmode=[(*kind == BlankKind::Number).then_some("numeric")] autocomplete="off" title={ "was " (text) } aria-label={ (text) ", in " (self.form.question(function)) };
                        }
                    }
                    " "
                }
            }
        }
    }

    fn render_whole_answer(&self, function: &FormFunction) -> Markup {
        let (does, value) = (
            format!("does:{}", function.key),
            format!("value:{}", function.key),
        );
        let choice = |text: &str, shown: &str| html! { option value=(text) selected[self.typed(&does) == text] { (shown) } };
        html! {
            p.question {
                span { "The answer is " }
                select name=(self.name(&does)) data-plain="" aria-label={ "The answer: " (self.form.question(function)) } {
                    (choice("", "as now"))
                    (choice("always", "always …"))
                    (choice("more", "the older one, and … more"))
                    (choice("opposite", "the opposite of the older one"))
                }
                " "
                input name=(self.name(&value)) value=(self.typed(&value)) data-plain="" size="6" autocomplete="off" aria-label="a number, yes, no, or a word" placeholder="3, yes, no";
            }
        }
    }
}
