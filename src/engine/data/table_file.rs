//! One layer's file for a table: the whole table, or changes to a lower layer.

use crate::complaint::{
    Complaint, Complaints, DiagnosticCode, Fix, Message, Place, Span, nearest_names,
};
use crate::data::axis::Axis;
use crate::data::case::{CaseKind, number_from_stem, read_sources};
use crate::data::files::DataFile;
use crate::data::format::{FieldType, table};
use crate::data::format_check::fits;
use crate::data::status::Status;
use crate::data::table::{Cell, Table, TableLayer};
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::data::yaml_writer::write_figure;
use std::cmp::Reverse;
use std::sync::Arc;

/// A table file of one layer, before stacking.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// Number or name.
    pub id: String,
    /// Effect on the layers below.
    pub kind: CaseKind,
    /// Variant option that enables the file.
    pub option: Option<String>,
    /// Tree of the file.
    pub root: YamlNode,
    pub file: DataFile,
    pub layer: Arc<str>,
    /// Source position of the kind.
    pub kind_span: Span,
    /// "; did you mean `x`?" if there is no table below to amend.
    pub similar_tables: Vec<String>,
}

/// Keys that define the layout of a table.
const LAYOUT_KEYS: &[&str] = &[
    "sheets", "columns", "rows", "fields", "marks", "holds", "cells",
];

impl TableFile {
    /// Parses the head of a table file.
    pub fn read(
        file: &DataFile,
        layer: &Arc<str>,
        complaints: &mut Complaints,
    ) -> Option<TableFile> {
        let mut reader = YamlReader::for_file(file);
        let id = number_from_stem(file.stem());
        reader.context = format!("table {id} of {layer}");
        let read = reader.parse_file().and_then(|root| {
            reader.check(&root, &table::TABLE);
            let name = ("file", &*id, &*format!("\"{id}\""));
            reader.check_stated_name(&root, "table", name);
            let node = root.get("kind")?;
            let (kind, option, kind_span) = (
                node.word(&CaseKind::NAMES)?,
                root.optional_text_of("option"),
                node.span,
            );
            Some(TableFile {
                id,
                kind,
                option,
                root,
                file: file.clone(),
                layer: layer.clone(),
                kind_span,
                similar_tables: Vec::new(),
            })
        });
        complaints.0.append(&mut reader.complaints.0);
        read
    }

    /// Returns the examples of the file: id, query, expected value.
    pub fn examples(&self) -> &[YamlNode] {
        self.root.items_of("examples")
    }

    /// Returns whether the file is a whole table with axes, not a list of changes.
    pub fn is_full_table(&self) -> bool {
        self.root.get("rows").is_some()
    }

    /// Builds the table of a file that defines one.
    pub fn to_table(&self, complaints: &mut Complaints) -> Option<Table> {
        let mut reader = YamlReader::for_file(&self.file);
        reader.context = format!("table {} of {}", self.id, self.layer);
        let table = self.build_table(&mut reader);
        complaints.0.append(&mut reader.complaints.0);
        table
    }

    /// Keeps some of the changes alone.
    pub fn retain_changes(&mut self, keep: impl Fn(&YamlNode) -> bool) {
        if let YamlValue::Map(entries) = &mut self.root.value
            && let Some((_, changes)) = entries
                .iter_mut()
                .find(|(key, _)| key.as_text() == Some("changes"))
            && let YamlValue::List(changes) = &mut changes.value
        {
            changes.retain(keep);
        }
    }

    /// Returns whether the file is complete in itself, not an amendment.
    pub fn is_standalone(&self) -> bool {
        matches!(self.kind, CaseKind::Rule | CaseKind::NewCase)
    }

    fn build_table(&self, reader: &mut YamlReader) -> Option<Table> {
        let root = &self.root;
        // A misspelt layout key is already reported; further complaints would follow from it.
        let is_unknown =
            |(key, _): &&(YamlNode, YamlNode)| table::TABLE.key(key.text_or_empty()).is_none();
        if root.entries().iter().filter(is_unknown).any(|(key, _)| {
            !nearest_names(key.text_or_empty(), LAYOUT_KEYS.iter().copied()).is_empty()
        }) {
            return None;
        }
        // An amendment without a table below is reported as such.
        if !self.is_standalone() && root.get("rows").is_none() {
            return None;
        }
        let axis = |reader: &mut YamlReader, key: &str| {
            root.get(key)
                .map_or_else(|| Some(Axis::unlabelled()), |node| Axis::read(node, reader))
        };
        let axes = [
            axis(reader, "sheets")?,
            axis(reader, "columns")?,
            axis(reader, "rows")?,
        ];
        if root.get("rows").is_none() {
            reader.complain(
                DiagnosticCode::MissingKey,
                root.span,
                "this table has no rows",
                "add `rows: { of: ..., labels: [...] }`",
            );
            return None;
        }
        let status = root.word_of("status", &Status::NAMES).unwrap_or_default();
        let marks = root
            .named_texts_of("marks")
            .filter_map(|(mark, field)| Some((mark.chars().next()?, field)))
            .collect();
        if root.get("title").is_none() {
            reader.complain_missing(root, "title", DiagnosticCode::MissingKey);
        }
        if let (Some(marks), None) = (root.get("marks"), root.get("fields")) {
            let message =
                "a script reads a cell with marks by names, and the figure beside them has none";
            reader.complain(
                DiagnosticCode::MissingKey,
                marks.span,
                message,
                "name it: `fields: [losses]`",
            );
        }
        let (path, count) = (
            Arc::from(self.file.path.as_str()),
            axes.iter().map(|a| a.label_texts.len()).product(),
        );
        let blank = Cell {
            text: "?".into(),
            status: Status::Missing,
            layer: self.layer.clone(),
            path,
            span: root.span,
        };
        let mut table = Table {
            id: self.id.clone(),
            title: root.text_of("title").into(),
            method: root.text_of("method").into(),
            axes,
            fields: root.texts_of("fields"),
            marks,
            constraints: Vec::new(),
            cells: vec![blank; count],
            file: self.file.clone(),
            layers: vec![self.table_layer()],
        };
        reader.check_method(root, status == Status::Reconstructed);
        if let Some(node) = root.get("holds") {
            table.read_constraints(node, reader);
        }
        if let Some((key, cells)) = root.entry("cells") {
            table.read_cells(key, cells, status, reader);
        }
        // An entry that is not read whole would stand for other cells than it means.
        for item in root
            .items_of("known")
            .iter()
            .filter(|item| fits(item, FieldType::Object(&table::CELL_STATUS)))
        {
            let status = item.word_of("status", &Status::NAMES).unwrap_or_default();
            for index in table.select_cells(item, reader) {
                if table.cells[index].text != "?" || status == Status::Missing {
                    table.cells[index].status = status;
                }
            }
        }
        for index in 0..table.cells.len() {
            table.check_cell(index, reader);
        }
        Some(table)
    }

    /// Returns the entry of this file in the chain of its table.
    fn table_layer(&self) -> TableLayer {
        let (title, sources) = (self.root.text_of("title").into(), read_sources(&self.root));
        TableLayer {
            name: self.layer.clone(),
            kind: self.kind,
            title,
            file: self.file.clone(),
            sources,
        }
    }

    /// Applies the changes of this file to the table below.
    pub fn amend(&self, below: &Table, complaints: &mut Complaints) -> Table {
        let mut reader = YamlReader::for_file(&self.file);
        reader.context = format!(
            "table {}, {} of {}",
            self.id,
            self.kind.as_str(),
            self.layer
        );
        let mut table = below.clone();
        table.layers.push(self.table_layer());
        // A table with its own columns or bands replaces the one below.
        if let Some(replacement) = self
            .is_full_table()
            .then(|| self.build_table(&mut reader))
            .flatten()
            && !replacement.has_same_axes(below)
        {
            complaints.0.append(&mut reader.complaints.0);
            return Table {
                layers: table.layers,
                ..replacement
            };
        }
        let status = self
            .root
            .word_of("status", &Status::NAMES)
            .unwrap_or_default();
        if let Some(node) = self.root.get("holds") {
            table.read_constraints(node, &mut reader);
        }
        let mut changes: Vec<&YamlNode> = self
            .root
            .items_of("changes")
            .iter()
            // An entry of a variant's list was checked as such.
            .filter(|change| {
                change.get("table").is_some() || fits(change, FieldType::Object(&table::CHANGE))
            })
            .collect();
        // Of two changes of a cell the one that covers fewer cells wins, and of equally many the later.
        changes.sort_by_key(|change| Reverse(table.count_selected(change)));
        for change in changes {
            self.apply_change(&mut table, below, change, status, &mut reader);
        }
        if let Some((key, cells)) = self.root.entry("cells") {
            self.apply_typed_cells(&mut table, below, (key, cells), status, &mut reader);
        }
        if self.root.get("changes").is_none() && self.root.get("cells").is_none() {
            reader.complain(
                DiagnosticCode::MissingKey,
                self.root.span,
                "this amendment changes nothing",
                "add `changes:` with `was:` and `now:`, or `cells:`",
            );
        }
        complaints.0.append(&mut reader.complaints.0);
        table
    }

    fn apply_change(
        &self,
        table: &mut Table,
        below: &Table,
        change: &YamlNode,
        status: Status,
        reader: &mut YamlReader,
    ) {
        let status = change.word_of("status", &Status::NAMES).unwrap_or(status);
        let mut cells = table.select_cells(change, reader);
        let Some(now) = change.get("now") else {
            return self.shift_cells(table, change, (&cells, status), reader);
        };
        let (mut was, has_cells) = (change.get("was"), !cells.is_empty());
        if let Some(was) = was.take_if(|_| has_cells && change.is_set("all")) {
            let that_read = |texts: &[String]| -> Vec<usize> {
                let is_read = |index: &usize| {
                    let cell = &table.cells[*index];
                    texts.iter().any(|text| table.reads(cell, text))
                };
                cells.iter().copied().filter(is_read).collect()
            };
            let old = that_read(&was.texts());
            if old.is_empty() && that_read(&now.texts()).is_empty() {
                let texts = was.texts().join(" or ");
                let message = format!("no cell that this would change reads {texts} below");
                let help = "write under `was:` what stands there now, or take the change out";
                return reader.complain(DiagnosticCode::WasNow, was.span, message, help);
            }
            cells = old;
        }
        reader.note_flag_words(now);
        let single = |n: &YamlNode| !matches!(n.value, YamlValue::List(_));
        for node in was.into_iter().chain([now]) {
            if !single(node) && node.items().len() != cells.len() {
                reader.complain(
                    DiagnosticCode::WasNow,
                    node.span,
                    format!("{} figures for {} cells", node.items().len(), cells.len()),
                    "one figure a cell",
                );
                return;
            }
        }
        let mut already = true;
        for (i, &index) in cells.iter().enumerate() {
            let old = &below.cells[index];
            let old_text = old.stated();
            let of_cell = |node| if single(node) { node } else { &node.items()[i] };
            let now_node = of_cell(now);
            let (changed, written) = (&table.cells[index], now_node.as_text().unwrap_or_default());
            let kept = table.with_parts_of(written, &changed.text);
            let now_text = kept.unwrap_or_else(|| changed.text.clone());
            // A figure of which a part was made up or is missing stays so.
            let is_kept = table.keeps_parts(written) && !changed.status.is_certain();
            let status = if is_kept { changed.status } else { status };
            already &= old_text == now_text && table.cells[index].text == now_text;
            if let Some(was_node) = was.map(of_cell)
                && old_text != now_text
                && !was_node.as_text().is_some_and(|was| below.reads(old, was))
            {
                let was_text = was_node.as_text().unwrap_or_default();
                let place = Place::from_text(&old.path, below.file_text(&old.path), old.span);
                let message = format!(
                    "`was: {was_text}` does not match: the layer below has {old_text} at {}",
                    below.label(index)
                );
                let was = write_figure(old_text);
                let complaint = reader
                    .complaint(DiagnosticCode::WasNow, was_node.span, message)
                    .with_help(format!(
                        "write `was: {was}` if the change is meant for that figure"
                    ))
                    .with_fix(Fix::Replace(was));
                reader
                    .complaints
                    .push(complaint.with_related(place, format!("the figure of {}", old.layer)));
                continue;
            }
            table.cells[index] = Cell {
                text: now_text,
                status,
                layer: self.layer.clone(),
                path: Arc::from(self.file.path.as_str()),
                span: now_node.span,
            };
            table.check_cell(index, reader);
        }
        if already && has_cells {
            reader.complaints.push(
                reader
                    .complaint(
                        DiagnosticCode::Already,
                        now.span,
                        "the layer below has this already, so the change does nothing",
                    )
                    .into_note(),
            );
        }
    }

    /// Reads cells so many labels further on; those at the edge of the chart are read there. A figure that was made or is missing stays so.
    fn shift_cells(
        &self,
        table: &mut Table,
        change: &YamlNode,
        (cells, status): (&[usize], Status),
        reader: &mut YamlReader,
    ) {
        let by = ["sheets", "columns", "rows"].map(|key| change.number_of(key).unwrap_or(0));
        let below = table.cells.clone();
        for &index in cells {
            let mut at = table.position(index);
            for ((axis, place), by) in table.axes.iter().zip(&mut at).zip(by) {
                let last = axis.label_texts.len() as i64 - 1;
                *place = (*place as i64 + by).clamp(0, last.max(0)) as usize;
            }
            let read = &below[table.index(at)];
            if read.text == table.cells[index].text {
                continue;
            }
            table.cells[index] = Cell {
                text: read.text.clone(),
                status: if read.status.is_certain() {
                    status
                } else {
                    read.status
                },
                layer: self.layer.clone(),
                path: Arc::from(self.file.path.as_str()),
                span: change.span,
            };
            table.check_cell(index, reader);
        }
    }

    /// Applies a fully typed table: every cell except `?` and blanks replaces a figure that was reconstructed or missing.
    fn apply_typed_cells(
        &self,
        table: &mut Table,
        below: &Table,
        (key, cells): (&YamlNode, &YamlNode),
        status: Status,
        reader: &mut YamlReader,
    ) {
        let mut typed = table.clone();
        typed
            .cells
            .iter_mut()
            .for_each(|cell| cell.text = "?".into());
        let path: Arc<str> = Arc::from(self.file.path.as_str());
        typed
            .cells
            .iter_mut()
            .for_each(|cell| cell.path = path.clone());
        typed.read_cells(key, cells, status, reader);
        for (index, cell) in typed.cells.into_iter().enumerate() {
            let old = &below.cells[index];
            if cell.text == "?" || cell.text.is_empty() {
                continue;
            }
            if old.status.is_certain() && !old.is_missing() && old.text != cell.text {
                let place = Place::from_text(&old.path, below.file_text(&old.path), old.span);
                let message = format!(
                    "{} is {} below, and known: {}",
                    below.label(index),
                    old.text,
                    old.status.as_str()
                );
                let help = "a chart typed in replaces figures that are reconstructed or missing; to correct a known one, use `changes:` with `was:` and `now:`";
                let complaint = reader
                    .complaint(DiagnosticCode::WasNow, cell.span, message)
                    .with_help(help)
                    .with_related(place, format!("the figure of {}", old.layer));
                reader.complaints.push(complaint);
                continue;
            }
            table.cells[index] = Cell {
                layer: self.layer.clone(),
                ..cell
            };
            table.check_cell(index, reader);
        }
    }
}

/// Creates a complaint about a table file as a whole.
fn table_complaint(
    file: &TableFile,
    code: DiagnosticCode,
    message: impl Into<Message>,
) -> Complaint {
    let context = format!(
        "table {}, {} of {}",
        file.id,
        file.kind.as_str(),
        file.layer
    );
    Complaint::new(code, file.file.place(file.kind_span), message).with_context(context)
}

/// The checks `kind` and `conflict` for the files of one table.
pub fn check_files(
    files: &[TableFile],
    game: &str,
    before: impl Fn(&str, &str) -> bool,
    complaints: &mut Complaints,
) {
    for (i, file) in files.iter().enumerate() {
        let (base, id) = (&*file.layer == game, &file.id);
        let first = i == 0;
        match file.kind {
            CaseKind::Rule if !base => complaints.push(
                table_complaint(
                    file,
                    DiagnosticCode::Kind,
                    "only the printed game has a case of `kind: rule`",
                )
                .with_help("write `kind: new case` or an amendment")
                .with_fix(Fix::Replace("new case".into())),
            ),
            CaseKind::NewCase if !first => {
                complaints.push(
                    table_complaint(
                        file,
                        DiagnosticCode::Kind,
                        format!("the layers below have a table {id} already"),
                    )
                    .with_help("write `kind: correction` or `revision` to amend it")
                    .with_fix(Fix::Replace("correction".into())),
                );
            }
            CaseKind::Rule | CaseKind::NewCase => {}
            _ if first => complaints.push(
                table_complaint(
                    file,
                    DiagnosticCode::UnknownName,
                    Message::with_suggestions(
                        format!("this file amends table {id}, which the layers below do not have"),
                        file.similar_tables.clone(),
                    ),
                )
                .with_help("correct the name, or write `kind: new case`"),
            ),
            _ => {}
        }
        if file.kind == CaseKind::Rule && !first && files[i - 1].layer == file.layer {
            complaints.push(
                table_complaint(
                    file,
                    DiagnosticCode::AnsweredTwice,
                    format!("{} has two tables {id}", file.layer),
                )
                .with_help("keep one of the two"),
            );
        }
        for older in files[..i]
            .iter()
            .filter(|o| o.layer != file.layer && !before(&o.layer, &file.layer))
        {
            check_unordered(game, older, file, files, complaints);
        }
    }
}

/// Reports cells that two unordered variants set differently.
fn check_unordered(
    game: &str,
    older: &TableFile,
    newer: &TableFile,
    files: &[TableFile],
    complaints: &mut Complaints,
) {
    let mut ignore = Complaints::default();
    let Some(base) = files
        .first()
        .filter(|f| &*f.layer == game)
        .and_then(|f| f.to_table(&mut ignore))
    else {
        return;
    };
    let (a, b) = (
        older.amend(&base, &mut ignore),
        newer.amend(&base, &mut ignore),
    );
    if !a.has_same_axes(&base) || !b.has_same_axes(&base) {
        let message = format!(
            "{} and {} both amend table {}, one of them with other columns or rows",
            older.layer, newer.layer, newer.id
        );
        let help = format!(
            "write `after: [{}]` in the variant.yaml of {}, or the other way round",
            older.layer, newer.layer
        );
        let place = older.file.place(older.kind_span);
        return complaints.push(
            table_complaint(newer, DiagnosticCode::Conflict, message)
                .with_help(help)
                .with_related(place, format!("the chart of {}", older.layer)),
        );
    }
    let clash = (0..base.cells.len()).find(|&i| {
        a.cells[i].layer == older.layer
            && b.cells[i].layer == newer.layer
            && a.cells[i].text != b.cells[i].text
    });
    if let Some(i) = clash {
        let message = format!(
            "{} and {} both set {} of table {}, and neither comes after the other",
            older.layer,
            newer.layer,
            base.label(i),
            newer.id
        );
        let help = format!(
            "write `after: [{}]` in the variant.yaml of {}, or the other way round",
            older.layer, newer.layer
        );
        let mut complaint =
            table_complaint(newer, DiagnosticCode::Conflict, message).with_help(help);
        complaint.place = newer.file.place(b.cells[i].span);
        complaints.push(complaint.with_related(
            older.file.place(a.cells[i].span),
            format!("{} has {}", older.layer, a.cells[i].text),
        ));
    }
}
