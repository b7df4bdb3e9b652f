//! Where the data stands: the files bound into the binary, and the user's folder laid over them or in their place.

use crate::complaint::{Complaints, Error};
use crate::data::disk::{Disk, FolderEntry, list_folder};
use crate::data::embedded::{self, BUILT_IN, EmbeddedFile};
pub use crate::data::file::DataFile;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The trees of data, as they stand at the top level.
pub const DATA_FOLDERS: [&str; 4] = ["rules", "tables", "scenarios", "variants"];

/// The tree of tests. Others keep their own files there, so only what stands in the folder of a game is ours.
const TESTS_FOLDER: &str = "tests";

/// Scripts may nest deeply; the limits of the machine, not the stack of a thread, are to stop them.
const THREAD_STACK_SIZE: usize = 64 << 20;

/// Does two pieces of work at once.
pub fn parallel_join<A, B: Send>(one: impl FnOnce() -> A, other: &(impl Fn() -> B + Sync)) -> (A, B) {
    std::thread::scope(|scope| {
        let beside = std::thread::Builder::new().stack_size(THREAD_STACK_SIZE).spawn_scoped(scope, other);
        let own = one();
        // Where no thread can be had, one does both.
        (own, beside.ok().and_then(|beside| beside.join().ok()).unwrap_or_else(other))
    })
}

/// Works on a list, the halves side by side; what comes of both stands in its order.
pub fn parallel_map_halves<T: Sync, R: Send>(list: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    let (first, second) = list.split_at(list.len() / 2);
    if list.len() < 16 {
        return work(list);
    }
    let (mut all, more) = parallel_join(|| work(first), &|| work(second));
    all.extend(more);
    all
}

/// All data files, by key.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Key to file.
    pub by_key: BTreeMap<String, DataFile>,
    /// What was wrong with files that could not be read.
    pub complaints: Complaints,
    /// The folder laid over the built-in files, as the user would type it; none where there is none.
    pub root: Option<PathBuf>,
    /// The games that the folder brings, with their manifests.
    own_games: BTreeSet<String>,
}

impl Files {
    /// The files bound into the binary.
    pub fn built_in() -> Files {
        let file = |bound: &EmbeddedFile| (bound.key.to_string(), DataFile::embedded(bound.key, bound.text));
        Files { by_key: BUILT_IN.iter().map(file).collect(), ..Files::default() }
    }

    /// The built-in files with a folder laid over them: a file at the same path takes its place.
    /// Of a folder that brings a game of its own, and nothing for a built-in one, the built-in games are no part; `beside_built_in` adds
    /// them.
    pub fn with_folder(folder: &Path) -> Result<Files, Error> {
        if !folder.is_dir() {
            return Err(Error::Usage(format!("--data {}: there is no such folder", folder.display())));
        }
        let mut disk = Disk::new(folder);
        DATA_FOLDERS.iter().for_each(|tree| disk.walk_tree(tree));
        let bound = |game: &str| embedded::find(&manifest_key(game)).is_some();
        disk.walk_tests(TESTS_FOLDER, |game| bound(game) || folder.join(manifest_key(game)).is_file());
        let (found, complaints) = disk.finish();
        let files: BTreeMap<String, DataFile> = found.into_iter().map(|file| (file.key.clone(), file)).collect();
        let games = files.keys().filter_map(|key| key.strip_prefix("rules/")?.strip_suffix("/game.yaml"));
        let own = Files { own_games: games.map(String::from).collect(), root: Some(folder.into()), by_key: files, complaints };
        let foreign = || own.by_key.values().filter_map(game_of).any(|game| !own.has_own_game(game) && bound(game));
        Ok(if own.own_games.is_empty() || foreign() { own.with_built_in() } else { own })
    }

    /// The same with all of them read: those that can't be are left out and complained of.
    pub fn read_all(mut self) -> Files {
        let all: Vec<&DataFile> = self.by_key.values().collect();
        let read = |files: &[&DataFile]| files.iter().filter_map(|file| file.fault()).collect::<Vec<_>>();
        let found = parallel_map_halves(&all, read);
        self.by_key.retain(|_, file| file.text.fault().is_none());
        self.complaints.0.extend(found);
        self
    }

    /// The same with a text in the place of a file, or beside the others: as it would be, were it saved.
    pub fn with_text(&self, key: &str, text: &str) -> Files {
        let mut shelf = self.clone();
        let path = shelf.by_key.get(key).map_or_else(|| key.to_string(), |file| file.path.clone());
        shelf.by_key.insert(key.into(), DataFile { key: key.into(), path, text: text.into() });
        shelf
    }

    /// What `--data` left out means: this folder, or the nearest above it that holds data, else the built-in files.
    pub fn discover(data: Option<&Path>) -> Result<Files, Error> {
        match data.map(Path::to_path_buf).or_else(nearest_data_folder) {
            Some(folder) => Files::with_folder(&folder),
            None => Ok(Files::built_in()),
        }
    }

    /// With the built-in files: those at the same path, and those of a game that the folder brings, keep away.
    pub fn with_built_in(mut self) -> Files {
        if self.root.is_none() {
            return self;
        }
        for EmbeddedFile { key, text, .. } in BUILT_IN {
            let game = match key.split('/').take(2).collect::<Vec<_>>()[..] {
                ["variants", name] => {
                    embedded::find(&format!("variants/{name}/variant.yaml")).and_then(|bound| game_in_manifest(bound.text))
                }
                [_, game] => Some(game),
                _ => None,
            };
            if !game.is_some_and(|game| self.has_own_game(game)) {
                self.by_key.entry(key.to_string()).or_insert_with(|| DataFile::embedded(key, text));
            }
        }
        self
    }

    /// Whether the folder brings this game, with its manifest.
    pub fn has_own_game(&self, game: &str) -> bool {
        self.own_games.contains(game)
    }

    /// The games that the folder brings.
    pub fn own_games(&self) -> impl Iterator<Item = &str> {
        self.own_games.iter().map(String::as_str)
    }
}

/// The key of a game's manifest.
fn manifest_key(game: &str) -> String {
    format!("rules/{game}/game.yaml")
}

/// The game that the text of a variant's manifest names.
fn game_in_manifest(text: &str) -> Option<&str> {
    text.lines()
        .find_map(|line| line.strip_prefix("game:"))
        .map(|game| game.split('#').next().unwrap_or(game).trim_matches([' ', '"', '\'']))
}

/// The game that a file is for: a variant's manifest names it, elsewhere the folder does.
fn game_of(file: &DataFile) -> Option<&str> {
    let (tree, rest) = file.key.split_once('/')?;
    let (folder, name) = rest.split_once('/')?;
    match (tree, name) {
        ("variants", "variant.yaml") => game_in_manifest(&file.text),
        ("variants", _) => None,
        _ => Some(folder),
    }
}

/// This folder or the nearest above it with data in it, as one would type it. A variant is a part of data, not data by itself.
fn nearest_data_folder() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let depth = here.ancestors().enumerate().find(|(up, folder)| {
        let holds = |tree: &&str| if *up == 0 { folder.join(tree).is_dir() } else { is_data_folder(&folder.join(tree)) };
        !folder.join("variant.yaml").exists() && (DATA_FOLDERS.iter().any(holds) || *up == 0 && folder.join(TESTS_FOLDER).is_dir())
    });
    depth.map(|(up, _)| if up == 0 { PathBuf::from(".") } else { (0..up).map(|_| "..").collect() })
}

/// Whether a folder is a tree of data: other folders bear such names, too, but nothing like `<name>/<name>.yaml` stands in them.
fn is_data_folder(tree: &Path) -> bool {
    let below = |folder: &Path| list_folder(folder).unwrap_or_default();
    let data = |folder: &FolderEntry| folder.is_folder && below(&folder.path).iter().any(|file| file.name.ends_with(".yaml"));
    below(tree).iter().any(data)
}
