//! The user's files where there is no disk, as in a browser: texts in memory, by path. The names are those of `atomic_write` for a disk.

use crate::complaint::Error;
use crate::data::cache::lock_unpoisoned;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

static FILES: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

fn key_of(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

fn refuse(path: &Path, reason: &str) -> Error {
    Error::Usage(format!("{}: {reason}; nothing was written", path.display()))
}

/// Returns all files by key.
pub fn all_files() -> BTreeMap<String, String> {
    lock_unpoisoned(&FILES).clone()
}

/// Replaces all files.
pub fn set_files(files: BTreeMap<String, String>) {
    *lock_unpoisoned(&FILES) = files;
}

/// Returns the text of a file.
pub fn user_file(path: &Path) -> Option<String> {
    lock_unpoisoned(&FILES).get(&key_of(path)).cloned()
}

/// Fails if a path leads out of the user's folder or into no variant of it.
pub fn check_inside(_root: &Path, key: &str) -> Result<(), Error> {
    let variant: String = key.split('/').take(2).flat_map(|part| [part, "/"]).collect();
    match lock_unpoisoned(&FILES).keys().any(|stored| stored.starts_with(&variant)) {
        true => Ok(()),
        false => Err(Error::Usage(format!("{key}: there is no such variant here; lay it out first"))),
    }
}

/// Writes a file. If it exists, `replace` receives its text and returns the reason why it must stay.
pub fn write_atomic(path: &Path, text: impl AsRef<[u8]>, replace: impl Fn(&str) -> Result<(), String>) -> Result<(), Error> {
    let mut files = lock_unpoisoned(&FILES);
    if let Some(reason) = files.get(&key_of(path)).and_then(|old| replace(old).err()) {
        return Err(refuse(path, &reason));
    }
    files.insert(key_of(path), String::from_utf8_lossy(text.as_ref()).into_owned());
    Ok(())
}

/// A `replace` callback for [`write_atomic`] that keeps every existing file.
pub fn never_replace(_: &str) -> Result<(), String> {
    Err("there is such a file already".into())
}

/// Removes a file; in memory there are no folders.
pub fn remove_file(path: &Path, _stays: &Path) -> Result<(), Error> {
    lock_unpoisoned(&FILES).remove(&key_of(path));
    Ok(())
}

/// Returns the files of an unfinished write; in memory there are none.
pub fn unfinished_files(_root: &Path) -> BTreeMap<String, String> {
    BTreeMap::new()
}

/// Writes new files, all or none. Fails with the first one that exists.
pub fn write_new(_root: &Path, new: Vec<(PathBuf, String)>) -> Result<Vec<PathBuf>, Error> {
    let mut files = lock_unpoisoned(&FILES);
    if let Some((path, _)) = new.iter().find(|(path, _)| files.contains_key(&key_of(path))) {
        return Err(refuse(path, "there is such a file already"));
    }
    files.extend(new.iter().map(|(path, text)| (key_of(path), text.clone())));
    Ok(new.into_iter().map(|(path, _)| path).collect())
}
