//! Answers by question: the usual answers on a card, and the styles of a game.

use crate::data::yaml::YamlNode;

/// Wishes that name an option by its position or size.
pub const RANKS: [&str; 4] = ["first", "last", "highest", "lowest"];

/// Answers by question. The first rule that matches the question and names an open option decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerRules(pub Vec<AnswerRule>);

/// The answer to the questions of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerRule {
    /// The question; `*` matches any text.
    pub question: String,
    /// Options in order of preference; `*` matches any text, `first`, `last`, `highest` and `lowest` for
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

/// Returns whether a text matches a pattern in which `*` matches any text.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    captures(pattern, text).is_some()
}

/// Returns what each `*` of a pattern matches in a text; `None` if the text does not match.
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
