//! What `casebook show` has found: a page of text, the same as data, and the source it was read from.

use crate::ruleset::compose::Ruleset;
use serde_json::{Value, json};

/// What was found, for a person and for a program.
pub struct ShowPage {
    /// What it is: case, table, kind ... With its name, it asks for this alone.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// As text.
    pub text: String,
    /// As data.
    pub json: Value,
    /// Where it stands in files.
    pub excerpts: Vec<ScriptExcerpt>,
}

/// A part of a file.
pub struct ScriptExcerpt {
    /// Path and line, with a word on whether it is built in.
    place: String,
    path: String,
    line: usize,
    text: String,
}

impl ScriptExcerpt {
    /// A text that begins on a line of a file.
    pub fn new(ruleset: &Ruleset, path: &str, line: usize, text: &str) -> ScriptExcerpt {
        ScriptExcerpt { place: self::display_line(ruleset, path, line), path: path.into(), line, text: text.trim_end().into() }
    }

    /// What begins on a line of a file of YAML: the line, and those set in below it.
    pub fn yaml_block(ruleset: &Ruleset, path: &str, text: &str, line: usize) -> ScriptExcerpt {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = text.lines().skip(line.max(1) - 1);
        let first = lines.next().unwrap_or_default();
        let below = lines.take_while(|next| next.trim().is_empty() || indent(next) > indent(first));
        let whole: Vec<&str> = std::iter::once(first).chain(below).collect();
        ScriptExcerpt::new(ruleset, path, line, &whole.join("\n"))
    }

    /// As text: where it stands, in the comment of its language, then the lines themselves.
    pub fn render(&self) -> String {
        let sign = if self.path.ends_with(".rhai") { "//" } else { "#" };
        format!("{sign} {}\n{}\n", self.place, self.text)
    }

    /// As data.
    pub fn to_json(&self) -> Value {
        json!({ "path": self.path, "line": self.line, "text": self.text })
    }
}

/// A path as it is shown: of what is bound into the program it says so.
pub fn display_path(ruleset: &Ruleset, path: &str) -> String {
    path.to_string() + embedded_note(ruleset, path)
}

/// A line of a file as it is shown.
pub fn display_line(ruleset: &Ruleset, path: &str, line: usize) -> String {
    format!("{path}:{line}{}", embedded_note(ruleset, path))
}

fn embedded_note(ruleset: &Ruleset, path: &str) -> &'static str {
    if ruleset.library.files.by_key.get(path).is_some_and(|file| file.text.is_embedded()) { " (built in)" } else { "" }
}
