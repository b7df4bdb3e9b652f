//! Constraints on the value of a cell, an attribute or a field: number bands, word lists, names of game objects.

use crate::complaint::{DiagnosticCode, nearest_names};
use crate::data::format::table::AXES;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::data::yaml_writer::write_scalar;
use crate::notation::Band;

/// A constraint on a value; an empty one accepts any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueConstraint {
    /// Accepted bands of whole numbers.
    pub bands: Vec<Band>,
    /// Accepted words.
    pub words: Vec<String>,
    /// Kinds of names accepted: `piece`, `place`, `side`, `kind`, a track, an attribute of pieces.
    pub references: Vec<String>,
    /// Whether any text is accepted.
    pub any_text: bool,
    /// For sheets, columns, rows: whether figures never fall along the axis.
    pub non_decreasing: [bool; 3],
    /// For sheets, columns, rows: whether figures never rise along the axis.
    pub non_increasing: [bool; 3],
}

impl ValueConstraint {
    /// Reads a constraint: a band, a word, a list of both, or a map with `is:`, `names:`, `rises:` and `falls:`.
    pub fn read(node: &YamlNode, reader: &mut YamlReader) -> ValueConstraint {
        let mut holds = ValueConstraint::default();
        match node.value {
            YamlValue::Map(_) => holds.read_keys(node, reader),
            _ => holds.read_items(node, reader),
        }
        holds
    }

    /// Reads the keys of a constraint written as a map.
    pub fn read_keys(&mut self, node: &YamlNode, reader: &mut YamlReader) {
        if let Some(is) = node.get("is") {
            self.read_items(is, reader);
        }
        self.references = node.texts_of("names");
        for (key, axes) in [
            ("rises", &mut self.non_decreasing),
            ("falls", &mut self.non_increasing),
        ] {
            node.items_of(key)
                .iter()
                .filter_map(|item| item.word(&AXES))
                .for_each(|axis| axes[axis] = true);
        }
    }

    fn read_items(&mut self, node: &YamlNode, reader: &mut YamlReader) {
        reader.note_flag_words(node);
        for item in node.items() {
            let Some(text) = item.as_text().map(String::from) else {
                continue;
            };
            let is_numeric = !text.contains(char::is_alphabetic);
            match Band::parse(&text) {
                Ok(band) => self.bands.push(band),
                Err(_) if text == "text" => self.any_text = true,
                // Without a letter it is hardly a word.
                Err(error) if is_numeric && let Some(band) = Band::from_words(&text) => {
                    let quoted = format!("\"{band}\"");
                    reader.complain_with_fix(
                        DiagnosticCode::Notation,
                        item.span,
                        error.to_string(),
                        format!("write {quoted}"),
                        &quoted,
                    );
                }
                Err(_) => self.words.push(text),
            }
        }
    }

    /// Returns whether the bands or words contain a text.
    pub fn is_listed(&self, text: &str) -> bool {
        let number = text.parse::<i64>();
        number.is_ok_and(|n| self.bands.iter().any(|band| band.contains(n)))
            || self.words.iter().any(|word| word == text)
    }

    /// Returns whether a text is acceptable as far as the constraint alone can tell; names are checked later.
    pub fn allows(&self, text: &str) -> bool {
        self.any_text
            || !self.references.is_empty()
            || (self.bands.is_empty() && self.words.is_empty())
            || self.is_listed(text)
    }

    /// Returns the texts that a rejected text with a likely typo (a letter for a digit, a misspelt word) may mean.
    pub fn suggest(&self, text: &str) -> Vec<String> {
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
            return vec![digits];
        }
        nearest_names(text, self.words.iter().map(String::as_str))
    }

    /// Describes the constraint: "a number 0-50, or one of: none, half".
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        if !self.bands.is_empty() {
            let bands: Vec<String> = self.bands.iter().map(Band::to_string).collect();
            parts.push(format!("a number {}", bands.join(" or ")));
        }
        if !self.words.is_empty() {
            parts.push(format!(
                "{}{}",
                if self.words.len() == 1 {
                    ""
                } else {
                    "one of: "
                },
                self.words.join(", ")
            ));
        }
        if !self.references.is_empty() {
            parts.push(format!("the name of a {}", self.references.join(" or ")));
        }
        if parts.is_empty() {
            "any text".into()
        } else {
            parts.join(", or ")
        }
    }

    /// Infers a constraint from existing cells and returns it in file syntax.
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
        let values: Vec<String> = band
            .into_iter()
            .chain(words.iter().map(|word| write_scalar(word)))
            .collect();
        match &values[..] {
            [one] => one.clone(),
            _ => format!("[{}]", values.join(", ")),
        }
    }
}
