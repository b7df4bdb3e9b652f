//! Draws counters and stacks.

use crate::serve::layout::side_colour;
use crate::serve::map::drawing::Scene;
use casebook_engine::situation::map_plan::{HEX_HALF_WIDTH, MapPlace, PlacedPiece, STRIP_UNIT};
use casebook_engine::situation::map_symbols::{SymbolPart, symbol_parts};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Key of a stack: place, side, and offset in a strip.
type StackSpot<'a> = (&'a str, &'a str, (i64, i64));

/// Renders the shapes of a kind in a box around the origin.
pub(super) fn render_symbol(symbol: &[&str], size: (f64, f64)) -> Markup {
    html! {
        @for part in symbol_parts(symbol, size) {
            @match part {
                SymbolPart::Lines(path) => path.shape d=(path) {},
                SymbolPart::Filled(path) => path.solid d=(path) {},
                SymbolPart::Ring(radius) => circle.shape r=(format!("{radius:.1}")) {},
                SymbolPart::Disc((x, y), radius) => circle.solid cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(format!("{radius:.1}")) {},
            }
        }
    }
}

impl Scene<'_> {
    /// Returns whether a side begins at the upper border of a strip.
    fn is_far_side(&self, side: &str) -> bool {
        self.game
            .sides
            .iter()
            .position(|known| known == side)
            .is_some_and(|place| place > 0)
    }

    /// Returns the vertical offset of a side's piece in a strip.
    pub(super) fn strip_offset(&self, side: &str, distance: i64, spot: &MapPlace) -> f64 {
        let high = spot.strip.map_or(0.0, |(_, high)| high);
        let offset = distance as f64 * STRIP_UNIT;
        if self.is_far_side(side) {
            spot.centre.1 - high / 2.0 + offset
        } else {
            spot.centre.1 + high / 2.0 - offset
        }
    }

    /// Returns whether a piece is drawn as a ring in its place: it marks the place, and nothing is asked of it.
    fn is_ring(&self, piece: &PlacedPiece) -> bool {
        piece.is_mark()
            && self.answer_address(&piece.name).is_none()
            && self
                .find_place(&piece.place)
                .is_some_and(|spot| spot.strip.is_none())
    }

    /// Renders the pieces that mark their places as rings.
    fn render_rings(&self) -> Markup {
        html! {
            @for piece in self.after.iter().filter(|piece| self.is_ring(piece)) {
                @if let Some(spot) = self.find_place(&piece.place) {
                    g class={ "ring " (side_colour(self.game, &piece.side)) } {
                        title { (piece.name) " (" (self.game.kind_title(&piece.kind)) ")" }
                        circle cx=(format!("{:.1}", spot.centre.0)) cy=(format!("{:.1}", spot.centre.1)) r=(HEX_HALF_WIDTH * 0.78) {}
                    }
                }
            }
        }
    }

    /// Renders the pieces by place and side. A stack is one counter; pieces that can move are on top. The selected stack is drawn last, fanned
    /// out, above the names of places.
    pub(super) fn render_counters(&self, names: Markup) -> Markup {
        let mut stacks: BTreeMap<StackSpot, Vec<&PlacedPiece>> = BTreeMap::new();
        for piece in self
            .after
            .iter()
            .filter(|piece| !piece.is_area() && !self.is_ring(piece))
        {
            let Some(spot) = self.find_place(&piece.place) else {
                continue;
            };
            let offset = if spot.strip.is_some() {
                piece.offset
            } else {
                (0, 0)
            };
            stacks
                .entry((&piece.place, &piece.side, offset))
                .or_default()
                .push(piece);
        }
        let is_plain = |piece: &PlacedPiece| piece.symbol.is_empty() && piece.value.is_empty();
        stacks.values_mut().for_each(|list| {
            list.sort_by_key(|piece| {
                (
                    !piece.stands_alone,
                    !self.has_questions(piece),
                    is_plain(piece),
                )
            })
        });
        let stacks_at = |place: &str| stacks.keys().filter(|(at, ..)| *at == place).count();
        let nth = |key: &StackSpot| {
            stacks
                .keys()
                .filter(|(at, ..)| *at == key.0)
                .position(|other| other == key)
                .unwrap_or(0)
        };
        let mut occupied: Vec<TakenRoom> = Vec::new();
        let mut counter_position = |key: &StackSpot, stack: &[&PlacedPiece], spot: &MapPlace| {
            if spot.strip.is_none() {
                let count = stacks_at(key.0) as f64;
                let at = (
                    spot.centre.0 + (nth(key) as f64 - (count - 1.0) / 2.0) * (COUNTER.0 + 1.0),
                    spot.centre.1 - 2.0,
                );
                return (at, at);
            }
            let position = (
                spot.centre.0 + stack[0].offset.0 as f64 * STRIP_UNIT,
                self.strip_offset(&stack[0].side, stack[0].offset.1, spot),
            );
            let wide = (stack[0].name.chars().count() as f64 * 2.8).max(15.0);
            let at = find_room(position, wide, &occupied);
            occupied.push((at, wide));
            (position, at)
        };
        let placed: Vec<_> = stacks
            .iter()
            .filter_map(|(key, stack)| {
                let spot = self.find_place(key.0)?;
                Some((key, stack, spot, counter_position(key, stack, spot)))
            })
            .collect();
        let is_selected = |list: &[&PlacedPiece]| {
            list.iter()
                .any(|piece| piece.name == self.drawing.look.piece)
        };
        let (selected_stacks, other_stacks): (Vec<_>, Vec<_>) = placed
            .into_iter()
            .partition(|(_, list, ..)| is_selected(list));
        html! {
            (self.render_rings())
            @for (nth, (key, list, spot, (position, at))) in other_stacks.iter().chain(&selected_stacks).enumerate() {
                @if nth == other_stacks.len() { (names) }
                @if position != at { line.stands x1=(format!("{:.1}", position.0)) y1=(format!("{:.1}", position.1)) x2=(format!("{:.1}", at.0)) y2=(format!("{:.1}", at.1)) {} }
                (self.link(self.click_on_stack(list), self.render_stack(key, list, spot, *at)))
                @if is_selected(list) && list.len() > 1 { (self.render_fan(list, *at)) }
            }
            @if selected_stacks.is_empty() { (names) }
        }
    }

    /// Renders a stack as one counter. Pieces that have not moved can be dragged.
    fn render_stack(
        &self,
        key: &StackSpot,
        stack: &[&PlacedPiece],
        spot: &MapPlace,
        (x, y): (f64, f64),
    ) -> Markup {
        let has_stayed = |piece: &&&PlacedPiece| {
            self.before
                .iter()
                .any(|old| old.stands_alone && old.name == piece.name && old.place == piece.place)
        };
        let dragged: Vec<&str> = stack
            .iter()
            .filter(has_stayed)
            .map(|piece| piece.name.as_str())
            .collect();
        let open = stack.iter().any(|piece| {
            self.answer_address(&piece.name).is_some() || self.begins_options(&piece.name)
        });
        let is_selected = stack.iter().any(|piece| {
            piece.name == self.drawing.look.piece || piece.name == self.drawing.choice.subject
        });
        let class = format!(
            "stack {}{}{}{}",
            side_colour(self.game, key.1),
            if spot.strip.is_some() { " small" } else { "" },
            if open { " open" } else { "" },
            if is_selected { " looked" } else { "" }
        );
        let size = if spot.strip.is_some() {
            STRIP_COUNTER
        } else {
            COUNTER
        };
        let turned = stack[0]
            .direction
            .filter(|_| spot.strip.is_some())
            .map(|degrees| degrees + if self.is_far_side(key.1) { 180 } else { 0 });
        html! {
            g class=(class) transform=(format!("translate({x:.1} {y:.1})")) data-pieces=[(!dragged.is_empty()).then(|| dragged.join("\n"))] data-place=(spot.name) {
                title { @for (i, piece) in stack.iter().enumerate() { @if i > 0 { ", " } (piece.name) " (" (self.game.kind_title(&piece.kind)) @if !piece.value.is_empty() { " " (piece.value) } ")" } }
                @if let Some(degrees) = turned { path.ahead d=(format!("M-5 -{0:.1}l5 -5l5 5z", size.1 / 2.0 + 1.0)) transform=(format!("rotate({degrees})")) {} }
                @if stack.len() > 1 { rect.under x=(2.0 - size.0 / 2.0) y=(-2.5 - size.1 / 2.0) width=(size.0) height=(size.1) rx="2" {} }
                rect x=(-size.0 / 2.0) y=(-size.1 / 2.0) width=(size.0) height=(size.1) rx="2" {}
                (render_face(stack[0], size))
                @if stack.len() > 1 { text.more x=(size.0 / 2.0 + 2.0) y=(-size.1 / 2.0 - 1.0) { "+" (stack.len() - 1) } }
                @if spot.strip.is_some() { text.label y=(size.1 / 2.0 + 9.0) { (stack[0].name) } }
            }
        }
    }

    /// Renders the pieces of a stack side by side above it.
    fn render_fan(&self, stack: &[&PlacedPiece], (x, y): (f64, f64)) -> Markup {
        let columns = stack.len().min(5);
        html! {
            g.fan {
                @for (n, piece) in stack.iter().enumerate() {
                    @let (column, row) = (n % columns, n / columns);
                    @let at = (x + (column as f64 - (columns as f64 - 1.0) / 2.0) * (COUNTER.0 + 20.0), y - (row as f64 + 1.3) * (COUNTER.1 + 14.0));
                    @let click = self.answer_address(&piece.name).map(|address| (address.to_string(), true)).or_else(|| Some((self.piece_address(piece), false)));
                    (self.link(click, html! {
                        g class={ "stack " (side_colour(self.game, &piece.side)) @if self.answer_address(&piece.name).is_some() { " open" } } transform=(format!("translate({:.1} {:.1})", at.0, at.1)) {
                            title { (piece.name) " (" (self.game.kind_title(&piece.kind)) ")" }
                            rect x=(-COUNTER.0 / 2.0) y=(-COUNTER.1 / 2.0) width=(COUNTER.0) height=(COUNTER.1) rx="2" {}
                            (render_face(piece, COUNTER))
                            text.label y=(COUNTER.1 / 2.0 + 9.0) { (clipped(&piece.name)) }
                        }
                    }))
                }
            }
        }
    }
}

/// Size of a counter in a hex or an area, and in a strip.
const COUNTER: (f64, f64) = (25.0, 22.0);
const STRIP_COUNTER: (f64, f64) = (26.0, 17.0);

/// Renders the face of a counter: the shapes of its kind with its values, or its text alone.
fn render_face(piece: &PlacedPiece, (wide, high): (f64, f64)) -> Markup {
    let flat = high < 20.0;
    html! {
        @if piece.symbol.is_empty() { text y="3.5" { (counter_text(piece)) } }
        @else if flat {
            @let x = if piece.value.is_empty() { 0.0 } else { -wide * 0.21 };
            g transform=(format!("translate({x:.1} 0)")) { (render_symbol(&piece.symbol, (13.0, 9.0))) }
            @if !piece.value.is_empty() { text.value x=(format!("{:.1}", wide * 0.26)) y="3" { (piece.value) } }
        } @else {
            @let caption = if piece.value.is_empty() { short_name(&piece.name) } else { piece.value.clone() };
            g transform="translate(0 -4.5)" { (render_symbol(&piece.symbol, (15.0, 9.0))) }
            text.value.long[caption.chars().count() > 4] y="9" { (caption) }
        }
    }
}

/// Shortens a name for the label in a fan.
fn clipped(name: &str) -> String {
    if name.chars().count() <= 12 {
        name.into()
    } else {
        name.chars().take(11).chain(['…']).collect()
    }
}

/// Returns the text on a counter: its values, or an abbreviation of its name.
fn counter_text(piece: &PlacedPiece) -> String {
    if piece.value.is_empty() {
        short_name(&piece.name)
    } else {
        piece.value.clone()
    }
}

/// The space that a counter in a strip takes with its label: centre and half width.
type TakenRoom = ((f64, f64), f64);

/// The vertical extent of a counter in a strip with its label, above and below the centre.
const COUNTER_HEIGHT: (f64, f64) = (11.0, 22.0);

/// Finds the nearest position where a counter overlaps no other.
fn find_room(wanted_position: (f64, f64), wide: f64, occupied: &[TakenRoom]) -> (f64, f64) {
    let free = |(x, y): &(f64, f64)| {
        let is_apart = |((other_x, other_y), other_width): &TakenRoom| {
            (other_x - x).abs() >= wide + other_width
                || (other_y - y).abs() >= COUNTER_HEIGHT.0 + COUNTER_HEIGHT.1
        };
        occupied.iter().all(is_apart)
    };
    let steps = |n: i32| (-n..=n).map(|step| f64::from(step) * 11.0);
    let mut positions: Vec<(f64, f64)> = steps(16)
        .flat_map(|dx| steps(12).map(move |dy| (wanted_position.0 + dx, wanted_position.1 + dy)))
        .collect();
    let distance = |to: &(f64, f64)| (to.0 - wanted_position.0).hypot(to.1 - wanted_position.1);
    positions.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    positions.into_iter().find(free).unwrap_or(wanted_position)
}

/// Abbreviates a name to at most four characters: a short name is kept, several words give capitals and digits, one word its beginning.
fn short_name(name: &str) -> String {
    if name.chars().count() <= 4 {
        return name.into();
    }
    let is_distinctive =
        |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'))
    };
    let words: Vec<&str> = name.split([' ', '-']).filter(is_distinctive).collect();
    let letters = match words[..] {
        // Short words such as articles don't distinguish names.
        [] => name
            .split(' ')
            .find(|word| word.len() > 3)
            .unwrap_or(name)
            .chars()
            .take(3)
            .collect(),
        [word] if !is_number(word) => word.chars().take(3).collect(),
        _ => words
            .iter()
            .map(|word| {
                if is_number(word) {
                    word.to_string()
                } else {
                    word.chars().take(1).collect()
                }
            })
            .collect::<String>(),
    };
    letters.trim_end_matches('.').chars().take(4).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_in_a_strip_do_not_overlap() {
        let mut occupied: Vec<TakenRoom> = Vec::new();
        for n in 0..12 {
            let at = find_room((0.0, f64::from(n % 3)), 30.0, &occupied);
            assert!(
                occupied
                    .iter()
                    .all(|((x, y), wide)| (x - at.0).abs() >= 30.0 + wide
                        || (y - at.1).abs() >= 33.0),
                "{occupied:?} {at:?}"
            );
            occupied.push((at, 30.0));
        }
        assert_eq!(
            occupied[0].0,
            (0.0, 0.0),
            "where there is room it stands where it stands"
        );
    }

    #[test]
    fn names_are_shortened_for_counters() {
        let cases = [
            ("Lee", "Lee"),
            ("Porter", "Por"),
            ("A. P. Hill's men", "APH"),
            ("A. N. Va.", "ANV"),
            ("II Guard", "IIG"),
            ("1st Alabama", "1stA"),
            ("the mill race", "mil"),
            ("Longstreet's men", "Lon"),
        ];
        for (name, expected) in cases {
            assert_eq!(short_name(name), expected, "{name}");
        }
    }
}
