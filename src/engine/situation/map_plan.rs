//! Computes the layout of a map: positions of places, edges and hexsides.

use crate::data::draw_style::DrawStyle;
use crate::data::manifest::{AttributeType, Game};
use crate::notation::Hex;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::geography::default_value;
use crate::situation::map_geometry::{
    HEX_HALF_WIDTH, Point, cells, common_side, meet_in_a_point, rectangle_corners,
};
use crate::situation::placed_piece::PlacedPiece;
use crate::situation::value::{HashedText, Value};
use crate::situation::value_text::{fill_template, outcome_text};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Drawing units per unit of a strip.
pub const STRIP_UNIT: f64 = 8.0;

/// How far the outermost areas reach beyond their points, and the size of a box at the edge, in drawing units.
const CELL_MARGIN: f64 = 60.0;
const EDGE_BOX: (f64, f64) = (116.0, 64.0);

/// Maximum number of hexes drawn to connect distant pieces.
const MAX_FILL_HEXES: usize = 600;

#[derive(Clone, Debug, Default)]
pub struct MapPlace {
    /// The name of the place.
    pub name: String,
    /// The centre, in drawing units.
    pub centre: (f64, f64),
    /// Width and height of a strip, in drawing units; `None` for a hex or an area.
    pub strip: Option<(f64, f64)>,
    /// Whether the position is known.
    pub placed: bool,
    /// The outline of an area; empty for a hex, a strip, and where it is not known.
    pub cell: Vec<Point>,
    /// Index of the value of the `Fill` attribute among its words.
    pub fill: Option<usize>,
    /// What this value looks like.
    pub look: Option<&'static str>,
    /// The title shown for the place.
    pub title: String,
    /// Index of the value of the `Mark` attribute among its words; 0 for no mark.
    pub mark: usize,
    /// Attributes with values other than the default, as texts.
    pub notes: Vec<String>,
}

/// A line between two places.
#[derive(Clone, Debug, PartialEq)]
pub struct MapEdge {
    /// Indices of the places.
    pub ends: (usize, usize),
    /// Draws the line along the common side or from place to place; `None` for a plain connection.
    pub style: Option<DrawStyle>,
    /// Index of the attribute among those of this style.
    pub attribute: usize,
    /// Index of its word.
    pub word: usize,
    /// What the line looks like.
    pub look: Option<&'static str>,
    /// The attribute and its value; empty for a plain connection.
    pub notes: String,
}

impl MapEdge {
    /// Returns whether two areas meet in a point only: by a word that is declared after that of a border.
    pub fn is_point(&self) -> bool {
        self.style == Some(DrawStyle::Border) && self.word == 2
    }

    /// Returns what the line is called: its word, or the flag that is set.
    pub fn line_name(&self) -> &str {
        match self.notes.split_once(' ') {
            Some((name, "yes")) => name,
            Some((_, word)) => word,
            None => &self.notes,
        }
    }
}

/// The map of a situation.
#[derive(Clone, Debug, Default)]
pub struct MapPlan {
    /// The places, sorted by name.
    pub places: Vec<MapPlace>,
    /// The lines between places.
    pub edges: Vec<MapEdge>,
    /// Hexsides that hold a piece or belong to a drawing, each with the end points of its line.
    pub sides: Vec<(MapPlace, [(f64, f64); 2])>,
    /// Whether the places are hexes.
    pub hexes: bool,
}

impl MapPlan {
    /// Lays out the places of the pieces, their neighbours, places of the situation in the same area or, of a whole game, everywhere, and the
    /// places in `extra_places`.
    pub fn new(
        board: &Board,
        game: &Game,
        placed: &[PlacedPiece],
        extra_places: &[&str],
        is_whole_map: bool,
    ) -> MapPlan {
        let start = &board.start;
        let mut names: BTreeSet<String> = BTreeSet::new();
        let is_known = |name: &str| {
            start
                .geography
                .place_number(&HashedText::from(name))
                .is_some()
        };
        if game.places.is_hex_grid {
            let places = placed
                .iter()
                .map(|placed_piece| placed_piece.place.as_str());
            // A piece on a hexside occupies the border of two hexes.
            let hexes: HashSet<Hex> = places
                .chain(extra_places.iter().copied())
                .flat_map(|place| place.split('/'))
                .filter_map(|place| game.places.hex(place))
                .collect();
            let nearby = hexes
                .iter()
                .flat_map(|hex| game.places.neighbours(hex))
                .chain(hexes.iter().cloned());
            let mut nearby: HashSet<Hex> = nearby.collect();
            // Known places of the map are included if they fit the bounding box.
            let ends = |list: Vec<i64>| {
                (
                    list.iter().min().map_or(0, |n| n - 2),
                    list.iter().max().map_or(0, |n| n + 2),
                )
            };
            let (columns, rows): (Vec<i64>, Vec<i64>) = hexes
                .iter()
                .map(|hex| game.places.grid_position(hex))
                .unzip();
            let ((left, right), (top, bottom)) = (ends(columns), ends(rows));
            let inside = |hex: &Hex| {
                let (column, row) = game.places.grid_position(hex);
                is_whole_map || (left..=right).contains(&column) && (top..=bottom).contains(&row)
            };
            names.extend(
                start
                    .geography
                    .places
                    .iter()
                    .filter(|name| game.places.hex(name).is_some_and(|hex| inside(&hex)))
                    .map(HashedText::to_string),
            );
            if is_whole_map {
                let ends = start
                    .geography
                    .sides()
                    .flat_map(|side| side.places)
                    .filter(|name| Hex::parse(name.as_str()).is_ok());
                names.extend(ends.map(HashedText::to_string));
            }
            // If the pieces are far apart, the hexes between them are drawn, up to a limit.
            let around = |hex: &Hex| game.places.neighbours(hex);
            if let Some(start_hex) = nearby.iter().next().cloned()
                && reachable_hexes([start_hex], |hex| {
                    around(hex)
                        .into_iter()
                        .filter(|hex| nearby.contains(hex))
                        .collect()
                })
                .len()
                    < nearby.len()
            {
                let land = reachable_hexes(nearby.clone(), |hex| {
                    around(hex).into_iter().filter(inside).collect()
                });
                if land.len() <= MAX_FILL_HEXES {
                    nearby = land;
                }
            }
            names.extend(nearby.iter().map(Hex::to_string));
        } else {
            let linked = |name: &str| start.geography.neighbours(&HashedText::from(name));
            let occupied: Vec<&str> = placed
                .iter()
                .map(|placed_piece| placed_piece.place.as_str())
                .filter(|name| is_known(name) || !linked(name).is_empty())
                .collect();
            names.extend(
                extra_places
                    .iter()
                    .filter(|name| is_known(name))
                    .map(|name| name.to_string()),
            );
            names.extend(
                occupied
                    .iter()
                    .flat_map(|name| linked(name))
                    .map(HashedText::to_string),
            );
            names.extend(occupied.into_iter().map(String::from));
            // The whole map is drawn: every place with a position, or with a neighbour.
            let has_position = game
                .places
                .draw_styles
                .values()
                .any(|style| matches!(style, DrawStyle::OffsetX | DrawStyle::Depth));
            let on_map = |name: &&HashedText| {
                has_position && !game.places.boxes.iter().any(|named| **name == **named)
                    || !linked(name.as_str()).is_empty()
            };
            if names.is_empty() {
                names.extend(start.geography.places.iter().map(HashedText::to_string));
            } else {
                names.extend(
                    start
                        .geography
                        .places
                        .iter()
                        .filter(on_map)
                        .map(HashedText::to_string),
                );
            }
        }
        let mut plan = MapPlan {
            hexes: game.places.is_hex_grid,
            ..MapPlan::default()
        };
        plan.places = names
            .into_iter()
            .map(|name| build_place(board, game, name))
            .collect();
        if plan.hexes {
            let named: BTreeSet<&str> = placed
                .iter()
                .map(|placed_piece| placed_piece.place.as_str())
                .chain(extra_places.iter().copied())
                .collect();
            plan.sides = named
                .into_iter()
                .filter_map(|name| plan.find_side(name))
                .collect();
        }
        plan.place_strips();
        plan.add_edges(board, game);
        let is_bordered = plan
            .edges
            .iter()
            .any(|edge| edge.style == Some(DrawStyle::Border));
        if is_bordered && plan.places.iter().any(|spot| spot.placed) {
            plan.divide_into_cells();
        } else if !plan.hexes
            && !game
                .places
                .draw_styles
                .values()
                .any(|drawn| *drawn == DrawStyle::OffsetX)
        {
            plan.spread_unplaced();
        } else {
            plan.place_outside();
        }
        plan
    }

    /// Places strips without a known position side by side, without overlap.
    fn place_strips(&mut self) {
        let mut strips: Vec<&mut MapPlace> = self
            .places
            .iter_mut()
            .filter(|spot| spot.strip.is_some())
            .collect();
        strips.sort_by(|a, b| a.centre.0.total_cmp(&b.centre.0));
        let mut free = f64::MIN;
        for strip in strips {
            let wide = strip.strip.map_or(0.0, |(wide, _)| wide);
            strip.centre.0 = strip.centre.0.max(free + wide / 2.0);
            free = strip.centre.0 + wide / 2.0;
        }
    }

    /// Finds a place or hexside by name.
    pub fn find_place(&self, name: &str) -> Option<&MapPlace> {
        self.places
            .iter()
            .chain(self.sides.iter().map(|(spot, _)| spot))
            .find(|spot| spot.name == name)
    }

    /// Computes a hexside: the midpoint between the two hex centres, and a line perpendicular to the line that connects them.
    fn find_side(&self, name: &str) -> Option<(MapPlace, [(f64, f64); 2])> {
        let (a, b) = name
            .split_once('/')
            .and_then(|(a, b)| Some((self.find_place(a)?.centre, self.find_place(b)?.centre)))?;
        let at = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
        Some((
            MapPlace {
                name: name.into(),
                centre: at,
                placed: true,
                ..MapPlace::default()
            },
            common_side(a, b),
        ))
    }

    /// Adds the edges: sides with notable attributes, and plain connections.
    fn add_edges(&mut self, board: &Board, game: &Game) {
        let index: BTreeMap<&str, usize> = self
            .places
            .iter()
            .enumerate()
            .map(|(i, spot)| (spot.name.as_str(), i))
            .collect();
        let mut edges = Vec::new();
        for (a, spot) in self.places.iter().enumerate() {
            let start_name = HashedText::from(spot.name.as_str());
            let linked = board
                .start
                .geography
                .neighbours(&start_name)
                .iter()
                .filter_map(|to| Some((*index.get(to.as_str())?, to)));
            for (b, end_name) in linked {
                let Some(side) = board.start.geography.side_number(&start_name, end_name) else {
                    continue;
                };
                let notable = notable_attributes(
                    board,
                    EntityKind::Side,
                    &game.places.side_attributes,
                    side as usize,
                );
                let mut is_drawn = false;
                for NotableAttribute {
                    name,
                    text: word,
                    word_index: number,
                } in &notable
                {
                    if let Some(
                        style @ (DrawStyle::SideLine | DrawStyle::Line | DrawStyle::Border),
                    ) = game.places.draw_styles.get(*name)
                    {
                        let nth = game
                            .places
                            .side_attributes
                            .iter()
                            .filter(|(n, _)| game.places.draw_styles.get(n) == Some(style))
                            .position(|(n, _)| n == name);
                        let looks = &game.places.looks;
                        edges.push(MapEdge {
                            ends: (a, b),
                            style: Some(*style),
                            attribute: nth.unwrap_or(0),
                            word: *number,
                            look: looks.get(word).or(looks.get(*name)).copied(),
                            notes: format!("{name} {word}"),
                        });
                        is_drawn = true;
                    }
                }
                if !is_drawn && !self.hexes {
                    edges.push(MapEdge {
                        ends: (a, b),
                        style: None,
                        attribute: 0,
                        word: 0,
                        look: None,
                        notes: String::new(),
                    });
                }
            }
        }
        // Each line is found from both its ends.
        for edge in &mut edges {
            edge.ends = (edge.ends.0.min(edge.ends.1), edge.ends.0.max(edge.ends.1));
        }
        edges.sort_by(|a, b| (a.ends, &a.notes).cmp(&(b.ends, &b.notes)));
        edges.dedup_by(|b, a| a.notes == b.notes && a.ends == b.ends);
        self.edges = edges;
    }

    /// Divides the map into an area around each place with a position; the others become boxes at its edge, beside the areas that they touch.
    fn divide_into_cells(&mut self) {
        let located: Vec<usize> = (0..self.places.len())
            .filter(|index| self.places[*index].placed)
            .collect();
        let points: Vec<Point> = located
            .iter()
            .map(|index| self.places[*index].centre)
            .collect();
        let ends = |axis: fn(&Point) -> f64| {
            let values = || points.iter().map(axis);
            (
                values().fold(f64::MAX, f64::min) - CELL_MARGIN,
                values().fold(f64::MIN, f64::max) + CELL_MARGIN,
            )
        };
        let ((left, right), (top, bottom)) = (ends(|at| at.0), ends(|at| at.1));
        let mut outlines = cells(&points, (left, top, right, bottom));
        for edge in self.edges.iter().filter(|edge| edge.is_point()) {
            let nth = |end: usize| located.iter().position(|index| *index == end);
            if let (Some(a), Some(b)) = (nth(edge.ends.0), nth(edge.ends.1)) {
                meet_in_a_point(&mut outlines, a, b);
            }
        }
        for (index, cell) in located.iter().zip(outlines) {
            self.places[*index].cell = cell;
        }
        // Each box lies at the nearest edge; those of one edge are moved apart.
        let mut at_edge: [Vec<(f64, usize)>; 4] = Default::default();
        for index in (0..self.places.len()).filter(|index| !self.places[*index].placed) {
            let beside: Vec<Point> = self
                .edges
                .iter()
                .filter_map(|line| match line.ends {
                    (a, b) if a == index => Some(b),
                    (a, b) if b == index => Some(a),
                    _ => None,
                })
                .filter(|other| self.places[*other].placed)
                .map(|other| self.places[other].centre)
                .collect();
            let (x, y) = if beside.is_empty() {
                (right, bottom)
            } else {
                mean(&beside)
            };
            let distances = [y - top, right - x, bottom - y, x - left];
            let edge = (0..4)
                .min_by(|a, b| distances[*a].total_cmp(&distances[*b]))
                .unwrap_or(0);
            at_edge[edge].push((if edge % 2 == 0 { x } else { y }, index));
        }
        for (edge, mut boxes) in at_edge.into_iter().enumerate() {
            boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (low, high, step) = if edge % 2 == 0 {
                (left, right, EDGE_BOX.0)
            } else {
                (top, bottom, EDGE_BOX.1)
            };
            let mut free = low;
            let count = boxes.len();
            for (nth, (wanted, index)) in boxes.into_iter().enumerate() {
                let room_behind = (count - nth) as f64 * (step + 8.0);
                let start = (wanted - step / 2.0).min(high - room_behind).max(free);
                free = start + step + 8.0;
                let centre = start + step / 2.0;
                let (wide, deep) = (EDGE_BOX.0 / 2.0, EDGE_BOX.1 / 2.0);
                let (x, y) = match edge {
                    0 => (centre, top - deep - 6.0),
                    1 => (right + wide + 6.0, centre),
                    2 => (centre, bottom + deep + 6.0),
                    _ => (left - wide - 6.0, centre),
                };
                let spot = &mut self.places[index];
                spot.centre = (x, y);
                spot.placed = true;
                spot.cell = rectangle_corners((x - wide, y - deep, x + wide, y + deep));
            }
        }
    }

    /// Places unpositioned places outside the known ones, near their neighbours.
    fn place_outside(&mut self) {
        let centre = mean(
            &self
                .places
                .iter()
                .filter(|spot| spot.placed)
                .map(|spot| spot.centre)
                .collect::<Vec<_>>(),
        );
        for number in 0..self.places.len() {
            if self.places[number].placed {
                continue;
            }
            let ends = self.edges.iter().map(|line| line.ends);
            let joined = ends.filter_map(|(a, b)| {
                if a == number {
                    Some(b)
                } else {
                    (b == number).then_some(a)
                }
            });
            let beside: Vec<(f64, f64)> = joined
                .map(|other| &self.places[other])
                .filter(|spot| spot.placed)
                .map(|spot| spot.centre)
                .collect();
            let anchor = if beside.is_empty() {
                centre
            } else {
                mean(&beside)
            };
            let (dx, dy) = (anchor.0 - centre.0, anchor.1 - centre.1);
            let angle = if dx.hypot(dy) < 1.0 {
                number as f64 * 2.4
            } else {
                dy.atan2(dx)
            };
            let position = |step: i32| {
                (
                    anchor.0 + angle.cos() * f64::from(step) * HEX_HALF_WIDTH,
                    anchor.1 + angle.sin() * f64::from(step) * HEX_HALF_WIDTH,
                )
            };
            let free = |(x, y): &(f64, f64)| {
                self.places
                    .iter()
                    .filter(|spot| spot.placed)
                    .all(|spot| (spot.centre.0 - x).hypot(spot.centre.1 - y) > 3.0 * HEX_HALF_WIDTH)
            };
            self.places[number].centre = (3..60)
                .map(position)
                .find(free)
                .unwrap_or_else(|| position(60));
            self.places[number].placed = true;
        }
    }

    /// Computes a force-directed layout of unpositioned places: neighbours attract, and all places repel each other.
    fn spread_unplaced(&mut self) {
        let count = self.places.len();
        let side = 90.0 * (count as f64).sqrt();
        for (i, spot) in self.places.iter_mut().enumerate() {
            // A sunflower spiral is an even and deterministic initial layout.
            let (angle, radius) = (
                i as f64 * 2.399_963,
                side / 2.0 * ((i as f64 + 0.5) / count as f64).sqrt(),
            );
            spot.centre = (radius * angle.cos(), radius * angle.sin());
        }
        let ideal = 90.0;
        for round in 0..200 {
            let heat = 30.0 * (1.0 - f64::from(round) / 200.0);
            let mut push = vec![(0.0, 0.0); count];
            for (a, push) in push.iter_mut().enumerate() {
                for b in (0..count).filter(|b| *b != a) {
                    let (dx, dy) = (
                        self.places[a].centre.0 - self.places[b].centre.0,
                        self.places[a].centre.1 - self.places[b].centre.1,
                    );
                    let distance = dx.hypot(dy).max(1.0);
                    push.0 += dx / distance * ideal * ideal / distance;
                    push.1 += dy / distance * ideal * ideal / distance;
                }
            }
            for line in &self.edges {
                let (a, b) = line.ends;
                let (dx, dy) = (
                    self.places[a].centre.0 - self.places[b].centre.0,
                    self.places[a].centre.1 - self.places[b].centre.1,
                );
                let pull = dx.hypot(dy) / ideal;
                push[a] = (push[a].0 - dx * pull, push[a].1 - dy * pull);
                push[b] = (push[b].0 + dx * pull, push[b].1 + dy * pull);
            }
            for (spot, (dx, dy)) in self.places.iter_mut().zip(push) {
                let distance = dx.hypot(dy).max(0.001);
                spot.centre = (
                    spot.centre.0 + dx / distance * distance.min(heat),
                    spot.centre.1 + dy / distance * distance.min(heat),
                );
            }
        }
    }
}

fn mean(points: &[Point]) -> Point {
    let count = points.len().max(1) as f64;
    (
        points.iter().map(|at| at.0).sum::<f64>() / count,
        points.iter().map(|at| at.1).sum::<f64>() / count,
    )
}

/// Returns all hexes reachable from the given ones (flood fill).
fn reachable_hexes(
    starts: impl IntoIterator<Item = Hex>,
    neighbours: impl Fn(&Hex) -> Vec<Hex>,
) -> HashSet<Hex> {
    let mut reached: HashSet<Hex> = starts.into_iter().collect();
    let mut queue: Vec<Hex> = reached.iter().cloned().collect();
    while let Some(hex) = queue.pop() {
        let fresh: Vec<Hex> = neighbours(&hex)
            .into_iter()
            .filter(|hex| !reached.contains(hex))
            .collect();
        reached.extend(fresh.iter().cloned());
        queue.extend(fresh);
    }
    reached
}

/// An attribute of a place or side with a value other than the default.
struct NotableAttribute<'a> {
    name: &'a str,
    text: String,
    /// The index of the word; 1 for what is no word.
    word_index: usize,
}

fn notable_attributes<'a>(
    board: &Board,
    kind: EntityKind,
    attributes: &'a [(String, AttributeType)],
    number: usize,
) -> Vec<NotableAttribute<'a>> {
    let mut notable = Vec::new();
    for (column, (name, attribute)) in attributes.iter().enumerate() {
        let Some(value) = board.peek(CellKey::new(kind, column, number)) else {
            continue;
        };
        if *value == default_value(attribute) {
            continue;
        }
        let text = outcome_text(value, board);
        let word_index = match attribute {
            AttributeType::Word(words, _) => {
                words.iter().position(|word| *word == text).unwrap_or(0)
            }
            _ => 1,
        };
        notable.push(NotableAttribute {
            name,
            text,
            word_index,
        });
    }
    notable
}

fn build_place(board: &Board, game: &Game, name: String) -> MapPlace {
    let number = board
        .start
        .geography
        .place_number(&HashedText::from(name.as_str()));
    let notable = number
        .map(|number| {
            notable_attributes(
                board,
                EntityKind::Place,
                &game.places.attributes,
                number as usize,
            )
        })
        .unwrap_or_default();
    let drawn_as = |style: DrawStyle| {
        notable
            .iter()
            .filter(move |attribute| game.places.draw_styles.get(attribute.name) == Some(&style))
    };
    // Numeric attributes are drawn even with their default value.
    let figure = |style: DrawStyle| {
        let column = game
            .places
            .attributes
            .iter()
            .position(|(name, _)| game.places.draw_styles.get(name) == Some(&style))?;
        board
            .peek(CellKey::new(EntityKind::Place, column, number? as usize))
            .and_then(Value::as_number)
            .map(|n| n as f64)
    };
    let (centre, strip, is_placed) = match (game.places.hex(&name), figure(DrawStyle::Depth)) {
        (Some(hex), _) => {
            let (column, row) = game.places.grid_position(&hex);
            let half_rows = row as f64
                + if game.places.is_lower(column) {
                    0.5
                } else {
                    0.0
                };
            (
                (
                    column as f64 * 1.5 * HEX_HALF_WIDTH,
                    half_rows * 3.0_f64.sqrt() * HEX_HALF_WIDTH,
                ),
                None,
                true,
            )
        }
        (None, Some(deep)) => {
            let wide = figure(DrawStyle::Width).unwrap_or(24.0);
            (
                (
                    figure(DrawStyle::OffsetX).unwrap_or(0.0) * STRIP_UNIT,
                    -deep * STRIP_UNIT / 2.0,
                ),
                Some((wide * STRIP_UNIT, deep * STRIP_UNIT)),
                true,
            )
        }
        (None, None) => {
            let (x_offset, y_offset) = (figure(DrawStyle::OffsetX), figure(DrawStyle::OffsetY));
            (
                (x_offset.unwrap_or(0.0), -y_offset.unwrap_or(0.0)),
                None,
                x_offset.is_some() || y_offset.is_some(),
            )
        }
    };
    let title = drawn_as(DrawStyle::Name)
        .next()
        .map(|attribute| attribute.text.clone())
        .unwrap_or_default();
    let filled = drawn_as(DrawStyle::Fill).next();
    let look = filled.and_then(|fill| game.places.looks.get(&fill.text).copied());
    let fill = filled.map(|fill| fill.word_index);
    let mark = drawn_as(DrawStyle::Mark)
        .next()
        .map_or(0, |mark| mark.word_index);
    let note = |attribute: &NotableAttribute| {
        let NotableAttribute { name, text, .. } = attribute;
        let value = || {
            text.parse()
                .map_or_else(|_| text.as_str().into(), Value::Number)
        };
        match (game.places.wordings.get(*name), text.as_str()) {
            (Some(wording), _) => fill_template(&wording.0[0], &[value()], board),
            (None, "yes") => name.replace('_', " "),
            (None, _) => format!("{} {text}", name.replace('_', " ")),
        }
    };
    let plain = |attribute: &&NotableAttribute| {
        !matches!(
            game.places.draw_styles.get(attribute.name),
            Some(DrawStyle::OffsetX | DrawStyle::OffsetY | DrawStyle::Depth | DrawStyle::Width)
        )
    };
    MapPlace {
        centre,
        strip,
        placed: is_placed,
        cell: Vec::new(),
        fill,
        look,
        title,
        mark,
        notes: notable.iter().filter(plain).map(note).collect(),
        name,
    }
}
