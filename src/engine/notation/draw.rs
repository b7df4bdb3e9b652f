//! Draws from a stock of cards: like dice whose sides fall at most once.

use super::Weight;
use super::chances::{Hand, Room};
use super::dice::Dice;
use super::face::{DieFaces, Face};
use std::sync::Arc;

/// The hands found so far, each as the number of cards of each kind, with its number of combinations.
type Counts = Vec<(Vec<u32>, Weight)>;

impl Dice {
    /// Returns a draw of `count` cards at once from a stock; the faces are those of all cards in it, equal ones beside each other.
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

    /// Returns the number of cards of each kind in the stock, with the worth of the kind; the first kind first.
    fn card_kinds(&self) -> Vec<(i64, u32)> {
        let mut kinds: Vec<(i64, u32)> = Vec::new();
        for side in 1..=self.sides {
            let worth = self
                .faces
                .as_ref()
                .map_or(0, |face_set| face_set.worth(side));
            match kinds.last_mut() {
                Some((known, count)) if *known == worth => *count += 1,
                _ => kinds.push((worth, 1)),
            }
        }
        kinds
    }

    /// Returns each hand that can be drawn with its number of combinations, the first kind first: the product of the binomials of its
    /// kinds (multivariate hypergeometric). `None` if there are too many.
    pub(super) fn drawn_hands(&self, room: &Room) -> Option<Vec<Hand>> {
        let kinds = self.card_kinds();
        let mut rows = Counts::new();
        add_counts(
            &kinds,
            self.count,
            (&mut Vec::new(), Weight::ONE),
            &mut rows,
            room,
        )?;
        let hand = |counts: &[u32]| {
            kinds
                .iter()
                .zip(counts)
                .flat_map(|((worth, _), count)| (0..*count).map(|_| *worth))
                .collect()
        };
        Some(
            rows.into_iter()
                .map(|(counts, ways)| (hand(&counts), ways))
                .collect(),
        )
    }

    /// Returns each row of cards that can be drawn one after another, with its number of combinations; `None` if there are too many.
    pub fn drawn_rows(&self, room: &Room) -> Option<Vec<Hand>> {
        let kinds = self.card_kinds();
        let mut rows: Vec<(Vec<usize>, Weight)> = vec![(Vec::new(), Weight::ONE)];
        for _ in 0..self.count {
            let mut next = Vec::new();
            for (row, ways) in rows {
                for (kind, (_, count)) in kinds.iter().enumerate() {
                    let remaining =
                        *count - row.iter().filter(|drawn| **drawn == kind).count() as u32;
                    if remaining > 0 {
                        let longer = row.iter().copied().chain([kind]).collect();
                        next.push((longer, &ways * &Weight::from(remaining)));
                    }
                }
            }
            if !room.has_room_for(2 * next.len() as u64, self.count) {
                return None;
            }
            rows = next;
        }
        Some(
            rows.into_iter()
                .map(|(row, ways)| (row.into_iter().map(|kind| kinds[kind].0).collect(), ways))
                .collect(),
        )
    }
}

/// Adds the hands that begin with `hand`, if `cards_left` cards come from `kinds`.
fn add_counts(
    kinds: &[(i64, u32)],
    cards_left: u32,
    (hand, ways): (&mut Vec<u32>, Weight),
    hands: &mut Counts,
    room: &Room,
) -> Option<()> {
    let Some(((_, count), later_kinds)) = kinds.split_first() else {
        if cards_left == 0 {
            hands.push((hand.clone(), ways));
        }
        return room
            .has_room_for(2 * hands.len() as u64, hand.len() as u32)
            .then_some(());
    };
    let later_cards: u32 = later_kinds.iter().map(|(_, count)| count).sum();
    for drawn in (cards_left.saturating_sub(later_cards)..=cards_left.min(*count)).rev() {
        hand.push(drawn);
        add_counts(
            later_kinds,
            cards_left - drawn,
            (hand, &ways * &Weight::binomial(*count, drawn)),
            hands,
            room,
        )?;
        hand.pop();
    }
    Some(())
}
