//! A page of `casebook show`: text, JSON and the source.

use casebook_engine::ruleset::compose::Ruleset;
use serde_json::{Value, json};

/// A page about one thing, for people and for programs.
pub struct ShowPage {
    /// The kind of thing: case, table, kind ... Together with the name it is an unambiguous query.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The page as text.
    pub text: String,
    /// The page as JSON.
    pub json: Value,
    /// The excerpts of the files that define it.
    pub excerpts: Vec<ScriptExcerpt>,
}

impl ShowPage {
    /// Creates a page.
    pub fn new(
        kind: &'static str,
        name: &str,
        text: String,
        json: Value,
        excerpts: impl IntoIterator<Item = ScriptExcerpt>,
    ) -> ShowPage {
        ShowPage {
            kind,
            name: name.into(),
            text,
            json,
            excerpts: excerpts.into_iter().collect(),
        }
    }
}

/// An excerpt of a file.
pub struct ScriptExcerpt {
    /// The path and line, and whether the file is built in.
    place: String,
    path: String,
    line: usize,
    text: String,
}

impl ScriptExcerpt {
    /// Creates an excerpt from a text that starts on `line` of a file.
    pub fn new(ruleset: &Ruleset, path: &str, line: usize, text: &str) -> ScriptExcerpt {
        ScriptExcerpt {
            place: self::display_line(ruleset, path, line),
            path: path.into(),
            line,
            text: text.trim_end().into(),
        }
    }

    /// Creates an excerpt of a YAML file: the given line and the lines indented below it.
    pub fn yaml_block(ruleset: &Ruleset, path: &str, text: &str, line: usize) -> ScriptExcerpt {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut lines = text.lines().skip(line.max(1) - 1);
        let first = lines.next().unwrap_or_default();
        let below = lines.take_while(|next| next.trim().is_empty() || indent(next) > indent(first));
        let block: Vec<&str> = std::iter::once(first).chain(below).collect();
        ScriptExcerpt::new(ruleset, path, line, &block.join("\n"))
    }

    /// Renders the excerpt: its place as a comment of the file's language, and its lines. A card, with which its file begins, stays first.
    pub fn render(&self) -> String {
        let sign = if self.path.ends_with(".rhai") {
            "//"
        } else {
            "#"
        };
        let place = format!("{sign} {}", self.place);
        let mut lines: Vec<&str> = self.text.lines().collect();
        let card = lines
            .iter()
            .take_while(|line| line.starts_with("//!"))
            .count();
        lines.insert(card, &place);
        lines.join("\n") + "\n"
    }

    /// Returns the excerpt as JSON.
    pub fn to_json(&self) -> Value {
        json!({ "path": self.path, "line": self.line, "text": self.text })
    }
}

/// Returns a path for display; embedded files are marked as built in.
pub fn display_path(ruleset: &Ruleset, path: &str) -> String {
    path.to_string() + embedded_note(ruleset, path)
}

/// Returns a path and line for display.
pub fn display_line(ruleset: &Ruleset, path: &str, line: usize) -> String {
    format!("{path}:{line}{}", embedded_note(ruleset, path))
}

fn embedded_note(ruleset: &Ruleset, path: &str) -> &'static str {
    if ruleset
        .library
        .files
        .by_key
        .get(path)
        .is_some_and(|file| file.text.is_embedded())
    {
        " (built in)"
    } else {
        ""
    }
}
