//! The files bound into the binary: path, text, the events of its YAML, and what its functions say.

use crate::data::function_headers::FunctionHeader;
use std::ops::Range;

/// A file bound into the binary.
pub struct EmbeddedFile {
    /// Its path from the top level.
    pub key: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Where the events of its YAML are packed; empty for a file at fault.
    events: Range<u32>,
    /// Which functions are its own; none of a script at fault.
    functions: Range<u32>,
}

impl EmbeddedFile {
    /// The events of its YAML, packed; none of a file at fault.
    pub fn events(&self) -> &'static str {
        &EVENTS[to_usize_range(&self.events)]
    }

    /// Its functions; none of a script at fault.
    pub fn functions(&self) -> &'static [EmbeddedFunction] {
        &FUNCTIONS[to_usize_range(&self.functions)]
    }
}

/// A function of a file bound into the binary: where it stands in the text of its file. Here are numbers alone: what has an address in it
/// would be written anew in memory each time the program starts.
pub struct EmbeddedFunction {
    name: Range<u32>,
    params: Range<u32>,
    private: bool,
    doc_range: Range<u32>,
    text_range: Range<u32>,
    line: u32,
    column: u32,
    /// Where what it says is packed.
    body_range: Range<u32>,
}

impl EmbeddedFunction {
    /// Its first line, in the text of its file.
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

/// What the parser of YAML says of them all.
static EVENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/events.txt"));

/// The functions of them all, file by file.
static FUNCTIONS: &[EmbeddedFunction] = include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// What the parser of Rhai says of them all.
static BODIES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bodies"));

/// All of them, by path.
pub static BUILT_IN: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The one at a path.
pub fn find(key: &str) -> Option<&'static EmbeddedFile> {
    BUILT_IN.binary_search_by(|bound| bound.key.cmp(key)).ok().map(|place| &BUILT_IN[place])
}

/// The one at a path, where a text says the same.
fn find_identical(key: &str, text: &str) -> Option<&'static EmbeddedFile> {
    find(key).filter(|bound| std::ptr::eq(bound.text, text) || bound.text == text)
}

/// The events of a file's YAML, where it says what the one bound in at its path says.
pub fn events(key: &str, text: &str) -> Option<&'static str> {
    find_identical(key, text).map(EmbeddedFile::events).filter(|events| !events.is_empty())
}

/// The functions of a script, where it says what the one bound in at its path says, and nothing was wrong with that.
pub fn functions(key: &str, text: &str) -> Option<&'static [EmbeddedFunction]> {
    find_identical(key, text).map(EmbeddedFile::functions).filter(|functions| !functions.is_empty())
}

/// What a function says that begins on a line of a file, packed; where it says what the one there says that is bound in.
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
        // A test file has no card.
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
