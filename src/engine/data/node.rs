//! A node of a YAML tree with its source position.

use crate::complaint::Span;

#[cfg(any(test, feature = "testing"))]
thread_local! {
    /// Keys that were looked up, each with the span of its map, while a test wants to know.
    pub static READ: std::cell::RefCell<Option<std::collections::BTreeSet<(Span, String)>>> = const { std::cell::RefCell::new(None) };
}

/// A node of a YAML tree.
#[derive(Clone, Debug)]
pub struct YamlNode {
    /// Source position.
    pub span: Span,
    /// Value.
    pub value: YamlValue,
}

/// Value of a node.
#[derive(Clone, Debug)]
pub enum YamlValue {
    /// A scalar: its text, and whether it is unquoted.
    Scalar(String, bool),
    /// A list.
    List(Vec<YamlNode>),
    /// Entries in file order; keys are scalars.
    Map(Vec<(YamlNode, YamlNode)>),
}

impl YamlNode {
    /// Returns the text of a scalar.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            YamlValue::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    /// Returns the entries of a map; empty for other nodes.
    pub fn entries(&self) -> &[(YamlNode, YamlNode)] {
        match &self.value {
            YamlValue::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns a key and its value.
    pub fn entry(&self, key: &str) -> Option<(&YamlNode, &YamlNode)> {
        self.entries().iter().find(|(k, _)| k.as_text() == Some(key)).map(|(k, v)| (k, v))
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&YamlNode> {
        #[cfg(any(test, feature = "testing"))]
        READ.with_borrow_mut(|read| read.as_mut().is_some_and(|read| read.insert((self.span, key.to_string()))));
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns the span of a word under a key; without the word, of the key's value; without the key, of the node.
    pub fn span_of(&self, key: &str, word: &str) -> Span {
        let Some(value) = self.get(key) else { return self.span };
        value.items().iter().find(|item| item.as_text() == Some(word)).unwrap_or(value).span
    }

    /// Returns the items of a list; any other value counts as a list of one.
    pub fn items(&self) -> &[YamlNode] {
        match &self.value {
            YamlValue::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the text of a scalar; empty for other nodes.
    pub fn text_or_empty(&self) -> &str {
        self.as_text().unwrap_or_default()
    }

    /// Returns the entries of the map under a key; empty without it.
    pub fn entries_of(&self, key: &str) -> &[(YamlNode, YamlNode)] {
        self.get(key).map(YamlNode::entries).unwrap_or_default()
    }

    /// Returns the items of the list under a key; empty without it.
    pub fn items_of(&self, key: &str) -> &[YamlNode] {
        self.get(key).map(YamlNode::items).unwrap_or_default()
    }

    /// Describes the kind of node in words.
    pub fn describe(&self) -> &'static str {
        match self.value {
            YamlValue::Scalar(..) => "a single value",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map of keys and values",
        }
    }
}
