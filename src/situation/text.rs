//! Text as rules compute with it.

use rustc_hash::FxHasher;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A text that knows its hash: two that differ are told apart without looking at their letters.
#[derive(Clone)]
pub struct Text(Arc<(u64, Box<str>)>);

impl Text {
    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0.1
    }

    /// The same letters in memory of its own, so that threads that use it much don't wait for each other's counts.
    pub fn apart(&self) -> Text {
        Text(Arc::new((self.0.0, self.0.1.clone())))
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(Arc::new((hash_of(text), text.into())))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(Arc::new((hash_of(&text), text.into())))
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::from("")
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.0 == other.0.0 && self.0.1 == other.0.1)
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Text) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Text) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text {
    // As `str` does, so that a map of texts can be asked with letters.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
