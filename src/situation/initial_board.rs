//! The board as a situation lays it out: pieces in columns, places, the sides between them, tracks. It knows no game.

use crate::complaint::{Complaint, Complaints, Place, did_you_mean};
use crate::data::case::Status;
use crate::data::manifest::{AttributeType, Game};
use crate::data::piece::PieceEntry;
use crate::data::scenario::Scenario;
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references::{KnownNames, place_in_files};
use crate::situation::cell_key::{CellKey, ColumnLayout, EntityKind};
use crate::situation::column_set::ColumnSet;
use crate::situation::geography::{Atlas, Geography, datum_value, default_value};
use crate::situation::value::{HashedText, PieceId, Value};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The columns that the pieces of every game have; the attributes of the manifest follow.
pub const KIND_COLUMN: usize = 0;
/// Whose a piece is.
pub const SIDE_COLUMN: usize = 1;
/// Where it is.
pub const PLACE_COLUMN: usize = 2;
/// What carries it, by name.
pub const CARRIER_COLUMN: usize = 3;
/// Whether it has left the board.
pub const GONE_COLUMN: usize = 4;
/// The first attribute of the manifest.
pub const FIRST_ATTRIBUTE: usize = 5;

/// Who stands where.
pub type PieceStanding = FxHashMap<HashedText, Vec<PieceId>>;

/// The board at its start, and all of it that does not change.
#[derive(Clone, Debug, Default)]
pub struct InitialBoard {
    /// The names of the pieces; a piece is its place in this list.
    pub names: Vec<HashedText>,
    name_index: FxHashMap<HashedText, usize>,
    /// The figures of the pieces, column by column.
    pub columns: Vec<Vec<Value>>,
    /// The figures of a piece of which nothing is said.
    pub blank_piece: Arc<[Value]>,
    /// The columns of pieces.
    pub piece_columns: ColumnSet,
    /// Who is on whom, by name.
    carried: FxHashMap<HashedText, Vec<PieceId>>,
    uncertain_figures: FxHashMap<CellKey, Status>,
    /// The columns in which any figure is doubtful.
    uncertain_columns: ColumnSet,
    piece_files: Vec<Arc<str>>,
    /// The map.
    pub geography: Arc<Geography>,
    /// Who stands where, once somebody has asked.
    pub occupants: OnceLock<Arc<PieceStanding>>,
    /// Where the tracks stand.
    pub tracks: Vec<Option<Value>>,
    track_index: FxHashMap<HashedText, u32>,
}

impl InitialBoard {
    /// An empty board of a game.
    pub fn empty(game: &Game) -> InitialBoard {
        let tracks = game.tracks.keys().map(|name| HashedText::from(name.as_str()));
        let columns = FIRST_ATTRIBUTE + game.attributes.len();
        let mut own = ColumnSet::default();
        (0..columns).for_each(|column| own.insert(CellKey::new(EntityKind::Piece, column, 0).column_index()));
        InitialBoard {
            columns: vec![Vec::new(); columns],
            piece_columns: own,
            blank_piece: piece_values(&PieceEntry::default(), game).into(),
            geography: Arc::new(Geography::empty(game)),
            tracks: vec![None; game.tracks.len()],
            track_index: tracks.zip(0..).collect(),
            ..InitialBoard::default()
        }
    }

    /// The board of a situation. The lists it uses lend figures to pieces of the same name, and their maps, which stand among `atlas`.
    pub fn new(scenario: &Scenario, ruleset: &Ruleset, atlas: &Atlas) -> Result<InitialBoard, Complaints> {
        let mut complaints = Complaints::default();
        let mut used = Vec::new();
        for name in &scenario.used_lists {
            match ruleset.scenario(name) {
                Ok(list) => used.push(list),
                Err(error) => {
                    let place = Place::from_text(&scenario.file.path, &scenario.file.text, scenario.root.span_of("uses", name));
                    let help = "rosters and maps stand in scenarios/<game> and in variants";
                    complaints.push(Complaint::new("unknown-name", place, error.to_string()).with_help(help));
                }
            }
        }
        KnownNames::new(scenario, &used, &ruleset.game).check(scenario, ruleset, &mut complaints);
        let mut rosters: HashMap<&str, &PieceEntry> = HashMap::new();
        used.iter().for_each(|list| rosters.extend(list.pieces.iter().map(|entry| (entry.name.as_str(), entry))));
        let mut start = InitialBoard::empty(&ruleset.game);
        for entry in &scenario.pieces {
            let full = match rosters.get(entry.name.as_str()) {
                None => entry.clone(),
                Some(rated) => merge_entries(rated, entry),
            };
            if full.word("kind").is_none() {
                let near = did_you_mean(&entry.name, rosters.keys().copied());
                let what = format!("`{}` has no kind, and stands in no roster in use{near}", entry.name);
                let place = place_in_files(&entry.path, entry.span, ruleset);
                complaints.push(Complaint::new("unknown-name", place, what).with_help("write `kind:`, or name the roster under `uses:`"));
                continue;
            }
            start.add_piece(&full, &ruleset.game);
        }
        for entry in &scenario.pieces {
            if let Some(carrier) = entry.word("on").filter(|name| start.find(&HashedText::from(*name)).is_none()) {
                let near = did_you_mean(carrier, start.names.iter().map(HashedText::as_str));
                let what = format!("no piece is called `{carrier}`{near}");
                let (path, span) = entry.location_of("on").unwrap_or((&entry.path, entry.span));
                let place = place_in_files(path, span, ruleset);
                let help = "`on:` names a piece of the same situation; a place is named by `at:`";
                complaints
                    .push(Complaint::new("unknown-name", place, what).with_breadcrumbs(format!("carries {}", entry.name)).with_help(help));
            }
        }
        start.geography = atlas.geography_for(scenario, &used, &ruleset.game);
        for ((name, _), track) in ruleset.game.tracks.iter().zip(&mut start.tracks) {
            *track = scenario.tracks.get(name).map(datum_value);
        }
        if complaints.has_errors() { Err(complaints) } else { Ok(start) }
    }

    /// Puts a piece on the board.
    pub fn add_piece(&mut self, entry: &PieceEntry, game: &Game) {
        let number = self.names.len();
        self.occupants = OnceLock::new();
        if let Some(carrier) = entry.word("on").filter(|carrier| !carrier.is_empty()) {
            self.carried.entry(carrier.into()).or_default().push(PieceId(number));
        }
        for (column, value) in piece_values(entry, game).into_iter().enumerate() {
            self.columns[column].push(value);
        }
        for (index, (name, attribute)) in game.attributes.iter().enumerate() {
            let status = entry.status_of(name);
            // Only numbers are figures; words say how a piece was set up.
            let figure =
                matches!(attribute, AttributeType::Number(..)) && status == Status::Reconstructed && entry.attributes.contains_key(name);
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

    /// A piece by its name.
    pub fn find(&self, name: &HashedText) -> Option<usize> {
        self.name_index.get(name).copied()
    }

    /// The pieces on one of this name.
    pub fn carried_by(&self, name: &HashedText) -> &[PieceId] {
        self.carried.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// A track.
    pub fn track_number(&self, name: &HashedText) -> Option<u32> {
        self.track_index.get(name).copied()
    }

    /// Why a figure of a piece is doubtful, with the file it comes from.
    pub fn uncertainty(&self, figure: CellKey) -> Option<(Status, &Arc<str>)> {
        Some((*self.uncertain_figures.get(&figure)?, self.piece_files.get(figure.row())?))
    }

    /// Whether any figure like this one is doubtful.
    pub fn has_uncertainty(&self, figure: CellKey) -> bool {
        self.uncertain_columns.contains(figure.column_index())
    }

    /// What a figure is at the start; none where it is not there.
    pub fn get(&self, figure: CellKey) -> Option<&Value> {
        let column = match figure.kind() {
            EntityKind::Piece => self.columns.get(figure.column()),
            EntityKind::Place | EntityKind::Side => return self.geography.get(figure),
            EntityKind::Track => return self.tracks.get(figure.row())?.as_ref(),
            _ => None,
        };
        column?.get(figure.row())
    }

    /// How its figures are numbered.
    pub fn layout(&self) -> ColumnLayout {
        ColumnLayout::new((self.names.len(), self.columns.len()), (self.geography.places.len(), self.geography.place_column_count()))
    }

    /// The same board in memory of its own; see [`HashedText::deep_clone`].
    pub fn deep_clone(&self) -> InitialBoard {
        let columns = |columns: &[Vec<Value>]| columns.iter().map(|column| column.iter().map(Value::deep_clone).collect()).collect();
        InitialBoard {
            names: self.names.iter().map(HashedText::deep_clone).collect(),
            name_index: self.name_index.iter().map(|(name, number)| (name.deep_clone(), *number)).collect(),
            columns: columns(&self.columns),
            blank_piece: self.blank_piece.iter().map(Value::deep_clone).collect(),
            piece_columns: self.piece_columns,
            carried: self.carried.iter().map(|(carrier, pieces)| (carrier.deep_clone(), pieces.clone())).collect(),
            uncertain_figures: self.uncertain_figures.clone(),
            uncertain_columns: self.uncertain_columns,
            piece_files: self.piece_files.clone(),
            geography: Arc::new(self.geography.deep_clone()),
            occupants: OnceLock::new(),
            tracks: self.tracks.iter().map(|track| track.as_ref().map(Value::deep_clone)).collect(),
            track_index: self.track_index.iter().map(|(name, number)| (name.deep_clone(), *number)).collect(),
        }
    }
}

/// The figures of a piece, column by column.
fn piece_values(entry: &PieceEntry, game: &Game) -> Vec<Value> {
    let word = |key: &str| Value::from(entry.word(key).unwrap_or_default());
    let own = [word("kind"), word("side"), word("at"), word("on"), Value::False];
    let attributes = game.attributes.iter().map(|(name, sort)| entry.attributes.get(name).map_or_else(|| default_value(sort), datum_value));
    own.into_iter().chain(attributes).collect()
}

/// A rated entry with what a situation says of the same piece laid over it.
fn merge_entries(rated: &PieceEntry, over: &PieceEntry) -> PieceEntry {
    let mut full = rated.clone();
    for (key, datum) in &over.attributes {
        full.attributes.insert(key.clone(), datum.clone());
        full.status_by_figure.insert(key.clone(), over.status_of(key));
    }
    full
}
