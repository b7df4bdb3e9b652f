//! Tests of rulings, and journals.

use super::{
    FieldType::*, FileFormat, NAMED_FLAGS, NAMED_TEXTS, NAMED_VALUES, NUMBER, SEED, TEXTS,
    optional, required,
};
use crate::data::reference_kind::ReferenceKind;

/// `tests/<game>/<name>.yaml`
pub static TESTS: FileFormat = FileFormat {
    name: "tests",
    location: "tests/<game>/<name>.yaml, variants/<variant>/tests/<name>.yaml",
    description: "Tests of rulings. Those that test a case are in tests/<game>/<section>/<case>.yaml or \
           variants/<variant>/tests/<section>/<case>.yaml and are examples of it; those of a situation may be under `tests:` in its own \
           file.",
    keys: &[
        optional("form", NUMBER, "The form of this file: 1."),
        optional("title", Text, "The subject of the file."),
        required("tests", ListOf(&Object(&TEST)), "The tests.").apart(),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// A test of a ruling.
pub static TEST: FileFormat = FileFormat {
    name: "test",
    location: "tests: of a file of tests and of a situation",
    description: "A test of a ruling: the situation, the ruleset, the dice and the expected results. A test without expected \
           results keeps the whole ruling, as a snapshot.",
    keys: &[
        required("test", Text, "A sentence that names it."),
        optional(
            "id",
            Text,
            "The statement of a source that it holds, and how that is known: `RED-042 stated`.",
        ),
        optional(
            "given",
            Text,
            "The situation; in a situation's own file, that one.",
        ),
        optional(
            "but",
            NAMED_VALUES,
            "Inputs of the procedure that differ from the situation's.",
        ),
        optional(
            "pieces",
            ListOf(&Object(&super::scenario::PIECE)),
            "Pieces beside those of the situation; one of the same name takes its place.",
        ),
        optional(
            "set",
            NAMED_TEXTS,
            "Figures that differ from the situation's: `\"Red guard: size\": 5`, `\"track: turn\": 4`.",
        ),
        optional(
            "with",
            ListOf(&Name(ReferenceKind::Variant)),
            "The variants in force, if not those of the situation.",
        ),
        optional("options", NAMED_FLAGS, "Options: `errata.frost: off`."),
        optional("readings", NAMED_TEXTS, "Readings: `8.16.remainder: even`."),
        optional(
            "choose",
            NAMED_TEXTS,
            "Answers to choices: `\"Red: bid\": 2`.",
        ),
        optional(
            "dice",
            ListOf(&Face),
            "The dice that fall, each singly, in order.",
        ),
        optional(
            "seed",
            SEED,
            "The seed of the dice, where none are typed in.",
        ),
        optional(
            "when",
            Name(ReferenceKind::Procedure),
            "The procedure, if not the situation's own.",
        ),
        optional("then", NAMED_VALUES, "Expected outcomes, by name."),
        optional(
            "board",
            NAMED_VALUES,
            "Expected figures and tracks after the ruling: `\"Red guard: at\": Mill`, `\"track: turn\": 4`.",
        ),
        optional(
            "odds",
            Any,
            "Expected chances: `{ winner: { Red: 5/12 }, retreat: 1/3 }`. A fraction holds exactly, `41.7 %` and \
             `\"0.417\"` as rounded; a chance alone is that of `yes`, and `mean` stands for the mean of numbers.",
        ),
        optional(
            "cites",
            TEXTS,
            "Cases and tables that the lines and outcomes of the ruling must cite.",
        ),
        optional("refused", Text, "The case that must refuse."),
        optional(
            "snapshot",
            Text,
            "The ruling word for word; `casebook test --accept` writes it.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// The file that `--save` writes.
pub static JOURNAL: FileFormat = FileFormat {
    name: "journal",
    location: "wherever `--save FILE` puts it",
    description: "Every throw and choice of a ruling, with its ruleset and situation; `casebook replay FILE` reproduces the ruling.",
    keys: &[
        required("journal", NUMBER, "The form of this file: 2."),
        required("game", Text, "The game."),
        required("situation", Text, "The situation."),
        optional(
            "with",
            ListOf(&Name(ReferenceKind::Variant)),
            "The variants in force.",
        ),
        optional("options", NAMED_FLAGS, "Options that were set by hand."),
        optional(
            "readings",
            NAMED_TEXTS,
            "Readings that were chosen by hand.",
        ),
        optional(
            "pieces",
            NAMED_TEXTS,
            "Pieces put into the situation by hand, each with its kind; `off` takes one out.",
        ),
        optional(
            "set",
            NAMED_TEXTS,
            "Figures set in the situation by hand: `\"Red guard: size\": 5`.",
        ),
        optional(
            "goes_on",
            Flag,
            "Whether play went on along the sequence of play after the procedure of the situation.",
        ),
        optional("seed", SEED, "The seed of dice that were not typed."),
        optional(
            "policy",
            NAMED_TEXTS,
            "The sides that a style or policy plays, each with its name; people play the others.",
        ),
        optional(
            "commit",
            Object(&COMMITMENT),
            "What the dice were committed to before the first throw; `casebook replay --verify` checks it.",
        ),
        optional(
            "moves",
            ListOf(&AnyOf(&[Object(&THROW), Object(&CHOICE)])),
            "Every throw and choice, in order.",
        ),
        optional(
            "results",
            NAMED_TEXTS,
            "The outcomes; left out while the ruling is unfinished.",
        ),
    ],
    extra_keys: "",
};

/// A commitment to dice.
pub static COMMITMENT: FileFormat = FileFormat {
    name: "commitment",
    location: "commit: of a journal",
    description: "A hash that was announced before the first throw, and what it is of.",
    keys: &[
        required(
            "hash",
            Text,
            "The hash of the secret: SHA-256, 64 hexadecimal digits.",
        ),
        optional("half", Text, "What the other side added to the secret."),
        optional(
            "secret",
            Text,
            "The secret; left out while it is under way.",
        ),
    ],
    extra_keys: "",
};

/// A throw of dice.
pub static THROW: FileFormat = FileFormat {
    name: "throw",
    location: "moves:",
    description: "A throw of dice.",
    keys: &[
        required("throw", Text, "The dice: 2d6."),
        required("for", Text, "The purpose."),
        optional(
            "faces",
            ListOf(&Face),
            "The faces they showed, each singly.",
        ),
    ],
    extra_keys: "",
};

pub static CHOICE: FileFormat = FileFormat {
    name: "choice",
    location: "moves:",
    description: "A choice.",
    keys: &[
        required("choice", Text, "The question."),
        required("side", Text, "The side that was asked."),
        optional("options", TEXTS, "The options."),
        required("taken", Text, "The option taken."),
    ],
    extra_keys: "",
};
