//! A change of the rules as it is typed on the command line and stands in the address of a page.

use casebook_engine::complaint::Error;
use casebook_engine::data::table::Table;
use casebook_engine::notation::is_case_number;
use casebook_engine::situation::value_text::join_words;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleChange {
    /// Cells of a table: `TABLE LABELS = VALUE`.
    Cells(CellsChange),
    /// A variant, an option of one, or a case is switched: `NAME on`, `NAME off`.
    Switch { name: String, on: bool },
    /// A field of the form of a case: `CASE FIELD = VALUE`; a reading can be written `CASE.READING = WAY`.
    Field {
        /// The number of the case.
        case: String,
        /// The field, as [`FormChanges`](crate::author::case_form::FormChanges) names it.
        field: String,
        /// What it holds.
        value: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellsChange {
    pub table: String,
    /// A label of each axis that has labels, in the order sheet, column, row; `*` for all of them.
    pub labels: Vec<String>,
    /// The value, or where it is read: `1 left`.
    pub now: String,
}

/// Where cells are read in place of their own value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellShift {
    /// The axis: 1 for columns, 2 for rows.
    pub axis: usize,
    /// The number of labels, negative towards the first.
    pub by: i64,
}

/// The directions of a shift, with axis and sign.
const DIRECTIONS: [(&str, usize, i64); 4] = [
    ("left", 1, -1),
    ("right", 1, 1),
    ("up", 2, -1),
    ("down", 2, 1),
];

/// What the field of a reading begins with.
const READING: &str = "reading:";

/// The fields of a form that are about a case as a whole.
const WHOLE_CASE_FIELDS: [&str; 3] = ["text", "back", "switch"];

/// All labels of an axis.
pub const ALL_LABELS: &str = "*";

impl RuleChange {
    pub fn parse_cells(text: &str) -> Result<RuleChange, Error> {
        let wrong = |why: &str| {
            Error::Usage(format!(
                "`{text}`: {why}: write the table, its labels and the new value: 'TABLE COLUMN ROW = VALUE'"
            ))
        };
        let (words, now) = words_and_value(text);
        let now = now.ok_or_else(|| wrong("there is no = in it"))?;
        let mut words = words.into_iter();
        let table = words.next().ok_or_else(|| wrong("it names no table"))?;
        match now.trim() {
            "" => Err(wrong("there is no value after =")),
            now => Ok(RuleChange::Cells(CellsChange {
                table,
                labels: words.collect(),
                now: now.into(),
            })),
        }
    }

    /// Parses a change of a case, an option or a variant.
    pub fn parse_rule(text: &str) -> Result<RuleChange, Error> {
        let wrong = || {
            let what = "write what is switched, 'CASE off', or what a case has instead: 'CASE.READING = WAY'";
            Error::Usage(format!("`{text}` is not a change of a rule: {what}"))
        };
        let switch = text
            .trim()
            .rsplit_once(' ')
            .filter(|_| !text.contains('='))
            .map(|(name, word)| (name.trim(), word));
        if let Some((name, word @ ("on" | "off"))) = switch {
            return Ok(RuleChange::Switch {
                name: name.into(),
                on: word == "on",
            });
        }
        let (left, value) = text.split_once('=').ok_or_else(wrong)?;
        let (left, value) = (left.trim(), value.trim());
        let (case, field) = split_field(left).ok_or_else(wrong)?;
        if case.is_empty() || field.is_empty() || value.is_empty() {
            return Err(wrong());
        }
        Ok(RuleChange::Field {
            case: case.into(),
            field,
            value: value.into(),
        })
    }

    /// Returns what is changed, a case and a field of its form or what is switched; `None` for cells, which a table finds.
    pub fn place(&self) -> Option<(&str, &str)> {
        match self {
            RuleChange::Cells(_) => None,
            RuleChange::Field { case, field, .. } => Some((case, field)),
            RuleChange::Switch { name, .. } => Some((name, "")),
        }
    }

    /// Parses a parameter of an address; `None` if its key is that of no change.
    pub fn from_parameter(key: &str, text: &str) -> Option<Result<RuleChange, Error>> {
        match key {
            "cell" => Some(RuleChange::parse_cells(text)),
            "rule" => Some(RuleChange::parse_rule(text)),
            _ => None,
        }
    }

    /// Returns the change as a parameter: the option of the command line, and its text.
    pub fn to_parameter(&self) -> (&'static str, String) {
        match self {
            RuleChange::Cells(CellsChange { table, labels, now }) => {
                let words: Vec<String> = [table]
                    .into_iter()
                    .chain(labels)
                    .map(|word| quoted(word))
                    .collect();
                ("cell", format!("{} = {now}", words.join(" ")))
            }
            RuleChange::Switch { name, on } => {
                ("rule", format!("{name} {}", if *on { "on" } else { "off" }))
            }
            RuleChange::Field { case, field, value } => {
                ("rule", format!("{} = {value}", join_field(case, field)))
            }
        }
    }
}

/// Writes a field of the form of a case: `CASE FIELD`, or `CASE.READING` where that is read back as the same.
pub fn join_field(case: &str, field: &str) -> String {
    let reading = field.strip_prefix(READING);
    let short = reading.map(|reading| format!("{case}.{reading}"));
    let is_same = |short: &String| split_field(short) == Some((case, field.to_string()));
    short
        .filter(is_same)
        .unwrap_or_else(|| format!("{case} {field}"))
}

/// Splits `CASE FIELD` or `CASE.READING` into case and field. The name of a reading can have spaces: what stands before the first space is a
/// case only where a field stands behind it, or where it can't be a case and the beginning of a name.
fn split_field(text: &str) -> Option<(&str, String)> {
    let spaced = text
        .split_once(' ')
        .map(|(case, field)| (case, field.trim()));
    let is_case = |(case, field): &(&str, &str)| {
        is_field(field) || is_case_number(case) || !case.contains('.')
    };
    if let Some((case, field)) = spaced.filter(is_case) {
        return Some((case, field.to_string()));
    }
    let (case, reading) = text.rsplit_once('.')?;
    (!reading.is_empty()).then(|| (case, format!("{READING}{reading}")))
}

/// Whether a text is a field of the form of a case.
fn is_field(text: &str) -> bool {
    WHOLE_CASE_FIELDS.contains(&text)
        || text.split_once(':').is_some_and(|(kind, _)| {
            !kind.is_empty() && kind.chars().all(|letter| letter.is_ascii_lowercase())
        })
}

impl CellsChange {
    /// Creates the change of one cell.
    pub fn of_cell(table: &Table, index: usize, now: &str) -> CellsChange {
        let position = table.position(index);
        let labels = table
            .labelled_axes()
            .map(|axis| table.axes[axis].label_texts[position[axis]].clone())
            .collect();
        CellsChange {
            table: table.id.clone(),
            labels,
            now: now.trim().into(),
        }
    }

    /// Returns the shift, if the cells are read elsewhere.
    pub fn shift(&self) -> Option<CellShift> {
        let (count, word) = self.now.split_once(' ')?;
        let count: i64 = count
            .parse()
            .ok()
            .filter(|count| (1..=99).contains(count))?;
        let (_, axis, sign) = DIRECTIONS.iter().find(|(name, ..)| *name == word.trim())?;
        Some(CellShift {
            axis: *axis,
            by: count * sign,
        })
    }

    /// Returns a shift that goes so many labels further along its axis; none if it comes back to where it began.
    pub fn shifted_by(&self, further: i64) -> Option<CellsChange> {
        let CellShift { axis, by } = self.shift()?;
        let by = by + further;
        let is_same =
            |(_, known, sign): &&(&str, usize, i64)| *known == axis && *sign == by.signum();
        let (word, ..) = DIRECTIONS.iter().find(is_same)?;
        Some(CellsChange {
            now: format!("{} {word}", by.abs()),
            ..self.clone()
        })
    }

    /// Returns the cells in the order of the table, or why there are none.
    pub fn cells(&self, table: &Table) -> Result<Vec<usize>, Error> {
        let axes: Vec<usize> = table.labelled_axes().collect();
        if axes.len() != self.labels.len() {
            let names = axes.iter().map(|axis| axis_name(table, *axis)).collect();
            let count = self.labels.len();
            let what = format!(
                "{}: a cell is found by {}; {count} {} given",
                table.title,
                join_words(names),
                if count == 1 { "is" } else { "are" }
            );
            return Err(Error::Usage(what));
        }
        let mut wanted: [Option<usize>; 3] = [None; 3];
        for (axis, label) in axes
            .into_iter()
            .zip(&self.labels)
            .filter(|(_, label)| *label != ALL_LABELS)
        {
            let labels = &table.axes[axis].label_texts;
            let index = labels
                .iter()
                .position(|known| known == label)
                .ok_or_else(|| {
                    let what = format!(
                        "{}: there is no {} {label}; there are {}",
                        table.title,
                        axis_name(table, axis),
                        labels.join(", ")
                    );
                    Error::Usage(what)
                })?;
            wanted[axis] = Some(index);
        }
        let is_wanted = |index: &usize| {
            table
                .position(*index)
                .iter()
                .zip(&wanted)
                .all(|(at, wanted)| wanted.is_none_or(|wanted| wanted == *at))
        };
        Ok((0..table.cells.len()).filter(is_wanted).collect())
    }

    /// Returns the new value of each of these cells; a cell that would be read beside the table keeps its own.
    pub fn values(&self, table: &Table, cells: &[usize]) -> Vec<String> {
        let Some(CellShift { axis, by }) = self.shift() else {
            return vec![self.closed_up(table); cells.len()];
        };
        let (columns, labels) = (
            table.axes[1].label_texts.len() as i64,
            table.axes[axis].label_texts.len() as i64,
        );
        let step = if axis == 1 { 1 } else { columns };
        let value = |index: &usize| {
            let target = table.position(*index)[axis] as i64 + by;
            let read = if (0..labels).contains(&target) {
                *index as i64 + by * step
            } else {
                *index as i64
            };
            table
                .cells
                .get(read as usize)
                .map(|cell| cell.text.clone())
                .unwrap_or_default()
        };
        cells.iter().map(value).collect()
    }

    /// Returns the value without the spaces that somebody types around its parts and before its marks: `1 / 2 *` is `1/2*`.
    fn closed_up(&self, table: &Table) -> String {
        let mut text = self.now.clone();
        if table.fields.len() > 1 {
            let parts: Vec<&str> = text.split('/').map(str::trim).collect();
            text = parts.join("/");
        }
        for (mark, _) in &table.marks {
            let parts: Vec<&str> = text.split(*mark).map(str::trim_end).collect();
            text = parts.join(&mark.to_string());
        }
        text
    }

    /// Describes where the cells are read, if they are read elsewhere: "read one column to the left".
    pub fn shift_in_words(&self, table: &Table) -> Option<String> {
        let CellShift { axis, by } = self.shift()?;
        let count = by.abs();
        Some(match axis {
            1 => format!(
                "read {} to the {}",
                counted_word(count, "column"),
                if by < 0 { "left" } else { "right" }
            ),
            _ => format!(
                "{} {by:+}: read {} {}",
                axis_name(table, axis),
                counted_word(count, "row"),
                if by < 0 { "higher" } else { "lower" }
            ),
        })
    }
}

fn counted_word(count: i64, word: &str) -> String {
    if count == 1 {
        format!("one {word}")
    } else {
        format!("{count} {word}s")
    }
}

/// Returns the name of an axis, or what it is.
pub fn axis_name(table: &Table, axis: usize) -> String {
    let name = &table.axes[axis].name;
    if name.is_empty() {
        ["sheet", "column", "row"][axis].into()
    } else {
        name.clone()
    }
}

/// Splits a text into words and what stands behind the sign `=`; quotation marks hold words together, and a backslash within them a sign.
fn words_and_value(text: &str) -> (Vec<String>, Option<&str>) {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), false, false);
    let (mut letters, mut value) = (text.char_indices(), None);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => (quote, begun) = (!quote, true),
            '\\' if quote => word.extend(letters.next().map(|(_, letter)| letter)),
            '=' if !quote => {
                value = Some(&text[at + 1..]);
                break;
            }
            ' ' if !quote => {
                words.extend(begun.then(|| std::mem::take(&mut word)));
                begun = false;
            }
            letter => {
                word.push(letter);
                begun = true;
            }
        }
    }
    words.extend(begun.then_some(word));
    (words, value)
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains([' ', '"', '=']) {
        let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    } else {
        word.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_comes_back_from_its_text() {
        let cells = [
            "losses 5 132-156 2 = 0/40*",
            "\"price list\" \"old copper\" all = 1",
            "t * 2 = 1 left",
            "t 3 = yes",
            "t \"6\\\" or = \\\\ so\" \\x = a = \"b\\\"",
        ];
        let rules = [
            "26.2 off",
            "errata on",
            "errata.frost off",
            "8.16.remainder = even",
            "26.2 in:modifier.2:0 = 3",
            "1.1 text = Nobody = all",
            "26.2.optional rule = left out",
            "long-name.at a place = read twice",
            "5.13.from 7/62 = everybody draws",
            "8.4.2 reading:my text = up",
            "8.4 reading:a.b = up",
        ];
        for (key, text) in cells
            .iter()
            .map(|text| ("cell", text))
            .chain(rules.iter().map(|text| ("rule", text)))
        {
            let change = RuleChange::from_parameter(key, text)
                .expect("a key of changes")
                .expect("a change");
            assert_eq!(change.to_parameter(), (key, text.to_string()));
        }
        for wrong in ["losses 5", "= 3", "losses 5 = "] {
            assert!(RuleChange::parse_cells(wrong).is_err(), "{wrong}");
        }
        for wrong in ["26.2", "off", "8 = even", "8.16 = ", "= 3"] {
            assert!(RuleChange::parse_rule(wrong).is_err(), "{wrong}");
        }
        let shift = |now: &str| {
            CellsChange {
                table: "t".into(),
                labels: Vec::new(),
                now: now.into(),
            }
            .shift()
            .map(|shift| (shift.axis, shift.by))
        };
        assert_eq!(
            [
                shift("1 left"),
                shift("2 down"),
                shift("0 left"),
                shift("15/0"),
                shift("3 more")
            ],
            [Some((1, -1)), Some((2, 2)), None, None, None]
        );
    }
}
