//! Tables.

use super::{Format, Holds::*, KINDS, STATUSES, key, needed};

/// `tables/<game>/<table>.yaml`
pub static TABLE: Format = Format {
    name: "table",
    place: "tables/<game>/<table>.yaml, variants/<variant>/tables/<table>.yaml",
    does: "A chart; in a variant also the changes to one, or its printed figures typed in over reconstructed ones.",
    keys: &[
        key("table", Text, "Its number, in quotes, or its name; the file's name begins with it."),
        key("title", Text, "What it is; a chart that stands by itself can't do without."),
        needed(
            "kind",
            Words(KINDS),
            "What it does to the layers below: `rule` in a game, `new case`, `correction` or `revision` in a variant.",
        ),
        key("label", Text, "The printed label, where it says something else than the kind."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("status", Words(STATUSES), "How its figures are known, where `known:` says nothing else."),
        key("method", Text, "How reconstructed figures were made."),
        key("sheets", Keys(&AXIS), "The sheets of a chart that has several."),
        key("columns", Keys(&AXIS), "The columns; left out where there is one, without a label."),
        key("rows", Keys(&AXIS), "The rows."),
        key("fields", Texts, "What the parts of a cell are called that stand with / between them: `[attacker, defender]` for \"1/2\"."),
        key("marks", Values, "What a letter after a figure says: `r: rout` makes 3r a figure of 3 with `rout` set."),
        key(
            "holds",
            AnyOf(&[CELL, Each(&CELL)]),
            "What a cell may hold: `\"0-12\"` for numbers, a list of words, `text`; of several fields one each.",
        ),
        key("cells", Any, "The figures: under each row a list, one a column; `?` for what is not known."),
        key("known", Entries(&KNOWN), "Which cells have another status than the rest."),
        key("examples", Entries(&EXAMPLE), "Questions that the table must answer, run by `casebook test`."),
        key("changes", Entries(&CHANGE), "What a variant changes, cell by cell."),
        key("was", Any, "What stood there before."),
        key("option", Text, "The option of the variant that switches it."),
        key("note", Text, "What is odd about it in print."),
        key("idle", Text, "Why it moves no ruling."),
    ],
    more: "",
};

/// What one cell, or one field of a cell, may hold.
const CELL: super::Holds = AnyOf(&[Texts, Keys(&HOLDS)]);

/// The axes along which figures may rise or fall.
const AXES: &[&str] = &["sheets", "columns", "rows"];

/// What a cell may hold, where there is more to say than numbers and words.
pub static HOLDS: Format = Format {
    name: "holds",
    place: "holds:",
    does: "What a cell may hold.",
    keys: &[
        key("is", Texts, "Bands of numbers, words, `text`."),
        key("names", Texts, "What it names: piece, place, side, kind, a track."),
        key("rises", Several(AXES), "The axes along which figures do not fall."),
        key("falls", Several(AXES), "The axes along which figures do not rise."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// One axis of a chart.
pub static AXIS: Format = Format {
    name: "axis",
    place: "sheets:, columns:, rows:",
    does: "The labels of an axis: bands of numbers, odds in rising order, or words.",
    keys: &[
        key("of", Text, "What it counts."),
        key("unit", Text, "The unit it is counted in."),
        needed("labels", Texts, "The labels: 3, \"1-10\", \"11+\", \"2:1\", or words."),
        key("dice", Text, "The dice that are thrown for it, which its labels must cover: 1d6, 2d6."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// Cells of a status of their own.
pub static KNOWN: Format = Format {
    name: "known cells",
    place: "known:",
    does: "Cells of a status of their own; an axis that is not named stands for all its labels.",
    keys: &[
        key("sheet", Texts, "On these sheets."),
        key("column", Texts, "In these columns."),
        key("row", Texts, "In these rows."),
        key("status", Words(STATUSES), "How they are known."),
        key("source", Entries(&super::SOURCE), "Where they come from."),
        key("note", Text, "What is odd about them."),
    ],
    more: "",
};

/// A change to cells of a table below.
pub static CHANGE: Format = Format {
    name: "change",
    place: "changes: of a table",
    does: "A change to cells of the layer below; an axis that is not named stands for all its labels.",
    keys: &[
        key("sheet", Texts, "On these sheets."),
        key("column", Texts, "In these columns."),
        key("row", Texts, "In these rows."),
        needed("was", Texts, "The figure below, or `missing`; a list for several cells."),
        needed("now", Texts, "The figure now; a list for several cells."),
        key("status", Words(STATUSES), "How it is known."),
        key("source", Entries(&super::SOURCE), "Where it comes from."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};

/// A question with its answer, in a table or a situation.
pub static EXAMPLE: Format = Format {
    name: "example",
    place: "examples: of a table or situation",
    does: "A question of the sources with its answer.",
    keys: &[
        key("id", Text, "Its name in reports; say how the statement is known: `12.12 stated`."),
        needed("ask", Text, "An expression, as a case would write it."),
        key("then", Any, "What it must come to."),
        key("with", Texts, "The variants it is asked under."),
        key("reading", Texts, "The readings it is asked under: `8.16.remainder=even`."),
        key("option", Texts, "The options it is asked under: `errata.frost=off`."),
        key("note", Text, "What is odd about it."),
    ],
    more: "",
};
