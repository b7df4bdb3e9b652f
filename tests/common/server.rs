//! The workbench, started for a test on a port of its own, and asked over HTTP.

use casebook::serve::server;
use casebook::serve::server::ServerLimits;
use casebook::serve::workbench::Workbench;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .build()
        .into()
}

const SERVE_ARGS: [&str; 4] = ["serve", "--port", "0", "--no-open"];

/// A workbench that runs until the test ends.
pub struct Served {
    /// The process with its output; none if the workbench runs inside the test.
    child: Option<(Child, BufReader<ChildStdout>)>,
    /// Its address, without the token.
    pub base: String,
    /// The token that allows writing.
    pub token: String,
    agent: ureq::Agent,
}

impl Served {
    /// Starts it over a folder of data.
    pub fn start(folder: &Path) -> Served {
        Served::start_with(folder, &[])
    }

    /// Starts it with more arguments.
    pub fn start_with(folder: &Path, args: &[&str]) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
        Served::start_command(folder, command.args(SERVE_ARGS).args(args))
    }

    /// Starts it with variables of the environment.
    #[allow(dead_code)] // only the tests of files end it at a step
    pub fn start_in(folder: &Path, variable: (&str, &str)) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_casebook"));
        Served::start_command(folder, command.args(SERVE_ARGS).env(variable.0, variable.1))
    }

    fn start_command(folder: &Path, command: &mut Command) -> Served {
        let mut child = command
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let (mut line, mut prints) = (
            String::new(),
            BufReader::new(child.stdout.take().expect("it prints")),
        );
        prints.read_line(&mut line).expect("it says where it is");
        let address = line.split("at ").nth(1).expect("an address").trim();
        let (page, token) = address
            .split_once("?token=")
            .expect("an address with a token");
        let base = page
            .split("/at/")
            .next()
            .expect("an address")
            .trim_end_matches('/');
        Served {
            child: Some((child, prints)),
            base: base.into(),
            token: token.into(),
            agent: agent(),
        }
    }

    /// Starts it inside the test, with these limits.
    #[allow(dead_code)] // only the tests of limits wait for them
    pub fn with_limits(folder: &Path, limits: ServerLimits) -> Served {
        let bench = Workbench::new(Some(folder), casebook::EMBEDDED, "word".into())
            .expect("the data are there");
        let (ready, address) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
            server::serve(bench, any, limits, |address| {
                ready.send(address).expect("the test waits")
            })
            .expect("it serves");
        });
        let address = address.recv().expect("it says where it is");
        Served {
            child: None,
            base: format!("http://{address}"),
            token: "word".into(),
            agent: agent(),
        }
    }

    /// The cookie that a browser has once it has shown the token.
    #[allow(dead_code)] // only the tests of forms send it
    pub fn cookie(&self) -> String {
        let port = self.base.rsplit(':').next().unwrap_or_default();
        format!("casebook-{port}={}", self.token)
    }

    /// Returns the status and text of a page.
    pub fn page(&self, path: &str) -> (u16, String) {
        let mut answer = self
            .agent
            .get(format!("{}{path}", self.base))
            .call()
            .expect("it answers");
        (
            answer.status().as_u16(),
            answer.body_mut().read_to_string().expect("pages are text"),
        )
    }

    /// Returns the status and target of a redirect.
    pub fn leads_to(&self, path: &str) -> (u16, String) {
        let answer = self
            .agent
            .get(format!("{}{path}", self.base))
            .call()
            .expect("it answers");
        let to = answer
            .headers()
            .get("location")
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        (answer.status().as_u16(), to.into())
    }

    /// Returns the text of a page that has to exist.
    pub fn page_text(&self, path: &str) -> String {
        let (status, text) = self.page(path);
        assert_eq!(status, 200, "{path}\n{text}");
        text
    }

    /// Waits until something holds: a written file is noticed a moment later.
    pub fn wait_until(&self, holds: impl Fn(&Served) -> bool) {
        let start = std::time::Instant::now();
        while !holds(self) {
            assert!(
                start.elapsed() < std::time::Duration::from_secs(20),
                "what was written is never seen"
            );
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }

    /// Asks `/api/v2` by a method, with headers of one's own: status and answer.
    pub fn request_with(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> (u16, Value) {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/api/v2{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let text = body.map(Value::to_string).unwrap_or_default();
        let mut answer = self
            .agent
            .run(request.body(text).expect("a request"))
            .expect("it answers");
        let text = answer
            .body_mut()
            .read_to_string()
            .expect("answers are text");
        (
            answer.status().as_u16(),
            serde_json::from_str(&text).unwrap_or(Value::String(text)),
        )
    }

    /// Sends the form of a page as a browser without scripts does: status and page.
    #[allow(dead_code)] // only the tests of pages send forms
    pub fn post_form(&self, path: &str, form: &str, headers: &[(&str, &str)]) -> (u16, String) {
        let mut request = ureq::http::Request::builder()
            .method("POST")
            .uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = self
            .agent
            .run(request.body(form.to_string()).expect("a request"))
            .expect("it answers");
        (
            answer.status().as_u16(),
            answer.body_mut().read_to_string().expect("pages are text"),
        )
    }

    /// Sends a request to `/api/v2`, and leaves once the server has begun to work on it.
    #[allow(dead_code)] // only tests of counts leave them
    pub fn post_and_leave(&self, path: &str, body: &str) {
        let host = self.base.trim_start_matches("http://");
        let mut stream = std::net::TcpStream::connect(host).expect("it listens");
        let head = format!(
            "POST /api/v2{path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        std::io::Write::write_all(&mut stream, format!("{head}{body}").as_bytes())
            .expect("it reads");
        std::thread::sleep(std::time::Duration::from_secs(1));
    }

    /// Returns the id of its process; none if it runs inside the test.
    #[allow(dead_code)] // only tests of counts look at it
    pub fn process(&self) -> Option<u32> {
        self.child.as_ref().map(|(child, _)| child.id())
    }

    /// Asks `/api/v2` with the token; `None` if it ends before it answers.
    #[allow(dead_code)] // only the tests of files end it
    pub fn request_to_the_end(
        &self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Option<(u16, String)> {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/api/v2{path}", self.base))
            .header("authorization", format!("Bearer {}", self.token));
        let request = request.body(body.to_string()).expect("a request");
        let mut answer = self.agent.run(request).ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        Some((answer.status().as_u16(), text))
    }

    /// Asks `/api/v2` without the token.
    pub fn request(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        self.request_with(method, path, body, &[])
    }

    /// Asks `/api/v2` with the token.
    pub fn request_with_token(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.request_with(
            method,
            path,
            Some(body),
            &[("authorization", &format!("Bearer {}", self.token))],
        )
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
