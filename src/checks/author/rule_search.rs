//! Finds cases and charts by a question in plain words.
//!
//! Every word of the question counts by how few documents have it (its inverse document frequency), most in a title and least in the text;
//! a document with all words comes before one with some. The topics of the manifest lead from a word to the procedures that it
//! is about.

use casebook_engine::data::case::Case;
use casebook_engine::data::manifest::function_name;
use casebook_engine::ruleset::compose::Ruleset;
use std::collections::{BTreeMap, BTreeSet};

/// Words that say nothing of what is asked.
const STOP_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "had", "happen", "happens", "has", "have",
    "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "may", "me", "must",
    "my", "of", "on", "or", "our", "shall", "she", "should", "so", "than", "that", "the", "their",
    "them", "then", "there", "they", "this", "to", "up", "us", "was", "we", "were", "what", "when",
    "where", "which", "who", "whose", "why", "will", "with", "would", "you", "your",
];

/// What a word counts in the parts of a document, and where only its beginning was typed.
const TITLE_WEIGHT: f64 = 4.0;
const PROCEDURE_WEIGHT: f64 = 3.0;
const QUESTION_WEIGHT: f64 = 2.0;
const TEXT_WEIGHT: f64 = 1.0;
const TOPIC_WEIGHT: f64 = 1.0;
const BEGINNING_SHARE: f64 = 0.5;
/// What the number of a case or the name of a chart counts.
const NAME_SCORE: f64 = 1_000.0;
/// The fewest letters of the beginning of a word.
const MIN_BEGINNING: usize = 3;
/// The part of the best score below which a document is not worth showing.
const MIN_SHARE: f64 = 0.15;

/// A case or a chart that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleHit {
    /// `case` or `table`.
    pub kind: &'static str,
    /// The number of the case or the name of the chart.
    pub name: String,
    pub title: String,
    /// The layer that wrote it.
    pub layer: String,
    /// The sentence that has most of the words.
    pub sentence: String,
    /// How well it fits; more is better.
    pub score: f64,
}

/// The words that a search looks for.
#[derive(Clone, Debug, Default)]
pub struct SearchWords {
    stems: Vec<String>,
    typed: Vec<String>,
}

/// A searched document: how much each stem counts in it.
struct Document {
    hit: RuleHit,
    weights: BTreeMap<String, f64>,
    sentences: Vec<String>,
}

impl SearchWords {
    /// Takes the words of a question apart. Where nothing else is left, the words that say nothing are looked for, too.
    pub fn parse(question: &str) -> SearchWords {
        let typed: Vec<String> = words_of(question).collect();
        let telling = |word: &&String| !STOP_WORDS.contains(&word.as_str());
        let mut stems: Vec<String> = typed
            .iter()
            .filter(telling)
            .map(|word| stem(word))
            .collect();
        if stems.is_empty() {
            stems = typed.iter().map(|word| stem(word)).collect();
        }
        let mut seen = BTreeSet::new();
        stems.retain(|stem| seen.insert(stem.clone()));
        SearchWords { stems, typed }
    }

    /// Returns whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// Returns whether a word of a text is one of those looked for, or begins with it.
    pub fn has(&self, word: &str) -> bool {
        let word = stem(&word.to_lowercase());
        self.stems.iter().any(|stem| fit(stem, &word) > 0.0)
    }
}

/// Returns how well a stem of the question fits a stem of a document: 1 for the same, less for its beginning, 0 for another.
fn fit(asked: &str, word: &str) -> f64 {
    if asked == word {
        1.0
    } else if asked.len() >= MIN_BEGINNING && word.starts_with(asked) {
        BEGINNING_SHARE
    } else {
        0.0
    }
}

/// Returns the words of a text in lower case. Numbers of cases stay whole.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '\''))
        .map(|word| word.trim_matches(['.', '\'']).to_lowercase())
        .map(|word| word.strip_suffix("'s").map(String::from).unwrap_or(word))
        .filter(|word| !word.is_empty())
}

/// Returns a word without the endings of plurals and of verbs. It is a key to compare by, and need not be a word itself.
fn stem(word: &str) -> String {
    let is_long = |stem: &str| stem.chars().count() >= 3;
    let mut stem = word;
    if let Some(cut) = stem.strip_suffix("ies").filter(|cut| is_long(cut)) {
        return format!("{cut}y");
    }
    if let Some(cut) = stem.strip_suffix('s') {
        let keeps = cut.ends_with(['s', 'u', 'i']);
        if is_long(cut) && !keeps {
            stem = cut;
        }
    }
    for ending in ["ing", "ed", "er"] {
        if let Some(cut) = stem.strip_suffix(ending).filter(|cut| is_long(cut)) {
            let letters: Vec<char> = cut.chars().rev().take(2).collect();
            let is_doubled = letters[0] == letters[1] && !"lsz".contains(letters[0]);
            stem = if is_doubled {
                &cut[..cut.len() - letters[0].len_utf8()]
            } else {
                cut
            };
            break;
        }
    }
    stem.strip_suffix('e')
        .filter(|cut| is_long(cut))
        .unwrap_or(stem)
        .into()
}

fn sentences(text: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for part in text.split_inclusive(". ") {
        // A number or a shortened name ends no sentence.
        let goes_on = list.last().is_some_and(|last: &String| {
            let word = last.trim_end().trim_end_matches('.').rsplit(' ').next();
            word.is_some_and(|word| word.chars().count() <= 2)
        });
        match list.last_mut().filter(|_| goes_on) {
            Some(last) => last.push_str(part),
            None => list.push(part.into()),
        }
    }
    list.iter()
        .map(|sentence| sentence.trim().to_string())
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

impl Document {
    fn add(&mut self, text: &str, weight: f64) {
        for word in words_of(text) {
            // A word that comes often says little more than one that comes twice.
            let counted = self.weights.entry(stem(&word)).or_default();
            *counted = if *counted < weight {
                weight
            } else {
                *counted + weight * 0.1
            };
        }
    }

    /// Returns what a stem of a question counts here.
    fn weight_of(&self, asked: &str) -> f64 {
        self.weights
            .range(asked.to_string()..)
            .take_while(|(word, _)| word.starts_with(asked))
            .map(|(word, weight)| weight * fit(asked, word))
            .fold(0.0, f64::max)
    }
}

fn document_of_case(ruleset: &Ruleset, case: &Case) -> Document {
    let text = format!("{} {}", case.text, case.note.as_deref().unwrap_or_default());
    let mut document = Document {
        hit: RuleHit {
            kind: "case",
            name: case.number.clone(),
            title: case.title.clone(),
            layer: case.layer.to_string(),
            sentence: String::new(),
            score: 0.0,
        },
        weights: BTreeMap::new(),
        sentences: sentences(&text),
    };
    document.add(&case.title, TITLE_WEIGHT);
    document.add(&text, TEXT_WEIGHT);
    for function in case.public_functions() {
        document.add(&function.name.replace('_', " "), QUESTION_WEIGHT);
        document.add(&function.doc_lines().join(" "), TEXT_WEIGHT);
    }
    for (name, title) in &ruleset.game.procedures {
        if case
            .public_functions()
            .any(|function| function.name == function_name(name))
        {
            document.add(&format!("{name} {title}"), PROCEDURE_WEIGHT);
        }
        if case.procedures.contains(name) {
            for topic in ruleset.game.topics_of(name) {
                document.add(
                    &format!("{} {}", topic.title, topic.synonyms.join(" ")),
                    TOPIC_WEIGHT,
                );
            }
        }
    }
    document
}

fn documents(ruleset: &Ruleset) -> Vec<Document> {
    let mut list: Vec<Document> = ruleset
        .cases
        .iter()
        .map(|case| document_of_case(ruleset, case))
        .collect();
    for id in ruleset.table_names() {
        let Ok(Some(table)) = ruleset.table(id) else {
            continue;
        };
        let layer = table.layers.last();
        let mut document = Document {
            hit: RuleHit {
                kind: "table",
                name: id.into(),
                title: table.title.clone(),
                layer: layer.map_or(String::new(), |layer| layer.name.to_string()),
                sentence: String::new(),
                score: 0.0,
            },
            weights: BTreeMap::new(),
            sentences: sentences(&table.method),
        };
        document.add(&table.title, TITLE_WEIGHT);
        document.add(&id.replace('-', " "), PROCEDURE_WEIGHT);
        document.add(&table.method, TEXT_WEIGHT);
        list.push(document);
    }
    list
}

/// Returns the cases and charts that fit a question, the best first.
pub fn search_rules(ruleset: &Ruleset, words: &SearchWords) -> Vec<RuleHit> {
    let documents = documents(ruleset);
    let count = documents.len() as f64;
    let rarity = |asked: &String| {
        let having = documents
            .iter()
            .filter(|one| one.weight_of(asked) > 0.0)
            .count() as f64;
        (1.0 + (count - having + 0.5) / (having + 0.5)).ln()
    };
    let asked: Vec<(&String, f64)> = words
        .stems
        .iter()
        .map(|stem| (stem, rarity(stem)))
        .collect();
    // A word that no document has tells nothing between them.
    let is_indexed = |stem: &String| documents.iter().any(|one| one.weight_of(stem) > 0.0);
    let whole: f64 = asked
        .iter()
        .filter(|(stem, _)| is_indexed(stem))
        .map(|(_, rarity)| rarity)
        .sum();
    let mut hits: Vec<RuleHit> = documents
        .into_iter()
        .filter_map(|document| {
            let name = document.hit.name.to_lowercase();
            // A word may be the name of a case, too; a number is nothing else.
            let is_number = name.contains(|c: char| c.is_ascii_digit());
            let is_named =
                words.typed.contains(&name) && is_number || words.typed.join("-") == name;
            let named = if is_named { NAME_SCORE } else { 0.0 };
            let found = |(stem, rarity): &(&String, f64)| (document.weight_of(stem), *rarity);
            let sum: f64 = asked
                .iter()
                .map(found)
                .map(|(weight, rarity)| weight * rarity)
                .sum();
            let covered: f64 = asked
                .iter()
                .map(found)
                .filter(|(weight, _)| *weight > 0.0)
                .map(|(_, rarity)| rarity)
                .sum();
            let share = if whole > 0.0 { covered / whole } else { 0.0 };
            let score = named + sum * share * share;
            let of_sentence = |sentence: &&String| -> f64 {
                let stems: BTreeSet<String> = words_of(sentence).map(|word| stem(&word)).collect();
                let best = |asked: &str| {
                    stems
                        .iter()
                        .map(|word| fit(asked, word))
                        .fold(0.0, f64::max)
                };
                asked.iter().map(|(stem, rarity)| best(stem) * rarity).sum()
            };
            // Of equal sentences the first is shown.
            let sentence = document
                .sentences
                .iter()
                .rev()
                .max_by(|a, b| of_sentence(a).total_cmp(&of_sentence(b)));
            (score > 0.0).then(|| RuleHit {
                sentence: sentence.cloned().unwrap_or_default(),
                score,
                ..document.hit.clone()
            })
        })
        .collect();
    hits.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.name.cmp(&b.name))
    });
    let best = hits.first().map_or(0.0, |hit| hit.score).min(NAME_SCORE);
    hits.retain(|hit| hit.score >= best * MIN_SHARE);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_their_endings() {
        for (a, b) in [
            ("wounded", "wounds"),
            ("retreating", "retreats"),
            ("berries", "berry"),
            ("stopped", "stops"),
            ("losses", "losse"),
            ("moving", "moves"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} and {b}");
        }
        assert_ne!(stem("loss"), stem("los"));
        assert_eq!(stem("8.16"), "8.16");
    }

    #[test]
    fn questions_lose_what_says_nothing() {
        let words = SearchWords::parse("What happens to a rusted hinge?");
        assert_eq!(words.stems, ["rust", "hing"]);
        assert!(words.has("hinges") && words.has("Rusting") && !words.has("to"));
        assert_eq!(SearchWords::parse("to be or").stems, ["to", "be", "or"]);
        assert!(SearchWords::parse(" ?! ").is_empty());
    }

    #[test]
    fn sentences_end_at_their_stops() {
        assert_eq!(
            sentences("R. E. Lee stays. He may go (8.16). All else goes."),
            ["R. E. Lee stays.", "He may go (8.16).", "All else goes."]
        );
    }
}
