//! Connections of the server: limits of their number, of idle time, and of the time that a request takes to arrive.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

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
        ServerLimits { head, body, queue, work }
    }
}

/// Age at which a connection takes no further request, and the time for the answer that is still under way.
const MAX_AGE: (Duration, Duration) = (Duration::from_secs(300), Duration::from_secs(120));

/// Accepts connections until the process ends.
pub async fn accept(listener: TcpListener, router: Router, limits: ServerLimits) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Ok(permit) = room.clone().acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, router.clone(), limits.head, permit))),
            // The system has no handle left, or the client is gone: others will come.
            Err(_) => sleep(Duration::from_millis(200)).await,
        }
    }
}

async fn serve(stream: TcpStream, router: Router, head: Duration, _permit: OwnedSemaphorePermit) {
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)));
    if timeout(MAX_AGE.0, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(MAX_AGE.1, connection).await;
    }
}
