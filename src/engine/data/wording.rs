//! Display wording of figures: the words that the manifest declares for an attribute or a track.

use crate::complaint::DiagnosticCode;
use crate::data::yaml::{YamlNode, YamlReader};

/// Templates around a figure, `{}` being its position; an optional second template is for numbers below 0, shown without sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording(pub Vec<String>);

/// Kind of value that is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worded {
    /// A set flag, which has no figure to show.
    Flag,
    /// A number, possibly negative.
    Number,
    /// A word, or several.
    Word,
}

impl Wording {
    /// Parses a wording; complains if it omits the figure.
    pub fn read(node: &YamlNode, worded: Worded, reader: &mut YamlReader) -> Option<Wording> {
        let node = node.get("wording")?;
        let texts = node.texts();
        let flag = worded == Worded::Flag;
        for (item, text) in node.items().iter().zip(&texts) {
            let count = text.matches("{}").count();
            if flag && count > 0 {
                let message = format!("`{text}` has a `{{}}`, and a flag has nothing to put there");
                reader.complain(
                    DiagnosticCode::Line,
                    item.span,
                    message,
                    "write the words for a flag that is set: \"under fire\"",
                );
            } else if !flag && count != 1 {
                let message = format!(
                    "`{text}` has {} where the figure goes",
                    if count == 0 {
                        "no `{}`"
                    } else {
                        "more than one `{}`"
                    }
                );
                reader.complain(
                    DiagnosticCode::Line,
                    item.span,
                    message,
                    "write `{}` once, where the figure goes: \"for {} points\"",
                );
            }
        }
        let max_texts = if worded == Worded::Number { 2 } else { 1 };
        if texts.is_empty() || texts.len() > max_texts {
            let help = "write one; for a number two, the second for what is below 0";
            reader.complain(
                DiagnosticCode::Line,
                node.span,
                format!("there are {} wordings here", texts.len()),
                help,
            );
        }
        Some(Wording(texts)).filter(|wording| !wording.0.is_empty())
    }
}
