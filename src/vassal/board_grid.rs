//! The grid of a drawn map: hexes with the numbers of the game, zones for boxes and for the sides of hexes. What has no place in rows and
//! columns is a named point.

use crate::drawing::{BOX, HEX_STEP, MapPicture};
use crate::element::escape;
use casebook_engine::data::manifest::Game;
use casebook_engine::notation::Hex;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Half the width of the zone of a side, in dots: a counter is dropped on it, and the hexes beside it stay large.
const SIDE_ZONE: i32 = 14;

/// A hex: its column and row in VASSAL's grid, and its number.
struct GridCell {
    column: i64,
    row: i64,
    hex: Hex,
}

/// The hexes of one sheet.
type Sheet = Vec<GridCell>;

/// Returns the grid as an element of a board.
pub fn grid_xml(picture: &MapPicture, game: &Game) -> String {
    let (mut zones, mut points) = (String::new(), String::new());
    let (sheets, origin) = if game.places.is_hex_grid {
        sheets(picture, game)
    } else {
        Default::default()
    };
    let numbered: Vec<(&String, String)> = sheets
        .iter()
        .filter_map(|(name, sheet)| Some((name, numbering_xml(name, sheet, origin)?)))
        .collect();
    let has_hexes = !numbered.is_empty();
    for (name, dot) in &picture.places {
        let is_box = has_hexes && picture.boxes.contains(name);
        if is_box {
            let (wide, high) = (BOX.0 / 2 - 10, BOX.1 / 2);
            zones.push_str(&zone_xml(
                name,
                "$name$",
                &rectangle(*dot, (wide, high)),
                "",
            ));
        } else if has_hexes && name.contains('/') {
            zones.push_str(&zone_xml(
                name,
                "$name$",
                &rectangle(*dot, (SIDE_ZONE, SIDE_ZONE)),
                "",
            ));
        } else if !Hex::parse(name)
            .is_ok_and(|hex| numbered.iter().any(|(sheet, _)| **sheet == hex.sheet))
        {
            let (name, (x, y)) = (escape(name), dot);
            let _ = writeln!(
                points,
                "<VASSAL.build.module.map.boardPicker.board.Region name=\"{name}\" originx=\"{x}\" originy=\"{y}\"/>"
            );
        }
    }
    let named = |inner: &str| {
        format!(
            "<VASSAL.build.module.map.boardPicker.board.RegionGrid fontsize=\"9\" snapto=\"true\" visible=\"false\">\n{inner}\
             </VASSAL.build.module.map.boardPicker.board.RegionGrid>\n"
        )
    };
    if !has_hexes {
        return named(&points);
    }
    // The first zone that a counter lies in names it: a side lies in two hexes.
    for (name, numbering) in numbered {
        zones.push_str(&zone_xml(
            if name.is_empty() { "hexes" } else { name },
            "$gridLocation$",
            &outline(&sheets[name], origin),
            &numbering,
        ));
    }
    let points = if points.is_empty() {
        String::new()
    } else {
        named(&points)
    };
    format!(
        "<VASSAL.build.module.map.boardPicker.board.ZonedGrid>\n{points}{zones}</VASSAL.build.module.map.boardPicker.board.ZonedGrid>\n"
    )
}

/// Puts the hexes into the columns and rows of VASSAL, where every second column is lower, the first is not, and all are counted from 0. The
/// dot is the centre of the first hex of the first column.
fn sheets(picture: &MapPicture, game: &Game) -> (BTreeMap<String, Sheet>, (f64, f64)) {
    let hexes: Vec<(Hex, (i32, i32))> = picture
        .places
        .iter()
        .filter_map(|(name, dot)| {
            Some((
                Hex::parse(name)
                    .ok()
                    .filter(|_| !picture.boxes.contains(name))?,
                *dot,
            ))
        })
        .collect();
    let is_low = |column| game.places.is_lower(column);
    let cells = hexes.iter().map(|(hex, _)| game.places.grid_position(hex));
    let first_column = cells.clone().map(|(column, _)| column).min().unwrap_or(0);
    let (first_column, top) = (
        first_column - i64::from(is_low(first_column)),
        cells.map(|(_, row)| row).min().unwrap_or(0),
    );
    let mut origin = (0.0, 0.0);
    let mut sheets: BTreeMap<String, Sheet> = BTreeMap::new();
    for (hex, (x, y)) in hexes {
        let (column, row) = game.places.grid_position(&hex);
        let (row_below_top, low) = (row - top, if is_low(column) { 0.5 } else { 0.0 });
        origin = (
            f64::from(x) - (column - first_column) as f64 * HEX_STEP.0,
            f64::from(y) - (row_below_top as f64 + low) * HEX_STEP.1,
        );
        sheets.entry(hex.sheet.clone()).or_default().push(GridCell {
            column: column - first_column,
            row: row_below_top,
            hex,
        });
    }
    (sheets, origin)
}

/// Numbers the hexes of a sheet; `None` if their numbers don't go by columns and rows.
fn numbering_xml(name: &str, sheet: &Sheet, (x, y): (f64, f64)) -> Option<String> {
    let common_number = |mut numbers: Box<dyn Iterator<Item = i64> + '_>| {
        let first = numbers.next();
        numbers.all(|other| Some(other) == first).then_some(first)
    };
    let column_offset = common_number(Box::new(
        sheet.iter().map(|cell| cell.hex.column - cell.column),
    ))??;
    let row_offset = |odd: bool| {
        common_number(Box::new(
            sheet
                .iter()
                .filter(move |cell| (cell.column % 2 != 0) == odd)
                .map(|cell| cell.hex.row - cell.row),
        ))
    };
    let (even, odd) = (row_offset(false)?, row_offset(true)?);
    let (row_offset, stagger) = match (even, odd) {
        (Some(even), Some(odd)) if odd == even || odd == even + 1 => (even, odd != even),
        (Some(even), None) => (even, false),
        (None, Some(odd)) => (odd, false),
        _ => return None,
    };
    let (dx, dy) = HEX_STEP;
    let format = escape(&format!("{name}$gridLocation$"));
    Some(format!(
        "<VASSAL.build.module.map.boardPicker.board.HexGrid color=\"185,178,162\" cornersLegal=\"false\" dotsVisible=\"false\" dx=\"{dx}\" \
         dy=\"{dy}\" edgesLegal=\"false\" sideways=\"false\" snapTo=\"true\" visible=\"true\" x0=\"{}\" y0=\"{}\">\n\
         <VASSAL.build.module.map.boardPicker.board.mapgrid.HexGridNumbering color=\"0,0,0\" first=\"H\" fontSize=\"9\" hDescend=\"false\" \
         hDrawOff=\"0\" hLeading=\"1\" hOff=\"{column_offset}\" hType=\"N\" locationFormat=\"{format}\" rotateText=\"0\" sep=\"\" stagger=\"{stagger}\" \
         vDescend=\"false\" vDrawOff=\"0\" vLeading=\"1\" vOff=\"{row_offset}\" vType=\"N\" visible=\"false\"/>\n\
         </VASSAL.build.module.map.boardPicker.board.HexGrid>\n",
        x.round(),
        y.round()
    ))
}

fn zone_xml(name: &str, format: &str, path: &[(i32, i32)], inner: &str) -> String {
    let path: Vec<String> = path.iter().map(|(x, y)| format!("{x},{y}")).collect();
    format!(
        "<VASSAL.build.module.map.boardPicker.board.mapgrid.Zone highlightProperty=\"\" locationFormat=\"{format}\" name=\"{}\" path=\"{}\" \
         useHighlight=\"false\" useParentGrid=\"false\">\n{inner}</VASSAL.build.module.map.boardPicker.board.mapgrid.Zone>\n",
        escape(name),
        path.join(";")
    )
}

fn rectangle((x, y): (i32, i32), (wide, high): (i32, i32)) -> [(i32, i32); 4] {
    [
        (x - wide, y - high),
        (x + wide, y - high),
        (x + wide, y + high),
        (x - wide, y + high),
    ]
}

/// The outline of a sheet: along the upper ends of its columns, and back along the lower ones. VASSAL's grid names a hex by such steps, too.
fn outline(sheet: &Sheet, (x, y): (f64, f64)) -> Vec<(i32, i32)> {
    let mut columns: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for cell in sheet {
        let ends = columns.entry(cell.column).or_insert((cell.row, cell.row));
        *ends = (ends.0.min(cell.row), ends.1.max(cell.row));
    }
    let (mut upper, mut lower) = (Vec::new(), Vec::new());
    for (column, (top, bottom)) in columns {
        let low = if column % 2 == 0 { 0.0 } else { 0.5 };
        let (left, right) = (
            x + (column as f64 - 0.5) * HEX_STEP.0,
            x + (column as f64 + 0.5) * HEX_STEP.0,
        );
        let edge = |row: f64| (y + (row + low) * HEX_STEP.1).round() as i32;
        let (left, right) = (left.round() as i32, right.round() as i32);
        upper.extend([
            (left, edge(top as f64 - 0.5)),
            (right, edge(top as f64 - 0.5)),
        ]);
        lower.extend([
            (left, edge(bottom as f64 + 0.5)),
            (right, edge(bottom as f64 + 0.5)),
        ]);
    }
    upper.extend(lower.into_iter().rev());
    upper
}
