//! Marks the data as stale when a file of the user's folder changes. Without a server there is no folder to watch.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Watches data folders until it is dropped.
#[cfg(feature = "serve")]
pub struct FolderWatch(std::sync::Mutex<Option<notify::RecommendedWatcher>>);

#[cfg(feature = "serve")]
impl FolderWatch {
    /// Creates a watch that sets `stale`. If the system can't watch files, only writes by the workbench itself set it.
    pub fn new(stale: Arc<AtomicBool>) -> FolderWatch {
        use crate::data::files::DATA_FOLDERS;
        use notify::{Event, EventKind, Result};
        let of_data = |path: &std::path::PathBuf| DATA_FOLDERS.iter().any(|tree| path.iter().any(|part| part == *tree));
        let changed = move |event: Result<Event>| {
            if event.is_ok_and(|event| !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(of_data)) {
                stale.store(true, std::sync::atomic::Ordering::SeqCst);
            }
        };
        FolderWatch(std::sync::Mutex::new(notify::recommended_watcher(changed).ok()))
    }

    /// Watches the existing data folders below `root`, and `root` itself for new ones.
    pub fn watch(&self, root: &Path) {
        use crate::data::{cache::lock_unpoisoned, files::DATA_FOLDERS};
        use notify::{RecursiveMode, Watcher};
        let mut watcher = lock_unpoisoned(&self.0);
        let Some(watcher) = watcher.as_mut() else { return };
        let _ = watcher.watch(root, RecursiveMode::NonRecursive);
        let folders = DATA_FOLDERS.iter().map(|tree| root.join(tree)).filter(|folder| folder.is_dir());
        folders.for_each(|folder| drop(watcher.watch(&folder, RecursiveMode::Recursive)));
    }
}

/// Watches nothing.
#[cfg(not(feature = "serve"))]
pub struct FolderWatch;

#[cfg(not(feature = "serve"))]
impl FolderWatch {
    /// Creates a watch.
    pub fn new(_stale: Arc<AtomicBool>) -> FolderWatch {
        FolderWatch
    }

    /// Does nothing.
    pub fn watch(&self, _root: &Path) {}
}
