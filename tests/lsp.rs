//! The language server, in real sessions over standard input and output.
#![cfg(feature = "lsp")]

use crate::common::{self, Folder, Items, Says};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const FIGHTS: &str = "rules/mine/01-fighting/1.1-fights.rhai";
const LOSSES: &str = "rules/mine/01-fighting/1.2-losses.rhai";
const CHART: &str = "tables/mine/fight.yaml";
const FIRST: &str = "scenarios/mine/first-fight.yaml";

/// Timeout of an answer, long enough for a busy computer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An editor with a folder open.
struct Editor {
    folder: Folder,
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    last_request: i64,
    version: i64,
}

impl Editor {
    /// Opens the game that `casebook new game` lays out.
    fn new() -> Editor {
        let folder = Folder::empty();
        folder.ok("new game mine");
        Editor::with_folder(folder)
    }

    fn with_folder(folder: Folder) -> Editor {
        let mut child = Command::new(env!("CARGO_BIN_EXE_casebook"))
            .arg("lsp")
            .current_dir(&folder.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let input = child.stdin.take();
        let mut reader = BufReader::new(child.stdout.take().expect("its output"));
        let (send, output) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read_message(&mut reader) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut editor = Editor {
            folder,
            child,
            input,
            output,
            last_request: 0,
            version: 0,
        };
        let root = editor.uri("");
        let answer = editor.request_result(
            "initialize",
            json!({ "processId": null, "rootUri": root, "capabilities": {} }),
        );
        assert_eq!(answer["serverInfo"]["name"], "casebook");
        editor.notify("initialized", json!({}));
        editor
    }

    fn uri(&self, path: &str) -> String {
        let root = std::fs::canonicalize(&self.folder.0).expect("the test's own folder");
        format!(
            "file://{}",
            root.join(path).to_string_lossy().trim_end_matches('/')
        )
    }

    fn send(&mut self, message: Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("it is open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        input.flush().expect("it listens");
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The answer to a question; notifications on the way are dropped.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_request += 1;
        let id = self.last_request;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self
                .output
                .recv_timeout(TIMEOUT)
                .unwrap_or_else(|_| panic!("{method} is not answered"));
            if message["id"] == id {
                return message;
            }
        }
    }

    fn request_result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The next complaints about a file.
    fn complaints(&mut self, path: &str) -> Vec<Value> {
        let uri = self.uri(path);
        loop {
            let message = self
                .output
                .recv_timeout(TIMEOUT)
                .unwrap_or_else(|_| panic!("nothing is said of {path}"));
            if message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri.as_str()
            {
                return message["params"]["diagnostics"]
                    .as_array()
                    .expect("a list")
                    .clone();
            }
        }
    }

    fn open(&mut self, path: &str) -> String {
        let text = self.folder.read(path);
        let document =
            json!({ "uri": self.uri(path), "languageId": "yaml", "version": 0, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        text
    }

    fn change(&mut self, path: &str, text: &str) -> Vec<Value> {
        self.version += 1;
        let document = json!({ "uri": self.uri(path), "version": self.version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
        self.complaints(path)
    }

    /// Sends a request about a position: `offset` characters into the first occurrence of a text.
    fn request_at(
        &mut self,
        method: &str,
        path: &str,
        text: &str,
        word: &str,
        offset: usize,
        fields: Value,
    ) -> Value {
        let params = self.position_params(path, text, word, offset, fields);
        self.request_result(method, params)
    }

    fn position_params(
        &self,
        path: &str,
        text: &str,
        word: &str,
        offset: usize,
        fields: Value,
    ) -> Value {
        let start = text
            .find(word)
            .unwrap_or_else(|| panic!("no {word} in {path}"))
            + offset;
        let (line, character) = (
            text[..start].matches('\n').count(),
            start - text[..start].rfind('\n').map_or(0, |n| n + 1),
        );
        let mut params = json!({ "textDocument": { "uri": self.uri(path) }, "position": { "line": line, "character": character } });
        params
            .as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("an object").clone());
        params
    }

    fn completion_labels(
        &mut self,
        path: &str,
        text: &str,
        word: &str,
        into: usize,
    ) -> Vec<String> {
        let completion =
            self.request_at("textDocument/completion", path, text, word, into, json!({}));
        completion
            .items()
            .map(|item| item["label"].as_str().expect("a label").to_string())
            .collect()
    }

    /// Shuts the server down, which has to end successfully.
    fn shut_down(mut self) {
        self.request_result("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.input = None;
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(reader: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Applies the edits of one document to its text.
fn apply_edits(text: &str, edits: &[Value]) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        before + position["character"].as_u64().expect("a character") as usize
    };
    let mut edits: Vec<(usize, usize, String)> = edits
        .iter()
        .map(|edit| {
            (
                offset(&edit["range"]["start"]),
                offset(&edit["range"]["end"]),
                edit["newText"].as_str().expect("a text").to_string(),
            )
        })
        .collect();
    edits.sort();
    let mut text = text.to_string();
    for (from, to, new) in edits.into_iter().rev() {
        text.replace_range(from..to, &new);
    }
    text
}

#[test]
fn complaints_come_while_typing() {
    let mut editor = Editor::new();
    let text = editor.open(CHART);
    assert_eq!(editor.complaints(CHART), Vec::<Value>::new());
    let broken = text.replace("fields:", "feilds:");
    let complaints = editor.change(CHART, &broken);
    let misspelt = complaints
        .iter()
        .find(|c| c["code"] == "unknown-key")
        .expect("the key is complained of");
    assert_eq!(misspelt["range"]["start"]["character"], 0);
    assert_eq!(misspelt["range"]["end"]["character"], 6);
    misspelt["message"]
        .as_str()
        .expect("a message")
        .holds("did you mean `fields`");
    assert_eq!(
        editor.change(CHART, &text),
        Vec::<Value>::new(),
        "what is mended is taken back"
    );
    assert_eq!(editor.folder.read(CHART), text, "nothing is written");
    editor.shut_down();
}

#[test]
fn a_script_is_complained_of_at_its_line() {
    let mut editor = Editor::new();
    let text = editor.open(FIGHTS);
    editor.complaints(FIGHTS);
    let complaints = editor.change(FIGHTS, &text.replace("= roll(", "= rol("));
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert_eq!(complaints[0]["code"], "unknown-function");
    assert_eq!(
        complaints[0]["range"]["start"]["line"],
        text[..text.find("= roll(").expect("there")]
            .matches('\n')
            .count()
    );
    let complaints = editor.change(
        FIGHTS,
        &text.replace("fn fight(given) {", "fn fight(given) "),
    );
    assert!(
        complaints.iter().any(|c| c["code"] == "script"),
        "{complaints:?}"
    );
    editor.shut_down();
}

/// Complaints in other files follow when nothing was typed for a while.
#[test]
fn a_change_is_complained_of_in_other_files() {
    let mut editor = Editor::new();
    let text = editor.open(LOSSES);
    editor.complaints(LOSSES);
    editor.change(
        LOSSES,
        &text.replace("fn take_losses(", "fn take_the_losses("),
    );
    let complaints = editor.complaints(FIGHTS);
    assert!(
        complaints.iter().any(|c| c["code"] == "unknown-function"),
        "{complaints:?}"
    );
    editor.change(LOSSES, &text);
    assert_eq!(editor.complaints(FIGHTS), Vec::<Value>::new());
    editor.shut_down();
}

#[test]
fn hovering_explains() {
    let mut editor = Editor::new();
    let text = editor.open(FIGHTS);
    let hover = |editor: &mut Editor, wanted: &str, into: usize| {
        let hover = editor.request_at("textDocument/hover", FIGHTS, &text, wanted, into, json!({}));
        hover["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    let verb = hover(&mut editor, "roll(", 1);
    verb.holds("roll(dice, purpose, [of]): a verb");
    verb.holds("dice([5])");
    let function = hover(&mut editor, "take_losses(given.side", 2);
    function.holds("fn take_losses(side, units, points)");
    function.holds("who answers, newest first");
    let table = hover(&mut editor, "\"fight\", against", 2);
    table.holds("fight: a table of mine");
    table.holds("odds");
    let key = hover(&mut editor, "procedure: fight", 2);
    key.holds("only such a case may change the situation");
    let chart = editor.open(CHART);
    let chart_hover = editor.request_at(
        "textDocument/hover",
        CHART,
        &chart,
        "dice: 1d6",
        1,
        json!({}),
    );
    chart_hover["contents"]["value"].holds("which its labels must cover");
    let first = editor.open(FIRST);
    let piece_hover = editor.request_at(
        "textDocument/hover",
        FIRST,
        &first,
        "Red guard",
        2,
        json!({}),
    );
    piece_hover["contents"]["value"].holds("power 4");
    editor.shut_down();
}

/// Hover and definition of an amended function show both answers.
#[test]
fn amendments_are_shown_and_linked() {
    let folder = Folder::empty();
    folder.ok("new game mine");
    folder.ok("new case 1.1 --variant rain");
    let mut editor = Editor::with_folder(folder);
    let text = editor.open(FIGHTS);
    let hover = editor.request_at(
        "textDocument/hover",
        FIGHTS,
        &text,
        "may_fight(unit)",
        2,
        json!({}),
    );
    let said = hover["contents"]["value"]
        .as_str()
        .expect("a text")
        .to_string();
    said.holds("1.1 rain");
    said.holds("1.1 mine");
    let definition = editor.request_at(
        "textDocument/definition",
        FIGHTS,
        &text,
        "may_fight(u)",
        2,
        json!({}),
    );
    let places: Vec<&str> = definition
        .items()
        .filter_map(|place| place["uri"].as_str())
        .collect();
    assert_eq!(places.len(), 2, "{definition}");
    assert!(
        places[0].ends_with("variants/rain/rules/01-fighting/1.1-fights.rhai")
            && places[1].ends_with(FIGHTS),
        "the newest first: {places:?}"
    );
    editor.shut_down();
}

#[test]
fn definitions_and_references_are_found() {
    let mut editor = Editor::new();
    let text = editor.open(FIGHTS);
    let definitions = editor.request_at(
        "textDocument/definition",
        FIGHTS,
        &text,
        "take_losses(given.side",
        3,
        json!({}),
    );
    assert!(
        definitions[0]["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with(LOSSES)),
        "{definitions}"
    );
    let losses = editor.open(LOSSES);
    let line = losses[..losses.find("fn take_losses").expect("there")]
        .matches('\n')
        .count();
    assert_eq!(
        definitions[0]["range"]["start"],
        json!({ "line": line, "character": 3 })
    );
    let table = editor.request_at(
        "textDocument/definition",
        FIGHTS,
        &text,
        "\"fight\", against",
        2,
        json!({}),
    );
    assert!(
        table[0]["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with(CHART)),
        "{table}"
    );
    let first = editor.open(FIRST);
    let procedure = editor.request_at(
        "textDocument/definition",
        FIRST,
        &first,
        "procedure: fight",
        12,
        json!({}),
    );
    assert!(
        procedure[0]["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with(FIGHTS)),
        "{procedure}"
    );
    let asks = |editor: &mut Editor, answers: bool| {
        let context = json!({ "context": { "includeDeclaration": answers } });
        editor
            .request_at(
                "textDocument/references",
                LOSSES,
                &losses,
                "fn take_losses",
                5,
                context,
            )
            .as_array()
            .expect("a list")
            .len()
    };
    assert_eq!(
        asks(&mut editor, false),
        3,
        "twice in the fight, once in an example"
    );
    assert_eq!(asks(&mut editor, true), 4);
    let chart = editor.open(CHART);
    let context = json!({ "context": { "includeDeclaration": false } });
    let references = editor.request_at(
        "textDocument/references",
        CHART,
        &chart,
        "table: fight",
        8,
        context,
    );
    assert!(
        references.items().any(|place| place["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with(FIGHTS))),
        "{references}"
    );
    editor.shut_down();
}

#[test]
fn completions_are_offered() {
    let mut editor = Editor::new();
    let text = editor.open(FIGHTS);
    let has = |labels: &[String], wanted: &[&str]| {
        for label in wanted {
            assert!(
                labels.iter().any(|l| l == label),
                "no {label} in {labels:?}"
            );
        }
    };
    has(
        &editor.completion_labels(FIGHTS, &text, "let die", 0),
        &["roll", "take_losses", "fight_odds", "half_up"],
    );
    has(
        &editor.completion_labels(FIGHTS, &text, "unit.power", 5),
        &["power", "pace", "side", "where"],
    );
    has(
        &editor.completion_labels(FIGHTS, &text, "table(\"fight", 7),
        &["fight"],
    );
    has(
        &editor.completion_labels(FIGHTS, &text, "reading(\"carts", 9),
        &["carts", "1.1.carts"],
    );
    has(
        &editor.completion_labels(FIGHTS, &text, "is_a(unit, \"soldier", 12),
        &["soldier", "trooper", "cart"],
    );
    has(
        &editor.completion_labels(FIGHTS, &text, "kind: rule", 6),
        &["rule", "new case", "addition"],
    );
    let chart = editor.open(CHART);
    has(
        &editor.completion_labels(CHART, &chart, "kind: rule", 6),
        &["correction"],
    );
    has(
        &editor.completion_labels(CHART, &chart, "source: { doc", 10),
        &["doc", "at"],
    );
    has(
        &editor.completion_labels(CHART, &chart, "dice: 1d6", 0),
        &["of", "labels", "dice"],
    );
    has(
        &editor.completion_labels(CHART, &chart, "fields:", 0),
        &["fields", "cells", "known"],
    );
    let first = editor.open(FIRST);
    has(
        &editor.completion_labels(FIRST, &first, "side: Red", 6),
        &["Red", "Blue"],
    );
    has(
        &editor.completion_labels(FIRST, &first, "kind: trooper", 6),
        &["trooper", "cart"],
    );
    has(
        &editor.completion_labels(FIRST, &first, "value: \"4-2\"", 0),
        &["value", "power", "at"],
    );
    has(
        &editor.completion_labels(FIRST, &first, "procedure: fight", 11),
        &["fight"],
    );
    // What the procedure of the situation is given: the names on its card, and their values.
    has(
        &editor.completion_labels(FIRST, &first, "{ side: Red, from", 2),
        &["side", "from", "into"],
    );
    has(
        &editor.completion_labels(FIRST, &first, "{ side: Red, from", 8),
        &["Red", "Blue"],
    );
    let tests = editor.open("tests/mine/first-fight.yaml");
    has(
        &editor.completion_labels("tests/mine/first-fight.yaml", &tests, "dice: [4]", 0),
        &["given", "dice", "then", "refused"],
    );
    has(
        &editor.completion_labels("tests/mine/first-fight.yaml", &tests, "given: first", 7),
        &["first-fight"],
    );
    editor.shut_down();
}

#[test]
fn a_function_is_renamed_wherever_it_stands() {
    let mut editor = Editor::new();
    let text = editor.open(LOSSES);
    let fights = editor.folder.read(FIGHTS);
    let prepared = editor.request_at(
        "textDocument/prepareRename",
        LOSSES,
        &text,
        "fn take_losses",
        5,
        json!({}),
    );
    assert_eq!(prepared["placeholder"], "take_losses");
    let edit = editor.request_at(
        "textDocument/rename",
        LOSSES,
        &text,
        "fn take_losses",
        5,
        json!({ "newName": "suffer" }),
    );
    let changes = edit["changes"].as_object().expect("changes").clone();
    assert_eq!(changes.len(), 2);
    for (path, text) in [(LOSSES, &text), (FIGHTS, &fights)] {
        let edits = changes[&editor.uri(path)]
            .as_array()
            .expect("edits")
            .clone();
        editor.folder.write(path, apply_edits(text, &edits));
    }
    editor.folder.ok("check");
    editor.folder.ok("test");
    let refused = |editor: &mut Editor, path: &str, text: &str, wanted: &str, name: &str| {
        let params = editor.position_params(path, text, wanted, 3, json!({ "newName": name }));
        editor.request("textDocument/rename", params)["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    let fights = editor.open(FIGHTS);
    refused(&mut editor, FIGHTS, &fights, "fn fight(given)", "brawl").holds("procedure");
    refused(&mut editor, FIGHTS, &fights, "fn may_fight", "roll").holds("already");
    refused(&mut editor, FIGHTS, &fights, "fn may_fight", "May Fight").holds("letters");
    editor.shut_down();
}

#[test]
fn a_reading_and_a_piece_are_renamed_wherever_they_stand() {
    let mut editor = Editor::new();
    editor.open(FIGHTS);
    editor.complaints(FIGHTS);
    // All files are read by now; the next change is written to disk without a notification.
    let tests = "tests/mine/fights.yaml";
    let test_file = "form: 1\ntests:\n  - test: the cart helps\n    given: first-fight\n    readings: { 1.1.carts: help }\n    choose: { \"Red: first to lose\": Red scouts }\n    dice: [1]\n    then: { attacker losses: 1, Red scouts: \"2 left\" }\n";
    editor.folder.write(tests, test_file);
    // Another situation with other pieces of the same names.
    let second = "scenarios/mine/second-fight.yaml";
    editor.folder.write(
        second,
        editor
            .folder
            .read(FIRST)
            .replace("first-fight", "second-fight"),
    );
    let rename = |editor: &mut Editor, path: &str, word: &str, into: usize, name: &str| {
        let text = editor.open(path);
        let edit = editor.request_at(
            "textDocument/rename",
            path,
            &text,
            word,
            into,
            json!({ "newName": name }),
        );
        let changes = edit["changes"]
            .as_object()
            .unwrap_or_else(|| panic!("{word}: {edit}"))
            .clone();
        let mut changed: Vec<String> = Vec::new();
        for path in [FIGHTS, LOSSES, FIRST, tests] {
            if let Some(edits) = changes.get(&editor.uri(path)).and_then(Value::as_array) {
                editor
                    .folder
                    .write(path, apply_edits(&editor.folder.read(path), edits));
                changed.push(path.into());
            }
        }
        assert_eq!(changed.len(), changes.len(), "{changes:?}");
        changed
    };
    assert_eq!(
        rename(&mut editor, FIGHTS, "reading(\"carts\")", 10, "wagons"),
        [FIGHTS, tests]
    );
    let fights = editor.folder.read(FIGHTS);
    fights.holds("//!   wagons: [stay");
    fights.holds("reading(\"wagons\")");
    fights.holds("reading: 1.1.wagons=help");
    editor.folder.read(tests).holds("1.1.wagons: help");
    let changed = rename(&mut editor, FIRST, "Red scouts", 2, "Red riders");
    assert!(changed.contains(&FIRST.to_string()));
    assert!(changed.contains(&tests.to_string()));
    // A piece gives outcomes their names.
    editor.folder.read(tests).holds("Red riders: \"2 left\"");
    // The piece of another situation keeps its name.
    editor.folder.read(second).holds("Red scouts");
    editor.folder.ok("check");
    let first = editor.folder.read(FIRST);
    let mut editor = Editor::with_folder(std::mem::replace(&mut editor.folder, Folder::empty()));
    editor.open(FIRST);
    let params = editor.position_params(
        FIRST,
        &first,
        "Red riders",
        2,
        json!({ "newName": "Blue guard" }),
    );
    let refused = editor.request("textDocument/rename", params)["error"]["message"]
        .as_str()
        .unwrap_or_default()
        .to_string();
    refused.holds("already");
    editor.shut_down();
}

#[test]
fn a_remedy_mends_what_is_complained_of() {
    let mut editor = Editor::new();
    let text = editor.open(CHART);
    editor.complaints(CHART);
    for (good, bad) in [
        ("fields:", "feilds:"),
        ("\"1:2\"", "1:2"),
        ("kind: rule", "kind: rul"),
    ] {
        let broken = text.replacen(good, bad, 1);
        let complaints = editor.change(CHART, &broken);
        let complaint = complaints
            .first()
            .unwrap_or_else(|| panic!("{bad} is complained of"))
            .clone();
        let params = json!({ "textDocument": { "uri": editor.uri(CHART) }, "range": complaint["range"], "context": { "diagnostics": complaints } });
        let actions = editor.request_result("textDocument/codeAction", params);
        let uri = editor.uri(CHART);
        let fixed_texts = actions
            .items()
            .filter_map(|action| action["edit"]["changes"][&uri].as_array().cloned());
        let fixed_texts: Vec<String> = fixed_texts
            .map(|edits| apply_edits(&broken, &edits))
            .collect();
        assert!(fixed_texts.contains(&text));
    }
    let complaints = editor.change(CHART, &text.replace("table: fight\n", "table: fights\n"));
    let params = json!({ "textDocument": { "uri": editor.uri(CHART) }, "range": complaints[0]["range"], "context": { "diagnostics": complaints } });
    let actions = editor
        .request_result("textDocument/codeAction", params)
        .to_string();
    actions.holds("Write \\\"fight\\\"");
    editor.shut_down();
}

#[test]
fn a_function_is_amended_in_a_variant() {
    let mut editor = Editor::new();
    let text = editor.open(FIGHTS);
    let line = text[..text.find("fn fight_odds").expect("there")]
        .matches('\n')
        .count();
    let position = json!({ "line": line, "character": 4 });
    let params = json!({ "textDocument": { "uri": editor.uri(FIGHTS) }, "range": { "start": position, "end": position }, "context": { "diagnostics": [] } });
    let actions = editor.request_result("textDocument/codeAction", params);
    let action = actions
        .items()
        .find(|a| a["title"] == "Amend `fight_odds` in a new variant my-house")
        .expect("it is offered");
    let root = editor.uri("");
    for operation in action["edit"]["documentChanges"]
        .as_array()
        .expect("operations")
    {
        if let Some(edits) = operation["edits"].as_array() {
            let uri = operation["textDocument"]["uri"].as_str().expect("a file");
            let path = uri
                .strip_prefix(&format!("{root}/"))
                .expect("in the folder")
                .to_string();
            editor.folder.write(&path, apply_edits("", edits));
        }
    }
    editor.folder.ok("check");
    let same = |with: &str| {
        editor
            .folder
            .json(&["resolve", "first-fight", "--format", "json", "--with", with])["results"]
            .clone()
    };
    assert_eq!(
        same("my-house"),
        same(""),
        "a blank that asks `prior()` changes no answer"
    );
    editor.shut_down();
}

/// Files saved by other programs are noticed: the server asks the editor to watch them.
#[test]
fn files_saved_elsewhere_are_read_again() {
    let mut editor = Editor::new();
    editor.open(FIGHTS);
    editor.complaints(FIGHTS);
    editor
        .folder
        .replace(LOSSES, "fn take_losses(", "fn take_the_losses(");
    editor.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": editor.uri(LOSSES), "type": 2 }] }),
    );
    let complaints = editor.complaints(FIGHTS);
    assert!(
        complaints.iter().any(|c| c["code"] == "unknown-function"),
        "{complaints:?}"
    );
    editor.shut_down();
}

/// Editors count in units of UTF-16.
#[test]
fn letters_of_any_width_keep_their_places() {
    let mut editor = Editor::new();
    let text = editor.open(FIRST);
    editor.complaints(FIRST);
    let text = text.replace(
        "name: Red guard, kind: trooper",
        "name: 🐎 Rétif, kind: tropper",
    );
    let complaints = editor.change(FIRST, &text);
    let line = text
        .lines()
        .find(|line| line.contains("tropper"))
        .expect("there");
    let before = line[..line.find("tropper").expect("there")]
        .encode_utf16()
        .count();
    let complaint = complaints
        .iter()
        .find(|c| c["code"] == "unknown-name")
        .expect("the kind is complained of");
    assert_eq!(complaint["range"]["start"]["character"], before);
    assert_eq!(
        complaint["range"]["end"]["character"],
        before + "tropper".len()
    );
    editor.shut_down();
}

/// Requests about unknown places and unrelated files are answered.
#[test]
fn bad_requests_do_not_end_the_server() {
    let mut editor = Editor::new();
    let unknown_place = json!({ "textDocument": { "uri": "file:///elsewhere/x.yaml" }, "position": { "line": 900, "character": 900 } });
    assert_eq!(
        editor.request_result("textDocument/hover", unknown_place.clone()),
        Value::Null
    );
    assert_eq!(
        editor.request_result("textDocument/completion", unknown_place),
        Value::Null
    );
    assert!(editor.request("textDocument/foldingRange", json!({}))["error"]["message"].is_string());
    let text = editor.open(FIGHTS);
    for broken in [
        "",
        "//! case",
        "fn",
        "fn (",
        &text[..text.len() / 2],
        "\u{0}\u{1}",
        &"[".repeat(2000),
    ] {
        editor.change(FIGHTS, broken);
        for method in ["hover", "definition", "completion"] {
            let params = json!({ "textDocument": { "uri": editor.uri(FIGHTS) }, "position": { "line": 0, "character": 2 } });
            editor.request_result(&format!("textDocument/{method}"), params);
        }
    }
    editor.shut_down();
}

/// Complaints about the largest game come within a limit after a change; a debug build has a larger one.
#[test]
fn complaints_come_soon() {
    let folder = Folder::copy_of(
        &common::repository(),
        &["rules", "tables", "scenarios", "variants", "tests"],
    );
    let mut editor = Editor::with_folder(folder);
    let path = "rules/wbts/08-combat/8.3-initiative-to-attack.rhai";
    let text = editor.open(path);
    editor.complaints(path);
    let mut times: Vec<Duration> = (0..5)
        .map(|n| {
            let changed = format!("{text}\n// {n}\n");
            let start = Instant::now();
            editor.change(path, &changed);
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("complaints after a change: {:?}", times);
    let max = if cfg!(debug_assertions) { 10_000 } else { 100 };
    assert!(times[2] < Duration::from_millis(max), "{times:?}");
    editor.shut_down();
}

/// Endless examples block neither requests nor edits: an edit cancels the running check.
#[test]
fn endless_examples_hold_up_nothing() {
    let mut editor = Editor::new();
    let text = editor.open(FIGHTS);
    let endless = "\nfn example_endless() {\n    let list = [];\n    for i in 0..4000 { list.push([i, `${i}`]); }\n    loop { distinct(list); }\n}\n";
    let start = Instant::now();
    for n in 0..4 {
        editor.change(FIGHTS, &format!("{text}{endless}// {n}\n"));
        // Long enough for the check of all data to begin.
        std::thread::sleep(Duration::from_millis(600));
        let params = json!({ "textDocument": { "uri": editor.uri(FIGHTS) }, "position": { "line": 0, "character": 2 } });
        editor.request_result("textDocument/hover", params);
    }
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    editor.change(FIGHTS, &text);
    editor.shut_down();
}

/// A length that is only stated takes no memory.
#[test]
fn a_stated_length_is_not_believed() {
    use std::io::Read;
    let folder = Folder::empty();
    let limited = format!(
        "ulimit -v 3000000; exec {} lsp",
        env!("CARGO_BIN_EXE_casebook")
    );
    let mut child = Command::new("sh")
        .args(["-c", &limited])
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    child
        .stdin
        .take()
        .expect("its input")
        .write_all(b"Content-Length: 10000000000\r\n\r\n{}")
        .expect("it reads");
    let mut message = String::new();
    child
        .stderr
        .take()
        .expect("its output")
        .read_to_string(&mut message)
        .expect("a text");
    assert!(
        child.wait().expect("it ends").code() == Some(2) && message.contains("64 MB"),
        "{message}"
    );
}
