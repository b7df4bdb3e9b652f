//! What scripts may call: one table, from which come resolution, checks of arguments, explanations and the guide.
//!
//! | file | what it is |
//! |---|---|
//! | [`arithmetic`] | halves, percentages, odds, points dealt out evenly |
//! | [`lists`] | lists of pieces: who is of a kind, who has a figure, what they come to |
//! | [`pieces`] | pieces of the board, and the lists they come from |
//! | [`places`] | places, what lies between them, and tracks |
//! | [`search`] | how far something reaches, and by which way |
//! | [`tables`] | charts, and sheets that procedures fill in |
//! | [`change`] | how a procedure changes the situation |
//! | [`lines`] | dice, choices, and the lines of a ruling |
//! | [`examples`] | what only examples may call |
//! | [`language`] | what the language itself brings for lists and maps |
//! | [`texts`] | the same for texts and numbers |

pub mod arithmetic;
pub mod change;
pub mod examples;
pub mod language;
pub mod lines;
pub mod lists;
pub mod pieces;
pub mod places;
pub mod search;
pub mod tables;
pub mod texts;

use crate::code::context::{Answer, Calls, Context, fault};
use crate::situation::value::Value;
use std::sync::OnceLock;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Any,
    /// A whole number.
    Number,
    /// True or false.
    Flag,
    /// A text.
    Text,
    /// A list.
    List,
    /// A map.
    Map,
    /// A closure.
    Closure,
    /// A piece, or a list of pieces.
    Pieces,
    /// A sheet.
    Record,
}

impl Kind {
    /// Whether a value will do.
    pub fn takes(self, value: &Value) -> bool {
        match self {
            Kind::Any => true,
            Kind::Number => matches!(value, Value::Number(_)),
            Kind::Flag => matches!(value, Value::True | Value::False),
            Kind::Text => matches!(value, Value::Text(_)),
            Kind::List => matches!(value, Value::List(_)),
            Kind::Map => matches!(value, Value::Map(_)),
            Kind::Closure => matches!(value, Value::Closure(_)),
            Kind::Pieces => matches!(value, Value::Piece(_) | Value::List(_)),
            Kind::Record => matches!(value, Value::Record(_)),
        }
    }

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Any => "anything",
            Kind::Number => "a number",
            Kind::Flag => "true or false",
            Kind::Text => "a text",
            Kind::List => "a list",
            Kind::Map => "a map",
            Kind::Closure => "a closure",
            Kind::Pieces => "a piece or a list of pieces",
            Kind::Record => "a sheet",
        }
    }
}

/// A parameter: its name, and what it takes.
pub type Parameter = (&'static str, Kind);

/// Where a verb may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Anywhere.
    Anywhere,
    /// In procedures and examples: it changes the situation.
    Procedures,
    /// In examples.
    Examples,
}

impl Place {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Place::Anywhere => "cases, procedures and examples",
            Place::Procedures => "procedures and examples: it changes the situation",
            Place::Examples => "examples",
        }
    }
}

/// How a verb is carried out.
#[derive(Clone, Copy)]
pub enum Run {
    /// It answers.
    Answer(fn(&mut Context, &[&Value]) -> Answer),
    /// It changes the value it is called on, where that stands.
    Change(fn(&mut Context, &mut Value, &[&Value]) -> Answer),
    /// It calls closures.
    Call(fn(&mut dyn Calls, &[Value]) -> Answer),
    /// It is an operation of the machine.
    Operation,
}

/// A verb.
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: &'static [Parameter],
    /// How many of these, at the end, may be left out.
    pub optional: usize,
    /// What it answers with, where that is always one thing; () where there is nothing to answer with.
    pub gives: Kind,
    /// What it does.
    pub does: &'static str,
    /// An example that holds, in a game of the reader's own.
    pub example: &'static str,
    /// Where it may stand.
    pub place: Place,
    /// Whether the language brings it: then it is no name of ours.
    pub language: bool,
    /// How it is carried out.
    pub run: Run,
}

impl Verb {
    /// A verb that answers, to be filled in further.
    pub const fn answers(
        name: &'static str,
        takes: &'static [Parameter],
        run: fn(&mut Context, &[&Value]) -> Answer,
        does: &'static str,
        example: &'static str,
    ) -> Verb {
        Verb { name, takes, optional: 0, gives: Kind::Any, does, example, place: Place::Anywhere, language: false, run: Run::Answer(run) }
    }

    /// A verb that the machine carries out itself.
    pub const fn operation(name: &'static str, takes: &'static [Parameter], does: &'static str, example: &'static str) -> Verb {
        Verb { name, takes, optional: 0, gives: Kind::Any, does, example, place: Place::Anywhere, language: false, run: Run::Operation }
    }

    /// The last parameters may be left out.
    pub const fn optional(mut self, optional: usize) -> Verb {
        self.optional = optional;
        self
    }

    /// It answers with this alone.
    pub const fn gives(mut self, gives: Kind) -> Verb {
        self.gives = gives;
        self
    }

    /// It may stand only here.
    pub const fn only(mut self, place: Place) -> Verb {
        self.place = place;
        self
    }

    /// Whether it takes so many arguments.
    pub fn fits(&self, count: usize) -> bool {
        count <= self.takes.len() && count + self.optional >= self.takes.len()
    }

    /// Whether it takes as many arguments as one likes.
    fn open(&self) -> bool {
        self.optional > 2 && self.optional == self.takes.len()
    }

    /// As a script writes it: `half_up(n)`.
    pub fn signature(&self) -> String {
        let needed = self.takes.len() - self.optional;
        if self.open() {
            return format!("{}(...)", self.name);
        }
        let name = |(i, (name, _)): (usize, &Parameter)| if i < needed { name.to_string() } else { format!("[{name}]") };
        format!("{}({})", self.name, self.takes.iter().enumerate().map(name).collect::<Vec<_>>().join(", "))
    }

    /// What its parameters take, in words: `points: a number; sizes: a list; first: a list, may be left out`.
    pub fn parameters(&self) -> String {
        let needed = self.takes.len() - self.optional;
        if self.open() {
            return format!("up to {} arguments, or none", self.takes.len());
        }
        let word = |(i, (name, kind)): (usize, &Parameter)| match i < needed {
            true => format!("{name}: {}", kind.word()),
            false => format!("{name}: {}, may be left out", kind.word()),
        };
        self.takes.iter().enumerate().map(word).collect::<Vec<_>>().join("; ")
    }
}

/// What to write instead of `enemy` in a game of other than two sides.
pub const ENEMY_HELP: &str = "name the side that is meant, or let the situation hand it to the procedure";

/// The verbs by subject, ours first: what each is about, and its verbs.
pub const SUBJECTS: [(&str, &[Verb]); 11] = [
    ("dice, choices, and the lines of a ruling", lines::VERBS),
    ("charts, readings, and sheets that procedures fill in", tables::VERBS),
    ("pieces", pieces::VERBS),
    ("places, what lies between them, and tracks", places::VERBS),
    ("how far something reaches, and by which way", search::VERBS),
    ("lists of pieces", lists::VERBS),
    ("arithmetic", arithmetic::VERBS),
    ("changes to the situation", change::VERBS),
    ("examples", examples::VERBS),
    ("lists and maps, from the language itself", language::VERBS),
    ("texts, numbers and any value, from the language itself", texts::VERBS),
];

/// All verbs, ours first, sorted by subject.
pub fn all() -> &'static [&'static Verb] {
    static ALL: OnceLock<Vec<&'static Verb>> = OnceLock::new();
    ALL.get_or_init(|| SUBJECTS.iter().flat_map(|(_, verbs)| *verbs).collect())
}

/// The verb of a name that takes so many arguments.
pub fn find(name: &str, count: usize) -> Option<u16> {
    static INDEX: OnceLock<rustc_hash::FxHashMap<&'static str, Vec<u16>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: rustc_hash::FxHashMap<&'static str, Vec<u16>> = Default::default();
        all().iter().zip(0..).for_each(|(verb, number)| index.entry(verb.name).or_default().push(number));
        index
    });
    index.get(name)?.iter().copied().find(|number| all()[*number as usize].fits(count))
}

/// The verbs of a name: the language may bring one of ours for other values.
pub fn named(name: &str) -> impl Iterator<Item = &'static Verb> {
    all().iter().copied().filter(move |verb| verb.name == name)
}

/// Whether there is a verb of this name.
pub fn knows(name: &str) -> bool {
    all().iter().any(|verb| verb.name == name)
}

/// Complains of an argument that a verb does not take.
pub fn check(verb: &Verb, args: &[&Value]) -> Answer<()> {
    for ((name, kind), value) in verb.takes.iter().zip(args) {
        if !kind.takes(value) {
            let what = format!("`{}` takes {} for `{name}`; it was given {}", verb.name, kind.word(), value.kind());
            let help = if value.is_nothing() { "a figure that nobody gave reads as ()" } else { verb.does };
            return fault("running", what, help);
        }
    }
    Ok(())
}
