//! The delta of a board: its changes since the start.

use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::value::Value;
use std::cmp::Ordering;
use std::num::NonZero;

/// Changed cells with their values, sorted by key.
#[derive(Clone, Debug, Default)]
pub struct BoardDelta {
    keys: Vec<CellKey>,
    values: Vec<Value>,
    /// Cached fingerprints of the cells with their values; `None` until computed after a change.
    fingerprints: Vec<Option<NonZero<u64>>>,
}

impl BoardDelta {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.keys) + size_of_val(&*self.values) + size_of_val(&*self.fingerprints)) as u64
    }

    /// Returns the value of a changed cell.
    pub fn get(&self, figure: CellKey) -> Option<&Value> {
        Some(&self.values[self.keys.binary_search(&figure).ok()?])
    }

    /// Sets a cell.
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

    /// Removes a cell that has its initial value again.
    pub fn remove(&mut self, figure: CellKey) {
        if let Ok(place) = self.keys.binary_search(&figure) {
            self.keys.remove(place);
            self.values.remove(place);
            self.fingerprints.remove(place);
        }
    }

    /// Returns the changes of a column, by row.
    pub fn column(&self, of: EntityKind, column: usize) -> ColumnDelta<'_> {
        let from = self.keys.partition_point(|f| *f < CellKey::new(of, column, 0));
        let len = self.keys[from..].partition_point(|f| f.kind() == of && f.column() == column);
        ColumnDelta { keys: &self.keys[from..from + len], values: &self.values[from..from + len] }
    }

    /// Returns the fingerprints of all changes. The probability that different values collide is negligible.
    pub fn fingerprints(&mut self) -> DeltaFingerprints {
        self.compute_fingerprints();
        DeltaFingerprints { keys: self.keys.clone(), fingerprints: self.fingerprints.clone() }
    }

    /// Returns a 128-bit fingerprint of all changes: the wrapping sum of the squared cell fingerprints.
    pub fn total_fingerprint(&mut self) -> u128 {
        self.compute_fingerprints();
        let square = |print: &NonZero<u64>| u128::from(print.get()) * u128::from(print.get());
        self.fingerprints.iter().flatten().fold(0, |sum: u128, print| sum.wrapping_add(square(print)))
    }

    /// Computes the missing fingerprints.
    fn compute_fingerprints(&mut self) {
        let all = self.fingerprints.iter_mut().zip(&self.keys).zip(&self.values);
        all.filter(|((print, _), _)| print.is_none()).for_each(|((print, figure), value)| *print = Some(figure.fingerprint(value)));
    }

    /// Calls `tell` for each cell that differs from `there`, with the fingerprints there and here; `None` for a cell that has not changed.
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

    /// Returns the fingerprint of the changes in a column; 0 if there are none.
    pub fn column_fingerprint(&mut self, slot: usize) -> u64 {
        let (first, end) = (CellKey::first_in_column(slot), CellKey::first_in_column(slot + 1));
        let from = self.keys.partition_point(|figure| *figure < first);
        let to = from + self.keys[from..].partition_point(|figure| *figure < end);
        let all = self.keys[from..to].iter().zip(&self.values[from..to]).zip(&mut self.fingerprints[from..to]);
        all.fold(0, |sum, ((figure, value), print)| sum.wrapping_add(print.get_or_insert_with(|| figure.fingerprint(value)).get()))
    }

    /// Returns the number of changed cells.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Iterates over all changes by key.
    pub fn iter(&self) -> impl Iterator<Item = (CellKey, &Value)> {
        self.keys.iter().copied().zip(&self.values)
    }
}

/// Fingerprints of the changes of a board.
#[derive(Clone, Debug, Default)]
pub struct DeltaFingerprints {
    keys: Vec<CellKey>,
    fingerprints: Vec<Option<NonZero<u64>>>,
}

/// The changes of one column.
#[derive(Clone, Copy)]
pub struct ColumnDelta<'a> {
    keys: &'a [CellKey],
    values: &'a [Value],
}

impl<'a> ColumnDelta<'a> {
    /// Returns the value in a row, if it has changed.
    pub fn get(&self, number: usize) -> Option<&'a Value> {
        if self.keys.is_empty() {
            return None;
        }
        Some(&self.values[self.keys.binary_search_by_key(&number, |f| f.row()).ok()?])
    }
}
