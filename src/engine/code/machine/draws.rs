//! Draws of cards and lots. Chance decides what comes, as with dice; what becomes of a card that was drawn is a change of the board.

use super::requests::RandomRequest;
use crate::code::context::{VerbContext, VerbResult, fault};
use crate::code::state::{CardDraw, ThrowReading, ThrowRequest};
use crate::code::throw_verb::ThrowVerb;
use crate::code::verbs::cards::{StockOnBoard, side_number, stock_of};
use crate::code::verbs::throw_name;
use crate::complaint::DiagnosticCode;
use crate::data::deck::{AfterDraw, CardZone, MAX_CARDS};
use crate::notation::{Dice, Face};
use crate::situation::cards::{card_list, card_value};
use crate::situation::fingerprint::mix;
use crate::situation::trace::MovedCards;
use crate::situation::value::{HashedText, MAX_TEXT_BYTES, Value};
use crate::situation::value_text::text_within;
use std::sync::Arc;

/// The most cards that are drawn at once.
const MAX_DRAWN: i64 = 100;

/// The arguments of a verb that draws cards.
struct DrawArguments<'a> {
    stock: HashedText,
    count: usize,
    purpose: HashedText,
    side: Option<&'a Value>,
}

/// Reads the arguments: stock, for `draw_cards` and `peek` the number of cards, purpose, and the side that draws them.
fn read_arguments<'a>(args: &'a [Value], verb: ThrowVerb) -> VerbResult<DrawArguments<'a>> {
    let (count, remaining) = match verb {
        ThrowVerb::DrawCard => (Some(1), &args[1..]),
        _ => (
            args.get(1).and_then(Value::as_number),
            args.get(2..).unwrap_or_default(),
        ),
    };
    let (Value::Text(stock), Some(count), Some(Value::Text(purpose))) =
        (&args[0], count, remaining.first())
    else {
        let kinds: Vec<&str> = args.iter().map(Value::describe_type).collect();
        let message = format!(
            "a draw takes a deck, its purpose and, of several cards, their number; it was given {}",
            kinds.join(", ")
        );
        return fault(
            DiagnosticCode::Running,
            message,
            "write draw_card(\"events\", \"what for\") or draw_cards(\"events\", 3, \"what for\")",
        );
    };
    if !(0..=MAX_DRAWN).contains(&count) {
        let message = format!("{count} cards of `{stock}` are drawn at once");
        return fault(
            DiagnosticCode::Deck,
            message,
            format!("draw from 0 to {MAX_DRAWN}"),
        );
    }
    let side = remaining.get(1).filter(|side| !side.is_nothing());
    let purpose = match side {
        Some(Value::Text(side)) => HashedText::from(format!("{purpose}: {side}")),
        _ => purpose.clone(),
    };
    Ok(DrawArguments {
        stock: stock.clone(),
        count: count as usize,
        purpose,
        side,
    })
}

/// Builds the request for a draw from a stock.
pub(super) fn card_request(
    ctx: &mut VerbContext,
    args: &[Value],
    verb: ThrowVerb,
) -> VerbResult<RandomRequest> {
    let DrawArguments {
        stock: name,
        count,
        purpose,
        side,
    } = read_arguments(args, verb)?;
    let stock = stock_of(ctx, &name)?;
    ctx.note_deck(&name, &stock.deck)?;
    let seen_by = match side {
        Some(side) => {
            let number = side_number(ctx, side)?;
            Some(HashedText::from(ctx.game().sides[number].as_str()))
                .filter(|_| !stock.deck.has_open_hands)
        }
        None => None,
    };
    let StockOnBoard { deck, number, .. } = &stock;
    let cards_in = |ctx: &mut VerbContext, zone| ctx.board.cards(&ctx.ruleset.game, *number, zone);
    let [unordered, top, bottom] =
        [CardZone::Stock, CardZone::Top, CardZone::Bottom].map(|zone| cards_in(ctx, zone));
    let card = |kind: &u32| card_value(&deck.kinds[*kind as usize].0);
    let mut pile = card_list(deck, &unordered);
    let mut certain: Vec<Value> = top.iter().take(count).map(card).collect();
    let mut last = Vec::new();
    let mut random_count = count - certain.len();
    if random_count > pile.len() {
        // All cards of unknown order are drawn, and then known ones from the bottom.
        last = bottom
            .iter()
            .take(random_count - pile.len())
            .map(card)
            .collect();
        let missing = random_count - pile.len() - last.len();
        let discards = match deck.is_reshuffled && verb != ThrowVerb::Peek {
            true => card_list(deck, &cards_in(ctx, CardZone::Discards)),
            false => Vec::new(),
        };
        if missing > discards.len() {
            return too_few(
                &stock,
                pile.len() + top.len() + bottom.len(),
                count,
                deck.is_reshuffled,
            );
        }
        if verb == ThrowVerb::Peek {
            random_count = pile.len();
        } else {
            certain.extend(pile.iter().map(card_value));
            certain.append(&mut last);
            (random_count, pile) = (missing, discards);
        }
    }
    let values: Vec<Value> = pile.iter().map(card_value).collect();
    let reading = match verb {
        ThrowVerb::DrawCard => ThrowReading::Card,
        ThrowVerb::DrawCards => ThrowReading::Cards,
        _ => ThrowReading::CardsInOrder,
    };
    let in_order = reading == ThrowReading::CardsInOrder;
    let kinds = deck
        .kinds
        .iter()
        .map(|(kind, _)| card_value(kind))
        .collect();
    let counts = [random_count, certain.len(), last.len()]
        .iter()
        .fold(0, |sum, count| mix(sum, *count as u64));
    let contents = values
        .iter()
        .chain(&certain)
        .chain(&last)
        .fold(counts, |sum, card| mix(sum, card.fingerprint()));
    let is_one_kind = pile.first() == pile.last();
    let draw = CardDraw {
        values,
        kinds,
        certain,
        last,
        seen_by,
        contents,
    };
    if random_count == 0 || is_one_kind || random_count == pile.len() && !in_order {
        let list = draw.list(draw.values.iter().take(random_count).cloned(), in_order);
        let only_card = list
            .as_list()
            .and_then(|list| list.first().cloned())
            .unwrap_or_default();
        return Ok(RandomRequest::Certain(if reading == ThrowReading::Card {
            only_card
        } else {
            list
        }));
    }
    let dice = Arc::new(Dice::draw(random_count as u32, &name, pile));
    let notation = HashedText::from(format!("{random_count} of {name}"));
    Ok(RandomRequest::Throw(ThrowRequest {
        dice,
        notation,
        purpose,
        reading,
        drawn: Some(Arc::new(draw)),
    }))
}

fn too_few<T>(
    stock: &StockOnBoard,
    cards_left: usize,
    count: usize,
    is_reshuffled: bool,
) -> VerbResult<T> {
    let StockOnBoard { name, .. } = stock;
    let cards = if cards_left == 1 { "card" } else { "cards" };
    let (message, help) = match is_reshuffled {
        true => (
            format!("`{name}` has {cards_left} {cards} left, and too few discards to draw {count}"),
            format!("ask cards_left(\"{name}\") and discards(\"{name}\") before"),
        ),
        false => (
            format!(
                "`{name}` has {cards_left} {cards} left, and {count} {} drawn",
                if count == 1 { "is" } else { "are" }
            ),
            format!(
                "ask cards_left(\"{name}\") before, or write `reshuffled: true` in the manifest"
            ),
        ),
    };
    fault(DiagnosticCode::Deck, message, help)
}

/// Moves the cards that a verb drew from the stock to where its arguments and the deck send them.
pub fn take_drawn(
    ctx: &mut VerbContext,
    args: &[Value],
    verb: ThrowVerb,
    drawn: &Value,
) -> VerbResult<()> {
    let DrawArguments {
        stock: name, side, ..
    } = read_arguments(args, verb)?;
    let stock = stock_of(ctx, &name)?;
    let cards: Vec<Value> = match drawn {
        Value::List(list) => list.to_vec(),
        card => vec![card.clone()],
    };
    if cards.is_empty() {
        return Ok(());
    }
    if verb == ThrowVerb::Peek {
        return stock.put_known_on_top(ctx, &cards, verb);
    }
    let to = match (side, stock.deck.after_draw) {
        (Some(side), _) => CardZone::Hand(side_number(ctx, side)?),
        (None, AfterDraw::KeptOut) => CardZone::Out,
        (None, AfterDraw::Discards) => CardZone::Discards,
        (None, AfterDraw::Stock) => CardZone::Stock,
    };
    stock.take_from_stock(ctx, &cards, to, verb)
}

/// Builds the request for a lot: one of a list.
pub(super) fn lot_request(ctx: &mut VerbContext, args: &[Value]) -> VerbResult<RandomRequest> {
    let (Value::List(lots), Some(Value::Text(purpose))) = (&args[0], args.get(1)) else {
        let message = format!(
            "a lot is drawn from a list, for a purpose; this is {}",
            args[0].describe_type()
        );
        return fault(
            DiagnosticCode::Running,
            message,
            "write draw_lot([1, 2, 3], \"what for\")",
        );
    };
    let purpose = match args.get(2) {
        Some(owner) => HashedText::from(format!(
            "{purpose}: {}",
            text_within(owner, ctx.board, MAX_TEXT_BYTES)
        )),
        None => purpose.clone(),
    };
    if lots.is_empty() || lots.len() > MAX_CARDS as usize {
        let message = format!("a lot is drawn for {purpose} from a list of {}", lots.len());
        return fault(
            DiagnosticCode::Deck,
            message,
            format!("a list has from 1 to {MAX_CARDS} lots: ask whether it is empty before"),
        );
    }
    // Equal lots lie beside each other.
    let mut values: Vec<Value> = Vec::with_capacity(lots.len());
    for lot in lots.iter().filter(|lot| !matches!(lot, Value::Closure(_))) {
        let index = values
            .iter()
            .rposition(|earlier| earlier == lot)
            .map_or(values.len(), |index| index + 1);
        values.insert(index, lot.clone());
    }
    if values.first() == values.last() {
        return Ok(RandomRequest::Certain(
            values.first().cloned().unwrap_or_default(),
        ));
    }
    let typed_faces: Result<Vec<Face>, _> = values
        .iter()
        .map(|lot| text_within(lot, ctx.board, MAX_TEXT_BYTES).parse())
        .collect();
    // Lots whose texts can't be typed, or are the same for different lots, go by numbers.
    let is_clear = |faces: &Vec<Face>| {
        (1..faces.len()).all(|i| !faces[..i].contains(&faces[i]) || values[i - 1] == values[i])
    };
    let numbers = || {
        let mut number = 0;
        let numbered = |i: usize| {
            number += i64::from(i == 0 || values[i - 1] != values[i]);
            Face::Number(number)
        };
        (0..values.len()).map(numbered).collect()
    };
    let faces: Vec<Face> = typed_faces.ok().filter(is_clear).unwrap_or_else(numbers);
    let contents = values
        .iter()
        .fold(values.len() as u64, |sum, lot| mix(sum, lot.fingerprint()));
    let dice = Arc::new(Dice::draw(1, "the lots", faces));
    let notation = HashedText::from(format!("1 of {} lots", values.len()));
    let draw = Arc::new(CardDraw {
        values,
        kinds: Vec::new(),
        certain: Vec::new(),
        last: Vec::new(),
        seen_by: None,
        contents,
    });
    Ok(RandomRequest::Throw(ThrowRequest {
        dice,
        notation,
        purpose,
        reading: ThrowReading::Card,
        drawn: Some(draw),
    }))
}

impl StockOnBoard {
    /// Takes cards from the top of the stock, from the rest of it, or where it is too small from the reshuffled discards.
    fn take_from_stock(
        &self,
        ctx: &mut VerbContext,
        cards: &[Value],
        to: CardZone,
        verb: ThrowVerb,
    ) -> VerbResult<()> {
        let game = ctx.ruleset.game.clone();
        let [mut unordered, mut top, mut bottom] =
            [CardZone::Stock, CardZone::Top, CardZone::Bottom]
                .map(|zone| ctx.board.cards(&game, self.number, zone));
        if to == CardZone::Stock && top.is_empty() && bottom.is_empty() {
            // The cards return at once, and nothing is known of their order.
            return Ok(());
        }
        self.check_may_change(ctx, throw_name(verb))?;
        let mut counts = self.counts(cards)?;
        let above_bottom = unordered.iter().sum::<u32>() as usize + top.len();
        if cards.len() > above_bottom + bottom.len() {
            let mut discards = ctx.board.cards(&game, self.number, CardZone::Discards);
            let known_counts = self.deck.counts_of(
                top.drain(..)
                    .chain(bottom.drain(..))
                    .map(|kind| kind as usize),
            );
            for kind in 0..counts.len() {
                counts[kind] = counts[kind].saturating_sub(unordered[kind] + known_counts[kind]);
                discards[kind] = discards[kind].saturating_sub(counts[kind]);
            }
            ctx.board.set_cards(
                &game,
                self.number,
                CardZone::Discards,
                vec![0; counts.len()],
            );
            unordered = discards;
        } else {
            let from_top = top.drain(..cards.len().min(top.len()));
            for kind in from_top.chain(bottom.drain(..cards.len().saturating_sub(above_bottom))) {
                counts[kind as usize] = counts[kind as usize].saturating_sub(1);
            }
            (unordered.iter_mut().zip(&counts))
                .for_each(|(unordered, taken)| *unordered = unordered.saturating_sub(*taken));
        }
        for (zone, cards) in [
            (CardZone::Stock, unordered),
            (CardZone::Top, top),
            (CardZone::Bottom, bottom),
        ] {
            ctx.board.set_cards(&game, self.number, zone, cards);
        }
        self.add_cards(ctx, cards, CardZone::Stock, to)
    }

    /// Puts the cards on top that were looked at, in their order.
    fn put_known_on_top(
        &self,
        ctx: &mut VerbContext,
        cards: &[Value],
        verb: ThrowVerb,
    ) -> VerbResult<()> {
        let game = ctx.ruleset.game.clone();
        let [mut unordered, top, mut bottom] = [CardZone::Stock, CardZone::Top, CardZone::Bottom]
            .map(|zone| ctx.board.cards(&game, self.number, zone));
        if cards.len() <= top.len() {
            return Ok(());
        }
        self.check_may_change(ctx, throw_name(verb))?;
        let unknown = (cards.len() - top.len()).min(unordered.iter().sum::<u32>() as usize);
        let counts = self.counts(&cards[top.len()..top.len() + unknown])?;
        (unordered.iter_mut().zip(&counts))
            .for_each(|(unordered, count)| *unordered = unordered.saturating_sub(*count));
        bottom.drain(..(cards.len() - top.len() - unknown).min(bottom.len()));
        let kinds = cards
            .iter()
            .map(|card| self.kind(card).map(|kind| kind as u32))
            .collect::<VerbResult<_>>()?;
        for (zone, cards) in [
            (CardZone::Stock, unordered),
            (CardZone::Top, kinds),
            (CardZone::Bottom, bottom),
        ] {
            ctx.board.set_cards(&game, self.number, zone, cards);
        }
        Ok(())
    }

    /// Records that cards moved.
    pub fn moved(
        &self,
        ctx: &VerbContext,
        cards: &[Value],
        from: CardZone,
        to: CardZone,
    ) -> MovedCards {
        let sides = &ctx.ruleset.game.sides;
        let seen_by = match (from, to) {
            (CardZone::Stock | CardZone::Top, CardZone::Hand(side))
            | (CardZone::Hand(side), CardZone::Stock | CardZone::Top | CardZone::Bottom) => {
                Some(side)
            }
            _ => None,
        };
        let seen_by = seen_by
            .filter(|_| !self.deck.has_open_hands)
            .map(|side| HashedText::from(sides[side].as_str()));
        MovedCards {
            stock: self.name.clone(),
            cards: cards.to_vec().into(),
            from,
            to,
            seen_by,
        }
    }
}
