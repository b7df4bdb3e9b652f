//! The board as a situation lays it out: pieces in columns, places, the sides between them, tracks. It knows no game.

use crate::complaint::{Complaint, Complaints, Place, did_you_mean};
use crate::data::case::Status;
use crate::data::manifest::{Attribute, Game};
use crate::data::piece::Entry;
use crate::data::scenario::Scenario;
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references::{Known, place_of};
use crate::situation::columns::Columns;
use crate::situation::figures::{Figure, Layout, Of};
use crate::situation::geography::{Atlas, Geography, default, value};
use crate::situation::value::{PieceId, Text, Value};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The columns that the pieces of every game have; the attributes of the manifest follow.
pub const KIND: usize = 0;
/// Whose a piece is.
pub const SIDE: usize = 1;
/// Where it is.
pub const AT: usize = 2;
/// What carries it, by name.
pub const ON: usize = 3;
/// Whether it has left the board.
pub const GONE: usize = 4;
/// The first attribute of the manifest.
pub const FIRST: usize = 5;

/// Who stands where.
pub type Standing = FxHashMap<Text, Vec<PieceId>>;

/// The board at its start, and all of it that does not change.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The names of the pieces; a piece is its place in this list.
    pub names: Vec<Text>,
    index: FxHashMap<Text, usize>,
    /// The figures of the pieces, column by column.
    pub columns: Vec<Vec<Value>>,
    /// The figures of a piece of which nothing is said.
    pub blank: Arc<[Value]>,
    /// The columns of pieces.
    pub own: Columns,
    /// Who is on whom, by name.
    carried: FxHashMap<Text, Vec<PieceId>>,
    doubtful: FxHashMap<Figure, Status>,
    /// The columns in which any figure is doubtful.
    doubted: Columns,
    paths: Vec<Arc<str>>,
    /// The map.
    pub geography: Arc<Geography>,
    /// Who stands where, once somebody has asked.
    pub standing: OnceLock<Arc<Standing>>,
    /// Where the tracks stand.
    pub tracks: Vec<Option<Value>>,
    track_index: FxHashMap<Text, u32>,
}

impl Start {
    /// An empty board of a game.
    pub fn empty(game: &Game) -> Start {
        let tracks = game.tracks.keys().map(|name| Text::from(name.as_str()));
        let columns = FIRST + game.attributes.len();
        let mut own = Columns::default();
        (0..columns).for_each(|column| own.add(Figure::new(Of::Piece, column, 0).slot()));
        Start {
            columns: vec![Vec::new(); columns],
            own,
            blank: figures(&Entry::default(), game).into(),
            geography: Arc::new(Geography::empty(game)),
            tracks: vec![None; game.tracks.len()],
            track_index: tracks.zip(0..).collect(),
            ..Start::default()
        }
    }

    /// The board of a situation. The lists it uses lend figures to pieces of the same name, and their maps, which stand among `atlas`.
    pub fn new(scenario: &Scenario, ruleset: &Ruleset, atlas: &Atlas) -> Result<Start, Complaints> {
        let mut complaints = Complaints::default();
        let mut used = Vec::new();
        for name in &scenario.uses {
            match ruleset.scenario(name) {
                Ok(list) => used.push(list),
                Err(error) => {
                    let place = Place::at(&scenario.file.path, &scenario.file.text, scenario.root.span_of("uses", name));
                    let help = "rosters and maps stand in scenarios/<game> and in variants";
                    complaints.push(Complaint::new("unknown-name", place, error.to_string()).help(help));
                }
            }
        }
        Known::new(scenario, &used, &ruleset.game).check(scenario, ruleset, &mut complaints);
        let mut rosters: HashMap<&str, &Entry> = HashMap::new();
        used.iter().for_each(|list| rosters.extend(list.pieces.iter().map(|entry| (entry.name.as_str(), entry))));
        let mut start = Start::empty(&ruleset.game);
        for entry in &scenario.pieces {
            let full = match rosters.get(entry.name.as_str()) {
                None => entry.clone(),
                Some(rated) => joined(rated, entry),
            };
            if full.word("kind").is_none() {
                let near = did_you_mean(&entry.name, rosters.keys().copied());
                let what = format!("`{}` has no kind, and stands in no roster in use{near}", entry.name);
                let place = place_of(&entry.path, entry.span, ruleset);
                complaints.push(Complaint::new("unknown-name", place, what).help("write `kind:`, or name the roster under `uses:`"));
                continue;
            }
            start.add(&full, &ruleset.game);
        }
        for entry in &scenario.pieces {
            if let Some(carrier) = entry.word("on").filter(|name| start.find(&Text::from(*name)).is_none()) {
                let near = did_you_mean(carrier, start.names.iter().map(Text::as_str));
                let what = format!("no piece is called `{carrier}`{near}");
                let (path, span) = entry.place_of("on").unwrap_or((&entry.path, entry.span));
                let place = place_of(path, span, ruleset);
                let help = "`on:` names a piece of the same situation; a place is named by `at:`";
                complaints.push(Complaint::new("unknown-name", place, what).crumbs(format!("carries {}", entry.name)).help(help));
            }
        }
        start.geography = atlas.of(scenario, &used, &ruleset.game);
        for ((name, _), track) in ruleset.game.tracks.iter().zip(&mut start.tracks) {
            *track = scenario.tracks.get(name).map(value);
        }
        if complaints.any_error() { Err(complaints) } else { Ok(start) }
    }

    /// Puts a piece on the board.
    pub fn add(&mut self, entry: &Entry, game: &Game) {
        let number = self.names.len();
        self.standing = OnceLock::new();
        if let Some(carrier) = entry.word("on").filter(|carrier| !carrier.is_empty()) {
            self.carried.entry(carrier.into()).or_default().push(PieceId(number));
        }
        for (column, value) in figures(entry, game).into_iter().enumerate() {
            self.columns[column].push(value);
        }
        for (index, (name, attribute)) in game.attributes.iter().enumerate() {
            let status = entry.status_of(name);
            // Only numbers are figures; words say how a piece was set up.
            let figure = matches!(attribute, Attribute::Number(..)) && status == Status::Reconstructed && entry.data.contains_key(name);
            if status == Status::Missing || figure {
                let figure = Figure::new(Of::Piece, FIRST + index, number);
                self.doubtful.insert(figure, status);
                self.doubted.add(figure.slot());
            }
        }
        let name = Text::from(entry.name.as_str());
        self.index.insert(name.clone(), number);
        self.names.push(name);
        self.paths.push(entry.path.clone());
    }

    /// A piece by its name.
    pub fn find(&self, name: &Text) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The pieces on one of this name.
    pub fn carried_by(&self, name: &Text) -> &[PieceId] {
        self.carried.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// A track.
    pub fn track_number(&self, name: &Text) -> Option<u32> {
        self.track_index.get(name).copied()
    }

    /// Why a figure of a piece is doubtful, with the file it comes from.
    pub fn doubt(&self, figure: Figure) -> Option<(Status, &Arc<str>)> {
        Some((*self.doubtful.get(&figure)?, self.paths.get(figure.number())?))
    }

    /// Whether any figure like this one is doubtful.
    pub fn doubts(&self, figure: Figure) -> bool {
        self.doubted.has(figure.slot())
    }

    /// What a figure is at the start; none where it is not there.
    pub fn get(&self, figure: Figure) -> Option<&Value> {
        let column = match figure.of() {
            Of::Piece => self.columns.get(figure.column()),
            Of::Place | Of::Side => return self.geography.get(figure),
            Of::Track => return self.tracks.get(figure.number())?.as_ref(),
            _ => None,
        };
        column?.get(figure.number())
    }

    /// How its figures are numbered.
    pub fn layout(&self) -> Layout {
        Layout::new((self.names.len(), self.columns.len()), (self.geography.places.len(), self.geography.columns()))
    }

    /// The same board in memory of its own; see [`Text::apart`].
    pub fn apart(&self) -> Start {
        let columns = |columns: &[Vec<Value>]| columns.iter().map(|column| column.iter().map(Value::apart).collect()).collect();
        Start {
            names: self.names.iter().map(Text::apart).collect(),
            index: self.index.iter().map(|(name, number)| (name.apart(), *number)).collect(),
            columns: columns(&self.columns),
            blank: self.blank.iter().map(Value::apart).collect(),
            own: self.own,
            carried: self.carried.iter().map(|(carrier, pieces)| (carrier.apart(), pieces.clone())).collect(),
            doubtful: self.doubtful.clone(),
            doubted: self.doubted,
            paths: self.paths.clone(),
            geography: Arc::new(self.geography.apart()),
            standing: OnceLock::new(),
            tracks: self.tracks.iter().map(|track| track.as_ref().map(Value::apart)).collect(),
            track_index: self.track_index.iter().map(|(name, number)| (name.apart(), *number)).collect(),
        }
    }
}

/// The figures of a piece, column by column.
fn figures(entry: &Entry, game: &Game) -> Vec<Value> {
    let word = |key: &str| Value::from(entry.word(key).unwrap_or_default());
    let own = [word("kind"), word("side"), word("at"), word("on"), Value::False];
    let attributes = game.attributes.iter().map(|(name, sort)| entry.data.get(name).map_or_else(|| default(sort), value));
    own.into_iter().chain(attributes).collect()
}

/// A rated entry with what a situation says of the same piece laid over it.
fn joined(rated: &Entry, over: &Entry) -> Entry {
    let mut full = rated.clone();
    for (key, datum) in &over.data {
        full.data.insert(key.clone(), datum.clone());
        full.status.insert(key.clone(), over.status_of(key));
    }
    full
}
