//! What may stand in each kind of file: every key, described once. From it come the checks, `casebook explain`, the guide, the schemas
//! that editors read, and what an editor completes.
//!
//! | file | what it is |
//! |---|---|
//! | [`game`] | a game's manifest, and its list of cases |
//! | [`card`] | the card of a case, and a variant's manifest |
//! | [`table`] | tables |
//! | [`scenario`] | situations, rosters and deployments |
//! | [`ruling_test`] | tests of rulings, and journals |

pub mod card;
pub mod game;
pub mod ruling_test;
pub mod scenario;
pub mod table;

/// What stands under a key.
#[derive(Clone, Copy)]
pub enum FieldType {
    /// A text, a word or a name.
    Text,
    /// A whole number.
    Number,
    /// true or false, on or off, yes or no.
    Flag,
    /// A list of texts; one alone will do.
    Texts,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Some of these words; one alone will do.
    SomeOf(&'static [&'static str]),
    /// Keys of their own.
    Object(&'static FileFormat),
    /// A list of entries with keys of their own; one alone will do.
    Objects(&'static FileFormat),
    /// Names that the author gives, each with keys of its own.
    NamedObjects(&'static FileFormat),
    /// Names that the author gives, each with a value.
    NamedValues,
    /// Names that the author gives, each with one of these.
    NamedEach(&'static FieldType),
    /// Any of these.
    AnyOf(&'static [FieldType]),
    /// Whatever the other keys make of it.
    Any,
}

impl FieldType {
    /// In words.
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

    /// The keys that stand below it, if it has any.
    pub fn object_format(self) -> Option<&'static FileFormat> {
        match self {
            FieldType::Object(format) | FieldType::Objects(format) | FieldType::NamedObjects(format) => Some(format),
            FieldType::NamedEach(holds) => holds.object_format(),
            FieldType::AnyOf(list) => list.iter().find_map(|holds| holds.object_format()),
            _ => None,
        }
    }

    /// All parts that may stand below it.
    pub fn object_formats(self) -> Vec<&'static FileFormat> {
        match self {
            FieldType::NamedEach(holds) => holds.object_formats(),
            FieldType::AnyOf(list) => list.iter().flat_map(|holds| holds.object_formats()).collect(),
            _ => self.object_format().into_iter().collect(),
        }
    }
}

/// A key: its name, what stands under it, and what that says.
pub struct FieldKey {
    /// Its name.
    pub name: &'static str,
    /// What stands under it.
    pub field_type: FieldType,
    /// What it says.
    pub description: &'static str,
    /// Whether the file can't do without it.
    pub required: bool,
}

/// A key that may be left out.
pub const fn optional(name: &'static str, holds: FieldType, does: &'static str) -> FieldKey {
    FieldKey { name, field_type: holds, description: does, required: false }
}

/// A key that must be there.
pub const fn required(name: &'static str, holds: FieldType, does: &'static str) -> FieldKey {
    FieldKey { name, field_type: holds, description: does, required: true }
}

/// What may stand in one kind of file, or in one part of it.
pub struct FileFormat {
    /// Its name, for `casebook explain` and `casebook schema`.
    pub name: &'static str,
    /// Where such a file stands, or the key under which the part does.
    pub location: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Its keys, in the order in which they are best written.
    pub keys: &'static [FieldKey],
    /// What further keys may be: names that stand elsewhere. Empty where there are none.
    pub extra_keys: &'static str,
}

impl FileFormat {
    /// The names of its keys.
    pub fn key_names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// The key of a name.
    pub fn key(&self, name: &str) -> Option<&'static FieldKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The keys that stand under a path of keys, names of the author's and list entries among them.
    pub fn format_at(&'static self, path: &[&str]) -> Option<&'static FileFormat> {
        let mut format = self;
        let mut path = path.iter();
        while let Some(name) = path.next() {
            let mut holds = format.key(name)?.field_type;
            // A name of the author's own stands between.
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

/// What a file does to the layers below it, in a word.
pub const KIND_NAMES: &[&str] = &["rule", "new case", "addition", "correction", "revision", "explanation"];

/// How a figure is known, in a word.
pub const STATUS_NAMES: &[&str] = &["printed", "derived", "house", "reconstructed", "missing"];

/// Where something comes from.
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

/// Every kind of file, as `casebook explain` and `casebook schema` name them.
pub static FILE_FORMATS: [&FileFormat; 10] = [
    &game::GAME,
    &game::CONTENTS,
    &card::CARD,
    &table::TABLE,
    &scenario::SITUATION,
    &card::VARIANT,
    &ruling_test::TESTS,
    &ruling_test::TEST,
    &ruling_test::EQUIVALENTS,
    &ruling_test::JOURNAL,
];

/// The kind of file that stands at a key: `tables/<game>/x.yaml` is a table.
pub fn for_file(key: &str) -> Option<&'static FileFormat> {
    let parts: Vec<&str> = key.split('/').collect();
    match parts[..] {
        ["rules", _, "game.yaml"] => Some(&game::GAME),
        ["rules", _, "contents.yaml"] => Some(&game::CONTENTS),
        ["rules", _, ..] | ["variants", _, "rules", ..] if key.ends_with(".rhai") => Some(&card::CARD),
        ["tables", _, _] | ["variants", _, "tables", _] => Some(&table::TABLE),
        ["scenarios", _, _] | ["variants", _, "scenarios", _] => Some(&scenario::SITUATION),
        ["variants", _, "variant.yaml"] => Some(&card::VARIANT),
        ["tests", _, "equivalent-mutants.yaml"] => Some(&ruling_test::EQUIVALENTS),
        ["tests", _, _] if !key.ends_with(".rhai") => Some(&ruling_test::TESTS),
        _ => None,
    }
}
