//! The HTTP server: authorisation, limits of connections and of time.
//!
//! It listens on the loopback address by default. Writing requires the token. Checks of `Origin` and `Host` block cross-site requests and
//! DNS rebinding. A request is a task with a deadline: it is read, waits and works only so long, and ends when the client disconnects.

use crate::serve::handler::{self, HttpAnswer, HttpRequest};
use crate::serve::layout::{error_json, render_error};
use crate::serve::workbench::Workbench;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, COOKIE, HOST, LOCATION, ORIGIN, RETRY_AFTER, SET_COOKIE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use casebook_analysis::odds::bounds::DEFAULT_MEMORY;
use casebook_engine::complaint::Error;
use casebook_engine::platform::parallel;
use casebook_engine::platform::task::{self, StopOnDrop, Task};
use form_urlencoded::parse;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::{Error as Failed, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

/// Maximum size of a request body, in bytes.
const MAX_BODY: usize = 4 << 20;
/// The part of the working time that is left to show what is known.
const WRAP_UP: Duration = Duration::from_secs(2);
/// Number of concurrent requests for each processor: long ones, and all others.
const LANES: (usize, usize) = (2, 8);
/// Content security policy: a page runs only its own scripts and can't be framed.
const PAGE_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// State shared by all requests.
struct ServerState {
    workbench: Workbench,
    /// Limit the number of concurrent requests, of long ones and of all others; later ones wait.
    long_requests: Arc<Semaphore>,
    short_requests: Arc<Semaphore>,
    /// The memory budget that the user has set, in bytes.
    memory: Option<u64>,
    limits: ServerLimits,
    /// Whether only host names of this machine are accepted.
    loopback: bool,
    /// The name of the cookie with the token. Browsers keep cookies for all ports of a host together, so it holds the port.
    cookie: String,
}

/// Serves the workbench until the process ends; `ready` receives the address once the server listens.
pub fn serve(
    bench: Workbench,
    address: SocketAddr,
    limits: ServerLimits,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), Error> {
    let fail = |source: Failed| match source.kind() {
        ErrorKind::AddrInUse => Error::Usage(format!(
            "something else listens at {address} already; `--port 0` takes a port that is free"
        )),
        _ => Error::File {
            path: address.to_string(),
            source,
        },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(parallel::STACK_SIZE)
        .build()
        .map_err(fail)?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let cores = parallel::thread_count();
        let host = ServerState {
            workbench: bench,
            long_requests: Arc::new(Semaphore::new(LANES.0 * cores)),
            short_requests: Arc::new(Semaphore::new(LANES.1 * cores)),
            memory: task::memory(),
            limits,
            loopback: address.ip().is_loopback(),
            cookie: format!("casebook-{}", address.port()),
        };
        ready(address);
        let host = Arc::new(host);
        let preloading = host.clone();
        drop(tokio::task::spawn_blocking(move || {
            preloading.workbench.preload()
        }));
        accept(
            listener,
            Router::new().fallback(handle).with_state(host),
            limits,
        )
        .await;
        Ok(())
    })
}

async fn handle(State(host): State<Arc<ServerState>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default().to_string();
    if host.loopback && !is_local_host(&head.headers) {
        return response(HttpAnswer::plain(
            StatusCode::MISDIRECTED_REQUEST.as_u16(),
            "the workbench has no page at this address",
        ));
    }
    if is_foreign(&head.headers) {
        let message = "a page of another site asks this, and gets no answer: open the workbench's own address";
        return response(HttpAnswer::plain(StatusCode::FORBIDDEN.as_u16(), message));
    }
    // A request with the token gets a cookie that authorises the later ones.
    if let Some((_, token)) = parse(query.as_bytes()).find(|(key, _)| key == "token") {
        return log_in(&host, &token, &without_token(head.uri.path(), &query));
    }
    let may_write = has_token(&head.headers, &host);
    let too_large = || {
        closing(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body is too long: {} MB at most", MAX_BODY >> 20),
        )
    };
    if header_text(&head.headers, CONTENT_LENGTH)
        .parse()
        .is_ok_and(|length: u64| length > MAX_BODY as u64)
    {
        return too_large();
    }
    let body = match timeout(host.limits.body, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return too_large(),
        Err(_) => {
            return closing(
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the body did not come within {} seconds",
                    host.limits.body.as_secs()
                ),
            );
        }
    };
    let address = head
        .uri
        .path_and_query()
        .map_or("/", |address| address.as_str());
    let http_request = HttpRequest::new(head.method.as_str(), address, body.to_vec(), may_write);
    if http_request.writes() && !(http_request.may_write && same_origin(&head.headers)) {
        let message = "nothing was written, as the workbench does not know this window: it was restarted, or opened without the part after \
                    `?`. Open the address that it printed when it started in another tab; then save here once more. What you typed is \
                    still here";
        return response(match http_request.path.first().map(String::as_str) {
            Some("api") => HttpAnswer::new(
                403,
                "application/json",
                error_json(&Error::Usage(message.to_string())).to_string(),
            ),
            // A form was sent without scripts: the browser's way back leads to what was typed.
            _ => HttpAnswer::plain(
                403,
                &message.replace(
                    "What you typed is still here",
                    "What you typed is still there when you go back",
                ),
            ),
        });
    }
    let busy = busy(&http_request, host.limits.queue);
    let lane = if http_request.may_run_long() {
        &host.long_requests
    } else {
        &host.short_requests
    };
    let Ok(Ok(permit)) = timeout(host.limits.queue, lane.clone().acquire_owned()).await else {
        return busy;
    };
    // Both are set when the client disconnects; one that waits can also end only the count, and gets what is known.
    let (gone, stop) = (StopOnDrop::default(), StopOnDrop::default());
    let flag = stop.0.clone();
    let count = host
        .workbench
        .counts
        .begin(&http_request.count_name(), flag.clone());
    let task = Task::new(Some(host.limits.work.saturating_sub(WRAP_UP)), host.memory)
        .with_process(DEFAULT_MEMORY);
    let mut task = task.with_stop(gone.0.clone());
    if let Some(count) = &count {
        task = task.with_progress(count.reporter());
    }
    let working_time = host.limits.work;
    let work = tokio::task::spawn_blocking(move || {
        let (_permit, _count) = (permit, count);
        task.enter(|| response(handler::answer(&host.workbench, &http_request, &flag)))
    });
    let answer = timeout(working_time, work).await;
    drop((gone, stop));
    let failed = || {
        response(HttpAnswer::plain(
            StatusCode::INTERNAL_SERVER_ERROR.as_u16(),
            "the answer could not be made",
        ))
    };
    answer.map_or(busy, |answer| answer.unwrap_or_else(|_| failed()))
}

/// The answer to a request that found no room, or took too long.
fn busy(request: &HttpRequest, wait: Duration) -> Response {
    let seconds = wait.as_secs();
    let message = format!(
        "the workbench has too much to do to answer this in time: try again in {seconds} seconds, or ask for less at once"
    );
    let status = StatusCode::SERVICE_UNAVAILABLE.as_u16();
    let error = Error::Usage(message.clone());
    let mut answer = response(match request.path.first().map(String::as_str) {
        Some("api") => HttpAnswer::new(status, "application/json", error_json(&error).to_string()),
        _ if request.query.contains("part=") => HttpAnswer::new(
            status,
            "text/html; charset=utf-8",
            render_error(&error).into_string(),
        ),
        _ => HttpAnswer::plain(status, &message),
    });
    answer
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from(seconds));
    answer
}

/// An answer after which the connection is closed, as the rest of the request is not read.
fn closing(status: StatusCode, message: String) -> Response {
    let mut answer = response(HttpAnswer::plain(status.as_u16(), &message));
    answer
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    answer
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
    // The key may be written with escapes, too.
    let has_token = |pair: &&str| parse(pair.as_bytes()).any(|(key, _)| key == "token");
    let pairs: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !has_token(pair))
        .collect();
    let path = path.trim_start_matches(['/', '\\']);
    format!(
        "/{path}{}{}",
        if pairs.is_empty() { "" } else { "?" },
        pairs.join("&")
    )
}

/// Sets a same-site cookie with the token and redirects to the requested page.
fn log_in(host: &ServerState, token: &str, page: &str) -> Response {
    let answer = Response::builder()
        .status(StatusCode::SEE_OTHER)
        .header(LOCATION, page);
    let answer = match constant_time_eq(token, &host.workbench.token) {
        true => answer.header(
            SET_COOKIE,
            format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", host.cookie),
        ),
        false => answer,
    };
    answer.body(Body::empty()).unwrap_or_default()
}

/// Compares two strings in constant time, so that timing reveals nothing about the token.
fn constant_time_eq(a: &str, b: &str) -> bool {
    a.len() == b.len()
        && a.bytes()
            .zip(b.bytes())
            .fold(0, |sum, (a, b)| sum | (a ^ b))
            == 0
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Returns whether a request has the token in a header or as the cookie.
fn has_token(headers: &HeaderMap, host: &ServerState) -> bool {
    let pairs = header_text(headers, COOKIE)
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='));
    let cookies = pairs
        .filter(|(name, _)| *name == host.cookie)
        .map(|(_, value)| value);
    let shown = cookies.chain(header_text(headers, AUTHORIZATION).strip_prefix("Bearer "));
    shown
        .into_iter()
        .any(|shown| constant_time_eq(shown, &host.workbench.token))
}

/// Returns whether a page of another site, or of another port, makes the browser ask. A link that is followed is no such request.
fn is_foreign(headers: &HeaderMap) -> bool {
    let sent = |name: &'static str| header_text(headers, HeaderName::from_static(name));
    let is_followed =
        sent("sec-fetch-mode") == "navigate" && matches!(sent("sec-fetch-dest"), "document" | "");
    matches!(sent("sec-fetch-site"), "cross-site" | "same-site") && !is_followed
}

/// Returns whether a request comes from a page of the workbench, or not from a page at all.
fn same_origin(headers: &HeaderMap) -> bool {
    let origin = header_text(headers, ORIGIN);
    origin.is_empty()
        || origin
            .split_once("://")
            .is_some_and(|(_, host)| host == header_text(headers, HOST))
}

/// Returns whether the `Host` header names this machine; any other name indicates DNS rebinding.
fn is_local_host(headers: &HeaderMap) -> bool {
    let host = header_text(headers, HOST);
    let (name, port) = host
        .rsplit_once(':')
        .filter(|(_, port)| !port.ends_with(']'))
        .unwrap_or((host, "0"));
    let is_port = port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok();
    matches!(name, "127.0.0.1" | "localhost" | "[::1]") && is_port
}

/// Maximum number of connections; later ones wait until one is closed.
const MAX_CONNECTIONS: usize = 128;

/// How long the server waits, for whom. Tests wait less than users.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Time for the head of a request, and so for an idle connection.
    pub head: Duration,
    /// Time for the body of a request.
    pub body: Duration,
    /// Time for which a request waits for its turn; after as long again it may be repeated.
    pub queue: Duration,
    /// Time for which a request works.
    pub work: Duration,
}

impl Default for ServerLimits {
    fn default() -> ServerLimits {
        let [head, body, queue, work] = [20, 20, 30, 60].map(Duration::from_secs);
        ServerLimits {
            head,
            body,
            queue,
            work,
        }
    }
}

/// Age at which a connection takes no further request, and the time for the answer that is still under way.
const MAX_AGE: (Duration, Duration) = (Duration::from_secs(300), Duration::from_secs(120));

/// Accepts connections until the process ends.
async fn accept(listener: TcpListener, router: Router, limits: ServerLimits) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Ok(permit) = room.clone().acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve_connection(
                stream,
                router.clone(),
                limits.head,
                permit,
            ))),
            // The system has no handle left, or the client is gone: others will come.
            Err(_) => sleep(Duration::from_millis(200)).await,
        }
    }
}

async fn serve_connection(
    stream: TcpStream,
    router: Router,
    head: Duration,
    _permit: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head);
    let mut connection =
        pin!(http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)));
    if timeout(MAX_AGE.0, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(MAX_AGE.1, connection).await;
    }
}
