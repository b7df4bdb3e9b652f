//! A game's manifest, and the list of its cases.

use super::{
    FieldType::*, NAMED_LISTS, NAMED_TEXTS, NUMBER, NumberRange, SOURCES, STATUS, TEXTS, one_of,
    words_of,
};
use crate::complaint::DiagnosticCode;
use crate::data::after_draw::AfterDraw;
use crate::data::draw_style::{DrawStyle, LOOKS, NORTH};
use crate::data::reference_kind::ReferenceKind;

formats! {
    pub GAME = "game", "rules/<game>/game.yaml",
        "The manifest of a game: everything that its rules can name." {
        game?: Text, "Its short name: that of its folder.";
        title!: Title, "Its title, as a ruling prints it.";
        main?: Flag, "Whether it is used if there are several games and none is named.";
        sides?: TEXTS, "The sides, in order.";
        colours?: Map(&Name(ReferenceKind::Side), &Text), "The colours of sides on pages: blue, brown, green, purple, red or grey, or two \
            colours of counters with white letters, for light pages and for dark ones: \"#2c5291 #3a68b4\".";
        dice?: Map(&Text, &ListOf(&Face)), "Dice with faces of their own, by name: their faces, one for each side; words are in order, the \
            best first; `hit+flag` is one side with two symbols.";
        decks?: Map(&Text, &Object(&DECK)), "Decks of cards, and cups of chits or markers, by name: `draw_card` draws from them.";
        sources?: Map(&Text, &Object(&DOCUMENT)), "The documents that `doc:` names.";
        kinds?: Map(&Text, &Object(&KIND)), "The kinds of piece.";
        attributes?: Map(&Text, &Object(&ATTRIBUTE)), "What a piece may have: its figures, flags and words.";
        unit_value?: Object(&UNIT_VALUE), "What the two figures of a counter are called: \"6-3\".";
        places?: Object(&PLACES), "How places are named, and how they lie to each other.";
        tracks?: Map(&Text, &Object(&TRACK)), "The tracks: numbers, turns of a calendar, or named boxes.";
        procedures?: PROCEDURES, "The procedures by name, each with one line on what it is; a case answers it: `take prisoners` is `fn \
            take_prisoners(given)`.";
        sequence?: ListOf(&Object(&PHASE)), "The sequence of play: phases with the procedures carried out in them.";
        board?: Map(&Text, &Object(&QUESTION)), "Questions that the map answers: of a piece that is clicked, or of the whole board.";
        styles?: Map(&Text, &Object(&STYLE)), "Ways to play a side: policies by name, and the opponents to choose from.";
        together?: TEXTS, "First words of values of outcomes: comparisons show the values that begin with one of them as a group.";
        groups?: OUTCOME_GROUPS, "Groups of outcomes by title, in the order in which odds show them: names of outcomes, and kinds or \
            groups of pieces, which take the outcomes that bear a piece's name.";
        unnamed?: OUTCOME_GROUPS, "What it means that an outcome is not named, in words that odds show: `no loss: [unit]`; names of \
            outcomes, and kinds or groups of pieces. The first that fits counts; of a piece else `unchanged` is said, of all others `not \
            reached`.";
        units?: OUTCOME_TEXTS, "What values of outcomes are counted in, by outcome: `%`, `points`.";
        words?: Map(&Text, &Text), "What names of scripts are called at the table, which house rules are read back in: of variables, \
            parameters, parts of answers, and fields with what has them: `left: what is left of a unit`, `battle.row: the row`.";
        ends_when?: OUTCOME_TEXTS, "Named outcomes that end a game, with the value they then have.";
        follow?: OUTCOMES, "Outcomes that the log of a game shows round by round.";
        won_by?: Name(ReferenceKind::Outcome), "The named outcome that says which side has won a game; it names one side, or none where \
            nobody has.";
        score?: OUTCOME_SUM, "How far the first side is ahead: a sum of named outcomes, `Red points - Blue points`.";
        sheets?: Map(&Text, &Map(&Text, &Object(&FIELD))), "The sheets that cases hand on, field by field.";
        start?: Object(&START), "The situation that the start page of the workbench lets one try.";
        set_up?: ListOf(&Object(&SET_UP_LAW)), "What the pieces of a situation keep to when it begins; what a situation has otherwise is noted.";
        topics?: Map(&Text, &Object(&TOPIC)), "Topics that the list of situations is sorted by, in order.";
        note?: Text, "A remark for readers.";
    }
}

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

formats! {
    pub DECK = "deck", "decks:",
        "A deck of cards, or a cup of chits or markers." {
        holds?: Map(&Face, &CARD_COUNT), "What is in it: each kind of card with how many there are, in the order in which hands show them.";
        each_side?: Flag, "Whether each side has one of its own; rules call it by side and name: `Red events`.";
        after?: one_of("place for a drawn card", &words_of(&AfterDraw::NAMES)), "Where a card goes that is drawn to no hand: `kept out`, \
            until a rule moves it, where nothing is said; `discarded`; or `put back` at once.";
        reshuffled?: Flag, "Whether the discards are shuffled in where more is drawn than is left.";
        hands?: one_of("sort of hand", &words_of(&HANDS)), "Whether the other sides see a hand; where nothing is said, they don't.";
        source?: SOURCES, "Where it comes from.";
        status?: STATUS, "How it is known.";
        note?: Text, "A remark for readers.";
    }

    pub START = "start", "start:",
        "A situation to try on the start page, with the figure that a slider changes. Its procedure has a headline." {
        situation!: Name(ReferenceKind::Situation), "The name of the situation.";
        figure!: Text, "The figure, as `PIECE: ATTRIBUTE`.";
        from!: NUMBER, "The lowest value of the slider.";
        to!: NUMBER, "The highest value.";
    }

    pub SET_UP_LAW = "law of set-ups", "set_up:",
        "What pieces of some kinds keep to when a situation begins." {
        of?: ListOf(&Name(ReferenceKind::Group)), "The kinds and groups of pieces that it is about.";
        needs?: TEXTS, "What each of them has: attributes, `side`, or a place under `at`.";
        on?: ListOf(&Name(ReferenceKind::Group)), "The kinds and groups of pieces of its own side that one of them may be on.";
        names?: Map(&Name(ReferenceKind::Attribute), &ListOf(&Name(ReferenceKind::Group))), "The kinds and groups of pieces of its own side \
            that a word of it may name.";
        apart?: Flag, "Whether those of two sides never begin at one place.";
        unless?: ListOf(&Name(ReferenceKind::Attribute)), "Flags and words that take a piece out where they are set.";
        asks?: Text, "An expression of scripts that is true of the set-up, such as of its date.";
        says?: Text, "What is said where that is not true.";
        note?: Text, "A remark for readers.";
    }

    pub TOPIC = "topic", "topics:",
        "A topic that situations are sorted by: those of its procedures." {
        procedures!: ListOf(&Name(ReferenceKind::Procedure)), "The procedures whose situations belong to it.";
        also?: TEXTS, "Other words by which its situations are found.";
    }
}

/// Procedures of a manifest by name, each with its description.
pub const PROCEDURES: super::FieldType = NAMED_TEXTS;

formats! {
    pub STYLE = "style", "styles:",
        "A way to play a side." {
        what!: Text, "How it plays, in one line.";
        answers?: NAMED_LISTS, "What it answers, by question; `*` stands for any text; options in order of preference, or first, last, \
            highest, lowest, `not X` for any but X.";
        plays_on?: Object(&PLAYS_ON), "How it plays the game on after each option of any question; it takes one that does better than its \
            own answer. Where the answers are secret, and while another side holds cards that it alone sees, its own answer stands.";
    }
}

/// How often something is tried.
const TRIES: super::FieldType = Number(NumberRange {
    from: 1,
    to: 1_000,
    code: DiagnosticCode::Number,
});

formats! {
    pub PLAYS_ON = "playing on", "plays_on:",
        "How a style tries the options of a question: the game is played on after each of them, and the rest answered by the style itself \
            without looking ahead, or by one of the policies named here. All games of a question have the same dice." {
        policies?: TEXTS, "Policies that answer the rest, beside the style itself: other styles of the game, or first, last, highest, \
            lowest, random.";
        games?: TRIES, "How many games are played on for an option that does well; 8 if nothing is said. After 2, 4, 8 ... games the worse \
            half goes out, down to three.";
        rounds?: TRIES, "After how many rounds these games are broken off; else they are played to their end.";
        score?: ListOf(&OUTCOME_SUM), "Sums of outcomes that count beside who wins, with `{side}` and `{enemy}`. The first counts as much \
            as who wins, measured by its greatest difference; each further one a tenth of the one before. The `score:` of the game stands \
            behind them.";
    }

    pub DOCUMENT = "document", "sources:",
        "A document that rules and figures come from." {
        title?: Text, "Its title.";
        by?: Text, "Who wrote it.";
        where?: Text, "Where it can be read.";
        ids?: TEXTS, "The ids that examples name its statements by, from the first number to the last: ABC-001-180.";
        note?: Text, "A remark for readers.";
    }

    pub KIND = "kind of piece", "kinds:",
        "A kind of piece." {
        title?: Text, "What a ruling calls it.";
        is?: TEXTS, "The groups it belongs to, for `is_a` and `where`.";
        symbol?: ListOf(&one_of("shape", &SYMBOLS)), "The shapes on its counter, or `area` and a colour: cross, slash, dot, bar, staff, \
            star, hull, wheels, battlements, ring, arrow, box; green, brown, grey, blue, stone, plain.";
    }

    pub ATTRIBUTE = "attribute", "attributes:",
        "What a figure, flag or word of a piece, place or side is." {
        unit?: Text, "It is a whole number, counted in this.";
        flag?: Flag, "It is true or false; false where nothing is said.";
        word?: TEXTS, "It is a word: one of this list; if this is one text, any word, and the text says what it is.";
        words?: Text, "It is a list of words; what they say.";
        default?: Text, "Its value if nothing is said.";
        from?: NUMBER, "The least it can be, of a number; 0 where nothing is said.";
        to?: NUMBER, "The greatest that a situation may give it, of a number.";
        names?: TEXTS, "What its words name: piece, place, side, kind, or a track.";
        wording?: TEXTS, "How it reads where a board is shown, `{}` for the figure: \"{} inches deep\". Of a flag, what is so where it is \
            set; of a number a second may stand for what is below 0.";
        note?: Text, "A remark for readers.";
    }

    pub UNIT_VALUE = "unit value", "unit_value:",
        "The attributes that the two figures of a counter set." {
        first?: Name(ReferenceKind::Attribute), "The attribute before the hyphen.";
        second?: Name(ReferenceKind::Attribute), "The attribute after it.";
        bracketed?: Name(ReferenceKind::Attribute), "The flag that brackets set: \"(5)-1\".";
    }
}

/// Whether places are hexes, by the word for their notation.
pub const NOTATIONS: [(&str, bool); 2] = [("hex", true), ("name", false)];

/// Whether even columns lie lower, by the word for those that do.
pub const LOWER_COLUMNS: [(&str, bool); 2] = [("even", true), ("odd", false)];

/// How a map shows an attribute.
const DRAWN: super::FieldType = one_of("way to draw", &words_of(&DrawStyle::NAMES));

/// What a word of a map looks like.
const LOOK: super::FieldType = one_of("look", &LOOKS);

formats! {
    pub SCALE = "scale", "scale:",
        "A known length on the map." {
        length!: NUMBER, "The length, in hexes or in units of the positions of places.";
        title!: Text, "What it is in the world: \"70 miles\".";
        note?: Text, "A remark for readers.";
    }

    pub PLACES = "places", "places:",
        "How places are named, and how they lie to each other." {
        notation?: one_of("way to name places", &words_of(&NOTATIONS)), "`hex`: a sheet and four digits, and neighbours are reckoned; \
            `name`: any name, and `map:` says which touch.";
        sheets?: Map(&Text, &Object(&SHEET)), "How sheets of hexes lie on a common grid.";
        lower?: one_of("kind of column", &words_of(&LOWER_COLUMNS)), "Which columns of hexes lie half a hex lower.";
        boxes?: TEXTS, "Places beside the map: pools, boxes of prisoners.";
        out_of_play?: ListOf(&Name(ReferenceKind::Box)), "Those of the boxes whose pieces are out of play: nothing moves them but \
            `take_from_box`.";
        attributes?: Map(&Text, &Object(&ATTRIBUTE)), "What a place may have.";
        sides?: Map(&Text, &Object(&ATTRIBUTE)), "What the side between two places may have.";
        drawn?: Map(&Name(ReferenceKind::MapAttribute), &DRAWN), "How attributes of places, sides and pieces are drawn on a map.";
        looks?: Map(&Name(ReferenceKind::MapWord), &LOOK), "What land and lines look like, by the word or the flag that is drawn: trees, \
            hills, waves, houses; narrow blue, blue, wide blue, brown, railway.";
        north?: one_of("direction", &words_of(&NORTH)), "Where north lies on the map, if that is known.";
        scale?: Object(&SCALE), "A known length on the map.";
        note?: Text, "A remark for readers.";
    }

    pub SHEET = "sheet", "sheets:",
        "How a sheet of hexes lies on the common grid." {
        dx?: NUMBER, "Columns to the right.";
        odd?: NUMBER, "Rows down, for odd columns.";
        even?: NUMBER, "Rows down, for even columns.";
        columns?: Text, "The first and the last column: \"1-62\".";
        rows?: Text, "The first and the last row: \"1-34\".";
        title?: Text, "Its title.";
        note?: Text, "A remark for readers.";
    }

    pub TRACK = "track", "tracks:",
        "A track: numbers `from` .. `to`, `turns` of a calendar, or `names` of boxes." {
        turns?: Text, "The first and the last turn: \"7/61..4/65\".";
        a_year?: NUMBER, "How many turns a year has.";
        names?: TEXTS, "The boxes, in order.";
        from?: NUMBER, "The lowest number.";
        to?: NUMBER, "The highest number.";
        wording?: TEXTS, "How it reads where a board is shown, `{}` for its value: \"turn {}\".";
        note?: Text, "A remark for readers.";
    }

    pub PHASE = "phase", "sequence:",
        "A phase of the sequence of play." {
        phase!: Text, "Its name.";
        once_a?: Name(ReferenceKind::Track), "The track that brings it round: it is played once wherever that stands, and passed over \
            until it has moved on.";
        procedures?: ListOf(&Name(ReferenceKind::Procedure)), "The procedures carried out in it.";
        status?: STATUS, "How it is known.";
        source?: SOURCES, "Where it comes from.";
        note?: Text, "A remark for readers.";
    }

    pub FIELD = "field", "sheets:",
        "A field of a sheet: what it is, who fills it in, what it may hold." {
        what?: Text, "What it is.";
        by?: Text, "Who fills it in.";
        is?: TEXTS, "What it may hold: bands of numbers, words, `text`; of a list, each item.";
        names?: TEXTS, "What it names: piece, place, side, kind, a track.";
        keys?: TEXTS, "What the keys name of a map with keys of its own.";
    }
}

/// Shapes on the counters of a kind, and colours of the area that it represents.
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

formats! {
    pub QUESTION = "question", "board:",
        "A question that the map of the workbench answers; what its procedure draws (`draw`) is seen on it." {
        procedure!: Name(ReferenceKind::Procedure), "The procedure that answers it.";
        piece?: Text, "What the piece that is asked about is handed over as; without it the whole board is asked about.";
        place?: Text, "What a place is handed over as: why there, or why not there.";
        of?: ListOf(&Name(ReferenceKind::Group)), "The kinds and groups of pieces that it is asked of: those that move, say; without it \
            every piece.";
        explains?: TEXTS, "The choices of which it says why a place is not open, `*` for any text: \"move of * to\"; without it every \
            choice.";
    }
}

/// The entries of `contents.yaml`.
pub const CONTENTS_ENTRIES: super::FieldType = Map(&Text, &AnyOf(&[Text, Object(&CONTENTS_ENTRY)]));

formats! {
    pub CONTENTS = "contents", "rules/<game>/contents.yaml",
        "Every case number of the printed rules with its title: a case of which only this is known needs no file.",
        "the number of a case, with its title or `{ title, later }`" {}

    pub GLOSSARY = "glossary", "rules/<game>/glossary.yaml",
        "What the words of the game mean: kinds by their title, attributes of pieces, attributes of places as `NAME of a place`, tracks, \
            and any word of play. The glossary of the workbench shows them; no rule reads them.",
        "a word of the game, with its meaning in one sentence" {}

    pub CONTENTS_ENTRY = "known case", "contents.yaml",
        "A case of which the number is known." {
        title?: Text, "Its title.";
        later?: Flag, "Whether it belongs to a part of the game that is still to come.";
        note?: Text, "A remark for readers.";
    }
}
