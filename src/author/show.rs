//! `casebook show`: a case, table, piece, function or situation with its whole chain of amendments, newest first.

use crate::author::shown::{self, Script, Shown, place};
use crate::author::{entries, lists};
use crate::complaint::{Complaints, Error, near};
use crate::data::case::{Case, Source, Status};
use crate::data::manifest::function_of;
use crate::data::piece::show;
use crate::data::scenario::Scenario;
use crate::data::table::Table;
use crate::ruleset::compose::{Ruleset, Slot};
use crate::ruling::page::indented;
use crate::ruling::resolve::cite;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Looks a name up among all that a game has. `kind NAME`, `track NAME` and so on look for one sort of it alone.
pub fn find(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<Shown>, Error> {
    let found = all(ruleset, name)?;
    if !found.is_empty() {
        return Ok(found);
    }
    for sort in SORTS {
        if let Some(rest) = name.strip_prefix(sort).and_then(|rest| rest.strip_prefix(' ')) {
            let mut found = all(ruleset, rest.trim())?;
            found.retain(|shown| shown.sort == sort);
            if !found.is_empty() {
                return Ok(found);
            }
        }
    }
    Ok(lists::list(ruleset, name).into_iter().collect())
}

/// The same; complains where nothing has the name.
pub fn known(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<Shown>, Error> {
    let found = find(ruleset, name)?;
    let all = || names(ruleset);
    if found.is_empty() { Err(unknown(name, all().iter().map(String::as_str))) } else { Ok(found) }
}

/// Nothing has the name; what comes near can be asked for.
pub fn unknown<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Error {
    Error::Unknown {
        what: "case, table, function, procedure, kind of piece, piece or situation",
        name: name.into(),
        near: near(name, known),
    }
}

/// What a name may be of.
const SORTS: [&str; 21] = [
    "case",
    "table",
    "function",
    "procedure",
    "kind",
    "group",
    "place attribute",
    "border attribute",
    "attribute",
    "track",
    "side",
    "sheet",
    "field",
    "source",
    "phase",
    "variant",
    "option",
    "reading",
    "piece",
    "situation",
    "game",
];

/// Every name that can be asked for.
pub fn names(ruleset: &Ruleset) -> Vec<String> {
    let numbers = ruleset.cases.iter().map(|c| c.number.as_str()).chain(ruleset.contents.keys().map(String::as_str));
    let known = numbers.chain(ruleset.table_names()).chain(ruleset.slots.iter().map(|s| s.name.as_str())).chain(ruleset.scenario_names());
    known.map(String::from).chain(entries::names(ruleset)).collect()
}

fn all(ruleset: &Arc<Ruleset>, name: &str) -> Result<Vec<Shown>, Error> {
    let mut found: Vec<Shown> = Vec::new();
    let cases: Vec<usize> = (0..ruleset.cases.len()).rev().filter(|i| ruleset.cases[*i].number == name).collect();
    if !cases.is_empty() {
        found.push(case(ruleset, name, &cases));
    } else if let Some(known) = ruleset.contents.get(name) {
        let later = if known.later {
            "It belongs to a part of the game that is not scripted yet."
        } else {
            "No case is written for it: its number and title are all that is known."
        };
        let text = format!("{name}  {}\n  {later}\n", known.title);
        let json = json!({ "case": name, "title": known.title, "later": known.later });
        found.push(Shown { sort: "case", name: name.into(), text, json, scripts: Vec::new() });
    }
    if let Some(shown) = ruleset.table(name).map_err(Error::Data)? {
        found.push(table(ruleset, &shown));
    }
    found.extend(entries::named(ruleset, name));
    for slot in ruleset.slots.iter().filter(|s| s.name == name) {
        found.push(function(ruleset, slot));
    }
    found.extend(pieces(ruleset, name)?);
    if ruleset.scenario_names().contains(&name) {
        found.push(scenario(ruleset, &*ruleset.scenario(name)?));
    }
    Ok(found)
}

fn sources(list: &[Source]) -> String {
    list.iter().map(|s| if s.at.is_empty() { s.doc.clone() } else { format!("{} {}", s.doc, s.at) }).collect::<Vec<_>>().join("; ")
}

fn case(ruleset: &Ruleset, number: &str, cases: &[usize]) -> Shown {
    let first: &Case = &ruleset.cases[cases[cases.len() - 1]];
    let mut text =
        format!("{number}  {}   (newest first)\n", ruleset.contents.get(number).map_or(first.title.as_str(), |k| k.title.as_str()));
    let (mut list, mut scripts) = (Vec::new(), Vec::new());
    for &index in cases {
        let case = &ruleset.cases[index];
        let label = case.label.as_ref().map(|l| format!(", printed as \"{l}\"")).unwrap_or_default();
        let _ = writeln!(text, "\n{} · {}{label} · {} · {}", case.layer, case.kind.word(), case.status.word(), case.title);
        indented(&mut text, &case.text);
        for reading in &case.readings {
            let key = format!("{number}.{}", reading.name);
            let chosen = ruleset.readings.get(&key).map_or("", String::as_str);
            let _ = writeln!(text, "  reading {key}: {}  (in force: {chosen})", reading.ways.join(" | "));
        }
        let answers: Vec<&str> = case.functions.iter().filter(|f| !f.private && !f.is_example()).map(|f| f.name.as_str()).collect();
        if !answers.is_empty() {
            let _ = writeln!(text, "  answers {}", answers.join(", "));
        }
        let ids = case.functions.iter().filter(|f| f.is_example()).filter_map(|f| f.doc().first().copied());
        let ids: Vec<&str> = ids.filter(|id| !id.starts_with("ours")).collect();
        if !ids.is_empty() {
            let _ = writeln!(text, "  examples {}", ids.join(", "));
        }
        if let Some(note) = &case.note {
            indented(&mut text, &format!("note: {note}"));
        }
        let _ = writeln!(text, "  source {}   {}", sources(&case.sources), place(ruleset, &case.file.path));
        if let Some(tests) = &case.tests {
            let _ = writeln!(text, "  tests {}", place(ruleset, &tests.path));
        }
        list.push(json!({ "layer": &*case.layer, "kind": case.kind, "label": case.label, "status": case.status, "title": case.title, "text": case.text,
            "readings": case.readings, "answers": answers, "examples": ids, "sources": case.sources, "path": case.file.path }));
        scripts.push(Script::of(ruleset, &case.file.path, 1, &case.file.text));
    }
    Shown { sort: "case", name: number.into(), text, json: json!({ "case": number, "chain": list }), scripts }
}

fn function(ruleset: &Ruleset, slot: &Slot) -> Shown {
    let signature = |case: usize, function: usize| {
        let f = &ruleset.cases[case].functions[function];
        format!("{}({})", f.name, f.params.join(", "))
    };
    let newest = slot.chain[0];
    let mut text = format!("{}  a function; who answers, newest first\n", signature(newest.case, newest.function));
    let carries = ruleset.game.procedures.iter().find(|(name, _)| function_of(name) == slot.name && slot.arity == 1);
    if let Some((procedure, _)) = carries {
        let _ = writeln!(text, "  It carries out the procedure `{procedure}`.");
    }
    let (mut list, mut scripts) = (Vec::new(), Vec::new());
    for answer in &slot.chain {
        let case = &ruleset.cases[answer.case];
        let f = &case.functions[answer.function];
        let how = match (answer.reinstated_by, answer.struck_by) {
            (Some(by), _) => format!(", brought back by {}", cite(ruleset, by)),
            (_, Some(by)) => format!(", struck by {}", cite(ruleset, by)),
            _ => String::new(),
        };
        let path = shown::line(ruleset, &case.file.path, f.span.line);
        let _ = writeln!(text, "  {} {}{how}   {path}", case.number, case.layer);
        if answer.function != newest.function || answer.case != newest.case {
            let _ = writeln!(text, "    {}", signature(answer.case, answer.function));
        }
        for line in f.doc().iter() {
            let _ = writeln!(text, "    {line}");
        }
        list.push(json!({ "case": case.number, "layer": &*case.layer, "path": case.file.path, "line": f.span.line, "doc": f.doc(), "parameters": f.params }));
        scripts.push(Script::of(ruleset, &case.file.path, f.span.line, &f.body));
    }
    let json = json!({ "function": slot.name, "arity": slot.arity, "procedure": carries.map(|(name, _)| name), "chain": list });
    Shown { sort: "function", name: slot.name.clone(), text, json, scripts }
}

/// The mark a figure bears by its status.
fn mark(status: Status) -> &'static str {
    match status {
        Status::Printed => "",
        Status::Derived => "=",
        Status::House => "+",
        Status::Reconstructed => "~",
        Status::Missing => "",
    }
}

fn table(ruleset: &Ruleset, table: &Table) -> Shown {
    let mut text = format!("table {}  {}\n", table.id, table.title);
    let [sheets, columns, rows] = &table.axes;
    for (s, sheet) in sheets.written.iter().enumerate() {
        if !sheet.is_empty() {
            let _ = writeln!(text, "\n{} {sheet}", sheets.of);
        }
        let head: Vec<String> = columns.written.clone();
        let body: Vec<Vec<String>> = (0..rows.written.len())
            .map(|r| {
                let cell = |c: usize| &table.cells[(s * rows.written.len() + r) * columns.written.len() + c];
                (0..columns.written.len()).map(|c| format!("{}{}", mark(cell(c).status), cell(c).text)).collect()
            })
            .collect();
        let label = rows.written.iter().map(|l| l.chars().count()).max().unwrap_or(0).max(rows.of.chars().count());
        let widths: Vec<usize> = (0..head.len())
            .map(|c| body.iter().map(|row| row[c].chars().count()).max().unwrap_or(0).max(head[c].chars().count()))
            .collect();
        if head.iter().any(|h| !h.is_empty()) {
            let cells: Vec<String> = head.iter().zip(&widths).map(|(h, w)| format!("{h:>w$}")).collect();
            let _ = writeln!(text, "  {:<label$}  {}   {}", rows.of, cells.join("  "), columns.of);
        }
        for (row, cells) in rows.written.iter().zip(&body) {
            let cells: Vec<String> = cells.iter().zip(&widths).map(|(c, w)| format!("{c:>w$}")).collect();
            let _ = writeln!(text, "  {row:<label$}  {}", cells.join("  "));
        }
    }
    text.push_str("\n  ~ reconstructed   = derived   + of a house rule   ? not known   (no mark: printed)\n");
    indented(&mut text, &table.method);
    for (layer, kind, title, file) in table.chain.iter().rev() {
        let _ = writeln!(text, "  {layer} · {} · {title}   {}", kind.word(), place(ruleset, &file.path));
    }
    for (index, cell) in table.cells.iter().enumerate() {
        if table.chain.len() > 1 && cell.layer != table.chain[0].0 {
            let _ = writeln!(text, "    {}: {} by {}", table.label(index), cell.text, cell.layer);
        }
    }
    let cells: Vec<Value> = table
        .cells
        .iter()
        .enumerate()
        .map(|(i, c)| json!({ "at": table.label(i), "text": c.text, "status": c.status, "layer": &*c.layer }))
        .collect();
    let chain: Vec<Value> =
        table.chain.iter().rev().map(|(l, k, t, f)| json!({ "layer": &**l, "kind": k, "title": t, "path": f.path })).collect();
    let scripts = table.chain.iter().rev().map(|(.., file)| Script::of(ruleset, &file.path, 1, &file.text)).collect();
    Shown {
        sort: "table",
        name: table.id.clone(),
        scripts,
        text,
        json: json!({ "table": table.id, "title": table.title, "method": table.method, "cells": cells, "chain": chain }),
    }
}

/// Pieces of that name, or whose name ends in it, in rosters and deployments.
fn pieces(ruleset: &Ruleset, name: &str) -> Result<Vec<Shown>, Error> {
    let wanted = name.to_lowercase();
    let mut found = Vec::new();
    let mut ignore = Complaints::default();
    for list in ruleset.scenario_names() {
        let Some(scenario) = ruleset.stack_scenario(list, &mut ignore) else { continue };
        for entry in &scenario.pieces {
            let low = entry.name.to_lowercase();
            if low != wanted && !low.ends_with(&format!(" {wanted}")) {
                continue;
            }
            let mut text = format!("{}  in {list}   {}\n", entry.name, place(ruleset, &entry.path));
            let data: Vec<String> = entry
                .data
                .iter()
                .map(|(key, datum)| match entry.status_of(key) {
                    Status::Printed => format!("{key} {}", show(datum)),
                    status => format!("{key} {} ({})", show(datum), status.word()),
                })
                .collect();
            let _ = writeln!(text, "  {}", data.join(", "));
            let missing: Vec<&str> = entry.status.iter().filter(|(_, s)| **s == Status::Missing).map(|(k, _)| k.as_str()).collect();
            if !missing.is_empty() {
                let _ = writeln!(text, "  not known: {}", missing.join(", "));
            }
            let json: serde_json::Map<String, Value> =
                entry.data.iter().map(|(k, d)| (k.clone(), json!({ "value": show(d), "status": entry.status_of(k) }))).collect();
            let json = json!({ "piece": entry.name, "list": list, "data": json, "path": &*entry.path });
            let file = ruleset.layers.iter().flat_map(|layer| layer.scenarios.values()).find(|file| *file.path == *entry.path);
            let scripts = file.map(|file| Script::block(ruleset, &entry.path, &file.text, entry.span.line)).into_iter().collect();
            found.push(Shown { sort: "piece", name: entry.name.clone(), text, json, scripts });
        }
    }
    Ok(found)
}

fn scenario(ruleset: &Ruleset, scenario: &Scenario) -> Shown {
    let mut text = format!("{}  {}\n", scenario.name, scenario.title);
    if let Some(procedure) = &scenario.procedure {
        let _ = writeln!(text, "  procedure {procedure}, with {}", scenario.with.as_ref().map_or("no variant".into(), |w| w.join(", ")));
    }
    for entry in &scenario.pieces {
        let data: Vec<String> = entry.data.iter().map(|(k, d)| format!("{k} {}", show(d))).collect();
        let _ = writeln!(text, "  {:<28} {}", entry.name, data.join(", "));
    }
    let _ = writeln!(text, "  source {}   {}", sources(&scenario.sources), place(ruleset, &scenario.file.path));
    let pieces: Vec<Value> = scenario.pieces.iter().map(|e| json!({ "name": e.name, "data": e.data.iter().map(|(k, d)| (k.clone(), Value::from(show(d)))).collect::<serde_json::Map<_, _>>() })).collect();
    let mut ignore = Complaints::default();
    let files = ruleset.scenario_files(&scenario.name, &mut ignore);
    Shown {
        sort: "situation",
        name: scenario.name.clone(),
        scripts: files.iter().rev().map(|over| Script::of(ruleset, &over.file.path, 1, &over.file.text)).collect(),
        text,
        json: json!({ "situation": scenario.name, "title": scenario.title, "procedure": scenario.procedure, "with": scenario.with, "pieces": pieces }),
    }
}
