//! What rules compute with: small values that can be copied, compared and written down.
//!
//! Lists and maps are values: a copy of one is not touched by what happens to the other. Both are shared until one of them is written.

use std::sync::Arc;

pub use crate::situation::text::Text;

/// Longest text, in bytes.
pub const TEXT: usize = 32_768;
/// Most items of one list or map.
pub const ITEMS: usize = 4_000;
/// Most values that a list or map holds with all that is inside it.
pub const VALUES: u32 = 50_000;
/// So few entries are looked through faster than searched.
const FEW: usize = 24;
/// How deep lists and maps stand in each other.
pub const NESTED: u8 = 24;

/// A piece: its number on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceId(pub usize);

/// A closure held in a variable: its code, and where the variables lie that it shares with the function it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// Its code, by the number of the unit.
    pub unit: u32,
    /// How many arguments it takes.
    pub arity: usize,
    /// The variables it shares.
    pub shared: Vec<u32>,
}

/// A value: a tag and eight bytes, so that it travels in two registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing: `()`.
    #[default]
    Nothing,
    /// `true`.
    True,
    /// `false`.
    False,
    /// A whole number.
    Number(i64),
    /// A piece on the board.
    Piece(PieceId),
    /// A sheet that procedures hand on and fill in: held by reference.
    Record(usize),
    /// A text.
    Text(Text),
    /// A place.
    Place(Text),
    /// The side between two places.
    Side(Arc<(Text, Text)>),
    /// Whole numbers from one up to, not including, another.
    Range(Arc<(i64, i64)>),
    /// A list.
    List(List),
    /// Values by name.
    Map(Map),
    /// A closure.
    Closure(Arc<Closure>),
}

/// How much a list or map holds.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    values: u32,
    nested: u8,
}

impl Size {
    fn of(value: &Value) -> Size {
        match value {
            Value::List(list) => list.0.size,
            Value::Map(map) => map.0.size,
            _ => Size { values: 1, nested: 0 },
        }
    }

    fn with(self, value: &Value) -> Size {
        let more = Size::of(value);
        Size { values: self.values.saturating_add(more.values), nested: self.nested.max(more.nested.saturating_add(1)) }
    }

    fn fits(self, items: usize) -> bool {
        items <= ITEMS && self.values <= VALUES && self.nested <= NESTED
    }
}

#[derive(Clone, Debug, Default)]
struct Items {
    size: Size,
    values: Vec<Value>,
}

/// A list.
#[derive(Clone, Debug, Default)]
pub struct List(Arc<Items>);

impl List {
    /// Its values.
    pub fn as_slice(&self) -> &[Value] {
        &self.0.values
    }

    /// Changes the list, which is copied first where others hold it too.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let items = Arc::make_mut(&mut self.0);
        let done = change(&mut items.values);
        items.size = items.values.iter().fold(Size::default(), |size, value| size.with(value));
        done
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: Value) {
        let items = Arc::make_mut(&mut self.0);
        items.size = items.size.with(&value);
        items.values.push(value);
    }

    /// Whether it keeps to the limits.
    pub fn fits(&self) -> bool {
        self.0.size.fits(self.0.values.len())
    }
}

impl From<Vec<Value>> for List {
    fn from(values: Vec<Value>) -> List {
        let size = values.iter().fold(Size::default(), |size, value| size.with(value));
        List(Arc::new(Items { size, values }))
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> List {
        values.into_iter().collect::<Vec<_>>().into()
    }
}

impl std::ops::Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0.values
    }
}

impl PartialEq for List {
    fn eq(&self, other: &List) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.values == other.0.values
    }
}

impl Eq for List {}

#[derive(Clone, Debug, Default)]
struct Entries {
    size: Size,
    /// The figures of a cell: asking for one it has not is a fault.
    cell: bool,
    /// By name, in the order of the names.
    entries: Vec<(Text, Value)>,
}

/// Values by name.
#[derive(Clone, Debug, Default)]
pub struct Map(Arc<Entries>);

impl Map {
    /// The figures of a cell, by field.
    pub fn cell(fields: impl IntoIterator<Item = (Text, Value)>) -> Map {
        let mut map: Map = fields.into_iter().collect();
        Arc::make_mut(&mut map.0).cell = true;
        map
    }

    /// Whether these are the figures of a cell.
    pub fn is_cell(&self) -> bool {
        self.0.cell
    }

    /// Its entries, in the order of their names.
    pub fn entries(&self) -> &[(Text, Value)] {
        &self.0.entries
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let place = self.0.entries.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
        Some(&self.0.entries[place].1)
    }

    /// The same where the name is a text of the rules: most maps are small, and texts differ by their hash.
    pub fn find(&self, name: &Text) -> Option<&Value> {
        if self.0.entries.len() > FEW {
            return self.get(name);
        }
        self.0.entries.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Sets the value of a name.
    pub fn insert(&mut self, name: Text, value: Value) {
        let map = Arc::make_mut(&mut self.0);
        match map.entries.binary_search_by(|(key, _)| key.cmp(&name)) {
            Ok(place) => {
                map.entries[place].1 = value;
                map.size = map.entries.iter().fold(Size::default(), |size, (_, value)| size.with(value));
            }
            Err(place) => {
                map.size = map.size.with(&value);
                map.entries.insert(place, (name, value));
            }
        }
    }

    /// Takes a name away, with its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let map = Arc::make_mut(&mut self.0);
        let place = map.entries.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
        let (_, value) = map.entries.remove(place);
        map.size = map.entries.iter().fold(Size::default(), |size, (_, value)| size.with(value));
        Some(value)
    }

    /// Whether it keeps to the limits.
    pub fn fits(&self) -> bool {
        self.0.size.fits(self.0.entries.len())
    }
}

impl FromIterator<(Text, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Text, Value)>>(entries: I) -> Map {
        let mut map = Entries::default();
        for (name, value) in entries {
            map.size = map.size.with(&value);
            match map.entries.binary_search_by(|(key, _)| key.cmp(&name)) {
                Ok(place) => map.entries[place].1 = value,
                Err(place) => map.entries.insert(place, (name, value)),
            }
        }
        Map(Arc::new(map))
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.entries == other.0.entries
    }
}

impl Eq for Map {}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        if flag { Value::True } else { Value::False }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text.into())
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Value {
        Value::Text(text)
    }
}

impl From<PieceId> for Value {
    fn from(piece: PieceId) -> Value {
        Value::Piece(piece)
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Value {
        Value::List(values.into())
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Value {
        Value::List(values.into_iter().collect())
    }
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<i64> {
        if let Value::Number(n) = self { Some(*n) } else { None }
    }

    /// The flag, if it is one.
    pub fn flag(&self) -> Option<bool> {
        match self {
            Value::True => Some(true),
            Value::False => Some(false),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&Text> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The piece, if it is one.
    pub fn piece(&self) -> Option<PieceId> {
        if let Value::Piece(piece) = self { Some(*piece) } else { None }
    }

    /// The list, if it is one.
    pub fn list(&self) -> Option<&List> {
        if let Value::List(list) = self { Some(list) } else { None }
    }

    /// The map, if it is one.
    pub fn map(&self) -> Option<&Map> {
        if let Value::Map(map) = self { Some(map) } else { None }
    }

    /// Whether it holds nothing but itself: there is nothing to let go.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        matches!(self, Value::Nothing | Value::True | Value::False | Value::Number(_) | Value::Piece(_) | Value::Record(_))
    }

    /// Whether it is nothing.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Value::Nothing)
    }

    /// What scripts call its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Nothing => "()",
            Value::True | Value::False => "bool",
            Value::Number(_) => "i64",
            Value::Text(_) => "string",
            Value::Piece(_) => "piece",
            Value::Place(_) => "place",
            Value::Side(_) => "side",
            Value::Range(_) => "range",
            Value::List(_) => "array",
            Value::Map(map) => {
                if map.is_cell() {
                    "cell"
                } else {
                    "map"
                }
            }
            Value::Record(_) => "record",
            Value::Closure(_) => "Fn",
        }
    }

    /// What it is called outside of scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Nothing => "nothing",
            Value::True | Value::False => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Piece(_) => "a piece",
            Value::Place(_) => "a place",
            Value::Side(_) => "a side between places",
            Value::Range(_) => "a range of numbers",
            Value::List(_) => "a list",
            Value::Map(map) => {
                if map.is_cell() {
                    "a cell"
                } else {
                    "a map"
                }
            }
            Value::Record(_) => "a sheet",
            Value::Closure(_) => "a closure",
        }
    }

    /// Whether a text, list or map keeps to the limits.
    pub fn fits(&self) -> bool {
        match self {
            Value::Text(text) => text.len() <= TEXT,
            Value::List(list) => list.fits(),
            Value::Map(map) => map.fits(),
            _ => true,
        }
    }
}
