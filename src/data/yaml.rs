//! YAML as a tree in which every scalar keeps its text and its place.
//!
//! The tree is built from the parser's events, not through typed deserialisation: so no YAML reader's opinion touches a case number,
//! a hex, odds or a range; and all faults of a file are found in one reading, not the first.

use crate::complaint::terminal::{escape_invisible, has_invisible, is_invisible};
use crate::complaint::{Complaint, Complaints, Place, Span, did_you_mean, nearest_names};
use crate::data::embedded;
use crate::data::file::DataFile;
use crate::data::format::{FieldType, FileFormat};
pub use crate::data::node::{YamlNode, YamlValue};
use crate::data::yaml_events::{self, PlacedEvent, YamlError, YamlEvent, YamlMark};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A list or map that is being read: where it stands, where what it has begins among all that is being read, its next key, and the keys it
/// has, once they are many.
struct OpenNode {
    span: Span,
    first_child: usize,
    is_map: bool,
    pending_key: Option<YamlNode>,
    seen_keys: FxHashMap<Cow<'static, str>, Span>,
}

/// Among so few keys a map is looked through.
const LINEAR_SEARCH_LIMIT: usize = 16;

impl OpenNode {
    fn new(span: Span, start: usize, map: bool) -> OpenNode {
        OpenNode { span, first_child: start, is_map: map, pending_key: None, seen_keys: FxHashMap::default() }
    }

    /// Where a key stands already among the entries.
    fn find_duplicate(&mut self, entries: &[(YamlNode, YamlNode)], key: &str) -> Option<Span> {
        if entries.len() < LINEAR_SEARCH_LIMIT {
            return entries.iter().find(|(known, _)| known.as_text() == Some(key)).map(|(first, _)| first.span);
        }
        for (key, _) in &entries[self.seen_keys.len()..] {
            if let YamlValue::Scalar(text, _) = &key.value {
                self.seen_keys.insert(text.clone(), key.span);
            }
        }
        self.seen_keys.get(key).copied()
    }
}

/// Reads the YAML of one file and collects what is wrong with it.
pub struct YamlReader<'a> {
    /// The key of the file; none of a text that is no file of data.
    key: &'a str,
    path: &'a str,
    text: &'a str,
    /// The lines of the text, found when the first complaint needs one.
    lines: OnceCell<Vec<&'a str>>,
    /// Nodes that were complained of for their shape or as unknown keys.
    reported_nodes: FxHashSet<Span>,
    /// The file can't be read; that has been complained of.
    unreadable: bool,
    /// What the reader is in, for the crumbs of a complaint.
    pub breadcrumbs: String,
    /// What was wrong so far.
    pub complaints: Complaints,
}

/// Complaints that are collected of one file, at most.
const FAULTS: usize = 10_000;

impl<'a> YamlReader<'a> {
    /// A reader of the file `path`, whose whole text is `text`.
    pub fn new(path: &'a str, text: &'a str) -> YamlReader<'a> {
        let (crumbs, complaints) = Default::default();
        YamlReader {
            key: "",
            path,
            text,
            lines: OnceCell::new(),
            reported_nodes: FxHashSet::default(),
            unreadable: false,
            breadcrumbs: crumbs,
            complaints,
        }
    }

    /// A reader of a file; one that can't be read has nothing in it, and that is complained of.
    pub fn for_file(file: &'a DataFile) -> YamlReader<'a> {
        let mut reader = YamlReader { key: &file.key, ..YamlReader::new(&file.path, &file.text) };
        if let Some(fault) = file.fault() {
            reader.unreadable = true;
            reader.complaints.push(fault);
        }
        reader
    }

    /// Parses the YAML of the file: all of it, or the card of a script.
    pub fn parse_file(&mut self) -> Option<YamlNode> {
        let (key, text) = (self.key, self.text);
        // A card stands behind `//! `.
        let shift = if key.ends_with(".rhai") { 4 } else { 0 };
        match embedded::events(key, text) {
            Some(events) => self.build_tree(yaml_events::unpack(events).map(Ok), shift),
            None => self.build_tree(yaml_events::parse_events(&yaml_events::extract_yaml(key, text)), shift),
        }
    }

    /// Parses YAML that stands where the reader's text does.
    pub fn parse(&mut self, yaml: &str) -> Option<YamlNode> {
        self.build_tree(yaml_events::parse_events(yaml), 0)
    }

    /// The tree of what a parser says of YAML that stands in the file indented by `shift` characters.
    fn build_tree(&mut self, events: impl Iterator<Item = Result<PlacedEvent, YamlError>>, shift: usize) -> Option<YamlNode> {
        if self.unreadable {
            return None;
        }
        // What lists and maps have waits side by side until they end: then it is moved to where it fits just so.
        let (mut stack, mut items, mut entries): (Vec<OpenNode>, Vec<YamlNode>, Vec<(YamlNode, YamlNode)>) = Default::default();
        let mut root = None;
        let mut documents = 0;
        let placed = |at: YamlMark| Span { line: at.line, column: at.column + shift, length: at.length };
        for told in events {
            let PlacedEvent { event, mark: at, has_anchor: anchor, has_tag: tag } = match told {
                Ok(told) => told,
                Err(YamlError(fault, at)) => {
                    // Who typed a figure into a field has never heard of the language of files.
                    let (what, help) = match Place::whole_file(self.path).is_in_file() {
                        true => ("this is not YAML", "look at the quotes, brackets and indentation here and one line above"),
                        false => ("this can't be read", "look at the quotes and brackets"),
                    };
                    self.complain("yaml", placed(at), format!("{what}: {fault}"), help);
                    return None;
                }
            };
            let span = placed(at);
            if anchor {
                self.complain("yaml", span, "anchors and aliases are not used here", "write the value out");
            }
            if tag {
                let help = "take the tag off; numbers and words are told apart";
                self.complain("yaml", span, "tags such as `!!int` are not used here", help);
            }
            let done = match event {
                YamlEvent::DocumentStart => {
                    documents += 1;
                    if documents == 2 {
                        let help = "put it in a file of its own, or take the `---` out";
                        self.complain("yaml", span, "a second document begins here, and one file holds one", help);
                    }
                    continue;
                }
                YamlEvent::Scalar(text, plain) => {
                    if has_invisible(&text) && text.contains(|c| is_invisible(c) && c != '\t') {
                        let what = format!("`{}` holds a character that can't be seen", escape_invisible(&text));
                        self.complain("yaml", span, what, "take it out: it would do something to a terminal instead of standing there");
                    }
                    if plain && is_ambiguous_scalar(&text) {
                        let help = format!("write it in quotes: \"{text}\"");
                        self.complain(
                            "quotes",
                            span,
                            format!("`{text}` must stand in quotes: YAML readers take it for something else"),
                            help,
                        );
                    }
                    YamlNode { span, value: YamlValue::Scalar(text, plain) }
                }
                YamlEvent::ListStart => {
                    stack.push(OpenNode::new(span, items.len(), false));
                    continue;
                }
                YamlEvent::MapStart => {
                    stack.push(OpenNode::new(span, entries.len(), true));
                    continue;
                }
                YamlEvent::End => match stack.pop() {
                    Some(OpenNode { span, first_child: start, is_map: true, .. }) => {
                        YamlNode { span, value: YamlValue::Map(entries.drain(start..).collect()) }
                    }
                    Some(OpenNode { span, first_child: start, .. }) => {
                        YamlNode { span, value: YamlValue::List(items.drain(start..).collect()) }
                    }
                    None => continue,
                },
                YamlEvent::Alias => {
                    self.complain("yaml", span, "anchors and aliases are not used here", "write the value out");
                    YamlNode { span, value: YamlValue::Scalar(Cow::Borrowed(""), false) }
                }
            };
            let Some(open) = stack.last_mut() else {
                root.get_or_insert(done);
                continue;
            };
            if !open.is_map {
                items.push(done);
                continue;
            }
            let Some(key) = open.pending_key.take() else {
                open.pending_key = Some(done);
                continue;
            };
            match key.as_text().and_then(|key| open.find_duplicate(&entries[open.first_child..], key)) {
                None => entries.push((key, done)),
                Some(first) => {
                    let what = format!("`{}` stands here twice", key.as_text().unwrap_or_default());
                    let place = self.place(first);
                    let complaint =
                        self.complaint("key-twice", key.span, what).with_help("keep one of the two").with_related(place, "the first");
                    self.complaints.push(complaint);
                }
            }
        }
        let empty = |node: &YamlNode| matches!(&node.value, YamlValue::Scalar(text, true) if text.is_empty());
        if root.as_ref().is_none_or(empty) {
            let place = Place::whole_file(self.path);
            let complaint =
                Complaint::new("empty-file", place, "there is nothing in this file").with_breadcrumbs(self.breadcrumbs.as_str());
            self.complaints.push(complaint.with_help("fill it in, or remove it"));
            return None;
        }
        root
    }

    /// The file's path.
    pub fn path(&self) -> &str {
        self.path
    }

    /// A complaint at a place of this file.
    pub fn complaint(&self, law: &'static str, span: Span, what: impl Into<String>) -> Complaint {
        Complaint::new(law, self.place(span), what).with_breadcrumbs(self.breadcrumbs.as_str())
    }

    fn place(&self, span: Span) -> Place {
        let lines = self.lines.get_or_init(|| self.text.lines().collect());
        Place::from_line(self.path, lines.get(span.line.saturating_sub(1)).copied().unwrap_or_default(), span)
    }

    /// Collects a complaint.
    pub fn complain(&mut self, law: &'static str, span: Span, what: impl Into<String>, help: impl Into<String>) {
        // Whoever has so many in one file mends its cause, and reads no more of them.
        if self.complaints.0.len() < FAULTS {
            let complaint = self.complaint(law, span, what).with_help(help);
            self.complaints.push(complaint);
        }
    }

    /// Complains of keys that a format does not have, and of a node that is no map.
    pub fn check_format(&mut self, node: &YamlNode, format: &FileFormat) {
        self.check_keys(node, &format.key_names());
        // Where its author's own names belong, a list or a word would go unread in silence.
        for key in format
            .keys
            .iter()
            .filter(|key| matches!(key.field_type, FieldType::NamedObjects(_) | FieldType::NamedValues | FieldType::NamedEach(_)))
        {
            if let Some((_, value)) =
                node.entry(key.name).filter(|(_, value)| !matches!(value.value, YamlValue::Map(_)) && value.as_text() != Some(""))
            {
                let help = format!("under `{}:` stand {}", key.name, key.field_type.describe());
                self.complain("shape", value.span, format!("names and values belong here, not {}", value.describe()), help);
            }
        }
    }

    /// Complains of keys that are not known, and of a node that is no map.
    pub fn check_keys(&mut self, node: &YamlNode, known: &[&str]) {
        let YamlValue::Map(entries) = &node.value else {
            self.reported_nodes.insert(node.span);
            self.complain(
                "shape",
                node.span,
                format!("keys and values belong here, not {}", node.describe()),
                format!("known keys: {}", known.join(", ")),
            );
            return;
        };
        for (key, _) in entries {
            let name = key.as_text().unwrap_or_default();
            if !known.contains(&name) {
                let what = format!("`{name}` is no key known here{}", did_you_mean(name, known.iter().copied()));
                self.reported_nodes.insert(key.span);
                self.complain("unknown-key", key.span, what, format!("known keys: {}", known.join(", ")));
            }
        }
    }

    /// The text under a key; complains if it is missing.
    pub fn required_text<'n>(&mut self, node: &'n YamlNode, key: &str) -> Option<&'n str> {
        let Some(child) = node.get(key) else {
            // What is no map has no keys at all.
            if !matches!(node.value, YamlValue::Map(_)) {
                if !self.reported_nodes.contains(&node.span) {
                    self.check_keys(node, &[key]);
                }
                return None;
            }
            // A misspelt key has been complained of, and says which one is meant.
            if !node
                .entries()
                .iter()
                .any(|(k, _)| self.reported_nodes.contains(&k.span) && !nearest_names(k.as_text().unwrap_or_default(), [key]).is_empty())
            {
                self.complain("missing-key", node.span, format!("`{key}:` is missing"), format!("add a line `{key}: ...`"));
            }
            return None;
        };
        self.text(child)
    }

    /// The text under `title:`; complains if it is missing or says nothing.
    pub fn required_title(&mut self, node: &YamlNode) -> String {
        let title = self.required_text(node, "title").unwrap_or_default().to_string();
        if let Some(child) = node.get("title").filter(|child| child.as_text().is_some_and(|text| text.trim().is_empty())) {
            self.complain("missing-key", child.span, "`title:` says nothing", "write what it is called");
        }
        title
    }

    /// A scalar's text; complains of a list or map.
    pub fn text<'n>(&mut self, node: &'n YamlNode) -> Option<&'n str> {
        if node.as_text().is_none() {
            let what = format!("a single value belongs here, not {}", node.describe());
            self.complain("shape", node.span, what, "write one number, word or text; in quotes where it has signs of YAML in it");
        }
        node.as_text()
    }

    /// The text under a key, if the key is there.
    pub fn optional_text(&mut self, node: &YamlNode, key: &str) -> Option<String> {
        node.get(key).and_then(|child| self.text(child)).map(String::from)
    }

    /// A whole number; complains of anything else.
    pub fn number(&mut self, node: &YamlNode) -> Option<i64> {
        let text = self.text(node)?;
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let help = if text.contains([',', '.']) {
            "figures are whole numbers; a percentage is written without its sign and without a point"
        } else {
            "write a whole number"
        };
        self.complain("number", node.span, format!("`{text}` is no whole number"), help);
        None
    }

    /// true/false, on/off, yes/no.
    pub fn flag(&mut self, node: &YamlNode) -> Option<bool> {
        match self.text(node)? {
            "true" | "on" | "yes" => Some(true),
            "false" | "off" | "no" => Some(false),
            other => {
                let what = format!("`{other}` is neither true nor false");
                self.complain("flag", node.span, what, "write true or false");
                None
            }
        }
    }

    /// The texts of a list, or of a single value.
    pub fn texts(&mut self, node: &YamlNode) -> Vec<String> {
        node.items().iter().filter_map(|item| self.text(item).map(String::from)).collect()
    }

    /// One of a few words; complains of any other.
    pub fn keyword<T: Copy>(&mut self, node: &YamlNode, law: &'static str, what: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(node)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(*value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("`{text}` is no {what}{}", did_you_mean(text, known.iter().copied()));
        self.complain(law, node.span, message, format!("one of: {}", known.join(", ")));
        None
    }
}

/// Whether a YAML reader somewhere would turn this unquoted text into another: 0130 into 130, 9.10 into 9.1, 3:1 into 181.
fn is_ambiguous_scalar(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let numeric = |c: char| c.is_ascii_digit() || ".,:_/+-eExo".contains(c);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || !text.chars().all(numeric) || digits.starts_with("..") {
        return false;
    }
    let whole = digits.chars().all(|c| c.is_ascii_digit());
    // No reader takes a fraction for anything but a text.
    let digits_alone = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if text.split_once('/').is_some_and(|(ways, all)| digits_alone(ways) && digits_alone(all)) {
        return false;
    }
    // A whole number without a sign or leading zeros is what it looks like.
    let plain = whole && !text.starts_with('+') && (digits == "0" || !digits.starts_with('0'));
    !plain
}
