//! A node of a YAML tree with its source position.

use crate::complaint::Span;
use crate::notation::Face;
use std::str::FromStr;

/// A node of a YAML tree.
#[derive(Clone, Debug)]
pub struct YamlNode {
    /// Source position.
    pub span: Span,
    pub value: YamlValue,
}

/// Value of a node.
#[derive(Clone, Debug)]
pub enum YamlValue {
    /// A scalar: its text, and whether it is unquoted.
    Scalar(String, bool),
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
        self.entries()
            .iter()
            .find(|(k, _)| k.as_text() == Some(key))
            .map(|(k, v)| (k, v))
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&YamlNode> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns a node at the same position with another value.
    pub fn with(&self, value: YamlValue) -> YamlNode {
        YamlNode {
            span: self.span,
            value,
        }
    }

    /// Returns the node at a path of keys.
    pub fn at<K: AsRef<str>>(&self, path: &[K]) -> Option<&YamlNode> {
        let mut keys = path.iter();
        keys.try_fold(self, |node, key| node.get(key.as_ref()))
    }

    /// Sets the node at a path of keys, or takes it away.
    pub fn set_at<K: AsRef<str>>(&mut self, path: &[K], now: Option<&YamlNode>) {
        let (Some((key, rest)), YamlValue::Map(entries)) = (path.split_first(), &mut self.value)
        else {
            return;
        };
        let is_key = |(name, _): &(YamlNode, YamlNode)| name.as_text() == Some(key.as_ref());
        match (entries.iter().position(is_key), now) {
            (Some(index), None) if rest.is_empty() => drop(entries.remove(index)),
            (Some(index), Some(now)) if rest.is_empty() => entries[index].1 = now.clone(),
            (Some(index), _) => {
                let below = &mut entries[index].1;
                below.span = now.map_or(below.span, |now| now.span);
                below.set_at(rest, now);
            }
            (None, Some(YamlNode { span, .. })) => {
                let node = |value| YamlNode { span: *span, value };
                let name = node(YamlValue::Scalar(key.as_ref().into(), true));
                entries.push((name, node(YamlValue::Map(Vec::new()))));
                self.set_at(path, now);
            }
            (None, None) => {}
        }
    }

    /// Returns the span of a word under a key; without the word, of the key's value; without the key, of the node.
    pub fn span_of(&self, key: &str, word: &str) -> Span {
        let Some(value) = self.get(key) else {
            return self.span;
        };
        value
            .items()
            .iter()
            .find(|item| item.as_text() == Some(word))
            .unwrap_or(value)
            .span
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

    /// Returns a scalar as a number, if it is one.
    pub fn parse<T: FromStr>(&self) -> Option<T> {
        self.as_text()?.parse().ok()
    }

    pub fn flag(&self) -> Option<bool> {
        flag_value(self.as_text()?)
    }

    /// Returns the face of a die or a card, if it is one.
    pub fn face(&self) -> Option<Face> {
        self.parse()
    }

    /// Returns the meaning of a word, if it is one of the list.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let text = self.as_text()?;
        words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, meaning)| *meaning)
    }

    /// Returns the option that switches a change.
    pub fn option(&self) -> Option<&str> {
        self.get("option").and_then(YamlNode::as_text)
    }

    /// Returns the texts of a list, or of a single value.
    pub fn texts(&self) -> Vec<String> {
        self.items()
            .iter()
            .filter_map(YamlNode::as_text)
            .map(String::from)
            .collect()
    }

    /// Returns the text under a key; empty without it.
    pub fn text_of(&self, key: &str) -> &str {
        self.get(key)
            .map(YamlNode::text_or_empty)
            .unwrap_or_default()
    }

    /// Returns the text under a key, if there is one.
    pub fn optional_text_of(&self, key: &str) -> Option<String> {
        self.get(key).and_then(YamlNode::as_text).map(String::from)
    }

    /// Returns the texts of the list under a key; empty without it.
    pub fn texts_of(&self, key: &str) -> Vec<String> {
        self.get(key).map(YamlNode::texts).unwrap_or_default()
    }

    /// Returns the number under a key, if there is one.
    pub fn number_of(&self, key: &str) -> Option<i64> {
        self.get(key).and_then(YamlNode::parse)
    }

    /// Returns the flag under a key, if there is one.
    pub fn flag_of(&self, key: &str) -> Option<bool> {
        self.get(key).and_then(YamlNode::flag)
    }

    /// Returns whether a flag is set under a key.
    pub fn is_set(&self, key: &str) -> bool {
        self.flag_of(key).unwrap_or(false)
    }

    /// Returns the meaning of the word under a key, if it is one of the list.
    pub fn word_of<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Option<T> {
        self.get(key).and_then(|node| node.word(words))
    }

    /// Returns the entries of the map under a key, each with its name; empty without it.
    pub fn named_entries_of(&self, key: &str) -> impl Iterator<Item = (String, &YamlNode)> {
        self.entries_of(key)
            .iter()
            .map(|(name, value)| (name.text_or_empty().to_string(), value))
    }

    /// Returns the entries of the map under a key, each with its name and its text; empty without it.
    pub fn named_texts_of(&self, key: &str) -> impl Iterator<Item = (String, String)> {
        self.named_entries_of(key)
            .map(|(name, value)| (name, value.text_or_empty().into()))
    }

    /// Returns the entries of the map under a key, each with its name and the texts of its list; empty without it.
    pub fn named_lists_of(&self, key: &str) -> impl Iterator<Item = (String, Vec<String>)> {
        self.named_entries_of(key)
            .map(|(name, value)| (name, value.texts()))
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

/// Reads a flag: true/false, on/off, yes/no.
pub fn flag_value(text: &str) -> Option<bool> {
    match text {
        "true" | "on" | "yes" => Some(true),
        "false" | "off" | "no" => Some(false),
        _ => None,
    }
}
