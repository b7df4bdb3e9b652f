//! Module maps: what the pieces and places of a module are in a game.

use casebook_engine::complaint::{Complaint, Complaints, DiagnosticCode, Error, Place, Span};
use casebook_engine::data::format::module_map::{LAYER, MAPPED_PIECE, MODULE_MAP, OTHERS};
use casebook_engine::data::text_file::large_text_of;
use casebook_engine::data::yaml::{YamlNode, YamlReader};
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
        let text = large_text_of(path).map_err(|source| Error::File {
            path: path_text.clone(),
            source,
        })?;
        ModuleMapping::read(&path_text, text).map_err(Error::Data)
    }

    /// Reads a module map.
    pub fn read(path: &str, text: String) -> Result<ModuleMapping, Complaints> {
        let mut reader = YamlReader::new(path, &text);
        let Some(root) = reader.parse(&text) else {
            return Err(reader.complaints);
        };
        reader.check(&root, &MODULE_MAP);
        let mut mapping = ModuleMapping {
            module: root.text_of("module").into(),
            game: root.text_of("game").into(),
            like: root.text_of("like").into(),
            maps: root.texts_of("maps"),
            keep: root.texts_of("keep"),
            ignores_others: root.word_of("others", &OTHERS).unwrap_or(false),
            path: path.into(),
            ..ModuleMapping::default()
        };
        if let Some(places) = root.get("places") {
            mapping.prefix = places.text_of("before").into();
            mapping.place_names = places.named_texts_of("names").collect();
        }
        for (key, value) in root.entries_of("pieces") {
            let name = key.text_or_empty();
            mapping
                .pieces
                .insert(name.into(), MappedPiece::read(name, key.span, value));
        }
        match reader.complaints.has_errors() {
            true => Err(reader.complaints),
            false => Ok(ModuleMapping { text, ..mapping }),
        }
    }

    /// Returns the name of a place in the game; empty if the pieces there are left out.
    pub fn place_name(&self, name: &str) -> String {
        self.place_names
            .get(name)
            .cloned()
            .unwrap_or_else(|| format!("{}{name}", self.prefix))
    }

    /// Returns whether a name in the module is named as a place.
    pub fn names_place(&self, name: &str) -> bool {
        self.place_names.contains_key(name)
    }

    /// Makes a complaint about the entry of a piece, or about the file if it has none.
    pub fn complaint(&self, piece: &str, message: String, help: &str) -> Complaint {
        let place = match self.pieces.get(piece) {
            Some(entry) => Place::from_text(&self.path, &self.text, entry.span),
            None => Place::whole_file(&self.path),
        };
        Complaint::new(DiagnosticCode::Vassal, place, message).with_help(help)
    }
}

impl MappedPiece {
    /// Creates the entry of a counter that states its own keys.
    pub fn named(name: &str, keys: PieceKeys) -> MappedPiece {
        MappedPiece {
            name: name.into(),
            keys,
            ..MappedPiece::default()
        }
    }

    fn read(name: &str, span: Span, node: &YamlNode) -> MappedPiece {
        let levels = |(layer, levels): (String, &YamlNode)| {
            (
                layer,
                levels
                    .entries()
                    .iter()
                    .map(|(level, changed)| (level.text_or_empty().into(), keys(changed)))
                    .collect(),
            )
        };
        let mut piece = MappedPiece {
            name: node
                .optional_text_of("piece")
                .unwrap_or_else(|| name.into()),
            ignored: node.is_set("ignored"),
            figures: node.named_texts_of("figures").collect(),
            layers: node.named_entries_of("layers").map(levels).collect(),
            keys: keys(node),
            span,
        };
        piece.keys.retain(|key, _| MAPPED_PIECE.key(key).is_none());
        piece
    }
}

/// The key of a level that leaves out the piece.
pub const IGNORED: &str = LAYER.keys[0].name;

fn keys(node: &YamlNode) -> PieceKeys {
    node.entries()
        .iter()
        .map(|(key, value)| (key.as_text().unwrap_or_default().into(), json(value)))
        .collect()
}

/// Converts a YAML node to JSON.
pub fn json(node: &YamlNode) -> Value {
    to_json(&value_from_yaml(node), &Board::default())
}
