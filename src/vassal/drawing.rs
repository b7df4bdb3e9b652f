//! Pictures of a module: the map of a situation and the faces of its counters, as SVG.

use crate::element::escape;
use casebook_engine::data::draw_style::DrawStyle;
use casebook_engine::data::manifest::Game;
use casebook_engine::situation::map_geometry::{HEX_HALF_WIDTH, common_side, hex_corners};
use casebook_engine::situation::map_plan::MapPlan;
use casebook_engine::situation::map_symbols::{SymbolPart, symbol_parts};
use casebook_engine::situation::placed_piece::PlacedPiece;
use std::fmt::Write;

/// Dots per unit of the plan.
const SCALE: f64 = 2.0;

/// Dots from one column of hexes to the next, and from one row to the next.
pub const HEX_STEP: (f64, f64) = (
    1.5 * HEX_HALF_WIDTH * SCALE,
    1.732_050_807_568_877_2 * HEX_HALF_WIDTH * SCALE,
);

/// Dots around the drawing.
const MARGIN: f64 = 60.0;

/// Width and height of a box beside the map, in dots.
pub const BOX: (i32, i32) = (300, 110);

/// Width and height of a counter, in dots.
pub const COUNTER: i32 = 54;

/// Fills of places by the word of their attribute.
const FILLS: [&str; 8] = [
    "#f4f1e8", "#eef0da", "#c9dcb6", "#ddceb4", "#c3dbe8", "#e6dcc8", "#d8d3e0", "#e9d6cf",
];

/// Colours of lines by attribute, along sides and from place to place.
const LINES: [&str; 4] = ["#4d86ad", "#8a6f4a", "#555555", "#a05050"];

/// Counters by side.
const SIDES: [&str; 4] = ["#9db8d9", "#d9c7a0", "#b6cfa5", "#d3a6a0"];

/// A drawn map with the dots of its places.
pub struct MapPicture {
    /// The picture.
    pub svg: String,
    /// Width and height in dots.
    pub size: (i32, i32),
    /// The places, the sides that ships and works stand on, and the boxes beside the map, each with its dot.
    pub places: Vec<(String, (i32, i32))>,
    /// The names of the boxes.
    pub boxes: Vec<String>,
}

/// Draws the map of a plan, with boxes for places that are not on it.
pub fn draw_map(plan: &MapPlan, game: &Game, boxes: &[&str]) -> MapPicture {
    let edge = |axis: fn(&(f64, f64)) -> f64, pick: fn(f64, f64) -> f64, start: f64| {
        plan.places
            .iter()
            .map(|place| axis(&place.centre))
            .fold(start, pick)
    };
    let (left, top) = (
        edge(|at| at.0, f64::min, f64::MAX),
        edge(|at| at.1, f64::min, f64::MAX),
    );
    let (right, bottom) = (
        edge(|at| at.0, f64::max, f64::MIN),
        edge(|at| at.1, f64::max, f64::MIN),
    );
    let (left, top, right, bottom) = if plan.places.is_empty() {
        (0.0, 0.0, 0.0, 0.0)
    } else {
        (left, top, right, bottom)
    };
    let reach = MARGIN + SCALE * HEX_HALF_WIDTH;
    let dot = |(x, y): (f64, f64)| ((x - left) * SCALE + reach, (y - top) * SCALE + reach);
    let rounded = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
    let (wide, high) = rounded((
        (right - left) * SCALE + 2.0 * reach,
        (bottom - top) * SCALE + 2.0 * reach,
    ));
    let columns = (wide / BOX.0).max(1);
    let rows = (boxes.len() as i32 + columns - 1) / columns;
    let size = (wide.max(BOX.0), high + rows * BOX.1);
    let mut svg = header(size);
    let mut places = Vec::new();
    for place in &plan.places {
        let (x, y) = dot(place.centre);
        let fill = FILLS[place.fill.unwrap_or(0) % FILLS.len()];
        let outline = match place.strip {
            Some((wide, high)) => {
                let (wide, high) = (wide * SCALE, high * SCALE);
                format!(
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\"",
                    x - wide / 2.0,
                    y - high / 2.0
                )
            }
            None if plan.hexes => {
                let points = hex_corners((x, y), HEX_HALF_WIDTH * SCALE)
                    .map(|(x, y)| format!("{x:.1},{y:.1}"));
                format!("<polygon points=\"{}\"", points.join(" "))
            }
            None => format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"",
                HEX_HALF_WIDTH * 0.9 * SCALE
            ),
        };
        let _ = writeln!(
            svg,
            "{outline} fill=\"{fill}\" stroke=\"#b9b2a2\" stroke-width=\"1\"/>"
        );
        if place.mark > 0 {
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"#333333\"/>"
            );
        }
        places.push((place.name.clone(), rounded((x, y))));
    }
    for line in &plan.edges {
        let (a, b) = (&plan.places[line.ends.0], &plan.places[line.ends.1]);
        let is_hex_side = line.style == Some(DrawStyle::SideLine) && plan.hexes;
        let [start, end] = if is_hex_side {
            common_side(a.centre, b.centre)
        } else {
            [a.centre, b.centre]
        };
        let (start, end) = (dot(start), dot(end));
        let colour = if is_hex_side {
            LINES[0]
        } else {
            LINES[(line.attribute + 1) % LINES.len()]
        };
        let (x1, y1, x2, y2, width) = (
            start.0,
            start.1,
            end.0,
            end.1,
            if is_hex_side { 7 } else { 3 },
        );
        let _ = writeln!(
            svg,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\"/>"
        );
        // Ships and works stand on sides: between the hexes, each such side is a place of its own.
        let (first, second) = (a.name.as_str().min(&b.name), a.name.as_str().max(&b.name));
        let name = format!("{first}/{second}");
        if is_hex_side && game.places.contains(&name) {
            places.push((
                name,
                rounded(((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0)),
            ));
        }
    }
    for place in &plan.places {
        let (x, y) = dot(place.centre);
        let offset = place
            .strip
            .map_or(HEX_HALF_WIDTH * 0.72, |(_, high)| high / 2.0 - 4.0)
            * SCALE;
        text(&mut svg, (x, y + offset), 13, &place.name, "#857d6e");
        if !place.title.is_empty() {
            text(
                &mut svg,
                (x, y - HEX_HALF_WIDTH * 0.5 * SCALE),
                15,
                &place.title,
                "#222222",
            );
        }
    }
    for (index, name) in (0..).zip(boxes) {
        let (x, y) = ((index % columns) * BOX.0, high + index / columns * BOX.1);
        let (wide, deep) = (BOX.0 - 20, BOX.1 - 10);
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{y}\" width=\"{wide}\" height=\"{deep}\" fill=\"#ffffff\" stroke=\"#857d6e\"/>",
            x + 10
        );
        text(
            &mut svg,
            (f64::from(x + BOX.0 / 2), f64::from(y + 18)),
            15,
            name,
            "#222222",
        );
        places.push((name.to_string(), (x + BOX.0 / 2, y + BOX.1 / 2)));
    }
    svg.push_str("</g>\n</svg>\n");
    places.sort();
    places.dedup_by(|a, b| a.0 == b.0);
    MapPicture {
        svg,
        size,
        places,
        boxes: boxes.iter().map(|name| name.to_string()).collect(),
    }
}

/// Draws the face of a counter: its figures, the shapes of its kind, its name.
pub fn draw_counter(piece: &PlacedPiece, game: &Game) -> String {
    let colour = game
        .sides
        .iter()
        .position(|side| *side == piece.side)
        .map_or("#eeeeee", |place| SIDES[place % SIDES.len()]);
    let mut svg = header((COUNTER, COUNTER));
    let inner = COUNTER - 2;
    let _ = writeln!(
        svg,
        "<rect x=\"1\" y=\"1\" width=\"{inner}\" height=\"{inner}\" rx=\"4\" fill=\"{colour}\" stroke=\"#222222\" stroke-width=\"1.5\"/>"
    );
    let centre = f64::from(COUNTER) / 2.0;
    let _ = write!(svg, "<g transform=\"translate({centre} 16)\">");
    for part in symbol_parts(&piece.symbol, (24.0, 14.0)) {
        let (drawn, filled) = (
            "fill=\"none\" stroke=\"#222222\" stroke-width=\"1.5\"",
            "fill=\"#222222\"",
        );
        let _ = match part {
            SymbolPart::Lines(path) => write!(svg, "<path {drawn} d=\"{path}\"/>"),
            SymbolPart::Filled(path) => write!(svg, "<path {filled} d=\"{path}\"/>"),
            SymbolPart::Ring(radius) => write!(svg, "<circle {drawn} r=\"{radius:.1}\"/>"),
            SymbolPart::Disc((x, y), radius) => write!(
                svg,
                "<circle {filled} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>"
            ),
        };
    }
    svg.push_str("</g>\n");
    text(&mut svg, (centre, 37.0), 13, &piece.value, "#000000");
    let short: String = piece.name.chars().take(12).collect();
    text(&mut svg, (centre, 49.0), 8, &short, "#000000");
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn header((wide, high): (i32, i32)) -> String {
    include_str!("assets/picture.svg")
        .replace("@width@", &wide.to_string())
        .replace("@height@", &high.to_string())
}

fn text(svg: &mut String, (x, y): (f64, f64), size: i32, text: &str, colour: &str) {
    if !text.is_empty() {
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\">{}</text>",
            escape(text)
        );
    }
}
