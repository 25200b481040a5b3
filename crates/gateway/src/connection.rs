//! What all listeners do alike: take who comes until they are stopped, within bounds, and let those
//! who are there finish.

mod room;
mod seldom_ready;

use std::io;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

pub(crate) use room::{ConnectionBounds, ConnectionPlace, ConnectionRoom, UnderRequest};
pub(crate) use seldom_ready::SeldomReady;

/// How long those who are connected may finish what they began.
pub const DRAIN: Duration = Duration::from_secs(10);

/// The next one who connects; nobody once it is stopped. Where those who are there leave no room,
/// one of them goes first; who comes meanwhile waits in the queue of the kernel.
pub(crate) async fn next<S, F>(
    stop: &CancellationToken,
    room: &ConnectionRoom,
    accept: impl Fn() -> F,
) -> Option<S>
where
    F: Future<Output = io::Result<S>>,
{
    let coming = async {
        room.has_room().await;
        loop {
            match accept().await {
                Ok(stream) => return stream,
                // No more descriptors, mostly: others have to end first.
                Err(_) => {
                    room.make_room();
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
    };
    stop.run_until_cancelled(coming).await
}

/// Waits a while for those who are connected, and then no more.
pub(crate) async fn finish(mut open: JoinSet<()>) {
    let all = async { while open.join_next().await.is_some() {} };
    let _ = timeout(DRAIN, all).await;
    open.shutdown().await;
}
