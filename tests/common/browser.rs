//! A Chromium driven by its driver's own HTTP, where both are installed.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Timeout for conditions on a page, long enough for a slow computer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A browser with one window.
pub struct Browser {
    driver: Child,
    /// The output of the driver, kept open because the driver ends without a reader.
    _prints: BufReader<ChildStdout>,
    base: String,
    agent: ureq::Agent,
}

/// Chromium's headless shell, where Debian puts it. The launcher of this name waits for it: the driver would end that alone, and leave a browser
/// behind for each session.
const HEADLESS_SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";

impl Browser {
    /// Starts a browser; none if Chromium or its driver is not installed.
    pub fn start() -> Option<Browser> {
        Browser::start_with(&json!({}))
    }

    /// Starts a browser with preferences of Chromium.
    pub fn start_with(preferences: &Value) -> Option<Browser> {
        let spawned = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = spawned else {
            eprintln!(
                "skipped: no chromedriver is installed (Debian: apt-get install chromium chromium-driver)"
            );
            return None;
        };
        let mut prints = BufReader::new(driver.stdout.take()?);
        let mut line = String::new();
        let port = loop {
            line.clear();
            assert!(
                prints.read_line(&mut line).is_ok_and(|length| length > 0),
                "the driver says where it listens"
            );
            if let Some(port) = line
                .split("successfully on port ")
                .nth(1)
                .and_then(|rest| rest.trim().trim_end_matches('.').parse::<u16>().ok())
            {
                break port;
            }
        };
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .build()
            .into();
        let mut browser = Browser {
            driver,
            _prints: prints,
            base: format!("http://127.0.0.1:{port}"),
            agent,
        };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ];
        let mut options = json!({ "args": arguments, "prefs": preferences });
        // The same engine without a browser's own windows, where it is installed: it takes less time. It knows no preferences.
        let needs_preferences = preferences.as_object().is_some_and(|all| !all.is_empty());
        if !needs_preferences && Path::new(HEADLESS_SHELL).is_file() {
            options["binary"] = json!(HEADLESS_SHELL);
        }
        let capabilities =
            json!({ "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } });
        let session = browser.request(
            "POST",
            "/session",
            &json!({ "capabilities": { "alwaysMatch": capabilities } }),
        );
        let Some(id) = session["sessionId"].as_str() else {
            eprintln!("skipped: no Chromium can be started: {session}");
            return None;
        };
        browser.base = format!("{}/session/{id}", browser.base);
        browser.request("POST", "/timeouts", &json!({ "script": 60_000 }));
        Some(browser)
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("content-type", "application/json");
        let text = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        let mut answer = self
            .agent
            .run(request.body(text).expect("a request"))
            .expect("the driver answers");
        let text = answer
            .body_mut()
            .with_config()
            .limit(1 << 28)
            .read_to_string()
            .expect("the driver answers in text");
        serde_json::from_str::<Value>(&text)
            .map(|mut text| text["value"].take())
            .unwrap_or(Value::Null)
    }

    /// Opens an address.
    pub fn open(&self, address: &str) {
        self.request("POST", "/url", &json!({ "url": address }));
    }

    /// Runs a script in the page: what it returns.
    pub fn run(&self, script: &str) -> Value {
        let answer = self.request(
            "POST",
            "/execute/sync",
            &json!({ "script": script, "args": [] }),
        );
        assert!(answer.get("error").is_none(), "{script}\n{answer:#}");
        answer
    }

    /// Runs a script that calls `done` with its answer.
    pub fn run_async(&self, script: &str) -> Value {
        let body = json!({ "script": format!("const done = arguments[arguments.length - 1]; {script}"), "args": [] });
        let answer = self.request("POST", "/execute/async", &body);
        assert!(answer.get("error").is_none(), "{script}\n{answer:#}");
        answer
    }

    /// Waits until something holds in the page.
    pub fn wait_until(&self, holds: &str) {
        let start = Instant::now();
        // Between two pages no script can run.
        while self.request(
            "POST",
            "/execute/sync",
            &json!({ "script": format!("return Boolean({holds})"), "args": [] }),
        ) != json!(true)
        {
            assert!(
                start.elapsed() < TIMEOUT,
                "this never held: {holds}\n{}",
                self.text("body")
            );
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn find(&self, selector: &str) -> String {
        self.wait_until(&format!("document.querySelector({})", json!(selector)));
        let element = self.request(
            "POST",
            "/element",
            &json!({ "using": "css selector", "value": selector }),
        );
        let id = element
            .as_object()
            .and_then(|found| found.values().next())
            .and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("{selector}: {element}"))
            .to_string()
    }

    /// Clicks as a person does: what is covered or not shown can't be clicked.
    pub fn click(&self, selector: &str) {
        let id = self.find(selector);
        self.run(&format!(
            "document.querySelector({}).scrollIntoView({{ block: 'center' }})",
            json!(selector)
        ));
        let answer = self.request("POST", &format!("/element/{id}/click"), &json!({}));
        assert!(answer.is_null(), "{selector}: {answer:#}");
    }

    /// Types into a field, in the place of what stands there.
    pub fn write(&self, selector: &str, text: &str) {
        let id = self.find(selector);
        self.request("POST", &format!("/element/{id}/clear"), &json!({}));
        let answer = self.request(
            "POST",
            &format!("/element/{id}/value"),
            &json!({ "text": text }),
        );
        assert!(answer.is_null(), "{selector}: {answer:#}");
    }

    /// Drags one thing to another, as a mouse does.
    pub fn drag(&self, from: &str, to: &str) {
        let middle = |selector: &str| {
            let script = format!(
                "const box = document.querySelector({}).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)",
                json!(selector)
            );
            self.run(&script)
        };
        self.find(from);
        self.run(&format!(
            "document.querySelector({}).scrollIntoView({{ block: 'center' }})",
            json!(from)
        ));
        let (a, b) = (middle(from), middle(to));
        let go = |at: &Value, time: u32| json!({ "type": "pointerMove", "duration": time, "x": at[0], "y": at[1] });
        let moves = [
            go(&a, 0),
            json!({ "type": "pointerDown", "button": 0 }),
            go(&b, 200),
            json!({ "type": "pointerUp", "button": 0 }),
        ];
        let mouse = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": moves });
        let answer = self.request("POST", "/actions", &json!({ "actions": [mouse] }));
        assert!(answer.is_null(), "{from} to {to}: {answer:#}");
    }

    /// Chooses a file.
    pub fn choose(&self, selector: &str, path: &std::path::Path) {
        let id = self.find(selector);
        let answer = self.request(
            "POST",
            &format!("/element/{id}/value"),
            &json!({ "text": path.to_string_lossy() }),
        );
        assert!(answer.is_null(), "{selector}: {answer:#}");
    }

    /// Presses a key of the keyboard, which goes to whatever has the focus.
    pub fn press(&self, key: &str) {
        let moves = [
            json!({ "type": "keyDown", "value": key }),
            json!({ "type": "keyUp", "value": key }),
        ];
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": moves });
        let answer = self.request("POST", "/actions", &json!({ "actions": [keyboard] }));
        assert!(answer.is_null(), "{key:?}: {answer:#}");
    }

    /// The text that is seen.
    pub fn text(&self, selector: &str) -> String {
        let script = format!(
            "return document.querySelector({})?.innerText ?? ''",
            json!(selector)
        );
        self.run(&script).as_str().unwrap_or_default().to_string()
    }

    /// Goes back.
    pub fn back(&self) {
        self.request("POST", "/back", &json!({}));
    }

    fn devtools(&self, command: &str, with: Value) {
        self.request(
            "POST",
            "/goog/cdp/execute",
            &json!({ "cmd": command, "params": with }),
        );
    }

    /// Runs a script at the start of every page from now on.
    pub fn run_before_each_page(&self, script: &str) {
        self.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": script }),
        );
    }

    /// Limits what pages of an origin may store, in bytes.
    pub fn limit_storage(&self, origin: &str, bytes: u64) {
        self.devtools(
            "Storage.overrideQuotaForOrigin",
            json!({ "origin": origin.trim_end_matches('/'), "quotaSize": bytes }),
        );
    }

    /// Opens another tab, and returns the names of the one before and of the new one, which has the focus.
    pub fn open_tab(&self) -> (String, String) {
        let before = self.request("GET", "/window", &Value::Null);
        let new = self.request("POST", "/window/new", &json!({ "type": "tab" }))["handle"].clone();
        let names = [before, new].map(|name| name.as_str().unwrap_or_default().to_string());
        self.switch_to(&names[1]);
        let [before, new] = names;
        (before, new)
    }

    /// Goes to a tab.
    pub fn switch_to(&self, tab: &str) {
        self.request("POST", "/window", &json!({ "handle": tab }));
    }

    /// Ends all service workers: the next request starts them again.
    pub fn stop_service_workers(&self) {
        self.devtools("ServiceWorker.enable", json!({}));
        self.devtools("ServiceWorker.stopAllWorkers", json!({}));
    }

    /// Sets the width of the window, and light or dark mode.
    pub fn resize_window(&self, width: u32, dark: bool) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false }),
        );
        let scheme =
            json!({ "name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" } });
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({ "features": [scheme] }),
        );
    }

    /// Returns the console's errors since the last call.
    pub fn console_errors(&self) -> Vec<String> {
        let log = self.request("POST", "/se/log", &json!({ "type": "browser" }));
        let severe = log
            .as_array()
            .into_iter()
            .flatten()
            .filter(|line| line["level"] == "SEVERE");
        severe
            .map(|line| line["message"].as_str().unwrap_or_default().to_string())
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.base).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
