//! Makes text safe for a terminal, and fits it to its width.

use std::borrow::Cow;
use std::sync::OnceLock;
use unicode_security::skeleton;

/// Returns whether a character can affect a terminal or deceive a reader: control characters, separators of lines, and whatever Unicode lets a
/// program leave out when it shows a text (Default_Ignorable_Code_Point, which includes Bidi_Control), by which names that look equal differ.
pub fn is_invisible(c: char) -> bool {
    match c {
        '\n' => false,
        c if c.is_control() => true,
        '\u{ad}' | '\u{2028}' | '\u{2029}' => true,
        // The marks of an annotation between the lines.
        '\u{fff9}'..='\u{fffb}' => true,
        // The pattern of Braille without dots.
        '\u{2800}' => true,
        // Most letters and signs of European texts need no table.
        '\0'..='\u{2ff}' | '\u{2010}'..='\u{2027}' => false,
        // Of what can be left out nothing remains in the comparison of looks.
        c => skeleton(c.encode_utf8(&mut [0; 4])).next().is_none(),
    }
}

/// Returns what a text looks like: texts that look the same have the same looks.
pub fn looks_of(text: &str) -> String {
    skeleton(text).collect()
}

/// Returns whether an invisible character may begin with a byte.
fn may_start_invisible(byte: u8) -> bool {
    byte < 32 && byte != b'\n' || byte == 127 || byte == 0xc2 || byte >= 0xcc
}

/// Returns whether a text has an invisible character; a byte scan makes the common case fast.
pub fn has_invisible(text: &str) -> bool {
    text.bytes()
        .fold(false, |any, byte| any | may_start_invisible(byte))
        && text.contains(is_invisible)
}

/// Returns the first invisible character of a text with its line number; tabs and line ends are permitted.
pub fn find_invisible(text: &str) -> Option<(usize, char)> {
    const CHUNK: usize = 64;
    let bytes = text.as_bytes();
    // A byte scan skips chunks without a suspect.
    let suspect = |byte: u8| may_start_invisible(byte) && byte != b'\t';
    let chunks = bytes.chunks(CHUNK).zip((0..).step_by(CHUNK));
    let chunks =
        chunks.filter(|(chunk, _)| chunk.iter().fold(false, |any, byte| any | suspect(*byte)));
    let places = chunks.flat_map(|(chunk, from)| from..from + chunk.len());
    let places = places.filter(|at| suspect(bytes[*at]) && !bytes[*at..].starts_with(b"\r\n"));
    let mut hits = places.filter_map(|at| {
        Some((
            at,
            text.get(at..)?
                .chars()
                .next()
                .filter(|c| is_invisible(*c))?,
        ))
    });
    let (at, c) = hits.next()?;
    Some((
        1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count(),
        c,
    ))
}

/// Escapes all invisible characters except line ends as JSON would: `\u001b`.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    if !has_invisible(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for c in text.chars() {
        if is_invisible(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)))
        } else {
            out.push(c)
        }
    }
    Cow::Owned(out)
}

static TERMINAL_WIDTH: OnceLock<usize> = OnceLock::new();

/// Sets the width of the terminal in columns, at least 20; call it before any layout.
pub fn set_terminal_width(columns: usize) {
    let _ = TERMINAL_WIDTH.set(columns.max(20));
}

/// Returns the width of the terminal in columns; `None` if the output is a file.
pub fn terminal_width() -> Option<usize> {
    TERMINAL_WIDTH.get().copied()
}

/// Returns `columns`, limited to the width of the terminal.
pub fn clamp_to_terminal(columns: usize) -> usize {
    terminal_width().map_or(columns, |width| columns.min(width))
}
