//! The cards on a board. A zone is one cell: the numbers of its cards by kind; the known top and bottom of a stock are rows of kinds. An order that
//! is not known is not kept, so that equal stocks are equal boards.

use crate::data::deck::{CardStock, CardZone, Deck};
use crate::data::deck_contents::DeckContents;
use crate::data::manifest::Game;
use crate::notation::Face;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::value::Value;

/// Returns the value of a card in scripts.
pub fn card_value(card: &Face) -> Value {
    match card {
        Face::Number(number) => Value::Number(*number),
        Face::Word(word) => Value::Text((&**word).into()),
    }
}

/// Returns the kind of card that a value of a script names.
pub fn kind_of_value(deck: &Deck, card: &Value) -> Option<usize> {
    match card {
        Value::Number(number) => deck.kind_index(&Face::Number(*number)),
        Value::Text(text) => deck.kind_index(&Face::from(text.as_str())),
        _ => None,
    }
}

/// Converts the value of a zone to numbers by kind, or to kinds.
pub fn zone_numbers(value: &Value) -> Vec<u32> {
    value
        .as_list()
        .map(|list| {
            list.iter()
                .map(|number| number.as_number().unwrap_or(0) as u32)
                .collect()
        })
        .unwrap_or_default()
}

/// Converts numbers by kind, or kinds, to the value of a zone.
pub fn zone_value(numbers: impl IntoIterator<Item = u32>) -> Value {
    numbers
        .into_iter()
        .map(|number| Value::Number(number.into()))
        .collect()
}

/// Returns the initial values of all cells that keep cards.
pub fn initial_cards<'a>(
    game: &Game,
    contents: impl Fn(&str) -> Option<&'a DeckContents>,
) -> Vec<Option<Value>> {
    let nothing = DeckContents::default();
    let of_stock = |CardStock { name, deck }: &CardStock| -> Vec<Option<Value>> {
        let stated = contents(name).unwrap_or(&nothing);
        let no_cards = vec![0; deck.kinds.len()];
        let listed = |counts: &Vec<u32>| {
            if counts.is_empty() {
                no_cards.clone()
            } else {
                counts.clone()
            }
        };
        let ends = deck.counts_of(stated.top.iter().chain(&stated.bottom).copied());
        let shared = [&stated.discards, &stated.out].map(listed);
        let hands: Vec<Vec<u32>> = game
            .sides
            .iter()
            .map(|side| {
                stated
                    .hands
                    .get(side)
                    .map_or_else(|| no_cards.clone(), listed)
            })
            .collect();
        let elsewhere = |kind: usize| -> u32 {
            shared
                .iter()
                .chain(&hands)
                .chain([&ends])
                .map(|counts| counts[kind])
                .sum()
        };
        let undealt = || {
            deck.all_counts()
                .iter()
                .enumerate()
                .map(|(kind, all)| all.saturating_sub(elsewhere(kind)))
                .collect()
        };
        let stock = stated.stock.clone().unwrap_or_else(undealt);
        let zone = |zone: CardZone| match zone {
            CardZone::Stock => zone_value(stock.iter().copied()),
            CardZone::Top => zone_value(stated.top.iter().map(|kind| *kind as u32)),
            CardZone::Bottom => zone_value(stated.bottom.iter().map(|kind| *kind as u32)),
            CardZone::Discards => zone_value(shared[0].iter().copied()),
            CardZone::Out => zone_value(shared[1].iter().copied()),
            CardZone::Hand(side) => zone_value(hands[side].iter().copied()),
        };
        game.card_zones().map(|place| Some(zone(place))).collect()
    };
    game.card_stocks.iter().flat_map(of_stock).collect()
}

/// Returns the key of the cell that keeps the cards of a zone.
pub fn card_key(game: &Game, stock: usize, zone: CardZone) -> CellKey {
    CellKey::new(
        EntityKind::Track,
        0,
        game.card_rows(stock).start + zone.index(),
    )
}

/// Returns the cards of a list of numbers by kind, in the order of the deck.
pub fn card_list(deck: &Deck, counts: &[u32]) -> Vec<Face> {
    deck.kinds
        .iter()
        .zip(counts)
        .flat_map(|((kind, _), count)| std::iter::repeat_n(kind.clone(), *count as usize))
        .collect()
}
