//! Layers of a chart or list laid over each other, and what a later one settles.
//!
//! Two variants of which neither comes after the other know nothing of each other: each amends what lies below both of them, and its `was:`
//! is held against that. Where they differ, law `conflict` complains, unless a variant that comes after both says what holds.

use crate::complaint::{Complaint, Complaints, Place, Span};
use crate::data::amendment::{self, TableFile};
use crate::data::files::File;
use crate::data::manifest::Game;
use crate::data::scenario::Scenario;
use crate::data::table::Table;
use crate::data::yaml::Node;
use std::sync::Arc;

/// Whether one layer comes before another by declaration.
pub type Before<'a> = &'a dyn Fn(&str, &str) -> bool;

/// Lays the files of a table over each other, the oldest first, and holds them to their laws.
pub fn table(files: &[TableFile], game: &str, before: Before, complaints: &mut Complaints) -> Option<Table> {
    let table = laid(&files.iter().collect::<Vec<_>>(), before, complaints);
    let fine =
        |older: &str, newer: &str| before(older, newer) || table.as_ref().is_some_and(|t| all_settled(t, files, older, newer, before));
    amendment::hold(files, game, fine, complaints);
    table
}

/// A table as one layer has it, over the layers it comes after and no others.
pub fn table_of(files: &[TableFile], layer: &str, before: Before) -> Option<Table> {
    let known: Vec<_> = files.iter().filter(|f| &*f.layer == layer || before(&f.layer, layer)).collect();
    laid(&known, before, &mut Complaints::default())
}

/// Cells that both of two layers set, by their index. Two charts of different axes have none in common.
pub fn common_cells(a: &Table, one: &str, b: &Table, other: &str) -> Vec<usize> {
    if !a.lies_over(b) {
        return Vec::new();
    }
    (0..a.cells.len()).filter(|&i| &*a.cells[i].layer == one && &*b.cells[i].layer == other).collect()
}

fn laid(files: &[&TableFile], before: Before, complaints: &mut Complaints) -> Option<Table> {
    let (mut table, mut sound): (Option<Table>, bool) = (None, true);
    for (i, file) in files.iter().enumerate() {
        let mut found = Complaints::default();
        table = match table {
            None => file.table(&mut found),
            Some(below) => Some(over(file, below, &files[..i], before, &mut found)),
        };
        // What an amendment says was there can't be held against a chart that is itself at fault.
        found.0.retain(|complaint| sound || complaint.law != "was-now");
        sound &= !found.any_error();
        complaints.0.extend(found.0);
    }
    table
}

/// Lays one file over the table below.
fn over(file: &TableFile, below: Table, older: &[&TableFile], before: Before, complaints: &mut Complaints) -> Table {
    let knows = |f: &&&TableFile| f.layer == file.layer || before(&f.layer, &file.layer);
    let known: Vec<&TableFile> = older.iter().filter(knows).copied().collect();
    if known.len() == older.len() {
        let mut found = Complaints::default();
        let amended = file.amend(&below, &mut found);
        // Its `was:` may be the figure of any of the layers it settles, not only of the one that happens to lie on top.
        let other = found.any_error().then(|| turned(older, |a, b| before(&a.layer, &b.layer))).into_iter().flatten().find_map(|files| {
            let mut found = Complaints::default();
            let amended = file.amend(&laid(&files, before, &mut Complaints::default())?, &mut found);
            (!found.any_error()).then_some((amended, found))
        });
        let (amended, found) = other.unwrap_or((amended, found));
        complaints.0.extend(found.0);
        return amended;
    }
    let own = laid(&known, before, &mut Complaints::default()).filter(|own| own.cells.len() == below.cells.len());
    let Some(own) = own else { return file.amend(&below, complaints) };
    let (amended, mut table) = (file.amend(&own, complaints), below);
    if !amended.lies_over(&table) {
        return amended;
    }
    table.chain.extend(amended.chain.last().cloned());
    let set: Vec<usize> = (0..amended.cells.len()).filter(|&i| amended.cells[i].layer == file.layer).collect();
    let said = set.iter().all(|&i| table.cells[i].text == amended.cells[i].text && own.cells[i].text != amended.cells[i].text);
    if let (true, Some(&first)) = (said, set.first()) {
        let crumbs = format!("table {}, {} of {}", file.id, file.kind.word(), file.layer);
        complaints.push(already(&file.file, amended.cells[first].span, &table.cells[first].layer, crumbs));
    }
    for (cell, new) in table.cells.iter_mut().zip(amended.cells).filter(|(_, new)| new.layer == file.layer) {
        *cell = new;
    }
    table
}

/// Law `already` for what another variant, which this one does not come after, says as well.
fn already(file: &File, span: Span, by: &str, crumbs: String) -> Complaint {
    let what = format!("{by} says this already: incorporated");
    Complaint::new("already", Place::at(&file.path, &file.text, span), what).crumbs(crumbs).note()
}

/// The same layers with another of those on top that nothing comes after.
fn turned<'a, T>(older: &[&'a T], before: impl Fn(&T, &T) -> bool) -> Vec<Vec<&'a T>> {
    let free = |i: &usize| !older.iter().any(|other| before(older[*i], other) && !std::ptr::eq(older[*i], *other));
    let last = |i: usize| {
        let mut list = older.to_vec();
        let top = list.remove(i);
        list.push(top);
        list
    };
    (1..older.len().saturating_sub(1)).filter(free).map(last).collect()
}

/// Whether a later layer says what holds in every cell in which two differ.
fn all_settled(table: &Table, files: &[TableFile], older: &str, newer: &str, before: Before) -> bool {
    let (Some(a), Some(b)) = (table_of(files, older, before), table_of(files, newer, before)) else { return false };
    // Charts of other columns or rows have no cells that could be settled one by one.
    if !a.lies_over(&b) {
        return false;
    }
    let mut common = common_cells(&a, older, &b, newer).into_iter().filter(|&i| a.cells[i].text != b.cells[i].text);
    common.all(|i| table.cells.get(i).is_some_and(|cell| before(older, &cell.layer) && before(newer, &cell.layer)))
}

/// What a layer says of one figure of a piece; of the piece as a whole where no figure is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The piece.
    pub piece: String,
    /// The figure, or nothing.
    pub figure: String,
    /// What it is now.
    pub now: String,
    /// Where that stands.
    pub span: Span,
}

impl Said {
    /// "figure of a piece"
    pub fn name(&self) -> String {
        if self.figure.is_empty() { self.piece.clone() } else { format!("{} of {}", self.figure, self.piece) }
    }

    /// Whether two speak of the same figure, or one of them of the piece as a whole.
    pub fn meets(&self, other: &Said) -> bool {
        self.piece == other.piece && (self.figure == other.figure || self.figure.is_empty() || other.figure.is_empty())
    }

    /// Whether two say the same.
    pub fn agrees(&self, other: &Said) -> bool {
        (&self.figure, &self.now) == (&other.figure, &other.now)
    }
}

/// What a scenario file says of the figures of pieces below it.
pub fn said(over: &Scenario) -> Vec<Said> {
    let mut all = Vec::new();
    for change in &over.changes {
        let Some(piece) = change.get("piece").and_then(Node::text) else { continue };
        let mut add = |figure: &str, now: &Node| {
            all.push(Said { piece: piece.into(), figure: figure.into(), now: written(now), span: now.span });
        };
        if let Some(now) = change.get("now") {
            add("", now);
            continue;
        }
        for (key, value) in change.entries() {
            if let (Some(figure), Some(now)) = (key.text(), value.get("now")) {
                add(figure, now);
            }
        }
    }
    all
}

/// A tree on one line.
fn written(node: &Node) -> String {
    if let Some(text) = node.text() {
        return text.into();
    }
    match node.entries() {
        [] => node.items().iter().map(written).collect::<Vec<_>>().join(", "),
        entries => {
            let mut parts: Vec<String> = entries.iter().map(|(k, v)| format!("{}: {}", written(k), written(v))).collect();
            parts.sort();
            parts.join(", ")
        }
    }
}

/// Lays what the layers say of a list over each other, the oldest first.
pub fn scenario(files: &[Arc<Scenario>], game: &Game, before: Before, complaints: &mut Complaints) -> Option<Arc<Scenario>> {
    if let [alone] = files {
        return Some(alone.clone());
    }
    let all: Vec<&Scenario> = files.iter().map(|file| &**file).collect();
    for (i, newer) in all.iter().enumerate() {
        for older in all[..i].iter().filter(|o| !before(&o.layer, &newer.layer)) {
            differ(older, newer, files, before, complaints);
        }
    }
    listed(&all, game, before, complaints).map(Arc::new)
}

fn listed(files: &[&Scenario], game: &Game, before: Before, complaints: &mut Complaints) -> Option<Scenario> {
    let (first, rest) = files.split_first()?;
    let mut list: Scenario = (*first).clone();
    for (i, file) in rest.iter().enumerate() {
        let older = &files[..=i];
        let known: Vec<&Scenario> = older.iter().filter(|o| before(&o.layer, &file.layer)).copied().collect();
        let mut found = Complaints::default();
        if known.len() == older.len() {
            let mut amended = list.amend(file, game, &mut found);
            let others = found.any_error().then(|| turned(older, |a, b| before(&a.layer, &b.layer))).into_iter().flatten();
            for files in others {
                let mut again = Complaints::default();
                if let Some(other) = listed(&files, game, before, &mut Complaints::default()).map(|l| l.amend(file, game, &mut again))
                    && !again.any_error()
                {
                    (amended, found) = (other, again);
                    break;
                }
            }
            list = amended;
        } else if let Some(own) = listed(&known, game, before, &mut Complaints::default()) {
            let amended = own.amend(file, game, &mut found);
            for other in older.iter().filter(|o| !before(&o.layer, &file.layer)) {
                for same in said(file).iter().filter(|x| said(other).iter().any(|y| x.meets(y) && x.agrees(y))) {
                    found.push(already(&file.file, same.span, &other.layer, format!("{} of {}", file.name, file.layer)));
                }
            }
            merge(&mut list, &own, amended);
        } else {
            list = list.amend(file, game, &mut found);
        }
        complaints.0.extend(found.0);
    }
    Some(list)
}

/// Takes over what an amendment made of its own list below.
fn merge(list: &mut Scenario, own: &Scenario, amended: Scenario) {
    list.pieces.retain(|p| own.pieces.iter().all(|o| o.name != p.name) || amended.pieces.iter().any(|a| a.name == p.name));
    for new in amended.pieces {
        let (old, found) = (own.pieces.iter().find(|p| p.name == new.name), list.pieces.iter_mut().find(|p| p.name == new.name));
        match (old, found) {
            (None, None) => list.pieces.push(new),
            (None, Some(piece)) => *piece = new,
            // Another layer took the piece away.
            (Some(_), None) => {}
            (Some(old), Some(piece)) => {
                for (key, datum) in new.data.iter().filter(|(key, datum)| old.data.get(*key) != Some(datum)) {
                    piece.data.insert(key.clone(), datum.clone());
                    piece.status.insert(key.clone(), new.status_of(key));
                    piece.path = new.path.clone();
                }
            }
        }
    }
}

/// Law `conflict` for two lists of changes.
fn differ(older: &Scenario, newer: &Scenario, files: &[Arc<Scenario>], before: Before, complaints: &mut Complaints) {
    let (a, b) = (said(older), said(newer));
    let clash = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| (x, y)))
        .find(|(x, y)| x.meets(y) && !x.agrees(y) && said_last(files, y, &older.layer, &newer.layer, before).is_none());
    let Some((x, y)) = clash else { return };
    let what = format!(
        "{} and {} both set {} in {}, and neither comes after the other",
        older.layer,
        newer.layer,
        if x.figure.is_empty() { x.name() } else { y.name() },
        newer.name
    );
    let complaint = Complaint::new("conflict", Place::at(&newer.file.path, &newer.file.text, y.span), what)
        .crumbs(format!("{} has {}", newer.layer, y.now))
        .help(format!("write `after: [{}]` in the variant.yaml of {}, or the other way round", older.layer, newer.layer));
    let place = Place::at(&older.file.path, &older.file.text, x.span);
    complaints.push(complaint.also(place, format!("{} has {}", older.layer, x.now)));
}

/// The layer after both of two that says what holds.
pub fn said_last<'a>(files: &'a [Arc<Scenario>], said_of: &Said, one: &str, other: &str, before: Before) -> Option<&'a str> {
    let settles =
        |s: &&Arc<Scenario>| before(one, &s.layer) && before(other, &s.layer) && said(s).iter().any(|x| x.meets(said_of) && x.now != "?");
    files.iter().rev().find(settles).map(|s| &*s.layer)
}
