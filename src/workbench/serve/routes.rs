//! The routes of the JSON API `/api/v2`: dispatch, limits and the OpenAPI document come from one table.

use crate::serve::api::{self, ApiBody, ApiCall};
use crate::serve::api_answers;
use crate::serve::workbench::Workbench;
use casebook_engine::complaint::{Error, nearest_names};
use casebook_view::answers::{AnswerSchema, PLACE};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;

/// What the document says of itself.
const DESCRIPTION: &str = "Rulings, exact odds, rulesets side by side and play, for other programs. Nothing is kept between requests: each holds all \
    that its answer rests on. Schemas with small first letters are answers, the others what is asked; what the command line and agents answer, \
    too, has there `form` and `data` before it, and stands in `casebook schema`.";

pub struct ApiRoute {
    /// The method in small letters.
    pub method: &'static str,
    /// The path; placeholders are in braces.
    pub path: &'static str,
    /// What it answers, in one line.
    pub summary: &'static str,
    /// The schema of the body; empty if there is none.
    pub body: &'static str,
    /// The schema of the answer.
    pub answer: &'static str,
    /// What it may do.
    pub kind: RouteKind,
    /// Answers a call.
    pub handle: fn(&ApiCall) -> Result<Value, Error>,
}

/// What a route may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteKind {
    /// It answers at once.
    Quick,
    /// It counts, and may run long.
    Long,
    /// It writes files, and needs the token.
    Writes,
}

use RouteKind::{Long, Quick, Writes};

/// Makes a row of the table.
const fn route(
    (method, path): (&'static str, &'static str),
    kind: RouteKind,
    (body, answer): (&'static str, &'static str),
    handle: fn(&ApiCall) -> Result<Value, Error>,
    summary: &'static str,
) -> ApiRoute {
    ApiRoute {
        method,
        path,
        summary,
        body,
        answer,
        kind,
        handle,
    }
}

#[rustfmt::skip]
pub const ROUTES: &[ApiRoute] = &[
    route(("get", "/openapi.json"), Quick, ("", "Document"), |_| document(), "This schema"),
    route(("get", "/games"), Quick, ("", "list"), |call| call.games(), "Games with their variants, options, situations, readings and tables"),
    route(("get", "/games/{game}/{name}"), Quick, ("", "show"), |call| call.find_named(), "A case, table, function, piece or situation, with its chain of amendments"),
    route(("post", "/ruling"), Quick, ("Ask", "resolve"), |call| call.ruling(), "One ruling of a situation"),
    route(("post", "/odds"), Long, ("Ask", "counted_odds"), |call| call.odds(), "The exact odds of every outcome of a situation; what can't be counted in time is sampled"),
    route(("post", "/sweep"), Long, ("SweepAsk", "sweep"), |call| call.sweep(), "The odds of a situation over the values of one figure, under one ruleset or under several"),
    route(("get", "/counts/{count}"), Quick, ("", "count"), |call| Ok(call.count_progress()), "How far a count of a page has come: the one whose request has `count=` with this name in its query"),
    route(("delete", "/counts/{count}"), Quick, ("", "count"), |call| Ok(call.stop_count()), "Ends a count of a page: its answer is what was counted, and a sample of the rest"),
    route(("post", "/compare"), Long, ("Ask", "compare"), |call| call.compare(), "Rulesets side by side, and the amendments that make the difference"),
    route(("post", "/what-if"), Long, ("ChangesToTry", "what_if"), |call| call.what_if(), "What changes of the rules do to a situation, why, and who disagrees; nothing is kept"),
    route(("post", "/balance"), Long, ("Ask", "balance"), |call| call.balance(), "Whole games by the game's styles, or by `policy`, under several rulesets on the same dice: who wins, whether that differs, and what makes the difference"),
    route(("post", "/play"), Quick, ("Ask", "played"), |call| call.play(), "A situation played as far as `moves` say: what it waits for, the board, and what has happened since the last of them"),
    route(("post", "/journal"), Long, ("JournalText", "address"), |call| call.journal(), "The page of the game that a journal holds: it is replayed move by move"),
    route(("post", "/vassal"), Writes, ("SavedGame", "opened_game"), |call| call.open_saved_game(), "A saved game or log of VASSAL, written as a situation of the user's folder"),
    route(("post", "/luck"), Long, ("LuckAsk", "luck"), |call| call.luck(), "What each throw and choice of a journal did to its outcome"),
    route(("post", "/look"), Quick, ("MapAsk", "map_answer"), |call| call.ask_map(), "What the map answers: a question that the game's manifest names under `board:`, asked of a piece or of the whole board as it was played"),
    route(("post", "/check"), Quick, ("Text", "checked_text"), |call| call.check(), "Complaints about a text in the place of a file"),
    route(("post", "/examples"), Quick, ("Text", "test"), |call| call.examples(), "The examples of a file, run; with `text` in its place where it is given"),
    route(("post", "/conflicts"), Quick, ("Text", "check_conflicts"), |call| call.conflicts(), "Where a text in the place of a file's contradicts other variants"),
    route(("post", "/effect"), Long, ("Text", "effect"), |call| call.effect(), "The odds of a situation before and after, as a piece of a page"),
    route(("post", "/unpack"), Writes, ("Pack", "unpacked"), |call| call.unpack(), "Unpacks a variant that was sent as one file"),
    route(("post", "/new"), Writes, ("New", "written"), |call| call.create(), "Creates a variant, a case, a table or a situation of your own"),
    route(("post", "/variant"), Writes, ("VariantChange", "variant_complaints"), |call| call.change_variant(), "Copies, renames or deletes a variant of your own"),
    route(("post", "/keep"), Writes, ("ChangesToKeep", "kept"), |call| call.keep(), "Keeps changes of the rules in a variant of your own, which is created if there is none of this name, and takes kept ones back"),
    route(("post", "/accept"), Writes, ("AcceptAsk", "test"), |call| call.accept(), "Writes what comes out into a pinned ruling that expects otherwise"),
    route(("post", "/pin"), Writes, ("PinAsk", "pinned"), |call| call.pin(), "Keeps a ruling as an interpretation of your own: situation, rules, dice and outcome, with a sentence"),
    route(("put", "/file"), Writes, ("Text", "saved"), |call| call.save_file(), "Saves a file of a variant of your own"),
];

impl ApiRoute {
    /// Finds the route of a request. `path` are the parts behind `/api/v2`.
    pub fn find(method: &str, path: &[&str]) -> Option<&'static ApiRoute> {
        ROUTES
            .iter()
            .find(|route| route.method == method && route.placeholders(path).is_some())
    }

    fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.path.trim_start_matches('/').split('/')
    }

    /// Returns the values of the placeholders, if the path is that of the route.
    fn placeholders<'p>(&self, path: &[&'p str]) -> Option<Vec<&'p str>> {
        let fits = |(pattern, part): (&str, &&str)| pattern.starts_with('{') || pattern == *part;
        let is_match = self.parts().count() == path.len() && self.parts().zip(path).all(fits);
        is_match.then(|| {
            self.parts()
                .zip(path)
                .filter(|(pattern, _)| pattern.starts_with('{'))
                .map(|(_, part)| *part)
                .collect()
        })
    }

    /// Returns its operation in the OpenAPI document.
    fn operation(&self) -> Value {
        let json = |schema: Value| json!({ "application/json": { "schema": schema } });
        let wrong = "what was asked wrongly: 400, 404, 422; 403 without the token";
        let responses = json!({
            "200": { "description": "the answer", "content": json(schema_of(self.answer)) },
            "default": { "description": wrong, "content": json(schema_of("request_error")) },
        });
        let mut operation = json!({ "summary": self.summary, "responses": responses });
        let names = self
            .parts()
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let parameters: Vec<Value> =
            names.map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })).collect();
        if !parameters.is_empty() {
            operation["parameters"] = json!(parameters);
        }
        if !self.body.is_empty() {
            operation["requestBody"] =
                json!({ "required": true, "content": json(schema_of(self.body)) });
        }
        if self.kind == Writes {
            operation["security"] = json!([{ "token": [] }]);
        }
        operation
    }
}

/// The place of schemas in the document.
const SCHEMA_PLACE: &str = "#/components/schemas/";

fn schema_of(name: &str) -> Value {
    json!({ "$ref": format!("{SCHEMA_PLACE}{name}") })
}

/// Adds the schemas that the document refers to, from the schema of all answers.
fn add_answers(document: &mut Value) -> Result<(), serde_json::Error> {
    let mut schema = AnswerSchema::new();
    api_answers::add_to(&mut schema);
    let answers = schema.finish().to_string();
    let answers: Value = serde_json::from_str(&answers.replace(PLACE, SCHEMA_PLACE))?;
    let mut texts = vec![document.to_string()];
    let schemas = &mut document["components"]["schemas"];
    while let Some(text) = texts.pop() {
        for name in text
            .split(SCHEMA_PLACE)
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            if schemas.get(name).is_none() {
                schemas[name] = answers["$defs"][name].clone();
                texts.push(schemas[name].to_string());
            }
        }
    }
    Ok(())
}

/// Returns the OpenAPI document of the API. A static site has none: what describes the types would be a good part of what it loads first.
pub fn document() -> Result<Value, Error> {
    if !cfg!(feature = "server") {
        let message = "this site does not describe its API: start the program with `casebook serve`, and ask it for /api/v2/openapi.json";
        return Err(Error::Usage(message.into()));
    }
    let json_error = |error: serde_json::Error| Error::Usage(error.to_string());
    let mut bodies = SchemaSettings::draft2020_12().into_generator();
    api::add_bodies(&mut bodies);
    let bodies = json!(bodies.take_definitions(true)).to_string();
    let mut schemas: Value =
        serde_json::from_str(&bodies.replace(PLACE, SCHEMA_PLACE)).map_err(json_error)?;
    schemas["Document"] = json!({ "type": "object" });
    let mut paths = Map::new();
    for route in ROUTES {
        paths.entry(route.path).or_insert_with(|| json!({}))[route.method] = route.operation();
    }
    let token = json!({ "type": "http", "scheme": "bearer", "description": "the word behind `?token=` that `casebook serve` prints" });
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": "Casebook", "version": "2", "description": DESCRIPTION },
        "servers": [{ "url": "/api/v2" }],
        "components": { "securitySchemes": { "token": token }, "schemas": schemas },
        "paths": paths,
    });
    add_answers(&mut document).map_err(json_error)?;
    Ok(document)
}

/// Answers a request. `path` are the parts behind `/api/v2`.
pub fn handle(
    bench: &Workbench,
    method: &str,
    path: &[&str],
    body: ApiBody,
    stop: &AtomicBool,
) -> Result<Value, Error> {
    let Some((route, placeholders)) = ROUTES
        .iter()
        .filter(|one| one.method == method)
        .find_map(|one| Some((one, one.placeholders(path)?)))
    else {
        let (name, paths) = (
            format!("/{}", path.join("/")),
            ROUTES.iter().map(|route| route.path),
        );
        return Err(Error::Unknown {
            kind: "route",
            name: format!("{method} {name}"),
            suggestions: nearest_names(&name, paths),
        });
    };
    let snapshot = bench.snapshot()?;
    (route.handle)(&ApiCall {
        bench,
        snapshot: &snapshot,
        placeholders: &placeholders,
        body,
        stop,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_schema_is_there_and_is_used() {
        let document = document().expect("the schemas are JSON");
        let schemas: BTreeSet<&str> = document["components"]["schemas"]
            .as_object()
            .expect("schemas")
            .keys()
            .map(String::as_str)
            .collect();
        let text = document.to_string();
        let used: BTreeSet<&str> = text
            .split("#/components/schemas/")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(schemas, used);
        let missing: Vec<&str> = schemas
            .into_iter()
            .filter(|name| document["components"]["schemas"][*name].is_null())
            .collect();
        assert!(
            missing.is_empty(),
            "these are described nowhere: {missing:?}"
        );
    }
}
