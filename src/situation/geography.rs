//! The immutable map of a situation: places, sides between them, and their features. Changes to features are in the board's delta.

use crate::data::cache::lock_unpoisoned;
use crate::data::manifest::{AttributeType, Game};
use crate::data::piece::{Attributes, Datum};
use crate::data::scenario::Scenario;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::fingerprint::mix;
use crate::situation::value::{HashedText, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A map.
#[derive(Clone, Debug, Default)]
pub struct Geography {
    /// Known places.
    pub places: Vec<HashedText>,
    place_numbers: FxHashMap<HashedText, u32>,
    /// Features of the places, by column.
    place_columns: Vec<Vec<Value>>,
    side_numbers: FxHashMap<HashedText, FxHashMap<HashedText, u32>>,
    side_columns: Vec<Vec<Value>>,
    side_count: u32,
    neighbours: FxHashMap<HashedText, Vec<HashedText>>,
    fingerprint: u64,
}

impl Geography {
    /// Returns a map without places.
    pub fn empty(game: &Game) -> Geography {
        Geography {
            place_columns: vec![Vec::new(); game.places.attributes.len()],
            side_columns: vec![Vec::new(); game.places.side_attributes.len()],
            ..Geography::default()
        }
    }

    /// Builds the map of a situation; features in its own file override those of the lists it uses.
    fn new(scenario: &Scenario, used: &[Arc<Scenario>], game: &Game) -> Geography {
        let (mut places, mut sides) = (BTreeMap::new(), BTreeMap::new());
        for list in used.iter().map(|list| &**list).chain([scenario]) {
            places.extend(&list.places);
            sides.extend(&list.sides);
        }
        let mut geography = Geography::empty(game);
        places.iter().for_each(|(name, data)| geography.add_place(name, data, game));
        sides.iter().for_each(|((a, b), data)| geography.add_side(a, b, data, game));
        let columns = geography.place_columns.iter().chain(&geography.side_columns);
        let fingerprint = columns.fold(0, |sum, column| column.iter().fold(mix(sum, 1), |sum, value| mix(sum, value.fingerprint())));
        let names = places.keys().map(|name| name.as_str()).chain(sides.keys().flat_map(|(a, b)| [a.as_str(), b.as_str()]));
        geography.fingerprint = names.fold(fingerprint, |sum, name| mix(sum, HashedText::from(name).fingerprint()));
        geography
    }

    fn add_place(&mut self, name: &str, data: &Attributes, game: &Game) {
        let name = HashedText::from(name);
        self.place_numbers.insert(name.clone(), self.places.len() as u32);
        self.places.push(name);
        for (column, (attribute, sort)) in self.place_columns.iter_mut().zip(&game.places.attributes) {
            column.push(data.get(attribute).map_or_else(|| default_value(sort), datum_value));
        }
    }

    fn add_side(&mut self, a: &str, b: &str, data: &Attributes, game: &Game) {
        let (a, b) = (HashedText::from(a), HashedText::from(b));
        self.neighbours.entry(a.clone()).or_default().push(b.clone());
        // Both directions denote the same side.
        if let Some(known) = self.side_numbers.get(&b).and_then(|beside| beside.get(&a)).copied() {
            self.side_numbers.entry(a).or_default().insert(b, known);
            return;
        }
        self.side_numbers.entry(a).or_default().insert(b, self.side_count);
        self.side_count += 1;
        for (column, (attribute, sort)) in self.side_columns.iter_mut().zip(&game.places.side_attributes) {
            column.push(data.get(attribute).map_or_else(|| default_value(sort), datum_value));
        }
    }

    /// Returns the number of a place.
    pub fn place_number(&self, name: &HashedText) -> Option<u32> {
        self.place_numbers.get(name).copied()
    }

    /// Returns the number of the side between two places.
    pub fn side_number(&self, a: &HashedText, b: &HashedText) -> Option<u32> {
        self.side_numbers.get(a)?.get(b).copied()
    }

    /// Iterates over the sides with their numbers, each once.
    pub fn sides(&self) -> impl Iterator<Item = (&HashedText, &HashedText, usize)> {
        let beside = self.side_numbers.iter().flat_map(|(a, list)| list.iter().map(move |(b, number)| (a, b, *number as usize)));
        beside.filter(|(a, b, _)| a.as_str() < b.as_str())
    }

    /// Returns the places that share a side with a place, sorted by name.
    pub fn neighbours(&self, place: &HashedText) -> &[HashedText] {
        self.neighbours.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns a feature of a place or side; `None` if it is not declared.
    pub fn get(&self, figure: CellKey) -> Option<&Value> {
        let columns = if figure.kind() == EntityKind::Place { &self.place_columns } else { &self.side_columns };
        columns.get(figure.column())?.get(figure.row())
    }

    /// Returns the number of place columns.
    pub fn place_column_count(&self) -> usize {
        self.place_columns.len()
    }

    /// Returns a fingerprint; equal maps have equal fingerprints.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns a deep copy; see [`HashedText::deep_clone`].
    pub fn deep_clone(&self) -> Geography {
        let columns = |columns: &[Vec<Value>]| columns.iter().map(|column| column.iter().map(Value::deep_clone).collect()).collect();
        let texts = |texts: &[HashedText]| texts.iter().map(HashedText::deep_clone).collect::<Vec<_>>();
        let numbered = |index: &FxHashMap<HashedText, u32>| index.iter().map(|(name, number)| (name.deep_clone(), *number)).collect();
        Geography {
            places: texts(&self.places),
            place_numbers: numbered(&self.place_numbers),
            place_columns: columns(&self.place_columns),
            side_numbers: self.side_numbers.iter().map(|(a, beside)| (a.deep_clone(), numbered(beside))).collect(),
            side_columns: columns(&self.side_columns),
            side_count: self.side_count,
            neighbours: self.neighbours.iter().map(|(name, list)| (name.deep_clone(), texts(list))).collect(),
            fingerprint: self.fingerprint,
        }
    }
}

/// Cache of maps shared by the situations of one ruleset, keyed by the lists they use.
#[derive(Debug, Default)]
pub struct Atlas(Mutex<FxHashMap<Vec<String>, Arc<Geography>>>);

impl Atlas {
    /// Returns the map of a situation that uses some lists.
    pub fn geography_for(&self, scenario: &Scenario, used: &[Arc<Scenario>], game: &Game) -> Arc<Geography> {
        // A situation with features of its own cannot share a map.
        if !scenario.places.is_empty() || !scenario.sides.is_empty() {
            return Arc::new(Geography::new(scenario, used, game));
        }
        let lists = used.iter().filter(|list| !list.places.is_empty() || !list.sides.is_empty()).map(|list| list.name.clone()).collect();
        let mut known = lock_unpoisoned(&self.0);
        known.entry(lists).or_insert_with(|| Arc::new(Geography::new(scenario, used, game))).clone()
    }
}

/// Converts a datum to a script value.
pub fn datum_value(datum: &Datum) -> Value {
    match datum {
        Datum::Number(n) => Value::Number(*n),
        Datum::Flag(flag) => (*flag).into(),
        Datum::Word(word) => word.as_str().into(),
        Datum::Words(words) => words.iter().map(|w| Value::from(w.as_str())).collect(),
    }
}

/// Returns the default value of an attribute.
pub fn default_value(attribute: &AttributeType) -> Value {
    match attribute {
        AttributeType::Number(_, Some(n), _) => Value::Number(*n),
        AttributeType::Flag => Value::False,
        AttributeType::Word(_, Some(word)) => word.as_str().into(),
        AttributeType::Words => Value::List(Default::default()),
        _ => Value::Nothing,
    }
}

/// Returns the default value of a feature of a place, or of a side if `side` is set.
pub fn default_feature(game: &Game, column: usize, side: bool) -> Value {
    let list = if side { &game.places.side_attributes } else { &game.places.attributes };
    list.get(column).map(|(_, sort)| default_value(sort)).unwrap_or_default()
}
