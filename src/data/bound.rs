//! The files bound into the binary: path, text, the events of its YAML, and what its functions say.

use crate::data::heads::Head;
use std::ops::Range;

/// A file bound into the binary.
pub struct Bound {
    /// Its path from the top level.
    pub key: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Where the events of its YAML are packed; empty for a file at fault.
    events: Range<u32>,
    /// Which functions are its own; none of a script at fault.
    functions: Range<u32>,
}

impl Bound {
    /// The events of its YAML, packed; none of a file at fault.
    pub fn events(&self) -> &'static str {
        &EVENTS[whole(&self.events)]
    }

    /// Its functions; none of a script at fault.
    pub fn functions(&self) -> &'static [Known] {
        &FUNCTIONS[whole(&self.functions)]
    }
}

/// A function of a file bound into the binary: where it stands in the text of its file. Here are numbers alone: what has an address in it
/// would be written anew in memory each time the program starts.
pub struct Known {
    name: Range<u32>,
    params: Range<u32>,
    private: bool,
    above: Range<u32>,
    text: Range<u32>,
    line: u32,
    column: u32,
    /// Where what it says is packed.
    packed: Range<u32>,
}

impl Known {
    /// Its first line, in the text of its file.
    pub fn head<'t>(&self, file: &'t str) -> Head<'t> {
        Head {
            name: &file[whole(&self.name)],
            params: &file[whole(&self.params)],
            private: self.private,
            above: whole(&self.above),
            text: whole(&self.text),
            line: self.line as usize,
            column: self.column as usize,
        }
    }
}

fn whole(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// What the parser of YAML says of them all.
static EVENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/events.txt"));

/// The functions of them all, file by file.
static FUNCTIONS: &[Known] = include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// What the parser of Rhai says of them all.
static BODIES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bodies"));

/// All of them, by path.
pub static BUILT_IN: &[Bound] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The one at a path.
pub fn file(key: &str) -> Option<&'static Bound> {
    BUILT_IN.binary_search_by(|bound| bound.key.cmp(key)).ok().map(|place| &BUILT_IN[place])
}

/// The one at a path, where a text says the same.
fn same(key: &str, text: &str) -> Option<&'static Bound> {
    file(key).filter(|bound| std::ptr::eq(bound.text, text) || bound.text == text)
}

/// The events of a file's YAML, where it says what the one bound in at its path says.
pub fn events(key: &str, text: &str) -> Option<&'static str> {
    same(key, text).map(Bound::events).filter(|events| !events.is_empty())
}

/// The functions of a script, where it says what the one bound in at its path says, and nothing was wrong with that.
pub fn functions(key: &str, text: &str) -> Option<&'static [Known]> {
    same(key, text).map(Bound::functions).filter(|functions| !functions.is_empty())
}

/// What a function says that begins on a line of a file, packed; where it says what the one there says that is bound in.
pub fn body(key: &str, line: usize, text: &str) -> Option<&'static [u8]> {
    let bound = file(key)?;
    let functions = bound.functions();
    let known = &functions[functions.binary_search_by_key(&line, |known| known.line as usize).ok()?];
    (bound.text[whole(&known.text)] == *text).then(|| &BODIES[whole(&known.packed)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::events::{packed, parsed, unpacked, yaml_of};
    use crate::data::heads::{heads, is_test_file};

    #[test]
    fn what_was_packed_is_what_the_parser_says() {
        // A test file has no card.
        for bound in BUILT_IN.iter().filter(|bound| !is_test_file(bound.key)) {
            assert!(!bound.events().is_empty(), "{} is at fault", bound.key);
            let yaml = yaml_of(bound.key, bound.text);
            let said: Result<Vec<_>, _> = parsed(&yaml).collect();
            assert_eq!(said, Ok(unpacked(bound.events()).collect()), "{}", bound.key);
        }
    }

    #[test]
    fn a_file_that_says_anything_else_is_parsed() {
        let Bound { key, text, .. } = BUILT_IN[0];
        assert!(events(key, text).is_some());
        assert!(events(key, &text.replacen('a', "b", 1)).is_none());
        assert!(events("rules/none.rhai", text).is_none());
    }

    #[test]
    fn where_functions_stand_is_what_their_text_shows() {
        for bound in BUILT_IN.iter().filter(|bound| bound.key.ends_with(".rhai")) {
            let known: Vec<Head> = bound.functions().iter().map(|known| known.head(bound.text)).collect();
            assert_eq!(format!("{known:?}"), format!("{:?}", heads(bound.text)), "{}", bound.key);
        }
    }

    #[test]
    fn a_function_that_says_anything_else_is_parsed() {
        let bound = BUILT_IN.iter().find(|bound| !bound.functions().is_empty()).expect("a script");
        let Head { line, text, .. } = bound.functions()[0].head(bound.text);
        let own = &bound.text[text];
        assert!(body(bound.key, line, own).is_some() && functions(bound.key, bound.text).is_some());
        assert!(body(bound.key, line, &own.replacen("fn", "fn ", 1)).is_none(), "another text");
        assert!(body(bound.key, line + 1, own).is_none(), "places would be wrong");
        assert!(functions(bound.key, &bound.text[1..]).is_none());
    }

    #[test]
    fn what_complaints_are_made_of_is_not_packed() {
        assert!(["a: &b c", "a: !!int 3", "a: [", "a: *b"].into_iter().all(|yaml| packed(yaml).is_none()));
        assert!(packed("a: [b, 'c']").is_some());
    }
}
