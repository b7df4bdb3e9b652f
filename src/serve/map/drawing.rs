//! The drawing of a map, and the same in words for who can't see it.

use crate::complaint::Error;
use crate::data::drawn::Drawn;
use crate::data::manifest::Game;
use crate::ruling::resolve::{Drawn as Drawing, Reached};
use crate::ruling::situation::Situation;
use crate::serve::ask::Ask;
use crate::serve::layout::side;
use crate::serve::map::look::{Look, Seen};
use crate::serve::map::plan::{Between, Plan, SIZE, Spot, Stand, across, stands};
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
    let seen = shown.look.put(shown.situation, now, shown.ask);
    let both: Vec<Stand> = old.iter().chain(&new).cloned().collect();
    let answer = seen.as_ref().and_then(|seen| seen.as_ref().ok()).map(|seen| seen.ran.ruling.drawn.clone());
    let drawings = answer.unwrap_or_else(|| shown.drawn.to_vec());
    let drawn = drawings.iter().flat_map(|drawn| drawn.places.keys());
    let asked = Some(shown.look.to.as_str()).filter(|to| game.places.hexes && game.places.knows(to));
    let more: Vec<&str> = drawn.map(String::as_str).chain(asked).collect();
    let plan = Plan::of(now, game, &both, if more.len() > MORE { &[] } else { &more });
    let scene = Scene { shown, game, plan, before: old, after: new, seen, drawings };
    html! {
        @if !scene.plan.spots.is_empty() { (scene.verdict()) (scene.drawn()) }
        (scene.questions())
        (scene.in_words())
    }
}

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

fn line_of(ends: &[(f64, f64); 2], class: &str) -> Markup {
    let [a, b] = ends;
    html! { line class=(class) x1=(format!("{:.1}", a.0)) y1=(format!("{:.1}", a.1)) x2=(format!("{:.1}", b.0)) y2=(format!("{:.1}", b.1)) {} }
}

fn rect((x, y): (f64, f64), (wide, high): (f64, f64)) -> Markup {
    html! { rect x=(format!("{:.1}", x - wide / 2.0)) y=(format!("{:.1}", y - high / 2.0)) width=(wide) height=(high) {} }
}

impl Scene<'_> {
    pub(super) fn spot(&self, name: &str) -> Option<&Spot> {
        self.plan.spot(name)
    }

    fn drawn(&self) -> Markup {
        // A name below an area may be wider than it.
        let name = |spot: &Spot| if self.plan.hexes { 0.0 } else { spot.name.chars().count().max(spot.title.chars().count()) as f64 * 2.6 };
        let reach =
            |spot: &Spot| spot.strip.map_or((name(spot).max(SIZE * 1.4), SIZE * 1.5), |(wide, high)| (wide / 2.0, high / 2.0 + SIZE));
        let ends = |axis: fn(&(f64, f64)) -> f64| {
            let low = self.plan.spots.iter().map(|spot| axis(&spot.at) - axis(&reach(spot))).fold(f64::MAX, f64::min);
            let high = self.plan.spots.iter().map(|spot| axis(&spot.at) + axis(&reach(spot))).fold(f64::MIN, f64::max);
            (low, high - low)
        };
        let ((left, wide), (top, high)) = (ends(|at| at.0), ends(|at| at.1));
        // A hex is drawn so large that its number can be read; what is larger than the box is shrunk to it, and can be drawn larger.
        let natural = (wide * if self.plan.hexes { 1.3 } else { 1.0 }).max(280.0);
        html! {
            div.map.scroll tabindex="0" role="group" aria-label="Map" {
                // What can be clicked here stands below as links, for who uses the keyboard or listens.
                svg viewBox=(format!("{left:.0} {top:.0} {wide:.0} {high:.0}")) width=(format!("{natural:.0}")) data-wide=(format!("{natural:.0}")) aria-hidden="true" {
                    // Lines lie on hexes, and beneath places that they join.
                    @if !self.plan.hexes { @for between in &self.plan.between { (self.between(between)) } }
                    @for spot in &self.plan.spots { (self.linked(self.click_on_place(&spot.name), self.place(spot))) }
                    @if self.plan.hexes { @for between in &self.plan.between { (self.between(between)) } }
                    (self.reached())
                    @for (spot, ends) in &self.plan.sides { (self.linked(self.click_on_place(&spot.name), self.side(spot, ends))) }
                    @for spot in &self.plan.spots { (self.name(spot)) }
                    (self.moves())
                    (self.pieces())
                }
            }
            p.zoom { button type="button" data-zoom="1.4" { "Larger" } " " button type="button" data-zoom="0.7" { "Smaller" } " " button type="button" data-zoom="0" { "Fit" } }
            (self.legend())
        }
    }

    /// A side between two hexes, as wide as a click needs.
    fn side(&self, spot: &Spot, ends: &[(f64, f64); 2]) -> Markup {
        let open = if self.answer(&spot.name).is_some() { " open" } else { "" };
        html! {
            g class={ "place-side" (open) } data-place=(spot.name) { title { (spot.name) } (line_of(ends, "")) }
        }
    }

    /// What the numbers and colours of the map mean.
    fn legend(&self) -> Markup {
        let value = self.game.unit_value.as_ref().filter(|_| self.after.iter().any(|stand| !stand.value.is_empty()));
        html! {
            p.quiet.legend {
                @for (nth, drawn) in self.drawings.iter().enumerate() { span class={ "reach d" (nth % 2 + 1) } { (drawn.title) } " " }
                @if let Some((first, second, _)) = value { "A counter shows its " (first.replace('_', " ")) "-" (second.replace('_', " ")) ", or letters of its name" }
                @else { "A counter shows letters of its name" }
                "; +2 says that two more pieces stand under it."
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
                    (rect((x, y), (wide, high)))
                } @else { circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(SIZE * 0.9) {} }
                @if spot.marked { circle.mark cx=(format!("{:.1}", x - SIZE * 0.68)) cy=(format!("{y:.1}")) r="3.2" {} }
            }
        }
    }

    fn name(&self, spot: &Spot) -> Markup {
        let (x, y) = spot.at;
        let down = match spot.strip {
            // Below the strip, where nothing stands.
            Some((_, high)) => high / 2.0 + 14.0,
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
        let ends = match between.how {
            Some(Drawn::Along) if self.plan.hexes => across(a, b),
            _ => [a, b],
        };
        let class = match between.how {
            Some(Drawn::Along) => format!("along {}", between.class),
            Some(_) => format!("way {}", between.class),
            None => "joint".into(),
        };
        html! {
            @if self.plan.spots.iter().all(|spot| spot.strip.is_none()) {
                line class=(class) x1=(format!("{:.1}", ends[0].0)) y1=(format!("{:.1}", ends[0].1)) x2=(format!("{:.1}", ends[1].0)) y2=(format!("{:.1}", ends[1].1)) {
                    @if !between.told.is_empty() { title { (between.told) } }
                }
            }
        }
    }

    /// A part of the drawing that can be clicked.
    pub(super) fn linked(&self, click: Option<(String, bool)>, part: Markup) -> Markup {
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
                            @if let Some((_, ends)) = self.plan.sides.iter().find(|(side, _)| side.name == *name) { (line_of(ends, "along-it")) }
                            @else if self.plan.hexes { polygon points=(points(&corners(spot.at))) {} }
                            @else if spot.strip.is_some() { (self.band(spot, reached)) }
                            @else { circle cx=(format!("{:.1}", spot.at.0)) cy=(format!("{:.1}", spot.at.1)) r=(SIZE * 0.9) {} }
                            @if spot.strip.is_none() { (line(&reached.from, name, "link")) }
                            @if let Some(cost) = reached.cost.filter(|cost| *cost > 0 && reached.most.is_none()) {
                                text x=(format!("{:.1}", spot.at.0)) y=(format!("{:.1}", spot.at.1 - SIZE * 0.5)) { (cost) }
                            }
                        }
                    }
                    @for (from, to) in way(drawn, &self.shown.look.to) { (line(from, to, "link path")) }
                }
            }
        }
    }

    /// The part of a strip that is reached, and where ways end in it; the outermost say what stops them.
    fn band(&self, spot: &Spot, reached: &Reached) -> Markup {
        let Some((wide, high)) = spot.strip else { return html! {} };
        let (Some(least), Some(most)) = (reached.least, reached.most) else { return rect(spot.at, (wide, high)) };
        let of = self.after.iter().find(|stand| stand.name == self.shown.look.of).map_or("", |stand| stand.side.as_str());
        let down = |up: i64| self.down(of, up, spot);
        let (near, far) = (down(least), down(most));
        let ends: BTreeMap<i64, &str> = reached.ends.iter().rev().map(|end| (end.at, end.why.as_str())).collect();
        let told = |at: i64| ends.get(&at).map_or_else(|| at.to_string(), |why| format!("{at}: {why}"));
        html! {
            (rect((spot.at.0, (near + far) / 2.0), (wide, (near - far).abs().max(2.0))))
            @for (at, why) in &ends {
                line.end x1=(format!("{:.1}", spot.at.0 - wide / 2.0)) x2=(format!("{:.1}", spot.at.0 - wide / 2.0 + 12.0)) y1=(format!("{:.1}", down(*at))) y2=(format!("{:.1}", down(*at))) { title { (at) ": " (why) } }
            }
            text.band x=(format!("{:.1}", spot.at.0)) y=(format!("{:.1}", far - 4.0)) { (told(most)) }
            @if least != most { text.band x=(format!("{:.1}", spot.at.0)) y=(format!("{:.1}", near - 4.0)) { (told(least)) } }
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
