//! The drawing of a map, and the same in words for who can't see it.

use crate::complaint::Error;
use crate::data::drawn::Drawn;
use crate::data::manifest::Game;
use crate::ruling::resolve::Drawn as Drawing;
use crate::ruling::situation::Situation;
use crate::serve::ask::Ask;
use crate::serve::layout::side;
use crate::serve::map::look::{Look, Seen};
use crate::serve::map::plan::{Between, INCH, Plan, SIZE, Spot, Stand, stands};
use crate::situation::board::Board;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The board of a page.
pub struct Shown<'a> {
    /// The situation.
    pub situation: &'a Situation,
    /// The address of the page.
    pub ask: &'a Ask,
    /// Which page of the situation it is.
    pub page: &'a str,
    /// What is looked at.
    pub look: &'a Look,
    /// The board as it was.
    pub before: &'a Board,
    /// The board as it is now.
    pub after: &'a Board,
    /// What the ruling itself draws.
    pub drawn: &'a [Drawing],
    /// The answers to a choice that is waited for, each with its address: those that name a place or a piece are given by a click on it.
    pub open: &'a [(String, String)],
}

/// What is drawn: who stood where, before and after, and what was asked of the map.
pub struct Scene<'a> {
    pub(super) shown: &'a Shown<'a>,
    pub(super) game: &'a Game,
    pub(super) plan: Plan,
    pub(super) before: Vec<Stand>,
    pub(super) after: Vec<Stand>,
    pub(super) seen: Option<Result<Seen<'a>, Error>>,
    drawings: Vec<Drawing>,
}

/// Places beyond those of the pieces that a map grows by, at most.
const MORE: usize = 250;

/// The board with what moved and what left it, what a click on it does, and what is asked of it.
pub fn board(shown: &Shown) -> Markup {
    let game = &shown.situation.ruleset().game;
    let old = stands(shown.before, game);
    let new = if shown.look.before { old.clone() } else { stands(shown.after, game) };
    let now = if shown.look.before { shown.before } else { shown.after };
    let seen = shown.look.put(shown.situation, now, &new, shown.ask);
    let both: Vec<Stand> = old.iter().chain(&new).cloned().collect();
    let answer = seen.as_ref().and_then(|seen| seen.as_ref().ok()).map(|seen| seen.ran.ruling.drawn.clone());
    let drawings = answer.unwrap_or_else(|| shown.drawn.to_vec());
    let drawn = drawings.iter().flat_map(|drawn| drawn.places.keys());
    let asked = Some(shown.look.to.as_str()).filter(|to| game.places.hexes && game.places.knows(to));
    let more: Vec<&str> = drawn.map(String::as_str).chain(asked).collect();
    let plan = Plan::of(now, game, &both, if more.len() > MORE { &[] } else { &more });
    let scene = Scene { shown, game, plan, before: old, after: new, seen, drawings };
    html! {
        @if !scene.plan.spots.is_empty() { (scene.drawn()) }
        (scene.questions())
        (scene.in_words())
    }
}

/// Where a stack is drawn: the place, the side, and how far off in a strip.
type Spotted<'a> = (&'a str, &'a str, (i64, i64));

/// The corners of a hex round its centre.
fn corners((x, y): (f64, f64)) -> [(f64, f64); 6] {
    let high = 3.0_f64.sqrt() / 2.0 * SIZE;
    [
        (x + SIZE, y),
        (x + SIZE / 2.0, y + high),
        (x - SIZE / 2.0, y + high),
        (x - SIZE, y),
        (x - SIZE / 2.0, y - high),
        (x + SIZE / 2.0, y - high),
    ]
}

fn points(list: &[(f64, f64)]) -> String {
    list.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

impl Scene<'_> {
    fn spot(&self, name: &str) -> Option<&Spot> {
        self.plan.spots.iter().find(|spot| spot.name == name)
    }

    fn drawn(&self) -> Markup {
        // A name below an area may be wider than it.
        let name = |spot: &Spot| if self.plan.hexes { 0.0 } else { spot.name.chars().count().max(spot.title.chars().count()) as f64 * 2.6 };
        let reach = |spot: &Spot| spot.strip.map_or((name(spot).max(SIZE * 1.4), SIZE * 1.5), |(wide, high)| (wide / 2.0, high / 2.0));
        let ends = |axis: fn(&(f64, f64)) -> f64| {
            let low = self.plan.spots.iter().map(|spot| axis(&spot.at) - axis(&reach(spot))).fold(f64::MAX, f64::min);
            let high = self.plan.spots.iter().map(|spot| axis(&spot.at) + axis(&reach(spot))).fold(f64::MIN, f64::max);
            (low, high - low)
        };
        let ((left, wide), (top, high)) = (ends(|at| at.0), ends(|at| at.1));
        html! {
            div.map.scroll tabindex="0" role="group" aria-label="Map" {
                // What can be clicked here stands below as links, for who uses the keyboard or listens.
                svg.fits[wide < 900.0] viewBox=(format!("{left:.0} {top:.0} {wide:.0} {high:.0}")) width=(format!("{:.0}", wide.max(280.0))) aria-hidden="true" {
                    // Lines lie on hexes, and beneath places that they join.
                    @if !self.plan.hexes { @for between in &self.plan.between { (self.between(between)) } }
                    @for spot in &self.plan.spots { (self.linked(self.click_on_place(&spot.name), self.place(spot))) }
                    @if self.plan.hexes { @for between in &self.plan.between { (self.between(between)) } }
                    (self.reached())
                    @for spot in &self.plan.spots { (self.name(spot)) }
                    (self.moves())
                    (self.pieces())
                }
            }
        }
    }

    fn place(&self, spot: &Spot) -> Markup {
        let open = if self.answer(&spot.name).is_some() { " open" } else { "" };
        let class = format!("place {}{open}", spot.fill.map_or(String::new(), |fill| format!("g{}", fill % 8)));
        let (x, y) = spot.at;
        let title = if spot.told.is_empty() { spot.name.clone() } else { format!("{}: {}", spot.name, spot.told.join(", ")) };
        html! {
            g class=(class) data-place=(spot.name) {
                title { (title) }
                @if self.plan.hexes { polygon points=(points(&corners(spot.at))) {} }
                @else if let Some((wide, high)) = spot.strip {
                    rect x=(format!("{:.1}", x - wide / 2.0)) y=(format!("{:.1}", y - high / 2.0)) width=(wide) height=(high) {}
                } @else { circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(SIZE * 0.9) {} }
                @if spot.marked { circle.mark cx=(format!("{:.1}", x - SIZE * 0.68)) cy=(format!("{y:.1}")) r="3.2" {} }
            }
        }
    }

    fn name(&self, spot: &Spot) -> Markup {
        let (x, y) = spot.at;
        let down = match spot.strip {
            Some((_, high)) => high / 2.0 - 10.0,
            None => SIZE * 0.74,
        };
        let areas = !self.plan.hexes && spot.strip.is_none();
        let shown = if spot.title.is_empty() || (areas && spot.name.len() > 4) { &spot.name } else { &spot.title };
        html! {
            text.place-name.named[!spot.title.is_empty() || !self.plan.hexes] x=(format!("{x:.1}")) y=(format!("{:.1}", y + if areas { SIZE * 1.3 } else { down })) { (shown) }
        }
    }

    fn between(&self, between: &Between) -> Markup {
        let (a, b) = (self.plan.spots[between.ends.0].at, self.plan.spots[between.ends.1].at);
        let centre = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
        // The common side of two hexes stands across the line between their centres.
        let ends = match between.how {
            Some(Drawn::Along) if self.plan.hexes => {
                let far = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
                let (dx, dy) = (-(b.1 - a.1) / far * SIZE / 2.0, (b.0 - a.0) / far * SIZE / 2.0);
                ((centre.0 - dx, centre.1 - dy), (centre.0 + dx, centre.1 + dy))
            }
            _ => (a, b),
        };
        let class = match between.how {
            Some(Drawn::Along) => format!("along {}", between.class),
            Some(_) => format!("way {}", between.class),
            None => "joint".into(),
        };
        html! {
            @if self.plan.spots.iter().all(|spot| spot.strip.is_none()) {
                line class=(class) x1=(format!("{:.1}", ends.0.0)) y1=(format!("{:.1}", ends.0.1)) x2=(format!("{:.1}", ends.1.0)) y2=(format!("{:.1}", ends.1.1)) {
                    @if !between.told.is_empty() { title { (between.told) } }
                }
            }
        }
    }

    /// Where a piece stands in a strip.
    fn in_strip(&self, stand: &Stand, spot: &Spot) -> (f64, f64) {
        let high = spot.strip.map_or(0.0, |(_, high)| high);
        let up = stand.off.1 as f64 * INCH;
        let far_side = self.game.sides.iter().position(|side| *side == stand.side).is_some_and(|place| place > 0);
        let y = if far_side { spot.at.1 - high / 2.0 + up } else { spot.at.1 + high / 2.0 - up };
        (spot.at.0 + stand.off.0 as f64 * INCH, y)
    }

    fn pieces(&self) -> Markup {
        // By place and side: a stack is one counter with the number of its pieces.
        let mut stacks: BTreeMap<Spotted, Vec<&Stand>> = BTreeMap::new();
        for stand in &self.after {
            let Some(spot) = self.spot(&stand.place) else { continue };
            let off = if spot.strip.is_some() { stand.off } else { (0, 0) };
            stacks.entry((&stand.place, &stand.side, off)).or_default().push(stand);
        }
        let there = |place: &str| stacks.keys().filter(|(at, ..)| *at == place).count();
        let nth = |key: &Spotted| stacks.keys().filter(|(at, ..)| *at == key.0).position(|other| other == key).unwrap_or(0);
        html! {
            @for (key, list) in &stacks {
                @if let Some(spot) = self.spot(key.0) {
                    @let (x, y) = if spot.strip.is_some() { self.in_strip(list[0], spot) } else {
                        let count = there(key.0) as f64;
                        (spot.at.0 + (nth(key) as f64 - (count - 1.0) / 2.0) * 21.0, spot.at.1 - 2.0)
                    };
                    (self.linked(self.click_on_stack(list), self.stack(key, list, spot, (x, y))))
                }
            }
        }
    }

    /// A counter, or several as one. What stands where it began can be dragged elsewhere.
    fn stack(&self, key: &Spotted, list: &[&Stand], spot: &Spot, (x, y): (f64, f64)) -> Markup {
        let stays = |stand: &&&Stand| self.before.iter().any(|old| old.alone && old.name == stand.name && old.place == stand.place);
        let dragged: Vec<&str> = list.iter().filter(stays).map(|stand| stand.name.as_str()).collect();
        let open = list.iter().any(|stand| self.answer(&stand.name).is_some());
        let looked = list.iter().any(|stand| stand.name == self.shown.look.of);
        let class = format!("stack {}{}{}", side(self.game, key.1), if open { " open" } else { "" }, if looked { " looked" } else { "" });
        html! {
            g class=(class) transform=(format!("translate({x:.1} {y:.1})")) data-pieces=[(!dragged.is_empty()).then(|| dragged.join("\n"))] data-place=(spot.name) {
                        title { @for (i, stand) in list.iter().enumerate() { @if i > 0 { ", " } (stand.name) } }
                        @if list.len() > 1 { rect.under x="-7" y="-11" width="18" height="18" rx="2" {} }
                        rect x="-9" y="-9" width="18" height="18" rx="2" {}
                        text y="4" { @if list.len() > 1 { (list.len()) } @else { (initials(&list[0].name)) } }
                        @if spot.strip.is_some() { text.label y="19" { (list[0].name) } }
            }
        }
    }

    /// A part of the drawing that can be clicked.
    fn linked(&self, click: Option<(String, bool)>, part: Markup) -> Markup {
        match click {
            Some((address, true)) => html! { a href=(address) data-move tabindex="-1" { (part) } },
            Some((address, false)) => html! { a href=(address) data-look tabindex="-1" { (part) } },
            None => part,
        }
    }

    /// What the ruling on a question draws: places with what they cost, and the ways to them; the way that was asked for stands out.
    fn reached(&self) -> Markup {
        let line = |from: &str, to: &str, class: &str| {
            html! {
                @if let (Some(a), Some(b)) = (self.spot(from), self.spot(to)) {
                    line class=(class) x1=(format!("{:.1}", a.at.0)) y1=(format!("{:.1}", a.at.1)) x2=(format!("{:.1}", b.at.0)) y2=(format!("{:.1}", b.at.1)) {}
                }
            }
        };
        html! {
            @for (nth, drawn) in self.drawings.iter().enumerate() {
                g class={ "drawn d" (nth % 2 + 1) } {
                    @for (name, reached) in &drawn.places {
                        @if let Some(spot) = self.spot(name) {
                            @if self.plan.hexes { polygon points=(points(&corners(spot.at))) {} }
                            @else if spot.strip.is_none() { circle cx=(format!("{:.1}", spot.at.0)) cy=(format!("{:.1}", spot.at.1)) r=(SIZE * 0.9) {} }
                            (line(&reached.from, name, "link"))
                            @if let Some(cost) = reached.cost.filter(|cost| *cost > 0) {
                                text x=(format!("{:.1}", spot.at.0)) y=(format!("{:.1}", spot.at.1 - SIZE * 0.5)) { (cost) }
                            }
                        }
                    }
                    @for (from, to) in way(drawn, &self.shown.look.to) { (line(from, to, "link path")) }
                }
            }
        }
    }

    /// Arrows from where pieces stood to where they stand.
    fn moves(&self) -> Markup {
        let mut lines: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for old in self.before.iter().filter(|old| old.alone) {
            let Some(new) = self.after.iter().find(|new| new.name == old.name && new.place != old.place) else { continue };
            match lines.iter_mut().find(|(from, to, _)| (*from, *to) == (&old.place, &new.place)) {
                Some((.., names)) => names.push(&new.name),
                None => lines.push((&old.place, &new.place, vec![&new.name])),
            }
        }
        html! {
            @for (from, to, names) in &lines {
                @if let (Some(a), Some(b)) = (self.spot(from), self.spot(to)) {
                    @let (dx, dy) = (b.at.0 - a.at.0, b.at.1 - a.at.1);
                    @let far = dx.hypot(dy).max(1.0);
                    @let end = (b.at.0 - dx / far * 12.0, b.at.1 - dy / far * 12.0);
                    @let wing = |turn: f64| (end.0 - 9.0 * (dx / far * turn.cos() - dy / far * turn.sin()), end.1 - 9.0 * (dy / far * turn.cos() + dx / far * turn.sin()));
                    g.moved {
                        title { (names.join(", ")) ": from " (from) " to " (to) }
                        line x1=(format!("{:.1}", a.at.0)) y1=(format!("{:.1}", a.at.1)) x2=(format!("{:.1}", end.0)) y2=(format!("{:.1}", end.1)) {}
                        polyline points=(points(&[wing(0.45), end, wing(-0.45)])) {}
                    }
                }
            }
        }
    }

    /// Who stands where, who came, went and left.
    fn in_words(&self) -> Markup {
        let mut places: BTreeMap<&str, Vec<&Stand>> = BTreeMap::new();
        self.after.iter().for_each(|stand| places.entry(&stand.place).or_default().push(stand));
        let from = |stand: &Stand| self.before.iter().find(|old| old.name == stand.name).filter(|old| old.place != stand.place);
        let gone: Vec<&Stand> = self.before.iter().filter(|old| !self.after.iter().any(|new| new.name == old.name)).collect();
        html! {
            details.where {
                summary { "Who stands where" }
                dl {
                    @for (place, list) in &places {
                        div {
                            dt { (place) @if let Some(spot) = self.spot(place).filter(|spot| !spot.title.is_empty()) { span.quiet { " " (spot.title) } } }
                            dd {
                                @for (i, stand) in list.iter().enumerate() {
                                    @if i > 0 { ", " }
                                    (self.named(stand))
                                    @if let Some(old) = from(stand) { span.quiet { " (from " (old.place) ")" } }
                                }
                            }
                        }
                    }
                    @if !gone.is_empty() {
                        div { dt { "Left the board" } dd { @for (i, stand) in gone.iter().enumerate() { @if i > 0 { ", " } del class=(side(self.game, &stand.side)) { (stand.name) } } } }
                    }
                }
            }
        }
    }
}

/// The steps of the way to a place.
fn way<'d>(drawn: &'d Drawing, to: &'d str) -> Vec<(&'d str, &'d str)> {
    let before = |to: &str| drawn.places.get(to).map(|reached| reached.from.as_str()).filter(|from| !from.is_empty());
    let step = |(from, _): &(&'d str, &'d str)| before(from).map(|earlier| (earlier, *from));
    std::iter::successors(before(to).map(|from| (from, to)), step).take(drawn.places.len()).collect()
}

/// The first letters of a name, for a counter.
fn initials(name: &str) -> String {
    let letters: String = name.split_whitespace().filter_map(|word| word.chars().next()).filter(|c| c.is_alphanumeric()).take(2).collect();
    letters.to_uppercase()
}
