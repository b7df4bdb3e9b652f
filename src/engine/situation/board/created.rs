//! Pieces created during a run, with their initial values.

use super::Board;
use crate::data::declared_names::PLAIN_FIGURES;
use crate::data::manifest::Game;
use crate::data::piece::PieceEntry;
use crate::data::status::Status;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::fingerprint::mix;
use crate::situation::geography::datum_value;
use crate::situation::initial_board::FIRST_ATTRIBUTE;
use crate::situation::value::{HashedText, Value};
use std::sync::Arc;

/// A value of a created piece.
#[derive(Debug, PartialEq, Eq)]
struct CreatedValue {
    column: usize,
    /// `None` if it is not known.
    value: Option<Value>,
    fingerprint: u64,
}

/// A piece created during a run.
#[derive(Debug, PartialEq, Eq)]
pub struct CreatedPiece {
    pub name: HashedText,
    /// Values by column.
    values: Vec<CreatedValue>,
    /// Default values of a piece.
    blank: Arc<[Value]>,
}

impl CreatedPiece {
    /// Creates a piece from its entry; `number` is its number on the board.
    pub fn new(
        entry: &PieceEntry,
        game: &Game,
        number: usize,
        blank: &Arc<[Value]>,
    ) -> CreatedPiece {
        let stated = (0..)
            .zip(PLAIN_FIGURES)
            .filter_map(|(column, key)| Some((column, Some(entry.word(key)?.into()))));
        let figures = entry.attributes.iter().filter_map(|(name, datum)| {
            Some((
                FIRST_ATTRIBUTE + game.index_of_attribute(name)?,
                Some(datum_value(datum)),
            ))
        });
        let is_known = |(column, _): &(usize, Option<Value>)| {
            *column < FIRST_ATTRIBUTE
                || entry.status_of(&game.attributes[*column - FIRST_ATTRIBUTE].0) != Status::Missing
        };
        let attributes = game.attributes.iter().zip(FIRST_ATTRIBUTE..);
        let missing = attributes
            .filter(|((name, _), _)| entry.status_of(name) == Status::Missing)
            .map(|(_, column)| (column, None));
        let values =
            stated
                .chain(figures)
                .filter(is_known)
                .chain(missing)
                .map(|(column, value)| {
                    let fingerprint = CellKey::new(EntityKind::Piece, column, number)
                        .fingerprint(value.as_ref().unwrap_or(&Value::Nothing))
                        .get();
                    // The extra mix separates creation from later changes: created as 1 and set to 2 differs from created as 2 and set to 1.
                    CreatedValue {
                        column,
                        value,
                        fingerprint: mix(fingerprint, FIRST_ATTRIBUTE as u64),
                    }
                });
        let mut values: Vec<_> = values.collect();
        values.sort_by_key(|value| value.column);
        CreatedPiece {
            name: HashedText::from(entry.name.as_str()),
            values,
            blank: blank.clone(),
        }
    }

    /// Returns the value of a column; `None` if unknown.
    pub fn get(&self, column: usize) -> Option<&Value> {
        match self
            .values
            .binary_search_by_key(&column, |value| value.column)
        {
            Ok(index) => self.values[index].value.as_ref(),
            Err(_) => self.blank.get(column),
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        let values = self.values.iter().map(|created| {
            64 + created
                .value
                .as_ref()
                .map_or(0, |value| value.allocated() + u64::from(value.size().bytes))
        });
        256 + self.name.len() as u64 + values.sum::<u64>()
    }

    /// Returns the fingerprint of the values in a column; see [`CellKey::column_index`].
    pub fn column_fingerprint(&self, slot: usize) -> u64 {
        let is_in_column =
            |column: usize| CellKey::new(EntityKind::Piece, column, 0).column_index() == slot;
        self.values
            .iter()
            .filter(|value| is_in_column(value.column))
            .fold(0, |sum, value| sum.wrapping_add(value.fingerprint))
    }

    /// Returns the fingerprint of all values.
    pub fn fingerprint(&self) -> u64 {
        self.values
            .iter()
            .fold(0, |sum, value| sum.wrapping_add(value.fingerprint))
    }
}

impl Board {
    /// Returns whether a value refers to a created piece, whose name is in no cell.
    pub(super) fn mentions_created_piece(&self, value: &Value) -> bool {
        !self.created.is_empty() && value.contains_piece(&|piece| piece.0 >= self.start.names.len())
    }

    /// Records that the receiver of some values may read the names of created pieces.
    pub fn record_name_reads(&mut self, values: &[Value]) {
        if self.mentions_created
            || values
                .iter()
                .any(|value| self.mentions_created_piece(value))
        {
            self.read_columns
                .insert(CellKey::new(EntityKind::Count, 0, 0).column_index());
        }
    }
}
