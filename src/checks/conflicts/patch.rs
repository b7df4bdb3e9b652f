//! Writes the skeleton of a variant that resolves the contradictions of others,
//! for its author to fill in.

use crate::author::charts::change_entries;
use crate::author::scaffold::{check_free_name, check_plain_name, procedure_line};
use crate::conflicts::meeting::{MeetingRow, MeetingSubject, MeetingVerdict, signature};
use crate::conflicts::report::ConflictReport;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::case::Case;
use casebook_engine::data::library::Library;
use casebook_engine::data::transaction::Transaction;
use casebook_engine::data::yaml_writer::{
    write_figure, write_key, write_list, write_quoted, write_scalar,
};
use casebook_engine::ruleset::compose::{LayerAnswer, Ruleset, RulesetSpec};
use casebook_engine::situation::value_text::join_words;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes the skeleton of the variant `name` and returns the paths of its files; without contradictions it writes nothing.
/// Existing files are never overwritten.
pub fn write_variant(
    library: &Arc<Library>,
    root: &Path,
    report: &ConflictReport,
    name: &str,
) -> Result<Vec<String>, Error> {
    check_plain_name(name)?;
    check_free_name(library, name)?;
    let (ruleset, _) = Ruleset::compose(
        library,
        &RulesetSpec::with_variants(&report.game, report.variants.clone()),
    )?;
    let mut patch = PatchWriter {
        ruleset: &ruleset,
        name,
        variant_names: join_words(report.variants.clone()),
        files: BTreeMap::new(),
    };
    report
        .rows
        .iter()
        .filter(|row| row.verdict == MeetingVerdict::Contradictory)
        .for_each(|row| patch.add_row(row));
    if patch.files.is_empty() {
        return Ok(Vec::new());
    }
    let folder = root.join("variants").join(name);
    let list = write_list(&report.variants);
    let head = format!(
        "variant: {}\ntitle: {}\ngame: {}\nafter: {list}      # what it says holds over theirs\nneeds: {list}      # and they come into force with it\n",
        write_scalar(name),
        write_scalar(&format!("What holds between {}", patch.variant_names)),
        report.game
    );
    patch.files.insert("variant.yaml".into(), head);
    let mut files = Transaction::new(root);
    for (path, text) in patch.files {
        files.create(folder.join(path), text);
    }
    Ok(files
        .commit()?
        .iter()
        .map(|path| path.display().to_string())
        .collect())
}

/// Returns the list of written files as text for the terminal.
pub fn describe_files(files: &[String]) -> String {
    if files.is_empty() {
        return "\nnothing is contradictory; nothing was written\n".into();
    }
    format!(
        "\nwritten, for you to fill in:\n{}",
        files
            .iter()
            .map(|path| format!("  {path}\n"))
            .collect::<String>()
    )
}

/// Returns the source of one side of a row, e.g. "errata, variants/errata/rules/02-losses/2.1-losses.rhai:9".
fn source_reference(row: &MeetingRow, side: usize) -> String {
    let side = &row.pair[side];
    format!("{}, {}:{}", side.variant, side.path, side.line)
}

/// The files of a variant that resolves contradictions.
struct PatchWriter<'a> {
    /// The ruleset with all of the variants.
    ruleset: &'a Ruleset,
    name: &'a str,
    /// The variants that contradict each other, in words.
    variant_names: String,
    /// The text of each file by its path in the folder of the variant.
    files: BTreeMap<PathBuf, String>,
}

impl PatchWriter<'_> {
    /// Returns the text of a file; `head` gives its first lines if the file is new.
    fn file_text(&mut self, path: String, head: String) -> &mut String {
        self.files.entry(path.into()).or_insert(head)
    }

    /// Returns the first lines of a list of changes.
    fn changes_header(&self, (kind, name): (&str, &str), title: &str) -> String {
        let title = write_scalar(&format!(
            "{title}, what holds between {}",
            self.variant_names
        ));
        let name = write_scalar(name);
        format!("{kind}: {name}\ntitle: {title}\nkind: revision\nchanges:\n")
    }

    /// Adds the change that settles a contradiction.
    fn add_row(&mut self, row: &MeetingRow) {
        match &row.subject {
            MeetingSubject::Function(_, answers) => self.add_function(row, *answers),
            MeetingSubject::Cells(id, cells) => {
                cells.iter().for_each(|cell| self.add_cell(row, id, *cell))
            }
            MeetingSubject::Figure(list, path) => self.add_figure(row, list, path),
            MeetingSubject::Files(..) => {}
        }
    }

    fn add_function(&mut self, row: &MeetingRow, answers: [LayerAnswer; 2]) {
        let ruleset = self.ruleset;
        let newer: &Case = &ruleset.cases[answers[1].deciding_case()];
        let path = newer
            .file
            .key
            .split_once("/rules/")
            .map_or("", |(_, path)| path);
        let own_path = format!("variants/{}/rules/{path}", self.name);
        let function = &ruleset.cases[answers[1].case].functions[answers[1].function];
        let acts = procedure_line(&newer.procedures);
        let head = format!(
            "//! case: {}\n//! title: {}\n//! kind: revision\n{acts}//! text: >\n//!   What holds where {} contradict each other.\n",
            write_quoted(&newer.number),
            write_scalar(&newer.title),
            self.variant_names
        );
        let text = self.file_text(format!("rules/{path}"), head);
        // If a third variant contradicts too, only the answers that the file does not contain yet are added.
        let marker = format!("\nfn {} {{\n", signature(function));
        let body: String = [0, 1]
            .into_iter()
            .filter(|side| !text.contains(&format!("// {}:\n", source_reference(row, *side))))
            .map(|side| {
                let LayerAnswer { case, function, .. } = answers[side];
                format!(
                    "    // {}:\n{}",
                    source_reference(row, side),
                    answer_comment(&ruleset.cases[case], function, &row.pair[side].says)
                )
            })
            .collect();
        if let Some(at) = text.find(&marker) {
            text.insert_str(at + marker.len(), &body);
            return;
        }
        let _ = write!(
            text,
            "\n/// {}{marker}{body}    // `prior()` would be the answer of the topmost variant: write out what holds, in place of this line.\n    refuse(\"{} is not settled yet: fill in {own_path}\");\n}}\n",
            function.doc_lines().first().unwrap_or(&"What holds."),
            function.name,
        );
    }

    fn add_cell(&mut self, row: &MeetingRow, id: &str, index: usize) {
        let Some(table) = self.ruleset.stack_table(id, &mut Complaints::default()) else {
            return;
        };
        let status = table.cells[index].status.as_str();
        let head = self.changes_header(("table", &table.id), &table.title);
        let text = self.file_text(format!("tables/{}.yaml", table.file.stem()), head);
        let change = change_entries(&table, index, &row.pair[1].says, "?");
        let _ = writeln!(
            text,
            "{}\n  - {{ {change}, status: {status} }}",
            both_answers(row)
        );
    }

    fn add_figure(&mut self, row: &MeetingRow, list: &str, path: &[String]) {
        let scenario = self
            .ruleset
            .stack_scenario(list, &mut Complaints::default());
        let (kind, title) = scenario.map_or(("situation", list.to_string()), |s| {
            (s.list_kind.as_str(), s.title.clone())
        });
        let head = self.changes_header((kind, list), &title);
        let text = self.file_text(format!("scenarios/{list}.yaml"), head);
        let was = write_figure(&row.pair[1].says);
        let change = match path {
            [list, piece] if list == "pieces" => {
                let piece = write_scalar(piece);
                format!("{{ piece: {piece}, was: present, now: \"?\" }}")
            }
            [list, piece, figure] if list == "pieces" => {
                let (piece, figure) = (write_scalar(piece), write_key(figure));
                format!("{{ piece: {piece}, {figure}: {{ was: {was}, now: \"?\" }} }}")
            }
            path => path
                .iter()
                .rfold(format!("{{ was: {was}, now: \"?\" }}"), |inner, key| {
                    format!("{{ {}: {inner} }}", write_key(key))
                }),
        };
        let _ = writeln!(text, "{}\n  - {change}", both_answers(row));
    }
}

/// Returns the two answers of a row as a comment of a YAML file.
fn both_answers(row: &MeetingRow) -> String {
    let [a, b] = row.pair.each_ref().map(|side| side.says.replace('\n', " "));
    format!(
        "  # {}: {a}; {}: {b}. What holds?",
        source_reference(row, 0),
        source_reference(row, 1)
    )
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
        .map(|line| {
            format!(
                "    //   {}\n",
                line.trim_end().strip_prefix("    ").unwrap_or(line.trim())
            )
        })
        .collect()
}
