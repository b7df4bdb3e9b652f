//! The user's files where there is no disk, as in a browser: texts in memory, by path. The names are those of `atomic_write` for a disk.

use crate::complaint::Error;
use crate::data::cache::lock_unpoisoned;
use crate::data::text_file::{PlannedChange, invisible_fault};
use std::collections::BTreeMap;
use std::path::Path;
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

/// Makes all changes, or none.
pub fn commit(_root: Option<&Path>, changes: &[PlannedChange]) -> Result<(), Error> {
    let mut files = lock_unpoisoned(&FILES);
    let mut changed = files.clone();
    for (path, change) in changes {
        let key = key_of(path);
        let new =
            change(files.get(&key).map(String::as_str)).map_err(|reason| refuse(path, &reason))?;
        match new.map(|new| String::from_utf8_lossy(&new).into_owned()) {
            Some(new) => match invisible_fault(&new) {
                Some(defect) => return Err(refuse(path, &defect.to_string())),
                None => drop(changed.insert(key, new)),
            },
            None => drop(changed.remove(&key)),
        }
    }
    *files = changed;
    Ok(())
}

/// Removes a file that is not of the user's data, such as a page of a rulebook.
pub fn remove_file(path: &Path) -> Result<(), Error> {
    lock_unpoisoned(&FILES).remove(&key_of(path));
    Ok(())
}

/// The name of the list of unfinished changes, which is on disks alone.
pub const UNFINISHED_LIST: &str = ".casebook-unfinished";

/// Takes back what a writer that was killed has done; in memory there is nothing.
pub fn recover(_root: &Path) -> Result<(), Error> {
    Ok(())
}
