//! An answer as data: blocks in order, which every surface writes in its own way and programs read as JSON.

use casebook_engine::complaint::{Complaint, Remedy};
use casebook_engine::ruleset::compose::Ruleset;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "block", rename_all = "snake_case")]
#[schemars(rename = "block")]
pub enum AnswerBlock {
    /// Blocks below a title.
    Section {
        /// The title.
        title: String,
        /// What stands below it.
        blocks: Vec<AnswerBlock>,
    },
    /// A paragraph.
    Text {
        /// Its sentences.
        text: String,
        /// What a user can do about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        remedy: Option<Remedy>,
    },
    /// What is known under a label.
    Fact {
        /// The label.
        label: String,
        /// What is known.
        values: Vec<String>,
    },
    /// Rows of cells.
    Table {
        /// The titles of the columns; empty if the cells speak for themselves.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// Rows of cells, each with a share of the whole that is drawn as a bar.
    Chart {
        /// The titles of the columns; empty if the cells speak for themselves.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
        /// The share of each row, from 0 to 1.
        shares: Vec<f64>,
        /// The same as fractions, where these are asked for.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        fractions: Vec<String>,
    },
    /// An excerpt of a file.
    Source {
        /// Its lines.
        text: String,
    },
}

impl AnswerBlock {
    /// Blocks below a title, without those that say nothing.
    pub fn section(title: impl Into<String>, mut blocks: Vec<AnswerBlock>) -> AnswerBlock {
        let title = title.into();
        blocks.retain(|block| !block.is_empty());
        AnswerBlock::Section { title, blocks }
    }

    /// Sentences below a title; says nothing if there are none.
    pub fn list<T: Into<String>>(title: &str, lines: impl IntoIterator<Item = T>) -> AnswerBlock {
        let blocks: Vec<AnswerBlock> = lines.into_iter().map(AnswerBlock::text).collect();
        let title = if blocks.is_empty() { "" } else { title };
        AnswerBlock::section(title, blocks)
    }

    pub fn text(text: impl Into<String>) -> AnswerBlock {
        AnswerBlock::advised(text, None)
    }

    /// A paragraph, and what a user can do about it.
    pub fn advised(text: impl Into<String>, remedy: Option<Remedy>) -> AnswerBlock {
        let text = text.into();
        AnswerBlock::Text { text, remedy }
    }

    pub fn fact<T: ToString>(label: &str, values: impl IntoIterator<Item = T>) -> AnswerBlock {
        AnswerBlock::Fact {
            label: label.into(),
            values: values.into_iter().map(|value| value.to_string()).collect(),
        }
    }

    /// A table without titles of columns.
    pub fn rows(rows: Vec<Vec<String>>) -> AnswerBlock {
        let head = Vec::new();
        AnswerBlock::Table { head, rows }
    }

    /// A chart: rows, each with its share, and the fraction or nothing.
    pub fn chart(
        head: &[&str],
        rows: impl IntoIterator<Item = (Vec<String>, f64, Option<String>)>,
    ) -> AnswerBlock {
        let head = head.iter().map(ToString::to_string).collect();
        let (mut cells, mut shares, mut fractions) = (Vec::new(), Vec::new(), Vec::new());
        for (row, share, fraction) in rows {
            cells.push(row);
            shares.push(share);
            fractions.extend(fraction);
        }
        AnswerBlock::Chart {
            head,
            rows: cells,
            shares,
            fractions,
        }
    }

    pub fn source(text: &str) -> AnswerBlock {
        AnswerBlock::Source { text: text.into() }
    }

    /// Whether it says nothing, so that it is left out.
    pub fn is_empty(&self) -> bool {
        match self {
            AnswerBlock::Section { title, blocks } => title.is_empty() && blocks.is_empty(),
            AnswerBlock::Text { text, .. } | AnswerBlock::Source { text } => text.is_empty(),
            AnswerBlock::Fact { values, .. } => values.iter().all(String::is_empty),
            AnswerBlock::Table { rows, .. } | AnswerBlock::Chart { rows, .. } => rows.is_empty(),
        }
    }
}

/// What is known of one thing that has a name.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "page")]
pub struct AnswerPage {
    /// What it is: case, table, kind ... With the name it finds the thing alone.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The game, of what belongs to one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub game: String,
    /// Its name and what it is, in words.
    pub title: String,
    /// What is known of it.
    pub blocks: Vec<AnswerBlock>,
    /// The excerpts of the files that define it, where these are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub script: Vec<ScriptExcerpt>,
}

impl AnswerPage {
    pub fn new(kind: &'static str, name: &str, game: &str, title: impl Into<String>) -> AnswerPage {
        AnswerPage {
            kind,
            name: name.into(),
            game: game.into(),
            title: title.into(),
            blocks: Vec::new(),
            script: Vec::new(),
        }
    }

    /// Adds a block, unless it says nothing.
    pub fn push(&mut self, block: AnswerBlock) {
        if !block.is_empty() {
            self.blocks.push(block);
        }
    }

    /// Adds an excerpt of the file that defines it, and says where it stands.
    pub fn push_source(&mut self, excerpt: ScriptExcerpt) {
        self.push(AnswerBlock::fact("file", [&excerpt.place]));
        self.script.push(excerpt);
    }

    pub fn with(mut self, blocks: impl IntoIterator<Item = AnswerBlock>) -> AnswerPage {
        blocks.into_iter().for_each(|block| self.push(block));
        self
    }
}

/// Pages about what has a name.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "pages")]
pub struct FoundPages {
    /// A page for each thing that the name is of, game by game.
    pub found: Vec<AnswerPage>,
    /// Readings among those asked for that no case in force asks for: they change nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unasked_readings: Vec<String>,
}

impl FoundPages {
    /// Answers with pages, and their excerpts if these are asked for.
    pub fn new(mut found: Vec<AnswerPage>, with_script: bool) -> FoundPages {
        if !with_script {
            found.iter_mut().for_each(|page| page.script.clear());
        }
        FoundPages {
            found,
            unasked_readings: Vec::new(),
        }
    }
}

/// What was written.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "written_files")]
pub struct WrittenFiles {
    /// The paths of the files, or of their folder.
    pub written: Vec<String>,
    /// What is in them, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What is wrong with them.
    pub complaints: Vec<Complaint>,
}

impl WrittenFiles {
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> WrittenFiles {
        let paths = paths.into_iter();
        WrittenFiles {
            written: paths
                .map(|path| path.as_ref().display().to_string())
                .collect(),
            ..WrittenFiles::default()
        }
    }
}

/// An excerpt of a file.
#[derive(Serialize, JsonSchema)]
pub struct ScriptExcerpt {
    /// The path and line, and whether the file is built in.
    #[serde(skip)]
    pub place: String,
    /// The path.
    path: String,
    /// The line that it begins with.
    line: usize,
    /// Its text.
    text: String,
}

impl ScriptExcerpt {
    /// Creates an excerpt from a text that starts on `line` of a file.
    pub fn new(ruleset: &Ruleset, path: &str, line: usize, text: &str) -> ScriptExcerpt {
        ScriptExcerpt {
            place: display_line(ruleset, path, line),
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
}

/// Returns a path for display; embedded files are marked as built in.
pub fn display_path(ruleset: &Ruleset, path: &str) -> String {
    path.to_string() + embedded_note(ruleset, path)
}

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
