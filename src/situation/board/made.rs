//! Pieces that were made on the way, as they were when they were made.

use crate::data::case::Status;
use crate::data::manifest::Game;
use crate::data::piece::Entry;
use crate::situation::figures::{Figure, Of};
use crate::situation::start::{FIRST, figures};
use crate::situation::value::{Text, Value};

/// A piece that was made.
#[derive(Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub name: Text,
    /// Its figures by column, each with a fingerprint; none that nobody knows.
    figures: Vec<Option<(Value, u64)>>,
}

impl Made {
    /// A piece as it is described, with its number on the board.
    pub fn new(entry: &Entry, game: &Game, number: usize) -> Made {
        let known = |(column, value): (usize, Value)| {
            let name = column.checked_sub(FIRST).map(|index| &game.attributes[index].0);
            let print = Figure::new(Of::Piece, column, number).print(&value).get();
            name.is_none_or(|name| entry.status_of(name) != Status::Missing).then_some((value, print))
        };
        Made { name: Text::from(entry.name.as_str()), figures: figures(entry, game).into_iter().enumerate().map(known).collect() }
    }

    /// How many columns its figures stand in.
    pub fn columns(&self) -> usize {
        self.figures.len()
    }

    /// A figure; none that nobody knows.
    pub fn get(&self, column: usize) -> Option<&Value> {
        self.figures.get(column)?.as_ref().map(|(value, _)| value)
    }

    /// A fingerprint of what stands in a column; see [`Figure::slot`].
    pub fn print_of(&self, slot: usize) -> u64 {
        let there = |column: usize| Figure::new(Of::Piece, column, 0).slot() == slot;
        let figures = self.figures.iter().enumerate().skip(slot).take_while(|(column, _)| there(*column));
        figures.filter_map(|(_, figure)| figure.as_ref()).fold(0, |sum, (_, print)| sum.wrapping_add(*print))
    }

    /// A fingerprint of all of them.
    pub fn print(&self) -> u64 {
        self.figures.iter().flatten().fold(0, |sum, (_, print)| sum.wrapping_add(*print))
    }
}
