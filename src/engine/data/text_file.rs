//! Reads plain text from disk, and says what becomes of it.

use crate::complaint::terminal::{escape_invisible, find_invisible};
use crate::complaint::{Defect, DiagnosticCode, Place};
use crate::data::regular_file::{read_bytes, read_string};
use std::borrow::Cow;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Maximum size of a data file, in bytes.
const MAX_FILE_SIZE: u64 = 4 << 20;
/// Maximum total size of all files, in bytes.
pub const MAX_TOTAL_SIZE: u64 = 256 << 20;

/// Makes the new contents of a file (`None` removes it) from its text (`None` if there is no file), or says why it must stay.
pub type TextChange<'a> = Box<dyn Fn(Option<&str>) -> Result<Option<Vec<u8>>, String> + 'a>;

/// A file with what changes it.
pub type PlannedChange<'a> = (PathBuf, TextChange<'a>);

/// Reads a text that is not a data file, such as pasted text or own output; at most [`MAX_TOTAL_SIZE`].
pub fn large_text_of(path: &Path) -> Result<String, Error> {
    read_string(path, MAX_TOTAL_SIZE)
}

/// Reads at most [`MAX_TOTAL_SIZE`] bytes of text from standard input.
pub fn limited_text_of(from: impl Read) -> Result<String, Error> {
    let text = std::io::read_to_string(from.take(MAX_TOTAL_SIZE + 1))?;
    let too_long = || {
        Error::new(
            ErrorKind::InvalidData,
            format!("this is longer than {} MB", MAX_TOTAL_SIZE >> 20),
        )
    };
    if text.len() as u64 > MAX_TOTAL_SIZE {
        Err(too_long())
    } else {
        Ok(text)
    }
}

fn defect_of(error: Error) -> Defect {
    let help = match error.kind() {
        ErrorKind::InvalidInput => "data is kept in plain files",
        ErrorKind::FileTooLarge => "split it, or remove it; Casebook did not read it",
        _ => {
            let message = format!("this file can't be read: {error}");
            return Defect::new(DiagnosticCode::File, message, "check its permissions");
        }
    };
    Defect::new(DiagnosticCode::File, error.to_string(), help)
}

/// Reads a file that a user names; a fault is a complaint with this code.
pub fn read_named(path: &Path, code: DiagnosticCode) -> Result<String, crate::complaint::Error> {
    let shown = path.display().to_string();
    std::fs::metadata(path).map_err(|source| crate::complaint::Error::File {
        path: shown.clone(),
        source,
    })?;
    let text = read_text(path)
        .map_err(|defect| Defect { code, ..defect }.at(Place::whole_file(&shown)))?;
    Ok(text)
}

/// Reads a data file: UTF-8 without byte order mark, at most 4 MiB. Pipes and devices are not opened.
pub fn read_text(path: &Path) -> Result<String, Defect> {
    let bytes = read_bytes(path, MAX_FILE_SIZE).map_err(defect_of)?;
    let no_text = || {
        Defect::new(
            DiagnosticCode::File,
            "this file is not text",
            "save it as plain text in UTF-8",
        )
    };
    let mut text = String::from_utf8(bytes).map_err(|_| no_text())?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    match invisible_fault(&text) {
        Some(_) if text.as_bytes().contains(&0) => Err(no_text()),
        Some(fault) => Err(fault),
        None => Ok(text),
    }
}

/// Returns what is wrong with a text that holds a character which can't be seen: no reader takes it, and no writer writes it.
pub fn invisible_fault(text: &str) -> Option<Defect> {
    let (line, c) = find_invisible(text)?;
    let message = format!(
        "line {line} holds a character that can't be seen, {}",
        escape_invisible(&c.to_string())
    );
    let help = "take it out: a terminal would carry it out instead of showing it";
    Some(Defect::new(DiagnosticCode::File, message, help))
}

/// What some editors put before a text.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns a text as an editor shows it: without byte order mark, and with line feeds at the ends of lines.
pub fn shown_text(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}

/// Returns a text with the byte order mark and the ends of lines of an older one: lines at the beginning and at the end that are the same
/// keep their own, those between end as the first line does.
pub fn with_ends_of(old: &str, new: &str) -> String {
    let (mark, old) = old
        .strip_prefix(BYTE_ORDER_MARK)
        .map_or(("", old), |text| ("\u{feff}", text));
    let new = shown_text(new);
    if !old.contains("\r\n") {
        return format!("{mark}{new}");
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.split_inclusive('\n').collect(),
        new.split_inclusive('\n').collect(),
    );
    let is_same = |(old, new): &(&&str, &&str)| {
        old.trim_end_matches(['\r', '\n']) == new.trim_end_matches('\n')
    };
    let before = old.iter().zip(&new).take_while(is_same).count();
    let after = old[before..]
        .iter()
        .rev()
        .zip(new[before..].iter().rev())
        .take_while(is_same)
        .count();
    let mut text = String::from(mark);
    for (index, line) in new.iter().enumerate() {
        let left = new.len() - index;
        let kept = if index < before {
            old.get(index)
        } else {
            old.len()
                .checked_sub(left)
                .filter(|_| left <= after)
                .and_then(|at| old.get(at))
        };
        let kept = kept.filter(|kept| kept.ends_with('\n')).or(old.first());
        match line.strip_suffix('\n') {
            Some(line) if kept.is_some_and(|kept| kept.ends_with("\r\n")) => {
                text.extend([line, "\r\n"])
            }
            _ => text.push_str(line),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_stay_as_the_file_has_them() {
        for (old, new, expected) in [
            ("a\nb\n", "a\r\nc\r\n", "a\nc\n"),
            ("\u{feff}a\r\nb\r\n", "a\nx\nb\n", "\u{feff}a\r\nx\r\nb\r\n"),
            (
                "a\r\nb\nc\r\nd",
                "a\nb\nnew\nc\nd\n",
                "a\r\nb\nnew\r\nc\r\nd\r\n",
            ),
            ("\r\n\r\na\r\n", "\n\na\nb", "\r\n\r\na\r\nb"),
            ("a\r\n", "", ""),
            ("", "a\n", "a\n"),
        ] {
            assert_eq!(with_ends_of(old, new), expected, "{old:?} -> {new:?}");
        }
        assert_eq!(shown_text("\u{feff}\r\na\r\n"), "\na\n");
    }
}
