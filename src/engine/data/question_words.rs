//! How a case words its questions for people: a sentence, and what each option does.

use crate::data::answer_rules::captures;
use crate::data::yaml::YamlNode;

/// The wording of the questions of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionWords {
    /// The question as `choose` asks it; `*` matches any text.
    pub question: String,
    /// The sentence; each `*` is what the one of the pattern matches. Empty for the question itself.
    pub sentence: String,
    /// Options with what is shown for them; in both `*` matches any text.
    pub options: Vec<(String, String)>,
    /// The option that ends what is asked again and again; empty for none.
    pub main: String,
}

impl QuestionWords {
    /// Reads a map from question to wording.
    pub fn read_all(node: Option<&YamlNode>) -> Vec<QuestionWords> {
        let entries = node.map(YamlNode::entries).unwrap_or_default();
        let words = |(key, value): &(YamlNode, YamlNode)| QuestionWords {
            question: key.text_or_empty().into(),
            sentence: value.text_of("ask").into(),
            options: value.named_texts_of("options").collect(),
            main: value.text_of("main").into(),
        };
        entries.iter().map(words).collect()
    }

    /// Returns the wording as it is written on a card, with those options that a script still has.
    pub fn to_json(&self, has: impl Fn(&str) -> bool) -> serde_json::Value {
        let mut entry = serde_json::Map::new();
        if !self.sentence.is_empty() {
            entry.insert("ask".into(), self.sentence.as_str().into());
        }
        if !self.main.is_empty() && has(&self.main) {
            entry.insert("main".into(), self.main.as_str().into());
        }
        let options = self.options.iter().filter(|(option, _)| has(option));
        let options: serde_json::Map<String, serde_json::Value> = options
            .map(|(option, label)| (option.clone(), label.as_str().into()))
            .collect();
        if !options.is_empty() {
            entry.insert("options".into(), options.into());
        }
        entry.into()
    }

    /// Returns the sentence for a question; `None` if the pattern does not match it.
    pub fn sentence(&self, question: &str) -> Option<String> {
        let parts = captures(&self.question, question)?;
        let sentence = if self.sentence.is_empty() {
            question.into()
        } else {
            fill(&self.sentence, &parts)
        };
        Some(sentence)
    }

    /// Returns what is shown for an option.
    pub fn label(&self, option: &str) -> String {
        self.options
            .iter()
            .find_map(|(pattern, label)| Some(fill(label, &captures(pattern, option)?)))
            .unwrap_or_else(|| option.into())
    }
}

/// Replaces each `*` of a template by texts, in order.
fn fill(template: &str, parts: &[&str]) -> String {
    let mut parts = parts.iter();
    template
        .split_inclusive('*')
        .map(|piece| match piece.strip_suffix('*') {
            Some(head) => format!("{head}{}", parts.next().copied().unwrap_or_default()),
            None => piece.into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_and_its_options_get_their_words() {
        let words = QuestionWords {
            question: "corn for *".into(),
            sentence: "How much corn does * get?".into(),
            options: vec![
                ("none".into(), "Nothing".into()),
                ("by * from *".into(), "From *, by *".into()),
            ],
            main: "none".into(),
        };
        assert_eq!(
            words.sentence("corn for the barn").as_deref(),
            Some("How much corn does the barn get?")
        );
        assert_eq!(words.sentence("losses"), None);
        assert_eq!(words.label("none"), "Nothing");
        assert_eq!(words.label("by barge from Kew"), "From barge, by Kew");
        assert_eq!(words.label("7"), "7", "an option without words of its own");
    }
}
