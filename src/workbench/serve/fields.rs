//! Form fields for the attributes of a situation, with their values from its file.

use casebook_engine::data::manifest::AttributeType;
use casebook_engine::data::yaml::{YamlNode, YamlValue as Tree};
use maud::{Markup, html};

/// Formats a YAML node in flow style, on one line.
pub fn inline_yaml(node: &YamlNode) -> String {
    match &node.value {
        Tree::Scalar(text, _)
            if !text.is_empty() && !text.contains([',', ':', '[', ']', '{', '}', '"', '\'']) =>
        {
            text.to_string()
        }
        Tree::Scalar(text, _) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
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

/// Renders checkboxes for unset flags.
pub fn flag_fields(piece: &str, unset: &[&str]) -> Markup {
    html! {
        @if !unset.is_empty() {
            details.flags {
                summary { "Flags" }
                div.fields { @for key in unset { (render_field(piece, key, "false", Some("false"), &AttributeType::Flag)) } }
            }
        }
    }
}

/// Renders a field for one attribute. `data-plain` holds the value of the situation's file, which the form need not send.
pub fn render_field(
    target: &str,
    key: &str,
    value: &str,
    plain: Option<&str>,
    attribute: &AttributeType,
) -> Markup {
    let name = format!("set:{target}: {key}");
    let label = key.replace('_', " ");
    html! {
        label.changed[plain.is_some_and(|plain| plain != value)] {
            span { (label) }
            @match attribute {
                AttributeType::Number(unit, _, least) => input type="number" min=(least) name=(name) value=(value) data-plain=[plain] title=[Some(unit).filter(|unit| !unit.is_empty())];,
                AttributeType::Flag => select name=(name) data-plain=[plain] {
                    option value="true" selected[value == "true"] { "yes" }
                    option value="false" selected[value != "true"] { "no" }
                },
                AttributeType::Word(words, _) if words.iter().any(|word| word == value) => select name=(name) data-plain=[plain] {
                    @for word in words { option value=(word) selected[word == value] { (word) } }
                },
                _ => input name=(name) value=(value) data-plain=[plain];,
            }
        }
    }
}
