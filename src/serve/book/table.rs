//! A chart: the status of each cell, and where an amendment set it, what stood there before.

use crate::complaint::{Complaints, Error, near};
use crate::data::case::Status;
use crate::data::table::{Cell, Table};
use crate::ruleset::layers;
use crate::serve::book::Book;
use crate::serve::book::index::Askers;
use crate::serve::layout::{shade, sources};
use maud::{Markup, html};
use std::sync::Arc;

/// What stands before a figure by its status, so that it is told without its colour.
fn mark(status: Status) -> &'static str {
    match status {
        Status::Printed => "",
        Status::Derived => "=",
        Status::House => "+",
        Status::Reconstructed => "~",
        Status::Missing => "?",
    }
}

impl Book<'_> {
    /// A table of the ruleset.
    pub fn table(&self, id: &str, askers: &Askers) -> Result<Markup, Error> {
        let Some(table) = self.ruleset.table(id).map_err(Error::Data)? else {
            return Err(Error::Unknown { what: "table", name: id.into(), near: near(id, self.ruleset.table_names()) });
        };
        let before = self.before(&table);
        let count = |status: Status| table.cells.iter().filter(|cell| cell.status == status).count();
        let readers: Vec<usize> = askers.readers(id).collect();
        Ok(html! {
            article.chart {
                h1 { (table.title) " " span.quiet.number { "table " (table.id) } }
                p.statuses {
                    @for (word, status) in Status::WORDS {
                        @if count(status) > 0 {
                            span class={ "status " (word) } { (mark(status)) " " (word) } " " span.quiet { (count(status)) " cells  " }
                        }
                    }
                }
                @if !table.fields.is_empty() || !table.marks.is_empty() {
                    p.signs {
                        @if !table.fields.is_empty() { "A cell reads " b { (table.fields.join("/").replace('_', " ")) } ". " }
                        @for (sign, field) in &table.marks { b { (sign) } " " (field.replace('_', " ")) ". " }
                    }
                }
                @for sheet in 0..table.axes[0].written.len() { (self.sheet(&table, sheet, before.as_ref())) }
                @if !table.method.is_empty() { p.method { b { "How it was reconstructed. " } (table.method) } }
                @if table.chain.len() > 1 { (self.chain(&table)) }
                p.source { (sources(&self.ruleset.game, &table.sources)) " " code { (table.file.path) } }
                @if !readers.is_empty() {
                    p.asked { span.quiet { "Read by " } @for (i, index) in readers.iter().enumerate() { @if i > 0 { ", " } (self.cite(*index)) } }
                }
            }
        })
    }

    /// The table as it was before any variant touched it.
    fn before(&self, table: &Table) -> Option<Table> {
        if table.chain.len() < 2 {
            return None;
        }
        let mut ignore = Complaints::default();
        let files = self.ruleset.table_files(&table.id, &mut ignore);
        let own = files.iter().take_while(|file| file.layer == table.chain[0].0).count();
        let before = |older: &str, newer: &str| self.ruleset.declared_before(older, newer);
        layers::table(&files[..own.max(1)], &self.ruleset.layers[0].name, &before, &mut ignore)
    }

    fn chain(&self, table: &Table) -> Markup {
        html! {
            ul.gazette {
                @for (layer, kind, title, file) in table.chain.iter().skip(1) {
                    li { (self.chip(layer)) " " span.kind { (kind.word()) } " " (title) " " code.quiet { (file.path) } }
                }
            }
        }
    }

    fn sheet(&self, table: &Table, sheet: usize, before: Option<&Table>) -> Markup {
        let [sheets, columns, rows] = &table.axes;
        let (wide, high) = (columns.written.len(), rows.written.len());
        let name = &sheets.written[sheet];
        let headed = columns.written.iter().any(|label| !label.is_empty());
        let caption = if name.is_empty() { table.title.clone() } else { format!("{} {name}", sheets.of) };
        html! {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.cells {
                    caption { (caption) }
                    @if headed {
                        thead {
                            tr {
                                th.corner scope="col" { (rows.of) @if !columns.of.is_empty() { span.quiet { " / " (columns.of) } } }
                                @for label in &columns.written { th scope="col" { (label) } }
                            }
                        }
                    }
                    tbody {
                        @for row in 0..high {
                            tr {
                                th scope="row" { (rows.written[row]) }
                                @for column in 0..wide { (self.cell(table, (sheet * high + row) * wide + column, before)) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn cell(&self, table: &Table, index: usize, before: Option<&Table>) -> Markup {
        let cell: &Cell = &table.cells[index];
        let amended = cell.layer != table.chain[0].0;
        let old = before.and_then(|old| old.cells.get(index)).filter(|old| amended && old.text != cell.text);
        let shade = if amended { shade(self.library, &self.ruleset.game.name, &cell.layer) } else { String::new() };
        let shown = if cell.missing() { "?" } else { &cell.text };
        let label: Arc<str> = Arc::from(format!("{}: {}, {}", table.label(index), cell.status.word(), cell.layer));
        html! {
            td class={ (cell.status.word()) " " (shade) } title=(label) {
                @if let Some(old) = old { del { (old.text) } " " ins { (shown) } } @else { (shown) }
            }
        }
    }
}
