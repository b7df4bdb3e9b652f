//! Plain text read from the disk.

use crate::complaint::screen::{first_unseen, visible};
use std::fs;
use std::io::Read;
use std::path::Path;

/// A file larger than this is not read: no chart comes near it.
const LARGEST: u64 = 4 << 20;
/// Nearly all files of data have fewer bytes: they are read without being asked for their size.
const USUAL: usize = 16 << 10;
/// So much is read of all files together, in bytes.
pub const MOST: u64 = 256 << 20;
/// What is wrong, and how to mend it.
pub type Fault = (String, &'static str);

/// The text of a file: plain text in UTF-8, without a byte order mark. Pipes and devices are not touched, and no more is read than a
/// file of data can have.
pub fn text_of(path: &Path) -> Result<String, Fault> {
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(("this is a device, a pipe or a folder, no file".into(), "data stands in plain files"));
    }
    plain_text_of(path)
}

/// The whole text of a file that is no data: pasted, or written by this program. It may be as large as all data together.
pub fn large_text_of(path: &Path) -> Result<String, std::io::Error> {
    limited_text_of(fs::File::open(path)?)
}

/// The same of whatever can be read.
pub fn limited_text_of(from: impl Read) -> Result<String, std::io::Error> {
    let text = std::io::read_to_string(from.take(MOST + 1))?;
    let long = || std::io::Error::new(std::io::ErrorKind::InvalidData, format!("this is longer than {} MB", MOST >> 20));
    if text.len() as u64 > MOST { Err(long()) } else { Ok(text) }
}

fn unread(error: std::io::Error) -> Fault {
    (format!("this file can't be read: {error}"), "look at its permissions")
}

/// The text of what is known to be a plain file.
pub fn plain_text_of(path: &Path) -> Result<String, Fault> {
    let mut file = fs::File::open(path).map_err(unread)?;
    let mut bytes = Vec::with_capacity(USUAL);
    let size = (&mut file).take(LARGEST + 1).read_to_end(&mut bytes).map_err(unread)? as u64;
    if size > LARGEST {
        let length = file.metadata().map_or(0, |meta| meta.len());
        let what = format!("this file has {} bytes; data files have at most {LARGEST}", length.max(size));
        return Err((what, "it was not read; split it, or remove it"));
    }
    let no_text = || ("this file is not text".into(), "data files are plain text in UTF-8");
    let mut text = String::from_utf8(bytes).map_err(|_| no_text())?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    match first_unseen(&text) {
        Some(_) if text.as_bytes().contains(&0) => Err(no_text()),
        Some((line, c)) => {
            let what = format!("line {line} holds a character that can't be seen, {}", visible(&c.to_string()));
            Err((what, "take it out: it would do something to a terminal instead of standing there"))
        }
        None => Ok(text),
    }
}
