//! Changes of files: of one, or of several of a data folder as one step, all of them or none.

use crate::complaint::Error;
use crate::data::atomic_write::commit;
use crate::data::text_file::{BYTE_ORDER_MARK, PlannedChange, shown_text};
use std::path::{Path, PathBuf};

/// Changes of files that are made together. What a change was made from is compared with the file when it is made.
pub struct Transaction<'a> {
    root: PathBuf,
    changes: Vec<PlannedChange<'a>>,
}

impl<'a> Transaction<'a> {
    /// Creates a list without changes of the files in a data folder.
    pub fn new(root: &Path) -> Transaction<'a> {
        Transaction {
            root: root.into(),
            changes: Vec::new(),
        }
    }

    /// Adds a file, which must not exist.
    pub fn create(&mut self, path: PathBuf, text: String) {
        let new = move |old: Option<&str>| match old {
            None => Ok(Some(text.clone().into_bytes())),
            Some(_) => Err("this file exists already".into()),
        };
        self.changes.push((path, Box::new(new)));
    }

    /// Changes a file that was read as `was`, or removes it.
    pub fn change(&mut self, path: PathBuf, was: &'a str, text: Option<String>) {
        let change = move |old: Option<&str>| match old {
            Some(old) if shown_text(old) == shown_text(was) => {
                let mark = &old[..old.len() - old.trim_start_matches(BYTE_ORDER_MARK).len()];
                let marked = |text: &String| [mark, text].concat().into_bytes();
                Ok(text.as_ref().map(marked))
            }
            _ => Err("the file changed on disk".into()),
        };
        self.changes.push((path, Box::new(change)));
    }

    /// Makes all changes, and returns the paths of the files.
    pub fn commit(self) -> Result<Vec<PathBuf>, Error> {
        commit(Some(&self.root), &self.changes)?;
        Ok(self.changes.into_iter().map(|(path, _)| path).collect())
    }
}

/// Writes a file atomically: a reader sees the old text or the whole new text. If the file exists, `replace` receives its text ("" if it is
/// not UTF-8) and returns the reason why it must stay; no other writer comes between what it sees and what is written. Links, devices and
/// read-only files are never replaced. Fails with the path and the reason.
pub fn write_atomic(
    path: &Path,
    text: impl AsRef<[u8]>,
    replace: impl Fn(&str) -> Result<(), String>,
) -> Result<(), Error> {
    let change = |old: Option<&str>| {
        old.map_or(Ok(()), &replace)
            .map(|()| Some(text.as_ref().to_vec()))
    };
    commit(None, &[(path.into(), Box::new(change))])
}

/// A `replace` callback for [`write_atomic`] that keeps every existing file.
pub fn never_replace(_: &str) -> Result<(), String> {
    Err("this file exists already".into())
}
