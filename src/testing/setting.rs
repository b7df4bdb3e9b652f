//! What an example asks to be in force: the `///` lines above a function, or the keys beside a question.

use crate::complaint::{Complaint, Complaints, Place, Span};
use crate::data::case::{Case, Function};
use crate::data::yaml::{Node, Reader};
use crate::ruleset::compose::Wish;

/// Stands for the place of an example until that is known.
pub const EXAMPLE: &str = "(example)";

/// How to mend what an example asks to be in force.
pub const SETTING: &str = "an example says under which variants, readings and options it holds; mend that, or the name";

/// What an example asks to be in force.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Its id and how the statement is known; the name where it has none.
    pub id: String,
    with: Option<Vec<String>>,
    readings: Vec<(String, String)>,
    options: Vec<(String, bool)>,
    /// What can't be meant: the words, and why.
    faults: Vec<(String, String)>,
}

impl Setting {
    /// The doc lines above an example: the first is its id, those that begin with a key are read, the others are notes.
    pub fn of(function: &Function) -> Setting {
        let mut setting = Setting { id: function.name.clone(), ..Setting::default() };
        for (i, line) in function.doc().iter().enumerate() {
            match line.split_once(':') {
                Some(("with", list)) => setting.with = Some(listed(list)),
                Some(("reading", list)) => listed(list).iter().for_each(|text| setting.reading(text)),
                Some(("option", list)) => listed(list).iter().for_each(|text| setting.option(text)),
                Some((word, _)) if !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()) => {
                    setting
                        .faults
                        .push((word.into(), format!("`{word}:` is nothing an example says; it says with:, reading: and option:")));
                }
                _ if i == 0 => setting.id = line.to_string(),
                _ => {}
            }
        }
        setting
    }

    /// The keys beside a question of a YAML file.
    pub fn beside(item: &Node, id: String, with: Option<Vec<String>>, reader: &mut Reader) -> Setting {
        let mut texts = |key: &str| item.get(key).map(|node| reader.texts(node));
        let mut setting = Setting { id, with: texts("with").or(with), ..Setting::default() };
        texts("reading").unwrap_or_default().iter().for_each(|text| setting.reading(text));
        texts("option").unwrap_or_default().iter().for_each(|text| setting.option(text));
        setting
    }

    fn reading(&mut self, text: &str) {
        match text.split_once('=') {
            Some((name, way)) => self.readings.push((name.trim().into(), way.trim().into())),
            None => self.faults.push((text.into(), format!("`{text}` says no way to read it: write `8.16.remainder=even`"))),
        }
    }

    fn option(&mut self, text: &str) {
        match text.split_once('=').map(|(name, on)| (name.trim(), on.trim())) {
            Some((name, on @ ("on" | "off"))) => self.options.push((name.into(), on == "on")),
            _ => self.faults.push((text.into(), format!("an option is on or off: `{text}` is neither"))),
        }
    }

    /// What it comes to for an example of a game or of one of its variants.
    pub fn wish(&self, game: &str, layer: Option<&str>) -> Result<Wish, Complaints> {
        if let Some((_, what)) = self.faults.first() {
            return Err(Complaint::new("example", Place::file(EXAMPLE), what).help(SETTING).into());
        }
        let mut with: Vec<String> = self.with.clone().unwrap_or_default();
        if let Some(layer) = layer
            && !with.iter().any(|w| w == layer)
        {
            with.push(layer.into());
        }
        Ok(Wish { game: game.into(), with, options: self.options.clone(), readings: self.readings.clone(), ..Wish::default() })
    }
}

/// "a, b"
fn listed(text: &str) -> Vec<String> {
    text.split(',').map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// Why a ruleset can't be had for an example; what is wrong with the example itself is shown where it names it.
pub fn refused(complaints: &Complaints, place: impl FnOnce(&str) -> Place) -> Option<Complaint> {
    let mut complaint = complaints.0.first()?.clone();
    if complaint.place.path == EXAMPLE {
        complaint.place = place(complaint.what.split('`').nth(1).unwrap_or_default());
    }
    Some(complaint)
}

/// Where a doc line above an example has a word; the example's name where none has.
pub fn doc_line(case: &Case, function: &Function, word: &str) -> Place {
    let (file, before) = case.file_of(function.span.line);
    let last = function.span.line - before;
    let first = last.saturating_sub(function.doc().len() + 1);
    let lines = file.text.lines().enumerate().take(last).skip(first).filter(|(_, line)| line.starts_with("///"));
    let word = word.trim_end_matches(':');
    let mut found = lines.filter_map(|(index, line)| Some((before + index + 1, line[..line.find(word)?].chars().count() + 1)));
    let span = found.next().filter(|_| !word.is_empty());
    let span = span.map_or(function.span, |(line, column)| Span { line, column, length: word.chars().count() });
    case.place(span)
}
