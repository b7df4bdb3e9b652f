//! Form fields for the attributes of a situation, with their values from its file.

use casebook_engine::data::manifest::AttributeType;
use casebook_engine::data::places::bounds_in_words;
use casebook_engine::data::wording::Wording;
use casebook_engine::data::yaml::{YamlNode, YamlValue as Tree};
use casebook_engine::data::yaml_writer::write_quoted;
use maud::{Markup, html};

/// Formats a YAML node in flow style, on one line.
pub fn inline_yaml(node: &YamlNode) -> String {
    match &node.value {
        Tree::Scalar(text, _)
            if !text.is_empty() && !text.contains([',', ':', '[', ']', '{', '}', '"', '\'']) =>
        {
            text.to_string()
        }
        Tree::Scalar(text, _) => write_quoted(text),
        Tree::List(list) => format!(
            "[{}]",
            list.iter().map(inline_yaml).collect::<Vec<_>>().join(", ")
        ),
        Tree::Map(entries) => {
            format!(
                "{{ {} }}",
                entries
                    .iter()
                    .map(|(k, v)| format!("{}: {}", inline_yaml(k), inline_yaml(v)))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
    }
}

/// The words around the field of a figure.
pub struct FigureWords {
    before: String,
    after: String,
}

impl FigureWords {
    /// Takes the words in which the manifest shows a figure, of alternatives those for several; else the name of the figure.
    pub fn new(key: &str, wording: Option<&Wording>) -> FigureWords {
        let named = || FigureWords {
            before: key.replace('_', " "),
            after: String::new(),
        };
        let Some([text]) = wording.map(|wording| &wording.0[..]) else {
            return named();
        };
        let Some((before, after)) = text.split_once("{}") else {
            return FigureWords {
                before: text.clone(),
                after: String::new(),
            };
        };
        let in_plural = |text: &str| {
            let mut plain = String::new();
            for (index, part) in text.split(['{', '}']).enumerate() {
                plain.push_str(match index % 2 {
                    1 => part.rsplit('|').next().unwrap_or_default(),
                    _ => part,
                });
            }
            plain.trim().to_string()
        };
        let words = FigureWords {
            before: in_plural(before),
            after: in_plural(after),
        };
        if words.before.is_empty() && words.after.is_empty() {
            named()
        } else {
            words
        }
    }
}

/// Renders a figure of a piece in words, its field where the words have the figure.
pub fn render_figure(
    piece: &str,
    key: &str,
    (value, plain): (&str, Option<&str>),
    attribute: &AttributeType,
    wording: Option<&Wording>,
) -> Markup {
    let words = FigureWords::new(key, wording);
    html! {
        label.changed[plain.is_some_and(|plain| plain != value)] {
            @if !words.before.is_empty() { span { (words.before) } }
            (render_control(&format!("{piece}: {key}"), value, plain, attribute))
            @if !words.after.is_empty() { span { (words.after) } }
        }
    }
}

/// Renders a field for one attribute, under its name. `plain` holds the value of the situation's file, which the form need not send.
pub fn render_field(
    target: &str,
    key: &str,
    value: &str,
    plain: Option<&str>,
    attribute: &AttributeType,
) -> Markup {
    html! {
        label.changed[plain.is_some_and(|plain| plain != value)] {
            span { (key.replace('_', " ")) }
            (render_control(&format!("{target}: {key}"), value, plain, attribute))
        }
    }
}

fn render_control(
    figure: &str,
    value: &str,
    plain: Option<&str>,
    attribute: &AttributeType,
) -> Markup {
    let name = format!("set:{figure}");
    html! {
        @match attribute {
            AttributeType::Number(unit, _, bounds) => {
                input type="number" min=[(bounds.low > i64::MIN).then_some(bounds.low)] max=[(bounds.high < i64::MAX).then_some(bounds.high)] name=(name) value=(value) data-plain=[plain]
                    title={ (bounds_in_words(bounds)) @if !unit.is_empty() { ", in " (unit) } };
            },
            AttributeType::Flag => select name=(name) data-plain=[plain] {
                option value="true" selected[value == "true"] { "yes" }
                option value="false" selected[value != "true"] { "no" }
            },
            AttributeType::Word(words, _) if words.iter().any(|word| word == value) => select name=(name) data-plain=[plain] {
                @for word in words { option value=(word) selected[word == value] { (word) } }
            },
            _ => input name=(name) value=(value) data-plain=[plain] list=[figure.ends_with(": at").then_some("place-names")];,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_in_the_words_of_the_manifest() {
        let words = |texts: &[&str]| {
            let wording = Wording(texts.iter().map(|text| text.to_string()).collect());
            let FigureWords { before, after } = FigureWords::new("corn_left", Some(&wording));
            (before, after)
        };
        let pair = |before: &str, after: &str| (before.to_string(), after.to_string());
        assert_eq!(words(&["corn {}"]), pair("corn", ""));
        assert_eq!(words(&["{} corn {sack|sacks}"]), pair("", "corn sacks"));
        assert_eq!(words(&["over there"]), pair("over there", ""));
        assert_eq!(words(&["{}"]), pair("corn left", ""));
        assert_eq!(words(&["{} sown", "{} reaped"]), pair("corn left", ""));
    }
}
