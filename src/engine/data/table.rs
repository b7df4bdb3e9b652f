//! A table: labelled axes, and cells with the status of every figure.

use crate::complaint::{Defect, DiagnosticCode, Message, Span, counted, did_you_mean};
use crate::data::axis::{Axis, AxisKey, AxisLabels};
use crate::data::case::{CaseKind, SourceRef};
use crate::data::constraint::ValueConstraint;
use crate::data::files::DataFile;
use crate::data::format::FieldType;
use crate::data::format::table::CONSTRAINTS;
use crate::data::format_check::chosen;
use crate::data::places::PlaceScheme;
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::data::yaml_writer::write_key;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sign in a change for a part of a figure that stays as it is.
const KEPT_PART: char = '=';

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Text as written; `?` if unknown.
    pub text: String,
    pub status: Status,
    /// Layer that set the cell.
    pub layer: Arc<str>,
    /// Path of the file that set the cell.
    pub path: Arc<str>,
    /// Source position in that file.
    pub span: Span,
}

impl Cell {
    /// Returns whether the figure is unknown.
    pub fn is_missing(&self) -> bool {
        self.status == Status::Missing || self.text == "?"
    }

    /// Returns the figure as a change says it.
    pub fn stated(&self) -> &str {
        if self.is_missing() {
            "missing"
        } else {
            &self.text
        }
    }
}

/// A part of a cell that must be a name.
pub struct CellReference<'t> {
    /// The index of the cell.
    pub index: usize,
    pub text: &'t str,
    /// The kinds of names that it may be.
    pub kinds: &'t [String],
}

/// A part of a cell that its constraint does not allow.
struct Misfit<'t> {
    part: &'t str,
    constraint: &'t ValueConstraint,
    /// The name of the part.
    label: &'t str,
}

/// A table of one layer, or of all layers stacked.
#[derive(Clone, Debug)]
pub struct Table {
    /// Number or name.
    pub id: String,
    pub title: String,
    /// The method by which figures were reconstructed.
    pub method: String,
    /// Axes in the order sheets, columns, rows.
    pub axes: [Axis; 3],
    /// Fields that a cell is split into.
    pub fields: Vec<String>,
    /// Marks at the end of a cell, each with the field it sets.
    pub marks: Vec<(char, String)>,
    /// Constraints by field, or by column if cells have no fields; empty if undeclared.
    pub constraints: Vec<ValueConstraint>,
    /// Cells ordered by sheet, row, column.
    pub cells: Vec<Cell>,
    /// The base file, which has kind and title.
    pub file: DataFile,
    /// Layers that touched the table, oldest first.
    pub layers: Vec<TableLayer>,
}

/// A file of a layer that sets or amends a table.
#[derive(Clone, Debug)]
pub struct TableLayer {
    /// Name of the layer.
    pub name: Arc<str>,
    /// Effect on the layers below.
    pub kind: CaseKind,
    /// Title of the amendment.
    pub title: String,
    pub file: DataFile,
    /// Citations of the figures that it sets.
    pub sources: Vec<SourceRef>,
}

impl Table {
    /// Returns the index of the cell at sheet, column and row keys; fails with the index of an axis on which the key has no label.
    pub fn find(&self, keys: [Option<AxisKey<'_>>; 3]) -> Result<usize, usize> {
        let mut index = [0; 3];
        for (i, key) in keys.into_iter().enumerate() {
            if let Some(key) = key {
                index[i] = self.axes[i].find(key).ok_or(i)?;
            }
        }
        Ok(self.index(index))
    }

    /// Returns whether two tables have the same labels on every axis.
    pub fn has_same_axes(&self, other: &Table) -> bool {
        self.axes
            .iter()
            .zip(&other.axes)
            .all(|(axis, other)| axis.label_texts == other.label_texts)
    }

    pub fn index(&self, [sheet, column, row]: [usize; 3]) -> usize {
        (sheet * self.axes[2].label_texts.len() + row) * self.axes[1].label_texts.len() + column
    }

    /// Returns the label indices of a cell: sheet, column, row.
    pub fn position(&self, index: usize) -> [usize; 3] {
        let (columns, rows) = (
            self.axes[1].label_texts.len(),
            self.axes[2].label_texts.len(),
        );
        [
            index / (columns * rows),
            index % columns,
            index / columns % rows,
        ]
    }

    /// Yields the axes whose labels find a cell.
    pub fn labelled_axes(&self) -> impl Iterator<Item = usize> {
        (0..3)
            .filter(|axis| !matches!(&self.axes[*axis].label_texts[..], [only] if only.is_empty()))
    }

    /// Returns the label of a cell: "intensity 3, ratio 111-131, die 2".
    pub fn label(&self, index: usize) -> String {
        let position = self.position(index);
        let label_text = |i: usize| {
            let (axis, label) = (&self.axes[i], &self.axes[i].label_texts[position[i]]);
            (!label.is_empty()).then(|| format!("{} {label}", axis.name).trim().to_string())
        };
        [label_text(0), label_text(1), label_text(2)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Splits a cell into fields, and flags for the marks present.
    pub fn split_cell<'t>(&self, text: &'t str) -> (Vec<&'t str>, Vec<bool>) {
        let mut bare = text;
        let mut set = vec![false; self.marks.len()];
        while let Some(last) = bare.chars().last()
            && let Some(i) = self.marks.iter().position(|(mark, _)| *mark == last)
        {
            set[i] = true;
            bare = bare.trim_end_matches(last);
        }
        (
            if self.fields.len() > 1 {
                bare.split('/').collect()
            } else {
                vec![bare]
            },
            set,
        )
    }

    /// Whether a figure keeps parts of the one that it changes: `0/=`.
    pub fn keeps_parts(&self, text: &str) -> bool {
        self.fields.len() > 1 && text.split('/').any(|part| part.starts_with(KEPT_PART))
    }

    /// Returns a figure with the parts that it keeps of another one, the marks with the last; `None` if that has no such parts.
    pub fn with_parts_of(&self, text: &str, other: &str) -> Option<String> {
        if !self.keeps_parts(text) {
            return Some(text.into());
        }
        let (whole, bare): (Vec<&str>, _) = (other.split('/').collect(), self.split_cell(other).0);
        let part = |(at, part): (usize, &str)| match part.strip_prefix(KEPT_PART) {
            Some("") => whole.get(at).copied().map(String::from),
            Some(marks) => Some(format!("{}{marks}", bare.get(at)?)),
            None => Some(part.into()),
        };
        let parts: Option<Vec<String>> = text.split('/').enumerate().map(part).collect();
        Some(
            parts
                .filter(|_| whole.len() == self.fields.len())?
                .join("/"),
        )
    }

    /// Whether a cell reads as a change says; a part that is kept may be any.
    pub fn reads(&self, cell: &Cell, text: &str) -> bool {
        self.with_parts_of(text, cell.stated()).as_deref() == Some(cell.stated())
    }

    /// Replaces each label of a place, on the axes and in cells, by the name of the place.
    pub fn name_places(&mut self, places: &PlaceScheme) {
        let name = |text: &mut String| places.name_place(text);
        for axis in &mut self.axes {
            axis.label_texts.iter_mut().for_each(name);
            if let AxisLabels::Words(words) = &mut axis.labels {
                words.iter_mut().for_each(name);
            }
        }
        self.cells.iter_mut().for_each(|cell| name(&mut cell.text));
    }

    /// Returns the text of a file that touched the table.
    pub fn file_text(&self, path: &str) -> &str {
        self.layers
            .iter()
            .find(|layer| layer.file.path == path)
            .map_or("", |layer| &layer.file.text)
    }

    /// Returns the citations of a cell: those of the file that set it.
    pub fn sources_of(&self, cell: &Cell) -> &[SourceRef] {
        self.layers
            .iter()
            .find(|layer| *layer.file.path == *cell.path)
            .map_or(&[], |layer| &layer.sources)
    }

    /// Complains of a cell that does not match the fields and constraints.
    pub fn check_cell(&mut self, index: usize, reader: &mut YamlReader) {
        let cell = &mut self.cells[index];
        if cell.text == "?" {
            cell.status = Status::Missing;
            return;
        }
        let (span, text) = (cell.span, cell.text.clone());
        if let Some(defect) = self.cell_fault(index, &text) {
            reader.report(span, defect);
        }
    }

    /// Returns what is wrong with a text in a cell, and how to mend it; `None` if it can stand there.
    fn cell_fault(&self, index: usize, text: &str) -> Option<Defect> {
        let parts = self.split_cell(text).0;
        if self.fields.len() > 1 && parts.len() != self.fields.len() {
            let message = format!(
                "`{text}` has {}; a cell of this table has {}: {}",
                counted(parts.len(), "part"),
                self.fields.len(),
                self.fields.join("/")
            );
            let help = "write the parts with / between them, `?` for a figure not known";
            return Some(Defect::new(DiagnosticCode::Cell, message, help));
        }
        if let Some((mark, fault)) = self.mark_fault(text) {
            let message = format!("`{text}` has `{mark}` {fault}");
            let help = "write each mark once, behind all parts of the cell";
            return Some(Defect::new(DiagnosticCode::Cell, message, help));
        }
        if let Some(misfit) = self.find_misfit(index, text) {
            let Misfit {
                part,
                constraint,
                label,
            } = misfit;
            let of_label = match label {
                "" => String::new(),
                label => format!(" for {label}"),
            };
            let message = Message::with_suggestions(
                format!("`{part}` is not allowed{of_label}"),
                constraint.suggest(part),
            );
            let allowed = constraint.describe();
            let help = format!(
                "write what `holds:` allows: {allowed}; or `?` for a figure that is not known"
            );
            return Some(Defect::new(DiagnosticCode::Cell, message, help));
        }
        (self.constraints.is_empty() && parts.into_iter().any(is_decimal)).then(|| {
            let message = format!("`{text}` is not a whole number");
            let help = "write a whole number: a percentage without its sign, and no decimal point";
            Defect::new(DiagnosticCode::Number, message, help)
        })
    }

    /// Returns the sign of a mark that a text has more than once, or after a figure that is not its last part.
    fn mark_fault(&self, text: &str) -> Option<(char, &'static str)> {
        let parts = self.split_cell(text).0;
        let before_last = &parts[..parts.len() - 1];
        self.marks.iter().find_map(|(sign, _)| {
            let figure = |part: &&str| part.strip_suffix(*sign)?.parse::<i64>().ok();
            match text.matches(*sign).count() {
                0 => None,
                1 => {
                    let marked = before_last.iter().find_map(figure);
                    marked.map(|_| (*sign, "behind one part alone"))
                }
                _ => Some((*sign, "twice")),
            }
        })
    }

    /// Says why a text can't stand in a cell, to the person who types it; `None` if it can.
    pub fn refusal_of(&self, index: usize, text: &str) -> Option<String> {
        if text == "?" {
            return None;
        }
        if text.is_empty() {
            return Some("a cell is not empty: a value that is not known is “?”".into());
        }
        let text = self.with_parts_of(text, &self.cells[index].text)?;
        let Defect { message, help, .. } = self.cell_fault(index, &text)?;
        Some(format!("{message}: {help}"))
    }

    /// Returns the first invalid part of a cell.
    fn find_misfit<'t>(&'t self, index: usize, text: &'t str) -> Option<Misfit<'t>> {
        let column = self.position(index)[1];
        let parts = self.split_cell(text).0;
        (0..).zip(parts).find_map(|(index, part)| {
            let (index, labels) = if self.fields.is_empty() {
                (column, &self.axes[1].label_texts)
            } else {
                (index, &self.fields)
            };
            let holds = self
                .constraints
                .get(index)
                .filter(|holds| part != "?" && !holds.allows(part))?;
            Some(Misfit {
                part,
                constraint: holds,
                label: labels.get(index).map_or("", String::as_str),
            })
        })
    }

    /// Returns the cells that violate a declared monotonic trend, each with a message.
    pub fn trend_violations(&self) -> Vec<(usize, String)> {
        let bare = self.fields.is_empty();
        let (columns, rows) = (
            self.axes[1].label_texts.len(),
            self.axes[2].label_texts.len(),
        );
        let mut pairs = Vec::new();
        for (part_index, holds) in self.constraints.iter().enumerate() {
            let is_in_part = |index: &usize| !bare || self.position(*index)[1] == part_index;
            let fits = |index: usize| self.find_misfit(index, &self.cells[index].text).is_none();
            let figure = |index: usize| {
                // In a cell with another number of parts it is not known which part is which.
                let (parts, _) = self.split_cell(&self.cells[index].text);
                let is_whole = bare || parts.len() == self.fields.len();
                let part = if bare { 0 } else { part_index };
                let text = parts.get(part).copied().filter(|_| is_whole)?;
                text.parse::<i64>().ok().filter(|_| fits(index))
            };
            // A trend is undefined along unsorted labels.
            for (axis, step) in [columns * rows, 1, columns]
                .into_iter()
                .enumerate()
                .filter(|(axis, _)| self.axes[*axis].is_valid)
            {
                let next = |index: &usize| {
                    is_in_part(index)
                        && self.position(*index)[axis] + 1 < self.axes[axis].label_texts.len()
                };
                for index in (0..self.cells.len()).filter(next) {
                    let (Some(before), Some(after)) = (figure(index), figure(index + step)) else {
                        continue;
                    };
                    let is_violation = |before: i64, after: i64| {
                        holds.non_decreasing[axis] && after < before
                            || holds.non_increasing[axis] && after > before
                    };
                    if !is_violation(before, after) {
                        continue;
                    }
                    // Scores a neighbour by whether the figures around it would be monotonic without it: 2 for yes, 0 for no.
                    let (label_index, label_count) = (
                        self.position(index)[axis],
                        self.axes[axis].label_texts.len(),
                    );
                    let earlier = if label_index == 0 {
                        None
                    } else {
                        figure(index - step)
                    };
                    let later = if label_index + 2 >= label_count {
                        None
                    } else {
                        figure(index + 2 * step)
                    };
                    let first_alone =
                        earlier.map_or(
                            1,
                            |earlier| if is_violation(earlier, after) { 0 } else { 2 },
                        );
                    let second_alone =
                        later.map_or(1, |later| if is_violation(before, later) { 0 } else { 2 });
                    let axis_name = ["sheet to sheet", "column to column", "row to row"][axis];
                    let word = if holds.non_decreasing[axis] && after < before {
                        "rise"
                    } else {
                        "fall"
                    };
                    let trend = format!("figures here {word} from {axis_name}");
                    pairs.push((
                        [index, index + step],
                        [before, after],
                        [first_alone, second_alone],
                        trend,
                    ));
                }
            }
        }
        // Of two conflicting cells, reports the amended one, the worse outlier, or the one whose removal fixes the trend.
        let amended = |index: usize| self.cells[index].path.as_ref() != self.file.path.as_str();
        let count = |index: usize| {
            pairs
                .iter()
                .filter(|(cells, ..)| cells.contains(&index))
                .count()
        };
        let mut violations: Vec<(usize, String)> = pairs
            .iter()
            .map(
                |([first, second], [before, after], [first_alone, second_alone], trend)| {
                    let weight = |index: usize, alone: u8| (amended(index), count(index), alone);
                    if weight(*first, *first_alone) > weight(*second, *second_alone) {
                        (*first, format!("{before} comes before {after}; {trend}"))
                    } else {
                        (*second, format!("{after} comes after {before}; {trend}"))
                    }
                },
            )
            .collect();
        // An outlier along two axes is one error.
        violations.sort_by_key(|(index, _)| *index);
        violations.dedup_by_key(|(index, _)| *index);
        violations
    }

    /// Returns the cell parts that must be names.
    pub fn references(&self) -> Vec<CellReference<'_>> {
        let mut references = Vec::new();
        for (index, cell) in self
            .cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.is_missing())
        {
            let column = self.position(index)[1];
            for (part_index, part) in self.split_cell(&cell.text).0.into_iter().enumerate() {
                let holds = self.constraints.get(if self.fields.is_empty() {
                    column
                } else {
                    part_index
                });
                if let Some(holds) = holds.filter(|holds| {
                    part != "?" && !holds.references.is_empty() && !holds.is_listed(part)
                }) {
                    references.push(CellReference {
                        index,
                        text: part,
                        kinds: &holds.references,
                    });
                }
            }
        }
        references
    }

    /// Parses `holds:`, the constraint of all cells or of each field or column.
    pub fn read_constraints(&mut self, node: &YamlNode, reader: &mut YamlReader) {
        let labels = if self.fields.is_empty() {
            self.axes[1].label_texts.clone()
        } else {
            self.fields.clone()
        };
        if !matches!(chosen(&CONSTRAINTS, node), FieldType::Map(..)) {
            self.constraints = vec![ValueConstraint::read(node, reader); labels.len()];
            return;
        }
        self.constraints
            .resize(labels.len(), ValueConstraint::default());
        for (key, value) in node.entries() {
            let text = key.text_or_empty();
            match labels.iter().position(|label| label == text) {
                Some(index) => self.constraints[index] = ValueConstraint::read(value, reader),
                None if !self.axes[1].is_valid => {}
                None => {
                    let message = did_you_mean(
                        format!("`{text}` is neither a field nor a column of this table"),
                        text,
                        labels.iter().map(String::as_str),
                    );
                    reader.complain(
                        DiagnosticCode::Label,
                        key.span,
                        message,
                        format!("name one that it has: {}", labels.join(", ")),
                    );
                }
            }
        }
    }

    /// Returns the words allowed in a field or column.
    pub fn allowed_words(&self, part: &str) -> impl Iterator<Item = &str> {
        let labels = if self.fields.is_empty() {
            &self.axes[1].label_texts
        } else {
            &self.fields
        };
        let index = labels.iter().position(|label| label == part);
        index
            .and_then(|index| self.constraints.get(index))
            .into_iter()
            .flat_map(|holds| holds.words.iter().map(String::as_str))
    }

    /// Returns a `holds:` value inferred from the cells.
    pub fn infer_constraints(&self) -> String {
        let labels = if self.fields.is_empty() {
            &self.axes[1].label_texts
        } else {
            &self.fields
        };
        let constraint_of = |part: usize| {
            let is_in_part =
                |index: &usize| !self.fields.is_empty() || self.position(*index)[1] == part;
            let cells = (0..self.cells.len())
                .filter(is_in_part)
                .map(|index| self.split_cell(&self.cells[index].text).0);
            let index = if self.fields.is_empty() { 0 } else { part };
            ValueConstraint::infer_from_cells(cells.filter_map(|parts| parts.get(index).copied()))
        };
        match labels.len() {
            1 => format!("holds: {}", constraint_of(0)),
            _ => {
                let constraints: Vec<String> = labels
                    .iter()
                    .enumerate()
                    .map(|(i, label)| format!("{}: {}", write_key(label), constraint_of(i)))
                    .collect();
                format!("holds: {{ {} }}", constraints.join(", "))
            }
        }
    }

    /// Parses the block of cells under a key.
    pub fn read_cells(
        &mut self,
        key: &YamlNode,
        node: &YamlNode,
        status: Status,
        reader: &mut YamlReader,
    ) {
        if self.axes[0].label_texts.len() > 1 || !self.axes[0].label_texts[0].is_empty() {
            for (sheet, (key, rows)) in self.read_label_map(key, node, 0, reader) {
                self.read_rows(key, rows, sheet, status, reader);
            }
        } else {
            self.read_rows(key, node, 0, status, reader);
        }
    }

    fn read_rows(
        &mut self,
        key: &YamlNode,
        node: &YamlNode,
        sheet: usize,
        status: Status,
        reader: &mut YamlReader,
    ) {
        for (row, (_, cells)) in self.read_label_map(key, node, 2, reader) {
            let items = cells.items();
            let columns = self.axes[1].label_texts.len();
            if items.len() != columns && self.axes[1].is_valid {
                let message = format!(
                    "this row has {}, but the table has {}",
                    counted(items.len(), "cell"),
                    counted(columns, "column")
                );
                reader.complain(
                    DiagnosticCode::Cell,
                    cells.span,
                    message,
                    "write one cell for each column, `?` for a figure that is not known",
                );
            }
            for (column, item) in items.iter().enumerate().take(columns) {
                let index = self.index([sheet, column, row]);
                reader.check_value(item, FieldType::Text);
                let text = item.as_text().unwrap_or("?").to_string();
                reader.note_flag_words(item);
                let cell = &mut self.cells[index];
                (cell.text, cell.status, cell.span) = (text, status, item.span);
            }
        }
    }

    /// Returns the map entries under a key, ordered by the labels of an axis; complains of unknown and missing labels.
    fn read_label_map<'n>(
        &self,
        parent: &YamlNode,
        node: &'n YamlNode,
        axis: usize,
        reader: &mut YamlReader,
    ) -> BTreeMap<usize, (&'n YamlNode, &'n YamlNode)> {
        let (level, axis) = (["sheet", "column", "row"][axis], &self.axes[axis]);
        let label_index = |label: &str| axis.label_texts.iter().position(|l| l == label);
        let mut by_label = BTreeMap::new();
        for (key, value) in node.entries() {
            if let Some(index) = label_index(key.text_or_empty()) {
                by_label.insert(index, (key, value));
            }
        }
        if !axis.is_valid {
            return by_label;
        }
        // If cells appear in place of a sheet's rows, the level is missing, so its labels are not reported one by one.
        let bare = |(_, value): &(YamlNode, YamlNode)| {
            !matches!(value.value, YamlValue::Map(_)) && value.as_text() != Some("")
        };
        if level == "sheet" && !node.entries().is_empty() && node.entries().iter().all(bare) {
            let message = format!(
                "the cells of this chart belong under their sheet, but these are rows; its sheets: {}",
                axis.label_texts.join(", ")
            );
            reader.complain(
                DiagnosticCode::RowsCover,
                parent.span,
                message,
                "write the rows once under each sheet; `?` for figures that are not known",
            );
            return BTreeMap::new();
        }
        let missing = (0..axis.label_texts.len()).filter(|index| !by_label.contains_key(index));
        let mut missing: Vec<&str> = missing
            .map(|index| axis.label_texts[index].as_str())
            .collect();
        for (key, _) in node.entries() {
            let text = key.text_or_empty();
            if label_index(text).is_none() {
                // A label without an entry is likely the intended one.
                let still = if missing.is_empty() {
                    String::new()
                } else {
                    format!("; {} is missing", missing.join(", "))
                };
                missing.clear();
                let help = format!("write its labels: {}{still}", axis.label_texts.join(", "));
                reader.complain(
                    DiagnosticCode::Label,
                    key.span,
                    did_you_mean(
                        format!("`{text}` is not a {level} of this table"),
                        text,
                        axis.label_texts.iter().map(String::as_str),
                    ),
                    help,
                );
            }
        }
        for label in missing {
            reader.complain(
                DiagnosticCode::RowsCover,
                parent.span,
                format!("{level} {label} is missing"),
                "add it; write `?` for figures that are not known",
            );
        }
        by_label
    }

    /// Returns how many cells an entry selects.
    pub fn count_selected(&self, item: &YamlNode) -> usize {
        let counts = self
            .axes
            .iter()
            .zip(["sheet", "column", "row"])
            .map(|(axis, key)| match item.get(key) {
                Some(node) => node.texts().len(),
                None => axis.label_texts.len(),
            });
        counts.product()
    }

    /// Returns the cells that an entry selects by `sheet:`, `column:` and `row:`; an omitted axis selects all its labels.
    pub fn select_cells(&self, item: &YamlNode, reader: &mut YamlReader) -> Vec<usize> {
        let mut picked: Vec<Vec<usize>> = Vec::new();
        for (axis, key) in self.axes.iter().zip(["sheet", "column", "row"]) {
            let Some(node) = item.get(key) else {
                picked.push((0..axis.label_texts.len()).collect());
                continue;
            };
            let mut indices = Vec::new();
            for text in node.texts() {
                match axis.label_texts.iter().position(|label| *label == text) {
                    Some(index) => indices.push(index),
                    None if !axis.is_valid => {}
                    None => {
                        reader.complain(
                            DiagnosticCode::Label,
                            node.span,
                            did_you_mean(
                                format!("the table has no {key} `{text}`"),
                                &text,
                                axis.label_texts.iter().map(String::as_str),
                            ),
                            format!("write one of its labels: {}", axis.label_texts.join(", ")),
                        );
                    }
                }
            }
            picked.push(indices);
        }
        let mut cells = Vec::new();
        for &sheet in &picked[0] {
            for &row in &picked[2] {
                cells.extend(
                    picked[1]
                        .iter()
                        .map(|&column| self.index([sheet, column, row])),
                );
            }
        }
        cells
    }
}

/// Whether a text is a number with a decimal comma.
fn is_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.trim_start_matches('-')
        .split_once(',')
        .is_some_and(|(whole, fraction)| digits(whole) && digits(fraction))
}
