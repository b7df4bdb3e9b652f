//! The cards on a board, zone by zone.

use super::Board;
use crate::data::deck::CardZone;
use crate::data::manifest::Game;
use crate::situation::cards::{card_key, zone_numbers, zone_value};

impl Board {
    /// Returns the numbers of the cards in a zone, by kind; of the top of a stock its kinds, the first on top.
    pub fn cards(&mut self, game: &Game, stock: usize, zone: CardZone) -> Vec<u32> {
        self.get(card_key(game, stock, zone)).map(|value| zone_numbers(&value)).unwrap_or_default()
    }

    /// Like [`Board::cards`], for display.
    pub fn peek_cards(&self, game: &Game, stock: usize, zone: CardZone) -> Vec<u32> {
        self.peek(card_key(game, stock, zone)).map(zone_numbers).unwrap_or_default()
    }

    /// Sets the cards of a zone.
    pub fn set_cards(&mut self, game: &Game, stock: usize, zone: CardZone, cards: Vec<u32>) {
        self.set(card_key(game, stock, zone), zone_value(cards));
    }
}
