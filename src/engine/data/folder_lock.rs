//! Holds back other writers of a folder, in this process and in others, so that a file is compared and written in one step.

use crate::complaint::Error;
use crate::platform::clock::{Instant, sleep};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for another one, and how often it looks.
const WAIT: (Duration, Duration) = (Duration::from_secs(10), Duration::from_millis(2));

/// A lock on a folder until it is dropped; the system ends it with the process, too.
pub struct FolderLock {
    file: Option<File>,
}

impl FolderLock {
    /// Waits for the lock; fails if another writer keeps it.
    pub fn take(folder: &Path) -> Result<FolderLock, Error> {
        let Ok(file) = open_lock(folder) else {
            return Ok(FolderLock { file: None });
        };
        let until = Instant::now() + WAIT.0;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(FolderLock { file: Some(file) }),
                Err(TryLockError::WouldBlock) if Instant::now() < until => sleep(WAIT.1),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Usage(format!(
                        "{}: another casebook is writing here; nothing was written",
                        folder.display()
                    )));
                }
                // Some file systems know no locks; writers of one process exclude each other all the same.
                Err(TryLockError::Error(_)) => return Ok(FolderLock { file: None }),
            }
        }
    }

    /// Whether other processes are excluded, too.
    pub fn holds_back_others(&self) -> bool {
        self.file.is_some()
    }
}

/// Opens what is locked: the folder itself.
#[cfg(unix)]
fn open_lock(folder: &Path) -> std::io::Result<File> {
    File::open(folder)
}

/// Opens what is locked: a file in the folder, where folders can't be locked.
#[cfg(not(unix))]
fn open_lock(folder: &Path) -> std::io::Result<File> {
    File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(folder.join(".casebook-lock"))
}

/// Waits until the names of a folder's files are on the disk, where a system can say so.
pub fn sync_folder(folder: &Path) {
    if let Ok(folder) = open_lock(folder) {
        let _ = folder.sync_all();
    }
}
