//! Connections: so many at once, each on its own, ended in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolgate_types::PeerLink;

use super::patience::Impatient;
use super::respond;
use crate::gateway::Shared;
use crate::{Gateway, connecting};

/// How long those who are connected may finish what they began.
pub const DRAIN: Duration = Duration::from_secs(10);

/// A client that takes longer to say what it wants wants nothing.
const HEADERS_WITHIN: Duration = Duration::from_secs(20);

/// The longest head of a request; nothing of MCP needs more.
const HEAD_BYTES: usize = 64 * 1024;

impl Gateway {
    /// Serves until it is stopped. What is under way then is finished, for a while.
    pub async fn serve(&self, listener: TcpListener, stop: CancellationToken) {
        let limit = self.shared.settings.limits.connections.max(1);
        let room = Arc::new(Semaphore::new(usize::try_from(limit).unwrap_or(usize::MAX)));
        let mut open = JoinSet::new();
        let gateway = self.clone();
        let sweeping = tokio::spawn(async move { gateway.sweep().await });
        loop {
            // Who comes when there is no room waits in the queue of the kernel.
            let place = tokio::select! {
                () = stop.cancelled() => break,
                place = Arc::clone(&room).acquire_owned() => place,
            };
            let came = connecting::next(&stop, || listener.accept()).await;
            let Some((stream, peer)) = came else { break };
            while open.try_join_next().is_some() {}
            let (shared, stop) = (Arc::clone(&self.shared), stop.clone());
            open.spawn(async move {
                let _place = place;
                connection(shared, stream, peer, stop).await;
            });
        }
        drop(listener);
        sweeping.abort();
        self.shared.drain();
        connecting::finish(open).await;
    }
}

async fn connection(
    shared: Arc<Shared>,
    stream: TcpStream,
    peer: SocketAddr,
    stop: CancellationToken,
) {
    let _ = stream.set_nodelay(true);
    let _counted = shared.metrics.connected();
    let link = PeerLink::new(peer, stream.local_addr().unwrap_or(peer));
    let service = service_fn(|request| respond(Arc::clone(&shared), link.clone(), request));
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(Impatient::new(TokioIo::new(stream)), service);
    tokio::pin!(serving);
    tokio::select! {
        // A client that goes away or talks nonsense ends its own connection only.
        _ = serving.as_mut() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}
