//! Lists and maps, with how much each holds.

use super::{BYTES, ITEMS, NESTED, Text, VALUES, Value};
use std::sync::Arc;

/// So few entries are looked through faster than searched.
const FEW: usize = 24;

/// How much a value holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Values, with those inside others.
    pub values: u32,
    /// Bytes of texts.
    pub bytes: u32,
    nested: u8,
}

impl Size {
    #[inline]
    pub(super) fn of(value: &Value) -> Size {
        match value {
            Value::List(list) => list.0.size,
            Value::Map(map) => map.0.size,
            Value::Text(text) | Value::Place(text) => Size { values: 1, bytes: text.len() as u32, nested: 0 },
            _ => Size { values: 1, bytes: 0, nested: 0 },
        }
    }

    fn with(self, value: &Value) -> Size {
        let more = Size::of(value);
        Size {
            values: self.values.saturating_add(more.values),
            bytes: self.bytes.saturating_add(more.bytes),
            nested: self.nested.max(more.nested.saturating_add(1)),
        }
    }

    fn with_entry(self, name: &Text, value: &Value) -> Size {
        let size = self.with(value);
        Size { bytes: size.bytes.saturating_add(name.len() as u32), ..size }
    }

    fn fits(self, items: usize) -> bool {
        items <= ITEMS && self.values <= VALUES && self.bytes <= BYTES && self.nested <= NESTED
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

    /// Where it stands in memory: the same for all that share it.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether others hold it too: who changes it copies it first.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
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

    /// How much it holds.
    pub fn size(&self) -> Size {
        self.0.size
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

    /// Values by names that come in their order, each once.
    pub fn in_order(entries: impl Iterator<Item = (Text, Value)>) -> Map {
        Map::from_vec(entries.collect())
    }

    fn from_vec(entries: Vec<(Text, Value)>) -> Map {
        let size = entries.iter().fold(Size::default(), |size, (name, value)| size.with_entry(name, value));
        Map(Arc::new(Entries { size, cell: false, entries }))
    }

    /// Where it stands in memory: the same for all that share it.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
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
                map.size = map.entries.iter().fold(Size::default(), |size, (name, value)| size.with_entry(name, value));
            }
            Err(place) => {
                map.size = map.size.with_entry(&name, &value);
                map.entries.insert(place, (name, value));
            }
        }
    }

    /// Takes a name away, with its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let map = Arc::make_mut(&mut self.0);
        let place = map.entries.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
        let (_, value) = map.entries.remove(place);
        map.size = map.entries.iter().fold(Size::default(), |size, (name, value)| size.with_entry(name, value));
        Some(value)
    }

    /// Whether it keeps to the limits.
    pub fn fits(&self) -> bool {
        self.0.size.fits(self.0.entries.len())
    }
}

impl FromIterator<(Text, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Text, Value)>>(entries: I) -> Map {
        let mut entries: Vec<(Text, Value)> = entries.into_iter().collect();
        if !entries.is_sorted_by(|(a, _), (b, _)| a < b) {
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            // Of several values of one name the last holds.
            entries.dedup_by(|(later, new), (name, value)| {
                *later == *name && {
                    std::mem::swap(new, value);
                    true
                }
            });
        }
        Map::from_vec(entries)
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.entries == other.0.entries
    }
}

impl Eq for Map {}
