//! Areas of a map: pieces that are drawn as one, the grid behind hexes, the scale of strips, and the legend.

use crate::serve::map::counters::render_symbol;
use crate::serve::map::drawing::Scene;
use casebook_engine::data::draw_style::DrawStyle;
use casebook_engine::data::manifest::AttributeType;
use casebook_engine::situation::map_plan::{HEX_HALF_WIDTH, MapPlace, PlacedPiece, STRIP_UNIT};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Length of the scale of a map of strips, in strip units.
const SCALE_UNITS: i64 = 12;

impl Scene<'_> {
    /// Returns the centre of the place of the piece that acts, in drawing units.
    pub(super) fn subject_centre(&self) -> Option<String> {
        let piece = self
            .after
            .iter()
            .find(|piece| piece.name == self.drawing.choice.subject)?;
        let spot = self.find_place(&piece.place)?;
        Some(format!("{:.0} {:.0}", spot.centre.0, spot.centre.1))
    }

    /// Renders the grid behind the hexes, so that the map is whole where nothing is known of it.
    pub(super) fn render_grid(&self, (left, top): (f64, f64), (wide, high): (f64, f64)) -> Markup {
        let Some(first_place) = self.plan.places.first() else {
            return html! {};
        };
        let (tile_width, tile_height) = (3.0 * HEX_HALF_WIDTH, 3.0_f64.sqrt() * HEX_HALF_WIDTH);
        let (x, y) = first_place.centre;
        let half = HEX_HALF_WIDTH / 2.0;
        // A tile is one hex and the border between two others.
        let outline = format!(
            "M{half:.1} 0h{0:.1}l{half:.1} {1:.1}l-{half:.1} {1:.1}h-{0:.1}l-{half:.1} -{1:.1}zM{2:.1} {1:.1}h{0:.1}",
            HEX_HALF_WIDTH,
            tile_height / 2.0,
            2.0 * HEX_HALF_WIDTH
        );
        html! {
            defs {
                pattern #hex-grid patternUnits="userSpaceOnUse" x=(format!("{:.1}", x - HEX_HALF_WIDTH)) y=(format!("{:.1}", y - tile_height / 2.0)) width=(format!("{tile_width:.1}")) height=(format!("{tile_height:.1}")) {
                    rect.unknown-hex width=(format!("{tile_width:.1}")) height=(format!("{tile_height:.1}")) {}
                    path.grid-line d=(outline) {}
                }
            }
            rect.grid x=(format!("{left:.0}")) y=(format!("{top:.0}")) width=(format!("{wide:.0}")) height=(format!("{high:.0}")) fill="url(#hex-grid)" { title { "Nothing is known of what lies here" } }
        }
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
        let near_edge = self.strip_offset(&piece.side, piece.offset.1, spot);
        let (x, y) = (
            spot.centre.0 + piece.offset.0 as f64 * STRIP_UNIT - wide / 2.0,
            near_edge - deep,
        );
        // An area is measured from where the first side begins, which is the lower border.
        html! {
            g class={ "area " (piece.symbol.get(1).copied().unwrap_or("plain")) } data-place=(piece.place) {
                title { (piece.name) ": " (self.game.kind_title(&piece.kind)) }
                rect x=(format!("{x:.1}")) y=(format!("{y:.1}")) width=(format!("{wide:.1}")) height=(format!("{deep:.1}")) rx=(format!("{:.1}", (deep / 3.0).min(10.0))) {}
                text.area-name x=(format!("{:.1}", x + wide / 2.0)) y=(format!("{:.1}", y + deep / 2.0 + 3.0)) { (piece.name) }
            }
        }
    }

    /// Renders the scale of a map of strips.
    pub(super) fn render_scale(&self, (left, top): (f64, f64), wide: f64) -> Markup {
        let deep =
            self.game.places.attributes.iter().find(|(name, _)| {
                self.game.places.draw_styles.get(name) == Some(&DrawStyle::Depth)
            });
        let unit = match deep {
            Some((_, AttributeType::Number(unit, ..))) => {
                unit.split(' ').next().unwrap_or_default()
            }
            _ => return html! {},
        };
        let (x, y) = (left + wide * 0.45, top + 12.0);
        html! {
            g.scale {
                path d=(format!("M{x:.1} {:.1}v4h{:.1}v-4", y - 4.0, SCALE_UNITS as f64 * STRIP_UNIT)) {}
                text x=(format!("{:.1}", x + SCALE_UNITS as f64 * STRIP_UNIT / 2.0)) y=(format!("{:.1}", y - 4.0)) { (SCALE_UNITS) " " (unit) }
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
                .find(|(known, _)| known == name)
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
        let mut lines: BTreeMap<&str, &str> = BTreeMap::new();
        for edge in self.plan.edges.iter().filter(|edge| !edge.notes.is_empty()) {
            lines
                .entry(edge.notes.split(' ').next().unwrap_or_default())
                .or_insert(&edge.class);
        }
        let numbers: Vec<String> = styled(DrawStyle::Number)
            .map(|name| name.replace('_', " "))
            .collect();
        html! {
            div.legend {
                p.quiet {
                    @for (nth, drawn) in self.drawings.iter().enumerate() { span class={ "reach d" (nth % 2 + 1) } { (drawn.title) } " " }
                    @if self.drawing.choice.options.iter().any(|option| self.find_place(&option.text).is_some()) { span.reach { "can be clicked" } " " }
                    @if let Some((first, second, _)) = value { "A counter shows its " (first.replace('_', " ")) "-" (second.replace('_', " ")) ", or letters of its name" }
                    @else if !numbers.is_empty() { "A counter shows its " (numbers.join("-")) ", or letters of its name" }
                    @else { "A counter shows letters of its name" }
                    "; +2 says that two more pieces are under it."
                }
                @if !(fills.is_empty() && kinds.is_empty() && lines.is_empty()) {
                    details.key-of-map {
                        summary { "Legend" }
                        ul.plain {
                            @for (place, word) in &fills { li { svg.swatch viewBox="0 0 18 12" aria-hidden="true" { g class={ "place g" (place % 8) } { rect width="18" height="12" {} } } (word) } }
                            @if self.plan.hexes { li { svg.swatch viewBox="0 0 18 12" aria-hidden="true" { rect.unknown-hex x="1" y="1" width="16" height="10" {} } "nothing is known of it" } }
                            @for (name, class) in &lines {
                                @let (kind, style) = if self.is_side_line(name) { ("along ", *class) } else { ("way ", *class) };
                                li { svg.swatch viewBox="0 0 18 12" aria-hidden="true" { line class={ (kind) (style) } x1="1" x2="17" y1="6" y2="6" {} } (name.replace('_', " ")) }
                            }
                            @for (kind, piece) in &kinds {
                                li {
                                    svg.swatch viewBox="-11 -9 22 18" aria-hidden="true" {
                                        @if piece.is_area() { g class={ "area " (piece.symbol.get(1).copied().unwrap_or("plain")) } { rect x="-11" y="-7" width="22" height="14" {} } }
                                        @else { g.stack { (render_symbol(&piece.symbol, (18.0, 12.0))) } }
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

    /// Returns whether an attribute is drawn along the side between two places.
    fn is_side_line(&self, name: &str) -> bool {
        self.game.places.draw_styles.get(name) == Some(&DrawStyle::SideLine)
    }
}
