//! What is printed: nothing but letters and our own colours, in lines that fit, and no fuss where nobody can read it.

use crate::complaint::terminal::{escape_invisible, terminal_width};
use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{ErrorKind, IsTerminal, LineWriter, Write};
use std::path::Path;
use textwrap::core::display_width;

/// Prints to standard output.
pub fn stdout(text: Arguments) {
    let colour = use_colour(&std::io::stdout());
    exit_on_error(std::io::stdout().write_all(sanitize(&text.to_string(), colour).as_bytes()).and_then(|()| std::io::stdout().flush()));
}

/// Prints to standard error.
pub fn stderr(text: Arguments) {
    let colour = use_colour(&std::io::stderr());
    exit_on_error(std::io::stderr().write_all(sanitize(&text.to_string(), colour).as_bytes()));
}

/// The same for whoever writes line by line.
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

/// Whether colours are shown: on a terminal that knows them, where nobody has asked for none.
pub fn use_colour(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// The columns there are: those of the terminal, else what `COLUMNS` says.
pub fn terminal_columns() -> Option<usize> {
    if std::io::stdout().is_terminal()
        && let Some((terminal_size::Width(columns), _)) = terminal_size::terminal_size()
    {
        return Some(columns.into());
    }
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// Lines folded to so many columns, each with its indent; words that are longer are broken.
pub fn wrap_lines(text: &str, columns: usize) -> String {
    let fold = |line: &str| {
        let indent: String = line.chars().take_while(|c| *c == ' ').take(columns / 2).collect();
        let how = textwrap::Options::new(columns.max(2)).initial_indent(&indent).subsequent_indent(&indent);
        textwrap::fill(line.trim_start(), how) + "\n"
    };
    text.lines().map(fold).collect()
}

/// Ends the program where nothing can be printed any more: who reads may have had enough, or the disk is full.
pub fn exit_on_error(printed: std::io::Result<()>) {
    if let Err(error) = printed {
        std::process::exit(i32::from(error.kind() != ErrorKind::BrokenPipe));
    }
}

/// Whether a file that is no journal may go: asked where somebody is there to answer.
pub fn confirm_overwrite(path: &Path) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    stderr(format_args!("{} is no journal. Replace it? [y/N] ", path.display()));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

/// A text as it is printed.
fn sanitize(text: &str, colour: bool) -> String {
    let safe = if colour { sanitize_keeping_colours(text) } else { escape_invisible(text) };
    let Some(width) = terminal_width() else { return safe.into_owned() };
    safe.split_inclusive('\n').map(|line| fit_line(line, width)).collect()
}

/// The visible text, with colours left as they are.
fn sanitize_keeping_colours(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("\x1b[");
    let mut out = escape_invisible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let codes = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').len();
        match part[codes..].strip_prefix('m') {
            Some(rest) => out.extend(["\x1b[", &part[..codes], "m", &escape_invisible(rest)]),
            None => out.extend(["\\u001b[", &escape_invisible(part)]),
        }
    }
    Cow::Owned(out)
}

/// A line, with what doesn't fit in lines below it.
fn fit_line(line: &str, width: usize) -> String {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    if display_width(text) <= width {
        return line.into();
    }
    let indent = text.chars().take_while(|c| *c == ' ').count() + 2;
    let indent = " ".repeat(indent.min(width / 3));
    textwrap::fill(text, textwrap::Options::new(width).subsequent_indent(&indent)) + end
}
