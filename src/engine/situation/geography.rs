//! The immutable map of a situation: places, sides between them, and their features. Changes to features are in the board's delta.

use crate::data::cache::lock_unpoisoned;
use crate::data::manifest::{AttributeType, Game};
use crate::data::piece::{Datum, Features};
use crate::data::scenario::Scenario;
use crate::data::status::{ReconstructedFigure, Status};
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::fingerprint::mix;
use crate::situation::value::{HashedText, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A file whose features are reconstructed or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncertainMap {
    /// Reconstructed or missing.
    pub status: Status,
    /// What a ruling that read a feature of the file rests on.
    pub figure: Arc<ReconstructedFigure>,
}

/// A side between two places.
pub struct NumberedSide<'g> {
    pub places: [&'g HashedText; 2],
    pub number: usize,
}

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
    uncertain_maps: Vec<UncertainMap>,
    /// For each place and for each side, the index in `uncertain_maps` if its features are uncertain.
    uncertain_places: Vec<Option<u16>>,
    uncertain_sides: Vec<Option<u16>>,
    /// The same for features that were set later.
    uncertain_later: FxHashMap<CellKey, Option<u16>>,
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
        places
            .iter()
            .for_each(|(name, features)| geography.add_place(name, features, game));
        sides
            .iter()
            .for_each(|(ends, features)| geography.add_side(ends, features, game));
        let columns = geography
            .place_columns
            .iter()
            .chain(&geography.side_columns);
        let fingerprint = columns.fold(0, |sum, column| {
            column
                .iter()
                .fold(mix(sum, 1), |sum, value| mix(sum, value.fingerprint()))
        });
        let names = places
            .keys()
            .map(|name| name.as_str())
            .chain(sides.keys().flat_map(|(a, b)| [a.as_str(), b.as_str()]));
        let fingerprint = names.fold(fingerprint, |sum, name| {
            mix(sum, HashedText::from(name).fingerprint())
        });
        geography.fingerprint = mix(fingerprint, geography.uncertainty_fingerprint());
        geography
    }

    /// Returns a fingerprint of what is uncertain. Answers that rest on other files are not the same, although they are equal.
    fn uncertainty_fingerprint(&self) -> u64 {
        let index = |index: &Option<u16>| index.map_or(0, |index| u64::from(index) + 1);
        let maps = self.uncertain_maps.iter().map(|map| {
            mix(
                map.status as u64,
                HashedText::from(map.figure.path.as_str()).fingerprint(),
            )
        });
        let rows = self
            .uncertain_places
            .iter()
            .chain(&self.uncertain_sides)
            .map(index);
        // A hash table has no order, so its entries are added up.
        let later = self
            .uncertain_later
            .iter()
            .map(|(cell, map)| cell.fingerprint(&Value::Number(index(map) as i64)).get());
        maps.chain(rows).fold(later.fold(0, u64::wrapping_add), mix)
    }

    /// Returns the index of an uncertain map; `None` if the status is certain.
    fn uncertain_map(&mut self, status: Status, path: &str) -> Option<u16> {
        if status.is_certain() {
            return None;
        }
        let is_same_map = |map: &UncertainMap| map.status == status && map.figure.path == path;
        let index = self
            .uncertain_maps
            .iter()
            .position(is_same_map)
            .unwrap_or_else(|| {
                self.uncertain_maps.push(UncertainMap {
                    status,
                    figure: Arc::new(ReconstructedFigure::map(path)),
                });
                self.uncertain_maps.len() - 1
            });
        u16::try_from(index).ok()
    }

    fn add_features(
        &mut self,
        first_cell: CellKey,
        features: &Features,
        attributes: &[(String, AttributeType)],
    ) {
        let map_index = self.uncertain_map(features.status, &features.path);
        let later: Vec<_> = features
            .set_later
            .iter()
            .map(|(name, (status, path))| (name, self.uncertain_map(*status, path)))
            .collect();
        let (columns, rows) = match first_cell.kind() {
            EntityKind::Place => (&mut self.place_columns, &mut self.uncertain_places),
            _ => (&mut self.side_columns, &mut self.uncertain_sides),
        };
        rows.push(map_index);
        for (index, (column, (attribute, attribute_type))) in
            columns.iter_mut().zip(attributes).enumerate()
        {
            column.push(
                features
                    .attributes
                    .get(attribute)
                    .map_or_else(|| default_value(attribute_type), datum_value),
            );
            let later_map = later.iter().find(|(name, _)| *name == attribute);
            self.uncertain_later.extend(later_map.map(|(_, map)| {
                (
                    CellKey::new(first_cell.kind(), index, first_cell.row()),
                    *map,
                )
            }));
        }
    }

    /// Returns the file that makes a feature of a place or side uncertain.
    pub fn uncertainty(&self, feature: CellKey) -> Option<&UncertainMap> {
        if self.uncertain_maps.is_empty() {
            return None;
        }
        let rows = if feature.kind() == EntityKind::Place {
            &self.uncertain_places
        } else {
            &self.uncertain_sides
        };
        let index = self
            .uncertain_later
            .get(&feature)
            .or_else(|| rows.get(feature.row()))?;
        index.map(|index| &self.uncertain_maps[usize::from(index)])
    }

    /// Returns the uncertain files that name the sides of a place, by which it touches others.
    pub fn uncertain_sides_of(&self, place: &HashedText) -> impl Iterator<Item = &UncertainMap> {
        let sides = self
            .side_numbers
            .get(place)
            .filter(|_| !self.uncertain_maps.is_empty())
            .into_iter()
            .flat_map(FxHashMap::values);
        sides
            .filter_map(|side| self.uncertain_sides[*side as usize])
            .map(|index| &self.uncertain_maps[usize::from(index)])
    }

    /// Returns the uncertain files that name places.
    pub fn uncertain_lists(&self) -> impl Iterator<Item = &UncertainMap> {
        self.uncertain_maps
            .iter()
            .zip(0..)
            .filter(|(_, index)| self.uncertain_places.contains(&Some(*index)))
            .map(|(map, _)| map)
    }

    /// Returns the files that are uncertain.
    pub fn uncertain_maps(&self) -> &[UncertainMap] {
        &self.uncertain_maps
    }

    fn add_place(&mut self, name: &str, features: &Features, game: &Game) {
        let name = HashedText::from(name);
        self.add_features(
            CellKey::new(EntityKind::Place, 0, self.places.len()),
            features,
            &game.places.attributes,
        );
        self.place_numbers
            .insert(name.clone(), self.places.len() as u32);
        self.places.push(name);
    }

    fn add_side(&mut self, (a, b): &(String, String), features: &Features, game: &Game) {
        let (a, b) = (HashedText::from(a.as_str()), HashedText::from(b.as_str()));
        self.neighbours
            .entry(a.clone())
            .or_default()
            .push(b.clone());
        // Both directions denote the same side.
        if let Some(number) = self
            .side_numbers
            .get(&b)
            .and_then(|beside| beside.get(&a))
            .copied()
        {
            self.side_numbers.entry(a).or_default().insert(b, number);
            return;
        }
        self.add_features(
            CellKey::new(EntityKind::Side, 0, self.side_count as usize),
            features,
            &game.places.side_attributes,
        );
        self.side_numbers
            .entry(a)
            .or_default()
            .insert(b, self.side_count);
        self.side_count += 1;
    }

    pub fn place_number(&self, name: &HashedText) -> Option<u32> {
        self.place_numbers.get(name).copied()
    }

    /// Returns the number of the side between two places.
    pub fn side_number(&self, a: &HashedText, b: &HashedText) -> Option<u32> {
        self.side_numbers.get(a)?.get(b).copied()
    }

    /// Iterates over the sides, each once.
    pub fn sides(&self) -> impl Iterator<Item = NumberedSide<'_>> {
        let beside = self.side_numbers.iter().flat_map(|(a, list)| {
            list.iter().map(move |(b, number)| NumberedSide {
                places: [a, b],
                number: *number as usize,
            })
        });
        beside.filter(|side| side.places[0].as_str() < side.places[1].as_str())
    }

    /// Returns the places that share a side with a place, sorted by name.
    pub fn neighbours(&self, place: &HashedText) -> &[HashedText] {
        self.neighbours
            .get(place)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns a feature of a place or side; `None` if it is not declared.
    pub fn get(&self, figure: CellKey) -> Option<&Value> {
        let columns = if figure.kind() == EntityKind::Place {
            &self.place_columns
        } else {
            &self.side_columns
        };
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
        let columns = |columns: &[Vec<Value>]| {
            columns
                .iter()
                .map(|column| column.iter().map(Value::deep_clone).collect())
                .collect()
        };
        let texts =
            |texts: &[HashedText]| texts.iter().map(HashedText::deep_clone).collect::<Vec<_>>();
        let numbered = |index: &FxHashMap<HashedText, u32>| {
            index
                .iter()
                .map(|(name, number)| (name.deep_clone(), *number))
                .collect()
        };
        Geography {
            places: texts(&self.places),
            place_numbers: numbered(&self.place_numbers),
            place_columns: columns(&self.place_columns),
            side_numbers: self
                .side_numbers
                .iter()
                .map(|(a, beside)| (a.deep_clone(), numbered(beside)))
                .collect(),
            side_columns: columns(&self.side_columns),
            side_count: self.side_count,
            neighbours: self
                .neighbours
                .iter()
                .map(|(name, list)| (name.deep_clone(), texts(list)))
                .collect(),
            uncertain_maps: self
                .uncertain_maps
                .iter()
                .map(|map| UncertainMap {
                    status: map.status,
                    figure: Arc::new((*map.figure).clone()),
                })
                .collect(),
            uncertain_places: self.uncertain_places.clone(),
            uncertain_sides: self.uncertain_sides.clone(),
            uncertain_later: self.uncertain_later.clone(),
            fingerprint: self.fingerprint,
        }
    }
}

/// Cache of maps shared by the situations of one ruleset, keyed by the lists they use.
#[derive(Debug, Default)]
pub struct Atlas(Mutex<FxHashMap<Vec<String>, Arc<Geography>>>);

impl Atlas {
    /// Returns the map of a situation that uses some lists.
    pub fn geography_for(
        &self,
        scenario: &Scenario,
        used: &[Arc<Scenario>],
        game: &Game,
    ) -> Arc<Geography> {
        // A situation with features of its own cannot share a map.
        if !scenario.places.is_empty() || !scenario.sides.is_empty() {
            return Arc::new(Geography::new(scenario, used, game));
        }
        let lists = used
            .iter()
            .filter(|list| !list.places.is_empty() || !list.sides.is_empty())
            .map(|list| list.name.clone())
            .collect();
        let mut geographies = lock_unpoisoned(&self.0);
        geographies
            .entry(lists)
            .or_insert_with(|| Arc::new(Geography::new(scenario, used, game)))
            .clone()
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
    let attributes = if side {
        &game.places.side_attributes
    } else {
        &game.places.attributes
    };
    attributes
        .get(column)
        .map(|(_, attribute_type)| default_value(attribute_type))
        .unwrap_or_default()
}
