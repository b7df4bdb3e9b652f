//! The card of a case, and a variant's manifest.

use super::{
    FieldType::*, FileFormat, KIND, NAMED_LISTS, NAMED_TEXTS, SOURCES, STATUS, TEXTS, change, game,
    one_of,
};
use crate::data::reference_kind::ReferenceKind;

formats! {
    pub CARD = "case", "rules/<game>/<section>/<case>.rhai, variants/<variant>/rules/<section>/<case>.rhai",
        "A case: its card in `//!` lines, then its functions, then up to three examples that show the rule. Functions marked `private` are \
            helpers of the file; all others are answers that a later layer may replace. More examples are in its test file, \
            tests/<game>/<section>/<case>.rhai or variants/<variant>/tests/<section>/<case>.rhai." {
        case?: Text, "Its number, in quotes, or its name where it has none; the file's name begins with it.";
        title!: Title, "What it is about.";
        kind!: KIND, "What it does to the layers below; `casebook explain kind` says what each demands.";
        label?: Text, "The printed label, where it says something else than the kind.";
        status?: STATUS, "How the case is known; printed where nothing is said.";
        source?: SOURCES, "Where it comes from.";
        text?: Text, "The rule, in your own words.";
        readings?: NAMED_LISTS, "Ways to read a doubtful text, `name: [the default, another]`; `reading(\"name\")` asks which is in force.";
        usual?: NAMED_LISTS, "Questions of routine with the answer that is nearly always given, `question: option`; `*` stands for a name, \
            `first` for a place. Play can answer them by itself.";
        questions?: Map(&Text, &Object(&QUESTION_WORDS)), "The wording of its questions for people, `question: { ask: a sentence, options: \
            { option: what it does } }`; `*` stands for a name in it, and comes again in the sentence.";
        secret?: TEXTS, "Questions whose answers the other side learns only when all have answered; `*` stands for a name.";
        option?: Name(ReferenceKind::Switch), "The option of the variant that switches it.";
        procedure?: ListOf(&Name(ReferenceKind::Procedure)), "The procedures it carries out, or has a part in; only such a case may change the situation.";
        given?: Map(&Text, &Object(&GIVEN)), "What a situation hands the procedures whose functions are here, by name: `from: { names: \
            place, what: The hex it comes from. }`. What an older layer declares stays.";
        headline?: Map(&Name(ReferenceKind::Caption), &ListOf(&Name(ReferenceKind::OutcomeFigure))),
            "What is read first among the outcomes of its procedures, as `what it is called: figure`. A figure is a \
            condition, whose chance is shown (`retreat`, which is `retreat = yes`; `attack != none`; `hits >= 3`), or `mean hits`, taken \
            over the cases in which the outcome comes up. Two figures are set against each other. `{target}` stands for what the situation \
            hands the procedure as `target`.";
        good_for?: Map(&Name(ReferenceKind::Outcome), &ListOf(&Name(ReferenceKind::Beneficiary))),
            "For whom more of an outcome is good, by outcome: a side; a name of `given:`, for the side of what the \
            situation hands over under it; a track that names a side; or `enemy of` one of them. Of several names the first counts that \
            leads to a side. `casebook luck` keeps the balance of each side by it.";
        replaces?: TEXTS, "Functions of the older case that no longer hold.";
        reinstates?: Text, "The layer whose answers it brings back.";
        note?: Text, "A remark on the printed text.";
        idle?: Text, "Why no procedure asks it, or why it changes no ruling.";
    }
}

/// The key of a card that words its questions.
pub const QUESTIONS: &str = "questions";

formats! {
    pub QUESTION_WORDS = "wording of a question", "questions: of a case",
        "How a question is put to people; rules and styles go on to name it by what `choose` asks." {
        ask?: Text, "The question in one sentence; `*` is what stands for a name in it.";
        options?: NAMED_TEXTS, "What options do, by option: `no more: End it`; `*` stands for any text in both.";
        main?: Text, "The option that ends what is asked again and again, such as a phase: it has a button of its own.";
    }
}

formats! {
    pub GIVEN = "given", "given: of a case",
        "What a situation hands a procedure under one name." {
        what!: Text, "What it means, in one sentence.";
        names?: TEXTS, "What it names: piece, place, side, kind, a track.";
        is?: TEXTS, "What it may be: bands of numbers such as \"0-99\", words, `text`.";
        flag?: Flag, "Whether it is true or false.";
        keys?: TEXTS, "What the keys name of a map with keys of its own.";
        list?: AnyOf(&[Flag, one_of("sort of list", &["either"])]), "Whether it is a list; `names:` and `is:` then say what each of it may \
            be. `either`: one, or a list.";
        optional?: Flag, "Whether a situation may leave it out.";
        or?: Text, "Another name here: a situation gives one of the two.";
        each?: AnyOf(&[Text, Map(&Text, &Object(&GIVEN_PART))]), "What a map has by name, or each map of a list; or the procedure that is \
            given the same.";
    }

    pub VARIANT = "variant", "variants/<variant>/variant.yaml",
        "A layer over a game: errata, a variant, house rules. Beside it are `rules`, `tables` and `scenarios` with what it amends." {
        variant?: Text, "Its short name: that of its folder.";
        title!: Title, "Its title.";
        game!: Text, "The game it is for.";
        source?: SOURCES, "Where it comes from.";
        after?: ListOf(&Name(ReferenceKind::Variant)), "The variants that it changes if they are in force.";
        needs?: ListOf(&Name(ReferenceKind::Variant)), "The variants that come into force with it.";
        excludes?: ListOf(&Name(ReferenceKind::Variant)), "The variants that can't be in force together with it.";
        version?: Text, "Its version, as its author counts.";
        options?: Map(&Text, &Object(&OPTION)), "Parts of it that can be switched by themselves.";
        dice?: Map(&Text, &ListOf(&Face)), "Dice of its own, by name: their faces, the best word first.";
        decks?: Map(&Text, &Object(&game::DECK)), "Decks and cups of its own, by name.";
        kinds?: Map(&Text, &Object(&game::KIND)), "Kinds of piece of its own.";
        attributes?: Map(&Text, &Object(&game::ATTRIBUTE)), "Figures, flags and words of pieces of its own.";
        places?: Object(&PLACES_ADDED), "What places, and the sides between them, may have beside what the game gives them; boxes of its \
            own.";
        tracks?: Map(&Text, &Object(&game::TRACK)), "Tracks of its own.";
        procedures?: game::PROCEDURES, "Procedures of its own; a case of it carries each out.";
        sequence?: ListOf(&Object(&PHASE_ADDED)), "Phases of its own, and procedures it adds to phases of the game.";
        together?: TEXTS, "First words of values of its outcomes: odds show the values that begin with one of them as a group.";
        groups?: game::OUTCOME_GROUPS, "Groups of outcomes of its own, by title; what it adds to one of the game's is in both.";
        unnamed?: game::OUTCOME_GROUPS, "What it means that an outcome of its own is not named, in words.";
        units?: game::OUTCOME_TEXTS, "What values of outcomes of its own are counted in.";
        follow?: game::OUTCOMES, "Outcomes of its own that the log of a game shows round by round.";
        ends_when?: game::OUTCOME_TEXTS, "Outcomes of its own that end a game, with the value they then have.";
        sheets?: Map(&Text, &Map(&Text, &Object(&game::FIELD))), "Sheets of its own, and fields it adds to those of the game.";
        changes?: ListOf(&Object(&change::CHANGE)), "Changes of rules, in order: each builds on those before it.";
        note?: Text, "A remark for readers.";
        text?: Text, "What it is for, in your own words.";
    }

    pub PLACES_ADDED = "places of a variant", "places: of a variant",
        "What a variant adds to the places of its game." {
        attributes?: Map(&Text, &Object(&game::ATTRIBUTE)), "What a place may have.";
        sides?: Map(&Text, &Object(&game::ATTRIBUTE)), "What the side between two places may have.";
        boxes?: TEXTS, "Places beside the map.";
        out_of_play?: ListOf(&Name(ReferenceKind::Box)), "Those of these boxes whose pieces are out of play: nothing moves them but \
            `take_from_box`.";
        note?: Text, "A remark for readers.";
    }

    pub PHASE_ADDED = "phase of a variant", "sequence: of a variant",
        "A phase that a variant adds to the sequence of play; where the game has one of this name, procedures that are added to it." {
        phase!: Text, "Its name.";
        after?: Text, "The phase it follows; of procedures added to a phase, the procedure they follow. Without it they come last.";
        once_a?: Name(ReferenceKind::Track), "The track that brings it round, of a new phase.";
        procedures?: ListOf(&Name(ReferenceKind::Procedure)), "The procedures carried out in it.";
        status?: STATUS, "How it is known.";
        source?: SOURCES, "Where it comes from.";
        note?: Text, "A remark for readers.";
    }

    pub OPTION = "option", "options:",
        "A part of a variant that can be switched by itself: `variant.name=off`." {
        title?: Text, "What it is.";
        default?: Flag, "Whether it is on where nothing is said; it is.";
        note?: Text, "A remark for readers.";
    }
}

/// A name in a map that a procedure is given.
pub static GIVEN_PART: FileFormat = FileFormat {
    name: "part of given",
    location: "each: of given:",
    description: "One entry of a map that a procedure is given; it may be left out.",
    // Without `optional`, `or` and `each`.
    keys: GIVEN.keys.split_at(6).0,
    extra_keys: "",
};
