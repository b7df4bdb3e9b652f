//! Draws the map as SVG, with a text alternative.

use crate::serve::layout::side_colour;
use crate::serve::map::map_look::{MapAnswer, MapLook};
use crate::serve::page_request::PageRequest;
use casebook_engine::complaint::Error;
use casebook_engine::data::manifest::Game;
use casebook_engine::ruling::menu::is_place;
use casebook_engine::ruling::resolve::{DrawnPlaces as Drawing, ReachedPlace};
use casebook_engine::ruling::session::why_not::WhyNot;
use casebook_engine::ruling::situation::Situation;
use casebook_engine::situation::board::Board;
use casebook_engine::situation::map_geometry::{HEX_HALF_WIDTH, hex_corners};
use casebook_engine::situation::map_plan::{MapPlace, MapPlan};
use casebook_engine::situation::placed_piece::{PlacedPiece, placed_pieces};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Inputs of a map drawing.
pub struct BoardDrawing<'a> {
    pub situation: &'a Situation,
    pub request: &'a PageRequest,
    /// The subpage of the situation.
    pub page: &'a str,
    /// The selection.
    pub look: &'a MapLook,
    /// The board before the ruling.
    pub before: &'a Board,
    /// The board after the ruling.
    pub after: &'a Board,
    /// Drawings that the ruling itself returns.
    pub drawings: &'a [Drawing],
    /// The pending choice; without options where there is none.
    pub choice: &'a MapChoice,
}

/// A pending choice on the map.
#[derive(Default)]
pub struct MapChoice {
    /// The side that is asked.
    pub side: String,
    /// The piece that the choice is about; empty for none.
    pub subject: String,
    /// The place that the choice is about, if it is about no piece.
    pub place: Option<String>,
    /// A click on a place or piece picks the option that names it.
    pub options: Vec<MapOption>,
    /// Whether the reader may ask why a place is not among them.
    pub asks_why: bool,
    /// Why the selected place is not among the options.
    pub why_not: Option<Result<WhyNot, Error>>,
}

/// An option that a click on the map picks.
pub struct MapOption {
    /// The place or piece.
    pub text: String,
    /// The address of the answer.
    pub address: String,
    /// The note on it: the path to it, and what remains.
    pub note: String,
    /// How many answers it takes.
    pub steps: usize,
    /// The places on the way, the last of them included; empty for none.
    pub path: Vec<String>,
}

/// Derived state of a drawing: positions before and after, and the answer to the question.
pub struct Scene<'a> {
    pub(super) drawing: &'a BoardDrawing<'a>,
    pub(super) game: &'a Game,
    pub(super) plan: MapPlan,
    pub(super) before: Vec<PlacedPiece>,
    pub(super) after: Vec<PlacedPiece>,
    /// Whether the ruling moves any piece, shown or not.
    pub(super) ruling_moves: bool,
    pub(super) answer: Option<Result<MapAnswer<'a>, Error>>,
    pub(super) drawings: Vec<Drawing>,
}

/// Maximum number of places added beyond those of the pieces.
const MAX_EXTRA_PLACES: usize = 600;

/// Renders the board with pieces that moved or left, click targets and questions.
pub fn render_map(drawing: &BoardDrawing) -> Markup {
    let game = &drawing.situation.ruleset().game;
    let old = placed_pieces(drawing.before, game);
    let outcome = placed_pieces(drawing.after, game);
    let ruling_moves = outcome != old;
    let new = if drawing.look.before_ruling {
        old.clone()
    } else {
        outcome
    };
    let board = if drawing.look.before_ruling {
        drawing.before
    } else {
        drawing.after
    };
    let map_answer = drawing
        .look
        .answer(drawing.situation, board, drawing.request);
    let all_pieces: Vec<PlacedPiece> = old.iter().chain(&new).cloned().collect();
    let answer = map_answer
        .as_ref()
        .and_then(|seen| seen.as_ref().ok())
        .map(|seen| seen.resolved.ruling.drawn.clone());
    let drawings = answer.unwrap_or_else(|| drawing.drawings.to_vec());
    let drawn_places = drawings
        .iter()
        .flat_map(|drawn_places| drawn_places.places.keys());
    let options = drawing
        .choice
        .options
        .iter()
        .map(|option| &option.text)
        .filter(|text| is_place(text, board, game));
    let asked_name = game.places.name_of(&drawing.look.place);
    let asked_place =
        Some(&*asked_name).filter(|to| game.places.is_hex_grid && game.places.contains(to));
    let extra_places: Vec<&str> = drawn_places
        .chain(options)
        .chain(&drawing.choice.place)
        .map(String::as_str)
        .chain(asked_place)
        .collect();
    let plan = MapPlan::new(
        board,
        game,
        &all_pieces,
        &extra_places[..extra_places.len().min(MAX_EXTRA_PLACES)],
        drawing.situation.scenario.is_game,
    );
    let scene = Scene {
        drawing,
        game,
        plan,
        before: old,
        after: new,
        ruling_moves,
        answer: map_answer,
        drawings,
    };
    html! {
        @if drawing.page.is_empty() && !scene.plan.places.is_empty() { (scene.render_moment()) }
        @if !scene.plan.places.is_empty() { (scene.render_verdict()) (scene.render_drawing()) }
        div.under {
            (scene.render_legend())
            (scene.render_questions())
            (scene.render_text())
        }
    }
}

/// Returns points as the attribute of a polygon.
pub(super) fn points_attribute(points: &[(f64, f64)]) -> String {
    points
        .iter()
        .map(|(x, y)| format!("{x:.0},{y:.0}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns a box around points with some room: left, top, width, height.
fn frame_around(points: impl Iterator<Item = (f64, f64)>, room: f64) -> Option<String> {
    let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    for (x, y) in points {
        low = (low.0.min(x - room), low.1.min(y - room));
        high = (high.0.max(x + room), high.1.max(y + room));
    }
    (low.0 < high.0).then(|| {
        format!(
            "{:.0} {:.0} {:.0} {:.0}",
            low.0,
            low.1,
            high.0 - low.0,
            high.1 - low.1
        )
    })
}

fn render_line(ends: &[(f64, f64); 2], class: &str) -> Markup {
    let [a, b] = ends;
    html! { line class=(class) x1=(format!("{:.1}", a.0)) y1=(format!("{:.1}", a.1)) x2=(format!("{:.1}", b.0)) y2=(format!("{:.1}", b.1)) {} }
}

fn render_rect((x, y): (f64, f64), (wide, high): (f64, f64)) -> Markup {
    html! { rect x=(format!("{:.1}", x - wide / 2.0)) y=(format!("{:.1}", y - high / 2.0)) width=(wide) height=(high) {} }
}

impl Scene<'_> {
    pub(super) fn find_place(&self, name: &str) -> Option<&MapPlace> {
        self.plan.find_place(name)
    }

    /// Returns the place that the pending choice is about.
    pub(super) fn place_in_question(&self) -> Option<&MapPlace> {
        self.find_place(self.drawing.choice.place.as_deref()?)
    }

    /// Returns how far the drawing of a place reaches from its centre.
    fn reach(&self, spot: &MapPlace) -> (f64, f64) {
        let far = |axis: fn(&(f64, f64)) -> f64, centre: f64| {
            spot.cell
                .iter()
                .map(|corner| (axis(corner) - centre).abs())
                .fold(0.0, f64::max)
                + 10.0
        };
        match spot.strip {
            // A counter at the edge of a strip, and its name beside it, reach beyond.
            Some((wide, high)) => (
                wide / 2.0 + HEX_HALF_WIDTH * 1.5,
                high / 2.0 + HEX_HALF_WIDTH * 1.8,
            ),
            None if spot.cell.is_empty() => (HEX_HALF_WIDTH * 1.4, HEX_HALF_WIDTH * 1.4),
            None => (far(|at| at.0, spot.centre.0), far(|at| at.1, spot.centre.1)),
        }
    }

    /// Returns the part of the map that is in play: where pieces are, and what is asked about.
    fn part_in_play(&self) -> Option<String> {
        let pieces = self.after.iter().map(|piece| piece.place.as_str());
        let options = self
            .drawing
            .choice
            .options
            .iter()
            .map(|option| option.text.as_str());
        let drawn = self
            .drawings
            .iter()
            .flat_map(|drawn| drawn.places.keys().map(String::as_str));
        let places = pieces
            .chain(options)
            .chain(drawn)
            .chain(self.drawing.choice.place.as_deref())
            .filter_map(|name| self.find_place(name));
        let corners = places.flat_map(|spot| {
            let (x, y) = spot.centre;
            let (wide, high) = self.reach(spot);
            [(x - wide, y - high), (x + wide, y + high)]
        });
        frame_around(corners, HEX_HALF_WIDTH / 2.0)
    }

    fn render_drawing(&self) -> Markup {
        let ends = |axis: fn(&(f64, f64)) -> f64| {
            let low = self
                .plan
                .places
                .iter()
                .map(|spot| axis(&spot.centre) - axis(&self.reach(spot)))
                .fold(f64::MAX, f64::min);
            let high = self
                .plan
                .places
                .iter()
                .map(|spot| axis(&spot.centre) + axis(&self.reach(spot)))
                .fold(f64::MIN, f64::max);
            (low, high - low)
        };
        let ((left, wide), (top, high)) = (ends(|at| at.0), ends(|at| at.1));
        let (start, size) = ((left, top), (wide, high));
        let is_land = self.plan.hexes || self.plan.places.iter().any(|spot| !spot.cell.is_empty());
        // A hex is scaled so that its number is legible; a map wider than its box shrinks to fit and can be enlarged.
        let natural = (wide * if self.plan.hexes { 1.3 } else { 1.0 }).max(280.0);
        html! {
            div.map.scroll #map tabindex="0" role="application" aria-label="Map: the arrow keys go through what can be clicked, Enter clicks it" {
                // The arrow keys reach the click targets, and the links below repeat them.
                svg viewBox=(format!("{left:.0} {top:.0} {wide:.0} {high:.0}")) width=(format!("{natural:.0}")) data-fit=[self.part_in_play()] data-centre=[self.subject_centre()] data-why=[self.why_not_address()] data-pick=(self.pick_address()) data-opened=[self.opened_pieces()] data-open-piece=[self.opened_pieces().map(|_| &self.drawing.look.piece)] aria-hidden="true" {
                    (self.render_definitions())
                    g #land {
                        @if self.plan.hexes { (self.render_land(start, size)) }
                        // Lines from place to place lie under the places, but what is drawn on land lies over areas and hexes.
                        @if !is_land { (self.render_edges(false)) (self.render_edges(true)) }
                        @else { (self.render_edges(false)) }
                        @if let Some(hexes) = self.closed_hexes() { g.closed data-hexes=(hexes) {} }
                        @for spot in self.plan.places.iter().filter(|spot| !self.is_closed_hex(spot)) { (self.link(self.click_on_place(&spot.name), self.render_place(spot))) }
                        (self.render_textures())
                        (self.render_areas())
                        @if is_land { g.lines { (self.render_edges(true)) } }
                        (self.render_marks())
                    }
                    (self.render_furniture(start, size))
                    (self.render_reached())
                    @for (spot, ends) in &self.plan.sides { (self.link(self.click_on_place(&spot.name), self.render_side(spot, ends))) }
                    (self.render_moves())
                    @if let Some(spot) = self.place_in_question().filter(|spot| spot.strip.is_none()) { polygon.in-question points=(points_attribute(&self.outline_of(spot, 0.97))) {} }
                    path.hint d="" {}
                    (self.render_counters())
                }
            }
            p.zoom { button type="button" data-zoom="1.4" aria-label="Larger" title="Larger (+)" { "+" } " " button type="button" data-zoom="0.7" aria-label="Smaller" title="Smaller (−)" { "−" } " " button type="button" data-zoom="0" title="The pieces in play (0)" { "Fit" } }
        }
    }

    /// Renders a hexside as a click target.
    fn render_side(&self, spot: &MapPlace, ends: &[(f64, f64); 2]) -> Markup {
        let open = if self.answer_address(&spot.name).is_some() {
            " open"
        } else {
            ""
        };
        html! {
            g class={ "place-side" (open) } data-place=(spot.name) { title { (spot.name) } (render_line(ends, "")) }
        }
    }

    /// Returns the way from the piece that acts to an option, as path data of SVG.
    fn way_to(&self, option: &MapOption) -> Option<String> {
        let subject = self
            .after
            .iter()
            .find(|piece| piece.name == self.drawing.choice.subject)
            .filter(|_| !option.path.is_empty())?;
        let places = std::iter::once(&subject.place).chain(&option.path);
        let points: Vec<(f64, f64)> = places
            .filter_map(|name| self.find_place(name))
            .map(|spot| spot.centre)
            .collect();
        Some(format!("M{}", points_attribute(&points)))
    }

    /// Returns whether a place is a hex that can't be clicked. A large map has thousands of them, so that they are listed, and the browser
    /// makes them.
    fn is_closed_hex(&self, spot: &MapPlace) -> bool {
        self.plan.hexes
            && self.find_option(&spot.name).is_none()
            && self.click_on_place(&spot.name).is_none()
    }

    /// Returns the closed hexes by what is said of them: name, position and title of each.
    fn closed_hexes(&self) -> Option<String> {
        let mut by_note: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for spot in self
            .plan
            .places
            .iter()
            .filter(|spot| self.is_closed_hex(spot))
        {
            let (x, y) = spot.centre;
            let row = format!("{} {x:.0} {y:.0} {}", spot.name, spot.title);
            by_note
                .entry(spot.notes.join(", "))
                .or_default()
                .push(row.trim_end().into());
        }
        let lines = by_note.into_iter().map(|(note, rows)| {
            std::iter::once(note)
                .chain(rows)
                .collect::<Vec<_>>()
                .join("\t")
        });
        Some(lines.collect::<Vec<_>>().join("\n")).filter(|hexes| !hexes.is_empty())
    }

    fn render_place(&self, spot: &MapPlace) -> Markup {
        let option = self.find_option(&spot.name);
        let open = option.map_or("", |option| {
            if option.steps > 1 {
                " open far"
            } else {
                " open"
            }
        });
        let class = format!(
            "place {}{open}",
            spot.fill
                .map_or(String::new(), |fill| format!("g{}", fill % 8))
        );
        let (x, y) = spot.centre;
        let way = option.and_then(|option| self.way_to(option));
        let mut title = spot.name.clone();
        if !spot.title.is_empty() && spot.title != spot.name {
            title = format!("{title} {}", spot.title);
        }
        // What an answer means stands in the first line; what is known of the place, below it.
        let note = option.map_or("", |option| option.note.as_str());
        let notes = spot.notes.join(", ");
        title = match (note, notes.as_str()) {
            ("", "") => title,
            ("", notes) => format!("{title}: {notes}"),
            (note, notes) => format!("{title}: {note}\n{notes}"),
        };
        html! {
            @if self.plan.hexes {
                use class=(class.trim()) data-place=(spot.name) data-way=[way] href="#hex" x=(format!("{x:.0}")) y=(format!("{y:.0}")) { title { (title) } }
            } @else if let Some((wide, high)) = spot.strip {
                rect class=(class.trim()) data-place=(spot.name) x=(format!("{:.1}", x - wide / 2.0)) y=(format!("{:.1}", y - high / 2.0)) width=(wide) height=(high) { title { (title) } }
            } @else if spot.cell.is_empty() {
                circle class=(class.trim()) data-place=(spot.name) cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(HEX_HALF_WIDTH * 0.9) { title { (title) } }
            } @else {
                polygon class=(class.trim()) data-place=(spot.name) data-way=[way] points=(points_attribute(&spot.cell)) { title { (title) } }
            }
        }
    }

    /// Returns the outline of an area or hex, drawn in by a factor.
    pub(super) fn outline_of(&self, spot: &MapPlace, factor: f64) -> Vec<(f64, f64)> {
        let (x, y) = spot.centre;
        if spot.cell.is_empty() {
            return hex_corners(spot.centre, HEX_HALF_WIDTH * factor).to_vec();
        }
        let inner =
            |corner: &(f64, f64)| (x + (corner.0 - x) * factor, y + (corner.1 - y) * factor);
        spot.cell.iter().map(inner).collect()
    }

    /// Wraps a part of the drawing in a link.
    pub(super) fn link(&self, click: Option<(String, bool)>, part: Markup) -> Markup {
        match click {
            Some((address, true)) => html! { a href=(address) data-move tabindex="-1" { (part) } },
            Some((address, false)) => html! { a href=(address) data-look tabindex="-1" { (part) } },
            None => part,
        }
    }

    /// Renders the drawings of an answer: reachable places with costs, and paths; the selected path is highlighted.
    fn render_reached(&self) -> Markup {
        let line = |from: &str, to: &str, class: &str| {
            html! { @if let (Some(a), Some(b)) = (self.find_place(from), self.find_place(to)) { (render_line(&[a.centre, b.centre], class)) } }
        };
        html! {
            @for (nth, drawn) in self.drawings.iter().enumerate() {
                g class={ "drawn d" (nth % 2 + 1) } {
                    @for (name, reached) in &drawn.places {
                        @if let Some(spot) = self.find_place(name) {
                            @if let Some((_, ends)) = self.plan.sides.iter().find(|(side, _)| side.name == *name) { (render_line(ends, "along-it")) }
                            @else if self.plan.hexes || !spot.cell.is_empty() { polygon points=(points_attribute(&self.outline_of(spot, 0.94))) {} }
                            @else if spot.strip.is_some() { (self.render_strip_reach(spot, reached)) }
                            @else { circle cx=(format!("{:.1}", spot.centre.0)) cy=(format!("{:.1}", spot.centre.1)) r=(HEX_HALF_WIDTH * 0.9) {} }
                            @if spot.strip.is_none() { (line(&reached.from, name, "link")) }
                            @if let Some(cost) = reached.cost.filter(|cost| *cost > 0 && reached.most.is_none()) {
                                text.cost x=(format!("{:.1}", spot.centre.0)) y=(format!("{:.1}", spot.centre.1 - HEX_HALF_WIDTH * 0.5)) { (cost) }
                            }
                        }
                    }
                    @for (from, to) in path_to(drawn, &self.drawing.look.place) { (line(from, to, "link path")) }
                }
            }
        }
    }

    /// Renders the reachable part of a strip and the ends of paths; the outermost ends show what stops them.
    fn render_strip_reach(&self, spot: &MapPlace, reached: &ReachedPlace) -> Markup {
        let Some((wide, high)) = spot.strip else {
            return html! {};
        };
        let (Some(least), Some(most)) = (reached.least, reached.most) else {
            return render_rect(spot.centre, (wide, high));
        };
        let side = self
            .after
            .iter()
            .find(|piece| piece.name == self.drawing.look.piece)
            .map_or("", |piece| piece.side.as_str());
        let is_far = self.game.is_far_side(side);
        let strip_y = |up: i64| spot.strip_y(is_far, up);
        let (near_y, far_y) = (strip_y(least), strip_y(most));
        let ends: BTreeMap<i64, &str> = reached
            .ends
            .iter()
            .rev()
            .map(|end| (end.at, end.why.as_str()))
            .collect();
        let end_text = |at: i64| {
            ends.get(&at)
                .map_or_else(|| at.to_string(), |why| format!("{at}: {why}"))
        };
        html! {
            (render_rect((spot.centre.0, (near_y + far_y) / 2.0), (wide, (near_y - far_y).abs().max(2.0))))
            @for (at, why) in &ends {
                line.end x1=(format!("{:.1}", spot.centre.0 - wide / 2.0)) x2=(format!("{:.1}", spot.centre.0 - wide / 2.0 + 12.0)) y1=(format!("{:.1}", strip_y(*at))) y2=(format!("{:.1}", strip_y(*at))) { title { (at) ": " (why) } }
            }
            text.band x=(format!("{:.1}", spot.centre.0)) y=(format!("{:.1}", far_y - 4.0)) { (end_text(most)) }
            @if least != most { text.band x=(format!("{:.1}", spot.centre.0)) y=(format!("{:.1}", near_y - 4.0)) { (end_text(least)) } }
        }
    }

    /// Renders arrows from initial to final positions.
    fn render_moves(&self) -> Markup {
        let mut lines: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for old in self.before.iter().filter(|old| old.stands_alone) {
            let Some(new) = self
                .after
                .iter()
                .find(|new| new.name == old.name && new.place != old.place)
            else {
                continue;
            };
            match lines
                .iter_mut()
                .find(|(from, to, _)| (*from, *to) == (&old.place, &new.place))
            {
                Some((.., names)) => names.push(&new.name),
                None => lines.push((&old.place, &new.place, vec![&new.name])),
            }
        }
        html! {
            @for (from, to, names) in &lines {
                @if let (Some(a), Some(b)) = (self.find_place(from), self.find_place(to)) {
                    @let (dx, dy) = (b.centre.0 - a.centre.0, b.centre.1 - a.centre.1);
                    @let far = dx.hypot(dy).max(1.0);
                    @let end = (b.centre.0 - dx / far * 12.0, b.centre.1 - dy / far * 12.0);
                    @let arrow_end = |turn: f64| (end.0 - 9.0 * (dx / far * turn.cos() - dy / far * turn.sin()), end.1 - 9.0 * (dy / far * turn.cos() + dx / far * turn.sin()));
                    g.moved {
                        title { (names.join(", ")) ": from " (from) " to " (to) }
                        line x1=(format!("{:.1}", a.centre.0)) y1=(format!("{:.1}", a.centre.1)) x2=(format!("{:.1}", end.0)) y2=(format!("{:.1}", end.1)) {}
                        polyline points=(points_attribute(&[arrow_end(0.45), end, arrow_end(-0.45)])) {}
                    }
                }
            }
        }
    }

    /// Renders the text alternative: positions, and the pieces that appeared, moved or left.
    fn render_text(&self) -> Markup {
        let mut places: BTreeMap<&str, Vec<&PlacedPiece>> = BTreeMap::new();
        self.after
            .iter()
            .for_each(|piece| places.entry(&piece.place).or_default().push(piece));
        let old_position = |piece: &PlacedPiece| {
            self.before
                .iter()
                .find(|old| old.name == piece.name)
                .filter(|old| old.place != piece.place)
        };
        let removed: Vec<&PlacedPiece> = self
            .before
            .iter()
            .filter(|old| !self.after.iter().any(|new| new.name == old.name))
            .collect();
        html! {
            details.where {
                summary { "Who stands where" }
                dl {
                    @for (place, list) in &places {
                        div {
                            dt { (place) @if let Some(spot) = self.find_place(place).filter(|spot| !spot.title.is_empty()) { span.quiet { " " (spot.title) } } }
                            dd {
                                @for (i, piece) in list.iter().enumerate() {
                                    @if i > 0 { ", " }
                                    (self.render_piece_name(piece))
                                    @if let Some(old) = old_position(piece) { span.quiet { " (from " (old.place) ")" } }
                                }
                            }
                        }
                    }
                    @if !removed.is_empty() {
                        div { dt { "Left the board" } dd { @for (i, piece) in removed.iter().enumerate() { @if i > 0 { ", " } del class=(side_colour(self.game, &piece.side)) { (piece.name) } } } }
                    }
                }
            }
        }
    }
}

/// Returns the steps of the path to a place.
fn path_to<'d>(drawing: &'d Drawing, to: &'d str) -> Vec<(&'d str, &'d str)> {
    let previous = |to: &str| {
        drawing
            .places
            .get(to)
            .map(|reached| reached.from.as_str())
            .filter(|from| !from.is_empty())
    };
    let step = |(from, _): &(&'d str, &'d str)| previous(from).map(|earlier| (earlier, *from));
    std::iter::successors(previous(to).map(|from| (from, to)), step)
        .take(drawing.places.len())
        .collect()
}
