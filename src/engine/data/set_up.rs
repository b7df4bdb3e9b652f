//! What the pieces of any situation keep to when it begins, as a manifest declares it.

use crate::data::yaml::YamlNode;

/// What pieces of some kinds keep to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetUpLaw {
    /// Kinds and groups of pieces.
    pub of: Vec<String>,
    /// What each of them has: attributes, `side`, `at`.
    pub needs: Vec<String>,
    /// Kinds and groups of what one of them may be on; empty if anything carries it.
    pub carriers: Vec<String>,
    /// By attribute, the kinds and groups of pieces that it may name.
    pub named: Vec<(String, Vec<String>)>,
    /// Whether those of two sides never share a place.
    pub is_apart: bool,
    /// Attributes that take a piece out where they are set.
    pub unless: Vec<String>,
    /// An expression of scripts that is true of the set-up, and what is said where it is not.
    pub asked: Option<(String, String)>,
}

impl SetUpLaw {
    /// Reads an entry of `set_up:`.
    pub fn read(node: &YamlNode) -> SetUpLaw {
        let named = node.named_entries_of("names");
        SetUpLaw {
            of: node.texts_of("of"),
            needs: node.texts_of("needs"),
            carriers: node.texts_of("on"),
            named: named.map(|(name, groups)| (name, groups.texts())).collect(),
            is_apart: node.get("apart").and_then(YamlNode::flag) == Some(true),
            unless: node.texts_of("unless"),
            asked: node
                .optional_text_of("asks")
                .map(|asked| (asked, node.text_of("says").to_string())),
        }
    }
}
