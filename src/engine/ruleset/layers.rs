//! Stacks the layers of a table or list, and finds the layers that settle conflicts.
//!
//! Two variants without a declared order are independent: each amends the layers below both, and its `was:` is checked against those. If
//! they differ, `conflict` is reported unless a variant that comes after both settles it.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Span};
use crate::data::case::CaseKind;
use crate::data::files::DataFile;
use crate::data::list_change::{ListChange, RosterFigures, path_label};
use crate::data::manifest::Game;
use crate::data::scenario::Scenario;
use crate::data::table::Table;
use crate::data::table_file::{self, TableFile};
use std::sync::Arc;

/// Returns whether the first layer is declared to come before the second.
pub type LayerOrder<'a> = &'a dyn Fn(&str, &str) -> bool;

/// Applies the files of a table in order, oldest first, and checks them.
pub fn stack_table(
    files: &[TableFile],
    game: &str,
    before: LayerOrder,
    complaints: &mut Complaints,
) -> Option<Table> {
    let table = overlay_tables(&files.iter().collect::<Vec<_>>(), before, complaints);
    let fine = |older: &str, newer: &str| {
        before(older, newer)
            || table
                .as_ref()
                .is_some_and(|t| all_settled(t, files, older, newer, before))
    };
    table_file::check_files(files, game, fine, complaints);
    table
}

/// Returns the table as one layer sees it: over the layers that it comes after, and no others.
pub fn table_of_layer(files: &[TableFile], layer: &str, before: LayerOrder) -> Option<Table> {
    let visible: Vec<_> = files
        .iter()
        .filter(|f| &*f.layer == layer || before(&f.layer, layer))
        .collect();
    overlay_tables(&visible, before, &mut Complaints::default())
}

/// Returns the indices of the cells that both layers set; none if the axes differ.
pub fn common_cells(a: &Table, layer_a: &str, b: &Table, layer_b: &str) -> Vec<usize> {
    if !a.has_same_axes(b) {
        return Vec::new();
    }
    (0..a.cells.len())
        .filter(|&i| &*a.cells[i].layer == layer_a && &*b.cells[i].layer == layer_b)
        .collect()
}

fn overlay_tables(
    files: &[&TableFile],
    before: LayerOrder,
    complaints: &mut Complaints,
) -> Option<Table> {
    let (mut table, mut sound): (Option<Table>, bool) = (None, true);
    for (i, file) in files.iter().enumerate() {
        let mut file_complaints = Complaints::default();
        table = match table {
            None => file.to_table(&mut file_complaints),
            Some(below) => Some(overlay_table(
                file,
                below,
                &files[..i],
                before,
                &mut file_complaints,
            )),
        };
        // `was:` cannot be checked against an invalid table.
        file_complaints
            .0
            .retain(|complaint| sound || complaint.code != DiagnosticCode::WasNow);
        sound &= !file_complaints.has_errors();
        complaints.0.extend(file_complaints.0);
    }
    table
}

/// Applies one file to the table below.
fn overlay_table(
    file: &TableFile,
    below: Table,
    older: &[&TableFile],
    before: LayerOrder,
    complaints: &mut Complaints,
) -> Table {
    let knows = |f: &&&TableFile| f.layer == file.layer || before(&f.layer, &file.layer);
    let preceding: Vec<&TableFile> = older.iter().filter(knows).copied().collect();
    if preceding.len() == older.len() {
        let mut file_complaints = Complaints::default();
        let amended = file.amend(&below, &mut file_complaints);
        // `was:` may match any of the layers that the file settles, not only the topmost.
        let alternative = file_complaints
            .has_errors()
            .then(|| alternative_sequences(older, |a, b| before(&a.layer, &b.layer)))
            .into_iter()
            .flatten()
            .find_map(|files| {
                let mut other_complaints = Complaints::default();
                let amended = file.amend(
                    &overlay_tables(&files, before, &mut Complaints::default())?,
                    &mut other_complaints,
                );
                (!other_complaints.has_errors()).then_some((amended, other_complaints))
            });
        let (amended, file_complaints) = alternative.unwrap_or((amended, file_complaints));
        complaints.0.extend(file_complaints.0);
        return amended;
    }
    let own_base = overlay_tables(&preceding, before, &mut Complaints::default())
        .filter(|own_base| own_base.cells.len() == below.cells.len());
    let Some(own_base) = own_base else {
        return file.amend(&below, complaints);
    };
    let (amended, mut table) = (file.amend(&own_base, complaints), below);
    if !amended.has_same_axes(&table) {
        return amended;
    }
    table.layers.extend(amended.layers.last().cloned());
    let set_cells: Vec<usize> = (0..amended.cells.len())
        .filter(|&i| amended.cells[i].layer == file.layer)
        .collect();
    let is_repeated = set_cells.iter().all(|&i| {
        table.cells[i].text == amended.cells[i].text
            && own_base.cells[i].text != amended.cells[i].text
    });
    if let (true, Some(&first_cell)) = (is_repeated, set_cells.first()) {
        let context = format!(
            "table {}, {} of {}",
            file.id,
            file.kind.as_str(),
            file.layer
        );
        complaints.push(already_complaint(
            &file.file,
            amended.cells[first_cell].span,
            &table.cells[first_cell].layer,
            context,
        ));
    }
    for (cell, new) in table
        .cells
        .iter_mut()
        .zip(amended.cells)
        .filter(|(_, new)| new.layer == file.layer)
    {
        *cell = new;
    }
    table
}

/// Creates the note `already` for a value that an unordered variant also sets.
fn already_complaint(file: &DataFile, span: Span, layer: &str, context: String) -> Complaint {
    let message = format!("{layer} says this already: incorporated");
    Complaint::new(DiagnosticCode::Already, file.place(span), message)
        .with_context(context)
        .into_note()
}

/// Returns the other valid sequences of the layers, each with a different layer on top.
fn alternative_sequences<'a, T>(
    older: &[&'a T],
    before: impl Fn(&T, &T) -> bool,
) -> Vec<Vec<&'a T>> {
    let free = |i: &usize| {
        !older
            .iter()
            .any(|other| before(older[*i], other) && !std::ptr::eq(older[*i], *other))
    };
    let with_last = |i: usize| {
        let mut sequence = older.to_vec();
        let top = sequence.remove(i);
        sequence.push(top);
        sequence
    };
    (1..older.len().saturating_sub(1))
        .filter(free)
        .map(with_last)
        .collect()
}

/// Returns whether a later layer settles every cell in which two layers differ.
fn all_settled(
    table: &Table,
    files: &[TableFile],
    older: &str,
    newer: &str,
    before: LayerOrder,
) -> bool {
    let (Some(a), Some(b)) = (
        table_of_layer(files, older, before),
        table_of_layer(files, newer, before),
    ) else {
        return false;
    };
    // Tables with different axes cannot be settled cell by cell.
    if !a.has_same_axes(&b) {
        return false;
    }
    let mut common = common_cells(&a, older, &b, newer)
        .into_iter()
        .filter(|&i| a.cells[i].text != b.cells[i].text);
    common.all(|i| {
        table
            .cells
            .get(i)
            .is_some_and(|cell| before(older, &cell.layer) && before(newer, &cell.layer))
    })
}

/// Applies the layers of a list in order, oldest first.
pub fn stack_scenario(
    files: &[Arc<Scenario>],
    input: (&Game, RosterFigures),
    before: LayerOrder,
    complaints: &mut Complaints,
) -> Option<Arc<Scenario>> {
    if let [alone] = files {
        return Some(alone.clone());
    }
    let scenarios: Vec<&Scenario> = files.iter().map(|file| &**file).collect();
    // What is new changes nothing below, so it has a name of its own.
    let is_new = |file: &&&Scenario| file.kind == CaseKind::NewCase;
    for new in scenarios.iter().skip(1).filter(is_new) {
        let span = new.root.get("kind").map_or(new.root.span, |kind| kind.span);
        let message = format!("the layers below have `{}` already", new.name);
        let complaint = Complaint::new(DiagnosticCode::Kind, new.file.place(span), message);
        let help = "give the new one a name of its own, or write `kind: correction` or `revision` to change the old one";
        complaints.push(complaint.with_help(help));
    }
    for (i, newer) in scenarios.iter().enumerate() {
        for older in scenarios[..i]
            .iter()
            .filter(|o| !is_known(o, newer, before))
        {
            check_conflict(older, newer, files, before, complaints);
        }
    }
    overlay_scenarios(&scenarios, input, before, complaints).map(Arc::new)
}

/// Whether a file of a list is one that another builds on: of a layer that it comes after, or of its own.
fn is_known(older: &Scenario, newer: &Scenario, before: LayerOrder) -> bool {
    older.layer == newer.layer || before(&older.layer, &newer.layer)
}

fn overlay_scenarios(
    files: &[&Scenario],
    input: (&Game, RosterFigures),
    before: LayerOrder,
    complaints: &mut Complaints,
) -> Option<Scenario> {
    let (base, amendments) = files.split_first()?;
    let mut stacked: Scenario = (*base).clone();
    for (i, file) in amendments.iter().enumerate() {
        let older = &files[..=i];
        let is_known = |older: &&&Scenario| is_known(older, file, before);
        let earlier: Vec<&Scenario> = older.iter().filter(is_known).copied().collect();
        let overlay = |files: Vec<&Scenario>| {
            overlay_scenarios(&files, input, before, &mut Complaints::default())
        };
        let (below, alternatives) = match earlier.len() == older.len() {
            // `was:` may match any of the layers that the file settles, not only the topmost.
            true => (
                stacked.clone(),
                alternative_sequences(older, |a, b| before(&a.layer, &b.layer)),
            ),
            false => (
                overlay(earlier).unwrap_or_else(|| stacked.clone()),
                Vec::new(),
            ),
        };
        let amend = |below: Scenario| {
            let mut complaints = Complaints::default();
            let amended = stacked.amend(&below, file, input, &mut complaints);
            (amended, complaints)
        };
        let mut amended = amend(below);
        if amended.1.has_errors() {
            let mut others = alternatives.into_iter().filter_map(overlay).map(amend);
            amended = others
                .find(|(_, complaints)| !complaints.has_errors())
                .unwrap_or(amended);
        }
        for independent in older.iter().filter(|older| !is_known(older)) {
            let is_repeated =
                |change: &&ListChange| independent.changes.iter().any(|y| change.agrees_with(y));
            let context = format!("{} of {}", file.name, file.layer);
            amended
                .1
                .0
                .extend(file.changes.iter().filter(is_repeated).map(|change| {
                    already_complaint(
                        &file.file,
                        change.span(),
                        &independent.layer,
                        context.clone(),
                    )
                }));
        }
        stacked = amended.0;
        complaints.0.extend(amended.1.0);
    }
    Some(stacked)
}

/// The check `conflict` for two lists of changes.
fn check_conflict(
    older: &Scenario,
    newer: &Scenario,
    files: &[Arc<Scenario>],
    before: LayerOrder,
    complaints: &mut Complaints,
) {
    let (a, b) = (&older.changes, &newer.changes);
    let clash = a
        .iter()
        .flat_map(|x| b.iter().map(move |y| (x, y)))
        .find(|(x, y)| {
            x.overlaps(y)
                && !x.agrees_with(y)
                && settling_layer(files, y, &older.layer, &newer.layer, before).is_none()
        });
    let Some((x, y)) = clash else { return };
    let message = format!(
        "{} and {} both set {} in {}, and neither comes after the other",
        older.layer,
        newer.layer,
        path_label(
            if x.path.len() < y.path.len() {
                &x.path
            } else {
                &y.path
            },
            ""
        ),
        newer.name
    );
    let complaint = Complaint::new(
        DiagnosticCode::Conflict,
        newer.file.place(y.span()),
        message,
    )
    .with_context(format!("{} has {}", newer.layer, y.value()))
    .with_help(format!(
        "write `after: [{}]` in the variant.yaml of {}, or the other way round",
        older.layer, newer.layer
    ));
    let place = older.file.place(x.span());
    complaints.push(complaint.with_related(place, format!("{} has {}", older.layer, x.value())));
}

/// Returns the layer that comes after both and settles their conflict.
pub fn settling_layer<'a>(
    files: &'a [Arc<Scenario>],
    said_of: &ListChange,
    older: &str,
    newer: &str,
    before: LayerOrder,
) -> Option<&'a str> {
    let settles = |s: &&Arc<Scenario>| {
        before(older, &s.layer)
            && before(newer, &s.layer)
            && s.changes
                .iter()
                .any(|x| x.overlaps(said_of) && x.value() != "?")
    };
    files.iter().rev().find(settles).map(|s| &*s.layer)
}
