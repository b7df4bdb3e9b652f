//! YAML as a tree in which every scalar keeps its text and its place.
//!
//! The tree is built from the parser's events, not through typed deserialisation: so no YAML reader's opinion touches a case number,
//! a hex, odds or a range; and all faults of a file are found in one reading, not the first.

use crate::complaint::screen::{any_unseen, unseen, visible};
use crate::complaint::{Complaint, Complaints, Place, Span, did_you_mean, near};
use crate::data::bound;
use crate::data::events::{self, Mark, NotYaml, Placed, YamlEvent};
use crate::data::file::File;
use crate::data::format::{Format, Holds};
pub use crate::data::node::{Node, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::OnceCell;

/// A list or map that is being read: where it stands, where what it has begins among all that is being read, its next key, and the keys it
/// has, once they are many.
struct Open {
    span: Span,
    start: usize,
    map: bool,
    key: Option<Node>,
    known: FxHashMap<Cow<'static, str>, Span>,
}

/// Among so few keys a map is looked through.
const FEW: usize = 16;

impl Open {
    fn new(span: Span, start: usize, map: bool) -> Open {
        Open { span, start, map, key: None, known: FxHashMap::default() }
    }

    /// Where a key stands already among the entries.
    fn first(&mut self, entries: &[(Node, Node)], key: &str) -> Option<Span> {
        if entries.len() < FEW {
            return entries.iter().find(|(known, _)| known.text() == Some(key)).map(|(first, _)| first.span);
        }
        for (key, _) in &entries[self.known.len()..] {
            if let Value::Scalar(text, _) = &key.value {
                self.known.insert(text.clone(), key.span);
            }
        }
        self.known.get(key).copied()
    }
}

/// Reads the YAML of one file and collects what is wrong with it.
pub struct Reader<'a> {
    /// The key of the file; none of a text that is no file of data.
    key: &'a str,
    path: &'a str,
    text: &'a str,
    /// The lines of the text, found when the first complaint needs one.
    lines: OnceCell<Vec<&'a str>>,
    /// Nodes that were complained of for their shape or as unknown keys.
    odd: FxHashSet<Span>,
    /// The file can't be read; that has been complained of.
    unread: bool,
    /// What the reader is in, for the crumbs of a complaint.
    pub crumbs: String,
    /// What was wrong so far.
    pub complaints: Complaints,
}

/// Complaints that are collected of one file, at most.
const FAULTS: usize = 10_000;

impl<'a> Reader<'a> {
    /// A reader of the file `path`, whose whole text is `text`.
    pub fn new(path: &'a str, text: &'a str) -> Reader<'a> {
        let (crumbs, complaints) = Default::default();
        Reader { key: "", path, text, lines: OnceCell::new(), odd: FxHashSet::default(), unread: false, crumbs, complaints }
    }

    /// A reader of a file; one that can't be read has nothing in it, and that is complained of.
    pub fn of(file: &'a File) -> Reader<'a> {
        let mut reader = Reader { key: &file.key, ..Reader::new(&file.path, &file.text) };
        if let Some(fault) = file.fault() {
            reader.unread = true;
            reader.complaints.push(fault);
        }
        reader
    }

    /// Parses the YAML of the file: all of it, or the card of a script.
    pub fn whole(&mut self) -> Option<Node> {
        let (key, text) = (self.key, self.text);
        // A card stands behind `//! `.
        let shift = if key.ends_with(".rhai") { 4 } else { 0 };
        match bound::events(key, text) {
            Some(events) => self.tree(events::unpacked(events).map(Ok), shift),
            None => self.tree(events::parsed(&events::yaml_of(key, text)), shift),
        }
    }

    /// Parses YAML that stands where the reader's text does.
    pub fn parse(&mut self, yaml: &str) -> Option<Node> {
        self.tree(events::parsed(yaml), 0)
    }

    /// The tree of what a parser says of YAML that stands in the file indented by `shift` characters.
    fn tree(&mut self, events: impl Iterator<Item = Result<Placed, NotYaml>>, shift: usize) -> Option<Node> {
        if self.unread {
            return None;
        }
        // What lists and maps have waits side by side until they end: then it is moved to where it fits just so.
        let (mut stack, mut items, mut entries): (Vec<Open>, Vec<Node>, Vec<(Node, Node)>) = Default::default();
        let mut root = None;
        let mut documents = 0;
        let placed = |at: Mark| Span { line: at.line, column: at.column + shift, length: at.length };
        for told in events {
            let Placed { event, at, anchor, tag } = match told {
                Ok(told) => told,
                Err(NotYaml(fault, at)) => {
                    // Who typed a figure into a field has never heard of the language of files.
                    let (what, help) = match Place::file(self.path).in_a_file() {
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
                YamlEvent::Document => {
                    documents += 1;
                    if documents == 2 {
                        let help = "put it in a file of its own, or take the `---` out";
                        self.complain("yaml", span, "a second document begins here, and one file holds one", help);
                    }
                    continue;
                }
                YamlEvent::Scalar(text, plain) => {
                    if any_unseen(&text) && text.contains(|c| unseen(c) && c != '\t') {
                        let what = format!("`{}` holds a character that can't be seen", visible(&text));
                        self.complain("yaml", span, what, "take it out: it would do something to a terminal instead of standing there");
                    }
                    if plain && would_change(&text) {
                        let help = format!("write it in quotes: \"{text}\"");
                        self.complain(
                            "quotes",
                            span,
                            format!("`{text}` must stand in quotes: YAML readers take it for something else"),
                            help,
                        );
                    }
                    Node { span, value: Value::Scalar(text, plain) }
                }
                YamlEvent::List => {
                    stack.push(Open::new(span, items.len(), false));
                    continue;
                }
                YamlEvent::Map => {
                    stack.push(Open::new(span, entries.len(), true));
                    continue;
                }
                YamlEvent::End => match stack.pop() {
                    Some(Open { span, start, map: true, .. }) => Node { span, value: Value::Map(entries.drain(start..).collect()) },
                    Some(Open { span, start, .. }) => Node { span, value: Value::List(items.drain(start..).collect()) },
                    None => continue,
                },
                YamlEvent::Alias => {
                    self.complain("yaml", span, "anchors and aliases are not used here", "write the value out");
                    Node { span, value: Value::Scalar(Cow::Borrowed(""), false) }
                }
            };
            let Some(open) = stack.last_mut() else {
                root.get_or_insert(done);
                continue;
            };
            if !open.map {
                items.push(done);
                continue;
            }
            let Some(key) = open.key.take() else {
                open.key = Some(done);
                continue;
            };
            match key.text().and_then(|key| open.first(&entries[open.start..], key)) {
                None => entries.push((key, done)),
                Some(first) => {
                    let what = format!("`{}` stands here twice", key.text().unwrap_or_default());
                    let place = self.place(first);
                    let complaint = self.complaint("key-twice", key.span, what).help("keep one of the two").also(place, "the first");
                    self.complaints.push(complaint);
                }
            }
        }
        let empty = |node: &Node| matches!(&node.value, Value::Scalar(text, true) if text.is_empty());
        if root.as_ref().is_none_or(empty) {
            let place = Place::file(self.path);
            let complaint = Complaint::new("empty-file", place, "there is nothing in this file").crumbs(self.crumbs.as_str());
            self.complaints.push(complaint.help("fill it in, or remove it"));
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
        Complaint::new(law, self.place(span), what).crumbs(self.crumbs.as_str())
    }

    fn place(&self, span: Span) -> Place {
        let lines = self.lines.get_or_init(|| self.text.lines().collect());
        Place::on(self.path, lines.get(span.line.saturating_sub(1)).copied().unwrap_or_default(), span)
    }

    /// Collects a complaint.
    pub fn complain(&mut self, law: &'static str, span: Span, what: impl Into<String>, help: impl Into<String>) {
        // Whoever has so many in one file mends its cause, and reads no more of them.
        if self.complaints.0.len() < FAULTS {
            let complaint = self.complaint(law, span, what).help(help);
            self.complaints.push(complaint);
        }
    }

    /// Complains of keys that a format does not have, and of a node that is no map.
    pub fn fits(&mut self, node: &Node, format: &Format) {
        self.keys(node, &format.names());
        // Where its author's own names belong, a list or a word would go unread in silence.
        for key in format.keys.iter().filter(|key| matches!(key.holds, Holds::Named(_) | Holds::Values | Holds::Each(_))) {
            if let Some((_, value)) =
                node.entry(key.name).filter(|(_, value)| !matches!(value.value, Value::Map(_)) && value.text() != Some(""))
            {
                let help = format!("under `{}:` stand {}", key.name, key.holds.word());
                self.complain("shape", value.span, format!("names and values belong here, not {}", value.what()), help);
            }
        }
    }

    /// Complains of keys that are not known, and of a node that is no map.
    pub fn keys(&mut self, node: &Node, known: &[&str]) {
        let Value::Map(entries) = &node.value else {
            self.odd.insert(node.span);
            self.complain(
                "shape",
                node.span,
                format!("keys and values belong here, not {}", node.what()),
                format!("known keys: {}", known.join(", ")),
            );
            return;
        };
        for (key, _) in entries {
            let name = key.text().unwrap_or_default();
            if !known.contains(&name) {
                let what = format!("`{name}` is no key known here{}", did_you_mean(name, known.iter().copied()));
                self.odd.insert(key.span);
                self.complain("unknown-key", key.span, what, format!("known keys: {}", known.join(", ")));
            }
        }
    }

    /// The text under a key; complains if it is missing.
    pub fn need<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n str> {
        let Some(child) = node.get(key) else {
            // What is no map has no keys at all.
            if !matches!(node.value, Value::Map(_)) {
                if !self.odd.contains(&node.span) {
                    self.keys(node, &[key]);
                }
                return None;
            }
            // A misspelt key has been complained of, and says which one is meant.
            if !node.entries().iter().any(|(k, _)| self.odd.contains(&k.span) && !near(k.text().unwrap_or_default(), [key]).is_empty()) {
                self.complain("missing-key", node.span, format!("`{key}:` is missing"), format!("add a line `{key}: ...`"));
            }
            return None;
        };
        self.text(child)
    }

    /// The text under `title:`; complains if it is missing or says nothing.
    pub fn title(&mut self, node: &Node) -> String {
        let title = self.need(node, "title").unwrap_or_default().to_string();
        if let Some(child) = node.get("title").filter(|child| child.text().is_some_and(|text| text.trim().is_empty())) {
            self.complain("missing-key", child.span, "`title:` says nothing", "write what it is called");
        }
        title
    }

    /// A scalar's text; complains of a list or map.
    pub fn text<'n>(&mut self, node: &'n Node) -> Option<&'n str> {
        if node.text().is_none() {
            let what = format!("a single value belongs here, not {}", node.what());
            self.complain("shape", node.span, what, "write one number, word or text; in quotes where it has signs of YAML in it");
        }
        node.text()
    }

    /// The text under a key, if the key is there.
    pub fn maybe(&mut self, node: &Node, key: &str) -> Option<String> {
        node.get(key).and_then(|child| self.text(child)).map(String::from)
    }

    /// A whole number; complains of anything else.
    pub fn number(&mut self, node: &Node) -> Option<i64> {
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
    pub fn flag(&mut self, node: &Node) -> Option<bool> {
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
    pub fn texts(&mut self, node: &Node) -> Vec<String> {
        node.items().iter().filter_map(|item| self.text(item).map(String::from)).collect()
    }

    /// One of a few words; complains of any other.
    pub fn word<T: Copy>(&mut self, node: &Node, law: &'static str, what: &str, words: &[(&str, T)]) -> Option<T> {
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
fn would_change(text: &str) -> bool {
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
