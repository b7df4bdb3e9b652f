//! The data folder, overlaid with the unsaved text of open documents.

use crate::text;
use casebook_analysis::usecase::rulesets::ruleset_for_lookup;
use casebook_engine::complaint::{Error, Place};
use casebook_engine::data::embedded::Embedded;
use casebook_engine::data::files::{DataFile, Files};
use casebook_engine::data::library::Library;
use casebook_engine::ruleset::compose::Ruleset;
use lsp_types::{Location, Uri};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Data folder of an LSP session, with the documents that the editor has open.
pub struct Project {
    /// Path of the folder.
    pub root: PathBuf,
    saved: Files,
    documents: BTreeMap<String, String>,
    library: Option<Arc<Library>>,
    rulesets: BTreeMap<String, Option<Arc<Ruleset>>>,
}

impl Project {
    /// Reads the data in a folder.
    pub fn new(root: &Path, embedded: Embedded) -> Result<Project, Error> {
        let saved = Files::with_folder(root, embedded)?.read_all();
        Ok(Project {
            root: root.into(),
            saved,
            documents: BTreeMap::new(),
            library: None,
            rulesets: BTreeMap::new(),
        })
    }

    /// Reads the saved files again; keeps the old ones if the folder cannot be read.
    pub fn reload(&mut self) {
        if let Ok(saved) = Files::with_folder(&self.root, self.saved.embedded).map(Files::read_all)
        {
            self.saved = saved;
            self.invalidate();
        }
    }

    /// Sets the text of an open document, or closes it if `text` is `None`.
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

    /// Returns whether the editor has the document open.
    pub fn is_open(&self, key: &str) -> bool {
        self.documents.contains_key(key)
    }

    /// Returns the library, in which open documents replace the saved files.
    pub fn library(&mut self) -> Arc<Library> {
        if let Some(library) = &self.library {
            return library.clone();
        }
        let mut files = self.saved.clone();
        for (key, text) in &self.documents {
            let path = self.root.join(key).to_string_lossy().into_owned();
            files.by_key.insert(
                key.clone(),
                DataFile {
                    key: key.clone(),
                    path,
                    text: text.as_str().into(),
                },
            );
        }
        let library = Arc::new(Library::new(files));
        self.library = Some(library.clone());
        library
    }

    pub fn file(&mut self, key: &str) -> Option<DataFile> {
        self.library().files.by_key.get(key).cloned()
    }

    /// Returns the ruleset of the game a file belongs to, with all of its variants, or without them if they do not combine.
    pub fn ruleset(&mut self, key: &str) -> Option<Arc<Ruleset>> {
        let library = self.library();
        let game = library.game_of(key)?.to_string();
        self.rulesets
            .entry(game)
            .or_insert_with_key(|game| ruleset_for_lookup(&library, game).map(Arc::new))
            .clone()
    }

    /// Returns all files of the game that a file belongs to, including those of its variants.
    pub fn game_files(&mut self, key: &str) -> Vec<DataFile> {
        let library = self.library();
        let Some(game) = library.game_of(key) else {
            return Vec::new();
        };
        library
            .files
            .by_key
            .values()
            .filter(|file| library.game_of(&file.key) == Some(game))
            .cloned()
            .collect()
    }

    /// Returns the key of a document, or `None` if it is outside the folder.
    pub fn key(&self, uri: &Uri) -> Option<String> {
        let path = uri.path().as_estr().decode().into_string().ok()?;
        // On Windows a URI path has a slash before the drive letter.
        let path = if cfg!(windows) {
            path.trim_start_matches('/').to_string()
        } else {
            path.into_owned()
        };
        let below = Path::new(&path).strip_prefix(&self.root).ok()?;
        Some(below.to_string_lossy().replace('\\', "/"))
    }

    /// Returns the `file:` URI of a key in the folder.
    pub fn uri(&self, key: &str) -> Option<Uri> {
        let path = self.root.join(key).to_string_lossy().replace('\\', "/");
        let mut address = String::from(if path.starts_with('/') {
            "file://"
        } else {
            "file:///"
        });
        for byte in path.bytes() {
            match byte {
                b'a'..=b'z'
                | b'A'..=b'Z'
                | b'0'..=b'9'
                | b'/'
                | b'-'
                | b'_'
                | b'.'
                | b'~'
                | b':' => address.push(byte.into()),
                other => address.push_str(&format!("%{other:02X}")),
            }
        }
        Uri::from_str(&address).ok()
    }

    /// Returns the URI of a file that is saved in the folder or open; embedded files have none.
    pub fn editable_uri(&self, key: &str) -> Option<Uri> {
        (self.is_open(key) || self.root.join(key).is_file())
            .then(|| self.uri(key))
            .flatten()
    }

    /// Returns the LSP location of a span in a file, or `None` if the file is embedded.
    pub fn location(
        &self,
        file: &DataFile,
        span: casebook_engine::complaint::Span,
    ) -> Option<Location> {
        Some(Location {
            uri: self.editable_uri(&file.key)?,
            range: text::range(&file.text, span),
        })
    }

    /// Returns the key of the file that a complaint refers to.
    pub fn place_key(&self, place: &Place) -> String {
        let path = Path::new(&place.path);
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/")
    }
}
