//! Where the cards of the decks lie: what situations say of it, and the stocks of a game.

use crate::complaint::DiagnosticCode;
use crate::data::deck::{CardStock, CardZone, Deck};
use crate::data::manifest::Game;
use crate::data::yaml::{YamlNode, YamlReader};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a situation says about the cards of a stock: numbers by kind, in the order of the deck.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeckContents {
    /// The cards in the stock; if `None`, all cards that lie nowhere else.
    pub stock: Option<Vec<u32>>,
    /// The kinds of the known cards on top, the first on top.
    pub top: Vec<usize>,
    /// The kinds of the known cards at the bottom, the lowest last.
    pub bottom: Vec<usize>,
    pub discards: Vec<u32>,
    /// The cards that are laid out.
    pub out: Vec<u32>,
    /// The hands by side.
    pub hands: BTreeMap<String, Vec<u32>>,
}

impl DeckContents {
    /// Reads what a situation says about a stock.
    pub fn read(
        stock: &CardStock,
        node: &YamlNode,
        game: &Game,
        reader: &mut YamlReader,
    ) -> DeckContents {
        let mut contents = DeckContents::default();
        for zone in ["stock", "top", "bottom", "out", "discards"] {
            if let Some(cards) = node.get(zone) {
                contents.read_zone(zone, cards, stock, game, reader);
            }
        }
        for (side, cards) in node.entries_of("hands") {
            contents.read_zone(
                &format!("hand of {}", side.text_or_empty()),
                cards,
                stock,
                game,
                reader,
            );
        }
        contents.check(stock, node, reader);
        contents
    }

    /// Reads the cards of one zone: `stock`, `top`, `bottom`, `discards`, `out`, or `hand of SIDE`.
    pub fn read_zone(
        &mut self,
        zone: &str,
        value: &YamlNode,
        stock: &CardStock,
        game: &Game,
        reader: &mut YamlReader,
    ) {
        let deck = &stock.deck;
        let cards = deck.read_cards(&stock.name, value, reader);
        match zone {
            "stock" => self.stock = Some(deck.counts_of(cards)),
            "top" => self.top = cards,
            "bottom" => self.bottom = cards,
            "discards" => self.discards = deck.counts_of(cards),
            "out" => self.out = deck.counts_of(cards),
            _ => {
                let Some(side) = zone.strip_prefix("hand of ") else {
                    return;
                };
                if game.sides.iter().any(|declared| declared == side) {
                    self.hands.insert(side.into(), deck.counts_of(cards));
                }
            }
        }
    }

    /// Complains of more cards than there are.
    pub fn check(&self, stock: &CardStock, node: &YamlNode, reader: &mut YamlReader) {
        let deck = &stock.deck;
        let ends = deck.counts_of(self.top.iter().chain(&self.bottom).copied());
        let lists = [
            self.stock.as_ref(),
            Some(&ends),
            Some(&self.discards),
            Some(&self.out),
        ];
        for (kind, (card, total)) in deck.kinds.iter().enumerate() {
            let count = |list: &Vec<u32>| u64::from(list.get(kind).copied().unwrap_or(0));
            let placed: u64 = lists
                .into_iter()
                .flatten()
                .chain(self.hands.values())
                .map(count)
                .sum();
            if placed > u64::from(*total) {
                let message = format!(
                    "`{}` has {total} of `{card}`, and {placed} are named",
                    stock.name
                );
                reader.complain(
                    DiagnosticCode::Deck,
                    node.span,
                    message,
                    "name each card once: in the stock, on top, at the bottom, in a hand, laid out or discarded",
                );
            }
        }
    }
}

impl Game {
    /// Returns the stock with a name, and its number.
    pub fn card_stock(&self, name: &str) -> Option<(usize, &CardStock)> {
        self.card_stocks
            .iter()
            .enumerate()
            .find(|(_, stock)| stock.name == name)
    }

    /// Returns the number of zones of a stock.
    fn zone_count(&self) -> usize {
        CardZone::SHARED.len() + self.sides.len()
    }

    /// Returns the rows of the cells that keep the cards of a stock; they follow those of the tracks.
    pub fn card_rows(&self, stock: usize) -> std::ops::Range<usize> {
        let first = self.tracks.len() + stock * self.zone_count();
        first..first + self.zone_count()
    }

    /// Returns the zones of a stock, in the order of their rows.
    pub fn card_zones(&self) -> impl Iterator<Item = CardZone> {
        CardZone::SHARED
            .into_iter()
            .chain((0..self.sides.len()).map(CardZone::Hand))
    }

    /// Lists the stocks: one for each deck, or one for each side.
    pub fn list_card_stocks(&mut self) {
        let stocks_of = |(name, deck): (&String, &Arc<Deck>)| -> Vec<CardStock> {
            match deck.is_each_sides {
                true => self
                    .sides
                    .iter()
                    .map(|side| CardStock {
                        name: format!("{side} {name}"),
                        deck: deck.clone(),
                    })
                    .collect(),
                false => vec![CardStock {
                    name: name.clone(),
                    deck: deck.clone(),
                }],
            }
        };
        self.card_stocks = self.decks.iter().flat_map(stocks_of).collect();
    }

    /// Reads `decks:` of a manifest.
    pub fn read_decks(&mut self, root: &YamlNode, reader: &mut YamlReader) {
        for (key, value) in root.entries_of("decks") {
            let name = key.text_or_empty();
            if self.dice.contains_key(name) {
                let message = format!("`{name}` is a die and a deck");
                reader.complain(
                    DiagnosticCode::Deck,
                    key.span,
                    message,
                    "call one of them something else",
                );
            }
            if let Some(deck) = Deck::read(name, value, reader) {
                self.decks.insert(name.into(), Arc::new(deck));
            }
        }
    }
}
