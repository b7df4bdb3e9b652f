//! What a manifest says for the pages of a workbench: the situation of the start page, and the topics that sort situations.

use crate::data::format::game;
use crate::data::manifest::{Game, StartSituation, Topic};
use crate::data::yaml::{YamlNode, YamlReader};

impl Game {
    /// Reads `start:` and `topics:` of a manifest.
    pub fn read_start(&mut self, root: &YamlNode, reader: &mut YamlReader) {
        if let Some(node) = root.get("start") {
            reader.check_format(node, &game::START);
            let mut text = |key| reader.required_text(node, key).unwrap_or_default().to_string();
            let (situation, figure) = (text("situation"), text("figure"));
            let mut number = |key| node.get(key).and_then(|node| reader.number(node)).unwrap_or_default();
            self.start = Some(StartSituation { situation, figure, from: number("from"), to: number("to") });
        }
        for (key, value) in root.entries_of("topics") {
            reader.check_format(value, &game::TOPIC);
            for node in value.items_of("procedures") {
                node.as_text().into_iter().for_each(|name| self.check_procedure(name, node.span, reader));
            }
            let mut texts = |key| reader.texts_of(value, key);
            let (procedures, synonyms) = (texts("procedures"), texts("also"));
            self.topics.push(Topic { title: key.text_or_empty().into(), procedures, synonyms });
        }
    }

    /// Returns the topics of a procedure.
    pub fn topics_of<'a>(&'a self, procedure: &'a str) -> impl Iterator<Item = &'a Topic> {
        self.topics.iter().filter(move |topic| topic.procedures.iter().any(|name| name == procedure))
    }
}
