//! Lists and maps with cached sizes.

use super::{BYTES, HashedText, MAX_ITEMS, MAX_NESTING, MAX_VALUES, Value};
use std::sync::Arc;

/// Maximum number of entries for which linear search is faster than binary search.
const LINEAR_SEARCH_LIMIT: usize = 24;

/// Size of a value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Number of values, including nested ones.
    pub values: u32,
    /// Bytes of texts, including nested ones.
    pub bytes: u32,
    depth: u8,
}

impl Size {
    #[inline]
    pub(super) fn of_value(value: &Value) -> Size {
        match value {
            Value::List(list) => list.0.size,
            Value::Map(map) => map.0.size,
            Value::Text(text) | Value::Place(text) => Size {
                values: 1,
                bytes: text.len() as u32,
                depth: 0,
            },
            _ => Size {
                values: 1,
                bytes: 0,
                depth: 0,
            },
        }
    }

    fn plus(self, value: &Value) -> Size {
        let item_size = Size::of_value(value);
        Size {
            values: self.values.saturating_add(item_size.values),
            bytes: self.bytes.saturating_add(item_size.bytes),
            depth: self.depth.max(item_size.depth.saturating_add(1)),
        }
    }

    fn with_entry(self, name: &HashedText, value: &Value) -> Size {
        let size = self.plus(value);
        Size {
            bytes: size.bytes.saturating_add(name.len() as u32),
            ..size
        }
    }

    fn is_within_limits(self, items: usize) -> bool {
        items <= MAX_ITEMS
            && self.values <= MAX_VALUES
            && self.bytes <= BYTES
            && self.depth <= MAX_NESTING
    }
}

#[derive(Clone, Debug, Default)]
struct Items {
    size: Size,
    values: Vec<Value>,
}

/// A list with copy-on-write sharing.
#[derive(Clone, Debug, Default)]
pub struct List(Arc<Items>);

impl List {
    /// Returns the items.
    pub fn as_slice(&self) -> &[Value] {
        &self.0.values
    }

    /// Returns the address of the allocation, which is equal for all clones.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Returns whether the allocation is shared, so that a change copies it first.
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Changes the list, copying it first if it is shared.
    pub fn modify<T>(&mut self, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let items = Arc::make_mut(&mut self.0);
        let result = change(&mut items.values);
        items.size = items
            .values
            .iter()
            .fold(Size::default(), |size, value| size.plus(value));
        result
    }

    /// Appends a value.
    pub fn push(&mut self, value: Value) {
        let items = Arc::make_mut(&mut self.0);
        items.size = items.size.plus(&value);
        items.values.push(value);
    }

    /// Returns the size of the contents.
    pub fn size(&self) -> Size {
        self.0.size
    }

    /// Returns whether the list is within the limits.
    pub fn is_within_limits(&self) -> bool {
        self.0.size.is_within_limits(self.0.values.len())
    }
}

impl From<Vec<Value>> for List {
    fn from(values: Vec<Value>) -> List {
        let size = values
            .iter()
            .fold(Size::default(), |size, value| size.plus(value));
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
    /// Whether this map is a table cell split into fields; access to a missing field is then an error.
    is_cell: bool,
    /// Entries sorted by name.
    entries: Vec<(HashedText, Value)>,
}

/// A map from names to values with copy-on-write sharing.
#[derive(Clone, Debug, Default)]
pub struct Map(Arc<Entries>);

impl Map {
    /// Creates the map of a table cell, by field.
    pub fn from_cell(fields: impl IntoIterator<Item = (HashedText, Value)>) -> Map {
        let mut map: Map = fields.into_iter().collect();
        Arc::make_mut(&mut map.0).is_cell = true;
        map
    }

    /// Creates a map from entries sorted by name without duplicates.
    pub fn from_sorted(entries: impl Iterator<Item = (HashedText, Value)>) -> Map {
        Map::from_vec(entries.collect())
    }

    fn from_vec(entries: Vec<(HashedText, Value)>) -> Map {
        let size = entries.iter().fold(Size::default(), |size, (name, value)| {
            size.with_entry(name, value)
        });
        Map(Arc::new(Entries {
            size,
            is_cell: false,
            entries,
        }))
    }

    /// Returns the address of the allocation, which is equal for all clones.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Returns whether the map is a table cell split into fields.
    pub fn is_cell(&self) -> bool {
        self.0.is_cell
    }

    /// Returns the entries, sorted by name.
    pub fn entries(&self) -> &[(HashedText, Value)] {
        &self.0.entries
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        let index = self
            .0
            .entries
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
            .ok()?;
        Some(&self.0.entries[index].1)
    }

    /// Like [`Map::get`] for a hashed name, which is faster because most maps are small and texts compare by hash.
    pub fn get_by_text(&self, name: &HashedText) -> Option<&Value> {
        if self.0.entries.len() > LINEAR_SEARCH_LIMIT {
            let index = self
                .0
                .entries
                .binary_search_by(|(key, _)| key.cmp(name))
                .ok()?;
            return Some(&self.0.entries[index].1);
        }
        self.0
            .entries
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// Sets the value of a name.
    pub fn insert(&mut self, name: HashedText, value: Value) {
        let map = Arc::make_mut(&mut self.0);
        match map.entries.binary_search_by(|(key, _)| key.cmp(&name)) {
            Ok(index) => {
                map.entries[index].1 = value;
                map.size = map
                    .entries
                    .iter()
                    .fold(Size::default(), |size, (name, value)| {
                        size.with_entry(name, value)
                    });
            }
            Err(index) => {
                map.size = map.size.with_entry(&name, &value);
                map.entries.insert(index, (name, value));
            }
        }
    }

    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let map = Arc::make_mut(&mut self.0);
        let index = map
            .entries
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
            .ok()?;
        let (_, value) = map.entries.remove(index);
        map.size = map
            .entries
            .iter()
            .fold(Size::default(), |size, (name, value)| {
                size.with_entry(name, value)
            });
        Some(value)
    }

    /// Returns whether the map is within the limits.
    pub fn is_within_limits(&self) -> bool {
        self.0.size.is_within_limits(self.0.entries.len())
    }
}

impl FromIterator<(HashedText, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (HashedText, Value)>>(entries: I) -> Map {
        let mut entries: Vec<(HashedText, Value)> = entries.into_iter().collect();
        if !entries.is_sorted_by(|(a, _), (b, _)| a < b) {
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            // Among duplicate names, the last value wins.
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
