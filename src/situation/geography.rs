//! The map of a situation: places, the sides between them, and what is said of both. It does not change; what does is told on the board.

use crate::data::manifest::{Attribute, Game};
use crate::data::once::held;
use crate::data::piece::{Data, Datum};
use crate::data::scenario::Scenario;
use crate::situation::bytes::mixed;
use crate::situation::figures::{Figure, Of};
use crate::situation::value::{Text, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A map.
#[derive(Clone, Debug, Default)]
pub struct Geography {
    /// The places of which something is known.
    pub places: Vec<Text>,
    numbers: FxHashMap<Text, u32>,
    /// What is known of them, column by column.
    features: Vec<Vec<Value>>,
    sides: FxHashMap<Text, FxHashMap<Text, u32>>,
    side_features: Vec<Vec<Value>>,
    side_count: u32,
    links: FxHashMap<Text, Vec<Text>>,
    print: u64,
}

impl Geography {
    /// A map of which nothing is known.
    pub fn empty(game: &Game) -> Geography {
        Geography {
            features: vec![Vec::new(); game.places.attributes.len()],
            side_features: vec![Vec::new(); game.places.sides.len()],
            ..Geography::default()
        }
    }

    /// The map of a situation: what its file says of a place goes before what the lists it uses say of it.
    fn new(scenario: &Scenario, used: &[Arc<Scenario>], game: &Game) -> Geography {
        let (mut places, mut sides) = (BTreeMap::new(), BTreeMap::new());
        for list in used.iter().map(|list| &**list).chain([scenario]) {
            places.extend(&list.places);
            sides.extend(&list.sides);
        }
        let mut geography = Geography::empty(game);
        places.iter().for_each(|(name, data)| geography.place(name, data, game));
        sides.iter().for_each(|((a, b), data)| geography.side(a, b, data, game));
        let columns = geography.features.iter().chain(&geography.side_features);
        let said = columns.fold(0, |sum, column| column.iter().fold(mixed(sum, 1), |sum, value| mixed(sum, value.fingerprint())));
        let names = places.keys().map(|name| name.as_str()).chain(sides.keys().flat_map(|(a, b)| [a.as_str(), b.as_str()]));
        geography.print = names.fold(said, |sum, name| mixed(sum, Text::from(name).fingerprint()));
        geography
    }

    fn place(&mut self, name: &str, data: &Data, game: &Game) {
        let name = Text::from(name);
        self.numbers.insert(name.clone(), self.places.len() as u32);
        self.places.push(name);
        for (column, (attribute, sort)) in self.features.iter_mut().zip(&game.places.attributes) {
            column.push(data.get(attribute).map_or_else(|| default(sort), value));
        }
    }

    fn side(&mut self, a: &str, b: &str, data: &Data, game: &Game) {
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

    /// The number of a place.
    pub fn place_number(&self, name: &Text) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of the side between two places.
    pub fn side_number(&self, a: &Text, b: &Text) -> Option<u32> {
        self.sides.get(a)?.get(b).copied()
    }

    /// The sides, each once, with their numbers.
    pub fn sides(&self) -> impl Iterator<Item = (&Text, &Text, usize)> {
        let beside = self.sides.iter().flat_map(|(a, list)| list.iter().map(move |(b, number)| (a, b, *number as usize)));
        beside.filter(|(a, b, _)| a.as_str() < b.as_str())
    }

    /// Places joined to one by sides, in order of their names.
    pub fn linked(&self, place: &Text) -> &[Text] {
        self.links.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a figure of a place or side is; none where nothing is said of it.
    pub fn get(&self, figure: Figure) -> Option<&Value> {
        let columns = if figure.of() == Of::Place { &self.features } else { &self.side_features };
        columns.get(figure.column())?.get(figure.number())
    }

    /// How many columns are known of places.
    pub fn columns(&self) -> usize {
        self.features.len()
    }

    /// A fingerprint: maps that say the same have the same.
    pub fn print(&self) -> u64 {
        self.print
    }

    /// The same map in memory of its own; see [`Text::apart`].
    pub fn apart(&self) -> Geography {
        let columns = |columns: &[Vec<Value>]| columns.iter().map(|column| column.iter().map(Value::apart).collect()).collect();
        let texts = |texts: &[Text]| texts.iter().map(Text::apart).collect::<Vec<_>>();
        let numbered = |index: &FxHashMap<Text, u32>| index.iter().map(|(name, number)| (name.apart(), *number)).collect();
        Geography {
            places: texts(&self.places),
            numbers: numbered(&self.numbers),
            features: columns(&self.features),
            sides: self.sides.iter().map(|(a, beside)| (a.apart(), numbered(beside))).collect(),
            side_features: columns(&self.side_features),
            side_count: self.side_count,
            links: self.links.iter().map(|(name, list)| (name.apart(), texts(list))).collect(),
            print: self.print,
        }
    }
}

/// The maps that situations of one ruleset share, by the lists they come from.
#[derive(Debug, Default)]
pub struct Atlas(Mutex<FxHashMap<Vec<String>, Arc<Geography>>>);

impl Atlas {
    /// The map of a situation that uses some lists.
    pub fn of(&self, scenario: &Scenario, used: &[Arc<Scenario>], game: &Game) -> Arc<Geography> {
        // What a situation says itself is its own.
        if !scenario.places.is_empty() || !scenario.sides.is_empty() {
            return Arc::new(Geography::new(scenario, used, game));
        }
        let lists = used.iter().filter(|list| !list.places.is_empty() || !list.sides.is_empty()).map(|list| list.name.clone()).collect();
        let mut known = held(&self.0);
        known.entry(lists).or_insert_with(|| Arc::new(Geography::new(scenario, used, game))).clone()
    }
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

/// What an attribute of a place, or of a side between two, reads as where nothing is said.
pub fn unsaid(game: &Game, column: usize, side: bool) -> Value {
    let list = if side { &game.places.sides } else { &game.places.attributes };
    list.get(column).map(|(_, sort)| default(sort)).unwrap_or_default()
}
