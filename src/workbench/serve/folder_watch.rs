//! Marks the data as stale when a file of the user's folder changes.

use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::files::DATA_FOLDERS;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Watches data folders until it is dropped.
pub struct FolderWatch(Mutex<Option<RecommendedWatcher>>);

impl FolderWatch {
    /// Creates a watch that sets `stale`. If the system can't watch files, only writes by the workbench itself set it.
    pub fn new(stale: Arc<AtomicBool>) -> FolderWatch {
        let of_data = |path: &PathBuf| {
            DATA_FOLDERS
                .iter()
                .any(|tree| path.iter().any(|part| part == *tree))
        };
        let changed = move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| {
                !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(of_data)
            }) {
                stale.store(true, Ordering::SeqCst);
            }
        };
        FolderWatch(Mutex::new(notify::recommended_watcher(changed).ok()))
    }

    /// Watches the existing data folders below `root`, and `root` itself for new ones.
    pub fn watch(&self, root: &Path) {
        let mut watcher = lock_unpoisoned(&self.0);
        let Some(watcher) = watcher.as_mut() else {
            return;
        };
        let _ = watcher.watch(root, RecursiveMode::NonRecursive);
        let folders = DATA_FOLDERS
            .iter()
            .map(|tree| root.join(tree))
            .filter(|folder| folder.is_dir());
        folders.for_each(|folder| drop(watcher.watch(&folder, RecursiveMode::Recursive)));
    }
}
