//! The signals that end a run.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Ends with the first SIGTERM or Ctrl-C.
pub(crate) fn stopped_by_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        // Without a handler the signal ends us at once, and what watches over the servers ends them.
        if let Ok(mut signals) = signal(kind) {
            let stop = stop.clone();
            tokio::spawn(async move {
                if signals.recv().await.is_some() {
                    stop.cancel();
                }
            });
        }
    }
    stop
}
