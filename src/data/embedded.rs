//! Files embedded in the binary: path, text, and the parsed functions of scripts.

use std::ops::Range;

/// A file embedded in the binary.
pub struct EmbeddedFile {
    /// Path from the top level.
    pub key: &'static str,
    /// Text.
    pub text: &'static str,
    /// Range of the file's functions; empty for an invalid script.
    functions: Range<u32>,
}

/// A function of an embedded file. The fields are plain numbers: data with addresses would need relocation at every program start.
struct EmbeddedFunction {
    line: u32,
    /// Range in the file's text.
    text_range: Range<u32>,
    /// Range of the packed body.
    body_range: Range<u32>,
}

fn to_usize_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Functions of all embedded files, file by file.
static FUNCTIONS: &[EmbeddedFunction] = include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// Packed parser output of all embedded functions.
static BODIES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bodies"));

/// All embedded files, sorted by path.
pub static BUILT_IN: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Returns the embedded file at a path.
pub fn find(key: &str) -> Option<&'static EmbeddedFile> {
    BUILT_IN.binary_search_by(|file| file.key.cmp(key)).ok().map(|index| &BUILT_IN[index])
}

/// Returns whether a script equals the embedded one, which the build found valid.
pub fn is_valid_script(key: &str, text: &str) -> bool {
    find(key).is_some_and(|file| !file.functions.is_empty() && (std::ptr::eq(file.text, text) || file.text == text))
}

/// Returns the packed body of the function at a line if its text equals the embedded one.
pub fn body(key: &str, line: usize, text: &str) -> Option<&'static [u8]> {
    let file = find(key)?;
    let functions = &FUNCTIONS[to_usize_range(&file.functions)];
    let function = &functions[functions.binary_search_by_key(&line, |function| function.line as usize).ok()?];
    (file.text[to_usize_range(&function.text_range)] == *text).then(|| &BODIES[to_usize_range(&function.body_range)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::function_headers::function_headers;

    #[test]
    fn changed_functions_are_not_found() {
        let file = BUILT_IN.iter().find(|file| !file.functions.is_empty()).expect("a script");
        let (line, range) = function_headers(file.text).into_iter().map(|head| (head.line, head.text_range)).next().expect("a function");
        let function_text = &file.text[range];
        assert!(body(file.key, line, function_text).is_some() && is_valid_script(file.key, file.text));
        assert!(body(file.key, line, &function_text.replacen("fn", "fn ", 1)).is_none(), "another text");
        assert!(body(file.key, line + 1, function_text).is_none(), "places would be wrong");
        assert!(!is_valid_script(file.key, &file.text[1..]));
    }
}
