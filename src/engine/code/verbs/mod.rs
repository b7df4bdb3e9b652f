//! The built-in functions of scripts ("verbs"). One table drives the compiler, the checks of scripts, `explain` and the editor: what they
//! know of a verb stands in its row, and none of them knows it by its name.
//!
//! | file | what it is |
//! |---|---|
//! | [`arithmetic`] | rounding, percentages, odds, even distribution of points |
//! | [`lists`] | lists: selections, lookups and sums; most take pieces |
//! | [`pieces`] | pieces of the board and of lists |
//! | [`places`] | places, sides between them, and tracks |
//! | [`search`] | reachability and shortest paths on the map |
//! | [`tables`] | tables, readings, and sheets that procedures fill in |
//! | [`cards`] | decks, cups and hands: cards drawn, moved and counted |
//! | [`change`] | verbs that change the situation |
//! | [`lines`] | dice, choices, and the lines of a ruling |
//! | [`examples`] | verbs for examples only |
//! | [`language`] | functions of lists and maps that Rhai's standard library has too |
//! | [`texts`] | built-in functions for texts and numbers |
//! | [`types`] | sets of value types |
//! | [`signature`] | what a row says of a verb: what its parameters name, what it reads, how it is compiled |

/// Declares the verbs of a subject, each in a row: its parameters, those that may be left out in brackets, each with its types and what it names;
/// the types of its result; what runs it, where that is no function of its name, and what else is known of it; what it does; an example.
macro_rules! verbs {
    (allowed_in: $allowed_in:ident, from_language: $from_language:literal; $($name:ident
        ($($needed:ident: $($needed_type:ident)|+ $(as $needed_role:ident)?),*)
        $([$($optional:ident: $($optional_type:ident)|+ $(as $optional_role:ident)?),+])?
        $(-> $($returned:ident)|+)?
        $(= $runs:ident $(($($run:tt)+))? $(.$more:ident($with:expr))*)?,
        $description:literal, $example:literal;
    )*) => {
        /// The verbs of this subject.
        pub const VERBS: &[$crate::code::verbs::Verb] = &[$($crate::code::verbs::Verb {
            name: stringify!($name),
            params: &[
                $(verbs!(@param $needed $($needed_type)|+; $($needed_role)?),)*
                $($(verbs!(@param $optional $($optional_type)|+; $($optional_role)?),)+)?
            ],
            optional: <[&str]>::len(&[$($(stringify!($optional)),+)?]),
            returns: verbs!(@types $($($returned)|+)?),
            description: $description,
            example: $example,
            allowed_in: $crate::code::verbs::AllowedIn::$allowed_in,
            from_language: $from_language,
            implementation: verbs!(@run $name $($runs $(($($run)+))?)?),
            effect: $crate::code::verbs::VerbEffect::None,
            reads: $crate::code::verbs::VerbReads::Nothing,
            result: $crate::code::verbs::ResultRule::OfTypes,
            iteration: None,
            result_keys: &[],
        }$($(.$more($with))*)?),*];
    };
    (@param $name:ident $types:expr; $($role:ident)?) => {
        $crate::code::verbs::param(stringify!($name), $types)$(.naming($crate::code::verbs::Role::$role))?
    };
    (@types) => { $crate::code::verbs::types::ANY };
    (@types $types:expr) => { $types };
    (@run $name:ident) => { verbs!(@run $name Function($name)) };
    (@run $name:ident $function:ident) => { verbs!(@run $name Function($function)) };
    (@run $name:ident Throw($throw:ident)) => { verbs!(@run $name Operation(Throw($crate::code::throw_verb::ThrowVerb::$throw))) };
    (@run $name:ident Operation($($operation:tt)+)) => {
        $crate::code::verbs::VerbImplementation::Operation($crate::code::verbs::VerbOperation::$($operation)+)
    };
    (@run $name:ident $runs:ident($($function:tt)+)) => { $crate::code::verbs::VerbImplementation::$runs($($function)+) };
}

pub mod arithmetic;
pub mod cards;
pub mod change;
pub mod examples;
pub mod language;
pub mod lines;
pub mod lists;
pub mod pieces;
pub mod places;
pub mod search;
pub mod signature;
pub mod tables;
pub mod texts;
pub mod types;

use crate::code::context::{ClosureCaller, NOTHING_ADVICE, VerbContext, VerbResult, fault};
use crate::code::throw_verb::ThrowVerb;
use crate::complaint::DiagnosticCode;
use crate::situation::cell_key::EntityKind;
use crate::situation::value::Value;
use std::sync::OnceLock;
use types::{TypeSet, describe, type_of_value};

pub use signature::{
    Iteration, Parameter, ResultRule, Role, TableAccess, VerbOperation, VerbReads, param,
};

/// Where a verb may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedIn {
    /// Everywhere.
    Anywhere,
    /// In procedures and examples only, because it changes the situation.
    Procedures,
    /// In examples only.
    Examples,
}

impl AllowedIn {
    /// Describes the permission in words.
    pub fn describe(self) -> &'static str {
        match self {
            AllowedIn::Anywhere => "cases, procedures and examples",
            AllowedIn::Procedures => "procedures and examples: it changes the situation",
            AllowedIn::Examples => "examples",
        }
    }
}

#[derive(Clone, Copy)]
pub enum VerbImplementation {
    /// A function that does not mutate its arguments.
    Function(fn(&mut VerbContext, &[&Value]) -> VerbResult),
    /// A function that mutates its receiver in place.
    Mutate(fn(&mut VerbContext, &mut Value, &[&Value]) -> VerbResult),
    /// A function that calls closures.
    WithClosures(fn(&mut dyn ClosureCaller, &[Value]) -> VerbResult),
    /// A function that calls closures and whose result replaces its receiver.
    ReplaceWithClosures(fn(&mut dyn ClosureCaller, &[Value]) -> VerbResult),
    /// A function of what a closure was refused with.
    OfRefusal(fn(&mut VerbContext, &[&Value]) -> VerbResult),
    /// An operation of the machine.
    Operation(VerbOperation),
}

/// What a verb changes besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbEffect {
    /// Nothing.
    None,
    /// The trace. A run without a trace skips the call if its arguments are pure.
    Trace,
    /// What the run records in addition to its trace: an outcome, or a new sheet.
    Recording,
    /// These columns of the board.
    Columns(&'static [(EntityKind, usize)]),
    /// The figure of a piece, place or side that the argument after the receiver names.
    NamedFigure,
    /// The track that its first argument names.
    NamedTrack,
    /// The cards of the stock that its first argument names.
    NamedStock,
    /// The fields of a sheet that a map, its second argument, names.
    SheetFields,
}

/// A built-in function.
pub struct Verb {
    pub name: &'static str,
    pub params: &'static [Parameter],
    /// How many trailing parameters are optional.
    pub optional: usize,
    /// The types of every result other than `()`; all if it varies.
    pub returns: TypeSet,
    /// What it does, for `explain`.
    pub description: &'static str,
    /// An example that holds in a generic game, for `explain`.
    pub example: &'static str,
    /// Where it may be called.
    pub allowed_in: AllowedIn,
    /// What it changes.
    pub effect: VerbEffect,
    /// What it reads besides its arguments.
    pub reads: VerbReads,
    /// How its result follows from its arguments.
    pub result: ResultRule,
    /// What becomes of the items for which it calls a closure.
    pub iteration: Option<Iteration>,
    /// The keys of the maps in its result, where they are always the same.
    pub result_keys: &'static [&'static str],
    /// Whether it belongs to the language, with the semantics of Rhai's standard library.
    pub from_language: bool,
    pub implementation: VerbImplementation,
}

impl Verb {
    /// Declares what the verb of a procedure changes.
    pub const fn changing(mut self, effect: VerbEffect) -> Verb {
        self.allowed_in = AllowedIn::Procedures;
        self.with_effect(effect)
    }

    /// Declares what the verb changes.
    pub const fn with_effect(mut self, effect: VerbEffect) -> Verb {
        self.effect = effect;
        self
    }

    /// Declares what the verb reads besides its arguments.
    pub const fn reading(mut self, reads: VerbReads) -> Verb {
        self.reads = reads;
        self
    }

    /// Declares how the result follows from the arguments.
    pub const fn giving(mut self, result: ResultRule) -> Verb {
        self.result = result;
        self
    }

    /// Declares the keys of the maps in the result.
    pub const fn with_keys(mut self, keys: &'static [&'static str]) -> Verb {
        self.result_keys = keys;
        self
    }

    /// Declares what becomes of the items for which the verb calls a closure.
    pub const fn iterating(mut self, iteration: Iteration) -> Verb {
        self.iteration = Some(iteration);
        self
    }

    /// Returns the operation of the machine that implements the verb.
    pub fn form(&self) -> Option<VerbOperation> {
        match self.implementation {
            VerbImplementation::Operation(form) => Some(form),
            _ => None,
        }
    }

    /// Returns what a call wants to know of a table, if the verb reads one.
    pub fn table_access(&self) -> Option<TableAccess> {
        match self.reads {
            VerbReads::Table(access) => Some(access),
            _ => None,
        }
    }

    /// Returns the index of the parameter with a role.
    pub fn index_of(&self, role: Role) -> Option<usize> {
        self.params
            .iter()
            .position(|parameter| parameter.role == role)
    }

    /// Returns the index of the closure that the compiler puts in the place of the call, if the call has one there.
    pub fn inlined_argument(&self) -> Option<usize> {
        match (self.iteration, self.implementation) {
            (Some(_), _) => Some(1),
            (
                _,
                VerbImplementation::OfRefusal(_)
                | VerbImplementation::Operation(VerbOperation::Outcome),
            ) => Some(0),
            _ => None,
        }
    }

    /// Whether the verb changes its receiver in place.
    pub fn changes_receiver(&self) -> bool {
        matches!(
            self.implementation,
            VerbImplementation::Mutate(_) | VerbImplementation::ReplaceWithClosures(_)
        )
    }

    /// Whether the verb takes this number of arguments.
    pub fn accepts_count(&self, count: usize) -> bool {
        count <= self.params.len() && count + self.optional >= self.params.len()
    }

    /// Whether the verb takes any number of arguments up to its maximum.
    fn is_variadic(&self) -> bool {
        self.optional > 2 && self.optional == self.params.len()
    }

    /// Returns the signature as a script writes it: `half_up(n)`.
    pub fn signature(&self) -> String {
        let needed = self.params.len() - self.optional;
        if self.is_variadic() {
            return format!("{}(...)", self.name);
        }
        let name = |(i, Parameter { name, .. }): (usize, &Parameter)| {
            if i < needed {
                name.to_string()
            } else {
                format!("[{name}]")
            }
        };
        format!(
            "{}({})",
            self.name,
            self.params
                .iter()
                .enumerate()
                .map(name)
                .collect::<Vec<_>>()
                .join(", ")
        )
    }

    /// Describes the parameters in words: `points: a number; sizes: a list; first: a list, may be left out`.
    pub fn describe_params(&self) -> String {
        let needed = self.params.len() - self.optional;
        if self.is_variadic() {
            return format!("up to {} arguments, or none", self.params.len());
        }
        let word = |(i, Parameter { name, types, .. }): (usize, &Parameter)| match i < needed {
            true => format!("{name}: {}", describe(*types)),
            false => format!("{name}: {}, may be left out", describe(*types)),
        };
        self.params
            .iter()
            .enumerate()
            .map(word)
            .collect::<Vec<_>>()
            .join("; ")
    }
}

/// The help for `enemy` in a game that does not have two sides.
pub const ENEMY_HELP: &str =
    "name the side that is meant, or let the situation hand it to the procedure";

/// The verbs by subject, with those of the language last.
pub const SUBJECTS: [(&str, &[Verb]); 12] = [
    ("dice, choices, and the lines of a ruling", lines::VERBS),
    ("decks, cups and hands", cards::VERBS),
    (
        "charts, readings, and sheets that procedures fill in",
        tables::VERBS,
    ),
    ("pieces", pieces::VERBS),
    ("places, what lies between them, and tracks", places::VERBS),
    ("how far something reaches, and by which way", search::VERBS),
    ("lists of pieces", lists::VERBS),
    ("arithmetic", arithmetic::VERBS),
    ("changes to the situation", change::VERBS),
    ("examples", examples::VERBS),
    ("lists and maps, from the language itself", language::VERBS),
    (
        "texts, numbers and any value, from the language itself",
        texts::VERBS,
    ),
];

/// Returns all verbs in the order of [`SUBJECTS`].
pub fn all() -> &'static [&'static Verb] {
    static ALL: OnceLock<Vec<&'static Verb>> = OnceLock::new();
    ALL.get_or_init(|| SUBJECTS.iter().flat_map(|(_, verbs)| *verbs).collect())
}

/// Finds the index in [`all`] of a verb by name and number of arguments.
pub fn find(name: &str, count: usize) -> Option<u16> {
    static INDEX: OnceLock<rustc_hash::FxHashMap<&'static str, Vec<u16>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: rustc_hash::FxHashMap<&'static str, Vec<u16>> = Default::default();
        all()
            .iter()
            .zip(0..)
            .for_each(|(verb, number)| index.entry(verb.name).or_default().push(number));
        index
    });
    index
        .get(name)?
        .iter()
        .copied()
        .find(|number| all()[*number as usize].accepts_count(count))
}

/// Finds a verb by name and number of arguments.
pub fn lookup(name: &str, count: usize) -> Option<&'static Verb> {
    find(name, count).map(|number| all()[number as usize])
}

/// Returns all verbs of a name. Several may share a name for different types of values.
pub fn named(name: &str) -> impl Iterator<Item = &'static Verb> {
    all().iter().copied().filter(move |verb| verb.name == name)
}

/// Former names of verbs, and those of other languages, with their name and how they are called now.
const FORMER: [(&str, &str, &str); 9] = [
    ("filter", "where", "list.where(|u| ...)"),
    ("only", "where", "list.where(\"a kind or group\")"),
    ("having", "where", "list.where(#{ figure: value })"),
    ("not_having", "without", "list.without(#{ figure: value })"),
    ("includes", "contains", "list.contains(value)"),
    ("indexOf", "index_of", "list.index_of(value)"),
    ("forEach", "for", "for unit in list { ... }"),
    ("every", "all", "list.all(|u| ...)"),
    ("toUpperCase", "to_upper", "text.to_upper()"),
];

/// Returns the verb that replaces a former one, and an example of its call.
pub fn replacement(name: &str) -> Option<(&'static str, &'static str)> {
    FORMER
        .iter()
        .find(|(former, ..)| *former == name)
        .map(|(_, verb, call)| (*verb, *call))
}

/// Returns the name of a verb that throws or draws.
pub fn throw_name(throw: ThrowVerb) -> &'static str {
    all()
        .iter()
        .find(|verb| verb.form() == Some(VerbOperation::Throw(throw)))
        .map_or("", |verb| verb.name)
}

/// Whether a verb of this name exists.
pub fn is_verb(name: &str) -> bool {
    all().iter().any(|verb| verb.name == name)
}

/// Fails if an argument has a type the verb does not accept.
pub fn check_args(verb: &Verb, args: &[&Value]) -> VerbResult<()> {
    // The machine has run the closure and passes its refusal as the first argument.
    let handed_over = usize::from(matches!(
        verb.implementation,
        VerbImplementation::OfRefusal(_)
    ));
    for (Parameter { name, types, .. }, value) in verb.params.iter().zip(args).skip(handed_over) {
        if types & type_of_value(value) == 0 {
            let message = format!(
                "`{}` takes {} for `{name}`; it was given {}",
                verb.name,
                describe(*types),
                value.describe_type()
            );
            let help = if value.is_nothing() {
                NOTHING_ADVICE
            } else {
                verb.description
            };
            return fault(DiagnosticCode::Running, message, help);
        }
    }
    Ok(())
}
