//! Reads plain text from disk.

use crate::complaint::terminal::{escape_invisible, find_invisible};
use std::fs;
use std::io::Read;
use std::path::Path;

/// Maximum size of a data file, in bytes.
const MAX_FILE_SIZE: u64 = 4 << 20;
/// Initial buffer size in bytes; it fits nearly all data files without a stat call.
const TYPICAL_FILE_SIZE: usize = 16 << 10;
/// Maximum total size of all files, in bytes.
pub const MAX_TOTAL_SIZE: u64 = 256 << 20;
/// An error message and its remedy.
pub type PlainFault = (String, &'static str);

/// Reads a data file: UTF-8 without byte order mark, at most 4 MiB. Pipes and devices are not opened.
pub fn read_text(path: &Path) -> Result<String, PlainFault> {
    if !fs::metadata(path).map_err(cannot_read)?.is_file() {
        return Err(("this is a device, a pipe or a folder, no file".into(), "data stands in plain files"));
    }
    read_regular_file(path)
}

/// Reads a text that is not a data file, such as pasted text or own output; at most [`MAX_TOTAL_SIZE`].
pub fn large_text_of(path: &Path) -> Result<String, std::io::Error> {
    limited_text_of(fs::File::open(path)?)
}

/// Reads at most [`MAX_TOTAL_SIZE`] bytes of text from a reader.
pub fn limited_text_of(from: impl Read) -> Result<String, std::io::Error> {
    let text = std::io::read_to_string(from.take(MAX_TOTAL_SIZE + 1))?;
    let too_long = || std::io::Error::new(std::io::ErrorKind::InvalidData, format!("this is longer than {} MB", MAX_TOTAL_SIZE >> 20));
    if text.len() as u64 > MAX_TOTAL_SIZE { Err(too_long()) } else { Ok(text) }
}

fn cannot_read(error: std::io::Error) -> PlainFault {
    (format!("this file can't be read: {error}"), "check its permissions")
}

/// Reads a file that is known to be a regular file.
pub fn read_regular_file(path: &Path) -> Result<String, PlainFault> {
    let mut file = fs::File::open(path).map_err(cannot_read)?;
    let mut bytes = Vec::with_capacity(TYPICAL_FILE_SIZE);
    let size = (&mut file).take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes).map_err(cannot_read)? as u64;
    if size > MAX_FILE_SIZE {
        let length = file.metadata().map_or(0, |meta| meta.len());
        let what = format!("this file has {} bytes; data files have at most {MAX_FILE_SIZE}", length.max(size));
        return Err((what, "split it, or remove it; Casebook did not read it"));
    }
    let no_text = || ("this file is not text".into(), "save it as plain text in UTF-8");
    let mut text = String::from_utf8(bytes).map_err(|_| no_text())?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    match find_invisible(&text) {
        Some(_) if text.as_bytes().contains(&0) => Err(no_text()),
        Some((line, c)) => {
            let what = format!("line {line} holds a character that can't be seen, {}", escape_invisible(&c.to_string()));
            Err((what, "take it out: it would do something to a terminal instead of standing there"))
        }
        None => Ok(text),
    }
}
