//! Pieces that were made on the way, as they were when they were made.

use super::Board;
use crate::data::case::Status;
use crate::data::manifest::Game;
use crate::data::piece::PieceEntry;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::fingerprint::mix;
use crate::situation::geography::datum_value;
use crate::situation::initial_board::{CARRIER_COLUMN, FIRST_ATTRIBUTE, KIND_COLUMN, PLACE_COLUMN, SIDE_COLUMN};
use crate::situation::value::{HashedText, Value};
use std::sync::Arc;

/// A piece that was made.
#[derive(Debug, PartialEq, Eq)]
pub struct CreatedPiece {
    /// Its name.
    pub name: HashedText,
    /// What is said of it, by column, each with a fingerprint; no value where nobody knows it.
    values: Vec<(usize, Option<Value>, u64)>,
    /// What a piece is of which nothing is said.
    blank: Arc<[Value]>,
}

impl CreatedPiece {
    /// A piece as it is described, with its number on the board.
    pub fn new(entry: &PieceEntry, game: &Game, number: usize, blank: &Arc<[Value]>) -> CreatedPiece {
        let own = [(KIND_COLUMN, "kind"), (SIDE_COLUMN, "side"), (PLACE_COLUMN, "at"), (CARRIER_COLUMN, "on")];
        let own = own.into_iter().filter_map(|(column, key)| Some((column, Some(entry.word(key)?.into()))));
        let figures = entry
            .attributes
            .iter()
            .filter_map(|(name, datum)| Some((FIRST_ATTRIBUTE + game.index_of_attribute(name)?, Some(datum_value(datum)))));
        let known = |(column, _): &(usize, Option<Value>)| {
            *column < FIRST_ATTRIBUTE || entry.status_of(&game.attributes[*column - FIRST_ATTRIBUTE].0) != Status::Missing
        };
        let attributes = game.attributes.iter().zip(FIRST_ATTRIBUTE..);
        let missing = attributes.filter(|((name, _), _)| entry.status_of(name) == Status::Missing).map(|(_, column)| (column, None));
        let said = own.chain(figures).filter(known).chain(missing).map(|(column, value)| {
            let print = CellKey::new(EntityKind::Piece, column, number).fingerprint(value.as_ref().unwrap_or(&Value::Nothing)).get();
            // It is added to what has changed since: made 1 and set to 2 is not made 2 and set to 1.
            (column, value, mix(print, FIRST_ATTRIBUTE as u64))
        });
        let mut said: Vec<_> = said.collect();
        said.sort_by_key(|(column, ..)| *column);
        CreatedPiece { name: HashedText::from(entry.name.as_str()), values: said, blank: blank.clone() }
    }

    /// A figure; none that nobody knows.
    pub fn get(&self, column: usize) -> Option<&Value> {
        match self.values.binary_search_by_key(&column, |(known, ..)| *known) {
            Ok(place) => self.values[place].1.as_ref(),
            Err(_) => self.blank.get(column),
        }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let said = self
            .values
            .iter()
            .map(|(_, value, _)| 64 + value.as_ref().map_or(0, |value| value.allocated() + u64::from(value.size().bytes)));
        256 + self.name.len() as u64 + said.sum::<u64>()
    }

    /// A fingerprint of what is said in a column; see [`Figure::column_index`].
    pub fn column_fingerprint(&self, slot: usize) -> u64 {
        let there = |column: usize| CellKey::new(EntityKind::Piece, column, 0).column_index() == slot;
        self.values.iter().filter(|(column, ..)| there(*column)).fold(0, |sum, (.., print)| sum.wrapping_add(*print))
    }

    /// A fingerprint of all that is said.
    pub fn fingerprint(&self) -> u64 {
        self.values.iter().fold(0, |sum, (.., print)| sum.wrapping_add(*print))
    }
}

impl Board {
    /// Whether a value names a piece that was made: what that is called no figure says.
    pub(super) fn mentions_created_piece(&self, value: &Value) -> bool {
        !self.created.is_empty() && value.contains_piece(&|piece| piece.0 >= self.start.names.len())
    }

    /// Notes that whoever is given some values may look at what pieces that were made are called.
    pub fn record_name_reads(&mut self, values: &[Value]) {
        if self.mentions_created || values.iter().any(|value| self.mentions_created_piece(value)) {
            self.read_columns.insert(CellKey::new(EntityKind::Count, 0, 0).column_index());
        }
    }
}
