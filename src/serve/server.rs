//! The HTTP server with authorisation and time limits.
//!
//! It listens on the loopback address by default. Writing requires the token. Checks of `Origin` and `Host` block cross-site requests and
//! DNS rebinding. A request runs on its own thread under the usual script limits, and a count is cancelled when the client disconnects.

use crate::complaint::Error;
use crate::platform::parallel;
use crate::serve::api::{self, ROUTES};
use crate::serve::assets;
use crate::serve::error_pages::not_found_page;
use crate::serve::layout::{PageQuery, error_json, render_error};
use crate::serve::pages;
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

/// A parsed HTTP request.
struct HttpRequest {
    method: String,
    path: Vec<String>,
    query: String,
    body: Vec<u8>,
    may_write: bool,
}

async fn handle(State(host): State<Arc<ServerState>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().to_string();
    if host.loopback && !is_local_host(&parts.headers) {
        return text_response(StatusCode::MISDIRECTED_REQUEST, "this address is none of the workbench's");
    }
    let path: Vec<String> = parts.uri.path().trim_matches('/').split('/').map(percent_decode).collect();
    let method = parts.method.as_str().to_lowercase();
    // A request with the token gets a cookie that authorises the later ones.
    if let Some((_, token)) = parse(query.as_bytes()).find(|(key, _)| key == "token") {
        return log_in(&host, &token, &without_token(parts.uri.path(), &query));
    }
    let may_write = has_token(&parts.headers, &host.workbench.token);
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return text_response(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
    };
    let asked = HttpRequest { method, path, query, body: body.to_vec(), may_write };
    if let [first, name] = &asked.path[..]
        && first == "assets"
    {
        let found = assets::ASSETS.iter().find(|(known, ..)| known == name);
        return found.map_or_else(
            || text_response(StatusCode::NOT_FOUND, "there is no such file"),
            |(_, sort, text)| response(StatusCode::OK, sort, text.to_string()),
        );
    }
    let route = route(&asked);
    if route.is_some_and(|(.., writes, _)| *writes) && !(asked.may_write && same_origin(&parts.headers)) {
        let what = "this writes, and wants the token that was printed when the workbench was started: `Authorization: Bearer TOKEN`";
        return response(StatusCode::FORBIDDEN, "application/json", json!({ "error": what, "complaints": [] }).to_string());
    }
    let long =
        route.is_some_and(|(.., long)| *long) || asked.query.contains("part=") || asked.path.first().is_some_and(|first| first == "at");
    let permit = if long { host.long_requests.clone().acquire_owned().await.ok() } else { None };
    let stop = StopOnDrop(Arc::default());
    let flag = stop.0.clone();
    let work = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        handle_blocking(&host, &asked, &flag)
    });
    let made = work.await;
    drop(stop);
    made.unwrap_or_else(|_| text_response(StatusCode::INTERNAL_SERVER_ERROR, "the answer could not be made"))
}

/// Finds the route of a request to `/api/v1`.
fn route(asked: &HttpRequest) -> Option<&'static (&'static str, &'static str, bool, bool)> {
    let ["api", "v1", rest @ ..] = &asked.path.iter().map(String::as_str).collect::<Vec<_>>()[..] else { return None };
    let fits = |path: &str| {
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        parts.len() == rest.len() && parts.iter().zip(rest).all(|(known, part)| known.starts_with('{') || known == part)
    };
    ROUTES.iter().find(|(method, path, ..)| *method == asked.method && fits(path))
}

/// Computes the response; this blocks for as long as scripts may run.
fn handle_blocking(host: &ServerState, asked: &HttpRequest, stop: &AtomicBool) -> Response {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    if let ["api", "v1", rest @ ..] = &path[..] {
        return match api::handle(&host.workbench, &asked.method, rest, &asked.body, stop) {
            Ok(value) => response(StatusCode::OK, "application/json", value.to_string()),
            Err(error) => response(status(&error), "application/json", error_json(&error).to_string()),
        };
    }
    if asked.method != "get" && asked.method != "head" {
        return text_response(StatusCode::METHOD_NOT_ALLOWED, "pages are only read");
    }
    let wanted = PageQuery { path: asked.path.clone(), query: &asked.query, may_write: asked.may_write, stop };
    let html = "text/html; charset=utf-8";
    match pages::page_for(&host.workbench, &wanted) {
        Ok(Some(page)) => response(StatusCode::OK, html, page.into_string()),
        Ok(None) => {
            let error = Error::Unknown { what: "page", name: format!("/{}", asked.path.join("/")), suggestions: Vec::new() };
            response(StatusCode::NOT_FOUND, html, not_found_page(&host.workbench, &wanted, &error).into_string())
        }
        Err(error) if asked.query.contains("part=") => response(status(&error), html, render_error(&error).into_string()),
        Err(error) => response(status(&error), html, not_found_page(&host.workbench, &wanted, &error).into_string()),
    }
}

fn status(error: &Error) -> StatusCode {
    match error {
        Error::Unknown { .. } => StatusCode::NOT_FOUND,
        Error::Usage(_) => StatusCode::BAD_REQUEST,
        Error::Data(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::File { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn response(status: StatusCode, sort: &str, text: String) -> Response {
    let made = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, sort)
        .header(CACHE_CONTROL, "no-cache")
        .header(CONTENT_SECURITY_POLICY, PAGE_POLICY)
        .header(HeaderName::from_static("x-content-type-options"), "nosniff")
        .header(HeaderName::from_static("referrer-policy"), "same-origin")
        .body(Body::from(text));
    made.unwrap_or_default()
}

fn text_response(status: StatusCode, text: &str) -> Response {
    response(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

/// Percent-decodes a part of a path.
fn percent_decode(part: &str) -> String {
    // In a path, unlike in a query string, `+`, `&` and `=` stand for themselves.
    let pair = format!("a={}", part.replace('+', "%2B").replace('&', "%26"));
    parse(pair.as_bytes()).next().map(|(_, text)| text.into_owned()).unwrap_or_default()
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
