//! Pieces that are drawn as areas, and the legend of the map.

use crate::serve::map::counters::render_symbol;
use crate::serve::map::drawing::Scene;
use crate::serve::map::scenery::{edge_class, look_class};
use casebook_engine::data::draw_style::DrawStyle;
use casebook_engine::data::manifest::{AttributeType, CounterFigures};
use casebook_engine::situation::map_geometry::HEX_HALF_WIDTH;
use casebook_engine::situation::map_plan::{MapEdge, MapPlace, STRIP_UNIT};
use casebook_engine::situation::placed_piece::PlacedPiece;
use maud::{Markup, html};
use std::collections::BTreeMap;

impl Scene<'_> {
    /// Returns the centre of the place of the piece that acts, or of the place in question, in drawing units.
    pub(super) fn subject_centre(&self) -> Option<String> {
        let piece = self
            .after
            .iter()
            .find(|piece| piece.name == self.drawing.choice.subject);
        let spot = piece
            .and_then(|piece| self.find_place(&piece.place))
            .or_else(|| self.place_in_question())?;
        Some(format!("{:.0} {:.0}", spot.centre.0, spot.centre.1))
    }

    /// Renders the pieces that are drawn as areas, with their names.
    pub(super) fn render_areas(&self) -> Markup {
        html! {
            @for piece in self.after.iter().filter(|piece| piece.is_area()) {
                @if let Some(spot) = self.find_place(&piece.place) { (self.render_area(piece, spot)) }
            }
        }
    }

    fn render_area(&self, piece: &PlacedPiece, spot: &MapPlace) -> Markup {
        let (deep, wide) = (
            piece.extent.0 as f64 * STRIP_UNIT,
            piece.extent.1 as f64 * STRIP_UNIT,
        );
        let wide = if wide > 0.0 {
            wide
        } else {
            spot.strip.map_or(HEX_HALF_WIDTH, |(wide, _)| wide)
        };
        let is_far = self.game.is_far_side(&piece.side);
        let near_edge = spot.strip_y(is_far, piece.offset.1);
        let (x, y) = (
            spot.centre.0 + piece.offset.0 as f64 * STRIP_UNIT - wide / 2.0,
            near_edge - deep,
        );
        // An area is measured from where the first side begins, which is the lower border.
        html! {
            g class={ "area " (piece.symbol.get(1).copied().unwrap_or("plain")) } data-place=(piece.place) {
                title { (piece.name) ": " (self.game.kind_title(&piece.kind)) }
                rect x=(format!("{x:.1}")) y=(format!("{y:.1}")) width=(format!("{wide:.1}")) height=(format!("{deep:.1}")) rx=(format!("{:.1}", (deep / 3.0).min(10.0))) {}
                rect.texture x=(format!("{x:.1}")) y=(format!("{y:.1}")) width=(format!("{wide:.1}")) height=(format!("{deep:.1}")) rx=(format!("{:.1}", (deep / 3.0).min(10.0))) {}
                text.area-name x=(format!("{:.1}", x + wide / 2.0)) y=(format!("{:.1}", y + deep / 2.0 + 3.0)) { (piece.name) }
            }
        }
    }

    /// Renders the legend: what fills, lines, symbols, numbers and colours mean.
    pub(super) fn render_legend(&self) -> Markup {
        let value = self
            .game
            .unit_value
            .as_ref()
            .filter(|_| self.after.iter().any(|piece| !piece.value.is_empty()));
        let styled = |wanted: DrawStyle| {
            self.game
                .places
                .draw_styles
                .iter()
                .filter(move |(_, style)| **style == wanted)
                .map(|(name, _)| name)
        };
        let filled = styled(DrawStyle::Fill).next().and_then(|name| {
            self.game
                .places
                .attributes
                .iter()
                .find(|(kind, _)| kind == name)
        });
        let fills: Vec<(usize, &String)> = match filled {
            Some((_, AttributeType::Word(words, _))) => words
                .iter()
                .enumerate()
                .filter(|(place, _)| {
                    self.plan
                        .places
                        .iter()
                        .any(|spot| spot.fill == Some(*place))
                })
                .collect(),
            _ => Vec::new(),
        };
        let mut kinds: BTreeMap<&str, &PlacedPiece> = BTreeMap::new();
        for piece in self.after.iter().filter(|piece| !piece.symbol.is_empty()) {
            kinds.entry(&piece.kind).or_insert(piece);
        }
        let mut lines: BTreeMap<&str, &MapEdge> = BTreeMap::new();
        for edge in &self.plan.edges {
            if matches!(edge.style, Some(DrawStyle::SideLine | DrawStyle::Line)) {
                lines.entry(edge.line_name()).or_insert(edge);
            }
        }
        let is_number = |name: &String| {
            let style = self.game.places.draw_styles.get(name);
            matches!(style, Some(DrawStyle::Number | DrawStyle::Figure))
        };
        let numbers: Vec<String> = self
            .game
            .attributes
            .iter()
            .filter(|(name, _)| is_number(name))
            .map(|(name, _)| name.replace('_', " "))
            .collect();
        let mut badges: Vec<&String> = self.after.iter().flat_map(|piece| &piece.badges).collect();
        badges.sort_unstable();
        badges.dedup();
        let look_of = |fill: usize| {
            self.plan
                .places
                .iter()
                .find(|spot| spot.fill == Some(fill))
                .and_then(|spot| spot.look)
        };
        let reached = html! {
            @for (nth, drawn) in self.drawings.iter().enumerate() { span class={ "reach d" (nth % 2 + 1) } { (drawn.title) } " " }
            @if self.drawing.choice.options.iter().any(|option| self.find_place(&option.text).is_some()) { span.reach { "can be clicked" } " " }
        };
        let counters = html! {
            @if let Some(CounterFigures { first, second, .. }) = value { "A counter shows its " (first.replace('_', " ")) "-" (second.replace('_', " ")) @if !numbers.is_empty() { ", or " (numbers.join("-")) } }
                    @else if !numbers.is_empty() { "A counter shows its " (numbers.join("-")) }
                    @else { "A counter shows its kind, or letters of its name" }
                    "; of a stack, those of its best piece, how many pieces lie there, and in the round field what they add up to."
        };
        // Where pieces are changed, their rows come straight after the map.
        let is_folded = self.opens_pieces();
        html! {
            div.legend {
                @if is_folded { @if !self.drawings.is_empty() { p.quiet { (reached) } } } @else { p.quiet { (reached) (counters) } }
                @if is_folded || !(fills.is_empty() && kinds.is_empty() && lines.is_empty() && badges.is_empty()) {
                    details.key-of-map {
                        summary { "Legend" }
                        @if is_folded { p.quiet { (counters) } }
                        ul.plain {
                            @for (place, word) in &fills {
                                li {
                                    svg.swatch viewBox="0 0 27 18" aria-hidden="true" {
                                        rect class={ "place g" (place % 8) } width="27" height="18" {}
                                        @if let Some(look) = look_of(*place) { rect.texture fill={ "url(#look-" (look) ")" } width="27" height="18" {} }
                                    }
                                    (word)
                                }
                            }
                            @if self.plan.hexes { li { svg.swatch viewBox="0 0 18 12" aria-hidden="true" { rect.unknown-hex x="1" y="1" width="16" height="10" {} } "nothing is known of it" } }
                            @for (name, edge) in &lines {
                                @let kind = if edge.style == Some(DrawStyle::SideLine) { "along" } else { "way" };
                                @let look = edge.look.map(look_class).unwrap_or_default();
                                li {
                                    svg.swatch viewBox="0 0 27 12" aria-hidden="true" {
                                        path class={ (kind) " " (edge_class(edge)) " " (look) " under" } d="M1 6H26" {}
                                        @if matches!(edge.look, Some("brown" | "railway")) { path class={ (kind) " " (edge_class(edge)) " " (look) " over" } d="M1 6H26" {} }
                                    }
                                    (name.replace('_', " "))
                                }
                            }
                            @for badge in &badges { li { svg.swatch viewBox="-9 -9 18 18" aria-hidden="true" { g.badge { circle r="6.5" {} text y="4" { (badge.chars().take(1).collect::<String>().to_uppercase()) } } } (badge.replace('_', " ")) } }
                            @for (kind, piece) in &kinds {
                                li {
                                    svg.swatch viewBox="-13 -9 26 18" aria-hidden="true" {
                                        @if piece.is_area() { g class={ "area " (piece.symbol.get(1).copied().unwrap_or("plain")) } { rect x="-13" y="-9" width="26" height="18" {} rect.texture x="-13" y="-9" width="26" height="18" {} } }
                                        @else { g.symbol { (render_symbol(&piece.symbol, (20.0, 13.0))) } }
                                    }
                                    (self.game.kind_title(kind))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
