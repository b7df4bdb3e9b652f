//! Files embedded in the binary.

/// A file embedded in the binary.
pub struct EmbeddedFile {
    /// Path from the top level.
    pub key: &'static str,
    /// Text.
    pub text: &'static str,
}

/// All embedded files, sorted by path.
pub static BUILT_IN: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Returns the embedded file at a path.
pub fn find(key: &str) -> Option<&'static EmbeddedFile> {
    BUILT_IN.binary_search_by(|file| file.key.cmp(key)).ok().map(|index| &BUILT_IN[index])
}
