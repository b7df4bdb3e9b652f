//! Full-text search of cases and tables.

use crate::serve::book::Rulebook;
use maud::{Markup, html};

/// Maximum number of hits shown.
const MAX_HITS: usize = 60;

/// One search hit.
struct SearchHit {
    kind: &'static str,
    name: String,
    title: String,
    layer: String,
    text: String,
    /// Relevance; a higher score ranks first.
    score: u32,
}

/// Scores a text by the occurrences of the search words in its name, title and text. Returns `None` if a word occurs in none of them.
fn score(words: &[String], name: &str, title: &str, text: &str) -> Option<u32> {
    let (name, title, text) = (
        name.to_lowercase(),
        title.to_lowercase(),
        text.to_lowercase(),
    );
    words.iter().try_fold(0, |sum, word| {
        let found = 100 * u32::from(name == *word)
            + 20 * u32::from(title.contains(word.as_str()))
            + u32::from(text.contains(word.as_str()));
        (found > 0).then_some(sum + found)
    })
}

impl Rulebook<'_> {
    /// Renders the hits of a search.
    pub fn render_search(&self, search: &str) -> Markup {
        let words: Vec<String> = search
            .to_lowercase()
            .split_whitespace()
            .map(String::from)
            .collect();
        let mut hits = if words.is_empty() {
            Vec::new()
        } else {
            self.find_hits(&words)
        };
        hits.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
        let count = hits.len();
        html! {
            h1 { "Search" }
            form.search role="search" aria-label="Other words" method="get" data-switch {
                label { span.hidden { "Words to look for" } input type="search" name="q" value=(search) autofocus[words.is_empty()]; }
                button { "Search" }
            }
            @if !words.is_empty() {
                p role="status" {
                    @match count { 0 => { "Nothing has all of these words." } 1 => { "One place." } n @ ..=MAX_HITS => { (n) " places." } n => { (n) " places; the first " (MAX_HITS) " are shown." } }
                }
            }
            ol.hits {
                @for hit in hits.iter().take(MAX_HITS) {
                    li {
                        a href=(self.links.page_address(hit.kind, &hit.name)) { span.number { (hit.name) } " " (highlight(&hit.title, &words)) }
                        " " @if self.is_variant(&hit.layer) { (self.layer_chip(&hit.layer)) }
                        p { (highlight(&excerpt(&hit.text, &words), &words)) }
                    }
                }
            }
        }
    }

    fn find_hits(&self, words: &[String]) -> Vec<SearchHit> {
        let mut hits = Vec::new();
        for case in &self.ruleset.cases {
            let names: Vec<&str> = case
                .public_functions()
                .map(|function| function.name.as_str())
                .collect();
            let text = format!("{} {}", case.text, case.note.as_deref().unwrap_or_default());
            // Function names are searched but not shown.
            hits.extend(
                score(
                    words,
                    &case.number,
                    &case.title,
                    &format!("{text} {}", names.join(" ")),
                )
                .map(|worth| SearchHit {
                    kind: "case",
                    name: case.number.clone(),
                    title: case.title.clone(),
                    layer: case.layer.to_string(),
                    text,
                    score: worth,
                }),
            );
        }
        for id in self.ruleset.table_names() {
            let Ok(Some(table)) = self.ruleset.table(id) else {
                continue;
            };
            hits.extend(score(words, id, &table.title, &table.method).map(|worth| {
                SearchHit {
                    kind: "table",
                    name: id.into(),
                    title: table.title.clone(),
                    layer: table
                        .layers
                        .last()
                        .map_or(String::new(), |layer| layer.name.to_string()),
                    text: table.method.clone(),
                    score: worth + 5,
                }
            }));
        }
        hits
    }
}

/// Returns the excerpt of a text around the first search word.
fn excerpt(text: &str, words: &[String]) -> String {
    let low = text.to_lowercase();
    let hit = words
        .iter()
        .filter_map(|word| low.find(word.as_str()))
        .min()
        .unwrap_or(0);
    // Lower-casing may change byte lengths, so the offset in the original text is approximate.
    let start = text
        .char_indices()
        .map(|(i, _)| i)
        .take_while(|i| i + 80 <= hit)
        .last()
        .unwrap_or(0);
    let start = text[start..]
        .find(' ')
        .filter(|_| start > 0)
        .map_or(start, |space| start + space);
    let cut: String = text[start..].chars().take(220).collect();
    format!(
        "{}{}{}",
        if start > 0 { "…" } else { "" },
        cut.trim(),
        if text[start..].chars().count() > 220 {
            "…"
        } else {
            ""
        }
    )
}

/// Renders a text with the search words highlighted.
fn highlight(text: &str, words: &[String]) -> Markup {
    let low: Vec<char> = text.chars().flat_map(|c| c.to_lowercase().next()).collect();
    let letters: Vec<char> = text.chars().collect();
    let mut marked = vec![false; letters.len()];
    for word in words {
        let word: Vec<char> = word.chars().collect();
        for start in 0..(low.len() + 1).saturating_sub(word.len()) {
            if low[start..start + word.len()] == word[..] {
                marked[start..start + word.len()].fill(true);
            }
        }
    }
    let mut runs: Vec<(bool, String)> = Vec::new();
    for (letter, is_marked) in letters.into_iter().zip(marked) {
        match runs.last_mut() {
            Some((last, text)) if *last == is_marked => text.push(letter),
            _ => runs.push((is_marked, letter.into())),
        }
    }
    html! { @for (marked, part) in runs { @if marked { mark { (part) } } @else { (part) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_and_escaped() {
        let words = ["loss".to_string()];
        assert_eq!(
            highlight("Losses & more", &words).into_string(),
            "<mark>Loss</mark>es &amp; more"
        );
        assert_eq!(score(&words, "8.16", "Allocation of losses", ""), Some(20));
        assert_eq!(
            score(
                &["loss".into(), "snow".into()],
                "8.16",
                "Allocation of losses",
                ""
            ),
            None
        );
        assert!(excerpt(&format!("{}loss", "ä ".repeat(300)), &words).contains("loss"));
    }
}
