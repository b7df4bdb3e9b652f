//! The server: the protocol by the official SDK, the limits of each call, and its cancellation.

use crate::mcp::games::AgentGames;
use crate::mcp::input_lines::{forward_answers, forward_requests};
use crate::mcp::resources::{self, TEMPLATES};
use crate::mcp::tools::{AgentTool, TOOLS, ToolCall};
use crate::serve::layout::error_json;
use crate::serve::workbench::Workbench;
use casebook_analysis::odds::bounds::DEFAULT_MEMORY;
use casebook_engine::complaint::Error;
use casebook_engine::data::cache::lock_unpoisoned;
use casebook_engine::data::embedded::Embedded;
use casebook_engine::platform::parallel;
use casebook_engine::platform::task::{self, StopOnDrop, Task};
use casebook_engine::ruling::json::answer_json;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProgressToken, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Time for which one call works; a count ends before it, with what is known.
const WORK_TIME: Duration = Duration::from_secs(60);

/// Time for the last answers to be written when the input has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// Bytes that wait between the agent and the SDK.
const BUFFER: usize = 64 << 10;

/// Threads for each processor, if cancelled calls still have some.
const MAX_THREADS: usize = 4;

/// The time between two notices of progress.
const NOTICE_PAUSE: Duration = Duration::from_secs(1);

/// Maximum length of the arguments of a call in bytes.
const MAX_LENGTH: usize = 4 << 20;

/// What an agent reads before it chooses a tool.
const INSTRUCTIONS: &str = "A referee for printed wargames. `list` names games, variants and situations. Each line of a ruling cites the \
    cases and tables it rests on: pass the citations on, and say what is reconstructed, assumed or left to a first option. Don't state a \
    rule, a figure or a chance that no answer of these tools contains. A missing figure is an error: say that it is missing.";

#[derive(Clone)]
pub struct AgentServer(Arc<AgentServerState>);

struct AgentServerState {
    bench: Workbench,
    games: AgentGames,
    /// The calls that work at the same time.
    lanes: Arc<Semaphore>,
    /// The threads that work, with those of cancelled calls that have not looked at their flag yet.
    threads: Arc<Semaphore>,
    memory: Option<u64>,
}

/// Serves on standard input and output until the input ends.
pub fn serve(data: Option<&Path>, embedded: Embedded) -> Result<(), Error> {
    let server = AgentServer::new(data, embedded)?;
    let fail = |source| Error::File {
        path: "(standard input)".into(),
        source,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(parallel::STACK_SIZE)
        .build()
        .map_err(fail)?;
    let served = runtime.block_on(server.serve_on(tokio::io::stdin(), tokio::io::stdout()));
    // Work that was not waited for ends with the process.
    runtime.shutdown_background();
    served.map_err(|error| Error::Usage(format!("the agent can't be served: {error}")))
}

impl AgentServer {
    /// Creates a server with the data of a folder, or of the nearest one.
    pub fn new(data: Option<&Path>, embedded: Embedded) -> Result<AgentServer, Error> {
        let lanes = Arc::new(Semaphore::new(parallel::thread_count()));
        let threads = Arc::new(Semaphore::new(MAX_THREADS * parallel::thread_count()));
        let bench = Workbench::new(data, embedded, String::new())?;
        Ok(AgentServer(Arc::new(AgentServerState {
            bench,
            games: AgentGames::default(),
            lanes,
            threads,
            memory: task::memory(),
        })))
    }

    /// Serves until the input ends; an input that ends before the protocol has begun is no error.
    pub async fn serve_on(
        self,
        input: impl tokio::io::AsyncRead + Send + Unpin + 'static,
        output: impl tokio::io::AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), String> {
        let (from_agent, to_server) = tokio::io::duplex(BUFFER);
        let (to_agent, from_server) = tokio::io::duplex(BUFFER);
        let output = Arc::new(tokio::sync::Mutex::new(output));
        let requests = tokio::spawn(forward_requests(input, to_server, output.clone()));
        let answers = tokio::spawn(forward_answers(from_server, output));
        let served = match self.serve((from_agent, to_agent)).await {
            Ok(session) => session
                .waiting()
                .await
                .map(drop)
                .map_err(|error| error.to_string()),
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        requests.abort();
        let _ = tokio::time::timeout(LAST_ANSWERS, answers).await;
        served
    }

    /// Does the work of a request on a thread of its own, within the limits, until it is cancelled.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(&AgentServerState, &AtomicBool) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let stop = StopOnDrop::default();
        let (state, flag) = (self.0.clone(), stop.0.clone());
        let token = context.ct.clone();
        let watcher = tokio::spawn(async move {
            token.cancelled().await;
            drop(stop);
        });
        // A cancelled call gives its lane back at once, and its thread as soon as the work looks at the flag.
        let _lane = wait_for(&self.0.lanes, context).await?;
        let thread = wait_for(&self.0.threads, context).await?;
        let mut task = Task::new(Some(WORK_TIME), state.memory)
            .with_process(DEFAULT_MEMORY)
            .with_stop(flag.clone());
        let notices = context.meta.get_progress_token().map(|token| {
            let progress_text = Arc::new(Mutex::new("at work".to_string()));
            let latest = progress_text.clone();
            task = task
                .clone()
                .with_progress(Arc::new(move |activity, share, count| {
                    *lock_unpoisoned(&latest) =
                        format!("{activity}: {:.0} %, {count}", share * 100.0);
                }));
            tokio::spawn(notify_progress(context.peer.clone(), token, progress_text))
        });
        let work = tokio::task::spawn_blocking(move || {
            let _thread = thread;
            task.enter(|| job(&state, &flag))
        });
        let finished = context.ct.run_until_cancelled(work).await;
        watcher.abort();
        notices.iter().for_each(|notices| notices.abort());
        finished.map_or_else(
            || Err(cancelled()),
            |finished| finished.unwrap_or_else(|_| Err(failed())),
        )
    }
}

/// Waits for room, or for the end of a call that is cancelled.
async fn wait_for(
    room: &Arc<Semaphore>,
    context: &RequestContext<RoleServer>,
) -> Result<OwnedSemaphorePermit, Error> {
    let permit = context
        .ct
        .run_until_cancelled(room.clone().acquire_owned())
        .await;
    permit.ok_or_else(cancelled)?.map_err(|_| failed())
}

fn failed() -> Error {
    Error::Usage("the answer could not be made".into())
}

fn cancelled() -> Error {
    Error::Usage("the call was cancelled".into())
}

/// Notifies an agent of the progress of its call. The protocol wants a number that grows: the elapsed seconds do, but the share of a count
/// does not if the count starts again.
async fn notify_progress(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    progress_text: Arc<Mutex<String>>,
) {
    for notice in 1.. {
        tokio::time::sleep(NOTICE_PAUSE).await;
        let message = lock_unpoisoned(&progress_text).clone();
        let seconds = NOTICE_PAUSE.as_secs_f64() * f64::from(notice);
        let notice = ProgressNotificationParam::new(token.clone(), seconds).with_message(message);
        if peer.notify_progress(notice).await.is_err() {
            return;
        }
    }
}

fn protocol_error(error: Error) -> ErrorData {
    match error {
        error @ Error::Unknown {
            kind: "resource" | "case" | "table" | "game",
            ..
        } => ErrorData::resource_not_found(error.to_string(), None),
        error => ErrorData::invalid_params(error.to_string(), Some(error_json(&error))),
    }
}

impl ServerHandler for AgentServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .build(),
        )
        .with_server_info(Implementation::new("casebook", env!("CARGO_PKG_VERSION")))
        .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // No tool writes a file.
        let hints = ToolAnnotations::new().read_only(true).open_world(false);
        let tool = |tool: &AgentTool| {
            let input = (tool.input_schema)().to_value();
            let input = input.as_object().cloned().unwrap_or_default();
            Tool::new(tool.name, tool.description, input).with_annotations(hints.clone())
        };
        Ok(ListToolsResult::with_all_items(
            TOOLS.iter().map(tool).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = AgentTool::find(&request.name).map_err(protocol_error)?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        if arguments.to_string().len() > MAX_LENGTH {
            return Err(ErrorData::invalid_params(
                format!(
                    "the arguments are too long: {} MB at most",
                    MAX_LENGTH >> 20
                ),
                None,
            ));
        }
        let job = move |state: &AgentServerState, stop: &AtomicBool| {
            let answer = (tool.run)(&ToolCall {
                bench: &state.bench,
                games: &state.games,
                arguments,
                stop,
            })?;
            Ok(answer_json(
                answer,
                state.bench.snapshot()?.library.files.home().as_deref(),
            ))
        };
        // The agent has to read the error, so it is a result and not an error of the protocol.
        Ok(match self.work(&context, job).await {
            Ok(answer) => CallToolResult::structured(answer),
            Err(error) => CallToolResult::structured_error(error_json(&error)),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self
            .work(&context, |state, _| {
                resources::list(&*state.bench.snapshot()?)
            })
            .await
            .map_err(protocol_error)?;
        let to_protocol = |resource: resources::AgentResource| {
            Resource::new(resource.uri, resource.name)
                .with_title(resource.title)
                .with_mime_type("text/plain")
        };
        Ok(ListResourcesResult::with_all_items(
            listed.into_iter().map(to_protocol).collect(),
        ))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let to_template = |(uri, name, description): &(&str, &str, &str)| {
            ResourceTemplate::new(*uri, *name).with_description(*description)
        };
        Ok(ListResourceTemplatesResult::with_all_items(
            TEMPLATES.iter().map(to_template).collect(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let text = self
            .work(&context, move |state, _| {
                resources::read(&*state.bench.snapshot()?, &uri)
            })
            .await
            .map_err(protocol_error)?;
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }
}
