//! The games that an agent plays: each is a request to `/play` that grows with its answers.

use crate::serve::page_request::{AddressMove, PageRequest};
use casebook_engine::complaint::Error;
use casebook_engine::data::cache::lock_unpoisoned;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Maximum number of games; the one begun first is forgotten.
const MAX_GAMES: usize = 64;

/// What an agent wants of a game: begin it, answer what it waits for, or take the last answer back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayStep {
    #[serde(default)]
    #[schemars(with = "Option<PageRequest>")]
    begin: Option<Map<String, Value>>,
    #[serde(default)]
    game: Option<u64>,
    #[serde(default)]
    #[schemars(with = "Option<AddressMove>")]
    answer: Option<Value>,
    #[serde(default)]
    undo: bool,
}

/// The games in progress, by number.
#[derive(Default)]
pub struct AgentGames(Mutex<BTreeMap<u64, Map<String, Value>>>);

impl AgentGames {
    /// Takes a step. `play` answers a request to `/play`; if it fails, the game stays as it was.
    pub fn step(
        &self,
        step: PlayStep,
        play: impl FnOnce(&Value) -> Result<Value, Error>,
    ) -> Result<Value, Error> {
        let request_of = |number: &u64| {
            let games = lock_unpoisoned(&self.0);
            games
                .get(number)
                .cloned()
                .ok_or_else(|| Error::Usage(format!("no game has the number {number}: begin one")))
        };
        let (number, request) = match step {
            PlayStep {
                begin: Some(mut request),
                game: None,
                answer: None,
                undo: false,
            } => {
                request.entry("moves").or_insert_with(|| json!([]));
                (None, request)
            }
            PlayStep {
                begin: None,
                game: Some(number),
                answer,
                undo,
            } if answer.is_some() != undo => {
                let mut request = request_of(&number)?;
                let moves = request.get_mut("moves").and_then(Value::as_array_mut);
                let moves =
                    moves.ok_or_else(|| Error::Usage("`moves` is a list of answers".into()))?;
                match answer {
                    Some(answer) => moves.push(answer),
                    None if moves.pop().is_none() => {
                        return Err(Error::Usage(
                            "nothing was answered yet that could be taken back".into(),
                        ));
                    }
                    None => {}
                }
                (Some(number), request)
            }
            _ => {
                let message = "say one of three: `begin` with a situation; `game` with `answer`; `game` with `undo: true`";
                return Err(Error::Usage(message.into()));
            }
        };
        let request = Value::Object(request);
        let mut played = play(&request)?;
        let mut games = lock_unpoisoned(&self.0);
        let number =
            number.unwrap_or_else(|| games.last_key_value().map_or(1, |(last, _)| last + 1));
        if let Value::Object(request) = request {
            games.insert(number, request);
        }
        if games.len() > MAX_GAMES {
            games.pop_first();
        }
        played["game"] = number.into();
        Ok(played)
    }
}
