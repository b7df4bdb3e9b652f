//! JSON Schemas of what procedures are given, from the declarations on the cards of their cases.

use crate::complaint::{Error, nearest_names};
use crate::data::constraint::ValueConstraint;
use crate::data::library::Library;
use crate::data::sheet::{GIVEN, SheetField, SheetFields};
use crate::notation::Band;
use crate::ruleset::compose::{Ruleset, RulesetSpec};
use crate::ruleset::diagnostics;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the rulesets of all games, each with all compatible variants; a game whose data are faulty is left out.
fn whole_rulesets(library: &Arc<Library>) -> Vec<Ruleset> {
    let spec = |game: &String| RulesetSpec::with_variants(game, library.compatible_variants(game));
    library.games.keys().filter_map(|game| Some(diagnostics::build_ruleset(library, &spec(game)).ok()?.0)).collect()
}

/// Returns the schemas of `given:` by procedure. Games may have a procedure of the same name, so there may be several of one.
fn given_schemas(library: &Arc<Library>) -> BTreeMap<String, Vec<Value>> {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for ruleset in whole_rulesets(library) {
        for (procedure, about) in &ruleset.game.procedures {
            let fields = ruleset.given(procedure);
            let mut schema = SchemaWriter { ruleset: &ruleset, within: vec![procedure.clone()] }.fields_schema(&fields);
            let needed = fields.iter().filter(|(_, field)| !field.optional && field.alternative.is_none());
            schema["required"] = needed.map(|(name, _)| name.as_str()).collect();
            schema["description"] = json!(format!("What the procedure {procedure} is given. {about}"));
            all.entry(procedure.clone()).or_default().push(schema);
        }
    }
    all
}

/// Returns the schema of what a procedure is given. Fails if no game has the procedure.
pub fn schema_of_procedure(library: &Arc<Library>, procedure: &str, others: &[&str]) -> Result<Value, Error> {
    let mut all = given_schemas(library);
    let Some(schemas) = all.remove(procedure) else {
        let names = all.keys().map(String::as_str).chain(others.iter().copied());
        return Err(Error::Unknown {
            what: "kind of file or procedure",
            name: procedure.into(),
            suggestions: nearest_names(procedure, names),
        });
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
    if schemas.len() == 1 { schemas.remove(0) } else { json!({ "anyOf": schemas }) }
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
        let properties: Map<String, Value> = fields.iter().map(|(name, field)| (name.clone(), self.field_schema(field))).collect();
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }

    /// Returns the schema of what another procedure is given; of one that contains itself only that it is a map.
    fn procedure_schema(&mut self, procedure: &str) -> Value {
        if self.within.iter().any(|known| known == procedure) {
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
        let one = any_of(kinds);
        let list = json!({ "type": "array", "items": one });
        let mut schema = match (field.is_list, field.or_list) {
            (true, _) => list,
            (_, true) => json!({ "anyOf": [one, list] }),
            _ => one,
        };
        schema["description"] = json!(field.title);
        schema
    }
}

/// Returns the schema of a text or number. Names of pieces and places differ by situation, so any text is one.
fn constraint_schema(constraint: &ValueConstraint) -> Value {
    let band = |band: &Band| {
        let mut number = json!({ "type": "integer" });
        let bounds = [("minimum", band.low, i64::MIN), ("maximum", band.high, i64::MAX)];
        bounds.iter().filter(|(_, bound, open)| bound != open).for_each(|(key, bound, _)| number[*key] = json!(bound));
        number
    };
    let is_open = constraint.any_text || !constraint.references.is_empty() || (constraint.bands.is_empty() && constraint.words.is_empty());
    let mut kinds: Vec<Value> = constraint.bands.iter().map(band).collect();
    if !constraint.words.is_empty() {
        kinds.push(json!({ "enum": constraint.words }));
    }
    if is_open {
        kinds.push(json!({ "type": ["string", "integer", "boolean"] }));
    }
    any_of(kinds)
}
