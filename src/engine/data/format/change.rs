//! The entries of a variant's list of changes.

use super::{FieldType::*, FileFormat, NUMBER, SOURCES, STATUS, TEXTS, Words, optional, words_of};
use crate::complaint::DiagnosticCode;

/// How a share of a number is rounded: whether up.
pub const ROUNDED: [(&str, bool); 2] = [("up", true), ("down", false)];

/// An entry of `changes:` in a variant.yaml.
#[rustfmt::skip]
pub static CHANGE: FileFormat = FileFormat {
    name: "change of a rule",
    location: "changes: of a variant",
    description: "One change of the rules below: where, what it does there, and when. It applies to the answer that is in force below this variant, \
                  so what is corrected below stays corrected. Later entries build on earlier ones.",
    keys: &[
        optional("case", Text, "The case that changes, in quotes. With `now: off` and no place in it, it is struck out."),
        optional("function", Text, "The function of the case, where a place is in several: `name`, or `name/2` with its number of parameters."),
        optional("answer", Text, "What changes: the answer of this function."),
        optional("part", Text, "The part of the answer that changes: a key of a map, `0` for the first of a list, `each` for all of a list."),
        optional("throw", Text, "What changes: the throw for this purpose."),
        optional("table", Text, "What changes: cells of this table; all of them, where no labels are given. They move by `columns`, `rows` or `sheets`, or are `now`."),
        optional("sheet", TEXTS, "Cells on these sheets."),
        optional("column", TEXTS, "Cells in these columns."),
        optional("row", TEXTS, "Cells in these rows."),
        optional("look_up", Text, "What changes: where this table is looked up; without `case:`, everywhere."),
        optional("number", NUMBER, "What changes: this number of the script; it says what the number was."),
        optional("in", Text, "The expression around the number, where it stands in several."),
        optional("let", Text, "What changes: the value of this variable, where `let` gives it one."),
        optional("choice", Text, "What changes: the options of this question."),
        optional("reading", Text, "What changes: how a doubtful text is read, as `8.16.remainder`."),
        optional("option", Text, "With `case:` or a table, the option of this variant that switches the change; alone, the option that is set: `errata.frost`."),
        optional("of", Text, "The situation, roster or deployment in which values change; the rest is as under `changes:` of a variant's file for it: \
                             `{ of: roll, piece: Guard, power: { was: 3, now: 4 } }`."),
        optional("was", TEXTS, "What it was below, as the script has it; several, where printings differ. Of cells the figure, or a list of one figure a cell; \
                              with `all:` those that are looked for."),
        optional("add", NUMBER, "It counts so much more, or less."),
        optional("times", Text, "A share of it counts: 2, 1/2, 2/3."),
        optional("rounded", OneOf(&Words { noun: "way to round", code: DiagnosticCode::UnknownName, words: &words_of(&ROUNDED) }),
            "How the share is rounded; down, where nothing is said."),
        optional("at_most", NUMBER, "It is no more than this."),
        optional("at_least", NUMBER, "It is no less than this."),
        optional("now", TEXTS, "What it is now: a value, or an expression of scripts, in which `answer` is what it was. Of cells the figure, or a list of one figure a cell; \
                              `=` for a part that stays: `0/=`."),
        optional("dice", Text, "The dice that are thrown now."),
        optional("sheets", NUMBER, "The sheets by which a look-up moves on, or back; it stops at the edge of the chart."),
        optional("columns", NUMBER, "The columns by which a look-up moves right, or left."),
        optional("rows", NUMBER, "The rows by which a look-up moves down, or up."),
        optional("offer", Text, "One option more: an expression of scripts, such as a text in quotes."),
        optional("when", Text, "The condition: an expression of scripts over what is known where the change applies."),
        optional("all", Flag, "Whether all places that fit change; otherwise there must be one. Of cells, whether each one that reads as `was:` says is `now:`, and no other."),
        optional("why", Text, "The reason, in one sentence."),
        optional("status", STATUS, "How it is known."),
        optional("source", SOURCES, "Where it comes from."),
    ],
    extra_keys: "with `of:`, what changes there",
};
