//! The changes in a variant's file for a table. Whatever else stands in the file stays as it is written.
//!
//! Two changes can be about one cell: one cell by itself, and a whole sheet that is read one column further. Then the change of fewer cells
//! holds, whichever was made first, and of equally many the later: a sheet is shifted as it is printed, and what is changed by itself has the
//! value that it was given. What is covered by others wholly or in part says so.

use crate::house::change::{ALL_LABELS, CellsChange};
use casebook_engine::complaint::{Complaints, Span, counted};
use casebook_engine::data::files::DataFile;
use casebook_engine::data::library::Library;
use casebook_engine::data::table::Table;
use casebook_engine::data::table_file::TableFile;
use casebook_engine::data::yaml::{YamlNode, YamlReader, YamlValue};
use casebook_engine::data::yaml_writer::write_scalar;
use std::cmp::Reverse;
use std::ops::Range;

/// A change of cells in a file.
pub struct FileChange {
    /// Its lines, from 0.
    lines: Range<usize>,
    pub cells: Vec<usize>,
    /// Their new values.
    pub now: Vec<String>,
    /// Why or how, as the file says.
    pub note: String,
    /// What it said before, the oldest first.
    earlier: Vec<String>,
    /// What the file says was there, and where it says so.
    was: Option<(Vec<String>, Span)>,
}

/// The word for a figure that is not known.
const MISSING: &str = "missing";

impl FileChange {
    /// Returns what it changes and to what, by which it is found again, also if the file was changed meanwhile.
    pub fn name(&self, below: &Table) -> String {
        let first = self.cells.first().map(|index| below.label(*index));
        let more = match self.cells.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let now = match &self.now[..] {
            [first, rest @ ..] if rest.iter().all(|value| value == first) => first.clone(),
            values => values.join(", "),
        };
        format!("{}{more} = {now}", first.unwrap_or_default())
    }
}

/// Reads the changes of a file; `below` is the table that they change.
pub fn file_changes(file: &DataFile, below: &Table) -> Vec<FileChange> {
    let Some(read) = TableFile::read(file, &"".into(), &mut Complaints::default()) else {
        return Vec::new();
    };
    let mut reader = YamlReader::for_file(file);
    let lines: Vec<&str> = file.text.lines().collect();
    let texts = |node: &YamlNode, count: usize| match &node.value {
        YamlValue::List(items) => items
            .iter()
            .map(|item| item.text_or_empty().to_string())
            .collect(),
        _ => vec![node.text_or_empty().to_string(); count],
    };
    let mut change = |node: &YamlNode| {
        let cells = below.select_cells(node, &mut reader);
        let (now, was) = (node.get("now")?, node.get("was"));
        let first = node.span.line.saturating_sub(1);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let dash = lines.get(first).map_or(0, |line| indent(line));
        let further = lines
            .iter()
            .skip(first + 1)
            .take_while(|line| !line.trim().is_empty() && indent(line) > dash)
            .count();
        Some(FileChange {
            lines: first..first + 1 + further,
            now: texts(now, cells.len()),
            note: node
                .get("note")
                .map(|note| note.text_or_empty().to_string())
                .unwrap_or_default(),
            earlier: node.texts_of("earlier"),
            was: was.map(|was| (texts(was, cells.len()), was.span)),
            cells,
        })
    };
    read.root
        .items_of("changes")
        .iter()
        .filter_map(&mut change)
        .collect()
}

/// Returns the change of a file that covers another in a cell.
fn covering(changes: &[FileChange], index: usize, cell: usize) -> Option<&FileChange> {
    let count = changes[index].cells.len();
    let holds = |(other, change): &(usize, &FileChange)| {
        *other != index
            && change.cells.contains(&cell)
            && (change.cells.len() < count || change.cells.len() == count && *other > index)
    };
    let others = changes.iter().enumerate().filter(holds);
    others
        .min_by_key(|(other, change)| (change.cells.len(), Reverse(*other)))
        .map(|(_, change)| change)
}

/// Returns the cells in which a change of a file holds.
pub fn cells_in_force(changes: &[FileChange], index: usize) -> Vec<usize> {
    let cells = changes[index].cells.iter().copied();
    cells
        .filter(|cell| covering(changes, index, *cell).is_none())
        .collect()
}

/// Says by what a change of a file is covered; `None` if it holds wholly.
pub fn covered_in_words(changes: &[FileChange], index: usize, below: &Table) -> Option<String> {
    let all = changes[index].cells.len();
    let left = cells_in_force(changes, index).len();
    if left == all {
        return None;
    }
    let cells = changes[index].cells.iter();
    let mut by: Vec<String> = Vec::new();
    for change in cells.filter_map(|cell| covering(changes, index, *cell)) {
        let words = describe(below, &change.cells, &change.now, &change.note);
        if !by.contains(&words) {
            by.push(words);
        }
    }
    let part = match (left, all - left) {
        (0, _) => String::new(),
        (_, count) => format!("in {} ", counted(count, "cell")),
    };
    let more = match by.len() {
        0..=2 => String::new(),
        count => format!(" and {} more", count - 2),
    };
    by.truncate(2);
    Some(format!("{part}covered by {}{more}", by.join("; ")))
}

/// Returns the values of a table with changes of a file over it.
pub fn values_after(changes: &[FileChange], below: &Table) -> Vec<String> {
    let mut values: Vec<String> = below.cells.iter().map(|cell| cell.text.clone()).collect();
    let mut ordered: Vec<&FileChange> = changes.iter().collect();
    ordered.sort_by_key(|change| Reverse(change.cells.len()));
    for change in ordered {
        for (cell, now) in change.cells.iter().zip(&change.now) {
            if let Some(value) = values.get_mut(*cell) {
                value.clone_from(now);
            }
        }
    }
    values
}

/// Returns the values of a table as a variant keeps them; `below` is the table that it changes.
pub fn kept_values(library: &Library, variant: &str, below: &Table) -> Vec<String> {
    let key = format!("variants/{variant}/tables/{}.yaml", below.file.stem());
    let file = library.files.by_key.get(&key);
    let changes = file.map_or_else(Vec::new, |file| file_changes(file, below));
    values_after(&changes, below)
}

/// Returns what a change says was there, where the table has it.
fn old_texts(below: &Table, cells: &[usize]) -> Vec<String> {
    let text = |index: &usize| {
        below.cells.get(*index).map_or(MISSING, |cell| {
            if cell.is_missing() {
                MISSING
            } else {
                &cell.text
            }
        })
    };
    cells.iter().map(|index| text(index).to_string()).collect()
}

/// Writes values as one, if they are equal, or as a list.
fn write_values(values: &[String]) -> String {
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => write_scalar(first),
        _ => format!(
            "[{}]",
            values
                .iter()
                .map(|value| write_scalar(value))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// Returns the text of a file in which each change says what the table below has. A change that is written over several lines stays.
pub fn with_true_was(file: &DataFile, below: &Table) -> String {
    let mut lines: Vec<String> = file.text.lines().map(String::from).collect();
    for change in file_changes(file, below) {
        let Some((was, span)) = &change.was else {
            continue;
        };
        let old = old_texts(below, &change.cells);
        if *was == old {
            continue;
        }
        let Some(line) = lines.get_mut(span.line.saturating_sub(1)) else {
            continue;
        };
        let start = line
            .char_indices()
            .nth(span.column.saturating_sub(1))
            .map_or(line.len(), |(start, _)| start);
        if let Some(length) = value_length(&line[start..]) {
            line.replace_range(start..start + length, &write_values(&old));
        }
    }
    lines.join("\n") + "\n"
}

/// Returns how long the value is that a text begins with: a list in brackets, a quoted text, or a word. `None` if it does not end there.
fn value_length(text: &str) -> Option<usize> {
    let (mut quote, mut depth, mut before) = (None, 0, ' ');
    for (index, letter) in text.char_indices() {
        // A sign behind a backslash is part of the text; an apostrophe within a word begins none.
        let begins = !before.is_alphanumeric();
        let is_escaped = before == '\\' && quote == Some('"');
        before = if is_escaped { ' ' } else { letter };
        match (quote, letter) {
            _ if is_escaped => {}
            (Some(sign), letter) if letter == sign => {
                quote = None;
                if depth == 0 {
                    return Some(index + letter.len_utf8());
                }
            }
            (Some(_), _) => {}
            (None, '"' | '\'') if begins => quote = Some(letter),
            (None, '[') => depth += 1,
            (None, ']') if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            (None, ',' | '}' | ']' | '#') if depth == 0 => {
                return Some(text[..index].trim_end().len());
            }
            _ => {}
        }
    }
    (quote.is_none() && depth == 0).then(|| text.trim_end().len())
}

/// Returns the text of a variant's file for a table with a change of cells in it, in place of an earlier one of the same cells; that of one
/// cell says what the earlier one said. Changes stand in the order in which they were made. A change that brings back what the table below
/// has is left out, unless a change of more cells covers that. `file` is the present file.
pub fn with_change(
    file: Option<&DataFile>,
    below: &Table,
    change: &CellsChange,
    cells: &[usize],
    now: &[String],
) -> String {
    let new_file = || {
        let (id, title) = (
            write_scalar(&below.id),
            write_scalar(&format!("{}, by our house rules", below.title)),
        );
        format!("table: {id}\ntitle: {title}\nkind: revision\nstatus: house\nchanges:\n")
    };
    let text = file.map_or_else(new_file, |file| file.text.to_string());
    let changes = file.map_or_else(Vec::new, |file| file_changes(file, below));
    let (mut same, others): (Vec<FileChange>, Vec<FileChange>) = changes
        .into_iter()
        .partition(|change| change.cells == cells);
    let earlier = same.pop();
    let mut wider = others;
    wider.retain(|change| change.cells.len() >= cells.len());
    let wider = values_after(&wider, below);
    let is_covered = cells
        .iter()
        .any(|cell| wider[*cell] != below.cells[*cell].text);
    let old = old_texts(below, cells);
    let line = (old != now || is_covered).then(|| {
        let axes = below
            .labelled_axes()
            .zip(&change.labels)
            .filter(|(_, label)| *label != ALL_LABELS);
        let fields = axes.map(|(axis, label)| {
            format!(
                "{}: {}",
                ["sheet", "column", "row"][axis],
                write_scalar(label)
            )
        });
        let note = change
            .shift_in_words(below)
            .map(|words| format!("note: {}", write_scalar(&words)));
        let before = earlier
            .as_ref()
            .filter(|earlier| cells.len() == 1 && earlier.now != now)
            .map(|earlier| {
                let values = earlier.earlier.iter().chain(&earlier.now);
                let list: Vec<String> = values.map(|value| write_scalar(value)).collect();
                format!("earlier: [{}]", list.join(", "))
            });
        let values = [
            format!("was: {}", write_values(&old)),
            format!("now: {}", write_values(now)),
        ];
        let values = values
            .into_iter()
            .chain(before)
            .chain(["status: house".to_string()]);
        format!(
            "  - {{ {} }}",
            fields
                .chain(values)
                .chain(note)
                .collect::<Vec<_>>()
                .join(", ")
        )
    });
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    if let Some(earlier) = &earlier {
        lines.drain(earlier.lines.clone());
    }
    match lines.iter().position(|line| line.trim_end() == "changes:") {
        Some(head) => {
            let inside = lines[head + 1..]
                .iter()
                .take_while(|line| line.starts_with([' ', '-']))
                .count();
            lines.splice(head + 1 + inside..head + 1 + inside, line);
        }
        None => lines.extend(["changes:".to_string()].into_iter().chain(line)),
    }
    lines.join("\n") + "\n"
}

/// Returns the text of a file in which a change of one figure says again what it said before; `None` if it said nothing else, or is written
/// over several lines.
fn with_earlier(file: &DataFile, taken: &FileChange) -> Option<String> {
    let (last, older) = taken.earlier.split_last()?;
    let mut lines: Vec<String> = file.text.lines().map(String::from).collect();
    let line = lines.get_mut(taken.lines.start)?;
    let mut set = |key: &str, value: Option<String>| {
        let start = line.find(&format!("{key}: "))? + key.len() + 2;
        let length = value_length(&line[start..])?;
        match value {
            Some(value) => line.replace_range(start..start + length, &value),
            None => {
                let rest = line[start + length..].trim_start_matches(", ").to_string();
                line.replace_range(start - key.len() - 2.., &rest);
            }
        }
        Some(())
    };
    let list: Vec<String> = older.iter().map(|value| write_scalar(value)).collect();
    set(
        "earlier",
        (!list.is_empty()).then(|| format!("[{}]", list.join(", "))),
    )?;
    set("now", Some(write_scalar(last)))?;
    Some(lines.join("\n") + "\n")
}

/// Returns the text of a file without one of its changes, or with what that said before; `None` if nothing is left in it.
pub fn without_change(file: &DataFile, below: &Table, index: usize) -> Option<String> {
    let changes = file_changes(file, below);
    let taken = changes.get(index)?;
    if let Some(text) = with_earlier(file, taken) {
        return Some(text);
    }
    let lines = file
        .text
        .lines()
        .enumerate()
        .filter(|(number, _)| !taken.lines.contains(number))
        .map(|(_, line)| line);
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    let has_more = changes.len() > 1
        || text.lines().any(|line| {
            ["cells:", "rows:", "holds:"]
                .iter()
                .any(|key| line.starts_with(key))
        });
    has_more.then_some(text)
}

/// Returns whether a file changes nothing any more.
pub fn is_idle(text: &str) -> bool {
    let head = text.lines().position(|line| line.trim_end() == "changes:");
    let is_empty = |head: usize| {
        text.lines()
            .nth(head + 1)
            .is_none_or(|line| !line.starts_with([' ', '-']))
    };
    head.is_some_and(is_empty)
        && !text.lines().any(|line| {
            ["cells:", "rows:", "holds:"]
                .iter()
                .any(|key| line.starts_with(key))
        })
}

/// Says in a sentence what a change of cells does.
pub fn describe(below: &Table, cells: &[usize], now: &[String], note: &str) -> String {
    let values = |texts: &[String]| match texts {
        [first, rest @ ..] if rest.iter().all(|text| text == first) => first.clone(),
        texts if texts.len() <= 8 => texts.join(", "),
        texts => format!("{}, … {}", texts[..3].join(", "), texts[texts.len() - 1]),
    };
    let old = old_texts(below, cells)
        .iter()
        .map(|text| {
            if text == MISSING {
                "?".to_string()
            } else {
                text.clone()
            }
        })
        .collect::<Vec<_>>();
    let positions: Vec<[usize; 3]> = cells.iter().map(|index| below.position(*index)).collect();
    let common = |axis: usize| {
        let first = positions.first()?[axis];
        let label = &below.axes[axis].label_texts[first];
        let is_common =
            positions.iter().all(|position| position[axis] == first) && !label.is_empty();
        is_common.then(|| {
            format!("{} {label}", below.axes[axis].name)
                .trim()
                .to_string()
        })
    };
    let place: Vec<String> = [Some(below.title.clone()), common(0), common(1), common(2)]
        .into_iter()
        .flatten()
        .collect();
    let place = place.join(", ");
    if note.is_empty() && now == old {
        format!("{place}: {} again", values(now))
    } else if note.is_empty() {
        format!("{place}: {} instead of {}", values(now), values(&old))
    } else {
        format!("{place}: {note}")
    }
}
