//! Text as rules compute with it.

use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
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

    /// A number that tells its letters from others.
    pub fn fingerprint(&self) -> u64 {
        self.0.0
    }

    /// Where its letters stand in memory: the same for all that share them.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// The same letters in memory of its own, so that threads that use it much don't wait for each other's counts.
    pub fn apart(&self) -> Text {
        Text::from(self.as_str())
    }
}

thread_local! {
    /// Texts this thread has met, by their hashes. The same letters are mostly the same memory, so texts are equal at a glance.
    static MET: RefCell<FxHashMap<u64, Text>> = RefCell::default();
}

/// So many texts are kept in mind; then it begins anew.
const MOST: usize = 8_192;
/// Longer ones are seldom met again.
const LONGEST: usize = 64;

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if text.len() > LONGEST {
            return Text(Arc::new((hash, text.into())));
        }
        MET.with_borrow_mut(|met| {
            if let Some(known) = met.get(&hash).filter(|known| known.as_str() == text) {
                return known.clone();
            }
            if met.len() >= MOST {
                met.clear();
            }
            let own = Text(Arc::new((hash, text.into())));
            met.insert(hash, own.clone());
            own
        })
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::from(text.as_str())
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
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.0);
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
