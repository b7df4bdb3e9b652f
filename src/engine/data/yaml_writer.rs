//! Writes data as YAML in handwritten style: one line per entry, quotes only where a plain scalar would change its meaning.

use crate::data::yaml::{YamlNode, YamlValue};
use serde_json::{Map, Value};

/// Writes a file: one line per key; lists and maps of maps take one line per entry.
pub fn write_file(root: &Map<String, Value>) -> String {
    let mut out = String::new();
    root.iter()
        .for_each(|(key, value)| write_entry(key, value, 0, &mut out));
    out
}

fn write_entry(key: &str, value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    out.push_str(&format!("{indent}{}:", write_key(key)));
    match value {
        Value::Array(list) if list.iter().any(|item| item.is_object()) => {
            out.push('\n');
            list.iter()
                .for_each(|item| out.push_str(&format!("{indent}  - {}\n", write_inline(item))));
        }
        Value::Object(map)
            if map.len() > MAX_INLINE_ENTRIES || map.values().any(|item| item.is_object()) =>
        {
            out.push('\n');
            map.iter()
                .for_each(|(key, item)| write_entry(key, item, depth + 1, out));
        }
        other => out.push_str(&format!(" {}\n", write_inline(other))),
    }
}

/// Writes a value in flow style.
pub fn write_inline(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".into(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => write_scalar(text),
        Value::Array(list) => format!(
            "[{}]",
            list.iter().map(write_inline).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(map) if map.is_empty() => "{}".into(),
        Value::Object(map) => {
            format!(
                "{{ {} }}",
                map.iter()
                    .map(|(key, value)| format!("{}: {}", write_key(key), write_inline(value)))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
    }
}

/// Maximum number of entries on one line without another reason to break.
const MAX_INLINE_ENTRIES: usize = 6;

/// Writes a key; a key is always read as text.
pub fn write_key(key: &str) -> String {
    if RESERVED_WORDS.contains(&key) {
        key.into()
    } else {
        write_scalar(key)
    }
}

/// Words that YAML readers convert if unquoted.
const RESERVED_WORDS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// Writes a text, in quotes if necessary.
pub fn write_scalar(text: &str) -> String {
    let simple = |c: char| c.is_alphanumeric() || " ._-'()/".contains(c);
    let plain = text.starts_with(char::is_alphabetic)
        && text.chars().all(simple)
        && !text.ends_with([' ', '.'])
        && !RESERVED_WORDS.contains(&text.to_lowercase().as_str());
    if plain {
        text.into()
    } else {
        write_quoted(text)
    }
}

/// Writes a text in quotes; JSON strings are valid YAML.
pub fn write_quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Writes a figure, a label or dice: whole numbers and 2d6 without quotes, all else as any text.
pub fn write_figure(text: &str) -> String {
    let is_number = text
        .parse::<u32>()
        .is_ok_and(|number| number.to_string() == text);
    let is_dice = text.contains('d') && text.chars().all(|c| c == 'd' || c.is_ascii_digit());
    if is_number || is_dice && text.len() > 1 {
        text.into()
    } else {
        write_scalar(text)
    }
}

/// Writes figures as a list.
pub fn write_list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| write_figure(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// Writes a value on one line, as a file has it.
pub fn write_flow(node: &YamlNode) -> String {
    let pair =
        |(key, value): &(YamlNode, YamlNode)| format!("{}: {}", write_flow(key), write_flow(value));
    match &node.value {
        YamlValue::Scalar(text, true) if !text.contains([',', '[', ']', '{', '}']) => text.clone(),
        YamlValue::Scalar(text, _) => write_quoted(text),
        YamlValue::List(items) => {
            let items: Vec<String> = items.iter().map(write_flow).collect();
            format!("[{}]", items.join(", "))
        }
        YamlValue::Map(entries) => {
            let pairs: Vec<String> = entries.iter().map(pair).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}
