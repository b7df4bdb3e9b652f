//! Texts with links: the number of a case that stands in a text leads to the case, the name of a table to the table.

use crate::serve::layout::LinkTarget;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};

/// Renders texts of a game.
#[derive(Clone, Copy)]
pub struct Prose<'a> {
    /// The ruleset in force.
    pub ruleset: &'a Ruleset,
    pub links: &'a LinkTarget,
}

/// A part of a text: what names a case or table, with its address, or anything else.
type ProsePart<'t> = (&'t str, Option<String>);

impl Prose<'_> {
    pub fn render(&self, text: &str) -> Markup {
        self.render_of(text, "")
    }

    /// Renders a text of a case or table, which does not lead to itself.
    pub fn render_of(&self, text: &str, own: &str) -> Markup {
        html! {
            @for (part, address) in self.parts(text, own) {
                @if let Some(address) = address { a.named href=(address) { (part) } } @else { (part) }
            }
        }
    }

    fn parts<'t>(&self, text: &'t str, own: &str) -> Vec<ProsePart<'t>> {
        let mut parts: Vec<ProsePart> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let start = rest
                .find(|c: char| c.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            let (between, word) = rest.split_at(start);
            let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
            let end = word.find(|c: char| !is_inside(c)).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            // A full stop or hyphen ends a sentence or a part of it.
            let name = word.trim_end_matches(['.', '-', '_']);
            let is_table = between.trim_end().is_empty()
                && parts
                    .iter()
                    .rfind(|(part, _)| !part.is_empty())
                    .is_some_and(|(last, _)| *last == "table");
            parts.push((between, None));
            let is_share = after.trim_start().starts_with('%');
            match self.address_of(name, is_table).filter(|_| !is_share) {
                Some(address) if name != own => parts.push((name, Some(address))),
                Some(_) => parts.push((name, None)),
                // 8.2-8.4 names two cases.
                None => match name.split_once('-') {
                    Some((first, last))
                        if self.is_numbered_case(first) && self.is_numbered_case(last) =>
                    {
                        parts.push((first, self.address_of(first, false)));
                        parts.push((&name[first.len()..=first.len()], None));
                        parts.push((last, self.address_of(last, false)));
                    }
                    _ => parts.push((name, None)),
                },
            }
            parts.push((&word[name.len()..], None));
            rest = after;
        }
        parts.retain(|(part, _)| !part.is_empty());
        parts
    }

    /// Returns whether a text is the number of a case. A name without digits may be any word.
    fn is_numbered_case(&self, name: &str) -> bool {
        let is_number = name.starts_with(|c: char| c.is_ascii_digit()) && name.contains('.');
        is_number && self.is_case(name)
    }

    fn is_case(&self, name: &str) -> bool {
        self.ruleset.contents.contains_key(name)
            || self.ruleset.cases.iter().any(|case| case.number == name)
    }

    /// Returns the address of what a word names: a case by its number, or a case or table by a name of several words. After the word "table"
    /// any name of a table counts.
    fn address_of(&self, name: &str, is_table: bool) -> Option<String> {
        let has_table = |name: &str| self.ruleset.table_names().any(|id| id == name);
        if is_table && has_table(name) {
            return Some(self.links.page_address("table", name));
        }
        let is_name = name.contains('-') && name.starts_with(|c: char| c.is_ascii_lowercase());
        let is_number = name.starts_with(|c: char| c.is_ascii_digit()) && name.contains('.');
        if !is_name && !is_number {
            return None;
        }
        if self.is_case(name) {
            return Some(self.links.page_address("case", name));
        }
        has_table(name).then(|| self.links.page_address("table", name))
    }
}
