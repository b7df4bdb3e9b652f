//! Draws counters and stacks.

use crate::serve::layout::side_colour;
use crate::serve::map::drawing::{Scene, points_attribute};
use casebook_engine::situation::map_plan::{MapPlace, STRIP_UNIT};
use casebook_engine::situation::map_symbols::{SymbolPart, symbol_parts};
use casebook_engine::situation::placed_piece::PlacedPiece;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Key of a stack: place, side, and offset in a strip.
type StackSpot<'a> = (&'a str, &'a str, (i64, i64));

/// A stack with its place and where it stands.
struct PlacedStack<'a> {
    side: &'a str,
    pieces: Vec<&'a PlacedPiece>,
    spot: &'a MapPlace,
    at: (f64, f64),
}

/// Width and height of a counter, in pixels at least.
const COUNTER: (f64, f64) = (36.0, 32.0);
/// The same for a piece without a symbol and values.
const MARKER: (f64, f64) = (32.0, 18.0);

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

    /// Renders the pieces that mark their places as rings around them.
    fn render_rings(&self) -> Markup {
        html! {
            @for piece in self.after.iter().filter(|piece| self.is_ring(piece)) {
                @if let Some(spot) = self.find_place(&piece.place) {
                    g class={ "ring " (side_colour(self.game, &piece.side)) } {
                        title { (piece.name) " (" (self.game.kind_title(&piece.kind)) ")" }
                        polygon points=(points_attribute(&self.outline_of(spot, 0.86))) {}
                    }
                }
            }
        }
    }

    /// Returns the kinds whose symbols are drawn, each with its number.
    fn drawn_kinds(&self) -> BTreeMap<&str, (usize, &PlacedPiece)> {
        let mut kinds: BTreeMap<&str, (usize, &PlacedPiece)> = BTreeMap::new();
        let with_symbols = self.after.iter().filter(|piece| !piece.symbol.is_empty());
        for piece in with_symbols {
            let next = kinds.len();
            kinds.entry(&piece.kind).or_insert((next, piece));
        }
        kinds
    }

    /// Renders the symbols of kinds, to which counters refer.
    pub(super) fn render_kinds(&self) -> Markup {
        html! {
            g.kinds {
                @for (number, piece) in self.drawn_kinds().values().filter(|(_, piece)| !piece.is_area()) {
                    g id={ "kind-" (number) } { (render_symbol(&piece.symbol, (18.0, 11.0))) }
                }
            }
        }
    }

    /// Collects the pieces to stacks by place and side, the selected ones last. The first piece of a stack is the best: one that is asked
    /// about, then by what a stack adds up.
    fn stacks(&self) -> Vec<PlacedStack<'_>> {
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
        let mut placed: Vec<PlacedStack> = stacks
            .into_iter()
            .filter_map(|((place, side, offset), mut pieces)| {
                let spot = self.find_place(place)?;
                pieces.sort_by_key(|piece| {
                    (
                        self.drawing.choice.subject != piece.name,
                        piece.symbol.is_empty(),
                        Reverse(piece.summed.unwrap_or(0)),
                        !piece.stands_alone,
                        piece.value.is_empty(),
                    )
                });
                let at = match spot.strip {
                    None => spot.centre,
                    Some(_) => (
                        spot.centre.0 + offset.0 as f64 * STRIP_UNIT,
                        self.strip_offset(side, offset.1, spot),
                    ),
                };
                Some(PlacedStack {
                    side,
                    pieces,
                    spot,
                    at,
                })
            })
            .collect();
        placed.sort_by_key(|stack| self.is_looked_at(stack));
        placed
    }

    /// Returns whether a piece of the stack is selected or acts, or its place is in question.
    fn is_looked_at(&self, stack: &PlacedStack) -> bool {
        let asked = self.drawing.choice.place.as_deref();
        asked == Some(stack.spot.name.as_str())
            || stack.pieces.iter().any(|piece| {
                piece.name == self.drawing.look.piece || piece.name == self.drawing.choice.subject
            })
    }

    /// Renders the counters, and the names of places and pieces, the more important first: where they overlap, the later ones give way.
    pub(super) fn render_counters(&self) -> Markup {
        let stacks = self.stacks();
        let numbers: BTreeMap<&str, usize> = self
            .drawn_kinds()
            .into_iter()
            .map(|(kind, (number, _))| (kind, number))
            .collect();
        html! {
            (self.render_rings())
            path.stands d="" {}
            @for stack in &stacks { (self.link(self.click_on_stack(&stack.pieces), self.render_stack(stack, &numbers))) }
            path.pins d="" {}
            g.names { (self.render_names(&stacks)) }
        }
    }

    /// Renders a stack as one counter: its best piece, how many there are, and what they are worth together. Pieces that have not moved
    /// can be dragged.
    fn render_stack(&self, stack: &PlacedStack, kinds: &BTreeMap<&str, usize>) -> Markup {
        let (pieces, spot) = (&stack.pieces, stack.spot);
        let has_stayed = |piece: &&&PlacedPiece| {
            self.before
                .iter()
                .any(|old| old.stands_alone && old.name == piece.name && old.place == piece.place)
        };
        let dragged: Vec<&str> = pieces
            .iter()
            .filter(has_stayed)
            .map(|piece| piece.name.as_str())
            .collect();
        // A counter covers its place: what can be answered with the place shows on it, too.
        let open = self.answer_address(&spot.name).is_some()
            || pieces.iter().any(|piece| {
                self.answer_address(&piece.name).is_some() || self.begins_options(&piece.name)
            });
        let class = format!(
            "stack {}{}{}",
            side_colour(self.game, stack.side),
            if open { " open" } else { "" },
            if self.is_looked_at(stack) {
                " looked"
            } else {
                ""
            }
        );
        let turned = pieces[0]
            .direction
            .filter(|_| spot.strip.is_some())
            .map(|degrees| degrees + if self.is_far_side(stack.side) { 180 } else { 0 });
        let is_marker = pieces[0].symbol.is_empty() && pieces[0].value.is_empty();
        let (wide, high) = if is_marker { MARKER } else { COUNTER };
        let total: i64 = pieces.iter().filter_map(|piece| piece.summed).sum();
        let is_led = pieces.len() > 1 && pieces[1..].iter().any(|piece| leads(piece));
        let mut badges: Vec<&str> = pieces
            .iter()
            .flat_map(|piece| piece.badges.iter().map(String::as_str))
            .collect();
        badges.sort_unstable();
        badges.dedup();
        html! {
            g class=(class) style=(format!("--x:{:.1}px;--y:{:.1}px", stack.at.0, stack.at.1)) data-pieces=[(!dragged.is_empty()).then(|| dragged.join("\n"))] data-place=(spot.name) data-fan=[(pieces.len() > 1).then(|| self.fan(pieces, kinds))] {
                title { @for (i, piece) in pieces.iter().enumerate() { @if i > 0 { ", " } (piece.name) " (" (self.game.kind_title(&piece.kind)) @if !piece.value.is_empty() { " " (piece.value) } @for badge in &piece.badges { ", " (badge.replace('_', " ")) } ")" } @if let Some(note) = self.note_on(pieces) { ": " (note) } }
                @if let Some(degrees) = turned { path.ahead d=(format!("M-6 -{0:.1}l6 -6l6 6z", high / 2.0 + 1.0)) transform=(format!("rotate({degrees})")) {} }
                @for under in (1..pieces.len().min(3)).rev() { rect.under x=(3.0 * under as f64 - wide / 2.0) y=(-3.0 * under as f64 - high / 2.0) width=(wide) height=(high) rx="3" {} }
                rect x=(-wide / 2.0) y=(-high / 2.0) width=(wide) height=(high) rx="3" {}
                (self.render_face(pieces, kinds))
                @if is_led { g.pill transform=(format!("translate({} {})", -wide / 2.0, -high / 2.0 - 1.0)) { circle r="6.5" {} (render_symbol(&["star"], (9.0, 8.0))) } }
                @if pieces.len() > 1 && Some(total) != pieces[0].summed && total > 0 {
                    @let room = 5.0 + 7.0 * total.to_string().len() as f64;
                    g.pill transform=(format!("translate({} {})", wide / 2.0 + 8.0 - room / 2.0, -high / 2.0 - 4.0)) { rect x=(-room / 2.0) y="-7" width=(room) height="14" rx="7" {} text y="4" { (total) } }
                }
                @for (n, badge) in badges.iter().enumerate() {
                    g.badge transform=(format!("translate({} {})", -wide / 2.0 + 3.0 + 12.0 * n as f64, high / 2.0)) { circle r="6.5" {} text y="4" { (badge.chars().take(1).collect::<String>().to_uppercase()) } }
                }
            }
        }
    }

    /// Returns the note on the option that a click on a stack picks.
    fn note_on(&self, pieces: &[&PlacedPiece]) -> Option<&str> {
        let mut options = pieces
            .iter()
            .filter_map(|piece| self.find_option(&piece.name));
        let first = options.next().filter(|_| options.next().is_none())?;
        Some(first.note.as_str()).filter(|note| !note.is_empty())
    }

    /// Renders the face of the first piece of a stack: its symbol with its values or letters of its name, and how many pieces there are.
    fn render_face(&self, pieces: &[&PlacedPiece], kinds: &BTreeMap<&str, usize>) -> Markup {
        let (piece, count) = (pieces[0], pieces.len());
        let symbol = kinds.get(piece.kind.as_str());
        // A name beside the counter needs no letters on it.
        let is_named = symbol.is_some() && self.plan.places.iter().any(|spot| spot.strip.is_some());
        let caption = match piece.value.as_str() {
            "" if is_named => String::new(),
            "" => short_name(&piece.name),
            value => value.into(),
        };
        let x = if count > 1 { -8.0 } else { 0.0 };
        let y = if caption.is_empty() { 0.0 } else { -6.0 };
        html! {
            @if let Some(number) = symbol { use href={ "#kind-" (number) } x=(x) y=(y) {} }
            @if count > 1 { text.count x=(COUNTER.0 / 2.0 - 2.5) y=(if symbol.is_some() { "-1.5" } else { "4" }) { (count) } }
            @if !caption.is_empty() { text.value.long[caption.chars().count() > 5] x=[(symbol.is_none() && count > 1).then_some(-5)] y=(if symbol.is_none() { 4 } else { 12 }) { (caption) } }
        }
    }

    /// Returns the pieces of a stack as a list that the browser fans out: name, number of the symbol, values, what is set, the question that
    /// a click asks, and the address of the answer that it gives.
    fn fan(&self, pieces: &[&PlacedPiece], kinds: &BTreeMap<&str, usize>) -> String {
        let rows: Vec<_> = pieces
            .iter()
            .map(|piece| {
                let badges = piece.badges.join(", ").replace('_', " ");
                let asks = self.question_of(piece);
                serde_json::json!([
                    piece.name,
                    kinds.get(piece.kind.as_str()),
                    piece.value,
                    badges,
                    asks,
                    self.answer_address(&piece.name),
                ])
            })
            .collect();
        serde_json::Value::from(rows).to_string()
    }

    /// Renders names as labels: of what is asked about, then of places with pieces, then of the pieces that lead, then of all other places.
    fn render_names(&self, stacks: &[PlacedStack]) -> Markup {
        let counted = self.after.iter().filter(|piece| !piece.is_area());
        let occupied: BTreeSet<&str> = counted.map(|piece| piece.place.as_str()).collect();
        let has_pieces = |spot: &MapPlace| occupied.contains(spot.name.as_str());
        let asked = self.drawing.choice.place.as_deref();
        let is_open = |spot: &MapPlace| {
            asked == Some(spot.name.as_str()) || self.find_option(&spot.name).is_some()
        };
        let mut places: Vec<(&MapPlace, String)> = self
            .plan
            .places
            .iter()
            .filter(|spot| !self.plan.hexes || !spot.title.is_empty() || is_open(spot))
            .map(|spot| (spot, self.place_label(spot)))
            .collect();
        places.sort_by_key(|(spot, _)| {
            (
                !is_open(spot),
                spot.title.is_empty() && self.plan.hexes,
                !has_pieces(spot),
                Reverse(spot.mark),
            )
        });
        let first = |(spot, _): &&(&MapPlace, String)| is_open(spot) || has_pieces(spot);
        let place = |(spot, label): &(&MapPlace, String)| {
            let (x, y) = spot.centre;
            let y = match spot.strip {
                // The label goes below the strip, where no piece is drawn.
                Some((_, high)) => y + high / 2.0 + 8.0,
                None => y,
            };
            let class = match (self.plan.hexes && spot.title.is_empty(), is_open(spot)) {
                (true, _) => "place-number asked",
                (_, true) => "place-name asked",
                _ => "place-name",
            };
            let class = format!("{class} m{}", spot.mark.min(3));
            let cost = self
                .find_option(&spot.name)
                .and_then(|option| cost_in(&option.note));
            let label = cost.map_or_else(|| label.clone(), |cost| format!("{label} · {cost}"));
            html! { text class=(class) x=(format!("{x:.0}")) y=(format!("{y:.0}")) dy="26" data-of=[spot.strip.is_none().then_some(&spot.name)] { (label) } }
        };
        html! {
            @for label in places.iter().filter(first) { (place(label)) }
            @for (n, stack) in stacks.iter().enumerate() {
                @if let Some(named) = self.piece_that_names(stack) { text class={ "label " (side_colour(self.game, stack.side)) } data-n=(n) x=(format!("{:.0}", stack.at.0)) y=(format!("{:.0}", stack.at.1 - 26.0)) { (named.name) } }
            }
            @for label in places.iter().filter(|label| !first(label)) { (place(label)) }
        }
    }

    /// Returns the piece whose name stands beside a stack: on a map of strips the first one, elsewhere the first that leads.
    fn piece_that_names<'p>(&self, stack: &PlacedStack<'p>) -> Option<&'p PlacedPiece> {
        let mut pieces = stack.pieces.iter().copied();
        if stack.spot.strip.is_some() {
            return pieces.next();
        }
        pieces.find(|piece| leads(piece))
    }

    fn place_label(&self, spot: &MapPlace) -> String {
        let is_area = !self.plan.hexes && spot.strip.is_none();
        if spot.title.is_empty() || (is_area && spot.name.len() > 4) {
            spot.name.clone()
        } else {
            spot.title.clone()
        }
    }
}

/// Returns the cost that a note says in the form "2 of 6 points".
fn cost_in(note: &str) -> Option<&str> {
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let words: Vec<&str> = note.split([' ', ';', ',']).collect();
    words
        .windows(3)
        .find(|three| is_number(three[0]) && three[1] == "of" && is_number(three[2]))
        .map(|three| three[0])
}

/// Returns whether a piece leads others: it has a star, and nothing that a stack adds up.
pub(super) fn leads(piece: &PlacedPiece) -> bool {
    piece.symbol.contains(&"star") && piece.summed.is_none()
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
    fn a_cost_is_found_in_a_note() {
        assert_eq!(cost_in("toward Hill; 2 of 6 points"), Some("2"));
        assert_eq!(cost_in("by way of Hill; 10 of 12 points"), Some("10"));
        assert_eq!(cost_in("1 of the 3, or all of 3"), None);
        assert_eq!(cost_in(""), None);
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
