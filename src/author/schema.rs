//! JSON Schemas of the file formats, for editors with a YAML language server.

use crate::author::given_schema;
use crate::data::format::scenario::SITUATION;
use crate::data::format::{FILE_FORMATS, FieldKey, FieldType, FileFormat};
use crate::data::library::Library;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the schemas, below the data folder.
pub const SCHEMA_FOLDER: &str = ".casebook";

/// Returns the formats that are YAML files of their own.
pub fn file_formats() -> impl Iterator<Item = &'static FileFormat> {
    FILE_FORMATS.into_iter().filter(|format| !matches!(format.name, "case" | "test"))
}

/// Returns the schema of a format, including the definitions of its parts.
pub fn schema(format: &FileFormat) -> Value {
    let mut parts = Map::new();
    let mut whole = object_schema(format, &mut parts);
    whole["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    whole["title"] = json!(format!("{}: {}", format.name, format.location));
    whole["definitions"] = Value::Object(parts);
    whole
}

fn object_schema(format: &FileFormat, parts: &mut Map<String, Value>) -> Value {
    let properties: Map<String, Value> = format.keys.iter().map(|key| (key.name.to_string(), property_schema(key, parts))).collect();
    let needed: Vec<&str> = format.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({ "type": "object", "description": format.description, "properties": properties, "required": needed,
        "additionalProperties": !format.extra_keys.is_empty() })
}

/// Returns a reference to the schema of a part and defines it once, because parts may be recursive.
fn part_schema(format: &FileFormat, parts: &mut Map<String, Value>) -> Value {
    // A reference is a URI, in which no space may stand.
    let name = format.name.replace(' ', "-");
    if !parts.contains_key(&name) {
        parts.insert(name.clone(), Value::Null);
        let laid_out = object_schema(format, parts);
        parts.insert(name.clone(), laid_out);
    }
    json!({ "$ref": format!("#/definitions/{name}") })
}

fn property_schema(key: &FieldKey, parts: &mut Map<String, Value>) -> Value {
    let mut schema = field_schema(key.field_type, parts);
    // JSON Schema draft 7 ignores the siblings of `$ref`, so the reference goes into `allOf`.
    if schema.get("$ref").is_some() {
        schema = json!({ "allOf": [schema] });
    }
    schema["description"] = json!(key.description);
    schema
}

fn field_schema(holds: FieldType, parts: &mut Map<String, Value>) -> Value {
    // YAML may parse a name as a number or a boolean, so a text accepts these too.
    let text = || json!({ "type": ["string", "integer", "boolean"] });
    let one_or_more = |one: Value| json!({ "oneOf": [one, { "type": "array", "items": one }] });
    match holds {
        FieldType::Text => text(),
        FieldType::Number => json!({ "type": "integer" }),
        FieldType::Flag => json!({ "enum": [true, false, "on", "off", "yes", "no"] }),
        FieldType::Texts => one_or_more(text()),
        FieldType::OneOf(words) => json!({ "enum": words }),
        FieldType::SomeOf(words) => one_or_more(json!({ "enum": words })),
        FieldType::Object(format) => part_schema(format, parts),
        FieldType::Objects(format) => one_or_more(part_schema(format, parts)),
        FieldType::NamedObjects(format) => json!({ "type": "object", "additionalProperties": part_schema(format, parts) }),
        FieldType::NamedValues => json!({ "type": "object" }),
        FieldType::NamedEach(holds) => json!({ "type": "object", "additionalProperties": field_schema(*holds, parts) }),
        FieldType::AnyOf(list) => {
            // A map with the first key of a specific format has that format and is no map of arbitrary names.
            let own = holds.object_format().and_then(|format| Some(json!({ "required": [format.keys.first()?.name] })));
            let one = |one: &FieldType| {
                let mut schema = field_schema(*one, parts);
                if let (FieldType::NamedEach(_), Some(own)) = (one, &own) {
                    schema["not"] = own.clone();
                }
                schema
            };
            json!({ "anyOf": list.iter().map(one).collect::<Vec<_>>() })
        }
        FieldType::Any => json!({}),
    }
}

/// Returns the comment line that links a file to its schema; `key` is the path of the file below the data folder.
pub fn editor_line(format: &FileFormat, key: &str) -> String {
    let up = "../".repeat(key.matches('/').count());
    format!("# yaml-language-server: $schema={up}{SCHEMA_FOLDER}/{}.json\n", format.name)
}

/// Returns all schemas with their paths; that of situations says what each procedure of the library is given.
pub fn schema_files(root: &Path, library: &Arc<Library>) -> Vec<(PathBuf, String)> {
    let text = |format: &'static FileFormat| {
        let mut schema = schema(format);
        if format.name == SITUATION.name {
            given_schema::add_procedures(&mut schema, library);
        }
        format!("{schema:#}\n")
    };
    let path = |format: &FileFormat| root.join(SCHEMA_FOLDER).join(format!("{}.json", format.name));
    file_formats().map(|format| (path(format), text(format))).collect()
}
