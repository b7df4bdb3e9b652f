//! A folder of data on the disk: plain files of text alone, none from elsewhere, and no more than there can be of them.

use crate::complaint::screen::any_unseen;
use crate::complaint::{Complaint, Complaints, Place};
use crate::data::contents::Contents;
use crate::data::file::File;
use crate::data::save::unfinished;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// So many entries are looked at, and so deep.
const ENTRIES: usize = 50_000;
const DEPTH: usize = 8;

/// What stands in a folder.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Whether it is a folder, or a link to one.
    pub is_folder: bool,
    /// Whether it is a plain file, by no link.
    is_file: bool,
    /// Whether it may be a link: its folder does not say what it is.
    may_lead: bool,
}

/// The entries of a folder by name, those that begin with a dot left out; none of a folder that is not there.
pub fn entries(folder: &Path) -> Result<Vec<Entry>, std::io::Error> {
    let found = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        other => other?,
    };
    let mut entries = Vec::new();
    for entry in found.take(ENTRIES + 1) {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_else(|name| name.to_string_lossy().into_owned());
        let path = entry.path();
        // What the folder itself knows of its entries need not be asked of each.
        let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink());
        let is_folder = kind.map_or_else(|| path.is_dir(), |kind| kind.is_dir());
        let is_file = kind.is_some_and(|kind| kind.is_file());
        entries.push(Entry { name, path, is_folder, is_file, may_lead: kind.is_none() });
    }
    entries.retain(|entry| !entry.name.starts_with('.'));
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// A folder of data on the disk.
pub struct Disk<'a> {
    root: &'a Path,
    /// Where it really lies, with no link in its path.
    home: PathBuf,
    entries: usize,
    found: Vec<File>,
    bytes: Arc<AtomicU64>,
    complaints: Complaints,
    /// What is being written, and not there yet.
    unfinished: BTreeMap<String, String>,
}

impl<'a> Disk<'a> {
    /// The folder, with nothing read.
    pub fn new(root: &'a Path) -> Disk<'a> {
        let home = fs::canonicalize(root).unwrap_or(root.into());
        Disk {
            root,
            home,
            entries: 0,
            found: Vec::new(),
            bytes: Arc::default(),
            complaints: Complaints::default(),
            unfinished: unfinished(root),
        }
    }

    /// What was found, not read yet, and what was wrong with the rest.
    pub fn done(self) -> (Vec<File>, Complaints) {
        (self.found, self.complaints)
    }

    /// Finds the files of a tree of data.
    pub fn walk(&mut self, tree: &str) {
        let at = self.root.join(tree);
        if at.exists() && self.stays(&at, tree) {
            self.down(&at, tree, 0);
        }
    }

    /// Finds the tests of rulings, `tests/<game>/*.yaml`, and those of cases, `tests/<game>/<section>/*.rhai`; and YAML straight in `tests`
    /// or deeper in the folder of a game, which may be one gone astray.
    pub fn tests(&mut self, tests: &str, is_game: impl Fn(&str) -> bool) {
        let folders = entries(&self.root.join(tests)).unwrap_or_default();
        let folders =
            folders.into_iter().filter(|entry| entry.is_folder).map(|entry| (is_game(&entry.name), format!("{tests}/{}", entry.name)));
        let mut todo: Vec<(bool, String)> = folders.chain([(false, tests.to_string())]).collect();
        while let Some((ours, folder)) = todo.pop() {
            for entry in self.listed(&self.root.join(&folder), &folder) {
                let Entry { name, path, .. } = &entry;
                let key = || [&folder, "/", name].concat();
                let astray = |name: &str| name.contains(".yml") || name.contains(".yaml");
                if entry.is_folder {
                    let key = key();
                    if ours && key.matches('/').count() <= DEPTH && self.stays(path, &key) {
                        todo.push((ours, key));
                    }
                    continue;
                }
                if name.ends_with(".yaml") || ours && name.ends_with(".rhai") {
                    let key = key();
                    self.want(entry, key);
                } else if folder != tests && astray(&name.to_lowercase()) {
                    self.complain(
                        path,
                        &key(),
                        "a file of tests ends in .yaml, and this one would not be read".into(),
                        "rename it, or take it away",
                    );
                }
            }
        }
    }

    fn down(&mut self, at: &Path, key: &str, depth: usize) {
        if depth > DEPTH {
            return self.complain(at, key, "this folder lies too deep; nothing in it was read".into(), "data lies a few folders deep");
        }
        for entry in self.listed(at, key) {
            let Entry { name, path, is_folder, may_lead, .. } = &entry;
            let key = [key, "/", name].concat();
            let is_data = name.ends_with(".rhai") || name.ends_with(".yaml");
            let (what, help) = if any_unseen(name) || name.contains(['\n', '\u{fffd}']) {
                ("the name of this file is no plain text", "give it a name of letters, digits and hyphens")
            } else if *is_folder && is_data {
                ("this is a folder, and a file belongs here", "remove the folder, or take the ending off its name")
            } else if *is_folder {
                if !may_lead || self.stays(path, &key) {
                    self.down(path, &key, depth + 1);
                }
                continue;
            } else if is_data {
                self.want(entry, key);
                continue;
            } else if name.ends_with(".md") {
                continue;
            } else {
                ("this is no file of data", "cases end in .rhai, all other data in .yaml; notes may end in .md")
            };
            self.complain(path, &key, what.into(), help);
        }
    }

    /// The entries of a folder, unless there are too many or it can't be read.
    fn listed(&mut self, at: &Path, key: &str) -> Vec<Entry> {
        let found = match entries(at) {
            Ok(found) => found,
            Err(error) => {
                self.complain(at, key, format!("this folder can't be read: {error}"), "look at its permissions");
                return Vec::new();
            }
        };
        let before = self.entries;
        self.entries += found.len();
        if self.entries <= ENTRIES {
            return found;
        }
        if before <= ENTRIES {
            let what = format!("with this folder there are more than {ENTRIES} files; the rest is not read");
            self.complain(at, key, what, "keep data apart from other files");
        }
        Vec::new()
    }

    /// Whether a path stays in the folder of the data, links and all.
    fn stays(&mut self, path: &Path, key: &str) -> bool {
        // Only a link can lead elsewhere, and a folder that is reached by none of them need not be asked.
        if !fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
            return true;
        }
        let real = fs::canonicalize(path).ok();
        let within = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
        if real.as_ref().zip(within.as_ref()).is_some_and(|(real, within)| within.starts_with(real)) {
            let what = "this link leads back to a folder that it lies in; it was not followed";
            self.complain(path, key, what.into(), "take the link away");
            return false;
        }
        let stays = real.is_some_and(|real| real.starts_with(&self.home));
        if !stays {
            let help = "put a copy in its place, or name the folder it leads to with --data";
            self.complain(path, key, "this link leads out of the data, or nowhere; it was not followed".into(), help);
        }
        stays
    }

    fn want(&mut self, entry: Entry, key: String) {
        if self.unfinished.get(&key).is_some_and(|text| fs::read_to_string(&entry.path).is_ok_and(|there| there == *text)) {
            return;
        }
        if entry.is_file || self.stays(&entry.path, &key) {
            let path = self.shown(&entry.path, &key);
            self.found.push(File { key, path, text: Contents::on_disk(entry.path, entry.is_file, self.bytes.clone()) });
        }
    }

    fn complain(&mut self, path: &Path, key: &str, what: String, help: &str) {
        let place = Place::file(&self.shown(path, key));
        self.complaints.push(Complaint::new("file", place, what).help(help));
    }

    /// The path of a file as the user would type it.
    fn shown(&self, path: &Path, key: &str) -> String {
        if self.root == Path::new(".") { key.to_string() } else { path.to_string_lossy().into_owned() }
    }
}
