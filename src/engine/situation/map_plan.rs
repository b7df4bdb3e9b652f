//! Computes the layout of a map: positions of places, edges and hexsides.

use crate::data::draw_style::DrawStyle;
use crate::data::manifest::{AttributeType, Game};
use crate::notation::Hex;
use crate::situation::board::Board;
use crate::situation::cell_key::{CellKey, EntityKind};
use crate::situation::geography::default_value;
use crate::situation::initial_board::{
    FIRST_ATTRIBUTE, GONE_COLUMN, KIND_COLUMN, PLACE_COLUMN, SIDE_COLUMN,
};
use crate::situation::value::{HashedText, PieceId, Value};
use crate::situation::value_text::outcome_text;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Half the width of a hex, in drawing units.
pub const HEX_HALF_WIDTH: f64 = 26.0;

/// Drawing units per unit of a strip.
pub const STRIP_UNIT: f64 = 8.0;

/// Maximum number of hexes drawn to connect distant pieces.
const MAX_FILL_HEXES: usize = 600;

/// A place on the map.
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
    /// Index of the value of the `Fill` attribute among its words.
    pub fill: Option<usize>,
    /// The title shown for the place.
    pub title: String,
    /// Whether the place has a mark.
    pub marked: bool,
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
    /// CSS classes: index of the attribute among those of this style, and index of its word.
    pub class: String,
    /// The attribute and its value; empty for a plain connection.
    pub notes: String,
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

/// A piece with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The name of the piece.
    pub name: String,
    /// The kind of the piece.
    pub kind: String,
    /// The side of the piece.
    pub side: String,
    /// The place of the piece, or of its carrier.
    pub place: String,
    /// Offset in a strip, in strip units: from the centre across, and from the side's own border up.
    pub offset: (i64, i64),
    /// Whether the piece has a place of its own instead of a carrier.
    pub stands_alone: bool,
    /// The values that its counter shows; empty if it has none.
    pub value: String,
    /// The shapes on its counter, or the look of its area.
    pub symbol: Vec<&'static str>,
    /// Depth and width of its area, in strip units; a width of 0 is that of the strip.
    pub extent: (i64, i64),
    /// Its direction in a strip, in degrees to the right of straight ahead, if the game draws one.
    pub direction: Option<i64>,
}

impl PlacedPiece {
    /// Returns whether the piece only marks its place: a ring that is no counter.
    pub fn is_mark(&self) -> bool {
        self.symbol == ["ring"]
    }

    /// Returns whether the piece is drawn as an area and not as a counter.
    pub fn is_area(&self) -> bool {
        self.symbol.first() == Some(&"area")
    }
}

/// Returns the pieces that are still on the board.
pub fn placed_pieces(board: &Board, game: &Game) -> Vec<PlacedPiece> {
    let peek =
        |column: usize, piece: usize| board.peek(CellKey::new(EntityKind::Piece, column, piece));
    let word = |column: usize, piece: usize| {
        peek(column, piece)
            .and_then(Value::as_text)
            .map_or("", |text| text.as_str())
    };
    let column_drawn_as = |style: DrawStyle| {
        let named = game
            .attributes
            .iter()
            .position(|(name, _)| game.places.draw_styles.get(name) == Some(&style));
        named.map(|index| FIRST_ATTRIBUTE + index)
    };
    let (x_column, y_column) = (
        column_drawn_as(DrawStyle::OffsetX),
        column_drawn_as(DrawStyle::OffsetY),
    );
    let number = |column: Option<usize>, piece: usize| {
        column
            .and_then(|column| peek(column, piece))
            .and_then(Value::as_number)
            .unwrap_or(0)
    };
    let column = |name: &str| {
        game.index_of_attribute(name)
            .map(|index| FIRST_ATTRIBUTE + index)
    };
    let number_of = |name: &str, piece: usize| {
        column(name)
            .and_then(|column| peek(column, piece))
            .and_then(Value::as_number)
    };
    let value = |piece: usize| {
        let (first, second, third) = game.unit_value.as_ref()?;
        let (first, second) = (
            number_of(first, piece).filter(|n| *n > 0)?,
            number_of(second, piece)?,
        );
        let third = third.as_ref().and_then(|name| column(name));
        let bracketed = third.and_then(|column| peek(column, piece)) == Some(&Value::True);
        Some(if bracketed {
            format!("({first})-{second}")
        } else {
            format!("{first}-{second}")
        })
    };
    let (deep, wide, direction) = (
        column_drawn_as(DrawStyle::Depth),
        column_drawn_as(DrawStyle::Width),
        column_drawn_as(DrawStyle::Direction),
    );
    let numbers: Vec<usize> = (0..game.attributes.len())
        .filter(|index| {
            game.places.draw_styles.get(&game.attributes[*index].0) == Some(&DrawStyle::Number)
        })
        .map(|index| FIRST_ATTRIBUTE + index)
        .collect();
    let counted = |piece: usize| {
        let positive = numbers
            .iter()
            .map(|column| number(Some(*column), piece))
            .filter(|number| *number > 0);
        positive
            .map(|number| number.to_string())
            .collect::<Vec<_>>()
            .join("-")
    };
    let on_board = |piece: &usize| peek(GONE_COLUMN, *piece) != Some(&Value::True);
    let placed_piece = |piece: usize| PlacedPiece {
        name: board.name(PieceId(piece)).to_string(),
        kind: word(KIND_COLUMN, piece).into(),
        side: word(SIDE_COLUMN, piece).into(),
        place: board.place_of(PieceId(piece)).to_string(),
        offset: (number(x_column, piece), number(y_column, piece)),
        stands_alone: !word(PLACE_COLUMN, piece).is_empty(),
        value: value(piece).unwrap_or_else(|| counted(piece)),
        symbol: game
            .kinds
            .get(word(KIND_COLUMN, piece))
            .map(|kind| kind.symbol.clone())
            .unwrap_or_default(),
        extent: (number(deep, piece).max(1), number(wide, piece)),
        direction: direction.map(|column| number(Some(column), piece)),
    };
    (0..board.piece_count())
        .filter(on_board)
        .map(placed_piece)
        .collect()
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
                .filter_map(|place| Hex::parse(place).ok())
                .collect();
            let nearby = hexes
                .iter()
                .flat_map(|hex| game.places.neighbours(hex))
                .chain(hexes.iter().cloned());
            let mut nearby: HashSet<Hex> = nearby
                .filter(|hex| game.places.contains(&hex.to_string()))
                .collect();
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
            let inside = |name: &str| {
                Hex::parse(name).is_ok_and(|hex| {
                    let (column, row) = game.places.grid_position(&hex);
                    is_whole_map
                        || (left..=right).contains(&column) && (top..=bottom).contains(&row)
                })
            };
            names.extend(
                start
                    .geography
                    .places
                    .iter()
                    .filter(|name| inside(name.as_str()))
                    .map(HashedText::to_string),
            );
            if is_whole_map {
                let ends = start
                    .geography
                    .sides()
                    .flat_map(|(a, b, _)| [a, b])
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
                let is_land =
                    |hex: &Hex| inside(&hex.to_string()) && game.places.contains(&hex.to_string());
                let land = reachable_hexes(nearby.clone(), |hex| {
                    around(hex).into_iter().filter(is_land).collect()
                });
                nearby.extend(if land.len() <= MAX_FILL_HEXES {
                    land
                } else {
                    HashSet::new()
                });
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
        if !plan.hexes
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
                for (name, word, number) in &notable {
                    if let Some(style @ (DrawStyle::SideLine | DrawStyle::Line)) =
                        game.places.draw_styles.get(*name)
                    {
                        let nth = game
                            .places
                            .side_attributes
                            .iter()
                            .filter(|(n, _)| game.places.draw_styles.get(n) == Some(style))
                            .position(|(n, _)| n == name);
                        let class = format!("n{} w{number}", nth.unwrap_or(0));
                        edges.push(MapEdge {
                            ends: (a, b),
                            style: Some(*style),
                            class,
                            notes: format!("{name} {word}"),
                        });
                        is_drawn = true;
                    }
                }
                if !is_drawn && !self.hexes {
                    edges.push(MapEdge {
                        ends: (a, b),
                        style: None,
                        class: String::new(),
                        notes: String::new(),
                    });
                }
            }
        }
        edges.sort_by(|a, b| (a.ends, &a.notes).cmp(&(b.ends, &b.notes)));
        edges.dedup_by(|b, a| {
            a.notes == b.notes && (a.ends == b.ends || a.ends == (b.ends.1, b.ends.0))
        });
        self.edges = edges;
    }

    /// Places unpositioned places outside the known ones, near their neighbours.
    fn place_outside(&mut self) {
        let mean = |points: &[(f64, f64)]| {
            let count = points.len().max(1) as f64;
            (
                points.iter().map(|at| at.0).sum::<f64>() / count,
                points.iter().map(|at| at.1).sum::<f64>() / count,
            )
        };
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

/// Returns the corners of a hex around its centre.
pub fn hex_corners((x, y): (f64, f64), half_width: f64) -> [(f64, f64); 6] {
    let (half, high) = (half_width / 2.0, 3.0_f64.sqrt() / 2.0 * half_width);
    [
        (half_width, 0.0),
        (half, high),
        (-half, high),
        (-half_width, 0.0),
        (-half, -high),
        (half, -high),
    ]
    .map(|(dx, dy)| (x + dx, y + dy))
}

/// Returns the end points of the common side of two hexes, given their centres.
pub fn common_side(a: (f64, f64), b: (f64, f64)) -> [(f64, f64); 2] {
    let centre = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    let distance = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
    let (dx, dy) = (
        -(b.1 - a.1) / distance * HEX_HALF_WIDTH / 2.0,
        (b.0 - a.0) / distance * HEX_HALF_WIDTH / 2.0,
    );
    [
        (centre.0 - dx, centre.1 - dy),
        (centre.0 + dx, centre.1 + dy),
    ]
}

/// Returns the attributes of a place or side with a value other than the default: name, value, index of the word.
fn notable_attributes<'a>(
    board: &Board,
    kind: EntityKind,
    attributes: &'a [(String, AttributeType)],
    number: usize,
) -> Vec<(&'a str, String, usize)> {
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
        notable.push((name.as_str(), text, word_index));
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
            .filter(move |(name, ..)| game.places.draw_styles.get(*name) == Some(&style))
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
    let (centre, strip, is_placed) = match (
        Hex::parse(&name).ok().filter(|_| game.places.is_hex_grid),
        figure(DrawStyle::Depth),
    ) {
        (Some(hex), _) => {
            let (column, row) = game.places.grid_position(&hex);
            let low = (column.rem_euclid(2) == 0) == game.places.even_columns_lower;
            let half_rows = row as f64 + if low { 0.5 } else { 0.0 };
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
        .map(|(_, text, _)| text.clone())
        .unwrap_or_default();
    let fill = drawn_as(DrawStyle::Fill).next().map(|(.., place)| *place);
    let marked = drawn_as(DrawStyle::Mark).next().is_some();
    let note = |(attribute, text, _): &(&str, String, usize)| format!("{attribute} {text}");
    let plain = |(name, ..): &&(&str, String, usize)| {
        !matches!(
            game.places.draw_styles.get(*name),
            Some(DrawStyle::OffsetX | DrawStyle::OffsetY | DrawStyle::Depth | DrawStyle::Width)
        )
    };
    MapPlace {
        centre,
        strip,
        placed: is_placed,
        fill,
        title,
        marked,
        notes: notable.iter().filter(plain).map(note).collect(),
        name,
    }
}
