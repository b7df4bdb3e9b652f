//! A cell of a table changed in a house rule: the form, the odds before and after, and the file that is written.

use crate::author::scaffold;
use crate::complaint::Error;
use crate::data::cache::lock_unpoisoned;
use crate::data::files::{DataFile, Files};
use crate::data::table::Table;
use crate::data::yaml_writer::write_scalar;
use crate::odds::assumptions::CountedOdds;
use crate::platform::clock::Instant;
use crate::ruleset::compose::Ruleset;
use crate::ruling::resolve::{ResolveRequest, resolve};
use crate::serve::book::Rulebook;
use crate::serve::chart::render_comparison;
use crate::serve::editor::{render_permission, situation_titles};
use crate::serve::layout::{LinkTarget, PageFrame, PageQuery, WorkbenchSection, escape, render_error, render_page};
use crate::serve::page_request::PageRequest;
use crate::serve::queries;
use crate::serve::workbench::{DataSnapshot, Workbench, changed_situation};
use crate::situation::trace::{Event, all_events};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The name of the variant that is offered to somebody who has none.
const FIRST_VARIANT: &str = "my-house";
/// Time limit of the odds before and after together.
const ODDS_TIME: Duration = Duration::from_secs(4);
/// Time limit of the search for a situation that reads the table, and of each ruling in it.
const SEARCH_TIME: (Duration, Duration) = (Duration::from_millis(1500), Duration::from_millis(40));

/// A change of one cell.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CellChange {
    /// The game.
    pub game: String,
    /// The variant that makes the change; it is laid out if there is none of this name.
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
    fn from_query(wanted: &PageQuery) -> CellChange {
        CellChange {
            game: wanted.parameter("game"),
            variant: wanted.parameter("variant"),
            table: wanted.parameter("table"),
            cell: wanted.parameter("cell").parse().unwrap_or(0),
            now: wanted.parameter("now").trim().into(),
        }
    }

    /// Returns the ruleset that the change is laid over: all compatible variants but its own.
    fn ruleset_below(&self, shelf: &DataSnapshot) -> Result<Arc<crate::code::program::Program>, Error> {
        let with = shelf.library.compatible_variants(&self.game).into_iter().filter(|name| *name != self.variant).collect();
        shelf.rulebook_program(&PageRequest { game: self.game.clone(), with: Some(with), ..PageRequest::default() })
    }

    fn table_below(&self, ruleset: &Ruleset) -> Result<Arc<Table>, Error> {
        let unknown = || Error::Unknown { what: "table", name: self.table.clone(), suggestions: Vec::new() };
        let table = ruleset.table(&self.table).map_err(Error::Data)?.ok_or_else(unknown)?;
        if self.cell >= table.cells.len() {
            return Err(Error::Usage(format!("table {} has {} cells, numbered from 0", self.table, table.cells.len())));
        }
        Ok(table)
    }

    /// Returns the files that make the change: keys and texts.
    fn files(&self, shelf: &DataSnapshot) -> Result<Vec<(String, String)>, Error> {
        scaffold::check_plain_name(&self.variant)?;
        if self.now.is_empty() {
            return Err(Error::Usage("the cell is empty: write its new value".into()));
        }
        let program = self.ruleset_below(shelf)?;
        let table = self.table_below(&program.ruleset)?;
        let library = &shelf.library;
        let mut files = Vec::new();
        let manifest = format!("variants/{}/variant.yaml", self.variant);
        match library.variants.get(&self.variant) {
            Some(known) if known.game != self.game => {
                return Err(Error::Usage(format!("`{}` is a variant of {}", self.variant, known.game)));
            }
            Some(_) => {}
            None => files.push((manifest, scaffold::variant_text(&self.game, (&self.variant, None), &library.variants_of(&self.game)))),
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
        let mut parts = Vec::new();
        for (axis, (key, place)) in ["sheet", "column", "row"].into_iter().zip(position).enumerate() {
            let label = &table.axes[axis].label_texts[place];
            if !label.is_empty() {
                parts.push(format!("{key}: {}", write_scalar(label)));
            }
        }
        let cell = &table.cells[self.cell];
        let was = if cell.is_missing() { "missing".into() } else { write_scalar(&cell.text) };
        format!("  - {{ {}, was: {was}, now: {}, status: house }}", parts.join(", "), write_scalar(&self.now))
    }

    /// Returns a snapshot in which the change is made.
    fn changed(&self, shelf: &DataSnapshot) -> Result<DataSnapshot, Error> {
        let mut files: Files = shelf.library.files.clone();
        for (key, text) in self.files(shelf)? {
            let path = files.by_key.get(&key).map_or_else(|| key.clone(), |file| file.path.clone());
            files.by_key.insert(key.clone(), DataFile { key, path, text: text.as_str().into() });
        }
        Ok(DataSnapshot::new(files))
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

/// Writes the change, and lays out its variant if there is none.
pub fn save(bench: &Workbench, change: &CellChange) -> Result<Value, Error> {
    let shelf = bench.snapshot()?;
    // What can't be used as it would stand is not written.
    let changed = change.changed(&shelf)?;
    let with = changed.library.compatible_variants(&change.game);
    changed.program(
        &PageRequest { game: change.game.clone(), with: Some(with), ..PageRequest::default() }.spec(&changed.library, Default::default()),
    )?;
    let files = change.files(&shelf)?;
    let mut saved = String::new();
    for (key, text) in files {
        if key.ends_with("/variant.yaml") {
            scaffold::new_variant(&shelf.library, &bench.root(), &change.game, (&change.variant, None), false)?;
        } else {
            bench.save(&key, &text, None)?;
            saved = key;
        }
    }
    bench.mark_stale();
    Ok(json!({ "saved": saved }))
}

/// Renders the form for a cell, or only the odds before and after.
pub fn render_cell_page(bench: &Workbench, shelf: &DataSnapshot, wanted: &PageQuery) -> Result<Markup, Error> {
    let mut change = CellChange::from_query(wanted);
    let game = shelf.library.game(&change.game)?;
    let mut own: Vec<&str> = shelf.library.variants_of(&game.name);
    let built_in = Files::built_in();
    own.retain(|name| {
        let manifest = format!("variants/{name}/variant.yaml");
        bench.is_user_file(&manifest) && !built_in.by_key.contains_key(&manifest)
    });
    if change.variant.is_empty() {
        change.variant = own.first().map_or(FIRST_VARIANT, |name| name).into();
    }
    if wanted.parameter("part") == "effect" {
        return Ok(render_effect(shelf, &change, &wanted.parameter("situation"), wanted.stop));
    }
    let program = change.ruleset_below(shelf)?;
    let table = change.table_below(&program.ruleset)?;
    let cell = &table.cells[change.cell];
    let now = if change.now.is_empty() { cell.text.clone() } else { change.now.clone() };
    let links = LinkTarget::Live { game: game.name.clone(), query: String::new() };
    let book = Rulebook { library: &shelf.library, ruleset: &program.ruleset, links: &links };
    let situation = wanted.parameter("situation");
    let effect = if change.now.is_empty() || change.now == cell.text {
        html! { p.quiet { "Type another value." } }
    } else {
        render_effect(shelf, &change, &situation, wanted.stop)
    };
    let body = html! {
        header.title {
            p { a href=(links.page_address("table", &table.id)) { (table.title) } }
            h1 { "Change a cell" }
            p.lead { (table.label(change.cell)) }
        }
        (render_permission(wanted))
        div.cell-editor {
            form method="get" action="/edit/cell" data-live data-cell {
                input type="hidden" name="game" value=(game.name);
                input type="hidden" name="table" value=(table.id);
                input type="hidden" name="cell" value=(change.cell);
                div.fields {
                    label { span { "It is " b { (if cell.is_missing() { "?" } else { &cell.text }) } "; let it be" } input name="now" value=(now) data-plain=(cell.text) autofocus autocomplete="off"; }
                    label { span { "In the house rules" } input name="variant" value=(change.variant) list="own-variants" pattern="[a-z0-9\\-]+" data-plain=""; }
                    datalist #own-variants { @for name in &own { option value=(name) {} } }
                    label { span { "What it does to" }
                        select name="situation" data-plain="" {
                            option value="" data-plain { "a situation that reads it" }
                            @for (title, name) in situation_titles(shelf, &game.name) { option value=(name) selected[name == situation] { (title) } }
                        }
                    }
                }
                p.save {
                    noscript { button { "Show the odds" } " " }
                    button.main type="button" data-save-cell disabled[!wanted.may_write] { "Save" } " "
                    output data-saved role="status" {}
                }
            }
            section aria-labelledby="effect-head" { h2 #effect-head { "Odds before and after" } div data-part="effect" aria-live="polite" { (effect) } }
            details { summary { "The whole table" } (book.render_sheets(&table)) }
        }
    };
    Ok(render_page(&PageFrame { title: "Change a cell", section: WorkbenchSection::Editor, game: Some(game), links: &links }, body))
}

/// Renders the odds of a situation before and after a change; of one that reads the table if none is named.
fn render_effect(shelf: &DataSnapshot, change: &CellChange, situation: &str, stop: &AtomicBool) -> Markup {
    let found = match situation {
        "" => {
            let key = format!("{}/{}/{}", change.game, change.table, change.cell);
            let known = lock_unpoisoned(&shelf.readers_of_cells).get(&key).cloned();
            known.unwrap_or_else(|| {
                let found = situation_that_reads(shelf, change);
                lock_unpoisoned(&shelf.readers_of_cells).insert(key, found.clone());
                found
            })
        }
        name => Some(name.to_string()),
    };
    let Some(name) = found else {
        return html! { p.quiet { "No situation was found that reads this table: choose one." } };
    };
    match effect_of(shelf, change, &name, stop) {
        Ok(shown) => html! { p { a href={ "/at/" (escape(&change.game)) "/" (escape(&name)) } { (name.replace('-', " ")) } } (shown) },
        Err(error) => render_error(&error),
    }
}

fn effect_of(shelf: &DataSnapshot, change: &CellChange, name: &str, stop: &AtomicBool) -> Result<Markup, Error> {
    let odds = |shelf: &DataSnapshot, own: bool| -> Result<Arc<CountedOdds>, Error> {
        let mut ask = PageRequest { game: change.game.clone(), situation: name.into(), ..PageRequest::default() };
        let mut asked = shelf.complete_request(&mut ask)?;
        asked.variants.retain(|known| *known != change.variant);
        if own {
            asked.variants.push(change.variant.clone());
        }
        let program = shelf.program(&ask.spec(&shelf.library, asked.clone()))?;
        ask.with = Some(asked.variants);
        queries::cached_odds(shelf, &changed_situation(&program, &ask)?, &ask, stop, ODDS_TIME / 2)
    };
    let before = odds(shelf, shelf.library.variants.contains_key(&change.variant))?;
    let after = odds(&change.changed(shelf)?, true)?;
    let views = [("before".to_string(), &before.result), (format!("with {}", change.now), &after.result)];
    Ok(render_comparison(&views, shelf.library.game(&change.game)?))
}

/// Returns a situation whose ruling reads the table, if one is found in time; those that read the cell itself come first.
fn situation_that_reads(shelf: &DataSnapshot, change: &CellChange) -> Option<String> {
    let until = Instant::now() + SEARCH_TIME.0;
    let mut reads_table = None;
    let program = change.ruleset_below(shelf).ok()?;
    let cases = program.ruleset.cases.iter().filter(|case| !case.headline.is_empty());
    let headlined: Vec<String> = cases.flat_map(|case| case.procedures.clone()).collect();
    let mut names: Vec<(bool, String)> = Vec::new();
    for (_, name) in situation_titles(shelf, &change.game) {
        let mut ask = PageRequest { game: change.game.clone(), situation: name.clone(), ..PageRequest::default() };
        // A situation with a headline shows the most.
        let plain =
            shelf.complete_request(&mut ask).ok().and_then(|default| shelf.program_for(&ask, default).ok()?.ruleset.scenario(&name).ok());
        let procedure = plain.and_then(|scenario| scenario.procedure.clone()).unwrap_or_default();
        names.push((!headlined.contains(&procedure), name));
    }
    names.sort();
    for (_, name) in names {
        if Instant::now() > until {
            break;
        }
        let mut ask = PageRequest { game: change.game.clone(), situation: name.clone(), ..PageRequest::default() };
        let Ok(situation) = shelf.situation(&mut ask) else { continue };
        let mut machine = situation.machine();
        machine.time_limit = SEARCH_TIME.1;
        let Ok(ran) = resolve(&mut machine, &situation, ResolveRequest::default()) else { continue };
        for event in all_events(&ran.events) {
            match event {
                Event::Cell(table, index) if table.id == change.table && *index as usize == change.cell => return Some(name),
                Event::Cell(table, _) if table.id == change.table => reads_table = reads_table.or_else(|| Some(name.clone())),
                _ => {}
            }
        }
    }
    reads_table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_replaces_an_earlier_one_of_the_same_cell() {
        let first = "table: t\nchanges:\n  - { row: a, was: 1, now: 2, status: house }\nnote: ours\n";
        let again = add_change(first, "  - { row: a, was: 1, now: 3, status: house }");
        assert_eq!(again, "table: t\nchanges:\n  - { row: a, was: 1, now: 3, status: house }\nnote: ours\n");
        let other = add_change(first, "  - { row: b, was: 1, now: 3, status: house }");
        assert_eq!(other.lines().nth(3), Some("  - { row: b, was: 1, now: 3, status: house }"));
        assert_eq!(other.lines().last(), Some("note: ours"));
    }
}
