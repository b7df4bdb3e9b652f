//! Plain text read from the disk.

use crate::complaint::terminal::{escape_invisible, find_invisible};
use std::fs;
use std::io::Read;
use std::path::Path;

/// A file larger than this is not read: no chart comes near it.
const MAX_FILE_SIZE: u64 = 4 << 20;
/// Nearly all files of data have fewer bytes: they are read without being asked for their size.
const TYPICAL_FILE_SIZE: usize = 16 << 10;
/// So much is read of all files together, in bytes.
pub const MAX_TOTAL_SIZE: u64 = 256 << 20;
/// What is wrong, and how to mend it.
pub type PlainFault = (String, &'static str);

/// The text of a file: plain text in UTF-8, without a byte order mark. Pipes and devices are not touched, and no more is read than a
/// file of data can have.
pub fn read_text(path: &Path) -> Result<String, PlainFault> {
    if !fs::metadata(path).map_err(cannot_read)?.is_file() {
        return Err(("this is a device, a pipe or a folder, no file".into(), "data stands in plain files"));
    }
    read_regular_file(path)
}

/// The whole text of a file that is no data: pasted, or written by this program. It may be as large as all data together.
pub fn large_text_of(path: &Path) -> Result<String, std::io::Error> {
    limited_text_of(fs::File::open(path)?)
}

/// The same of whatever can be read.
pub fn limited_text_of(from: impl Read) -> Result<String, std::io::Error> {
    let text = std::io::read_to_string(from.take(MAX_TOTAL_SIZE + 1))?;
    let long = || std::io::Error::new(std::io::ErrorKind::InvalidData, format!("this is longer than {} MB", MAX_TOTAL_SIZE >> 20));
    if text.len() as u64 > MAX_TOTAL_SIZE { Err(long()) } else { Ok(text) }
}

fn cannot_read(error: std::io::Error) -> PlainFault {
    (format!("this file can't be read: {error}"), "look at its permissions")
}

/// The text of what is known to be a plain file.
pub fn read_regular_file(path: &Path) -> Result<String, PlainFault> {
    let mut file = fs::File::open(path).map_err(cannot_read)?;
    let mut bytes = Vec::with_capacity(TYPICAL_FILE_SIZE);
    let size = (&mut file).take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes).map_err(cannot_read)? as u64;
    if size > MAX_FILE_SIZE {
        let length = file.metadata().map_or(0, |meta| meta.len());
        let what = format!("this file has {} bytes; data files have at most {MAX_FILE_SIZE}", length.max(size));
        return Err((what, "it was not read; split it, or remove it"));
    }
    let no_text = || ("this file is not text".into(), "data files are plain text in UTF-8");
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
