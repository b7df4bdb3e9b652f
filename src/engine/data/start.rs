//! What a manifest says for the pages of a workbench: the situation of the start page, and the topics that sort situations.

use crate::data::manifest::{Game, StartSituation, Topic};
use crate::data::yaml::YamlNode;

impl Game {
    /// Reads `start:` and `topics:` of a manifest.
    pub fn read_start(&mut self, root: &YamlNode) {
        self.start = root.get("start").map(|node| StartSituation {
            situation: node.text_of("situation").into(),
            figure: node.text_of("figure").into(),
            from: node.number_of("from").unwrap_or_default(),
            to: node.number_of("to").unwrap_or_default(),
        });
        let topic = |(title, value): (String, &YamlNode)| Topic {
            title,
            procedures: value.texts_of("procedures"),
            synonyms: value.texts_of("also"),
        };
        self.topics = root.named_entries_of("topics").map(topic).collect();
    }

    pub fn topics_of<'a>(&'a self, procedure: &'a str) -> impl Iterator<Item = &'a Topic> {
        self.topics
            .iter()
            .filter(move |topic| topic.procedures.iter().any(|name| name == procedure))
    }
}
