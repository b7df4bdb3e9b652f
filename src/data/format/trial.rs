//! Tests of rulings, and journals.

use super::{Format, Holds::*, key, needed};

/// `tests/<game>/<name>.yaml`
pub static TESTS: Format = Format {
    name: "tests",
    place: "tests/<game>/<name>.yaml",
    does: "Tests of rulings; they may stand under `tests:` in a situation's own file too.",
    keys: &[
        key("form", Number, "The form of this file: 1."),
        key("title", Text, "What they are about."),
        needed("tests", Entries(&TEST), "The tests."),
        key("note", Text, "What is odd about them."),
    ],
    more: "",
};

/// A test of a ruling.
pub static TEST: Format = Format {
    name: "test",
    place: "tests: of tests/<game>/<name>.yaml and of a situation",
    does: "A test of a ruling: what is given, what is in force, which dice fall, and what must come of it. \
           One that says nothing of what must come of it holds the whole ruling, as a snapshot.",
    keys: &[
        needed("test", Text, "What it says, in a sentence."),
        key("given", Text, "The situation; that of the file where the test stands in one."),
        key("but", Values, "What the procedure is handed otherwise than the situation says."),
        key("set", Values, "Figures otherwise than the situation says: `\"Red guard: size\": 5`, `\"track: turn\": 4`."),
        key("with", Texts, "The variants in force, if not those of the situation."),
        key("options", Values, "Options: `errata.frost: off`."),
        key("readings", Values, "Readings: `8.16.remainder: even`."),
        key("choose", Values, "Answers to choices: `\"Red: bid\": 2`."),
        key("dice", Texts, "The dice that fall, each singly, in order."),
        key("seed", Number, "The seed of the dice, where none are typed in."),
        key("when", Text, "The procedure, if not the situation's own."),
        key("then", Values, "Outcomes that must come of it, by name."),
        key(
            "odds",
            Any,
            "Chances that must be counted, exactly: `{ winner: { Red: 5/12 }, retreat: 1/3 }`. A fraction holds exactly, `41.7 %` and \
             `\"0.417\"` as rounded; a chance alone is that of `yes`, and `mean` stands for the mean of numbers.",
        ),
        key("cites", Texts, "Cases and tables that must have decided."),
        key("refused", Text, "The case that must refuse."),
        key("snapshot", Text, "The ruling word for word; `casebook test --accept` writes it."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// `tests/<game>/equivalent-mutants.yaml`
pub static EQUIVALENTS: Format = Format {
    name: "equivalent-mutants",
    place: "tests/<game>/equivalent-mutants.yaml",
    does: "Changes that `casebook test --mutants` tries and that make no difference, so that no example can notice them.",
    keys: &[
        key("title", Text, "What they are about."),
        needed("cases", Each(&Entries(&EQUIVALENT)), "By the path of the case, from the top level: the changes."),
    ],
    more: "",
};

/// Changes of a line of a case that make no difference.
pub static EQUIVALENT: Format = Format {
    name: "equivalent",
    place: "cases: of tests/<game>/equivalent-mutants.yaml",
    does: "Changes of a line of a case that make no difference.",
    keys: &[
        needed("function", Text, "The function."),
        needed("line", Text, "The line as it stands, without the space around it."),
        needed(
            "changes",
            Texts,
            "What stands in the changed place, as `--mutants` prints it: `\"<=\"`, `2`; `not` for a condition turned round.",
        ),
        needed("why", Text, "Why it makes no difference."),
    ],
    more: "",
};

/// What `--save` writes.
pub static JOURNAL: Format = Format {
    name: "journal",
    place: "wherever `--save FILE` puts it",
    does: "All that a ruling was made from, throw by throw and choice by choice; `casebook replay FILE` makes it again.",
    keys: &[
        needed("journal", Number, "The form of this file: 2."),
        needed("game", Text, "The game."),
        needed("situation", Text, "The situation."),
        key("with", Texts, "The variants in force."),
        key("options", Values, "Options that were set by hand."),
        key("readings", Values, "Readings that were chosen by hand."),
        key("pieces", Values, "Pieces put into the situation by hand, each with its kind; `off` takes one out."),
        key("set", Values, "Figures set in the situation by hand: `\"Red guard: size\": 5`."),
        key("seed", Number, "The seed of dice that were not typed."),
        key("moves", Entries(&MOVE), "Every throw and choice, in order."),
        key("results", Values, "The outcomes that came of it; left out while it is under way."),
    ],
    more: "",
};

/// A throw, by its first three keys, or a choice, by the others.
pub static MOVE: Format = Format {
    name: "move",
    place: "moves:",
    does: "A throw, by its first three keys, or a choice, by the others.",
    keys: &[
        key("throw", Text, "The dice that were thrown: 2d6."),
        key("for", Text, "What for."),
        key("faces", Texts, "The faces they showed, each singly."),
        key("choice", Text, "The question."),
        key("side", Text, "The side that was asked."),
        key("options", Texts, "What there was to choose from."),
        key("taken", Text, "What was chosen."),
    ],
    more: "",
};
