//! The workbench as static files in a real Chromium: the same answers as the program's, without a network, with house rules that travel in
//! links. The engine has to be built (`.ci/site` builds it), and a Chromium has to be installed.

use crate::common::browser::Browser;
use crate::common::front::{engine, write_site};
use crate::common::static_files::StaticFiles;
use crate::common::{Folder, Says};
use casebook::serve::handler::{HttpRequest, answer};
use casebook::serve::workbench::Workbench;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The tests, by name.
pub const TESTS: &[(&str, fn())] = &[
    (
        "every_situation_comes_out_as_in_the_program",
        every_situation_comes_out_as_in_the_program,
    ),
    (
        "a_house_rule_travels_in_a_link",
        a_house_rule_travels_in_a_link,
    ),
    (
        "storage_that_is_full_or_forbidden_is_said",
        storage_that_is_full_or_forbidden_is_said,
    ),
    ("two_tabs_lose_nothing", two_tabs_lose_nothing),
    (
        "a_killed_worker_is_started_anew",
        a_killed_worker_is_started_anew,
    ),
    ("the_first_load_is_small", the_first_load_is_small),
    (
        "it_runs_below_a_path_and_without_service_workers",
        it_runs_below_a_path_and_without_service_workers,
    ),
    (
        "a_site_has_the_variants_that_are_named",
        a_site_has_the_variants_that_are_named,
    ),
];

/// The site in a folder; none where the engine was not built.
fn site(base: &str) -> Option<Folder> {
    let folder = Folder::empty();
    write_site(&folder, &engine()?, base);
    Some(folder)
}

fn open_site(browser: &Browser, host: &StaticFiles) {
    browser.open(&host.base);
    browser.wait_until("document.querySelector('header.top #copy-link')");
}

/// Two checksums of an answer, without the number of explored states, which depends on the threads.
fn sums(text: &str) -> [u32; 2] {
    let text = match text.split_once("\"states\":") {
        Some((before, after)) => format!(
            "{before}{}",
            after.trim_start_matches(|c: char| c.is_ascii_digit())
        ),
        None => text.to_string(),
    };
    [0x811c_9dc5, 0x1234_5678].map(|start| {
        text.bytes().fold(start, |sum: u32, byte| {
            (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        })
    })
}

fn every_situation_comes_out_as_in_the_program() {
    let Some(folder) = site("/") else { return };
    let Some(browser) = Browser::start() else {
        return;
    };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    open_site(&browser, &host);

    let other_folder = Folder::empty();
    let workbench = Workbench::new(Some(&other_folder.0), casebook::EMBEDDED, String::new())
        .expect("the built-in data");
    let native = |path: &str, body: &Value| {
        let request = HttpRequest::new(
            "post",
            &format!("/api/v2/{path}"),
            body.to_string().into_bytes(),
            true,
        );
        answer(&workbench, &request, &AtomicBool::new(false)).text
    };
    let library = workbench
        .snapshot()
        .expect("the built-in data")
        .library
        .clone();
    let mut requests: Vec<(&str, Value)> = Vec::new();
    for game in library.games.keys() {
        for (name, _) in library.scenarios(game) {
            let body = json!({ "game": game, "situation": name });
            requests.push(("ruling", body.clone()));
            let start = Instant::now();
            let odds: Value = serde_json::from_str(&native("odds", &body)).unwrap_or_default();
            // A count that is near its limit of time may end elsewhere in the browser.
            if odds["complete"] == true && start.elapsed() < Duration::from_secs(1) {
                requests.push(("odds", body));
            }
        }
    }
    let script = format!(
        "const sum = (bytes, start) => {{ let s = start; for (const b of bytes) s = Math.imul(s ^ b, 0x01000193); return s >>> 0; }};
         (async () => {{
           const sums = [];
           for (const [path, body] of {}) {{
             const whole = await (await fetch('/api/v2/' + path, {{ method: 'POST', body: JSON.stringify(body) }})).text();
             const text = whole.replace(/.states.:\\d*/, '');
             const bytes = new TextEncoder().encode(text);
             sums.push([sum(bytes, 0x811c9dc5), sum(bytes, 0x12345678)]);
           }}
           return sums;
         }})().then(done, (error) => done(String(error)))",
        json!(requests)
    );
    let digests = browser.run_async(&script);
    let digests = digests.as_array().unwrap_or_else(|| panic!("{digests}"));
    assert_eq!(digests.len(), requests.len());
    eprintln!(
        "{} rulings and {} odds",
        requests
            .iter()
            .filter(|(path, _)| *path == "ruling")
            .count(),
        requests.iter().filter(|(path, _)| *path == "odds").count()
    );
    let different: Vec<_> = requests
        .iter()
        .zip(digests)
        .filter(|((path, body), sum)| json!(sums(&native(path, body))) != **sum)
        .collect();
    assert!(
        different.is_empty(),
        "{} of {} answers differ, such as {:?}",
        different.len(),
        requests.len(),
        different.first()
    );
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

fn a_house_rule_travels_in_a_link() {
    let Some(folder) = site("/") else { return };
    let (Some(browser), Some(other_browser)) = (Browser::start(), Browser::start()) else {
        return;
    };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    open_site(&browser, &host);

    let api = |method: &str, path: &str, body: Value| {
        browser.run_async(&format!(
            "fetch('/api/v2/{path}', {{ method: '{method}', body: JSON.stringify({body}) }}).then((a) => a.json()).then(done, (e) => done(String(e)))"
        ))
    };
    let created = api(
        "POST",
        "new",
        json!({ "what": "variant", "game": "wbts", "name": "my-house" }),
    );
    assert_eq!(
        created["written"][0], "variants/my-house/variant.yaml",
        "{created}"
    );
    let created = api(
        "POST",
        "new",
        json!({ "what": "case", "game": "wbts", "variant": "my-house", "name": "26.2" }),
    );
    let path = created["written"][0]
        .as_str()
        .unwrap_or_else(|| panic!("{created}"))
        .to_string();

    // It is in force, and stays so after a new start, without a network.
    host.switch_off();
    browser.stop_service_workers();
    browser.open(&format!(
        "{}at/wbts/lee-attacks-porter?with=my-house",
        host.base
    ));
    browser.wait_until(
        "document.querySelector('.charts figure') && !document.querySelector('[data-more]')",
    );
    let odds = browser.text("[data-part=odds]");
    odds.holds("66.7 %");
    let link = browser.run_async("siteLink().then(done)");
    let link = link.as_str().expect("a link");
    assert!(
        link.contains("#rules=") && link.len() < 2048,
        "{} letters: {link}",
        link.len()
    );
    assert_eq!(browser.console_errors(), Vec::<String>::new());

    // A new visitor who opens the link sees the same.
    let host = StaticFiles::start(folder.0.join("site"), "/");
    let link = format!(
        "{}{}",
        host.base,
        &link[link.find('#').expect("a fragment")..]
    );
    other_browser.open(&link);
    other_browser.wait_until(
        "location.search.includes('my-house') && document.querySelector('.charts figure') && !document.querySelector('[data-more]')",
    );
    assert_eq!(other_browser.text("[data-part=odds]"), odds);
    let stored = other_browser.run_async("readFiles().then((files) => done(Object.keys(files)))");
    assert!(
        stored
            .as_array()
            .is_some_and(|files| files.iter().any(|file| *file == json!(path))),
        "{stored}"
    );

    // A returning visitor gets to the page of a link too; a damaged or newer link is reported and changes nothing.
    other_browser.open(&format!("{}book/wbts", host.base));
    other_browser.open(&format!("{}#/at/wbts/leader-wounded", host.base));
    other_browser.wait_until(
        "location.pathname === '/at/wbts/leader-wounded' && document.querySelector('#copy-link')",
    );
    let packed = link.split("#rules=").nth(1).expect("a house rule");
    let letter = if packed.as_bytes()[packed.len() / 2] == b'A' {
        "B"
    } else {
        "A"
    };
    let altered = format!(
        "{}{letter}{}",
        &packed[..packed.len() / 2],
        &packed[packed.len() / 2 + 1..]
    );
    for (fragment, description) in [
        (format!("rules={}", &packed[..packed.len() - 9]), "damaged"),
        (format!("rules={altered}"), "damaged"),
        ("rul".to_string(), "damaged"),
        (format!("rules2={packed}"), "newer Casebook"),
    ] {
        other_browser.open("about:blank");
        other_browser.open(&format!("{}#/at/wbts/leader-wounded#{fragment}", host.base));
        other_browser.wait_until(&format!(
            "document.querySelector('#site-state[role=alert]')?.innerText.includes('{description}')"
        ));
        assert_eq!(
            other_browser.run_async("readFiles().then((files) => done(Object.keys(files)))"),
            stored,
            "{description}"
        );
    }
}

/// Calls the API from the page, and returns the answer.
fn call_api(browser: &Browser, method: &str, path: &str, body: &Value) -> Value {
    let answer = browser.run_async(&format!(
        "fetch('/api/v2/{path}', {{ method: '{method}', body: JSON.stringify({body}) }}).then((a) => a.text()).then(done, (e) => done(String(e)))"
    ));
    let text = answer.as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn new_variant(name: &str) -> Value {
    json!({ "what": "variant", "game": "wbts", "name": name })
}

fn storage_that_is_full_or_forbidden_is_said() {
    let Some(folder) = site("/") else { return };
    let Some(browser) = Browser::start() else {
        return;
    };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    open_site(&browser, &host);
    // Room for a variant, and not for a long one.
    let used = browser.run_async("navigator.storage.estimate().then(({ usage }) => done(usage))");
    browser.limit_storage(&host.base, used.as_u64().expect("a number") + 100_000);
    call_api(&browser, "POST", "new", &new_variant("before"));
    let path = "variants/before/variant.yaml";
    let before = browser.run_async("readFiles().then(done)");
    assert!(before[path].is_string(), "{before:#}");
    let long = format!(
        "{}# {}\n",
        before[path].as_str().unwrap_or_default(),
        "long ".repeat(200_000)
    );
    let answer = call_api(
        &browser,
        "PUT",
        "file",
        &json!({ "path": path, "text": long }),
    );
    answer["error"].holds("nothing was saved");
    assert_eq!(
        browser.run_async("readFiles().then(done)"),
        before,
        "what was there is there"
    );
    browser.open(&format!("{}at/wbts/lee-attacks-porter", host.base));
    browser.wait_until(
        "document.querySelector('.charts figure') && !document.querySelector('[data-more]')",
    );

    // A browser that forbids all storage has no service workers either: the pages come without, and saving says that nothing was saved.
    let Some(browser) =
        Browser::start_with(&json!({ "profile.default_content_setting_values.cookies": 2 }))
    else {
        return;
    };
    browser.open(&host.base);
    browser.click("a[href='/at/wbts']");
    browser.run("document.querySelector('a[href*=\"lee-attacks-porter\"]').click()");
    browser.wait_until(
        "document.querySelector('.charts figure') && !document.querySelector('[data-more]')",
    );
    let answer = call_api(&browser, "POST", "new", &new_variant("after"));
    answer["error"].holds("nothing was saved");
}

fn two_tabs_lose_nothing() {
    let Some(folder) = site("/") else { return };
    let Some(browser) = Browser::start() else {
        return;
    };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    open_site(&browser, &host);
    let (first, second) = browser.open_tab();
    browser.open(&host.base);
    browser.wait_until("document.querySelector('#copy-link')");
    // Both save at the same time.
    for (tab, name) in [(&first, "one"), (&second, "two")] {
        browser.switch_to(tab);
        browser.run(&format!(
            "window.saved = fetch('/api/v2/new', {{ method: 'POST', body: JSON.stringify({}) }})",
            new_variant(name)
        ));
    }
    for tab in [&first, &second] {
        browser.switch_to(tab);
        assert_eq!(
            browser.run_async("window.saved.then((answer) => done(answer.status))"),
            200
        );
    }
    let files = browser.run_async("readFiles().then(done)");
    let path = "variants/one/variant.yaml";
    assert!(
        files[path].is_string() && files["variants/two/variant.yaml"].is_string(),
        "{files:#}"
    );
    // Both change the same file: the second save is refused.
    let original = files[path].as_str().unwrap_or_default();
    let change = |what: &str| json!({ "path": path, "text": format!("{original}# {what}\n"), "was": original });
    browser.switch_to(&first);
    assert_eq!(
        call_api(&browser, "PUT", "file", &change("first"))["saved"],
        path
    );
    browser.switch_to(&second);
    let answer = call_api(&browser, "PUT", "file", &change("second"));
    assert!(answer["remedy"]["code"] == "reopen-file", "{answer}");
    let files = browser.run_async("readFiles().then(done)");
    files[path].holds("# first");
    // A service worker that the browser has ended starts again.
    browser.stop_service_workers();
    assert!(
        call_api(
            &browser,
            "PUT",
            "file",
            &json!({ "path": path, "text": original })
        )["saved"]
            .is_string()
    );
}

/// A killed worker does not answer: after a timeout it starts again, and the page says so.
fn a_killed_worker_is_started_anew() {
    let Some(folder) = site("/") else { return };
    let Some(browser) = Browser::start() else {
        return;
    };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    // The worker stops answering, and the long timeouts are shortened.
    browser.run_before_each_page(
        "const wait = setTimeout; const isDeaf = () => window.deaf === window.workers;
         window.setTimeout = (work, time, ...more) => wait(work, time > 30000 && isDeaf() ? 300 : time, ...more);
         const Whole = Worker; window.workers = 0;
         window.Worker = class extends Whole {
           number = ++window.workers;
           set onmessage(work) { super.onmessage = (event) => { if (this.number !== window.deaf || event.data.started) work(event); }; }
         };",
    );
    browser.resize_window(1280, false);
    open_site(&browser, &host);
    browser.open(&format!("{}at/wbts/lee-attacks-porter", host.base));
    browser.wait_until("document.querySelector('.charts figure')");
    // Nothing else is asked for by then.
    browser.wait_until("document.querySelector('.term')");
    // Both at once, or the second key would cancel the request of the first.
    browser.run("window.deaf = window.workers; const field = document.querySelector(\"input[name='set:Lee: initiative']\"); field.value = 3; field.dispatchEvent(new Event('input', { bubbles: true }))");
    browser.wait_until("document.querySelector('.silent')?.innerText.includes('restarted')");
    // What was typed stays.
    browser.run("return location.search").holds("initiative=3");
    browser.write("input[name='set:Lee: initiative']", "2");
    browser.wait_until("location.search.includes('initiative=2') && !document.querySelector('.silent, [aria-busy], [data-more]')");
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

/// What a visitor loads first is at most 2.5 MB, from no other host; how long it takes is printed.
fn the_first_load_is_small() {
    let Some(folder) = site("/") else { return };
    let Some(browser) = Browser::start() else {
        return;
    };
    let host = StaticFiles::start(folder.0.join("site"), "/");
    let start = Instant::now();
    open_site(&browser, &host);
    let load_time = start.elapsed();
    let loaded = host.bytes_sent();
    eprintln!(
        "the first load: {:.2} MB, a page to work with after {} ms",
        loaded as f64 / 1e6,
        load_time.as_millis()
    );
    assert!(loaded <= 2_500_000, "{loaded} bytes");
    browser.open(&format!("{}at/wbts/lee-attacks-porter", host.base));
    browser.wait_until(
        "document.querySelector('.charts figure') && !document.querySelector('[data-more]')",
    );
    let elsewhere = browser
        .run("return performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !name.startsWith(location.origin))");
    assert_eq!(elsewhere, json!([]));
}

fn it_runs_below_a_path_and_without_service_workers() {
    let Some(folder) = site("/casebook/") else {
        return;
    };
    let Some(browser) = Browser::start() else {
        return;
    };
    let host = StaticFiles::start(folder.0.join("site"), "/casebook/");
    browser.open(&format!("{}book/wbts/case/8.16", host.base));
    browser.wait_until("document.title.includes('Allocation of losses')");
    browser.click("a[href='/casebook/at/wbts'], a[href^='/casebook/at/wbts?']");
    browser.wait_until("location.pathname === '/casebook/at/wbts'");
    let errors = browser.console_errors();
    assert!(
        errors.len() <= 1,
        "but for the page that the host did not know: {errors:?}"
    );

    let host = StaticFiles::start(folder.0.join("site"), "/");
    browser.run_before_each_page("delete Navigator.prototype.serviceWorker");
    browser.open(&host.base);
    browser.click("a[href='/at/wbts']");
    browser.wait_until("location.pathname === '/at/wbts'");
    browser.run("document.querySelector('a[href*=\"lee-attacks-porter\"]').click()");
    browser.wait_until(
        "document.querySelector('.charts figure') && !document.querySelector('[data-more]')",
    );
    browser.back();
    browser.wait_until("location.pathname === '/at/wbts' && document.title.includes('Situations')");
    assert_eq!(browser.console_errors(), Vec::<String>::new());
}

/// A group's site has the variants that it names, and what these need.
fn a_site_has_the_variants_that_are_named() {
    let folder = Folder::skirmish();
    folder.write("engine.wasm", "\0asm").write(
        "variants/other/variant.yaml",
        "variant: other\ntitle: Other\ngame: skirmish\n",
    );
    for (args, expected) in [
        (&[][..], "errata other winter"),
        (&["--with", "winter"], "errata winter"),
        (&["--with", ""], ""),
    ] {
        folder.ok(&[&["site", "--wasm", "engine.wasm"], args].concat());
        let files: Value =
            serde_json::from_str(&folder.read("site/files.json")).expect("it is JSON");
        let keys: Vec<&String> = files.as_object().expect("files by key").keys().collect();
        let mut variants: Vec<&str> = keys
            .iter()
            .filter_map(|key| key.strip_prefix("variants/")?.split('/').next())
            .collect();
        variants.dedup();
        assert_eq!(variants.join(" "), expected);
        assert!(
            keys.iter().any(|key| key.starts_with("rules/skirmish/")),
            "its game is there"
        );
    }
}
