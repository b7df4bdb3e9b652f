//! Changes of a layer to a situation, roster or deployment below: each sets, adds or takes away the value at a path.

use crate::complaint::{Complaints, DiagnosticCode, Place, Span, did_you_mean};
use crate::data::file::DataFile;
use crate::data::format::scenario::{ENTRY_KEYS, OF_THE_FILE, OF_THE_RULES, PIECE, SITUATION};
use crate::data::manifest::Game;
use crate::data::piece::{
    PieceEntry, check_piece_value, datum_text, read_named_piece, read_piece_datum,
};
use crate::data::scenario::Scenario;
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
    now: YamlNode,
    pub status: Status,
    /// Option of the variant that switches it.
    pub option: Option<String>,
    /// Position of the key.
    key_span: Span,
    /// Position of the entry of `changes:`.
    entry_span: Span,
    pub file: DataFile,
    pub layer: Arc<str>,
}

/// Returns the value of a figure of a piece in the rosters of a situation.
pub type RosterFigures<'a> = &'a dyn Fn(&str, &str) -> Option<String>;

/// Keys by which an entry of `changes:` names what it changes, and the lists that hold it.
const TARGETS: [(&str, &[&str]); 3] = [
    ("piece", &["pieces"]),
    ("place", &["map", "places"]),
    ("side", &["map", "sides"]),
];

/// New values that take away what is there.
const REMOVALS: [&str; 2] = ["absent", "deleted"];

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
    fn new_value(&self) -> Option<&YamlNode> {
        let is_removal = |now: &str| REMOVALS.contains(&now);
        Some(&self.now).filter(|now| !now.as_text().is_some_and(is_removal))
    }

    /// Returns whether the change applies to the old value. Complains if `was` is not that value, and notes a change that is made already.
    fn applies_to(&self, old: Option<&str>, reader: &mut YamlReader) -> bool {
        let now = self.new_value().map(inline_text);
        if old == now.as_deref() {
            let what = "the layer below has this already, so the change does nothing";
            let note = reader.complaint(DiagnosticCode::Already, self.now.span, what);
            reader.complaints.push(note.into_note());
            return false;
        }
        let was = self.was.as_ref().map(inline_text);
        if was.as_deref().filter(|was| !ABSENCES.contains(was)) == old {
            return true;
        }
        let (old, now) = (old.unwrap_or("missing"), now.unwrap_or_default());
        let fix = write_figure(old);
        let (said, fix, help) = match was {
            Some(was) => (format!("was: {was}"), fix.clone(), format!("was: {fix}")),
            None => {
                let change = format!("{{ was: {fix}, now: {} }}", write_figure(&now));
                (now, change.clone(), change)
            }
        };
        let subject = path_label(&self.path, "`");
        let what = format!("`{said}` does not match: the layer below has {old} for the {subject}");
        let help = format!("write `{help}` if the change is meant for that value");
        let span = self.was.as_ref().unwrap_or(&self.now).span;
        reader.complain_with_fix(DiagnosticCode::WasNow, span, what, help, &fix);
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
fn inline_text(node: &YamlNode) -> String {
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

impl Scenario {
    /// Applies the changes of a later layer to this list. `below` is the list as that layer knows it.
    pub fn amend(
        &self,
        below: &Scenario,
        newer: &Scenario,
        (game, rated): (&Game, RosterFigures),
        complaints: &mut Complaints,
    ) -> Scenario {
        let mut reader = YamlReader::for_file(&newer.file);
        reader.context = format!("{} of {}", newer.name, newer.layer);
        let mut merged = self.clone();
        for change in &newer.changes {
            match change.path.get(1) {
                Some(name) if change.is_of_piece() => {
                    if change.path.len() == 2 && change.new_value().is_some() {
                        merged.add_piece(below, name, change, game, &mut reader);
                    } else {
                        merged.change_piece(below, name, change, (game, rated), &mut reader);
                    }
                }
                _ => merged.change_value(below, change.clone(), &mut reader),
            }
        }
        if merged.changed.len() > self.changed.len() {
            let mut again = YamlReader::for_file(&newer.file);
            merged.reread(game, &mut again);
            // Each value was checked where its file was read; together they may be too many cards.
            again
                .complaints
                .0
                .retain(|complaint| complaint.code == DiagnosticCode::Deck);
            complaints.0.append(&mut again.complaints.0);
        }
        complaints.0.append(&mut reader.complaints.0);
        merged
    }

    /// Returns the text of a value outside the pieces.
    pub fn value_at(&self, path: &[String]) -> Option<String> {
        self.root.at(path).map(inline_text)
    }

    /// Reads the values outside the pieces again.
    fn reread(&mut self, game: &Game, reader: &mut YamlReader) {
        let root = self.root.clone();
        self.read_values(&root, game, reader);
    }

    /// Takes a value outside the pieces from another form of the list.
    pub fn take_value(&mut self, path: &[String], other: &Scenario, game: &Game) {
        self.root.set_at(path, other.root.at(path));
        let changes = other.changed.iter().filter(|change| change.path == path);
        self.changed.extend(changes.cloned());
        self.reread(game, &mut YamlReader::new("", ""));
    }

    /// Returns the place of a span within a value outside the pieces: in the file that wrote it last.
    pub fn place_of(&self, path: &[&str], span: Span) -> Place {
        let wrote = |change: &&ListChange| {
            change.path.iter().zip(path).all(|(a, b)| a == b) && has_span(&change.now, span)
        };
        let written = self.changed.iter().rev().find(wrote);
        let file = written.map_or(&self.file, |change| &change.file);
        Place::from_text(&file.path, &file.text, span)
    }

    /// Changes a value outside the pieces.
    fn change_value(&mut self, below: &Scenario, mut change: ListChange, reader: &mut YamlReader) {
        // The layer below may name a side the other way round.
        if let Some(turned) = change.path.get(2).and_then(|name| turned(name))
            && let Some(list) = below.root.at(&change.path[..2])
            && list.get(&turned).is_some()
        {
            change.path[2] = turned;
        }
        if change.applies_to(below.value_at(&change.path).as_deref(), reader) {
            change.apply(&mut self.root);
            self.changed.push(change);
        }
    }

    /// Changes a figure of a piece, or takes the piece away.
    fn change_piece(
        &mut self,
        below: &Scenario,
        name: &str,
        change: &ListChange,
        (game, rated): (&Game, RosterFigures),
        reader: &mut YamlReader,
    ) {
        let Some(known) = below.pieces.iter().find(|piece| piece.name == name) else {
            let names = below.pieces.iter().map(|piece| piece.name.as_str());
            let what = format!("the layer below has no piece `{name}`");
            let help = "write `was: absent` and `now: { ... }` to add one";
            let what = did_you_mean(what, name, names);
            return reader.complain(DiagnosticCode::WasNow, change.entry_span, what, help);
        };
        let Some(key) = change.path.get(2) else {
            if change.applies_to(Some("present"), reader) {
                self.pieces.retain(|piece| piece.name != *name);
            }
            return;
        };
        let own = known.attributes.get(key).map(datum_text);
        let old = own.clone().or_else(|| rated(name, key));
        // Unreadable values are reported where they stand.
        if !known.is_unreadable(key) && !change.applies_to(old.as_deref(), reader) {
            return;
        }
        // Another layer may have removed the piece.
        let Some(entry) = self.pieces.iter_mut().find(|piece| piece.name == name) else {
            return;
        };
        entry.path = Arc::from(reader.path());
        let Some(now) = change.new_value() else {
            if own.is_none() {
                let what = format!("the {key} of `{name}` comes from a roster");
                let help = "change it in a file for the roster";
                reader.complain(DiagnosticCode::WasNow, change.now.span, what, help);
            }
            entry.attributes.remove(key);
            return;
        };
        check_piece_value(key, now, game, reader);
        if let Some(datum) = read_piece_datum(key, change.key_span, now, game, reader) {
            entry.attributes.insert(key.clone(), datum);
            entry.status_by_figure.insert(key.clone(), change.status);
            entry.set_location(key, entry.path.clone(), now.span);
        }
    }

    /// Adds a piece. Notes one that is there already, and complains of one that is there with other figures.
    fn add_piece(
        &mut self,
        below: &Scenario,
        name: &str,
        change: &ListChange,
        game: &Game,
        reader: &mut YamlReader,
    ) {
        let node = &change.now;
        if !matches!(node.value, YamlValue::Map(_)) {
            return reader.check_keys(node, &PIECE.key_names());
        }
        for (key, value) in node.entries() {
            check_piece_value(key.text_or_empty(), value, game, reader);
        }
        let Some(entry) = read_named_piece(name, node, change.status, game, reader) else {
            return;
        };
        let Some(known) = below.pieces.iter().find(|piece| piece.name == name) else {
            self.pieces.retain(|piece| piece.name != name);
            return self.pieces.push(entry);
        };
        let is_other = |key: &&String| known.attributes.get(*key) != entry.attributes.get(*key);
        let mut keys = known.attributes.keys().chain(entry.attributes.keys());
        let Some(key) = keys.find(is_other) else {
            let what = format!("`{name}` is in the layer below already: incorporated");
            let note = reader.complaint(DiagnosticCode::Already, entry.span, what);
            return reader.complaints.push(note.into_note());
        };
        let text = |piece: &PieceEntry| {
            let datum = piece.attributes.get(key);
            datum.map_or("missing".into(), datum_text)
        };
        let (was, now) = (text(known), text(&entry));
        reader.complain(
            DiagnosticCode::WasNow,
            entry.span,
            format!("the layer below has `{name}` already, with the {key} {was}, and not {now}"),
            format!("write `{key}: {{ was: {was}, now: {now} }}` if the piece is to change"),
        );
    }
}

/// Returns whether a node of a tree has a position.
fn has_span(node: &YamlNode, span: Span) -> bool {
    let is_below =
        |(key, value): &(YamlNode, YamlNode)| has_span(key, span) || has_span(value, span);
    let is_item = |items: &[YamlNode]| items.iter().any(|item| has_span(item, span));
    node.span == span
        || node.entries().iter().any(is_below)
        || matches!(&node.value, YamlValue::List(items) if is_item(items))
}

/// Returns the name of a side the other way round.
fn turned(name: &str) -> Option<String> {
    name.split_once('/').map(|(a, b)| format!("{b}/{a}"))
}

/// Returns whether a node says what was there and what is there now.
fn is_change(node: &YamlNode) -> bool {
    node.get("was").is_some() || node.get("now").is_some()
}

/// Reads the changes that a file of a variant makes to the layer below.
pub fn read_changes(
    root: &YamlNode,
    (file, layer): (&DataFile, &Arc<str>),
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
            let mut known: Vec<_> = targets.chain(ENTRY_KEYS).collect();
            let values_known = SITUATION.key_names().into_iter();
            known.extend(values_known.filter(|key| !OF_THE_FILE.contains(key)));
            reader.check_keys(entry, &known);
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
        let what = format!("`{top}:` can't be changed here");
        return reader.complain(DiagnosticCode::UnknownKey, key.span, what, why);
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
            let what = "a change says what was there and what is there now";
            let help = "write `{ was: ..., now: ... }`";
            return reader.complain(DiagnosticCode::WasNow, node.span, what, help);
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
pub fn refuse_status(node: &YamlNode, what: &str, reader: &mut YamlReader) {
    let span = node.get("status").map_or(node.span, |status| status.span);
    reader.complain(
        DiagnosticCode::Status,
        span,
        format!("{what}, so its status says nothing"),
        "take the status away",
    );
}
