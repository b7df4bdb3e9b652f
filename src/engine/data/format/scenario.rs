//! Situations, rosters and deployments.

use super::game::MAX_CARDS;
use super::{
    FieldType::*, FileFormat, KIND, NAMED_FLAGS, NAMED_TEXTS, NAMED_VALUES, NumberRange, SOURCES,
    STATUS, TEXTS, optional, required,
};
use crate::complaint::DiagnosticCode;
use crate::data::reference_kind::ReferenceKind;

/// `scenarios/<game>/<name>.yaml`
pub static SITUATION: FileFormat = FileFormat {
    name: "situation",
    location: "scenarios/<game>/<name>.yaml, variants/<variant>/scenarios/<name>.yaml",
    description: "A situation that a procedure works on; a roster of figures that situations draw on; a deployment. In a variant also the changes to one: a value is `{ was: ..., now: ... }`, or new.",
    keys: &[
        optional(
            "situation",
            Text,
            "Its name, which is the file's: it is a situation.",
        ),
        optional(
            "roster",
            Text,
            "Its name, which is the file's: it is a list of figures for situations to draw on.",
        ),
        optional(
            "deployment",
            Text,
            "Its name, which is the file's: it says who starts where.",
        ),
        required("title", Title, "Its title."),
        optional(
            "kind",
            KIND,
            "What it does to the layers below; `rule` where nothing is said.",
        ),
        optional(
            "label",
            Text,
            "The printed label, where it says something else than the kind.",
        ),
        optional("source", SOURCES, "Where it comes from."),
        optional(
            "status",
            STATUS,
            "How its figures are known, where a piece or the map says nothing else.",
        ),
        optional(
            "method",
            Text,
            "The method by which reconstructed figures were made.",
        ),
        optional(
            "with",
            ListOf(&Name(ReferenceKind::Variant)),
            "The variants in force where the command line names none.",
        ),
        optional(
            "procedure",
            Name(ReferenceKind::Procedure),
            "The procedure that `casebook resolve` carries out.",
        ),
        optional(
            "goes_on",
            Flag,
            "Whether it is a game: after its procedure the sequence of play goes on to the end.",
        ),
        optional(
            "phase",
            Text,
            "The current phase of a game, where its procedure belongs to several.",
        ),
        optional(
            "uses",
            TEXTS,
            "The rosters it draws on: a piece that is named here has its figures from there.",
        ),
        optional(
            "tracks",
            Map(&Name(ReferenceKind::Track), &Any),
            "The values of the tracks.",
        ),
        optional(
            "decks",
            Map(&Name(ReferenceKind::Deck), &Object(&DECK_CONTENTS)),
            "What lies where of the cards of a deck; without it all are in the stock.",
        ),
        optional(
            "map",
            Object(&MAP),
            "The known features of places and of the sides between them.",
        ),
        optional("pieces", ListOf(&Object(&PIECE)), "The pieces."),
        optional(
            "given",
            NAMED_VALUES,
            "The inputs of the procedure: `given.from`.",
        ),
        optional(
            "choices",
            NAMED_VALUES,
            "How choices are answered: `\"Red: bid\": 2`.",
        ),
        optional(
            "examples",
            ListOf(&Object(&super::table::EXAMPLE)),
            "Questions asked of this board, run by `casebook test`.",
        )
        .apart(),
        optional(
            "tests",
            ListOf(&Object(&super::ruling_test::TEST)),
            "Tests of its ruling, run by `casebook test`.",
        )
        .apart(),
        optional(
            "changes",
            ListOf(&Object(&CHANGE)),
            "What a variant changes of the pieces below, and under an option of other values.",
        ),
        optional(
            "option",
            Name(ReferenceKind::Switch),
            "The option of the variant that switches it.",
        ),
        optional("note", Text, "A remark on the printed text."),
        optional("idle", Text, "Why it changes no ruling."),
        optional("text", Text, "What it is, in your own words."),
        optional(
            "also",
            TEXTS,
            "Other words by which it is found in the list of situations.",
        ),
        optional(
            "aims",
            Map(&Name(ReferenceKind::Side), &Text),
            "What each side of a game has to do to win, in one sentence.",
        ),
        optional("length", Text, "How long a game of it is: `eight turns`."),
        optional(
            "computer",
            Map(&Name(ReferenceKind::Side), &Object(&COMPUTER)),
            "How the computer plays each side best, as far as games between the styles show.",
        ),
        optional("options", NAMED_FLAGS, "The options that are set."),
        optional("readings", NAMED_TEXTS, "The readings that are chosen."),
    ],
    extra_keys: "",
};

/// Keys that say something of the file itself, not of the list.
pub const OF_THE_FILE: [&str; 14] = [
    "situation",
    "roster",
    "deployment",
    "kind",
    "label",
    "source",
    "status",
    "method",
    "examples",
    "tests",
    "changes",
    "option",
    "note",
    "idle",
];

/// Keys that choose the rules, before a variant applies.
pub const OF_THE_RULES: [&str; 3] = ["with", "options", "readings"];

/// Keys of an entry of `changes:` that name no value.
pub const ENTRY_KEYS: [&str; 4] = ["status", "source", "option", "note"];

/// How the computer plays a side.
pub static COMPUTER: FileFormat = FileFormat {
    name: "computer",
    location: "computer:",
    description: "The style by which the computer plays a side, and what was measured of it.",
    keys: &[
        required("style", Text, "A style of the game."),
        required(
            "measured",
            Text,
            "How it did in games: `wins 36 of 60 games against bold`.",
        ),
    ],
    extra_keys: "",
};

/// How many cards of a kind lie somewhere.
const CARD_COUNT: super::FieldType = Number(NumberRange {
    from: 0,
    to: MAX_CARDS as i128,
    code: DiagnosticCode::Deck,
});

/// Cards: numbers by kind, or a list of kinds.
pub const CARDS: super::FieldType = AnyOf(&[Map(&Face, &CARD_COUNT), ListOf(&Face)]);

/// Where the cards of a deck lie in a situation.
pub static DECK_CONTENTS: FileFormat = FileFormat {
    name: "deck contents",
    location: "decks: of a situation",
    description: "Where the cards of a deck lie: numbers by kind, `{ ace: 2 }`, or a list, `[ace, ace]`. What is named nowhere is in the stock.",
    keys: &[
        optional(
            "stock",
            CARDS,
            "What is left in the stock, in an unknown order; what is named nowhere is then out of the game.",
        ),
        optional(
            "top",
            CARDS,
            "The cards on top of it that are known, the first on top.",
        ),
        optional(
            "bottom",
            CARDS,
            "The cards at the bottom of it that are known, the lowest last.",
        ),
        optional(
            "hands",
            Map(&Name(ReferenceKind::Side), &CARDS),
            "The hands, by side.",
        ),
        optional(
            "out",
            CARDS,
            "The cards that are laid out: drawn or played, and in no hand.",
        ),
        optional("discards", CARDS, "The discards."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// The map of a situation.
pub static MAP: FileFormat = FileFormat {
    name: "map",
    location: "map:",
    description: "The known features of places and of the sides between them.",
    keys: &[
        optional(
            "places",
            Map(&Name(ReferenceKind::Place), &Object(&FEATURES)),
            "Places by name, each with attributes of places.",
        ),
        optional(
            "sides",
            Map(&Text, &Object(&FEATURES)),
            "Sides by the two places, \"A/B\", each with attributes of sides; where places are names, these touch.",
        ),
        optional(
            "status",
            STATUS,
            "How its features are known, where a place or side says nothing else; without it as the file is.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// Features of a place, or of the side between two places.
pub static FEATURES: FileFormat = FileFormat {
    name: "features",
    location: "places: and sides: of a map",
    description: "The known features of a place, or of the side between two.",
    keys: &[
        optional("note", Text, "A remark for readers."),
        optional(
            "status",
            STATUS,
            "How it is known, where the map says it of the rest otherwise; `missing` where nothing is.",
        ),
    ],
    extra_keys: "the attributes of places, or of sides, in the game's manifest",
};

/// Figures of a piece.
const FIGURES: super::FieldType = ListOf(&Name(ReferenceKind::Figure));

pub static PIECE: FileFormat = FileFormat {
    name: "piece",
    location: "pieces:",
    description: "A piece with its figures.",
    keys: &[
        required(
            "name",
            Text,
            "Its name, which no other piece of the file has.",
        ),
        optional(
            "kind",
            Name(ReferenceKind::Kind),
            "Its kind, one of the manifest's.",
        ),
        optional(
            "side",
            Name(ReferenceKind::Side),
            "Its side, one of the manifest's.",
        ),
        optional("at", Name(ReferenceKind::Place), "The place where it is."),
        optional("on", Text, "The piece that carries it."),
        optional("value", Text, "The two figures of its counter: \"6-3\"."),
        optional("status", STATUS, "How its figures are known."),
        optional("source", SOURCES, "Where it comes from."),
        optional("note", Text, "A remark for readers."),
        optional("printed", FIGURES, "The figures that are seen in print."),
        optional(
            "derived",
            FIGURES,
            "The figures that follow from printed ones.",
        ),
        optional(
            "house",
            FIGURES,
            "The figures that are set by hand, and no source prints.",
        ),
        optional(
            "reconstructed",
            FIGURES,
            "The figures that were made up by a method.",
        ),
        optional("missing", FIGURES, "The figures that are not known."),
    ],
    extra_keys: "the attributes of pieces in the game's manifest",
};

/// A change to a piece of a lower layer.
pub static CHANGE: FileFormat = FileFormat {
    name: "change of a piece",
    location: "changes: of a situation",
    description: "A change to a piece of the layer below: `{ piece: Guard, power: { was: 3, now: 4 } }`; to a place or side: `{ place: C1, height: { was: 1, now: 2 } }`; or to another value: `{ tracks: { turn: { was: 3, now: 4 } } }`, which may also stand at the head of the file.",
    keys: &[
        optional("piece", Text, "The piece that changes."),
        optional("was", Text, "`absent` for a piece that is new."),
        optional(
            "now",
            Any,
            "Its figures, for a piece that is new; `deleted` for one that goes.",
        ),
        optional(
            "status",
            STATUS,
            "How its new figures are known: `printed` where nothing is said.",
        ),
        optional("source", SOURCES, "Where it comes from."),
        optional(
            "option",
            Name(ReferenceKind::Switch),
            "The option of the variant that switches it.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "the attributes of pieces in the game's manifest, each `{ was: ..., now: ... }`, where `now: absent` takes one away; or `place:` or `side:` with theirs; or keys of a situation",
};
