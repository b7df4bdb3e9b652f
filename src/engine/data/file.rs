//! A data file: its key, the path to show, its text.

use crate::complaint::{Complaint, Place, Span};
use crate::data::file_text::FileText;

#[derive(Clone, Debug)]
pub struct DataFile {
    /// Path from the top level, `tables/<game>/x.yaml`.
    pub key: String,
    /// Path to show to the user.
    pub path: String,
    pub text: FileText,
}

impl DataFile {
    /// Creates a file with embedded text.
    pub fn embedded(key: &str, text: &'static str) -> DataFile {
        DataFile {
            key: key.into(),
            path: key.into(),
            text: FileText::embedded(text),
        }
    }

    /// Returns a place in the file.
    pub fn place(&self, span: Span) -> Place {
        Place::from_text(&self.path, &self.text, span)
    }

    /// Returns why the file cannot be read, if so.
    pub fn fault(&self) -> Option<Complaint> {
        let defect = self.text.fault()?.clone();
        Some(defect.at(Place::whole_file(&self.path)))
    }

    /// Returns whether the file is under `scenarios`: a situation, a map or a list of pieces.
    pub fn is_scenario(&self) -> bool {
        matches!(
            self.key.split('/').collect::<Vec<_>>()[..],
            ["scenarios", _, _] | ["variants", _, "scenarios", _]
        )
    }

    /// Returns the key without its last component.
    pub fn folder(&self) -> &str {
        self.key.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns the name of the folder of the file; of a case it is its section.
    pub fn section(&self) -> &str {
        self.folder().rsplit('/').next().unwrap_or_default()
    }

    /// Returns the file name without its extension.
    pub fn stem(&self) -> &str {
        let name = self.key.rsplit('/').next().unwrap_or(&self.key);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Returns whether the file has a list of ruling tests.
    pub fn has_tests(&self) -> bool {
        self.text.starts_with("tests:") || self.text.contains("\ntests:")
    }
}
