//! Pieces that were made on the way, as they were when they were made.

use super::Board;
use crate::data::case::Status;
use crate::data::manifest::Game;
use crate::data::piece::Entry;
use crate::situation::bytes::mixed;
use crate::situation::figures::{Figure, Of};
use crate::situation::geography::value;
use crate::situation::start::{AT, FIRST, KIND, ON, SIDE};
use crate::situation::value::{Text, Value};
use std::sync::Arc;

/// A piece that was made.
#[derive(Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub name: Text,
    /// What is said of it, by column, each with a fingerprint; no value where nobody knows it.
    said: Vec<(usize, Option<Value>, u64)>,
    /// What a piece is of which nothing is said.
    blank: Arc<[Value]>,
}

impl Made {
    /// A piece as it is described, with its number on the board.
    pub fn new(entry: &Entry, game: &Game, number: usize, blank: &Arc<[Value]>) -> Made {
        let own = [(KIND, "kind"), (SIDE, "side"), (AT, "at"), (ON, "on")];
        let own = own.into_iter().filter_map(|(column, key)| Some((column, Some(entry.word(key)?.into()))));
        let figures = entry.data.iter().filter_map(|(name, datum)| Some((FIRST + game.attribute(name)?, Some(value(datum)))));
        let known = |(column, _): &(usize, Option<Value>)| {
            *column < FIRST || entry.status_of(&game.attributes[*column - FIRST].0) != Status::Missing
        };
        let attributes = game.attributes.iter().zip(FIRST..);
        let missing = attributes.filter(|((name, _), _)| entry.status_of(name) == Status::Missing).map(|(_, column)| (column, None));
        let said = own.chain(figures).filter(known).chain(missing).map(|(column, value)| {
            let print = Figure::new(Of::Piece, column, number).print(value.as_ref().unwrap_or(&Value::Nothing)).get();
            // It is added to what has changed since: made 1 and set to 2 is not made 2 and set to 1.
            (column, value, mixed(print, FIRST as u64))
        });
        let mut said: Vec<_> = said.collect();
        said.sort_by_key(|(column, ..)| *column);
        Made { name: Text::from(entry.name.as_str()), said, blank: blank.clone() }
    }

    /// A figure; none that nobody knows.
    pub fn get(&self, column: usize) -> Option<&Value> {
        match self.said.binary_search_by_key(&column, |(known, ..)| *known) {
            Ok(place) => self.said[place].1.as_ref(),
            Err(_) => self.blank.get(column),
        }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let said =
            self.said.iter().map(|(_, value, _)| 64 + value.as_ref().map_or(0, |value| value.allocated() + u64::from(value.size().bytes)));
        256 + self.name.len() as u64 + said.sum::<u64>()
    }

    /// A fingerprint of what is said in a column; see [`Figure::slot`].
    pub fn print_of(&self, slot: usize) -> u64 {
        let there = |column: usize| Figure::new(Of::Piece, column, 0).slot() == slot;
        self.said.iter().filter(|(column, ..)| there(*column)).fold(0, |sum, (.., print)| sum.wrapping_add(*print))
    }

    /// A fingerprint of all that is said.
    pub fn print(&self) -> u64 {
        self.said.iter().fold(0, |sum, (.., print)| sum.wrapping_add(*print))
    }
}

impl Board {
    /// Whether a value names a piece that was made: what that is called no figure says.
    pub(super) fn is_of_made(&self, value: &Value) -> bool {
        !self.made.is_empty() && value.any_piece(&|piece| piece.0 >= self.start.names.len())
    }

    /// Notes that whoever is given some values may look at what pieces that were made are called.
    pub fn look_at_names(&mut self, values: &[Value]) {
        if self.names_made || values.iter().any(|value| self.is_of_made(value)) {
            self.looked.add(Figure::new(Of::Count, 0, 0).slot());
        }
    }
}
