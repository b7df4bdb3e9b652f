//! Views of the cards on a board: as a situation writes them, and in words.

use crate::data::deck::{CardStock, CardZone, Deck};
use crate::data::manifest::Game;
use crate::situation::board::Board;
use crate::situation::cards::card_list;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Returns the cards of a zone as a situation writes them: numbers by kind, of the known top and bottom a list.
pub fn zone_json(deck: &Deck, zone: CardZone, cards: &[u32]) -> Value {
    match zone {
        zone if zone.is_in_order() => cards
            .iter()
            .map(|kind| deck.kinds[*kind as usize].0.to_string())
            .collect(),
        _ => {
            let contained = deck
                .kinds
                .iter()
                .zip(cards)
                .filter(|(_, count)| **count > 0);
            Value::Object(
                contained
                    .map(|((kind, _), count)| (kind.to_string(), (*count).into()))
                    .collect(),
            )
        }
    }
}

/// Returns the cards of a zone on one line, as a situation writes them.
pub fn zone_text(deck: &Deck, zone: CardZone, cards: &[u32]) -> String {
    match zone_json(deck, zone, cards) {
        Value::Array(kinds) => format!(
            "[{}]",
            kinds
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Value::Object(counts) if counts.is_empty() => "{}".into(),
        Value::Object(counts) => {
            format!(
                "{{ {} }}",
                counts
                    .iter()
                    .map(|(kind, count)| format!("{kind}: {count}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        other => other.to_string(),
    }
}

/// Returns where the cards of each stock lie that differs from the start of a game, as a situation writes it.
pub fn decks_json(board: &Board, game: &Game) -> BTreeMap<String, Value> {
    let of_stock = |(number, CardStock { name, deck }): (usize, &CardStock)| {
        let (mut stated, mut hands) = (Map::new(), Map::new());
        for zone in game.card_zones() {
            let cards = board.peek_cards(game, number, zone);
            let is_empty = if zone.is_in_order() {
                cards.is_empty()
            } else {
                cards.iter().all(|count| *count == 0)
            };
            if zone != CardZone::Stock && is_empty {
                continue;
            }
            let value = zone_json(deck, zone, &cards);
            match zone {
                CardZone::Hand(side) => drop(hands.insert(game.sides[side].clone(), value)),
                zone => drop(stated.insert(zone.key(&game.sides), value)),
            }
        }
        if !hands.is_empty() {
            stated.insert("hands".into(), hands.into());
        }
        (name.clone(), Value::Object(stated))
    };
    game.card_stocks.iter().enumerate().map(of_stock).collect()
}

/// Returns what may be known of each stock where the hands of some sides are hidden.
pub fn deck_texts(board: &Board, game: &Game, hidden: &[String]) -> Vec<(String, String)> {
    let of_stock = |(number, CardStock { name, deck }): (usize, &CardStock)| {
        let cards = |zone| board.peek_cards(game, number, zone);
        let card_names = |zone| {
            let faces: Vec<String> = card_list(deck, &cards(zone))
                .iter()
                .map(ToString::to_string)
                .collect();
            faces.join(", ")
        };
        let counted = |count: u32| format!("{count} {}", if count == 1 { "card" } else { "cards" });
        let stock_count = cards(CardZone::Stock).iter().sum::<u32>()
            + (cards(CardZone::Top).len() + cards(CardZone::Bottom).len()) as u32;
        let mut parts = vec![format!("{} left", counted(stock_count))];
        for (zone, verb) in [
            (CardZone::Out, "laid out"),
            (CardZone::Discards, "discarded"),
        ] {
            if cards(zone).iter().any(|count| *count > 0) {
                parts.push(format!("{verb}: {}", card_names(zone)));
            }
        }
        for (side, name) in game.sides.iter().enumerate() {
            let hand_size: u32 = cards(CardZone::Hand(side)).iter().sum();
            let is_seen = deck.has_open_hands || !hidden.contains(name);
            if hand_size > 0 {
                parts.push(format!(
                    "{name}: {}",
                    if is_seen {
                        card_names(CardZone::Hand(side))
                    } else {
                        counted(hand_size)
                    }
                ));
            }
        }
        (name.clone(), parts.join("; "))
    };
    game.card_stocks.iter().enumerate().map(of_stock).collect()
}

/// Returns whether a side of this kind holds cards that it alone may see.
pub fn holds_secret_cards(board: &Board, game: &Game, is_meant: impl Fn(&String) -> bool) -> bool {
    game.card_stocks
        .iter()
        .enumerate()
        .filter(|(_, stock)| !stock.deck.has_open_hands)
        .any(|(number, _)| {
            let hands = game.sides.iter().enumerate();
            hands.filter(|(_, side)| is_meant(side)).any(|(side, _)| {
                board
                    .peek_cards(game, number, CardZone::Hand(side))
                    .iter()
                    .any(|count| *count > 0)
            })
        })
}
