//! Situations, rosters and deployments.

use super::game::MAX_CARDS;
use super::{
    FieldType::*, KIND, NAMED_FLAGS, NAMED_TEXTS, NAMED_VALUES, NumberRange, SOURCES, STATUS,
    TEXTS, ruling_test, table,
};
use crate::complaint::DiagnosticCode;
use crate::data::reference_kind::ReferenceKind;

formats! {
    pub SITUATION = "situation", "scenarios/<game>/<name>.yaml, variants/<variant>/scenarios/<name>.yaml",
        "A situation that a procedure works on; a roster of figures that situations draw on; a deployment. In a variant also the changes \
            to one: a value is `{ was: ..., now: ... }`, or new." {
        situation?: Text, "Its name, which is the file's: it is a situation.";
        roster?: Text, "Its name, which is the file's: it is a list of figures for situations to draw on.";
        deployment?: Text, "Its name, which is the file's: it says who starts where.";
        title!: Title, "Its title.";
        kind?: KIND, "What it does to the layers below; `rule` where nothing is said.";
        label?: Text, "The printed label, where it says something else than the kind.";
        source?: SOURCES, "Where it comes from.";
        status?: STATUS, "How its figures are known, where a piece or the map says nothing else.";
        method?: Text, "The method by which reconstructed figures were made.";
        with?: ListOf(&Name(ReferenceKind::Variant)), "The variants in force where the command line names none.";
        procedure?: Name(ReferenceKind::Procedure), "The procedure that `casebook resolve` carries out.";
        goes_on?: Flag, "Whether it is a game: after its procedure the sequence of play goes on to the end.";
        phase?: Text, "The current phase of a game, where its procedure belongs to several.";
        uses?: ListOf(&Name(ReferenceKind::Situation)), "The rosters it draws on: a piece that is named here has its figures from there.";
        tracks?: Map(&Name(ReferenceKind::Track), &Any), "The values of the tracks.";
        decks?: Map(&Name(ReferenceKind::Deck), &Object(&DECK_CONTENTS)), "What lies where of the cards of a deck; without it all are in \
            the stock.";
        map?: Object(&MAP), "The known features of places and of the sides between them.";
        pieces?: ListOf(&Object(&PIECE)), "The pieces.";
        given?: NAMED_VALUES, "The inputs of the procedure: `given.from`.";
        choices?: NAMED_VALUES, "How choices are answered: `\"Red: bid\": 2`.";
        examples?: ListOf(&Object(&table::EXAMPLE)), "Questions asked of this board, run by `casebook test`.", apart();
        tests?: ListOf(&Object(&ruling_test::TEST)), "Tests of its ruling, run by `casebook test`.", apart();
        changes?: ListOf(&Object(&CHANGE)), "What a variant changes of the pieces below, and under an option of other values.";
        option?: Name(ReferenceKind::Switch), "The option of the variant that switches it.";
        note?: Text, "A remark on the printed text.";
        idle?: Text, "Why it changes no ruling.";
        text?: Text, "What it is, in your own words.";
        also?: TEXTS, "Other words by which it is found in the list of situations.";
        aims?: Map(&Name(ReferenceKind::Side), &Text), "What each side of a game has to do to win, in one sentence.";
        length?: Text, "How long a game of it is: `eight turns`.";
        computer?: Map(&Name(ReferenceKind::Side), &Object(&COMPUTER)), "How the computer plays each side best, as far as games between \
            the styles show.";
        options?: NAMED_FLAGS, "The options that are set.";
        readings?: NAMED_TEXTS, "The readings that are chosen.";
    }
}

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

formats! {
    pub COMPUTER = "computer", "computer:",
        "The style by which the computer plays a side, and what was measured of it." {
        style!: Text, "A style of the game.";
        measured!: Text, "How it did in games: `wins 36 of 60 games against bold`.";
    }
}

/// How many cards of a kind lie somewhere.
const CARD_COUNT: super::FieldType = Number(NumberRange {
    from: 0,
    to: MAX_CARDS as i128,
    code: DiagnosticCode::Deck,
});

/// Cards: numbers by kind, or a list of kinds.
pub const CARDS: super::FieldType = AnyOf(&[Map(&Face, &CARD_COUNT), ListOf(&Face)]);

formats! {
    pub DECK_CONTENTS = "deck contents", "decks: of a situation",
        "Where the cards of a deck lie: numbers by kind, `{ ace: 2 }`, or a list, `[ace, ace]`. What is named nowhere is in the stock." {
        stock?: CARDS, "What is left in the stock, in an unknown order; what is named nowhere is then out of the game.";
        top?: CARDS, "The cards on top of it that are known, the first on top.";
        bottom?: CARDS, "The cards at the bottom of it that are known, the lowest last.";
        hands?: Map(&Name(ReferenceKind::Side), &CARDS), "The hands, by side.";
        out?: CARDS, "The cards that are laid out: drawn or played, and in no hand.";
        discards?: CARDS, "The discards.";
        note?: Text, "A remark for readers.";
    }

    pub MAP = "map", "map:",
        "The known features of places and of the sides between them." {
        places?: Map(&Name(ReferenceKind::Place), &Object(&FEATURES)), "Places by name, each with attributes of places.";
        sides?: Map(&Text, &Object(&FEATURES)), "Sides by the two places, \"A/B\", each with attributes of sides; where places are names, \
            these touch.";
        status?: STATUS, "How its features are known, where a place or side says nothing else; without it as the file is.";
        note?: Text, "A remark for readers.";
    }

    pub FEATURES = "features", "places: and sides: of a map",
        "The known features of a place, or of the side between two.",
        "the attributes of places, or of sides, in the game's manifest" {
        note?: Text, "A remark for readers.";
        status?: STATUS, "How it is known, where the map says it of the rest otherwise; `missing` where nothing is.";
    }
}

/// Figures of a piece.
const FIGURES: super::FieldType = ListOf(&Name(ReferenceKind::Figure));

formats! {
    pub PIECE = "piece", "pieces:",
        "A piece with its figures.",
        "the attributes of pieces in the game's manifest" {
        name!: Text, "Its name, which no other piece of the file has.";
        kind?: Name(ReferenceKind::Kind), "Its kind, one of the manifest's.";
        side?: Name(ReferenceKind::Side), "Its side, one of the manifest's.";
        at?: Name(ReferenceKind::Place), "The place where it is.";
        on?: Text, "The piece that carries it.";
        value?: Text, "The two figures of its counter: \"6-3\".";
        status?: STATUS, "How its figures are known.";
        source?: SOURCES, "Where it comes from.";
        note?: Text, "A remark for readers.";
        printed?: FIGURES, "The figures that are seen in print.";
        derived?: FIGURES, "The figures that follow from printed ones.";
        house?: FIGURES, "The figures that are set by hand, and no source prints.";
        reconstructed?: FIGURES, "The figures that were made up by a method.";
        missing?: FIGURES, "The figures that are not known.";
    }

    pub CHANGE = "change of a piece", "changes: of a situation",
        "A change to a piece of the layer below: `{ piece: Guard, power: { was: 3, now: 4 } }`; to a place or side: `{ place: C1, height: \
            { was: 1, now: 2 } }`; or to another value: `{ tracks: { turn: { was: 3, now: 4 } } }`, which may also stand at the head of \
            the file.",
        "the attributes of pieces in the game's manifest, each `{ was: ..., now: ... }`, where `now: absent` takes one away; or `place:` \
            or `side:` with theirs; or keys of a situation" {
        piece?: Text, "The piece that changes.";
        was?: Text, "`absent` for a piece that is new.";
        now?: Any, "Its figures, for a piece that is new; `deleted` for one that goes.";
        status?: STATUS, "How its new figures are known: `printed` where nothing is said.";
        source?: SOURCES, "Where it comes from.";
        option?: Name(ReferenceKind::Switch), "The option of the variant that switches it.";
        note?: Text, "A remark for readers.";
    }
}
