//! Situations, rosters and deployments (lists of pieces), and amendments to them.

use crate::complaint::{Complaints, DiagnosticCode, did_you_mean, unknown_name};
use crate::data::case::{CaseKind, SourceRef, read_sources};
use crate::data::deck_contents::DeckContents;
use crate::data::files::DataFile;
use crate::data::format::{FieldType, scenario};
use crate::data::manifest::Game;
use crate::data::piece::{
    Datum, Features, PieceEntry, check_piece_value, datum_text, read_features, read_named_piece,
    read_piece, read_piece_datum, read_track_datum,
};
use crate::data::reference_kind::ReferenceKind;
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Kind of a scenario file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// A situation: the input of a procedure.
    Situation,
    /// Figures of pieces, shared by situations.
    Roster,
    /// Start positions of pieces.
    Deployment,
}

impl ListKind {
    /// Returns the first key of a file of this kind.
    pub fn as_str(self) -> &'static str {
        match self {
            ListKind::Situation => "situation",
            ListKind::Roster => "roster",
            ListKind::Deployment => "deployment",
        }
    }
}

/// A parsed scenario file; in a variant, possibly only changes to one.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name, equal to the file name.
    pub name: String,
    /// Situation, roster or deployment.
    pub list_kind: ListKind,
    pub title: String,
    /// Effect on the layer below.
    pub kind: CaseKind,
    /// Variant option that enables the file.
    pub option: Option<String>,
    /// Citations.
    pub sources: Vec<SourceRef>,
    /// Method behind the reconstructed figures.
    pub method: String,
    /// Default variants when the command line names none.
    pub variants: Option<Vec<String>>,
    /// Procedure to run.
    pub procedure: Option<String>,
    /// Whether the sequence of play continues after the procedure until the game ends.
    pub is_game: bool,
    /// Current phase of a game, if its procedure belongs to several.
    pub phase: Option<String>,
    /// What each side of a game has to do to win.
    pub aims: BTreeMap<String, String>,
    /// How long a game is.
    pub length: String,
    /// The style by which the computer plays each side, and what was measured of it.
    pub computer: BTreeMap<String, (String, String)>,
    /// Rosters to take figures from.
    pub used_lists: Vec<String>,
    /// Positions of the tracks.
    pub tracks: BTreeMap<String, Datum>,
    /// Where the cards of the stocks lie, by stock.
    pub decks: BTreeMap<String, DeckContents>,
    pub places: BTreeMap<String, Features>,
    /// Features of the sides between places.
    pub sides: BTreeMap<(String, String), Features>,
    pub pieces: Vec<PieceEntry>,
    /// Tree of the file without pieces and changes: input of the procedure, answers to choices.
    pub root: YamlNode,
    /// Changes to a lower layer's list.
    pub changes: Vec<YamlNode>,
    /// Values set by hand, which are in no file: name and value.
    pub set: Vec<(String, String)>,
    pub file: DataFile,
    pub layer: Arc<str>,
}

impl Scenario {
    /// Parses a scenario file.
    pub fn read(
        file: &DataFile,
        layer: &Arc<str>,
        game: &Game,
        complaints: &mut Complaints,
    ) -> Option<Scenario> {
        let mut reader = YamlReader::for_file(file);
        reader.context = format!("{} of {layer}", file.stem());
        let read = reader
            .parse_file()
            .and_then(|root| Scenario::read_with(root, file, layer, game, &mut reader));
        complaints.0.append(&mut reader.complaints.0);
        read
    }

    /// Returns whether the file is complete in itself, not an amendment.
    pub fn is_standalone(&self) -> bool {
        matches!(self.kind, CaseKind::Rule | CaseKind::NewCase)
    }

    fn read_with(
        mut root: YamlNode,
        file: &DataFile,
        layer: &Arc<str>,
        game: &Game,
        reader: &mut YamlReader,
    ) -> Option<Scenario> {
        reader.check(&root, &scenario::SITUATION);
        game.places.name_places(&mut root);
        // Variants, procedures, options and documents are known where all layers are.
        let is_known_here =
            |kind| !matches!(kind, ReferenceKind::Procedure | ReferenceKind::Document);
        let names = |kind, text: &str| {
            game.unknown_name(kind, text)
                .filter(|_| is_known_here(kind))
        };
        reader.check_names(&root, FieldType::Object(&scenario::SITUATION), &names);
        let list_kinds = [ListKind::Situation, ListKind::Roster, ListKind::Deployment];
        let Some((key, list_kind)) = list_kinds
            .into_iter()
            .map(|kind| (kind.as_str(), kind))
            .find(|(key, _)| root.get(key).is_some())
        else {
            reader.complain(
                DiagnosticCode::MissingKey,
                root.span,
                "this file does not say what it is",
                "begin with `situation:`, `roster:` or `deployment:` and its name",
            );
            return None;
        };
        let name = file.stem().to_string();
        if let Some(stated_name) = root.get(key)
            && stated_name.as_text() != Some(&name)
        {
            let what = format!(
                "the file is called `{name}`, the {key} `{}`",
                stated_name.text_or_empty()
            );
            reader.complain_with_fix(
                DiagnosticCode::Name,
                stated_name.span,
                what,
                format!("write `{key}: {name}`, or rename the file"),
                &name,
            );
        }
        let status = root.word_of("status", &Status::NAMES).unwrap_or_default();
        let mut scenario = Scenario {
            name,
            list_kind,
            title: root.text_of("title").into(),
            kind: root
                .word_of("kind", &CaseKind::NAMES)
                .unwrap_or(CaseKind::Rule),
            option: root.optional_text_of("option"),
            sources: read_sources(&root),
            method: root.text_of("method").into(),
            variants: root.get("with").map(YamlNode::texts),
            procedure: root.optional_text_of("procedure"),
            is_game: root.is_set("goes_on"),
            phase: root.optional_text_of("phase"),
            aims: root.named_texts_of("aims").collect(),
            length: root.text_of("length").into(),
            computer: BTreeMap::new(),
            used_lists: root.texts_of("uses"),
            tracks: BTreeMap::new(),
            decks: BTreeMap::new(),
            places: BTreeMap::new(),
            sides: BTreeMap::new(),
            pieces: Vec::new(),
            changes: root
                .get("changes")
                .map(|n| n.items().to_vec())
                .unwrap_or_default(),
            set: Vec::new(),
            file: file.clone(),
            layer: layer.clone(),
            // The tree is moved here after parsing.
            root: YamlNode {
                span: root.span,
                value: YamlValue::Map(Vec::new()),
            },
        };
        scenario.read_computer(&root, game, reader);
        scenario.read_tracks(&root, game, reader);
        scenario.read_decks(&root, game, reader);
        scenario.read_map(&root, status, game, reader);
        let mut names = HashSet::new();
        for item in root.items_of("pieces") {
            if let Some(entry) = read_piece(item, status, game, reader) {
                if !names.insert(entry.name.clone()) {
                    reader.complain(
                        DiagnosticCode::KeyTwice,
                        item.span,
                        format!("two pieces are called `{}`", entry.name),
                        "give each its own name",
                    );
                }
                scenario.pieces.push(entry);
            }
        }
        let features = || scenario.places.values().chain(scenario.sides.values());
        let reconstructed = status == Status::Reconstructed
            || features().any(|features| features.status == Status::Reconstructed);
        if reconstructed && scenario.method.is_empty() {
            reader.complain(
                DiagnosticCode::Method,
                root.span,
                "this file has reconstructed figures and states no method",
                "say under `method:` how the figures were made",
            );
        }
        // Parts stored in other fields are most of the tree, so they are dropped.
        if let YamlValue::Map(entries) = &mut root.value {
            entries.retain(|(key, _)| !matches!(key.as_text(), Some("pieces" | "changes")));
        }
        scenario.root = root;
        Some(scenario)
    }

    fn read_computer(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        for (side, node) in root.named_entries_of("computer") {
            let style = node.text_of("style");
            if !game.styles.iter().any(|known| known.name == style) {
                let names = game.styles.iter().map(|known| known.name.as_str());
                let what = unknown_name("style", style, names);
                let help = "name a style that the game's manifest lists under `styles:`";
                reader.complain(DiagnosticCode::UnknownName, node.span, what, help);
            }
            let measured = node.text_of("measured").to_string();
            self.computer.insert(side, (style.to_string(), measured));
        }
    }

    fn read_tracks(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        for (name, value) in root.named_entries_of("tracks") {
            let datum = game
                .tracks
                .get(&name)
                .and_then(|track| read_track_datum(&name, track, value, reader));
            self.tracks.extend(datum.map(|datum| (name, datum)));
        }
    }

    fn read_decks(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        for (name, value) in root.named_entries_of("decks") {
            if let Some((_, stock)) = game.card_stock(&name) {
                self.decks
                    .insert(name, DeckContents::read(stock, value, game, reader));
            }
        }
    }

    fn read_map(
        &mut self,
        root: &YamlNode,
        file_status: Status,
        game: &Game,
        reader: &mut YamlReader,
    ) {
        let Some(map) = root.get("map") else { return };
        let own_status = map.word_of("status", &Status::NAMES);
        let blank = Features {
            status: own_status.unwrap_or(file_status),
            path: reader.path().into(),
            ..Features::default()
        };
        let twice = |key: &YamlNode, reader: &mut YamlReader| {
            let what = format!("`{}` is here twice, by two labels", key.text_or_empty());
            reader.complain(DiagnosticCode::KeyTwice, key.span, what, "write it once");
        };
        for (key, value) in map.entries_of("places") {
            let name = key.text_or_empty();
            if !game.places.contains(name) {
                continue;
            }
            let features = Features::read(value, &game.places.attributes, &blank, reader);
            if self.places.insert(name.into(), features).is_some() {
                twice(key, reader);
            }
        }
        for (key, value) in map.entries_of("sides") {
            let text = key.text_or_empty();
            let Some((a, b)) = text.split_once('/') else {
                reader.complain(
                    DiagnosticCode::Notation,
                    key.span,
                    format!("`{text}` names no side between two places"),
                    "write it as \"C2415/C2516\"",
                );
                continue;
            };
            if !game.places.contains(text) {
                reader.complain(
                    DiagnosticCode::Notation,
                    key.span,
                    format!("`{a}` and `{b}` are not neighbouring hexes"),
                    "name two hexes that touch",
                );
                continue;
            }
            let entry = Features::read(value, &game.places.side_attributes, &blank, reader);
            self.sides.insert((a.into(), b.into()), entry.clone());
            if self.sides.insert((b.into(), a.into()), entry).is_some() {
                twice(key, reader);
            }
        }
        if own_status.is_some()
            && ["places", "sides"]
                .into_iter()
                .all(|key| map.get(key).is_none_or(|list| list.entries().is_empty()))
        {
            refuse_status(map, "the map names no place and no side", reader);
        }
    }

    /// Yields the places that its map and its changes of a map name.
    pub fn place_names(&self) -> impl Iterator<Item = &str> {
        let ends = self.sides.keys().map(|(end, _)| end.as_str());
        let changed = self
            .changes
            .iter()
            .filter_map(|change| change.get("place")?.as_text());
        self.places
            .keys()
            .map(String::as_str)
            .chain(ends)
            .chain(changed)
    }

    /// Says why a situation that uses other lists has no pieces; `None` if it has some, or uses none.
    pub fn why_without_pieces(&self) -> Option<String> {
        let used = self.used_lists.join(" and ");
        (self.pieces.is_empty() && !used.is_empty()).then(|| {
            format!(
                "no piece is on the board: `uses:` takes figures from {used} only for pieces that `pieces:` names"
            )
        })
    }

    /// Returns the words by which the list of situations finds this one, beside its name and title.
    pub fn search_words(&self) -> impl Iterator<Item = &str> {
        let also = self.root.items_of("also");
        also.iter()
            .chain(self.root.get("text"))
            .filter_map(YamlNode::as_text)
    }

    /// Applies the changes of a later layer to this list.
    pub fn amend(&self, newer: &Scenario, game: &Game, complaints: &mut Complaints) -> Scenario {
        let mut reader = YamlReader::for_file(&newer.file);
        reader.context = format!("{} of {}", newer.name, newer.layer);
        let mut merged = self.clone();
        for entry in &newer.pieces {
            merged.add_piece(entry.clone(), &mut reader);
        }
        for change in &newer.changes {
            merged.apply_change(change, game, &mut reader);
        }
        complaints.0.append(&mut reader.complaints.0);
        merged
    }

    fn apply_change(&mut self, change: &YamlNode, game: &Game, reader: &mut YamlReader) {
        if change.get("place").is_some() || change.get("side").is_some() {
            return self.apply_map_change(change, game, reader);
        }
        let status = change
            .word_of("status", &Status::NAMES)
            .unwrap_or(Status::Printed);
        let Some(name) = change.get("piece").and_then(YamlNode::as_text) else {
            if matches!(change.value, YamlValue::Map(_)) && change.get("piece").is_none() {
                reader.complain_missing(change, "piece", DiagnosticCode::MissingKey);
            }
            return;
        };
        let position = self.pieces.iter().position(|p| p.name == name);
        let now = change.get("now");
        let was = change.get("was").and_then(YamlNode::as_text);
        if was == Some("absent") {
            if let Some(mut entry) = now.and_then(|n| read_new_piece(name, n, status, game, reader))
            {
                entry.span = change.span;
                self.add_piece(entry, reader);
            }
            return;
        }
        let Some(index) = position else {
            reader.complain(
                DiagnosticCode::WasNow,
                change.span,
                did_you_mean(
                    format!("the layer below has no piece `{name}`"),
                    name,
                    self.pieces.iter().map(|p| p.name.as_str()),
                ),
                "write `was: absent` and `now: { ... }` to add one",
            );
            return;
        };
        if now.and_then(YamlNode::as_text) == Some("deleted") {
            self.pieces.remove(index);
            return;
        }
        for (key, value) in change.entries() {
            let key_text = key.text_or_empty();
            if scenario::CHANGE.key(key_text).is_some() {
                continue;
            }
            let old = self.pieces[index]
                .attributes
                .get(key_text)
                .map_or("missing".to_string(), datum_text);
            // Unreadable values are reported by the reader.
            let is_readable = !self.pieces[index].is_unreadable(key_text);
            let Some(now) = read_change(
                value,
                &old,
                is_readable,
                &format!("the {key_text} of `{name}`"),
                reader,
            ) else {
                continue;
            };
            check_piece_value(key_text, now, game, reader);
            if let Some(datum) = read_piece_datum(key_text, key.span, now, game, reader) {
                let entry = &mut self.pieces[index];
                entry.attributes.insert(key_text.into(), datum);
                entry.status_by_figure.insert(key_text.into(), status);
                entry.path = Arc::from(reader.path());
                entry.set_location(key_text, entry.path.clone(), now.span);
            }
        }
    }

    /// Adds a piece. Notes one that is there already, and complains of one that is there with other figures.
    fn add_piece(&mut self, entry: PieceEntry, reader: &mut YamlReader) {
        let Some(known) = self.pieces.iter().find(|piece| piece.name == entry.name) else {
            return self.pieces.push(entry);
        };
        let is_other = |key: &&String| known.attributes.get(*key) != entry.attributes.get(*key);
        let mut keys = known.attributes.keys().chain(entry.attributes.keys());
        let Some(key) = keys.find(is_other) else {
            let what = format!(
                "`{}` is in the layer below already: incorporated",
                entry.name
            );
            let note = reader.complaint(DiagnosticCode::Already, entry.span, what);
            return reader.complaints.push(note.into_note());
        };
        let text = |piece: &PieceEntry| {
            piece
                .attributes
                .get(key)
                .map_or("missing".into(), datum_text)
        };
        let (name, was, now) = (&entry.name, text(known), text(&entry));
        reader.complain(
            DiagnosticCode::WasNow,
            entry.span,
            format!("the layer below has `{name}` already, with the {key} {was}, and not {now}"),
            format!("write `{key}: {{ was: {was}, now: {now} }}` if the piece is to change"),
        );
    }

    /// Applies a change to the features of a place or side.
    fn apply_map_change(&mut self, change: &YamlNode, game: &Game, reader: &mut YamlReader) {
        let of_place = change.get("place").is_some();
        let name = change
            .text_of(if of_place { "place" } else { "side" })
            .to_string();
        let known_attributes = if of_place {
            &game.places.attributes
        } else {
            &game.places.side_attributes
        };
        let stated = change.word_of("status", &Status::NAMES);
        let path = Arc::from(reader.path());
        let ends = name
            .split_once('/')
            .map(|(a, b)| (a.to_string(), b.to_string()))
            .unwrap_or_default();
        let older = if of_place {
            self.places.get(&name)
        } else {
            self.sides.get(&ends)
        }
        .cloned();
        let Some(mut features) = older else {
            let what = format!("the layer below says nothing of `{name}`");
            return reader.complain(
                DiagnosticCode::WasNow,
                change.span,
                what,
                "name a place or side as the map below does",
            );
        };
        let changed: Vec<_> = change
            .entries()
            .iter()
            .filter(|(key, _)| {
                key.as_text()
                    .is_none_or(|key| scenario::MAP_CHANGE.key(key).is_none())
            })
            .collect();
        if stated.is_some() && changed.is_empty() {
            refuse_status(change, "the change changes no feature", reader);
        }
        for (key, value) in changed {
            let key_text = key.text_or_empty();
            let old = features
                .attributes
                .get(key_text)
                .map_or("missing".to_string(), datum_text);
            let Some(now) = read_change(
                value,
                &old,
                true,
                &format!("the {key_text} of `{name}`"),
                reader,
            ) else {
                continue;
            };
            let entry = YamlNode {
                span: value.span,
                value: YamlValue::Map(vec![(key.clone(), now.clone())]),
            };
            features.set(
                read_features(&entry, known_attributes, reader),
                stated.unwrap_or(Status::Printed),
                &path,
            );
        }
        if of_place {
            self.places.insert(name, features);
        } else {
            let (a, b) = ends;
            self.sides.insert((b.clone(), a.clone()), features.clone());
            self.sides.insert((a, b), features);
        }
    }
}

/// Reads a piece that a change adds.
fn read_new_piece(
    name: &str,
    node: &YamlNode,
    status: Status,
    game: &Game,
    reader: &mut YamlReader,
) -> Option<PieceEntry> {
    if !matches!(node.value, YamlValue::Map(_)) {
        reader.check_keys(node, &scenario::PIECE.key_names());
    }
    node.entries()
        .iter()
        .for_each(|(key, value)| check_piece_value(key.text_or_empty(), value, game, reader));
    read_named_piece(name, node, status, game, reader)
}

/// Returns the new value of `{ was: ..., now: ... }`. Complains if `was` is not the old value, and notes a change that is made already.
fn read_change<'n>(
    change: &'n YamlNode,
    old: &str,
    is_readable: bool,
    subject: &str,
    reader: &mut YamlReader,
) -> Option<&'n YamlNode> {
    let (Some(was), Some(now)) = (change.get("was"), change.get("now")) else {
        let what = "a change says what was there and what is there now";
        reader.complain(
            DiagnosticCode::WasNow,
            change.span,
            what,
            "write `{ was: ..., now: ... }`",
        );
        return None;
    };
    if old == now.text_or_empty() {
        let what = "the layer below has this already, so the change does nothing";
        reader.complaints.push(
            reader
                .complaint(DiagnosticCode::Already, now.span, what)
                .into_note(),
        );
        return None;
    }
    if is_readable && old != was.text_or_empty() {
        let what = format!(
            "`was: {}` does not match: the layer below has {old} for {subject}",
            was.text_or_empty()
        );
        let help = format!("write `was: {old}` if the change is meant for that figure");
        reader.complain_with_fix(DiagnosticCode::WasNow, was.span, what, help, old);
        return None;
    }
    Some(now)
}

/// Complains of the `status:` of a node that gives nothing with a status.
fn refuse_status(node: &YamlNode, what: &str, reader: &mut YamlReader) {
    let span = node.get("status").map_or(node.span, |status| status.span);
    reader.complain(
        DiagnosticCode::Status,
        span,
        format!("{what}, so its status says nothing"),
        "take the status away",
    );
}
