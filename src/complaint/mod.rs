//! What the author of a data file is shown when something is wrong: what, where, why, and how to mend it.
//!
//! A [`Complaint`] is for people who write tables and cases; [`Error`] is for callers of the library.
//! Complaints are collected, all of them, sorted by place and rendered together.
//!
//! | file | what it is |
//! |---|---|
//! | [`terminal`] | text as a terminal may be shown it |
//! | [`suggestions`] | the name that was meant by a mistyped one |
//! | [`render`] | a complaint as a person reads it |

mod render;
mod suggestions;
pub mod terminal;

pub use suggestions::{did_you_mean, edit_distance, nearest_names, suggestion_text};

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use terminal::{escape_invisible, is_invisible};

/// A stretch of one line: line and column from 1, both counted in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// Length in characters, at least 1.
    pub length: usize,
}

/// How much a complaint weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The data can't be used as it is; exit status 1.
    Error,
    /// Worth knowing, and harmless.
    Note,
}

/// How sure a complaint is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// It is so.
    #[default]
    Certain,
    /// By the names it seems so; what they stand for shows only when it runs.
    Likely,
}

/// One place in one file, with the line that stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file, as the user would type it.
    pub path: String,
    /// Where in it; none for the file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The text of the line; of a long one, what stands round the fault.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// How many characters of the line stand before the excerpt.
    #[serde(skip)]
    pub excerpt_start: usize,
}

/// Characters of a line that are shown on either side of a fault.
const CONTEXT_WIDTH: usize = 200;

impl Place {
    /// The file as a whole.
    pub fn whole_file(path: &str) -> Place {
        Place { path: escape_invisible(path).into(), span: None, excerpt: String::new(), excerpt_start: 0 }
    }

    /// A stretch of a file whose text is known.
    pub fn from_text(path: &str, text: &str, span: Span) -> Place {
        Place::from_line(path, text.lines().nth(span.line.saturating_sub(1)).unwrap_or_default(), span)
    }

    /// A stretch of a line.
    pub fn from_line(path: &str, line: &str, span: Span) -> Place {
        // A long line, or one of a file that is no text, would bury the message.
        let skipped = span.column.saturating_sub(CONTEXT_WIDTH);
        let shown = line.chars().skip(skipped).take(2 * CONTEXT_WIDTH + span.length.min(CONTEXT_WIDTH));
        let excerpt = shown.map(|c| if is_invisible(c) { ' ' } else { c }).collect();
        Place { path: escape_invisible(path).into(), span: Some(span), excerpt, excerpt_start: skipped }
    }

    /// Whether it is a place in a file. What stands in brackets was typed in, or said at the table.
    pub fn is_in_file(&self) -> bool {
        !self.path.starts_with('(')
    }
}

/// One fault of the data, as its author is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// Which law was broken; `casebook explain LAW` prints it.
    pub law: &'static str,
    /// Error or note.
    pub weight: Severity,
    /// How sure it is.
    pub sure: Certainty,
    /// What is wrong, in one sentence.
    pub what: String,
    /// Where.
    pub place: Place,
    /// What stands at the place, in the reader's words: "case 8.12, addition of hardy".
    #[serde(skip_serializing_if = "String::is_empty")]
    pub crumbs: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub help: String,
    /// Further places that have to do with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<(Place, String)>,
}

impl Complaint {
    /// An error at a place.
    pub fn new(law: &'static str, place: Place, what: impl Into<String>) -> Complaint {
        let what = what.into();
        let (crumbs, help) = Default::default();
        Complaint { law, weight: Severity::Error, sure: Certainty::Certain, what, place, crumbs, help, also: Vec::new() }
    }

    /// The same as a note.
    pub fn into_note(mut self) -> Complaint {
        self.weight = Severity::Note;
        self
    }

    /// The same, judged by names alone.
    pub fn into_likely(mut self) -> Complaint {
        self.sure = Certainty::Likely;
        self
    }

    /// With the remedy.
    pub fn with_help(mut self, help: impl Into<String>) -> Complaint {
        self.help = help.into();
        self
    }

    /// With what stands there.
    pub fn with_breadcrumbs(mut self, crumbs: impl Into<String>) -> Complaint {
        self.crumbs = crumbs.into();
        self
    }

    /// With a second place and what it has to do with the first.
    pub fn with_related(mut self, place: Place, label: impl Into<String>) -> Complaint {
        self.also.push((place, label.into()));
        self
    }
}

/// All complaints of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints(pub Vec<Complaint>);

/// So many of one law are shown in full of one file.
const MAX_SHOWN_PER_CODE: usize = 50;

impl Complaints {
    /// Adds one.
    pub fn push(&mut self, complaint: Complaint) {
        self.0.push(complaint);
    }

    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|c| c.weight == Severity::Error)
    }

    /// Sorted by file and line, without repetitions.
    pub fn into_sorted(mut self) -> Complaints {
        self.0.sort_by(|a, b| (&a.place.path, a.place.span, a.law, &a.what).cmp(&(&b.place.path, b.place.span, b.law, &b.what)));
        self.0.dedup();
        self
    }

    /// All of them as text, with a count at the end.
    pub fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        let mut alike: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for complaint in &self.0 {
            let before = alike.entry((complaint.law, &complaint.place.path)).or_default();
            *before += 1;
            if *before <= MAX_SHOWN_PER_CODE {
                out.push_str(&complaint.render(colour));
                out.push_str("\n\n");
            }
        }
        for ((law, path), count) in alike.into_iter().filter(|(_, count)| *count > MAX_SHOWN_PER_CODE) {
            out.push_str(&format!("{path}: {} more of the law `{law}`, of {count} in all\n\n", count - MAX_SHOWN_PER_CODE));
        }
        let errors = self.0.iter().filter(|c| c.weight == Severity::Error).count();
        let notes = self.0.len() - errors;
        let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        out.push_str(&match (errors, notes) {
            (e, 0) => count(e, "complaint"),
            (0, n) => count(n, "note"),
            (e, n) => format!("{}, {}", count(e, "complaint"), count(n, "note")),
        });
        out.push('\n');
        out
    }
}

impl fmt::Display for Complaints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl From<Complaint> for Complaints {
    fn from(complaint: Complaint) -> Self {
        Complaints(vec![complaint])
    }
}

/// Why a file can't be read or written, in words for people.
pub fn describe_io_error(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".into(),
        std::io::ErrorKind::PermissionDenied => "this may not be read or written here".into(),
        std::io::ErrorKind::AlreadyExists => "this is there already".into(),
        std::io::ErrorKind::IsADirectory => "this is a folder".into(),
        std::io::ErrorKind::NotADirectory => "a part of the path is no folder".into(),
        std::io::ErrorKind::StorageFull => "there is no room left".into(),
        _ => {
            let told = error.to_string();
            told.split(" (os error").next().unwrap_or(&told).to_string()
        }
    }
}

/// What can go wrong for a caller of the library. No input makes it panic.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The data has faults.
    #[error("{0}")]
    Data(Complaints),
    /// Something was named that isn't there.
    #[error("no {what} is called `{name}`{}", suggestion_text(.suggestions))]
    Unknown {
        /// What was looked for: situation, case, law ...
        what: &'static str,
        /// The name given.
        name: String,
        /// Names that come near.
        suggestions: Vec<String>,
    },
    /// A wish that can't be met as it was put.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("{path}: {}", describe_io_error(.source))]
    File {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

impl From<Complaint> for Error {
    fn from(complaint: Complaint) -> Self {
        Error::Data(complaint.into())
    }
}
