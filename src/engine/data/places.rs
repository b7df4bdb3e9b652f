//! Naming scheme and topology of places (hexes of numbered sheets, or names linked by a map), and attribute types.

use crate::complaint::DiagnosticCode;
use crate::data::draw_style::{DrawStyle, MapScale};
use crate::data::format::NUMBER;
use crate::data::wording::{Worded, Wording};
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::notation::{Band, Hex};
use std::borrow::Cow;
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
                let words_text = if words.is_empty() {
                    "a word".into()
                } else {
                    format!("one of: {}", words.join(", "))
                };
                default.as_ref().map_or(words_text.clone(), |default| {
                    format!("{words_text}; {default} where nothing is said")
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
    /// How far the rows of its even and of its odd columns are shifted.
    pub rows: [i64; 2],
}

impl SheetOffset {
    /// Returns how far the rows of a column of the sheet are shifted.
    fn rows_of(&self, column: i64) -> i64 {
        self.rows[column.rem_euclid(2) as usize]
    }
}

/// The columns and rows of a sheet that declares none: what two digits hold.
pub const DIGITS: Band = Band { low: 0, high: 99 };

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
    /// Columns and rows of each sheet.
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
        let side = |text: &str| {
            text.split_once('/').is_some_and(|(a, b)| matches!((self.hex(a), self.hex(b)), (Some(a), Some(b)) if self.distance(&a, &b) == 1))
        };
        !self.is_hex_grid
            || self.hex(name).is_some()
            || side(name)
            || self.boxes.iter().any(|b| b == name)
    }

    /// Returns the hex of a label; `None` if the label is not of a hex on the map.
    pub fn hex(&self, label: &str) -> Option<Hex> {
        let hex = Hex::parse(label).ok().filter(|_| self.is_hex_grid)?;
        self.is_printed(&hex).then_some(hex)
    }

    /// Returns whether a sheet prints a hex under this label.
    fn is_printed(&self, hex: &Hex) -> bool {
        let bounds = self.sheet_bounds.get(&hex.sheet);
        bounds.is_some_and(|(columns, rows)| columns.contains(hex.column) && rows.contains(hex.row))
    }

    /// Yields the labels of the hex at a position of the common grid, that on the last sheet first.
    pub fn labels_at(&self, (column, row): (i64, i64)) -> impl Iterator<Item = Hex> {
        let sheets = self.sheet_bounds.keys().rev();
        let label = move |sheet: &String| {
            let offset = self.offset_of(sheet);
            let column = column - offset.columns;
            Hex {
                sheet: sheet.clone(),
                column,
                row: row - offset.rows_of(column),
            }
        };
        sheets.map(label).filter(|hex| self.is_printed(hex))
    }

    /// Returns the name of a place under any of its labels: of a hex that several sheets print, the label on the last of them; of the side
    /// between two hexes, their names in order.
    pub fn name_of<'a>(&self, label: &'a str) -> Cow<'a, str> {
        let digits = label.bytes().rev().take_while(u8::is_ascii_digit).count();
        if !self.is_hex_grid || digits != 4 {
            return label.into();
        }
        if let Some((a, b)) = label.split_once('/')
            && [a, b].iter().all(|label| self.hex(label).is_some())
        {
            let (a, b) = (self.name_of(a), self.name_of(b));
            return format!("{}/{}", (&a).min(&b), (&a).max(&b)).into();
        }
        if self.sheet_bounds.len() < 2 {
            return label.into();
        }
        let named = self
            .hex(label)
            .and_then(|hex| self.labels_at(self.grid_position(&hex)).next());
        named.map_or(label.into(), |hex| hex.to_string().into())
    }

    /// Replaces a label by the name of its place.
    pub fn name_place(&self, text: &mut String) {
        if let Cow::Owned(name) = self.name_of(text) {
            *text = name;
        }
    }

    /// Replaces each label in a file by the name of its place.
    pub fn name_places(&self, node: &mut YamlNode) {
        match &mut node.value {
            YamlValue::Scalar(text, _) => self.name_place(text),
            YamlValue::List(items) => items.iter_mut().for_each(|item| self.name_places(item)),
            YamlValue::Map(entries) => entries.iter_mut().for_each(|(key, value)| {
                self.name_places(key);
                self.name_places(value);
            }),
        }
    }

    /// Describes valid hexes: "a hex: sheet A and four digits, columns 1-62 and rows 1-34".
    pub fn describe_hex(&self) -> String {
        let describe_sheet = |(sheet, (columns, rows)): (&String, &(Band, Band))| {
            let name = if sheet.is_empty() {
                String::new()
            } else {
                format!("sheet {sheet} and ")
            };
            format!("{name}four digits, columns {columns} and rows {rows}")
        };
        let sheets: Vec<String> = self.sheet_bounds.iter().map(describe_sheet).collect();
        format!("a hex: {}", sheets.join("; "))
    }

    fn offset_of(&self, sheet: &str) -> SheetOffset {
        self.sheet_offsets.get(sheet).copied().unwrap_or_default()
    }

    /// Returns the position of a hex on the common grid.
    pub fn grid_position(&self, hex: &Hex) -> (i64, i64) {
        let offset = self.offset_of(&hex.sheet);
        (
            hex.column + offset.columns,
            hex.row + offset.rows_of(hex.column),
        )
    }

    /// Returns whether a column of the common grid lies half a hex lower than those beside it.
    pub fn is_lower(&self, column: i64) -> bool {
        (column.rem_euclid(2) == 0) == self.even_columns_lower
    }

    /// Returns the neighbours of a hex, on whatever sheet they lie: six, fewer at the edge of the map.
    pub fn neighbours(&self, hex: &Hex) -> Vec<Hex> {
        let (c, r) = self.grid_position(hex);
        let down = i64::from(self.is_lower(c));
        let beside = [
            (c, r - 1),
            (c, r + 1),
            (c - 1, r - 1 + down),
            (c - 1, r + down),
            (c + 1, r - 1 + down),
            (c + 1, r + down),
        ];
        let name = |position| self.labels_at(position).next();
        beside.into_iter().filter_map(name).collect()
    }

    /// Returns the distance in hexes, across adjoining sheets.
    pub fn distance(&self, a: &Hex, b: &Hex) -> i64 {
        let cube = |(c, r): (i64, i64)| {
            // Rows of shifted columns are offset by half a hex; doubling makes them whole numbers.
            (c, 2 * r + i64::from(self.is_lower(c)))
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
                let message = format!(
                    "`to:` is {}, below the least, which is {}",
                    bounds.high, bounds.low
                );
                let help =
                    "correct one of them, or leave it out: `from:` is 0 where nothing is said";
                reader.complain(DiagnosticCode::Number, to.span, message, help);
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
