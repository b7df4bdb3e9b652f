//! The LSP session: tracks open documents, publishes diagnostics and answers requests.

use crate::project::Project;
use crate::{actions, completion, diagnostics, hover, rename, stream, symbols};
use casebook_checks::author::check;
use casebook_engine::complaint::{Complaints, Error};
use casebook_engine::data::embedded::Embedded;
use casebook_engine::platform::parallel;
use casebook_engine::platform::task::{StopOnDrop, Task};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeActionParams, CodeActionProviderCapability, CompletionOptions, CompletionParams,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    GotoDefinitionParams, HoverParams, HoverProviderCapability, InitializeParams, OneOf,
    PublishDiagnosticsParams, ReferenceParams, RenameOptions, RenameParams, ServerCapabilities,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Time without edits after which all data is checked.
const IDLE_DELAY: Duration = Duration::from_millis(400);
/// Time for an answer to the editor, and for a check of all data; what is not checked by then is reported.
const TIME: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(300));
/// Interval at which the loop polls for the result of the check.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Serves an editor over standard input and output until it shuts down. The data is in `data`, or else in the workspace folder
/// of the editor.
pub fn serve(data: Option<&Path>, embedded: Embedded) -> Result<(), Error> {
    let (connection, stream) = stream::connect();
    let outcome = run_session(&connection, data, embedded);
    drop(connection);
    stream.finish(outcome)
}

fn protocol_error(error: impl std::fmt::Display) -> Error {
    Error::Usage(format!("the editor broke off: {error}"))
}

fn run_session(
    connection: &Connection,
    data: Option<&Path>,
    embedded: Embedded,
) -> Result<(), Error> {
    let (id, params) = connection.initialize_start().map_err(protocol_error)?;
    let params: InitializeParams = serde_json::from_value(params).map_err(protocol_error)?;
    let answer = json!({ "capabilities": capabilities(), "serverInfo": { "name": "casebook", "version": env!("CARGO_PKG_VERSION") } });
    connection
        .initialize_finish(id, answer)
        .map_err(protocol_error)?;
    let root = data
        .map(PathBuf::from)
        .or_else(|| workspace_folder(&params))
        .unwrap_or_else(|| PathBuf::from("."));
    let root = std::fs::canonicalize(&root).unwrap_or(root);
    let project = Project::new(&root, embedded)?;
    let watches = params
        .capabilities
        .workspace
        .and_then(|w| w.did_change_watched_files?.dynamic_registration)
        .unwrap_or(false);
    if watches {
        // The server must learn of external changes too, such as a switch of the git branch.
        let watchers = ["**/*.yaml", "**/*.rhai"].map(|glob| json!({ "globPattern": glob }));
        let options = json!({ "watchers": watchers });
        let registration = json!({ "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": options });
        let request = Request::new(
            RequestId::from(1),
            "client/registerCapability".into(),
            json!({ "registrations": [registration] }),
        );
        connection
            .sender
            .send(Message::Request(request))
            .map_err(protocol_error)?;
    }
    EditorSession {
        connection,
        project,
        files_with_diagnostics: BTreeSet::new(),
        dirty: true,
        pending_check: None,
    }
    .main_loop()
}

/// Returns the workspace folder of the editor.
#[allow(deprecated)] // older editors still send the deprecated fields
fn workspace_folder(params: &InitializeParams) -> Option<PathBuf> {
    let first = params
        .workspace_folders
        .as_ref()
        .and_then(|folders| folders.first())
        .map(|folder| folder.uri.clone());
    let path = first
        .or_else(|| params.root_uri.clone())?
        .path()
        .as_estr()
        .decode()
        .into_string()
        .ok()?
        .into_owned();
    Some(PathBuf::from(if cfg!(windows) {
        path.trim_start_matches('/').to_string()
    } else {
        path
    }))
}

fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let triggers = ["\"", ".", "(", " ", "{"].map(String::from).to_vec();
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers),
            ..CompletionOptions::default()
        }),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        ..ServerCapabilities::default()
    }
}

struct EditorSession<'a> {
    connection: &'a Connection,
    project: Project,
    /// Files with published diagnostics, which must be cleared once they have none.
    files_with_diagnostics: BTreeSet<String>,
    /// Whether something changed since the last full check started.
    dirty: bool,
    /// Receiver of the full check that runs in another thread. An edit drops it, which ends the check.
    pending_check: Option<(Receiver<Complaints>, StopOnDrop)>,
}

impl EditorSession<'_> {
    fn main_loop(mut self) -> Result<(), Error> {
        loop {
            let wait = if self.pending_check.is_some() {
                POLL_INTERVAL
            } else {
                IDLE_DELAY
            };
            match self.connection.receiver.recv_timeout(wait) {
                Ok(Message::Request(request)) => {
                    if self
                        .connection
                        .handle_shutdown(&request)
                        .map_err(protocol_error)?
                    {
                        return Ok(());
                    }
                    let response =
                        Task::new(Some(TIME.0), None).enter(|| self.handle_request(request));
                    self.send(Message::Response(response))?;
                }
                Ok(Message::Notification(notification)) => {
                    self.handle_notification(notification)?
                }
                Ok(Message::Response(_)) => {}
                Err(error) if error.is_timeout() => self.start_check()?,
                Err(_) => return Ok(()),
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), Error> {
        self.connection.sender.send(message).map_err(protocol_error)
    }

    /// Handles a notification: a document was opened, edited, saved or closed, or a file changed.
    fn handle_notification(&mut self, notification: Notification) -> Result<(), Error> {
        let changed = match notification.method.as_str() {
            "textDocument/didOpen" => {
                parse_params::<DidOpenTextDocumentParams>(notification.params)
                    .map(|p| (p.text_document.uri, Some(p.text_document.text)))
            }
            "textDocument/didChange" => parse_params::<DidChangeTextDocumentParams>(
                notification.params,
            )
            .and_then(|mut p| Some((p.text_document.uri, Some(p.content_changes.pop()?.text)))),
            "textDocument/didClose" => {
                parse_params::<DidCloseTextDocumentParams>(notification.params)
                    .map(|p| (p.text_document.uri, None))
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.project.reload();
                (self.dirty, self.pending_check) = (true, None);
                None
            }
            _ => None,
        };
        let Some((uri, text)) = changed else {
            return Ok(());
        };
        let Some(key) = self.project.key(&uri) else {
            return Ok(());
        };
        let is_open = text.is_some();
        self.project.set_document(&key, text);
        // A running check is out of date.
        (self.dirty, self.pending_check) = (true, None);
        if is_open {
            let library = self.project.library();
            let complaints =
                Task::new(Some(TIME.0), None).enter(|| check::check_file(&library, &key));
            let file_diagnostics = diagnostics::diagnostics_by_file(&mut self.project, &complaints)
                .remove(&key)
                .unwrap_or_default();
            self.publish(&key, file_diagnostics)?;
        }
        Ok(())
    }

    /// Runs after a pause in editing: publishes a finished full check, or starts one in another thread if something changed.
    fn start_check(&mut self) -> Result<(), Error> {
        if let Some((receiver, _)) = &self.pending_check {
            if let Ok(complaints) = receiver.try_recv() {
                self.pending_check = None;
                self.publish_all(&complaints)?;
            }
        } else if self.dirty {
            let library = self.project.library();
            let (sender, receiver) = channel();
            let stop = StopOnDrop::default();
            let check_all = move || drop(sender.send(check::check(&library, &|_| true)));
            if Task::new(Some(TIME.1), None)
                .with_stop(stop.0.clone())
                .enter(|| parallel::spawn(check_all))
            {
                (self.dirty, self.pending_check) = (false, Some((receiver, stop)));
            }
        }
        Ok(())
    }

    fn publish_all(&mut self, complaints: &Complaints) -> Result<(), Error> {
        let by_file = diagnostics::diagnostics_by_file(&mut self.project, complaints);
        let resolved_files: Vec<String> = self
            .files_with_diagnostics
            .iter()
            .filter(|key| !by_file.contains_key(*key))
            .cloned()
            .collect();
        for (key, diagnostics) in by_file
            .into_iter()
            .chain(resolved_files.into_iter().map(|key| (key, Vec::new())))
        {
            self.publish(&key, diagnostics)?;
        }
        Ok(())
    }

    fn publish(&mut self, key: &str, diagnostics: Vec<lsp_types::Diagnostic>) -> Result<(), Error> {
        // Embedded files cannot be edited, so they get no diagnostics.
        let uri = if self.project.is_open(key) {
            self.project.uri(key)
        } else {
            self.project.editable_uri(key)
        };
        let Some(uri) = uri else { return Ok(()) };
        match diagnostics.is_empty() {
            true => self.files_with_diagnostics.remove(key),
            false => self.files_with_diagnostics.insert(key.into()),
        };
        let params = PublishDiagnosticsParams {
            uri,
            diagnostics,
            version: None,
        };
        self.send(Message::Notification(Notification::new(
            "textDocument/publishDiagnostics".into(),
            params,
        )))
    }

    /// Answers a request.
    fn handle_request(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let answer = match method.as_str() {
            "textDocument/hover" => self.dispatch(params, |project, key, p: HoverParams| {
                Ok(to_json(hover::hover(
                    project,
                    key,
                    p.text_document_position_params.position,
                )))
            }),
            "textDocument/definition" => {
                self.dispatch(params, |project, key, p: GotoDefinitionParams| {
                    Ok(to_json(symbols::definition(
                        project,
                        key,
                        p.text_document_position_params.position,
                    )))
                })
            }
            "textDocument/references" => {
                self.dispatch(params, |project, key, p: ReferenceParams| {
                    let at = p.text_document_position.position;
                    Ok(to_json(symbols::references(
                        project,
                        key,
                        at,
                        p.context.include_declaration,
                    )))
                })
            }
            "textDocument/completion" => {
                self.dispatch(params, |project, key, p: CompletionParams| {
                    Ok(to_json(completion::completions(
                        project,
                        key,
                        p.text_document_position.position,
                    )))
                })
            }
            "textDocument/prepareRename" => {
                self.dispatch(params, |project, key, p: TextDocumentPositionParams| {
                    rename::prepare_rename(project, key, p.position)
                        .map(|(range, name)| json!({ "range": range, "placeholder": name }))
                })
            }
            "textDocument/rename" => self.dispatch(params, |project, key, p: RenameParams| {
                rename::rename(project, key, p.text_document_position.position, &p.new_name)
                    .map(to_json)
            }),
            "textDocument/codeAction" => {
                self.dispatch(params, |project, key, p: CodeActionParams| {
                    Ok(to_json(actions::code_actions(
                        project,
                        key,
                        p.range,
                        &p.context.diagnostics,
                    )))
                })
            }
            _ => {
                return Response::new_err(
                    id,
                    ErrorCode::MethodNotFound as i32,
                    format!("casebook does not answer {method}"),
                );
            }
        };
        match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(message) => Response::new_err(id, ErrorCode::RequestFailed as i32, message),
        }
    }

    /// Parses the parameters of a request and runs its handler on the file it names.
    fn dispatch<P: DeserializeOwned>(
        &mut self,
        params: Value,
        answer: impl Fn(&mut Project, &str, P) -> Result<Value, String>,
    ) -> Result<Value, String> {
        let uri = params
            .pointer("/textDocument/uri")
            .and_then(Value::as_str)
            .and_then(|uri| Uri::from_str(uri).ok());
        let key = uri.and_then(|uri| self.project.key(&uri));
        match (key, parse_params::<P>(params)) {
            (Some(key), Some(params)) => answer(&mut self.project, &key, params),
            (None, _) => Ok(Value::Null),
            (_, None) => Err("this question can't be read".into()),
        }
    }
}

fn parse_params<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

fn to_json(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
