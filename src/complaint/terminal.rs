//! Text as a terminal may be shown it: whose letters are all letters, and how much of it fits a line.

use std::borrow::Cow;
use std::sync::OnceLock;

/// Whether a character would do something to the terminal instead of standing there: control characters, those that turn the direction of
/// writing, behind which text hides, and those that take no room, by which two names differ that look alike.
pub fn is_invisible(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n') || turns || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Whether such a character begins with a byte.
fn may_start_invisible(byte: u8) -> bool {
    byte < 32 && byte != b'\n' || byte == 127 || byte == 0xc2 || byte == 0xe2 || byte == 0xef
}

/// Whether there is such a character in a text; most texts are passed at the speed of reading them.
pub fn has_invisible(text: &str) -> bool {
    text.bytes().fold(false, |any, byte| any | may_start_invisible(byte)) && text.contains(is_invisible)
}

/// The first such character of a text of several lines, with the number of its line. Tabs and line ends stand there as they should.
pub fn find_invisible(text: &str) -> Option<(usize, char)> {
    const CHUNK: usize = 64;
    let bytes = text.as_bytes();
    // Chunks without any of them are passed at the speed of reading them.
    let suspect = |byte: u8| may_start_invisible(byte) && byte != b'\t';
    let chunks = bytes.chunks(CHUNK).zip((0..).step_by(CHUNK));
    let chunks = chunks.filter(|(chunk, _)| chunk.iter().fold(false, |any, byte| any | suspect(*byte)));
    let places = chunks.flat_map(|(chunk, from)| from..from + chunk.len());
    let places = places.filter(|at| suspect(bytes[*at]) && !bytes[*at..].starts_with(b"\r\n"));
    let mut found = places.filter_map(|at| Some((at, text.get(at..)?.chars().next().filter(|c| is_invisible(*c))?)));
    let (at, c) = found.next()?;
    Some((1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count(), c))
}

/// A text with all such characters written out, as JSON would: `\u001b`. Line ends stay.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    if !has_invisible(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for c in text.chars() {
        if is_invisible(c) { out.push_str(&format!("\\u{:04x}", u32::from(c))) } else { out.push(c) }
    }
    Cow::Owned(out)
}

static TERMINAL_WIDTH: OnceLock<usize> = OnceLock::new();

/// Says how many columns the terminal has, before anything is laid out; at least 20 are used.
pub fn set_terminal_width(columns: usize) {
    let _ = TERMINAL_WIDTH.set(columns.max(20));
}

/// How many columns there are; none where text goes to a file.
pub fn terminal_width() -> Option<usize> {
    TERMINAL_WIDTH.get().copied()
}

/// So many columns, or fewer where the terminal has no more.
pub fn clamp_to_terminal(columns: usize) -> usize {
    terminal_width().map_or(columns, |width| columns.min(width))
}
