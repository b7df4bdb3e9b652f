//! Files embedded in the binary: path, text, packed YAML events and packed functions.

use crate::data::function_headers::FunctionHeader;
use std::ops::Range;

/// A file embedded in the binary.
pub struct EmbeddedFile {
    /// Path from the top level.
    pub key: &'static str,
    /// Text.
    pub text: &'static str,
    /// Range of the packed YAML events; empty for an invalid file.
    events: Range<u32>,
    /// Range of the file's functions; empty for an invalid script.
    functions: Range<u32>,
}

impl EmbeddedFile {
    /// Returns the packed YAML events; empty for an invalid file.
    pub fn events(&self) -> &'static str {
        &EVENTS[to_usize_range(&self.events)]
    }

    /// Returns the functions; empty for an invalid script.
    pub fn functions(&self) -> &'static [EmbeddedFunction] {
        &FUNCTIONS[to_usize_range(&self.functions)]
    }
}

/// A function of an embedded file, by its positions in the file's text. The fields are plain numbers: data with addresses would need
/// relocation at every program start.
pub struct EmbeddedFunction {
    name: Range<u32>,
    params: Range<u32>,
    private: bool,
    doc_range: Range<u32>,
    text_range: Range<u32>,
    line: u32,
    column: u32,
    /// Range of the packed body.
    body_range: Range<u32>,
}

impl EmbeddedFunction {
    /// Returns the header of the function; `file` is the text of its file.
    pub fn header<'t>(&self, file: &'t str) -> FunctionHeader<'t> {
        FunctionHeader {
            name: &file[to_usize_range(&self.name)],
            params: &file[to_usize_range(&self.params)],
            private: self.private,
            doc_range: to_usize_range(&self.doc_range),
            text_range: to_usize_range(&self.text_range),
            line: self.line as usize,
            column: self.column as usize,
        }
    }
}

fn to_usize_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Packed YAML events of all embedded files.
static EVENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/events.txt"));

/// Functions of all embedded files, file by file.
static FUNCTIONS: &[EmbeddedFunction] = include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// Packed parser output of all embedded functions.
static BODIES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bodies"));

/// All embedded files, sorted by path.
pub static BUILT_IN: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Returns the embedded file at a path.
pub fn find(key: &str) -> Option<&'static EmbeddedFile> {
    BUILT_IN.binary_search_by(|bound| bound.key.cmp(key)).ok().map(|place| &BUILT_IN[place])
}

/// Returns the embedded file at a path if its text is equal.
fn find_identical(key: &str, text: &str) -> Option<&'static EmbeddedFile> {
    find(key).filter(|bound| std::ptr::eq(bound.text, text) || bound.text == text)
}

/// Returns the packed YAML events of a file if its text equals the embedded one.
pub fn events(key: &str, text: &str) -> Option<&'static str> {
    find_identical(key, text).map(EmbeddedFile::events).filter(|events| !events.is_empty())
}

/// Returns the functions of a script if its text equals the embedded one and is valid.
pub fn functions(key: &str, text: &str) -> Option<&'static [EmbeddedFunction]> {
    find_identical(key, text).map(EmbeddedFile::functions).filter(|functions| !functions.is_empty())
}

/// Returns the packed body of the function at a line if its text equals the embedded one.
pub fn body(key: &str, line: usize, text: &str) -> Option<&'static [u8]> {
    let bound = find(key)?;
    let functions = bound.functions();
    let known = &functions[functions.binary_search_by_key(&line, |known| known.line as usize).ok()?];
    (bound.text[to_usize_range(&known.text_range)] == *text).then(|| &BODIES[to_usize_range(&known.body_range)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::function_headers::{function_headers, is_test_file};
    use crate::data::yaml_events::{extract_yaml, pack, parse_events, unpack};

    #[test]
    fn packed_events_match_the_parser() {
        // Test files have no card.
        for bound in BUILT_IN.iter().filter(|bound| !is_test_file(bound.key)) {
            assert!(!bound.events().is_empty(), "{} is at fault", bound.key);
            let yaml = extract_yaml(bound.key, bound.text);
            let said: Result<Vec<_>, _> = parse_events(&yaml).collect();
            assert_eq!(said, Ok(unpack(bound.events()).collect()), "{}", bound.key);
        }
    }

    #[test]
    fn changed_files_are_not_found() {
        let EmbeddedFile { key, text, .. } = BUILT_IN[0];
        assert!(events(key, text).is_some());
        assert!(events(key, &text.replacen('a', "b", 1)).is_none());
        assert!(events("rules/none.rhai", text).is_none());
    }

    #[test]
    fn embedded_headers_match_parsed_headers() {
        for bound in BUILT_IN.iter().filter(|bound| bound.key.ends_with(".rhai")) {
            let known: Vec<FunctionHeader> = bound.functions().iter().map(|known| known.header(bound.text)).collect();
            assert_eq!(format!("{known:?}"), format!("{:?}", function_headers(bound.text)), "{}", bound.key);
        }
    }

    #[test]
    fn changed_functions_are_not_found() {
        let bound = BUILT_IN.iter().find(|bound| !bound.functions().is_empty()).expect("a script");
        let FunctionHeader { line, text_range: text, .. } = bound.functions()[0].header(bound.text);
        let own = &bound.text[text];
        assert!(body(bound.key, line, own).is_some() && functions(bound.key, bound.text).is_some());
        assert!(body(bound.key, line, &own.replacen("fn", "fn ", 1)).is_none(), "another text");
        assert!(body(bound.key, line + 1, own).is_none(), "places would be wrong");
        assert!(functions(bound.key, &bound.text[1..]).is_none());
    }

    #[test]
    fn faulty_yaml_is_not_packed() {
        assert!(["a: &b c", "a: !!int 3", "a: [", "a: *b"].into_iter().all(|yaml| pack(yaml).is_none()));
        assert!(pack("a: [b, 'c']").is_some());
    }
}
