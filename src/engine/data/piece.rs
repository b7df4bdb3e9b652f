//! Piece entries of a file, and features of places; every figure has a status.

use crate::complaint::{DiagnosticCode, Message, Span, did_you_mean, nearest_names};
use crate::data::format::{FieldKey, FieldType, NUMBER, TEXTS, scenario};
use crate::data::manifest::{AttributeType, Game, Track};
use crate::data::places::bounds_in_words;
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::notation::{Turn, UnitValue};
use litemap::LiteMap;
use std::sync::Arc;

/// Value of a figure or word of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// A whole number.
    Number(i64),
    /// True or false.
    Flag(bool),
    Word(String),
    Words(Vec<String>),
}

/// Values of a piece, a place or a side by attribute.
pub type Attributes = LiteMap<String, Datum>;

/// Features of a place, or of the side between two, with their status.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// The features.
    pub attributes: Attributes,
    /// Status of the features that the file of the map gives or leaves at their default.
    pub status: Status,
    /// Path of that file.
    pub path: Arc<str>,
    /// Status of the features that were set later, by a variant or by hand, with the path.
    pub set_later: LiteMap<String, (Status, Arc<str>)>,
}

impl Features {
    /// Parses a place or side of a map. `blank` has the status and path of the map; a place or side may state its own status.
    pub fn read(
        node: &YamlNode,
        declared: &[(String, AttributeType)],
        blank: &Features,
        reader: &mut YamlReader,
    ) -> Features {
        let attributes = read_features(node, declared, reader);
        let status = node
            .word_of("status", &Status::NAMES)
            .unwrap_or(blank.status);
        if status == Status::Missing && !attributes.is_empty() {
            let message = "it is `missing`, and its features are given";
            reader.complain(
                DiagnosticCode::Status,
                node.span,
                message,
                "take the features away, or say how they are known",
            );
        }
        Features {
            attributes,
            status,
            ..blank.clone()
        }
    }

    /// Sets features that another file gives.
    pub fn set(&mut self, attributes: Attributes, status: Status, path: &Arc<str>) {
        self.set_later.extend(
            attributes
                .keys()
                .map(|name| (name.clone(), (status, path.clone()))),
        );
        self.attributes.extend(attributes);
    }
}

/// A piece entry of a file.
#[derive(Clone, Debug, Default)]
pub struct PieceEntry {
    /// Name, unique within the file.
    pub name: String,
    /// Attributes, including `kind`, `side`, `at` and `on`.
    pub attributes: Attributes,
    /// Status of the figures that differ from the default.
    pub status_by_figure: LiteMap<String, Status>,
    /// Status of all other figures.
    pub default_status: Status,
    /// Figures that the file gives in an unreadable form.
    pub unreadable: Vec<String>,
    /// Path of the file.
    pub path: Arc<str>,
    /// Source position of the entry.
    pub span: Span,
    /// Source position of each attribute.
    pub locations: Vec<AttributeLocation>,
}

/// The source position of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeLocation {
    /// The attribute.
    pub name: String,
    /// The file.
    pub path: Arc<str>,
    /// The place in it.
    pub span: Span,
}

impl PieceEntry {
    /// Returns the path and span of an attribute.
    pub fn location_of(&self, key: &str) -> Option<(&Arc<str>, Span)> {
        self.locations
            .iter()
            .find(|location| location.name == key)
            .map(|location| (&location.path, location.span))
    }

    /// Records the source position of an attribute.
    pub fn set_location(&mut self, key: &str, path: Arc<str>, span: Span) {
        self.locations.retain(|location| location.name != key);
        self.locations.push(AttributeLocation {
            name: key.into(),
            path,
            span,
        });
    }

    pub fn status_of(&self, figure: &str) -> Status {
        self.status_by_figure
            .get(figure)
            .copied()
            .unwrap_or(self.default_status)
    }

    /// Returns whether the file gives a figure in an unreadable form; `value` covers several figures.
    pub fn is_unreadable(&self, figure: &str) -> bool {
        self.unreadable
            .iter()
            .any(|key| key == figure || key == "value")
    }

    /// Returns the word of an attribute.
    pub fn word(&self, key: &str) -> Option<&str> {
        match self.attributes.get(key) {
            Some(Datum::Word(word)) => Some(word),
            _ => None,
        }
    }
}

/// Formats a datum for comparison and display.
pub fn datum_text(datum: &Datum) -> String {
    match datum {
        Datum::Number(n) => n.to_string(),
        Datum::Flag(flag) => flag.to_string(),
        Datum::Word(word) => word.clone(),
        Datum::Words(words) => words.join(", "),
    }
}

/// Parses a piece entry.
pub fn read_piece(
    node: &YamlNode,
    status: Status,
    game: &Game,
    reader: &mut YamlReader,
) -> Option<PieceEntry> {
    read_named_piece(node.get("name")?.as_text()?, node, status, game, reader)
}

/// Parses a piece entry with a known name.
pub fn read_named_piece(
    name: &str,
    node: &YamlNode,
    status: Status,
    game: &Game,
    reader: &mut YamlReader,
) -> Option<PieceEntry> {
    if !matches!(node.value, YamlValue::Map(_)) {
        return None;
    }
    let path = Arc::from(reader.path());
    let capacity = node.entries().len();
    let (data, places) = (
        Attributes::with_capacity(capacity),
        Vec::with_capacity(capacity),
    );
    let mut entry = PieceEntry {
        name: name.into(),
        attributes: data,
        locations: places,
        default_status: status,
        path,
        span: node.span,
        ..PieceEntry::default()
    };
    let mut last = None;
    for (key, value) in node.entries() {
        let key_text = key.text_or_empty();
        match key_text {
            "name" | "source" | "note" => {}
            "status" => entry.default_status = value.word(&Status::NAMES).unwrap_or(status),
            "printed" | "derived" | "house" | "reconstructed" | "missing" => {
                let status = Status::NAMES
                    .iter()
                    .find(|(word, _)| *word == key_text)
                    .map_or(status, |(_, status)| *status);
                entry
                    .status_by_figure
                    .extend(value.texts().into_iter().map(|figure| (figure, status)));
            }
            "value" => {
                let Some(text) = value.as_text() else {
                    continue;
                };
                let before = reader.complaints.0.len();
                match (UnitValue::parse(text), &game.unit_value) {
                    (Ok(unit), Some(figures)) => {
                        entry
                            .attributes
                            .insert(figures.first.clone(), Datum::Number(unit.first));
                        entry
                            .attributes
                            .insert(figures.second.clone(), Datum::Number(unit.second));
                        if let Some(flag) = &figures.bracketed {
                            entry
                                .attributes
                                .insert(flag.clone(), Datum::Flag(unit.bracketed));
                        }
                    }
                    (Err(error), _) => reader.complain(
                        DiagnosticCode::Notation,
                        value.span,
                        error.to_string(),
                        "write the counter's figures in quotes: \"6-3\"",
                    ),
                    (_, None) => reader.complain(
                        DiagnosticCode::UnknownKey,
                        key.span,
                        "the counters of this game have no pair of figures",
                        "name the attributes singly",
                    ),
                }
                let is_declared = |name: &String| game.index_of_attribute(name).is_some();
                let is_valid = game.unit_value.as_ref().is_some_and(|figures| {
                    is_declared(&figures.first) && is_declared(&figures.second)
                });
                if reader.complaints.0.len() > before || !is_valid {
                    entry.unreadable.push("value".into());
                }
            }
            // In a flow map, the comma of a decimal such as `2,5` starts a new key.
            digits
                if digits.starts_with(|c: char| c.is_ascii_digit())
                    && matches!(value.as_text(), Some("" | "~")) =>
            {
                let help = "write a whole number; a comma ends a value";
                reader.complain(
                    DiagnosticCode::Number,
                    key.span,
                    format!("`{digits}` has no key"),
                    help,
                );
                entry.unreadable.extend(last);
            }
            _ => match read_piece_datum(key_text, key.span, value, game, reader) {
                Some(datum) => {
                    entry.attributes.insert(key_text.into(), datum);
                    entry.set_location(key_text, entry.path.clone(), value.span);
                }
                None => entry.unreadable.push(key_text.into()),
            },
        }
        last = Some(key_text.to_string());
    }
    Some(entry)
}

/// Returns the message about a key that pieces do not have.
pub fn unknown_piece_key(key: &str, game: &Game) -> Message {
    let keys = game
        .attributes
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(scenario::PIECE.key_names());
    did_you_mean(format!("a piece has no `{key}`"), key, keys)
}

/// Parses one attribute of a piece.
pub fn read_piece_datum(
    key: &str,
    key_span: Span,
    value: &YamlNode,
    game: &Game,
    reader: &mut YamlReader,
) -> Option<Datum> {
    match key {
        // The format says what these are.
        "kind" | "side" | "on" => value.as_text().map(|text| Datum::Word(text.into())),
        "at" => value
            .as_text()
            .filter(|text| game.places.contains(text))
            .map(|text| Datum::Word(text.into())),
        _ => match game.attributes.iter().find(|(name, _)| name == key) {
            Some((_, attribute)) => read_datum(key, value, attribute, reader),
            None => {
                reader.complain(
                    DiagnosticCode::UnknownKey,
                    key_span,
                    unknown_piece_key(key, game),
                    "name an attribute that the game's manifest lists",
                );
                None
            }
        },
    }
}

/// Complains of a value of a piece that the format does not allow, and of the names in it that the game does not have.
pub fn check_piece_value(key: &str, value: &YamlNode, game: &Game, reader: &mut YamlReader) {
    if let Some(FieldKey { field_type, .. }) = scenario::PIECE.key(key) {
        reader.check_value(value, *field_type);
        reader.check_names(value, *field_type, &|kind, text| {
            game.unknown_name(kind, text)
        });
    }
}

/// Parses the position of a track; complains of a position that the track does not have.
pub fn read_track_datum(
    name: &str,
    track: &Track,
    node: &YamlNode,
    reader: &mut YamlReader,
) -> Option<Datum> {
    reader.check_value(
        node,
        if let Track::Numbers { .. } = track {
            NUMBER
        } else {
            FieldType::Text
        },
    );
    let text = node.as_text()?;
    let datum = match track {
        Track::Numbers { .. } => Datum::Number(node.parse()?),
        Track::Turns { .. } => {
            Turn::parse(text)
                .map_err(|error| {
                    reader.complain(
                        DiagnosticCode::Notation,
                        node.span,
                        error.to_string(),
                        track.remedy(),
                    )
                })
                .ok()?;
            Datum::Word(text.into())
        }
        Track::Names(_) => Datum::Word(text.into()),
    };
    if !track.contains(text) {
        let suggestions = if let Track::Names(names) = track {
            nearest_names(text, names.iter().map(String::as_str))
        } else {
            Vec::new()
        };
        let message = Message::with_suggestions(
            format!("`{text}` is not on the track `{name}`"),
            suggestions,
        );
        reader.complain(DiagnosticCode::Track, node.span, message, track.remedy());
        return None;
    }
    Some(datum)
}

/// Parses the values of features of a place or side.
pub fn read_features(
    node: &YamlNode,
    declared: &[(String, AttributeType)],
    reader: &mut YamlReader,
) -> Attributes {
    let names: Vec<&str> = declared
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(scenario::FEATURES.key_names())
        .collect();
    reader.check_keys(node, &names);
    let mut data = Attributes::new();
    for (key, value) in node.entries() {
        let name = key.text_or_empty();
        if let Some((_, attribute)) = declared.iter().find(|(k, _)| k == name)
            && let Some(datum) = read_datum(name, value, attribute, reader)
        {
            data.insert(name.into(), datum);
        }
    }
    data
}

fn read_datum(
    name: &str,
    node: &YamlNode,
    attribute: &AttributeType,
    reader: &mut YamlReader,
) -> Option<Datum> {
    match attribute {
        AttributeType::Number(.., bounds) => {
            reader.check_value(node, NUMBER);
            let number: i64 = node.parse()?;
            if !bounds.contains(number) {
                let message = format!(
                    "{} is {}, and this says {number}",
                    name.replace('_', " "),
                    bounds_in_words(bounds)
                );
                let help = "write a number within these bounds; in the game's manifest `from:` and `to:` set them";
                reader.complain(DiagnosticCode::Number, node.span, message, help);
                return None;
            }
            Some(Datum::Number(number))
        }
        AttributeType::Flag => {
            reader.check_value(node, FieldType::Flag);
            node.flag().map(Datum::Flag)
        }
        AttributeType::Words => {
            reader.check_value(node, TEXTS);
            Some(Datum::Words(node.texts()))
        }
        AttributeType::Word(list, _) => {
            reader.check_value(node, FieldType::Text);
            let text = node.as_text()?;
            if !list.is_empty() && !list.iter().any(|w| w == text) {
                reader.complain(
                    DiagnosticCode::UnknownName,
                    node.span,
                    did_you_mean(
                        format!("`{text}` is not allowed here"),
                        text,
                        list.iter().map(String::as_str),
                    ),
                    format!("write one of: {}", list.join(", ")),
                );
                return None;
            }
            Some(Datum::Word(text.into()))
        }
    }
}
