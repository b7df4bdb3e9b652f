//! What may stand in each kind of file: every key, described once. From it come the checks, `casebook explain`, the guide, the schemas
//! that editors read, and what an editor completes.
//!
//! | file | what it is |
//! |---|---|
//! | [`game`] | a game's manifest, and its list of cases |
//! | [`card`] | the card of a case, and a variant's manifest |
//! | [`chart`] | tables |
//! | [`board`] | situations, rosters and deployments |
//! | [`trial`] | tests of rulings, and journals |

pub mod board;
pub mod card;
pub mod chart;
pub mod game;
pub mod trial;

/// What stands under a key.
#[derive(Clone, Copy)]
pub enum Holds {
    /// A text, a word or a name.
    Text,
    /// A whole number.
    Number,
    /// true or false, on or off, yes or no.
    Flag,
    /// A list of texts; one alone will do.
    Texts,
    /// One of these words.
    Words(&'static [&'static str]),
    /// Some of these words; one alone will do.
    Several(&'static [&'static str]),
    /// Keys of their own.
    Keys(&'static Format),
    /// A list of entries with keys of their own; one alone will do.
    Entries(&'static Format),
    /// Names that the author gives, each with keys of its own.
    Named(&'static Format),
    /// Names that the author gives, each with a value.
    Values,
    /// Names that the author gives, each with one of these.
    Each(&'static Holds),
    /// Any of these.
    AnyOf(&'static [Holds]),
    /// Whatever the other keys make of it.
    Any,
}

impl Holds {
    /// In words.
    pub fn word(self) -> String {
        match self {
            Holds::Text => "a text".into(),
            Holds::Number => "a whole number".into(),
            Holds::Flag => "true or false".into(),
            Holds::Texts => "a list of texts, or one".into(),
            Holds::Words(words) => format!("one of: {}", words.join(", ")),
            Holds::Several(words) => format!("some of: {}", words.join(", ")),
            Holds::Keys(format) => format!("{{ {} }}", format.names().join(", ")),
            Holds::Entries(format) => format!("a list of {{ {} }}", format.names().join(", ")),
            Holds::Named(format) if format.keys.is_empty() => "names, each with what is said of it".into(),
            Holds::Named(format) => format!("names, each with {{ {} }}", format.names().join(", ")),
            Holds::Values => "names, each with a value".into(),
            Holds::Each(holds) => format!("names, each with {}", holds.word()),
            Holds::AnyOf(list) => list.iter().map(|holds| holds.word()).collect::<Vec<_>>().join("; or "),
            Holds::Any => "a value, a list or a map".into(),
        }
    }

    /// The keys that stand below it, if it has any.
    pub fn format(self) -> Option<&'static Format> {
        match self {
            Holds::Keys(format) | Holds::Entries(format) | Holds::Named(format) => Some(format),
            Holds::Each(holds) => holds.format(),
            Holds::AnyOf(list) => list.iter().find_map(|holds| holds.format()),
            _ => None,
        }
    }

    /// All parts that may stand below it.
    pub fn formats(self) -> Vec<&'static Format> {
        match self {
            Holds::Each(holds) => holds.formats(),
            Holds::AnyOf(list) => list.iter().flat_map(|holds| holds.formats()).collect(),
            _ => self.format().into_iter().collect(),
        }
    }
}

/// A key: its name, what stands under it, and what that says.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What stands under it.
    pub holds: Holds,
    /// What it says.
    pub does: &'static str,
    /// Whether the file can't do without it.
    pub needed: bool,
}

/// A key that may be left out.
pub const fn key(name: &'static str, holds: Holds, does: &'static str) -> Key {
    Key { name, holds, does, needed: false }
}

/// A key that must be there.
pub const fn needed(name: &'static str, holds: Holds, does: &'static str) -> Key {
    Key { name, holds, does, needed: true }
}

/// What may stand in one kind of file, or in one part of it.
pub struct Format {
    /// Its name, for `casebook explain` and `casebook schema`.
    pub name: &'static str,
    /// Where such a file stands, or the key under which the part does.
    pub place: &'static str,
    /// What it is for.
    pub does: &'static str,
    /// Its keys, in the order in which they are best written.
    pub keys: &'static [Key],
    /// What further keys may be: names that stand elsewhere. Empty where there are none.
    pub more: &'static str,
}

impl Format {
    /// The names of its keys.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    /// The key of a name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The keys that stand under a path of keys, names of the author's and list entries among them.
    pub fn below(&'static self, path: &[&str]) -> Option<&'static Format> {
        let mut format = self;
        let mut path = path.iter();
        while let Some(name) = path.next() {
            let mut holds = format.key(name)?.holds;
            // A name of the author's own stands between.
            while let Holds::Each(inner) = holds {
                path.next();
                holds = *inner;
            }
            if let Holds::Named(_) = holds {
                path.next();
            }
            format = holds.format()?;
        }
        Some(format)
    }
}

/// What a file does to the layers below it, in a word.
pub const KINDS: &[&str] = &["rule", "new case", "addition", "correction", "revision", "explanation"];

/// How a figure is known, in a word.
pub const STATUSES: &[&str] = &["printed", "derived", "house", "reconstructed", "missing"];

/// Where something comes from.
pub static SOURCE: Format = Format {
    name: "source",
    place: "source:",
    does: "Where a rule or a figure comes from.",
    keys: &[
        needed("doc", Holds::Text, "The document, by its name under `sources:` in the game's manifest."),
        key("at", Holds::Text, "Where in it: a page, a case, a paragraph."),
    ],
    more: "",
};

/// Every kind of file, as `casebook explain` and `casebook schema` name them.
pub static FILES: [&Format; 10] = [
    &game::GAME,
    &game::CONTENTS,
    &card::CARD,
    &chart::TABLE,
    &board::SITUATION,
    &card::VARIANT,
    &trial::TESTS,
    &trial::TEST,
    &trial::EQUIVALENTS,
    &trial::JOURNAL,
];

/// The kind of file that stands at a key: `tables/<game>/x.yaml` is a table.
pub fn of_file(key: &str) -> Option<&'static Format> {
    let parts: Vec<&str> = key.split('/').collect();
    match parts[..] {
        ["rules", _, "game.yaml"] => Some(&game::GAME),
        ["rules", _, "contents.yaml"] => Some(&game::CONTENTS),
        ["rules", _, ..] | ["variants", _, "rules", ..] if key.ends_with(".rhai") => Some(&card::CARD),
        ["tables", _, _] | ["variants", _, "tables", _] => Some(&chart::TABLE),
        ["scenarios", _, _] | ["variants", _, "scenarios", _] => Some(&board::SITUATION),
        ["variants", _, "variant.yaml"] => Some(&card::VARIANT),
        ["tests", _, "equivalent-mutants.yaml"] => Some(&trial::EQUIVALENTS),
        ["tests", _, _] if !key.ends_with(".rhai") => Some(&trial::TESTS),
        _ => None,
    }
}
