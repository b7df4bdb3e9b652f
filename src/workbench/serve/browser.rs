//! The workbench inside a browser: requests and answers are JSON, and the user's files live in the browser's storage.

use crate::serve::handler::{self, HttpAnswer, HttpRequest};
use crate::serve::workbench::Workbench;
use casebook_engine::data::atomic_write::{all_files, set_files};
use casebook_engine::data::embedded::Embedded;
use casebook_engine::platform::clock;
use casebook_engine::platform::task::Task;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Time for which a request works.
const WORK_TIME: Duration = Duration::from_secs(60);

/// Memory for a count in bytes: a browser ends a page that takes much more.
const MEMORY: u64 = 512 << 20;

/// Ends the count of the request.
static STOP: AtomicBool = AtomicBool::new(false);

static WORKBENCH: OnceLock<Workbench> = OnceLock::new();

/// A request of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BrowserRequest {
    method: String,
    /// A path with its query.
    address: String,
    #[serde(default)]
    body: String,
    /// The user's files by key, if they may have changed since the last request.
    #[serde(default)]
    files: Option<BTreeMap<String, String>>,
}

/// Answers a request: the JSON object `{method, address, body, files}`, of which the last two may be missing. `files` replaces the user's
/// files. The answer is `{status, type, text, files}`; `files` is null unless the request has changed the user's files. `report` receives how
/// far a count has come, as [`task::report_progress`](casebook_engine::platform::task::report_progress) describes, and returns whether it has to end.
pub fn answer(
    request: &[u8],
    embedded: Embedded,
    now: fn() -> Duration,
    report: fn(&str, f64, u64) -> bool,
) -> String {
    clock::set_source(now);
    let request: BrowserRequest = match serde_json::from_slice(request) {
        Ok(request) => request,
        Err(error) => {
            return to_json(
                &HttpAnswer::plain(400, &format!("the request can't be read: {error}")),
                false,
            );
        }
    };
    let changed = request.files.is_some_and(|files| {
        let changed = files != all_files();
        set_files(files);
        changed
    });
    if WORKBENCH.get().is_none() {
        match Workbench::new(None, embedded, String::new()) {
            Ok(workbench) => drop(WORKBENCH.set(workbench)),
            Err(error) => return to_json(&HttpAnswer::plain(500, &error.to_string()), false),
        }
    }
    let Some(workbench) = WORKBENCH.get() else {
        return String::new();
    };
    if changed {
        workbench.mark_stale();
    }
    let files_before = all_files();
    let http_request = HttpRequest::new(
        &request.method,
        &request.address,
        request.body.into_bytes(),
        true,
    );
    STOP.store(false, Ordering::Relaxed);
    let watch = move |activity: &str, share: f64, count: u64| {
        if report(activity, share, count) {
            STOP.store(true, Ordering::Relaxed);
        }
    };
    let task = Task::new(Some(WORK_TIME), Some(MEMORY)).with_progress(Arc::new(watch));
    let answer = task.enter(|| handler::answer(workbench, &http_request, &STOP));
    to_json(&answer, all_files() != files_before)
}

fn to_json(answer: &HttpAnswer, wrote: bool) -> String {
    json!({ "status": answer.status, "type": answer.content_type, "text": answer.text, "files": wrote.then(all_files) }).to_string()
}
