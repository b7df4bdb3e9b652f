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

/// Returns whether there is a file at a path.
pub fn has_file(path: &Path) -> bool {
    lock_unpoisoned(&FILES).contains_key(&key_of(path))
}

/// Returns whether a file has exactly this text.
pub fn has_text(path: &Path, text: &str) -> bool {
    lock_unpoisoned(&FILES)
        .get(&key_of(path))
        .is_some_and(|stored| stored == text)
}

/// Fails if a path leads out of the user's folder or into no variant of it.
pub fn check_inside(_root: &Path, key: &str) -> Result<(), Error> {
    let variant: String = key
        .split('/')
        .take(2)
        .flat_map(|part| [part, "/"])
        .collect();
    match lock_unpoisoned(&FILES)
        .keys()
        .any(|stored| stored.starts_with(&variant))
    {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "{key}: there is no such variant here; create it first"
        ))),
    }
}

/// Writes a file. If it exists, `replace` receives its text and returns the reason why it must stay.
pub fn write_atomic(
    path: &Path,
    text: impl AsRef<[u8]>,
    replace: impl Fn(&str) -> Result<(), String>,
) -> Result<(), Error> {
    change_file(path, |old| {
        old.map_or(Ok(()), &replace)
            .map(|()| text.as_ref().to_vec())
    })
}

/// Writes what `change` makes of a file's text (`None` if there is no file), unless it returns a reason why the file must stay.
pub fn change_file(
    path: &Path,
    change: impl Fn(Option<&str>) -> Result<Vec<u8>, String>,
) -> Result<(), Error> {
    let mut files = lock_unpoisoned(&FILES);
    let text = change(files.get(&key_of(path)).map(String::as_str))
        .map_err(|reason| refuse(path, &reason))?;
    files.insert(key_of(path), String::from_utf8_lossy(&text).into_owned());
    Ok(())
}

/// Writes a file below the data folder, which is replaced if it exists.
pub fn write_below(_root: &Path, path: &Path, text: &str) -> Result<(), Error> {
    write_atomic(path, text, |_| Ok(()))
}

/// A `replace` callback for [`write_atomic`] that keeps every existing file.
pub fn never_replace(_: &str) -> Result<(), String> {
    Err("this file exists already".into())
}

/// Removes a file; in memory there are no folders.
pub fn remove_file(path: &Path, _stays: &Path) -> Result<(), Error> {
    lock_unpoisoned(&FILES).remove(&key_of(path));
    Ok(())
}

/// The name of the list of an unfinished write, which is on disks alone.
pub const UNFINISHED_LIST: &str = ".casebook-unfinished";

/// Returns the files of an unfinished write; in memory there are none.
pub fn unfinished_files(_root: &Path) -> Result<BTreeMap<String, String>, String> {
    Ok(BTreeMap::new())
}

/// Writes new files, all or none. Fails with the first one that exists.
pub fn write_new(_root: &Path, new: Vec<(PathBuf, String)>) -> Result<Vec<PathBuf>, Error> {
    let mut files = lock_unpoisoned(&FILES);
    if let Some((path, _)) = new
        .iter()
        .find(|(path, _)| files.contains_key(&key_of(path)))
    {
        return Err(refuse(path, "this file exists already"));
    }
    files.extend(new.iter().map(|(path, text)| (key_of(path), text.clone())));
    Ok(new.into_iter().map(|(path, _)| path).collect())
}
