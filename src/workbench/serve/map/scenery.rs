//! Draws the land of a map: regions with the pattern of their look, rounded lines, marks, the edge, the compass and the scale.

use crate::serve::map::drawing::{Scene, points_attribute};
use casebook_engine::data::draw_style::DrawStyle;
use casebook_engine::data::manifest::AttributeType;
use casebook_engine::situation::map_geometry::{
    HEX_HALF_WIDTH, Point, PointSet, common_corners, common_side, hex_corners, joined_lines,
    midpoint, outlines,
};
use casebook_engine::situation::map_plan::{MapEdge, MapPlace, STRIP_UNIT};
use maud::{Markup, PreEscaped, html};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Length of the scale of a map of strips, in strip units.
const STRIP_SCALE: i64 = 12;

/// Tiles of the patterns of land: name, width and height, and what is drawn in them.
const PATTERNS: [(&str, (u32, u32), &str); 4] = [
    (
        "trees",
        (26, 22),
        "<path class='leaf' d='M7 2a4 4 0 0 1 3 6.5h-6a4 4 0 0 1 3-6.5zM20 12a3.6 3.6 0 0 1 2.7 6h-5.4a3.6 3.6 0 0 1 2.7-6z'/><path class='stem' d='M7 8v3M20 18v2.5'/>",
    ),
    (
        "hills",
        (30, 24),
        "<path class='slope' d='M3 9q5-6.5 10 0M6 9l-1 2.5M10 9l1 2.5M17 20q5-6.5 10 0M20 20l-1 2.5M24 20l1 2.5'/>",
    ),
    (
        "waves",
        (34, 20),
        "<path class='wave' d='M2 6q3.5-3 7 0t7 0M19 16q3.5-3 7 0t7 0'/>",
    ),
    (
        "houses",
        (34, 30),
        "<path class='house' d='M4 9h5v4h-5zM13 6h4v5h-4zM23 20h6v4h-6zM16 24h4v3h-4z'/><path class='leaf' d='M25 5a3 3 0 0 1 2 5h-4a3 3 0 0 1 2-5zM8 21a3 3 0 0 1 2 5h-4a3 3 0 0 1 2-5z'/>",
    ),
];

pub(super) fn look_class(look: &str) -> String {
    look.replace(' ', "-")
}

struct EdgeLine {
    class: String,
    /// Whether it goes along a side, not from place to place.
    is_along: bool,
    ends: [Point; 2],
}

/// Lines of one look.
struct JoinedLines {
    class: String,
    look: Option<&'static str>,
    is_along: bool,
    segments: Vec<[Point; 2]>,
}

/// Writes a line as the data of a path, rounded where it bends: it passes through the midpoint of each of its segments.
fn rounded_line(points: &[Point]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return String::new();
    };
    let mut path = format!("M{:.0} {:.0}", first.0, first.1);
    for corner in points.windows(3) {
        let to = midpoint(corner[1], corner[2]);
        let from = midpoint(corner[0], corner[1]);
        let _ = write!(
            path,
            "L{:.0} {:.0}Q{:.0} {:.0} {:.0} {:.0}",
            from.0, from.1, corner[1].0, corner[1].1, to.0, to.1
        );
    }
    let _ = write!(path, "L{:.0} {:.0}", last.0, last.1);
    path
}

/// Writes a closed outline as the data of a path, rounded at its corners but for those that are kept.
fn rounded_outline(corners: &[Point], keeps: &dyn Fn(Point) -> bool) -> String {
    let count = corners.len();
    let between = |index: usize| midpoint(corners[index % count], corners[(index + 1) % count]);
    if count < 3 {
        return String::new();
    }
    let start = between(0);
    let mut path = format!("M{:.0} {:.0}", start.0, start.1);
    for index in 1..=count {
        let (corner, to) = (corners[index % count], between(index));
        let curve = if keeps(corner) {
            format!("L{:.0} {:.0}", corner.0, corner.1)
        } else {
            format!("Q{:.0} {:.0} {:.0} {:.0}", corner.0, corner.1, to.0, to.1)
        };
        path.push_str(&curve);
    }
    path.push('Z');
    path
}

/// Returns the classes of a line in the style sheet.
pub(super) fn edge_class(edge: &MapEdge) -> String {
    format!("n{} w{}", edge.attribute, edge.word)
}

impl Scene<'_> {
    /// Renders what the drawing refers to: the patterns of land, the outline of a hex, and the symbols of kinds.
    pub(super) fn render_definitions(&self) -> Markup {
        let looks: Vec<&str> = self
            .plan
            .places
            .iter()
            .filter_map(|spot| spot.look)
            .collect();
        let areas: Vec<&str> = self
            .after
            .iter()
            .filter(|piece| piece.is_area())
            .filter_map(|piece| match piece.symbol.get(1).copied() {
                Some("green") => Some("trees"),
                Some("brown") => Some("hills"),
                Some("blue") => Some("waves"),
                _ => None,
            })
            .collect();
        html! {
            defs {
                @if self.plan.hexes { polygon #hex points=(points_attribute(&hex_corners((0.0, 0.0), HEX_HALF_WIDTH))) {} }
                @for (name, (wide, high), tile) in PATTERNS.iter().filter(|(name, ..)| looks.contains(name) || areas.contains(name)) {
                    pattern id={ "look-" (name) } patternUnits="userSpaceOnUse" width=(wide) height=(high) { (PreEscaped(tile)) }
                }
                (self.render_kinds())
            }
        }
    }

    /// Renders the land of a map of hexes: what is unknown, the regions, and the grid over them.
    pub(super) fn render_land(&self, (left, top): Point, (wide, high): Point) -> Markup {
        let hex_of = |spot: &MapPlace| hex_corners(spot.centre, HEX_HALF_WIDTH);
        let filled: Vec<(&MapPlace, [Point; 6])> = self
            .plan
            .places
            .iter()
            .filter(|spot| spot.fill.is_some())
            .map(|spot| (spot, hex_of(spot)))
            .collect();
        let whole = outlines(filled.iter().map(|(_, hex)| hex.as_slice()));
        let edge = PointSet::new(whole.iter().flatten().copied());
        let mut fills: BTreeMap<usize, usize> = BTreeMap::new();
        for (spot, _) in filled.iter().filter(|(spot, _)| spot.look.is_none()) {
            *fills.entry(spot.fill.unwrap_or(0)).or_default() += 1;
        }
        // The commonest land without a look is drawn under all other.
        let base = fills
            .iter()
            .max_by_key(|(_, count)| **count)
            .map_or(0, |(fill, _)| *fill);
        let mut regions: BTreeMap<usize, (Option<&str>, Vec<&[Point]>)> = BTreeMap::new();
        for (spot, hex) in filled.iter().filter(|(spot, _)| spot.fill != Some(base)) {
            regions
                .entry(spot.fill.unwrap_or(0))
                .or_insert((spot.look, Vec::new()))
                .1
                .push(hex);
        }
        let outline = |corners: &[Vec<Point>]| {
            corners
                .iter()
                .map(|corners| rounded_outline(corners, &|at| edge.contains(at)))
                .collect::<String>()
        };
        let straight = |corners: &[Vec<Point>]| {
            corners
                .iter()
                .map(|corners| format!("M{}Z", points_attribute(corners)))
                .collect::<String>()
        };
        let size = |markup: f64| format!("{markup:.0}");
        html! {
            (self.render_grid((left, top), (wide, high)))
            path class={ "region g" (base % 8) } d=(straight(&whole)) {}
            @for (fill, (look, hexes)) in &regions {
                @let path = outline(&outlines(hexes.iter().copied()));
                @if let Some(look) = look {
                    path class={ "region g" (fill % 8) } id={ "region-" (fill) } d=(path) {}
                    use href={ "#region-" (fill) } style={ "--upper-fill:url(#look-" (look) ")" } class="texture" {}
                } @else {
                    path class={ "region g" (fill % 8) } d=(path) {}
                }
            }
            rect.grid x=(size(left)) y=(size(top)) width=(size(wide)) height=(size(high)) fill="url(#hex-grid)" {}
        }
    }

    /// Renders the patterns over areas, by their look.
    pub(super) fn render_textures(&self) -> Markup {
        let mut looks: BTreeMap<&str, String> = BTreeMap::new();
        for spot in self.plan.places.iter().filter(|spot| !spot.cell.is_empty()) {
            if let Some(look) = spot.look {
                let path = format!("M{}Z", points_attribute(&spot.cell));
                looks.entry(look).or_default().push_str(&path);
            }
        }
        html! { @for (look, path) in &looks { path.texture fill={ "url(#look-" (look) ")" } d=(path) {} } }
    }

    /// Renders the grid behind the hexes, so that the map is whole where nothing is known of it.
    fn render_grid(&self, (left, top): Point, (wide, high): Point) -> Markup {
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
                    path.grid-line d=(outline) {}
                }
            }
            rect.unknown-hex x=(format!("{left:.0}")) y=(format!("{top:.0}")) width=(format!("{wide:.0}")) height=(format!("{high:.0}")) { title { "Nothing is known of what lies here" } }
        }
    }

    /// Returns the line of an edge; `None` if there is nothing to draw.
    fn edge_line(&self, edge: &MapEdge) -> Option<EdgeLine> {
        let (from, to) = (
            &self.plan.places[edge.ends.0],
            &self.plan.places[edge.ends.1],
        );
        let (a, b) = (from.centre, to.centre);
        // A shore is drawn only between what is flooded and what is not.
        let is_covered = |spot: &MapPlace| spot.look == Some("waves");
        if edge.look.is_some_and(|look| look.ends_with("blue"))
            && is_covered(from)
            && is_covered(to)
        {
            return None;
        }
        let (class, is_along, ends) = match edge.style {
            Some(DrawStyle::SideLine) if self.plan.hexes => (
                format!("along {}", edge_class(edge)),
                true,
                common_side(a, b),
            ),
            Some(DrawStyle::SideLine) => (format!("along {}", edge_class(edge)), true, [a, b]),
            Some(DrawStyle::Border) if !from.cell.is_empty() => {
                // Areas side by side show their border themselves.
                if !common_corners(&from.cell, &to.cell).is_empty() {
                    return None;
                }
                ("joint".into(), false, [a, b])
            }
            Some(DrawStyle::Border) | None => ("joint".into(), false, [a, b]),
            Some(_) => (format!("way {}", edge_class(edge)), false, [a, b]),
        };
        Some(EdgeLine {
            class,
            is_along,
            ends,
        })
    }

    /// Renders the lines between places, plain connections or all others. Those of one look are one path: a large map has thousands.
    pub(super) fn render_edges(&self, drawn: bool) -> Markup {
        if self.plan.places.iter().any(|spot| spot.strip.is_some()) {
            return html! {};
        }
        let mut groups: BTreeMap<(bool, String), JoinedLines> = BTreeMap::new();
        for edge in &self.plan.edges {
            let Some(line) = self.edge_line(edge) else {
                continue;
            };
            if (line.class == "joint") == drawn {
                continue;
            }
            groups
                .entry((!line.is_along, line.class.clone()))
                .or_insert(JoinedLines {
                    class: line.class,
                    look: edge.look,
                    is_along: line.is_along,
                    segments: Vec::new(),
                })
                .segments
                .push(line.ends);
        }
        let marked: Vec<Point> = self
            .plan
            .places
            .iter()
            .filter(|spot| spot.mark > 0)
            .map(|spot| spot.centre)
            .collect();
        let marks = PointSet::new(marked);
        let lines: Vec<(&JoinedLines, String)> = groups
            .values()
            .map(|group| {
                // Lines from place to place pass exactly through what is marked.
                let stops = |at: Point| !group.is_along && marks.contains(at);
                let joined = joined_lines(&group.segments, &stops);
                let path = joined.iter().map(|line| rounded_line(line)).collect();
                (group, path)
            })
            .collect();
        let points = self.plan.edges.iter().filter_map(|edge| {
            let (a, b) = (
                &self.plan.places[edge.ends.0],
                &self.plan.places[edge.ends.1],
            );
            let shared = common_corners(&a.cell, &b.cell);
            let (from, to) = (shared.first()?, shared.last()?);
            (edge.is_point() && drawn).then(|| midpoint(*from, *to))
        });
        html! {
            @for (nth, (group, path)) in lines.iter().enumerate() {
                @let class = format!("{} {}", group.class, group.look.map(look_class).unwrap_or_default());
                @if matches!(group.look, Some("brown" | "railway")) {
                    path id={ "line-" (nth) } class={ (class) " under" } d=(path) {}
                } @else {
                    path class=(class.trim()) d=(path) {}
                }
            }
            @for (nth, (group, _)) in lines.iter().enumerate().filter(|(_, (group, _))| matches!(group.look, Some("brown" | "railway"))) {
                use href={ "#line-" (nth) } class={ "over " (group.look.unwrap_or_default()) } {}
            }
            @for (x, y) in points { circle.meeting cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r="3" {} }
        }
    }

    /// Renders the marks of places, larger for the later words of their attribute.
    pub(super) fn render_marks(&self) -> Markup {
        html! {
            @for spot in self.plan.places.iter().filter(|spot| spot.mark > 0 && spot.cell.is_empty()) {
                circle class={ "mark m" (spot.mark.min(3)) } cx=(format!("{:.0}", spot.centre.0)) cy=(format!("{:.0}", spot.centre.1)) r=(2 + spot.mark.min(3)) {}
            }
        }
    }

    /// Renders the edge of the map, the direction of north and the scale, as far as they are known.
    pub(super) fn render_furniture(&self, (left, top): Point, (wide, high): Point) -> Markup {
        let scale = &self.game.places.scale;
        let unit = if self.plan.hexes {
            3.0_f64.sqrt() * HEX_HALF_WIDTH
        } else {
            1.0
        };
        let is_strips = self.plan.places.iter().any(|spot| spot.strip.is_some());
        let scale_bar = match scale {
            _ if is_strips => self.strip_scale(),
            Some(scale) => Some((scale.length as f64 * unit, scale.title.clone())),
            None => None,
        };
        let (right, bottom) = (left + wide, top + high);
        html! {
            @if !is_strips { rect.edge x=(format!("{:.0}", left + 2.0)) y=(format!("{:.0}", top + 2.0)) width=(format!("{:.0}", wide - 4.0)) height=(format!("{:.0}", high - 4.0)) {} }
            @if let Some((length, title)) = scale_bar.filter(|(length, _)| *length < wide * 0.6) {
                @let (x, y) = if is_strips { (left + wide * 0.45, top + 12.0) } else { (right - length - 24.0, bottom - 16.0) };
                g.scale {
                    path d=(format!("M{x:.1} {:.1}v5h{length:.1}v-5", y - 5.0)) {}
                    text x=(format!("{:.1}", x + length / 2.0)) y=(format!("{:.1}", y - 5.0)) { (title) }
                }
            }
            @if let Some(degrees) = self.game.places.north.filter(|_| !is_strips) {
                g.compass transform=(format!("translate({:.0} {:.0}) rotate({degrees})", right - 30.0, top + 42.0)) {
                    g {
                        circle r="15" {}
                        path.needle d="M0-20L5 0H-5Z" {}
                        path.tail d="M0 20L5 0H-5Z" {}
                        text y="-23" { "N" }
                    }
                }
            }
        }
    }

    /// Returns the scale of a map of strips: its length, and what it is.
    fn strip_scale(&self) -> Option<(f64, String)> {
        let deep =
            self.game.places.attributes.iter().find(|(name, _)| {
                self.game.places.draw_styles.get(name) == Some(&DrawStyle::Depth)
            });
        match deep {
            Some((_, AttributeType::Number(unit, ..))) => {
                let unit = unit.split(' ').next().unwrap_or_default();
                Some((
                    STRIP_SCALE as f64 * STRIP_UNIT,
                    format!("{STRIP_SCALE} {unit}"),
                ))
            }
            _ => None,
        }
    }
}
