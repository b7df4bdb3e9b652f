//! YAML trees in which every scalar keeps its text and source position.
//!
//! The tree is built from parser events, not by typed deserialisation, so that YAML's implicit types never alter a case number, a hex, odds
//! or a range, and one pass reports all errors of a file.

use crate::complaint::terminal::{escape_invisible, has_invisible, is_invisible};
use crate::complaint::{
    Complaint, Complaints, Defect, DiagnosticCode, Fix, MendedLine, Message, Place, Severity, Span,
};
use crate::data::file::DataFile;
pub use crate::data::node::{YamlNode, YamlValue};
use crate::data::yaml_events::{self, PlacedEvent, YamlError, YamlEvent, YamlMark};
use crate::data::yaml_remedies::{YamlMistake, yaml_mistake};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// A list or map under construction: its span, the start of its items on the shared stack, its pending key, and an index of its keys once
/// they are many.
struct OpenNode {
    span: Span,
    first_child: usize,
    is_map: bool,
    pending_key: Option<YamlNode>,
    seen_keys: FxHashMap<String, Span>,
}

/// Maps with at most this many keys are searched linearly.
const LINEAR_SEARCH_LIMIT: usize = 16;

impl OpenNode {
    fn new(span: Span, start: usize, map: bool) -> OpenNode {
        OpenNode {
            span,
            first_child: start,
            is_map: map,
            pending_key: None,
            seen_keys: FxHashMap::default(),
        }
    }

    /// Returns the span of an earlier entry with the same key.
    fn find_duplicate(&mut self, entries: &[(YamlNode, YamlNode)], key: &str) -> Option<Span> {
        if entries.len() < LINEAR_SEARCH_LIMIT {
            return entries
                .iter()
                .find(|(name, _)| name.as_text() == Some(key))
                .map(|(first, _)| first.span);
        }
        for (key, _) in &entries[self.seen_keys.len()..] {
            if let YamlValue::Scalar(text, _) = &key.value {
                self.seen_keys.insert(text.clone(), key.span);
            }
        }
        self.seen_keys.get(key).copied()
    }
}

/// Parses the YAML of one file and collects complaints.
pub struct YamlReader<'a> {
    /// Key of the file; empty for a text that is not a data file.
    key: &'a str,
    path: &'a str,
    text: &'a str,
    /// Lines of the text, split when the first complaint needs one.
    lines: OnceCell<Vec<&'a str>>,
    /// Nodes already reported for their shape or as unknown keys.
    pub(super) reported_nodes: FxHashSet<Span>,
    /// Whether the file was reported as unreadable.
    unreadable: bool,
    /// Context that complaints show as context.
    pub context: String,
    /// Complaints so far.
    pub complaints: Complaints,
}

impl<'a> YamlReader<'a> {
    /// Creates a reader for the file `path` with the whole text `text`.
    pub fn new(path: &'a str, text: &'a str) -> YamlReader<'a> {
        let (context, complaints) = Default::default();
        YamlReader {
            key: "",
            path,
            text,
            lines: OnceCell::new(),
            reported_nodes: FxHashSet::default(),
            unreadable: false,
            context,
            complaints,
        }
    }

    /// Creates a reader for a file; an unreadable file is reported and treated as empty.
    pub fn for_file(file: &'a DataFile) -> YamlReader<'a> {
        let mut reader = YamlReader {
            key: &file.key,
            ..YamlReader::new(&file.path, &file.text)
        };
        if let Some(fault) = file.fault() {
            reader.unreadable = true;
            reader.complaints.push(fault);
        }
        reader
    }

    /// Parses the YAML of the file: all of it, or the card of a script.
    pub fn parse_file(&mut self) -> Option<YamlNode> {
        let (key, text) = (self.key, self.text);
        // A card is prefixed by `//! `.
        let shift = if key.ends_with(".rhai") { 4 } else { 0 };
        self.build_tree(
            yaml_events::parse_events(&yaml_events::extract_yaml(key, text)),
            shift,
        )
    }

    /// Parses YAML at the position of the reader's text.
    pub fn parse(&mut self, yaml: &str) -> Option<YamlNode> {
        self.build_tree(yaml_events::parse_events(yaml), 0)
    }

    /// Builds a tree from parser events; `shift` is the indentation of the YAML in the file, in characters.
    fn build_tree(
        &mut self,
        events: impl Iterator<Item = Result<PlacedEvent, YamlError>>,
        shift: usize,
    ) -> Option<YamlNode> {
        if self.unreadable {
            return None;
        }
        // Items and entries are collected on shared stacks and moved to exactly sized vectors when their list or map ends.
        let (mut stack, mut items, mut entries): (
            Vec<OpenNode>,
            Vec<YamlNode>,
            Vec<(YamlNode, YamlNode)>,
        ) = Default::default();
        let mut root = None;
        let mut documents = 0;
        let placed = |at: YamlMark| Span {
            line: at.line,
            column: at.column + shift,
            length: at.length,
        };
        for parsed in events {
            let PlacedEvent {
                event,
                mark: at,
                has_anchor: anchor,
                has_tag: tag,
                ..
            } = match parsed {
                Ok(parsed) => parsed,
                Err(YamlError(fault, at)) => {
                    if self.begins_list_without_key(at.line) {
                        let message = "a list begins here, and the line above it is complete: the key of the list is missing";
                        let help = "write the key in a line above the list, such as `changes:`";
                        self.complain(DiagnosticCode::Yaml, placed(at), message, help);
                        return None;
                    }
                    // Someone who typed a value into a field need not know YAML, so the message avoids the term.
                    let (message, help) = match Place::whole_file(self.path).is_in_file() {
                        true => (
                            "this is not YAML",
                            "check the quotes, brackets and indentation here and one line above",
                        ),
                        false => ("this can't be read", "check the quotes and brackets"),
                    };
                    match yaml_mistake(self.text, placed(at), &fault.to_string()) {
                        Some(YamlMistake {
                            span,
                            message,
                            mended,
                        }) => {
                            let mended = MendedLine {
                                line: span.line,
                                was: self
                                    .text
                                    .lines()
                                    .nth(span.line - 1)
                                    .unwrap_or_default()
                                    .into(),
                                now: mended,
                            };
                            self.push(|reader| {
                                reader
                                    .complaint(DiagnosticCode::Yaml, span, message)
                                    .with_help(format!("write `{}`", mended.now))
                                    .with_fix(Fix::Line(mended))
                            });
                        }
                        None => self.complain(
                            DiagnosticCode::Yaml,
                            placed(at),
                            format!("{message}: {fault}"),
                            help,
                        ),
                    }
                    return None;
                }
            };
            let span = placed(at);
            if anchor {
                self.complain(
                    DiagnosticCode::Yaml,
                    span,
                    "anchors and aliases are not used here",
                    "write the value out",
                );
            }
            if tag {
                let help = "take the tag off; numbers and words are recognized without it";
                self.complain(
                    DiagnosticCode::Yaml,
                    span,
                    "tags such as `!!int` are not used here",
                    help,
                );
            }
            let node = match event {
                YamlEvent::DocumentStart => {
                    documents += 1;
                    if documents == 2 {
                        let help = "put it in a file of its own, or take the `---` out";
                        self.complain(
                            DiagnosticCode::Yaml,
                            span,
                            "a second document begins here, and one file holds one",
                            help,
                        );
                    }
                    continue;
                }
                YamlEvent::Scalar(text, plain) => {
                    if has_invisible(&text) && text.contains(|c| is_invisible(c) && c != '\t') {
                        let message = format!(
                            "`{}` holds a character that can't be seen",
                            escape_invisible(&text)
                        );
                        self.complain(
                            DiagnosticCode::Yaml,
                            span,
                            message,
                            "take it out: a terminal would carry it out instead of showing it",
                        );
                    }
                    if plain && is_ambiguous_scalar(&text) {
                        let (quoted, message) = (
                            format!("\"{text}\""),
                            format!(
                                "`{text}` must be in quotes: YAML readers take it for something else"
                            ),
                        );
                        self.complain_with_fix(
                            DiagnosticCode::Quotes,
                            span,
                            message,
                            format!("write it in quotes: {quoted}"),
                            &quoted,
                        );
                    }
                    YamlNode {
                        span,
                        value: YamlValue::Scalar(text, plain),
                    }
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
                    Some(OpenNode {
                        span,
                        first_child: start,
                        is_map: true,
                        ..
                    }) => YamlNode {
                        span,
                        value: YamlValue::Map(entries.drain(start..).collect()),
                    },
                    Some(OpenNode {
                        span,
                        first_child: start,
                        ..
                    }) => YamlNode {
                        span,
                        value: YamlValue::List(items.drain(start..).collect()),
                    },
                    None => continue,
                },
                YamlEvent::Alias => {
                    self.complain(
                        DiagnosticCode::Yaml,
                        span,
                        "anchors and aliases are not used here",
                        "write the value out",
                    );
                    YamlNode {
                        span,
                        value: YamlValue::Scalar(String::new(), false),
                    }
                }
            };
            let Some(open_node) = stack.last_mut() else {
                root.get_or_insert(node);
                continue;
            };
            if !open_node.is_map {
                items.push(node);
                continue;
            }
            let Some(key) = open_node.pending_key.take() else {
                open_node.pending_key = Some(node);
                continue;
            };
            match key
                .as_text()
                .and_then(|key| open_node.find_duplicate(&entries[open_node.first_child..], key))
            {
                None => entries.push((key, node)),
                Some(first) => {
                    let message = format!("`{}` is here twice", key.as_text().unwrap_or_default());
                    self.push(|reader| {
                        reader
                            .complaint(DiagnosticCode::KeyTwice, key.span, message)
                            .with_help("keep one of the two")
                            .with_related(reader.place(first), "the first")
                    });
                }
            }
        }
        let empty = |node: &YamlNode| matches!(&node.value, YamlValue::Scalar(text, true) if text.is_empty());
        if root.as_ref().is_none_or(empty) {
            let place = Place::whole_file(self.path);
            let complaint = Complaint::new(DiagnosticCode::EmptyFile, place, "this file is empty")
                .with_context(self.context.as_str());
            self.complaints
                .push(complaint.with_help("fill it in, or remove it"));
            return None;
        }
        root
    }

    /// Whether a line begins a list, and the line above it a value of its own.
    fn begins_list_without_key(&self, line: usize) -> bool {
        let lines = || {
            self.text
                .lines()
                .map(|line| line.strip_prefix("//!").unwrap_or(line).trim())
        };
        let is_item = lines()
            .nth(line.saturating_sub(1))
            .is_some_and(|line| line.starts_with("- "));
        let above = lines()
            .take(line.saturating_sub(1))
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .last();
        let is_complete = |line: &str| {
            let (key, value) = line.split_once(": ").unwrap_or_default();
            !key.is_empty() && !key.contains(['"', '-']) && !value.starts_with(['[', '{', '>', '|'])
        };
        is_item && above.is_some_and(is_complete)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &str {
        self.path
    }

    /// Creates a complaint at a position in this file.
    pub fn complaint(
        &self,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<Message>,
    ) -> Complaint {
        Complaint::new(code, self.place(span), message).with_context(self.context.as_str())
    }

    /// Returns the place of a span in the file; its lines are looked for once.
    pub fn place(&self, span: Span) -> Place {
        let lines = self.lines.get_or_init(|| self.text.lines().collect());
        Place::from_line(
            self.path,
            lines
                .get(span.line.saturating_sub(1))
                .copied()
                .unwrap_or_default(),
            span,
        )
    }

    /// Records a complaint.
    pub fn complain(
        &mut self,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<Message>,
        help: impl Into<String>,
    ) {
        self.push(|reader| reader.complaint(code, span, message).with_help(help));
    }

    /// Records a complaint of a defect.
    pub fn report(&mut self, span: Span, defect: Defect) {
        self.complain(defect.code, span, defect.message, defect.help);
    }

    /// Records a complaint whose remedy is another text in its place.
    pub fn complain_with_fix(
        &mut self,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<Message>,
        help: impl Into<String>,
        text: &str,
    ) {
        self.push(|reader| {
            reader
                .complaint(code, span, message)
                .with_help(help)
                .with_fix(Fix::Replace(text.into()))
        });
    }

    pub(super) fn push(&mut self, complaint: impl FnOnce(&YamlReader) -> Complaint) {
        // A file with one systematic error pays for the complaints that are kept only.
        if !self.complaints.count_if_full(self.path, Severity::Error) {
            let complaint = complaint(self);
            self.complaints.push(complaint);
        }
    }

    /// Notes words without quotes that other YAML readers take for true and false, where a word is meant.
    pub fn note_flag_words(&mut self, node: &YamlNode) {
        for item in node.items() {
            let YamlValue::Scalar(text, true) = &item.value else {
                continue;
            };
            if ["yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str()) {
                let quoted = format!("\"{text}\"");
                let message = format!(
                    "`{text}` is a word here; other readers of YAML take it for true or false"
                );
                let note = self
                    .complaint(DiagnosticCode::Quotes, item.span, message)
                    .with_help(format!("write it in quotes: {quoted}"));
                self.complaints
                    .push(note.with_fix(Fix::Replace(quoted)).into_note());
            }
        }
    }
}

/// Returns whether some YAML reader would convert this unquoted text: 0130 to 130, 9.10 to 9.1, 3:1 to 181.
fn is_ambiguous_scalar(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let numeric = |c: char| c.is_ascii_digit() || ".,:_/+-eExo".contains(c);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !text.chars().all(numeric)
        || digits.starts_with("..")
    {
        return false;
    }
    let is_integer = digits.chars().all(|c| c.is_ascii_digit());
    // All YAML readers keep a fraction as text.
    let digits_alone = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if text
        .split_once('/')
        .is_some_and(|(numerator, denominator)| {
            digits_alone(numerator) && digits_alone(denominator)
        })
    {
        return false;
    }
    // All YAML readers agree on a whole number without sign or leading zeros.
    let plain = is_integer && !text.starts_with('+') && (digits == "0" || !digits.starts_with('0'));
    !plain
}
