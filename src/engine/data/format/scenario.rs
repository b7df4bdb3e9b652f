//! Situations, rosters and deployments.

use super::{FieldType::*, FileFormat, KIND_NAMES, STATUS_NAMES, optional, required};

/// `scenarios/<game>/<name>.yaml`
pub static SITUATION: FileFormat = FileFormat {
    name: "situation",
    location: "scenarios/<game>/<name>.yaml, variants/<variant>/scenarios/<name>.yaml",
    description: "A situation that a procedure works on; a roster of figures that situations draw on; a deployment. In a variant also the changes to one.",
    keys: &[
        optional("situation", Text, "Its name, which is the file's: it is a situation."),
        optional("roster", Text, "Its name, which is the file's: it is a list of figures for situations to draw on."),
        optional("deployment", Text, "Its name, which is the file's: it says who starts where."),
        required("title", Text, "Its title."),
        optional("kind", OneOf(KIND_NAMES), "What it does to the layers below; `rule` where nothing is said."),
        optional("label", Text, "The printed label, where it says something else than the kind."),
        optional("source", Objects(&super::SOURCE), "Where it comes from."),
        optional("status", OneOf(STATUS_NAMES), "How its figures are known, where a piece or the map says nothing else."),
        optional("method", Text, "The method by which reconstructed figures were made."),
        optional("with", Texts, "The variants in force where the command line names none."),
        optional("procedure", Text, "The procedure that `casebook resolve` carries out."),
        optional("goes_on", Flag, "Whether it is a game: after its procedure the sequence of play goes on to the end."),
        optional("phase", Text, "The phase in which a game stands, where its procedure belongs to several."),
        optional("uses", Texts, "The rosters it draws on: a piece that is named here has its figures from there."),
        optional("tracks", NamedValues, "Where the tracks stand."),
        optional("decks", NamedObjects(&DECK_CONTENTS), "What lies where of the cards of a deck; without it all are in the stock."),
        optional("map", Object(&MAP), "The known features of places and of the sides between them."),
        optional("pieces", Objects(&PIECE), "The pieces."),
        optional("given", NamedValues, "The inputs of the procedure: `given.from`."),
        optional("choices", NamedValues, "How choices are answered: `\"Red: bid\": 2`."),
        optional("examples", Objects(&super::table::EXAMPLE), "Questions asked of this board, run by `casebook test`."),
        optional("tests", Objects(&super::ruling_test::TEST), "Tests of its ruling, run by `casebook test`."),
        optional("changes", Objects(&CHANGE), "What a variant changes, piece by piece."),
        optional("option", Text, "The option of the variant that switches it."),
        optional("note", Text, "A remark on the printed text."),
        optional("idle", Text, "Why it changes no ruling."),
        optional("text", Text, "What it is, in your own words."),
        optional("also", Texts, "Other words by which it is found in the list of situations."),
        optional("options", NamedValues, "The options that are set."),
        optional("readings", NamedValues, "The readings that are chosen."),
    ],
    extra_keys: "",
};

/// Cards: numbers by kind, or a list of kinds.
const CARDS: super::FieldType = AnyOf(&[NamedEach(&Number), Texts]);

/// Where the cards of a deck lie in a situation.
pub static DECK_CONTENTS: FileFormat = FileFormat {
    name: "deck contents",
    location: "decks: of a situation",
    description: "Where the cards of a deck lie: numbers by kind, `{ ace: 2 }`, or a list, `[ace, ace]`. What is named nowhere is in the stock.",
    keys: &[
        optional(
            "stock",
            CARDS,
            "What is left in the stock, in an order that nobody knows; what is named nowhere is then out of the game.",
        ),
        optional("top", CARDS, "The cards on top of it that are known, the first on top."),
        optional("bottom", CARDS, "The cards at the bottom of it that are known, the lowest last."),
        optional("hands", NamedEach(&CARDS), "The hands, by side."),
        optional("out", CARDS, "The cards that are laid out: drawn or played, and in no hand."),
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
        optional("places", NamedObjects(&FEATURES), "Places by name, each with attributes of places."),
        optional(
            "sides",
            NamedObjects(&FEATURES),
            "Sides by the two places, \"A/B\", each with attributes of sides; where places are names, these touch.",
        ),
        optional(
            "status",
            OneOf(STATUS_NAMES),
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
            OneOf(STATUS_NAMES),
            "How it is known, where the map says it of the rest otherwise; `missing` where nothing is.",
        ),
    ],
    extra_keys: "the attributes of places, or of sides, in the game's manifest",
};

/// A piece.
pub static PIECE: FileFormat = FileFormat {
    name: "piece",
    location: "pieces:",
    description: "A piece with its figures.",
    keys: &[
        required("name", Text, "Its name, which no other piece of the file has."),
        optional("kind", Text, "Its kind, one of the manifest's."),
        optional("side", Text, "Its side, one of the manifest's."),
        optional("at", Text, "The place it stands at."),
        optional("on", Text, "The piece that carries it."),
        optional("value", Text, "The two figures of its counter: \"6-3\"."),
        optional("status", OneOf(STATUS_NAMES), "How its figures are known."),
        optional("source", Objects(&super::SOURCE), "Where it comes from."),
        optional("note", Text, "A remark for readers."),
        optional("printed", Texts, "The figures that are seen in print."),
        optional("derived", Texts, "The figures that follow from printed ones."),
        optional("house", Texts, "The figures that are set by hand, and no source prints."),
        optional("reconstructed", Texts, "The figures that were made up by a method."),
        optional("missing", Texts, "The figures that are not known."),
    ],
    extra_keys: "the attributes of pieces in the game's manifest",
};

/// A change to a piece of a lower layer.
pub static CHANGE: FileFormat = FileFormat {
    name: "change of a piece",
    location: "changes: of a situation",
    description: "A change to a piece of the layer below: `{ piece: Guard, power: { was: 3, now: 4 } }`.",
    keys: &[
        optional("piece", Text, "The piece that changes."),
        optional("was", Text, "`absent` for a piece that is new."),
        optional("now", Any, "Its figures, for a piece that is new; `deleted` for one that goes."),
        optional("status", OneOf(STATUS_NAMES), "How its new figures are known: `printed` where nothing is said."),
        optional("source", Objects(&super::SOURCE), "Where it comes from."),
        optional("option", Text, "The option of the variant that switches it."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "the attributes of pieces in the game's manifest, each `{ was: ..., now: ... }`; or `place:` or `side:` with theirs",
};

/// A change to features of a place or side in a lower layer.
pub static MAP_CHANGE: FileFormat = FileFormat {
    name: "change of the map",
    location: "changes: of a situation",
    description: "A change to the features of a place, or of the side between two, in the layer below.",
    keys: &[
        optional("place", Text, "The place that changes."),
        optional("side", Text, "The side that changes: A/B."),
        optional("source", Objects(&super::SOURCE), "Where it comes from."),
        optional("status", OneOf(STATUS_NAMES), "How its new features are known: `printed` where nothing is said."),
        optional("note", Text, "A remark for readers."),
        optional("option", Text, "The option of the variant that switches it."),
    ],
    extra_keys: "the attributes of places, or of sides, each `{ was: ..., now: ... }`",
};
