//! What `casebook show` has found: a page of text, the same as data, and the source it was read from.

use crate::ruleset::compose::Ruleset;
use serde_json::{Value, json};

/// What was found, for a person and for a program.
pub struct Shown {
    /// What it is: case, table, kind ... With its name, it asks for this alone.
    pub sort: &'static str,
    /// Its name.
    pub name: String,
    /// As text.
    pub text: String,
    /// As data.
    pub json: Value,
    /// Where it stands in files.
    pub scripts: Vec<Script>,
}

/// A part of a file.
pub struct Script {
    /// Path and line, with a word on whether it is built in.
    place: String,
    path: String,
    line: usize,
    text: String,
}

impl Script {
    /// A text that begins on a line of a file.
    pub fn of(ruleset: &Ruleset, path: &str, line: usize, text: &str) -> Script {
        Script { place: self::line(ruleset, path, line), path: path.into(), line, text: text.trim_end().into() }
    }

    /// What begins on a line of a file of YAML: the line, and those set in below it.
    pub fn block(ruleset: &Ruleset, path: &str, text: &str, line: usize) -> Script {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = text.lines().skip(line.max(1) - 1);
        let first = lines.next().unwrap_or_default();
        let below = lines.take_while(|next| next.trim().is_empty() || indent(next) > indent(first));
        let whole: Vec<&str> = std::iter::once(first).chain(below).collect();
        Script::of(ruleset, path, line, &whole.join("\n"))
    }

    /// As text: where it stands, in the comment of its language, then the lines themselves.
    pub fn render(&self) -> String {
        let sign = if self.path.ends_with(".rhai") { "//" } else { "#" };
        format!("{sign} {}\n{}\n", self.place, self.text)
    }

    /// As data.
    pub fn json(&self) -> Value {
        json!({ "path": self.path, "line": self.line, "text": self.text })
    }
}

/// A path as it is shown: of what is bound into the program it says so.
pub fn place(ruleset: &Ruleset, path: &str) -> String {
    path.to_string() + bound(ruleset, path)
}

/// A line of a file as it is shown.
pub fn line(ruleset: &Ruleset, path: &str, line: usize) -> String {
    format!("{path}:{line}{}", bound(ruleset, path))
}

fn bound(ruleset: &Ruleset, path: &str) -> &'static str {
    if ruleset.library.shelf.files.get(path).is_some_and(|file| file.text.is_bound()) { " (built in)" } else { "" }
}
