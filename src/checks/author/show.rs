//! `casebook show`: a case, table, piece, function or situation with its chain of amendments, newest first.

use crate::author::show_page::{
    self, CasePage, CellEntry, FoundThing, FunctionPage, KnownFigure, LayerCase, LayerFunction,
    LayerTable, PieceEntryPage, PiecePage, ScriptExcerpt, ShowPage, SituationPage, TablePage,
    UnwrittenCasePage, display_path,
};
use crate::author::{entries, lists};
use crate::testing::test::RulingTestFile;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::case::{Case, sources_text};
use casebook_engine::data::manifest::function_name;
use casebook_engine::data::piece::{Datum, PieceEntry, datum_text};
use casebook_engine::data::scenario::Scenario;
use casebook_engine::data::status::Status;
use casebook_engine::data::table::{Cell, Table, TableLayer};
use casebook_engine::ruleset::compose::{Ruleset, Slot};
use casebook_engine::ruling::resolve::cite_case;
use casebook_engine::ruling::terminal_page::push_indented;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Finds everything in a game with this name. `kind NAME`, `track NAME` and so on restrict the search to one kind.
pub fn find(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<ShowPage>, Error> {
    let pages = find_all(ruleset, name)?;
    if !pages.is_empty() {
        return Ok(pages);
    }
    for (at, _) in name.match_indices(' ') {
        let (kind, bare_name) = name.split_at(at);
        let mut pages = find_all(ruleset, bare_name.trim())?;
        pages.retain(|shown| shown.kind == kind);
        if !pages.is_empty() {
            return Ok(pages);
        }
    }
    Ok(lists::list(ruleset, name).into_iter().collect())
}

/// Like [`find`], but fails if nothing has the name.
pub fn find_known(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<ShowPage>, Error> {
    let pages = find(ruleset, name)?;
    let all_names = || names(ruleset);
    if pages.is_empty() {
        Err(unknown_name(name, all_names().iter().map(String::as_str)))
    } else {
        Ok(pages)
    }
}

/// Returns the error for an unknown name, with similar names as suggestions.
pub fn unknown_name<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Error {
    Error::unknown(
        "case, table, function, procedure, kind of piece, piece or situation",
        name,
        names,
    )
}

/// Returns all names that can be found.
pub fn names(ruleset: &Ruleset) -> Vec<String> {
    let numbers = ruleset
        .cases
        .iter()
        .map(|c| c.number.as_str())
        .chain(ruleset.contents.keys().map(String::as_str));
    let rule_names = numbers
        .chain(ruleset.table_names())
        .chain(ruleset.slots.iter().map(|s| s.name.as_str()))
        .chain(ruleset.scenario_names());
    rule_names
        .map(String::from)
        .chain(entries::names(ruleset))
        .collect()
}

fn find_all(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<ShowPage>, Error> {
    let mut pages: Vec<ShowPage> = Vec::new();
    let cases: Vec<usize> = (0..ruleset.cases.len())
        .rev()
        .filter(|i| ruleset.cases[*i].number == name)
        .collect();
    if !cases.is_empty() {
        pages.push(case_page(ruleset, name, &cases));
    } else if let Some(entry) = ruleset.contents.get(name) {
        let later = if entry.is_planned {
            "It belongs to a part of the game that is not scripted yet."
        } else {
            "No case is written for it: its number and title are all that is known."
        };
        let text = format!("{name}  {}\n  {later}\n", entry.title);
        let page = UnwrittenCasePage {
            case: name.into(),
            title: entry.title.clone(),
            later: entry.is_planned,
            script: None,
        };
        let thing = FoundThing::UnwrittenCase(page);
        pages.push(ShowPage::new("case", name, text, thing, []));
    }
    if let Some(shown) = ruleset.table(name).map_err(Error::Data)? {
        pages.push(table_page(ruleset, &shown));
    }
    pages.extend(entries::entries_named(ruleset, name));
    for slot in ruleset.slots.iter().filter(|s| s.name == name) {
        pages.push(function_page(ruleset, slot));
    }
    pages.extend(piece_pages(ruleset, name)?);
    if ruleset.scenario_names().contains(&name) {
        pages.push(scenario_page(ruleset, &*ruleset.scenario(name)?));
    }
    Ok(pages)
}

fn case_page(ruleset: &Ruleset, number: &str, cases: &[usize]) -> ShowPage {
    let first: &Case = &ruleset.cases[cases[cases.len() - 1]];
    let mut text = format!(
        "{number}  {}   (newest first)\n",
        ruleset
            .contents
            .get(number)
            .map_or(first.title.as_str(), |k| k.title.as_str())
    );
    let (mut list, mut scripts) = (Vec::new(), Vec::new());
    for &index in cases {
        let case = &ruleset.cases[index];
        let label = case
            .printed_label
            .as_ref()
            .map(|l| format!(", printed as \"{l}\""))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "\n{} · {}{label} · {} · {}",
            case.layer,
            case.kind.as_str(),
            case.status.as_str(),
            case.title
        );
        push_indented(&mut text, &case.text);
        for reading in &case.readings {
            let key = format!("{number}.{}", reading.name);
            let chosen = ruleset.readings.get(&key).map_or("", String::as_str);
            let _ = writeln!(
                text,
                "  reading {key}: {}  (in force: {chosen})",
                reading.ways.join(" | ")
            );
        }
        let answers: Vec<&str> = case
            .functions
            .iter()
            .filter(|f| f.is_answer())
            .map(|f| f.name.as_str())
            .collect();
        if !answers.is_empty() {
            let _ = writeln!(text, "  answers {}", answers.join(", "));
        }
        let ids = case
            .functions
            .iter()
            .filter(|f| f.is_example())
            .filter_map(|f| f.doc_lines().first().copied());
        let ruling_tests = RulingTestFile::of_case(case, &ruleset.library);
        let tests = ruling_tests.iter().flat_map(|file| &file.tests);
        let ids = ids.chain(tests.filter_map(|test| test.id.as_deref()));
        let ids: Vec<&str> = ids.filter(|id| !id.starts_with("ours")).collect();
        if !ids.is_empty() {
            let _ = writeln!(text, "  examples {}", ids.join(", "));
        }
        if let Some(note) = &case.note {
            push_indented(&mut text, &format!("note: {note}"));
        }
        let _ = writeln!(
            text,
            "  source {}   {}",
            sources_text(&case.sources),
            display_path(ruleset, &case.file.path)
        );
        for test in ruling_tests.iter().flat_map(|file| &file.tests) {
            let _ = writeln!(text, "  example: {}", test.name);
        }
        for tests in case
            .tests
            .iter()
            .chain(ruling_tests.as_ref().map(|file| &*file.file))
        {
            let _ = writeln!(text, "  tests {}", display_path(ruleset, &tests.path));
        }
        list.push(LayerCase {
            layer: case.layer.to_string(),
            kind: case.kind,
            label: case.printed_label.clone(),
            status: case.status,
            title: case.title.clone(),
            text: case.text.clone(),
            readings: case.readings.clone(),
            answers: answers.into_iter().map(String::from).collect(),
            examples: ids.into_iter().map(String::from).collect(),
            sources: case.sources.clone(),
            path: case.file.path.to_string(),
        });
        let path = &case.file.path;
        scripts.push(match case.is_list() {
            true => ScriptExcerpt::yaml_block(ruleset, path, &case.file.text, case.kind_span.line),
            false => {
                let text = with_changes(ruleset, case, 1, &case.file.text);
                ScriptExcerpt::new(ruleset, path, 1, &text)
            }
        });
    }
    let page = CasePage {
        case: number.into(),
        chain: list,
        script: None,
    };
    ShowPage::new("case", number, text, FoundThing::Case(page), scripts)
}

/// Returns a script that begins on a line of the file of a case with what lists of changes do to it, above the lines where they do.
fn with_changes(ruleset: &Ruleset, case: &Case, first: usize, text: &str) -> String {
    let placed = case.functions.iter().flat_map(|function| &function.placed);
    let mut changes: Vec<(usize, &Case)> = placed
        .map(|change| (change.at.0 as usize, &*ruleset.cases[change.by.0]))
        .collect();
    changes.dedup_by_key(|(line, by)| (*line, by.key()));
    let mut out = String::new();
    for (line, said) in (first..).zip(text.lines()) {
        let indent = &said[..said.len() - said.trim_start().len()];
        for (_, by) in changes.iter().filter(|(at, _)| *at == line) {
            let _ = writeln!(out, "{indent}// {} {}: {}", by.number, by.layer, by.text);
        }
        let _ = writeln!(out, "{said}");
    }
    out
}

fn function_page(ruleset: &Ruleset, slot: &Slot) -> ShowPage {
    let signature = |case: usize, function: usize| {
        let f = &ruleset.cases[case].functions[function];
        format!("{}({})", f.name, f.params.join(", "))
    };
    let newest = slot.answers[0];
    let mut text = format!(
        "{}  a function; who answers, newest first\n",
        signature(newest.case, newest.function)
    );
    let carries = ruleset
        .game
        .procedures
        .iter()
        .find(|(name, _)| function_name(name) == slot.name && slot.arity == 1);
    if let Some((procedure, _)) = carries {
        let _ = writeln!(text, "  It carries out the procedure `{procedure}`.");
    }
    let (mut list, mut scripts) = (Vec::new(), Vec::new());
    for answer in &slot.answers {
        let case = &ruleset.cases[answer.case];
        let f = &case.functions[answer.function];
        let change_text = match (answer.reinstated_by, answer.removed_by) {
            (Some(by), _) => format!(", brought back by {}", cite_case(ruleset, by)),
            (_, Some(by)) => format!(", struck by {}", cite_case(ruleset, by)),
            _ => String::new(),
        };
        let path = show_page::display_line(ruleset, &case.file.path, f.name_span.line);
        let _ = writeln!(
            text,
            "  {} {}{change_text}   {path}",
            case.number, case.layer
        );
        if answer.function != newest.function || answer.case != newest.case {
            let _ = writeln!(text, "    {}", signature(answer.case, answer.function));
        }
        for line in f.doc_lines().iter() {
            let _ = writeln!(text, "    {line}");
        }
        list.push(LayerFunction {
            case: case.number.clone(),
            layer: case.layer.to_string(),
            path: case.file.path.to_string(),
            line: f.name_span.line,
            doc: f.doc_lines().iter().map(ToString::to_string).collect(),
            parameters: f.params.iter().map(ToString::to_string).collect(),
        });
        let line = f.name_span.line;
        let text = with_changes(ruleset, case, line, &f.body);
        scripts.push(ScriptExcerpt::new(ruleset, &case.file.path, line, &text));
    }
    let page = FunctionPage {
        function: slot.name.to_string(),
        arity: slot.arity,
        procedure: carries.map(|(name, _)| name.clone()),
        chain: list,
        script: None,
    };
    ShowPage::new(
        "function",
        &slot.name,
        text,
        FoundThing::Function(page),
        scripts,
    )
}

fn table_page(ruleset: &Ruleset, table: &Table) -> ShowPage {
    let mut text = format!("table {}  {}\n", table.id, table.title);
    let [sheets, columns, rows] = &table.axes;
    for (s, sheet) in sheets.label_texts.iter().enumerate() {
        if !sheet.is_empty() {
            let _ = writeln!(text, "\n{} {sheet}", sheets.name);
        }
        let head = &columns.label_texts;
        let cells = table
            .cells
            .chunks(head.len())
            .skip(s * rows.label_texts.len())
            .take(rows.label_texts.len());
        // The text of a missing cell is its mark.
        let mark = |cell: &Cell| {
            if cell.status == Status::Missing {
                ""
            } else {
                cell.status.mark()
            }
        };
        let marked = |cell: &Cell| format!("{}{}", mark(cell), cell.text);
        let body: Vec<Vec<String>> = cells.map(|row| row.iter().map(marked).collect()).collect();
        let label = rows
            .label_texts
            .iter()
            .map(|l| l.chars().count())
            .max()
            .unwrap_or(0)
            .max(rows.name.chars().count());
        let widths: Vec<usize> = (0..head.len())
            .map(|c| {
                body.iter()
                    .map(|row| row[c].chars().count())
                    .max()
                    .unwrap_or(0)
                    .max(head[c].chars().count())
            })
            .collect();
        if head.iter().any(|h| !h.is_empty()) {
            let cells: Vec<String> = head
                .iter()
                .zip(&widths)
                .map(|(h, w)| format!("{h:>w$}"))
                .collect();
            let _ = writeln!(
                text,
                "  {:<label$}  {}   {}",
                rows.name,
                cells.join("  "),
                columns.name
            );
        }
        for (row, cells) in rows.label_texts.iter().zip(&body) {
            let cells: Vec<String> = cells
                .iter()
                .zip(&widths)
                .map(|(c, w)| format!("{c:>w$}"))
                .collect();
            let _ = writeln!(text, "  {row:<label$}  {}", cells.join("  "));
        }
    }
    text.push_str(
        "\n  ~ reconstructed   = derived   + of a house rule   ? not known   (no mark: printed)\n",
    );
    push_indented(&mut text, &table.method);
    for layer in table.layers.iter().rev() {
        let _ = writeln!(
            text,
            "  {} · {} · {}   {}",
            layer.name,
            layer.kind.as_str(),
            layer.title,
            display_path(ruleset, &layer.file.path)
        );
        if !layer.sources.is_empty() {
            let _ = writeln!(text, "    source {}", sources_text(&layer.sources));
        }
    }
    for (index, cell) in table.cells.iter().enumerate() {
        if table.layers.len() > 1 && cell.layer != table.layers[0].name {
            let source = sources_text(table.sources_of(cell));
            let by = if source.is_empty() {
                String::new()
            } else {
                format!(" ({source})")
            };
            let _ = writeln!(
                text,
                "    {}: {} by {}{by}",
                table.label(index),
                cell.text,
                cell.layer
            );
        }
    }
    let cell = |(index, cell): (usize, &Cell)| CellEntry {
        at: table.label(index),
        text: cell.text.clone(),
        status: cell.status,
        layer: cell.layer.to_string(),
        sources: table.sources_of(cell).to_vec(),
    };
    let layer = |layer: &TableLayer| LayerTable {
        layer: layer.name.to_string(),
        kind: layer.kind,
        title: layer.title.clone(),
        path: layer.file.path.to_string(),
        sources: layer.sources.clone(),
    };
    let scripts = table
        .layers
        .iter()
        .rev()
        .map(|layer| ScriptExcerpt::new(ruleset, &layer.file.path, 1, &layer.file.text));
    let page = TablePage {
        table: table.id.clone(),
        title: table.title.clone(),
        method: table.method.clone(),
        cells: table.cells.iter().enumerate().map(cell).collect(),
        chain: table.layers.iter().rev().map(layer).collect(),
        script: None,
    };
    ShowPage::new("table", &table.id, text, FoundThing::Table(page), scripts)
}

/// Returns whether two names are the same but for capitals.
fn is_alike(a: &str, b: &str) -> bool {
    let letters = |text| str::chars(text).flat_map(char::to_lowercase);
    // Nearly all names differ in length, and a name is looked for among thousands.
    a.len() == b.len() && letters(a).eq(letters(b))
}

/// Returns the pages of pieces in rosters and deployments whose name is the given one, or else ends in it.
fn piece_pages(ruleset: &Ruleset, name: &str) -> Result<Vec<ShowPage>, Error> {
    let mut pages = Vec::new();
    let mut ignore = Complaints::default();
    let names = ruleset.scenario_names().into_iter();
    let scenarios: Vec<_> = names
        .filter_map(|list| Some((list, ruleset.stack_scenario(list, &mut ignore)?)))
        .collect();
    let is_exact = |entry: &&PieceEntry| is_alike(&entry.name, name);
    let has_exact = scenarios
        .iter()
        .any(|(_, scenario)| scenario.pieces.iter().any(|entry| is_exact(&entry)));
    let ends_in_name = |entry: &&PieceEntry| {
        let start = entry.name.len().checked_sub(name.len());
        let split = start.and_then(|start| entry.name.split_at_checked(start));
        split.is_some_and(|(before, end)| before.ends_with(' ') && is_alike(end, name))
    };
    for (list, scenario) in &scenarios {
        for entry in scenario.pieces.iter().filter(|entry| {
            if has_exact {
                is_exact(entry)
            } else {
                ends_in_name(entry)
            }
        }) {
            let mut text = format!(
                "{}  in {list}   {}\n",
                entry.name,
                display_path(ruleset, &entry.path)
            );
            let data: Vec<String> = entry
                .attributes
                .iter()
                .map(|(key, datum)| match entry.status_of(key) {
                    Status::Printed => format!("{key} {}", datum_text(datum)),
                    status => format!("{key} {} ({})", datum_text(datum), status.as_str()),
                })
                .collect();
            let _ = writeln!(text, "  {}", data.join(", "));
            let missing: Vec<&str> = entry
                .status_by_figure
                .iter()
                .filter(|(_, s)| **s == Status::Missing)
                .map(|(k, _)| k.as_str())
                .collect();
            if !missing.is_empty() {
                let _ = writeln!(text, "  not known: {}", missing.join(", "));
            }
            let figure = |(name, datum): (&String, &Datum)| {
                let figure = KnownFigure {
                    value: datum_text(datum),
                    status: entry.status_of(name),
                };
                (name.clone(), json!(figure))
            };
            let page = PiecePage {
                piece: entry.name.clone(),
                list: list.to_string(),
                data: entry.attributes.iter().map(figure).collect(),
                path: entry.path.to_string(),
                script: None,
            };
            let file = ruleset
                .layers
                .iter()
                .flat_map(|layer| layer.scenarios.values())
                .find(|file| *file.path == *entry.path);
            let script = file.map(|file| {
                ScriptExcerpt::yaml_block(ruleset, &entry.path, &file.text, entry.span.line)
            });
            let thing = FoundThing::Piece(page);
            pages.push(ShowPage::new("piece", &entry.name, text, thing, script));
        }
    }
    Ok(pages)
}

fn scenario_page(ruleset: &Ruleset, scenario: &Scenario) -> ShowPage {
    let mut text = format!("{}  {}\n", scenario.name, scenario.title);
    if let Some(procedure) = &scenario.procedure {
        let _ = writeln!(
            text,
            "  procedure {procedure}, with {}",
            scenario
                .variants
                .as_ref()
                .map_or("no variant".into(), |w| w.join(", "))
        );
    }
    for entry in &scenario.pieces {
        let data: Vec<String> = entry
            .attributes
            .iter()
            .map(|(k, d)| format!("{k} {}", datum_text(d)))
            .collect();
        let _ = writeln!(text, "  {:<28} {}", entry.name, data.join(", "));
    }
    let _ = writeln!(
        text,
        "  source {}   {}",
        sources_text(&scenario.sources),
        display_path(ruleset, &scenario.file.path)
    );
    let data = |entry: &PieceEntry| -> serde_json::Map<String, Value> {
        entry
            .attributes
            .iter()
            .map(|(key, datum)| (key.clone(), datum_text(datum).into()))
            .collect()
    };
    let pieces = scenario.pieces.iter().map(|entry| PieceEntryPage {
        name: entry.name.clone(),
        data: data(entry),
    });
    let files = ruleset.scenario_files(&scenario.name, &mut Complaints::default());
    let scripts = files
        .iter()
        .rev()
        .map(|list| ScriptExcerpt::new(ruleset, &list.file.path, 1, &list.file.text));
    let page = SituationPage {
        situation: scenario.name.clone(),
        title: scenario.title.clone(),
        procedure: scenario.procedure.clone(),
        with: scenario.variants.clone(),
        pieces: pieces.collect(),
        script: None,
    };
    let thing = FoundThing::Situation(page);
    ShowPage::new("situation", &scenario.name, text, thing, scripts)
}
