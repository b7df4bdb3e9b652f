//! Equivalent mutants: one file per game lists changes that are known to make no difference, with reasons.

use crate::complaint::{Complaint, DiagnosticCode, Span};
use crate::data::case::Case;
use crate::data::file::DataFile;
use crate::data::format::ruling_test;
use crate::data::library::Library;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::testing::mutation_steps::TextStep;
use crate::testing::test::EQUIVALENTS;
use std::collections::BTreeMap;

/// The keyword for a negated condition.
const NOT: &str = "not";

/// An entry: changes of a line that make no difference.
struct EquivalentMutant {
    function: String,
    line: String,
    changes: Vec<String>,
    why: String,
    span: Span,
}

/// The equivalent mutants of a game, by the path of the case.
#[derive(Default)]
pub struct Equivalents(BTreeMap<String, Vec<EquivalentMutant>>);

impl Equivalents {
    /// Reads the file of a game and reports what is wrong with it.
    pub fn load(library: &Library, game: &str) -> (Equivalents, Vec<Complaint>) {
        let file = library.files.by_key.get(&format!("tests/{game}/{EQUIVALENTS}"));
        file.map(|file| Equivalents::read(file, library)).unwrap_or_default()
    }

    /// Reads a file and reports what is wrong with it, such as a case that the library doesn't have.
    pub fn read(file: &DataFile, library: &Library) -> (Equivalents, Vec<Complaint>) {
        let mut reader = YamlReader::for_file(file);
        let mut found = Equivalents::default();
        let Some(root) = reader.parse_file() else { return (found, reader.complaints.0) };
        reader.check_format(&root, &ruling_test::EQUIVALENTS);
        for (case, list) in root.get("cases").map(YamlNode::entries).unwrap_or_default() {
            let key = case.as_text().unwrap_or_default();
            let entries: Vec<EquivalentMutant> = list.items().iter().filter_map(|item| entry(item, &mut reader)).collect();
            let text = library.files.by_key.get(key).map_or("", |file: &DataFile| &file.text);
            if text.is_empty() {
                let what = format!("there is no case `{key}`");
                reader.complain(DiagnosticCode::Test, case.span, what, "write its path, as `casebook show` prints it");
            } else if let Some(entry) = entries.iter().find(|entry| !text.lines().any(|line| line.trim() == entry.line)) {
                let what = format!("no line of {key} is `{}`", entry.line);
                reader.complain(DiagnosticCode::Test, entry.span, what, "copy the line from the case, or remove the entry");
            }
            found.0.insert(key.to_string(), entries);
        }
        (found, reader.complaints.0)
    }

    /// Returns the stated reason why a change of a function makes no difference; `None` if it is not listed.
    pub fn reason(&self, case: &Case, function: &str, step: &TextStep) -> Option<String> {
        let line = case.file.text.lines().nth(step.line - 1).map(str::trim)?;
        let named = |change: &String| *change == step.now || change == NOT && step.now.starts_with("!(");
        let fits = |entry: &&EquivalentMutant| entry.function == function && entry.line == line && entry.changes.iter().any(named);
        self.0.get(&case.file.key)?.iter().find(fits).map(|entry| entry.why.clone())
    }
}

fn entry(item: &YamlNode, reader: &mut YamlReader) -> Option<EquivalentMutant> {
    reader.check_format(item, &ruling_test::EQUIVALENT);
    Some(EquivalentMutant {
        function: reader.required_text(item, "function")?.to_string(),
        line: reader.required_text(item, "line")?.to_string(),
        changes: item.get("changes").map(|node| reader.texts(node)).unwrap_or_default(),
        why: reader.required_text(item, "why")?.to_string(),
        span: item.get("line").unwrap_or(item).span,
    })
}
