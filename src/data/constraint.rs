//! What a cell, an attribute or a field may hold: numbers within bands, words of a set, names of what a game has.

use crate::complaint::did_you_mean;
use crate::data::format::table::CONSTRAINT;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::notation::Band;

/// What may stand somewhere. Where nothing is said, anything may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueConstraint {
    /// Bands of whole numbers.
    pub bands: Vec<Band>,
    /// Words.
    pub words: Vec<String>,
    /// What a name stands for: `piece`, `place`, `side`, `kind`, a track, an attribute of pieces.
    pub references: Vec<String>,
    /// Whether any text will do.
    pub any_text: bool,
    /// The axes along which figures do not fall (sheets, columns, rows).
    pub non_decreasing: [bool; 3],
    /// The axes along which figures do not rise.
    pub non_increasing: [bool; 3],
}

/// The axes by the word for their labels.
const AXIS_NAMES: [(&str, usize); 3] = [("sheets", 0), ("columns", 1), ("rows", 2)];

impl ValueConstraint {
    /// Reads what may stand somewhere: a band, a word, a list of both; or a map with `is:`, `names:`, `rises:` and `falls:`.
    pub fn read(node: &YamlNode, reader: &mut YamlReader) -> ValueConstraint {
        let mut holds = ValueConstraint::default();
        match node.value {
            YamlValue::Map(_) => {
                reader.check_format(node, &CONSTRAINT);
                holds.read_keys(node, reader);
            }
            _ => holds.read_items(node, reader),
        }
        holds
    }

    /// Reads the keys that say what may stand somewhere.
    pub fn read_keys(&mut self, node: &YamlNode, reader: &mut YamlReader) {
        if let Some(is) = node.get("is") {
            self.read_items(is, reader);
        }
        self.references = node.get("names").map(|n| reader.texts(n)).unwrap_or_default();
        for (key, axes) in [("rises", &mut self.non_decreasing), ("falls", &mut self.non_increasing)] {
            for item in node.get(key).map(YamlNode::items).unwrap_or_default() {
                if let Some(axis) = reader.keyword(item, "unknown-name", "axis", &AXIS_NAMES) {
                    axes[axis] = true;
                }
            }
        }
    }

    fn read_items(&mut self, node: &YamlNode, reader: &mut YamlReader) {
        for text in reader.texts(node) {
            match Band::parse(&text) {
                Ok(band) => self.bands.push(band),
                Err(_) if text == "text" => self.any_text = true,
                Err(_) => self.words.push(text),
            }
        }
    }

    /// Whether a text is one of the numbers and words that may stand here.
    pub fn is_listed(&self, text: &str) -> bool {
        let number = text.parse::<i64>();
        number.is_ok_and(|n| self.bands.iter().any(|band| band.contains(n))) || self.words.iter().any(|word| word == text)
    }

    /// Whether a text may stand here, as far as that can be told without knowing the game.
    pub fn allows(&self, text: &str) -> bool {
        self.any_text || !self.references.is_empty() || (self.bands.is_empty() && self.words.is_empty()) || self.is_listed(text)
    }

    /// "; did you mean `20`?" for a text that may not stand here: a letter for a digit, a word mistyped.
    pub fn suggest(&self, text: &str) -> String {
        let digits: String = text
            .trim()
            .chars()
            .map(|c| {
                if "Oo".contains(c) {
                    '0'
                } else if "lI".contains(c) {
                    '1'
                } else {
                    c
                }
            })
            .collect();
        if digits != text && !self.bands.is_empty() && self.allows(&digits) {
            return did_you_mean(&digits, [digits.as_str()]);
        }
        did_you_mean(text, self.words.iter().map(String::as_str))
    }

    /// What may stand here, in words: "a number 0-50, or one of: none, half".
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        if !self.bands.is_empty() {
            let bands: Vec<String> = self.bands.iter().map(Band::to_string).collect();
            parts.push(format!("a number {}", bands.join(" or ")));
        }
        if !self.words.is_empty() {
            parts.push(format!("{}{}", if self.words.len() == 1 { "" } else { "one of: " }, self.words.join(", ")));
        }
        if !self.references.is_empty() {
            parts.push(format!("the name of a {}", self.references.join(" or ")));
        }
        if parts.is_empty() { "any text".into() } else { parts.join(", or ") }
    }

    /// The same in the form of a file, for a part of a chart whose cells say so.
    pub fn infer_from_cells<'t>(cells: impl Iterator<Item = &'t str>) -> String {
        let (mut low, mut high, mut words) = (i64::MAX, i64::MIN, Vec::new());
        for text in cells.filter(|text| *text != "?") {
            match text.parse::<i64>() {
                Ok(n) => (low, high) = (low.min(n), high.max(n)),
                Err(_) if !words.contains(&text) => words.push(text),
                Err(_) => {}
            }
        }
        let band = (low <= high).then(|| format!("\"{}\"", Band { low, high }));
        let all: Vec<String> = band.into_iter().chain(words.iter().map(ToString::to_string)).collect();
        match &all[..] {
            [one] => one.clone(),
            _ => format!("[{}]", all.join(", ")),
        }
    }
}
