//! A game's manifest, and the list of its cases.

use super::{Format, Holds::*, key, needed};

/// `rules/<game>/game.yaml`
pub static GAME: Format = Format {
    name: "game",
    place: "rules/<game>/game.yaml",
    does: "The manifest of a game: what there is to name in its rules.",
    keys: &[
        key("game", Text, "Its short name, which is its folder's."),
        needed("title", Text, "Its title, as a ruling prints it."),
        key("main", Flag, "Whether it is meant where there are several games and none is named."),
        key("sides", Texts, "The sides, in order."),
        key("sources", Named(&DOCUMENT), "The documents that `doc:` names."),
        key("kinds", Named(&KIND), "The kinds of piece."),
        key("attributes", Named(&ATTRIBUTE), "What a piece may have: its figures, flags and words."),
        key("unit_value", Keys(&UNIT_VALUE), "What the two figures of a counter are called: \"6-3\"."),
        key("places", Keys(&PLACES), "How places are named, and how they lie to each other."),
        key("tracks", Named(&TRACK), "The tracks: numbers, turns of a calendar, or named boxes."),
        key(
            "procedures",
            PROCEDURES,
            "The procedures by name, each with one line on what it is; a case answers it: `take prisoners` is `fn take_prisoners(given)`.",
        ),
        key("sequence", Entries(&PHASE), "The sequence of play: phases with the procedures carried out in them."),
        key("board", Named(&QUESTION), "Questions that the map answers: of a piece that is clicked, or of the whole board."),
        key("together", Texts, "Words with which values of outcomes begin that belong together where odds are set side by side."),
        key("ends_when", Values, "Named outcomes that end a game, with the value they then have."),
        key("follow", Texts, "Named outcomes that are worth following from round to round."),
        key("sheets", Each(&Named(&FIELD)), "The sheets that cases hand on, and `given`, field by field."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// The procedures of a manifest: by name, what each is.
pub const PROCEDURES: super::Holds = Each(&AnyOf(&[Text, Keys(&PROCEDURE)]));

/// A procedure, where there is more to say of it than what it is.
pub static PROCEDURE: Format = Format {
    name: "procedure",
    place: "procedures:",
    does: "A procedure: what it is, and what it can't do without.",
    keys: &[
        needed("what", Text, "What it is, in one line."),
        key(
            "given",
            Texts,
            "The fields of `given` that a situation must hand it, `one or other` for one of two; all others may be left out.",
        ),
    ],
    more: "",
};

/// A document that rules and figures come from.
pub static DOCUMENT: Format = Format {
    name: "document",
    place: "sources:",
    does: "A document that rules and figures come from.",
    keys: &[
        key("title", Text, "Its title."),
        key("by", Text, "Who wrote it."),
        key("where", Text, "Where it can be read."),
        key("ids", Texts, "The ids that examples name its statements by, from the first number to the last: ABC-001-180."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// A kind of piece.
pub static KIND: Format = Format {
    name: "kind of piece",
    place: "kinds:",
    does: "A kind of piece.",
    keys: &[key("title", Text, "What a ruling calls it."), key("is", Texts, "The groups it belongs to, for `is_a` and `only`.")],
    more: "",
};

/// What an attribute of a piece, a place or a side holds.
pub static ATTRIBUTE: Format = Format {
    name: "attribute",
    place: "attributes:",
    does: "What a figure, flag or word of a piece, place or side is.",
    keys: &[
        key("unit", Text, "It is a whole number, counted in this."),
        key("flag", Flag, "It is true or false; false where nothing is said."),
        key("word", Texts, "It is a word: one of this list; where one text stands here, any word, and the text says what it is."),
        key("words", Text, "It is a list of words; what they say."),
        key("default", Text, "What it is where nothing is said."),
        key("from", Number, "The least it can be, of a number; 0 where nothing is said."),
        key("names", Texts, "What its words name: piece, place, side, kind, or a track."),
        key(
            "wording",
            Texts,
            "How it reads where a board is shown, `{}` for the figure: \"{} inches deep\". Of a flag, what is so where it is set; of a number a \
             second may stand for what is below 0.",
        ),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// The attributes that the two figures of a counter set.
pub static UNIT_VALUE: Format = Format {
    name: "unit value",
    place: "unit_value:",
    does: "The attributes that the two figures of a counter set.",
    keys: &[
        key("first", Text, "The attribute before the hyphen."),
        key("second", Text, "The attribute after it."),
        key("bracketed", Text, "The flag that brackets set: \"(5)-1\"."),
    ],
    more: "",
};

/// How places are named, and how they lie to each other.
pub static PLACES: Format = Format {
    name: "places",
    place: "places:",
    does: "How places are named, and how they lie to each other.",
    keys: &[
        key(
            "notation",
            Words(&["hex", "name"]),
            "`hex`: a sheet and four digits, and neighbours are reckoned; `name`: any name, and `map:` says which touch.",
        ),
        key("sheets", Named(&SHEET), "How sheets of hexes lie on a common grid."),
        key("lower", Words(&["even", "odd"]), "Which columns of hexes lie half a hex lower."),
        key("boxes", Texts, "Places beside the map: pools, boxes of prisoners."),
        key("attributes", Named(&ATTRIBUTE), "What a place may have."),
        key("sides", Named(&ATTRIBUTE), "What the side between two places may have."),
        key("drawn", Each(&Words(DRAWN)), "How attributes of places, sides and pieces are drawn on a map."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// How a sheet of hexes lies on the common grid.
pub static SHEET: Format = Format {
    name: "sheet",
    place: "sheets:",
    does: "How a sheet of hexes lies on the common grid.",
    keys: &[
        key("dx", Number, "Columns to the right."),
        key("odd", Number, "Rows down, for odd columns."),
        key("even", Number, "Rows down, for even columns."),
        key("columns", Text, "The first and the last column: \"1-62\"."),
        key("rows", Text, "The first and the last row: \"1-34\"."),
        key("title", Text, "Its title."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// A track.
pub static TRACK: Format = Format {
    name: "track",
    place: "tracks:",
    does: "A track: numbers `from` .. `to`, `turns` of a calendar, or `names` of boxes.",
    keys: &[
        key("turns", Text, "The first and the last turn: \"7/61..4/65\"."),
        key("a_year", Number, "How many turns a year has."),
        key("names", Texts, "The boxes, in order."),
        key("from", Number, "The lowest number."),
        key("to", Number, "The highest number."),
        key("wording", Texts, "How it reads where a board is shown, `{}` for where it stands: \"turn {}\"."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// A phase of the sequence of play.
pub static PHASE: Format = Format {
    name: "phase",
    place: "sequence:",
    does: "A phase of the sequence of play.",
    keys: &[
        needed("phase", Text, "Its name."),
        key(
            "once_a",
            Text,
            "The track that brings it round: it is played once wherever that stands, and passed over until it has moved on.",
        ),
        key("procedures", Texts, "The procedures carried out in it."),
        key("status", Words(super::STATUSES), "How it is known."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// A field of a sheet.
pub static FIELD: Format = Format {
    name: "field",
    place: "sheets:",
    does: "A field of a sheet: what it is, who fills it in, what it may hold.",
    keys: &[
        key("what", Text, "What it is."),
        key("by", Text, "Who fills it in."),
        key("is", Texts, "What it may hold: bands of numbers, words, `text`; of a list, each item."),
        key("names", Texts, "What it names: piece, place, side, kind, a track."),
        key("keys", Texts, "What the keys name of a map with keys of its own."),
    ],
    more: "",
};

/// How an attribute may be drawn.
pub const DRAWN: &[&str] = &["fill", "mark", "name", "along", "line", "across", "up", "deep", "wide"];

/// A question that the map answers.
pub static QUESTION: Format = Format {
    name: "question",
    place: "board:",
    does: "A question that the map of the workbench answers; what its procedure draws (`draw`) is seen on it.",
    keys: &[
        needed("procedure", Text, "The procedure that answers it."),
        key("piece", Text, "What the piece that is asked about is handed over as; without it the whole board is asked about."),
        key("place", Text, "What a place is handed over as: why there, or why not there."),
        key("of", Texts, "The kinds and groups of pieces that it is asked of: those that move, say; without it every piece."),
    ],
    more: "",
};

/// `rules/<game>/contents.yaml`
pub static CONTENTS: Format = Format {
    name: "contents",
    place: "rules/<game>/contents.yaml",
    does: "Every case number of the printed rules with its title: a case of which only this is known needs no file.",
    keys: &[],
    more: "the number of a case, with its title or `{ title, later }`",
};

/// What contents say of a case, where it is more than a title.
pub static KNOWN: Format = Format {
    name: "known case",
    place: "contents.yaml",
    does: "A case of which the number is known.",
    keys: &[
        key("title", Text, "Its title."),
        key("later", Flag, "Whether it belongs to a part of the game that is still to come."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};
