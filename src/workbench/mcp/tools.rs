//! The tools of an agent. Those that ask about a situation take what the route of the API takes, and answer what it answers.

use crate::mcp::games::{AgentGames, PlayStep};
use crate::serve::api::ApiBody;
use crate::serve::page_request::PageRequest;
use crate::serve::routes;
use crate::serve::what_if::request::ChangesToTry;
use crate::serve::workbench::{DataSnapshot, Workbench};
use casebook_checks::author::whole_check;
use casebook_engine::complaint::{Error, nearest_names};
use casebook_engine::platform::clock::Instant;
use casebook_engine::platform::task;
use casebook_engine::ruleset::compose::Ruleset;
use casebook_view::block::FoundPages;
use casebook_view::things::{self, ListReport};
use casebook_view::{explain, show};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time for running the situations that a check of all data tries.
const CHECK_TIME: Duration = Duration::from_secs(20);

pub struct AgentTool {
    pub name: &'static str,
    /// What it does, for an agent that chooses a tool.
    pub description: &'static str,
    /// Describes its arguments: an object.
    pub input_schema: fn() -> Schema,
    /// Answers a call with an object.
    pub run: fn(&ToolCall) -> Result<Value, Error>,
}

pub struct ToolCall<'a> {
    /// The data.
    pub bench: &'a Workbench,
    /// The games in progress.
    pub games: &'a AgentGames,
    /// The arguments: an object.
    pub arguments: Value,
    /// Ends the work when it is set.
    pub stop: &'a AtomicBool,
}

/// Makes a row of the table.
const fn tool<T: JsonSchema>(
    name: &'static str,
    run: fn(&ToolCall) -> Result<Value, Error>,
    description: &'static str,
) -> AgentTool {
    AgentTool {
        name,
        description,
        input_schema: || SchemaGenerator::default().into_root_schema_for::<T>(),
        run,
    }
}

#[rustfmt::skip]
pub const TOOLS: &[AgentTool] = &[
    tool::<ListArguments>("list", |call| call.list(),
        "Lists the games. With `game`: its variants with their options, its situations, readings and tables. Begin here: the names that \
            the other tools take are in this answer."),
    tool::<ShowArguments>("show", |call| call.show(),
        "Shows a case, table, procedure, kind of piece, piece or situation by its name, such as 8.16, with everything that amends it, and \
            how each figure is known: printed, derived, reconstructed or missing. `script` adds the source."),
    tool::<PageRequest>("resolve", |call| call.request("ruling"),
        "Carries out the procedure of a situation with dice from a seed, or with your own, and returns the ruling. Each line has `cites`: \
            the cases and tables it rests on. Cite them. `reconstructed` names figures that are not known from print, `unasked` the \
            choices that took their first option. A figure that nobody knows is an error, and never a guess."),
    tool::<PageRequest>("odds", |call| call.request("odds"),
        "Counts the exact chance of every outcome of a situation, as fractions. `assumed` says what they rest on. What can't be counted in \
            time is sampled, and says so."),
    tool::<PageRequest>("compare", |call| call.request("compare"),
        "Sets two rulesets or more side by side (`rulesets`, each a list of variants): the odds under each, whether they differ, and the \
            cases, figures and readings that cause it."),
    tool::<ChangesToTry>("what_if", |call| call.request("what-if"),
        "Tries a house rule on a situation: `cell` and `rule` are changes as `casebook what-if` takes them. The answer has the headline \
            before and after, what differs and why, and the examples, readings and variants that disagree. Nothing is kept."),
    tool::<CheckArguments>("check", |call| call.check(),
        "Validates all data and returns every complaint: its code, place and remedy. With `path` and `text`: the text in place of that \
            file of a variant of your own, before you save it."),
    tool::<PlayStep>("play", |call| call.play(),
        "Plays a situation step by step. `begin` returns the number of the game and what it waits for: a throw or a choice. `game` with \
            `answer` goes on, `game` with `undo: true` takes the last answer back."),
    tool::<ExplainArguments>("explain", |call| call.explain(),
        "Explains the error code of a complaint, a verb of scripts, a kind of file, a key in it, or a word such as `reading` or `strict`."),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default)]
    game: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowArguments {
    name: String,
    /// Left out: all games.
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    script: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("dependentRequired" = { "path": ["text"], "text": ["path"] }))]
struct CheckArguments {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExplainArguments {
    name: String,
}

impl AgentTool {
    pub fn find(name: &str) -> Result<&'static AgentTool, Error> {
        let names = || TOOLS.iter().map(|tool| tool.name);
        let tool_found = TOOLS.iter().find(|tool| tool.name == name);
        tool_found.ok_or_else(|| Error::Unknown {
            kind: "tool",
            name: name.into(),
            suggestions: nearest_names(name, names()),
        })
    }
}

impl ToolCall<'_> {
    fn parse<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_value(self.arguments.clone())
            .map_err(|error| Error::Usage(format!("the arguments can't be read: {error}")))
    }

    /// Asks the route of the API with the arguments as its body.
    fn request(&self, route: &str) -> Result<Value, Error> {
        self.ask_with(route, &self.arguments)
    }

    fn ask_with(&self, route: &str, body: &Value) -> Result<Value, Error> {
        let body = body.to_string();
        routes::handle(
            self.bench,
            "post",
            &[route],
            ApiBody {
                name: "arguments",
                text: body.as_bytes(),
            },
            self.stop,
        )
    }

    fn list(&self) -> Result<Value, Error> {
        let snapshot = self.bench.snapshot()?;
        let ListArguments { game } = self.parse()?;
        let complaints = snapshot.library.complaints.clone().into_sorted().0;
        let Some(game) = game else {
            let library = &snapshot.library;
            let games = library.games.keys();
            let games = games.map(|game| things::overview(library, game));
            return Ok(json!(ListReport {
                games: games.collect(),
                complaints,
            }));
        };
        let contents = things::contents(&*rulebook(&snapshot, &game)?);
        Ok(json!(ListReport {
            games: vec![contents],
            complaints,
        }))
    }

    fn show(&self) -> Result<Value, Error> {
        let snapshot = self.bench.snapshot()?;
        let ShowArguments { name, game, script } = self.parse()?;
        let games = game.map_or_else(
            || snapshot.library.games.keys().cloned().collect(),
            |game| vec![game],
        );
        let (mut pages, mut names) = (Vec::new(), Vec::new());
        for game in games {
            let ruleset = rulebook(&snapshot, &game)?;
            pages.extend(show::find(&ruleset, &name)?);
            names.extend(things::names(&ruleset));
        }
        if pages.is_empty() {
            Err(show::unknown_name(&name, names.iter().map(String::as_str)))
        } else {
            Ok(json!(FoundPages::new(pages, script)))
        }
    }

    fn check(&self) -> Result<Value, Error> {
        match self.parse()? {
            CheckArguments {
                path: None,
                text: None,
            } => {
                let snapshot = self.bench.snapshot()?;
                let complaints = whole_check::check_all(
                    &snapshot.library,
                    Instant::now() + CHECK_TIME,
                    &|done, total| {
                        task::report_progress(
                            "trying situations",
                            done as f64 / total.max(1) as f64,
                            done as u64,
                        );
                    },
                );
                Ok(json!(complaints.report()))
            }
            _ => self.request("check"),
        }
    }

    fn play(&self) -> Result<Value, Error> {
        self.games.step(self.parse::<PlayStep>()?, |request| {
            self.ask_with("play", request)
        })
    }

    fn explain(&self) -> Result<Value, Error> {
        let ExplainArguments { name } = self.parse()?;
        Ok(json!(FoundPages::new(explain::explain(&name)?, false)))
    }
}

/// Returns the ruleset of a game's rulebook: with all variants that go together.
pub fn rulebook(snapshot: &DataSnapshot, game: &str) -> Result<Arc<Ruleset>, Error> {
    Ok(snapshot
        .rulebook_program(&PageRequest::of_game(game))?
        .ruleset
        .clone())
}
