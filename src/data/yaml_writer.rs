//! Data written as YAML the way people write it by hand: a line for each entry, quotes only where a reader would take a word for something else.

use serde_json::{Map, Value};

/// A file: a line for each key; lists, and maps of maps, a line for each entry.
pub fn write_file(root: &Map<String, Value>) -> String {
    let mut out = String::new();
    root.iter().for_each(|(key, value)| write_entry(key, value, 0, &mut out));
    out
}

fn write_entry(key: &str, value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    out.push_str(&format!("{indent}{}:", write_key(key)));
    match value {
        Value::Array(list) if list.iter().any(|item| item.is_object()) => {
            out.push('\n');
            list.iter().for_each(|item| out.push_str(&format!("{indent}  - {}\n", write_inline(item))));
        }
        Value::Object(map) if map.len() > MAX_INLINE_ENTRIES || map.values().any(|item| item.is_object()) => {
            out.push('\n');
            map.iter().for_each(|(key, item)| write_entry(key, item, depth + 1, out));
        }
        other => out.push_str(&format!(" {}\n", write_inline(other))),
    }
}

/// A value within a line.
pub fn write_inline(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".into(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => write_scalar(text),
        Value::Array(list) => format!("[{}]", list.iter().map(write_inline).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".into(),
        Value::Object(map) => {
            format!(
                "{{ {} }}",
                map.iter().map(|(key, value)| format!("{}: {}", write_key(key), write_inline(value))).collect::<Vec<_>>().join(", ")
            )
        }
    }
}

/// Entries that stand in one line, at most, where nothing else speaks for it.
const MAX_INLINE_ENTRIES: usize = 6;

/// A key: it is read as it stands, whatever it means as a value.
fn write_key(key: &str) -> String {
    if RESERVED_WORDS.contains(&key) { key.into() } else { write_scalar(key) }
}

/// Words that mean something else without quotes.
const RESERVED_WORDS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// A text, in quotes where it has to be. What stands in quotes is written as JSON writes it, which YAML reads alike.
pub fn write_scalar(text: &str) -> String {
    let simple = |c: char| c.is_alphanumeric() || " ._-'()/".contains(c);
    let plain = text.starts_with(char::is_alphabetic)
        && text.chars().all(simple)
        && !text.ends_with([' ', '.'])
        && !RESERVED_WORDS.contains(&text.to_lowercase().as_str());
    if plain { text.into() } else { Value::from(text).to_string() }
}
