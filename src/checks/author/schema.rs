//! JSON Schemas for editors with a YAML language server: of the file formats, and of what procedures are given, as the cards of their cases
//! declare it.

use casebook_engine::complaint::Error;
use casebook_engine::data::atomic_write::commit;
use casebook_engine::data::change::VALUES_OF;
use casebook_engine::data::constraint::ValueConstraint;
use casebook_engine::data::format::card::VARIANT;
use casebook_engine::data::format::scenario::{
    COMPUTER, DECK_CONTENTS, ENTRY_KEYS, OF_THE_FILE, OF_THE_RULES, SITUATION,
};
use casebook_engine::data::format::{
    FILE_FORMATS, FieldKey, FieldType, FileFormat, change, scenario,
};
use casebook_engine::data::library::Library;
use casebook_engine::data::list_change::{REMOVALS, TARGETS};
use casebook_engine::data::sheet::{GIVEN, SheetField, SheetFields};
use casebook_engine::data::text_file::PlannedChange;
use casebook_engine::notation::Band;
use casebook_engine::ruleset::compose::{Ruleset, RulesetSpec};
use casebook_engine::ruleset::diagnostics;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the schemas, below the data folder.
pub const SCHEMA_FOLDER: &str = ".casebook";

/// Returns the formats that are YAML files of their own.
pub fn file_formats() -> impl Iterator<Item = &'static FileFormat> {
    FILE_FORMATS
        .into_iter()
        .filter(|format| !matches!(format.name, "case" | "test"))
}

/// Returns the schema of a format, including the definitions of its parts.
pub fn schema(format: &FileFormat) -> Value {
    let mut parts = Map::new();
    let mut root = object_schema(format, &mut parts);
    match format.name {
        name if name == SITUATION.name => allow_list_changes(&mut root, &mut parts),
        name if name == VARIANT.name => allow_values(&mut parts),
        _ => {}
    }
    root["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    root["title"] = json!(format!("{}: {}", format.name, format.location));
    root["definitions"] = Value::Object(parts);
    root
}

/// Lets a change stand in place of each value of a list, as in a variant's file for it.
fn allow_list_changes(root: &mut Value, parts: &mut Map<String, Value>) {
    let is_value = |key: &str| !OF_THE_FILE.contains(&key) && !OF_THE_RULES.contains(&key);
    let mut entry = Map::new();
    let properties = root["properties"].as_object_mut().into_iter().flatten();
    for (key, value) in properties.filter(|(key, _)| is_value(key)) {
        // Each piece changes by itself, and each feature of the map.
        if !["pieces", "map"].contains(&&**key) {
            allow_change(value);
        }
        entry.insert(key.clone(), value.clone());
    }
    for format in [&DECK_CONTENTS, &COMPUTER] {
        allow_changes(&mut parts[&part_name(format)]);
    }
    let changed = &mut parts[&part_name(&scenario::CHANGE)];
    for key in ENTRY_KEYS {
        entry.insert(key.into(), changed["properties"][key].clone());
    }
    let values = json!({ "type": "object", "properties": entry, "additionalProperties": false });
    let targets = TARGETS.map(|(key, _)| json!({ "required": [key] }));
    changed["anyOf"] = targets.into_iter().chain([values]).collect();
}

/// Lets a change of a variant's list be one of values, as in a file for a situation.
fn allow_values(parts: &mut Map<String, Value>) {
    let mut lists = schema(&SITUATION);
    let mut rule = parts[&part_name(&change::CHANGE)].take();
    let mut of_list = lists["definitions"][part_name(&scenario::CHANGE)].clone();
    for key in [VALUES_OF, "why"] {
        let property = &rule["properties"][key];
        of_list["properties"][key] = property.clone();
        of_list["anyOf"][TARGETS.len()]["properties"][key] = property.clone();
    }
    of_list["required"] = json!([VALUES_OF]);
    rule["additionalProperties"] = json!(false);
    rule["not"] = json!({ "required": [VALUES_OF] });
    if let Value::Object(definitions) = lists["definitions"].take() {
        parts.extend(definitions);
    }
    parts[&part_name(&change::CHANGE)] = json!({ "anyOf": [rule, of_list] });
}

/// Lets a change stand in place of a value, and of each value below it.
fn allow_change(value: &mut Value) {
    allow_changes(value);
    let now = json!({ "anyOf": [value, { "enum": REMOVALS }] });
    *value = json!({ "description": value["description"].as_str().unwrap_or_default(), "anyOf": [value, {
        "type": "object", "properties": { "was": {}, "now": now }, "required": ["was", "now"], "additionalProperties": false
    }] });
}

/// Lets a change stand in place of each value below a schema.
fn allow_changes(schema: &mut Value) {
    let forms = schema.get_mut("anyOf").and_then(Value::as_array_mut);
    forms.into_iter().flatten().for_each(allow_changes);
    let named = schema.get_mut("properties").and_then(Value::as_object_mut);
    let named = named.into_iter().flat_map(|named| named.values_mut());
    named.for_each(allow_change);
    let others = schema.get_mut("additionalProperties");
    others
        .filter(|others| others.is_object())
        .into_iter()
        .for_each(allow_change);
}

/// Returns the name of the schema of a part: a reference is a URI, in which no space may stand.
fn part_name(format: &FileFormat) -> String {
    format.name.replace(' ', "-")
}

fn object_schema(format: &FileFormat, parts: &mut Map<String, Value>) -> Value {
    let properties: Map<String, Value> = format
        .keys
        .iter()
        .map(|key| (key.name.to_string(), property_schema(key, parts)))
        .collect();
    let needed: Vec<&str> = format
        .keys
        .iter()
        .filter(|key| key.required.is_some())
        .map(|key| key.name)
        .collect();
    json!({ "type": "object", "description": format.description, "properties": properties, "required": needed,
        "additionalProperties": !format.extra_keys.is_empty() })
}

/// Returns a reference to the schema of a part and defines it once, because parts may be recursive.
fn part_schema(format: &FileFormat, parts: &mut Map<String, Value>) -> Value {
    let name = part_name(format);
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
    let one_or_more = |item: Value| json!({ "oneOf": [item, { "type": "array", "items": item }] });
    match holds {
        FieldType::Text | FieldType::Title | FieldType::Face | FieldType::Name(_) => text(),
        FieldType::Number(_) => json!({ "type": "integer" }),
        FieldType::Flag => json!({ "enum": [true, false, "on", "off", "yes", "no"] }),
        FieldType::OneOf(list) => json!({ "enum": list.words }),
        FieldType::Object(format) => part_schema(format, parts),
        FieldType::ListOf(holds) => one_or_more(field_schema(*holds, parts)),
        FieldType::Map(_, FieldType::Any) => json!({ "type": "object" }),
        FieldType::Map(_, holds) => {
            json!({ "type": "object", "additionalProperties": field_schema(*holds, parts) })
        }
        FieldType::AnyOf(list) => {
            // A map with the first key of a specific format has that format and is no map of arbitrary names.
            let short_form = holds
                .object_format()
                .and_then(|format| Some(json!({ "required": [format.keys.first()?.name] })));
            let alternative = |field_type: &FieldType| {
                let mut schema = field_schema(*field_type, parts);
                if let (FieldType::Map(..), Some(short_form)) = (field_type, &short_form) {
                    schema["not"] = short_form.clone();
                }
                schema
            };
            json!({ "anyOf": list.iter().map(alternative).collect::<Vec<_>>() })
        }
        FieldType::Any => json!({}),
    }
}

/// Returns the comment line that links a file to its schema; `key` is the path of the file below the data folder.
pub fn editor_line(format: &FileFormat, key: &str) -> String {
    let up = "../".repeat(key.matches('/').count());
    format!(
        "# yaml-language-server: $schema={up}{SCHEMA_FOLDER}/{}.json\n",
        format.name
    )
}

/// Returns all schemas with their paths; that of situations says what each procedure of the library is given.
fn schema_files(root: &Path, library: &Arc<Library>) -> Vec<(PathBuf, String)> {
    let text = |format: &'static FileFormat| {
        let mut schema = schema(format);
        if format.name == SITUATION.name {
            add_procedures(&mut schema, library);
        }
        format!("{schema:#}\n")
    };
    let path = |format: &FileFormat| {
        root.join(SCHEMA_FOLDER)
            .join(format!("{}.json", format.name))
    };
    file_formats()
        .map(|format| (path(format), text(format)))
        .collect()
}

/// Writes the schemas below a data folder, where version control leaves them aside: they can be written anew. Returns their paths.
pub fn write_schemas(root: &Path, library: &Arc<Library>) -> Result<Vec<PathBuf>, Error> {
    let files = schema_files(root, library);
    let ignored = (root.join(SCHEMA_FOLDER).join(".gitignore"), "*\n".into());
    let put = |(path, text): &(PathBuf, String)| -> PlannedChange {
        let text = text.clone().into_bytes();
        (path.clone(), Box::new(move |_| Ok(Some(text.clone()))))
    };
    let changes: Vec<PlannedChange> = files.iter().chain([&ignored]).map(put).collect();
    commit(Some(root), &changes)?;
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Returns the schemas of `given:` by procedure. Games may have a procedure of the same name, so there may be several of one.
fn given_schemas(library: &Arc<Library>) -> BTreeMap<String, Vec<Value>> {
    let mut by_procedure: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for game in library.games.keys() {
        // A game whose data are faulty is left out.
        let spec = RulesetSpec::with_variants(game, library.compatible_variants(game));
        let Ok((ruleset, _)) = diagnostics::build_ruleset(library, &spec) else {
            continue;
        };
        for (procedure, about) in &ruleset.game.procedures {
            let fields = ruleset.given(procedure);
            let mut schema = SchemaWriter {
                ruleset: &ruleset,
                within: vec![procedure.clone()],
            }
            .fields_schema(&fields);
            let needed = fields
                .iter()
                .filter(|(_, field)| !field.optional && field.alternative.is_none());
            schema["required"] = needed.map(|(name, _)| name.as_str()).collect();
            schema["description"] =
                json!(format!("What the procedure {procedure} is given. {about}"));
            by_procedure
                .entry(procedure.clone())
                .or_default()
                .push(schema);
        }
    }
    by_procedure
}

/// Returns the schema of what a procedure is given. Fails if no game has the procedure.
pub fn schema_of_procedure(
    library: &Arc<Library>,
    procedure: &str,
    further_names: &[&str],
) -> Result<Value, Error> {
    let mut by_procedure = given_schemas(library);
    let Some(schemas) = by_procedure.remove(procedure) else {
        let names = by_procedure
            .keys()
            .map(String::as_str)
            .chain(further_names.iter().copied());
        return Err(Error::unknown(
            "kind of file or procedure",
            procedure,
            names,
        ));
    };
    let mut schema = any_of(schemas);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    Ok(schema)
}

/// Adds to the schema of situations what each procedure is given.
pub fn add_procedures(situation: &mut Value, library: &Arc<Library>) {
    let conditions = given_schemas(library).into_iter().map(|(procedure, schemas)| {
        json!({
            "if": { "properties": { "procedure": { "const": procedure } }, "required": ["procedure"] },
            "then": { "properties": { GIVEN: any_of(schemas) } },
        })
    });
    situation["allOf"] = conditions.collect();
}

fn any_of(mut schemas: Vec<Value>) -> Value {
    if schemas.len() == 1 {
        schemas.remove(0)
    } else {
        json!({ "anyOf": schemas })
    }
}

/// Writes the schema of what one procedure is given, which may contain what others are given.
struct SchemaWriter<'a> {
    ruleset: &'a Ruleset,
    /// The procedures whose declarations are being written, outermost first.
    within: Vec<String>,
}

impl SchemaWriter<'_> {
    /// Returns the schema of a map with the declared names.
    fn fields_schema(&mut self, fields: &SheetFields) -> Value {
        let properties: Map<String, Value> = fields
            .iter()
            .map(|(name, field)| (name.clone(), self.field_schema(field)))
            .collect();
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }

    /// Returns the schema of the `given:` of another procedure; a procedure that contains itself is any map.
    fn procedure_schema(&mut self, procedure: &str) -> Value {
        if self.within.iter().any(|outer| outer == procedure) {
            return json!({ "type": "object" });
        }
        self.within.push(procedure.into());
        let schema = self.fields_schema(&self.ruleset.given(procedure));
        self.within.pop();
        schema
    }

    fn field_schema(&mut self, field: &SheetField) -> Value {
        let mut kinds = Vec::new();
        if !field.key_references.is_empty() {
            let value = constraint_schema(&field.constraint);
            kinds.push(json!({ "type": "object", "additionalProperties": { "anyOf": [value, { "type": "array", "items": value }] } }));
        }
        if !field.parts.is_empty() {
            kinds.push(self.fields_schema(&field.parts));
        }
        if let Some(procedure) = &field.same_as {
            kinds.push(self.procedure_schema(procedure));
        }
        if field.takes_scalars() {
            kinds.push(if field.is_flag() {
                json!({ "enum": [true, false, "on", "off", "yes", "no"] })
            } else {
                constraint_schema(&field.constraint)
            });
        }
        let single = any_of(kinds);
        let list = json!({ "type": "array", "items": single });
        let mut schema = match (field.is_list, field.or_list) {
            (true, _) => list,
            (_, true) => json!({ "anyOf": [single, list] }),
            _ => single,
        };
        schema["description"] = json!(field.title);
        schema
    }
}

/// Returns the schema of a text or number. Names of pieces and places differ by situation, so any text is one.
fn constraint_schema(constraint: &ValueConstraint) -> Value {
    let band = |band: &Band| {
        let mut number = json!({ "type": "integer" });
        let bounds = [
            ("minimum", band.low, i64::MIN),
            ("maximum", band.high, i64::MAX),
        ];
        bounds
            .iter()
            .filter(|(_, bound, open)| bound != open)
            .for_each(|(key, bound, _)| number[*key] = json!(bound));
        number
    };
    let is_open = constraint.any_text
        || !constraint.references.is_empty()
        || (constraint.bands.is_empty() && constraint.words.is_empty());
    let mut kinds: Vec<Value> = constraint.bands.iter().map(band).collect();
    if !constraint.words.is_empty() {
        kinds.push(json!({ "enum": constraint.words }));
    }
    if is_open {
        kinds.push(json!({ "type": ["string", "integer", "boolean"] }));
    }
    any_of(kinds)
}
