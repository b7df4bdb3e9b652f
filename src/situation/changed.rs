//! What has changed of a situation since its start.

use crate::situation::figures::{Figure, Of};
use crate::situation::value::Value;
use std::cmp::Ordering;
use std::num::NonZero;

/// What has changed since the start, by figure.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    figures: Vec<Figure>,
    values: Vec<Value>,
    /// A fingerprint of each figure with its value; none where it was not asked for since the figure was set.
    prints: Vec<Option<NonZero<u64>>>,
}

impl Changed {
    /// How many bytes it takes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.figures) + size_of_val(&*self.values) + size_of_val(&*self.prints)) as u64
    }

    /// The value of a figure that has changed.
    pub fn get(&self, figure: Figure) -> Option<&Value> {
        Some(&self.values[self.figures.binary_search(&figure).ok()?])
    }

    /// Sets a figure.
    pub fn set(&mut self, figure: Figure, value: Value) {
        match self.figures.binary_search(&figure) {
            Ok(place) => (self.values[place], self.prints[place]) = (value, None),
            Err(place) => {
                self.figures.insert(place, figure);
                self.values.insert(place, value);
                self.prints.insert(place, None);
            }
        }
    }

    /// The figure is as it was at the start.
    pub fn forget(&mut self, figure: Figure) {
        if let Ok(place) = self.figures.binary_search(&figure) {
            self.figures.remove(place);
            self.values.remove(place);
            self.prints.remove(place);
        }
    }

    /// What has changed of a column: numbers and values, in order.
    pub fn column(&self, of: Of, column: usize) -> Column<'_> {
        let from = self.figures.partition_point(|f| *f < Figure::new(of, column, 0));
        let len = self.figures[from..].partition_point(|f| f.of() == of && f.column() == column);
        Column { figures: &self.figures[from..from + len], values: &self.values[from..from + len] }
    }

    /// Fingerprints of all that has changed. Figures that differ have another one, but for a chance that no count comes near.
    pub fn prints(&mut self) -> Prints {
        self.complete();
        Prints { figures: self.figures.clone(), prints: self.prints.clone() }
    }

    /// A fingerprint of all that has changed: a sum of squares, which is twice as long as a fingerprint of one figure.
    pub fn print_of_all(&mut self) -> u128 {
        self.complete();
        let square = |print: &NonZero<u64>| u128::from(print.get()) * u128::from(print.get());
        self.prints.iter().flatten().fold(0, |sum: u128, print| sum.wrapping_add(square(print)))
    }

    /// Works out the fingerprints that are not known.
    fn complete(&mut self) {
        let all = self.prints.iter_mut().zip(&self.figures).zip(&self.values);
        all.filter(|((print, _), _)| print.is_none()).for_each(|((print, figure), value)| *print = Some(figure.print(value)));
    }

    /// Tells which figures are otherwise than elsewhere: the fingerprint there and here, none where the figure has not changed.
    pub fn apart(&mut self, there: &Prints, mut tell: impl FnMut(Figure, Option<u64>, Option<u64>)) {
        self.complete();
        let (before, now) = (&there.figures[..], &self.figures[..]);
        let (old, new) = (|place: usize| there.prints[place].map(NonZero::get), |place: usize| self.prints[place].map(NonZero::get));
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
    pub fn fingerprint(&mut self, slot: usize) -> u64 {
        let (first, end) = (Figure::first_of(slot), Figure::first_of(slot + 1));
        let from = self.figures.partition_point(|figure| *figure < first);
        let to = from + self.figures[from..].partition_point(|figure| *figure < end);
        let all = self.figures[from..to].iter().zip(&self.values[from..to]).zip(&mut self.prints[from..to]);
        all.fold(0, |sum, ((figure, value), print)| sum.wrapping_add(print.get_or_insert_with(|| figure.print(value)).get()))
    }

    /// How many figures have changed.
    pub fn len(&self) -> usize {
        self.figures.len()
    }

    /// Everything that has changed, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Figure, &Value)> {
        self.figures.iter().copied().zip(&self.values)
    }
}

/// Fingerprints of what has changed somewhere.
#[derive(Clone, Debug, Default)]
pub struct Prints {
    figures: Vec<Figure>,
    prints: Vec<Option<NonZero<u64>>>,
}

/// What has changed of one column.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    figures: &'a [Figure],
    values: &'a [Value],
}

impl<'a> Column<'a> {
    /// The value at a number, if it has changed.
    pub fn get(&self, number: usize) -> Option<&'a Value> {
        if self.figures.is_empty() {
            return None;
        }
        Some(&self.values[self.figures.binary_search_by_key(&number, |f| f.number()).ok()?])
    }
}
