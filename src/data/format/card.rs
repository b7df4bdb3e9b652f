//! The card of a case, and a variant's manifest.

use super::{Format, Holds::*, KINDS, STATUSES, key, needed};

/// The `//!` lines of a case.
pub static CARD: Format = Format {
    name: "case",
    place: "rules/<game>/<section>/<case>.rhai, variants/<variant>/rules/<section>/<case>.rhai",
    does: "A case: its card in `//!` lines, then its functions, then up to three examples that show the rule. Functions that stand \
           `private` are helpers of the file; all others are answers that a later layer may give anew. More examples stand in its test \
           file, tests/<game>/<section>/<case>.rhai or variants/<variant>/tests/<section>/<case>.rhai.",
    keys: &[
        key("case", Text, "Its number, in quotes, or its name where it has none; the file's name begins with it."),
        needed("title", Text, "What it is about."),
        needed("kind", Words(KINDS), "What it does to the layers below; `casebook explain kind` says what each demands."),
        key("label", Text, "The printed label, where it says something else than the kind."),
        key("status", Words(STATUSES), "How the case is known; printed where nothing is said."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("text", Text, "What it says, in your own words."),
        key(
            "readings",
            Values,
            "Ways to read a doubtful text, `name: [the default, another]`; `reading(\"name\")` asks which is in force.",
        ),
        key("option", Text, "The option of the variant that switches it."),
        key("procedure", Texts, "The procedures it carries out, or has a part in; only such a case may change the situation."),
        key("replaces", Texts, "Functions of the older case that no longer stand."),
        key("reinstates", Text, "The layer whose answers it brings back."),
        key("note", Text, "What is odd about it in print."),
        key("idle", Text, "Why no procedure asks it, or why it moves no ruling."),
    ],
    more: "",
};

/// `variants/<variant>/variant.yaml`
pub static VARIANT: Format = Format {
    name: "variant",
    place: "variants/<variant>/variant.yaml",
    does: "A layer over a game: errata, a variant, house rules. Beside it stand `rules`, `tables` and `scenarios` with what it amends.",
    keys: &[
        key("variant", Text, "Its short name, which is its folder's."),
        needed("title", Text, "Its title."),
        needed("game", Text, "The game it is for."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("after", Texts, "The variants over which it is laid where they are in force."),
        key("needs", Texts, "The variants that come into force with it."),
        key("excludes", Texts, "The variants that can't be in force beside it."),
        key("version", Text, "Its version, as its author counts."),
        key("options", Named(&OPTION), "Parts of it that can be switched by themselves."),
        key("kinds", Named(&super::game::KIND), "Kinds of piece of its own."),
        key("attributes", Named(&super::game::ATTRIBUTE), "Figures, flags and words of pieces of its own."),
        key(
            "places",
            Keys(&PLACES_ADDED),
            "What places, and the sides between them, may have beside what the game gives them; boxes of its own.",
        ),
        key("tracks", Named(&super::game::TRACK), "Tracks of its own."),
        key("procedures", super::game::PROCEDURES, "Procedures of its own; a case of it carries each out."),
        key("sequence", Entries(&PHASE_ADDED), "Phases of its own, and procedures it adds to phases of the game."),
        key("together", Texts, "Words with which values of outcomes of its own begin that belong together in odds."),
        key("follow", Texts, "Outcomes of its own that are worth following from round to round."),
        key("ends_when", Values, "Outcomes of its own that end a game, with the value they then have."),
        key("sheets", Each(&Named(&super::game::FIELD)), "Sheets of its own, and fields it adds to those of the game."),
        key("note", Text, "What is odd about it."),
        key("text", Text, "What it is for, in your own words."),
    ],
    more: "",
};

/// What a variant adds to the places of its game.
pub static PLACES_ADDED: Format = Format {
    name: "places of a variant",
    place: "places: of a variant",
    does: "What a variant adds to the places of its game.",
    keys: &[
        key("attributes", Named(&super::game::ATTRIBUTE), "What a place may have."),
        key("sides", Named(&super::game::ATTRIBUTE), "What the side between two places may have."),
        key("boxes", Texts, "Places beside the map."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// A phase that a variant adds to the sequence of play, or adds procedures to.
pub static PHASE_ADDED: Format = Format {
    name: "phase of a variant",
    place: "sequence: of a variant",
    does: "A phase that a variant adds to the sequence of play; where the game has one of this name, procedures that are added to it.",
    keys: &[
        needed("phase", Text, "Its name."),
        key("after", Text, "The phase it follows; of procedures added to a phase, the procedure they follow. Without it they come last."),
        key("once_a", Text, "The track that brings it round, of a new phase."),
        key("procedures", Texts, "The procedures carried out in it."),
        key("status", Words(STATUSES), "How it is known."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// A part of a variant that can be switched by itself.
pub static OPTION: Format = Format {
    name: "option",
    place: "options:",
    does: "A part of a variant that can be switched by itself: `--option variant.name=off`.",
    keys: &[
        key("title", Text, "What it is."),
        key("default", Flag, "Whether it is on where nothing is said; it is."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};
