//! The workbench as static files in a real Chromium: the same answers as the program's, without a network, with house rules that travel in
//! links. Where the engine was not built (`.ci/site` builds it) or no Chromium is installed, it says so and is skipped.
#![cfg(feature = "serve")]

mod common;

use casebook::serve::handler::{HttpRequest, answer};
use casebook::serve::workbench::Workbench;
use common::Folder;
use common::browser::Browser;
use common::front::{engine, write_site};
use common::static_files::StaticFiles;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The site in a folder; none where the engine was not built.
fn site(base: &str) -> Option<Folder> {
    let folder = Folder::empty();
    write_site(&folder, &engine()?, base);
    Some(folder)
}

fn open_site(browser: &Browser, host: &StaticFiles) {
    browser.open(&host.base);
    browser.wait_until("document.querySelector('#copy-link')");
}

/// Two sums of an answer's bytes, which tell two answers apart. How many states were explored depends on the number of threads.
fn sums(text: &str) -> [u32; 2] {
    let text = match text.split_once("\"states\":") {
        Some((before, after)) => format!("{before}{}", after.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => text.to_string(),
    };
    [0x811c_9dc5, 0x1234_5678].map(|start| text.bytes().fold(start, |sum: u32, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)))
}

#[test]
fn every_situation_comes_out_as_in_the_program() {
    let Some(folder) = site("/") else { return };
    let Some(browser) = Browser::start() else { return };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    open_site(&browser, &host);

    let own = Folder::empty();
    let workbench = Workbench::new(Some(&own.0), String::new()).expect("the built-in data");
    let native = |path: &str, body: &Value| {
        let request = HttpRequest::new("post", &format!("/api/v1/{path}"), body.to_string().into_bytes(), true);
        answer(&workbench, &request, &AtomicBool::new(false)).text
    };
    let library = workbench.snapshot().expect("the built-in data").library.clone();
    let mut requests: Vec<(&str, Value)> = Vec::new();
    for game in library.games.keys() {
        for (name, _) in library.scenarios(game) {
            let body = json!({ "game": game, "situation": name });
            requests.push(("ruling", body.clone()));
            let start = Instant::now();
            let odds: Value = serde_json::from_str(&native("odds", &body)).unwrap_or_default();
            // A count that is near its limit of time may end elsewhere in the browser.
            if odds["complete"] == true && start.elapsed() < Duration::from_millis(150) {
                requests.push(("odds", body));
            }
        }
    }
    let script = format!(
        "const sum = (bytes, start) => {{ let s = start; for (const b of bytes) s = Math.imul(s ^ b, 0x01000193); return s >>> 0; }};
         (async () => {{
           const sums = [];
           for (const [path, body] of {}) {{
             const whole = await (await fetch('/api/v1/' + path, {{ method: 'POST', body: JSON.stringify(body) }})).text();
             const text = whole.replace(/.states.:\\d*/, '');
             const bytes = new TextEncoder().encode(text);
             sums.push([sum(bytes, 0x811c9dc5), sum(bytes, 0x12345678)]);
           }}
           return sums;
         }})().then(done, (error) => done(String(error)))",
        json!(requests)
    );
    let found = browser.run_async(&script);
    let found = found.as_array().unwrap_or_else(|| panic!("{found}"));
    assert_eq!(found.len(), requests.len());
    let other: Vec<_> = requests.iter().zip(found).filter(|((path, body), sum)| json!(sums(&native(path, body))) != **sum).collect();
    assert!(other.is_empty(), "{} of {} answers differ, such as {:?}", other.len(), requests.len(), other.first());
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

#[test]
fn a_house_rule_travels_in_a_link() {
    let Some(folder) = site("/") else { return };
    let (Some(browser), Some(other)) = (Browser::start(), Browser::start()) else { return };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    open_site(&browser, &host);

    let api = |method: &str, path: &str, body: Value| {
        browser.run_async(&format!(
            "fetch('/api/v1/{path}', {{ method: '{method}', body: JSON.stringify({body}) }}).then((a) => a.json()).then(done, (e) => done(String(e)))"
        ))
    };
    let made = api("POST", "new", json!({ "what": "variant", "game": "wbts", "name": "my-house" }));
    assert_eq!(made["written"][0], "variants/my-house/variant.yaml", "{made}");
    let made = api("POST", "new", json!({ "what": "case", "game": "wbts", "variant": "my-house", "name": "26.2" }));
    let path = made["written"][0].as_str().unwrap_or_else(|| panic!("{made}")).to_string();

    // It is in force, and stays so after a new start, without a network.
    host.switch_off();
    browser.stop_service_workers();
    browser.open(&format!("{}at/wbts/lee-attacks-porter?with=my-house", host.base));
    browser.wait_until("document.querySelector('.charts figure') && !document.querySelector('[data-more]')");
    let odds = browser.text("[data-part=odds]");
    assert!(odds.contains("66.7 %"), "{odds}");
    let link = browser.run_async("siteLink().then(done)");
    let link = link.as_str().expect("a link");
    assert!(link.contains("#rules=") && link.len() < 2048, "{} letters: {link}", link.len());
    assert_eq!(browser.console_errors(), Vec::<String>::new());

    // Whoever has never been here opens the link, and sees the same.
    let host = StaticFiles::start(folder.0.join("site"), "/");
    let link = format!("{}{}", host.base, &link[link.find('#').expect("a fragment")..]);
    other.open(&link);
    other.wait_until(
        "location.search.includes('my-house') && document.querySelector('.charts figure') && !document.querySelector('[data-more]')",
    );
    assert_eq!(other.text("[data-part=odds]"), odds);
    let there = other.run_async("readFiles().then((files) => done(Object.keys(files)))");
    assert!(there.as_array().is_some_and(|files| files.iter().any(|file| *file == json!(path))), "{there}");

    // Whoever has been here before gets to the page of a link, too, and a damaged one says so and changes nothing.
    other.open(&format!("{}book/wbts", host.base));
    other.open(&format!("{}#/at/wbts/leader-wounded", host.base));
    other.wait_until("location.pathname === '/at/wbts/leader-wounded' && document.querySelector('#copy-link')");
    other.open(&link[..link.len() - 9]);
    other.wait_until("document.body.innerText.includes('damaged')");
    assert_eq!(other.run_async("readFiles().then((files) => done(Object.keys(files)))"), there);
}

#[test]
fn what_is_no_place_for_a_site_is_said_first() {
    let folder = Folder::skirmish();
    let refused = |args: &[&str], why: &str| {
        let run = folder.run(&[&["site"], args].concat());
        assert!(run.status != Some(0) && run.err.contains(why), "{args:?}: {}", run.err);
    };
    refused(&["--out", "rules"], "there are other files in this folder");
    refused(&["--out", "rules/skirmish/game.yaml"], "game.yaml");
    refused(&["--out", "site", "--with", "erata"], "did you mean");
    refused(&["--out", "site", "--base", "casebook"], "begins and ends with /");
    refused(&["--out", "site", "--wasm", "rules/skirmish/game.yaml"], "this is no WebAssembly");
    refused(&["--out", "site", "--wasm", "nowhere"], "nowhere");
}

#[test]
fn it_runs_below_a_path_and_without_service_workers() {
    let Some(folder) = site("/casebook/") else { return };
    let Some(browser) = Browser::start() else { return };
    let host = StaticFiles::start(folder.0.join("site"), "/casebook/");
    browser.open(&format!("{}book/wbts/case/8.16", host.base));
    browser.wait_until("document.title.includes('Allocation of losses')");
    browser.click("a[href='/casebook/at/wbts'], a[href^='/casebook/at/wbts?']");
    browser.wait_until("location.pathname === '/casebook/at/wbts'");
    let errors = browser.console_errors();
    assert!(errors.len() <= 1, "but for the page that the host did not know: {errors:?}");

    let plain = StaticFiles::start(folder.0.join("site"), "/");
    browser.run_before_each_page("delete Navigator.prototype.serviceWorker");
    browser.open(&plain.base);
    browser.click("a[href='/at/wbts']");
    browser.wait_until("location.pathname === '/at/wbts'");
    browser.run("document.querySelector('a[href*=\"lee-attacks-porter\"]').click()");
    browser.wait_until("document.querySelector('.charts figure') && !document.querySelector('[data-more]')");
    browser.back();
    browser.wait_until("location.pathname === '/at/wbts' && document.title.includes('Situations')");
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

/// A group's site has the variants that it names, and what these need.
#[test]
fn a_site_has_the_variants_that_are_named() {
    let folder = Folder::skirmish();
    folder.write("engine.wasm", "\0asm").write("variants/other/variant.yaml", "variant: other\ntitle: Other\ngame: skirmish\n");
    for (args, wanted) in [(&[][..], "errata other winter"), (&["--with", "winter"], "errata winter"), (&["--with", ""], "")] {
        folder.run(&[&["site", "--wasm", "engine.wasm"], args].concat()).expect_success();
        let files: Value = serde_json::from_str(&folder.read("site/files.json")).expect("it is JSON");
        let keys: Vec<&String> = files.as_object().expect("files by key").keys().collect();
        let mut variants: Vec<&str> = keys.iter().filter_map(|key| key.strip_prefix("variants/")?.split('/').next()).collect();
        variants.dedup();
        assert_eq!(variants.join(" "), wanted);
        assert!(keys.iter().any(|key| key.starts_with("rules/skirmish/")), "its game is there");
    }
}
