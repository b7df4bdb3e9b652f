//! Sheets: typed records that cases pass on, declared by field in the manifest.

use crate::complaint::{DiagnosticCode, did_you_mean};
use crate::data::constraint::ValueConstraint;
use crate::data::yaml::{YamlNode, YamlReader};
use std::collections::BTreeMap;

/// A field of a sheet, or a name that a procedure is given.
#[derive(Clone, Debug, Default)]
pub struct SheetField {
    /// Purpose of the field, and who sets it.
    pub title: String,
    /// Constraint on the value; for a list, on each item.
    pub constraint: ValueConstraint,
    /// Kinds of names accepted as keys of a map value; if empty, its keys are fields of the sheet.
    pub key_references: Vec<String>,
    /// Whether the value is a list.
    pub is_list: bool,
    /// Whether the value may also be a list.
    pub or_list: bool,
    /// Whether a situation may leave it out.
    pub optional: bool,
    /// The other name that may be given in its place.
    pub alternative: Option<String>,
    /// The entries of a map, or of each map of a list.
    pub parts: SheetFields,
    /// The procedure that is given the same as the map, or as each map of a list.
    pub same_as: Option<String>,
}

impl SheetField {
    fn read(value: &YamlNode, reader: &mut YamlReader) -> SheetField {
        let title_parts = [("", "what"), ("by ", "by")].map(|(before, key)| {
            value
                .optional_text_of(key)
                .map(|text| format!("{before}{text}"))
        });
        let mut field = SheetField {
            title: title_parts
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", "),
            ..SheetField::default()
        };
        field.constraint.read_keys(value, reader);
        field.key_references = value.texts_of("keys");
        field
    }

    /// Describes the value: "a list, each the name of a piece".
    pub fn describe(&self) -> String {
        let item = match (self.parts.is_empty(), &self.key_references[..]) {
            _ if self.same_as.is_some() => format!(
                "what {} is given",
                self.same_as.as_deref().unwrap_or_default()
            ),
            (false, _) => format!(
                "{{ {} }}",
                self.parts.keys().cloned().collect::<Vec<_>>().join(", ")
            ),
            (true, []) => self.constraint.describe(),
            (true, keys) => format!(
                "names of a {}, for each {}",
                keys.join(" or "),
                self.constraint.describe()
            ),
        };
        if self.is_list {
            format!("a list, each {item}")
        } else {
            item
        }
    }

    /// Returns whether a text or number can stand for the value, or for one of a list.
    pub fn takes_scalars(&self) -> bool {
        let map = !self.parts.is_empty() || self.same_as.is_some();
        self.key_references.is_empty() && (!map || self.constraint != ValueConstraint::default())
    }

    /// Returns whether the value is true or false.
    pub fn is_flag(&self) -> bool {
        self.constraint.words == ["true", "false"]
    }

    /// Widens the field to the values that another use of its name allows.
    fn widen(&mut self, other: &SheetField) {
        let (merged, added) = (&mut self.constraint, &other.constraint);
        // Without a constraint any text is allowed.
        merged.any_text |= *merged == ValueConstraint::default()
            || *added == ValueConstraint::default()
            || added.any_text;
        merged.bands.extend(added.bands.iter().cloned());
        merged.words.extend(
            added
                .words
                .iter()
                .filter(|word| !merged.words.contains(word))
                .cloned()
                .collect::<Vec<_>>(),
        );
        merged.references.extend(
            added
                .references
                .iter()
                .filter(|name| !merged.references.contains(name))
                .cloned()
                .collect::<Vec<_>>(),
        );
    }
}

/// Fields of a sheet by name.
pub type SheetFields = BTreeMap<String, SheetField>;

/// Name of what a situation passes to its procedure, declared on the card of the case that carries the procedure out.
pub const GIVEN: &str = "given";

/// Parses the sheets of a manifest.
pub fn read_sheets(node: &YamlNode, reader: &mut YamlReader) -> BTreeMap<String, SheetFields> {
    let mut sheets = BTreeMap::new();
    for (name, fields) in node.entries() {
        let mut sheet = SheetFields::new();
        for (key, value) in fields.entries() {
            sheet.insert(key.text_or_empty().into(), SheetField::read(value, reader));
        }
        sheets.insert(name.text_or_empty().into(), sheet);
    }
    sheets
}

/// Parses `given:` of a card, or `each:` of a name there.
pub fn read_given(node: &YamlNode, reader: &mut YamlReader) -> SheetFields {
    let mut fields = SheetFields::new();
    for (key, value) in node.entries() {
        let mut field = SheetField::read(value, reader);
        field.or_list = value.text_of("list") == "either";
        field.is_list = value.is_set("list");
        field.optional = value.is_set("optional");
        if value.is_set("flag") {
            field.constraint.words = vec!["true".into(), "false".into()];
        }
        field.alternative = value.optional_text_of("or");
        field.parts = value
            .get("each")
            .map(|n| read_given(n, reader))
            .unwrap_or_default();
        field.same_as = value.optional_text_of("each");
        fields.insert(key.text_or_empty().into(), field);
    }
    for (key, value) in node.entries() {
        let Some(alternative) = value.get("or").filter(|alternative| {
            alternative
                .as_text()
                .is_none_or(|name| !fields.contains_key(name))
        }) else {
            continue;
        };
        let name = alternative.as_text().unwrap_or_default();
        let message = did_you_mean(
            format!("nothing here is called `{name}`"),
            name,
            fields.keys().map(String::as_str),
        );
        let help = format!(
            "`or:` names what a situation may give instead of `{}`",
            key.text_or_empty()
        );
        reader.complain(DiagnosticCode::UnknownName, alternative.span, message, help);
    }
    fields
}

/// Adds the fields of one declaration to those of others, where a name may have several meanings; entries of maps are added too.
pub fn widen_fields(fields: &mut SheetFields, added: &SheetFields) {
    for (name, field) in added {
        fields
            .entry(name.clone())
            .and_modify(|existing| existing.widen(field))
            .or_insert_with(|| field.clone());
        widen_fields(fields, &field.parts);
    }
}
