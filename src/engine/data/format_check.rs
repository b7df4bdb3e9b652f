//! Checks a document by its format: the shapes, required and unknown keys, words, numbers, and names. Readers take the values of a checked
//! document; where one is wrong, they find none.

use crate::complaint::{Defect, DiagnosticCode, Fix, did_you_mean, nearest_names};
use crate::data::format::{FieldType, FileFormat, NumberRange};
use crate::data::node::flag_value;
use crate::data::reference_kind::ReferenceKind;
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::notation::Face;

/// Number of unknown keys among which a missing one is looked for, misspelt.
const MAX_MISSPELT: usize = 100;

/// Says what is wrong with a text that must be a name of a kind; `None` if it is one, or if that is checked elsewhere.
pub type NameCheck<'a> = &'a dyn Fn(ReferenceKind, &str) -> Option<Defect>;

impl YamlReader<'_> {
    /// Complains of everything in a document that its format does not allow, except of names.
    pub fn check(&mut self, root: &YamlNode, format: &'static FileFormat) {
        self.check_value(root, FieldType::Object(format));
    }

    /// Complains of everything in a value that its type does not allow, except of names.
    pub fn check_value(&mut self, node: &YamlNode, field_type: FieldType) {
        match field_type {
            FieldType::Any => {}
            FieldType::Object(format) => self.check_object(node, format),
            FieldType::ListOf(item_type) => node
                .items()
                .iter()
                .for_each(|item| self.check_value(item, *item_type)),
            FieldType::Map(key_type, value_type) => match &node.value {
                YamlValue::Map(entries) => {
                    for (key, value) in entries {
                        self.check_value(key, *key_type);
                        self.check_value(value, *value_type);
                    }
                }
                _ if node.as_text() == Some("") => {}
                // A list or word in place of author-chosen names would be silently ignored.
                _ => {
                    let message =
                        format!("this part takes names and values, not {}", node.describe());
                    self.complain(
                        DiagnosticCode::Shape,
                        node.span,
                        message,
                        format!("write {}", field_type.describe()),
                    );
                }
            },
            FieldType::AnyOf(list) => self.check_value(node, chosen(list, node)),
            _ => match node.as_text() {
                None => {
                    let message = format!("this key takes a single value, not {}", node.describe());
                    let help = "write one number, word or text; in quotes where it has signs of YAML in it";
                    self.complain(DiagnosticCode::Shape, node.span, message, help);
                }
                Some(text) => {
                    if let Some(defect) = scalar_fault(text, field_type) {
                        self.report(node.span, defect);
                    }
                }
            },
        }
    }

    fn check_object(&mut self, node: &YamlNode, format: &'static FileFormat) {
        let YamlValue::Map(entries) = &node.value else {
            return self.check_keys(node, &format.key_names());
        };
        if format.extra_keys.is_empty() {
            self.check_keys(node, &format.key_names());
        }
        for key in format.keys {
            if let Some(code) = key.required.filter(|_| node.entry(key.name).is_none()) {
                self.complain_missing(node, key.name, code);
            }
        }
        for (key, value) in entries {
            if let Some(key) = format.key(key.text_or_empty()).filter(|key| !key.is_apart) {
                self.check_value(value, key.field_type);
            }
        }
    }

    /// Complains of a key that states another name than that of its file or folder; `written` is the name as it is written there.
    pub fn check_stated_name(
        &mut self,
        root: &YamlNode,
        key: &str,
        (place, name, written): (&str, &str, &str),
    ) {
        let stated = root.get(key).map(|node| (node, node.text_or_empty()));
        if let Some((node, stated)) = stated.filter(|(_, stated)| *stated != name) {
            let message = format!("the {place} is called `{name}`, the {key} `{stated}`");
            let help = format!("write `{key}: {written}`, or rename the {place}");
            self.complain_with_fix(DiagnosticCode::Name, node.span, message, help, written);
        }
    }

    /// Complains of reconstructed figures without a method by which they were made.
    pub fn check_method(&mut self, root: &YamlNode, is_reconstructed: bool) {
        if is_reconstructed && root.text_of("method").is_empty() {
            self.complain(
                DiagnosticCode::Method,
                root.span,
                "this file has reconstructed figures and states no method",
                "say under `method:` how the figures were made",
            );
        }
    }

    /// Complains of a key that is missing, unless a misspelt form of it is there, which is reported with its suggestion.
    pub fn complain_missing(&mut self, node: &YamlNode, key: &str, code: DiagnosticCode) {
        let is_misspelt = |(found, _): &(YamlNode, YamlNode)| {
            self.reported_nodes.contains(&found.span)
                && !nearest_names(found.text_or_empty(), [key]).is_empty()
        };
        if !node.entries().iter().take(MAX_MISSPELT).any(is_misspelt) {
            self.complain(
                code,
                node.span,
                format!("`{key}:` is missing"),
                format!("add a line `{key}: ...`"),
            );
        }
    }

    /// Complains of unknown keys, and of a node that is not a map.
    pub fn check_keys(&mut self, node: &YamlNode, keys: &[&str]) {
        let YamlValue::Map(entries) = &node.value else {
            if self.reported_nodes.insert(node.span) {
                let message = format!("this part takes keys and values, not {}", node.describe());
                self.complain(
                    DiagnosticCode::Shape,
                    node.span,
                    message,
                    format!("use one of these keys: {}", keys.join(", ")),
                );
            }
            return;
        };
        for (key, _) in entries {
            let name = key.text_or_empty();
            if keys.contains(&name) {
                continue;
            }
            self.reported_nodes.insert(key.span);
            self.push(|reader| {
                // `column "1:1"` is one word to YAML.
                let missing_colon = keys
                    .iter()
                    .find_map(|key| Some((key, name.strip_prefix(key)?.strip_prefix(' ')?)));
                if let Some((known_key, value)) = missing_colon {
                    let mended = format!("{known_key}: {}", value.trim());
                    let help = format!("write `{mended}`");
                    return reader
                        .complaint(
                            DiagnosticCode::UnknownKey,
                            key.span,
                            format!("a colon is missing behind `{known_key}`"),
                        )
                        .with_help(help)
                        .with_fix(Fix::Replace(mended));
                }
                let message = did_you_mean(
                    format!("`{name}` is not a key of this part"),
                    name,
                    keys.iter().copied(),
                );
                let help = format!("use one of these keys: {}", keys.join(", "));
                reader
                    .complaint(DiagnosticCode::UnknownKey, key.span, message)
                    .with_help(help)
            });
        }
    }

    /// Complains of the names in a value that nothing has.
    pub fn check_names(&mut self, node: &YamlNode, field_type: FieldType, unknown: NameCheck) {
        match field_type {
            FieldType::Name(kind) => {
                if let Some(defect) = node.as_text().and_then(|text| unknown(kind, text)) {
                    self.report(node.span, defect);
                }
            }
            FieldType::Object(format) => {
                for (key, value) in node.entries() {
                    if let Some(key) = format.key(key.text_or_empty()).filter(|key| !key.is_apart) {
                        self.check_names(value, key.field_type, unknown);
                    }
                }
            }
            FieldType::ListOf(item_type) => node
                .items()
                .iter()
                .for_each(|item| self.check_names(item, *item_type, unknown)),
            FieldType::Map(key_type, value_type) => {
                for (key, value) in node.entries() {
                    self.check_names(key, *key_type, unknown);
                    self.check_names(value, *value_type, unknown);
                }
            }
            FieldType::AnyOf(list) => self.check_names(node, chosen(list, node), unknown),
            _ => {}
        }
    }
}

/// Returns whether a value is what its type allows, apart from names.
pub fn fits(node: &YamlNode, field_type: FieldType) -> bool {
    let mut reader = YamlReader::new("", "");
    reader.check_value(node, field_type);
    reader.complaints.0.is_empty()
}

/// Returns the type that a value has of several: one that allows it, or the first that its form points to. A map points to a format whose
/// first key it has; failing that, to any.
pub fn chosen(list: &[FieldType], node: &YamlNode) -> FieldType {
    let fitting = list.iter().find(|field_type| fits(node, **field_type));
    let pointed_to = |any_map| {
        list.iter()
            .find(|field_type| is_pointed_to(node, **field_type, any_map))
    };
    fitting
        .or_else(|| pointed_to(false))
        .or_else(|| pointed_to(true))
        .or(list.first())
        .copied()
        .unwrap_or(FieldType::Any)
}

fn is_pointed_to(node: &YamlNode, field_type: FieldType, any_map: bool) -> bool {
    let is_map = matches!(node.value, YamlValue::Map(_));
    match field_type {
        FieldType::Any => true,
        FieldType::Object(format) => {
            is_map
                && (any_map
                    || format
                        .keys
                        .first()
                        .is_some_and(|key| node.entry(key.name).is_some()))
        }
        FieldType::Map(..) => is_map,
        FieldType::ListOf(item_type) => {
            matches!(node.value, YamlValue::List(_)) || is_pointed_to(node, *item_type, any_map)
        }
        FieldType::AnyOf(list) => list
            .iter()
            .any(|field_type| is_pointed_to(node, *field_type, any_map)),
        _ => node.as_text().is_some(),
    }
}

/// Returns what is wrong with a single value.
fn scalar_fault(text: &str, field_type: FieldType) -> Option<Defect> {
    match field_type {
        FieldType::Title if text.trim().is_empty() => Some(Defect::new(
            DiagnosticCode::MissingKey,
            "`title:` says nothing",
            "write what it is called",
        )),
        FieldType::Number(range) => number_fault(text, range),
        FieldType::Flag if flag_value(text).is_none() => Some(Defect::new(
            DiagnosticCode::Flag,
            format!("`{text}` is neither true nor false"),
            "write true or false",
        )),
        FieldType::Face => {
            let message = text.parse::<Face>().err()?;
            Some(Defect::new(
                DiagnosticCode::Notation,
                message,
                "write each die singly, as it shows: 3, 5 or hit, miss",
            ))
        }
        FieldType::OneOf(list) if !list.words.contains(&text) => {
            let message = did_you_mean(
                format!("`{text}` is not a {}", list.noun),
                text,
                list.words.iter().copied(),
            );
            Some(Defect::new(
                list.code,
                message,
                format!("write one of: {}", list.words.join(", ")),
            ))
        }
        _ => None,
    }
}

fn number_fault(text: &str, range: NumberRange) -> Option<Defect> {
    let NumberRange { from, to, code } = range;
    let is_open = to >= i128::from(i64::MAX);
    match text.parse::<i128>() {
        Ok(number) if (from..=to).contains(&number) => None,
        Ok(_) if !is_open => {
            let message = format!("`{text}` is not a whole number from {from} to {to}");
            Some(Defect::new(
                code,
                message,
                format!("write a whole number from {from} to {to}"),
            ))
        }
        _ if text.trim().is_empty() => {
            let message = "this key has no value; it takes a whole number";
            Some(Defect::new(
                DiagnosticCode::Number,
                message,
                "write a whole number",
            ))
        }
        _ => {
            let from_zero = if from == 0 && is_open {
                " from 0 up"
            } else {
                ""
            };
            let help = if text.contains([',', '.']) {
                "write a whole number: a percentage without its sign, and no decimal point"
            } else {
                "write a whole number"
            };
            Some(Defect::new(
                DiagnosticCode::Number,
                format!("`{text}` is not a whole number{from_zero}"),
                help,
            ))
        }
    }
}
