//! Cells of places and sides; a place or side is added on its first write.

use super::Board;
use crate::situation::cell_key::{CellKey, EntityKind, LIMITS};
use crate::situation::meter::CELL_BYTES;
use crate::situation::value::HashedText;
use std::sync::Arc;

impl Board {
    /// Returns the cell of a place for reading; `None` if the place is unknown.
    pub fn place_key(&mut self, name: &HashedText, column: usize) -> Option<CellKey> {
        // Records the read even of an unknown place, because it may be added later.
        self.read_columns
            .insert(CellKey::new(EntityKind::Place, column, 0).column_index());
        let start_number = self
            .start
            .geography
            .place_number(name)
            .map(|number| number as usize);
        let added = || {
            Some(
                self.start.geography.places.len()
                    + self.added_places.0.iter().position(|added| added == name)?,
            )
        };
        Some(CellKey::new(
            EntityKind::Place,
            column,
            start_number.or_else(added)?,
        ))
    }

    /// Records a read of the set of places, which grows when a cell of a new place is first set.
    pub fn record_places_read(&mut self) {
        (0..self.start.geography.place_column_count()).for_each(|column| {
            self.read_columns
                .insert(CellKey::new(EntityKind::Place, column, 0).column_index())
        });
    }

    /// Returns the cell of a place for writing, adding the place if needed.
    pub fn place_key_or_add(&mut self, name: &HashedText, column: usize) -> CellKey {
        if let Some(figure) = self.place_key(name, column) {
            return figure;
        }
        self.meter.add_value(CELL_BYTES);
        Arc::make_mut(&mut self.added_places).0.push(name.clone());
        CellKey::new(
            EntityKind::Place,
            column,
            self.start.geography.places.len() + self.added_places.0.len() - 1,
        )
    }

    /// Returns the cell of a side for reading; `None` if the side is unknown.
    pub fn side_key(&mut self, a: &HashedText, b: &HashedText, column: usize) -> Option<CellKey> {
        self.read_columns
            .insert(CellKey::new(EntityKind::Side, column, 0).column_index());
        let start_number = self
            .start
            .geography
            .side_number(a, b)
            .map(|number| number as usize);
        let is_same_side = |(x, y): &(HashedText, HashedText)| (x, y) == (a, b) || (x, y) == (b, a);
        let added = || Some(LIMITS.1 / 2 + self.added_places.1.iter().position(is_same_side)?);
        Some(CellKey::new(
            EntityKind::Side,
            column,
            start_number.or_else(added)?,
        ))
    }

    /// Returns the cell of a side for writing, adding the side if needed.
    pub fn side_key_or_add(&mut self, a: &HashedText, b: &HashedText, column: usize) -> CellKey {
        if let Some(figure) = self.side_key(a, b, column) {
            return figure;
        }
        self.meter.add_value(CELL_BYTES);
        Arc::make_mut(&mut self.added_places)
            .1
            .push((a.clone(), b.clone()));
        CellKey::new(
            EntityKind::Side,
            column,
            LIMITS.1 / 2 + self.added_places.1.len() - 1,
        )
    }
}
