//! Situations, rosters and deployments.

use super::{Format, Holds::*, KINDS, STATUSES, key, needed};

/// `scenarios/<game>/<name>.yaml`
pub static SITUATION: Format = Format {
    name: "situation",
    place: "scenarios/<game>/<name>.yaml, variants/<variant>/scenarios/<name>.yaml",
    does: "A situation that a procedure works on; a roster of figures that situations draw on; a deployment. In a variant also the changes to one.",
    keys: &[
        key("situation", Text, "Its name, which is the file's: it is a situation."),
        key("roster", Text, "Its name, which is the file's: it is a list of figures for situations to draw on."),
        key("deployment", Text, "Its name, which is the file's: it says who starts where."),
        needed("title", Text, "Its title."),
        key("kind", Words(KINDS), "What it does to the layers below; `rule` where nothing is said."),
        key("label", Text, "The printed label, where it says something else than the kind."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("status", Words(STATUSES), "How its figures are known, where a piece says nothing else."),
        key("method", Text, "How reconstructed figures were made."),
        key("with", Texts, "The variants in force where the command line names none."),
        key("procedure", Text, "The procedure that `casebook resolve` carries out."),
        key("goes_on", Flag, "Whether it is a game: after its procedure the sequence of play goes on to the end."),
        key("phase", Text, "The phase in which a game stands, where its procedure belongs to several."),
        key("uses", Texts, "The rosters it draws on: a piece that is named here has its figures from there."),
        key("tracks", Values, "Where the tracks stand."),
        key("map", Keys(&MAP), "What is known of places and of the sides between them."),
        key("pieces", Entries(&PIECE), "The pieces."),
        key("given", Values, "What is handed to the procedure: `given.from`."),
        key("choices", Values, "How choices are answered: `\"Red: bid\": 2`."),
        key("examples", Entries(&super::chart::EXAMPLE), "Questions asked of this board, run by `casebook test`."),
        key("tests", Entries(&super::trial::TEST), "Tests of its ruling, run by `casebook test`."),
        key("changes", Entries(&CHANGE), "What a variant changes, piece by piece."),
        key("option", Text, "The option of the variant that switches it."),
        key("note", Text, "What is odd about it in print."),
        key("idle", Text, "Why it moves no ruling."),
        key("text", Text, "What it is, in your own words."),
        key("options", Values, "The options that are set."),
        key("readings", Values, "The readings that are chosen."),
    ],
    more: "",
};

/// The map of a situation.
pub static MAP: Format = Format {
    name: "map",
    place: "map:",
    does: "What is known of places and of the sides between them.",
    keys: &[
        key("places", Named(&FEATURES), "Places by name, each with attributes of places."),
        key(
            "sides",
            Named(&FEATURES),
            "Sides by the two places, \"A/B\", each with attributes of sides; where places are names, these touch.",
        ),
        key("status", Words(STATUSES), "How it is known."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// What is known of a place, or of the side between two.
pub static FEATURES: Format = Format {
    name: "features",
    place: "places: and sides: of a map",
    does: "What is known of a place, or of the side between two.",
    keys: &[key("note", Text, "What is odd about it."), key("status", Words(STATUSES), "How it is known.")],
    more: "the attributes of places, or of sides, in the game's manifest",
};

/// A piece.
pub static PIECE: Format = Format {
    name: "piece",
    place: "pieces:",
    does: "A piece with its figures.",
    keys: &[
        needed("name", Text, "Its name, which no other piece of the file has."),
        key("kind", Text, "Its kind, one of the manifest's."),
        key("side", Text, "Its side, one of the manifest's."),
        key("at", Text, "The place it stands at."),
        key("on", Text, "The piece that carries it."),
        key("value", Text, "The two figures of its counter: \"6-3\"."),
        key("status", Words(STATUSES), "How its figures are known."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("note", Text, "What is odd about it."),
        key("printed", Texts, "The figures that are seen in print."),
        key("derived", Texts, "The figures that follow from printed ones."),
        key("reconstructed", Texts, "The figures that are made up."),
        key("missing", Texts, "The figures that are not known."),
    ],
    more: "the attributes of pieces in the game's manifest",
};

/// A change to a piece of the layer below.
pub static CHANGE: Format = Format {
    name: "change of a piece",
    place: "changes: of a situation",
    does: "A change to a piece of the layer below: `{ piece: Guard, power: { was: 3, now: 4 } }`.",
    keys: &[
        key("piece", Text, "The piece that is meant."),
        key("was", Text, "`absent` for a piece that is new."),
        key("now", Any, "Its figures, for a piece that is new; `deleted` for one that goes."),
        key("status", Words(STATUSES), "How it is known."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("option", Text, "The option of the variant that switches it."),
        key("note", Text, "What is odd about it."),
    ],
    more: "the attributes of pieces in the game's manifest, each `{ was: ..., now: ... }`; or `place:` or `side:` with theirs",
};

/// A change to what the layer below says of a place, or of the side between two.
pub static MAP_CHANGE: Format = Format {
    name: "change of the map",
    place: "changes: of a situation",
    does: "A change to what the layer below says of a place, or of the side between two.",
    keys: &[
        key("place", Text, "The place that is meant."),
        key("side", Text, "The side that is meant: A/B."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("status", Words(STATUSES), "How it is known."),
        key("note", Text, "What is odd about it."),
        key("option", Text, "The option of the variant that switches it."),
    ],
    more: "the attributes of places, or of sides, each `{ was: ..., now: ... }`",
};
