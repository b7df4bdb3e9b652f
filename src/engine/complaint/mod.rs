//! Diagnostics for authors of data files: what is wrong, where, why, and how to fix it.
//!
//! A [`Complaint`] is for people who write tables and cases; an [`Error`] is for callers of the library.
//! A run collects all complaints, sorts them by place and renders them together.
//!
//! Every complaint has one form. What is wrong is a sentence with subject, verb and object, and the reason after a comma or colon where there
//! is one: "this addition replaces the answer of `x` without asking `prior()`". The place follows. The remedy is an instruction: "write ...",
//! "name one of ...", "check ...". Both use the words of rules and charts.
//!
//! | file | what it is |
//! |---|---|
//! | [`codes`] | the diagnostic codes and their explanations |
//! | [`defect`] | a complaint without its place |
//! | [`remedy`] | what helps, as data that each surface words |
//! | [`terminal`] | makes text safe for a terminal, and fits it to its width |
//! | [`suggestions`] | suggests the intended name for a misspelt one |
//! | [`render`] | renders a complaint |

mod codes;
mod defect;
mod remedy;
mod render;
mod suggestions;
pub mod terminal;

pub use codes::DiagnosticCode;
pub use defect::Defect;
pub use remedy::Remedy;
pub use suggestions::{
    Message, did_you_mean, edit_distance, nearest_names, suggestion_text, unknown_name,
};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use terminal::{escape_invisible, is_invisible};

/// A range within one line; line and column count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// Length in characters, at least 1.
    pub length: usize,
}

/// Severity of a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Severity {
    /// The data is unusable; exit status 1.
    Error,
    /// Harmless information.
    Note,
}

/// Confidence in a complaint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Certainty {
    /// Proven.
    #[default]
    Certain,
    /// Inferred from names; only a run would prove it.
    Likely,
}

/// A place in a file, with an excerpt of the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "place")
)]
pub struct Place {
    /// Path of the file as the user would type it.
    pub path: String,
    /// Position in the file; `None` for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// Text of the line; for a long line, the part around the span.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// Number of characters of the line before the excerpt.
    #[serde(skip)]
    pub excerpt_start: usize,
}

/// Maximum number of characters shown on either side of a span.
const CONTEXT_WIDTH: usize = 200;

impl Place {
    /// Creates the place of a whole file.
    pub fn whole_file(path: &str) -> Place {
        Place {
            path: escape_invisible(path).into(),
            span: None,
            excerpt: String::new(),
            excerpt_start: 0,
        }
    }

    /// Creates a place in a file from its text and a span.
    pub fn from_text(path: &str, text: &str, span: Span) -> Place {
        Place::from_line(
            path,
            text.lines()
                .nth(span.line.saturating_sub(1))
                .unwrap_or_default(),
            span,
        )
    }

    /// Creates a place from the text of its line.
    pub fn from_line(path: &str, line: &str, span: Span) -> Place {
        // A long line, or one of a binary file, would bury the message.
        let skipped = span.column.saturating_sub(CONTEXT_WIDTH);
        let tail = if line.is_ascii() {
            line.get(skipped..)
        } else {
            line.char_indices()
                .nth(skipped)
                .map(|(start, _)| &line[start..])
        };
        let shown = tail
            .unwrap_or_default()
            .chars()
            .take(2 * CONTEXT_WIDTH + span.length.min(CONTEXT_WIDTH));
        let excerpt = shown
            .map(|c| if is_invisible(c) { ' ' } else { c })
            .collect();
        Place {
            path: escape_invisible(path).into(),
            span: Some(span),
            excerpt,
            excerpt_start: skipped,
        }
    }

    /// Returns whether the place is in a file. A bracketed path means typed input.
    pub fn is_in_file(&self) -> bool {
        !self.path.starts_with('(')
    }
}

/// A diagnostic for the author of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "complaint")
)]
pub struct Complaint {
    /// Diagnostic code; `casebook explain CODE` explains it.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: DiagnosticCode,
    /// Severity.
    pub severity: Severity,
    /// Whether it is so, or seems so by the names.
    #[doc(hidden)]
    pub certainty: Certainty,
    /// Description of the problem, in one sentence.
    #[serde(rename = "what")]
    pub message: String,
    /// Primary place.
    pub place: Place,
    /// The item around the place: "case 8.12, addition of hardy".
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub help: String,
    /// What helps on the surface that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// Related places, each with a label.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<(Place, String)>,
    /// The wrong name, if a caller has to find its place.
    #[serde(skip)]
    #[doc(hidden)]
    pub subject: Option<String>,
    /// Corrections that an editor can make.
    #[serde(skip)]
    #[doc(hidden)]
    pub fixes: Vec<Fix>,
    /// The answer that was not open, if the complaint is about one.
    #[serde(skip)]
    #[doc(hidden)]
    pub rejected: Option<Box<RejectedAnswer>>,
    /// The number of further complaints of the file that this one summarizes.
    #[serde(skip)]
    pub more: usize,
}

/// A correction of the text of a complaint's span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fix {
    /// Another text takes its place.
    Replace(String),
    /// A whole line is written otherwise.
    Line(MendedLine),
    /// The `switch` there gets an arm for all other values.
    AddDefaultArm,
}

/// A line of a file as it is, and as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MendedLine {
    /// Its number, from 1.
    pub line: usize,
    /// As it is.
    pub was: String,
    /// As it should be.
    pub now: String,
}

/// A complaint about a text that was sent to be checked.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MendableComplaint<'a> {
    /// The complaint.
    #[serde(flatten)]
    pub complaint: &'a Complaint,
    /// The line as it should be, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<MendedLine>,
}

impl MendableComplaint<'_> {
    /// Adds the line as it should be.
    pub fn new(complaint: &Complaint) -> MendableComplaint<'_> {
        MendableComplaint {
            complaint,
            mend: complaint.mended_line(),
        }
    }
}

/// An answer to a choice that is none of its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedAnswer {
    /// The side that was asked.
    pub side: String,
    /// What it was asked.
    pub question: String,
    pub answer: String,
    /// The options, as text.
    pub allowed: Vec<String>,
}

#[doc(hidden)]
impl Complaint {
    /// Creates an error at a place.
    pub fn new(code: DiagnosticCode, place: Place, message: impl Into<Message>) -> Complaint {
        let Message {
            text: message,
            suggestions,
        } = message.into();
        let fixes = suggestions.into_iter().map(Fix::Replace).collect();
        let (context, help, remedy, also) = Default::default();
        Complaint {
            code,
            severity: Severity::Error,
            certainty: Certainty::Certain,
            message,
            place,
            context,
            help,
            remedy,
            also,
            fixes,
            subject: None,
            rejected: None,
            more: 0,
        }
    }

    /// Creates the complaint that summarizes further ones of a file.
    fn and_more(path: &str, severity: Severity, more: usize) -> Complaint {
        let message = format!(
            "{more} more complaints of this file are left out, after the first {MAX_PER_FILE}"
        );
        let help = "correct the first ones; the others often come from them";
        Complaint {
            more,
            severity,
            ..Complaint::new(DiagnosticCode::Limit, Place::whole_file(path), message)
                .with_help(help)
        }
    }

    /// Downgrades the complaint to a note.
    pub fn into_note(mut self) -> Complaint {
        self.severity = Severity::Note;
        self
    }

    /// Marks the complaint as inferred from names.
    pub fn into_likely(mut self) -> Complaint {
        self.certainty = Certainty::Likely;
        self
    }

    /// Adds how to mend it.
    pub fn with_help(mut self, help: impl Into<String>) -> Complaint {
        self.help = help.into();
        self
    }

    /// Adds what helps on the surface that shows the complaint.
    pub fn with_remedy(mut self, remedy: Remedy) -> Complaint {
        self.remedy = Some(remedy);
        self
    }

    /// Adds a correction that an editor can make.
    pub fn with_fix(mut self, fix: Fix) -> Complaint {
        self.fixes.push(fix);
        self
    }

    /// Returns the line that its first correction changes; `None` if it has none that changes one line.
    pub fn mended_line(&self) -> Option<MendedLine> {
        match self.fixes.first()? {
            Fix::Line(mended) => Some(mended.clone()),
            Fix::Replace(text) => {
                let span = self.place.span.filter(|_| self.place.excerpt_start == 0)?;
                let was = &self.place.excerpt;
                let letters = |from: usize, to: usize| {
                    was.chars().skip(from).take(to - from).collect::<String>()
                };
                let (from, to) = (span.column - 1, span.column - 1 + span.length);
                let end = letters(to, was.chars().count().max(to));
                let now = format!("{}{text}{end}", letters(0, from));
                Some(MendedLine {
                    line: span.line,
                    was: was.clone(),
                    now,
                })
            }
            Fix::AddDefaultArm => None,
        }
    }

    /// Adds the description of the surrounding item.
    pub fn with_context(mut self, context: impl Into<String>) -> Complaint {
        self.context = context.into();
        self
    }

    /// Adds a related place with a label.
    pub fn with_related(mut self, place: Place, label: impl Into<String>) -> Complaint {
        self.also.push((place, label.into()));
        self
    }
}

/// The complaints of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaints(pub Vec<Complaint>);

/// Maximum number of complaints per file and code that are rendered in full.
const MAX_SHOWN_PER_CODE: usize = 50;

/// Maximum number of complaints per file; a last one says how many more there are.
const MAX_PER_FILE: usize = 1_000;

impl Complaints {
    /// Adds a complaint, or counts it if its file has too many.
    pub fn push(&mut self, complaint: Complaint) {
        if !self.count_if_full(&complaint.place.path, complaint.severity) {
            self.0.push(complaint);
        }
    }

    /// Counts a further complaint of a file if the last complaints are of this file and reach the maximum; returns whether they do.
    pub fn count_if_full(&mut self, path: &str, severity: Severity) -> bool {
        let is_of_file = |complaint: &Complaint| complaint.place.path == path;
        let first = self.0.len().checked_sub(MAX_PER_FILE);
        let is_full = first.is_some_and(|first| is_of_file(&self.0[first]))
            && self.0.last().is_some_and(is_of_file);
        if let (true, Some(last)) = (is_full, self.0.last_mut()) {
            match last.more {
                0 => self.0.push(Complaint::and_more(path, severity, 1)),
                more => {
                    *last = Complaint::and_more(
                        path,
                        if last.severity == Severity::Error {
                            last.severity
                        } else {
                            severity
                        },
                        more + 1,
                    )
                }
            }
        }
        is_full
    }

    /// Returns whether any complaint is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|c| c.severity == Severity::Error)
    }

    /// Sorts by file and line, errors before notes, and removes duplicates. Of each file the first ones are kept.
    pub fn into_sorted(mut self) -> Complaints {
        self.0.sort_by(|a, b| {
            (&a.place.path, a.place.span, a.code.as_str(), &a.message).cmp(&(
                &b.place.path,
                b.place.span,
                b.code.as_str(),
                &b.message,
            ))
        });
        self.0.dedup();
        let mut sorted = Complaints::default();
        for of_file in self.0.chunk_by(|a, b| a.place.path == b.place.path) {
            let left_out: usize = of_file.iter().map(|complaint| complaint.more).sum();
            let left_out = left_out
                + of_file
                    .iter()
                    .filter(|complaint| complaint.more == 0)
                    .count()
                    .saturating_sub(MAX_PER_FILE);
            sorted.0.extend(
                of_file
                    .iter()
                    .filter(|complaint| complaint.more == 0)
                    .take(MAX_PER_FILE)
                    .cloned(),
            );
            let has_error = of_file
                .iter()
                .any(|complaint| complaint.severity == Severity::Error);
            let severity = if has_error {
                Severity::Error
            } else {
                Severity::Note
            };
            sorted.0.extend(
                (left_out > 0)
                    .then(|| Complaint::and_more(&of_file[0].place.path, severity, left_out)),
            );
        }
        sorted
            .0
            .sort_by_key(|complaint| complaint.severity != Severity::Error);
        sorted
    }

    /// Renders all complaints, followed by a count.
    pub fn render(&self, colour: bool) -> String {
        let mut out = String::new();
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for complaint in &self.0 {
            let count = counts
                .entry((complaint.code.as_str(), &complaint.place.path))
                .or_default();
            *count += 1;
            if *count <= MAX_SHOWN_PER_CODE {
                out.push_str(&complaint.render(colour));
                out.push_str("\n\n");
            }
        }
        for ((code, path), count) in counts
            .into_iter()
            .filter(|(_, count)| *count > MAX_SHOWN_PER_CODE)
        {
            out.push_str(&format!(
                "{path}: {} more complaints `{code}`, of {count} in all\n\n",
                count - MAX_SHOWN_PER_CODE
            ));
        }
        let errors = self
            .0
            .iter()
            .filter(|c| c.severity == Severity::Error)
            .count();
        let notes = self.0.len() - errors;
        out.push_str(&match (errors, notes) {
            (e, 0) => counted(e, "complaint"),
            (0, n) => counted(n, "note"),
            (e, n) => format!("{}, {}", counted(e, "complaint"), counted(n, "note")),
        });
        out.push('\n');
        out
    }
}

/// Writes a number with its noun: `1 note`, `2 notes`.
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
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

/// Describes a file of a form that can't be read, and the remedy; `remedy` is the one for an older form.
pub fn describe_other_form(
    code: DiagnosticCode,
    opening: &str,
    form: &str,
    readable_form: i64,
    remedy: &str,
) -> Defect {
    let newer = form.parse::<i64>().is_ok_and(|form| form > readable_form);
    let remedy = if newer {
        "use the casebook that wrote it, or a later one"
    } else {
        remedy
    };
    Defect::new(
        code,
        format!("{opening} of form {form}; this casebook reads form {readable_form}"),
        remedy,
    )
}

/// Describes in plain words why a file cannot be read or written.
pub fn describe_io_error(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".into(),
        std::io::ErrorKind::PermissionDenied => "this may not be read or written here".into(),
        std::io::ErrorKind::AlreadyExists => "this is there already".into(),
        std::io::ErrorKind::IsADirectory => "this is a folder".into(),
        std::io::ErrorKind::NotADirectory => "a part of the path is not a folder".into(),
        std::io::ErrorKind::StorageFull => "there is no room left".into(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_string()
        }
    }
}

/// Errors for callers of the library. No input causes a panic.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data has errors.
    #[error("{0}")]
    Data(Complaints),
    /// A name is unknown.
    #[error("no {kind} is called `{name}`{}", suggestion_text(.suggestions))]
    Unknown {
        /// Kind of name: situation, case, error code ...
        kind: &'static str,
        /// The name given.
        name: String,
        /// Similar names.
        suggestions: Vec<String>,
    },
    /// A request is invalid.
    #[error("{0}")]
    Usage(String),
    /// A request can't be answered as it is.
    #[error("{message}")]
    Unanswered {
        /// Why not.
        message: String,
        /// What helps.
        remedy: Remedy,
    },
    /// A known name can't be used as requested.
    #[error("`{name}` {problem}")]
    Misused {
        name: String,
        /// Why it can't be used so.
        problem: String,
    },
    /// Casebook found its own result to be wrong, and shows none.
    #[error(
        "Casebook has miscounted, so that no odds are shown: {0}. This is a fault of the program: please report it, with the command and the data"
    )]
    Inconsistent(String),
    /// A file cannot be read or written.
    #[error("{path}: {}", describe_io_error(.source))]
    File {
        /// Path of the file.
        path: String,
        /// Cause.
        source: std::io::Error,
    },
}

impl Error {
    /// Creates the error for a name that is not among the known ones; similar ones are suggestions.
    pub fn unknown<'a>(
        kind: &'static str,
        name: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Error {
        Error::Unknown {
            kind,
            name: name.into(),
            suggestions: nearest_names(name, names),
        }
    }

    /// Creates the error for a request that can't be answered as it is.
    pub fn unanswered(message: impl Into<String>, remedy: Remedy) -> Error {
        let message = message.into();
        Error::Unanswered { message, remedy }
    }

    /// Returns what helps, if that is known.
    pub fn remedy(&self) -> Option<&Remedy> {
        match self {
            Error::Unanswered { remedy, .. } => Some(remedy),
            Error::Data(complaints) => complaints.0.first()?.remedy.as_ref(),
            _ => None,
        }
    }

    /// Returns what is wrong, in one line: of several complaints the first.
    pub fn first_line(&self) -> String {
        match self {
            Error::Data(complaints) => complaints
                .0
                .first()
                .map_or_else(String::new, |complaint| complaint.message.clone()),
            other => other.to_string(),
        }
    }
}

impl From<Complaints> for Error {
    fn from(complaints: Complaints) -> Self {
        Error::Data(complaints)
    }
}

impl From<Complaint> for Error {
    fn from(complaint: Complaint) -> Self {
        Error::Data(complaint.into())
    }
}
