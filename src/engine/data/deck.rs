//! Decks, cups of chits, and hands: what is in them, and where a card goes that is drawn.

use crate::complaint::{DiagnosticCode, did_you_mean};
pub use crate::data::after_draw::AfterDraw;
use crate::data::format::game::HANDS;
pub use crate::data::format::game::MAX_CARDS;
use crate::data::status::Status;
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::Face;
use std::sync::Arc;

/// A deck of cards, or a cup of chits or markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deck {
    /// The kinds of cards in order, each with how many there are.
    pub kinds: Vec<(Face, u32)>,
    /// Whether each side has one of its own.
    pub is_each_sides: bool,
    /// Where a card goes that is drawn to no hand.
    pub after_draw: AfterDraw,
    /// Whether the discards are shuffled in if fewer cards are left than are drawn.
    pub is_reshuffled: bool,
    /// Whether all sides see the hands.
    pub has_open_hands: bool,
    /// How the contents are known.
    pub status: Status,
    /// Path of the file that declares the contents.
    pub path: Arc<str>,
}

/// A stock of cards that is in play: a deck, or the one of a side.
#[derive(Clone, Debug)]
pub struct CardStock {
    /// The name by which rules call it: `events`, `Red events`.
    pub name: String,
    pub deck: Arc<Deck>,
}

/// Where the cards of a stock lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardZone {
    /// In the stock, in an unknown order.
    Stock,
    /// On top of the stock, in a known order.
    Top,
    /// At the bottom of the stock, in a known order.
    Bottom,
    /// Among the discards.
    Discards,
    /// Laid out: drawn or played, and in no hand.
    Out,
    /// In the hand of a side, by its number.
    Hand(usize),
}

impl CardZone {
    /// Number of the zones besides the hands.
    pub const SHARED: [CardZone; 5] = [
        CardZone::Stock,
        CardZone::Top,
        CardZone::Bottom,
        CardZone::Discards,
        CardZone::Out,
    ];

    /// Whether the order of its cards is known: then the cell that keeps them is a row of kinds.
    pub fn is_in_order(self) -> bool {
        matches!(self, CardZone::Top | CardZone::Bottom)
    }

    /// Returns the name of the zone as situations and figures set by hand have it: `stock`, `hand of Red`.
    pub fn key(self, sides: &[String]) -> String {
        match self {
            CardZone::Stock => "stock".into(),
            CardZone::Top => "top".into(),
            CardZone::Bottom => "bottom".into(),
            CardZone::Discards => "discards".into(),
            CardZone::Out => "out".into(),
            CardZone::Hand(side) => format!("hand of {}", sides[side]),
        }
    }

    /// Returns the index of the zone among all of a stock.
    pub fn index(self) -> usize {
        match self {
            CardZone::Stock => 0,
            CardZone::Top => 1,
            CardZone::Bottom => 2,
            CardZone::Discards => 3,
            CardZone::Out => 4,
            CardZone::Hand(side) => CardZone::SHARED.len() + side,
        }
    }
}

impl Deck {
    /// Whether the contents are reconstructed or missing.
    pub fn is_uncertain(&self) -> bool {
        !self.status.is_certain()
    }

    pub fn kind_index(&self, card: &Face) -> Option<usize> {
        self.kinds.iter().position(|(kind, _)| kind == card)
    }

    /// Returns the numbers of all cards by kind.
    pub fn all_counts(&self) -> Vec<u32> {
        self.kinds.iter().map(|(_, count)| *count).collect()
    }

    pub fn kind_names(&self) -> Vec<String> {
        self.kinds
            .iter()
            .map(|(kind, _)| kind.to_string())
            .collect()
    }

    /// Describes the deck in words: `12 cards: 5 of 0, 3 of 1, 4 of 3; a card is put back when it is drawn`.
    pub fn describe(&self) -> String {
        let total: u32 = self.all_counts().iter().sum();
        let kinds: Vec<String> = self
            .kinds
            .iter()
            .map(|(kind, count)| format!("{count} of {kind}"))
            .collect();
        let after = match self.after_draw {
            AfterDraw::KeptOut => "stays out",
            AfterDraw::Discards => "goes to the discards",
            AfterDraw::Stock => "goes back at once",
        };
        let reshuffle_text = if self.is_reshuffled {
            "; the discards are shuffled in when it is empty"
        } else {
            ""
        };
        let status_text = if self.is_uncertain() {
            format!("; {}", self.status.as_str())
        } else {
            String::new()
        };
        let side_text = if self.is_each_sides {
            "for each side "
        } else {
            ""
        };
        format!(
            "{side_text}{total} {}: {}; one that is drawn to no hand {after}{reshuffle_text}{status_text}",
            if total == 1 { "card" } else { "cards" },
            kinds.join(", ")
        )
    }

    /// Reads a deck of a manifest.
    pub fn read(name: &str, node: &YamlNode, reader: &mut YamlReader) -> Option<Deck> {
        let list = node.entries_of("holds");
        let kinds: Vec<(Face, u32)> = list
            .iter()
            .filter_map(|(card, count)| Some((card.face()?, card_count(count)?)))
            .collect();
        let status = node.word_of("status", &Status::NAMES).unwrap_or_default();
        let total: u64 = kinds.iter().map(|(_, count)| u64::from(*count)).sum();
        if total > u64::from(MAX_CARDS) || list.is_empty() && status != Status::Missing {
            let message = format!("the deck `{name}` has {total} cards");
            let help = format!(
                "list each kind of card with its number, from 1 to {MAX_CARDS} cards together"
            );
            reader.complain(
                DiagnosticCode::Deck,
                node.span_of("holds", ""),
                message,
                help,
            );
            return None;
        }
        Some(Deck {
            kinds,
            is_each_sides: node.is_set("each_side"),
            after_draw: node.word_of("after", &AfterDraw::NAMES).unwrap_or_default(),
            is_reshuffled: node.is_set("reshuffled"),
            has_open_hands: node.word_of("hands", &HANDS).unwrap_or(false),
            status,
            path: reader.path().into(),
        })
    }

    /// Reads cards as `{ ace: 2, king: 1 }` or `[ace, ace, king]`; returns the kinds of the cards in order.
    pub fn read_cards(&self, stock: &str, node: &YamlNode, reader: &mut YamlReader) -> Vec<usize> {
        let mut cards = Vec::new();
        let card_entries: Vec<(&YamlNode, Option<&YamlNode>)> = match node.entries() {
            [] if node.as_text().is_some_and(|text| !text.is_empty()) => vec![(node, None)],
            [] => node.items().iter().map(|item| (item, None)).collect(),
            entries => entries
                .iter()
                .map(|(key, value)| (key, Some(value)))
                .collect(),
        };
        for (key, value) in card_entries {
            let (Some(card), Some(count)) = (key.face(), value.map_or(Some(1), card_count)) else {
                continue;
            };
            match self.kind_index(&card) {
                Some(kind) => cards.extend(std::iter::repeat_n(kind, count as usize)),
                None => {
                    let kinds = self.kind_names();
                    let message = did_you_mean(
                        format!("`{stock}` has no card `{card}`"),
                        &card.to_string(),
                        kinds.iter().map(String::as_str),
                    );
                    let help = format!("its cards are {}", kinds.join(", "));
                    reader.complain(DiagnosticCode::UnknownName, key.span, message, help);
                }
            }
        }
        cards
    }

    /// Returns the numbers by kind.
    pub fn counts_of(&self, cards: impl IntoIterator<Item = usize>) -> Vec<u32> {
        let mut counts = vec![0; self.kinds.len()];
        cards.into_iter().for_each(|kind| counts[kind] += 1);
        counts
    }
}

/// Returns a number of cards, if it is one.
fn card_count(node: &YamlNode) -> Option<u32> {
    node.parse().filter(|count| *count <= MAX_CARDS)
}
