//! Decks, cups and hands: cards drawn, moved and counted. A card may be a chit or a marker as well.

use super::VerbEffect;
use super::change::{check_in_procedure, record_change, text_or_empty};
use super::types::*;
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::complaint::{DiagnosticCode, did_you_mean, unknown_name};
use crate::data::deck::{CardZone, Deck};
use crate::situation::cards::{card_list, card_value, kind_of_value};
use crate::situation::trace::BoardChange;
use crate::situation::value::{HashedText, Value};
use crate::situation::value_text::value_text;
use std::sync::Arc;

/// The name of a card, or a list of them.
const CARDS: TypeSet = NUMBER | TEXT | LIST;

verbs! {
    allowed_in: Anywhere, from_language: false;

    draw_card(deck: TEXT as Deck, purpose: TEXT as Purpose)[side: TEXT as Side] -> NUMBER | TEXT
        = Throw(DrawCard).with_effect(VerbEffect::NamedStock),
        "Draws a card of a deck, or a chit out of a cup: into the hand of a side, or where the deck's `after:` says.",
        "dice([\"rain\"]); draw_card(\"events\", \"weather\") == \"rain\"";
    draw_cards(deck: TEXT as Deck, count: NUMBER, purpose: TEXT as Purpose)[side: TEXT as Side] -> LIST
        = Throw(DrawCards).with_effect(VerbEffect::NamedStock),
        "Draws several cards at once: a list of them in the order of the deck, whatever order they came in.",
        "dice([\"sun\", \"rain\"]); draw_cards(\"events\", 2, \"deal\", \"Red\") == [\"rain\", \"sun\"]";
    peek(deck: TEXT as Deck, count: NUMBER, purpose: TEXT as Purpose)[side: TEXT as Side] -> LIST
        = Throw(Peek).with_effect(VerbEffect::NamedStock),
        "Looks at the cards on top of a deck, in their order; they stay there and are known from then on.",
        "dice([\"sun\"]); peek(\"events\", 1, \"scouts\") == [\"sun\"] && draw_card(\"events\", \"weather\") == \"sun\"";
    draw_lot(lots: LIST, purpose: TEXT as Purpose)[of: ANY] = Throw(DrawLot), "Draws one of a list at random: a piece out of a pool, say.",
        "dice([\"Red guard\"]); draw_lot(pieces_at(\"Mill\"), \"who goes\").name == \"Red guard\"";
    take_cards(deck: TEXT as Deck, cards: CARDS, side: TEXT as Side) = take_cards.changing(VerbEffect::NamedStock),
        "Takes cards that are laid out into the hand of a side.",
        "dice([\"sun\"]); take_cards(\"events\", draw_card(\"events\", \"offer\"), \"Red\"); hand(\"events\", \"Red\") == [\"sun\"]";
    play_card(deck: TEXT as Deck, cards: CARDS, side: TEXT as Side) = play_card.changing(VerbEffect::NamedStock),
        "Plays a card, or several, from the hand of a side: it is then laid out before all.",
        "dice([\"sun\"]); let card = draw_card(\"events\", \"deal\", \"Red\"); play_card(\"events\", card, \"Red\"); cards_out(\"events\") \
            == [\"sun\"]";
    discard(deck: TEXT as Deck, cards: CARDS)[side: TEXT as Side]
        = Function(|ctx, args| move_held(ctx, "discard", args, CardZone::Discards)).changing(VerbEffect::NamedStock),
        "Discards cards from the hand of a side; without a side those laid out.",
        "dice([\"sun\"]); discard(\"events\", draw_card(\"events\", \"weather\")); discards(\"events\") == [\"sun\"]";
    put_back(deck: TEXT as Deck, cards: CARDS)[side: TEXT as Side]
        = Function(|ctx, args| move_held(ctx, "put_back", args, CardZone::Stock)).changing(VerbEffect::NamedStock),
        "Shuffles cards back into the stock, from the hand of a side; without a side those laid out. Nothing is then known of its order.",
        "dice([\"sun\"]); put_back(\"events\", draw_card(\"events\", \"weather\")); cards_left(\"events\") == 6";
    put_on_top(deck: TEXT as Deck, cards: CARDS)[side: TEXT as Side]
        = Function(|ctx, args| move_held(ctx, "put_on_top", args, CardZone::Top)).changing(VerbEffect::NamedStock),
        "Puts cards on top of the stock, the first of a list on top; from the hand of a side, or without a side those laid out.",
        "dice([\"sun\"]); put_on_top(\"events\", draw_card(\"events\", \"weather\")); peek(\"events\", 1, \"scouts\") == [\"sun\"]";
    put_at_bottom(deck: TEXT as Deck, cards: CARDS)[side: TEXT as Side]
        = Function(|ctx, args| move_held(ctx, "put_at_bottom", args, CardZone::Bottom)).changing(VerbEffect::NamedStock),
        "Puts cards under the stock, the last of a list lowest; from the hand of a side, or without a side those laid out.",
        "dice([\"sun\"]); put_at_bottom(\"events\", draw_card(\"events\", \"weather\")); draw_cards(\"events\", 5, \"deal\"); \
            draw_card(\"events\", \"last\") == \"sun\"";
    pass_cards(deck: TEXT as Deck, cards: CARDS, from: TEXT as Side, to: TEXT as Side) = pass_cards.changing(VerbEffect::NamedStock),
        "Passes cards from the hand of a side to that of another.",
        "dice([\"sun\"]); pass_cards(\"events\", draw_card(\"events\", \"deal\", \"Red\"), \"Red\", \"Blue\"); hand(\"events\", \"Blue\") \
            == [\"sun\"]";
    reshuffle(deck: TEXT as Deck) = reshuffle.changing(VerbEffect::NamedStock),
        "Shuffles the discards into the stock. Nothing is then known of its order.",
        "dice([\"sun\"]); discard(\"events\", draw_card(\"events\", \"weather\")); reshuffle(\"events\"); cards_left(\"events\") == 6";
    cards_left(deck: TEXT as Deck)[card: NUMBER | TEXT] -> NUMBER, "How many cards are left in the stock; with a card, how many of that.",
        "cards_left(\"events\") == 6 && cards_left(\"events\", \"sun\") == 3";
    hand(deck: TEXT as Deck, side: TEXT as Side) -> LIST, "The cards in the hand of a side, in the order of the deck.",
        "dice([\"sun\"]); draw_card(\"events\", \"deal\", \"Red\"); hand(\"events\", \"Red\") == [\"sun\"]";
    discards(deck: TEXT as Deck) -> LIST, "The discards, in the order of the deck.", "discards(\"events\") == []";
    cards_out(deck: TEXT as Deck) -> LIST, "The cards that are laid out: drawn or played, and in no hand.",
        "dice([\"sun\"]); draw_card(\"events\", \"weather\"); cards_out(\"events\") == [\"sun\"]";
}

/// A stock of cards that a script names.
pub struct StockOnBoard {
    pub name: HashedText,
    /// Its number in the game.
    pub number: usize,
    pub deck: Arc<Deck>,
}

/// Finds a stock of the game by name.
pub fn stock_of(ctx: &VerbContext, name: &HashedText) -> VerbResult<StockOnBoard> {
    let game = ctx.game();
    match game.card_stock(name) {
        Some((number, stock)) => Ok(StockOnBoard {
            name: name.clone(),
            number,
            deck: stock.deck.clone(),
        }),
        None => {
            let stock_names = game.card_stocks.iter().map(|stock| stock.name.as_str());
            let message = unknown_name("deck", name, stock_names);
            fault(
                DiagnosticCode::UnknownName,
                message,
                "name a deck that the game's manifest lists under `decks:`; one of a side by side and name",
            )
        }
    }
}

pub fn side_number(ctx: &VerbContext, side: &Value) -> VerbResult<usize> {
    let text = value_text(side, ctx.board);
    let sides = &ctx.game().sides;
    sides.iter().position(|name| *name == text).map_or_else(
        || {
            let message = unknown_name("side", &text, sides.iter().map(String::as_str));
            fault(
                DiagnosticCode::UnknownName,
                message,
                "name a side that the game's manifest lists: a hand is a side's",
            )
        },
        Ok,
    )
}

impl StockOnBoard {
    /// Returns the index of the kind of a card.
    pub fn kind(&self, card: &Value) -> VerbResult<usize> {
        kind_of_value(&self.deck, card).map_or_else(
            || {
                let (name, kinds) = (&self.name, self.deck.kind_names());
                let text = match card {
                    Value::Text(text) => text.to_string(),
                    Value::Number(number) => number.to_string(),
                    other => other.describe_type().into(),
                };
                let message = did_you_mean(
                    format!("`{name}` has no card `{text}`"),
                    &text,
                    kinds.iter().map(String::as_str),
                );
                fault(
                    DiagnosticCode::UnknownName,
                    message,
                    format!("its cards are {}", kinds.join(", ")),
                )
            },
            Ok,
        )
    }

    /// Returns the numbers of cards by kind.
    pub fn counts(&self, cards: &[Value]) -> VerbResult<Vec<u32>> {
        let kinds = cards
            .iter()
            .map(|card| self.kind(card))
            .collect::<VerbResult<Vec<usize>>>()?;
        Ok(self.deck.counts_of(kinds))
    }

    /// Fails unless the running code may move cards.
    pub fn check_may_change(&self, ctx: &VerbContext, verb: &str) -> VerbResult<()> {
        check_in_procedure(ctx, verb)
    }

    /// Adds cards to a zone. Cards that are put into the stock are shuffled in.
    pub fn add_cards(
        &self,
        ctx: &mut VerbContext,
        cards: &[Value],
        from: CardZone,
        to: CardZone,
    ) -> VerbResult<()> {
        let game = ctx.ruleset.game.clone();
        if to.is_in_order() {
            let added = cards
                .iter()
                .map(|card| self.kind(card).map(|kind| kind as u32))
                .collect::<VerbResult<Vec<u32>>>()?;
            let cards_there = ctx.board.cards(&game, self.number, to);
            let row = if to == CardZone::Top {
                [added, cards_there]
            } else {
                [cards_there, added]
            };
            ctx.board.set_cards(&game, self.number, to, row.concat());
        } else {
            let mut counts = self.counts(cards)?;
            if to == CardZone::Stock {
                for end in [CardZone::Top, CardZone::Bottom] {
                    ctx.board
                        .cards(&game, self.number, end)
                        .iter()
                        .for_each(|kind| counts[*kind as usize] += 1);
                    ctx.board.set_cards(&game, self.number, end, Vec::new());
                }
            }
            let new_counts = ctx
                .board
                .cards(&game, self.number, to)
                .iter()
                .zip(&counts)
                .map(|(new_counts, added)| new_counts + added)
                .collect();
            ctx.board.set_cards(&game, self.number, to, new_counts);
        }
        let moved = self.moved(ctx, cards, from, to);
        record_change(ctx, || BoardChange::Cards(Box::new(moved)));
        Ok(())
    }

    /// Takes cards out of a zone. Fails if they do not lie there.
    fn remove_cards(
        &self,
        ctx: &mut VerbContext,
        cards: &[Value],
        from: CardZone,
    ) -> VerbResult<()> {
        let game = ctx.ruleset.game.clone();
        let taken_counts = self.counts(cards)?;
        let mut present = ctx.board.cards(&game, self.number, from);
        for ((kind, count), (card, _)) in taken_counts.iter().enumerate().zip(&self.deck.kinds) {
            if *count > present[kind] {
                let zone = match from {
                    CardZone::Hand(side) => format!("the hand of {}", game.sides[side]),
                    _ => "what is laid out".into(),
                };
                let message = format!(
                    "{zone} has {} of `{card}` of `{}`, and {count} {} taken",
                    present[kind],
                    self.name,
                    if *count == 1 { "is" } else { "are" }
                );
                let help = match from {
                    CardZone::Hand(_) => format!("offer what hand(\"{}\", side) lists", self.name),
                    _ => {
                        format!(
                            "cards_out(\"{}\") lists what lies there; a card that a side holds is named with the side",
                            self.name
                        )
                    }
                };
                return fault(DiagnosticCode::Deck, message, help);
            }
            present[kind] -= count;
        }
        ctx.board.set_cards(&game, self.number, from, present);
        Ok(())
    }

    fn list(&self, ctx: &mut VerbContext, zone: CardZone) -> Value {
        let game = ctx.ruleset.game.clone();
        let counts = ctx.board.cards(&game, self.number, zone);
        card_list(&self.deck, &counts)
            .iter()
            .map(card_value)
            .collect()
    }
}

/// Returns the cards of an argument: one, or a list.
fn named_cards(value: &Value) -> Vec<Value> {
    match value {
        Value::List(list) => list.to_vec(),
        one => vec![one.clone()],
    }
}

/// Moves cards from one zone to another.
fn move_cards(
    ctx: &mut VerbContext,
    verb: &str,
    args: &[&Value],
    (from, to): (CardZone, CardZone),
) -> VerbResult {
    let stock = stock_of(ctx, &text_or_empty(args[0]))?;
    stock.check_may_change(ctx, verb)?;
    let cards = named_cards(args[1]);
    if !cards.is_empty() {
        stock.remove_cards(ctx, &cards, from)?;
        stock.add_cards(ctx, &cards, from, to)?;
    }
    Ok(Value::Nothing)
}

/// Returns the hand of the side that an argument names, or the cards that are laid out if there is no argument.
fn hand_or_out(ctx: &VerbContext, side: Option<&&Value>) -> VerbResult<CardZone> {
    side.map_or(Ok(CardZone::Out), |side| {
        side_number(ctx, side).map(CardZone::Hand)
    })
}

fn take_cards(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let to = CardZone::Hand(side_number(ctx, args[2])?);
    move_cards(ctx, "take_cards", args, (CardZone::Out, to))
}

fn play_card(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let from = CardZone::Hand(side_number(ctx, args[2])?);
    move_cards(ctx, "play_card", args, (from, CardZone::Out))
}

/// Moves cards from the hand of the side that the last argument names, or from those that are out.
fn move_held(ctx: &mut VerbContext, verb: &str, args: &[&Value], to: CardZone) -> VerbResult {
    let from = hand_or_out(ctx, args.get(2))?;
    move_cards(ctx, verb, args, (from, to))
}

fn pass_cards(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let between = (
        CardZone::Hand(side_number(ctx, args[2])?),
        CardZone::Hand(side_number(ctx, args[3])?),
    );
    move_cards(ctx, "pass_cards", args, between)
}

fn reshuffle(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let stock = stock_of(ctx, &text_or_empty(args[0]))?;
    stock.check_may_change(ctx, "reshuffle")?;
    let discards = stock.list(ctx, CardZone::Discards);
    let cards = named_cards(&discards);
    stock.remove_cards(ctx, &cards, CardZone::Discards)?;
    stock.add_cards(ctx, &cards, CardZone::Discards, CardZone::Stock)?;
    Ok(Value::Nothing)
}

fn cards_left(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let stock = stock_of(ctx, &text_or_empty(args[0]))?;
    ctx.note_deck(&stock.name, &stock.deck)?;
    let game = ctx.ruleset.game.clone();
    let mut counts = ctx.board.cards(&game, stock.number, CardZone::Stock);
    for end in [CardZone::Top, CardZone::Bottom] {
        ctx.board
            .cards(&game, stock.number, end)
            .iter()
            .for_each(|kind| counts[*kind as usize] += 1);
    }
    let count = match args.get(1) {
        Some(card) => counts[stock.kind(card)?],
        None => counts.iter().sum(),
    };
    Ok(i64::from(count).into())
}

fn hand(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let stock = stock_of(ctx, &text_or_empty(args[0]))?;
    let zone = CardZone::Hand(side_number(ctx, args[1])?);
    Ok(stock.list(ctx, zone))
}

fn discards(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let stock = stock_of(ctx, &text_or_empty(args[0]))?;
    Ok(stock.list(ctx, CardZone::Discards))
}

fn cards_out(ctx: &mut VerbContext, args: &[&Value]) -> VerbResult {
    let stock = stock_of(ctx, &text_or_empty(args[0]))?;
    Ok(stock.list(ctx, CardZone::Out))
}
