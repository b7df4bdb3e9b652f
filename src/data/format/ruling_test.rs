//! Tests of rulings, and journals.

use super::{FieldType::*, FileFormat, optional, required};

/// `tests/<game>/<name>.yaml`
pub static TESTS: FileFormat = FileFormat {
    name: "tests",
    location: "tests/<game>/<name>.yaml",
    description: "Tests of rulings; they may stand under `tests:` in a situation's own file too.",
    keys: &[
        optional("form", Number, "The form of this file: 1."),
        optional("title", Text, "What they are about."),
        required("tests", Objects(&TEST), "The tests."),
        optional("note", Text, "What is odd about them."),
    ],
    extra_keys: "",
};

/// A test of a ruling.
pub static TEST: FileFormat = FileFormat {
    name: "test",
    location: "tests: of tests/<game>/<name>.yaml and of a situation",
    description: "A test of a ruling: what is given, what is in force, which dice fall, and what must come of it. \
           One that says nothing of what must come of it holds the whole ruling, as a snapshot.",
    keys: &[
        required("test", Text, "What it says, in a sentence."),
        optional("given", Text, "The situation; that of the file where the test stands in one."),
        optional("but", NamedValues, "What the procedure is handed otherwise than the situation says."),
        optional("set", NamedValues, "Figures otherwise than the situation says: `\"Red guard: size\": 5`, `\"track: turn\": 4`."),
        optional("with", Texts, "The variants in force, if not those of the situation."),
        optional("options", NamedValues, "Options: `errata.frost: off`."),
        optional("readings", NamedValues, "Readings: `8.16.remainder: even`."),
        optional("choose", NamedValues, "Answers to choices: `\"Red: bid\": 2`."),
        optional("dice", Texts, "The dice that fall, each singly, in order."),
        optional("seed", Number, "The seed of the dice, where none are typed in."),
        optional("when", Text, "The procedure, if not the situation's own."),
        optional("then", NamedValues, "Outcomes that must come of it, by name."),
        optional(
            "odds",
            Any,
            "Chances that must be counted, exactly: `{ winner: { Red: 5/12 }, retreat: 1/3 }`. A fraction holds exactly, `41.7 %` and \
             `\"0.417\"` as rounded; a chance alone is that of `yes`, and `mean` stands for the mean of numbers.",
        ),
        optional("cites", Texts, "Cases and tables that must have decided."),
        optional("refused", Text, "The case that must refuse."),
        optional("snapshot", Text, "The ruling word for word; `casebook test --accept` writes it."),
        optional("note", Text, "What is odd about it."),
    ],
    extra_keys: "",
};

/// `tests/<game>/equivalent-mutants.yaml`
pub static EQUIVALENTS: FileFormat = FileFormat {
    name: "equivalent-mutants",
    location: "tests/<game>/equivalent-mutants.yaml",
    description: "Changes that `casebook test --mutants` tries and that make no difference, so that no example can notice them.",
    keys: &[
        optional("title", Text, "What they are about."),
        required("cases", NamedEach(&Objects(&EQUIVALENT)), "By the path of the case, from the top level: the changes."),
    ],
    extra_keys: "",
};

/// A mutation of a line of a case that does not change any ruling.
pub static EQUIVALENT: FileFormat = FileFormat {
    name: "equivalent",
    location: "cases: of tests/<game>/equivalent-mutants.yaml",
    description: "Changes of a line of a case that make no difference.",
    keys: &[
        required("function", Text, "The function."),
        required("line", Text, "The line as it stands, without the space around it."),
        required(
            "changes",
            Texts,
            "What stands in the changed place, as `--mutants` prints it: `\"<=\"`, `2`; `not` for a condition turned round.",
        ),
        required("why", Text, "Why it makes no difference."),
    ],
    extra_keys: "",
};

/// The file that `--save` writes.
pub static JOURNAL: FileFormat = FileFormat {
    name: "journal",
    location: "wherever `--save FILE` puts it",
    description: "All that a ruling was made from, throw by throw and choice by choice; `casebook replay FILE` makes it again.",
    keys: &[
        required("journal", Number, "The form of this file: 2."),
        required("game", Text, "The game."),
        required("situation", Text, "The situation."),
        optional("with", Texts, "The variants in force."),
        optional("options", NamedValues, "Options that were set by hand."),
        optional("readings", NamedValues, "Readings that were chosen by hand."),
        optional("pieces", NamedValues, "Pieces put into the situation by hand, each with its kind; `off` takes one out."),
        optional("set", NamedValues, "Figures set in the situation by hand: `\"Red guard: size\": 5`."),
        optional("goes_on", Flag, "Whether play went on along the sequence of play after the procedure of the situation."),
        optional("seed", Number, "The seed of dice that were not typed."),
        optional(
            "commit",
            Object(&COMMITMENT),
            "What the dice were committed to before the first throw; `casebook replay --verify` checks it.",
        ),
        optional("moves", Objects(&MOVE), "Every throw and choice, in order."),
        optional("results", NamedValues, "The outcomes that came of it; left out while it is under way."),
    ],
    extra_keys: "",
};

/// A commitment to dice.
pub static COMMITMENT: FileFormat = FileFormat {
    name: "commitment",
    location: "commit: of a journal",
    description: "A hash that was given away before the first throw, and what it is of.",
    keys: &[
        required("hash", Text, "The hash of the secret: SHA-256, 64 hexadecimal digits."),
        optional("half", Text, "What the other side added to the secret."),
        optional("secret", Text, "The secret; left out while it is under way."),
    ],
    extra_keys: "",
};

/// A throw of dice (the first three keys) or a choice (the others).
pub static MOVE: FileFormat = FileFormat {
    name: "move",
    location: "moves:",
    description: "A throw, by its first three keys, or a choice, by the others.",
    keys: &[
        optional("throw", Text, "The dice that were thrown: 2d6."),
        optional("for", Text, "What for."),
        optional("faces", Texts, "The faces they showed, each singly."),
        optional("choice", Text, "The question."),
        optional("side", Text, "The side that was asked."),
        optional("options", Texts, "What there was to choose from."),
        optional("taken", Text, "What was chosen."),
    ],
    extra_keys: "",
};
