//! A piece as a file describes it, and the features of places: every figure with its status.

use crate::complaint::{Span, did_you_mean};
use crate::data::case::Status;
use crate::data::format::board;
use crate::data::manifest::{Attribute, Game, Track};
use crate::data::yaml::{Node, Reader, Value};
use crate::notation::{Turn, UnitValue};
use litemap::LiteMap;
use std::sync::Arc;

/// What a figure or a word of a piece is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// A whole number.
    Number(i64),
    /// True or false.
    Flag(bool),
    /// A word.
    Word(String),
    /// Words.
    Words(Vec<String>),
}

/// What is said of a piece, a place or a side, by the names of figures.
pub type Data = LiteMap<String, Datum>;

/// A piece as a file describes it.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Its name, unique in the file.
    pub name: String,
    /// Everything said of it: `kind`, `side`, `at`, `on` and its attributes.
    pub data: Data,
    /// The status of a figure that differs from the entry's.
    pub status: LiteMap<String, Status>,
    /// The status of the rest.
    pub rest: Status,
    /// Figures that stand in the file and could not be read.
    pub unread: Vec<String>,
    /// The file it comes from.
    pub path: Arc<str>,
    /// Where it stands.
    pub span: Span,
    /// Where each figure and word stands: the file, and the place in it.
    pub places: Vec<(String, Arc<str>, Span)>,
}

impl Entry {
    /// Where a figure or word stands, if it is said: the file, and the place in it.
    pub fn place_of(&self, key: &str) -> Option<(&Arc<str>, Span)> {
        self.places.iter().find(|(known, ..)| known == key).map(|(_, path, span)| (path, *span))
    }

    /// A figure or word stands there.
    pub fn stands(&mut self, key: &str, path: Arc<str>, span: Span) {
        self.places.retain(|(known, ..)| known != key);
        self.places.push((key.into(), path, span));
    }

    /// How a figure of the piece is known.
    pub fn status_of(&self, figure: &str) -> Status {
        self.status.get(figure).copied().unwrap_or(self.rest)
    }

    /// Whether the file gives a figure that could not be read; `value` stands for several.
    pub fn unread(&self, figure: &str) -> bool {
        self.unread.iter().any(|key| key == figure || key == "value")
    }

    /// A word among its data.
    pub fn word(&self, key: &str) -> Option<&str> {
        match self.data.get(key) {
            Some(Datum::Word(word)) => Some(word),
            _ => None,
        }
    }
}

/// A datum as text, for comparing and showing.
pub fn show(datum: &Datum) -> String {
    match datum {
        Datum::Number(n) => n.to_string(),
        Datum::Flag(flag) => flag.to_string(),
        Datum::Word(word) => word.clone(),
        Datum::Words(words) => words.join(", "),
    }
}

/// Reads a piece.
pub fn piece(node: &Node, status: Status, game: &Game, reader: &mut Reader) -> Option<Entry> {
    let name = reader.need(node, "name")?;
    piece_named(name, node, status, game, reader)
}

/// Reads a piece whose name is known.
pub fn piece_named(name: &str, node: &Node, status: Status, game: &Game, reader: &mut Reader) -> Option<Entry> {
    if !matches!(node.value, Value::Map(_)) {
        reader.fits(node, &board::PIECE);
        return None;
    }
    let path = Arc::from(reader.path());
    let most = node.entries().len();
    let (data, places) = (Data::with_capacity(most), Vec::with_capacity(most));
    let mut entry = Entry { name: name.into(), data, places, rest: status, path, span: node.span, ..Entry::default() };
    let mut last = None;
    for (key, value) in node.entries() {
        let key_text = key.text().unwrap_or_default();
        match key_text {
            "name" | "source" | "note" => {}
            "status" => entry.rest = reader.word(value, "status", "status", &Status::WORDS).unwrap_or(status),
            "printed" | "derived" | "reconstructed" | "missing" => {
                let status = Status::WORDS.iter().find(|(word, _)| *word == key_text).map_or(status, |(_, status)| *status);
                entry.status.extend(figures(value, game, reader).into_iter().map(|figure| (figure, status)));
            }
            "value" => {
                let Some(text) = reader.text(value) else { continue };
                let before = reader.complaints.0.len();
                match (UnitValue::read(text), &game.unit_value) {
                    (Ok(unit), Some((first, second, bracketed))) => {
                        entry.data.insert(first.clone(), Datum::Number(unit.first));
                        entry.data.insert(second.clone(), Datum::Number(unit.second));
                        if let Some(flag) = bracketed {
                            entry.data.insert(flag.clone(), Datum::Flag(unit.bracketed));
                        }
                    }
                    (Err(error), _) => {
                        reader.complain("notation", value.span, error.to_string(), "write the counter's figures in quotes: \"6-3\"")
                    }
                    (_, None) => reader.complain(
                        "unknown-key",
                        key.span,
                        "the counters of this game have no pair of figures",
                        "name the attributes singly",
                    ),
                }
                let named = |name: &String| game.attribute(name).is_some();
                let sound = game.unit_value.as_ref().is_some_and(|(first, second, _)| named(first) && named(second));
                if reader.complaints.0.len() > before || !sound {
                    entry.unread.push("value".into());
                }
            }
            // In braces a comma that was meant as a decimal point begins a key of its own.
            digits if digits.starts_with(|c: char| c.is_ascii_digit()) && matches!(value.text(), Some("" | "~")) => {
                let help = "a comma ends a value; figures are whole numbers";
                reader.complain("number", key.span, format!("`{digits}` stands here by itself, as if it were a key"), help);
                entry.unread.extend(last);
            }
            _ => match piece_datum(key_text, key.span, value, game, reader) {
                Some(datum) => {
                    entry.data.insert(key_text.into(), datum);
                    entry.stands(key_text, entry.path.clone(), value.span);
                }
                None => entry.unread.push(key_text.into()),
            },
        }
        last = Some(key_text.to_string());
    }
    Some(entry)
}

/// The figures a list names; complains of those that no piece has.
fn figures(list: &Node, game: &Game, reader: &mut Reader) -> Vec<String> {
    for node in list.items() {
        let known = game.attributes.iter().map(|(name, _)| name.as_str()).chain(["kind", "side", "at", "on"]);
        if let Some(name) = node.text().filter(|name| !known.clone().any(|k| k == *name)) {
            let what = format!("a piece has no `{name}`{}", did_you_mean(name, known));
            reader.complain("unknown-name", node.span, what, "attributes stand in the game's manifest");
        }
    }
    reader.texts(list)
}

/// Reads one figure or word of a piece.
pub fn piece_datum(key: &str, key_span: Span, value: &Node, game: &Game, reader: &mut Reader) -> Option<Datum> {
    match key {
        "kind" => {
            let kind = reader.text(value)?;
            if !game.kinds.contains_key(kind) {
                let near = did_you_mean(kind, game.kinds.keys().map(String::as_str));
                reader.complain(
                    "unknown-name",
                    value.span,
                    format!("no kind of piece is called `{kind}`{near}"),
                    "kinds stand in the game's manifest",
                );
            }
            Some(Datum::Word(kind.into()))
        }
        "side" => {
            let side = reader.text(value)?;
            if !game.sides.iter().any(|s| s == side) {
                let near = did_you_mean(side, game.sides.iter().map(String::as_str));
                reader.complain(
                    "unknown-name",
                    value.span,
                    format!("no side is called `{side}`{near}"),
                    format!("sides: {}", game.sides.join(", ")),
                );
            }
            Some(Datum::Word(side.into()))
        }
        "at" => place_name(value, game, reader).map(Datum::Word),
        "on" => reader.text(value).map(|t| Datum::Word(t.into())),
        _ => match game.attributes.iter().find(|(name, _)| name == key) {
            Some((_, attribute)) => datum(value, attribute, reader),
            None => {
                let known = game.attributes.iter().map(|(name, _)| name.as_str()).chain(board::PIECE.names());
                let what = format!("a piece has no `{key}`{}", did_you_mean(key, known));
                reader.complain("unknown-key", key_span, what, "attributes stand in the game's manifest");
                None
            }
        },
    }
}

/// Reads where a track stands; complains of a place it does not have.
pub fn track_datum(name: &str, track: &Track, node: &Node, reader: &mut Reader) -> Option<Datum> {
    let (datum, text) = match track {
        Track::Numbers { .. } => (Datum::Number(reader.number(node)?), node.text()?),
        Track::Turns { .. } => {
            let text = reader.text(node)?;
            Turn::read(text).map_err(|error| reader.complain("notation", node.span, error.to_string(), track.describe())).ok()?;
            (Datum::Word(text.into()), text)
        }
        Track::Names(_) => reader.text(node).map(|text| (Datum::Word(text.into()), text))?,
    };
    if !track.has(text) {
        let near = if let Track::Names(names) = track { did_you_mean(text, names.iter().map(String::as_str)) } else { String::new() };
        reader.complain("track", node.span, format!("`{text}` is not on the track `{name}`{near}"), track.describe());
        return None;
    }
    Some(datum)
}
/// Reads the name of a place.
pub fn place_name(node: &Node, game: &Game, reader: &mut Reader) -> Option<String> {
    let text = reader.text(node)?;
    if !game.places.knows(text) {
        let help =
            format!("a place is {}; or the side between two with / between them; or a box the manifest names", game.places.hexes_are());
        reader.complain("notation", node.span, format!("`{text}` is no place of this game"), help);
        return None;
    }
    Some(text.into())
}

/// Reads what is said of a place or side.
pub fn data(node: &Node, known: &[(String, Attribute)], reader: &mut Reader) -> Data {
    let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).chain(board::FEATURES.names()).collect();
    reader.keys(node, &names);
    let mut data = Data::new();
    for (key, value) in node.entries() {
        let name = key.text().unwrap_or_default();
        if let Some((_, attribute)) = known.iter().find(|(k, _)| k == name)
            && let Some(datum) = datum(value, attribute, reader)
        {
            data.insert(name.into(), datum);
        }
    }
    data
}

fn datum(node: &Node, attribute: &Attribute, reader: &mut Reader) -> Option<Datum> {
    match attribute {
        Attribute::Number(.., least) => {
            let number = reader.number(node)?;
            if number < *least {
                let help = format!("write {least} or more; what the least is, `from:` says under the attribute in the game's manifest");
                reader.complain("number", node.span, format!("{number} is below {least}, the least that this figure can be"), help);
                return None;
            }
            Some(Datum::Number(number))
        }
        Attribute::Flag => reader.flag(node).map(Datum::Flag),
        Attribute::Words => Some(Datum::Words(reader.texts(node))),
        Attribute::Word(list, _) => {
            let text = reader.text(node)?;
            if !list.is_empty() && !list.iter().any(|w| w == text) {
                let near = did_you_mean(text, list.iter().map(String::as_str));
                reader.complain(
                    "unknown-name",
                    node.span,
                    format!("`{text}` is not known here{near}"),
                    format!("one of: {}", list.join(", ")),
                );
                return None;
            }
            Some(Datum::Word(text.into()))
        }
    }
}
