//! The formats as JSON Schemas, for editors with a YAML server.

use crate::data::format::{FILES, Format, Holds, Key};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Where schemas are laid out, below the folder of the data.
pub const FOLDER: &str = ".casebook";

/// The formats that are YAML files of their own.
pub fn files() -> impl Iterator<Item = &'static Format> {
    FILES.into_iter().filter(|format| !matches!(format.name, "case" | "test"))
}

/// The schema of a format, with those of its parts.
pub fn schema(format: &Format) -> Value {
    let mut parts = Map::new();
    let mut whole = object(format, &mut parts);
    whole["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    whole["title"] = json!(format!("{}: {}", format.name, format.place));
    whole["definitions"] = Value::Object(parts);
    whole
}

fn object(format: &Format, parts: &mut Map<String, Value>) -> Value {
    let properties: Map<String, Value> = format.keys.iter().map(|key| (key.name.to_string(), property(key, parts))).collect();
    let needed: Vec<&str> = format.keys.iter().filter(|key| key.needed).map(|key| key.name).collect();
    json!({ "type": "object", "description": format.does, "properties": properties, "required": needed,
        "additionalProperties": !format.more.is_empty() })
}

/// A part is laid out once and referred to: parts may hold each other.
fn part(format: &Format, parts: &mut Map<String, Value>) -> Value {
    if !parts.contains_key(format.name) {
        parts.insert(format.name.into(), Value::Null);
        let laid_out = object(format, parts);
        parts.insert(format.name.into(), laid_out);
    }
    json!({ "$ref": format!("#/definitions/{}", format.name) })
}

fn property(key: &Key, parts: &mut Map<String, Value>) -> Value {
    let mut said = held(key.holds, parts);
    // Beside a reference nothing else is read, so it stands one level below.
    if said.get("$ref").is_some() {
        said = json!({ "allOf": [said] });
    }
    said["description"] = json!(key.does);
    said
}

fn held(holds: Holds, parts: &mut Map<String, Value>) -> Value {
    // A number or flag is as good a word as any other: nothing has to stand in quotes for its type.
    let text = || json!({ "type": ["string", "integer", "boolean"] });
    let one_or_more = |one: Value| json!({ "oneOf": [one, { "type": "array", "items": one }] });
    match holds {
        Holds::Text => text(),
        Holds::Number => json!({ "type": "integer" }),
        Holds::Flag => json!({ "enum": [true, false, "on", "off", "yes", "no"] }),
        Holds::Texts => one_or_more(text()),
        Holds::Words(words) => json!({ "enum": words }),
        Holds::Several(words) => one_or_more(json!({ "enum": words })),
        Holds::Keys(format) => part(format, parts),
        Holds::Entries(format) => one_or_more(part(format, parts)),
        Holds::Named(format) => json!({ "type": "object", "additionalProperties": part(format, parts) }),
        Holds::Values => json!({ "type": "object" }),
        Holds::Each(holds) => json!({ "type": "object", "additionalProperties": held(*holds, parts) }),
        Holds::AnyOf(list) => {
            // What has the first key of a form of its own is of that form, and no list of whatever names.
            let own = holds.format().and_then(|format| Some(json!({ "required": [format.keys.first()?.name] })));
            let one = |one: &Holds| {
                let mut said = held(*one, parts);
                if let (Holds::Each(_), Some(own)) = (one, &own) {
                    said["not"] = own.clone();
                }
                said
            };
            json!({ "anyOf": list.iter().map(one).collect::<Vec<_>>() })
        }
        Holds::Any => json!({}),
    }
}

/// The line by which an editor finds the schema of a file, written at the top of it: `key` is the file's path below the data folder.
pub fn line(format: &Format, key: &str) -> String {
    let up = "../".repeat(key.matches('/').count());
    format!("# yaml-language-server: $schema={up}{FOLDER}/{}.json\n", format.name)
}

/// All schemas, as files below the data folder.
pub fn laid_out(root: &Path) -> Vec<(PathBuf, String)> {
    let file = |format: &'static Format| (root.join(FOLDER).join(format!("{}.json", format.name)), format!("{:#}\n", schema(format)));
    files().map(file).collect()
}
