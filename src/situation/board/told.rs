//! Figures of places and of the sides between them; of some nothing is said until something changes there.

use super::Board;
use crate::situation::figures::{Figure, MOST, Of};
use crate::situation::meter::FIGURE;
use crate::situation::value::Text;
use std::sync::Arc;

impl Board {
    /// The figure of a place, to read it; none of a place of which nothing is said.
    pub fn place(&mut self, name: &Text, column: usize) -> Option<Figure> {
        // Where nothing is said of it, something may be later.
        self.looked.add(Figure::new(Of::Place, column, 0).slot());
        let known = self.start.geography.place_number(name).map(|number| number as usize);
        let told = || Some(self.start.geography.places.len() + self.told.0.iter().position(|told| told == name)?);
        Some(Figure::new(Of::Place, column, known.or_else(told)?))
    }

    /// Notes that somebody looks which places there are: one is told of when a figure of it is first set.
    pub fn look_at_places(&mut self) {
        (0..self.start.geography.columns()).for_each(|column| self.looked.add(Figure::new(Of::Place, column, 0).slot()));
    }

    /// The figure of a place, to change it.
    pub fn place_to_set(&mut self, name: &Text, column: usize) -> Figure {
        if let Some(figure) = self.place(name, column) {
            return figure;
        }
        self.meter.made(FIGURE);
        Arc::make_mut(&mut self.told).0.push(name.clone());
        Figure::new(Of::Place, column, self.start.geography.places.len() + self.told.0.len() - 1)
    }

    /// The figure of a side between places, to read it; none of a side of which nothing is said.
    pub fn side(&mut self, a: &Text, b: &Text, column: usize) -> Option<Figure> {
        self.looked.add(Figure::new(Of::Side, column, 0).slot());
        let known = self.start.geography.side_number(a, b).map(|number| number as usize);
        let same = |(x, y): &(Text, Text)| (x, y) == (a, b) || (x, y) == (b, a);
        let told = || Some(MOST.1 / 2 + self.told.1.iter().position(same)?);
        Some(Figure::new(Of::Side, column, known.or_else(told)?))
    }

    /// The figure of a side, to change it.
    pub fn side_to_set(&mut self, a: &Text, b: &Text, column: usize) -> Figure {
        if let Some(figure) = self.side(a, b, column) {
            return figure;
        }
        self.meter.made(FIGURE);
        Arc::make_mut(&mut self.told).1.push((a.clone(), b.clone()));
        Figure::new(Of::Side, column, MOST.1 / 2 + self.told.1.len() - 1)
    }
}
