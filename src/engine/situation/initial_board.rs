//! The initial board of a situation: pieces in columns, places, sides, tracks. It is independent of any game.

use crate::complaint::{Complaint, Complaints, DiagnosticCode, Error, did_you_mean, unknown_name};
use crate::data::declared_names::PLAIN_FIGURES;
use crate::data::manifest::{AttributeType, Game};
use crate::data::piece::PieceEntry;
use crate::data::scenario::Scenario;
use crate::data::status::Status;
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references::{KnownNames, place_in_files};
use crate::situation::cards::initial_cards;
use crate::situation::cell_key::{CellKey, ColumnLayout, EntityKind};
use crate::situation::column_set::ColumnSet;
use crate::situation::geography::{Atlas, Geography, datum_value, default_value};
use crate::situation::value::{HashedText, PieceId, Value};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Column of the kind. These columns exist in every game; the attributes of the manifest follow.
pub const KIND_COLUMN: usize = 0;
/// Column of the side that owns the piece.
pub const SIDE_COLUMN: usize = 1;
pub const PLACE_COLUMN: usize = 2;
/// Column of the carrier's name.
pub const CARRIER_COLUMN: usize = 3;
/// Column of the flag for pieces that have left the board.
pub const GONE_COLUMN: usize = 4;
/// First column of the manifest's attributes.
pub const FIRST_ATTRIBUTE: usize = 5;

/// Pieces by place.
pub type PieceStanding = FxHashMap<HashedText, Vec<PieceId>>;

/// The initial board, and all immutable data of a situation.
#[derive(Clone, Debug, Default)]
pub struct InitialBoard {
    /// Names of the pieces; the index is the piece number.
    pub names: Vec<HashedText>,
    name_index: FxHashMap<HashedText, usize>,
    /// Values of the pieces, by column.
    pub columns: Vec<Vec<Value>>,
    /// Default values of a piece.
    pub blank_piece: Arc<[Value]>,
    pub piece_columns: ColumnSet,
    /// Pieces by the name of their carrier.
    carried: FxHashMap<HashedText, Vec<PieceId>>,
    uncertain_figures: FxHashMap<CellKey, Status>,
    /// Columns with an uncertain cell.
    uncertain_columns: ColumnSet,
    piece_files: Vec<Arc<str>>,
    /// The map.
    pub geography: Arc<Geography>,
    /// Pieces by place, computed on first use.
    pub occupants: OnceLock<Arc<PieceStanding>>,
    /// Positions of the tracks, and after them the cards of the stocks, zone by zone.
    pub tracks: Vec<Option<Value>>,
    track_index: FxHashMap<HashedText, u32>,
}

impl InitialBoard {
    pub fn empty(game: &Game) -> InitialBoard {
        let tracks = game
            .tracks
            .keys()
            .map(|name| HashedText::from(name.as_str()));
        let columns = FIRST_ATTRIBUTE + game.attributes.len();
        let mut own = ColumnSet::default();
        (0..columns).for_each(|column| {
            own.insert(CellKey::new(EntityKind::Piece, column, 0).column_index())
        });
        InitialBoard {
            columns: vec![Vec::new(); columns],
            piece_columns: own,
            blank_piece: piece_values(&PieceEntry::default(), game).into(),
            geography: Arc::new(Geography::empty(game)),
            tracks: vec![None; game.tracks.len()]
                .into_iter()
                .chain(initial_cards(game, |_| None))
                .collect(),
            track_index: tracks.zip(0..).collect(),
            ..InitialBoard::default()
        }
    }

    /// Builds the board of a situation. The lists it uses provide figures for pieces of the same name, and maps, which `atlas` caches.
    pub fn new(
        scenario: &Scenario,
        ruleset: &Ruleset,
        atlas: &Atlas,
    ) -> Result<InitialBoard, Complaints> {
        let mut complaints = Complaints::default();
        let mut used = Vec::new();
        for name in &scenario.used_lists {
            match ruleset.scenario(name) {
                Ok(list) => used.push(list),
                Err(Error::Data(faults)) => complaints.0.extend(faults.0),
                Err(error) => {
                    let place = scenario.place_of(&["uses"], scenario.root.span_of("uses", name));
                    let help = "name a roster or map of scenarios/<game> or of a variant";
                    complaints.push(
                        Complaint::new(DiagnosticCode::UnknownName, place, error.to_string())
                            .with_help(help),
                    );
                }
            }
        }
        // Without a list that it uses, each of its pieces would seem to lack something.
        if complaints.has_errors() {
            return Err(complaints);
        }
        KnownNames::new(scenario, &used, &ruleset.game).check(scenario, ruleset, &mut complaints);
        let mut rosters: HashMap<&str, &PieceEntry> = HashMap::new();
        used.iter().for_each(|list| {
            rosters.extend(list.pieces.iter().map(|entry| (entry.name.as_str(), entry)))
        });
        let mut start = InitialBoard::empty(&ruleset.game);
        for entry in &scenario.pieces {
            let full = match rosters.get(entry.name.as_str()) {
                None => entry.clone(),
                Some(rated) => merge_entries(rated, entry),
            };
            if full.word("kind").is_none() {
                let message = did_you_mean(
                    format!("`{}` has no kind, and is in no roster in use", entry.name),
                    &entry.name,
                    rosters.keys().copied(),
                );
                let place = place_in_files(&entry.path, entry.span, ruleset);
                complaints.push(
                    Complaint::new(DiagnosticCode::UnknownName, place, message)
                        .with_help("write `kind:`, or name the roster under `uses:`"),
                );
                continue;
            }
            start.add_piece(&full, &ruleset.game);
        }
        for entry in &scenario.pieces {
            let Some(carrier) = entry.word("on") else {
                continue;
            };
            let at = entry.word("at");
            let (code, message, help) = match place_of(carrier, &scenario.pieces) {
                Some(place) if at.is_some_and(|at| at != place) => (
                    DiagnosticCode::Shape,
                    format!(
                        "`{}` is at {} and on `{carrier}`, which is at {place}",
                        entry.name,
                        at.unwrap_or_default()
                    )
                    .into(),
                    "leave out `at:` or `on:`; a change takes one away with `now: absent`",
                ),
                None if start.find(&HashedText::from(carrier)).is_none() => (
                    DiagnosticCode::UnknownName,
                    unknown_name("piece", carrier, start.names.iter().map(HashedText::as_str)),
                    "name a piece of the same situation, or write a place under `at:`",
                ),
                _ => continue,
            };
            let (path, span) = entry.location_of("on").unwrap_or((&entry.path, entry.span));
            complaints.push(
                Complaint::new(code, place_in_files(path, span, ruleset), message)
                    .with_context(format!("carries {}", entry.name))
                    .with_help(help),
            );
        }
        start.geography = atlas.geography_for(scenario, &used, &ruleset.game);
        for ((name, _), track) in ruleset.game.tracks.iter().zip(&mut start.tracks) {
            *track = scenario.tracks.get(name).map(datum_value);
        }
        start.tracks.truncate(ruleset.game.tracks.len());
        start.tracks.extend(initial_cards(&ruleset.game, |stock| {
            scenario.decks.get(stock)
        }));
        if complaints.has_errors() {
            Err(complaints)
        } else {
            Ok(start)
        }
    }

    pub fn add_piece(&mut self, entry: &PieceEntry, game: &Game) {
        let number = self.names.len();
        self.occupants = OnceLock::new();
        if let Some(carrier) = entry.word("on").filter(|carrier| !carrier.is_empty()) {
            self.carried
                .entry(carrier.into())
                .or_default()
                .push(PieceId(number));
        }
        for (column, value) in piece_values(entry, game).into_iter().enumerate() {
            self.columns[column].push(value);
        }
        for (index, (name, attribute)) in game.attributes.iter().enumerate() {
            let status = entry.status_of(name);
            // Only numbers are figures with a status; words describe the setup.
            let figure = matches!(attribute, AttributeType::Number(..))
                && status == Status::Reconstructed
                && entry.attributes.contains_key(name);
            if status == Status::Missing || figure {
                let figure = CellKey::new(EntityKind::Piece, FIRST_ATTRIBUTE + index, number);
                self.uncertain_figures.insert(figure, status);
                self.uncertain_columns.insert(figure.column_index());
            }
        }
        let name = HashedText::from(entry.name.as_str());
        self.name_index.insert(name.clone(), number);
        self.names.push(name);
        self.piece_files.push(entry.path.clone());
    }

    /// Returns the number of the piece with a name.
    pub fn find(&self, name: &HashedText) -> Option<usize> {
        self.name_index.get(name).copied()
    }

    pub fn carried_by(&self, name: &HashedText) -> &[PieceId] {
        self.carried
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    pub fn track_number(&self, name: &HashedText) -> Option<u32> {
        self.track_index.get(name).copied()
    }

    /// Returns the status that makes a cell uncertain, with the source file.
    pub fn uncertainty(&self, figure: CellKey) -> Option<(Status, &Arc<str>)> {
        Some((
            *self.uncertain_figures.get(&figure)?,
            self.piece_files.get(figure.row())?,
        ))
    }

    /// Returns whether the column of a cell has any uncertain cell.
    pub fn has_uncertainty(&self, figure: CellKey) -> bool {
        self.uncertain_columns.contains(figure.column_index())
    }

    /// Returns the initial value of a cell; `None` if it does not exist.
    pub fn get(&self, figure: CellKey) -> Option<&Value> {
        let column = match figure.kind() {
            EntityKind::Piece => self.columns.get(figure.column()),
            EntityKind::Place | EntityKind::Side => return self.geography.get(figure),
            EntityKind::Track => return self.tracks.get(figure.row())?.as_ref(),
            _ => None,
        };
        column?.get(figure.row())
    }

    /// Returns the bit layout of the cells.
    pub fn layout(&self) -> ColumnLayout {
        ColumnLayout::new(
            (self.names.len(), self.columns.len()),
            (
                self.geography.places.len(),
                self.geography.place_column_count(),
            ),
        )
    }

    /// Returns a deep copy; see [`HashedText::deep_clone`].
    pub fn deep_clone(&self) -> InitialBoard {
        let columns = |columns: &[Vec<Value>]| {
            columns
                .iter()
                .map(|column| column.iter().map(Value::deep_clone).collect())
                .collect()
        };
        InitialBoard {
            names: self.names.iter().map(HashedText::deep_clone).collect(),
            name_index: self
                .name_index
                .iter()
                .map(|(name, number)| (name.deep_clone(), *number))
                .collect(),
            columns: columns(&self.columns),
            blank_piece: self.blank_piece.iter().map(Value::deep_clone).collect(),
            piece_columns: self.piece_columns,
            carried: self
                .carried
                .iter()
                .map(|(carrier, pieces)| (carrier.deep_clone(), pieces.clone()))
                .collect(),
            uncertain_figures: self.uncertain_figures.clone(),
            uncertain_columns: self.uncertain_columns,
            piece_files: self.piece_files.clone(),
            geography: Arc::new(self.geography.deep_clone()),
            occupants: OnceLock::new(),
            tracks: self
                .tracks
                .iter()
                .map(|track| track.as_ref().map(Value::deep_clone))
                .collect(),
            track_index: self
                .track_index
                .iter()
                .map(|(name, number)| (name.deep_clone(), *number))
                .collect(),
        }
    }
}

/// Returns the place where a piece is by itself or by what carries it.
fn place_of<'p>(mut name: &'p str, pieces: &'p [PieceEntry]) -> Option<&'p str> {
    for _ in 0..pieces.len() {
        let entry = pieces.iter().find(|entry| entry.name == name)?;
        match entry.word("at") {
            Some(place) => return Some(place),
            None => name = entry.word("on")?,
        }
    }
    None
}

/// Returns the values of a piece, by column.
fn piece_values(entry: &PieceEntry, game: &Game) -> Vec<Value> {
    let word = |key: &str| Value::from(entry.word(key).unwrap_or_default());
    let plain = PLAIN_FIGURES.iter().map(|key| word(key));
    let attributes = game.attributes.iter().map(|(name, attribute)| {
        entry
            .attributes
            .get(name)
            .map_or_else(|| default_value(attribute), datum_value)
    });
    plain.chain([Value::False]).chain(attributes).collect()
}

/// Merges a situation's entry for a piece over the roster's entry.
fn merge_entries(rated: &PieceEntry, entry: &PieceEntry) -> PieceEntry {
    let mut full = rated.clone();
    for (key, datum) in &entry.attributes {
        full.attributes.insert(key.clone(), datum.clone());
        full.status_by_figure
            .insert(key.clone(), entry.status_of(key));
    }
    full
}
