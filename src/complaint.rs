//! What the author of a data file is shown when something is wrong: what, where, why, and how to mend it.
//!
//! A [`Complaint`] is for people who write tables and cases; [`Error`] is for callers of the library.
//! Complaints are collected, all of them, sorted by place and rendered together.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;
use std::fmt;

/// A stretch of one line: line and column from 1, both counted in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
pub enum Weight {
    /// The data can't be used as it is; exit status 1.
    Error,
    /// Worth knowing, and harmless.
    Note,
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
    pub skipped: usize,
}

/// Characters of a line that are shown on either side of a fault.
const AROUND: usize = 200;

impl Place {
    /// The file as a whole.
    pub fn file(path: &str) -> Place {
        Place { path: path.into(), span: None, excerpt: String::new(), skipped: 0 }
    }

    /// A stretch of a file whose text is known.
    pub fn at(path: &str, text: &str, span: Span) -> Place {
        let line = text.lines().nth(span.line.saturating_sub(1)).unwrap_or_default();
        // A long line, or one of a file that is no text, would bury the message.
        let skipped = span.column.saturating_sub(AROUND);
        let shown = line.chars().skip(skipped).take(2 * AROUND + span.length.min(AROUND));
        let excerpt = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        Place { path: path.into(), span: Some(span), excerpt, skipped }
    }
}

/// One fault of the data, as its author is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// Which law was broken; `casebook explain LAW` prints it.
    pub law: &'static str,
    /// Error or note.
    pub weight: Weight,
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
        Complaint { law, weight: Weight::Error, what, place, crumbs: String::new(), help: String::new(), also: Vec::new() }
    }

    /// The same as a note.
    pub fn note(mut self) -> Complaint {
        self.weight = Weight::Note;
        self
    }

    /// With the remedy.
    pub fn help(mut self, help: impl Into<String>) -> Complaint {
        self.help = help.into();
        self
    }

    /// With what stands there.
    pub fn crumbs(mut self, crumbs: impl Into<String>) -> Complaint {
        self.crumbs = crumbs.into();
        self
    }

    /// With a second place and what it has to do with the first.
    pub fn also(mut self, place: Place, label: impl Into<String>) -> Complaint {
        self.also.push((place, label.into()));
        self
    }

    /// The complaint as a person reads it, in colour or without.
    pub fn render(&self, colour: bool) -> String {
        let level = if self.weight == Weight::Error { Level::ERROR } else { Level::NOTE };
        let title = level.clone().primary_title(self.what.as_str()).id(self.law);
        let mut group = Group::with_title(title);
        group = shown(group, &self.place, AnnotationKind::Primary, &self.crumbs);
        for (place, label) in &self.also {
            group = shown(group, place, AnnotationKind::Context, label);
        }
        if !self.help.is_empty() {
            group = group.element(Level::HELP.message(self.help.as_str()));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group]).to_string()
    }
}

/// Adds a place with what stands there: a line and a mark in it, or the file alone.
fn shown<'a>(group: Group<'a>, place: &'a Place, kind: AnnotationKind, label: &'a str) -> Group<'a> {
    let Some(span) = place.span else {
        let group = group.element(Origin::path(place.path.as_str()));
        return if label.is_empty() { group } else { group.element(Level::NOTE.message(label)) };
    };
    // What was cut off before it is put back as dots, which are too far away to be shown, so that the column is the true one.
    let line = format!("{}{}", ".".repeat(place.skipped), place.excerpt);
    let byte = |chars: usize| line.char_indices().nth(chars).map_or(line.len(), |(i, _)| i);
    let from = byte(span.column.saturating_sub(1));
    let to = byte(span.column.saturating_sub(1) + span.length.max(1)).max(from);
    let mut mark = kind.span(from..to);
    if !label.is_empty() {
        mark = mark.label(label);
    }
    group.element(Snippet::source(line).line_start(span.line).path(place.path.as_str()).annotation(mark))
}

/// All complaints of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints(pub Vec<Complaint>);

impl Complaints {
    /// Adds one.
    pub fn push(&mut self, complaint: Complaint) {
        self.0.push(complaint);
    }

    /// Whether any of them is an error.
    pub fn any_error(&self) -> bool {
        self.0.iter().any(|c| c.weight == Weight::Error)
    }

    /// Sorted by file and line, without repetitions.
    pub fn sorted(mut self) -> Complaints {
        self.0.sort_by(|a, b| (&a.place.path, a.place.span, a.law, &a.what).cmp(&(&b.place.path, b.place.span, b.law, &b.what)));
        self.0.dedup();
        self
    }

    /// All of them as text, with a count at the end.
    pub fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        for complaint in &self.0 {
            out.push_str(&complaint.render(colour));
            out.push_str("\n\n");
        }
        let errors = self.0.iter().filter(|c| c.weight == Weight::Error).count();
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

/// What can go wrong for a caller of the library. No input makes it panic.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The data has faults.
    #[error("{0}")]
    Data(Complaints),
    /// Something was named that isn't there.
    #[error("no {what} is called `{name}`{}", hint(.near))]
    Unknown {
        /// What was looked for: situation, case, law ...
        what: &'static str,
        /// The name given.
        name: String,
        /// Names that come near.
        near: Vec<String>,
    },
    /// A wish that can't be met as it was put.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
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

fn hint(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; did you mean `{one}`?"),
        [init @ .., last] => format!("; did you mean `{}` or `{last}`?", init.join("`, `")),
    }
}

/// The names nearest to a mistyped one, at most three, and none that is further away than another; else names of which it is a part.
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let mut hits: Vec<(bool, usize, &str)> = known
        .into_iter()
        .filter_map(|k| {
            let low = k.to_lowercase();
            let inside = name.len() > 2 && (low.contains(&name) || (low.len() > 2 && name.contains(&low)));
            let far = distance(&name, &low);
            // A name of which no letter is left is another name.
            let close = far <= 1 + letters / 4 && far < letters.max(low.chars().count());
            (close || inside).then_some((!close, far, k))
        })
        .collect();
    hits.sort();
    hits.dedup();
    let Some(&(parts, nearest, _)) = hits.first() else { return Vec::new() };
    hits.into_iter().take_while(|(part, far, _)| parts || (!part && *far == nearest)).take(3).map(|(.., k)| k.to_string()).collect()
}

/// "; did you mean `x`?" or nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    hint(&near(name, known))
}

/// Edits between two words, a swap of neighbours counting as one.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}
