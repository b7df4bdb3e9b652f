//! What has changed of a situation since its start.

use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::value::Value;
use std::cmp::Ordering;
use std::num::NonZero;

/// What has changed since the start, by figure.
#[derive(Clone, Debug, Default)]
pub struct BoardDelta {
    keys: Vec<CellKey>,
    values: Vec<Value>,
    /// A fingerprint of each figure with its value; none where it was not asked for since the figure was set.
    fingerprints: Vec<Option<NonZero<u64>>>,
}

impl BoardDelta {
    /// How many bytes it takes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.keys) + size_of_val(&*self.values) + size_of_val(&*self.fingerprints)) as u64
    }

    /// The value of a figure that has changed.
    pub fn get(&self, figure: CellKey) -> Option<&Value> {
        Some(&self.values[self.keys.binary_search(&figure).ok()?])
    }

    /// Sets a figure.
    pub fn set(&mut self, figure: CellKey, value: Value) {
        match self.keys.binary_search(&figure) {
            Ok(place) => (self.values[place], self.fingerprints[place]) = (value, None),
            Err(place) => {
                self.keys.insert(place, figure);
                self.values.insert(place, value);
                self.fingerprints.insert(place, None);
            }
        }
    }

    /// The figure is as it was at the start.
    pub fn remove(&mut self, figure: CellKey) {
        if let Ok(place) = self.keys.binary_search(&figure) {
            self.keys.remove(place);
            self.values.remove(place);
            self.fingerprints.remove(place);
        }
    }

    /// What has changed of a column: numbers and values, in order.
    pub fn column(&self, of: EntityKind, column: usize) -> ColumnDelta<'_> {
        let from = self.keys.partition_point(|f| *f < CellKey::new(of, column, 0));
        let len = self.keys[from..].partition_point(|f| f.kind() == of && f.column() == column);
        ColumnDelta { keys: &self.keys[from..from + len], values: &self.values[from..from + len] }
    }

    /// Fingerprints of all that has changed. Figures that differ have another one, but for a chance that no count comes near.
    pub fn fingerprints(&mut self) -> DeltaFingerprints {
        self.compute_fingerprints();
        DeltaFingerprints { keys: self.keys.clone(), fingerprints: self.fingerprints.clone() }
    }

    /// A fingerprint of all that has changed: a sum of squares, which is twice as long as a fingerprint of one figure.
    pub fn total_fingerprint(&mut self) -> u128 {
        self.compute_fingerprints();
        let square = |print: &NonZero<u64>| u128::from(print.get()) * u128::from(print.get());
        self.fingerprints.iter().flatten().fold(0, |sum: u128, print| sum.wrapping_add(square(print)))
    }

    /// Works out the fingerprints that are not known.
    fn compute_fingerprints(&mut self) {
        let all = self.fingerprints.iter_mut().zip(&self.keys).zip(&self.values);
        all.filter(|((print, _), _)| print.is_none()).for_each(|((print, figure), value)| *print = Some(figure.fingerprint(value)));
    }

    /// Tells which figures are otherwise than elsewhere: the fingerprint there and here, none where the figure has not changed.
    pub fn diff(&mut self, there: &DeltaFingerprints, mut tell: impl FnMut(CellKey, Option<u64>, Option<u64>)) {
        self.compute_fingerprints();
        let (before, now) = (&there.keys[..], &self.keys[..]);
        let (old, new) =
            (|place: usize| there.fingerprints[place].map(NonZero::get), |place: usize| self.fingerprints[place].map(NonZero::get));
        let (mut was, mut is) = (0, 0);
        while was < before.len() && is < now.len() {
            match before[was].cmp(&now[is]) {
                Ordering::Less => {
                    tell(before[was], old(was), None);
                    was += 1;
                }
                Ordering::Greater => {
                    tell(now[is], None, new(is));
                    is += 1;
                }
                Ordering::Equal => {
                    if old(was) != new(is) {
                        tell(now[is], old(was), new(is));
                    }
                    (was, is) = (was + 1, is + 1);
                }
            }
        }
        (was..before.len()).for_each(|place| tell(before[place], old(place), None));
        (is..now.len()).for_each(|place| tell(now[place], None, new(place)));
    }

    /// A fingerprint of what has changed in a column; none where nothing has.
    pub fn column_fingerprint(&mut self, slot: usize) -> u64 {
        let (first, end) = (CellKey::first_in_column(slot), CellKey::first_in_column(slot + 1));
        let from = self.keys.partition_point(|figure| *figure < first);
        let to = from + self.keys[from..].partition_point(|figure| *figure < end);
        let all = self.keys[from..to].iter().zip(&self.values[from..to]).zip(&mut self.fingerprints[from..to]);
        all.fold(0, |sum, ((figure, value), print)| sum.wrapping_add(print.get_or_insert_with(|| figure.fingerprint(value)).get()))
    }

    /// How many figures have changed.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Everything that has changed, in order.
    pub fn iter(&self) -> impl Iterator<Item = (CellKey, &Value)> {
        self.keys.iter().copied().zip(&self.values)
    }
}

/// Fingerprints of what has changed somewhere.
#[derive(Clone, Debug, Default)]
pub struct DeltaFingerprints {
    keys: Vec<CellKey>,
    fingerprints: Vec<Option<NonZero<u64>>>,
}

/// What has changed of one column.
#[derive(Clone, Copy)]
pub struct ColumnDelta<'a> {
    keys: &'a [CellKey],
    values: &'a [Value],
}

impl<'a> ColumnDelta<'a> {
    /// The value at a number, if it has changed.
    pub fn get(&self, number: usize) -> Option<&'a Value> {
        if self.keys.is_empty() {
            return None;
        }
        Some(&self.values[self.keys.binary_search_by_key(&number, |f| f.row()).ok()?])
    }
}
