//! A file's text, read when somebody first asks for it: most rulings look at a part of the data.

use crate::data::plain::{Fault, MOST, plain_text_of, text_of};
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The text of a file. What can't be read is empty, and [`Contents::fault`] says why.
#[derive(Clone, Debug)]
pub struct Contents(Where);

#[derive(Clone, Debug)]
enum Where {
    Bound(&'static str),
    Held(Arc<str>),
    Disk(Arc<OnDisk>),
}

#[derive(Debug)]
struct OnDisk {
    path: PathBuf,
    /// It was seen to be a plain file.
    plain: bool,
    text: OnceLock<Result<Box<str>, Fault>>,
    /// Bytes read so far of all files of its folder.
    bytes: Arc<AtomicU64>,
}

impl Contents {
    /// A text bound into the binary.
    pub fn bound(text: &'static str) -> Contents {
        Contents(Where::Bound(text))
    }

    /// Whether it is bound into the binary.
    pub fn is_bound(&self) -> bool {
        matches!(self.0, Where::Bound(_))
    }

    /// The text of a file on the disk, not read yet.
    pub fn on_disk(path: PathBuf, plain: bool, bytes: Arc<AtomicU64>) -> Contents {
        Contents(Where::Disk(Arc::new(OnDisk { path, plain, text: OnceLock::new(), bytes })))
    }

    /// Why it can't be read, if it can't.
    pub fn fault(&self) -> Option<&Fault> {
        match &self.0 {
            Where::Disk(file) => file.read().as_ref().err(),
            _ => None,
        }
    }
}

impl OnDisk {
    fn read(&self) -> &Result<Box<str>, Fault> {
        self.text.get_or_init(|| {
            let text = if self.plain { plain_text_of(&self.path) } else { text_of(&self.path) }?;
            let before = self.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
            if before + text.len() as u64 > MOST {
                let what = format!("with this file there are more than {} MB; it is not read", MOST >> 20);
                return Err((what, "keep data apart from other files"));
            }
            Ok(text.into_boxed_str())
        })
    }
}

impl Deref for Contents {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Where::Bound(text) => text,
            Where::Held(text) => text,
            Where::Disk(file) => file.read().as_ref().map_or("", |text| text),
        }
    }
}

impl<T: Into<Arc<str>>> From<T> for Contents {
    fn from(text: T) -> Contents {
        Contents(Where::Held(text.into()))
    }
}

/// A part of a text, held with it.
#[derive(Clone, Debug)]
pub struct Part {
    whole: Contents,
    place: Range<usize>,
}

impl Part {
    /// The part of a text at a place, in bytes.
    pub fn new(whole: &Contents, place: Range<usize>) -> Part {
        Part { whole: whole.clone(), place }
    }
}

impl Deref for Part {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole[self.place.clone()]
    }
}

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part { place: 0..text.len(), whole: text.into() }
    }
}
