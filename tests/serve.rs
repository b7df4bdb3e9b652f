//! The workbench over HTTP: answers match their schema, only authorised requests write, no path leads out of the data folder,
//! and concurrent requests get their own answers.
#![cfg(feature = "serve")]

use crate::common::server::Served;
use crate::common::{self, Folder, Items, Says};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use casebook::serve::routes::{ROUTES, RouteKind};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The small game with a workbench over it.
fn skirmish() -> (Folder, Served) {
    let folder = Folder::skirmish();
    let served = Served::start(&folder.0);
    (folder, served)
}

/// The schema as it is served.
fn served_schema(served: &Served) -> Value {
    served.request("GET", "/openapi.json", None).1
}

/// Validates a value by a schema of the document.
fn assert_valid(document: &Value, schema: &Value, value: &Value, description: &str) {
    let full_schema = json!({ "allOf": [schema], "components": document["components"] });
    let validator = jsonschema::validator_for(&full_schema)
        .unwrap_or_else(|error| panic!("{description}: the schema itself: {error}"));
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path))
        .collect();
    assert!(
        wrong.is_empty(),
        "{description}\n{}\n{value:#}",
        wrong.join("\n")
    );
}

/// Sends a request, and validates request and answer.
fn checked_request(
    served: &Served,
    document: &Value,
    method: &str,
    route: &str,
    path: &str,
    body: Option<Value>,
) -> Value {
    let operation = &document["paths"][route][method.to_lowercase()];
    assert!(
        operation.is_object(),
        "{method} {route} stands in the schema"
    );
    if let Some(body) = &body {
        assert_valid(
            document,
            &operation["requestBody"]["content"]["application/json"]["schema"],
            body,
            &format!("{method} {route}, asked"),
        );
    }
    let headers = [("authorization", format!("Bearer {}", served.token))];
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let (status, answer) = served.request_with(method, path, body.as_ref(), &headers);
    let answered = if status == 200 {
        &operation["responses"]["200"]
    } else {
        &operation["responses"]["default"]
    };
    // A program must bear new fields; here a field that is not described is wrong.
    let mut closed = document.clone();
    for schema in closed["components"]["schemas"]
        .as_object_mut()
        .expect("schemas")
        .values_mut()
    {
        if schema["properties"].is_object() && schema.get("additionalProperties").is_none() {
            schema["additionalProperties"] = json!(false);
        }
    }
    assert_valid(
        &closed,
        &answered["content"]["application/json"]["schema"],
        &answer,
        &format!("{method} {route}, answered {status}"),
    );
    assert_eq!(status, 200, "{method} {path}\n{answer:#}");
    answer
}

#[test]
fn every_answer_is_what_the_schema_says() {
    let (folder, served) = skirmish();
    let document = served_schema(&served);
    let get =
        |route: &str, path: &str| checked_request(&served, &document, "GET", route, path, None);
    let ask = |method: &str, route: &str, body: Value| {
        checked_request(&served, &document, method, route, route, Some(body))
    };
    get("/openapi.json", "/openapi.json");
    assert_eq!(get("/games", "/games")["games"][0]["game"], "skirmish");
    for name in ["2.1", "combat", "loss_order", "bridge"] {
        get("/games/{game}/{name}", &format!("/games/skirmish/{name}"));
    }
    let bridge = json!({ "situation": "bridge", "seed": 7 });
    assert!(ask("POST", "/ruling", bridge.clone())["results"]["defender losses"].is_number());
    let refused = ask(
        "POST",
        "/ruling",
        json!({ "situation": "bridge", "set": { "given: into": "\"0305\"" } }),
    );
    refused["refused"]["text"].holds("0305");
    let odds = ask("POST", "/odds", bridge.clone());
    assert_eq!(
        (&odds["complete"], &odds["situation"]),
        (&json!(true), &json!("bridge"))
    );
    assert!(
        odds["assumed"]["choices"].is_array(),
        "what they rest on is told: {odds:#}"
    );
    let sweep = ask(
        "POST",
        "/sweep",
        json!({ "at": { "situation": "bridge" }, "over": "Red foot: strength=3..5" }),
    );
    for point in sweep["points"].as_array().expect("a list") {
        let alone = ask(
            "POST",
            "/odds",
            json!({ "situation": "bridge", "set": { "Red foot: strength": point["value"] } }),
        );
        assert_eq!(
            point["odds"]["outcomes"], alone["outcomes"],
            "a point of a sweep is the odds with the figure set"
        );
    }
    let rulesets = json!({ "situation": "bridge", "rulesets": [[], ["errata"]] });
    let sweep = ask(
        "POST",
        "/sweep",
        json!({ "at": rulesets, "over": "Red foot: strength=2,4" }),
    );
    assert_eq!(
        sweep["rulesets"].as_array().map(Vec::len),
        Some(2),
        "{sweep:#}"
    );
    let idle = json!({ "running": false, "what": "", "share": 0.0, "count": 0 });
    assert_eq!(get("/counts/{count}", "/counts/nobody"), idle);
    assert_eq!(
        checked_request(
            &served,
            &document,
            "DELETE",
            "/counts/{count}",
            "/counts/nobody",
            None
        ),
        idle
    );
    let compared = ask(
        "POST",
        "/compare",
        json!({ "situation": "bridge", "rulesets": [[], ["errata"], ["errata", "winter"]] }),
    );
    let differing = compared["differences"][1]["outcomes"]
        .items()
        .find(|one| one["verdict"] == "differs");
    assert!(
        differing.is_some_and(|one| one["causes"][0]["what"].is_string()),
        "winter makes a difference: {compared:#}"
    );
    let throw = ask("POST", "/play", bridge)["waits"]["throw"].clone();
    assert_eq!(throw["dice"], "1d6");
    let played = ask(
        "POST",
        "/play",
        json!({ "situation": "bridge", "moves": [{ "throw": [6] }] }),
    );
    assert_eq!(
        played["waits"]["choice"]["what"], "first to lose",
        "{played:#}"
    );
    assert_eq!(
        ask(
            "POST",
            "/play",
            json!({ "situation": "bridge", "seed": 4, "moves": ["roll"] })
        )["moves"][0]["throw"],
        "1d6"
    );
    let finished = ask(
        "POST",
        "/play",
        json!({ "situation": "bridge", "moves": [{ "throw": [3] }, { "take": 0 }, { "take": 0 }] }),
    );
    assert!(finished["waits"]["over"].is_object(), "{finished:#}");
    ask(
        "POST",
        "/play",
        json!({ "situation": "bridge", "moves": [{ "throw": [3] }, { "take": 0 }, { "take": 0 }], "from_move": 0 }),
    );
    let path = "variants/errata/rules/02-losses/2.1-losses.rhai";
    let faulty =
        json!({ "path": path, "text": "//! case: \"2.1\"\n//! title: x\n//! kind: nonsense\n" });
    assert_eq!(
        ask("POST", "/check", faulty)["complaints"][0]["code"],
        "kind"
    );
    assert!(
        !ask(
            "POST",
            "/examples",
            json!({ "path": "rules/skirmish/02-losses/2.1-losses.rhai" })
        )["examples"]
            .as_array()
            .expect("a list")
            .is_empty()
    );
    let table = "variants/errata/tables/combat.yaml";
    let changed = folder.read(table).replace("now: \"2/1\"", "now: \"2/4\"");
    let effect = ask(
        "POST",
        "/effect",
        json!({ "path": table, "text": changed, "situation": "bridge" }),
    );
    effect["html"].holds("defender losses");
    // Another variant sets the cell to another value, without an order between the two.
    folder.write(
        "variants/rival/variant.yaml",
        "variant: rival\ntitle: Rival\ngame: skirmish\n",
    );
    served.wait_until(|served| served.page_text("/what-if/skirmish").contains("rival"));

    let other_value = |now: &str| {
        folder
            .read("variants/errata/tables/combat.yaml")
            .replace("now: \"2/1\"", &format!("now: \"{now}\""))
    };
    let contradictions = |now: &str| {
        ask(
            "POST",
            "/conflicts",
            json!({ "path": "variants/rival/tables/combat.yaml", "text": other_value(now) }),
        )["rows"]
            .clone()
    };
    contradictions("2/3").to_string().holds("errata");
    assert_eq!(
        contradictions("2/1"),
        json!([]),
        "two that say the same agree"
    );
    std::fs::remove_dir_all(folder.0.join("variants/rival")).expect("it can be removed");
    folder.ok("pack winter");
    let sent = folder
        .read("winter.pack.yaml")
        .replace("variants/winter", "variants/frosty")
        .replace("variant: winter", "variant: frosty");
    let sent = sent.split("checksum:").next().expect("a part");
    let unpacked = ask("POST", "/unpack", json!({ "pack": sent }));
    assert!(
        unpacked["written"]
            .as_array()
            .is_some_and(|list| !list.is_empty()),
        "{unpacked}"
    );
    folder
        .read("variants/frosty/variant.yaml")
        .holds("variant: frosty");
    assert_eq!(
        served
            .request("POST", "/unpack", Some(&json!({ "pack": sent })))
            .0,
        403,
        "whoever may not write unpacks nothing"
    );
    ask(
        "POST",
        "/new",
        json!({ "what": "variant", "game": "skirmish", "name": "mine" }),
    );
    ask(
        "POST",
        "/new",
        json!({ "what": "case", "game": "skirmish", "variant": "mine", "name": "2.1" }),
    );
    // A variant is copied, renamed and deleted, with all its files.
    let change = |action: &str, variant: &str, name: &str| {
        ask(
            "POST",
            "/variant",
            json!({ "action": action, "variant": variant, "name": name }),
        )
    };
    change("copy", "mine", "ours");
    // The copy has its own name.
    folder
        .read("variants/ours/variant.yaml")
        .holds("variant: ours\n");
    change("rename", "ours", "theirs");
    assert!(!folder.0.join("variants/ours").exists());
    folder
        .read("variants/theirs/variant.yaml")
        .holds("excludes: [mine]");
    assert!(
        folder.0.join("variants/theirs/rules").is_dir(),
        "its cases go with it"
    );
    change("delete", "theirs", "");
    assert!(!folder.0.join("variants/theirs").exists() && folder.0.join("variants/mine").exists());
    // A journal is the address of its game; a damaged one is complained of.
    folder.ok("resolve bridge --seed 4 --save evening.yaml");
    let journal = folder.read("evening.yaml");
    let address = ask("POST", "/journal", json!({ "journal": journal }))["address"]
        .as_str()
        .unwrap_or_default()
        .to_string();
    assert!(
        address.starts_with("/at/skirmish/bridge/play?") && address.contains("moves="),
        "{address}"
    );
    // The game goes on where the file ends.
    served.page_text(&address).holds("defender losses");
    // A saved game of VASSAL becomes a situation.
    folder.ok("export vmod bridge");
    let saved = std::fs::read(folder.0.join("bridge.vsav")).expect("it was written");
    let saved = json!({ "name": "vassal-evening.vsav", "data": STANDARD.encode(&saved) });
    assert_eq!(
        ask("POST", "/vassal", saved)["address"],
        "/at/skirmish/vassal-evening/play"
    );
    let luck = ask(
        "POST",
        "/luck",
        json!({ "journal": journal, "measure": "defender losses", "for": "Red", "policy": { "all": "first" } }),
    );
    let (luck, number) = (&luck["procedures"][0], |value: &Value| {
        value["value"].as_f64().expect("a number")
    });
    assert_eq!(luck["good_for"], "Red");
    assert!(
        (number(&luck["dice"]) - (number(&luck["came"]) - number(&luck["expected"]))).abs() < 1e-9,
        "{luck}"
    );
    let part = served.page_text(&format!("{address}&part=luck"));
    part.holds("was to be expected");
    part.holds("1d6 for attack");
    // Manifests, situations, tests, cards and `with:` lines follow the new name of a variant.
    folder.write(
        "variants/rival/variant.yaml",
        "variant: rival\ntitle: Rival\ngame: skirmish\nafter: [errata, mine]  # not minelayers\nneeds: mine\nchanges:\n  - { option: mine.frost, now: off }\n",
    );
    folder.write(
        "tests/skirmish/of-mine.yaml",
        "tests:\n  - { test: the die is kept, given: bridge, with: [errata, mine], dice: [3], then: {}, cites: [\"2.1 mine\"] }\n",
    );
    folder.write("variants/rival/rules/02-losses/2.9-mine.rhai", "//! case: \"2.9\"\n//! title: of mine\n//! kind: new case\n\nfn mine(a) { a }\n\n/// ours\n/// with: errata, mine\nfn example_mine() { expect(mine(1), 1); }\n");
    served.wait_until(|served| served.page_text("/what-if/skirmish").contains("Rival"));
    change("rename", "mine", "yours");
    let manifest = folder.read("variants/rival/variant.yaml");
    manifest.holds("after: [errata, yours]  # not minelayers\nneeds: yours\nchanges:\n  - { option: yours.frost, now: off }\n");
    folder
        .read("tests/skirmish/of-mine.yaml")
        .holds("with: [errata, yours], dice: [3], then: {}, cites: [\"2.1 yours\"]");
    let case = folder.read("variants/rival/rules/02-losses/2.9-mine.rhai");
    case.holds("/// with: errata, yours\nfn example_mine() { expect(mine(1), 1); }");
    std::fs::remove_dir_all(folder.0.join("variants/rival")).expect("it can be removed");
    std::fs::remove_file(folder.0.join("tests/skirmish/of-mine.yaml")).expect("it can be removed");
    ask(
        "POST",
        "/keep",
        json!({ "game": "skirmish", "variant": "formed", "rule": ["1.1.wagons = help"] }),
    );
    std::fs::remove_dir_all(folder.0.join("variants/formed")).expect("it can be removed");
    ask(
        "PUT",
        "/file",
        json!({ "path": path, "text": folder.read(path) }),
    );
    // Errors have one form too.
    let error = &document["components"]["schemas"]["request_error"];
    let wrong = [
        ("POST", "/ruling", json!({ "situation": "brigde" }), 404),
        (
            "POST",
            "/ruling",
            json!({ "situation": "bridge", "sed": 7 }),
            400,
        ),
        (
            "POST",
            "/ruling",
            json!({ "situation": "bridge", "set": { "Red foot: strength": "many" } }),
            422,
        ),
        (
            "POST",
            "/ruling",
            json!({ "situation": "bridge", "dice": [9] }),
            422,
        ),
        (
            "POST",
            "/odds",
            json!({ "situation": "bridge", "dice": [3] }),
            400,
        ),
        (
            "POST",
            "/odds",
            json!({ "situation": "bridge", "measure": "nobody" }),
            404,
        ),
        (
            "POST",
            "/ruling",
            json!({ "situation": "bridge", "readings": { "9.9.way": "any" } }),
            404,
        ),
        (
            "POST",
            "/compare",
            json!({ "situation": "bridge", "rulesets": [[]] }),
            400,
        ),
        (
            "POST",
            "/play",
            json!({ "situation": "bridge", "moves": [{ "take": 3 }] }),
            422,
        ),
        (
            "POST",
            "/journal",
            json!({ "journal": "journal: 2\ngame: skirmish\n" }),
            422,
        ),
        (
            "POST",
            "/journal",
            json!({ "journal": journal.replace("faces: [", "faces: [9, ") }),
            422,
        ),
        (
            "POST",
            "/luck",
            json!({ "journal": journal, "measure": "defender loses" }),
            404,
        ),
        (
            "POST",
            "/luck",
            json!({ "journal": journal, "policy": { "Red": "all" } }),
            400,
        ),
        (
            "POST",
            "/luck",
            json!({ "journal": "journal: 2\ngame: skirmish\n" }),
            422,
        ),
        (
            "POST",
            "/sweep",
            json!({ "at": { "situation": "bridge" }, "over": "Red foot: strength" }),
            400,
        ),
        (
            "POST",
            "/sweep",
            json!({ "at": { "situation": "bridge", "policy": { "Red": "all" } }, "over": "Red foot: strength=4" }),
            400,
        ),
        (
            "POST",
            "/sweep",
            json!({ "at": { "situation": "bridge" }, "over": "Red foot: strength=1..1000000000000" }),
            400,
        ),
        (
            "POST",
            "/sweep",
            json!({ "at": { "situation": "bridge", "readings": { "9.9.way": "any" } }, "over": "Red foot: strength=1" }),
            404,
        ),
        ("GET", "/nothing", Value::Null, 404),
    ];
    for (method, path, body, expected) in wrong {
        let (status, answer) = served.request(method, path, Some(&body));
        assert_eq!(status, expected, "{method} {path} {body}\n{answer}");
        assert_valid(&document, error, &answer, path);
    }
}

#[test]
fn the_schema_lists_what_can_be_asked() {
    let (_folder, served) = skirmish();
    let document = served_schema(&served);
    let mut listed: Vec<(String, String, bool)> = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            listed.push((
                method.clone(),
                path.clone(),
                operation.get("security").is_some(),
            ));
        }
    }
    let mut addresses: Vec<(String, String, bool)> = ROUTES
        .iter()
        .map(|route| {
            (
                route.method.to_string(),
                route.path.to_string(),
                route.kind == RouteKind::Writes,
            )
        })
        .collect();
    listed.sort();
    addresses.sort();
    assert_eq!(listed, addresses);
}

#[test]
fn only_who_shows_the_token_writes() {
    let (folder, served) = skirmish();
    let before = folder.file_times();
    let new = json!({ "what": "variant", "game": "skirmish", "name": "mine" });
    let file = json!({ "path": "variants/errata/variant.yaml", "text": "x" });
    let bearer = format!("Bearer {}", served.token);
    let foreign_origin = [
        ("authorization", bearer.as_str()),
        ("origin", "http://evil.example"),
    ];
    for headers in [
        &[][..],
        &[("authorization", "Bearer 0")],
        &[("cookie", "casebook=0")],
        &foreign_origin,
    ] {
        assert_eq!(
            served.request_with("POST", "/new", Some(&new), headers).0,
            403,
            "{headers:?}"
        );
        assert_eq!(
            served.request_with("PUT", "/file", Some(&file), headers).0,
            403,
            "{headers:?}"
        );
    }
    // A request with a foreign host name is refused.
    assert_eq!(
        served
            .request_with("GET", "/games", None, &[("host", "evil.example")])
            .0,
        421
    );
    assert_eq!(folder.file_times(), before, "nothing was written");
    let cookie = served.cookie();
    assert_eq!(
        served
            .request_with("POST", "/new", Some(&new), &[("cookie", &cookie)])
            .0,
        200
    );
    assert_ne!(folder.file_times(), before);
}

#[test]
fn the_token_leads_to_the_page_that_was_asked_for() {
    let (_folder, served) = skirmish();
    let token = &served.token;
    for (query, page) in [
        (
            format!("/edit/meet?with=errata,winter&token={token}"),
            "/edit/meet?with=errata,winter",
        ),
        (
            format!("/edit/meet?token={token}&with=errata,winter"),
            "/edit/meet?with=errata,winter",
        ),
        (format!("/?token={token}"), "/"),
        (
            "/edit/meet?with=errata,winter&token=wrong".into(),
            "/edit/meet?with=errata,winter",
        ),
        // A key may be written with escapes.
        (format!("/x?%74oken={token}&a=%20&token=1"), "/x?a=%20"),
        // A path that looks like the address of another site does not redirect there.
        (format!("//evil.example/?token={token}"), "/evil.example/"),
    ] {
        assert_eq!(served.leads_to(&query), (303, page.into()), "{query}");
    }
}

#[test]
fn flags_that_are_not_set_can_be_set_in_the_form() {
    let (folder, served) = skirmish();
    let manifest = "rules/skirmish/game.yaml";
    let text = folder.read(manifest);
    let flag = text.replace("  under:    {", "  tired: { flag: true }\n  under:    {");
    folder.write(manifest, flag);
    let attack = "rules/skirmish/01-battle/1.1-attack.rhai";
    let script = folder.read(attack).replacen(
        "    step(\"Attack\");",
        "    if asked(given, \"night\", false) { refuse(\"it is dark\"); }\n    step(\"Attack\");",
        1,
    );
    let given = script.replace(
        "//! given:\n",
        "//! given:\n//!   night: { flag: true, optional: true, what: Whether it is dark. }\n",
    );
    assert_ne!(script, given);
    folder.write(attack, given);
    served.wait_until(|served| served.page_text("/at/skirmish/bridge").contains("tired"));
    let form = served.page_text("/at/skirmish/bridge");
    for name in ["set:Red foot: tired", "set:given: night"] {
        form.holds(format!("name=\"{name}\""));
    }
    let dark = served.page_text("/at/skirmish/bridge?set:given:%20night=true");
    dark.holds("it is dark");
}

#[test]
#[cfg(unix)] // links are made otherwise elsewhere
fn nothing_leads_out_of_the_data_folder() {
    let (folder, served) = skirmish();
    let elsewhere = Folder::empty();
    std::os::unix::fs::symlink(&elsewhere.0, folder.0.join("variants/errata/rules/linked"))
        .expect("a link can be made");
    std::os::unix::fs::symlink(
        elsewhere.0.join("x.rhai"),
        folder.0.join("variants/errata/rules/02-losses/link.rhai"),
    )
    .expect("a link can be made");
    let before = (folder.file_times(), elsewhere.file_times());
    let paths = [
        "../x.yaml",
        "/tmp/x.yaml",
        "rules/skirmish/02-losses/2.1-losses.rhai",
        "variants/../rules/x.yaml",
        "variants/errata/rules/../../../x.rhai",
        "variants/errata/tables/..%2fx.yaml",
        "variants/errata/tables/x.sh",
        "variants/errata/rules/linked/x.rhai",
        "variants/errata/rules/02-losses/link.rhai",
        "variants/nobodys/tables/x.yaml",
        "variants/errata\\..\\x.yaml",
        "",
    ];
    for path in paths {
        let (status, answer) =
            served.request_with_token("PUT", "/file", &json!({ "path": path, "text": "x" }));
        assert_eq!(status, 400, "{path}: {answer}");
    }
    for name in ["../x", "a/b", "x y", ""] {
        assert_ne!(
            served
                .request_with_token(
                    "POST",
                    "/new",
                    &json!({ "what": "variant", "game": "skirmish", "name": name })
                )
                .0,
            200,
            "{name}"
        );
    }
    for path in [
        "/assets/../../Cargo.toml",
        "/assets/%2e%2e%2fCargo.toml",
        "/edit/file?path=../../etc/passwd",
        "/edit/file?path=rules/skirmish/game.yaml",
    ] {
        assert_ne!(served.page(path).0, 200, "{path}");
    }
    assert_eq!(
        (folder.file_times(), elsewhere.file_times()),
        before,
        "nothing was written"
    );
}

#[test]
fn a_house_rule_is_written_read_and_in_force() {
    let (folder, served) = skirmish();
    served.request_with_token(
        "POST",
        "/new",
        &json!({ "what": "variant", "game": "skirmish", "name": "mine" }),
    );
    let (_, laid_out) = served.request_with_token(
        "POST",
        "/new",
        &json!({ "what": "case", "game": "skirmish", "variant": "mine", "name": "2.1" }),
    );
    let path = laid_out["written"]
        .as_array()
        .and_then(|list| list.last())
        .and_then(Value::as_str)
        .expect("a file")
        .to_string();
    let card = "//! case: \"2.1\"\n//! title: Losses in snow\n//! kind: addition\n//! text: Nobody loses in <snow>.\n";
    let text = format!("{card}\nfn loss_order(side, units) {{ prior() }}\n");
    let (status, saved) =
        served.request_with_token("PUT", "/file", &json!({ "path": path, "text": text }));
    assert_eq!(status, 200, "{saved}");
    assert_eq!(folder.read(&path), text);
    let page = served.page_text("/book/skirmish/case/2.1");
    // It stands in the rulebook, and is not markup.
    page.holds("Nobody loses in &lt;snow&gt;.");
    assert!(
        page.contains("l2 chip") || page.contains("chip\">mine"),
        "in the colour of its layer"
    );
    // And not where it is switched off.
    served
        .page_text("/book/skirmish/case/2.1?with=")
        .lacks("snow");
}

#[test]
fn the_rulebook_changes_where_a_variant_has_its_say() {
    let (_folder, served) = skirmish();
    let with = served.page_text("/book/skirmish/chapter/02-losses?with=errata");
    let without_variants = served.page_text("/book/skirmish/chapter/02-losses?with=");
    with.holds("Riders never lose");
    without_variants.lacks("Riders never lose");
    // What it does to the older answer.
    with.holds("<code>loss_order</code> adds to");
    let table = served.page_text("/book/skirmish/table/combat?with=errata");
    // A cell with what stood there before.
    table.holds("<del>2/0</del> <ins>2/1</ins>");
    // And the status of each.
    table.holds("class=\"reconstructed");
    served
        .page_text("/book/skirmish/search/?q=riders&with=errata")
        .holds("<mark>Riders</mark>");
    // And what a cell says.
    table.holds("A cell reads <b>attacker/defender</b>");
    let page = served.page_text("/book/skirmish/search/?q=loss_order");
    assert!(
        page.contains("<mark>") && page.matches("loss_order").count() == 1,
        "scripts are found, and not printed: {page}"
    );
    assert_eq!(served.page("/book/skirmish/case/9.9").0, 404);
    assert_eq!(served.page("/book/nothing").0, 404);
    let read = served.page_text("/at/skirmish/bridge?reading:1.1.wagons=help&part=ruling");
    // A reading is switched.
    read.holds("Red wagon attack");
}

#[test]
fn pages_say_which_reading_changes_nothing_and_where_throws_are_cut_off() {
    let folder = Folder::skirmish();
    folder.write(
        "variants/winter/rules/01-battle/1.1-attack.rhai",
        "//! case: \"1.1\"\n//! title: Attack\n//! kind: correction\n\n/// Wagons never do.\nfn may_attack(unit) { unit.strength > 0 }\n",
    );
    folder.replace(
        "rules/skirmish/01-battle/1.1-attack.rhai",
        "    let die = ",
        "    result(\"sixes\", hits(\"5d6!\", 6, \"sixes\") * roll(\"2d6!\", \"more\"));\n    let die = ",
    );
    let served = Served::start(&folder.0);
    let page = |query: &str| served.page_text(&format!("/at/skirmish/bridge{query}"));
    let note = "no case in force asks for the reading 1.1.wagons";
    page("?reading:1.1.wagons=help").lacks(note);
    page("?with=winter&reading:1.1.wagons=help").holds(note);
    let cut = "Dice that are thrown on without end are cut off";
    page("?part=odds").holds(cut);
    let compared = page("/compare?ruleset=errata&ruleset=winter&part=odds");
    compared.holds(cut);
}

#[test]
fn figures_are_changed_and_played_by_their_address() {
    let (_folder, served) = skirmish();
    let page = served.page_text("/at/skirmish/bridge?set:Red+foot:+strength=9&part=odds");
    let unchanged = served.page_text("/at/skirmish/bridge?part=odds");
    assert_ne!(page, unchanged, "another strength, other odds");
    let form_page = served.page_text("/at/skirmish/bridge?set:Red+foot:+strength=9");
    // On paper it says what was changed.
    form_page.holds("; Red foot: strength 9.</p>");
    let (status, page) = served.page("/at/skirmish/bridge?set:Red+foot:+strength=x&part=odds");
    assert!(
        status == 200 && page.contains("role=\"alert\""),
        "half a word is complained of, and the page stays: {status}\n{page}"
    );
    let new_piece = "/at/skirmish/bridge?new:name=Red+guard&new:kind=rider&new:side=Red&new:at=0201&set:Red+guard:+strength=6&part=odds";
    assert_ne!(served.page_text(new_piece), unchanged, "a piece was put in");
    assert_ne!(
        served.page_text("/at/skirmish/bridge?piece:Blue+riders=off&part=odds"),
        unchanged,
        "a piece was taken out"
    );
    let twice = served.page_text("/at/skirmish/bridge?piece:Red+foot=rider&part=odds");
    // Two of a name are complained of.
    twice.holds("already");
    let (status, page) = served.page("/at/skirmish/bridge?piece:Blue+riders=rider");
    assert!(
        status == 200 && page.contains("already"),
        "the page stays, and says what is wrong: {page}"
    );
    // There is a way back.
    page.holds("href=\"/at/skirmish/bridge\"");
    page.holds("Undo");
    page.holds("id=\"situation\"");
    let first = served.page_text("/at/skirmish/bridge/play");
    first.holds("1d6 for attack");
    let second = served.page_text("/at/skirmish/bridge/play?moves=6");
    second.holds("first to lose");
    second.holds("Take back");
    let journal = served.page_text("/at/skirmish/bridge/play?moves=6&part=journal");
    // Its journal as a file.
    journal.holds("download=\"bridge.journal.yaml\"");
    journal.holds("journal%3A%202");
    let wrong = served.page_text("/at/skirmish/bridge/play?moves=c9");
    // A wrong answer can be taken back.
    wrong.holds("role=\"alert\"");
    wrong.holds("Take back");
}

/// The page of a sweep draws what the tables below it say, and proposes values around the figure.
#[test]
fn a_sweep_is_drawn() {
    let (_folder, served) = skirmish();
    let empty = served.page_text("/at/skirmish/bridge/over");
    empty.holds("Red foot: strength");
    empty.lacks("<polyline");
    let drawn = served.page_text("/at/skirmish/bridge/over?figure=Red+foot%3A+strength");
    drawn.holds("value=\"0..9\"");
    drawn.holds("<polyline");
    drawn.holds("As a table");
    let wrong =
        served.page_text("/at/skirmish/bridge/over?figure=Red+foot%3A+strength&values=9..1");
    wrong.holds("runs backwards");
    wrong.lacks("<polyline");
}

#[test]
fn the_map_answers_what_the_game_says_it_does() {
    let folder = Folder::skirmish();
    common::add_map_questions(&folder);
    let served = Served::start(&folder.0);
    let page =
        served.page_text("/at/skirmish/bridge/play?asks=where+it+can+go&of=Red+foot&part=board");
    page.holds("class=\"drawn d1\"");
    page.holds("Red foot reaches");
    let reachable = served
        .page_text("/at/skirmish/bridge/play?asks=where+it+can+go&of=Red+foot&to=0202&part=board");
    assert!(
        reachable.contains("role=\"alert\"") && reachable.contains("can&#39;t go to 0202")
            || reachable.contains("can't go to 0202"),
        "{reachable}"
    );
    // And the case that stops it.
    reachable.holds("/book/skirmish/case/3.1");
    let held_places = served.page_text("/at/skirmish/bridge?asks=what+is+held&part=board");
    // Of the whole board, both sides.
    held_places.holds("class=\"drawn d2\"");
    let document = served_schema(&served);
    let ask_map =
        |body: Value| checked_request(&served, &document, "POST", "/look", "/look", Some(body));
    let reach = ask_map(
        json!({ "at": { "situation": "bridge" }, "asks": "where it can go", "of": "Red foot", "to": "0202" }),
    );
    assert_eq!(
        reach["ruling"]["drawn"][0]["places"]["0201"]["cost"], 0,
        "{reach:#}"
    );
    reach["ruling"]["refused"]["cites"].to_string().holds("3.1");
    let (status, answer) = served.request(
        "POST",
        "/look",
        Some(&json!({ "at": { "situation": "bridge" }, "asks": "where it goes" })),
    );
    assert!(status == 400, "{answer}");
    answer.to_string().holds("where it can go");
    let unknown_piece =
        served.page_text("/at/skirmish/bridge?asks=where+it+can+go&of=Nobody&part=board");
    unknown_piece.holds("role=\"alert\"");
}

#[test]
fn concurrent_requests_get_their_own_answers() {
    let (_folder, served) = skirmish();
    let body = |i: u64| json!({ "situation": "bridge", "seed": i, "set": { "Red foot: strength": format!("{}", i % 9 + 1) }, "with": if i.is_multiple_of(2) { json!([]) } else { json!(["errata"]) } });
    // Only the number of states depends on the order of threads.
    let ask = |path: &str, i: u64| {
        let (status, mut answer) = served.request("POST", path, Some(&body(i)));
        answer.as_object_mut().expect("a map").remove("states");
        (status, answer)
    };
    let alone: Vec<_> = (0..40).map(|i| ask("/ruling", i)).collect();
    let chances: Vec<_> = (0..10).map(|i| ask("/odds", i)).collect();
    assert!(alone.iter().filter(|(status, _)| *status == 200).count() > 20);
    std::thread::scope(|scope| {
        for worker in 0..20 {
            let (ask, alone, chances) = (&ask, &alone, &chances);
            scope.spawn(move || {
                for round in 0..10 {
                    let i = (worker * 7 + round * 3) % 40;
                    if round % 2 == 0 {
                        assert_eq!(
                            ask("/ruling", i),
                            alone[i as usize],
                            "ruling {i} of worker {worker}"
                        );
                    } else {
                        assert_eq!(
                            ask("/odds", i % 10),
                            chances[i as usize % 10],
                            "odds {i} of worker {worker}"
                        );
                    }
                }
            });
        }
    });
}

/// A case with an endless loop, and one with endless throws.
const RUNAWAY: &str = "//! case: \"2.1\"\n//! title: Round and round\n//! kind: revision\n//! text: for ever\n\nfn loss_order(side, units) {\n    let n = 0;\n    while true { n += 1; }\n    units\n}\n";

#[test]
fn a_runaway_rule_ends_in_a_complaint() {
    let (folder, served) = skirmish();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    served.request_with_token(
        "PUT",
        "/file",
        &json!({ "path": "variants/mine/rules/02-losses/2.1-losses.rhai", "text": RUNAWAY }),
    );
    let start = Instant::now();
    let (status, answer) = served.request(
        "POST",
        "/ruling",
        Some(&json!({ "situation": "bridge", "with": ["mine"], "dice": [3] })),
    );
    assert_eq!(status, 422, "{answer}");
    assert_eq!(answer["complaints"][0]["code"], "limit", "{answer:#}");
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(
        served
            .request("POST", "/ruling", Some(&json!({ "situation": "bridge" })))
            .0,
        200,
        "and everybody else is served"
    );
}

#[test]
fn a_page_comes_at_once_and_what_takes_long_as_it_comes() {
    let (folder, served) = skirmish();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    folder.write("variants/mine/rules/02-losses/2.1-losses.rhai", RUNAWAY);
    served.page_text("/at/skirmish/bridge?with=mine&part=odds&look=9");
    let start = Instant::now();
    let page = served.page_text("/at/skirmish/bridge?with=mine&dice=3");
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );
    assert!(
        page.matches("data-more=\"0\"").count() == 2,
        "the page asks for both by itself: {page}"
    );
    // And says so meanwhile.
    page.holds("Counting…");
    page.holds("It is carried out…");
    // And is told what is wrong with it.
    served
        .page_text("/at/skirmish/bridge?with=mine&dice=3&part=ruling")
        .holds("role=\"alert\"");
}

/// Ten dice by one with a choice after each: more than can be counted in the time of this test.
const ENDLESS: &str = "//! case: \"1.1\"\n//! title: A long day\n//! kind: revision\n//! procedure: attack\n//! text: long\n\nfn attack(given) {\n    let sum = 0;\n    for n in 0..60 { sum = (sum * 7 + roll(\"1d6\", `hour ${n}`) * (n + 13)) % 1000003; }\n    result(\"sum\", sum);\n}\n";

#[test]
fn a_dropped_connection_ends_its_count() {
    let (folder, served) = skirmish();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    folder.write("variants/mine/rules/01-battle/1.1-attack.rhai", ENDLESS);
    let body = json!({ "situation": "bridge", "with": ["mine"] }).to_string();
    let address = served.base.trim_start_matches("http://");
    let long = std::thread::available_parallelism().map_or(1, |n| n.get()) * 2;
    // All slots are taken by counts whose clients have left.
    for _ in 0..long {
        let mut stream = TcpStream::connect(address).expect("it listens");
        let request = format!(
            "POST /api/v2/odds HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        std::thread::sleep(Duration::from_millis(100));
    }
    let start = Instant::now();
    let (status, answer) = served.request("POST", "/odds", Some(&json!({ "situation": "bridge" })));
    assert_eq!(status, 200, "{answer}");
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "it waited {:?} for counts that nobody wants",
        start.elapsed()
    );
}

#[test]
fn a_written_book_is_whole() {
    let folder = Folder::skirmish();
    folder.ok("book --with errata --out paper");
    let index = folder.read("paper/index.html");
    // The first page.
    index.holds("Losses");
    index.lacks("src=\"/");
    let mut links = 0;
    for entry in std::fs::read_dir(folder.0.join("paper"))
        .expect("it was written")
        .flatten()
    {
        let text = std::fs::read_to_string(entry.path()).expect("pages are text");
        for link in text
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            let target = link.split('#').next().unwrap_or_default();
            assert!(
                target.is_empty() || folder.0.join("paper").join(target).is_file(),
                "{link} in {}",
                entry.path().display()
            );
            links += 1;
        }
        assert!(
            !text.contains("http://") && !text.contains("https://"),
            "{} asks nobody else",
            entry.path().display()
        );
    }
    assert!(links > 50, "{links} links were followed");
    folder
        .read("paper/case-2.1.html")
        .holds("Riders never lose");
    // Winter is not in force.
    folder.read("paper/case-3.0.html").lacks("frost");
}

#[test]
fn a_variant_is_sent_as_one_file() {
    let folder = Folder::skirmish();
    folder.replace(
        "variants/winter/variant.yaml",
        "title: Winter\n",
        "title: Winter\nversion: \"1.2\"\nneeds: [errata]\n",
    );
    folder.write(
        "tests/skirmish/winter.yaml",
        "tests:\n  - test: in frost\n    given: bridge\n    with: [winter]\n    dice: [1]\n    then: { attacker losses: 3 }\n",
    );
    folder.write(
        "tests/skirmish/all.yaml",
        "tests:\n  - test: in summer\n    given: bridge\n    with: []\n    dice: [1]\n    then: { attacker losses: 2 }\n",
    );
    folder.ok("pack winter");
    let other_folder = Folder::skirmish();
    std::fs::remove_dir_all(other_folder.0.join("variants/winter")).expect("it can be removed");
    other_folder.write("winter.yaml", folder.read("winter-1.2.pack.yaml"));
    other_folder.ok("unpack winter.yaml");
    for path in [
        "variants/winter/variant.yaml",
        "variants/winter/rules/01-battle/3.0-weather.rhai",
        "tests/skirmish/winter.yaml",
    ] {
        assert_eq!(
            other_folder.read(path),
            folder.read(path),
            "{path}, letter by letter"
        );
    }
    assert!(
        !other_folder.0.join("tests/skirmish/all.yaml").exists(),
        "tests of other rulesets stay at home"
    );
    assert_eq!(
        other_folder.run("unpack winter.yaml").status,
        Some(2),
        "nothing is overwritten"
    );
    for (original, with) in [
        ("variants/winter/variant.yaml", "variants/../x.yaml"),
        ("variants/winter/variant.yaml", "rules/skirmish/game.yaml"),
    ] {
        other_folder.write(
            "spoilt.yaml",
            other_folder.read("winter.yaml").replace(original, with),
        );
        std::fs::remove_dir_all(other_folder.0.join("variants/winter")).ok();
        let run = other_folder.run("unpack spoilt.yaml");
        run.ends(1);
        run.err.holds("is not a file of the variant");
    }
}

/// The games of the binary, with a workbench over an empty folder.
fn built_in_games() -> (Folder, Served) {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    (folder, served)
}

#[test]
fn play_goes_on_only_where_it_can() {
    let (folder, served) = skirmish();
    let on = "Play on along the sequence of play";
    // The last throw of the procedure; the sequence may go on, but the situation does not say where its track stands.
    folder.replace(
        "rules/skirmish/game.yaml",
        "tracks:\n",
        "tracks:\n  season: { from: 1, to: 4 }\n",
    );
    folder.replace("rules/skirmish/game.yaml", "procedures:\n", "ends_when: { attack: over }\nsequence:\n  - { phase: Fight, procedures: [attack] }\n  - { phase: Rest, procedures: [rest] }\nprocedures:\n  rest: After a fight.\n");
    let play_rest = |body: &str| {
        format!(
            "//! case: \"1.9\"\n//! title: Rest\n//! kind: rule\n//! procedure: rest\n//! text: After a fight.\n\nfn rest(given) {{ {body} }}\n"
        )
    };
    let finished = "/at/skirmish/bridge/play?moves=3-c0-c0";
    folder.write(
        "rules/skirmish/01-battle/1.9-rest.rhai",
        play_rest("roll(\"1d6\", \"sleep\");"),
    );
    served.wait_until(|served| served.page_text(finished).contains(on));
    // The journal of a game that went on is loaded as such, on the page and in the terminal.
    let next_step = "/at/skirmish/bridge/play?goes-on=on&moves=3-c0-c0";
    let link = served.page_text(&format!("{next_step}&part=journal"));
    let link = link
        .split_once("charset=utf-8,")
        .and_then(|(_, play_rest)| play_rest.split_once('"'))
        .expect("the journal can be had")
        .0
        .replace('+', "%20");
    let journal = form_urlencoded::parse(format!("journal={link}").as_bytes())
        .next()
        .expect("it is a text")
        .1
        .into_owned();
    journal.holds("goes_on: true");
    let (status, loaded) = served.request("POST", "/journal", Some(&json!({ "journal": journal })));
    assert_eq!(
        (status, loaded["address"].as_str()),
        (
            200,
            Some("/at/skirmish/bridge/play?with=&goes-on=on&seed=1&moves=3-c0-c0")
        ),
        "{loaded}"
    );
    folder.write("evening.yaml", &journal);
    served
        .page_text(loaded["address"].as_str().unwrap_or_default())
        .holds("1d6 for sleep");
    let played = folder.run_with("play evening.yaml", "q\n");
    played.out.holds("1d6 for sleep");
    folder.write(
        "rules/skirmish/01-battle/1.9-rest.rhai",
        play_rest("roll(\"1d6\", `sleep in ${track(\"season\")}`);"),
    );
    served.wait_until(|served| !served.page_text(finished).contains(on));
}

#[test]
fn a_faulty_house_rule_is_left_out_and_named() {
    let (folder, served) = skirmish();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    let path = "variants/mine/rules/02-losses/2.1-losses.rhai";
    folder.write(
        path,
        "//! case: \"2.1\"\n//! title: x\n//! kind: addition\n//! text: x\n\nfn loss_order(side, units) { nobody_answers() }\n",
    );
    let named = |page: &str| {
        page.contains("Left out: mine")
            && page.contains(&format!("/edit/file?path={}", path.replace('/', "%2F")))
    };
    served.wait_until(|served| named(&served.page_text("/book/skirmish/chapter/02-losses")));
    for page in [
        "/book/skirmish",
        "/book/skirmish/case/2.1",
        "/at/skirmish",
        "/at/skirmish/bridge?with=errata,mine",
        "/at/skirmish/bridge/play?with=mine",
    ] {
        let shown = served.page_text(page);
        assert!(named(&shown), "{page}: {shown}");
        shown.holds("aria-label=\"Parts\"");
    }
    // All else is in force.
    served
        .page_text("/book/skirmish/chapter/02-losses")
        .holds("Riders never lose");
    for page in ["/what-if/skirmish", "/what-if/skirmish?rule=2.2+off"] {
        assert!(
            named(&served.page_text(page)),
            "{page}: the page of house rules opens whatever is wrong with them"
        );
    }
    assert!(
        !named(&served.page_text("/at/skirmish/bridge?with=errata")),
        "and nothing is said where it is not asked for"
    );
    // The editor counts the corrected text, though what is saved is faulty.
    let corrected = "//! case: \"2.1\"\n//! title: x\n//! kind: addition\n//! text: x\n\nfn loss_order(side, units) { prior() }\n";
    let effect = || {
        served.request(
            "POST",
            "/effect",
            Some(&json!({ "path": path, "text": corrected, "situation": "bridge" })),
        )
    };
    let (status, shown) = effect();
    assert!(status == 200, "{shown}");
    shown.to_string().holds("The saved file has errors");
    shown.to_string().holds("as written here");
    assert_eq!(
        served
            .request_with_token("PUT", "/file", &json!({ "path": path, "text": corrected }))
            .0,
        200
    );
    assert!(
        effect().1.to_string().contains("The odds are the same"),
        "once saved, both are one: {}",
        effect().1
    );
    // Beside a text that can't be used stand the odds of what was saved last, and that is said.
    let broken = corrected.replace("prior()", "prior(");
    let (status, shown) = served.request(
        "POST",
        "/effect",
        Some(&json!({ "path": path, "text": broken, "situation": "bridge" })),
    );
    assert!(status == 200, "{status} {shown}");
    shown.to_string().holds("this is what was saved last");
    shown.to_string().holds("defender losses");
    shown.to_string().lacks("as written here");
    folder.write(path, &broken);
    served.wait_until(|served| named(&served.page_text("/book/skirmish/chapter/02-losses")));
    let (status, shown) = served.request(
        "POST",
        "/effect",
        Some(&json!({ "path": path, "text": broken, "situation": "bridge" })),
    );
    assert!(
        status == 422 && shown["complaints"][0]["what"].is_string(),
        "where both are faulty nothing is known: {status} {shown}"
    );
    // An empty field is named.
    let page = served.page_text("/at/skirmish/bridge?with=errata&set:Red+foot:+strength=");
    page.holds("Red foot: strength has no value; it takes a whole number");
    // So is a manifest that can't be read.
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: [Mine\ngame: skirmish\n",
    );
    served.wait_until(|served| {
        served
            .page_text("/what-if/skirmish")
            .contains("/edit/file?path=variants%2Fmine%2Fvariant.yaml")
    });
    served.page_text("/edit/file?path=variants%2Fmine%2Fvariant.yaml");
}

#[test]
fn what_cannot_be_changed_is_said_over_the_form() {
    let (_folder, served) = built_in_games();
    let lee = "/at/wbts/lee-attacks-porter";
    for change in [
        "piece:Lee=off",
        "piece:V+Corps=off",
        "new:name=Lee&new:kind=leader",
        "new:name=Nobody&new:kind=",
        "set:Lee:+combat=many",
    ] {
        let (status, page) = served.page(&format!("{lee}?{change}"));
        assert!(status == 200, "{change}: {status} {page}");
        page.holds("id=\"situation\"");
        if page.contains("data-undone") {
            page.holds("Undo it");
            page.holds(format!("href=\"{lee}\""));
        }
        page.lacks("The rules can't be used as they are");
        page.lacks(".rhai:");
    }
    // What was changed before stays.
    let two = served.page_text(&format!(
        "{lee}?set:Porter:+combat=2&new:name=Lee&new:kind=leader"
    ));
    two.holds("already");
    two.holds("set:Porter:+combat=2");
    let odds = served.page_text(&format!("{lee}?set:Lee:+combat=many&part=odds"));
    let ruling = served.page_text(&format!("{lee}?set:Lee:+combat=many&part=ruling"));
    assert!(
        odds.contains("role=\"alert\"") && !ruling.contains("role=\"alert\""),
        "it is said once: {odds}{ruling}"
    );
}

#[test]
fn each_ruleset_of_a_comparison_has_its_headline() {
    let (_folder, served) = built_in_games();
    let request = json!({ "situation": "lee-attacks-porter", "rulesets": [["second-edition"], ["second-edition", "hardy"]] });
    let (status, compared) = served.request("POST", "/compare", Some(&request));
    assert_eq!(status, 200, "{compared:#}");
    for ruleset in compared["rulesets"].as_array().expect("a list") {
        ruleset["odds"]["headline"]["text"].holds("attack");
    }
}

#[test]
fn an_answer_that_is_not_open_is_named_with_what_is() {
    let (_folder, served) = built_in_games();
    let weak = "/at/wbts/lee-attacks-porter?set:Lee:+initiative=1";
    // What is open in some branches is used there; what is open in none is left aside.
    let odds = served.page_text(&format!("{weak}&part=odds&look=0"));
    let partly = "Not open in every case, and used where it is";
    odds.holds(partly);
    odds.holds("Confederate: intensity: 3");
    odds.holds("class=\"odds\"");
    let odds = served.page_text(&format!(
        "{weak}&choose:Confederate:+intensity=9&part=odds&look=0"
    ));
    odds.holds("“9” is not open in every case");
    odds.holds("class=\"odds\"");
    let open = "href=\"/at/wbts/lee-attacks-porter?set:Lee:+initiative=1&amp;choose:Confederate:+intensity=1\"";
    assert!(odds.contains(open), "what is open can be taken: {odds}");
    let chosen = served.page_text(&format!(
        "{weak}&choose:Confederate:+intensity=1&part=odds&look=0"
    ));
    chosen.lacks("not open");
    chosen.lacks(partly);
    // Where the ruling asks it, its control says so, too.
    let ruling_of = |seed: u32| served.page_text(&format!("{weak}&seed={seed}&part=ruling"));
    let ruling = (1..30)
        .map(ruling_of)
        .find(|ruling| ruling.contains("3 (not open)"))
        .expect("with some dice it is asked");
    ruling.holds("name=\"choose:Confederate: intensity\"");
}

#[test]
fn a_case_that_is_not_in_force_leads_on() {
    let (_folder, served) = built_in_games();
    let (status, page) = served.page("/book/wbts/case/8.16?with=dye");
    assert_eq!(status, 404);
    page.holds("aria-label=\"Chapters\"");
    page.holds("class=\"switches\"");
    // The variant that has it.
    page.holds("It is in");
    page.holds("with=dye,hardy");
    // And cases of nearly that number.
    page.holds("href=\"/book/wbts/case/8.1");
}

#[test]
fn what_does_not_move_says_so() {
    let (_folder, served) = built_in_games();
    let ask = |situation: &str, of: &str| {
        served.request("POST", "/look", Some(&json!({ "at": { "situation": situation }, "asks": "where it can go", "of": of }))).1
    };
    let fort = ask("a-fifth-fortress", "Richmond fortress");
    fort["ruling"]["refused"]["text"].holds("doesn't move");
    fort["ruling"]["refused"]["cites"]
        .to_string()
        .holds("movement-allowance");
}

#[test]
fn odds_say_what_they_rest_on() {
    let (_folder, served) = built_in_games();
    let odds = served.page_text("/at/wbts/lee-attacks-porter?part=odds&look=0");
    odds.holds("What these odds rest on");
    odds.holds("Reconstructed figures");
    // No count that differs from load to load.
    odds.lacks(" states");
    let (_folder, served) = skirmish();
    let odds = served.page_text("/at/skirmish/bridge?part=odds");
    odds.holds("Unanswered choices: each takes its first option");
    odds.lacks("not at all");
}

#[test]
fn what_cannot_be_counted_is_sampled_side_by_side() {
    let (folder, served) = skirmish();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    folder.write(
        "variants/mine/rules/01-battle/1.1-attack.rhai",
        ENDLESS.replace("result(\"sum\", sum)", "result(\"sum\", sum % 3)"),
    );
    served.wait_until(|served| served.page_text("/book/skirmish").contains("mine"));
    let start = Instant::now();
    let page = served.page_text("/at/skirmish/bridge/compare?ruleset=&ruleset=mine");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    // The page asks for more by itself.
    page.holds("data-more=\"0\"");
    let page =
        served.page_text("/at/skirmish/bridge/compare?ruleset=&ruleset=mine&part=compared&look=1");
    page.holds(" ± ");
    page.holds("is a sample of");
    page.lacks("mean 0.00");
    // An outcome that the other never names is not drawn as nought.
    page.holds("not reached");
}

#[test]
fn ships_stand_in_hexsides() {
    let (_folder, served) = built_in_games();
    let fleet = served.page_text("/at/wbts/a-gunboat-in-the-rear?part=board");
    let side = fleet
        .split("class=\"place-side\" data-place=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a side with a ship in it");
    assert!(side.contains('/'), "{side}");
    assert!(
        fleet.matches(&format!("data-place=\"{side}\"")).count() > 1,
        "the side, and a counter in it: {fleet}"
    );
}

/// A game of many throws, with a line for each.
fn long_day(folder: &Folder, throws: usize) {
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    let script = "fn attack(given) {\n    step(\"The day\");\n    for n in 0..THROWS { say(\"Hour {}: {}.\", [n, roll(\"1d6\", \"an hour\")]); if n % 7 == 6 { step(`Watch ${n / 7}`); } }\n    result(\"hours\", THROWS);\n}\n";
    let card = "//! case: \"1.1\"\n//! title: A long day\n//! kind: revision\n//! procedure: attack\n//! text: long\n\n";
    folder.write(
        "variants/mine/rules/01-battle/1.1-attack.rhai",
        format!("{card}{}", script.replace("THROWS", &throws.to_string())),
    );
}

#[test]
fn a_move_is_answered_with_what_it_brought() {
    let (folder, served) = skirmish();
    long_day(&folder, 60);
    served.wait_until(|served| served.page_text("/book/skirmish").contains("mine"));
    let play = |count: usize, from: Option<usize>| {
        let mut body = json!({ "situation": "bridge", "with": ["mine"], "seed": 3, "moves": vec!["roll"; count] });
        from.iter().for_each(|from| body["from_move"] = json!(from));
        let (status, answer) = served.request("POST", "/play", Some(&body));
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let lines = |answer: &Value| -> Vec<Value> {
        let steps = answer["ruling"]["steps"].as_array().expect("steps");
        steps
            .iter()
            .flat_map(|step| step["lines"].as_array().expect("lines").clone())
            .collect()
    };
    let answers: Vec<Value> = (0..=60).map(|count| play(count, None)).collect();
    let full = play(60, Some(0));
    let all_lines: Vec<Value> = answers.iter().flat_map(lines).collect();
    assert_eq!(
        all_lines,
        lines(&full),
        "one after the other they tell it all, with the same citations"
    );
    assert_eq!(all_lines.len(), 60);
    let moves = |answers: &[Value]| {
        answers
            .iter()
            .flat_map(|answer| answer["moves"].as_array().expect("moves").clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(moves(&answers), moves(std::slice::from_ref(&full)));
    let long = |answer: &Value| answer.to_string().len();
    assert!(
        long(&answers[59]) < long(&answers[2]) + 200,
        "the last is no longer than the second: {} {}",
        long(&answers[59]),
        long(&answers[2])
    );
    assert_eq!(lines(&play(60, Some(58))).len(), 3, "from a move on");
    assert_eq!(answers[60]["ruling"]["results"]["hours"], 60);
    assert_eq!(play(60, None), answers[60], "asked again it says the same");
    // The page lists only the newest answers, as each holds an address as long as the game; all are listed on request.
    let page = served.page_text(&format!(
        "/at/skirmish/bridge/play?with=mine&moves={}",
        vec!["1"; 50].join("-")
    ));
    page.holds("Journal: 50 answers");
    page.holds("Earlier: 35 entries");
    assert_eq!(page.matches("back to here").count(), 16, "{page}");
    let older = served.page_text(&format!(
        "/at/skirmish/bridge/play?with=mine&part=log&moves={}",
        vec!["1"; 50].join("-")
    ));
    assert_eq!(older.matches("back to here").count(), 34, "{older}");
}

#[test]
fn a_wrong_answer_ends_no_game() {
    let (_folder, served) = skirmish();
    let play = |moves: Value| {
        served.request(
            "POST",
            "/play",
            Some(&json!({ "situation": "bridge", "moves": moves })),
        )
    };
    assert_eq!(play(json!([{ "throw": [6] }])).0, 200);
    assert_eq!(play(json!([{ "throw": [6] }, { "throw": [1] }])).0, 422);
    assert_eq!(play(json!([{ "throw": [6] }, { "take": 0 }])).0, 200);
    // Two play the same situation, each his own way.
    let answer = play(json!([{ "throw": [3] }])).1;
    assert_ne!(answer, play(json!([{ "throw": [6] }])).1);
    assert_eq!(answer, play(json!([{ "throw": [3] }])).1);
}

/// Two sides at one screen bid in secret: until both have, neither log nor address holds the first bid.
#[test]
fn a_secret_answer_is_not_in_the_address() {
    let folder = Folder::skirmish();
    let path = "rules/skirmish/01-battle/1.1-attack.rhai";
    let bids = "let bids = [given.side, enemy(given.side)].map(|side| choose(side, \"bid\", [5, 6, 7]));\n    say(\"The bids are {}.\", [bids]);\n    step(\"Attack\");\n";
    let text = folder.read(path).replace(
        "//! procedure: attack\n",
        "//! procedure: attack\n//! secret: bid\n",
    );
    folder.write(path, text.replace("step(\"Attack\");\n", bids));
    let served = Served::start(&folder.0);
    let bid = |page: &str, option: &str| {
        let links = page
            .split("href=\"")
            .filter_map(|part| part.split_once('"'));
        let mut matching = links
            .filter(|(_, rest)| rest.contains(&format!(">{option}</a>")))
            .map(|(link, _)| link.replace("&amp;", "&"));
        matching
            .find(|link| link.contains("moves="))
            .unwrap_or_else(|| panic!("no {option}: {page}"))
    };
    let start = "/at/skirmish/bridge/play?seat=Red";
    let open = bid(&served.page_text("/at/skirmish/bridge/play"), "6");
    assert!(
        open.ends_with("moves=c1"),
        "without a curtain nothing is secret: {open}"
    );
    let games: Vec<String> = (0..6).map(|_| bid(&served.page_text(start), "6")).collect();
    assert!(
        games.iter().all(|link| link.contains("moves=s"))
            && games.iter().any(|link| *link != games[0]),
        "{games:?}"
    );
    let curtain = served.page_text(&games[0]);
    curtain.holds("Pass to Blue");
    curtain.holds("</b> bid: hidden");
    curtain.lacks("moves=c");
    let lifted = served.page_text(&games[0].replace("seat=Red&", ""));
    lifted.holds("</b> bid: hidden");
    let other_page = bid(
        &served.page_text(&games[0].replace("seat=Red", "seat=Blue")),
        "7",
    );
    served.page_text(&other_page).holds("The bids are 6 and 7.");
}

#[test]
fn a_fault_of_a_rule_keeps_its_place_where_figures_were_changed() {
    let (folder, served) = skirmish();
    folder.write(
        "variants/mine/variant.yaml",
        "variant: mine\ntitle: Mine\ngame: skirmish\nafter: [errata, winter]\n",
    );
    let path = "variants/mine/rules/02-losses/2.1-losses.rhai";
    let card = "//! case: \"2.1\"\n//! title: x\n//! kind: addition\n//! text: x\n\n";
    folder.write(path, format!("{card}{}", "fn loss_order(side, units) {\n    let n = 1 / (units[0].strength - 9);\n    prior()\n}\n"));
    served.wait_until(|served| served.page_text("/book/skirmish").contains("mine"));
    let query =
        "with=mine&set:Red+foot:+strength=9&set:Blue+foot:+strength=9&set:Blue+riders:+strength=9";
    let odds = served.page_text(&format!("/at/skirmish/bridge?{query}&part=odds"));
    odds.holds(format!("{path}:7:"));
    let ruling = served.page_text(&format!("/at/skirmish/bridge?{query}&dice=3&part=ruling"));
    ruling.holds(format!("{path}:7:"));
    // Either may be at fault.
    odds.lacks("The rules can't be used");
}

#[test]
fn what_is_typed_in_is_complained_of_in_plain_words() {
    let (_folder, served) = skirmish();
    let (status, answer) = served.request(
        "POST",
        "/ruling",
        Some(&json!({ "situation": "bridge", "set": { "given: into": "[" } })),
    );
    assert_eq!(status, 422);
    let complaint = &answer["complaints"][0];
    assert!(
        complaint["what"]
            .as_str()
            .is_some_and(|what| what.starts_with("the `[` here is not closed")),
        "{answer:#}"
    );
    complaint.to_string().lacks("indentation");
    let wrong = served.page_text("/at/skirmish/bridge/play?moves=c9");
    // What was said at the table stands in no file.
    wrong.lacks("(play)");
}

#[test]
fn the_workbench_writes_where_the_data_lie() {
    let folder = Folder::skirmish();
    std::fs::create_dir_all(folder.0.join("notes/evening")).expect("it can be made");
    let served = Served::start(&folder.0.join("notes/evening"));
    let (status, made) = served.request_with_token(
        "POST",
        "/new",
        &json!({ "what": "variant", "game": "skirmish", "name": "mine" }),
    );
    assert_eq!(
        (status, &made["written"][0]),
        (200, &json!("variants/mine/variant.yaml")),
        "{made}"
    );
    let manifest = folder.read("variants/mine/variant.yaml");
    let file = json!({ "path": "variants/mine/variant.yaml", "text": manifest.replace("title: ", "title: Our ") });
    assert_eq!(served.request_with_token("PUT", "/file", &file).0, 200);
    folder
        .read("variants/mine/variant.yaml")
        .holds("title: Our ");
    // It is one of one's own.
    served.page_text("/what-if/skirmish").holds("Our ");
    assert!(
        std::fs::read_dir(folder.0.join("notes/evening"))
            .expect("it is there")
            .next()
            .is_none(),
        "nothing is written beside"
    );
}

#[test]
fn files_are_seen_in_folders_that_come_later() {
    let folder = Folder::empty();
    let served = Served::start(&folder.0);
    served.page_text("/what-if/wbts").lacks("evening");
    folder.write(
        "variants/evening/variant.yaml",
        "variant: evening\ntitle: Ours\ngame: wbts\n",
    );
    served.wait_until(|served| served.page_text("/what-if/wbts").contains("Ours"));
    folder.write(
        "variants/evening/variant.yaml",
        "variant: evening\ntitle: Theirs\ngame: wbts\n",
    );
    served.wait_until(|served| served.page_text("/what-if/wbts").contains("Theirs"));
}

#[test]
fn a_strip_shows_how_far_one_gets_and_what_stops_there() {
    let (_folder, served) = built_in_games();
    let page = served.page_text(
        "/at/banasik/where-the-5th-maine-can-go?asks=where+it+can+go&of=5th+Maine&part=board",
    );
    page.holds(">30: its move is spent, slowed by the stubble<");
    page.holds(">0: the table ends there<");
    // With the case that stops it.
    page.holds("0 to 30 inches from its own edge");
    page.holds("what-stops-a-move");
}

#[test]
fn sizes_and_colours_have_names() {
    let css = include_str!("../src/workbench/serve/assets/casebook.css");
    let (_, below) = css.split_once("*, *::before").expect("names stand first");
    let screen = below
        .split("@media print")
        .next()
        .expect("the screen comes first");
    // The map is drawn in units of its own, and what stands in a line follows its size.
    let is_relative = |size: &str| {
        size.contains("var(--") || ["inherit", "1rem"].contains(&size) || !size.contains("rem")
    };
    for rule in screen.split(['{', ';', '}']).map(str::trim) {
        let size = rule
            .strip_prefix("font-size:")
            .or_else(|| rule.strip_prefix("font:"));
        assert!(size.is_none_or(|size| is_relative(size.trim())), "{rule}");
    }
    let code = |word: &str| {
        word.starts_with('#') && word.len() > 3 && word[1..].chars().all(|c| c.is_ascii_hexdigit())
    };
    let codes: Vec<&str> = screen
        .split([' ', ';', ',', '(', ')'])
        .filter(|word| code(word))
        .collect();
    assert!(codes.is_empty(), "{codes:?}");
}

#[test]
fn two_who_write_one_file_lose_nothing() {
    let (folder, served) = skirmish();
    let path = "variants/errata/variant.yaml";
    let original = folder.read(path);
    let save = |text: &str, original: &str| {
        served.request_with_token(
            "PUT",
            "/file",
            &json!({ "path": path, "text": text, "was": original }),
        )
    };
    let first = original.replace("title: ", "title: First ");
    assert_eq!(save(&first, &original).0, 200);
    let (status, answer) = save(&original.replace("title: ", "title: Second "), &original);
    assert!(
        status == 400 && answer["remedy"]["code"] == "reopen-file",
        "{answer}"
    );
    assert_eq!(folder.read(path), first);
    assert_eq!(save(&original, &first).0, 200, "who has seen it may");
}

/// Of those who save at the same time what they have seen, one does.
#[test]
fn of_many_who_write_at_once_one_does() {
    let (folder, served) = skirmish();
    let path = "variants/errata/variant.yaml";
    let original = folder.read(path);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let (served, original) = (&served, &original);
        let save = |n: usize| {
            let body =
                json!({ "path": path, "text": format!("{original}# {n}\n"), "was": original });
            scope.spawn(move || served.request_with_token("PUT", "/file", &body).0)
        };
        let threads: Vec<_> = (0..12).map(save).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("an answer"))
            .collect()
    });
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(
        folder.read(path).lines().count(),
        original.lines().count() + 1
    );
}

/// Line ends, a byte order mark and a leading empty line stay as the file has them; the page shows line feeds alone.
#[test]
fn files_of_windows_are_saved() {
    let (folder, served) = skirmish();
    let path = "variants/errata/variant.yaml";
    let shown = format!("\n{}", folder.read(path));
    folder.write(path, format!("\u{feff}{}", shown.replace('\n', "\r\n")));
    served.wait_until(|served| {
        served
            .page_text(&format!("/edit/file?path={path}"))
            .contains("rows=\"24\">\n\r\n")
    });
    let body = json!({ "path": path, "text": format!("{shown}# new\n"), "was": shown });
    let (status, answer) = served.request_with_token("PUT", "/file", &body);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(
        folder.read(path),
        format!("\u{feff}{}# new\r\n", shown.replace('\n', "\r\n"))
    );
}

/// A page of another site gets no answer; a link that is followed does.
#[test]
fn other_sites_ask_nothing() {
    let (_folder, served) = skirmish();
    let ask = |headers: &[(&str, &str)]| served.request_with("GET", "/games", None, headers).0;
    for site in ["cross-site", "same-site"] {
        assert_eq!(
            ask(&[
                ("sec-fetch-site", site),
                ("sec-fetch-mode", "no-cors"),
                ("sec-fetch-dest", "image")
            ]),
            403
        );
        assert_eq!(
            ask(&[
                ("sec-fetch-site", site),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "iframe")
            ]),
            403
        );
        assert_eq!(
            ask(&[
                ("sec-fetch-site", site),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "document")
            ]),
            200
        );
    }
    for site in ["same-origin", "none"] {
        assert_eq!(ask(&[("sec-fetch-site", site)]), 200);
    }
    for (host, status) in [
        ("127.0.0.1:@evil.com", 421),
        ("localhost.evil.com", 421),
        (":80", 421),
        ("[::1]:80", 200),
        ("localhost:8080", 200),
    ] {
        assert_eq!(ask(&[("host", host)]), status, "{host}");
    }
    let start = Instant::now();
    assert_eq!(
        served
            .request(
                "GET",
                &format!("/games/skirmish/{}", "a".repeat(20_000)),
                None
            )
            .0,
        404
    );
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

/// Browsers keep the cookies of all ports of a host together.
#[test]
fn two_workbenches_keep_two_cookies() {
    let (folder, served) = skirmish();
    let other = Served::start(&folder.0);
    let both = format!("{}; {}", served.cookie(), other.cookie());
    let new = |served: &Served, name: &str| {
        let body = json!({ "what": "variant", "game": "skirmish", "name": name });
        served
            .request_with("POST", "/new", Some(&body), &[("cookie", &both)])
            .0
    };
    assert_eq!((new(&served, "one"), new(&other, "two")), (200, 200));
}

#[test]
fn a_case_is_changed_at_its_places() {
    let (folder, served) = skirmish();
    let send = |rules: &[&str]| {
        let body = json!({ "game": "skirmish", "variant": "mine", "rule": rules });
        served.request_with_token("POST", "/keep", &body)
    };
    let list = "variants/mine/variant.yaml";
    // What can't be used as it would stand is not written.
    for (wrong, said) in [
        ("2.1 answer: loss_shares = share 1/2", "none of add"),
        (
            "2.1 answer: loss_shares, part: each = add many",
            "whole number",
        ),
        ("2.1 answer: loss_order = prior(", "not an expression"),
        (
            "2.1 answer: loss_order = riders_first(answer)",
            "riders_first",
        ),
        ("2.1 number: 99 = 1", "no number 99"),
        ("2.7 answer: loss_order = []", "2.7"),
        ("1.1.wagons = nobody", "nobody"),
        (
            "1.1 throw: attack = add 1 when given.side == \"Re\u{202e}d\"",
            "can't be seen",
        ),
    ] {
        let (status, answer) = send(&[wrong]);
        assert!((400..500).contains(&status));
        answer.to_string().holds(said);
    }
    assert!(
        !folder.0.join("variants/mine").exists(),
        "nothing was written"
    );
    let page = served.page_text("/what-if/skirmish?case=1.1&rule=1.1+throw:+attack+%3D+add+1");
    for part in [
        "name=\"rule 1.1 throw: attack\" value=\"add 1\"",
        "name=\"rule 1.1 answer: may_attack\"",
        "name=\"rule 1.1.wagons\"",
        "data-another",
    ] {
        page.holds(part);
    }
    let changed = served.page_text(
        "/what-if/skirmish?variant=mine&at=bridge&part=now&rule=1.1+throw:+attack+%3D+dice+1d4",
    );
    changed.holds("defender losses");
    changed.holds("data-lines");
    let (status, answer) = send(&["1.1 throw: attack = add 1", "1.1.wagons = help"]);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(
        send(&["1.1 throw: attack = add 1"]).1["written"],
        json!([]),
        "it is kept already"
    );
    // Without scripts the browser sends the form itself.
    let form = "variant=mine&rule+1.1+answer:+may_attack=yes+when+unit.strength+>+3";
    let post =
        |form: &str, headers: &[(&str, &str)]| served.post_form("/what-if/skirmish", form, headers);
    assert_eq!(
        post(form, &[]).0,
        403,
        "whoever may not write saves nothing"
    );
    let (status, page) = post(form, &[("cookie", &*served.cookie())]);
    assert!(status == 200, "{page}");
    page.holds("1.1 Attack: may attack is yes, when unit strength is more than 3");
    let kept = folder.read(list);
    let entries: Vec<&str> = kept
        .lines()
        .filter_map(|line| line.strip_prefix("  - "))
        .collect();
    assert_eq!(
        entries,
        [
            "{ case: \"1.1\", throw: attack, add: 1 }",
            "{ reading: \"1.1.wagons\", now: help }",
            "{ case: \"1.1\", answer: may_attack, now: true, when: \"unit.strength > 3\" }",
        ]
    );
    let checked = folder.run("check");
    assert!(
        !checked.out.contains("error["),
        "what was written is right: {}",
        checked.out
    );
    // A cell is saved without scripts, too.
    let (status, page) = served.post_form(
        "/what-if/skirmish",
        "variant=mine&now+combat+1:2+1=0%2F0",
        &[("cookie", &*served.cookie())],
    );
    assert!(status == 200, "{page}");
    page.holds("die 1: 0/0 instead of 3/0");
    folder.read(list).holds("table: combat");
    // A name in one's own words is written as the page with scripts writes it.
    let (status, page) = served.post_form(
        "/what-if/skirmish",
        "variant=Winter+war&now+combat+1:2+1=0%2F0",
        &[("cookie", &*served.cookie())],
    );
    assert!(status == 200, "{page}");
    page.holds("winter-war");
    assert!(folder.0.join("variants/winter-war/variant.yaml").is_file());
}
