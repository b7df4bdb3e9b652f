//! Files embedded in the binary. The program hands them over: nothing here says which they are.

use std::fmt;

/// A file embedded in the binary.
pub struct EmbeddedFile {
    /// Path from the top level.
    pub key: &'static str,
    pub text: &'static str,
}

/// The files that a program carries with it, sorted by path; none by default.
#[derive(Clone, Copy, Default)]
pub struct Embedded(pub &'static [EmbeddedFile]);

impl Embedded {
    /// Returns the embedded file at a path.
    pub fn find(self, key: &str) -> Option<&'static EmbeddedFile> {
        self.0
            .binary_search_by(|file| file.key.cmp(key))
            .ok()
            .map(|index| &self.0[index])
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} embedded files", self.0.len())
    }
}
