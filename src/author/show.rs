//! `casebook show`: a case, table, piece, function or situation with its whole chain of amendments, newest first.

use crate::code::verbs;
use crate::complaint::{Complaints, Error, near};
use crate::data::case::{Case, Source, Status};
use crate::data::piece::show;
use crate::data::scenario::Scenario;
use crate::data::table::Table;
use crate::ruleset::compose::Ruleset;
use crate::ruling::page::indented;
use crate::ruling::resolve::cite;
use serde_json::{Value, json};
use std::fmt::Write;

/// What was found, for a person and for a program.
pub struct Shown {
    /// As text.
    pub text: String,
    /// As data.
    pub json: Value,
}

/// Looks a name up among cases, tables, functions, pieces and situations.
pub fn find(ruleset: &Ruleset, name: &str) -> Result<Shown, Error> {
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
        found.push(Shown { text, json: json!({ "case": name, "title": known.title, "later": known.later }) });
    }
    if let Some(shown) = ruleset.table(name).map_err(Error::Data)? {
        found.push(table(&shown));
    }
    for slot in ruleset.slots.iter().filter(|s| s.name == name) {
        found.push(function(ruleset, slot));
    }
    found.extend(pieces(ruleset, name)?);
    if ruleset.scenario_names().contains(&name) {
        found.push(scenario(&*ruleset.scenario(name)?));
    }
    if found.is_empty() {
        let numbers = ruleset.cases.iter().map(|c| c.number.as_str()).chain(ruleset.contents.keys().map(String::as_str));
        let known = numbers
            .chain(ruleset.table_names())
            .chain(ruleset.slots.iter().map(|s| s.name.as_str()))
            .chain(ruleset.scenario_names())
            .chain(verbs::all().iter().map(|verb| verb.name));
        return Err(Error::Unknown { what: "case, table, function, piece or situation", name: name.into(), near: near(name, known) });
    }
    let text = found.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n");
    let json = if found.len() == 1 { found.remove(0).json } else { found.into_iter().map(|s| s.json).collect() };
    Ok(Shown { text, json })
}

fn sources(list: &[Source]) -> String {
    list.iter().map(|s| if s.at.is_empty() { s.doc.clone() } else { format!("{} {}", s.doc, s.at) }).collect::<Vec<_>>().join("; ")
}

fn case(ruleset: &Ruleset, number: &str, cases: &[usize]) -> Shown {
    let first: &Case = &ruleset.cases[cases[cases.len() - 1]];
    let mut text =
        format!("{number}  {}   (newest first)\n", ruleset.contents.get(number).map_or(first.title.as_str(), |k| k.title.as_str()));
    let mut list = Vec::new();
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
        let _ = writeln!(text, "  source {}   {}", sources(&case.sources), case.file.path);
        list.push(json!({ "layer": &*case.layer, "kind": case.kind, "label": case.label, "status": case.status, "title": case.title, "text": case.text,
            "readings": case.readings, "answers": answers, "examples": ids, "sources": case.sources, "path": case.file.path }));
    }
    Shown { text, json: json!({ "case": number, "chain": list }) }
}

fn function(ruleset: &Ruleset, slot: &crate::ruleset::compose::Slot) -> Shown {
    let mut text = format!("{}/{}  who answers, newest first\n", slot.name, slot.arity);
    let mut list = Vec::new();
    for answer in &slot.chain {
        let case = &ruleset.cases[answer.case];
        let f = &case.functions[answer.function];
        let how = match (answer.reinstated_by, answer.struck_by) {
            (Some(by), _) => format!(", brought back by {}", cite(ruleset, by)),
            (_, Some(by)) => format!(", struck by {}", cite(ruleset, by)),
            _ => String::new(),
        };
        let _ = writeln!(text, "  {} {}{how}   {}:{}", case.number, case.layer, case.file.path, f.span.line);
        for line in f.doc().iter() {
            let _ = writeln!(text, "    {line}");
        }
        list.push(json!({ "case": case.number, "layer": &*case.layer, "path": case.file.path, "line": f.span.line, "doc": f.doc() }));
    }
    Shown { text, json: json!({ "function": slot.name, "arity": slot.arity, "chain": list }) }
}

/// The mark a figure bears by its status.
fn mark(status: Status) -> &'static str {
    match status {
        Status::Printed => "",
        Status::Derived => "=",
        Status::Reconstructed => "~",
        Status::Missing => "",
    }
}

fn table(table: &Table) -> Shown {
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
    text.push_str("\n  ~ reconstructed   = derived   ? not known   (no mark: printed)\n");
    indented(&mut text, &table.method);
    for (layer, kind, title, file) in table.chain.iter().rev() {
        let _ = writeln!(text, "  {layer} · {} · {title}   {}", kind.word(), file.path);
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
    Shown { text, json: json!({ "table": table.id, "title": table.title, "method": table.method, "cells": cells, "chain": chain }) }
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
            let mut text = format!("{}  in {list}   {}\n", entry.name, entry.path);
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
            found.push(Shown { text, json: json!({ "piece": entry.name, "list": list, "data": json, "path": &*entry.path }) });
        }
    }
    Ok(found)
}

fn scenario(scenario: &Scenario) -> Shown {
    let mut text = format!("{}  {}\n", scenario.name, scenario.title);
    if let Some(procedure) = &scenario.procedure {
        let _ = writeln!(text, "  procedure {procedure}, with {}", scenario.with.as_ref().map_or("no variant".into(), |w| w.join(", ")));
    }
    for entry in &scenario.pieces {
        let data: Vec<String> = entry.data.iter().map(|(k, d)| format!("{k} {}", show(d))).collect();
        let _ = writeln!(text, "  {:<28} {}", entry.name, data.join(", "));
    }
    let _ = writeln!(text, "  source {}   {}", sources(&scenario.sources), scenario.file.path);
    let pieces: Vec<Value> = scenario.pieces.iter().map(|e| json!({ "name": e.name, "data": e.data.iter().map(|(k, d)| (k.clone(), Value::from(show(d)))).collect::<serde_json::Map<_, _>>() })).collect();
    Shown {
        text,
        json: json!({ "situation": scenario.name, "title": scenario.title, "procedure": scenario.procedure, "with": scenario.with, "pieces": pieces }),
    }
}

/// What there is for a game: variants with options, situations, tables, readings.
pub fn contents(library: &crate::data::library::Library, ruleset: &Ruleset) -> Shown {
    let game = &ruleset.game;
    let mut text = format!("{}  {}\n\nvariants\n", game.name, game.title);
    let mut variants = Vec::new();
    for name in library.variants_of(&game.name) {
        let variant = &library.variants[name];
        let after = if variant.after.is_empty() { String::new() } else { format!("  (after {})", variant.after.join(", ")) };
        let _ = writeln!(text, "  {name:<16} {}{after}", variant.title);
        for part in &variant.options {
            let _ = writeln!(text, "    {name}.{:<18} {}", part.name, part.title);
        }
        let options: Vec<Value> =
            variant.options.iter().map(|o| json!({ "name": o.name, "title": o.title, "default": o.default })).collect();
        variants.push(json!({ "name": name, "title": variant.title, "after": variant.after, "options": options }));
    }
    text.push_str("\nsituations\n");
    let mut situations = Vec::new();
    let mut ignore = Complaints::default();
    for name in ruleset.scenario_names() {
        let Some(scenario) = ruleset.stack_scenario(name, &mut ignore) else { continue };
        if let Some(procedure) = &scenario.procedure {
            let _ = writeln!(text, "  {name:<28} {procedure:<26} {}", scenario.title);
            situations.push(json!({ "name": name, "procedure": procedure, "title": scenario.title }));
        }
    }
    text.push_str("\nreadings, the first being the default\n");
    let mut readings = Vec::new();
    for case in &ruleset.cases {
        for reading in &case.readings {
            let key = format!("{}.{}", case.number, reading.name);
            if !readings.iter().any(|r: &Value| r["name"] == key) {
                let _ = writeln!(text, "  {key:<34} {}", reading.ways.join(" | "));
                readings.push(json!({ "name": key, "ways": reading.ways }));
            }
        }
    }
    text.push_str("\ntables\n");
    let tables: Vec<&str> = ruleset.table_names().collect();
    indented(&mut text, &tables.join(", "));
    let json = json!({ "game": game.name, "title": game.title, "variants": variants, "situations": situations, "readings": readings, "tables": tables });
    Shown { text, json }
}
