//! Finds the functions of a script without parsing it; every function starts at the left margin.

use memchr::{memchr_iter, memmem, memrchr};
use std::ops::Range;

/// Offset of the line numbers of a test file, as in a source map: a line number identifies case file or test file. No data file has so many
/// lines.
pub const TEST_LINES: usize = 1 << 24;

/// Returns whether a key names a case test file: `tests/<game>/<section>/x.rhai` or `variants/<variant>/tests/<section>/x.rhai`.
pub fn is_test_file(key: &str) -> bool {
    key.ends_with(".rhai") && is_in_tests(key)
}

/// Returns whether a key is that of a file of tests: `tests/...` or `variants/<variant>/tests/...`.
pub fn is_in_tests(key: &str) -> bool {
    key.starts_with("tests/")
        || key.starts_with("variants/") && key.split('/').nth(2) == Some("tests")
}

/// A function header, found without parsing the body.
#[derive(Debug)]
pub struct FunctionHeader<'t> {
    pub name: &'t str,
    /// Parameter list as written, without parentheses.
    pub params: &'t str,
    /// Whether the function is private to the file.
    pub private: bool,
    /// Byte range above the function, from its first doc line on.
    pub doc_range: Range<usize>,
    /// Byte range from `fn` to the doc lines of the next function.
    pub text_range: Range<usize>,
    /// Line of the header, from 1.
    pub line: usize,
    /// Column of the name, from 1.
    pub column: usize,
}

impl<'t> FunctionHeader<'t> {
    /// Returns the parameter names.
    pub fn param_names(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.params
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
    }
}

/// Returns the headers of all functions of a script.
pub fn function_headers(text: &str) -> Vec<FunctionHeader<'_>> {
    let mut list: Vec<FunctionHeader> = Vec::new();
    let (mut line, mut counted, end) = (1, 0, doc_start(text, text.len()));
    for keyword in memmem::find_iter(text.as_bytes(), "fn ") {
        let private = text[..keyword].ends_with("private ");
        let start = if private {
            keyword - "private ".len()
        } else {
            keyword
        };
        if start > 0 && text.as_bytes()[start - 1] != b'\n' {
            continue;
        }
        line += memchr_iter(b'\n', &text.as_bytes()[counted..start]).count();
        counted = start;
        let after = text[keyword + "fn ".len()..]
            .lines()
            .next()
            .unwrap_or_default();
        let head = after.trim_start();
        let column = keyword - start + "fn ".len() + after.len() - head.len() + 1;
        let (name, _) = head.split_at(
            head.find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(head.len()),
        );
        // The parameter list may span several lines.
        let after_name = &text[keyword + "fn ".len() + after.len() - head.len() + name.len()..];
        let params = after_name
            .split_once('(')
            .filter(|(before, _)| before.trim().is_empty())
            .map_or(&after_name[..0], |(before, _)| &after_name[before.len()..]);
        let params = params
            .split_once('(')
            .and_then(|(_, p)| p.split_once(')'))
            .map_or(&after_name[..0], |(p, _)| p);
        let above = doc_start(text, start)..start;
        if let Some(last) = list.last_mut() {
            last.text_range.end = above.start;
        }
        list.push(FunctionHeader {
            name,
            params,
            private,
            doc_range: above,
            text_range: start..end,
            line,
            column,
        });
    }
    list
}

/// Returns the byte offset of the first doc line above a position; only blank lines may separate them.
fn doc_start(text: &str, start: usize) -> usize {
    let (mut doc, mut end) = (start, start);
    while end > 0 {
        let start = memrchr(b'\n', &text.as_bytes()[..end - 1]).map_or(0, |before| before + 1);
        let line = &text[start..end];
        if line.starts_with("///") {
            doc = start;
        } else if !line.trim().is_empty() {
            break;
        }
        end = start;
    }
    doc
}
