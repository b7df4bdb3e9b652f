//! Tests of rulings, and journals.

use super::{FieldType::*, NAMED_FLAGS, NAMED_TEXTS, NAMED_VALUES, NUMBER, SEED, TEXTS, scenario};
use crate::data::reference_kind::ReferenceKind;

formats! {
    pub TESTS = "tests", "tests/<game>/<name>.yaml, variants/<variant>/tests/<name>.yaml",
        "Tests of rulings. Those that test a case are in tests/<game>/<section>/<case>.yaml or \
            variants/<variant>/tests/<section>/<case>.yaml and are examples of it; those of a situation may be under `tests:` in its own \
            file." {
        form?: NUMBER, "The form of this file: 1.";
        title?: Text, "The subject of the file.";
        tests!: ListOf(&Object(&TEST)), "The tests.", apart();
        note?: Text, "A remark for readers.";
    }

    pub TEST = "test", "tests: of a file of tests and of a situation",
        "A test of a ruling: the situation, the ruleset, the dice and the expected results. A test without expected results keeps the \
            whole ruling, as a snapshot." {
        test!: Text, "A sentence that names it.";
        id?: Name(ReferenceKind::Statement), "The statement of a source that it holds, and how that is known: `RED-042 stated`.";
        given?: Name(ReferenceKind::Situation), "The situation; in a situation's own file, that one.";
        but?: NAMED_VALUES, "Inputs of the procedure that differ from the situation's.";
        pieces?: ListOf(&Object(&scenario::PIECE)), "Pieces beside those of the situation; one of the same name takes its place.";
        set?: NAMED_TEXTS, "Figures that differ from the situation's: `\"Red guard: size\": 5`, `\"track: turn\": 4`.";
        with?: ListOf(&Name(ReferenceKind::Variant)), "The variants in force, if not those of the situation.";
        options?: NAMED_FLAGS, "Options: `errata.frost: off`.";
        readings?: NAMED_TEXTS, "Readings: `8.16.remainder: even`.";
        choose?: NAMED_TEXTS, "Answers to choices: `\"Red: bid\": 2`.";
        dice?: ListOf(&Face), "The dice that fall, each singly, in order.";
        seed?: SEED, "The seed of the dice, where none are typed in.";
        when?: Name(ReferenceKind::Procedure), "The procedure, if not the situation's own.";
        then?: NAMED_VALUES, "Expected outcomes, by name.";
        board?: NAMED_VALUES, "Expected figures and tracks after the ruling: `\"Red guard: at\": Mill`, `\"track: turn\": 4`.";
        odds?: Any, "Expected chances: `{ winner: { Red: 5/12 }, retreat: 1/3 }`. A fraction holds exactly, `41.7 %` and `\"0.417\"` as \
            rounded; a chance alone is that of `yes`, and `mean` stands for the mean of numbers.";
        lines?: TEXTS, "Lines that the ruling must have, word for word.";
        cites?: TEXTS, "Cases and tables that the lines and outcomes of the ruling must cite.";
        refused?: Text, "The case that must refuse.";
        snapshot?: Text, "The ruling word for word; `casebook test` writes it when the new ruling is accepted.";
        note?: Text, "A remark for readers.";
    }

    pub JOURNAL = "journal", "wherever it was saved",
        "Every throw and choice of a ruling, with its ruleset and situation; `casebook replay FILE` reproduces the ruling." {
        journal!: NUMBER, "The form of this file: 2.";
        game!: Text, "The game.";
        situation!: Name(ReferenceKind::Situation), "The situation.";
        with?: ListOf(&Name(ReferenceKind::Variant)), "The variants in force.";
        options?: NAMED_FLAGS, "Options that were set by hand.";
        readings?: NAMED_TEXTS, "Readings that were chosen by hand.";
        pieces?: NAMED_TEXTS, "Pieces put into the situation by hand, each with its kind; `off` takes one out.";
        set?: NAMED_TEXTS, "Figures set in the situation by hand: `\"Red guard: size\": 5`.";
        goes_on?: Flag, "Whether play went on along the sequence of play after the procedure of the situation.";
        seed?: SEED, "The seed of dice that were not typed.";
        policy?: NAMED_TEXTS, "The sides that a style or policy plays, each with its name; people play the others.";
        commit?: Object(&COMMITMENT), "What the dice were committed to before the first throw; `casebook replay` verifies it.";
        moves?: ListOf(&AnyOf(&[Object(&THROW), Object(&CHOICE)])), "Every throw and choice, in order.";
        results?: NAMED_TEXTS, "The outcomes; left out while the ruling is unfinished.";
    }

    pub COMMITMENT = "commitment", "commit: of a journal",
        "A hash that was announced before the first throw, and what it is of." {
        hash!: Text, "The hash of the secret: SHA-256, 64 hexadecimal digits.";
        half?: Text, "What the other side added to the secret.";
        secret?: Text, "The secret; left out while it is under way.";
    }

    pub THROW = "throw", "moves:",
        "A throw of dice." {
        throw!: Text, "The dice: 2d6.";
        for!: Text, "The purpose.";
        faces?: ListOf(&Face), "The faces they showed, each singly.";
    }

    pub CHOICE = "choice", "moves:",
        "A choice." {
        choice!: Text, "The question.";
        side!: Text, "The side that was asked.";
        options?: TEXTS, "The options.";
        taken!: Text, "The option taken.";
    }
}
