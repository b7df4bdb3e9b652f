//! Declarative schemas of all kinds of data files. The checks, `casebook explain`, the guide, the JSON Schemas and editor completion are
//! derived from them.
//!
//! | file | what it is |
//! |---|---|
//! | [`game`] | a game's manifest, and its list of cases |
//! | [`card`] | the card of a case, and a variant's manifest |
//! | [`change`] | the entries of a variant's list of changes |
//! | [`table`] | tables |
//! | [`scenario`] | situations, rosters and deployments |
//! | [`ruling_test`] | tests of rulings, and journals |
//! | [`module_map`] | maps between the pieces of a VASSAL module and those of a game |

/// Declares formats: name, location and description of each, what further keys are where there are any, and a row for each key: `key?:` may
/// be left out, `key!:` may not.
macro_rules! formats {
    ($(pub $format:ident = $name:literal, $location:literal, $description:literal $(, $extra_keys:literal)? {
        $($key:ident $need:tt: $type:expr, $text:literal $(, $change:ident $with:tt)*;)*
    })*) => {$(
        pub static $format: $crate::data::format::FileFormat = $crate::data::format::FileFormat {
            name: $name,
            location: $location,
            description: $description,
            keys: &[$(formats!(@field $need)(stringify!($key), $type, $text)$(.$change $with)*),*],
            extra_keys: concat!($($extra_keys)?),
        };
    )*};
    (@field ?) => { $crate::data::format::optional };
    (@field !) => { $crate::data::format::required };
}

pub mod card;
pub mod change;
pub mod game;
pub mod module_map;
pub mod ruling_test;
pub mod scenario;
pub mod table;

use crate::complaint::DiagnosticCode;
use crate::data::case_kind::CaseKind;
use crate::data::reference_kind::ReferenceKind;
use crate::data::status::Status;

/// Type of the value under a key.
#[derive(Clone, Copy)]
pub enum FieldType {
    /// A text, a word or a name.
    Text,
    /// A title, which is not blank.
    Title,
    /// A whole number.
    Number(NumberRange),
    /// true or false, on or off, yes or no.
    Flag,
    /// A face of a die, or a card of a deck.
    Face,
    /// One of the given words.
    OneOf(Words),
    /// The name of something that is declared elsewhere.
    Name(ReferenceKind),
    /// A map of the given format.
    Object(&'static FileFormat),
    /// A list of values of the given type, or a single one.
    ListOf(&'static FieldType),
    /// A map whose keys are chosen by the author: the types of its keys and its values.
    Map(&'static FieldType, &'static FieldType),
    /// Any of the given types.
    AnyOf(&'static [FieldType]),
    /// Any value; code elsewhere checks it.
    Any,
}

/// A list of texts, or a single text.
pub const TEXTS: FieldType = FieldType::ListOf(&FieldType::Text);

/// A map from author-chosen names to values.
pub const NAMED_VALUES: FieldType = FieldType::Map(&FieldType::Text, &FieldType::Any);

/// A map from author-chosen names to texts.
pub const NAMED_TEXTS: FieldType = FieldType::Map(&FieldType::Text, &FieldType::Text);

/// A map from author-chosen names to lists of texts.
pub const NAMED_LISTS: FieldType = FieldType::Map(&FieldType::Text, &TEXTS);

/// A map from author-chosen names to flags.
pub const NAMED_FLAGS: FieldType = FieldType::Map(&FieldType::Text, &FieldType::Flag);

/// A whole number of any size that is reckoned with.
pub const NUMBER: FieldType = FieldType::Number(NumberRange {
    from: i64::MIN as i128,
    to: i64::MAX as i128,
    code: DiagnosticCode::Number,
});

/// A seed of dice.
pub const SEED: FieldType = FieldType::Number(NumberRange {
    from: 0,
    to: u64::MAX as i128,
    code: DiagnosticCode::Number,
});

/// The whole numbers that a key takes.
#[derive(Clone, Copy, Debug)]
pub struct NumberRange {
    /// The lowest.
    pub from: i128,
    /// The highest.
    pub to: i128,
    /// The code of a complaint about a number outside.
    pub code: DiagnosticCode,
}

/// The words that a key takes.
#[derive(Clone, Copy)]
pub struct Words {
    /// What they are: "kind of amendment".
    pub noun: &'static str,
    /// The code of a complaint about another word.
    pub code: DiagnosticCode,
    pub words: &'static [&'static str],
}

/// The type of a key that takes some words; another is an unknown name.
pub const fn one_of(noun: &'static str, words: &'static [&'static str]) -> FieldType {
    FieldType::OneOf(Words {
        noun,
        code: DiagnosticCode::UnknownName,
        words,
    })
}

/// Returns the words of a table of words with their meanings.
pub const fn words_of<T, const N: usize>(pairs: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut index = 0;
    while index < N {
        words[index] = pairs[index].0;
        index += 1;
    }
    words
}

impl FieldType {
    /// Describes the type in words.
    pub fn describe(self) -> String {
        match self {
            FieldType::Text | FieldType::Title => "a text".into(),
            FieldType::Number(_) => "a whole number".into(),
            FieldType::Flag => "true or false".into(),
            FieldType::Face => "a face or card, as it shows".into(),
            FieldType::OneOf(list) => format!("one of: {}", list.words.join(", ")),
            FieldType::Name(kind) => format!("the name of a {}", kind.noun()),
            FieldType::Object(format) => format!("{{ {} }}", format.key_names().join(", ")),
            FieldType::ListOf(FieldType::OneOf(list)) => {
                format!("some of: {}", list.words.join(", "))
            }
            FieldType::ListOf(FieldType::Object(format)) => {
                format!("a list of {{ {} }}", format.key_names().join(", "))
            }
            FieldType::ListOf(FieldType::Name(kind)) => {
                format!("a list of names of a {}, or one", kind.noun())
            }
            FieldType::ListOf(FieldType::Face) => "a list of faces or cards, or one".into(),
            FieldType::ListOf(_) => "a list of texts, or one".into(),
            FieldType::Map(_, FieldType::Object(format)) if format.keys.is_empty() => {
                "names, each with what is said of it".into()
            }
            FieldType::Map(_, FieldType::Any) => "names, each with a value".into(),
            FieldType::Map(_, holds) => format!("names, each with {}", holds.describe()),
            FieldType::AnyOf(list) => list
                .iter()
                .map(|holds| holds.describe())
                .collect::<Vec<_>>()
                .join("; or "),
            FieldType::Any => "a value, a list or a map".into(),
        }
    }

    /// Returns the format of the maps below the key, if there is one.
    pub fn object_format(self) -> Option<&'static FileFormat> {
        self.object_formats().into_iter().next()
    }

    /// Returns all formats of maps below the key.
    pub fn object_formats(self) -> Vec<&'static FileFormat> {
        match self {
            FieldType::Object(format) => vec![format],
            FieldType::ListOf(holds) | FieldType::Map(_, holds) => holds.object_formats(),
            FieldType::AnyOf(list) => list
                .iter()
                .flat_map(|holds| holds.object_formats())
                .collect(),
            _ => Vec::new(),
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
    /// The code of the complaint about a file without the key; `None` if it may be left out.
    pub required: Option<DiagnosticCode>,
    /// Whether the part has a reader of its own, which checks it, so that the rest of the file can be used in spite of an error there.
    pub is_apart: bool,
}

impl FieldKey {
    /// Returns the key of a part that is read, and checked, by itself.
    pub const fn apart(self) -> FieldKey {
        FieldKey {
            is_apart: true,
            ..self
        }
    }

    /// Returns the key with another code of the complaint about a file without it.
    pub const fn or_complain(self, code: DiagnosticCode) -> FieldKey {
        FieldKey {
            required: Some(code),
            ..self
        }
    }
}

/// Creates an optional key.
pub const fn optional(
    name: &'static str,
    field_type: FieldType,
    description: &'static str,
) -> FieldKey {
    FieldKey {
        name,
        field_type,
        description,
        required: None,
        is_apart: false,
    }
}

/// Creates a required key.
pub const fn required(
    name: &'static str,
    field_type: FieldType,
    description: &'static str,
) -> FieldKey {
    FieldKey {
        required: Some(DiagnosticCode::MissingKey),
        ..optional(name, field_type, description)
    }
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
    pub fn key_names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    pub fn key(&self, name: &str) -> Option<&'static FieldKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Returns the format below a path of keys, which may contain author-chosen names and list indices.
    pub fn format_at(&'static self, path: &[&str]) -> Option<&'static FileFormat> {
        let mut format = self;
        let mut path = path.iter();
        while let Some(name) = path.next() {
            let mut holds = format.key(name)?.field_type;
            // Skips author-chosen names.
            while let FieldType::Map(_, inner) = holds {
                path.next();
                holds = *inner;
            }
            format = holds.object_format()?;
        }
        Some(format)
    }
}

/// The effect of a file on the layers below it.
pub const KIND: FieldType = FieldType::OneOf(Words {
    noun: "kind of amendment",
    code: DiagnosticCode::Kind,
    words: &words_of(&CaseKind::NAMES),
});

/// The status of a figure.
pub const STATUS: FieldType = FieldType::OneOf(Words {
    noun: "status",
    code: DiagnosticCode::Status,
    words: &words_of(&Status::NAMES),
});

/// Citations.
pub const SOURCES: FieldType = FieldType::ListOf(&FieldType::Object(&SOURCE));

formats! {
    pub SOURCE = "source", "source:",
        "Where a rule or a figure comes from." {
        doc!: FieldType::Name(ReferenceKind::Document), "The document, by its name under `sources:` in the game's manifest.";
        at?: FieldType::Text, "Where in it: a page, a case, a paragraph.";
    }
}

/// All kinds of files, in the order of `casebook explain` and `casebook schema`.
pub static FILE_FORMATS: [&FileFormat; 11] = [
    &game::GAME,
    &game::CONTENTS,
    &game::GLOSSARY,
    &card::CARD,
    &table::TABLE,
    &scenario::SITUATION,
    &card::VARIANT,
    &ruling_test::TESTS,
    &ruling_test::TEST,
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
        ["rules", _, ..] | ["variants", _, "rules", ..] if key.ends_with(".rhai") => {
            Some(&card::CARD)
        }
        ["tables", _, _] | ["variants", _, "tables", _] => Some(&table::TABLE),
        ["scenarios", _, _] | ["variants", _, "scenarios", _] => Some(&scenario::SITUATION),
        ["variants", _, "variant.yaml"] => Some(&card::VARIANT),
        ["tests", ..] | ["variants", _, "tests", ..] if !key.ends_with(".rhai") => {
            Some(&ruling_test::TESTS)
        }
        _ => None,
    }
}
