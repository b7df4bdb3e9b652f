//! Where counters stand on a map: a function of the position alone.

use crate::data::manifest::Game;
use crate::situation::map_geometry::Point;
use crate::situation::map_plan::{MapPlace, MapPlan, STRIP_UNIT};
use crate::situation::placed_piece::PlacedPiece;

/// Width and height of a counter, in drawing units.
pub const COUNTER: Point = (36.0, 32.0);

/// The part of a border of hexes by which a counter on it moves aside for each unit that it would move elsewhere.
const BORDER_SHARE: f64 = 0.029;

impl MapPlace {
    /// Returns the height of the stacks so far, from its side's border of a strip.
    pub fn strip_y(&self, is_far: bool, distance: i64) -> f64 {
        let high = self.strip.map_or(0.0, |(_, high)| high);
        let from_centre = high / 2.0 - distance as f64 * STRIP_UNIT;
        self.centre.1 + if is_far { -from_centre } else { from_centre }
    }
}

/// The pieces of one side that are drawn as one counter.
pub struct PlacedStack<'a> {
    pub side: &'a str,
    pub pieces: Vec<&'a PlacedPiece>,
    pub spot: &'a MapPlace,
    /// The centre of the counter.
    pub at: Point,
}

impl MapPlan {
    /// Collects pieces to stacks, each side's apart: in a hex or an area one at its centre, in a strip where its first piece stands, with those
    /// whose counters it would cover. Counters of two sides that would cover each other stand apart, each by half of what is needed.
    pub fn stacks<'a>(
        &'a self,
        game: &Game,
        pieces: impl Iterator<Item = &'a PlacedPiece>,
    ) -> Vec<PlacedStack<'a>> {
        let covers =
            |a: Point, b: Point| (a.0 - b.0).abs() < COUNTER.0 && (a.1 - b.1).abs() < COUNTER.1;
        let mut stacks: Vec<PlacedStack> = Vec::new();
        for piece in pieces {
            let Some(spot) = self.find_place(&piece.place) else {
                continue;
            };
            let at = match spot.strip {
                None => spot.centre,
                Some(_) => (
                    spot.centre.0 + piece.offset.0 as f64 * STRIP_UNIT,
                    spot.strip_y(game.is_far_side(&piece.side), piece.offset.1),
                ),
            };
            let covered = stacks.iter_mut().find(|stack| {
                (stack.side, &stack.spot.name) == (&piece.side, &piece.place)
                    && covers(stack.at, at)
            });
            match covered {
                Some(stack) => stack.pieces.push(piece),
                None => stacks.push(PlacedStack {
                    side: &piece.side,
                    pieces: vec![piece],
                    spot,
                    at,
                }),
            }
        }
        stacks.sort_by_key(|stack| (&stack.spot.name, stack.side));
        let homes: Vec<(&String, &'a str, Point)> = stacks
            .iter()
            .map(|stack| (&stack.spot.name, stack.side, stack.at))
            .collect();
        for stack in &mut stacks {
            let (x, y) = stack.at;
            let enemies = homes.iter().filter(|(place, side, at)| {
                **place == stack.spot.name && *side != stack.side && covers(*at, (x, y))
            });
            let rank = |side| (game.is_far_side(side), side);
            let away = |(_, side, at): &(&String, &'a str, Point)| {
                let is_above = y < at.1 || y == at.1 && rank(stack.side) > rank(*side);
                let half = (COUNTER.1 - (y - at.1).abs()) / 2.0;
                if is_above { -half } else { half }
            };
            let away = enemies
                .map(away)
                .max_by(|a, b| a.abs().total_cmp(&b.abs()))
                .unwrap_or(0.0);
            // On the border of two hexes they lie along it: two drawn small fill it.
            let border = self
                .sides
                .iter()
                .find(|(side, _)| side.name == stack.spot.name);
            let (dx, dy) = border.map_or((0.0, 1.0), |(_, [from, to])| {
                (
                    (to.0 - from.0) * BORDER_SHARE,
                    (to.1 - from.1) * BORDER_SHARE,
                )
            });
            stack.at = (x + dx * away, y + dy * away);
        }
        stacks
    }
}
