//! A game's manifest, and the list of its cases.

use super::{
    FieldType::*, FileFormat, NAMED_LISTS, NAMED_TEXTS, NUMBER, NumberRange, SOURCES, STATUS,
    TEXTS, Words, optional, required, words_of,
};
use crate::complaint::DiagnosticCode;
use crate::data::after_draw::AfterDraw;
use crate::data::draw_style::{DrawStyle, LOOKS, NORTH};
use crate::data::reference_kind::ReferenceKind;

/// `rules/<game>/game.yaml`
pub static GAME: FileFormat = FileFormat {
    name: "game",
    location: "rules/<game>/game.yaml",
    description: "The manifest of a game: everything that its rules can name.",
    keys: &[
        optional("game", Text, "Its short name: that of its folder."),
        required("title", Title, "Its title, as a ruling prints it."),
        optional(
            "main",
            Flag,
            "Whether it is used if there are several games and none is named.",
        ),
        optional("sides", TEXTS, "The sides, in order."),
        optional(
            "colours",
            Map(&Name(ReferenceKind::Side), &Text),
            "The colours of sides on pages: blue, brown, green, purple, red or grey, or two colours of counters with white letters, for light pages and for dark ones: \"#2c5291 #3a68b4\".",
        ),
        optional(
            "dice",
            Map(&Text, &ListOf(&Face)),
            "Dice with faces of their own, by name: their faces, one for each side; words are in order, the best first; `hit+flag` is one side with two symbols.",
        ),
        optional(
            "decks",
            Map(&Text, &Object(&DECK)),
            "Decks of cards, and cups of chits or markers, by name: `draw_card` draws from them.",
        ),
        optional(
            "sources",
            Map(&Text, &Object(&DOCUMENT)),
            "The documents that `doc:` names.",
        ),
        optional("kinds", Map(&Text, &Object(&KIND)), "The kinds of piece."),
        optional(
            "attributes",
            Map(&Text, &Object(&ATTRIBUTE)),
            "What a piece may have: its figures, flags and words.",
        ),
        optional(
            "unit_value",
            Object(&UNIT_VALUE),
            "What the two figures of a counter are called: \"6-3\".",
        ),
        optional(
            "places",
            Object(&PLACES),
            "How places are named, and how they lie to each other.",
        ),
        optional(
            "tracks",
            Map(&Text, &Object(&TRACK)),
            "The tracks: numbers, turns of a calendar, or named boxes.",
        ),
        optional(
            "procedures",
            PROCEDURES,
            "The procedures by name, each with one line on what it is; a case answers it: `take prisoners` is `fn take_prisoners(given)`.",
        ),
        optional(
            "sequence",
            ListOf(&Object(&PHASE)),
            "The sequence of play: phases with the procedures carried out in them.",
        ),
        optional(
            "board",
            Map(&Text, &Object(&QUESTION)),
            "Questions that the map answers: of a piece that is clicked, or of the whole board.",
        ),
        optional(
            "styles",
            Map(&Text, &Object(&STYLE)),
            "Ways to play a side, for `--policy SIDE=STYLE` and for the opponent on the page.",
        ),
        optional(
            "together",
            TEXTS,
            "First words of values of outcomes: comparisons show the values that begin with one of them as a group.",
        ),
        optional(
            "groups",
            OUTCOME_GROUPS,
            "Groups of outcomes by title, in the order in which odds show them: names of outcomes, and kinds or groups of pieces, which take \
             the outcomes that bear a piece's name.",
        ),
        optional(
            "unnamed",
            OUTCOME_GROUPS,
            "What it means that an outcome is not named, in words that odds show: `no loss: [unit]`; names of outcomes, and kinds or groups of \
             pieces. The first that fits counts; of a piece else `unchanged` is said, of all others `not reached`.",
        ),
        optional(
            "units",
            OUTCOME_TEXTS,
            "What values of outcomes are counted in, by outcome: `%`, `points`.",
        ),
        optional(
            "ends_when",
            OUTCOME_TEXTS,
            "Named outcomes that end a game, with the value they then have.",
        ),
        optional(
            "follow",
            OUTCOMES,
            "Outcomes that the log of a game shows round by round.",
        ),
        optional(
            "won_by",
            Name(ReferenceKind::Outcome),
            "The named outcome that says which side has won a game; it names one side, or none where nobody has.",
        ),
        optional(
            "score",
            OUTCOME_SUM,
            "How far the first side is ahead: a sum of named outcomes, `Red points - Blue points`.",
        ),
        optional(
            "sheets",
            Map(&Text, &Map(&Text, &Object(&FIELD))),
            "The sheets that cases hand on, field by field.",
        ),
        optional(
            "start",
            Object(&START),
            "The situation that the start page of the workbench lets one try.",
        ),
        optional(
            "topics",
            Map(&Text, &Object(&TOPIC)),
            "Topics that the list of situations is sorted by, in order.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// Names that some procedure must have as outcomes, or a single one.
pub const OUTCOMES: super::FieldType = ListOf(&Name(ReferenceKind::Outcome));

/// A text for each of some outcomes.
pub const OUTCOME_TEXTS: super::FieldType = Map(&Name(ReferenceKind::Outcome), &Text);

/// Groups of outcomes by title.
pub const OUTCOME_GROUPS: super::FieldType =
    Map(&Text, &ListOf(&Name(ReferenceKind::OutcomeOrGroup)));

const OUTCOME_SUM: super::FieldType = Name(ReferenceKind::OutcomeSum);

/// The most cards of a deck.
pub const MAX_CARDS: u32 = 1_000;

/// How many cards of a kind a deck has.
const CARD_COUNT: super::FieldType = Number(NumberRange {
    from: 1,
    to: MAX_CARDS as i128,
    code: DiagnosticCode::Deck,
});

/// Whether hands are open, by their word.
pub const HANDS: [(&str, bool); 2] = [("secret", false), ("open", true)];

/// A deck of cards, or a cup of chits.
pub static DECK: FileFormat = FileFormat {
    name: "deck",
    location: "decks:",
    description: "A deck of cards, or a cup of chits or markers.",
    keys: &[
        optional(
            "holds",
            Map(&Face, &CARD_COUNT),
            "What is in it: each kind of card with how many there are, in the order in which hands show them.",
        ),
        optional(
            "each_side",
            Flag,
            "Whether each side has one of its own; rules call it by side and name: `Red events`.",
        ),
        optional(
            "after",
            OneOf(&Words {
                noun: "place for a drawn card",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&AfterDraw::NAMES),
            }),
            "Where a card goes that is drawn to no hand: `kept out`, until a rule moves it, where nothing is said; `discarded`; or `put back` at once.",
        ),
        optional(
            "reshuffled",
            Flag,
            "Whether the discards are shuffled in where more is drawn than is left.",
        ),
        optional(
            "hands",
            OneOf(&Words {
                noun: "sort of hand",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&HANDS),
            }),
            "Whether the other sides see a hand; where nothing is said, they don't.",
        ),
        optional("source", SOURCES, "Where it comes from."),
        optional("status", STATUS, "How it is known."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// The situation of the start page.
pub static START: FileFormat = FileFormat {
    name: "start",
    location: "start:",
    description: "A situation to try on the start page, with the figure that a slider changes. Its procedure has a headline.",
    keys: &[
        required("situation", Text, "The name of the situation."),
        required(
            "figure",
            Text,
            "The figure, as `--set` names it, `PIECE: ATTRIBUTE`.",
        ),
        required("from", NUMBER, "The lowest value of the slider."),
        required("to", NUMBER, "The highest value."),
    ],
    extra_keys: "",
};

/// A topic of situations.
pub static TOPIC: FileFormat = FileFormat {
    name: "topic",
    location: "topics:",
    description: "A topic that situations are sorted by: those of its procedures.",
    keys: &[
        required(
            "procedures",
            ListOf(&Name(ReferenceKind::Procedure)),
            "The procedures whose situations belong to it.",
        ),
        optional(
            "also",
            TEXTS,
            "Other words by which its situations are found.",
        ),
    ],
    extra_keys: "",
};

/// Procedures of a manifest by name, each with its description.
pub const PROCEDURES: super::FieldType = NAMED_TEXTS;

/// A style of play.
pub static STYLE: FileFormat = FileFormat {
    name: "style",
    location: "styles:",
    description: "A way to play a side.",
    keys: &[
        required("what", Text, "How it plays, in one line."),
        optional(
            "answers",
            NAMED_LISTS,
            "What it answers, by question; `*` stands for any text; options in order of preference, or first, last, highest, lowest, `not X` for any but X.",
        ),
        optional(
            "plays_on",
            Object(&PLAYS_ON),
            "How it plays the game on after each option of any question; it takes one that does better than its own answer. Where the answers are secret, \
             and while another side holds cards that it alone sees, its own answer stands.",
        ),
    ],
    extra_keys: "",
};

/// How often something is tried.
const TRIES: super::FieldType = Number(NumberRange {
    from: 1,
    to: 1_000,
    code: DiagnosticCode::Number,
});

/// How a style plays on.
pub static PLAYS_ON: FileFormat = FileFormat {
    name: "playing on",
    location: "plays_on:",
    description: "How a style tries the options of a question: the game is played on after each of them, and the rest answered by the style \
                  itself without looking ahead, or by one of the policies named here. All games of a question have the same dice.",
    keys: &[
        optional(
            "policies",
            TEXTS,
            "Policies that answer the rest, beside the style itself: other styles of the game, or first, last, highest, lowest, random.",
        ),
        optional(
            "games",
            TRIES,
            "How many games are played on for an option that does well; 8 if nothing is said. After 2, 4, 8 ... games the worse half goes \
             out, down to three.",
        ),
        optional(
            "rounds",
            TRIES,
            "After how many rounds these games are broken off; else they are played to their end.",
        ),
        optional(
            "score",
            ListOf(&OUTCOME_SUM),
            "Sums of outcomes that count beside who wins, with `{side}` and `{enemy}`. The first counts as much as who wins, measured by its \
             greatest difference; each further one a tenth of the one before. The `score:` of the game stands behind them.",
        ),
    ],
    extra_keys: "",
};

/// A document that is the source of rules and figures.
pub static DOCUMENT: FileFormat = FileFormat {
    name: "document",
    location: "sources:",
    description: "A document that rules and figures come from.",
    keys: &[
        optional("title", Text, "Its title."),
        optional("by", Text, "Who wrote it."),
        optional("where", Text, "Where it can be read."),
        optional(
            "ids",
            TEXTS,
            "The ids that examples name its statements by, from the first number to the last: ABC-001-180.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// A kind of piece.
pub static KIND: FileFormat = FileFormat {
    name: "kind of piece",
    location: "kinds:",
    description: "A kind of piece.",
    keys: &[
        optional("title", Text, "What a ruling calls it."),
        optional(
            "is",
            TEXTS,
            "The groups it belongs to, for `is_a` and `where`.",
        ),
        optional(
            "symbol",
            ListOf(&OneOf(&Words {
                noun: "shape",
                code: DiagnosticCode::UnknownName,
                words: &SYMBOLS,
            })),
            "The shapes on its counter, or `area` and a colour: cross, slash, dot, bar, staff, star, hull, wheels, battlements, ring, arrow, box; green, brown, grey, blue, stone, plain.",
        ),
    ],
    extra_keys: "",
};

/// Type of an attribute of a piece, a place or a side.
pub static ATTRIBUTE: FileFormat = FileFormat {
    name: "attribute",
    location: "attributes:",
    description: "What a figure, flag or word of a piece, place or side is.",
    keys: &[
        optional("unit", Text, "It is a whole number, counted in this."),
        optional(
            "flag",
            Flag,
            "It is true or false; false where nothing is said.",
        ),
        optional(
            "word",
            TEXTS,
            "It is a word: one of this list; if this is one text, any word, and the text says what it is.",
        ),
        optional("words", Text, "It is a list of words; what they say."),
        optional("default", Text, "Its value if nothing is said."),
        optional(
            "from",
            NUMBER,
            "The least it can be, of a number; 0 where nothing is said.",
        ),
        optional(
            "to",
            NUMBER,
            "The greatest that a situation may give it, of a number.",
        ),
        optional(
            "names",
            TEXTS,
            "What its words name: piece, place, side, kind, or a track.",
        ),
        optional(
            "wording",
            TEXTS,
            "How it reads where a board is shown, `{}` for the figure: \"{} inches deep\". Of a flag, what is so where it is set; of a number a \
             second may stand for what is below 0.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// The attributes that the two figures of a counter set.
pub static UNIT_VALUE: FileFormat = FileFormat {
    name: "unit value",
    location: "unit_value:",
    description: "The attributes that the two figures of a counter set.",
    keys: &[
        optional(
            "first",
            Name(ReferenceKind::Attribute),
            "The attribute before the hyphen.",
        ),
        optional(
            "second",
            Name(ReferenceKind::Attribute),
            "The attribute after it.",
        ),
        optional(
            "bracketed",
            Name(ReferenceKind::Attribute),
            "The flag that brackets set: \"(5)-1\".",
        ),
    ],
    extra_keys: "",
};

/// Whether places are hexes, by the word for their notation.
pub const NOTATIONS: [(&str, bool); 2] = [("hex", true), ("name", false)];

/// Whether even columns lie lower, by the word for those that do.
pub const LOWER_COLUMNS: [(&str, bool); 2] = [("even", true), ("odd", false)];

/// How a map shows an attribute.
const DRAWN: super::FieldType = OneOf(&Words {
    noun: "way to draw",
    code: DiagnosticCode::UnknownName,
    words: &words_of(&DrawStyle::NAMES),
});

/// What a word of a map looks like.
const LOOK: super::FieldType = OneOf(&Words {
    noun: "look",
    code: DiagnosticCode::UnknownName,
    words: &LOOKS,
});

/// A known length on a map.
pub static SCALE: FileFormat = FileFormat {
    name: "scale",
    location: "scale:",
    description: "A known length on the map.",
    keys: &[
        required(
            "length",
            NUMBER,
            "The length, in hexes or in units of the positions of places.",
        ),
        required("title", Text, "What it is in the world: \"70 miles\"."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// Naming scheme and topology of the places.
pub static PLACES: FileFormat = FileFormat {
    name: "places",
    location: "places:",
    description: "How places are named, and how they lie to each other.",
    keys: &[
        optional(
            "notation",
            OneOf(&Words {
                noun: "way to name places",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&NOTATIONS),
            }),
            "`hex`: a sheet and four digits, and neighbours are reckoned; `name`: any name, and `map:` says which touch.",
        ),
        optional(
            "sheets",
            Map(&Text, &Object(&SHEET)),
            "How sheets of hexes lie on a common grid.",
        ),
        optional(
            "lower",
            OneOf(&Words {
                noun: "kind of column",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&LOWER_COLUMNS),
            }),
            "Which columns of hexes lie half a hex lower.",
        ),
        optional(
            "boxes",
            TEXTS,
            "Places beside the map: pools, boxes of prisoners.",
        ),
        optional(
            "out_of_play",
            ListOf(&Name(ReferenceKind::Box)),
            "Those of the boxes whose pieces are out of play: nothing moves them but `take_from_box`.",
        ),
        optional(
            "attributes",
            Map(&Text, &Object(&ATTRIBUTE)),
            "What a place may have.",
        ),
        optional(
            "sides",
            Map(&Text, &Object(&ATTRIBUTE)),
            "What the side between two places may have.",
        ),
        optional(
            "drawn",
            Map(&Name(ReferenceKind::MapAttribute), &DRAWN),
            "How attributes of places, sides and pieces are drawn on a map.",
        ),
        optional(
            "looks",
            Map(&Name(ReferenceKind::MapWord), &LOOK),
            "What land and lines look like, by the word or the flag that is drawn: trees, hills, waves, houses; narrow blue, blue, wide blue, brown, railway.",
        ),
        optional(
            "north",
            OneOf(&Words {
                noun: "direction",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&NORTH),
            }),
            "Where north lies on the map, if that is known.",
        ),
        optional("scale", Object(&SCALE), "A known length on the map."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// Position of a hex sheet on the common grid.
pub static SHEET: FileFormat = FileFormat {
    name: "sheet",
    location: "sheets:",
    description: "How a sheet of hexes lies on the common grid.",
    keys: &[
        optional("dx", NUMBER, "Columns to the right."),
        optional("odd", NUMBER, "Rows down, for odd columns."),
        optional("even", NUMBER, "Rows down, for even columns."),
        optional("columns", Text, "The first and the last column: \"1-62\"."),
        optional("rows", Text, "The first and the last row: \"1-34\"."),
        optional("title", Text, "Its title."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

pub static TRACK: FileFormat = FileFormat {
    name: "track",
    location: "tracks:",
    description: "A track: numbers `from` .. `to`, `turns` of a calendar, or `names` of boxes.",
    keys: &[
        optional(
            "turns",
            Text,
            "The first and the last turn: \"7/61..4/65\".",
        ),
        optional("a_year", NUMBER, "How many turns a year has."),
        optional("names", TEXTS, "The boxes, in order."),
        optional("from", NUMBER, "The lowest number."),
        optional("to", NUMBER, "The highest number."),
        optional(
            "wording",
            TEXTS,
            "How it reads where a board is shown, `{}` for its value: \"turn {}\".",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// A phase of the sequence of play.
pub static PHASE: FileFormat = FileFormat {
    name: "phase",
    location: "sequence:",
    description: "A phase of the sequence of play.",
    keys: &[
        required("phase", Text, "Its name."),
        optional(
            "once_a",
            Name(ReferenceKind::Track),
            "The track that brings it round: it is played once wherever that stands, and passed over until it has moved on.",
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

/// A field of a sheet.
pub static FIELD: FileFormat = FileFormat {
    name: "field",
    location: "sheets:",
    description: "A field of a sheet: what it is, who fills it in, what it may hold.",
    keys: &[
        optional("what", Text, "What it is."),
        optional("by", Text, "Who fills it in."),
        optional(
            "is",
            TEXTS,
            "What it may hold: bands of numbers, words, `text`; of a list, each item.",
        ),
        optional(
            "names",
            TEXTS,
            "What it names: piece, place, side, kind, a track.",
        ),
        optional(
            "keys",
            TEXTS,
            "What the keys name of a map with keys of its own.",
        ),
    ],
    extra_keys: "",
};

/// Shapes on the counters of a kind, and colours of the area that it stands for.
pub const SYMBOLS: [&str; 19] = [
    "cross",
    "slash",
    "dot",
    "bar",
    "staff",
    "star",
    "hull",
    "wheels",
    "battlements",
    "ring",
    "arrow",
    "box",
    "area",
    "green",
    "brown",
    "grey",
    "blue",
    "stone",
    "plain",
];

/// A procedure that the map view calls for pieces, places or the whole board.
pub static QUESTION: FileFormat = FileFormat {
    name: "question",
    location: "board:",
    description: "A question that the map of the workbench answers; what its procedure draws (`draw`) is seen on it.",
    keys: &[
        required(
            "procedure",
            Name(ReferenceKind::Procedure),
            "The procedure that answers it.",
        ),
        optional(
            "piece",
            Text,
            "What the piece that is asked about is handed over as; without it the whole board is asked about.",
        ),
        optional(
            "place",
            Text,
            "What a place is handed over as: why there, or why not there.",
        ),
        optional(
            "of",
            ListOf(&Name(ReferenceKind::Group)),
            "The kinds and groups of pieces that it is asked of: those that move, say; without it every piece.",
        ),
        optional(
            "explains",
            TEXTS,
            "The choices of which it says why a place is not open, `*` for any text: \"move of * to\"; without it every choice.",
        ),
    ],
    extra_keys: "",
};

/// The entries of `contents.yaml`.
pub const CONTENTS_ENTRIES: super::FieldType = Map(&Text, &AnyOf(&[Text, Object(&CONTENTS_ENTRY)]));

/// `rules/<game>/contents.yaml`
pub static CONTENTS: FileFormat = FileFormat {
    name: "contents",
    location: "rules/<game>/contents.yaml",
    description: "Every case number of the printed rules with its title: a case of which only this is known needs no file.",
    keys: &[],
    extra_keys: "the number of a case, with its title or `{ title, later }`",
};

/// `rules/<game>/glossary.yaml`
pub static GLOSSARY: FileFormat = FileFormat {
    name: "glossary",
    location: "rules/<game>/glossary.yaml",
    description: "What the words of the game mean: kinds by their title, attributes of pieces, attributes of places as `NAME of a place`, \
           tracks, and any word of play. The glossary of the workbench shows them; no rule reads them.",
    keys: &[],
    extra_keys: "a word of the game, with its meaning in one sentence",
};

/// An entry of the contents with more than a title.
pub static CONTENTS_ENTRY: FileFormat = FileFormat {
    name: "known case",
    location: "contents.yaml",
    description: "A case of which the number is known.",
    keys: &[
        optional("title", Text, "Its title."),
        optional(
            "later",
            Flag,
            "Whether it belongs to a part of the game that is still to come.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};
