//! The card of a case, and a variant's manifest.

use super::{
    FieldType::*, FileFormat, KIND, NAMED_LISTS, NAMED_TEXTS, SOURCES, STATUS, TEXTS, Words,
    optional, required,
};
use crate::complaint::DiagnosticCode;
use crate::data::reference_kind::ReferenceKind;

/// The `//!` lines of a case.
pub static CARD: FileFormat = FileFormat {
    name: "case",
    location: "rules/<game>/<section>/<case>.rhai, variants/<variant>/rules/<section>/<case>.rhai",
    description: "A case: its card in `//!` lines, then its functions, then up to three examples that show the rule. Functions marked \
           `private` are helpers of the file; all others are answers that a later layer may replace. More examples are in its test \
           file, tests/<game>/<section>/<case>.rhai or variants/<variant>/tests/<section>/<case>.rhai.",
    keys: &[
        optional(
            "case",
            Text,
            "Its number, in quotes, or its name where it has none; the file's name begins with it.",
        ),
        required("title", Title, "What it is about."),
        required(
            "kind",
            KIND,
            "What it does to the layers below; `casebook explain kind` says what each demands.",
        ),
        optional(
            "label",
            Text,
            "The printed label, where it says something else than the kind.",
        ),
        optional(
            "status",
            STATUS,
            "How the case is known; printed where nothing is said.",
        ),
        optional("source", SOURCES, "Where it comes from."),
        optional("text", Text, "The rule, in your own words."),
        optional(
            "readings",
            NAMED_LISTS,
            "Ways to read a doubtful text, `name: [the default, another]`; `reading(\"name\")` asks which is in force.",
        ),
        optional(
            "usual",
            NAMED_LISTS,
            "Questions of routine with the answer that is nearly always given, `question: option`; `*` stands for a name, `first` for a place. Play can answer them by itself.",
        ),
        optional(
            QUESTIONS,
            Map(&Text, &Object(&QUESTION_WORDS)),
            "The wording of its questions for people, `question: { ask: a sentence, options: { option: what it does } }`; `*` stands for a name in it, and comes again in the sentence.",
        ),
        optional(
            "secret",
            TEXTS,
            "Questions whose answers the other side learns only when all have answered; `*` stands for a name.",
        ),
        optional(
            "option",
            Name(ReferenceKind::Switch),
            "The option of the variant that switches it.",
        ),
        optional(
            "procedure",
            TEXTS,
            "The procedures it carries out, or has a part in; only such a case may change the situation.",
        ),
        optional(
            "given",
            Map(&Text, &Object(&GIVEN)),
            "What a situation hands the procedures whose functions are here, by name: `from: { names: place, what: The hex it comes from. }`. \
             What an older layer declares stays.",
        ),
        optional(
            "headline",
            NAMED_LISTS,
            "What is read first among the outcomes of its procedures, as `what it is called: figure`. A figure is a condition, whose \
             chance is shown (`retreat`, which is `retreat = yes`; `attack != none`; `hits >= 3`), or `mean hits`, taken over the cases in \
             which the outcome comes up. Two figures are set against each other. `{target}` stands for what the situation hands the procedure as `target`.",
        ),
        optional(
            "good_for",
            NAMED_LISTS,
            "For whom more of an outcome is good, by outcome: a side; a name of `given:`, for the side of what the situation hands over \
             under it; a track that names a side; or `enemy of` one of them. Of several names the first counts that leads to a side. \
             `casebook luck` keeps the balance of each side by it.",
        ),
        optional(
            "replaces",
            TEXTS,
            "Functions of the older case that no longer hold.",
        ),
        optional(
            "reinstates",
            Text,
            "The layer whose answers it brings back.",
        ),
        optional("note", Text, "A remark on the printed text."),
        optional(
            "idle",
            Text,
            "Why no procedure asks it, or why it changes no ruling.",
        ),
    ],
    extra_keys: "",
};

/// A name that a procedure is given.
pub static GIVEN: FileFormat = FileFormat {
    name: "given",
    location: "given: of a case",
    description: "What a situation hands a procedure under one name.",
    keys: &[
        GIVEN_KEYS[0],
        GIVEN_KEYS[1],
        GIVEN_KEYS[2],
        GIVEN_KEYS[3],
        GIVEN_KEYS[4],
        GIVEN_KEYS[5],
        optional("optional", Flag, "Whether a situation may leave it out."),
        optional(
            "or",
            Text,
            "Another name here: a situation gives one of the two.",
        ),
        optional(
            "each",
            AnyOf(&[Text, Map(&Text, &Object(&GIVEN_PART))]),
            "What a map has by name, or each map of a list; or the procedure that is given the same.",
        ),
    ],
    extra_keys: "",
};

/// The key of a card that words its questions.
pub const QUESTIONS: &str = "questions";

pub static QUESTION_WORDS: FileFormat = FileFormat {
    name: "wording of a question",
    location: "questions: of a case",
    description: "How a question is put to people; rules and styles go on to name it by what `choose` asks.",
    keys: &[
        optional(
            "ask",
            Text,
            "The question in one sentence; `*` is what stands for a name in it.",
        ),
        optional(
            "options",
            NAMED_TEXTS,
            "What options do, by option: `no more: End it`; `*` stands for any text in both.",
        ),
        optional(
            "main",
            Text,
            "The option that ends what is asked again and again, such as a phase: it has a button of its own.",
        ),
    ],
    extra_keys: "",
};

/// A name in a map that a procedure is given.
pub static GIVEN_PART: FileFormat = FileFormat {
    name: "part of given",
    location: "each: of given:",
    description: "One entry of a map that a procedure is given; it may be left out.",
    keys: &GIVEN_KEYS,
    extra_keys: "",
};

const GIVEN_KEYS: [super::FieldKey; 6] = [
    required("what", Text, "What it means, in one sentence."),
    optional(
        "names",
        TEXTS,
        "What it names: piece, place, side, kind, a track.",
    ),
    optional(
        "is",
        TEXTS,
        "What it may be: bands of numbers such as \"0-99\", words, `text`.",
    ),
    optional("flag", Flag, "Whether it is true or false."),
    optional(
        "keys",
        TEXTS,
        "What the keys name of a map with keys of its own.",
    ),
    optional(
        "list",
        AnyOf(&[
            Flag,
            OneOf(&Words {
                noun: "sort of list",
                code: DiagnosticCode::UnknownName,
                words: &["either"],
            }),
        ]),
        "Whether it is a list; `names:` and `is:` then say what each of it may be. `either`: one, or a list.",
    ),
];

/// `variants/<variant>/variant.yaml`
pub static VARIANT: FileFormat = FileFormat {
    name: "variant",
    location: "variants/<variant>/variant.yaml",
    description: "A layer over a game: errata, a variant, house rules. Beside it are `rules`, `tables` and `scenarios` with what it amends.",
    keys: &[
        optional("variant", Text, "Its short name: that of its folder."),
        required("title", Title, "Its title."),
        required("game", Text, "The game it is for."),
        optional("source", SOURCES, "Where it comes from."),
        optional(
            "after",
            ListOf(&Name(ReferenceKind::Variant)),
            "The variants that it changes if they are in force.",
        ),
        optional(
            "needs",
            ListOf(&Name(ReferenceKind::Variant)),
            "The variants that come into force with it.",
        ),
        optional(
            "excludes",
            ListOf(&Name(ReferenceKind::Variant)),
            "The variants that can't be in force together with it.",
        ),
        optional("version", Text, "Its version, as its author counts."),
        optional(
            "options",
            Map(&Text, &Object(&OPTION)),
            "Parts of it that can be switched by themselves.",
        ),
        optional(
            "dice",
            Map(&Text, &ListOf(&Face)),
            "Dice of its own, by name: their faces, the best word first.",
        ),
        optional(
            "decks",
            Map(&Text, &Object(&super::game::DECK)),
            "Decks and cups of its own, by name.",
        ),
        optional(
            "kinds",
            Map(&Text, &Object(&super::game::KIND)),
            "Kinds of piece of its own.",
        ),
        optional(
            "attributes",
            Map(&Text, &Object(&super::game::ATTRIBUTE)),
            "Figures, flags and words of pieces of its own.",
        ),
        optional(
            "places",
            Object(&PLACES_ADDED),
            "What places, and the sides between them, may have beside what the game gives them; boxes of its own.",
        ),
        optional(
            "tracks",
            Map(&Text, &Object(&super::game::TRACK)),
            "Tracks of its own.",
        ),
        optional(
            "procedures",
            super::game::PROCEDURES,
            "Procedures of its own; a case of it carries each out.",
        ),
        optional(
            "sequence",
            ListOf(&Object(&PHASE_ADDED)),
            "Phases of its own, and procedures it adds to phases of the game.",
        ),
        optional(
            "together",
            TEXTS,
            "First words of values of its outcomes: odds show the values that begin with one of them as a group.",
        ),
        optional(
            "groups",
            super::game::OUTCOME_GROUPS,
            "Groups of outcomes of its own, by title; what it adds to one of the game's is in both.",
        ),
        optional(
            "unnamed",
            super::game::OUTCOME_GROUPS,
            "What it means that an outcome of its own is not named, in words.",
        ),
        optional(
            "units",
            super::game::OUTCOME_TEXTS,
            "What values of outcomes of its own are counted in.",
        ),
        optional(
            "follow",
            super::game::OUTCOMES,
            "Outcomes of its own that the log of a game shows round by round.",
        ),
        optional(
            "ends_when",
            super::game::OUTCOME_TEXTS,
            "Outcomes of its own that end a game, with the value they then have.",
        ),
        optional(
            "sheets",
            Map(&Text, &Map(&Text, &Object(&super::game::FIELD))),
            "Sheets of its own, and fields it adds to those of the game.",
        ),
        optional(
            "changes",
            ListOf(&Object(&super::change::CHANGE)),
            "Changes of rules, in order: each builds on those before it.",
        ),
        optional("note", Text, "A remark for readers."),
        optional("text", Text, "What it is for, in your own words."),
    ],
    extra_keys: "",
};

/// Additions of a variant to the places of its game.
pub static PLACES_ADDED: FileFormat = FileFormat {
    name: "places of a variant",
    location: "places: of a variant",
    description: "What a variant adds to the places of its game.",
    keys: &[
        optional(
            "attributes",
            Map(&Text, &Object(&super::game::ATTRIBUTE)),
            "What a place may have.",
        ),
        optional(
            "sides",
            Map(&Text, &Object(&super::game::ATTRIBUTE)),
            "What the side between two places may have.",
        ),
        optional("boxes", TEXTS, "Places beside the map."),
        optional(
            "out_of_play",
            ListOf(&Name(ReferenceKind::Box)),
            "Those of these boxes whose pieces are out of play: nothing moves them but `take_from_box`.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// A phase that a variant adds to the sequence of play, or an existing one that gets more procedures.
pub static PHASE_ADDED: FileFormat = FileFormat {
    name: "phase of a variant",
    location: "sequence: of a variant",
    description: "A phase that a variant adds to the sequence of play; where the game has one of this name, procedures that are added to it.",
    keys: &[
        required("phase", Text, "Its name."),
        optional(
            "after",
            Text,
            "The phase it follows; of procedures added to a phase, the procedure they follow. Without it they come last.",
        ),
        optional(
            "once_a",
            Name(ReferenceKind::Track),
            "The track that brings it round, of a new phase.",
        ),
        optional(
            "procedures",
            ListOf(&Name(ReferenceKind::Procedure)),
            "The procedures carried out in it.",
        ),
        optional("status", STATUS, "How it is known."),
        optional("source", SOURCES, "Where it comes from."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// An individually switchable part of a variant.
pub static OPTION: FileFormat = FileFormat {
    name: "option",
    location: "options:",
    description: "A part of a variant that can be switched by itself: `--option variant.name=off`.",
    keys: &[
        optional("title", Text, "What it is."),
        optional(
            "default",
            Flag,
            "Whether it is on where nothing is said; it is.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};
