//! Maps between the pieces of a VASSAL module and those of a game.

use super::{FieldType::*, FileFormat, NAMED_TEXTS, TEXTS, Words, optional, required, words_of};
use crate::complaint::DiagnosticCode;

/// Whether pieces that are not named are left out, by their word.
pub const OTHERS: [(&str, bool); 1] = [("ignored", true)];

/// A file in the data folder, or beside a saved game.
pub static MODULE_MAP: FileFormat = FileFormat {
    name: "module map",
    location: "<name>.yaml in the data folder, or beside a saved game of VASSAL",
    description: "What the pieces and places of a VASSAL module are in a game, so that its saved games can be read as situations.",
    keys: &[
        required("module_map", Text, "Its name, which is the file's."),
        required(
            "module",
            Text,
            "The name of the module; saved games of another are refused.",
        ),
        required("game", Text, "The game."),
        required(
            "like",
            Text,
            "The situation that gives what a saved game does not hold: procedure, tracks, rosters, figures of pieces.",
        ),
        optional(
            "maps",
            TEXTS,
            "The maps of the module whose pieces count; all of them where nothing is said.",
        ),
        optional(
            "places",
            Object(&PLACE_NAMES),
            "How names of places in the module become names in the game.",
        ),
        optional(
            "keep",
            TEXTS,
            "Names or kinds of pieces of that situation for which the module has no counters; they stay where they are.",
        ),
        optional(
            "others",
            OneOf(&Words {
                noun: "way with other pieces",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&OTHERS),
            }),
            "`ignored` leaves out every piece that is not named here; else they are an error.",
        ),
        required(
            "pieces",
            Map(&Text, &Object(&MAPPED_PIECE)),
            "The pieces, by their own names in the module, or by those that VASSAL shows.",
        ),
    ],
    extra_keys: "",
};

pub static PLACE_NAMES: FileFormat = FileFormat {
    name: "places of a module",
    location: "places: of a module map",
    description: "How names of places in the module become names in the game.",
    keys: &[
        optional(
            "before",
            Text,
            "A text that is put before each name: `C` makes C2409 of 2409.",
        ),
        optional(
            "names",
            NAMED_TEXTS,
            "Names that differ altogether, also of decks: `Dead Pile: \"\"` leaves out the pieces there.",
        ),
    ],
    extra_keys: "",
};

/// What a piece of a module is.
pub static MAPPED_PIECE: FileFormat = FileFormat {
    name: "piece of a module",
    location: "pieces: of a module map",
    description: "What a piece is in the game: `Dead pile: { ignored: true }`. Nothing is needed where the situation has a piece of that name.",
    keys: &[
        optional("piece", Text, "Its name in the game, where that differs."),
        optional(
            "ignored",
            Flag,
            "Whether it is left out: a marker that the rules don't ask about.",
        ),
        optional(
            "layers",
            Map(&Text, &Map(&Text, &Object(&LAYER))),
            "By layer and level, what the level changes: `Flipped: { 2: { value: \"3-3\" } }`; `off` is a layer not shown.",
        ),
        optional(
            "figures",
            NAMED_TEXTS,
            "Attributes whose value is a property of the piece in the module, such as a field of a property sheet: `size: Size`.",
        ),
    ],
    extra_keys: "the keys of a piece in a situation",
};

/// What a level of a layer changes.
pub static LAYER: FileFormat = FileFormat {
    name: "level of a layer",
    location: "layers: of a piece of a module",
    description: "What a piece is while the level shows.",
    keys: &[optional("ignored", Flag, "Whether the piece is left out.")],
    extra_keys: "the keys of a piece in a situation",
};
