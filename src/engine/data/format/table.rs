//! Tables.

use super::{FieldType::*, FileFormat, KIND_NAMES, STATUS_NAMES, optional, required};

/// `tables/<game>/<table>.yaml`
pub static TABLE: FileFormat = FileFormat {
    name: "table",
    location: "tables/<game>/<table>.yaml, variants/<variant>/tables/<table>.yaml",
    description: "A chart; in a variant also the changes to one, or its printed figures typed in over reconstructed ones.",
    keys: &[
        optional("table", Text, "Its number, in quotes, or its name; the file's name begins with it."),
        optional("title", Text, "What it is; a chart that stands by itself can't do without."),
        required(
            "kind",
            OneOf(KIND_NAMES),
            "What it does to the layers below: `rule` in a game, `new case`, `correction` or `revision` in a variant.",
        ),
        optional("label", Text, "The printed label, where it says something else than the kind."),
        optional("source", Objects(&super::SOURCE), "Where it comes from."),
        optional("status", OneOf(STATUS_NAMES), "How its figures are known, where `known:` says nothing else."),
        optional("method", Text, "The method by which reconstructed figures were made."),
        optional("sheets", Object(&AXIS), "The sheets of a chart that has several."),
        optional("columns", Object(&AXIS), "The columns; left out where there is one, without a label."),
        optional("rows", Object(&AXIS), "The rows."),
        optional(
            "fields",
            Texts,
            "What the parts of a cell are called that stand with / between them: `[attacker, defender]` for \"1/2\".",
        ),
        optional("marks", NamedValues, "What a letter after a figure says: `r: rout` makes 3r a figure of 3 with `rout` set."),
        optional(
            "holds",
            AnyOf(&[CELL_CONSTRAINT, NamedEach(&CELL_CONSTRAINT)]),
            "What a cell may hold: `\"0-12\"` for numbers, a list of words, `text`; of several fields one each.",
        ),
        optional("cells", Any, "The figures: under each row a list, one a column; `?` for what is not known."),
        optional("known", Objects(&CELL_STATUS), "Which cells have another status than the rest."),
        optional("examples", Objects(&EXAMPLE), "Questions that the table must answer, run by `casebook test`."),
        optional("changes", Objects(&CHANGE), "What a variant changes, cell by cell."),
        optional("option", Text, "The option of the variant that switches it."),
        optional("note", Text, "A remark on the printed text."),
        optional("idle", Text, "Why it changes no ruling."),
    ],
    extra_keys: "",
};

/// Constraint on a cell, or on one field of a cell.
const CELL_CONSTRAINT: super::FieldType = AnyOf(&[Texts, Object(&CONSTRAINT)]);

/// Axes along which figures may be monotonic.
const AXIS_NAMES: &[&str] = &["sheets", "columns", "rows"];

/// A constraint on a cell with more than numbers and words.
pub static CONSTRAINT: FileFormat = FileFormat {
    name: "holds",
    location: "holds:",
    description: "What a cell may hold.",
    keys: &[
        optional("is", Texts, "Bands of numbers, words, `text`."),
        optional("names", Texts, "What it names: piece, place, side, kind, a track."),
        optional("rises", SomeOf(AXIS_NAMES), "The axes along which figures do not fall."),
        optional("falls", SomeOf(AXIS_NAMES), "The axes along which figures do not rise."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// How finely odds are counted, from coarse to fine.
pub const ROUNDING_NAMES: &[&str] = &["whole", "half", "thirds", "quarters"];

/// One axis of a chart.
pub static AXIS: FileFormat = FileFormat {
    name: "axis",
    location: "sheets:, columns:, rows:",
    description: "The labels of an axis: bands of numbers, odds in rising order, or words.",
    keys: &[
        optional("of", Text, "What it counts."),
        optional("unit", Text, "The unit it is counted in."),
        required("labels", Texts, "The labels: 3, \"1-10\", \"11+\", \"2:1\", or words."),
        optional(
            "rounds",
            OneOf(ROUNDING_NAMES),
            "How finely odds are counted: `half` knows 3:2 and 5:2, `thirds` 4:3 and 5:3; what is left over is the defender's. `whole` is assumed.",
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
    description: "Cells of a status of their own; an axis that is not named stands for all its labels.",
    keys: &[
        optional("sheet", Texts, "On these sheets."),
        optional("column", Texts, "In these columns."),
        optional("row", Texts, "In these rows."),
        optional("status", OneOf(STATUS_NAMES), "How they are known."),
        optional("source", Objects(&super::SOURCE), "Where they come from."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};

/// A change to cells of a lower layer's table.
pub static CHANGE: FileFormat = FileFormat {
    name: "change",
    location: "changes: of a table",
    description: "A change to cells of the layer below; an axis that is not named stands for all its labels.",
    keys: &[
        optional("sheet", Texts, "On these sheets."),
        optional("column", Texts, "In these columns."),
        optional("row", Texts, "In these rows."),
        required("was", Texts, "The figure below, or `missing`; a list for several cells."),
        required("now", Texts, "The figure now; a list for several cells."),
        optional("status", OneOf(STATUS_NAMES), "How it is known."),
        optional("source", Objects(&super::SOURCE), "Where it comes from."),
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
        optional("id", Text, "Its name in reports; say how the statement is known: `12.12 stated`."),
        required("ask", Text, "An expression, as a case would write it."),
        optional("then", Any, "The expected value."),
        optional("with", Texts, "The variants it is asked under."),
        optional("reading", Texts, "The readings it is asked under: `8.16.remainder=even`."),
        optional("option", Texts, "The options it is asked under: `errata.frost=off`."),
        optional("note", Text, "A remark for readers."),
    ],
    extra_keys: "",
};
