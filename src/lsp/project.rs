//! The data folder with the documents that are open, unsaved as they are.

use crate::complaint::{Error, Place};
use crate::data::files::{DataFile, Files};
use crate::data::library::Library;
use crate::lsp::text;
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use lsp_types::{Location, Uri};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// The data folder as an editor has it open.
pub struct Project {
    /// The folder.
    pub root: PathBuf,
    saved: Files,
    documents: BTreeMap<String, String>,
    library: Option<Arc<Library>>,
    rulesets: BTreeMap<String, Option<Arc<Ruleset>>>,
}

impl Project {
    /// The data in a folder.
    pub fn new(root: &Path) -> Result<Project, Error> {
        let saved = Files::with_folder(root)?.read_all();
        Ok(Project { root: root.into(), saved, documents: BTreeMap::new(), library: None, rulesets: BTreeMap::new() })
    }

    /// Reads what is saved anew.
    pub fn reload(&mut self) {
        if let Ok(saved) = Files::with_folder(&self.root).map(Files::read_all) {
            self.saved = saved;
            self.invalidate();
        }
    }

    /// A document is open with this text; or, with none, is closed.
    pub fn set_document(&mut self, key: &str, text: Option<String>) {
        match text {
            Some(text) => drop(self.documents.insert(key.into(), text)),
            None => drop(self.documents.remove(key)),
        }
        self.invalidate();
    }

    fn invalidate(&mut self) {
        self.library = None;
        self.rulesets.clear();
    }

    /// Whether a document is open.
    pub fn is_open(&self, key: &str) -> bool {
        self.documents.contains_key(key)
    }

    /// The data, open documents as they are.
    pub fn library(&mut self) -> Arc<Library> {
        if let Some(library) = &self.library {
            return library.clone();
        }
        let mut shelf = self.saved.clone();
        for (key, text) in &self.documents {
            let path = self.root.join(key).to_string_lossy().into_owned();
            shelf.by_key.insert(key.clone(), DataFile { key: key.clone(), path, text: text.as_str().into() });
        }
        let library = Arc::new(Library::new(shelf));
        self.library = Some(library.clone());
        library
    }

    /// A file of the data.
    pub fn file(&mut self, key: &str) -> Option<DataFile> {
        self.library().files.by_key.get(key).cloned()
    }

    /// The game a file belongs to, with every variant of it in force, whatever is wrong with it.
    pub fn ruleset(&mut self, key: &str) -> Option<Arc<Ruleset>> {
        let library = self.library();
        let game = library.game_of(key)?.to_string();
        let made = self.rulesets.entry(game.clone()).or_insert_with(|| {
            let every: Vec<String> = library.variants_of(&game).into_iter().map(String::from).collect();
            let wish = |with| RulesetSpec { game: game.clone(), variants: with, ..RulesetSpec::default() };
            let made = Ruleset::compose(&library, &wish(every)).or_else(|_| Ruleset::compose(&library, &wish(Vec::new())));
            made.ok().map(|(ruleset, _)| Arc::new(ruleset))
        });
        made.clone()
    }

    /// The files of the game that a file belongs to, its variants' among them.
    pub fn game_files(&mut self, key: &str) -> Vec<DataFile> {
        let library = self.library();
        let Some(game) = library.game_of(key) else { return Vec::new() };
        library.files.by_key.values().filter(|file| library.game_of(&file.key) == Some(game)).cloned().collect()
    }

    /// The key of a document below the folder.
    pub fn key(&self, uri: &Uri) -> Option<String> {
        let path = uri.path().as_estr().decode().into_string().ok()?;
        // On Windows a path begins with its drive, after a slash.
        let path = if cfg!(windows) { path.trim_start_matches('/').to_string() } else { path.into_owned() };
        let below = Path::new(&path).strip_prefix(&self.root).ok()?;
        Some(below.to_string_lossy().replace('\\', "/"))
    }

    /// The address of a file in the folder.
    pub fn uri(&self, key: &str) -> Option<Uri> {
        let path = self.root.join(key).to_string_lossy().replace('\\', "/");
        let mut address = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
        for byte in path.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => address.push(byte.into()),
                other => address.push_str(&format!("%{other:02X}")),
            }
        }
        Uri::from_str(&address).ok()
    }

    /// The address of a file that stands on the disk or is open; what is bound into the binary has none.
    pub fn editable_uri(&self, key: &str) -> Option<Uri> {
        (self.is_open(key) || self.root.join(key).is_file()).then(|| self.uri(key)).flatten()
    }

    /// A place in a file as an editor goes to it.
    pub fn location(&self, file: &DataFile, span: crate::complaint::Span) -> Option<Location> {
        Some(Location { uri: self.editable_uri(&file.key)?, range: text::range(&file.text, span) })
    }

    /// The key of the file at a complaint's place.
    pub fn place_key(&self, place: &Place) -> String {
        let path = Path::new(&place.path);
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }
}
