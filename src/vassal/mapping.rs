//! Module maps: what the pieces and places of a module are in a game.

use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place, Span};
use casebook_engine::data::format::module_map::{LAYER, MAPPED_PIECE, MODULE_MAP, PLACE_NAMES};
use casebook_engine::data::text_file::large_text_of;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook_engine::situation::board::Board;
use casebook_engine::situation::value_text::{to_json, value_from_yaml};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The keys of a piece of a situation.
pub type PieceKeys = Map<String, Value>;

/// A module map.
#[derive(Debug, Default)]
pub struct ModuleMapping {
    /// The name of the module.
    pub module: String,
    /// The game.
    pub game: String,
    /// The situation that gives what a saved game does not hold.
    pub like: String,
    /// The maps whose pieces count; all if empty.
    pub maps: Vec<String>,
    /// Names and kinds of pieces of that situation that stay.
    pub keep: Vec<String>,
    /// Whether pieces that are not named are left out.
    pub ignores_others: bool,
    /// The pieces by their names in the module.
    pub pieces: BTreeMap<String, MappedPiece>,
    prefix: String,
    place_names: BTreeMap<String, String>,
    path: String,
    text: String,
}

/// What a piece of a module is.
#[derive(Debug, Default)]
pub struct MappedPiece {
    /// Its name in the game.
    pub name: String,
    /// Whether it is left out.
    pub ignored: bool,
    /// The keys that it has in a situation.
    pub keys: PieceKeys,
    /// What levels of layers change, by layer and level.
    pub layers: BTreeMap<String, BTreeMap<String, PieceKeys>>,
    /// Properties by attribute.
    pub figures: BTreeMap<String, String>,
    span: Span,
}

impl ModuleMapping {
    /// Opens a module map.
    pub fn open(path: &Path) -> Result<ModuleMapping, Error> {
        let path_text = path.display().to_string();
        let text = large_text_of(path).map_err(|source| Error::File { path: path_text.clone(), source })?;
        ModuleMapping::read(&path_text, text).map_err(Error::Data)
    }

    /// Reads a module map.
    pub fn read(path: &str, text: String) -> Result<ModuleMapping, Complaints> {
        let mut reader = YamlReader::new(path, &text);
        let Some(root) = reader.parse(&text) else { return Err(reader.complaints) };
        reader.check_format(&root, &MODULE_MAP);
        let needed = |reader: &mut YamlReader, key: &str| reader.required_text(&root, key).unwrap_or_default().to_string();
        let texts = |reader: &mut YamlReader, key: &str| root.get(key).map(|node| reader.texts(node)).unwrap_or_default();
        needed(&mut reader, "module_map");
        let mut mapping = ModuleMapping {
            module: needed(&mut reader, "module"),
            game: needed(&mut reader, "game"),
            like: needed(&mut reader, "like"),
            maps: texts(&mut reader, "maps"),
            keep: texts(&mut reader, "keep"),
            ignores_others: root
                .get("others")
                .and_then(|node| reader.keyword(node, DiagnosticCode::UnknownName, "way with other pieces", &[("ignored", true)]))
                .unwrap_or(false),
            path: path.into(),
            ..ModuleMapping::default()
        };
        if let Some(places) = root.get("places").filter(|node| node.as_text() != Some("")) {
            reader.check_format(places, &PLACE_NAMES);
            mapping.prefix = reader.optional_text(places, "before").unwrap_or_default();
            for (key, value) in places.get("names").map(YamlNode::entries).unwrap_or_default() {
                let name_in_game = reader.text(value).unwrap_or_default().to_string();
                mapping.place_names.insert(key.as_text().unwrap_or_default().into(), name_in_game);
            }
        }
        if root.get("pieces").is_none() {
            reader.required_text(&root, "pieces");
        }
        for (key, value) in root.get("pieces").map(YamlNode::entries).unwrap_or_default() {
            let name = key.as_text().unwrap_or_default();
            mapping.pieces.insert(name.into(), MappedPiece::read(name, key.span, value, &mut reader));
        }
        match reader.complaints.has_errors() {
            true => Err(reader.complaints),
            false => Ok(ModuleMapping { text, ..mapping }),
        }
    }

    /// Returns the name of a place in the game; empty if the pieces there are left out.
    pub fn place_name(&self, name: &str) -> String {
        self.place_names.get(name).cloned().unwrap_or_else(|| format!("{}{name}", self.prefix))
    }

    /// Returns whether a name in the module is named as a place.
    pub fn names_place(&self, name: &str) -> bool {
        self.place_names.contains_key(name)
    }

    /// Makes a complaint about the entry of a piece, or about the file if it has none.
    pub fn complaint(&self, piece: &str, what: String, help: &str) -> Complaint {
        let place = match self.pieces.get(piece) {
            Some(entry) => Place::from_text(&self.path, &self.text, entry.span),
            None => Place::whole_file(&self.path),
        };
        Complaint::new(DiagnosticCode::Vassal, place, what).with_help(help)
    }
}

impl MappedPiece {
    /// Creates the entry of a counter that states its own keys.
    pub fn named(name: &str, keys: PieceKeys) -> MappedPiece {
        MappedPiece { name: name.into(), keys, ..MappedPiece::default() }
    }

    fn read(name: &str, span: Span, node: &YamlNode, reader: &mut YamlReader) -> MappedPiece {
        let mut piece = MappedPiece { name: name.into(), span, ..MappedPiece::default() };
        if !matches!(node.value, YamlValue::Map(_)) {
            let help = "write {} for a piece that the situation has, { piece: NAME }, or { ignored: true }";
            reader.complain(DiagnosticCode::Shape, node.span, format!("this part takes keys and values, not {}", node.describe()), help);
            return piece;
        }
        let word = |node: &YamlNode| node.as_text().unwrap_or_default().to_string();
        let entries = |key: &str| node.get(key).map(YamlNode::entries).unwrap_or_default();
        piece.name = node.get("piece").and_then(|node| reader.text(node)).unwrap_or(name).into();
        piece.ignored = node.get("ignored").and_then(|node| reader.flag(node)).unwrap_or(false);
        piece.figures = entries("figures").iter().filter_map(|(key, value)| Some((word(key), value.as_text()?.to_string()))).collect();
        for (layer, levels) in entries("layers") {
            piece.layers.insert(word(layer), levels.entries().iter().map(|(level, changed)| (word(level), keys(changed))).collect());
        }
        piece.keys = keys(node);
        piece.keys.retain(|key, _| MAPPED_PIECE.key(key).is_none());
        piece
    }
}

/// The key of a level that leaves out the piece.
pub const IGNORED: &str = LAYER.keys[0].name;

fn keys(node: &YamlNode) -> PieceKeys {
    node.entries().iter().map(|(key, value)| (key.as_text().unwrap_or_default().into(), json(value))).collect()
}

/// Converts a YAML node to JSON.
pub fn json(node: &YamlNode) -> Value {
    to_json(&value_from_yaml(node), &Board::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use casebook_engine::data::keys::{KeyCheck, assert_every_key_is_read};

    #[test]
    fn every_key_of_a_module_map_is_read() {
        let check = KeyCheck::new(&MODULE_MAP, "a.yaml");
        assert_every_key_is_read(&[check], &|file, _| ModuleMapping::read(&file.path, file.text.to_string()).err().unwrap_or_default());
    }
}
