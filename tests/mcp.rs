//! The agents' server, in real sessions of the SDK's own client over standard input and output.
#![cfg(feature = "mcp")]

use crate::common::server::Served;
use crate::common::stacks::built_in;
use crate::common::{Folder, Items, Says};
use casebook::data::library::Library;
use casebook::odds::best_play::best_play;
use casebook::odds::report::Qualified;
use casebook::odds::sample::SampleQuery;
use casebook::ruling::json::answer_json;
use casebook::serve::layout::error_json;
use casebook::usecase::settings::{CountLimits, SituationSettings};
use casebook::{Error, RulesetSpec, Situation, usecase};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest,
    ProgressNotificationParam, ReadResourceRequestParams, ResourceContents,
};
use rmcp::service::{
    NotificationContext, PeerRequestOptions, RoleClient, RunningService, ServiceError,
};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// An agent with the server running in a folder.
struct Agent {
    folder: Folder,
    runtime: Runtime,
    session: RunningService<RoleClient, ()>,
    _child: tokio::process::Child,
}

impl Agent {
    fn new(folder: Folder) -> Agent {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("there are threads");
        let (session, child) = runtime.block_on(async {
            let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_casebook"));
            command
                .arg("mcp")
                .current_dir(&folder.0)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .kill_on_drop(true);
            let mut child = command.spawn().expect("the binary runs");
            let pipes = (
                child.stdout.take().expect("its output"),
                child.stdin.take().expect("its input"),
            );
            (().serve(pipes).await.expect("the session begins"), child)
        });
        Agent {
            folder,
            runtime,
            session,
            _child: child,
        }
    }

    fn call(&self, tool: &'static str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        self.runtime.block_on(
            self.session
                .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)),
        )
    }

    /// The answer of a call, and whether it is an error.
    fn result(&self, tool: &'static str, arguments: Value) -> (Value, bool) {
        let result = self
            .call(tool, arguments.clone())
            .unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"));
        let answer = result.structured_content.expect("answers have a structure");
        let text = result.content[0]
            .as_text()
            .expect("and a text")
            .text
            .clone();
        assert_eq!(
            serde_json::from_str::<Value>(&text).expect("the text is the same as JSON"),
            answer
        );
        (answer, result.is_error == Some(true))
    }

    fn answer(&self, tool: &'static str, arguments: Value) -> Value {
        let (answer, wrong) = self.result(tool, arguments.clone());
        assert!(!wrong, "{tool} {arguments}: {answer}");
        answer
    }

    fn error(&self, tool: &'static str, arguments: Value) -> Value {
        let (answer, wrong) = self.result(tool, arguments.clone());
        assert!(wrong, "{tool} {arguments}: {answer}");
        answer
    }

    /// What the command line prints as JSON in the same folder.
    fn printed(&self, args: &[&str]) -> Value {
        printed(&self.folder, args)
    }
}

fn printed(folder: &Folder, args: &[&str]) -> Value {
    let run = folder.run(&[args, &["--format", "json"]].concat());
    serde_json::from_str(&run.out)
        .unwrap_or_else(|error| panic!("{error}: {}", run.terminal_output()))
}

#[test]
fn tools_and_resources_describe_themselves() {
    let agent = Agent::new(Folder::empty());
    let info = agent
        .session
        .peer_info()
        .expect("the server says who it is");
    assert_eq!(
        info.server_info.as_ref().map(|server| server.name.as_str()),
        Some("casebook")
    );
    assert!(
        info.instructions
            .as_deref()
            .is_some_and(|text| text.contains("cite")),
        "{info:?}"
    );
    let tools = agent
        .runtime
        .block_on(agent.session.list_all_tools())
        .expect("tools are listed");
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(
        names,
        [
            "list", "show", "resolve", "odds", "compare", "what_if", "check", "play", "explain"
        ]
    );
    for tool in &tools {
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert!(
            !schema.to_string().contains("#/components"),
            "{}: references stay within the schema",
            tool.name
        );
        jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{}: {error}", tool.name));
    }
    // The schema of the tool is that of the API: what one refuses, the other refuses.
    let resolve = jsonschema::validator_for(&Value::Object((*tools[2].input_schema).clone()))
        .expect("a schema");
    assert!(resolve.is_valid(
        &json!({ "situation": "leader-wounded", "dice": [3, 4], "set": { "A: B": "1" } })
    ));
    assert!(!resolve.is_valid(&json!({ "situation": "leader-wounded", "dices": [3] })));
    assert!(!resolve.is_valid(&json!({ "situation": "leader-wounded", "dice": [true] })));

    let resources = agent
        .runtime
        .block_on(agent.session.list_all_resources())
        .expect("resources are listed");
    let read = |uri: &str| {
        agent.runtime.block_on(
            agent
                .session
                .read_resource(ReadResourceRequestParams::new(uri)),
        )
    };
    let text = |uri: &str| match &read(uri)
        .unwrap_or_else(|error| panic!("{uri}: {error}"))
        .contents[..]
    {
        [ResourceContents::TextResourceContents { text, .. }] => text.clone(),
        other => panic!("{uri}: {other:?}"),
    };
    let library = built_in();
    for game in library.games.keys() {
        let rulebook = text(&format!("casebook://{game}/rulebook"));
        let cases: Vec<&str> = resources
            .iter()
            .filter_map(|one| one.uri.strip_prefix(&*format!("casebook://{game}/case/")))
            .collect();
        assert!(cases.len() > 20, "{game} has cases");
        assert!(
            cases.iter().all(|number| rulebook.contains(*number)),
            "all stand in the rulebook of {game}"
        );
        let (case, table) = (
            cases[0],
            resources
                .iter()
                .find(|one| one.uri.starts_with(&format!("casebook://{game}/table/"))),
        );
        assert_eq!(
            text(&format!("casebook://{game}/case/{case}")),
            agent
                .folder
                .run(&["show", &format!("case {case}"), "--game", game])
                .out
        );
        assert!(!text(&table.expect("a game has tables").uri).is_empty());
    }
    for uri in [
        "casebook://wbts/case/99.99",
        "casebook://none/rulebook",
        "casebook://wbts",
        "file:///etc/passwd",
        "",
    ] {
        let error = read(uri).expect_err("there is no such resource");
        error.to_string().holds("no ");
    }
}

/// Odds without the number of explored states, which depends on the order of threads.
fn plain(odds: &Value) -> Value {
    let mut odds = odds.clone();
    odds["states"].take();
    odds
}

/// Every nth situation that ships, with its game.
fn every_nth_situation(library: &Library, n: usize) -> Vec<(String, String)> {
    let games = library.games.keys();
    games
        .flat_map(|game| {
            library
                .scenarios(game)
                .into_iter()
                .map(|(name, _)| (game.clone(), name))
        })
        .step_by(n)
        .collect()
}

/// Rulings of every fourth situation that ships.
#[test]
fn rulings_equal_those_of_the_command_line() {
    let agent = Agent::new(Folder::empty());
    let library = built_in();
    let situations = every_nth_situation(&library, 4);
    assert!(situations.len() > 50, "{} situations", situations.len());
    let from_agent: Vec<(Value, bool)> = situations
        .iter()
        .map(|(game, name)| agent.result("resolve", json!({ "game": game, "situation": name })))
        .collect();
    let (mut rulings, mut refused) = (0, 0);
    let halves: Vec<_> = situations.chunks(situations.len().div_ceil(2)).collect();
    let from_command: Vec<Value> = std::thread::scope(|scope| {
        let work = |half: &[(String, String)]| {
            let folder = Folder::empty();
            half.iter()
                .map(|(game, name)| printed(&folder, &["resolve", name, "--game", game]))
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = halves
            .into_iter()
            .map(|half| scope.spawn(move || work(half)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("it compares"))
            .collect()
    });
    for (((game, name), (answer, wrong)), printed) in
        situations.iter().zip(from_agent).zip(from_command)
    {
        if wrong {
            // A list of pieces is no situation; a missing figure is refused by both, in the same words.
            let key = if printed.get("complaints").is_some() {
                "complaints"
            } else {
                "error"
            };
            assert_eq!(answer[key], printed[key], "{game}/{name}");
            refused += 1;
        } else {
            assert_eq!(answer, printed, "{game}/{name}");
            let lines = answer["steps"]
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(|step| step["lines"].as_array().into_iter().flatten());
            assert!(
                lines.clone().all(|line| line["cites"].is_array()),
                "{game}/{name}: lines cite"
            );
            rulings += 1;
        }
    }
    assert!(rulings > 50, "{rulings} rulings, {refused} refused");
}

/// The first place where two answers differ, with both values.
fn difference(left: &Value, right: &Value, path: &str) -> Option<String> {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            keys.into_iter()
                .find_map(|key| difference(&left[key], &right[key], &format!("{path}/{key}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..a.len()).find_map(|at| difference(&a[at], &b[at], &format!("{path}/{at}")))
        }
        _ => (left != right).then(|| format!("{path}: {left} and {right}")),
    }
}

/// Largest number of states for which odds are compared: a long count ends in a sample, which depends on the time there
/// was. It is a number of states and not of seconds, so the same situations are compared on every machine.
const MAX_STATES: u64 = 100_000;

/// The odds of a situation as the command line prints them; `None` if the count needs more than `MAX_STATES`.
fn counted_odds(library: &Arc<Library>, game: &str, name: &str) -> Option<Result<Value, Error>> {
    let (settings, stop) = (SituationSettings::default(), AtomicBool::new(false));
    let progress = |_: &str, _: f64, states: u64| {
        stop.fetch_or(states > MAX_STATES, Ordering::Relaxed);
    };
    let count = || -> Result<(bool, Value), Error> {
        let variant = library
            .scenarios(game)
            .into_iter()
            .find(|(known, _)| known == name)
            .and_then(|(_, variant)| variant);
        let in_force = library.in_force_for(game, name, variant.as_deref());
        let variants: Vec<&str> = in_force.variants.iter().map(String::as_str).collect();
        let spec = RulesetSpec {
            options: in_force.options.into_iter().collect(),
            readings: in_force.readings.into_iter().collect(),
            ..RulesetSpec::new(game, &variants)
        };
        let situation = Situation::load(library, &spec, name)?;
        let limits = CountLimits {
            progress: &progress,
            ..CountLimits::new(Duration::from_secs(60), &stop)
        };
        let odds = usecase::odds::odds(&situation, &settings, SampleQuery::default(), limits)?;
        let complete = odds.result.odds.is_complete();
        let played = best_play(&odds.result.counted, &odds.result.odds, None)?;
        let report = usecase::odds::report(&situation, &played.odds, None, false);
        Ok((
            complete,
            answer_json(
                Qualified::new(report.with_play(&played, None), &odds.assumptions),
                library.files.home().as_deref(),
            ),
        ))
    };
    match count() {
        Ok((complete, json)) => complete.then_some(Ok(json)),
        Err(_) if stop.load(Ordering::Relaxed) => None,
        Err(error) => Some(Err(error)),
    }
}

/// The odds of every third situation: one session, and the same use case within this process. Every tenth of these is asked of the program.
#[test]
fn odds_equal_those_of_the_command_line() {
    let agent = Agent::new(Folder::empty());
    let library = built_in();
    let situations = every_nth_situation(&library, 3);
    let (sender, receiver) = std::sync::mpsc::channel();
    let (mut equal, mut refused, mut long) = (0, 0, Vec::new());
    std::thread::scope(|scope| {
        let (library, situations) = (&library, &situations);
        scope.spawn(move || {
            for (game, name) in situations {
                sender
                    .send((game, name, counted_odds(library, game, name)))
                    .expect("somebody compares");
            }
        });
        for (number, (game, name, counted)) in receiver.iter().enumerate() {
            let Some(counted) = counted else {
                long.push(format!("{game}/{name}"));
                continue;
            };
            let (answer, wrong) = agent.result("odds", json!({ "game": game, "situation": name }));
            // A busy computer may have no time for some of the others.
            if answer.to_string().contains("its time was up") {
                long.push(format!("{game}/{name}"));
                continue;
            }
            match counted {
                Ok(counted) => {
                    assert!(!wrong, "{game}/{name}: {answer}");
                    // Parsed from text, as the numbers of the answer are.
                    let counted: Value =
                        serde_json::from_str(&counted.to_string()).expect("it is JSON");
                    assert_eq!(
                        difference(&plain(&answer), &plain(&counted), ""),
                        None,
                        "{game}/{name}"
                    );
                    assert!(answer["assumed"].is_object(), "{answer}");
                    equal += 1;
                    if number % 10 == 0 {
                        assert_eq!(
                            plain(&answer),
                            plain(&agent.printed(&["odds", name, "--game", game])),
                            "{game}/{name}"
                        );
                    }
                }
                Err(error) => {
                    assert!(wrong, "{game}/{name}: {error} and {answer}");
                    assert_eq!(answer, error_json(&error), "{game}/{name}");
                    refused += 1;
                }
            }
        }
    });
    println!(
        "{equal} equal, {refused} refused by both, more than {MAX_STATES} states: {}",
        long.join(", ")
    );
    assert!(
        long.len() * 20 < situations.len(),
        "{equal} equal, {refused} refused by both, too long: {}",
        long.join(", ")
    );
}

/// A count reports increasing progress, and can be cancelled.
#[test]
fn long_counts_report_their_progress() {
    #[derive(Clone, Default)]
    struct Watcher(Arc<Mutex<Vec<(f64, String)>>>);
    impl ClientHandler for Watcher {
        async fn on_progress(
            &self,
            notice: ProgressNotificationParam,
            _: NotificationContext<RoleClient>,
        ) {
            self.0
                .lock()
                .expect("nobody panicked")
                .push((notice.progress, notice.message.unwrap_or_default()));
        }
    }
    let folder = Folder::empty();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("there are threads");
    let watcher = Watcher::default();
    runtime.block_on(async {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_casebook"));
        command
            .arg("mcp")
            .current_dir(&folder.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().expect("the binary runs");
        let pipes = (
            child.stdout.take().expect("its output"),
            child.stdin.take().expect("its input"),
        );
        let session = watcher
            .clone()
            .serve(pipes)
            .await
            .expect("the session begins");
        let call = |tool: &'static str, arguments: Value| {
            let Value::Object(arguments) = arguments else {
                unreachable!()
            };
            ClientRequest::CallToolRequest(CallToolRequest::new(
                CallToolRequestParams::new(tool).with_arguments(arguments),
            ))
        };
        let sent = session.send_cancellable_request(
            call("odds", json!({ "situation": "brigade-assault" })),
            PeerRequestOptions::no_options(),
        );
        let sent = sent.await.expect("it is sent");
        let messages = || watcher.0.lock().expect("nobody panicked").clone();
        let end = Instant::now() + Duration::from_secs(20);
        let counts = |notices: &[(f64, String)]| {
            notices
                .iter()
                .any(|(_, message)| message.starts_with("counting states and runs: "))
        };
        while (messages().len() < 3 || !counts(&messages())) && Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        sent.cancel(Some("nobody wants it".into()))
            .await
            .expect("it is cancelled");
        let notices = messages();
        assert!(notices.len() >= 3 && counts(&notices), "{notices:?}");
        assert!(
            notices.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "{notices:?}"
        );
        // The count has ended: another can begin, and no more messages of it come.
        let start = Instant::now();
        let sent = session.send_cancellable_request(
            call("explain", json!({ "name": "reading" })),
            PeerRequestOptions::no_options(),
        );
        sent.await
            .expect("it is sent")
            .await_response()
            .await
            .expect("it is answered");
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?}",
            start.elapsed()
        );
        let count = messages().len();
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert_eq!(messages().len(), count);
    });
}

#[test]
fn listings_equal_those_of_the_command_line() {
    let agent = Agent::new(Folder::skirmish());
    assert_eq!(
        agent.answer("list", json!({ "game": "skirmish" })),
        agent.printed(&["list", "--game", "skirmish"])
    );
    for name in [
        "1.1",
        "combat",
        "Red foot",
        "bridge",
        "attack",
        "situations",
    ] {
        let arguments = json!({ "name": name, "game": "skirmish" });
        assert_eq!(
            agent.answer("show", arguments),
            agent.printed(&["show", name, "--game", "skirmish"]),
            "{name}"
        );
    }
    let arguments = json!({ "name": "1.1", "game": "skirmish", "script": true });
    assert_eq!(
        agent.answer("show", arguments),
        agent.printed(&["show", "1.1", "--game", "skirmish", "--script"])
    );
    assert_eq!(agent.answer("check", json!({})), agent.printed(&["check"]));
    let other_agent = Agent::new(Folder::empty());
    for name in ["dice", "roll", "reading", "figure", "game"] {
        assert_eq!(
            other_agent.answer("explain", json!({ "name": name })),
            other_agent.printed(&["explain", name]),
            "{name}"
        );
    }
    let listed = agent.answer("list", json!({}));
    let games = listed["games"].as_array().expect("games");
    let own = games.iter().find(|game| game["game"] == "skirmish");
    assert_eq!(
        own.expect("the folder's own game")["blocks"][0]["values"],
        json!(["errata", "winter"]),
        "{listed}"
    );

    let compared = agent.answer(
        "compare",
        json!({ "situation": "bridge", "rulesets": [[], ["errata"]] }),
    );
    let printed = agent.printed(&["compare", "bridge", "--with", "", "--with", "errata"]);
    for key in ["situation", "set", "differences", "left_out"] {
        assert_eq!(compared[key], printed[key], "{key}");
    }
    for (answered, printed_ruleset) in compared["rulesets"]
        .items()
        .zip(printed["rulesets"].as_array().expect("a list"))
    {
        for key in ["ruleset", "in_force", "ruling", "assumed"] {
            assert_eq!(answered[key], printed_ruleset[key], "{key}");
        }
        assert_eq!(plain(&answered["odds"]), plain(&printed_ruleset["odds"]));
    }
    assert_eq!(compared["differences"][0]["verdict"], "differs");
}

/// The structure of an answer: its keys all the way down, and the kind of each value.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), shape(value)))
            .collect(),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::String(_) => "text".into(),
        Value::Number(_) => "number".into(),
        Value::Bool(_) => "truth".into(),
        Value::Null => "null".into(),
    }
}

/// The command line, the API and agents give a question one answer. Only the API has neither form nor folder in it: its address states the form.
#[test]
fn one_question_has_one_answer() {
    let folder = Folder::skirmish();
    folder.ok("resolve bridge --save battle.yaml");
    let journal = folder.read("battle.yaml");
    let table = folder.read("variants/errata/tables/combat.yaml");
    let served = Served::start(&folder.0);
    let agent = Agent::new(folder);
    let plain = |mut answer: Value| {
        answer
            .as_object_mut()
            .expect("an object")
            .retain(|key, _| !matches!(key.as_str(), "form" | "data"));
        answer
    };
    let printed = |args: &[&str]| plain(agent.printed(args));
    let (bridge, two) = (
        json!({ "situation": "bridge" }),
        json!({ "situation": "bridge", "rulesets": [[], ["errata"]] }),
    );
    let swept = "Red foot: strength=2..4";
    for (args, path, body, tool) in [
        (
            &["resolve", "bridge", "--seed", "1"][..],
            "/ruling",
            bridge.clone(),
            Some("resolve"),
        ),
        (&["odds", "bridge"], "/odds", bridge.clone(), Some("odds")),
        (
            &["compare", "bridge", "--with", "", "--with", "errata"],
            "/compare",
            two,
            Some("compare"),
        ),
        (
            &["odds", "bridge", "--sweep", swept],
            "/sweep",
            json!({ "at": bridge, "over": swept }),
            None,
        ),
        (
            &["luck", "battle.yaml"],
            "/luck",
            json!({ "journal": journal }),
            None,
        ),
    ] {
        let expected = shape(&printed(args));
        let (status, answer) = served.request("POST", path, Some(&body));
        assert_eq!(status, 200, "{path}: {answer}");
        assert_eq!(
            difference(&shape(&answer), &expected, ""),
            None,
            "{path} beside {args:?}"
        );
        if let Some(tool) = tool {
            assert_eq!(
                difference(&shape(&plain(agent.answer(tool, body))), &expected, ""),
                None,
                "{tool} beside {args:?}"
            );
        }
    }
    // The same changes have the same report.
    let rule = "1.1 throw: attack = add 1 when given.side == \"Red\"";
    let cell = "combat 1:1 5 = 0/3";
    let tried = printed(&["what-if", "bridge", "--cell", cell, "--rule", rule]);
    assert_eq!(tried["verdict"], "differs");
    let body = json!({ "at": { "situation": "bridge" }, "cell": [cell], "rule": [rule] });
    let (status, answer) = served.request("POST", "/what-if", Some(&body));
    assert_eq!((status, &answer), (200, &tried));
    assert_eq!(plain(agent.answer("what_if", body)), tried);
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("at", "bridge")
        .append_pair("cell", cell)
        .append_pair("rule", rule)
        .finish();
    let page = served.page_text(&format!("/what-if/skirmish/effect?{query}"));
    for change in tried["changes"].as_array().expect("a list") {
        let sentence = change["sentence"].as_str().unwrap_or_default();
        page.holds(sentence);
    }
    for outcome in tried["outcomes"].as_array().expect("a list") {
        for value in outcome["values"].as_array().expect("a list") {
            let percent = |key: &str| {
                value[key]
                    .as_f64()
                    .map(|share| format!("{:.1} %", share * 100.0))
            };
            let is_mean = value["value"] == "mean";
            let shown = [percent("from"), percent("to")].into_iter().flatten();
            for share in shown.filter(|_| !is_mean) {
                page.holds(&share);
            }
        }
    }
    let shown = |answer: &Value| {
        answer
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<BTreeSet<String>>()
    };
    let file = json!({ "path": "variants/errata/tables/combat.yaml", "text": table });
    for (args, method, path, body) in [
        (
            &["check", "--conflicts", "errata,winter"][..],
            "POST",
            "/conflicts",
            Some(file),
        ),
        (
            &["test", "2.1"],
            "POST",
            "/examples",
            Some(json!({ "path": "rules/skirmish/02-losses/2.1-losses.rhai" })),
        ),
        (&["list"], "GET", "/games", None),
        (&["show", "1.1"], "GET", "/games/skirmish/1.1", None),
    ] {
        assert_eq!(
            shown(&served.request(method, path, body.as_ref()).1),
            shown(&printed(args)),
            "{path} beside {args:?}"
        );
    }
    // What `--by` compares has the shape of `compare`, but for what dice come to.
    let (effect, compared) = (
        printed(&["odds", "bridge", "--by", "1.1.wagons"]),
        printed(&["compare", "bridge", "--with", "", "--with", "errata"]),
    );
    for list in ["rulesets", "differences"] {
        let keys = |answer: &Value| {
            shown(&answer[list][0])
                .into_iter()
                .filter(|key| key != "ruling")
                .collect::<BTreeSet<String>>()
        };
        assert_eq!(keys(&effect), keys(&compared), "{list}");
    }
}

#[test]
fn a_game_is_begun_answered_and_taken_back() {
    let agent = Agent::new(Folder::skirmish());
    let started = agent.answer(
        "play",
        json!({ "begin": { "situation": "bridge", "seed": 3 } }),
    );
    let number = started["game"].clone();
    let mut played = started.clone();
    let mut answers = 0;
    let first_answer = |played: &Value| {
        if played["waits"]["choice"].is_object() {
            json!({ "take": 0 })
        } else {
            json!("roll")
        }
    };
    while !played["waits"]["over"].is_object() {
        let answer = first_answer(&played);
        let next = agent.answer("play", json!({ "game": number, "answer": answer }));
        // After taking back, the position is the earlier one; the same answer gives the same position again.
        if answers == 0 {
            let back = agent.answer("play", json!({ "game": number, "undo": true }));
            assert_eq!(back["waits"], started["waits"]);
            assert_eq!(
                agent.answer("play", json!({ "game": number, "answer": answer })),
                next
            );
        }
        (played, answers) = (next, answers + 1);
        assert!(answers < 50, "{played}");
    }
    assert!(answers > 1, "{played}");
    // With first options and dice of the seed the game equals the ruling.
    let ruling = agent.answer(
        "resolve",
        json!({ "situation": "bridge", "seed": 3, "choose": { "Blue: first to lose": "first" } }),
    );
    assert_eq!(played["ruling"]["results"], ruling["results"]);

    let other_game = agent.answer("play", json!({ "begin": { "situation": "bridge" } }));
    assert_ne!(
        other_game["game"], number,
        "each game has a number of its own"
    );
    for (wrong, why) in [
        (
            json!({ "game": 99, "undo": true }),
            "no game has the number 99",
        ),
        (
            json!({ "game": other_game["game"], "undo": true }),
            "nothing was answered yet",
        ),
        (json!({ "game": other_game["game"] }), "say one of three"),
        (
            json!({ "begin": { "situation": "bridge" }, "undo": true }),
            "say one of three",
        ),
        (
            json!({ "game": other_game["game"], "answer": { "take": 99 } }),
            "nothing is to be chosen now",
        ),
        (
            json!({ "game": other_game["game"], "answer": "perhaps" }),
            "perhaps",
        ),
        (json!({ "begin": { "situation": "nowhere" } }), "nowhere"),
    ] {
        let error = agent.error("play", wrong.clone());
        error.to_string().holds(why);
    }
    let after = agent.answer(
        "play",
        json!({ "game": other_game["game"], "answer": first_answer(&other_game) }),
    );
    assert!(
        after["moves"].is_array(),
        "a wrong answer has left the game as it was"
    );
}

/// A figure that is not known is an error that says which, and where it would be filled in.
#[test]
fn missing_figures_are_refused() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    let agent = Agent::new(folder);
    let arguments =
        json!({ "situation": "first-fight", "dice": [6], "set": { "Blue guard: power": "2" } });
    let error = agent.error("resolve", arguments);
    let complaint = &error["complaints"][0];
    assert_eq!(complaint["code"], "figure", "{error}");
    complaint["help"].holds("tables/mine/fight.yaml");
    // What rests on reconstructed figures says so, and `strict` refuses it.
    let agent = Agent::new(Folder::empty());
    let ruling = agent.answer("resolve", json!({ "situation": "lee-attacks-porter" }));
    assert!(
        ruling["reconstructed"]
            .as_array()
            .is_some_and(|list| !list.is_empty()),
        "{ruling}"
    );
    let strict = agent.error(
        "resolve",
        json!({ "situation": "lee-attacks-porter", "strict": true }),
    );
    assert!(
        strict["complaints"]
            .as_array()
            .is_some_and(|list| !list.is_empty()),
        "{strict}"
    );
}

#[test]
fn wrong_requests_are_answered_in_words() {
    let agent = Agent::new(Folder::skirmish());
    let unknown = agent
        .call("resolv", json!({}))
        .expect_err("there is no such tool")
        .to_string();
    unknown.holds("no tool is called `resolv`; did you mean `resolve`?");
    let long = agent
        .call("resolve", json!({ "situation": "x".repeat(5 << 20) }))
        .expect_err("it is too long")
        .to_string();
    long.holds("too long");
    for (tool, arguments, why) in [
        ("resolve", json!({}), "situation"),
        (
            "resolve",
            json!({ "situation": "brigde" }),
            "did you mean `bridge`?",
        ),
        ("resolve", json!({ "situation": 7 }), "invalid type"),
        (
            "resolve",
            json!({ "situation": "bridge", "dice": "three" }),
            "invalid type",
        ),
        (
            "resolve",
            json!({ "situation": "bridge", "dice": [7] }),
            "complaint",
        ),
        (
            "resolve",
            json!({ "situation": "bridge", "with": ["erata"] }),
            "did you mean `errata`?",
        ),
        (
            "resolve",
            json!({ "situation": "bridge", "seeed": 1 }),
            "the arguments can't be read: unknown field `seeed`",
        ),
        (
            "odds",
            json!({ "situation": "bridge", "dice": [1] }),
            "`dice` are for a ruling",
        ),
        (
            "compare",
            json!({ "situation": "bridge", "rulesets": [[]] }),
            "two rulesets",
        ),
        ("show", json!({ "name": "nothing" }), "is called `nothing`"),
        (
            "show",
            json!({ "name": "1.1", "game": "chess" }),
            "no game is called `chess`",
        ),
        (
            "explain",
            json!({ "name": "nonsuch" }),
            "is called `nonsuch`",
        ),
        ("check", json!({ "text": "a: 1" }), "path"),
        ("list", json!({ "game": ["skirmish"] }), "invalid type"),
    ] {
        let error = agent.error(tool, arguments.clone());
        error.to_string().holds(why);
    }
    // A text in place of a file is checked and not written.
    let before = agent.folder.file_times();
    let arguments = json!({ "path": "variants/winter/tables/combat.yaml", "text": "table: combat\nkind: revision\n" });
    let complaints = agent.answer("check", arguments);
    assert!(
        complaints["complaints"]
            .as_array()
            .is_some_and(|list| !list.is_empty()),
        "{complaints}"
    );
    assert!(agent.folder.file_times() == before, "nothing was written");
}

/// A saved file is in force at the next call.
#[test]
fn edits_are_seen() {
    let agent = Agent::new(Folder::skirmish());
    let arguments = json!({ "situation": "bridge", "dice": [4] });
    let before = agent.answer("resolve", arguments.clone());
    agent.folder.replace(
        "scenarios/skirmish/bridge.yaml",
        "title: At the bridge",
        "title: At the ford",
    );
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let after = agent.answer("resolve", arguments.clone());
        if after["title"] == "At the ford" {
            break;
        }
        assert_eq!(after, before);
        assert!(Instant::now() < end, "the edit is not seen");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A skirmish whose attack never ends.
fn endless() -> Folder {
    let folder = Folder::skirmish();
    let text = folder.read("rules/skirmish/01-battle/1.1-attack.rhai");
    let at = text.find("fn attack(given) {").expect("the procedure") + "fn attack(given) {".len();
    let busy = "\n    let list = [];\n    for i in 0..4000 { list.push([i, `${i}`]); }\n    while true { distinct(list); }";
    folder.write(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        format!("{}{busy}{}", &text[..at], &text[at..]),
    );
    folder
}

/// A cancelled call ends and frees its slot.
#[test]
fn a_cancelled_request_ends() {
    let agent = Agent::new(endless());
    agent.runtime.block_on(async {
        let mut handles = Vec::new();
        for _ in 0..32 {
            let Value::Object(arguments) = json!({ "situation": "bridge" }) else {
                unreachable!()
            };
            let request = CallToolRequest::new(
                CallToolRequestParams::new("resolve").with_arguments(arguments),
            );
            let sent = agent.session.send_cancellable_request(
                ClientRequest::CallToolRequest(request),
                PeerRequestOptions::no_options(),
            );
            handles.push(sent.await.expect("it is sent"));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        for handle in handles {
            handle
                .cancel(Some("nobody wants it".into()))
                .await
                .expect("it is cancelled");
        }
    });
    let start = Instant::now();
    agent.answer("explain", json!({ "name": "reading" }));
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

/// A message that the SDK would drop is answered with an error of its id, and the next one is read.
#[test]
fn messages_out_of_bounds_are_answered() {
    let folder = Folder::skirmish();
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
        { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } } });
    let call = |id: Value, name: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"explain\",\"arguments\":{{\"name\":{name}}}}}}}"
        )
    };
    let spoken = [
        begin.to_string(),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
        call(json!(2), &format!("{}{}", "[".repeat(500), "]".repeat(500))),
        call(json!("three"), &format!("\"{}\"", "x".repeat(20 << 20))),
        call(json!(4), "\"reading\""),
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
    command
        .arg("mcp")
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut input = child.stdin.take().expect("its input");
    spoken
        .iter()
        .for_each(|line| writeln!(input, "{line}").expect("it reads"));
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(
        child.stdout.take().expect("its output"),
    ));
    let mut answers = std::collections::BTreeMap::new();
    while answers.len() < 4 {
        let answer: Value =
            serde_json::from_str(&lines.next().expect("an answer").expect("a line")).expect("JSON");
        answers.insert(answer["id"].to_string(), answer);
    }
    drop(input);
    child.wait().expect("it ends");
    for (id, why) in [("2", "too deep"), ("\"three\"", "too long")] {
        answers[id]["error"]["message"].holds(why);
    }
    assert!(answers["4"]["result"].is_object(), "{}", answers["4"]);
}

/// The server ends when its input ends, also while it works; an invalid line does not end it.
#[test]
fn the_server_ends_with_its_input() {
    let folder = endless();
    let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
        { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let call = |id: u64, tool: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    let spoken = [
        begin.to_string(),
        ready.to_string(),
        "this is not a message".into(),
        "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"tools/call\", \"params\": {\"name\": \"list\", \"arguments\": 7}}".into(),
        call(3, "explain", json!({ "name": "reading" })).to_string(),
        call(4, "resolve", json!({ "situation": "bridge" })).to_string(),
    ];
    for lines in [&spoken[..0], &spoken[..1], &spoken[..5], &spoken[..]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_casebook"))
            .arg("mcp")
            .current_dir(&folder.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut input = child.stdin.take().expect("its input");
        for line in lines {
            writeln!(input, "{line}").expect("it reads");
        }
        // Time for the call that never ends to begin.
        std::thread::sleep(Duration::from_millis(if lines.len() == 6 {
            1500
        } else {
            500
        }));
        let start = Instant::now();
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let message = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(
            output.status.code(),
            Some(0),
            "{message} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            message
                .lines()
                .all(|line| serde_json::from_str::<Value>(line).is_ok()),
            "only messages are printed: {message}"
        );
        if lines.len() > 4 {
            let answer = |id: u64| {
                message
                    .lines()
                    .filter_map(|line| serde_json::from_str::<Value>(line).ok())
                    .find(|message| message["id"] == id)
            };
            assert!(
                answer(3).is_some_and(|answer| answer["result"]["isError"] == false),
                "{message}"
            );
            assert!(
                answer(2).is_none_or(|answer| answer["error"].is_object()),
                "{message}"
            );
        }
    }
}
