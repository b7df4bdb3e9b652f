//! A cell of a table changed in a house rule: the form, the odds before and after, and the file that is written.

use crate::author::scaffold;
use crate::complaint::{Error, counted};
use crate::data::table::Table;
use crate::data::yaml_writer::write_scalar;
use crate::ruleset::compose::Ruleset;
use crate::serve::book::Rulebook;
use crate::serve::editor::render_permission;
use crate::serve::house_change::{Concern, HouseChange, own_variants, render_change_fields, render_saved, ruleset_below};
use crate::serve::layout::{LinkTarget, PageFrame, PageQuery, WorkbenchSection, render_error_with, render_page};
use crate::serve::workbench::{DataSnapshot, Workbench};
use crate::situation::trace::Event;
use maud::{Markup, html};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A change of one cell.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CellChange {
    /// The game.
    pub game: String,
    /// The variant that makes the change; it is created if it does not exist.
    pub variant: String,
    /// The table.
    pub table: String,
    /// The index of the cell in the table.
    pub cell: usize,
    /// The new value.
    pub now: String,
}

impl CellChange {
    /// Reads the change from the address of a page.
    fn from_query(page_query: &PageQuery) -> CellChange {
        CellChange {
            game: page_query.parameter("game"),
            variant: page_query.parameter("variant"),
            table: page_query.parameter("table"),
            cell: page_query.parameter("cell").parse().unwrap_or(0),
            now: page_query.parameter("now").trim().into(),
        }
    }

    fn table_below(&self, ruleset: &Ruleset) -> Result<Arc<Table>, Error> {
        let unknown = || Error::Unknown { what: "table", name: self.table.clone(), suggestions: Vec::new() };
        let table = ruleset.table(&self.table).map_err(Error::Data)?.ok_or_else(unknown)?;
        if self.cell >= table.cells.len() {
            return Err(Error::Usage(format!("table {} has {}, numbered from 0", self.table, counted(table.cells.len(), "cell"))));
        }
        Ok(table)
    }

    /// Returns the files that make the change: keys and texts.
    fn files(&self, snapshot: &DataSnapshot) -> Result<Vec<(String, String)>, Error> {
        HouseChange::check_variant(snapshot, &self.game, &self.variant)?;
        if self.now.is_empty() {
            return Err(Error::Usage("the cell is empty: write its new value".into()));
        }
        let program = ruleset_below(snapshot, &self.game, &self.variant)?;
        let table = self.table_below(&program.ruleset)?;
        let library = &snapshot.library;
        let mut files = Vec::new();
        let manifest = format!("variants/{}/variant.yaml", self.variant);
        if !library.variants.contains_key(&self.variant) {
            files.push((manifest, scaffold::variant_text(&self.game, (&self.variant, None), &library.variants_of(&self.game))));
        }
        let key = format!("variants/{}/tables/{}.yaml", self.variant, table.file.stem());
        let line = self.change_line(&table);
        let text = match library.files.by_key.get(&key) {
            Some(file) => add_change(&file.text, &line),
            None => format!(
                "table: {}\ntitle: {}\nkind: revision\nstatus: house\nchanges:\n{line}\n",
                write_scalar(&table.id),
                write_scalar(&format!("{}, by our house rules", table.title))
            ),
        };
        files.push((key, text));
        Ok(files)
    }

    /// Returns the line of the change: which cell, what it was, what it is now.
    fn change_line(&self, table: &Table) -> String {
        let position = table.position(self.cell);
        let mut fields = Vec::new();
        for (axis, (key, label_index)) in ["sheet", "column", "row"].into_iter().zip(position).enumerate() {
            let label = &table.axes[axis].label_texts[label_index];
            if !label.is_empty() {
                fields.push(format!("{key}: {}", write_scalar(label)));
            }
        }
        let cell = &table.cells[self.cell];
        let was = if cell.is_missing() { "missing".into() } else { write_scalar(&cell.text) };
        format!("  - {{ {}, was: {was}, now: {}, status: house }}", fields.join(", "), write_scalar(&self.now))
    }

    /// Returns the change as a house rule. `concerns` says which events read the cell.
    fn house_change<'a>(
        &'a self,
        snapshot: &DataSnapshot,
        concerns: &'a dyn Fn(&Event, &Ruleset) -> Concern,
    ) -> Result<HouseChange<'a>, Error> {
        Ok(HouseChange {
            game: &self.game,
            variant: &self.variant,
            what: format!("{}/{}", self.table, self.cell),
            concerns,
            title: format!("with {}", self.now),
            files: self.files(snapshot)?,
        })
    }

    fn concern(&self, event: &Event) -> Concern {
        match event {
            Event::Cell(table, index) if table.id == self.table && *index as usize == self.cell => Concern::Exact,
            Event::Cell(table, _) if table.id == self.table => Concern::Near,
            _ => Concern::None,
        }
    }

    /// Writes the change; creates its variant if it does not exist.
    pub fn save(&self, bench: &Workbench) -> Result<Value, Error> {
        let snapshot = bench.snapshot()?;
        self.house_change(&snapshot, &|event, _| self.concern(event))?.save(bench, &snapshot)
    }

    /// Renders the effect of the change on a situation, or why the change is not possible.
    fn render_effect(&self, snapshot: &DataSnapshot, situation: &str, stop: &AtomicBool) -> Markup {
        match self.house_change(snapshot, &|event, _| self.concern(event)) {
            Ok(change) => change.render_effect(snapshot, situation, stop),
            Err(error) => render_error_with("That can’t stand in this cell", &error, true),
        }
    }
}

/// Puts the line of a change into the file of a table: in place of an earlier change of the same cell, or after the others.
fn add_change(text: &str, line: &str) -> String {
    let cell = line.split(", was: ").next().unwrap_or(line);
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(old) = lines.iter().position(|old| old.split(", was: ").next() == Some(cell)) {
        lines[old] = line;
        return lines.join("\n") + "\n";
    }
    match lines.iter().position(|line| line.trim_end() == "changes:") {
        Some(head) => {
            let inside = lines[head + 1..].iter().take_while(|line| line.starts_with(' ') || line.starts_with('-')).count();
            lines.insert(head + 1 + inside, line);
        }
        None => lines.extend(["changes:", line]),
    }
    lines.join("\n") + "\n"
}

/// Renders the form for a cell, or only the odds before and after.
pub fn render_cell_page(bench: &Workbench, snapshot: &DataSnapshot, page_query: &PageQuery) -> Result<Markup, Error> {
    let mut change = CellChange::from_query(page_query);
    let saved = page_query.is_posted.then(|| change.save(bench));
    let fresh = bench.snapshot()?;
    let snapshot = if page_query.is_posted { &*fresh } else { snapshot };
    let game = snapshot.library.game(&change.game)?;
    let (own_names, variant) = own_variants(bench, snapshot, &game.name, &change.variant);
    change.variant = variant;
    let situation = page_query.parameter("situation");
    if page_query.parameter("part") == "effect" {
        return Ok(change.render_effect(snapshot, &situation, page_query.stop));
    }
    let program = ruleset_below(snapshot, &change.game, &change.variant)?;
    let table = change.table_below(&program.ruleset)?;
    let cell = &table.cells[change.cell];
    let current = if change.now.is_empty() { cell.text.clone() } else { change.now.clone() };
    let links = LinkTarget::of_game(&game.name);
    let book = Rulebook { ruleset: &program.ruleset, links: &links };
    let effect = if change.now.is_empty() || change.now == cell.text {
        html! { p.quiet { "Type another value." } }
    } else {
        change.render_effect(snapshot, &situation, page_query.stop)
    };
    let body = html! {
        header.title {
            p { a href=(links.page_address("table", &table.id)) { (table.title) } }
            h1 { "Change a cell" }
            p.lead { (table.label(change.cell)) }
        }
        (render_permission(page_query))
        div.cell-editor {
            form method="get" action="/edit/cell" data-live data-cell {
                input type="hidden" name="game" value=(game.name);
                input type="hidden" name="table" value=(table.id);
                input type="hidden" name="cell" value=(change.cell);
                div.fields {
                    label { span { "It is " b { (if cell.is_missing() { "?" } else { &cell.text }) } "; let it be" } input name="now" value=(current) data-plain=(cell.text) autofocus autocomplete="off"; }
                }
                (render_change_fields(snapshot, page_query, (&game.name, &change.variant), &own_names))
                output data-saved role="status" { @if let Some(saved) = &saved { (render_saved(saved)) } }
            }
            section aria-labelledby="effect-head" { h2 #effect-head { "Odds before and after" } div data-part="effect" aria-live="polite" { (effect) } }
            details { summary { "The whole table" } (book.render_sheets(&table)) }
        }
    };
    Ok(render_page(&PageFrame { title: "Change a cell", section: WorkbenchSection::Editor, game: Some(game), links: &links }, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_replaces_an_earlier_one_of_the_same_cell() {
        let one_change = "table: t\nchanges:\n  - { row: a, was: 1, now: 2, status: house }\nnote: ours\n";
        let second = add_change(one_change, "  - { row: a, was: 1, now: 3, status: house }");
        assert_eq!(second, "table: t\nchanges:\n  - { row: a, was: 1, now: 3, status: house }\nnote: ours\n");
        let two_changes = add_change(one_change, "  - { row: b, was: 1, now: 3, status: house }");
        assert_eq!(two_changes.lines().nth(3), Some("  - { row: b, was: 1, now: 3, status: house }"));
        assert_eq!(two_changes.lines().last(), Some("note: ours"));
    }
}
