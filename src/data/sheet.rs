//! Sheets: typed records that cases pass on, declared by field in the manifest.

use crate::data::constraint::ValueConstraint;
use crate::data::format::game::FIELD;
use crate::data::yaml::{YamlNode, YamlReader};
use std::collections::BTreeMap;

/// A field of a sheet.
#[derive(Clone, Debug, Default)]
pub struct SheetField {
    /// Purpose of the field, and who sets it.
    pub title: String,
    /// Constraint on the value; for a list, on each item.
    pub constraint: ValueConstraint,
    /// Kinds of names accepted as keys of a map value; if empty, its keys are fields of the sheet.
    pub key_references: Vec<String>,
}

/// Fields of a sheet by name.
pub type SheetFields = BTreeMap<String, SheetField>;

/// Name of the sheet that a situation passes to its procedure.
pub const GIVEN: &str = "given";

/// Parses the sheets of a manifest.
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
