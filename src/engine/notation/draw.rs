//! Draws from a stock of cards: like dice whose sides fall at most once.

use super::Weight;
use super::chances::{Hand, Room};
use super::dice::Dice;
use super::face::{DieFaces, Face};
use super::sums::{Ways, add_up};
use std::sync::Arc;

impl Dice {
    /// Returns a draw of `count` cards at once from a stock; the faces are those of all cards in it, equal ones next to each other.
    pub fn draw(count: u32, stock: &str, faces: Vec<Face>) -> Dice {
        let sides = faces.len() as u32;
        Dice {
            faces: Some(Arc::new(DieFaces::stock(stock, faces))),
            ..Dice::new(count, sides, 0)
        }
    }

    /// Returns whether these are cards that are drawn, so that no side falls twice.
    pub fn is_draw(&self) -> bool {
        self.faces
            .as_ref()
            .is_some_and(|face_set| face_set.is_stock())
    }

    /// Returns the noun for a number of them: `die`, `dice`, `card` or `cards`.
    pub fn noun(&self, count: u64) -> &'static str {
        match (self.is_draw(), count) {
            (true, 1) => "card",
            (true, _) => "cards",
            (false, 1) => "die",
            (false, _) => "dice",
        }
    }

    /// Returns the worth of each kind of cards in the stock with the number of its cards, the lowest worth first, which is the last kind.
    pub(super) fn card_kinds(&self) -> Ways {
        add_up((1..=self.sides).map(|side| (self.worth(side), Weight::ONE)))
    }

    /// Returns each row of cards that can be drawn one after another, with its number of combinations; `None` if there are too many.
    pub fn drawn_rows(&self, room: &Room) -> Option<Vec<Hand>> {
        let kinds = self.card_kinds();
        let mut rows: Vec<Hand> = vec![(Vec::new(), Weight::ONE)];
        for _ in 0..self.count {
            let mut next = Vec::new();
            for (row, ways) in rows {
                for (worth, count) in kinds.iter().rev() {
                    let drawn = row.iter().filter(|drawn| *drawn == worth).count() as u32;
                    let remaining = Weight::from(drawn).complement_to(count);
                    if !remaining.is_zero() {
                        next.push(([&row[..], &[*worth]].concat(), &ways * &remaining));
                    }
                }
            }
            if !room.has_room_for(2 * next.len() as u64, self.count) {
                return None;
            }
            rows = next;
        }
        Some(rows)
    }
}
