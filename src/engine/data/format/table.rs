//! Tables.

use super::{
    FieldType::*, FileFormat, KIND, NAMED_TEXTS, SOURCES, STATUS, TEXTS, Words, optional, required,
    words_of,
};
use crate::complaint::DiagnosticCode;
use crate::data::reference_kind::ReferenceKind;

/// `tables/<game>/<table>.yaml`
pub static TABLE: FileFormat = FileFormat {
    name: "table",
    location: "tables/<game>/<table>.yaml, variants/<variant>/tables/<table>.yaml",
    description: "A chart; in a variant also the changes to one, or its printed figures typed in over reconstructed ones.",
    keys: &[
        optional(
            "table",
            Text,
            "Its number, in quotes, or its name; the file's name begins with it.",
        ),
        optional(
            "title",
            Title,
            "What it is; a chart that is not part of another needs it.",
        ),
        required(
            "kind",
            KIND,
            "What it does to the layers below: `rule` in a game, `new case`, `correction` or `revision` in a variant.",
        ),
        optional(
            "label",
            Text,
            "The printed label, where it says something else than the kind.",
        ),
        optional("source", SOURCES, "Where it comes from."),
        optional(
            "status",
            STATUS,
            "How its figures are known, where `known:` says nothing else.",
        ),
        optional(
            "method",
            Text,
            "The method by which reconstructed figures were made.",
        ),
        optional(
            "sheets",
            Object(&AXIS),
            "The sheets of a chart that has several.",
        ),
        optional(
            "columns",
            Object(&AXIS),
            "The columns; left out where there is one, without a label.",
        ),
        optional("rows", Object(&AXIS), "The rows."),
        optional(
            "fields",
            TEXTS,
            "The names of the parts of a cell, which are separated by /: `[attacker, defender]` for \"1/2\".",
        ),
        optional(
            "marks",
            NAMED_TEXTS,
            "What a letter at the end of a cell says, beside its `fields:`. With `fields: [losses]`, `r: rout` makes 3r a figure of 3 with `rout` set: `let fell = table(\"fight\", die); if fell.rout { retreat(fell.losses) }`.",
        ),
        optional(
            "holds",
            AnyOf(&CONSTRAINTS),
            "What a cell may hold: `\"0-12\"` for numbers, a list of words, `text`; of several fields one each.",
        ),
        optional(
            "cells",
            Any,
            "The figures: under each row a list, one a column; `?` for what is not known.",
        ),
        optional(
            "known",
            ListOf(&Object(&CELL_STATUS)),
            "Which cells have another status than the rest.",
        ),
        optional(
            "examples",
            ListOf(&Object(&EXAMPLE)),
            "Questions that the table must answer, run by `casebook test`.",
        )
        .apart(),
        optional(
            "changes",
            ListOf(&Object(&CHANGE)),
            "What a variant changes, cell by cell.",
        ),
        optional(
            "option",
            Name(ReferenceKind::Switch),
            "The option of the variant that switches it.",
        ),
        optional("note", Text, "A remark on the printed text."),
        optional("idle", Text, "Why it changes no ruling."),
    ],
    extra_keys: "",
};

const CELL_CONSTRAINT: super::FieldType = AnyOf(&[TEXTS, Object(&CONSTRAINT)]);

/// What cells may hold: all of them, or those of each field or column.
pub const CONSTRAINTS: [super::FieldType; 2] = [CELL_CONSTRAINT, Map(&Text, &CELL_CONSTRAINT)];

/// The axes, each with its number: figures may be monotonic along them.
pub const AXES: [(&str, usize); 3] = [("sheets", 0), ("columns", 1), ("rows", 2)];

/// A list of axes.
const AXIS_LIST: super::FieldType = ListOf(&OneOf(&Words {
    noun: "name of an axis",
    code: DiagnosticCode::UnknownName,
    words: &words_of(&AXES),
}));

/// A constraint on a cell with more than numbers and words.
pub static CONSTRAINT: FileFormat = FileFormat {
    name: "holds",
    location: "holds:",
    description: "What a cell may hold.",
    keys: &[
        optional("is", TEXTS, "Bands of numbers, words, `text`."),
        optional(
            "names",
            TEXTS,
            "What it names: piece, place, side, kind, a track.",
        ),
        optional(
            "rises",
            AXIS_LIST,
            "The axes along which figures do not fall.",
        ),
        optional(
            "falls",
            AXIS_LIST,
            "The axes along which figures do not rise.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// Into how many parts of a whole odds are counted.
pub const ROUNDINGS: [(&str, i64); 4] = [("whole", 1), ("half", 2), ("thirds", 3), ("quarters", 4)];

/// Whether odds below the lowest are refused, by the word.
pub const BELOW: [(&str, bool); 2] = [("lowest", false), ("refused", true)];

/// One axis of a chart.
pub static AXIS: FileFormat = FileFormat {
    name: "axis",
    location: "sheets:, columns:, rows:",
    description: "The labels of an axis: bands of numbers, odds in rising order, or words.",
    keys: &[
        optional("of", Text, "What it counts."),
        optional("unit", Text, "The unit it is counted in."),
        required(
            "labels",
            TEXTS,
            "The labels: 3, \"1-10\", \"11+\", \"2:1\", or words.",
        ),
        optional(
            "rounds",
            OneOf(&Words {
                noun: "way to round odds",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&ROUNDINGS),
            }),
            "How finely odds are counted: `half` knows 3:2 and 5:2, `thirds` 4:3 and 5:3; what is left over is the defender's. `whole` is assumed.",
        ),
        optional(
            "below",
            OneOf(&Words {
                noun: "answer to odds below the lowest",
                code: DiagnosticCode::UnknownName,
                words: &words_of(&BELOW),
            }),
            "What becomes of odds below the lowest: they count as the lowest, which is assumed, or are refused.",
        ),
        optional(
            "dice",
            Text,
            "The dice that are thrown for it, which its labels must cover: 1d6, 2d6, or a die that the game declares, whose words are labels.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// A status that applies to some cells only.
pub static CELL_STATUS: FileFormat = FileFormat {
    name: "known cells",
    location: "known:",
    description: "Cells of a status of their own; an axis that is not named stands for all its labels. Of two changes of one cell in a file that of fewer cells holds, and of equally many the later.",
    keys: &[
        optional("sheet", TEXTS, "On these sheets."),
        optional("column", TEXTS, "In these columns."),
        optional("row", TEXTS, "In these rows."),
        optional("status", STATUS, "How they are known."),
        optional("source", SOURCES, "Where they come from."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// A change to cells of a lower layer's table.
pub static CHANGE: FileFormat = FileFormat {
    name: "change",
    location: "changes: of a table",
    description: "A change to cells of the layer below; an axis that is not named stands for all its labels. Of two changes of one cell in a file that of fewer cells holds, and of equally many the later.",
    keys: &[
        optional("sheet", TEXTS, "On these sheets."),
        optional("column", TEXTS, "In these columns."),
        optional("row", TEXTS, "In these rows."),
        required(
            "was",
            TEXTS,
            "The figure below, or `missing`; a list for several cells, with `all:` of those that are looked for.",
        )
        .or_complain(DiagnosticCode::WasNow),
        required("now", TEXTS, "The figure now; a list for several cells; `=` for a part that stays: `0/=`.")
            .or_complain(DiagnosticCode::WasNow),
        optional(
            "all",
            Flag,
            "Whether each of the cells that reads as `was:` says is `now:`, and no other.",
        ),
        optional(
            "option",
            Name(ReferenceKind::Switch),
            "The option of the variant that switches it.",
        ),
        optional("status", STATUS, "How it is known."),
        optional("source", SOURCES, "Where it comes from."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// An example query with its expected answer, in a table or a situation.
pub static EXAMPLE: FileFormat = FileFormat {
    name: "example",
    location: "examples: of a table or situation",
    description: "A question of the sources with its answer.",
    keys: &[
        optional(
            "id",
            Text,
            "Its name in reports; say how the statement is known: `12.12 stated`.",
        ),
        required("ask", Text, "An expression, as a case would write it."),
        optional("then", Any, "The expected value."),
        optional(
            "with",
            ListOf(&Name(ReferenceKind::Variant)),
            "The variants it is asked under.",
        ),
        optional(
            "reading",
            TEXTS,
            "The readings it is asked under: `8.16.remainder=even`.",
        ),
        optional(
            "option",
            TEXTS,
            "The options it is asked under: `errata.frost=off`.",
        ),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};
