//! The HTTP server with authorisation and time limits.
//!
//! It listens on the loopback address by default. Writing requires the token. Checks of `Origin` and `Host` block cross-site requests and
//! DNS rebinding. A request runs on its own thread under the usual script limits, and a count is cancelled when the client disconnects.

use crate::complaint::Error;
use crate::platform::parallel;
use crate::serve::handler::{self, HttpAnswer, HttpRequest};
use crate::serve::workbench::Workbench;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::Response;
use form_urlencoded::parse;
use serde_json::json;
use std::io::{Error as Failed, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Maximum size of a request body, in bytes.
const MAX_BODY: usize = 4 << 20;
/// Content security policy: a page runs only its own scripts and can't be framed.
const PAGE_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// State shared by all requests.
struct ServerState {
    workbench: Workbench,
    /// Limits the number of concurrent long requests; later ones wait.
    long_requests: Arc<Semaphore>,
    /// Whether only host names of this machine are accepted.
    loopback: bool,
}

/// Sets the flag on drop: the client disconnected, or the response is complete.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Serves the workbench until the process ends; `ready` receives the address once the server listens.
pub fn serve(bench: Workbench, address: SocketAddr, ready: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let fail = |source: Failed| match source.kind() {
        ErrorKind::AddrInUse => Error::Usage(format!("something else listens at {address} already; `--port 0` takes a port that is free")),
        _ => Error::File { path: address.to_string(), source },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_io().thread_stack_size(parallel::STACK_SIZE).build().map_err(fail)?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let cores = parallel::thread_count();
        let host =
            ServerState { workbench: bench, long_requests: Arc::new(Semaphore::new(2 * cores)), loopback: address.ip().is_loopback() };
        ready(address);
        let host = Arc::new(host);
        let own = host.clone();
        drop(tokio::task::spawn_blocking(move || own.workbench.preload()));
        axum::serve(listener, Router::new().fallback(handle).with_state(host)).await.map_err(fail)
    })
}

async fn handle(State(host): State<Arc<ServerState>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().to_string();
    if host.loopback && !is_local_host(&parts.headers) {
        return response(HttpAnswer::plain(StatusCode::MISDIRECTED_REQUEST.as_u16(), "this address is none of the workbench's"));
    }
    // A request with the token gets a cookie that authorises the later ones.
    if let Some((_, token)) = parse(query.as_bytes()).find(|(key, _)| key == "token") {
        return log_in(&host, &token, &without_token(parts.uri.path(), &query));
    }
    let may_write = has_token(&parts.headers, &host.workbench.token);
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return response(HttpAnswer::plain(StatusCode::PAYLOAD_TOO_LARGE.as_u16(), "the body is too long"));
    };
    let address = parts.uri.path_and_query().map_or("/", |address| address.as_str());
    let asked = HttpRequest::new(parts.method.as_str(), address, body.to_vec(), may_write);
    if asked.writes() && !(asked.may_write && same_origin(&parts.headers)) {
        let what = "nothing was written, as the workbench does not know this window: it was started anew, or opened without the word behind \
                    ?token=. Open the address that it printed when it started in another tab; then save here once more. What you typed is \
                    still here";
        return response(HttpAnswer::new(403, "application/json", json!({ "error": what, "complaints": [] }).to_string()));
    }
    let permit = if asked.may_run_long() { host.long_requests.clone().acquire_owned().await.ok() } else { None };
    let stop = StopOnDrop(Arc::default());
    let flag = stop.0.clone();
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        response(handler::answer(&host.workbench, &asked, &flag))
    });
    let answer = work.await;
    drop(stop);
    answer.unwrap_or_else(|_| response(HttpAnswer::plain(StatusCode::INTERNAL_SERVER_ERROR.as_u16(), "the answer could not be made")))
}

fn response(answer: HttpAnswer) -> Response {
    let built = Response::builder()
        .status(answer.status)
        .header(CONTENT_TYPE, answer.content_type)
        .header(CACHE_CONTROL, "no-cache")
        .header(CONTENT_SECURITY_POLICY, PAGE_POLICY)
        .header(HeaderName::from_static("x-content-type-options"), "nosniff")
        .header(HeaderName::from_static("referrer-policy"), "same-origin")
        .body(Body::from(answer.text));
    built.unwrap_or_default()
}

/// Returns the requested page without the token. The result is always a path on this site.
fn without_token(path: &str, query: &str) -> String {
    let pairs: Vec<&str> = query.split('&').filter(|pair| *pair != "token" && !pair.starts_with("token=") && !pair.is_empty()).collect();
    let path = path.trim_start_matches(['/', '\\']);
    format!("/{path}{}{}", if pairs.is_empty() { "" } else { "?" }, pairs.join("&"))
}

/// Sets a same-site cookie with the token and redirects to the requested page.
fn log_in(host: &ServerState, token: &str, page: &str) -> Response {
    let answer = Response::builder().status(StatusCode::SEE_OTHER).header(LOCATION, page);
    let answer = match constant_time_eq(token, &host.workbench.token) {
        true => answer.header(SET_COOKIE, format!("casebook={token}; Path=/; HttpOnly; SameSite=Strict")),
        false => answer,
    };
    answer.body(Body::empty()).unwrap_or_default()
}

/// Compares two strings in constant time, so that timing reveals nothing about the token.
fn constant_time_eq(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Returns whether a request has the token in a header or as the cookie.
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let cookies = header_text(headers, COOKIE).split(';').filter_map(|pair| pair.trim().strip_prefix("casebook="));
    cookies.chain(header_text(headers, AUTHORIZATION).strip_prefix("Bearer ")).any(|shown| constant_time_eq(shown, token))
}

/// Returns whether a request comes from a page of the workbench, or not from a page at all.
fn same_origin(headers: &HeaderMap) -> bool {
    let origin = header_text(headers, ORIGIN);
    origin.is_empty() || origin.split_once("://").is_some_and(|(_, host)| host == header_text(headers, HOST))
}

/// Returns whether the `Host` header names this machine; any other name indicates DNS rebinding.
fn is_local_host(headers: &HeaderMap) -> bool {
    let host = header_text(headers, HOST);
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    matches!(name, "127.0.0.1" | "localhost" | "::1")
}
