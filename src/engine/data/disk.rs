//! Enumerates the data files of a folder: plain files within the folder only, with limits on number and depth.

use crate::complaint::terminal::has_invisible;
use crate::complaint::{Complaint, Complaints, DiagnosticCode, Place};
use crate::data::atomic_write::{UNFINISHED_LIST, recover};
use crate::data::file::DataFile;
use crate::data::file_text::FileText;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Limits on visited entries and on folder depth.
const MAX_ENTRIES: usize = 50_000;
const MAX_DEPTH: usize = 8;

/// Limit on followed links to folders: a few folders of links to one another have more ways through them than there are files.
const MAX_LINKS: usize = 100;

pub struct FolderEntry {
    pub name: String,
    pub path: PathBuf,
    /// Whether it is a folder, or a link to one.
    pub is_folder: bool,
    /// Whether it is a regular file and not a link.
    is_file: bool,
    /// Whether it may be a link; the directory listing does not tell.
    may_be_link: bool,
}

/// Lists a folder by name without dotfiles; a missing folder is empty.
pub fn list_folder(folder: &Path) -> Result<Vec<FolderEntry>, std::io::Error> {
    let listing = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        other => other?,
    };
    let mut entries = Vec::new();
    for entry in listing.take(MAX_ENTRIES + 1) {
        let entry = entry?;
        let name = entry
            .file_name()
            .into_string()
            .unwrap_or_else(|name| name.to_string_lossy().into_owned());
        let path = entry.path();
        // The entry's own file type saves a stat call per entry.
        let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink());
        let is_folder = kind.map_or_else(|| path.is_dir(), |kind| kind.is_dir());
        let is_file = kind.is_some_and(|kind| kind.is_file());
        entries.push(FolderEntry {
            name,
            path,
            is_folder,
            is_file,
            may_be_link: kind.is_none(),
        });
    }
    entries.retain(|entry| !entry.name.starts_with('.'));
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// A data folder on disk, being enumerated.
pub struct Disk<'a> {
    root: &'a Path,
    /// Canonical path of the root, without links.
    canonical_root: PathBuf,
    entry_count: usize,
    link_count: usize,
    files: Vec<DataFile>,
    total_bytes_read: Arc<AtomicU64>,
    complaints: Complaints,
}

impl<'a> Disk<'a> {
    /// Opens a folder and reads nothing yet; what a writer that was killed left half done is taken back.
    pub fn new(root: &'a Path) -> Disk<'a> {
        let home = fs::canonicalize(root).unwrap_or(root.into());
        let mut disk = Disk {
            root,
            canonical_root: home,
            entry_count: 0,
            link_count: 0,
            files: Vec::new(),
            total_bytes_read: Arc::default(),
            complaints: Complaints::default(),
        };
        if let Err(error) = recover(root) {
            disk.complain(
                &root.join(UNFINISHED_LIST),
                UNFINISHED_LIST,
                error.to_string(),
                "what it names is left as it is",
            );
        }
        disk
    }

    /// Returns the files found, with their texts not yet read, and the complaints.
    pub fn finish(self) -> (Vec<DataFile>, Complaints) {
        (self.files, self.complaints)
    }

    /// Returns whether files were left out because there are too many.
    pub fn is_cut_short(&self) -> bool {
        self.entry_count > MAX_ENTRIES || self.link_count > MAX_LINKS
    }

    /// Enumerates the files of one data tree.
    pub fn walk_tree(&mut self, tree: &str) {
        let at = self.root.join(tree);
        if at.exists() && self.is_inside(&at, tree) {
            self.walk_folder(&at, tree, 0);
        }
    }

    /// Enumerates ruling tests (`tests/<game>/*.yaml`) and case tests (`tests/<game>/<section>/*.rhai`). Also finds YAML directly in
    /// `tests` or deeper in a game's folder, because it may be misplaced.
    pub fn walk_tests(&mut self, tests: &str, is_game: impl Fn(&str) -> bool) {
        if !self.is_inside(&self.root.join(tests), tests) {
            return;
        }
        let folders = list_folder(&self.root.join(tests)).unwrap_or_default();
        let mut todo = vec![(false, tests.to_string())];
        for entry in folders.into_iter().filter(|entry| entry.is_folder) {
            let key = format!("{tests}/{}", entry.name);
            if !entry.may_be_link || self.is_inside(&entry.path, &key) {
                todo.push((is_game(&entry.name), key));
            }
        }
        todo.rotate_left(1);
        while let Some((ours, folder)) = todo.pop() {
            for entry in self.list_entries(&self.root.join(&folder), &folder) {
                let FolderEntry { name, path, .. } = &entry;
                let key = || [&folder, "/", name].concat();
                let is_misnamed = |name: &str| name.contains(".yml") || name.contains(".yaml");
                if entry.is_folder {
                    let key = key();
                    if ours && key.matches('/').count() <= MAX_DEPTH && self.is_inside(path, &key) {
                        todo.push((ours, key));
                    }
                    continue;
                }
                if name.ends_with(".yaml") || ours && name.ends_with(".rhai") {
                    let key = key();
                    self.add_file(entry, key);
                } else if folder != tests && is_misnamed(&name.to_lowercase()) {
                    self.complain(
                        path,
                        &key(),
                        "a file of tests ends in .yaml, and this one would not be read".into(),
                        "rename it, or remove it",
                    );
                }
            }
        }
    }

    fn walk_folder(&mut self, at: &Path, key: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return self.complain(
                at,
                key,
                "this folder is nested too deep; nothing in it was read".into(),
                "move the files up: data is a few folders deep",
            );
        }
        for entry in self.list_entries(at, key) {
            let FolderEntry {
                name,
                path,
                is_folder,
                may_be_link: may_lead,
                ..
            } = &entry;
            let key = [key, "/", name].concat();
            let is_data = name.ends_with(".rhai") || name.ends_with(".yaml");
            let (message, help) = if has_invisible(name) || name.contains(['\n', '\u{fffd}']) {
                (
                    "the name of this file is not plain text",
                    "give it a name of letters, digits and hyphens",
                )
            } else if *is_folder && is_data {
                (
                    "this is a folder; a file belongs here",
                    "remove the folder, or take the ending off its name",
                )
            } else if *is_folder {
                if !may_lead || self.is_inside(path, &key) {
                    self.walk_folder(path, &key, depth + 1);
                }
                continue;
            } else if is_data {
                self.add_file(entry, key);
                continue;
            } else if name.ends_with(".md") {
                continue;
            } else {
                (
                    "Casebook reads no file with this ending",
                    "end the name of a case in .rhai, of other data in .yaml, of notes in .md",
                )
            };
            self.complain(path, &key, message.into(), help);
        }
    }

    /// Lists a folder; returns nothing and complains if it is unreadable or has too many entries.
    fn list_entries(&mut self, at: &Path, key: &str) -> Vec<FolderEntry> {
        let entries = match list_folder(at) {
            Ok(entries) => entries,
            Err(error) => {
                self.complain(
                    at,
                    key,
                    format!("this folder can't be read: {error}"),
                    "check its permissions",
                );
                return Vec::new();
            }
        };
        let before = self.entry_count;
        self.entry_count += entries.len();
        if self.entry_count <= MAX_ENTRIES {
            return entries;
        }
        if before <= MAX_ENTRIES {
            let message = format!(
                "with this folder there are more than {MAX_ENTRIES} files; the rest is not read"
            );
            self.complain(at, key, message, "keep data in a folder of its own");
        }
        Vec::new()
    }

    /// Returns whether a path resolves to a location within the data folder.
    fn is_inside(&mut self, path: &Path, key: &str) -> bool {
        // Only links can leave the folder, so other paths need no canonicalisation.
        if !fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
            return true;
        }
        let real = fs::canonicalize(path).ok();
        let real_folder = path
            .parent()
            .and_then(|folder| fs::canonicalize(folder).ok());
        if real
            .as_ref()
            .zip(real_folder.as_ref())
            .is_some_and(|(real, real_folder)| real_folder.starts_with(real))
        {
            let message = "this link leads back to a folder that it is in; it was not followed";
            self.complain(path, key, message.into(), "remove the link");
            return false;
        }
        let is_inside_data = real.is_some_and(|real| real.starts_with(&self.canonical_root));
        if !is_inside_data {
            let help = "put a copy in its place, or use the folder it leads to as the data folder";
            self.complain(
                path,
                key,
                "this link leads out of the data, or nowhere; it was not followed".into(),
                help,
            );
            return false;
        }
        self.link_count += usize::from(path.is_dir());
        if self.link_count == MAX_LINKS + 1 {
            let message = format!(
                "with this one there are more than {MAX_LINKS} links to folders; no more are followed"
            );
            self.complain(
                path,
                key,
                message,
                "put folders in their places, or use one of them as the data folder",
            );
        }
        self.link_count <= MAX_LINKS || path.is_file()
    }

    fn add_file(&mut self, entry: FolderEntry, key: String) {
        if entry.is_file || self.is_inside(&entry.path, &key) {
            let path = self.display_path(&entry.path, &key);
            self.files.push(DataFile {
                key,
                path,
                text: FileText::on_disk(entry.path, self.total_bytes_read.clone()),
            });
        }
    }

    fn complain(&mut self, path: &Path, key: &str, message: String, help: &str) {
        let place = Place::whole_file(&self.display_path(path, key));
        self.complaints
            .push(Complaint::new(DiagnosticCode::File, place, message).with_help(help));
    }

    /// Returns the path of a file as the user would type it.
    fn display_path(&self, path: &Path, key: &str) -> String {
        if self.root == Path::new(".") {
            key.to_string()
        } else {
            path.to_string_lossy().into_owned()
        }
    }
}
