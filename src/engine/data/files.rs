//! The set of data files: embedded files, and the user's folder that overlays or replaces them.

use crate::complaint::terminal::escape_invisible;
use crate::complaint::{Complaints, Error};
use crate::data::disk::{Disk, FolderEntry, list_folder};
use crate::data::embedded::{Embedded, EmbeddedFile};
pub use crate::data::file::DataFile;
use crate::platform::parallel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Top-level data folders.
pub const DATA_FOLDERS: [&str; 4] = ["rules", "tables", "scenarios", "variants"];

/// Folder of tests. Other projects use the same name, so only the folders of games in it count.
const TESTS_FOLDER: &str = "tests";

/// All data files, by key.
#[derive(Clone, Debug, Default)]
pub struct Files {
    pub by_key: BTreeMap<String, DataFile>,
    /// Complaints about unreadable files.
    pub complaints: Complaints,
    /// The user's folder that overlays the embedded files, as typed; `None` without one.
    pub root: Option<PathBuf>,
    /// Games that the folder itself defines by a manifest.
    own_games: BTreeSet<String>,
    /// What the program carries with it, whether or not the folder replaces it.
    pub embedded: Embedded,
    /// Whether files of the folder were left out because there are too many.
    pub is_cut_short: bool,
}

impl Files {
    pub fn built_in(embedded: Embedded) -> Files {
        let file = |file: &EmbeddedFile| {
            (
                file.key.to_string(),
                DataFile::embedded(file.key, file.text),
            )
        };
        Files {
            by_key: embedded.0.iter().map(file).collect(),
            embedded,
            ..Files::default()
        }
    }

    /// Overlays the embedded files with a folder; a file at the same path wins. If the folder defines games of its own and touches no
    /// embedded game, the embedded games are left out; [`Files::with_built_in`] adds them.
    pub fn with_folder(folder: &Path, embedded: Embedded) -> Result<Files, Error> {
        if !folder.is_dir() {
            return Err(Error::Usage(format!(
                "the data folder {} does not exist",
                folder.display()
            )));
        }
        let mut disk = Disk::new(folder);
        DATA_FOLDERS.iter().for_each(|tree| disk.walk_tree(tree));
        let is_built_in = |game: &str| embedded.find(&manifest_key(game)).is_some();
        disk.walk_tests(TESTS_FOLDER, |game| {
            is_built_in(game) || folder.join(manifest_key(game)).is_file()
        });
        let is_cut_short = disk.is_cut_short();
        let (data_files, complaints) = disk.finish();
        Ok(Files {
            is_cut_short,
            ..Files::overlay(folder, data_files, complaints, embedded)
        })
    }

    /// Overlays the embedded files with texts in memory, by key, as if they lay in a folder.
    pub fn with_texts(texts: BTreeMap<String, String>, embedded: Embedded) -> Files {
        let file = |(key, text): (String, String)| DataFile {
            path: key.clone(),
            key,
            text: text.as_str().into(),
        };
        Files::overlay(
            Path::new("."),
            texts.into_iter().map(file).collect(),
            Complaints::default(),
            embedded,
        )
    }

    fn overlay(
        folder: &Path,
        data_files: Vec<DataFile>,
        complaints: Complaints,
        embedded: Embedded,
    ) -> Files {
        let files: BTreeMap<String, DataFile> = data_files
            .into_iter()
            .map(|file| (file.key.clone(), file))
            .collect();
        let games = files
            .keys()
            .filter_map(|key| key.strip_prefix("rules/")?.strip_suffix("/game.yaml"));
        let overlaid = Files {
            own_games: games.map(String::from).collect(),
            root: Some(folder.into()),
            by_key: files,
            complaints,
            is_cut_short: false,
            embedded,
        };
        let is_built_in = |game: &str| embedded.find(&manifest_key(game)).is_some();
        let amends_built_in = || {
            overlaid
                .by_key
                .values()
                .filter_map(game_of)
                .any(|game| !overlaid.has_own_game(game) && is_built_in(game))
        };
        if overlaid.own_games.is_empty() || amends_built_in() {
            overlaid.with_built_in()
        } else {
            overlaid
        }
    }

    /// Reads all files; removes and reports the unreadable ones.
    pub fn read_all(mut self) -> Files {
        let files: Vec<&DataFile> = self.by_key.values().collect();
        let read = |files: &[&DataFile]| {
            files
                .iter()
                .filter_map(|file| file.fault())
                .collect::<Vec<_>>()
        };
        let complaints = parallel::map_halves(&files, read);
        self.by_key.retain(|_, file| file.text.fault().is_none());
        self.complaints.0.extend(complaints);
        self
    }

    /// Returns a copy in which a key has the given text, as if it had been saved.
    pub fn with_text(&self, key: &str, text: &str) -> Files {
        let mut files = self.clone();
        files.set_text(key, text);
        files
    }

    /// Gives a key another text, as if it had been saved.
    pub fn set_text(&mut self, key: &str, text: &str) {
        let path = self
            .by_key
            .get(key)
            .map_or_else(|| key.to_string(), |file| file.path.clone());
        self.by_key.insert(
            key.into(),
            DataFile {
                key: key.into(),
                path,
                text: text.into(),
            },
        );
    }

    /// Returns the files of the user's storage in a browser, over the embedded ones.
    #[cfg(target_family = "wasm")]
    pub fn discover(_data: Option<&Path>, embedded: Embedded) -> Result<Files, Error> {
        Ok(Files::with_texts(
            crate::data::atomic_write::all_files(),
            embedded,
        ))
    }

    /// Resolves the data folder: the given one, else the nearest ancestor with data, else the embedded files alone.
    #[cfg(not(target_family = "wasm"))]
    pub fn discover(data: Option<&Path>, embedded: Embedded) -> Result<Files, Error> {
        match data.map(Path::to_path_buf).or_else(nearest_data_folder) {
            Some(folder) => Files::with_folder(&folder, embedded),
            None => Ok(Files::built_in(embedded)),
        }
    }

    /// Adds the embedded files, except those at the same path and those of games that the folder defines.
    pub fn with_built_in(mut self) -> Files {
        if self.root.is_none() {
            return self;
        }
        for EmbeddedFile { key, text, .. } in self.embedded.0 {
            let game = match key.split('/').take(2).collect::<Vec<_>>()[..] {
                ["variants", name] => self
                    .embedded
                    .find(&format!("variants/{name}/variant.yaml"))
                    .and_then(|manifest| game_in_manifest(manifest.text)),
                [_, game] => Some(game),
                _ => None,
            };
            if !game.is_some_and(|game| self.has_own_game(game)) {
                self.by_key
                    .entry(key.to_string())
                    .or_insert_with(|| DataFile::embedded(key, text));
            }
        }
        self
    }

    /// Returns the user's folder as people read it; `None` without one.
    pub fn home(&self) -> Option<String> {
        let home = std::fs::canonicalize(self.root.as_ref()?).ok()?;
        Some(escape_invisible(&home.display().to_string()).into())
    }

    /// Returns whether the folder defines this game by a manifest.
    pub fn has_own_game(&self, game: &str) -> bool {
        self.own_games.contains(game)
    }

    /// Returns the games that the folder defines.
    pub fn own_games(&self) -> impl Iterator<Item = &str> {
        self.own_games.iter().map(String::as_str)
    }
}

/// Returns the key of a game's manifest.
pub fn manifest_key(game: &str) -> String {
    format!("rules/{game}/game.yaml")
}

/// Returns the game named in the text of a variant's manifest.
fn game_in_manifest(text: &str) -> Option<&str> {
    text.lines()
        .find_map(|line| line.strip_prefix("game:"))
        .map(|game| {
            game.split('#')
                .next()
                .unwrap_or(game)
                .trim_matches([' ', '"', '\''])
        })
}

/// Returns the game of a file: named by a variant's manifest, elsewhere by the folder.
fn game_of(file: &DataFile) -> Option<&str> {
    let (tree, rest) = file.key.split_once('/')?;
    let (folder, name) = rest.split_once('/')?;
    match (tree, name) {
        ("variants", "variant.yaml") => game_in_manifest(&file.text),
        ("variants", _) => None,
        _ => Some(folder),
    }
}

/// Returns the nearest data folder among this folder and its ancestors. A lone variant folder does not count.
fn nearest_data_folder() -> Option<PathBuf> {
    let current_folder = std::env::current_dir().ok()?;
    let depth = current_folder.ancestors().enumerate().find(|(up, folder)| {
        let holds = |tree: &&str| {
            if *up == 0 {
                folder.join(tree).is_dir()
            } else {
                is_data_folder(&folder.join(tree))
            }
        };
        !folder.join("variant.yaml").exists()
            && (DATA_FOLDERS.iter().any(holds) || *up == 0 && folder.join(TESTS_FOLDER).is_dir())
    });
    depth.map(|(up, _)| {
        if up == 0 {
            PathBuf::from(".")
        } else {
            (0..up).map(|_| "..").collect()
        }
    })
}

/// Returns whether a folder is a tree of data: one of its subfolders has a `.yaml` file. Other projects use the same folder names.
fn is_data_folder(tree: &Path) -> bool {
    let below = |folder: &Path| list_folder(folder).unwrap_or_default();
    let data = |folder: &FolderEntry| {
        folder.is_folder
            && below(&folder.path)
                .iter()
                .any(|file| file.name.ends_with(".yaml"))
    };
    below(tree).iter().any(data)
}
