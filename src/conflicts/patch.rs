//! `casebook check --conflicts ... --patch NAME`: a variant laid out that settles what others contradict in, for its author to fill in.

use crate::author::scaffold::plain_name;
use crate::complaint::{Complaints, Error};
use crate::conflicts::meeting::{Row, Subject, Verdict, signature};
use crate::conflicts::report::Report;
use crate::data::case::Case;
use crate::data::library::Library;
use crate::data::save::write_new;
use crate::data::table::Table;
use crate::data::write::scalar;
use crate::ruleset::compose::Answer;
use crate::situation::words::joined;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Lays out the variant. Nothing is ever overwritten; where nothing is contradictory, nothing is written.
pub fn write(library: &Library, root: &Path, report: &Report, name: &str) -> Result<Vec<String>, Error> {
    plain_name(name)?;
    if library.variants.contains_key(name) || library.games.contains_key(name) {
        return Err(Error::Usage(format!("there is a variant or game called `{name}` already; nothing was written")));
    }
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    for row in report.rows.iter().filter(|row| row.verdict == Verdict::Contradictory) {
        match &row.subject {
            Subject::Function(_, answers) => function(report, name, row, *answers, &mut files),
            Subject::Cells(id, cells) => cells.iter().for_each(|cell| self::cell(report, row, id, *cell, &mut files)),
            Subject::Figure(list, said) => {
                let text = entry(&mut files, format!("scenarios/{list}.yaml"), || head_of_list(report, list));
                let [a, b] = row.pair.each_ref().map(|voice| voice.says.replace('\n', " "));
                let change = if said.figure.is_empty() {
                    format!("{{ piece: {}, was: present, now: \"?\" }}", scalar(&said.piece))
                } else {
                    format!("{{ piece: {}, {}: {{ was: {}, now: \"?\" }} }}", scalar(&said.piece), said.figure, value(&b))
                };
                let _ = writeln!(text, "  # {}: {a}; {}: {b}. What holds?\n  - {change}", source(row, 0), source(row, 1));
            }
            Subject::Files(..) => {}
        }
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let folder = root.join("variants").join(name);
    let list = report.variants.iter().map(|name| scalar(name)).collect::<Vec<_>>().join(", ");
    let head = format!(
        "variant: {}\ntitle: {}\ngame: {}\nafter: [{list}]      # what it says holds over theirs\nneeds: [{list}]      # and they come into force with it\n",
        scalar(name),
        scalar(&format!("What holds between {}", joined(report.variants.clone()))),
        report.game
    );
    files.insert("variant.yaml".into(), head);
    let written = write_new(root, files.into_iter().map(|(path, text)| (folder.join(path), text)).collect())?;
    Ok(written.iter().map(|path| path.display().to_string()).collect())
}

/// What was written, as a person is told.
pub fn told(files: &[String]) -> String {
    if files.is_empty() {
        return "\nnothing is contradictory; nothing was written\n".into();
    }
    format!("\nwritten, for you to fill in:\n{}", files.iter().map(|path| format!("  {path}\n")).collect::<String>())
}

/// The text of a file of the variant, begun where there is none yet.
fn entry(files: &mut BTreeMap<PathBuf, String>, path: String, head: impl FnOnce() -> String) -> &mut String {
    files.entry(path.into()).or_insert_with(head)
}

/// "errata, variants/errata/rules/02-losses/2.1-losses.rhai:9"
fn source(row: &Row, side: usize) -> String {
    let voice = &row.pair[side];
    format!("{}, {}:{}", voice.variant, voice.path, voice.line)
}

/// A value as it may stand in a map.
fn value(text: &str) -> String {
    if text.parse::<i64>().is_ok() { text.into() } else { format!("\"{}\"", text.replace('"', "'")) }
}

fn function(report: &Report, name: &str, row: &Row, answers: [Answer; 2], files: &mut BTreeMap<PathBuf, String>) {
    let ruleset = &report.ruleset;
    let newer: &Case = &ruleset.cases[answers[1].by()];
    let path = newer.file.key.split_once("/rules/").map_or("", |(_, path)| path);
    let own = format!("variants/{name}/rules/{path}");
    let function = &ruleset.cases[answers[1].case].functions[answers[1].function];
    let head = || {
        let who = joined(report.variants.clone());
        let acts = match &newer.procedures[..] {
            [] => String::new(),
            [one] => format!("//! procedure: {one}\n"),
            several => format!("//! procedure: [{}]\n", several.join(", ")),
        };
        format!(
            "//! case: \"{}\"\n//! title: {}\n//! kind: revision\n{acts}//! text: >\n//!   What holds where {who} contradict each other.\n",
            newer.number,
            scalar(&newer.title)
        )
    };
    let text = entry(files, format!("rules/{path}"), head);
    // A third variant in the quarrel: its answer is the one that is not there yet.
    let marker = format!("\nfn {} {{\n", signature(function));
    let body: String = [0, 1]
        .into_iter()
        .filter(|side| !text.contains(&format!("// {}:\n", source(row, *side))))
        .map(|side| {
            let Answer { case, function, .. } = answers[side];
            format!("    // {}:\n{}", source(row, side), answer(&ruleset.cases[case], function, &row.pair[side].says))
        })
        .collect();
    if let Some(at) = text.find(&marker) {
        text.insert_str(at + marker.len(), &body);
        return;
    }
    let _ = write!(
        text,
        "\n/// {}{marker}{body}    // `prior()` would be the answer of whoever lies on top: write out what holds, in place of this line.\n    refuse(\"{} is not settled yet: fill in {own}\");\n}}\n",
        function.doc().first().unwrap_or(&"What holds."),
        function.name,
    );
}

/// An answer as a comment.
fn answer(case: &Case, function: usize, says: &str) -> String {
    if !says.is_empty() {
        return format!("    //   {says}\n");
    }
    let body = case.functions[function].body.trim_end();
    let inner = body.split_once('{').map_or(body, |(_, rest)| rest);
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    inner
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("    //   {}\n", line.trim_end().strip_prefix("    ").unwrap_or(line.trim())))
        .collect()
}

fn cell(report: &Report, row: &Row, id: &str, index: usize, files: &mut BTreeMap<PathBuf, String>) {
    let Some(table) = report.ruleset.stack_table(id, &mut Complaints::default()) else { return };
    let label = |axis: usize, key: &str| {
        let text = &table.axes[axis].written[table.position(index)[axis]];
        if text.is_empty() { String::new() } else { format!("{key}: \"{text}\", ") }
    };
    let at = format!("{}{}{}", label(0, "sheet"), label(1, "column"), label(2, "row"));
    let [a, b] = row.pair.each_ref().map(|voice| voice.says.clone());
    let status = table.cells[index].status.word();
    let text = entry(files, format!("tables/{}.yaml", table.file.stem()), || head_of_table(report, &table));
    let _ = writeln!(
        text,
        "  # {}: {a}; {}: {b}. What holds?\n  - {{ {at}was: \"{b}\", now: \"?\", status: {status} }}",
        source(row, 0),
        source(row, 1)
    );
}

fn head_of_table(report: &Report, table: &Table) -> String {
    let title = scalar(&format!("{}, what holds between {}", table.title, joined(report.variants.clone())));
    format!("table: \"{}\"\ntitle: {title}\nkind: revision\nchanges:\n", table.id)
}

fn head_of_list(report: &Report, list: &str) -> String {
    let scenario = report.ruleset.stack_scenario(list, &mut Complaints::default());
    let (sort, title) = scenario.map_or(("situation", list.to_string()), |s| (s.sort.word(), s.title.clone()));
    let title = scalar(&format!("{title}, what holds between {}", joined(report.variants.clone())));
    format!("{sort}: {list}\ntitle: {title}\nkind: revision\nchanges:\n")
}
