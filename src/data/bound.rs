//! The files bound into the binary: path, text, and the events of its YAML.

/// A file bound into the binary.
pub struct Bound {
    /// Its path from the top level.
    pub key: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The events of its YAML, packed; none of a file at fault.
    pub events: &'static str,
}

/// What the parser says of them all.
static EVENTS: &str = include_str!(concat!(env!("OUT_DIR"), "/events.txt"));

/// All of them, by path.
pub static BUILT_IN: &[Bound] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The one at a path.
pub fn file(key: &str) -> Option<&'static Bound> {
    BUILT_IN.binary_search_by(|bound| bound.key.cmp(key)).ok().map(|place| &BUILT_IN[place])
}

/// The events of a file's YAML, where it says what the one bound in at its path says.
pub fn events(key: &str, text: &str) -> Option<&'static str> {
    file(key).filter(|bound| bound.text == text).map(|bound| bound.events).filter(|events| !events.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::events::{packed, parsed, unpacked, yaml_of};

    #[test]
    fn what_was_packed_is_what_the_parser_says() {
        for bound in BUILT_IN {
            assert!(!bound.events.is_empty(), "{} is at fault", bound.key);
            let yaml = yaml_of(bound.key, bound.text);
            let said: Result<Vec<_>, _> = parsed(&yaml).collect();
            assert_eq!(said, Ok(unpacked(bound.events).collect()), "{}", bound.key);
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
    fn what_complaints_are_made_of_is_not_packed() {
        assert!(["a: &b c", "a: !!int 3", "a: [", "a: *b"].into_iter().all(|yaml| packed(yaml).is_none()));
        assert!(packed("a: [b, 'c']").is_some());
    }
}
