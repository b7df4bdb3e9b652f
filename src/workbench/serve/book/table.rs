//! Renders a table: the status of each cell, and its previous value where an amendment changed it.

use crate::serve::book::Rulebook;
use crate::serve::layout::{escape, layer_colour, render_sources, render_with_commas};
use casebook_engine::complaint::{Complaints, Error, nearest_names};
use casebook_engine::data::status::Status;
use casebook_engine::data::table::Table;
use casebook_engine::ruleset::layers;
use casebook_view::references::References;
use maud::{Markup, html};

impl Rulebook<'_> {
    /// Renders a table of the ruleset.
    pub fn render_table(&self, id: &str, references: &References) -> Result<Markup, Error> {
        let Some(table) = self.ruleset.table(id).map_err(Error::Data)? else {
            return Err(Error::Unknown {
                kind: "table",
                name: id.into(),
                suggestions: nearest_names(id, self.ruleset.table_names()),
            });
        };
        let count = |status: Status| {
            table
                .cells
                .iter()
                .filter(|cell| cell.status == status)
                .count()
        };
        let readers: Vec<usize> = references.naming(id).collect();
        let change_address = self
            .links
            .what_if_address(&format!("table={}", escape(&table.id)));
        Ok(html! {
            article.chart {
                h1 { (table.title) " " span.quiet.number { "table " (table.id) } }
                p.statuses {
                    @for (word, status) in Status::NAMES {
                        @if count(status) > 0 {
                            span class={ "status " (word) } { (status.mark()) " " (word) } " " span.quiet { (count(status)) " cells  " }
                        }
                    }
                }
                @if !table.fields.is_empty() || !table.marks.is_empty() {
                    p.signs {
                        @if !table.fields.is_empty() { "A cell reads " b { (table.fields.join("/").replace('_', " ")) } ". " }
                        @for (sign, field) in &table.marks { b { (sign) } " " (field.replace('_', " ")) ". " }
                    }
                }
                @if self.links.is_live() { p.change-it { a.button href={ (change_address) "#change" } { "What if …?" } span.quiet { " A click on a cell changes it." } } }
                div data-table=[self.links.is_live().then_some(&table.id)] data-change=(change_address) { (self.render_sheets(&table)) }
                @if !table.method.is_empty() { p.method { b { "How it was reconstructed. " } (self.prose().render_of(&table.method, id)) } }
                @if table.layers.len() > 1 { (self.render_amendments(&table)) }
                p.source { (render_sources(&self.ruleset.game, &table.layers[0].sources)) }
                details.asked.for-authors {
                    summary { "For authors" }
                    ul { @for layer in &table.layers { li { code { (layer.file.key) } } } }
                    @if !readers.is_empty() {
                        p { span.quiet { "Read by " } (render_with_commas(readers.iter().map(|index| self.render_cite(*index)))) }
                    }
                }
            }
        })
    }

    pub fn render_sheets(&self, table: &Table) -> Markup {
        let printed = self.printed_table(table);
        html! { @for sheet in 0..table.axes[0].label_texts.len() { (self.render_sheet(table, sheet, printed.as_ref())) } }
    }

    /// Returns the table before any variant amended it.
    fn printed_table(&self, table: &Table) -> Option<Table> {
        if table.layers.len() < 2 {
            return None;
        }
        let mut ignore = Complaints::default();
        let files = self.ruleset.table_files(&table.id, &mut ignore);
        let printed_count = files
            .iter()
            .take_while(|file| file.layer == table.layers[0].name)
            .count();
        let declared_before = |older: &str, newer: &str| self.ruleset.declared_before(older, newer);
        layers::stack_table(
            &files[..printed_count.max(1)],
            &self.ruleset.layers[0].name,
            &declared_before,
            &mut ignore,
        )
    }

    fn render_amendments(&self, table: &Table) -> Markup {
        html! {
            ul.gazette {
                @for layer in table.layers.iter().skip(1) {
                    li {
                        (self.layer_chip(&layer.name)) " " span.kind { (layer.kind.as_str()) } " " (layer.title) " "
                        span.source { (render_sources(&self.ruleset.game, &layer.sources)) }
                    }
                }
            }
        }
    }

    fn render_sheet(&self, table: &Table, sheet: usize, printed: Option<&Table>) -> Markup {
        let [sheets, columns, rows] = &table.axes;
        let (wide, high) = (columns.label_texts.len(), rows.label_texts.len());
        let name = &sheets.label_texts[sheet];
        let headed = columns.label_texts.iter().any(|label| !label.is_empty());
        let caption = if name.is_empty() {
            table.title.clone()
        } else {
            format!("{} {name}", sheets.name)
        };
        html! {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.cells data-sheet=(name) {
                    caption { (caption) }
                    @if headed {
                        thead {
                            tr {
                                th.corner scope="col" { (rows.name) @if !columns.name.is_empty() { span.quiet { " / " (columns.name) } } }
                                @for label in &columns.label_texts { th scope="col" { (label) } }
                            }
                        }
                    }
                    tbody {
                        @for row in 0..high {
                            tr {
                                th scope="row" { (rows.label_texts[row]) }
                                @for column in 0..wide { (self.render_cell(table, (sheet * high + row) * wide + column, printed)) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn render_cell(&self, table: &Table, index: usize, printed: Option<&Table>) -> Markup {
        let cell = &table.cells[index];
        let amended = cell.layer != table.layers[0].name;
        let old = printed
            .and_then(|old| old.cells.get(index))
            .filter(|old| amended && old.text != cell.text);
        let shade = if amended {
            layer_colour(&self.ruleset.library, &self.ruleset.game.name, &cell.layer)
        } else {
            String::new()
        };
        let cell_text = if cell.is_missing() { "?" } else { &cell.text };
        let label = format!(
            "{}: {}, {}",
            table.label(index),
            cell.status.as_str(),
            cell.layer
        );
        html! {
            td class={ (cell.status.as_str()) " " (shade) } title=(label) {
                @if let Some(old) = old { del { (old.text) } " " ins { (cell_text) } } @else { (cell_text) }
            }
        }
    }
}
