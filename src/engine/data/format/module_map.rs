//! Maps between the pieces of a VASSAL module and those of a game.

use super::{FieldType::*, NAMED_TEXTS, TEXTS, one_of, words_of};

/// Whether pieces that are not named are left out, by their word.
pub const OTHERS: [(&str, bool); 1] = [("ignored", true)];

formats! {
    pub MODULE_MAP = "module map", "<name>.yaml in the data folder, or beside a saved game of VASSAL",
        "What the pieces and places of a VASSAL module are in a game, so that its saved games can be read as situations." {
        module_map!: Text, "Its name, which is the file's.";
        module!: Text, "The name of the module; saved games of another are refused.";
        game!: Text, "The game.";
        like!: Text, "The situation that gives what a saved game does not hold: procedure, tracks, rosters, figures of pieces.";
        maps?: TEXTS, "The maps of the module whose pieces count; all of them where nothing is said.";
        places?: Object(&PLACE_NAMES), "How names of places in the module become names in the game.";
        keep?: TEXTS, "Names or kinds of pieces of that situation for which the module has no counters; they stay where they are.";
        others?: one_of("way with other pieces", &words_of(&OTHERS)), "`ignored` leaves out every piece that is not named here; else they \
            are an error.";
        pieces!: Map(&Text, &Object(&MAPPED_PIECE)), "The pieces, by their own names in the module, or by those that VASSAL shows.";
    }

    pub PLACE_NAMES = "places of a module", "places: of a module map",
        "How names of places in the module become names in the game." {
        before?: Text, "A text that is put before each name: `C` makes C2409 of 2409.";
        names?: NAMED_TEXTS, "Names that differ altogether, also of decks: `Dead Pile: \"\"` leaves out the pieces there.";
    }

    pub MAPPED_PIECE = "piece of a module", "pieces: of a module map",
        "What a piece is in the game: `Dead pile: { ignored: true }`. Nothing is needed where the situation has a piece of that name.",
        "the keys of a piece in a situation" {
        piece?: Text, "Its name in the game, where that differs.";
        ignored?: Flag, "Whether it is left out: a marker that the rules don't ask about.";
        layers?: Map(&Text, &Map(&Text, &Object(&LAYER))), "By layer and level, what the level changes: `Flipped: { 2: { value: \"3-3\" } \
            }`; `off` is a layer not shown.";
        figures?: NAMED_TEXTS, "Attributes whose value is a property of the piece in the module, such as a field of a property sheet: \
            `size: Size`.";
    }

    pub LAYER = "level of a layer", "layers: of a piece of a module",
        "What a piece is while the level shows.",
        "the keys of a piece in a situation" {
        ignored?: Flag, "Whether the piece is left out.";
    }
}
