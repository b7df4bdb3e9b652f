//! Sanitised output: control characters are escaped except our own colours, lines are wrapped, and a closed output ends the program
//! quietly. Answers are printed as text or JSON.

use crate::command::remedy;
use casebook_engine::complaint::terminal::{escape_invisible, terminal_width};
use casebook_engine::complaint::{Complaint, Remedy, describe_io_error};
use casebook_engine::platform::task::wait_for_person;
use casebook_engine::ruling::json::answer_json;
use casebook_engine::ruling::terminal_page::TerminalPage;
use casebook_view::block::{AnswerPage, FoundPages};
use casebook_view::text::pages_text;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{ErrorKind, IsTerminal, LineWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use textwrap::core::display_width;

/// The format of an answer, as it is typed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    Text,
    Json,
    Csv,
}

/// How a command prints its answer.
#[derive(Clone, Copy)]
pub struct Printer {
    /// The format.
    pub format: OutputFormat,
    /// The layout of text.
    pub page: TerminalPage,
}

impl Printer {
    /// Returns whether answers are printed as JSON.
    pub fn is_json(self) -> bool {
        self.format == OutputFormat::Json
    }

    /// Prints an answer as JSON or as text.
    pub fn print<A: Serialize>(self, answer: impl FnOnce() -> A, text: impl FnOnce() -> String) {
        if self.is_json() {
            print_json(&answer())
        } else {
            print!("{}", text())
        }
    }

    /// Prints pages, one below the other.
    pub fn print_pages(self, pages: Vec<AnswerPage>) {
        let found = FoundPages::new(pages, false);
        self.print(|| &found, || pages_text(&found.found, self.page));
    }
}

/// Why nothing else is answered.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "error")]
pub struct ErrorAnswer<'a> {
    /// What is wrong, in words.
    pub error: String,
    /// What helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'a Remedy>,
}

/// Complaints about data, instead of any other answer.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "complaints")]
pub struct ComplaintsAnswer<'a> {
    /// The complaints.
    pub complaints: &'a [Complaint],
}

/// The folder of the data that are not built in.
pub static DATA_FOLDER: OnceLock<String> = OnceLock::new();

/// Prints an answer as JSON, with the format version and the data folder.
pub fn print_json(answer: &impl Serialize) {
    println!(
        "{:#}",
        answer_json(answer, DATA_FOLDER.get().map(String::as_str))
    );
}

/// Returns the layout of text on standard error.
pub fn stderr_page() -> TerminalPage {
    TerminalPage::new(use_colour(&std::io::stderr())).with_words(remedy::words)
}

/// Returns the exit code for complaints or failures: 1 if there are any, else 0.
pub fn exit_code(has_failed: bool) -> ExitCode {
    ExitCode::from(u8::from(has_failed))
}

/// Prints to standard output.
pub fn stdout(text: Arguments) {
    let colour = use_colour(&std::io::stdout());
    exit_on_error(
        std::io::stdout()
            .write_all(sanitize(&text.to_string(), colour).as_bytes())
            .and_then(|()| std::io::stdout().flush()),
    );
}

/// Prints to standard error.
pub fn stderr(text: Arguments) {
    let colour = use_colour(&std::io::stderr());
    exit_on_error(std::io::stderr().write_all(sanitize(&text.to_string(), colour).as_bytes()));
}

/// Returns a line-buffered writer over one of these functions.
pub fn line_writer(print: fn(Arguments)) -> impl Write {
    struct Lines(fn(Arguments));
    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            (self.0)(format_args!("{}", String::from_utf8_lossy(bytes)));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    LineWriter::new(Lines(print))
}

/// Returns whether to print colours: on a capable terminal, unless the user disabled them.
pub fn use_colour(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Returns the width of the terminal in columns, otherwise that of `COLUMNS`.
pub fn terminal_columns() -> Option<usize> {
    if std::io::stdout().is_terminal()
        && let Some((terminal_size::Width(columns), _)) = terminal_size::terminal_size()
    {
        return Some(columns.into());
    }
    // Some programs export 0 where they know of no terminal.
    std::env::var("COLUMNS")
        .ok()?
        .parse()
        .ok()
        .filter(|columns| *columns > 0)
}

/// Wraps lines to the given width and keeps their indentation; longer words are broken.
pub fn wrap_lines(text: &str, columns: usize) -> String {
    let fold = |line: &str| {
        let indent: String = line
            .chars()
            .take_while(|c| *c == ' ')
            .take(columns / 2)
            .collect();
        let options = textwrap::Options::new(columns.max(2))
            .initial_indent(&indent)
            .subsequent_indent(&indent);
        textwrap::fill(line.trim_start(), options) + "\n"
    };
    text.lines().map(fold).collect()
}

/// Exits if output failed: with 0 after a broken pipe, otherwise with the reason and 1.
pub fn exit_on_error(printed: std::io::Result<()>) {
    if let Err(error) = printed {
        let is_failure = error.kind() != ErrorKind::BrokenPipe;
        if is_failure {
            let why = describe_io_error(&error);
            let _ = writeln!(
                std::io::stderr(),
                "error: the output could not be written: {why}"
            );
        }
        std::process::exit(i32::from(is_failure));
    }
}

/// Asks on the terminal whether to overwrite a file that is not a journal; without a terminal the answer is no.
pub fn confirm_overwrite(path: &Path) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    stderr(format_args!(
        "{} is not a journal. Replace it? [y/N] ",
        path.display()
    ));
    let mut answer = String::new();
    wait_for_person(|| std::io::stdin().read_line(&mut answer)).is_ok()
        && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// Sanitises a text and wraps it to the terminal.
fn sanitize(text: &str, colour: bool) -> String {
    let safe = if colour {
        sanitize_keeping_colours(text)
    } else {
        escape_invisible(text)
    };
    let Some(width) = terminal_width() else {
        return safe.into_owned();
    };
    safe.split_inclusive('\n')
        .map(|line| fit_line(line, width))
        .collect()
}

/// Escapes invisible characters but keeps colour codes.
fn sanitize_keeping_colours(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("\x1b[");
    let mut out = escape_invisible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let codes = part.len()
            - part
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')
                .len();
        match part[codes..].strip_prefix('m') {
            Some(plain) => out.extend(["\x1b[", &part[..codes], "m", &escape_invisible(plain)]),
            None => out.extend(["\\u001b[", &escape_invisible(part)]),
        }
    }
    Cow::Owned(out)
}

/// Wraps a line that exceeds the width, with a hanging indent.
fn fit_line(line: &str, width: usize) -> String {
    let (text, end) = line
        .strip_suffix('\n')
        .map_or((line, ""), |text| (text, "\n"));
    if display_width(text) <= width {
        return line.into();
    }
    let indent = text.chars().take_while(|c| *c == ' ').count() + 2;
    let indent = " ".repeat(indent.min(width / 3));
    textwrap::fill(
        text,
        textwrap::Options::new(width).subsequent_indent(&indent),
    ) + end
}
