//! Lazily read file text: `resolve` of a battle of a data folder reads 351 of its 1,047 files of rules, tables and situations.

use crate::complaint::{Defect, DiagnosticCode};
use crate::data::text_file::{MAX_TOTAL_SIZE, read_text};
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The text of a file. An unreadable file has an empty text; [`FileText::fault`] reports the reason.
#[derive(Clone, Debug)]
pub struct FileText(TextStorage);

#[derive(Clone, Debug)]
enum TextStorage {
    Embedded(&'static str),
    Memory(Arc<str>),
    Disk(Arc<TextOnDisk>),
}

#[derive(Debug)]
struct TextOnDisk {
    path: PathBuf,
    text: OnceLock<Result<Box<str>, Defect>>,
    /// Bytes read so far from all files of the data folder.
    total_bytes_read: Arc<AtomicU64>,
}

impl FileText {
    /// Wraps an embedded text.
    pub fn embedded(text: &'static str) -> FileText {
        FileText(TextStorage::Embedded(text))
    }

    /// Returns whether the text is embedded in the binary.
    pub fn is_embedded(&self) -> bool {
        matches!(self.0, TextStorage::Embedded(_))
    }

    /// Creates the text of a file on disk, which is read on first access.
    pub fn on_disk(path: PathBuf, bytes: Arc<AtomicU64>) -> FileText {
        FileText(TextStorage::Disk(Arc::new(TextOnDisk {
            path,
            text: OnceLock::new(),
            total_bytes_read: bytes,
        })))
    }

    /// Returns why the file cannot be read, if so.
    pub fn fault(&self) -> Option<&Defect> {
        match &self.0 {
            TextStorage::Disk(file) => file.read().as_ref().err(),
            _ => None,
        }
    }
}

impl TextOnDisk {
    fn read(&self) -> &Result<Box<str>, Defect> {
        self.text.get_or_init(|| {
            let text = read_text(&self.path)?;
            let before = self
                .total_bytes_read
                .fetch_add(text.len() as u64, Ordering::Relaxed);
            if before + text.len() as u64 > MAX_TOTAL_SIZE {
                let message = format!(
                    "with this file there are more than {} MB; it is not read",
                    MAX_TOTAL_SIZE >> 20
                );
                let help = "keep data in a folder of its own";
                return Err(Defect::new(DiagnosticCode::File, message, help));
            }
            Ok(text.into_boxed_str())
        })
    }
}

impl Deref for FileText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            TextStorage::Embedded(text) => text,
            TextStorage::Memory(text) => text,
            TextStorage::Disk(file) => file.read().as_ref().map_or("", |text| text),
        }
    }
}

impl<T: Into<Arc<str>>> From<T> for FileText {
    fn from(text: T) -> FileText {
        FileText(TextStorage::Memory(text.into()))
    }
}

/// A slice of a text that keeps the whole text alive.
#[derive(Clone, Debug)]
pub struct TextSlice {
    text: FileText,
    range: Range<usize>,
}

impl TextSlice {
    /// Creates a slice; `range` is a byte range.
    pub fn new(text: &FileText, range: Range<usize>) -> TextSlice {
        TextSlice {
            text: text.clone(),
            range,
        }
    }
}

impl Deref for TextSlice {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text[self.range.clone()]
    }
}

impl From<String> for TextSlice {
    fn from(text: String) -> TextSlice {
        TextSlice {
            range: 0..text.len(),
            text: text.into(),
        }
    }
}
