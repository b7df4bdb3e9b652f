//! Text as a terminal may be shown it: whose letters are all letters, and how much of it fits a line.

use std::borrow::Cow;
use std::sync::OnceLock;

/// Whether a character would do something to the terminal instead of standing there: control characters, and those that turn the
/// direction of writing, behind which text hides.
pub fn unseen(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The first such character of a text of several lines, with the number of its line. Tabs and line ends stand there as they should.
pub fn first_unseen(text: &str) -> Option<(usize, char)> {
    let bytes = text.as_bytes();
    // Only characters that begin with these bytes can be meant: a text is looked through at the speed of reading it.
    let suspect = |at: &usize| matches!(bytes[*at], 0..=8 | 11..=31 | 127 | 0xc2 | 0xe2) && !bytes[*at..].starts_with(b"\r\n");
    let mut found = (0..bytes.len()).filter(suspect).filter_map(|at| Some((at, text.get(at..)?.chars().next().filter(|c| unseen(*c))?)));
    let (at, c) = found.next()?;
    Some((1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count(), c))
}

/// A text with all such characters written out, as JSON would: `\u001b`. Line ends stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(unseen) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for c in text.chars() {
        if unseen(c) { out.push_str(&format!("\\u{:04x}", u32::from(c))) } else { out.push(c) }
    }
    Cow::Owned(out)
}

static WIDTH: OnceLock<usize> = OnceLock::new();

/// Says how many columns the terminal has, before anything is laid out; at least 20 are used.
pub fn fit(columns: usize) {
    let _ = WIDTH.set(columns.max(20));
}

/// How many columns there are; none where text goes to a file.
pub fn width() -> Option<usize> {
    WIDTH.get().copied()
}

/// So many columns, or fewer where the terminal has no more.
pub fn at_most(columns: usize) -> usize {
    width().map_or(columns, |width| columns.min(width))
}
