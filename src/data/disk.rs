//! Files read from the disk: plain files of text alone, none from elsewhere, and no more than there can be of them.

use crate::complaint::screen::{unseen, visible};
use crate::complaint::{Complaint, Complaints, Place};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// A file larger than this is not read: no chart comes near it.
const LARGEST: u64 = 4 << 20;
/// So much is read of all files together, in bytes.
const MOST: u64 = 256 << 20;
/// So many entries are looked at, and so deep.
const ENTRIES: usize = 50_000;
const DEPTH: usize = 8;

/// What is wrong, and how to mend it.
pub type Fault = (String, &'static str);

/// The text of a file: plain text in UTF-8, without a byte order mark. Pipes and devices are not touched, and no more is read than a
/// file of data can have.
pub fn text_of(path: &Path) -> Result<String, Fault> {
    let unread = |error: std::io::Error| (format!("this file can't be read: {error}"), "look at its permissions");
    let meta = fs::metadata(path).map_err(unread)?;
    if !meta.is_file() {
        return Err(("this is a device, a pipe or a folder, no file".into(), "data stands in plain files"));
    }
    let mut bytes = Vec::new();
    let size = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)).map_err(unread)? as u64;
    if size > LARGEST {
        let size = meta.len().max(size) >> 20;
        let what = format!("this file has {size} MB; data files have at most {}", LARGEST >> 20);
        return Err((what, "it was not read; split it, or remove it"));
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let text = text.ok_or_else(|| ("this file is not text".into(), "data files are plain text in UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').map_or(text.clone(), String::from);
    match text.lines().enumerate().find_map(|(line, text)| Some((line + 1, text.chars().find(|c| unseen(*c) && *c != '\t')?))) {
        Some((line, c)) => {
            let what = format!("line {line} holds a character that can't be seen, {}", visible(&c.to_string()));
            Err((what, "take it out: it would do something to a terminal instead of standing there"))
        }
        None => Ok(text),
    }
}

/// The entries of a folder by name, those that begin with a dot left out; none of a folder that is not there.
pub fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, std::io::Error> {
    let found = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        other => other?,
    };
    let mut entries = Vec::new();
    for entry in found.take(ENTRIES + 1) {
        let entry = entry?;
        entries.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    entries.retain(|(name, _)| !name.starts_with('.'));
    entries.sort();
    Ok(entries)
}

/// What was found: key, path as shown, text.
pub type Found = (String, String, String);

/// A folder of data on the disk.
pub struct Disk<'a> {
    root: &'a Path,
    /// Where it really lies, with no link in its path.
    home: PathBuf,
    entries: usize,
    bytes: u64,
    found: Vec<Found>,
    complaints: Complaints,
}

impl<'a> Disk<'a> {
    /// The folder, with nothing read.
    pub fn new(root: &'a Path) -> Disk<'a> {
        let home = fs::canonicalize(root).unwrap_or(root.into());
        Disk { root, home, entries: 0, bytes: 0, found: Vec::new(), complaints: Complaints::default() }
    }

    /// What was read, and what was wrong with the rest.
    pub fn done(self) -> (Vec<Found>, Complaints) {
        (self.found, self.complaints)
    }

    /// Reads a tree of data.
    pub fn walk(&mut self, tree: &str) {
        self.down(&self.root.join(tree), tree, 0);
    }

    /// Reads the tests of rulings, `tests/<game>/*.yaml`; and YAML straight in `tests`, which may be one gone astray.
    pub fn tests(&mut self, tests: &str) {
        let folders = entries(&self.root.join(tests)).unwrap_or_default();
        let folders = folders.into_iter().filter(|(_, path)| path.is_dir()).map(|(name, _)| format!("{tests}/{name}"));
        for folder in folders.chain([tests.to_string()]).collect::<Vec<_>>() {
            for (name, path) in self.listed(&self.root.join(&folder), &folder) {
                let (small, key) = (name.to_lowercase(), format!("{folder}/{name}"));
                if path.is_dir() {
                    continue;
                }
                if name.ends_with(".yaml") {
                    self.read(&path, key);
                } else if folder != tests && (small.contains(".yml") || small.contains(".yaml")) {
                    self.complain(
                        &path,
                        &key,
                        "a file of tests ends in .yaml, and this one would not be read".into(),
                        "rename it, or take it away",
                    );
                }
            }
        }
    }

    fn down(&mut self, at: &Path, key: &str, depth: usize) {
        if !at.exists() || !self.stays(at, key) {
            return;
        }
        if depth > DEPTH {
            return self.complain(at, key, "this folder lies too deep; nothing in it was read".into(), "data lies a few folders deep");
        }
        for (name, path) in self.listed(at, key) {
            let key = format!("{key}/{name}");
            let is_data = name.ends_with(".rhai") || name.ends_with(".yaml");
            if name.contains(unseen) || name.contains(['\n', '\u{fffd}']) {
                self.complain(
                    &path,
                    &key,
                    "the name of this file is no plain text".into(),
                    "give it a name of letters, digits and hyphens",
                );
            } else if path.is_dir() && is_data {
                let what = "this is a folder, and a file belongs here".into();
                self.complain(&path, &key, what, "remove the folder, or take the ending off its name");
            } else if path.is_dir() {
                self.down(&path, &key, depth + 1);
            } else if is_data {
                self.read(&path, key);
            } else if !name.ends_with(".md") {
                self.complain(
                    &path,
                    &key,
                    "this is no file of data".into(),
                    "cases end in .rhai, all other data in .yaml; notes may end in .md",
                );
            }
        }
    }

    /// The entries of a folder, unless there are too many or it can't be read.
    fn listed(&mut self, at: &Path, key: &str) -> Vec<(String, PathBuf)> {
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
        let stays = fs::canonicalize(path).is_ok_and(|real| real.starts_with(&self.home));
        if !stays {
            let help = "put a copy in its place, or name the folder it leads to with --data";
            self.complain(path, key, "this link leads out of the data, or nowhere; it was not followed".into(), help);
        }
        stays
    }

    fn read(&mut self, path: &Path, key: String) {
        if !self.stays(path, &key) {
            return;
        }
        match text_of(path) {
            Err((what, help)) => self.complain(path, &key, what, help),
            Ok(text) => {
                let before = self.bytes;
                self.bytes += text.len() as u64;
                if self.bytes <= MOST {
                    let shown = self.shown(path, &key);
                    self.found.push((key, shown, text));
                } else if before <= MOST {
                    let what = format!("with this file there are more than {} MB; the rest is not read", MOST >> 20);
                    self.complain(path, &key, what, "keep data apart from other files");
                }
            }
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
