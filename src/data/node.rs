//! A node of a file's tree: what stands there, and where.

use crate::complaint::Span;
use std::borrow::Cow;

#[cfg(test)]
thread_local! {
    /// The keys that were looked for, with where the maps stand.
    pub static READ: std::cell::RefCell<std::collections::BTreeSet<(Span, String)>> = const { std::cell::RefCell::new(std::collections::BTreeSet::new()) };
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct YamlNode {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub value: YamlValue,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum YamlValue {
    /// Text as written, and whether it stood without quotes. What ships is bound in, and need not be copied.
    Scalar(Cow<'static, str>, bool),
    /// A list.
    List(Vec<YamlNode>),
    /// Keys in the order of the file. Keys are scalars.
    Map(Vec<(YamlNode, YamlNode)>),
}

impl YamlNode {
    /// The text, if it is a scalar.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            YamlValue::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    /// The entries of a map; none for anything else.
    pub fn entries(&self) -> &[(YamlNode, YamlNode)] {
        match &self.value {
            YamlValue::Map(entries) => entries,
            _ => &[],
        }
    }

    /// A key and the value under it.
    pub fn entry(&self, key: &str) -> Option<(&YamlNode, &YamlNode)> {
        self.entries().iter().find(|(k, _)| k.as_text() == Some(key)).map(|(k, v)| (k, v))
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&YamlNode> {
        #[cfg(test)]
        READ.with_borrow_mut(|read| read.insert((self.span, key.to_string())));
        self.entry(key).map(|(_, value)| value)
    }

    /// Where a word stands under a key; where it does not, the value of the key, or the node itself.
    pub fn span_of(&self, key: &str, word: &str) -> Span {
        let Some(value) = self.get(key) else { return self.span };
        value.items().iter().find(|item| item.as_text() == Some(word)).unwrap_or(value).span
    }

    /// The items of a list; a single value counts as a list of one.
    pub fn items(&self) -> &[YamlNode] {
        match &self.value {
            YamlValue::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// What it is, in words.
    pub fn describe(&self) -> &'static str {
        match self.value {
            YamlValue::Scalar(..) => "a single value",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map of keys and values",
        }
    }
}
