//! Where the data stands: the files bound into the binary, and the user's folder laid over them or in their place.

use crate::complaint::{Complaint, Complaints, Error, Place};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The data bound into the binary: path and text.
static BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The trees of data, as they stand at the top level.
pub const TREES: [&str; 4] = ["rules", "tables", "scenarios", "variants"];

/// The tree of tests of rulings. Others keep their own files there, so only YAML in the folder of a game is ours.
const TESTS: &str = "tests";

/// A file larger than this is not read: no chart comes near it.
const LARGEST: u64 = 4 << 20;

/// A data file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its key: the path from the top level, `tables/<game>/x.yaml`.
    pub key: String,
    /// The path to show to the user.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
}

impl File {
    /// The key without its last part.
    pub fn folder(&self) -> &str {
        self.key.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The file's name without its ending.
    pub fn stem(&self) -> &str {
        let name = self.key.rsplit('/').next().unwrap_or(&self.key);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Whether it has a list of tests of rulings.
    pub fn has_tests(&self) -> bool {
        self.text.lines().any(|line| line.starts_with("tests:"))
    }
}

/// All data files, by key.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Key to file.
    pub files: BTreeMap<String, File>,
    /// What was wrong with files that could not be read.
    pub complaints: Complaints,
}

impl Files {
    /// The files bound into the binary.
    pub fn built_in() -> Files {
        let file =
            |(key, text): &(&str, &str)| (key.to_string(), File { key: key.to_string(), path: key.to_string(), text: Arc::from(*text) });
        Files { files: BUILT_IN.iter().map(file).collect(), complaints: Complaints::default() }
    }

    /// The built-in files with a folder laid over them: a file at the same path takes its place.
    /// A folder that brings a game's manifest of its own replaces everything.
    pub fn with_folder(folder: &Path) -> Result<Files, Error> {
        let mut own = Files::default();
        if !folder.is_dir() {
            return Err(Error::Usage(format!("--data {}: there is no such folder", folder.display())));
        }
        for tree in TREES {
            own.walk(&folder.join(tree), tree, folder);
        }
        own.tests(folder);
        let whole = own.files.keys().any(|key| key.starts_with("rules/") && key.ends_with("/game.yaml"));
        if whole {
            return Ok(own);
        }
        let mut shelf = Files::built_in();
        shelf.files.extend(own.files);
        shelf.complaints = own.complaints;
        Ok(shelf)
    }

    /// The same with a text in the place of a file, or beside the others: as it would be, were it saved.
    pub fn with_text(&self, key: &str, text: &str) -> Files {
        let mut shelf = self.clone();
        let path = shelf.files.get(key).map_or_else(|| key.to_string(), |file| file.path.clone());
        shelf.files.insert(key.into(), File { key: key.into(), path, text: Arc::from(text) });
        shelf
    }

    /// What `--data` left out means: this folder, if it looks like a data folder, else the built-in files.
    pub fn find(data: Option<&Path>) -> Result<Files, Error> {
        match data {
            Some(folder) => Files::with_folder(folder),
            None if TREES.iter().chain([&TESTS]).any(|tree| Path::new(tree).is_dir()) => Files::with_folder(Path::new(".")),
            None => Ok(Files::built_in()),
        }
    }

    /// The tests of rulings, `tests/<game>/*.yaml`; and YAML straight in `tests`, which may be one gone astray.
    fn tests(&mut self, root: &Path) {
        let folders = entries(&root.join(TESTS)).into_iter().filter(|(_, path)| path.is_dir()).map(|(name, _)| format!("{TESTS}/{name}"));
        for folder in folders.chain([TESTS.to_string()]) {
            for (name, path) in entries(&root.join(&folder)).into_iter().filter(|(name, path)| name.ends_with(".yaml") && path.is_file()) {
                let key = format!("{folder}/{name}");
                self.read(&path, key.clone(), shown(&path, &key, root));
            }
        }
    }

    fn walk(&mut self, at: &Path, key: &str, root: &Path) {
        for (name, path) in entries(at) {
            let key = format!("{key}/{name}");
            let shown = shown(&path, &key, root);
            let is_data = name.ends_with(".rhai") || name.ends_with(".yaml");
            if path.is_dir() {
                if is_data {
                    let what = "this is a folder, and a file belongs here";
                    self.complaints
                        .push(Complaint::new("file", Place::file(&shown), what).help("remove the folder, or take the ending off its name"));
                } else {
                    self.walk(&path, &key, root);
                }
            } else if is_data {
                self.read(&path, key, shown);
            } else if !name.ends_with(".md") {
                let help = "cases end in .rhai, all other data in .yaml; notes may end in .md";
                self.complaints.push(Complaint::new("file", Place::file(&shown), "this is no file of data").help(help));
            }
        }
    }

    fn read(&mut self, path: &Path, key: String, shown: String) {
        let complain = |what: String, help: &str| Complaint::new("file", Place::file(&shown), what).help(help);
        let size = fs::metadata(path).map(|m| m.len()).unwrap_or(0);
        if size > LARGEST {
            let what = format!("this file has {} MB; data files have at most {}", size >> 20, LARGEST >> 20);
            return self.complaints.push(complain(what, "it was not read; split it, or remove it"));
        }
        match fs::read(path).map(String::from_utf8) {
            Ok(Ok(text)) if !text.contains('\0') => {
                let text = Arc::from(text.strip_prefix('\u{feff}').unwrap_or(&text));
                self.files.insert(key.clone(), File { key, path: shown, text });
            }
            Ok(_) => self.complaints.push(complain("this file is not text".into(), "data files are plain text in UTF-8")),
            Err(error) => self.complaints.push(complain(format!("this file can't be read: {error}"), "look at its permissions")),
        }
    }
}

/// The entries of a folder by name, those that begin with a dot left out.
fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<_> = entries.flatten().map(|e| (e.file_name().to_string_lossy().into_owned(), e.path())).collect();
    entries.retain(|(name, _)| !name.starts_with('.'));
    entries.sort();
    entries
}

/// The path of a file as the user would type it.
fn shown(path: &Path, key: &str, root: &Path) -> String {
    if root == Path::new(".") { key.to_string() } else { path.to_string_lossy().into_owned() }
}
