//! A change of the rules as it is typed on the command line and stands in the address of a page.

use crate::house::entry::{BECOMES, ListEntry, is_rule_place, read_figure, split_outside};
use crate::house::value_change::ValueChange;
use casebook_engine::complaint::Error;
use casebook_engine::data::axis::AxisKey;
use casebook_engine::data::library::Library;
use casebook_engine::data::node::flag_value;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_engine::situation::value_text::join_words;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleChange {
    /// Cells of a table: `TABLE LABELS = VALUE`.
    Cells(CellsChange),
    /// A variant, an option of one, or a case is switched: `NAME on`, `NAME off`.
    Switch { name: String, on: bool },
    /// A value of a situation, roster or deployment: `FIGURE of LIST = VALUE`.
    Value(ValueChange),
    /// Any other entry of a list of changes: `CASE PLACE = WHAT when CONDITION`.
    Entry(ListEntry),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellsChange {
    pub table: String,
    /// A label of each axis that has labels, in the order sheet, column, row; `*` for all of them.
    pub labels: Vec<String>,
    /// The value, or where it is read: `1 left`.
    pub now: String,
}

/// The keys of an entry that select cells by their labels, in the order of the axes.
pub const AXES: [&str; 3] = ["sheet", "column", "row"];

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
        let switch = text
            .trim()
            .rsplit_once(' ')
            .filter(|_| !text.contains('='))
            .map(|(name, word)| (name.trim(), word));
        let entry = || Ok(RuleChange::of_entry(&ListEntry::parse(text.trim())?, None));
        match switch {
            Some((name, word @ ("on" | "off"))) => Ok(RuleChange::Switch {
                name: name.into(),
                on: word == "on",
            }),
            _ => match split_outside(text, " = ") {
                Some((place, now)) if !is_rule_place(place) && !text.starts_with('{') => {
                    let change = ValueChange::parse(place, now).map(RuleChange::Value);
                    change.map_or_else(&entry, Ok)
                }
                _ => entry(),
            },
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
            RuleChange::Value(value) => ("rule", format!("{} = {}", value.place(), value.now)),
            RuleChange::Entry(entry) => ("rule", entry.to_line()),
        }
    }

    /// Returns the change with what its place leaves open: the list that gives a figure in a situation.
    pub fn placed_in(self, situation: &str, below: &Ruleset) -> Result<RuleChange, Error> {
        match self {
            RuleChange::Value(value) => Ok(RuleChange::Value(value.placed_in(situation, below)?)),
            change => Ok(change),
        }
    }

    /// Returns where it applies, as it is typed.
    pub fn place(&self) -> String {
        let (_, line) = self.to_parameter();
        match self {
            RuleChange::Switch { name, .. } => name.clone(),
            _ => line.split(" = ").next().unwrap_or_default().into(),
        }
    }

    /// Returns an entry as it is typed. `table` is the table that it changes.
    pub fn of_entry(entry: &ListEntry, table: Option<&Table>) -> RuleChange {
        let switched = match &entry.0[..] {
            [(key, name), (does, now)] if does == "now" => {
                match (&**key, flag_value(&now.concat())) {
                    ("case" | "option", Some(on)) => Some(RuleChange::Switch {
                        name: name.concat(),
                        on,
                    }),
                    _ => None,
                }
            }
            _ => None,
        };
        let cells = || Some(RuleChange::Cells(CellsChange::of_entry(entry, table?)?));
        let value = || {
            let (value, _) = ValueChange::of_entry(entry)?;
            let change = RuleChange::Value(value);
            // What else it says can't be typed so.
            let is_whole = !["why", "status", "source"]
                .iter()
                .any(|key| entry.get(key).is_some());
            is_whole.then_some(change)
        };
        switched
            .or_else(cells)
            .or_else(value)
            .unwrap_or_else(|| RuleChange::Entry(entry.clone()))
    }

    /// Returns it as an entry of a list; none of a variant, which is in force or not. `below` are the rules that it changes.
    pub fn entry(&self, library: &Library, below: &Ruleset) -> Result<Option<ListEntry>, Error> {
        Ok(Some(match self {
            RuleChange::Cells(cells) => cells.entry(&*cells.table_of(below)?)?,
            RuleChange::Value(value) => value.entry(below)?,
            RuleChange::Entry(entry) => entry.clone(),
            RuleChange::Switch { name, .. } if library.variants.contains_key(name) => {
                return Ok(None);
            }
            RuleChange::Switch { name, on } => {
                let now = if *on { "on" } else { "off" };
                let variant = name.split_once('.').map(|(variant, _)| variant);
                match variant.is_some_and(|variant| library.has_option(variant, name)) {
                    true => ListEntry::of([("option", &**name), ("now", now)]),
                    false if *on => {
                        return Err(Error::Usage(format!(
                            "{name} is on unless a house rule switches it off: take that rule back"
                        )));
                    }
                    false => ListEntry::of([("case", &**name), ("now", now)]),
                }
            }
        }))
    }
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

    /// Returns the axis along which cells are read elsewhere, and by how many labels.
    pub fn shift(&self) -> Option<(String, i64)> {
        match &read_figure(&self.now)[..] {
            [(key, by)] if key != "now" => Some((key.clone(), by.parse().ok()?)),
            _ => None,
        }
    }

    /// Whether its cells read what it says, whatever they read before.
    pub fn is_figure(&self, table: &Table) -> bool {
        matches!(&read_figure(&self.now)[..], [(key, now)] if key == "now" && !table.keeps_parts(now))
    }

    /// Returns the labels that an entry selects; `None` if it selects several of an axis.
    pub fn labels_of(entry: &ListEntry, table: &Table) -> Option<Vec<String>> {
        let label = |axis: usize| match entry.values(AXES[axis]) {
            [] => Some(ALL_LABELS.to_string()),
            [one] => Some(one.clone()),
            _ => None,
        };
        table.labelled_axes().map(label).collect()
    }

    /// Reads an entry of a list; `None` if it can't be typed so.
    pub fn of_entry(entry: &ListEntry, table: &Table) -> Option<CellsChange> {
        if entry.get("table")? != table.id {
            return None;
        }
        let mut now = String::new();
        for (key, values) in &entry.0 {
            match (&**key, &values[..]) {
                ("table" | "sheet" | "column" | "row" | "all", _) => {}
                ("was", [one]) if entry.is_of_all() => now = format!("{one}{BECOMES}"),
                ("now", [one]) if now.is_empty() || now.ends_with(BECOMES) => now += one,
                ("columns" | "rows" | "sheets", [by]) if now.is_empty() => {
                    now = format!("{key} {by}");
                }
                ("when", [when]) => now = format!("{now} when {when}"),
                // What else it says can't be typed so.
                _ => return None,
            }
        }
        let change = CellsChange {
            table: table.id.clone(),
            labels: CellsChange::labels_of(entry, table)?,
            now,
        };
        let same = change.entry(table).ok().filter(|same| same == entry);
        same.map(|_| change)
    }

    /// Returns the entry of a list that it makes.
    pub fn entry(&self, table: &Table) -> Result<ListEntry, Error> {
        let cells = self.cells(table)?;
        let mut entry = ListEntry::of([("table", &*self.table)]);
        let position = cells.first().map(|cell| table.position(*cell));
        for (axis, _) in table
            .labelled_axes()
            .zip(&self.labels)
            .filter(|(_, label)| *label != ALL_LABELS)
        {
            let at = position.map_or(0, |position| position[axis]);
            let label = table.axes[axis].label_texts[at].clone();
            entry.0.push((AXES[axis].into(), vec![label]));
        }
        for (key, value) in read_figure(&self.now) {
            let value = match &*key {
                "was" | "now" => closed_up(&value, table),
                _ => value,
            };
            if let ("now", [cell]) = (&*key, &cells[..])
                && let Some(why) = table.refusal_of(*cell, &value)
            {
                return Err(Error::Usage(why));
            }
            entry.0.push((key, vec![value]));
        }
        Ok(entry)
    }

    /// Returns the table that it changes.
    pub fn table_of(&self, below: &Ruleset) -> Result<Arc<Table>, Error> {
        let table = below.table(&self.table).map_err(Error::Data)?;
        table.ok_or_else(|| Error::unknown("table", &self.table, below.table_names()))
    }

    /// Returns the cells in the order of the table, or why there are none.
    pub fn cells(&self, table: &Table) -> Result<Vec<usize>, Error> {
        let axes: Vec<usize> = table.labelled_axes().collect();
        if axes.len() != self.labels.len() {
            let names = axes.iter().map(|axis| axis_name(table, *axis)).collect();
            let count = self.labels.len();
            let message = format!(
                "{}: a cell is found by {}; {count} {} given",
                table.title,
                join_words(names),
                if count == 1 { "is" } else { "are" }
            );
            return Err(Error::Usage(message));
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
                .position(|own| own == label)
                .or_else(|| table.axes[axis].find(AxisKey::Number(label.parse().ok()?)))
                .ok_or_else(|| {
                    let message = format!(
                        "{}: there is no {} {label}; there are {}",
                        table.title,
                        axis_name(table, axis),
                        labels.join(", ")
                    );
                    Error::Usage(message)
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
}

/// Returns a figure without the spaces that somebody types around its parts and before its marks: `1 / 2 *` is `1/2*`.
fn closed_up(text: &str, table: &Table) -> String {
    let mut text = text.to_string();
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
            "26.2.optional rule = left out",
            "long-name.at a place = read twice",
            "5.13.from 7/62 = everybody draws",
            "8.3 throw: start = add -1 when runner.pace >= 3",
            "26.2 answer: paces, part: each = at_most 2",
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
        for wrong in ["26.2", "off", "8 = even", "= 3"] {
            assert!(RuleChange::parse_rule(wrong).is_err(), "{wrong}");
        }
    }
}
