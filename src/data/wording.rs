//! How a figure reads for a person: the words that the manifest gives an attribute or a track.

use crate::data::yaml::{YamlNode, YamlReader};

/// The words around a figure, `{}` standing for it; where there are two, the second is for numbers below 0, without their sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording(pub Vec<String>);

/// What is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worded {
    /// A flag that is set: there is no figure to show.
    Flag,
    /// A number, which may be below 0.
    Number,
    /// A word, or several.
    Word,
}

impl Wording {
    /// Reads a wording. Complains of one that leaves the figure out.
    pub fn read(node: &YamlNode, of: Worded, reader: &mut YamlReader) -> Option<Wording> {
        let node = node.get("wording")?;
        let texts = reader.texts(node);
        let flag = of == Worded::Flag;
        for (item, text) in node.items().iter().zip(&texts) {
            let count = text.matches("{}").count();
            if flag && count > 0 {
                let what = format!("`{text}` has a `{{}}`, and a flag has nothing to put there");
                reader.complain("line", item.span, what, "write what is so where the flag is set: \"under fire\"");
            } else if !flag && count != 1 {
                let what = format!("`{text}` has {} where the figure goes", if count == 0 { "no `{}`" } else { "more than one `{}`" });
                reader.complain("line", item.span, what, "write `{}` once, where the figure is to stand: \"for {} points\"");
            }
        }
        let most = if of == Worded::Number { 2 } else { 1 };
        if texts.is_empty() || texts.len() > most {
            let help = "write one; for a number two, the second for what is below 0";
            reader.complain("line", node.span, format!("{} wordings stand here", texts.len()), help);
        }
        Some(Wording(texts)).filter(|wording| !wording.0.is_empty())
    }
}
