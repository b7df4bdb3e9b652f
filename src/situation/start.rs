//! The board as a situation lays it out: pieces in columns, places, the sides between them, tracks. It knows no game.

use crate::complaint::{Complaint, Complaints, Place, did_you_mean};
use crate::data::case::Status;
use crate::data::manifest::{Attribute, Game};
use crate::data::piece::{Datum, Entry};
use crate::data::scenario::Scenario;
use crate::ruleset::compose::Ruleset;
use crate::ruleset::references::{Known, place_of};
use crate::situation::figures::{Figure, Layout, Of};
use crate::situation::value::{Text, Value};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

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

/// The board at its start, and all of it that does not change.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The names of the pieces; a piece is its place in this list.
    pub names: Vec<Text>,
    index: FxHashMap<Text, usize>,
    /// The figures of the pieces, column by column.
    pub columns: Vec<Vec<Value>>,
    doubtful: FxHashMap<Figure, Status>,
    paths: Vec<Arc<str>>,
    /// The places of which something is known.
    pub places: Vec<Text>,
    place_index: FxHashMap<Text, u32>,
    /// What is known of them, column by column.
    pub features: Vec<Vec<Value>>,
    sides: FxHashMap<Text, FxHashMap<Text, u32>>,
    side_features: Vec<Vec<Value>>,
    side_count: u32,
    links: FxHashMap<Text, Vec<Text>>,
    /// Where the tracks stand.
    pub tracks: Vec<Option<Value>>,
    track_index: FxHashMap<Text, u32>,
}

/// A datum as scripts see it.
pub fn value(datum: &Datum) -> Value {
    match datum {
        Datum::Number(n) => Value::Number(*n),
        Datum::Flag(flag) => (*flag).into(),
        Datum::Word(word) => word.as_str().into(),
        Datum::Words(words) => words.iter().map(|w| Value::from(w.as_str())).collect(),
    }
}

/// What an attribute reads as when nothing is said.
pub fn default(attribute: &Attribute) -> Value {
    match attribute {
        Attribute::Number(_, Some(n), _) => Value::Number(*n),
        Attribute::Flag => Value::False,
        Attribute::Word(_, Some(word)) => word.as_str().into(),
        Attribute::Words => Value::List(Default::default()),
        _ => Value::Nothing,
    }
}

impl Start {
    /// An empty board of a game.
    pub fn empty(game: &Game) -> Start {
        let tracks = game.tracks.keys().map(|name| Text::from(name.as_str()));
        Start {
            columns: vec![Vec::new(); FIRST + game.attributes.len()],
            features: vec![Vec::new(); game.places.attributes.len()],
            side_features: vec![Vec::new(); game.places.sides.len()],
            tracks: vec![None; game.tracks.len()],
            track_index: tracks.zip(0..).collect(),
            ..Start::default()
        }
    }

    /// The board of a situation. The lists it uses lend figures to pieces of the same name, and their maps.
    pub fn new(scenario: &Scenario, ruleset: &Ruleset) -> Result<Start, Complaints> {
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
        let (mut places, mut sides) = (BTreeMap::new(), BTreeMap::new());
        for list in &used {
            rosters.extend(list.pieces.iter().map(|entry| (entry.name.as_str(), entry)));
            places.extend(&list.places);
            sides.extend(&list.sides);
        }
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
                let (path, span) = entry.places.get("on").cloned().unwrap_or((entry.path.clone(), entry.span));
                let place = place_of(&path, span, ruleset);
                let help = "`on:` names a piece of the same situation; a place is named by `at:`";
                complaints.push(Complaint::new("unknown-name", place, what).crumbs(format!("carries {}", entry.name)).help(help));
            }
        }
        // What the situation says of a place goes before what a map in use says of it.
        places.extend(&scenario.places);
        sides.extend(&scenario.sides);
        places.iter().for_each(|(name, data)| start.place(name, data, &ruleset.game));
        sides.iter().for_each(|((a, b), data)| start.side(a, b, data, &ruleset.game));
        for ((name, _), track) in ruleset.game.tracks.iter().zip(&mut start.tracks) {
            *track = scenario.tracks.get(name).map(value);
        }
        if complaints.any_error() { Err(complaints) } else { Ok(start) }
    }

    /// Puts a piece on the board.
    pub fn add(&mut self, entry: &Entry, game: &Game) {
        let number = self.names.len();
        for (column, value) in figures(entry, game).into_iter().enumerate() {
            self.columns[column].push(value);
        }
        for (index, (name, attribute)) in game.attributes.iter().enumerate() {
            let status = entry.status_of(name);
            // Only numbers are figures; words say how a piece was set up.
            let figure = matches!(attribute, Attribute::Number(..)) && status == Status::Reconstructed && entry.data.contains_key(name);
            if status == Status::Missing || figure {
                self.doubtful.insert(Figure::new(Of::Piece, FIRST + index, number), status);
            }
        }
        let name = Text::from(entry.name.as_str());
        self.index.insert(name.clone(), number);
        self.names.push(name);
        self.paths.push(entry.path.clone());
    }

    fn place(&mut self, name: &str, data: &BTreeMap<String, Datum>, game: &Game) {
        let name = Text::from(name);
        self.place_index.insert(name.clone(), self.places.len() as u32);
        self.places.push(name);
        for (column, (attribute, sort)) in self.features.iter_mut().zip(&game.places.attributes) {
            column.push(data.get(attribute).map_or_else(|| default(sort), value));
        }
    }

    fn side(&mut self, a: &str, b: &str, data: &BTreeMap<String, Datum>, game: &Game) {
        let (a, b) = (Text::from(a), Text::from(b));
        self.links.entry(a.clone()).or_default().push(b.clone());
        // Both directions are one side.
        if let Some(known) = self.sides.get(&b).and_then(|beside| beside.get(&a)).copied() {
            self.sides.entry(a).or_default().insert(b, known);
            return;
        }
        self.sides.entry(a).or_default().insert(b, self.side_count);
        self.side_count += 1;
        for (column, (attribute, sort)) in self.side_features.iter_mut().zip(&game.places.sides) {
            column.push(data.get(attribute).map_or_else(|| default(sort), value));
        }
    }

    /// A piece by its name.
    pub fn find(&self, name: &Text) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// A place of which something is known.
    pub fn place_number(&self, name: &Text) -> Option<u32> {
        self.place_index.get(name).copied()
    }

    /// The side between two places of which something is known.
    pub fn side_number(&self, a: &Text, b: &Text) -> Option<u32> {
        self.sides.get(a)?.get(b).copied()
    }

    /// The sides of which something is known, each once, with their numbers.
    pub fn sides(&self) -> impl Iterator<Item = (&Text, &Text, usize)> {
        let beside = self.sides.iter().flat_map(|(a, list)| list.iter().map(move |(b, number)| (a, b, *number as usize)));
        beside.filter(|(a, b, _)| a.as_str() < b.as_str())
    }

    /// A track.
    pub fn track_number(&self, name: &Text) -> Option<u32> {
        self.track_index.get(name).copied()
    }

    /// Places joined to one by the map's sides, in order of their names.
    pub fn linked(&self, place: &Text) -> &[Text] {
        self.links.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    /// Why a figure of a piece is doubtful, with the file it comes from.
    pub fn doubt(&self, figure: Figure) -> Option<(Status, &Arc<str>)> {
        Some((*self.doubtful.get(&figure)?, self.paths.get(figure.number())?))
    }

    /// Whether any figure is doubtful.
    pub fn doubts(&self) -> bool {
        !self.doubtful.is_empty()
    }

    /// What a figure is at the start; none where it is not there.
    pub fn get(&self, figure: Figure) -> Option<&Value> {
        let column = match figure.of() {
            Of::Piece => self.columns.get(figure.column()),
            Of::Place => self.features.get(figure.column()),
            Of::Side => self.side_features.get(figure.column()),
            Of::Track => return self.tracks.get(figure.number())?.as_ref(),
            _ => None,
        };
        column?.get(figure.number())
    }

    /// How its figures are numbered.
    pub fn layout(&self) -> Layout {
        Layout::new((self.names.len(), self.columns.len()), (self.places.len(), self.features.len()))
    }

    /// The same board in memory of its own; see [`Text::apart`].
    pub fn apart(&self) -> Start {
        let columns = |columns: &[Vec<Value>]| columns.iter().map(|column| column.iter().map(Value::apart).collect()).collect();
        let texts = |texts: &[Text]| texts.iter().map(Text::apart).collect::<Vec<_>>();
        let numbered = |index: &FxHashMap<Text, u32>| index.iter().map(|(name, number)| (name.apart(), *number)).collect();
        Start {
            names: texts(&self.names),
            index: self.index.iter().map(|(name, number)| (name.apart(), *number)).collect(),
            columns: columns(&self.columns),
            doubtful: self.doubtful.clone(),
            paths: self.paths.clone(),
            places: texts(&self.places),
            place_index: numbered(&self.place_index),
            features: columns(&self.features),
            sides: self.sides.iter().map(|(a, beside)| (a.apart(), numbered(beside))).collect(),
            side_features: columns(&self.side_features),
            side_count: self.side_count,
            links: self.links.iter().map(|(name, list)| (name.apart(), texts(list))).collect(),
            tracks: self.tracks.iter().map(|track| track.as_ref().map(Value::apart)).collect(),
            track_index: numbered(&self.track_index),
        }
    }
}

/// What an attribute of a place, or of a side between two, reads as where nothing is said.
pub fn unsaid(game: &Game, column: usize, side: bool) -> Value {
    let list = if side { &game.places.sides } else { &game.places.attributes };
    list.get(column).map(|(_, sort)| default(sort)).unwrap_or_default()
}

/// The figures of a piece, column by column.
pub fn figures(entry: &Entry, game: &Game) -> Vec<Value> {
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
