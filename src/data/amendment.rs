//! What one layer says of a chart: the chart itself, or the changes to the one below.

use crate::complaint::{Complaint, Complaints, Place, Span, near};
use crate::data::axis::Axis;
use crate::data::case::{Kind, Status, number_of, sources};
use crate::data::files::File;
use crate::data::format::chart;
use crate::data::table::{Cell, Table};
use crate::data::yaml::{Node, Reader, Value};
use std::sync::Arc;

/// What a layer says of a chart, before it is laid over what is below.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// Number or name.
    pub id: String,
    /// What it does.
    pub kind: Kind,
    /// The option that switches it.
    pub option: Option<String>,
    /// Its text as a tree.
    pub root: Node,
    /// The file.
    pub file: File,
    /// The layer.
    pub layer: Arc<str>,
    /// Where the kind stands.
    pub kind_span: Span,
    /// "; did you mean `x`?" where nothing is below that could be amended.
    pub near: String,
}

/// The keys that lay a chart out.
const LAYS_OUT: &[&str] = &["sheets", "columns", "rows", "fields", "marks", "holds", "cells"];

impl TableFile {
    /// Reads a table file as far as its head.
    pub fn read(file: &File, layer: &Arc<str>, complaints: &mut Complaints) -> Option<TableFile> {
        let mut reader = Reader::of(file);
        let id = number_of(file.stem());
        reader.crumbs = format!("table {id} of {layer}");
        let read = reader.whole().and_then(|root| {
            reader.fits(&root, &chart::TABLE);
            if let Some(given) = root.get("table")
                && given.text() != Some(&id)
            {
                let what = format!("the file is called `{id}`, the table `{}`", given.text().unwrap_or_default());
                reader.complain("name", given.span, what, format!("write `table: \"{id}\"`, or rename the file"));
            }
            let node = root.get("kind").or_else(|| {
                reader.need(&root, "kind");
                None
            })?;
            let kind = reader.word(node, "kind", "kind of amendment", &Kind::WORDS)?;
            let (option, kind_span) = (reader.maybe(&root, "option"), node.span);
            Some(TableFile { id, kind, option, root, file: file.clone(), layer: layer.clone(), kind_span, near: String::new() })
        });
        complaints.0.append(&mut reader.complaints.0);
        read
    }

    /// The examples of the file: id, question, expected value.
    pub fn examples(&self) -> &[Node] {
        self.root.get("examples").map(Node::items).unwrap_or_default()
    }

    /// Whether it has axes of its own: a chart, not a list of changes.
    pub fn whole(&self) -> bool {
        self.root.get("rows").is_some()
    }

    /// The chart this file lays out.
    pub fn table(&self, complaints: &mut Complaints) -> Option<Table> {
        let mut reader = Reader::of(&self.file);
        reader.crumbs = format!("table {} of {}", self.id, self.layer);
        let table = self.fill(&mut reader);
        complaints.0.append(&mut reader.complaints.0);
        table
    }

    /// Whether it is a chart that stands by itself, not one that amends another.
    pub fn stands_alone(&self) -> bool {
        matches!(self.kind, Kind::Rule | Kind::NewCase)
    }

    fn fill(&self, reader: &mut Reader) -> Option<Table> {
        let root = &self.root;
        // Of what is misspelt has been complained; without it nothing else can be told.
        let laid = |(key, _): &&(Node, Node)| chart::TABLE.key(key.text().unwrap_or_default()).is_none();
        if root.entries().iter().filter(laid).any(|(key, _)| !near(key.text().unwrap_or_default(), LAYS_OUT.iter().copied()).is_empty()) {
            return None;
        }
        // An amendment with nothing below is complained of as such.
        if !self.stands_alone() && root.get("rows").is_none() {
            return None;
        }
        let axis = |reader: &mut Reader, key: &str| root.get(key).map_or_else(|| Some(Axis::single()), |node| Axis::read(node, reader));
        let axes = [axis(reader, "sheets")?, axis(reader, "columns")?, axis(reader, "rows")?];
        if root.get("rows").is_none() {
            reader.complain("missing-key", root.span, "this table has no rows", "add `rows: { of: ..., labels: [...] }`");
            return None;
        }
        let status = root.get("status").and_then(|n| reader.word(n, "status", "status", &Status::WORDS)).unwrap_or_default();
        let marks = root.get("marks").map(Node::entries).unwrap_or_default().iter();
        let marks = marks.filter_map(|(k, v)| Some((k.text()?.chars().next()?, v.text()?.to_string()))).collect();
        let (path, count) = (Arc::from(self.file.path.as_str()), axes.iter().map(|a| a.written.len()).product());
        let blank = Cell { text: "?".into(), status: Status::Missing, layer: self.layer.clone(), path, span: root.span };
        let mut table = Table {
            id: self.id.clone(),
            title: reader.title(root),
            method: reader.maybe(root, "method").unwrap_or_default(),
            axes,
            fields: root.get("fields").map(|n| reader.texts(n)).unwrap_or_default(),
            marks,
            holds: Vec::new(),
            cells: vec![blank; count],
            file: self.file.clone(),
            sources: sources(root, reader),
            chain: vec![(self.layer.clone(), self.kind, reader.maybe(root, "title").unwrap_or_default(), self.file.clone())],
        };
        if status == Status::Reconstructed && table.method.is_empty() {
            reader.complain(
                "method",
                root.span,
                "reconstructed figures, and no method stated",
                "say under `method:` how the figures were made",
            );
        }
        if let Some(node) = root.get("holds") {
            table.read_holds(node, reader);
        }
        if let Some((key, cells)) = root.entry("cells") {
            table.read_cells(key, cells, status, reader);
        }
        for item in root.get("known").map(Node::items).unwrap_or_default() {
            let before = reader.complaints.0.len();
            reader.fits(item, &chart::KNOWN);
            if reader.complaints.0.len() > before {
                continue;
            }
            let status = item.get("status").and_then(|n| reader.word(n, "status", "status", &Status::WORDS)).unwrap_or_default();
            for index in table.select(item, reader) {
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

    /// Lays this file's changes over the chart below.
    pub fn amend(&self, below: &Table, complaints: &mut Complaints) -> Table {
        let mut reader = Reader::of(&self.file);
        reader.crumbs = format!("table {}, {} of {}", self.id, self.kind.word(), self.layer);
        let mut table = below.clone();
        table.chain.push((self.layer.clone(), self.kind, reader.maybe(&self.root, "title").unwrap_or_default(), self.file.clone()));
        // A chart with columns or bands of its own takes the place of the one below.
        if let Some(own) = self.whole().then(|| self.fill(&mut reader)).flatten()
            && !own.lies_over(below)
        {
            complaints.0.append(&mut reader.complaints.0);
            return Table { chain: table.chain, ..own };
        }
        let status = self.root.get("status").and_then(|n| reader.word(n, "status", "status", &Status::WORDS)).unwrap_or_default();
        if let Some(node) = self.root.get("holds") {
            table.read_holds(node, &mut reader);
        }
        for change in self.root.get("changes").map(Node::items).unwrap_or_default() {
            self.change(&mut table, below, change, status, &mut reader);
        }
        if let Some((key, cells)) = self.root.entry("cells") {
            self.retype(&mut table, below, (key, cells), status, &mut reader);
        }
        if self.root.get("changes").is_none() && self.root.get("cells").is_none() {
            reader.complain(
                "missing-key",
                self.root.span,
                "this amendment changes nothing",
                "add `changes:` with `was:` and `now:`, or `cells:`",
            );
        }
        complaints.0.append(&mut reader.complaints.0);
        table
    }

    fn change(&self, table: &mut Table, below: &Table, change: &Node, status: Status, reader: &mut Reader) {
        let before = reader.complaints.0.len();
        reader.fits(change, &chart::CHANGE);
        if reader.complaints.0.len() > before {
            return;
        }
        let status = change.get("status").and_then(|n| reader.word(n, "status", "status", &Status::WORDS)).unwrap_or(status);
        let cells = table.select(change, reader);
        let (Some(was), Some(now)) = (change.get("was"), change.get("now")) else {
            reader.complain(
                "was-now",
                change.span,
                "a change says what was there and what is there now",
                "add `was:` (the figure below, or `missing`) and `now:`",
            );
            return;
        };
        let missing = was.text() == Some("missing");
        let single = |n: &Node| !matches!(n.value, Value::List(_));
        let lengths = [(was, !missing && !single(was)), (now, !single(now))];
        for (node, counted) in lengths {
            if counted && node.items().len() != cells.len() {
                reader.complain(
                    "was-now",
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
            let old_text = if old.missing() { "missing" } else { old.text.as_str() };
            let was_node = if single(was) { was } else { &was.items()[i] };
            let now_node = if single(now) { now } else { &now.items()[i] };
            let (was_text, now_text) = (was_node.text().unwrap_or_default(), now_node.text().unwrap_or_default());
            if old_text != now_text {
                already = false;
                if old_text != was_text {
                    let place = Place::at(&old.path, below.text_of(&old.path), old.span);
                    let what = format!("`was: {was_text}` does not match: the layer below has {old_text} at {}", below.label(index));
                    let complaint = reader
                        .complaint("was-now", was_node.span, what)
                        .help(format!("write `was: {old_text}` if the change is meant for that figure"));
                    reader.complaints.push(complaint.also(place, format!("the figure of {}", old.layer)));
                    continue;
                }
            }
            table.cells[index] = Cell {
                text: now_text.into(),
                status,
                layer: self.layer.clone(),
                path: Arc::from(self.file.path.as_str()),
                span: now_node.span,
            };
            table.check_cell(index, reader);
        }
        if already && !cells.is_empty() {
            reader.complaints.push(reader.complaint("already", now.span, "the layer below says this already: incorporated").note());
        }
    }

    /// A chart typed in whole: every cell but `?` and blanks takes the place of a figure that was only reconstructed or missing.
    fn retype(&self, table: &mut Table, below: &Table, (key, cells): (&Node, &Node), status: Status, reader: &mut Reader) {
        let mut typed = table.clone();
        typed.cells.iter_mut().for_each(|cell| cell.text = "?".into());
        let path: Arc<str> = Arc::from(self.file.path.as_str());
        typed.cells.iter_mut().for_each(|cell| cell.path = path.clone());
        typed.read_cells(key, cells, status, reader);
        for (index, cell) in typed.cells.into_iter().enumerate() {
            let old = &below.cells[index];
            if cell.text == "?" || cell.text.is_empty() {
                continue;
            }
            if old.status.known() && !old.missing() && old.text != cell.text {
                let place = Place::at(&old.path, below.text_of(&old.path), old.span);
                let what = format!("{} is {} below, and known: {}", below.label(index), old.text, old.status.word());
                let help = "a chart typed in replaces figures that are reconstructed or missing; to correct a known one, use `changes:` with `was:` and `now:`";
                let complaint = reader.complaint("was-now", cell.span, what).help(help).also(place, format!("the figure of {}", old.layer));
                reader.complaints.push(complaint);
                continue;
            }
            table.cells[index] = Cell { layer: self.layer.clone(), ..cell };
            table.check_cell(index, reader);
        }
    }
}

/// A complaint about a table file as a whole.
fn complaint(file: &TableFile, law: &'static str, what: impl Into<String>) -> Complaint {
    let crumbs = format!("table {}, {} of {}", file.id, file.kind.word(), file.layer);
    Complaint::new(law, Place::at(&file.file.path, &file.file.text, file.kind_span), what).crumbs(crumbs)
}

/// Laws `kind` and `conflict` for the files of one table.
pub fn hold(files: &[TableFile], game: &str, before: impl Fn(&str, &str) -> bool, complaints: &mut Complaints) {
    for (i, file) in files.iter().enumerate() {
        let (base, id) = (&*file.layer == game, &file.id);
        let first = i == 0;
        match file.kind {
            Kind::Rule if !base => complaints
                .push(complaint(file, "kind", "a `rule` belongs to the printed game").help("write `kind: new case` or an amendment")),
            Kind::NewCase if !first => {
                complaints.push(
                    complaint(file, "kind", format!("there is a table {id} below"))
                        .help("write `kind: correction` or `revision` to amend it"),
                );
            }
            Kind::Rule | Kind::NewCase => {}
            _ if first => complaints.push(
                complaint(file, "unknown-name", format!("there is no table {id} below to be amended{}", file.near))
                    .help("look at the name, or write `kind: new case`"),
            ),
            _ => {}
        }
        if file.kind == Kind::Rule && !first && files[i - 1].layer == file.layer {
            complaints.push(complaint(file, "answered-twice", format!("{} has two tables {id}", file.layer)).help("keep one of the two"));
        }
        for older in files[..i].iter().filter(|o| o.layer != file.layer && !before(&o.layer, &file.layer)) {
            unordered(game, older, file, files, complaints);
        }
    }
}

/// Two unordered variants that set the same cell differently.
fn unordered(game: &str, older: &TableFile, newer: &TableFile, files: &[TableFile], complaints: &mut Complaints) {
    let mut ignore = Complaints::default();
    let Some(base) = files.first().filter(|f| &*f.layer == game).and_then(|f| f.table(&mut ignore)) else { return };
    let (a, b) = (older.amend(&base, &mut ignore), newer.amend(&base, &mut ignore));
    if !a.lies_over(&base) || !b.lies_over(&base) {
        let what = format!("{} and {} both amend table {}, one of them with other columns or rows", older.layer, newer.layer, newer.id);
        let help = format!("write `after: [{}]` in the variant.yaml of {}, or the other way round", older.layer, newer.layer);
        let place = Place::at(&older.file.path, &older.file.text, older.kind_span);
        return complaints.push(complaint(newer, "conflict", what).help(help).also(place, format!("the chart of {}", older.layer)));
    }
    let clash = (0..base.cells.len())
        .find(|&i| a.cells[i].layer == older.layer && b.cells[i].layer == newer.layer && a.cells[i].text != b.cells[i].text);
    if let Some(i) = clash {
        let what = format!(
            "{} and {} both set {} of table {}, and neither comes after the other",
            older.layer,
            newer.layer,
            base.label(i),
            newer.id
        );
        let help = format!("write `after: [{}]` in the variant.yaml of {}, or the other way round", older.layer, newer.layer);
        let mut complaint = complaint(newer, "conflict", what).help(help);
        complaint.place = Place::at(&newer.file.path, &newer.file.text, b.cells[i].span);
        complaints.push(
            complaint
                .also(Place::at(&older.file.path, &older.file.text, a.cells[i].span), format!("{} has {}", older.layer, a.cells[i].text)),
        );
    }
}
