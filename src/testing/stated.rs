//! Parses the odds that a test states.

use crate::complaint::{DiagnosticCode, Span};
use crate::data::yaml::{YamlNode, YamlReader, YamlValue};
use crate::notation::stated::StatedNumber;

/// A chance that a test states.
#[derive(Clone, Debug)]
pub struct StatedChance {
    /// The outcome and its position.
    pub outcome: (String, Span),
    /// The value of the outcome; `mean` for the mean.
    pub value: String,
    /// The expected chance.
    pub chance: StatedNumber,
    /// The position of the chance.
    pub span: Span,
}

/// Parses `{ winner: { Red: 1/2 }, retreat: 1/3 }`.
pub fn read_stated_odds(node: &YamlNode, reader: &mut YamlReader) -> Vec<StatedChance> {
    let mut found = Vec::new();
    for (key, value) in node.entries() {
        let outcome = (key.as_text().unwrap_or_default().to_string(), key.span);
        match &value.value {
            // A chance without a value is that of `yes`.
            YamlValue::Scalar(..) => {
                found.extend(read_stated_number(value, reader).map(|chance| (outcome, "yes".to_string(), chance, value.span)))
            }
            YamlValue::Map(list) => {
                for (name, value) in list {
                    let name = name.as_text().unwrap_or_default().to_string();
                    found.extend(read_stated_number(value, reader).map(|chance| (outcome.clone(), name, chance, value.span)));
                }
            }
            YamlValue::List(_) => reader.complain(
                DiagnosticCode::Shape,
                value.span,
                "an outcome has values, each with its chance",
                "write `winner: { Red: 1/2, Blue: 1/2 }`",
            ),
        }
    }
    found.into_iter().map(|(outcome, value, chance, span)| StatedChance { outcome, value, chance, span }).collect()
}

fn read_stated_number(node: &YamlNode, reader: &mut YamlReader) -> Option<StatedNumber> {
    // A fraction needs no quotes, because no other type is valid here.
    let text = node.as_text().unwrap_or_default().to_string();
    let stated = StatedNumber::parse(&text);
    if stated.is_none() {
        let help = "write a fraction such as 5/12, which holds exactly, or per cent such as 41.7 % or a decimal such as \"0.417\", which hold as rounded";
        reader.complain(DiagnosticCode::Number, node.span, format!("`{text}` is no chance"), help);
    }
    stated
}
