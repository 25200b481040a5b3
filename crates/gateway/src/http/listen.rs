//! Connections over TCP: so many at once, each on its own, ended in order.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use toolgate_types::PeerLink;
use tracing::debug;

use super::patience::ImpatientConnection;
use super::respond;
use crate::connection::{ConnectionPlace, SeldomReady};
use crate::refusal::RequestRefusal;
use crate::state::GatewayState;
use crate::{Gateway, connection};

/// A known caller may take so long from an answer to the end of the next request's head. Others are not
/// waited for: see `known_within`.
const SILENT_FOR: Duration = Duration::from_secs(5 * 60);

/// The longest head of a request; nothing of MCP needs more.
const HEAD_BYTES: usize = 64 * 1024;

/// What ends a connection that its client does not end.
enum ConnectionEnding {
    Silent,
    /// What is under way is finished.
    InOrder,
    Refused(RequestRefusal),
}

impl Gateway {
    /// Serves until it is stopped. What is under way then is finished, for a while.
    pub async fn serve(&self, listener: TcpListener, stop: CancellationToken) {
        let room = Arc::clone(&self.shared.room);
        let mut open = JoinSet::new();
        let gateway = self.clone();
        let sweeping = tokio::spawn(async move { gateway.sweep().await });
        while let Some((stream, peer)) = connection::next(&stop, &room, || listener.accept()).await
        {
            while open.try_join_next().is_some() {}
            let entrance = &self.shared.settings.entrance;
            if !entrance.admits(peer.ip()) {
                self.shared.metrics.turned_away();
                debug!(%peer, "connection turned away: it is not from the proxy in front");
                continue;
            }
            let Ok(place) = room.enter(entrance.counted_as(peer.ip()), Instant::now()) else {
                self.shared.metrics.turned_away();
                debug!("connection turned away: there is no room");
                if entrance.is_readable() {
                    say_last(&stream, &RequestRefusal::too_many());
                }
                continue;
            };
            // Made anew where it is served.
            let Ok(stream) = stream.into_std() else { continue };
            let (shared, stop) = (Arc::clone(&self.shared), stop.clone());
            self.shared.threads.serve(&mut open, async move {
                if let Ok(stream) = TcpStream::from_std(stream) {
                    connection(shared, stream, peer, &place, stop).await;
                }
            });
        }
        drop(listener);
        sweeping.abort();
        self.shared.drain();
        connection::finish(open).await;
    }
}

async fn connection(
    shared: Arc<GatewayState>,
    stream: TcpStream,
    peer: SocketAddr,
    place: &ConnectionPlace,
    stop: CancellationToken,
) {
    let _ = stream.set_nodelay(true);
    let _counted = shared.metrics.connected();
    let link = PeerLink::new(peer, stream.local_addr().unwrap_or(peer));
    let within = shared.settings.known_within;
    let began = Instant::now();
    let entered = tokio::select! {
        entered = shared.settings.entrance.enter(stream) => entered,
        () = stop.cancelled() => return,
        () = place.told_to_leave() => return,
        () = sleep(within) => Err(std::io::ErrorKind::TimedOut.into()),
    };
    let stream = match entered {
        Ok(stream) => stream,
        Err(error) => {
            shared.metrics.turned_away();
            debug!(%error, "connection ended before anything was said");
            return;
        }
    };
    let service = service_fn(|request| respond(Arc::clone(&shared), link.clone(), place, request));
    let mut serving = http1::Builder::new()
        .max_buf_size(HEAD_BYTES)
        .serve_connection(ImpatientConnection::new(TokioIo::new(stream)), service);
    let ending = pin!(async {
        tokio::select! {
            () = place.silent_for(SILENT_FOR) => ConnectionEnding::Silent,
            () = stop.cancelled() => ConnectionEnding::InOrder,
            () = place.told_to_leave() => ConnectionEnding::Refused(RequestRefusal::too_many()),
            () = unknown_for_too_long(place, within.saturating_sub(began.elapsed())) => {
                ConnectionEnding::Refused(RequestRefusal::too_slow())
            }
        }
    });
    let ended = tokio::select! {
        biased;
        // A client that goes away or talks nonsense ends its own connection only.
        _ = &mut serving => return,
        ended = SeldomReady::new(ending) => ended,
    };
    let refusal = match ended {
        ConnectionEnding::Silent => return,
        ConnectionEnding::InOrder => None,
        ConnectionEnding::Refused(refusal) => Some(refusal),
    };
    match refusal {
        // Nobody reads an answer that comes unasked, but it says why the connection ends.
        Some(refusal) if !place.is_known() && !place.is_busy() => {
            shared.metrics.turned_away();
            debug!(why = ?refusal.kind, "connection closed that showed no token");
            // What is encrypted takes more than a few bytes to say.
            if let Either::Left(stream) = serving.into_parts().io.get_ref().inner() {
                say_last(stream, &refusal);
            }
        }
        // What it asked for is answered, and nothing else.
        Some(_) if !place.is_known() => {
            std::pin::Pin::new(&mut serving).graceful_shutdown();
            let _ = tokio::time::timeout(within, serving).await;
        }
        _ => {
            std::pin::Pin::new(&mut serving).graceful_shutdown();
            let _ = serving.await;
        }
    }
}

/// Ends when it should have shown who it is, and never for one that did.
async fn unknown_for_too_long(place: &ConnectionPlace, within: Duration) {
    sleep(within).await;
    if place.is_known() {
        std::future::pending::<()>().await;
    }
}

/// A few words that fit into what the system keeps for a connection; one that has no room for them
/// is not waited for.
fn say_last(stream: &TcpStream, refusal: &RequestRefusal) {
    let _ = stream.try_write(&refusal.as_last_words());
}
