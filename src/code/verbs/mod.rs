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

use crate::code::context::{ClosureCaller, VerbContext, VerbResult, fault};
use crate::situation::value::Value;
use std::sync::OnceLock;

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
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

impl ParameterType {
    /// Whether a value will do.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            ParameterType::Any => true,
            ParameterType::Number => matches!(value, Value::Number(_)),
            ParameterType::Flag => matches!(value, Value::True | Value::False),
            ParameterType::Text => matches!(value, Value::Text(_)),
            ParameterType::List => matches!(value, Value::List(_)),
            ParameterType::Map => matches!(value, Value::Map(_)),
            ParameterType::Closure => matches!(value, Value::Closure(_)),
            ParameterType::Pieces => matches!(value, Value::Piece(_) | Value::List(_)),
            ParameterType::Record => matches!(value, Value::Record(_)),
        }
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            ParameterType::Any => "anything",
            ParameterType::Number => "a number",
            ParameterType::Flag => "true or false",
            ParameterType::Text => "a text",
            ParameterType::List => "a list",
            ParameterType::Map => "a map",
            ParameterType::Closure => "a closure",
            ParameterType::Pieces => "a piece or a list of pieces",
            ParameterType::Record => "a sheet",
        }
    }
}

/// A parameter: its name, and what it takes.
pub type Parameter = (&'static str, ParameterType);

/// Where a verb may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedIn {
    /// Anywhere.
    Anywhere,
    /// In procedures and examples: it changes the situation.
    Procedures,
    /// In examples.
    Examples,
}

impl AllowedIn {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            AllowedIn::Anywhere => "cases, procedures and examples",
            AllowedIn::Procedures => "procedures and examples: it changes the situation",
            AllowedIn::Examples => "examples",
        }
    }
}

/// How a verb is carried out.
#[derive(Clone, Copy)]
pub enum VerbImplementation {
    /// It answers.
    Function(fn(&mut VerbContext, &[&Value]) -> VerbResult),
    /// It changes the value it is called on, where that stands.
    Mutate(fn(&mut VerbContext, &mut Value, &[&Value]) -> VerbResult),
    /// It calls closures.
    WithClosures(fn(&mut dyn ClosureCaller, &[Value]) -> VerbResult),
    /// It is an operation of the machine.
    Operation,
}

/// A verb.
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub params: &'static [Parameter],
    /// How many of these, at the end, may be left out.
    pub optional: usize,
    /// What it answers with, where that is always one thing; () where there is nothing to answer with.
    pub returns: ParameterType,
    /// What it does.
    pub description: &'static str,
    /// An example that holds, in a game of the reader's own.
    pub example: &'static str,
    /// Where it may stand.
    pub allowed_in: AllowedIn,
    /// Whether the language brings it: then it is no name of ours.
    pub from_language: bool,
    /// How it is carried out.
    pub implementation: VerbImplementation,
}

impl Verb {
    /// A verb that answers, to be filled in further.
    pub const fn function(
        name: &'static str,
        takes: &'static [Parameter],
        run: fn(&mut VerbContext, &[&Value]) -> VerbResult,
        does: &'static str,
        example: &'static str,
    ) -> Verb {
        Verb {
            name,
            params: takes,
            optional: 0,
            returns: ParameterType::Any,
            description: does,
            example,
            allowed_in: AllowedIn::Anywhere,
            from_language: false,
            implementation: VerbImplementation::Function(run),
        }
    }

    /// A verb that the machine carries out itself.
    pub const fn operation(name: &'static str, takes: &'static [Parameter], does: &'static str, example: &'static str) -> Verb {
        Verb {
            name,
            params: takes,
            optional: 0,
            returns: ParameterType::Any,
            description: does,
            example,
            allowed_in: AllowedIn::Anywhere,
            from_language: false,
            implementation: VerbImplementation::Operation,
        }
    }

    /// The last parameters may be left out.
    pub const fn with_optional(mut self, optional: usize) -> Verb {
        self.optional = optional;
        self
    }

    /// It answers with this alone.
    pub const fn returning(mut self, gives: ParameterType) -> Verb {
        self.returns = gives;
        self
    }

    /// It may stand only here.
    pub const fn only_in(mut self, place: AllowedIn) -> Verb {
        self.allowed_in = place;
        self
    }

    /// Whether it takes so many arguments.
    pub fn accepts_count(&self, count: usize) -> bool {
        count <= self.params.len() && count + self.optional >= self.params.len()
    }

    /// Whether it takes as many arguments as one likes.
    fn is_variadic(&self) -> bool {
        self.optional > 2 && self.optional == self.params.len()
    }

    /// As a script writes it: `half_up(n)`.
    pub fn signature(&self) -> String {
        let needed = self.params.len() - self.optional;
        if self.is_variadic() {
            return format!("{}(...)", self.name);
        }
        let name = |(i, (name, _)): (usize, &Parameter)| if i < needed { name.to_string() } else { format!("[{name}]") };
        format!("{}({})", self.name, self.params.iter().enumerate().map(name).collect::<Vec<_>>().join(", "))
    }

    /// What its parameters take, in words: `points: a number; sizes: a list; first: a list, may be left out`.
    pub fn describe_params(&self) -> String {
        let needed = self.params.len() - self.optional;
        if self.is_variadic() {
            return format!("up to {} arguments, or none", self.params.len());
        }
        let word = |(i, (name, kind)): (usize, &Parameter)| match i < needed {
            true => format!("{name}: {}", kind.describe()),
            false => format!("{name}: {}, may be left out", kind.describe()),
        };
        self.params.iter().enumerate().map(word).collect::<Vec<_>>().join("; ")
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
    index.get(name)?.iter().copied().find(|number| all()[*number as usize].accepts_count(count))
}

/// The verbs of a name: the language may bring one of ours for other values.
pub fn named(name: &str) -> impl Iterator<Item = &'static Verb> {
    all().iter().copied().filter(move |verb| verb.name == name)
}

/// Whether there is a verb of this name.
pub fn is_verb(name: &str) -> bool {
    all().iter().any(|verb| verb.name == name)
}

/// Complains of an argument that a verb does not take.
pub fn check_args(verb: &Verb, args: &[&Value]) -> VerbResult<()> {
    for ((name, kind), value) in verb.params.iter().zip(args) {
        if !kind.accepts(value) {
            let what = format!("`{}` takes {} for `{name}`; it was given {}", verb.name, kind.describe(), value.describe_type());
            let help = if value.is_nothing() { "a figure that nobody gave reads as ()" } else { verb.description };
            return fault("running", what, help);
        }
    }
    Ok(())
}
