//! Answers requests to the server and to the static site: it knows no sockets and no headers.

use crate::serve::api::ApiBody;
use crate::serve::assets;
use crate::serve::error_pages::not_found_page;
use crate::serve::layout::{PageQuery, error_json, render_error};
use crate::serve::pages;
use crate::serve::routes::{self, ApiRoute, RouteKind};
use crate::serve::workbench::Workbench;
use casebook_engine::complaint::Error;
use casebook_engine::data::text_file::invisible_fault;
use form_urlencoded::parse;
use std::sync::atomic::AtomicBool;

/// A request: the parts of its path are decoded, its query is not.
pub struct HttpRequest {
    /// The method in small letters.
    pub method: String,
    /// The parts of the path.
    pub path: Vec<String>,
    /// The query, without its question mark.
    pub query: String,
    pub body: Vec<u8>,
    /// Whether the user may write files.
    pub may_write: bool,
}

/// An answer: status, content type, and text.
pub struct HttpAnswer {
    /// The HTTP status.
    pub status: u16,
    pub content_type: &'static str,
    /// The body.
    pub text: String,
}

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

impl HttpRequest {
    /// Creates a request from its address: a path with a query.
    pub fn new(method: &str, address: &str, body: Vec<u8>, may_write: bool) -> HttpRequest {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let path = path
            .trim_matches('/')
            .split('/')
            .map(percent_decode)
            .collect();
        HttpRequest {
            method: method.to_lowercase(),
            path,
            query: query.into(),
            body,
            may_write,
        }
    }

    /// Finds the route of a request to `/api/v2`.
    fn route(&self) -> Option<&'static ApiRoute> {
        let ["api", "v2", api_path @ ..] =
            &self.path.iter().map(String::as_str).collect::<Vec<_>>()[..]
        else {
            return None;
        };
        ApiRoute::find(&self.method, api_path)
    }

    /// Returns whether the request writes files.
    pub fn writes(&self) -> bool {
        self.saves_form()
            || self
                .route()
                .is_some_and(|route| route.kind == RouteKind::Writes)
    }

    /// Returns the name that the page has given to the count it asks for; empty if none.
    pub fn count_name(&self) -> String {
        parse(self.query.as_bytes())
            .find(|(key, _)| key == "count")
            .map(|(_, name)| name.into_owned())
            .unwrap_or_default()
    }

    /// Returns whether a page without scripts sends its form to be saved.
    fn saves_form(&self) -> bool {
        self.method == "post" && matches!(&self.path[..], [first, _] if first == "what-if")
    }

    /// Returns whether the request may take long.
    pub fn may_run_long(&self) -> bool {
        let counts = self
            .route()
            .is_some_and(|route| route.kind == RouteKind::Long);
        counts
            || self.query.contains("part=")
            || self.path.first().is_some_and(|first| first == "at")
    }
}

impl HttpAnswer {
    /// Creates an answer.
    pub fn new(status: u16, content_type: &'static str, text: String) -> HttpAnswer {
        HttpAnswer {
            status,
            content_type,
            text,
        }
    }

    /// Creates an answer of plain text.
    pub fn plain(status: u16, text: &str) -> HttpAnswer {
        HttpAnswer::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }
}

/// Answers a request; this takes as long as scripts may run, or until `stop` is set.
pub fn answer(bench: &Workbench, request: &HttpRequest, stop: &AtomicBool) -> HttpAnswer {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let is_posted = request.saves_form();
    let form = if is_posted {
        String::from_utf8_lossy(&request.body)
    } else {
        request.query.as_str().into()
    };
    let typed = [
        request.path.join("/"),
        percent_decode(&request.query),
        percent_decode(&form),
    ];
    if let Some(defect) = typed.iter().find_map(|text| invisible_fault(text)) {
        return HttpAnswer::plain(400, &format!("what was asked: {defect}"));
    }
    match path[..] {
        ["assets", name] => {
            let asset = assets::ASSETS.iter().find(|(file, ..)| *file == name);
            return asset.map_or_else(
                || HttpAnswer::plain(404, "there is no such file"),
                |(_, content_type, text)| HttpAnswer::new(200, content_type, text.to_string()),
            );
        }
        ["api", "v2", ref api_path @ ..] => {
            return match routes::handle(
                bench,
                &request.method,
                api_path,
                ApiBody {
                    name: "body",
                    text: &request.body,
                },
                stop,
            ) {
                Ok(value) => HttpAnswer::new(200, JSON, value.to_string()),
                Err(error) => HttpAnswer::new(status(&error), JSON, error_json(&error).to_string()),
            };
        }
        _ if request.method != "get" && request.method != "head" && !request.saves_form() => {
            return HttpAnswer::plain(405, "pages are only read");
        }
        _ => {}
    }
    let page_query = PageQuery {
        path: request.path.clone(),
        query: &form,
        may_write: request.may_write,
        is_posted,
        stop,
    };
    match pages::page_for(bench, &page_query) {
        Ok(Some(page)) if path.last() == Some(&"map.svg") => {
            HttpAnswer::new(200, "image/svg+xml", page.into_string())
        }
        Ok(Some(page)) => HttpAnswer::new(200, HTML, page.into_string()),
        Ok(None) => {
            let error = Error::Unknown {
                kind: "page",
                name: format!("/{}", request.path.join("/")),
                suggestions: Vec::new(),
            };
            HttpAnswer::new(
                404,
                HTML,
                not_found_page(bench, &page_query, &error).into_string(),
            )
        }
        Err(error) if request.query.contains("part=") => {
            HttpAnswer::new(status(&error), HTML, render_error(&error).into_string())
        }
        Err(error) => HttpAnswer::new(
            status(&error),
            HTML,
            not_found_page(bench, &page_query, &error).into_string(),
        ),
    }
}

fn status(error: &Error) -> u16 {
    match error {
        Error::Unknown { .. } => 404,
        Error::Usage(_) | Error::Unanswered { .. } | Error::Misused { .. } => 400,
        Error::Data(_) => 422,
        // What the asker can't mend: files, and faults of the program.
        _ => 500,
    }
}

/// Percent-decodes a part of a path, or a whole query.
fn percent_decode(text: &str) -> String {
    // In a path, unlike in a query string, `+`, `&` and `=` are plain characters.
    let pair = format!("a={}", text.replace('+', "%2B").replace('&', "%26"));
    parse(pair.as_bytes())
        .next()
        .map(|(_, text)| text.into_owned())
        .unwrap_or_default()
}
