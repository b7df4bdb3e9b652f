//! Changes of a layer to a situation, roster or deployment below: each sets, adds or takes away the value at a path.

use crate::complaint::{DiagnosticCode, Span};
use crate::data::file::DataFile;
use crate::data::format::scenario::{ENTRY_KEYS, OF_THE_FILE, OF_THE_RULES, SITUATION};
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::data::yaml_writer::write_figure;
use std::sync::Arc;

/// A change to one value of a list.
#[derive(Clone, Debug)]
pub struct ListChange {
    /// Keys from the top: `tracks` and a track; `pieces`, a name and a figure; `map`, `places`, a name and a feature.
    pub path: Vec<String>,
    /// The value below, if the file says it.
    pub was: Option<YamlNode>,
    /// The new value, or a word of [`REMOVALS`].
    pub now: YamlNode,
    pub status: Status,
    /// Option of the variant that switches it.
    pub option: Option<String>,
    /// Position of the key.
    pub key_span: Span,
    /// Position of the entry of `changes:`.
    pub entry_span: Span,
    pub file: DataFile,
    pub layer: Arc<str>,
}

/// Returns the value of a figure of a piece in the rosters of a situation.
pub type RosterFigures<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// Keys by which an entry of `changes:` names what it changes, and the lists that hold it.
pub const TARGETS: [(&str, &[&str]); 3] = [
    ("piece", &["pieces"]),
    ("place", &["map", "places"]),
    ("side", &["map", "sides"]),
];

/// New values that take away what is there.
pub const REMOVALS: [&str; 2] = ["absent", "deleted"];

/// Old values that say that nothing is there.
const ABSENCES: [&str; 2] = ["absent", "missing"];

impl ListChange {
    /// Returns the position of the new value.
    pub fn span(&self) -> Span {
        self.now.span
    }

    /// Returns the new value on one line.
    pub fn value(&self) -> String {
        inline_text(&self.now)
    }

    /// Returns whether both change the same value, or one of them what the other is a part of.
    pub fn overlaps(&self, other: &ListChange) -> bool {
        let mut keys = self.path.iter().zip(&other.path);
        keys.all(|(a, b)| a == b || turned(a).as_ref() == Some(b))
    }

    /// Returns whether both set the same value.
    pub fn agrees_with(&self, other: &ListChange) -> bool {
        self.overlaps(other) && (self.path.len(), self.value()) == (other.path.len(), other.value())
    }

    /// Returns whether it changes a piece.
    pub fn is_of_piece(&self) -> bool {
        self.path[0] == "pieces"
    }

    /// Makes the change in a tree.
    pub fn apply(&self, root: &mut YamlNode) {
        root.set_at(&self.path, self.new_value());
    }

    /// Returns the new value; `None` if the change takes away what is there.
    pub fn new_value(&self) -> Option<&YamlNode> {
        let is_removal = |now: &str| REMOVALS.contains(&now);
        Some(&self.now).filter(|now| !now.as_text().is_some_and(is_removal))
    }

    /// Returns whether the change applies to the old value. Complains if `was` is not that value, and notes a change that is made already.
    pub fn applies_to(&self, old: Option<&str>, reader: &mut YamlReader) -> bool {
        let now = self.new_value().map(inline_text);
        if old == now.as_deref() {
            let message = "the layer below has this already, so the change does nothing";
            let note = reader.complaint(DiagnosticCode::Already, self.now.span, message);
            reader.complaints.push(note.into_note());
            return false;
        }
        let was = self.was.as_ref().map(inline_text);
        if was.as_deref().filter(|was| !ABSENCES.contains(was)) == old {
            return true;
        }
        let (old, now) = (old.unwrap_or("missing"), now.unwrap_or_default());
        let fix = write_figure(old);
        let (stated, fix, help) = match was {
            Some(was) => (format!("was: {was}"), fix.clone(), format!("was: {fix}")),
            None => {
                let change = format!("{{ was: {fix}, now: {} }}", write_figure(&now));
                (now, change.clone(), change)
            }
        };
        let subject = path_label(&self.path, "`");
        let message =
            format!("`{stated}` does not match: the layer below has {old} for the {subject}");
        let help = format!("write `{help}` if the change is meant for that value");
        let span = self.was.as_ref().unwrap_or(&self.now).span;
        reader.complain_with_fix(DiagnosticCode::WasNow, span, message, help, &fix);
        false
    }
}

/// Names a value by the keys that lead to it, with a sign around the name.
pub fn path_label(path: &[String], quote: &str) -> String {
    match path {
        [list, name] if list == "pieces" => name.clone(),
        [list, .., name, key] if ["pieces", "map"].contains(&list.as_str()) => {
            format!("{key} of {quote}{name}{quote}")
        }
        _ => format!("{quote}{}{quote}", path.join(": ")),
    }
}

/// Formats a tree on one line.
pub fn inline_text(node: &YamlNode) -> String {
    if let Some(text) = node.as_text() {
        return text.into();
    }
    let pair = |(key, value): &(YamlNode, YamlNode)| {
        format!("{}: {}", inline_text(key), inline_text(value))
    };
    let mut parts: Vec<String> = node.entries().iter().map(pair).collect();
    parts.sort();
    if let YamlValue::List(items) = &node.value {
        parts = items.iter().map(inline_text).collect();
    }
    parts.join(", ")
}

/// Returns whether a node of a tree has a position.
pub fn has_span(node: &YamlNode, span: Span) -> bool {
    let is_below =
        |(key, value): &(YamlNode, YamlNode)| has_span(key, span) || has_span(value, span);
    let is_item = |items: &[YamlNode]| items.iter().any(|item| has_span(item, span));
    node.span == span
        || node.entries().iter().any(is_below)
        || matches!(&node.value, YamlValue::List(items) if is_item(items))
}

/// Returns the name of a side the other way round.
pub fn turned(name: &str) -> Option<String> {
    name.split_once('/').map(|(a, b)| format!("{b}/{a}"))
}

/// Returns whether a node says what was there and what is there now.
fn is_change(node: &YamlNode) -> bool {
    node.get("was").is_some() || node.get("now").is_some()
}

/// Reads the changes that a file of a variant makes to the layer below.
pub fn read_changes(
    root: &YamlNode,
    file: &DataFile,
    layer: &Arc<str>,
    reader: &mut YamlReader,
) -> Vec<ListChange> {
    let blank = ListChange {
        path: Vec::new(),
        was: None,
        now: YamlNode {
            span: root.span,
            value: YamlValue::Map(Vec::new()),
        },
        status: root.word_of("status", &Status::NAMES).unwrap_or_default(),
        option: None,
        key_span: root.span,
        entry_span: root.span,
        file: file.clone(),
        layer: layer.clone(),
    };
    let mut changes = Vec::new();
    for (key, value) in root.entries() {
        let name = key.text_or_empty();
        let is_of_file = OF_THE_FILE.contains(&name) || ["title", "text"].contains(&name);
        if SITUATION.key(name).is_some() && (is_change(value) || !is_of_file) {
            collect(&blank, (key, value), &mut changes, reader);
        }
    }
    for entry in root.items_of("changes") {
        let stated = entry.word_of("status", &Status::NAMES);
        let mut above = ListChange {
            status: stated.unwrap_or_default(),
            option: entry.optional_text_of("option"),
            entry_span: entry.span,
            ..blank.clone()
        };
        let target = TARGETS.iter().find(|(key, _)| entry.get(key).is_some());
        let is_value = |(key, _): &&(YamlNode, YamlNode)| {
            let key = key.text_or_empty();
            !ENTRY_KEYS.contains(&key) && target.is_none_or(|(target, _)| *target != key)
        };
        let values: Vec<_> = entry.entries().iter().filter(is_value).cloned().collect();
        let Some((key, lists)) = target else {
            let targets = TARGETS.iter().map(|(key, _)| *key);
            let mut keys: Vec<_> = targets.chain(ENTRY_KEYS).collect();
            let values_known = SITUATION.key_names().into_iter();
            keys.extend(values_known.filter(|key| !OF_THE_FILE.contains(key)));
            reader.check_keys(entry, &keys);
            for (key, value) in &values {
                collect(&above, (key, value), &mut changes, reader);
            }
            continue;
        };
        if stated.is_some() && values.is_empty() {
            refuse_status(entry, "the change changes no feature", reader);
            continue;
        }
        above.path = lists.iter().map(|list| list.to_string()).collect();
        let (name, span) = (entry.get(key).unwrap_or(entry), entry.span);
        let value = YamlValue::Map(values);
        collect(
            &above,
            (name, &YamlNode { span, value }),
            &mut changes,
            reader,
        );
    }
    changes
}

/// Collects the changes below a key. `above` has the path of what holds the key.
fn collect(
    above: &ListChange,
    (key, node): (&YamlNode, &YamlNode),
    changes: &mut Vec<ListChange>,
    reader: &mut YamlReader,
) {
    let mut change = above.clone();
    change.key_span = key.span;
    change.path.push(key.text_or_empty().into());
    let (depth, top) = (change.path.len(), change.path[0].as_str());
    let refused = match top {
        top if OF_THE_FILE.contains(&top) => Some("it is said of this file itself"),
        top if OF_THE_RULES.contains(&top) => Some(
            "it chooses the rules before a variant applies: set options and readings under `changes:` in the variant.yaml",
        ),
        "pieces" if depth == 1 && is_change(node) => {
            Some("each piece changes by itself: write an entry for it under `changes:`")
        }
        "map" if depth < 4 && is_change(node) || depth == 3 && node.entries().is_empty() => {
            Some("write `{ was: ..., now: ... }` for each feature of a place or side")
        }
        _ => None,
    };
    if let Some(why) = refused {
        let message = format!("`{top}:` can't be changed here");
        return reader.complain(DiagnosticCode::UnknownKey, key.span, message, why);
    }
    if top == "pieces" && depth == 1 {
        for item in node.items() {
            if let Some(name) = item.optional_text_of("name") {
                let mut change = change.clone();
                change.path.push(name);
                change.now = item.clone();
                changes.push(change);
            }
        }
        return;
    }
    if is_change(node) {
        reader.check_keys(node, &["was", "now"]);
        let (Some(was), Some(now)) = (node.get("was"), node.get("now")) else {
            let message = "a change says what was there and what is there now";
            let help = "write `{ was: ..., now: ... }`";
            return reader.complain(DiagnosticCode::WasNow, node.span, message, help);
        };
        (change.was, change.now) = (Some(was.clone()), now.clone());
        return changes.push(change);
    }
    let YamlValue::Map(entries) = &node.value else {
        change.now = node.clone();
        return changes.push(change);
    };
    let is_map = top == "map";
    if let Some(status) = node.word_of("status", &Status::NAMES).filter(|_| is_map) {
        change.status = status;
    }
    for (key, value) in entries {
        if !(is_map && ["status", "note"].contains(&key.text_or_empty())) {
            collect(&change, (key, value), changes, reader);
        }
    }
}

/// Complains of the `status:` of a node that gives nothing with a status.
pub fn refuse_status(node: &YamlNode, reason: &str, reader: &mut YamlReader) {
    let span = node.get("status").map_or(node.span, |status| status.span);
    reader.complain(
        DiagnosticCode::Status,
        span,
        format!("{reason}, so its status says nothing"),
        "take the status away",
    );
}
