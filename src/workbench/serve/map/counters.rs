//! Draws counters and stacks.

use crate::serve::layout::side_colour;
use crate::serve::map::drawing::{Scene, points_attribute};
use casebook_engine::situation::map_plan::{COUNTER, MapPlace, PlacedStack};
use casebook_engine::situation::map_symbols::{SymbolPart, symbol_parts};
use casebook_engine::situation::placed_piece::PlacedPiece;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Width and height of a counter without figures.
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

    /// Returns the stacks, those on a border of hexes over the others and the selected ones last. The first piece of a stack is the best: one
    /// that is asked about, then by what a stack adds up.
    fn stacks(&self) -> Vec<PlacedStack<'_>> {
        let pieces = self.after.iter();
        let counted = pieces.filter(|piece| !piece.is_area() && !self.is_ring(piece));
        let mut stacks = self.plan.stacks(self.game, counted);
        for stack in &mut stacks {
            stack.pieces.sort_by_key(|piece| {
                (
                    self.drawing.choice.subject != piece.name,
                    piece.symbol.is_empty() || piece.is_mark(),
                    Reverse(piece.summed.unwrap_or(0)),
                    !piece.stands_alone,
                    piece.value.is_empty(),
                )
            });
        }
        stacks.sort_by_key(|stack| (self.is_looked_at(stack), self.is_on_a_side(stack)));
        stacks
    }

    /// Returns whether a stack lies on the border of two hexes, where it is drawn small.
    fn is_on_a_side(&self, stack: &PlacedStack) -> bool {
        self.plan.hexes && stack.spot.name.contains('/')
    }

    /// Returns whether a piece of the stack is selected or acts, or its place is in question.
    fn is_looked_at(&self, stack: &PlacedStack) -> bool {
        let asked = self.drawing.choice.place.as_deref();
        asked == Some(stack.spot.name.as_str())
            || stack.pieces.iter().any(|piece| {
                piece.name == self.drawing.look.piece || piece.name == self.drawing.choice.subject
            })
    }

    /// Renders the names of places, over them the counters, and over these the names of pieces and what answers cost.
    pub(super) fn render_counters(&self) -> Markup {
        let stacks = self.stacks();
        let numbers: BTreeMap<&str, usize> = self
            .drawn_kinds()
            .into_iter()
            .map(|(kind, (number, _))| (kind, number))
            .collect();
        html! {
            (self.render_rings())
            g.names.towns { (self.render_towns()) }
            @for stack in &stacks { (self.link(self.click_on_stack(&stack.pieces), self.render_stack(stack, &numbers))) }
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
            "stack {}{}{}{}",
            side_colour(self.game, stack.side),
            if self.is_on_a_side(stack) {
                " on-side"
            } else {
                ""
            },
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
            .map(|degrees| {
                degrees
                    + if self.game.is_far_side(stack.side) {
                        180
                    } else {
                        0
                    }
            });
        let is_marker = pieces[0].value.is_empty();
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
                @for under in (1..pieces.len().min(3)).rev() { rect.under x=(2.0 * under as f64 - wide / 2.0) y=(-2.0 * under as f64 - high / 2.0) width=(wide) height=(high) rx="3" {} }
                rect x=(-wide / 2.0) y=(-high / 2.0) width=(wide) height=(high) rx="3" {}
                (self.render_face(pieces, kinds))
                @if is_led { g.pill transform=(format!("translate({} {})", -wide / 2.0, -high / 2.0 - 1.0)) { circle r="6.5" {} (render_symbol(&["star"], (9.0, 8.0))) } }
                @if pieces.len() > 1 && Some(total) != pieces[0].summed && total > 0 {
                    @let room = 5.0 + 7.0 * total.to_string().len() as f64;
                    g.pill transform=(format!("translate({} {})", wide / 2.0 + 3.0 - room / 2.0, -high / 2.0 - 4.0)) { rect x=(-room / 2.0) y="-7" width=(room) height="14" rx="7" {} text y="4" { (total) } }
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

    /// Renders the face of the first piece of a stack: its symbol, or letters of its name, its values, and how many pieces there are.
    fn render_face(&self, pieces: &[&PlacedPiece], kinds: &BTreeMap<&str, usize>) -> Markup {
        let (piece, count) = (pieces[0], pieces.len());
        let symbol = kinds.get(piece.kind.as_str());
        let caption = match (piece.value.as_str(), symbol) {
            ("", Some(_)) => String::new(),
            ("", None) => short_name(&piece.name),
            (value, _) => value.into(),
        };
        let x = if count > 1 { -7.0 } else { 0.0 };
        let y = if caption.is_empty() { 0.0 } else { -6.0 };
        let is_lower = symbol.is_some() && !caption.is_empty();
        html! {
            @if let Some(number) = symbol { use href={ "#kind-" (number) } x=(x) y=(y) {} }
            @if count > 1 { text.count x=(COUNTER.0 / 2.0 - 3.0) y=(if is_lower { "-1.5" } else { "4" }) { (count) } }
            @if !caption.is_empty() { text.value.long[caption.chars().count() > 4] x=[(symbol.is_none() && count > 1).then_some(-5)] y=(if is_lower { 12 } else { 4 }) { (caption) } }
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

    /// Renders the names of places, the more important first: where two have no room, the later gives way.
    fn render_towns(&self) -> Markup {
        let named = self.plan.places.iter();
        let mut places: Vec<&MapPlace> = named
            .filter(|spot| !self.plan.hexes || !spot.title.is_empty())
            .collect();
        places.sort_by_key(|spot| Reverse(spot.mark));
        html! {
            @for spot in places {
                @let (x, y) = spot.centre;
                // The name of a strip stands below it, where no piece is drawn.
                @let y = spot.strip.map_or(y, |(_, high)| y + high / 2.0 + 8.0);
                @let class = format!("place-name m{}{}", spot.mark.min(3), if self.is_asked_about(spot) { " asked" } else { "" });
                text class=(class) x=(format!("{x:.0}")) y=(format!("{y:.0}")) dy="26" data-of=[spot.strip.is_none().then_some(&spot.name)] { (self.place_label(spot)) }
            }
        }
    }

    fn is_asked_about(&self, spot: &MapPlace) -> bool {
        self.drawing.choice.place.as_ref() == Some(&spot.name)
            || self.find_option(&spot.name).is_some()
    }

    /// Renders the names of pieces, and in hexes that are asked about their numbers and what they cost.
    fn render_names(&self, stacks: &[PlacedStack]) -> Markup {
        // Below in the hex, or above where its name stands below.
        let asked = |spot: &MapPlace| {
            let cost = self
                .find_option(&spot.name)
                .and_then(|option| cost_in(&option.note));
            let number = Some(spot.name.as_str());
            let number = number.filter(|_| self.plan.hexes && spot.title.is_empty());
            let y = spot.centre.1 + if number.is_some() { 15.0 } else { -15.0 };
            let parts: Vec<&str> = number.into_iter().chain(cost).collect();
            ((spot.centre.0, y), parts.join(" · "))
        };
        let places = self.plan.places.iter();
        html! {
            @for spot in places.filter(|spot| self.is_asked_about(spot)) {
                @let ((x, y), words) = asked(spot);
                @if !words.is_empty() { text.place-number.asked x=(format!("{x:.0}")) y=(format!("{y:.0}")) data-of=(spot.name) { (words) } }
            }
            @for (n, stack) in stacks.iter().enumerate() {
                @if let Some(named) = self.piece_that_names(stack) { text class={ "label " (side_colour(self.game, stack.side)) } data-n=(n) x=(format!("{:.0}", stack.at.0)) y=(format!("{:.0}", stack.at.1 - 26.0)) { (named.name) } }
            }
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

/// Abbreviates a name to at most five characters: a short name is kept, several words give capitals and digits, one word its beginning, but the
/// number of a hex is never cut.
fn short_name(name: &str) -> String {
    if name.chars().count() <= 5 {
        return name.into();
    }
    let is_distinctive =
        |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let is_number = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit())
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
    letters.trim_end_matches('.').chars().take(5).collect()
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
            ("control of C2409", "C2409"),
            ("the mill race", "mil"),
            ("Longstreet's men", "Lon"),
        ];
        for (name, expected) in cases {
            assert_eq!(short_name(name), expected, "{name}");
        }
    }
}
