//! Interned text of scripts.

use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An immutable text with a cached hash and its first letters as a number, so that most texts are distinguished and ordered without a
/// character comparison.
#[derive(Clone)]
pub struct HashedText(Arc<(u64, u64, Box<str>)>);

impl HashedText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0.2
    }

    /// Returns the cached hash.
    pub fn fingerprint(&self) -> u64 {
        self.0.0
    }

    /// Returns the address of the allocation, which is equal for all clones.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Returns a deep copy, which avoids contention on the reference count between threads.
    pub fn deep_clone(&self) -> HashedText {
        HashedText::from(self.as_str())
    }
}

/// Returns the first eight bytes as a number, which is ordered as they are.
fn first_letters(text: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes
        .iter_mut()
        .zip(text.bytes())
        .for_each(|(place, byte)| *place = byte);
    u64::from_be_bytes(bytes)
}

thread_local! {
    /// Texts interned by this thread, by hash. Equal texts mostly share one allocation, so equality is mostly a pointer comparison.
    static INTERNED: RefCell<FxHashMap<u64, HashedText>> = RefCell::default();
}

/// Maximum number of interned texts; beyond it, the table is cleared.
const MAX_INTERNED: usize = 8_192;
/// Maximum length in bytes of an interned text; longer ones rarely recur.
const MAX_INTERNED_LENGTH: usize = 64;

impl From<&str> for HashedText {
    fn from(text: &str) -> HashedText {
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if text.len() > MAX_INTERNED_LENGTH {
            return HashedText(Arc::new((hash, first_letters(text), text.into())));
        }
        INTERNED.with_borrow_mut(|interned| {
            if let Some(same_hash) = interned
                .get(&hash)
                .filter(|same_hash| same_hash.as_str() == text)
            {
                return same_hash.clone();
            }
            if interned.len() >= MAX_INTERNED {
                interned.clear();
            }
            let text_with_hash = HashedText(Arc::new((hash, first_letters(text), text.into())));
            interned.insert(hash, text_with_hash.clone());
            text_with_hash
        })
    }
}

impl From<String> for HashedText {
    fn from(text: String) -> HashedText {
        HashedText::from(text.as_str())
    }
}

impl Default for HashedText {
    fn default() -> HashedText {
        HashedText::from("")
    }
}

impl std::ops::Deref for HashedText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for HashedText {
    fn eq(&self, other: &HashedText) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.0 == other.0.0 && self.0.2 == other.0.2)
    }
}

impl Eq for HashedText {}

impl PartialEq<str> for HashedText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialOrd for HashedText {
    fn partial_cmp(&self, other: &HashedText) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HashedText {
    fn cmp(&self, other: &HashedText) -> Ordering {
        self.0
            .1
            .cmp(&other.0.1)
            .then_with(|| self.as_str().cmp(other.as_str()))
    }
}

impl Hash for HashedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.0);
    }
}

impl fmt::Debug for HashedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for HashedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::HashedText;

    #[test]
    fn texts_are_ordered_as_their_letters_are() {
        let texts = [
            "",
            "\0",
            "\0a",
            "a",
            "a\0",
            "a\0b",
            "ab",
            "abcdefg",
            "abcdefgh",
            "abcdefgh\0",
            "abcdefghi",
            "abcdefgi",
            "b",
            "é",
            "中文",
        ];
        for a in texts {
            for b in texts {
                let (left, right) = (HashedText::from(a), HashedText::from(b));
                assert_eq!(
                    (left.cmp(&right), left == right),
                    (a.cmp(b), a == b),
                    "{a:?} and {b:?}"
                );
            }
        }
    }
}
