//! Declarative schemas of all kinds of data files. The checks, `casebook explain`, the guide, the JSON Schemas and editor completion are
//! derived from them.
//!
//! | file | what it is |
//! |---|---|
//! | [`game`] | a game's manifest, and its list of cases |
//! | [`card`] | the card of a case, and a variant's manifest |
//! | [`table`] | tables |
//! | [`scenario`] | situations, rosters and deployments |
//! | [`ruling_test`] | tests of rulings, and journals |
//! | [`module_map`] | maps between the pieces of a VASSAL module and those of a game |

pub mod card;
pub mod game;
pub mod module_map;
pub mod ruling_test;
pub mod scenario;
pub mod table;

/// Type of the value under a key.
#[derive(Clone, Copy)]
pub enum FieldType {
    /// A text, a word or a name.
    Text,
    /// A whole number.
    Number,
    /// true or false, on or off, yes or no.
    Flag,
    /// A list of texts, or a single text.
    Texts,
    /// One of the given words.
    OneOf(&'static [&'static str]),
    /// A list of the given words, or a single one.
    SomeOf(&'static [&'static str]),
    /// A map of the given format.
    Object(&'static FileFormat),
    /// A list of maps of the given format, or a single map.
    Objects(&'static FileFormat),
    /// A map from author-chosen names to maps of the given format.
    NamedObjects(&'static FileFormat),
    /// A map from author-chosen names to values.
    NamedValues,
    /// A map from author-chosen names to values of the given type.
    NamedEach(&'static FieldType),
    /// Any of the given types.
    AnyOf(&'static [FieldType]),
    /// Any value; code elsewhere checks it.
    Any,
}

impl FieldType {
    /// Describes the type in words.
    pub fn describe(self) -> String {
        match self {
            FieldType::Text => "a text".into(),
            FieldType::Number => "a whole number".into(),
            FieldType::Flag => "true or false".into(),
            FieldType::Texts => "a list of texts, or one".into(),
            FieldType::OneOf(words) => format!("one of: {}", words.join(", ")),
            FieldType::SomeOf(words) => format!("some of: {}", words.join(", ")),
            FieldType::Object(format) => format!("{{ {} }}", format.key_names().join(", ")),
            FieldType::Objects(format) => format!("a list of {{ {} }}", format.key_names().join(", ")),
            FieldType::NamedObjects(format) if format.keys.is_empty() => "names, each with what is said of it".into(),
            FieldType::NamedObjects(format) => format!("names, each with {{ {} }}", format.key_names().join(", ")),
            FieldType::NamedValues => "names, each with a value".into(),
            FieldType::NamedEach(holds) => format!("names, each with {}", holds.describe()),
            FieldType::AnyOf(list) => list.iter().map(|holds| holds.describe()).collect::<Vec<_>>().join("; or "),
            FieldType::Any => "a value, a list or a map".into(),
        }
    }

    /// Returns the format of the maps below the key, if there is one.
    pub fn object_format(self) -> Option<&'static FileFormat> {
        match self {
            FieldType::Object(format) | FieldType::Objects(format) | FieldType::NamedObjects(format) => Some(format),
            FieldType::NamedEach(holds) => holds.object_format(),
            FieldType::AnyOf(list) => list.iter().find_map(|holds| holds.object_format()),
            _ => None,
        }
    }

    /// Returns all formats of maps below the key.
    pub fn object_formats(self) -> Vec<&'static FileFormat> {
        match self {
            FieldType::NamedEach(holds) => holds.object_formats(),
            FieldType::AnyOf(list) => list.iter().flat_map(|holds| holds.object_formats()).collect(),
            _ => self.object_format().into_iter().collect(),
        }
    }
}

/// A key of a file format.
#[derive(Clone, Copy)]
pub struct FieldKey {
    /// Name of the key.
    pub name: &'static str,
    /// Type of the value.
    pub field_type: FieldType,
    /// Description for authors.
    pub description: &'static str,
    /// Whether the file must have the key.
    pub required: bool,
}

/// Creates an optional key.
pub const fn optional(name: &'static str, holds: FieldType, does: &'static str) -> FieldKey {
    FieldKey { name, field_type: holds, description: does, required: false }
}

/// Creates a required key.
pub const fn required(name: &'static str, holds: FieldType, does: &'static str) -> FieldKey {
    FieldKey { name, field_type: holds, description: does, required: true }
}

/// Schema of a kind of file, or of a part of one.
pub struct FileFormat {
    /// Name for `casebook explain` and `casebook schema`.
    pub name: &'static str,
    /// Path pattern of such a file, or the key that holds the part.
    pub location: &'static str,
    /// Purpose of the file or part.
    pub description: &'static str,
    /// Keys in the recommended order.
    pub keys: &'static [FieldKey],
    /// Description of further keys that are names defined elsewhere; empty if none are allowed.
    pub extra_keys: &'static str,
}

impl FileFormat {
    /// Returns the names of the keys.
    pub fn key_names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// Returns the key with a name.
    pub fn key(&self, name: &str) -> Option<&'static FieldKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Returns the format below a path of keys, which may contain author-chosen names and list indices.
    pub fn format_at(&'static self, path: &[&str]) -> Option<&'static FileFormat> {
        let mut format = self;
        let mut path = path.iter();
        while let Some(name) = path.next() {
            let mut holds = format.key(name)?.field_type;
            // Skips an author-chosen name.
            while let FieldType::NamedEach(inner) = holds {
                path.next();
                holds = *inner;
            }
            if let FieldType::NamedObjects(_) = holds {
                path.next();
            }
            format = holds.object_format()?;
        }
        Some(format)
    }
}

/// Keywords for the effect of a file on the layers below it.
pub const KIND_NAMES: &[&str] = &["rule", "new case", "addition", "correction", "revision", "explanation"];

/// Keywords for the status of a figure.
pub const STATUS_NAMES: &[&str] = &["printed", "derived", "house", "reconstructed", "missing"];

/// A citation.
pub static SOURCE: FileFormat = FileFormat {
    name: "source",
    location: "source:",
    description: "Where a rule or a figure comes from.",
    keys: &[
        required("doc", FieldType::Text, "The document, by its name under `sources:` in the game's manifest."),
        optional("at", FieldType::Text, "Where in it: a page, a case, a paragraph."),
    ],
    extra_keys: "",
};

/// All kinds of files, in the order of `casebook explain` and `casebook schema`.
pub static FILE_FORMATS: [&FileFormat; 12] = [
    &game::GAME,
    &game::CONTENTS,
    &game::GLOSSARY,
    &card::CARD,
    &table::TABLE,
    &scenario::SITUATION,
    &card::VARIANT,
    &ruling_test::TESTS,
    &ruling_test::TEST,
    &ruling_test::EQUIVALENTS,
    &ruling_test::JOURNAL,
    &module_map::MODULE_MAP,
];

/// Returns the format of the file at a key: `tables/<game>/x.yaml` is a table.
pub fn for_file(key: &str) -> Option<&'static FileFormat> {
    let parts: Vec<&str> = key.split('/').collect();
    match parts[..] {
        ["rules", _, "game.yaml"] => Some(&game::GAME),
        ["rules", _, "contents.yaml"] => Some(&game::CONTENTS),
        ["rules", _, "glossary.yaml"] => Some(&game::GLOSSARY),
        ["rules", _, ..] | ["variants", _, "rules", ..] if key.ends_with(".rhai") => Some(&card::CARD),
        ["tables", _, _] | ["variants", _, "tables", _] => Some(&table::TABLE),
        ["scenarios", _, _] | ["variants", _, "scenarios", _] => Some(&scenario::SITUATION),
        ["variants", _, "variant.yaml"] => Some(&card::VARIANT),
        ["tests", _, "equivalent-mutants.yaml"] => Some(&ruling_test::EQUIVALENTS),
        ["tests", ..] | ["variants", _, "tests", ..] if !key.ends_with(".rhai") => Some(&ruling_test::TESTS),
        _ => None,
    }
}
