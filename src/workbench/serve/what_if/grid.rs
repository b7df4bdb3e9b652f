//! A table changed in place: the printed chart as a grid of fields, sheet by sheet.

use crate::serve::what_if::request::WhatIfRequest;
use casebook_checks::house::change::{ALL_LABELS, CellsChange, RuleChange, axis_name};
use casebook_engine::complaint::Error;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::compose::Ruleset;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Renders the open table with the changes of the request in it; over `kept`, the rules with what is kept; `read` are the cells that
/// the situations of the bench come to.
pub fn render_grid(
    request: &WhatIfRequest,
    below: &Ruleset,
    [kept, after]: [Option<&Ruleset>; 2],
    read: &BTreeSet<usize>,
) -> Result<Markup, Error> {
    let unknown = || Error::unknown("chart", &request.table, below.table_names());
    let table = below
        .table(&request.table)
        .map_err(Error::Data)?
        .ok_or_else(unknown)?;
    let table_of = |rules: Option<&Ruleset>| {
        let changed = rules.and_then(|rules| rules.table(&request.table).ok().flatten());
        changed.filter(|changed| changed.has_same_axes(&table))
    };
    let (changed, kept) = (table_of(after), table_of(kept));
    let new_values = new_values(request, &table);
    let sheets = &table.axes[0].label_texts;
    let sheet = sheets
        .iter()
        .position(|label| *label == request.sheet)
        .or_else(|| {
            let shown = new_values.keys().next().or(read.first());
            Some(table.position(*shown?)[0])
        })
        .unwrap_or(0);
    Ok(html! {
        h3 { (table.title) }
        (render_meaning(&table))
        @if sheets.len() > 1 {
            nav.sheets aria-label=(table.axes[0].name) {
                span.quiet { (table.axes[0].name) " " }
                @for (index, label) in sheets.iter().enumerate() {
                    a href={ (request.with(|request| request.sheet.clone_from(label)).address("")) "#change" } aria-current=[(index == sheet).then_some("true")] { (label) } " "
                }
            }
        }
        (render_shifts(request, &table, sheet))
        (render_cells(&table, (changed.as_deref(), kept.as_deref()), &new_values, (sheet, read)))
        p.refused role="alert" data-refusal hidden {}
        p.quiet { "Type in a cell: arrows, Enter and Tab go on, and cells copied from a spreadsheet can be pasted."
            " A cell with a " span.read-mark { "bar" } " is read by this battle: where one of several rows is picked, one alone may move nothing." }
    })
}

/// Says what a cell holds.
fn render_meaning(table: &Table) -> Markup {
    html! {
        @if !table.fields.is_empty() || !table.marks.is_empty() {
            p.quiet {
                @if !table.fields.is_empty() { "A cell reads " b { (table.fields.join("/").replace('_', " ")) } ". " }
                @for (sign, field) in &table.marks { b { (sign) } " " (field.replace('_', " ")) ". " }
            }
        }
    }
}

/// Returns the new values that the address gives single cells.
fn new_values(request: &WhatIfRequest, table: &Table) -> BTreeMap<usize, String> {
    let changes = request
        .trial
        .changes
        .iter()
        .filter_map(|change| match change {
            RuleChange::Cells(change) if change.table == table.id => Some(change),
            _ => None,
        });
    let values = changes.filter_map(|change| {
        let cells = change.cells(table).ok()?.into_iter();
        change.is_figure(table).then(|| {
            cells
                .map(|cell| (cell, change.now.clone()))
                .collect::<Vec<_>>()
        })
    });
    values.flatten().collect()
}

/// Renders the changes of a whole sheet, and of all sheets: results read one column or row away.
fn render_shifts(request: &WhatIfRequest, table: &Table, sheet: usize) -> Markup {
    let shift = |sheets: &str, now: &str, words: &str| {
        let labels = table.labelled_axes().map(|axis| match axis {
            0 => sheets.to_string(),
            _ => ALL_LABELS.into(),
        });
        let change = CellsChange {
            table: table.id.clone(),
            labels: labels.collect(),
            now: now.into(),
        };
        let shifted = request.with(|request| shift_further(request, change));
        html! { a.button.small href={ (shifted.address("")) "#change" } { (words) } " " }
    };
    let [sheets, columns, rows] = &table.axes;
    let shown = sheets.label_texts[sheet].as_str();
    let sets = match sheets.label_texts.len() {
        0 | 1 => vec![("All results: ".to_string(), shown)],
        _ => vec![
            (
                format!("Results of {} {shown}: ", axis_name(table, 0)),
                shown,
            ),
            (
                format!("Results of every {}: ", axis_name(table, 0)),
                ALL_LABELS,
            ),
        ],
    };
    let has_columns = columns.label_texts.len() > 1;
    let has_rows = rows.dice.is_some() && rows.label_texts.len() > 1;
    html! {
        @if has_columns || has_rows {
            @for (words, sheets) in &sets {
                p.shifts {
                    span.quiet { (words) }
                    @if has_columns { (shift(sheets, "1 left", "one column to the left")) (shift(sheets, "1 right", "one column to the right")) }
                    @if has_rows {
                        (shift(sheets, "1 up", &format!("−1 to the {}", rows.name))) (shift(sheets, "1 down", &format!("+1 to the {}", rows.name)))
                    }
                }
            }
        }
    }
}

/// Adds a shift to what is tried: one of the same cells along the same axis goes so much further, or back.
fn shift_further(request: &mut WhatIfRequest, change: CellsChange) {
    let Some((axis, mut by)) = change.shift() else {
        return;
    };
    request.trial.changes.retain(|tried| {
        let same = match tried {
            RuleChange::Cells(tried)
                if tried.table == change.table && tried.labels == change.labels =>
            {
                tried.shift().filter(|(other, _)| *other == axis)
            }
            _ => None,
        };
        by += same.as_ref().map_or(0, |(_, by)| *by);
        same.is_none()
    });
    if by != 0 {
        let now = format!("{axis} {by}");
        let further = CellsChange { now, ..change };
        request.trial.changes.push(RuleChange::Cells(further));
    }
}

/// Returns the name of the field of a cell: the change that it makes, without its value.
pub fn field_name(table: &Table, index: usize) -> String {
    let (_, change) = RuleChange::Cells(CellsChange::of_cell(table, index, "x")).to_parameter();
    let place = change.trim_end_matches("x").trim_end_matches("= ");
    format!("now {}", place.trim_end())
}

fn render_cells(
    table: &Table,
    (after, kept): (Option<&Table>, Option<&Table>),
    new_values: &BTreeMap<usize, String>,
    (sheet, read): (usize, &BTreeSet<usize>),
) -> Markup {
    let [_, columns, rows] = &table.axes;
    let (wide, high) = (columns.label_texts.len(), rows.label_texts.len());
    let headed = columns.label_texts.iter().any(|label| !label.is_empty());
    let cell = |index: usize| {
        let old = &table.cells[index];
        let old_text = if old.is_missing() { "?" } else { &old.text };
        // Where the changes can be put in force, what comes of them is shown: one may cover another.
        let now = match after.map(|after| &after.cells[index]) {
            Some(cell) if cell.is_missing() => "?",
            Some(cell) => &cell.text,
            None => new_values.get(&index).map_or(old_text, String::as_str),
        };
        // What is typed is a change of what is kept, also where it is what is printed.
        let was = match kept.map(|kept| &kept.cells[index]) {
            Some(kept) if kept.text != old.text => &*kept.text,
            _ => old_text,
        };
        html! {
            @let marks = [(now != old_text, "changed"), (read.contains(&index), "read")];
            @let marks: Vec<&str> = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
            td class=[(!marks.is_empty()).then(|| marks.join(" "))] {
                input name=(field_name(table, index)) value=(now) data-was=(was) aria-label=(table.label(index)) size=(old_text.chars().count().clamp(2, 12));
                @if now != old_text { span.was { (old_text) } }
            }
        }
    };
    html! {
        div.scroll tabindex="0" role="group" aria-label=(table.title) {
            table.cells.grid data-grid=(table.id) {
                @if headed {
                    thead { tr {
                        th.corner scope="col" { (rows.name) @if !columns.name.is_empty() { span.quiet { " / " (columns.name) } } }
                        @for label in &columns.label_texts { th scope="col" { (label) } }
                    } }
                }
                tbody {
                    @for row in 0..high { tr { th scope="row" { (rows.label_texts[row]) } @for column in 0..wide { (cell((sheet * high + row) * wide + column)) } } }
                }
            }
        }
    }
}
