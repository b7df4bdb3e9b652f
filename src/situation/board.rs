//! The board: pieces with their figures, places, the sides between them, and tracks. It knows no game.

use crate::complaint::{Complaint, Complaints, Place, Span, did_you_mean};
use crate::data::case::Status;
use crate::data::manifest::{Attribute, Game};
use crate::data::piece::{Datum, Entry};
use crate::data::scenario::Scenario;
use crate::ruleset::compose::Ruleset;
use rhai::{Dynamic, ImmutableString};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// A piece, as scripts hold it: its number on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceId(pub u32);

/// A place, as scripts hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceId(pub ImmutableString);

/// The side between two places, as scripts hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideId(pub ImmutableString, pub ImmutableString);

/// A piece on the board.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its name.
    pub name: ImmutableString,
    /// Its kind.
    pub kind: ImmutableString,
    /// Its side; empty for nobody's.
    pub side: ImmutableString,
    /// Where it is; empty for nowhere.
    pub at: ImmutableString,
    /// The piece that carries it; empty for none.
    pub on: ImmutableString,
    /// Whether it has left the board.
    pub gone: bool,
    /// Its attributes, in the order of the manifest.
    pub values: Vec<Dynamic>,
    /// Figures that are reconstructed or missing.
    pub doubtful: Vec<(usize, Status)>,
    /// The file its figures come from.
    pub path: Arc<str>,
}

type Features = FxHashMap<ImmutableString, Dynamic>;

/// The board.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// The pieces; their numbers are their places in this list.
    pub pieces: Vec<Piece>,
    names: FxHashMap<ImmutableString, u32>,
    places: Rc<FxHashMap<String, Features>>,
    sides: Rc<FxHashMap<String, FxHashMap<String, Features>>>,
    /// Where the tracks stand.
    pub tracks: BTreeMap<String, Dynamic>,
}

/// A datum as scripts see it.
pub fn dynamic(datum: &Datum) -> Dynamic {
    match datum {
        Datum::Number(n) => Dynamic::from_int(*n),
        Datum::Flag(flag) => Dynamic::from_bool(*flag),
        Datum::Word(word) => word.as_str().into(),
        Datum::Words(words) => words.iter().map(|w| Dynamic::from(w.clone())).collect::<Vec<_>>().into(),
    }
}

/// What an attribute reads as when nothing is said.
pub fn default(attribute: &Attribute) -> Dynamic {
    match attribute {
        Attribute::Number(_, Some(n)) => Dynamic::from_int(*n),
        Attribute::Flag => Dynamic::from_bool(false),
        Attribute::Word(_, Some(word)) => word.as_str().into(),
        Attribute::Words => Dynamic::from_array(Vec::new()),
        _ => Dynamic::UNIT,
    }
}

impl Board {
    /// The board of a situation. The lists it uses lend figures to pieces of the same name, and their maps.
    pub fn new(scenario: &Scenario, ruleset: &Ruleset) -> Result<Board, Complaints> {
        let mut complaints = Complaints::default();
        let mut rosters: HashMap<String, Entry> = HashMap::new();
        let (mut places, mut sides) = (BTreeMap::new(), BTreeMap::new());
        for name in &scenario.uses {
            match ruleset.scenario(name) {
                Ok(used) => {
                    rosters.extend(used.pieces.into_iter().map(|entry| (entry.name.clone(), entry)));
                    places.extend(used.places);
                    sides.extend(used.sides);
                }
                Err(error) => {
                    let place = Place::at(&scenario.file.path, &scenario.file.text, scenario.root.span_of("uses", name));
                    let help = "rosters and maps stand in scenarios/<game> and in variants";
                    complaints.push(Complaint::new("unknown-name", place, error.to_string()).help(help));
                }
            }
        }
        let mut board = Board::default();
        for entry in &scenario.pieces {
            let full = match rosters.get(&entry.name) {
                None => entry.clone(),
                Some(rated) => joined(rated, entry),
            };
            if full.word("kind").is_none() {
                let near = did_you_mean(&entry.name, rosters.keys().map(String::as_str));
                let what = format!("`{}` has no kind, and stands in no roster in use{near}", entry.name);
                let place = place_of(&entry.path, entry.span, ruleset);
                complaints.push(Complaint::new("unknown-name", place, what).help("write `kind:`, or name the roster under `uses:`"));
                continue;
            }
            board.add(&full, &ruleset.game);
        }
        for entry in &scenario.pieces {
            if let Some(carrier) = entry.word("on").filter(|name| board.find(name).is_none()) {
                let near = did_you_mean(carrier, board.names.keys().map(|name| name.as_str()));
                let what = format!("no piece is called `{carrier}`{near}");
                let place = place_of(&entry.path, entry.on_span, ruleset);
                let help = "`on:` names a piece of the same situation; a place is named by `at:`";
                complaints.push(Complaint::new("unknown-name", place, what).crumbs(format!("carries {}", entry.name)).help(help));
            }
        }
        let features = |data: &BTreeMap<String, Datum>| data.iter().map(|(k, v)| (k.as_str().into(), dynamic(v))).collect::<Features>();
        // What the situation says of a place goes before what a map in use says of it.
        places.extend(scenario.places.clone());
        sides.extend(scenario.sides.clone());
        board.places = Rc::new(places.iter().map(|(k, v)| (k.clone(), features(v))).collect());
        let mut by_place: FxHashMap<String, FxHashMap<String, Features>> = FxHashMap::default();
        for ((a, b), data) in &sides {
            by_place.entry(a.clone()).or_default().insert(b.clone(), features(data));
        }
        board.sides = Rc::new(by_place);
        board.tracks = scenario.tracks.iter().map(|(k, v)| (k.clone(), dynamic(v))).collect();
        if complaints.any_error() { Err(complaints) } else { Ok(board) }
    }

    /// Puts a piece on the board and returns its number.
    pub fn add(&mut self, entry: &Entry, game: &Game) -> PieceId {
        let word = |key: &str| ImmutableString::from(entry.word(key).unwrap_or_default());
        let mut values = Vec::with_capacity(game.attributes.len());
        let mut doubtful = Vec::new();
        for (index, (name, attribute)) in game.attributes.iter().enumerate() {
            let status = entry.status_of(name);
            let given = entry.data.get(name);
            // Only numbers are figures; words say how a piece was set up.
            let figure = matches!(attribute, Attribute::Number(..));
            if status == Status::Missing || (figure && status == Status::Reconstructed && given.is_some()) {
                doubtful.push((index, status));
            }
            values.push(given.map_or_else(|| default(attribute), dynamic));
        }
        let id = self.pieces.len() as u32;
        let name = ImmutableString::from(entry.name.as_str());
        self.names.insert(name.clone(), id);
        let (kind, side, at, on) = (word("kind"), word("side"), word("at"), word("on"));
        self.pieces.push(Piece { name, kind, side, at, on, gone: false, values, doubtful, path: entry.path.clone() });
        PieceId(id)
    }

    /// A piece by its number.
    pub fn piece(&self, id: PieceId) -> &Piece {
        &self.pieces[id.0 as usize]
    }

    /// A piece by its number, to change it.
    pub fn piece_mut(&mut self, id: PieceId) -> &mut Piece {
        &mut self.pieces[id.0 as usize]
    }

    /// A piece by its name, on the board or gone.
    pub fn find(&self, name: &str) -> Option<PieceId> {
        self.names.get(name).copied().map(PieceId)
    }

    /// The pieces still on the board for which a test holds.
    pub fn select(&self, test: impl Fn(&Piece) -> bool) -> Vec<PieceId> {
        (0u32..).zip(&self.pieces).filter(|(_, p)| !p.gone && test(p)).map(|(i, _)| PieceId(i)).collect()
    }

    /// Where a piece is: its own place, or that of what carries it.
    pub fn place_of<'a>(&'a self, piece: &'a Piece) -> &'a ImmutableString {
        let mut piece = piece;
        // A chain of carriers is short; a circle of them ends here too.
        for _ in 0..8 {
            if !piece.at.is_empty() || piece.on.is_empty() {
                break;
            }
            match self.find(&piece.on) {
                Some(carrier) => piece = self.piece(carrier),
                None => break,
            }
        }
        &piece.at
    }

    /// Whether a piece, or what carries it, is at a place.
    pub fn is_at(&self, piece: &Piece, place: &str) -> bool {
        if piece.at.is_empty() { self.place_of(piece) == place } else { piece.at == place }
    }

    /// What is known of a place.
    pub fn feature(&self, place: &str, name: &str) -> Option<Dynamic> {
        self.places.get(place)?.get(name).cloned()
    }

    /// What is known of the side between two places.
    pub fn side_feature(&self, a: &str, b: &str, name: &str) -> Option<Dynamic> {
        self.sides.get(a)?.get(b)?.get(name).cloned()
    }

    /// Places joined to one by the map's sides.
    pub fn linked(&self, place: &str) -> Vec<String> {
        let mut list: Vec<String> = self.sides.get(place).into_iter().flat_map(|s| s.keys().cloned()).collect();
        list.sort();
        list
    }
}

/// A place in whichever scenario file an entry comes from.
fn place_of(path: &str, span: Span, ruleset: &Ruleset) -> Place {
    let mut files = ruleset.layers.iter().flat_map(|layer| layer.scenarios.values());
    files.find(|file| file.path == path).map_or_else(|| Place::file(path), |file| Place::at(path, &file.text, span))
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
