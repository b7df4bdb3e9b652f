//! Answers by question: the usual answers on a card, and the styles of a game.

use crate::complaint::{DiagnosticCode, Span};
use crate::data::yaml::{YamlNode, YamlReader};

/// Wishes that name an option by its position or size.
const RANKS: [&str; 4] = ["first", "last", "highest", "lowest"];

/// Answers by question. The first rule that matches the question and names an open option decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerRules(pub Vec<AnswerRule>);

/// The answer to the questions of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerRule {
    /// The question; `*` stands for any text.
    pub question: String,
    /// Options in order of preference; `*` stands for any text, `first`, `last`, `highest` and `lowest` for
    /// a position or a number, and `not X` for any other option than X.
    pub answers: Vec<String>,
}

impl AnswerRules {
    /// Reads a map from question to one option or several.
    pub fn read(node: Option<&YamlNode>) -> AnswerRules {
        let entries = node.map(YamlNode::entries).unwrap_or_default();
        AnswerRules(
            entries
                .iter()
                .map(|(key, value)| AnswerRule {
                    question: key.text_or_empty().into(),
                    answers: value.texts(),
                })
                .collect(),
        )
    }

    /// Complains of questions and options of `owner` whose words do not occur in any of the scripts that may ask them.
    pub fn check_words(
        &self,
        node: Option<&YamlNode>,
        owner: &str,
        scripts: &[String],
        reader: &mut YamlReader,
    ) {
        let spans: Vec<Span> = node
            .map(YamlNode::entries)
            .unwrap_or_default()
            .iter()
            .map(|(key, _)| key.span)
            .collect();
        for (rule, span) in self.0.iter().zip(spans) {
            let answers = rule.answers.iter().filter(|answer| {
                !RANKS.contains(&answer.as_str()) && answer.parse::<i64>().is_err()
            });
            for text in [&rule.question].into_iter().chain(answers) {
                let pattern = text
                    .strip_prefix("not ")
                    .filter(|_| text != &rule.question)
                    .unwrap_or(text);
                check_pattern((pattern, text, span), owner, scripts, reader);
            }
        }
    }

    /// Returns the index of the option to take; `None` if no rule decides.
    pub fn answer(&self, question: &str, options: &[String]) -> Option<usize> {
        let rules = self
            .0
            .iter()
            .filter(|rule| matches_pattern(&rule.question, question));
        rules
            .flat_map(|rule| &rule.answers)
            .find_map(|answer| find_option(answer, options))
    }
}

/// Complains of a pattern whose words do not occur in any of the scripts; `text` is what stands in the file.
pub fn check_pattern(
    (pattern, text, span): (&str, &str, Span),
    owner: &str,
    scripts: &[String],
    reader: &mut YamlReader,
) {
    let parts = || pattern.split('*').map(str::trim);
    let unasked = |script: &String| parts().find(|part| !script.contains(part));
    let Some(part) = scripts
        .iter()
        .map(unasked)
        .min_by_key(|part| part.is_some())
        .unwrap_or_else(|| parts().next())
    else {
        return;
    };
    let what =
        format!("{owner} speaks of `{text}`, and no `choose` that it may answer has `{part}`");
    let help = "write the question as the case asks it, with `*` for a name in it, and one of its options or `first`";
    reader.complain(DiagnosticCode::UnknownName, span, what, help);
}

/// Returns the option that an answer names.
pub fn find_option(answer: &str, options: &[String]) -> Option<usize> {
    let numbers = || {
        options
            .iter()
            .enumerate()
            .filter_map(|(index, text)| Some((text.parse::<i64>().ok()?, index)))
    };
    match answer {
        "first" => Some(0),
        "last" => options.len().checked_sub(1),
        "highest" => numbers()
            .max_by_key(|(number, index)| (*number, std::cmp::Reverse(*index)))
            .map(|(_, index)| index),
        "lowest" => numbers().min().map(|(_, index)| index),
        _ => match answer.strip_prefix("not ") {
            Some(unwanted) => options
                .iter()
                .position(|option| !matches_pattern(unwanted, option)),
            None => options
                .iter()
                .position(|option| matches_pattern(answer, option)),
        },
    }
}

/// Returns whether a text matches a pattern in which `*` stands for any text.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    captures(pattern, text).is_some()
}

/// Returns what each `*` of a pattern stands for in a text; `None` if the text does not match.
pub fn captures<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let Some((head, tail)) = pattern.split_once('*') else {
        return (pattern == text).then(Vec::new);
    };
    let after = text.strip_prefix(head)?;
    after
        .char_indices()
        .map(|(at, _)| at)
        .chain([after.len()])
        .find_map(|at| {
            let mut rest = captures(tail, &after[at..])?;
            rest.insert(0, &after[..at]);
            Some(rest)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, matches) in [
            ("task *", "task 1", true),
            ("task *", "load for A", false),
            ("* against *", "Red against 0102", true),
            ("*", "", true),
            ("carry * from *", "carry the cart from", false),
            ("exact", "exact", true),
        ] {
            assert_eq!(matches_pattern(pattern, text), matches, "{pattern} {text}");
        }
    }

    #[test]
    fn the_first_open_wish_decides() {
        let rule = |question: &str, answers: &[&str]| AnswerRule {
            question: question.into(),
            answers: answers.iter().map(ToString::to_string).collect(),
        };
        let rules = AnswerRules(vec![rule("bid", &["7", "highest"]), rule("*", &["last"])]);
        let options: Vec<String> = ["2", "9", "4"].map(String::from).into();
        assert_eq!(rules.answer("bid", &options), Some(1));
        assert_eq!(rules.answer("else", &options), Some(2));
        assert_eq!(
            AnswerRules(vec![rule("*", &["not 2"])]).answer("else", &options),
            Some(1)
        );
        assert_eq!(AnswerRules::default().answer("bid", &options), None);
    }
}
