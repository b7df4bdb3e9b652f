//! Situations, rosters and deployments (lists of pieces).

use crate::complaint::{Complaints, DiagnosticCode, unknown_name};
use crate::data::answer_rules::RANKS;
use crate::data::case::{CaseKind, SourceRef, read_sources};
use crate::data::deck_contents::DeckContents;
use crate::data::files::DataFile;
use crate::data::format::{FieldType, scenario};
use crate::data::list_change::{ListChange, read_changes, refuse_status};
use crate::data::manifest::Game;
use crate::data::piece::{Datum, Features, PieceEntry, read_piece, read_track_datum};
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

/// The style by which the computer plays a side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComputerStyle {
    pub style: String,
    /// What was measured of it, in words.
    pub measured: String,
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
    /// The method by which figures were reconstructed.
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
    /// How the computer plays each side.
    pub computer: BTreeMap<String, ComputerStyle>,
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
    /// Changes of later layers outside the pieces, which have places of their own.
    pub changed: Vec<ListChange>,
    /// Changes to a lower layer's list.
    pub changes: Vec<ListChange>,
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
        let read = reader.parse_file().and_then(|root| {
            Scenario::read_named(file.stem(), root, file, layer, game, &mut reader)
        });
        complaints.0.append(&mut reader.complaints.0);
        read
    }

    /// Returns whether the file is complete in itself, not an amendment.
    pub fn is_standalone(&self) -> bool {
        matches!(self.kind, CaseKind::Rule | CaseKind::NewCase)
    }

    /// Reads the tree of a scenario with the name of its file.
    pub fn read_named(
        name: &str,
        mut root: YamlNode,
        file: &DataFile,
        layer: &Arc<str>,
        game: &Game,
        reader: &mut YamlReader,
    ) -> Option<Scenario> {
        game.places.name_places(&mut root);
        let mut changes = Vec::new();
        // What is new in a variant changes nothing below.
        let is_new = root.text_of("kind") == CaseKind::NewCase.as_str();
        if **layer != *game.name && !is_new {
            changes = read_changes(&root, file, layer, reader);
            let values = changes.iter().filter(|change| !change.is_of_piece());
            values.for_each(|change| change.apply(&mut root));
        }
        reader.check(&root, &scenario::SITUATION);
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
        let name = name.to_string();
        reader.check_stated_name(&root, key, ("file", &name, &name));
        let status = root.word_of("status", &Status::NAMES).unwrap_or_default();
        let mut scenario = Scenario {
            name,
            list_kind,
            title: String::new(),
            kind: root
                .word_of("kind", &CaseKind::NAMES)
                .unwrap_or(CaseKind::Rule),
            option: root.optional_text_of("option"),
            sources: read_sources(&root),
            method: root.text_of("method").into(),
            variants: root.get("with").map(YamlNode::texts),
            procedure: None,
            is_game: false,
            phase: None,
            aims: BTreeMap::new(),
            length: String::new(),
            computer: BTreeMap::new(),
            used_lists: Vec::new(),
            tracks: BTreeMap::new(),
            decks: BTreeMap::new(),
            places: BTreeMap::new(),
            sides: BTreeMap::new(),
            pieces: Vec::new(),
            changes,
            set: Vec::new(),
            file: file.clone(),
            layer: layer.clone(),
            changed: Vec::new(),
            // The tree is moved here after parsing.
            root: YamlNode {
                span: root.span,
                value: YamlValue::Map(Vec::new()),
            },
        };
        scenario.read_values(&root, game, reader);
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
        reader.check_method(&root, reconstructed);
        // Parts stored in other fields are most of the tree, so they are dropped.
        if let YamlValue::Map(entries) = &mut root.value {
            entries.retain(|(key, _)| !matches!(key.as_text(), Some("pieces" | "changes")));
        }
        scenario.root = root;
        Some(scenario)
    }

    /// Reads the values that stand outside the pieces.
    pub fn read_values(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        self.title = root.text_of("title").into();
        self.procedure = root.optional_text_of("procedure");
        self.is_game = root.is_set("goes_on");
        self.phase = root.optional_text_of("phase");
        self.aims = root.named_texts_of("aims").collect();
        self.length = root.text_of("length").into();
        self.used_lists = root.texts_of("uses");
        self.read_computer(root, game, reader);
        self.read_tracks(root, game, reader);
        self.read_decks(root, game, reader);
        self.read_map(root, game, reader);
    }

    fn read_computer(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        self.computer.clear();
        for (side, node) in root.named_entries_of("computer") {
            let style = node.text_of("style");
            let styles = game.styles.iter().map(|declared| declared.name.as_str());
            let mut names = styles.chain(RANKS);
            if !names.clone().any(|declared| declared == style) {
                let message = unknown_name("style", style, names.by_ref());
                let help =
                    "name a style that the game's manifest lists under `styles:`, or `first`";
                reader.complain(DiagnosticCode::UnknownName, node.span, message, help);
            }
            let measured = node.text_of("measured").to_string();
            let style = style.to_string();
            self.computer
                .insert(side, ComputerStyle { style, measured });
        }
    }

    fn read_tracks(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        self.tracks.clear();
        for (name, value) in root.named_entries_of("tracks") {
            let datum = game
                .tracks
                .get(&name)
                .and_then(|track| read_track_datum(&name, track, value, reader));
            self.tracks.extend(datum.map(|datum| (name, datum)));
        }
    }

    fn read_decks(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        self.decks.clear();
        for (name, value) in root.named_entries_of("decks") {
            if let Some((_, stock)) = game.card_stock(&name) {
                self.decks
                    .insert(name, DeckContents::read(stock, value, game, reader));
            }
        }
    }

    fn read_map(&mut self, root: &YamlNode, game: &Game, reader: &mut YamlReader) {
        (self.places, self.sides) = Default::default();
        let file_status = root.word_of("status", &Status::NAMES).unwrap_or_default();
        let Some(map) = root.get("map") else { return };
        let own_status = map.word_of("status", &Status::NAMES);
        let blank = Features {
            status: own_status.unwrap_or(file_status),
            path: self.file.path.as_str().into(),
            ..Features::default()
        };
        let set_later = |list: &str, name: &str| {
            let changes = self.changed.iter().filter_map(|change| {
                let path: Vec<&str> = change.path.iter().map(String::as_str).collect();
                let feature = path.strip_prefix(&["map", list, name])?.first()?;
                let path = change.file.path.as_str().into();
                Some((feature.to_string(), (change.status, path)))
            });
            changes.collect()
        };
        let twice = |key: &YamlNode, reader: &mut YamlReader| {
            let message = format!("`{}` is here twice, by two labels", key.text_or_empty());
            reader.complain(DiagnosticCode::KeyTwice, key.span, message, "write it once");
        };
        for (key, value) in map.entries_of("places") {
            let name = key.text_or_empty();
            if !game.places.contains(name) {
                continue;
            }
            let mut features = Features::read(value, &game.places.attributes, &blank, reader);
            features.set_later = set_later("places", name);
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
            let mut entry = Features::read(value, &game.places.side_attributes, &blank, reader);
            entry.set_later = set_later("sides", text);
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
        self.places.keys().map(String::as_str).chain(ends)
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

    /// Returns the words by which the list of situations finds this one, in addition to its name and title.
    pub fn search_words(&self) -> impl Iterator<Item = &str> {
        let also = self.root.items_of("also");
        also.iter()
            .chain(self.root.get("text"))
            .filter_map(YamlNode::as_text)
    }
}
