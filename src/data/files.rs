//! Where the data stands: the files bound into the binary, and the user's folder laid over them or in their place.

use crate::complaint::{Complaints, Error};
use crate::data::disk::{Disk, entries};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The data bound into the binary: path and text.
static BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The trees of data, as they stand at the top level.
pub const TREES: [&str; 4] = ["rules", "tables", "scenarios", "variants"];

/// The tree of tests of rulings. Others keep their own files there, so only YAML in the folder of a game is ours.
const TESTS: &str = "tests";

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
    /// The folder laid over the built-in files, as the user would type it; none where there is none.
    pub root: Option<PathBuf>,
    /// The keys that the folder brings.
    own: BTreeSet<String>,
}

impl Files {
    /// The files bound into the binary.
    pub fn built_in() -> Files {
        let file =
            |(key, text): &(&str, &str)| (key.to_string(), File { key: key.to_string(), path: key.to_string(), text: Arc::from(*text) });
        Files { files: BUILT_IN.iter().map(file).collect(), ..Files::default() }
    }

    /// The built-in files with a folder laid over them: a file at the same path takes its place.
    /// Of a folder that brings a game of its own the built-in games are no part; `beside_built_in` adds them.
    pub fn with_folder(folder: &Path) -> Result<Files, Error> {
        if !folder.is_dir() {
            return Err(Error::Usage(format!("--data {}: there is no such folder", folder.display())));
        }
        let mut disk = Disk::new(folder);
        TREES.iter().for_each(|tree| disk.walk(tree));
        disk.tests(TESTS);
        let (found, complaints) = disk.done();
        let file = |(key, path, text): (String, String, String)| (key.clone(), File { key, path, text: text.into() });
        let files: BTreeMap<String, File> = found.into_iter().map(file).collect();
        let own = Files { own: files.keys().cloned().collect(), root: Some(folder.into()), files, complaints };
        let whole = own.games().next().is_some();
        let bound = |game: &str| BUILT_IN.iter().any(|(key, _)| *key == format!("rules/{game}/game.yaml"));
        let foreign = own.files.values().filter_map(game_of_variant).any(|game| !own.brings(game) && bound(game));
        Ok(if whole && !foreign { own } else { own.beside_built_in() })
    }

    /// The same with a text in the place of a file, or beside the others: as it would be, were it saved.
    pub fn with_text(&self, key: &str, text: &str) -> Files {
        let mut shelf = self.clone();
        let path = shelf.files.get(key).map_or_else(|| key.to_string(), |file| file.path.clone());
        shelf.files.insert(key.into(), File { key: key.into(), path, text: Arc::from(text) });
        shelf
    }

    /// What `--data` left out means: this folder, or the nearest above it that holds data, else the built-in files.
    pub fn find(data: Option<&Path>) -> Result<Files, Error> {
        match data.map(Path::to_path_buf).or_else(above) {
            Some(folder) => Files::with_folder(&folder),
            None => Ok(Files::built_in()),
        }
    }

    /// With the built-in files: those at the same path, and those of a game that the folder brings, keep away.
    pub fn beside_built_in(mut self) -> Files {
        if self.root.is_none() {
            return self;
        }
        for (key, file) in Files::built_in().files {
            let parts: Vec<&str> = key.split('/').collect();
            let replaced = match parts[..] {
                ["variants", name, ..] => {
                    let manifest = format!("variants/{name}/variant.yaml");
                    let game = BUILT_IN.iter().find(|(key, _)| *key == manifest).and_then(|(_, text)| game_in(text));
                    game.is_some_and(|game| self.brings(game))
                }
                [_, game, ..] => self.brings(game),
                _ => false,
            };
            if !replaced {
                self.files.entry(key).or_insert(file);
            }
        }
        self
    }

    /// Whether the folder brings this game, with its manifest.
    pub fn brings(&self, game: &str) -> bool {
        self.own.contains(&format!("rules/{game}/game.yaml"))
    }

    /// The games that the folder brings.
    pub fn games(&self) -> impl Iterator<Item = &str> {
        self.own.iter().filter_map(|key| key.strip_prefix("rules/")?.strip_suffix("/game.yaml"))
    }
}

/// The game that the text of a variant's manifest names.
fn game_in(text: &str) -> Option<&str> {
    text.lines()
        .find_map(|line| line.strip_prefix("game:"))
        .map(|game| game.split('#').next().unwrap_or(game).trim_matches([' ', '"', '\'']))
}

fn game_of_variant(file: &File) -> Option<&str> {
    if file.key.ends_with("/variant.yaml") { game_in(&file.text) } else { None }
}

/// This folder or the nearest above it with data in it, as one would type it. A variant is a part of data, not data by itself.
fn above() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let depth = here.ancestors().enumerate().find(|(up, folder)| {
        let holds = |tree: &&str| if *up == 0 { folder.join(tree).is_dir() } else { tree_of_data(&folder.join(tree)) };
        !folder.join("variant.yaml").exists() && (TREES.iter().any(holds) || *up == 0 && folder.join(TESTS).is_dir())
    });
    depth.map(|(up, _)| if up == 0 { PathBuf::from(".") } else { (0..up).map(|_| "..").collect() })
}

/// Whether a folder is a tree of data: other folders bear such names, too, but nothing like `<name>/<name>.yaml` stands in them.
fn tree_of_data(tree: &Path) -> bool {
    let below = |folder: &Path| entries(folder).unwrap_or_default();
    below(tree).iter().any(|(_, folder)| folder.is_dir() && below(folder).iter().any(|(name, _)| name.ends_with(".yaml")))
}
