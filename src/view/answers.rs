//! The schema of all answers in JSON: of the command line, of the API and of agents. It is that of the types which are serialised, in their
//! words: an answer that several of them give has one type.

use crate::block::FoundPages;
use crate::things::ListReport;
use casebook_analysis::balance::report::BalanceReport;
use casebook_analysis::balance::totals::BalanceShards;
use casebook_analysis::luck::json::{DiceTests, JournalLuck};
use casebook_analysis::odds::games::GamesShards;
use casebook_analysis::odds::report::{
    JointReport, MatrixReport, OddsReport, Qualified, RangesReport,
};
use casebook_analysis::odds::sweep::{SweepReport, SweptRulesets};
use casebook_analysis::usecase::comparison_report::{
    ComparisonReport, EffectReport, ReadingsReport,
};
use casebook_analysis::usecase::replay::{ReplayReport, VerifiedDice};
use casebook_checks::author::whole_check::CheckReport;
use casebook_checks::conflicts::report::ConflictReport;
use casebook_checks::house::report::{PlacesReport, UndoneChange, WhatIfReport};
use casebook_checks::testing::check::TestReport;
use casebook_checks::trial::trial_report::TrialReport;
use casebook_engine::ruling::json::{JSON_FORMAT_VERSION, RulingReport};
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where the schema of a part stands.
pub const PLACE: &str = "#/$defs/";

/// The schema of answers, as they are added to it.
pub struct AnswerSchema {
    generator: SchemaGenerator,
    /// The forms of each answer.
    answers: BTreeMap<&'static str, Vec<Value>>,
}

impl AnswerSchema {
    /// Begins with the answers that the engine and its questions give, whoever asks.
    pub fn new() -> AnswerSchema {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = AnswerSchema {
            generator: settings.into_generator(),
            answers: BTreeMap::new(),
        };
        schema.add::<RulingReport>("resolve");
        schema.add::<RulingReport>("play");
        schema.add::<ReplayReport>("replay");
        schema.add::<VerifiedDice>("replay_verify");
        schema.add::<Qualified<OddsReport>>("odds");
        schema.add::<Qualified<SweepReport>>("odds");
        schema.add::<Qualified<JointReport>>("odds");
        schema.add::<Qualified<RangesReport>>("odds");
        schema.add::<Qualified<MatrixReport>>("odds");
        schema.add::<EffectReport>("odds");
        schema.add::<SweptRulesets>("compare_sweep");
        schema.add::<ComparisonReport>("compare");
        schema.add::<ReadingsReport>("compare_readings");
        schema.add::<JournalLuck>("luck");
        schema.add::<DiceTests>("luck");
        schema.add::<GamesShards>("games");
        schema.add::<BalanceReport>("balance");
        schema.add::<BalanceShards>("balance");
        schema.add::<WhatIfReport>("what_if");
        schema.add::<PlacesReport>("what_if");
        schema.add::<UndoneChange>("undo");
        schema.add::<ListReport>("list");
        schema.add::<FoundPages>("show");
        schema.add::<FoundPages>("explain");
        schema.add::<FoundPages>("verbs");
        schema.add::<CheckReport>("check");
        schema.add::<TrialReport>("check_play");
        schema.add::<ConflictReport>("check_conflicts");
        schema.add::<TestReport>("test");
        schema.add::<ListReport>("coverage");
        schema
    }

    /// Adds a form of an answer: the type that is serialised, and the name of the answer.
    pub fn add<T: JsonSchema>(&mut self, name: &'static str) {
        let schema = self.generator.subschema_for::<T>().to_value();
        self.answers.entry(name).or_default().push(schema);
    }

    /// Returns the schema.
    pub fn finish(mut self) -> Value {
        let mut parts = Map::new();
        let names: Vec<&str> = self.answers.keys().copied().collect();
        let answers = self.answers.into_iter().map(|(name, forms)| {
            let part = match &forms[..] {
                [only] => only.clone(),
                _ => json!({ "anyOf": forms }),
            };
            (name.to_string(), part)
        });
        let defined = self.generator.take_definitions(true);
        for (name, mut part) in answers.chain(defined) {
            tidy(&mut part);
            let name = snake_case(&name);
            // An answer whose type has its name refers to it.
            if part["$ref"] != format!("{PLACE}{name}") {
                parts.insert(name, part);
            }
        }
        for name in names {
            let part = parts.remove(name).unwrap_or_default();
            let part = with_head(part, &mut parts);
            parts.insert(name.into(), part);
        }
        parts.insert(
            "form".into(),
            json!({ "const": JSON_FORMAT_VERSION, "type": "integer" }),
        );
        parts.insert("data".into(), json!({
            "type": "string",
            "description": "The folder with the data that are not built in; left out where there are none.",
        }));
        let description = format!(
            "Form {JSON_FORMAT_VERSION}. Each answer is one object; `form` counts up when something is taken away or means something else, not \
             when something is added. `$defs` has an entry for each command; a mistake is answered by `error` or `complaints`."
        );
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "What casebook answers as JSON",
            "description": description,
            "type": "object",
            "required": ["form"],
            "properties": head(),
            "$defs": parts,
        })
    }
}

impl Default for AnswerSchema {
    fn default() -> AnswerSchema {
        AnswerSchema::new()
    }
}

/// What stands before every answer of the command line and of agents.
fn head() -> Map<String, Value> {
    ["form", "data"]
        .map(|name| {
            (
                name.to_string(),
                json!({ "$ref": format!("{PLACE}{name}") }),
            )
        })
        .into_iter()
        .collect()
}

/// Allows the head of an answer in each form of a part.
fn with_head(mut part: Value, parts: &mut Map<String, Value>) -> Value {
    if let Some(properties) = part.get_mut("properties").and_then(Value::as_object_mut) {
        properties.extend(head());
    }
    let forms = part.get_mut("anyOf").and_then(Value::as_array_mut);
    for form in forms.into_iter().flatten() {
        *form = with_head(form.take(), parts);
    }
    let place = part["$ref"]
        .as_str()
        .and_then(|place| place.strip_prefix(PLACE));
    if let Some((name, referred)) = place.and_then(|name| parts.remove_entry(name)) {
        let referred = with_head(referred, parts);
        parts.insert(name, referred);
    }
    part
}

/// Names parts as they are named in answers, closes objects against keys that no field has, and says of a field that may be left out that it
/// is never null.
fn tidy(schema: &mut Value) {
    if let Some(place) = schema["$ref"]
        .as_str()
        .and_then(|place| place.strip_prefix(PLACE))
    {
        schema["$ref"] = json!(format!("{PLACE}{}", snake_case(place)));
    }
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(entries) => {
            if entries.contains_key("properties") && !entries.contains_key("additionalProperties") {
                entries.insert("additionalProperties".into(), false.into());
            }
            let required = entries.get("required").cloned().unwrap_or_default();
            let is_required = |key: &str| {
                required
                    .as_array()
                    .is_some_and(|keys| keys.iter().any(|member| member == key))
            };
            let properties = entries.get_mut("properties").and_then(Value::as_object_mut);
            for (key, property) in properties.into_iter().flatten() {
                if !is_required(key) {
                    forbid_null(property);
                }
            }
            entries.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

/// Takes null out of what a field may be.
fn forbid_null(schema: &mut Value) {
    let Some(entries) = schema.as_object_mut() else {
        return;
    };
    for key in ["type", "enum"] {
        if let Some(list) = entries.get_mut(key).and_then(Value::as_array_mut) {
            list.retain(|one| !one.is_null() && one != "null");
        }
    }
    if let Some([Value::String(only)]) = entries
        .get("type")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        let only = only.clone();
        entries.insert("type".into(), only.into());
    }
    if let Some([one, other]) = entries
        .get("anyOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        && *other == json!({ "type": "null" })
    {
        let one = one.clone();
        entries.remove("anyOf");
        entries.extend(one.as_object().cloned().unwrap_or_default());
    }
}

/// Returns the name of a type as a word of JSON: `RulingStep` as `ruling_step`.
fn snake_case(name: &str) -> String {
    let mut word = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !word.is_empty() && !word.ends_with('_') {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}
