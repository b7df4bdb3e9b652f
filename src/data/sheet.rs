//! The sheets that cases hand on: each declared once in the manifest, field by field.

use crate::data::format::game::FIELD;
use crate::data::holds::Holds;
use crate::data::yaml::{Node, Reader};
use std::collections::BTreeMap;

/// A field of a sheet.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// What it is, and who fills it in.
    pub title: String,
    /// What it may hold; of a list, each item.
    pub holds: Holds,
    /// What the keys name where it holds a map of its own keys; else the keys of a map in it are fields of the sheet.
    pub keys: Vec<String>,
}

/// A sheet by its fields.
pub type Sheet = BTreeMap<String, Field>;

/// The name of what a situation hands to its procedure.
pub const GIVEN: &str = "given";

/// Reads the sheets of a manifest.
pub fn read(node: &Node, reader: &mut Reader) -> BTreeMap<String, Sheet> {
    let mut sheets = BTreeMap::new();
    for (name, fields) in node.entries() {
        let mut sheet = Sheet::new();
        for (key, value) in fields.entries() {
            reader.fits(value, &FIELD);
            let what = [("", "what"), ("by ", "by")].map(|(before, key)| reader.maybe(value, key).map(|text| format!("{before}{text}")));
            let mut field = Field { title: what.into_iter().flatten().collect::<Vec<_>>().join(", "), ..Field::default() };
            field.holds.add(value, reader);
            field.keys = value.get("keys").map(|n| reader.texts(n)).unwrap_or_default();
            sheet.insert(key.text().unwrap_or_default().into(), field);
        }
        sheets.insert(name.text().unwrap_or_default().into(), sheet);
    }
    sheets
}
