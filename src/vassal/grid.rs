//! Names of places. A board has a grid of hexes or squares with numbers, a list of named points, or zones with grids of their own; a
//! saved game has only the dots at which pieces stand. The rounding is VASSAL's own, dot by dot.

use crate::element::Element;
use crate::polygon::Polygon;
use crate::sequence::SequenceReader;

/// The ratio of width to height of a regular hex.
const HEX_RATIO: f64 = 0.866_025_403_784_438_6;

/// Height of a hex where a module says nothing.
const HEX_HEIGHT: f64 = 64.0;

/// Side of a square where a module says nothing.
const SQUARE_SIDE: f64 = 48.0;

#[derive(Clone, Debug)]
pub enum PlaceGrid {
    /// Hexes or squares in columns and rows.
    Regular(RegularGrid),
    /// Named points; each dot belongs to the nearest.
    Regions(Vec<(String, (i32, i32))>),
    /// Zones; the first that a dot lies in names it, else the grid behind them.
    Zones(Vec<Zone>, Option<Box<PlaceGrid>>),
}

/// Hexes or squares with their numbering.
#[derive(Clone, Debug)]
pub struct RegularGrid {
    is_hex: bool,
    sideways: bool,
    origin: (i32, i32),
    dx: f64,
    dy: f64,
    numbering: Option<Numbering>,
}

/// How columns and rows become a name.
#[derive(Clone, Debug)]
pub struct Numbering {
    columns_first: bool,
    separator: String,
    letters: (bool, bool),
    leading: (i32, i32),
    offset: (i32, i32),
    descending: (bool, bool),
    stagger: bool,
    format: String,
}

/// A zone of a board.
#[derive(Clone, Debug)]
pub struct Zone {
    name: String,
    outline: Polygon,
    format: String,
    uses_parent: bool,
    grid: Option<PlaceGrid>,
}

impl PlaceGrid {
    /// Reads the grid of a board or zone, if it has one.
    pub fn read(owner: &Element) -> Option<PlaceGrid> {
        let read_grid = |element: &Element| {
            if element.is(".HexGrid") || element.is(".SquareGrid") {
                Some(PlaceGrid::Regular(RegularGrid::read(element)))
            } else if element.is(".RegionGrid") {
                let point = |region: &&Element| {
                    (
                        region.number("originx").unwrap_or(0),
                        region.number("originy").unwrap_or(0),
                    )
                };
                let regions = element.children.iter().filter(|child| child.is(".Region"));
                Some(PlaceGrid::Regions(
                    regions
                        .map(|region| (region.attribute("name").into(), point(&region)))
                        .collect(),
                ))
            } else if element.is(".ZonedGrid") {
                let zones = element
                    .children
                    .iter()
                    .filter(|child| child.is(".Zone"))
                    .map(Zone::read)
                    .collect();
                Some(PlaceGrid::Zones(
                    zones,
                    PlaceGrid::read(element).map(Box::new),
                ))
            } else {
                None
            }
        };
        owner.children.iter().find_map(read_grid)
    }

    /// Returns the name of the place at a dot of a board of some size; `None` if nothing names it.
    pub fn place_name(&self, dot: (i32, i32), size: (i32, i32)) -> Option<String> {
        match self {
            PlaceGrid::Regular(grid) => grid.place_name(dot, size),
            PlaceGrid::Regions(regions) => nearest(regions, dot).map(|(name, _)| name.clone()),
            PlaceGrid::Zones(zones, behind) => {
                match zones.iter().find(|zone| zone.outline.contains(dot)) {
                    Some(zone) => Some(zone.place_name(dot, behind.as_deref(), size)),
                    None => behind.as_ref()?.place_name(dot, size),
                }
            }
        }
    }

    /// Whether the numbers at a dot are counted from the far edge of the board, so that they depend on its size.
    pub fn counts_from_far_edge(&self, dot: (i32, i32)) -> bool {
        match self {
            PlaceGrid::Regular(grid) => grid
                .numbering
                .as_ref()
                .is_some_and(|numbering| numbering.descending != (false, false)),
            PlaceGrid::Regions(_) => false,
            PlaceGrid::Zones(zones, behind) => {
                match zones.iter().find(|zone| zone.outline.contains(dot)) {
                    // A zone has a size of its own.
                    Some(zone) if !zone.uses_parent => false,
                    _ => behind
                        .as_ref()
                        .is_some_and(|grid| grid.counts_from_far_edge(dot)),
                }
            }
        }
    }

    /// Returns the dot that counters near a dot snap to: the centre of a hex or square, or a named point. `None` where nothing says it.
    pub fn snap(&self, dot: (i32, i32)) -> Option<(i32, i32)> {
        match self {
            PlaceGrid::Regular(grid) => Some(grid.centre(dot)),
            PlaceGrid::Regions(regions) => nearest(regions, dot).map(|(_, point)| *point),
            PlaceGrid::Zones(zones, behind) => {
                match zones.iter().find(|zone| zone.outline.contains(dot)) {
                    Some(zone) if !zone.uses_parent => zone.grid.as_ref()?.snap(dot),
                    _ => behind.as_ref()?.snap(dot),
                }
            }
        }
    }
}

/// Returns the named point nearest to a dot.
fn nearest(regions: &[(String, (i32, i32))], dot: (i32, i32)) -> Option<&(String, (i32, i32))> {
    let squared_distance = |point: (i32, i32)| {
        let (x, y) = (
            i64::from(dot.0) - i64::from(point.0),
            i64::from(dot.1) - i64::from(point.1),
        );
        i128::from(x) * i128::from(x) + i128::from(y) * i128::from(y)
    };
    regions
        .iter()
        .min_by_key(|(_, point)| squared_distance(*point))
}

impl Zone {
    fn read(element: &Element) -> Zone {
        Zone {
            name: element.attribute("name").into(),
            outline: Polygon::parse(element.attribute("path")),
            format: element
                .attributes
                .get("locationFormat")
                .map_or("$name$", String::as_str)
                .into(),
            uses_parent: element.flag("useParentGrid", false),
            grid: PlaceGrid::read(element),
        }
    }

    fn place_name(&self, dot: (i32, i32), behind: Option<&PlaceGrid>, size: (i32, i32)) -> String {
        let on_grid = match self.uses_parent {
            true => behind.and_then(|grid| grid.place_name(dot, size)),
            false => self
                .grid
                .as_ref()
                .and_then(|grid| grid.place_name(dot, self.outline.size())),
        };
        let on_grid = on_grid.unwrap_or_default();
        fill(
            &self.format,
            &[("name", &self.name), ("gridLocation", &on_grid)],
        )
    }
}

impl RegularGrid {
    fn read(element: &Element) -> RegularGrid {
        let is_hex = element.is(".HexGrid");
        let (x, y) = if is_hex { (0, 32) } else { (24, 24) };
        let (mut dx, mut dy) = if is_hex {
            (HEX_RATIO * HEX_HEIGHT, HEX_HEIGHT)
        } else {
            (SQUARE_SIDE, SQUARE_SIDE)
        };
        let default_width = dx;
        dx = element.decimal("dx").unwrap_or(dx);
        dy = element.decimal("dy").unwrap_or(dy);
        if is_hex && dx == default_width {
            dx = HEX_RATIO * dy;
        }
        RegularGrid {
            is_hex,
            sideways: is_hex && element.flag("sideways", false),
            origin: (
                element.number("x0").unwrap_or(x),
                element.number("y0").unwrap_or(y),
            ),
            // Steps of no width would make each dot the same place, or none.
            dx: if dx == 0.0 { 1.0 } else { dx },
            dy: if dy == 0.0 { 1.0 } else { dy },
            numbering: element
                .children
                .iter()
                .find(|child| child.name.ends_with("GridNumbering"))
                .map(Numbering::read),
        }
    }

    fn place_name(&self, dot: (i32, i32), size: (i32, i32)) -> Option<String> {
        let numbering = self.numbering.as_ref()?;
        let (column, row) = if self.is_hex {
            self.hex(dot, size, numbering)
        } else {
            self.square(dot, size, numbering)
        };
        Some(numbering.name(column, row))
    }

    /// Returns the centre of the hex or square around a dot.
    fn centre(&self, (x, y): (i32, i32)) -> (i32, i32) {
        let (x, y) = if self.sideways { (y, x) } else { (x, y) };
        let (x_offset, y_offset) = (
            f64::from(x) - f64::from(self.origin.0),
            f64::from(y) - f64::from(self.origin.1),
        );
        let column = (x_offset / self.dx + 0.5).floor();
        let low = if self.is_hex && column.rem_euclid(2.0) != 0.0 {
            0.5
        } else {
            0.0
        };
        let row = (y_offset / self.dy - low + 0.5).floor();
        let (x, y) = (
            column * self.dx + f64::from(self.origin.0),
            (row + low) * self.dy + f64::from(self.origin.1),
        );
        let (x, y) = (x.round() as i32, y.round() as i32);
        if self.sideways { (y, x) } else { (x, y) }
    }

    /// Returns column and row of the hex around a dot.
    fn hex(
        &self,
        (x, y): (i32, i32),
        (width, height): (i32, i32),
        numbering: &Numbering,
    ) -> (i32, i32) {
        let (x, y) = if self.sideways { (y, x) } else { (x, y) };
        let (x, y) = (
            f64::from(x.wrapping_sub(self.origin.0)),
            f64::from(y) - f64::from(self.origin.1),
        );
        let raw = (x / self.dx + 0.5).floor() as i32;
        let lower = round(x / self.dx) % 2 != 0;
        let raw_row = if lower {
            round((y - self.dy / 2.0) / self.dy)
        } else {
            round(y / self.dy)
        };
        // Widths and heights are exchanged here as they are in VASSAL.
        let rows = (f64::from(height) / self.dx + 0.5).floor() as i32;
        let columns = (f64::from(width) / self.dy + 0.5).floor() as i32;
        let (descends_across, descends_down) = numbering.descending;
        let (column_falls, row_falls, max_index) = if self.sideways {
            (descends_down, descends_across, (rows, columns))
        } else {
            (descends_across, descends_down, (columns, rows))
        };
        let column = if column_falls {
            max_index.0.wrapping_sub(raw)
        } else {
            raw
        };
        let row = if row_falls {
            max_index.1.wrapping_sub(raw_row)
        } else {
            raw_row
        };
        let shift = if raw % 2 == 0 || !numbering.stagger {
            0
        } else if row_falls {
            -1
        } else {
            1
        };
        (column, row.wrapping_add(shift))
    }

    /// Returns column and row of the square around a dot.
    fn square(
        &self,
        (x, y): (i32, i32),
        (width, height): (i32, i32),
        numbering: &Numbering,
    ) -> (i32, i32) {
        let column = (f64::from(x.wrapping_sub(self.origin.0)) / self.dx + 0.5).floor() as i32;
        let row = (f64::from(y.wrapping_sub(self.origin.1)) / self.dy + 0.5) as i32;
        let max_index = (
            (f64::from(width) / self.dx + 0.5) as i32,
            (f64::from(height) / self.dy + 0.5) as i32,
        );
        let (column_falls, row_falls) = numbering.descending;
        (
            if column_falls {
                max_index.0.wrapping_sub(column)
            } else {
                column
            },
            if row_falls {
                max_index.1.wrapping_sub(row)
            } else {
                row
            },
        )
    }
}

/// Rounds half up, also below 0.
fn round(number: f64) -> i32 {
    let floor = number.floor();
    (if number - floor >= 0.5 {
        floor + 1.0
    } else {
        floor
    }) as i32
}

impl Numbering {
    fn read(element: &Element) -> Numbering {
        let first_letter =
            |name: &str, default: char| element.attribute(name).chars().next().unwrap_or(default);
        let number = |name: &str, default: i32| element.number(name).unwrap_or(default);
        Numbering {
            columns_first: first_letter("first", 'H') == 'H',
            separator: element.attribute("sep").into(),
            letters: (
                first_letter("hType", 'N') == 'A',
                first_letter("vType", 'N') == 'A',
            ),
            leading: (number("hLeading", 1), number("vLeading", 1)),
            offset: (number("hOff", 1), number("vOff", 1)),
            descending: (
                element.flag("hDescend", false),
                element.flag("vDescend", false),
            ),
            stagger: element.is(".HexGridNumbering") && element.flag("stagger", true),
            format: element
                .attributes
                .get("locationFormat")
                .map_or("$gridLocation$", String::as_str)
                .into(),
        }
    }

    fn name(&self, column: i32, row: i32) -> String {
        let column = number_name(
            column.wrapping_add(self.offset.0),
            self.letters.0,
            self.leading.0,
        );
        let row = number_name(
            row.wrapping_add(self.offset.1),
            self.letters.1,
            self.leading.1,
        );
        let (first, second) = if self.columns_first {
            (&column, &row)
        } else {
            (&row, &column)
        };
        let location = format!("{first}{}{second}", self.separator);
        fill(
            &self.format,
            &[
                ("gridLocation", &location),
                ("row", &row),
                ("column", &column),
            ],
        )
    }
}

/// Longest name in letters: AA comes after Z, AAA after ZZ, as many letters as the alphabet is gone through.
const MAX_LETTERS: u32 = 1000;

/// Writes a number in digits or letters.
fn number_name(number: i32, letters: bool, leading: i32) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let number = number.unsigned_abs();
    if letters {
        let round = char::from(b'A' + (number % 26) as u8);
        return format!(
            "{sign}{}",
            round
                .to_string()
                .repeat((number / 26 + 1).min(MAX_LETTERS) as usize)
        );
    }
    let leading = usize::try_from(leading).unwrap_or(0).min(10);
    // The setting counts the zeros before a number of one digit.
    let digits = number.to_string();
    let zeros = (1..=leading)
        .rev()
        .take_while(|power| u64::from(number) < 10u64.pow(*power as u32))
        .count();
    format!("{sign}{}{digits}", "0".repeat(zeros))
}

/// Fills a format: `$name$` is a property, anything else is plain text.
fn fill(format: &str, properties: &[(&str, &str)]) -> String {
    if !format.contains('$') {
        return format.into();
    }
    let mut parts = SequenceReader::new(format.trim(), '$');
    let mut out = String::new();
    let mut is_property = false;
    while let Some(part) = parts.next() {
        let property = properties
            .iter()
            .find(|(name, _)| is_property && parts.rest().is_some() && *name == part);
        out.push_str(property.map_or(&part, |(_, value)| value));
        is_property = !is_property;
    }
    out
}
