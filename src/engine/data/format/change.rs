//! The entries of a variant's list of changes.

use super::{FieldType::*, NUMBER, SOURCES, STATUS, TEXTS, one_of, words_of};

/// How a share of a number is rounded: whether up.
pub const ROUNDED: [(&str, bool); 2] = [("up", true), ("down", false)];

formats! {
    pub CHANGE = "change of a rule", "changes: of a variant",
        "One change of the rules below: where, what it does there, and when. It applies to the answer that is in force below this variant, \
            so what is corrected below stays corrected. Later entries build on earlier ones.",
        "with `of:`, what changes there" {
        case?: Text, "The case that changes, in quotes. With `now: off` and no place in it, it is struck out.";
        function?: Text, "The function of the case, where a place is in several: `name`, or `name/2` with its number of parameters.";
        answer?: Text, "What changes: the answer of this function.";
        part?: Text, "The part of the answer that changes: a key of a map, `0` for the first of a list, `each` for all of a list.";
        throw?: Text, "What changes: the throw for this purpose.";
        table?: Text, "What changes: cells of this table; all of them, where no labels are given. They move by `columns`, `rows` or \
            `sheets`, or are `now`.";
        sheet?: TEXTS, "Cells on these sheets.";
        column?: TEXTS, "Cells in these columns.";
        row?: TEXTS, "Cells in these rows.";
        look_up?: Text, "What changes: where this table is looked up; without `case:`, everywhere.";
        number?: NUMBER, "What changes: this number of the script; it says what the number was.";
        in?: Text, "The expression around the number, where it stands in several.";
        let?: Text, "What changes: the value of this variable, where `let` gives it one.";
        choice?: Text, "What changes: the options of this question.";
        reading?: Text, "What changes: how a doubtful text is read, as `8.16.remainder`.";
        option?: Text, "With `case:` or a table, the option of this variant that switches the change; alone, the option that is set: \
            `errata.frost`.";
        of?: Text, "The situation, roster or deployment in which values change; the rest is as under `changes:` of a variant's file for \
            it: `{ of: roll, piece: Guard, power: { was: 3, now: 4 } }`.";
        was?: TEXTS, "What it was below, as the script has it; several, where printings differ. Of cells the figure, or a list of one \
            figure a cell; with `all:` those that are looked for.";
        add?: NUMBER, "It counts so much more, or less.";
        times?: Text, "A share of it counts: 2, 1/2, 2/3.";
        rounded?: one_of("way to round", &words_of(&ROUNDED)), "How the share is rounded; down, where nothing is said.";
        at_most?: NUMBER, "It is no more than this.";
        at_least?: NUMBER, "It is no less than this.";
        now?: TEXTS, "What it is now: a value, or an expression of scripts, in which `answer` is what it was. Of cells the figure, or a \
            list of one figure a cell; `=` for a part that stays: `0/=`.";
        dice?: Text, "The dice that are thrown now.";
        sheets?: NUMBER, "The sheets by which a look-up moves on, or back; it stops at the edge of the chart.";
        columns?: NUMBER, "The columns by which a look-up moves right, or left.";
        rows?: NUMBER, "The rows by which a look-up moves down, or up.";
        offer?: Text, "One option more: an expression of scripts, such as a text in quotes.";
        when?: Text, "The condition: an expression of scripts over what is known where the change applies; at a throw of plain dice also \
            `faces`, the highest first: `faces[0] == faces[1]` is a double.";
        all?: Flag, "Whether all places that fit change; otherwise there must be one. Of cells, whether each one that reads as `was:` says \
            is `now:`, and no other.";
        why?: Text, "The reason, in one sentence.";
        status?: STATUS, "How it is known.";
        source?: SOURCES, "Where it comes from.";
    }
}
