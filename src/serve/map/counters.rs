//! Draws counters and stacks.

use crate::serve::layout::side_colour;
use crate::serve::map::drawing::Scene;
use crate::serve::map::plan::{MapPlace, PlacedPiece, STRIP_UNIT};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Key of a stack: place, side, and offset in a strip.
type StackSpot<'a> = (&'a str, &'a str, (i64, i64));

impl Scene<'_> {
    /// Returns the vertical offset of a side's piece in a strip.
    pub(super) fn strip_offset(&self, side: &str, up: i64, spot: &MapPlace) -> f64 {
        let high = spot.strip.map_or(0.0, |(_, high)| high);
        let up = up as f64 * STRIP_UNIT;
        let far_side = self.game.sides.iter().position(|known| known == side).is_some_and(|place| place > 0);
        if far_side { spot.centre.1 - high / 2.0 + up } else { spot.centre.1 + high / 2.0 - up }
    }

    /// Renders the pieces by place and side. A stack is one counter; pieces that can move are on top.
    pub(super) fn render_counters(&self) -> Markup {
        let mut stacks: BTreeMap<StackSpot, Vec<&PlacedPiece>> = BTreeMap::new();
        for stand in &self.after {
            let Some(spot) = self.find_place(&stand.place) else { continue };
            let off = if spot.strip.is_some() { stand.offset } else { (0, 0) };
            stacks.entry((&stand.place, &stand.side, off)).or_default().push(stand);
        }
        stacks.values_mut().for_each(|list| list.sort_by_key(|stand| (!stand.stands_alone, !self.has_questions(stand))));
        let there = |place: &str| stacks.keys().filter(|(at, ..)| *at == place).count();
        let nth = |key: &StackSpot| stacks.keys().filter(|(at, ..)| *at == key.0).position(|other| other == key).unwrap_or(0);
        let mut taken: Vec<TakenRoom> = Vec::new();
        let mut place = |key: &StackSpot, list: &[&PlacedPiece], spot: &MapPlace| {
            if spot.strip.is_none() {
                let count = there(key.0) as f64;
                let at = (spot.centre.0 + (nth(key) as f64 - (count - 1.0) / 2.0) * 25.0, spot.centre.1 - 2.0);
                return (at, at);
            }
            let stands = (spot.centre.0 + list[0].offset.0 as f64 * STRIP_UNIT, self.strip_offset(&list[0].side, list[0].offset.1, spot));
            let wide = (list[0].name.chars().count() as f64 * 2.8).max(13.0);
            let at = find_room(stands, wide, &taken);
            taken.push((at, wide));
            (stands, at)
        };
        html! {
            @for (key, list) in &stacks {
                @if let Some(spot) = self.find_place(key.0) {
                    @let (stands, at) = place(key, list, spot);
                    @if stands != at { line.stands x1=(format!("{:.1}", stands.0)) y1=(format!("{:.1}", stands.1)) x2=(format!("{:.1}", at.0)) y2=(format!("{:.1}", at.1)) {} }
                    (self.link(self.click_on_stack(list), self.render_stack(key, list, spot, at)))
                }
            }
        }
    }

    /// Renders a stack as one counter. Pieces that have not moved can be dragged.
    fn render_stack(&self, key: &StackSpot, list: &[&PlacedPiece], spot: &MapPlace, (x, y): (f64, f64)) -> Markup {
        let stays =
            |stand: &&&PlacedPiece| self.before.iter().any(|old| old.stands_alone && old.name == stand.name && old.place == stand.place);
        let dragged: Vec<&str> = list.iter().filter(stays).map(|stand| stand.name.as_str()).collect();
        let open = list.iter().any(|stand| self.answer_address(&stand.name).is_some());
        let looked = list.iter().any(|stand| stand.name == self.drawing.look.piece);
        let class =
            format!("stack {}{}{}", side_colour(self.game, key.1), if open { " open" } else { "" }, if looked { " looked" } else { "" });
        html! {
            g class=(class) transform=(format!("translate({x:.1} {y:.1})")) data-pieces=[(!dragged.is_empty()).then(|| dragged.join("\n"))] data-place=(spot.name) {
                title { @for (i, stand) in list.iter().enumerate() { @if i > 0 { ", " } (stand.name) @if !stand.value.is_empty() { " " (stand.value) } } }
                @if list.len() > 1 { rect.under x="-9" y="-11" width="22" height="18" rx="2" {} }
                rect x="-11" y="-9" width="22" height="18" rx="2" {}
                text y="3" { (counter_text(list[0])) }
                @if list.len() > 1 { text.more x="11" y="-10" { "+" (list.len() - 1) } }
                @if spot.strip.is_some() { text.label y="19" { (list[0].name) } }
            }
        }
    }
}

/// Returns the text on a counter: its values, or an abbreviation of its name.
fn counter_text(stand: &PlacedPiece) -> String {
    if stand.value.is_empty() { short_name(&stand.name) } else { stand.value.clone() }
}

/// The space that a counter in a strip takes with its label: centre and half width.
type TakenRoom = ((f64, f64), f64);

/// The vertical extent of a counter in a strip with its label, above and below the centre.
const COUNTER_HEIGHT: (f64, f64) = (11.0, 22.0);

/// Finds the nearest position where a counter overlaps no other.
fn find_room(at: (f64, f64), wide: f64, taken: &[TakenRoom]) -> (f64, f64) {
    let free = |(x, y): &(f64, f64)| {
        let apart = |((there, high), other): &TakenRoom| {
            (there - x).abs() >= wide + other || (high - y).abs() >= COUNTER_HEIGHT.0 + COUNTER_HEIGHT.1
        };
        taken.iter().all(apart)
    };
    let steps = |n: i32| (-n..=n).map(|step| f64::from(step) * 11.0);
    let mut near: Vec<(f64, f64)> = steps(16).flat_map(|dx| steps(12).map(move |dy| (at.0 + dx, at.1 + dy))).collect();
    let far = |to: &(f64, f64)| (to.0 - at.0).hypot(to.1 - at.1);
    near.sort_by(|a, b| far(a).total_cmp(&far(b)));
    near.into_iter().find(free).unwrap_or(at)
}

/// Abbreviates a name to at most four characters: a short name is kept, several words give capitals and digits, one word its beginning.
fn short_name(name: &str) -> String {
    if name.chars().count() <= 4 {
        return name.into();
    }
    let telling = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let whole = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) || word.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let words: Vec<&str> = name.split([' ', '-']).filter(telling).collect();
    let letters = match words[..] {
        // Short words such as articles don't distinguish names.
        [] => name.split(' ').find(|word| word.len() > 3).unwrap_or(name).chars().take(3).collect(),
        [one] if !whole(one) => one.chars().take(3).collect(),
        _ => words.iter().map(|word| if whole(word) { word.to_string() } else { word.chars().take(1).collect() }).collect::<String>(),
    };
    letters.trim_end_matches('.').chars().take(4).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_in_a_strip_do_not_overlap() {
        let mut taken: Vec<TakenRoom> = Vec::new();
        for n in 0..12 {
            let at = find_room((0.0, f64::from(n % 3)), 30.0, &taken);
            assert!(taken.iter().all(|((x, y), wide)| (x - at.0).abs() >= 30.0 + wide || (y - at.1).abs() >= 33.0), "{taken:?} {at:?}");
            taken.push((at, 30.0));
        }
        assert_eq!(taken[0].0, (0.0, 0.0), "where there is room it stands where it stands");
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
        for (name, wanted) in cases {
            assert_eq!(short_name(name), wanted, "{name}");
        }
    }
}
