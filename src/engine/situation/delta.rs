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
        (size_of_val(&*self.keys) + size_of_val(&*self.values) + size_of_val(&*self.fingerprints))
            as u64
    }

    /// Returns the value of a changed cell.
    pub fn get(&self, figure: CellKey) -> Option<&Value> {
        Some(&self.values[self.keys.binary_search(&figure).ok()?])
    }

    pub fn set(&mut self, figure: CellKey, value: Value) {
        match self.keys.binary_search(&figure) {
            Ok(index) => (self.values[index], self.fingerprints[index]) = (value, None),
            Err(index) => {
                self.keys.insert(index, figure);
                self.values.insert(index, value);
                self.fingerprints.insert(index, None);
            }
        }
    }

    /// Removes a cell that has its initial value again.
    pub fn remove(&mut self, figure: CellKey) {
        if let Ok(index) = self.keys.binary_search(&figure) {
            self.keys.remove(index);
            self.values.remove(index);
            self.fingerprints.remove(index);
        }
    }

    /// Returns the changes of a column, by row.
    pub fn column(&self, kind: EntityKind, column: usize) -> ColumnDelta<'_> {
        let start = self
            .keys
            .partition_point(|f| *f < CellKey::new(kind, column, 0));
        let len = self.keys[start..].partition_point(|f| f.kind() == kind && f.column() == column);
        ColumnDelta {
            keys: &self.keys[start..start + len],
            values: &self.values[start..start + len],
        }
    }

    /// Returns the fingerprints of all changes. The probability that different values collide is negligible.
    pub fn fingerprints(&mut self) -> DeltaFingerprints {
        self.compute_fingerprints();
        DeltaFingerprints {
            keys: self.keys.clone(),
            fingerprints: self.fingerprints.clone(),
        }
    }

    /// Returns a 128-bit fingerprint of all changes: the wrapping sum of the squared cell fingerprints.
    pub fn total_fingerprint(&mut self) -> u128 {
        self.compute_fingerprints();
        let square = |fingerprint: &NonZero<u64>| {
            u128::from(fingerprint.get()) * u128::from(fingerprint.get())
        };
        self.fingerprints
            .iter()
            .flatten()
            .fold(0, |sum: u128, fingerprint| {
                sum.wrapping_add(square(fingerprint))
            })
    }

    /// Computes the missing fingerprints.
    fn compute_fingerprints(&mut self) {
        let cells = self
            .fingerprints
            .iter_mut()
            .zip(&self.keys)
            .zip(&self.values);
        cells
            .filter(|((fingerprint, _), _)| fingerprint.is_none())
            .for_each(|((fingerprint, figure), value)| {
                *fingerprint = Some(figure.fingerprint(value))
            });
    }

    /// Calls `tell` for each cell that differs from `earlier`, with the fingerprints there and here; `None` for a cell that has not changed.
    pub fn diff(
        &mut self,
        earlier: &DeltaFingerprints,
        mut tell: impl FnMut(CellKey, Option<u64>, Option<u64>),
    ) {
        self.compute_fingerprints();
        let (earlier_keys, keys) = (&earlier.keys[..], &self.keys[..]);
        let (old, new) = (
            |place: usize| earlier.fingerprints[place].map(NonZero::get),
            |place: usize| self.fingerprints[place].map(NonZero::get),
        );
        let (mut was, mut is) = (0, 0);
        while was < earlier_keys.len() && is < keys.len() {
            match earlier_keys[was].cmp(&keys[is]) {
                Ordering::Less => {
                    tell(earlier_keys[was], old(was), None);
                    was += 1;
                }
                Ordering::Greater => {
                    tell(keys[is], None, new(is));
                    is += 1;
                }
                Ordering::Equal => {
                    if old(was) != new(is) {
                        tell(keys[is], old(was), new(is));
                    }
                    (was, is) = (was + 1, is + 1);
                }
            }
        }
        (was..earlier_keys.len()).for_each(|place| tell(earlier_keys[place], old(place), None));
        (is..keys.len()).for_each(|place| tell(keys[place], None, new(place)));
    }

    /// Returns the fingerprint of the changes in a column; 0 if there are none.
    pub fn column_fingerprint(&mut self, slot: usize) -> u64 {
        let (first_key, end_key) = (
            CellKey::first_in_column(slot),
            CellKey::first_in_column(slot + 1),
        );
        let start = self.keys.partition_point(|figure| *figure < first_key);
        let end_index = start + self.keys[start..].partition_point(|figure| *figure < end_key);
        let cells = self.keys[start..end_index]
            .iter()
            .zip(&self.values[start..end_index])
            .zip(&mut self.fingerprints[start..end_index]);
        cells.fold(0, |sum, ((figure, value), fingerprint)| {
            sum.wrapping_add(
                fingerprint
                    .get_or_insert_with(|| figure.fingerprint(value))
                    .get(),
            )
        })
    }

    /// Returns the number of changed cells.
    pub fn changed_cells(&self) -> usize {
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
