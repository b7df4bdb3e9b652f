//! The sheets that cases hand on: each declared once in the manifest, field by field.

use crate::data::constraint::ValueConstraint;
use crate::data::format::game::FIELD;
use crate::data::yaml::{YamlNode, YamlReader};
use std::collections::BTreeMap;

/// A field of a sheet.
#[derive(Clone, Debug, Default)]
pub struct SheetField {
    /// What it is, and who fills it in.
    pub title: String,
    /// What it may hold; of a list, each item.
    pub constraint: ValueConstraint,
    /// What the keys name where it holds a map of its own keys; else the keys of a map in it are fields of the sheet.
    pub key_references: Vec<String>,
}

/// A sheet by its fields.
pub type SheetFields = BTreeMap<String, SheetField>;

/// The name of what a situation hands to its procedure.
pub const GIVEN: &str = "given";

/// Reads the sheets of a manifest.
pub fn read_sheets(node: &YamlNode, reader: &mut YamlReader) -> BTreeMap<String, SheetFields> {
    let mut sheets = BTreeMap::new();
    for (name, fields) in node.entries() {
        let mut sheet = SheetFields::new();
        for (key, value) in fields.entries() {
            reader.check_format(value, &FIELD);
            let what =
                [("", "what"), ("by ", "by")].map(|(before, key)| reader.optional_text(value, key).map(|text| format!("{before}{text}")));
            let mut field = SheetField { title: what.into_iter().flatten().collect::<Vec<_>>().join(", "), ..SheetField::default() };
            field.constraint.read_keys(value, reader);
            field.key_references = value.get("keys").map(|n| reader.texts(n)).unwrap_or_default();
            sheet.insert(key.as_text().unwrap_or_default().into(), field);
        }
        sheets.insert(name.as_text().unwrap_or_default().into(), sheet);
    }
    sheets
}
