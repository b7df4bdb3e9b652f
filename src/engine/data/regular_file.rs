//! The only way in which files are opened to be read: regular files of a bounded size. So nothing waits for a pipe, reads a device without
//! end, or fills the memory; a test holds that no other file of `src` opens one.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Opens a file. Fails for a pipe, a device or a folder, which is not opened, and for a file of more than `max_bytes`.
pub fn open_file(path: &Path, max_bytes: u64) -> Result<File, Error> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            "this is a device, a pipe or a folder, not a file",
        ));
    }
    if meta.len() > max_bytes {
        return Err(too_large(meta.len(), max_bytes));
    }
    File::open(path)
}

/// Reads a whole file of at most `max_bytes`.
pub fn read_bytes(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Error> {
    let file = open_file(path, max_bytes)?;
    let mut bytes = Vec::with_capacity(
        file.metadata()
            .map_or(0, |meta| meta.len().min(max_bytes) as usize + 1),
    );
    // It may have grown since its size was asked.
    let size = file.take(max_bytes + 1).read_to_end(&mut bytes)? as u64;
    if size > max_bytes {
        Err(too_large(size, max_bytes))
    } else {
        Ok(bytes)
    }
}

/// Reads a whole file of at most `max_bytes` as UTF-8.
pub fn read_string(path: &Path, max_bytes: u64) -> Result<String, Error> {
    let no_text = |_| Error::new(ErrorKind::InvalidData, "this file is not text in UTF-8");
    String::from_utf8(read_bytes(path, max_bytes)?).map_err(no_text)
}

/// Returns whether a path below a folder goes through a link, or is one: a link may lead anywhere.
pub fn is_behind_link(folder: &Path, path: &Path) -> bool {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let mut way = folder.to_path_buf();
    below.components().any(|part| {
        way.push(part);
        way.is_symlink()
    })
}

fn too_large(size: u64, max_bytes: u64) -> Error {
    Error::new(
        ErrorKind::FileTooLarge,
        format!("this file has {size} bytes; files of its kind have at most {max_bytes}"),
    )
}
