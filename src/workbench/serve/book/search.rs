//! The page of a search in the rules: each hit with the sentence that answers, and a situation that shows it.

use crate::serve::book::Rulebook;
use crate::serve::book::case::ListedSituation;
use casebook_checks::author::rule_search::{RuleHit, SearchWords, search_rules};
use casebook_view::references::References;
use maud::{Markup, html};

/// Maximum number of hits shown.
const MAX_HITS: usize = 30;
/// The number of hits that are shown with a situation.
const MAX_SHOWN_WITH_SITUATION: usize = 10;

impl Rulebook<'_> {
    /// Renders the hits of a search.
    pub fn render_search(&self, search: &str, references: &References) -> Markup {
        let words = SearchWords::parse(search);
        let hits = if words.is_empty() {
            Vec::new()
        } else {
            search_rules(self.ruleset, &words)
        };
        let count = hits.len();
        let situations = if self.links.is_live() {
            self.listed_situations()
        } else {
            Vec::new()
        };
        html! {
            h1 { "Search" }
            form.search role="search" aria-label="Other words" method="get" data-switch {
                label { span.hidden { "A question, or words to look for" } input type="search" name="q" value=(search) autofocus[words.is_empty()] placeholder="words or a question"; }
                button { "Search" }
            }
            @if !words.is_empty() {
                p role="status" {
                    @match count { 0 => { "No rule and no chart has any of these words." } 1 => { "One place." } n @ ..=MAX_HITS => { (n) " places, the nearest first." } n => { "The nearest " (MAX_HITS) " of " (n) " places." } }
                }
            }
            ol.hits {
                @for (index, hit) in hits.iter().take(MAX_HITS).enumerate() {
                    li {
                        a href=(self.links.page_address(hit.kind, &hit.name)) { span.number { (hit.name) } " " (highlight(&hit.title, &words)) }
                        " " @if self.is_variant(&hit.layer) { (self.layer_chip(&hit.layer)) }
                        p { (highlight(&hit.sentence, &words)) }
                        @if index < MAX_SHOWN_WITH_SITUATION { (self.render_situation_of_hit(hit, &words, references, &situations)) }
                    }
                }
            }
        }
    }

    /// Renders the situation that shows a case: the one that speaks most of what is looked for, of those whose procedures may use the case.
    fn render_situation_of_hit(
        &self,
        hit: &RuleHit,
        words: &SearchWords,
        references: &References,
        situations: &[ListedSituation],
    ) -> Markup {
        if hit.kind != "case" {
            return html! {};
        }
        let cases = &self.ruleset.cases;
        let layers: Vec<usize> = (0..cases.len())
            .filter(|index| cases[*index].number == hit.name)
            .collect();
        let spoken = |title: &str| {
            title
                .split_whitespace()
                .filter(|word| words.has(word))
                .count()
        };
        let situations = self.situations_that_use(&layers, references, situations);
        // Of those that speak of it equally, the first.
        let best = situations
            .iter()
            .rev()
            .max_by_key(|(title, _)| spoken(title));
        html! {
            @if let Some((title, name)) = best {
                p.quiet { "To be seen in " a href=(self.links.situation_address(name)) { (title) } }
            }
        }
    }
}

/// Renders a text with the words looked for highlighted.
fn highlight(text: &str, words: &SearchWords) -> Markup {
    let parts = text.split_inclusive(|c: char| !c.is_alphanumeric());
    html! {
        @for part in parts {
            @let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
            @if !word.is_empty() && words.has(word) { mark { (word) } (&part[word.len()..]) } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_and_escaped() {
        let words = SearchWords::parse("loss");
        assert_eq!(
            highlight("Losses & a loss, more", &words).into_string(),
            "<mark>Losses</mark> &amp; a <mark>loss</mark>, more"
        );
    }
}
