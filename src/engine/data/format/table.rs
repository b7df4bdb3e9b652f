//! Tables.

use super::{FieldType::*, KIND, NAMED_TEXTS, SOURCES, STATUS, TEXTS, one_of, words_of};
use crate::complaint::DiagnosticCode;
use crate::data::reference_kind::ReferenceKind;

formats! {
    pub TABLE = "table", "tables/<game>/<table>.yaml, variants/<variant>/tables/<table>.yaml",
        "A chart; in a variant also the changes to one, or its printed figures typed in over reconstructed ones." {
        table?: Text, "Its number, in quotes, or its name; the file's name begins with it.";
        title?: Title, "What it is; a chart that is not part of another needs it.";
        kind!: KIND, "What it does to the layers below: `rule` in a game, `new case`, `correction` or `revision` in a variant.";
        label?: Text, "The printed label, where it says something else than the kind.";
        source?: SOURCES, "Where it comes from.";
        status?: STATUS, "How its figures are known, where `known:` says nothing else.";
        method?: Text, "The method by which reconstructed figures were made.";
        sheets?: Object(&AXIS), "The sheets of a chart that has several.";
        columns?: Object(&AXIS), "The columns; left out where there is one, without a label.";
        rows?: Object(&AXIS), "The rows.";
        fields?: TEXTS, "The names of the parts of a cell, which are separated by /: `[attacker, defender]` for \"1/2\".";
        marks?: NAMED_TEXTS, "What a letter at the end of a cell says, beside its `fields:`. With `fields: [losses]`, `r: rout` makes 3r a \
            figure of 3 with `rout` set: `let fell = table(\"fight\", die); if fell.rout { retreat(fell.losses) }`.";
        holds?: AnyOf(&CONSTRAINTS), "What a cell may hold: `\"0-12\"` for numbers, a list of words, `text`; of several fields one each.";
        cells?: Any, "The figures: under each row a list, one a column; `?` for what is not known.";
        known?: ListOf(&Object(&CELL_STATUS)), "Which cells have another status than the rest.";
        examples?: ListOf(&Object(&EXAMPLE)), "Questions that the table must answer, run by `casebook test`.", apart();
        changes?: ListOf(&Object(&CHANGE)), "What a variant changes, cell by cell.";
        option?: Name(ReferenceKind::Switch), "The option of the variant that switches it.";
        note?: Text, "A remark on the printed text.";
        idle?: Text, "Why it changes no ruling.";
    }
}

const CELL_CONSTRAINT: super::FieldType = AnyOf(&[TEXTS, Object(&CONSTRAINT)]);

/// What cells may hold: all of them, or those of each field or column.
pub const CONSTRAINTS: [super::FieldType; 2] = [CELL_CONSTRAINT, Map(&Text, &CELL_CONSTRAINT)];

/// The axes, each with its number: figures may be monotonic along them.
pub const AXES: [(&str, usize); 3] = [("sheets", 0), ("columns", 1), ("rows", 2)];

const AXIS_LIST: super::FieldType = ListOf(&one_of("name of an axis", &words_of(&AXES)));

formats! {
    pub CONSTRAINT = "holds", "holds:",
        "What a cell may hold." {
        is?: TEXTS, "Bands of numbers, words, `text`.";
        names?: TEXTS, "What it names: piece, place, side, kind, a track.";
        rises?: AXIS_LIST, "The axes along which figures do not fall.";
        falls?: AXIS_LIST, "The axes along which figures do not rise.";
        note?: Text, "A remark for readers.";
    }
}

/// Into how many parts of a whole odds are counted.
pub const ROUNDINGS: [(&str, i64); 4] = [("whole", 1), ("half", 2), ("thirds", 3), ("quarters", 4)];

/// Whether odds below the lowest are refused, by the word.
pub const BELOW: [(&str, bool); 2] = [("lowest", false), ("refused", true)];

formats! {
    pub AXIS = "axis", "sheets:, columns:, rows:",
        "The labels of an axis: bands of numbers, odds in rising order, or words." {
        of?: Text, "What it counts.";
        unit?: Text, "The unit it is counted in.";
        labels!: TEXTS, "The labels: 3, \"1-10\", \"11+\", \"2:1\", or words.";
        rounds?: one_of("way to round odds", &words_of(&ROUNDINGS)), "How finely odds are counted: `half` knows 3:2 and 5:2, `thirds` 4:3 \
            and 5:3; what is left over is the defender's. `whole` is assumed.";
        below?: one_of("answer to odds below the lowest", &words_of(&BELOW)), "What becomes of odds below the lowest: they count as the \
            lowest, which is assumed, or are refused.";
        dice?: Text, "The dice that are thrown for it, which its labels must cover: 1d6, 2d6, or a die that the game declares, whose words \
            are labels.";
        note?: Text, "A remark for readers.";
    }

    pub CELL_STATUS = "known cells", "known:",
        "Cells of a status of their own; an axis that is not named stands for all its labels. Of two changes of one cell in a file that of \
            fewer cells holds, and of equally many the later." {
        sheet?: TEXTS, "On these sheets.";
        column?: TEXTS, "In these columns.";
        row?: TEXTS, "In these rows.";
        status?: STATUS, "How they are known.";
        source?: SOURCES, "Where they come from.";
        note?: Text, "A remark for readers.";
    }

    pub CHANGE = "change", "changes: of a table",
        "A change to cells of the layer below; an axis that is not named stands for all its labels. Of two changes of one cell in a file \
            that of fewer cells holds, and of equally many the later." {
        sheet?: TEXTS, "On these sheets.";
        column?: TEXTS, "In these columns.";
        row?: TEXTS, "In these rows.";
        was!: TEXTS, "The figure below, or `missing`; a list for several cells, with `all:` of those that are looked \
            for.", or_complain(DiagnosticCode::WasNow);
        now!: TEXTS, "The figure now; a list for several cells; `=` for a part that stays: `0/=`.", or_complain(DiagnosticCode::WasNow);
        all?: Flag, "Whether each of the cells that reads as `was:` says is `now:`, and no other.";
        option?: Name(ReferenceKind::Switch), "The option of the variant that switches it.";
        status?: STATUS, "How it is known.";
        source?: SOURCES, "Where it comes from.";
        note?: Text, "A remark for readers.";
    }

    pub EXAMPLE = "example", "examples: of a table or situation",
        "A question of the sources with its answer." {
        id?: Name(ReferenceKind::Statement), "Its name in reports; say how the statement is known: `12.12 stated`.";
        ask!: Text, "An expression, as a case would write it.";
        then?: Any, "The expected value.";
        with?: ListOf(&Name(ReferenceKind::Variant)), "The variants it is asked under.";
        reading?: TEXTS, "The readings it is asked under: `8.16.remainder=even`.";
        option?: TEXTS, "The options it is asked under: `errata.frost=off`.";
        note?: Text, "A remark for readers.";
    }
}
