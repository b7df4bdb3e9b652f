//! A data file: its key, the path to show, its text.

use crate::complaint::{Complaint, Place};
use crate::data::file_text::FileText;

/// A data file.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Its key: the path from the top level, `tables/<game>/x.yaml`.
    pub key: String,
    /// The path to show to the user.
    pub path: String,
    /// Its text.
    pub text: FileText,
}

impl DataFile {
    /// A file bound into the binary.
    pub fn embedded(key: &str, text: &'static str) -> DataFile {
        DataFile { key: key.into(), path: key.into(), text: FileText::embedded(text) }
    }

    /// Why it can't be read, if it can't.
    pub fn fault(&self) -> Option<Complaint> {
        let (what, help) = self.text.fault()?;
        Some(Complaint::new("file", Place::whole_file(&self.path), what.as_str()).with_help(*help))
    }

    /// Whether it is a situation, a map or a list of pieces.
    pub fn is_scenario(&self) -> bool {
        matches!(self.key.split('/').collect::<Vec<_>>()[..], ["scenarios", _, _] | ["variants", _, "scenarios", _])
    }

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
        self.text.starts_with("tests:") || self.text.contains("\ntests:")
    }
}
