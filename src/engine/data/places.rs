//! Naming scheme and topology of places (hexes of numbered sheets, or names linked by a map), and attribute types.

use crate::complaint::DiagnosticCode;
use crate::data::draw_style::{DrawStyle, MapScale};
use crate::data::format::NUMBER;
use crate::data::wording::{Worded, Wording};
use crate::data::yaml::{YamlNode, YamlReader};
use crate::notation::{Band, Hex};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeType {
    /// A whole number: unit, default value, bounds.
    Number(String, Option<i64>, Band),
    /// A flag, false by default.
    Flag,
    /// A word with its default; an empty list accepts any word.
    Word(Vec<String>, Option<String>),
    /// Several words.
    Words,
}

impl AttributeType {
    /// Describes the type in words.
    pub fn describe(&self) -> String {
        match self {
            AttributeType::Flag => "true or false; false where nothing is said".into(),
            AttributeType::Words => "a list of words".into(),
            AttributeType::Word(words, default) => {
                let what = if words.is_empty() {
                    "a word".into()
                } else {
                    format!("one of: {}", words.join(", "))
                };
                default.as_ref().map_or(what.clone(), |default| {
                    format!("{what}; {default} where nothing is said")
                })
            }
            AttributeType::Number(unit, default, bounds) => {
                let unit = if unit.is_empty() {
                    "a whole number".into()
                } else {
                    format!("a whole number, counted in {unit}")
                };
                let bounds = match (bounds.low, bounds.high) {
                    (0, i64::MAX) => String::new(),
                    _ => format!(", {}", bounds_in_words(bounds)),
                };
                let default = default.map_or(String::new(), |default| {
                    format!("; {default} where nothing is said")
                });
                format!("{unit}{bounds}{default}")
            }
        }
    }
}

/// Where a sheet lies on the common grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SheetOffset {
    /// How far its columns are shifted.
    pub columns: i64,
    /// How far the rows of its odd columns are shifted.
    pub odd_rows: i64,
    /// How far the rows of its even columns are shifted.
    pub even_rows: i64,
}

/// Says between which numbers a figure is: "1 to 20", "0 or more".
pub fn bounds_in_words(bounds: &Band) -> String {
    match (bounds.low, bounds.high) {
        (i64::MIN, i64::MAX) => "any whole number".into(),
        (low, i64::MAX) => format!("{low} or more"),
        (i64::MIN, high) => format!("{high} or less"),
        (low, high) => format!("{low} to {high}"),
    }
}

/// Naming scheme and topology of the places of a game.
#[derive(Clone, Debug, Default)]
pub struct PlaceScheme {
    /// True for hexes of numbered sheets, false for areas linked by a map.
    pub is_hex_grid: bool,
    /// Whether even columns are shifted half a hex down.
    pub even_columns_lower: bool,
    /// Where each sheet lies on the common grid.
    pub sheet_offsets: BTreeMap<String, SheetOffset>,
    /// Columns and rows of a sheet, if declared.
    pub sheet_bounds: BTreeMap<String, (Band, Band)>,
    /// Boxes off the map: pools, tracks, prisons.
    pub boxes: Vec<String>,
    /// Those of the boxes whose pieces are out of play: nothing moves them but what takes them out.
    pub out_of_play: Vec<String>,
    /// Attributes of places.
    pub attributes: Vec<(String, AttributeType)>,
    /// Attributes of the side between two places.
    pub side_attributes: Vec<(String, AttributeType)>,
    /// Drawing styles of attributes of places, sides and pieces.
    pub draw_styles: BTreeMap<String, DrawStyle>,
    /// Looks of words, and of attributes that are set.
    pub looks: BTreeMap<String, &'static str>,
    /// Where north lies, in degrees to the right of up; `None` where that is not known.
    pub north: Option<i64>,
    /// A known length.
    pub scale: Option<MapScale>,
    /// For attributes whose values are names: the kinds of names.
    pub attribute_references: BTreeMap<String, Vec<String>>,
    /// Display wording of attributes of places and sides, if declared.
    pub wordings: BTreeMap<String, Wording>,
}

impl PlaceScheme {
    /// Parses the boxes, and the attributes of places and sides.
    pub fn read_boxes_and_attributes(&mut self, node: &YamlNode, reader: &mut YamlReader) {
        (self.boxes, self.out_of_play) = (node.texts_of("boxes"), node.texts_of("out_of_play"));
        for (key, list) in [
            ("attributes", &mut self.attributes),
            ("sides", &mut self.side_attributes),
        ] {
            let references_and_wordings = (&mut self.attribute_references, &mut self.wordings);
            *list = node
                .get(key)
                .map(|n| attributes(n, references_and_wordings, reader))
                .unwrap_or_default();
        }
    }

    /// Returns whether a name is a place: a hex of a sheet, the side between two hexes, or a box; any name if places are not hexes.
    pub fn contains(&self, name: &str) -> bool {
        let is_on_map = |h: &Hex| {
            self.sheet_offsets.is_empty()
                || self.sheet_offsets.contains_key(&h.sheet) && self.is_on_sheet(h)
        };
        let hex = |text: &str| Hex::parse(text).ok().filter(is_on_map);
        let side = |text: &str| {
            text.split_once('/').is_some_and(|(a, b)| matches!((hex(a), hex(b)), (Some(a), Some(b)) if self.distance(&a, &b) == 1))
        };
        !self.is_hex_grid
            || hex(name).is_some()
            || side(name)
            || self.boxes.iter().any(|b| b == name)
    }

    /// Returns whether a hex lies within the bounds of its sheet.
    fn is_on_sheet(&self, hex: &Hex) -> bool {
        self.sheet_bounds
            .get(&hex.sheet)
            .is_none_or(|(columns, rows)| columns.contains(hex.column) && rows.contains(hex.row))
    }

    /// Describes valid hexes: "a hex: sheet A and four digits, columns 1-62 and rows 1-34".
    pub fn describe_hex(&self) -> String {
        let describe_sheet = |sheet: &String| {
            let name = if sheet.is_empty() {
                String::new()
            } else {
                format!("sheet {sheet} and ")
            };
            let bounds = self
                .sheet_bounds
                .get(sheet)
                .map(|(columns, rows)| format!(", columns {columns} and rows {rows}"));
            format!("{name}four digits{}", bounds.unwrap_or_default())
        };
        let sheets: Vec<String> = self.sheet_offsets.keys().map(describe_sheet).collect();
        if sheets.is_empty() {
            "a hex of four digits".into()
        } else {
            format!("a hex: {}", sheets.join("; "))
        }
    }

    /// Returns the position of a hex on the common grid.
    pub fn grid_position(&self, hex: &Hex) -> (i64, i64) {
        let SheetOffset {
            columns,
            odd_rows,
            even_rows,
        } = self
            .sheet_offsets
            .get(&hex.sheet)
            .copied()
            .unwrap_or_default();
        let is_even = hex.column % 2 == 0;
        (
            hex.column + columns,
            hex.row + if is_even { even_rows } else { odd_rows },
        )
    }

    /// Returns the neighbours of a hex on its own sheet: six, fewer at the edge.
    pub fn neighbours(&self, hex: &Hex) -> Vec<Hex> {
        let down = i64::from((hex.column % 2 == 0) == self.even_columns_lower);
        let (c, r) = (hex.column, hex.row);
        let beside = [
            (c, r - 1),
            (c, r + 1),
            (c - 1, r - 1 + down),
            (c - 1, r + down),
            (c + 1, r - 1 + down),
            (c + 1, r + down),
        ];
        let hexes = beside
            .into_iter()
            .filter(|(c, r)| *c >= 0 && *r >= 0)
            .map(|(column, row)| Hex {
                sheet: hex.sheet.clone(),
                column,
                row,
            });
        hexes.filter(|hex| self.is_on_sheet(hex)).collect()
    }

    /// Returns the distance in hexes, across adjoining sheets.
    pub fn distance(&self, a: &Hex, b: &Hex) -> i64 {
        let cube = |(c, r): (i64, i64)| {
            let low = (c.rem_euclid(2) == 0) == self.even_columns_lower;
            // Rows of shifted columns are offset by half a hex; doubling makes them whole numbers.
            (c, 2 * r + i64::from(low))
        };
        let ((ac, ar), (bc, br)) = (cube(self.grid_position(a)), cube(self.grid_position(b)));
        let (across, along) = ((ac - bc).abs(), (ar - br).abs());
        across + ((along - across).max(0) + 1) / 2
    }
}

/// Reference kinds and wordings of attributes, by attribute.
pub type Named<'a> = (
    &'a mut BTreeMap<String, Vec<String>>,
    &'a mut BTreeMap<String, Wording>,
);

/// Parses the attributes of pieces, places or sides.
pub fn attributes(
    node: &YamlNode,
    named: Named,
    reader: &mut YamlReader,
) -> Vec<(String, AttributeType)> {
    let (names, wordings) = named;
    let mut list = Vec::new();
    for (key, value) in node.entries() {
        if let (Some(name), Some(kinds_node)) = (key.as_text(), value.get("names")) {
            names.insert(name.into(), kinds_node.texts());
        }
        let attribute = if value.get("flag").is_some() {
            AttributeType::Flag
        } else if value.get("words").is_some() {
            AttributeType::Words
        } else if let Some(word) = value.get("word") {
            let choices = if matches!(word.value, crate::data::yaml::YamlValue::List(_)) {
                word.texts()
            } else {
                Vec::new()
            };
            AttributeType::Word(choices, value.optional_text_of("default"))
        } else {
            // Of a number, the default is one.
            value
                .get("default")
                .into_iter()
                .for_each(|default| reader.check_value(default, NUMBER));
            let mut bounds = Band {
                low: value.number_of("from").unwrap_or(0),
                high: value.number_of("to").unwrap_or(i64::MAX),
            };
            if let Some(to) = value.get("to").filter(|_| bounds.low > bounds.high) {
                let what = format!(
                    "`to:` is {}, below the least, which is {}",
                    bounds.high, bounds.low
                );
                let help =
                    "correct one of them, or leave it out: `from:` is 0 where nothing is said";
                reader.complain(DiagnosticCode::Number, to.span, what, help);
                // What no number fits would be a complaint at each number.
                bounds.high = i64::MAX;
            }
            AttributeType::Number(
                value.text_of("unit").into(),
                value.number_of("default"),
                bounds,
            )
        };
        let worded = match attribute {
            AttributeType::Flag => Worded::Flag,
            AttributeType::Number(..) => Worded::Number,
            AttributeType::Word(..) | AttributeType::Words => Worded::Word,
        };
        if let (Some(name), Some(wording)) = (key.as_text(), Wording::read(value, worded, reader)) {
            wordings.insert(name.into(), wording);
        }
        list.push((key.text_or_empty().into(), attribute));
    }
    list
}
