//! `casebook check --conflicts ... --patch NAME`: writes the skeleton of a variant that resolves the contradictions of others,
//! for its author to fill in.

use crate::author::scaffold::check_plain_name;
use crate::complaint::{Complaints, Error};
use crate::conflicts::meeting::{MeetingRow, MeetingSubject, MeetingVerdict, signature};
use crate::conflicts::report::ConflictReport;
use crate::data::atomic_write::write_new;
use crate::data::case::Case;
use crate::data::library::Library;
use crate::data::table::Table;
use crate::data::yaml_writer::write_scalar;
use crate::ruleset::compose::LayerAnswer;
use crate::situation::value_text::join_words;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Writes the skeleton of the variant `name` and returns the paths of its files; without contradictions it writes nothing.
/// Existing files are never overwritten.
pub fn write_variant(library: &Library, root: &Path, report: &ConflictReport, name: &str) -> Result<Vec<String>, Error> {
    check_plain_name(name)?;
    if library.variants.contains_key(name) || library.games.contains_key(name) {
        return Err(Error::Usage(format!("there is a variant or game called `{name}` already; nothing was written")));
    }
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    for row in report.rows.iter().filter(|row| row.verdict == MeetingVerdict::Contradictory) {
        match &row.subject {
            MeetingSubject::Function(_, answers) => write_function(report, name, row, *answers, &mut files),
            MeetingSubject::Cells(id, cells) => cells.iter().for_each(|cell| self::write_cell(report, row, id, *cell, &mut files)),
            MeetingSubject::Figure(list, said) => {
                let text = file_text(&mut files, format!("scenarios/{list}.yaml"), || list_header(report, list));
                let [a, b] = row.pair.each_ref().map(|side| side.says.replace('\n', " "));
                let change = if said.figure.is_empty() {
                    format!("{{ piece: {}, was: present, now: \"?\" }}", write_scalar(&said.piece))
                } else {
                    format!("{{ piece: {}, {}: {{ was: {}, now: \"?\" }} }}", write_scalar(&said.piece), said.figure, yaml_value(&b))
                };
                let _ =
                    writeln!(text, "  # {}: {a}; {}: {b}. What holds?\n  - {change}", source_reference(row, 0), source_reference(row, 1));
            }
            MeetingSubject::Files(..) => {}
        }
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let folder = root.join("variants").join(name);
    let list = report.variants.iter().map(|name| write_scalar(name)).collect::<Vec<_>>().join(", ");
    let head = format!(
        "variant: {}\ntitle: {}\ngame: {}\nafter: [{list}]      # what it says holds over theirs\nneeds: [{list}]      # and they come into force with it\n",
        write_scalar(name),
        write_scalar(&format!("What holds between {}", join_words(report.variants.clone()))),
        report.game
    );
    files.insert("variant.yaml".into(), head);
    let written = write_new(root, files.into_iter().map(|(path, text)| (folder.join(path), text)).collect())?;
    Ok(written.iter().map(|path| path.display().to_string()).collect())
}

/// Returns the list of written files as text for the terminal.
pub fn describe_files(files: &[String]) -> String {
    if files.is_empty() {
        return "\nnothing is contradictory; nothing was written\n".into();
    }
    format!("\nwritten, for you to fill in:\n{}", files.iter().map(|path| format!("  {path}\n")).collect::<String>())
}

/// Returns the text of a file of the variant; `head` gives its first lines if the file is new.
fn file_text(files: &mut BTreeMap<PathBuf, String>, path: String, head: impl FnOnce() -> String) -> &mut String {
    files.entry(path.into()).or_insert_with(head)
}

/// Returns the source of one side of a row, e.g. "errata, variants/errata/rules/02-losses/2.1-losses.rhai:9".
fn source_reference(row: &MeetingRow, side: usize) -> String {
    let side = &row.pair[side];
    format!("{}, {}:{}", side.variant, side.path, side.line)
}

/// Formats a value for a YAML flow mapping, quoted if necessary.
fn yaml_value(text: &str) -> String {
    if text.parse::<i64>().is_ok() { text.into() } else { format!("\"{}\"", text.replace('"', "'")) }
}

fn write_function(report: &ConflictReport, name: &str, row: &MeetingRow, answers: [LayerAnswer; 2], files: &mut BTreeMap<PathBuf, String>) {
    let ruleset = &report.ruleset;
    let newer: &Case = &ruleset.cases[answers[1].deciding_case()];
    let path = newer.file.key.split_once("/rules/").map_or("", |(_, path)| path);
    let own = format!("variants/{name}/rules/{path}");
    let function = &ruleset.cases[answers[1].case].functions[answers[1].function];
    let head = || {
        let who = join_words(report.variants.clone());
        let acts = match &newer.procedures[..] {
            [] => String::new(),
            [one] => format!("//! procedure: {one}\n"),
            several => format!("//! procedure: [{}]\n", several.join(", ")),
        };
        format!(
            "//! case: \"{}\"\n//! title: {}\n//! kind: revision\n{acts}//! text: >\n//!   What holds where {who} contradict each other.\n",
            newer.number,
            write_scalar(&newer.title)
        )
    };
    let text = file_text(files, format!("rules/{path}"), head);
    // If a third variant contradicts too, only the answers that the file does not contain yet are added.
    let marker = format!("\nfn {} {{\n", signature(function));
    let body: String = [0, 1]
        .into_iter()
        .filter(|side| !text.contains(&format!("// {}:\n", source_reference(row, *side))))
        .map(|side| {
            let LayerAnswer { case, function, .. } = answers[side];
            format!("    // {}:\n{}", source_reference(row, side), answer_comment(&ruleset.cases[case], function, &row.pair[side].says))
        })
        .collect();
    if let Some(at) = text.find(&marker) {
        text.insert_str(at + marker.len(), &body);
        return;
    }
    let _ = write!(
        text,
        "\n/// {}{marker}{body}    // `prior()` would be the answer of whoever lies on top: write out what holds, in place of this line.\n    refuse(\"{} is not settled yet: fill in {own}\");\n}}\n",
        function.doc_lines().first().unwrap_or(&"What holds."),
        function.name,
    );
}

/// Formats an answer as a comment in a script.
fn answer_comment(case: &Case, function: usize, says: &str) -> String {
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

fn write_cell(report: &ConflictReport, row: &MeetingRow, id: &str, index: usize, files: &mut BTreeMap<PathBuf, String>) {
    let Some(table) = report.ruleset.stack_table(id, &mut Complaints::default()) else { return };
    let label = |axis: usize, key: &str| {
        let text = &table.axes[axis].label_texts[table.position(index)[axis]];
        if text.is_empty() { String::new() } else { format!("{key}: \"{text}\", ") }
    };
    let at = format!("{}{}{}", label(0, "sheet"), label(1, "column"), label(2, "row"));
    let [a, b] = row.pair.each_ref().map(|side| side.says.clone());
    let status = table.cells[index].status.as_str();
    let text = file_text(files, format!("tables/{}.yaml", table.file.stem()), || table_header(report, &table));
    let _ = writeln!(
        text,
        "  # {}: {a}; {}: {b}. What holds?\n  - {{ {at}was: \"{b}\", now: \"?\", status: {status} }}",
        source_reference(row, 0),
        source_reference(row, 1)
    );
}

fn table_header(report: &ConflictReport, table: &Table) -> String {
    let title = write_scalar(&format!("{}, what holds between {}", table.title, join_words(report.variants.clone())));
    format!("table: \"{}\"\ntitle: {title}\nkind: revision\nchanges:\n", table.id)
}

fn list_header(report: &ConflictReport, list: &str) -> String {
    let scenario = report.ruleset.stack_scenario(list, &mut Complaints::default());
    let (sort, title) = scenario.map_or(("situation", list.to_string()), |s| (s.list_kind.as_str(), s.title.clone()));
    let title = write_scalar(&format!("{title}, what holds between {}", join_words(report.variants.clone())));
    format!("{sort}: {list}\ntitle: {title}\nkind: revision\nchanges:\n")
}
